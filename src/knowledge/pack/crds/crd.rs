//! Answers: what does one CRD define?
//!
//! CRDs of `apiextensions.k8s.io/v1` hold one schema per version, those of `v1beta1` one for all or one each. A schema is
//! walked into one [`FieldFact`] per field pattern. Keywords that catalogs do not support are noted;
//! descriptions are omitted silently.
//!
//! Invariant: every field of a schema has a fact, except the keys that catalogs do not describe.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::combination::KEYWORDS;
use super::validations::{CEL, INTEGER_OR_STRING, Validations, canonical, is_integer_or_string};
use crate::knowledge::catalog::{Attributes, ListType, OUTSIDE, Relation, Scope, Type, compile};
use crate::knowledge::release::GroupKind;
use crate::syntax::field::{FieldPattern, Part};

/// A CRD, and where it is.
#[derive(Clone, Debug)]
pub struct PlacedCrd {
    /// Its place, for messages.
    pub place: String,
    /// The document.
    pub value: Arc<Value>,
}

/// The content of one CRD.
#[derive(Debug)]
pub(crate) struct Definition {
    /// The kind it defines.
    pub(crate) kind: GroupKind,
    /// Its scope, where that is known.
    pub(crate) scope: Option<Scope>,
    /// What converts objects between its versions.
    pub(crate) strategy: Strategy,
    /// Its versions, as listed.
    pub(crate) versions: Vec<DefinedVersion>,
}

/// What converts objects from one version of a CRD to another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub(crate) enum Strategy {
    /// Nothing: only the apiVersion changes.
    #[default]
    None,
    /// A webhook, which can change everything.
    Webhook,
}

/// One version of a CRD.
#[derive(Debug)]
pub(crate) struct DefinedVersion {
    /// The version's name: `v1beta1`.
    pub(crate) name: String,
    /// Whether the API server answers for it.
    pub(crate) served: bool,
    /// Whether objects are stored in it.
    pub(crate) storage: bool,
    /// Whether it is called deprecated.
    pub(crate) deprecated: bool,
    /// The facts of its schema, by field pattern.
    pub(crate) fields: BTreeMap<FieldPattern, FieldFact>,
    /// The parts of its schema that catalogs do not support.
    pub(crate) notes: Vec<Note>,
}

/// The schema of a field.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FieldFact {
    /// The value's type.
    pub(crate) kind: Type,
    /// Whether the value it is in must have it.
    pub(crate) required: bool,
    /// The attributes, as written in a catalog.
    pub(crate) attributes: String,
}

/// A part of a schema that is omitted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Note {
    /// The field it is about.
    pub(crate) pattern: FieldPattern,
    /// What is omitted, and why.
    pub(crate) what: String,
}

/// A CRD as written, without its schemas.
#[derive(Deserialize)]
struct Crd {
    spec: Spec,
}

#[derive(Deserialize)]
struct Spec {
    group: String,
    names: Names,
    scope: String,
    version: Option<String>,
    versions: Option<Vec<WireVersion>>,
    #[serde(rename = "validation")]
    _validation: Option<Validation>,
    conversion: Option<Conversion>,
    #[serde(rename = "preserveUnknownFields")]
    preserve_unknown: Option<bool>,
}

#[derive(Deserialize)]
struct Conversion {
    #[serde(default)]
    strategy: Strategy,
}

#[derive(Deserialize)]
struct Names {
    kind: String,
}

#[derive(Deserialize)]
struct WireVersion {
    name: String,
    served: bool,
    storage: bool,
    #[serde(default)]
    deprecated: bool,
    #[serde(rename = "schema")]
    _schema: Option<Validation>,
}

/// What is around a schema, which is walked where it is; here only its form is checked.
#[derive(Deserialize)]
struct Validation {}

/// What a CRD lists.
struct Listed {
    kind: GroupKind,
    scope: Scope,
    versions: Vec<WireVersion>,
}

