//! Answers: what does a saved plan say, and may it be believed?
//!
//! [`SavedPlan`] is the JSON that `reversion plan` writes: every edit with the text it replaces and the text it puts there, the
//! fingerprint of each file before and after, and what the report said. [`SavedPlan::parse`] reads one, and
//! [`SavedFile::plan`] carries it out on a file's text. A plan comes from a file that anybody may have written, so everything
//! in it is checked. Where a file may be is for whoever opens it to check.
//!
//! Invariant: a file plan made here turns a text of the fingerprint `before` into one of the fingerprint `after`, by sorted,
//! disjoint edits that replace what they say.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::json::{self, SCHEMA_VERSION};
use super::{Counts, Report};
use crate::edits::FilePlan;
use crate::finding::Finding;
use crate::fingerprint::Fingerprint;
use crate::redaction::shows_secret;
use crate::text::{Edit, EditSet};

/// The largest plan that is read, in bytes: 256 MiB.
pub const MAX_PLAN: u64 = 256 << 20;

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
    /// What was met.
    pub summary: Counts,
    /// The files that change, sorted by path.
    pub files: Vec<SavedFile>,
    /// The objects of the targeted packs, as in the JSON report.
    objects: Vec<serde_json::Value>,
    /// Everything that was told.
    pub findings: Vec<SavedFinding>,
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

/// One replacement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedEdit {
    start: usize,
    end: usize,
    old: String,
    new: String,
}

/// A finding with its words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedFinding {
    code: String,
    /// `note`, `warning`, `held-back` or `error`.
    pub severity: String,
    location: SavedLocation,
    object: Option<String>,
    field: Option<String>,
    message: String,
    help: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedLocation {
    file: String,
    line: Option<usize>,
    column: Option<usize>,
}

impl SavedPlan {
    /// Makes the plan of what `report` says; the files are named as `path` names them, in the folder of the plan.
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
        Ok(Self {
            schema_version: SCHEMA_VERSION,
            tool: env!("CARGO_PKG_VERSION").to_owned(),
            packs,
            targets: report.targets.clone(),
            noop: report.files.is_empty(),
            summary: report.counts.clone(),
            files,
            objects: report.objects.iter().map(json::object).collect(),
            findings: report.findings.iter().map(SavedFinding::new).collect(),
        })
    }

    /// Prints the plan.
    pub fn to_text(&self) -> String {
        json::pretty(self)
    }

    /// Reads a plan.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let plan: Self = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        if plan.schema_version != SCHEMA_VERSION {
            let found = plan.schema_version;
            return Err(format!("its schemaVersion is {found}, and this program reads {SCHEMA_VERSION}"));
        }
        if plan.noop != plan.files.is_empty() {
            return Err("`noop` does not say whether there are files".to_owned());
        }
        let mut paths = BTreeSet::new();
        for file in &plan.files {
            file.check().map_err(|what| format!("{}: {what}", file.path))?;
            if !paths.insert(&file.path) {
                return Err(format!("{} stands in it twice", file.path));
            }
        }
        Ok(plan)
    }

    /// Counts the objects of an outcome: `changed`, `unchanged`, `held-back`.
    pub fn count(&self, outcome: &str) -> usize {
        self.objects.iter().filter(|object| object["outcome"] == outcome).count()
    }
}

/// What of a file is not as its plan says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// The file changed since the plan was made.
    Stale,
    /// The plan contradicts itself.
    Wrong,
}

impl SavedFile {
    fn new(file: &FilePlan, path: String) -> Result<Self, String> {
        let wide = lines_of(&file.before, file.edits.edits());
        let wide = EditSet::new(wide).expect("edits that meet in a line were joined");
        let wide = FilePlan { file: path.clone(), before: file.before.clone(), edits: wide };
        let file = if shows_secret(&wide) { file } else { &wide };
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
                return Err(format!("the edit at byte {} does not replace as many bytes as it says", edit.start));
            }
            done = edit.end;
        }
        if self.edits.is_empty() || self.before == self.after {
            return Err("nothing changes".to_owned());
        }
        Ok(())
    }

    /// Carries the plan out on the text of its file.
    ///
    /// # Errors
    /// [`Mismatch::Stale`] where `text` is not what the plan was made from, [`Mismatch::Wrong`] where it is and the edits
    /// still do not fit.
    pub fn plan(&self, text: String) -> Result<FilePlan, Mismatch> {
        if Fingerprint::of(text.as_bytes()) != self.before {
            return Err(Mismatch::Stale);
        }
        if self.edits.iter().any(|edit| text.get(edit.start..edit.end) != Some(&edit.old)) {
            return Err(Mismatch::Wrong);
        }
        let edits = self.edits.iter().map(|edit| Edit::new(edit.start, edit.end, edit.new.clone())).collect();
        let edits = EditSet::new(edits).map_err(|_| Mismatch::Wrong)?;
        let after = edits.apply(&text);
        if Fingerprint::of(after.as_bytes()) != self.after {
            return Err(Mismatch::Wrong);
        }
        Ok(FilePlan { file: self.path.clone(), before: text.into(), edits })
    }

    /// Prints the edits without the file's text: what each replaces, and by what.
    pub fn edits_text(&self) -> String {
        let lines = |sign: char, text: &str| -> String {
            text.lines().map(|line| format!("{sign}{}\n", super::visible(line))).collect()
        };
        let one = |edit: &SavedEdit| {
            let head = format!("@@ bytes {}..{} @@\n", edit.start, edit.end);
            head + &lines('-', &edit.old) + &lines('+', &edit.new)
        };
        let name = super::visible(&self.path);
        format!("--- a/{name}\n+++ b/{name}\n{}", self.edits.iter().map(one).collect::<String>())
    }
}

