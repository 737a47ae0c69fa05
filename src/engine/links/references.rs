//! Does what a reference names get another kind, or is it held back?
//!
//! A reference to an object that keeps its kind must be kept; one without a name can be about several objects, of which some keep
//! their kind and some do not.
//!
//! Invariant: where the files do not show which object a reference names, every object that it may name counts; of namesakes, the
//! nearest.

use std::collections::{BTreeMap, BTreeSet};

use super::held::Held;
use super::selectors::ReadByKustomize;
use super::tied_files::{Id, TiedFiles};
use crate::engine::convert::{Conversion, Reference, Remark, Renames, impossible, normalized, update};
use crate::engine::finding::{Code, Finding, Severity};
use crate::engine::manifest::Object;
use crate::knowledge::lens::{Context, Namespace, ObjectPlace, ObjectView, some_of};
use crate::knowledge::release::GroupKind;

/// Objects by kind, with their namespaces.
type ByKind<'a> = BTreeMap<&'a GroupKind, Vec<(&'a Object, &'a Namespace)>>;

/// The objects of the kinds that are renamed.
#[derive(Debug)]
pub(crate) struct RenamedObjects<'a> {
    /// Those that are held back.
    held: ByKind<'a>,
    /// The same, by their positions.
    held_by_id: BTreeMap<Id, &'a Object>,
    /// Those that get their new kind.
    renamed: ByKind<'a>,
    /// All of them, for references with a name.
    all: Context<'a>,
}

impl<'a> RenamedObjects<'a> {
    /// Collects the objects of the kinds that are renamed, under the assumption of what is held back.
    pub(crate) fn new(tied: &'a TiedFiles<'_>, held: &Held) -> Self {
        let (mut sides, mut held_by_id, mut views) = ([ByKind::new(), ByKind::new()], BTreeMap::new(), Vec::new());
        let renames = &tied.targets.renames;
        for (id, _, object) in tied.objects().filter(|(_, _, object)| renames.contains_key(&object.kind)) {
            let is_held = held.contains(id);
            sides[usize::from(is_held)].entry(&object.kind).or_default().push((object, tied.namespace(id)));
            held_by_id.extend(is_held.then_some((id, object)));
            // A patch counts as the object that it patches.
            let view = tied.view(id);
            views.push(ObjectView { place: ObjectPlace { id: Some(id), ..view.place }, ..view });
        }
        let [renamed, of_held] = sides;
        Self {
            held: of_held,
            held_by_id,
            renamed,
            all: if views.is_empty() { Context::default() } else { Context::new(views, tied.builds()) },
        }
    }

    /// Updates the references of an object that became `made`.
    pub(crate) fn update(
        &self,
        tied: &TiedFiles<'_>,
        id: Id,
        made: Option<Conversion>,
        findings: &mut Vec<Finding>,
    ) -> Option<Conversion> {
        let (object, namespace, file) = (tied.object(id), tied.namespace(id), tied.manifest(id).file.as_str());
        let (kind, value) = Conversion::kind_and_value(made.as_ref(), object);
        let inexpressible = tied.targets.inexpressible(value).into_iter();
        let stays = inexpressible.filter(|reference| self.held(reference, namespace, file).is_none());
        let stays = stays.filter_map(|reference| without_key(reference, &tied.targets.renames));
        findings.extend(stays.map(|remark| tied.finding(id, &remark, Severity::Unresolved)));
        let references = tied.targets.references(kind, value);
        if references.is_empty() {
            return made;
        }
        let renames = &tied.targets.renames;
        // The objects that a reference without a name is about leave their API with the object that leaves it.
        let left = (kind.group != object.kind.group).then(|| object.kind.group.clone());
        let leaves_too = |one: &Reference<'_>| one.name.is_none() && left.as_ref() == Some(&one.kind.group);
        let mut made = made.unwrap_or_else(|| Conversion::unchanged(object));
        let mut session = Conversion::session(Some(&made), object);
        let read = ReadByKustomize::of(object, tied.targets.goal.packs.carriers());
        for reference in references {
            // A target without a namespace selects in every one.
            let is_target = reference.namespace.is_none() && read.has(&reference.path);
            let selected = || self.held_anywhere(&reference).filter(|_| is_target);
            let held = self.held(&reference, namespace, file).or_else(selected);
            if let Some(held) = held.filter(|_| !leaves_too(&reference)) {
                let remark = self.kept(reference, held, renames);
                findings.push(tied.finding(id, &remark, Severity::Unresolved));
                continue;
            }
            match update(&reference, renames, &mut session) {
                Ok(()) => {
                    let message = normalized(&reference, renames);
                    made.notes
                        .extend(message.map(|message| Remark::new(Code::Normalized, reference.path.clone(), message)));
                }
                Err(halt) => made.blocks.extend(impossible(halt)),
            }
        }
        Conversion::with_changes(Some(made), object, session)
    }

