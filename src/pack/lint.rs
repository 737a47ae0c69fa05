//! Answers: is a pack complete and free of contradictions, as far as that shows without an object?
//!
//! [`lint`] compares what the catalogs say of adjacent releases with what rules and `pack.yaml` claim: nothing vanishes
//! unnoticed, nothing is claimed that was never there, and each side of a rule can be told from the other.
//!
//! Invariant: a pack without a message loses nothing between two adjacent releases that it does not name.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::Value;

use super::crossing::Crossing;
use super::matrix::allowed;
use super::notes::Dropped;
use super::{Pack, Rule};
use crate::catalog::{Catalog, OUTSIDE};
use crate::field::{FieldPattern, Part};
use crate::lens::{Claims, Direction, Image, Lens};
use crate::release::{Channel, GroupKind, ReleaseId, ReleaseSet};

/// Something that is wrong with a pack.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Message {
    /// The file that says it, or should: `gateway-api/pack.yaml`.
    pub file: String,
    /// What is wrong, as one sentence without a final dot.
    pub text: String,
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file, self.text)
    }
}

/// Checks `pack`; `fixtures` are the files of its fixtures, as `<pack>/<bundle>/<rule>/<case>/<file>`, where they are at hand.
pub fn lint(pack: &Pack, fixtures: Option<&[String]>) -> Vec<Message> {
    let mut lint = Lint { pack, messages: BTreeSet::new(), used: BTreeSet::new() };
    let kinds: Vec<&GroupKind> = pack.kinds().collect();
    for kind in kinds {
        if let Some(catalog) = pack.catalog(kind) {
            lint.vanished(kind, catalog);
            lint.tombstones(catalog);
        }
    }
    pack.rules().iter().for_each(|rule| lint.rule(rule));
    lint.overlaps();
    lint.notes();
    if let Some(fixtures) = fixtures {
        lint.fixtures(fixtures);
    }
    lint.messages.into_iter().collect()
}

struct Lint<'p> {
    pack: &'p Pack,
    messages: BTreeSet<Message>,
    /// The positions of the entries of `dropped` that something vanished matched.
    used: BTreeSet<usize>,
}

impl<'p> Lint<'p> {
    fn say(&mut self, file: impl fmt::Display, text: impl Into<String>) {
        self.messages.insert(Message { file: file.to_string(), text: text.into() });
    }

    fn head(&self) -> String {
        format!("{}/pack.yaml", self.pack.name())
    }

    /// Returns the releases of the next bundle that take over from `release`: its own channel, or all where it ended.
    fn next(&self, release: ReleaseId) -> Vec<ReleaseId> {
        let line = self.pack.line();
        let here = line.get(release);
        let next: Vec<_> = line.iter().filter(|(_, other)| other.order == here.order + 1).collect();
        let same: Vec<_> = next.iter().filter(|(_, other)| other.channel == here.channel).collect();
        let next = if same.is_empty() { next.iter().collect() } else { same };
        next.into_iter().map(|(id, _)| *id).collect()
    }

    fn name(&self, release: ReleaseId) -> String {
        self.pack.line().get(release).to_string()
    }

    /// Says what vanishes from one release to the next without a claim.
    fn vanished(&mut self, kind: &GroupKind, catalog: &'p Catalog) {
        for from in catalog.releases().iter() {
            for to in self.next(from) {
                let (old, new) = (self.pack.line().get(from).order, self.pack.line().get(to).order);
                let crossing = Crossing::new(self.pack, kind, old, new);
                match self.pack.catalog(&crossing.kind).filter(|new| new.releases().contains(to)) {
                    Some(new) => self.vanished_fields(catalog, new, [from, to], &crossing),
                    None => self.vanished_kind(kind, to),
                }
            }
        }
    }

