//! Answers: what changes between two releases, and what does each change cost forward and backward?
//!
//! [`matrix`] lists the rules between the releases, then the differences of the catalogs of both sides that no rule
//! converts: kinds, fields (the outermost ones), values, limits, apiVersions; then advisories.
//!
//! Invariant: what a rule converts is listed with the rule and nowhere else.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::authoring::constraints::{About, Constraints, Difference, allowed, differences, is_required};
use crate::authoring::rule_path::{Conversion, RulePath};
use crate::knowledge::catalog::{Catalog, GroupSource, Reference};
use crate::knowledge::lens::{Direction, Fidelity};
use crate::knowledge::pack::pack::Pack;
use crate::knowledge::pack::rules::Rule;
use crate::knowledge::pack::wire::Moves;
use crate::knowledge::release::{GroupKind, ReleaseId};
use crate::syntax::field::{FieldPattern, Part};

/// What a change costs in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cost {
    /// Nothing is lost, and converting back restores the bytes.
    Exact,
    /// The meaning is preserved, but converting back does not restore the text.
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
            Self::Exact => Fidelity::Exact.name(),
            Self::Normalized => Fidelity::Normalized.name(),
            Self::Lossy => Fidelity::Lossy.name(),
            Self::Refused => Fidelity::Refused.name(),
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
    /// A rule converts it, or holds back what cannot be converted.
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
    /// What it costs to convert; empty if nothing is to be done.
    pub forward: BTreeSet<Cost>,
    /// What it costs to convert back.
    pub backward: BTreeSet<Cost>,
}

impl Change {
    fn of_kind(
        subject: Subject,
        kind: &GroupKind,
        name: impl ToString,
        text: String,
        [forward, backward]: [BTreeSet<Cost>; 2],
    ) -> Self {
        Self { subject, kinds: vec![kind.clone()], name: name.to_string(), text, forward, backward }
    }
}

/// Lists every change from the release `from` to the release `to`: the rules in the pack's order, then the rest, sorted.
pub fn matrix(pack: &Pack, from: ReleaseId, to: ReleaseId) -> Vec<Change> {
    let sides = Sides { pack, from, to };
    let mut changes = sides.advisories();
    let mut mapped = BTreeSet::new();
    for kind in pack.kinds() {
        let Some(catalog) = pack.catalog(kind).filter(|catalog| catalog.releases().contains(from)) else { continue };
        let path = RulePath::between(pack, kind, from, to);
        mapped.insert(path.kind.clone());
        match pack.catalog(&path.kind).filter(|new| new.releases().contains(to)) {
            None => changes.push(kind_change(kind, Presence::Removed)),
            Some(new) => changes.extend(sides.fields(catalog, new)),
        }
    }
    let comes_back = |kind: &GroupKind| pack.has_kind(&RulePath::between(pack, kind, to, from).kind, from);
    let appears = |kind: &&GroupKind| pack.has_kind(kind, to) && !mapped.contains(*kind) && !comes_back(kind);
    changes.extend(pack.kinds().filter(appears).map(|kind| kind_change(kind, Presence::Added)));
    changes.sort_by(|left, right| {
        let key = |change: &Change| (change.subject, change.kinds.clone(), change.name.clone(), change.text.clone());
        key(left).cmp(&key(right))
    });
    let mut all = sides.rules();
    all.extend(changes);
    all
}

/// Whether something is on the source side only or on the target side only.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Presence {
    Removed,
    Added,
}

impl Presence {
    const fn verb(self) -> &'static str {
        match self {
            Self::Removed => "is removed",
            Self::Added => "is added",
        }
    }

    /// Returns the costs of converting and of converting back: what a side does not have costs when converting to it.
    fn costs(self, cost: Cost) -> [BTreeSet<Cost>; 2] {
        match self {
            Self::Removed => [BTreeSet::from([cost]), BTreeSet::new()],
            Self::Added => [BTreeSet::new(), BTreeSet::from([cost])],
        }
    }
}

struct Sides<'p> {
    pack: &'p Pack,
    from: ReleaseId,
    to: ReleaseId,
}