    /// Reports the references of an object that is held back to objects whose kind changes all the same.
    pub(crate) fn outdated(&self, tied: &TiedFiles<'_>, id: Id) -> Vec<Finding> {
        let (object, namespace, file) = (tied.object(id), tied.namespace(id), tied.manifest(id).file.as_str());
        let references = tied.targets.references(&object.kind, &object.value);
        let outdated = references.into_iter().filter(|reference| self.held(reference, namespace, file).is_none());
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
        outdated.map(finding).collect()
    }

    /// Returns an object that is held back and that `reference`, from an object of `file` in `namespace`, names or may name.
    fn held(&self, reference: &Reference<'_>, namespace: &Namespace, file: &str) -> Option<&Object> {
        let Some(name) = &reference.name else { return applied_to(&self.held, reference).next() };
        let written = reference.namespace.clone().map(Namespace::Named);
        let found = self.all.resolve(&reference.kind, written.as_ref().unwrap_or(namespace), name, file);
        found.all().filter_map(|one| one.place.id).find_map(|id| self.held_by_id.get(&id).copied())
    }

    /// Returns an object of any namespace that is held back and has the kind and name of `reference`.
    fn held_anywhere(&self, reference: &Reference<'_>) -> Option<&Object> {
        let mut of_kind = self.held.get(&reference.kind)?.iter().map(|(object, _)| *object);
        let renamed = self.renamed.get(&reference.kind).into_iter().flatten().map(|(object, _)| *object);
        let is_named = |object: &&Object| reference.name.is_some() && object.name == reference.name;
        of_kind.find(is_named).filter(|_| !renamed.clone().any(|object| is_named(&object)))
    }

    /// Reports that `reference` is kept because of `held`; where it is about others too that are renamed, what they lose.
    fn kept(&self, reference: Reference<'_>, held: &Object, renames: &Renames) -> Remark {
        let renamed: BTreeSet<_> = applied_to(&self.renamed, &reference).map(Object::title).collect();
        let renamed = Vec::from_iter(renamed);
        let (path, old) = (reference.path.clone(), &reference.kind);
        let (message, help) = match renames.get(old).filter(|_| reference.name.is_none() && !renamed.is_empty()) {
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

/// Returns the objects that `reference`, which has no name, applies to: those of any namespace, unless it has one.
fn applied_to<'a>(objects: &ByKind<'a>, reference: &Reference<'_>) -> impl Iterator<Item = &'a Object> {
    let wanted = reference.namespace.clone().map(Namespace::Named);
    let is_elsewhere =
        move |namespace: &Namespace| wanted.as_ref().is_some_and(|wanted| wanted.same_as(namespace) == Some(false));
    let all = objects.get(&reference.kind).into_iter().flatten().copied().collect::<Vec<_>>();
    all.into_iter().filter(move |(_, namespace)| !is_elsewhere(namespace)).map(|(object, _)| object)
}