    /// Says that a kind vanishes; a rule claims it that holds every object of it back or that retyped it, then or before.
    fn vanished_kind(&mut self, kind: &GroupKind, to: ReleaseId) {
        let order = self.pack.line().get(to).order;
        let whole = FieldPattern::new([Part::Key("kind".to_owned())]);
        let mine = |rule: &&Rule| rule.kind == *kind && rule.order <= order && rule.within.is_none();
        let rules: Vec<_> = self.pack.rules().iter().filter(mine).collect();
        let refuses = |rule: &&Rule| rule.lens(Direction::Forward).image(&whole) == Image::Refused;
        let successors = rules.iter().map(|rule| &rule.new_kind).filter(|new| *new != kind);
        let successors: Vec<_> = successors.cloned().chain([kind.clone()]).collect();
        let lives = |kind: &GroupKind| self.pack.catalog(kind).is_some_and(|new| new.releases().contains(to));
        if rules.iter().any(refuses) || successors.iter().any(lives) {
            return;
        }
        // The entry may name what the kind had become.
        let listed = successors.iter().filter(|kind| self.is_dropped(kind, to, None, None)).count();
        if listed == 0 {
            let text = format!(
                "the kind {kind} is not in {}: no rule takes it on, and `dropped` does not list it",
                self.name(to)
            );
            self.say(self.head(), text);
        }
    }

    fn vanished_fields(
        &mut self,
        catalog: &Catalog,
        new: &Catalog,
        [from, to]: [ReleaseId; 2],
        crossing: &Crossing<'_>,
    ) {
        let patterns: BTreeSet<FieldPattern> = catalog.fields().map(|field| field.pattern).collect();
        for field in patterns.iter().filter(|field| catalog.having(field).contains(from)) {
            let image = match crossing.image(field) {
                Image::Kept => field.clone(),
                Image::Moved(moved) => moved,
                Image::Dropped | Image::Refused => continue,
            };
            if !new.having(&image).contains(to) {
                if !self.is_dropped(catalog.kind(), to, Some(field), None) {
                    let text = unclaimed(catalog.kind(), field, &image, &self.name(to));
                    self.say(self.head(), text);
                }
                continue;
            }
            let (Some(old), Some(new)) = (allowed(catalog, field, from), allowed(new, &image, to)) else { continue };
            for value in old {
                let text = value.as_str().map(|text| crossing.value_image(field, text));
                let image = text.map_or_else(|| value.clone(), Value::from);
                if !new.contains(&image)
                    && !crossing.refuses_value(field, &value)
                    && !self.is_dropped(catalog.kind(), to, Some(field), Some(&value))
                {
                    let text = format!(
                        "the value {value} of {} {field} is not in {}: no rule and no entry of `dropped` claims it",
                        catalog.kind(),
                        self.name(to)
                    );
                    self.say(self.head(), text);
                }
            }
        }
    }

    /// Says whether `dropped` lists a kind, field or value that is not in `to`.
    fn is_dropped(
        &mut self,
        kind: &GroupKind,
        to: ReleaseId,
        field: Option<&FieldPattern>,
        value: Option<&Value>,
    ) -> bool {
        let release = self.pack.line().get(to);
        let fits = |entry: &Dropped| {
            let within = match (&entry.field, field) {
                (None, None) => true,
                (Some(above), Some(field)) => field.starts_with(above),
                _ => false,
            };
            let same_value = entry.value.as_deref() == value.and_then(Value::as_str);
            let release = entry.order == release.order && entry.channels.contains(&release.channel);
            entry.kind == *kind && within && same_value && release
        };
        let entries = self.pack.notes().dropped.iter().enumerate();
        let found: Vec<usize> = entries.filter(|(_, entry)| fits(entry)).map(|(at, _)| at).collect();
        self.used.extend(&found);
        !found.is_empty()
    }

    /// Says that a field came back after it had vanished: its old objects would be read with a new meaning.
    fn tombstones(&mut self, catalog: &Catalog) {
        let patterns: BTreeSet<FieldPattern> = catalog.fields().map(|field| field.pattern).collect();
        for field in patterns {
            let having = catalog.having(&field);
            let above = field.split_last().map_or_else(
                || catalog.releases(),
                |(above, _)| match above.parts() {
                    [] => catalog.releases(),
                    _ => catalog.having(&above),
                },
            );
            for channel in Channel::ALL {
                let gaps = self.gaps(having, above, channel);
                if let Some(gap) = gaps.first() {
                    let text = format!(
                        "{} {field} is not in {} and came back: the name must not be used again",
                        catalog.kind(),
                        self.name(*gap)
                    );
                    self.say(self.head(), text);
                }
            }
        }
    }

