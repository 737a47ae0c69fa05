//! Answers: what does a template print for one choice in each of its blocks, and where does each byte of that come from?
//!
//! Invariant: the segments of a reading cover its text, in the order of the file.

use serde_json::Value;

use super::functions::text_of;
use super::judge::Claim;
use super::lex::{Action, Keyword};
use super::tree::{OpenBlock, Template};
use crate::syntax::text::{EditSet, Span};
use crate::syntax::variable::{ACTION, PrintedType};
use std::collections::{BTreeMap, BTreeSet};

/// How the comments begin that are printed.
const READ: &str = "reversion:";

/// Where a stretch of a reading comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// These bytes of the file.
    Literal(Span),
    /// The action with this number, which prints something unknown; a placeholder stands for it.
    Opaque(usize),
    /// The action with this number, which prints exactly this.
    Known(usize),
}

/// A stretch of a reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Its bytes in the text of the reading; it is not empty.
    pub printed: Span,
    /// Where it comes from.
    pub source: Source,
}

/// A place where an action may print keys or items; in a reading it prints nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hole {
    /// Where it is in the text of the reading.
    pub at: usize,
    /// The column of what it prints, from 0, where that is known.
    pub column: Option<usize>,
    /// What is printed where the users of the chart set nothing, if that is known: entries or items for each turn of the ranges around, null
    /// for none, and a text for what a definition prints.
    pub by_default: Option<Vec<Value>>,
    /// Whether that is one value, and behind it what is printed where conditions in definitions are decided otherwise.
    pub has_branches: bool,
    /// The key in the values of the chart of all that is printed, where that is known.
    pub key: Option<String>,
    /// Whether it is made of values of the chart that are empty where users set nothing, or whole objects.
    pub is_of_objects: bool,
    /// The placeholder of the action, where users of the chart set what is printed, and no default of it is known.
    pub required: Option<String>,
    /// The number of the action.
    pub(crate) action: usize,
}

/// What a block prints in a reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    /// The number of the action that begins the block.
    pub(crate) block: usize,
    /// The number of the action that begins the branch that is printed, if one is.
    pub(crate) branch: Option<usize>,
}

/// What a template prints for one choice in each block.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// The text, with placeholders `${REVERSION_ACTION_n}` for what is unknown.
    pub text: String,
    /// Where each byte of it comes from.
    pub segments: Vec<Segment>,
    /// Where more can be printed.
    pub holes: Vec<Hole>,
    /// The choices, in the order of the file.
    pub(crate) choices: Vec<Choice>,
    /// The index of the part that is read.
    pub(super) part: usize,
    /// What is assumed from the beginning.
    pub(super) claims: Vec<Claim>,
    /// The numbers of the placeholders, by the text of what they stand for.
    pub(super) names: BTreeMap<String, usize>,
    /// The numbers of the placeholders that can stand for mappings or lists.
    pub(super) mappings: BTreeSet<usize>,
    /// What the placeholders stand for where the users of the chart set nothing, as far as that is known: in each turn of the ranges around.
    pub(super) defaults: BTreeMap<usize, Vec<Value>>,
    /// What the placeholders stand for by texts of the chart, where these are not all that it always is.
    pub(super) alternatives: BTreeMap<usize, Vec<Value>>,
    /// The keys in the values of the chart of what the placeholders stand for, where that is known.
    pub(super) keys: BTreeMap<usize, String>,
    /// The numbers of the placeholders of what users set, and has no known default.
    pub(super) required: BTreeSet<usize>,
    /// The numbers of those of what the chart does not have, and prints nothing for.
    pub(super) missing: BTreeSet<usize>,
    /// The numbers of the placeholders in quotes that the file does not have.
    pub(super) quoted: BTreeSet<usize>,
    /// The texts that the placeholders stand for, where it is one of these.
    pub(super) texts: BTreeMap<usize, BTreeSet<String>>,
    /// What is taken to be printed, by what is printed.
    pub(super) given: BTreeMap<String, String>,
    /// The numbers of the actions that print that.
    pub(super) giving: BTreeSet<usize>,
    /// The actions, without marks to trim, that placeholders stand for although what they print is known: they can move.
    pub(super) kept: BTreeSet<String>,
    /// What those that are no comments print, by the numbers of their placeholders.
    pub(super) known: BTreeMap<usize, String>,
}

