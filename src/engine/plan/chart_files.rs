//! Which files beside a Chart.yaml are made and removed with its conversion?
//!
//! Charts of v1 have their dependencies in requirements.yaml and what was found for them in requirements.lock, those of v2 in Chart.yaml
//! and Chart.lock. Their texts move as they stand, but for the digest in the lock, which Helm 2 and Helm 3 make of different data.
//!
//! Source: helm/helm, pkg/requirements of v2, internal/resolver of v3.
//!
//! Invariant: a text that moved reads back as the data that it was, with every comment.

use std::sync::Arc;

use serde_json::{Value, json};

use super::chart_report::CHART;
use super::file::PlannedFile;
use crate::engine::convert::{Conversion, Remark};
use crate::engine::edits::FilePlan;
use crate::engine::finding::{Code, Finding, Location, Severity};
use crate::engine::links::{ChartFiles, ChartFolder};
use crate::engine::manifest::Object;
use crate::knowledge::lens::Direction;
use crate::syntax::field::{Entries as _, FieldPath};
use crate::syntax::text::{Edit, EditSet, LineIndex, Span};
use crate::syntax::yaml::{self, Intent};

/// The file with the dependencies of charts of v1.
pub(crate) const REQUIREMENTS: &str = "requirements.yaml";

/// The file with what was found for them.
pub(crate) const OLD_LOCK: &str = "requirements.lock";

/// The file with what was found for the dependencies of charts of v2.
pub(crate) const LOCK: &str = "Chart.lock";

/// The API group that the pack gives Chart.yaml.
const GROUP: &str = "helm.sh";

/// The field of Chart.yaml, of requirements.yaml and of both locks.
const DEPENDENCIES: &str = "dependencies";

/// The fields of a dependency, in the order in which Helm writes them for the digest; the first and the third are always there.
const FIELDS: [&str; 8] = ["name", "version", "repository", "condition", "tags", "enabled", "import-values", "alias"];

/// A Chart.yaml that is converted to another apiVersion.
pub(super) struct Chart<'o> {
    object: &'o Object,
    direction: Direction,
    /// What it becomes.
    value: Arc<Value>,
}

impl<'o> Chart<'o> {
    /// Returns what became of `object`, where it is a Chart.yaml that gets another apiVersion.
    pub(super) fn of(object: &'o Object, made: Option<&Conversion>) -> Option<Self> {
        let made = made.filter(|_| object.kind.kind == "Chart" && object.kind.group == GROUP)?;
        let direction = match [&object.value, &made.value].map(|value| value.text("apiVersion")) {
            [Some("v1"), Some("v2")] => Direction::Forward,
            [Some("v2"), Some("v1")] => Direction::Backward,
            _ => return None,
        };
        Some(Self { object, direction, value: Arc::clone(&made.value) })
    }

    /// Returns its dependencies, before the conversion.
    fn dependencies(&self) -> Option<&Value> {
        self.object.value.get(DEPENDENCIES)
    }

    /// Returns what changes in it because its dependencies move to another file.
    pub(super) fn changes(&self) -> Option<Intent> {
        let moves = self.direction == Direction::Backward && self.dependencies().is_some();
        moves.then(|| Intent::Delete { path: path() })
    }

