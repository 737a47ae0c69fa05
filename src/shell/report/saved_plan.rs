//! The saved plan: what it holds, and the checks before it is trusted.
//!
//! [`SavedPlan`] is the JSON that `reversion plan` writes: every edit with the text that it replaces and the replacement, the
//! fingerprint of each file before and after, and the report. [`SavedPlan::parse`] reads one, and [`SavedFile::plan`] makes
//! its edits in a file's text. A plan comes from a file that anybody may have written, so everything in it is checked; the
//! caller checks where its files may be.
//!
//! Invariant: a file plan made here turns a text with the fingerprint `before` into one with the fingerprint `after`, by sorted,
//! disjoint edits whose replaced texts were compared.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::document::{
    AppliedRule, ByteEdit, ChangedFile, FindingRecord, ObjectRecord, REPORT_SCHEMA_VERSION, RanIn, ReportDocument,
    Summary, TypeMeta,
};
use super::escape::visible;
use super::json;
use super::run_report::{Fate, Report};
use crate::engine::edits::FilePlan;
use crate::engine::finding::{Location, Severity};
use crate::engine::plan::{ObjectPlan, RunAdvisory};
use crate::shell::redaction::shows_secret;
use crate::syntax::fingerprint::Fingerprint;
use crate::syntax::text::{Edit, EditSet};

/// The version of the shape of saved plans; it grows when a reader has to change.
const SCHEMA_VERSION: u32 = 2;

/// The largest plan that is read, in bytes: 256 MiB.
pub(crate) const MAX_PLAN: u64 = 256 << 20;

/// Everything that an `apply --plan` would do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct SavedPlan {
    schema_version: u32,
    /// The version of the program that made the plan.
    pub tool: String,
    /// The packs that it was made with, sorted by name.
    pub packs: Vec<SavedPack>,
    /// The targets, as `gateway-api@1.4.1/standard`.
    pub targets: Vec<String>,
    /// Whether there is nothing to do.
    pub noop: bool,
    /// How many files and objects were seen, and what becomes of them.
    pub summary: Summary,
    /// The files that change, sorted by path.
    pub files: Vec<SavedFile>,
    /// The objects of the targeted packs, as in the JSON report.
    objects: Vec<SavedObject>,
    /// Every finding.
    pub findings: Vec<FindingRecord>,
    /// What is to be known about the cluster and the releases.
    pub advisories: Vec<RunAdvisory>,
    /// Where the objects come from that change or are held back, and which targets were added, a line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) origins: Vec<String>,
}

/// A pack that a plan was made with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedPack {
    /// The name of its folder.
    pub name: String,
    /// The fingerprint of its files.
    pub fingerprint: Fingerprint,
}

/// One file that changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedFile {
    /// Its path, from the folder in which the plan was made.
    pub path: String,
    /// What it was.
    pub before: Fingerprint,
    /// What it becomes.
    pub after: Fingerprint,
    /// Sorted and disjoint; of whole lines, unless the lines hold something of a Secret.
    edits: Vec<SavedEdit>,
}

/// An object, without its findings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedObject {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    fields: Vec<String>,
    from: TypeMeta,
    location: Location,
    object: String,
    outcome: Fate,
    patch: serde_json::Value,
    rules: Vec<AppliedRule>,
    to: TypeMeta,
}

/// One replacement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedEdit {
    start: usize,
    end: usize,
    old: String,
    new: String,
}