impl Hole {
    /// Returns the number of its action.
    pub const fn action(&self) -> usize {
        self.action
    }

    /// Returns where its action begins in the file.
    pub fn source(&self, template: &Template) -> usize {
        template.actions()[self.action].span.start
    }
}

impl Reading {
    /// Returns the number of the action that a value is the placeholder of.
    pub fn action_of(&self, value: &str) -> Option<usize> {
        number_of(value)
    }

    /// Returns whether a value is a placeholder that can stand for a mapping or a list.
    pub fn can_be_mapping(&self, value: &str) -> bool {
        !self.mappings.is_empty() && number_of(value).is_some_and(|number| self.mappings.contains(&number))
    }

    /// Returns what a value that is a placeholder stands for where the users of the chart set nothing, if that is known.
    pub fn default_of(&self, value: &str) -> Option<Vec<Value>> {
        if self.defaults.is_empty() {
            return None;
        }
        match number_of(value) {
            Some(number) => self.defaults.get(&number).cloned(),
            None => self.text_by_default(value),
        }
    }

    /// Returns what a value that is a placeholder can stand for, if that is known: what it is where the users of the chart set nothing, then the
    /// other texts that the chart has for it, and the first once more, which stays where other values change; with the number of the first.
    pub fn values_of(&self, value: &str) -> Option<(Vec<Value>, usize)> {
        let by_default = self.default_of(value);
        let count = by_default.as_ref().map_or(0, Vec::len);
        let Some(alternatives) = self.alternatives_of(value) else { return Some((by_default?, count)) };
        let first = by_default.unwrap_or_else(|| alternatives.iter().take(1).cloned().collect());
        let others = alternatives.iter().filter(|one| !first.contains(one));
        Some((first.iter().chain(others).chain(first.last()).cloned().collect(), count))
    }

    /// Returns what a value that is a placeholder stands for by texts of the chart between which it is chosen.
    fn alternatives_of(&self, value: &str) -> Option<&[Value]> {
        if self.alternatives.is_empty() { None } else { self.alternatives.get(&number_of(value)?).map(Vec::as_slice) }
    }

    /// Returns what a text is by default in which placeholders stand for parts.
    fn text_by_default(&self, value: &str) -> Option<Vec<Value>> {
        let (mut rest, mut parts) = (value, Vec::new());
        while let Some(start) = rest.find(ACTION) {
            let end = start + rest[start..].find('}')? + 1;
            parts.push((&rest[..start], self.defaults.get(&number_of(&rest[start..end])?)?));
            rest = &rest[end..];
        }
        let turns = parts.iter().map(|(_, values)| values.len());
        let turns = if turns.clone().any(|turns| turns == 0) { 0 } else { turns.max()? };
        let in_turn = |turn: usize| {
            let texts = parts.iter().map(|(before, values)| {
                let value = values.get(turn).or(values.last())?;
                (!value.is_array() && !value.is_object()).then(|| format!("{before}{}", text_of(value)))
            });
            Some(Value::from(texts.collect::<Option<String>>()? + rest))
        };
        (0..turns).map(in_turn).collect()
    }

    /// Returns what the actions with these numbers print where the users of the chart set nothing, as far as that is known.
    pub fn by_default(&self) -> impl Iterator<Item = (usize, &Value)> {
        let of_holes =
            self.holes.iter().flat_map(|hole| hole.by_default.iter().flatten().map(|value| (hole.action, value)));
        let of_values = self.defaults.iter().flat_map(|(action, values)| values.iter().map(|value| (*action, value)));
        of_holes.chain(of_values)
    }

    /// Returns whether a value is a placeholder of what the values of the chart do not have, so that nothing is printed.
    pub fn is_missing(&self, value: &str) -> bool {
        !self.missing.is_empty() && number_of(value).is_some_and(|number| self.missing.contains(&number))
    }

    /// Returns the key in the values of the chart of what a value that is a placeholder stands for, if that is known.
    pub fn key_of(&self, value: &str) -> Option<&str> {
        if self.keys.is_empty() { None } else { self.keys.get(&number_of(value)?).map(String::as_str) }
    }

