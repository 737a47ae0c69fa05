//! Answers: at which column does what an action prints begin?
//!
//! Invariant: white space that an action eats indents nothing.

use super::expression::{Binding, Expression};
use super::lex::Action;
use super::tree::{Defines, Node, Part};

/// Returns the column of what an action prints.
pub(super) fn column(part: Part<'_>, action: &Action, value: &Expression, defines: &Defines) -> Option<usize> {
    let before = &part.template.text()[..action.span.start];
    let line = &before[before.rfind('\n').map_or(0, |end| end + 1)..];
    // White space that the action eats indents nothing.
    let own = if action.trims_before && line.trim().is_empty() && value.pipe().any(|(function, _)| function == "indent")
    {
        0
    } else {
        line.chars().count()
    };
    let blank = blank_before(value, defines);
    let (own, inside) = blank.rsplit_once('\n').map_or((own, blank.len()), |(_, inside)| (0, inside.len()));
    let indent = value.pipe().find(|(function, _)| matches!(*function, "nindent" | "indent"));
    match indent {
        None => Some(own + inside),
        Some((function, [Expression::Word(width), _])) => {
            let width: usize = width.parse().ok()?;
            Some(inside + if function == "nindent" { width } else { own + width })
        }
        Some(_) => None,
    }
}

/// Returns the white space with which a definition begins that an action prints.
fn blank_before(value: &Expression, defines: &Defines) -> String {
    let mut blank = String::new();
    for (function, arguments) in value.pipe() {
        if let ("include" | "template", [Expression::Text(name), ..]) = (function, arguments)
            && let Some(part) = defines.get(name)
        {
            collect_blank(part, part.nodes(), &mut blank);
        } else if function.starts_with("trim") {
            break;
        }
    }
    blank
}

/// Collects the white space with which `nodes` begin; returns whether something follows it.
fn collect_blank(part: Part<'_>, nodes: &[Node], blank: &mut String) -> bool {
    nodes.iter().any(|node| match node {
        Node::Literal(span) => {
            let text = span.of(part.template.text());
            let length = text.len() - text.trim_start().len();
            blank.push_str(&text[..length]);
            length < text.len()
        }
        Node::Action(index) => {
            let action = &part.template.actions()[*index];
            !action.is_comment() && action.pipeline.binding == Binding::None
        }
        Node::Branching(block) => {
            let length = blank.len();
            block.branches.iter().any(|branch| {
                blank.truncate(length);
                collect_blank(part, &branch.body, blank)
            })
        }
    })
}
