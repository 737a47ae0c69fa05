//! The unified diff of the text, line by line.

use reversion::internals::edits::FilePlan;
use reversion::internals::report::diff::{Paint, unified};

use crate::answer::{DiffLine, LineKind};

/// Returns the lines of the diff without the names of files, of which there is one; `None` where they would show what a Secret
/// holds.
pub(crate) fn lines(file: &FilePlan) -> Option<Vec<DiffLine>> {
    let diff = unified(file, Paint::Legible)?;
    Some(diff.lines().skip(2).map(line).collect())
}

fn line(text: &str) -> DiffLine {
    let kind = match text.as_bytes().first() {
        Some(b'@') => LineKind::Hunk,
        Some(b'-') => LineKind::Removed,
        Some(b'+') => LineKind::Added,
        Some(b' ') => LineKind::Same,
        _ => LineKind::Note,
    };
    DiffLine { kind, text: text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_is_known_by_its_sign() {
        let kind = |text: &str| line(text).kind;
        assert_eq!(kind("@@ -1 +1 @@"), LineKind::Hunk);
        assert_eq!([kind("-- a"), kind("+a"), kind(" a")], [LineKind::Removed, LineKind::Added, LineKind::Same]);
        assert_eq!(kind("\\ No newline at end of file"), LineKind::Note);
    }
}
