//! Answers: which patches of known objects does an object hold, and which of them can be converted?
//!
//! A known object is one of a known group, or of a kind that rules are about. Kustomizations, and the objects of Flux and Argo CD that run Kustomize, hold lists of patches: each a text, or the name of a
//! file, with or without a selector of what it is for. A text with objects becomes an [`InlinePatch`] of the file, and they are
//! converted like those of a patch in a file; a JSON patch becomes one too, or a [`DataPatch`]. Anything else is reported.
//!
//! Invariant: a patch of a known object is converted as an inline patch, or reported.

use std::sync::LazyLock;

use serde_json::Value;

use super::inline_patch::{DataPatch, InlinePatch};
use super::json6902;
use super::kustomization::{is_one, is_text, join, selects, selects_foreign_kind};
use super::manifest::Manifest;
use super::object::{Object, is_list, take as take_objects};
use super::problem::whole_file;
use super::recognizer::Recognizer;
use super::selector::Selector;
use crate::field::{FieldPath, FieldPattern, Step};
use crate::finding::{Code, Finding, Severity};
use crate::yaml::{self, Literal, NodeId, Tree, is_on_one_line, locate, read_value};

/// A patch that concerns known objects.
pub(super) struct Patch {
    /// Its place in a list of patches.
    pub(super) path: FieldPath,
    /// The folder whose objects it is for, if the object around it names one.
    folder: Option<String>,
    content: Content,
    /// What it selects.
    target: Option<Selector>,
}

/// The content of a patch, and its place.
enum Content {
    /// It is in another file.
    Elsewhere,
    /// It is a text.
    Text(FieldPath, String),
    /// It is written as data.
    Data(FieldPath, Value),
}

/// Finds the patches in a document of `file` that concern known objects.
pub(super) fn patches(file: &str, document: &Value, recognizer: &Recognizer) -> Vec<Patch> {
    let mut found = Vec::new();
    collect(file, document, &FieldPath::default(), recognizer, &mut found);
    found
}

/// Collects the patches in `object`, which is at `place` of its document: those of the items of a list one by one.
fn collect(file: &str, object: &Value, place: &FieldPath, recognizer: &Recognizer, found: &mut Vec<Patch>) {
    if is_list(object) {
        let items = object.get("items").and_then(Value::as_array).into_iter().flatten();
        let items = items.enumerate().map(|(index, item)| (place.key("items").index(index), item));
        items.for_each(|(place, item)| collect(file, item, &place, recognizer, found));
        return;
    }
    let paths = lists(file, object).iter().flat_map(|list| list.matches(object));
    let of_lists = paths.filter_map(|path| {
        let item = path.get(object)?;
        let (inner, content) = match item.get("patch") {
            Some(patch) => (path.key("patch"), patch),
            None => (path.clone(), item),
        };
        Some((path, inner, content, item))
    });
    let is_builtin = object.get("apiVersion").and_then(Value::as_str) == Some("builtin");
    let keys = ["patch", "jsonOp", "patches"].into_iter().filter(|_| is_builtin);
    let of_transformer = keys.filter_map(|key| {
        let (path, content) = (FieldPath::default().key(key), object.get(key).filter(|content| content.is_string())?);
        Some((FieldPath::default(), path, content, object))
    });
    found.extend(of_lists.chain(of_transformer).filter_map(|(path, inner, content, item)| {
        let at = place.join(&inner);
        let content = match content {
            Value::String(text) if inner != path || is_text(text) => Content::Text(at, text.clone()),
            Value::Array(_) => Content::Data(at, content.clone()),
            Value::Object(map) if map.contains_key("apiVersion") => Content::Data(at, content.clone()),
            _ => Content::Elsewhere,
        };
        let mentions = match &content {
            Content::Elsewhere => false,
            Content::Text(_, text) => {
                recognizer.mentions_group(text.as_bytes()) || is_of_foreign_kind(text, recognizer)
            }
            Content::Data(_, value) => json6902::mentions(value, recognizer),
        };
        let mentions_chart = match &content {
            Content::Elsewhere => false,
            Content::Text(_, text) => recognizer.mentions_chart(text.as_bytes()),
            Content::Data(_, value) => recognizer.mentions_chart(value.to_string().as_bytes()),
        };
        let is_selected =
            |target| selects(target, recognizer) || mentions_chart && selects_foreign_kind(target, recognizer);
        let (folder, target) = (folder(object, &path), Selector::read(item));
        let may_select = target.as_ref().is_some_and(|target| recognizer.may_select(target));
        let selects = may_select || item.get("target").is_some_and(is_selected);
        (mentions || selects).then(|| Patch { path: place.join(&path), folder, content, target })
    }));
}

