//! Which objects does Kustomize apply a patch or a replacement to, and in what order?
//!
//! A patch finds the object that it changes by apiVersion, kind and name, or by the `target` next to it, among all that the
//! kustomization naming it takes in; a component works on what the kustomizations with that component take in, Flux and Argo CD on
//! what is in a folder. A name may have the prefixes and suffixes that kustomizations add. Namespaces are compared where no
//! kustomization gives others.
//!
//! Invariant: an application is found wherever Kustomize may make it; where the files do not show whether it does, it is not certain.

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::file::File;
use super::kustomizations::{FolderReach, Graph};
use super::labels::KINDS;
use crate::convert::{reference_roots, walk};
use crate::field::{FieldPath, Step};
use crate::manifest::{InlinePatch, Kustomization, PatchFile, Selector, SelectorPart};
use crate::release::{ApiVersion, GroupKind};
use crate::yaml::{self, read_value};

/// An object's position: file of the run, and object in what is known of it.
pub(crate) type Position = (usize, usize);

/// A patch or replacement, and an object that it is applied to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Application {
    /// The file of the kustomization, or of the object that has a controller run Kustomize.
    pub(super) host: usize,
    /// The folder that such an object patches.
    pub(super) folder: Option<String>,
    /// Its turn among those of its host: the kind of list, the entry, the part of the entry.
    turn: (usize, usize, usize),
    pub(super) carrier: Carrier,
    pub(super) base: Position,
    /// Whether the files show that Kustomize makes it.
    pub(super) is_certain: bool,
    /// Whether it may be applied to other objects too, which are not known.
    pub(super) is_open: bool,
}

/// What is applied.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Carrier {
    /// The object that is the patch, or that holds it.
    pub(super) position: Position,
    /// Its place in that object; empty for a patch that is an object of its own.
    pub(super) place: FieldPath,
    pub(super) role: Role,
}

/// How a carrier is applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Role {
    /// It is merged into the object.
    Merge,
    /// Its operations are carried out.
    JsonPatch,
    /// It is applied, but not known: its file is not read.
    Unread,
    /// It is applied, and nothing is known of it: a transformer in a text, or a file that no run reads.
    Unknown,
    /// The target of a replacement: a value is written to it.
    Target(usize),
    /// The source of a replacement: its value is read.
    Source,
    /// The object of a variable: its value is read.
    Variable,
    /// A field that a transformer works on.
    Field,
    /// Its labels are written to selectors and templates.
    Labels,
}

/// What a patch finds its object by.
type Key<'a> = (&'a GroupKind, &'a ApiVersion, &'a str);

/// An object that is a patch or can be patched.
#[derive(Clone, Copy)]
struct Candidate<'a> {
    position: Position,
    key: Key<'a>,
    /// The namespace that is written in it, where it is known.
    namespace: Option<&'a str>,
    /// Whether it is a JSON patch.
    is_json: bool,
    /// What it becomes, where it is in a local file.
    becomes: Option<&'a (GroupKind, ApiVersion)>,
}

/// A carrier, before it is known what it is applied to.
struct Pending<'a> {
    host: usize,
    folder: Option<String>,
    turn: (usize, usize, usize),
    carrier: Carrier,
    /// What it selects; a strategic merge patch without one finds its object by its own name.
    target: Option<Selector>,
    /// What it does not select.
    rejected: Vec<Selector>,
    /// Whether labels narrow what it selects.
    has_labels: bool,
    own: Option<Candidate<'a>>,
}

/// Returns whether objects of a group or kind of this name are read wherever they are.
type KnownKinds<'k> = &'k dyn Fn(&str) -> bool;

/// The objects that can be patched, by name and by file.
#[derive(Default)]
struct Bases<'a> {
    by_key: BTreeMap<Key<'a>, Vec<Candidate<'a>>>,
    by_file: BTreeMap<&'a str, Vec<Candidate<'a>>>,
    /// The files all of whose objects are among them.
    known_files: BTreeSet<&'a str>,
    /// All files of the run.
    all_files: BTreeSet<&'a str>,
}

impl Application {
    /// Returns the files of the carrier and of the object.
    pub(crate) const fn files(&self) -> [usize; 2] {
        [self.carrier.position.0, self.base.0]
    }
}

