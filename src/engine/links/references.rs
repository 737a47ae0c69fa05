//! What becomes of a reference, which names a kind or an object of it?
//!
//! It follows the object that it names to the kind and version that this gets. Where that is not in the run, or the files do not show
//! which of several it is, any version that the target serves will do, since the API server has each object in all of them: one that the target
//! does not serve, or has deprecated, becomes what objects get that nothing speaks against. One that names an object which is held back is kept; one without a name can be
//! about several objects, of which some keep their kind and some do not. The same holds for what a JSON patch writes into a reference.
//!
//! Invariant: where the files do not show which object a reference names, every object that it may name counts; of namesakes, the
//! nearest.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::held::Held;
use super::path_expression::{PathExpression, Syntax};
use super::selectors::ReadByKustomize;
use super::steps::Role;
use super::survey::ObjectSurvey;
use super::tied_files::{Id, TiedFiles};
use crate::engine::convert::{
    Beside, Conversion, Reference, Remark, Renames, Successor, each_named, impossible, normalized, update,
};
use crate::engine::finding::{Code, Finding, Severity};
use crate::engine::manifest::Object;
use crate::knowledge::lens::{Context, Namespace, ObjectPlace, ObjectView, some_of};
use crate::knowledge::release::{ApiVersion, GroupKind};
use crate::syntax::field::{Entries, FieldPath};

/// What JSON patches write into references, by the objects that they stand in.
#[derive(Default)]
pub(crate) struct PatchedReferences(BTreeMap<Id, Vec<Reference<'static>>>);

impl PatchedReferences {
    /// Finds the apiVersions that JSON patches write into references. The object that is patched shows the kind.
    pub(crate) fn new(tied: &TiedFiles<'_>) -> Self {
        let mut found: BTreeMap<Id, Vec<Reference<'_>>> = BTreeMap::new();
        for application in tied.applications.iter().filter(|one| one.instruction.role == Role::JsonPatch) {
            let (id, place) = (application.instruction.position, &application.instruction.place);
            let operations = place.items(&tied.object(id).value).iter();
            for (operation, index) in operations.zip(0..) {
                let written = written(operation, place.index(index), &tied.object(application.base).value);
                let all = found.entry(id).or_default();
                all.extend(written.filter(|one| all.iter().all(|other| other.path != one.path)));
            }
        }
        Self(found)
    }
}

/// Reads an operation of a JSON patch that stands at `place` and writes the apiVersion of a reference in `base`.
fn written(operation: &Value, place: FieldPath, base: &Value) -> Option<Reference<'static>> {
    let reference = PathExpression::parse(Syntax::Pointer, operation.text("path")?.strip_suffix("/apiVersion")?)?;
    let ApiVersion { group, version } = ApiVersion::parse(operation.text("value")?);
    // What it writes to the object itself follows what is built of that.
    let places = reference.places(base).into_iter().filter(|place| !place.steps().is_empty());
    let named = places.into_iter().find_map(|place| place.get(base)?.as_object())?;
    let part = |key: &str| named.get(key).and_then(Value::as_str).map(str::to_owned);
    let kind = GroupKind::new(part("kind")?, group);
    Some(Reference::written(place, "value", kind, version, part("name")))
}

/// Finds the objects that others name where no other group can be written than that of the field, each with one that names it: where that
/// one gets another group itself, its references have that group too. So both are converted, or none of the two.
pub(super) fn bound(tied: &TiedFiles<'_>) -> Vec<(Id, Id)> {
    let renamed = tied.objects().filter(|(_, _, object)| tied.targets.renames.contains_key(&object.kind));
    let naming = renamed.map(|(id, _, object)| (id, tied.targets.inexpressible(&object.value)));
    let naming: Vec<(Id, Vec<Reference<'_>>)> = naming.filter(|(_, references)| !references.is_empty()).collect();
    if naming.is_empty() {
        return Vec::new();
    }
    let (held, patched) = (Held::by_themselves(tied), PatchedReferences::default());
    let all = References::new(tied, &held, &patched);
    let bound = naming.iter().flat_map(|(id, references)| {
        let named: BTreeSet<Id> = references.iter().flat_map(|reference| all.named(reference, *id)).collect();
        named.into_iter().filter(move |named| named != id && tied.is_changed(*named)).map(|named| (named, *id))
    });
    bound.collect()
}

/// What decides about the references of a group of files, under an assumption of what is held back.
pub(crate) struct References<'r> {
    tied: &'r TiedFiles<'r>,
    held: &'r Held,
    patched: &'r PatchedReferences,
    /// The objects of known kinds; collected for the first reference that may have to follow one.
    objects: OnceCell<Context<'r>>,
}

