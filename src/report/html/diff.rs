//! The diff of a file side by side, with the changed words marked. On a narrow screen the style sheet puts the sides below each
//! other.

use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices};

use super::markup::Markup;
use crate::edits::FilePlan;
use crate::report::count::plural;
use crate::report::diff::{lines, shown_hunks};

/// The most words of a change in which changed words are looked for.
const MAX_WORDS: usize = 4_000;

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
        let hunks = shown_hunks((&file.before, &lines(&file.before)), (&after, &lines(&after)));
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
                    unchanged(out, old_lines, (old_start, new_start));
                } else {
                    changed_lines(out, (old_lines, old_start), (new_lines, new_start));
                }
            }
            out.raw("</div>\n");
        }
        out.raw("</details>\n");
    }
}

/// Writes lines that are on both sides. A narrow screen shows the new side only.
fn unchanged(out: &mut Markup, texts: &[&str], (old_start, new_start): (usize, usize)) {
    out.raw("<div class=\"lines\">\n");
    for (at, text) in texts.iter().enumerate() {
        out.raw("<div class=\"line same old\" aria-hidden=\"true\"");
        numbered(out, old_start + at, text);
        out.raw("<div class=\"line same new\"");
        numbered(out, new_start + at, text);
    }
    out.raw("</div>\n");
}

fn numbered(out: &mut Markup, at: usize, text: &str) {
    out.attribute("data-n", &(at + 1).to_string()).raw("><code>").text(content(text)).raw("</code></div>\n");
    without_end(out, text);
}

/// Writes lines that are replaced: those of the old side, then those of the new side.
fn changed_lines(out: &mut Markup, (old, old_start): (&[&str], usize), (new, new_start): (&[&str], usize)) {
    let (old_words, new_words) = (words(old), words(new));
    let (old_kept, new_kept) = kept_words(&old_words, &new_words);
    out.raw("<div class=\"lines\">\n");
    side(out, (old, old_start), (&old_words, &old_kept), Side::Old);
    side(out, (new, new_start), (&new_words, &new_kept), Side::New);
    out.raw("</div>\n");
}

/// The words of a line.
type LineWords<'t> = Vec<&'t str>;

/// Writes the lines of one side; `kept` says of each of its words whether it is on both sides.
fn side(out: &mut Markup, (texts, start): (&[&str], usize), (words, kept): (&[LineWords<'_>], &[bool]), side: Side) {
    let mut first = 0;
    for (at, (text, words)) in texts.iter().zip(words).enumerate() {
        out.raw(match side {
            Side::Old => "<div class=\"line removed\"",
            Side::New => "<div class=\"line added\"",
        });
        out.attribute("data-n", &(start + at + 1).to_string()).raw("><code>");
        let kept = kept.get(first..first + words.len()).unwrap_or_default();
        first += words.len();
        // In a line that is new as a whole, marks would show nothing.
        let has_kept = words.iter().zip(kept).any(|(word, is_kept)| *is_kept && is_telling(word));
        if has_kept {
            marked(out, words, kept, side);
        } else {
            out.text(content(text));
        }
        out.raw("</code></div>\n");
        without_end(out, text);
    }
}

/// Writes a line with the stretches of changed words marked.
fn marked(out: &mut Markup, words: &[&str], kept: &[bool], side: Side) {
    let (start, end) = match side {
        Side::Old => ("<del>", "</del>"),
        Side::New => ("<ins>", "</ins>"),
    };
    let mut is_marked = false;
    for (word, is_kept) in words.iter().zip(kept) {
        if is_marked == *is_kept {
            out.raw(if is_marked { end } else { start });
            is_marked = !is_marked;
        }
        out.text(word);
    }
    out.raw(if is_marked { end } else { "" });
}

/// Says of each word of both sides whether it is on the other side too. Of long changes it says so of none.
fn kept_words(old: &[LineWords<'_>], new: &[LineWords<'_>]) -> (Vec<bool>, Vec<bool>) {
    let (old, new) = (old.concat(), new.concat());
    let (mut old_kept, mut new_kept) = (vec![false; old.len()], vec![false; new.len()]);
    if old.len().max(new.len()) <= MAX_WORDS {
        let operations = capture_diff_slices(Algorithm::Myers, &old, &new);
        for equal in operations.iter().filter(|operation| operation.tag() == DiffTag::Equal) {
            old_kept[equal.old_range()].fill(true);
            new_kept[equal.new_range()].fill(true);
        }
    }
    (old_kept, new_kept)
}

fn words<'t>(texts: &[&'t str]) -> Vec<LineWords<'t>> {
    texts.iter().map(|text| split_words(content(text))).collect()
}

/// Splits a line into words, and other characters one by one.
fn split_words(line: &str) -> LineWords<'_> {
    let is_in_word = |character: char| character == '_' || character.is_alphanumeric();
    let mut words = Vec::new();
    let mut start = 0;
    let mut characters = line.char_indices().peekable();
    while let Some((_, character)) = characters.next() {
        let ends = !is_in_word(character) || characters.peek().is_none_or(|(_, next)| !is_in_word(*next));
        if ends {
            let end = characters.peek().map_or(line.len(), |(at, _)| *at);
            words.push(&line[start..end]);
            start = end;
        }
    }
    words
}

/// Says whether a word that two lines share shows that one became the other.
fn is_telling(word: &str) -> bool {
    word.chars().any(char::is_alphanumeric)
}

/// Returns a line without its end.
fn content(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}

fn without_end(out: &mut Markup, line: &str) {
    if !line.ends_with('\n') {
        out.raw("<div class=\"no-end\">no line break at the end of the file</div>\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Edit, EditSet};

    fn written(before: &str, after: &str) -> String {
        let edits = EditSet::new(vec![Edit::new(0, before.len(), after)]).unwrap();
        let file = FilePlan { file: "a.yaml".into(), before: before.into(), edits };
        let mut out = Markup::default();
        Diff::of(&file).write(&mut out, true);
        out.finish()
    }

    #[test]
    fn a_line_is_split_into_words() {
        assert_eq!(split_words("  a-b: 'v1beta1'"), [" ", " ", "a", "-", "b", ":", " ", "'", "v1beta1", "'"]);
        assert_eq!(split_words("é_1/"), ["é_1", "/"]);
        assert!(split_words("").is_empty());
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
