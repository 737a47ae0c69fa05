//! Answers: whose are the keys or items that may stand in a hole or are inserted, at which path are they, and does an edit leave them to it?
//!
//! The column of a hole decides: they belong to the nearest key or dash above that is further left, or to a key at their column that has no
//! value on its line.
//!
//! Invariant: nothing here depends on what the action of a hole prints.

use super::reading::{Hole, Reading};
use super::source::Candidate;
use super::tree::Template;
use crate::syntax::field::{FieldPath, Step};
use crate::syntax::text::{Edit, EditSet, Span};
use crate::syntax::yaml;
use serde_json::Value;
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// The key or item that a hole belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Owner {
    /// Its first byte.
    start: usize,
    column: usize,
    /// Whether the hole is further right, or at its column.
    relation: Ordering,
}

/// What can own what is printed at a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    /// Only what is further left.
    Around,
    /// A key at the column, too, whose list is at its column.
    OrList,
}

/// Returns the owner of what is printed at `column` behind the lines of `before`.
fn owner(before: &str, column: usize, wanted: Wanted) -> Option<Owner> {
    let mut end = before.len();
    before.split('\n').rev().find_map(|line| {
        let start = end - line.len();
        end = start.saturating_sub(1);
        owner_in(line, column, wanted).map(|owner| Owner { start: start + owner.column, ..owner })
    })
}

/// Returns how many blanks begin a line.
fn indent(line: &str) -> usize {
    line.bytes().take_while(|byte| *byte == b' ').count()
}

/// Returns what follows the dash of an item that begins a text.
fn item(text: &str) -> Option<&str> {
    text.strip_prefix('-').filter(|item| item.is_empty() || item.starts_with([' ', '\r', '\n']))
}

/// Returns whether nothing but a comment follows the key that begins a line.
fn is_without_value(line: &str) -> bool {
    line.split(" #").next().is_some_and(|line| line.trim_end().ends_with(':'))
}

/// Returns the rest of a line.
fn line(text: &str, start: usize) -> &str {
    text[start..].split('\n').next().unwrap_or_default()
}

/// Returns whether more can follow in the value of the dash or key that begins a line.
fn takes_more(line: &str) -> bool {
    item(line).map_or_else(|| is_without_value(line), |item| !item.trim_start().starts_with(['{', '[']))
}

/// Returns the last dash or key of a line that what is printed at `column` can belong to.
fn owner_in(line: &str, column: usize, wanted: Wanted) -> Option<Owner> {
    let indent = indent(line);
    if indent > column {
        return None;
    }
    let (mut rest, mut found) = (&line[indent..], None);
    while !rest.trim().is_empty() && !rest.starts_with('#') {
        let own = line.len() - rest.len();
        let item = item(rest);
        let relation = column.cmp(&own);
        let can_have_list = || wanted == Wanted::OrList && item.is_none() && is_without_value(rest);
        if relation.is_gt() || (relation.is_eq() && can_have_list()) {
            found = Some(Owner { start: own, column: own, relation });
        }
        rest = item.unwrap_or_default().trim_start_matches(' ');
    }
    found
}

/// Returns the mapping or list that a hole prints into, and the list of which it can print further items as well, at the column of its key.
pub fn places(text: &str, hole: &Hole) -> (FieldPath, Option<FieldPath>) {
    let before = document(&text[..hole.at]);
    let line = before.rfind('\n').map_or(0, |feed| feed + 1);
    let around = path(before, hole.column.unwrap_or(before.len() - line));
    let key = hole.column.and_then(|column| list_key(before, column)).map(|key| around.key(key));
    (around, key)
}

/// Returns where the lines behind a hole go on in what is printed there by default, if they do: they are deeper.
pub fn goes_on(text: &str, hole: &Hole) -> Option<usize> {
    let column = hole.column.filter(|_| hole.by_default.iter().flatten().any(|value| !value.is_null()))?;
    let (rest, mut behind) = text[hole.at..].split_once('\n').filter(|(rest, _)| rest.trim().is_empty())?;
    let mut start = hole.at + rest.len() + 1;
    while let Some((line, next)) = behind.split_once('\n').filter(|(line, _)| is_blank_or_comment(line)) {
        (start, behind) = (start + line.len() + 1, next);
    }
    let line = behind.lines().next().filter(|line| !is_blank_or_comment(line))?;
    (indent(line) > column).then_some(start + indent(line))
}

fn is_blank_or_comment(line: &str) -> bool {
    line.trim().is_empty() || line.trim_start().starts_with('#')
}