/// Returns the places in an object at which Flux and Argo CD name components, each with the folder that these work on.
///
/// Source: Flux, `spec.components`; Argo CD, `kustomize.components`.
pub(super) fn components(document: &Value) -> Vec<(FieldPath, Option<String>)> {
    static PLACES: LazyLock<Vec<FieldPattern>> = LazyLock::new(|| {
        let places = ["spec", "spec.source.kustomize", "spec.sources[].kustomize"];
        let template = ["spec.template.spec.source.kustomize", "spec.template.spec.sources[].kustomize"];
        let all = places.into_iter().chain(template);
        all.map(|place| FieldPattern::parse(&format!("{place}.components")).expect("it is a pattern")).collect()
    });
    let group = document.get("apiVersion").and_then(Value::as_str).unwrap_or_default().split('/').next();
    if !matches!(group, Some("kustomize.toolkit.fluxcd.io" | "argoproj.io")) {
        return Vec::new();
    }
    let named = PLACES
        .iter()
        .flat_map(|place| place.matches_where(document, |value| value.as_array().is_some_and(|list| !list.is_empty())));
    named.map(|place| (place.clone(), folder(document, &place))).collect()
}

/// Returns where patches are in an object of `file`.
///
/// Source: the references of Kustomize, of Flux (`Kustomization`, `HelmRelease`) and of Argo CD (`Application`).
fn lists(file: &str, document: &Value) -> &'static [FieldPattern] {
    let text = |key: &str| document.get(key).and_then(Value::as_str).unwrap_or_default();
    let group = text("apiVersion").split('/').next().unwrap_or_default();
    match (group, text("kind")) {
        ("kustomize.toolkit.fluxcd.io", "Kustomization") => &LISTS[0],
        ("helm.toolkit.fluxcd.io", "HelmRelease") => &LISTS[1],
        ("argoproj.io", "Application") => &LISTS[2],
        ("argoproj.io", "ApplicationSet") => &LISTS[3],
        _ if is_one(file) => &LISTS[4],
        _ => &[],
    }
}

/// The lists of patches of a Flux Kustomization, a HelmRelease, an Application, an ApplicationSet and a kustomization.
static LISTS: LazyLock<[Vec<FieldPattern>; 5]> = LazyLock::new(|| {
    let above: [&[&str]; 5] = [
        &["spec."],
        &["spec.postRenderers[].kustomize."],
        &["spec.source.kustomize.", "spec.sources[].kustomize."],
        &["spec.template.spec.source.kustomize.", "spec.template.spec.sources[].kustomize."],
        &[""],
    ];
    let keys = ["patches", "patchesStrategicMerge", "patchesJson6902"];
    above.map(|above| {
        let patterns = above.iter().flat_map(|above| keys.map(|key| format!("{above}{key}[]")));
        patterns.map(|pattern| FieldPattern::parse(&pattern).expect("it is a pattern")).collect()
    })
});

/// Returns the folder that the patch at `path` is for: Flux and Argo CD name it next to the options of Kustomize.
pub fn folder(document: &Value, path: &FieldPath) -> Option<String> {
    let is_kustomize = |step: &Step| *step == Step::Key("kustomize".to_owned());
    let steps = path.steps();
    let above = steps.iter().position(is_kustomize).unwrap_or(1).min(steps.len());
    let named = FieldPath::new(steps[..above].iter().cloned()).key("path").get(document)?.as_str()?;
    Some(join("", named.trim_start_matches('/')))
}

/// Returns whether a text is a patch of objects of other groups that rules are about.
fn is_of_foreign_kind(text: &str, recognizer: &Recognizer) -> bool {
    let is_one = |objects: &[Object]| objects.iter().any(|object| recognizer.is_foreign(&object.kind));
    recognizer.mentions_foreign_kind(text) && matches!(read(text), Reading::Objects(_, objects) if is_one(&objects))
}

/// The content of the text of a patch.
enum Reading {
    /// A JSON patch.
    Json(Tree, Value),
    /// Objects.
    Objects(Tree, Vec<Object>),
    /// Neither, for this reason.
    Neither(String),
}

