//! Answers: what changes between two releases, and what does each change cost on the way there and on the way back?
//!
//! [`matrix`] lists the rules that stand between the releases, then what the catalogs of both sides say differently and no
//! rule takes across: kinds, fields (the outermost ones), values, apiVersions; then what is only told.
//!
//! Invariant: what a rule takes across is listed with the rule and nowhere else.

use std::collections::BTreeSet;

use serde_json::Value;

use super::crossing::Crossing;
use super::{Pack, Rule};
use crate::catalog::Catalog;
use crate::field::{FieldPattern, Part};
use crate::lens::{Direction, Fidelity, Image};
use crate::release::{GroupKind, ReleaseId};

/// What a change costs in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cost {
    /// Nothing is lost.
    Exact,
    /// Values are lost, or the object is held back until the loss is allowed.
    Lossy,
    /// Objects are held back.
    Refused,
    /// Something is to be known or done by hand.
    Advisory,
}

impl Cost {
    /// Returns the word that reports print.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Lossy => "lossy",
            Self::Refused => "refused",
            Self::Advisory => "advisory",
        }
    }

    const fn of(fidelity: Fidelity) -> Self {
        match fidelity {
            Fidelity::Exact => Self::Exact,
            Fidelity::Lossy => Self::Lossy,
            Fidelity::Refused => Self::Refused,
        }
    }
}

/// What a change is about, in the order of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Subject {
    /// A rule takes it across, or holds back what cannot go.
    Rule,
    /// A kind is on one side only.
    Kind,
    /// Another apiVersion is written.
    ApiVersion,
    /// A field is on one side only.
    Field,
    /// A value is allowed on one side only.
    Value,
    /// Something to know.
    Advisory,
    /// A change of meaning that no field shows.
    Undetectable,
}

impl Subject {
    /// Returns the word that reports print.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rule => "rule",
            Self::Kind => "kind",
            Self::ApiVersion => "api-version",
            Self::Field => "field",
            Self::Value => "value",
            Self::Advisory => "advisory",
            Self::Undetectable => "undetectable",
        }
    }
}

/// One change between two releases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What it is about.
    pub subject: Subject,
    /// The kinds, as they are called where the change starts; none where it is about all.
    pub kinds: Vec<GroupKind>,
    /// What names it: a rule's id, a field, an advisory's id.
    pub name: String,
    /// What happens, as one sentence without a final dot.
    pub text: String,
    /// What it costs on the way there; nothing where nothing is to do.
    pub there: BTreeSet<Cost>,
    /// What it costs on the way back.
    pub back: BTreeSet<Cost>,
}

/// Lists every change from the release `from` to the release `to`: the rules in the pack's order, then the rest, sorted.
pub fn matrix(pack: &Pack, from: ReleaseId, to: ReleaseId) -> Vec<Change> {
    let sides = Sides { pack, from, to };
    let mut changes = sides.told();
    let mut met = BTreeSet::new();
    for kind in pack.kinds() {
        let Some(catalog) = pack.catalog(kind).filter(|catalog| catalog.releases().contains(from)) else { continue };
        let crossing = Crossing::new(pack, kind, sides.order(from), sides.order(to));
        met.insert(crossing.kind.clone());
        match pack.catalog(&crossing.kind).filter(|new| new.releases().contains(to)) {
            None => changes.push(sides.kind(kind, Fate::Vanishes)),
            Some(new) => changes.extend(sides.fields(catalog, new)),
        }
    }
    let there = pack.kinds().filter(|kind| pack.catalog(kind).is_some_and(|catalog| catalog.releases().contains(to)));
    changes.extend(there.filter(|kind| !met.contains(kind)).map(|kind| sides.kind(kind, Fate::Appears)));
    changes.sort_by(|left, right| {
        let key = |change: &Change| (change.subject, change.kinds.clone(), change.name.clone(), change.text.clone());
        key(left).cmp(&key(right))
    });
    let mut all = sides.rules();
    all.extend(changes);
    all
}

/// Whether something is on the near side only or on the far side only.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Vanishes,
    Appears,
}

impl Fate {
    const fn verb(self) -> &'static str {
        match self {
            Self::Vanishes => "vanishes",
            Self::Appears => "appears",
        }
    }

    /// Returns the costs of the way there and back: what is missing on a side costs on the way to it.
    fn costs(self, cost: Cost) -> [BTreeSet<Cost>; 2] {
        match self {
            Self::Vanishes => [BTreeSet::from([cost]), BTreeSet::new()],
            Self::Appears => [BTreeSet::new(), BTreeSet::from([cost])],
        }
    }
}

