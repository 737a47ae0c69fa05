//! Which objects inside other data would be converted as files of their own, and are not?
//!
//! A rule about the object around them can convert them: a ConfigMap holds the configuration of a controller as a text.
//!
//! Invariant: nothing here changes anything.

use serde_json::Value;

use crate::engine::convert::Conversion;
use crate::engine::finding::{Code, Finding, Severity};
use crate::engine::manifest::{Embedded, Manifest, Object, is_values_file};
use crate::syntax::field::FieldPath;
use crate::syntax::yaml::{read_documents, read_value};

/// Returns the objects inside other data of a manifest that are not what the target needs, as `needs_change` says of each, or of which that
/// is not known: those in texts that cannot be read.
pub(crate) fn outdated<'m>(manifest: &'m Manifest, needs_change: &dyn Fn(&Object) -> bool) -> Vec<&'m Embedded> {
    let mut found = Vec::new();
    for inside in manifest.embedded.chunk_by(|one, next| one.document == next.document) {
        let root = manifest.tree.documents()[inside[0].document].root;
        let document = read_value(&manifest.tree, &manifest.text, root).unwrap_or_default();
        let is_outdated =
            |one: &&Embedded| one.path.get(&document).is_none_or(|value| is_outdated(value, needs_change));
        found.extend(inside.iter().filter(is_outdated));
    }
    found
}

/// Returns whether a value is, or holds, an object that needs a change.
fn is_outdated(value: &Value, needs_change: &dyn Fn(&Object) -> bool) -> bool {
    let holds_one = || match value {
        Value::Array(items) => items.iter().any(|item| is_outdated(item, needs_change)),
        Value::Object(map) => map.values().any(|value| is_outdated(value, needs_change)),
        Value::String(text) => text.contains("apiVersion") && is_outdated_text(text, needs_change),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    };
    // What names an object is one without fields here: its apiVersion can go as well.
    let object = value.get("kind").and_then(|_| Object::from_value(0, FieldPath::default(), value.clone()));
    object.is_some_and(|object| needs_change(&object)) || holds_one()
}

fn is_outdated_text(text: &str, needs_change: &dyn Fn(&Object) -> bool) -> bool {
    let Some(documents) = read_documents(text) else { return true };
    // A document that is a text is a template or script.
    documents.iter().any(|document| document.is_string() || is_outdated(document, needs_change))
}

/// Reports those of the objects inside other data that stay as they are; `conversions` are what the objects of the manifest became. Where it
/// `gives_values` to a chart, its texts are no texts for people.
pub(crate) fn finding(
    manifest: &Manifest,
    conversions: &[Option<Conversion>],
    outdated: &[&Embedded],
    gives_values: bool,
) -> Option<Finding> {
    let left: Vec<&&Embedded> = outdated.iter().filter(|one| !is_converted(manifest, conversions, one)).collect();
    let Embedded { document, path, title, .. } = left.first()?;
    let message = match left.len() {
        1 => format!("an object of a known API is inside other data and is not converted: {title}, at {path}"),
        count => format!(
            "{count} objects of known APIs are inside other data and are not converted; the first is {title}, at {path}"
        ),
    };
    let help = "convert by hand what is there, and acknowledge it by a comment `# reversion: ignore[not-an-object] REASON`; or write it as documents of their own, which are converted";
    let location = manifest.place_in(*document, path);
    let are_values = gives_values || is_values_file(&manifest.file);
    let is_applied = are_values || left.iter().any(|one| !one.is_text || one.is_in_values);
    let severity = if is_applied { Severity::Unresolved } else { Severity::Warning };
    Some(Finding::new(location, Code::NotAnObject, severity, message).at(path).help(help))
}

fn is_converted(manifest: &Manifest, conversions: &[Option<Conversion>], embedded: &Embedded) -> bool {
    let is_around = |object: &Object| object.inline_patch.is_none() && object.document == embedded.document;
    let around = manifest.objects.iter().zip(conversions).filter(|(object, _)| is_around(object));
    around.into_iter().any(|(object, made)| {
        let Some(place) = embedded.path.below(&object.place) else { return false };
        made.as_ref().is_some_and(|made| place.get(&made.value) != place.get(&object.value))
    })
}