/// What is applied in a run.
#[derive(Debug, Default)]
pub(crate) struct Applications {
    pub(crate) made: Vec<Application>,
    /// The files with objects that a selector may select once they are converted, and with what is applied to no known object.
    pub(crate) near: BTreeSet<usize>,
    /// What is applied to no known object of the run.
    pub(super) unmade: Vec<Unmade>,
}

impl Applications {
    /// Returns the JSON patches that are applied to objects that are not known too. A replacement has paths of its own for each target.
    pub(crate) fn elsewhere(&self) -> Vec<Carrier> {
        let is_shared = |one: &&Unmade| one.is_open && one.carrier.role == Role::JsonPatch;
        self.unmade.iter().filter(is_shared).map(|one| one.carrier.clone()).collect()
    }
}

/// Something that is applied to no known object of the run, but maybe to others.
#[derive(Debug)]
pub(super) struct Unmade {
    pub(super) carrier: Carrier,
    /// What it selects.
    pub(super) target: Option<Selector>,
    /// Whether a kustomization of the run applies it, and not what a controller runs.
    pub(super) is_built: bool,
    /// Whether it may be applied to objects that are not known.
    is_open: bool,
    /// Whether it may be applied to objects of known kinds that are not in the run.
    pub(super) is_unseen: bool,
}