impl<'p> Sides<'p> {
    fn order(&self, release: ReleaseId) -> usize {
        self.pack.line().get(release).order
    }

    /// Lists the rules between the releases, and those that one of them requires and the other does not.
    fn rules(&self) -> Vec<Change> {
        self.pack.rule_files().iter().filter(|rules| rules[0].is_step()).filter_map(|rules| self.rule(rules)).collect()
    }

    fn rule(&self, rules: &[&Rule]) -> Option<Change> {
        let rule = rules.first()?;
        let (from, to) = (self.order(self.from), self.order(self.to));
        let conversion = if from <= to { Direction::Forward } else { Direction::Backward };
        let late = [[self.from, self.to], [self.to, self.from]].map(|conversion| self.is_late(rules, conversion));
        if rule.within.is_none() && !late.contains(&true) && !rules.iter().any(|rule| self.concerns(rule, conversion)) {
            return None;
        }
        let costs = |direction| {
            let costs = rule.lens(direction).fidelities().into_iter().map(Cost::of);
            costs.chain(self.writes_groups(rules, direction).then_some(Cost::Normalized)).collect::<BTreeSet<_>>()
        };
        let [forward, backward] = match rule.within {
            None if rule.api_versions.is_some() => [[self.from, self.to], [self.to, self.from]].map(|conversion| {
                rules.iter().filter_map(|rule| self.direction(rule, conversion)).flat_map(costs).collect()
            }),
            None if from < rule.order && rule.order <= to => [Direction::Forward, Direction::Backward].map(costs),
            None if to < rule.order && rule.order <= from => [Direction::Backward, Direction::Forward].map(costs),
            // Objects of the old kind are converted after the bundle too, and not back.
            None if late.contains(&true) => {
                late.map(|late| if late { costs(Direction::Forward) } else { BTreeSet::new() })
            }
            None => return None,
            // A kind that a side does not have cannot violate a limit of the other side.
            Some(within) => {
                match [self.from, self.to].map(|release| within.contains(release) || !self.has_any(rules, release)) {
                    [false, _] if within.contains(self.to) => [costs(Direction::Forward), BTreeSet::new()],
                    [_, false] if within.contains(self.from) => [BTreeSet::new(), costs(Direction::Forward)],
                    _ => return None,
                }
            }
        };
        let holds_back = forward.contains(&Cost::Refused) || backward.contains(&Cost::Refused);
        if forward.is_empty() && backward.is_empty() || !holds_back && self.is_always_held_back(rules) {
            return None;
        }
        let kinds = rules.iter().map(|rule| rule.kind.clone()).collect();
        Some(Change {
            subject: Subject::Rule,
            kinds,
            name: rule.id.clone(),
            text: rule.summary.clone(),
            forward,
            backward,
        })
    }

    /// Returns whether the rules are of a bundle that lies before both releases, and run for an old kind that only the first has.
    fn is_late(&self, rules: &[&Rule], [from, to]: [ReleaseId; 2]) -> bool {
        rules.iter().any(|rule| {
            let exists = self.pack.has_kind(&rule.kind, from);
            let is_past = rule.order <= self.order(from) && self.order(from) <= self.order(to);
            let meets = |path: &RulePath<'_>| path.rules.iter().any(|(other, _)| std::ptr::eq(*other, *rule));
            exists && is_past && meets(&RulePath::between(self.pack, &rule.kind, from, to))
        })
    }

    /// Returns the direction in which a rule runs on the path from one release to another.
    fn direction(&self, rule: &Rule, [from, to]: [ReleaseId; 2]) -> Option<Direction> {
        let path = RulePath::between(self.pack, &rule.kind, from, to);
        let back = RulePath::between(self.pack, &rule.new_kind, from, to);
        let mut steps = path.rules.into_iter().chain(back.rules);
        steps.find(|(other, _)| std::ptr::eq(*other, rule)).map(|(_, direction)| direction)
    }

    /// Returns whether the rules take a kind out of a group that references to it can leave to a default, in objects that keep that
    /// default: the group is written then, and not removed when converting back.
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

