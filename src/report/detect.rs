//! What `detect` prints for people: each object's releases with the fields that decide, and the tree's common range.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::detection::{Detected, Detection};
use super::escape::visible;
use super::paint::Painter;
use crate::pack::Pack;
use crate::release::ReleaseSet;

/// Prints one paragraph for each object, and a line for each place with values of a chart.
pub fn objects(detection: &Detection<'_>, painter: &Painter) -> String {
    let values = detection.values.iter().map(|(pack, object, place, field)| {
        let title = visible(&object.title());
        let field = if field.is_empty() { String::new() } else { format!(", in {}", visible(field)) };
        format!("{}: {}: values of a chart of {pack}{field}\n", painter.place(place), painter.strong(&title))
    });
    detection.objects.iter().map(|found| object(found, painter)).chain(values).collect()
}

fn object(found: &Detected<'_>, painter: &Painter) -> String {
    let place = painter.place(&found.location);
    let inference = &found.inference;
    let releases = found.releases();
    let title = painter.strong(&visible(&found.object.title()));
    let mut out = format!("{place}: {title} ({}): {releases}\n", visible(&found.object.api_version.to_string()));
    for (fact, place) in inference.evidence.iter().zip(&found.evidence) {
        let place = painter.place(place);
        let path = visible(&fact.path.to_string());
        let _infallible = writeln!(out, "  {place}: {path} is in {}", found.pack.line().describe(fact.releases));
    }
    out
}

/// Prints, for each pack, the releases that every object without a conflict can be for: the release of the tree. The evidence
/// of charts and images and the CRDs in the tree are listed below.
pub fn common(detection: &Detection<'_>) -> String {
    let mut packs: BTreeMap<&str, (&Pack, ReleaseSet, ReleaseSet)> = BTreeMap::new();
    for found in detection.objects.iter().filter(|found| !found.inference.is_conflict()) {
        let inference = &found.inference;
        let all = found.pack.line().all();
        let entry = packs.entry(found.pack.name()).or_insert((found.pack, all, all));
        entry.1 = entry.1 & inference.candidates;
        // An apiVersion that no release serves shows nothing about the tree.
        entry.2 = entry.2 & inference.candidates & if inference.serving.is_empty() { all } else { inference.serving };
    }
    let mut out = String::new();
    for (name, (pack, by_fields, with_versions)) in packs {
        let line = pack.line();
        let range = |set: ReleaseSet| if set.is_empty() { "no single release".to_owned() } else { line.describe(set) };
        let _infallible = writeln!(out, "{name}: by fields {}", range(by_fields));
        let _infallible = writeln!(out, "{name}: with apiVersions {}", range(with_versions));
        let companions = pack.companions(with_versions);
        if !companions.is_empty() {
            let _infallible = writeln!(out, "{name}: supports {}", companions.join(", "));
        }
    }
    for (name, one) in &detection.evidence {
        let (named, place) = (visible(&one.text), one.location.to_string());
        let exactness = if one.is_exact() { "" } else { ", not exactly a known release" };
        let _infallible = writeln!(out, "{name}: evidence in the tree: {named} ({}){exactness}", visible(&place));
    }
    for installed in &detection.crds {
        let crds = visible(&installed.describe());
        let _infallible = writeln!(out, "{}: CRDs in the tree: {crds}", installed.pack.name());
    }
    out
}