/// What has to become of a reference.
enum Fate<'r> {
    /// It names this.
    Becomes(Successor),
    /// It is kept because of an object that is held back.
    Kept(&'r Object),
    /// It cannot follow; why, and what helps.
    Unknown { why: &'static str, help: &'static str },
}

impl<'r> References<'r> {
    pub(crate) const fn new(tied: &'r TiedFiles<'r>, held: &'r Held, patched: &'r PatchedReferences) -> Self {
        Self { tied, held, patched, objects: OnceCell::new() }
    }

    /// Updates the references of an object that became `made`.
    pub(crate) fn update(&self, id: Id, made: Option<Conversion>, findings: &mut Vec<Finding>) -> Option<Conversion> {
        let tied = self.tied;
        let (object, renames) = (tied.object(id), &tied.targets.renames);
        let (kind, value) = Conversion::kind_and_value(made.as_ref(), object);
        let inexpressible = tied.targets.inexpressible(value).into_iter();
        let stays = inexpressible.filter(|reference| self.kept_for(reference, id).is_none());
        let stays = stays.filter_map(|reference| without_key(reference, renames));
        let printed = self.printed(id, kind, value);
        let written = made.as_ref().map_or_else(Vec::new, |made| self.of_other_versions(id, made));
        findings
            .extend(stays.chain(printed).chain(written).map(|remark| tied.finding(id, &remark, Severity::Unresolved)));
        let mut references = self.outdated(id, kind, value);
        // The objects that a reference without a name is about leave their API with the object that leaves it.
        let left = (kind.group != object.kind.group).then(|| object.kind.group.clone());
        references
            .retain(|reference| !self.is_of_kustomize(reference, object) || renames.contains_key(&reference.kind));
        if references.is_empty() {
            return made.map(|made| self.together(object, made));
        }
        let leaves_too = |one: &Reference<'_>| one.name.is_none() && left.as_ref() == Some(&one.kind.group);
        let mut made = made.unwrap_or_else(|| Conversion::unchanged(object));
        let mut session = Conversion::session(Some(&made), object);
        let mut report = |remark: Remark| {
            let path = Conversion::origin(Some(&made), &remark.path);
            findings.push(tied.finding(id, &Remark { path, ..remark }, Severity::Unresolved));
        };
        let (mut notes, mut blocks) = (Vec::new(), Vec::new());
        for reference in references {
            let successor = match self.fate(&reference, id) {
                Some(Fate::Becomes(successor)) => successor,
                Some(Fate::Kept(held)) => match renames.get(&reference.kind) {
                    Some(successor) if leaves_too(&reference) => successor.clone(),
                    Some(_) => {
                        report(self.kept(&reference, held));
                        continue;
                    }
                    None => continue,
                },
                Some(Fate::Unknown { why, help }) => {
                    self.not_served(&reference, why, help).into_iter().for_each(&mut report);
                    continue;
                }
                None => continue,
            };
            match update(&reference, &successor, &mut session) {
                Ok(()) => {
                    let message = normalized(&reference, &successor);
                    notes.extend(message.map(|message| Remark::new(Code::Normalized, reference.path, message)));
                }
                Err(halt) => blocks.extend(impossible(halt)),
            }
        }
        made.notes.extend(notes);
        made.blocks.extend(blocks);
        Conversion::with_changes(Some(made), object, session).map(|made| self.together(object, made))
    }

    /// Holds back what `object` became where it is made to be about objects of another version than those of the kind that it names: it would
    /// be about none of them.
    fn together(&self, object: &Object, made: Conversion) -> Conversion {
        if made.program.is_empty() {
            return made;
        }
        let mut all: Vec<Reference<'_>> = Vec::new();
        each_named(&made.value, &mut |at, named| {
            let is_known =
                |one: &Reference<'_>| one.has_api_version() && self.tied.targets.known_kind(&one.kind).is_some();
            all.extend(named.reference(at.path(), |_| None).filter(is_known));
        });
        let (names, about): (Vec<_>, Vec<_>) = all.into_iter().partition(|one| one.name.is_some());
        let apart = about.iter().filter(|one| one.beside != Beside::Object).find_map(|one| {
            let other = names.iter().find(|other| other.kind == one.kind && other.version != one.version)?;
            let path = Conversion::origin(Some(&made), &one.version_path()?);
            let (old, new) = (path.text(&object.value)?, one.version.as_deref()?);
            let (kind, named) = (&one.kind.kind, Conversion::origin(Some(&made), &other.path));
            let message = format!(
                "{path} would be {new}, and {named} names a {kind} that stays in {}",
                other.version.as_deref()?
            );
            let help = format!("change the {kind} so that it can be {new}, or write both versions by hand");
            let is_changed = ApiVersion::parse(old).version != new;
            is_changed.then(|| Remark::new(Code::NotConvertible, path, message).help(help))
        });
        let blocks = made.blocks.iter().cloned().chain(apart).collect();
        Conversion { blocks, ..made }
    }

