//! Answers: how does a report look in a browser, without a server, a network or JavaScript?
//!
//! [`page`] writes one page that holds everything: style sheet, script, data. It is complete without its script, which adds the filters;
//! all that the script knows, it reads from the page's elements.
//!
//! Invariant: every text that is not a literal of this module passes through `markup`, which escapes it; the page's security
//! policy lets a browser run and load nothing besides what is in `page.js` and `page.css`.

mod diff;
mod entries;
mod entry;
mod explanations;
mod filters;
mod markup;
mod summary;
mod to_do;

use super::count::thousands;
use super::run_report::Report;
use diff::Diff;
use entries::{Contents, FileEntries};
use markup::Markup;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// The SHA-256 hashes of both, as the security policy names them; a test computes them.
const STYLE_HASH: &str = "sha256-w6d9j02yhhU/dcDSW2m47tcIE6zPWWXro/h9KfwzseI=";
const SCRIPT_HASH: &str = "sha256-AvEbEVnxME1UTwek+EuMZ+W62OrM0xpK1K7j3X+/hJo=";

/// The most lines of diffs that a page shows unfolded.
const UNFOLDED: usize = 2_000;

/// Renders the page.
pub(crate) fn page(report: &Report<'_>) -> String {
    let contents = Contents::of(report);
    let body = body(report, &contents);
    let mut out = Markup::default();
    out.raw("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    out.raw("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src '").raw(STYLE_HASH);
    out.raw("'; script-src '").raw(SCRIPT_HASH);
    out.raw("'; img-src data:; base-uri 'none'; form-action 'none'\">\n");
    out.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    out.raw("<meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n<title>");
    out.text(&summary::title(report)).raw("</title>\n<style>").raw(STYLE).raw("</style>\n</head>\n<body>\n");
    out.append(&body);
    footer(&mut out, report, &contents);
    out.raw("<script>").raw(SCRIPT).raw("</script>\n</body>\n</html>\n");
    out.finish()
}

fn body(report: &Report<'_>, contents: &Contents<'_>) -> Markup {
    let mut out = Markup::default();
    out.raw("<a class=\"skip\" href=\"#files\">Skip to the files</a>\n");
    summary::header(&mut out, report, contents);
    out.raw("<main>\n");
    to_do::list(&mut out, contents);
    summary::advice(&mut out, report);
    summary::unread(&mut out, report);
    files(&mut out, report, contents);
    explanations::rules(&mut out, contents);
    explanations::codes(&mut out, contents);
    out.raw("</main>\n");
    out
}

/// Writes every file with its objects and its diff; those with nothing to do are folded away.
fn files(out: &mut Markup, report: &Report<'_>, contents: &Contents<'_>) {
    out.raw("<section aria-labelledby=\"files\">\n<h2 id=\"files\" tabindex=\"-1\">Files and objects</h2>\n");
    if contents.files.is_empty() {
        out.raw("<p>No recognized object, and nothing to report about a file.</p>\n</section>\n");
        return;
    }
    filters::toolbar(out, contents);
    let diffs: Vec<Option<Diff<'_>>> = contents.files.iter().map(|file| file.change.map(Diff::of)).collect();
    let lines: usize = diffs.iter().flatten().map(Diff::lines).sum();
    let (mut idle, mut idle_files) = (Markup::default(), 0);
    for (file, diff) in contents.files.iter().zip(&diffs) {
        if file.is_idle() {
            idle_files += 1;
            file_section(&mut idle, report, contents, file, None, false);
        } else {
            file_section(out, report, contents, file, diff.as_ref(), lines <= UNFOLDED);
        }
    }
    if idle_files > 0 {
        out.raw("<details class=\"idle\" id=\"idle\">\n<summary>");
        out.text(&super::count::plural(idle_files, "file")).raw(" with nothing to do</summary>\n");
        out.append(&idle).raw("</details>\n");
    }
    out.raw("</section>\n");
}

fn file_section<'r>(
    out: &mut Markup,
    report: &Report<'r>,
    contents: &Contents<'r>,
    file: &FileEntries<'r>,
    diff: Option<&Diff<'_>>,
    is_open: bool,
) {
    out.raw("<section class=\"file\"").attribute("data-file", file.name).raw(">\n<h3><span class=\"path\">");
    out.text(file.shown_name()).raw("</span>");
    let tally = file.tally(report.written);
    if !tally.is_empty() {
        out.raw(" <span class=\"tally\">").text(&tally).raw("</span>");
    }
    out.raw("</h3>\n");
    for entry in &file.entries {
        entry::article(out, report, contents, entry);
    }
    if let Some(diff) = diff {
        diff.write(out, is_open);
    }
    out.raw("</section>\n");
}

