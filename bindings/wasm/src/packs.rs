//! Answers: which packs are there, those of the host among them?
//!
//! Invariant: the packs never change after their first use.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use reversion::internals::VERSION;
use reversion::internals::pack::{self, Packs, Target, embedded, load};
use reversion::internals::release::Channel;
use serde::{Deserialize, Serialize};

use crate::call::{Failure, NoRequest, Reason};

/// The packs, read once.
static PACKS: OnceLock<Packs> = OnceLock::new();

/// Returns the packs: those of the program, and those of the host.
pub fn packs() -> &'static Packs {
    PACKS.get_or_init(|| embedded::with(Vec::new()).expect("the packs of the program are checked by its tests"))
}

/// Finds a target, such as `gateway-api@1.4/standard`.
pub(crate) fn target(text: &str) -> Result<Target<'static>, Failure> {
    packs().target(text).map_err(|error| Failure::new(Reason::UnknownRelease, format!("{error:#}")))
}

/// Packs of the host.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UsePacksRequest {
    /// They replace those of the program that have their names.
    pub packs: Vec<OwnPack>,
}

/// A pack of the host.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnPack {
    /// The name of its folder.
    pub name: String,
    /// The texts of its files by their paths in the folder, such as `pack.yaml`.
    pub files: BTreeMap<String, String>,
}

/// Adds packs of the host.
///
/// # Errors
/// [`Reason::BadPack`], or [`Reason::PacksInUse`] after the packs were used or chosen.
pub fn use_packs(request: UsePacksRequest) -> Result<Listed, Failure> {
    let in_use = || Failure::new(Reason::PacksInUse, "packs are chosen once, before any other call".to_owned());
    if PACKS.get().is_some() {
        return Err(in_use());
    }
    let own: Result<Vec<pack::Pack>, _> =
        request.packs.into_iter().map(|own| load::read_files(&own.name, own.files)).collect();
    let all = own.and_then(embedded::with);
    let all = all.map_err(|error| Failure::new(Reason::BadPack, format!("{error:#}")))?;
    PACKS.set(all).map_err(|_| in_use())?;
    Ok(listed())
}

/// What the module knows.
#[derive(Debug, Serialize)]
pub struct Listed {
    /// The version of the program.
    pub version: &'static str,
    /// The packs in the order of their titles.
    pub packs: Vec<Pack>,
}

/// A pack.
#[derive(Debug, Serialize)]
pub struct Pack {
    /// Its name, as a target has it.
    pub name: String,
    /// What the project is called.
    pub title: String,
    /// The API groups of its objects.
    pub groups: Vec<String>,
    /// The release that `latest` means: the newest that is no pre-release.
    pub newest: Option<String>,
    /// Its releases, the newest first.
    pub releases: Vec<Release>,
}

/// A release, or several with the same APIs.
#[derive(Debug, Serialize)]
pub struct Release {
    /// Its name, as a target has it: the newest of those with the same APIs.
    pub name: String,
    /// All of them: `v1.4.0..v1.4.2`.
    pub label: String,
    /// Its channels, the most stable first; none where the project has no channels.
    pub channels: Vec<String>,
}

/// Lists the packs.
pub fn list(_: NoRequest) -> Listed {
    listed()
}

/// Lists the packs, in the order of their titles.
pub fn listed() -> Listed {
    let mut packs: Vec<Pack> = packs().iter().map(described).collect();
    packs.sort_by_key(|pack| pack.title.to_lowercase());
    Listed { version: VERSION, packs }
}

fn described(pack: &pack::Pack) -> Pack {
    let line = pack.line();
    let last_of = |order: usize| line.same_apis(order).last().unwrap_or(&line.bundles()[order]).clone();
    let newest = Target::find(pack, "latest").ok().map(|target| last_of(line.get(target.release).order));
    let releases = line.bundles().iter().enumerate().rev().map(|(order, bundle)| {
        let channels = line.of_bundle(order).map(|(_, release)| &release.channel);
        let channels = channels.filter(|channel| **channel != Channel::SINGLE).map(|channel| channel.name().to_owned());
        let name = last_of(order);
        let label = if name == *bundle { name.clone() } else { format!("{bundle}..{name}") };
        Release { name, label, channels: channels.collect() }
    });
    Pack {
        name: pack.name().to_owned(),
        title: pack.title().to_owned(),
        groups: pack.groups().to_vec(),
        newest,
        releases: releases.collect(),
    }
}
