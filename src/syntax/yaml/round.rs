//! Which of the next intents can be made together, on the tree that the text has now?
//!
//! An intent names the values of the data as the ones before it left them. One that follows others in a round is planned on the
//! tree that they were planned on: the paths of what it finds are followed back through them. It waits for a later round if it
//! touches what they touch, or if its edits overlap theirs, and so does what touches what one that waits touches; only the first
//! of a round can be refused.
//!
//! Invariant: a round gives the text that its intents give one by one.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::change::Change;
use super::intent::{Intent, Touched};
use crate::syntax::field::FieldPath;
use crate::syntax::text::{EditSet, Span};

/// How many intents of a program may wait before all that follow them do.
const WINDOW: usize = 64;

/// An intent that is to be made.
pub(super) struct Pending<'p> {
    pub(super) intent: &'p Intent,
    touched: Vec<Touched>,
    found: Vec<FieldPath>,
}

impl<'p> Pending<'p> {
    pub(super) fn new(intent: &'p Intent) -> Self {
        Self { intent, touched: intent.touched(), found: intent.found() }
    }

    /// Returns whether it makes no difference which of two intents is made first, with the same paths.
    fn commutes_with(&self, earlier: &Self) -> bool {
        let stays = |path: &FieldPath| {
            earlier.intent.origin(path) == *path && earlier.intent.destination(path).as_ref() == Some(path)
        };
        !interfere(&self.touched, &earlier.touched)
            && self.found.iter().all(stays)
            && earlier.found.iter().all(|path| self.intent.destination(path).as_ref() == Some(path))
    }
}

fn interfere(touched: &[Touched], others: &[Touched]) -> bool {
    touched.iter().any(|touched| others.iter().any(|other| touched.interferes_with(other)))
}

/// What becomes of the intents of one program in a round.
#[derive(Default)]
pub(super) struct Schedule<'p> {
    /// Those that are planned.
    planned: Vec<&'p Intent>,
    /// What they touch, by paths in the tree.
    touched: Vec<Touched>,
    /// Those that wait for a later round.
    pub(super) waiting: Vec<Pending<'p>>,
}

impl<'p> Schedule<'p> {
    /// Returns whether an intent is the first of the round.
    pub(super) fn is_empty(&self) -> bool {
        self.planned.is_empty() && self.waiting.is_empty()
    }

    /// Returns an intent with its paths in the tree; `None` where it must wait.
    pub(super) fn on_tree(&self, next: &Pending<'p>) -> Option<Cow<'p, Intent>> {
        if self.waiting.len() >= WINDOW || !self.waiting.iter().all(|earlier| next.commutes_with(earlier)) {
            return None;
        }
        if self.planned.is_empty() {
            return Some(Cow::Borrowed(next.intent));
        }
        let on_tree = next.intent.with_paths(|path| self.entry_before(path))?;
        (!interfere(&on_tree.touched(), &self.touched)).then_some(Cow::Owned(on_tree))
    }

    /// Returns the path in the tree of the entry or item that is now at `path`, if that was in the tree, and not only its value.
    fn entry_before(&self, path: &FieldPath) -> Option<FieldPath> {
        let before = self.before(path)?;
        let Some((collection, _)) = path.split_last() else { return Some(before) };
        let (old_collection, _) = before.split_last()?;
        (self.before(&collection)? == old_collection).then_some(before)
    }

    /// Returns the path in the tree of the value that is now at `path`, if that was in the tree.
    fn before(&self, path: &FieldPath) -> Option<FieldPath> {
        let before = self.planned.iter().rev().fold(path.clone(), |path, intent| intent.origin(&path));
        let after = self.planned.iter().try_fold(before.clone(), |path, intent| intent.destination(&path))?;
        (after == *path).then_some(before)
    }

    /// Records that `intent` is planned, which is `on_tree` by its paths in the tree.
    pub(super) fn add(&mut self, intent: &'p Intent, on_tree: &Intent) {
        self.planned.push(intent);
        self.touched.extend(on_tree.touched());
    }

    pub(super) fn has_planned(&self) -> bool {
        !self.planned.is_empty()
    }
}

/// The changes made together in one round.
#[derive(Default)]
pub(super) struct Round {
    pub(super) change: Change,
    /// The spans of all edits, by start and end.
    claimed: BTreeSet<Span>,
}

impl Round {
    /// Adds a change, unless its edits overlap earlier ones; returns whether it did.
    pub(super) fn add(&mut self, change: Change) -> bool {
        if change.edits.iter().any(|edit| self.overlaps(edit.span)) {
            return false;
        }
        self.claimed.extend(change.edits.iter().map(|edit| edit.span));
        self.change.join(change);
        true
    }

    /// Takes the edits.
    pub(super) fn take_edits(&mut self) -> EditSet {
        EditSet::new(std::mem::take(&mut self.change.edits)).expect("a round takes edits that do not overlap")
    }

    /// Returns whether `span` shares a byte with a claimed one, or is an insertion at the place of another.
    fn overlaps(&self, span: Span) -> bool {
        let overlaps = |claimed: &Span| claimed.start < span.end && span.start < claimed.end || *claimed == span;
        let upto = Span::new(span.end, usize::MAX);
        self.claimed.range(..=upto).rev().take_while(|claimed| claimed.end >= span.start).any(overlaps)
    }
}
