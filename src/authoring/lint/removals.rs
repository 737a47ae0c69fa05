//! What is removed from one release to the next, and what covers it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::linter::{Cover, Lint, Removed, whole};
use super::way_out::{alike_in, way_out_of_field, way_out_of_kind, way_out_of_value};
use crate::authoring::constraints::{allowed, is_required};
use crate::authoring::rule_path::{Conversion, RulePath};
use crate::knowledge::catalog::Catalog;
use crate::knowledge::lens::{Direction, Image};
use crate::knowledge::pack::folder::HEAD;
use crate::knowledge::pack::place::Place;
use crate::knowledge::pack::rules::Rule;
use crate::knowledge::pack::wire::Dropped;
use crate::knowledge::release::{Channel, GroupKind, ReleaseId, ReleaseSet};
use crate::syntax::field::FieldPattern;

/// Compares the catalogs of adjacent releases with the rules and `pack.yaml`, for the kinds that `is_asked` names.
pub(super) fn check_removals(lint: &mut Lint<'_>, is_asked: impl Fn(&GroupKind) -> bool) {
    for catalog in lint.pack.kinds().filter(|kind| is_asked(kind)).filter_map(|kind| lint.pack.catalog(kind)) {
        removed(lint, catalog.kind(), catalog);
        tombstones(lint, catalog);
    }
}

/// Returns the releases of the next bundle that take over from `release`: its own channel, or all where it ended.
pub(super) fn next(lint: &Lint<'_>, release: ReleaseId) -> Vec<ReleaseId> {
    let line = lint.pack.line();
    let here = line.get(release);
    let next: Vec<_> = line.iter().filter(|(_, other)| other.order == here.order + 1).collect();
    let same: Vec<_> = next.iter().filter(|(_, other)| other.channel == here.channel).collect();
    let next = if same.is_empty() { next.iter().collect() } else { same };
    next.into_iter().map(|(id, _)| *id).collect()
}

/// Notes what covers the removal of something of `kind` in `to`.
fn note(
    lint: &mut Lint<'_>,
    kind: &GroupKind,
    to: ReleaseId,
    field: Option<&FieldPattern>,
    value: Option<&Value>,
    cover: Cover,
) {
    let order = lint.pack.line().get(to).order;
    let what = Removed { kind: kind.clone(), order, field: field.cloned(), value: value.map(ToString::to_string) };
    let noted = lint.removed.entry(what).or_insert(cover);
    *noted = cover.max(*noted);
}

/// Reports what is removed from one release to the next and not covered.
fn removed<'p>(lint: &mut Lint<'p>, kind: &GroupKind, catalog: &'p Catalog) {
    // The same rules are passed at every release that serves both of their apiVersions.
    let mut found: BTreeMap<Vec<(&str, &GroupKind)>, Places> = BTreeMap::new();
    for from in catalog.releases().iter() {
        for to in next(lint, from) {
            let path = RulePath::between(lint.pack, kind, from, to);
            if path.rules.is_empty() && catalog.is_alike_in(from, to) {
                continue;
            }
            match lint.pack.catalog(&path.kind).filter(|new| new.releases().contains(to)) {
                Some(new) => {
                    if !catalog.releases().contains(to) {
                        note(lint, kind, to, None, None, Cover::ByRule);
                    }
                    let rules = path.rules.iter().map(|(rule, _)| (rule.id.as_str(), &rule.kind)).collect();
                    let found = found.entry(rules).or_default();
                    let sides = Conversion { source: catalog, target: new, from, to, path };
                    let mut places = |field: FieldPattern| {
                        let places = found.entry(field.clone()).or_insert_with(|| sides.places(&field)).clone();
                        (field, places)
                    };
                    let places = sides.fields().into_iter().map(&mut places).collect();
                    removed_fields(lint, &sides, &places);
                    required_fields(lint, &sides, &places);
                }
                None => removed_kind(lint, kind, to),
            }
        }
    }
}

