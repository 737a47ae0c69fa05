//! Answers: which bytes change when a text becomes the mapping or list that it holds, and back?
//!
//! The lines of a literal block scalar are those of the structure, so only the `|` is removed or added; what is in brackets on
//! one line gets or loses its quotes. Comments of the structure are part of the text, and those of the text are comments of the
//! structure.
//!
//! Invariant: every line is kept as it is, or the change is refused.

use serde_json::Value;

use super::super::change::Change;
use super::super::emit::{Context, scalar_in};
use super::super::layout::{Entry, Layout};
use super::super::literal::Literal;
use super::super::parse::parse;
use super::super::problem::Problem;
use super::super::scalar::scalar_text;
use super::super::structure::TextFormat;
use super::super::tree::Kind;
use super::super::value::read_value;
use super::items::refuse_aliased_or_tagged;
use super::refuse::{entry_at, wrong_shape};
use super::replace::replace;
use crate::syntax::field::FieldPath;
use crate::syntax::text::Span;

pub(super) fn parse_text(layout: &Layout<'_>, path: &FieldPath, format: TextFormat) -> Result<Change, Problem> {
    let place = entry_at(layout, path)?;
    refuse_aliased_or_tagged(layout, place.value)?;
    let span = layout.span(place.value);
    let text = scalar_text(layout.tree, layout.text, place.value);
    let value = format.structure_of(&text).map_err(|why| wrong_shape(span.start, why))?;
    let comments = comments_of(&text)?;
    let is_one_line = !text.contains('\n') && !span.of(layout.text).contains('\n');
    let mut change = match layout.kind(place.value) {
        Kind::Literal => lines_of_text(layout, &place, &text)?,
        Kind::Single | Kind::Double if is_one_line && text.starts_with(['{', '[']) => {
            return Ok(Change::replacing(span, text.as_ref()));
        }
        Kind::Plain | Kind::Single | Kind::Double if is_one_line && comments.is_empty() => {
            return replace(layout, path, &value);
        }
        _ => {
            return Err(wrong_shape(
                span.start,
                "only a literal block (`|`) or one line of text can become a structure",
            ));
        }
    };
    change.comments_out_of_text = comments;
    Ok(change)
}

/// Returns the comments in the text of a structure.
fn comments_of(text: &str) -> Result<Vec<String>, Problem> {
    let tree = parse(text)?;
    Ok(tree.comments().iter().map(|comment| comment.of(text).to_owned()).collect())
}

/// Removes the header of a literal block scalar; the first line of an item follows its dash.
fn lines_of_text(layout: &Layout<'_>, place: &Entry, text: &str) -> Result<Change, Problem> {
    let span = layout.span(place.value);
    let literal = Literal::of(layout.text, layout.tree, place.value)
        .ok_or_else(|| wrong_shape(span.start, "the lines of the text do not have places of their own"))?;
    let header_end = layout.line_content_end(span.start);
    let indicator = layout.text[span.start..header_end].find([' ', '\t']).map_or(header_end, |at| span.start + at);
    let first = literal.place(text.len() - text.trim_start_matches([' ', '\n']).len());
    let mut change = Change::default();
    let follows_dash = place.key.is_none() && indicator == header_end && !layout.text[first..].starts_with('#');
    if follows_dash && layout.line_start(first) == layout.line_end(span.start) {
        let gap = layout.column(first).saturating_sub(layout.column(place.opened)).max(1);
        change.replace(Span::new(place.opened, first), " ".repeat(gap));
    } else {
        change.replace(Span::new(place.opened, indicator), "");
    }
    Ok(change)
}

pub(super) fn write_text(layout: &Layout<'_>, path: &FieldPath, format: TextFormat) -> Result<Change, Problem> {
    let place = entry_at(layout, path)?;
    let span = layout.span(place.value);
    refuse_aliased_or_tagged(layout, place.value)?;
    let is_inside = |node| layout.tree.contains(place.value, node);
    let has_properties = layout.tree.properties.iter().any(|properties| is_inside(properties.node));
    if has_properties || layout.tree.aliases.iter().any(|alias| is_inside(alias.alias)) {
        let message = "a structure with anchors, aliases or tags cannot become text; write it out without them first";
        return Err(wrong_shape(span.start, message));
    }
    let (is_flow, raw) = (layout.kind(place.value).is_flow_collection(), span.of(layout.text));
    let is_below = layout.is_first_on_line(span.start) && !layout.kind(place.container).is_flow_collection();
    match format {
        TextFormat::Yaml if !is_flow || is_below => text_of_lines(layout, &place),
        TextFormat::Yaml if raw.contains('\n') => {
            let message = "a structure in brackets on several lines cannot become text; write it on one line first";
            Err(wrong_shape(span.start, message))
        }
        TextFormat::Json if !is_flow || raw.contains('\n') || serde_json::from_str::<Value>(raw).is_err() => {
            let value = read_value(layout.tree, layout.text, place.value)?;
            replace(layout, path, &Value::from(format.text_of(&value)))
        }
        TextFormat::Yaml | TextFormat::Json => {
            Ok(Change::replacing(span, scalar_in(layout.quotes(), raw, Context::inside(layout, place.container))))
        }
    }
}

/// Adds the header of a literal block scalar to the lines of a structure.
fn text_of_lines(layout: &Layout<'_>, place: &Entry) -> Result<Change, Problem> {
    let start = layout.span(place.value).start;
    let outer = layout.column(place.start);
    let end = layout.own_end(outer, place.end);
    let mut change = Change::default();
    let below = Span::new(layout.line_end(place.opened), end);
    let follows_dash = layout.is_same_line(place.opened, start);
    let first = if follows_dash { layout.column(start) } else { least_indentation(layout, below).unwrap_or(outer) };
    let lines = Span::new(if follows_dash { start } else { below.start }, end);
    let comments = layout.tree.comments_in(lines).iter().map(|comment| comment.of(layout.text).to_owned());
    change.comments_into_text = comments.collect();
    if least_indentation(layout, below).is_some_and(|least| least < first)
        || !follows_dash && !starts_least(layout, below, first)
    {
        return Err(wrong_shape(
            start,
            "lines of the structure are indented less than its first one; indent them alike first",
        ));
    }
    if follows_dash {
        change.replace(Span::new(place.opened, start), format!(" |{}{:first$}", layout.line_ending(start), ""));
    } else {
        change.insert(place.opened, " |");
        if first <= outer {
            change.replace(below, layout.shifted(below, (outer + layout.step(place.container) - first) as isize));
        }
    }
    Ok(change)
}

/// Returns the lines in `span` that are not blank: how far each is indented.
fn indentations<'t>(layout: &Layout<'t>, span: Span) -> impl Iterator<Item = usize> + 't {
    let lines = span.of(layout.text).lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| line.len() - line.trim_start_matches(' ').len())
}

fn least_indentation(layout: &Layout<'_>, span: Span) -> Option<usize> {
    indentations(layout, span).min()
}

/// Returns whether the first line in `span`, which decides about the indentation of a text, is indented by `least`.
fn starts_least(layout: &Layout<'_>, span: Span, least: usize) -> bool {
    indentations(layout, span).next() == Some(least)
}
