//! Where does the book describe what a report names?
//!
//! Invariant: every address leads to a part of a page of the book; a test compares the two.

use crate::engine::finding::Code;
use crate::knowledge::lens::CONVERSIONS;
use crate::knowledge::pack::is_built_in;

/// The address of the book, which `Cargo.toml` alone has.
pub const BOOK: &str = env!("CARGO_PKG_HOMEPAGE");

/// Returns the address of a finding code or a rule; none of a name that this version of the program does not have.
pub fn of(name: &str) -> Option<String> {
    let (page, part) = match name.split_once('/') {
        Some((pack, rule)) if is_built_in(pack, rule) => (format!("apis/{pack}"), rule),
        None if Code::parse(name).is_some() => ("findings".to_owned(), name),
        Some(_) | None => return None,
    };
    Some(format!("{BOOK}reference/{page}.html#{part}"))
}

/// Divides a text into the ids of rules, each with its address, and what stands between them.
pub(super) fn rules_in(text: &str) -> impl Iterator<Item = (&str, Option<String>)> {
    let is_part = |character: char| character.is_ascii_alphanumeric() || "-./_+".contains(character);
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut at = 0;
        while let Some(start) = rest[at..].find(is_part).map(|start| at + start) {
            let length = rest[start..].find(|character| !is_part(character)).unwrap_or(rest.len() - start);
            let word = rest[start..start + length].trim_end_matches('.');
            let url = Some(word).filter(|word| word.contains('/')).and_then(of);
            if url.is_some() && start == 0 {
                rest = &rest[word.len()..];
                return Some((word, url));
            }
            if url.is_some() {
                let before = &rest[..start];
                rest = &rest[start..];
                return Some((before, None));
            }
            at = start + length;
        }
        let last = std::mem::take(&mut rest);
        (!last.is_empty()).then_some((last, None))
    })
}

/// Returns the address of a word of the glossary.
pub fn of_word(word: &str) -> String {
    format!("{BOOK}glossary.html#{}", part_of_word(word))
}

/// Returns the address of an operation, or of the native conversions for one of these.
pub fn of_operation(name: &str) -> String {
    let is_native = CONVERSIONS.iter().any(|conversion| conversion.description.name == name);
    format!("{BOOK}packs/operations.html#{}", if is_native { "native" } else { name })
}

/// Returns what the glossary calls the row of a word: `all-fit`.
pub fn part_of_word(word: &str) -> String {
    word.replace(' ', "-")
}
