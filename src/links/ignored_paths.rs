//! Which fields of converted objects do Argo CD and Flux ignore, and what are their paths after the conversion?
//!
//! An Application lists JSON pointers below `ignoreDifferences`, a HelmRelease below `driftDetection.ignore`, each for objects of one
//! kind. The fields are mostly set in the cluster and not in files, so their paths follow the rules towards the target, where all
//! objects of that kind in the run are converted.
//!
//! Invariant: a path that no rule moves, or that rules move to several places, is left unchanged; the latter is reported.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::path_expression::{PathExpression, Syntax};
use super::selectors::{VersionChange, VersionChanges};
use crate::convert::{Conversion, Remark, Targets};
use crate::field::{FieldPath, FieldPattern};
use crate::finding::{Code, Finding, Severity};
use crate::lens::{Image, Session};
use crate::manifest::{Manifest, Object, Selector};
use crate::pack::Target;
use crate::release::GroupKind;
use crate::yaml::Intent;

/// A path in an object that has fields ignored.
struct Ignored {
    /// Its place in the object.
    place: FieldPath,
    path: PathExpression,
    selector: Selector,
}

/// Returns whether `object` has fields of known kinds ignored.
pub(crate) fn is_in(object: &Object, targets: &Targets<'_>) -> bool {
    let kinds = || targets.goal.targets.iter().flat_map(|target| target.pack.kinds());
    find(object).iter().any(|ignored| kinds().any(|kind| ignored.selector.selects_kind(kind)))
}

/// Updates the paths in `object`; `made` is what became of it so far. What cannot follow is reported.
pub(crate) fn update(
    (manifest, object): (&Manifest, &Object),
    made: Option<Conversion>,
    changes: &VersionChanges<'_>,
    targets: &Targets<'_>,
    findings: &mut Vec<Finding>,
) -> Option<Conversion> {
    let mut session = Session::new(made.as_ref().map_or(&object.value, |made| &made.value).clone());
    for Ignored { place, path, selector } in find(object) {
        let images: BTreeSet<Image> = images(targets, &selector, &path.pattern());
        let Some(image) = images.first().filter(|_| is_converted(&selector, changes)) else { continue };
        let new = match image {
            Image::Moved(new) if images.len() == 1 => path.with_pattern(new),
            _ => None,
        };
        match new {
            Some(new) => {
                let value = Value::from(new.to_string());
                session.change(Intent::Replace { path: place, value }).expect("the path was found in this object");
            }
            None => {
                let message = format!(
                    "{place} names {path}, which the conversion removes or moves to several places; it is not updated"
                );
                let help = "write the path that the field has after the conversion, by hand".to_owned();
                let remark = Remark::new(Code::ReferenceNotUpdated, place, message, Some(help));
                findings.push(remark.finding(manifest, object, Severity::Warning));
            }
        }
    }
    let (value, program, _) = session.finish();
    if program.is_empty() {
        return made;
    }
    let mut made = made.unwrap_or_else(|| Conversion::unchanged(object));
    made.value = value;
    made.program.extend(program);
    Some(made)
}

/// Returns whether there are objects of the kinds that a selector gives, and all of them change.
fn is_converted(selector: &Selector, changes: &VersionChanges<'_>) -> bool {
    let selected = changes.iter().filter(|((kind, _), _)| selector.selects_kind(kind));
    let mut ones = selected.flat_map(|(_, ones)| ones).peekable();
    ones.peek().is_some() && ones.all(|one: &VersionChange<'_>| one.is_changed)
}

/// Returns what becomes of a field of the selected kinds on the way to the targets, where that is not left unchanged.
fn images(targets: &Targets<'_>, selector: &Selector, field: &FieldPattern) -> BTreeSet<Image> {
    let kinds = targets.goal.targets.iter().flat_map(|target| target.pack.kinds().map(move |kind| (target, kind)));
    let selected = kinds.filter(|(_, kind)| selector.selects_kind(kind));
    selected.flat_map(|(target, kind)| moved(target, kind, field)).collect()
}

/// Returns everything that becomes of a field of objects of `kind` on the way to `target`, where that is not left unchanged.
pub(super) fn moved(target: &Target<'_>, kind: &GroupKind, field: &FieldPattern) -> BTreeSet<Image> {
    let rules = target.pack.rules_to(target.release).filter(|(rule, direction)| rule.from_kind(*direction) == kind);
    let images = rules.fold(BTreeSet::from([Image::Kept]), |images, (rule, direction)| {
        let lens = rule.lens(direction);
        images.iter().flat_map(|image| image.after(field, |field| lens.images(field))).collect()
    });
    images.into_iter().filter(|image| !matches!(image, Image::Kept | Image::Refused)).collect()
}

/// Finds the ignored paths in an object.
///
/// Source: Argo CD, `ignoreDifferences` of an Application; Flux, `driftDetection.ignore` of a HelmRelease.
fn find(object: &Object) -> Vec<Ignored> {
    let (list, paths, target) = match (object.kind.group.as_str(), object.kind.kind.as_str()) {
        ("argoproj.io", "Application") => ("spec.ignoreDifferences[]", "jsonPointers", None),
        ("argoproj.io", "ApplicationSet") => ("spec.template.spec.ignoreDifferences[]", "jsonPointers", None),
        ("helm.toolkit.fluxcd.io", "HelmRelease") => ("spec.driftDetection.ignore[]", "paths", Some("target")),
        _ => return Vec::new(),
    };
    let list = FieldPattern::parse(list).expect("it is a pattern");
    let mut found = Vec::new();
    for item in list.matches(&object.value) {
        let selects = target.map_or_else(|| item.clone(), |key| item.key(key));
        let Some(selector) = selects.get(&object.value).and_then(Value::as_object).map(only_kind) else { continue };
        let paths = item.key(paths);
        let count = paths.get(&object.value).and_then(Value::as_array).map_or(0, Vec::len);
        found.extend((0..count).filter_map(|at| {
            let place = paths.index(at);
            let path = PathExpression::parse(Syntax::Pointer, place.get(&object.value)?.as_str()?)?;
            Some(Ignored { place, path, selector: selector.clone() })
        }));
    }
    found
}

/// Returns the selector of the group and kind that a mapping gives.
fn only_kind(map: &Map<String, Value>) -> Selector {
    let keys = map.iter().filter(|(key, _)| ["group", "kind"].contains(&key.as_str()));
    Selector::of(&keys.map(|(key, value)| (key.clone(), value.clone())).collect())
}
