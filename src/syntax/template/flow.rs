//! Answers: how is a plain scalar of a flow collection read that an action prints a part of?
//!
//! In `{name: x-{{ .y }}}` the braces of the placeholder would end the mapping. The reading has quotes around such a scalar, which are no
//! bytes of the file.
//!
//! Invariant: what an edit replaces has no such quotes in it.

use super::reading::{Reading, Segment, Source};
use crate::syntax::text::Span;

/// Returns where the plain scalar begins at the end of a line, if that is in a flow collection that is the value of a key or an item.
pub(super) fn scalar_start(line: &str) -> Option<usize> {
    let (mut depth, mut quote, mut start) = (0_usize, None, 0);
    for (at, one) in line.char_indices() {
        match (quote, one) {
            (Some(open), _) if open == one => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(one),
            (None, '[' | '{') => {
                let before = line[..at].trim_end();
                if depth == 0 && !before.is_empty() && !before.ends_with([':', '-']) {
                    return None;
                }
                (depth, start) = (depth + 1, at + 1);
            }
            (None, ']' | '}') => (depth, start) = (depth.checked_sub(1)?, at + 1),
            (None, ',') => start = at + 1,
            (None, ':') if line[at + 1..].starts_with(' ') => start = at + 1,
            (None, _) => {}
        }
    }
    let scalar = line[start..].trim_start();
    let is_plain =
        !scalar.starts_with(['&', '*', '!', '|', '>', '%', '@', '`', '#']) && !scalar.contains(['"', '\'', '\\']);
    (depth > 0 && quote.is_none() && is_plain).then(|| line.len() - scalar.len())
}

/// Returns where the plain scalar of a flow collection ends in a text that goes on with it; nothing where it does not end there.
pub(super) fn scalar_end(text: &str) -> Option<usize> {
    let is_end = |(at, one): (usize, char)| match one {
        ',' | ']' | '}' | '\n' | '\r' => true,
        ':' => text[at + 1..].starts_with([' ', '\n', '\r']),
        _ => false,
    };
    let end = text.char_indices().find(|one| is_end(*one))?.0;
    Some(text[..end].trim_end().len())
}

/// Returns whether a segment is a quote that the file does not have.
pub(super) fn is_quote(segment: &Segment) -> bool {
    matches!(segment.source, Source::Literal(span) if span.is_empty())
}

/// Puts a quote before the byte `at` of the text of a reading, which a literal prints, or the byte `next` of the file is to be printed at.
pub(super) fn insert_quote(reading: &mut Reading, at: usize, next: usize) {
    let index = reading.segments.partition_point(|segment| segment.printed.end <= at);
    let place = match reading.segments.get(index).map(|segment| (segment.source, segment.printed.start)) {
        None => next,
        Some((Source::Literal(span), start)) => span.start + (at - start),
        Some((Source::Opaque(_) | Source::Known(_), _)) => return,
    };
    reading.text.insert(at, '"');
    let mut tail = reading.segments.split_off(index);
    if let Some(first) = tail.first_mut().filter(|first| first.printed.start < at) {
        let head = Span::new(first.printed.start, at);
        if let Source::Literal(span) = first.source {
            reading.segments.push(Segment { printed: head, source: Source::Literal(Span::new(span.start, place)) });
            *first = Segment {
                printed: Span::new(at, first.printed.end),
                source: Source::Literal(Span::new(place, span.end)),
            };
        }
    }
    let quote = Segment { printed: Span::new(at, at + 1), source: Source::Literal(Span::new(place, place)) };
    reading.segments.push(quote);
    let shifted = |one: Segment| Segment { printed: Span::new(one.printed.start + 1, one.printed.end + 1), ..one };
    reading.segments.extend(tail.into_iter().map(shifted));
    reading.holes.iter_mut().filter(|hole| hole.at > at).for_each(|hole| hole.at += 1);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_scalar_begins_behind_what_parts_it_from_others() {
        for (line, expected) in [
            ("a: {b: ", Some("")),
            ("a: {b: x-", Some("x-")),
            ("a: {b: c, d: x y", Some("x y")),
            ("- [a, [b, c-", Some("c-")),
            ("{a: b:c", Some("b:c")),
            ("{a: b:", Some("b:")),
            ("a: x-", None),
            ("a: {b: \"x-", None),
            ("a: {b: 'c', d: 'x'-", None),
            ("a: b {c: x-", None),
            ("a: {b: c} x-", None),
            ("a: {b: &c x-", None),
        ] {
            assert_eq!(scalar_start(line).map(|at| &line[at..]), expected, "{line}");
        }
    }

    #[test]
    fn a_plain_scalar_ends_before_what_parts_it_from_others() {
        for (text, expected) in
            [("-y, b: c}", Some("-y")), (" }", Some("")), ("-y: z}", Some("-y")), ("-y:z}", Some("-y:z")), ("-y", None)]
        {
            assert_eq!(scalar_end(text).map(|end| &text[..end]), expected, "{text}");
        }
    }
}
