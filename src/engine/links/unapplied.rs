//! What must a person do about patches and replacements that are applied to no known object of the run?
//!
//! What they select is elsewhere: a chart renders it, or a kustomization takes it in from another repository. Nothing shows whether it
//! is converted, so their paths stay. Where a rule towards the target moves a field that they name, its new path is reported.
//! A strategic merge patch of an object that a kustomization gets from elsewhere is held back.

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::applications::{Application, InstructionRef, Unmade};
use super::data_patches;
use super::ignored_paths::{all_kinds, moved as moved_to};
use super::instruction::{Instruction, NamingText};
use super::json_patch;
use super::patches::only_changes_version;
use super::path_expression::PathExpression;
use super::steps::Role;
use super::tied_files::{Id, TiedFiles};
use crate::engine::convert::{ObjectContext, Remark, Targets, by_foreign_rules};
use crate::engine::finding::{Code, Finding, Severity};
use crate::engine::manifest::{
    Document, NestedPatch, Object, Outermost, Recognizer, Selector, SelectorPart, mentioning_operations,
    outermost_patches,
};
use crate::knowledge::lens::{Completeness, Context, Image};
use crate::knowledge::pack::Target;
use crate::knowledge::release::{ApiVersion, GroupKind};
use crate::syntax::field::{Entries, FieldPath};

/// Reports what is applied to no known object, by the object that holds it.
pub(crate) fn findings(tied: &TiedFiles<'_>, unmade: &[Unmade], others: &Context<'_>) -> BTreeMap<Id, Vec<Finding>> {
    let goal = tied.targets.goal;
    let recognizer = LazyCell::new(|| {
        let packs = goal.packs.concerned_by(&goal.targets);
        let groups = packs.iter().flat_map(|pack| pack.groups()).map(String::as_str);
        Recognizer::new(groups).with_kinds(packs.iter().flat_map(|pack| pack.kinds()).map(|kind| kind.kind.as_str()))
    });
    let made = tied.applications.iter().map(|one| (one.instruction.position, &one.instruction.place));
    let made: BTreeSet<(Id, &FieldPath)> = made.collect();
    let mut found: BTreeMap<Id, Vec<Finding>> = BTreeMap::new();
    let mut add = |id: Id, remark: Remark, severity: Severity| {
        let finding = remark.finding(tied.manifest(id), tied.object(id), severity);
        let findings = found.entry(id).or_default();
        if !findings.contains(&finding) {
            findings.push(finding);
        }
    };
    // An object of a foreign kind is read only where it shows what a rule is about.
    let foreign: Vec<&GroupKind> = goal.targets.iter().flat_map(|target| target.pack.foreign_kinds()).collect();
    let selects_foreign = |one: &Unmade| {
        let is_foreign = |name: &str| foreign.iter().any(|kind| kind.kind == name);
        one.target.as_ref().is_some_and(|target| target.is_limited(&is_foreign))
    };
    let mut told = BTreeSet::new();
    for unmade in unmade {
        let Unmade { instruction, target, .. } = unmade;
        let id = instruction.position;
        if made.contains(&(id, &instruction.place)) {
            continue;
        }
        let target = target.as_ref().filter(|_| unmade.is_unseen || selects_foreign(unmade));
        let moved = target.map_or_else(Vec::new, |target| moved(tied.targets, &tied.object(id).value, unmade, target));
        let written = moved.is_empty().then(|| writes_outdated(tied, unmade, others)).flatten();
        // Where it breaks what is built, nothing else would say so.
        for remark in moved.into_iter().chain(written) {
            told.insert((id, remark.path.clone()));
            add(id, remark, Severity::Held);
        }
    }
    let is_made = |id: Id, place: &FieldPath| made.contains(&(id, place));
    for (id, remark, severity) in inside_patches(tied, &is_made, others) {
        add(id, remark, severity);
    }
    for (id, manifest, object) in tied.objects() {
        let json_patches = manifest.data_patches.iter().filter(|data| data.is_json);
        let places =
            json_patches.filter_map(|data| Some((object.path_of(data.document, &data.place)?, data.target.as_ref())));
        let inline = object.inline_patch.and_then(|number| manifest.inline_patches[number].target.as_ref());
        let own = (object.read_from == Document::JsonPatch).then(|| (FieldPath::default(), inline));
        for (place, target) in places.chain(own).filter(|(place, _)| !made.contains(&(id, place))) {
            let operations = place.items(&object.value);
            // The target is about the object whose apiVersion is written.
            let is_selected = |kind: &GroupKind| target.is_none_or(|target| target.selects_kind(kind));
            let is_own = |text: &str| {
                operations.iter().any(|one| one.text("path") == Some("/apiVersion") && one.text("value") == Some(text))
            };
            let have = |text: &str| tied.targets.have(text, &|kind| !is_own(text) || is_selected(kind));
            for index in mentioning_operations(operations, &recognizer, &have) {
                let path = operations[index].text("path").unwrap_or_default();
                let message = format!("a JSON patch writes a known group or kind to {path}; it is not converted");
                let help = "check by hand that the path, group and kind match the target release of the patched object";
                let remark = Remark::new(Code::PatchTarget, place.index(index).key("value"), message).help(help);
                if !told.contains(&(id, remark.path.clone())) {
                    add(id, remark, Severity::Unresolved);
                }
            }
        }
    }
    let held: Vec<_> =
        unserved_data(tied, unmade).map(|data| (data.instruction.position, &data.instruction.place)).collect();
    for (id, place) in data_patches::outdated(tied, others) {
        if !held.contains(&(id, &place)) {
            let message = "a patch of a known object is written as data instead of text; it is not converted";
            add(id, Remark::new(Code::InlinePatch, place, message).help(AS_TEXT), Severity::Unresolved);
        }
    }
    found
}

