//! Answers: which bytes of a document change when lists of intents are carried out?
//!
//! Work goes in rounds: the document is parsed, the next intents of every program whose edits do not meet are planned and
//! made together, and the result is parsed again, until all programs are done. The edits of all rounds are joined into one
//! set over the first text. A text without a final line end gets one for the time of the work.
//!
//! Invariant: bytes outside the returned edits are the user's own.

use std::collections::BTreeSet;

use super::edit::{Change, plan, touched};
use super::events::parse;
use super::intent::Intent;
use super::layout::Layout;
use super::problem::{Problem, ProblemCode};
use super::tree::Tree;
use crate::field::FieldPath;
use crate::text::{Edit, EditSet, Span};

/// The outcome of carrying out every program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewrite {
    /// The edits over the source: sorted, and no larger than what differs.
    pub edits: EditSet,
    /// The source with the edits made.
    pub text: String,
    /// The comments that went with what was taken away, as written.
    pub removed_comments: Vec<String>,
}

/// Why nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The index of the program that cannot be carried out; 0 where the document itself cannot be worked on.
    pub program: usize,
    /// What is wrong; its place is an offset in the source.
    pub problem: Problem,
}

/// Carries out `programs` on `source`, the slice of one document.
///
/// There is one program for each object of the document; a program's intents are done in turn, each on what the one before
/// left. Programs do not see each other: their paths must not meet.
///
/// # Errors
/// The first program that cannot be carried out, and why. A document whose value cannot be read is refused as a whole.
pub fn rewrite(source: &str, programs: &[Vec<Intent>]) -> Result<Rewrite, Refusal> {
    let mut work = Work::begin(source).map_err(|problem| Refusal { program: 0, problem })?;
    let mut done = vec![0; programs.len()];
    while done.iter().zip(programs).any(|(done, program)| *done < program.len()) {
        let round = work.round(programs, &mut done)?;
        work.make(round)?;
    }
    Ok(work.end(source))
}

/// A document under way.
struct Work {
    text: String,
    tree: Tree,
    /// From the source to `text`.
    edits: EditSet,
    source_length: usize,
    removed_comments: Vec<String>,
    /// The line end that was added to the source, to be taken away at the end.
    borrowed_line_end: &'static str,
}

impl Work {
    fn begin(source: &str) -> Result<Self, Problem> {
        let tree = parse(source)?;
        let [document] = tree.documents() else {
            let message = format!("one document was expected, not {}", tree.documents().len());
            return Err(Problem::new(ProblemCode::WrongShape, 0, message));
        };
        if let Some(at) = bare_carriage_return(source) {
            return Err(Problem::new(ProblemCode::Limit, at, "a line ends in a carriage return without a line feed"));
        }
        let _ = tree.value(source, document.root)?;
        let mut work = Self {
            text: source.to_owned(),
            tree,
            edits: EditSet::default(),
            source_length: source.len(),
            removed_comments: Vec::new(),
            borrowed_line_end: "",
        };
        if !source.ends_with('\n') {
            work.borrowed_line_end = if source.contains("\r\n") { "\r\n" } else { "\n" };
            let edits = EditSet::new(vec![Edit::new(source.len(), source.len(), work.borrowed_line_end)]);
            work.apply(edits.expect("one edit cannot overlap"))?;
        }
        Ok(work)
    }

    /// Plans the next intents of each program, as far as they do not meet.
    fn round(&self, programs: &[Vec<Intent>], done: &mut [usize]) -> Result<Round, Refusal> {
        let layout = Layout::new(&self.text, &self.tree, self.tree.documents()[0].root);
        let mut round = Round::default();
        for (program, intents) in programs.iter().enumerate() {
            let mut paths: Vec<FieldPath> = Vec::new();
            for intent in &intents[done[program]..] {
                let next = touched(intent);
                if paths.iter().any(|path| next.iter().any(|next| next.starts_with(path) || path.starts_with(next))) {
                    break;
                }
                let change = plan(&layout, intent).map_err(|problem| self.refusal(program, problem))?;
                if let Err(overlap) = EditSet::new(change.edits.clone()) {
                    let problem =
                        Problem::new(ProblemCode::VerifyFailed, overlap.at, "a change would edit bytes twice");
                    return Err(self.refusal(program, problem));
                }
                if !round.take(program, change) {
                    break;
                }
                paths.extend(next);
                done[program] += 1;
            }
        }
        Ok(round)
    }

