//! Answers: is a pack complete and consistent, as far as that can be checked without an object?
//!
//! [`lint`] compares the catalogs of adjacent releases with the rules and `pack.yaml`: every removal is covered, nothing is
//! converted that never existed, and objects before and after a rule can be distinguished.
//!
//! Invariant: a pack without a message names everything that is lost between two adjacent releases.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::Value;

use super::constraints::{allowed, has};
use super::pack::Pack;
use super::release_notes::Dropped;
use super::rule::Rule;
use super::rule_path::RulePath;
use super::wire::Needs;
use crate::catalog::{Catalog, Field, OUTSIDE};
use crate::field::{FieldPattern, Part};
use crate::lens::{Claims, Direction, Image, Lens};
use crate::release::{ApiVersion, Channel, GroupKind, ReleaseId, ReleaseSet};

/// A problem of a pack.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Message {
    /// The file that has the problem, or lacks an entry: `gateway-api/pack.yaml`.
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
    let mut lint = Lint::of_catalogs(pack);
    pack.rules().iter().for_each(|rule| lint.rule(rule));
    lint.overlaps();
    lint.check_release_notes();
    if let Some(fixtures) = fixtures {
        lint.fixtures(fixtures);
    }
    lint.messages.into_iter().collect()
}

/// Counts what is removed between adjacent releases of `pack`, and what covers it.
pub fn coverage(pack: &Pack) -> Coverage {
    let removed = Lint::of_catalogs(pack).removed;
    let count = |subject: fn(&Removed) -> bool| {
        let of = |cover| removed.iter().filter(|(what, its)| subject(what) && **its == cover).count();
        Share { claimed: of(Cover::ByRule), dropped: of(Cover::Listed), missed: of(Cover::Missing) }
    };
    Coverage {
        kinds: count(|what| what.field.is_none()),
        fields: count(|what| what.field.is_some() && what.value.is_none()),
        values: count(|what| what.value.is_some()),
    }
}

/// What is removed between adjacent releases; a removal from both channels of a bundle counts once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// Kinds that the next release does not have.
    pub kinds: Share,
    /// Fields that the kind, or what it became, does not have in the next release.
    pub fields: Share,
    /// Values that the next release does not allow in a field that it has.
    pub values: Share,
}

/// How many removals are covered, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// By a rule that converts them, drops them or holds their objects back.
    pub claimed: usize,
    /// By an entry of `dropped` with its reason.
    pub dropped: usize,
    /// By nothing.
    pub missed: usize,
}

impl Share {
    /// Returns the number of all.
    pub const fn all(&self) -> usize {
        self.claimed + self.dropped + self.missed
    }
}

/// Something that a bundle removed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Removed {
    kind: GroupKind,
    /// The position of the first bundle without it.
    order: usize,
    field: Option<FieldPattern>,
    value: Option<String>,
}

/// What covers a removal, worst last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Cover {
    ByRule,
    Listed,
    Missing,
}

struct Lint<'p> {
    pack: &'p Pack,
    messages: BTreeSet<Message>,
    removed: BTreeMap<Removed, Cover>,
    /// The positions of the entries of `dropped` that something vanished matched.
    used: BTreeSet<usize>,
}

impl<'p> Lint<'p> {
    /// Checks the catalogs of adjacent releases.
    fn of_catalogs(pack: &'p Pack) -> Self {
        let mut lint = Self { pack, messages: BTreeSet::new(), removed: BTreeMap::new(), used: BTreeSet::new() };
        for catalog in pack.kinds().filter_map(|kind| pack.catalog(kind)) {
            lint.removed(catalog.kind(), catalog);
            lint.tombstones(catalog);
        }
        lint
    }

    /// Notes what covers the removal of something of `kind` in `to`.
    fn note(
        &mut self,
        kind: &GroupKind,
        to: ReleaseId,
        (field, value): (Option<&FieldPattern>, Option<&Value>),
        cover: Cover,
    ) {
        let order = self.pack.line().get(to).order;
        let what = Removed { kind: kind.clone(), order, field: field.cloned(), value: value.map(ToString::to_string) };
        let noted = self.removed.entry(what).or_insert(cover);
        *noted = cover.max(*noted);
    }

    fn report(&mut self, file: impl fmt::Display, text: impl Into<String>) {
        self.messages.insert(Message { file: file.to_string(), text: text.into() });
    }

