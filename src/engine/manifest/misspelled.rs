//! Is a comment meant to acknowledge findings, though it is not written as one that does?
//!
//! One that starts with the program's name and asks for that is, also behind `TODO`; a sentence that mentions the program is not.

use crate::engine::finding::Code;

/// The program's name, as such a comment starts.
const NAME: &str = "reversion";

/// The keyword behind it.
const KEYWORD: &str = "ignore";

/// How many letters of a word can be wrong.
const MOST_WRONG: usize = 2;

/// What other programs have for the keyword, whatever stands behind it.
const COMMANDS: [&str; 6] = ["skip", "disable", "exclude", "suppress", "noqa", "nolint"];

/// Words that ask for the same where nothing but one of `WHOLE` stands behind them; else they start a sentence.
const COMMANDS_ALONE: [&str; 6] = ["keep", "leave", "off", "allow", "freeze", "frozen"];

/// What can follow one of `COMMANDS_ALONE`.
const WHOLE: [&str; 10] =
    ["", "this", "it", "as is", "as it is", "unchanged", "this file", "alone", "this alone", "it alone"];

/// What the keyword is joined with: `ignore-file`, `ignore-next-line`.
const SCOPES: [&str; 10] = ["file", "line", "next", "this", "all", "object", "document", "start", "begin", "end"];

/// What people write in front of a comment that they want to find again.
const TAGS: [&str; 5] = ["todo", "fixme", "xxx", "hack", "note"];

/// Returns whether what stands behind a `#` is meant to acknowledge findings.
pub(super) fn is_meant(words: &str) -> bool {
    let words = without_tags(words);
    let (name, rest) = word(words, char::is_alphanumeric);
    // The name may be one of another thing, such as `version`, so that the form must be.
    let is_name = wrong_letters(&name, NAME) <= 1;
    match rest.strip_prefix(':') {
        Some(rest) if name == NAME && asks(rest) => true,
        _ => is_by_another_name(&name, rest) || is_name && asks_in_another_form(rest) || is_inside(words),
    }
}

/// Removes what stands in front of the name: signs, and `TODO(somebody):` and its like.
fn without_tags(mut words: &str) -> &str {
    loop {
        words = words.trim_start_matches([' ', '\t', '-', '!', '/', '*', '@', ':']);
        let (tag, rest) = word(words, char::is_alphanumeric);
        if !TAGS.contains(&tag.as_str()) {
            return words;
        }
        let bracketed = rest.strip_prefix('(').and_then(|inside| inside.split_once(')'));
        words = bracketed.map_or(rest, |(_, behind)| behind);
    }
}

/// Returns the first word of a text, in small letters, and what follows it.
fn word(text: &str, is_part: impl Fn(char) -> bool) -> (String, &str) {
    let rest = text.trim_start_matches(is_part);
    (text[..text.len() - rest.len()].to_lowercase(), rest)
}

/// Returns whether a character continues a word such as `ignore-file`.
pub(super) fn is_part(next: char) -> bool {
    next.is_alphanumeric() || next == '-' || next == '_'
}

/// Returns whether what stands behind `reversion:` is the keyword, well written or not, or asks for the same.
fn asks(words: &str) -> bool {
    let (word, rest) = word(words.trim_start(), is_part);
    // `reversion: ignored by ...` is prose.
    let is_inflected = word.len() > KEYWORD.len() && word.starts_with(KEYWORD);
    let is_keyword = !is_inflected && wrong_letters(&word, KEYWORD) <= MOST_WRONG;
    !word.is_empty() && (rest.starts_with('[') || is_keyword || is_command(&word, rest))
}

/// Returns whether a word asks for what the keyword does, with what follows it.
fn is_command(word: &str, rest: &str) -> bool {
    let (verb, scope) = word.split_once(['-', '_']).map_or((word, None), |(verb, scope)| (verb, Some(scope)));
    let rest = rest.trim();
    match scope {
        Some(scope) => {
            let first = scope.split(['-', '_']).next().unwrap_or_default();
            (verb == KEYWORD || COMMANDS.contains(&verb)) && SCOPES.contains(&first)
        }
        None if COMMANDS.contains(&verb) => true,
        None => {
            let is_whole = WHOLE.contains(&rest.trim_end_matches('.')) || starts_with_code(rest);
            COMMANDS_ALONE.contains(&verb) && (is_whole || is_version(rest))
        }
    }
}

/// Returns whether a text is a version, alone or in an apiVersion: `v1beta1`, `batch/v1`.
fn is_version(text: &str) -> bool {
    let version = text.rsplit('/').next().and_then(|last| last.strip_prefix('v'));
    !text.contains(' ') && version.is_some_and(|number| number.starts_with(|first: char| first.is_ascii_digit()))
}

/// Returns whether a text starts with the code of a finding.
fn starts_with_code(text: &str) -> bool {
    Code::parse(&word(text, is_part).0).is_some()
}

/// Returns whether a name is like the program's, and what follows is the keyword with a bracket or a colon, in any separation:
/// `reversion ignore[...]`, `revrsion: ignore[...]`, `reversion ignore: ...`.
fn is_by_another_name(name: &str, rest: &str) -> bool {
    let behind = rest.trim_start_matches([' ', '\t', ':', '-', '/', '.', '_', '=']).strip_prefix(KEYWORD);
    behind.is_some_and(|behind| behind.starts_with(['[', ':'])) && wrong_letters(name, NAME) <= MOST_WRONG
}

/// Returns whether the program's name is joined with the keyword: `reversion-ignore`, `reversion/skip`; or nothing else follows but a
/// code: `reversion ignore changes-needed`.
fn asks_in_another_form(rest: &str) -> bool {
    let behind = rest.trim_start_matches([' ', '\t', ':', '-', '/', '.', '_', '=']);
    let separator = &rest[..rest.len() - behind.len()];
    let (word, follows) = word(behind, is_part);
    let is_joined = separator.contains(|sign: char| !sign.is_whitespace());
    let is_alone = follows.trim().is_empty() || starts_with_code(follows.trim());
    let is_asked = word == KEYWORD || is_command(&word, follows);
    !separator.is_empty() && is_asked && (is_joined && separator.trim_end() == separator || is_alone)
}

/// Returns whether a comment that starts with something else has the exact form in it, not as a quotation:
/// `frozen, reversion: ignore[changes-needed]`.
fn is_inside(words: &str) -> bool {
    let form = format!("{NAME}: {KEYWORD}");
    words.match_indices(&form).any(|(at, _)| {
        let is_quoted = words[..at].ends_with(['`', '\'', '"']);
        let behind = &words[at + form.len()..];
        !is_quoted && (behind.starts_with('[') || behind.trim().is_empty())
    })
}

/// Returns how many letters of a word differ from `known`.
fn wrong_letters(word: &str, known: &str) -> usize {
    let by_length = word.len().abs_diff(known.len());
    if by_length > MOST_WRONG { by_length } else { strsim::damerau_levenshtein(word, known) }
}
