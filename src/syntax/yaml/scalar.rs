//! Answers: what is the content of a scalar?
//!
//! Line folding, escapes, and the chomping and indentation of block scalars, as in YAML 1.2. A block scalar at the end of a text
//! without a final line end has none either, for kubectl and YAML 1.2 alike.
//!
//! Invariant: for every text granit-parser accepts, the content of a scalar is what granit reports, but for that line end.

use std::borrow::Cow;

use super::tree::{Kind, Node, NodeId, Tree};

/// Returns the content of a scalar; empty for nodes that are not scalars.
pub(super) fn scalar_text<'t>(tree: &Tree, text: &'t str, node: NodeId) -> Cow<'t, str> {
    let node = tree.node(node);
    let raw = node.span().of(text);
    match node.kind {
        Kind::Plain => fold(raw, Cow::Borrowed),
        Kind::Single => fold(&raw[1..raw.len() - 1], |line| match line.contains("''") {
            true => Cow::Owned(line.replace("''", "'")),
            false => Cow::Borrowed(line),
        }),
        Kind::Double => unescape(&raw[1..raw.len() - 1]),
        Kind::Literal => Cow::Owned(Block::of(text, node).literal()),
        Kind::Folded => Cow::Owned(Block::of(text, node).folded()),
        Kind::Mapping | Kind::Sequence | Kind::FlowMapping | Kind::FlowSequence | Kind::Pair => Cow::Borrowed(""),
        Kind::Empty | Kind::Alias => Cow::Borrowed(""),
    }
}

const BLANK: [char; 2] = [' ', '\t'];

/// Splits a text at its line ends: `\n`, `\r\n` or `\r`.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let Some(end) = memchr::memchr2(b'\n', b'\r', text.as_bytes()) else { return rest.take() };
        let after = &text[end..];
        rest = Some(after.strip_prefix("\r\n").unwrap_or(&after[1..]));
        Some(&text[..end])
    })
}

/// Joins the lines of a plain or single-quoted scalar: one line end is a space, further ones are line ends.
fn fold<'t>(raw: &'t str, decode_line: impl Fn(&'t str) -> Cow<'t, str>) -> Cow<'t, str> {
    // Most are too short for a search to be worth it: each byte is compared once, and only what has a tab or a line end is searched.
    if raw.bytes().all(|byte| byte > b'\r') || !raw.contains(['\n', '\r']) {
        return decode_line(raw);
    }
    let parts: Vec<&str> = lines(raw).collect();
    let last = parts.len() - 1;
    let mut out = String::with_capacity(raw.len());
    let mut breaks = 0;
    for (at, part) in parts.into_iter().enumerate() {
        let part = if at > 0 { part.trim_start_matches(BLANK) } else { part };
        let part = if at < last { part.trim_end_matches(BLANK) } else { part };
        breaks += usize::from(at > 0);
        if part.is_empty() && at > 0 && at < last {
            continue;
        }
        push_breaks(&mut out, breaks);
        breaks = 0;
        out.push_str(&decode_line(part));
    }
    Cow::Owned(out)
}

/// Appends what `count` line ends in a row fold to.
fn push_breaks(out: &mut String, count: usize) {
    match count {
        0 => {}
        1 => out.push(' '),
        _ => out.extend(std::iter::repeat_n('\n', count - 1)),
    }
}

/// Reads the inside of a double-quoted scalar.
fn unescape(raw: &str) -> Cow<'_, str> {
    if !raw.bytes().any(|byte| matches!(byte, b'\\' | b'\n' | b'\r')) {
        return Cow::Borrowed(raw);
    }
    let mut out = String::with_capacity(raw.len());
    // Blanks before a line end are dropped, but not those that were written as escapes.
    let mut solid = 0;
    let mut rest = raw;
    while let Some(character) = rest.chars().next() {
        if character == '\\' {
            rest = escape(&rest[1..], &mut out);
            solid = out.len();
        } else if matches!(character, '\n' | '\r') {
            out.truncate(solid);
            let (count, after) = line_ends(rest);
            push_breaks(&mut out, count);
            solid = out.len();
            rest = after;
        } else {
            out.push(character);
            rest = &rest[character.len_utf8()..];
            if !BLANK.contains(&character) {
                solid = out.len();
            }
        }
    }
    Cow::Owned(out)
}

/// Counts the line ends a text starts with, and returns what follows them and the blanks around them.
fn line_ends(text: &str) -> (usize, &str) {
    let mut rest = text;
    let mut count = 0;
    loop {
        let line = rest.trim_start_matches(BLANK);
        let after = line.strip_prefix("\r\n").or_else(|| line.strip_prefix(['\n', '\r']));
        let Some(after) = after else { return (count, line) };
        count += 1;
        rest = after;
    }
}

