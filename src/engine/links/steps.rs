//! What does a file apply to objects, besides patches that are objects: which replacements, variables, field specifications, JSON patches?
//!
//! Invariant: the steps of a file follow from the file alone; what they are applied to shows once all files are known.

use serde_json::{Map, Value};

use super::identity::{self, IdentityWrite};
use super::labels::KINDS;
use crate::engine::convert::{reference_roots, walk};
use crate::engine::manifest::{DataPatch, Document, Folder, Manifest, Object, Selector};
use crate::syntax::field::{Entries, FieldPath, Step as PathStep};
use crate::syntax::yaml::{self, read_value};

/// How something is applied to an object.
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
    /// It stands inside a patch, with this number in its file, and is not known.
    Nested(usize),
    /// The source of a replacement: its value is read.
    Source,
    /// The target of a replacement: a value is written to it.
    Target(usize),
    /// The object of a variable: its value is read.
    Variable,
    /// A field that a transformer works on.
    Field,
    /// Its labels are written to selectors and templates.
    Labels,
}

/// The turn of a step among those of its host: the kind of list, the entry, the part of the entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Turn {
    pub(super) list: usize,
    pub(super) entry: usize,
    pub(super) part: usize,
}

impl Turn {
    /// Returns whether it comes before the kustomization gives prefixes, suffixes and a namespace.
    pub(super) fn is_before_names(self) -> bool {
        LISTS.get(self.list).is_some_and(|list| ["patchesStrategicMerge", "patches"].contains(list))
    }
}

/// Something that is applied to objects, as its file shows it.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(super) source: Source,
    /// The number of the object that it stands in.
    pub(super) object: usize,
    /// Its place in that object.
    pub(super) place: FieldPath,
    pub(super) role: Role,
    pub(super) turn: Turn,
    /// The folder that it is for, where an object has a controller apply it.
    pub(super) folder: Option<Folder>,
    /// What it selects.
    pub(super) target: Option<Selector>,
    /// What it does not select.
    pub(super) rejected: Vec<Selector>,
    /// What it writes to the parts that objects are found by.
    pub(super) identity: Vec<IdentityWrite>,
}

/// What a step stands in, which decides who applies it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A patch that is written as data.
    DataPatch,
    /// The components that a controller adds.
    Components,
    /// The replacements and variables of a kustomization or a builtin transformer.
    Own,
    /// A file of replacements.
    ReplacementFile,
    /// Fields that transformers work on.
    Fields,
    /// Labels and transformers in a kustomization itself.
    Kustomization,
}

impl Step {
    fn new(source: Source, object: usize, place: FieldPath, role: Role, turn: Turn, target: Option<Selector>) -> Self {
        Self { source, object, place, role, turn, folder: None, target, rejected: Vec::new(), identity: Vec::new() }
    }

    /// Returns whether it is a patch that is written as data.
    pub(crate) fn is_data_patch(&self) -> bool {
        self.source == Source::DataPatch
    }
}

/// Finds the steps of a file.
pub(super) fn of(manifest: &Manifest) -> Vec<Step> {
    let mut steps = data_patches(manifest);
    let is_kustomization = manifest.kustomization.is_some();
    for (at, object) in manifest.objects.iter().enumerate().filter(|(_, object)| object.inline_patch.is_none()) {
        if is_kustomization || object.is_builtin() {
            add_replacements(Source::Own, at, &object.value, &FieldPath::default().key("replacements"), &mut steps);
            add_variables(at, &object.value, &mut steps);
        }
        if object.read_from == Document::Replacements {
            add_replacements(Source::ReplacementFile, at, &object.value, &FieldPath::default(), &mut steps);
        }
        if is_kustomization || object.is_builtin() || object.read_from.is_instruction() {
            add_fields(at, object, &mut steps);
        }
        if is_kustomization {
            add_inline_transformers(at, &object.value, &mut steps);
        }
    }
    if let Some(kustomization) = &manifest.kustomization
        && let Some(at) = manifest.objects.iter().position(|object| object.inline_patch.is_none())
    {
        let target = Selector::of(&Map::from_iter([("kind".to_owned(), Value::from(KINDS))]));
        let labels = kustomization.label_places.iter().map(|place| {
            Step::new(Source::Kustomization, at, place.clone(), Role::Labels, turn(place, 0), Some(target.clone()))
        });
        steps.extend(labels);
    }
    steps
}

/// Returns the patches that are written as data, and the components that controllers add.
fn data_patches(manifest: &Manifest) -> Vec<Step> {
    let step = |data: &DataPatch| {
        let (at, object) = manifest.holder(data.document, &data.place)?;
        let place = object.path_of(data.document, &data.place)?;
        let role = if data.is_json { Role::JsonPatch } else { Role::Unknown };
        let source = if data.components.is_empty() { Source::DataPatch } else { Source::Components };
        let turn = turn(&place, 0);
        let patch = place.get(&object.value).filter(|_| data.is_json);
        let identity = patch.map(identity::of_json_patch).unwrap_or_default();
        Some(Step {
            folder: data.folder.clone(),
            identity,
            ..Step::new(source, at, place, role, turn, data.target.clone())
        })
    };
    manifest.data_patches.iter().filter_map(step).collect()
}