/// Reports the patches inside patches that are applied to no known object and would have to be converted, by the object that each stands in.
fn inside_patches(
    tied: &TiedFiles<'_>,
    is_made: &dyn Fn(Id, &FieldPath) -> bool,
    others: &Context<'_>,
) -> Vec<(Id, Remark, Severity)> {
    let mut found = Vec::new();
    for (file, manifest) in tied.files() {
        for Outermost { object: at, inside, .. } in outermost_patches(manifest) {
            let id = Id { file, at };
            for NestedPatch { place, target, patch, .. } in inside.iter().filter(|one| !is_made(id, &one.place)) {
                let said = Instruction { role: Role::JsonPatch, data: patch, source: None };
                let moved = moved_paths(tied.targets, &said, target).into_iter();
                found.extend(moved.map(|remark| (id, Remark { path: place.clone(), ..remark }, Severity::Held)));
                if said.operations().is_empty() && data_patches::is_outdated(tied, id, patch, others) {
                    let message = "a patch of a known object stands inside this patch; it is not converted";
                    let help = "change it by hand, together with the object that it is merged into";
                    let remark = Remark::new(Code::InlinePatch, place.clone(), message).help(help);
                    found.push((id, remark, Severity::Unresolved));
                }
            }
        }
    }
    found
}

/// Returns whether there may be something to report about one of `unmade`, of which none stands in or is a known object.
pub(crate) fn may_concern(targets: &Targets<'_>, unmade: &[Unmade]) -> bool {
    unmade.iter().filter_map(|one| one.target.as_ref()).any(|target| selected(targets, target).next().is_some())
}

/// How a patch that is written as data is converted.
const AS_TEXT: &str = "write it as a text under the key `patch` of an item of `patches`, then run again";

/// Returns the JSON patches that may be applied to objects that are not known too. A replacement has paths of its own for each target.
pub(crate) fn elsewhere(unmade: &[Unmade]) -> Vec<InstructionRef> {
    let is_shared = |one: &&Unmade| one.is_open && one.instruction.role == Role::JsonPatch;
    unmade.iter().filter(is_shared).map(|one| one.instruction.clone()).collect()
}

/// Returns the places of the targets, by the object that they stand in, of the inline patches that `findings` say are not converted: what
/// such a patch is applied to is not known, and its target stays with it.
pub(crate) fn targets_that_stay(
    tied: &TiedFiles<'_>,
    findings: &BTreeMap<Id, Vec<Finding>>,
) -> BTreeMap<Id, Vec<FieldPath>> {
    let is_held = |found: &&Vec<Finding>| found.iter().any(|finding| finding.severity >= Severity::Held);
    let mut targets: BTreeMap<Id, Vec<FieldPath>> = BTreeMap::new();
    for (id, _) in findings.iter().filter(|(_, found)| is_held(found)) {
        let (manifest, object) = (tied.manifest(*id), tied.object(*id));
        let Some(inline_patch) = object.inline_patch.map(|number| &manifest.inline_patches[number]) else { continue };
        let Some((at, holder)) = manifest.holder(inline_patch.document, &inline_patch.place) else { continue };
        let place = holder.path_of(inline_patch.document, &inline_patch.place);
        if let Some((entry, _)) = place.as_ref().and_then(FieldPath::split_last) {
            targets.entry(Id { at, ..*id }).or_default().push(entry.key("target"));
        }
    }
    targets
}

