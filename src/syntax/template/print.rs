//! Answers: what is printed if blocks are decided one after the other, each as it must or else as it is preferred?
//!
//! A block takes its first branch that does not end in `fail`, `break` or `continue`, unless what is known or assumed decides otherwise.
//!
//! An action that prints something unknown leaves a hole or a placeholder. Keys and items can come from an action that stands alone on
//! its lines, or has `nindent`, or is all that follows a dash: a hole. Else it is a part of a scalar.

use super::changes::change_called;
use super::column::column;
use super::comments::Due;
use super::default_value::{Defaults, paths_in};
use super::description::{Around, Description, Ranges};
use super::environment::Environment;
use super::expression::{Binding, Expression, Pipeline};
use super::flow::{insert_quote, scalar_end, scalar_start};
use super::judge::{Claim, Judge, Resolved};
use super::lex::{Action, Keyword, SPACE};
use super::memo::Known;
use super::pairs::Way;
use super::possible_texts::Outputs;
use super::reading::{Choice, Hole, Place, Placeholders, Reading, Segment, Source, is_for_readers};
use super::scope::Scope;
use super::tree::{Branching, Ending, Node, Part};
use super::value_type::{is_number, type_of};
use super::written_yaml::read_yaml;
use crate::syntax::text::Span;
use crate::syntax::variable::{Certainty, PrintedType};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

/// The functions that can print a mapping or a list as one value; of others, that would not be YAML.
const STRUCTURED: [&str; 9] =
    ["include", "mustToJson", "mustToRawJson", "template", "toJson", "toPrettyJson", "toRawJson", "toYaml", "tpl"];

/// A way of a block, and what must be assumed to take it.
#[derive(Clone, Debug)]
pub(super) struct Alternative {
    pub(super) way: Way,
    /// Whether it is taken if nothing more is assumed.
    pub(super) is_first: bool,
    /// How many blocks are around it.
    pub(super) depth: usize,
    pub(super) claims: Vec<Claim>,
    /// How blocks before it were decided that change what its condition can be about.
    pub(super) context: Vec<Claim>,
}

/// Why nothing more is printed in a turn of a range.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    On,
    Left,
}

/// What is assumed cannot be, or printing ran into `fail`; this must be assumed to avoid that.
pub(super) struct Failed(pub(super) Option<Claim>);

/// A reading, with the ways that it takes and those of the blocks that it is the first to reach.
pub(super) struct Printed {
    pub(super) reading: Reading,
    pub(super) ways: Vec<Way>,
    pub(super) alternatives: Vec<Alternative>,
}

/// Prints one reading.
pub(super) struct Printer<'p, 'e> {
    part: Part<'p>,
    judge: Judge<'e>,
    environment: Environment<'e>,
    scope: Scope,
    /// What the ranges around go through.
    ranges: Ranges,
    placeholders: &'p Placeholders,
    /// The ways that are not to be told.
    seen: &'p BTreeSet<Way>,
    /// What the blocks around the place assume.
    around: Vec<Claim>,
    /// How blocks were decided on which it depends what variables are, by their names, and values (by an empty one).
    decided: BTreeMap<String, Vec<Claim>>,
    depth: usize,
    reading: Reading,
    /// The comment that is printed before what follows.
    due: Option<Due>,
    ways: Vec<Way>,
    alternatives: Vec<Alternative>,
    /// Whether a plain scalar of a flow collection is being printed, in quotes.
    is_quoting: bool,
    /// Whether nothing is wanted but the text and where its holes are.
    is_text_alone: bool,
}

impl<'p, 'e> Printer<'p, 'e> {
    pub(super) fn new(
        part: Part<'p>,
        environment: Environment<'e>,
        placeholders: &'p Placeholders,
        seen: &'p BTreeSet<Way>,
        known: &Rc<Known>,
    ) -> Self {
        Self {
            part,
            judge: Judge::with(environment, known),
            environment,
            scope: Scope::new(Expression::Path("$".to_owned())),
            ranges: Ranges::new(),
            placeholders,
            seen,
            around: Vec::new(),
            decided: BTreeMap::new(),
            depth: 0,
            reading: Reading { part: part.index, ..Reading::default() },
            due: None,
            ways: Vec::new(),
            alternatives: Vec::new(),
            is_quoting: false,
            is_text_alone: false,
        }
    }