/// Adds the fields that the transformers in an object work on.
fn add_fields(at: usize, object: &Object, steps: &mut Vec<Step>) {
    let mut number = 0;
    for (root, part) in reference_roots(&object.value) {
        walk(part, &root, &mut |place, map| {
            let path = map.text("path");
            // Where Kustomize finds patches, it finds paths of files.
            let is_file = matches!(place.last_key(), Some("patches" | "patchesJson6902" | "replacements"));
            if path.is_none_or(|path| path.starts_with("metadata/") && !map.contains_key("version")) || is_file {
                return;
            }
            let turn = Turn { list: FIELDS, entry: at, part: number };
            number += 1;
            steps.push(Step::new(Source::Fields, at, place.path(), Role::Field, turn, Some(Selector::of(map))));
        });
    }
}

/// Adds the transformers that are texts in a kustomization: what they do is not known.
fn add_inline_transformers(at: usize, kustomization: &Value, steps: &mut Vec<Step>) {
    let list = FieldPath::default().key("transformers");
    let texts = list.items(kustomization).iter().enumerate();
    for (index, text) in texts.filter_map(|(index, text)| Some((index, text.as_str()?))) {
        let turn = Turn { list: TRANSFORMERS, entry: index, part: 0 };
        let step = |target| Step::new(Source::Kustomization, at, list.index(index), Role::Unknown, turn, Some(target));
        steps.extend(unknown_target(text).map(step));
    }
}

/// Returns what a transformer in a text can change: nothing known where it is none that works on fields of specifications.
fn unknown_target(text: &str) -> Option<Selector> {
    let tree = yaml::parse(text).ok()?;
    let value = read_value(&tree, text, tree.documents().first()?.root).ok()?;
    let is_builtin = value.text("apiVersion") == Some("builtin");
    let kind = value.text("kind")?;
    let works_on_fields = kind.contains("Patch") || kind.contains("Replacement") || text.contains("spec/");
    let target = value.get("target").and_then(Value::as_object).cloned().unwrap_or_default();
    (!is_builtin || works_on_fields).then(|| Selector::of(&target))
}

/// Adds the sources and targets of the replacements at `list` of an object.
fn add_replacements(source: Source, at: usize, object: &Value, list: &FieldPath, steps: &mut Vec<Step>) {
    let places = match list.get(object) {
        Some(Value::Array(items)) => (0..items.len()).map(|index| list.index(index)).collect(),
        Some(_) => vec![list.clone()],
        None => Vec::new(),
    };
    for (number, place) in places.into_iter().enumerate() {
        let Some(replacement) = place.get(object) else { continue };
        let mut add = |selector: Option<&Value>, rejected: Vec<Selector>, role, identity| {
            let Some(target) = selector.and_then(Value::as_object).map(Selector::of) else { return };
            let turn = Turn { list: REPLACEMENTS, entry: number, part: 0 };
            steps.push(Step { rejected, identity, ..Step::new(source, at, place.clone(), role, turn, Some(target)) });
        };
        add(replacement.get("source"), Vec::new(), Role::Source, Vec::new());
        let targets = replacement.items("targets").iter();
        for (number, target) in targets.enumerate() {
            let rejected = target.items("reject").iter();
            let rejected = rejected.filter_map(Value::as_object).map(Selector::of).collect();
            add(target.get("select"), rejected, Role::Target(number), identity::of_replacement(target));
        }
    }
}

/// Adds the variables of a kustomization, which read fields of objects.
fn add_variables(at: usize, kustomization: &Value, steps: &mut Vec<Step>) {
    let list = FieldPath::default().key("vars");
    let items = list.items(kustomization).iter().enumerate();
    for (index, item) in items {
        let Some(reference) = item.get("objref").and_then(Value::as_object) else { continue };
        let (turn, target) = (Turn { list: VARIABLES, entry: index, part: 0 }, Selector::of_reference(reference));
        steps.push(Step::new(Source::Own, at, list.index(index), Role::Variable, turn, Some(target)));
    }
}

/// The turns of what is not in a list of patches.
pub(super) const FIELDS: usize = LISTS.len();
const REPLACEMENTS: usize = FIELDS + 1;
pub(super) const TRANSFORMERS: usize = REPLACEMENTS + 1;
const VARIABLES: usize = TRANSFORMERS + 1;

/// The lists of patches and labels, in the order in which Kustomize applies them.
///
/// Source: Kustomize, the order of transformers in one kustomization.
const LISTS: [&str; 5] = ["patchesStrategicMerge", "patches", "labels", COMMON_LABELS, "patchesJson6902"];

/// What is no list, but has its turn among them.
const COMMON_LABELS: &str = "commonLabels";

/// Returns the turn of the patch at `place`, the `part`th object of its entry.
pub(super) fn turn(place: &FieldPath, part: usize) -> Turn {
    let position = |key: &str| LISTS.iter().position(|list| *list == key);
    if place.to_string() == COMMON_LABELS {
        return Turn { list: position(COMMON_LABELS).unwrap_or_default(), entry: 0, part };
    }
    let mut turns = place.steps().windows(2).filter_map(|steps| match steps {
        [PathStep::Key(key), PathStep::Index(index)] => Some((position(key)?, *index)),
        _ => None,
    });
    let (list, entry) = turns.next_back().unwrap_or_default();
    Turn { list, entry, part }
}
