//! Answers: where are the actions of a template, and which white space beside them do they eat?
//!
//! An action ends where its tokens end: strings, raw strings, character constants and comments hold `}}`. The rules are those of
//! Go's `text/template/parse/lex.go`.
//!
//! Invariant: actions are in the order of the text and do not overlap; what is between them is literal.

use super::expression::{Binding, Expression, Pipeline};
use crate::syntax::text::Span;
use std::fmt;

/// What Go trims beside `{{-` and `-}}`.
pub(super) const SPACE: [char; 4] = [' ', '\t', '\r', '\n'];

/// What kind of action it is, by its first word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keyword {
    /// A pipeline: it prints its value, or binds a variable.
    Print,
    /// `/* text */`.
    Comment,
    /// `template "name" pipeline`.
    Template,
    /// `if`, and `else if`.
    If,
    /// `with`, and `else with`.
    With,
    /// `range`.
    Range,
    /// `else` alone.
    Else,
    /// `end`.
    End,
    /// `define "name"`.
    Define,
    /// `block "name" pipeline`.
    Block,
    /// `break` and `continue`: nothing more is printed in this turn of a range.
    Leave,
}

/// One action: `{{ ... }}`.
#[derive(Clone, Debug)]
pub struct Action {
    /// The bytes from `{{` to `}}`.
    pub span: Span,
    /// What kind of action it is.
    pub(crate) keyword: Keyword,
    /// The bytes behind the keyword, without white space around them; of a comment, its text.
    pub content: Span,
    /// Whether it follows an `else` in the same action.
    pub(super) after_else: bool,
    /// What it computes.
    pub(super) pipeline: Pipeline,
    /// Whether it eats the white space before it.
    pub(super) trims_before: bool,
    /// Whether it eats the white space behind it.
    pub(super) trims_after: bool,
    /// Whether nothing but white space and actions stand on the lines where it begins and ends.
    pub(super) alone: bool,
}

impl Action {
    /// Returns whether it begins a branch that is printed if something holds.
    pub const fn is_condition(&self) -> bool {
        matches!(self.keyword, Keyword::If | Keyword::With)
    }

    /// Returns whether it computes nothing.
    pub const fn is_comment(&self) -> bool {
        matches!(self.keyword, Keyword::Comment)
    }

    /// Returns the name of the definition that it prints, where it is one that is written; `text` is that of the file.
    pub fn called<'t>(&self, text: &'t str) -> Option<&'t str> {
        let content = self.content.of(text);
        let call = if self.keyword == Keyword::Template { Some(content) } else { content.strip_prefix("include ") };
        Some(call?.trim_start().strip_prefix('"')?.split_once('"')?.0)
    }

    /// Returns the names of the definitions that its value is made of; `text` is that of the file.
    pub(super) fn names_called<'t>(&self, text: &'t str) -> impl Iterator<Item = &'t str> {
        let inside = self.content.of(text).split("include \"").skip(1);
        let names = inside.filter_map(|call| Some(call.split_once('"')?.0));
        names.chain(self.called(text))
    }

    /// Returns the string constants in it.
    pub fn texts(&self) -> Vec<&str> {
        self.pipeline.value.texts()
    }

    /// Returns the name of the definition in whose text it replaces something, before that is printed or bound.
    pub fn changes_text_of(&self) -> Option<&str> {
        self.called_inside(|function, _| function.ends_with("eplace") || function.contains("egexReplace"))
    }

    /// Returns the name of the definition whose text it prints inside of another one.
    pub fn encloses_text_of(&self) -> Option<&str> {
        self.called_inside(|function, arguments| match (function, arguments) {
            ("indent" | "nindent", [Expression::Word(columns), ..]) => columns != "0",
            _ => matches!(function, "b64enc" | "quote" | "squote" | "toJson"),
        })
    }

    /// Returns the name of the definition whose text a function like this gets.
    fn called_inside(&self, is_one: impl Fn(&str, &[Expression]) -> bool) -> Option<&str> {
        let mut is_inside = false;
        self.pipeline.value.pipe().find_map(|(function, arguments)| match (function, arguments) {
            ("include" | "template", [Expression::Text(name), ..]) => is_inside.then_some(name.as_str()),
            _ => {
                is_inside |= is_one(function, arguments);
                None
            }
        })
    }

    /// Returns the name of the definition that it prints; not of one whose text it prints in another one, which is no object.
    pub fn prints_whole(&self) -> Option<&str> {
        let prints =
            matches!(self.keyword, Keyword::Print | Keyword::Template) && self.pipeline.binding == Binding::None;
        let prints = prints && self.pipeline.value.pipe().all(|(function, _)| !matches!(function, "fail" | "printf"));
        self.pipeline.value.pipe().find_map(|(function, arguments)| match (function, arguments) {
            ("include" | "template", [Expression::Text(name), ..]) if prints => Some(name.as_str()),
            _ => None,
        })
    }

    /// Returns it as messages show it; `text` is that of the file.
    pub fn on_one_line(&self, text: &str) -> String {
        self.span.of(text).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Returns the action as it is written where it trims nothing; `text` is that of the file.
    pub(super) fn untrimmed(&self, text: &str) -> String {
        let inside = self.span.of(text);
        let start = if self.trims_before { 3 } else { 2 };
        let end = inside.len() - if self.trims_after { 3 } else { 2 };
        format!("{{{{ {} }}}}", inside[start..end].trim_matches(SPACE))
    }
}

