//! Answers: in which other styles could a manifest be written?
//!
//! A random value is printed in random styles: list indentation, steps, quotes, brackets, comments, empty lines, block
//! scalars, line ends, document markers. Random token sequences cover what no author writes.
//!
//! Invariant: most printed texts are valid YAML, so that both parsers accept them.

use super::chance::Chance;
use super::mutate::TOKENS;

const WORDS: &[&str] = &[
    "a",
    "name",
    "apiVersion",
    "matchLabels",
    "spec",
    "example.org/key",
    "app.kubernetes.io/name",
    "on",
    "1",
    "é",
    "x y",
];

const PLAIN: &[&str] = &[
    "1",
    "true",
    "~",
    "gateway.networking.k8s.io/v1",
    "http://example.org:8080/#top",
    "a b  c",
    "-1",
    "-a",
    "a#b",
    "it's",
    "10m",
    "x.*",
    "😀 é",
    "=",
    "<<",
    "a\n  b",
    ".5",
    "a\tb",
];

/// Strings that are plain text in some places only, or nowhere.
const DOUBTFUL: &[&str] =
    &["a, b", "a: b", "- a", "[a", "{{ .Values.x }}", "...", "---", "*.x.org", "a:", "?", ":a", "a # b"];

const QUOTED: &[&str] = &[
    "\"\"",
    "''",
    "\"a\"",
    "'it''s'",
    "\"a: b # c\"",
    "'# no comment'",
    "\"\\\"\\\\\\n\\t\\/\"",
    "\"\\u00e9\\x41\"",
    "'[a]'",
    "\"é😀\"",
    "\"\\ud83d\\ude00\"",
];

/// Scalars whose further lines may be in any column.
const QUOTED_LINES: &[&str] = &[
    "\"a\nb\"",
    "'a\n\nb: c\n'",
    "\"a\\\n# b \\\" \n- c\"",
    "'it''s\n--\n\"a: '",
    "\"\n...\"",
    "\"a\n---\n\"",
    "'a\n...\n'",
    "\"a\n\tb\"",
];

/// Prints one to three documents.
pub(crate) fn manifest(chance: &mut Chance) -> String {
    let mut page = Page { text: String::new(), chance };
    for number in 0..1 + page.chance.below(3) {
        if number > 0 || page.chance.once_in(3) {
            page.text.push_str("---");
            page.line_end();
        }
        page.document();
    }
    let text = page.text;
    let text = if chance.once_in(6) { text.replace('\n', "\r\n") } else { text };
    if chance.once_in(5) { text.trim_end().to_owned() } else { text }
}

/// Prints tokens one after another.
pub(crate) fn soup(chance: &mut Chance) -> String {
    let count = 1 + chance.below(16);
    (0..count).map(|_| chance.pick(TOKENS)).collect()
}

struct Page<'c> {
    text: String,
    chance: &'c mut Chance,
}