    /// Returns the releases of `channel` between two that have a field, which have what it stands in but not the field.
    fn gaps(&self, having: ReleaseSet, above: ReleaseSet, channel: Channel) -> Vec<ReleaseId> {
        let ids = self.pack.line().iter().filter(|(_, release)| release.channel == channel).map(|(id, _)| id);
        let ids: Vec<_> = ids.collect();
        let has = |id: &ReleaseId| having.contains(*id);
        let (Some(first), Some(last)) = (ids.iter().position(has), ids.iter().rposition(has)) else {
            return Vec::new();
        };
        ids[first..=last].iter().copied().filter(|id| !has(id) && above.contains(*id)).collect()
    }

    fn rule(&mut self, rule: &Rule) {
        let file = format!("{}.yaml", rule.id);
        let line = self.pack.line();
        for channel in &rule.channels {
            if line.find(&line.bundles()[rule.order], *channel).is_none() {
                self.say(&file, format!("the bundle has no channel {channel}"));
            }
        }
        if rule.channels.is_empty() {
            self.say(&file, "a rule names the channels that the change was made in");
        }
        if let Some(within) = rule.within {
            let fits = |id: ReleaseId| {
                let release = line.get(id);
                release.order >= rule.order && rule.channels.contains(&release.channel)
            };
            if within.is_empty() || !within.iter().all(fits) {
                self.say(&file, "`within` names releases of the rule's channels, from its bundle on");
            }
        }
        self.channels(rule, &file);
        self.claims(rule, &file);
    }

    /// Says which channels a rule leaves out or names without need: it is about those that its releases, its fields or its
    /// kind are in.
    fn channels(&mut self, rule: &Rule, file: &str) {
        let line = self.pack.line();
        let about: BTreeSet<Channel> = match rule.within {
            Some(within) => within.iter().map(|id| line.get(id).channel).collect(),
            None => {
                let made = line.iter().filter(|(_, release)| release.order == rule.order);
                made.filter(|(id, _)| self.is_about(rule, *id)).map(|(_, release)| release.channel).collect()
            }
        };
        let named: BTreeSet<Channel> = rule.channels.iter().copied().collect();
        // Claims that are nowhere are told as such.
        for channel in named.difference(&about).filter(|_| !about.is_empty()) {
            self.say(file, format!("nothing that the rule is about is in the channel {channel}"));
        }
        // Without a claim it is the kind alone that is looked for, which may have the field in fewer channels.
        let claims = rule.lens(Direction::Forward).claims();
        let claims_nothing = rule.within.is_none() && claims.old.is_empty() && claims.new.is_empty();
        for channel in about.difference(&named).filter(|_| !claims_nothing) {
            self.say(file, format!("what the rule is about is in the channel {channel} too"));
        }
    }

    /// Says whether a rule is about the change that led to `release`, which is of its bundle: the kind that it gives is there,
    /// one of its fields is, or was before.
    fn is_about(&self, rule: &Rule, release: ReleaseId) -> bool {
        let Some(bundle) = Bundle::of(self.pack, rule) else { return true };
        let before: Vec<_> =
            self.pack.line().iter().map(|(id, _)| id).filter(|id| self.next(*id).contains(&release)).collect();
        let (old, new) = (&rule.kind, &bundle.crossing.kind);
        let served =
            |kind: &GroupKind, id: &ReleaseId| self.pack.catalog(kind).is_some_and(|it| it.releases().contains(*id));
        let claims = bundle.at_its_ends(rule.lens(Direction::Forward).claims());
        let has = |kind: &GroupKind, fields: &[FieldPattern], id: &ReleaseId| {
            fields.iter().any(|field| self.pack.catalog(kind).is_some_and(|it| it.having(field).contains(*id)))
        };
        if rule.kind != rule.new_kind {
            before.iter().any(|id| served(old, id)) && served(new, &release)
        } else if claims.old.iter().chain(&claims.new).any(is_known) {
            before.iter().any(|id| has(old, &claims.old, id)) || has(new, &claims.new, &release)
        } else {
            before.iter().any(|id| served(old, id)) || served(new, &release)
        }
    }

