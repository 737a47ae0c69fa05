//! Answers: how could a user have written these values in a file?
//!
//! [`text`] writes documents in one [`Style`], drawn at random: block, flow and JSON, every usual indentation, quotes, comments,
//! line ends, anchors that no alias uses, block scalars.
//!
//! Invariant: the text reads back as the rendered values; the law "rendered texts read back" checks it.

use serde_json::{Map, Value};

use super::scalars::{self, Context, Quotes};
use crate::support::random::Random;

/// How a file is written.
#[derive(Clone, Debug)]
pub(crate) struct Style {
    pub(crate) layout: Layout,
    pub(crate) crlf: bool,
    pub(crate) byte_order_mark: bool,
    pub(crate) final_newline: bool,
    /// The indentation of a mapping in another mapping.
    pub(crate) step: usize,
    /// The indentation of the dashes of a list from its key.
    pub(crate) list_step: usize,
    /// How many spaces follow a dash.
    pub(crate) dash_gap: usize,
    pub(crate) quotes: Quotes,
    /// How often each of these is chosen if possible, in percent.
    pub(crate) comments: usize,
    /// Comments are not aligned with their entries.
    pub(crate) stray_comments: bool,
    pub(crate) blank_lines: usize,
    pub(crate) anchors: usize,
    pub(crate) flow: usize,
    pub(crate) block_scalars: usize,
}

/// The overall notation of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Block style, with some values in flow style.
    Block,
    /// Flow style only: `{apiVersion: v1, ...}`.
    Flow,
    /// JSON on one line.
    CompactJson,
    /// JSON with one value on each line.
    PrettyJson,
}

impl Style {
    /// The style of most files: two spaces, no comments.
    pub(crate) const PLAIN: Self = Self {
        layout: Layout::Block,
        crlf: false,
        byte_order_mark: false,
        final_newline: true,
        step: 2,
        list_step: 0,
        dash_gap: 1,
        quotes: Quotes::Fewest,
        comments: 0,
        stray_comments: false,
        blank_lines: 0,
        anchors: 0,
        flow: 0,
        block_scalars: 0,
    };

    /// Draws a style.
    pub(crate) fn draw(random: &mut Random) -> Self {
        let style = Self::draw_any(random);
        if !random.chance(35) {
            return style;
        }
        // The most common style: the laws of texts apply to it most often.
        let Self { crlf, byte_order_mark, final_newline, comments, .. } = style;
        Self { crlf, byte_order_mark, final_newline, comments, ..Self::PLAIN }
    }

    fn draw_any(random: &mut Random) -> Self {
        let layout = match random.below(20) {
            0 | 1 => Layout::Flow,
            2 => Layout::CompactJson,
            3 | 4 => Layout::PrettyJson,
            _ => Layout::Block,
        };
        Self {
            layout,
            crlf: random.chance(12),
            byte_order_mark: random.chance(6),
            final_newline: random.chance(88),
            step: *random.pick(&[2, 2, 2, 4]),
            list_step: *random.pick(&[0, 0, 2, 2, 4]),
            dash_gap: *random.pick(&[1, 1, 1, 1, 3]),
            quotes: *random.pick(&[Quotes::Fewest, Quotes::Fewest, Quotes::Single, Quotes::Double, Quotes::Mixed]),
            comments: *random.pick(&[0, 0, 15, 90]),
            stray_comments: random.chance(40),
            blank_lines: *random.pick(&[0, 0, 10]),
            anchors: *random.pick(&[0, 0, 0, 8]),
            flow: *random.pick(&[0, 0, 10, 50]),
            block_scalars: *random.pick(&[0, 60]),
        }
    }

    /// Returns whether the file is JSON.
    pub(crate) const fn is_json(&self) -> bool {
        matches!(self.layout, Layout::CompactJson | Layout::PrettyJson)
    }
}

/// Writes `documents`; null is an empty document. In JSON there is one document.
pub(crate) fn text(documents: &[Value], style: &Style, random: &mut Random) -> String {
    let mut writer = Writer { out: String::new(), style, random, comments: 0, anchors: 0, after_block_scalar: false };
    match (documents, style.is_json()) {
        ([document], true) => writer.json(document),
        _ => writer.documents(documents),
    }
    let keep_newline = style.final_newline || writer.after_block_scalar;
    let mut text = writer.out;
    if !keep_newline {
        text.truncate(text.trim_end_matches('\n').len());
    }
    if style.crlf {
        text = text.replace('\n', "\r\n");
    }
    if style.byte_order_mark { format!("\u{feff}{text}") } else { text }
}

/// The text before a value on its line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum After {
    Key,
    Dash,
}

/// The column that a block's own lines start in.
type Column = usize;

