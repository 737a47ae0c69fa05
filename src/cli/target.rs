//! The targets of a call, and which losses it allows.
//!
//! `--to` decides. Without it, the CRDs in the tree name the target of their pack; where they do not, the call ends with an
//! error that names what to pass.
//!
//! Invariant: a target that was not passed is printed on standard error, with the CRD that names it.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, ensure};

use super::args::TargetArgs;
use super::companions::Pairing;
use super::config::Config;
use super::console::Console;
use super::{companions, input, losses, origin, packs, parameters};
use crate::field::FieldPath;
use crate::infer::crds::{Crd, Installed, Verdict, crds_in, installed};
use crate::infer::install_evidence::{Evidence, ObjectReleases};
use crate::manifest::Manifest;
use crate::pack::build::own::OwnCrds;
use crate::pack::{Pack, Packs, Target};
use crate::plan::{Choices, Comments, Goal, Ignored, Keeping, Mistakes, Record, Schema, VersionChoice};
use crate::report::visible;
use crate::yaml::FrontEnd;

/// What the arguments of a call request, before any file is read.
pub(super) struct Request<'p> {
    packs: &'p Packs,
    targets: Vec<Target<'p>>,
    choices: Choices,
    pairing: Pairing,
    crds: Option<Vec<Manifest>>,
}

impl<'p> Request<'p> {
    /// Reads the arguments, and the CRDs that they name; arguments override the configuration.
    pub(super) fn read(args: &TargetArgs, config: &Config, packs: &'p Packs, console: Console) -> Result<Self> {
        let mut targets = packs::targets(&args.to, packs)?;
        let version = if args.keep_api_version { VersionChoice::Keep } else { VersionChoice::MostStable };
        let keeping = if args.stash { Keeping::Stash } else { Keeping::Nothing };
        let crds = args.crds.as_ref().map(|folder| input::read_crds(folder, packs, console)).transpose()?;
        let schema = match (&args.crds, &crds) {
            (Some(folder), Some(manifests)) => Schema::Own(Arc::new(own(folder, manifests)?)),
            _ => Schema::Catalog,
        };
        let mut parameters = parameters::defaults(packs);
        parameters.extend(config.set.clone());
        parameters.extend(parameters::passed(&args.set, packs)?);
        let pairing = if args.unpaired { Pairing::Any } else { Pairing::Matching };
        let choices = Choices {
            schema,
            keeping,
            allowed: losses::allowed(&args.allow_loss).context("--allow-loss")?,
            version,
            record: Record::Outcomes,
            front_end: FrontEnd::Exact,
            by_file: config.by_file.clone(),
            namespace: args.namespace.clone(),
            mistakes: if args.repair { Mistakes::Repair } else { Mistakes::Leave },
            parameters,
            origins: origin::passed(&args.from, packs)?,
            comments: if args.no_ignores { Comments::Disregard } else { Comments::Respect },
            ignored: Ignored::by(config.ignores()),
        };
        let named = crds.iter().flatten().flat_map(|manifest| crds_in(manifest, packs));
        installed(named).iter().try_for_each(|installed| warn_of_other_crds(&targets, installed, console))?;
        targets.extend(companions::companions(&targets, packs, pairing, console)?);
        Ok(Self { packs, targets, choices, pairing, crds })
    }

    /// Sets what the plan records of each object, and which parser verifies its edits.
    #[must_use]
    pub(super) fn planning(mut self, record: Record, front_end: FrontEnd) -> Self {
        (self.choices.record, self.choices.front_end) = (record, front_end);
        self
    }

