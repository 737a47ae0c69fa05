//! Answers: which node, and which place in the text, does a field path name, and which parts of a text begin where?
//!
//! Invariant: a node is only found if it is written at the path itself; a value that comes from an alias or merge is rejected, so that
//! an edit cannot change another place. There is always a place to report.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::children::{entries, item_at, merged};
use super::problem::{Problem, ProblemCode};
use super::scalar::scalar_text;
use super::tree::{Kind, NodeId, Tree, skip_trivia};
use crate::syntax::field::{FieldPath, Step};
use crate::syntax::text::Span;

/// Finds the node at `path` below `root`.
///
/// # Errors
/// `NotFound`; `ThroughAlias` and `ThroughMerge` if the value is written elsewhere; `DuplicateKey`.
pub fn find_node(tree: &Tree, text: &str, root: NodeId, path: &FieldPath) -> Result<NodeId, Problem> {
    path.steps().iter().try_fold(root, |node, step| find_child(tree, text, node, step))
}

/// Finds the child that one step leads to.
pub(super) fn find_child(tree: &Tree, text: &str, node: NodeId, step: &Step) -> Result<NodeId, Problem> {
    let missing = |what: String| Problem::new(ProblemCode::NotFound, tree.start(node), what);
    if tree.node(node).kind == Kind::Alias {
        let message = format!("`{}` is an alias; change the value that its anchor marks", tree.span(node).of(text));
        return Err(Problem::new(ProblemCode::ThroughAlias, tree.start(node), message));
    }
    match step {
        Step::Key(key) => find_entry(tree, text, node, key).map(|(_, value)| value),
        Step::Index(index) if tree.node(node).kind.is_sequence() => {
            item_at(tree, text, node, *index).ok_or_else(|| missing(format!("there is no item {index}")))
        }
        Step::Index(_) => Err(missing("this is not a list".to_owned())),
    }
}

/// Finds the entry of `key` in a mapping.
pub(super) fn find_entry(tree: &Tree, text: &str, mapping: NodeId, key: &str) -> Result<(NodeId, NodeId), Problem> {
    let mut found = entries(tree, text, mapping, key);
    match (found.next(), found.next()) {
        (Some(pair), None) => Ok(pair),
        (Some(_), Some((second, _))) => {
            let message = format!("duplicate key `{key}` in one mapping");
            Err(Problem::new(ProblemCode::DuplicateKey, tree.start(second), message))
        }
        (None, _) => Err(match merge_source(tree, text, mapping, key) {
            Some(merge_source) => {
                let message = format!("`{key}` comes from a merge (`<<`); change the mapping that is merged");
                Problem::new(ProblemCode::ThroughMerge, tree.start(merge_source), message)
            }
            None => Problem::new(ProblemCode::NotFound, tree.start(mapping), format!("there is no `{key}`")),
        }),
    }
}

/// Returns the value of the `<<` that merges `key` into a mapping.
pub(super) fn merge_source(tree: &Tree, text: &str, mapping: NodeId, key: &str) -> Option<NodeId> {
    let mut seen = BTreeSet::new();
    merged(tree, text, mapping).find(|value| merges_key(tree, text, *value, key, &mut seen))
}

/// Returns a key that is above a merge which also has it: kubectl then takes the merge's value, contrary to the YAML
/// 1.1 draft and other parsers.
pub(super) fn key_overridden_by_merge(tree: &Tree, text: &str) -> Option<NodeId> {
    let mappings = tree.ids().filter(|node| tree.node(*node).kind.is_mapping());
    mappings
        .filter_map(|mapping| {
            let (merge, value) = tree.pairs(mapping).find(|(key, _)| tree.is_merge_key(text, *key))?;
            let mut above = tree.pairs(mapping).map(|(key, _)| key).take_while(|key| *key < merge);
            above.find(|key| merges_key(tree, text, value, &scalar_text(tree, text, *key), &mut BTreeSet::new()))
        })
        .next()
}

