//! Answers: which parts of a template are printed together, and on which conditions?
//!
//! Invariant: the literals and actions of all parts are those of the file, each in one part.

use super::expression::Expression;
use super::lex::{Action, Fault, Keyword, SPACE, Unclosed, actions};
use crate::syntax::text::Span;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

/// How many blocks are read inside each other.
const DEPTH: usize = 100;

/// A piece of a part.
#[derive(Clone, Debug)]
pub(super) enum Node {
    /// Literal text, after trimming; it is not empty.
    Literal(Span),
    /// An action that is no block.
    Action(usize),
    /// A block.
    Branching(Branching),
}

/// An `if`, `with`, `range` or `block`: at most one of its branches is printed.
#[derive(Clone, Debug)]
pub(super) struct Branching {
    /// Its number among those of the file: the same whatever actions move.
    pub(super) number: usize,
    pub(super) branches: Vec<Branch>,
}

impl Branching {
    fn is_range(&self, actions: &[Action]) -> bool {
        self.branches.first().is_some_and(|branch| actions[branch.action].keyword == Keyword::Range)
    }
}

/// What is printed if its condition holds and none before it does.
#[derive(Clone, Debug)]
pub(super) struct Branch {
    /// The action that begins it.
    pub(super) action: usize,
    /// From the end of that action to the next `else` or `end`.
    pub(super) span: Span,
    pub(super) body: Vec<Node>,
    pub(super) ending: Ending,
}

/// What happens at the end of a branch, whatever is decided in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Ending {
    /// It runs into `fail`.
    Fails,
    /// The turn of a range ends there.
    Leaves,
    /// What follows is printed.
    GoesOn,
}

/// What is printed as one text: the file without its definitions, or one definition.
#[derive(Clone, Debug)]
pub(super) struct Body {
    pub(super) name: Option<String>,
    pub(super) nodes: Vec<Node>,
}

/// A block around a place, by the numbers of actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OpenBlock {
    /// The one that begins it.
    pub(super) begin: usize,
    /// The one that begins the branch with the place.
    pub(super) branch: usize,
}

/// A file of text with actions.
#[derive(Clone, Debug)]
pub struct Template {
    text: Arc<str>,
    actions: Vec<Action>,
    bodies: Vec<Body>,
}

impl Template {
    /// Reads `text`.
    pub fn parse(text: impl Into<Arc<str>>) -> Result<Self, Unclosed> {
        let text = text.into();
        let actions = actions(&text)?;
        let mut parser = Parser {
            text: &text,
            actions: &actions,
            nodes: Vec::new(),
            open: Vec::new(),
            bodies: Vec::new(),
            count: 0,
        };
        parser.run()?;
        let nodes = parser.nodes;
        let mut bodies = parser.bodies;
        bodies.insert(0, Body { name: None, nodes });
        Ok(Self { text, actions, bodies })
    }

    /// Returns the text of the file.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the actions of the file, in order.
    pub fn actions(&self) -> &[Action] {
        &self.actions
    }

    /// Returns whether there is a `range` in the file.
    pub(super) fn has_ranges(&self) -> bool {
        self.actions.iter().any(|action| action.keyword == Keyword::Range)
    }

    /// Returns the numbers of the actions that begin the ranges around a byte of the file.
    pub(super) fn ranges_around(&self, at: usize) -> Vec<usize> {
        let open = self.open_at(at).into_iter().map(|block| block.begin);
        open.filter(|begin| self.actions[*begin].keyword == Keyword::Range).collect()
    }

    /// Returns where the actions that end ranges end.
    pub(super) fn range_ends(&self) -> impl Iterator<Item = usize> {
        let ended = if self.has_ranges() { self.open_blocks(self.text.len()).1 } else { Vec::new() };
        let of_ranges = ended.into_iter().filter(|(block, _)| self.actions[block.begin].keyword == Keyword::Range);
        of_ranges.map(|(_, end)| self.actions[end].span.end)
    }

    /// Returns the blocks around a byte of the file, the outermost first.
    pub(super) fn open_at(&self, at: usize) -> Vec<OpenBlock> {
        self.open_blocks(at).0
    }

    /// Returns where the actions end that end blocks, those in a span.
    pub(super) fn ends_in(&self, span: Span) -> impl Iterator<Item = usize> {
        let first = self.actions.partition_point(|action| action.span.start < span.start);
        let inside = self.actions[first..].iter().take_while(move |action| action.span.end <= span.end);
        inside.filter(|action| action.keyword == Keyword::End).map(|action| action.span.end)
    }

