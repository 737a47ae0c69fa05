//! Does what a reference names get another kind, or is it held back?
//!
//! A reference to an object that keeps its kind must be kept; one without a name can be about several objects, of which some keep
//! their kind and some do not.
//!
//! Invariant: where the files do not show which object a reference names, every object that it may name counts.

use std::collections::{BTreeMap, BTreeSet};

use super::held::Held;
use super::linked::{Id, Linked};
use crate::convert::{Conversion, Reference, Remark, Renames, impossible, normalized, update};
use crate::finding::{Code, Finding, Severity};
use crate::lens::{Namespace, Session};
use crate::manifest::Object;
use crate::release::GroupKind;

/// Objects by kind, with their namespaces.
type ByKind<'a> = BTreeMap<&'a GroupKind, Vec<(&'a Object, &'a Namespace)>>;

/// The objects of the kinds that are renamed.
#[derive(Debug, Default)]
pub(crate) struct RenamedObjects<'a> {
    /// Those that are held back.
    held: ByKind<'a>,
    /// Those that get their new kind.
    renamed: ByKind<'a>,
}

impl<'a> RenamedObjects<'a> {
    /// Collects the objects of the kinds that are renamed, under the assumption of what is held back.
    pub(crate) fn new(linked: &'a Linked<'_>, held: &Held) -> Self {
        let mut objects = Self::default();
        let renames = &linked.targets.renames;
        for (id, _, object) in linked.objects().filter(|(_, _, object)| renames.contains_key(&object.kind)) {
            let side = if held.contains(id) { &mut objects.held } else { &mut objects.renamed };
            side.entry(&object.kind).or_default().push((object, linked.namespace(id)));
        }
        objects
    }

    /// Updates the references of an object that became `made`.
    pub(crate) fn update(
        &self,
        linked: &Linked<'_>,
        id: Id,
        made: Option<Conversion>,
        findings: &mut Vec<Finding>,
    ) -> Option<Conversion> {
        let (object, namespace) = (linked.object(id), linked.namespace(id));
        let (kind, value) = made.as_ref().map_or((&object.kind, &object.value), |made| (&made.kind, &made.value));
        let references = linked.targets.references(kind, value);
        if references.is_empty() {
            return made;
        }
        let renames = &linked.targets.renames;
        // The objects that a reference without a name is about leave their API with the object that leaves it.
        let left = (kind.group != object.kind.group).then(|| object.kind.group.clone());
        let leaves_too = |one: &Reference| one.name.is_none() && left.as_ref() == Some(&one.kind.group);
        let mut made = made.unwrap_or_else(|| Conversion::unchanged(object));
        let mut session = Session::new(made.value.clone());
        for reference in references {
            if let Some(held) = self.held(&reference, namespace).filter(|_| !leaves_too(&reference)) {
                let remark = self.kept(reference, held, namespace, renames);
                findings.push(linked.finding(id, &remark, Severity::Warning));
                continue;
            }
            match update(&reference, renames, &mut session) {
                Ok(()) => {
                    let message = normalized(&reference, renames);
                    made.notes.extend(
                        message.map(|message| Remark::new(Code::Normalized, reference.path.clone(), message, None)),
                    );
                }
                Err(halt) => made.blocks.extend(impossible(halt)),
            }
        }
        let (value, program, _) = session.finish();
        made.value = value;
        made.program.extend(program);
        Some(made)
    }

    /// Reports the references of an object that is held back to objects whose kind changes all the same.
    pub(crate) fn outdated(&self, linked: &Linked<'_>, id: Id) -> Vec<Finding> {
        let (object, namespace) = (linked.object(id), linked.namespace(id));
        let references = linked.targets.references(&object.kind, &object.value);
        let outdated = references.into_iter().filter(|reference| self.held(reference, namespace).is_none());
        let finding = |reference: Reference| {
            let what = reference.name.as_deref().unwrap_or("objects");
            let kind = &reference.kind.kind;
            let message = format!(
                "{} names {kind} {what}, whose kind changes; the reference is not updated, because its object is held back",
                reference.path
            );
            let remark = Remark::new(Code::ReferenceNotUpdated, reference.path, message, None);
            linked.finding(id, &remark, Severity::Warning)
        };
        outdated.map(finding).collect()
    }

    /// Returns an object that is held back and that `reference`, from an object in `namespace`, names or may name.
    fn held(&self, reference: &Reference, namespace: &Namespace) -> Option<&Object> {
        named(&self.held, reference, namespace).next()
    }

    /// Reports that `reference` is kept because of `held`; where it is about others too that are renamed, what they lose.
    fn kept(&self, reference: Reference, held: &Object, namespace: &Namespace, renames: &Renames) -> Remark {
        let renamed: BTreeSet<_> = named(&self.renamed, &reference, namespace).map(Object::title).collect();
        let (path, old) = (reference.path.clone(), &reference.kind);
        let (message, help) = match renames.get(old).filter(|_| reference.name.is_none() && !renamed.is_empty()) {
            Some(successor) => {
                let new = successor.kind();
                let message = format!(
                    "{path} applies to {} objects; it is not updated, because {} is held back, and so it no longer applies to the objects that become {}: {}",
                    old.kind,
                    held.title(),
                    new.kind,
                    some_of(&renamed)
                );
                let help = format!("add the same entry for group `{}` and kind `{}` by hand", new.group, new.kind);
                (message, Some(help))
            }
            None => (format!("{path} names {}, which is held back; the reference is not updated", held.title()), None),
        };
        Remark::new(Code::ReferenceNotUpdated, path, message, help)
    }
}

/// Lists the first few names.
fn some_of(names: &BTreeSet<String>) -> String {
    const SHOWN: usize = 3;
    let shown: Vec<_> = names.iter().take(SHOWN).map(String::as_str).collect();
    match names.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// Returns the objects that `reference`, from an object in `namespace`, names or may name. A namespace that is not written is
/// that of the object, and any for a reference without a name.
fn named<'a>(
    objects: &'a ByKind<'_>,
    reference: &Reference,
    namespace: &Namespace,
) -> impl Iterator<Item = &'a Object> {
    let written = reference.namespace.clone().map(Namespace::Named);
    let wanted = written.or_else(|| reference.name.is_some().then(|| namespace.clone()));
    let name = reference.name.clone();
    let may_be = move |(object, namespace): &&(&Object, &Namespace)| {
        let is_elsewhere = wanted.as_ref().is_some_and(|wanted| wanted.same_as(namespace) == Some(false));
        !is_elsewhere && (name.is_none() || name == object.name)
    };
    objects.get(&reference.kind).into_iter().flatten().filter(may_be).map(|(object, _)| *object)
}