/// Reports a removed kind; it is covered by a rule that holds every object of it back, or that retyped it, then or before.
fn removed_kind(lint: &mut Lint<'_>, kind: &GroupKind, to: ReleaseId) {
    let order = lint.pack.line().get(to).order;
    let mine = |rule: &&Rule| rule.kind == *kind && rule.order <= order && rule.within.is_none() && rule.is_step();
    let rules: Vec<_> = lint.pack.rules().iter().filter(mine).collect();
    let refuses = |rule: &&Rule| rule.lens(Direction::Forward).image(&whole()) == Image::Refused;
    let successors = rules.iter().map(|rule| &rule.new_kind).filter(|new| *new != kind);
    let successors: Vec<_> = successors.cloned().chain([kind.clone()]).collect();
    let exists = |kind: &GroupKind| lint.pack.has_kind(kind, to);
    if rules.iter().any(refuses) || successors.iter().any(exists) {
        return note(lint, kind, to, None, None, Cover::ByRule);
    }
    // The entry may name what the kind had become.
    let listed = successors.iter().filter(|kind| is_dropped(lint, kind, to, None, None)).count();
    note(lint, kind, to, None, None, if listed == 0 { Cover::Missing } else { Cover::Listed });
    if listed == 0 {
        let text = format!("{} removes the kind {kind}", lint.name(to));
        let help = way_out_of_kind(lint, kind, order);
        lint.report(HEAD, &lint.place_of_bundle(order), text, help);
    }
}

/// The fields of the older side, each with the places that it can be found in on the newer one.
type Places = BTreeMap<FieldPattern, BTreeSet<FieldPattern>>;

/// Reports the fields that a release does not have, if nothing covers that.
fn removed_fields(lint: &mut Lint<'_>, sides: &Conversion<'_>, fields: &Places) {
    let to = sides.to;
    let mut missing = BTreeMap::new();
    for (field, places) in fields {
        let mut cover = Cover::ByRule;
        for place in places {
            if sides.target.has(place, to) {
                removed_values(lint, sides, field, place);
            } else if is_dropped(lint, sides.source.kind(), to, Some(field), None) {
                cover = cover.max(Cover::Listed);
            } else {
                missing.insert(field, place);
            }
        }
        if !sides.target.has(field, to) {
            note(lint, sides.source.kind(), to, Some(field), None, cover);
        }
    }
    // A mapping or list is removed with its last entry.
    let is_below = |field: &FieldPattern, other: &FieldPattern| field != other && other.starts_with(field);
    let emptied = |field: &FieldPattern| {
        fields.keys().any(|other| is_below(field, other)) && !missing.keys().any(|other| is_below(field, other))
    };
    for (field, place) in missing.iter().filter(|(field, _)| !emptied(field)) {
        note(lint, sides.source.kind(), to, Some(field), None, Cover::Missing);
        report_removed(lint, sides, field, place);
    }
}

/// Reports that nothing covers the removal of `field`, which rules make `place`.
fn report_removed(lint: &mut Lint<'_>, sides: &Conversion<'_>, field: &FieldPattern, place: &FieldPattern) {
    let (kind, to, order) = (sides.source.kind(), lint.name(sides.to), lint.pack.line().get(sides.to).order);
    if field != place {
        let mover = sides.path.rules.iter().find(|(rule, way)| rule.lens(*way).image(field) != Image::Kept);
        let (file, at) = mover.map_or_else(
            || (HEAD.to_owned(), lint.place_of_bundle(order)),
            |(rule, _)| (rule.path(), Place::in_lens(field)),
        );
        let text = format!("rules move {kind} {field} to {place}, which {to} does not have");
        return lint.report(&file, &at, text, alike_in(lint, sides.target.kind(), place, sides.to));
    }
    let help = way_out_of_field(lint, kind, field, order);
    lint.report(HEAD, &lint.place_of_bundle(order), format!("{to} removes {kind} {field}"), help);
}

/// Reports the values of `field`, found at `place` in the next release, that the release does not allow.
fn removed_values(lint: &mut Lint<'_>, sides: &Conversion<'_>, field: &FieldPattern, place: &FieldPattern) {
    let Some(new) = allowed(sides.target, place, sides.to) else { return };
    for value in allowed(sides.source, field, sides.from).unwrap_or_default() {
        let image = sides.path.value_image(field, &value);
        if new.contains(&value) && new.contains(&image) {
            continue;
        }
        let (kind, claimed) = (sides.source.kind(), sides.path.claims_value(field, &value));
        let cover = if new.contains(&image) || claimed {
            Cover::ByRule
        } else if is_dropped(lint, kind, sides.to, Some(field), Some(&value)) {
            Cover::Listed
        } else {
            let text = format!("{} removes the value {value} of {kind} {field}", lint.name(sides.to));
            let order = lint.pack.line().get(sides.to).order;
            lint.report(HEAD, &lint.place_of_bundle(order), text, way_out_of_value(lint, kind, field, order));
            Cover::Missing
        };
        note(lint, kind, sides.to, Some(field), Some(&value), cover);
    }
}

