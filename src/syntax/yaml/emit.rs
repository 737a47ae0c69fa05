//! Answers: how is a new value written, in the style of the text around it?
//!
//! A scalar is written plain if every parser reads it as that string, otherwise quoted. A mapping or list is written in
//! block style, with the indentation of the document; inside `{...}` and `[...]` it is written in flow style, on one line.
//! A string of several lines becomes a literal block scalar (`|`) if that can represent it.
//!
//! Invariant: what is written reads back as the value, by YAML 1.1 and by YAML 1.2.

use serde_json::Value;

use super::format::{LineStyle, MultilineText, Quotes};
use super::layout::Layout;
use super::resolve::reads_as_text;
use super::tree::{Kind, NodeId};

/// The context of a scalar, which decides what must be quoted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Context {
    /// Block style: `a: x, y` needs no quotes.
    Block,
    /// Flow style: `[a, "x, y"]`.
    Flow,
    /// JSON: flow style with all keys in double quotes, `{"a": "x"}`.
    Json,
    /// JSON without spaces: `{"a":"x"}`.
    CompactJson,
}

impl Context {
    /// Returns the context of the entries of `container`, which may be a null that becomes a collection.
    pub(super) fn inside(layout: &Layout<'_>, container: NodeId) -> Self {
        let is_flow = |node: &NodeId| layout.kind(*node).is_flow_collection();
        let Some(brackets) = Some(container).filter(is_flow).or_else(|| layout.parent(container).filter(is_flow))
        else {
            return Self::Block;
        };
        match layout.json_entry(brackets) {
            None => Self::Flow,
            Some(entry) if layout.tree.start(entry.value) == entry.opened => Self::CompactJson,
            Some(_) => Self::Json,
        }
    }

    /// Returns whether all strings must be in double quotes.
    pub(super) const fn is_json(self) -> bool {
        matches!(self, Self::Json | Self::CompactJson)
    }

    /// Returns the space after colons and commas.
    pub(super) const fn gap(self) -> &'static str {
        match self {
            Self::Block | Self::Flow | Self::Json => " ",
            Self::CompactJson => "",
        }
    }
}

/// Writes a string as a plain or quoted scalar, in double quotes if it does not contain any.
pub(super) fn scalar(text: &str, context: Context) -> String {
    scalar_in(Quotes::Double, text, context)
}

/// Writes a string as a plain or quoted scalar: in the other quotes if it contains these and not the others.
pub(super) fn scalar_in(quotes: Quotes, text: &str, context: Context) -> String {
    if !context.is_json() && can_stand_plain(text, context) && reads_as_text(text) {
        return text.to_owned();
    }
    let quotes = match (text.contains('"'), text.contains('\'')) {
        (true, false) => Quotes::Single,
        (false, true) => Quotes::Double,
        _ => quotes,
    };
    match quotes {
        Quotes::Single if !context.is_json() && text.chars().all(is_printable) => single_quoted(text),
        _ => double_quoted(text),
    }
}

fn single_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// Writes a string in the quotes of the scalar that it replaces.
pub(super) fn scalar_like(kind: Kind, text: &str, context: Context) -> String {
    match kind {
        Kind::Double => double_quoted(text),
        Kind::Single if text.chars().all(is_printable) => single_quoted(text),
        _ => scalar(text, context),
    }
}

/// Writes a value on one line, as the value of a key in block style.
#[must_use]
pub fn one_line_text(value: &Value) -> String {
    one_line(value, Context::Block, LineStyle::default())
}

