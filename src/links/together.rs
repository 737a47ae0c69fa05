//! Which objects must be left unchanged because another one is held back?
//!
//! A conversion that read other objects of the run (a Gateway whose routes now name it) is right only where those are converted
//! as well.
//!
//! Invariant: once [`Together::hold`] finds no more, no object that is converted relies on one that is held back.

use std::collections::{BTreeMap, BTreeSet};

use super::held::Held;
use super::linked::{Id, Linked};
use crate::convert::{ObjectPlan, Outcome, Remark};
use crate::field::FieldPath;
use crate::finding::{Code, Severity};
use crate::lens::ObjectId;

/// Which objects can only be converted together with others.
pub(crate) struct Together<'l> {
    /// The objects that rely on others, with the positions of those.
    relying: Vec<(Id, &'l BTreeSet<ObjectId>)>,
    /// The objects that are held back in local files, with their titles.
    held_locally: BTreeMap<ObjectId, &'l str>,
}

impl<'l> Together<'l> {
    /// Collects the objects that rely on others; most runs have none.
    pub(crate) fn new(linked: &'l Linked<'_>) -> Self {
        let relying = relying(linked);
        let held_locally = if relying.is_empty() { BTreeMap::new() } else { held_in_local_files(linked) };
        Self { relying, held_locally }
    }

    /// Holds back the objects that rely directly on one that is held back; returns whether there were any.
    pub(crate) fn hold(&self, linked: &Linked<'_>, held: &mut Held) -> bool {
        let mut more = Vec::new();
        for (id, others) in self.relying.iter().filter(|(id, _)| !held.contains(*id)) {
            let is_held = |other: &ObjectId| linked.id(*other).filter(|other| held.contains(*other));
            let of_linked =
                others.iter().find_map(is_held).map(|other| (linked.object(other).title(), linked.location(other)));
            let local = |other: &ObjectId| {
                let title = self.held_locally.get(other)?;
                let file = linked.files[other.0];
                Some(((*title).to_owned(), file.indexed()[other.1].location(file.name())))
            };
            let Some((other, place)) = of_linked.or_else(|| others.iter().find_map(local)) else { continue };
            let message = format!("it can only be converted together with {other}, which is held back ({place})");
            let help = Some("resolve the findings about the other object, then run again".to_owned());
            let remark = Remark::new(Code::ConvertsTogether, FieldPath::default(), message, help);
            more.push((*id, linked.finding(*id, &remark, Severity::Held)));
        }
        held.extend(more)
    }
}

/// Returns the objects that are held back in local files, with their titles.
fn held_in_local_files<'l>(linked: &'l Linked<'_>) -> BTreeMap<ObjectId, &'l str> {
    let mut found = BTreeMap::new();
    for (number, file) in linked.files.iter().enumerate() {
        for (at, one) in file.indexed().iter().enumerate() {
            let is_it = |plan: &&ObjectPlan| plan.location.position == one.position && plan.from.0 == one.kind;
            let held = file.planned().iter().find(is_it).filter(|plan| plan.outcome == Outcome::HeldBack);
            found.extend(held.map(|plan| ((number, at), plan.title.as_str())));
        }
    }
    found
}

fn relying<'l>(linked: &'l Linked<'_>) -> Vec<(Id, &'l BTreeSet<ObjectId>)> {
    let relies = |(id, _, _): (Id, _, _)| {
        let conversion = linked.conversion(id)?;
        (!conversion.converts_with.is_empty()).then_some((id, &conversion.converts_with))
    };
    linked.objects().filter_map(relies).collect()
}
