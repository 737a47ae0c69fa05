//! Which objects are in the linked files of a run, in which namespace, and what did each become by itself?

use std::cell::OnceCell;
use std::collections::BTreeSet;

use serde_json::Value;

use super::applications::{Application, Applications, Position};
use super::builds;
use super::file::{File, IndexedObject};
use super::namespaces::Namespaces;
use crate::convert::{Conversion, ObjectContext, Remark, Targets, convert};
use crate::field::FieldPath;
use crate::finding::{Finding, Location, Severity};
use crate::lens::{Builds, Completeness, Context, Namespace, ObjectName, ObjectPlace, ObjectView};
use crate::manifest::{Manifest, Object};

/// The position of an object: linked file, and object in it.
pub(crate) type Id = (usize, usize);

/// The conversions of the objects of the linked files, in their order; `None` where no target is about an object.
pub(crate) type Conversions = Vec<Vec<Option<Conversion>>>;

/// The files of a run, with the objects of the linked ones.
pub(crate) struct Linked<'a> {
    pub(crate) targets: &'a Targets<'a>,
    pub(crate) files: &'a [File<'a>],
    pub(crate) namespaces: &'a Namespaces<'a>,
    /// The linked files, in the order of the run.
    pub(crate) manifests: Vec<&'a Manifest>,
    /// The number among the linked files of each file of the run that is one.
    numbers: Vec<Option<usize>>,
    /// The number in the run of each linked file.
    positions: Vec<usize>,
    builds: OnceCell<Builds>,
    /// The files that a kustomization of the run names as patches.
    patch_files: BTreeSet<&'a str>,
    /// The namespaces of the objects of the linked files.
    object_namespaces: Vec<Vec<Namespace>>,
    /// The namespaces of the objects that [`Linked::indexed`] returns.
    indexed_namespaces: Vec<Namespace>,
    /// What each object becomes by itself.
    pub(crate) conversions: Conversions,
}

