//! What is removed from one release to the next, and what covers it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::coverage::{Cover, Removed};
use super::linter::{HEAD, Lint};
use super::shown::whole;
use super::sides::Sides;
use crate::catalog::Catalog;
use crate::field::FieldPattern;
use crate::lens::{Direction, Image};
use crate::pack::constraints::{allowed, has};
use crate::pack::place::Place;
use crate::pack::release_notes::Dropped;
use crate::pack::rule::Rule;
use crate::pack::rule_path::RulePath;
use crate::release::{Channel, GroupKind, ReleaseId, ReleaseSet};

impl<'p> Lint<'p> {
    /// Returns the releases of the next bundle that take over from `release`: its own channel, or all where it ended.
    pub(super) fn next(&self, release: ReleaseId) -> Vec<ReleaseId> {
        let line = self.pack.line();
        let here = line.get(release);
        let next: Vec<_> = line.iter().filter(|(_, other)| other.order == here.order + 1).collect();
        let same: Vec<_> = next.iter().filter(|(_, other)| other.channel == here.channel).collect();
        let next = if same.is_empty() { next.iter().collect() } else { same };
        next.into_iter().map(|(id, _)| *id).collect()
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

    /// Reports what is removed from one release to the next and not covered.
    pub(super) fn removed(&mut self, kind: &GroupKind, catalog: &'p Catalog) {
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
            let text = format!("{} removes the kind {kind}", self.name(to));
            let help = self.way_out_of_kind(kind, order);
            self.report(HEAD, &self.place_of_bundle(order), text, help);
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
            self.report_removed(sides, field, place);
        }
    }

    /// Reports that nothing covers the removal of `field`, which rules make `place`.
    fn report_removed(&mut self, sides: &Sides<'_>, field: &FieldPattern, place: &FieldPattern) {
        let (kind, to, order) = (sides.old.kind(), self.name(sides.to), self.pack.line().get(sides.to).order);
        if field != place {
            let mover = sides.path.rules.iter().find(|(rule, way)| rule.lens(*way).image(field) != Image::Kept);
            let (file, at) = mover.map_or_else(
                || (HEAD.to_owned(), self.place_of_bundle(order)),
                |(rule, _)| (self.file_of(rule), Place::in_lens(field)),
            );
            let text = format!("rules move {kind} {field} to {place}, which {to} does not have");
            return self.report(&file, &at, text, self.alike(sides.new.kind(), place));
        }
        let help = self.way_out_of_field(kind, field, order);
        self.report(HEAD, &self.place_of_bundle(order), format!("{to} removes {kind} {field}"), help);
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
                let text = format!("{} removes the value {value} of {kind} {field}", self.name(sides.to));
                let order = self.pack.line().get(sides.to).order;
                self.report(HEAD, &self.place_of_bundle(order), text, self.way_out_of_value(kind, field, order));
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
            let place = self.place_of_bundle(self.pack.line().get(sides.to).order);
            let text = format!("{} requires {kind} {field}", self.name(sides.to));
            self.report(HEAD, &place, text, "add a rule that sets it, or an entry under `hints`");
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
    pub(super) fn tombstones(&mut self, catalog: &Catalog) {
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
                    let (kind, release) = (catalog.kind(), self.name(*gap));
                    let text = format!("{kind} {field} is missing in {release} but not before and after it");
                    let place = self.place_of_bundle(self.pack.line().get(*gap).order);
                    let help = "objects from before would be read with a new meaning: a field name must not be reused";
                    self.report(HEAD, &place, text, help);
                }
            }
        }
    }

    /// Returns the releases of `channel` between two that have a field, which have what it is in but not the field.
    fn gaps(&self, having: ReleaseSet, above: ReleaseSet, channel: Channel) -> Vec<ReleaseId> {
        let ids = self.pack.line().iter().filter(|(_, release)| release.channel == channel).map(|(id, _)| id);
        let ids: Vec<_> = ids.collect();
        let has = |id: &ReleaseId| having.contains(*id);
        let (Some(first), Some(last)) = (ids.iter().position(has), ids.iter().rposition(has)) else {
            return Vec::new();
        };
        ids[first..=last].iter().copied().filter(|id| !has(id) && above.contains(*id)).collect()
    }
}
