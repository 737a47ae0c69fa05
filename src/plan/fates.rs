//! Answers: does what a reference names get another kind, or stay as it is?
//!
//! [`Fates`] collects the objects of retyped kinds under an assumption of what is held back. A reference to one that stays must
//! stay; one that gives no name can be about several, of which some stay and some go.
//!
//! Invariant: where the files do not tell which object a reference names, every object that it may name counts.

use std::collections::BTreeMap;

use super::references::{Reference, Retypes};
use super::{Held, Remark, Run};
use crate::finding::Code;
use crate::lens::Namespace;
use crate::manifest::Object;
use crate::release::GroupKind;

/// Objects by kind, with where they live.
type ByKind<'a> = BTreeMap<&'a GroupKind, Vec<(&'a Object, &'a Namespace)>>;

/// The objects of retyped kinds.
#[derive(Debug, Default)]
pub(super) struct Fates<'a> {
    /// Those that are held back.
    stay: ByKind<'a>,
    /// Those that get their new kind.
    go: ByKind<'a>,
}

impl Run<'_> {
    /// Collects the objects of retyped kinds under the assumption of what is held back.
    pub(super) fn fates(&self, held: &Held) -> Fates<'_> {
        let mut fates = Fates::default();
        for (id, _, object) in self.ids().filter(|(_, _, object)| self.course.retypes.contains_key(&object.kind)) {
            let side = if self.is_held(id, held) { &mut fates.stay } else { &mut fates.go };
            side.entry(&object.kind).or_default().push((object, &self.homes[id.0][id.1]));
        }
        fates
    }
}

impl Fates<'_> {
    /// Returns an object that stays and that `reference`, from an object that lives in `from`, names or may name.
    pub(super) fn staying(&self, reference: &Reference, from: &Namespace) -> Option<&Object> {
        named(&self.stay, reference, from).next()
    }

    /// Tells that `reference` stays because of `held`; where it is about others too that go, what they lose.
    pub(super) fn kept(&self, reference: Reference, held: &Object, from: &Namespace, retypes: &Retypes) -> Remark {
        let going: Vec<_> = named(&self.go, &reference, from).map(Object::title).collect();
        let (path, old) = (reference.path.clone(), &reference.kind);
        let (message, help) = match retypes.get(old).filter(|_| reference.name.is_none() && !going.is_empty()) {
            Some(successor) => {
                let new = successor.kind();
                let message = format!(
                    "{path} is about {} objects; {} is held back, so it stays, and it no longer holds for what becomes {}: {}",
                    old.kind,
                    held.title(),
                    new.kind,
                    going.join(", ")
                );
                let help =
                    format!("write the same for group `{}` and kind `{}` beside it, by hand", new.group, new.kind);
                (message, Some(help))
            }
            None => (format!("{path} names {}, which is held back; the reference stays", held.title()), None),
        };
        Remark { code: Code::ReferenceNotUpdated, path, message, help }
    }
}

/// Returns the objects that `reference`, from an object that lives in `from`, names or may name; a namespace that is not
/// written is that of `from`, and any for a reference that gives no name.
fn named<'a>(objects: &'a ByKind<'_>, reference: &Reference, from: &Namespace) -> impl Iterator<Item = &'a Object> {
    let written = reference.namespace.clone().map(Namespace::Named);
    let wanted = written.or_else(|| reference.name.is_some().then(|| from.clone()));
    let name = reference.name.clone();
    let may_be = move |(object, home): &&(&Object, &Namespace)| {
        let apart = wanted.as_ref().is_some_and(|wanted| wanted.same_as(home) == Some(false));
        !apart && (name.is_none() || name == object.name)
    };
    objects.get(&reference.kind).into_iter().flatten().filter(may_be).map(|(object, _)| *object)
}
