//! What the API server demands of schemas: that they are structural, and can be read.
//!
//! Source: `validateCustomResourceDefinitionValidation`, `ValidateStructural` and `ValidateDefaults` of apiextensions-apiserver.

use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use super::keyword::{COMBINATIONS, KEYS, RULES, is_known, shown};
use super::set::SchemaPart;
use crate::knowledge::catalog::syntax_error;
use crate::knowledge::pack::crds::cel::reads_old;
use crate::knowledge::pack::crds::crd::PRESERVE;
use crate::knowledge::pack::crds::own::violations;
use crate::knowledge::pack::crds::validations::INTEGER_OR_STRING;
use crate::syntax::field::{Entries as _, FieldPath, FieldPattern, Part};

pub(super) const EMBEDDED: &str = "x-kubernetes-embedded-resource";
pub(super) const LIST_TYPE: &str = "x-kubernetes-list-type";
const MAP_TYPE: &str = "x-kubernetes-map-type";

/// The fields of every object, which schemas can say little about.
const OF_OBJECTS: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// What the schema of `metadata` can have; its fields can be these.
const OF_METADATA: [&str; 5] = ["default", "example", "externalDocs", "properties", "type"];
const FIELDS_OF_METADATA: [&str; 2] = ["generateName", "name"];

/// The reasons that a rule can give.
const REASONS: [&str; 4] = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

/// What a schema of a combination cannot have, since it says what a value is.
const STRUCTURE: [&str; 13] = [
    "additionalProperties",
    "default",
    "description",
    "nullable",
    "title",
    "type",
    EMBEDDED,
    INTEGER_OR_STRING,
    KEYS,
    LIST_TYPE,
    MAP_TYPE,
    PRESERVE,
    RULES,
];

/// How a combination may name types: where a value is an integer or a string.
static BOTH: LazyLock<Value> = LazyLock::new(|| json!([{"type": "integer"}, {"type": "string"}]));

type Schema = Map<String, Value>;

/// Something that is wrong: where, and what.
pub(super) type Wrong = (FieldPath, String);

/// A schema, and what those around it decide.
pub(super) struct Node<'c> {
    pub(super) field: FieldPattern,
    pub(super) part: SchemaPart<'c>,
    /// Whether the CRD is of `v1`, which demands more.
    is_v1: bool,
    place: Place,
    default: Default,
    /// Whether a rule can compare the value with the one that it was.
    has_old: bool,
}

/// What the values of a schema are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Object,
    /// What every object has, in objects and those that are in a field.
    OfObject,
    Other,
}

/// What becomes of a default.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Default {
    Checked,
    Unchecked,
    Refused,
}

/// Where a combination of schemas may have [`BOTH`].
#[derive(Clone, Copy, PartialEq, Eq)]
enum Both {
    /// In `anyOf`, or in that of the first schema of `allOf`.
    HereOrFirst,
    Here,
    Nowhere,
}

impl<'c> Node<'c> {
    /// Returns the schema of the objects of a version.
    pub(super) fn root(part: SchemaPart<'c>, is_v1: bool) -> Self {
        let field = FieldPattern::default();
        Self { field, part, is_v1, place: Place::Object, default: Default::Checked, has_old: true }
    }

    /// Lists the schemas of the fields, items and values in it.
    pub(super) fn inside(&self) -> Vec<Self> {
        let schema = self.part.schema;
        let is_object = self.place == Place::Object;
        let node = |(step, part): (Part, SchemaPart<'c>)| {
            let is_of_object = matches!(&step, Part::Key(name) if OF_OBJECTS.contains(&name.as_str()));
            let is_of_object = is_of_object && (is_object || is(schema, EMBEDDED));
            let place = if is_of_object || self.place == Place::OfObject { Place::OfObject } else { Place::Other };
            let (default, has_old) = match &step {
                Part::Key(_) if is_of_object && is_object => (Default::Refused, true),
                Part::Key(_) => (self.default, schema.text(MAP_TYPE).is_none_or(|of| of == "granular")),
                Part::Values if place == Place::OfObject => (Default::Refused, true),
                Part::Values if self.default == Default::Checked => (Default::Unchecked, true),
                Part::Values => (self.default, true),
                _ => (self.default, schema.text(LIST_TYPE) == Some("map")),
            };
            let (field, is_v1) = (self.field.with(step), self.is_v1);
            Self { field, part, is_v1, place, default, has_old: self.has_old && has_old }
        };
        self.part.inside().into_iter().map(node).collect()
    }

