//! The report as data: what the format `json` prints, what `report merge` reads back, and what the other formats for pipelines
//! are made of.
//!
//! Invariant: what a Secret holds is in no document; a finding stands below its object, where that is in the document, and
//! nowhere else.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::count::{Counts, named_fields};
use super::detection::Detection;
use super::escape::{visible, visible_lines};
use super::run_report::{Fate, Report, Written, changed_fields, changes_needed};
use crate::authoring::crd_check::{Comparison, ReleaseStep};
use crate::engine::edits::FilePlan;
use crate::engine::finding::{
    Acknowledged, AcknowledgedBy, Code, CrdChange, Finding, FindingObject, Location, Severity,
};
use crate::engine::plan::{ObjectPlan, Outcome, RunAdvisory, change};
use crate::knowledge::release::{ApiVersion, GroupKind};
use crate::shell::redaction::shows_secret;

/// The version of the shape of reports; it grows when a reader has to change.
pub(crate) const REPORT_SCHEMA_VERSION: u32 = 2;

/// What a run found, or several runs together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct ReportDocument {
    /// [`REPORT_SCHEMA_VERSION`].
    pub(crate) schema_version: u32,
    /// The version of the program.
    pub tool: String,
    /// The subcommand.
    pub command: String,
    /// The targets, as `gateway-api@1.4.1/standard`.
    pub targets: Vec<String>,
    /// Which part of the tree it is about, as `1/4`; the whole tree where there is none.
    pub shard: Option<String>,
    /// The folder in which the program ran, from the root of the repository; empty for the root.
    pub folder: Option<String>,
    /// The root of the repository on this machine.
    #[serde(skip)]
    pub top: Option<String>,
    /// The exit code of the run.
    pub exit_code: u8,
    /// Why nothing was recognized, where that is so and the run says why.
    #[serde(skip)]
    pub(crate) nothing_recognized: Option<String>,
    /// Whether the changes were written.
    pub written: bool,
    /// How many files and objects were seen, and what becomes of them.
    pub summary: Summary,
    /// How many findings and objects there are of each code, kind and rule.
    pub totals: Totals,
    /// The files that failed, where the run went on without them.
    pub left_out: Vec<String>,
    /// Where the objects come from that change or are held back, and which targets were added, a line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) origins: Vec<String>,
    /// The files that change; not those of which each change was accepted as one not made.
    pub files: Vec<ChangedFile>,
    /// The objects of the targeted packs.
    pub objects: Vec<ObjectRecord>,
    /// The findings about none of these objects.
    pub findings: Vec<FindingRecord>,
    /// Those of them that are acknowledged.
    pub acknowledged: Vec<AcknowledgedRecord>,
    /// How many findings of each code are acknowledged, where they are only counted.
    #[serde(skip)]
    pub(crate) counted: BTreeMap<String, usize>,
    /// What is to be known about the cluster and the releases.
    pub advisories: Vec<RunAdvisory>,
    /// Those of them that are acknowledged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub acknowledged_advisories: Vec<RunAdvisory>,
    /// The step from one release of CRDs to another, of `crd check`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) release: Option<ReleaseStep>,
}

/// How many files and objects a run saw, and what becomes of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Summary {
    /// How many files are listed with `--files-from`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listed: Option<usize>,
    /// Files that were read.
    pub files: usize,
    /// Files that were parsed.
    pub(crate) parsed_files: usize,
    /// Objects in them.
    pub objects: usize,
    /// Objects of a known kind.
    pub recognized: usize,
    /// Templates, skipped.
    pub templates: usize,
    /// Files that are no text, skipped.
    pub binaries: usize,
    /// Files and folders that a `.reversionignore` names.
    pub ignored: usize,
    /// Files that failed.
    pub failed: usize,
    /// Objects of groups that no pack and no CRD of the run has, where CRDs were passed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unknown_groups: BTreeMap<String, usize>,
    /// Objects that change.
    pub changed: usize,
    /// The files that they are in.
    pub(crate) changed_files: usize,
    /// Objects that are held back.
    pub held_back: usize,
    /// Findings of what nothing converts and what can break or change what is applied.
    pub unresolved: usize,
    /// Findings that are acknowledged.
    pub acknowledged: usize,
    /// Objects into which old defaults are written, by the parameter that decides it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub old_defaults: BTreeMap<String, usize>,
}

/// How many there are of each code, kind and rule. What is acknowledged is not counted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Totals {
    /// Findings by code.
    pub codes: BTreeMap<String, usize>,
    /// Objects by kind, as `Kind.group`, and outcome.
    pub kinds: BTreeMap<String, Outcomes>,
    /// Objects that change by rule.
    pub rules: BTreeMap<String, usize>,
}

