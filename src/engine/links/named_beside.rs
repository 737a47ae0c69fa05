//! What stands beside a reference that is updated, and names fields of what it names as they were before?
//!
//! Policies, health checks and metrics name a kind by its apiVersion, and beside it, in patches, paths or expressions, fields of its
//! objects. The reference follows its objects; what is beside it is in no form that is converted, and is reported.
//!
//! Invariant: nothing here changes anything.

use serde_json::Value;

use super::ignored_paths::{self, changes, outermost};
use super::named_fields::NamedFields;
use super::selectors::ReadByKustomize;
use crate::engine::convert::{Beside, Reference, Remark, Targets, each_named};
use crate::engine::finding::Code;
use crate::engine::manifest::Object;
use crate::knowledge::pack::Target;
use crate::syntax::field::{FieldPath, Step};

/// Reports the fields that stand beside the references of `object` which are others in `new`, what becomes of it.
pub(super) fn remarks(object: &Object, new: &Value, targets: &Targets<'_>) -> Vec<Remark> {
    // Of most objects nothing is updated.
    if *new == *object.value {
        return Vec::new();
    }
    let carriers = targets.goal.packs.carriers();
    let mut read = ReadByKustomize::of(object, carriers);
    let mut found = Vec::new();
    if matches!(read, ReadByKustomize::All) {
        // Of an object that has a controller run Kustomize, it reads the patches alone.
        if carriers.of_kind(&object.kind).all(|carrier| carrier.folder.is_none()) {
            return found;
        }
        read = ReadByKustomize::lists(object, carriers);
    }
    let decided = ignored_paths::entries(object, carriers);
    each_named(&object.value, &mut |at, named| {
        let Some(reference) = named.reference(at.path(), |_| None) else { return };
        let path = &reference.path;
        let is_updated = || path.get(new).is_some_and(|now| path.get(&object.value) != Some(now));
        let is_apart = || read.has(path) || decided.contains(path) || reference.beside == Beside::Object;
        if is_updated() && !is_apart() {
            found.extend(remark(&reference, object, targets));
        }
    });
    found
}

/// Reports what stands beside one reference of `object`.
fn remark(reference: &Reference<'_>, object: &Object, targets: &Targets<'_>) -> Option<Remark> {
    let (path, kind) = (&reference.path, &reference.kind);
    let named = NamedFields::at(beside(path, &object.value)?, targets.goal.catalog_of(&object.kind));
    let mut what = outermost(&changes(targets, &|one| one == kind, &named));
    if let Some(target) = targets.goal.target_of(&kind.group) {
        what.extend(meanings(target, reference, &named));
    }
    if what.is_empty() {
        return None;
    }
    let what = what.into_iter().collect::<Vec<_>>().join(", and ");
    let message = format!(
        "{path} names {} and is updated, and what stands beside it is not, which can name fields that change: {what} after the conversion",
        kind.kind
    );
    let help = "look at what stands beside it, and change it by hand where it is about these fields";
    Some(Remark::new(Code::ReferenceNotUpdated, path.clone(), message).help(help))
}

/// Returns what stands in the mapping of a reference besides, and in the one that this is in, alone or as an item of a list.
fn beside<'v>(path: &FieldPath, value: &'v Value) -> Option<Vec<(FieldPath, &'v Value)>> {
    let names = ["apiVersion", "apiGroup", "group", "version", "kind", "name", "namespace"];
    let own = path.get(value)?.as_object()?.iter().filter(|(key, _)| !names.contains(&key.as_str()));
    let around = path.steps().iter().rposition(|step| matches!(step, Step::Key(_))).filter(|around| *around > 0)?;
    let (outer, step) = (FieldPath::new(path.steps()[..around].iter().cloned()), &path.steps()[around]);
    let is_other = |name: &String| !matches!(step, Step::Key(own) if own == name);
    let others = outer.get(value)?.as_object()?.iter().filter(|(name, _)| is_other(name));
    let own = own.map(|(key, value)| (path.key(key), value));
    Some(own.chain(others.map(|(key, value)| (outer.key(key), value))).collect())
}

/// Says which fields in no manifest mean something else at the target than in a release that has the version of the reference.
fn meanings(target: &Target<'_>, reference: &Reference<'_>, named: &NamedFields) -> Vec<String> {
    let (pack, line) = (target.pack, target.pack.line());
    let Some((catalog, version)) = pack.catalog(&reference.kind).zip(reference.version.as_deref()) else {
        return Vec::new();
    };
    let order = |release| line.get(release).order;
    let is_newer = |release, bundle: usize| order(release) >= bundle;
    let notes = pack.release_notes().undetectable.iter().filter(|note| note.kinds.contains(&reference.kind));
    let crossed = notes.filter(|note| {
        let to = is_newer(target.release, note.order);
        catalog.listing(version).iter().any(|release| is_newer(release, note.order) != to)
    });
    let named_in = crossed.filter_map(|note| Some((note, note.fields.iter().find(|field| named.can_name(field))?)));
    named_in.map(|(note, field)| format!(".{field} is not as before {}, where {},", note.bundle, note.change)).collect()
}
