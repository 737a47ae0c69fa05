//! Answers: what is the tree of a text, for any YAML?
//!
//! granit-parser parses the text and reports events; this module makes a node of each. granit reports neither the position of the
//! dash of an item, of the `|` of a block scalar nor of an empty value, so a cursor follows the events through the text,
//! and each node is found after the indicators that its parent requires. granit refuses lines in quotes that are indented too
//! little; a text with such a line is parsed again, with [`JoiningInput`].
//!
//! Invariant: if cursor and events disagree, the text is rejected; no span is guessed.

use std::collections::BTreeMap;
use std::ops::Range;

use granit_parser::{BorrowedInput, ErrorKind, Event, Parser, ScalarStyle, ScanError, StrInput, StructureStyle};

use super::limits::{LIMITS, Limits};
use super::problem::{Problem, ProblemCode};
use super::shallow::{JoiningInput, NextQuoted};
use super::tree::{AliasEntry, Document, Kind, Node, NodeId, Properties, Tag, Tree, is_separated, skip_trivia};
use crate::syntax::text::{LineIndex, Position, Span};

/// Parses a whole text: any number of documents.
///
/// # Errors
/// `ParseError` with the place; `Limit` if it is larger, deeper or has more of something than allowed.
pub fn parse_exact(text: &str) -> Result<Tree, Problem> {
    parse_within(text, &LIMITS)
}

/// Parses a whole text within `limits`.
pub(super) fn parse_within(text: &str, limits: &Limits) -> Result<Tree, Problem> {
    limits.check_size(text)?;
    let outcome = match build(text, StrInput::new(text), None, limits) {
        Err(Failure::Refused(error)) if is_indentation_in_quotes(&error) => {
            let next = NextQuoted::default();
            build(text, JoiningInput::new(text, &next), Some(&next), limits).map_err(|failure| (failure, next.opened()))
        }
        outcome => outcome.map_err(|failure| (failure, None)),
    };
    outcome.map_err(|(failure, quote)| match failure {
        Failure::Refused(error) => parse_error(text, &error, quote, limits),
        Failure::Problem(problem) => problem,
    })
}

/// Why there is no tree.
enum Failure {
    /// granit does not accept the text.
    Refused(ScanError),
    /// This module does not.
    Problem(Problem),
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

/// Returns whether granit refuses the indentation of a line that may be in quotes.
fn is_indentation_in_quotes(error: &ScanError) -> bool {
    matches!(error.kind(), ErrorKind::InvalidQuotedScalarIndent | ErrorKind::TabInIndentation)
}

/// Makes a tree of what granit reads from `input`; `next` learns where the next node starts before it is read.
fn build<'t>(
    text: &'t str,
    input: impl BorrowedInput<'t>,
    next: Option<&NextQuoted>,
    limits: &Limits,
) -> Result<Tree, Failure> {
    let options = granit_parser::options! {
        emit_anchor_events: true,
        max_buffered_comment_events: usize::MAX,
        flow_nesting_limit: limits.nesting,
        block_nesting_limit: limits.nesting,
    };
    let mut parser = Parser::with_options(input, options);
    let mut builder = Builder::new(text);
    loop {
        if let Some(next) = next {
            next.look(text, builder.cursor);
        }
        let Some(event) = parser.next() else { break };
        let (event, span) = event.map_err(Failure::Refused)?;
        let range = span.byte_range().expect("a parser of a string knows byte offsets");
        let tag_end = span.tag_span().and_then(|tag| tag.byte_range()).map(|tag| tag.end);
        let at = range.start;
        builder.event(event, range, tag_end)?;
        if let Some(next) = next {
            builder.check_joined(next.joined())?;
        }
        limits.check_nesting(builder.open.len(), || at)?;
        limits.check_nodes(builder.tree.nodes.len(), at)?;
        limits.check_documents(builder.tree.documents.len(), builder.slice)?;
    }
    Ok(builder.finish())
}

