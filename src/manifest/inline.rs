//! Answers: which patches of known objects does an object hold, and which of them can be converted?
//!
//! Kustomizations, and the objects of Flux and Argo CD that run Kustomize, hold lists of patches: each a text, or the name of a
//! file, with or without a selector of what it is for. A text with objects of known groups becomes an [`Inset`] of the file, and
//! its objects are converted like those of a patch in a file. What is not, such as a JSON patch, is told.
//!
//! Invariant: a text of a known object is an inset, or told.

use serde_json::Value;

use super::kustomization::{is_one, join, selects};
use super::{Inset, Manifest, Object, Page, Recognizer, json6902, take, whole_file};
use crate::field::{FieldPath, FieldPattern, Step};
use crate::finding::{Code, Finding, Severity};
use crate::yaml::{self, NodeId, Tree};

/// A patch that concerns known objects.
pub(super) struct Patch {
    /// Its place in a list of patches.
    path: FieldPath,
    /// The folder whose objects it is for, where the object around it says so.
    folder: Option<String>,
    content: Content,
    /// Whether it selects known objects.
    selects: bool,
}

/// What a patch says, and where.
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
    let patch = |path: FieldPath| {
        let item = path.get(document)?;
        let selects = item.get("target").is_some_and(|target| selects(target, recognizer));
        let (place, said) = match item.get("patch") {
            Some(patch) => (path.key("patch"), patch),
            None => (path.clone(), item),
        };
        let content = match said {
            Value::String(text) if place != path || text.contains('\n') => Content::Text(place, text.clone()),
            Value::Array(_) => Content::Data(place, said.clone()),
            Value::Object(map) if map.contains_key("apiVersion") => Content::Data(place, said.clone()),
            _ => Content::Elsewhere,
        };
        let mentions = match &content {
            Content::Elsewhere => false,
            Content::Text(_, text) => recognizer.hits(text.as_bytes()),
            Content::Data(_, value) => json6902::mentions(value, recognizer),
        };
        let folder = folder(document, &path);
        (mentions || selects).then_some(Patch { path, folder, content, selects })
    };
    lists(file, document).iter().flat_map(|list| list.matches(document)).filter_map(patch).collect()
}

/// Returns where patches stand in a document of `file`.
///
/// Source: the references of Kustomize, of Flux (`Kustomization`, `HelmRelease`) and of Argo CD (`Application`).
fn lists(file: &str, document: &Value) -> Vec<FieldPattern> {
    let text = |key: &str| document.get(key).and_then(Value::as_str).unwrap_or_default();
    let group = text("apiVersion").split('/').next().unwrap_or_default();
    let above: &[&str] = match (group, text("kind")) {
        ("kustomize.toolkit.fluxcd.io", "Kustomization") => &["spec."],
        ("helm.toolkit.fluxcd.io", "HelmRelease") => &["spec.postRenderers[].kustomize."],
        ("argoproj.io", "Application") => &["spec.source.kustomize.", "spec.sources[].kustomize."],
        ("argoproj.io", "ApplicationSet") => {
            &["spec.template.spec.source.kustomize.", "spec.template.spec.sources[].kustomize."]
        }
        _ if is_one(file) => &[""],
        _ => &[],
    };
    let keys = ["patches", "patchesStrategicMerge", "patchesJson6902"];
    let patterns = above.iter().flat_map(|above| keys.map(|key| format!("{above}{key}[]")));
    patterns.map(|pattern| FieldPattern::parse(&pattern).expect("it is a pattern")).collect()
}

/// Returns the folder that the patch at `path` is for: Flux and Argo CD name it beside what they have Kustomize do.
fn folder(document: &Value, path: &FieldPath) -> Option<String> {
    let is_kustomize = |step: &Step| *step == Step::Key("kustomize".to_owned());
    let steps = path.steps();
    let above = steps.iter().position(is_kustomize).unwrap_or(1).min(steps.len());
    let named = FieldPath::new(steps[..above].iter().cloned()).key("path").get(document)?.as_str()?;
    Some(join("", named.trim_start_matches('/')))
}

