//! Answers: what does one file add to the plan, and which files need no other one to know that?
//!
//! A [`Course`] is a goal with what follows from it for every file, worked out once. [`Course::look`] plans a file by itself and
//! gives its [`Part`]; where the objects of other files have a say in it, it gives nothing, and [`Course::conclude`] plans such
//! files together. Files can be looked at one by one as they are read, in any order and by several threads, and are not needed
//! any more then. A part may take for granted that no kustomization reaches its file; [`Course::overtaken`] tells, once all files
//! are known, which do so in vain: those are planned together with the others.
//!
//! Invariant: a part that is not overtaken is what the file adds to the plan whatever other files there are.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use super::advise::{self, Crossing};
use super::homes::Homes;
use super::mentions::Mentioned;
use super::object::Scene;
use super::references::{self, Retypes};
use super::{Conversion, FilePlan, Goal, ObjectPlan, Outcome, Plan, Run, adjust, finding, object, object_plan};
use super::{beside, edit, guest, loose, mentions, moves, patched, repair, rights, selectors};
use crate::field::FieldPath;
use crate::finding::{Finding, Location, Severity};
use crate::lens::{Completeness, Context, Direction, Namespace, ObjectName, ObjectView};
use crate::manifest::{Kustomization, Manifest, Object, PatchFile};
use crate::pack::Target;
use crate::release::GroupKind;
use crate::text::{Position, Span};
use crate::yaml;

/// A goal, and what follows from it for every file.
#[derive(Debug)]
pub struct Course<'g> {
    pub(super) goal: &'g Goal<'g>,
    pub(super) retypes: Retypes,
    pub(super) mentioned: Mentioned,
    crossings: Vec<Crossing<'g>>,
    pub(super) moves: Vec<moves::Crossing<'g>>,
    /// The kinds that objects are looked up in by others.
    sought: BTreeMap<GroupKind, Interest>,
}

/// What one file adds to the plan.
#[derive(Debug)]
pub struct Part {
    pub(super) file: String,
    pub(super) change: Option<FilePlan>,
    pub(super) objects: Vec<ObjectPlan>,
    findings: Vec<Finding>,
    seen_objects: usize,
    patches: Vec<PatchFile>,
    kustomization: Option<Arc<Kustomization>>,
    /// The advisories that objects of the file call for: whether the object is settled, and where it starts.
    advised: BTreeMap<usize, (bool, Option<Position>)>,
    /// What says values in the file and is not read there.
    unread: Vec<beside::Unread>,
    /// Where values are read in the file.
    reads: Vec<String>,
    pub(super) standing: Vec<Standing>,
    presumes: Option<Presumption>,
}

/// What a part takes for granted: that its file is no patch, and that these objects live where is written.
#[derive(Debug, Default)]
struct Presumption {
    homes: Vec<(GroupKind, Option<String>)>,
}

/// What others want to know of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Interest {
    /// Whether its name is taken.
    Name,
    /// What stands in it.
    Data,
}

/// An object that others can look up, as it stands in its file.
#[derive(Debug)]
pub(super) struct Standing {
    pub(super) kind: GroupKind,
    pub(super) namespace: Option<String>,
    pub(super) name: Option<String>,
    pub(super) position: Option<Position>,
    /// The text that its document stands in, where others can look into it and not only for its name.
    text: Option<(Arc<str>, Span)>,
    place: FieldPath,
}

impl Standing {
    fn new(manifest: &Manifest, object: &Object, interest: Interest) -> Self {
        let text = || (Arc::clone(&manifest.text), manifest.tree.documents()[object.document].span);
        Self {
            kind: object.kind.clone(),
            namespace: object.namespace.clone(),
            name: object.name.clone(),
            position: manifest.locate(object, &FieldPath::default()).position,
            text: (interest == Interest::Data).then(text),
            place: object.place.clone(),
        }
    }

    /// Returns the kind, namespace and name of the object, which lives in `home`.
    pub(super) fn called(&self, home: &Namespace) -> ObjectName {
        (self.kind.clone(), home.clone(), self.name.clone())
    }

    /// Returns where the object starts in `file`.
    pub(super) fn place(&self, file: &str) -> Location {
        Location { file: file.to_owned(), position: self.position }
    }

