//! Answers: what must be done to every file of a run to take its objects to the targets?
//!
//! [`plan`] converts each object by itself (`object`), lets references follow retyped kinds over the whole run
//! (`references`) and turns the changes of each file into edits that are verified twice (`edit`). Where the text or a name
//! stands in the way, the object is held back and everything that depends on it is planned again.
//!
//! Invariant: pure; a file's plan holds only edits that passed double entry.

use std::collections::{BTreeMap, BTreeSet};

use crate::field::FieldPath;
use crate::finding::{Code, Finding, Location, Severity};
use crate::infer::infer;
use crate::lens::{Completeness, Direction, Namespace, Neighbour, Surroundings};
use crate::manifest::{Manifest, Object};
use crate::pack::{Pack, Packs, Target};
use crate::release::{ApiVersion, GroupKind};
use crate::text::EditSet;

mod advise;
mod edit;
mod homes;
mod object;
mod parting;
mod references;
mod reliance;
mod rights;
mod secret;
mod selectors;
mod settle;
mod stash;

pub use object::{AllowedLoss, Choices, Conversion, Keeping, Remark, Schema, VersionChoice, loss_code};
pub use stash::{ANNOTATION, MAX_STASH};

pub use secret::shows_secret;

use homes::Homes;
use object::Standing;
use references::Retypes;

/// Everything that a run would do, nothing of it done.
#[derive(Debug, Default)]
pub struct Plan {
    /// The files with at least one edit, sorted by name.
    pub files: Vec<FilePlan>,
    /// The objects of targeted packs, in the order of files and text.
    pub objects: Vec<ObjectPlan>,
    /// Everything to tell, sorted by place.
    pub findings: Vec<Finding>,
    /// How many objects the parsed files hold, known or not.
    pub seen_objects: usize,
}

/// One file that changes.
#[derive(Debug)]
pub struct FilePlan {
    /// The file as the user named it.
    pub file: String,
    /// Its text.
    pub before: String,
    /// Its text afterwards.
    pub after: String,
    /// The edits from one to the other.
    pub edits: EditSet,
}

/// What becomes of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// It is at the target already.
    Unchanged,
    /// It changes.
    Changed,
    /// It stays as it is; findings say why.
    HeldBack,
}

impl Outcome {
    /// Returns the word that reports print.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unchanged => "unchanged",
            Self::Changed => "changed",
            Self::HeldBack => "held-back",
        }
    }
}

/// One object of the run: a known one, or another one whose references change.
#[derive(Debug)]
pub struct ObjectPlan {
    /// Where the object starts.
    pub location: Location,
    /// What findings call it.
    pub title: String,
    /// Its kind and apiVersion before.
    pub from: (GroupKind, ApiVersion),
    /// Its kind and apiVersion afterwards.
    pub to: (GroupKind, ApiVersion),
    /// What becomes of it.
    pub outcome: Outcome,
    /// The rules that changed it.
    pub rules: Vec<(String, Direction)>,
    /// Its data before.
    pub before: serde_json::Value,
    /// Its data afterwards.
    pub after: serde_json::Value,
}

/// What a run wants.
#[derive(Debug)]
pub struct Goal<'p> {
    /// The packs of the run.
    pub packs: &'p Packs,
    /// The releases to go to, one for each pack at most.
    pub targets: Vec<Target<'p>>,
    /// How objects are converted.
    pub choices: Choices,
}

impl<'p> Goal<'p> {
    /// Returns the target of the pack that knows `group`.
    pub fn target_of(&self, group: &str) -> Option<&Target<'p>> {
        self.targets.iter().find(|target| target.pack.groups().iter().any(|name| name == group))
    }
}

/// An object's position: manifest and object in it.
type Id = (usize, usize);

/// Why objects are held back that their own conversion does not hold back.
type Held = BTreeMap<Id, Finding>;

/// The objects of retyped kinds that are held back, with where they live.
type Stay<'a> = BTreeMap<&'a GroupKind, Vec<(&'a Object, &'a Namespace)>>;

