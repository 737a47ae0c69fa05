//! Which objects must be left unchanged because another one is held back?
//!
//! A conversion that read other objects of the run (a Gateway whose routes now name it) is right only where those are converted
//! as well.
//!
//! Invariant: once [`Together::hold`] finds no more, no object that is converted relies on one that is held back.

use std::collections::BTreeSet;

use super::held::Held;
use super::linked::{Id, Linked};
use crate::engine::convert::Remark;
use crate::engine::finding::{Code, Severity};
use crate::knowledge::lens::ObjectId;
use crate::syntax::field::FieldPath;

/// Which objects can only be converted together with others.
pub(crate) struct Together<'l> {
    /// The objects that rely on others, with the positions of those.
    relying: Vec<(Id, &'l BTreeSet<ObjectId>)>,
}

impl<'l> Together<'l> {
    /// Collects the objects that rely on others; most runs have none.
    pub(crate) fn new(linked: &'l Linked<'_>) -> Self {
        Self { relying: relying(linked) }
    }

    /// Holds back the objects that rely directly on one that is held back; returns whether there were any.
    pub(crate) fn hold(&self, linked: &Linked<'_>, held: &mut Held) -> bool {
        let mut more = Vec::new();
        for (id, others) in self.relying.iter().filter(|(id, _)| !held.contains(*id)) {
            let Some(other) = others.iter().copied().find(|other| held.contains(*other)) else { continue };
            let (other, place) = (linked.object(other).title(), linked.location(other));
            let message = format!("it can only be converted together with {other}, which is held back ({place})");
            let help = Some("resolve the findings about the other object, then run again".to_owned());
            let remark = Remark::new(Code::ConvertsTogether, FieldPath::default(), message, help);
            more.push((*id, linked.finding(*id, &remark, Severity::Held)));
        }
        held.extend(more)
    }
}

fn relying<'l>(linked: &'l Linked<'_>) -> Vec<(Id, &'l BTreeSet<ObjectId>)> {
    let relies = |(id, _, _): (Id, _, _)| {
        let conversion = linked.conversion(id)?;
        (!conversion.converts_with.is_empty()).then_some((id, &conversion.converts_with))
    };
    linked.objects().filter_map(relies).collect()
}
