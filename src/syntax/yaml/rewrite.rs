//! Answers: which bytes of a document change when lists of intents are applied?
//!
//! Intents are planned on the tree that the document was read with, as long as none of them touches what another one of the round
//! made. Where one does, the edits of the round are applied, and the text that they give is parsed for the next. The
//! edits of all rounds are joined into one set over the first text. A text without a final line end gets one for as long as it is
//! rewritten.
//!
//! An intent names the values of the data as the ones before it left them. One that follows others in a round is planned on the
//! tree that they were planned on: the paths of what it finds are followed back through them. It waits for a later round if it
//! touches what they touch, or if its edits overlap theirs, and so does what touches what one that waits touches; only the first
//! of a round can be refused.
//!
//! Invariant: bytes outside the returned edits are the user's own, and a round gives the text that its intents give one by one.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeSet;

use serde_json::Value;

use super::change::Change;
use super::edit::plan;
use super::format::{Conventions, MultilineText, Style};
use super::intent::{Intent, Touched, Touches};
use super::layout::Layout;
use super::parse::parse;
use super::path::{find_node, key_overridden_by_merge};
use super::problem::{Problem, ProblemCode};
use super::scalar::scalar_text;
use super::structure::TextFormat;
use super::trail::Trail;
use super::tree::{NodeId, Tree};
use super::value::read_value;
use crate::syntax::field::FieldPath;
use crate::syntax::text::{Edit, EditSet, Span};

/// The result of applying every program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewrite {
    /// The edits over the source: sorted, and no larger than what differs.
    pub edits: EditSet,
    /// The source with the edits applied.
    pub text: String,
    /// The comments that were removed, as written.
    pub removed_comments: Vec<String>,
    /// The comments that became part of a text, as written.
    pub comments_into_text: Vec<String>,
    /// The comments that were part of a text, as written.
    pub comments_out_of_text: Vec<String>,
}

/// Why nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The index of the program that cannot be applied; 0 if the document itself cannot be rewritten.
    pub program: usize,
    /// What is wrong; its place is an offset in the source.
    pub problem: Problem,
}

/// Applies `programs` to `source`, the text of one document, as [`rewrite_document`] does.
///
/// # Errors
/// The first program that cannot be applied, and why.
pub fn rewrite(source: &str, programs: &[Vec<Intent>], style: Style) -> Result<Rewrite, Refusal> {
    let tree = parse(source).map_err(|problem| Refusal { program: 0, problem })?;
    rewrite_document(source, &tree, programs, style)
}

/// Applies `programs` to `source`, the slice of one document, which has the tree `tree`.
///
/// There is one program for each object of the document; a program's intents are applied in order, each to the result of the one before
/// it. Programs are independent: their paths must not overlap. New text has the style that the document has, or had
/// before the first change, and `style` if it shows none.
///
/// The document's value must have been read before: whether it can be is not checked here. Nor is whether the changed text is
/// valid: it has to be verified.
///
/// # Errors
/// The first program that cannot be applied, and why.
pub fn rewrite_document(source: &str, tree: &Tree, programs: &[Vec<Intent>], style: Style) -> Result<Rewrite, Refusal> {
    let mut rewriter = Rewriter::new(source, tree, style).map_err(|problem| Refusal { program: 0, problem })?;
    let mut remaining: Vec<Vec<Pending<'_>>> =
        programs.iter().map(|program| program.iter().map(Pending::new).collect()).collect();
    while remaining.iter().any(|program| !program.is_empty()) {
        rewriter.make_round(&mut remaining)?;
    }
    rewriter.finish().map_err(|problem| {
        let program = programs.iter().position(|program| !program.is_empty()).unwrap_or(0);
        Refusal { program, problem }
    })
}

