//! Answers: which releases list, serve and deprecate a version of a kind, and what is its scope?
//!
//! OpenAPI says what an API server can serve with every switch on, and nothing about deprecation. Both are in `kinds.tsv`, a table
//! beside the folders of the releases: `group` (`core` is the core group), `kind`, `apiVersion` (the version alone), and any of
//! `in_schema` and `served_by_default` (ranges of releases), `deprecated` (the first release that calls it so) and `scope`.
//!
//! Invariant: what a table does not say is not made up.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};

use super::table::{Line, Ranges, Table, numbers};
use crate::knowledge::catalog::Scope;
use crate::knowledge::release::GroupKind;

/// The name of the table.
pub(super) const KINDS: &str = "kinds.tsv";

/// What `kinds.tsv` says about each version of a kind.
#[derive(Debug, Default)]
pub(super) struct Lifecycle(BTreeMap<(GroupKind, String), Stages>);

/// The stages of one version of a kind.
#[derive(Debug)]
pub(super) struct Stages {
    listed: Ranges,
    /// None where the table does not say which releases serve a version: those that list it do.
    served: Option<Ranges>,
    deprecated: Ranges,
    pub(super) scope: Option<Scope>,
}

impl Lifecycle {
    /// Reads the table in the folder `top`; empty where there is none.
    pub(super) fn read(top: &Path) -> Result<Self> {
        let Some(table) = Table::read(&top.join(KINDS), &["group", "kind", "apiVersion"])? else {
            return Ok(Self::default());
        };
        let mut versions = BTreeMap::new();
        for line in table.lines() {
            let group = if line.get("group") == "core" { "" } else { line.get("group") };
            let key = (GroupKind::new(line.get("kind"), group), line.get("apiVersion").to_owned());
            let stages = stages(line)?;
            ensure!(!versions.contains_key(&key), "{}: {} {} is listed twice", line.place(), key.0, key.1);
            versions.insert(key, stages);
        }
        Ok(Self(versions))
    }

    /// Returns the stages of a version of a kind, where the table has them.
    pub(super) fn of(&self, kind: &GroupKind, version: &str) -> Option<&Stages> {
        self.0.get(&(kind.clone(), version.to_owned()))
    }

    /// Returns the versions of kinds that a bundle with these numbers lists, sorted by kind.
    pub(super) fn listed(&self, bundle: &[u64]) -> impl Iterator<Item = (&GroupKind, &str)> {
        let listed = self.0.iter().filter(|(_, stages)| stages.listed.contain(bundle));
        listed.map(|((kind, version), _)| (kind, version.as_str()))
    }
}

fn stages(line: Line<'_>) -> Result<Stages> {
    let scope = match line.get("scope") {
        "" => None,
        name => Some(
            Scope::parse(name).with_context(|| format!("{}: write Cluster or Namespaced, not {name}", line.place()))?,
        ),
    };
    let since = line.get("deprecated");
    let since = if since.is_empty() { String::new() } else { format!("{since}..") };
    Ok(Stages {
        listed: line.ranges("in_schema")?,
        served: line.has("served_by_default").then(|| line.ranges("served_by_default")).transpose()?,
        deprecated: Ranges::parse(&since).with_context(|| format!("{}: `deprecated`", line.place()))?,
        scope,
    })
}

impl Stages {
    /// Returns whether a bundle serves the version.
    pub(super) fn is_served(&self, bundle: &str) -> Result<bool> {
        Ok(match &self.served {
            Some(served) => served.contain(&numbers(bundle)?),
            None => true,
        })
    }

    /// Returns whether a bundle calls the version deprecated.
    pub(super) fn is_deprecated(&self, bundle: &str) -> Result<bool> {
        Ok(self.deprecated.contain(&numbers(bundle)?))
    }
}
