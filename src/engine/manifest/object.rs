//! Answers: what is one Kubernetes object of a file?
//!
//! Invariant: an object has an apiVersion and a kind, written or implied by its file.

use std::sync::Arc;

use serde_json::Value;

use crate::knowledge::release::{ApiVersion, GroupKind};
use crate::syntax::field::{Entries, FieldPath};
use crate::syntax::yaml::{Tree, find_node};

/// What a document is that an object is read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Document {
    /// An object of Kubernetes, or a list of them.
    Object,
    /// A JSON patch (RFC 6902).
    JsonPatch,
    /// Replacements of Kustomize.
    Replacements,
    /// A configuration of Kustomize's transformers.
    Configuration,
    /// The values of a chart.
    Values,
    /// An object of Kubernetes that another one, or a chart, has created: to Kustomize it is data.
    Created,
}

impl Document {
    /// Returns the kind that findings and rules know it by; nothing for an object, which has one of its own.
    const fn kind(self) -> &'static str {
        match self {
            Self::Object | Self::Created => "",
            Self::JsonPatch => "JSON patch",
            Self::Replacements => "Kustomize replacement",
            Self::Configuration => "Kustomize configuration",
            Self::Values => "Values",
        }
    }

    /// Returns whether it tells Kustomize what to do to fields of objects, and is none itself.
    pub const fn is_instruction(self) -> bool {
        matches!(self, Self::JsonPatch | Self::Replacements | Self::Configuration)
    }
}

/// One Kubernetes object: a document or an item of a `kind: List`.
#[derive(Clone, Debug)]
pub struct Object {
    /// The number of the inline patch that contains it, if it is not in the file's own text.
    pub inline_patch: Option<usize>,
    /// What it is read from.
    pub read_from: Document,
    /// The document's number in that text, from 0.
    pub document: usize,
    /// The object's place in the document: empty, or `items[3]`.
    pub place: FieldPath,
    /// The kind and API group.
    pub kind: GroupKind,
    /// The `apiVersion`.
    pub api_version: ApiVersion,
    /// `metadata.namespace`, where it is given.
    pub namespace: Option<String>,
    /// `metadata.name`, where it is given.
    pub name: Option<String>,
    /// The version of the chart that its values are for, where it is written around the text or mapping that they are read from.
    pub chart_version: Option<String>,
    /// The data, as Kubernetes reads it; that of a CRD whose schemas no rule of the run reads without them, which
    /// [`Manifest::full_value`](super::Manifest::full_value) reads.
    pub value: Arc<Value>,
}

impl Object {
    /// Makes the object that a document or an item of a list holds, where it gives apiVersion and kind.
    pub(crate) fn from_value(document: usize, place: FieldPath, value: Value) -> Option<Self> {
        let api_version = ApiVersion::parse(value.text("apiVersion")?);
        let kind = GroupKind::new(value.text("kind")?, api_version.group.as_str());
        let metadata = |key: &str| Some(value.entry("metadata")?.text(key)?.to_owned());
        let (namespace, name) = (metadata("namespace"), metadata("name").or_else(|| metadata("generateName")));
        Some(Self { place, api_version, kind, namespace, name, ..Self::unnamed(Document::Object, document, value) })
    }

    /// Takes in a name that the text writes as a word like `n`: Kubernetes reads it as a boolean, Kustomize as a text.
    pub(super) fn take_name(&mut self, tree: &Tree, text: &str) {
        if self.value.entry("metadata").and_then(|metadata| metadata.entry("name")).is_some_and(Value::is_boolean) {
            let path = FieldPath::default().key("metadata").key("name");
            let root = tree.documents()[self.document].root;
            let node = find_node(tree, text, root, &self.place.join(&path));
            self.name = node.ok().map(|node| tree.span(node).of(text).to_owned());
        }
    }

    /// Makes the object that a file with an apiVersion is by its name; nothing where it gives a kind too.
    pub(super) fn of_file(kind: &GroupKind, document: usize, value: Value) -> Result<Self, Value> {
        match value.text("apiVersion").filter(|_| value.entry("kind").is_none()).map(ApiVersion::parse) {
            Some(api_version) => {
                let (kind, name) = (kind.clone(), value.text("name").map(str::to_owned));
                Ok(Self { api_version, kind, name, ..Self::unnamed(Document::Object, document, value) })
            }
            None => Err(value),
        }
    }

