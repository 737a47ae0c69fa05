//! Answers: what is the span tree of a text, for the YAML people write?
//!
//! A line is read from its indentation on; a stack holds the open collections with their columns, and a dash or colon
//! whose value may still come. What a line may hold stands in `block`, brackets in `flow`, scalars in `scalar` and
//! `block_scalar`, single lines in `line`, characters in `screen`. Everything else is left to granit-parser: anchors,
//! tags, aliases, `?`, directives, `...`, byte order marks, lone carriage returns, tabs in indentation, indentation
//! indicators, collections and many-line text as keys, pairs in lists, plain text and block scalars at the root, and
//! whatever looks wrong.
//!
//! What every line goes through is inlined by force: calls took a fifth of the time.
//!
//! Invariant: an accepted text has the very tree that granit's events give, and granit accepts it; in doubt it is `None`.

mod block;
mod block_scalar;
mod flow;
mod line;
mod scalar;
mod screen;

use super::limits::{LIMITS, Limits};
use super::node::{Document, Kind, Node, NodeId};
use super::tree::Tree;
use crate::text::Span;

/// How deep block collections may lie in each other, and flow collections in each other: together no deeper than a text may
/// be nested.
const NESTING_LIMIT: usize = LIMITS.nesting / 2;

/// How long a key with its colon may be, in bytes: below the 1024 characters YAML allows.
const KEY_LIMIT: usize = 1000;

/// Reads a text that consists of common YAML only; `None` says that another parser has to look, not that it is wrong.
///
/// A tree is the one [`parse_exact`](super::parse_exact) gives.
pub fn scan(text: &str) -> Option<Tree> {
    scan_within(text, &LIMITS)
}

/// Reads a text that must keep to `limits`; what breaks them is left to the exact parser, which names the place.
pub(super) fn scan_within(text: &str, limits: &Limits) -> Option<Tree> {
    let bytes = text.as_bytes();
    if limits.check_size(text).is_err() || !screen::is_common(bytes) {
        return None;
    }
    let mut scan = Scan::new(bytes, limits);
    let mut at = 0;
    while at < bytes.len() {
        at = scan.line(at)?;
        scan.keep_to_limits()?;
    }
    scan.end_document();
    scan.keep_to_limits()?;
    Some(scan.tree)
}

/// A block collection that further lines may belong to.
struct Open {
    node: u32,
    kind: Kind,
    /// Where its dashes or keys stand.
    column: usize,
    /// Whether its last dash or colon has no value yet.
    awaits: bool,
}

struct Scan<'t> {
    bytes: &'t [u8],
    limits: &'t Limits,
    tree: Tree,
    open: Vec<Open>,
    /// Behind the last node, dash, colon or `---`: where an empty node would stand.
    cursor: usize,
    root: Option<NodeId>,
    /// Where the present document's slice starts, and whether a `---` is in it.
    slice: usize,
    explicit: bool,
    /// The last line a scalar looked at and did not take: where it starts, and its column.
    seen: Option<(usize, usize)>,
}

impl<'t> Scan<'t> {
    fn new(bytes: &'t [u8], limits: &'t Limits) -> Self {
        // A manifest has a node per 13 bytes, a CRD one per 30: the array grows once or not at all.
        let tree = Tree { nodes: Vec::with_capacity(bytes.len() / 16 + 8), ..Tree::default() };
        let open = Vec::with_capacity(32);
        Self { bytes, limits, tree, open, cursor: 0, root: None, slice: 0, explicit: false, seen: None }
    }

    /// Goes on only while there are not too many nodes and documents.
    #[inline]
    fn keep_to_limits(&self) -> Option<()> {
        let (nodes, documents) = (self.tree.nodes.len(), self.tree.documents.len());
        (nodes <= self.limits.nodes && documents <= self.limits.documents).then_some(())
    }

    /// Reads one line, or all lines of the value that starts on it, and returns where the next line starts.
    fn line(&mut self, start: usize) -> Option<usize> {
        let column = match self.seen {
            Some((seen, column)) if seen == start => column,
            _ => line::spaces(self.bytes, start),
        };
        let at = start + column;
        match self.bytes.get(at) {
            None => Some(at),
            Some(b'\n' | b'\r') => Some(line::behind_end(self.bytes, at)),
            Some(b'#') => Some(self.comment(at)),
            Some(b'-' | b'.') if column == 0 && line::is_marker(self.bytes, at) => self.marker(at),
            Some(_) => self.entry(at, column),
        }
    }

    /// Reads a `---` with nothing but a comment behind it; a `...` is not accepted.
    fn marker(&mut self, at: usize) -> Option<usize> {
        if self.bytes[at] == b'.' {
            return None;
        }
        self.end_document();
        if let Some(last) = self.tree.documents.last_mut() {
            last.span.end = at;
            self.slice = at;
        }
        self.explicit = true;
        self.cursor = at + 3;
        self.rest_of_line(self.cursor)
    }

    /// Closes what is open; a document of a `---` alone holds an empty node.
    fn end_document(&mut self) {
        while !self.open.is_empty() {
            self.close();
        }
        if self.root.is_none() && self.explicit {
            self.root = Some(self.push(Kind::Empty, self.cursor, self.cursor));
        }
        if let Some(root) = self.root.take() {
            self.tree.documents.push(Document { root, span: Span::new(self.slice, self.bytes.len()) });
        }
    }