impl Spec {
    /// Takes what the CRD lists.
    fn take_listed(&mut self) -> Result<Listed> {
        let kind = GroupKind::new(std::mem::take(&mut self.names.kind), std::mem::take(&mut self.group));
        let Some(scope) = Scope::parse(&self.scope) else { bail!("{kind}: `{}` is not a scope", self.scope) };
        let only = |name| WireVersion { name, served: true, storage: true, deprecated: false, _schema: None };
        let versions = self.versions.take().or_else(|| self.version.take().map(|name| vec![only(name)]));
        Ok(Listed { versions: versions.with_context(|| format!("{kind} lists no version"))?, kind, scope })
    }
}

/// Returns the kind that a document defines, where it is a CRD, and checks that the CRD can be understood. Its schemas are not read.
pub(crate) fn checked_kind(value: &Value) -> Result<Option<GroupKind>> {
    read(value)?.map(|mut spec| spec.take_listed().map(|listed| listed.kind)).transpose()
}

/// Reads the CRDs among the documents of a file; other documents are skipped.
pub(crate) fn definitions(text: &str) -> Result<Vec<Definition>> {
    let mut found = Vec::new();
    for document in serde_yaml::Deserializer::from_str(text) {
        let value = Value::deserialize(document).context("the file is not valid YAML")?;
        found.extend(definition_with(&value, Unsupported::Noted)?);
    }
    Ok(found)
}

/// Reads a document, where it is a CRD whose facts become a catalog of a pack.
pub(crate) fn definition_for_pack(value: &Value) -> Result<Option<Definition>> {
    definition_with(value, Unsupported::Noted)
}

/// Reads a document, where it is a CRD; keywords that catalogs do not support are kept to be compared.
pub(crate) fn definition_in(value: &Value) -> Result<Option<Definition>> {
    definition_with(value, Unsupported::Kept)
}

/// Reads a document, where it is a CRD that is all there is about its kind: keys that no schema names are kept where the API server
/// does not remove them. Projects wrote their CRDs without that in mind, so that it says nothing about their fields.
///
/// Source: documentation of CustomResourceDefinitions, "Field pruning".
pub(crate) fn definition_alone(value: &Value) -> Result<Option<Definition>> {
    let is_old = value["apiVersion"].as_str().is_some_and(|version| version.ends_with("/v1beta1"));
    let Some(spec) = read(value)? else { return Ok(None) };
    let is_pruned = !spec.preserve_unknown.unwrap_or(is_old);
    definition(value, spec, if is_pruned { Unsupported::Kept } else { Unsupported::KeptWithUnknownKeys }).map(Some)
}

fn definition_with(value: &Value, unsupported: Unsupported) -> Result<Option<Definition>> {
    read(value)?.map(|spec| definition(value, spec, unsupported)).transpose()
}

fn read(value: &Value) -> Result<Option<Spec>> {
    let group = value["apiVersion"].as_str().and_then(|version| version.split_once('/')).map(|(group, _)| group);
    if group != Some("apiextensions.k8s.io") || value["kind"] != "CustomResourceDefinition" {
        return Ok(None);
    }
    let crd = Crd::deserialize(value).context("the CRD is malformed")?;
    Ok(Some(crd.spec))
}

/// Reads the schemas of a CRD, `value`, whose other content is `spec`.
fn definition(value: &Value, mut spec: Spec, unsupported: Unsupported) -> Result<Definition> {
    let Listed { kind, scope, versions } = spec.take_listed()?;
    let strategy = spec.conversion.map_or_else(Strategy::default, |conversion| conversion.strategy);
    let schema =
        |place: String| value.pointer(&format!("/spec/{place}/openAPIV3Schema")).filter(|schema| !schema.is_null());
    let shared = schema("validation".to_owned());
    let mut walk = Walk::new(unsupported);
    let define = |(number, version): (usize, WireVersion)| {
        let (fields, notes) = walk.walked(schema(format!("versions/{number}/schema")).or(shared));
        let WireVersion { name, served, storage, deprecated, .. } = version;
        DefinedVersion { name, served, storage, deprecated, fields, notes }
    };
    Ok(Definition {
        kind,
        scope: Some(scope),
        strategy,
        versions: versions.into_iter().enumerate().map(define).collect(),
    })
}

