//! Which JSON patches, replacements and variables name fields of objects, and what becomes of them?
//!
//! Each stands at a place in an object: a kustomization, a file of replacements, a JSON patch. What it must hold after the conversion is
//! proposed for every object that it is applied to, and the proposals must agree.
//!
//! Invariant: one whose proposals differ does not change.

use std::collections::BTreeMap;

use serde_json::Value;

use super::applications::{Application, Carrier};
use super::held::{CarrierId, Held};
use super::json_patch::{Proposal, changed};
use super::linked::{Id, Linked};
use super::steps::Role;
use crate::engine::convert::{Conversion, Remark, impossible};
use crate::engine::finding::{Code, Finding, Severity};
use crate::engine::manifest::Object;
use crate::syntax::field::{FieldPath, Step};
use crate::syntax::yaml::Intent;

/// The JSON patches, replacements and variables of a run that are applied to known objects.
pub(crate) struct Carriers {
    all: Vec<One>,
    numbers: BTreeMap<(Id, FieldPath), CarrierId>,
    sources: BTreeMap<CarrierId, Value>,
}

struct One {
    id: Id,
    place: FieldPath,
    /// Its data, and what that becomes where it changes.
    before: Value,
    after: Option<Value>,
    /// What is proposed for the texts at each place in it, each once.
    proposals: BTreeMap<FieldPath, Vec<Vec<Intent>>>,
    /// Why it cannot follow.
    block: Option<String>,
    /// Whether it may be applied to objects that are not known.
    is_open: bool,
    /// Its changes, with paths from the object.
    intents: Vec<Intent>,
}

impl Carriers {
    /// Collects the carriers of `applications`; those of `unmade` may be applied to objects that are not known.
    pub(super) fn new(linked: &Linked<'_>, applications: &[Application], unmade: &[Carrier]) -> Self {
        let mut carriers = Self { all: Vec::new(), numbers: BTreeMap::new(), sources: BTreeMap::new() };
        for application in applications.iter().filter(|one| one.carrier.role != Role::Merge) {
            let id = application.carrier.position;
            let place = application.carrier.place.clone();
            let number = *carriers.numbers.entry((id, place.clone())).or_insert_with(|| {
                let before = place.get(&linked.object(id).value).cloned().unwrap_or_default();
                carriers.all.push(One {
                    id,
                    place,
                    before,
                    after: None,
                    proposals: BTreeMap::new(),
                    block: None,
                    is_open: false,
                    intents: Vec::new(),
                });
                carriers.all.len() - 1
            });
            carriers.all[number].is_open |= application.is_open;
        }
        for carrier in unmade {
            if let Some(number) = carriers.number(carrier) {
                carriers.all[number].is_open = true;
            }
        }
        carriers
    }

    pub(super) fn number(&self, carrier: &Carrier) -> Option<CarrierId> {
        self.numbers.get(&(carrier.position, carrier.place.clone())).copied()
    }

    /// Returns the values that replacements write and that are written in them.
    pub(super) fn constants(&self) -> BTreeMap<CarrierId, Value> {
        let constant = |(number, one): (usize, &One)| Some((number, one.before.get("sourceValue")?.clone()));
        self.all.iter().enumerate().filter_map(constant).collect()
    }

    /// Keeps the values that replacements write.
    pub(super) fn set_sources(&mut self, sources: BTreeMap<CarrierId, Value>) {
        self.sources = sources;
    }

    /// Returns the value that a replacement writes, where it is known.
    pub(super) fn source(&self, carrier: CarrierId) -> Option<&Value> {
        self.sources.get(&carrier)
    }

    /// Returns the data of a carrier, with its changes where it `follows`.
    pub(super) fn value(&self, carrier: CarrierId, follows: bool) -> &Value {
        let One { before, after, .. } = &self.all[carrier];
        after.as_ref().filter(|_| follows).unwrap_or(before)
    }

    /// Takes in what must become of a carrier for one object.
    pub(super) fn propose(&mut self, carrier: CarrierId, proposal: Result<Proposal, String>) {
        let one = &mut self.all[carrier];
        match proposal {
            Ok(proposal) => {
                for (place, intents) in proposal {
                    let proposals = one.proposals.entry(place).or_default();
                    if !proposals.contains(&intents) {
                        proposals.push(intents);
                    }
                }
            }
            Err(why) => drop(one.block.get_or_insert(why)),
        }
    }

    /// Decides what becomes of each carrier.
    pub(super) fn settle(&mut self) {
        for one in &mut self.all {
            let differing = one.proposals.iter().find(|(_, proposals)| proposals.len() > 1).map(|(place, _)| place);
            if let Some(place) = differing {
                let why = format!("the objects that it is applied to need different texts at {place}");
                one.block.get_or_insert(why);
            }
            if one.block.is_some() {
                continue;
            }
            let changes = std::mem::take(&mut one.proposals).into_values().flatten().flatten();
            // What is behind a removed operation would be found at another place.
            let is_removal =
                |intent: &Intent| matches!(intent, Intent::Delete { path } if matches!(path.steps(), [Step::Index(_)]));
            let (mut removals, mut intents): (Vec<Intent>, Vec<Intent>) = changes.partition(is_removal);
            removals.reverse();
            intents.extend(removals);
            if intents.is_empty() {
                continue;
            }
            let after = changed(&one.before, &intents);
            match (&after, one.is_open) {
                (None, _) => one.block = Some("its text cannot be changed".to_owned()),
                (Some(_), true) => {
                    let why = "it may be applied to objects too that are not known here";
                    one.block = Some(why.to_owned());
                }
                (Some(_), false) => {
                    one.intents = intents.iter().map(|intent| intent.under(&one.place)).collect();
                    one.after = after;
                }
            }
        }
    }

