//! The release that objects come from: as passed with `--from`, or as charts and images in the files name it.
//!
//! Invariant: a release that was detected is printed on standard error, with the place that names it.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};

use super::console::Console;
use super::packs;
use crate::engine::infer::install_evidence::{Evidence, ObjectReleases, origin};
use crate::knowledge::pack::{Pack, Packs, Target};
use crate::knowledge::release::{ReleaseSet, bare, version_of};
use crate::shell::report::{plural, visible};

/// Reads `--from`: the releases, by pack.
pub(super) fn passed(values: &[String], packs: &Packs, console: Console) -> Result<BTreeMap<String, ReleaseSet>> {
    let mut read = BTreeMap::new();
    for text in values.iter().filter(|text| !text.is_empty()) {
        let target = packs::release(text, packs).context("--from")?;
        packs::note_same_apis(text, &target, console)?;
        let name = target.pack.name();
        ensure!(
            read.insert(name.to_owned(), ReleaseSet::from_iter([target.release])).is_none(),
            "--from: two releases of {name}"
        );
    }
    Ok(read)
}

/// Returns the release that charts and images in the files name as the one the objects of `pack` come from, and prints it; one
/// that an object cannot be for is printed and not used.
pub(super) fn detected(
    pack: &Pack,
    evidence: &[(&Pack, Evidence)],
    spans: &[ObjectReleases<'_>],
    console: Console,
) -> Result<Option<ReleaseSet>> {
    let about = evidence.iter().filter(|(other, _)| other.name() == pack.name());
    let (about, inexact): (Vec<&Evidence>, Vec<&Evidence>) =
        about.map(|(_, evidence)| evidence).partition(|mention| mention.is_exact());
    for line in inexact_versions(pack, &inexact) {
        console.note(&line)?;
    }
    let origin = origin(&about);
    let (Some(first), Some(release)) = (about.first(), origin.iter().next()) else {
        if !about.is_empty() {
            let mentions: Vec<String> =
                about.iter().map(|mention| format!("{} ({})", mention.text, mention.location)).collect();
            let mentions = visible(&mentions.join(", "));
            let name = pack.name();
            console.note(&format!(
                "{name} objects can be of several releases: {mentions}; pass --from {name}@RELEASE\n"
            ))?;
        }
        return Ok(None);
    };
    let bundle = &pack.line().get(release).bundle;
    let place = visible(&first.location.to_string());
    let about = spans.iter().filter(|span| span.pack.name() == pack.name());
    if let Some(other) = about.filter(|span| (span.releases & origin).is_empty()).min_by_key(|span| &span.location) {
        let (named, title) = (visible(&first.text), visible(&other.title));
        let (at, releases) = (visible(&other.location.to_string()), pack.line().describe(other.releases));
        let name = pack.name();
        console.note(&format!(
            "{name}: {named} ({place}) is not used: {title} ({at}) is for {releases}; if all objects come from one release, pass --from {name}@RELEASE\n"
        ))?;
        return Ok(None);
    }
    let is_bundle = version_of(pack.without_suffix(&first.version)) == version_of(bundle);
    let same = if is_bundle { "" } else { ", which has the same APIs" };
    console.note(&format!("{} objects come from {bundle}{same}: {} ({place})\n", pack.name(), visible(&first.text)))?;
    Ok(Some(origin))
}

/// Warns of releases passed with `--from` that have no effect: their pack has no target, or no object can come from them.
pub(super) fn not_used(
    passed: &BTreeMap<String, ReleaseSet>,
    targets: &[Target<'_>],
    spans: &[ObjectReleases<'_>],
    packs: &Packs,
) -> Vec<String> {
    let warning = |(name, origin): (&String, &ReleaseSet)| {
        let pack = packs.named(name).ok()?;
        let release = Target::new(pack, origin.iter().next()?);
        let Some(target) = targets.iter().find(|target| target.pack.name() == name) else {
            return Some(format!(
                "warning: --from {release} is not used: there is no target for {name}; pass --to {name}@RELEASE\n"
            ));
        };
        let reached = ReleaseSet::from_iter([target.release]);
        let of_pack = || spans.iter().filter(|span| span.pack.name() == name);
        // An object that is at the target already is not converted.
        let contradicting =
            || of_pack().filter(|span| (span.releases & *origin).is_empty() && (span.releases & reached).is_empty());
        let first = contradicting().min_by_key(|span| &span.location)?;
        if of_pack().any(|span| !(span.releases & *origin).is_empty()) {
            return None;
        }
        let (at, title) = (visible(&first.location.to_string()), visible(&first.title));
        let (objects, releases) = (plural(contradicting().count(), "object"), pack.line().describe(first.releases));
        Some(format!(
            "warning: --from {release} is not used for {objects}, which cannot come from it: {title} ({at}) is for {releases}\n"
        ))
    };
    passed.iter().filter_map(warning).collect()
}

/// Lists versions that are not exactly a release, each with the first place where it is written.
fn inexact_versions(pack: &Pack, inexact: &[&Evidence]) -> Vec<String> {
    let mut places: BTreeMap<&str, Vec<&Evidence>> = BTreeMap::new();
    for mention in inexact {
        places.entry(&mention.text).or_default().push(mention);
    }
    let line = |(named, mentions): (&str, Vec<&Evidence>)| {
        let more = if mentions.len() == 1 { String::new() } else { format!(" and {} more", mentions.len() - 1) };
        let (named, place) = (visible(named), visible(&mentions[0].location.to_string()));
        let why = pack.exclusion(&mentions[0].version).map_or_else(
            || "is not exactly a known release; not used".to_owned(),
            |excluded| {
                let (name, instead) = (pack.name(), bare(&excluded.instead));
                format!(
                    "is not used: {}; to convert from the nearest release, pass --from {name}@{instead}",
                    excluded.reason
                )
            },
        );
        format!("{}: {named} ({place}{more}) {why}\n", pack.name())
    };
    places.into_iter().map(line).collect()
}
