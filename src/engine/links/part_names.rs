//! Which parts of several objects would become objects of one name?
//!
//! Their sources have one name themselves then, which two clusters make normal. Kustomizations tell apart what they build, and folders
//! the others. Parts that become the same are no conflict: it does not matter which of them a cluster gets last.

use std::collections::BTreeMap;

use super::built_names::{BuiltName, BuiltNames};
use super::name_conflicts::{Place, folder};
use super::tied_files::{Id, TiedFiles};
use crate::engine::convert::{Remark, SplitOff};
use crate::engine::finding::{Code, Finding};
use crate::knowledge::lens::Namespace;
use crate::knowledge::release::GroupKind;
use crate::syntax::field::FieldPath;

/// A part of an object, at a place where there cannot be two of one name.
struct Placed<'t> {
    id: Id,
    part: &'t SplitOff,
    namespace: Namespace,
    /// Whether kustomizations take in the object.
    is_built: bool,
}

/// The parts that are at one place and have one kind and name there.
type Near<'t> = BTreeMap<(Place<'t>, &'t GroupKind, String), Vec<Placed<'t>>>;

/// Finds the objects of which a part would become an object that has the name of another one, and differs from it.
pub(crate) fn find(tied: &TiedFiles<'_>) -> Vec<(Id, Finding)> {
    let mut found = BTreeMap::new();
    for ((place, kind, name), near) in &placed(tied) {
        for one in near {
            let Some(other) = near.iter().find(|other| one.collides_with(other, *place)) else { continue };
            let message = format!(
                "a part of it would become the {} {name}, and a part of {} at {} another one of that name",
                kind.kind,
                tied.object(other.id).title(),
                tied.location(other.id)
            );
            let help = "rename or remove one of the two; where they are for two clusters, write them into two folders";
            let remark = Remark::new(Code::NameConflict, FieldPath::default().key("metadata").key("name"), message);
            found.entry(one.id).or_insert_with(|| tied.held(one.id, &remark.help(help)));
        }
    }
    found.into_values().collect()
}

/// Puts the parts of all objects at their places.
fn placed<'t>(tied: &'t TiedFiles<'_>) -> Near<'t> {
    let parts = tied.objects().filter_map(|(id, _, _)| Some((id, tied.conversion(id)?)));
    let parts: Vec<(Id, &SplitOff)> =
        parts.flat_map(|(id, made)| made.split_off.iter().map(move |part| (id, part))).collect();
    let mut placed = Near::new();
    if parts.len() < 2 {
        return placed;
    }
    let names = BuiltNames::new(tied.run, tied.applications);
    for (id, part) in parts {
        let (object, kind) = (tied.object(id), &part.made.kind);
        let in_builds = names.of(id);
        let is_built = !in_builds.is_empty();
        let mut add = |place, name, namespace| {
            placed.entry((place, kind, name)).or_default().push(Placed { id, part, namespace, is_built });
        };
        let name = object.name.clone().unwrap_or_default();
        add(Place::Folder(folder(&tied.manifest(id).file)), name, tied.namespace(id).clone());
        for BuiltName { kustomization, stage, called } in in_builds {
            let namespace =
                tied.run.namespaces().in_build(kind, object.namespace.as_deref(), called.namespace.as_deref());
            add(Place::Build { kustomization, stage }, called.name, namespace);
        }
    }
    placed
}

impl Placed<'_> {
    fn collides_with(&self, other: &Self, place: Place<'_>) -> bool {
        let is_told_apart = matches!(place, Place::Folder(_)) && self.is_built && other.is_built;
        self.id != other.id
            && !is_told_apart
            && self.part.made.value != other.part.made.value
            && self.namespace.same_as(&other.namespace) != Some(false)
    }
}
