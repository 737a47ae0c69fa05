//! Source files of the program as tokens: comments and the contents of literals are blanked, the rest is split into words.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::support::root;

/// One source file of the program.
pub(crate) struct Source {
    /// The path from the project's folder, with `/`.
    pub(crate) path: String,
    pub(crate) text: String,
    /// The words before the test module.
    pub(crate) code: Vec<String>,
    /// The words of the test module.
    pub(crate) tests: Vec<String>,
}

impl Source {
    pub(crate) fn new(path: String, text: String) -> Self {
        let blank = blanked(&text);
        let end = if is_test(&path) { 0 } else { blank.find("\nmod tests {").unwrap_or(blank.len()) };
        let (code, tests) = (words(&blank[..end]), words(&blank[end..]));
        Self { path, text, code, tests }
    }

    /// The path of the module: `["yaml", "tree"]`, or `["yaml"]` for the module's own file.
    pub(crate) fn module(&self) -> Vec<&str> {
        let inside = self.path.trim_start_matches("src/").trim_end_matches(".rs");
        let mut names: Vec<_> = inside.split('/').collect();
        if matches!(names.last(), Some(&("mod" | "lib" | "main"))) {
            names.pop();
        }
        names
    }
}

/// Returns whether the parent module declares the file for tests only.
pub(crate) fn is_test(path: &str) -> bool {
    let (folder, file) = path.rsplit_once('/').expect("the path starts with src");
    let declaration = format!("#[cfg(test)]\nmod {};", file.trim_end_matches(".rs"));
    fs::read_to_string(root().join(folder).join("mod.rs")).is_ok_and(|table| table.contains(&declaration))
}

pub(crate) fn sources() -> Vec<Source> {
    let rust = files("src").into_iter().filter(|path| path.ends_with(".rs"));
    rust.map(|path| Source::new(path.clone(), read(&path))).collect()
}

pub(crate) fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Lists the project's files below a folder as paths from the project's folder with `/`, without build output and `.git`.
pub(crate) fn files(folder: &str) -> Vec<String> {
    let walk = walkdir::WalkDir::new(root().join(folder)).sort_by_file_name().into_iter();
    let own = |entry: &walkdir::DirEntry| {
        let made_in = |folder: &str, names: &[&str]| {
            entry.path().parent() == Some(&root().join(folder)) && names.iter().any(|name| entry.file_name() == *name)
        };
        let is_made = made_in("", &[".git", "target"])
            || made_in("fuzz", &["target", "artifacts", "corpus", "coverage"])
            || made_in("playground", &["target", "dist"])
            || made_in("bindings/wasm", &["target", "dist"])
            || made_in("bindings/python", &["__pycache__", "build", "reversion.egg-info"]);
        !is_made
    };
    let entries = walk.filter_entry(own).map(|entry| entry.expect("the project's folders can be listed"));
    entries.filter(|entry| entry.file_type().is_file()).map(|entry| name(entry.path())).collect()
}

/// Returns the path of a file of the project as documents write it.
fn name(path: &Path) -> String {
    let path = path.strip_prefix(root()).expect("a walk stays in its folder");
    path.to_str().expect("the project's files have plain names").replace('\\', "/")
}

/// Returns Rust source without comments and contents of literals; line breaks are kept.
pub(crate) fn blanked(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let skipped = skip(rest, &out);
        if skipped == 0 {
            out.push(first);
            rest = &rest[first.len_utf8()..];
        } else {
            out.extend(rest[..skipped].chars().filter(|character| *character == '\n'));
            out.push(' ');
            rest = &rest[skipped..];
        }
    }
    out
}

/// Returns the text literals of a source, with their quotes.
pub(crate) fn literals(source: &str) -> Vec<&str> {
    let (mut before, mut rest, mut found) = (String::new(), source, Vec::new());
    while let Some(first) = rest.chars().next() {
        let skipped = skip(rest, &before);
        if skipped == 0 {
            before.push(first);
            rest = &rest[first.len_utf8()..];
        } else {
            found.extend(rest.starts_with('"').then(|| &rest[..skipped]));
            before.push(' ');
            rest = &rest[skipped..];
        }
    }
    found
}