    /// Returns the blocks that begin in front of a byte and are open there, and the others, each with the number of the action that ends it.
    fn open_blocks(&self, at: usize) -> (Vec<OpenBlock>, Vec<(OpenBlock, usize)>) {
        let (mut open, mut ended) = (Vec::<OpenBlock>::new(), Vec::new());
        for (index, action) in self.actions.iter().enumerate().take_while(|(_, action)| action.span.end <= at) {
            match (action.keyword, open.last_mut()) {
                (Keyword::Else, Some(last)) => last.branch = index,
                (_, Some(last)) if action.after_else => last.branch = index,
                (Keyword::If | Keyword::With | Keyword::Range | Keyword::Block | Keyword::Define, _) => {
                    open.push(OpenBlock { begin: index, branch: index });
                }
                (Keyword::End, Some(last)) => {
                    ended.push((*last, index));
                    open.pop();
                }
                _ => {}
            }
        }
        (open, ended)
    }

    /// Returns the texts that can be read: first what the file itself prints, then its definitions.
    pub fn parts(&self) -> impl Iterator<Item = Part<'_>> {
        (0..self.bodies.len()).map(|index| Part { template: self, index })
    }

    pub(super) fn part(&self, index: usize) -> Option<Part<'_>> {
        (index < self.bodies.len()).then_some(Part { template: self, index })
    }
}

/// One of the texts in a template.
#[derive(Clone, Copy, Debug)]
pub struct Part<'t> {
    pub(super) template: &'t Template,
    pub(super) index: usize,
}

impl<'t> Part<'t> {
    /// Returns the name by which `include` finds it; `None` for what the file itself prints.
    pub fn name(self) -> Option<&'t str> {
        self.template.bodies[self.index].name.as_deref()
    }

    /// Returns the file that it is a part of.
    pub fn template(self) -> &'t Template {
        self.template
    }

    /// Returns the numbers of its actions, those of conditions too.
    pub fn action_numbers(self) -> Vec<usize> {
        let mut indices = Vec::new();
        collect_actions(self.nodes(), &mut indices);
        indices
    }

    /// Returns its actions, those of conditions too.
    pub fn actions(self) -> impl Iterator<Item = &'t Action> {
        self.action_numbers().into_iter().map(|index| &self.template.actions[index])
    }

    /// Returns whether nothing but white space, comments and the dashes of documents stands beside its actions.
    pub fn is_without_text(self) -> bool {
        let text = self.template.text();
        let is_empty = |line: &str| line.is_empty() || line == "---" || line.starts_with('#');
        self.literals().iter().all(|span| span.of(text).lines().map(str::trim).all(is_empty))
    }

    /// Returns whether a document has nothing but actions, of which one is such a `call`, as far as that shows in the file.
    pub fn has_document_of(self, call: impl Fn(&Action) -> bool) -> bool {
        let text = self.template.text();
        let literals = self.literals().into_iter().map(|span| (span.start, Some(span)));
        let actions = self.actions().filter(|action| call(action)).map(|action| (action.span.start, None));
        let mut all: Vec<(usize, Option<Span>)> = literals.chain(actions).collect();
        all.sort_unstable_by_key(|(start, _)| *start);
        let (mut is_found, mut has_call, mut has_text) = (false, false, false);
        for (_, literal) in all {
            let Some(span) = literal else {
                has_call = true;
                continue;
            };
            for line in span.of(text).lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
                if line == "---" {
                    is_found |= has_call && !has_text;
                    (has_call, has_text) = (false, false);
                } else {
                    has_text = true;
                }
            }
        }
        is_found || has_call && !has_text
    }

    pub(super) fn nodes(self) -> &'t [Node] {
        &self.template.bodies[self.index].nodes
    }

    /// Returns the literals, after trimming.
    pub fn literals(self) -> Vec<Span> {
        let mut literals = Vec::new();
        collect_literals(self.nodes(), &mut literals);
        literals
    }
}

fn collect_actions(nodes: &[Node], into: &mut Vec<usize>) {
    for node in nodes {
        match node {
            Node::Literal(_) => {}
            Node::Action(index) => into.push(*index),
            Node::Branching(block) => block.branches.iter().for_each(|branch| {
                into.push(branch.action);
                collect_actions(&branch.body, into);
            }),
        }
    }
}

fn collect_literals(nodes: &[Node], into: &mut Vec<Span>) {
    for node in nodes {
        match node {
            Node::Literal(span) => into.push(*span),
            Node::Action(_) => {}
            Node::Branching(block) => block.branches.iter().for_each(|branch| collect_literals(&branch.body, into)),
        }
    }
}

