//! Which objects of known groups are inside other data?
//!
//! Test data, values of charts (`extraObjects`), templates and the objects of tools that create other objects hold whole objects in
//! fields of their own, or in texts. Those that a carrier has created are objects like any other. What the others are for is not known, so
//! they are left unchanged but for rules about what is around them, and reported once for each file.
//!
//! Invariant: an object that is converted is not reported here.

use memchr::memmem;
use serde_json::{Map, Value};

use super::object::{Document, Object, is_list};
use super::recognizer::Recognizer;
use super::selector::Selector;
use crate::knowledge::carrier::{Carried, Carrier, Carriers};
use crate::knowledge::release::ApiVersion;
use crate::syntax::field::{Entries, FieldPath, FieldPattern, Part, PathRef, Step, each_child};
use crate::syntax::yaml::read_documents;

/// An object inside other data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Embedded {
    /// The number of the document that it is in.
    pub(crate) document: usize,
    /// Its place in the document.
    pub(crate) path: FieldPath,
    /// What findings call it.
    pub(crate) title: String,
    /// Whether it is in a text.
    pub(crate) is_text: bool,
    /// Whether that text is values of a chart, which prints what is in them; others can be for people.
    pub(crate) is_in_values: bool,
}

impl Embedded {
    /// Returns the object that another one, or a chart, has created here, from the data of the document.
    pub(super) fn created(&self, document: &Value) -> Option<Object> {
        let object = Object::from_value(self.document, self.path.clone(), self.path.get(document)?.clone())?;
        Some(Object { read_from: Document::Created, ..object })
    }

    pub(super) fn new(document: usize, path: FieldPath, map: &Map<String, Value>) -> Self {
        Self { document, path, title: title(map), is_text: false, is_in_values: false }
    }

    pub(super) fn in_text(document: usize, path: FieldPath, kind: &str) -> Self {
        Self { document, path, title: format!("{kind} in a text"), is_text: true, is_in_values: false }
    }
}

/// The lists in the values of a chart whose items it prints as they are.
const RAW_OBJECTS: [&str; 9] = [
    "additionalManifests",
    "additionalResources",
    "extraDeploy",
    "extraManifests",
    "extraObjects",
    "extraResources",
    "raw",
    "rawResources",
    "resources",
];

/// Returns whether what is at `path` is one of the objects in the values of a chart that the chart prints as they are.
fn is_raw(path: &FieldPath) -> bool {
    matches!(path.steps(), [.., Step::Key(list), Step::Index(_)] if RAW_OBJECTS.contains(&list.as_str()))
}

/// Where a document holds objects that are created as they are.
pub(super) enum Created {
    /// At this place.
    At(FieldPath),
    /// In lists of the values of a chart, which are below this place.
    InValues(FieldPath),
}

impl Created {
    /// Returns whether an object at `path` is one of them.
    pub(super) fn has(&self, path: &FieldPath) -> bool {
        match self {
            Self::At(place) => path == place,
            Self::InValues(place) => is_raw(path) && path.starts_with(place),
        }
    }
}

/// Finds what a document has created, as carriers say, or because it `is_values`.
pub(super) fn created(carried: &[Carried<'_>], is_values: bool) -> Vec<Created> {
    let mut found: Vec<Created> = is_values.then(|| Created::InValues(FieldPath::default())).into_iter().collect();
    for one in carried {
        let places = |patterns: &[FieldPattern]| -> Vec<FieldPath> {
            patterns.iter().flat_map(|pattern| pattern.matches(one.around)).map(|path| one.place.join(&path)).collect()
        };
        found.extend(places(&one.carrier.objects).into_iter().map(Created::At));
        found.extend(places(&one.carrier.values).into_iter().map(Created::InValues));
    }
    found
}

/// A search for the outermost objects in a document that are not objects of the document itself.
struct Search<'r> {
    document: usize,
    recognizer: &'r Recognizer,
    embedded: Vec<Embedded>,
}

/// Returns whether a patch of what `target` selects can change objects that this has created: it names a field that holds such.
pub(super) fn can_reach(carriers: &Carriers, target: &Selector, patch: &str) -> bool {
    let names_any = |carrier: &Carrier| {
        let keys = carrier.objects.iter().flat_map(FieldPattern::parts);
        let mut keys = keys.filter_map(|part| if let Part::Key(key) = part { Some(key.as_str()) } else { None });
        keys.any(|key| patch.contains(key))
            || carrier.has_values() && RAW_OBJECTS.iter().any(|list| patch.contains(list))
    };
    carriers.iter().any(|carrier| carrier.kind.iter().any(|kind| target.selects_kind(kind)) && names_any(carrier))
}

