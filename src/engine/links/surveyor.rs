//! What of a file goes into its survey?
//!
//! Invariant: a survey depends on the file, the packs and the targets that are passed alone, not on other files.

use std::collections::HashSet;
use std::sync::OnceLock;

use memchr::memmem;
use serde_json::{Map, Value};

use super::identity;
use super::ignored_paths;
use super::kustomize_selectors;
use super::selectors::ReadByKustomize;
use super::steps;
use super::survey::{
    Components, CrdSurvey, FileSelector, FileSurvey, InlinePatchSurvey, NamedObject, Names, NestedSurvey, ObjectSurvey,
    RareParts,
};
use crate::engine::convert::{Reference, each_named, find_declared, find_owners, reference_roots, walk};
use crate::engine::manifest::{
    Document, Manifest, NestedPatch, Object, Outermost, Selector, TextSearch, folder_at, may_hold_rules,
    outermost_patches,
};
use crate::knowledge::carrier::Carried;
use crate::knowledge::lens::OpenParts;
use crate::knowledge::pack::{Pack, Packs, Target};
use crate::knowledge::release::{ApiVersion, GroupKind};
use crate::syntax::field::{Entries, FieldPath, PathRef};
use crate::syntax::variable::{OpenPlace, OpenText, open_places};

/// What takes surveys: the packs of a run, with the names of the kinds that they know.
#[derive(Debug)]
pub struct Surveyor<'p> {
    packs: &'p Packs,
    concerned: Vec<&'p Pack>,
    /// Those whose rules can run.
    converting: Vec<&'p Pack>,
    kinds: HashSet<&'p str>,
    /// Finds the texts without which a file holds nothing that is known; made when it is first used.
    known: OnceLock<TextSearch>,
}

