//! The ResourceList of a KRM function: its items as the files that they come from, and the edits of those put back into its text.
//!
//! An item is a document of the file that its annotation names, with the comments around it, and with the bytes and columns that it has
//! in the list, so that an edit of the file is an edit of the list. Items without that annotation are documents of one file, standard input.
//!
//! Invariant: bytes outside of items and of the results are the caller's own; the data of the written list was read back and compared.

use std::collections::BTreeMap;

use anyhow::{Context, Result, anyhow, ensure};
use serde_json::{Map, Value};

use crate::engine::edits::FilePlan;
use crate::engine::finding::{Code, Finding, FindingObject, Location, Severity};
use crate::engine::manifest::is_ignore_comment;
use crate::shell::report::visible;
use crate::syntax::field::FieldPath;
use crate::syntax::text::{Edit, EditSet, LineIndex, Position, Span};
use crate::syntax::yaml::{
    Intent, Place, Problem, Style, Tree, find_node, locate, parse, parse_exact, read_value, rewrite,
};

/// The API versions of a ResourceList.
///
/// Source: KRM Functions Specification; v1alpha1 and v1beta1 are older ones.
const API_VERSIONS: [&str; 3] =
    ["config.kubernetes.io/v1", "config.kubernetes.io/v1beta1", "config.kubernetes.io/v1alpha1"];

/// The name of the file that items without a path are in.
const STANDARD_INPUT: &str = "-";

/// A ResourceList, as it was read.
pub(super) struct ResourceList {
    text: String,
    value: Value,
    lines: LineIndex,
    files: BTreeMap<String, ItemFile>,
    /// The lines of comments that would acknowledge findings, and are at no item.
    outside: Vec<usize>,
}

/// A file that items come from.
#[derive(Default)]
pub(super) struct ItemFile {
    /// Its items as documents.
    pub(super) text: String,
    chunks: Vec<Chunk>,
    /// How many lines its text has.
    lines: usize,
}

/// An item, in the list and as a document of its file: with the comments above it, and spaces for its dash and what else is no part of
/// it, so that both have the same length.
struct Chunk {
    item: usize,
    /// Where it is in the list.
    span: Span,
    /// Where it starts in its file.
    start: usize,
    /// The first line of the document in its file.
    line: usize,
    /// Where in the file the space is that stands for the dash.
    dash: Option<usize>,
}

impl Chunk {
    const fn end(&self) -> usize {
        self.start + (self.span.end - self.span.start)
    }

    /// Returns the offset in the list of an offset in the file.
    const fn in_list(&self, offset: usize) -> usize {
        offset - self.start + self.span.start
    }

    /// Turns an edit of the file into one of the list. One from before the dash replaces that, so that the first line with content
    /// behind the edit gets it.
    fn edit_of_list(&self, file: &str, edit: &Edit) -> Option<Edit> {
        let Span { start, end } = edit.span;
        let direct = || Edit::new(self.in_list(start), self.in_list(end), edit.text.as_str());
        let Some(dash) = self.dash.filter(|dash| start <= *dash) else { return Some(direct()) };
        let is_in_comment =
            start < end && end <= dash && !edit.text.contains('\n') && !edit.span.of(file).contains('\n');
        if is_in_comment {
            return Some(direct());
        }
        let mut end = end.max(dash + 1);
        let mut changed = format!("{}{}{}", &file[self.start..start], edit.text, &file[edit.span.end..end]);
        let line = if let Some(line) = first_content(&changed) {
            changed[..line].rfind('\n').map_or(0, |feed| feed + 1)
        } else {
            let rest = &file[end..self.end()];
            let more = first_content(rest)?;
            changed.push_str(&rest[..more]);
            end += more;
            changed.rfind('\n').map_or(0, |feed| feed + 1)
        };
        let column = dash - file[..dash].rfind('\n').map_or(0, |feed| feed + 1);
        let at = line + column;
        if !changed.get(line..=at)?.bytes().all(|byte| byte == b' ') {
            return None;
        }
        changed.replace_range(at..=at, "-");
        Some(Edit::new(self.span.start, self.in_list(end), changed))
    }
}

/// Returns the first byte that is no white space or comment, in lines that a text starts with.
fn first_content(text: &str) -> Option<usize> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim_start();
        if !content.is_empty() && !content.starts_with('#') {
            return Some(at + line.len() - content.len());
        }
        at += line.len();
    }
    None
}

