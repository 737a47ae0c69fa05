//! Answers: which packs does a run have, and which one knows an API group?
//!
//! Invariant: no two packs have one name, alias or API group.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};

use super::pack::Pack;
use super::target::Target;

/// The packs of a run.
#[derive(Debug)]
pub struct Packs(Vec<Pack>);

impl Packs {
    /// Makes the set of `packs`, sorted by name.
    ///
    /// # Errors
    /// A failure where two packs have one name, alias or API group.
    pub fn new(mut packs: Vec<Pack>) -> Result<Self> {
        packs.sort_by(|left, right| left.name().cmp(right.name()));
        let mut named: BTreeMap<&str, &Pack> = BTreeMap::new();
        for (pack, name) in packs.iter().flat_map(|pack| pack.names().map(move |name| (pack, name))) {
            if let Some(other) = named.insert(name, pack) {
                let [one, two] = [other, pack].map(|pack| pack.path_of("pack.yaml"));
                let what = if other.name() == pack.name() { "name" } else { "name or alias" };
                bail!("two packs have the {what} {name}: change it in {one} or in {two}");
            }
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

    /// Finds a pack by its name or an alias.
    ///
    /// # Errors
    /// A failure that lists the packs.
    pub fn named(&self, name: &str) -> Result<&Pack> {
        self.0.iter().find(|pack| pack.names().any(|own| own == name)).with_context(|| {
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