struct Sides<'p> {
    pack: &'p Pack,
    from: ReleaseId,
    to: ReleaseId,
}

impl Sides<'_> {
    fn order(&self, release: ReleaseId) -> usize {
        self.pack.line().get(release).order
    }

    /// Lists the rules between the releases, and those that one of them wants and the other does not.
    fn rules(&self) -> Vec<Change> {
        self.pack.rule_files().iter().filter_map(|rules| self.rule(rules)).collect()
    }

    fn rule(&self, rules: &[&Rule]) -> Option<Change> {
        let rule = rules.first()?;
        let (from, to) = (self.order(self.from), self.order(self.to));
        let way = if from <= to { Direction::Forward } else { Direction::Backward };
        if rule.within.is_none() && !rules.iter().any(|rule| self.concerns(rule, way)) {
            return None;
        }
        let costs = |direction| rule.lens(direction).fidelities().into_iter().map(Cost::of).collect::<BTreeSet<_>>();
        let [there, back] = match rule.within {
            None if from < rule.order && rule.order <= to => [Direction::Forward, Direction::Backward].map(costs),
            None if to < rule.order && rule.order <= from => [Direction::Backward, Direction::Forward].map(costs),
            None => return None,
            // What is not there before cannot break what is wanted afterwards.
            Some(within) => {
                match [self.from, self.to].map(|release| within.contains(release) || !self.has_any(rules, release)) {
                    [false, _] if within.contains(self.to) => [costs(Direction::Forward), BTreeSet::new()],
                    [_, false] if within.contains(self.from) => [BTreeSet::new(), costs(Direction::Forward)],
                    _ => return None,
                }
            }
        };
        let kinds = rules.iter().map(|rule| rule.kind.clone()).collect();
        Some(Change { subject: Subject::Rule, kinds, name: rule.id.clone(), text: rule.summary.clone(), there, back })
    }

    /// Says whether `release` has one of the rules' kinds.
    fn has_any(&self, rules: &[&Rule], release: ReleaseId) -> bool {
        let has =
            |rule: &&Rule| self.pack.catalog(&rule.kind).is_some_and(|catalog| catalog.releases().contains(release));
        rules.iter().any(has)
    }

    /// Says whether one of the releases has something that a rule is about, on its own side of it.
    fn concerns(&self, rule: &Rule, way: Direction) -> bool {
        let claims = rule.lens(way).claims();
        let sides = [(self.from, rule.from_kind(way), &claims.old), (self.to, rule.to_kind(way), &claims.new)];
        let claims_nothing = claims.old.is_empty() && claims.new.is_empty() && rule.kind == rule.new_kind;
        sides.into_iter().any(|(release, kind, fields)| {
            let channel = self.pack.line().get(release).channel;
            let Some(catalog) = self.pack.catalog(kind).filter(|catalog| catalog.releases().contains(release)) else {
                return false;
            };
            let has = |field: &FieldPattern| catalog.having(field).contains(release);
            rule.kind != rule.new_kind || fields.iter().any(has) || claims_nothing && rule.channels.contains(&channel)
        })
    }

    /// Lists the advisories of the bundles between the releases, and what no field shows.
    fn told(&self) -> Vec<Change> {
        let (from, to) = (self.order(self.from), self.order(self.to));
        let [start, goal] = [self.from, self.to].map(|release| self.pack.line().get(release));
        let told = |is_told: bool| is_told.then_some(Cost::Advisory).into_iter().collect::<BTreeSet<_>>();
        let notes = self.pack.notes();
        let advisories = notes.advisories.iter().map(|note| Change {
            subject: Subject::Advisory,
            kinds: note.kinds.clone(),
            name: note.id.clone(),
            text: note.message.clone(),
            there: told(note.is_crossed(start, goal)),
            back: told(note.is_crossed(goal, start)),
        });
        let between = |order: usize| from.min(to) < order && order <= from.max(to);
        let undetectable = notes.undetectable.iter().filter(|note| between(note.order)).map(|note| Change {
            subject: Subject::Undetectable,
            kinds: note.kinds.clone(),
            name: note.id.clone(),
            text: format!("{} ({})", note.what, note.reason),
            there: told(true),
            back: told(true),
        });
        advisories.filter(|change| !change.there.is_empty() || !change.back.is_empty()).chain(undetectable).collect()
    }

    fn kind(&self, kind: &GroupKind, fate: Fate) -> Change {
        let [there, back] = fate.costs(Cost::Refused);
        let text = format!("the kind {}", fate.verb());
        Change { subject: Subject::Kind, kinds: vec![kind.clone()], name: kind.to_string(), text, there, back }
    }

    /// Lists what the catalogs of a kind on both sides say differently.
    fn fields(&self, near: &Catalog, far: &Catalog) -> Vec<Change> {
        let mut changes = self.one_sided(near, far, [self.from, self.to], Fate::Vanishes);
        changes.extend(self.one_sided(far, near, [self.to, self.from], Fate::Appears));
        let version =
            |catalog: &Catalog, release| catalog.served(release).first().map(|version| version.name.to_owned());
        if let (Some(old), Some(new)) = (version(near, self.from), version(far, self.to))
            && old != new
        {
            let exact = BTreeSet::from([Cost::Exact]);
            changes.push(Change {
                subject: Subject::ApiVersion,
                kinds: vec![near.kind().clone()],
                name: "apiVersion".to_owned(),
                text: format!("{old} becomes {new}"),
                there: exact.clone(),
                back: exact,
            });
        }
        changes
    }

    /// Lists the fields and values that the catalog `here` has in the first release and `other` lacks in the second.
    fn one_sided(&self, here: &Catalog, other: &Catalog, [at, away]: [ReleaseId; 2], fate: Fate) -> Vec<Change> {
        let crossing = Crossing::new(self.pack, here.kind(), self.order(at), self.order(away));
        let patterns: BTreeSet<FieldPattern> = here.fields().map(|field| field.pattern).collect();
        let mut changes = Vec::new();
        let mut missing: Vec<FieldPattern> = Vec::new();
        for field in patterns.iter().filter(|field| here.having(field).contains(at)) {
            let image = match crossing.image(field) {
                Image::Kept => field.clone(),
                Image::Moved(moved) => moved,
                Image::Dropped | Image::Refused => continue,
            };
            if missing.iter().any(|above| field.starts_with(above)) {
                continue;
            }
            if other.having(&image).contains(away) {
                changes.extend(self.values(here, other, [field, &image], [at, away], &crossing, fate));
                continue;
            }
            missing.push(field.clone());
            let [there, back] = fate.costs(Cost::Lossy);
            let text = format!("the field {}", fate.verb());
            let kinds = vec![here.kind().clone()];
            changes.push(Change { subject: Subject::Field, kinds, name: field.to_string(), text, there, back });
        }
        changes
    }

    /// Lists the values of a field that only one side allows.
    fn values(
        &self,
        here: &Catalog,
        other: &Catalog,
        [field, image]: [&FieldPattern; 2],
        [at, away]: [ReleaseId; 2],
        crossing: &Crossing<'_>,
        fate: Fate,
    ) -> Vec<Change> {
        let (Some(old), Some(new)) = (allowed(here, field, at), allowed(other, image, away)) else { return Vec::new() };
        let goes = |value: &&Value| {
            let mapped = value.as_str().map(|text| Value::from(crossing.value_image(field, text)));
            !new.contains(mapped.as_ref().unwrap_or(value)) && !crossing.refuses_value(field, value)
        };
        let cost = self.cost_of_values(here.kind(), field);
        let change = |value: &Value| {
            let [there, back] = fate.costs(cost);
            let text = format!("the value {value} {}", fate.verb());
            let kinds = vec![here.kind().clone()];
            Change { subject: Subject::Value, kinds, name: field.to_string(), text, there, back }
        };
        old.iter().filter(goes).map(change).collect()
    }

    /// An item of a union goes as a whole; any other value holds its object back.
    fn cost_of_values(&self, kind: &GroupKind, field: &FieldPattern) -> Cost {
        let unions = &self.pack.notes().unions;
        let types = unions.iter().filter(|union| union.kind == *kind);
        let mut types = types.map(|union| union.items.with(Part::Key(union.by.clone())));
        if types.any(|by| by == *field) { Cost::Lossy } else { Cost::Refused }
    }
}

/// Returns the values that a release allows in a field; `None` where it allows any.
pub(super) fn allowed(catalog: &Catalog, field: &FieldPattern, release: ReleaseId) -> Option<Vec<Value>> {
    let rows = catalog.fields_of(field).filter(|field| field.releases.contains(release));
    let lists: Option<Vec<_>> = rows.map(|field| field.attributes.allowed.clone()).collect();
    Some(lists?.into_iter().flatten().collect())
}