    fn head(&self) -> String {
        self.pack.path_of("pack.yaml")
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

    /// Reports what is removed from one release to the next and not covered.
    fn removed(&mut self, kind: &GroupKind, catalog: &'p Catalog) {
        for from in catalog.releases().iter() {
            for to in self.next(from) {
                let path = RulePath::between(self.pack, kind, from, to);
                match self.pack.catalog(&path.kind).filter(|new| new.releases().contains(to)) {
                    Some(new) => {
                        if !catalog.releases().contains(to) {
                            self.note(kind, to, (None, None), Cover::ByRule);
                        }
                        let sides = Sides { old: catalog, new, from, to, path };
                        self.removed_fields(&sides);
                        self.required_fields(&sides);
                    }
                    None => self.removed_kind(kind, to),
                }
            }
        }
    }

    /// Reports a removed kind; it is covered by a rule that holds every object of it back, or that retyped it, then or before.
    fn removed_kind(&mut self, kind: &GroupKind, to: ReleaseId) {
        let order = self.pack.line().get(to).order;
        let mine = |rule: &&Rule| rule.kind == *kind && rule.order <= order && rule.within.is_none() && rule.is_step();
        let rules: Vec<_> = self.pack.rules().iter().filter(mine).collect();
        let refuses = |rule: &&Rule| rule.lens(Direction::Forward).image(&whole()) == Image::Refused;
        let successors = rules.iter().map(|rule| &rule.new_kind).filter(|new| *new != kind);
        let successors: Vec<_> = successors.cloned().chain([kind.clone()]).collect();
        let exists = |kind: &GroupKind| self.pack.catalog(kind).is_some_and(|new| new.releases().contains(to));
        if rules.iter().any(refuses) || successors.iter().any(exists) {
            return self.note(kind, to, (None, None), Cover::ByRule);
        }
        // The entry may name what the kind had become.
        let listed = successors.iter().filter(|kind| self.is_dropped(kind, to, None, None)).count();
        self.note(kind, to, (None, None), if listed == 0 { Cover::Missing } else { Cover::Listed });
        if listed == 0 {
            let text = format!(
                "{} removes the kind {kind}: add a rule that converts it, or list it under `dropped`",
                self.name(to)
            );
            self.report(self.head(), text);
        }
    }

    fn removed_fields(&mut self, sides: &Sides<'_>) {
        let to = sides.to;
        let fields = sides.fields();
        let mut missing = BTreeMap::new();
        for field in &fields {
            let mut cover = Cover::ByRule;
            for place in sides.places(field) {
                if has(sides.new, &place, to) {
                    self.removed_values(sides, field, &place);
                } else if self.is_dropped(sides.old.kind(), to, Some(field), None) {
                    cover = cover.max(Cover::Listed);
                } else {
                    missing.insert(field, place);
                }
            }
            if !has(sides.new, field, to) {
                self.note(sides.old.kind(), to, (Some(field), None), cover);
            }
        }
        // A mapping or list is removed with its last entry.
        let is_below = |field: &FieldPattern, other: &FieldPattern| field != other && other.starts_with(field);
        let emptied = |field: &FieldPattern| {
            fields.iter().any(|other| is_below(field, other)) && !missing.keys().any(|other| is_below(field, other))
        };
        for (field, place) in missing.iter().filter(|(field, _)| !emptied(field)) {
            self.note(sides.old.kind(), to, (Some(field), None), Cover::Missing);
            self.report(self.head(), unclaimed(sides.old.kind(), field, place, &self.name(to)));
        }
    }

    /// Reports the values of `field`, found at `place` in the next release, that the release does not allow.
    fn removed_values(&mut self, sides: &Sides<'_>, field: &FieldPattern, place: &FieldPattern) {
        let Some(new) = allowed(sides.new, place, sides.to) else { return };
        for value in allowed(sides.old, field, sides.from).unwrap_or_default() {
            let text = value.as_str().map(|text| sides.path.value_image(field, text));
            let image = text.map_or_else(|| value.clone(), Value::from);
            if new.contains(&value) && new.contains(&image) {
                continue;
            }
            let (kind, claimed) = (sides.old.kind(), sides.path.claims_value(field, &value));
            let cover = if new.contains(&image) || claimed {
                Cover::ByRule
            } else if self.is_dropped(kind, sides.to, Some(field), Some(&value)) {
                Cover::Listed
            } else {
                let to = self.name(sides.to);
                let text = format!(
                    "{to} removes the value {value} of {kind} {field}: add a rule that converts it, or list it under `dropped`"
                );
                self.report(self.head(), text);
                Cover::Missing
            };
            self.note(kind, sides.to, (Some(field), Some(&value)), cover);
        }
    }

    /// Reports the fields that a release requires and the one before does not have, if no rule sets them and no hint describes them.
    fn required_fields(&mut self, sides: &Sides<'_>) {
        let kind = sides.new.kind();
        let hinted = |field: &FieldPattern| self.pack.release_notes().hint(kind, Some(field)).is_some();
        let texts: Vec<_> = sides.newly_required().into_iter().filter(|field| !hinted(field)).collect();
        for field in texts {
            let to = self.name(sides.to);
            self.report(
                self.head(),
                format!("{to} requires {kind} {field}: add a rule that sets it, or an entry under `hints`"),
            );
        }
    }

    /// Returns whether `dropped` lists a kind, field or value that is not in `to`.
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
        let entries = self.pack.release_notes().dropped.iter().enumerate();
        let found: Vec<usize> = entries.filter(|(_, entry)| fits(entry)).map(|(at, _)| at).collect();
        self.used.extend(&found);
        !found.is_empty()
    }