/// Words the error of granit; `quote` is the place of the last quote that a node starts with, where it was looked for.
fn parse_error(text: &str, error: &ScanError, quote: Option<usize>, limits: &Limits) -> Problem {
    let at = error.marker().byte_offset().unwrap_or(0);
    if *error.kind() == ErrorKind::RecursionLimitExceeded {
        return limits.too_deep(at);
    }
    let is_in_quotes = *error.kind() == ErrorKind::InvalidQuotedScalarIndent;
    if let Some(quote) = quote.filter(|_| is_in_quotes) {
        return Problem::new(ProblemCode::ParseError, at, quote_message(text, quote, at));
    }
    if let Some(at) = bare_carriage_return_before(text, at) {
        let message = "a carriage return without a line feed ends the line here, and what follows is not valid YAML";
        return Problem::new(ProblemCode::ParseError, at, message);
    }
    match long_key_at(text, at) {
        Some(at) => {
            let message = format!("the key is longer than the {KEY_LENGTH} characters that YAML allows");
            Problem::new(ProblemCode::ParseError, at, message)
        }
        None => Problem::new(ProblemCode::ParseError, at, message_of(error)),
    }
}

/// How many characters a key and its colon may be apart at most.
const KEY_LENGTH: usize = 1024;

/// Returns the start of the key before the first colon from `at` on, where it is longer than YAML allows.
fn long_key_at(text: &str, at: usize) -> Option<usize> {
    let colon = at + text.get(at..)?.find([':', '\n']).filter(|found| text.as_bytes()[at + found] == b':')?;
    let line = text[..colon].rfind('\n').map_or(0, |line_feed| line_feed + 1);
    let in_block = text[line..colon].trim_start_matches([' ', '-']);
    let is_quoted = in_block.starts_with(['"', '\'']);
    let in_flow = in_block.rsplit(['{', '[', ',']).next().filter(|_| !is_quoted);
    let key = in_flow.unwrap_or(in_block).trim_start();
    (key.chars().count() > KEY_LENGTH).then_some(colon - key.len())
}

/// Returns the message for a line at `at` that is not indented as the text that the quote at `quote` opened must be.
fn quote_message(text: &str, quote: usize, at: usize) -> String {
    let Position { line, column } = LineIndex::new(text).position(text, quote);
    let opened = format!("the quote opened at {line}:{column}");
    match is_closed(&text[at..], text.as_bytes()[quote]) {
        true => format!("{opened} is still open here; close it before this line, or indent this line further"),
        false => format!("{opened} is never closed"),
    }
}

/// Returns whether a quoted scalar that goes on with `rest` is closed.
fn is_closed(rest: &str, quote: u8) -> bool {
    let mut bytes = rest.bytes().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' if quote == b'"' => drop(bytes.next()),
            b'\'' if quote == byte && bytes.peek() == Some(&byte) => drop(bytes.next()),
            _ if byte == quote => return true,
            _ => {}
        }
    }
    false
}

/// Returns the message for a parse error; those for frequent mistakes include how to fix them.
fn message_of(error: &ScanError) -> String {
    match error.kind() {
        ErrorKind::UnexpectedCharacter { character: character @ ('`' | '@' | '%' | '|' | '>') } => {
            format!("a plain (unquoted) value cannot start with '{character}'; put the value in quotes")
        }
        ErrorKind::UnexpectedCharacter { character } => {
            format!("the character U+{:04X} is not allowed in YAML; remove or escape it", u32::from(*character))
        }
        ErrorKind::TabInBlockIndentation | ErrorKind::TabInIndentation => {
            "tabs are not allowed as indentation; use spaces".to_owned()
        }
        ErrorKind::UnknownAnchor => "the alias refers to an anchor that is not defined before it".to_owned(),
        ErrorKind::MappingValueNotAllowed => {
            "a mapping is not allowed here; put the value in quotes if `: ` is part of it".to_owned()
        }
        ErrorKind::ExpectedBlockMappingKey => "expected a key of the mapping; check the indentation".to_owned(),
        ErrorKind::ExpectedBlockSequenceEntry => {
            "expected `- ` for an item of the list; check the indentation".to_owned()
        }
        ErrorKind::UnclosedFlowCollection { open } => format!("the bracket '{open}' is never closed"),
        ErrorKind::MisplacedFlowCollectionEnd => "a closing bracket without an opening one".to_owned(),
        ErrorKind::MismatchedFlowCollectionEnd { open, close } => {
            format!("the bracket '{open}' is closed by '{close}'")
        }
        ErrorKind::UnclosedQuotedScalar => "the quote is never closed".to_owned(),
        ErrorKind::DocumentIndicatorInQuotedScalar => "the quote is not closed before the document ends".to_owned(),
        _ => error.info(),
    }
}

