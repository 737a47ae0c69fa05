//! What does a file say that the rest of a run needs to know, before anything is converted?
//!
//! A [`FileSurvey`] is taken of every file as it is read, whatever the targets: they can follow from all files. It is small, since
//! the surveys of all files are kept; what else is in a file is read again when it is planned.
//!
//! Invariant: objects have the same numbers here as in their manifest.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::ignored_paths;
use super::kustomize_selectors;
use super::selectors::ReadByKustomize;
use super::steps::{self, Step};
use crate::convert::{Reference, each_named, find_declared, find_owners, reference_roots, walk};
use crate::field::{FieldPath, FieldPattern, PathRef};
use crate::finding::Location;
use crate::manifest::{InlinePatch, Kustomization, Manifest, Object, PatchFile, Selector, folder_at};
use crate::pack::{Pack, Packs};
use crate::release::{ApiVersion, GroupKind};
use crate::text::Position;
use crate::yaml::Style;

/// What is known of a file of a run.
#[derive(Debug)]
pub struct FileSurvey {
    /// The file as the user named it.
    pub(crate) file: String,
    pub(crate) objects: Vec<ObjectSurvey>,
    /// Whether it holds objects besides those, which are not read.
    pub(crate) has_others: bool,
    /// The texts of patches that it holds, by their numbers.
    pub(crate) inline_patches: Vec<InlinePatchSurvey>,
    /// The files that it names as patches.
    pub(crate) patches: Vec<PatchFile>,
    /// What it makes of other files, where it is a kustomization.
    pub(crate) kustomization: Option<Arc<Kustomization>>,
    /// What it does as a builtin transformer, where it is one.
    pub(crate) transformer: Option<Arc<Kustomization>>,
    /// What it applies to objects besides patches that are objects.
    pub(crate) steps: Vec<Step>,
    /// The components that its objects have controllers add to kustomizations.
    pub(crate) components: Vec<Components>,
    /// The folders that its objects have controllers apply, from the root of the repository.
    pub(crate) applied: Vec<String>,
    pub(crate) style: Style,
    /// What its objects name; nothing in most files.
    pub(crate) names: Option<Box<Names>>,
}

/// What is known of an object.
#[derive(Debug)]
pub(crate) struct ObjectSurvey {
    pub(crate) kind: GroupKind,
    pub(crate) api_version: ApiVersion,
    pub(crate) namespace: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) position: Option<Position>,
    /// The number of the inline patch that it stands in.
    pub(crate) inline_patch: Option<usize>,
    pub(crate) is_values: bool,
    pub(crate) is_json_patch: bool,
    /// Whether it may name other objects or their fields.
    pub(crate) has_names: bool,
}

/// What is known of the text of a patch in a file.
#[derive(Debug)]
pub(crate) struct InlinePatchSurvey {
    pub(crate) place: FieldPath,
    pub(crate) folder: Option<String>,
    pub(crate) target: Option<Selector>,
}

/// Components that a controller adds to the kustomizations in a folder.
#[derive(Debug)]
pub(crate) struct Components {
    pub(crate) folder: Option<String>,
    /// Each as the folder calls it: `../components/tls`.
    pub(crate) paths: Vec<String>,
}

/// What the objects of a file name, as far as it ties the file to others.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// The names of known kinds that mappings give.
    pub(crate) kinds: Vec<String>,
    /// Whether there are fields that a pack declares to name objects.
    pub(crate) has_declared: bool,
    /// What is named with its version.
    pub(crate) versions: Vec<NamedVersion>,
    /// The apiVersions that JSON patches write.
    pub(crate) written_versions: Vec<ApiVersion>,
    /// The selectors of Kustomize.
    pub(crate) selectors: Vec<FileSelector>,
    /// The fields that are not compared with the cluster, with what selects their objects.
    pub(crate) ignored_fields: Vec<(Selector, FieldPattern)>,
}

/// A kind that is named with its version.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NamedVersion {
    pub(crate) kind: GroupKind,
    pub(crate) version: String,
    /// Whether Kustomize compares the version exactly.
    pub(crate) is_selector: bool,
}

/// A selector of Kustomize, and the folder that it selects from where the file does not show that.
#[derive(Debug)]
pub(crate) struct FileSelector {
    pub(crate) selector: Selector,
    pub(crate) folder: Option<String>,
}

/// What takes surveys: the packs of a run, with the names of the kinds that they know.
#[derive(Debug)]
pub struct Surveyor<'p> {
    packs: &'p Packs,
    kinds: HashSet<&'p str>,
}