/// Finds the patches and replacements among `files`, each with an object that it can be applied to, in the order of their hosts.
pub(crate) fn find(files: &[File<'_>], is_known_kind: KnownKinds<'_>) -> Applications {
    let numbers: BTreeMap<&str, usize> = files.iter().enumerate().map(|(number, file)| (file.name(), number)).collect();
    let hosts: Vec<usize> = (0..files.len()).filter(|number| is_host(files[*number])).collect();
    if hosts.is_empty() {
        return Applications::default();
    }
    let patches: BTreeSet<&str> = files.iter().flat_map(|file| file.patches()).map(|one| one.file.as_str()).collect();
    let mut bases = Bases { all_files: files.iter().map(|file| file.name()).collect(), ..Bases::default() };
    for (number, file) in files.iter().enumerate().filter(|(_, file)| !patches.contains(file.name())) {
        let is_known = match file {
            File::Local(local) => !local.has_others,
            File::Linked(manifest) => manifest.object_count() == manifest.objects.len(),
        };
        bases.known_files.extend(is_known.then_some(file.name()));
        let found: Vec<_> = objects(number, *file).filter(|(_, inline_patch)| inline_patch.is_none()).collect();
        for (base, _) in found {
            bases.by_key.entry(base.key).or_default().push(base);
            bases.by_file.entry(file.name()).or_default().push(base);
        }
    }
    let graph = Graph::of(files);
    let mut found = Applications::default();
    // What a transformer applies, the kustomizations do that name it.
    for host in hosts.into_iter().filter(|host| graph.users_of(files[*host].name()).is_empty()) {
        let reach = LazyCell::new(|| Reached::files(graph.reached(files[host].name()), &bases));
        for pending in pending(files, host, &numbers, &graph) {
            let folder = pending.folder.as_deref().map(|folder| graph.reach_of_folder(folder));
            let of_folder = folder.map(|folder| Reached::Folder(folder, &bases));
            let reach = match &of_folder {
                Some(of_folder) => of_folder,
                None if files[host].kustomization().is_some() => &reach,
                None => &Reached::Nothing,
            };
            let made = pending.applications((files, is_known_kind), &bases, &graph, reach);
            found.near.extend(pending.near(&graph, reach));
            // What Kustomize gets from elsewhere is not known.
            if made.is_empty() && reach.has_unknown() && pending.carrier.role != Role::Labels {
                let (carrier, target) = (pending.carrier.clone(), pending.target.clone());
                found.near.insert(carrier.position.0);
                let is_open = pending.is_open(is_known_kind, reach);
                let is_built = matches!(reach, Reached::Files { .. });
                let is_unseen = !is_built || reach.has_unseen();
                found.unmade.push(Unmade { carrier, target, is_built, is_open, is_unseen });
            }
            found.made.extend(made);
        }
    }
    found.made.sort();
    found.made.dedup();
    found
}

/// The files that a carrier is applied to.
enum Reached<'b, 'a, 'f> {
    Files {
        files: BTreeSet<&'a str>,
        /// Their objects, by name.
        by_name: BTreeMap<&'a str, Vec<&'b Candidate<'a>>>,
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
    fn files((files, has_more): (BTreeSet<&'a str>, bool), bases: &'b Bases<'a>) -> Self {
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
        Self::Files { files, by_name, has_unknown, has_unseen }
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
        match (self, target.name.as_ref().and_then(SelectorPart::plain)) {
            (Self::Files { by_name, .. }, Some(name)) => {
                let names = graph.names_before(name).into_iter();
                names.filter_map(|name| by_name.get(name)).flatten().copied().collect()
            }
            (Self::Files { by_name, .. }, None) => by_name.values().flatten().copied().collect(),
            (Self::Folder(folder, bases), _) => {
                let all = bases.by_file.iter().filter(|(file, _)| folder.has(file));
                all.flat_map(|(_, candidates)| candidates).collect()
            }
            (Self::Nothing, _) => Vec::new(),
        }
    }
}

impl Pending<'_> {
    fn new(host: usize, turn: (usize, usize, usize), carrier: Carrier, target: Option<Selector>) -> Self {
        let has_labels = target.as_ref().is_some_and(|target| target.has_labels);
        Self { host, folder: None, turn, carrier, target, rejected: Vec::new(), has_labels, own: None }
    }

    fn applications(
        &self,
        (files, is_known_kind): (&[File<'_>], KnownKinds<'_>),
        bases: &Bases<'_>,
        graph: &Graph<'_>,
        reach: &Reached<'_, '_, '_>,
    ) -> Vec<Application> {
        let gives_namespaces = graph.gives_namespaces();
        let found: Vec<&Candidate<'_>> = match (&self.target, &self.own) {
            (Some(target), _) => {
                let selects = |base: &&Candidate<'_>| self.selects(target, base, graph);
                reach.candidates(target, graph).into_iter().filter(selects).collect()
            }
            (None, Some(Candidate { key: (kind, version, own), .. })) => {
                let names = graph.names_before(own).into_iter().filter(|name| !name.is_empty());
                let named = names.filter_map(|name| bases.by_key.get(&(*kind, *version, name))).flatten();
                named.filter(|base| reach.has(files[base.position.0].name())).collect()
            }
            (None, None) => Vec::new(),
        };
        let wanted = |written: &str| match (&self.target, &self.own) {
            (Some(target), _) => target.namespace.as_ref().is_none_or(|part| part.is(written)),
            (None, own) => own.and_then(|own| own.namespace).is_none_or(|own| own == written),
        };
        let names_namespace = match (&self.target, &self.own) {
            (Some(target), _) => target.namespace.is_some(),
            (None, own) => own.is_some_and(|own| own.namespace.is_some()),
        };
        let may_be_near = |base: &&Candidate<'_>| gives_namespaces || base.namespace.is_none_or(wanted);
        let is_certain = !(self.has_labels || names_namespace && gives_namespaces);
        let is_open = self.is_open(is_known_kind, reach);
        let Self { host, folder, turn, carrier, .. } = self;
        let application = |base: &Candidate<'_>| Application {
            host: *host,
            folder: folder.clone(),
            turn: *turn,
            carrier: carrier.clone(),
            base: base.position,
            is_certain,
            is_open,
        };
        found.into_iter().filter(may_be_near).map(application).collect()
    }

    /// Returns whether it may be applied to objects that are not known.
    fn is_open(&self, is_known_kind: KnownKinds<'_>, reach: &Reached<'_, '_, '_>) -> bool {
        self.target.as_ref().is_some_and(|target| {
            let has_name = target.name.as_ref().is_some_and(|name| name.plain().is_some());
            !target.is_limited(is_known_kind) && reach.has_unknown() || !has_name && reach.has_unseen()
        })
    }

    /// Returns the files of the objects whose conversion can change whether they are selected.
    fn near(&self, graph: &Graph<'_>, reach: &Reached<'_, '_, '_>) -> Vec<usize> {
        let Some(target) = &self.target else { return Vec::new() };
        let changing = reach.candidates(target, graph).into_iter().filter_map(|base| Some((base, base.becomes?)));
        let may_select = |(base, new): &(&Candidate<'_>, &(GroupKind, ApiVersion))| {
            let old = (base.key.0, base.key.1);
            (old.0, old.1) != (&new.0, &new.1) && (target.selects_kind(old.0) || target.selects_kind(&new.0))
        };
        changing.filter(may_select).map(|(base, _)| base.position.0).collect()
    }

    fn selects(&self, target: &Selector, base: &Candidate<'_>, graph: &Graph<'_>) -> bool {
        let (kind, version, name) = base.key;
        let is_named = |part: &SelectorPart| graph.names_after(name).iter().any(|name| part.is(name));
        let matches =
            |selector: &Selector| selector.selects(kind, version) && selector.name.as_ref().is_none_or(is_named);
        matches(target) && !self.rejected.iter().any(matches)
    }
}

