//! The preview: a unified diff that `git apply` and `patch -p1` take.

use std::borrow::Cow;
use std::fmt::Write as _;

use similar::{Algorithm, ChangeTag, DiffOp, capture_diff_slices, group_diff_ops};

use crate::plan::FilePlan;

/// Lines of context around a change, as in `git diff`.
const CONTEXT: usize = 3;

/// Whether lines carry colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    /// Plain text.
    Plain,
    /// ANSI colours, and control characters of the content written out.
    Colour,
}

/// Prints the unified diff of one file.
pub fn unified(plan: &FilePlan, paint: Paint) -> String {
    // A line ends at LF only: a lone CR is content, and git counts it so.
    let old: Vec<&str> = plan.before.split_inclusive('\n').collect();
    let after = plan.after();
    let new: Vec<&str> = after.split_inclusive('\n').collect();
    let operations = capture_diff_slices(Algorithm::Myers, &old, &new);
    let mut out = String::new();
    let old_name = file_name("a/", &plan.file);
    let new_name = file_name("b/", &plan.file);
    header(&mut out, paint, &format!("--- {old_name}"));
    header(&mut out, paint, &format!("+++ {new_name}"));
    for group in group_diff_ops(operations, CONTEXT) {
        hunk(&mut out, paint, &group, &old, &new);
    }
    out
}

fn header(out: &mut String, paint: Paint, text: &str) {
    let _infallible = match paint {
        Paint::Plain => writeln!(out, "{text}"),
        Paint::Colour => writeln!(out, "\u{1b}[1m{text}\u{1b}[0m"),
    };
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
    let text = format!("@@ -{olds} +{news} @@");
    let _infallible = match paint {
        Paint::Plain => writeln!(out, "{text}"),
        Paint::Colour => writeln!(out, "\u{1b}[36m{text}\u{1b}[0m"),
    };
    for change in group.iter().flat_map(|operation| operation.iter_changes(old, new)) {
        line(out, paint, change.tag(), change.value());
    }
}

fn line(out: &mut String, paint: Paint, tag: ChangeTag, text: &str) {
    let (sign, colour) = match tag {
        ChangeTag::Equal => (' ', ""),
        ChangeTag::Delete => ('-', "\u{1b}[31m"),
        ChangeTag::Insert => ('+', "\u{1b}[32m"),
    };
    let content = text.strip_suffix('\n').unwrap_or(text);
    let _infallible = match paint {
        Paint::Plain => writeln!(out, "{sign}{content}"),
        Paint::Colour => {
            writeln!(out, "{colour}{sign}{}\u{1b}[0m", super::visible(content.strip_suffix('\r').unwrap_or(content)))
        }
    };
    if !text.ends_with('\n') {
        out.push_str("\\ No newline at end of file\n");
    }
}

/// Writes a file name as git does: quoted where it holds quotes, backslashes or control characters, with a tab behind it
/// where it holds a space.
fn file_name(prefix: &str, file: &str) -> String {
    let file = file.trim_start_matches('/');
    let file = if file == "-" { Cow::Borrowed("stdin") } else { Cow::Borrowed(file) };
    let quote = file.chars().any(|character| character.is_control() || matches!(character, '"' | '\\'));
    if !quote {
        let tab = if file.contains(' ') { "\t" } else { "" };
        return format!("{prefix}{file}{tab}");
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
    use crate::text::{Edit, EditSet};

    #[track_caller]
    fn check(before: &str, after: &str, expected: &str) {
        let edits = EditSet::new(vec![Edit::new(0, before.len(), after)]).unwrap();
        let plan = FilePlan { file: "a b.yaml".into(), before: before.into(), edits };
        assert_eq!(unified(&plan, Paint::Plain), expected);
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
    fn line_endings_and_a_missing_last_one_are_kept() {
        check(
            "a\r\nb\rc\r\nd",
            "a\r\nB\rc\r\nd",
            "--- a/a b.yaml\t\n+++ b/a b.yaml\t\n@@ -1,3 +1,3 @@\n a\r\n-b\rc\r\n+B\rc\r\n d\n\\ No newline at end of file\n",
        );
    }

    #[test]
    fn odd_names_are_quoted_as_git_does() {
        assert_eq!(file_name("a/", "x\"\u{1b}é.yaml"), "\"a/x\\\"\\033\\303\\251.yaml\"");
        assert_eq!(file_name("b/", "/abs/é.yaml"), "b/abs/é.yaml");
    }
}
