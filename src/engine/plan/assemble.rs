//! What does a run do in all, once every file is planned?

use std::collections::BTreeSet;
use std::mem;
use std::path::Path;

use super::acknowledged::{Accepting, partition};
use super::file::PlannedFile;
use super::outside;
use super::planner::Planner;
use super::scope::{Others, Scope};
use crate::engine::convert::{ObjectPlan, Outcome};
use crate::engine::edits::FilePlan;
use crate::engine::finding::{Acknowledged, Finding};
use crate::engine::links::CrdSurvey;
use crate::engine::notices::advisories::{Advised, Reported, RunAdvisory};
use crate::engine::notices::unserved::Unserved;
use crate::engine::notices::values::UnconvertedValues;

/// Everything that a run would do, nothing of it done.
#[derive(Debug, Default)]
pub struct Plan {
    /// The files with at least one edit, sorted by name. One without a text before is made, one without a text afterwards removed.
    pub files: Vec<FilePlan>,
    /// The objects of targeted packs, in the order of files and text.
    pub objects: Vec<ObjectPlan>,
    /// Everything to report about a place, sorted by place.
    pub findings: Vec<Finding>,
    /// What would be reported and is accepted, sorted by place.
    pub acknowledged: Vec<Acknowledged>,
    /// What to report about the cluster and the releases, in this order.
    pub advisories: Vec<RunAdvisory>,
    /// Those of them that are accepted.
    pub acknowledged_advisories: Vec<RunAdvisory>,
    /// The names of the files that change and were planned together, for each group with several of them.
    pub(crate) groups: Vec<Vec<String>>,
    /// Whether files that are not listed hold recognized objects.
    pub(crate) recognized_elsewhere: bool,
}

/// Puts the plans of the files that are listed together, in their order, with what `scope` says was found before. What concerns the whole
/// run is reported once: an advisory about the run, values of charts where the run converts them
/// nowhere.
pub(super) fn assemble<'s>(
    planner: &Planner<'_>,
    files: Box<[Box<PlannedFile>]>,
    crds: impl Iterator<Item = &'s CrdSurvey>,
    scope: &Scope<'_>,
) -> Plan {
    let Scope { found, listed, outside: named, .. } = *scope;
    let is_listed = |file: &str| listed.is_none_or(|listed| (listed.has)(file));
    let is_shard = listed.is_some_and(|listed| listed.others == Others::Reported);
    let mut plan = Plan { findings: found.to_vec(), ..Plan::default() };
    // A list that grows by doubling takes three times as much while it does.
    plan.objects.reserve_exact(files.iter().map(|file| file.objects.len()).sum());
    plan.findings.reserve_exact(files.iter().map(|file| file.findings.len()).sum());
    let mut unserved = Unserved::new(crds, planner.goal());
    let mut ignores = Vec::new();
    let mut advised: Vec<(usize, Advised)> = Vec::new();
    // Where one file has the values, the objects of another one cross the release.
    let mut with_values = BTreeSet::new();
    let (mut unconverted, mut sources, mut pins) = (Vec::new(), BTreeSet::new(), Vec::new());
    let is_outside: BTreeSet<&str> = named.iter().flat_map(|named| named.files.keys().map(String::as_str)).collect();
    let (mut outdated, mut beside) = (BTreeSet::new(), Vec::new());
    for mut planned in files {
        sources.extend(planned.value_sources.iter().cloned());
        planned.objects.iter().for_each(|object| unserved.add(object));
        with_values.append(&mut planned.advised_values);
        pins.append(&mut planned.pins);
        let is_reported = is_listed(&planned.file);
        unconverted.extend(mem::take(&mut planned.unconverted_values).into_iter().map(|values| (values, is_reported)));
        for (at, found) in mem::take(&mut planned.advised).into_iter().filter(|_| is_reported || is_shard) {
            found.add_to(&mut advised, at);
        }
        if !is_reported {
            plan.recognized_elsewhere |= planned.objects.iter().any(|object| object.is_recognized);
            if is_outside.contains(&*planned.file) && outside::needs_change(planner, &planned) {
                outdated.insert(planned.file.clone());
            }
            continue;
        }
        plan.files.extend(planned.change);
        beside.append(&mut planned.beside);
        plan.objects.extend(planned.objects);
        plan.findings.extend(planned.findings);
        ignores.push(planned.ignores);
    }
    if !beside.is_empty() {
        plan.files.append(&mut beside);
        plan.files.sort_by(|one, other| Path::new(&one.file).cmp(Path::new(&other.file)));
    }
    let unread_charts = add_unconverted(unconverted, &sources, &mut plan);
    advised.sort_by_key(|(at, _)| *at);
    for (at, advised) in advised {
        let advisory = &planner.advisories[at];
        let is_unread = advisory.chart().is_some_and(|chart| unread_charts.contains(chart));
        match advisory.report(advised, with_values.contains(&at) || is_unread) {
            Reported::AtObjects(findings) => {
                plan.findings.extend(findings.into_iter().filter(|finding| is_listed(&finding.location.file)));
            }
            Reported::AboutRun(advisory) => plan.advisories.push(advisory),
        }
    }
    plan.advisories.sort_by_key(|advisory| advisory.about);
    plan.findings.extend(outside::findings(named, &outdated));
    // The shard with the CRD reports it.
    let at_object = |file: &str| !is_shard && is_listed(file);
    plan.findings.extend(unserved.findings(planner.goal(), &is_listed, &at_object, &mut pins));
    plan.findings.extend(pins.into_iter().map(|pin| pin.finding).filter(|pin| is_listed(&pin.location.file)));
    plan.findings.sort();
    plan.findings.dedup();
    let accepting = Accepting { goal: planner.goal(), ignores: &ignores, objects: &plan.objects };
    (plan.findings, plan.acknowledged) = partition(plan.findings, &accepting);
    // What could have held values and is unchanged was kept for what it can be merged with.
    plan.objects.retain(|object| object.is_recognized || object.outcome != Outcome::Unchanged);
    plan
}

/// Reports the values of charts that the run converts nowhere, as it converts those of `sources`: those that are to be reported. Returns
/// the charts that have such values.
fn add_unconverted(
    unconverted: Vec<(UnconvertedValues, bool)>,
    sources: &BTreeSet<String>,
    plan: &mut Plan,
) -> BTreeSet<String> {
    let mut charts = BTreeSet::new();
    for (values, is_reported) in unconverted {
        let chart = values.chart.clone();
        if let Some(finding) = values.finding(sources) {
            charts.insert(chart);
            plan.findings.extend(is_reported.then_some(finding));
        }
    }
    charts
}