/// Plans the run over `manifests`, sorted by file.
pub fn plan(manifests: &[Manifest], goal: &Goal<'_>) -> Plan {
    let patches = patch_files(manifests);
    let completeness = |manifest: &Manifest| {
        if patches.contains(&manifest.file) { Completeness::Partial } else { Completeness::Whole }
    };
    let homes = Homes::new(manifests, goal.packs);
    let surroundings = surroundings(manifests, &homes, &patches);
    let converted: Vec<Vec<Option<Conversion>>> = manifests
        .iter()
        .enumerate()
        .map(|(file, manifest)| {
            let one = |(at, object): (usize, &Object)| {
                let target = goal.target_of(&object.kind.group)?;
                let standing = Standing {
                    completeness: completeness(manifest),
                    home: homes.of((file, at)),
                    surroundings: &surroundings,
                };
                Some(object::convert(object, target, goal, standing))
            };
            manifest.objects.iter().enumerate().map(one).collect()
        })
        .collect();
    let retypes = goal.targets.iter().flat_map(references::retypes).collect();
    let run = Run { manifests, goal, homes: &homes, converted, retypes };
    let mut held = run.taken_names(&patches);
    loop {
        run.hold_along(&mut held);
        let attempt = run.attempt(&held);
        if attempt.refused.is_empty() {
            return run.report(attempt, &held);
        }
        held.extend(attempt.refused);
    }
}

/// Indexes the objects of the run as they stand; patches are parts of objects.
fn surroundings<'a>(manifests: &'a [Manifest], homes: &'a Homes, patches: &BTreeSet<String>) -> Surroundings<'a> {
    let whole = manifests.iter().enumerate().filter(|(_, manifest)| !patches.contains(&manifest.file));
    let neighbours = whole.flat_map(|(file, manifest)| {
        manifest.objects.iter().enumerate().map(move |(at, object)| Neighbour {
            kind: &object.kind,
            namespace: homes.of((file, at)),
            name: object.name.as_deref(),
            value: &object.value,
        })
    });
    Surroundings::new(neighbours)
}

/// Returns the files that a kustomization of the run names as patches.
fn patch_files(manifests: &[Manifest]) -> BTreeSet<String> {
    manifests.iter().flat_map(|manifest| manifest.patches.iter().cloned()).collect()
}

/// The run with every object converted by itself.
struct Run<'a> {
    manifests: &'a [Manifest],
    goal: &'a Goal<'a>,
    homes: &'a Homes,
    converted: Vec<Vec<Option<Conversion>>>,
    retypes: Retypes,
}

/// A plan under an assumption of what is held back, and what else turned out to be.
#[derive(Default)]
struct Attempt {
    files: Vec<FilePlan>,
    conversions: Vec<Vec<Option<Conversion>>>,
    findings: Vec<Finding>,
    refused: Held,
}