    /// Moves the dependencies with the change of the file that is `planned`.
    ///
    /// # Errors
    /// Why they cannot be moved.
    pub(super) fn follow(&self, planned: &mut PlannedFile, folder: Option<&ChartFolder>) -> Result<(), Remark> {
        let Some(chart) = &mut planned.change else { return Ok(()) };
        let own = self.dependencies();
        let Some(ChartFolder::Files(beside)) = folder else {
            let is_left = self.direction == Direction::Forward || own.is_none();
            return if is_left { Ok(()) } else { Err(self.refused("its folder is not known here")) };
        };
        let is_moved = match self.direction {
            Direction::Forward => beside.requirements.is_some(),
            Direction::Backward => own.is_some(),
        };
        if !is_moved {
            return Ok(());
        }
        if let Some(why) = objection(beside, own.is_some()) {
            return Err(self.refused(&why));
        }
        let unmovable = || self.refused("the text cannot be moved as it stands");
        let (list, before, after) = match (&beside.requirements, own) {
            (Some(text), _) => {
                (take_in(chart, text, &self.value).ok_or_else(unmovable)?, Arc::clone(text), String::new())
            }
            (None, own) => {
                let list = own.cloned().unwrap_or_default();
                let (span, text) = removed(chart, &list).ok_or_else(unmovable)?;
                let before = Arc::clone(&chart.before);
                keep_comments(planned, &before, span);
                (list, Arc::default(), text)
            }
        };
        let mut files = vec![(REQUIREMENTS, before, after)];
        if let [Some(text), _] = self.direction.ends([&beside.old_lock, &beside.lock]) {
            let [lock, new_lock] = self.direction.ends([OLD_LOCK, LOCK]);
            files.push((lock, Arc::clone(text), String::new()));
            files.push((new_lock, Arc::default(), with_digest(text, &list, self.direction, beside.sha256)));
        }
        let folder = planned.file.strip_suffix(CHART).expect("it is a Chart.yaml").to_owned();
        files.retain(|(_, before, after)| **before != **after);
        if files.is_empty() {
            return Ok(());
        }
        let becomes = files.iter().map(|(name, _, after)| {
            let becomes = if after.is_empty() { "removed" } else { "made" };
            format!("{name} is {becomes}")
        });
        let message = format!("its dependencies move: {}", becomes.collect::<Vec<_>>().join(", "));
        let location = Location { file: planned.file.clone(), position: None };
        planned.findings.push(Finding::new(location, Code::Chart, Severity::Note, message));
        for (name, before, after) in files {
            let edits = EditSet::new(vec![Edit::new(0, before.len(), after)]).expect("it is one edit");
            planned.beside.push(FilePlan { file: format!("{folder}{name}"), before, edits });
        }
        Ok(())
    }

    fn refused(&self, why: &str) -> Remark {
        let has = match self.direction {
            Direction::Forward => "charts of v2 have their dependencies in Chart.yaml, not in requirements.yaml",
            Direction::Backward => "charts of v1 have their dependencies in requirements.yaml",
        };
        let help = "move the list and rename the lock by hand, and set the apiVersion";
        Remark::new(Code::NotConvertible, path(), format!("{has}; {why}")).help(help)
    }
}

fn path() -> FieldPath {
    FieldPath::default().key(DEPENDENCIES)
}

/// Returns why dependencies cannot be moved to or from a Chart.yaml that has some itself, or has none.
fn objection(beside: &ChartFiles, has_own: bool) -> Option<String> {
    let of_texts = if beside.requirements.is_some() && has_own {
        Some("both are there, and it is not known which one is meant")
    } else if beside.old_lock.is_some() && beside.lock.is_some() {
        Some("both requirements.lock and Chart.lock are there")
    } else {
        None
    };
    beside.closed.clone().or_else(|| of_texts.map(str::to_owned))
}

/// Adds the text of a requirements.yaml to the Chart.yaml that becomes `value`; returns the dependencies, `None` where the text cannot
/// stand there as it is.
fn take_in(chart: &mut FilePlan, requirements: &str, value: &Value) -> Option<Value> {
    let own = requirements.trim_start_matches('\u{feff}');
    let own = own.split_once('\n').filter(|(line, _)| line.trim_end() == "---").map_or(own, |(_, rest)| rest);
    let after = chart.after();
    let line_end = if after.ends_with('\n') { "" } else { "\n" };
    let data = Read::of(own)?;
    let list = data.value.get(DEPENDENCIES).cloned().unwrap_or_default();
    let mut expected = value.clone();
    match (&data.value, expected.as_object_mut()) {
        (Value::Null, _) => {}
        (Value::Object(fields), Some(expected)) if fields.len() == 1 => {
            expected.insert(DEPENDENCIES.to_owned(), fields.get(DEPENDENCIES)?.clone());
        }
        _ => return None,
    }
    let end = Edit::new(chart.before.len(), chart.before.len(), format!("{line_end}{own}"));
    let edits = EditSet::new(chart.edits.edits().iter().cloned().chain([end]).collect()).ok()?;
    let comments = [Read::of(&after)?.comments, data.comments].concat();
    let whole = Read::of(&edits.apply(&chart.before))?;
    if whole.value != expected || whole.comments != comments {
        return None;
    }
    chart.edits = edits;
    Some(list)
}

/// Returns where the dependencies that were removed from a Chart.yaml stood, and their text, where it can stand alone.
fn removed(chart: &FilePlan, dependencies: &Value) -> Option<(Span, String)> {
    let expected = json!({ DEPENDENCIES: dependencies });
    let spans = chart.edits.edits().iter().filter(|edit| edit.text.is_empty()).map(|edit| edit.span);
    // What is removed beside it, such as its type, is in the same edit.
    let parts = spans.flat_map(|span| parts_at_keys(span, &chart.before));
    let texts = parts.map(|span| (span, span.of(&chart.before).trim_start_matches(['\r', '\n'])));
    let mut alone = texts.filter(|(_, text)| Read::of(text).is_some_and(|alone| alone.value == expected));
    let (span, text) = alone.next()?;
    let line_end = if text.ends_with('\n') { "" } else { "\n" };
    Some((span, format!("{text}{line_end}")))
}