/// Returns the strategic merge patches that would change, and whose objects Kustomize gets from elsewhere: with another apiVersion than
/// these, or other fields, they would not be merged as before.
pub(crate) fn held(tied: &TiedFiles<'_>, unmade: &[Unmade]) -> Vec<(Id, Finding)> {
    // Beside a target, the apiVersion of a patch says nothing.
    let goes_alone = |one: &Unmade| one.target.is_some() && only_changes_version(tied, one.instruction.position);
    let is_merge = |one: &&Unmade| one.instruction.role == Role::Merge && !goes_alone(one);
    let made: BTreeSet<_> = tied.applications.iter().map(|one| one.instruction.position).collect();
    let ids = unmade.iter().filter(is_merge).map(|one| one.instruction.position).filter(|id| !made.contains(id));
    let finding = |id: Id| {
        let message = "the object that it is merged into is not known to this run: its file is not among those of the run, or mentions nothing that is converted";
        let help = "convert the patch by hand together with that object, or run on its file too";
        let (path, help) = (FieldPath::default(), Some(help.to_owned()));
        let remark = Remark::new(Code::ConvertsTogether, path, message).maybe_help(help);
        tied.held(id, &remark)
    };
    let patches = ids.filter(|id| tied.is_changed(*id)).map(finding);
    patches.chain(holders_of_data(tied, unmade)).collect()
}

/// Reports the objects that would change and hold a strategic merge patch as data, for a version that the target does not serve: written as
/// a text, it would be a patch that the next run converts.
fn holders_of_data(tied: &TiedFiles<'_>, unmade: &[Unmade]) -> Vec<(Id, Finding)> {
    let held = |UnservedData { instruction, version, target }: UnservedData<'_, '_>| {
        let message = format!(
            "a patch is written as data, for version {version}, which {target} does not serve; it is not converted, nor is what holds it"
        );
        let remark = Remark::new(Code::InlinePatch, instruction.place.clone(), message).help(AS_TEXT);
        tied.held(instruction.position, &remark)
    };
    unserved_data(tied, unmade).map(held).collect()
}

/// A strategic merge patch that is written as data, for a version that the target does not serve.
struct UnservedData<'u, 'g> {
    instruction: &'u InstructionRef,
    version: String,
    target: &'g Target<'g>,
}

/// Finds such patches that are applied to no known object, in objects that would change.
fn unserved_data<'u, 'g>(tied: &'u TiedFiles<'g>, unmade: &'u [Unmade]) -> impl Iterator<Item = UnservedData<'u, 'g>> {
    let is_made = |one: &InstructionRef| tied.applications.iter().any(|made: &Application| made.instruction == *one);
    let unserved = move |Unmade { instruction, .. }: &'u Unmade| {
        let id = Some(instruction.position).filter(|id| tied.is_changed(*id) && !is_made(instruction))?;
        let patch = instruction.place.get(&tied.object(id).value)?;
        let ApiVersion { group, version } = ApiVersion::parse(patch.text("apiVersion")?);
        let target = tied.targets.not_serving(&GroupKind::new(patch.text("kind")?, group), &version)?;
        Some(UnservedData { instruction, version, target })
    };
    unmade.iter().filter(|one| one.instruction.role == Role::Unknown).filter_map(unserved)
}

/// Reports the paths of an instruction that rules about what it selects move.
fn moved(targets: &Targets<'_>, object: &Value, unmade: &Unmade, target: &Selector) -> Vec<Remark> {
    let instruction = &unmade.instruction;
    let data = instruction.place.get(object).unwrap_or(&Value::Null);
    let said = Instruction { role: instruction.role, data, source: None };
    let in_object = |remark: Remark| Remark { path: instruction.place.join(&remark.path), ..remark };
    let mut remarks: Vec<Remark> = moved_paths(targets, &said, target).into_iter().map(in_object).collect();
    let has_rules = || {
        let about = |(target, kind): &(&Target<'_>, &GroupKind)| {
            target.pack.rules_to(target.release).any(|(rule, direction)| rule.from_kind(direction) == *kind)
        };
        selected(targets, target).any(|one| about(&one))
    };
    // An object of the run that is not read needs no conversion.
    if instruction.role == Role::Unread && unmade.is_unseen && has_rules() {
        let message = "the file of the patch is not read, and it selects no object of this run; it is not converted";
        let help = "check its field paths by hand";
        let place = instruction.place.clone();
        remarks.push(Remark::new(Code::PatchTarget, place, message).help(help));
    }
    remarks
}