    /// Lists what is wrong with the schema, and nothing of what is in it.
    pub(super) fn wrong(&self) -> Vec<Wrong> {
        let SchemaPart { schema, at, .. } = &self.part;
        let text = |keyword: &String, value| {
            let text = self.of_keyword(schema, keyword, value);
            text.or_else(|| self.is_v1.then(|| self.of_structure(keyword, value)).flatten())
        };
        let wrong = |(keyword, value)| text(keyword, value).map(|text| (at.key(keyword), text));
        let mut found: Vec<Wrong> = schema.iter().filter_map(wrong).collect();
        if self.is_v1 {
            found.extend(self.missing().map(|text| (at.key("type"), text.to_owned())));
            found.extend(self.rules());
        }
        let beside = (self.place == Place::Object).then_some(*schema);
        self.combinations(schema, at, Both::HereOrFirst, beside, &mut found);
        found
    }

    /// Says what is wrong with a keyword of any schema, those of combinations too.
    fn of_keyword(&self, schema: &Schema, keyword: &str, value: &Value) -> Option<String> {
        let text = match keyword {
            "pattern" => {
                let error = syntax_error(value.as_str()?)?;
                return Some(format!("the pattern {} cannot be read: {error}", shown(Some(value))));
            }
            _ if !self.is_v1 => return None,
            "$ref" | "$schema" | "additionalItems" | "definitions" | "dependencies" | "id" | "patternProperties"
                if is_set(value) || *value == false =>
            {
                return Some(format!("a CRD cannot have {keyword}"));
            }
            "uniqueItems" if *value == true => "uniqueItems is refused; use `x-kubernetes-list-type: set`",
            "additionalProperties"
                if *value != true && !value.is_null() && schema.get("properties").is_some_and(is_set) =>
            {
                "a schema has properties or additionalProperties"
            }
            "items" if value.is_array() => "items must be one schema",
            PRESERVE if *value == false => "x-kubernetes-preserve-unknown-fields can be true only",
            _ => return None,
        };
        Some(text.to_owned())
    }

    /// Says what is wrong with a keyword of a schema that is no part of a combination.
    fn of_structure(&self, keyword: &str, value: &Value) -> Option<String> {
        let schema = self.part.schema;
        let is_root = self.place == Place::Object;
        let kind = schema.text("type").unwrap_or_default();
        let text = match keyword {
            "default" => return self.of_default(value),
            "type" if is_root && value != "object" => "the type of an object must be object",
            "type" if value == "array" && !schema.contains_key("items") => "an array must have items",
            "nullable" if is_root && *value == true => "an object cannot be null",
            "additionalProperties" if is_root && !value.is_null() => "an object has no additionalProperties",
            "additionalProperties" if is(schema, EMBEDDED) => "an embedded resource has no additionalProperties",
            PRESERVE if is(schema, INTEGER_OR_STRING) => "an integer or string has no unknown fields",
            EMBEDDED if *value == true => self.of_embedded(kind)?,
            "properties" if is_root || is(schema, EMBEDDED) => return self.of_object_fields(value),
            MAP_TYPE if kind != "object" => "x-kubernetes-map-type is for the type object",
            MAP_TYPE if value != "atomic" && value != "granular" => "x-kubernetes-map-type is atomic or granular",
            LIST_TYPE if kind != "array" => "x-kubernetes-list-type is for the type array",
            LIST_TYPE => return of_list(schema, value.as_str()?),
            KEYS if is_set(value) && schema.text(LIST_TYPE) != Some("map") => {
                "x-kubernetes-list-map-keys needs `x-kubernetes-list-type: map`"
            }
            _ => return None,
        };
        Some(text.to_owned())
    }

