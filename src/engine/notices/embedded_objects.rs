//! Which objects inside other data does no rule convert?
//!
//! A rule about the object around them can: a TriggerTemplate holds the runs that it creates.
//!
//! Invariant: nothing here changes anything.

use serde_json::Value;

use crate::engine::convert::{Conversion, Goal};
use crate::engine::finding::{Code, Finding, Severity};
use crate::engine::manifest::{Embedded, Manifest, Object, is_values_file};
use crate::knowledge::lens::{Direction, Form};
use crate::knowledge::pack::{Rule, Target};
use crate::knowledge::release::{ApiVersion, GroupKind};
use crate::syntax::field::{FieldPath, FieldPattern};

/// Reports the objects inside other data that stay as they are at the targets of `goal`, whatever releases they can belong to.
/// `conversions` are what the objects of the manifest became.
pub(crate) fn finding(manifest: &Manifest, conversions: &[Option<Conversion>], goal: &Goal<'_>) -> Option<Finding> {
    let left = manifest.embedded.iter().filter(|embedded| !is_converted(manifest, conversions, embedded, goal));
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
    // What values have as a text, a chart prints; other texts can be for people.
    let is_applied = is_values_file(&manifest.file) || embedded.iter().any(|one| !one.is_text);
    let severity = if is_applied { Severity::Unresolved } else { Severity::Warning };
    Some(Finding::new(location, Code::NotAnObject, severity, message).at(path).help(help))
}

fn is_converted(manifest: &Manifest, conversions: &[Option<Conversion>], embedded: &Embedded, goal: &Goal<'_>) -> bool {
    let is_around = |object: &Object| object.inline_patch.is_none() && object.document == embedded.document;
    let around = manifest.objects.iter().zip(conversions).filter(|(object, _)| is_around(object));
    around.into_iter().any(|(object, made)| {
        let Some(place) = embedded.path.below(&object.place) else { return false };
        let changed = |made: &Conversion| place.get(&made.value) != place.get(&object.value);
        made.as_ref().is_some_and(changed)
            || goal.targets.iter().any(|target| {
                let rules = target.pack.rules().iter().filter(|rule| rule.kind == object.kind);
                rules.into_iter().any(|rule| converts(rule, &object.value, &place, target))
            })
    })
}

/// Returns whether a rule leads the object at `place` in `around` to an apiVersion that the target serves, or away from others.
fn converts(rule: &Rule, around: &Value, place: &FieldPath, target: &Target<'_>) -> bool {
    let Some(object) = place.get(around) else { return false };
    let text = |key: &str| FieldPath::default().key(key).text(object);
    let (Some(version), Some(kind)) = (text("apiVersion"), text("kind")) else { return false };
    let is_at = |field: &FieldPattern, key: &str| field.matches(around).contains(&place.key(key));
    let lens = rule.lens(Direction::Forward);
    let changed = [Direction::Forward, Direction::Backward].map(|direction| rule.lens(direction).constants());
    let versions: Vec<&str> = changed
        .iter()
        .flatten()
        .filter(|constant| is_at(&constant.field, "apiVersion"))
        .filter_map(|constant| constant.value.as_str())
        .collect();
    let kinds: Vec<Value> = lens
        .premises()
        .into_iter()
        .filter(|premise| is_at(&premise.written, "kind"))
        .filter_map(|premise| match premise.form {
            Form::Value(value) => Some(value),
            _ => None,
        })
        .collect();
    versions.contains(&version)
        && (kinds.is_empty() || kinds.iter().any(|one| one.as_str() == Some(kind)))
        && versions.iter().any(|version| is_served(version, kind, target))
}

fn is_served(api_version: &str, kind: &str, target: &Target<'_>) -> bool {
    let ApiVersion { group, version } = ApiVersion::parse(api_version);
    let catalog = target.pack.catalog(&GroupKind::new(kind, group.as_str()));
    catalog.is_some_and(|catalog| catalog.served(target.release).iter().any(|served| served.name == version))
}
