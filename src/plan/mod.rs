//! Answers: what must be done to every file of a run to take its objects to the targets?
//!
//! A [`Course`] looks at each file by itself: it converts its objects (`object`) and turns the changes into edits that are
//! verified twice (`edit`). Files in which others have a say are planned together: references follow retyped kinds over the
//! whole run (`references`), and where the text or a name stands in the way, the object is held back and everything that
//! depends on it is planned again.
//!
//! Invariant: pure; a file's plan holds only edits that passed double entry.

use std::cell::{LazyCell, OnceCell};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use crate::field::FieldPath;
use crate::finding::{Code, Finding, Location, Severity};
use crate::infer::infer;
use crate::lens::{Completeness, Context, Direction, Namespace, ObjectName, ObjectView};
use crate::manifest::{Manifest, Object};
use crate::pack::{Pack, Packs, Target};
use crate::release::{ApiVersion, GroupKind};
use crate::text::EditSet;

mod advise;
mod beside;
mod built;
mod course;
mod dangling;
mod edit;
mod fates;
mod guest;
mod homes;
mod loose;
mod mentions;
mod moves;
mod object;
mod parting;
mod patched;
mod pointed;
mod references;
mod reliance;
mod repair;
mod rights;
mod secret;
mod selectors;
mod settle;
mod stash;

pub use course::{Course, Look, Part};
pub use homes::Homes;
pub use object::{
    AllowedLoss, Choices, Conversion, Keeping, Mistakes, Record, Remark, Schema, VersionChoice, loss_code,
};
pub use stash::{ANNOTATION, MAX_STASH};

pub use crate::yaml::FrontEnd;
pub use secret::{meets, secret_spans, shows_secret};

use course::Standing;
use fates::Fates;
use object::Scene;

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
    pub before: Arc<str>,
    /// The edits to its text afterwards.
    pub edits: EditSet,
}

impl FilePlan {
    /// Returns the file's text afterwards.
    pub fn after(&self) -> String {
        self.edits.apply(&self.before)
    }
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
    /// `metadata.name`, where it is given.
    pub name: Option<String>,
    /// Its kind and apiVersion before.
    pub from: (GroupKind, ApiVersion),
    /// Its kind and apiVersion afterwards.
    pub to: (GroupKind, ApiVersion),
    /// What becomes of it.
    pub outcome: Outcome,
    /// Whether a target is about it, or a rule, or values of a chart stand in it.
    pub is_recognised: bool,
    /// The rules that changed it.
    pub rules: Vec<(String, Direction)>,
    /// Its data, where the goal asks for it.
    pub data: Option<Box<Sides>>,
}

/// An object's data on both sides of a conversion.
#[derive(Debug)]
pub struct Sides {
    /// Its data before.
    pub before: Arc<Value>,
    /// Its data afterwards.
    pub after: Arc<Value>,
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

/// Plans the run over `manifests`, sorted by file.
pub fn plan(manifests: &[Manifest], goal: &Goal<'_>) -> Plan {
    let course = Course::new(goal);
    let look = |manifest| course.look(manifest).map_or(Look::Open(manifest), |part| Look::Alone(Box::new(part)));
    let mut looks: Vec<Look<'_>> = manifests.iter().map(look).collect();
    let homes = course.homes(&looks);
    for at in course.overtaken(&looks, &homes) {
        looks[at] = Look::Open(&manifests[at]);
    }
    course.conclude(looks, &homes)
}

/// The files in which others have a say, with every object converted by itself.
struct Run<'a> {
    course: &'a Course<'a>,
    looks: &'a [Look<'a>],
    /// Where a file is among them; few ask.
    numbers: OnceCell<BTreeMap<&'a str, usize>>,
    /// The files that a kustomization of the run names as patches.
    patches: BTreeSet<&'a str>,
    manifests: Vec<&'a Manifest>,
    places: &'a Homes<'a>,
    /// Where their objects live.
    homes: Vec<Vec<Namespace>>,
    /// Where the objects live that [`standing`] returns.
    standing_homes: Vec<Namespace>,
    /// The patches with what they are merged into.
    ties: Vec<[patched::Side<'a>; 2]>,
    converted: Vec<Vec<Option<Conversion>>>,
    built: Vec<built::Built>,
}