/// Returns the path of the field to which a byte of a text belongs.
pub fn field_at(text: &str, at: usize) -> FieldPath {
    let at = text.len() - text[at..].trim_start().len();
    let line = text[..at].rfind('\n').map_or(0, |feed| feed + 1);
    let end = text[at..].find('\n').map_or(text.len(), |feed| at + feed);
    let path = path(document(&text[..end]), at - line + 1);
    // What is in a flow collection has its path.
    let is_field = |step: &&Step| !matches!(step, Step::Key(key) if key.starts_with(['{', '[']));
    FieldPath::new(path.steps().iter().take_while(is_field).cloned())
}

/// Returns whether nothing else is in the document that a hole is in.
pub fn is_document(text: &str, hole: &Hole) -> bool {
    let is_inside = |line: &&str| !line.starts_with("---");
    let (before, behind) = text.split_at(hole.at);
    before.rsplit('\n').take_while(is_inside).all(is_blank_or_comment)
        && behind.split('\n').take_while(is_inside).all(is_blank_or_comment)
}

/// Returns the lines of the mapping or list that a hole prints into, with the key or item that it belongs to.
pub(super) fn region(text: &str, hole: &Hole) -> Span {
    let before = document(&text[..hole.at]);
    let owner = hole.column.and_then(|column| owner(before, column, Wanted::OrList));
    let Some(Owner { start, column, .. }) = owner else { return Span::new(0, text.len()) };
    let is_inside = |line: &&str| {
        let indent = indent(line);
        line.trim().is_empty() || indent > column || (indent == column && item(&line[indent..]).is_some())
    };
    let rest = text[hole.at..].find('\n').map_or("", |feed| &text[hole.at + feed + 1..]);
    let behind: usize = rest.split_inclusive('\n').take_while(is_inside).map(str::len).sum();
    Span::new(hole.at - before.len() + start, text.len() - rest.len() + behind)
}

/// Returns whether an item is at the column of a hole, with nothing between the two but what is in that.
pub(super) fn is_behind_item(text: &str, hole: &Hole) -> bool {
    let before = document(&text[..hole.at]);
    let last = hole.column.and_then(|column| lines_before(before, column).next());
    last.is_some_and(|(at, line)| Some(at) == hole.column && item(line).is_some())
}

/// Returns the last document of a text.
pub(super) fn document(text: &str) -> &str {
    let start = text.match_indices("---").map(|(at, _)| at).filter(|at| *at == 0 || text[..*at].ends_with('\n'));
    &text[start.last().map_or(0, |dashes| dashes + 3)..]
}

/// Returns the path of what owns what is printed at `column` behind the lines of `before`.
fn path(before: &str, mut column: usize) -> FieldPath {
    let (mut steps, mut end, mut wanted) = (Vec::new(), before.len(), Wanted::Around);
    while let Some(owner) = owner(&before[..end], column, wanted) {
        let line = before[owner.start..].lines().next().unwrap_or_default();
        end = owner.start;
        if item(line).is_some() {
            steps.push(Step::Index(items(&before[..end], owner.column)));
            (column, wanted) = (owner.column, Wanted::OrList);
        } else if let Some((key, _)) = line.split_once(':') {
            steps.push(Step::Key(unquoted(key).to_owned()));
            (column, wanted) = (owner.column, Wanted::Around);
        }
    }
    steps.reverse();
    FieldPath::new(steps)
}

/// Returns the lines of a text that are neither empty nor comments, the last one first, each with its column, if that is at
/// most `most`.
fn lines_before(text: &str, most: usize) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().rev().map(|line| (indent(line), line)).filter(move |(at, _)| *at <= most);
    lines.map(|(at, line)| (at, line.trim())).filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

/// Returns how many items of a list whose dashes are at `column` are at the end of a text.
fn items(before: &str, column: usize) -> usize {
    lines_before(before, column).take_while(|(at, line)| *at == column && item(line).is_some()).count()
}

/// Returns the key at `column` that has nothing behind it, or a list at its column.
fn list_key(before: &str, column: usize) -> Option<&str> {
    let owner = owner(before, column, Wanted::OrList).filter(|owner| owner.relation.is_eq())?;
    let own = &before[owner.start..];
    let (line, behind) = own.split_once('\n').unwrap_or((own, ""));
    let first = lines_before(behind, usize::MAX).last();
    let can_be_list = first.is_none_or(|(at, line)| at == column && item(line).is_some());
    can_be_list.then(|| line.split_once(':').map(|(key, _)| unquoted(key)))?
}

fn unquoted(key: &str) -> &str {
    key.trim_matches(['"', '\''])
}

/// Returns the data of the documents of a text; `None` where it is no YAML.
pub(super) fn data(text: &str) -> Option<Vec<Value>> {
    let tree = yaml::parse(text).ok()?;
    tree.documents().iter().map(|document| yaml::read_value(&tree, text, document.root).ok()).collect()
}

