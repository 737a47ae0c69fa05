//! Answers: which packs does a run have, and which one knows an API group?
//!
//! Invariant: no two packs have one name, alias or API group.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Context, Result, bail};

use super::built_in;
use super::folder::HEAD;
use super::pack::Pack;
use super::wire::{Parameter, ParameterValues};
use crate::knowledge::carrier::{CarrierFile, Carriers};
use crate::knowledge::release::{Named, Release, ReleaseId};

/// The packs of a run.
#[derive(Debug)]
pub struct Packs {
    /// Those with releases, sorted by name.
    packs: Vec<Pack>,
    carriers: Arc<Carriers>,
}

/// Returns the carriers that packs with these names describe, and those of the packs of the program that none of them replaces.
pub(crate) fn carriers<'p>(packs: impl IntoIterator<Item = (&'p str, &'p CarrierFile)>) -> Carriers {
    let mut all: BTreeMap<&str, &CarrierFile> = built_in::carriers().iter().map(|(name, file)| (*name, file)).collect();
    all.extend(packs);
    Carriers::new(all.into_values())
}

impl Packs {
    /// Makes the set of `packs`, sorted by name. Those without releases only describe carriers.
    ///
    /// # Errors
    /// A failure where two packs have one name, alias or API group.
    pub fn new(packs: Vec<Pack>) -> Result<Self> {
        let carriers = Arc::new(carriers(packs.iter().map(|pack| (pack.name(), pack.carriers()))));
        Self::with_carriers(packs, carriers)
    }

    /// Makes the set of `packs`, where `carriers` are those that they and the packs of the program describe.
    ///
    /// # Errors
    /// As [`Packs::new`].
    pub(crate) fn with_carriers(mut packs: Vec<Pack>, carriers: Arc<Carriers>) -> Result<Self> {
        packs.sort_by(|left, right| left.name().cmp(right.name()));
        let mut named: BTreeMap<&str, &Pack> = BTreeMap::new();
        for (pack, name) in packs.iter().flat_map(|pack| pack.names().map(move |name| (pack, name))) {
            if let Some(other) = named.insert(name, pack) {
                let [one, two] = [other, pack].map(|pack| pack.folder.path_of(HEAD));
                let what = if other.name() == pack.name() { "name" } else { "name or alias" };
                bail!("two packs have the {what} {name}: change it in {one} or in {two}");
            }
        }
        let mut owners: BTreeMap<&str, &Pack> = BTreeMap::new();
        for pack in &packs {
            for group in pack.groups() {
                if let Some(other) = owners.insert(group, pack) {
                    let [one, two] = [other, pack].map(|pack| pack.folder.path_of(HEAD));
                    bail!(
                        "API group {group} belongs to two packs, {} in {one} and {} in {two}: a pack replaces one of the program if it has the same name",
                        other.name(),
                        pack.name()
                    );
                }
            }
        }
        packs.retain(Pack::has_releases);
        Ok(Self { packs, carriers })
    }

    /// Returns what carries patches, images, charts and their values.
    pub const fn carriers(&self) -> &Arc<Carriers> {
        &self.carriers
    }

    /// Returns the packs, sorted by name.
    pub fn iter(&self) -> std::slice::Iter<'_, Pack> {
        self.packs.iter()
    }

    /// Returns the parameters of all packs, by their full names: `ngf.namespace`.
    pub fn parameters(&self) -> impl Iterator<Item = (String, &Parameter)> {
        self.packs
            .iter()
            .flat_map(|pack| pack.parameters().iter().map(move |one| (format!("{}.{}", pack.name(), one.name), one)))
    }

    /// Returns the values of parameters that count where the user chooses none, by their full names.
    pub fn default_parameters(&self) -> BTreeMap<String, String> {
        let default = |(name, one): (String, &Parameter)| match &one.values {
            ParameterValues::Choices { default, .. } => Some((name, default.clone())),
            ParameterValues::Format(_) => None,
        };
        self.parameters().filter_map(default).collect()
    }

    /// Returns the packs whose objects a conversion to `targets` can change, or change with: those of the targets, those with
    /// releases that belong to one of theirs, and those whose objects refer to theirs without naming the API group.
    pub fn concerned_by<'p>(&'p self, targets: &[Target<'_>]) -> Vec<&'p Pack> {
        let is_concerned = |pack: &&Pack| {
            targets.iter().any(|target| pack.name() == target.pack.name() || pack.is_bound_to(target.pack))
        };
        self.packs.iter().filter(is_concerned).collect()
    }

    /// Finds the pack that knows an API group.
    pub fn of_group(&self, group: &str) -> Option<&Pack> {
        self.packs.iter().find(|pack| pack.groups().iter().any(|name| name == group))
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
        self.packs.iter().find(|pack| pack.names().any(|own| own == name)).with_context(|| {
            let names: Vec<&str> = self.packs.iter().map(Pack::name).collect();
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
        Target::find(pack, release)
    }
}

/// A release of a pack that objects are taken to.
#[derive(Clone, Copy, Debug)]
pub struct Target<'p> {
    /// The pack.
    pub pack: &'p Pack,
    /// The release.
    pub release: ReleaseId,
    /// Which of the releases with its APIs is meant.
    pub named: Named,
}

impl<'p> Target<'p> {
    /// Makes the target `release` of `pack`, which is named by its bundle.
    pub const fn new(pack: &'p Pack, release: ReleaseId) -> Self {
        Self { pack, release, named: Named::Bundle }
    }

    /// Finds what `bundle[/channel]` names: `1.4/standard`, `1.4`, `latest`.
    ///
    /// # Errors
    /// As [`Pack::release`].
    pub fn find(pack: &'p Pack, text: &str) -> Result<Self> {
        let (release, named) = pack.named(text)?;
        Ok(Self { pack, release, named })
    }

    /// Returns the last release of a pack's line.
    pub fn newest(pack: &'p Pack) -> Option<Self> {
        pack.line().iter().last().map(|(release, _)| Self::new(pack, release))
    }

    /// Returns the name of the release that is meant, which is that of the bundle or of one with the same APIs: `v1.4.2`.
    pub fn name(&self) -> Cow<'p, str> {
        self.pack.line().name(self.pack.line().get(self.release).order, self.named)
    }
}

impl std::fmt::Display for Target<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let release = Release { bundle: self.name().into_owned(), ..self.pack.line().get(self.release).clone() };
        write!(f, "{}@{release}", self.pack.name())
    }
}
