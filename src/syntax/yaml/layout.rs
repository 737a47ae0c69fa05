//! Answers: which lines and comments belong to an entry, and how is this document indented?
//!
//! A [`Layout`] is a parsed document prepared for edits: parents and children by index, the dash and colon of each entry,
//! line starts and columns, and samples of the author's style.
//!
//! It decides which entry a comment belongs to. The comments of an entry are comment lines directly above its first line, in
//! the column it starts in, with no blank line between, unless they start after a dash; the comment after its value; and
//! comment lines below its value that are indented deeper than it. All other comments belong to no entry and are left in place.
//!
//! Invariant: the text ends with a line end, and has no `\r` without a `\n`.

use std::cell::OnceCell;

use super::children::entries;
use super::format::{Conventions, LineStyle, MultilineText, Quotes};
use super::tree::{Kind, NodeId, Tree, is_separated, skip_trivia};
use crate::syntax::text::{LineIndex, Span};

/// One entry of a mapping or one item of a list, with its place in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// The mapping or list it is in.
    pub(super) container: NodeId,
    /// Its position among its siblings.
    pub(super) index: usize,
    /// The key, in a mapping.
    pub(super) key: Option<NodeId>,
    /// The value or item.
    pub(super) value: NodeId,
    /// The first byte: of the dash, the `?`, or the key with its anchor and tag.
    pub(super) start: usize,
    /// After the dash or colon; if there is none, after the key.
    pub(super) opened: usize,
    /// After the value.
    pub(super) end: usize,
}

/// A sample of the author's style: a block collection that is the value of a key of a block mapping.
#[derive(Clone, Copy, Debug)]
struct Sample {
    node: NodeId,
    /// How many columns it is indented below its key.
    indent: usize,
}

/// Returns the first indentation that is not 0.
fn first_indent(samples: &[Sample]) -> Option<usize> {
    samples.iter().map(|sample| sample.indent).find(|indent| *indent > 0)
}

/// Returns the indentation of the majority: 0, or the first that is not 0.
fn usual_indent(samples: &[Sample]) -> Option<usize> {
    let indented = samples.iter().filter(|sample| sample.indent > 0).count();
    let usual = if 2 * indented > samples.len() { first_indent(samples) } else { Some(0) };
    usual.filter(|_| !samples.is_empty())
}

/// A document's text and tree, prepared for edits.
pub(super) struct Layout<'t> {
    pub(super) text: &'t str,
    pub(super) tree: &'t Tree,
    pub(super) root: NodeId,
    /// What the document showed before the first change, and else what is around it.
    pub(super) conventions: Conventions,
    /// How new strings of several lines are written.
    pub(super) multiline: MultilineText,
    lines: LineIndex,
    parents: Vec<u32>,
    /// All children, grouped by parent; `first_child[n]..first_child[n + 1]` are those of node `n`.
    children: Vec<NodeId>,
    first_child: Vec<u32>,
    /// Nodes that aliases refer to, in order.
    referenced: Vec<NodeId>,
    mappings: Vec<Sample>,
    lists: Vec<Sample>,
    multiline_json: OnceCell<bool>,
    compact_items: OnceCell<bool>,
    line_style: OnceCell<LineStyle>,
    dash_width: OnceCell<usize>,
}

impl<'t> Layout<'t> {
    /// Lays out the only document of a text.
    pub(super) fn new(text: &'t str, tree: &'t Tree, root: NodeId) -> Self {
        let (parents, first_child, children) = child_table(tree);
        let mut referenced: Vec<NodeId> = tree.aliases.iter().map(|entry| entry.target).collect();
        referenced.sort();
        let (mappings, lists) = (Vec::new(), Vec::new());
        let (conventions, multiline, lines) = (Conventions::default(), MultilineText::Block, LineIndex::new(text));
        let mut layout = Self {
            text,
            tree,
            root,
            conventions,
            multiline,
            lines,
            parents,
            children,
            first_child,
            referenced,
            mappings,
            lists,
            multiline_json: OnceCell::new(),
            compact_items: OnceCell::new(),
            line_style: OnceCell::new(),
            dash_width: OnceCell::new(),
        };
        layout.mappings = layout.samples(Kind::Mapping);
        layout.lists = layout.samples(Kind::Sequence);
        layout
    }