    /// Returns whether a carrier changes, or would have to.
    pub(super) fn is_changed(&self, carrier: CarrierId) -> bool {
        let one = &self.all[carrier];
        !one.intents.is_empty() || one.block.is_some()
    }

    /// Returns the object that a strategic merge patch stands in as data.
    pub(super) fn holder_of_data(&self, carrier: CarrierId, role: Role) -> Option<Id> {
        let one = &self.all[carrier];
        (role == Role::Unknown && one.before.get("apiVersion").is_some()).then_some(one.id)
    }

    /// Returns why a carrier cannot follow.
    pub(super) fn block(&self, carrier: CarrierId) -> Option<&str> {
        self.all[carrier].block.as_deref()
    }

    /// Returns whether a carrier is held back, by itself or with the object that it stands in.
    pub(super) fn is_held(&self, carrier: CarrierId, held: &Held) -> bool {
        held.carrier_reason(carrier).is_some() || held.contains(self.all[carrier].id)
    }

    /// Returns why carriers in an object are held back, but for those that stay as they are with an object that does.
    pub(crate) fn reasons<'h>(&self, held: &'h Held, id: Id) -> impl Iterator<Item = &'h Finding> {
        self.of(id)
            .filter_map(|carrier| held.carrier_reason(carrier))
            .filter(|reason| reason.severity == Severity::Held)
    }

    /// Changes the carriers in an object that are not held back; `made` is what became of it so far.
    pub(crate) fn follow(&self, object: &Object, id: Id, made: Option<Conversion>, held: &Held) -> Option<Conversion> {
        let following = self.of(id).filter(|carrier| !self.is_held(*carrier, held));
        let intents: Vec<&Intent> = following.flat_map(|carrier| &self.all[carrier].intents).collect();
        if intents.is_empty() {
            return made;
        }
        let mut session = Conversion::session(made.as_ref(), object);
        for intent in intents {
            if let Err(halt) = session.change(intent.clone()) {
                let mut made = made.unwrap_or_else(|| Conversion::unchanged(object));
                made.blocks.extend(impossible(halt));
                return Some(made);
            }
        }
        Conversion::with_changes(made, object, session)
    }

    /// Returns the carriers that stand in an object.
    fn of(&self, id: Id) -> impl Iterator<Item = CarrierId> {
        self.numbers
            .range((id, FieldPath::default())..)
            .take_while(move |((own, _), _)| *own == id)
            .map(|(_, number)| *number)
    }

    /// Says what a carrier is, and where.
    pub(super) fn describe(&self, linked: &Linked<'_>, carrier: CarrierId, role: Role) -> String {
        let one = &self.all[carrier];
        let place = linked.manifest(one.id).locate(linked.object(one.id), &one.place);
        format!("{} at {place}", one.words(role))
    }

    /// Reports that a carrier cannot follow what becomes of the object `base`.
    pub(super) fn finding(
        &self,
        linked: &Linked<'_>,
        carrier: CarrierId,
        role: Role,
        base: Id,
        why: &str,
        severity: Severity,
    ) -> Finding {
        let one = &self.all[carrier];
        let base = format!("{} at {}", linked.object(base).title(), linked.location(base));
        let message = format!("{} is applied to {base}; {why}", one.words(role));
        let help = "convert both by hand; then the output of `kustomize build` after the change must be the converted output from before it";
        let remark = Remark::new(Code::PatchTarget, one.place.clone(), message, Some(help.to_owned()));
        remark.finding(linked.manifest(one.id), linked.object(one.id), severity)
    }
}

impl One {
    /// Returns what messages call the carrier; of what is not read, its file.
    fn words(&self, role: Role) -> String {
        let named = self.before.get("path").unwrap_or(&self.before).as_str();
        let file = named.filter(|path| !path.contains(['\n', '{'])).map(|path| format!(" `{path}`"));
        match role {
            Role::Merge => "the patch".to_owned(),
            Role::Unread => format!("the patch{}", file.unwrap_or_default()),
            Role::Unknown if self.before.is_array() => format!("what {} names", self.place),
            Role::Unknown => file.map_or_else(|| "what stands here".to_owned(), |file| format!("what is named{file}")),
            Role::JsonPatch => "the JSON patch".to_owned(),
            Role::Target(_) | Role::Source => "the replacement".to_owned(),
            Role::Variable => "the variable".to_owned(),
            Role::Field => "the field".to_owned(),
            Role::Labels => "the label transformer".to_owned(),
        }
    }
}
