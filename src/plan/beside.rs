//! Answers: what stands beside the objects of a run that a conversion leaves as it was, and that must follow by hand?
//!
//! A chart's version or the tag of an image keeps the release that the objects left ([`pins`]). Values of a chart can be said as
//! text, in files that nothing tells for values, or for a chart that another object brings ([`unread`]); what is said there is
//! told, unless the run read it in another place.
//!
//! Invariant: nothing here changes anything.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Goal, Remark, finding};
use crate::field::FieldPath;
use crate::finding::{Code, Finding, Severity};
use crate::infer::install_evidence::{Evidence, evidence_in};
use crate::manifest::{Manifest, Object};
use crate::pack::wire::Chart;
use crate::pack::{self, Target};
use crate::release::ReleaseId;

/// What says values and is not read.
#[derive(Debug)]
pub(super) struct Unread {
    /// What is told of it.
    finding: Finding,
    /// Where the values are read, where they are: the end of a file's name, or what brings their chart.
    elsewhere: Vec<String>,
}

impl Unread {
    /// Returns what is told, where the run read the values nowhere; `read` is what [`reads`] gave for all its files.
    pub(super) fn told(self, read: &BTreeSet<String>) -> Option<Finding> {
        let is_at_end = |text: &String, end: &String| {
            text.strip_suffix(end.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        };
        let is_read = |end: &String| read.iter().any(|text| is_at_end(text, end));
        let is_told = self.elsewhere.is_empty() || !self.elsewhere.iter().all(is_read);
        is_told.then_some(self.finding)
    }
}

/// Tells the versions in a file that name another release than the one that the run goes to.
pub(super) fn pins(manifest: &Manifest, goal: &Goal<'_>) -> Vec<Finding> {
    let is_installed = |target: &&Target<'_>| !target.pack.artifacts().is_empty();
    if goal.targets.iter().find(is_installed).is_none() {
        return Vec::new();
    }
    let told = evidence_in(manifest, goal.packs).into_iter().filter_map(|(pack, evidence)| {
        let target = goal.targets.iter().find(|target| target.pack.name() == pack.name())?;
        let order = |release: ReleaseId| pack.line().get(release).order;
        let stays = evidence.releases.iter().any(|release| order(*release) != order(target.release));
        stays.then(|| pin(evidence, target))
    });
    told.collect()
}

fn pin(evidence: Evidence, target: &Target<'_>) -> Finding {
    let bundle = &target.pack.line().get(target.release).bundle;
    let says = &evidence.text;
    Finding {
        location: evidence.location,
        code: Code::PinnedVersion,
        severity: Severity::Warning,
        object: None,
        field: None,
        message: format!("{says} is not edited, and the files are for {bundle} afterwards"),
        help: Some(format!("write {} here, together with the files", bundle.trim_start_matches('v'))),
    }
}

/// Says whether values of a chart that a target's pack knows stand in `object`.
pub(super) fn holds_values(object: &Object, goal: &Goal<'_>) -> bool {
    goal.targets.iter().any(|target| !target.pack.values_in(&object.kind, &object.value).is_empty())
}

/// Says whether values of a chart that a target's pack knows can stand in objects such as `object`, or in what they are merged with.
pub(super) fn can_hold_values(object: &Object, goal: &Goal<'_>) -> bool {
    goal.targets.iter().any(|target| target.pack.can_hold_values(&object.kind))
}

/// Collects what says values in `object` and is not read.
pub(super) fn unread(manifest: &Manifest, object: &Object, goal: &Goal<'_>) -> Vec<Unread> {
    let found = goal.targets.iter().flat_map(|target| target.pack.unconverted_values_in(&object.kind, &object.value));
    found.filter_map(|(chart, path, unread)| tell((manifest, object), chart, path, unread)).collect()
}

fn tell(
    (manifest, object): (&Manifest, &Object),
    chart: &Chart,
    path: FieldPath,
    unread: pack::UnconvertedValues,
) -> Option<Unread> {
    let value = path.get(&object.value)?;
    let Chart { name, key, .. } = chart;
    let (message, help, elsewhere) = match unread {
        pack::UnconvertedValues::Text(_) => {
            let help = "write the values out as YAML in this object, or convert them by hand".to_owned();
            (format!("{path} says values of the chart {name} that are not converted"), help, Vec::new())
        }
        pack::UnconvertedValues::Files(_) => {
            let one = value.as_str().into_iter();
            let names = one.chain(value.as_array().into_iter().flatten().filter_map(Value::as_str));
            let help = format!(
                "run on the file too; where it has no key {key} at its top, say `[values]` in reversion.toml (README) or convert it by hand"
            );
            let message = format!("{path} names a file with values of the chart {name} that is not converted");
            (message, help, names.map(end_of).collect())
        }
        pack::UnconvertedValues::Chart(_) => {
            let own = object.name.as_deref().unwrap_or_default();
            let message = format!(
                "it brings the chart {name}, and no values of a HelmRelease that names it by chartRef are converted"
            );
            let help = format!("run on the HelmRelease too; where its values have no key {key}, give it `{key}: {{}}`");
            (message, help, vec![format!("chartRef/{own}")])
        }
    };
    let remark = Remark { code: Code::ValuesNotConverted, path, message, help: Some(help) };
    Some(Unread { finding: finding(manifest, object, &remark, Severity::Warning), elsewhere })
}

/// Returns the end of a path that leads down: what stands before depends on where it is read from.
fn end_of(path: &str) -> String {
    let is_down = |part: &&str| !matches!(*part, "" | "." | "..") && !part.starts_with('$');
    path.split('/').filter(is_down).collect::<Vec<_>>().join("/")
}

/// Returns where values are read in `object`: its file where they are all of it, and what brings their chart.
pub(super) fn reads(manifest: &Manifest, object: &Object) -> Vec<String> {
    let file = (object.kind.kind == "Values").then(|| manifest.file.clone());
    let reference = object.value.get("spec").and_then(|spec| spec.get("chartRef"));
    let name = reference.and_then(|reference| reference.get("name")).and_then(Value::as_str);
    file.into_iter().chain(name.map(|name| format!("chartRef/{name}"))).collect()
}