/// Returns the facts of the schema of an object, and what catalogs do not support of it.
pub(crate) fn walked(schema: Option<&Value>) -> (BTreeMap<FieldPattern, FieldFact>, Vec<Note>) {
    Walk::new(Unsupported::Noted).walked(schema)
}

/// Reads what one schema says of its value, and nothing of what is in it.
pub(crate) fn facts_of(schema: &Map<String, Value>) -> (Type, Attributes) {
    let mut walk = Walk::new(Unsupported::Kept);
    let at = FieldPattern::default();
    (walk.kind(&at, schema), walk.attributes(&at, schema))
}

/// Whether the value that a field is in must have it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Presence {
    Optional,
    Required,
}

/// What becomes of keywords that catalogs do not support.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unsupported {
    /// They are noted: the author of a pack knows which of them matter.
    Noted,
    /// They are kept as they are, so that two schemas can be compared.
    Kept,
    /// They are kept, and so are the keys that a schema does not name.
    KeptWithUnknownKeys,
}

/// What walks the schemas of a CRD, one after the other.
struct Walk {
    unsupported: Unsupported,
    fields: BTreeMap<FieldPattern, FieldFact>,
    notes: Vec<Note>,
    /// Why patterns cannot be read; nothing of those that can. Schemas have the same few many times.
    pattern_errors: BTreeMap<String, Option<String>>,
}

impl Walk {
    const fn new(unsupported: Unsupported) -> Self {
        Self { unsupported, fields: BTreeMap::new(), notes: Vec::new(), pattern_errors: BTreeMap::new() }
    }

    /// Returns the facts of a schema, and what catalogs do not support of it.
    fn walked(&mut self, schema: Option<&Value>) -> (BTreeMap<FieldPattern, FieldFact>, Vec<Note>) {
        match schema {
            Some(Value::Object(schema)) => self.object(schema),
            _ => self.anything(),
        }
        (std::mem::take(&mut self.fields), std::mem::take(&mut self.notes))
    }

    /// Walks the schema of the whole object, of which only the parts that a catalog describes are kept.
    fn object(&mut self, schema: &Map<String, Value>) {
        let unchecked = self.unchecked(schema);
        let preserve_unknown = self.preserves_unknown(schema);
        let Validations { of_value: relations, unread, .. } = self.validations(schema);
        let attributes = Attributes { preserve_unknown, relations, unread, unchecked, ..Attributes::default() };
        if attributes != Attributes::default() {
            self.whole(attributes);
        }
        self.properties(&FieldPattern::default(), schema, |name| !OUTSIDE.contains(&name));
    }

    /// Notes that the whole object may hold anything.
    fn anything(&mut self) {
        self.whole(Attributes { preserve_unknown: true, ..Attributes::default() });
    }

    fn whole(&mut self, attributes: Attributes) {
        let fact = FieldFact { kind: Type::Object, required: false, attributes: attributes.to_column() };
        self.fields.insert(FieldPattern::default(), fact);
    }

    fn properties(&mut self, at: &FieldPattern, schema: &Map<String, Value>, is_kept: impl Fn(&str) -> bool) {
        let required = schema.get("required").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let Some(Value::Object(properties)) = schema.get("properties") else { return };
        for (name, child) in properties.iter().filter(|(name, _)| is_kept(name)) {
            let required = required.iter().any(|one| one == name.as_str());
            let presence = if required { Presence::Required } else { Presence::Optional };
            self.field(at.with(Part::Key(name.clone())), child, presence, Vec::new());
        }
    }

    /// Walks the schema of a field, of whose value the list that it is in demands `relations`.
    fn field(&mut self, at: FieldPattern, schema: &Value, presence: Presence, relations: Vec<Relation>) {
        let empty = Map::new();
        let schema = schema.as_object().unwrap_or(&empty);
        let kind = self.kind(&at, schema);
        let Validations { of_value, of_items, unread } = self.validations(schema);
        let mut attributes = self.attributes(&at, schema);
        attributes.relations = [relations, of_value].concat();
        attributes.unread = unread;
        let attributes = attributes.to_column();
        self.fields.insert(at.clone(), FieldFact { kind, required: presence == Presence::Required, attributes });
        self.properties(&at, schema, |_| true);
        if let Some(items) = schema.get("items") {
            self.field(at.with(Part::Items), items, Presence::Optional, of_items);
        }
        match schema.get("additionalProperties") {
            Some(Value::Bool(true)) => self.field(at.with(Part::Values), &Value::Null, Presence::Optional, Vec::new()),
            Some(values @ Value::Object(_)) => {
                self.field(at.with(Part::Values), values, Presence::Optional, Vec::new())
            }
            _ => {}
        }
    }
}