/// Widens edits to whole lines, so that they can be read without the text around them.
fn lines_of(text: &str, edits: &[Edit]) -> Vec<Edit> {
    let line_start = |at: usize| text[..at].rfind('\n').map_or(0, |end| end + 1);
    let line_end = |at: usize| text[at..].find('\n').map_or(text.len(), |end| at + end + 1);
    let mut wide: Vec<Edit> = Vec::new();
    for edit in edits {
        let start = line_start(edit.span.start);
        let (start, mut new) = match wide.last() {
            Some(last) if start < last.span.end || edit.span.start < last.span.end => {
                // The last edit took the rest of this line along: give it back.
                let last = wide.pop().expect("there is a last one");
                let rest = last.span.end - edit.span.start;
                (last.span.start, last.text[..last.text.len() - rest].to_owned())
            }
            _ => (start, text[start..edit.span.start].to_owned()),
        };
        new.push_str(&edit.text);
        let is_whole = line_start(edit.span.end) == edit.span.end && (new.is_empty() || new.ends_with('\n'));
        let end = if is_whole { edit.span.end } else { line_end(edit.span.end) };
        new.push_str(&text[edit.span.end..end]);
        wide.push(Edit::new(start, end, new));
    }
    wide
}

impl SavedFinding {
    fn new(finding: &Finding) -> Self {
        let (line, column) = finding.location.position.map(|at| (at.line, at.column)).unzip();
        Self {
            code: finding.code.name().to_owned(),
            severity: finding.severity.name().to_owned(),
            location: SavedLocation { file: finding.location.file.clone(), line, column },
            object: finding.object.clone(),
            field: finding.field.clone(),
            message: finding.message.clone(),
            help: finding.help.clone(),
        }
    }

    /// Prints the finding as a run does.
    pub fn lines(&self) -> String {
        let place = match (self.location.line, self.location.column) {
            (Some(line), Some(column)) => format!("{}:{line}:{column}", self.location.file),
            _ => self.location.file.clone(),
        };
        let severity = if self.severity == "held-back" { "held back" } else { &self.severity };
        let head = format!("{place}: {severity}[{}] {}", self.code, self.message);
        let help = self.help.as_ref().map_or(String::new(), |help| format!("  help: {}\n", super::visible(help)));
        format!("{}\n{help}", super::visible(&head))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::report::Written;

    const BEFORE: &str = "kind: Gateway\nspec:\n  a: é1\n  b: 2\n";

    fn file_plan(before: &str, edits: Vec<Edit>) -> FilePlan {
        let edits = EditSet::new(edits).unwrap();
        FilePlan { file: "a.yaml".to_owned(), before: before.into(), edits }
    }

    fn saved(files: &[FilePlan]) -> Result<SavedPlan, String> {
        let counts = Counts::default();
        let (objects, findings, written) = (&[], &[], Written::No);
        let report = Report { command: "plan", targets: Vec::new(), files, objects, findings, counts, written };
        SavedPlan::new(&report, Vec::new(), |file| Ok(file.to_owned()))
    }

    /// A plan that makes `é1` a `3`.
    fn plan() -> SavedPlan {
        saved(&[file_plan(BEFORE, vec![Edit::new(25, 28, "3")])]).unwrap()
    }

    #[test]
    fn a_plan_reads_back_and_makes_the_change() {
        let plan = plan();
        assert_eq!(SavedPlan::parse(plan.to_text().as_bytes()), Ok(plan.clone()));
        let file = plan.files[0].plan(BEFORE.to_owned()).unwrap();
        assert_eq!(file.after(), "kind: Gateway\nspec:\n  a: 3\n  b: 2\n");
        assert_eq!(plan.files[0].plan(BEFORE.replace('2', "4")).unwrap_err(), Mismatch::Stale);
        assert_eq!(plan.files[0].edits_text(), "--- a/a.yaml\n+++ b/a.yaml\n@@ bytes 20..29 @@\n-  a: é1\n+  a: 3\n");
    }

    #[test]
    fn a_plan_says_whether_there_is_something_to_do() {
        assert!(!plan().noop);
        assert!(saved(&[]).unwrap().noop);
    }

    /// Checks what is said of the plan in which the value at `pointer` is replaced.
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
        check_refused("/files/0/edits/0/end", json!(u64::MAX), "as many bytes");
        check_refused("/files/0/edits/0/start", json!(-1), "invalid value");
        check_refused("/files/0/edits/0/old", json!(""), "as many bytes");
        check_refused("/files/0/edits", json!([]), "nothing changes");
        check_refused("/files/0/before", json!("1-2"), "not a fingerprint");
        check_refused("/files", json!([plan().files[0], plan().files[0]]), "twice");
        check_refused("/files", json!([]), "noop");
        check_refused("/noop", json!(true), "noop");
        check_refused("/schemaVersion", json!(2), "schemaVersion is 2");
        check_refused("/summary", json!({}), "missing field");
        check_refused("/objects", json!({}), "invalid type");
        assert!(SavedPlan::parse(b"{\"schemaVersion\": 1, \"more\": 1}").unwrap_err().contains("unknown field"));
        let deep = format!("{{\"objects\": {}", "[".repeat(100_000));
        assert!(SavedPlan::parse(deep.as_bytes()).unwrap_err().contains("recursion"));
    }

