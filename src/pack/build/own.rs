//! Answers: what do the user's own CRDs accept?
//!
//! Each CRD becomes a catalog of one release, read as a pack's catalogs are, and its CEL rules are compiled. An object is then
//! checked as against a pack's catalog: served versions, fields, types, limits, lists; and its rules are run. Combinations
//! of schemas (`oneOf`, `anyOf`, `not`) and formats are not checked.
//!
//! Invariant: a kind is what its one CRD says; a CRD that cannot be understood is an error, never passed over.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, anyhow, bail};
use serde_json::Value;

use super::crd;
use super::gather::Gathered;
use crate::catalog::Catalog;
use crate::release::{Channel, GroupKind, ReleaseId, ReleaseLine};

/// The CRDs of a folder.
#[derive(Debug)]
pub struct OwnCrds {
    name: String,
    release: ReleaseId,
    catalogs: BTreeMap<GroupKind, Catalog>,
}

impl OwnCrds {
    /// Reads CRDs that reports call `name`; each comes with its place, for messages. Values that are no CRDs are passed over.
    ///
    /// # Errors
    /// A failure that names the place, for a CRD that cannot be understood or a kind that is defined twice.
    pub fn read<'v>(name: &str, values: impl IntoIterator<Item = (String, &'v Value)>) -> Result<Self> {
        let line = ReleaseLine::new([("v0".to_owned(), vec![Channel::Single])]).map_err(|message| anyhow!(message))?;
        let (release, _) = line.iter().next().context("the line has one release")?;
        let mut gathered = Gathered::default();
        for (place, value) in values {
            if let Some(definition) = crd::definition_in(value).with_context(|| place.clone())? {
                gathered.add(release, definition).with_context(|| place.clone())?;
            }
        }
        let mut catalogs = BTreeMap::new();
        for text in gathered.files(&line).values() {
            let catalog = Catalog::parse(text, &line).map_err(|message| anyhow!("{name}: {message}"))?;
            catalogs.insert(catalog.kind().clone(), catalog);
        }
        if catalogs.is_empty() {
            bail!("{name} holds no CRD of a known API");
        }
        Ok(Self { name: name.to_owned(), release, catalogs })
    }

    /// Returns what reports call them.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the one release of their catalogs.
    pub const fn release(&self) -> ReleaseId {
        self.release
    }

    /// Returns the catalog of a kind that they define.
    pub fn catalog(&self, kind: &GroupKind) -> Option<&Catalog> {
        self.catalogs.get(kind)
    }
}