/// Returns the objects of the file with this number, each with the inline patch that it stands in; the name of one without a name is
/// empty.
fn objects<'a>(number: usize, file: File<'a>) -> impl Iterator<Item = (Candidate<'a>, Option<&'a InlinePatch>)> {
    let planned = file.planned().iter().enumerate().map(move |(at, plan)| {
        let key = (&plan.from.0, &plan.from.1, plan.name.as_deref().unwrap_or_default());
        (Candidate { position: (number, at), key, namespace: None, is_json: false, becomes: Some(&plan.to) }, None)
    });
    let manifest = file.manifest();
    let linked = manifest.into_iter().flat_map(|manifest| manifest.objects.iter().map(move |one| (manifest, one)));
    // A text with values is no patch.
    let linked = linked.enumerate().filter(|(_, (_, object))| !object.is_values() || object.inline_patch.is_none());
    planned.chain(linked.map(move |(at, (manifest, object))| {
        let key = (&object.kind, &object.api_version, object.name.as_deref().unwrap_or_default());
        let (namespace, is_json) = (object.namespace.as_deref(), object.is_json_patch());
        let inline_patch = object.inline_patch.map(|number| &manifest.inline_patches[number]);
        (Candidate { position: (number, at), key, namespace, is_json, becomes: None }, inline_patch)
    }))
}

/// Returns what the file with this number applies to objects, by itself and by the files that it names.
fn pending<'a>(
    files: &[File<'a>],
    host: usize,
    numbers: &BTreeMap<&str, usize>,
    graph: &Graph<'a>,
) -> Vec<Pending<'a>> {
    let mut found = patches(files, (host, host), numbers, graph);
    let Some(kustomization) = files[host].kustomization() else { return found };
    found.extend(field_specs(files, (host, host)));
    found.extend(inline_transformers(files[host], host));
    found.extend(labels(files[host], host, &kustomization.label_places));
    let mut unread = kustomization.unread.clone();
    let number = |name: &str| numbers.get(name).copied();
    for (index, path) in &kustomization.transformers {
        let named: Vec<Option<usize>> = graph.files_at(path).into_iter().map(number).collect();
        let is_builtin = |at: &Option<usize>| at.is_some_and(|at| files[at].transformer().is_some());
        if !named.iter().all(is_builtin) {
            unread.push(FieldPath::default().key("transformers").index(*index));
        }
        for transformer in named.into_iter().flatten() {
            let specs = field_specs(files, (host, transformer));
            let own = patches(files, (host, transformer), numbers, graph).into_iter().chain(specs);
            found.extend(own.map(|pending| Pending { turn: (TRANSFORMERS, *index, pending.turn.2), ..pending }));
        }
    }
    for (index, path) in &kustomization.configurations {
        match number(path) {
            Some(configuration) => found.extend(field_specs(files, (host, configuration))),
            None => unread.push(FieldPath::default().key("configurations").index(*index)),
        }
    }
    for (index, path) in &kustomization.replacements {
        let Some((number, manifest)) = number(path).and_then(|at| Some((at, files[at].manifest()?))) else {
            unread.push(FieldPath::default().key("replacements").index(*index));
            continue;
        };
        for (at, object) in manifest.objects.iter().enumerate().filter(|(_, one)| one.is_replacements()) {
            found.extend(replacements(host, (number, at), &object.value, &FieldPath::default(), *index));
        }
    }
    found.extend(unknown(files[host], host, &unread));
    found
}