    /// Checks that a plan whose edit is replaced, and whose fingerprints fit the file, is not carried out.
    #[track_caller]
    fn check_wrong(start: usize, end: usize, old: &str, new: &str) {
        let mut file = plan().files.remove(0);
        file.edits = vec![SavedEdit { start, end, old: old.to_owned(), new: new.to_owned() }];
        assert_eq!(file.check(), Ok(()));
        assert_eq!(file.plan(BEFORE.to_owned()).unwrap_err(), Mismatch::Wrong);
    }

    #[test]
    fn edits_that_do_not_fit_the_file_are_not_made() {
        check_wrong(25, 26, "x", "");
        check_wrong(26, 27, "x", "");
        check_wrong(25, 28, "ab1", "3");
        check_wrong(25, 28, "é1", "4");
        check_wrong(BEFORE.len(), BEFORE.len() + 1, "x", "");
        check_wrong(usize::MAX, usize::MAX, "", "x");
    }

    /// Checks which lines the edits of a text of four lines take in.
    #[track_caller]
    fn check_lines(edits: &[(usize, usize, &str)], expected: &[(usize, usize, &str)]) {
        let made = |list: &[(usize, usize, &str)]| -> Vec<Edit> {
            list.iter().map(|(start, end, text)| Edit::new(*start, *end, *text)).collect()
        };
        let text = "ab\ncd\nef\ngh";
        let wide = lines_of(text, &made(edits));
        assert_eq!(wide, made(expected));
        let apply = |edits| EditSet::new(edits).unwrap().apply(text);
        assert_eq!(apply(wide), apply(made(edits)));
    }

    #[test]
    fn edits_are_widened_to_lines_and_joined_where_they_meet() {
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
        fn a_damaged_plan_is_refused_or_makes_what_it_says(at in 0..2000usize, length in 0..4usize, new in "[0-9a-z\"{},:é-]{0,4}") {
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
    fn what_a_secret_holds_is_in_no_plan() {
        let at = |text: &str| (SECRET.find(text).unwrap(), SECRET.find(text).unwrap() + text.len());
        let (start, end) = at("Gateway");
        let text = saved(&[file_plan(SECRET, vec![Edit::new(start, end, "Route")])]).unwrap().to_text();
        assert!(text.contains("Route") && !text.contains("czNj"), "the line holds both, the plan one");
        let (start, end) = at("czNj");
        let refused = saved(&[file_plan(SECRET, vec![Edit::new(start, end, "x")])]).unwrap_err();
        assert!(refused.starts_with("a.yaml: an edit holds values of a Secret"), "{refused}");
    }

    #[test]
    fn what_a_plan_says_reaches_no_terminal_raw() {
        let location = SavedLocation { file: "a\u{1b}[2J.yaml".to_owned(), line: Some(1), column: Some(2) };
        let finding = SavedFinding {
            code: "x\u{1b}".to_owned(),
            severity: "held-back".to_owned(),
            location,
            object: None,
            field: None,
            message: "m\u{7}".to_owned(),
            help: Some("h\n\u{202e}".to_owned()),
        };
        let expected = "a\\u{1b}[2J.yaml:1:2: held back[x\\u{1b}] m\\u{7}\n  help: h\\n\\u{202e}\n";
        assert_eq!(finding.lines(), expected);
    }
}
