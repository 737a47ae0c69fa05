//! Answers: which blocks of a template is a byte of it in, and which does a stretch touch?

use std::cell::OnceCell;

use super::lex::{Keyword, SPACE};
use super::tree::{Node, Part, Template};
use crate::syntax::text::Span;

/// The blocks of a part.
#[derive(Debug)]
pub struct Blocks<'t> {
    template: &'t Template,
    /// In the order of their starts.
    blocks: Vec<Block>,
    /// What [`Blocks::with_lines_beside`] returns for each, once it was asked for.
    with_lines: OnceCell<Vec<Span>>,
}

#[derive(Debug)]
struct Block {
    number: usize,
    /// The index of the block around it.
    outer: Option<usize>,
    /// With the actions that begin and end it.
    span: Span,
}

impl<'t> Blocks<'t> {
    /// Finds the blocks of `part`.
    pub fn of(part: Part<'t>) -> Self {
        let mut blocks = Self { template: part.template, blocks: Vec::new(), with_lines: OnceCell::new() };
        blocks.collect(part.nodes(), None);
        blocks
    }

    fn collect(&mut self, nodes: &[Node], outer: Option<usize>) {
        for node in nodes {
            let Node::Branching(block) = node else { continue };
            let (Some(first), Some(last)) = (block.branches.first(), block.branches.last()) else { continue };
            let actions = self.template.actions();
            let end = actions.partition_point(|action| action.span.start < last.span.end);
            let end = actions.get(end).map_or(last.span.end, |action| action.span.end);
            let at = self.blocks.len();
            self.blocks.push(Block {
                number: block.number,
                outer,
                span: Span::new(actions[first.action].span.start, end),
            });
            block.branches.iter().for_each(|branch| self.collect(&branch.body, Some(at)));
        }
    }

    /// Returns the numbers of all.
    pub fn numbers(&self) -> impl Iterator<Item = usize> {
        self.blocks.iter().map(|block| block.number)
    }

    /// Returns the numbers of the ranges around a byte of the file, the innermost first.
    pub fn ranges_around(&self, at: usize) -> impl Iterator<Item = usize> {
        self.around(at).filter(|number| self.is_range(*number))
    }

    /// Returns whether some range has bytes of `span` in it.
    pub fn has_range_at(&self, span: Span) -> bool {
        let mut near = self.blocks.iter().filter(|block| block.span.start < span.end && span.start < block.span.end);
        near.any(|block| self.is_range(block.number))
    }

    fn is_range(&self, number: usize) -> bool {
        self.template.actions()[number].keyword == Keyword::Range
    }

    /// Returns the numbers of the blocks around a byte of the file, the innermost first.
    pub fn around(&self, at: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(self.innermost(at), |block| self.blocks[*block].outer)
            .map(|block| self.blocks[block].number)
    }

    fn innermost(&self, at: usize) -> Option<usize> {
        let last = self.blocks.partition_point(|block| block.span.start <= at).checked_sub(1);
        let mut open = std::iter::successors(last, |block| self.blocks[*block].outer);
        open.find(|block| at < self.blocks[*block].span.end)
    }

    /// Returns the numbers of the blocks that `span` is in, or that have nothing between it and themselves but white space, actions and one line,
    /// which it touches; and of those that have only such blocks between.
    pub fn near(&self, span: Span) -> impl Iterator<Item = usize> {
        let with_lines =
            self.with_lines.get_or_init(|| self.blocks.iter().map(|block| self.with_lines_beside(block)).collect());
        let is_near = move |near: &Span| span.start <= near.end && near.start <= span.end;
        self.blocks.iter().zip(with_lines).filter(move |(_, near)| is_near(near)).map(|(block, _)| block.number)
    }

    /// Returns the bytes of a block with the nearest line before it and the nearest behind it that hold text of what is around the block.
    fn with_lines_beside(&self, block: &Block) -> Span {
        let text = self.template.text();
        // A line counts where it begins outside all other blocks, and with more than an action.
        let counts = |start: usize, line: &str| {
            let written = line.trim_matches(SPACE);
            let at = start + line.len() - line.trim_start_matches(SPACE).len();
            !written.is_empty() && !written.starts_with("{{") && self.innermost(at) == block.outer
        };
        let mut start = block.span.start;
        while start > 0 {
            let line = text[..start].trim_end_matches('\n').rfind('\n').map_or(0, |feed| feed + 1);
            let is_line = counts(line, &text[line..start]);
            start = line;
            if is_line {
                break;
            }
        }
        let mut end = block.span.end;
        while end < text.len() {
            let next = text[end..].find('\n').map_or(text.len(), |feed| end + feed + 1);
            let is_line = counts(end, &text[end..next]);
            end = next;
            if is_line {
                break;
            }
        }
        Span::new(start, end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
a: 1
b: 2
{{- if .x }}
c: 3
{{- range .y }}
d: 4
{{- end }}
{{- else }}
e: 5
{{- end }}
{{ with .z }}f: 6{{ end }}
g: 7
h: 8
";

    #[track_caller]
    fn blocks(find: impl Fn(&Blocks<'_>, usize) -> Vec<usize>, at: &str) -> Vec<usize> {
        let template = Template::parse(TEXT).unwrap();
        find(&Blocks::of(template.part(0).unwrap()), TEXT.find(at).unwrap())
    }

    fn numbers(all: &[usize]) -> Vec<usize> {
        all.to_vec()
    }

    #[test]
    fn blocks_are_found_from_the_innermost_out() {
        let around = |at| blocks(|blocks, at| blocks.around(at).collect(), at);
        assert_eq!(around("b: 2"), numbers(&[]));
        assert_eq!(around("c: 3"), numbers(&[0]));
        assert_eq!(around("d: 4"), numbers(&[1, 0]));
        assert_eq!(around("e: 5"), numbers(&[0]));
        assert_eq!(around("f: 6"), numbers(&[2]));
        assert_eq!(around("g: 7"), numbers(&[]));
    }

    #[test]
    fn a_block_is_near_the_lines_beside_it_and_beside_its_neighbors() {
        let near = |at| blocks(|blocks, at| blocks.near(Span::new(at, at + 1)).collect(), at);
        assert_eq!(near("a: 1"), numbers(&[]));
        assert_eq!(near("b: 2"), numbers(&[0, 2]));
        assert_eq!(near("c: 3"), numbers(&[0, 1, 2]));
        assert_eq!(near("d: 4"), numbers(&[0, 1, 2]));
        assert_eq!(near("g: 7"), numbers(&[0, 2]));
        assert_eq!(near(": 8"), numbers(&[]));
    }
}
