//! Which objects does Kustomize apply a patch or a replacement to, and in what order?
//!
//! A patch finds the object that it changes by apiVersion, kind and name, or by the `target` next to it, among all that the
//! kustomization naming it takes in; a component works on what the kustomizations with that component take in, Flux and Argo CD on
//! what is in a folder. A name may have the prefixes and suffixes that kustomizations add. Namespaces are compared where no
//! kustomization gives others.
//!
//! Invariant: an application is found wherever Kustomize may make it; where the files do not show whether it does, it is not certain.

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde_json::Map;

use super::identity::{Identity, IdentityWrite, Part, Parts};
use super::kustomizations::{FolderReach, Graph};
use super::rewritten::{ByName, Rewritten};
use super::steps::{Role, Source, Step, TRANSFORMERS, Turn, turn};
use super::survey::{FileSurvey, ObjectSurvey};
use crate::engine::manifest::{Applied, Folder, Kustomization, PatchFile, PatchOptions, Selector, SelectorPart};
use crate::knowledge::lens::ObjectId;
use crate::knowledge::pack::crds::from_crds::CRD;
use crate::knowledge::release::{ApiVersion, GroupKind};
use crate::syntax::field::FieldPath;

/// A patch or replacement, and an object that it is applied to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Application {
    /// The file of the kustomization, or of the object that has a controller run Kustomize.
    pub(super) host: usize,
    /// The folder that such an object patches.
    pub(super) folder: Option<Folder>,
    turn: Turn,
    pub(super) instruction: InstructionRef,
    pub(super) base: ObjectId,
    /// Whether the files show that Kustomize makes it.
    pub(super) is_certain: bool,
    /// Whether it may be applied to other objects too, which are not known.
    pub(super) is_open: bool,
    pub(super) identity: Identity,
}

impl Application {
    /// Returns whether its turn comes before the kustomization gives prefixes, suffixes and a namespace.
    pub(super) fn is_before_names(&self) -> bool {
        self.turn.is_before_names()
    }
}

/// What is applied: a patch, or an instruction.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct InstructionRef {
    /// The object that is the patch, or that holds it.
    pub(super) position: ObjectId,
    /// Its place in that object; empty for a patch that is an object of its own.
    pub(super) place: FieldPath,
    pub(super) role: Role,
}

/// What a patch finds its object by.
type Key<'a> = (&'a GroupKind, &'a ApiVersion, &'a str);

/// An object that is a patch or can be patched.
#[derive(Clone, Copy)]
struct Candidate<'a> {
    position: ObjectId,
    key: Key<'a>,
    /// The namespace that is written in it.
    namespace: Option<&'a str>,
    /// Whether it is a JSON patch.
    is_json: bool,
}

impl<'a> Candidate<'a> {
    fn new(position: ObjectId, object: &'a ObjectSurvey) -> Self {
        let key = (&object.kind, &object.api_version, object.name.as_deref().unwrap_or_default());
        Self { position, key, namespace: object.namespace.as_deref(), is_json: object.json_patch.is_some() }
    }
}

/// An instruction, before it is known what it is applied to.
struct Pending<'a> {
    folder: Option<Folder>,
    turn: Turn,
    instruction: InstructionRef,
    /// What it selects; a strategic merge patch without one finds its object by its own name.
    target: Option<Selector>,
    /// What it does not select.
    rejected: Vec<Selector>,
    /// Whether labels narrow what it selects.
    has_labels: bool,
    own: Option<Candidate<'a>>,
    /// What it writes to the parts that objects are found by.
    writes: Vec<IdentityWrite>,
}

/// Returns whether objects of a group or kind of this name are read wherever they are.
type KnownKinds<'k> = &'k dyn Fn(&str) -> bool;

/// Returns whether objects of two kinds can get one kind.
type AreRelated<'k> = &'k dyn Fn(&GroupKind, &GroupKind) -> bool;

/// The objects that can be patched, by name and by file.
#[derive(Default)]
struct Bases<'a> {
    by_key: HashMap<Key<'a>, Vec<Candidate<'a>>>,
    /// The kinds and apiVersions of those of each name.
    by_name: HashMap<&'a str, BTreeSet<(&'a GroupKind, &'a ApiVersion)>>,
    by_file: BTreeMap<&'a str, Vec<Candidate<'a>>>,
    /// The files all of whose objects are among them.
    known_files: HashSet<&'a str>,
    /// All files of the run.
    all_files: HashSet<&'a str>,
}

