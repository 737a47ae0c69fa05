//! Answers: what does a call know besides its target: other targets that go with it, where objects come from, what no file shows?
//!
//! What is typed counts (`--from`, `--set`, `--unpaired`); where objects come from, charts and images in the files say as well.
//!
//! Invariant: what was not typed is told on standard error, with the place that says so.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};

use super::console::Console;
use crate::infer::install_evidence::{Evidence, ObjectReleases, origin};
use crate::pack::wire::{Format, Parameter};
use crate::pack::{Pack, Packs, Target};
use crate::release::ReleaseSet;
use crate::report::visible;

/// Returns the release that charts and images beside the objects of `pack` say is installed, and tells it; one that an object
/// cannot be for is told and not used.
pub(super) fn told_by_files(
    pack: &Pack,
    evidence: &[(&Pack, Evidence)],
    spans: &[ObjectReleases<'_>],
    console: Console,
) -> Result<Option<ReleaseSet>> {
    let about = evidence.iter().filter(|(other, _)| other.name() == pack.name());
    let (about, inexact): (Vec<&Evidence>, Vec<&Evidence>) =
        about.map(|(_, evidence)| evidence).partition(|one| one.is_exact());
    for line in not_used(pack, &inexact) {
        console.note(&line)?;
    }
    let origin = origin(&about);
    let (Some(first), Some(release)) = (about.first(), origin.iter().next()) else {
        if !about.is_empty() {
            let said: Vec<String> = about.iter().map(|one| format!("{} ({})", one.text, one.location)).collect();
            let said = visible(&said.join(", "));
            console.note(&format!("{} objects can be of several releases: {said}; say --from\n", pack.name()))?;
        }
        return Ok(None);
    };
    let bundle = &pack.line().get(release).bundle;
    let place = visible(&first.location.to_string());
    let about = spans.iter().filter(|span| span.pack.name() == pack.name());
    if let Some(other) = about.filter(|span| (span.releases & origin).is_empty()).min_by_key(|span| &span.location) {
        let (says, title) = (visible(&first.text), visible(&other.title));
        let (at, releases) = (visible(&other.location.to_string()), pack.line().describe(other.releases));
        let name = pack.name();
        console.note(&format!(
            "{name}: {says} ({place}) is not used: {title} ({at}) is for {releases}; say --from where the objects come from one release\n"
        ))?;
        return Ok(None);
    }
    console.note(&format!("{} objects come from {bundle}: {} ({place})\n", pack.name(), visible(&first.text)))?;
    Ok(Some(origin))
}

/// Tells versions that are not exactly a release, each with the first place where it stands.
fn not_used(pack: &Pack, inexact: &[&Evidence]) -> Vec<String> {
    let mut places: BTreeMap<&str, Vec<&Evidence>> = BTreeMap::new();
    for one in inexact {
        places.entry(&one.text).or_default().push(one);
    }
    let line = |(says, all): (&str, Vec<&Evidence>)| {
        let more = if all.len() == 1 { String::new() } else { format!(" and {} more", all.len() - 1) };
        let (says, place) = (visible(says), visible(&all[0].location.to_string()));
        format!("{}: {says} ({place}{more}) is not exactly a release that is known; not used\n", pack.name())
    };
    places.into_iter().map(line).collect()
}

/// Whether the targets must be made for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pairing {
    /// They must.
    Matching,
    /// They need not.
    Any,
}

/// Returns the releases that `targets` go with, where their packs have no target yet, and tells them.
///
/// # Errors
/// A target of a pack that another target does not go with.
pub(super) fn companions<'p>(
    targets: &[Target<'p>],
    packs: &'p Packs,
    pairing: Pairing,
    console: Console,
) -> Result<Vec<Target<'p>>> {
    let mut found = Vec::new();
    for target in targets {
        let Some(companion) = packs.companion(target)? else { continue };
        let bundle = |target: &Target<'p>| target.pack.line().get(target.release).bundle.clone();
        match targets.iter().find(|other| other.pack.name() == companion.pack.name()) {
            None => {
                console.note(&format!("target {companion}, which {target} goes with\n"))?;
                found.push(companion);
            }
            Some(other) => ensure!(
                pairing == Pairing::Any || minor(&bundle(other)) == minor(&bundle(&companion)),
                "{target} goes with {companion}, not with {other}: leave the second target out, or say --unpaired"
            ),
        }
    }
    Ok(found)
}

/// Returns a bundle's name without its last number: `v1.5` of `v1.5.1`.
fn minor(bundle: &str) -> &str {
    bundle.rsplit_once('.').map_or(bundle, |(minor, _)| minor)
}

/// Reads `--set`: names as packs declare them.
pub(super) fn parameters(said: &[String], packs: &Packs) -> Result<BTreeMap<String, String>> {
    let mut read = BTreeMap::new();
    for text in said.iter().filter(|text| !text.is_empty()) {
        let (name, value) = text.split_once('=').with_context(|| format!("--set: `{text}` has no `=`"))?;
        check(name, value, packs).context("--set")?;
        ensure!(read.insert(name.to_owned(), value.to_owned()).is_none(), "--set: {name} is said twice");
    }
    Ok(read)
}

/// Checks that a pack asks for the parameter `name`, and that `value` can be it.
///
/// # Errors
/// A failure that says what there is, or what to write.
pub(super) fn check(name: &str, value: &str, packs: &Packs) -> Result<()> {
    let of_pack = |pack: &'_ Pack| {
        let named = |one: &Parameter| (format!("{}.{}", pack.name(), one.name), one.format);
        pack.parameters().iter().map(named).collect::<Vec<_>>()
    };
    let declared: BTreeMap<String, Format> = packs.iter().flat_map(of_pack).collect();
    let shape = declared.get(name).with_context(|| {
        let names: Vec<&str> = declared.keys().map(String::as_str).collect();
        format!("no pack asks for `{name}`; there are: {}", names.join(", "))
    })?;
    ensure!(!value.is_empty(), "{name} has no value");
    ensure!(shape.accepts(value), "`{value}` cannot be {name}: write {}", shape.description());
    Ok(())
}

/// Reads `--from`: the releases, by pack.
pub(super) fn origins(said: &[String], packs: &Packs) -> Result<BTreeMap<String, ReleaseSet>> {
    let mut read = BTreeMap::new();
    for text in said.iter().filter(|text| !text.is_empty()) {
        let target = packs.target(text).context("--from")?;
        let name = target.pack.name();
        ensure!(
            read.insert(name.to_owned(), ReleaseSet::from_iter([target.release])).is_none(),
            "--from: two releases of {name}"
        );
    }
    Ok(read)
}