/// The definitions of a chart by name.
#[derive(Clone, Debug, Default)]
pub struct Defines {
    /// Nothing for a name that several have: which of them Helm takes depends on the order in which it reads files.
    places: BTreeMap<String, Option<(Arc<Template>, usize)>>,
    /// The names of those that change something, or call one that does; found when they are first asked for.
    changing: OnceLock<BTreeSet<String>>,
}

impl Defines {
    /// Adds the definitions of one file.
    pub fn add(&mut self, template: &Arc<Template>) {
        self.changing = OnceLock::new();
        for part in template.parts() {
            if let Some(name) = part.name() {
                let place = self.places.entry(name.to_owned());
                place.and_modify(|place| *place = None).or_insert_with(|| Some((Arc::clone(template), part.index)));
            }
        }
    }

    /// Adds the definitions of charts that this one brings: those of this one are taken before them.
    pub fn add_brought(&mut self, brought: Self) {
        self.changing = OnceLock::new();
        for (name, place) in brought.places {
            self.places.entry(name).or_insert(place);
        }
    }

    /// Takes the definition of `name` that others have.
    pub fn take(&mut self, name: &str, others: &Self) {
        self.changing = OnceLock::new();
        if let Some(place) = others.places.get(name) {
            self.places.insert(name.to_owned(), place.clone());
        }
    }

    /// Returns whether there is a definition of `name`.
    pub fn has(&self, name: &str) -> bool {
        self.places.contains_key(name)
    }

    /// Returns the names of all.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.places.keys().map(String::as_str)
    }

    /// Returns the texts of the files with what the definition of `name` prints; none where it is not known.
    pub fn texts_of(&self, name: &str) -> Vec<&str> {
        let (mut seen, mut open, mut texts) = (BTreeSet::new(), vec![name], Vec::new());
        while let Some(name) = open.pop() {
            let Some(part) = self.get(name).filter(|_| seen.insert(name)) else { continue };
            texts.push(part.template.text());
            open.extend(part.template.actions.iter().filter_map(|action| action.called(part.template.text())));
        }
        texts
    }

    /// Returns whether a literal of the definition of `name` is one that the caller looks for.
    pub fn has_literal(&self, name: &str, is_one: impl Fn(&str) -> bool) -> bool {
        let part = self.get(name);
        part.is_some_and(|part| part.literals().iter().any(|span| is_one(span.of(part.template.text()))))
    }

    /// Returns whether the definition of `name` changes something that it is called with, itself or by another one.
    pub(super) fn is_changing(&self, name: &str) -> bool {
        let changing = self.changing.get_or_init(|| {
            let parts = || self.places.keys().filter_map(|name| Some((name, self.get(name)?)));
            let own = parts().filter(|(_, part)| part.actions().any(|action| action.pipeline.value.is_changing()));
            let mut all: BTreeSet<String> = own.map(|(name, _)| name.clone()).collect();
            loop {
                let calls = |part: Part<'_>| {
                    let text = part.template.text();
                    part.actions().any(|action| action.names_called(text).any(|name| all.contains(name)))
                };
                let more: Vec<String> = parts()
                    .filter(|(name, part)| !all.contains(*name) && calls(*part))
                    .map(|(name, _)| name.clone())
                    .collect();
                if more.is_empty() {
                    return all;
                }
                all.extend(more);
            }
        });
        changing.contains(name)
    }

    /// Returns the definition of `name`.
    pub fn get(&self, name: &str) -> Option<Part<'_>> {
        self.places.get(name)?.as_ref().map(|(template, index)| Part { template, index: *index })
    }
}

/// A block whose `end` was not met.
struct Open {
    keyword: Keyword,
    first: usize,
    number: usize,
    branches: Vec<Branch>,
    /// The action of the branch that is being read.
    action: usize,
    /// What is around it.
    outer: Vec<Node>,
}

struct Parser<'t> {
    text: &'t str,
    actions: &'t [Action],
    nodes: Vec<Node>,
    open: Vec<Open>,
    bodies: Vec<Body>,
    count: usize,
}