    fn make(&mut self, round: Round) -> Result<(), Refusal> {
        self.removed_comments.extend(round.change.removed_comments);
        if round.change.edits.is_empty() {
            return Ok(());
        }
        let edits = EditSet::new(round.change.edits).expect("a round takes edits that do not overlap");
        self.apply(edits).map_err(|problem| Refusal { program: round.first_program.unwrap_or(0), problem })
    }

    fn apply(&mut self, edits: EditSet) -> Result<(), Problem> {
        let text = edits.apply(&self.text);
        let tree = parse(&text).ok().filter(|tree| tree.documents().len() == 1);
        self.edits = std::mem::take(&mut self.edits).then(edits, self.source_length);
        self.tree = tree.ok_or_else(|| {
            let message = "the change would leave a text that cannot be read";
            Problem::new(ProblemCode::VerifyFailed, 0, message)
        })?;
        self.text = text;
        Ok(())
    }

    fn refusal(&self, program: usize, problem: Problem) -> Refusal {
        let at = source_offset(&self.edits, problem.at).min(self.source_length);
        Refusal { program, problem: Problem { at, ..problem } }
    }

    /// Says whether the borrowed line end is still there, and does not end an empty line of a `|+`.
    fn gives_line_end_back(&self) -> bool {
        let layout = Layout::new(&self.text, &self.tree, self.tree.documents()[0].root);
        let is_borrowed = !self.borrowed_line_end.is_empty() && self.text.ends_with(self.borrowed_line_end);
        let ends_in_empty_line = self.text.ends_with("\n\n") || self.text.ends_with("\n\r\n");
        is_borrowed && !(ends_in_empty_line && layout.follows_kept_lines(self.text.len()))
    }

    fn end(mut self, source: &str) -> Rewrite {
        if self.gives_line_end_back() {
            let length = self.text.len() - self.borrowed_line_end.len();
            let edits = EditSet::new(vec![Edit::new(length, self.text.len(), "")]);
            self.edits = self.edits.then(edits.expect("one edit cannot overlap"), self.source_length);
            self.text.truncate(length);
        }
        Rewrite { edits: self.edits.minimal(source), text: self.text, removed_comments: self.removed_comments }
    }
}

/// The changes made together in one round.
#[derive(Default)]
struct Round {
    change: Change,
    /// The spans of all edits, by start and end.
    claimed: BTreeSet<Span>,
    first_program: Option<usize>,
}

impl Round {
    /// Takes a change in, unless its edits meet those taken before; says whether it did.
    fn take(&mut self, program: usize, change: Change) -> bool {
        if change.edits.iter().any(|edit| self.meets(edit.span)) {
            return false;
        }
        self.first_program.get_or_insert(program);
        self.claimed.extend(change.edits.iter().map(|edit| edit.span));
        self.change.join(change);
        true
    }

    /// Says whether `span` shares a byte with a claimed one, or is an insertion at the place of another.
    fn meets(&self, span: Span) -> bool {
        let meets = |claimed: &Span| claimed.start < span.end && span.start < claimed.end || *claimed == span;
        let upto = Span::new(span.end, usize::MAX);
        self.claimed.range(..=upto).rev().take_while(|claimed| claimed.end >= span.start).any(meets)
    }
}

fn bare_carriage_return(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'\r', bytes).find(|at| bytes.get(at + 1) != Some(&b'\n'))
}

/// Returns the offset in the source that an offset behind the edits comes from; in new text, where it was put.
fn source_offset(edits: &EditSet, at: usize) -> usize {
    let mut before = 0;
    let mut after = 0;
    for edit in edits.edits() {
        let kept = edit.span.start - before;
        if at < after + kept {
            break;
        }
        after += kept;
        before = edit.span.start;
        if at < after + edit.text.len() {
            return before;
        }
        after += edit.text.len();
        before = edit.span.end;
    }
    before + (at - after)
}