/// What is applied in a run.
#[derive(Debug, Default)]
pub(crate) struct Applications {
    pub(crate) made: Vec<Application>,
    /// What is applied to no known object of the run.
    pub(super) unmade: Vec<Unmade>,
    pub(super) namesakes: BTreeSet<Namesake>,
}

/// A strategic merge patch, and an object of its name that only another apiVersion or kind keeps it from finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Namesake {
    pub(super) patch: ObjectId,
    pub(super) base: ObjectId,
}

/// Something that is applied to no known object of the run, but maybe to others.
#[derive(Clone, Debug)]
pub(crate) struct Unmade {
    pub(super) instruction: InstructionRef,
    /// What it selects.
    pub(super) target: Option<Selector>,
    /// Whether it may be applied to objects that are not known.
    pub(super) is_open: bool,
    /// Whether it may be applied to objects of known kinds that are not in the run.
    pub(super) is_unseen: bool,
}

/// Finds the patches and instructions among `files`, each with an object that it can be applied to, in the order of their hosts.
pub(super) fn find<'a>(
    files: &'a [FileSurvey],
    numbers: &HashMap<&str, usize>,
    graph: &Graph<'a>,
    is_known_kind: KnownKinds<'_>,
    is_converted: &dyn Fn(&GroupKind) -> bool,
    are_related: AreRelated<'_>,
) -> Applications {
    let mut applications = Applications::default();
    let hosts: Vec<usize> = (0..files.len()).filter(|number| files[*number].is_host()).collect();
    if hosts.is_empty() {
        return applications;
    }
    let bases = Bases::of(files, numbers, is_converted);
    let (rewritten, inner) = (Rewritten::new(), BTreeSet::new());
    let mut finder = Finder { files, numbers, graph, is_known_kind, are_related, bases, rewritten, inner };
    // What a transformer applies, the kustomizations do that name it.
    let hosts: Vec<usize> = hosts.into_iter().filter(|host| graph.users_of(&files[*host].file).is_empty()).collect();
    loop {
        hosts.iter().for_each(|host| finder.add_host(*host, &mut applications));
        finder.add_inner(&mut applications);
        // What is written to an object may be what something else finds it by.
        if !finder.learn(&applications.made) {
            break;
        }
        applications = Applications::default();
    }
    applications.made.sort();
    applications.made.dedup();
    applications
}

impl<'a> Bases<'a> {
    /// Collects the objects of all files but those that are named as patches.
    ///
    /// An object that is not converted and follows none is none of them: whether it is read depends on what its text mentions.
    fn of(files: &'a [FileSurvey], numbers: &HashMap<&str, usize>, is_converted: &dyn Fn(&GroupKind) -> bool) -> Self {
        let patches = files.iter().flat_map(|file| &file.rare().patches);
        let patches: HashSet<&str> = patches.map(|patch| patch.file.as_str()).collect();
        let all_files = files.iter().map(|file| file.file.as_str()).filter(|file| numbers.contains_key(file)).collect();
        let mut bases = Self { all_files, ..Self::default() };
        for (number, file) in files.iter().enumerate().filter(|(_, file)| !patches.contains(&*file.file)) {
            let mut has_others = file.has_others;
            let has_created = file.objects.iter().any(|object| object.is_created);
            // A file that tells Kustomize what to do holds nothing that it builds.
            for base in own_objects(number, file).filter(|_| file.kustomization.is_none()) {
                let object = &file.objects[base.position.at];
                if object.is_instruction || object.is_created {
                    continue;
                }
                // What names a known object follows it, what defines a known kind says which versions are served, and what has known
                // objects created holds them.
                let is_crd = !file.rare().crds.is_empty() && (&*object.kind.group, &*object.kind.kind) == CRD;
                if !object.is_values && !object.has_names && !has_created && !is_crd && !is_converted(&object.kind) {
                    has_others = true;
                    continue;
                }
                let (kind, version, name) = base.key;
                bases.by_key.entry(base.key).or_default().push(base);
                bases.by_name.entry(name).or_default().insert((kind, version));
                bases.by_file.entry(&file.file).or_default().push(base);
            }
            bases.known_files.extend((!has_others).then_some(&*file.file));
        }
        bases
    }
}

