//! Which fields of converted objects are not compared with the cluster, and what are their paths after the conversion?
//!
//! An Application of Argo CD lists JSON pointers below `ignoreDifferences`, a HelmRelease of Flux below `driftDetection.ignore`, a fleet.yaml
//! below `comparePatches`, each for
//! objects of some kinds. The fields are mostly set in the cluster and not in files, so their paths follow the rules towards the target, where all
//! objects of these kinds in the run are converted. Where the kinds are given by a pattern, their group follows too.
//!
//! Invariant: a path that no rule moves, or that rules move to several places, is left unchanged; the latter is reported.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::named_fields::NamedFields;
use super::path_expression::{PathExpression, Syntax};
use super::version_changes::{Follow, VersionChanges};
use crate::engine::convert::{Remark, Targets};
use crate::engine::finding::Code;
use crate::engine::manifest::{Object, Selector};
use crate::knowledge::carrier::{Carriers, Ignored as IgnoredFields, SelectorSyntax};
use crate::knowledge::catalog::Catalog;
use crate::knowledge::lens::Image;
use crate::knowledge::pack::{KindTracker, Target};
use crate::knowledge::release::{ApiVersion, GroupKind, ReleaseSet};
use crate::syntax::field::{FieldPath, FieldPattern, Part};

/// A path in an object that has fields ignored.
struct Ignored {
    /// Its place in the object.
    place: FieldPath,
    path: PathExpression,
    selector: Selector,
    /// Whether something is written there, in the form of before.
    has_value: bool,
}

/// Returns the fields that an object has ignored, each with what selects the objects that have it; the object itself for the group of
/// those that a pattern selects.
pub(super) fn ignored_fields(object: &Object, carriers: &Carriers) -> Vec<(Selector, NamedFields)> {
    let paths = find(object, carriers).into_iter().map(|one| (one.selector, NamedFields::Path(one.path.pattern())));
    let queries = queries(object, carriers).into_iter();
    let queries = queries.map(|(_, text, selector)| (selector, NamedFields::of_query(text)));
    let groups = lists(object, carriers).into_iter().map(|(_, selector, _)| (selector, NamedFields::Group));
    paths.chain(queries).chain(groups).collect()
}

/// Returns whether the conversion to the targets moves or removes a field of what is selected, or its group.
pub(super) fn changes_field(targets: &Targets<'_>, selector: &Selector, named: &NamedFields) -> bool {
    match named {
        NamedFields::Group => !regrouped(targets, selector).is_empty(),
        _ => !changes(targets, &|kind| selector.selects_kind(kind), named).is_empty(),
    }
}

