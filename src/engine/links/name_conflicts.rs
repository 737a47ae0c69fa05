//! Which objects get the kind, namespace and name of another object?

use std::collections::BTreeMap;

use super::tied_files::{Id, TiedFiles};
use crate::engine::convert::Remark;
use crate::engine::finding::{Code, Finding};
use crate::engine::manifest::{Manifest, Object};
use crate::knowledge::lens::ObjectName;
use crate::syntax::field::{Entries, FieldPath};

/// Finds the objects whose kind, namespace or apiVersion changes and that become one with another object by that.
pub(crate) fn find(tied: &TiedFiles<'_>) -> Vec<(Id, Finding)> {
    // An object alone becomes one with no other: so it is in most groups.
    if tied.objects().nth(1).is_none() {
        return Vec::new();
    }
    let mut found = by_name(tied);
    found.extend(by_version(tied));
    found
}

/// Finds the objects that get the apiVersion of another object of their kind, namespace and name, where one kustomization builds both:
/// that fails for objects of one apiVersion.
fn by_version(tied: &TiedFiles<'_>) -> Vec<(Id, Finding)> {
    let mut namesakes: BTreeMap<ObjectName, Vec<Id>> = BTreeMap::new();
    for (id, _, object) in tied.objects().filter(|(_, manifest, object)| is_whole(tied, manifest, object)) {
        if object.name.is_some() && tied.conversion(id).is_some_and(|made| !made.renames(object)) {
            namesakes.entry(tied.identity(id)).or_default().push(id);
        }
    }
    namesakes.retain(|_, ids| ids.len() > 1);
    let is_together = |one: Id, other: Id| tied.run.are_built_together(one.file, other.file);
    let before = |id: Id| tied.object(id).api_version.to_string();
    let after = |id: Id| {
        let made = tied.conversion(id).and_then(|made| made.value.text("apiVersion"));
        made.map_or_else(|| before(id), str::to_owned)
    };
    let mut found = Vec::new();
    for ids in namesakes.into_values() {
        for id in ids.iter().copied().filter(|id| before(*id) != after(*id)) {
            let merges = |other: &&Id| before(**other) != before(id) && after(**other) == after(id);
            let Some(other) = ids.iter().filter(merges).find(|other| is_together(id, **other)) else { continue };
            let message = format!(
                "after the conversion it has the same apiVersion and name as the object at {}, which one kustomization builds too",
                tied.location(*other)
            );
            let help = "rename or remove one of the two";
            let path = FieldPath::default().key("metadata").key("name");
            let remark = Remark::new(Code::NameConflict, path, message).help(help);
            found.push(tied.held(id, &remark));
        }
    }
    found
}

/// Returns whether an object is no patch.
fn is_whole(tied: &TiedFiles<'_>, manifest: &Manifest, object: &Object) -> bool {
    !tied.is_patch_file(&manifest.file) && object.inline_patch.is_none()
}

/// Finds the objects whose kind or namespace changes and whose new kind, namespace and name another object has.
fn by_name(tied: &TiedFiles<'_>) -> Vec<(Id, Finding)> {
    let renamed = renamed(tied);
    let mut owners = owners(tied, &renamed);
    let mut found = Vec::new();
    for (name, ids) in renamed {
        let owners = owners.remove(&name).unwrap_or_default();
        for id in &ids {
            let (manifest, object) = (tied.manifest(*id), tied.object(*id));
            // Objects that had one name before, in other files of an overlay, had it all along.
            let others = ids.iter().filter(|other| tied.namespace(**other) != tied.namespace(*id));
            let others = others.copied();
            // Objects in different folders can belong to different clusters or overlays, unless one kustomization builds both.
            let is_near = |other: &Id| {
                folder(&tied.manifest(*other).file) == folder(&manifest.file)
                    || tied.run.are_built_together(id.file, other.file)
            };
            let Some(other) = owners.iter().copied().chain(others).find(is_near) else { continue };
            let place = tied.location(other);
            let what = if object.kind == name.0 { "namespace" } else { name.0.kind.as_str() };
            let message = match object.kind == name.0 {
                true => format!("after the conversion it has the same {what} and name as the object at {place}"),
                false => format!("after the conversion it has the same name as the {what} at {place}"),
            };
            let help = "rename or remove one of the two";
            let path = FieldPath::default().key("metadata").key("name");
            let remark = Remark::new(Code::NameConflict, path, message).help(help);
            found.push(tied.held(*id, &remark));
        }
    }
    found
}

/// Returns the objects whose kind or namespace changes, by their new kind, namespace and name.
fn renamed(tied: &TiedFiles<'_>) -> BTreeMap<ObjectName, Vec<Id>> {
    let mut renamed: BTreeMap<ObjectName, Vec<Id>> = BTreeMap::new();
    for (id, manifest, object) in tied.objects().filter(|(_, manifest, object)| is_whole(tied, manifest, object)) {
        let conversion = tied.conversion(id).filter(|conversion| conversion.renames(object));
        if let Some(conversion) = conversion.filter(|_| object.name.is_some()) {
            let namespace = tied.run.namespaces().of(&manifest.file, &conversion.kind, conversion.namespace());
            renamed.entry((conversion.kind.clone(), namespace, object.name.clone())).or_default().push(id);
        }
    }
    renamed
}

/// Returns the objects that have one of these names before and after the run, in its order.
fn owners(tied: &TiedFiles<'_>, names: &BTreeMap<ObjectName, Vec<Id>>) -> BTreeMap<ObjectName, Vec<Id>> {
    let mut owners: BTreeMap<ObjectName, Vec<Id>> = BTreeMap::new();
    if names.is_empty() {
        return owners;
    }
    for (id, manifest, object) in tied.objects() {
        let keeps_name = tied.conversion(id).is_none_or(|made| !made.renames(object));
        if keeps_name && object.inline_patch.is_none() && !tied.is_patch_file(&manifest.file) {
            let name = tied.identity(id);
            if names.contains_key(&name) {
                owners.entry(name).or_default().push(id);
            }
        }
    }
    owners
}

/// Returns the folder that a file is in.
pub(super) fn folder(file: &str) -> &str {
    file.rsplit_once('/').map_or("", |(folder, _)| folder)
}
