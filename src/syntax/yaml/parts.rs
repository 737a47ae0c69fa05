//! Which parts of a text begin where: documents, entries of mappings and items of lists?

use std::cmp::Reverse;

use super::node::Kind;
use super::tree::{Tree, skip_trivia};
use crate::syntax::text::Span;

/// Returns the bytes of every document, entry and item, an item from its dash on, in the order of their starts; of those with one
/// start the longest comes first. A mapping or list is no part of its own: its first entry begins where it does.
pub(crate) fn parts(tree: &Tree, text: &str) -> Vec<Span> {
    let mut parts: Vec<Span> = Vec::new();
    let end = |node| tree.span(node).end;
    parts.extend(tree.documents.iter().map(|one| Span::new(tree.start(one.root), end(one.root))));
    for (id, node) in (0..).map(super::node::NodeId).zip(&tree.nodes) {
        if node.kind.is_mapping() {
            parts.extend(tree.pairs(id).map(|(key, value)| Span::new(tree.start(key), end(value).max(end(key)))));
        } else if node.kind == Kind::Sequence {
            let mut before = node.start as usize;
            for item in tree.children(id) {
                let dash = skip_trivia(text, before);
                before = end(item).max(dash + 1);
                parts.push(Span::new(dash, before));
            }
        } else if node.kind == Kind::FlowSequence {
            parts.extend(tree.children(id).map(|item| Span::new(tree.start(item), end(item))));
        }
    }
    parts.retain(|part| !part.is_empty());
    parts.sort_by_key(|part| (part.start, Reverse(part.end)));
    parts
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse;
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let tree = parse(text).unwrap();
        assert_eq!(parts(&tree, text).iter().map(|part| part.of(text)).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn documents_entries_and_items_are_parts() {
        check("a: 1\n", &["a: 1", "a: 1"]);
        check("a:\n  b: 1\n  c:\n", &["a:\n  b: 1\n  c:", "a:\n  b: 1\n  c:", "b: 1", "c:"]);
        check("- x: 1\n  y: 2\n-\n  z\n", &["- x: 1\n  y: 2\n-\n  z", "- x: 1\n  y: 2", "x: 1", "y: 2", "-\n  z"]);
        check("{a: [1, {b: 2}]}", &["{a: [1, {b: 2}]}", "a: [1, {b: 2}]", "1", "{b: 2}", "b: 2"]);
        check("# none\n", &[]);
        check("&x {}\n---\n!t b\n", &["&x {}", "!t b"]);
    }
}