    /// Reports the references of an object that is held back to objects whose kind changes all the same.
    pub(crate) fn left(&self, id: Id) -> Vec<Finding> {
        let (tied, object) = (self.tied, self.tied.object(id));
        let references = tied.targets.references(&object.kind, &object.value);
        let left = references.into_iter().filter(|reference| self.kept_for(reference, id).is_none());
        let finding = |reference: Reference<'_>| {
            let what = reference.name.as_deref().unwrap_or("objects");
            let kind = &reference.kind.kind;
            let message = format!(
                "{} names {kind} {what}, whose kind changes; the reference is not updated, because its object is held back",
                reference.path
            );
            let remark = Remark::new(Code::ReferenceNotUpdated, reference.path, message);
            tied.finding(id, &remark, Severity::Unresolved)
        };
        left.map(finding).collect()
    }

    /// Returns the references that may have to follow in `value`, what became of an object of `kind`.
    fn outdated(&self, id: Id, kind: &GroupKind, value: &Value) -> Vec<Reference<'r>> {
        let file = &self.tied.manifest(id).file;
        let targets = self.tied.targets;
        let mut found: Vec<Reference<'r>> = targets.outdated_references(kind, value, file);
        for written in self.patched.0.get(&id).into_iter().flatten() {
            let version = written.version_in(value).filter(|version| Some(*version) == written.version.as_deref());
            found.extend(
                version.filter(|version| targets.is_outdated(&written.kind, version, file)).map(|_| written.clone()),
            );
        }
        found
    }

    /// Reports the references into which the conversion wrote a version that their object, which is of no known kind, does not have in its
    /// file.
    fn of_other_versions(&self, id: Id, made: &Conversion) -> Vec<Remark> {
        let (object, run, mut found) = (self.tied.object(id), self.tied.run, Vec::new());
        if made.program.is_empty() {
            return found;
        }
        each_named(&made.value, &mut |at, named| {
            let Some(reference) = named.reference(at.path(), |_| None) else { return };
            let (Some(version), Some(name)) = (&reference.version, &reference.name) else { return };
            let before = Conversion::origin(Some(made), &reference.path);
            let was_written = before.get(&object.value).is_some_and(|before| before.text("apiVersion").is_some());
            if was_written || self.tied.targets.goal.catalog_of(&reference.kind).is_some() {
                return;
            }
            let is_it = |one: &&ObjectSurvey| one.kind == reference.kind && one.name.as_ref() == Some(name);
            let named = run.files.iter().flat_map(|file| &file.objects).filter(is_it);
            let versions: BTreeSet<&str> = named.map(|one| one.api_version.version.as_str()).collect();
            if versions.is_empty() || versions.contains(version.as_str()) {
                return;
            }
            let (versions, kind) = (Vec::from_iter(versions).join(", "), &reference.kind.kind);
            let message =
                format!("{} names {kind} {name} by the version {version}, and its file has {versions}", reference.path);
            let help = "write the version that its file has into the reference, by hand";
            found.push(Remark::new(Code::ReferenceNotUpdated, before, message).help(help));
        });
        found
    }

    /// Returns whether a mapping of `object` is a selector of Kustomize, which compares versions exactly.
    fn is_of_kustomize(&self, reference: &Reference<'_>, object: &Object) -> bool {
        !reference.has_api_version()
            && ReadByKustomize::of(object, self.tied.targets.goal.packs.carriers()).has(&reference.path)
    }

    /// Reports the references of which actions of a template print a part, and which name what the target does not serve where the users of
    /// the chart set nothing.
    fn printed(&self, id: Id, kind: &GroupKind, value: &Value) -> Vec<Remark> {
        let (open, targets) = (self.tied.place(id).open, self.tied.targets);
        let mut found: BTreeMap<FieldPath, Remark> = BTreeMap::new();
        for printed in open.data_by_default(value) {
            for reference in self.outdated(id, kind, &printed) {
                let path = reference.version_path().unwrap_or_else(|| reference.path.clone());
                let kind_of = |data| Some(reference.path.get(data)?.get("kind"));
                let is_written = path.get(value).is_none()
                    || kind_of(value) == kind_of(&printed)
                        && (path == reference.path || path.get(value) == path.get(&printed));
                let is_served =
                    || reference.version.as_deref().is_some_and(|version| targets.serves(&reference.kind, version));
                if is_written || is_served() {
                    continue;
                }
                let named = match &reference.version {
                    Some(version) => format!("is version {version} of {}", reference.kind.kind),
                    None => format!("names {} of {}", reference.kind.kind, reference.kind.group),
                };
                let message =
                    format!("{path} {named} where the users of the chart set nothing, which the target does not serve");
                let help = "write by hand what the object has after the conversion, in the template or in the values of the chart";
                let remark = Remark::new(Code::ReferenceNotUpdated, path.clone(), message).help(help);
                found.insert(path, remark);
            }
        }
        found.into_values().collect()
    }

    /// Decides about a reference of the object `id`.
    fn fate(&self, reference: &Reference<'_>, id: Id) -> Option<Fate<'r>> {
        let targets = self.tied.targets;
        let has_body = reference.version.is_some() && reference.beside != Beside::Names;
        if has_body && !self.is_of_kustomize(reference, self.tied.object(id)) {
            // An embedded object names nothing.
            let is_object = reference.beside == Beside::Object && reference.has_api_version();
            let why = "what stands beside it can be part of such an object";
            let help = "write the version that the object has after the conversion, and convert what stands beside it, by hand";
            return (!is_object).then_some(Fate::Unknown { why, help });
        }
        if let Some(held) = self.kept_for(reference, id) {
            return Some(Fate::Kept(held));
        }
        let become_one = || {
            let mut made = self.named(reference, id).into_iter().filter_map(|id| self.made(id));
            let first = made.next()?;
            made.all(|other| other == first).then_some(first)
        };
        let by_policy = || {
            let file = &self.tied.manifest(id).file;
            let renamed = targets.renames.get(&reference.kind);
            let version = reference.version.as_deref();
            let outdated = version.filter(|one| renamed.is_some() || !targets.is_current(&reference.kind, one));
            let successor = outdated.and_then(|version| targets.successor(&reference.kind, version, file));
            successor.or_else(|| renamed.cloned())
        };
        let why = "no release has that version";
        let help = "write the version that the object has after the conversion, by hand";
        Some(become_one().or_else(by_policy).map_or(Fate::Unknown { why, help }, Fate::Becomes))
    }

    /// Returns an object that is held back and that `reference`, from the object `id`, names or may name.
    fn kept_for(&self, reference: &Reference<'_>, id: Id) -> Option<&'r Object> {
        let held = |id: Id| self.held.contains(id).then(|| self.tied.object(id));
        let Some(name) = &reference.name else { return self.applied_to(reference).find_map(held) };
        let found = self.named(reference, id);
        if let Some(object) = found.iter().copied().find_map(held) {
            return Some(object);
        }
        // A target without a namespace selects in every one.
        let read = ReadByKustomize::of(self.tied.object(id), self.tied.targets.goal.packs.carriers());
        if !found.is_empty() || reference.namespace.is_some() || !read.has(&reference.path) {
            return None;
        }
        let is_named = |id: &Id| self.tied.object(*id).name.as_deref() == Some(name);
        let mut namesakes = self.applied_to(reference).filter(is_named).map(held);
        let first = namesakes.next()??;
        namesakes.all(|held| held.is_some()).then_some(first)
    }

    /// Returns the objects that `reference`, from the object `id`, names; a name can be one that kustomizations give.
    fn named(&self, reference: &Reference<'_>, id: Id) -> Vec<Id> {
        let tied = self.tied;
        let Some(name) = reference.name.as_deref() else { return Vec::new() };
        let written = reference.namespace.clone().map(Namespace::Named);
        let (namespace, file) = (written.as_ref().unwrap_or(tied.namespace(id)), &tied.manifest(id).file);
        let kinds = tied.targets.family(&reference.kind);
        let found = |name: &str| {
            let found = kinds.iter().flat_map(|kind| {
                let found = self.objects().resolve(kind, namespace, name, file);
                found.all().filter_map(|one| one.place.id).collect::<Vec<_>>()
            });
            found.collect::<Vec<Id>>()
        };
        let own = found(name);
        let others = || tied.run.graph.names_before(name).into_iter().filter(|other| *other != name);
        if own.is_empty() { others().flat_map(found).collect() } else { own }
    }

    /// Returns the objects of known kinds. A patch counts as the object that it patches.
    fn objects(&self) -> &Context<'r> {
        let tied = self.tied;
        self.objects.get_or_init(|| {
            let known = tied.objects().map(|(id, _, _)| id).filter(|id| tied.conversion(*id).is_some());
            let views = known.map(|id| {
                let view = tied.view(id);
                ObjectView { place: ObjectPlace { id: Some(id), ..view.place }, ..view }
            });
            Context::new(views, tied.builds())
        })
    }

    /// Returns what an object that is not held back becomes.
    fn made(&self, id: Id) -> Option<Successor> {
        let made = self.tied.conversion(id)?;
        let version = ApiVersion::parse(made.value.text("apiVersion")?).version;
        Some(Successor::new(made.kind.clone(), version))
    }

    /// Returns the objects of the kind that `reference` is about, of any namespace, unless it has one.
    fn applied_to(&self, reference: &Reference<'_>) -> impl Iterator<Item = Id> {
        let wanted = reference.namespace.clone().map(Namespace::Named);
        let of_kind = self.objects().of_kind(&reference.kind).iter();
        let is_there = move |one: &&ObjectView<'_>| {
            wanted.as_ref().is_none_or(|wanted| wanted.same_as(one.namespace) != Some(false))
        };
        of_kind.filter(is_there).filter_map(|one| one.place.id)
    }

    /// Reports that `reference` is kept because of `held`; where it is about others too that are renamed, what they lose.
    fn kept(&self, reference: &Reference<'_>, held: &Object) -> Remark {
        let tied = self.tied;
        let renamed = self.applied_to(reference).filter(|id| !self.held.contains(*id));
        let renamed: BTreeSet<_> = renamed.map(|id| tied.object(id).title()).collect();
        let renamed = Vec::from_iter(renamed);
        let (path, old) = (reference.path.clone(), &reference.kind);
        let successor = tied.targets.renames.get(old);
        let (message, help) = match successor.filter(|_| reference.name.is_none() && !renamed.is_empty()) {
            Some(successor) => {
                let new = successor.kind();
                let message = format!(
                    "{path} applies to {} objects; it is not updated, because {} is held back, and so it no longer applies to the objects that become {}: {}",
                    old.kind,
                    held.title(),
                    new.kind,
                    some_of(&renamed, String::clone)
                );
                let help = format!("add the same entry for group `{}` and kind `{}` by hand", new.group, new.kind);
                (message, Some(help))
            }
            None => (format!("{path} names {}, which is held back; the reference is not updated", held.title()), None),
        };
        Remark::new(Code::ReferenceNotUpdated, path, message).maybe_help(help)
    }

    /// Reports that `reference` stays, where the target does not serve the version that it gives.
    fn not_served(&self, reference: &Reference<'_>, why: &str, help: &str) -> Option<Remark> {
        let Reference { kind, version, .. } = reference;
        let (version, path) = (version.as_deref()?, reference.version_path()?);
        let target = self.tied.targets.not_serving(kind, version)?;
        let message = format!(
            "{path} names version {version}, which {target} does not serve for {}; it is not updated, since {why}",
            kind.kind
        );
        Some(Remark::new(Code::ReferenceNotUpdated, path, message).help(help))
    }
}

/// Reports that `reference` is kept although its kind changes, since it has no key for the new group.
fn without_key(reference: Reference<'_>, renames: &Renames) -> Option<Remark> {
    let (old, new) = (&reference.kind, renames.get(&reference.kind)?.kind());
    let what = reference.name.as_deref().unwrap_or("objects");
    let message = format!(
        "{} names {} {what}, renamed to {new}; it is not updated, since the pack declares no key for the group there",
        reference.path, old.kind
    );
    let help = format!(
        "name {} of the group {} there by hand; or, if the field has a key for it, add that to `references` in pack.yaml, such as \
         `group: targetGroup`",
        new.kind, new.group
    );
    Some(Remark::new(Code::ReferenceNotUpdated, reference.path.clone(), message).help(help))
}