    /// Leaves out what actions print by default, which takes as long as the text.
    pub(super) fn text_alone(mut self) -> Self {
        self.is_text_alone = true;
        self
    }

    /// Prints the part, with what is assumed from the beginning.
    pub(super) fn run(&mut self, claims: &[Claim]) -> Result<(), Failed> {
        if !claims.iter().all(|claim| self.judge.assume(&claim.condition, claim.holds)) {
            return Err(Failed(None));
        }
        self.nodes(self.part.nodes())?;
        self.print_due("\n");
        Ok(())
    }

    /// Gives placeholders the numbers that they have in another reading, and takes to be printed what is there.
    pub(super) fn name_as(&mut self, reading: &Reading) {
        self.reading.names.clone_from(&reading.names);
        self.reading.given.clone_from(&reading.given);
        self.reading.kept.clone_from(&reading.kept);
        reading.given.iter().for_each(|(origin, text)| self.judge.take_for(origin, text));
    }

    pub(super) fn finish(mut self, claims: Vec<Claim>) -> Printed {
        self.reading.claims = claims;
        Printed { reading: self.reading, ways: self.ways, alternatives: self.alternatives }
    }

    fn nodes(&mut self, nodes: &'p [Node]) -> Result<Flow, Failed> {
        for node in nodes {
            let flow = match node {
                Node::Literal(span) => {
                    self.literal(*span);
                    Flow::On
                }
                Node::Action(index) => self.action(*index),
                Node::Branching(block) => self.block(block)?,
            };
            if flow == Flow::Left {
                return Ok(flow);
            }
        }
        Ok(Flow::On)
    }

    /// Prints a text of the file, with the quote behind the plain scalar of a flow collection that ends in it.
    fn literal(&mut self, span: Span) {
        let text = span.of(self.part.template.text());
        self.segment(text, Source::Literal(span));
        if let Some(end) = scalar_end(text).filter(|_| self.is_quoting) {
            let at = self.reading.text.len() - text.len() + end;
            insert_quote(&mut self.reading, at, span.start);
            self.is_quoting = false;
        }
    }

    /// Prints the placeholder of an action that prints a part of a plain scalar of a flow collection, which gets quotes.
    fn quoted(&mut self, index: usize, number: usize, placeholder: &str) {
        let line = self.reading.text.rfind('\n').map_or(0, |end| end + 1);
        if let Some(start) = scalar_start(&self.reading.text[line..]).filter(|_| !self.is_quoting) {
            let before = self.reading.segments.len();
            insert_quote(&mut self.reading, line + start, self.part.template.actions()[index].span.start);
            self.is_quoting = self.reading.segments.len() > before;
        }
        if self.is_quoting {
            self.reading.quoted.insert(number);
        }
        self.segment(placeholder, Source::Opaque(index));
    }

    /// Prints a text. Where an action has removed the end of the line behind the dashes of a document, Helm ends the document all the same; for
    /// YAML the line ends there, as if the action printed that.
    fn segment(&mut self, text: &str, source: Source) {
        let is_glued = text.starts_with(char::is_alphanumeric) && ends_in_dashes(&self.reading.text);
        if let Some(action) = self.action_between(source).filter(|_| is_glued) {
            self.push("\n", Source::Known(action));
        }
        self.push(text, source);
    }

    /// Returns the action that ends nearest before a literal, if what is printed before is one too.
    fn action_between(&self, source: Source) -> Option<usize> {
        let (Source::Literal(before), Source::Literal(span)) = (self.reading.segments.last()?.source, source) else {
            return None;
        };
        let actions = self.part.template.actions();
        let nearest = actions.partition_point(|action| action.span.end <= span.start).checked_sub(1)?;
        (before.end <= actions[nearest].span.start).then_some(nearest)
    }