impl ResourceList {
    /// Reads standard input.
    ///
    /// # Errors
    /// Why it is no ResourceList.
    pub(super) fn read(bytes: Vec<u8>) -> Result<Self> {
        const HELP: &str = "`fn` reads a ResourceList on standard input, as kustomize and kpt write it; `reversion convert -` reads objects";
        let mut text = String::from_utf8(bytes).context("standard input is not valid UTF-8")?;
        if !text.ends_with('\n') {
            text.push('\n');
        }
        let lines = LineIndex::new(&text);
        let invalid = |problem: Problem| {
            let Position { line, column } = lines.position(&text, problem.at);
            anyhow!("standard input cannot be read: -:{line}:{column}: {}", problem.message)
        };
        let tree = parse(&text).map_err(invalid)?;
        let [document] = tree.documents() else {
            let count = tree.documents().len();
            return Err(anyhow!("standard input holds {count} documents, not one ResourceList\n  help: {HELP}"));
        };
        let value = read_value(&tree, &text, document.root).map_err(invalid)?;
        let word = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
        let (version, kind) = (word("apiVersion"), word("kind"));
        ensure!(kind == "ResourceList", "standard input is not a ResourceList\n  help: {HELP}");
        ensure!(
            API_VERSIONS.contains(&version),
            "the ResourceList has the unknown apiVersion `{}`; there are: {}",
            visible(version),
            API_VERSIONS.join(", ")
        );
        let items = match value.get("items") {
            None | Some(Value::Null) => &[],
            Some(items) => items.as_array().context("`items` of the ResourceList is not a list")?.as_slice(),
        };
        let mut files: BTreeMap<String, ItemFile> = BTreeMap::new();
        let path = FieldPath::default().key("items");
        let place = |path: &FieldPath| locate(&tree, &text, document.root, path);
        let (mut first, mut end) = (text.len(), line_end(&text, place(&path).start));
        for (number, item) in items.iter().enumerate() {
            let path = path.clone().index(number);
            let node = find_node(&tree, &text, document.root, &path).map_err(invalid)?;
            let part = Part::new(&tree, &text, end, place(&path), tree.span(node));
            (first, end) = (first.min(part.span.start), end.max(part.span.end));
            let file = origin(item).0.unwrap_or(STANDARD_INPUT);
            files.entry(file.to_owned()).or_default().add(&text, number, &part);
        }
        let is_outside = |comment: &&Span| comment.start < first || comment.start >= end;
        let outside = tree.comments().iter().filter(is_outside).filter(|comment| is_ignore_comment(comment.of(&text)));
        let outside = outside.map(|comment| lines.position(&text, comment.start).line).collect();
        Ok(Self { text, value, lines, files, outside })
    }

    /// Returns the function's configuration.
    pub(super) fn config(&self) -> Option<&Value> {
        self.value.get("functionConfig").filter(|config| !config.is_null())
    }

    /// Returns the files that the items come from, sorted by name.
    pub(super) fn files(&self) -> impl ExactSizeIterator<Item = (&str, &ItemFile)> {
        self.files.iter().map(|(name, file)| (name.as_str(), file))
    }

