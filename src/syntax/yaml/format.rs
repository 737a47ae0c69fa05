//! Answers: in which style is new text written: indentation, quotes, padding of brackets, and strings of several lines?
//!
//! A file shows it, for those of its documents, and of its neighbors, that do not show one. Lists inside lists are often indented in another
//! way than those around them, and a document without a list gets one outside of lists first: only such lists count.
//!
//! Invariant: a style is only a default; what a document itself shows takes precedence.

use std::collections::BTreeMap;

use super::tree::{Kind, Node, Tree};
use crate::syntax::text::Span;

/// What a document or file shows of its author's style; `None` where it does not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Conventions {
    /// How many columns a mapping is indented below its key.
    pub(super) step: Option<usize>,
    /// How many columns the dashes of a list are indented below its key.
    pub(super) list_indent: Option<usize>,
    /// The quotes of a string that needs some.
    pub(super) quotes: Option<Quotes>,
}

impl Conventions {
    /// Returns these conventions, with what they leave open taken from `other`.
    #[must_use]
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            step: self.step.or(other.step),
            list_indent: self.list_indent.or(other.list_indent),
            quotes: self.quotes.or(other.quotes),
        }
    }
}

/// The quotes around a string.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Quotes {
    #[default]
    Double,
    Single,
}

impl Quotes {
    /// Returns the quotes of a node, where its author had a choice: for a text without quotes and escapes.
    pub(super) fn of(text: &str, node: &Node) -> Option<Self> {
        let quotes = match node.kind {
            Kind::Double => Self::Double,
            Kind::Single => Self::Single,
            _ => return None,
        };
        let raw = node.span().of(text).as_bytes();
        let inside = raw.get(1..raw.len() - 1)?;
        memchr::memchr3(b'"', b'\'', b'\\', inside).is_none().then_some(quotes)
    }
}

/// How a value is written on one line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LineStyle {
    /// The spaces inside braces: none, or as in `{ a: 1 }`.
    pub(super) mapping: &'static str,
    /// The spaces inside brackets: none, or as in `[ 1 ]`.
    pub(super) list: &'static str,
    pub(super) quotes: Quotes,
}

impl LineStyle {
    /// Puts braces around entries.
    pub(super) fn braces(self, entries: &str) -> String {
        let blanks = if entries.is_empty() { "" } else { self.mapping };
        format!("{{{blanks}{entries}{blanks}}}")
    }

    /// Puts brackets around items.
    pub(super) fn brackets(self, items: &str) -> String {
        let blanks = if items.is_empty() { "" } else { self.list };
        format!("[{blanks}{items}{blanks}]")
    }
}

/// How a string of several lines is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MultilineText {
    /// As a literal block scalar (`|`), if that can represent it.
    Block,
    /// In double quotes, on one line.
    Quoted,
}

/// The style of a file, for those of its documents that do not show one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style(pub(super) Conventions);

impl Style {
    /// Reads the style from every document of a text.
    pub fn of(text: &str, tree: &Tree) -> Self {
        let mut shown = Shown::default();
        for document in tree.documents() {
            shown.add(text, &tree.nodes, document.root.index());
        }
        let list_indent = most_common(shown.lists.iter().copied());
        let step = shown.step.or_else(|| shown.lists.into_iter().find(|indent| *indent > 0));
        let quotes = most_common(tree.nodes.iter().filter_map(|node| Quotes::of(text, node)));
        Self(Conventions { step, list_indent, quotes })
    }

    /// Returns this style, with what it leaves open taken from `other`.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self(self.0.or(other.0))
    }

    /// Returns what most of `styles` show of lists and quotes, for their neighbors.
    pub fn of_most(styles: &[Self]) -> Self {
        let list_indent = most_common(styles.iter().filter_map(|style| style.0.list_indent));
        let quotes = most_common(styles.iter().filter_map(|style| style.0.quotes));
        Self(Conventions { step: None, list_indent, quotes })
    }
}

