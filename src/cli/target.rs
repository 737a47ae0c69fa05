//! Answers: which releases does a call go to, and what may it lose on the way?
//!
//! What is typed with `--to` counts. Without it, the CRDs in the tree name the target of their pack; where they do not, the
//! call ends with an error that says what to type.
//!
//! Invariant: a target that was not typed is told on standard error, with the CRD that named it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail, ensure};

use super::args::TargetArgs;
use super::console::Console;
use super::pass::{self, Pass};
use crate::field::FieldPath;
use crate::finding::Code;
use crate::infer::beside::{evidence, origin};
use crate::infer::crds::{Installed, Verdict, installed};
use crate::lens::LossClass;
use crate::manifest::Manifest;
use crate::pack::build::own::OwnCrds;
use crate::pack::{Pack, Packs, Target};
use crate::plan::{AllowedLoss, Choices, Goal, Keeping, Mistakes, Schema, VersionChoice, loss_code};
use crate::release::ReleaseSet;
use crate::report::visible;

/// What a call's arguments say, before any file is read.
pub(super) struct Typed<'p> {
    packs: &'p Packs,
    targets: Vec<Target<'p>>,
    choices: Choices,
    pairing: Pairing,
    crds: Option<Vec<Manifest>>,
}

impl<'p> Typed<'p> {
    /// Reads the arguments, and the CRDs that they name.
    pub(super) fn read(args: &TargetArgs, packs: &'p Packs, console: Console) -> Result<Self> {
        let mut targets: Vec<Target<'p>> = Vec::new();
        for text in args.to.iter().filter(|text| !text.is_empty()) {
            let target = packs.target(text)?;
            if let Some(other) = targets.iter().find(|other| other.pack.name() == target.pack.name()) {
                bail!("two targets for one pack: {other} and {target}");
            }
            targets.push(target);
        }
        let version = if args.keep_api_version { VersionChoice::Keep } else { VersionChoice::MostStable };
        let keeping = if args.stash { Keeping::Stash } else { Keeping::Nothing };
        let crds = args.crds.as_ref().map(|folder| pass::crds(folder, packs, console)).transpose()?;
        let schema = match (&args.crds, &crds) {
            (Some(folder), Some(manifests)) => Schema::Own(Arc::new(own(folder, manifests)?)),
            _ => Schema::Catalog,
        };
        let mistakes = if args.repair { Mistakes::Mend } else { Mistakes::Leave };
        let (parameters, origins) = (parameters(&args.set, packs)?, origins(&args.from, packs)?);
        let allowed = allowed(&args.allow_loss)?;
        let choices = Choices { schema, keeping, allowed, version, mistakes, parameters, origins };
        let pairing = if args.unpaired { Pairing::Any } else { Pairing::Matching };
        Ok(Self { packs, targets, choices, pairing, crds })
    }

    /// Makes the goal of a call that met `pass`, and adds what the CRDs in it are told for.
    pub(super) fn goal(self, pass: &mut Pass, console: Console) -> Result<Goal<'p>> {
        let installed = installed(self.crds.as_ref().unwrap_or(&pass.manifests), self.packs);
        let mut targets = self.targets;
        if targets.is_empty() {
            targets = named_by(&installed, console)?;
            ensure!(!targets.is_empty(), "{}", no_target(pass, &installed, self.packs));
        }
        let companions = companions(&targets, self.packs, self.pairing, console)?;
        targets.extend(companions);
        pass.findings.extend(installed.iter().filter_map(Installed::finding));
        let mut choices = self.choices;
        for target in &targets {
            let name = target.pack.name();
            if !choices.origins.contains_key(name) {
                choices.origins.extend(beside(target.pack, pass, console)?.map(|origin| (name.to_owned(), origin)));
            }
        }
        Ok(Goal { packs: self.packs, targets, choices })
    }
}

/// Returns the release that charts and images beside the objects of `pack` say is installed, and tells it.
fn beside(pack: &Pack, pass: &Pass, console: Console) -> Result<Option<ReleaseSet>> {
    let evidence = evidence(&pass.manifests, pack);
    let origin = origin(&evidence);
    let (Some(first), Some(release)) = (evidence.first(), origin.iter().next()) else {
        if !evidence.is_empty() {
            let said: Vec<String> = evidence.iter().map(|one| format!("{} ({})", one.says, one.location)).collect();
            let said = visible(&said.join(", "));
            console.note(&format!("{} objects can be of several releases: {said}; say --from\n", pack.name()))?;
        }
        return Ok(None);
    };
    let bundle = &pack.line().get(release).bundle;
    let place = visible(&first.location.to_string());
    console.note(&format!("{} objects come from {bundle}: {} ({place})\n", pack.name(), visible(&first.says)))?;
    Ok(Some(origin))
}

/// Whether the targets must be made for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pairing {
    /// They must.
    Matching,
    /// They need not.
    Any,
}

/// Returns the releases that `targets` go with, where their packs have no target yet, and tells them.
///
/// # Errors
/// A target of a pack that another target does not go with.
fn companions<'p>(
    targets: &[Target<'p>],
    packs: &'p Packs,
    pairing: Pairing,
    console: Console,
) -> Result<Vec<Target<'p>>> {
    let mut found = Vec::new();
    for target in targets {
        let Some(companion) = packs.companion(target)? else { continue };
        let bundle = |target: &Target<'p>| target.pack.line().get(target.release).bundle.clone();
        match targets.iter().find(|other| other.pack.name() == companion.pack.name()) {
            None => {
                console.note(&format!("target {companion}, which {target} goes with\n"))?;
                found.push(companion);
            }
            Some(other) => ensure!(
                pairing == Pairing::Any || minor(&bundle(other)) == minor(&bundle(&companion)),
                "{target} goes with {companion}, not with {other}: leave the second target out, or say --unpaired"
            ),
        }
    }
    Ok(found)
}

