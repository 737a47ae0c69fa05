//! Answers: which nodes stand between brackets?
//!
//! `[item, ...]` and `{key: value, ...}`, over any number of lines, with comments; so also JSON. Keys and scalars stand on
//! one line each, and keys are scalars.
//!
//! Invariant: behind every item comes a comma or the bracket that closes, or the text is not accepted.

use super::block::quote_kind;
use super::line::{is_blank, is_blank_or_end, skip_spaces, trimmed};
use super::{KEY_LIMIT, Scan};
use crate::yaml::node::Kind;

impl Scan<'_> {
    /// Reads a collection from its opening bracket on, `depth` levels deep at most, and returns where it ends.
    ///
    /// `margin` is the least column its lines may start in, 0 for a root.
    pub(super) fn flow(&mut self, start: usize, margin: usize, depth: usize) -> Option<usize> {
        let depth = depth.checked_sub(1)?;
        let is_mapping = self.bytes[start] == b'{';
        let (kind, closing) = if is_mapping { (Kind::FlowMapping, b'}') } else { (Kind::FlowSequence, b']') };
        let node = self.push(kind, start, start + 1);
        let mut at = self.gap(start + 1, margin)?;
        while self.bytes[at] != closing {
            self.keep_to_limits()?;
            let end = if is_mapping { self.flow_pair(at, margin, depth)? } else { self.flow_item(at, margin, depth)? };
            at = self.gap(end, margin)?;
            match self.bytes[at] {
                b',' => at = self.gap(at + 1, margin)?,
                byte if byte == closing => {}
                _ => return None,
            }
        }
        self.cursor = at + 1;
        self.end_node(node.0);
        Some(at + 1)
    }

    /// Reads `key: value`, `"key":value`, `key:` or `key`, and returns where it ends.
    fn flow_pair(&mut self, start: usize, margin: usize, depth: usize) -> Option<usize> {
        if matches!(self.bytes[start], b'{' | b'[') {
            return None;
        }
        let end = self.flow_item(start, margin, depth)?;
        let colon = skip_spaces(self.bytes, end);
        if self.bytes.get(colon) != Some(&b':') {
            self.push(Kind::Empty, end, end);
            return Some(end);
        }
        let is_quoted = matches!(self.bytes[start], b'"' | b'\'');
        let is_separated = is_blank_or_end(self.bytes, colon + 1) || matches!(self.bytes[colon + 1], b',' | b'}');
        if !is_quoted && !is_separated || colon - start > KEY_LIMIT {
            return None;
        }
        let value = self.gap(colon + 1, margin)?;
        if matches!(self.bytes[value], b',' | b'}') {
            self.push(Kind::Empty, colon + 1, colon + 1);
            return Some(value);
        }
        self.flow_item(value, margin, depth)
    }

    /// Reads a scalar or a collection, and returns where it ends.
    fn flow_item(&mut self, start: usize, margin: usize, depth: usize) -> Option<usize> {
        match self.bytes[start] {
            b'{' | b'[' => self.flow(start, margin, depth),
            quote @ (b'"' | b'\'') => {
                let quoted = self.quoted(start, margin).filter(|quoted| quoted.one_line)?;
                self.push(quote_kind(quote), start, quoted.end);
                Some(quoted.end)
            }
            _ => {
                let end = self.flow_plain(start)?;
                self.push(Kind::Plain, start, end);
                Some(end)
            }
        }
    }

    /// Reads plain text up to a bracket, a comma, a key's colon, a comment or the end of the line.
    fn flow_plain(&self, start: usize) -> Option<usize> {
        self.can_start_plain(start)?;
        let mut at = start;
        loop {
            match self.bytes.get(at)? {
                b',' | b'[' | b']' | b'{' | b'}' | b'\n' => break,
                b':' if self.ends_flow_key(at + 1) => break,
                b'#' if is_blank(self.bytes[at - 1]) => break,
                _ => at += 1,
            }
        }
        let is_lone_dash = self.bytes[start] == b'-' && at == start + 1;
        (!is_lone_dash).then(|| trimmed(self.bytes, start, at))
    }

    /// Says whether a colon before `at` ends a plain key.
    fn ends_flow_key(&self, at: usize) -> bool {
        is_blank_or_end(self.bytes, at) || matches!(self.bytes[at], b',' | b'[' | b']' | b'{' | b'}')
    }

    /// Passes white space and comments to the next token, which must exist.
    ///
    /// On a new line it stands at the margin or behind it, or it is a closing bracket. Tabs are white space at the root
    /// only, as they may not be indentation of a block collection.
    fn gap(&mut self, from: usize, margin: usize) -> Option<usize> {
        let mut at = from;
        let mut line_start = None;
        loop {
            match self.bytes.get(at)? {
                b' ' => at += 1,
                b'\t' if margin == 0 => at += 1,
                b'\n' => {
                    at += 1;
                    line_start = Some(at);
                }
                b'\r' => at += 1,
                b'#' if line_start == Some(at) || is_blank(self.bytes[at - 1]) => {
                    at = self.comment(at);
                    line_start = Some(at);
                }
                byte => {
                    let is_placed = line_start.is_none_or(|line_start| self.may_start_line(at, line_start, margin));
                    return (is_placed || matches!(byte, b']' | b'}')).then_some(at);
                }
            }
        }
    }

    /// Says whether a line in brackets may start at `at`. At the very start of a line, `---` and `...` would end the
    /// document.
    fn may_start_line(&self, at: usize, line_start: usize, margin: usize) -> bool {
        at - line_start >= margin && !(at == line_start && matches!(self.bytes[at], b'-' | b'.'))
    }
}
