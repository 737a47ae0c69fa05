//! The targets of a call, and which losses it allows.
//!
//! `--to` decides. Without it, CRDs do: those of `--crds`, or else those in the tree. Those of a known pack name its release; all
//! others are a target themselves. Where there is none, the call ends with an error that names what to pass.
//!
//! Invariant: a target that was not passed is printed on standard error, with the CRD that names it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use anyhow::{Context, Error, Result, anyhow, bail, ensure};

use super::args::{PackArgs, TargetArgs};
use super::companions::Pairing;
use super::config::Config;
use super::config_file::ConfigFile;
use super::console::Console;
use super::crd_sets::{self, CrdPart, PassedSet, TreeCrds};
use super::input::CRD_GROUP;
use super::origin::{self, Told};
use super::pack_source::PackSource;
use super::{companions, packs, parameters};
use crate::engine::finding::Finding;
use crate::engine::infer::crds::{Crd as InstalledCrd, Installed, Verdict, crds_in, installed};
use crate::engine::infer::install_evidence::Evidence;
use crate::engine::infer::origin::ObjectReleases;
use crate::engine::plan::{
    ChartValues, Choices, Comments, Documents, Goal, Ignored, Keeping, Mistakes, Record, Schema, VersionChoice,
    allowed_losses,
};
use crate::knowledge::pack::crds::from_crds::{self, Move};
use crate::knowledge::pack::{Pack, Packs, Target};
use crate::shell::report::visible;
use crate::syntax::yaml::FrontEnd;

/// The groups of files that are applied to no cluster.
const KUSTOMIZE: [&str; 2] = ["kustomize.config.k8s.io", "config.kubernetes.io"];

/// Returns whether one of `packs` has an API group, or it is of files for kustomize, which are no objects.
pub(super) fn is_known_to(packs: &Packs, group: &str) -> bool {
    KUSTOMIZE.contains(&group) || packs.of_group(group).is_some()
}

/// What the arguments of a call request, before any file is read.
pub(super) struct Request<'p> {
    packs: &'p Packs,
    targets: Vec<Target<'p>>,
    choices: Choices,
    pairing: Pairing,
    /// What is said about the targets that were added.
    told: Vec<Told>,
    crds: Vec<PassedSet>,
    /// The target that CRDs of no known pack are, where none is passed.
    crd_target: Option<CrdTarget<'p>>,
    /// The packs that were passed.
    sources: Vec<PackSource>,
}

/// A target that was made of CRDs, and what messages say about those.
#[derive(Clone)]
struct CrdTarget<'p> {
    target: Target<'p>,
    from: String,
}

impl CrdTarget<'_> {
    /// Returns whether one of the API groups is the target's.
    fn is_about(&self, groups: &BTreeSet<String>) -> bool {
        self.target.pack.groups().iter().any(|group| groups.contains(group))
    }

    fn announce(&self, console: Console) -> Result<()> {
        console.note(&format!("target {}, from the CRDs: {}\n", self.target, self.from))
    }
}

