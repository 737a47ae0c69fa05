//! Answers: which packs does a run have, and which one knows an API group?
//!
//! Invariant: no two packs have one name or one API group.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail, ensure};

use super::pack::Pack;
use super::target::Target;

/// The packs of a run.
#[derive(Debug)]
pub struct Packs(Vec<Pack>);

impl Packs {
    /// Makes the set of `packs`, sorted by name.
    ///
    /// # Errors
    /// A failure where two packs have one name or one API group.
    pub fn new(mut packs: Vec<Pack>) -> Result<Self> {
        packs.sort_by(|left, right| left.name().cmp(right.name()));
        for pair in packs.windows(2) {
            ensure!(pair[0].name() != pair[1].name(), "two packs are named {}", pair[0].name());
        }
        let mut owners: BTreeMap<&str, &str> = BTreeMap::new();
        for pack in &packs {
            for group in pack.groups() {
                if let Some(other) = owners.insert(group, pack.name()) {
                    bail!("API group {group} belongs to two packs: {other} and {}", pack.name());
                }
            }
        }
        Ok(Self(packs))
    }

    /// Returns the packs, sorted by name.
    pub fn iter(&self) -> std::slice::Iter<'_, Pack> {
        self.0.iter()
    }

    /// Returns the packs whose objects a conversion to `targets` can change, or change with: those of the targets, those with
    /// releases that belong to one of theirs, and those whose objects refer to theirs without naming the API group.
    pub fn concerned_by<'p>(&'p self, targets: &[Target<'_>]) -> Vec<&'p Pack> {
        let is_concerned = |pack: &&Pack| {
            targets.iter().any(|target| pack.name() == target.pack.name() || pack.is_bound_to(target.pack))
        };
        self.0.iter().filter(is_concerned).collect()
    }

    /// Finds the pack that knows an API group.
    pub fn of_group(&self, group: &str) -> Option<&Pack> {
        self.0.iter().find(|pack| pack.groups().iter().any(|name| name == group))
    }

    /// Returns the release of another pack that `target` supports, if its pack names one and the run has the other pack.
    ///
    /// # Errors
    /// A failure where the other pack has no such release.
    pub fn companion(&self, target: &Target<'_>) -> Result<Option<Target<'_>>> {
        let order = target.pack.line().get(target.release).order;
        target.pack.companion_of(order).map(|text| self.target(text)).transpose()
    }

    /// Finds a pack by its name.
    ///
    /// # Errors
    /// A failure that lists the packs.
    pub fn named(&self, name: &str) -> Result<&Pack> {
        self.0.iter().find(|pack| pack.name() == name).with_context(|| {
            let names: Vec<&str> = self.0.iter().map(Pack::name).collect();
            format!("there is no pack `{name}`; available packs: {}", names.join(", "))
        })
    }

    /// Reads `pack@bundle[/channel]`: `gateway-api@1.4/standard`, `gateway-api@1.4`, `gateway-api@latest`.
    ///
    /// # Errors
    /// A failure that names the near packs, bundles or channels.
    pub fn target(&self, text: &str) -> Result<Target<'_>> {
        let (name, release) = text.split_once('@').with_context(|| {
            format!("`{text}` is not a release: write PACK@RELEASE[/CHANNEL], such as gateway-api@1.4/standard")
        })?;
        let pack = self.named(name)?;
        Ok(Target { pack, release: pack.release(release)? })
    }
}