/// Decides what becomes of the paths in `object`.
pub(super) fn follow(object: &Object, changed: &VersionChanges<'_>, targets: &Targets<'_>) -> Vec<Follow> {
    let carriers = targets.goal.packs.carriers();
    let mut follows: Vec<_> = lists(object, carriers)
        .iter()
        .filter_map(|(item, selector, _)| group(object, item, selector, changed, targets))
        .collect();
    follows.extend(lists(object, carriers).iter().filter_map(|(item, ..)| api_version(object, item, changed)));
    for Ignored { place, path, selector, has_value } in find(object, carriers) {
        let pattern = path.pattern();
        let found = changes(targets, &|kind| selector.selects_kind(kind), &NamedFields::Path(pattern.clone()));
        let images: BTreeSet<&Image> = found.iter().flat_map(|change| &change.images).collect();
        let new = match images.first() {
            Some(Image::Moved(new)) if images.len() == 1 && !has_value => path.with_pattern(new),
            _ => None,
        };
        let (what, help) = match (new, Fate::of(&found, changed, targets)) {
            (_, Fate::Stay) => continue,
            (Some(new), Fate::Change) if is_certain(&selector, &pattern, &found, targets) => {
                follows.push(Follow::Text { path: place, text: new.to_string() });
                continue;
            }
            (Some(new), Fate::Change) => (
                format!(
                    "which is {new} of {} after the conversion, and can be a field of other kinds that are selected too; it is not updated",
                    kinds_of(&found)
                ),
                "add an entry for that kind with the new path, by hand",
            ),
            (Some(new), Fate::Unseen) => (
                format!(
                    "which is {new} after the conversion; no object of that kind is among the files, so it is not updated"
                ),
                "write the new path by hand where the objects are converted, or run on their files too",
            ),
            (None, _) if has_value => (
                "which the conversion changes, and what is written there is of before; it is not updated".to_owned(),
                "write the operation on the converted object, by hand",
            ),
            (None, _) => (
                "which the conversion removes or moves to several places; it is not updated".to_owned(),
                "write the path that the field has after the conversion, by hand",
            ),
        };
        follows.push(kept(place, &path.to_string(), &what, help));
    }
    for (place, text, selector) in queries(object, carriers) {
        let named = NamedFields::of_query(text);
        let found = changes(targets, &|kind| selector.selects_kind(kind), &named);
        if Fate::of(&found, changed, targets) == Fate::Stay {
            continue;
        }
        let what = match found.first() {
            Some(change) if named.is_path() => format!("which {}", change.becomes()),
            _ => format!("in which {}", outermost(&found).into_iter().collect::<Vec<_>>().join(" and ")),
        };
        let what = format!("{what} after the conversion; it is not updated");
        follows.push(kept(place, text, &what, "change the jq expression by hand"));
    }
    follows
}

/// What becomes of a field of a kind on the way to its target.
pub(super) struct FieldChange<'t> {
    kind: &'t GroupKind,
    field: FieldPattern,
    images: BTreeSet<Image>,
}

impl FieldChange<'_> {
    fn becomes(&self) -> String {
        let moved = self.images.iter().find_map(|image| match image {
            Image::Moved(new) => Some(new),
            Image::Kept | Image::Dropped | Image::Refused => None,
        });
        let is_copied = self.images.contains(&Image::Kept);
        match moved {
            Some(new) if is_copied => format!("is .{new} and in another place too"),
            Some(new) => format!("is .{new}"),
            None if is_copied => "is in another place too".to_owned(),
            None => "does not exist".to_owned(),
        }
    }
}

/// Says what becomes of those that are in no other one.
pub(super) fn outermost(found: &[FieldChange<'_>]) -> BTreeSet<String> {
    let is_inside = |change: &FieldChange<'_>| {
        found.iter().any(|outer| outer.field != change.field && change.field.starts_with(&outer.field))
    };
    let outer = found.iter().filter(|change| !is_inside(change));
    outer.map(|change| format!(".{} {}", change.field, change.becomes())).collect()
}

/// Returns what becomes of the named fields of the kinds that `is_meant`, where they are not left unchanged.
pub(super) fn changes<'t>(
    targets: &Targets<'t>,
    is_meant: &dyn Fn(&GroupKind) -> bool,
    named: &NamedFields,
) -> Vec<FieldChange<'t>> {
    let mut found = Vec::new();
    for target in &targets.goal.targets {
        for kind in all_kinds(target).filter(|kind| is_meant(kind)) {
            let fields = named.fields_of(target.pack.catalog(kind)).into_iter();
            let changed = fields.map(|field| FieldChange { kind, images: moved(target, kind, &field), field });
            found.extend(changed.filter(|change| !change.images.is_empty()));
        }
    }
    found
}