impl Run<'_> {
    fn ids(&self) -> impl Iterator<Item = (Id, &Manifest, &Object)> + Clone {
        self.manifests.iter().enumerate().flat_map(|(file, manifest)| {
            manifest.objects.iter().enumerate().map(move |(at, object)| ((file, at), manifest, object))
        })
    }

    /// Holds back retyped objects whose new kind, namespace and name another object has.
    fn taken_names(&self, patches: &BTreeSet<String>) -> Held {
        let mut owners: BTreeMap<(&GroupKind, &Namespace, &str), Vec<Id>> = BTreeMap::new();
        for ((file, at), manifest, object) in self.ids() {
            let conversion = self.converted[file][at].as_ref();
            let kind = conversion.map_or(&object.kind, |conversion| &conversion.kind);
            if let (Some(name), false) = (&object.name, patches.contains(&manifest.file)) {
                owners.entry((kind, self.homes.of((file, at)), name)).or_default().push((file, at));
            }
        }
        let mut held = Held::new();
        for (owner, ids) in owners.into_iter().filter(|(_, ids)| ids.len() > 1) {
            let retyped = |id: &&Id| self.manifests[id.0].objects[id.1].kind != *owner.0;
            for id in ids.iter().filter(retyped) {
                // Objects of different folders can belong to different clusters or overlays.
                let settled = ids.iter().find(|other| !retyped(other) && self.folder(other.0) == self.folder(id.0));
                let Some(settled) = settled else { continue };
                let other = &self.manifests[settled.0];
                let place = other.locate(&other.objects[settled.1], &FieldPath::default());
                let message = format!("the conversion makes it a {}, and one of that name is at {place}", owner.0.kind);
                let help = Some("rename or remove one of the two".to_owned());
                let path = FieldPath::default().key("metadata").key("name");
                let remark = Remark { code: Code::NameTaken, path, message, help };
                let manifest = &self.manifests[id.0];
                held.insert(*id, finding(manifest, &manifest.objects[id.1], &remark, Severity::Held));
            }
        }
        held
    }

    fn folder(&self, manifest: usize) -> &str {
        self.manifests[manifest].file.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    fn is_held(&self, id: Id, held: &Held) -> bool {
        let blocked = self.converted[id.0][id.1].as_ref().is_some_and(|conversion| !conversion.blocks.is_empty());
        blocked || held.contains_key(&id)
    }

    fn attempt(&self, held: &Held) -> Attempt {
        let (stay, moves) = (self.held_by_kind(held), self.moves(held));
        let mut attempt = Attempt::default();
        for (file, manifest) in self.manifests.iter().enumerate() {
            let mut conversions = Vec::with_capacity(manifest.objects.len());
            for (at, object) in manifest.objects.iter().enumerate() {
                attempt.findings.extend(rights::findings(manifest, object, &self.retypes));
                let this = (manifest, object, self.homes.of((file, at)));
                let conversion = self.converted[file][at].clone();
                let conversion = if self.is_held((file, at), held) {
                    attempt.findings.extend(self.left_behind(this, &stay));
                    conversion.map(|conversion| held_back(conversion, object))
                } else {
                    let made = self.with_references(this, conversion, &stay, &mut attempt.findings);
                    selectors::follow(object, made, &moves)
                };
                conversions.push(conversion);
            }
            match edit::edit(manifest, &conversions) {
                Ok(Some(plan)) => {
                    attempt.findings.extend(plan.findings);
                    attempt.files.push(plan.file);
                }
                Ok(None) => {}
                Err(refused) => attempt.refused.extend(refused.into_iter().map(|(at, finding)| ((file, at), finding))),
            }
            attempt.conversions.push(conversions);
        }
        attempt
    }

    /// Returns the objects of retyped kinds that are held back.
    fn held_by_kind(&self, held: &Held) -> Stay<'_> {
        let mut stay = Stay::new();
        for (id, _, object) in self.ids() {
            if self.retypes.contains_key(&object.kind) && self.is_held(id, held) {
                stay.entry(&object.kind).or_default().push((object, self.homes.of(id)));
            }
        }
        stay
    }

    /// Tells the references of an object that is held back to objects whose kind changes all the same.
    fn left_behind(&self, (manifest, object, from): (&Manifest, &Object, &Namespace), stay: &Stay<'_>) -> Vec<Finding> {
        let catalog = self.goal.packs.of_group(&object.kind.group).and_then(|pack| pack.catalog(&object.kind));
        let references = references::find(&object.value, catalog, &self.retypes);
        let stays = |reference: &references::Reference| {
            stay.get(&reference.kind).into_iter().flatten().any(|held| names(reference, *held, from))
        };
        let told = references.into_iter().filter(|reference| !stays(reference)).map(|reference| {
            let what = reference.name.as_deref().unwrap_or("objects");
            let kind = &reference.kind.kind;
            let message = format!(
                "{} names {kind} {what}, whose kind changes; the reference stays, its object being held back",
                reference.path
            );
            let remark = Remark { code: Code::ReferenceKept, path: reference.path, message, help: None };
            finding(manifest, object, &remark, Severity::Warning)
        });
        told.collect()
    }

    /// Lets the object's references follow their objects.
    fn with_references(
        &self,
        (manifest, object, from): (&Manifest, &Object, &Namespace),
        conversion: Option<Conversion>,
        stay: &Stay<'_>,
        findings: &mut Vec<Finding>,
    ) -> Option<Conversion> {
        if self.retypes.is_empty() {
            return conversion;
        }
        let (kind, value) = conversion.as_ref().map_or((&object.kind, &object.value), |made| (&made.kind, &made.value));
        let catalog = self.goal.packs.of_group(&kind.group).and_then(|pack| pack.catalog(kind));
        let references = references::find(value, catalog, &self.retypes);
        if references.is_empty() {
            return conversion;
        }
        let mut made = conversion.unwrap_or_else(|| Conversion::untouched(object));
        let mut session = crate::lens::Session::new(made.value.clone());
        for reference in references {
            let kept = stay.get(&reference.kind).into_iter().flatten().find(|held| names(&reference, **held, from));
            if let Some((held, _)) = kept {
                let message =
                    format!("{} names {}, which is held back; the reference stays", reference.path, held.title());
                let remark = Remark { code: Code::ReferenceKept, path: reference.path, message, help: None };
                findings.push(finding(manifest, object, &remark, Severity::Warning));
            } else if let Err(halt) = references::follow(&reference, &self.retypes, &mut session) {
                made.blocks.extend(object::stuck(halt));
            }
        }
        let (value, program, _) = session.finish();
        made.value = value;
        made.program.extend(program);
        Some(made)
    }

    /// Puts the final attempt into a plan.
    fn report(&self, attempt: Attempt, held: &Held) -> Plan {
        let mut plan = Plan { files: attempt.files, findings: attempt.findings, ..Plan::default() };
        let with_conversion =
            |((_, manifest, object), conversion)| Option::map(conversion, |made| (manifest, object, made));
        let made = attempt.conversions.iter().flatten().map(Option::as_ref);
        let made = self.ids().zip(made).filter_map(with_conversion);
        plan.findings.extend(self.goal.targets.iter().flat_map(|target| advise::advisories(target, made.clone())));
        for (((file, at), manifest, object), conversion) in self.ids().zip(attempt.conversions.into_iter().flatten()) {
            plan.seen_objects += 1;
            let Some(conversion) = conversion else { continue };
            let told = conversion.blocks.iter().map(|remark| (remark, Severity::Held));
            let told = told.chain(conversion.warnings.iter().map(|remark| (remark, Severity::Warning)));
            let told = told.chain(conversion.lost.iter().map(|remark| (remark, Severity::Warning)));
            let before = plan.findings.len();
            plan.findings.extend(
                told.map(|(remark, severity)| finding(manifest, object, remark, adjust(remark.code, severity))),
            );
            plan.findings.extend(held.get(&(file, at)).cloned());
            let is_held = plan.findings[before..].iter().any(|finding| finding.severity >= Severity::Held);
            if self.goal.packs.of_group(&object.kind.group).is_some_and(|pack| pack.catalog(&object.kind).is_none()) {
                continue;
            }
            plan.objects.push(object_plan(manifest, object, conversion, is_held));
        }
        plan.findings.extend(self.manifests.iter().flat_map(|manifest| manifest.findings.iter().cloned()));
        plan.findings.sort();
        plan.findings.dedup();
        plan
    }
}