    fn push(&mut self, text: &str, source: Source) {
        if !text.is_empty() {
            self.print_due(text);
            self.append(text, source);
        }
    }

    fn append(&mut self, text: &str, source: Source) {
        let start = self.reading.text.len();
        self.reading.text.push_str(text);
        self.reading.segments.push(Segment { printed: Span::new(start, self.reading.text.len()), source });
    }

    fn action(&mut self, index: usize) -> Flow {
        let action = &self.part.template.actions()[index];
        let value = match action.keyword {
            Keyword::Leave => return Flow::Left,
            Keyword::Print | Keyword::Template => Resolved::from(self.bind(&action.pipeline)),
            Keyword::Comment => {
                self.comment(index);
                return Flow::On;
            }
            _ => return Flow::On,
        };
        if action.pipeline.binding != Binding::None {
            return Flow::On;
        }
        self.judge.refuel();
        let (known, find) = (&self.judge.known.outputs, || self.judge.outputs(&value.value));
        let outputs = self.judge.once(known, &value.text, &self.ranges, find);
        let is_kept = self.is_kept(index) && !self.is_hole(index, &value.value) && !self.is_part_of_flow(index);
        if let Some(text) = outputs.known().filter(|_| !is_kept) {
            self.segment(text, Source::Known(index));
        } else if let Some(text) = self.reading.given.get(&*identity(&value, index)).cloned() {
            self.reading.giving.insert(index);
            self.segment(&text, Source::Known(index));
        } else if self.is_hole(index, &value.value) {
            // What `nindent` prints begins on the next line.
            let is_below = matches!(value.value.pipe().next(), Some(("nindent", _)));
            self.print_due(if is_below { "\n" } else { "" });
            let column = column(self.part, action, &value.value, self.environment.defines);
            let (at, action) = (self.reading.text.len(), index);
            let hole = Hole { at, column, action, ..Hole::default() };
            self.reading.holes.push(hole);
            if !self.is_text_alone {
                self.describe_hole(&value);
            }
        } else {
            self.opaque(index, &value, &outputs);
        }
        Flow::On
    }

    /// Adds what is known of what an action prints into the last hole.
    fn describe_hole(&mut self, value: &Resolved) {
        let description = self.description(value, Around::Entries);
        let Some(hole) = self.reading.holes.last_mut() else { return };
        let is_required = match &description.by_default {
            Some(entries) => entries.iter().all(Value::is_null) && description.is_missing,
            None => description.is_required,
        };
        hole.required = is_required.then(|| self.placeholders.of(hole.action, Place::Block, None));
        hole.is_of_objects = description.is_of_objects;
        hole.key.clone_from(&description.key);
        hole.by_default.clone_from(&description.by_default);
        if let Some([first]) = hole.by_default.as_deref() {
            let defaults = Defaults::new(&self.judge, &self.ranges);
            let others = defaults.entries_in_branches(&value.value, first, &description.decided);
            if !others.is_empty() {
                // The last one stays where what others print changes.
                hole.has_branches = true;
                hole.by_default = Some(std::iter::once(first.clone()).chain(others).chain([first.clone()]).collect());
            }
        }
    }

    /// Returns what is known of what an action prints.
    fn description(&self, value: &Resolved, around: Around) -> Rc<Description> {
        let find = || Defaults::new(&self.judge, &self.ranges).description(value, around);
        self.judge.refuel();
        self.judge.once(self.judge.known.descriptions(around), &value.text, &self.ranges, find)
    }