impl<'p> Request<'p> {
    /// Reads the arguments, and the CRDs that they name; arguments override the configuration.
    pub(super) fn read(
        args: &TargetArgs,
        config: &Config,
        sources: &PackArgs,
        packs: &'p Packs,
        console: Console,
    ) -> Result<Self> {
        let crds = crd_sets::passed(&args.crds, packs, console)?;
        let is_made = |to: &String| packs::is_of_crds(to);
        let needs_pack = args.to.is_empty() || args.to.iter().any(is_made);
        let moves = placed(&args.moves, &sources.file);
        let pack = if needs_pack { crd_sets::pack_of(&crds, &moves, packs)? } else { None };
        if pack.is_none() && moves.iter().any(|one| one.place.is_none()) && (needs_pack || crds.is_empty()) {
            bail!("--move is for CRDs of groups that no pack knows: pass them as `--crds OLD --crds NEW`");
        }
        let is_unused = !needs_pack && !crds.is_empty();
        if let Some(to) =
            args.to.iter().find(|to| is_made(to) && pack.is_none() && packs.named(from_crds::NAME).is_err())
        {
            bail!("--to {to}: that is the pack of CRDs whose API no pack knows; pass them with --crds");
        }
        let packs = pack.map_or(Ok(packs), |pack| packs::load_with(&sources.packs, Some(pack)))?;
        let mut targets = packs::targets(&args.to, packs)?;
        let version = if args.keep_api_version { VersionChoice::Keep } else { VersionChoice::MostStable };
        let keeping = if args.stash { Keeping::Stash } else { Keeping::Nothing };
        let crd_target = packs.iter().find(|pack| pack.is_of_crds());
        let from = crds.last().map_or_else(String::new, PassedSet::describe);
        let newest = |pack: &'p Pack| Some(CrdTarget { target: Target::new(pack, pack.line().iter().last()?.0), from });
        let crd_target = crd_target.filter(|_| targets.is_empty()).and_then(newest);
        let schema = schema(&crds, &targets)?;
        if is_unused {
            crd_sets::warn_of_unused(&crds, packs, console)?;
        }
        let mut parameters = packs.default_parameters();
        parameters.extend(config.set.clone());
        parameters.extend(parameters::passed(&args.set, packs)?);
        let pairing = if args.unpaired { Pairing::Any } else { Pairing::Matching };
        let choices = Choices {
            schema,
            keeping,
            allowed: allowed_losses(&args.allow_loss).map_err(Error::msg).context("--allow-loss")?,
            version,
            record: Record::Outcomes,
            front_end: FrontEnd::Exact,
            by_file: config.by_file.clone(),
            namespace: args.namespace.clone(),
            chart_values: if args.chart_defaults { ChartValues::Default } else { ChartValues::Unknown },
            mistakes: if args.repair { Mistakes::Repair } else { Mistakes::Leave },
            parameters,
            origins: origin::passed(&args.from, packs)?,
            contradicted: BTreeMap::new(),
            bounds: BTreeMap::new(),
            comments: if args.no_ignores { Comments::Disregard } else { Comments::Respect },
            ignored: Ignored::by(config.ignores()),
            documents: Documents::Free,
        };
        let named = crds.iter().flat_map(|set| &set.manifests).flat_map(|manifest| crds_in(manifest, packs));
        let named = installed(named);
        if let Some(crd_target) = crd_target.as_ref().filter(|_| named.is_empty()) {
            crd_target.announce(console)?;
            targets.push(crd_target.target);
        }
        named.iter().try_for_each(|installed| warn_of_other_crds(&targets, installed, console))?;
        let (added, told): (Vec<_>, Vec<_>) = companions::companions(&targets, packs, pairing)?.into_iter().unzip();
        targets.extend(added);
        Ok(Self { packs, targets, choices, pairing, told, crds, crd_target, sources: sources.packs.clone() })
    }

    /// Sets what the plan records of each object, and which parser verifies its edits.
    #[must_use]
    pub(super) fn planning(mut self, record: Record, front_end: FrontEnd) -> Self {
        (self.choices.record, self.choices.front_end) = (record, front_end);
        self
    }

    /// Returns the targets that the arguments name.
    pub(super) fn targets(&self) -> &[Target<'p>] {
        &self.targets
    }