/// Names the kinds whose fields change.
fn kinds_of(found: &[FieldChange<'_>]) -> String {
    let kinds: BTreeSet<&str> = found.iter().map(|change| change.kind.kind.as_str()).collect();
    kinds.into_iter().collect::<Vec<_>>().join(", ")
}

/// Returns whether a path stands for the fields that change and no others: what is selected is known, and no other kind has the field.
fn is_certain(selector: &Selector, field: &FieldPattern, found: &[FieldChange<'_>], targets: &Targets<'_>) -> bool {
    let mut selected = targets.goal.targets.iter().flat_map(all_kinds).filter(|kind| selector.selects_kind(kind));
    let is_changed = |kind: &GroupKind| {
        let family = targets.family(kind);
        found.iter().any(|change| family.contains(change.kind))
    };
    (selector.gives_kind() || selector.gives_version())
        && selected.all(|kind| is_changed(kind) || is_lacking(targets, kind, field))
}

/// Returns the kinds that a pattern selects and that get a kind which it does not select, with that.
fn regrouped<'k>(targets: &'k Targets<'_>, selector: &Selector) -> Vec<(&'k GroupKind, &'k GroupKind)> {
    let renames = targets.renames.iter().map(|(old, successor)| (old, successor.kind()));
    let is_lost = |(old, new): &(&GroupKind, &GroupKind)| selector.selects_kind(old) && !selector.selects_kind(new);
    // What is selected by its name follows it as other references do.
    renames.filter(is_lost).filter(|(old, _)| !selector.names_kind(old)).collect()
}

/// Decides what becomes of the group of an entry, where a pattern selects kinds that get another one.
fn group(
    object: &Object,
    item: &FieldPath,
    selector: &Selector,
    changed: &VersionChanges<'_>,
    targets: &Targets<'_>,
) -> Option<Follow> {
    let lost = regrouped(targets, selector);
    let (old, new) = lost.first()?;
    let is_old = |kind: &GroupKind| lost.iter().any(|(old, _)| *old == kind);
    let objects: Vec<_> = changed.of_kinds(is_old).collect();
    if !objects.is_empty() && objects.iter().all(|object| object.kind == object.old_kind) {
        return None;
    }
    let place = item.key("group");
    let kinds = targets.goal.targets.iter().flat_map(|target| target.pack.kinds().map(move |kind| (target, kind)));
    let mut staying = kinds.filter(|(target, kind)| {
        let is_there = target.pack.catalog(kind).is_some_and(|catalog| catalog.releases().contains(target.release));
        selector.selects_kind(kind) && !is_old(kind) && is_there
    });
    let is_one = lost.iter().all(|(old, becomes)| becomes.group == new.group && becomes.kind == old.kind);
    let is_changed = objects.iter().all(|object| object.kind != object.old_kind);
    if is_one && is_changed && staying.next().is_none() && place.text(&object.value) == Some(&*old.group) {
        return Some(Follow::Text { path: place, text: new.group.clone() });
    }
    if objects.is_empty() && place.text(&object.value) != Some(&*old.group) {
        return None;
    }
    let message = format!(
        "{item} selects {}, which is {} of {} after the conversion; it is not updated",
        old.kind, new.kind, new.group
    );
    let help = "add an entry for the new kind by hand";
    Some(Follow::Report(Remark::new(Code::ReferenceNotUpdated, item.clone(), message).help(help)))
}

/// Decides what becomes of the apiVersion of an entry that has one.
fn api_version(object: &Object, item: &FieldPath, changed: &VersionChanges<'_>) -> Option<Follow> {
    let place = item.key("apiVersion");
    let text = place.text(&object.value)?;
    let ApiVersion { group, version } = ApiVersion::parse(text);
    let kind = GroupKind::new(item.key("kind").text(&object.value)?, group);
    let mut objects: Vec<_> = changed.of_version(&kind, &version).collect();
    let name = item.key("name").text(&object.value);
    if objects.iter().any(|one| name.is_some() && one.name == name) {
        objects.retain(|one| one.name == name);
    }
    let new: BTreeSet<String> = objects.iter().map(|one| one.api_version().to_string()).collect();
    match new.len() {
        0 => None,
        1 => new.into_iter().next().map(|text| Follow::Text { path: place, text }),
        _ => {
            let what = "which only some of its objects have after the conversion; it is not updated";
            Some(kept(place.clone(), text, what, "write an entry for each apiVersion, by hand"))
        }
    }
}

/// Reports that `path`, which stands at `place`, is left as it is; `what` says of it what it is after the conversion.
fn kept(place: FieldPath, path: &str, what: &str, help: &str) -> Follow {
    let message = format!("{place} names {path}, {what}");
    Follow::Report(Remark::new(Code::ReferenceNotUpdated, place, message).help(help))
}

/// What becomes of the objects whose fields are ignored.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// All of them change, or are at a target that lacks the field; those of a foreign kind where they have the field.
    Change,
    /// Some of them stay as they are.
    Stay,
    /// There are none among the files.
    Unseen,
}

