//! Answers: where are the lines of a text that is embedded as a literal scalar (`|`), and which bytes change when that text does?
//!
//! A literal scalar has its lines unchanged, after an indentation. So each line of the embedded text has one place in the text around
//! it, and an edit of the one maps to an edit of the other: new lines get the indentation and the line end of the scalar. Scalars in
//! other styles fold or escape their content and have no such places.
//!
//! Invariant: an edit is mapped by its bytes alone; `verify` checks that the scalar then contains the edited text.

use super::path::find_child;
use super::scalar::scalar_text;
use super::tree::{Kind, NodeId, Tree};
use crate::syntax::field::FieldPath;
use crate::syntax::text::{Edit, EditSet, Span};

/// A text that is embedded as a literal scalar, and where its lines are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Literal {
    text: String,
    lines: Vec<Line>,
    indent: usize,
    line_end: &'static str,
}

/// A line of the embedded text; the last one is empty if the text ends with a line end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Line {
    /// Where it starts in the embedded text.
    inner: usize,
    /// Where it starts in the text around it, with its indentation.
    outer: usize,
    /// Its indentation: less than that of others only if it is blank.
    spaces: usize,
}

/// Returns whether what is at `path` below `root` is a plain or quoted scalar on one line that is not shared: no anchor or tag on
/// the path to it.
pub fn is_on_one_line(tree: &Tree, text: &str, root: NodeId, path: &FieldPath) -> bool {
    let is_flow = |kind| matches!(kind, Kind::Plain | Kind::Single | Kind::Double);
    let node = find_unshared(tree, text, root, path);
    node.is_some_and(|node| is_flow(tree.node(node).kind) && !tree.span(node).of(text).contains('\n'))
}

/// Finds what is at `path` below `root`, if there is no anchor or tag on the path to it.
fn find_unshared(tree: &Tree, text: &str, root: NodeId, path: &FieldPath) -> Option<NodeId> {
    let plain = |node: NodeId| tree.properties_of(node).is_none().then_some(node);
    let below = |node: NodeId, step| plain(find_child(tree, text, node, step).ok()?);
    path.steps().iter().try_fold(plain(root)?, below)
}

impl Literal {
    /// Returns what is at `path` below `root`, if it is a literal scalar that is not shared: no anchor
    /// or tag on the path to it, and every line of it has a place of its own.
    pub fn at(tree: &Tree, text: &str, root: NodeId, path: &FieldPath) -> Option<Self> {
        let node = find_unshared(tree, text, root, path)?;
        (tree.node(node).kind == Kind::Literal).then(|| Self::of(text, tree, node)).flatten()
    }

    /// Finds the lines of the block scalar at `node`.
    pub(super) fn of(text: &str, tree: &Tree, node: NodeId) -> Option<Self> {
        let indent = usize::from(tree.node(node).indent);
        let held = scalar_text(tree, text, node).into_owned();
        let span = tree.span(node);
        let next = |at: usize| memchr::memchr(b'\n', &text.as_bytes()[at..]).map(|length| at + length + 1);
        let mut outer = next(span.start);
        let line_end = if outer.is_some_and(|at| text[..at].ends_with("\r\n")) { "\r\n" } else { "\n" };
        let (mut lines, mut inner) = (Vec::new(), 0);
        for line in held.split_inclusive('\n') {
            let at = outer?;
            outer = next(at);
            let whole = &text[at..outer.unwrap_or(text.len())];
            let spaces = whole.bytes().take(indent).take_while(|byte| *byte == b' ').count();
            let has_place = whole[spaces..].trim_end_matches(['\r', '\n']) == line.trim_end_matches('\n');
            lines.push(has_place.then_some(Line { inner, outer: at, spaces })?);
            inner += line.len();
        }
        if held.ends_with('\n') {
            lines.push(Line { inner, outer: outer?, spaces: 0 });
        }
        (!lines.is_empty()).then_some(Self { text: held, lines, indent, line_end })
    }

    /// Returns the embedded text.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the place of byte `offset` of the embedded text in the text around it; for a larger offset, where it ends.
    pub fn place(&self, offset: usize) -> usize {
        let line = self.lines[self.lines.partition_point(|line| line.inner <= offset) - 1];
        line.outer + line.spaces + offset.min(self.text.len()).saturating_sub(line.inner)
    }

    /// Maps `edits` of the embedded text to edits of the text around it.
    pub fn outward(&self, edits: &EditSet) -> EditSet {
        // Edits that touch are one: a line that one of them starts, the next one may continue.
        let outward = edits.clone().joined().edits().iter().map(|edit| self.edit(edit)).collect();
        EditSet::new(outward).expect("places keep the order of what stands there")
    }

    fn edit(&self, edit: &Edit) -> Edit {
        let Span { start, end } = edit.span;
        let (first, last) = (self.line_at(start), self.line_at(end));
        let removes_lines = first.is_some() && edit.text.is_empty();
        match last.filter(|_| edit.text.ends_with('\n') || removes_lines) {
            // Whole lines are replaced by whole lines, with their indentation.
            Some(last) => {
                let from = first.map_or_else(|| self.place(start), |line| line.outer);
                let spaces = if first.is_some() { self.indent } else { 0 };
                Edit::new(from, last.outer, self.indented(&edit.text, spaces, 0))
            }
            None => {
                let missing = first.map_or(0, |line| self.indent - line.spaces.min(self.indent));
                let continues = !self.text[end..].is_empty() && !self.text[end..].starts_with('\n');
                let rest = if continues { self.indent } else { 0 };
                Edit::new(self.place(start), self.place(end), self.indented(&edit.text, missing, rest))
            }
        }
    }