/// Returns the most common one, the least of several.
fn most_common<T: Ord>(shown: impl Iterator<Item = T>) -> Option<T> {
    let mut counts: BTreeMap<T, usize> = BTreeMap::new();
    shown.for_each(|one| *counts.entry(one).or_default() += 1);
    counts.into_iter().rev().max_by_key(|(_, count)| *count).map(|(one, _)| one)
}

/// What the documents of a text show.
#[derive(Default)]
struct Shown {
    /// How far the first mapping is indented below its key.
    step: Option<usize>,
    /// How far each list outside of lists is indented below its key.
    lists: Vec<usize>,
}

impl Shown {
    /// Adds what the mapping or list `at` shows.
    fn add(&mut self, text: &str, nodes: &[Node], at: usize) {
        // The mappings around a node, from the outside in: where each ends, and its column.
        let mut around: Vec<(usize, usize)> = Vec::new();
        let (mut node, end) = (at, nodes[at].next as usize);
        while node < end {
            around.truncate(around.iter().take_while(|(end, _)| node < *end).count());
            let Node { kind, next, .. } = nodes[node];
            let column = || column(text, nodes[node].span());
            match (kind, around.last()) {
                (Kind::Mapping, outer) => {
                    let column = column();
                    if let (Some((_, outer)), None) = (outer, self.step) {
                        self.step = column.checked_sub(*outer).filter(|indent| *indent > 0);
                    }
                    around.push((next as usize, column));
                    node += 1;
                }
                (Kind::Sequence, Some((_, outer))) => {
                    self.lists.extend(column().checked_sub(*outer));
                    node = next as usize;
                }
                (Kind::Sequence, None) => node += 1,
                _ => node = next as usize,
            }
        }
    }
}

/// Counts the characters in front of `span` on its line.
fn column(text: &str, span: Span) -> usize {
    let line = memchr::memrchr(b'\n', &text.as_bytes()[..span.start]).map_or(0, |end| end + 1);
    text[line..span.start].trim_start_matches('\u{feff}').chars().count()
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    #[track_caller]
    fn check(text: &str, step: Option<usize>, list_indent: Option<usize>) {
        let style = Style::of(text, &parse(text).unwrap());
        assert_eq!((style.0.step, style.0.list_indent), (step, list_indent), "{text}");
    }

    #[test]
    fn a_file_shows_its_style_in_lists_outside_of_lists() {
        check("a: 1\nb: [1]\n", None, None);
        check("a:\n    b: 1\n", Some(4), None);
        check("a:\n- b:\n    - 1\n", None, Some(0));
        check("a:\n  - b:\n    - 1\n    c:\n    - 1\n", Some(2), Some(2));
        check("a:\n- 1\n---\nb:\n  - 1\nc:\n  - 1\n", Some(2), Some(2));
        check("a:\n- 1\n---\nb:\n  - 1\n", Some(2), Some(0));
        check("\u{feff}a:\n  - 1\n", Some(2), Some(2));
    }

    #[test]
    fn a_file_shows_its_quotes_where_there_is_a_choice() {
        let quotes = |text: &str| Style::of(text, &parse(text).unwrap()).0.quotes;
        assert_eq!(quotes("a: b\n"), None);
        assert_eq!(quotes("a: ''\nb: ['x', \"y\"]\n"), Some(Quotes::Single));
        assert_eq!(quotes("a: 'x'\nb: \"y\"\n"), Some(Quotes::Double));
        assert_eq!(quotes("a: '\"x\"'\nb: \"it's\"\nc: \"\\n\"\nd: 'it''s'\n"), None);
    }

    #[test]
    fn most_files_decide() {
        let style = |list_indent| Style(Conventions { step: Some(4), list_indent, quotes: None });
        let most = |indents: &[Option<usize>]| {
            Style::of_most(&indents.iter().copied().map(style).collect::<Vec<_>>()).0.list_indent
        };
        assert_eq!(most(&[None, Some(2), None, None]), Some(2));
        assert_eq!(most(&[Some(2), Some(0), Some(2)]), Some(2));
        assert_eq!(most(&[Some(2), Some(0)]), Some(0));
        assert_eq!(most(&[None]), None);
    }
}