impl Fate {
    fn of(found: &[FieldChange<'_>], changes: &VersionChanges<'_>, targets: &Targets<'_>) -> Self {
        if found.is_empty() {
            return Self::Stay;
        }
        let family: BTreeSet<&GroupKind> = found.iter().flat_map(|change| targets.family(change.kind)).collect();
        let objects: Vec<_> = changes.of_kinds(|kind| family.contains(kind)).collect();
        let is_foreign =
            |kind: &GroupKind| targets.goal.targets.iter().all(|target| target.pack.catalog(kind).is_none());
        let is_changed = match objects.iter().all(|object| is_foreign(object.old_kind)) {
            true => objects.iter().any(|object| object.is_changed),
            false => {
                let is_gone = |kind: &GroupKind| found.iter().all(|change| is_lacking(targets, kind, &change.field));
                objects.iter().all(|object| object.is_changed || object.is_done && is_gone(object.kind))
            }
        };
        match is_changed {
            _ if objects.is_empty() => Self::Unseen,
            true => Self::Change,
            false => Self::Stay,
        }
    }
}

/// Returns whether objects of `kind` have no such field at the target.
fn is_lacking(targets: &Targets<'_>, kind: &GroupKind, field: &FieldPattern) -> bool {
    let target = targets.goal.target_of(&kind.group);
    let catalog = target.and_then(|target| Some((target.release, target.pack.catalog(kind)?)));
    catalog.is_some_and(|(release, catalog)| !catalog.having(field).contains(release))
}

/// Returns everything that becomes of a field of objects of `kind` on the way to `target`, where that is not left unchanged: it is kept
/// where it is written to another place too. An entry of
/// a map becomes what all its entries do, where nothing is said of it alone.
pub(super) fn moved(target: &Target<'_>, kind: &GroupKind, field: &FieldPattern) -> BTreeSet<Image> {
    let alone = moved_as_named(target, kind, field);
    let entry = target.pack.catalog(kind).map(|catalog| with_maps(catalog, field)).filter(|entry| entry != field);
    match entry {
        Some(entry) if alone.is_empty() => moved_as_named(target, kind, &entry),
        _ => alone,
    }
}

/// Returns the pattern with `{}` for the keys of maps.
fn with_maps(catalog: &Catalog, field: &FieldPattern) -> FieldPattern {
    field.parts().iter().fold(FieldPattern::default(), |at, part| {
        let (own, entries) = (at.with(part.clone()), at.with(Part::Values));
        let is_entry = catalog.having(&own).is_empty() && !catalog.having(&entries).is_empty();
        if is_entry { entries } else { own }
    })
}

fn moved_as_named(target: &Target<'_>, kind: &GroupKind, field: &FieldPattern) -> BTreeSet<Image> {
    let mut tracker = KindTracker::new(kind.clone());
    let mut images = BTreeSet::from([Image::Kept]);
    let mut is_copied = false;
    for (rule, direction) in target.pack.rules_for_kind(target.release, kind, None) {
        if tracker.is_subject_to(rule, direction) {
            let lens = rule.lens(direction);
            let places = images.iter().filter_map(|image| image.clone().place(field.clone()));
            is_copied |= places.into_iter().any(|place| lens.copies(&place));
            images = images.iter().flat_map(|image| image.after(field, |field| lens.images(field))).collect();
            tracker.record(rule, direction);
        }
    }
    // What is removed with some of its values alone is there with the others.
    let stays = images.contains(&Image::Kept);
    let exists = || {
        target.pack.catalog(tracker.kind()).is_some_and(|catalog| {
            let is_there = |releases: ReleaseSet| releases.contains(target.release);
            is_there(catalog.having(field)) || stays && is_there(catalog.reach(field).releases())
        })
    };
    let is_left = |image: &Image| match image {
        Image::Kept => !is_copied,
        Image::Refused => true,
        Image::Dropped => exists(),
        Image::Moved(_) => false,
    };
    images.extend(is_copied.then_some(Image::Kept));
    images.into_iter().filter(|image| !is_left(image)).collect()
}

/// Returns the kinds that the rules towards a target are about: those of its pack, and those of others.
pub(super) fn all_kinds<'t>(target: &'t Target<'_>) -> impl Iterator<Item = &'t GroupKind> {
    target.pack.kinds().chain(target.pack.foreign_kinds())
}

/// Finds the ignored paths in an object.
fn find(object: &Object, carriers: &Carriers) -> Vec<Ignored> {
    let mut found = Vec::new();
    for (item, selector, ignored) in lists(object, carriers) {
        let listed = |list: &FieldPath| {
            let list = item.join(list);
            (0..list.items(&object.value).len()).map(|at| list.index(at)).collect::<Vec<_>>()
        };
        let pointers = listed(&ignored.pointers).into_iter().map(|place| (place, false));
        let operations = ignored.operations.iter().flat_map(listed).map(|operation| {
            let has_value = operation.key("value").get(&object.value).is_some();
            (operation.key("path"), has_value)
        });
        found.extend(pointers.chain(operations).filter_map(|(place, has_value)| {
            let path = PathExpression::parse(Syntax::Pointer, place.text(&object.value)?)?;
            Some(Ignored { place, path, selector: selector.clone(), has_value })
        }));
    }
    found
}

/// Returns the places of the entries in an object whose group is decided about here.
pub(crate) fn entries(object: &Object, carriers: &Carriers) -> BTreeSet<FieldPath> {
    lists(object, carriers).into_iter().map(|(item, ..)| item).collect()
}

/// Finds the jq expressions of an object that name ignored fields, each with its place.
fn queries<'o>(object: &'o Object, carriers: &Carriers) -> Vec<(FieldPath, &'o str, Selector)> {
    let mut found = Vec::new();
    for (item, selector, ignored) in lists(object, carriers) {
        let Some(queries) = &ignored.queries else { continue };
        let texts = item.join(queries);
        let all = texts.items(&object.value).iter().enumerate();
        found.extend(all.filter_map(|(at, text)| Some((texts.index(at), text.as_str()?, selector.clone()))));
    }
    found
}

