//! The packs of a call, and the releases that it names.

use anyhow::{Result, anyhow, bail};

use super::args::PackArgs;
use crate::pack::{Pack, Packs, Target, embedded, load, nearest};
use crate::release::Channel;

/// Loads the built-in packs and those passed with `--pack`; they stay as long as the program runs.
pub(super) fn load(args: &PackArgs) -> Result<&'static Packs> {
    let more = args.packs.iter().map(|folder| load::read_folder(folder)).collect::<Result<Vec<_>>>()?;
    Ok(Box::leak(Box::new(embedded::with(more)?)))
}

/// Finds the pack `name`.
///
/// # Errors
/// A failure that names the pack that was probably meant.
pub(super) fn named<'p>(name: &str, packs: &'p Packs) -> Result<&'p Pack> {
    packs.named(name).map_err(|error| match near(name, packs.iter().map(Pack::name)) {
        Some(pack) => anyhow!("there is no pack `{name}`: did you mean {pack}?"),
        None => error,
    })
}

/// Reads a release as it is written everywhere: `PACK@RELEASE` or `PACK@RELEASE/CHANNEL`.
///
/// # Errors
/// A failure that names the pack or release that was probably meant.
pub(super) fn release<'p>(text: &str, packs: &'p Packs) -> Result<Target<'p>> {
    let Some((name, release)) = text.split_once('@') else {
        let hint = near(text, packs.iter().map(Pack::name)).map(|pack| format!("; did you mean {pack}@latest?"));
        bail!(
            "`{text}` names no release: write PACK@RELEASE or PACK@RELEASE/CHANNEL, such as gateway-api@1.4/standard{}",
            hint.unwrap_or_default()
        );
    };
    let pack = named(name, packs)?;
    let found = pack.release(release).map_err(|error| match with_slash(pack, release) {
        Some(meant) => anyhow!("pack {name} has no release `{release}`: did you mean {meant}?"),
        None => error,
    })?;
    Ok(Target { pack, release: found })
}

/// Reads the release and channel of one bare `RELEASE[/CHANNEL]` of `pack`, or of `PACK@RELEASE[/CHANNEL]` with that pack.
pub(super) fn release_of<'p>(pack: &'p Pack, text: &str, packs: &'p Packs) -> Result<Target<'p>> {
    let full = if text.contains('@') { text.to_owned() } else { format!("{}@{text}", pack.name()) };
    let target = release(&full, packs)?;
    if target.pack.name() != pack.name() {
        bail!("`{text}` is a release of {}, not of {}", target.pack.name(), pack.name());
    }
    Ok(target)
}

/// Writes `1.4-experimental` as `gateway-api@1.4/experimental`, if there is such a release.
fn with_slash(pack: &Pack, release: &str) -> Option<String> {
    Channel::ALL.iter().find_map(|channel| {
        let bundle = release.strip_suffix(channel.name())?.trim_end_matches(|at: char| !at.is_alphanumeric());
        let written = format!("{bundle}/{channel}");
        pack.release(&written).is_ok().then(|| format!("{}@{written}", pack.name()))
    })
}

/// Returns the name most similar to `text`, if at most a third of its letters differ.
fn near<'n>(text: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let text = text.to_lowercase();
    let first = nearest(&text, names).into_iter().next()?;
    (strsim::damerau_levenshtein(&text, first) <= (text.chars().count() / 3).max(1)).then_some(first)
}