    /// Returns whether every kind that the rules apply to is held back, since the other side does not have it.
    fn is_always_held_back(&self, rules: &[&Rule]) -> bool {
        if rules.iter().any(|rule| self.pack.is_foreign(&rule.kind)) {
            return false;
        }
        let ways = [[self.from, self.to], [self.to, self.from]];
        let starts = ways.into_iter().flat_map(|conversion| self.pack.kinds().map(move |kind| (kind, conversion)));
        let crossings = starts.filter(|(kind, [from, _])| self.pack.has_kind(kind, *from)).map(|(kind, [from, to])| {
            let path = RulePath::between(self.pack, kind, from, to);
            let meets = path.rules.iter().any(|(mapped, _)| rules.iter().any(|rule| std::ptr::eq(*rule, *mapped)));
            (meets, self.pack.has_kind(&path.kind, to))
        });
        let mapped: Vec<bool> = crossings.filter(|(meets, _)| *meets).map(|(_, exists)| exists).collect();
        !mapped.is_empty() && !mapped.contains(&true)
    }

    /// Returns whether `release` has one of the rules' kinds.
    fn has_any(&self, rules: &[&Rule], release: ReleaseId) -> bool {
        rules.iter().any(|rule| self.pack.has_kind(&rule.kind, release))
    }

    /// Returns whether one of the releases has something that a rule is about, on its own side of it.
    fn concerns(&self, rule: &Rule, conversion: Direction) -> bool {
        // Objects of other packs, and values, exist in every release.
        if self.pack.is_foreign(&rule.kind) {
            return true;
        }
        let claims = rule.lens(conversion).claims();
        let (old, new) = match conversion {
            Direction::Forward => (&rule.kind, &rule.final_kind),
            Direction::Backward => (&rule.final_kind, &rule.kind),
        };
        let sides = [(self.from, old, &claims.old), (self.to, new, &claims.new)];
        let claims_nothing = claims.old.is_empty() && claims.new.is_empty() && rule.kind == rule.new_kind;
        sides.into_iter().any(|(release, kind, fields)| {
            let channel = &self.pack.line().get(release).channel;
            let Some(catalog) = self.pack.catalog(kind).filter(|catalog| catalog.releases().contains(release)) else {
                return false;
            };
            let is_metadata = |field: &FieldPattern| field.parts().first() == Some(&Part::Key("metadata".to_owned()));
            let has = |field: &FieldPattern| is_metadata(field) || catalog.having(field).contains(release);
            rule.kind != rule.new_kind || fields.iter().any(has) || claims_nothing && rule.is_made_in(channel)
        })
    }

    /// Lists the advisories of the bundles between the releases, and what no field shows.
    fn advisories(&self) -> Vec<Change> {
        let (from, to) = (self.order(self.from), self.order(self.to));
        let line = self.pack.line();
        let reported = |is_reported: bool| is_reported.then_some(Cost::Advisory).into_iter().collect::<BTreeSet<_>>();
        let notes = self.pack.release_notes();
        let advisories = notes.advisories.iter().map(|note| Change {
            subject: Subject::Advisory,
            kinds: note.kinds.clone(),
            name: note.id.clone(),
            text: note.message.clone(),
            forward: reported(note.applies_between(line, self.from, self.to)),
            backward: reported(note.applies_between(line, self.to, self.from)),
        });
        let between = |order: usize| from.min(to) < order && order <= from.max(to);
        let undetectable = notes.undetectable.iter().filter(|note| between(note.order)).map(|note| Change {
            subject: Subject::Undetectable,
            kinds: note.kinds.clone(),
            name: note.id.clone(),
            text: format!("{} ({})", note.change, note.reason),
            forward: reported(true),
            backward: reported(true),
        });
        let moves = notes.moves.iter().filter(|note| between(note.order)).map(|note| Change {
            subject: Subject::Advisory,
            kinds: note.kinds.clone(),
            name: note.id.clone(),
            text: moved(note),
            forward: reported(from < to),
            backward: reported(from > to),
        });
        let crossed = advisories.filter(|change| !change.forward.is_empty() || !change.backward.is_empty());
        crossed.chain(moves).chain(undetectable).collect()
    }

