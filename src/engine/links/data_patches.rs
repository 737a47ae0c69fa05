//! Which strategic merge patches that are written as data, and not as text, would have to be converted?
//!
//! Nothing edits such a patch.

use super::built_objects::with_references;
use super::tied_files::{Id, TiedFiles};
use crate::engine::convert::{Conversion, Judged, ObjectContext, convert};
use crate::engine::manifest::{DataPatch, Object};
use crate::knowledge::lens::{Completeness, Context, Namespace, ObjectPlace};
use crate::syntax::field::FieldPath;

/// Returns the places of the patches that the conversion would change or hold back, each with the object that it stands in.
pub(super) fn outdated(tied: &TiedFiles<'_>, others: &Context<'_>) -> Vec<(Id, FieldPath)> {
    let mut found = Vec::new();
    for (id, manifest, object) in tied.objects() {
        let is_merge = |data: &&DataPatch| !data.is_json && data.components.is_empty();
        let places =
            manifest.data_patches.iter().filter(is_merge).filter_map(|data| object.path_of(data.document, &data.place));
        found.extend(places.filter(|place| is_outdated(tied, id, place, others)).map(|place| (id, place)));
    }
    found
}

/// Returns whether the patch at `place` of an object would have to be converted; of what is no object that is not known.
fn is_outdated(tied: &TiedFiles<'_>, holder: Id, place: &FieldPath, others: &Context<'_>) -> bool {
    let value = place.get(&tied.object(holder).value).cloned();
    let Some(patch) = value.and_then(|value| Object::from_value(0, FieldPath::default(), value)) else { return true };
    let namespace = patch.namespace.clone().map_or(Namespace::Unset, Namespace::Named);
    let place = ObjectPlace { line: None, id: None, ..tied.place(holder) };
    let context = ObjectContext {
        completeness: Completeness::Partial,
        namespace: &namespace,
        place,
        others,
        judged: Judged::AsWritten,
        version: None,
    };
    let conversion = convert(&patch, tied.targets.goal, context);
    let needs_change =
        |made: &Conversion| !(made.program.is_empty() && made.blocks.is_empty() && made.unresolved.is_empty());
    conversion.is_some_and(|made| needs_change(&made))
        || !with_references(tied, &patch.kind, &patch.value).program().is_empty()
}