impl Parser<'_> {
    fn run(&mut self) -> Result<(), Unclosed> {
        for index in 0..self.actions.len() {
            self.literal(index);
            let action = &self.actions[index];
            match action.keyword {
                Keyword::End => self.end(index)?,
                Keyword::Else => self.next_branch(index)?,
                Keyword::If | Keyword::With if action.after_else => self.next_branch(index)?,
                Keyword::If | Keyword::With | Keyword::Range | Keyword::Block | Keyword::Define => self.begin(index)?,
                Keyword::Print | Keyword::Comment | Keyword::Template | Keyword::Leave => {
                    self.nodes.push(Node::Action(index))
                }
            }
        }
        self.literal(self.actions.len());
        match self.open.pop() {
            Some(open) => Err(self.fault(open.first, Fault::Block)),
            None => Ok(()),
        }
    }

    fn fault(&self, index: usize, fault: Fault) -> Unclosed {
        Unclosed { at: self.actions[index].span.start, fault }
    }

    /// Adds what is left of the text before the action `index` when it is trimmed.
    fn literal(&mut self, index: usize) {
        let before = index.checked_sub(1).map(|before| &self.actions[before]);
        let behind = self.actions.get(index);
        let mut span = Span::new(
            before.map_or(0, |action| action.span.end),
            behind.map_or(self.text.len(), |action| action.span.start),
        );
        if before.is_some_and(|action| action.trims_after) {
            span.start = span.end - span.of(self.text).trim_start_matches(SPACE).len();
        }
        if behind.is_some_and(|action| action.trims_before) {
            span.end = span.start + span.of(self.text).trim_end_matches(SPACE).len();
        }
        if !span.is_empty() {
            self.nodes.push(Node::Literal(span));
        }
    }

    fn begin(&mut self, index: usize) -> Result<(), Unclosed> {
        if self.open.len() == DEPTH {
            return Err(self.fault(index, Fault::Depth));
        }
        let outer = std::mem::take(&mut self.nodes);
        let keyword = self.actions[index].keyword;
        self.open.push(Open { keyword, first: index, number: self.count, branches: Vec::new(), action: index, outer });
        self.count += 1;
        Ok(())
    }

    /// Ends the branch before the action `index`, and returns its block.
    fn close_branch(&mut self, index: usize) -> Result<&mut Open, Unclosed> {
        let fault = self.fault(index, Fault::End);
        let open = self.open.last_mut().ok_or(fault)?;
        let body = std::mem::take(&mut self.nodes);
        let span = Span::new(self.actions[open.action].span.end, self.actions[index].span.start);
        let ending = ending(&body, self.actions);
        open.branches.push(Branch { action: open.action, span, body, ending });
        Ok(open)
    }

    fn next_branch(&mut self, index: usize) -> Result<(), Unclosed> {
        let fault = self.fault(index, Fault::End);
        let last = self.open.last().is_some_and(|open| {
            matches!(open.keyword, Keyword::Define | Keyword::Block)
                || self.actions[open.action].keyword == Keyword::Else
        });
        if last {
            return Err(fault);
        }
        self.close_branch(index)?.action = index;
        Ok(())
    }

    fn end(&mut self, index: usize) -> Result<(), Unclosed> {
        self.close_branch(index)?;
        let Some(open) = self.open.pop() else { return Ok(()) };
        self.nodes = open.outer;
        if open.keyword == Keyword::Define {
            let name = match &self.actions[open.first].pipeline.value {
                Expression::Text(name) => name.clone(),
                _ => String::new(),
            };
            let nodes = open.branches.into_iter().flat_map(|branch| branch.body).collect();
            self.bodies.push(Body { name: Some(name), nodes });
        } else {
            self.nodes.push(Node::Branching(Branching { number: open.number, branches: open.branches }));
        }
        Ok(())
    }
}

/// Returns what happens at the end of `nodes`.
fn ending(nodes: &[Node], actions: &[Action]) -> Ending {
    let endings = nodes.iter().map(|node| match node {
        Node::Literal(_) => Ending::GoesOn,
        Node::Action(index) => {
            let action = &actions[*index];
            match action.pipeline.value.pipe().next() {
                Some(("fail", _)) if action.keyword == Keyword::Print => Ending::Fails,
                _ if action.keyword == Keyword::Leave => Ending::Leaves,
                _ => Ending::GoesOn,
            }
        }
        Node::Branching(block) => {
            let last = block.branches.last().map(|branch| actions[branch.action].keyword);
            let best = block.branches.iter().map(|branch| branch.ending).max();
            match (last, best) {
                (Some(Keyword::Else | Keyword::Block), Some(Ending::Fails)) => Ending::Fails,
                (Some(Keyword::Else), Some(Ending::Leaves)) if !block.is_range(actions) => Ending::Leaves,
                _ => Ending::GoesOn,
            }
        }
    });
    endings.min().unwrap_or(Ending::GoesOn)
}