fn read(text: &str) -> Reading {
    let values = |tree: &Tree| {
        let values = tree.documents().iter().map(|document| read_value(tree, text, document.root));
        values.collect::<Result<Vec<Value>, _>>()
    };
    let read = yaml::parse(text).and_then(|tree| values(&tree).map(|values| (tree, values)));
    let (tree, values) = match read {
        Ok(read) => read,
        Err(problem) => return Reading::Neither(problem.message),
    };
    if let [patch] = values.as_slice()
        && json6902::is_one(patch)
    {
        return Reading::Json(tree, patch.clone());
    }
    let mut objects = Vec::new();
    for (number, value) in values.into_iter().enumerate() {
        take_objects(number, FieldPath::default(), value, &mut objects);
    }
    match objects.is_empty() {
        true => Reading::Neither("it has no apiVersion and kind".to_owned()),
        false => Reading::Objects(tree, objects),
    }
}

/// Takes in the objects of one patch in a document, read from `root`, or reports what is not converted.
pub(super) fn take(manifest: &mut Manifest, (document, root): (usize, NodeId), patch: &Patch) {
    match &patch.content {
        Content::Elsewhere => {}
        Content::Data(place, value) if json6902::is_one(value) => {
            let (place, folder, target) = (place.clone(), patch.folder.clone(), patch.target.clone());
            manifest.data_patches.push(DataPatch { document, place, folder, target, is_json: true });
        }
        Content::Data(place, value) => {
            // It is merged into the object that it names.
            let metadata = value.get("metadata").and_then(Value::as_object);
            let mut target = value.as_object().cloned().unwrap_or_default();
            target.retain(|key, _| ["apiVersion", "kind"].contains(&key.as_str()));
            target.extend(metadata.and_then(|metadata| Some(("name".to_owned(), metadata.get("name")?.clone()))));
            let target = patch.target.clone().or_else(|| Some(Selector::of_reference(&target)));
            let (place, folder) = (place.clone(), patch.folder.clone());
            manifest.data_patches.push(DataPatch { document, place, folder, target, is_json: false });
            let message =
                "a patch of a known object is written as data instead of text; it is not converted".to_owned();
            let help = "move it to a file of its own, or change it by hand";
            report(manifest, root, patch, (Code::InlinePatch, message), help);
        }
        Content::Text(place, text) => match read(text) {
            Reading::Json(tree, value) => {
                let inline_patch = inline_patch(manifest, (document, root), patch, place, (text, tree));
                take_objects_of(manifest, inline_patch, vec![json6902::object(0, value)]);
            }
            Reading::Objects(tree, objects) => {
                let inline_patch = inline_patch(manifest, (document, root), patch, place, (text, tree));
                take_objects_of(manifest, inline_patch, objects);
            }
            Reading::Neither(why) => {
                let message = format!("an inline patch of a known object is not converted: {why}");
                let help = "fix the patch, or convert it by hand";
                report(manifest, root, patch, (Code::InlinePatch, message), help);
            }
        },
    }
}

fn take_objects_of(manifest: &mut Manifest, inline_patch: InlinePatch, objects: Vec<Object>) {
    let number = Some(manifest.inline_patches.len());
    manifest.objects.extend(objects.into_iter().map(|object| Object { inline_patch: number, ..object }));
    manifest.inline_patches.push(inline_patch);
}

fn inline_patch(
    manifest: &Manifest,
    (document, root): (usize, NodeId),
    patch: &Patch,
    place: &FieldPath,
    (text, tree): (&str, Tree),
) -> InlinePatch {
    let start = locate(&manifest.tree, &manifest.text, root, place).start;
    let literal = Literal::at(&manifest.tree, &manifest.text, root, place);
    let is_on_one_line = is_on_one_line(&manifest.tree, &manifest.text, root, place);
    let (place, folder, target) = (place.clone(), patch.folder.clone(), patch.target.clone());
    InlinePatch { document, place, start, folder, target, text: text.to_owned(), literal, is_on_one_line, tree }
}

fn report(manifest: &mut Manifest, root: NodeId, patch: &Patch, message: (Code, String), help: &str) {
    let finding = whole_file(&manifest.file, message.0, message.1, help);
    let (location, field) = (manifest.place(root, &patch.path), Some(patch.path.to_string()));
    manifest.findings.push(Finding { location, severity: Severity::Unresolved, field, ..finding });
}