/// Returns the places in an object, which carries this, of the objects that it has created.
pub(crate) fn created_in(carried: &[Carried<'_>], object: &Value) -> Vec<FieldPath> {
    places(&created(carried, false), object)
}

/// Returns the places in the values of a chart of the objects that it prints as they are.
pub(super) fn created_in_values(values: &Value) -> Vec<FieldPath> {
    places(&[Created::InValues(FieldPath::default())], values)
}

fn places(created: &[Created], value: &Value) -> Vec<FieldPath> {
    let mut found = Vec::new();
    if !created.is_empty() {
        each_child(value, None, &mut |child, place| add_objects(child, place, &mut found));
    }
    found.retain(|path| created.iter().any(|one| one.has(path)));
    found
}

/// Adds the places of the outermost objects in a value.
fn add_objects(value: &Value, place: &PathRef<'_>, found: &mut Vec<FieldPath>) {
    match (value.text("apiVersion"), value.text("kind")) {
        (Some(_), Some(_)) => found.push(place.path()),
        _ => each_child(value, Some(place), &mut |child, place| add_objects(child, place, found)),
    }
}

/// Finds the outermost objects in the document with this number and text that are not objects of the document itself.
pub(super) fn find(document: usize, text: &str, value: &Value, recognizer: &Recognizer) -> Vec<Embedded> {
    let mut search = Search { document, recognizer, embedded: Vec::new() };
    // Most documents are one object, whose apiVersion is the only one; a key can be written with escapes.
    let is_alone = || {
        memmem::find_iter(text.as_bytes(), "apiVersion").nth(1).is_none()
            && memchr::memchr(b'\\', text.as_bytes()).is_none()
    };
    if value.entry("apiVersion").is_none() || !is_alone() {
        search.visit_converted(value, None);
    }
    search.embedded
}

impl Search<'_> {
    /// Searches a value that is itself converted, where it is an object: a document, or an item of a list.
    fn visit_converted(&mut self, value: &Value, place: Option<&PathRef<'_>>) {
        let is_list = is_list(value);
        each_child(value, place, &mut |child, place| match child {
            Value::Array(_) if is_list && place.last_key() == Some("items") => {
                each_child(child, Some(place), &mut |item, place| self.visit_converted(item, Some(place)));
            }
            _ => self.visit(child, place),
        });
    }

    /// Searches a value that is an object inside other data, or holds such objects.
    fn visit(&mut self, value: &Value, place: &PathRef<'_>) {
        match value {
            Value::Object(map) if is_complete(map, self.recognizer) => {
                self.embedded.push(Embedded::new(self.document, place.path(), map));
            }
            Value::String(text) => {
                let kind = kind_in_text(text, self.recognizer);
                self.embedded.extend(kind.map(|kind| Embedded::in_text(self.document, place.path(), &kind)));
            }
            _ => each_child(value, Some(place), &mut |child, place| self.visit(child, place)),
        }
    }
}

/// Returns the kind of the first known object in a text, which can be a template too: by two lines of the same column, or else as data.
fn kind_in_text(text: &str, recognizer: &Recognizer) -> Option<String> {
    if !text.contains("apiVersion") {
        return None;
    }
    let as_data = || {
        let documents = recognizer.mentions_group(text.as_bytes()).then(|| read_documents(text)).flatten()?;
        documents.iter().find_map(|document| kind_in(document, recognizer))
    };
    kind_in_lines(text, recognizer).or_else(as_data)
}

/// Returns the kind of the first known object in a value.
fn kind_in(value: &Value, recognizer: &Recognizer) -> Option<String> {
    match value {
        Value::Object(map) if is_complete(map, recognizer) => map.text("kind").map(str::to_owned),
        Value::Object(map) => map.values().find_map(|value| kind_in(value, recognizer)),
        Value::Array(items) => items.iter().find_map(|item| kind_in(item, recognizer)),
        _ => None,
    }
}

/// Returns the kind of the first known object in a text, by its lines.
fn kind_in_lines(text: &str, recognizer: &Recognizer) -> Option<String> {
    let fields = text.lines().filter_map(|line| {
        let field = line.trim_start_matches([' ', '-']);
        let (key, value) = field.split_once(": ")?;
        let key = key.trim_matches(['"', '\'']);
        let value = value.split(" #").next().unwrap_or_default().trim().trim_matches(['"', '\'']);
        ["apiVersion", "kind"].contains(&key).then_some((line.len() - field.len(), key, value))
    });
    let fields: Vec<(usize, &str, &str)> = fields.collect();
    let mut neighbours = fields.windows(2).filter_map(|pair| match pair {
        [(own, "apiVersion", version), (other, "kind", kind)]
        | [(own, "kind", kind), (other, "apiVersion", version)] => (own == other).then_some((version, kind)),
        _ => None,
    });
    let is_known =
        |(version, kind): &(&&str, &&str)| recognizer.is_known_kind(Some(&ApiVersion::parse(version).group), kind);
    neighbours.find(is_known).map(|(_, kind)| (*kind).to_owned())
}

/// Returns whether a mapping is an object of a known group; a reference to one has neither `metadata` nor `spec`.
pub(super) fn is_complete(map: &Map<String, Value>, recognizer: &Recognizer) -> bool {
    let (Some(api_version), Some(kind)) = (map.text("apiVersion"), map.text("kind")) else { return false };
    recognizer.is_known_kind(Some(&ApiVersion::parse(api_version).group), kind)
        && ["metadata", "spec"].iter().any(|key| map.get(*key).is_some_and(Value::is_object))
}

fn title(map: &Map<String, Value>) -> String {
    let kind = map.text("kind").unwrap_or_default();
    match map.get("metadata").and_then(|metadata| metadata.text("name")) {
        Some(name) => format!("{kind} {name}"),
        None => kind.to_owned(),
    }
}