impl SavedPlan {
    /// Makes the plan of `report`; `path` returns the name of a file relative to the folder of the plan.
    ///
    /// # Errors
    /// A message that names the file whose edits hold values of a Secret.
    pub fn new(
        report: &Report<'_>,
        packs: Vec<SavedPack>,
        path: impl Fn(&str) -> Result<String, String>,
    ) -> Result<Self, String> {
        let mut files =
            report.files.iter().map(|file| SavedFile::new(file, path(&file.file)?)).collect::<Result<Vec<_>, _>>()?;
        files.sort_by(|left, right| left.path.cmp(&right.path));
        let fates = report.fates();
        Ok(Self {
            schema_version: SCHEMA_VERSION,
            tool: env!("CARGO_PKG_VERSION").to_owned(),
            packs,
            targets: report.targets.clone(),
            noop: report.files.is_empty(),
            summary: Summary::of(report),
            files,
            objects: report.objects.iter().map(|object| SavedObject::new(object, fates.of(object))).collect(),
            findings: report.findings.iter().map(FindingRecord::new).collect(),
            advisories: report.advisories.to_vec(),
            origins: report.origins.clone(),
        })
    }

    /// Prints the plan.
    pub fn to_text(&self) -> String {
        json::pretty(self)
    }

    /// Reads a plan.
    ///
    /// # Errors
    /// A message: not a plan file, or one that is not valid.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let plan: Self = serde_json::from_slice(bytes).map_err(|error| not_a_plan(&error))?;
        plan.validate().map_err(|what| format!("not a valid plan: {what}"))?;
        Ok(plan)
    }

    /// Checks what can be checked without the files.
    fn validate(&self) -> Result<(), String> {
        if self.schema_version != SCHEMA_VERSION {
            let version = self.schema_version;
            return Err(format!("its schemaVersion is {version}, and this program reads {SCHEMA_VERSION}"));
        }
        if self.noop != self.files.is_empty() {
            return Err("`noop` contradicts `files`".to_owned());
        }
        let mut paths = BTreeSet::new();
        for file in &self.files {
            file.check().map_err(|what| format!("{}: {what}", file.path))?;
            if !paths.insert(&file.path) {
                return Err(format!("{} is listed twice", file.path));
            }
        }
        Ok(())
    }

    /// Returns the files that failed when the plan was made, and that it leaves out.
    pub fn left_out(&self) -> Vec<&str> {
        let failed = self.findings.iter().filter(|finding| finding.severity == Severity::Error);
        let files: BTreeSet<&str> = failed.map(|finding| finding.location.file.as_str()).collect();
        files.into_iter().collect()
    }

    /// Returns the file of each object that changes.
    pub(crate) fn changed_files(&self) -> impl Iterator<Item = &str> {
        let changed = self.objects.iter().filter(|object| object.outcome == Fate::Changed);
        changed.map(|object| object.location.file.as_str())
    }

    /// Makes the document of the run that made the plan, as far as the plan holds it: what was acknowledged is only counted.
    pub(crate) fn document(&self, ran_in: RanIn) -> ReportDocument {
        let mut objects: Vec<ObjectRecord> = self.objects.iter().map(SavedObject::record).collect();
        let at: BTreeMap<&Location, usize> = self.objects.iter().map(|object| &object.location).zip(0..).collect();
        let mut findings = Vec::new();
        for finding in &self.findings {
            match finding.object.as_ref().and_then(|object| at.get(&object.location)) {
                Some(at) => objects[*at].findings.push(finding.clone().below_its_object()),
                None => findings.push(finding.clone()),
            }
        }
        objects.iter_mut().for_each(ObjectRecord::sort_findings);
        let left_out = self.left_out();
        let is_open = self.findings.iter().any(|finding| finding.severity >= Severity::Unresolved);
        let is_clean = self.noop && left_out.is_empty() && !is_open;
        let mut document = ReportDocument {
            schema_version: REPORT_SCHEMA_VERSION,
            tool: self.tool.clone(),
            command: "plan".to_owned(),
            targets: self.targets.clone(),
            folder: ran_in.folder,
            top: ran_in.top,
            exit_code: u8::from(!is_clean),
            left_out: left_out.into_iter().map(str::to_owned).collect(),
            files: self.files.iter().map(SavedFile::changed).collect(),
            objects,
            findings,
            advisories: self.advisories.clone(),
            origins: self.origins.clone(),
            ..ReportDocument::default()
        };
        document.count();
        ReportDocument { summary: self.summary.clone(), ..document }
    }
}