    /// Prints the placeholder of an action.
    fn opaque(&mut self, index: usize, value: &Resolved, outputs: &Outputs) {
        let identity = identity(value, index);
        let known = self.reading.names.get(&*identity).copied();
        let number = known.unwrap_or_else(|| *self.reading.names.entry(identity.into_owned()).or_insert(index));
        if value.value.pipe().any(|(function, _)| STRUCTURED.contains(&function)) {
            self.reading.mappings.insert(number);
        }
        let known = outputs.known().and_then(|text| Some((text, read_yaml(text)?)));
        if !self.is_text_alone {
            self.describe(number, value, outputs, known.as_ref());
        }
        self.judge.refuel();
        let place = self.place(index);
        let always = |data: &Value| PrintedType { is_number: data.is_i64(), certainty: Certainty::Always };
        let known = known.filter(|(_, data)| data.is_i64() || data.is_string());
        let printed = known.map_or_else(|| self.printed_type(value), |(_, data)| Some(always(&data)));
        let placeholder = self.placeholders.of(number, place, printed);
        match place {
            Place::Flow => self.segment(&placeholder, Source::Opaque(index)),
            Place::Block => self.quoted(index, number, &placeholder),
        }
    }

    /// Adds what is known of what an action prints, for which the placeholder with a number stands: all of its text, and what that is as YAML,
    /// if it is `known`.
    fn describe(&mut self, number: usize, value: &Resolved, outputs: &Outputs, known: Option<&(&str, Value)>) {
        let around = self.around();
        let description = self.description(value, around);
        let by_default = match known {
            Some((text, _)) if around == Around::Quotes => Some(vec![Value::from(*text)]),
            Some((_, data)) => Some(vec![data.clone()]),
            None => description.by_default.clone(),
        };
        self.reading.known.extend(outputs.known().map(|text| (number, text.to_owned())));
        if by_default.is_none() && description.is_required {
            self.reading.required.insert(number);
            if description.is_missing && !value.value.pipe().any(|(function, _)| function == "required") {
                self.reading.missing.insert(number);
            }
        }
        self.reading.keys.extend(description.key.clone().map(|key| (number, key)));
        if !description.alternatives.is_empty() {
            self.reading.alternatives.insert(number, description.alternatives.clone());
        }
        self.reading.defaults.extend(by_default.map(|values| (number, values)));
        self.reading.texts.extend(description.texts.clone().map(|texts| (number, texts)));
    }

    /// Returns whether an action prints a part of a plain scalar of a flow collection, which would get quotes.
    fn is_part_of_flow(&self, index: usize) -> bool {
        self.place(index) == Place::Block && scalar_start(self.line()).is_some()
    }

    /// Returns whether a placeholder stands for an action, whatever is known of it.
    fn is_kept(&self, index: usize) -> bool {
        let action = &self.part.template.actions()[index];
        !self.reading.kept.is_empty() && self.reading.kept.contains(&action.untrimmed(self.part.template.text()))
    }

    /// Resolves the value of a pipeline, and takes in what it binds and changes.
    fn bind(&mut self, pipeline: &Pipeline) -> Expression {
        let context = self.context_of(std::iter::once(pipeline));
        for name in &pipeline.variables {
            if pipeline.binding == Binding::Declare {
                self.decided.remove(name);
            }
            self.decide_by(name, &context);
        }
        changed_in(&pipeline.value).into_iter().for_each(|name| self.decide_by(name, &context));
        let value = self.scope.bind(pipeline);
        change_called(&mut self.scope, &value, self.environment.defines);
        value
    }

