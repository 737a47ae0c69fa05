//! A document as lines for people, which is all that is known of a run that was reported as JSON.

use super::conversion::Written;
use super::document::Document;
use super::entry::entries;
use super::escape::{visible, visible_block};
use super::paint::Painter;
use super::text;

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
    let written = if document.written { Written::Yes } else { Written::No };
    let left_out: Vec<&str> = document.left_out.iter().map(String::as_str).collect();
    text::summary_of(&document.summary, written, &left_out, &Painter::PLAIN)
}