    /// Returns the items.
    pub(super) fn items(&self) -> &[Value] {
        self.value.get("items").and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// Reports comments that acknowledge nothing, since they are at no item.
    pub(super) fn findings(&self) -> impl Iterator<Item = Finding> {
        self.outside.iter().map(|line| {
            let location = Location { file: STANDARD_INPUT.to_owned(), position: None };
            let message = format!("the comment on line {line} of the ResourceList is at no item");
            let help = "write it behind the first line of an item, or on a line above";
            Finding::new(location, Code::UnusedIgnore, Severity::Warning, message).help(help)
        })
    }

    /// Returns the number of the item that holds a place in its file.
    pub(super) fn item_at(&self, location: &Location) -> Option<usize> {
        self.chunk_at(location).map(|(chunk, _)| chunk.item)
    }

    fn chunk_at(&self, location: &Location) -> Option<(&Chunk, Position)> {
        let chunks = &self.files.get(&location.file)?.chunks;
        let position = location.position?;
        let after = chunks.partition_point(|chunk| chunk.line <= position.line);
        Some((chunks.get(after.checked_sub(1)?)?, position))
    }

    /// Returns a finding with places that the caller knows: those in standard input, or a file alone, whose lines are not known.
    pub(super) fn with_known_places(&self, finding: &Finding) -> Finding {
        let known = |object: &FindingObject| FindingObject::new(object.title.clone(), self.known(&object.location));
        let object = finding.object.as_ref();
        let object =
            object.map(|object| FindingObject { others: object.others.iter().map(known).collect(), ..known(object) });
        Finding { location: self.known(&finding.location), object, ..finding.clone() }
    }

    fn known(&self, location: &Location) -> Location {
        let of_list = |(chunk, mut position): (&Chunk, Position)| {
            let start = self.lines.position(&self.text, chunk.span.start);
            let line = position.line - chunk.line;
            if line == 0 {
                position.column += start.column - 1;
            }
            Position { line: start.line + line, ..position }
        };
        let is_input = location.file == STANDARD_INPUT;
        let position = self.chunk_at(location).filter(|_| is_input).map(of_list);
        Location { file: location.file.clone(), position }
    }

    /// Returns the list with the changes of `plans` and with `results`, as text.
    ///
    /// # Errors
    /// What cannot be put back, or does not read as what was planned.
    pub(super) fn with(&self, plans: &[FilePlan], results: &[Value]) -> Result<String> {
        let (mut edits, mut expected) = (Vec::new(), self.value.clone());
        for plan in plans {
            let chunks = &self.files.get(&plan.file).context("a file that no item is from changes")?.chunks;
            for edit in plan.edits.edits() {
                let after = chunks.partition_point(|chunk| chunk.start <= edit.span.start);
                let chunk = after.checked_sub(1).map(|at| &chunks[at]).filter(|chunk| edit.span.end <= chunk.end());
                let edit = chunk.and_then(|chunk| chunk.edit_of_list(&plan.before, edit));
                edits.push(edit.context("an edit is not within an item")?);
            }
            for (chunk, value) in chunks.iter().zip(documents(&plan.after())?) {
                expected["items"][chunk.item] = value;
            }
        }
        let edits = EditSet::new(edits).map_err(|overlap| anyhow!("{overlap}"))?;
        let text = self.with_results(&edits.apply(&self.text), &mut expected, results)?;
        let written = documents(&text).context("the converted ResourceList cannot be read")?;
        ensure!(
            written == [expected],
            "the converted ResourceList does not read as what was planned; please report it"
        );
        Ok(text)
    }

    /// Adds `results` to a list, after those that it has.
    fn with_results(&self, text: &str, expected: &mut Value, results: &[Value]) -> Result<String> {
        if results.is_empty() {
            return Ok(text.to_owned());
        }
        let earlier = self.value.get("results").filter(|earlier| !earlier.is_null());
        let mut written_results: Vec<Value> = match earlier {
            None => Vec::new(),
            Some(earlier) => earlier.as_array().context("`results` of the ResourceList is not a list")?.clone(),
        };
        written_results.extend(results.iter().cloned());
        let written_results = Value::from(written_results);
        let path = FieldPath::default().key("results");
        let intent = match self.value.get("results") {
            None => Intent::Insert { path, value: written_results.clone(), place: Place::Last },
            Some(_) => Intent::Replace { path, value: written_results.clone() },
        };
        expected.as_object_mut().unwrap_or(&mut Map::new()).insert("results".to_owned(), written_results);
        let written = rewrite(text, &[vec![intent]], Style::default());
        Ok(written.map_err(|refusal| anyhow!("the results cannot be written: {}", refusal.problem.message))?.text)
    }
}

/// The part of the list that becomes a document.
struct Part {
    /// From the comments above the item to the comment behind it.
    span: Span,
    item: Span,
    dash: Option<usize>,
    /// The comments around the item.
    comments: Vec<Span>,
}

impl Part {
    /// Finds the part of the item that covers `item` and that `mark` is at: its dash, or its first byte. What is before `after` is not
    /// in it.
    fn new(tree: &Tree, list: &str, after: usize, mark: Span, item: Span) -> Self {
        let dash = (mark.of(list) == "-" && after <= mark.start && mark.start < item.start).then_some(mark.start);
        let before = Span::new(after.min(item.start), item.start);
        let above = tree.comments_in(before);
        // Minified JSON has no lines.
        let start = if dash.is_none() && above.is_empty() { item.start } else { before.start };
        let end = match dash {
            Some(_) => end_of_lines(list, item.end),
            None => end_of_comment(tree, list, item.end),
        };
        let comments = above.iter().chain(tree.comments_in(Span::new(item.end, end))).copied().collect();
        Self { span: Span::new(start, end), item, dash, comments }
    }