    /// Returns what the document shows of its author's style.
    pub(super) fn shown_conventions(&self) -> Conventions {
        let step = first_indent(&self.mappings).or_else(|| first_indent(&self.lists));
        let quotes = || self.tree.nodes.iter().filter_map(|node| Quotes::of(self.text, node));
        let single = quotes().filter(|quotes| *quotes == Quotes::Single).count();
        let usual = if 2 * single > quotes().count() { Quotes::Single } else { Quotes::Double };
        let quotes = quotes().next().map(|_| usual);
        Conventions { step, list_indent: usual_indent(&self.lists), quotes }
    }

    /// Returns the quotes of a string that needs some.
    pub(super) fn quotes(&self) -> Quotes {
        self.conventions.quotes.unwrap_or_default()
    }

    fn samples(&self, kind: Kind) -> Vec<Sample> {
        let sample = |node: NodeId| {
            let parent = self.parent(node).filter(|parent| self.kind(*parent) == Kind::Mapping)?;
            let indent = self.column(self.span(node).start).checked_sub(self.column(self.span(parent).start))?;
            Some(Sample { node, indent })
        };
        self.tree.ids().filter(|node| self.kind(*node) == kind).filter_map(sample).collect()
    }

    pub(super) fn kind(&self, node: NodeId) -> Kind {
        self.tree.node(node).kind
    }

    pub(super) fn span(&self, node: NodeId) -> Span {
        self.tree.span(node)
    }

    /// Returns whether an alias refers to this node.
    pub(super) fn is_referenced(&self, node: NodeId) -> bool {
        self.referenced.binary_search(&node).is_ok()
    }

    pub(super) fn parent(&self, node: NodeId) -> Option<NodeId> {
        let parent = self.parents[node.index()];
        (parent != NO_PARENT).then_some(NodeId(parent))
    }

    /// Returns a container's children: keys and values, or items.
    pub(super) fn children(&self, node: NodeId) -> &[NodeId] {
        &self.children[self.first_child[node.index()] as usize..self.first_child[node.index() + 1] as usize]
    }

    /// Counts a container's entries or items.
    pub(super) fn count(&self, container: NodeId) -> usize {
        self.children(container).len() / self.width(container)
    }

    fn width(&self, container: NodeId) -> usize {
        if self.kind(container).is_mapping() { 2 } else { 1 }
    }

    /// Returns a container's entry or item by its position.
    pub(super) fn entry(&self, container: NodeId, index: usize) -> Entry {
        let children = self.children(container);
        let width = self.width(container);
        let value = children[index * width + width - 1];
        let key = (width == 2).then(|| children[index * width]);
        let start = self.entry_start(container, index, key.unwrap_or(value));
        let opened = match key {
            Some(key) => {
                let end = self.span(key).end;
                let colon = skip_trivia(self.text, end);
                if self.text[colon..].starts_with(':') { colon + 1 } else { end }
            }
            None if self.kind(container) == Kind::Sequence => start + 1,
            None => start,
        };
        Entry { container, index, key, value, start, opened, end: self.span(value).end.max(opened) }
    }

    fn entry_start(&self, container: NodeId, index: usize, first: NodeId) -> usize {
        let from = match index.checked_sub(1) {
            Some(before) => self.span(self.children(container)[(before + 1) * self.width(container) - 1]).end,
            None if matches!(self.kind(container), Kind::FlowMapping | Kind::FlowSequence) => {
                self.span(container).start + 1
            }
            None => self.span(container).start,
        };
        let mut at = skip_trivia(self.text, from);
        if self.kind(container).is_flow_collection() {
            while self.text[at..].starts_with(',') {
                at = skip_trivia(self.text, at + 1);
            }
        }
        let indicator = match self.text.as_bytes().get(at) {
            Some(b'?') => self.kind(container).is_mapping() && is_separated(self.text, at),
            Some(b'-') => self.kind(container) == Kind::Sequence,
            _ => false,
        };
        if indicator { at } else { self.tree.start(first) }
    }

    /// Returns where the comma after an entry between brackets is, if there is one.
    pub(super) fn comma_after(&self, entry: &Entry) -> Option<usize> {
        Some(skip_trivia(self.text, entry.end)).filter(|at| self.text[*at..].starts_with(','))
    }

