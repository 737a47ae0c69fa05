//! Answers: what do the comments of a file acknowledge, and which of them are about a place?
//!
//! Invariant: what a comment is about is in the file of the comment. Of the parts that two comments are about, one contains the other,
//! or they have nothing in common.

use std::collections::BTreeMap;

use crate::engine::finding::Location;
use crate::syntax::text::Position;

/// A comment that acknowledges findings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignore {
    /// Where the comment is.
    pub location: Location,
    /// What it names in brackets: codes and rules. None where the brackets are missing or empty.
    pub names: Vec<String>,
    /// What follows the brackets.
    pub reason: Option<String>,
    /// What it is about, up to the second position; `None` where nothing begins there.
    pub about: Option<(Position, Position)>,
    /// Where the object starts that this is a part of.
    pub object: Option<Position>,
}

impl Ignore {
    /// Returns whether the comment is about what is at `position`.
    pub fn has(&self, position: Position) -> bool {
        self.about.is_some_and(|(start, end)| start <= position && position < end)
    }
}

/// The comments of one file that acknowledge findings, in its order.
#[derive(Clone, Debug, Default)]
pub struct Ignores {
    all: Vec<Ignore>,
    /// The numbers of those that are about something, by its start, outer parts before inner ones.
    by_start: Vec<usize>,
    /// For each of `by_start`, which of them is about the nearest part around.
    around: Vec<Option<usize>>,
    /// The numbers of those that are about a part of an object, by where the object starts.
    by_object: BTreeMap<Position, Vec<usize>>,
}

impl Ignores {
    /// Takes the comments of a file, in its order.
    pub(crate) fn new(all: Vec<Ignore>) -> Self {
        let mut parts: Vec<_> =
            all.iter().enumerate().filter_map(|(at, ignore)| ignore.about.map(|part| (part, at))).collect();
        parts.sort_by(|((start, end), at), ((other_start, other_end), other)| {
            (start, other_end, at).cmp(&(other_start, end, other))
        });
        let mut around: Vec<Option<usize>> = Vec::with_capacity(parts.len());
        for ((_, end), _) in &parts {
            let mut outer = around.len().checked_sub(1);
            while let Some(at) = outer.filter(|at| parts[*at].0.1 < *end) {
                outer = around[at];
            }
            around.push(outer);
        }
        let by_start = parts.into_iter().map(|(_, at)| at).collect();
        let mut by_object: BTreeMap<Position, Vec<usize>> = BTreeMap::new();
        for (at, ignore) in all.iter().enumerate() {
            if let Some(object) = ignore.object {
                by_object.entry(object).or_default().push(at);
            }
        }
        Self { all, by_start, around, by_object }
    }

    /// Returns all of them, in the order of the file.
    pub fn all(&self) -> &[Ignore] {
        &self.all
    }

    /// Returns the numbers of those that are about what is at `position`, or about a part of the object that starts there; sorted, each
    /// once.
    pub fn about(&self, position: Position) -> Vec<usize> {
        let started =
            self.by_start.partition_point(|at| self.all[*at].about.is_some_and(|(start, _)| start <= position));
        let inner = std::iter::successors(started.checked_sub(1), |at| self.around[*at]);
        let has = inner.map(|at| self.by_start[at]).filter(|at| self.all[*at].has(position));
        let in_object = self.by_object.get(&position).into_iter().flatten().copied();
        let mut found: Vec<usize> = has.chain(in_object).collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes comments, each about some lines, up to the last one, or about nothing.
    fn ignores(parts: &[Option<(usize, usize)>]) -> Ignores {
        let at = |line| Position { line, column: 1 };
        let ignore = |part: &Option<(usize, usize)>| Ignore {
            location: Location { file: "a.yaml".to_owned(), position: None },
            names: Vec::new(),
            reason: None,
            about: part.map(|(start, end)| (at(start), at(end))),
            object: None,
        };
        Ignores::new(parts.iter().map(ignore).collect())
    }

    #[test]
    fn the_comments_around_a_place_are_found() {
        let parts = [(1, 9), (2, 4), (2, 3), (4, 9), (6, 7), (12, 20), (12, 20), (13, 14)];
        let ignores = ignores(&parts.map(Some));
        for line in 0..22 {
            let around = parts.iter().enumerate().filter(|(_, (start, end))| (*start..*end).contains(&line));
            let around: Vec<usize> = around.map(|(at, _)| at).collect();
            assert_eq!(ignores.about(Position { line, column: 1 }), around, "line {line}");
        }
    }

    #[test]
    fn a_comment_about_nothing_is_about_no_place() {
        let ignores = ignores(&[None, Some((2, 3))]);
        assert_eq!(ignores.all().len(), 2);
        assert_eq!(ignores.about(Position { line: 2, column: 1 }), [1]);
        assert!(ignores.about(Position { line: 1, column: 1 }).is_empty());
    }
}