impl Walk {
    fn kind(&mut self, at: &FieldPattern, schema: &Map<String, Value>) -> Type {
        if schema.get(INTEGER_OR_STRING) == Some(&Value::Bool(true)) {
            return Type::IntegerOrString;
        }
        if schema.get(QUANTITY) == Some(&Value::Bool(true)) {
            return Type::Quantity;
        }
        match schema.get("type").and_then(Value::as_str) {
            Some("object") => Type::Object,
            Some("array") => Type::Array,
            Some("string") => Type::String,
            Some("integer") => Type::Integer,
            Some("number") => Type::Number,
            Some("boolean") => Type::Boolean,
            Some(other) => {
                self.note(at, format!("type `{other}` is unknown; any value is accepted"));
                Type::Any
            }
            None if schema.contains_key("properties") || schema.contains_key("additionalProperties") => Type::Object,
            None if schema.contains_key("items") => Type::Array,
            None => Type::Any,
        }
    }

    fn attributes(&mut self, at: &FieldPattern, schema: &Map<String, Value>) -> Attributes {
        for (keyword, value) in schema.iter().filter(|(keyword, _)| !KEPT.contains(&keyword.as_str())) {
            if !SILENT.contains(&keyword.as_str()) && !KEYWORDS.contains(&keyword.as_str()) {
                self.note(at, format!("`{keyword}: {value}` is omitted: catalogs do not support this keyword"));
            }
        }
        let text = |keyword: &str| schema.get(keyword).and_then(Value::as_str).map(str::to_owned);
        // Nothing is longer or has more than 0 where less than that is allowed.
        let count = |keyword: &str| schema.get(keyword).and_then(|at| at.as_u64().or_else(|| at.as_i64().map(|_| 0)));
        let number = |keyword: &str| schema.get(keyword).and_then(Value::as_number).cloned();
        let is = |keyword: &str| schema.get(keyword) == Some(&Value::Bool(true));
        let list_type = schema.get("x-kubernetes-list-type").and_then(|name| ListType::deserialize(name).ok());
        let list_keys = schema.get("x-kubernetes-list-map-keys").and_then(|keys| Vec::deserialize(keys).ok());
        Attributes {
            allowed: schema.get("enum").and_then(Value::as_array).map(|values| allowed(values)),
            default: schema.get("default").map(canonical),
            pattern: text("pattern").filter(|pattern| self.compiles(at, pattern)),
            format: text("format"),
            min_length: count("minLength"),
            max_length: count("maxLength"),
            min_items: count("minItems"),
            max_items: count("maxItems"),
            min_properties: count("minProperties"),
            max_properties: count("maxProperties"),
            minimum: number("minimum"),
            maximum: number("maximum"),
            list_type,
            list_keys: list_keys.unwrap_or_default(),
            merge_key: text(MERGE_KEY),
            map_type: text("x-kubernetes-map-type"),
            nullable: is("nullable"),
            preserve_unknown: self.preserves_unknown(schema),
            relations: Vec::new(),
            unread: Vec::new(),
            unchecked: self.unchecked(schema),
        }
    }

    fn preserves_unknown(&self, schema: &Map<String, Value>) -> bool {
        let holds_keys = || schema.get("type").is_none_or(|kind| kind == "object") && !schema.contains_key("items");
        schema.get(PRESERVE) == Some(&Value::Bool(true))
            || self.unsupported == Unsupported::KeptWithUnknownKeys && holds_keys()
    }