    /// Returns whether a value is a placeholder of what users set, and has no known default.
    pub fn is_required(&self, value: &str) -> bool {
        !self.required.is_empty() && number_of(value).is_some_and(|number| self.required.contains(&number))
    }

    /// Returns the texts that a value that is a placeholder stands for, if it is one of these.
    pub fn texts_of(&self, value: &str) -> Option<&BTreeSet<String>> {
        self.texts.get(&number_of(value)?)
    }

    /// Returns whether the action with a number prints what it is taken to print.
    pub fn is_given(&self, action: usize) -> bool {
        self.giving.contains(&action)
    }

    /// Returns whether it takes the branches that another reading of the part takes.
    pub fn takes_ways_of(&self, other: &Self) -> bool {
        self.choices == other.choices
    }

    /// Returns what a value that is a placeholder stands for, such as `$.Values.service.port`.
    pub fn origin_of(&self, value: &str) -> Option<&str> {
        self.origin(number_of(value)?)
    }

    /// Returns what the placeholders stand for, each with its number.
    pub fn origins(&self) -> impl Iterator<Item = (&str, usize)> {
        self.names.iter().map(|(origin, number)| (origin.as_str(), *number))
    }

    /// Returns the actions, without marks to trim, that `edits` of the text remove although what they print, if anything, stays in it.
    pub fn removed(&self, template: &Template, edits: &EditSet) -> BTreeSet<String> {
        let (mut found, edits) = (BTreeSet::new(), edits.clone().joined());
        let stays = |text: &str| edits.edits().iter().any(|edit| edit.text.contains(text));
        for edit in edits.edits().iter().filter(|edit| !edit.span.is_empty()) {
            let is_in = |one: &&Segment| edit.span.start <= one.printed.start && one.printed.end <= edit.span.end;
            let inside = self.segments.iter().filter(is_in).filter(|one| stays(one.printed.of(&self.text)));
            found.extend(inside.filter_map(|one| match one.source {
                Source::Known(action) if !template.actions()[action].is_comment() => Some(action),
                Source::Known(_) | Source::Literal(_) | Source::Opaque(_) => None,
            }));
            let source = self.source(template, edit.span);
            let actions = template.actions().iter().enumerate();
            let inside = actions.filter(|(_, one)| one.span.start < source.end && source.start < one.span.end);
            found.extend(inside.filter(|(_, one)| can_be_note(one, template.text())).map(|(action, _)| action));
        }
        found.into_iter().map(|action| template.actions()[action].untrimmed(template.text())).collect()
    }

    /// Returns the lines that are printed where `text` is what is made of this one: what is known of actions that placeholders stand for, and
    /// nothing for comments.
    pub fn printed_lines(&self, placeholders: &Placeholders, text: &str) -> Vec<String> {
        let (mut out, mut done) = (String::with_capacity(text.len()), 0);
        for Placeholder { span, action } in placeholders.find(text) {
            let is_note = span.of(text).starts_with('#');
            let Some(known) = self.known.get(&action).map(String::as_str).or(is_note.then_some("")) else { continue };
            out.extend([&text[done..span.start], known]);
            done = span.end;
        }
        out.push_str(&text[done..]);
        out.lines().map(str::trim_end).filter(|line| !line.is_empty()).map(str::to_owned).collect()
    }

    /// Returns whether a comment of the file is printed as one.
    pub(super) fn is_note(&self, template: &Template, action: usize) -> bool {
        template.actions()[action].is_comment() && self.segments.iter().any(|one| one.source == Source::Opaque(action))
    }

    /// Returns the number of the action that prints the byte `at` of the text, where what it prints is known.
    pub fn known_action(&self, at: usize) -> Option<usize> {
        match self.segments[self.segment_at(at)?].source {
            Source::Known(action) => Some(action),
            Source::Literal(_) | Source::Opaque(_) => None,
        }
    }