    /// Returns the packs of the call.
    pub(super) const fn packs(&self) -> &'p Packs {
        self.packs
    }

    /// Returns the packs whose objects the call can be about: all, where files decide about the targets.
    pub(super) fn concerned_packs(&self) -> Vec<&'p Pack> {
        if self.targets.is_empty() { self.packs.iter().collect() } else { self.packs.concerned_by(&self.targets) }
    }

    /// Returns whether the releases of the objects of `pack` are compared with one that the arguments, charts or images name.
    pub(super) fn compares_objects_of(&self, pack: &Pack) -> bool {
        !pack.artifacts().is_empty() || self.choices.origins.contains_key(pack.name())
    }

    /// Makes the goal if the arguments decide it alone: otherwise CRDs in the files name the target, or charts and images the
    /// release that objects come from.
    pub(super) fn passed_goal(&self) -> Option<Goal<'p>> {
        let is_decided = |target: &Target<'p>| target.pack.artifacts().is_empty();
        // Whether objects can come from the release of `--from` is known once they were read.
        let is_passed = self.choices.origins.is_empty() && self.targets.iter().all(is_decided);
        let is_passed = is_passed && !self.targets.is_empty();
        is_passed.then(|| self.goal(self.targets.clone()))
    }

    /// Makes the goal from what was read: CRDs (`installed`), objects of the API groups `groups`, which can be for `spans`, and
    /// `evidence` of their release.
    pub(super) fn detected_goal(
        &self,
        installed: &[Installed<'p>],
        groups: &BTreeSet<String>,
        (evidence, spans): (&[(&'p Pack, Evidence)], &[ObjectReleases<'p>]),
        console: Console,
    ) -> Result<Goal<'p>> {
        let mut targets = self.targets.clone();
        if targets.is_empty() {
            targets = named_by(installed, console)?;
            ensure!(!targets.is_empty(), "{}", no_target(groups, installed, self.packs));
            targets.extend(companions::companions(&targets, self.packs, self.pairing, console)?);
        }
        let mut goal = self.goal(targets);
        for line in origin::not_used(&self.choices.origins, &goal.targets, spans, self.packs) {
            console.note(&line)?;
        }
        for target in &goal.targets {
            let name = target.pack.name();
            if !goal.choices.origins.contains_key(name) {
                let detected = origin::detected(target.pack, evidence, spans, console)?;
                goal.choices.origins.extend(detected.map(|origin| (name.to_owned(), origin)));
            }
        }
        Ok(goal)
    }

    /// Returns the CRDs that name their release: those of `--crds`, or else those that were read.
    pub(super) fn installed(&self, found: Vec<(&'p Pack, Crd)>) -> Vec<Installed<'p>> {
        match &self.crds {
            Some(manifests) => installed(manifests.iter().flat_map(|manifest| crds_in(manifest, self.packs))),
            None => installed(found),
        }
    }

    fn goal(&self, targets: Vec<Target<'p>>) -> Goal<'p> {
        Goal { packs: self.packs, targets, choices: self.choices.clone() }
    }
}

/// Reads the CRDs in the objects of `manifests`.
fn own(folder: &Path, manifests: &[Manifest]) -> Result<OwnCrds> {
    let objects = manifests.iter().flat_map(|manifest| manifest.objects.iter().map(move |object| (manifest, object)));
    let place = |manifest: &Manifest, object| manifest.locate(object, &FieldPath::default()).to_string();
    let whole = |(manifest, object): (&Manifest, _)| match manifest.full_value(object) {
        Ok(value) => Ok((place(manifest, object), value)),
        Err(finding) => Err(anyhow!("{}: {}", finding.location, finding.sentence())),
    };
    let read = objects.map(whole).collect::<Result<Vec<_>>>();
    let own = read.and_then(|values| {
        let values = values.iter().map(|(place, value)| (place.clone(), value.as_ref()));
        OwnCrds::read(&folder.display().to_string(), values)
    });
    own.context("--crds")
}

/// Tells CRDs to check with that are of another release than the target of their pack.
fn warn_of_other_crds(targets: &[Target<'_>], installed: &Installed<'_>, console: Console) -> Result<()> {
    let target = targets.iter().find(|target| target.pack.name() == installed.pack.name());
    match target.filter(|target| installed.names_other_than(target.release)) {
        Some(target) => console.note(&format!(
            "warning: the target is {target}, but the CRDs of --crds are {}; objects are converted to the target and checked with those CRDs\n",
            visible(&installed.describe())
        )),
        None => Ok(()),
    }
}

/// Returns the targets that CRDs name, and prints them.
fn named_by<'p>(installed: &[Installed<'p>], console: Console) -> Result<Vec<Target<'p>>> {
    let mut targets = Vec::new();
    for installed in installed {
        if let Verdict::Release(target) = installed.verdict() {
            console.note(&format!("target {target}, from the CRDs: {}\n", visible(&installed.describe())))?;
            targets.push(target);
        }
    }
    Ok(targets)
}

/// Explains why there is no target: names the packs whose objects were read, and CRDs that name none.
fn no_target(groups: &BTreeSet<String>, installed: &[Installed<'_>], packs: &Packs) -> anyhow::Error {
    let mut names: BTreeSet<_> =
        groups.iter().filter_map(|group| packs.of_group(group)).map(|pack| pack.name()).collect();
    names.extend(installed.iter().map(|installed| installed.pack.name()));
    let Some(first) = names.first() else {
        return anyhow!(
            "no target: pass --to PACK@RELEASE[/CHANNEL] (the files hold no object of a known pack; `reversion releases` lists the packs)"
        );
    };
    let hint = format!("pass a target, such as --to {first}@latest (`reversion releases {first}` lists the releases)");
    let crds: Vec<String> = installed.iter().map(no_target_in).collect();
    match crds.is_empty() {
        true => anyhow!(
            "no target: the files hold objects of {}; {hint}",
            names.iter().copied().collect::<Vec<_>>().join(", ")
        ),
        false => anyhow!("no target: {}; or {hint}", crds.join("; ")),
    }
}

/// Explains why the CRDs of a pack name no target.
fn no_target_in(installed: &Installed<'_>) -> String {
    let crds = installed.describe();
    let title = installed.pack.title();
    let why = installed.crds.iter().find_map(|crd| crd.correction.as_ref());
    let is_unmarked = installed.crds.iter().all(|crd| crd.bundle.is_none());
    match (installed.verdict(), why) {
        _ if is_unmarked => format!("there are CRDs of {title}, but {crds}"),
        (Verdict::Mixed, _) => {
            format!("the CRDs of {title} are of several releases: {crds}; install a full bundle")
        }
        (_, Some(why)) => format!("the CRDs of {title} name no release, {crds}: {why}; install a release"),
        _ => format!("the CRDs of {title} are of an unknown release: {crds}; install a known one"),
    }
}