impl<'p> Surveyor<'p> {
    /// Makes the surveyor of a run with `packs` to `targets`, or of one that files decide about: then it can be about any pack.
    pub fn new(packs: &'p Packs, targets: &[Target<'p>]) -> Self {
        let (concerned, converting): (Vec<&Pack>, Vec<&Pack>) = match targets {
            [] => (packs.iter().collect(), packs.iter().collect()),
            _ => (packs.concerned_by(targets), targets.iter().map(|target| target.pack).collect()),
        };
        let of_rules = converting.iter().flat_map(|pack| pack.foreign_kinds());
        let kinds = concerned.iter().flat_map(|pack| pack.kinds()).chain(of_rules);
        let kinds = kinds.map(|kind| kind.kind.as_str()).collect();
        Self { packs, concerned, converting, kinds, known: OnceLock::new() }
    }

    /// Takes the survey of a file.
    pub fn survey(&self, manifest: &Manifest) -> FileSurvey {
        let has_variables = memmem::find(manifest.text.as_bytes(), b"${").is_some();
        self.survey_with(manifest, |object| if has_variables { variables(&object.value) } else { None })
    }

    /// Takes the survey of a file; `open` says what of an object is not known.
    pub(crate) fn survey_with(
        &self,
        manifest: &Manifest,
        open: impl Fn(&Object) -> Option<Box<OpenParts>>,
    ) -> FileSurvey {
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
            is_created: object.is_created(),
            json_patch: (object.read_from == Document::JsonPatch)
                .then(|| identity::of_json_patch(&object.value).into_boxed_slice()),
            is_instruction: object.read_from.is_instruction(),
            has_names: self.add_names(object, has_json_patches, &mut names),
            open: open(object),
        });
        let objects: Vec<ObjectSurvey> = objects.collect();
        let components = manifest.data_patches.iter().filter(|patch| !patch.components.is_empty());
        let components =
            components.map(|patch| Components { folder: patch.folder.clone(), paths: patch.components.clone() });
        names.references.sort();
        names.references.dedup();
        names.references.shrink_to_fit();
        names.selectors.shrink_to_fit();
        let nested = nested(manifest);
        let is_unknown = names.are_selectors() && nested.is_empty() && self.is_unknown(manifest);
        let rare = RareParts {
            inline_patches: InlinePatchSurvey::all(manifest),
            nested,
            patches: manifest.patches.clone(),
            transformer: manifest.transformer.clone(),
            steps: steps::of(manifest),
            components: components.collect(),
            applied: manifest.applied.clone(),
            repositories: manifest.repositories.clone(),
            crds: CrdSurvey::all(manifest),
        };
        FileSurvey {
            file: manifest.file.clone(),
            has_others: manifest.object_count() != objects.len(),
            objects,
            kustomization: manifest.kustomization.clone(),
            rare: rare.boxed(),
            style: manifest.style(),
            names: (!names.is_empty()).then(|| Box::new(names)),
            is_unknown,
            chart: None,
        }
    }

    /// Adds what an object names; returns whether there is anything.
    fn add_names(&self, object: &Object, has_json_patches: bool, names: &mut Names) -> bool {
        let carriers = self.packs.carriers();
        let read = ReadByKustomize::of(object, carriers);
        let mut references: Vec<Reference<'_>> = find_owners(&object.value);
        each_named(&object.value, &mut |at, named| {
            if self.kinds.contains(named.kind) {
                references.extend(named.reference(at.path(), |_| Some(String::new())));
            }
        });
        let mut has_names = has_json_patches || object.read_from == Document::JsonPatch;
        if self.declares_references_of(&object.kind) {
            has_names = true;
            let kinds = || self.packs.iter().flat_map(Pack::kinds);
            references.extend(find_declared(&object.value, self.packs, kinds));
        }
        has_names |= !references.is_empty();
        references.retain(|reference| self.kinds.contains(reference.kind.kind.as_str()));
        names.references.extend(references.into_iter().map(|reference| named_object(reference, &read)));
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
        for Carried { carrier, around, .. } in carriers.in_object(&object.kind, &object.value) {
            let objects = carrier.values_from.iter().flat_map(|pattern| pattern.values(around));
            names.values.extend(objects.filter_map(Value::as_str).map(str::to_owned));
        }
        if has_json_patches || object.read_from == Document::JsonPatch {
            add_written_versions(&object.value, &mut names.written_versions);
        }
        has_names
    }

    /// Returns whether an object names another one that brings the chart of its values.
    fn brings_chart(&self, object: &Object) -> bool {
        let carried = self.packs.carriers().in_object(&object.kind, &object.value);
        let name = |one: &Carried<'_>| one.carrier.chart.brought_by.as_ref()?.text(one.around).map(str::to_owned);
        carried.iter().any(|one| name(one).is_some())
    }

    /// Returns whether nothing in a file can be converted or reported, of which nothing is applied to known objects, and whose objects name
    /// none.
    fn is_unknown(&self, manifest: &Manifest) -> bool {
        let is_known = |object: &Object| {
            let tells = object.read_from.is_instruction() && object.read_from != Document::JsonPatch;
            let is_of_kustomize = tells || object.is_builtin();
            is_of_kustomize
                || object.is_values()
                || self.concerned.iter().any(|pack| pack.groups().contains(&object.kind.group))
                || self.concerned.iter().flat_map(|pack| pack.files()).any(|file| file.kind == object.kind)
                || self.brings_chart(object)
        };
        let is_reported = !manifest.findings.is_empty() || !manifest.ignores.all().is_empty();
        let text = &*manifest.text;
        !is_reported
            && !manifest.objects.iter().any(is_known)
            && !may_hold_rules(text)
            && !self.known.get_or_init(|| self.known_texts()).is_in(text.as_bytes())
    }

    /// Makes the search for groups, kinds, charts, images and marks.
    fn known_texts(&self) -> TextSearch {
        let of_pack = |pack: &'p Pack| {
            let charts = pack.charts().iter().flat_map(|chart| [&chart.name, &chart.key]);
            let marks = pack.marks();
            let marks = marks.comments.iter().chain(&marks.repositories).chain(&marks.manifests);
            let names = pack.groups().iter().chain(pack.artifacts()).chain(marks);
            names.chain(charts).chain(pack.kinds().map(|kind| &kind.kind))
        };
        let texts = self.concerned.iter().flat_map(|pack| of_pack(pack)).cloned();
        let of_rules = self.converting.iter().flat_map(|pack| pack.named_rule_kinds()).map(|kind| kind.kind);
        let texts = texts.chain(of_rules).filter(|text| !text.is_empty());
        TextSearch::new(texts)
    }

    fn declares_references_of(&self, kind: &GroupKind) -> bool {
        self.packs.iter().any(|pack| pack.references().iter().any(|field| field.kinds.contains(kind)))
    }
}

/// Returns the patches inside the patches of a file.
fn nested(manifest: &Manifest) -> Vec<NestedSurvey> {
    let mut found: Vec<NestedSurvey> = Vec::new();
    for Outermost { object, place: outermost, inside } in outermost_patches(manifest) {
        let first = found.len();
        found.extend(inside.into_iter().map(|NestedPatch { place, parent, target, .. }| {
            let parent = parent.map(|parent| first + parent);
            NestedSurvey { object, outermost: outermost.clone(), parent, place, target }
        }));
    }
    found
}

/// Returns the values of an object that are variables, which can become mappings and lists; not those of its metadata.
fn variables(object: &Value) -> Option<Box<OpenParts>> {
    let is_outside = |path: &FieldPath| !path.starts_with(&FieldPath::default().key("metadata"));
    let is_one =
        |place: &OpenPlace<'_>| !place.is_key && OpenText::parse(place.text).is_some_and(|text| text.is_variable());
    let values = open_places(object).into_iter().filter(is_one).map(|place| place.path).filter(is_outside);
    let values: Vec<FieldPath> = values.collect();
    (!values.is_empty()).then(|| Box::new(OpenParts { values, ..OpenParts::default() }))
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

fn named_object(reference: Reference<'_>, read: &ReadByKustomize) -> NamedObject {
    let is_selector = !reference.has_api_version() && read.has(&reference.path);
    let group = (!reference.takes_default()).then_some(reference.kind.group);
    NamedObject { kind: reference.kind.kind, group, version: reference.version, name: reference.name, is_selector }
}
