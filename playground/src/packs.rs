//! The packs of the program, as the page lists them.

use std::sync::LazyLock;

use reversion::internals::pack::{Packs, Target, embedded};
use reversion::internals::release::Channel;
use serde::Serialize;

/// The packs, read once.
pub(crate) static PACKS: LazyLock<Packs> =
    LazyLock::new(|| embedded::with(Vec::new()).expect("the packs of the program are checked by its tests"));

/// A pack.
#[derive(Debug, Serialize)]
pub struct Pack {
    /// Its name, as a target has it.
    pub name: String,
    /// What the project is called.
    pub title: String,
    /// The release that is chosen first: the newest that is no pre-release.
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

/// Returns the packs in the order of their titles.
pub fn packs() -> Vec<Pack> {
    let mut packs: Vec<Pack> = PACKS.iter().map(pack).collect();
    packs.sort_by_key(|pack| pack.title.to_lowercase());
    packs
}

fn pack(pack: &reversion::internals::pack::Pack) -> Pack {
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
    Pack { name: pack.name().to_owned(), title: pack.title().to_owned(), newest, releases: releases.collect() }
}
