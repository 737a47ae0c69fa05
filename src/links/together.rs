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
use crate::lens::ObjectName;

/// Which objects can only be converted together with others.
pub(crate) struct Together<'l> {
    /// The objects that rely on others, with the names of those.
    relying: Vec<(Id, &'l BTreeSet<ObjectName>)>,
    by_name: BTreeMap<ObjectName, Vec<Id>>,
    /// The objects that are held back in local files, with their titles.
    held_locally: BTreeMap<ObjectName, &'l str>,
}

impl<'l> Together<'l> {
    /// Collects the objects that rely on others; most runs have none.
    pub(crate) fn new(linked: &'l Linked<'_>) -> Self {
        let relying = relying(linked);
        let mut by_name: BTreeMap<ObjectName, Vec<Id>> = BTreeMap::new();
        if relying.is_empty() {
            return Self { relying, by_name, held_locally: BTreeMap::new() };
        }
        for (id, _, _) in linked.objects() {
            by_name.entry(linked.identity(id)).or_default().push(id);
        }
        Self { relying, by_name, held_locally: held_in_local_files(linked) }
    }

    /// Holds back the objects that rely directly on one that is held back; returns whether there were any.
    pub(crate) fn hold(&self, linked: &Linked<'_>, held: &mut Held) -> bool {
        let mut more = Vec::new();
        for (id, names) in self.relying.iter().filter(|(id, _)| !held.contains(*id)) {
            let mut others = names.iter().filter_map(|name| self.by_name.get(name)).flatten();
            let other = others.find(|other| held.contains(**other)).map(|other| linked.object(*other).title());
            let local = || names.iter().find_map(|name| self.held_locally.get(name)).map(|title| (*title).to_owned());
            let Some(other) = other.or_else(local) else { continue };
            let message = format!("it can only be converted together with {other}, which is held back");
            let help = Some("resolve the findings about the other object, then run again".to_owned());
            let remark = Remark::new(Code::ConvertsTogether, FieldPath::default(), message, help);
            more.push((*id, linked.finding(*id, &remark, Severity::Held)));
        }
        held.extend(more)
    }
}

/// Returns the objects that are held back in local files, with their titles.
fn held_in_local_files<'l>(linked: &'l Linked<'_>) -> BTreeMap<ObjectName, &'l str> {
    let mut indexed = linked.indexed();
    let mut found = BTreeMap::new();
    for file in linked.files {
        for (_, one, namespace) in indexed.by_ref().take(file.indexed().len()) {
            let is_it = |plan: &&ObjectPlan| plan.location.position == one.position && plan.from.0 == one.kind;
            let held = file.planned().iter().find(is_it).filter(|plan| plan.outcome == Outcome::HeldBack);
            found.extend(held.map(|plan| (one.identity(namespace), plan.title.as_str())));
        }
    }
    found
}

fn relying<'l>(linked: &'l Linked<'_>) -> Vec<(Id, &'l BTreeSet<ObjectName>)> {
    let relies = |(id, _, _): (Id, _, _)| {
        let conversion = linked.conversion(id)?;
        (!conversion.converts_with.is_empty()).then_some((id, &conversion.converts_with))
    };
    linked.objects().filter_map(relies).collect()
}
