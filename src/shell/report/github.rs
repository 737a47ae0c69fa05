//! The format `github`: workflow commands that annotate a pull request. The step summary is `markdown`.
//!
//! Invariant: there are never more annotations of a level than GitHub shows for a step, and what is left out is counted in one.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::count::plural;
use super::document::{ReportDocument, advice};
use super::escape::visible_lines;
use super::finding_list::{entries, said};
use super::text_format;
use crate::engine::finding::{Code, Severity};

/// How many annotations of each level GitHub shows for a step.
///
/// Source: GitHub, community discussion 26680: 10 warnings, 10 errors and 10 notices for each step, 50 annotations for each job.
const SHOWN: usize = 10;

/// One annotation, before it is known whether there is room for it.
struct Annotation {
    level: Level,
    /// Whether it only says that an object changes, which a diff says too.
    is_change: bool,
    /// Whether another one says the same at another place.
    is_repeated: bool,
    /// The file, line and column, as properties.
    place: String,
    title: String,
    message: String,
}

/// The levels of annotations, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Error,
    Warning,
    Notice,
}

impl Level {
    const ALL: [Self; 3] = [Self::Error, Self::Warning, Self::Notice];

    const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Notice => "notice",
        }
    }

    const fn of(severity: Severity) -> Self {
        match severity {
            Severity::Error | Severity::Held | Severity::Unresolved => Self::Error,
            Severity::Warning => Self::Warning,
            Severity::Note => Self::Notice,
        }
    }
}

/// Prints the worst findings as workflow commands, as many as are shown, and how many are not.
pub fn commands(document: &ReportDocument) -> String {
    let entries = entries(document);
    let mut open: Vec<_> = entries.iter().filter(|entry| entry.accepted.is_none()).collect();
    open.sort_by_key(|entry| Reverse(entry.record.severity));
    let mut told = BTreeSet::new();
    let of_finding = open.into_iter().map(|entry| {
        let position = entry.record.location.position;
        let position = position.map(|at| format!("line={},col={},", at.line, at.column)).unwrap_or_default();
        Annotation {
            level: Level::of(entry.record.severity),
            is_change: entry.record.code == Code::ChangesNeeded.name(),
            is_repeated: !told.insert(said(entry.record)),
            place: format!("file={},{position}", property(&entry.path)),
            title: entry.record.code.clone(),
            message: entry.record.advice(entry.title),
        }
    });
    let of_run = document.advisories.iter().map(|advisory| Annotation {
        level: Level::of(advisory.severity),
        is_change: false,
        is_repeated: false,
        place: String::new(),
        title: Code::Advisory.name().to_owned(),
        message: advice(advisory),
    });
    let in_vain = document.nothing_recognized.iter().map(|why| Annotation {
        level: Level::Notice,
        is_change: false,
        is_repeated: false,
        place: String::new(),
        title: "reversion".to_owned(),
        message: why.clone(),
    });
    let unknown = text_format::of_unknown_groups(&document.summary.unknown_groups).map(|words| Annotation {
        level: Level::Notice,
        is_change: false,
        is_repeated: false,
        place: String::new(),
        title: "reversion".to_owned(),
        message: format!("nothing is known of objects: {words}"),
    });
    let mut annotations: Vec<Annotation> = in_vain.chain(unknown).chain(of_run).chain(of_finding).collect();
    annotations.sort_by_key(|annotation| (annotation.level, annotation.is_change, annotation.is_repeated));
    let count = |level| annotations.iter().filter(|annotation| annotation.level == level).count();
    let is_cut = Level::ALL.into_iter().any(|level| count(level) > SHOWN);
    // The one that says what is left out is a notice.
    let room = |level| if is_cut && level == Level::Notice { SHOWN - 1 } else { SHOWN };
    let mut out = String::new();
    for level in Level::ALL {
        let (changes, others): (Vec<_>, Vec<_>) =
            annotations.iter().filter(|annotation| annotation.level == level).partition(|one| one.is_change);
        // What fails the run is shown beside what does not: each has half of the room, and what the other one leaves.
        let of_others = others.len().min(room(level).saturating_sub(changes.len()).max(room(level) / 2));
        let shown = others.into_iter().take(of_others).chain(changes).take(room(level));
        out.extend(shown.map(command));
    }
    let left_out = Level::ALL.map(|level| (level, count(level).saturating_sub(room(level))));
    let left_out: Vec<String> =
        left_out.into_iter().filter(|(_, left)| *left > 0).map(|(level, left)| plural(left, level.name())).collect();
    if !left_out.is_empty() {
        let message =
            format!("{} not shown here; the step summary and the format `text` have them", left_out.join(", "));
        out.push_str(&format!("::notice title=reversion::{}\n", data(&message)));
    }
    out
}

fn command(annotation: &Annotation) -> String {
    format!(
        "::{} {}title={}::{}\n",
        annotation.level.name(),
        annotation.place,
        property(&annotation.title),
        data(&annotation.message)
    )
}

/// Escapes a message as the runner reads it; what could steer a terminal that shows the log is written out.
///
/// Source: actions/toolkit, `packages/core/src/command.ts`, `escapeData`.
fn data(text: &str) -> String {
    visible_lines(text).replace('%', "%25").replace('\n', "%0A")
}

/// Escapes a property as the runner reads it.
///
/// Source: actions/toolkit, `packages/core/src/command.ts`, `escapeProperty`.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_escaped() {
        let one = |place: &str, title: &str, message: &str| Annotation {
            level: Level::Error,
            is_change: false,
            is_repeated: false,
            place: format!("file={},", property(place)),
            title: title.to_owned(),
            message: message.to_owned(),
        };
        assert_eq!(
            command(&one("a,b:c.yaml", "parse-error", "50% wrong\nhelp: x")),
            "::error file=a%2Cb%3Ac.yaml,title=parse-error::50%25 wrong%0Ahelp: x\n"
        );
        assert_eq!(
            command(&one("a\u{1b}[2J\n::x::.yaml", "limit", "a\r\u{9b}b")),
            "::error file=a\\u{1b}[2J%0A%3A%3Ax%3A%3A.yaml,title=limit::a\\r\\u{9b}b\n"
        );
    }
}