/// Returns what the file `holder` holds and names, and `host` applies: patches, replacements and variables.
fn patches<'a>(
    files: &[File<'a>],
    (host, holder): (usize, usize),
    numbers: &BTreeMap<&str, usize>,
    graph: &Graph<'_>,
) -> Vec<Pending<'a>> {
    let file = files[holder];
    let mut found = Vec::new();
    for named in file.patches() {
        // Kustomize takes the paths of a transformer from the kustomization that names it.
        let name = Kustomization::beside(files[host].name(), &named.path);
        if name != named.file && host != holder {
            found.extend(elsewhere(file, (host, holder), named));
            continue;
        }
        let Some(number) = numbers.get(named.file.as_str()) else {
            found.extend(unread(file, (host, holder), named));
            continue;
        };
        if matches!(files[*number], File::Local(local) if local.has_others) {
            found.extend(unread(file, (host, holder), named));
        }
        let own = objects(*number, files[*number]).filter(|(_, inline_patch)| inline_patch.is_none());
        let target = named.target.as_ref();
        found.extend(own.map(|(own, _)| patch(host, own, turn(&named.place, own.position.1), None, target)));
    }
    found.extend(objects(holder, file).filter_map(|(own, inline_patch)| {
        let InlinePatch { place, folder, target, .. } = inline_patch?;
        Some(patch(host, own, turn(place, own.position.1), folder.clone(), target.as_ref()))
    }));
    let Some(manifest) = file.manifest() else { return found };
    // What components do is known by their own kustomizations.
    let unknown = manifest.data_patches.iter().filter(|data| !graph.knows_components(data));
    found.extend(unknown.filter_map(|data| {
        let (at, object) = manifest.holder(data.document, &data.place)?;
        let place = FieldPath::new(data.place.steps()[object.place.steps().len()..].iter().cloned());
        let role = if data.is_json { Role::JsonPatch } else { Role::Unknown };
        let carrier = Carrier { position: (holder, at), place: place.clone(), role };
        Some(Pending {
            folder: data.folder.clone(),
            ..Pending::new(host, turn(&place, 0), carrier, data.target.clone())
        })
    }));
    for (at, object) in manifest.objects.iter().enumerate().filter(|(_, one)| one.inline_patch.is_none()) {
        if manifest.kustomization.is_some() || object.is_builtin() {
            let list = FieldPath::default().key("replacements");
            found.extend(replacements(host, (holder, at), &object.value, &list, 0));
            found.extend(variables(host, (holder, at), &object.value));
        }
    }
    found
}

/// Returns what a transformer applies that names a file from another folder than its own: it is not looked up.
fn elsewhere<'a>(file: File<'a>, (host, holder): (usize, usize), named: &PatchFile) -> Option<Pending<'a>> {
    let at = file.manifest()?.objects.iter().position(|object| object.inline_patch.is_none())?;
    let target = named.target.clone().unwrap_or_else(|| Selector::of(&Map::new()));
    let carrier = Carrier { position: (holder, at), place: named.place.clone(), role: Role::Unknown };
    Some(Pending::new(host, (TRANSFORMERS, 0, 0), carrier, Some(target)))
}

/// Returns what a kustomization applies at these places, of which nothing is known.
fn unknown<'a>(file: File<'a>, host: usize, places: &[FieldPath]) -> Vec<Pending<'a>> {
    let objects = file.manifest().into_iter().flat_map(|manifest| &manifest.objects);
    let Some(at) = objects.into_iter().position(|object| object.inline_patch.is_none()) else { return Vec::new() };
    let pending = |place: &FieldPath| {
        let carrier = Carrier { position: (host, at), place: place.clone(), role: Role::Unknown };
        Pending::new(host, (TRANSFORMERS, 0, 0), carrier, Some(Selector::of(&Map::new())))
    };
    places.iter().map(pending).collect()
}

