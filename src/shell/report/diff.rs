//! The preview: a unified diff that `git apply` and `patch -p1` take.
//!
//! The lines around a change end in front of a line that shows what a Secret holds. `git apply` takes a change without a line
//! behind it for one at the end of the file; where a Secret's line is that very line, or is itself one that changes, there is no
//! diff of the file.

use std::borrow::Cow;
use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use similar::{Algorithm, ChangeTag, DiffOp, capture_diff_slices};

use super::escape::{steers, visible};
pub use super::paint::Paint;
use super::words;
use crate::engine::edits::FilePlan;
use crate::shell::redaction::{meets, secret_spans};
use crate::syntax::text::Span;

/// Lines of context around a change, as in `git diff`.
const CONTEXT: usize = 3;

/// Prints the unified diff of one file; `None` where it would show what a Secret holds.
pub fn unified(plan: &FilePlan, paint: Paint) -> Option<String> {
    let after = plan.after();
    let (old, new) = (lines(&plan.before), lines(&after));
    let groups = shown_hunks(&plan.before, &after)?;
    let mut out = String::new();
    // A file that is made has no old name, one that is removed no new one.
    let name = |prefix, text: &str| match text {
        "" => "/dev/null".to_owned(),
        _ => file_name(prefix, &plan.file, paint),
    };
    let (old_name, new_name) = (name("a/", &plan.before), name("b/", &after));
    for line in [format!("--- {old_name}"), format!("+++ {new_name}")] {
        let _infallible = writeln!(out, "{}", paint.strong(line));
    }
    for group in groups {
        hunk(&mut out, paint, &group, &old, &new);
    }
    Some(out)
}

/// Splits a text into lines, each with its end. A line ends at LF only: a lone CR is content, and git counts it so.
pub(super) fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// Groups the changes between two texts, each given with its lines, with the lines around them that may be shown; `None` where
/// that would show what a Secret holds.
pub(super) fn shown_hunks(before: &str, after: &str) -> Option<Vec<Vec<DiffOp>>> {
    let [old_secrets, new_secrets] = [before, after].map(secret_lines);
    let operations = capture_diff_slices(Algorithm::Myers, &lines(before), &lines(after));
    let groups = hunks(&operations, &old_secrets)?;
    let shows = |operation: &DiffOp| {
        let is_change = operation.tag() != similar::DiffTag::Equal;
        let of_new = new_secrets[operation.new_range()].iter().any(|secret| *secret);
        is_change && (of_new || old_secrets[operation.old_range()].iter().any(|secret| *secret))
    };
    (!groups.iter().flatten().any(shows)).then_some(groups)
}

/// Says of each line of `text` whether it shows what a Secret holds.
fn secret_lines(text: &str) -> Vec<bool> {
    let spans = secret_spans(text);
    let mut start = 0;
    let mut shows = |line: &str| {
        let span = Span::new(start, start + line.len());
        start = span.end;
        spans.iter().any(|secret| meets(*secret, span))
    };
    text.split_inclusive('\n').map(&mut shows).collect()
}

/// Groups changes with the lines around them that may be shown; `None` where a change has no such line behind it.
fn hunks(operations: &[DiffOp], secrets: &[bool]) -> Option<Vec<Vec<DiffOp>>> {
    let (mut hunks, mut hunk) = (Vec::new(), Vec::new());
    for (at, operation) in operations.iter().enumerate() {
        let DiffOp::Equal { old_index, new_index, len } = *operation else {
            hunk.push(*operation);
            continue;
        };
        let lines = &secrets[old_index..old_index + len];
        let context = |is_beside: bool| if is_beside { CONTEXT } else { 0 };
        let behind = lines.iter().take(context(at > 0)).take_while(|secret| !**secret).count();
        let ahead = lines.iter().rev().take(context(at + 1 < operations.len())).take_while(|secret| !**secret).count();
        if at > 0 && behind == 0 {
            return None;
        }
        if at > 0 && behind + ahead >= len {
            hunk.push(*operation);
            continue;
        }
        if at > 0 {
            hunk.push(DiffOp::Equal { old_index, new_index, len: behind });
            hunks.push(std::mem::take(&mut hunk));
        }
        if ahead > 0 {
            let skipped = len - ahead;
            hunk.push(DiffOp::Equal { old_index: old_index + skipped, new_index: new_index + skipped, len: ahead });
        }
    }
    if hunk.iter().any(|operation| operation.tag() != similar::DiffTag::Equal) {
        hunks.push(hunk);
    }
    Some(hunks)
}

fn hunk(out: &mut String, paint: Paint, group: &[DiffOp], old: &[&str], new: &[&str]) {
    let (Some(first), Some(last)) = (group.first(), group.last()) else { return };
    let range = |start: usize, end: usize| {
        let count = end - start;
        let line = if count == 0 { start } else { start + 1 };
        if count == 1 { line.to_string() } else { format!("{line},{count}") }
    };
    let olds = range(first.old_range().start, last.old_range().end);
    let news = range(first.new_range().start, last.new_range().end);
    let head = format!("@@ -{olds} +{news} @@");
    let _infallible = writeln!(out, "{}", paint.styled(AnsiColor::Cyan.on_default(), head));
    for operation in group {
        let marks = marks(operation, paint, old, new);
        for (at, change) in operation.iter_changes(old, new).enumerate() {
            line(out, paint, change.tag(), change.value(), marks.get(at).map_or(&[], Vec::as_slice));
        }
    }
}