/// What is wrong with a text that is no template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// An action, or a string in it, is not closed.
    Action,
    /// A block has no `end`.
    Block,
    /// An `end` or `else` has no block.
    End,
    /// More blocks in each other than are read.
    Depth,
}

/// Why a text is no template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unclosed {
    /// Where the action begins that is at fault, as a byte offset.
    pub at: usize,
    /// What is wrong.
    pub(crate) fault: Fault,
}

impl fmt::Display for Unclosed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.fault {
            Fault::Action => "an action is not closed",
            Fault::Block => "a block has no `end`",
            Fault::End => "there is no block that this action belongs to",
            Fault::Depth => "there are too many blocks inside each other",
        })
    }
}

/// Where an action ends.
struct Closing {
    /// The end of what is inside.
    inside: usize,
    end: usize,
    trims: bool,
}

/// Finds the actions of `text`.
pub(super) fn actions(text: &str) -> Result<Vec<Action>, Unclosed> {
    let (mut actions, mut at) = (Vec::new(), 0);
    while let Some(found) = text[at..].find("{{") {
        let start = at + found;
        let action = action(text, start).ok_or(Unclosed { at: start, fault: Fault::Action })?;
        at = action.span.end;
        actions.push(action);
    }
    mark_alone(text, &mut actions);
    Ok(actions)
}

fn action(text: &str, start: usize) -> Option<Action> {
    let bytes = text.as_bytes();
    let trims_before = bytes.get(start + 2) == Some(&b'-') && bytes.get(start + 3).is_some_and(is_space);
    let inside = start + if trims_before { 4 } else { 2 };
    let comment = text[inside..].starts_with("/*");
    let closing = if comment {
        closing(bytes, inside + 4 + text[inside + 2..].find("*/")?)?
    } else {
        closing_behind_tokens(bytes, inside)?
    };
    let (keyword, after_else, content) = if comment {
        (Keyword::Comment, false, Span::new(inside + 2, closing.inside - 2))
    } else {
        keyword(text, Span::new(inside, closing.inside))
    };
    let pipeline = match keyword {
        Keyword::Comment => Pipeline::default(),
        // The name and what it is printed with are arguments.
        Keyword::Template | Keyword::Block => Pipeline::parse(&format!("template {}", content.of(text))),
        _ => Pipeline::parse(content.of(text)),
    };
    let span = Span::new(start, closing.end);
    Some(Action {
        span,
        keyword,
        content,
        after_else,
        pipeline,
        trims_before,
        trims_after: closing.trims,
        alone: false,
    })
}