impl Page<'_> {
    fn document(&mut self) {
        match self.chance.below(8) {
            0 => {
                self.flow(0, 0);
                self.line_end();
            }
            1 => self.sequence(0, 0),
            _ => self.mapping(0, 0),
        }
    }

    fn line_end(&mut self) {
        let ending = match self.chance.below(12) {
            0 => " # comment\n",
            1 => "  \n",
            2 => "\n\n",
            3 => "\n# free\n",
            4 => "\n    # deep\n",
            _ => "\n",
        };
        self.text.push_str(ending);
    }

    fn indent(&mut self, column: usize) {
        self.text.extend(std::iter::repeat_n(' ', column));
    }

    /// Prints keys at `column`, the first of them at the end of the text.
    fn mapping(&mut self, column: usize, depth: usize) {
        for number in 0..1 + self.chance.below(4) {
            if number > 0 {
                self.indent(column);
            }
            self.key();
            self.value(column, depth);
        }
    }

    fn key(&mut self) {
        let word = self.chance.pick(WORDS);
        let key = match self.chance.below(8) {
            0 => format!("\"{word}\":"),
            1 => format!("'{word}' :"),
            _ => format!("{word}:"),
        };
        self.text.push_str(&key);
    }

    fn sequence(&mut self, column: usize, depth: usize) {
        for number in 0..1 + self.chance.below(3) {
            if number > 0 {
                self.indent(column);
            }
            self.text.push('-');
            match self.chance.below(6) {
                0 => self.value(column, depth),
                1 => self.line_end(),
                choice => {
                    let gap = 1 + self.chance.below(3) / 2;
                    self.indent(gap);
                    if choice == 2 && depth < 4 {
                        self.sequence(column + 1 + gap, depth + 1);
                    } else if depth < 4 {
                        self.mapping(column + 1 + gap, depth + 1);
                    } else {
                        self.text.push_str("deep\n");
                    }
                }
            }
        }
    }

    /// Prints a value after a colon or dash of a collection at `column`.
    fn value(&mut self, column: usize, depth: usize) {
        let step = 1 + self.chance.below(4);
        match self.chance.below(if depth < 4 { 9 } else { 5 }) {
            0 => self.line_end(),
            1 if self.chance.once_in(4) => {
                let line = format!("\n{}", " ".repeat(self.chance.below(column + step + 1)));
                let scalar = self.chance.pick(QUOTED_LINES).replace('\n', &line);
                self.inline(&scalar);
            }
            1 => {
                let scalar = self.chance.pick(QUOTED);
                self.inline(scalar);
            }
            2 => self.block_scalar(column, step),
            3 => {
                self.gap_or_line(column + step);
                self.flow(column, 0);
                self.line_end();
            }
            4 => {
                let scalar = self.plain();
                let scalar = scalar.replace("\n  ", &format!("\n{}", " ".repeat(column + step)));
                self.inline(&scalar);
            }
            5 | 6 => {
                self.line_end();
                self.indent(column + step);
                self.mapping(column + step, depth + 1);
            }
            choice => {
                self.line_end();
                let column = if choice == 7 { column } else { column + step };
                self.indent(column);
                self.sequence(column, depth + 1);
            }
        }
    }

    fn gap_or_line(&mut self, column: usize) {
        if self.chance.once_in(8) {
            self.line_end();
            self.indent(column);
        } else {
            self.text.push(' ');
        }
    }

    fn inline(&mut self, scalar: &str) {
        self.text.push(' ');
        self.text.push_str(scalar);
        self.line_end();
    }

    fn block_scalar(&mut self, column: usize, step: usize) {
        let header = self.chance.pick(&["|", ">", "|-", ">-", "|+", ">+", "| # c", "|2", "|-  "]);
        self.text.push(' ');
        self.text.push_str(header);
        self.text.push('\n');
        for _ in 0..self.chance.below(6) {
            let line = self.chance.pick(&["text", "# text", "  more", "", "", "  ", "- a: b", "a\ttab", "a  ", "---"]);
            if !line.is_empty() {
                self.indent(column + step);
            }
            self.text.push_str(line);
            self.text.push('\n');
        }
    }

    fn flow(&mut self, column: usize, depth: usize) {
        let is_mapping = self.chance.once_in(2);
        self.text.push(if is_mapping { '{' } else { '[' });
        let count = self.chance.below(4);
        for number in 0..count {
            self.flow_gap(column);
            if is_mapping {
                self.flow_pair(column, depth);
            } else {
                self.flow_item(column, depth);
            }
            if number + 1 < count || self.chance.once_in(6) {
                self.text.push(',');
            }
        }
        self.flow_gap(column);
        self.text.push(if is_mapping { '}' } else { ']' });
    }

    fn flow_pair(&mut self, column: usize, depth: usize) {
        self.key();
        match self.chance.below(6) {
            0 => drop(self.text.pop()),
            1 => {}
            _ => {
                self.flow_gap(column);
                self.flow_item(column, depth);
            }
        }
    }

    fn flow_item(&mut self, column: usize, depth: usize) {
        let item = match self.chance.below(6) {
            0 | 1 if depth < 3 => return self.flow(column, depth + 1),
            2 | 3 => self.chance.pick(QUOTED),
            _ => self.plain(),
        };
        self.text.push_str(item);
    }

    fn plain(&mut self) -> &'static str {
        let texts = if self.chance.once_in(20) { DOUBTFUL } else { PLAIN };
        self.chance.pick(texts)
    }

    fn flow_gap(&mut self, column: usize) {
        match self.chance.below(10) {
            0 => {
                let column = column + self.chance.pick(&[0, 1, 2, 2, 2, 4]);
                self.line_end();
                self.indent(column);
            }
            1 => self.text.push_str("  "),
            2 => {}
            3 if self.chance.once_in(8) => self.text.push('\t'),
            _ => self.text.push(' '),
        }
    }
}