/// A document that is being rewritten.
struct Rewriter<'t> {
    source: &'t str,
    source_tree: &'t Tree,
    text: Cow<'t, str>,
    /// The tree of `text`; none after a round until it is needed.
    tree: Option<Cow<'t, Tree>>,
    /// The style of what is around the document.
    outer_style: Style,
    /// What the document shows before the first change, and else what is around it.
    conventions: OnceCell<Conventions>,
    /// From the source to `text`.
    edits: EditSet,
    /// The comments of the rounds so far.
    comments: Change,
    /// The line end that was added to the source, to be removed at the end.
    added_line_end: &'static str,
    /// The text of the block scalar whose last line has no line end in the source.
    unterminated_text: Option<String>,
    /// Whether a text became a structure, or a structure a text.
    has_structures: bool,
    /// The first program of the last round.
    last_program: usize,
}

/// A place where a text becomes the structure that it holds, or a structure a text.
struct Structure {
    /// The program that changes it.
    program: usize,
    path: FieldPath,
    format: TextFormat,
    /// The structure.
    value: Value,
    /// Its place in the source.
    at: usize,
}

/// Makes the problem that the lines of a text and of the structure that it holds are not the same.
fn not_line_by_line(at: usize, why: &str) -> Problem {
    let message =
        format!("its lines cannot stay as they are between a text and the mapping or list that it holds: {why}");
    Problem::new(ProblemCode::WrongShape, at, message)
}

fn sorted_comments(text: &str, tree: &Tree) -> Vec<String> {
    let mut comments: Vec<String> = tree.comments().iter().map(|comment| comment.of(text).to_owned()).collect();
    comments.sort();
    comments
}

/// Returns the content of the block scalar at the end of a text, without its last line end, if a line end would change it.
fn last_block_scalar_text(text: &str, tree: &Tree) -> Option<String> {
    let last = NodeId((tree.nodes.len() as u32).checked_sub(1)?);
    let node = tree.node(last);
    let header = node.span().of(text).lines().next().unwrap_or_default();
    let strips = header.split('#').next().unwrap_or_default().contains('-');
    let is_last = text[node.end as usize..].trim_matches(['\r', '\n']).is_empty();
    let last_content = (node.kind.is_block_scalar() && !strips && is_last).then(|| scalar_text(tree, text, last))?;
    let content = last_content.strip_suffix('\n').unwrap_or(&last_content);
    (!content.is_empty()).then(|| content.to_owned())
}

/// Counts the scalars whose content is `expected`.
fn count_scalars(text: &str, tree: &Tree, expected: &str) -> usize {
    tree.ids().filter(|node| scalar_text(tree, text, *node) == expected).count()
}

impl<'t> Rewriter<'t> {
    fn new(source: &'t str, source_tree: &'t Tree, style: Style) -> Result<Self, Problem> {
        if source_tree.documents().len() != 1 {
            let message = format!("expected one document, found {}", source_tree.documents().len());
            return Err(Problem::new(ProblemCode::WrongShape, 0, message));
        }
        if let Some(at) = bare_carriage_return(source) {
            let message = "a line ends in a carriage return without a line feed; use a line feed instead";
            return Err(Problem::new(ProblemCode::Limit, at, message));
        }
        if let Some(at) = ambiguous_line_break(source) {
            let message = "U+0085, U+2028 and U+2029 are line breaks in YAML 1.1, which Kubernetes reads, and ordinary \
                           characters in YAML 1.2; use a line feed or an escape instead";
            return Err(Problem::new(ProblemCode::Limit, at, message));
        }
        if let Some(key) = key_overridden_by_merge(source_tree, source) {
            let message = "kubectl takes the value from the merge (`<<`) below, other parsers take this one; put the merge \
                           first";
            return Err(Problem::new(ProblemCode::ThroughMerge, source_tree.start(key), message));
        }
        let mut rewriter = Self {
            source,
            source_tree,
            text: Cow::Borrowed(source),
            tree: Some(Cow::Borrowed(source_tree)),
            outer_style: style,
            conventions: OnceCell::new(),
            edits: EditSet::default(),
            comments: Change::default(),
            added_line_end: "",
            unterminated_text: None,
            has_structures: false,
            last_program: 0,
        };
        if !source.ends_with('\n') {
            rewriter.unterminated_text = last_block_scalar_text(source, source_tree);
            rewriter.added_line_end = if source.contains("\r\n") { "\r\n" } else { "\n" };
            let edits = EditSet::new(vec![Edit::new(source.len(), source.len(), rewriter.added_line_end)]);
            rewriter.apply(edits.expect("one edit cannot overlap"));
            rewriter.read()?;
        }
        Ok(rewriter)
    }