    /// Says what is wrong with a schema for what it lacks.
    fn missing(&self) -> Option<&'static str> {
        let schema = self.part.schema;
        let has_type = schema.get("type").is_some_and(is_set);
        let is_any = [PRESERVE, INTEGER_OR_STRING].iter().any(|keyword| is(schema, keyword));
        (!has_type && !is_any && !is(schema, EMBEDDED)).then_some("the schema has no type")
    }

    fn of_embedded(&self, kind: &str) -> Option<&'static str> {
        let schema = self.part.schema;
        let problems = [
            (is(schema, INTEGER_OR_STRING), "an embedded resource is no integer or string"),
            (kind != "object", "the type of an embedded resource must be object"),
            (self.place == Place::OfObject, "there is no embedded resource in metadata"),
            (
                !is(schema, PRESERVE) && !schema.get("properties").is_some_and(is_set),
                "an embedded resource needs properties or x-kubernetes-preserve-unknown-fields",
            ),
        ];
        problems.into_iter().find(|(is_so, _)| *is_so).map(|(_, text)| text)
    }

    /// Says what is wrong with the schemas of the fields that every object has.
    fn of_object_fields(&self, fields: &Value) -> Option<String> {
        let wrong = |name: &&str| {
            let expected = if *name == "metadata" { "object" } else { "string" };
            fields.entry(name).is_some_and(|schema| schema.text("type") != Some(expected))
        };
        if let Some(name) = OF_OBJECTS.iter().find(|name| wrong(name)) {
            return Some(format!("{name} has another type than that of every object"));
        }
        let metadata = fields.entry("metadata").filter(|_| self.place == Place::Object)?.as_object()?;
        let more = metadata.iter().filter(|(keyword, _)| !OF_METADATA.contains(&keyword.as_str()));
        let mut more = more.filter(|(keyword, value)| is_known(keyword) && is_written(keyword, value));
        let mut named = metadata.get("properties").and_then(Value::as_object).into_iter().flatten();
        let more = more.next().or_else(|| named.find(|(name, _)| !FIELDS_OF_METADATA.contains(&name.as_str())));
        more.map(|(what, _)| format!("metadata can limit name and generateName only, not {what}"))
    }

    fn of_default(&self, default: &Value) -> Option<String> {
        let schema = self.part.schema;
        match self.default {
            Default::Refused => Some("what every object has can have no default".to_owned()),
            Default::Unchecked => None,
            Default::Checked => {
                let wrong =
                    |what: String| format!("the default {} does not fit its schema: {what}", shown(Some(default)));
                if let Some(violation) = violations(schema, default).first() {
                    let inside = FieldPath::new(violation.path.steps().iter().skip(1).cloned());
                    let inside = if inside.steps().is_empty() { "it".to_owned() } else { inside.to_string() };
                    return Some(wrong(format!("{inside} {}", violation.kind)));
                }
                let is_pruned = self.is_v1 && self.place == Place::Other;
                let unknown = is_pruned.then(|| unknown(Some(schema), default, &FieldPath::default())).flatten()?;
                Some(wrong(format!("{unknown} is unknown")))
            }
        }
    }

    /// Lists what is wrong with CEL rules that can be read.
    fn rules(&self) -> Vec<Wrong> {
        let SchemaPart { schema, at, .. } = &self.part;
        let of_rule = |(index, rule): (usize, &Value)| {
            let text = |key: &str| rule.text(key).unwrap_or_default();
            let [words, message, path] = ["rule", "message", "fieldPath"].map(|key| text(key).trim());
            let has_lines = |text: &str| text.contains(['\n', '\r']);
            let problems = [
                ("rule", text("rule").is_empty(), "the rule is missing"),
                ("message", has_lines(message), "the message has several lines"),
                ("message", message.is_empty() && !text("message").is_empty(), "the message is blank"),
                ("message", message.is_empty() && has_lines(words), "a rule of several lines needs a message"),
                (
                    "reason",
                    rule["reason"].as_str().is_some_and(|reason| !REASONS.contains(&reason)),
                    "there is no such reason",
                ),
                (
                    "fieldPath",
                    !text("fieldPath").is_empty() && named(schema, path) == Some(None),
                    "the fieldPath names no field",
                ),
                (
                    "rule",
                    !self.has_old && reads_old(words),
                    "oldSelf is not known here: a list around it is not of the type map, or a mapping is atomic",
                ),
                (
                    "optionalOldSelf",
                    !rule["optionalOldSelf"].is_null() && !words.contains("oldSelf"),
                    "optionalOldSelf is for rules with oldSelf",
                ),
            ];
            let at = at.key(RULES).index(index);
            let wrong = problems.into_iter().filter(|(_, is_so, _)| *is_so);
            wrong.map(move |(key, _, text)| (at.key(key), text.to_owned())).collect::<Vec<_>>()
        };
        schema.items(RULES).iter().enumerate().flat_map(of_rule).collect()
    }

    /// Lists what is wrong with the combinations of a schema; `beside` must name what they name.
    fn combinations(
        &self,
        schema: &Schema,
        at: &FieldPath,
        both: Both,
        beside: Option<&Schema>,
        found: &mut Vec<Wrong>,
    ) {
        for keyword in COMBINATIONS {
            match schema.entry(keyword) {
                Some(value) if keyword == "anyOf" && both != Both::Nowhere && *value == *BOTH => {}
                Some(Value::Array(all)) => all.iter().enumerate().for_each(|(index, one)| {
                    let is_first = keyword == "allOf" && index == 0 && both == Both::HereOrFirst;
                    let both = if is_first { Both::Here } else { Both::Nowhere };
                    self.combined(one, &at.key(keyword).index(index), both, beside, found);
                }),
                Some(one) => self.combined(one, &at.key(keyword), Both::Nowhere, beside, found),
                None => {}
            }
        }
    }

    /// Lists what is wrong with a schema of a combination, and with those in it.
    fn combined(&self, one: &Value, at: &FieldPath, both: Both, beside: Option<&Schema>, found: &mut Vec<Wrong>) {
        let Some(schema) = one.as_object() else { return };
        for (keyword, value) in schema {
            let text = self.of_keyword(schema, keyword, value);
            let is_structure = self.is_v1 && STRUCTURE.contains(&keyword.as_str());
            let is_structure = is_structure && is_written(keyword, value) && *value != false;
            let text = text.or_else(|| is_structure.then(|| format!("a combination of schemas cannot have {keyword}")));
            found.extend(text.map(|text| (at.key(keyword), text)));
        }
        self.combinations(schema, at, both, beside, found);
        let beside = beside.filter(|_| self.is_v1);
        let fields = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
        let fields = fields.map(|(name, field)| {
            let own = beside.map(|beside| beside.get("properties").and_then(|fields| fields.get(name)));
            (name.as_str(), at.key("properties").key(name), field, own)
        });
        let items = schema.get("items").filter(|items| items.is_object());
        let items = items.map(|items| ("items", at.key("items"), items, beside.map(|beside| beside.get("items"))));
        for (name, at, inside, own) in fields.chain(items) {
            let problem = match own {
                _ if self.is_v1 && name == "metadata" => {
                    Some("a combination of schemas cannot limit metadata".to_owned())
                }
                Some(None) => Some(format!("{name} is not in the schema beside the combination")),
                _ => None,
            };
            found.extend(problem.map(|text| (at.clone(), text)));
            self.combined(inside, &at, Both::Nowhere, own.flatten().and_then(Value::as_object), found);
        }
    }
}