    /// Returns what a schema demands of several fields together, where it is not kept as it is.
    fn validations(&self, schema: &Map<String, Value>) -> Validations {
        if self.unsupported == Unsupported::Noted { Validations::of(schema) } else { Validations::default() }
    }

    /// Returns the keywords of a schema that are kept though catalogs do not support them.
    fn unchecked(&mut self, schema: &Map<String, Value>) -> Map<String, Value> {
        if self.unsupported == Unsupported::Noted {
            return Map::new();
        }
        let mut is_kept = |keyword: &str, value: &Value| match keyword {
            CEL => true,
            "pattern" => value.as_str().is_some_and(|pattern| self.pattern_error(pattern).is_some()),
            _ if is_integer_or_string(schema, keyword) || *value == Value::Bool(false) => false,
            _ => !KEPT.contains(&keyword) && !SILENT.contains(&keyword),
        };
        let kept = schema.iter().filter(|(keyword, value)| is_kept(keyword, value));
        kept.map(|(keyword, value)| (keyword.clone(), canonical(value))).collect()
    }

    fn compiles(&mut self, at: &FieldPattern, pattern: &str) -> bool {
        let error = self.pattern_error(pattern);
        if let Some(message) = &error {
            self.note(at, format!("{message}; it is omitted"));
        }
        error.is_none()
    }

    fn pattern_error(&mut self, pattern: &str) -> Option<String> {
        if let Some(known) = self.pattern_errors.get(pattern) {
            return known.clone();
        }
        let error = compile(pattern).err();
        self.pattern_errors.insert(pattern.to_owned(), error.clone());
        error
    }

    fn note(&mut self, at: &FieldPattern, what: String) {
        self.notes.push(Note { pattern: at.clone(), what });
    }
}

/// The keyword of a schema that keeps unnamed keys.
pub(crate) const PRESERVE: &str = "x-kubernetes-preserve-unknown-fields";

/// The keyword that stands here for the schema of a quantity, which OpenAPI knows by its name.
pub(crate) const QUANTITY: &str = "x-quantity";

/// The keyword of a list that names the field by which a patch finds an item.
pub(crate) const MERGE_KEY: &str = "x-kubernetes-patch-merge-key";

/// The keywords that a catalog holds.
const KEPT: [&str; 24] = [
    "additionalProperties",
    "default",
    "enum",
    "format",
    "items",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "nullable",
    "pattern",
    "properties",
    "required",
    "type",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-list-type",
    "x-kubernetes-map-type",
    MERGE_KEY,
    PRESERVE,
    QUANTITY,
];

/// The keywords without effect on the shape of a value, CEL rules among them.
const SILENT: [&str; 7] = ["$schema", "description", "example", "externalDocs", "title", INTEGER_OR_STRING, CEL];