    /// Returns the action that prints what the placeholder with a number stands for, at the byte `at` of the text or behind it.
    pub fn action_behind(&self, number: usize, at: usize) -> Option<usize> {
        let behind = self.segments.partition_point(|segment| segment.printed.end <= at);
        self.segments[behind..].iter().find_map(|segment| match segment.source {
            Source::Opaque(action) => {
                let printed = segment.printed.of(&self.text).trim_matches('"');
                (number_of(printed) == Some(number)).then_some(action)
            }
            Source::Literal(_) | Source::Known(_) => None,
        })
    }

    /// Returns the name of the definition of `template` that prints it, if one does.
    pub fn definition<'t>(&self, template: &'t Template) -> Option<&'t str> {
        template.part(self.part)?.name()
    }

    /// Returns what the placeholder with a number stands for, such as `$.Values.service.port`, where `$` is what the text is printed with.
    pub(crate) fn origin(&self, number: usize) -> Option<&str> {
        self.names.iter().find(|(_, named)| **named == number).map(|(origin, _)| origin.as_str())
    }

    /// Returns the index of the segment that contains the printed byte `at`.
    pub(super) fn segment_at(&self, at: usize) -> Option<usize> {
        let index = self.segments.partition_point(|segment| segment.printed.end <= at);
        (index < self.segments.len()).then_some(index)
    }

    /// Returns the bytes of the file that these of the text come from, as one span: with all of an action that prints some of them.
    pub fn source(&self, template: &Template, printed: Span) -> Span {
        let last = printed.end.saturating_sub(1).max(printed.start);
        let end = match self.segment_at(last).map(|index| &self.segments[index]) {
            Some(segment) if segment.source_is_action() => segment.span(template).end,
            _ => self.source_of(template, last) + 1,
        };
        Span::new(self.source_of(template, printed.start), end)
    }

    /// Returns places of the file that these bytes of the text come from, one for each stretch.
    pub fn sources(&self, template: &Template, printed: Span) -> impl Iterator<Item = usize> {
        let first = self.segments.partition_point(|segment| segment.printed.end <= printed.start);
        let inside = self.segments[first..].iter().take_while(move |segment| segment.printed.start < printed.end);
        inside.map(|segment| segment.span(template).start)
    }

    /// Returns where the byte `at` of the text comes from in the file; of what an action prints, where that starts.
    pub fn source_of(&self, template: &Template, at: usize) -> usize {
        let last = self.segments.len().checked_sub(1);
        let Some(segment) = self.segment_at(at).or(last).map(|index| &self.segments[index]) else { return 0 };
        match segment.source {
            Source::Literal(span) => (span.start + at - segment.printed.start).min(span.end),
            Source::Opaque(_) | Source::Known(_) => segment.span(template).start,
        }
    }

    /// Returns where the byte `at` of the file is in the text; of an action, where what it prints starts.
    pub fn printed_at(&self, template: &Template, at: usize) -> Option<usize> {
        let segment =
            self.segments.iter().find(|one| (one.span(template).start..one.span(template).end).contains(&at))?;
        Some(match segment.source {
            Source::Literal(span) => segment.printed.start + at - span.start,
            Source::Opaque(_) | Source::Known(_) => segment.printed.start,
        })
    }

    /// Returns whether what is printed goes through a place of the file, which is in the part that is read.
    pub(super) fn goes_through(&self, template: &Template, place: usize) -> bool {
        let is_definition = |block: &OpenBlock| template.actions()[block.begin].keyword == Keyword::Define;
        let is_taken = |block: &OpenBlock| {
            self.choices.iter().any(|choice| choice.block == block.begin && choice.branch == Some(block.branch))
        };
        template.open_at(place).iter().all(|block| is_definition(block) || is_taken(block))
    }

    /// Returns whether a byte of the file in `span` is printed.
    pub(super) fn prints(&self, template: &Template, span: Span) -> bool {
        let index = self.segments.partition_point(|segment| segment.span(template).end <= span.start);
        self.segments.get(index).is_some_and(|segment| segment.span(template).start < span.end)
    }
}

/// Returns whether an action is a comment where YAML can have one: at the end of a line, behind white space. One for readers of what is printed
/// is printed in any case.
fn can_be_note(action: &Action, text: &str) -> bool {
    let (before, behind) = (&text[..action.span.start], &text[action.span.end..]);
    let is_apart = before.is_empty() || before.ends_with(char::is_whitespace);
    let is_last = behind.lines().next().is_none_or(|rest| rest.trim().is_empty());
    action.is_comment() && is_apart && is_last && !is_for_readers(action, text)
}

