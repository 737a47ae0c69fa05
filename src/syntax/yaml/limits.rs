//! Answers: how large may a text be before it is rejected?
//!
//! Every number is here, and in the README. Size and line length are checked before a text is read, the rest while it is
//! read, so that a rejected text costs no more than the limit it exceeds.
//!
//! Invariant: what exceeds a limit is rejected with [`ProblemCode::Limit`] and its place; aliases have a code of their own.

use super::problem::{Problem, ProblemCode};

/// The limits for one text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Bytes of a text.
    pub(super) size: usize,
    /// Bytes of a line, without its line feed.
    pub(super) line: usize,
    /// Documents in a text.
    pub(super) documents: usize,
    /// Nodes of a text: keys, scalars, mappings, lists and aliases.
    pub(super) nodes: usize,
    /// Nested collections in the text; and nested values after aliases are resolved.
    pub(super) nesting: usize,
    /// Values that the aliases of one document expand to.
    pub(super) alias_values: usize,
}

/// The limits of this program: far above what manifests have, low enough that no hostile text exhausts the memory.
pub(super) const LIMITS: Limits = Limits {
    size: 512 << 20,
    line: 16 << 20,
    documents: 1_000_000,
    nodes: 10_000_000,
    nesting: 200,
    alias_values: 100_000,
};

impl Limits {
    /// Checks what can be checked without parsing a text.
    ///
    /// # Errors
    /// `Limit` at the start of the line that is too long, or at 0 for a text that is too large.
    pub(super) fn check_size(&self, text: &str) -> Result<(), Problem> {
        if text.len() > self.size {
            let message = format!("larger than {} MiB; split the file", self.size >> 20);
            return Err(over(0, message));
        }
        match self.long_line(text.as_bytes()) {
            None => Ok(()),
            Some(at) => {
                Err(over(at, format!("a line is longer than {} MiB; split it into several lines", self.line >> 20)))
            }
        }
    }

    /// Returns the start of a line that is too long. Only the last line feed within each limit is searched.
    fn long_line(&self, bytes: &[u8]) -> Option<usize> {
        let mut start = 0;
        while bytes.len() - start > self.line {
            let Some(line_feed) = memchr::memrchr(b'\n', &bytes[start..=start + self.line]) else { return Some(start) };
            start += line_feed + 1;
        }
        None
    }

    /// Checks how many nodes were read, the last of them at `at`.
    pub(super) fn check_nodes(&self, count: usize, at: usize) -> Result<(), Problem> {
        if count <= self.nodes {
            return Ok(());
        }
        Err(over(at, format!("more than {} keys and values; split the file", self.nodes)))
    }

    /// Checks how many documents were read, the last of them starting at `at`.
    pub(super) fn check_documents(&self, count: usize, at: usize) -> Result<(), Problem> {
        if count <= self.documents {
            return Ok(());
        }
        Err(over(at, format!("more than {} documents; split the file", self.documents)))
    }

    /// Checks the nesting depth at `at`.
    pub(super) fn check_nesting(&self, depth: usize, at: impl FnOnce() -> usize) -> Result<(), Problem> {
        if depth <= self.nesting { Ok(()) } else { Err(self.too_deep(at())) }
    }

    /// Creates the problem for a value that is nested too deeply.
    pub(super) fn too_deep(&self, at: usize) -> Problem {
        over(at, format!("nested more than {} levels deep", self.nesting))
    }
}

fn over(at: usize, message: String) -> Problem {
    Problem::new(ProblemCode::Limit, at, message)
}

#[cfg(test)]
mod tests {
    use super::super::events::parse_within;
    use super::super::scan::scan_within;
    use super::*;

    const LOW: Limits = Limits { size: 3 << 20, line: 1 << 20, documents: 3, nodes: 7, nesting: 2, alias_values: 1 };

    /// Checks that a text is read, by both front ends or only by the exact one.
    #[track_caller]
    fn check_read(text: &str) {
        assert_eq!(parse_within(text, &LOW).err(), None);
    }

    /// Checks that a text is refused at a place, and not read by the scanner either.
    #[track_caller]
    fn check_refused(text: &str, at: usize, message: &str) {
        assert_eq!(scan_within(text, &LOW), None);
        let problem = parse_within(text, &LOW).unwrap_err();
        assert_eq!((problem.code, problem.at, problem.message.as_str()), (ProblemCode::Limit, at, message));
    }

    #[test]
    fn the_size_of_a_text_is_limited() {
        let text = |count: usize| format!("a\n{}", "#\n".repeat(count / 2 - 1));
        check_read(&text(LOW.size));
        check_refused(&text(LOW.size + 2), 0, "larger than 3 MiB; split the file");
    }

    #[test]
    fn the_length_of_a_line_is_limited() {
        let text = |length: usize, end: &str| format!("a: b\n#{}{end}", "c".repeat(length - 1));
        for end in ["", "\n", "\n\nd: e\n"] {
            check_read(&text(LOW.line, end));
            check_refused(&text(LOW.line + 1, end), 5, "a line is longer than 1 MiB; split it into several lines");
        }
    }

    #[test]
    fn the_number_of_documents_is_limited() {
        check_read("---\n---\n---\n");
        check_refused("---\n---\n---\n---\n", 12, "more than 3 documents; split the file");
        check_refused("a\n...\nb\n...\nc\n...\nd\n", 18, "more than 3 documents; split the file");
    }

    #[test]
    fn the_number_of_nodes_is_limited() {
        check_read("a: [1, 2, 3, 4]\n");
        check_refused("a: [1, 2, 3, 4, 5]\n", 16, "more than 7 keys and values; split the file");
        check_refused("a: 1\nb: 2\nc: 3\nd: 4\n", 15, "more than 7 keys and values; split the file");
    }

    #[test]
    fn the_nesting_depth_is_limited() {
        let message = "nested more than 2 levels deep";
        check_read("a: [1]\n");
        check_read("- - 1\n");
        for (text, at) in [("a:\n- - b\n", 5), ("[[[]]]", 2), ("a:\n  b:\n    c: d\n", 12), ("[[a: b]]", 2)] {
            let problem = parse_within(text, &LOW).unwrap_err();
            assert_eq!(
                (problem.code, problem.at, problem.message.as_str()),
                (ProblemCode::Limit, at, message),
                "{text}"
            );
        }
    }

    #[test]
    fn the_limits_themselves_fit_a_tree() {
        assert!(u32::try_from(LIMITS.size).is_ok() && u32::try_from(LIMITS.nodes).is_ok());
        let text = String::from_utf8(vec![0; LIMITS.size + 1]).unwrap();
        assert_eq!(super::super::parse(&text).unwrap_err().message, "larger than 512 MiB; split the file");
    }

    #[test]
    fn lines_in_quotes_have_no_limit() {
        let text = "- a: \"b\n# c\"\n".repeat(10_000) + "- # d\n" + &"# d\n".repeat(10_000) + "  'e\nf'\n";
        let tree = super::super::parse_exact(&text).unwrap();
        assert_eq!(super::super::scan(&text), Some(tree));
    }

    #[test]
    fn comments_have_no_limit() {
        for count in [300, 100_000] {
            let text = format!("a: 1\n{}b: 2\n", "# c\n".repeat(count));
            let tree = super::super::parse_exact(&text).unwrap();
            assert_eq!(tree.comments().len(), count);
            assert_eq!(super::super::scan(&text), Some(tree));
        }
    }
}