fn is_space(byte: &u8) -> bool {
    SPACE.contains(&char::from(*byte))
}

fn closing(bytes: &[u8], at: usize) -> Option<Closing> {
    let rest = bytes.get(at..)?;
    let trims = rest.first().is_some_and(is_space) && rest[1..].starts_with(b"-}}");
    if trims || rest.starts_with(b"}}") {
        return Some(Closing { inside: at, end: at + if trims { 4 } else { 2 }, trims });
    }
    None
}

/// Finds where the action ends whose tokens begin at `at`.
fn closing_behind_tokens(bytes: &[u8], mut at: usize) -> Option<Closing> {
    loop {
        if let Some(closing) = closing(bytes, at) {
            return Some(closing);
        }
        at += match bytes.get(at)? {
            b'"' | b'\'' => quoted(&bytes[at..])?,
            b'`' => bytes[at + 1..].iter().position(|byte| *byte == b'`')? + 2,
            _ => 1,
        };
    }
}

/// Returns the length of the string or character constant that begins `bytes`; it is on one line.
fn quoted(bytes: &[u8]) -> Option<usize> {
    let mut escaped = false;
    for (at, byte) in bytes.iter().enumerate().skip(1) {
        match byte {
            b'\n' => return None,
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            _ if *byte == bytes[0] => return Some(at + 1),
            _ => {}
        }
    }
    None
}

fn keyword(text: &str, inside: Span) -> (Keyword, bool, Span) {
    let (word, rest) = first_word(text, inside);
    let next = first_word(text, rest);
    match (word, next.0) {
        ("else", "if") => (Keyword::If, true, next.1),
        ("else", "with") => (Keyword::With, true, next.1),
        ("else", _) => (Keyword::Else, true, rest),
        ("if", _) => (Keyword::If, false, rest),
        ("with", _) => (Keyword::With, false, rest),
        ("range", _) => (Keyword::Range, false, rest),
        ("end", _) => (Keyword::End, false, rest),
        ("define", _) => (Keyword::Define, false, rest),
        ("block", _) => (Keyword::Block, false, rest),
        ("template", _) => (Keyword::Template, false, rest),
        ("break" | "continue", _) => (Keyword::Leave, false, rest),
        _ => (Keyword::Print, false, trimmed(text, inside)),
    }
}

/// Splits the first word off, and the white space around the rest.
fn first_word(text: &str, span: Span) -> (&str, Span) {
    let span = trimmed(text, span);
    let inside = span.of(text);
    let length = inside.find(|one: char| !one.is_alphanumeric() && one != '_').unwrap_or(inside.len());
    (&inside[..length], trimmed(text, Span::new(span.start + length, span.end)))
}

/// Returns `span` without the white space at its ends.
pub(super) fn trimmed(text: &str, span: Span) -> Span {
    let inside = span.of(text);
    let start = span.end - inside.trim_start_matches(SPACE).len();
    Span::new(start, start + inside.trim_matches(SPACE).len())
}

/// Finds the actions on lines without literal text.
fn mark_alone(text: &str, actions: &mut [Action]) {
    let (mut end, mut before) = (0, true);
    for action in &mut *actions {
        let literal = &text[end..action.span.start];
        let blank = &literal[literal.trim_end_matches(SPACE).len()..];
        before = blank.contains('\n') || (before && blank.len() == literal.len());
        action.alone = before;
        end = action.span.end;
    }
    let (mut start, mut behind) = (text.len(), true);
    for action in actions.iter_mut().rev() {
        let literal = &text[action.span.end..start];
        let blank = &literal[..literal.len() - literal.trim_start_matches(SPACE).len()];
        behind = blank.contains('\n') || (behind && blank.len() == literal.len());
        action.alone &= behind;
        start = action.span.start;
    }
}