/// Reports the fields that a release requires and the one before does not have, if no rule sets them and no hint describes them.
fn required_fields(lint: &mut Lint<'_>, sides: &Conversion<'_>, places: &Places) {
    let kind = sides.target.kind();
    let hinted = |field: &FieldPattern| lint.pack.release_notes().hint(kind, Some(field)).is_some();
    let texts: Vec<_> = newly_required(sides, places).into_iter().filter(|field| !hinted(field)).collect();
    for field in texts {
        let place = lint.place_of_bundle(lint.pack.line().get(sides.to).order);
        let text = format!("{} requires {kind} {field}", lint.name(sides.to));
        lint.report(HEAD, &place, text, "add a rule that sets it, or an entry under `hints`");
    }
}

/// Returns the fields that the newer side requires in something that the older one has, and that no rule sets.
fn newly_required(sides: &Conversion<'_>, places: &Places) -> Vec<FieldPattern> {
    let there: BTreeSet<&FieldPattern> = places.values().flatten().collect();
    let back = sides.path.reversed(sides.source.kind());
    // What is moved into a mapping brings the mapping along.
    let is_moved = |field: &FieldPattern| back.images(field).iter().any(|image| matches!(image, Image::Moved(_)));
    let is_filled = |field: &FieldPattern| {
        let below = sides.target.fields_in(sides.to).filter(|below| below.pattern.starts_with(field));
        below.map(|below| below.pattern).any(|below| is_moved(&below))
    };
    let is_new = |field: &FieldPattern| {
        let above = field.split_last().map(|(above, _)| above).unwrap_or_default();
        let is_open = above.parts().is_empty() || there.contains(&above);
        is_open && !there.contains(field) && back.images(field) == BTreeSet::from([Image::Kept]) && !is_filled(field)
    };
    let required = sides.target.fields_in(sides.to).filter(|field| field.required);
    let fields: BTreeSet<FieldPattern> = required.map(|field| field.pattern).collect();
    fields.into_iter().filter(|field| is_required(sides.target, field, sides.to) && is_new(field)).collect()
}

/// Returns whether `dropped` lists a kind, field or value that is not in `to`.
fn is_dropped(
    lint: &mut Lint<'_>,
    kind: &GroupKind,
    to: ReleaseId,
    field: Option<&FieldPattern>,
    value: Option<&Value>,
) -> bool {
    let release = lint.pack.line().get(to);
    let fits = |entry: &Dropped| {
        let within = match (&entry.field, field) {
            (None, None) => true,
            (Some(above), Some(field)) => field.starts_with(above),
            _ => false,
        };
        let same_value = entry.value.as_deref() == value.and_then(Value::as_str);
        let release =
            entry.order == release.order && entry.channels.iter().flatten().any(|channel| *channel == release.channel);
        entry.kind == *kind && within && same_value && release
    };
    let entries = lint.pack.release_notes().dropped.iter().enumerate();
    let found: Vec<usize> = entries.filter(|(_, entry)| fits(entry)).map(|(at, _)| at).collect();
    lint.used.extend(&found);
    !found.is_empty()
}

/// Reports a field that was removed and added again: its old objects would be read with a new meaning.
fn tombstones(lint: &mut Lint<'_>, catalog: &Catalog) {
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
        for channel in lint.pack.line().channels() {
            let gaps = gaps(lint, having, above, channel);
            if let Some(gap) = gaps.first() {
                let (kind, release) = (catalog.kind(), lint.name(*gap));
                let text = format!("{kind} {field} is missing in {release} but not before and after it");
                let place = lint.place_of_bundle(lint.pack.line().get(*gap).order);
                let help = "objects from before would be read with a new meaning: a field name must not be reused";
                lint.report(HEAD, &place, text, help);
            }
        }
    }
}

/// Returns the releases of `channel` between two that have a field, which have what it is in but not the field.
fn gaps(lint: &Lint<'_>, having: ReleaseSet, above: ReleaseSet, channel: &Channel) -> Vec<ReleaseId> {
    let ids = lint.pack.line().iter().filter(|(_, release)| release.channel == *channel).map(|(id, _)| id);
    let ids: Vec<_> = ids.collect();
    let has = |id: &ReleaseId| having.contains(*id);
    let (Some(first), Some(last)) = (ids.iter().position(has), ids.iter().rposition(has)) else {
        return Vec::new();
    };
    ids[first..=last].iter().copied().filter(|id| !has(id) && above.contains(*id)).collect()
}