    /// Makes the neighbour that the object is to others, with where it lives and what [`Standing::value`] returned.
    pub(super) fn neighbour<'v>(
        (standing, (namespace, value)): (&'v Self, &'v (Namespace, Option<Value>)),
    ) -> Option<ObjectView<'v>> {
        let name = standing.name.as_deref();
        value.as_ref().map(|value| ObjectView { kind: &standing.kind, namespace, name, value })
    }

    /// Reads the object's data again, where others can look into it.
    pub(super) fn value(&self) -> Option<Value> {
        let (text, document) = self.text.as_ref()?;
        let text = document.of(text);
        let tree = yaml::parse(text).expect("the text of a document can be parsed alone");
        let value = tree.value(text, tree.documents()[0].root).expect("the object was read from this text before");
        Some(self.place.get(&value).expect("the object was read from this place before").clone())
    }
}

/// What is known of a file before the run is concluded.
#[derive(Debug)]
pub enum Look<'m> {
    /// What it adds to the plan.
    Alone(Box<Part>),
    /// Other files have a say in it.
    Open(&'m Manifest),
}

impl<'g> Course<'g> {
    /// Works out what follows from `goal`.
    pub fn new(goal: &'g Goal<'g>) -> Self {
        let retypes: Retypes = goal.targets.iter().flat_map(references::retypes).collect();
        let rules = goal.targets.iter().flat_map(|target| target.pack.rules());
        let lenses = rules.flat_map(|rule| [Direction::Forward, Direction::Backward].map(|way| rule.lens(way)));
        let names = retypes.values().map(|successor| (successor.kind().clone(), Interest::Name));
        let sought =
            names.chain(lenses.flat_map(crate::lens::Lens::kinds_read).map(|kind| (kind, Interest::Data))).collect();
        let origins = |target: &Target<'_>| goal.choices.origins.get(target.pack.name()).copied();
        let crossings = goal.targets.iter().flat_map(|target| advise::crossings(target, origins(target)));
        let (mentioned, moves) = (Mentioned::new(&retypes), moves::crossings(goal));
        Self { goal, retypes, mentioned, crossings: crossings.collect(), moves, sought }
    }

    /// Returns what the run wants.
    pub const fn goal(&self) -> &'g Goal<'g> {
        self.goal
    }

    /// Plans a file by itself; `None` where the objects of another file can have a say in it.
    pub fn look(&self, manifest: &Manifest) -> Option<Part> {
        if !manifest.insets.is_empty() {
            return None;
        }
        let mut presumes: Option<Presumption> = None;
        let mut conversions = Vec::with_capacity(manifest.objects.len());
        let mut findings = beside::pins(manifest, self.goal);
        findings.extend(mentions::findings(manifest, self));
        findings.extend(rights::findings(manifest, self));
        for object in &manifest.objects {
            let home = Namespace::from_written(object.namespace.as_deref());
            let surroundings = self.alone();
            let scene = Scene { completeness: Completeness::Whole, home: &home, surroundings: &surroundings };
            let made = self.convert(object, scene);
            if surroundings.depends_on_other_objects() || self.is_tied(object, made.as_ref()) {
                return None;
            }
            if surroundings.depends_on_kustomizations() {
                let homes = &mut presumes.get_or_insert_default().homes;
                homes.extend(
                    surroundings.depends_on_namespaces().then(|| (object.kind.clone(), object.namespace.clone())),
                );
            }
            findings.extend(moves::findings(manifest, object, &self.moves));
            findings.extend(self.dangling(manifest, object, made.as_ref()));
            conversions.push(made);
        }
        let edited = edit::edit(manifest, &conversions, self.goal.choices.front_end).ok()?;
        let change = edited.map(|edited| {
            findings.extend(edited.findings);
            edited.file
        });
        let mut part = self.part(manifest, conversions, &|_| None);
        part.change = change;
        part.findings.extend(findings);
        let standing = |object: &Object| Some(Standing::new(manifest, object, *self.sought.get(&object.kind)?));
        part.standing = manifest.objects.iter().filter_map(standing).collect();
        part.presumes = presumes;
        part.fit();
        Some(part)
    }