/// Returns whether merging `node` adds `key`; each node is visited once.
fn merges_key(tree: &Tree, text: &str, node: NodeId, key: &str, seen: &mut BTreeSet<NodeId>) -> bool {
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        if !seen.insert(node) {
            continue;
        }
        if entries(tree, text, node, key).next().is_some() {
            return true;
        }
        match tree.node(node).kind {
            Kind::Alias => open.extend(tree.target(node)),
            kind if kind.is_sequence() => open.extend(tree.children(node)),
            _ => open.extend(merged(tree, text, node)),
        }
    }
    false
}

/// Returns where a finding about `path` points: the key, or the dash of a list item.
///
/// If the path does not exist it is the nearest parent; if the value comes from an alias or merge it is the place
/// that uses it.
pub fn locate(tree: &Tree, text: &str, root: NodeId, path: &FieldPath) -> Span {
    let mut node = root;
    let mut span = first_token(tree, root);
    for step in path.steps() {
        if tree.node(node).kind == Kind::Alias {
            return tree.span(node);
        }
        match step {
            Step::Key(key) => match entries(tree, text, node, key).next() {
                Some((name, value)) => {
                    span = tree.span(name);
                    node = value;
                }
                None => {
                    return merge_source(tree, text, node, key)
                        .map_or(span, |merge_source| first_token(tree, merge_source));
                }
            },
            Step::Index(index) => {
                let item = tree.node(node).kind.is_sequence().then(|| item_at(tree, text, node, *index)).flatten();
                let Some(item) = item else { return span };
                span = item_start(tree, text, node, *index, item);
                node = item;
            }
        }
    }
    span
}

fn item_start(tree: &Tree, text: &str, list: NodeId, index: usize, item: NodeId) -> Span {
    if tree.node(list).kind != Kind::Sequence {
        return first_token(tree, item);
    }
    let before = index.checked_sub(1).and_then(|before| item_at(tree, text, list, before));
    let dash = skip_trivia(text, before.map_or(tree.span(list).start, |before| tree.span(before).end));
    Span::new(dash, dash + 1)
}

/// Returns a node's first token: its first key, its bracket, or all of it.
fn first_token(tree: &Tree, node: NodeId) -> Span {
    let span = tree.span(node);
    match tree.node(node).kind {
        Kind::Mapping | Kind::Pair => tree.pairs(node).next().map_or(span, |(key, _)| tree.span(key)),
        Kind::Sequence | Kind::FlowMapping | Kind::FlowSequence => Span::new(span.start, span.start + 1),
        Kind::Plain | Kind::Single | Kind::Double | Kind::Literal | Kind::Folded | Kind::Empty | Kind::Alias => span,
    }
}