fn footer(out: &mut Markup, report: &Report<'_>, contents: &Contents<'_>) {
    let kilobytes = (out.len() + SCRIPT.len()).div_ceil(1000);
    out.raw("<footer>\n<p>reversion ").raw(env!("CARGO_PKG_VERSION")).raw(", <code>").raw(report.command);
    out.raw("</code>. This page holds everything that it shows, ").text(&thousands(kilobytes));
    out.raw(" kB: it loads nothing, and opens from disk. ").text(&contents.size()).raw(".</p>\n</footer>\n");
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use sha2::{Digest as _, Sha256};

    use super::super::count::Counts;
    use super::super::run_report::changes_needed;
    use super::*;
    use crate::engine::finding::{Acknowledged, AcknowledgedBy, Location};
    use crate::engine::plan::{ObjectPlan, Outcome, Plan};
    use crate::knowledge::pack::Packs;
    use crate::knowledge::release::{ApiVersion, GroupKind};
    use crate::syntax::text::{Position, Span};

    /// Otherwise a browser would ignore both.
    #[test]
    fn the_security_policy_names_the_style_sheet_and_the_script() {
        let hash = |text: &str| format!("sha256-{}", STANDARD.encode(Sha256::digest(text)));
        assert_eq!(STYLE_HASH, hash(STYLE));
        assert_eq!(SCRIPT_HASH, hash(SCRIPT));
    }

    fn object(outcome: Outcome, line: usize) -> ObjectPlan {
        let kind = |version| (GroupKind::new("Route", "g.example"), ApiVersion::parse(version));
        ObjectPlan {
            location: Location { file: "a.yaml".to_owned(), position: Some(Position { line, column: 1 }) },
            title: "Route <r>".to_owned(),
            name: None,
            from: kind("g.example/v1"),
            to: kind("g.example/v2"),
            outcome,
            is_recognized: true,
            rules: Vec::new(),
            data: None,
            extent: Span::new(0, 0),
        }
    }

    #[test]
    fn what_was_accepted_is_shown_with_its_reason() {
        let objects = [object(Outcome::Changed, 1), object(Outcome::Changed, 9)];
        let reason = Some("not before <May>".to_owned());
        let accepted = |at: usize| changes_needed(&objects[at]);
        let acknowledged = [Acknowledged { finding: accepted(1), by: AcknowledgedBy::Comment, reason }];
        let (packs, plan) = (Packs::new(Vec::new()).unwrap(), Plan::default());
        let report = |acknowledged| Report {
            objects: &objects,
            acknowledged,
            exit: 1,
            ..Report::new("check", &packs, &plan, Counts { recognized: 2, ..Counts::default() })
        };
        let text = page(&report(&acknowledged));
        assert!(text.contains("1 of 2 recognized objects must change, in 1 file; none is held back."), "{text}");
        assert!(text.contains("<b>Acknowledged</b> by comment: not before &lt;May&gt;"), "{text}");
        assert_eq!(text.matches("<span class=\"badge acknowledged\">acknowledged</span>").count(), 1);
        assert_eq!(text.matches("<span class=\"badge changed\">to change</span>").count(), 1);
        assert_eq!(text.matches("data-outcome=\"acknowledged\"").count(), 2, "the object and the count at the top");
        let both = [0, 1].map(|at| Acknowledged { finding: accepted(at), by: AcknowledgedBy::Baseline, reason: None });
        let text = page(&report(&both));
        assert!(
            text.contains("Nothing to do: each of 2 recognized objects is at the target, or acknowledged"),
            "{text}"
        );
        assert!(text.contains("class=\"verdict good\""));
    }

    #[test]
    fn neither_ends_its_element() {
        assert!(!STYLE.contains("</") && !SCRIPT.contains("</") && !SCRIPT.contains("<!--"));
    }
}