/// The files that an instruction is applied to.
enum Reached<'b, 'a, 'f> {
    Files {
        files: BTreeSet<&'a str>,
        /// Their objects, by name.
        by_name: BTreeMap<&'a str, Vec<&'b Candidate<'a>>>,
        /// Those of them that others write to.
        rewritten: ByName<'b>,
        /// Whether some of the files, or objects in them, are not known.
        has_unknown: bool,
        /// Whether what is in some of them is not read, and can be objects of known kinds.
        has_unseen: bool,
    },
    Folder(FolderReach<'a, 'f>, &'b Bases<'a>),
    /// What a chart renders is not in the run.
    Nothing,
}

impl<'b, 'a> Reached<'b, 'a, '_> {
    fn files(files: BTreeSet<&'a str>, has_more: bool, bases: &'b Bases<'a>, rewritten: ByName<'b>) -> Self {
        let mut by_name: BTreeMap<&str, Vec<&Candidate<'_>>> = BTreeMap::new();
        for base in files.iter().filter_map(|file| bases.by_file.get(*file)).flatten() {
            by_name.entry(base.key.2).or_default().push(base);
        }
        let has_unknown = has_more || files.iter().any(|file| !bases.known_files.contains(file));
        let is_unseen = |file: &&str| {
            let is_file = [".yaml", ".yml", ".json"].iter().any(|end| file.ends_with(end));
            (!is_file || file.starts_with("../")) && !bases.all_files.contains(file)
        };
        let has_unseen = has_more || files.iter().any(is_unseen);
        Self::Files { files, by_name, rewritten, has_unknown, has_unseen }
    }

    fn has(&self, file: &str) -> bool {
        match self {
            Self::Files { files, .. } => files.contains(file),
            Self::Folder(folder, _) => folder.has(file),
            Self::Nothing => false,
        }
    }

    /// Returns whether some of these files, or objects in them, are not known.
    const fn has_unknown(&self) -> bool {
        match self {
            Self::Files { has_unknown, .. } => *has_unknown,
            Self::Folder(..) | Self::Nothing => true,
        }
    }

    /// Returns whether some of them are not read, and can hold objects of known kinds.
    const fn has_unseen(&self) -> bool {
        match self {
            Self::Files { has_unseen, .. } => *has_unseen,
            Self::Folder(..) | Self::Nothing => false,
        }
    }

    /// Returns the objects of these files that `target` can select by their names.
    fn candidates(&self, target: &Selector, graph: &Graph<'_>) -> Vec<&'b Candidate<'a>> {
        match self {
            Self::Files { by_name, .. } => {
                graph.selected(target.name.as_ref(), by_name).into_iter().flatten().copied().collect()
            }
            Self::Folder(folder, bases) => {
                let all = bases.by_file.iter().filter(|(file, _)| folder.has(file));
                all.flat_map(|(_, candidates)| candidates).collect()
            }
            Self::Nothing => Vec::new(),
        }
    }
}

