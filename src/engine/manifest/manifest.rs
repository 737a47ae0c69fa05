//! Answers: which objects does one file hold, and where in it are they?
//!
//! Invariant: every location is one of the file itself, that of an object in an inline patch too.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use super::applied::{Applied, Repository};
use super::embedded::Embedded;
use super::ignore_comment::Ignores;
use super::inline_patch::{DataPatch, InlinePatch};
use super::kustomization::{Kustomization, PatchFile};
use super::object::Object;
use super::problem::failure;
use super::recognizer::Recognizer;
use super::source_text::{FileText, SourceText};
use super::values::Merged;
use crate::engine::finding::{Finding, FindingObject, Location, Severity};
use crate::knowledge::release::{ApiVersion, GroupKind};
use crate::syntax::field::FieldPath;
use crate::syntax::text::{LineIndex, Span};
use crate::syntax::yaml::{
    NodeId, Problem, Style, Tree, count_items_at, find_node, locate, read_value, read_value_without, text_at,
};

/// One file's bytes with what was found in them.
#[derive(Debug)]
pub struct Manifest {
    /// The file as the user named it.
    pub file: String,
    /// The text, as it is in the file.
    pub text: Arc<str>,
    /// The spans of its nodes.
    pub tree: Tree,
    /// Its objects, in the order of the text.
    pub objects: Vec<Object>,
    /// The inline patches of known objects that it holds.
    pub(crate) inline_patches: Vec<InlinePatch>,
    /// The JSON patches that objects hold as data.
    pub(crate) data_patches: Vec<DataPatch>,
    /// The files that it names as patches, where it is a kustomization; as the user would name them.
    pub patches: Vec<PatchFile>,
    /// What it makes of other files, where it is a kustomization.
    pub kustomization: Option<Arc<Kustomization>>,
    /// What it does as a builtin transformer, where it is one.
    pub transformer: Option<Arc<Kustomization>>,
    /// The folders that its objects have Flux or Argo CD apply, from the root of the repository.
    pub(crate) applied: Vec<Applied>,
    /// The repositories whose addresses its objects show.
    pub(crate) repositories: Vec<Repository>,
    /// The comments that acknowledge findings.
    pub ignores: Ignores,
    /// The objects inside other data.
    pub(crate) embedded: Vec<Embedded>,
    /// The objects of values into which Helm merges what other files have.
    pub(crate) merged: Vec<Merged>,
    /// Whether what its chart does with its objects shows in it.
    pub(crate) is_judged: bool,
    /// The findings of reading it.
    pub findings: Vec<Finding>,
    /// Problems of documents that Kubernetes rejects although they can be read.
    pub(super) document_warnings: Vec<Finding>,
    /// The documents that are not read as data: they mention nothing known, or they cannot be.
    pub(super) unparsed: Vec<usize>,
    pub(super) lines: LineIndex,
}

impl Manifest {
    /// Returns the place of `path` within `object`, for a finding; the nearest parent where the field is not there.
    pub fn locate(&self, object: &Object, path: &FieldPath) -> Location {
        self.source_text(object.inline_patch).place(object.document, &object.place.join(path))
    }

    /// Returns the part of the file that `object` is in: its document, the item of a list, or the inline patch around it.
    pub(crate) fn extent(&self, object: &Object) -> Span {
        let (document, place) = match object.inline_patch.map(|number| &self.inline_patches[number]) {
            Some(inline_patch) => (inline_patch.document, &inline_patch.place),
            None => (object.document, &object.place),
        };
        let document = &self.tree.documents()[document];
        match place.steps() {
            [] => document.span,
            _ => find_node(&self.tree, &self.text, document.root, place)
                .map_or(document.span, |node| self.tree.span(node)),
        }
    }

    /// Returns what findings say of `object`.
    pub(crate) fn finding_object(&self, object: &Object) -> FindingObject {
        self.source_text(object.inline_patch).finding_object(object)
    }

    /// Returns the object of the file's own text that holds `place` of a document, with its number.
    pub fn holder(&self, document: usize, place: &FieldPath) -> Option<(usize, &Object)> {
        self.objects.iter().enumerate().find(|(_, object)| object.path_of(document, place).is_some())
    }

    /// Returns the numbers of the documents that were read and that no object is read from.
    pub(crate) fn documents_without_objects(&self) -> impl Iterator<Item = usize> {
        self.documents_without(|_| true)
    }

    /// Returns where the kustomization that it is names `path`, which is as [`Kustomization::paths`] has it.
    pub(crate) fn place_of_path(&self, path: &str) -> Location {
        let is_it = |item: &Value| {
            let named = item.get("path").unwrap_or(item).as_str();
            named.is_some_and(|named| Kustomization::beside(&self.file, named) == path)
        };
        let place = |object: &Object| {
            object.value.as_object()?.iter().find_map(|(key, list)| {
                let index = list.as_array()?.iter().position(is_it)?;
                Some(self.locate(object, &FieldPath::default().key(key).index(index)))
            })
        };
        let own = || Location { file: self.file.clone(), position: None };
        self.objects.iter().filter(|object| object.inline_patch.is_none()).find_map(place).unwrap_or_else(own)
    }

    /// Returns the numbers of the documents that were read and that no object but the values of a chart is read from.
    pub(crate) fn bare_documents(&self) -> impl Iterator<Item = usize> {
        self.documents_without(|object| !object.is_values())
    }