    fn push(&mut self, kind: Kind, start: usize, end: usize) -> NodeId {
        let node = self.tree.nodes.len() as u32;
        self.tree.nodes.push(Node { kind, indent: 0, start: start as u32, end: end as u32, next: node + 1 });
        self.cursor = end;
        NodeId(node)
    }

    /// Closes the innermost block collection where its last child ends.
    fn close(&mut self) {
        self.fill();
        if let Some(open) = self.open.pop() {
            self.end_node(open.node);
        }
    }

    /// Puts an empty node behind a dash or colon that got no value.
    fn fill(&mut self) {
        if self.open.last().is_some_and(|open| open.awaits) {
            self.push(Kind::Empty, self.cursor, self.cursor);
            self.answer();
        }
    }

    /// Notes that the innermost dash or colon has its value.
    fn answer(&mut self) {
        if let Some(open) = self.open.last_mut() {
            open.awaits = false;
        }
    }

    fn end_node(&mut self, node: u32) {
        let next = self.tree.nodes.len() as u32;
        let node = &mut self.tree.nodes[node as usize];
        node.next = next;
        node.end = self.cursor as u32;
    }

    /// Passes spaces, a comment and the line end behind a token, and returns where the next line starts.
    fn rest_of_line(&mut self, from: usize) -> Option<usize> {
        let at = line::skip_spaces(self.bytes, from);
        match self.bytes.get(at) {
            None => Some(at),
            Some(b'\n' | b'\r') => Some(line::behind_end(self.bytes, at)),
            Some(b'#') if at > from => Some(self.comment(at)),
            Some(_) => None,
        }
    }

    /// Notes the comment at `at`, and returns where the next line starts.
    fn comment(&mut self, at: usize) -> usize {
        let line = line::end(self.bytes, at);
        self.tree.comments.push(Span::new(at, line.end));
        line.next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_write_is_accepted() {
        for text in [
            "",
            "# only\n",
            "---\n",
            "a: b",
            "'a'",
            "a:\r\n- b # c\r\n-\r\n",
            "'a' : \"b\"\n",
            "- - a: {b: [c, 'd'], e: }\n    f: |+ # g\n     h\n\n",
            "a: b\n  c\n\n  d # e\n---\n# f\n--- # g\n- h\n",
            "{\"a\":[1,{}],\n\t\"b\" : null}\n",
            "a: [b,\n  c # d\n]\n",
            "a: \"b\n\n  \\\"c\\x41\"\n",
        ] {
            assert!(scan(text).is_some(), "{text}");
        }
    }

    #[test]
    fn the_unusual_is_handed_over() {
        for text in [
            "a: &b c",
            "a: *b",
            "a: !b c",
            "? a",
            "%YAML 1.2\n---\n",
            "a: b\n...\n",
            "\u{feff}a: b",
            "a: b\rc: d",
            "a:\tb",
            "\ta: b",
            "a:\n \tb",
            "a: |2\n   b",
            "--- a",
            "a",
            "|\n a",
            "{a: b}: c",
            "[a: b]",
            "{[a]: b}",
            "\"a\n b\": c",
            "a: [b\n  c]",
            "a: [\"b\n  c\"]",
            "a: \"\\ud83d\\ude00\"",
            "a: {\n b: [\n\t]}",
        ] {
            assert_eq!(scan(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_handed_over() {
        for text in [
            "a: b: c",
            "a: - b",
            "- a\nb: c",
            "a: b\n c: d",
            "a: b\n  - c: d",
            "a:\n  b: c\n d: e",
            "a: 'b' c",
            "a: 'b'#c",
            "a: [b]#c",
            "a: [b",
            "a: [b,,c]",
            "a: [,]",
            "a: {b:[c]}",
            "a: b # c\n  d",
            "a: |\n   \n  b",
            "a: \"b\nc\"",
            "a: \"\\q\"",
            "a: ]",
            "a: @b",
            "a\nb: c",
            "- [a]\n - b",
            "{a: b} c",
            "a: {b: c}\n}",
            "a: \u{1}",
            "---a: |\n\tb",
            "[\n---\n]",
            "[-]",
            "[a]\n[b]",
        ] {
            assert_eq!(scan(text), None, "{text}");
        }
    }

    #[test]
    fn long_keys_and_deep_nesting_are_handed_over() {
        let of_length = |length: usize| format!("{}: b\n", "a".repeat(length));
        assert!(scan(&of_length(KEY_LIMIT)).is_some());
        assert_eq!(scan(&of_length(KEY_LIMIT + 1)), None);
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(scan(&nested(NESTING_LIMIT)).is_some());
        assert_eq!(scan(&nested(NESTING_LIMIT + 1)), None);
        assert!(scan(&"- ".repeat(NESTING_LIMIT)).is_some());
        assert_eq!(scan(&"- ".repeat(NESTING_LIMIT + 1)), None);
        assert_eq!(scan(&"{a: ".repeat(1_000_000)), None);
    }
}
