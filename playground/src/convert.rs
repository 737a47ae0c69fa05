//! From the text and what was chosen to everything that the page shows.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use reversion::internals::finding::{self, Location, Severity};
use reversion::internals::pack::{Pack, Target};
use reversion::internals::plan::{self, Goal, ObjectPlan, Outcome, Plan, Record};
use reversion::internals::report::{
    Counts, Fate, Painter, Report, Written, one_of, text_format, visible, visible_lines,
};
use reversion_wasm::{State, detection, packs, planned, read_all, state};

use crate::answer::{Advisory, Answer, Change, Finding, Place};
use crate::targets::Options;
use crate::{diff, evidence};

/// Converts `text` as `options` say.
pub fn convert(text: &str, options: &Options) -> Answer {
    if text.trim().is_empty() {
        return Answer::default();
    }
    let seen = read_all(text);
    let detection = detection(seen.manifest.as_ref());
    let objects: Vec<_> = detection.objects.iter().map(evidence::object).collect();
    let (targets, notes) = match options.targets(&detection.objects) {
        Ok(found) => found,
        Err(message) => return Answer { objects, ..Answer::failed(message) },
    };
    let choices = match options.choices() {
        Ok(choices) => plan::Choices { record: Record::Outcomes, ..choices },
        Err(message) => return Answer { objects, ..Answer::failed(message) },
    };
    let goal = Goal { packs: packs(), targets, choices };
    if goal.targets.is_empty() {
        let findings = seen.findings.iter().chain(&detection.findings);
        let findings = sorted(findings);
        return nothing(text, &packs().iter().collect::<Vec<_>>(), Answer { findings, ..Answer::default() });
    }
    let (plan, counts) = planned(text, &goal, &detection);
    let answer = Answer { objects, notes, ..Answer::default() };
    with_plan(answer, text, options, &goal, &plan, counts)
}

/// Adds what a plan says to what is known of the objects.
fn with_plan(answer: Answer, text: &str, options: &Options, goal: &Goal<'_>, plan: &Plan, counts: Counts) -> Answer {
    let report = Report {
        targets: goal.targets.iter().map(Target::to_string).collect(),
        ..Report::new("convert", goal.packs, plan, counts)
    };
    let state = state(&report);
    let file = plan.files.first();
    let lines = file.map(diff::lines);
    let answer = Answer {
        state,
        summary: text_format::summary(&report, &Painter::PLAIN),
        targets: report.targets.clone(),
        objects: with_changes(answer.objects, &report),
        findings: sorted(plan.findings.iter()),
        advisories: plan.advisories.iter().map(advisory).collect(),
        without_diff: matches!(lines, Some(None))
            .then(|| "The text changes, but its diff would show values of a Secret.".to_owned()),
        diff: lines.flatten().unwrap_or_default(),
        converted: file.map_or_else(|| text.to_owned(), |file| file.after()),
        command: Some(options.command(&goal.targets)),
        ..answer
    };
    match state {
        State::Nothing => nothing(text, &goal.targets.iter().map(|target| target.pack).collect::<Vec<_>>(), answer),
        _ => answer,
    }
}

/// Makes the answer to a text that holds no object of `sought`.
fn nothing(text: &str, sought: &[&Pack], answer: Answer) -> Answer {
    let failed = answer.findings.iter().any(|finding| finding.severity == Severity::Error.name());
    let titles: Vec<&str> = sought.iter().map(|pack| pack.title()).collect();
    Answer {
        state: if failed { State::Failed } else { State::Nothing },
        summary: match failed {
            true => "The text cannot be read.".to_owned(),
            false => format!("Nothing recognized: the text holds no object of {}.", one_of(&titles)),
        },
        converted: text.to_owned(),
        ..answer
    }
}

/// Adds to each object what becomes of it, and the objects that change although no pack knows their kind.
fn with_changes(objects: Vec<crate::Object>, report: &Report<'_>) -> Vec<crate::Object> {
    let fates = report.fates();
    let mut plans: BTreeMap<(usize, usize), &ObjectPlan> =
        report.objects.iter().filter_map(|object| Some((key(&object.location)?, object))).collect();
    let mut all: Vec<crate::Object> = objects
        .into_iter()
        .map(|object| {
            let plan = object.place.and_then(|place| plans.remove(&(place.line, place.column)));
            crate::Object { change: plan.map(|plan| change(plan, fates.of(plan))), ..object }
        })
        .collect();
    let others = plans.into_values().filter(|plan| plan.is_recognized || plan.outcome != Outcome::Unchanged);
    all.extend(others.map(|plan| crate::Object {
        title: visible(&plan.title),
        api_version: visible(&plan.from.1.to_string()),
        project: String::new(),
        place: Place::of(&plan.location),
        releases: String::new(),
        serving: None,
        evidence: Vec::new(),
        change: Some(change(plan, fates.of(plan))),
    }));
    all.sort_by_key(|object| object.place.map(|place| (place.line, place.column)));
    all
}

fn key(location: &Location) -> Option<(usize, usize)> {
    location.position.map(|position| (position.line, position.column))
}

fn change(plan: &ObjectPlan, fate: Fate) -> Change {
    let ((old_kind, old), (new_kind, new)) = (&plan.from, &plan.to);
    let to = match (old_kind.kind == new_kind.kind, old == new) {
        (true, true) => None,
        (true, false) => Some(visible(&new.to_string())),
        (false, _) => Some(visible(&format!("{new} {}", new_kind.kind))),
    };
    let rules = plan.rules.iter().map(|(rule, direction)| format!("{} {rule}", direction.name()));
    Change { outcome: fate.name(), words: fate.words(Written::No), to, rules: rules.collect() }
}

fn finding(finding: &finding::Finding) -> Finding {
    Finding {
        severity: finding.severity.name(),
        code: finding.code.name(),
        description: finding.code.description(),
        place: Place::of(&finding.location),
        object: finding.object.as_ref().map(|object| visible(&object.title)),
        message: visible(&finding.message),
        help: finding.help.as_deref().map(visible_lines),
    }
}

/// Returns what the page shows of findings: the worst first, then in the order of the text.
fn sorted<'f>(findings: impl Iterator<Item = &'f finding::Finding>) -> Vec<Finding> {
    let mut findings: Vec<_> = findings.map(|found| (Reverse(found.severity), finding(found))).collect();
    findings.sort_by_key(|(rank, finding)| (*rank, finding.place.map(|place| (place.line, place.column))));
    findings.into_iter().map(|(_, finding)| finding).collect()
}

fn advisory(advisory: &plan::RunAdvisory) -> Advisory {
    Advisory {
        about: advisory.about.name(),
        severity: advisory.severity.name(),
        message: visible(&advisory.message),
        help: advisory.help.as_deref().map(visible_lines),
    }
}