/// How many objects there are with each outcome.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Outcomes {
    /// They are at the target already.
    pub unchanged: usize,
    /// They change.
    pub changed: usize,
    /// They are left unchanged.
    pub held_back: usize,
    /// They are left unchanged, or would change, and that was accepted before.
    pub acknowledged: usize,
}

/// A file that changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChangedFile {
    /// The file as the user named it.
    pub file: String,
    /// Sorted and disjoint.
    pub edits: Vec<ByteEdit>,
}

/// One replacement in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ByteEdit {
    /// The first byte that is replaced.
    pub start: usize,
    /// One past the last.
    pub end: usize,
    /// What it is replaced by; nothing is said where the file's edits show what a Secret holds.
    pub text: Option<String>,
}

/// An object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObjectRecord {
    /// Its kind, namespace and name, as `HTTPRoute store/checkout`.
    pub object: String,
    /// Where it starts.
    pub location: Location,
    /// What becomes of it.
    pub outcome: Fate,
    /// The codes of its findings, sorted; not those that are acknowledged.
    pub codes: Vec<String>,
    /// Its kind and apiVersion before.
    pub from: TypeMeta,
    /// Its kind and apiVersion after the conversion.
    pub to: TypeMeta,
    /// The rules that change it.
    pub rules: Vec<AppliedRule>,
    /// The fields that change where neither a rule nor an apiVersion says it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<String>,
    /// RFC 6902: from its data before the conversion to that after it.
    pub patch: Value,
    /// The findings about it.
    pub findings: Vec<FindingRecord>,
    /// Those that are acknowledged.
    pub acknowledged: Vec<AcknowledgedRecord>,
}

/// A kind and an apiVersion.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct TypeMeta {
    /// The kind.
    pub kind: String,
    /// The apiVersion.
    pub api_version: String,
}

/// A rule that changes an object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AppliedRule {
    /// Its id.
    pub rule: String,
    /// `forward` or `backward`.
    pub direction: String,
}

/// A finding, as reports and saved plans hold it: its code can be one of another version of the program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FindingRecord {
    /// Where; first, so that findings sort by place.
    pub location: Location,
    /// The name of its code.
    pub code: String,
    /// What it does to the run.
    pub severity: Severity,
    /// The object, where there is one that is not in the document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<FindingObject>,
    /// The other objects that the same is reported about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<FindingObject>,
    /// The field, where there is one.
    pub field: Option<String>,
    /// One sentence, which does not name the object.
    pub message: String,
    /// What to do next.
    pub help: Option<String>,
    /// What of a CRD it is about, where CRDs are compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<Box<CrdChange>>,
}

/// A finding that was accepted before.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AcknowledgedRecord {
    /// What acknowledges it.
    pub by: AcknowledgedBy,
    /// The reason that is given there.
    pub reason: Option<String>,
    /// The finding.
    pub finding: FindingRecord,
}

/// Where the program ran: the root of the repository on this machine, and the folder below it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RanIn {
    /// The root of the repository.
    pub top: Option<String>,
    /// The path of the folder from there.
    pub folder: Option<String>,
}

impl ReportDocument {
    /// Makes the document of a run.
    pub fn new(report: &Report<'_>, ran_in: RanIn) -> Self {
        let fates = report.fates();
        let mut objects: Vec<ObjectRecord> =
            report.objects.iter().map(|object| ObjectRecord::new(object, fates.of(object))).collect();
        let at: BTreeMap<&Location, usize> = report.objects.iter().map(|object| &object.location).zip(0..).collect();
        let of = |finding: &Finding| finding.object.as_ref().and_then(|object| at.get(&object.location).copied());
        let needed: Vec<Finding> = match report.written {
            Written::No => report.to_change().map(changes_needed).collect(),
            Written::Yes => Vec::new(),
        };
        let mut findings = Vec::new();
        for finding in report.findings.iter().chain(&needed) {
            match of(finding) {
                Some(at) => objects[at].findings.push(FindingRecord::of_object(finding)),
                None => findings.push(FindingRecord::new(finding)),
            }
        }
        let mut acknowledged = Vec::new();
        for Acknowledged { finding, by, reason } in report.acknowledged {
            let record = |finding| AcknowledgedRecord { by: *by, reason: reason.clone(), finding };
            match of(finding) {
                Some(at) => objects[at].acknowledged.push(record(FindingRecord::of_object(finding))),
                None => acknowledged.push(record(FindingRecord::new(finding))),
            }
        }
        objects.iter_mut().for_each(ObjectRecord::sort_findings);
        let mut document = Self {
            targets: report.targets.clone(),
            shard: report.shard.clone(),
            nothing_recognized: report.nothing_recognized.clone(),
            written: report.written == Written::Yes,
            left_out: report.left_out.iter().map(|file| (*file).to_owned()).collect(),
            origins: report.origins.clone(),
            files: report.files_to_change().map(ChangedFile::new).collect(),
            objects,
            findings,
            acknowledged,
            advisories: report.advisories.to_vec(),
            acknowledged_advisories: report.acknowledged_advisories.to_vec(),
            ..Self::empty(report.command, report.exit, &report.counts, ran_in)
        };
        document.summary.old_defaults = Summary::old_defaults_of(report);
        document.count();
        document
    }

