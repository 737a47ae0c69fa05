//! Answers: what does one row of a catalog hold about a field?
//!
//! A row holds a [`Type`], whether the field is required and its [`Attributes`], written as compact JSON. Limits that hold
//! for one type only (lengths for strings, counts for lists) are kept side by side, as in a CRD.
//!
//! Invariant: a row written and read back is the same row.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

use super::relation::Relation;
use crate::knowledge::release::ReleaseSet;
use crate::syntax::field::FieldPattern;

/// Whether the objects of a kind are in a namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// One object per name in the whole cluster.
    Cluster,
    /// One object per name in each namespace.
    Namespaced,
}

impl Scope {
    /// Returns the scope's name as in a CRD.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cluster => "Cluster",
            Self::Namespaced => "Namespaced",
        }
    }

    /// Reads a scope's name.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Cluster, Self::Namespaced].into_iter().find(|scope| scope.name() == text)
    }
}

/// What a value must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Type {
    /// Anything at all: `value: [1, {a: b}]`.
    Any,
    /// A list: `hostnames: [a.example]`.
    Array,
    /// `true` or `false`.
    Boolean,
    /// A whole number or a string: `maxUnavailable: 25%`.
    IntegerOrString,
    /// A whole number, `2.0` included.
    Integer,
    /// Any number.
    Number,
    /// A mapping, of named fields or of free keys: `selector: {app: shop}`.
    Object,
    /// An amount of a resource, as a number or a text: `cpu: 0.5`, `memory: 1Gi`.
    Quantity,
    /// A string.
    String,
}

impl Type {
    const ALL: [Self; 9] = [
        Self::Any,
        Self::Array,
        Self::Boolean,
        Self::IntegerOrString,
        Self::Integer,
        Self::Number,
        Self::Object,
        Self::Quantity,
        Self::String,
    ];

    /// Returns the type's name as written in a catalog.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::Array => "array",
            Self::Boolean => "boolean",
            Self::IntegerOrString => "integer-or-string",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Object => "object",
            Self::Quantity => "quantity",
            Self::String => "string",
        }
    }

    /// Reads a type's name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == text)
    }

    /// Returns whether `value`, which is not null, is of this type.
    pub fn accepts(self, value: &Value) -> bool {
        match self {
            Self::Any => true,
            Self::Array => value.is_array(),
            Self::Boolean => value.is_boolean(),
            Self::IntegerOrString => value.is_string() || is_whole(value),
            Self::Integer => is_whole(value),
            Self::Number => value.is_number(),
            Self::Object => value.is_object(),
            Self::Quantity => value.is_string() || value.is_number(),
            Self::String => value.is_string(),
        }
    }
}

fn is_whole(value: &Value) -> bool {
    value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0)
}

/// How the items of a list are distinguished when two writers' lists are merged.
///
/// Source: `x-kubernetes-list-type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ListType {
    /// The list is one value.
    Atomic,
    /// Items are distinguished by their key fields.
    Map,
    /// Items are distinguished by their value.
    Set,
}