    /// Says that a claim is not in the catalog of its own side, or is on the other side too.
    fn claims(&mut self, rule: &Rule, file: &str) {
        let Some(bundle) = Bundle::of(self.pack, rule) else {
            return self
                .say(file, "the rule never runs: another one of the bundle gives its objects another kind before");
        };
        let claims = bundle.at_its_ends(rule.lens(Direction::Forward).claims());
        let certain = bundle.at_its_ends(rule.lens(Direction::Forward).certain_claims());
        let (old, new) = (&rule.kind, &bundle.crossing.kind);
        for field in claims.old.iter().filter(|field| is_known(field)) {
            let kinds = self.kinds_of(rule, Direction::Forward);
            if kinds.iter().all(|kind| self.having(kind, field, |order| order < rule.order).is_empty()) {
                self.say(file, format!("no release on the old side has {old} {field}"));
            }
            let is_new_too = !self.having(old, field, |order| order == rule.order).is_empty();
            if old == new && is_new_too && certain.old.contains(field) {
                self.say(file, format!("{field} is on the new side too: the sides cannot be told apart"));
            }
        }
        for field in claims.new.iter().filter(|field| is_known(field)) {
            let kinds = self.kinds_of(rule, Direction::Backward);
            if kinds.iter().all(|kind| self.having(kind, field, |order| order >= rule.order).is_empty()) {
                self.say(file, format!("no release on the new side has {new} {field}"));
            }
            let is_old_too = !self.having(new, field, |order| order + 1 == rule.order).is_empty();
            if old == new && is_old_too && certain.new.contains(field) {
                self.say(file, format!("{field} is on the old side too: the sides cannot be told apart"));
            }
        }
    }

    /// Returns the kinds on the side of the rule's bundle that `direction` starts from; a rule about several kinds may claim
    /// what only some of them have.
    fn kinds_of(&self, rule: &Rule, direction: Direction) -> Vec<GroupKind> {
        let alike = self.pack.rules().iter().filter(|other| other.id == rule.id);
        match direction {
            Direction::Forward => alike.map(|rule| rule.kind.clone()).collect(),
            Direction::Backward => alike.filter_map(|rule| Some(Bundle::of(self.pack, rule)?.crossing.kind)).collect(),
        }
    }

    /// Returns the releases, of bundles that `orders` names, that have a field.
    fn having(&self, kind: &GroupKind, field: &FieldPattern, orders: impl Fn(usize) -> bool) -> ReleaseSet {
        let Some(catalog) = self.pack.catalog(kind) else { return ReleaseSet::default() };
        let line = self.pack.line();
        catalog.having(field).iter().filter(|id| orders(line.get(*id).order)).collect()
    }

    /// Says that two rules of a bundle claim one field.
    fn overlaps(&mut self) {
        let mut owners: BTreeMap<(usize, GroupKind, &str, FieldPattern), &str> = BTreeMap::new();
        for rule in self.pack.rules() {
            let Some(bundle) = Bundle::of(self.pack, rule) else { continue };
            let claims = bundle.at_its_ends(rule.lens(Direction::Forward).certain_claims());
            let old = claims.old.into_iter().map(|field| (rule.order, rule.kind.clone(), "old", field));
            let new = claims.new.into_iter().map(|field| (rule.order, bundle.crossing.kind.clone(), "new", field));
            for claim in old.chain(new).collect::<BTreeSet<_>>() {
                let text = format!("{} {} is claimed by", claim.1, claim.3);
                if let Some(other) = owners.insert(claim, &rule.id) {
                    self.say(format!("{}.yaml", rule.id), format!("{text} {other} too"));
                }
            }
        }
    }

    /// Says that a note of `pack.yaml` names nothing, or the same as another.
    fn notes(&mut self) {
        let (head, notes) = (self.head(), self.pack.notes());
        let stale = notes.dropped.iter().enumerate().filter(|(at, _)| !self.used.contains(at));
        let stale: Vec<_> = stale
            .map(|(_, entry)| {
                format!("`dropped` lists {}, which did not vanish there or is claimed by a rule", named(entry))
            })
            .collect();
        stale.into_iter().for_each(|text| self.say(&head, text));
        let hints = notes.hints.iter().filter_map(|hint| Some((&hint.kind, hint.field.as_ref()?)));
        let unions = notes.unions.iter().map(|union| (&union.kind, &union.items));
        for (kind, field) in hints.chain(unions) {
            if self.having(kind, field, |_| true).is_empty() {
                self.say(&head, format!("no release has {kind} {field}"));
            }
        }
        let ids = notes.advisories.iter().map(|note| &note.id).chain(notes.undetectable.iter().map(|note| &note.id));
        let mut met = BTreeSet::new();
        for id in ids {
            if !met.insert(id) {
                self.say(&head, format!("the id {id} is used twice"));
            }
        }
    }