    /// Makes the document of the findings of `detect`, for the formats that hold nothing else.
    pub(crate) fn of_detection(detection: &Detection<'_>, exit_code: u8, ran_in: RanIn) -> Self {
        let mut document = Self {
            shard: detection.shard.clone(),
            findings: detection.findings.iter().map(FindingRecord::new).collect(),
            ..Self::empty("detect", exit_code, &detection.counts, ran_in)
        };
        document.count();
        document
    }

    /// Makes the document of a comparison of CRDs by a policy.
    pub(crate) fn of_crds(
        comparison: &Comparison,
        policy: &str,
        counts: &Counts,
        exit_code: u8,
        ran_in: RanIn,
    ) -> Self {
        let acknowledged = comparison.acknowledged.iter().map(|Acknowledged { finding, by, reason }| {
            AcknowledgedRecord { by: *by, reason: reason.clone(), finding: FindingRecord::new(finding) }
        });
        let mut document = Self {
            targets: vec![policy.to_owned()],
            findings: comparison.findings.iter().map(FindingRecord::new).collect(),
            acknowledged: acknowledged.collect(),
            release: Some(comparison.step.clone()),
            ..Self::empty("crd check", exit_code, counts, ran_in)
        };
        document.count();
        document
    }

    fn empty(command: &str, exit_code: u8, counts: &Counts, ran_in: RanIn) -> Self {
        Self {
            schema_version: REPORT_SCHEMA_VERSION,
            tool: env!("CARGO_PKG_VERSION").to_owned(),
            command: command.to_owned(),
            folder: ran_in.folder,
            top: ran_in.top,
            exit_code,
            summary: Summary::of_counts(counts),
            ..Self::default()
        }
    }

    /// Returns whether it holds what `detect` found, which decides nothing about objects.
    pub(crate) fn is_detection(&self) -> bool {
        self.command == "detect"
    }

    /// Counts again what follows from the objects, files and findings.
    pub(super) fn count(&mut self) {
        let with = |fate| self.objects.iter().filter(|object| object.outcome == fate).count();
        let changed = with(Fate::Changed);
        let held = self.objects.iter().filter(|object| object.outcome == Fate::HeldBack);
        let held_by_findings = self.findings.iter().filter(|finding| finding.severity == Severity::Held);
        let held_by_findings = held_by_findings
            .map(|finding| finding.object.as_ref().map_or(&finding.location, |object| &object.location));
        let held_back = held.map(|object| &object.location).chain(held_by_findings).collect::<BTreeSet<_>>().len();
        let acknowledged = self.acknowledged_records().count() + self.acknowledged_advisories.len();
        let unresolved = self.records().filter(|(_, finding)| finding.severity == Severity::Unresolved).count();
        let mut totals = Totals::default();
        for (_, finding) in self.records() {
            *totals.codes.entry(finding.code.clone()).or_default() += 1;
        }
        if !self.advisories.is_empty() {
            *totals.codes.entry(Code::Advisory.name().to_owned()).or_default() += self.advisories.len();
        }
        for object in &self.objects {
            let outcomes = totals.kinds.entry(object.from.group_kind().to_string()).or_default();
            match object.outcome {
                Fate::Unchanged => outcomes.unchanged += 1,
                Fate::Changed => outcomes.changed += 1,
                Fate::HeldBack => outcomes.held_back += 1,
                Fate::Acknowledged => outcomes.acknowledged += 1,
            }
            for rule in object.rules.iter().filter(|_| object.outcome == Fate::Changed) {
                *totals.rules.entry(rule.rule.clone()).or_default() += 1;
            }
        }
        let changed_files = self.files.len();
        self.summary = Summary { changed, changed_files, held_back, unresolved, acknowledged, ..self.summary.clone() };
        self.totals = totals;
    }

