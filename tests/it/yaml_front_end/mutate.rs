//! Answers: how can an edit, a merge or a broken tool damage a text?
//!
//! A mutant has one to four changes: of bytes, lines, indentation, quotes, or special tokens put anywhere.
//!
//! Invariant: a mutant is valid UTF-8, as every text a parser gets is.

use super::chance::Chance;

/// Tokens with a meaning in YAML, or that look like one.
pub(crate) const TOKENS: &[&str] = &[
    ":",
    ": ",
    " :",
    ":\n",
    "-",
    "- ",
    "-\n",
    "- - ",
    "#",
    " # c",
    "# c\n",
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    "\t",
    " ",
    "  ",
    "   ",
    "'",
    "''",
    "\"",
    "\\",
    "\\\n",
    "\\x41",
    "\\u00e9",
    "\\ud83d\\ude00",
    "\\ud83d",
    "\\U0001f600",
    "\\q",
    "[",
    "]",
    "{",
    "}",
    ",",
    "[]",
    "{}",
    "[a, b]",
    "{a: b}",
    "{a}",
    "[\n",
    "\n]",
    "{{ .x }}",
    "&a ",
    "*a",
    "!t ",
    "!!str ",
    "|",
    ">",
    "|\n",
    "|-\n",
    "|+\n",
    ">-\n",
    ">+\n",
    "|2\n",
    "?",
    "? ",
    "%",
    "%YAML 1.2\n",
    "@",
    "`",
    "~",
    "null",
    "---",
    "--- ",
    "---\n",
    "\n---\n",
    "\n--- # c\n",
    "...",
    "\n...\n",
    "\u{feff}",
    "\0",
    "\u{1}",
    "\u{7f}",
    "\u{85}",
    "\u{a0}",
    "\u{2028}",
    "é",
    "😀",
    "<<: *a",
    "a",
    "b",
    "a: ",
    "a:\n",
    "key: value",
    "- item",
    "a b",
    "a#b",
    "a:b",
    "-a",
    "?a",
    ":a",
    "\"a\"",
    "'a'",
    "\"a\": ",
    "'a' : ",
    "\"a\":1",
    "0",
    "1.5",
    "=",
];

/// Changes a text one to four times.
pub(crate) fn mutant(text: &str, chance: &mut Chance) -> String {
    let mut text = text.to_owned();
    for _ in 0..chance.pick(&[1, 1, 1, 2, 2, 4]) {
        text = changed(&text, chance);
    }
    text
}

fn changed(text: &str, chance: &mut Chance) -> String {
    match chance.below(14) {
        0..=2 => spliced(text, place(text, chance), 0, chance.pick(TOKENS)),
        3 => spliced(text, place(text, chance), 1 + chance.below(4), ""),
        4 => {
            let length = 1 + chance.below(2);
            spliced(text, place(text, chance), length, chance.pick(TOKENS))
        }
        5 => {
            let [from, to] = [place(text, chance), place(text, chance)];
            let piece = text[from.min(to)..from.max(to)].chars().take(60).collect::<String>();
            spliced(text, place(text, chance), 0, &piece)
        }
        6 => text[..place(text, chance)].to_owned(),
        7 => text.replace('\n', "\r\n").replace("\r\r", "\r"),
        8 => text.trim_end().to_owned(),
        9 => quoted(text, chance),
        _ => with_lines(text, chance),
    }
}

fn place(text: &str, chance: &mut Chance) -> usize {
    text.floor_char_boundary(chance.below(text.len() + 1))
}

fn spliced(text: &str, at: usize, length: usize, piece: &str) -> String {
    let end = text.ceil_char_boundary((at + length).min(text.len()));
    [&text[..at], piece, &text[end..]].concat()
}

/// Quotes a word.
fn quoted(text: &str, chance: &mut Chance) -> String {
    let words: Vec<&str> =
        text.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let Some(word) = words.get(chance.below(words.len())) else { return text.to_owned() };
    let quote = chance.pick(&["'", "\""]);
    let at = word.as_ptr() as usize - text.as_ptr() as usize;
    spliced(text, at, word.len(), &[quote, word, quote].concat())
}

/// Removes, duplicates, moves, joins or indents lines.
fn with_lines(text: &str, chance: &mut Chance) -> String {
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    if lines.is_empty() {
        return text.to_owned();
    }
    let [at, other] = [chance.below(lines.len()), chance.below(lines.len())];
    match chance.below(7) {
        0 => drop(lines.remove(at)),
        1 => lines.insert(other, lines[at].clone()),
        2 => lines.swap(at, other),
        3 => lines[at] = lines[at].trim_end().to_owned(),
        4 => {
            let blanks = chance.pick(&[" ", "  ", "   ", "    ", "\t", " \t"]);
            let last = (at + 1 + chance.below(4)).min(lines.len());
            lines[at..last].iter_mut().for_each(|line| line.insert_str(0, blanks));
        }
        5 => {
            let last = (at + 1 + chance.below(4)).min(lines.len());
            let width = 1 + chance.below(3);
            lines[at..last].iter_mut().for_each(|line| unindent(line, width));
        }
        _ => {
            let line = lines[at].trim_end().to_owned();
            let ending = chance.pick(&["\n\n", "  \n", "\t\n", " # c\n", " #\n", ":\n", ",\n", "\r\n", " \r\n\r\n"]);
            lines[at] = line + ending;
        }
    }
    lines.concat()
}

fn unindent(line: &mut String, width: usize) {
    let spaces = line.len() - line.trim_start_matches(' ').len();
    line.drain(..spaces.min(width));
}