impl Pending<'_> {
    fn new(turn: Turn, instruction: InstructionRef, target: Option<Selector>) -> Self {
        let has_labels = target.as_ref().is_some_and(|target| target.has_labels);
        Self {
            folder: None,
            turn,
            instruction,
            target,
            rejected: Vec::new(),
            has_labels,
            own: None,
            writes: Vec::new(),
        }
    }

    fn of_step(holder: usize, step: &Step) -> Self {
        let instruction = InstructionRef {
            position: ObjectId { file: holder, at: step.object },
            place: step.place.clone(),
            role: step.role,
        };
        let (folder, rejected, writes) = (step.folder.clone(), step.rejected.clone(), step.identity.clone());
        Self { folder, rejected, writes, ..Self::new(step.turn, instruction, step.target.clone()) }
    }

    /// Returns whether the namespace that an object gives is one that it is applied to.
    fn wants_namespace(&self, written: &str) -> bool {
        match &self.target {
            Some(target) => target.namespace.as_ref().is_none_or(|part| part.is(written)),
            None => self.own.and_then(|own| own.namespace).is_none_or(|own| own == written),
        }
    }

    /// Returns whether it is only applied to objects of some namespace.
    fn names_namespace(&self) -> bool {
        match &self.target {
            Some(target) => target.namespace.is_some(),
            None => self.own.is_some_and(|own| own.namespace.is_some()),
        }
    }

    fn selects(&self, target: &Selector, base: &Candidate<'_>, graph: &Graph<'_>) -> bool {
        let (kind, version, name) = base.key;
        let is_named = |part: &SelectorPart| graph.names_after(name).iter().any(|name| part.is(name));
        let matches =
            |selector: &Selector| selector.selects(kind, version) && selector.name.as_ref().is_none_or(is_named);
        matches(target) && !self.rejected.iter().any(matches)
    }

    /// Returns the names that an object that it selects can have in its file; none where it can have any.
    fn names<'n>(&'n self, graph: &Graph<'_>) -> Option<BTreeSet<&'n str>> {
        let name = match (&self.target, &self.own) {
            (Some(target), _) => target.name.as_ref().and_then(SelectorPart::plain)?,
            (None, Some(own)) => own.key.2,
            (None, None) => return Some(BTreeSet::new()),
        };
        Some(graph.names_before(name))
    }

    /// Returns whether it may select an object to which these texts may have been written.
    fn may_select(&self, base: &Candidate<'_>, writes: &BTreeSet<IdentityWrite>, graph: &Graph<'_>) -> bool {
        let (kind, version, name) = base.key;
        let of = |part: Part, own: Option<&str>, is: &dyn Fn(&str) -> bool| {
            let written = writes.iter().filter(|write| write.part == part);
            own.is_some_and(is) || written.into_iter().any(|write| write.text.as_deref().is_none_or(is))
        };
        let own_version = version.to_string();
        match (&self.target, &self.own) {
            (Some(target), _) => {
                let is_named = |name: &str| {
                    target.name.as_ref().is_none_or(|part| graph.names_after(name).iter().any(|name| part.is(name)))
                };
                of(Part::Kind, Some(&kind.kind), &|kind| target.may_select(Some(kind), None))
                    && of(Part::ApiVersion, Some(&own_version), &|text| {
                        target.may_select(None, Some(&ApiVersion::parse(text)))
                    })
                    && of(Part::Name, Some(name), &is_named)
                    && of(Part::Namespace, base.namespace.or(Some("")), &|namespace| self.wants_namespace(namespace))
            }
            (None, Some(Candidate { key: (own_kind, api_version, own_name), .. })) => {
                let names = graph.names_before(own_name);
                of(Part::Kind, Some(&kind.kind), &|kind| kind == own_kind.kind)
                    && of(Part::ApiVersion, Some(&own_version), &|text| ApiVersion::parse(text) == **api_version)
                    && of(Part::Name, Some(name), &|name| names.contains(name))
                    && of(Part::Namespace, base.namespace.or(Some("")), &|namespace| self.wants_namespace(namespace))
            }
            (None, None) => false,
        }
    }

    /// Returns what it has to do with the parts that an object is found by.
    fn identity(&self, base: &Candidate<'_>, is_by_file: bool, graph: &Graph<'_>) -> Identity {
        let asks = match &self.target {
            Some(_) => self.target.iter().chain(&self.rejected).flat_map(asked).collect(),
            None => Parts::from([Part::Kind, Part::ApiVersion, Part::Name, Part::Namespace]),
        };
        let (kind, version, name) = base.key;
        let is_there = |write: &&IdentityWrite| match (write.part, write.text.as_deref()) {
            (_, None) => false,
            (Part::Kind, Some(text)) => text == kind.kind,
            (Part::ApiVersion, Some(text)) => ApiVersion::parse(text) == *version,
            // Where it has got a prefix or suffix, its first name is another one.
            (Part::Name, Some(text)) => text == name && graph.names_after(name).len() == 1,
            (Part::Namespace, Some(text)) => Some(text) == base.namespace,
        };
        let writes = self.writes.iter().filter(|write| !is_there(write)).cloned().collect();
        let is_forgotten = matches!(self.instruction.role, Role::Target(_));
        Identity { is_by_file, asks, can_reject: !self.rejected.is_empty(), writes, is_forgotten }
    }
}

/// Returns the parts that a selector asks for.
fn asked(selector: &Selector) -> impl Iterator<Item = Part> {
    let asks = [
        (Part::Kind, selector.gives_kind()),
        (Part::ApiVersion, selector.gives_version()),
        (Part::Name, selector.name.is_some()),
        (Part::Namespace, selector.namespace.is_some()),
    ];
    asks.into_iter().filter(|(_, is_given)| *is_given).map(|(part, _)| part)
}

/// Returns the objects in the own text of the file with this number.
fn own_objects(number: usize, file: &FileSurvey) -> impl Iterator<Item = Candidate<'_>> {
    let own = file.objects.iter().enumerate().filter(|(_, object)| object.inline_patch.is_none());
    own.map(move |(at, object)| Candidate::new(ObjectId { file: number, at }, object))
}

