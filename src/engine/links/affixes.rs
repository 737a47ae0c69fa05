//! Which objects does the conversion let name others, to whose names kustomizations add prefixes or suffixes?
//!
//! Kustomize does not know the references that the conversion writes, and would leave them as they are.

use serde_json::Value;

use super::layers::Layers;
use super::tied_files::{Id, TiedFiles};
use crate::engine::convert::Remark;
use crate::engine::finding::{Code, Finding};
use crate::syntax::field::FieldPath;

/// Finds the objects whose conversion writes the names of others, where kustomizations add prefixes or suffixes to names.
pub(crate) fn find(tied: &TiedFiles<'_>) -> Vec<(Id, Finding)> {
    let message = "its conversion writes the name of another object, to which a kustomization adds a prefix or suffix; Kustomize does not update such a reference";
    let help = "convert the objects by hand, with the names that they have after the build, or tell Kustomize about the reference with `nameReference`";
    let layers = Layers { graph: &tied.run.graph };
    tied.objects()
        .filter(|(id, manifest, _)| writes_name(tied, *id) && layers.rename(&manifest.file))
        .map(|(id, ..)| tied.held(id, &Remark::new(Code::ConvertsTogether, FieldPath::default(), message).help(help)))
        .collect()
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
