//! Which objects must be left unchanged because another one is held back?
//!
//! A conversion that read other objects of the run (a Gateway whose routes now name it) is right only where those are converted
//! as well. So is one that gives an object another group, where others name it without one. Of two objects that a rule binds to each
//! other, such as a Provisioner and its AWSNodeTemplate, neither is converted without the other.
//!
//! Invariant: once [`Together::hold`] finds no more, no object that is converted relies on one that is held back.

use std::collections::BTreeSet;

use super::held::Held;
use super::references;
use super::split_objects;
use super::tied_files::{Id, TiedFiles};
use crate::engine::convert::Remark;
use crate::engine::finding::Code;
use crate::knowledge::lens::ObjectId;
use crate::syntax::field::FieldPath;

/// Which objects can only be converted together with others.
pub(crate) struct Together {
    /// The objects that rely on others, with the positions of those.
    relying: Vec<(Id, BTreeSet<ObjectId>)>,
}

impl Together {
    /// Collects the objects that rely on others; most runs have none.
    pub(crate) fn new(tied: &TiedFiles<'_>) -> Self {
        Self { relying: relying(tied) }
    }

    /// Holds back the objects that rely directly on one that is held back; returns whether there were any.
    pub(crate) fn hold(&self, tied: &TiedFiles<'_>, held: &mut Held) -> bool {
        let mut more = Vec::new();
        for (id, others) in self.relying.iter().filter(|(id, _)| !held.contains(*id)) {
            let Some(other) = others.iter().copied().find(|other| held.contains(*other)) else { continue };
            let (other, place) = (tied.object(other).title(), tied.location(other));
            let message = format!("it can only be converted together with {other}, which is held back ({place})");
            let help = "resolve the findings about the other object, then run again";
            let remark = Remark::new(Code::ConvertsTogether, FieldPath::default(), message).help(help);
            more.push(tied.held(*id, &remark));
        }
        held.extend(more)
    }
}

fn relying(tied: &TiedFiles<'_>) -> Vec<(Id, BTreeSet<ObjectId>)> {
    let relies = |(id, _, _): (Id, _, _)| {
        let conversion = tied.conversion(id)?;
        (!conversion.converts_with.is_empty()).then(|| (id, conversion.converts_with.clone()))
    };
    let parts = split_objects::parts(tied).into_iter().map(|(part, whole)| (part, BTreeSet::from([whole])));
    let both = tied.objects().filter_map(|(id, ..)| Some((id, tied.conversion(id)?)));
    let both = both.flat_map(|(id, conversion)| conversion.bound.iter().map(move |other| (*other, id)));
    let both = both.filter(|(other, _)| tied.is_changed(*other));
    let bound = references::bound(tied).into_iter().chain(both).map(|(named, by)| (named, BTreeSet::from([by])));
    tied.objects().filter_map(relies).chain(parts).chain(bound).collect()
}
