//! Where does a run find values of a known chart that it does not convert?
//!
//! Values can be given one by one, in files and objects that are not recognized as values, or for a chart that another object brings. They are
//! reported, unless the run converts them elsewhere.
//!
//! Invariant: nothing here changes anything.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::engine::convert::{Goal, Remark};
use crate::engine::finding::{Code, Finding, Severity};
use crate::engine::manifest::{Manifest, Object};
use crate::knowledge::carrier::{Carried, Unconverted};
use crate::knowledge::lens::{Hole, OpenParts};
use crate::knowledge::pack::wire::Chart;
use crate::syntax::field::{FieldPath, Step};
use crate::syntax::variable::is_of_action;
use crate::syntax::yaml::read_value;

/// What is before the name of an object that brings the chart of values that are converted.
const BROUGHT: &str = "brought-by/";

/// What is before the name of one that brings the chart of values that are not converted.
const UNREAD: &str = "unread-by/";

/// Values that are not converted where they are given.
#[derive(Debug)]
pub(crate) struct UnconvertedValues {
    /// The chart.
    pub(crate) chart: String,
    /// What is reported about them.
    finding: Finding,
    /// Where the run may convert them: the end of a file's name, or what installs their chart.
    elsewhere: Vec<String>,
    /// What is reported instead where what installs their chart has values that are not converted.
    unread: Option<Unread>,
}

/// What is reported where what installs a chart has values that are not converted.
#[derive(Debug)]
struct Unread {
    /// What [`sources`] calls such values.
    source: String,
    message: String,
    help: String,
}

impl UnconvertedValues {
    /// Returns the same with what is reported about them mapped.
    pub(crate) fn map(self, map: impl Fn(Finding) -> Finding) -> Self {
        Self { finding: map(self.finding), ..self }
    }