/// Finds the words that change in lines that are replaced, for a terminal with colours: of the old lines, then of the new ones.
fn marks(operation: &DiffOp, paint: Paint, old: &[&str], new: &[&str]) -> Vec<Vec<Span>> {
    if paint != Paint::Colour || operation.tag() != similar::DiffTag::Replace {
        return Vec::new();
    }
    let changed = words::changed(&old[operation.old_range()], &new[operation.new_range()]);
    [changed.old, changed.new].concat()
}

fn line(out: &mut String, paint: Paint, tag: ChangeTag, text: &str, marks: &[Span]) {
    let (sign, style) = match tag {
        ChangeTag::Equal => (' ', Style::new()),
        ChangeTag::Delete => ('-', AnsiColor::Red.on_default()),
        ChangeTag::Insert => ('+', AnsiColor::Green.on_default()),
    };
    let content = text.strip_suffix('\n').unwrap_or(text);
    let content = match paint {
        Paint::Plain => content.to_owned(),
        Paint::Legible | Paint::Colour => marked(content.strip_suffix('\r').unwrap_or(content), marks),
    };
    let _infallible = writeln!(out, "{}", paint.styled(style, format_args!("{sign}{content}")));
    if !text.ends_with('\n') {
        out.push_str("\\ No newline at end of file\n");
    }
}

/// Writes a line for a terminal, its `marks` in reverse.
fn marked(line: &str, marks: &[Span]) -> String {
    let (mut out, mut done) = (String::new(), 0);
    for mark in marks {
        let _infallible =
            write!(out, "{}\u{1b}[7m{}\u{1b}[27m", visible(&line[done..mark.start]), visible(mark.of(line)));
        done = mark.end;
    }
    out + &visible(&line[done..])
}

/// Counts the lines that are added and removed in a file.
#[cfg(feature = "cli")]
pub(super) fn lines_changed(plan: &FilePlan) -> (usize, usize) {
    let operations = capture_diff_slices(Algorithm::Myers, &lines(&plan.before), &lines(&plan.after()));
    let changes = operations.iter().filter(|operation| operation.tag() != similar::DiffTag::Equal);
    changes
        .fold((0, 0), |(added, removed), change| (added + change.new_range().len(), removed + change.old_range().len()))
}

