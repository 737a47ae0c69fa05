//! Where does a run find values of a known chart that it does not convert?
//!
//! Values can be given as text, in files that are not recognised as values, or for a chart that another object brings. They are
//! reported, unless the run converts them elsewhere.
//!
//! Invariant: nothing here changes anything.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::convert::{Goal, Remark};
use crate::field::FieldPath;
use crate::finding::{Code, Finding, Severity};
use crate::manifest::{Manifest, Object};
use crate::pack;
use crate::pack::wire::Chart;

/// Values that are not converted where they are given.
#[derive(Debug)]
pub(crate) struct UnconvertedValues {
    /// What is reported about them.
    finding: Finding,
    /// Where the run may convert them: the end of a file's name, or what installs their chart.
    elsewhere: Vec<String>,
}

impl UnconvertedValues {
    /// Returns the finding, where the run converts the values nowhere; `read` is what [`sources`] returned for all its files.
    pub(crate) fn finding(self, read: &BTreeSet<String>) -> Option<Finding> {
        let is_at_end = |text: &String, end: &String| {
            text.strip_suffix(end.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        };
        let is_read = |end: &String| read.iter().any(|text| is_at_end(text, end));
        let is_reported = self.elsewhere.is_empty() || !self.elsewhere.iter().all(is_read);
        is_reported.then_some(self.finding)
    }
}

/// Collects the values in `object` that are not converted there.
pub(crate) fn unconverted(manifest: &Manifest, object: &Object, goal: &Goal<'_>) -> Vec<UnconvertedValues> {
    let found = goal.targets.iter().flat_map(|target| target.pack.unconverted_values_in(&object.kind, &object.value));
    found.filter_map(|(chart, path, unread)| report((manifest, object), chart, path, unread)).collect()
}

fn report(
    (manifest, object): (&Manifest, &Object),
    chart: &Chart,
    path: FieldPath,
    unread: pack::UnconvertedValues,
) -> Option<UnconvertedValues> {
    let value = path.get(&object.value)?;
    let Chart { name, key, .. } = chart;
    let (message, help, elsewhere) = match unread {
        pack::UnconvertedValues::Text(_) => {
            let help = "write the values out as YAML in this object, or convert them by hand".to_owned();
            (format!("{path} holds values of the chart {name} that are not converted"), help, Vec::new())
        }
        pack::UnconvertedValues::Files(_) => {
            let one = value.as_str().into_iter();
            let names = one.chain(value.as_array().into_iter().flatten().filter_map(Value::as_str));
            let help = format!(
                "include the file in the run; if it has no top-level key `{key}`, list it under `[values]` in reversion.toml, or convert it by hand"
            );
            let message = format!("{path} names a file with values of the chart {name} that is not converted");
            (message, help, names.map(end_of).collect())
        }
        pack::UnconvertedValues::Chart(_) => {
            let own = object.name.as_deref().unwrap_or_default();
            let message = format!(
                "it installs the chart {name}, but no HelmRelease that names it by chartRef has values that are converted"
            );
            let help =
                format!("include the HelmRelease in the run; if its values have no key `{key}`, add `{key}: {{}}`");
            (message, help, vec![format!("chartRef/{own}")])
        }
    };
    // A chart may be installed without any values.
    let severity =
        if matches!(unread, pack::UnconvertedValues::Chart(_)) { Severity::Warning } else { Severity::Unresolved };
    let remark = Remark::new(Code::ValuesNotConverted, path, message, Some(help));
    Some(UnconvertedValues { finding: remark.finding(manifest, object, severity), elsewhere })
}

/// Returns the end of a path that leads into folders: what precedes it depends on where it is resolved.
fn end_of(path: &str) -> String {
    let is_down = |part: &&str| !matches!(*part, "" | "." | "..") && !part.starts_with('$');
    path.split('/').filter(is_down).collect::<Vec<_>>().join("/")
}

/// Returns where values are converted in `object`: its file where they are all of it, and what installs their chart.
pub(crate) fn sources(manifest: &Manifest, object: &Object) -> Vec<String> {
    let file = (object.kind.kind == "Values").then(|| manifest.file.clone());
    let reference = object.value.get("spec").and_then(|spec| spec.get("chartRef"));
    let name = reference.and_then(|reference| reference.get("name")).and_then(Value::as_str);
    file.into_iter().chain(name.map(|name| format!("chartRef/{name}"))).collect()
}
