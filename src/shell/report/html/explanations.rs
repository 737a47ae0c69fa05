//! What the rules and codes of a page mean, as `explain` says it.

use super::entries::{Contents, UsedRule};
use super::markup::Markup;
use crate::shell::report::count::plural;

/// Writes the rules that changed objects.
pub(super) fn rules(out: &mut Markup, contents: &Contents<'_>) {
    if contents.rules.is_empty() {
        return;
    }
    out.raw("<section aria-labelledby=\"rules\">\n<h2 id=\"rules\">Rules</h2>\n<dl class=\"explained\">\n");
    for (id, rule) in &contents.rules {
        out.raw("<dt id=\"rule-").number(rule.number).raw("\"><code>").text(id).raw("</code> <span class=\"tally\">");
        out.text(&plural(rule.objects, "object")).raw("</span></dt>\n<dd>");
        definition(out, rule);
        out.raw("</dd>\n");
    }
    out.raw("</dl>\n</section>\n");
}

fn definition(out: &mut Markup, rule: &UsedRule<'_>) {
    let Some(first) = rule.definitions.first() else { return };
    out.prose(&first.summary);
    let kinds: Vec<String> = rule.definitions.iter().map(|rule| rule.kind.to_string()).collect();
    out.raw("<p class=\"source\">").text(&kinds.join(", ")).raw("; source: ").text(&first.source).raw("</p>");
    if let Some(advice) = &first.advice {
        out.raw("<p class=\"help\">").prose(advice).raw("</p>");
    }
    out.raw("<details><summary>Steps</summary>\n<pre tabindex=\"0\">");
    for line in first.text.lines() {
        out.text(line).raw("\n");
    }
    out.raw("</pre></details>");
}

/// Writes the codes of the findings.
pub(super) fn codes(out: &mut Markup, contents: &Contents<'_>) {
    if contents.codes.is_empty() {
        return;
    }
    out.raw("<section aria-labelledby=\"codes\">\n<h2 id=\"codes\">Codes</h2>\n<dl class=\"explained\">\n");
    for (code, count) in &contents.codes {
        out.raw("<dt id=\"code-").raw(code.name()).raw("\"><code>").raw(code.name());
        out.raw("</code> <span class=\"tally\">").text(&plural(*count, "finding")).raw("</span></dt>\n<dd>");
        out.prose(code.description()).raw("</dd>\n");
    }
    out.raw("</dl>\n</section>\n");
}
