//! Answers: which patches of known objects does an object hold, and which of them can be converted?
//!
//! A known object is one of a known group, or of a kind that rules are about. Kustomizations, and objects such as those of Flux and Argo CD that have Kustomize run, hold lists of patches: each a text, or the name of a
//! file, with or without a selector of what it is for. A text with objects becomes an [`InlinePatch`] of the file, and they are
//! converted like those of a patch in a file; a JSON patch becomes one too, or a [`DataPatch`]. Anything else is reported.
//!
//! Invariant: a patch of a known object is converted as an inline patch, or reported.

use serde_json::Value;

use super::applied::folder;
use super::inline_patch::{DataPatch, InlinePatch};
use super::json6902;
use super::kustomization::{is_text, selects, selects_foreign_kind};
use super::manifest::Manifest;
use super::object::{Object, take as take_objects};
use super::problem::whole_file;
use super::recognizer::Recognizer;
use super::selector::Selector;
use crate::engine::finding::{Code, Finding, Severity};
use crate::knowledge::carrier::Carried;
use crate::syntax::field::{FieldPath, Part};
use crate::syntax::yaml::{self, Literal, NodeId, Tree, is_on_one_line, locate, read_value};

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

/// Finds the patches in a document that concern known objects: those that are `carried` in it, and those of a builtin transformer.
pub(super) fn patches(document: &Value, carried: &[Carried<'_>], recognizer: &Recognizer) -> Vec<Patch> {
    let of_lists = carried.iter().flat_map(|one| {
        let lists = one.carrier.patches.iter().map(|list| list.with(Part::Items));
        let paths = lists.flat_map(|items| items.matches(one.around));
        paths.map(|path| (one.place.join(&path), folder(one))).collect::<Vec<_>>()
    });
    let of_lists = of_lists.filter_map(|(path, folder)| {
        let item = path.get(document)?;
        let (inner, content) = match item.get("patch") {
            Some(patch) => (path.key("patch"), patch),
            None => (path.clone(), item),
        };
        Some((path, inner, content, item, folder))
    });
    let is_builtin = document.get("apiVersion").and_then(Value::as_str) == Some("builtin");
    let keys = ["patch", "jsonOp", "patches"].into_iter().filter(|_| is_builtin);
    let of_transformer = keys.filter_map(|key| {
        let (path, content) = (FieldPath::default().key(key), document.get(key).filter(|content| content.is_string())?);
        Some((FieldPath::default(), path, content, document, None))
    });
    let found = of_lists.chain(of_transformer).filter_map(|(path, inner, content, item, folder)| {
        let at = inner.clone();
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
        let target = Selector::read(item);
        let may_select = target.as_ref().is_some_and(|target| recognizer.may_select(target));
        let selects = may_select || item.get("target").is_some_and(is_selected);
        (mentions || selects).then_some(Patch { path, folder, content, target })
    });
    found.collect()
}

/// Returns the places in a document at which components are named, each with the folder that these work on, and their paths from there.
pub(super) fn components(carried: &[Carried<'_>]) -> Vec<(FieldPath, Option<String>, Vec<String>)> {
    let named = carried.iter().flat_map(|one| {
        let is_set = |value: &Value| value.as_array().is_some_and(|list| !list.is_empty());
        let paths = one.carrier.components.iter().flat_map(move |list| list.matches_where(one.around, is_set));
        let named = |path: FieldPath| {
            let list = path.get(one.around).and_then(Value::as_array).into_iter().flatten();
            let components = list.map(|item| item.as_str().unwrap_or_default().to_owned()).collect();
            (one.place.join(&path), folder(one), components)
        };
        paths.map(named).collect::<Vec<_>>()
    });
    named.collect()
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
            manifest.data_patches.push(DataPatch {
                document,
                place,
                folder,
                target,
                is_json: true,
                components: Vec::new(),
            });
        }
        Content::Data(place, value) => {
            // It is merged into the object that it names.
            let metadata = value.get("metadata").and_then(Value::as_object);
            let mut target = value.as_object().cloned().unwrap_or_default();
            target.retain(|key, _| ["apiVersion", "kind"].contains(&key.as_str()));
            target.extend(metadata.and_then(|metadata| Some(("name".to_owned(), metadata.get("name")?.clone()))));
            let target = patch.target.clone().or_else(|| Some(Selector::of_reference(&target)));
            let (place, folder) = (place.clone(), patch.folder.clone());
            manifest.data_patches.push(DataPatch {
                document,
                place,
                folder,
                target,
                is_json: false,
                components: Vec::new(),
            });
            let message =
                "a patch of a known object is written as data instead of text; it is not converted".to_owned();
            let help = "move it to a file of its own, or change it by hand";
            report(manifest, root, patch, (Code::InlinePatch, message), help);
        }
        Content::Text(place, text) => {
            let (tree, objects) = match read(text) {
                Reading::Json(tree, value) => (tree, vec![json6902::object(0, value)]),
                Reading::Objects(tree, objects) => (tree, objects),
                Reading::Neither(why) => {
                    let message = format!("an inline patch of a known object is not converted: {why}");
                    let help = "fix the patch, or convert it by hand";
                    return report(manifest, root, patch, (Code::InlinePatch, message), help);
                }
            };
            let about = (place, patch.folder.clone(), patch.target.clone());
            take_text(manifest, (document, root), about, (text, tree), objects);
        }
    }
}

/// Takes in the objects of a text at `place` of a document, for the objects of a folder or that a selector selects.
pub(super) fn take_text(
    manifest: &mut Manifest,
    (document, root): (usize, NodeId),
    (place, folder, target): (&FieldPath, Option<String>, Option<Selector>),
    (text, tree): (&str, Tree),
    objects: Vec<Object>,
) {
    let start = locate(&manifest.tree, &manifest.text, root, place).start;
    let literal = Literal::at(&manifest.tree, &manifest.text, root, place);
    let is_on_one_line = is_on_one_line(&manifest.tree, &manifest.text, root, place);
    let (place, text, number) = (place.clone(), text.to_owned(), Some(manifest.inline_patches.len()));
    let inline_patch = InlinePatch { document, place, start, folder, target, text, literal, is_on_one_line, tree };
    manifest.objects.extend(objects.into_iter().map(|object| Object { inline_patch: number, ..object }));
    manifest.inline_patches.push(inline_patch);
}

fn report(manifest: &mut Manifest, root: NodeId, patch: &Patch, message: (Code, String), help: &str) {
    let finding = whole_file(&manifest.file, message.0, message.1, help);
    let (location, field) = (manifest.place(root, &patch.path), Some(patch.path.to_string()));
    manifest.findings.push(Finding { location, severity: Severity::Unresolved, field, ..finding });
}