/// Returns a bundle's name without its last number: `v1.5` of `v1.5.1`.
fn minor(bundle: &str) -> &str {
    bundle.rsplit_once('.').map_or(bundle, |(minor, _)| minor)
}

/// Reads `--set`: names as packs declare them.
fn parameters(said: &[String], packs: &Packs) -> Result<BTreeMap<String, String>> {
    let declared =
        packs.iter().flat_map(|pack| pack.parameters().iter().map(move |one| format!("{}.{}", pack.name(), one.name)));
    let declared: BTreeSet<String> = declared.collect();
    let mut read = BTreeMap::new();
    for text in said.iter().filter(|text| !text.is_empty()) {
        let (name, value) = text.split_once('=').with_context(|| format!("--set: `{text}` has no `=`"))?;
        ensure!(
            declared.contains(name),
            "--set: no pack asks for `{name}`; there are: {}",
            declared.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
        );
        ensure!(!value.is_empty(), "--set: {name} has no value");
        ensure!(read.insert(name.to_owned(), value.to_owned()).is_none(), "--set: {name} is said twice");
    }
    Ok(read)
}

/// Reads `--from`: the releases, by pack.
fn origins(said: &[String], packs: &Packs) -> Result<BTreeMap<String, ReleaseSet>> {
    let mut read = BTreeMap::new();
    for text in said.iter().filter(|text| !text.is_empty()) {
        let target = packs.target(text).context("--from")?;
        let name = target.pack.name();
        ensure!(
            read.insert(name.to_owned(), ReleaseSet::from_iter([target.release])).is_none(),
            "--from: two releases of {name}"
        );
    }
    Ok(read)
}

/// Reads the CRDs in the objects of `manifests`.
fn own(folder: &Path, manifests: &[Manifest]) -> Result<OwnCrds> {
    let objects = manifests.iter().flat_map(|manifest| manifest.objects.iter().map(move |object| (manifest, object)));
    let place = |manifest: &Manifest, object| manifest.locate(object, &FieldPath::default()).to_string();
    let values = objects.map(|(manifest, object)| (place(manifest, object), &object.value));
    OwnCrds::read(&folder.display().to_string(), values).context("--crds")
}

/// Returns the targets that CRDs name, and tells them.
fn named_by<'p>(installed: &[Installed<'p>], console: Console) -> Result<Vec<Target<'p>>> {
    let mut targets = Vec::new();
    for installed in installed {
        if let Verdict::Release(target) = installed.verdict() {
            console.note(&format!("target {target}, named by the CRDs: {}\n", visible(&installed.describe())))?;
            targets.push(target);
        }
    }
    Ok(targets)
}

/// Says why there is no target: it names the packs whose objects are there, and CRDs that name none.
fn no_target(pass: &Pass, installed: &[Installed<'_>], packs: &Packs) -> anyhow::Error {
    let objects = pass.manifests.iter().flat_map(|manifest| &manifest.objects);
    let groups = objects.map(|object| object.kind.group.as_str());
    let mut names: BTreeSet<_> = groups.filter_map(|group| packs.of_group(group)).map(|pack| pack.name()).collect();
    names.extend(installed.iter().map(|installed| installed.pack.name()));
    let Some(first) = names.first() else {
        return anyhow!(
            "no target: say --to PACK@BUNDLE/CHANNEL (no object of a known pack is here; `reversion releases` lists the packs)"
        );
    };
    let hint = format!("say where to, such as --to {first}@latest (`reversion releases {first}` lists the releases)");
    let crds: Vec<String> = installed.iter().map(unhelpful).collect();
    match crds.is_empty() {
        true => anyhow!(
            "no target: the files hold objects of {}; {hint}",
            names.iter().copied().collect::<Vec<_>>().join(", ")
        ),
        false => anyhow!("no target: {}; or {hint}", crds.join("; ")),
    }
}

/// Says why the CRDs of a pack name no target.
fn unhelpful(installed: &Installed<'_>) -> String {
    let crds = installed.describe();
    let title = installed.pack.title();
    let why = installed.crds.iter().find_map(|crd| crd.correction.as_ref());
    match (installed.verdict(), why) {
        (Verdict::Mixed, _) => {
            format!("the CRDs of {title} are of several releases: {crds}; install a full bundle")
        }
        (_, Some(why)) => format!("the CRDs of {title} name no release, {crds}: {why}; install a release"),
        _ => format!("the CRDs of {title} are of a release that is not known here: {crds}; install a known one"),
    }
}

/// Reads the codes of `--allow-loss`.
fn allowed(names: &[String]) -> Result<AllowedLoss> {
    let mut codes = BTreeSet::new();
    for name in names.iter().filter(|name| !name.is_empty()) {
        if name == "all" {
            return Ok(AllowedLoss::All);
        }
        let losses = LossClass::ALL.map(loss_code);
        let Some(code) = losses.iter().find(|code| code.name() == name) else {
            bail!("--allow-loss: `{name}` is no loss; there are: {}", losses.map(Code::name).join(", "));
        };
        codes.insert(*code);
    }
    Ok(if codes.is_empty() { AllowedLoss::None } else { AllowedLoss::Codes(codes) })
}
