//! The releases that objects come from: as passed with `--from`, or as the files show them.
//!
//! Invariant: what names a release is said with its place, and so is an object that contradicts the others.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};

use super::packs;
use crate::engine::infer::install_evidence::Evidence;
use crate::engine::infer::origin::{ObjectReleases, Origin, origin};
use crate::knowledge::pack::{Pack, Packs, Target};
use crate::knowledge::release::{ReleaseSet, version_of};
use crate::shell::report::{Report, plural, visible};

/// How many charts, images and marks that name other releases are printed.
const NAMED: usize = 3;

/// Where the objects of a pack come from, or which target they get, as one line for people.
#[derive(Clone)]
pub(super) struct Told {
    /// The name of the pack.
    pub(super) pack: String,
    pub(super) line: String,
}

/// Returns what is told about packs on which something depends that changes or is held back, in a run with targets for the packs
/// `sought`. What else is reported names the release itself.
pub(super) fn that_matter(told: &[Told], report: &Report<'_>, sought: &[String]) -> Vec<String> {
    told.iter().filter(|told| matters(told, report, sought)).map(|told| told.line.clone()).collect()
}

fn matters(told: &Told, report: &Report<'_>, sought: &[String]) -> bool {
    let mut open = report.to_change().chain(report.held_back()).peekable();
    if open.peek().is_none() {
        // Patches and names change, or are held back, without an object.
        return report.files_to_change().next().is_some() || !report.held_places().is_empty();
    }
    open.any(|object| match report.packs.of_group(&object.from.0.group) {
        Some(own) if sought.iter().any(|name| name == own.name()) => own.name() == told.pack,
        // The object is of no target: it holds values, or names what a target moves, by rules of the pack.
        _ => object.rules.is_empty() || object.rules.iter().any(|(rule, _)| is_of(rule, &told.pack)),
    })
}

/// Says whether a rule is of a pack, by its name: `ngf/v2.0.0/values-service-moved-to-nginx`.
fn is_of(rule: &str, pack: &str) -> bool {
    rule.split_once('/').is_some_and(|(own, _)| own == pack)
}

/// Reads `--from`: the releases, by pack.
pub(super) fn passed(values: &[String], packs: &Packs) -> Result<BTreeMap<String, ReleaseSet>> {
    let mut read = BTreeMap::new();
    for text in values.iter().filter(|text| !text.is_empty()) {
        let target = packs::release(text, packs).context("--from")?;
        let name = target.pack.name();
        ensure!(
            read.insert(name.to_owned(), ReleaseSet::from_iter([target.release])).is_none(),
            "--from: two releases of {name}"
        );
    }
    Ok(read)
}

/// Returns the releases that the objects of `pack` come from: what is named by what installs it, and what all objects fit; with what
/// names the release, and objects that cannot come from there, for people.
pub(super) fn detected<'s, 'p>(
    pack: &Pack,
    evidence: &[(&Pack, Evidence)],
    spans: &'s [ObjectReleases<'p>],
) -> (Origin<'s, 'p>, Vec<Told>) {
    let about: Vec<&Evidence> =
        evidence.iter().filter(|(other, _)| other.name() == pack.name()).map(|(_, evidence)| evidence).collect();
    let spans: Vec<&ObjectReleases<'_>> = spans.iter().filter(|span| span.pack.name() == pack.name()).collect();
    let origin = origin(&about, &spans);
    let exact: Vec<&Evidence> = about.into_iter().filter(|mention| mention.is_exact()).collect();
    let lines = named(pack, &exact, &origin).into_iter().chain(apart(pack, &origin));
    let told = lines.map(|line| Told { pack: pack.name().to_owned(), line }).collect();
    (origin, told)
}

/// Says what becomes of the releases that `exact` evidence names; what objects contradict is a finding (`notices::pins`).
fn named(pack: &Pack, exact: &[&Evidence], origin: &Origin<'_, '_>) -> Option<String> {
    let (first, name) = (exact.first()?, pack.name());
    let (text, place) = (visible(&first.text), visible(&first.location.to_string()));
    if origin.contradicting.is_some() {
        return None;
    }
    let Some(release) = origin.releases.iter().next().filter(|_| origin.is_named) else {
        let mention = |mention: &&Evidence| format!("{} ({})", mention.text, mention.location);
        let mentions: Vec<String> = exact.iter().take(NAMED).map(mention).collect();
        let more = match exact.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let mentions = visible(&mentions.join(", ")) + &more;
        return Some(format!("{name} objects can be of several releases: {mentions}; pass --from {name}@RELEASE"));
    };
    let bundle = &pack.line().get(release).bundle;
    let is_bundle = version_of(pack.without_suffix(&first.version)) == version_of(bundle);
    let same = if is_bundle { "" } else { ", which has the same APIs" };
    Some(format!("{name} objects come from {bundle}{same}: {text} ({place})"))
}

/// Names the objects that cannot come from where the others do.
fn apart(pack: &Pack, origin: &Origin<'_, '_>) -> Option<String> {
    let first = origin.apart.iter().min_by_key(|one| &one.location)?;
    let (title, place) = (visible(&first.title), visible(&first.location.to_string()));
    let line = pack.line();
    let (own, others) = (line.describe(first.fitting()), line.describe(origin.releases));
    let count: usize = origin.apart.iter().map(|one| one.objects).sum();
    let more = if count == 1 { String::new() } else { format!(" (and {} more like it)", count - 1) };
    Some(format!(
        "{}: {title} ({place}) is for {own}{more}, and the other objects are for {others}; it is converted by itself",
        pack.name()
    ))
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
            || of_pack().filter(|span| (span.fitting() & *origin).is_empty() && (span.fitting() & reached).is_empty());
        let first = contradicting().min_by_key(|span| &span.location)?;
        if of_pack().any(|span| !(span.fitting() & *origin).is_empty()) {
            return None;
        }
        let (at, title) = (visible(&first.location.to_string()), visible(&first.title));
        let objects = plural(contradicting().map(|span| span.objects).sum(), "object");
        let releases = pack.line().describe(first.fitting());
        Some(format!(
            "warning: --from {release} is not used for {objects}, which cannot come from it: {title} ({at}) is for {releases}\n"
        ))
    };
    passed.iter().filter_map(warning).collect()
}
