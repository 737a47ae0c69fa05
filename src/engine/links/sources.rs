//! Which values do replacements read from objects that nothing else reads?
//!
//! A replacement can have its value from an object of any kind, mostly a ConfigMap. Files with such objects are read only for that, and
//! only those that a kustomization with the replacement takes in.
//!
//! Invariant: a value is known only where one object is selected, and nothing that comes before may write to it.

use std::collections::BTreeSet;

use serde_json::Value;

use super::applications::InstructionRef;
use super::instruction::Instruction;
use super::other_objects::{Origin, Reach};
use super::replacement;
use super::run::Run;
use super::steps::{Role, Step};
use super::tied_files::Id;
use crate::engine::manifest::{Kustomization, Selector, documents};
use crate::knowledge::release::{ApiVersion, GroupKind};
use crate::syntax::field::{Entries, FieldPath};

/// A replacement whose source is no known object of the run.
pub(crate) struct OpenSource<'r> {
    pub(crate) holder: Id,
    pub(crate) place: &'r FieldPath,
    selector: &'r Selector,
    /// The kustomizations that carry it out, with those that they take in.
    kustomizations: BTreeSet<&'r str>,
    /// The other files that these take in.
    files: BTreeSet<&'r str>,
}

/// Finds the replacements of a run whose sources are no known objects.
pub(crate) fn open_sources<'r>(run: &'r Run<'_>) -> Vec<OpenSource<'r>> {
    let mut sources = Vec::new();
    for (number, file) in run.files.iter().enumerate() {
        for step in file.rare().steps.iter().filter(|step| step.role == Role::Source) {
            let (holder, place) = (Id { file: number, at: step.object }, &step.place);
            let is_it = |one: &InstructionRef| (one.position, &one.place, one.role) == (holder, place, Role::Source);
            let Some(selector) = &step.target else { continue };
            if run.applications.made.iter().any(|one| is_it(&one.instruction)) {
                continue;
            }
            let origin = Origin::Kustomizations(run.graph.hosts_of(&file.file));
            let Reach { files, kustomizations } = Reach::of(run, &origin);
            sources.push(OpenSource { holder, place, selector, kustomizations, files });
        }
    }
    sources
}

impl OpenSource<'_> {
    /// Returns the value that the replacement, whose data this is, reads, where that is known; `text_of` returns the text of a file.
    pub(crate) fn value(&self, run: &Run<'_>, data: &Value, text_of: &dyn Fn(&str) -> Option<String>) -> Option<Value> {
        let objects = self.files.iter().filter_map(|file| text_of(file)).flat_map(|text| documents(&text));
        let mut selected = objects.filter(|object| selects(run, self.selector, object));
        let object = selected.next().filter(|_| selected.next().is_none())?;
        if self.kustomizations.iter().any(|file| may_write(run, file, &object, text_of)) {
            return None;
        }
        replacement::read(&Instruction { role: Role::Source, data, source: None }, &object)
    }
}

/// Returns whether `selector` selects an object that a file holds.
fn selects(run: &Run<'_>, selector: &Selector, object: &Value) -> bool {
    let (Some(version), Some(kind)) = (object.text("apiVersion"), object.text("kind")) else { return false };
    let (version, metadata) = (ApiVersion::parse(version), object.get("metadata").unwrap_or(&Value::Null));
    let names = run.graph.names_after(metadata.text("name").unwrap_or_default());
    selector.selects(&GroupKind::new(kind, version.group.clone()), &version)
        && selector.name.as_ref().is_none_or(|part| names.iter().any(|name| part.is(name)))
        && selector.namespace.as_ref().is_none_or(|part| metadata.text("namespace").is_none_or(|name| part.is(name)))
}

/// Returns whether a kustomization may write to an object that it takes in.
fn may_write(run: &Run<'_>, file: &str, object: &Value, text_of: &dyn Fn(&str) -> Option<String>) -> bool {
    let Some(survey) = run.number(file).map(|number| &run.files[number]) else { return true };
    let writes = |step: &Step| {
        matches!(step.role, Role::Target(_)) && step.target.as_ref().is_some_and(|target| selects(run, target, object))
    };
    let name = object.get("metadata").and_then(|metadata| metadata.text("name")).unwrap_or_default();
    let patches = |patch: &Value| match patch.get("target").and_then(Value::as_object) {
        Some(target) => selects(run, &Selector::of(target), object),
        None => {
            let inline = patch.text("patch").or_else(|| patch.as_str().filter(|text| text.contains('\n')));
            let path = patch.text("path").or_else(|| patch.as_str());
            let of_file = || text_of(&Kustomization::beside(file, path?));
            inline.map(str::to_owned).or_else(of_file).is_none_or(|text| text.contains(name))
        }
    };
    // Which objects other transformers write to is not looked up.
    let transforms = |transformer: &Value| match transformer.text("kind") {
        Some("PatchTransformer" | "PatchJson6902Transformer") => patches(transformer),
        _ => true,
    };
    let has_unread = |own: &Kustomization| {
        let mut transformers = own.transformers.iter().flat_map(|(_, path)| run.graph.files_at(path));
        !own.unread.is_empty()
            || transformers.any(|name| text_of(name).is_none_or(|text| documents(&text).iter().any(transforms)))
    };
    survey.rare().steps.iter().any(writes)
        || survey.kustomization.as_deref().is_some_and(has_unread)
        || text_of(file).iter().flat_map(|text| documents(text)).any(|kustomization| {
            let lists = ["patches", "patchesStrategicMerge", "patchesJson6902"];
            lists.iter().any(|list| kustomization.items(list).iter().any(patches))
        })
}