/// Writes a value in flow style, on one line.
pub(super) fn one_line(value: &Value, context: Context, style: LineStyle) -> String {
    let inner = if context == Context::Block { Context::Flow } else { context };
    let comma = format!(",{}", inner.gap());
    match value {
        Value::String(text) => scalar_in(style.quotes, text, context),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| one_line(item, inner, style)).collect();
            style.brackets(&items.join(&comma))
        }
        Value::Object(map) => {
            let entry = |(key, value): (&String, &Value)| {
                format!("{}:{}{}", scalar(key, inner), inner.gap(), one_line(value, inner, style))
            };
            style.braces(&map.iter().map(entry).collect::<Vec<_>>().join(&comma))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

/// Writes new values in flow style.
#[derive(Clone, Debug)]
pub(super) struct FlowEmitter<'t> {
    context: Context,
    style: LineStyle,
    lines: Option<JsonLines<'t>>,
}

/// The lines of JSON with each value on a line of its own.
#[derive(Clone, Debug)]
struct JsonLines<'t> {
    /// The indentation of the entries of the collection.
    indentation: String,
    /// The indentation that each level adds.
    step: &'t str,
    line_ending: &'static str,
}

impl<'t> FlowEmitter<'t> {
    /// Returns the emitter for the entries of `container`.
    pub(super) fn of(layout: &Layout<'t>, container: NodeId) -> Self {
        let context = Context::inside(layout, container);
        let around =
            Some(container).filter(|node| layout.kind(*node).is_flow_collection()).or(layout.parent(container));
        let step = around
            .and_then(|around| layout.json_indent(around))
            .filter(|_| context.is_json() && layout.is_multiline_json());
        let open = layout.span(container).start;
        let lines = step.map(|step| JsonLines {
            indentation: format!("{}{step}", layout.indentation(open)),
            step,
            line_ending: layout.line_ending(open),
        });
        Self { context, style: layout.line_style(), lines }
    }

    /// Writes a value of the collection.
    pub(super) fn value(&self, value: &Value) -> String {
        match &self.lines {
            None => one_line(value, self.context, self.style),
            Some(lines) => lines.write(value, &lines.indentation),
        }
    }

    /// Writes an entry of the collection.
    pub(super) fn entry(&self, key: &str, value: &Value) -> String {
        format!("{}:{}{}", scalar(key, self.context), self.context.gap(), self.value(value))
    }

    /// Returns the indentation of the entries, if each has a line of its own.
    pub(super) fn indentation(&self) -> Option<&str> {
        self.lines.as_ref().map(|lines| lines.indentation.as_str())
    }

    /// Puts the only entry or item between brackets: on a line of its own, if the document is written like that.
    pub(super) fn only(&self, [open, close]: [&str; 2], text: &str) -> String {
        match &self.lines {
            None if open == "[" => self.style.brackets(text),
            None => self.style.braces(text),
            Some(JsonLines { indentation, step, line_ending }) => {
                let outer = indentation.strip_suffix(step).unwrap_or(indentation);
                format!("{open}{line_ending}{indentation}{text}{line_ending}{outer}{close}")
            }
        }
    }
}

impl JsonLines<'_> {
    /// Writes a value whose first line is indented by `indentation`.
    fn write(&self, value: &Value, indentation: &str) -> String {
        let inner = format!("{indentation}{}", self.step);
        let around = |[open, close]: [&str; 2], lines: Vec<String>| match lines.is_empty() {
            true => format!("{open}{close}"),
            false => {
                let line = format!("{}{inner}", self.line_ending);
                let lines = lines.join(&format!(",{line}"));
                format!("{open}{line}{lines}{}{indentation}{close}", self.line_ending)
            }
        };
        match value {
            Value::Array(items) => around(["[", "]"], items.iter().map(|item| self.write(item, &inner)).collect()),
            Value::Object(map) => {
                let entry = |(key, value): (&String, &Value)| {
                    format!("{}: {}", scalar(key, Context::Json), self.write(value, &inner))
                };
                around(["{", "}"], map.iter().map(entry).collect())
            }
            _ => one_line(value, Context::Json, LineStyle::default()),
        }
    }
}

/// A value as it is written after a colon or dash.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Rendered {
    /// What is on the line of the colon or dash; empty for nothing.
    pub(super) head: String,
    /// The lines below it, each with its line end.
    pub(super) body: String,
}