/// Returns the last carriage return without a line feed between the line feed before `at` and there.
fn bare_carriage_return_before(text: &str, at: usize) -> Option<usize> {
    let before = &text.as_bytes()[..at.min(text.len())];
    let line = memchr::memrchr(b'\n', before).map_or(0, |line_feed| line_feed + 1);
    memchr::memrchr(b'\r', &before[line..]).map(|found| line + found)
}

/// The next node that is expected in an open collection.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expected {
    Item,
    Key,
    Value,
}

struct Open {
    node: NodeId,
    expected: Expected,
}

/// The anchor and tag that an event reports for its node.
#[derive(Clone, Copy)]
struct NodeProperties {
    anchor: usize,
    tag: Option<Tag>,
    tag_end: Option<usize>,
}

struct Builder<'t> {
    text: &'t str,
    tree: Tree,
    open: Vec<Open>,
    anchors: BTreeMap<usize, NodeId>,
    /// After the last byte that belongs to a node or its indicators.
    cursor: usize,
    /// Where the slice of the current document starts, and its root once there is one.
    slice: usize,
    root: Option<NodeId>,
    /// Where the line of a `...` ends, once the document before it has ended.
    after_end_line: Option<usize>,
}

impl<'t> Builder<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            tree: Tree::default(),
            open: Vec::new(),
            anchors: BTreeMap::new(),
            cursor: 0,
            slice: 0,
            root: None,
            after_end_line: None,
        }
    }

    fn event(&mut self, event: Event<'_>, range: Range<usize>, tag_end: Option<usize>) -> Result<(), Problem> {
        let marked =
            |anchor, tag: Option<&granit_parser::Tag>| NodeProperties { anchor, tag: tag.map(tag_of), tag_end };
        match event {
            Event::Comment(..) => self.tree.comments.push(Span::new(range.start, range.end)),
            Event::DocumentStart(explicit, _) => {
                self.start_document(range.start);
                self.cursor = if explicit { range.end } else { skip_document_end_markers(self.text, self.slice) };
            }
            Event::DocumentEnd => self.end_document(range),
            Event::Alias(anchor) => self.alias(anchor, range)?,
            Event::Scalar(_, style, anchor, tag) => self.scalar(style, range, marked(anchor, tag.as_deref()))?,
            Event::SequenceStart(style, anchor, tag) => {
                let kind = if style == StructureStyle::Flow { Kind::FlowSequence } else { Kind::Sequence };
                self.collection(kind, range, marked(anchor, tag.as_deref()))?;
            }
            Event::MappingStart(style, anchor, tag) => {
                let kind = match style {
                    StructureStyle::Block => Kind::Mapping,
                    StructureStyle::Flow if self.text[range.start..].starts_with('{') && !range.is_empty() => {
                        Kind::FlowMapping
                    }
                    StructureStyle::Flow => Kind::Pair,
                };
                self.collection(kind, range, marked(anchor, tag.as_deref()))?;
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(range),
            _ => {}
        }
        Ok(())
    }

    /// Checks that the last node, if it has bytes of the scalar whose lines are joined, is that scalar.
    fn check_joined(&self, joined: Span) -> Result<(), Problem> {
        let Some(last) = self.tree.nodes.last().map(Node::span) else { return Ok(()) };
        let is_apart = last.end <= joined.start || joined.end <= last.start;
        if is_apart || last == joined { Ok(()) } else { Err(unsupported(joined.start)) }
    }

    fn start_document(&mut self, at: usize) {
        self.root = None;
        if !self.tree.documents.is_empty() {
            self.slice = self.after_end_line.take().unwrap_or(at);
            if let Some(last) = self.tree.documents.last_mut() {
                last.span.end = self.slice;
            }
        }
    }

    fn end_document(&mut self, range: Range<usize>) {
        if let Some(root) = self.root {
            self.tree.documents.push(Document { root, span: Span::new(self.slice, self.text.len()) });
        }
        let explicit = !range.is_empty();
        self.after_end_line = explicit
            .then(|| self.text[range.end..].find('\n').map_or(self.text.len(), |length| range.end + length + 1));
    }

    fn alias(&mut self, anchor: usize, range: Range<usize>) -> Result<(), Problem> {
        self.indicators()?;
        let alias = self.push(Kind::Alias, range.start, range.end);
        let target = self.anchors.get(&anchor).copied();
        let target = target.ok_or_else(|| {
            Problem::new(
                ProblemCode::ParseError,
                range.start,
                "the alias refers to an anchor that is not defined before it",
            )
        })?;
        self.tree.aliases.push(AliasEntry { alias, target });
        Ok(())
    }

    fn scalar(&mut self, style: ScalarStyle, range: Range<usize>, marked: NodeProperties) -> Result<(), Problem> {
        self.indicators()?;
        let properties = self.properties(marked)?;
        let node = match style {
            ScalarStyle::Plain if range.is_empty() => self.push(Kind::Empty, self.cursor, self.cursor),
            ScalarStyle::Plain => self.push(Kind::Plain, range.start, range.end),
            ScalarStyle::SingleQuoted => self.push(Kind::Single, range.start, range.end),
            ScalarStyle::DoubleQuoted => self.push(Kind::Double, range.start, range.end),
            ScalarStyle::Literal => self.block_scalar(Kind::Literal, range.end)?,
            ScalarStyle::Folded => self.block_scalar(Kind::Folded, range.end)?,
        };
        self.record(node, marked, properties);
        Ok(())
    }

    fn collection(&mut self, kind: Kind, range: Range<usize>, marked: NodeProperties) -> Result<(), Problem> {
        self.indicators()?;
        let properties = self.properties(marked)?;
        let start = if kind == Kind::Sequence { skip_trivia(self.text, self.cursor) } else { range.start };
        if kind == Kind::Sequence && !self.text[start..].starts_with('-') || start < self.cursor {
            return Err(unsupported(start));
        }
        let end = if kind.is_flow_collection() && kind != Kind::Pair { start + 1 } else { start };
        let node = self.push(kind, start, end);
        self.record(node, marked, properties);
        let expected = if kind.is_mapping() { Expected::Key } else { Expected::Item };
        self.open.push(Open { node, expected });
        Ok(())
    }

    fn close(&mut self, range: Range<usize>) {
        let Some(Open { node, .. }) = self.open.pop() else { return };
        let next = self.tree.nodes.len() as u32;
        let node = &mut self.tree.nodes[node.index()];
        if matches!(node.kind, Kind::FlowMapping | Kind::FlowSequence) {
            self.cursor = range.end;
        }
        node.next = next;
        node.end = (self.cursor as u32).max(node.start);
    }

    /// Skips the dash, `?`, `:` or comma in front of the next node.
    fn indicators(&mut self) -> Result<(), Problem> {
        let Some(Open { node, expected }) = self.open.last() else { return Ok(()) };
        let flow = self.tree.node(*node).kind.is_flow_collection();
        let mut at = skip_trivia(self.text, self.cursor);
        if flow && *expected != Expected::Value {
            while self.text[at..].starts_with(',') {
                at = skip_trivia(self.text, at + 1);
            }
        }
        let next = self.text.as_bytes().get(at);
        match expected {
            Expected::Item if flow => self.cursor = at,
            Expected::Item if next == Some(&b'-') => self.cursor = at + 1,
            Expected::Item => return Err(unsupported(at)),
            Expected::Key if next == Some(&b'?') && is_separated(self.text, at) => self.cursor = at + 1,
            Expected::Key => self.cursor = at,
            Expected::Value if next == Some(&b':') => self.cursor = at + 1,
            Expected::Value => {}
        }
        Ok(())
    }

    /// Skips the anchor and tag in front of the next node.
    fn properties(&mut self, marked: NodeProperties) -> Result<Option<Span>, Problem> {
        let count = usize::from(marked.anchor != 0) + usize::from(marked.tag.is_some());
        let mut span = None;
        for _ in 0..count {
            let start = skip_trivia(self.text, self.cursor);
            self.cursor = match self.text.as_bytes().get(start) {
                Some(b'&') => anchor_end(self.text, start),
                Some(b'!') => marked.tag_end.ok_or_else(|| unsupported(start))?,
                _ => return Err(unsupported(start)),
            };
            span = Some(Span::new(span.map_or(start, |span: Span| span.start), self.cursor));
        }
        Ok(span)
    }

    fn record(&mut self, node: NodeId, marked: NodeProperties, span: Option<Span>) {
        if let Some(span) = span {
            self.tree.properties.push(Properties { node, span, tag: marked.tag });
        }
        if marked.anchor != 0 {
            self.anchors.insert(marked.anchor, node);
        }
    }

    fn push(&mut self, kind: Kind, start: usize, end: usize) -> NodeId {
        let node = NodeId(self.tree.nodes.len() as u32);
        let [start32, end32] = [start as u32, end as u32];
        self.tree.nodes.push(Node { kind, indent: 0, start: start32, end: end32, next: node.0 + 1 });
        self.cursor = end;
        match self.open.last_mut() {
            None => self.root = self.root.or(Some(node)),
            Some(open) => {
                open.expected = match open.expected {
                    Expected::Item => Expected::Item,
                    Expected::Key => Expected::Value,
                    Expected::Value => Expected::Key,
                }
            }
        }
        node
    }

    fn block_scalar(&mut self, kind: Kind, content_end: usize) -> Result<NodeId, Problem> {
        let start = skip_trivia(self.text, self.cursor);
        if !self.text[start..].starts_with(['|', '>']) {
            return Err(unsupported(start));
        }
        let block = self.open.iter().rev().find(|open| self.tree.node(open.node).kind.is_block_collection());
        let parent = block.map_or(0, |open| column(self.text, self.tree.node(open.node).start as usize));
        let (indent, end) = block_scalar_extent(self.text, start, content_end, parent);
        let node = self.push(kind, start, end);
        self.tree.nodes[node.index()].indent =
            u16::try_from(indent).map_err(|_| Problem::new(ProblemCode::Limit, start, "indented too deeply"))?;
        Ok(node)
    }

    fn finish(mut self) -> Tree {
        self.tree.comments.sort();
        self.tree.properties.sort_by_key(|properties| properties.node);
        self.tree
    }
}