/// Returns the column of the first line that begins in `text`, which is inserted behind `before`.
fn first_column(before: &str, text: &str) -> Option<usize> {
    let line = &before[before.rfind('\n').map_or(0, |end| end + 1)..];
    let whole = format!("{line}{text}");
    let mut lines = whole.split('\n').skip(usize::from(!line.trim().is_empty())).filter(|line| !line.trim().is_empty());
    lines.next().map(indent)
}

impl Reading {
    /// Returns whether an insertion into this reading leaves the holes beside it to their owners, where `candidate` makes it.
    pub(super) fn leaves_holes(&self, template: &Template, edit: &Edit, candidate: &Candidate) -> bool {
        let at = edit.span.start;
        let start = self.text[..at].trim_end().len();
        let end = self.text.len() - self.text[at..].trim_start().len();
        let mut beside = self.holes.iter().filter(|hole| (start..=end).contains(&hole.at));
        let place = candidate.edit.span.start;
        beside.all(|hole| {
            let action = template.actions()[hole.action].span;
            // A line of its own stays one.
            if action.start >= place {
                let apart = edit.text.ends_with('\n') || template.text()[place..action.start].contains('\n');
                apart && self.leaves_behind(edit, hole)
            } else {
                let apart = edit.text.starts_with(['\n', '\r']) || template.text()[action.end..place].contains('\n');
                apart && self.leaves_before(edit, hole)
            }
        })
    }

    /// Returns edits of this reading with the same result but for blank lines: what is put behind a hole is not put on its line, if the hole has
    /// one of its own, which is blank here.
    pub fn behind_holes(&self, template: &Template, edits: &EditSet) -> EditSet {
        let own = |hole: &&Hole| template.actions()[hole.action].alone;
        let starts: BTreeSet<usize> = self.holes.iter().filter(own).map(|hole| hole.at).collect();
        let joined = edits.clone().joined();
        let feed = |edit: &Edit| {
            let own =
                edit.span.of(&self.text).split_inclusive('\n').next().filter(|_| starts.contains(&edit.span.start));
            let feed = own.filter(|line| line.trim().is_empty() && line.ends_with('\n'))?;
            let behind = if edit.text.is_empty() { &self.text[edit.span.end..] } else { &edit.text };
            let is_apart = behind.is_empty() || behind.starts_with(['\n', '\r']);
            (!is_apart).then_some(feed.len())
        };
        let moved = joined.edits().iter().map(|edit| match feed(edit) {
            _ if edit.span.is_empty() => self.behind_lines_of_holes(edit, &starts),
            Some(feed) => Edit::new(edit.span.start + feed, edit.span.end, edit.text.clone()),
            None => edit.clone(),
        });
        let moved = EditSet::new(moved.collect()).ok().filter(|moved| *moved != joined);
        let reads = |edits: &EditSet| data(&edits.apply(&self.text));
        moved
            .filter(|moved| reads(moved).is_some_and(|data| Some(data) == reads(edits)))
            .unwrap_or_else(|| edits.clone())
    }

    /// Returns an insertion of lines behind the lines of the holes that begin at `starts` and do not take them in.
    fn behind_lines_of_holes(&self, edit: &Edit, starts: &BTreeSet<usize>) -> Edit {
        let (mut at, mut text) = (edit.span.start, edit.text.clone());
        let feed = if self.text[at..].starts_with('\r') { "\r\n" } else { "\n" };
        if let Some(lines) = text.strip_prefix(feed).filter(|_| self.text[at..].starts_with(feed)) {
            (at, text) = (at + feed.len(), format!("{lines}{feed}"));
        }
        let inserted = indent(&text);
        let is_around = |at: usize| {
            let hole = self.holes.iter().find(|hole| hole.at == at).filter(|_| starts.contains(&at));
            let owner = hole.and_then(|hole| owner(document(&self.text[..at]), hole.column?, Wanted::OrList));
            owner.is_some_and(|owner| inserted <= owner.column)
        };
        let mut last = at;
        while text.ends_with(feed) && is_around(last) && self.text[last..].starts_with(feed) {
            last += feed.len();
        }
        match text.strip_suffix(feed).filter(|_| last == self.text.len() && is_around(last)) {
            Some(lines) => Edit::new(last, last, format!("{feed}{lines}")),
            None if last == at => edit.clone(),
            None => Edit::new(last, last, text),
        }
    }