/// Returns whether a comment of a template with a text is for readers of what is printed.
pub(super) fn is_for_readers(action: &Action, text: &str) -> bool {
    action.content.of(text).trim_start().starts_with(READ)
}

impl Segment {
    const fn source_is_action(&self) -> bool {
        matches!(self.source, Source::Opaque(_) | Source::Known(_))
    }

    /// Returns the bytes of the file that it comes from.
    pub(crate) fn span(&self, template: &Template) -> Span {
        match self.source {
            Source::Literal(span) => span,
            Source::Opaque(action) | Source::Known(action) => template.actions()[action].span,
        }
    }
}

/// What the name of a whole value in a flow collection begins with. It is quoted, because braces mean something there.
const FLOW: &str = "FLOW_";

/// What the name of a comment begins with. It is one in the text too.
const NOTE: &str = "NOTE_";

/// Where a placeholder stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// It is a whole value, key or item of a flow collection.
    Flow,
    /// Anywhere else.
    Block,
}

/// The names of what is unknown in a file: texts that it does not contain.
#[derive(Clone, Debug)]
pub struct Placeholders {
    stem: String,
}

/// A placeholder in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Placeholder {
    pub(super) span: Span,
    /// The number of an action that prints what it stands for.
    pub(super) action: usize,
}

impl Placeholders {
    /// Returns names that `template` does not contain.
    pub fn new(template: &Template) -> Self {
        let mut stem = ACTION.to_owned();
        while template.text().contains(&stem) {
            stem.push('_');
        }
        Self { stem }
    }

    /// Returns the placeholder of what an action prints, which is of a type where that is known.
    pub(super) fn of(&self, action: usize, place: Place, printed: Option<PrintedType>) -> String {
        let printed = printed.map(PrintedType::prefix).unwrap_or_default();
        match place {
            Place::Block => format!("{}{printed}{action}}}", self.stem),
            Place::Flow => format!("\"{}{FLOW}{printed}{action}}}\"", self.stem),
        }
    }

    /// Returns the placeholder of a comment.
    pub(super) fn note(&self, action: usize) -> String {
        format!("# {}{NOTE}{action}}}", self.stem)
    }

    /// Returns a text, such as one about a reading, with the actions of `template` that its placeholders stand for: `named` says by which of
    /// the actions that print the same.
    pub fn replaced(&self, template: &Template, text: &str, named: impl Fn(usize) -> usize) -> String {
        let mut parts = text.split(&self.stem);
        let mut out = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let found = part.split_once('}');
            let action = found.and_then(|(name, rest)| Some((template.actions().get(named(number_in(name)?))?, rest)));
            match action {
                Some((action, rest)) => out.extend([&action.on_one_line(template.text()), rest]),
                None => out.extend([&*self.stem, part]),
            }
        }
        out
    }

    /// Finds the placeholders in `text`.
    pub(super) fn find(&self, text: &str) -> Vec<Placeholder> {
        let found = text.match_indices(&self.stem).filter_map(|(start, _)| {
            let (name, _) = text[start + self.stem.len()..].split_once('}')?;
            let span = Span::new(start, start + self.stem.len() + name.len() + 1);
            let action = number_in(name)?;
            let quoted = || Some(Span::new(span.start.checked_sub(1)?, (span.end + 1).min(text.len())));
            let span = match name {
                _ if name.starts_with(FLOW) => quoted()?,
                _ if name.starts_with(NOTE) => Span::new(span.start.checked_sub("# ".len())?, span.end),
                _ => span,
            };
            Some(Placeholder { span, action })
        });
        found.collect()
    }
}

/// Returns the number of the placeholder that a value is.
fn number_of(value: &str) -> Option<usize> {
    let name = value.strip_prefix(ACTION)?.trim_start_matches('_').strip_suffix('}')?;
    // Behind one can be others.
    number_in(name).filter(|_| !name.contains('}'))
}

/// Returns the number of the action in the name of a placeholder, without what its names have in common.
fn number_in(name: &str) -> Option<usize> {
    name.rsplit('_').next()?.parse().ok()
}
