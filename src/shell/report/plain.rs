//! A document as lines for people, which is all that is known of a run that was reported as JSON.

use super::document::ReportDocument;
use super::escape::{visible, visible_block};
use super::finding_list::entries;
use super::paint::Painter;
use super::run_report::Written;
use super::text_format;

/// Prints the findings by place, then those that are acknowledged, and the advisories.
pub fn findings(document: &ReportDocument) -> String {
    let mut entries = entries(document);
    entries.sort_by_key(|entry| entry.accepted.is_some());
    let line = |entry: &super::finding_list::ListedFinding<'_>| {
        let record = entry.record;
        let (place, message) = (visible(&record.location.to_string()), visible(&record.sentence(entry.title)));
        let help =
            record.help.as_ref().map(|help| format!("  help: {}\n", visible_block(help, "    "))).unwrap_or_default();
        let line = format!("{place}: {}[{}] {message}\n", record.severity.name(), visible(&record.code));
        match entry.accepted {
            Some(accepted) => {
                let by = text_format::accepted_by(accepted.by, accepted.reason.as_deref());
                format!("{line}  {}\n", visible(&by))
            }
            None => line + &help,
        }
    };
    entries.iter().map(line).collect::<String>() + &text_format::advisories(&document.advisories, &Painter::PLAIN)
}

/// Prints the summary.
pub(crate) fn summary(document: &ReportDocument) -> String {
    let written = if document.written { Written::Yes } else { Written::No };
    let left_out: Vec<&str> = document.left_out.iter().map(String::as_str).collect();
    text_format::summary_of(&document.summary, written, &left_out, &Painter::PLAIN)
}