    /// Parses the text, unless its tree is known.
    fn read(&mut self) -> Result<(), Problem> {
        if self.tree.is_none() {
            let tree = parse(&self.text).ok().filter(|tree| tree.documents().len() == 1);
            let message = "the changed text would not be valid YAML";
            let tree = tree.ok_or_else(|| Problem::new(ProblemCode::VerifyFailed, 0, message))?;
            self.tree = Some(Cow::Owned(tree));
        }
        Ok(())
    }

    fn tree(&self) -> &Tree {
        self.tree.as_deref().expect("the text is read before its tree is needed")
    }

    fn root(&self) -> NodeId {
        self.tree().documents()[0].root
    }

    fn layout(&self) -> Layout<'_> {
        let mut layout = Layout::new(&self.text, self.tree(), self.root());
        layout.conventions = *self.conventions.get_or_init(|| layout.shown_conventions().or(self.outer_style.0));
        if !self.added_line_end.is_empty() {
            // kubectl reads no line end after a block scalar at the end of a text without one.
            layout.multiline = MultilineText::Quoted;
        }
        layout
    }

    /// Makes the next intents of each program, as far as they can be planned on one tree.
    fn make_round(&mut self, programs: &mut [Vec<Pending<'_>>]) -> Result<(), Refusal> {
        self.read().map_err(|problem| Refusal { program: self.last_program, problem })?;
        let layout = self.layout();
        // The form of what is added to JSON on several lines depends on what the intents before it made of the text.
        let is_one_by_one = layout.is_multiline_json();
        let mut round = Round::default();
        let mut structures = Vec::new();
        let mut first_program = None;
        for (program, intents) in programs.iter_mut().enumerate() {
            let mut schedule = Schedule::default();
            let mut has_structure = false;
            for next in std::mem::take(intents) {
                let must_wait = has_structure || is_one_by_one && !schedule.is_empty();
                let Some(on_tree) = schedule.on_tree(&next).filter(|_| !must_wait) else {
                    schedule.wait(next);
                    continue;
                };
                let (change, structure) = match self.plan(&layout, &on_tree) {
                    Ok(plan) => plan,
                    Err(problem) if schedule.is_empty() => return Err(self.refusal(program, problem)),
                    Err(_) => {
                        schedule.wait(next);
                        continue;
                    }
                };
                if !round.add(change) {
                    schedule.wait(next);
                    continue;
                }
                schedule.add(next.intent, &on_tree);
                // What it holds is compared at its place after the round, so nothing else may move it.
                has_structure = structure.is_some();
                let path = next.intent.ends().to;
                structures.extend(structure.map(|structure| Structure { program, path, ..structure }));
            }
            first_program = first_program.or(schedule.has_planned().then_some(program));
            *intents = schedule.into_waiting();
        }
        self.last_program = first_program.unwrap_or(0);
        self.apply_round(round, &structures)
    }

    /// Plans an intent, and returns what the text or structure that it is about holds now.
    fn plan(&self, layout: &Layout<'_>, intent: &Intent) -> Result<(Change, Option<Structure>), Problem> {
        let change = plan(layout, intent)?;
        EditSet::new(change.edits.clone()).map_err(|overlap| {
            Problem::new(ProblemCode::VerifyFailed, overlap.at, "a change would edit the same bytes twice")
        })?;
        Ok((change, self.structure_before(intent)?))
    }

    /// Returns what the text or structure that `intent` is about holds now.
    fn structure_before(&self, intent: &Intent) -> Result<Option<Structure>, Problem> {
        let Some((path, format)) = intent.text_of_structure() else { return Ok(None) };
        let node = find_node(self.tree(), &self.text, self.root(), path)?;
        let start = self.tree().start(node);
        // JSON on one line is made of the data, which has the added line end.
        let is_of_data = matches!(intent, Intent::WriteText { format: TextFormat::Json, .. });
        let is_last = || self.tree().nodes.last().is_some_and(|last| last.end <= self.tree().span(node).end as u32);
        if is_of_data && self.unterminated_text.is_some() && is_last() {
            return Err(new_line_end(self.source));
        }
        let value = read_value(self.tree(), &self.text, node)?;
        let value = format.structure_in(value).map_err(|why| Problem::new(ProblemCode::WrongShape, start, why))?;
        let at = self.offset_in_source(start);
        Ok(Some(Structure { program: 0, path: path.clone(), format, value, at }))
    }

    /// Refuses a round after which a text does not hold what the structure was, or a structure is not what the text held.
    fn check_structures(&self, structures: &[Structure], comments: &[String]) -> Result<(), Refusal> {
        for Structure { program, path, format, value, at } in structures {
            let found = find_node(self.tree(), &self.text, self.root(), path)
                .and_then(|node| read_value(self.tree(), &self.text, node))
                .map_err(|problem| problem.message);
            let why = match found.and_then(|found| format.structure_in(found)) {
                Ok(found) if found == *value => continue,
                Ok(_) => "it would mean something else".to_owned(),
                Err(why) => why,
            };
            return Err(Refusal { program: *program, problem: not_line_by_line(*at, &why) });
        }
        match structures.first() {
            Some(Structure { program, at, .. }) if sorted_comments(&self.text, self.tree()) != comments => {
                let problem = not_line_by_line(*at, "its comments would not stay what they are");
                Err(Refusal { program: *program, problem })
            }
            _ => Ok(()),
        }
    }

    /// Returns the comments that there must be after `change`, sorted.
    fn comments_after(&self, change: &Change) -> Vec<String> {
        let mut comments = sorted_comments(&self.text, self.tree());
        for gone in change.removed_comments.iter().chain(&change.comments_into_text) {
            if let Ok(at) = comments.binary_search(gone) {
                comments.remove(at);
            }
        }
        comments.extend(change.comments_out_of_text.iter().cloned());
        comments.sort();
        comments
    }

    fn apply_round(&mut self, mut round: Round, structures: &[Structure]) -> Result<(), Refusal> {
        let comments = if structures.is_empty() { Vec::new() } else { self.comments_after(&round.change) };
        let edits = round.take_edits();
        self.comments.join(round.change);
        if edits.is_empty() {
            return Ok(());
        }
        self.apply(edits);
        let Some(Structure { program, at, .. }) = structures.first() else { return Ok(()) };
        self.has_structures = true;
        self.read()
            .map_err(|problem| Refusal { program: *program, problem: not_line_by_line(*at, &problem.message) })?;
        self.check_structures(structures, &comments)
    }

    fn apply(&mut self, edits: EditSet) {
        self.text = Cow::Owned(edits.apply(&self.text));
        self.tree = None;
        self.edits = std::mem::take(&mut self.edits).then(edits, self.source.len());
    }

    fn offset_in_source(&self, at: usize) -> usize {
        offset_in_source(&self.edits, at).min(self.source.len())
    }

    fn refusal(&self, program: usize, problem: Problem) -> Refusal {
        Refusal { program, problem: problem.moved(|at| self.offset_in_source(at)) }
    }

    /// Returns whether the added line end is still there, does not end an empty line of a `|+`, and does not belong to a block
    /// scalar that had one.
    fn removes_added_line_end(&mut self) -> Result<bool, Problem> {
        if self.added_line_end.is_empty() || !self.text.ends_with(self.added_line_end) {
            return Ok(false);
        }
        self.read()?;
        let last = last_block_scalar_text(&self.text, self.tree());
        if last.is_some() && last != self.unterminated_text {
            return Ok(false);
        }
        let ends_in_empty_line = self.text.ends_with("\n\n") || self.text.ends_with("\n\r\n");
        Ok(!(ends_in_empty_line && self.layout().follows_kept_lines(self.text.len())))
    }

    /// Returns where the text ends without the added line end. Blank lines that are last now are removed with it, or the last
    /// line of text would have a line end for the first time.
    fn length_without_line_end(&self) -> usize {
        let length = self.text.len() - self.added_line_end.len();
        match self.source.ends_with([' ', '\t']) {
            true => length,
            false => self.text[..length].trim_end_matches(['\r', '\n']).len(),
        }
    }

    fn finish(mut self) -> Result<Rewrite, Problem> {
        if self.removes_added_line_end()? {
            let length = self.length_without_line_end();
            let edits = EditSet::new(vec![Edit::new(length, self.text.len(), "")]);
            self.apply(edits.expect("one edit cannot overlap"));
        } else if self.has_structures && self.unterminated_text.is_some() {
            return Err(new_line_end(self.source));
        }
        let edits = std::mem::take(&mut self.edits).joined().minimal(self.source);
        if let Some(open) = &self.unterminated_text {
            self.refuse_new_line_end(open, &edits)?;
        }
        let Change { removed_comments, comments_into_text, comments_out_of_text, .. } = self.comments;
        let text = self.text.into_owned();
        Ok(Rewrite { edits, text, removed_comments, comments_into_text, comments_out_of_text })
    }

    /// Refuses to add a line end to the block scalar that had none, as when something is inserted below it. If another scalar
    /// has the same content, so that the two cannot be distinguished, nothing at or after it may change.
    fn refuse_new_line_end(&self, open: &str, edits: &EditSet) -> Result<(), Problem> {
        let ended = format!("{open}\n");
        let (source, tree) = (self.source, self.source_tree);
        let before = count_scalars(source, tree, &ended);
        let start = tree.nodes.last().map_or(0, |node| node.start as usize);
        let has_twin = before + count_scalars(source, tree, open) > 1;
        let is_touched = edits.edits().iter().any(|edit| edit.span.end > start);
        if count_scalars(&self.text, &parse(&self.text)?, &ended) <= before && !(has_twin && is_touched) {
            return Ok(());
        }
        Err(new_line_end(source))
    }
}

