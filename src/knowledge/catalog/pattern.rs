//! Answers: does a string match a schema's pattern?
//!
//! Kubernetes reads patterns with Go's RE2 syntax. Its differences from the `regex` crate are written out before compiling:
//! inside brackets `[`, `&&`, `--` and `~~` are plain characters in Go, so is `{` where no repetition follows, `\141` is a character, and
//! `\d`, `\s`, `\w` are ASCII everywhere. A pattern is compiled when the first string is matched against it, once.
//!
//! Invariant: a pattern that does not compile never rejects a value.

use std::iter::Peekable;
use std::str::Chars;
use std::sync::OnceLock;

use regex::{Regex, RegexBuilder};
use regex_syntax::ast::parse::Parser;
use regex_syntax::ast::{Ast, ErrorKind, Visitor, visit};
use regex_syntax::hir::translate::Translator;
use regex_syntax::hir::{Class, Hir, HirKind};

/// The most memory that a compiled pattern takes, in bytes: 1 MiB.
const MAX_COMPILED: usize = 1 << 20;

/// How often Go lets something be repeated at most.
const MOST_TIMES: u32 = 1000;

/// Escapes that Go reads and the `regex` crate does not: literal text, any byte.
const ONLY_GO: [&str; 2] = [r"\Q", r"\C"];

/// A pattern in Go's syntax.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    text: String,
    compiled: OnceLock<Option<Regex>>,
}

impl Pattern {
    /// Keeps `text` for later.
    pub(super) fn new(text: &str) -> Self {
        Self { text: text.to_owned(), compiled: OnceLock::new() }
    }

    /// Returns the pattern as written in the CRD.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Returns whether the pattern matches anywhere in `value`.
    pub(super) fn matches(&self, value: &str) -> bool {
        let compiled = self.compiled.get_or_init(|| compile(&self.text).ok());
        compiled.as_ref().is_none_or(|regex| regex.is_match(value))
    }
}

/// Compiles a pattern of a CRD.
///
/// # Errors
/// A message that quotes the pattern and names what cannot be read.
pub fn compile(pattern: &str) -> Result<Regex, String> {
    let mut builder = RegexBuilder::new(&translate(pattern));
    let limited = builder.size_limit(MAX_COMPILED).dfa_size_limit(MAX_COMPILED);
    limited.build().map_err(|error| format!("pattern `{pattern}`: {error}"))
}

/// Says why Go cannot read a pattern; nothing where it can, or that is not certain.
pub(crate) fn syntax_error(pattern: &str) -> Option<String> {
    if ONLY_GO.iter().any(|escape| pattern.contains(escape)) {
        return None;
    }
    let text = translate(pattern);
    let tree = match Parser::new().parse(&text) {
        Ok(tree) => tree,
        Err(error) => {
            let is_certain = !matches!(error.kind(), ErrorKind::NestLimitExceeded(_));
            return is_certain.then(|| error.kind().to_string());
        }
    };
    if visit(&tree, RepeatsOnce).is_err() {
        return Some("two repetitions follow each other".to_owned());
    }
    match Translator::new().translate(&text, &tree) {
        Ok(parsed) => (!repeats_at_most(&parsed, MOST_TIMES))
            .then(|| format!("something is repeated more than {MOST_TIMES} times in it")),
        Err(error) => Some(error.kind().to_string()),
    }
}

/// Fails where a repetition is repeated without a group, as in `a**`, which Go does not read.
struct RepeatsOnce;

impl Visitor for RepeatsOnce {
    type Output = ();
    type Err = ();

    fn finish(self) -> Result<(), ()> {
        Ok(())
    }

    fn visit_pre(&mut self, tree: &Ast) -> Result<(), ()> {
        match tree {
            Ast::Repetition(outer) if matches!(*outer.ast, Ast::Repetition(_)) => Err(()),
            _ => Ok(()),
        }
    }
}

