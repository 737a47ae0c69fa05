//! Answers: which packs does the program bring along?
//!
//! The build script lists every file under `rules/`; this module groups them by pack.
//!
//! Invariant: a pack in `rules/` is in the program; there is no other place to register one.

use std::borrow::Cow;
use std::collections::BTreeMap;

use anyhow::Result;

use super::load::{self, PackFiles};
use super::{Pack, Packs};

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// Loads the packs built into the program together with `more`.
///
/// # Errors
/// A failure where two packs share a name or an API group.
pub fn with(more: Vec<Pack>) -> Result<Packs> {
    let mut packs: BTreeMap<&str, PackFiles> = BTreeMap::new();
    for (path, text) in FILES {
        if let Some((pack, path)) = path.split_once('/') {
            packs.entry(pack).or_default().insert(path.to_owned(), Cow::Borrowed(text));
        }
    }
    let replaced = |name: &str| more.iter().any(|pack| pack.name() == name);
    let built_in = packs.into_iter().filter(|(name, _)| !replaced(name)).map(|(name, files)| load::load(name, files));
    let mut all = built_in.collect::<Result<Vec<_>>>()?;
    all.extend(more);
    Packs::new(all)
}