    /// Returns the finding, where the run converts the values nowhere; `read` is what [`sources`] returned for all its files.
    pub(crate) fn finding(self, read: &BTreeSet<String>) -> Option<Finding> {
        let is_at_end = |text: &String, end: &String| {
            text.strip_suffix(end.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        };
        let is_read = |end: &String| read.iter().any(|text| is_at_end(text, end));
        let is_reported = self.elsewhere.is_empty() || !self.elsewhere.iter().all(is_read);
        let finding = match self.unread.filter(|unread| read.contains(&unread.source)) {
            Some(Unread { message, help, .. }) => {
                Finding { message, severity: Severity::Unresolved, ..self.finding }.help(help)
            }
            None => self.finding,
        };
        is_reported.then_some(finding)
    }
}

/// Collects the values in `object` that are not converted there.
pub(crate) fn unconverted(manifest: &Manifest, object: &Object, goal: &Goal<'_>) -> Vec<UnconvertedValues> {
    let mut found = Vec::new();
    for carrier in goal.packs.carriers().of_kind(&object.kind) {
        for chart in goal.targets.iter().flat_map(|target| target.pack.charts()) {
            for unconverted in carrier.unconverted(&object.value, &chart.name, &chart.key) {
                let Words { remark, severity, elsewhere, unread } =
                    words(&object.value, object.name.as_deref(), chart, unconverted, goal);
                let finding = remark.finding(manifest, object, severity);
                found.push(UnconvertedValues { chart: chart.name.clone(), finding, elsewhere, unread });
            }
        }
    }
    found
}

/// Collects the texts with values of a chart in `object` of a template that actions print: nothing in them is looked at. A chart is what
/// names it by default.
pub(crate) fn printed(
    manifest: &Manifest,
    object: &Object,
    open: &OpenParts,
    goal: &Goal<'_>,
) -> Vec<UnconvertedValues> {
    if goal.packs.carriers().of_kind(&object.kind).all(|carrier| carrier.values_text.is_empty()) {
        return Vec::new();
    }
    let is_empty = |value: &Value| match value {
        Value::Object(map) => map.is_empty(),
        value => value.is_null(),
    };
    let prints = |hole: &Hole| hole.by_default.as_ref().is_none_or(|values| !values.iter().all(is_empty));
    let holes: Vec<&FieldPath> = open.holes.iter().filter(|hole| prints(hole)).map(|hole| &hole.path).collect();
    let is_printed = |path: &FieldPath| holes.iter().any(|hole| hole.starts_with(path));
    // A text that is an action is read, where the chart is named.
    let is_whole = |path: &FieldPath| path.get(&object.value).is_some_and(is_of_action);
    let mut found: BTreeMap<(FieldPath, &str), &Chart> = BTreeMap::new();
    for data in std::iter::once(Value::clone(&object.value)).chain(open.data_by_default(&object.value)) {
        for Carried { carrier, place, around, .. } in goal.packs.carriers().in_object(&object.kind, &data) {
            let texts = carrier.values_text.iter().flat_map(|text| text.matches(around)).map(|path| place.join(&path));
            for path in texts.filter(|path| is_printed(path) || is_whole(path)) {
                let own = place.get(&object.value).filter(|_| !is_printed(&path));
                let is_read = |chart: &&Chart| own.is_some_and(|own| carrier.names_chart(own, &chart.name));
                let charts = goal.targets.iter().flat_map(|target| target.pack.charts());
                let named = charts.filter(|chart| carrier.names_chart(around, &chart.name) && !is_read(chart));
                found.extend(named.map(|chart| ((path.clone(), &*chart.name), chart)));
            }
        }
    }
    let unconverted = found.into_iter().map(|((path, _), chart)| {
        let Words { remark, severity, elsewhere, unread } =
            words(&object.value, object.name.as_deref(), chart, Unconverted::Form(path), goal);
        let finding = remark.finding(manifest, object, severity);
        UnconvertedValues { chart: chart.name.clone(), finding, elsewhere, unread }
    });
    unconverted.collect()
}

/// Collects those in documents that are no objects, of files that install charts.
pub(crate) fn unconverted_in_files(manifest: &Manifest, goal: &Goal<'_>) -> Vec<UnconvertedValues> {
    let charts: Vec<&Chart> = goal.targets.iter().flat_map(|target| target.pack.charts()).collect();
    let mut found = Vec::new();
    for carrier in goal.packs.carriers().of_file(&manifest.file).filter(|_| !charts.is_empty()) {
        for number in manifest.bare_documents() {
            let root = manifest.tree.documents()[number].root;
            // What cannot be read as data is reported elsewhere.
            let Ok(document) = read_value(&manifest.tree, &manifest.text, root) else { continue };
            for chart in &charts {
                for unconverted in carrier.unconverted(&document, &chart.name, &chart.key) {
                    let Words { remark, severity, elsewhere, unread } =
                        words(&document, None, chart, unconverted, goal);
                    let finding = remark.finding_in_document(manifest, number, severity);
                    found.push(UnconvertedValues { chart: chart.name.clone(), finding, elsewhere, unread });
                }
            }
        }
    }
    found
}

/// What is reported about values that are not converted where they are, and where the run may convert them.
struct Words {
    remark: Remark,
    severity: Severity,
    elsewhere: Vec<String>,
    unread: Option<Unread>,
}

/// Words what is reported about values that are not converted where they are.
fn words(value: &Value, name: Option<&str>, chart: &Chart, unconverted: Unconverted, goal: &Goal<'_>) -> Words {
    let Chart { name: chart, key, .. } = chart;
    let (path, message, help, elsewhere) = match unconverted {
        Unconverted::Form(path) => {
            let help = "write the values out as YAML in this object, or convert them by hand".to_owned();
            let message = format!("{path} holds values of the chart {chart} that are not converted");
            (path, message, help, Vec::new())
        }
        Unconverted::Objects(path, names) => {
            let help = format!(
                "include the objects in the run where they are not in it; if their values have no key `{key}`, add `{key}: {{}}`, or write the values out as YAML in this object"
            );
            let message = format!("{path} holds values of the chart {chart} that are not converted");
            (path, message, help, names.iter().map(|name| format!("object/{name}")).collect())
        }
        Unconverted::Files(path) => {
            let value = path.get(value);
            let one = value.and_then(Value::as_str).into_iter();
            let list = value.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
            let help = format!(
                "include the file in the run; if it has no top-level key `{key}`, list it under `[values]` in reversion.toml, or convert it by hand"
            );
            let message = format!("{path} names a file with values of the chart {chart} that is not converted");
            (path, message, help, one.chain(list).map(end_of).collect())
        }
        Unconverted::Installers(path, installer) => {
            let reference = goal.packs.carriers().of_kind(&installer).find_map(|one| one.chart.brought_by.as_ref());
            let by = reference.and_then(|field| field.steps().first()).map_or_else(String::new, |step| match step {
                Step::Key(key) => format!(" by {key}"),
                Step::Index(_) => String::new(),
            });
            let installer = installer.kind;
            let message = format!(
                "it installs the chart {chart}, but no {installer} that names it{by} has values that are converted"
            );
            let help =
                format!("include the {installer} in the run; if its values have no key `{key}`, add `{key}: {{}}`");
            let name = name.unwrap_or_default();
            let unread = Unread {
                source: format!("{UNREAD}{name}"),
                message: format!(
                    "it installs the chart {chart}, and the values of the {installer} that names it{by} are not converted: nothing in them shows the chart"
                ),
                help: format!("add `{key}: {{}}` to the values of the {installer}"),
            };
            let remark = Remark::new(Code::ValuesNotConverted, path, message).help(help);
            // A chart may be installed without any values.
            let severity = Severity::Warning;
            return Words { remark, severity, elsewhere: vec![format!("{BROUGHT}{name}")], unread: Some(unread) };
        }
    };
    let remark = Remark::new(Code::ValuesNotConverted, path, message).help(help);
    Words { remark, severity: Severity::Unresolved, elsewhere, unread: None }
}

/// Returns the end of a path that leads into folders: what precedes it depends on where it is resolved.
fn end_of(path: &str) -> String {
    let is_down = |part: &&str| !matches!(*part, "" | "." | "..") && !part.starts_with('$');
    path.split('/').filter(is_down).collect::<Vec<_>>().join("/")
}

/// Returns where values are converted in `object`: its file where they are all of it, the object whose text has them, and what brings
/// their chart; or what brings the chart of values that are not converted.
pub(crate) fn sources(manifest: &Manifest, object: &Object, goal: &Goal<'_>) -> Vec<String> {
    let is_converted = goal.holds_values(object);
    let holder = object.inline_patch.filter(|_| is_converted).map(|number| &manifest.inline_patches[number]);
    let holder = holder.and_then(|text| manifest.holder(text.document, &text.place));
    let holder = holder.and_then(|(_, holder)| holder.name.as_deref());
    let is_file = is_converted && object.is_values() && object.inline_patch.is_none();
    let carried = goal.packs.carriers().in_object(&object.kind, &object.value).into_iter();
    let charts = carried.filter_map(|carried| {
        let name = carried.carrier.chart.brought_by.as_ref()?.text(carried.around)?;
        let is_given = |path: &FieldPath| path.get(carried.around) != Some(&Value::Object(Map::new()));
        let has_values =
            || carried.carrier.values.iter().any(|values| values.matches(carried.around).iter().any(is_given));
        let by = if is_converted { Some(BROUGHT) } else { has_values().then_some(UNREAD) };
        by.map(|by| format!("{by}{name}"))
    });
    let file = is_file.then(|| manifest.file.clone());
    file.into_iter().chain(holder.map(|name| format!("object/{name}"))).chain(charts).collect()
}