/// Says what is wrong with a list of a type.
fn of_list(schema: &Schema, of: &str) -> Option<String> {
    if !["atomic", "map", "set"].contains(&of) {
        return Some("x-kubernetes-list-type is atomic, map or set".to_owned());
    }
    let items = schema.get("items")?.as_object()?;
    let kind = items.text("type").unwrap_or_default();
    let is_atomic = |keyword| items.text(keyword) == Some("atomic");
    let keys = schema.items(KEYS);
    let text = match of {
        "map" | "set" if is(items, "nullable") => "the items of a map or set cannot be null",
        "set" if kind == "object" && !is_atomic(MAP_TYPE) => {
            "the mappings of a set need `x-kubernetes-map-type: atomic`"
        }
        "set" if kind == "array" && items.contains_key(LIST_TYPE) && !is_atomic(LIST_TYPE) => {
            "the lists of a set must be atomic"
        }
        "map" if kind != "object" => "the items of a list of the type map must be of the type object",
        "map" if keys.is_empty() => "a list of the type map needs x-kubernetes-list-map-keys",
        "map" => return keys.iter().enumerate().find_map(|(index, key)| of_key(items, key.as_str()?, &keys[..index])),
        _ => return None,
    };
    Some(text.to_owned())
}

/// Says what is wrong with a key of a list of the type `map`.
fn of_key(items: &Schema, key: &str, before: &[Value]) -> Option<String> {
    let Some(field) = items.get("properties").and_then(|fields| fields.entry(key)) else {
        return Some(format!("the key {key} is no field of the items"));
    };
    let is_there = items.items("required").iter().any(|name| name == key) || field.entry("default").is_some();
    let problems = [
        (before.iter().any(|other| other == key), "is listed twice"),
        (["array", "object"].map(Some).contains(&field.text("type")), "is no scalar"),
        (!is_there, "is neither required nor has it a default"),
        (field["nullable"] == true, "can be null"),
    ];
    problems.into_iter().find(|(is_so, _)| *is_so).map(|(_, text)| format!("the key {key} {text}"))
}