    /// Says that a rule has no fixtures, none that must not change, or that fixtures have no rule.
    fn fixtures(&mut self, files: &[String]) {
        let mut cases: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for file in files {
            let parts: Vec<&str> = file.split('/').collect();
            if let [pack, _, _, _, name] = parts.as_slice()
                && *pack == self.pack.name()
            {
                let rule = &file[..parts[..3].iter().map(|part| part.len() + 1).sum::<usize>() - 1];
                cases.entry(rule).or_default().push(name);
            }
        }
        let ids: BTreeSet<&str> = self.pack.rules().iter().map(|rule| rule.id.as_str()).collect();
        for id in &ids {
            let files = cases.get(id).map_or(&[][..], Vec::as_slice);
            if !files.contains(&"before.yaml") && !files.contains(&"after.yaml") {
                self.say(format!("{id}.yaml"), "the rule has no fixture");
            }
            if !files.contains(&"same.yaml") {
                self.say(format!("{id}.yaml"), "the rule has no fixture of what it must not change (same.yaml)");
            }
        }
        for folder in cases.keys().filter(|folder| !ids.contains(*folder)) {
            self.say(folder, "the fixtures have no rule");
        }
    }
}

/// A rule among those of its bundle that objects of its kind meet.
struct Bundle<'p> {
    crossing: Crossing<'p>,
    /// The rule's position in it; none where the rule runs after all others.
    at: Option<usize>,
}

impl<'p> Bundle<'p> {
    /// Finds the rule's place in its bundle; `None` where it never runs.
    fn of(pack: &'p Pack, rule: &Rule) -> Option<Self> {
        let crossing = Crossing::new(pack, &rule.kind, rule.order.checked_sub(1)?, rule.order);
        let at = crossing.rules.iter().position(|(other, _)| other.id == rule.id);
        (at.is_some() || rule.within.is_some()).then_some(Self { crossing, at })
    }

    /// Returns claims of the rule as the fields are called before the bundle and after it.
    fn at_its_ends(&self, claims: Claims) -> Claims {
        let Some(at) = self.at else { return claims };
        let rules =
            |range: &[(&'p Rule, Direction)], direction| range.iter().map(|(rule, _)| rule.lens(direction)).collect();
        let after: Vec<&Lens> = rules(&self.crossing.rules[at + 1..], Direction::Forward);
        let mut before: Vec<&Lens> = rules(&self.crossing.rules[..at], Direction::Backward);
        before.reverse();
        Claims { old: follow(&before, claims.old), new: follow(&after, claims.new) }
    }
}

/// Returns how fields are called after `lenses`, without those that go.
fn follow(lenses: &[&Lens], fields: Vec<FieldPattern>) -> Vec<FieldPattern> {
    let one = |field: FieldPattern| {
        lenses.iter().try_fold(field, |field, lens| match lens.image(&field) {
            Image::Kept => Some(field),
            Image::Moved(moved) => Some(moved),
            Image::Dropped | Image::Refused => None,
        })
    };
    fields.into_iter().filter_map(one).collect()
}

fn unclaimed(kind: &GroupKind, field: &FieldPattern, image: &FieldPattern, to: &str) -> String {
    if field == image {
        format!("{kind} {field} is not in {to}: no rule and no entry of `dropped` claims it")
    } else {
        format!("rules take {kind} {field} to {image}, which is not in {to}")
    }
}

fn named(entry: &Dropped) -> String {
    let field = entry.field.as_ref().map(|field| format!(" {field}")).unwrap_or_default();
    let value = entry.value.as_ref().map(|value| format!(" = {value}")).unwrap_or_default();
    format!("{}{field}{value}", entry.kind)
}

/// Says whether catalogs know the place.
fn is_known(field: &FieldPattern) -> bool {
    !matches!(field.parts().first(), Some(Part::Key(key)) if OUTSIDE.contains(&key.as_str()))
}
