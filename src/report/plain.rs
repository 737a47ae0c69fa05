//! A document as lines for people, which is all that is known of a run that was reported as JSON.

use super::document::Document;
use super::entry::entries;
use super::escape::{visible, visible_block};
use super::paint::Painter;
use super::text::{self, left, left_out, more, outcomes};

/// Prints the findings by place, and the advisories.
pub fn findings(document: &Document) -> String {
    let entries = entries(document);
    let open = entries.iter().filter(|entry| entry.accepted.is_none());
    let line = |entry: &super::entry::Entry<'_>| {
        let found = entry.found;
        let (place, message) = (visible(&found.location.to_string()), visible(&found.sentence(entry.title)));
        let help =
            found.help.as_ref().map(|help| format!("  help: {}\n", visible_block(help, "    "))).unwrap_or_default();
        format!("{place}: {}[{}] {message}\n{help}", found.severity.name(), visible(&found.code))
    };
    open.map(line).collect::<String>() + &text::advisories(&document.advisories, &Painter::PLAIN)
}

/// Prints the summary.
pub fn summary(document: &Document) -> String {
    let (summary, verb) = (&document.summary, if document.written { "changed" } else { "to change" });
    let outcomes =
        outcomes(&summary.counts(), (summary.changed, verb), summary.changed_files, summary.held_back, &Painter::PLAIN);
    let files: Vec<&str> = document.left_out.iter().map(String::as_str).collect();
    let more = more([(summary.unresolved, "unresolved"), (summary.acknowledged, "acknowledged")]);
    format!("{outcomes}{more}; {}{}", left(&summary.counts(), &Painter::PLAIN), left_out(&files))
}