/// Finds a field of a default that is not kept.
///
/// Source: `Prune` of apiextensions-apiserver.
fn unknown(schema: Option<&Schema>, value: &Value, at: &FieldPath) -> Option<FieldPath> {
    let has = |keyword| schema.is_some_and(|schema| is(schema, keyword));
    let inner = |keyword| schema.and_then(|schema| schema.get(keyword)).filter(|inner| !inner.is_null());
    match value {
        Value::Object(fields) => fields.iter().find_map(|(name, value)| {
            if has(EMBEDDED) && OF_OBJECTS.contains(&name.as_str()) {
                return None;
            }
            let own = inner("properties").and_then(|fields| fields.get(name));
            match own.or_else(|| inner("additionalProperties")) {
                Some(inside) => unknown(inside.as_object(), value, &at.key(name)),
                None => (!has(PRESERVE)).then(|| at.key(name)),
            }
        }),
        Value::Array(items) if !has(PRESERVE) => {
            let inside = inner("items").and_then(Value::as_object);
            items.iter().enumerate().find_map(|(index, item)| unknown(inside, item, &at.index(index)))
        }
        _ => None,
    }
}

/// Finds the schema of the field that a path names, such as `.spec.size`; `None` where the path is written in another way.
pub(super) fn named<'s>(schema: &'s Schema, path: &str) -> Option<Option<&'s Schema>> {
    let Some(names) = path.strip_prefix('.') else {
        return (!path.starts_with('[')).then_some(None);
    };
    let is_plain = |name: &str| !name.is_empty() && name.chars().all(|one| one.is_alphanumeric() || "_-".contains(one));
    names.split('.').all(is_plain).then(|| {
        let field = |schema: &'s Schema, name| schema.get("properties")?.get(name)?.as_object();
        names.split('.').try_fold(schema, field)
    })
}

/// Returns whether a flag is set.
fn is(schema: &Schema, keyword: &str) -> bool {
    schema.get(keyword) == Some(&Value::Bool(true))
}

/// Returns whether a value is more than one that stands for nothing.
fn is_set(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(value) => *value,
        Value::Number(_) => true,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
    }
}

/// Returns whether a keyword is there for the API server, to which a schema that demands nothing is one.
fn is_written(keyword: &str, value: &Value) -> bool {
    is_set(value) || ["additionalProperties", "items", "not"].contains(&keyword) && !value.is_null()
}