    /// Reports a field that was removed and added again: its old objects would be read with a new meaning.
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
            for channel in self.pack.line().channels() {
                let gaps = self.gaps(having, above, channel);
                if let Some(gap) = gaps.first() {
                    let text = format!(
                        "{} {field} is missing in {} but not before and after it: a field name must not be reused",
                        catalog.kind(),
                        self.name(*gap)
                    );
                    self.report(self.head(), text);
                }
            }
        }
    }

    /// Returns the releases of `channel` between two that have a field, which have what it is in but not the field.
    fn gaps(&self, having: ReleaseSet, above: ReleaseSet, channel: &Channel) -> Vec<ReleaseId> {
        let ids = self.pack.line().iter().filter(|(_, release)| release.channel == *channel).map(|(id, _)| id);
        let ids: Vec<_> = ids.collect();
        let has = |id: &ReleaseId| having.contains(*id);
        let (Some(first), Some(last)) = (ids.iter().position(has), ids.iter().rposition(has)) else {
            return Vec::new();
        };
        ids[first..=last].iter().copied().filter(|id| !has(id) && above.contains(*id)).collect()
    }

    fn rule(&mut self, rule: &Rule) {
        let file = self.pack.file_of(rule);
        let line = self.pack.line();
        for channel in &rule.channels {
            if line.find(&line.bundles()[rule.order], channel.name()).is_none() {
                self.report(&file, format!("`channels` lists {channel}, but the bundle has no such channel"));
            }
        }
        if let Some(within) = rule.within {
            let fits = |id: ReleaseId| {
                let release = line.get(id);
                release.order >= rule.order && rule.is_made_in(&release.channel)
            };
            if within.is_empty() || !within.iter().all(fits) {
                self.report(
                    &file,
                    "`within` must list releases of the rule's channels that are not older than its bundle",
                );
            }
        }
        self.channels(rule, &file);
        match rule.needs {
            // What objects of other packs and the values of charts have is not known here.
            _ if self.pack.is_foreign(&rule.kind) || rule.values.is_some() => {}
            Some(Needs::Repair) => self.check_repair(rule, &file),
            Some(Needs::From) | None => match &rule.api_versions {
                Some(versions) => self.claims_of_versions(rule, versions, &file),
                None => self.claims(rule, &file),
            },
        }
    }

    /// Reports a repair rule whose mistake a release has as a field, or whose result no release has.
    fn check_repair(&mut self, rule: &Rule, file: &str) {
        let claims = rule.lens(Direction::Forward).claims();
        for field in claims.old.iter().filter(|field| is_known(field)) {
            if !self.having(&rule.kind, field, |_| true).is_empty() {
                self.report(
                    file,
                    format!("a release has {} {field}, so the rule is not a repair: remove `needs: repair`", rule.kind),
                );
            }
        }
        for field in claims.new.iter().filter(|field| is_known(field)) {
            if self.having(&rule.kind, field, |_| true).is_empty() {
                self.report(file, format!("no release has {} {field}", rule.kind));
            }
        }
    }

    /// Reports the channels that a rule omits or names without need: those of its releases, its fields or its kind count.
    fn channels(&mut self, rule: &Rule, file: &str) {
        if rule.channels.is_empty() {
            return;
        }
        let line = self.pack.line();
        let about: BTreeSet<&Channel> = match rule.within {
            Some(within) => within.iter().map(|id| &line.get(id).channel).collect(),
            None => {
                let made = line.iter().filter(|(_, release)| release.order == rule.order);
                made.filter(|(id, _)| self.is_about(rule, *id)).map(|(_, release)| &release.channel).collect()
            }
        };
        let named: BTreeSet<&Channel> = rule.channels.iter().collect();
        // Fields that no release has are reported separately.
        for channel in named.difference(&about).filter(|_| !about.is_empty()) {
            self.report(
                file,
                format!("the channel {channel} has nothing that the rule changes: remove it from `channels`"),
            );
        }
        // Without a claim it is the kind alone that is looked for, which may have the field in fewer channels.
        let claims = rule.lens(Direction::Forward).claims();
        let claims_nothing = rule.within.is_none() && claims.old.is_empty() && claims.new.is_empty();
        for channel in about.difference(&named).filter(|_| !claims_nothing) {
            self.report(file, format!("the channel {channel} also has what the rule changes: add it to `channels`"));
        }
    }

    /// Returns whether a rule is about the change that led to `release`, which is of its bundle: the kind that it gives is there,
    /// one of its fields is, or was before.
    fn is_about(&self, rule: &Rule, release: ReleaseId) -> bool {
        let Some(bundle) = Bundle::of(self.pack, rule) else { return true };
        let before: Vec<_> =
            self.pack.line().iter().map(|(id, _)| id).filter(|id| self.next(*id).contains(&release)).collect();
        let (old, new) = (&rule.kind, &bundle.path.kind);
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

    /// Reports a field of a rule that no release on its side has, or that the other side has too.
    fn claims(&mut self, rule: &Rule, file: &str) {
        let Some(bundle) = Bundle::of(self.pack, rule) else {
            return self
                .report(file, "the rule never runs: an earlier rule of the bundle changes the kind of its objects");
        };
        let claims = bundle.at_its_ends(rule.lens(Direction::Forward).claims());
        let certain = bundle.at_its_ends(rule.lens(Direction::Forward).certain_claims());
        let (old, new) = (&rule.kind, &bundle.path.kind);
        for field in claims.old.iter().filter(|field| is_known(field)) {
            let kinds = self.kinds_of(rule, Direction::Forward);
            if kinds.iter().all(|kind| self.having(kind, field, |order| order < rule.order).is_empty()) {
                self.report(file, format!("no release before the bundle has {old} {field}"));
            }
            let is_new_too = !self.having(old, field, |order| order == rule.order).is_empty();
            if old == new && is_new_too && certain.old.contains(field) {
                self.report(
                    file,
                    format!("{field} exists after the change too, so old and new objects cannot be distinguished"),
                );
            }
        }
        for field in claims.new.iter().filter(|field| is_known(field)) {
            let kinds = self.kinds_of(rule, Direction::Backward);
            if kinds.iter().all(|kind| self.having(kind, field, |order| order >= rule.order).is_empty()) {
                self.report(file, format!("no release from the bundle on has {new} {field}"));
            }
            let is_old_too = !self.having(new, field, |order| order + 1 == rule.order).is_empty();
            if old == new && is_old_too && certain.new.contains(field) {
                self.report(
                    file,
                    format!("{field} exists before the change too, so old and new objects cannot be distinguished"),
                );
            }
        }
    }

    /// Reports a rule between two apiVersions in another bundle than the one that introduced the second of them, and fields of
    /// the rule that its side never had.
    fn claims_of_versions(&mut self, rule: &Rule, [old, new]: &[ApiVersion; 2], file: &str) {
        let line = self.pack.line();
        let listed = self.pack.catalog(&rule.new_kind).map(|catalog| catalog.listing(&new.version));
        let first = listed.and_then(|listed| listed.iter().map(|id| line.get(id).order).min());
        if let Some(first) = first.filter(|first| *first != rule.order) {
            let bundle = &line.bundles()[first];
            self.report(file, format!("{new} came with {bundle}: move the rule to the folder of that bundle"));
        }
        let claims = rule.lens(Direction::Forward).claims();
        for (kind, version, fields) in [(&rule.kind, old, &claims.old), (&rule.new_kind, new, &claims.new)] {
            let Some(catalog) = self.pack.catalog(kind) else { continue };
            let has = |field: &FieldPattern| {
                catalog
                    .fields_of(field)
                    .any(|row| row.api_versions.is_empty() || row.api_versions.contains(&version.version))
            };
            for field in fields.iter().filter(|field| is_known(field) && !has(field)) {
                self.report(file, format!("no release has {kind} {field} under {version}"));
            }
        }
    }

    /// Returns the kinds on the side of the rule's bundle that `direction` starts from; a rule about several kinds may claim
    /// what only some of them have.
    fn kinds_of(&self, rule: &Rule, direction: Direction) -> Vec<GroupKind> {
        let alike = self.pack.rules().iter().filter(|other| other.id == rule.id);
        match direction {
            Direction::Forward => alike.map(|rule| rule.kind.clone()).collect(),
            Direction::Backward => alike.filter_map(|rule| Some(Bundle::of(self.pack, rule)?.path.kind)).collect(),
        }
    }

    /// Returns the releases, of bundles that `orders` names, that have a field.
    fn having(&self, kind: &GroupKind, field: &FieldPattern, orders: impl Fn(usize) -> bool) -> ReleaseSet {
        let Some(catalog) = self.pack.catalog(kind) else { return ReleaseSet::default() };
        let line = self.pack.line();
        catalog.having(field).iter().filter(|id| orders(line.get(*id).order)).collect()
    }

    /// Reports two rules of a bundle that convert one field.
    fn overlaps(&mut self) {
        let mut owners: BTreeMap<(usize, GroupKind, &str, FieldPattern), &str> = BTreeMap::new();
        for rule in self.pack.rules().iter().filter(|rule| rule.is_step()) {
            let Some(bundle) = Bundle::of(self.pack, rule) else { continue };
            let claims = bundle.at_its_ends(rule.lens(Direction::Forward).certain_claims());
            let old = claims.old.into_iter().map(|field| (rule.order, rule.kind.clone(), "old", field));
            let new = claims.new.into_iter().map(|field| (rule.order, bundle.path.kind.clone(), "new", field));
            for claim in old.chain(new).collect::<BTreeSet<_>>() {
                let text = format!("{} {} is also converted by", claim.1, claim.3);
                if let Some(other) = owners.insert(claim, &rule.id) {
                    self.report(self.pack.file_of(rule), format!("{text} {other}"));
                }
            }
        }
    }

    /// Reports an entry of `pack.yaml` that names nothing, or the same as another.
    fn check_release_notes(&mut self) {
        let (head, notes) = (self.head(), self.pack.release_notes());
        let stale = notes.dropped.iter().enumerate().filter(|(at, _)| !self.used.contains(at));
        let stale: Vec<_> = stale
            .map(|(_, entry)| {
                format!(
                    "`dropped` lists {}, which that bundle does not remove or a rule converts: remove the entry",
                    named(entry)
                )
            })
            .collect();
        stale.into_iter().for_each(|text| self.report(&head, text));
        let hints = notes.hints.iter().filter_map(|hint| Some((&hint.kind, hint.field.as_ref()?)));
        let unions = notes.unions.iter().map(|union| (&union.kind, &union.items));
        for (kind, field) in hints.chain(unions) {
            if self.having(kind, field, |_| true).is_empty() {
                self.report(&head, format!("no release has {kind} {field}"));
            }
        }
        let ids = notes.advisories.iter().map(|note| &note.id).chain(notes.undetectable.iter().map(|note| &note.id));
        let ids = ids.chain(notes.moves.iter().map(|note| &note.id));
        let mut seen = BTreeSet::new();
        for id in ids {
            if !seen.insert(id) {
                self.report(&head, format!("the id {id} is used twice"));
            }
        }
    }

    /// Reports a rule without fixtures, or without one that must not change, and fixtures without a rule.
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
        let ids: BTreeMap<&str, String> =
            self.pack.rules().iter().map(|rule| (rule.id.as_str(), self.pack.file_of(rule))).collect();
        for (id, file) in &ids {
            let files = cases.get(id).map_or(&[][..], Vec::as_slice);
            if !files.contains(&"before.yaml") && !files.contains(&"after.yaml") {
                self.report(file, "the rule has no fixture: add a case with before.yaml or after.yaml");
            }
            if !files.contains(&"same.yaml") {
                self.report(file, "the rule has no fixture that it must not change: add a case with same.yaml");
            }
        }
        for folder in cases.keys().filter(|folder| !ids.contains_key(*folder)) {
            self.report(folder, "the fixtures belong to no rule: rename or remove the folder");
        }
    }
}

