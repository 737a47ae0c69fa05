//! Answers: which lists and mappings do the lines of a document open, continue and close?
//!
//! A line's column decides which open collections end; then it holds dashes, and after them a key or a value.
//!
//! Invariant: the columns of the open collections grow from the root inwards, except that the list under a key may be
//! in the key's column.

use super::block_scalar::block_scalar;
use super::flow::flow;
use super::line::{self, Stop, is_colon, is_dash, skip_spaces};
use super::scalar::{can_start_plain, plain_scalar, quote_kind, quoted_scalar};
use super::scanner::{KEY_LIMIT, NESTING_LIMIT, Open, Scanner};
use crate::syntax::yaml::tree::{Kind, NodeId};

/// A key that was found on a line.
struct Key {
    kind: Kind,
    start: usize,
    end: usize,
    colon: usize,
}

/// Reads a line that starts with `- item`, `- - item`, `- key: value`, `key: value` or a value of the line before.
pub(super) fn entry(scanner: &mut Scanner<'_>, first: usize, column: usize) -> Option<usize> {
    let line_start = first - column;
    close_collections(scanner, first, column)?;
    let mut at = first;
    while is_dash(scanner.bytes, at) {
        open_or_continue(scanner, Kind::Sequence, at - line_start, at)?;
        scanner.cursor = at + 1;
        at = skip_spaces(scanner.bytes, scanner.cursor);
        if matches!(scanner.bytes.get(at), None | Some(b'\n' | b'\r' | b'#')) {
            return scanner.rest_of_line(scanner.cursor);
        }
    }
    key_or_value(scanner, at, at - line_start)
}

/// Closes the collections that do not include the line whose first token is at `at`, in `column`.
#[inline(always)]
fn close_collections(scanner: &mut Scanner<'_>, at: usize, column: usize) -> Option<()> {
    let dash = is_dash(scanner.bytes, at);
    while let Some(top) = scanner.open.last() {
        if column > top.column {
            return top.awaits_value.then_some(());
        }
        match top.kind {
            _ if column < top.column => scanner.close(),
            // `key:` and below it `- item` in the same column.
            Kind::Mapping if dash => return top.awaits_value.then_some(()),
            Kind::Sequence if !dash => scanner.close(),
            _ => {
                scanner.fill_missing_value();
                return Some(());
            }
        }
    }
    scanner.root.is_none().then_some(())
}

/// Continues the collection in `column`, or opens it as the value that is missing or as the root; then
/// its next value is missing.
#[inline(always)]
fn open_or_continue(scanner: &mut Scanner<'_>, kind: Kind, column: usize, at: usize) -> Option<()> {
    match scanner.open.last_mut() {
        Some(top) if top.kind == kind && top.column == column && !top.awaits_value => {
            top.awaits_value = true;
            return Some(());
        }
        Some(top) if top.awaits_value => top.awaits_value = false,
        Some(_) => return None,
        None if scanner.root.is_some() => return None,
        None => scanner.root = Some(NodeId(scanner.tree.nodes.len() as u32)),
    }
    if scanner.open.len() >= NESTING_LIMIT {
        return None;
    }
    let NodeId(node) = scanner.push(kind, at, at);
    scanner.open.push(Open { node, kind, column, awaits_value: true });
    Some(())
}

/// Reads `key: value`, or a value without a key.
fn key_or_value(scanner: &mut Scanner<'_>, at: usize, column: usize) -> Option<usize> {
    match scanner.bytes[at] {
        quote @ (b'"' | b'\'') => {
            let quoted = quoted_scalar(scanner, at, value_margin(scanner))?;
            let colon = skip_spaces(scanner.bytes, quoted.end);
            if is_colon(scanner.bytes, colon) {
                let key = Key { kind: quote_kind(quote), start: at, end: quoted.end, colon };
                return if quoted.one_line { key_entry(scanner, &key, column) } else { None };
            }
            take_value(scanner)?;
            scanner.push(quote_kind(quote), at, quoted.end);
            scanner.rest_of_line(quoted.end)
        }
        b'{' | b'[' | b'|' | b'>' => {
            let margin = take_value(scanner)?;
            value(scanner, at, margin)
        }
        _ => {
            can_start_plain(scanner, at)?;
            let piece = line::plain(scanner.bytes, at);
            if piece.stop == Stop::Colon {
                return key_entry(
                    scanner,
                    &Key { kind: Kind::Plain, start: at, end: piece.end, colon: piece.at },
                    column,
                );
            }
            let margin = take_value(scanner)?;
            plain_scalar(scanner, at, piece, margin)
        }
    }
}

/// Reads a key at `column`, and its value if there is one on its line.
fn key_entry(scanner: &mut Scanner<'_>, key: &Key, column: usize) -> Option<usize> {
    if key.colon - key.start > KEY_LIMIT {
        return None;
    }
    open_or_continue(scanner, Kind::Mapping, column, key.start)?;
    scanner.push(key.kind, key.start, key.end);
    scanner.cursor = key.colon + 1;
    let at = skip_spaces(scanner.bytes, scanner.cursor);
    if matches!(scanner.bytes.get(at), None | Some(b'\n' | b'\r' | b'#')) {
        return scanner.rest_of_line(scanner.cursor);
    }
    scanner.mark_value_found();
    value(scanner, at, column + 1)
}

/// Reads a value whose further lines are at or after the column `margin`.
#[inline(always)]
fn value(scanner: &mut Scanner<'_>, at: usize, margin: usize) -> Option<usize> {
    match scanner.bytes[at] {
        quote @ (b'"' | b'\'') => {
            let quoted = quoted_scalar(scanner, at, margin)?;
            scanner.push(quote_kind(quote), at, quoted.end);
            scanner.rest_of_line(quoted.end)
        }
        b'|' => block_scalar(scanner, Kind::Literal, at, margin),
        b'>' => block_scalar(scanner, Kind::Folded, at, margin),
        b'{' | b'[' => {
            let end = flow(scanner, at, margin, NESTING_LIMIT)?;
            scanner.rest_of_line(end)
        }
        _ => {
            can_start_plain(scanner, at)?;
            let piece = line::plain(scanner.bytes, at);
            plain_scalar(scanner, at, piece, margin)
        }
    }
}

/// Returns the least column of further lines of a value.
fn value_margin(scanner: &Scanner<'_>) -> usize {
    scanner.open.last().map_or(0, |top| top.column + 1)
}

/// Takes the value that is missing, and returns its margin; 0 for a root.
fn take_value(scanner: &mut Scanner<'_>) -> Option<usize> {
    let margin = value_margin(scanner);
    match scanner.open.last_mut() {
        Some(top) if top.awaits_value => top.awaits_value = false,
        Some(_) => return None,
        None if scanner.root.is_some() => return None,
        None => scanner.root = Some(NodeId(scanner.tree.nodes.len() as u32)),
    }
    Some(margin)
}