    /// Returns what there is to look at without any other object.
    pub(super) fn alone(&self) -> Context<'g> {
        Context::default().with_parameters(&self.goal.choices.parameters)
    }

    /// Converts `object` by itself, where a target is about it: its mistakes first, then by its own pack, then as a guest of
    /// others.
    pub(super) fn convert(&self, object: &Object, scene: Scene<'_>) -> Option<Conversion> {
        let goal = self.goal;
        let repaired = repair::repair(object, goal, scene);
        let meant = repaired.as_ref().map_or(object, |repaired| &repaired.object);
        let made = goal.target_of(&object.kind.group).map(|target| object::convert(meant, target, goal, scene));
        let mut made = guest::visit(meant, made, goal, scene);
        if made.is_none() && beside::can_hold_values(object, goal) {
            made = Some(Conversion::untouched(meant));
        }
        let offers = repair::offers(object, goal, scene);
        if !offers.is_empty() {
            made.get_or_insert_with(|| Conversion::untouched(object)).warnings.extend(offers);
        }
        match repaired {
            Some(repaired) => Some(repaired.before(object, made)),
            None => made,
        }
    }

    /// Says whether what becomes of `object` and of other objects depends on each other: its kind or namespace changes, or it names one
    /// whose kind does.
    fn is_tied(&self, object: &Object, made: Option<&Conversion>) -> bool {
        let (kind, value) = made.map_or((&object.kind, &object.value), |made| (&made.kind, &made.value));
        made.is_some_and(|made| made.renames(object))
            || self.retypes.contains_key(&object.kind)
            || selectors::selects(object, self)
            || loose::is_in(object, self)
            || !self.references(kind, value).is_empty()
    }

    /// Finds the references in `value`, an object of `kind`, that follow the objects they name.
    pub(super) fn references(&self, kind: &GroupKind, value: &Value) -> Vec<references::Reference> {
        let catalog = self.goal.packs.of_group(&kind.group).and_then(|pack| pack.catalog(kind));
        references::find(value, catalog, &self.retypes)
    }

    /// Makes the part of a file whose objects became `conversions`; `held` says why one is held back that its own conversion
    /// does not hold back.
    pub(super) fn part(
        &self,
        manifest: &Manifest,
        conversions: Vec<Option<Conversion>>,
        held: &dyn Fn(usize) -> Option<Finding>,
    ) -> Part {
        let mut part = Part {
            file: manifest.file.clone(),
            change: None,
            objects: Vec::with_capacity(manifest.objects.len()),
            findings: manifest.findings.clone(),
            seen_objects: manifest.seen_objects(),
            patches: manifest.patches.clone(),
            kustomization: manifest.kustomization.clone(),
            advised: BTreeMap::new(),
            unread: Vec::new(),
            reads: Vec::new(),
            standing: Vec::new(),
            presumes: None,
        };
        for (at, (object, conversion)) in manifest.objects.iter().zip(conversions).enumerate() {
            part.unread.extend(beside::unread(manifest, object, self.goal));
            if beside::holds_values(object, self.goal) {
                part.reads.extend(beside::reads(manifest, object));
            }
            if let Some(conversion) = conversion {
                self.tell(&mut part, (manifest, object), conversion, held(at));
            }
        }
        part
    }

    /// Adds what became of one object.
    fn tell(
        &self,
        part: &mut Part,
        (manifest, object): (&Manifest, &Object),
        conversion: Conversion,
        held: Option<Finding>,
    ) {
        let place = manifest.locate(object, &FieldPath::default());
        let told = conversion.blocks.iter().map(|remark| (remark, Severity::Held));
        let told = told.chain(conversion.warnings.iter().map(|remark| (remark, Severity::Warning)));
        let told = told.chain(conversion.lost.iter().map(|remark| (remark, Severity::Warning)));
        let told = told.chain(conversion.notes.iter().map(|remark| (remark, Severity::Note)));
        let before = part.findings.len();
        part.findings
            .extend(told.map(|(remark, severity)| finding(manifest, object, remark, adjust(remark.code, severity))));
        part.findings.extend(held);
        let is_held = part.findings[before..].iter().any(|finding| finding.severity >= Severity::Held);
        for (at, crossing) in self.crossings.iter().enumerate() {
            if !is_held && crossing.concerns(object, &conversion) {
                let found = (advise::is_settled(&conversion), place.position);
                let first = part.advised.entry(at).or_insert(found);
                if first.0 && !found.0 {
                    *first = found;
                }
            }
        }
        let pack = self.goal.packs.of_group(&object.kind.group);
        if pack.is_some_and(|pack| pack.catalog(&object.kind).is_none()) {
            return;
        }
        let record = self.goal.choices.record;
        let is_known = self.goal.target_of(&object.kind.group).is_some() || beside::holds_values(object, self.goal);
        part.objects.push(object_plan(place, object, conversion, (is_held, is_known), record));
    }

    /// Finds out where the objects of `looks` live.
    pub fn homes(&self, looks: &[Look<'_>]) -> Homes<'g> {
        Homes::among(looks, self.goal.packs)
    }

    /// Returns which of `looks` are parts that take for granted what a kustomization among them gainsays, or that hold a patch or
    /// what it is merged into.
    pub fn overtaken(&self, looks: &[Look<'_>], homes: &Homes<'_>) -> Vec<usize> {
        let patches: BTreeSet<&str> = looks.iter().flat_map(Look::patches).map(|patch| patch.file.as_str()).collect();
        let is_overtaken = |part: &Part| {
            part.presumes.as_ref().is_some_and(|presumption| {
                let stays = |(kind, written): &(GroupKind, Option<String>)| {
                    homes.of(&part.file, kind, written.as_deref()) == Namespace::from_written(written.as_deref())
                };
                patches.contains(part.file.as_str()) || !presumption.homes.iter().all(stays)
            })
        };
        let alone = looks.iter().enumerate().filter_map(|(at, look)| match look {
            Look::Alone(part) => Some((at, part)),
            Look::Open(_) => None,
        });
        let tied: BTreeSet<usize> = patched::ties(looks).into_iter().flatten().map(|(at, _)| at).collect();
        alone.filter(|(at, part)| tied.contains(at) || is_overtaken(part)).map(|(at, _)| at).collect()
    }

    /// Plans the files that others have a say in, and puts the parts of all files together, in the order of `looks`.
    pub fn conclude(&self, looks: Vec<Look<'_>>, homes: &Homes<'_>) -> Plan {
        let mut opened = Run::new(self, &looks, homes).parts().into_iter();
        let mut plan = Plan::default();
        let mut advised: BTreeMap<usize, (bool, Location)> = BTreeMap::new();
        let (mut unread, mut read) = (Vec::new(), BTreeSet::new());
        for look in looks {
            let part = match look {
                Look::Alone(part) => *part,
                Look::Open(_) => opened.next().expect("every open file has a part in the end"),
            };
            for (at, (is_settled, position)) in part.advised {
                let found = (is_settled, Location { file: part.file.clone(), position });
                let is_first = |(settled, place): &(bool, Location)| (found.0, &found.1.file) < (*settled, &place.file);
                if advised.get(&at).is_none_or(is_first) {
                    advised.insert(at, found);
                }
            }
            unread.extend(part.unread);
            read.extend(part.reads);
            plan.files.extend(part.change);
            plan.objects.extend(part.objects);
            plan.findings.extend(part.findings);
            plan.seen_objects += part.seen_objects;
        }
        let told = advised.into_iter().map(|(at, (is_settled, place))| self.crossings[at].finding(is_settled, place));
        plan.findings.extend(told);
        plan.findings.extend(unread.into_iter().filter_map(|unread| unread.told(&read)));
        plan.findings.sort();
        plan.findings.dedup();
        // What could have held values and stays was kept for what it can be merged with.
        plan.objects.retain(|object| object.is_recognised || object.outcome != Outcome::Unchanged);
        plan
    }
}

impl Part {
    /// Returns the file as the user named it.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Says whether the file's text is still needed: the part is likely to be overtaken, and does not have it.
    pub const fn needs_text(&self) -> bool {
        self.presumes.is_some() && self.change.is_none()
    }

    /// Returns the file's text, where it changes.
    pub fn text(&self) -> Option<&str> {
        self.change.as_ref().map(|change| &*change.before)
    }

    /// Gives back the room that was made for more: a run keeps the parts of all its files.
    fn fit(&mut self) {
        self.objects.shrink_to_fit();
        self.objects.iter_mut().for_each(|object| object.rules.shrink_to_fit());
        self.findings.shrink_to_fit();
        self.standing.shrink_to_fit();
    }

    /// Adds what was told about the file on the way.
    pub(super) fn with(mut self, change: Option<FilePlan>, findings: Vec<Finding>) -> Self {
        self.change = change;
        self.findings.extend(findings);
        self
    }
}

impl Look<'_> {
    /// Returns the files that this one names as patches.
    pub(super) fn patches(&self) -> &[PatchFile] {
        match self {
            Self::Alone(part) => &part.patches,
            Self::Open(manifest) => &manifest.patches,
        }
    }

    /// Says whether the file holds patches as text.
    pub(super) const fn has_insets(&self) -> bool {
        match self {
            Self::Alone(_) => false,
            Self::Open(manifest) => !manifest.insets.is_empty(),
        }
    }

    /// Returns what the file makes of others, where it is a kustomization.
    pub(super) fn kustomization(&self) -> Option<&Kustomization> {
        match self {
            Self::Alone(part) => part.kustomization.as_deref(),
            Self::Open(manifest) => manifest.kustomization.as_deref(),
        }
    }

    /// Returns what became of the objects, as far as that is known.
    pub(super) fn objects(&self) -> &[ObjectPlan] {
        match self {
            Self::Alone(part) => &part.objects,
            Self::Open(_) => &[],
        }
    }

    /// Returns the file as the user named it.
    pub(super) fn file(&self) -> &str {
        match self {
            Self::Alone(part) => &part.file,
            Self::Open(manifest) => &manifest.file,
        }
    }
}
