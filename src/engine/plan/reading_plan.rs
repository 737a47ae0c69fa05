//! What becomes of one reading of a template: what is planned for its text, and which bytes of the template that is about.

use std::cell::OnceCell;

use super::file::PlannedFile;
use super::planned_text::PlannedText;
use crate::engine::convert::ObjectPlan;
use crate::syntax::template::{Reading, Source, Template};
use crate::syntax::text::{Edit, EditSet, LineIndex, Position, Span};

/// A reading, and what is planned for its text.
pub(super) struct ReadingPlan {
    pub(super) reading: Reading,
    pub(super) text: PlannedText,
    pub(super) lines: LineIndex,
    /// The bytes of the template that each of its objects comes from.
    sources: Vec<Span>,
    /// The index of the object that each edit changes.
    owners: OnceCell<Vec<Option<usize>>>,
}

impl ReadingPlan {
    pub(super) fn new(reading: Reading, text: PlannedText, template: &Template) -> Self {
        let (lines, owners) = (LineIndex::new(&reading.text), OnceCell::new());
        let mut plan = Self { reading, text, lines, sources: Vec::new(), owners };
        plan.sources = plan.objects().map(|object| plan.source(template, object)).collect();
        plan
    }

    pub(super) fn objects(&self) -> impl Iterator<Item = &ObjectPlan> {
        self.text.planned.iter().flat_map(|planned| &planned.objects)
    }

    /// Returns the objects, each with the bytes of the template that it comes from.
    pub(super) fn objects_with_sources(&self) -> impl Iterator<Item = (&ObjectPlan, Span)> {
        self.objects().zip(self.sources.iter().copied())
    }

    /// Returns what prints an object, where that is one action.
    pub(super) fn printed_by(&self, object: &ObjectPlan) -> Option<usize> {
        let Span { start, end } = content(&self.reading.text, object.extent);
        let segment = self.reading.segments.iter().find(|one| one.printed.start <= start && end <= one.printed.end)?;
        match segment.source {
            Source::Known(action) => Some(action),
            Source::Literal(_) | Source::Opaque(_) => None,
        }
    }

    /// Returns whether no more is printed of an object than what it is called, or a reference to one.
    pub(super) fn is_head(&self, object: &ObjectPlan) -> bool {
        let text = object.extent.of(&self.reading.text);
        let kind = text.lines().find_map(|line| line.find("kind:").filter(|at| line[..*at].trim().is_empty()));
        let mut keys = text.lines().filter_map(|line| line.split_once(':')).map(|(key, _)| key);
        let is_other = |key: &str| {
            let name = key.trim_start();
            Some(key.len() - name.len()) == kind
                && !["apiVersion", "kind", "metadata", "name", "namespace"].contains(&name)
        };
        let mut holes = self.reading.holes.iter();
        !keys.any(is_other)
            && !holes.any(|hole| hole.column == kind && (object.extent.start..=object.extent.end).contains(&hole.at))
    }

    /// Returns the bytes of the template that an object comes from, as one span.
    pub(super) fn source(&self, template: &Template, object: &ObjectPlan) -> Span {
        self.reading.source(template, content(&self.reading.text, object.extent))
    }

    fn edits(&self) -> impl Iterator<Item = &Edit> {
        self.text.planned.iter().filter_map(PlannedFile::edits).flat_map(EditSet::edits)
    }

    /// Returns whether something changes that is in no object.
    pub(super) fn changes_more(&self) -> bool {
        self.owners().contains(&None)
    }

    fn owners(&self) -> &[Option<usize>] {
        self.owners.get_or_init(|| self.edits().map(|edit| self.owner(edit)).collect())
    }

    /// Returns the index of the object that an edit changes: what is inserted where one ends and the next begins is of the first, and so is what is between
    /// the end of an item of a List and the next one.
    fn owner(&self, edit: &Edit) -> Option<usize> {
        let ends_behind = |object: &ObjectPlan| {
            let behind = self.reading.text.get(object.extent.end..edit.span.end);
            object.extent.start <= edit.span.start && behind.is_some_and(|behind| behind.trim().is_empty())
        };
        let inside = self.objects().position(|object| is_within(edit.span, object.extent));
        inside.or_else(|| self.objects().position(ends_behind))
    }

    /// Returns what is to change in the objects that come from these bytes of the template.
    pub(super) fn edits_within(&self, part: Span) -> EditSet {
        let is_of_part = |owner: &Option<usize>| owner.is_some_and(|object| is_within(self.sources[object], part));
        let own = self.edits().zip(self.owners()).filter(|(_, owner)| is_of_part(owner)).map(|(edit, _)| edit.clone());
        EditSet::new(own.collect()).expect("they are some of disjoint edits")
    }

    /// Returns the place of a byte of the template that one of what the reading prints comes from.
    pub(super) fn origin(&self, template: &Template, position: Position) -> usize {
        self.reading.source_of(template, self.lines.offset(&self.reading.text, position))
    }
}

/// Returns whether these bytes are all in a part.
pub(super) fn is_within(own: Span, part: Span) -> bool {
    part.start <= own.start && own.end <= part.end
}

/// Returns a document without the dashes that begin it and the white space around it: in another reading that may belong to the document
/// before or behind.
fn content(text: &str, document: Span) -> Span {
    let whole = document.of(text);
    let inside = whole.trim_start();
    let inside = inside.strip_prefix("---").map_or(inside, str::trim_start);
    let start = document.end - inside.len();
    let end = start + inside.trim_end().len();
    if start < end { Span::new(start, end) } else { document }
}
