//! The kinds and fields of a selection, as a rule sets them: [`Fields`].

use serde::{Deserialize, Deserializer, de};
use serde_json::Value;

use super::super::halt::Halt;
use super::super::object_view::{ObjectPlace, ObjectView};
use crate::field::{FieldPath, FieldPattern, Part, Step};
use crate::release::GroupKind;

/// The parameters of the operation.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "Wire")]
pub(super) struct Fields {
    pub(super) parent: Parent,
    pub(super) children: Children,
    pub(super) references: References,
}

/// The parameters as a rule writes them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    /// The objects that select others.
    parent: Parent,
    /// The objects that are selected.
    children: Children,
    /// The references of the selected objects on the new side.
    references: References,
}

impl TryFrom<Wire> for Fields {
    type Error = String;

    fn try_from(Wire { parent, children, references }: Wire) -> Result<Self, String> {
        if children.field.split_last().map(|(above, _)| above) != references.field.split_last().map(|(above, _)| above)
        {
            return Err(format!("{} and {} must be keys of the same mapping", children.field, references.field));
        }
        Ok(Self { parent, children, references })
    }
}

/// The object whose items select children.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Parent {
    /// Its kind on the old side.
    pub(super) kind: GroupKind,
    /// The list of the items.
    #[serde(deserialize_with = "list")]
    pub(super) items: FieldPath,
    /// The names of the items on the new side.
    pub(super) names: Names,
    /// The field of an item with the kind of its children.
    #[serde(deserialize_with = "keys")]
    pub(super) child_kind: FieldPath,
    /// The field of an item with the group of its children, by default that of the parent.
    #[serde(deserialize_with = "keys")]
    pub(super) child_group: FieldPath,
    /// The label selector of an item for its children.
    #[serde(deserialize_with = "keys")]
    pub(super) child_selector: FieldPath,
    /// The namespaces of the children of an item.
    pub(super) child_namespaces: Namespaces,
}

/// The names of items: those under `key`, or derived from the fields `from`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Names {
    /// The key of the name in an item.
    pub(super) key: String,
    /// The keys of an item whose values make its name.
    pub(super) from: Vec<String>,
}

/// The field of an item with the namespaces of its children, and its values.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Namespaces {
    /// The field with the choice of namespaces.
    #[serde(deserialize_with = "keys")]
    pub(super) field: FieldPath,
    /// The choice where the field is absent.
    pub(super) default: String,
    /// The value for all namespaces.
    pub(super) all: String,
    /// The value for the namespace of the parent.
    pub(super) same: String,
    /// The value for the namespaces whose labels `selector` selects.
    pub(super) selected: String,
    /// The selector of namespaces, by their labels.
    #[serde(deserialize_with = "keys")]
    pub(super) selector: FieldPath,
}

/// The objects that are selected.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Children {
    /// Their kinds on the old side.
    pub(super) kinds: Vec<GroupKind>,
    /// The mapping that allows parents.
    #[serde(deserialize_with = "keys")]
    pub(super) field: FieldPath,
    /// Which parents it allows.
    pub(super) allow: Allow,
    /// The key of its list of parents.
    pub(super) list: String,
}

/// The key with the parents that a child allows, and its values.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Allow {
    /// The key with the choice.
    pub(super) key: String,
    /// The choice where the key is absent.
    pub(super) default: String,
    /// The value for all parents.
    pub(super) all: String,
    /// The value for the parents in the namespace of the child.
    pub(super) same: String,
    /// The value for the parents in the list.
    pub(super) listed: String,
}

/// The references of a child on the new side.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct References {
    /// The list of references.
    #[serde(deserialize_with = "keys")]
    pub(super) field: FieldPath,
    /// The group of all the kinds on the new side.
    pub(super) group: String,
    /// The key of a reference with the name of an item.
    pub(super) item: Item,
    /// Keys of a reference that the old side cannot express.
    pub(super) unsupported: Vec<Unsupported>,
}

/// The key of a reference with the name of an item.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Item {
    /// The key.
    pub(super) key: String,
    /// How to select one item on the old side, as the help of a refusal.
    pub(super) help: String,
}