/// The parts of the files under an assumption of what is held back, and what else turned out to be.
#[derive(Default)]
struct Attempt {
    parts: Vec<Part>,
    refused: Held,
}

impl<'a> Run<'a> {
    fn new(course: &'a Course<'a>, looks: &'a [Look<'a>], places: &'a Homes<'a>) -> Self {
        let open = |look: &'a Look<'a>| match look {
            Look::Open(manifest) => Some(*manifest),
            Look::Alone(_) => None,
        };
        let manifests: Vec<&Manifest> = looks.iter().filter_map(open).collect();
        let patches = looks.iter().flat_map(Look::patches).map(|patch| patch.file.as_str()).collect();
        let of_file = |manifest: &&Manifest| {
            let home = |object: &Object| places.of(&manifest.file, &object.kind, object.namespace.as_deref());
            manifest.objects.iter().map(home).collect()
        };
        let home = |(file, one): (&str, &Standing)| places.of(file, &one.kind, one.namespace.as_deref());
        let standing_homes = standing(looks).map(home).collect();
        let homes = manifests.iter().map(of_file).collect();
        let (ties, converted, built) = (patched::sides(looks), Vec::new(), Vec::new());
        let numbers = OnceCell::new();
        let mut run =
            Self { course, looks, numbers, patches, manifests, places, homes, standing_homes, ties, converted, built };
        let alone = course.alone();
        (run.converted, run.built) = (run.convert(&alone), run.build(&alone));
        if alone.depends_on_other_objects() {
            let values = standing(looks).map(|(_, one)| one.value());
            let others: Vec<_> = run.standing_homes.iter().cloned().zip(values).collect();
            let surroundings = run.surroundings(&others);
            (run.converted, run.built) = (run.convert(&surroundings), run.build(&surroundings));
        }
        run
    }

    /// Returns what is known of a file.
    fn look_at(&self, file: &str) -> Option<&Look<'a>> {
        let number = || self.looks.iter().enumerate().map(|(number, look)| (look.file(), number)).collect();
        self.numbers.get_or_init(number).get(file).map(|number| &self.looks[*number])
    }

    fn convert(&self, surroundings: &Context<'_>) -> Vec<Vec<Option<Conversion>>> {
        let of_file = |(manifest, homes): (&&Manifest, &Vec<Namespace>)| {
            let convert = |(object, home): (&Object, &Namespace)| {
                let is_patch = self.is_patch(&manifest.file) || object.inset.is_some();
                let completeness = if is_patch { Completeness::Partial } else { Completeness::Whole };
                self.course.convert(object, Scene { completeness, home, surroundings })
            };
            manifest.objects.iter().zip(homes).map(convert).collect()
        };
        self.manifests.iter().zip(&self.homes).map(of_file).collect()
    }

    /// Indexes the objects of the run as they stand; patches are parts of objects. `others` are the homes and the data of
    /// what [`standing`] returns.
    fn surroundings<'v>(&'v self, others: &'v [(Namespace, Option<Value>)]) -> Context<'v> {
        let mut others = others.iter();
        let mut homes = self.homes.iter();
        let mut objects = Vec::new();
        for look in self.looks {
            let neighbours: Vec<ObjectView<'v>> = match look {
                Look::Alone(part) => part.standing.iter().zip(&mut others).filter_map(Standing::neighbour).collect(),
                Look::Open(manifest) => {
                    let objects = manifest.objects.iter().zip(homes.next().into_iter().flatten());
                    objects.filter(|(object, _)| object.inset.is_none()).map(neighbour).collect()
                }
            };
            if !self.patches.contains(look.file()) {
                objects.extend(neighbours);
            }
        }
        Context::new(objects).with_parameters(&self.course.goal.choices.parameters)
    }

    fn ids(&self) -> impl Iterator<Item = (Id, &Manifest, &Object)> + Clone {
        self.manifests.iter().enumerate().flat_map(|(file, manifest)| {
            manifest.objects.iter().enumerate().map(move |(at, object)| ((file, at), *manifest, object))
        })
    }

    /// Holds back objects whose kind or namespace changes and whose new kind, namespace and name another object has.
    fn taken_names(&self) -> Held {
        let mut renamed: BTreeMap<ObjectName, Vec<Id>> = BTreeMap::new();
        let is_whole = |manifest: &Manifest, object: &Object| !self.is_patch(&manifest.file) && object.inset.is_none();
        for ((file, at), _, object) in self.ids().filter(|(_, manifest, object)| is_whole(manifest, object)) {
            let conversion = self.converted[file][at].as_ref().filter(|conversion| conversion.renames(object));
            if let Some(conversion) = conversion.filter(|_| object.name.is_some()) {
                let home = self.places.of(&self.manifests[file].file, &conversion.kind, conversion.namespace());
                renamed.entry((conversion.kind.clone(), home, object.name.clone())).or_default().push((file, at));
            }
        }
        let mut held = Held::new();
        let mut owners = self.owners(&renamed);
        // Two objects of one name are rare, and only they ask.
        let builds = LazyCell::new(|| homes::Graph::among(self.looks).builds());
        let built_by = |file: &str| builds.get(file).into_iter().flatten().copied().collect::<BTreeSet<&str>>();
        for (name, ids) in renamed {
            let owners = owners.remove(&name).unwrap_or_default();
            for id in &ids {
                let (manifest, object) = (self.manifests[id.0], self.object(*id));
                // What had one name before, in other files of an overlay, was so all along.
                let others = ids.iter().filter(|other| self.home(**other) != self.home(*id));
                let others = others.map(|other| self.place(*other));
                // Objects of different folders can belong to different clusters or overlays, unless one kustomization builds both.
                let near = |place: &Location| {
                    let (one, other) = (&*place.file, &*manifest.file);
                    folder(one) == folder(other) || !built_by(one).is_disjoint(&built_by(other))
                };
                let Some(place) = owners.iter().cloned().chain(others).find(near) else { continue };
                let message = match object.kind == name.0 {
                    true => format!("the conversion takes its namespace, and so one of that name is at {place}"),
                    false => format!("the conversion makes it a {}, and one of that name is at {place}", name.0.kind),
                };
                let help = Some("rename or remove one of the two".to_owned());
                let path = FieldPath::default().key("metadata").key("name");
                let remark = Remark { code: Code::NameConflict, path, message, help };
                held.insert(*id, finding(manifest, object, &remark, Severity::Held));
            }
        }
        held
    }

    fn object(&self, id: Id) -> &Object {
        &self.manifests[id.0].objects[id.1]
    }

    fn home(&self, id: Id) -> &Namespace {
        &self.homes[id.0][id.1]
    }

    fn place(&self, id: Id) -> Location {
        self.manifests[id.0].locate(self.object(id), &FieldPath::default())
    }

    /// Returns the places of the objects that have one of these names before and after the run, in its order.
    fn owners(&self, names: &BTreeMap<ObjectName, Vec<Id>>) -> BTreeMap<ObjectName, Vec<Location>> {
        let mut owners: BTreeMap<ObjectName, Vec<Location>> = BTreeMap::new();
        if names.is_empty() {
            return owners;
        }
        let mut opened = self.manifests.iter().zip(&self.homes).zip(&self.converted);
        let mut homes = self.standing_homes.iter();
        for look in self.looks {
            let found: Vec<(ObjectName, Location)> = match look {
                Look::Alone(part) => {
                    let called = |(one, home): (&Standing, &Namespace)| (one.called(home), one.place(&part.file));
                    part.standing.iter().zip(&mut homes).map(called).collect()
                }
                Look::Open(_) => opened.next().into_iter().flat_map(|(file, made)| owners_in(file, made)).collect(),
            };
            for (name, place) in found.into_iter().filter(|(name, _)| names.contains_key(name)) {
                if !self.is_patch(look.file()) {
                    owners.entry(name).or_default().push(place);
                }
            }
        }
        owners
    }

    fn is_patch(&self, file: &str) -> bool {
        self.patches.contains(file)
    }

    /// Plans the files: what turns out to be held back holds back what depends on it.
    fn parts(&self) -> Vec<Part> {
        let mut held = self.taken_names();
        loop {
            self.hold_along(&mut held);
            if self.hold_tied(&mut held) || self.hold_unlike(&mut held) {
                continue;
            }
            let attempt = self.attempt(&held);
            if attempt.refused.is_empty() {
                return attempt.parts;
            }
            held.extend(attempt.refused);
        }
    }

    fn is_held(&self, id: Id, held: &Held) -> bool {
        let blocked = self.converted[id.0][id.1].as_ref().is_some_and(|conversion| !conversion.blocks.is_empty());
        blocked || held.contains_key(&id)
    }

    fn attempt(&self, held: &Held) -> Attempt {
        let (fates, moves) = (self.fates(held), self.moves(held));
        let mut loosened = self.loosened(&moves);
        let mut attempt = Attempt::default();
        for (file, manifest) in self.manifests.iter().enumerate() {
            let mut findings = beside::pins(manifest, self.course.goal);
            findings.extend(mentions::findings(manifest, self.course));
            findings.extend(rights::findings(manifest, self.course));
            findings.extend(loosened.remove(&file).into_iter().flatten());
            let mut conversions = Vec::with_capacity(manifest.objects.len());
            for (at, object) in manifest.objects.iter().enumerate() {
                findings.extend(moves::findings(manifest, object, &self.course.moves));
                let this = (*manifest, object, &self.homes[file][at]);
                let conversion = self.converted[file][at].clone();
                let conversion = if self.is_held((file, at), held) {
                    findings.extend(self.left_behind(this, &fates));
                    conversion.map(|conversion| held_back(conversion, object))
                } else {
                    let conversion = self.with_its_base((file, at), conversion, held);
                    let made = self.with_references(this, conversion, &fates, &mut findings);
                    let made = selectors::follow(object, made, &moves, self.course);
                    findings.extend(selectors::astray(manifest, object, &moves, self.course));
                    findings.extend(self.course.dangling(manifest, object, made.as_ref()));
                    made
                };
                conversions.push(conversion);
            }
            match edit::edit(manifest, &conversions, self.course.goal.choices.front_end) {
                Ok(edited) => {
                    let (change, told) = edited.map(|edited| (edited.file, edited.findings)).unzip();
                    findings.extend(told.into_iter().flatten());
                    let part = self.course.part(manifest, conversions, &|at| held.get(&(file, at)).cloned());
                    attempt.parts.push(part.with(change, findings));
                }
                Err(refused) => attempt.refused.extend(refused.into_iter().map(|(at, finding)| ((file, at), finding))),
            }
        }
        attempt
    }

    /// Tells the references of an object that is held back to objects whose kind changes all the same.
    fn left_behind(
        &self,
        (manifest, object, from): (&Manifest, &Object, &Namespace),
        fates: &Fates<'_>,
    ) -> Vec<Finding> {
        let references = self.course.references(&object.kind, &object.value);
        let stays = |reference: &references::Reference| fates.staying(reference, from).is_some();
        let told = references.into_iter().filter(|reference| !stays(reference)).map(|reference| {
            let what = reference.name.as_deref().unwrap_or("objects");
            let kind = &reference.kind.kind;
            let message = format!(
                "{} names {kind} {what}, whose kind changes; the reference stays, its object being held back",
                reference.path
            );
            let remark = Remark { code: Code::ReferenceNotUpdated, path: reference.path, message, help: None };
            finding(manifest, object, &remark, Severity::Warning)
        });
        told.collect()
    }

    /// Lets the object's references follow their objects.
    fn with_references(
        &self,
        (manifest, object, from): (&Manifest, &Object, &Namespace),
        conversion: Option<Conversion>,
        fates: &Fates<'_>,
        findings: &mut Vec<Finding>,
    ) -> Option<Conversion> {
        let (kind, value) = conversion.as_ref().map_or((&object.kind, &object.value), |made| (&made.kind, &made.value));
        let references = self.course.references(kind, value);
        if references.is_empty() {
            return conversion;
        }
        // An object that leaves an API has no more to do with what stays there: the objects of no name are those that go along.
        let leaves = (kind.group != object.kind.group).then(|| object.kind.group.clone());
        let goes_along = |one: &references::Reference| one.name.is_none() && leaves.as_ref() == Some(&one.kind.group);
        let mut made = conversion.unwrap_or_else(|| Conversion::untouched(object));
        let mut session = crate::lens::Session::new(made.value.clone());
        for reference in references {
            if let Some(held) = fates.staying(&reference, from).filter(|_| !goes_along(&reference)) {
                let remark = fates.kept(reference, held, from, &self.course.retypes);
                findings.push(finding(manifest, object, &remark, Severity::Warning));
                continue;
            }
            match references::follow(&reference, &self.course.retypes, &mut session) {
                Ok(()) => {
                    let told = references::normalized(&reference, &self.course.retypes);
                    made.notes.extend(told.map(|message| Remark {
                        code: Code::Normalized,
                        path: reference.path.clone(),
                        message,
                        help: None,
                    }));
                }
                Err(halt) => made.blocks.extend(object::stuck(halt)),
            }
        }
        let (value, program, _) = session.finish();
        made.value = value;
        made.program.extend(program);
        Some(made)
    }
}