    /// Returns how the blocks were decided on which it depends what is written in these pipelines.
    fn context_of<'l>(&self, mut pipelines: impl Iterator<Item = &'l Pipeline>) -> Vec<Claim> {
        if self.decided.is_empty() {
            return Vec::new();
        }
        let names: BTreeSet<&str> = pipelines.by_ref().flat_map(|pipeline| names_in(&pipeline.value)).collect();
        let mut context: Vec<Claim> = Vec::new();
        for claim in names.into_iter().filter_map(|name| self.decided.get(name)).flatten() {
            if !context.contains(claim) {
                context.push(claim.clone());
            }
        }
        context
    }

    /// Takes in that it depends on how these blocks were decided what a variable is.
    fn decide_by(&mut self, name: &str, claims: &[Claim]) {
        if !claims.is_empty() {
            let known = self.decided.entry(name.to_owned()).or_default();
            claims.iter().for_each(|claim| {
                if !known.contains(claim) {
                    known.push(claim.clone())
                }
            });
        }
    }

    /// Prints a comment of the file as one, on its line, whatever it eats.
    fn note(&mut self, index: usize) {
        let (template, printed) = (self.part.template, self.reading.segments.last().map(|one| one.source));
        let (text, actions) = (template.text(), template.actions());
        let action = &actions[index];
        let before = index.checked_sub(1).map_or(0, |before| actions[before].span.end);
        let before = match printed {
            Some(Source::Literal(span)) => before.max(span.end),
            Some(Source::Opaque(_) | Source::Known(_)) | None => before,
        };
        let start = text[..action.span.start].trim_end_matches(SPACE).len().max(before);
        if action.trims_before && start < action.span.start {
            let blank = Span::new(start, action.span.start);
            self.segment(blank.of(text), Source::Literal(blank));
        }
        let number = *self.reading.names.entry(action.untrimmed(text)).or_insert(index);
        self.segment(&self.placeholders.note(number), Source::Opaque(index));
        let end = actions.get(index + 1).map_or(text.len(), |next| next.span.start);
        let blank = text[action.span.end..end].len() - text[action.span.end..end].trim_start_matches(SPACE).len();
        if action.trims_after && blank > 0 {
            let blank = Span::new(action.span.end, action.span.end + blank);
            self.segment(blank.of(text), Source::Literal(blank));
        }
    }

    /// Prints a comment that is for readers of what is printed.
    fn comment(&mut self, index: usize) {
        let (text, action) = (self.part.template.text(), &self.part.template.actions()[index]);
        if self.is_kept(index) {
            self.note(index);
        } else if is_for_readers(action, text) {
            self.print_due("");
            self.due = Due::of((index, action), text, self.line());
        }
    }

    /// Prints the comment that is due before a text.
    fn print_due(&mut self, next: &str) {
        let Some(due) = self.due.take() else { return };
        if let Some(text) = due.printed(self.line(), next) {
            self.append(&text, Source::Known(due.index));
        }
    }

    /// Returns whether keys or items can come from an action.
    fn is_hole(&self, index: usize, value: &Expression) -> bool {
        let action = &self.part.template.actions()[index];
        let has = |names: &[&str]| value.pipe().any(|(function, _)| names.contains(&function));
        let line = self.line();
        let (before, blocks) = (line.trim_end(), has(&["include", "template", "toYaml", "tpl"]));
        if has(&["nindent"]) {
            return true;
        }
        if action.alone {
            let is_value = line.len() > before.len() && before.ends_with(':');
            let is_part = !before.is_empty() && self.is_glued(index) && !has(&["indent"]);
            return !is_part || (blocks && !is_value);
        }
        let is_item = before.ends_with('-') && before.trim_start_matches([' ', '-']).is_empty();
        blocks && (is_item && self.rest_of_line(index).trim().is_empty() || has(&["indent"]) && has(&["toYaml"]))
    }

    /// Returns whether the action before ate all that is between it and the action `index`.
    fn is_glued(&self, index: usize) -> bool {
        let actions = self.part.template.actions();
        let Some(before) = index.checked_sub(1).map(|before| &actions[before]) else { return false };
        let between = &self.part.template.text()[before.span.end..actions[index].span.start];
        before.trims_after && between.trim().is_empty()
    }

    /// Returns the type of what an action prints, where it is known: in quotes, that is a text. One of digits is no number there, and no name.
    fn printed_type(&self, value: &Resolved) -> Option<PrintedType> {
        let line = self.line();
        let before = line.strip_suffix(['"', '\'']);
        let begins = before.unwrap_or(line).trim_end().ends_with([':', '-', '[', '{', ',']);
        let find = || type_of(&value.value, self.environment).or_else(|| self.type_by_default(value));
        begins.then(find).flatten().filter(|printed| before.is_none() || !printed.is_number)
    }

    /// Returns the type of what is printed where users of the chart set nothing, outside of definitions.
    fn type_by_default(&self, value: &Resolved) -> Option<PrintedType> {
        self.environment.values?;
        let description = self.description(value, Around::Nothing);
        let values = description.by_default.as_ref()?;
        let mut types = values.iter().map(is_number);
        let first = types.next()??;
        types
            .all(|own| own == Some(first))
            .then_some(PrintedType { is_number: first, certainty: self.environment.defaults })
    }

    /// Returns whether an action is a whole value of a flow collection on the line, as it looks.
    fn place(&self, index: usize) -> Place {
        let line = self.line();
        // JSON can be over several lines, each of which begins with a key.
        let is_json = line.trim_start().starts_with('"') && {
            let text = self.reading.text.as_str();
            let start = memchr::memmem::rfind(text.as_bytes(), b"\n---").map_or(0, |feed| feed + b"\n---".len());
            text[start..].trim_start().starts_with(['{', '['])
        };
        // JSON needs no blank there.
        let begins = line.ends_with(": ") || line.ends_with("\":") || line.trim_end().ends_with(['[', '{', ',']);
        let rest = self.rest_of_line(index).trim();
        let ends = rest.starts_with([']', '}', ',', ':']) || is_json && rest.is_empty();
        let (mut depth, mut quote) = (usize::from(is_json), None);
        if !(begins && ends) {
            return Place::Block;
        }
        for one in line.chars() {
            match (quote, one) {
                (None, '[' | '{') => depth += 1,
                (None, ']' | '}') => depth = depth.saturating_sub(1),
                (None, '"' | '\'') => quote = Some(one),
                (Some(open), _) if open == one => quote = None,
                _ => {}
            }
        }
        if depth > 0 && quote.is_none() { Place::Flow } else { Place::Block }
    }

    /// Returns whether quotes are open on the line, as it looks.
    fn around(&self) -> Around {
        let mut open = None;
        let mut before = ' ';
        for one in self.line().chars() {
            match (open, one) {
                (None, '"' | '\'') if matches!(before, ' ' | '[' | '{' | ',' | ':') => open = Some(one),
                (Some(quote), _) if quote == one && before != '\\' => open = None,
                _ => {}
            }
            before = one;
        }
        if open.is_some() { Around::Quotes } else { Around::Nothing }
    }

    /// Returns the line that is being printed.
    fn line(&self) -> &str {
        &self.reading.text[self.reading.text.rfind('\n').map_or(0, |end| end + 1)..]
    }

    /// Returns what follows an action on its line in the file.
    fn rest_of_line(&self, index: usize) -> &'p str {
        let behind = &self.part.template.text()[self.part.template.actions()[index].span.end..];
        behind.lines().next().unwrap_or_default()
    }

    fn block(&mut self, block: &'p Branching) -> Result<Flow, Failed> {
        let actions = self.part.template.actions();
        let (variables, dot) = (self.scope.len(), self.scope.dot.clone());
        let mut claims = Vec::new();
        for branch in &block.branches {
            let action = &actions[branch.action];
            if !matches!(action.keyword, Keyword::Else | Keyword::Block) {
                let condition = match action.keyword {
                    Keyword::Range => self.scope.resolve(&action.pipeline.value),
                    _ => self.bind(&action.pipeline),
                };
                claims.push(Claim { action: branch.action, condition: Arc::new(condition.into()), holds: true });
            }
        }
        let context = self.context_of(block.branches.iter().map(|branch| &actions[branch.action].pipeline));
        if block.branches.iter().any(|branch| matches!(actions[branch.action].keyword, Keyword::With | Keyword::Range))
        {
            // The dot is of what it is then.
            self.decide_by("", &context);
        }
        let taken = self.choose(block, &claims);
        self.tell_alternatives(block, &claims, taken, &context);
        let flow = self.branch(block, &claims, taken);
        self.scope.truncate(variables);
        self.scope.dot = dot;
        let mut changed = BTreeSet::new();
        block.branches.iter().for_each(|branch| collect_changed(&branch.body, actions, &mut changed));
        if !changed.is_empty() {
            let claims: Vec<Claim> =
                context.into_iter().chain(self.around.iter().cloned()).chain(path_to(taken, &claims)).collect();
            changed.into_iter().for_each(|name| self.decide_by(name, &claims));
        }
        flow
    }

    /// Returns the index of the branch that is taken, the number of branches for none.
    fn choose(&mut self, block: &Branching, claims: &[Claim]) -> usize {
        let mut branches = block.branches.iter().zip(claims);
        let chosen = branches.position(|(branch, claim)| {
            let is_preferred = branch.ending == Ending::GoesOn && !is_later(&claim.condition.value);
            self.judge.decide(&claim.condition, is_preferred)
        });
        let taken = chosen.unwrap_or(claims.len());
        let branch = block.branches.get(taken).map(|branch| branch.action);
        self.reading.choices.push(Choice { block: block.branches[0].action, branch });
        self.ways.push(Way { block: block.number, branch: taken });
        taken
    }

    /// Tells the ways of a block, if they are not known.
    fn tell_alternatives(&mut self, block: &Branching, claims: &[Claim], taken: usize, context: &[Claim]) {
        let is_block = claims.is_empty();
        for branch in (0..=claims.len()).filter(|_| !is_block) {
            let way = Way { block: block.number, branch };
            let fails = block.branches.get(branch).is_some_and(|branch| branch.ending == Ending::Fails);
            // After other changes a condition can be about something else.
            if !fails && (!self.seen.contains(&way) || !context.is_empty()) {
                let claims = self.around.iter().cloned().chain(path_to(branch, claims)).collect();
                let (is_first, depth, context) = (branch == taken, self.depth, context.to_vec());
                self.alternatives.push(Alternative { way, is_first, depth, claims, context });
            }
        }
    }

    fn branch(&mut self, block: &'p Branching, claims: &[Claim], taken: usize) -> Result<Flow, Failed> {
        let Some(branch) = block.branches.get(taken) else { return Ok(Flow::On) };
        if branch.ending == Ending::Fails {
            let mut avoiding = claims.get(taken).or(claims.first()).cloned();
            avoiding.iter_mut().for_each(|claim| claim.holds = taken >= claims.len());
            return Err(Failed(avoiding));
        }
        let action = &self.part.template.actions()[branch.action];
        let length = self.around.len();
        self.around.extend(path_to(taken, claims));
        self.depth += 1;
        let flow = match action.keyword {
            Keyword::Range => self.turn(block, taken),
            Keyword::With => {
                self.scope.dot = claims[taken].condition.value.clone();
                self.nodes(&branch.body)
            }
            Keyword::Block => {
                if let Expression::Call(_, arguments) = self.bind(&action.pipeline) {
                    self.scope.dot = arguments.into_iter().nth(1).unwrap_or_else(|| Expression::word("nil"));
                }
                self.nodes(&branch.body)
            }
            _ => self.nodes(&branch.body),
        };
        self.depth -= 1;
        self.around.truncate(length);
        flow
    }

    /// Prints one turn of a range. A variable that is assigned in it can have any value in it and behind it.
    fn turn(&mut self, block: &'p Branching, taken: usize) -> Result<Flow, Failed> {
        let (branch, actions) = (&block.branches[taken], self.part.template.actions());
        let mut assigned = BTreeSet::new();
        collect_assigned(&branch.body, actions, &mut assigned);
        assigned.iter().for_each(|name| self.scope.forget(block.number, name));
        self.change_before(&branch.body);
        self.ranges.insert(block.number, self.scope.resolve(&actions[branch.action].pipeline.value));
        self.scope.enter_item(block.number, &actions[branch.action].pipeline.variables);
        self.nodes(&branch.body)?;
        assigned.iter().for_each(|name| self.scope.forget(block.number, name));
        Ok(Flow::On)
    }
}