/// Sorts allowed values, whose order means nothing.
fn allowed(values: &[Value]) -> Vec<Value> {
    let mut values: Vec<Value> = values.iter().map(canonical).collect();
    values.sort_by_cached_key(Value::to_string);
    values.dedup();
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a CRD with one version whose schema of `spec` is `spec`, and returns its rows and notes as text.
    fn walked(spec: &str) -> (Vec<String>, Vec<String>) {
        let text = format!(
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec:\n  group: example.com\n  \
             names: {{ kind: Shop }}\n  scope: Namespaced\n  versions:\n  - {{ name: v1, served: true, storage: true, \
             schema: {{ openAPIV3Schema: {{ type: object, required: [spec], properties: {{ kind: {{ type: string }}, \
             status: {{ type: object }}, spec: {spec} }} }} }} }}\n"
        );
        let version = definitions(&text).unwrap().remove(0).versions.remove(0);
        let row = |(pattern, fact): (&FieldPattern, &FieldFact)| {
            let required = if fact.required { "!" } else { "" };
            format!("{pattern}{required} {} {}", fact.kind.name(), fact.attributes).trim_end().to_owned()
        };
        let note = |note: &Note| format!("{} {}", note.pattern, note.what);
        (version.fields.iter().map(row).collect(), version.notes.iter().map(note).collect())
    }

    #[track_caller]
    fn check(spec: &str, rows: &[&str]) {
        assert_eq!(walked(spec), (rows.iter().map(ToString::to_string).collect(), Vec::new()));
    }

    #[test]
    fn lists_and_maps_have_their_own_patterns() {
        check(
            "{ type: object, required: [a], properties: { a: { type: array, x-kubernetes-list-type: map, \
             x-kubernetes-list-map-keys: [k], items: { type: object, properties: { k: { type: string } } } }, \
             m: { type: object, additionalProperties: { type: integer, format: int32 } }, \
             f: { type: object, additionalProperties: true } } }",
            &[
                "spec! object",
                r#"spec.a! array {"listType":"map","listKeys":["k"]}"#,
                "spec.a[] object",
                "spec.a[].k string",
                "spec.f object",
                "spec.f{} any",
                "spec.m object",
                r#"spec.m{} integer {"format":"int32"}"#,
            ],
        );
    }

    #[test]
    fn values_have_one_spelling() {
        check(
            "{ type: string, enum: [b, a, b], default: { y: 1, x: 2 }, description: text, nullable: true }",
            &[r#"spec! string {"enum":["a","b"],"default":{"x":2,"y":1},"nullable":true}"#],
        );
    }

    #[test]
    fn special_types_of_kubernetes_are_known() {
        check(
            "{ type: object, properties: { i: { x-kubernetes-int-or-string: true, \
             anyOf: [{ type: integer }, { type: string }] }, p: { x-kubernetes-preserve-unknown-fields: true } } }",
            &["spec! object", "spec.i integer-or-string", r#"spec.p any {"preserveUnknown":true}"#],
        );
    }

    #[test]
    fn schemas_that_a_catalog_cannot_express_are_noted() {
        let (rows, notes) = walked("{ type: string, pattern: '^(?=a)', oneOf: [{ minLength: 1 }] }");
        assert_eq!(rows, [r#"spec! string {"unread":["940e18bc8b98"]}"#]);
        assert_eq!(notes.len(), 1, "{notes:?}");
        assert!(notes[0].starts_with("spec pattern `^(?=a)`:"));
    }

    #[test]
    fn a_crd_names_what_converts_its_objects() {
        let strategy = |version: &str, conversion: &str| {
            let text = format!(
                "apiVersion: apiextensions.k8s.io/{version}\nkind: CustomResourceDefinition\nspec:\n  group: example.com\n  \
                 names: {{ kind: Shop }}\n  scope: Cluster\n  versions: []\n{conversion}"
            );
            definitions(&text).map(|definitions| definitions[0].strategy)
        };
        assert_eq!(strategy("v1", "").unwrap(), Strategy::None);
        assert_eq!(strategy("v1", "  conversion: { strategy: None }\n").unwrap(), Strategy::None);
        assert_eq!(
            strategy("v1", "  conversion: { strategy: Webhook, webhook: { conversionReviewVersions: [v1] } }\n")
                .unwrap(),
            Strategy::Webhook
        );
        assert_eq!(
            strategy("v1beta1", "  conversion: { strategy: Webhook, conversionReviewVersions: [v1] }\n").unwrap(),
            Strategy::Webhook
        );
        assert!(strategy("v1", "  conversion: { strategy: Magic }\n").is_err());
    }

    #[test]
    fn one_schema_may_serve_every_version() {
        let text = "apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
spec:
  group: example.com
  names: { kind: Shop }
  scope: Cluster
  version: v1
  validation: { openAPIV3Schema: { properties: { spec: { type: string } } } }
---
apiVersion: v1
kind: ConfigMap
---
apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
spec: { group: example.com, names: { kind: Store }, scope: Cluster, version: v1 }
";
        let found = definitions(text).unwrap();
        let fields = |at: usize| -> Vec<String> {
            found[at].versions[0]
                .fields
                .iter()
                .map(|(pattern, fact)| format!("{pattern} {}", fact.kind.name()))
                .collect()
        };
        assert_eq!(
            (found.len(), fields(0), fields(1)),
            (2, vec!["spec string".to_owned()], vec![" object".to_owned()])
        );
        assert_eq!(found[0].scope, Some(Scope::Cluster));
    }
}