/// The catalogs of what is one kind to its objects, before and after a step on the release line.
struct Sides<'p> {
    old: &'p Catalog,
    new: &'p Catalog,
    from: ReleaseId,
    to: ReleaseId,
    path: RulePath<'p>,
}

impl Sides<'_> {
    /// Returns the fields of the older side.
    fn fields(&self) -> BTreeSet<FieldPattern> {
        let patterns = self.old.fields().filter(|field| field.releases.contains(self.from)).map(|field| field.pattern);
        let patterns: BTreeSet<FieldPattern> = patterns.collect();
        patterns.into_iter().filter(|field| has(self.old, field, self.from)).collect()
    }

    /// Returns every place in which the fields that match `field` can be found afterwards.
    fn places(&self, field: &FieldPattern) -> Vec<FieldPattern> {
        self.path.images(field).iter().filter_map(|image| image.place(field)).collect()
    }

    /// Returns the fields that the newer side requires in something that the older one has, and that no rule sets.
    fn newly_required(&self) -> Vec<FieldPattern> {
        let there: BTreeSet<FieldPattern> = self.fields().iter().flat_map(|field| self.places(field)).collect();
        let back = self.path.reversed(self.old.kind());
        let is_new = |field: &FieldPattern| {
            let above = field.split_last().map(|(above, _)| above).unwrap_or_default();
            let open = above.parts().is_empty() || there.contains(&above);
            open && !there.contains(field) && back.images(field) == BTreeSet::from([Image::Kept])
        };
        let patterns = self.new.fields().filter(|field| field.releases.contains(self.to)).map(|field| field.pattern);
        let patterns: BTreeSet<FieldPattern> = patterns.collect();
        patterns.into_iter().filter(|field| is_required(self.new, field, self.to) && is_new(field)).collect()
    }
}

