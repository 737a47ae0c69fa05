//! The diff of a file side by side, with the changed words marked. On a narrow screen the style sheet puts the sides below each
//! other.

use similar::{DiffOp, DiffTag};

use super::markup::Markup;
use crate::engine::edits::FilePlan;
use crate::shell::report::count::plural;
use crate::shell::report::diff::{lines, shown_hunks};
use crate::shell::report::words;
use crate::syntax::text::Span;

/// What is shown of a file's changes.
pub(super) struct Diff<'f> {
    file: &'f FilePlan,
    after: String,
    /// None where they would show what a Secret holds.
    hunks: Option<Vec<Vec<DiffOp>>>,
}

/// A side of a diff.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Old,
    New,
}

impl<'f> Diff<'f> {
    /// Compares both texts of a file.
    pub(super) fn of(file: &'f FilePlan) -> Self {
        let after = file.after();
        let hunks = shown_hunks(&file.before, &after);
        Self { file, after, hunks }
    }

    /// Counts the lines that are shown.
    pub(super) fn lines(&self) -> usize {
        let operations = self.hunks.iter().flatten().flatten();
        operations.map(|operation| operation.old_range().len().max(operation.new_range().len())).sum()
    }

    /// Writes the diff, unfolded where `is_open`.
    pub(super) fn write(&self, out: &mut Markup, is_open: bool) {
        let Some(hunks) = &self.hunks else {
            out.raw("<p class=\"hidden-diff\">The file changes; its diff would show values of a Secret.</p>\n");
            return;
        };
        let changed = || hunks.iter().flatten().filter(|operation| operation.tag() != DiffTag::Equal);
        let removed = changed().map(|operation| operation.old_range().len()).sum();
        let added = changed().map(|operation| operation.new_range().len()).sum();
        out.raw("<details class=\"diff\"").raw(if is_open { " open" } else { "" }).raw(">\n<summary>Diff: ");
        out.text(&plural(removed, "line")).raw(" removed, ").text(&plural(added, "line")).raw(" added</summary>\n");
        let (old, new) = (lines(&self.file.before), lines(&self.after));
        for hunk in hunks {
            out.raw("<div class=\"hunk\">\n");
            for operation in hunk {
                let (old_lines, new_lines) = (&old[operation.old_range()], &new[operation.new_range()]);
                let (old_start, new_start) = (operation.old_range().start, operation.new_range().start);
                if operation.tag() == DiffTag::Equal {
                    unchanged(out, old_lines, old_start, new_start);
                    continue;
                }
                let words = words::changed(old_lines, new_lines);
                out.raw("<div class=\"lines\">\n");
                replaced(out, old_lines, old_start, &words.old, Side::Old);
                replaced(out, new_lines, new_start, &words.new, Side::New);
                out.raw("</div>\n");
            }
            out.raw("</div>\n");
        }
        out.raw("</details>\n");
    }
}

/// Writes lines that are on both sides. A narrow screen shows the new side only.
fn unchanged(out: &mut Markup, texts: &[&str], old_start: usize, new_start: usize) {
    out.raw("<div class=\"lines\">\n");
    for (at, text) in texts.iter().enumerate() {
        out.raw("<div class=\"line same old\" aria-hidden=\"true\"");
        line(out, old_start + at, text, &[], Side::Old);
        out.raw("<div class=\"line same new\"");
        line(out, new_start + at, text, &[], Side::New);
    }
    out.raw("</div>\n");
}

/// Writes the lines of one side that are replaced, with the changed words of each.
fn replaced(out: &mut Markup, texts: &[&str], start: usize, marks: &[Vec<Span>], side: Side) {
    for (at, (text, marks)) in texts.iter().zip(marks).enumerate() {
        out.raw(match side {
            Side::Old => "<div class=\"line removed\"",
            Side::New => "<div class=\"line added\"",
        });
        line(out, start + at, text, marks, side);
    }
}

/// Writes a line behind the start of its element.
fn line(out: &mut Markup, at: usize, text: &str, marks: &[Span], side: Side) {
    let (start, end) = match side {
        Side::Old => ("<del>", "</del>"),
        Side::New => ("<ins>", "</ins>"),
    };
    out.attribute("data-n", &(at + 1).to_string()).raw("><code>");
    let content = content(text);
    let mut written = 0;
    for mark in marks {
        out.text(&content[written..mark.start]).raw(start).text(mark.of(content)).raw(end);
        written = mark.end;
    }
    out.text(&content[written..]).raw("</code></div>\n");
    if !text.ends_with('\n') {
        out.raw("<div class=\"no-end\">no line break at the end of the file</div>\n");
    }
}

/// Returns a line without its end.
fn content(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::text::{Edit, EditSet};

    fn written(before: &str, after: &str) -> String {
        let edits = EditSet::new(vec![Edit::new(0, before.len(), after)]).unwrap();
        let file = FilePlan { file: "a.yaml".into(), before: before.into(), edits };
        let mut out = Markup::default();
        Diff::of(&file).write(&mut out, true);
        out.finish()
    }

    #[test]
    fn changed_words_are_marked_on_both_sides() {
        let page = written("kind: A\napiVersion: x/v1beta1\n", "kind: A\napiVersion: x/v1\n");
        assert!(page.contains("<summary>Diff: 1 line removed, 1 line added</summary>"), "{page}");
        assert!(page.contains("removed\" data-n=\"2\"><code>apiVersion: x/<del>v1beta1</del></code>"), "{page}");
        assert!(page.contains("added\" data-n=\"2\"><code>apiVersion: x/<ins>v1</ins></code>"), "{page}");
        assert!(page.contains("same old\" aria-hidden=\"true\" data-n=\"1\"><code>kind: A</code>"), "{page}");
        assert!(page.contains("same new\" data-n=\"1\"><code>kind: A</code>"), "{page}");
    }

    #[test]
    fn a_line_without_a_counterpart_has_no_marks() {
        let page = written("a: 1\n", "a: 1\nb: <2>\n");
        assert!(page.contains("added\" data-n=\"2\"><code>b: &lt;2&gt;</code>"), "{page}");
        assert!(!page.contains("<ins>") && !page.contains("<del>"), "{page}");
    }

    #[test]
    fn a_missing_last_line_break_is_told() {
        let page = written("a: 1", "a: 2\n");
        assert_eq!(page.matches("no line break at the end").count(), 1, "{page}");
        assert!(page.find("no line break") < page.find("class=\"line added\""), "{page}");
    }

    #[test]
    fn values_of_a_secret_are_in_no_diff() {
        let page = written("kind: Secret\ndata: {k: t0p}\n", "kind: Secret\ndata: {k: n3w}\n");
        assert!(!page.contains("t0p") && !page.contains("n3w"), "{page}");
        assert!(page.contains("would show values of a Secret"), "{page}");
    }
}