    /// Writes it with spaces for what is neither the item nor a comment.
    fn text(&self, list: &str) -> String {
        let mut text = String::with_capacity(self.span.end - self.span.start);
        let mut at = self.span.start;
        let above = self.comments.partition_point(|comment| comment.start < self.item.start);
        let (above, behind) = self.comments.split_at(above);
        let end = Span::new(self.span.end, self.span.end);
        for kept in above.iter().chain([&self.item]).chain(behind).chain([&end]) {
            // A tab may be at the end of a text, but not between dash and item.
            let is_kept = |byte: u8| matches!(byte, b'\r' | b'\n') || byte == b'\t' && at >= self.item.end;
            let keep = |byte: u8| if is_kept(byte) { char::from(byte) } else { ' ' };
            text.extend(list[at..kept.start].bytes().map(keep));
            text.push_str(kept.of(list));
            at = kept.end;
        }
        text
    }
}

impl ItemFile {
    /// Adds a part of the list.
    fn add(&mut self, list: &str, item: usize, part: &Part) {
        let before = self.text.len();
        if before > 0 {
            self.text.push_str("---\n");
        }
        let start = self.text.len();
        let line = self.lines + 1 + usize::from(before > 0);
        let dash = part.dash.map(|dash| dash - part.span.start + start);
        self.chunks.push(Chunk { item, span: part.span, start, line, dash });
        self.text.push_str(&part.text(list));
        if !self.text.ends_with('\n') {
            self.text.push('\n');
        }
        self.lines += self.text[before..].matches('\n').count();
    }
}

/// Returns the end of the line that `from` is on.
fn line_end(text: &str, from: usize) -> usize {
    text[from..].find('\n').map_or(text.len(), |at| from + at + 1)
}

/// Returns the end of the line that `from` is on, and of the blank lines after it: they can belong to a text.
fn end_of_lines(text: &str, from: usize) -> usize {
    let mut end = line_end(text, from);
    while end < text.len() && text[end..line_end(text, end)].trim().is_empty() {
        end = line_end(text, end);
    }
    end
}

/// Returns the end of the comment behind an item of a list in brackets that ends at `from`, or `from` where there is none.
fn end_of_comment(tree: &Tree, text: &str, from: usize) -> usize {
    let rest = text[from..].trim_start_matches([' ', '\t', ',', ']', '}']);
    let at = text.len() - rest.len();
    tree.comments_in(Span::new(at, at + 1)).first().map_or(from, |comment| comment.end)
}

/// Returns the file of an item and its number there, as the caller annotated them.
pub(super) fn origin(item: &Value) -> (Option<&str>, Option<u64>) {
    let annotation = |name: &str| item.pointer("/metadata/annotations").and_then(|annotations| annotations.get(name));
    let either = |part: &str| {
        annotation(&format!("internal.config.kubernetes.io/{part}"))
            .or_else(|| annotation(&format!("config.kubernetes.io/{part}")))
            .and_then(Value::as_str)
    };
    (either("path"), either("index").and_then(|index| index.parse().ok()))
}

/// Reads the documents of a text.
fn documents(text: &str) -> Result<Vec<Value>> {
    let tree = parse_exact(text).map_err(|problem| anyhow!("{}", problem.message))?;
    let read = |document: &crate::syntax::yaml::Document| read_value(&tree, text, document.root);
    tree.documents().iter().map(read).collect::<Result<_, _>>().map_err(|problem| anyhow!("{}", problem.message))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The list in which the first item ends with the line `b: 2`, after an edit of its file.
    #[track_caller]
    fn check(list: &str, edit: &Edit, expected: &str) {
        let list = format!("kind: ResourceList\napiVersion: config.kubernetes.io/v1\nitems:\n{list}");
        let read = ResourceList::read(list.clone().into_bytes()).unwrap();
        let file = &read.files[STANDARD_INPUT];
        let edit = file.chunks[0].edit_of_list(&file.text, edit).unwrap();
        let after = EditSet::new(vec![edit]).unwrap().apply(&list);
        assert_eq!(after.split_once("items:\n").unwrap().1, expected);
    }

    #[test]
    fn an_edit_from_before_the_dash_leaves_one_at_the_first_key() {
        let list = "# c\n- a: 1\n  b: 2\n";
        check(list, &Edit::new(4, 11, ""), "# c\n- b: 2\n");
        check(list, &Edit::new(0, 11, ""), "- b: 2\n");
        check(list, &Edit::new(4, 4, "  z: 0\n"), "# c\n- z: 0\n  a: 1\n  b: 2\n");
        check(list, &Edit::new(4, 11, "  # d\n  z: 0\n"), "# c\n  # d\n- z: 0\n  b: 2\n");
        check(list, &Edit::new(2, 3, "e"), "# e\n- a: 1\n  b: 2\n");
        check(list, &Edit::new(6, 7, "z"), "# c\n- z: 1\n  b: 2\n");
        check("- # c\n  a: 1\n  b: 2\n", &Edit::new(6, 13, ""), "- # c\n  b: 2\n");
    }
}
