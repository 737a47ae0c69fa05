//! Which objects cannot become several, or one, because of what else there is in the run?
//!
//! What a part of an object becomes is an object like any other: patches of its source do not reach it, and another one can have its
//! name. An object that becomes a part of another one is removed, which holds only while that one is converted.

use std::collections::BTreeMap;

use super::name_conflicts::folder;
use super::tied_files::{Id, TiedFiles};
use crate::engine::convert::{Conversion, Documents, Remark, SplitOff};
use crate::engine::finding::{Code, Finding};
use crate::engine::manifest::Object;
use crate::knowledge::lens::Namespace;
use crate::syntax::field::FieldPath;

/// Finds the objects that become parts of others, each with the one that it becomes a part of.
pub(crate) fn parts(tied: &TiedFiles<'_>) -> BTreeMap<Id, Id> {
    claims(tied).collect()
}

/// Finds the same, with each object that it may become a part of.
fn claims(tied: &TiedFiles<'_>) -> impl Iterator<Item = (Id, Id)> {
    let whole = |(id, _, _): (Id, _, _)| Some((id, tied.conversion(id).filter(|made| made.blocks.is_empty())?));
    tied.objects().filter_map(whole).flat_map(|(id, made)| made.taken_in.iter().map(move |part| (*part, id)))
}

/// Returns what becomes of `object`, which becomes a part of the object `whole`.
pub(crate) fn removed(tied: &TiedFiles<'_>, object: &Object, whole: Id) -> Conversion {
    let title = tied.object(whole).title();
    let message = format!("it becomes a part of {title}, and is removed");
    let (kind, _) = Conversion::kind_and_value(tied.conversion(whole), tied.object(whole));
    Conversion {
        kind: kind.clone(),
        is_removed: true,
        notes: vec![Remark::new(Code::ObjectSplit, FieldPath::default(), message)],
        ..Conversion::unchanged(object)
    }
}

/// Finds the objects that cannot become several, or one.
pub(crate) fn find(tied: &TiedFiles<'_>, documents: Documents) -> Vec<(Id, Finding)> {
    let claims: Vec<(Id, Id)> = claims(tied).collect();
    let changing = tied.objects().filter_map(|(id, _, _)| Some((id, tied.conversion(id)?)));
    let changing = changing.filter(|(_, made)| !made.split_off.is_empty() || !made.taken_in.is_empty());
    let found = changing.filter_map(|(id, made)| Some(tied.held(id, &objection(tied, id, made, &claims, documents)?)));
    found.collect()
}

/// Returns why an object, which became `made`, cannot become several, or one.
fn objection(
    tied: &TiedFiles<'_>,
    id: Id,
    made: &Conversion,
    claims: &[(Id, Id)],
    documents: Documents,
) -> Option<Remark> {
    let becomes = match made.split_off.first() {
        Some(part) => format!("a part of it becomes an object of its own, of kind {}", part.kind.kind),
        None => "another object becomes a part of it".to_owned(),
    };
    let refused = |why: &str, help: &str| {
        Remark::new(Code::NotConvertible, FieldPath::default(), format!("{becomes}; {why}")).help(help)
    };
    if let Some(why) = documents.objection() {
        return Some(refused(why, "convert it by hand"));
    }
    if claims.iter().any(|(part, whole)| *whole != id && made.taken_in.contains(part)) {
        return Some(refused("two objects have its name", "remove one of the two"));
    }
    let is_patched = |of: &Id| tied.applications.iter().any(|one| one.base == *of);
    if is_patched(&id) || made.taken_in.iter().any(is_patched) {
        let why = "a kustomization patches it, and what is patched belongs to one object before and to another one afterwards";
        let help = "convert the object and its patches by hand, and compare the output of `kustomize build`";
        return Some(refused(why, help));
    }
    made.split_off.iter().find_map(|part| conflict(tied, id, part))
}

/// Returns which object of the run has the name of what `part`, once a part of the object at `id`, became.
fn conflict(tied: &TiedFiles<'_>, id: Id, part: &SplitOff) -> Option<Remark> {
    let (file, name) = (&tied.run.files[id.file].file, tied.object(id).name.as_deref());
    let is_near = |other: &str| folder(other) == folder(file) || tied.builds().take_in_both(file, other);
    let namespace = |other: Id| -> Namespace { tied.run.namespace(other) };
    let all = tied.run.files.iter().enumerate().filter(|(_, other)| is_near(&other.file));
    let others = all.flat_map(|(file, other)| (0..other.objects.len()).map(move |at| Id { file, at }));
    let has_its_name = |other: &Id| {
        let object = &tied.run.files[other.file].objects[other.at];
        let is_of_kind = object.kind == part.kind || object.kind == part.made.kind;
        let is_same = || namespace(*other).same_as(&namespace(id)) != Some(false);
        is_of_kind && object.name.as_deref() == name && !tied.run.is_patch(*other) && is_same()
    };
    let other = others.into_iter().find(has_its_name)?;
    let survey = &tied.run.files[other.file];
    let kind = &part.made.kind.kind;
    let message = format!(
        "a part of it would become the {kind} {}, which there is already at {}",
        name.unwrap_or_default(),
        survey.location(other.at)
    );
    let path = FieldPath::default().key("metadata").key("name");
    Some(
        Remark::new(Code::NameConflict, path, message)
            .help("rename or remove one of the two, or convert the object by hand"),
    )
}