impl Rendered {
    /// Moves the first line to the line of the dash.
    pub(super) fn on_dash_line(self) -> Self {
        if !self.head.is_empty() {
            return self;
        }
        let (first, rest) = self.body.split_once('\n').unwrap_or((&self.body, ""));
        Self { head: first.trim_matches([' ', '\r']).to_owned(), body: rest.to_owned() }
    }
}

/// Writes new values in block style.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockEmitter {
    /// How many columns a mapping is indented below its key.
    pub(super) step: usize,
    /// How many columns the dashes of a list are indented below its key.
    pub(super) list_indent: usize,
    /// How many columns the content of an item starts after its dash.
    pub(super) dash_width: usize,
    pub(super) quotes: Quotes,
    pub(super) line_ending: &'static str,
    pub(super) multiline: MultilineText,
}

impl BlockEmitter {
    /// Returns the emitter for the style used around `node`.
    pub(super) fn near(layout: &Layout<'_>, node: NodeId) -> Self {
        Self {
            step: layout.step(node),
            list_indent: layout.list_indent(node),
            dash_width: layout.dash_width(),
            quotes: layout.quotes(),
            line_ending: layout.line_ending(layout.span(node).start),
            multiline: layout.multiline,
        }
    }

    /// Writes the value of a key in `column`.
    pub(super) fn value(&self, value: &Value, column: usize) -> Rendered {
        match value {
            Value::Object(map) if !map.is_empty() => self.lines(value, column + self.step),
            Value::Array(items) if !items.is_empty() => self.lines(value, column + self.list_indent),
            _ => self.scalar(value, column + self.step),
        }
    }

    /// Writes an item whose content starts in `column`, after its dash.
    pub(super) fn item(&self, value: &Value, column: usize) -> Rendered {
        match value {
            Value::Object(map) if !map.is_empty() => self.lines(value, column).on_dash_line(),
            Value::Array(items) if !items.is_empty() => self.lines(value, column).on_dash_line(),
            _ => self.scalar(value, column),
        }
    }

    /// Writes a document's value.
    pub(super) fn root(&self, value: &Value) -> Rendered {
        match value {
            Value::Object(map) if !map.is_empty() => self.lines(value, 0),
            Value::Array(items) if !items.is_empty() => self.lines(value, 0),
            _ => self.scalar(value, self.step),
        }
    }

    /// Writes an entry that starts in `column`.
    pub(super) fn entry(&self, key: &str, value: &Value, column: usize) -> String {
        let opened = format!("{}:", scalar(key, Context::Block));
        self.behind(&opened, self.value(value, column), column)
    }

    /// Writes an item whose dash is in `column`.
    pub(super) fn dashed(&self, value: &Value, column: usize) -> String {
        let opened = format!("{:1$}", "-", self.dash_width - 1);
        self.behind(&opened, self.item(value, column + self.dash_width), column)
    }

    fn behind(&self, opened: &str, Rendered { head, body }: Rendered, column: usize) -> String {
        let space = if head.is_empty() { "" } else { " " };
        format!("{:column$}{opened}{space}{head}{}{body}", "", self.line_ending)
    }

    fn lines(&self, value: &Value, column: usize) -> Rendered {
        let body = match value {
            Value::Object(map) => map.iter().map(|(key, value)| self.entry(key, value, column)).collect(),
            Value::Array(items) => items.iter().map(|item| self.dashed(item, column)).collect(),
            _ => String::new(),
        };
        Rendered { head: String::new(), body }
    }

    /// Writes a scalar or empty collection; a string of several lines as a literal block scalar with its content in `column`.
    fn scalar(&self, value: &Value, column: usize) -> Rendered {
        let long = value.as_str().filter(|_| self.multiline == MultilineText::Block);
        match long.and_then(|text| Some((text, literal_header(text)?))) {
            None => {
                let style = LineStyle { quotes: self.quotes, ..LineStyle::default() };
                Rendered { head: one_line(value, Context::Block, style), body: String::new() }
            }
            Some((text, header)) => {
                let line = |line: &str| match line {
                    "" => self.line_ending.to_owned(),
                    _ => format!("{:column$}{line}{}", "", self.line_ending),
                };
                Rendered { head: header.to_owned(), body: text.lines().map(line).collect() }
            }
        }
    }
}

