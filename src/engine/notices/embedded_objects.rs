//! Which objects inside other data does no rule convert?
//!
//! A rule about the object around them can: a ConfigMap holds the configuration of a controller as a text.
//!
//! Invariant: nothing here changes anything.

use crate::engine::convert::Conversion;
use crate::engine::finding::{Code, Finding, Severity};
use crate::engine::manifest::{Embedded, Manifest, Object, is_values_file};

/// Reports the objects inside other data that stay as they are, whatever releases they can belong to; `conversions` are what the objects of
/// the manifest became.
pub(crate) fn finding(manifest: &Manifest, conversions: &[Option<Conversion>]) -> Option<Finding> {
    let left = manifest.embedded.iter().filter(|embedded| !is_converted(manifest, conversions, embedded));
    reported(manifest, &left.collect::<Vec<_>>())
}

fn reported(manifest: &Manifest, embedded: &[&Embedded]) -> Option<Finding> {
    let Embedded { document, path, title, .. } = embedded.first()?;
    let message = match embedded.len() {
        1 => format!("an object of a known API is inside other data and is not converted: {title}, at {path}"),
        count => format!(
            "{count} objects of known APIs are inside other data and are not converted; the first is {title}, at {path}"
        ),
    };
    let help = "convert by hand what is there, and acknowledge it by a comment `# reversion: ignore[not-an-object] REASON`; or write it as documents of their own, which are converted";
    let location = manifest.place_in(*document, path);
    let is_applied = is_values_file(&manifest.file) || embedded.iter().any(|one| !one.is_text || one.is_in_values);
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