/// Returns whether every apiVersion that `release` serves requires a field and has no default for it.
fn is_required(catalog: &Catalog, field: &FieldPattern, release: ReleaseId) -> bool {
    let served = catalog.served(release);
    let requires = |field: &Field<'_>| field.required && field.attributes.default.is_none();
    !served.is_empty()
        && served.iter().all(|version| catalog.field(field, release, version.name).as_ref().is_some_and(requires))
}

/// Returns whether the catalogs show what `rule` is for: its bundle removes or requires something that it converts,
/// or holds back in every object. A limit, a default or a spelling is not a removal.
pub fn is_shown(pack: &Pack, rule: &Rule) -> bool {
    let Some(bundle) = Bundle::of(pack, rule).filter(|_| rule.within.is_none()) else { return false };
    let (Some(old), Some(new)) = (pack.catalog(&rule.kind), pack.catalog(&bundle.path.kind)) else { return false };
    let lens = rule.lens(Direction::Forward);
    let newest = pack.line().iter().last();
    let is_removed = newest.is_some_and(|(newest, _)| !old.releases().contains(newest));
    let ends_kind = rule.kind != rule.new_kind || lens.images(&whole()) == BTreeSet::from([Image::Refused]);
    let rules = bundle.path.rules[..bundle.at.unwrap_or_default()].to_vec();
    let step = Step { pack, rule, old, new, before: RulePath { kind: rule.kind.clone(), rules } };
    let brought = bundle.at_its_ends(lens.claims()).new;
    ends_kind && is_removed || brought.iter().any(|field| step.is_newly_required(field)) || step.converts_something()
}