fn new_line_end(source: &str) -> Problem {
    let message =
        "the block scalar at the end of the file has no final newline and would get one; end the file with a newline";
    Problem::new(ProblemCode::WrongShape, source.len(), message)
}

fn bare_carriage_return(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'\r', bytes).find(|at| bytes.get(at + 1) != Some(&b'\n'))
}

/// Returns the offset of the first character that YAML 1.1 and 1.2 treat differently.
fn ambiguous_line_break(text: &str) -> Option<usize> {
    ["\u{85}", "\u{2028}", "\u{2029}"]
        .into_iter()
        .filter_map(|end| memchr::memmem::find(text.as_bytes(), end.as_bytes()))
        .min()
}

/// Returns the offset in the source that an offset after the edits comes from; for new text, where it was inserted.
fn offset_in_source(edits: &EditSet, at: usize) -> usize {
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
}

/// Intents of one program that wait for a later round.
#[derive(Default)]
struct Waiting<'p> {
    intents: Vec<Pending<'p>>,
    trail: Trail<&'p Intent>,
    touched: Touches,
    found: BTreeSet<FieldPath>,
}

impl<'p> Waiting<'p> {
    fn push(&mut self, next: Pending<'p>) {
        self.trail.push(next.intent);
        self.touched.extend(&next.touched);
        self.found.extend(next.found.iter().cloned());
        self.intents.push(next);
    }

