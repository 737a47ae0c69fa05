//! Imports between the files of `src`: no file imports its own folder, and no imports form a circle.

use std::collections::{BTreeMap, BTreeSet};

use super::source::{Source, sources};

/// The path of a file's module: `["yaml", "tree"]`.
type Module = Vec<String>;

/// The modules that each file imports, without its test module.
type Imports = BTreeMap<Module, BTreeSet<Module>>;

#[test]
fn no_file_imports_its_own_folder() {
    let up: Vec<String> = imports(&sources())
        .iter()
        .flat_map(|(file, used)| used.iter().filter(|module| file.starts_with(module)).map(|module| edge(file, module)))
        .collect();
    assert_eq!(up, [""; 0], "move what both use into a file of its own, below them");
}

#[test]
fn no_imports_form_a_circle() {
    let imports = imports(&sources());
    let in_circles: Vec<String> =
        imports.keys().filter_map(|file| path_to(&imports, file, file)).map(|path| path.join(" -> ")).collect();
    assert_eq!(in_circles, [""; 0]);
}

#[test]
fn imports_are_read_in_every_form() {
    let text = "use crate::a::{b, c::d};\nuse super::e;\npub use f::G; pub(in crate::x) fn v() {}\nfn g() { super::super::h::i(); self::j::k(); l.f::<M>() }";
    let source = |path: &str, text: &str| Source::new(path.to_owned(), text.to_owned());
    let others = ["a/mod", "a/b", "a/c", "x/e", "h", "x/y/f", "x/y/j", "x/mod"];
    let mut all: Vec<Source> = others.iter().map(|name| source(&format!("src/{name}.rs"), "")).collect();
    all.push(source("src/x/y/mod.rs", text));
    let found = &imports(&all)[&module("x/y")];
    assert_eq!(*found, ["a/b", "a/c", "h", "x/e", "x/y/f", "x/y/j"].map(module).into());
    let circle = [source("src/p.rs", "use crate::q::Q;"), source("src/q.rs", "fn q() { crate::p::p() }")];
    assert!(path_to(&imports(&circle), &module("p"), &module("p")).is_some());
}

fn module(path: &str) -> Module {
    path.split('/').map(str::to_owned).collect()
}

fn edge(from: &Module, to: &Module) -> String {
    format!("{} imports {}", from.join("/"), to.join("/"))
}

/// Reads the imports of `sources`. A path is an import of its longest prefix that is a module.
fn imports(sources: &[Source]) -> Imports {
    let name = |source: &Source| source.module().into_iter().map(str::to_owned).collect::<Module>();
    let modules: BTreeSet<Module> = sources.iter().map(name).filter(|module| !module.is_empty()).collect();
    let of_source = |source: &Source| {
        let file = name(source);
        let is_child = |word: &str| modules.contains(&[&*file, &[word.to_owned()]].concat());
        let used = paths(&source.code, &is_child).into_iter().filter_map(|path| resolve(&file, path, &modules));
        (file.clone(), used.filter(|module| *module != file).collect())
    };
    sources.iter().filter(|source| !source.module().is_empty()).map(of_source).collect()
}

/// Returns the paths in `words` that start with `crate`, `super`, `self` or a child module, with groups in braces expanded.
pub(super) fn paths(words: &[String], is_child: &dyn Fn(&str) -> bool) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let is_first = at == 0 || ![":", ".", "in"].contains(&words[at - 1].as_str());
        let is_path =
            words.get(at + 1).is_some_and(|next| next == ":") && words.get(at + 2).is_some_and(|next| next == ":");
        if is_first && is_path && (["crate", "super", "self"].contains(&word.as_str()) || is_child(word)) {
            read(&words[at..], &[], &mut found);
        }
    }
    found
}

/// Reads one path, or the branches of a group, after `before`; returns how many words it has.
fn read(words: &[String], before: &[String], found: &mut Vec<Vec<String>>) -> usize {
    let is_separator = |at: usize| words.get(at..at + 2).is_some_and(|pair| pair == [":", ":"]);
    let mut path = before.to_vec();
    let mut at = 0;
    loop {
        match words.get(at).map(String::as_str) {
            Some("{") => {
                at += 1;
                while words.get(at).is_some_and(|word| word != "}") {
                    at += read(&words[at..], &path, found);
                    // `as Name`, and the comma.
                    while words.get(at).is_some_and(|word| word != "," && word != "}") {
                        at += 1;
                    }
                    at += usize::from(words.get(at).is_some_and(|word| word == ","));
                }
                return at + 1;
            }
            Some(word) => path.push(word.to_owned()),
            None => break,
        }
        at += 1;
        if !is_separator(at) {
            break;
        }
        at += 2;
    }
    found.push(path);
    at
}

/// Returns the module of a path in `file`; `None` for the crate's root and paths outside the crate.
fn resolve(file: &Module, path: Vec<String>, modules: &BTreeSet<Module>) -> Option<Module> {
    let mut base = file.clone();
    let mut rest = path.as_slice();
    match rest.first().map(String::as_str) {
        Some("crate") => (base, rest) = (Module::new(), &rest[1..]),
        Some("self") => rest = &rest[1..],
        _ => {}
    }
    while rest.first().is_some_and(|word| word == "super") {
        base.pop();
        rest = &rest[1..];
    }
    let longer = (0..=rest.len()).map(|length| [base.as_slice(), &rest[..length]].concat());
    longer.filter(|module| modules.contains(module)).max_by_key(Vec::len)
}

/// Returns the files on a chain of at least one import from one file to another.
fn path_to(imports: &Imports, from: &Module, to: &Module) -> Option<Vec<String>> {
    let mut reached: BTreeMap<&Module, &Module> = BTreeMap::new();
    let mut open = vec![from];
    while let Some(file) = open.pop() {
        for next in imports.get(file).into_iter().flatten() {
            if reached.contains_key(next) {
                continue;
            }
            reached.insert(next, file);
            if next == to {
                let mut path = vec![to.join("/")];
                let mut at = file;
                while at != from {
                    path.insert(0, at.join("/"));
                    at = reached[at];
                }
                path.insert(0, from.join("/"));
                return Some(path);
            }
            open.push(next);
        }
    }
    None
}
