//! Answers: what changes between two releases, and what does each change cost on the way there and on the way back?
//!
//! [`matrix`] lists the rules that stand between the releases, then what the catalogs of both sides say differently and no
//! rule takes across: kinds, fields (the outermost ones), values, limits, apiVersions; then what is only told.
//!
//! Invariant: what a rule takes across is listed with the rule and nowhere else.

use std::collections::BTreeSet;

use serde_json::Value;

use super::crossing::Crossing;
use super::limits::{About, Difference, Limits, allowed, differences, has};
use super::notes::Moves;
use super::{Pack, Rule};
use crate::catalog::{Catalog, GroupSource, Reference};
use crate::field::{FieldPattern, Part};
use crate::lens::{Direction, Fidelity};
use crate::release::{GroupKind, ReleaseId};

/// What a change costs in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cost {
    /// Nothing is lost, and the bytes come back.
    Exact,
    /// The meaning stays, and what is written another way does not come back as it was.
    Normalized,
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
            Self::Normalized => "normalized",
            Self::Lossy => "lossy",
            Self::Refused => "held-back",
            Self::Advisory => "advisory",
        }
    }

    const fn of(fidelity: Fidelity) -> Self {
        match fidelity {
            Fidelity::Exact => Self::Exact,
            Fidelity::Normalized => Self::Normalized,
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
    /// A field is limited further on one side.
    Limit,
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
            Self::Limit => "limit",
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
        let crossing = Crossing::between(pack, kind, from, to);
        met.insert(crossing.kind.clone());
        match pack.catalog(&crossing.kind).filter(|new| new.releases().contains(to)) {
            None => changes.push(sides.kind(kind, Fate::Vanishes)),
            Some(new) => changes.extend(sides.fields(catalog, new)),
        }
    }
    let lives =
        |kind: &GroupKind, release| pack.catalog(kind).is_some_and(|catalog| catalog.releases().contains(release));
    let comes_back = |kind: &GroupKind| lives(&Crossing::between(pack, kind, to, from).kind, from);
    let appears = |kind: &&GroupKind| lives(kind, to) && !met.contains(*kind) && !comes_back(kind);
    changes.extend(pack.kinds().filter(appears).map(|kind| sides.kind(kind, Fate::Appears)));
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
        self.pack.rule_files().iter().filter(|rules| rules[0].is_step()).filter_map(|rules| self.rule(rules)).collect()
    }

    fn rule(&self, rules: &[&Rule]) -> Option<Change> {
        let rule = rules.first()?;
        let (from, to) = (self.order(self.from), self.order(self.to));
        let way = if from <= to { Direction::Forward } else { Direction::Backward };
        let late = [[self.from, self.to], [self.to, self.from]].map(|way| self.is_late(rules, way));
        if rule.within.is_none() && !late.contains(&true) && !rules.iter().any(|rule| self.concerns(rule, way)) {
            return None;
        }
        let costs = |direction| {
            let costs = rule.lens(direction).fidelities().into_iter().map(Cost::of);
            costs.chain(self.writes_groups(rules, direction).then_some(Cost::Normalized)).collect::<BTreeSet<_>>()
        };
        let [there, back] = match rule.within {
            None if from < rule.order && rule.order <= to => [Direction::Forward, Direction::Backward].map(costs),
            None if to < rule.order && rule.order <= from => [Direction::Backward, Direction::Forward].map(costs),
            // Objects of the old kind go on past the bundle, and do not come back.
            None if late.contains(&true) => {
                late.map(|late| if late { costs(Direction::Forward) } else { BTreeSet::new() })
            }
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
        let holds_back = there.contains(&Cost::Refused) || back.contains(&Cost::Refused);
        if there.is_empty() && back.is_empty() || !holds_back && self.is_doomed(rules) {
            return None;
        }
        let kinds = rules.iter().map(|rule| rule.kind.clone()).collect();
        Some(Change { subject: Subject::Rule, kinds, name: rule.id.clone(), text: rule.summary.clone(), there, back })
    }

    /// Says whether the rules are of a bundle that lies before both releases, and run for an old kind that only the first has.
    fn is_late(&self, rules: &[&Rule], [from, to]: [ReleaseId; 2]) -> bool {
        rules.iter().any(|rule| {
            let lives = self.pack.catalog(&rule.kind).is_some_and(|catalog| catalog.releases().contains(from));
            let is_past = rule.order <= self.order(from) && self.order(from) <= self.order(to);
            let meets = |crossing: &Crossing<'_>| crossing.rules.iter().any(|(other, _)| std::ptr::eq(*other, *rule));
            lives && is_past && meets(&Crossing::between(self.pack, &rule.kind, from, to))
        })
    }

    /// Says whether the rules take a kind out of a group that references to it can leave to a default, in objects that keep that
    /// default: the group is written then, and stays.
    fn writes_groups(&self, rules: &[&Rule], direction: Direction) -> bool {
        let ends = rules.iter().map(|rule| [rule.from_kind(direction), rule.to_kind(direction)]);
        let left: BTreeSet<&GroupKind> =
            ends.filter(|[from, to]| from.group != to.group).map(|[from, _]| from).collect();
        let is_forward = self.order(self.from) <= self.order(self.to);
        let start = if is_forward == (direction == Direction::Forward) { self.from } else { self.to };
        let defaults_to_one = |reference: &Reference| match &reference.group {
            GroupSource::Group { default: Some(group), .. } => left.iter().any(|kind| kind.group == *group),
            GroupSource::Group { default: None, .. } | GroupSource::ApiVersion { .. } | GroupSource::Implicit => false,
        };
        let writes = |catalog: &Catalog| {
            catalog.references().iter().any(|found| found.releases.contains(start) && defaults_to_one(found))
        };
        !left.is_empty()
            && self
                .pack
                .kinds()
                .filter(|kind| !left.contains(kind))
                .any(|kind| self.pack.catalog(kind).is_some_and(writes))
    }

    /// Says whether every kind that meets the rules is held back, since the other side does not have it.
    fn is_doomed(&self, rules: &[&Rule]) -> bool {
        if rules.iter().any(|rule| self.pack.is_guest(&rule.kind)) {
            return false;
        }
        let ways = [[self.from, self.to], [self.to, self.from]];
        let lives =
            |kind: &GroupKind, release| self.pack.catalog(kind).is_some_and(|it| it.releases().contains(release));
        let starts = ways.into_iter().flat_map(|way| self.pack.kinds().map(move |kind| (kind, way)));
        let crossings = starts.filter(|(kind, [from, _])| lives(kind, *from)).map(|(kind, [from, to])| {
            let crossing = Crossing::between(self.pack, kind, from, to);
            let meets = crossing.rules.iter().any(|(met, _)| rules.iter().any(|rule| std::ptr::eq(*rule, *met)));
            (meets, lives(&crossing.kind, to))
        });
        let met: Vec<bool> = crossings.filter(|(meets, _)| *meets).map(|(_, lives)| lives).collect();
        !met.is_empty() && !met.contains(&true)
    }

    /// Says whether `release` has one of the rules' kinds.
    fn has_any(&self, rules: &[&Rule], release: ReleaseId) -> bool {
        let has =
            |rule: &&Rule| self.pack.catalog(&rule.kind).is_some_and(|catalog| catalog.releases().contains(release));
        rules.iter().any(has)
    }

    /// Says whether one of the releases has something that a rule is about, on its own side of it.
    fn concerns(&self, rule: &Rule, way: Direction) -> bool {
        // Objects of other packs, and values, are there in every release.
        if self.pack.is_guest(&rule.kind) {
            return true;
        }
        let claims = rule.lens(way).claims();
        let (old, new) = match way {
            Direction::Forward => (&rule.kind, &rule.settled_kind),
            Direction::Backward => (&rule.settled_kind, &rule.kind),
        };
        let sides = [(self.from, old, &claims.old), (self.to, new, &claims.new)];
        let claims_nothing = claims.old.is_empty() && claims.new.is_empty() && rule.kind == rule.new_kind;
        sides.into_iter().any(|(release, kind, fields)| {
            let channel = self.pack.line().get(release).channel;
            let Some(catalog) = self.pack.catalog(kind).filter(|catalog| catalog.releases().contains(release)) else {
                return false;
            };
            let is_metadata = |field: &FieldPattern| field.parts().first() == Some(&Part::Key("metadata".to_owned()));
            let has = |field: &FieldPattern| is_metadata(field) || catalog.having(field).contains(release);
            rule.kind != rule.new_kind || fields.iter().any(has) || claims_nothing && rule.channels.contains(&channel)
        })
    }

    /// Lists the advisories of the bundles between the releases, and what no field shows.
    fn told(&self) -> Vec<Change> {
        let (from, to) = (self.order(self.from), self.order(self.to));
        let line = self.pack.line();
        let told = |is_told: bool| is_told.then_some(Cost::Advisory).into_iter().collect::<BTreeSet<_>>();
        let notes = self.pack.notes();
        let advisories = notes.advisories.iter().map(|note| Change {
            subject: Subject::Advisory,
            kinds: note.kinds.clone(),
            name: note.id.clone(),
            text: note.message.clone(),
            there: told(note.is_crossed(line, self.from, self.to)),
            back: told(note.is_crossed(line, self.to, self.from)),
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
        let moves = notes.moves.iter().filter(|note| between(note.order)).map(|note| Change {
            subject: Subject::Advisory,
            kinds: note.kinds.clone(),
            name: note.id.clone(),
            text: moved(note),
            there: told(from < to),
            back: told(from > to),
        });
        let crossed = advisories.filter(|change| !change.there.is_empty() || !change.back.is_empty());
        crossed.chain(moves).chain(undetectable).collect()
    }

    fn kind(&self, kind: &GroupKind, fate: Fate) -> Change {
        let [there, back] = fate.costs(Cost::Refused);
        let text = format!("the kind {}", fate.verb());
        Change { subject: Subject::Kind, kinds: vec![kind.clone()], name: kind.to_string(), text, there, back }
    }

    /// Lists what the catalogs of a kind on both sides say differently; nothing of the way back where that does not lead to
    /// the near kind.
    fn fields(&self, near: &Catalog, far: &Catalog) -> Vec<Change> {
        let there = Way::new(self.pack, near, far, [self.from, self.to]);
        let back = Way::new(self.pack, far, near, [self.to, self.from]);
        let mut changes = self.one_sided(&there, Fate::Vanishes);
        if back.crossing.kind != *near.kind() {
            return changes;
        }
        changes.extend(self.one_sided(&back, Fate::Appears));
        changes.extend(limits(&there, &back));
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

    /// Lists the fields and values that the near side of `way` has and the far one lacks.
    fn one_sided(&self, way: &Way<'_>, fate: Fate) -> Vec<Change> {
        let kind = way.near.kind();
        let mut changes = Vec::new();
        let mut missing: Vec<FieldPattern> = Vec::new();
        for field in way.fields() {
            let (images, places) = (way.crossing.images(&field), way.places(&field));
            let there = places.iter().filter(|place| has(way.far, place, way.to));
            let there: Vec<_> = there.collect();
            let is_taken = places.len() < images.len();
            if missing.iter().any(|above| field.starts_with(above)) || there.is_empty() && is_taken {
                continue;
            }
            if there.is_empty() {
                let mut costs = fate.costs(Cost::Lossy);
                if way.asks_for(&field) {
                    // What the side that has the field asks for is missing in what comes from the other one.
                    costs.iter_mut().filter(|costs| costs.is_empty()).for_each(|costs| *costs = [Cost::Refused].into());
                }
                let [there, back] = costs;
                let text = format!("the field {}", fate.verb());
                let kinds = vec![kind.clone()];
                changes.push(Change { subject: Subject::Field, kinds, name: field.to_string(), text, there, back });
                missing.push(field);
                continue;
            }
            changes.extend(there.into_iter().flat_map(|place| self.values(way, [&field, place], fate)));
        }
        changes
    }

    /// Lists the values of a field that only the near side of `way` allows.
    fn values(&self, way: &Way<'_>, [field, place]: [&FieldPattern; 2], fate: Fate) -> Vec<Change> {
        let (Some(old), Some(new)) = (allowed(way.near, field, way.from), allowed(way.far, place, way.to)) else {
            return Vec::new();
        };
        let goes = |value: &&Value| {
            let mapped = value.as_str().map(|text| Value::from(way.crossing.value_image(field, text)));
            !new.contains(mapped.as_ref().unwrap_or(value)) && !way.crossing.claims_value(field, value)
        };
        let kind = way.near.kind();
        let cost = self.cost_of_values(kind, field);
        let change = |value: &Value| {
            let [there, back] = fate.costs(cost);
            let text = format!("the value {value} {}", fate.verb());
            Change { subject: Subject::Value, kinds: vec![kind.clone()], name: field.to_string(), text, there, back }
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

/// The way of a kind's objects from one release to the other.
struct Way<'p> {
    pack: &'p Pack,
    near: &'p Catalog,
    far: &'p Catalog,
    from: ReleaseId,
    to: ReleaseId,
    crossing: Crossing<'p>,
}

impl<'p> Way<'p> {
    fn new(pack: &'p Pack, near: &'p Catalog, far: &'p Catalog, [from, to]: [ReleaseId; 2]) -> Self {
        Self { pack, near, far, from, to, crossing: Crossing::between(pack, near.kind(), from, to) }
    }

    /// Returns the fields of the near side, in order.
    fn fields(&self) -> BTreeSet<FieldPattern> {
        let patterns = self.near.fields().filter(|field| field.releases.contains(self.from)).map(|field| field.pattern);
        let patterns: BTreeSet<FieldPattern> = patterns.collect();
        patterns.into_iter().filter(|field| has(self.near, field, self.from)).collect()
    }

    /// Returns every place in which the fields that match `field` can be found on the far side.
    fn places(&self, field: &FieldPattern) -> BTreeSet<FieldPattern> {
        self.crossing.images(field).iter().filter_map(|image| image.place(field)).collect()
    }

    /// Says whether a limit of the far side on `field` is left to the user: no rule sees to it.
    fn leaves(&self, field: &FieldPattern, difference: &Difference) -> bool {
        let is_kept = |value: &Value| value.as_str().is_none_or(|text| self.crossing.value_image(field, text) == text);
        // What is asked for is there where rules find it in one place or another, and an entry has always a value.
        let is_asked = difference.about == About::Value
            || self.crossing.images(field).len() == 1 && field.parts().last() != Some(&Part::Values);
        let is_about_nothing = difference.about == About::Presence || difference.only == Some(Value::Array(Vec::new()));
        is_asked
            && !self.crossing.settles(field)
            && difference.only.as_ref().is_none_or(is_kept)
            && !(is_about_nothing && self.brings(field))
    }

    /// Says whether a rule that the far side wants gives `field` where it is absent or empty.
    fn brings(&self, field: &FieldPattern) -> bool {
        let mine = |rule: &&Rule| {
            rule.kind == self.crossing.kind && rule.within.is_some_and(|within| within.contains(self.to))
        };
        let places = self.places(field);
        let brings = |rule: &Rule| places.iter().any(|place| rule.lens(Direction::Forward).fills_absent(place));
        self.pack.rules().iter().filter(mine).any(brings)
    }

    /// Says whether the near side asks for a field, in something that the far side has too.
    fn asks_for(&self, field: &FieldPattern) -> bool {
        let above = field.split_last().map(|(above, _)| above).unwrap_or_default();
        let shared = above.parts().is_empty() || self.far.having(&above).contains(self.to);
        shared && Limits::of(self.near, field, self.from).is_some_and(|limits| limits.is_required())
    }
}

/// Lists the fields that both sides have and that one of them limits further, but not what rules settle.
fn limits(there: &Way<'_>, back: &Way<'_>) -> Vec<Change> {
    let fields = there.fields();
    let pairs = fields.iter().flat_map(|field| there.places(field).into_iter().map(move |place| (field, place)));
    let pairs: Vec<_> = pairs.collect();
    let mut changes = Vec::new();
    for (field, place) in &pairs {
        let near = Limits::of(there.near, field, there.from);
        let Some((near, far)) = near.zip(Limits::of(there.far, place, there.to)) else { continue };
        let is_only_source = pairs.iter().filter(|(_, other)| other == place).count() == 1;
        let mut costs = [Cost::Exact; 2];
        let mut texts = Vec::new();
        for difference in differences(&near, &far) {
            let told = [
                difference.far_refuses && there.leaves(field, &difference) && is_only_source,
                difference.near_refuses && back.leaves(place, &difference),
            ];
            costs.iter_mut().zip(told).filter(|(_, told)| *told).for_each(|(cost, _)| *cost = Cost::Refused);
            texts.extend(told.contains(&true).then_some(difference.text));
        }
        if !texts.is_empty() {
            let [there_cost, back_cost] = costs.map(|cost| BTreeSet::from([cost]));
            changes.push(Change {
                subject: Subject::Limit,
                kinds: vec![there.near.kind().clone()],
                name: field.to_string(),
                text: texts.join("; "),
                there: there_cost,
                back: back_cost,
            });
        }
    }
    changes
}

/// Says what moves where.
fn moved(note: &Moves) -> String {
    let fields = note.fields.iter().map(|(field, to)| format!("{} is said by {to}", note.each.join(field)));
    fields.collect::<Vec<_>>().join("; ")
}
