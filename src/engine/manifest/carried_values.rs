//! Answers: which values of charts do the objects and files of other tools hold as text, or in documents that are no objects?
//!
//! Values that an object holds as a mapping are converted by rules about its kind. A text is parsed: its values become an object like
//! those of a file of values, in a text of its own, as an inline patch is one. So do the values in a file that installs charts and has
//! neither apiVersion nor kind. Whole objects that any chart prints are taken from a text as from a mapping.
//!
//! Invariant: a text with values of a known chart is converted, or reported.

use serde_json::Value;

use super::embedded::{self, Created, Embedded, created_in_values};
use super::inline::TextWithObjects;
use super::manifest::Manifest;
use super::object::Object;
use super::recognizer::Recognizer;
use super::values::Chart;
use crate::engine::finding::{Code, Finding, Severity};
use crate::knowledge::carrier::Carried;
use crate::syntax::field::{FieldPath, FieldPattern};
use crate::syntax::yaml::{self, Tree, read_value};

/// Values that a document holds.
pub(super) enum CarriedValues {
    /// A mapping in a document that is no object.
    Mapping(Object),
    /// A text with the objects that stand for its values, or are in them; there may be others inside other data.
    Text { text: Box<TextWithObjects>, has_others: bool },
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
    for one in carried {
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
            found.extend(
                charts.map(|chart| CarriedValues::Mapping(beside(one, chart.object(number, place.clone(), document)))),
            );
        }
        for place in places(&one.carrier.values_text) {
            let text = place.text(document).filter(|text| !text.trim().is_empty());
            found.extend(text.and_then(|text| of_text(one, place.clone(), text, recognizer)));
        }
    }
    found
}

/// Sorts out the objects `inside` other data that are in texts with values of charts: those that are taken from there are dropped.
pub(super) fn sort_out(inside: &mut Vec<Embedded>, carried: &[Carried<'_>], found: &[CarriedValues]) {
    let texts = carried.iter().filter(|one| one.carrier.has_texts_of_charts()).flat_map(|one| {
        one.carrier.values_text.iter().flat_map(|text| text.matches(one.around)).map(|path| one.place.join(&path))
    });
    let texts: Vec<FieldPath> = texts.collect();
    inside.iter_mut().for_each(|one| one.is_in_values = texts.contains(&one.path));
    let are_all = |values: &CarriedValues, place: &FieldPath| match values {
        CarriedValues::Text { text, has_others: false } => text.place == *place,
        _ => false,
    };
    inside.retain(|one| !found.iter().any(|values| are_all(values, &one.path)));
}

/// Reads a text, where it holds values of known charts, or objects that a chart prints.
fn of_text(one: &Carried<'_>, place: FieldPath, text: &str, recognizer: &Recognizer) -> Option<CarriedValues> {
    let may_be_of = |chart: &&Chart| {
        chart.is_named(one) || !one.carrier.names_any_chart(one.around) && text.contains(chart.triggers()[1])
    };
    let charts: Vec<&Chart> = recognizer.charts().iter().filter(may_be_of).collect();
    let is_of_chart = one.carrier.has_texts_of_charts();
    let has_group = recognizer.mentions_group(text.as_bytes());
    if charts.is_empty() && !(is_of_chart && has_group) {
        return None;
    }
    let (tree, values) = match read(text) {
        Ok(read) => read,
        // Objects in it are reported as they are in any text.
        Err(why) => return charts.first().map(|first| CarriedValues::Unread(place, first.name().to_owned(), why)),
    };
    let of_chart = |chart: &&Chart| match chart.is_named(one) {
        true => vec![chart.object(0, FieldPath::default(), &values)],
        false => chart.objects("values.yaml", 0, &values),
    };
    let mut objects: Vec<Object> = charts.iter().flat_map(of_chart).map(|object| beside(one, object)).collect();
    let embedded = if has_group { embedded::find(0, text, &values, recognizer) } else { Vec::new() };
    let in_text = Created::InValues(FieldPath::default());
    let (created, others): (Vec<Embedded>, _) =
        embedded.into_iter().partition(|inner| is_of_chart && !inner.is_text && in_text.has(&inner.path));
    objects.extend(created.iter().filter_map(|inner| inner.created(&values)));
    let text = TextWithObjects { place, folder: None, target: None, text: text.to_owned(), tree, objects };
    let has_others = !others.is_empty();
    (!text.objects.is_empty()).then(|| CarriedValues::Text { text: Box::new(text), has_others })
}

/// Returns the object that stands for the values of a chart in a text that is `carried`; what keeps it from being read.
pub(crate) fn values_in(carried: &Carried<'_>, text: &str, chart: &str) -> Result<Object, String> {
    Ok(beside(carried, Object::values(chart, 0, FieldPath::default(), read(text)?.1)))
}

/// Returns the objects in a text with values of a chart that this prints as they are; none where it cannot be read.
pub(crate) fn objects_in(text: &str) -> Vec<Object> {
    let values = if text.contains("apiVersion") { read(text).map(|(_, values)| values).ok() } else { None };
    let values = values.unwrap_or_default();
    let object = |place: FieldPath| Object::from_value(0, place.clone(), place.get(&values)?.clone());
    created_in_values(&values).into_iter().filter_map(object).collect()
}

/// Notes the version of the chart that stands beside values.
pub(crate) fn beside(one: &Carried<'_>, values: Object) -> Object {
    Object { chart_version: one.chart_version().map(str::to_owned), ..values }
}

/// Reads a text as one mapping.
fn read(text: &str) -> Result<(Tree, Value), String> {
    let tree = yaml::parse(text).map_err(|problem| problem.message)?;
    let [document] = tree.documents() else { return Err("it is not one document".to_owned()) };
    let value = read_value(&tree, text, document.root).map_err(|problem| problem.message)?;
    if value.is_object() { Ok((tree, value)) } else { Err("it is not a mapping".to_owned()) }
}

impl CarriedValues {
    /// Takes in values in the document with this number, or reports what is not converted.
    pub(super) fn take(self, manifest: &mut Manifest, document: usize) {
        match self {
            Self::Mapping(object) => manifest.objects.push(object),
            Self::Text { text, .. } => text.take(manifest, document),
            Self::Unread(place, chart, why) => {
                let message = format!("{place} holds values of the chart {chart} that are not converted: {why}");
                let location = manifest.place_in(document, &place);
                let finding = Finding::new(location, Code::ValuesNotConverted, Severity::Unresolved, message);
                manifest.findings.push(finding.at(place).help("fix the text, or convert it by hand"));
            }
        }
    }
}