impl SavedObject {
    fn new(object: &ObjectPlan, fate: Fate) -> Self {
        let ObjectRecord { object, location, outcome, from, to, rules, fields, patch, .. } =
            ObjectRecord::new(object, fate);
        Self { fields, from, location, object, outcome, patch, rules, to }
    }

    /// Makes the object of a document, with the finding that it must change.
    fn record(&self) -> ObjectRecord {
        let Self { fields, from, location, object, outcome, patch, rules, to } = self.clone();
        let needed = (outcome == Fate::Changed).then(|| FindingRecord::changes_needed(&location, &from, &to, &fields));
        ObjectRecord {
            object,
            location,
            outcome,
            codes: Vec::new(),
            from,
            to,
            rules,
            fields,
            patch,
            findings: needed.into_iter().collect(),
            acknowledged: Vec::new(),
        }
    }
}

/// Why the plan of a file cannot be executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// The file changed since the plan was made.
    Stale,
    /// The plan contradicts itself.
    Contradiction,
}

impl SavedFile {
    fn new(file: &FilePlan, path: String) -> Result<Self, String> {
        let widened = lines_of(&file.before, file.edits.edits());
        let widened = EditSet::new(widened).expect("edits that meet in a line were joined");
        let widened = FilePlan { file: path.clone(), before: file.before.clone(), edits: widened };
        let file = if shows_secret(&widened) { file } else { &widened };
        if shows_secret(file) {
            return Err(format!(
                "{path}: an edit holds values of a Secret, and a saved plan must not; use `reversion apply`"
            ));
        }
        let edit = |edit: &Edit| SavedEdit {
            start: edit.span.start,
            end: edit.span.end,
            old: edit.span.of(&file.before).to_owned(),
            new: edit.text.clone(),
        };
        let edits = file.edits.edits().iter().map(edit).collect();
        let [before, after] = [&*file.before, &*file.after()].map(|text| Fingerprint::of(text.as_bytes()));
        Ok(Self { path, before, after, edits })
    }

    /// Checks what can be checked without the file.
    fn check(&self) -> Result<(), String> {
        let mut done = 0;
        for edit in &self.edits {
            if edit.start < done || edit.end < edit.start {
                return Err(format!("the edit at byte {} overlaps the one before it or runs backwards", edit.start));
            }
            if edit.end - edit.start != edit.old.len() {
                return Err(format!(
                    "the edit at byte {} and the text that it replaces have different lengths",
                    edit.start
                ));
            }
            done = edit.end;
        }
        if self.edits.is_empty() || self.before == self.after {
            return Err("nothing changes".to_owned());
        }
        Ok(())
    }

    /// Makes the edits of the plan in the text of its file.
    ///
    /// # Errors
    /// [`Mismatch::Stale`] where the plan was made from another text, [`Mismatch::Contradiction`] where it is and the edits
    /// still do not fit.
    pub fn plan(&self, text: String) -> Result<FilePlan, Mismatch> {
        if Fingerprint::of(text.as_bytes()) != self.before {
            return Err(Mismatch::Stale);
        }
        if self.edits.iter().any(|edit| text.get(edit.start..edit.end) != Some(&edit.old)) {
            return Err(Mismatch::Contradiction);
        }
        let edits = self.edits.iter().map(|edit| Edit::new(edit.start, edit.end, edit.new.clone())).collect();
        let edits = EditSet::new(edits).map_err(|_| Mismatch::Contradiction)?;
        let after = edits.apply(&text);
        if Fingerprint::of(after.as_bytes()) != self.after {
            return Err(Mismatch::Contradiction);
        }
        Ok(FilePlan { file: self.path.clone(), before: text.into(), edits })
    }

    /// Says what changes, as a report does.
    fn changed(&self) -> ChangedFile {
        let edit = |edit: &SavedEdit| ByteEdit { start: edit.start, end: edit.end, text: Some(edit.new.clone()) };
        ChangedFile { file: self.path.clone(), edits: self.edits.iter().map(edit).collect() }
    }