    /// Lists the differences of the catalogs of a kind on both sides; not those of converting back if that does not lead to the
    /// source kind.
    fn fields(&self, source: &'p Catalog, target: &'p Catalog) -> Vec<Change> {
        let conversion = |source: &'p Catalog, target: &'p Catalog, from, to| {
            let path = RulePath::between(self.pack, source.kind(), from, to);
            Conversion { source, target, from, to, path }
        };
        let forward = conversion(source, target, self.from, self.to);
        let backward = conversion(target, source, self.to, self.from);
        let mut changes = self.one_sided(&forward, Presence::Removed);
        if backward.path.kind != *source.kind() {
            return changes;
        }
        changes.extend(self.one_sided(&backward, Presence::Added));
        changes.extend(limits(self.pack, &forward, &backward));
        let version =
            |catalog: &Catalog, release| catalog.served(release).first().map(|version| version.name.to_owned());
        if let (Some(old), Some(new)) = (version(source, self.from), version(target, self.to))
            && old != new
        {
            let exact = BTreeSet::from([Cost::Exact]);
            let text = format!("{old} becomes {new}");
            changes.push(Change::of_kind(
                Subject::ApiVersion,
                source.kind(),
                "apiVersion",
                text,
                [exact.clone(), exact],
            ));
        }
        changes
    }

    /// Lists the fields and values that the source side of `conversion` has and the target lacks.
    fn one_sided(&self, conversion: &Conversion<'_>, presence: Presence) -> Vec<Change> {
        let kind = conversion.source.kind();
        let mut changes = Vec::new();
        let mut missing: Vec<FieldPattern> = Vec::new();
        for field in conversion.fields() {
            let (images, places) = (conversion.path.images(&field), conversion.places(&field));
            let forward = places.iter().filter(|place| conversion.target.has(place, conversion.to));
            let forward: Vec<_> = forward.collect();
            let is_taken = places.len() < images.len();
            if missing.iter().any(|above| field.starts_with(above)) || forward.is_empty() && is_taken {
                continue;
            }
            if forward.is_empty() {
                let mut costs = presence.costs(Cost::Lossy);
                if requires(conversion, &field) {
                    // A field that its side requires is missing in objects of the other side.
                    costs.iter_mut().filter(|costs| costs.is_empty()).for_each(|costs| *costs = [Cost::Refused].into());
                }
                let text = format!("the field {}", presence.verb());
                changes.push(Change::of_kind(Subject::Field, kind, &field, text, costs));
                missing.push(field);
                continue;
            }
            changes.extend(forward.into_iter().flat_map(|place| self.values(conversion, [&field, place], presence)));
        }
        changes
    }

    /// Lists the values of a field that only the source side of `conversion` allows.
    fn values(
        &self,
        conversion: &Conversion<'_>,
        [field, place]: [&FieldPattern; 2],
        presence: Presence,
    ) -> Vec<Change> {
        let (Some(old), Some(new)) =
            (allowed(conversion.source, field, conversion.from), allowed(conversion.target, place, conversion.to))
        else {
            return Vec::new();
        };
        let is_missing = |value: &&Value| {
            let mapped = conversion.path.value_image(field, value);
            !new.contains(&mapped) && !conversion.path.claims_value(field, value)
        };
        let kind = conversion.source.kind();
        let cost = self.cost_of_values(kind, field);
        let change = |value: &Value| {
            let text = format!("the value {value} {}", presence.verb());
            Change::of_kind(Subject::Value, kind, field, text, presence.costs(cost))
        };
        old.iter().filter(is_missing).map(change).collect()
    }

    /// An item of a union is dropped as a whole; any other value holds its object back.
    fn cost_of_values(&self, kind: &GroupKind, field: &FieldPattern) -> Cost {
        let unions = &self.pack.release_notes().unions;
        let types = unions.iter().filter(|union| union.kind == *kind);
        let mut types = types.map(|union| union.items.with(Part::Key(union.discriminator.clone())));
        if types.any(|by| by == *field) { Cost::Lossy } else { Cost::Refused }
    }
}