    /// Returns whether it makes no difference whether an intent is made before or after each of these, with the same paths.
    fn commute_with(&self, next: &Pending<'_>) -> bool {
        let stays = |intent: &Intent, path: &FieldPath| intent.destination(path).as_ref() == Some(path);
        let is_left = |path: &FieldPath| {
            self.trail.about(path).all(|earlier| earlier.origin(path) == *path && stays(earlier, path))
        };
        let leaves = |place: &FieldPath| {
            let below = self.found.range::<FieldPath, _>(place..).take_while(|path| path.starts_with(place));
            below.into_iter().all(|path| stays(next.intent, path))
        };
        !next.touched.iter().any(|touched| self.touched.interfere_with(touched))
            && next.found.iter().all(is_left)
            && next.intent.places().all(|place| leaves(&place))
    }
}

/// What becomes of the intents of one program in a round.
#[derive(Default)]
pub(super) struct Schedule<'p> {
    /// Those that are planned.
    planned: Trail<&'p Intent>,
    /// What they touch, by paths in the tree.
    touched: Touches,
    waiting: Waiting<'p>,
}

impl<'p> Schedule<'p> {
    /// Returns whether an intent is the first of the round.
    pub(super) fn is_empty(&self) -> bool {
        !self.has_planned() && self.waiting.intents.is_empty()
    }