fn unsupported(at: usize) -> Problem {
    Problem::new(ProblemCode::ParseError, at, "this YAML is written in a way that reversion does not support")
}

/// Returns where a document without `---` may start: after the `...` lines that do not end a document.
fn skip_document_end_markers(text: &str, from: usize) -> usize {
    let mut at = skip_trivia(text, from);
    // Within a line, `...` is text: ` ... and more`.
    let starts_line = |at: usize| at == 0 || text[..at].ends_with(['\n', '\r', '\u{feff}']);
    while text[at..].starts_with("...") && is_separated(text, at + 2) && starts_line(at) {
        at = skip_trivia(text, at + 3);
    }
    at
}

fn tag_of(tag: &granit_parser::Tag) -> Tag {
    match tag.suffix_in_namespace("tag:yaml.org,2002:").as_deref() {
        Some("str") => Tag::Str,
        Some("int") => Tag::Int,
        Some("float") => Tag::Float,
        Some("bool") => Tag::Bool,
        Some("null") => Tag::Null,
        Some("binary") => Tag::Binary,
        Some("timestamp") => Tag::Timestamp,
        Some("merge") => Tag::Merge,
        _ => Tag::Other,
    }
}

fn anchor_end(text: &str, start: usize) -> usize {
    let name = |character: char| !character.is_whitespace() && !",[]{}".contains(character);
    text[start..].find(|character| !name(character)).map_or(text.len(), |length| start + length)
}