    /// Makes the object that a file of a carrier is, which has neither apiVersion nor kind.
    pub(super) fn of_carrier(kind: GroupKind, document: usize, value: Value) -> Self {
        Self { kind, ..Self::unnamed(Document::Object, document, value) }
    }

    /// Makes the object of a kustomization that leaves apiVersion and kind to their defaults.
    pub(super) fn kustomization(document: usize, value: Value) -> Self {
        let api_version = ApiVersion::parse("kustomize.config.k8s.io/v1beta1");
        let kind = GroupKind::new("Kustomization", api_version.group.as_str());
        Self { api_version, kind, ..Self::unnamed(Document::Object, document, value) }
    }

    /// Makes the object that stands for a whole document which is none.
    pub(super) fn unnamed(read_from: Document, document: usize, value: Value) -> Self {
        Self {
            inline_patch: None,
            read_from,
            document,
            place: FieldPath::default(),
            kind: GroupKind::new(read_from.kind(), ""),
            api_version: ApiVersion::parse(""),
            namespace: None,
            name: None,
            chart_version: None,
            value: Arc::new(value),
        }
    }

    /// Makes the object that stands for the values of a chart at `place` of a document.
    pub(super) fn values(chart: &str, document: usize, place: FieldPath, values: Value) -> Self {
        let kind = GroupKind::new(Document::Values.kind(), chart);
        Self { place, kind, name: Some(chart.to_owned()), ..Self::unnamed(Document::Values, document, values) }
    }

    /// Returns the path in the object of `place` of a document, where the object is in the file's own text and holds that.
    pub(crate) fn path_of(&self, document: usize, place: &FieldPath) -> Option<FieldPath> {
        place.below(&self.place).filter(|_| self.inline_patch.is_none() && self.document == document)
    }

    /// Returns whether the object stands for the values of a chart.
    pub(crate) fn is_values(&self) -> bool {
        self.read_from == Document::Values
    }

    /// Returns whether another object, or a chart, has the object created.
    pub(crate) fn is_created(&self) -> bool {
        self.read_from == Document::Created
    }

    /// Returns whether the object is a patch that stands in another object.
    pub(crate) fn is_inline_patch(&self) -> bool {
        self.inline_patch.is_some() && !self.is_values() && !self.is_created()
    }

    /// Returns whether the object configures a builtin transformer of Kustomize.
    pub(crate) fn is_builtin(&self) -> bool {
        self.kind.group.is_empty() && self.api_version.version == "builtin"
    }

    /// Returns what findings call the object: `HTTPRoute store/checkout`. What never has a name is called by its kind.
    pub fn title(&self) -> String {
        let is_kustomization = self.kind.group == "kustomize.config.k8s.io";
        if self.read_from.is_instruction() || is_kustomization && self.name.is_none() {
            return self.kind.kind.clone();
        }
        let name = self.name.as_deref().unwrap_or("(no name)");
        match &self.namespace {
            Some(namespace) => format!("{} {namespace}/{name}", self.kind.kind),
            None => format!("{} {name}", self.kind.kind),
        }
    }
}

/// Collects the objects in a document or in an item of a list.
pub(super) fn take(document: usize, place: FieldPath, mut value: Value, objects: &mut Vec<Object>) {
    let items = value.get_mut("items").and_then(Value::as_array_mut).map(std::mem::take);
    match items {
        Some(items) if is_list(&value) => {
            for (index, item) in items.into_iter().enumerate() {
                take(document, place.key("items").index(index), item, objects);
            }
        }
        items => {
            if let (Some(items), Some(map)) = (items, value.as_object_mut()) {
                map["items"] = Value::from(items);
            }
            objects.extend(Object::from_value(document, place, value));
        }
    }
}

/// Returns whether a mapping gives neither apiVersion nor kind.
pub(super) fn is_bare(value: &Value) -> bool {
    value.is_object() && value.entry("apiVersion").is_none() && value.entry("kind").is_none()
}

/// Returns whether a value is a list of objects: `kind: List`, or a typed one such as `kind: HTTPRouteList`.
pub(crate) fn is_list(value: &Value) -> bool {
    value.text("kind").is_some_and(|kind| kind.ends_with("List"))
}
