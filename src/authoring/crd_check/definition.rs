//! What the API server demands of a CRD of `v1` around its schemas.
//!
//! Source: `ValidateCustomResourceDefinition` of apiextensions-apiserver.

use std::collections::BTreeSet;

use serde_json::Value;

use super::keyword::shown;
use super::set::{Crd, Version};
use super::structural::{EMBEDDED, Wrong, named};
use crate::knowledge::pack::crds::validations::INTEGER_OR_STRING;
use crate::syntax::field::{Entries as _, FieldPath};

/// What the schema of an object cannot have where `status` is a subresource, which is checked apart from the rest.
const NOT_WITH_STATUS: [&str; 10] = [
    "allOf",
    "anyOf",
    "default",
    "enum",
    "maxProperties",
    "minProperties",
    "not",
    "oneOf",
    EMBEDDED,
    INTEGER_OR_STRING,
];

const COLUMN_TYPES: [&str; 5] = ["boolean", "date", "integer", "number", "string"];

const COLUMN_FORMATS: [&str; 8] = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

/// A text that must be there in a certain form.
struct Text {
    key: &'static str,
    is_right: fn(&str) -> bool,
    expected: &'static str,
}

const COLUMN: [Text; 4] = [
    Text { key: "name", is_right: |text| !text.is_empty(), expected: "a text" },
    Text {
        key: "type",
        is_right: |text| COLUMN_TYPES.contains(&text),
        expected: "boolean, date, integer, number or string",
    },
    Text {
        key: "format",
        is_right: |text| text.is_empty() || COLUMN_FORMATS.contains(&text),
        expected: "byte, date, date-time, double, float, int32, int64 or password",
    },
    Text { key: "jsonPath", is_right: |text| text.starts_with('.'), expected: "a path such as .spec.size" },
];

const SCALE: [Text; 3] = [
    Text { key: "specReplicasPath", is_right: |text| text.starts_with(".spec."), expected: "a path below .spec" },
    Text { key: "statusReplicasPath", is_right: |text| text.starts_with(".status."), expected: "a path below .status" },
    Text {
        key: "labelSelectorPath",
        is_right: |text| text.is_empty() || text.starts_with(".spec.") || text.starts_with(".status."),
        expected: "a path below .spec or .status",
    },
];

/// The longest warning about a deprecated version, in bytes.
const LONGEST_WARNING: usize = 256;

/// How many fields of a version objects can be selected by.
const MOST_SELECTABLE: usize = 8;

/// Lists what is wrong with a CRD, and with none of its versions.
pub(super) fn of_crd(crd: &Crd<'_>) -> Vec<Wrong> {
    let (value, spec) = (&*crd.value, FieldPath::default().key("spec"));
    let (names, group) = (spec.key("names"), &crd.kind.group);
    let mut found = labels(value);
    let mut add = |path: FieldPath, text: String| found.push((path, text));
    let plural = names.key("plural");
    match plural.text(value) {
        Some(plural) => {
            let (path, expected) = (FieldPath::default().key("metadata").key("name"), format!("{plural}.{group}"));
            let name = path.text(value).unwrap_or_default();
            if name != expected {
                add(path, format!("the name {name:?} is not {expected}: the plural and the group"));
            }
        }
        None => add(plural, "there is no plural".to_owned()),
    }
    if !group.contains('.') || !group.split('.').all(is_part_of_domain) {
        add(spec.key("group"), format!("the group {group} is no domain with a dot"));
    }
    if names.key("listKind").text(value) == Some(&crd.kind.kind) {
        add(names.key("listKind"), "the kind is that of lists too".to_owned());
    }
    let keeps = spec.key("preserveUnknownFields");
    if keeps.get(value) == Some(&Value::Bool(true)) {
        add(keeps, "preserveUnknownFields cannot be true; use x-kubernetes-preserve-unknown-fields".to_owned());
    }
    let conversion = spec.key("conversion");
    if let Some(text) = conversion.get(value).filter(|written| !written.is_null()).and_then(of_conversion) {
        add(conversion, text.to_owned());
    }
    found
}

/// Lists the names that must be DNS labels and are none.
fn labels(crd: &Value) -> Vec<Wrong> {
    let spec = FieldPath::default().key("spec");
    let names = spec.key("names");
    let lists = ["shortNames", "categories"].map(|key| names.key(key)).into_iter();
    let lists = lists.flat_map(|list| (0..list.items(crd).len()).map(move |index| list.index(index)));
    let versions = spec.key("versions");
    let versions = (0..versions.items(crd).len()).map(|index| versions.index(index).key("name"));
    // What is empty is derived from the kind.
    let alone = ["plural", "singular", "kind", "listKind"].map(|key| names.key(key)).into_iter();
    let alone = alone.filter(|path| path.text(crd) != Some(""));
    let wrong = |path: FieldPath| {
        let text = path.text(crd)?;
        let is_kind = path.last_key().is_some_and(|key| key.to_lowercase().ends_with("kind"));
        let name = if is_kind { text.to_lowercase() } else { text.to_owned() };
        let expected = "lower-case letters, digits and hyphens, with a letter first and no hyphen last, at most 63";
        (!is_label(&name)).then(|| (path, format!("{text:?} is no DNS label: {expected}")))
    };
    alone.chain(lists).chain(versions).filter_map(wrong).collect()
}