impl<'p> Surveyor<'p> {
    /// Makes the surveyor of a run with `packs`, of which the run can be about those that are `concerned`.
    pub fn new(packs: &'p Packs, concerned: &[&'p Pack]) -> Self {
        let kinds = concerned.iter().flat_map(|pack| pack.kinds().chain(pack.foreign_kinds()));
        Self { packs, kinds: kinds.map(|kind| kind.kind.as_str()).collect() }
    }

    /// Takes the survey of a file.
    pub fn survey(&self, manifest: &Manifest) -> FileSurvey {
        let mut names = Names::default();
        let has_json_patches = manifest.data_patches.iter().any(|patch| patch.is_json);
        let objects = manifest.objects.iter().map(|object| ObjectSurvey {
            kind: object.kind.clone(),
            api_version: object.api_version.clone(),
            namespace: object.namespace.clone(),
            name: object.name.clone(),
            position: manifest.locate(object, &FieldPath::default()).position,
            inline_patch: object.inline_patch,
            is_values: object.is_values(),
            is_json_patch: object.is_json_patch(),
            has_names: self.add_names(object, has_json_patches, &mut names),
        });
        let objects: Vec<ObjectSurvey> = objects.collect();
        let components = manifest.data_patches.iter().filter(|patch| !patch.components.is_empty());
        let components =
            components.map(|patch| Components { folder: patch.folder.clone(), paths: patch.components.clone() });
        names.versions.sort();
        names.versions.dedup();
        FileSurvey {
            file: manifest.file.clone(),
            has_others: manifest.object_count() != objects.len(),
            objects,
            inline_patches: manifest.inline_patches.iter().map(InlinePatchSurvey::of).collect(),
            patches: manifest.patches.clone(),
            kustomization: manifest.kustomization.clone(),
            transformer: manifest.transformer.clone(),
            steps: steps::of(manifest),
            components: components.collect(),
            applied: manifest.applied.clone(),
            style: manifest.style(),
            names: (!names.is_empty()).then(|| Box::new(names)),
        }
    }

    /// Adds what an object names; returns whether there is anything.
    fn add_names(&self, object: &Object, has_json_patches: bool, names: &mut Names) -> bool {
        let carriers = self.packs.carriers();
        let read = ReadByKustomize::of(object, carriers);
        let mut references: Vec<Reference<'_>> = find_owners(&object.value);
        let mut has_names = has_json_patches || object.is_json_patch() || !references.is_empty();
        each_named(&object.value, &mut |at, named| {
            if self.kinds.contains(named.kind) {
                has_names = true;
                if names.kinds.iter().all(|kind| kind != named.kind) {
                    names.kinds.push(named.kind.to_owned());
                }
                if named.version().is_some() {
                    references.extend(named.reference(at.path(), |_| None));
                }
            }
        });
        if self.declares_references_of(&object.kind) {
            (has_names, names.has_declared) = (true, true);
            let kinds = || self.packs.iter().flat_map(Pack::kinds);
            references.extend(find_declared(&object.value, self.packs, kinds));
        }
        names.versions.extend(references.into_iter().filter_map(|reference| NamedVersion::of(reference, &read)));
        if !read.is_nothing() {
            has_names = true;
            let mut add = |at: &PathRef<'_>, map: &Map<String, Value>| {
                let path = at.path();
                if kustomize_selectors::is_selector(at, map) && read.has(&path) {
                    let folder = folder_at(carriers, (&object.kind, &object.value), &path);
                    names.selectors.push(FileSelector { selector: Selector::of_reference(map), folder });
                }
            };
            for (place, part) in reference_roots(&object.value) {
                walk(part, &place, &mut add);
            }
        }
        let ignored = ignored_paths::ignored_fields(object, carriers);
        has_names |= !ignored.is_empty();
        names.ignored_fields.extend(ignored);
        if has_json_patches || object.is_json_patch() {
            add_written_versions(&object.value, &mut names.written_versions);
        }
        has_names
    }

    fn declares_references_of(&self, kind: &GroupKind) -> bool {
        self.packs.iter().any(|pack| pack.references().iter().any(|field| field.kinds.contains(kind)))
    }
}

/// Adds the apiVersions that operations of JSON patches in `value` write.
fn add_written_versions(value: &Value, versions: &mut Vec<ApiVersion>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| add_written_versions(item, versions)),
        Value::Object(map) => {
            let text = |key: &str| map.get(key).and_then(Value::as_str);
            match text("path").filter(|path| path.ends_with("/apiVersion")).and(text("value")) {
                Some(version) => versions.push(ApiVersion::parse(version)),
                None => map.values().for_each(|value| add_written_versions(value, versions)),
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

impl Names {
    const fn is_empty(&self) -> bool {
        let Self { kinds, has_declared, versions, written_versions, selectors, ignored_fields } = self;
        let has_versions = !versions.is_empty() || !written_versions.is_empty();
        kinds.is_empty() && !*has_declared && !has_versions && selectors.is_empty() && ignored_fields.is_empty()
    }
}

impl NamedVersion {
    fn of(reference: Reference<'_>, read: &ReadByKustomize) -> Option<Self> {
        let is_selector = !reference.has_api_version() && read.has(&reference.version_path()?);
        Some(Self { kind: reference.kind, version: reference.version?, is_selector })
    }
}

impl FileSurvey {
    /// Returns whether it may apply anything to objects.
    pub(crate) fn is_host(&self) -> bool {
        let names_fields = self.kustomization.as_ref().is_some_and(|own| own.names_fields);
        let has_patches = !self.patches.is_empty() || !self.inline_patches.is_empty() || !self.components.is_empty();
        has_patches || names_fields || self.steps.iter().any(Step::is_data_patch)
    }

    /// Returns the number of the first object in its own text.
    pub(crate) fn first_own(&self) -> Option<usize> {
        self.objects.iter().position(|object| object.inline_patch.is_none())
    }

    /// Returns the inline patch that an object stands in.
    pub(crate) fn inline_patch_of(&self, object: &ObjectSurvey) -> Option<&InlinePatchSurvey> {
        object.inline_patch.map(|number| &self.inline_patches[number])
    }

    /// Returns where an object starts.
    pub(crate) fn location(&self, object: usize) -> Location {
        Location { file: self.file.clone(), position: self.objects[object].position }
    }
}

impl ObjectSurvey {
    /// Returns whether it is a patch that stands in another object.
    pub(crate) const fn is_inline_patch(&self) -> bool {
        self.inline_patch.is_some() && !self.is_values
    }
}

impl InlinePatchSurvey {
    fn of(patch: &InlinePatch) -> Self {
        Self { place: patch.place.clone(), folder: patch.folder.clone(), target: patch.target.clone() }
    }
}