/// Writes a file name as git does: quoted where it holds quotes, backslashes, or characters that steer a terminal, with a tab behind
/// it where it holds a space.
fn file_name(prefix: &str, file: &str, paint: Paint) -> String {
    let file = file.trim_start_matches('/');
    let file = if file == "-" { Cow::Borrowed("stdin") } else { Cow::Borrowed(file) };
    let quote = file.chars().any(|character| steers(character) || matches!(character, '"' | '\\'));
    if !quote {
        return match paint {
            Paint::Plain if file.contains(' ') => format!("{prefix}{file}\t"),
            Paint::Plain => format!("{prefix}{file}"),
            Paint::Legible | Paint::Colour => format!("{prefix}{}", visible(&file)),
        };
    }
    let mut out = format!("\"{prefix}");
    for byte in file.bytes() {
        let _infallible = match byte {
            b'"' | b'\\' => write!(out, "\\{}", char::from(byte)),
            b'\n' => write!(out, "\\n"),
            b'\t' => write!(out, "\\t"),
            0x20..=0x7e => write!(out, "{}", char::from(byte)),
            _ => write!(out, "\\{byte:03o}"),
        };
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::text::{Edit, EditSet};

    #[track_caller]
    fn check(before: &str, after: &str, expected: &str) {
        let edits = EditSet::new(vec![Edit::new(0, before.len(), after)]).unwrap();
        let plan = FilePlan { file: "a b.yaml".into(), before: before.into(), edits };
        assert_eq!(unified(&plan, Paint::Plain).as_deref(), Some(expected));
    }

    #[test]
    fn hunks_have_three_lines_of_context() {
        check(
            "1\n2\n3\n4\n5\n6\n7\n8\n9\n",
            "1\n2\n3\n4\nfive\n6\n7\n8\n9\n",
            "--- a/a b.yaml\t\n+++ b/a b.yaml\t\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n",
        );
    }

    #[test]
    fn line_ends_and_a_missing_last_one_are_kept() {
        check(
            "a\r\nb\rc\r\nd",
            "a\r\nB\rc\r\nd",
            "--- a/a b.yaml\t\n+++ b/a b.yaml\t\n@@ -1,3 +1,3 @@\n a\r\n-b\rc\r\n+B\rc\r\n d\n\\ No newline at end of file\n",
        );
    }

    #[test]
    fn odd_names_are_quoted_as_git_does() {
        assert_eq!(file_name("a/", "x\"\u{1b}é.yaml", Paint::Plain), "\"a/x\\\"\\033\\303\\251.yaml\"");
        assert_eq!(file_name("b/", "/abs/é.yaml", Paint::Plain), "b/abs/é.yaml");
        for paint in [Paint::Plain, Paint::Legible, Paint::Colour] {
            assert_eq!(file_name("a/", "x\u{202e}y.yaml", paint), "\"a/x\\342\\200\\256y.yaml\"");
        }
    }

    #[test]
    fn distant_changes_have_their_own_hunks_and_close_ones_share_one() {
        let text = |three: &str, ten: &str| {
            (1..=18)
                .map(|at| match at {
                    3 => format!("{three}\n"),
                    10 => format!("{ten}\n"),
                    _ => format!("{at}\n"),
                })
                .collect::<String>()
        };
        check(
            &text("3", "10"),
            &text("x", "y"),
            "--- a/a b.yaml\t\n+++ b/a b.yaml\t\n@@ -1,13 +1,13 @@\n 1\n 2\n-3\n+x\n 4\n 5\n 6\n 7\n 8\n 9\n-10\n+y\n 11\n 12\n 13\n",
        );
        let text = |three: &str, eleven: &str| text(three, "10").replace("\n11\n", &format!("\n{eleven}\n"));
        check(
            &text("3", "11"),
            &text("x", "y"),
            "--- a/a b.yaml\t\n+++ b/a b.yaml\t\n@@ -1,6 +1,6 @@\n 1\n 2\n-3\n+x\n 4\n 5\n 6\n@@ -8,7 +8,7 @@\n 8\n 9\n 10\n-11\n+y\n 12\n 13\n 14\n",
        );
    }

    /// Prints the diff in which `old`, which is once in `text`, becomes `new`.
    fn replaced(text: &str, paint: Paint) -> Option<String> {
        let at = text.find("old").unwrap();
        let edits = EditSet::new(vec![Edit::new(at, at + 3, "new")]).unwrap();
        unified(&FilePlan { file: "a.yaml".into(), before: text.into(), edits }, paint)
    }

    #[test]
    fn context_lines_stop_before_secret_values() {
        let before = "kind: Secret\nstringData:\n  a: t0p\n---\nkind: old\n";
        let expected = "--- a/a.yaml\n+++ b/a.yaml\n@@ -4,2 +4,2 @@\n ---\n-kind: old\n+kind: new\n";
        assert_eq!(replaced(before, Paint::Plain).as_deref(), Some(expected));
        let behind = "a: old\n---\nstringData:\n  a: t0p\nkind: Secret\n";
        let expected = "--- a/a.yaml\n+++ b/a.yaml\n@@ -1,3 +1,3 @@\n-a: old\n+a: new\n ---\n stringData:\n";
        assert_eq!(replaced(behind, Paint::Plain).as_deref(), Some(expected));
    }

    #[test]
    fn a_diff_that_would_show_secret_values_is_omitted() {
        let one_line = "{kind: List, items: [{kind: Route, a: old}, {kind: Secret, data: {k: t0p}}]}\n";
        assert_eq!(replaced(one_line, Paint::Plain), None);
        let no_line_behind = "items:\n- a: old\n- data: {k: t0p}\n  kind: Secret\n";
        assert_eq!(replaced(no_line_behind, Paint::Plain), None);
        assert_eq!(replaced("kind: Secret\ndata: {k: old}\n", Paint::Colour), None);
        assert!(
            replaced("kind: Secret\ndata: {k: t0p}\na: old\n", Paint::Plain).is_some_and(|diff| !diff.contains("t0p"))
        );
    }

    #[test]
    fn words_that_change_are_marked_in_colours_only() {
        let red = "\u{1b}[31m-api: x/\u{1b}[7mold\u{1b}[27m # y\u{1b}[0m\n";
        let green = "\u{1b}[32m+api: x/\u{1b}[7mnew\u{1b}[27m # y\u{1b}[0m\n";
        let coloured = replaced("api: x/old # y\r\n", Paint::Colour).unwrap();
        assert!(coloured.ends_with(&format!("{red}{green}")), "{coloured:?}");
        let plain = replaced("api: x/old # y\n", Paint::Plain).unwrap();
        assert!(plain.ends_with("-api: x/old # y\n+api: x/new # y\n"), "{plain:?}");
    }

    #[test]
    fn control_characters_of_the_content_do_not_reach_a_terminal() {
        let diff = replaced("a: \"\u{1b}[2J\u{9b}x\"\nb: old\r\n", Paint::Legible).unwrap();
        assert_eq!(diff, "--- a/a.yaml\n+++ b/a.yaml\n@@ -1,2 +1,2 @@\n a: \"\\u{1b}[2J\\u{9b}x\"\n-b: old\n+b: new\n");
        let coloured = replaced("a: \"\u{1b}[2J\"\nb: old\n", Paint::Colour).unwrap();
        assert!(!coloured.contains("[2J\u{1b}") && coloured.contains("\\u{1b}[2J"), "{coloured:?}");
    }
}
