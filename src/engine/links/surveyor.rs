//! What of a file goes into its survey?
//!
//! Invariant: a survey depends on the file and the packs alone, whatever the targets.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::ignored_paths;
use super::kustomize_selectors;
use super::selectors::ReadByKustomize;
use super::steps;
use super::survey::{Components, FileSelector, FileSurvey, InlinePatchSurvey, NamedVersion, Names, ObjectSurvey};
use crate::engine::convert::{Reference, each_named, find_declared, find_owners, reference_roots, walk};
use crate::engine::manifest::{Document, Manifest, Object, Selector, folder_at};
use crate::knowledge::pack::{Pack, Packs};
use crate::knowledge::release::{ApiVersion, GroupKind};
use crate::syntax::field::{Entries, FieldPath, PathRef};

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
            is_json_patch: object.read_from == Document::JsonPatch,
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
        let mut has_names = has_json_patches || object.read_from == Document::JsonPatch || !references.is_empty();
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
        names.versions.extend(references.into_iter().filter_map(|reference| named_version(reference, &read)));
        if !read.is_nothing() {
            has_names = true;
            let mut add = |at: &PathRef<'_>, map: &Map<String, Value>| {
                let path = at.path();
                if kustomize_selectors::is_selector(at, map) && read.has(&path) {
                    let folder = folder_at(carriers, object, &path);
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
        if has_json_patches || object.read_from == Document::JsonPatch {
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
            match map.text("path").filter(|path| path.ends_with("/apiVersion")).and(map.text("value")) {
                Some(version) => versions.push(ApiVersion::parse(version)),
                None => map.values().for_each(|value| add_written_versions(value, versions)),
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn named_version(reference: Reference<'_>, read: &ReadByKustomize) -> Option<NamedVersion> {
    let is_selector = !reference.has_api_version() && read.has(&reference.version_path()?);
    Some(NamedVersion { kind: reference.kind, version: reference.version?, is_selector })
}