impl<'a> Linked<'a> {
    /// Collects the linked ones among `files`, with nothing converted yet.
    pub(crate) fn new(targets: &'a Targets<'a>, files: &'a [File<'a>], namespaces: &'a Namespaces<'a>) -> Self {
        let manifests: Vec<&Manifest> = files.iter().filter_map(|file| file.manifest()).collect();
        let of_file = |manifest: &&Manifest| {
            let of_object = |object: &Object| namespaces.of(&manifest.file, &object.kind, object.namespace.as_deref());
            manifest.objects.iter().map(of_object).collect()
        };
        let of_indexed = |(file, one): (&str, &IndexedObject)| namespaces.of(file, &one.kind, one.namespace.as_deref());
        let mut count = 0;
        let number = |file: &File<'a>| {
            let is_linked = file.manifest().is_some();
            count += usize::from(is_linked);
            is_linked.then(|| count - 1)
        };
        Self {
            numbers: files.iter().map(number).collect(),
            positions: (0..files.len()).filter(|number| files[*number].manifest().is_some()).collect(),
            builds: OnceCell::new(),
            object_namespaces: manifests.iter().map(of_file).collect(),
            indexed_namespaces: indexed(files).map(of_indexed).collect(),
            patch_files: files.iter().flat_map(|file| file.patches()).map(|patch| patch.file.as_str()).collect(),
            conversions: Conversions::new(),
            targets,
            files,
            namespaces,
            manifests,
        }
    }

    /// Returns those of `applications` that are made to an object of a linked file, with that.
    pub(crate) fn applied(&self, applications: &Applications) -> Vec<(Application, Id)> {
        let made = applications.made.iter();
        made.filter_map(|application| Some((application.clone(), self.id(application.base)?))).collect()
    }

    /// Converts every object by itself, with what lenses see of the others.
    pub(crate) fn convert(&self, others: &Context<'_>) -> Conversions {
        let of_object = |id: Id| {
            let completeness = if self.is_patch(id) { Completeness::Partial } else { Completeness::Whole };
            let (namespace, place) = (self.namespace(id), self.place(id));
            convert(self.object(id), self.targets.goal, ObjectContext { completeness, namespace, place, others })
        };
        let of_file = |(file, manifest): (usize, &&Manifest)| {
            (0..manifest.objects.len()).map(|at| of_object((file, at))).collect()
        };
        self.manifests.iter().enumerate().map(of_file).collect()
    }

    /// Returns the namespace and the data of each object of a local file that others can look up.
    pub(crate) fn indexed_values(&self) -> Vec<(Namespace, Option<Value>)> {
        let values = indexed(self.files).map(|(_, one)| one.value());
        self.indexed_namespaces.iter().cloned().zip(values).collect()
    }

    /// Indexes the objects of the run as they stand in their files; patches are no objects of their own. `indexed` is what
    /// [`Linked::indexed_values`] returned.
    pub(crate) fn context<'v>(&'v self, indexed: &'v [(Namespace, Option<Value>)]) -> Context<'v> {
        let mut indexed = indexed.iter();
        let mut objects = Vec::new();
        for (number, file) in self.files.iter().enumerate() {
            let found: Vec<ObjectView<'v>> = match file {
                File::Local(local) => {
                    let all = local.indexed.iter().zip(&mut indexed).enumerate();
                    all.filter_map(|(at, (one, read))| one.object_view((&local.file, (number, at)), read)).collect()
                }
                File::Linked(manifest) => {
                    let ids = (0..manifest.objects.len()).filter_map(|at| self.id((number, at)));
                    ids.filter(|id| !self.is_patch(*id)).map(|id| self.view(id)).collect()
                }
            };
            if !self.is_patch_file(file.name()) {
                objects.extend(found);
            }
        }
        Context::new(objects, self.builds()).with_parameters(&self.targets.goal.choices.parameters)
    }

    /// Returns what the kustomizations of the run apply together.
    pub(crate) fn builds(&self) -> &Builds {
        self.builds.get_or_init(|| builds::find(self.files))
    }

    /// Returns what lenses see of an object.
    pub(crate) fn view(&self, id: Id) -> ObjectView<'_> {
        let object = self.object(id);
        let line = self.location(id).position.map(|position| position.line);
        let place = ObjectPlace { line, ..self.place(id) };
        let (namespace, name) = (self.namespace(id), object.name.as_deref());
        ObjectView { kind: &object.kind, namespace, name, value: &object.value, place }
    }

    /// Returns where an object is; a patch is found by no other object.
    pub(crate) fn place(&self, id: Id) -> ObjectPlace<'_> {
        let position = (!self.is_patch(id)).then(|| (self.positions[id.0], id.1));
        ObjectPlace { file: &self.manifest(id).file, line: None, id: position }
    }

    /// Returns whether an object is a patch.
    fn is_patch(&self, id: Id) -> bool {
        self.is_patch_file(&self.manifest(id).file) || self.object(id).is_inline_patch()
    }

    /// Returns the objects of the linked files, in the order of the run.
    pub(crate) fn objects(&self) -> impl Iterator<Item = (Id, &Manifest, &Object)> + Clone {
        self.manifests.iter().enumerate().flat_map(|(file, manifest)| {
            manifest.objects.iter().enumerate().map(move |(at, object)| ((file, at), *manifest, object))
        })
    }

    /// Returns the objects of local files that others can look up, each with its file and namespace, in the order of the run.
    pub(crate) fn indexed(&self) -> impl Iterator<Item = (&'a str, &'a IndexedObject, &Namespace)> {
        indexed(self.files).zip(&self.indexed_namespaces).map(|((file, one), namespace)| (file, one, namespace))
    }

    /// Returns the position of an object among those of the linked files.
    pub(super) fn id(&self, (file, at): Position) -> Option<Id> {
        Some((self.numbers[file]?, at))
    }

    /// Returns the manifest of an object.
    pub(crate) fn manifest(&self, id: Id) -> &'a Manifest {
        self.manifests[id.0]
    }

    /// Returns an object.
    pub(crate) fn object(&self, id: Id) -> &'a Object {
        &self.manifests[id.0].objects[id.1]
    }

    /// Returns the namespace of an object.
    pub(crate) fn namespace(&self, id: Id) -> &Namespace {
        &self.object_namespaces[id.0][id.1]
    }

    /// Returns what an object becomes by itself.
    pub(crate) fn conversion(&self, id: Id) -> Option<&Conversion> {
        self.conversions[id.0][id.1].as_ref()
    }

    /// Returns whether an object changes by itself.
    pub(crate) fn is_changed(&self, id: Id) -> bool {
        self.conversion(id).is_some_and(|made| !made.program.is_empty())
    }

    /// Returns where an object starts.
    pub(crate) fn location(&self, id: Id) -> Location {
        self.manifests[id.0].locate(self.object(id), &FieldPath::default())
    }

    /// Returns whether a kustomization of the run names a file as a patch.
    pub(crate) fn is_patch_file(&self, file: &str) -> bool {
        self.patch_files.contains(file)
    }

    /// Returns the kind, namespace and name of an object before the conversion.
    pub(crate) fn identity(&self, id: Id) -> ObjectName {
        let object = self.object(id);
        (object.kind.clone(), self.namespace(id).clone(), object.name.clone())
    }

    /// Reports something about an object.
    pub(crate) fn finding(&self, id: Id, remark: &Remark, severity: Severity) -> Finding {
        remark.finding(self.manifests[id.0], self.object(id), severity)
    }
}

/// Returns the objects of local files that others can look up, each with its file, in the order of the run.
fn indexed<'a>(files: &[File<'a>]) -> impl Iterator<Item = (&'a str, &'a IndexedObject)> {
    files.iter().flat_map(|file| file.indexed().iter().map(move |one| (file.name(), one)))
}