/// A key of a reference that the old side cannot express.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Unsupported {
    /// The key.
    pub(super) key: String,
    /// Why the old side cannot express it: `unsupported: [{ key: port, reason: the old side has no port, help: remove it }]`.
    pub(super) reason: String,
    /// What to do by hand.
    pub(super) help: String,
}

impl Fields {
    /// Returns the name of the parent's kind, for messages.
    pub(super) fn parent_kind(&self) -> &str {
        &self.parent.kind.kind
    }

    /// Returns the parent's kind on the new side.
    pub(super) fn new_parent(&self) -> GroupKind {
        GroupKind::new(self.parent_kind(), self.references.group.as_str())
    }

    /// Returns the kinds of the children on the new side.
    pub(super) fn new_children(&self) -> Vec<GroupKind> {
        let kinds = self.children.kinds.iter();
        kinds.map(|kind| GroupKind::new(kind.kind.as_str(), self.references.group.as_str())).collect()
    }

    /// Returns the mapping that has the fields of a child.
    pub(super) fn mapping(&self) -> FieldPath {
        self.references.field.split_last().map(|(above, _)| above).unwrap_or_default()
    }

    /// Returns the path of the list of parents that a child allows.
    pub(super) fn list(&self) -> FieldPath {
        self.children.field.key(&self.children.list)
    }

    /// Returns the path of the label selector of an item.
    pub(super) fn selector(&self, index: usize) -> FieldPath {
        self.parent.items.index(index).join(&self.parent.child_selector)
    }

    /// Returns the items of a parent.
    pub(super) fn items<'v>(&self, parent: &'v Value) -> &'v [Value] {
        self.parent.items.get(parent).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// Returns the last key of `path`.
    pub(super) fn key(path: &FieldPath) -> String {
        path.last_key().unwrap_or_default().to_owned()
    }
}

/// Returns the view of the object of a session, which is in `namespace` and at `place`.
pub(super) fn view<'a>(
    kind: &'a GroupKind,
    namespace: &'a super::super::namespace::Namespace,
    value: &'a Value,
    place: ObjectPlace<'a>,
) -> ObjectView<'a> {
    let name = value.get("metadata").and_then(|metadata| metadata.get("name")).and_then(Value::as_str);
    ObjectView { kind, namespace, name, value, place }
}

/// Returns the title of an object with its namespace: `Gateway infra/public`.
pub(super) fn title(object: &ObjectView<'_>) -> String {
    let name = object.name.unwrap_or("(no name)");
    let namespace = object.namespace.name().map_or_else(String::new, |namespace| format!("{namespace}/"));
    format!("{} {namespace}{name}", object.kind.kind)
}

/// Returns the text under a key.
pub(super) fn text(value: &Value, key: &str) -> Option<String> {
    value.get(key).and_then(Value::as_str).map(str::to_owned)
}

/// Returns a refusal.
pub(super) fn refused(at: FieldPath, reason: impl Into<String>, help: impl Into<String>) -> Halt {
    Halt::Refused { at, reason: reason.into(), help: Some(help.into()) }
}

/// Reads a path of keys.
fn keys<'de, D: Deserializer<'de>>(deserializer: D) -> Result<FieldPath, D::Error> {
    let pattern = FieldPattern::deserialize(deserializer)?;
    let path = pattern.as_path().filter(|path| matches!(path.split_last(), Some((_, Step::Key(_)))));
    path.ok_or_else(|| de::Error::custom(format!("`{pattern}` must consist of keys only, without `[]` and `{{}}`")))
}

/// Reads the path of a list, written with `[]` at its end.
fn list<'de, D: Deserializer<'de>>(deserializer: D) -> Result<FieldPath, D::Error> {
    let pattern = FieldPattern::deserialize(deserializer)?;
    let list = pattern.split_last().filter(|(_, last)| **last == Part::Items).and_then(|(list, _)| list.as_path());
    list.ok_or_else(|| de::Error::custom(format!("`{pattern}` must be the path of a list, followed by `[]`")))
}