/// Returns the labels that a kustomization writes to the selectors and templates of objects.
fn labels<'a>(file: File<'a>, host: usize, places: &[FieldPath]) -> Vec<Pending<'a>> {
    let objects = file.manifest().into_iter().flat_map(|manifest| &manifest.objects);
    let Some(at) = objects.into_iter().position(|object| object.inline_patch.is_none()) else { return Vec::new() };
    let target = Selector::of(&Map::from_iter([("kind".to_owned(), Value::from(KINDS))]));
    let pending = |place: &FieldPath| {
        let carrier = Carrier { position: (host, at), place: place.clone(), role: Role::Labels };
        Pending::new(host, turn(place, 0), carrier, Some(target.clone()))
    };
    places.iter().map(pending).collect()
}

/// Returns a patch, which `host` applies.
fn patch<'a>(
    host: usize,
    own: Candidate<'a>,
    turn: (usize, usize, usize),
    folder: Option<String>,
    target: Option<&Selector>,
) -> Pending<'a> {
    let role = if own.is_json { Role::JsonPatch } else { Role::Merge };
    let carrier = Carrier { position: own.position, place: FieldPath::default(), role };
    Pending { folder, own: Some(own), ..Pending::new(host, turn, carrier, target.cloned()) }
}

/// Returns the fields that the transformers in the file `holder` work on.
fn field_specs<'a>(files: &[File<'a>], (host, holder): (usize, usize)) -> Vec<Pending<'a>> {
    let manifest = files[holder].manifest();
    let objects = manifest.into_iter().flat_map(|manifest| &manifest.objects).enumerate();
    let mut found = Vec::new();
    for (at, object) in objects.filter(|(_, object)| object.inline_patch.is_none()) {
        for (root, part) in reference_roots(&object.value) {
            walk(part, &root, &mut |place, map| {
                let path = map.get("path").and_then(Value::as_str);
                // Where Kustomize finds patches, it finds paths of files.
                let is_file = matches!(place.last_key(), Some("patches" | "patchesJson6902" | "replacements"));
                if path.is_none_or(|path| path.starts_with("metadata/") && !map.contains_key("version")) || is_file {
                    return;
                }
                let (place, target) = (place.path(), Some(Selector::of(map)));
                let carrier = Carrier { position: (holder, at), place, role: Role::Field };
                found.push(Pending::new(host, (FIELDS, at, found.len()), carrier, target));
            });
        }
    }
    found
}

/// Returns the transformers that are texts in a kustomization: what they do is not known.
fn inline_transformers<'a>(file: File<'a>, host: usize) -> Vec<Pending<'a>> {
    let Some(manifest) = file.manifest() else { return Vec::new() };
    let list = FieldPath::default().key("transformers");
    let mut found = Vec::new();
    for (at, object) in manifest.objects.iter().enumerate().filter(|(_, one)| one.inline_patch.is_none()) {
        let texts = list.get(&object.value).and_then(Value::as_array).into_iter().flatten().enumerate();
        for (index, text) in texts.filter_map(|(index, text)| Some((index, text.as_str()?))) {
            let target = unknown_target(text);
            let carrier = Carrier { position: (host, at), place: list.index(index), role: Role::Unknown };
            found.extend(target.map(|target| Pending::new(host, (TRANSFORMERS, index, 0), carrier, Some(target))));
        }
    }
    found
}

/// Returns what a transformer in a text can change: nothing known where it is none that works on fields of specifications.
fn unknown_target(text: &str) -> Option<Selector> {
    let tree = yaml::parse(text).ok()?;
    let value = read_value(&tree, text, tree.documents().first()?.root).ok()?;
    let is_builtin = value.get("apiVersion").and_then(Value::as_str) == Some("builtin");
    let kind = value.get("kind").and_then(Value::as_str)?;
    let works_on_fields = kind.contains("Patch") || kind.contains("Replacement") || text.contains("spec/");
    let target = value.get("target").and_then(Value::as_object).cloned().unwrap_or_default();
    (!is_builtin || works_on_fields).then(|| Selector::of(&target))
}

