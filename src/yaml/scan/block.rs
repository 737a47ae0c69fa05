//! Answers: which lists and mappings do the lines of a document open, go on with and close?
//!
//! A line's column decides which open collections end; then it holds dashes, and behind them a key or a value.
//!
//! Invariant: the columns of the open collections grow from the root inwards, except that the list under a key may stand
//! in the key's column.

use super::line::{self, Stop, is_colon, is_dash, skip_spaces};
use super::{KEY_LIMIT, NESTING_LIMIT, Open, Scan};
use crate::yaml::node::{Kind, NodeId};

/// A key that was found on a line.
struct Key {
    kind: Kind,
    start: usize,
    end: usize,
    colon: usize,
}

impl Scan<'_> {
    /// Reads a line that starts with `- item`, `- - item`, `- key: value`, `key: value` or a value of the line before.
    pub(super) fn entry(&mut self, first: usize, column: usize) -> Option<usize> {
        let line_start = first - column;
        self.settle(first, column)?;
        let mut at = first;
        while is_dash(self.bytes, at) {
            self.enter(Kind::Sequence, at - line_start, at)?;
            self.cursor = at + 1;
            at = skip_spaces(self.bytes, self.cursor);
            if matches!(self.bytes.get(at), None | Some(b'\n' | b'\r' | b'#')) {
                return self.rest_of_line(self.cursor);
            }
        }
        self.key_or_value(at, at - line_start)
    }

    /// Closes the collections that a line does not belong to whose first token stands at `at`, in `column`.
    #[inline(always)]
    fn settle(&mut self, at: usize, column: usize) -> Option<()> {
        let dash = is_dash(self.bytes, at);
        while let Some(top) = self.open.last() {
            if column > top.column {
                return top.awaits.then_some(());
            }
            match top.kind {
                _ if column < top.column => self.close(),
                // `key:` and below it `- item` in the same column.
                Kind::Mapping if dash => return top.awaits.then_some(()),
                Kind::Sequence if !dash => self.close(),
                _ => {
                    self.fill();
                    return Some(());
                }
            }
        }
        self.root.is_none().then_some(())
    }

    /// Goes on with the collection in `column`, or opens it as the value of what awaits one or as the root; its next
    /// value is awaited then.
    #[inline(always)]
    fn enter(&mut self, kind: Kind, column: usize, at: usize) -> Option<()> {
        match self.open.last_mut() {
            Some(top) if top.kind == kind && top.column == column && !top.awaits => {
                top.awaits = true;
                return Some(());
            }
            Some(top) if top.awaits => top.awaits = false,
            Some(_) => return None,
            None if self.root.is_some() => return None,
            None => self.root = Some(NodeId(self.tree.nodes.len() as u32)),
        }
        if self.open.len() >= NESTING_LIMIT {
            return None;
        }
        let NodeId(node) = self.push(kind, at, at);
        self.open.push(Open { node, kind, column, awaits: true });
        Some(())
    }

    /// Reads `key: value`, or a value without a key.
    fn key_or_value(&mut self, at: usize, column: usize) -> Option<usize> {
        match self.bytes[at] {
            quote @ (b'"' | b'\'') => {
                let quoted = self.quoted(at, self.margin())?;
                let colon = skip_spaces(self.bytes, quoted.end);
                if is_colon(self.bytes, colon) {
                    let key = Key { kind: quote_kind(quote), start: at, end: quoted.end, colon };
                    return if quoted.one_line { self.key(&key, column) } else { None };
                }
                self.margin_of_value()?;
                self.push(quote_kind(quote), at, quoted.end);
                self.rest_of_line(quoted.end)
            }
            b'{' | b'[' | b'|' | b'>' => {
                let margin = self.margin_of_value()?;
                self.value(at, margin)
            }
            _ => {
                self.can_start_plain(at)?;
                let piece = line::plain(self.bytes, at);
                if piece.stop == Stop::Colon {
                    return self.key(&Key { kind: Kind::Plain, start: at, end: piece.end, colon: piece.at }, column);
                }
                let margin = self.margin_of_value()?;
                self.plain(at, piece, margin)
            }
        }
    }

    /// Takes a key at `column`, and the value where one stands on its line.
    fn key(&mut self, key: &Key, column: usize) -> Option<usize> {
        if key.colon - key.start > KEY_LIMIT {
            return None;
        }
        self.enter(Kind::Mapping, column, key.start)?;
        self.push(key.kind, key.start, key.end);
        self.cursor = key.colon + 1;
        let at = skip_spaces(self.bytes, self.cursor);
        if matches!(self.bytes.get(at), None | Some(b'\n' | b'\r' | b'#')) {
            return self.rest_of_line(self.cursor);
        }
        self.answer();
        self.value(at, column + 1)
    }

    /// Reads a value whose further lines stand at or behind the column `margin`.
    #[inline(always)]
    fn value(&mut self, at: usize, margin: usize) -> Option<usize> {
        match self.bytes[at] {
            quote @ (b'"' | b'\'') => {
                let quoted = self.quoted(at, margin)?;
                self.push(quote_kind(quote), at, quoted.end);
                self.rest_of_line(quoted.end)
            }
            b'|' => self.block_scalar(Kind::Literal, at, margin),
            b'>' => self.block_scalar(Kind::Folded, at, margin),
            b'{' | b'[' => {
                let end = self.flow(at, margin, NESTING_LIMIT)?;
                self.rest_of_line(end)
            }
            _ => {
                self.can_start_plain(at)?;
                let piece = line::plain(self.bytes, at);
                self.plain(at, piece, margin)
            }
        }
    }

    /// Returns the column from which on further lines of a value would belong to it.
    fn margin(&self) -> usize {
        self.open.last().map_or(0, |top| top.column + 1)
    }

    /// Gives what is awaited its value, and returns the margin of that value; 0 for a root.
    fn margin_of_value(&mut self) -> Option<usize> {
        let margin = self.margin();
        match self.open.last_mut() {
            Some(top) if top.awaits => top.awaits = false,
            Some(_) => return None,
            None if self.root.is_some() => return None,
            None => self.root = Some(NodeId(self.tree.nodes.len() as u32)),
        }
        Some(margin)
    }
}

/// Returns the kind of a scalar in such quotes.
pub(super) const fn quote_kind(quote: u8) -> Kind {
    if quote == b'"' { Kind::Double } else { Kind::Single }
}
