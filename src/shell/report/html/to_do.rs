//! What remains to be done by hand: a numbered list, each thing once, with all its places.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::entries::{Contents, PageEntry};
use super::markup::Markup;
use crate::engine::finding::{Code, Finding, Severity};
use crate::shell::report::count::plural;

/// How many things are shown unfolded.
const THINGS: usize = 20;
/// How many places of one thing are.
const PLACES: usize = 5;

/// What tells things to do apart; the most severe come first.
type Thing<'r> = (Reverse<Severity>, Code, &'r str, Option<&'r str>);

/// Writes the list.
pub(super) fn list(out: &mut Markup, contents: &Contents<'_>) {
    let mut things: BTreeMap<Thing<'_>, Vec<(&PageEntry<'_>, &Finding)>> = BTreeMap::new();
    for entry in contents.entries() {
        for finding in entry.findings.iter().copied().filter(|finding| asks(finding)) {
            let thing = (Reverse(finding.severity), finding.code, &*finding.message, finding.help.as_deref());
            things.entry(thing).or_default().push((entry, finding));
        }
    }
    if things.is_empty() {
        return;
    }
    out.raw("<section aria-labelledby=\"to-do\">\n<h2 id=\"to-do\">To do by hand</h2>\n<ol class=\"to-do\">\n");
    for (at, (thing, places)) in things.iter().enumerate() {
        if at == THINGS {
            out.raw("</ol>\n<details>\n<summary>").text(&plural(things.len() - at, "more thing"));
            out.raw("</summary>\n<ol class=\"to-do\" start=\"").number(at + 1).raw("\">\n");
        }
        item(out, *thing, places);
    }
    out.raw(if things.len() > THINGS { "</ol>\n</details>\n</section>\n" } else { "</ol>\n</section>\n" });
}

/// Says whether a finding asks for something: it holds back or fails, or it is a warning that says what to do.
fn asks(finding: &Finding) -> bool {
    finding.severity >= Severity::Unresolved || (finding.severity == Severity::Warning && finding.help.is_some())
}

fn item(out: &mut Markup, thing: Thing<'_>, places: &[(&PageEntry<'_>, &Finding)]) {
    let (Reverse(severity), code, message, help) = thing;
    out.raw("<li class=\"finding ").raw(severity.name()).raw("\"><span class=\"severity\">").raw(severity.name());
    out.raw("</span> <a class=\"code\" href=\"#code-").raw(code.name()).raw("\">").raw(code.name()).raw("</a> ");
    out.raw("<span class=\"message\">").prose(message).raw("</span>");
    if let Some(help) = help {
        out.help(help);
    }
    let (first, others) = places.split_at(places.len().min(PLACES));
    place_list(out, first);
    if !others.is_empty() {
        out.raw("<details><summary>").text(&plural(others.len(), "more place")).raw("</summary>");
        place_list(out, others);
        out.raw("</details>");
    }
    out.raw("</li>\n");
}

fn place_list(out: &mut Markup, places: &[(&PageEntry<'_>, &Finding)]) {
    out.raw("<ul class=\"places\">");
    for (entry, finding) in places {
        out.raw("<li><a class=\"path\" href=\"#entry-").number(entry.number).raw("\">");
        out.text(&finding.location.to_string()).raw("</a>");
        if let Some((title, _)) = entry.object {
            out.raw(" ").text(title);
        }
        out.raw("</li>");
    }
    out.raw("</ul>");
}