/// Counts the characters between the start of the line and `at`, without a byte order mark.
fn column(text: &str, at: usize) -> usize {
    let line = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    text[line..at].trim_start_matches('\u{feff}').chars().count()
}

/// Returns the indentation of the block scalar at `start`, and where its last line ends.
///
/// `limit` is where granit stopped reading it: the end of the text, or somewhere in the white space before the next
/// token. `parent` is the column of the collection around it.
fn block_scalar_extent(text: &str, start: usize, limit: usize, parent: usize) -> (usize, usize) {
    let header_end = text[start..].find('\n').map_or(text.len(), |length| start + length);
    let header = text[start..header_end].split('#').next().unwrap_or_default().trim_end();
    let lines = || lines_between(text, header_end + 1, limit);
    let spaces = |line: Span| line.of(text).len() - line.of(text).trim_start_matches(' ').len();
    let is_blank = |line: Span| spaces(line) == line.end - line.start;
    let explicit = header.chars().find_map(|character| character.to_digit(10));
    let indent = match explicit {
        Some(digit) => parent + digit as usize,
        None => {
            lines().find(|line| !is_blank(*line)).or_else(|| lines().max_by_key(|line| spaces(*line))).map_or(0, spaces)
        }
    };
    let keep = header.contains('+');
    // A last line of blanks without a line end is not kept.
    let is_ended = |line: Span| line.end < text.len();
    let is_content = |line: &Span| !is_blank(*line) || spaces(*line) > indent || keep && is_ended(*line);
    let end = lines().filter(is_content).last().map_or(start + header.len(), |line| line.end);
    (indent, end)
}

