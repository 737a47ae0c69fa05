//! Answers: which bytes of the file must change for a reading to change as wanted?
//!
//! A deletion or insertion beside white space can be said in several ways: deleting a line with its line feed, or with the one before it.
//! Each is a [`Candidate`], and all readings must agree on one of them (`agree`). An insertion belongs to the readings that print its
//! anchor, a byte beside it that is no white space, because the white space beside an action can be trimmed, or, where they agree on none, to
//! those that go through the place behind the end of a block or a hole. Readings print one turn of a
//! range; that others want the insertion too is known where the anchor is in the ranges that what is inserted belongs to.
//!
//! Invariant: no candidate changes a byte of an action; one that removes an action puts it elsewhere in the same set.

use super::flow::is_quote;
use super::lex::{Action, SPACE};
use super::reading::{Placeholders, Reading, Source};
use super::tree::Template;
use crate::syntax::text::{Edit, EditSet, Span};
use std::collections::{BTreeMap, VecDeque};

/// How many ways to say an edit are tried in each direction.
const SLIDES: usize = 200;

/// An action stands in the way of an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// The number of the action.
    pub action: usize,
}

/// Edits of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mapped {
    /// The edits.
    pub edits: EditSet,
    /// The numbers of the actions that stand in the file once more after it.
    pub(crate) copied: Vec<usize>,
}

/// One way to make a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    /// The edit of the file.
    pub(super) edit: Edit,
    /// The readings that print a byte of this span change with it.
    pub(super) touched: Span,
    /// Whether it is behind the end of a block, or the action of a hole, instead, where the span is empty: the readings of the same part that go through there do.
    pub(super) is_behind_action: bool,
}

impl Candidate {
    fn new(edit: Edit, touched: Span) -> Self {
        Self { edit, touched, is_behind_action: false }
    }
}

/// What an edit set of a reading means for the file.
#[derive(Clone, Debug, Default)]
pub(super) struct Changes {
    /// For each change, the ways to make it, the best first.
    pub(super) changes: Vec<Vec<Candidate>>,
    pub(super) copied: Vec<usize>,
}

impl Reading {
    /// Returns the edits of the file that make `edits` of the text of this reading.
    #[cfg(test)]
    pub(crate) fn edits_in_source(&self, template: &Template, edits: &EditSet) -> Result<Mapped, Obstacle> {
        let Changes { changes, copied } = self.changes(template, edits)?;
        let edits = changes.into_iter().filter_map(|candidates| candidates.into_iter().next()).map(|first| first.edit);
        let edits = EditSet::new(edits.collect()).map_err(|overlap| obstacle_near(template, overlap.at))?;
        Ok(Mapped { edits, copied })
    }

    pub(super) fn changes(&self, template: &Template, edits: &EditSet) -> Result<Changes, Obstacle> {
        Carrier { reading: self, template, placeholders: Placeholders::new(template), lifted: BTreeMap::new() }
            .carry(edits)
    }
}

/// Returns the last action before a byte of the file.
fn obstacle_near(template: &Template, at: usize) -> Obstacle {
    Obstacle { action: template.actions().partition_point(|action| action.span.start <= at).saturating_sub(1) }
}

/// Returns the quote that is open at the end of a text, as its last line looks.
fn quote(text: &str) -> Option<char> {
    let (mut open, mut is_escaped) = (None, false);
    for one in text[text.rfind('\n').map_or(0, |feed| feed + 1)..].chars() {
        match (open, one) {
            (Some('"'), '\\') if !is_escaped => {
                is_escaped = true;
                continue;
            }
            (None, '"' | '\'') => open = Some(one),
            (Some(quote), _) if quote == one && !is_escaped => open = None,
            _ => {}
        }
        is_escaped = false;
    }
    open
}

struct Carrier<'r> {
    reading: &'r Reading,
    template: &'r Template,
    placeholders: Placeholders,
    /// The actions that edits remove, by the number of their placeholder.
    lifted: BTreeMap<usize, VecDeque<usize>>,
}

