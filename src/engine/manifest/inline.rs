//! Answers: which patches of known objects does an object hold, and which of them can be converted?
//!
//! A known object is one of a known group, or of a kind that rules are about. Kustomizations, and objects such as those of Flux and Argo CD that have Kustomize run, hold lists of patches: each a text, or the name of a
//! file, with or without a selector of what it is for. A text with objects becomes an [`InlinePatch`] of the file, and they are
//! converted like those of a patch in a file; a JSON patch becomes one too, or a [`DataPatch`]. Anything else is reported.
//!
//! Invariant: a patch of a known object is converted as an inline patch, or reported.

use serde_json::Value;

use super::applied::{Folder, folder};
use super::embedded::can_reach;
use super::inline_patch::{DataPatch, InlinePatch};
use super::json6902;
use super::kustomization::{is_text, selects};
use super::manifest::Manifest;
use super::nested::{documents, merged_into, nested_patches};
use super::object::{Document, Object, take as take_objects};
use super::recognizer::Recognizer;
use super::selector::Selector;
use crate::engine::finding::{Code, Finding, Severity};
use crate::knowledge::carrier::Carried;
use crate::knowledge::release::{ApiVersion, GroupKind};
use crate::syntax::field::{Entries, FieldPath, Part};
use crate::syntax::yaml::{self, Literal, Tree, is_on_one_line, locate, read_value};

/// A patch that concerns known objects.
pub(super) struct Patch {
    /// Its place in a list of patches.
    pub(super) path: FieldPath,
    /// The folder whose objects it is for, if the object around it names one.
    folder: Option<Folder>,
    content: Content,
    /// What it selects.
    target: Option<Selector>,
    /// Whether it is one of an object of another group that mentions a chart, whose values can be in it.
    mentions_values: bool,
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

/// A patch as a document has it, of which nothing shows yet whether it concerns known objects.
struct Written<'v> {
    /// Its place in a list of patches, and what stands there.
    path: FieldPath,
    item: &'v Value,
    /// The key of the patch in the item; none where the item is the patch.
    key: Option<&'static str>,
    folder: Option<Folder>,
}

/// Finds the patches in a document that concern known objects: those that are `carried` in it, and those of a builtin transformer.
pub(super) fn patches(document: &Value, carried: &[Carried<'_>], recognizer: &Recognizer) -> Vec<Patch> {
    let mut written = Vec::new();
    for carried in carried {
        let lists = carried.carrier.patches.iter().map(|list| list.with(Part::Items));
        for path in lists.flat_map(|items| items.matches(carried.around)) {
            let path = carried.place.join(&path);
            let Some(item) = path.get(document) else { continue };
            let key = item.get("patch").map(|_| "patch");
            written.push(Written { path, item, key, folder: folder(carried) });
        }
    }
    if document.text("apiVersion") == Some("builtin") {
        let keys = ["patch", "jsonOp", "patches"].into_iter().filter(|key| document.text(key).is_some());
        let of_key = |key| Written { path: FieldPath::default(), item: document, key: Some(key), folder: None };
        written.extend(keys.map(of_key));
    }
    written.into_iter().filter_map(|written| written.concerning(recognizer)).collect()
}

impl Written<'_> {
    /// Returns the patch, where it concerns known objects.
    fn concerning(self, recognizer: &Recognizer) -> Option<Patch> {
        let Self { path, item, key, folder } = self;
        let (place, patch) = key.map_or((path.clone(), item), |key| (path.key(key), &item[key]));
        let (content, mentions, mentions_chart) = match patch {
            Value::String(text) if key.is_some() || is_text(text) => {
                let mentions = recognizer.mentions_group(text.as_bytes())
                    || is_of_foreign_kind(text, recognizer)
                    || text.contains("patch") && hold_patches_of_known(&documents(text), recognizer);
                (Content::Text(place, text.clone()), mentions, recognizer.mentions_chart(text.as_bytes()))
            }
            Value::Object(map) if !map.contains_key("apiVersion") => (Content::Elsewhere, false, false),
            Value::Array(_) | Value::Object(_) => {
                let mentions_chart = recognizer.mentions_chart(patch.to_string().as_bytes());
                let mentions = json6902::mentions(patch, recognizer, &|_| false)
                    || hold_patches_of_known(std::slice::from_ref(patch), recognizer);
                (Content::Data(place, patch.clone()), mentions, mentions_chart)
            }
            _ => (Content::Elsewhere, false, false),
        };
        let target = Selector::read(item);
        let may_select = target.as_ref().is_some_and(|target| recognizer.may_select(target));
        let is_selected = item.get("target").is_some_and(|target| selects(target, recognizer));
        let may_reach = || {
            target.as_ref().is_some_and(|target| match &content {
                Content::Text(_, text) => can_reach(recognizer.carriers(), target, text),
                Content::Data(_, data) => can_reach(recognizer.carriers(), target, &data.to_string()),
                Content::Elsewhere => false,
            })
        };
        let concerns = mentions || may_select || is_selected || may_reach();
        let mentions_values =
            mentions_chart && matches!(&content, Content::Data(_, value) if is_foreign(value, recognizer));
        concerns.then_some(Patch { path, folder, content, target, mentions_values })
    }
}