/// Makes a text that a pattern matches, in which what may be repeated is repeated `more` times than it must be; `None` where that is not as
/// simple as to put the parts together.
pub(crate) fn example(pattern: &str, more: u32) -> Option<String> {
    let text = text_of(&regex_syntax::parse(&translate(pattern)).ok()?, more)?;
    compile(pattern).ok()?.is_match(&text).then_some(text)
}

fn text_of(expression: &Hir, more: u32) -> Option<String> {
    match expression.kind() {
        HirKind::Empty | HirKind::Look(_) => Some(String::new()),
        HirKind::Literal(literal) => String::from_utf8(literal.0.to_vec()).ok(),
        HirKind::Class(Class::Unicode(class)) => {
            let has = |letter: &char| class.ranges().iter().any(|range| (range.start()..=range.end()).contains(letter));
            // What reads well comes first.
            let letter = ('a'..='z').chain('0'..='9').chain('A'..='Z').chain('!'..='~').find(has);
            letter.or_else(|| class.ranges().first().map(|range| range.start())).map(String::from)
        }
        HirKind::Class(Class::Bytes(_)) => None,
        HirKind::Repetition(repetition) => {
            let times = repetition.min.saturating_add(more).min(repetition.max.unwrap_or(u32::MAX));
            let text = text_of(&repetition.sub, 0)?;
            (times <= MOST_TIMES).then(|| text.repeat(times as usize))
        }
        HirKind::Capture(capture) => text_of(&capture.sub, more),
        HirKind::Concat(parts) => parts.iter().map(|part| text_of(part, more)).collect(),
        HirKind::Alternation(parts) => parts.iter().find_map(|part| text_of(part, more)),
    }
}

/// Returns whether nothing is repeated more often than `most`, together with what it is in.
fn repeats_at_most(expression: &Hir, most: u32) -> bool {
    match expression.kind() {
        HirKind::Empty | HirKind::Look(_) | HirKind::Literal(_) | HirKind::Class(_) => true,
        HirKind::Repetition(repetition) => {
            let times = repetition.max.unwrap_or(repetition.min).max(1);
            times <= most && repeats_at_most(&repetition.sub, most / times)
        }
        HirKind::Capture(capture) => repeats_at_most(&capture.sub, most),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().all(|part| repeats_at_most(part, most)),
    }
}

/// Returns how many characters and ranges a pattern has once its repetitions are written out.
///
/// # Errors
/// A message that names what cannot be read.
pub(crate) fn expanded_length(pattern: &str) -> Result<usize, String> {
    regex_syntax::parse(pattern).map(|parsed| length(&parsed)).map_err(|error| error.to_string())
}