/// What stands in the text of a patch.
enum Reading {
    /// A JSON patch.
    Json(Tree, Value),
    /// Objects, of which one at least has a known group.
    Objects(Tree, Vec<Object>),
    Neither,
}

fn read(text: &str, recognizer: &Recognizer) -> Reading {
    let Ok(tree) = yaml::parse(text) else { return Reading::Neither };
    let values = tree.documents().iter().map(|document| tree.value(text, document.root));
    let Ok(values) = values.collect::<Result<Vec<Value>, _>>() else { return Reading::Neither };
    if let [patch] = values.as_slice()
        && json6902::is_one(patch)
    {
        return Reading::Json(tree, patch.clone());
    }
    let mut objects = Vec::new();
    for (number, value) in values.into_iter().enumerate() {
        take(number, FieldPath::default(), value, &mut objects);
    }
    let is_known = |object: &Object| recognizer.groups.iter().any(|(group, _)| *group == object.kind.group);
    if objects.iter().any(is_known) { Reading::Objects(tree, objects) } else { Reading::Neither }
}

impl Manifest {
    /// Takes in the objects of one patch in a document, read from `root`, or tells what is not converted.
    pub(super) fn take_patch(&mut self, document: usize, root: NodeId, patch: &Patch, recognizer: &Recognizer) {
        match &patch.content {
            Content::Elsewhere => self.tell_selector(root, patch),
            Content::Data(place, value) if json6902::is_one(value) => {
                let locate = |path: &FieldPath| self.place(root, &place.join(path));
                self.findings.extend(json6902::findings(value, recognizer, &locate));
                self.tell_selector(root, patch);
            }
            Content::Data(..) => self.tell_inline(root, patch, "move it to a file of its own, or change it by hand"),
            Content::Text(place, text) => {
                let literal = self.tree.literal(&self.text, root, place);
                let inset = |(literal, tree)| Inset {
                    document,
                    place: place.clone(),
                    folder: patch.folder.clone(),
                    literal,
                    tree,
                };
                match read(text, recognizer) {
                    Reading::Json(tree, value) => {
                        let inset = literal.map(|literal| inset((literal, tree)));
                        let locate = |path: &FieldPath| match &inset {
                            Some(inset) => Page::new(self, inset).place(0, path),
                            None => self.place(root, place),
                        };
                        self.findings.extend(json6902::findings(&value, recognizer, &locate));
                        self.tell_selector(root, patch);
                    }
                    Reading::Objects(tree, objects) => match literal {
                        Some(literal) => {
                            let number = Some(self.insets.len());
                            self.objects.extend(objects.into_iter().map(|object| Object { inset: number, ..object }));
                            self.insets.push(inset((literal, tree)));
                        }
                        None => self.tell_inline(
                            root,
                            patch,
                            "write it as a block (`|`) without an anchor, or change it by hand",
                        ),
                    },
                    Reading::Neither => {
                        let help = "move it to a file of its own and name it with `path`, or change it by hand";
                        self.tell_inline(root, patch, help);
                    }
                }
            }
        }
    }

    fn tell_inline(&mut self, root: NodeId, patch: &Patch, help: &str) {
        self.tell(root, patch, Code::InlinePatch, "an inline patch of a known object is not converted", help);
    }

    /// Tells that a patch changes known objects that it selects, by the paths of fields.
    fn tell_selector(&mut self, root: NodeId, patch: &Patch) {
        if patch.selects {
            let message = "a patch selects known objects; its field paths are not converted";
            let help = "check the field paths of its patch by hand, and the version that it selects where the objects are not in this run";
            self.tell(root, patch, Code::PatchTarget, message, help);
        }
    }

    fn tell(&mut self, root: NodeId, patch: &Patch, code: Code, message: &str, help: &str) {
        let finding = whole_file(&self.file, code, message.to_owned(), help);
        let (location, field) = (self.place(root, &patch.path), Some(patch.path.to_string()));
        self.findings.push(Finding { location, severity: Severity::Warning, field, ..finding });
    }
}