    /// Returns the entry or item a node is the key, value or item of; none for the root.
    pub(super) fn entry_of(&self, node: NodeId) -> Option<Entry> {
        let container = self.parent(node)?;
        let position = self.children(container).binary_search(&node).ok()?;
        Some(self.entry(container, position / self.width(container)))
    }

    /// Returns the entry of a key, if it is written in this mapping itself.
    pub(super) fn entry_of_key(&self, mapping: NodeId, key: &str) -> Option<Entry> {
        let (key, _) = entries(self.tree, self.text, mapping, key).next()?;
        let at = self.children(mapping).binary_search(&key).expect("a key is a child of its mapping");
        Some(self.entry(mapping, at / 2))
    }

    /// Returns the colon of an entry, with the blanks before it.
    pub(super) fn colon(&self, entry: &Entry) -> &'t str {
        let end = entry.key.map_or(entry.opened, |key| self.span(key).end);
        let before = &self.text[end..entry.opened];
        if before.trim_start_matches(' ') == ":" { before } else { ":" }
    }

    /// Returns the offset a line starts at; a byte order mark is not part of the line.
    pub(super) fn line_start(&self, at: usize) -> usize {
        let start = self.lines.line_start(self.text, at);
        if self.text[start..at].starts_with('\u{feff}') { start + '\u{feff}'.len_utf8() } else { start }
    }

    /// Returns the offset after a line's line end.
    pub(super) fn line_end(&self, at: usize) -> usize {
        self.lines.next_line_start(self.text, at).unwrap_or(self.text.len())
    }

    /// Returns the offset of a line's line end, or of the blanks before it.
    pub(super) fn line_content_end(&self, at: usize) -> usize {
        let line = Span::new(at, self.line_end(at)).of(self.text);
        at + line.trim_end_matches([' ', '\t', '\r', '\n']).len()
    }

    /// Counts the characters in front of `at` on its line.
    pub(super) fn column(&self, at: usize) -> usize {
        self.text[self.line_start(at)..at].chars().count()
    }

    /// Returns whether nothing but blanks is in front of `at` on its line; between brackets these may be tabs.
    pub(super) fn is_first_on_line(&self, at: usize) -> bool {
        self.text[self.line_start(at)..at].bytes().all(|byte| matches!(byte, b' ' | b'\t'))
    }

    /// Returns the blanks that the line around `at` starts with.
    pub(super) fn indentation(&self, at: usize) -> &'t str {
        let line = &self.text[self.line_start(at)..at];
        &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
    }

    /// Returns whether two offsets are on one line.
    pub(super) fn is_same_line(&self, first: usize, second: usize) -> bool {
        memchr::memchr(b'\n', &self.text.as_bytes()[first..second]).is_none()
    }

    /// Returns the column of the comment that is alone on the line starting at `line`.
    fn comment_column(&self, line: usize) -> Option<usize> {
        let spaces = self.text[line..].bytes().take_while(|byte| *byte == b' ').count();
        let found = self.tree.comments().binary_search_by_key(&(line + spaces), |comment| comment.start);
        found.is_ok().then_some(spaces)
    }

    /// Returns where an entry's first line starts, or the first of its own comments above.
    pub(super) fn own_start(&self, start: usize) -> usize {
        let line = self.comments_start(start);
        // Comments that start after a dash belong together with the comment there, to the item.
        if self.comment_after_dash(start).is_some() { self.line_start(start) } else { line }
    }

    /// Returns where the first of the comment lines directly above `start` and in its column starts.
    fn comments_start(&self, start: usize) -> usize {
        let column = self.column(start);
        let mut line = self.line_start(start);
        while self.text[..line].ends_with('\n') {
            let before = self.line_start(line - 1);
            if self.comment_column(before) != Some(column) {
                break;
            }
            line = before;
        }
        line
    }

    /// Returns where the comment after a dash starts that is in the column of `start`, with nothing but comment lines of
    /// that column between.
    pub(super) fn comment_after_dash(&self, start: usize) -> Option<usize> {
        let line = self.comments_start(start);
        let before = self.line_start(self.text[..line].strip_suffix('\n')?.len());
        let comment = before + self.column(start);
        let dashes = self.text.get(before..comment).filter(|_| self.is_first_on_line(start))?;
        let is_comment = self.tree.comments().binary_search_by_key(&comment, |comment| comment.start).is_ok();
        let is_behind = dashes.contains('-') && dashes.bytes().all(|byte| matches!(byte, b' ' | b'-'));
        (is_comment && is_behind).then_some(comment)
    }

    /// Returns the end of the lines of an entry that starts in `column` and whose value ends at `end`: after the comment
    /// lines below that are indented deeper.
    pub(super) fn own_end(&self, column: usize, end: usize) -> usize {
        let mut own = self.line_end(end);
        let mut line = own;
        while line < self.text.len() {
            let next = self.line_end(line);
            if !self.text[line..next].trim().is_empty() {
                match self.comment_column(line) {
                    Some(other) if other > column => own = next,
                    _ => break,
                }
            }
            line = next;
        }
        own
    }

    /// Returns the offset after the blank lines that start at `line`.
    pub(super) fn blank_lines_end(&self, line: usize) -> usize {
        let mut end = line;
        while end < self.text.len() && self.text[end..self.line_end(end)].trim().is_empty() {
            end = self.line_end(end);
        }
        end
    }

    /// Returns where the first of the blank lines directly above `line` starts that are no content of a block scalar.
    pub(super) fn blank_lines_start(&self, line: usize) -> usize {
        let before = self.tree.nodes.partition_point(|node| (node.start as usize) < line);
        let content = before.checked_sub(1).map_or(0, |last| self.line_end(self.tree.nodes[last].end as usize));
        let mut start = line;
        while start > content && self.text[..start].ends_with('\n') {
            let above = self.line_start(start - 1);
            if !self.text[above..start].trim().is_empty() {
                break;
            }
            start = above;
        }
        start
    }

    /// Returns whether nothing but a comment is on the line starting at `line`.
    pub(super) fn is_comment_line(&self, line: usize) -> bool {
        self.comment_column(line).is_some()
    }

    /// Returns whether nothing but a comment is on the line above the one starting at `line`.
    pub(super) fn is_below_comment(&self, line: usize) -> bool {
        self.text[..line].ends_with('\n') && self.is_comment_line(self.line_start(line - 1))
    }

    /// Returns whether a `|+` or `>+` ends on the line before `line`, so that blank lines at `line` would become its content.
    pub(super) fn follows_kept_lines(&self, line: usize) -> bool {
        let before = self.tree.nodes.partition_point(|node| (node.start as usize) < line);
        let Some(node) = before.checked_sub(1).map(|last| &self.tree.nodes[last]) else { return false };
        node.kind.is_block_scalar() && self.line_end(node.end as usize) == line && self.keeps_lines(node.span())
    }

    /// Returns whether a block scalar's header has a `+`.
    fn keeps_lines(&self, scalar: Span) -> bool {
        let header = scalar.of(self.text).lines().next().unwrap_or_default();
        header.split('#').next().unwrap_or_default().contains('+')
    }

    /// Returns whether the lines of `span` end in a block scalar that keeps all its line ends.
    pub(super) fn ends_in_kept_lines(&self, span: Span) -> bool {
        self.follows_kept_lines(span.end)
    }

    /// Returns the lines of `span` with every line moved `by` columns; blank lines stay blank.
    ///
    /// To the right, a comment that is left of everything else in `span` and on the line before is not moved; to the left,
    /// everything moves as far as it can, so that no comment gets into the column of a block scalar's content. Lines of blanks
    /// inside a block scalar move where they are content.
    pub(super) fn shifted(&self, span: Span, by: isize) -> String {
        let mut out = String::with_capacity(span.end - span.start);
        let left = self.left_edge(span);
        let mut line = span.start;
        while line < span.end {
            let next = self.line_end(line).min(span.end);
            let content = &self.text[line..next];
            let spaces = content.bytes().take_while(|byte| *byte == b' ').count();
            let blank = content.trim().is_empty() && !self.is_content(line, spaces);
            let is_kept = blank || by > 0 && spaces < left;
            let kept = if is_kept || by >= 0 { content } else { &content[spaces.min(by.unsigned_abs())..] };
            if !is_kept && by > 0 {
                out.extend(std::iter::repeat_n(' ', by.unsigned_abs()));
            }
            out.push_str(kept);
            line = next;
        }
        out
    }

    /// Returns the lines of `span`, which contain only blanks and comments, with the comments in column `from` in column
    /// `to` and those right of it as far from it as they were. Those left of it are not moved, unless they would be right of `to`.
    pub(super) fn comments_moved(&self, span: Span, from: usize, to: usize) -> String {
        let lines = span.of(self.text).split_inclusive('\n').map(|line| {
            let content = line.trim_start_matches(' ');
            let column = line.len() - content.len();
            match column.checked_sub(from) {
                _ if !content.starts_with('#') => line.to_owned(),
                Some(more) => format!("{:1$}{content}", "", to + more),
                None => format!("{:1$}{content}", "", column.min(to)),
            }
        });
        lines.collect()
    }

    /// Returns the lines of `span`, which are in a flow collection, with their indentation `from` replaced by `to`.
    ///
    /// A line with less indentation gets `to` as well; blank lines and comment lines are not changed.
    pub(super) fn reindented(&self, span: Span, from: &str, to: &str) -> String {
        let mut out = String::with_capacity(span.end - span.start);
        for line in span.of(self.text).split_inclusive('\n') {
            let content = line.trim_start_matches([' ', '\t']);
            match line.strip_prefix(from) {
                _ if content.trim().is_empty() => out.push_str(line),
                Some(rest) => out.extend([to, rest]),
                None if content.starts_with('#') => out.push_str(line),
                None => out.extend([to, content]),
            }
        }
        out
    }

    /// Returns the least column of a line of `span`, or of the line before, that has more than blanks and a comment; 0 if
    /// no line of `span` does.
    fn left_edge(&self, span: Span) -> usize {
        let mut left = None;
        let mut line = span.start;
        while line < span.end {
            left = left.into_iter().chain(self.column_of_content(line)).min();
            line = self.line_end(line);
        }
        let is_line_start = self.text[..span.start].ends_with('\n');
        let before = self.column_of_content(self.line_start(span.start - usize::from(is_line_start)));
        left.map_or(0, |left| before.map_or(left, |before| left.min(before)))
    }

    /// Returns the column in which the content of the line at `line` starts, if it has any but a comment.
    fn column_of_content(&self, line: usize) -> Option<usize> {
        let content = &self.text[line..self.line_end(line)];
        let text = content.trim_start_matches(' ');
        let says_something = !text.trim().is_empty() && self.comment_column(line).is_none();
        says_something.then_some(content.len() - text.len())
    }

    /// Returns whether a line of this many spaces is part of a block scalar's content.
    fn is_content(&self, line: usize, spaces: usize) -> bool {
        let before = self.tree.nodes.partition_point(|node| (node.start as usize) < line);
        before.checked_sub(1).map(|last| &self.tree.nodes[last]).is_some_and(|node| {
            node.kind.is_block_scalar() && line <= node.end as usize && spaces > usize::from(node.indent)
        })
    }

    /// Returns how many columns a mapping is indented below its key, near `node`.
    pub(super) fn step(&self, node: NodeId) -> usize {
        let near = self.nearest(&self.mappings, node, first_indent);
        near.or_else(|| self.nearest(&self.lists, node, first_indent)).or(self.conventions.step).unwrap_or(2)
    }

    /// Returns how many columns the dashes of a list are indented below its key, near `node`; 0 if lists are not indented.
    pub(super) fn list_indent(&self, node: NodeId) -> usize {
        self.nearest(&self.lists, node, usual_indent).or(self.conventions.list_indent).unwrap_or(0)
    }

    /// Evaluates the samples of the smallest collection around `node` that give an answer.
    fn nearest(&self, all: &[Sample], node: NodeId, answer: impl Fn(&[Sample]) -> Option<usize>) -> Option<usize> {
        let around = std::iter::successors(Some(node), |node| self.parent(*node));
        around.into_iter().find_map(|outer| {
            let first = all.partition_point(|sample| sample.node < outer);
            let last = all.partition_point(|sample| sample.node.0 < self.tree.node(outer).next);
            answer(&all[first..last])
        })
    }

    /// Returns the line end used around `at`.
    pub(super) fn line_ending(&self, at: usize) -> &'static str {
        let line_end = self.line_end(at);
        if self.text[..line_end].ends_with("\r\n") { "\r\n" } else { "\n" }
    }

    /// Returns the indentation of each level of a document in JSON, if it has line breaks around
    /// `node`: if a key around it, or of it, is first on its line.
    pub(super) fn json_indent(&self, node: NodeId) -> Option<&'t str> {
        let _ = self.json_entry(node)?;
        let around = std::iter::successors(Some(node), |node| self.parent(*node));
        around.filter(|node| self.count(*node) > 0).find_map(|outer| {
            let [first, open] = [self.entry(outer, 0).start, self.span(outer).start];
            let deeper = self.indentation(first).strip_prefix(self.indentation(open))?;
            (self.is_first_on_line(first) && !deeper.is_empty()).then_some(deeper)
        })
    }

    /// Returns whether the document is in JSON, with every list and mapping that is not empty on several lines.
    pub(super) fn is_multiline_json(&self) -> bool {
        *self.multiline_json.get_or_init(|| {
            let mut filled = self.tree.ids().filter(|node| self.count(*node) > 0);
            let is_long = |node| !self.is_same_line(self.span(node).start, self.span(node).end);
            self.kind(self.root).is_flow_collection() && self.count(self.root) > 0 && filled.all(is_long)
        })
    }

    /// Returns whether a list of the document opens on the line of its first item and closes directly after it: `[{` and `}]`.
    pub(super) fn has_compact_items(&self) -> bool {
        *self.compact_items.get_or_init(|| {
            let mut lists =
                self.tree.ids().filter(|node| self.kind(*node) == Kind::FlowSequence && self.count(*node) > 0);
            lists.any(|list| {
                let item = self.span(self.children(list)[0]);
                self.is_same_line(self.span(list).start, item.start) && !self.is_same_line(item.start, item.end)
            })
        })
    }

    /// Returns how many columns after their dashes the items of the document start that are mappings.
    pub(super) fn dash_width(&self) -> usize {
        *self.dash_width.get_or_init(|| {
            let items =
                self.tree.ids().filter(|node| self.kind(*node) == Kind::Mapping).filter_map(|node| self.entry_of(node));
            let behind =
                |item: &Entry| item.key.is_none() && self.is_same_line(item.opened, self.tree.start(item.value));
            let mut widths = items.filter(behind).map(|item| self.tree.start(item.value) - item.start);
            let width = widths.next().unwrap_or(2);
            if widths.all(|other| other == width) { width } else { 2 }
        })
    }

    /// Returns how the document writes values on one line.
    pub(super) fn line_style(&self) -> LineStyle {
        *self.line_style.get_or_init(|| LineStyle {
            mapping: self.padding_of(Kind::FlowMapping),
            list: self.padding_of(Kind::FlowSequence),
            quotes: self.quotes(),
        })
    }

    fn padding_of(&self, kind: Kind) -> &'static str {
        let filled = self.tree.ids().filter(|node| self.kind(*node) == kind && self.count(*node) > 0);
        let inside = filled.map(|node| &self.text[self.span(node).start + 1..self.entry(node, 0).start]);
        // If the first entry is on another line, that shows nothing.
        let mut inside = inside.filter(|blanks| blanks.trim_matches(' ').is_empty()).peekable();
        let is_padded = inside.peek().is_some() && inside.all(|blanks| !blanks.is_empty());
        if is_padded { " " } else { "" }
    }

    /// Returns the first entry of the nearest flow mapping with keys, if it is written as JSON: all keys in double quotes.
    pub(super) fn json_entry(&self, node: NodeId) -> Option<Entry> {
        let around = std::iter::successors(Some(node), |node| self.parent(*node));
        let with_keys = around
            .take_while(|node| self.kind(*node).is_flow_collection())
            .find(|node| self.kind(*node) == Kind::FlowMapping && self.count(*node) > 0);
        let is_json = |node: &NodeId| self.children(*node).iter().step_by(2).all(|key| self.kind(*key) == Kind::Double);
        with_keys.filter(is_json).map(|node| self.entry(node, 0))
    }
}