    fn documents_without(&self, counts: impl Fn(&Object) -> bool) -> impl Iterator<Item = usize> {
        let own = self.objects.iter().filter(|object| object.inline_patch.is_none() && counts(object));
        let taken: BTreeSet<usize> = own.map(|object| object.document).chain(self.unparsed.iter().copied()).collect();
        (0..self.tree.documents().len()).filter(move |number| !taken.contains(number))
    }

    /// Returns the lists of one kind, such as an HTTPRouteList, that hold objects of the file: the document, the kind of the items
    /// and the apiVersion of the list.
    pub(crate) fn typed_lists(&self) -> impl Iterator<Item = (usize, GroupKind, ApiVersion)> {
        let items = FieldPath::default().key("items");
        let listed =
            self.objects.iter().filter(move |object| object.inline_patch.is_none() && object.place.starts_with(&items));
        let documents: BTreeSet<usize> = listed.map(|object| object.document).collect();
        documents.into_iter().filter_map(|document| {
            let root = self.tree.documents()[document].root;
            let text = |key: &str| text_at(&self.tree, &self.text, root, key);
            let (kind, api_version) = (text("kind")?, ApiVersion::parse(&text("apiVersion")?));
            let kind = kind.strip_suffix("List").filter(|kind| !kind.is_empty())?;
            Some((document, GroupKind::new(kind, api_version.group.clone()), api_version))
        })
    }

    /// Returns the place of `path` in the document with this number, or of its nearest parent.
    pub(crate) fn place_in(&self, document: usize, path: &FieldPath) -> Location {
        let root = self.tree.documents()[document].root;
        self.location(locate(&self.tree, &self.text, root, path).start)
    }

    /// Returns the place of byte `offset`.
    pub fn location(&self, offset: usize) -> Location {
        Location { file: self.file.clone(), position: Some(self.lines.position(&self.text, offset)) }
    }

    /// Returns how the file is indented.
    pub fn style(&self) -> Style {
        Style::of(&self.text, &self.tree)
    }

    /// Returns how many objects the file holds, those of documents that were not read included.
    pub fn object_count(&self) -> usize {
        let unparsed = self.unparsed.iter().map(|document| self.tree.documents()[*document].root);
        self.objects.len() + unparsed.map(|root| self.count(root)).sum::<usize>()
    }

    /// Counts the objects of a document by its content.
    fn count(&self, root: NodeId) -> usize {
        let text = |key: &str| text_at(&self.tree, &self.text, root, key);
        match (text("apiVersion"), text("kind")) {
            (Some(_), Some(kind)) if kind.ends_with("List") => {
                count_items_at(&self.tree, &self.text, root, "items").unwrap_or(1)
            }
            (Some(_), Some(_)) => 1,
            _ => 0,
        }
    }

    /// Returns what Kubernetes cannot read in documents without an object of a known group, and why it rejects documents:
    /// worth reporting if the file changes.
    pub(crate) fn document_warnings(&self) -> Vec<Finding> {
        let roots = self.unparsed.iter().map(|document| self.tree.documents()[*document].root);
        let problems = roots.filter_map(|root| read_value(&self.tree, &self.text, root).err());
        let unreadable = problems
            .map(|problem| Finding { severity: Severity::Warning, ..failure(self.location(problem.at), &problem) });
        self.document_warnings.iter().cloned().chain(unreadable).collect()
    }

    /// Reads a document. The schemas of a CRD are most of what is in it: they are left out where no rule of the run reads them, so that
    /// nothing but [`Manifest::full_value`] looks into them.
    pub(super) fn data(&self, root: NodeId, recognizer: &Recognizer) -> Result<Value, Problem> {
        let text = |key: &str| text_at(&self.tree, &self.text, root, key);
        let is_crd = text("kind").is_some_and(|kind| kind == "CustomResourceDefinition");
        let is_whole = || text("apiVersion").is_some_and(|own| recognizer.reads_schemas_of(&ApiVersion::parse(&own)));
        if is_crd && !is_whole() {
            return read_value_without(&self.tree, &self.text, root, "openAPIV3Schema");
        }
        read_value(&self.tree, &self.text, root)
    }

    /// Returns an object's data with everything that is in it.
    ///
    /// # Errors
    /// That of the schemas of a CRD that cannot be read as data.
    pub fn full_value(&self, object: &Object) -> Result<Arc<Value>, Box<Finding>> {
        let is_document = object.inline_patch.is_none() && object.place.steps().is_empty();
        if object.kind.kind != "CustomResourceDefinition" || !is_document {
            return Ok(Arc::clone(&object.value));
        }
        let read = read_value(&self.tree, &self.text, self.tree.documents()[object.document].root);
        read.map(Arc::new).map_err(|problem| Box::new(failure(self.location(problem.at), &problem)))
    }

    /// Returns the text of an inline patch by its number, or of the file.
    pub(crate) fn source_text(&self, inline_patch: Option<usize>) -> SourceText<'_> {
        let inline_patch = inline_patch.map(|number| &self.inline_patches[number]);
        self.source_text_of(inline_patch)
    }

    /// Returns the text of an inline patch, or of the file.
    pub(super) fn source_text_of<'m>(&'m self, inline_patch: Option<&'m InlinePatch>) -> SourceText<'m> {
        let file = FileText { name: &self.file, text: &self.text, tree: &self.tree, lines: &self.lines };
        SourceText::new(file, inline_patch)
    }
}