    /// Prints the edits without the file's text: what each replaces, and by what.
    pub fn edits_text(&self) -> String {
        let lines = |sign: char, text: &str| -> String {
            text.lines().map(|line| format!("{sign}{}\n", visible(line))).collect()
        };
        let print = |edit: &SavedEdit| {
            let head = format!("@@ bytes {}..{} @@\n", edit.start, edit.end);
            head + &lines('-', &edit.old) + &lines('+', &edit.new)
        };
        let name = visible(&self.path);
        format!("--- a/{name}\n+++ b/{name}\n{}", self.edits.iter().map(print).collect::<String>())
    }
}

/// Widens edits to whole lines, so that they can be read without the text around them.
fn lines_of(text: &str, edits: &[Edit]) -> Vec<Edit> {
    let line_start = |at: usize| text[..at].rfind('\n').map_or(0, |end| end + 1);
    let line_end = |at: usize| text[at..].find('\n').map_or(text.len(), |end| at + end + 1);
    let mut widened: Vec<Edit> = Vec::new();
    for edit in edits {
        let start = line_start(edit.span.start);
        let (start, mut new) = match widened.last() {
            Some(last) if start < last.span.end || edit.span.start < last.span.end => {
                // The last edit was widened over the rest of this line: shorten it again.
                let last = widened.pop().expect("there is a last one");
                let rest = last.span.end - edit.span.start;
                (last.span.start, last.text[..last.text.len() - rest].to_owned())
            }
            _ => (start, text[start..edit.span.start].to_owned()),
        };
        new.push_str(&edit.text);
        let is_whole = line_start(edit.span.end) == edit.span.end && (new.is_empty() || new.ends_with('\n'));
        let end = if is_whole { edit.span.end } else { line_end(edit.span.end) };
        new.push_str(&text[edit.span.end..end]);
        widened.push(Edit::new(start, end, new));
    }
    widened
}

