//! Answers: which lines belong to a `|` or `>`, and how far are they indented?
//!
//! The first line that is not empty sets the indentation, and must be indented to the margin; the scalar continues to the
//! first line with less. Empty lines at its end belong to its span only if `+` keeps them.
//!
//! Invariant: the column of the content and the end of the span are those that `events` finds from granit's end.

use super::line::{self, spaces};
use super::scanner::Scanner;
use crate::syntax::yaml::tree::Kind;

/// The lines of a block scalar that were read.
struct Lines {
    /// The start of the next line.
    next: usize,
    /// Where the span of the scalar ends.
    end: usize,
    /// The column of the content; without content, that of the longest empty line.
    indent: usize,
    /// Whether empty lines at the end belong to the span.
    keep: bool,
}

/// Reads a block scalar without an indentation indicator: `|`, `|+`, `>-` and the like, and the lines below it.
pub(super) fn block_scalar(scanner: &mut Scanner<'_>, kind: Kind, start: usize, margin: usize) -> Option<usize> {
    if margin == 0 {
        return None;
    }
    let chomping = scanner.bytes.get(start + 1).filter(|byte| matches!(byte, b'+' | b'-'));
    let header_end = start + 1 + usize::from(chomping.is_some());
    let mut lines =
        Lines { next: scanner.rest_of_line(header_end)?, end: header_end, indent: 0, keep: chomping == Some(&b'+') };
    if find_content(scanner, &mut lines, margin)? {
        read_content(scanner, &mut lines)?;
    }
    let node = scanner.push(kind, start, lines.end);
    scanner.tree.nodes[node.index()].indent = u16::try_from(lines.indent).ok()?;
    Some(lines.next)
}

/// Skips empty lines, and returns whether a line of content follows. No empty line may be longer than its indentation.
fn find_content(scanner: &mut Scanner<'_>, lines: &mut Lines, margin: usize) -> Option<bool> {
    loop {
        let column = spaces(scanner.bytes, lines.next);
        let at = lines.next + column;
        match scanner.bytes.get(at) {
            None => {
                lines.indent = lines.indent.max(column);
                lines.next = at;
                return Some(false);
            }
            Some(b'\n' | b'\r') => {
                lines.indent = lines.indent.max(column);
                lines.end = if lines.keep { at } else { lines.end };
                lines.next = line::after_line_end(scanner.bytes, at);
            }
            Some(b'\t') => return None,
            Some(_) if column < margin => {
                scanner.peeked_line = Some((lines.next, column));
                return Some(false);
            }
            Some(_) if column < lines.indent => return None,
            Some(_) => {
                lines.indent = column;
                return Some(true);
            }
        }
    }
}

/// Skips the lines of content. A line of spaces is content as far as it is longer than the indentation.
fn read_content(scanner: &mut Scanner<'_>, lines: &mut Lines) -> Option<()> {
    while lines.next < scanner.bytes.len() {
        let column = spaces(scanner.bytes, lines.next);
        let at = lines.next + column;
        let is_content = match scanner.bytes.get(at) {
            None => column > lines.indent,
            Some(b'\n' | b'\r') => lines.keep || column > lines.indent,
            Some(_) if column >= lines.indent => true,
            Some(b'\t') => return None,
            Some(_) => {
                scanner.peeked_line = Some((lines.next, column));
                break;
            }
        };
        let line = line::end(scanner.bytes, at);
        lines.next = line.next;
        lines.end = if is_content { line.end } else { lines.end };
    }
    Some(())
}