/// Returns the lines of a text from `from` on, without line ends, up to the line that is not read before `limit`.
fn lines_between(text: &str, from: usize, limit: usize) -> impl Iterator<Item = Span> {
    let mut at = from;
    std::iter::from_fn(move || {
        let rest = text.get(at..).filter(|_| at < limit)?;
        let newline = rest.find('\n');
        let end = at + newline.unwrap_or(rest.len());
        let line = Span::new(at, at + text[at..end].trim_end_matches('\r').len());
        // granit may have read the indentation of the next token's line.
        let foreign = limit < line.end && text[at..limit].bytes().all(|byte| byte == b' ');
        at = newline.map_or(text.len(), |_| end + 1);
        (!foreign).then_some(line)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lists every node as its kind and bytes.
    #[track_caller]
    fn check(text: &str, expected: &[(Kind, &str)]) {
        let tree = parse_exact(text).unwrap();
        let found: Vec<_> = tree.nodes.iter().map(|node| (node.kind, node.span().of(text))).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn block_collections_start_at_their_first_dash_or_key() {
        let text = "z: # c\n- - 1\n  -\n- &a k: v\n";
        check(
            text,
            &[
                (Kind::Mapping, "z: # c\n- - 1\n  -\n- &a k: v"),
                (Kind::Plain, "z"),
                (Kind::Sequence, "- - 1\n  -\n- &a k: v"),
                (Kind::Sequence, "- 1\n  -"),
                (Kind::Plain, "1"),
                (Kind::Empty, ""),
                (Kind::Mapping, "&a k: v"),
                (Kind::Plain, "k"),
                (Kind::Plain, "v"),
            ],
        );
    }

    #[test]
    fn empty_nodes_follow_their_indicator() {
        let text = "a:   # c\n?\n: !!str\nb: {c, d: }\n";
        let tree = parse_exact(text).unwrap();
        let empty: Vec<usize> =
            tree.nodes.iter().filter(|node| node.kind == Kind::Empty).map(|node| node.start as usize).collect();
        assert_eq!(empty, [2, 10, 18, 24, 28]);
    }

    #[test]
    fn flow_pairs_have_no_brackets() {
        check(
            "[a: b, {c}]",
            &[
                (Kind::FlowSequence, "[a: b, {c}]"),
                (Kind::Pair, "a: b"),
                (Kind::Plain, "a"),
                (Kind::Plain, "b"),
                (Kind::FlowMapping, "{c}"),
                (Kind::Plain, "c"),
                (Kind::Empty, ""),
            ],
        );
    }

    #[test]
    fn lines_in_quotes_may_have_any_indentation() {
        check(
            "a:\n  b: \"c\n  d\" # e\n  f: &g !!str 'h\r\ni: j\n\n'\n",
            &[
                (Kind::Mapping, "a:\n  b: \"c\n  d\" # e\n  f: &g !!str 'h\r\ni: j\n\n'"),
                (Kind::Plain, "a"),
                (Kind::Mapping, "b: \"c\n  d\" # e\n  f: &g !!str 'h\r\ni: j\n\n'"),
                (Kind::Plain, "b"),
                (Kind::Double, "\"c\n  d\""),
                (Kind::Plain, "f"),
                (Kind::Single, "'h\r\ni: j\n\n'"),
            ],
        );
        check(
            "- - # a\n   \"b\\\n\tc\n- \\\"\"\n- d\n",
            &[
                (Kind::Sequence, "- - # a\n   \"b\\\n\tc\n- \\\"\"\n- d"),
                (Kind::Sequence, "- # a\n   \"b\\\n\tc\n- \\\"\""),
                (Kind::Double, "\"b\\\n\tc\n- \\\"\""),
                (Kind::Plain, "d"),
            ],
        );
    }

    #[test]
    fn lines_in_quotes_that_end_the_document_or_are_a_key_are_rejected() {
        let shallow = "a: \"b\nc\"\n";
        assert!(parse_exact(shallow).is_ok());
        for text in ["d: 'e\n---\nf'\n", "d: \"e\n---f\"\n", "d: \"e\n...\nf\"\n", "? a\n: \"e\nf\": g\n"] {
            assert_eq!(parse_exact(&format!("{shallow}{text}")).unwrap_err().code, ProblemCode::ParseError, "{text}");
        }
    }

    #[test]
    fn what_only_resembles_a_scalar_in_quotes_is_not_joined() {
        let text = "a: \"b\nc\"\nd: -\"e\nf: \"g\"\n";
        let tree = parse_exact(text).unwrap();
        let [.., d, e, f, g] = tree.nodes.as_slice() else { panic!("{tree:?}") };
        assert_eq!([d, e, f, g].map(|node| node.span().of(text)), ["d", "-\"e", "f", "\"g\""]);
    }

    #[track_caller]
    fn check_block_scalar(text: &str, expected: &str, indent: u16) {
        let tree = parse_exact(text).unwrap();
        let node = tree.nodes.iter().find(|node| node.kind.is_block_scalar()).unwrap();
        assert_eq!((node.span().of(text), node.indent), (expected, indent));
    }

    #[test]
    fn block_scalars_end_with_their_last_line_of_content() {
        check_block_scalar("a: | # c\n  x\n\n\nb: 1\n", "| # c\n  x", 2);
        check_block_scalar("a: |+\n  x\n\n\nb: 1\n", "|+\n  x\n\n", 2);
        check_block_scalar("a:\n  - |+\n    x\n\n  - y\n", "|+\n    x\n", 4);
        check_block_scalar("a: !!str |2-\n    x\n   \n\n", "|2-\n    x\n   ", 2);
        check_block_scalar("a: >\r\n  x\r\n\r\nb: 1\r\n", ">\r\n  x", 2);
        check_block_scalar("a: |\nb: 1\n", "|", 0);
        check_block_scalar("a: >", ">", 0);
        check_block_scalar("--- |1\n  x", "|1\n  x", 1);
    }

    #[track_caller]
    fn check_slices(text: &str, expected: &[&str]) {
        let tree = parse_exact(text).unwrap();
        let slices: Vec<&str> = tree.documents.iter().map(|document| document.span.of(text)).collect();
        assert_eq!(slices, expected);
        for slice in slices {
            assert_eq!(parse_exact(slice).unwrap().documents.len(), 1, "{slice}");
        }
    }

    #[test]
    fn slices_tile_the_text_and_parse_alone() {
        check_slices("", &[]);
        check_slices("# only\n", &[]);
        check_slices("---", &["---"]);
        check_slices("# c\n---\na: 1\n# d\n---\n", &["# c\n---\na: 1\n# d\n", "---\n"]);
        check_slices(
            "\u{feff}%YAML 1.1\n--- # c\na: 1\n... # end\n# of b\nb: 2\n---\n# none\n--- {c: 3}\n# tail\n",
            &[
                "\u{feff}%YAML 1.1\n--- # c\na: 1\n... # end\n",
                "# of b\nb: 2\n",
                "---\n# none\n",
                "--- {c: 3}\n# tail\n",
            ],
        );
        check_slices("a\n...\n...\nb\n...\n...\n", &["a\n...\n", "...\nb\n...\n...\n"]);
        check_slices(" ... a: b\n", &[" ... a: b\n"]);
    }

    #[test]
    fn deep_nesting_is_refused() {
        for open in ["[", "{a: ", "- ", "? "] {
            let problem = parse_exact(&open.repeat(100_000)).unwrap_err();
            assert_eq!(problem.code, ProblemCode::Limit, "{open}");
        }
        assert!(parse_exact(&format!("{}{}", "[".repeat(200), "]".repeat(200))).is_ok());
        let problem = parse_exact(&format!("{}{}", "[".repeat(201), "]".repeat(201))).unwrap_err();
        assert_eq!((problem.code, problem.at), (ProblemCode::Limit, 200));
    }

    #[test]
    fn yaml_that_only_go_accepts_is_rejected() {
        for text in ["a: \"b\"#c\n", "[-]\n", "a: x\n\tb\n: 1\n"] {
            assert_eq!(parse_exact(text).unwrap_err().code, ProblemCode::ParseError, "{text}");
        }
    }

    #[test]
    fn a_parse_error_explains_what_to_do() {
        for (text, at, message) in [
            ("a: `b`\n", 3, "a plain (unquoted) value cannot start with '`'; put the value in quotes"),
            ("a: [@b]\n", 4, "a plain (unquoted) value cannot start with '@'; put the value in quotes"),
            ("a: *b\n", 3, "the alias refers to an anchor that is not defined before it"),
            ("a: b: c\n", 4, "a mapping is not allowed here; put the value in quotes if `: ` is part of it"),
            ("a: [b\n", 3, "the bracket '[' is never closed"),
            ("a: 'b\n", 6, "the quote opened at 1:4 is never closed"),
            ("[a, 'b\n", 4, "the quote is never closed"),
            ("\"a\n---\nb\n", 0, "the quote is not closed before the document ends"),
            ("é: 1\na: \"b\nc: d\n", 12, "the quote opened at 2:4 is never closed"),
            ("a: 'b\nc: it''s\n", 6, "the quote opened at 1:4 is never closed"),
            (
                "a: \"b\nc: \"d\"\n",
                6,
                "the quote opened at 1:4 is still open here; close it before this line, or indent this line further",
            ),
        ] {
            let problem = parse_exact(text).unwrap_err();
            assert_eq!((problem.at, problem.message.as_str()), (at, message), "{text}");
        }
    }

    #[test]
    fn a_key_that_is_too_long_is_reported_as_that() {
        let key = "é".repeat(1025);
        for (before, after) in
            [("", ": 1\n"), ("a: 1\nb:\n  - \"", "{,\": 1\n"), ("a:\n- b: {c: d, ", ": 1}\n"), ("a: 1\n", ": 1\n")]
        {
            let problem = parse_exact(&format!("{before}{key}{after}")).unwrap_err();
            assert_eq!(problem.message, "the key is longer than the 1024 characters that YAML allows", "{before}");
            assert_eq!(problem.at, before.trim_end_matches('"').len(), "{before}");
        }
        assert!(parse_exact(&format!("{}: 1\n", "é".repeat(1024))).is_ok());
    }

    #[test]
    fn a_parse_error_has_its_byte_offset() {
        let problem = parse_exact("é: 1\nb: [\n").unwrap_err();
        assert_eq!(problem.code, ProblemCode::ParseError);
        assert!(problem.at >= 6, "{problem:?}");
    }
}