    /// Returns an intent with its paths in the tree; `None` where it must wait.
    pub(super) fn on_tree(&self, next: &Pending<'p>) -> Option<Cow<'p, Intent>> {
        if !self.waiting.commute_with(next) {
            return None;
        }
        let has_moved = |path: &FieldPath| self.planned.about(path).next().is_some();
        if !next.found.iter().any(has_moved) {
            let is_apart = !next.touched.iter().any(|touched| self.touched.interfere_with(touched));
            return is_apart.then_some(Cow::Borrowed(next.intent));
        }
        let on_tree = next.intent.with_paths(|path| self.entry_before(path))?;
        (!on_tree.touched().iter().any(|touched| self.touched.interfere_with(touched))).then_some(Cow::Owned(on_tree))
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
        let all = || 0..self.planned.intents().len();
        let before = self.planned.origin(all(), path);
        let after = self.planned.destination(all(), &before, Intent::destination)?;
        (after == *path).then_some(before)
    }

    /// Records that `intent` is planned, which is `on_tree` by its paths in the tree.
    pub(super) fn add(&mut self, intent: &'p Intent, on_tree: &Intent) {
        self.planned.push(intent);
        self.touched.extend(&on_tree.touched());
    }

    /// Leaves an intent for a later round.
    pub(super) fn wait(&mut self, next: Pending<'p>) {
        self.waiting.push(next);
    }

    /// Returns the intents of the later rounds.
    pub(super) fn into_waiting(self) -> Vec<Pending<'p>> {
        self.waiting.intents
    }