    /// Returns every finding with its object's title, the findings of objects first.
    pub fn records(&self) -> impl Iterator<Item = (Option<&str>, &FindingRecord)> {
        let of_objects = self
            .objects
            .iter()
            .flat_map(|object| object.findings.iter().map(move |finding| (Some(object.object.as_str()), finding)));
        of_objects.chain(self.findings.iter().map(|finding| (finding.title(), finding)))
    }

    /// Returns every acknowledged finding with its object's title, those of objects first.
    pub(crate) fn acknowledged_records(&self) -> impl Iterator<Item = (Option<&str>, &AcknowledgedRecord)> {
        let of_objects = self.objects.iter().flat_map(|object| {
            object.acknowledged.iter().map(move |accepted| (Some(object.object.as_str()), accepted))
        });
        of_objects.chain(self.acknowledged.iter().map(|accepted| (accepted.finding.title(), accepted)))
    }

    /// Keeps the findings and advisories that `shows` accepts, by their severity and code; the totals stay.
    #[must_use]
    pub fn with(mut self, shows: impl Fn(Severity, &str) -> bool) -> Self {
        let keep = |record: &FindingRecord| shows(record.severity, &record.code);
        self.objects.iter_mut().for_each(|object| object.findings.retain(keep));
        self.findings.retain(keep);
        self.advisories.retain(|advisory| shows(advisory.severity, Code::Advisory.name()));
        self
    }

    /// Counts what is acknowledged instead of listing it: what is new stands alone.
    #[must_use]
    pub fn with_acknowledged_counted(mut self) -> Self {
        let mut counted = BTreeMap::new();
        for (_, accepted) in self.acknowledged_records() {
            *counted.entry(accepted.finding.code.clone()).or_default() += 1;
        }
        if !self.acknowledged_advisories.is_empty() {
            *counted.entry(Code::Advisory.name().to_owned()).or_default() += self.acknowledged_advisories.len();
        }
        self.objects.retain(|object| object.outcome != Fate::Acknowledged || !object.findings.is_empty());
        self.objects.iter_mut().for_each(|object| object.acknowledged.clear());
        self.acknowledged.clear();
        self.acknowledged_advisories.clear();
        Self { counted, ..self }
    }

    /// Returns the path of a file from the root of the repository, where that is known.
    pub fn path(&self, file: &str) -> String {
        match &self.folder {
            _ if file.starts_with('/') => {
                let whole = format!("/{}", joined("", file));
                let below = |top: &String| Some(whole.strip_prefix(top.as_str())?.strip_prefix('/')?.to_owned());
                self.top.as_ref().and_then(below).unwrap_or(whole)
            }
            Some(folder) if file != "-" => joined(folder, file),
            _ => file.to_owned(),
        }
    }
}

