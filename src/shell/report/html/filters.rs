//! The filters of a page: one list for each thing that entries differ in, with counts. The script shows and serves them.

use std::collections::BTreeMap;

use super::entries::{Contents, PageEntry};
use super::markup::Markup;
use crate::shell::report::count::thousands;

/// Writes the toolbar; it is hidden until the script runs.
pub(super) fn toolbar(out: &mut Markup, contents: &Contents<'_>) {
    out.raw("<form class=\"filters\" id=\"filters\" role=\"search\" aria-label=\"Filters\" hidden>\n");
    out.raw(
        "<label class=\"wide\">Text <input type=\"search\" name=\"text\" placeholder=\"file, object, field, message\"",
    );
    out.raw(" autocomplete=\"off\" spellcheck=\"false\" aria-keyshortcuts=\"/\"></label>\n");
    let entries = || contents.entries();
    let name = |value: &str| value.to_owned();
    list(out, "Outcome", "outcome", entries().filter_map(|entry| entry.fate.map(|fate| name(fate.name()))));
    list(out, "Kind", "kind", entries().filter_map(|entry| entry.kind().map(name)));
    rules(out, contents);
    list(out, "Code", "code", entries().flat_map(PageEntry::codes).map(|code| name(code.name())));
    list(out, "Severity", "severity", entries().flat_map(PageEntry::severities).map(|severity| name(severity.name())));
    out.raw("<span class=\"actions\"><button type=\"reset\">Reset</button> ");
    out.raw("<button type=\"button\" id=\"unfold\">Unfold all</button> ");
    out.raw("<button type=\"button\" id=\"fold\">Fold all</button></span>\n");
    out.raw("<output class=\"shown\" id=\"shown\" aria-live=\"polite\"></output>\n</form>\n");
    out.raw("<p class=\"none\" id=\"none\" hidden>Nothing matches these filters.</p>\n");
}

/// Writes a list of the values that occur.
fn list(out: &mut Markup, label: &'static str, name: &'static str, values: impl Iterator<Item = String>) {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    values.for_each(|value| *counts.entry(value).or_default() += 1);
    let options = counts.iter().map(|(value, count)| (value.as_str(), value.as_str(), *count));
    select(out, label, name, options.collect());
}

fn rules(out: &mut Markup, contents: &Contents<'_>) {
    let numbers: Vec<String> = contents.rules.values().map(|rule| rule.number.to_string()).collect();
    let options = contents.rules.iter().zip(&numbers).map(|((id, rule), number)| (number.as_str(), *id, rule.objects));
    select(out, "Rule", "rule", options.collect());
}

/// Writes a list of options, each as its value, its label and its count.
fn select(out: &mut Markup, label: &'static str, name: &'static str, options: Vec<(&str, &str, usize)>) {
    if options.is_empty() {
        return;
    }
    out.raw("<label>").raw(label).raw(" <select name=\"").raw(name).raw("\"><option value=\"\">all</option>");
    for (value, label, count) in options {
        out.raw("<option").attribute("value", value).raw(">").text(label);
        out.raw(" (").text(&thousands(count)).raw(")</option>");
    }
    out.raw("</select></label>\n");
}
