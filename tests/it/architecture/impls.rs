//! Inherent methods: those of a type are all in one file, the one that defines it.

use std::collections::BTreeSet;

use super::source::{Source, blanked, sources};

/// Types with more than one part: how an object is fitted to its target and whether it is valid there, what a condition says and whether
/// it holds, what a reading prints and what becomes of its holes and edits, whether a condition of a template holds and what an expression
/// prints.
const IN_TWO_FILES: [&str; 5] = [
    "src/engine/convert/validate.rs: impl Fitting",
    "src/knowledge/lens/verdict.rs: impl Condition",
    "src/syntax/template/hole.rs: impl Reading",
    "src/syntax/template/outputs.rs: impl Judge",
    "src/syntax/template/source.rs: impl Reading",
];

#[test]
fn a_type_has_its_methods_in_the_file_that_defines_it() {
    let elsewhere = elsewhere(&sources());
    assert_eq!(elsewhere, IN_TWO_FILES, "make them functions that take the type, or move them to the type's file");
}

#[test]
fn methods_are_found_in_every_form() {
    let source = |path: &str, text: &str| Source::new(path.to_owned(), text.to_owned());
    let types = source(
        "src/a/b.rs",
        "pub struct B<'t, T>(&'t T);\npub(super) enum C { D }\nimpl<'t, T: Fn() -> bool> B<'t, T> {\n}\nimpl C {\n}\n",
    );
    let others = source(
        "src/a/e.rs",
        "struct E;\nimpl From<E> for C {\n}\nimpl super::b::C {\n}\nimpl<T> B<'_, T>\nwhere\n    T: Copy,\n{\n}\n\
         impl E {\n}\n#[cfg(test)]\nmod tests {\n    impl B<'_, ()> {\n    }\n}\n",
    );
    assert_eq!(elsewhere(&[types, others]), ["src/a/e.rs: impl B", "src/a/e.rs: impl C"]);
}

/// Returns the inherent `impl` blocks that are not in the file that defines their type.
fn elsewhere(sources: &[Source]) -> Vec<String> {
    let mut found = BTreeSet::new();
    for source in sources.iter().filter(|source| !source.code.is_empty()) {
        let defined: BTreeSet<&str> = defined(&source.code).collect();
        let blank = blanked(&source.text);
        let code = blank.split("\nmod tests {").next().unwrap_or_default();
        let others = code.split("\nimpl").skip(1).filter_map(inherent).filter(|name| !defined.contains(name.as_str()));
        found.extend(others.map(|name| format!("{}: impl {name}", source.path)));
    }
    found.into_iter().collect()
}

/// Returns the names of the types that `words` define.
fn defined(words: &[String]) -> impl Iterator<Item = &str> {
    let pairs = words.windows(2).filter(|pair| ["struct", "enum", "union"].contains(&pair[0].as_str()));
    pairs.map(|pair| pair[1].as_str())
}

/// Returns the type of an inherent `impl` whose text after `impl` is `rest`; `None` for the `impl` of a trait.
fn inherent(rest: &str) -> Option<String> {
    let head = rest.split(['{', ';']).next().unwrap_or_default();
    let head = head.split("\nwhere").next().unwrap_or_default();
    let head = without_generics(head);
    let is_trait = head.split_whitespace().any(|word| word == "for");
    let path = head.split_whitespace().next().unwrap_or_default();
    (!is_trait).then(|| path.rsplit("::").next().unwrap_or_default().to_owned())
}

/// Takes what is between angle brackets out; an arrow's bracket closes nothing.
fn without_generics(head: &str) -> String {
    let (mut depth, mut before, mut out) = (0_usize, ' ', String::new());
    for character in head.chars() {
        match character {
            '<' => depth += 1,
            '>' if before != '-' && before != '=' => depth = depth.saturating_sub(1),
            _ if depth == 0 => out.push(character),
            _ => {}
        }
        before = character;
    }
    out
}