/// Appends what an escape represents; `text` starts after the backslash. Returns what follows the escape.
fn escape<'t>(text: &'t str, out: &mut String) -> &'t str {
    let Some(name) = text.chars().next() else { return text };
    let after = &text[name.len_utf8()..];
    let plain = match name {
        '0' => '\0',
        'a' => '\u{7}',
        'b' => '\u{8}',
        't' | '\t' => '\t',
        'n' => '\n',
        'v' => '\u{b}',
        'f' => '\u{c}',
        'r' => '\r',
        'e' => '\u{1b}',
        'N' => '\u{85}',
        '_' => '\u{a0}',
        'L' => '\u{2028}',
        'P' => '\u{2029}',
        'x' => return coded(after, 2, out),
        'u' => return coded(after, 4, out),
        'U' => return coded(after, 8, out),
        '\n' | '\r' => {
            // An escaped line end joins the lines; blank lines after it are line ends.
            let (count, rest) = line_ends(text);
            out.extend(std::iter::repeat_n('\n', count - 1));
            return rest;
        }
        other => other,
    };
    out.push(plain);
    after
}

/// Appends the character of a `\x`, `\u` or `\U` escape; `\ud83d\ude00` is one character, as in JSON.
fn coded<'t>(text: &'t str, digits: usize, out: &mut String) -> &'t str {
    let code = |text: &str, digits: usize| text.get(..digits).and_then(|hex| u32::from_str_radix(hex, 16).ok());
    let first = code(text, digits).unwrap_or(0xfffd);
    let rest = text.get(digits..).unwrap_or_default();
    let low = rest.strip_prefix("\\u").and_then(|rest| code(rest, 4)).filter(|low| (0xdc00..0xe000).contains(low));
    if let (0xd800..0xdc00, Some(low)) = (first, low) {
        let joined = 0x1_0000 + ((first - 0xd800) << 10) + (low - 0xdc00);
        out.push(char::from_u32(joined).unwrap_or(char::REPLACEMENT_CHARACTER));
        return &rest[6..];
    }
    out.push(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER));
    rest
}

/// What happens to the line ends after the last line of a block scalar.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chomping {
    /// `|`: one stays.
    Clip,
    /// `|-`: none stays.
    Strip,
    /// `|+`: all stay.
    Keep,
}

/// A block scalar, without its indentation.
struct Block<'t> {
    chomping: Chomping,
    lines: Vec<&'t str>,
    /// Empty lines after the last line of content.
    trailing: usize,
}

impl<'t> Block<'t> {
    fn of(text: &'t str, node: &Node) -> Self {
        let block = Self::read(node.span().of(text), node.indent.into());
        let is_open = node.end as usize == text.len();
        if is_open { Self { chomping: Chomping::Strip, ..block } } else { block }
    }

    fn read(raw: &'t str, indent: usize) -> Self {
        let mut all = lines(raw);
        let header = all.next().unwrap_or_default();
        let indicators = header.split('#').next().unwrap_or_default();
        let chomping = match (indicators.contains('-'), indicators.contains('+')) {
            (true, _) => Chomping::Strip,
            (_, true) => Chomping::Keep,
            _ => Chomping::Clip,
        };
        let mut lines: Vec<&str> = all.map(|line| unindent(line, indent)).collect();
        let content = lines.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
        let trailing = lines.len() - content;
        lines.truncate(content);
        Self { chomping, lines, trailing }
    }

    fn literal(&self) -> String {
        let mut out = self.lines.join("\n");
        self.chomp(&mut out);
        out
    }

    fn folded(&self) -> String {
        let mut out = String::new();
        let mut previous: Option<&str> = None;
        let mut empty = 0;
        for line in &self.lines {
            if line.is_empty() {
                empty += 1;
                continue;
            }
            let more_indented = |line: &str| line.starts_with(BLANK);
            match previous {
                Some(previous) if !more_indented(previous) && !more_indented(line) => push_breaks(&mut out, empty + 1),
                Some(_) => out.extend(std::iter::repeat_n('\n', empty + 1)),
                None => out.extend(std::iter::repeat_n('\n', empty)),
            }
            empty = 0;
            previous = Some(line);
            out.push_str(line);
        }
        self.chomp(&mut out);
        out
    }

    fn chomp(&self, out: &mut String) {
        let last = usize::from(!self.lines.is_empty());
        let count = match self.chomping {
            Chomping::Strip => 0,
            Chomping::Clip => last,
            Chomping::Keep => last + self.trailing,
        };
        out.extend(std::iter::repeat_n('\n', count));
    }
}

/// Removes up to `indent` spaces from a line.
fn unindent(line: &str, indent: usize) -> &str {
    let spaces = line.bytes().take(indent).take_while(|byte| *byte == b' ').count();
    &line[spaces..]
}