    fn line_at(&self, offset: usize) -> Option<Line> {
        self.lines.binary_search_by_key(&offset, |line| line.inner).ok().map(|at| self.lines[at])
    }

    /// Indents the lines of `text`, the first one by `first`; blank lines stay blank, but for a last one that is not a first one and
    /// gets `rest`.
    fn indented(&self, text: &str, first: usize, rest: usize) -> String {
        let mut out = String::with_capacity(text.len());
        for (at, line) in text.split('\n').enumerate() {
            let spaces = if at == 0 { first } else { self.indent };
            out.push_str(if at == 0 { "" } else { self.line_end });
            out.extend(std::iter::repeat_n(' ', if line.is_empty() { 0 } else { spaces }));
            out.push_str(line);
        }
        out.extend(std::iter::repeat_n(' ', if text.ends_with('\n') { rest } else { 0 }));
        out
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    use super::*;
    use crate::syntax::yaml::{parse, read_value};

    fn literal(text: &str) -> Option<Literal> {
        let tree = parse(text).unwrap();
        Literal::at(&tree, text, tree.documents()[0].root, &FieldPath::default().key("a").index(0).key("b"))
    }

    /// Makes edits in what `a[0].b` of `text` holds.
    fn edited(text: &str, edits: &[(usize, usize, &str)]) -> String {
        let edits = edits.iter().map(|(start, end, new)| Edit::new(*start, *end, *new)).collect();
        literal(text).unwrap().outward(&EditSet::new(edits).unwrap()).apply(text)
    }

    const TEXT: &str = "a:\n- b: |-\n    x: 1\n\n    y:\n      z\n  c: d\n";

    #[test]
    fn a_line_starts_after_its_indentation() {
        let literal = literal(TEXT).unwrap();
        assert_eq!(literal.text(), "x: 1\n\ny:\n  z");
        let at = |inner: &str, outer: &str| {
            let place = literal.place(literal.text().find(inner).unwrap());
            assert_eq!(place, TEXT.find(outer).unwrap());
        };
        at("x", "x: 1");
        at("y", "y:");
        at("z", "z");
        assert_eq!(literal.place(100), TEXT.find("\n  c").unwrap());
    }

    #[test]
    fn edits_inside_get_the_indentation() {
        let with = |lines: &str| format!("a:\n- b: |-\n    {lines}\n  c: d\n");
        assert_eq!(edited(TEXT, &[(0, 1, "xx")]), with("xx: 1\n\n    y:\n      z"));
        assert_eq!(edited(TEXT, &[(0, 0, "w: 0\n")]), with("w: 0\n    x: 1\n\n    y:\n      z"));
        assert_eq!(edited(TEXT, &[(4, 4, "\nw:\n\n- 0")]), with("x: 1\n    w:\n\n    - 0\n\n    y:\n      z"));
        assert_eq!(edited(TEXT, &[(0, 5, "")]), "a:\n- b: |-\n\n    y:\n      z\n  c: d\n");
        assert_eq!(edited(TEXT, &[(5, 5, "w")]), with("x: 1\n    w\n    y:\n      z"));
        assert_eq!(edited(TEXT, &[(5, 6, "")]), with("x: 1\n    y:\n      z"));
        assert_eq!(edited(TEXT, &[(12, 12, "\nw: 0")]), with("x: 1\n\n    y:\n      z\n    w: 0"));
    }

    #[test]
    fn line_ends_are_those_of_the_scalar() {
        let text = "a:\r\n- b: |\r\n    x: 1\r\n    y: 2\r\n";
        assert_eq!(literal(text).unwrap().text(), "x: 1\ny: 2\n");
        assert_eq!(edited(text, &[(10, 10, "z: 3\n")]), format!("{text}    z: 3\r\n"));
        assert_eq!(edited(text, &[(2, 5, " 3\n")]), "a:\r\n- b: |\r\n    x: 3\r\n    y: 2\r\n");
    }

    #[test]
    fn only_an_unshared_literal_scalar_has_places() {
        for text in [
            "a:\n- b: >\n    x\n",
            "a:\n- b: 'x'\n",
            "a:\n- b: &c |\n    x\n",
            "a: &c\n- b: |\n    x\n",
            "a:\n- b: |\n",
        ] {
            assert_eq!(literal(text), None, "{text}");
        }
        assert!(literal("a:\n- b: |+2\n    x\n\n").is_some());
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, rng_seed: RngSeed::Fixed(2026), ..ProptestConfig::with_cases(2000) })]

        #[test]
        fn an_edited_scalar_holds_the_edited_text(
            lines in proptest::collection::vec("(  )?[xy]{0,3}", 1..6),
            style in prop::sample::select(vec!["|", "|-", "|+"]),
            cuts in proptest::collection::vec((0..20usize, 0..4usize, "[z\n]{0,4}"), 0..3),
        ) {
            let body: String = lines.iter().map(|line| format!("    {line}\n")).collect();
            let text = format!("a:\n- b: {style}\n    x\n{body}    y\n  c: d\n");
            let literal = literal(&text).unwrap();
            let whole = literal.text().len();
            let cut = |(start, length, new): &(usize, usize, String)| {
                let start = (*start).min(whole - 3).max(1);
                Edit::new(start, (start + length).min(whole - 2).max(start), new.clone())
            };
            let Ok(edits) = EditSet::new(cuts.iter().map(cut).collect()) else { return Ok(()) };
            let after = literal.outward(&edits).apply(&text);
            let tree = parse(&after).unwrap();
            let value = read_value(&tree, &after, tree.documents()[0].root).unwrap();
            prop_assert_eq!(value["a"][0]["b"].as_str().unwrap(), edits.apply(literal.text()), "{}", after);
            prop_assert_eq!(&value["a"][0]["c"], "d");
        }
    }
}