/// Returns the header of the literal block scalar that represents a string; `None` for one line, and for strings whose blanks or
/// line ends an editor might remove.
fn literal_header(text: &str) -> Option<&'static str> {
    let content = text.strip_suffix('\n').unwrap_or(text);
    let shown = |line: &str| {
        line.chars().all(|character| character == '\t' || is_printable(character)) && !line.ends_with([' ', '\t'])
    };
    let first_line_starts = !text.starts_with([' ', '\t', '\n']) && !content.ends_with('\n');
    let ok = text.contains('\n') && !content.is_empty() && first_line_starts && content.split('\n').all(shown);
    ok.then_some(if content.len() == text.len() { "|-" } else { "|" })
}

/// Returns whether this text may be written as a plain scalar, whatever type it resolves to.
fn can_stand_plain(text: &str, context: Context) -> bool {
    let Some(first) = text.chars().next() else { return false };
    let starts = match first {
        '-' => text[1..].starts_with(|next: char| !next.is_whitespace()) && !text.starts_with("---"),
        '.' => !text.starts_with("..."),
        _ => !"!&*?:,[]{}#|>@`\"'%".contains(first),
    };
    let trimmed = text.trim() == text && text.chars().all(is_printable);
    let in_flow = context == Context::Block || !text.contains([',', '[', ']', '{', '}', '?']);
    starts && trimmed && in_flow && !text.contains(": ") && !text.contains(" #") && !text.ends_with(':')
}

/// Returns whether a character may be written unescaped, on one line.
///
/// Source: YAML 1.2.2, 5.1 and 5.4, without the line ends of YAML 1.1.
fn is_printable(character: char) -> bool {
    match character {
        '\u{20}'..='\u{7e}' | '\u{a0}'..='\u{d7ff}' => !matches!(character, '\u{2028}' | '\u{2029}'),
        '\u{e000}'..='\u{fffd}' => character != '\u{feff}',
        '\u{10000}'.. => true,
        _ => false,
    }
}