/// Returns the components that a document names instead of patches, for all objects of the folder next to them.
pub(super) fn components(document: usize, carried: &[Carried<'_>]) -> Vec<DataPatch> {
    let mut named = Vec::new();
    for carried in carried {
        for list in carried.carrier.components.iter().flat_map(|list| list.matches(carried.around)) {
            let components: Vec<String> =
                list.items(carried.around).iter().map(|item| item.as_str().unwrap_or_default().to_owned()).collect();
            if !components.is_empty() {
                let (place, target) = (carried.place.join(&list), Some(Selector::default()));
                let folder = folder(carried);
                named.push(DataPatch { document, place, folder, target, is_json: false, components });
            }
        }
    }
    named
}

/// Returns whether a text is a patch of objects of other groups that rules are about.
fn is_of_foreign_kind(text: &str, recognizer: &Recognizer) -> bool {
    let is_one = |objects: &[Object]| objects.iter().any(|object| recognizer.is_foreign(&object.kind));
    recognizer.mentions_foreign_kind(text) && matches!(read(text), Reading::Objects(_, objects) if is_one(&objects))
}

/// Returns whether patches hold some that may be for known objects.
fn hold_patches_of_known(patches: &[Value], recognizer: &Recognizer) -> bool {
    let inside = patches.iter().flat_map(|patch| nested_patches(patch, &FieldPath::default()));
    inside.into_iter().any(|nested| recognizer.may_select(&nested.target))
}

/// Returns whether a patch is one of an object of another group that rules are about.
fn is_foreign(patch: &Value, recognizer: &Recognizer) -> bool {
    let kind = patch.text("kind").zip(patch.text("apiVersion"));
    kind.is_some_and(|(kind, version)| recognizer.is_foreign(&GroupKind::new(kind, ApiVersion::parse(version).group)))
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
    objects.iter_mut().for_each(|object| object.take_name(&tree, text));
    match objects.is_empty() {
        true => Reading::Neither("it has no apiVersion and kind".to_owned()),
        false => Reading::Objects(tree, objects),
    }
}

impl Patch {
    /// Takes in the objects of a patch in the document with this number, or reports what is not converted.
    pub(super) fn take(self, manifest: &mut Manifest, document: usize) {
        let Self { path, folder, content, target, mentions_values } = self;
        match content {
            Content::Elsewhere => {}
            Content::Data(place, value) => {
                let is_json = json6902::is_one(&value);
                let target = target.or_else(|| (!is_json).then(|| merged_into(&value)));
                let components = Vec::new();
                manifest.data_patches.push(DataPatch { document, place, folder, target, is_json, components });
                if !is_json && mentions_values {
                    let message = "a patch of a chart's values is written as data instead of text; it is not converted";
                    report(manifest, document, &path, message, "move it to a file of its own, or change it by hand");
                }
            }
            Content::Text(place, text) => {
                let (tree, objects) = match read(&text) {
                    Reading::Json(tree, value) => (tree, vec![Object::unnamed(Document::JsonPatch, 0, value)]),
                    Reading::Objects(tree, objects) => (tree, objects),
                    Reading::Neither(why) => {
                        let message = format!("an inline patch of a known object is not converted: {why}");
                        return report(manifest, document, &path, message, "fix the patch, or convert it by hand");
                    }
                };
                TextWithObjects { place, folder, target, text, tree, objects }.take(manifest, document);
            }
        }
    }
}

/// A text at `place` of a document that holds objects.
pub(super) struct TextWithObjects {
    pub(super) place: FieldPath,
    /// The folder, or what selects the objects, that it is for.
    pub(super) folder: Option<Folder>,
    pub(super) target: Option<Selector>,
    pub(super) text: String,
    pub(super) tree: Tree,
    pub(super) objects: Vec<Object>,
}

impl TextWithObjects {
    /// Reads the text at `place`, all of whose documents another object, or a chart, creates.
    pub(super) fn created(place: FieldPath, text: &str) -> Option<Self> {
        let Reading::Objects(tree, objects) = read(text) else { return None };
        let are_all = (0..tree.documents().len()).all(|number| objects.iter().any(|object| object.document == number));
        let objects = objects.into_iter().map(|object| Object { read_from: Document::Created, ..object }).collect();
        are_all.then(|| Self { place, folder: None, target: None, text: text.to_owned(), tree, objects })
    }

    /// Takes in the objects of the text, which stands in the document with this number.
    pub(super) fn take(self, manifest: &mut Manifest, document: usize) {
        let Self { place, folder, target, text, tree, objects } = self;
        let root = manifest.tree.documents()[document].root;
        let start = locate(&manifest.tree, &manifest.text, root, &place).start;
        let literal = Literal::at(&manifest.tree, &manifest.text, root, &place);
        let is_on_one_line = is_on_one_line(&manifest.tree, &manifest.text, root, &place);
        let number = Some(manifest.inline_patches.len());
        let inline_patch = InlinePatch { document, place, start, folder, target, text, literal, is_on_one_line, tree };
        manifest.objects.extend(objects.into_iter().map(|object| Object { inline_patch: number, ..object }));
        manifest.inline_patches.push(inline_patch);
    }
}

fn report(manifest: &mut Manifest, document: usize, path: &FieldPath, message: impl Into<String>, help: &str) {
    let location = manifest.place_in(document, path);
    let finding = Finding::new(location, Code::InlinePatch, Severity::Unresolved, message);
    manifest.findings.push(finding.at(path).help(help));
}