    /// Returns whether what an insertion adds is printed once for each key or item that it belongs to, where `candidate` makes it: both are in
    /// the same ranges, and behind an action in the same branches.
    pub(super) fn is_in_turns(&self, template: &Template, edit: &Edit, candidate: &Candidate) -> bool {
        if !template.has_ranges() && !candidate.is_behind_action {
            return true;
        }
        let before = &self.text[..edit.span.start];
        let wanted = if item(edit.text.trim_start()).is_some() { Wanted::OrList } else { Wanted::Around };
        let owner = first_column(before, &edit.text).and_then(|column| owner(before, column, wanted));
        if candidate.is_behind_action {
            let around = |at: usize| template.open_at(at);
            return owner
                .is_some_and(|owner| around(candidate.touched.start) == around(self.source_of(template, owner.start)));
        }
        let ranges = |at: usize| template.ranges_around(at);
        owner.is_none_or(|owner| ranges(candidate.touched.start) == ranges(self.source_of(template, owner.start)))
    }

    /// Returns the action that begins a range in which an item or key begins that goes on behind its end, in a document that these edits are
    /// in: only that of the last turn does, and a reading prints one.
    pub(super) fn torn_item(&self, template: &Template, edits: &EditSet) -> Option<usize> {
        let (first, last) = edits.edits().first().zip(edits.edits().last())?;
        let start = self.text[..first.span.start].rfind("\n---").unwrap_or_default();
        let end = self.text[last.span.end..].find("\n---").map_or(self.text.len(), |at| last.span.end + at);
        let behind = |source: usize| {
            let segment = self.segments.iter().find(|segment| segment.span(template).start >= source)?;
            let at = segment.printed.start;
            Some(self.text.len() - self.text[at..].trim_start().len()).filter(|at| (start..end).contains(at))
        };
        template.range_ends().filter_map(behind).find_map(|at| {
            let line = self.text[..at].rfind('\n').map_or(0, |feed| feed + 1);
            let is_first = self.text[line..at].bytes().all(|byte| byte == b' ');
            let owner = owner(&self.text[..line], at - line, Wanted::Around).filter(|_| is_first)?;
            let own = template.ranges_around(self.source_of(template, at));
            let mut around = template.ranges_around(self.source_of(template, owner.start)).into_iter();
            around.find(|range| !own.contains(range))
        })
    }

    fn leaves_behind(&self, edit: &Edit, hole: &Hole) -> bool {
        let Some(column) = hole.column else { return false };
        let at = edit.span.start;
        let after = format!("{}{}{}", &self.text[..at], edit.text, &self.text[at..hole.at.max(at)]);
        let owner = |before: &str| owner(before, column, Wanted::OrList);
        owner(&self.text[..hole.at]) == owner(&after)
    }

    fn leaves_before(&self, edit: &Edit, hole: &Hole) -> bool {
        let (Some(column), Some(inserted)) = (hole.column, first_column(&self.text[..edit.span.start], &edit.text))
        else {
            return true;
        };
        let owner = owner(&self.text[..hole.at], column, Wanted::OrList);
        inserted == column || owner.is_some_and(|owner| inserted <= owner.column)
    }

    /// Returns the action of a hole that has another owner in `after`, the reading with `edits`.
    pub(super) fn stray_hole(&self, edits: &EditSet, after: &Self) -> Option<usize> {
        let pairs = self.holes.iter().zip(&after.holes);
        let mut stray = pairs.filter(|(before, behind)| {
            let Some(column) = before.column else { return false };
            let owner = |text: &str| owner(text, column, Wanted::OrList);
            match (owner(&self.text[..before.at]), owner(&after.text[..behind.at])) {
                (Some(before), Some(behind)) => {
                    let line = line(&after.text, behind.start);
                    let stays = |at: usize| (behind.start..=behind.start + line.len()).contains(&at);
                    let is_closed = takes_more(self::line(&self.text, before.start)) && !takes_more(line);
                    let is_same = before.relation == behind.relation && !is_closed;
                    !is_same || !self.moved(before.start, edits).is_some_and(stays)
                }
                (before, behind) => before != behind,
            }
        });
        stray.next().map(|(hole, _)| hole.action)
    }

    /// Returns where a byte is after `edits`, or the one line that it is replaced by: several are other keys, and no other name of one.
    fn moved(&self, at: usize, edits: &EditSet) -> Option<usize> {
        let (mut added, mut removed) = (0, 0);
        for edit in edits.edits() {
            if edit.span.start <= at && at < edit.span.end {
                let (old, new) = (edit.span.of(&self.text).trim_start(), edit.text.trim_start());
                let is_key =
                    !new.is_empty() && (!new.trim().contains('\n') || new.lines().next() == old.lines().next());
                return is_key.then(|| edit.span.start + added + edit.text.len() - new.len() - removed);
            }
            if edit.span.end <= at {
                added += edit.text.len();
                removed += edit.span.end - edit.span.start;
            }
        }
        Some(at + added - removed)
    }
}