impl Carrier<'_> {
    fn carry(mut self, edits: &EditSet) -> Result<Changes, Obstacle> {
        let (mut literal, mut moving) = (Vec::new(), Vec::new());
        for edit in edits.clone().joined().edits() {
            let edit = self.widened(edit);
            match self.pieces(&edit) {
                Some(pieces) => literal.extend(pieces),
                None => moving.push(edit),
            }
        }
        moving.iter().for_each(|edit| self.lift(edit.span));
        let mut out = Changes::default();
        for mut edit in moving {
            edit.text = self.with_actions(&edit, &mut out.copied)?;
            literal.push(edit);
        }
        if let Some(lost) = self.lifted.values().flatten().next() {
            return Err(Obstacle { action: *lost });
        }
        literal.sort_by_key(|edit| edit.span);
        for edit in literal {
            out.changes.push(self.candidates(&edit)?);
        }
        Ok(out)
    }

    /// Returns an edit with the placeholders whole that its ends are in.
    fn widened(&self, edit: &Edit) -> Edit {
        let (text, mut wide) = (&self.reading.text, edit.clone());
        for at in [edit.span.start, edit.span.end] {
            let Some(segment) = self.reading.segment_at(at).map(|index| self.reading.segments[index]) else { continue };
            if !matches!(segment.source, Source::Opaque(_)) || segment.printed.start == at {
                continue;
            }
            if segment.printed.start < wide.span.start {
                wide.text.insert_str(0, &text[segment.printed.start..wide.span.start]);
                wide.span.start = segment.printed.start;
            }
            if wide.span.end < segment.printed.end && wide.span.end > segment.printed.start {
                wide.text.push_str(&text[wide.span.end..segment.printed.end]);
                wide.span.end = segment.printed.end;
            }
        }
        wide
    }

    /// Splits an edit that keeps its placeholders in order into edits of what is between them.
    fn pieces(&self, edit: &Edit) -> Option<Vec<Edit>> {
        let old = edit.span.of(&self.reading.text);
        let (before, after) = (self.placeholders.find(old), self.placeholders.find(&edit.text));
        if !before.iter().map(|one| one.action).eq(after.iter().map(|one| one.action)) {
            return None;
        }
        let (mut start, mut done, mut pieces) = (0, 0, Vec::new());
        let ends = [(old.len(), edit.text.len())];
        let pairs = before.iter().zip(&after).map(|(old, new)| (old.span, new.span));
        for (old, new) in pairs.chain(ends.map(|(old, new)| (Span::new(old, old), Span::new(new, new)))) {
            let text = &edit.text[done..new.start];
            pieces.push(Edit::new(edit.span.start + start, edit.span.start + old.start, text));
            (start, done) = (old.end, new.end);
        }
        Some(EditSet::new(pieces).ok()?.minimal(&self.reading.text).edits().to_vec())
    }

    /// Returns the quotes around what the placeholder with this number stands for, at each place.
    fn quotes(&self, number: usize) -> impl Iterator<Item = Option<char>> {
        let places = self.placeholders.find(&self.reading.text).into_iter().filter(move |one| one.action == number);
        places.map(|one| quote(&self.reading.text[..one.span.start]))
    }

    fn lift(&mut self, span: Span) {
        for segment in &self.reading.segments {
            if let Source::Opaque(action) = segment.source
                && span.start <= segment.printed.start
                && segment.printed.end <= span.end
            {
                let found = self.placeholders.find(segment.printed.of(&self.reading.text));
                let number = found.first().map_or(action, |placeholder| placeholder.action);
                self.lifted.entry(number).or_default().push_back(action);
            }
        }
    }

    /// Puts actions where the text of an edit has placeholders: those that edits remove, else copies. What an action prints means something
    /// else in other quotes.
    fn with_actions(&mut self, edit: &Edit, copied: &mut Vec<usize>) -> Result<String, Obstacle> {
        let (text, printed) = (&edit.text, &self.reading.text[..edit.span.start]);
        let before = &printed[printed.rfind('\n').map_or(0, |feed| feed + 1)..];
        let (mut out, mut done) = (String::with_capacity(text.len()), 0);
        for placeholder in self.placeholders.find(text) {
            let Some(action) = self.template.actions().get(placeholder.action) else { continue };
            if self.reading.origin(placeholder.action).is_none() || self.reading.quoted.contains(&placeholder.action) {
                return Err(self.nearest_of(placeholder.action, edit.span));
            }
            let quote = quote(&[before, &text[..placeholder.span.start]].concat());
            if self.quotes(placeholder.action).any(|own| own != quote) {
                return Err(self.nearest_of(placeholder.action, edit.span));
            }
            out.push_str(&text[done..placeholder.span.start]);
            done = placeholder.span.end;
            match self.lifted.get_mut(&placeholder.action).and_then(VecDeque::pop_front) {
                Some(moved) => out.push_str(self.template.actions()[moved].span.of(self.template.text())),
                None if action.is_comment() => return Err(self.nearest_of(placeholder.action, edit.span)),
                None => {
                    copied.push(placeholder.action);
                    out.push_str(&action.untrimmed(self.template.text()));
                }
            }
        }
        out.push_str(&text[done..]);
        Ok(out)
    }

    fn candidates(&self, edit: &Edit) -> Result<Vec<Candidate>, Obstacle> {
        let slides = self.slides(edit);
        let mut found = Vec::new();
        let mut obstacle = None;
        if edit.span.is_empty() {
            slides.iter().for_each(|edit| self.insertions(edit, &mut found));
            if found.is_empty() {
                self.insertions_in_blanks(edit, &mut found);
            }
            slides.iter().for_each(|edit| self.insertions_behind_actions(edit, &mut found));
        } else {
            for edit in &slides {
                match self.replacement(edit) {
                    Ok(candidate) => found.extend(candidate),
                    Err(action) => obstacle = obstacle.or(Some(action)),
                }
            }
        }
        if found.is_empty() {
            return Err(obstacle.unwrap_or_else(|| self.nearest(edit.span.start)));
        }
        Ok(found)
    }

    /// Returns the edits of the reading that have the same result, and differ in white space only.
    fn slides(&self, edit: &Edit) -> Vec<Edit> {
        let (text, mut slides) = (self.reading.text.as_bytes(), vec![edit.clone()]);
        if !edit.span.is_empty() && !edit.text.is_empty() {
            return slides;
        }
        let mut left = edit.clone();
        while let Some(start) = left.span.start.checked_sub(1).filter(|_| slides.len() < SLIDES) {
            let last = if left.text.is_empty() { text.get(left.span.end - 1) } else { left.text.as_bytes().last() };
            if !text[start].is_ascii_whitespace() || last != Some(&text[start]) {
                break;
            }
            if let Some(blank) = left.text.pop() {
                left.text.insert(0, blank);
            }
            left.span = Span::new(start, left.span.end - 1);
            slides.push(left.clone());
        }
        let (mut right, limit) = (edit.clone(), slides.len() + SLIDES);
        while let Some(next) = text.get(right.span.end).filter(|_| slides.len() < limit) {
            let first = if right.text.is_empty() { text.get(right.span.start) } else { right.text.as_bytes().first() };
            if !next.is_ascii_whitespace() || first != Some(next) {
                break;
            }
            if !right.text.is_empty() {
                let blank = right.text.remove(0);
                right.text.push(blank);
            }
            right.span = Span::new(right.span.start + 1, right.span.end + 1);
            slides.push(right.clone());
        }
        slides
    }

    /// Returns how the bytes that an edit replaces are replaced in the file; `None` if trimming spoils that.
    fn replacement(&self, edit: &Edit) -> Result<Option<Candidate>, Obstacle> {
        let reading = self.reading;
        let ends = (reading.segment_at(edit.span.start), reading.segment_at(edit.span.end.saturating_sub(1)));
        let (Some(first), Some(last)) = ends else { return Ok(None) };
        let inside = &reading.segments[first..=last];
        if inside.iter().any(is_quote) {
            return Err(self.nearest(edit.span.end));
        }
        let span =
            Span::new(self.source_of(edit.span.start, Side::Behind)?, self.source_of(edit.span.end, Side::Before)?);
        let from = self.template.actions().partition_point(|action| action.span.start < span.start);
        for (index, action) in self.template.actions().iter().enumerate().skip(from) {
            if action.span.start >= span.end {
                break;
            }
            if !inside.iter().any(|segment| segment.source == Source::Opaque(index)) {
                return Err(Obstacle { action: index });
            }
        }
        let edit = Edit { span, text: edit.text.clone() };
        Ok(self.survives_trimming(&edit).then_some(Candidate::new(edit, span)))
    }

    /// Returns where the file has a place of the reading: beside the printed byte on one `side` of it.
    fn source_of(&self, at: usize, side: Side) -> Result<usize, Obstacle> {
        let byte = if side == Side::Behind { Some(at) } else { at.checked_sub(1) };
        let Some(index) = byte.and_then(|byte| self.reading.segment_at(byte)) else { return Err(self.nearest(at)) };
        let segment = &self.reading.segments[index];
        let span = segment.span(self.template);
        match segment.source {
            Source::Literal(_) => Ok((span.start + at - segment.printed.start).min(span.end)),
            Source::Opaque(_) | Source::Known(_) if side == Side::Behind && at == segment.printed.start => {
                Ok(span.start)
            }
            Source::Opaque(_) | Source::Known(_) if side == Side::Before && at == segment.printed.end => Ok(span.end),
            Source::Opaque(action) | Source::Known(action) => Err(Obstacle { action }),
        }
    }

    /// Returns whether what actions eat beside an edit is the same as before.
    fn survives_trimming(&self, edit: &Edit) -> bool {
        let (text, actions) = (self.template.text(), self.template.actions());
        let before = actions[..actions.partition_point(|action| action.span.end <= edit.span.start)].last();
        let behind = actions[actions.partition_point(|action| action.span.start < edit.span.end)..].first();
        // What a comment eats is printed with it, where it is.
        let is_note = |action: &Action| {
            let index = actions.partition_point(|other| other.span.start < action.span.start);
            action.is_comment() && self.reading.is_note(self.template, index)
        };
        let eats_first = before.is_some_and(|action| action.trims_after && !is_note(action));
        let eats_last = behind.is_some_and(|action| action.trims_before && !is_note(action));
        let mut start = before.map_or(0, |action| action.span.end);
        let mut end = behind.map_or(text.len(), |action| action.span.start);
        if eats_first {
            start = text.len() - text[start..].trim_start_matches(SPACE).len();
        }
        if eats_last {
            end = text[..end].trim_end_matches(SPACE).len().max(start);
        }
        if edit.span.start < start || end < edit.span.end {
            return false;
        }
        let pieces = [&text[start..edit.span.start], &edit.text, &text[edit.span.end..end]];
        let first = pieces.iter().find_map(|piece| piece.chars().next());
        let last = pieces.iter().rev().find_map(|piece| piece.chars().next_back());
        let is_space = |one: Option<char>| one.is_some_and(|one| SPACE.contains(&one));
        !(eats_first && is_space(first) || eats_last && is_space(last))
    }

    /// Finds the ways to insert beside a byte that is no white space.
    fn insertions(&self, edit: &Edit, into: &mut Vec<Candidate>) {
        let (at, text) = (edit.span.start, self.reading.text.as_bytes());
        let printed = |at: usize| text.get(at).is_some_and(|byte| !byte.is_ascii_whitespace());
        let before = if at > 0 && printed(at - 1) { self.insertion(edit, Side::Before) } else { None };
        let behind = if printed(at) { self.insertion(edit, Side::Behind) } else { None };
        let swapped = !edit.text.starts_with(|one: char| one.is_ascii_whitespace());
        let both = if swapped { [behind, before] } else { [before, behind] };
        into.extend(both.into_iter().flatten());
    }

    fn insertions_in_blanks(&self, edit: &Edit, into: &mut Vec<Candidate>) {
        let both = [self.insertion(edit, Side::Before), self.insertion(edit, Side::Behind)];
        into.extend(both.into_iter().flatten());
    }

    /// Inserts beside the printed byte on one `side` of the place.
    fn insertion(&self, edit: &Edit, side: Side) -> Option<Candidate> {
        let at = edit.span.start;
        let place = self.source_of(at, side).ok()?;
        let anchor = if side == Side::Behind { place } else { place - 1 };
        let candidate = Candidate::new(Edit::new(place, place, edit.text.clone()), Span::new(anchor, anchor + 1));
        self.fits(edit, &candidate).then_some(candidate)
    }

    /// Returns whether an insertion stays what it is where a candidate makes it.
    fn fits(&self, edit: &Edit, candidate: &Candidate) -> bool {
        self.survives_trimming(&candidate.edit)
            && self.reading.leaves_holes(self.template, edit, candidate)
            && self.reading.is_in_turns(self.template, edit, candidate)
    }

    /// Finds the ways to insert lines behind blocks and actions of holes that end between the bytes that are printed around the place.
    fn insertions_behind_actions(&self, edit: &Edit, into: &mut Vec<Candidate>) {
        let (at, template) = (edit.span.start, self.template);
        let Ok(start) = self.source_of(at, Side::Before) else { return };
        let end =
            if at < self.reading.text.len() { self.source_of(at, Side::Behind) } else { Ok(template.text().len()) };
        let Some(end) = end.ok().filter(|end| start < *end && edit.text.starts_with(['\n', '\r'])) else { return };
        let holes = self.reading.holes.iter().filter(|hole| hole.at == at);
        let holes =
            holes.map(|hole| template.actions()[hole.action].span.end).filter(|place| (start..=end).contains(place));
        let candidates = template.ends_in(Span::new(start, end)).chain(holes).map(|place| Candidate {
            is_behind_action: true,
            ..Candidate::new(Edit::new(place, place, edit.text.clone()), Span::new(place, place))
        });
        into.extend(candidates.filter(|candidate| self.fits(edit, candidate)));
    }

    /// Returns the action that the placeholder with this number stands for where that is nearest to bytes of the reading: several can print the
    /// same.
    fn nearest_of(&self, number: usize, span: Span) -> Obstacle {
        let places = self.placeholders.find(&self.reading.text).into_iter().filter(|one| one.action == number);
        let nearest = places.min_by_key(|one| one.span.start.abs_diff(span.start));
        let segment = nearest.and_then(|one| self.reading.segment_at(one.span.start));
        match segment.map(|index| self.reading.segments[index].source) {
            Some(Source::Opaque(action) | Source::Known(action)) => Obstacle { action },
            Some(Source::Literal(_)) | None => Obstacle { action: number },
        }
    }

    /// Returns the action nearest to a byte of the reading.
    fn nearest(&self, at: usize) -> Obstacle {
        let segment = self.reading.segment_at(at).or(self.reading.segments.len().checked_sub(1));
        let place = segment.map_or(0, |index| self.reading.segments[index].span(self.template).start);
        obstacle_near(self.template, place)
    }
}

/// On which side of a place a byte is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Before,
    Behind,
}