/// Returns the parts of a span between its ends and lines that begin with a key, the longest first from each.
fn parts_at_keys(span: Span, text: &str) -> Vec<Span> {
    let starts_key = |at: usize| text[at..].starts_with(|first: char| first.is_ascii_alphabetic() || first == '"');
    let feeds = span.of(text).match_indices('\n').map(|(feed, _)| span.start + feed + 1);
    let inner = feeds.filter(|at| *at < span.end && starts_key(*at));
    let cuts: Vec<usize> = std::iter::once(span.start).chain(inner).chain([span.end]).collect();
    let from = |at: usize| cuts[at + 1..].iter().rev().map(|end| Span::new(cuts[at], *end)).collect::<Vec<_>>();
    (0..cuts.len()).flat_map(from).collect()
}

/// Removes what is reported of comments that were removed here.
fn keep_comments(planned: &mut PlannedFile, text: &str, span: Span) {
    let lines = LineIndex::new(text);
    let [start, end] = [span.start, span.end].map(|offset| Some(lines.position(text, offset)));
    planned
        .findings
        .retain(|finding| finding.code != Code::CommentDropped || !(start..end).contains(&finding.location.position));
}

/// What is read of a text with one document; by the parser that no edit is made with.
struct Read {
    value: Value,
    comments: Vec<String>,
}

impl Read {
    fn of(text: &str) -> Option<Self> {
        let tree = yaml::parse_exact(text).ok()?;
        let comments = tree.comments().iter().map(|comment| comment.of(text).to_owned()).collect();
        let value = match tree.documents() {
            [] => Value::Null,
            [document] => yaml::read_value(&tree, text, document.root).ok()?,
            _ => return None,
        };
        Some(Self { value, comments })
    }
}

/// Returns the text of a lock with the digest that Helm makes after the conversion, by `sha256`. One that does not belong to `list` stays as
/// it is, and so does one of which Helm 3 puts the address of a repository in place of its alias.
fn with_digest(lock: &str, list: &Value, direction: Direction, sha256: fn(&[u8]) -> String) -> String {
    let has_alias = |one: &Value| {
        let repository = one.text("repository").unwrap_or_default();
        ["@", "alias:"].iter().any(|prefix| repository.starts_with(prefix))
    };
    let digests = || {
        let data = Read::of(lock)?.value;
        list.as_array().filter(|list| !list.iter().any(has_alias))?;
        let found = data.get(DEPENDENCIES)?;
        let new = format!("[{},{}]", digested(list)?, digested(found)?);
        let old = format!("{{\"dependencies\":{}}}", digested(list)?);
        let [old, new] = [old, new].map(|text| format!("sha256:{}", sha256(text.as_bytes())));
        let (from, to) = if direction == Direction::Forward { (old, new) } else { (new, old) };
        let text = lock.replacen(&from, &to, 1);
        let expected = Value::from(to);
        let is_replaced = Read::of(&text)?.value.get("digest") == Some(&expected);
        (data.text("digest") == Some(&*from) && is_replaced).then_some(text)
    };
    digests().unwrap_or_else(|| lock.to_owned())
}

/// Returns a list of dependencies as Go writes it.
fn digested(list: &Value) -> Option<String> {
    let list = list.as_array()?;
    let one = |dependency: &Value| {
        let fields = FIELDS.iter().filter_map(|field| {
            let is_required = ["name", "repository"].contains(field);
            let value = dependency.get(field).filter(|value| !is_empty(value));
            let value = value.cloned().or_else(|| is_required.then(|| Value::from("")))?;
            Some(format!("\"{field}\":{}", sorted(value)))
        });
        format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
    };
    let text = format!("[{}]", list.iter().map(one).collect::<Vec<_>>().join(","));
    Some(text.replace('&', "\\u0026").replace('<', "\\u003c").replace('>', "\\u003e"))
}

/// Returns whether Go leaves a value out.
fn is_empty(value: &Value) -> bool {
    value.is_null() || [json!(""), json!(false), json!([])].contains(value)
}

/// Sorts the keys of mappings, as Go does.
fn sorted(mut value: Value) -> Value {
    value.sort_all_objects();
    value
}
