//! One object on a page, or what is about a file as a whole: what becomes of it, why, and which field shows its release.

use super::entries::{Contents, PageEntry};
use super::markup::Markup;
use crate::engine::finding::{Acknowledged, Finding, Location};
use crate::engine::infer::{infer, kind_evidence};
use crate::engine::plan::{ObjectPlan, Outcome};
use crate::knowledge::pack::Packs;
use crate::shell::report::run_report::{Report, Written};

/// Writes the element that filters show or hide.
pub(super) fn article<'r>(out: &mut Markup, report: &Report<'r>, contents: &Contents<'r>, entry: &PageEntry<'r>) {
    out.raw("<article class=\"entry\" id=\"entry-").number(entry.number).raw("\"");
    let fate = entry.fate;
    if let Some(fate) = fate {
        out.attribute("data-outcome", fate.name());
    }
    if let Some(kind) = entry.kind() {
        out.attribute("data-kind", kind);
    }
    let rules: Vec<String> = entry.rules().map(|id| contents.rules[id].number.to_string()).collect();
    let codes: Vec<&str> = entry.codes().into_iter().map(|code| code.name()).collect();
    let severities: Vec<&str> = entry.severities().map(|severity| severity.name()).collect();
    let lists =
        [("data-rule", rules.join(" ")), ("data-code", codes.join(" ")), ("data-severity", severities.join(" "))];
    for (name, values) in lists.iter().filter(|(_, values)| !values.is_empty()) {
        out.attribute(name, values);
    }
    out.raw(">\n<h4>");
    if let Some(fate) = fate {
        out.raw("<span class=\"badge ").raw(fate.name()).raw("\">").raw(fate.words(report.written)).raw("</span> ");
    }
    match entry.object {
        Some((title, location)) => {
            out.raw("<span class=\"title\">").text(title).raw("</span>");
            place(out, location);
        }
        None => {
            out.raw("<span class=\"title\">The file</span>");
        }
    }
    out.raw("</h4>\n");
    if let Some(plan) = entry.plan {
        becomes(out, plan, report.written);
    }
    findings(out, entry);
    if let Some(plan) = entry.plan {
        rules_of(out, plan, contents);
        evidence(out, plan, report.packs);
    }
    out.raw("</article>\n");
}

/// Writes the line of a place, the column where it is not the first.
fn place(out: &mut Markup, location: &Location) {
    if let Some(position) = location.position {
        out.raw(" <span class=\"place\">line ").number(position.line);
        if position.column > 1 {
            out.raw(":").number(position.column);
        }
        out.raw("</span>");
    }
}

/// Writes what the object is and what it becomes.
fn becomes(out: &mut Markup, plan: &ObjectPlan, written: Written) {
    let ((old_kind, old), (new_kind, new)) = (&plan.from, &plan.to);
    let (old, new) = (old.to_string(), new.to_string());
    let is_same = old_kind.kind == new_kind.kind && old == new;
    out.raw("<p class=\"becomes\">");
    match (plan.outcome, is_same) {
        (Outcome::Changed, false) => {
            let side = |out: &mut Markup, version: &str, kind: &str| {
                out.raw("<code>").text(version);
                if old_kind.kind != new_kind.kind {
                    out.raw(" ").text(kind);
                }
                out.raw("</code>");
            };
            side(out, &old, &old_kind.kind);
            out.raw(" <span class=\"arrow\" aria-label=\"becomes\" role=\"img\">→</span> ");
            side(out, &new, &new_kind.kind);
        }
        // Values of a chart have no apiVersion.
        (_, _) if !old.is_empty() => {
            out.raw("<code>").text(&old).raw("</code>");
        }
        (_, _) => {}
    }
    match (plan.outcome, is_same, written) {
        (Outcome::Changed, true, Written::No) => out.raw(" fields must change"),
        (Outcome::Changed, true, Written::Yes) => out.raw(" fields were changed"),
        (Outcome::HeldBack, _, _) => out.raw(" stays as it is"),
        (Outcome::Changed | Outcome::Unchanged, _, _) => out,
    };
    out.raw("</p>\n");
}

fn findings(out: &mut Markup, entry: &PageEntry<'_>) {
    if entry.findings.is_empty() && entry.acknowledged.is_empty() {
        return;
    }
    out.raw("<ul class=\"findings\">\n");
    for finding in &entry.findings {
        out.raw("<li class=\"finding ").raw(finding.severity.name()).raw("\">");
        one(out, finding);
        out.raw("</li>\n");
    }
    for acknowledged in &entry.acknowledged {
        out.raw("<li class=\"finding accepted\">");
        one(out, &acknowledged.finding);
        reason(out, acknowledged);
        out.raw("</li>\n");
    }
    out.raw("</ul>\n");
}

/// Writes a finding: severity, code, message, place, and what to do.
fn one(out: &mut Markup, finding: &Finding) {
    out.raw("<span class=\"severity\">").raw(finding.severity.name()).raw("</span> ");
    out.raw("<a class=\"code\" href=\"#code-").raw(finding.code.name()).raw("\">").raw(finding.code.name());
    out.raw("</a> <span class=\"message\">").prose(&finding.message).raw("</span>");
    place(out, &finding.location);
    if let Some(help) = &finding.help {
        out.help(help);
    }
}

fn reason(out: &mut Markup, acknowledged: &Acknowledged) {
    out.raw("<p class=\"reason\"><b>Acknowledged</b> by ").raw(acknowledged.by.name());
    if let Some(reason) = &acknowledged.reason {
        out.raw(": ").prose(reason);
    }
    out.raw("</p>");
}

fn rules_of(out: &mut Markup, plan: &ObjectPlan, contents: &Contents<'_>) {
    if plan.rules.is_empty() {
        return;
    }
    out.raw("<ul class=\"rules\" aria-label=\"Rules\">\n");
    for (id, direction) in &plan.rules {
        let rule = &contents.rules[id.as_str()];
        out.raw("<li><span class=\"direction\">").raw(direction.name()).raw("</span> <a class=\"code\" href=\"#rule-");
        out.number(rule.number).raw("\">").text(id).raw("</a>");
        if let Some(definition) = rule.definitions.first() {
            out.raw(" <span class=\"what\">").prose(&definition.summary).raw("</span>");
        }
        out.raw("</li>\n");
    }
    out.raw("</ul>\n");
}

/// Writes which releases have every field of the object as it was read, and which fields show that.
fn evidence(out: &mut Markup, plan: &ObjectPlan, packs: &Packs) {
    let (kind, version) = &plan.from;
    let pack = packs.of_group(&kind.group);
    let Some((pack, catalog)) = pack.and_then(|pack| Some((pack, pack.catalog(kind)?))) else { return };
    let data = plan.data.as_ref().expect("a plan that is printed as HTML was made with the data of its objects");
    let inference = infer(&data.before, catalog, &version.version);
    let line = pack.line();
    out.raw("<p class=\"evidence\"><b>Evidence:</b> ");
    if inference.is_conflict() {
        out.raw("no release has all its fields");
    } else {
        out.raw("all its fields are in ").text(&line.describe(inference.candidates));
    }
    let of_kind = if inference.is_conflict() { None } else { kind_evidence(catalog, line) };
    for fact in of_kind.iter().chain(&inference.evidence) {
        out.raw("; <code>").text(&fact.path.to_string()).raw("</code> is in ").text(&line.describe(fact.releases));
    }
    out.raw("</p>\n");
}