/// Returns the length of the comment or literal that `rest` starts with; `before` is the code before it.
fn skip(rest: &str, before: &str) -> usize {
    let bytes = rest.as_bytes();
    match bytes {
        [b'/', b'/', ..] => rest.find('\n').unwrap_or(rest.len()),
        [b'/', b'*', ..] => block_comment(rest),
        [b'"', ..] => {
            let hashes = before.len() - before.trim_end_matches('#').len();
            let raw = before.trim_end_matches('#').strip_suffix('r').is_some_and(|front| {
                !front
                    .trim_end_matches('b')
                    .ends_with(|character: char| character.is_alphanumeric() || character == '_')
            });
            if raw { raw_text(rest, hashes) } else { text_literal(bytes) }
        }
        [b'\'', b'\\', ..] => rest[2..]
            .char_indices()
            .nth(1)
            .map_or(rest.len(), |(at, _)| rest[2 + at..].find('\'').map_or(rest.len(), |end| 2 + at + end + 1)),
        [b'\'', ..] => {
            let mut characters = rest[1..].chars();
            let width = characters.next().map_or(0, char::len_utf8);
            // A lifetime has no second quote.
            if characters.next() == Some('\'') { width + 2 } else { 0 }
        }
        _ => 0,
    }
}

fn block_comment(rest: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at < rest.len() {
        match rest.as_bytes()[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

fn raw_text(rest: &str, hashes: usize) -> usize {
    let end = format!("\"{}", "#".repeat(hashes));
    rest[1..].find(&end).map_or(rest.len(), |at| 1 + at + end.len())
}

fn text_literal(bytes: &[u8]) -> usize {
    let mut at = 1;
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}

/// Splits code into words and single signs.
pub(crate) fn words(code: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut open = false;
    for character in code.chars() {
        let in_word = character.is_alphanumeric() || character == '_';
        match words.last_mut() {
            Some(word) if in_word && open => word.push(character),
            _ if character.is_whitespace() => {}
            _ => words.push(character.to_string()),
        }
        open = in_word;
    }
    words
}

/// Returns the names that follow `root::` in paths and `use` items, including those in braces.
pub(crate) fn uses<'w>(words: &'w [String], root: &str) -> BTreeSet<&'w str> {
    let mut names = BTreeSet::new();
    for (at, word) in words.iter().enumerate() {
        let starts = at == 0 || !matches!(words[at - 1].as_str(), ":" | ".");
        let [first, second, tail @ ..] = &words[at + 1..] else { break };
        if word == root && starts && first == ":" && second == ":" {
            names.extend(branches(tail));
        }
    }
    names
}

/// Returns the first name of `tail`, or the first name of each branch where it opens with a brace.
fn branches(tail: &[String]) -> Vec<&str> {
    let Some(first) = tail.first() else { return Vec::new() };
    if first != "{" {
        return vec![first];
    }
    let (mut depth, mut names) = (0_usize, Vec::new());
    for (at, word) in tail.iter().enumerate() {
        match word.as_str() {
            "{" => depth += 1,
            "}" if depth == 1 => break,
            "}" => depth -= 1,
            name if depth == 1 && matches!(tail[at - 1].as_str(), "{" | ",") => names.push(name),
            _ => {}
        }
    }
    names
}

/// Returns whether the words contain `.method(`.
pub(crate) fn calls(words: &[String], method: &str) -> bool {
    words.windows(3).any(|three| three[0] == "." && three[1] == method && three[2] == "(")
}

/// Returns the length of the longest chain of `super`.
pub(crate) fn supers(words: &[String]) -> usize {
    let names: Vec<_> = words.iter().filter(|word| *word != ":").collect();
    names
        .chunk_by(|left, right| *left == "super" && *right == "super")
        .filter(|run| run[0] == "super")
        .map(<[_]>::len)
        .max()
        .unwrap_or(0)
}