/// The constraints of a schema on a value beyond its type.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Attributes {
    /// The allowed values, sorted by their JSON text: `{"enum":["Local","Shared"]}`; every value of the type where it is not written.
    #[serde(rename = "enum", skip_serializing_if = "Option::is_none")]
    pub allowed: Option<Vec<Value>>,
    /// The value that the API server fills in: `{"default":80}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
    /// A pattern in RE2 syntax that a string must match somewhere: `{"pattern":"^[a-z]+$"}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// The format's name, not checked: `{"format":"int32"}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// The fewest characters of a string: `{"minLength":1}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_length: Option<u64>,
    /// The most characters of a string: `{"maxLength":63}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_length: Option<u64>,
    /// The fewest items of a list: `{"minItems":1}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_items: Option<u64>,
    /// The most items of a list: `{"maxItems":16}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_items: Option<u64>,
    /// The fewest keys of a mapping: `{"minProperties":1}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_properties: Option<u64>,
    /// The most keys of a mapping: `{"maxProperties":8}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_properties: Option<u64>,
    /// The smallest number, itself allowed: `{"minimum":1}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minimum: Option<Number>,
    /// The largest number, itself allowed: `{"maximum":65535}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub maximum: Option<Number>,
    /// How a list's items are distinguished: `{"listType":"set"}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub list_type: Option<ListType>,
    /// The key fields of a list whose type is `map`: `{"listKeys":["name"],"listType":"map"}`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub list_keys: Vec<String>,
    /// The field by which a strategic merge patch finds the item of a list: `{"mergeKey":"name"}`. Unlike a key of the list, it can
    /// repeat.
    ///
    /// Source: `x-kubernetes-patch-merge-key`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) merge_key: Option<String>,
    /// How two writers' mappings are merged, `atomic` or `granular`: `{"mapType":"atomic"}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub map_type: Option<String>,
    /// Whether null is a value of its own: `{"nullable":true}`.
    #[serde(default, skip_serializing_if = "is_false")]
    pub nullable: bool,
    /// Whether keys that the schema does not name are kept: `{"preserveUnknown":true}`.
    #[serde(default, skip_serializing_if = "is_false")]
    pub preserve_unknown: bool,
    /// What must hold for its fields together: `{"relations":[{"exactlyOneOf":["value","secretRef"]}]}`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) relations: Vec<Relation>,
    /// The validations of a CRD that no relation says, by the hash of their text: `{"unread":["488d4b7638f564a9"]}`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<String>,
    /// Keywords of a CRD that are compared, not checked: `{"unchecked":{"multipleOf":5}}`. Catalogs of packs have none.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub unchecked: Map<String, Value>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_false(value: &bool) -> bool {
    !*value
}

impl Attributes {
    /// Reads the compact JSON of a catalog's column; an empty column is no attribute.
    ///
    /// # Errors
    /// A message for text that is no JSON object or holds an unknown attribute.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Ok(Self::default());
        }
        serde_json::from_str(text).map_err(|error| format!("`{text}` is not a JSON object of attributes: {error}"))
    }

    /// Writes the compact JSON of a catalog's column.
    pub(crate) fn to_column(&self) -> String {
        if *self == Self::default() {
            return String::new();
        }
        serde_json::to_string(self).expect("attributes hold strings, numbers and JSON values only")
    }

    /// Returns whether `value` is among the allowed values.
    pub fn allows(&self, value: &Value) -> bool {
        self.allowed.as_ref().is_none_or(|allowed| allowed.iter().any(|one| same(one, value)))
    }
}

/// Compares two values as the API server does: numbers by value, not by spelling.
pub(super) fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left == right || left.as_f64() == right.as_f64(),
        _ => left == right,
    }
}

/// The schema of the fields that match one pattern.
#[derive(Clone, Debug)]
pub struct Field<'c> {
    /// The path of the field: `spec.rules[].name`.
    pub pattern: FieldPattern,
    /// What its value must be.
    pub kind: Type,
    /// Whether the value it is in must have it.
    pub required: bool,
    /// Everything else about its value.
    pub attributes: &'c Attributes,
    /// The versions (`v1`) whose schemas have it; empty for every version that a release lists.
    pub api_versions: &'c [String],
    /// The releases whose CRDs have it.
    pub releases: ReleaseSet,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn attributes_are_written_in_one_order_and_read_back() {
        let text = r#"{"enum":["A","B"],"default":"A","pattern":"^[\t ]$","maxLength":5,"listType":"map","listKeys":["name"],"nullable":true}"#;
        assert_eq!(Attributes::parse(text).unwrap().to_column(), text);
        assert_eq!(Attributes::parse("").unwrap().to_column(), "");
        assert!(Attributes::parse(r#"{"maxLenght":5}"#).is_err());
    }

    #[test]
    fn numbers_are_compared_by_value() {
        let attributes = Attributes { allowed: Some(vec![json!(301), json!(302)]), ..Attributes::default() };
        assert!(attributes.allows(&json!(302.0)));
        assert!(!attributes.allows(&json!("302")));
    }

    #[test]
    fn a_whole_number_may_be_written_as_a_float() {
        assert!(Type::Integer.accepts(&json!(2.0)));
        assert!(!Type::Integer.accepts(&json!(2.5)));
        assert!(!Type::Integer.accepts(&json!("2")));
        assert!(Type::IntegerOrString.accepts(&json!("25%")));
        assert!(!Type::IntegerOrString.accepts(&json!(0.5)));
        assert!(Type::Quantity.accepts(&json!(0.5)) && Type::Quantity.accepts(&json!("500m")));
        assert!(!Type::Quantity.accepts(&json!(true)));
    }
}