fn length(expression: &Hir) -> usize {
    match expression.kind() {
        HirKind::Empty | HirKind::Look(_) => 1,
        HirKind::Literal(literal) => literal.0.len(),
        HirKind::Class(Class::Unicode(class)) => class.ranges().len(),
        HirKind::Class(Class::Bytes(class)) => class.ranges().len(),
        HirKind::Repetition(repetition) => {
            let times = repetition.max.unwrap_or(repetition.min).max(1);
            length(&repetition.sub).saturating_mul(usize::try_from(times).unwrap_or(usize::MAX))
        }
        HirKind::Capture(capture) => length(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().map(length).fold(0, usize::saturating_add),
    }
}

/// Writes a pattern in Go's syntax as one for the `regex` crate.
fn translate(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len() + 16);
    let mut rest = pattern.chars().peekable();
    let mut brackets = Brackets::Outside;
    while let Some(character) = rest.next() {
        match character {
            '\\' => match rest.next() {
                Some(class @ ('d' | 'D' | 's' | 'S' | 'w' | 'W')) => out.push_str(ascii_class(class)),
                // To the `regex` crate these two escaped are word boundaries.
                Some(plain @ ('<' | '>')) => out.push(plain),
                Some(named @ ('x' | 'p' | 'P')) => {
                    out.extend(['\\', named]);
                    out.extend(rest.next_if_eq(&'{'));
                }
                Some(digit @ '0'..='7') => out.push_str(&octal(digit, &mut rest)),
                Some(escaped) => out.extend(['\\', escaped]),
                None => out.push('\\'),
            },
            '[' if brackets == Brackets::Outside => {
                out.push('[');
                if rest.next_if_eq(&'^').is_some() {
                    out.push('^');
                }
                if rest.next_if_eq(&']').is_some() {
                    out.push_str("\\]");
                }
                brackets = Brackets::Inside;
            }
            '{' if brackets == Brackets::Outside && !is_repetition(rest.clone()) => out.push_str("\\{"),
            '[' if rest.peek() != Some(&':') => out.push_str("\\["),
            '[' => {
                out.push('[');
                out.push_str(&posix_class(&mut rest));
            }
            ']' if brackets == Brackets::Inside => {
                out.push(']');
                brackets = Brackets::Outside;
            }
            '&' | '~' if brackets == Brackets::Inside => out.extend(['\\', character]),
            '-' if brackets == Brackets::Inside && rest.next_if_eq(&'-').is_some() => out.push_str("-\\-"),
            other => out.push(other),
        }
    }
    out
}

/// Takes the rest of the number of a character, such as `141` for `a`; one digit alone is `\0`, or what Go does not read.
fn octal(first: char, rest: &mut Peekable<Chars<'_>>) -> String {
    let mut digits = String::from(first);
    while digits.len() < 3 {
        let Some(digit) = rest.next_if(|digit| digit.is_digit(8)) else { break };
        digits.push(digit);
    }
    match u32::from_str_radix(&digits, 8) {
        Ok(number) if first == '0' || digits.len() > 1 => format!("\\x{{{number:x}}}"),
        _ => format!("\\{digits}"),
    }
}

/// Returns whether what follows `{` makes it a repetition: `3}`, `3,}` or `3,5}`.
fn is_repetition(rest: impl Iterator<Item = char>) -> bool {
    let (mut has_least, mut has_comma) = (false, false);
    for character in rest {
        match character {
            '0'..='9' => has_least |= !has_comma,
            ',' if !has_comma => has_comma = true,
            '}' => return has_least,
            _ => return false,
        }
    }
    false
}

/// Whether a character is inside `[...]`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Brackets {
    Inside,
    Outside,
}

/// Takes the rest of `[:alpha:]`, up to and with its closing bracket.
fn posix_class(rest: &mut impl Iterator<Item = char>) -> String {
    let mut class = String::new();
    for character in rest {
        class.push(character);
        if character == ']' {
            break;
        }
    }
    class
}