/// What finds out what is applied to which objects.
struct Finder<'h, 'a> {
    files: &'a [FileSurvey],
    numbers: &'h HashMap<&'h str, usize>,
    graph: &'h Graph<'a>,
    is_known_kind: KnownKinds<'h>,
    are_related: AreRelated<'h>,
    bases: Bases<'a>,
    rewritten: Rewritten,
    inner: BTreeSet<Inner>,
}

/// A patch inside a patch of an object that has a controller run Kustomize.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Inner {
    /// The file of that object, and a folder that it names.
    host: usize,
    folder: Folder,
    /// The file that it stands in.
    file: usize,
    number: InnerNumber,
}

/// What a patch inside a patch is found by in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum InnerNumber {
    /// The number of an object in an inline patch, which is converted.
    Object(usize),
    /// The number of a nested patch, which is not.
    Nested(usize),
}

impl<'a> Finder<'_, 'a> {
    /// Takes in what these applications write to the parts that objects are found by, and the patches inside them; returns whether any of
    /// it is new.
    fn learn(&mut self, made: &[Application]) -> bool {
        let mut is_new = false;
        for Application { instruction, base, identity, .. } in made {
            for write in &identity.writes {
                is_new |= self.rewritten.entry(*base).or_default().insert(write.clone());
            }
            let numbers = self.inside(instruction);
            for Applied { folder, .. } in self.files[base.file].rare().applied.iter().filter(|_| !numbers.is_empty()) {
                let (host, file) = (base.file, instruction.position.file);
                let inner = numbers.iter().map(|number| Inner { host, folder: folder.clone(), file, number: *number });
                let before = self.inner.len();
                self.inner.extend(inner);
                is_new |= self.inner.len() > before;
            }
        }
        is_new
    }

    /// Returns the patches that stand directly inside a patch.
    fn inside(&self, InstructionRef { position, place, role }: &InstructionRef) -> Vec<InnerNumber> {
        let file = &self.files[position.file];
        let nested = file.rare().nested.iter().enumerate().filter(|(_, nested)| match (nested.parent, role) {
            (None, Role::Merge | Role::JsonPatch | Role::Unknown) => {
                nested.object == position.at && nested.outermost == *place
            }
            (Some(parent), Role::Nested(number)) => parent == *number,
            _ => false,
        });
        let mut found: Vec<InnerNumber> = nested.map(|(number, _)| InnerNumber::Nested(number)).collect();
        if *role == Role::Merge && !file.rare().inline_patches.is_empty() {
            let is_held = |object: &ObjectSurvey| {
                object.is_inline_patch()
                    && file.inline_patch_of(object).is_some_and(|patch| patch.holder == Some(position.at))
            };
            let objects = file.objects.iter().enumerate().filter(|(_, object)| is_held(object));
            found.extend(objects.map(|(at, _)| InnerNumber::Object(at)));
        }
        found
    }

    /// Adds the patches inside patches.
    fn add_inner(&self, applications: &mut Applications) {
        for Inner { host, folder, file, number } in &self.inner {
            let survey = &self.files[*file];
            let pending = match *number {
                InnerNumber::Object(at) => {
                    let object = &survey.objects[at];
                    let own = Candidate::new(ObjectId { file: *file, at }, object);
                    let Some(inline) = survey.inline_patch_of(object) else { continue };
                    patch(own, turn(&inline.place, at), Some(folder.clone()), inline.target.as_ref())
                }
                InnerNumber::Nested(number) => {
                    let nested = &survey.rare().nested[number];
                    let position = ObjectId { file: *file, at: nested.object };
                    let instruction =
                        InstructionRef { position, place: nested.place.clone(), role: Role::Nested(number) };
                    let pending = Pending::new(Turn::default(), instruction, Some(nested.target.clone()));
                    Pending { folder: Some(folder.clone()), ..pending }
                }
            };
            self.add(*host, &pending, &Reached::Nothing, applications);
        }
    }

    /// Adds what the file with this number applies.
    fn add_host(&self, host: usize, applications: &mut Applications) {
        let file = &self.files[host];
        let reach = LazyCell::new(|| {
            let (reached, has_more) = self.graph.reached(&file.file);
            let mut rewritten = ByName::default();
            if !self.rewritten.is_empty() {
                let name = |id: ObjectId| self.files[id.file].objects[id.at].name.as_deref().unwrap_or_default();
                let numbers = reached.iter().filter_map(|file| self.number(file));
                numbers.for_each(|number| rewritten.add(&self.rewritten, number, name));
            }
            Reached::files(reached, has_more, &self.bases, rewritten)
        });
        for pending in self.pending(host) {
            match file.kustomization {
                Some(_) => self.add(host, &pending, &reach, applications),
                None => self.add(host, &pending, &Reached::Nothing, applications),
            }
        }
    }

    /// Adds what a host applies: to what is in the folder that it is for, else to what it is known to reach.
    fn add(&self, host: usize, pending: &Pending<'a>, known: &Reached<'_, 'a, '_>, applications: &mut Applications) {
        let folder = pending.folder.as_ref().map(|folder| self.graph.reach_of_folder(folder));
        let of_folder = folder.map(|folder| Reached::Folder(folder, &self.bases));
        let reach = of_folder.as_ref().unwrap_or(known);
        let is_open = self.is_open(pending, reach);
        let bases = self.bases_of(pending, reach);
        applications.namesakes.extend(self.namesakes(pending, reach));
        // What Kustomize gets from elsewhere is not known.
        if bases.is_empty() && reach.has_unknown() && pending.instruction.role != Role::Labels {
            let (instruction, target) = (pending.instruction.clone(), pending.target.clone());
            let is_unseen = !matches!(reach, Reached::Files { .. }) || reach.has_unseen();
            applications.unmade.push(Unmade { instruction, target, is_open, is_unseen });
        }
        let is_certain = !(pending.has_labels || pending.names_namespace() && self.graph.gives_namespaces());
        let rewritten = self.rewritten_bases(pending, reach, &bases);
        let by_file = bases.into_iter().map(|base| (*base, true));
        let selected = by_file.chain(rewritten.into_iter().map(|base| (base, false)));
        applications.made.extend(selected.map(|(base, is_by_file)| Application {
            host,
            folder: pending.folder.clone(),
            turn: pending.turn,
            instruction: pending.instruction.clone(),
            base: base.position,
            is_certain,
            is_open,
            identity: pending.identity(&base, is_by_file, self.graph),
        }));
    }

    /// Returns the objects that something may be applied to.
    fn bases_of<'b>(&'b self, pending: &Pending<'b>, reach: &Reached<'b, 'a, '_>) -> Vec<&'b Candidate<'a>> {
        let mut bases: Vec<&Candidate<'_>> = match (&pending.target, &pending.own) {
            (Some(target), _) => {
                let mut bases = reach.candidates(target, self.graph);
                bases.retain(|base| pending.selects(target, base, self.graph));
                bases
            }
            (None, Some(Candidate { key: (kind, version, own), .. })) => {
                let names = self.graph.names_before(own).into_iter().filter(|name| !name.is_empty());
                let named = names.filter_map(|name| self.bases.by_key.get(&(*kind, *version, name))).flatten();
                named.filter(|base| reach.has(&self.files[base.position.file].file)).collect()
            }
            (None, None) => Vec::new(),
        };
        let gives_namespaces = self.graph.gives_namespaces();
        let may_be_near = |written: &str| gives_namespaces || pending.wants_namespace(written);
        bases.retain(|base| base.namespace.is_none_or(may_be_near));
        bases
    }

    /// Returns the objects that only another apiVersion or kind keeps a patch from finding.
    fn namesakes(&self, pending: &Pending<'_>, reach: &Reached<'_, 'a, '_>) -> Vec<Namesake> {
        let Pending { target: None, own: Some(own), .. } = pending else { return Vec::new() };
        let (kind, version, name) = own.key;
        let is_near = |base: &&Candidate<'_>| {
            // Of the namespaces that an object had, a patch without one finds only that; to Kustomize, it is the one called `default`.
            let [wanted, written] = [own, *base].map(|one| one.namespace.filter(|name| *name != "default"));
            let is_found = wanted == written || wanted.is_some() && self.graph.gives_namespaces();
            is_found && reach.has(&self.files[base.position.file].file)
        };
        let mut found = Vec::new();
        for name in self.graph.names_before(name).into_iter().filter(|name| !name.is_empty()) {
            let keys = self.bases.by_name.get(name).into_iter().flatten();
            let others = keys.filter(|key| **key != (kind, version) && (self.are_related)(key.0, kind));
            let bases = others.flat_map(|(kind, version)| &self.bases.by_key[&(*kind, *version, name)]);
            found.extend(bases.filter(is_near).map(|base| Namesake { patch: own.position, base: base.position }));
        }
        found
    }

    /// Returns the objects that something may be applied to because of what others write to them, besides `bases`.
    fn rewritten_bases(
        &self,
        pending: &Pending<'_>,
        reach: &Reached<'_, '_, '_>,
        bases: &[&Candidate<'_>],
    ) -> Vec<Candidate<'a>> {
        let near: BTreeSet<ObjectId> = match reach {
            Reached::Files { rewritten, .. } => rewritten.find(pending.names(self.graph).as_ref()),
            Reached::Folder(folder, _) => {
                let positions = self.rewritten.keys().copied();
                positions.filter(|position| folder.has(&self.files[position.file].file)).collect()
            }
            Reached::Nothing => BTreeSet::new(),
        };
        let candidate = |id: ObjectId| Candidate::new(id, &self.files[id.file].objects[id.at]);
        let known: BTreeSet<ObjectId> = bases.iter().map(|base| base.position).collect();
        let near = near.difference(&known).copied().map(candidate);
        near.filter(|base| pending.may_select(base, &self.rewritten[&base.position], self.graph)).collect()
    }

    /// Returns whether something may be applied to objects that are not known.
    fn is_open(&self, pending: &Pending<'_>, reach: &Reached<'_, '_, '_>) -> bool {
        pending.target.as_ref().is_some_and(|target| {
            let has_name = target.name.as_ref().is_some_and(|name| name.plain().is_some());
            !target.is_limited(self.is_known_kind) && reach.has_unknown() || !has_name && reach.has_unseen()
        })
    }

    /// Returns what the file with this number applies to objects, by itself and by the files that it names.
    fn pending(&self, host: usize) -> Vec<Pending<'a>> {
        let mut found = self.patches(host, host);
        let Some(kustomization) = self.files[host].kustomization.as_deref() else { return found };
        found.extend(self.steps(host, Source::Fields));
        found.extend(self.steps(host, Source::Kustomization));
        let mut unread = kustomization.unread.clone();
        for (index, path) in &kustomization.transformers {
            let named: Vec<Option<usize>> =
                self.graph.files_at(path).into_iter().map(|name| self.number(name)).collect();
            let is_builtin = |at: &Option<usize>| at.is_some_and(|at| self.files[at].rare().transformer.is_some());
            if !named.iter().all(is_builtin) {
                unread.push(FieldPath::default().key("transformers").index(*index));
            }
            for transformer in named.into_iter().flatten() {
                let of_transformer = self.patches(host, transformer).into_iter();
                let of_transformer = of_transformer.chain(self.steps(transformer, Source::Fields));
                let turn = |turn: Turn| Turn { list: TRANSFORMERS, entry: *index, ..turn };
                found.extend(of_transformer.map(|pending| Pending { turn: turn(pending.turn), ..pending }));
            }
        }
        for (index, path) in &kustomization.configurations {
            match self.number(path) {
                Some(configuration) => found.extend(self.steps(configuration, Source::Fields)),
                None => unread.push(FieldPath::default().key("configurations").index(*index)),
            }
        }
        for (index, path) in &kustomization.replacements {
            let Some(number) = self.number(path) else {
                unread.push(FieldPath::default().key("replacements").index(*index));
                continue;
            };
            let turn = |turn: Turn| Turn { entry: turn.entry + *index, ..turn };
            let replacements = self.steps(number, Source::ReplacementFile);
            found.extend(replacements.map(|pending| Pending { turn: turn(pending.turn), ..pending }));
        }
        found.extend(self.unknown(host, &unread));
        found
    }

    fn number(&self, file: &str) -> Option<usize> {
        self.numbers.get(file).copied()
    }

    /// Returns the steps of one source in the file `holder`.
    fn steps(&self, holder: usize, source: Source) -> impl Iterator<Item = Pending<'a>> {
        let steps = self.files[holder].rare().steps.iter().filter(move |step| step.source == source);
        steps.map(move |step| Pending::of_step(holder, step))
    }

    /// Returns what the file `holder` holds and names, and `host` applies: patches, replacements and variables.
    fn patches(&self, host: usize, holder: usize) -> Vec<Pending<'a>> {
        let file = &self.files[holder];
        let mut found = Vec::new();
        for named in &file.rare().patches {
            // Kustomize takes the paths of a transformer from the kustomization that names it.
            let name = Kustomization::beside(&self.files[host].file, &named.path);
            if name != named.file && host != holder {
                found.extend(self.elsewhere(holder, named));
                continue;
            }
            let Some(number) = self.number(&named.file) else {
                found.extend(self.unread(holder, named));
                continue;
            };
            let own = own_objects(number, &self.files[number]);
            let target = named.target.as_ref();
            found.extend(own.map(|own| Pending {
                writes: self.written(&own, named.options),
                ..patch(own, turn(&named.place, own.position.at), None, target)
            }));
        }
        for (at, object) in file.objects.iter().enumerate() {
            // A text with values is no patch.
            let Some(inline) = file.inline_patch_of(object).filter(|_| object.is_inline_patch()) else { continue };
            let own = Candidate::new(ObjectId { file: holder, at }, object);
            let writes = self.written(&own, inline.options);
            let pending = patch(own, turn(&inline.place, at), inline.folder.clone(), inline.target.as_ref());
            found.push(Pending { writes, ..pending });
        }
        found.extend(self.steps(holder, Source::DataPatch));
        // What components do is known by their own kustomizations.
        let is_unknown =
            |one: &Pending<'_>| one.folder.as_ref().is_none_or(|folder| !self.graph.knows_components(folder));
        found.extend(self.steps(holder, Source::Components).filter(is_unknown));
        found.extend(self.steps(holder, Source::Own));
        found
    }

    /// Returns what a patch writes to the parts that objects are found by: a strategic merge patch only what its options allow.
    fn written(&self, patch: &Candidate<'_>, options: PatchOptions) -> Vec<IdentityWrite> {
        if let Some(writes) = &self.files[patch.position.file].objects[patch.position.at].json_patch {
            return writes.to_vec();
        }
        let (kind, _, name) = patch.key;
        let allowed =
            [(Part::Kind, &*kind.kind, options.allows_kind_change), (Part::Name, name, options.allows_name_change)];
        let writes = allowed.into_iter().filter(|(_, _, is_allowed)| *is_allowed);
        writes.map(|(part, text, _)| IdentityWrite { part, text: Some(text.to_owned()) }).collect()
    }

    /// Returns what a transformer applies that names a file from another folder than its own: it is not looked up.
    fn elsewhere(&self, holder: usize, named: &PatchFile) -> Option<Pending<'a>> {
        let at = self.files[holder].first_own()?;
        let target = named.target.clone().unwrap_or_else(|| Selector::of(&Map::new()));
        let instruction =
            InstructionRef { position: ObjectId { file: holder, at }, place: named.place.clone(), role: Role::Unknown };
        Some(Pending::new(Turn { list: TRANSFORMERS, ..Turn::default() }, instruction, Some(target)))
    }

    /// Returns what a kustomization applies at these places, of which nothing is known.
    fn unknown(&self, host: usize, places: &[FieldPath]) -> Vec<Pending<'a>> {
        let Some(at) = self.files[host].first_own() else { return Vec::new() };
        let pending = |place: &FieldPath| {
            let instruction =
                InstructionRef { position: ObjectId { file: host, at }, place: place.clone(), role: Role::Unknown };
            let turn = Turn { list: TRANSFORMERS, ..Turn::default() };
            Pending::new(turn, instruction, Some(Selector::of(&Map::new())))
        };
        places.iter().map(pending).collect()
    }

    /// Returns the patch that a file names with a target, and whose file is not read.
    fn unread(&self, holder: usize, named: &PatchFile) -> Option<Pending<'a>> {
        let target = named.target.clone()?;
        let at = self.files[holder].first_own()?;
        let instruction =
            InstructionRef { position: ObjectId { file: holder, at }, place: named.place.clone(), role: Role::Unread };
        Some(Pending::new(turn(&named.place, 0), instruction, Some(target)))
    }
}

/// Returns a patch, which `host` applies.
fn patch<'a>(own: Candidate<'a>, turn: Turn, folder: Option<Folder>, target: Option<&Selector>) -> Pending<'a> {
    let role = if own.is_json { Role::JsonPatch } else { Role::Merge };
    let instruction = InstructionRef { position: own.position, place: FieldPath::default(), role };
    Pending { folder, own: Some(own), ..Pending::new(turn, instruction, target.cloned()) }
}