    pub(super) fn has_planned(&self) -> bool {
        !self.planned.intents().is_empty()
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

#[cfg(test)]
mod tests {
    use super::*;

    fn item(index: usize, rest: &[&str]) -> FieldPath {
        rest.iter().fold(FieldPath::default().key("items").index(index), |path, key| path.key(key))
    }

    fn rename(path: FieldPath, to: &str) -> Intent {
        Intent::Rename { path, to: to.to_owned() }
    }

    const LIST: &str = "items:\n- a: 1 # x\n  b: 2\n- a: 3\n  b: 4\n";

    #[test]
    fn each_object_is_edited_by_its_own_intents() {
        let programs = [
            vec![rename(item(0, &["a"]), "long"), Intent::Delete { path: item(0, &["long"]) }],
            vec![],
            vec![rename(item(1, &["b"]), "c")],
        ];
        let outcome = rewrite(LIST, &programs, Style::default()).unwrap();
        assert_eq!(outcome.text, "items:\n- b: 2\n- a: 3\n  c: 4\n");
        assert_eq!(outcome.removed_comments, ["# x"]);
        assert_eq!(outcome.edits.apply(LIST), outcome.text);
    }

    #[test]
    fn a_refusal_has_the_intents_and_the_source_location() {
        let programs = [
            vec![rename(item(0, &["a"]), "a-much-longer-name")],
            vec![rename(item(1, &["a"]), "c"), rename(item(1, &["c"]), "b")],
        ];
        let refusal = rewrite(LIST, &programs, Style::default()).unwrap_err();
        assert_eq!((refusal.program, refusal.problem.code), (1, ProblemCode::Exists));
        assert_eq!(refusal.problem.at, LIST.rfind("b: 4").unwrap());
    }

    /// Checks in how many rounds a program is made.
    #[track_caller]
    fn check_rounds(source: &str, program: Vec<Intent>, expected: usize) {
        let tree = parse(source).unwrap();
        let mut rewriter = Rewriter::new(source, &tree, Style::default()).unwrap();
        let mut remaining = [program.iter().map(Pending::new).collect::<Vec<_>>()];
        let rounds =
            std::iter::from_fn(|| (!remaining[0].is_empty()).then(|| rewriter.make_round(&mut remaining).unwrap()));
        assert_eq!(rounds.count(), expected, "{program:?}");
        let steps = program.iter().fold(source.to_owned(), |text, intent| {
            rewrite(&text, &[vec![intent.clone()]], Style::default()).unwrap().text
        });
        assert_eq!(rewriter.text, steps, "{program:?}");
    }

    #[test]
    fn what_does_not_interfere_is_changed_in_one_round() {
        let key = |name: &str| FieldPath::default().key(name);
        let delete = |path| Intent::Delete { path };
        let replace = |path| Intent::Replace { path, value: Value::from(9) };
        check_rounds(LIST, vec![rename(item(0, &["a"]), "x"), rename(item(1, &["a"]), "x")], 1);
        check_rounds(LIST, vec![rename(item(0, &["a"]), "x"), rename(item(0, &["b"]), "y")], 1);
        // What an earlier intent renamed, or moved by an index, is found where it was.
        check_rounds(LIST, vec![rename(key("items"), "list"), delete(key("list").index(0).key("a"))], 1);
        check_rounds(LIST, vec![delete(item(0, &[])), rename(item(0, &["b"]), "y")], 1);
        check_rounds(LIST, vec![rename(key("items"), "list"), replace(key("list"))], 1);
        // What it made is not there yet.
        let wrap = Intent::Wrap { path: item(0, &["a"]).index(0) };
        check_rounds(LIST, vec![wrap, replace(item(0, &["a"]).index(0))], 2);
        check_rounds(LIST, vec![delete(item(0, &["a"])), delete(item(0, &["b"]))], 2);
        // What waits does not keep what it has nothing to do with.
        let twice = |index| vec![rename(item(index, &["a"]), "x"), rename(item(index, &["x"]), "z")];
        check_rounds(LIST, [twice(0), twice(1)].concat(), 2);
        // A key that is free now was not free before.
        check_rounds(LIST, vec![rename(item(0, &["a"]), "x"), rename(item(0, &["b"]), "a")], 2);
    }

    #[test]
    fn a_program_that_is_wrong_is_refused_whatever_the_round() {
        let code = |program: Vec<Intent>| rewrite(LIST, &[program], Style::default()).unwrap_err().problem.code;
        let both = vec![rename(item(0, &["a"]), "x"), rename(item(0, &["b"]), "x")];
        assert_eq!(code(both), ProblemCode::Exists);
        let gone = vec![rename(item(0, &["a"]), "x"), Intent::Delete { path: item(0, &["a"]) }];
        assert_eq!(code(gone), ProblemCode::NotFound);
        let path = item(0, &["y"]);
        let place = crate::syntax::yaml::Place::After("a".to_owned());
        let beside = vec![rename(item(0, &["a"]), "x"), Intent::Insert { path, value: Value::Null, place }];
        assert_eq!(code(beside), ProblemCode::NotFound);
    }

    #[test]
    fn edits_are_no_larger_than_the_difference() {
        let program = vec![rename(item(0, &["a"]), "ab"), Intent::Wrap { path: item(1, &["b"]).index(0) }];
        let edits = rewrite(LIST, &[program], Style::default()).unwrap().edits;
        let shown: Vec<(usize, usize, &str)> =
            edits.edits().iter().map(|edit| (edit.span.start, edit.span.end, edit.text.as_str())).collect();
        let [key, value] = [LIST.find("a: 1").unwrap() + 1, LIST.find(" 4").unwrap()];
        assert_eq!(shown, [(key, key, "b"), (value, value, "\n  -")]);
    }

    #[test]
    fn a_block_scalar_of_one_line_stays_one() {
        let change = |source: &str| {
            let replace = Intent::Replace { path: FieldPath::default().key("a"), value: Value::from("new") };
            rewrite(source, &[vec![replace]], Style::default()).unwrap().text
        };
        assert_eq!(change("a: |-\n  old # text\n"), "a: |-\n  new\n");
        assert_eq!(change("a: &b >-\n  old\nc: d\n"), "a: &b >-\n  new\nc: d\n");
        // The tag would be about another value, and the other text has more lines.
        assert_eq!(change("a: !x |-\n  old\n"), "a: new\n");
        assert_eq!(change("a: &b |-\n  old\n  one\n"), "a: &b new\n");
    }

    #[test]
    fn other_than_one_document_is_rejected() {
        let code = |source: &str| rewrite(source, &[], Style::default()).unwrap_err().problem.code;
        assert_eq!(code("a: 1\n---\nb: 1\n"), ProblemCode::WrongShape);
        assert_eq!(code("# nothing\n"), ProblemCode::WrongShape);
        assert_eq!(code("a: 1\rb: 2\n"), ProblemCode::Limit);
    }

    #[test]
    fn a_text_without_a_line_end_gets_none() {
        let key = |name: &str| FieldPath::default().key(name);
        let change = |source: &str, intent: Intent| {
            let outcome = rewrite(source, &[vec![], vec![intent]], Style::default());
            outcome.map(|outcome| outcome.text).map_err(|refusal| (refusal.program, refusal.problem.code))
        };
        let last = "a: 1\nb: |\n  x";
        assert_eq!(change(last, rename(key("a"), "c")).as_deref(), Ok("c: 1\nb: |\n  x"));
        assert_eq!(change(last, Intent::Wrap { path: key("b").index(0) }).as_deref(), Ok("a: 1\nb:\n- |\n  x"));
        assert_eq!(change(last, Intent::Delete { path: key("b") }).as_deref(), Ok("a: 1"));
        let to_the_end = |from| Intent::Move {
            from: key(from),
            to: FieldPath::default().key(from),
            place: crate::syntax::yaml::Place::Last,
        };
        assert_eq!(change(last, to_the_end("a")), Err((1, ProblemCode::WrongShape)));
        // The other way round: a text that has a line end keeps it.
        assert_eq!(change("b: |\n  x\na: 1", to_the_end("b")).as_deref(), Ok("a: 1\nb: |\n  x\n"));
        let delete = Intent::Delete { path: key("a") };
        assert_eq!(change("b: |\n  x\na: 1", delete).as_deref(), Ok("b: |\n  x\n"));
        assert_eq!(change("b: |-\n  x\na: 1", to_the_end("b")).as_deref(), Ok("a: 1\nb: |-\n  x"));
    }

    #[test]
    fn offsets_after_edits_map_to_the_source() {
        let edits = EditSet::new(vec![Edit::new(2, 4, "XYZ"), Edit::new(6, 6, "+")]).unwrap();
        let found: Vec<usize> = (0..10).map(|at| offset_in_source(&edits, at)).collect();
        assert_eq!(found, [0, 1, 2, 2, 2, 4, 5, 6, 6, 7]);
    }

    #[test]
    fn a_shared_value_is_reported_with_both_places() {
        let source = "a: 1\nb: &x {c: 1}\nd: *x\n";
        let path = |keys: &[&str]| keys.iter().fold(FieldPath::default(), |path, key| path.key(key));
        let program = vec![Intent::Delete { path: path(&["a"]) }, rename(path(&["b", "c"]), "e")];
        let problem = rewrite(source, &[program], Style::default()).unwrap_err().problem;
        assert_eq!((problem.at, problem.other), (source.find('&').unwrap(), source.find('*')));
        let message =
            "the value of `&x` would also change at the alias `*x`; replace the alias by a copy of the value first";
        assert_eq!((problem.code, problem.message.as_str()), (ProblemCode::SharedAnchor, message));
    }
}