impl Printer<'_, '_> {
    /// Takes in what was changed in turns before.
    fn change_before(&mut self, nodes: &[Node]) {
        for node in nodes {
            match node {
                Node::Literal(_) => {}
                Node::Action(index) => {
                    let value = self.scope.resolve(&self.part.template.actions()[*index].pipeline.value);
                    self.scope.change(&value);
                    change_called(&mut self.scope, &value, self.environment.defines);
                }
                Node::Branching(block) => block.branches.iter().for_each(|branch| self.change_before(&branch.body)),
            }
        }
    }
}

/// Returns whether a condition is that a turn of a range is not the first one, as it looks: a reading has one turn.
fn is_later(condition: &Expression) -> bool {
    match condition {
        Expression::Path(path) => path.starts_with('#') && path.ends_with("key"),
        Expression::Call(function, arguments) if matches!(function.as_str(), "gt" | "ne") => {
            arguments.first().is_some_and(is_later)
        }
        _ => false,
    }
}

/// Returns what must be assumed for the branch at `index` to be taken.
fn path_to(index: usize, claims: &[Claim]) -> impl Iterator<Item = Claim> + '_ {
    claims.iter().take(index + 1).enumerate().map(move |(at, claim)| Claim { holds: at == index, ..claim.clone() })
}

