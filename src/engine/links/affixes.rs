//! Of which objects does the conversion depend on names to which kustomizations add prefixes or suffixes?
//!
//! Kustomize does not know the references that the conversion writes, and would leave them as they are. A rule that asks for the name of
//! an object sees the one in its file.

use serde_json::Value;

use super::layers::Layers;
use super::tied_files::{Id, TiedFiles};
use crate::engine::convert::Remark;
use crate::engine::finding::{Code, Finding};
use crate::knowledge::lens::{Direction, Form};
use crate::knowledge::pack::Rule;
use crate::syntax::field::FieldPath;

/// Finds the objects whose conversion writes the names of others, or asks for their own, where kustomizations add prefixes or suffixes to
/// names.
pub(crate) fn find(tied: &TiedFiles<'_>) -> Vec<(Id, Finding)> {
    let written = "its conversion writes the name of another object, to which a kustomization adds a prefix or suffix; Kustomize does not update such a reference";
    let asked = "its conversion depends on its name, to which a kustomization adds a prefix or suffix";
    let help_to_name = "convert the objects by hand, with the names that they have after the build, or tell Kustomize about the reference with `nameReference`";
    let help = "convert it by hand, with the name that it has after the build";
    let layers = Layers { graph: &tied.run.graph };
    let remark = |id: Id| {
        let (message, help) = if writes_name(tied, id) {
            (written, help_to_name)
        } else if asks_for_name(tied, id) {
            (asked, help)
        } else {
            return None;
        };
        Some(Remark::new(Code::ConvertsTogether, FieldPath::default(), message).help(help))
    };
    // What is above a file is looked through only for what can depend on names.
    let may_ask = |id: Id| {
        tied.conversion(id)
            .is_some_and(|made| !made.rules.is_empty() || !made.converts_with.is_empty() || !made.split_off.is_empty())
    };
    let asking = tied.objects().filter(|(id, ..)| may_ask(*id));
    let renamed = asking.filter(|(_, manifest, _)| layers.rename(&manifest.file));
    renamed.filter_map(|(id, ..)| Some(tied.held(id, &remark(id)?))).collect()
}

/// Returns whether a rule that converts an object compares its name with another one.
fn asks_for_name(tied: &TiedFiles<'_>, id: Id) -> bool {
    let Some(conversion) = tied.conversion(id) else { return false };
    let has_run = |rule: &&Rule| conversion.rules.iter().any(|(id, _)| *id == rule.id);
    let name = FieldPath::default().key("metadata").key("name").pattern();
    let asks = |rule: &Rule| {
        let premises = rule.lens(Direction::Forward).premises();
        premises.iter().any(|premise| premise.written == name && matches!(premise.form, Form::Value(_)))
    };
    let packs = tied.targets.goal.packs.iter();
    !conversion.rules.is_empty() && packs.flat_map(|pack| pack.rules()).filter(has_run).any(asks)
}

/// Returns whether the conversion of an object writes the name of another one that it read, or that a part of it becomes.
fn writes_name(tied: &TiedFiles<'_>, id: Id) -> bool {
    let before = &tied.object(id).value;
    tied.conversion(id).is_some_and(|conversion| {
        let others = conversion.converts_with.iter();
        let names = others.filter_map(|id| tied.run.files[id.file].objects[id.at].name.as_deref());
        // A part of it that becomes an object has its name.
        let own = tied.object(id).name.as_deref().filter(|_| !conversion.split_off.is_empty());
        let mut names = names.chain(own);
        names.any(|name| count(&conversion.value, name) > count(before, name))
    })
}

/// Counts the texts in a value that are `text`.
fn count(value: &Value, text: &str) -> usize {
    match value {
        Value::String(own) => usize::from(own == text),
        Value::Array(items) => items.iter().map(|item| count(item, text)).sum(),
        Value::Object(map) => map.values().map(|value| count(value, text)).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}