/// Tells what the fields of one object say against it, without a target.
pub fn inference_findings(manifest: &Manifest, object: &Object, pack: &Pack) -> Vec<Finding> {
    let Some(catalog) = pack.catalog(&object.kind) else {
        return vec![finding(manifest, object, &object::unknown_kind(object, pack), Severity::Warning)];
    };
    let inference = infer(&object.value, catalog, &object.api_version.version);
    let (conflicts, warnings) = object::remarks(&inference, object, pack, catalog);
    let conflicts = conflicts.iter().map(|remark| finding(manifest, object, remark, Severity::Held));
    conflicts.chain(warnings.iter().map(|remark| finding(manifest, object, remark, Severity::Warning))).collect()
}

/// What is as it was before and is left alone holds nothing back.
const fn adjust(code: Code, severity: Severity) -> Severity {
    match code {
        Code::UnknownKind => Severity::Warning,
        Code::AlreadyInvalid | Code::Respelled | Code::Restored | Code::UncheckedRule => Severity::Note,
        _ => severity,
    }
}

/// Says whether `reference`, from an object that lives in `from`, names or may name the object that lives in `home`; a
/// namespace that is not written is that of `from`, and any for a reference that gives no name.
fn names(reference: &references::Reference, (object, home): (&Object, &Namespace), from: &Namespace) -> bool {
    let written = reference.namespace.clone().map(Namespace::Named);
    let wanted = written.as_ref().or_else(|| reference.name.is_some().then_some(from));
    let apart = wanted.is_some_and(|wanted| wanted.is(home) == Some(false));
    !apart && (reference.name.is_none() || reference.name == object.name)
}

fn held_back(conversion: Conversion, object: &Object) -> Conversion {
    let Conversion { blocks, warnings, written_for, .. } = conversion;
    Conversion { blocks, warnings, written_for, ..Conversion::untouched(object) }
}

fn finding(manifest: &Manifest, object: &Object, remark: &Remark, severity: Severity) -> Finding {
    Finding {
        location: manifest.locate(object, &remark.path),
        code: remark.code,
        severity,
        object: Some(object.title()),
        field: (!remark.path.steps().is_empty()).then(|| remark.path.to_string()),
        message: format!("{}: {}", object.title(), remark.message),
        help: remark.help.clone(),
    }
}

fn object_plan(manifest: &Manifest, object: &Object, conversion: Conversion, is_held: bool) -> ObjectPlan {
    let outcome = match (is_held, conversion.program.is_empty()) {
        (true, _) => Outcome::HeldBack,
        (false, true) => Outcome::Unchanged,
        (false, false) => Outcome::Changed,
    };
    let version = conversion.value.get("apiVersion").and_then(serde_json::Value::as_str).map(ApiVersion::parse);
    ObjectPlan {
        location: manifest.locate(object, &FieldPath::default()),
        title: object.title(),
        from: (object.kind.clone(), object.api_version.clone()),
        to: (conversion.kind, version.unwrap_or_else(|| object.api_version.clone())),
        outcome,
        rules: conversion.rules,
        before: object.value.clone(),
        after: conversion.value,
    }
}
