//! What the page asks for: the target, and what may be lost.

use std::collections::BTreeMap;

use reversion::internals::pack::{Pack, Target};
use reversion::internals::plan::{AllowedLoss, Choices, Keeping};
use reversion::internals::release::{Channel, ReleaseSet};
use reversion::internals::report::Detected;
use reversion_wasm::packs;
use serde::{Deserialize, Serialize};

/// What was chosen on the page.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Options {
    /// The target; the newest release of each API in the text where there is none.
    pub target: Option<Wanted>,
    /// Whether every loss is allowed, as with `--allow-loss all`.
    #[serde(default)]
    pub allow_losses: bool,
    /// Whether lost values are kept in an annotation, as with `--stash`.
    #[serde(default)]
    pub stash: bool,
}

/// A release to convert to.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Wanted {
    /// The pack.
    pub pack: String,
    /// The release.
    pub release: String,
    /// The channel, where the release has several.
    #[serde(default)]
    pub channel: Option<String>,
    /// The release that the objects come from, where that is known, as with `--from`.
    #[serde(default)]
    pub from: Option<String>,
}

impl Options {
    /// Returns how objects are converted.
    pub(crate) fn choices(&self) -> Result<Choices, String> {
        let mut origins = BTreeMap::new();
        if let Some((pack, from)) = self.target.as_ref().and_then(|to| Some((&to.pack, to.from.as_ref()?))) {
            let origin = found(&format!("{pack}@{from}"))?;
            origins.insert(origin.pack.name().to_owned(), ReleaseSet::from_iter([origin.release]));
        }
        Ok(Choices {
            keeping: if self.stash { Keeping::Stash } else { Keeping::Nothing },
            allowed: if self.allow_losses { AllowedLoss::All } else { AllowedLoss::None },
            parameters: packs().default_parameters(),
            origins,
            ..Choices::default()
        })
    }

    /// Returns the targets, those that they support included, with what there is to say about these.
    pub(crate) fn targets(&self, objects: &[Detected<'_>]) -> Result<(Vec<Target<'static>>, Vec<String>), String> {
        let Some(wanted) = &self.target else { return Ok((newest(objects)?, Vec::new())) };
        let channel = wanted.channel.as_ref().map_or_else(String::new, |channel| format!("/{channel}"));
        let to = format!("{}@{}{channel}", wanted.pack, wanted.release);
        reversion_wasm::targets(&to).map_err(|failure| failure.message)
    }

    /// Returns the command that converts standard input in the same way.
    pub(crate) fn command(&self, targets: &[Target<'_>]) -> String {
        let mut command = "reversion convert -".to_owned();
        let targets = if self.target.is_some() { &targets[..1] } else { targets };
        for target in targets {
            command.push_str(&format!(" --to {target}"));
        }
        if let Some((pack, from)) = self.target.as_ref().and_then(|to| Some((&to.pack, to.from.as_ref()?))) {
            command.push_str(&format!(" --from {pack}@{}", from.trim_start_matches('v')));
        }
        if self.stash {
            command.push_str(" --stash");
        }
        if self.allow_losses {
            command.push_str(" --allow-loss all");
        }
        command
    }
}

fn found(text: &str) -> Result<Target<'static>, String> {
    packs().target(text).map_err(|error| format!("{error:#}"))
}

/// Returns the newest release of each pack that knows an object, in the channel that most of its objects can be for.
fn newest(objects: &[Detected<'_>]) -> Result<Vec<Target<'static>>, String> {
    let is_used = |pack: &&Pack| objects.iter().any(|found| found.pack.name() == pack.name());
    let used: Vec<&Pack> = packs().iter().filter(is_used).collect();
    used.into_iter().map(|pack| found(&format!("{}@latest{}", pack.name(), channel(pack, objects)))).collect()
}

/// Returns the channel that most objects of a pack can be for, of several the most stable one, as a target names it.
fn channel(pack: &Pack, objects: &[Detected<'_>]) -> String {
    let line = pack.line();
    let Some((_, last)) = line.iter().last() else { return String::new() };
    let newest = line.of_bundle(last.order).map(|(_, release)| &release.channel);
    let newest: Vec<&Channel> = newest.filter(|channel| **channel != Channel::SINGLE).collect();
    let count = |channel: &Channel| {
        let of_channel = line.iter().filter(|(_, release)| release.channel == *channel);
        let of_channel: ReleaseSet = of_channel.map(|(id, _)| id).collect();
        let of_pack = objects.iter().filter(|found| found.pack.name() == pack.name());
        of_pack.filter(|found| !(found.inference.candidates & of_channel).is_empty()).count()
    };
    let best = newest.into_iter().rev().max_by_key(|channel| count(channel));
    best.map_or_else(String::new, |channel| format!("/{channel}"))
}