/// Writes a string in double quotes, with the escapes common to JSON and YAML.
fn double_quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            _ if is_printable(character) => out.push(character),
            _ => out.push_str(&format!("\\u{:04x}", u32::from(character))),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;
    use serde_json::json;

    use super::super::parse;
    use super::super::value::read_value;
    use super::*;

    #[track_caller]
    fn check(texts: &[(&str, &str)], context: Context) {
        for (text, expected) in texts {
            assert_eq!(scalar(text, context), *expected, "{text}");
        }
    }

    #[test]
    fn strings_are_quoted_where_the_syntax_requires_it() {
        let same = |text| (text, text);
        let plain =
            ["a", "a b", "a:b", "a#b", "--flag", "-x", "é", "a, b", "{x}y".trim_start_matches('{'), "k8s.io/v1", "a'b"];
        check(&plain.map(same), Context::Block);
        check(
            &[
                ("- a", "\"- a\""),
                ("-", "\"-\""),
                ("a: b", "\"a: b\""),
                ("a:", "\"a:\""),
                ("a #b", "\"a #b\""),
                (" a", "\" a\""),
                ("{a", "\"{a\""),
                ("?a", "\"?a\""),
                ("::1", "\"::1\""),
                ("---", "\"---\""),
                ("a\tb", "\"a\\tb\""),
                ("a\u{85}", "\"a\\u0085\""),
                ("\"", "'\"'"),
                ("\"'", "\"\\\"'\""),
                ("{\"a\":\"\\n\"}", "'{\"a\":\"\\n\"}'"),
                ("", "\"\""),
                ("yes", "\"yes\""),
            ],
            Context::Block,
        );
        check(&[("a, b", "\"a, b\""), ("a?b", "\"a?b\""), ("[", "\"[\""), ("a:b", "a:b")], Context::Flow);
        check(&[("a", "\"a\"")], Context::Json);
    }

    #[test]
    fn strings_that_need_quotes_get_those_of_the_document() {
        let single = |text| scalar_in(Quotes::Single, text, Context::Block);
        let written = ["a", "", "yes", "it's: x", "\"a\": 'b", "a\tb"].map(single);
        assert_eq!(written, ["a", "''", "'yes'", "\"it's: x\"", "'\"a\": ''b'", "\"a\\tb\""]);
        assert_eq!(scalar_in(Quotes::Single, "a", Context::Json), "\"a\"");
    }

    #[test]
    fn quotes_are_kept() {
        assert_eq!(scalar_like(Kind::Single, "it's", Context::Block), "'it''s'");
        assert_eq!(scalar_like(Kind::Single, "a\nb", Context::Block), "\"a\\nb\"");
        assert_eq!(scalar_like(Kind::Double, "a", Context::Block), "\"a\"");
        assert_eq!(scalar_like(Kind::Literal, "a", Context::Block), "a");
    }

    #[test]
    fn values_follow_the_style() {
        let value = json!({"a": [{"b": [1, [2, "x\ny\n"]], "c": {}}, [], "x\ny"], "d": {"on": null}});
        let style = |step, list_indent| BlockEmitter {
            step,
            list_indent,
            dash_width: 2,
            quotes: Quotes::Double,
            line_ending: "\n",
            multiline: MultilineText::Block,
        };
        assert_eq!(
            style(2, 0).root(&value).body,
            "a:\n- b:\n  - 1\n  - - 2\n    - |\n      x\n      y\n  c: {}\n- []\n- |-\n  x\n  y\nd:\n  \"on\": null\n"
        );
        assert_eq!(
            style(4, 4).root(&value).body,
            "a:\n    - b:\n          - 1\n          - - 2\n            - |\n              x\n              y\n      c: {}\n    - []\n    - |-\n      x\n      y\nd:\n    \"on\": null\n"
        );
        assert_eq!(
            one_line(&value, Context::Json, LineStyle::default()),
            value.to_string().replace(':', ": ").replace(',', ", ")
        );
    }

    fn values() -> impl Strategy<Value = Value> {
        let texts = prop_oneof![
            "[a-c:#?,&*!|>'\" \\n\\t{}\\[\\]-]{0,6}",
            "[0-9._:eExX+-]{0,6}",
            "\\PC{0,4}",
            any::<String>(),
            prop::sample::select(vec!["yes", "no", "null", "~", "<<", "=", "...", "---", "true", "2001-12-14"])
                .prop_map(str::to_owned),
        ];
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            texts.clone().prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 24, 4, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec((texts.clone(), inner), 0..4)
                    .prop_map(|entries| Value::Object(entries.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, rng_seed: RngSeed::Fixed(2026), ..ProptestConfig::with_cases(2000) })]

        #[test]
        fn emitted_values_read_back(value in values(), step in 1..5usize, list_indent in 0..5usize, single in any::<bool>()) {
            let quotes = if single { Quotes::Single } else { Quotes::Double };
            let Rendered { head, body } = BlockEmitter { step, list_indent, dash_width: 2, quotes, line_ending: "\r\n", multiline: MultilineText::Block }.root(&value);
            let style = LineStyle { quotes, ..LineStyle::default() };
            for text in [format!("--- {head}\r\n{body}"), one_line(&value, Context::Flow, style), one_line(&value, Context::Json, style)] {
                let tree = parse(&text).unwrap();
                prop_assert_eq!(read_value(&tree, &text, tree.documents()[0].root).unwrap(), value.clone(), "{}", text);
            }
        }
    }
}