/// Returns the names and places of a file's objects that keep their kind and namespace.
fn owners_in(
    (manifest, homes): (&&Manifest, &Vec<Namespace>),
    made: &[Option<Conversion>],
) -> Vec<(ObjectName, Location)> {
    let stays = |object: &Object, made: &Option<Conversion>| {
        object.inset.is_none() && made.as_ref().is_none_or(|made| !made.renames(object))
    };
    let owners = manifest.objects.iter().zip(homes).zip(made).filter(|((object, _), made)| stays(object, made));
    let named = |object: &Object, home: &Namespace| (object.kind.clone(), home.clone(), object.name.clone());
    owners.map(|((object, home), _)| (named(object, home), manifest.locate(object, &FieldPath::default()))).collect()
}

/// Returns the objects of the files with a part that can be looked up, each with its file, in the order of the run.
fn standing<'a>(looks: &'a [Look<'a>]) -> impl Iterator<Item = (&'a str, &'a Standing)> {
    looks.iter().flat_map(|look| {
        let standing = match look {
            Look::Alone(part) => part.standing.as_slice(),
            Look::Open(_) => &[],
        };
        standing.iter().map(|one| (look.file(), one))
    })
}

/// Returns the folder that a file is in.
fn folder(file: &str) -> &str {
    file.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn neighbour<'v>((object, namespace): (&'v Object, &'v Namespace)) -> ObjectView<'v> {
    ObjectView { kind: &object.kind, namespace, name: object.name.as_deref(), value: &object.value }
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
        _ => severity,
    }
}