const NO_PARENT: u32 = u32::MAX;

/// Returns parents, first-child offsets and children of all nodes.
fn child_table(tree: &Tree) -> (Vec<u32>, Vec<u32>, Vec<NodeId>) {
    let count = tree.nodes.len();
    let mut parents = vec![NO_PARENT; count];
    let mut first_child = Vec::with_capacity(count + 1);
    let mut children = Vec::with_capacity(count);
    for node in (0..count as u32).map(NodeId) {
        first_child.push(children.len() as u32);
        for child in tree.children(node) {
            parents[child.index()] = node.0;
            children.push(child);
        }
    }
    first_child.push(children.len() as u32);
    (parents, first_child, children)
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    #[track_caller]
    fn with_layout<T>(text: &str, check: impl Fn(&Layout<'_>) -> T) -> T {
        let tree = parse(text).unwrap();
        check(&Layout::new(text, &tree, tree.documents()[0].root))
    }

    /// Shows each entry of the root's first value as `start..opened..end` slices.
    fn entries(text: &str) -> Vec<(String, String)> {
        with_layout(text, |layout| {
            let entry = |index| {
                let entry = layout.entry(layout.root, index);
                (text[entry.start..entry.opened].to_owned(), text[entry.opened..entry.end].to_owned())
            };
            (0..layout.count(layout.root)).map(entry).collect()
        })
    }

    fn owned(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(opening, rest)| ((*opening).to_owned(), (*rest).to_owned())).collect()
    }

    #[test]
    fn entries_start_at_their_indicators() {
        assert_eq!(entries("- a\n-\n- - b\n"), owned(&[("-", " a"), ("-", ""), ("-", " - b")]));
        assert_eq!(entries("&k a : 1\n? b\n: 2\n? c\n"), owned(&[("&k a :", " 1"), ("? b\n:", " 2"), ("? c", "")]));
        assert_eq!(entries("{a: 1, \"b\":2 , c}\n"), owned(&[("a:", " 1"), ("\"b\":", "2"), ("c", "")]));
        assert_eq!(entries("[a, # c\n b]\n"), owned(&[("", "a"), ("", "b")]));
    }

    #[test]
    fn comments_belong_to_entries_by_column_and_adjacency() {
        let text = "a:\n  # header\n\n  # own\n  b: |\n    x\n    # text\n    \n      # deeper\n  # next\n  c: 1\n";
        with_layout(text, |layout| {
            let mapping = layout.entry(layout.root, 0).value;
            let [b, c] = [0, 1].map(|index| layout.entry(mapping, index));
            assert_eq!(&text[layout.own_start(b.start)..b.start], "  # own\n  ");
            assert_eq!(&text[layout.own_start(c.start)..c.start], "  # next\n  ");
            assert_eq!(layout.own_end(2, b.end), text.find("  # next").unwrap());
        });
    }

    #[test]
    fn the_style_of_the_nearest_entry_is_used() {
        let text = "a:\n    b:\n    - 1\nc:\n  d:\n    - 2\n  e: {}\n";
        with_layout(text, |layout| {
            let [a, c] = [0, 1].map(|index| layout.entry(layout.root, index).value);
            assert_eq!((layout.step(a), layout.list_indent(a)), (4, 0));
            assert_eq!((layout.step(c), layout.list_indent(c)), (2, 2));
            assert_eq!((layout.step(layout.root), layout.list_indent(layout.root)), (4, 0));
        });
    }

    #[test]
    fn a_shift_moves_content_and_leaves_blank_lines() {
        let text = "a: |\n  x\n\n   \n  y\n \nb: 1\n";
        with_layout(text, |layout| {
            let span = layout.entry(layout.root, 0);
            let lines = Span::new(span.start, layout.own_end(0, span.end));
            assert_eq!(layout.shifted(lines, 2), "  a: |\n    x\n\n     \n    y\n");
            assert_eq!(layout.shifted(lines, -1), "a: |\n x\n\n  \n y\n");
        });
    }

    #[test]
    fn lines_with_kept_comments_are_identified() {
        let text = "a:\n  b: |+\n    x\n\nc: |\n  y\nd: 1\n";
        with_layout(text, |layout| {
            assert!(layout.follows_kept_lines(text.find("c:").unwrap()));
            assert!(!layout.follows_kept_lines(text.find("d:").unwrap()));
            assert!(!layout.follows_kept_lines(0));
        });
    }
}
