//! Answers: which releases does a project have, and what is known about them besides rules?
//!
//! Invariant: everything here names bundles, channels and kinds that the pack has.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::nearest::no_bundle;
use super::place::{Place, Wrong};
use super::release_notes::ReleaseNotes;
use super::wire;
use crate::knowledge::release::{GroupKind, ReleaseLine};
use crate::syntax::field::FieldPath;

/// What a run knows of the packs whose releases it is about.
#[derive(Debug)]
pub(crate) struct Releases {
    pub(crate) line: Arc<ReleaseLine>,
    /// The release of another pack for each bundle, by its order.
    pub(crate) companions: Vec<Option<String>>,
    pub(crate) corrections: BTreeMap<String, wire::Correction>,
    pub(crate) excluded: Vec<wire::Excluded>,
    pub(crate) notes: ReleaseNotes,
}

impl Releases {
    /// Takes the releases out of `pack.yaml` and checks them; the pack has `kinds`.
    pub(crate) fn take(written: &mut wire::PackFile, kinds: &BTreeSet<&GroupKind>) -> Result<Self, Wrong> {
        let line = written.line().map_err(|message| Wrong::at(Place::key("releases"), message))?;
        check_corrections(&written.corrections, &line)?;
        for (at, excluded) in written.excluded.iter().enumerate() {
            check_excluded(excluded, &line).map_err(|message| Wrong::at(Place::item("excluded", at), message))?;
        }
        let notes = ReleaseNotes::take(written, &line, kinds)?;
        (written.channels, written.patch_releases) = (Vec::new(), None);
        Ok(Self {
            notes,
            line: Arc::new(line),
            companions: written.releases.drain(..).map(|release| release.companion).collect(),
            corrections: std::mem::take(&mut written.corrections),
            excluded: std::mem::take(&mut written.excluded),
        })
    }
}

/// Checks that corrections name bundles.
fn check_corrections(corrections: &BTreeMap<String, wire::Correction>, line: &ReleaseLine) -> Result<(), Wrong> {
    for (value, correction) in corrections {
        if let Some(bundle) = correction.bundles.iter().find(|bundle| line.bundle_order(bundle).is_none()) {
            let place = Place::At(FieldPath::default().key("corrections").key(value).key("bundles"));
            return Err(Wrong::at(place, format!("corrections: {}", no_bundle(bundle, line))));
        }
    }
    Ok(())
}

/// Checks that releases that no target can name are not listed, and that one that is listed can be named instead.
fn check_excluded(excluded: &wire::Excluded, line: &ReleaseLine) -> Result<(), String> {
    if let Some(listed) = excluded.releases.iter().find(|name| !line.of_version(name).is_empty()) {
        return Err(format!("excluded: `releases` lists {listed} too: remove it in one of the two places"));
    }
    let instead = &excluded.instead;
    match line.names().any(|name| name == instead) {
        true => Ok(()),
        false => Err(format!("excluded: `{instead}` is not a release of this pack: name one that is listed")),
    }
}