/// Returns the patch that a file names with a target, and whose file is not read.
fn unread<'a>(file: File<'a>, (host, holder): (usize, usize), named: &PatchFile) -> Option<Pending<'a>> {
    let target = named.target.clone()?;
    let at = file.manifest()?.objects.iter().position(|object| object.inline_patch.is_none())?;
    let carrier = Carrier { position: (holder, at), place: named.place.clone(), role: Role::Unread };
    Some(Pending::new(host, turn(&named.place, 0), carrier, Some(target)))
}

/// Returns the sources and targets of the replacements at `list` of an object.
fn replacements<'a>(
    host: usize,
    position: Position,
    object: &Value,
    list: &FieldPath,
    entry: usize,
) -> Vec<Pending<'a>> {
    let places = match list.get(object) {
        Some(Value::Array(items)) => (0..items.len()).map(|index| list.index(index)).collect(),
        Some(_) => vec![list.clone()],
        None => Vec::new(),
    };
    let mut found = Vec::new();
    for (number, place) in places.into_iter().enumerate() {
        let Some(replacement) = place.get(object) else { continue };
        let mut add = |selector: Option<&Value>, rejected: Vec<Selector>, role| {
            let Some(target) = selector.and_then(Value::as_object).map(Selector::of) else { return };
            let carrier = Carrier { position, place: place.clone(), role };
            let turn = (REPLACEMENTS, entry + number, 0);
            found.push(Pending { rejected, ..Pending::new(host, turn, carrier, Some(target)) });
        };
        add(replacement.get("source"), Vec::new(), Role::Source);
        let targets = replacement.get("targets").and_then(Value::as_array).into_iter().flatten();
        for (at, target) in targets.enumerate() {
            let rejected = target.get("reject").and_then(Value::as_array).into_iter().flatten();
            let rejected = rejected.filter_map(Value::as_object).map(Selector::of).collect();
            add(target.get("select"), rejected, Role::Target(at));
        }
    }
    found
}

/// Returns the objects whose fields variables read.
fn variables<'a>(host: usize, position: Position, kustomization: &Value) -> Vec<Pending<'a>> {
    let list = FieldPath::default().key("vars");
    let items = list.get(kustomization).and_then(Value::as_array).into_iter().flatten().enumerate();
    let variable = |(index, item): (usize, &Value)| {
        let target = Selector::of_reference(item.get("objref")?.as_object()?);
        let carrier = Carrier { position, place: list.index(index), role: Role::Variable };
        let (turn, rejected) = ((VARIABLES, index, 0), Vec::new());
        Some(Pending {
            host,
            folder: None,
            turn,
            carrier,
            target: Some(target),
            rejected,
            has_labels: false,
            own: None,
        })
    };
    items.filter_map(variable).collect()
}

/// The turns of what is not in a list of patches.
const FIELDS: usize = LISTS.len();
const REPLACEMENTS: usize = FIELDS + 1;
const TRANSFORMERS: usize = REPLACEMENTS + 1;
const VARIABLES: usize = TRANSFORMERS + 1;

/// The lists of patches and labels, in the order in which Kustomize applies them.
///
/// Source: Kustomize, the order of transformers in one kustomization.
const LISTS: [&str; 5] = ["patchesStrategicMerge", "patches", "labels", COMMON_LABELS, "patchesJson6902"];

/// What is no list, but has its turn among them.
const COMMON_LABELS: &str = "commonLabels";

/// Returns the turn of the patch at `place`, the `part`th object of its entry.
fn turn(place: &FieldPath, part: usize) -> (usize, usize, usize) {
    let mut turns = place.steps().windows(2).filter_map(|steps| match steps {
        [Step::Key(key), Step::Index(index)] => Some((LISTS.iter().position(|list| list == key)?, *index)),
        _ => None,
    });
    if place.to_string() == COMMON_LABELS {
        return (LISTS.iter().position(|list| *list == COMMON_LABELS).unwrap_or_default(), 0, part);
    }
    let (list, entry) = turns.next_back().unwrap_or_default();
    (list, entry, part)
}

/// Returns whether a file can apply anything to objects.
fn is_host(file: File<'_>) -> bool {
    let has_data_patches = file.manifest().is_some_and(|manifest| !manifest.data_patches.is_empty());
    let has_patches = !file.patches().is_empty() || file.has_inline_patches() || has_data_patches;
    has_patches || file.kustomization().is_some_and(|one| one.names_fields)
}