    /// Returns the packs of the call.
    pub(super) const fn packs(&self) -> &'p Packs {
        self.packs
    }

    /// Returns the packs whose objects the call can be about: all, where files decide about the targets.
    pub(super) fn concerned_packs(&self) -> Vec<&'p Pack> {
        if self.targets.is_empty() { self.packs.iter().collect() } else { self.packs.concerned_by(&self.targets) }
    }

    /// Returns whether `pack` has a target, or can get one.
    pub(super) fn can_be_about(&self, pack: &Pack) -> bool {
        self.targets.is_empty() || self.targets.iter().any(|target| target.pack.name() == pack.name())
    }

    /// Returns whether the releases of the objects of `pack` are compared: with each other, and with one that is named.
    pub(super) fn compares_objects_of(&self, pack: &Pack) -> bool {
        let is_asked = pack.asks_for_origins() || self.choices.origins.contains_key(pack.name());
        is_asked && self.can_be_about(pack)
    }

    /// Makes the goal if the arguments decide it alone: otherwise CRDs in the files name the target, or the files show the releases
    /// that objects come from.
    pub(super) fn passed_goal(&self) -> Option<Goal<'p>> {
        let is_decided = |target: &Target<'p>| !target.pack.names_installed() && !target.pack.asks_for_origins();
        // Whether objects can come from the release of `--from` is known once they were read.
        let is_passed = self.choices.origins.is_empty() && self.targets.iter().all(is_decided);
        let is_passed = is_passed && !self.targets.is_empty();
        is_passed.then(|| self.goal(self.targets.clone()))
    }

    /// Returns what is said about a goal that the arguments decide alone.
    pub(super) fn told(&self) -> Vec<Told> {
        self.told.clone()
    }

    /// Makes the goal from what was read: CRDs (`installed`), objects of the API groups `groups`, which can be for `spans`, and
    /// `evidence` of their release; with lines for people that say where objects come from, and which targets were added.
    pub(super) fn detected_goal(
        &self,
        installed: &[Installed<'p>],
        groups: &BTreeSet<String>,
        evidence: &[(&'p Pack, Evidence)],
        spans: &[ObjectReleases<'p>],
        console: Console,
    ) -> Result<(Goal<'p>, Vec<Told>)> {
        let (mut targets, mut told) = (self.targets.clone(), self.told.clone());
        if targets.is_empty() {
            targets = named_by(installed, console)?;
            if let Some(crd_target) =
                self.crd_target.as_ref().filter(|crd_target| !self.crds.is_empty() || crd_target.is_about(groups))
            {
                crd_target.announce(console)?;
                targets.push(crd_target.target);
            }
            ensure!(!targets.is_empty(), "{}", no_target(groups, installed, &self.crds, self.packs));
            for (added, line) in companions::companions(&targets, self.packs, self.pairing)? {
                targets.push(added);
                told.push(line);
            }
            self.warn_of_other_objects(&targets, groups, console)?;
        }
        let mut goal = self.goal(targets);
        for line in origin::not_used(&self.choices.origins, &goal.targets, spans, self.packs) {
            console.note(&line)?;
        }
        for target in &goal.targets {
            if !goal.choices.origins.contains_key(target.pack.name()) {
                let (origin, lines) = origin::detected(target.pack, evidence, spans);
                told.extend(lines);
                goal.choices.add_origin(target.pack, &origin);
            }
        }
        Ok((goal, told))
    }

    /// Returns whether anything is known of an API group: a pack or a CRD of the run has it.
    pub(super) fn knows(&self, group: &str) -> bool {
        let has = |set: &PassedSet| set.defines(group);
        is_known_to(self.packs, group) || self.crds.iter().any(has)
    }

    /// Returns the CRDs that name their release: those of `--crds`, or else those that were read.
    pub(super) fn installed(&self, named_crds: Vec<(&'p Pack, InstalledCrd)>) -> Vec<Installed<'p>> {
        if self.crds.is_empty() {
            return installed(named_crds);
        }
        let manifests = self.crds.iter().flat_map(|set| &set.manifests);
        installed(manifests.flat_map(|manifest| crds_in(manifest, self.packs)))
    }

    /// Returns whether CRDs in the files are to be used that define kinds that no pack knows: nothing else names a target for them.
    pub(super) fn uses_tree(&self) -> bool {
        self.targets.is_empty() && self.crds.is_empty() && self.crd_target.is_none()
    }

    /// Makes the request with the CRDs found in the files, as far as they can be used.
    pub(super) fn with_tree(&self, crds: Vec<CrdPart>, console: Console) -> Result<(Option<Self>, Vec<Finding>)> {
        let (tree, findings) = crd_sets::of_tree(crds, console)?;
        let Some(TreeCrds { pack, own, description }) = tree else { return Ok((None, findings)) };
        let packs = packs::load_with(&self.sources, Some(pack))?;
        let pack = packs.named(from_crds::NAME)?;
        let (release, _) = pack.line().iter().last().context("a set of CRDs is a release")?;
        let crd_target = CrdTarget { target: Target::new(pack, release), from: description };
        let request = Self {
            told: self.told.clone(),
            packs,
            targets: Vec::new(),
            choices: Choices { schema: Schema::Own(Arc::new(own)), ..self.choices.clone() },
            pairing: self.pairing,
            crds: Vec::new(),
            crd_target: Some(crd_target),
            sources: self.sources.clone(),
        };
        Ok((Some(request), findings))
    }

    /// Tells that objects of other packs stay as they are where CRDs of no known pack are the only target that was found.
    fn warn_of_other_objects(&self, targets: &[Target<'p>], groups: &BTreeSet<String>, console: Console) -> Result<()> {
        let [target] = targets else { return Ok(()) };
        // CRDs are objects of Kubernetes, but those that name the target are not what is to be converted.
        let groups = groups.iter().filter(|group| *group != CRD_GROUP);
        let others = groups.filter_map(|group| self.packs.of_group(group)).map(Pack::name);
        let others: BTreeSet<&str> = others.filter(|name| *name != target.pack.name()).collect();
        match others.first().filter(|_| target.pack.is_of_crds()) {
            Some(first) => console.note(&format!(
                "warning: the files hold objects of {} too, which have no target; for those run again with --to {first}@RELEASE\n",
                others.iter().copied().collect::<Vec<_>>().join(", ")
            )),
            None => Ok(()),
        }
    }

    fn goal(&self, targets: Vec<Target<'p>>) -> Goal<'p> {
        Goal { packs: self.packs, targets, choices: self.choices.clone() }
    }
}

/// Returns what objects are validated with: the CRDs of the set that a target names, else of the last one.
fn schema(crds: &[PassedSet], targets: &[Target<'_>]) -> Result<Schema> {
    let crd_target = targets.iter().find(|target| target.pack.is_of_crds());
    let is_named = |set: &&PassedSet| {
        crd_target.is_some_and(|crd_target| crd_target.pack.line().get(crd_target.release).bundle == set.bundle())
    };
    let Some(set) = crds.iter().find(is_named).or(crds.last()) else { return Ok(Schema::Catalog) };
    let own = set.own()?;
    let is_about = |target: &Target<'_>| own.cover(target.pack.groups());
    if !targets.is_empty() && !targets.iter().any(is_about) {
        let names: Vec<&str> = targets.iter().map(|target| target.pack.name()).collect();
        bail!(
            "--crds: {} contains no CRD of {}; for objects of its own CRDs write --to {}@{}",
            own.name(),
            names.join(" or "),
            from_crds::NAME,
            set.bundle()
        );
    }
    Ok(Schema::Own(Arc::new(own)))
}

/// Returns moves with the places where `file` sets them, if it does.
fn placed(moves: &[Move], file: &ConfigFile) -> Vec<Move> {
    let set = file.place_of("move").and_then(|_| file.default_of("move")).unwrap_or_default();
    let place = |at: usize| set.get(at).map(|entry| file.place(entry));
    moves.iter().enumerate().map(|(at, one)| Move { place: place(at), ..one.clone() }).collect()
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
fn no_target(
    groups: &BTreeSet<String>,
    installed: &[Installed<'_>],
    passed: &[PassedSet],
    packs: &Packs,
) -> anyhow::Error {
    let mut names: BTreeSet<_> =
        groups.iter().filter_map(|group| packs.of_group(group)).map(|pack| pack.name()).collect();
    names.extend(installed.iter().map(|installed| installed.pack.name()));
    // Who passes CRDs of an API wants a release of that.
    let of_passed = passed.iter().flat_map(PassedSet::groups).find_map(|group| packs.of_group(group)).map(Pack::name);
    names.extend(of_passed);
    let Some(first) = of_passed.as_ref().or(names.first()) else {
        return anyhow!(
            "no target: pass --to PACK@RELEASE[/CHANNEL] (the files hold no object of a known pack; `reversion releases` lists the packs), or the CRDs of the objects' API with --crds"
        );
    };
    let hint = format!("pass a target, such as --to {first}@latest (`reversion releases {first}` lists the releases)");
    let crds: Vec<String> = installed.iter().map(no_target_in).collect();
    match crds.is_empty() {
        true if let Some(name) = of_passed => {
            anyhow!("no target: the CRDs of --crds name no release of {name}; {hint}")
        }
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