struct Writer<'r> {
    out: String,
    style: &'r Style,
    random: &'r mut Random,
    comments: usize,
    anchors: usize,
    /// The last line belongs to a block scalar, which would include a following line that is not indented less.
    after_block_scalar: bool,
}

impl Writer<'_> {
    fn json(&mut self, value: &Value) {
        match self.style.layout {
            Layout::PrettyJson => self.out.push_str(&format!("{value:#}")),
            _ => self.out.push_str(&value.to_string()),
        }
        self.out.push('\n');
    }

    fn documents(&mut self, documents: &[Value]) {
        for (number, document) in documents.iter().enumerate() {
            if number > 0 || self.random.chance(15) {
                if number > 0 && !self.after_block_scalar && self.random.chance(3) {
                    self.out.push_str("...\n");
                }
                self.out.push_str("---");
                self.end_line();
            }
            self.after_block_scalar = false;
            // A file that starts with an empty document needs a marker to have one.
            if document.is_null() && self.out.is_empty() {
                self.out.push_str("---\n");
            }
            self.own_lines(0);
            match document {
                Value::Null => self.out.push_str("# nothing here\n"),
                Value::Object(map) if self.style.layout == Layout::Block && !map.is_empty() => {
                    self.mapping(map, 0, false)
                }
                value => {
                    let flow = self.flow(value, 0);
                    self.out.push_str(&flow);
                    self.end_line();
                }
            }
        }
    }

    /// Ends a line, with a comment at times.
    fn end_line(&mut self) {
        self.after_block_scalar = false;
        if self.random.chance(self.style.comments) {
            let gap = if self.random.chance(70) { " " } else { "   " };
            let comment = self.comment();
            self.out.push_str(&format!("{gap}{comment}"));
        }
        self.out.push('\n');
    }

    /// Writes comments and blank lines in front of an entry that starts in `column`.
    fn own_lines(&mut self, column: Column) {
        if !self.after_block_scalar && self.random.chance(self.style.blank_lines) {
            self.out.push('\n');
        }
        while self.random.chance(self.style.comments.min(60)) {
            let strays = self.style.stray_comments && !self.after_block_scalar;
            let at = if strays { *self.random.pick(&[column, column, 0, column + 2]) } else { column };
            let comment = self.comment();
            self.out.push_str(&format!("{}{comment}\n", spaces(at)));
        }
    }

    fn comment(&mut self) -> String {
        self.comments += 1;
        let number = self.comments;
        let texts = ["note", "tls: old", "spec:", "- item", "{", "'", "see \"docs\"", "kind: Gateway", "#", "é"];
        format!("# {} {number}", self.random.pick(&texts))
    }

    fn mapping(&mut self, map: &Map<String, Value>, column: Column, inline: bool) {
        for (number, (key, value)) in map.iter().enumerate() {
            if number > 0 || !inline {
                self.own_lines(column);
                self.out.push_str(&spaces(column));
            }
            let key = scalars::text(key, self.key_quotes(), Context::Block, self.random);
            self.out.push_str(&key);
            self.out.push(':');
            self.value(value, column, After::Key);
        }
    }

    /// Returns how keys are quoted: few files quote them all.
    fn key_quotes(&mut self) -> Quotes {
        if self.random.chance(90) { Quotes::Fewest } else { self.style.quotes }
    }

    fn list(&mut self, items: &[Value], column: Column, inline: bool) {
        for (number, item) in items.iter().enumerate() {
            if number > 0 || !inline {
                self.own_lines(column);
                self.out.push_str(&spaces(column));
            }
            self.out.push('-');
            self.value(item, column, After::Dash);
        }
    }

    /// Writes the value of a key or dash in `column`, including its last line end.
    fn value(&mut self, value: &Value, column: Column, after: After) {
        let anchor = self.anchor();
        let is_flow = self.random.chance(self.style.flow);
        match value {
            Value::Object(map) if !map.is_empty() && !is_flow => self.block_mapping(map, column, after, &anchor),
            Value::Array(items) if !items.is_empty() && !is_flow => self.block_list(items, column, after, &anchor),
            Value::String(text) if self.can_be_block_scalar(text) => self.block_scalar(text, column, &anchor),
            Value::Object(_) | Value::Array(_) => {
                let flow = self.flow(value, column);
                self.out.push_str(&format!("{anchor} {flow}"));
                self.end_line();
            }
            Value::Null if anchor.is_empty() && self.random.chance(30) => self.end_line(),
            scalar => {
                let text = scalars::scalar(scalar, self.style.quotes, Context::Block, self.random);
                self.out.push_str(&format!("{anchor} {text}"));
                self.end_line();
            }
        }
    }

    /// Returns an anchor, with the space in front of it, or nothing.
    fn anchor(&mut self) -> String {
        if !self.random.chance(self.style.anchors) {
            return String::new();
        }
        self.anchors += 1;
        format!(" &a{}", self.anchors)
    }

    fn block_mapping(&mut self, map: &Map<String, Value>, column: Column, after: After, anchor: &str) {
        if after == After::Dash && anchor.is_empty() && self.random.chance(95) {
            self.out.push_str(&spaces(self.style.dash_gap));
            self.mapping(map, column + 1 + self.style.dash_gap, true);
        } else {
            self.out.push_str(anchor);
            self.end_line();
            self.mapping(map, column + self.style.step, false);
        }
    }

    fn block_list(&mut self, items: &[Value], column: Column, after: After, anchor: &str) {
        if after == After::Dash && anchor.is_empty() && self.random.chance(80) {
            self.out.push_str(&spaces(self.style.dash_gap));
            self.list(items, column + 1 + self.style.dash_gap, true);
        } else {
            let step = if after == After::Dash { 2 } else { self.style.list_step };
            self.out.push_str(anchor);
            self.end_line();
            self.list(items, column + step, false);
        }
    }

    fn can_be_block_scalar(&mut self, text: &str) -> bool {
        let lines_are_plain = text.split('\n').all(|line| line.chars().all(scalars::is_printable) && !is_blank(line));
        // Only line ends after the last word, so that the chomping indicator is unambiguous.
        let is_likely = self.random.chance(if text.contains([' ', '\n']) { self.style.block_scalars } else { 2 });
        lines_are_plain && !text.trim_matches('\n').is_empty() && self.style.block_scalars > 0 && is_likely
    }

    /// Writes `|` or `>` and the lines below it.
    fn block_scalar(&mut self, text: &str, column: Column, anchor: &str) {
        let body = text.trim_end_matches('\n');
        let chomping = match text.len() - body.len() {
            0 => "-",
            1 => "",
            _ => "+",
        };
        let is_folded =
            !body.contains('\n') && !body.starts_with(' ') && !body.ends_with(' ') && self.random.chance(50);
        let indicator = if body.starts_with([' ', '\n']) || self.random.chance(10) {
            self.style.step.to_string()
        } else {
            String::new()
        };
        self.out.push_str(&format!("{anchor} {}{indicator}{chomping}", if is_folded { '>' } else { '|' }));
        self.end_line();
        let body = if is_folded { fold(body) } else { body.to_owned() };
        for line in body.split('\n') {
            let indentation = if line.is_empty() { String::new() } else { spaces(column + self.style.step) };
            self.out.push_str(&format!("{indentation}{line}\n"));
        }
        self.out.extend(std::iter::repeat_n('\n', (text.len() - text.trim_end_matches('\n').len()).saturating_sub(1)));
        self.after_block_scalar = true;
    }

    /// Returns `value` in flow style; sometimes on several lines, to the right of `column`.
    fn flow(&mut self, value: &Value, column: Column) -> String {
        let (open, close, entries) = match value {
            Value::Object(map) => {
                let entries = map.iter().map(|(key, value)| (Some(key.as_str()), value)).collect::<Vec<_>>();
                ('{', '}', entries)
            }
            Value::Array(items) => ('[', ']', items.iter().map(|item| (None, item)).collect()),
            scalar => return scalars::scalar(scalar, self.style.quotes, Context::Flow, self.random),
        };
        if entries.is_empty() {
            return format!("{open}{close}");
        }
        let inner = column + self.style.step;
        let several_lines = self.random.chance(20);
        let mut out = String::from(open);
        let count = entries.len();
        let padding = if several_lines { "" } else { *self.random.pick(&["", " "]) };
        out.push_str(padding);
        for (number, (key, value)) in entries.into_iter().enumerate() {
            if several_lines {
                out.push_str(&format!("\n{}", spaces(inner)));
            }
            if let Some(key) = key {
                let quotes = self.key_quotes();
                out.push_str(&format!("{}: ", scalars::text(key, quotes, Context::Flow, self.random)));
            }
            out.push_str(&self.flow(value, inner));
            let is_last = number + 1 == count;
            if !is_last || several_lines && self.random.chance(30) {
                out.push_str(if several_lines || is_last { "," } else { ", " });
            }
            if several_lines && self.random.chance(self.style.comments) {
                out.push_str(&format!(" {}", self.comment()));
            }
        }
        out.push_str(padding);
        if several_lines {
            out.push_str(&format!("\n{}", spaces(column + 1)));
        }
        out.push(close);
        out
    }
}

fn spaces(count: usize) -> String {
    " ".repeat(count)
}

fn is_blank(line: &str) -> bool {
    !line.is_empty() && line.chars().all(|c| c == ' ')
}

/// Breaks a line at every fourth single space between words.
fn fold(line: &str) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    if words.iter().any(|word| word.is_empty()) {
        return line.to_owned();
    }
    words.chunks(4).map(|chunk| chunk.join(" ")).collect::<Vec<_>>().join("\n")
}