/// A rule's place on the release line, and the rules of its bundle that objects of its kind run before.
struct Step<'p> {
    pack: &'p Pack,
    rule: &'p Rule,
    old: &'p Catalog,
    new: &'p Catalog,
    before: RulePath<'p>,
}

impl Step<'_> {
    /// Returns the releases with the kind on the side that `direction` starts from, next to the bundle.
    fn releases(&self, direction: Direction) -> Vec<ReleaseId> {
        let (catalog, order) = match direction {
            Direction::Forward => (self.old, self.rule.order.saturating_sub(1)),
            Direction::Backward => (self.new, self.rule.order),
        };
        catalog.releases().iter().filter(|id| self.pack.line().get(*id).order == order).collect()
    }

    /// Returns whether the new side requires a field that the old one does not have.
    fn is_newly_required(&self, field: &FieldPattern) -> bool {
        let requires = |to: &ReleaseId| is_required(self.new, field, *to);
        let lacks = |from: &ReleaseId| !self.old.having(field).contains(*from);
        self.releases(Direction::Backward).iter().any(requires) && self.releases(Direction::Forward).iter().all(lacks)
    }

    /// Returns whether the rule converts or holds back a field or a value that the new side does not have.
    fn converts_something(&self) -> bool {
        let targets = self.releases(Direction::Backward);
        self.releases(Direction::Forward).into_iter().any(|from| {
            let fields = self.old.fields().filter(|field| field.releases.contains(from));
            let fields: BTreeSet<FieldPattern> = fields.map(|field| field.pattern).collect();
            fields.iter().any(|field| {
                let is_removed = targets.iter().all(|to| !has(self.new, field, *to));
                let names = self.before.images(field).into_iter().filter_map(|image| image.place(field));
                names
                    .into_iter()
                    .any(|name| is_removed && self.converts(&name) || self.converts_value(field, &name, from))
            })
        })
    }

    fn converts(&self, name: &FieldPattern) -> bool {
        !self.rule.lens(Direction::Forward).images(name).contains(&Image::Kept)
    }

    /// Returns whether a value of `field`, which is called `name` when the rule runs, is none of the new side.
    fn converts_value(&self, field: &FieldPattern, name: &FieldPattern, from: ReleaseId) -> bool {
        let lens = self.rule.lens(Direction::Forward);
        let place = lens.image(name).place(name);
        let target = self.releases(Direction::Backward).into_iter().next();
        let Some(listed) = place.zip(target).and_then(|(place, target)| allowed(self.new, &place, target)) else {
            return false;
        };
        let changes = |text: &str| lens.value_image(name, text).is_some();
        let converts = |value: &Value| lens.claims_value(name, value) || value.as_str().is_some_and(changes);
        allowed(self.old, field, from)
            .unwrap_or_default()
            .iter()
            .any(|value| converts(value) && !listed.contains(value))
    }
}

