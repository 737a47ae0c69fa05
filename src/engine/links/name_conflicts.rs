//! Which objects get the kind, namespace and name of another object?
//!
//! In a folder, what is written counts: objects in different folders can belong to different clusters or overlays. In a build, it is
//! what the objects are called there; Kustomize fails on two of one apiVersion.

use std::collections::{BTreeMap, BTreeSet};

use super::built_names::{BuiltName, BuiltNames, Called, Stage};
use super::tied_files::{Id, TiedFiles};
use crate::engine::convert::{Conversion, Remark};
use crate::engine::finding::{Code, Finding};
use crate::knowledge::lens::Namespace;
use crate::knowledge::release::{ApiVersion, GroupKind};
use crate::syntax::field::{Entries, FieldPath};

/// Where two objects cannot be one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place<'a> {
    Folder(&'a str),
    Build { kustomization: &'a str, stage: Stage },
}

/// An object at a place, with its namespace before and after the conversion.
struct Placed<'t> {
    id: Id,
    namespaces: [Namespace; 2],
    sides: &'t Sides<'t>,
}

/// An object before and after the conversion.
struct Sides<'t> {
    kinds: [&'t GroupKind; 2],
    versions: [ApiVersion; 2],
    namespaces: [Option<&'t str>; 2],
}

/// Finds the objects whose kind, namespace or apiVersion changes and that become one with another object by that.
pub(crate) fn find(tied: &TiedFiles<'_>) -> Vec<(Id, Finding)> {
    let mut by_kind: BTreeMap<&GroupKind, BTreeMap<Id, Sides<'_>>> = BTreeMap::new();
    for (id, manifest, object) in tied.objects() {
        if object.name.is_some() && object.inline_patch.is_none() && !tied.is_patch_file(&manifest.file) {
            let sides = Sides::of(tied, id);
            by_kind.entry(sides.kinds[1]).or_default().insert(id, sides);
        }
    }
    by_kind.retain(|_, objects| can_merge(objects.values()));
    let names = BuiltNames::new(tied.run, tied.applications);
    by_kind.values().flat_map(|objects| among(tied, &names, objects)).collect()
}

/// Returns whether objects of one kind can become one, whatever their names are.
fn can_merge<'s>(mut objects: impl Iterator<Item = &'s Sides<'s>>) -> bool {
    let Some(first) = objects.next() else { return false };
    let is_moved = |one: &Sides<'_>| one.namespaces[0] != one.namespaces[1];
    objects
        .fold((is_moved(first), false), |(is_moving, is_mixed), one| {
            let is_other = one.kinds[0] != first.kinds[0] || one.versions[0] != first.versions[0];
            (is_moving || is_moved(one), is_mixed || is_other || is_moving || is_moved(one))
        })
        .1
}

/// Finds those among objects that get one kind.
fn among(tied: &TiedFiles<'_>, names: &BuiltNames<'_, '_>, objects: &BTreeMap<Id, Sides<'_>>) -> Vec<(Id, Finding)> {
    let mut placed: BTreeMap<(Place<'_>, String), Vec<Placed<'_>>> = BTreeMap::new();
    for (id, sides) in objects {
        let (folder, name) = (folder(&tied.manifest(*id).file), tied.object(*id).name.clone().unwrap_or_default());
        let placed_by = |namespaces| Placed { id: *id, namespaces, sides };
        let in_folder = placed_by(sides.in_folder(tied, *id));
        placed.entry((Place::Folder(folder), name)).or_default().push(in_folder);
        for BuiltName { kustomization, stage, called: Called { name, namespace } } in names.of(*id) {
            let in_build = placed_by(sides.in_build(tied, namespace.as_deref()));
            placed.entry((Place::Build { kustomization, stage }, name)).or_default().push(in_build);
        }
    }
    let (mut found, mut met) = (Vec::new(), BTreeSet::new());
    for ((place, _), near) in &placed {
        for one in near.iter().filter(|one| one.sides.is_changed()) {
            let Some(other) = near.iter().find(|other| one.merges_with(other, *place)) else { continue };
            if met.insert(one.id) {
                found.push(tied.held(one.id, &remark(tied, one, other.id, *place)));
            }
        }
    }
    found
}

/// Says which object `one` would become one with.
fn remark(tied: &TiedFiles<'_>, one: &Placed<'_>, other: Id, place: Place<'_>) -> Remark {
    let Sides { kinds: [before, after], .. } = one.sides;
    let what = match () {
        () if before != after => format!("the same name as the {}", after.kind),
        () if one.namespaces[0] != one.namespaces[1] => "the same namespace and name as the object".to_owned(),
        () => "the same apiVersion and name as the object".to_owned(),
    };
    let by = match place {
        Place::Folder(_) => String::new(),
        Place::Build { kustomization, .. } => format!(", which {kustomization} builds too"),
    };
    let message = format!("after the conversion it has {what} at {}{by}", tied.location(other));
    let path = FieldPath::default().key("metadata").key("name");
    Remark::new(Code::NameConflict, path, message).help("rename or remove one of the two")
}

impl<'t> Sides<'t> {
    fn of(tied: &'t TiedFiles<'_>, id: Id) -> Self {
        let (object, made) = (tied.object(id), tied.conversion(id));
        let own = object.namespace.as_deref();
        let version = made.and_then(|made| made.value.text("apiVersion"));
        Self {
            kinds: [&object.kind, made.map_or(&object.kind, |made| &made.kind)],
            versions: [
                object.api_version.clone(),
                version.map_or_else(|| object.api_version.clone(), ApiVersion::parse),
            ],
            namespaces: [own, made.map_or(own, Conversion::namespace)],
        }
    }

    fn is_changed(&self) -> bool {
        self.kinds[0] != self.kinds[1]
            || self.versions[0] != self.versions[1]
            || self.namespaces[0] != self.namespaces[1]
    }

    fn in_folder(&self, tied: &TiedFiles<'_>, id: Id) -> [Namespace; 2] {
        let file = &tied.manifest(id).file;
        [0, 1].map(|side| tied.run.namespaces().of(file, self.kinds[side], self.namespaces[side]))
    }

    fn in_build(&self, tied: &TiedFiles<'_>, given: Option<&str>) -> [Namespace; 2] {
        [0, 1].map(|side| tied.run.namespaces().in_build(self.kinds[side], self.namespaces[side], given))
    }
}

impl Placed<'_> {
    /// Returns whether it becomes one with another object of the place, and was not before.
    fn merges_with(&self, other: &Self, place: Place<'_>) -> bool {
        let is_renamed =
            |one: &Self| one.sides.kinds[0] != one.sides.kinds[1] || one.namespaces[0] != one.namespaces[1];
        let [is_one_before, is_one_after] = [0, 1].map(|side| {
            self.sides.kinds[side] == other.sides.kinds[side] && self.namespaces[side] == other.namespaces[side]
        });
        let [had_version, has_version] = [0, 1].map(|side| self.sides.versions[side] == other.sides.versions[side]);
        match is_renamed(self) {
            true => is_one_after && !is_one_before,
            false => {
                // In a folder, two versions are of two clusters.
                let is_build = matches!(place, Place::Build { .. });
                is_build && is_one_before && is_one_after && !had_version && has_version
            }
        }
    }
}

/// Returns the folder that a file is in.
pub(super) fn folder(file: &str) -> &str {
    file.rsplit_once('/').map_or("", |(folder, _)| folder)
}