/// A kind that is on one side only.
fn kind_change(kind: &GroupKind, presence: Presence) -> Change {
    let text = format!("the kind {}", presence.verb());
    Change::of_kind(Subject::Kind, kind, kind, text, presence.costs(Cost::Refused))
}

/// Returns whether a limit of the target side on `field` is left to the user because no rule handles it.
fn leaves(pack: &Pack, conversion: &Conversion<'_>, field: &FieldPattern, difference: &Difference) -> bool {
    let path = &conversion.path;
    let is_kept = |value: &Value| path.value_image(field, value) == *value;
    // A required field exists if rules find it in one place or another, and an entry always has a value.
    let is_required = difference.about != About::Presence
        || path.images(field).len() == 1 && field.parts().last() != Some(&Part::Values);
    let is_about_nothing = difference.about == About::Presence || difference.only == Some(Value::Array(Vec::new()));
    is_required
        && !path.satisfies(field)
        && difference.only.as_ref().is_none_or(is_kept)
        && !(is_about_nothing && brings(pack, conversion, field))
}

/// Returns whether a rule that the target side requires sets `field` if it is absent or empty.
fn brings(pack: &Pack, conversion: &Conversion<'_>, field: &FieldPattern) -> bool {
    let is_required = |rule: &&Rule| {
        rule.kind == conversion.path.kind && rule.within.is_some_and(|within| within.contains(conversion.to))
    };
    let places = conversion.places(field);
    let brings = |rule: &Rule| places.iter().any(|place| rule.lens(Direction::Forward).fills_absent(place));
    pack.rules().iter().filter(is_required).any(brings)
}

/// Returns whether the source side requires a field, in something that the target side has too.
fn requires(conversion: &Conversion<'_>, field: &FieldPattern) -> bool {
    let above = field.split_last().map(|(above, _)| above).unwrap_or_default();
    let is_shared = above.parts().is_empty() || conversion.target.having(&above).contains(conversion.to);
    is_shared && is_required(conversion.source, field, conversion.from)
}

/// Lists the fields that both sides have and that one of them limits further, without those that rules convert.
fn limits(pack: &Pack, forward: &Conversion<'_>, backward: &Conversion<'_>) -> Vec<Change> {
    let fields = forward.fields();
    let pairs = fields.iter().flat_map(|field| forward.places(field).into_iter().map(move |place| (field, place)));
    let pairs: Vec<_> = pairs.collect();
    let mut changes = Vec::new();
    for (field, place) in &pairs {
        let source = Constraints::of(forward.source, field, forward.from);
        let Some((source, target)) = source.zip(Constraints::of(forward.target, place, forward.to)) else { continue };
        let is_only_source = pairs.iter().filter(|(_, other)| other == place).count() == 1;
        let mut costs = [Cost::Exact; 2];
        let mut texts = Vec::new();
        for difference in differences(&source, &target) {
            let reported = [
                difference.target_rejects && leaves(pack, forward, field, &difference) && is_only_source,
                difference.source_rejects && leaves(pack, backward, place, &difference),
            ];
            costs
                .iter_mut()
                .zip(reported)
                .filter(|(_, reported)| *reported)
                .for_each(|(cost, _)| *cost = Cost::Refused);
            texts.extend(reported.contains(&true).then_some(difference.text));
        }
        if !texts.is_empty() {
            let costs = costs.map(|cost| BTreeSet::from([cost]));
            changes.push(Change::of_kind(Subject::Limit, forward.source.kind(), field, texts.join("; "), costs));
        }
    }
    changes
}

/// Describes what moves where.
fn moved(note: &Moves) -> String {
    let kinds: Vec<&str> = note.kinds.iter().map(|kind| kind.kind.as_str()).collect();
    let fields = note.fields.iter().map(|(field, to)| format!("{} moves to {to}", note.each.join(field)));
    format!("{}: {}", kinds.join(", "), fields.collect::<Vec<_>>().join("; "))
}