/// Collects the variables that actions of `nodes` change, and an empty name where they change values.
fn collect_changed<'p>(nodes: &'p [Node], actions: &'p [Action], into: &mut BTreeSet<&'p str>) {
    collect_assigned(nodes, actions, into);
    for node in nodes {
        match node {
            Node::Literal(_) => {}
            Node::Action(index) => into.extend(changed_in(&actions[*index].pipeline.value)),
            Node::Branching(block) => {
                block.branches.iter().for_each(|branch| collect_changed(&branch.body, actions, into));
            }
        }
    }
}

/// Returns the names of what an expression changes, as it looks, and an empty one for values, which that can be a part of.
fn changed_in(expression: &Expression) -> BTreeSet<&str> {
    if expression.is_changing() { names_in(expression).into_iter().chain([""]).collect() } else { BTreeSet::new() }
}

/// Returns the names of the variables that are written in an expression, and an empty one for values.
fn names_in(expression: &Expression) -> BTreeSet<&str> {
    let written = paths_in(expression).into_iter().filter_map(|path| match path {
        Expression::Path(path) => Some(path.as_str()),
        _ => None,
    });
    let end = |path: &str| path.find('.').unwrap_or(path.len());
    written.map(|path| Some(&path[..end(path)]).filter(|name| *name != "$").unwrap_or_default()).collect()
}

fn collect_assigned<'p>(nodes: &'p [Node], actions: &'p [Action], into: &mut BTreeSet<&'p str>) {
    for node in nodes {
        match node {
            Node::Literal(_) => {}
            Node::Action(index) => {
                let pipeline = &actions[*index].pipeline;
                if pipeline.binding == Binding::Assign {
                    into.extend(pipeline.variables.iter().map(String::as_str));
                }
            }
            Node::Branching(block) => {
                block.branches.iter().for_each(|branch| collect_assigned(&branch.body, actions, into));
            }
        }
    }
}

/// Returns a text that is the same for two actions if they print the same.
fn identity(value: &Resolved, index: usize) -> Cow<'_, str> {
    let text = &*value.text;
    let volatile = text.contains('(')
        && ["(rand", "(gen", "(uuidv4", "(now", "(htpasswd", "(bcrypt"].iter().any(|name| text.contains(name));
    if volatile { Cow::Owned(format!("{text}@{index}")) } else { Cow::Borrowed(text) }
}

/// Returns whether the last line of a text is the dashes of a document.
fn ends_in_dashes(text: &str) -> bool {
    text.strip_suffix("---").is_some_and(|before| before.is_empty() || before.ends_with('\n'))
}
