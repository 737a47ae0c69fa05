//! The packs of a call, and the releases that it names.

use anyhow::{Result, anyhow, bail};

use super::args::PackArgs;
use super::pack_source::PackSource;
use crate::knowledge::pack::crds::from_crds;
use crate::knowledge::pack::{Pack, Packs, Target, embedded, near};
use crate::knowledge::release::Channel;
use crate::shell::report::one_of;

/// Loads the built-in packs and those passed with `--pack`; they stay as long as the program runs.
pub(super) fn load(args: &PackArgs) -> Result<&'static Packs> {
    load_with(&args.packs, None)
}

/// Loads the same packs, those of `sources` among them, together with one that was made of CRDs.
pub(super) fn load_with(sources: &[PackSource], of_crds: Option<Pack>) -> Result<&'static Packs> {
    loaded(read(sources)?, of_crds)
}

/// Loads the same packs, those of `sources` among them, with the one that a call is about in the place of one of its name.
pub(super) fn load_for(subject: Option<Pack>, sources: &[PackSource]) -> Result<&'static Packs> {
    let mut others = read(sources)?;
    others.retain(|pack| subject.as_ref().is_none_or(|subject| subject.name() != pack.name()));
    loaded(others, subject)
}

fn read(sources: &[PackSource]) -> Result<Vec<Pack>> {
    sources.iter().map(PackSource::read).collect()
}

fn loaded(mut more: Vec<Pack>, last: Option<Pack>) -> Result<&'static Packs> {
    more.extend(last);
    Ok(Box::leak(Box::new(embedded::with(more)?)))
}

/// Finds the pack `name`.
///
/// # Errors
/// A failure that names the nearest pack.
pub(super) fn named<'p>(name: &str, packs: &'p Packs) -> Result<&'p Pack> {
    packs.named(name).map_err(|error| match name.split_once('@').and_then(|(pack, _)| packs.named(pack).ok()) {
        Some(pack) => anyhow!("`{name}` is not a pack: write {}, without a release", pack.name()),
        None => near_pack(name, packs)
            .map_or(error, |pack| anyhow!("there is no pack `{name}`: did you mean {}?", pack.name())),
    })
}

/// Reads a release: `PACK@RELEASE` or `PACK@RELEASE/CHANNEL`.
///
/// # Errors
/// A failure that names the nearest pack or release.
pub(super) fn release<'p>(text: &str, packs: &'p Packs) -> Result<Target<'p>> {
    let (name, release) = match text.split_once('@') {
        Some((name, release)) if !name.is_empty() && !release.is_empty() => (name, release),
        _ => bail!("{}", not_a_release(text, packs)),
    };
    let pack = named(name, packs)?;
    Target::find(pack, release).map_err(|error| match corrected(pack, release) {
        Some(nearest) => anyhow!("pack {name} has no release `{release}`: did you mean {nearest}?"),
        None => error,
    })
}

/// Reads targets, at most one for each pack.
pub(super) fn targets<'p>(names: &[String], packs: &'p Packs) -> Result<Vec<Target<'p>>> {
    let mut targets: Vec<Target<'p>> = Vec::new();
    for text in names {
        let target = release(text, packs)?;
        if let Some(other) = targets.iter().find(|other| other.pack.name() == target.pack.name()) {
            bail!(
                "two targets for one pack, {other} and {target}: pass one of them; convert to the other in a second run"
            );
        }
        targets.push(target);
    }
    Ok(targets)
}

/// Returns whether a target is one of the pack that is made of `--crds`.
pub(super) fn is_of_crds(target: &str) -> bool {
    target.split('@').next() == Some(from_crds::NAME)
}

/// Reads the release and channel of one bare `RELEASE[/CHANNEL]` of `pack`, or of `PACK@RELEASE[/CHANNEL]` with that pack.
pub(super) fn release_of<'p>(pack: &'p Pack, text: &str, packs: &'p Packs) -> Result<Target<'p>> {
    let is_full = text.contains('@') || packs.named(text).is_ok();
    let full = if is_full { text.to_owned() } else { format!("{}@{text}", pack.name()) };
    let target = release(&full, packs)?;
    if target.pack.name() != pack.name() {
        bail!("`{text}` is a release of {}, not of {}", target.pack.name(), pack.name());
    }
    Ok(target)
}

/// Explains what to write instead of a text that is not of the form `PACK@RELEASE`.
fn not_a_release(text: &str, packs: &Packs) -> String {
    let form = "write PACK@RELEASE[/CHANNEL], such as gateway-api@1.4/standard";
    // `gateway-api/1.4`, `gateway-api=1.4`, `@1.4`, `1.4`.
    let parts = text.match_indices(['/', '=', ':', '@', ' ']).map(|(at, _)| (&text[..at], &text[at + 1..]));
    let mut parts = parts.chain([("", text)]).filter(|(_, release)| !release.is_empty());
    let nearest = parts.find_map(|(name, release)| {
        let packs = if name.is_empty() { packs.iter().collect() } else { Vec::from_iter(near_pack(name, packs)) };
        let corrected_names: Vec<String> = packs.into_iter().filter_map(|pack| corrected(pack, release)).collect();
        (!corrected_names.is_empty()).then_some(corrected_names)
    });
    if let Some(nearest) = nearest {
        return format!("`{text}` is not a release: {form}; did you mean {}?", one_of(&nearest));
    }
    let named = near_pack(text.trim_end_matches('@'), packs);
    let hint = named.map(|pack| {
        let name = pack.name();
        // Its releases are the sets of CRDs that were passed.
        let lists = if pack.is_of_crds() {
            String::new()
        } else {
            format!(" (`reversion releases {name}` lists the releases)")
        };
        format!("; did you mean {name}@latest?{lists}")
    });
    format!("`{text}` names no release: {form}{}", hint.unwrap_or_default())
}

/// Corrects the case of a release, or writes `1.4-experimental` as `gateway-api@1.4/experimental`, if there is such a release.
fn corrected(pack: &Pack, release: &str) -> Option<String> {
    let release = release.to_lowercase();
    let with_slash = |channel: &str| {
        let bundle = release.strip_suffix(channel)?.trim_end_matches(|at: char| !at.is_alphanumeric());
        Some(format!("{bundle}/{channel}"))
    };
    let channels = pack.line().channels().iter().map(Channel::name);
    let mut written = std::iter::once(release.clone()).chain(channels.filter_map(with_slash));
    let corrected = written.find(|written| !written.is_empty() && pack.release(written).is_ok())?;
    Some(format!("{}@{corrected}", pack.name()))
}

/// Finds the pack with the most similar name, or that of a chart or image that `name` is.
fn near_pack<'p>(name: &str, packs: &'p Packs) -> Option<&'p Pack> {
    let is_title = |pack: &&Pack| pack.title().eq_ignore_ascii_case(name);
    let is_artifact = |pack: &&Pack| pack.artifacts().iter().any(|artifact| artifact == name);
    let near = near(name, packs.iter().flat_map(Pack::names));
    let named = near.and_then(|near| packs.named(near).ok());
    named.or_else(|| packs.iter().find(|pack| is_title(pack) || is_artifact(pack)))
}

/// Returns the names of packs.
pub(super) fn names<'p>(packs: impl IntoIterator<Item = &'p Pack>) -> Vec<String> {
    packs.into_iter().map(|pack| pack.name().to_owned()).collect()
}