/// Explains why a text is not a plan; what the parser reports comes last.
fn not_a_plan(error: &serde_json::Error) -> String {
    use serde_json::error::Category;
    let why = match error.classify() {
        Category::Eof => "it is empty or incomplete",
        Category::Data => "it is JSON of another form, and `reversion plan` writes plans",
        Category::Syntax | Category::Io => "it is not JSON",
    };
    format!("not a plan file: {why} ({error})")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::count::Counts;
    use super::super::grouped::{Shown, grouped};
    use super::super::paint::Painter;
    use super::*;
    use crate::engine::plan::Plan;
    use crate::knowledge::pack::Packs;

    const BEFORE: &str = "kind: Gateway\nspec:\n  a: é1\n  b: 2\n";

    fn file_plan(before: &str, edits: Vec<Edit>) -> FilePlan {
        let edits = EditSet::new(edits).unwrap();
        FilePlan { file: "a.yaml".to_owned(), before: before.into(), edits }
    }

    fn saved(files: &[FilePlan]) -> Result<SavedPlan, String> {
        let packs = Packs::new(Vec::new()).unwrap();
        let plan = Plan { files: files.to_vec(), ..Plan::default() };
        let report = Report::new("plan", &packs, &plan, Counts::default());
        SavedPlan::new(&report, Vec::new(), |file| Ok(file.to_owned()))
    }

    /// A plan that makes `é1` a `3`.
    fn plan() -> SavedPlan {
        saved(&[file_plan(BEFORE, vec![Edit::new(25, 28, "3")])]).unwrap()
    }

    #[test]
    fn a_saved_plan_reads_back_and_makes_the_change() {
        let plan = plan();
        assert_eq!(SavedPlan::parse(plan.to_text().as_bytes()), Ok(plan.clone()));
        let file = plan.files[0].plan(BEFORE.to_owned()).unwrap();
        assert_eq!(file.after(), "kind: Gateway\nspec:\n  a: 3\n  b: 2\n");
        assert_eq!(plan.files[0].plan(BEFORE.replace('2', "4")).unwrap_err(), Mismatch::Stale);
        assert_eq!(plan.files[0].edits_text(), "--- a/a.yaml\n+++ b/a.yaml\n@@ bytes 20..29 @@\n-  a: é1\n+  a: 3\n");
    }

    #[test]
    fn a_plan_records_whether_it_has_changes() {
        assert!(!plan().noop);
        assert!(saved(&[]).unwrap().noop);
    }

    /// Checks the error for the plan in which the value at `pointer` is replaced.
    #[track_caller]
    fn check_refused(pointer: &str, value: Value, expected: &str) {
        let mut document: Value = serde_json::from_str(&plan().to_text()).unwrap();
        *document.pointer_mut(pointer).unwrap() = value;
        let refused = SavedPlan::parse(document.to_string().as_bytes()).unwrap_err();
        assert!(refused.contains(expected), "{pointer}: {refused}");
    }

    #[test]
    fn a_hostile_plan_is_refused() {
        let edit = |start: u64, end: u64| json!({"start": start, "end": end, "old": "x".repeat((end - start) as usize), "new": ""});
        check_refused("/files/0/edits", json!([edit(4, 6), edit(5, 7)]), "overlaps");
        check_refused("/files/0/edits", json!([edit(4, 6), edit(2, 3)]), "overlaps");
        check_refused("/files/0/edits/0/end", json!(3), "runs backwards");
        check_refused("/files/0/edits/0/end", json!(u64::MAX), "different lengths");
        check_refused("/files/0/edits/0/start", json!(-1), "invalid value");
        check_refused("/files/0/edits/0/old", json!(""), "different lengths");
        check_refused("/files/0/edits", json!([]), "nothing changes");
        check_refused("/files/0/before", json!("1-2"), "is not a fingerprint");
        check_refused("/files", json!([plan().files[0], plan().files[0]]), "listed twice");
        check_refused("/files", json!([]), "noop");
        check_refused("/noop", json!(true), "noop");
        check_refused("/schemaVersion", json!(1), "schemaVersion is 1");
        check_refused("/summary", json!({}), "missing field");
        check_refused("/objects", json!({}), "invalid type");
        assert!(SavedPlan::parse(b"{\"schemaVersion\": 2, \"more\": 1}").unwrap_err().contains("unknown field"));
        for (start, refused) in [("{\"objects\": ", "invalid type"), ("{\"objects\": [{\"patch\": ", "recursion")] {
            let deep = format!("{start}{}", "[".repeat(100_000));
            assert!(SavedPlan::parse(deep.as_bytes()).unwrap_err().contains(refused), "{refused}");
        }
    }

    /// Checks that a plan whose edit is replaced, and whose fingerprints fit the file, is not executed.
    #[track_caller]
    fn check_contradiction(start: usize, end: usize, old: &str, new: &str) {
        let mut file = plan().files.remove(0);
        file.edits = vec![SavedEdit { start, end, old: old.to_owned(), new: new.to_owned() }];
        assert_eq!(file.check(), Ok(()));
        assert_eq!(file.plan(BEFORE.to_owned()).unwrap_err(), Mismatch::Contradiction);
    }

    #[test]
    fn edits_that_do_not_fit_the_file_are_not_made() {
        check_contradiction(25, 26, "x", "");
        check_contradiction(26, 27, "x", "");
        check_contradiction(25, 28, "ab1", "3");
        check_contradiction(25, 28, "é1", "4");
        check_contradiction(BEFORE.len(), BEFORE.len() + 1, "x", "");
        check_contradiction(usize::MAX, usize::MAX, "", "x");
    }

    /// Checks which lines the edits of a text of four lines take in.
    #[track_caller]
    fn check_lines(edits: &[(usize, usize, &str)], expected: &[(usize, usize, &str)]) {
        let made = |list: &[(usize, usize, &str)]| -> Vec<Edit> {
            list.iter().map(|(start, end, text)| Edit::new(*start, *end, *text)).collect()
        };
        let text = "ab\ncd\nef\ngh";
        let widened = lines_of(text, &made(edits));
        assert_eq!(widened, made(expected));
        let apply = |edits| EditSet::new(edits).unwrap().apply(text);
        assert_eq!(apply(widened), apply(made(edits)));
    }

    #[test]
    fn edits_are_widened_to_lines_and_joined_if_adjacent() {
        check_lines(&[(1, 2, "X")], &[(0, 3, "aX\n")]);
        check_lines(&[(0, 1, "X"), (1, 2, "Y")], &[(0, 3, "XY\n")]);
        check_lines(&[(0, 0, "X"), (4, 4, "Y")], &[(0, 3, "Xab\n"), (3, 6, "cYd\n")]);
        check_lines(&[(3, 3, "X\n")], &[(3, 3, "X\n")]);
        check_lines(&[(3, 6, "")], &[(3, 6, "")]);
        check_lines(&[(1, 3, "")], &[(0, 6, "acd\n")]);
        check_lines(&[(1, 3, ""), (4, 5, "X")], &[(0, 6, "acX\n")]);
        check_lines(&[(10, 10, "X"), (11, 11, "\n")], &[(9, 11, "gXh\n")]);
        check_lines(&[(9, 11, "")], &[(9, 11, "")]);
    }

    proptest::proptest! {
        #[test]
        fn a_damaged_plan_is_rejected_or_makes_the_recorded_result(at in 0..2000usize, length in 0..4usize, new in "[0-9a-z\"{},:é-]{0,4}") {
            let mut text = plan().to_text();
            let bounds: Vec<_> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
            let at = at % bounds.len();
            let end = (at + length).min(bounds.len() - 1);
            text.replace_range(bounds[at]..bounds[end], &new);
            if let Ok(plan) = SavedPlan::parse(text.as_bytes()) {
                for file in &plan.files {
                    if let Ok(done) = file.plan(BEFORE.to_owned()) {
                        proptest::prop_assert_eq!(Fingerprint::of(done.after().as_bytes()), file.after);
                    }
                    file.edits_text();
                }
            }
        }
    }

    const SECRET: &str = "{\"kind\": \"List\", \"items\": [{\"kind\": \"Gateway\"}, {\"kind\": \"Secret\", \"data\": {\"k\": \"czNj\"}}]}\n";

    #[test]
    fn no_plan_contains_secret_values() {
        let at = |text: &str| (SECRET.find(text).unwrap(), SECRET.find(text).unwrap() + text.len());
        let (start, end) = at("Gateway");
        let text = saved(&[file_plan(SECRET, vec![Edit::new(start, end, "Route")])]).unwrap().to_text();
        assert!(text.contains("Route") && !text.contains("czNj"), "the line holds both, the plan one");
        let (start, end) = at("czNj");
        let refused = saved(&[file_plan(SECRET, vec![Edit::new(start, end, "x")])]).unwrap_err();
        assert!(refused.starts_with("a.yaml: an edit holds values of a Secret"), "{refused}");
    }

    #[test]
    fn control_characters_of_a_plan_are_escaped() {
        let finding = json!({
            "location": {"file": "a\u{1b}[2J.yaml", "line": 1, "column": 2},
            "code": "x\u{1b}",
            "severity": "held-back",
            "object": {"title": "Gateway g", "location": {"file": "a\u{1b}[2J.yaml", "line": 1, "column": 2}},
            "field": null,
            "message": "m\u{7}",
            "help": "h\n\u{202e}",
        });
        let finding: FindingRecord = serde_json::from_value(finding).unwrap();
        let expected = "a\\u{1b}[2J.yaml:1:2: held-back[x\\u{1b}] Gateway g: m\\u{7}\n  help: h\n    \\u{202e}\n";
        let printed = grouped(&[], &[finding], &Painter::PLAIN, Shown::First);
        assert_eq!((&*printed.lines, &*printed.to_do), (expected, ""));
    }
}