fn is_label(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_lowercase()) && text.len() <= 63 && is_part_of_domain(text)
}

fn is_part_of_domain(text: &str) -> bool {
    let is_inside = |one: char| one.is_ascii_lowercase() || one.is_ascii_digit() || one == '-';
    !text.is_empty() && text.chars().all(is_inside) && !text.starts_with('-') && !text.ends_with('-')
}

/// Says what is wrong with what converts objects.
fn of_conversion(conversion: &Value) -> Option<&'static str> {
    let webhook = &conversion["webhook"];
    let (client, versions) = (&webhook["clientConfig"], webhook.items("conversionReviewVersions"));
    let (url, service) = (&client["url"], &client["service"]);
    let has = |key| service.text(key).is_some_and(|text| !text.is_empty());
    let text = match conversion.text("strategy") {
        Some("Webhook") if client.is_null() => "the strategy Webhook needs webhook.clientConfig",
        Some("Webhook") if url.is_null() && service.is_null() => "the clientConfig of the webhook needs url or service",
        Some("Webhook") if url.as_str().is_some_and(|url| !url.starts_with("https://")) => {
            "the url of the webhook must start with https://"
        }
        Some("Webhook") if url.is_null() && !(has("name") && has("namespace")) => {
            "the service of the webhook needs a name and a namespace"
        }
        Some("Webhook") if !versions.iter().any(|version| version == "v1" || version == "v1beta1") => {
            "the conversionReviewVersions of the webhook must have v1 or v1beta1"
        }
        Some("Webhook") => return None,
        None | Some("") => "the conversion has no strategy",
        Some(_) if !client.is_null() || !versions.is_empty() => "a webhook needs the strategy Webhook",
        Some(_) => return None,
    };
    Some(text)
}

/// Lists what is wrong with a version, and nothing of what is in its schema.
pub(super) fn of_version(crd: &Crd<'_>, version: &Version<'_>) -> Vec<Wrong> {
    let (value, at) = (&*crd.value, version.path());
    let mut found = Vec::new();
    for (index, column) in at.key("additionalPrinterColumns").items(value).iter().enumerate() {
        found.extend(texts(&COLUMN, column, &at.key("additionalPrinterColumns").index(index)));
    }
    let subresources = at.key("subresources");
    if let Some(scale) = subresources.key("scale").get(value).filter(|scale| scale.is_object()) {
        found.extend(texts(&SCALE, scale, &subresources.key("scale")));
    }
    let warning = at.key("deprecationWarning");
    if let Some(text) = warning.text(value) {
        let text = match text.len() {
            _ if !version.is_deprecated() => "a version that is not deprecated has no warning",
            0 => "the warning is empty",
            length if length > LONGEST_WARNING => "the warning has more than 256 bytes",
            _ => "",
        };
        found.extend((!text.is_empty()).then(|| (warning, text.to_owned())));
    }
    let Some(part) = version.schema() else {
        found.push((at, "the version has no schema".to_owned()));
        return found;
    };
    if subresources.key("status").get(value).is_some_and(|status| !status.is_null()) {
        let keywords =
            NOT_WITH_STATUS.iter().filter(|keyword| part.schema.get(**keyword).is_some_and(|one| *one != false));
        let text =
            |keyword: &&str| format!("the schema of an object with the subresource status cannot have {keyword}");
        found.extend(keywords.map(|keyword| (part.at.key(keyword), text(keyword))));
    }
    let selectable = at.key("selectableFields");
    let mut paths = BTreeSet::new();
    for (index, field) in selectable.items(value).iter().enumerate() {
        let path = field.text("jsonPath").unwrap_or_default();
        let text = match named(part.schema, path) {
            _ if !paths.insert(path) => "the field is listed twice",
            _ if paths.len() > MOST_SELECTABLE => "more than 8 fields are listed",
            Some(None) => "the jsonPath names no field",
            Some(Some(_)) if path.starts_with(".metadata.") => "fields of metadata are selectable anyway",
            Some(Some(schema)) if !["boolean", "integer", "string"].map(Some).contains(&schema.text("type")) => {
                "the field is no string, boolean or integer"
            }
            _ => continue,
        };
        found.push((selectable.index(index).key("jsonPath"), text.to_owned()));
    }
    found
}

/// Lists the texts of a mapping that are not as they must be.
fn texts(all: &[Text], mapping: &Value, at: &FieldPath) -> Vec<Wrong> {
    let wrong = all.iter().filter(|one| !(one.is_right)(mapping.text(one.key).unwrap_or_default()));
    let text = |one: &Text| format!("{} {} is not {}", one.key, shown(mapping.entry(one.key)), one.expected);
    wrong.map(|one| (at.key(one.key), text(one))).collect()
}
