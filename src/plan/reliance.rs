//! Answers: which objects must stay as they are because another one does?
//!
//! A conversion that read other objects of the run (a Gateway whose routes now name it) is right only where those are
//! converted as well. [`Run::hold_along`] holds back whoever relies on an object that is held back, and so on.
//!
//! Invariant: after it, no object that is converted relies on one that is held back.

use std::collections::BTreeMap;

use super::{Held, Id, Look, ObjectPlan, Outcome, Remark, Run, finding};
use crate::field::FieldPath;
use crate::finding::{Code, Severity};
use crate::lens::ObjectName;
use crate::manifest::Object;

impl Run<'_> {
    /// Holds back every object that relies on one that is held back.
    pub(super) fn hold_along(&self, held: &mut Held) {
        let relying = self.relying();
        if relying.is_empty() {
            return;
        }
        let mut names: BTreeMap<ObjectName, Vec<(Id, &Object)>> = BTreeMap::new();
        for (id, _, object) in self.ids() {
            let name = (object.kind.clone(), self.homes[id.0][id.1].clone(), object.name.clone());
            names.entry(name).or_default().push((id, object));
        }
        let alone = self.held_alone();
        loop {
            let mut more = Held::new();
            for (id, on) in relying.iter().filter(|(id, _)| !self.is_held(*id, held)) {
                let mut others = on.iter().filter_map(|name| names.get(name)).flatten();
                let other = others.find(|(other, _)| self.is_held(*other, held)).map(|(_, other)| other.title());
                let other =
                    other.or_else(|| on.iter().find_map(|name| alone.get(name)).map(|title| (*title).to_owned()));
                let Some(other) = other else { continue };
                let manifest = &self.manifests[id.0];
                let message = format!("it is converted together with {other}, which is held back");
                let help = Some("settle what is told about the other object, then run again".to_owned());
                let remark = Remark { code: Code::ConvertsTogether, path: FieldPath::default(), message, help };
                more.insert(*id, finding(manifest, &manifest.objects[id.1], &remark, Severity::Held));
            }
            if more.is_empty() {
                return;
            }
            held.extend(more);
        }
    }

    /// Returns the objects that are held back in files that no other one has a say in, with their titles.
    fn held_alone(&self) -> BTreeMap<ObjectName, &str> {
        let mut homes = self.standing_homes.iter();
        let mut found = BTreeMap::new();
        for look in self.looks {
            let Look::Alone(part) = look else { continue };
            for (one, home) in part.standing.iter().zip(&mut homes) {
                let is_it = |plan: &&ObjectPlan| plan.location.position == one.position && plan.from.0 == one.kind;
                let held = part.objects.iter().find(is_it).filter(|plan| plan.outcome == Outcome::HeldBack);
                found.extend(held.map(|plan| (one.called(home), plan.title.as_str())));
            }
        }
        found
    }

    fn relying(&self) -> Vec<(Id, &std::collections::BTreeSet<ObjectName>)> {
        let relies = |(id, _, _): (Id, _, _)| {
            let conversion = self.converted[id.0][id.1].as_ref()?;
            (!conversion.converts_with.is_empty()).then_some((id, &conversion.converts_with))
        };
        self.ids().filter_map(relies).collect()
    }
}