/// Returns the field that stands for a whole object.
fn whole() -> FieldPattern {
    FieldPattern::new([Part::Key("kind".to_owned())])
}

/// A rule among those of its bundle that objects of its kind run.
struct Bundle<'p> {
    path: RulePath<'p>,
    /// The rule's position in it; none where the rule runs after all others.
    at: Option<usize>,
}

impl<'p> Bundle<'p> {
    /// Finds the rule's place in its bundle; `None` where it never runs.
    fn of(pack: &'p Pack, rule: &Rule) -> Option<Self> {
        let path = RulePath::new(pack, &rule.kind, rule.order.checked_sub(1)?, rule.order);
        let at = path.rules.iter().position(|(other, _)| other.id == rule.id);
        (at.is_some() || rule.within.is_some()).then_some(Self { path, at })
    }

    /// Returns claims of the rule as the fields are called before the bundle and after it.
    fn at_its_ends(&self, claims: Claims) -> Claims {
        let Some(at) = self.at else { return claims };
        let rules =
            |range: &[(&'p Rule, Direction)], direction| range.iter().map(|(rule, _)| rule.lens(direction)).collect();
        let after: Vec<&Lens> = rules(&self.path.rules[at + 1..], Direction::Forward);
        let mut before: Vec<&Lens> = rules(&self.path.rules[..at], Direction::Backward);
        before.reverse();
        Claims { old: follow(&before, claims.old), new: follow(&after, claims.new) }
    }
}

/// Returns the names of fields after `lenses`, without dropped ones.
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
        format!("{to} removes {kind} {field}: add a rule that converts it, or list it under `dropped`")
    } else {
        format!("rules move {kind} {field} to {image}, which {to} does not have")
    }
}

fn named(entry: &Dropped) -> String {
    let field = entry.field.as_ref().map(|field| format!(" {field}")).unwrap_or_default();
    let value = entry.value.as_ref().map(|value| format!(" = {value}")).unwrap_or_default();
    format!("{}{field}{value}", entry.kind)
}

/// Returns whether catalogs know the place.
fn is_known(field: &FieldPattern) -> bool {
    !matches!(field.parts().first(), Some(Part::Key(key)) if OUTSIDE.contains(&key.as_str()))
}