/// Returns the bytes of every document, entry and item, an item from its dash on, in the order of their starts; of those with one
/// start the longest comes first. A mapping or list is no part of its own: its first entry begins where it does.
pub fn parts(tree: &Tree, text: &str) -> Vec<Span> {
    let mut parts: Vec<Span> = Vec::new();
    let end = |node| tree.span(node).end;
    parts.extend(tree.documents.iter().map(|one| Span::new(tree.start(one.root), end(one.root))));
    for (id, node) in (0..).map(super::tree::NodeId).zip(&tree.nodes) {
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

/// Returns the fields of a mapping, or the items of a list: how each is found, the bytes of its key, of an item where it starts, and its value. What
/// aliases and merges bring stands elsewhere.
pub fn fields(tree: &Tree, text: &str, node: NodeId) -> Vec<(Step, Span, NodeId)> {
    if tree.node(node).kind.is_sequence() {
        let start = |item: NodeId| Span::new(tree.start(item), tree.start(item));
        return tree.children(node).enumerate().map(|(index, item)| (Step::Index(index), start(item), item)).collect();
    }
    let step = |key: NodeId| Step::Key(scalar_text(tree, text, key).into_owned());
    let span = |key: NodeId| Span::new(tree.start(key), tree.span(key).end);
    tree.pairs(node).map(|(key, value)| (step(key), span(key), value)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse;
    use super::*;
    use crate::syntax::text::LineIndex;

    const TEXT: &str = "\
base: &base
  image: a
list:
- x: 1

# c
- - y
  - {z: 2}
prod:
  <<: [*base]
  own: 1
dev: *base
";

    fn path(text: &str) -> FieldPath {
        let steps = text.split('.').filter(|step| !step.is_empty());
        FieldPath::new(steps.map(|step| step.parse().map_or_else(|_| Step::Key(step.to_owned()), Step::Index)))
    }

    #[track_caller]
    fn check_place(at: &str, expected: &str, line: usize) {
        let tree = parse(TEXT).unwrap();
        let span = locate(&tree, TEXT, tree.documents()[0].root, &path(at));
        let found = LineIndex::new(TEXT).position(TEXT, span.start).line;
        assert_eq!((span.of(TEXT), found), (expected, line), "{at}");
    }

    #[test]
    fn a_location_is_a_key_or_a_dash() {
        check_place("", "base", 1);
        check_place("base.image", "image", 2);
        check_place("list.0", "-", 4);
        check_place("list.0.x", "x", 4);
        check_place("list.1", "-", 7);
        check_place("list.1.1", "-", 8);
        check_place("list.1.1.z", "z", 8);
    }

    #[test]
    fn the_location_of_a_missing_node_is_that_of_its_parent() {
        check_place("list.0.y.z", "-", 4);
        check_place("list.9", "list", 3);
        check_place("base.image.a", "image", 2);
        check_place("nothing.at.all", "base", 1);
    }

    #[test]
    fn a_merged_or_aliased_value_is_where_it_is_used() {
        check_place("dev", "dev", 12);
        check_place("dev.image", "*base", 12);
        check_place("prod.own", "own", 11);
        check_place("prod.image", "[", 10);
    }

    #[test]
    fn a_node_is_found_by_its_own_bytes_only() {
        let tree = parse(TEXT).unwrap();
        let find =
            |at: &str| find_node(&tree, TEXT, tree.documents()[0].root, &path(at)).map_err(|problem| problem.code);
        assert_eq!(find("list.1.1.z").map(|node| tree.span(node).of(TEXT)), Ok("2"));
        assert_eq!(find("dev").map(|node| tree.span(node).of(TEXT)), Ok("*base"));
        assert_eq!(find("dev.image"), Err(ProblemCode::ThroughAlias));
        assert_eq!(find("prod.image"), Err(ProblemCode::ThroughMerge));
        assert_eq!(find("prod.none"), Err(ProblemCode::NotFound));
        assert_eq!(find("list.x"), Err(ProblemCode::NotFound));
        assert_eq!(find("prod.0"), Err(ProblemCode::NotFound));
    }

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

    #[test]
    fn fields_have_keys_and_items_begin() {
        let text = "a:\n- \"b\": 1\n  c: {d: x}\n-\ne: |\n  f\n";
        let tree = parse(text).unwrap();
        let of = |path: &str| {
            let node = find_node(&tree, text, tree.documents()[0].root, &self::path(path)).unwrap();
            let found = fields(&tree, text, node).into_iter();
            let found = found.map(|(step, key, node)| (FieldPath::new([step]), key.of(text), tree.span(node).of(text)));
            found.map(|(step, key, value)| format!("{step} {key} = {}", value.trim_end())).collect::<Vec<_>>()
        };
        assert_eq!(of(""), ["a a = - \"b\": 1\n  c: {d: x}\n-", "e e = |\n  f"]);
        assert_eq!(of("a"), ["[0]  = \"b\": 1\n  c: {d: x}", "[1]  = "]);
        assert_eq!(of("a.0"), ["b \"b\" = 1", "c c = {d: x}"]);
        assert_eq!(of("a.0.c"), ["d d = x"]);
        assert_eq!(of("e"), Vec::<String>::new());
    }
}
