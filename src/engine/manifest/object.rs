//! Answers: what is one Kubernetes object of a file?
//!
//! Invariant: an object has an apiVersion and a kind, written or implied by its file.

use std::sync::Arc;

use serde_json::Value;

use crate::knowledge::release::{ApiVersion, GroupKind};
use crate::syntax::field::FieldPath;

/// The kinds that documents are given which are no objects, but name fields of objects.
pub(super) const JSON_PATCH: &str = "JSON patch";
pub(super) const REPLACEMENTS: &str = "Kustomize replacement";
pub(super) const VALUES: &str = "Values";
pub(super) const CONFIGURATION: &str = "Kustomize configuration";

/// One Kubernetes object: a document or an item of a `kind: List`.
#[derive(Clone, Debug)]
pub struct Object {
    /// The number of the inline patch that contains it, if it is not in the file's own text.
    pub inline_patch: Option<usize>,
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
    /// The data, as Kubernetes reads it; that of a CRD whose schemas no rule of the run reads without them, which
    /// [`Manifest::full_value`](super::Manifest::full_value) reads.
    pub value: Arc<Value>,
}

impl Object {
    /// Makes the object that a document or an item of a list holds, where it gives apiVersion and kind.
    pub(crate) fn from_value(document: usize, place: FieldPath, value: Value) -> Option<Self> {
        let text =
            |path: &[&str]| path.iter().try_fold(&value, |value, key| value.get(key))?.as_str().map(str::to_owned);
        let api_version = ApiVersion::parse(&text(&["apiVersion"])?);
        let kind = GroupKind::new(text(&["kind"])?, api_version.group.as_str());
        let namespace = text(&["metadata", "namespace"]);
        let name = text(&["metadata", "name"]).or_else(|| text(&["metadata", "generateName"]));
        Some(Self { inline_patch: None, document, place, kind, api_version, namespace, name, value: Arc::new(value) })
    }

    /// Makes the object of a kustomization that leaves apiVersion and kind to their defaults.
    pub(super) fn kustomization(document: usize, value: Value) -> Self {
        let api_version = ApiVersion::parse("kustomize.config.k8s.io/v1beta1");
        let kind = GroupKind::new("Kustomization", api_version.group.as_str());
        let (inline_patch, place, value) = (None, FieldPath::default(), Arc::new(value));
        Self { inline_patch, document, place, kind, api_version, namespace: None, name: None, value }
    }

    /// Returns whether the object stands for a JSON patch.
    pub(crate) fn is_json_patch(&self) -> bool {
        self.kind.group.is_empty() && self.kind.kind == JSON_PATCH
    }

    /// Returns whether the object stands for a file of replacements.
    pub(crate) fn is_replacements(&self) -> bool {
        self.kind.group.is_empty() && self.kind.kind == REPLACEMENTS
    }

    /// Returns whether the object stands for a configuration of Kustomize's transformers.
    pub(crate) fn is_configuration(&self) -> bool {
        self.kind.group.is_empty() && self.kind.kind == CONFIGURATION
    }

    /// Returns whether the object stands for the values of a chart.
    pub(crate) fn is_values(&self) -> bool {
        self.kind.kind == VALUES && self.api_version.version.is_empty()
    }

    /// Returns whether the object is a patch that stands in another object.
    pub(crate) fn is_inline_patch(&self) -> bool {
        self.inline_patch.is_some() && !self.is_values()
    }

    /// Returns whether the object stands for a document that is none, but names fields of objects.
    pub fn is_carrier(&self) -> bool {
        self.is_json_patch() || self.is_replacements() || self.is_configuration()
    }

    /// Returns whether the object configures a builtin transformer of Kustomize.
    pub(crate) fn is_builtin(&self) -> bool {
        self.kind.group.is_empty() && self.api_version.version == "builtin"
    }

    /// Returns what findings call the object: `HTTPRoute store/checkout`. What never has a name is called by its kind.
    pub fn title(&self) -> String {
        let is_kustomization = self.kind.group == "kustomize.config.k8s.io";
        if self.is_carrier() || is_kustomization && self.name.is_none() {
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
    value.is_object() && value.get("apiVersion").is_none() && value.get("kind").is_none()
}

/// Returns whether a value is a list of objects: `kind: List`, or a typed one such as `kind: HTTPRouteList`.
pub(super) fn is_list(value: &Value) -> bool {
    value.get("kind").and_then(Value::as_str).is_some_and(|kind| kind.ends_with("List"))
}
