//! Answers: which values of known charts do the objects and files of other tools hold as text, or in documents that are no objects?
//!
//! Values that an object holds as a mapping are converted by rules about its kind. A text is parsed: its values become an object like
//! those of a file of values, in a text of its own, as an inline patch is one. So do the values in a file that installs charts and has
//! neither apiVersion nor kind.
//!
//! Invariant: a text with values of a known chart is converted, or reported.

use serde_json::Value;

use super::inline::take_text;
use super::manifest::Manifest;
use super::object::Object;
use super::problem::whole_file;
use super::recognizer::Recognizer;
use super::values::Chart;
use crate::engine::finding::{Code, Finding, Severity};
use crate::knowledge::carrier::Carried;
use crate::syntax::field::{FieldPath, FieldPattern};
use crate::syntax::yaml::{self, NodeId, Tree, read_value};

/// Values that a document holds.
pub(super) enum CarriedValues {
    /// A mapping in a document that is no object.
    Mapping(Object),
    /// A text with the objects that stand for its values, and its tree.
    Text(FieldPath, String, Tree, Vec<Object>),
    /// A text that cannot be read: the chart, and why.
    Unread(FieldPath, String, String),
}

/// Finds the values of known charts that are `carried` in a document with this number.
pub(super) fn find(
    number: usize,
    document: &Value,
    carried: &[Carried<'_>],
    recognizer: &Recognizer,
) -> Vec<CarriedValues> {
    let mut found = Vec::new();
    for one in carried.iter().filter(|_| !recognizer.charts().is_empty()) {
        let places = |patterns: &[FieldPattern]| -> Vec<FieldPath> {
            patterns.iter().flat_map(|pattern| pattern.matches(one.around)).map(|path| one.place.join(&path)).collect()
        };
        let mappings = if one.carrier.kind.is_empty() { places(&one.carrier.values) } else { Vec::new() };
        for place in mappings {
            let is_of = |chart: &&Chart| {
                let has_key = || place.get(document).is_some_and(|values| chart.has_key(values));
                chart.is_named(one) || !one.carrier.names_any_chart(one.around) && has_key()
            };
            let is_mapping = place.get(document).is_some_and(Value::is_object);
            let charts = recognizer.charts().iter().filter(|_| is_mapping).filter(is_of);
            found.extend(charts.map(|chart| CarriedValues::Mapping(chart.object(number, place.clone(), document))));
        }
        for place in places(&one.carrier.values_text) {
            let text = place.get(document).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
            found.extend(text.and_then(|text| of_text(one, place.clone(), text, recognizer)));
        }
    }
    found
}

/// Reads a text, where it holds values of known charts.
fn of_text(one: &Carried<'_>, place: FieldPath, text: &str, recognizer: &Recognizer) -> Option<CarriedValues> {
    let may_be_of = |chart: &&Chart| {
        chart.is_named(one) || !one.carrier.names_any_chart(one.around) && text.contains(chart.triggers()[1])
    };
    let charts: Vec<&Chart> = recognizer.charts().iter().filter(may_be_of).collect();
    let first = charts.first()?;
    let (tree, values) = match read(text) {
        Ok(read) => read,
        Err(why) => return Some(CarriedValues::Unread(place, first.name().to_owned(), why)),
    };
    let of_chart = |chart: &&Chart| match chart.is_named(one) {
        true => vec![chart.object(0, FieldPath::default(), &values)],
        false => chart.objects("values.yaml", 0, &values),
    };
    let objects: Vec<Object> = charts.iter().flat_map(of_chart).collect();
    (!objects.is_empty()).then(|| CarriedValues::Text(place, text.to_owned(), tree, objects))
}

/// Reads a text as one mapping.
fn read(text: &str) -> Result<(Tree, Value), String> {
    let tree = yaml::parse(text).map_err(|problem| problem.message)?;
    let [document] = tree.documents() else { return Err("it is not one document".to_owned()) };
    let value = read_value(&tree, text, document.root).map_err(|problem| problem.message)?;
    if value.is_object() { Ok((tree, value)) } else { Err("it is not a mapping".to_owned()) }
}

/// Takes in values in a document, read from `root`, or reports what is not converted.
pub(super) fn take(manifest: &mut Manifest, (document, root): (usize, NodeId), values: CarriedValues) {
    match values {
        CarriedValues::Mapping(object) => manifest.objects.push(object),
        CarriedValues::Text(place, text, tree, objects) => {
            take_text(manifest, (document, root), (&place, None, None), (&text, tree), objects);
        }
        CarriedValues::Unread(place, chart, why) => {
            let message = format!("{place} holds values of the chart {chart} that are not converted: {why}");
            let help = "fix the text, or convert it by hand";
            let finding = whole_file(&manifest.file, Code::ValuesNotConverted, message, help);
            let (location, field) = (manifest.place(root, &place), Some(place.to_string()));
            manifest.findings.push(Finding { location, severity: Severity::Unresolved, field, ..finding });
        }
    }
}
