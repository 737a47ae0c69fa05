//! Answers: which nodes are in a flow collection?
//!
//! `[item, ...]` and `{key: value, ...}`, over any number of lines, with comments; this includes JSON. Keys and scalars are on
//! one line each, and keys are scalars.
//!
//! Invariant: after every item comes a comma or the bracket that closes, or the text is not accepted.

use super::line::{is_blank, is_blank_or_end, skip_spaces, trimmed};
use super::scalar::{can_start_plain, quote_kind, quoted_scalar};
use super::scanner::{KEY_LIMIT, Scanner};
use crate::syntax::yaml::tree::Kind;

/// Reads a collection from its opening bracket on, `depth` levels deep at most, and returns where it ends.
///
/// `margin` is the least column its lines may start in, 0 for a root.
pub(super) fn flow(scanner: &mut Scanner<'_>, start: usize, margin: usize, depth: usize) -> Option<usize> {
    let depth = depth.checked_sub(1)?;
    let is_mapping = scanner.bytes[start] == b'{';
    let (kind, closing) = if is_mapping { (Kind::FlowMapping, b'}') } else { (Kind::FlowSequence, b']') };
    let node = scanner.push(kind, start, start + 1);
    let mut at = skip_to_token(scanner, start + 1, margin)?;
    while scanner.bytes[at] != closing {
        scanner.check_limits()?;
        let end =
            if is_mapping { flow_pair(scanner, at, margin, depth)? } else { flow_item(scanner, at, margin, depth)? };
        at = skip_to_token(scanner, end, margin)?;
        match scanner.bytes[at] {
            b',' => at = skip_to_token(scanner, at + 1, margin)?,
            byte if byte == closing => {}
            _ => return None,
        }
    }
    scanner.cursor = at + 1;
    scanner.end_node(node.0);
    Some(at + 1)
}

/// Reads `key: value`, `"key":value`, `key:` or `key`, and returns where it ends.
fn flow_pair(scanner: &mut Scanner<'_>, start: usize, margin: usize, depth: usize) -> Option<usize> {
    if matches!(scanner.bytes[start], b'{' | b'[') {
        return None;
    }
    let end = flow_item(scanner, start, margin, depth)?;
    let colon = skip_spaces(scanner.bytes, end);
    if scanner.bytes.get(colon) != Some(&b':') {
        scanner.push(Kind::Empty, end, end);
        return Some(end);
    }
    let is_quoted = matches!(scanner.bytes[start], b'"' | b'\'');
    let is_separated = is_blank_or_end(scanner.bytes, colon + 1) || matches!(scanner.bytes[colon + 1], b',' | b'}');
    if !is_quoted && !is_separated || colon - start > KEY_LIMIT {
        return None;
    }
    let value = skip_to_token(scanner, colon + 1, margin)?;
    if matches!(scanner.bytes[value], b',' | b'}') {
        scanner.push(Kind::Empty, colon + 1, colon + 1);
        return Some(value);
    }
    flow_item(scanner, value, margin, depth)
}

/// Reads a scalar or a collection, and returns where it ends.
fn flow_item(scanner: &mut Scanner<'_>, start: usize, margin: usize, depth: usize) -> Option<usize> {
    match scanner.bytes[start] {
        b'{' | b'[' => flow(scanner, start, margin, depth),
        quote @ (b'"' | b'\'') => {
            let quoted = quoted_scalar(scanner, start, margin).filter(|quoted| quoted.one_line)?;
            scanner.push(quote_kind(quote), start, quoted.end);
            Some(quoted.end)
        }
        _ => {
            let end = flow_plain(scanner, start)?;
            scanner.push(Kind::Plain, start, end);
            Some(end)
        }
    }
}

/// Reads plain text up to a bracket, a comma, a key's colon, a comment or the end of the line.
fn flow_plain(scanner: &Scanner<'_>, start: usize) -> Option<usize> {
    can_start_plain(scanner, start)?;
    let mut at = start;
    loop {
        match scanner.bytes.get(at)? {
            b',' | b'[' | b']' | b'{' | b'}' | b'\n' => break,
            b':' if ends_flow_key(scanner, at + 1) => break,
            b'#' if is_blank(scanner.bytes[at - 1]) => break,
            _ => at += 1,
        }
    }
    let is_lone_dash = scanner.bytes[start] == b'-' && at == start + 1;
    (!is_lone_dash).then(|| trimmed(scanner.bytes, start, at))
}

/// Returns whether a colon before `at` ends a plain key.
fn ends_flow_key(scanner: &Scanner<'_>, at: usize) -> bool {
    is_blank_or_end(scanner.bytes, at) || matches!(scanner.bytes[at], b',' | b'[' | b']' | b'{' | b'}')
}

/// Skips white space and comments to the next token, which must exist.
///
/// On a new line it is at the margin or after it, or it is a closing bracket. Tabs are white space at the root
/// only, as they may not be indentation of a block collection.
fn skip_to_token(scanner: &mut Scanner<'_>, from: usize, margin: usize) -> Option<usize> {
    let mut at = from;
    let mut line_start = None;
    loop {
        match scanner.bytes.get(at)? {
            b' ' => at += 1,
            b'\t' if margin == 0 => at += 1,
            b'\n' => {
                at += 1;
                line_start = Some(at);
            }
            b'\r' => at += 1,
            b'#' if line_start == Some(at) || is_blank(scanner.bytes[at - 1]) => {
                at = scanner.comment(at);
                line_start = Some(at);
            }
            byte => {
                let is_placed = line_start.is_none_or(|line_start| may_start_line(scanner, at, line_start, margin));
                return (is_placed || matches!(byte, b']' | b'}')).then_some(at);
            }
        }
    }
}

/// Returns whether a line in brackets may start at `at`. At the very start of a line, `---` and `...` would end the
/// document.
fn may_start_line(scanner: &Scanner<'_>, at: usize, line_start: usize, margin: usize) -> bool {
    at - line_start >= margin && !(at == line_start && matches!(scanner.bytes[at], b'-' | b'.'))
}