#[cfg(test)]
mod tests {
    use granit_parser::{Event, Parser};
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    use super::super::parse;
    use super::*;

    /// Decodes every scalar of `text`, and compares with granit's own text of it.
    #[track_caller]
    fn scalar_texts(text: &str) -> Vec<String> {
        let tree = parse(text).unwrap();
        let scalars = (0..tree.nodes.len() as u32).map(NodeId).filter(|node| {
            let kind = tree.node(*node).kind;
            !kind.is_block_collection() && !kind.is_flow_collection() && kind != Kind::Alias
        });
        let mine: Vec<String> = scalars.map(|node| scalar_text(&tree, text, node).into_owned()).collect();
        let granit: Vec<String> = Parser::new_from_str(text)
            .filter_map(|event| match event.unwrap() {
                (Event::Scalar(value, ..), span) => {
                    let empty = span.is_empty() && value == "~";
                    Some(if empty { String::new() } else { value.into_owned() })
                }
                _ => None,
            })
            .collect();
        assert_eq!(mine, granit, "{text:?}");
        mine
    }

    #[test]
    fn plain_and_quoted_scalars_fold() {
        assert_eq!(scalar_texts("a b\n  c \n\n\n d"), ["a b c\n\nd"]);
        assert_eq!(scalar_texts("' a  \n\n  b''c \n '"), [" a\nb'c "]);
        assert_eq!(scalar_texts("\" a \\t \n b\\\n   \\ c\\\n\n  d \n \""), [" a \t b c\nd "]);
    }

    #[test]
    fn escapes_are_read() {
        assert_eq!(
            scalar_texts(r#""\0\a\b\t\n\v\f\r\e\"\/\\\N\_\L\P\x41\u00e9\U0001F600\ud83d\ude00""#),
            ["\0\u{7}\u{8}\t\n\u{b}\u{c}\r\u{1b}\"/\\\u{85}\u{a0}\u{2028}\u{2029}Aé😀😀"]
        );
    }

    #[test]
    fn block_scalars_are_chomped() {
        assert_eq!(scalar_texts("|\n  a\n   b\n\n  c\n\n"), ["a\n b\n\nc\n"]);
        assert_eq!(scalar_texts("|-\n  a\n\n"), ["a"]);
        assert_eq!(scalar_texts("|+ # c\r\n  a\r\n\r\n"), ["a\n\n"]);
        assert_eq!(scalar_texts("a: |2+\n\n   x\n    \n"), ["a", "\n x\n  \n"]);
        assert_eq!(scalar_texts("- |\n- |+\n\n- >-\n"), ["", "\n", ""]);
    }

    #[test]
    fn a_block_scalar_gets_no_line_end_that_the_text_lacks() {
        let scalar_text = |text: &str| {
            let tree = parse(text).unwrap();
            let last = NodeId(tree.nodes.len() as u32 - 1);
            scalar_text(&tree, text, last).into_owned()
        };
        assert_eq!(["a: |\n  x", "a: |+\n  x", "a: |-\n  x"].map(scalar_text), ["x"; 3]);
        assert_eq!(["a: |\n  x\n", "a: |+\n  x\n", "a: |\n  x\n  "].map(scalar_text), ["x\n"; 3]);
        assert_eq!(["a: >\n  x\n  y", "a: >+\n  x\n  y", "a: |\n  x\n   "].map(scalar_text), ["x y", "x y", "x\n "]);
    }

    #[test]
    fn folded_scalars_keep_indented_lines() {
        assert_eq!(scalar_texts(">\n\n a\n b\n\n c\n   d\n\n e\n"), ["\na b\nc\n  d\n\ne\n"]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, rng_seed: RngSeed::Fixed(2026), ..ProptestConfig::with_cases(2000) })]

        #[test]
        fn scalar_content_agrees_with_granit(
            head in prop::sample::select(vec!["", "a: ", "- ", "a:\n  - ", "a:\n  b: ", "[", "- - "]),
            style in prop::sample::select(vec!["|", "|-", "|+", ">", ">-", ">+", "|2", ">1+", "|2-", "\"", "'", ""]),
            body in "[ab \\n\\t\\\\'\":#-]{0,24}",
            tail in prop::sample::select(vec!["", "\n", "\n\n", "\nz: 1\n", "\"\n", "'\n", "]", "\n- 1"]),
        ) {
            let line = if style.starts_with(['|', '>']) { "\n    " } else { "" };
            let text = format!("{head}{style}{line}{}{tail}", body.replace('\n', "\n    "));
            // granit sees a line end where the text ends in a block scalar without one.
            let odd = style.starts_with(['|', '>']) && !text.ends_with('\n');
            if !odd && parse(&text).is_ok() {
                scalar_texts(&text);
            }
        }
    }
}
