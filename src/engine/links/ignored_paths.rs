//! Which fields of converted objects are not compared with the cluster, and what are their paths after the conversion?
//!
//! An Application of Argo CD lists JSON pointers below `ignoreDifferences`, a HelmRelease of Flux below `driftDetection.ignore`, each for
//! objects of one kind. The fields are mostly set in the cluster and not in files, so their paths follow the rules towards the target, where all
//! objects of that kind in the run are converted.
//!
//! Invariant: a path that no rule moves, or that rules move to several places, is left unchanged; the latter is reported.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::path_expression::{PathExpression, Syntax};
use super::version_changes::{Follow, VersionChanges};
use crate::engine::convert::{Remark, Targets};
use crate::engine::finding::Code;
use crate::engine::manifest::{Object, Selector};
use crate::knowledge::carrier::{Carriers, Ignored as IgnoredFields};
use crate::knowledge::lens::Image;
use crate::knowledge::pack::{KindTracker, Target};
use crate::knowledge::release::{GroupKind, ReleaseSet};
use crate::syntax::field::{FieldPath, FieldPattern};

/// A path in an object that has fields ignored.
struct Ignored {
    /// Its place in the object.
    place: FieldPath,
    path: PathExpression,
    selector: Selector,
}

/// Returns the fields that an object has ignored, each with what selects the objects that have it.
pub(super) fn ignored_fields(object: &Object, carriers: &Carriers) -> Vec<(Selector, FieldPattern)> {
    let paths = find(object, carriers).into_iter().map(|ignored| (ignored.selector, ignored.path.pattern()));
    let queries = queries(object, carriers).into_iter();
    paths.chain(queries.filter_map(|(_, text, selector)| Some((selector, pattern_of_query(text)?)))).collect()
}

/// Returns whether the conversion to the targets moves or removes a field of what is selected.
pub(super) fn changes_field(targets: &Targets<'_>, selector: &Selector, field: &FieldPattern) -> bool {
    !images(targets, selector, field).is_empty()
}

/// Reads a jq expression that is a path.
fn pattern_of_query(text: &str) -> Option<FieldPattern> {
    FieldPattern::parse(text.trim_start_matches('.').replace("[]?", "[]").as_str()).ok()
}

/// Decides what becomes of the paths in `object`.
pub(super) fn follow(object: &Object, changes: &VersionChanges<'_>, targets: &Targets<'_>) -> Vec<Follow> {
    let mut follows = Vec::new();
    for Ignored { place, path, selector } in find(object, targets.goal.packs.carriers()) {
        let images = images(targets, &selector, &path.pattern());
        let Some(image) = images.first() else { continue };
        let new = match image {
            Image::Moved(new) if images.len() == 1 => path.with_pattern(new),
            _ => None,
        };
        let (what, help) = match (new, Fate::of(&selector, &path.pattern(), changes, targets)) {
            (_, Fate::Stay) => continue,
            (Some(new), Fate::Change) => {
                follows.push(Follow::Text { path: place, text: new.to_string() });
                continue;
            }
            (Some(new), Fate::Unseen) => (
                format!(
                    "is {new} after the conversion; no object of that kind is among the files, so it is not updated"
                ),
                "write the new path by hand where the objects are converted, or run on their files too",
            ),
            (None, _) => (
                "the conversion removes or moves to several places; it is not updated".to_owned(),
                "write the path that the field has after the conversion, by hand",
            ),
        };
        follows.push(kept(place, &path.to_string(), &what, help));
    }
    for (place, text, selector) in queries(object, targets.goal.packs.carriers()) {
        let pattern = pattern_of_query(text);
        let Some(pattern) = pattern else { continue };
        let images = images(targets, &selector, &pattern);
        let is_left = || Fate::of(&selector, &pattern, changes, targets) == Fate::Stay;
        let Some(image) = images.first().filter(|_| !is_left()) else { continue };
        let what = match image {
            Image::Moved(new) => format!("is .{new} after the conversion; it is not updated"),
            _ => "does not exist after the conversion; it is not updated".to_owned(),
        };
        follows.push(kept(place, text, &what, "change the jq expression by hand"));
    }
    follows
}

/// Reports that `path`, which stands at `place`, is left as it is.
fn kept(place: FieldPath, path: &str, what: &str, help: &str) -> Follow {
    let message = format!("{place} names {path}, which {what}");
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
    fn of(selector: &Selector, field: &FieldPattern, changes: &VersionChanges<'_>, targets: &Targets<'_>) -> Self {
        let is_selected = |kind: &GroupKind| targets.family(kind).into_iter().any(|kind| selector.selects_kind(kind));
        let objects: Vec<_> = changes.of_kinds(is_selected).collect();
        let is_foreign =
            |kind: &GroupKind| targets.goal.targets.iter().all(|target| target.pack.catalog(kind).is_none());
        let is_changed = match objects.iter().all(|object| is_foreign(object.old_kind)) {
            true => objects.iter().any(|object| object.is_changed),
            false => {
                let is_gone = |kind: &GroupKind| is_lacking(targets, kind, field);
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

/// Returns what becomes of a field of the selected kinds on the way to the targets, where that is not left unchanged.
fn images(targets: &Targets<'_>, selector: &Selector, field: &FieldPattern) -> BTreeSet<Image> {
    let kinds = targets.goal.targets.iter().flat_map(|target| all_kinds(target).map(move |kind| (target, kind)));
    let selected = kinds.filter(|(_, kind)| selector.selects_kind(kind));
    selected.flat_map(|(target, kind)| moved(target, kind, field)).collect()
}

/// Returns everything that becomes of a field of objects of `kind` on the way to `target`, where that is not left unchanged.
pub(super) fn moved(target: &Target<'_>, kind: &GroupKind, field: &FieldPattern) -> BTreeSet<Image> {
    let mut tracker = KindTracker::new(kind.clone());
    let mut images = BTreeSet::from([Image::Kept]);
    for (rule, direction) in target.pack.rules_for_kind(target.release, kind, None) {
        if tracker.is_subject_to(rule, direction) {
            let lens = rule.lens(direction);
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
        Image::Kept | Image::Refused => true,
        Image::Dropped => exists(),
        Image::Moved(_) => false,
    };
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
        let paths = item.join(&ignored.pointers);
        let count = paths.items(&object.value).len();
        found.extend((0..count).filter_map(|at| {
            let place = paths.index(at);
            let path = PathExpression::parse(Syntax::Pointer, place.text(&object.value)?)?;
            Some(Ignored { place, path, selector: selector.clone() })
        }));
    }
    found
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
        carrier.places(&object.value).into_iter().filter_map(move |place| {
            let item = place.get(&object.value);
            let selector = ignored.selector.as_ref().map_or(item, |selector| selector.get(item?))?;
            Some((place, only_kind(selector.as_object()?), ignored))
        })
    });
    items.collect()
}

/// Returns the selector of the group and kind that a mapping gives.
fn only_kind(map: &Map<String, Value>) -> Selector {
    let keys = map.iter().filter(|(key, _)| ["group", "kind"].contains(&key.as_str()));
    Selector::of(&keys.map(|(key, value)| (key.clone(), value.clone())).collect())
}