/// Joins a path from the folder `folder`, without `.` and `..` where that is possible.
pub(super) fn joined(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

impl Summary {
    pub(super) fn of_counts(counts: &Counts) -> Self {
        Self {
            listed: counts.listed,
            files: counts.files,
            parsed_files: counts.parsed,
            objects: counts.objects,
            recognized: counts.recognized,
            templates: counts.templates,
            binaries: counts.binaries,
            ignored: counts.ignored,
            failed: counts.failed,
            unknown_groups: counts.unknown_groups.clone(),
            ..Self::default()
        }
    }

    /// Counts what a run saw, and what becomes of it.
    pub(super) fn of(report: &Report<'_>) -> Self {
        let is_unresolved = |finding: &&Finding| finding.severity == Severity::Unresolved;
        Self {
            changed: report.to_change().count(),
            changed_files: report.files_to_change().count(),
            held_back: report.held_places().len(),
            unresolved: report.findings.iter().filter(is_unresolved).count(),
            acknowledged: report.acknowledged.len() + report.acknowledged_advisories.len(),
            old_defaults: Self::old_defaults_of(report),
            ..Self::of_counts(&report.counts)
        }
    }

    fn old_defaults_of(report: &Report<'_>) -> BTreeMap<String, usize> {
        let mut objects = BTreeMap::new();
        for parameter in report.to_change().flat_map(|object| &object.frozen_by) {
            *objects.entry(parameter.clone()).or_default() += 1;
        }
        objects
    }
}

impl ChangedFile {
    fn new(file: &FilePlan) -> Self {
        let hides = shows_secret(file);
        let edits = file.edits.edits().iter().map(|edit| ByteEdit {
            start: edit.span.start,
            end: edit.span.end,
            text: (!hides).then(|| edit.text.clone()),
        });
        Self { file: file.file.clone(), edits: edits.collect() }
    }
}

impl TypeMeta {
    pub(super) fn new((kind, api_version): &(GroupKind, ApiVersion)) -> Self {
        Self { kind: kind.kind.clone(), api_version: api_version.to_string() }
    }

    /// Returns the kind with its group.
    pub(super) fn group_kind(&self) -> GroupKind {
        let group = self.api_version.rsplit_once('/').map_or("", |(group, _)| group);
        GroupKind::new(&self.kind, group)
    }
}

impl AppliedRule {
    /// Returns the rules that change an object.
    pub(super) fn all(plan: &ObjectPlan) -> Vec<Self> {
        let rules = plan.rules.iter();
        rules.map(|(rule, direction)| Self { rule: rule.clone(), direction: direction.name().to_owned() }).collect()
    }
}

impl ObjectRecord {
    /// Makes the object without its findings. There is a patch where the plan holds data.
    pub(super) fn new(plan: &ObjectPlan, outcome: Fate) -> Self {
        let patch = match &plan.data {
            Some(data) if plan.outcome == Outcome::Changed && plan.from.0.kind != "Secret" => {
                serde_json::json!(json_patch::diff(&data.before, &data.after))
            }
            _ => Value::Array(Vec::new()),
        };
        Self {
            object: plan.title.clone(),
            location: plan.location.clone(),
            outcome,
            codes: Vec::new(),
            from: TypeMeta::new(&plan.from),
            to: TypeMeta::new(&plan.to),
            rules: AppliedRule::all(plan),
            fields: changed_fields(plan),
            patch,
            findings: Vec::new(),
            acknowledged: Vec::new(),
        }
    }
}

impl ObjectRecord {
    /// Sorts its findings, and lists their codes.
    pub(super) fn sort_findings(&mut self) {
        self.findings.sort();
        self.codes = self.findings.iter().map(|finding| finding.code.clone()).collect();
        self.codes.sort();
        self.codes.dedup();
    }
}

impl FindingRecord {
    /// Makes the finding that an object must change, to stand below the object.
    pub(super) fn changes_needed(location: &Location, from: &TypeMeta, to: &TypeMeta, fields: &[String]) -> Self {
        let message = change(&from.group_kind(), &from.api_version, &to.group_kind(), &to.api_version);
        Self {
            location: location.clone(),
            code: Code::ChangesNeeded.name().to_owned(),
            severity: Severity::Warning,
            object: None,
            others: Vec::new(),
            field: None,
            message: message + &named_fields(fields),
            help: None,
            change: None,
        }
    }

    /// Moves a finding below its object.
    pub(super) fn below_its_object(self) -> Self {
        let others = self.object.map_or(self.others, |object| object.others);
        Self { object: None, others, ..self }
    }

    pub(crate) fn new(finding: &Finding) -> Self {
        Self { object: finding.object.clone(), ..Self::of_object(finding) }
    }

    /// Makes a finding that stands below its object.
    fn of_object(finding: &Finding) -> Self {
        Self {
            location: finding.location.clone(),
            code: finding.code.name().to_owned(),
            severity: finding.severity,
            object: None,
            others: finding.object.as_ref().map_or_else(Vec::new, |object| object.others.clone()),
            field: finding.field.clone(),
            message: finding.message.clone(),
            help: finding.help.clone(),
            change: finding.change.clone(),
        }
    }

    /// The title of its object, where that is not in the document.
    pub(super) fn title(&self) -> Option<&str> {
        self.object.as_ref().map(|object| object.title.as_str())
    }

    /// Returns the message behind the title of its object.
    pub fn sentence(&self, title: Option<&str>) -> String {
        title.map_or_else(|| self.message.clone(), |title| format!("{title}: {}", self.message))
    }

    /// Returns the sentence, and the help on a line of its own.
    pub fn advice(&self, title: Option<&str>) -> String {
        with_help(&self.sentence(title), self.help.as_deref())
    }
}

/// Returns the message of an advisory, and the help on a line of its own.
pub(super) fn advice(advisory: &RunAdvisory) -> String {
    with_help(&advisory.message, advisory.help.as_deref())
}

/// Joins a message and its help, in which the control characters of texts from files are written out: the line breaks are that
/// between them, and those of a text to add.
fn with_help(message: &str, help: Option<&str>) -> String {
    let message = visible(message);
    help.map_or_else(|| message.clone(), |help| format!("{message}\nhelp: {}", visible_lines(help)))
}