/// Returns the places in an object that have fields ignored, each with what it selects and where it names the fields.
fn lists<'t>(object: &Object, carriers: &'t Carriers) -> Vec<(FieldPath, Selector, &'t IgnoredFields)> {
    let ignoring = carriers.of_kind(&object.kind).filter_map(|carrier| Some((carrier, carrier.ignored.as_ref()?)));
    let items = ignoring.flat_map(|(carrier, ignored)| {
        carrier.places(&object.value).into_iter().map(move |place| {
            let item = place.get(&object.value);
            // Without a selector, all objects have the fields ignored.
            let map = ignored.selector.as_ref().map_or(item, |selector| selector.get(item?));
            let selector = map.and_then(Value::as_object).map(|map| only_kind(map, ignored)).unwrap_or_default();
            (place, selector, ignored)
        })
    });
    items.collect()
}

/// Returns the selector of the group and kind that a mapping gives.
fn only_kind(map: &Map<String, Value>, ignored: &IgnoredFields) -> Selector {
    let keys = map.iter().filter(|(key, _)| ["group", "apiVersion", "kind"].contains(&key.as_str()));
    let map = keys.map(|(key, value)| (key.clone(), value.clone())).collect();
    match ignored.patterns {
        SelectorSyntax::Regex => Selector::of_reference(&map),
        SelectorSyntax::Glob => Selector::of_globs(&map),
    }
}