fn held_back(conversion: Conversion, object: &Object) -> Conversion {
    let Conversion { blocks, warnings, written_for, .. } = conversion;
    Conversion { blocks, warnings, written_for, ..Conversion::untouched(object) }
}

fn finding(manifest: &Manifest, object: &Object, remark: &Remark, severity: Severity) -> Finding {
    let title = object.title();
    // A remark can quote values, but what it says of a name quotes none of them.
    let (words, help) = match object.kind.kind.as_str() {
        "Secret" if !secret::is_name(&remark.path) && remark.code != Code::ConvertsTogether => {
            ("what is said of a Secret is not told, since it could show what it holds", None)
        }
        _ => (remark.message.as_str(), remark.help.clone()),
    };
    Finding {
        location: manifest.locate(object, &remark.path),
        code: remark.code,
        severity,
        field: (!remark.path.steps().is_empty()).then(|| remark.path.to_string()),
        message: format!("{title}: {words}"),
        object: Some(title),
        help,
    }
}

fn object_plan(
    location: Location,
    object: &Object,
    conversion: Conversion,
    (is_held, is_known): (bool, bool),
    record: Record,
) -> ObjectPlan {
    let outcome = match (is_held, conversion.program.is_empty()) {
        (true, _) => Outcome::HeldBack,
        (false, true) => Outcome::Unchanged,
        (false, false) => Outcome::Changed,
    };
    let version = conversion.value.get("apiVersion").and_then(Value::as_str).map(ApiVersion::parse);
    let data = match record {
        Record::Data => Some(Box::new(Sides { before: object.value.clone(), after: conversion.value })),
        Record::Outcomes => None,
    };
    ObjectPlan {
        location,
        title: object.title(),
        name: object.name.clone(),
        from: (object.kind.clone(), object.api_version.clone()),
        to: (conversion.kind, version.unwrap_or_else(|| object.api_version.clone())),
        outcome,
        is_recognised: is_known || outcome != Outcome::Unchanged,
        rules: conversion.rules,
        data,
    }
}
