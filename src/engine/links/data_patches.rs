//! Which strategic merge patches that are written as data, and not as text, would have to be converted?
//!
//! Nothing edits such a patch.

use serde_json::Value;

use super::built_objects::with_references;
use super::tied_files::{Id, TiedFiles};
use crate::engine::convert::{Judged, ObjectContext, convert};
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
        let is_old = |place: &FieldPath| {
            let patch = place.get(&object.value);
            patch.is_none_or(|patch| is_outdated(tied, id, patch, others))
        };
        found.extend(places.filter(is_old).map(|place| (id, place)));
    }
    found
}

/// Returns whether a patch in the object `holder` would have to be converted; of what is no object that is not known.
pub(super) fn is_outdated(tied: &TiedFiles<'_>, holder: Id, patch: &Value, others: &Context<'_>) -> bool {
    let Some(patch) = Object::from_value(0, FieldPath::default(), patch.clone()) else { return true };
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
    conversion.is_some_and(|made| made.needs_change())
        || !with_references(tied, &patch.kind, &patch.value).program().is_empty()
}