/// Reports the paths in an instruction for what `target` selects, with their places in it.
fn moved_paths(targets: &Targets<'_>, said: &Instruction<'_>, target: &Selector) -> Vec<Remark> {
    let selected: Vec<_> = selected(targets, target).collect();
    let mut remarks = Vec::new();
    for NamingText { place, text } in said.texts() {
        let Some(path) = PathExpression::parse(said.syntax(), text) else { continue };
        let pattern = path.pattern();
        let image = selected
            .iter()
            .find_map(|(target, kind)| Some((target, kind, moved_to(target, kind, &pattern).pop_first()?)));
        let Some((target, kind, image)) = image else { continue };
        let becomes = match image {
            Image::Moved(new) => format!("{path} is {new} of {} in {target}", kind.kind),
            _ => format!("{path} of {} does not exist in {target}", kind.kind),
        };
        let message = format!("it selects no object of this run, so that it is not converted; {becomes}");
        let help = "run on the files of these objects too, or change the path by hand where they are converted";
        remarks.push(Remark::new(Code::PatchTarget, place, message).help(help));
    }
    remarks
}

/// Reports the first operation of a JSON patch that writes to objects of a foreign kind, which need not be read for anything else, what a
/// rule about these refuses or changes. What depends on more than the patch writes is not known.
fn writes_outdated(tied: &TiedFiles<'_>, unmade: &Unmade, others: &Context<'_>) -> Option<Remark> {
    let InstructionRef { position, place, role: Role::JsonPatch } = &unmade.instruction else { return None };
    let (operations, target) = (place.items(&tied.object(*position).value), unmade.target.as_ref()?);
    let context = ObjectContext::new(Completeness::Partial, tied.namespace(*position), tied.place(*position), others);
    let name = target.name.as_ref().and_then(SelectorPart::plain);
    let why = |kind: &GroupKind, operations: &[Value]| {
        let version = ApiVersion { group: kind.group.clone(), version: "v1".to_owned() };
        let object = json!({ "apiVersion": version.to_string(), "kind": kind.kind, "metadata": { "name": name } });
        let object = Object::from_value(0, FieldPath::default(), json_patch::written(operations, object))?;
        let made = by_foreign_rules(&object, tied.targets.goal, context)?;
        let refused = made.blocks.into_iter().find(|block| !block.is_open).map(|block| (block.message, block.help));
        refused.or_else(|| made.program.first().map(|_| ("that is converted in other objects".to_owned(), None)))
    };
    let kinds = tied.targets.goal.targets.iter().flat_map(|target| target.pack.foreign_kinds());
    for kind in kinds.filter(|kind| target.selects_kind(kind)) {
        let Some(_) = why(kind, operations) else { continue };
        let found = (0..operations.len()).find_map(|at| Some((at, why(kind, &operations[..=at])?)));
        let Some((at, (why, help))) = found else { continue };
        let (why, help) = match kind.kind.as_str() {
            "Secret" => ("details are not shown, since they could reveal what the Secret holds".to_owned(), None),
            _ => (why, help),
        };
        let message = format!(
            "it selects no {} that is known to this run, so that what it writes is not converted; {why}",
            kind.kind
        );
        let by_hand = || "change it by hand, together with the object that it is applied to".to_owned();
        let remark = Remark::new(Code::PatchTarget, place.index(at).key("value"), message);
        return Some(remark.help(help.unwrap_or_else(by_hand)));
    }
    None
}

/// Returns the kinds that the targets know or have rules about, and a selector selects.
fn selected<'g>(targets: &Targets<'g>, target: &Selector) -> impl Iterator<Item = (&'g Target<'g>, &'g GroupKind)> {
    let kinds = targets.goal.targets.iter().flat_map(|one| all_kinds(one).map(move |kind| (one, kind)));
    kinds.filter(move |(_, kind)| target.selects_kind(kind))
}
