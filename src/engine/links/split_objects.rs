//! Which objects cannot become several, or one, because of what else there is in the run?
//!
//! What a part of an object becomes is an object like any other: patches of its source do not reach it, those of its own kind do, and
//! another one can have its name. An object that becomes a part of another one is removed, which holds only while that one is converted.

use std::collections::BTreeMap;

use super::name_conflicts::folder;
use super::steps::{Role, Step};
use super::survey::FileSurvey;
use super::tied_files::{Id, TiedFiles};
use crate::engine::convert::{Conversion, Documents, Remark, SplitOff};
use crate::engine::finding::{Code, Finding, Location};
use crate::engine::manifest::{Folder, Object, Selector, SelectorPart};
use crate::knowledge::lens::Namespace;
use crate::knowledge::release::GroupKind;
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
    if let Some(place) = made.split_off.iter().find_map(|part| patch_of_part(tied, id, part)) {
        let why = format!("the patch or replacement at {place} would be applied to that as well");
        let help = "limit what it selects by a name, or convert the object by hand";
        return Some(refused(&why, help));
    }
    made.split_off.iter().find_map(|part| conflict(tied, id, part))
}

/// Returns the place of what a kustomization or controller applies to objects of the kind that `part`, once a part of the object at `id`,
/// became.
fn patch_of_part(tied: &TiedFiles<'_>, id: Id, part: &SplitOff) -> Option<Location> {
    let (run, file) = (tied.run, &*tied.run.files[id.file].file);
    let name = tied.object(id).name.as_deref().unwrap_or_default();
    let is_kind = |kind: &GroupKind| *kind == part.kind || *kind == part.made.kind;
    let selects = |target: &Selector| {
        let is_named = |part: &SelectorPart| run.graph.names_after(name).iter().any(|name| part.is(name));
        [&part.kind, &part.made.kind].iter().any(|kind| target.selects_kind(kind))
            && target.name.as_ref().is_none_or(is_named)
    };
    let finds = |target: Option<&Selector>, survey: &FileSurvey, at: usize| match target {
        Some(target) => selects(target),
        None => {
            let (kind, own) = (&survey.objects[at].kind, survey.objects[at].name.as_deref().unwrap_or_default());
            is_kind(kind) && run.graph.names_before(own).contains(name)
        }
    };
    run.files.iter().filter(|host| host.is_host()).find_map(|host| {
        let has = |folder: Option<&Folder>| match folder {
            Some(folder) => run.graph.reach_of_folder(folder).has(file),
            None => run.graph.reach(&host.file).contains(file),
        };
        let of_files = host.rare().patches.iter().filter_map(|patch| {
            let survey = &run.files[run.number(&patch.file)?];
            let at = (0..survey.objects.len()).find(|at| finds(patch.target.as_ref(), survey, *at))?;
            Some((None, survey.location(at)))
        });
        let of_texts = host.objects.iter().enumerate().filter_map(|(at, object)| {
            let inline = host.inline_patch_of(object).filter(|_| object.is_inline_patch())?;
            finds(inline.target.as_ref(), host, at).then(|| (inline.folder.as_ref(), host.location(at)))
        });
        let is_applied = |step: &&Step| {
            !matches!(step.role, Role::Field | Role::Labels) && step.target.as_ref().is_some_and(selects)
        };
        let of_steps = host.rare().steps.iter().filter(is_applied);
        let of_steps = of_steps.map(|step| (step.folder.as_ref(), host.location(step.object)));
        of_files.chain(of_texts).chain(of_steps).find(|(folder, _)| has(*folder)).map(|(_, place)| place)
    })
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