/// Returns the ASCII characters of a class that Go keeps ASCII; valid outside and inside brackets.
const fn ascii_class(class: char) -> &'static str {
    match class {
        'd' => "[0-9]",
        'D' => "[^0-9]",
        's' => r"[\t\n\x0C\r ]",
        'S' => r"[^\t\n\x0C\r ]",
        'w' => "[0-9A-Za-z_]",
        _ => "[^0-9A-Za-z_]",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, matching: &[&str], other: &[&str]) {
        let regex = compile(pattern).unwrap();
        for text in matching {
            assert!(regex.is_match(text), "{pattern} should match {text:?}");
        }
        for text in other {
            assert!(!regex.is_match(text), "{pattern} should not match {text:?}");
        }
    }

    #[test]
    fn brackets_hold_plain_characters() {
        check("^[a&&b]+$", &["a&b"], &["c"]);
        check("^[[]$", &["["], &["]"]);
        check("^[]x&&y]+$", &["]x&"], &["["]);
        check("^[^]]$", &["a"], &["]"]);
        check("^[~~!]+$", &["~!"], &["a"]);
        check("^[+--]+$", &["+,-"], &["."]);
        check("^[[:alpha:]_]+$", &["a_b"], &[":", "1"]);
    }

    #[test]
    fn classes_are_ascii() {
        check(r"^\d{1,4}$", &["12"], &["\u{0661}"]);
        check(r"^[^\s;]+$", &["\u{00a0}", "a"], &["a b", ";"]);
        check(r"^[\w-]+$", &["a-b_1"], &["é"]);
    }

    #[test]
    fn a_pattern_without_anchors_matches_anywhere_and_the_end_is_the_end() {
        check("^A|B", &["A1", "xB"], &["xA"]);
        check("^a$", &["a"], &["a\n"]);
        check(r"^https?:\/\/(?i)X$", &["http://x"], &["ftp://x"]);
    }

    #[test]
    fn a_pattern_that_cannot_be_compiled_rejects_nothing() {
        assert!(compile("^(?=a)").is_err());
        assert!(Pattern::new("^(?=a)").matches("b"));
    }

    #[test]
    fn a_brace_that_repeats_nothing_is_a_character() {
        check(r"^{a}$", &["{a}"], &["a"]);
        check(r"^a{,2}\{[{]\x{41}$", &["a{,2}{{A"], &["aa{{A"]);
        check(r"^a{2,}\p{Greek}{1}$", &["aaa\u{3b1}"], &["a\u{3b1}"]);
    }

    #[test]
    fn a_character_can_be_a_number() {
        check(r"^\141[\142\1034]$", &["ab", "aC", "a4"], &["a1", "141b"]);
    }

    #[test]
    fn a_text_is_made_of_the_parts_of_a_pattern() {
        for (pattern, more, text) in [
            (r"^[A-Z]{3}-\d+$", 0, Some("AAA-0")),
            (r"^(red|blue)/[^a-z]?x*$", 0, Some("red/")),
            (r"^v\d+$", 4, Some("v00000")),
            (r"^(?:[0-9a-f]{2}:){5}[0-9a-f]{2}$", 0, Some("aa:aa:aa:aa:aa:aa")),
            (r"a\bb", 0, None),
            ("(", 0, None),
        ] {
            assert_eq!(example(pattern, more).as_deref(), text, "{pattern}");
        }
    }

    #[test]
    fn only_what_go_cannot_read_is_an_error_of_syntax() {
        for pattern in ["^(?=a)", "^[a-", "(a", "a)", "^[z-a]$", "*a", r"\q", "a{1001}", "(a{40}){40}", r"\p{Nothing}"]
        {
            assert!(syntax_error(pattern).is_some(), "{pattern}");
        }
        for pattern in [r"(a)\1", r"(a)\1b", r"[\7]", r"\8", "a**", "a*+", "a?*", "a{1}*", ".{1}{2}.{3}", "a*??"] {
            assert!(syntax_error(pattern).is_some(), "{pattern}");
        }
        for pattern in ["", "^{a}$", "a{1000}", r"^\Qa.b\E$", "^[[]$", "(a{20}){40}b{900}", r"\_\-\/", r"\141"] {
            assert_eq!(syntax_error(pattern), None, "{pattern}");
        }
        for pattern in ["a*?", "a{2}?", "(a*)*", "(?:a{2}){3}", r"\0", r"[\12\0]", r"\\1", "[*][+*]*", "a*{b"] {
            assert_eq!(syntax_error(pattern), None, "{pattern}");
        }
    }

    #[test]
    fn a_pattern_that_needs_too_much_memory_rejects_nothing() {
        let huge = r"^(\pL{1000}){1000}$";
        assert!(compile(huge).unwrap_err().contains("size limit"));
        assert!(Pattern::new(huge).matches("b"));
        assert!(compile(&"(".repeat(100_000)).is_err());
        assert!(!Pattern::new("^(a+)+$").matches(&("a".repeat(100_000) + "b")));
    }
}
