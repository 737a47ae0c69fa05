//! Answers: how does a report look in a browser, without a server, a network or JavaScript?
//!
//! [`page`] writes one page of a document that holds everything: style sheet, script, data. It is complete without its script, which adds the filters;
//! all that the script knows, it reads from the page's elements. `page.html` and `footer.html` are its templates.
//!
//! Invariant: every text that a template prints is escaped by `markup`; the page's security
//! policy lets a browser run and load nothing besides what is in `page.js` and `page.css`.

mod besides;
mod diff;
mod entries;
mod evidence;
#[expect(unreachable_pub, reason = "`filter_fn` makes items that are `pub`")]
mod filters;
mod markup;
mod summary;
mod to_do;
mod toolbar;

use askama::Template;

use super::document::ReportDocument;
use super::{address, escape, text_format};
use crate::engine::finding::Code;
use crate::engine::plan::RunAdvisory;
pub(crate) use besides::Besides;
use besides::Found;
use diff::{Diff, Side};
use entries::Contents;
use summary::{Count, Verdict};
use to_do::{THINGS, Thing};
use toolbar::Filter;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// The SHA-256 hashes of both, as the security policy names them; a test computes them.
const STYLE_HASH: &str = "sha256-w6d9j02yhhU/dcDSW2m47tcIE6zPWWXro/h9KfwzseI=";
const SCRIPT_HASH: &str = "sha256-21a0uzR/o8Wp2lB9C6RQjNC/DrcnYrgX11F3Fe3OlSo=";

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The most lines of diffs that a page shows unfolded.
const UNFOLDED: usize = 2_000;

/// A page up to its footer.
#[derive(Template)]
#[template(path = "page.html", config = "src/shell/report/html/askama.toml")]
struct Page<'p, 'r> {
    document: &'r ReportDocument,
    contents: &'p Contents<'r>,
    /// What is to be known about the diffs, a paragraph each.
    remarks: &'r [String],
    found: Option<&'r Found<'r>>,
    title: String,
    verdict: Verdict,
    counts: Vec<Count>,
    to_do: Vec<Thing<'p, 'r>>,
    filters: Vec<Filter>,
    /// Whether diffs are unfolded.
    is_open: bool,
}

impl<'r> Page<'_, 'r> {
    /// What is to be known about the cluster and the releases, a slice for each thing that it is about.
    fn advice(&self) -> impl Iterator<Item = &'r [RunAdvisory]> {
        self.document.advisories.chunk_by(|left, right| left.about == right.about)
    }
}

/// Says how large the page is.
#[derive(Template)]
#[template(path = "footer.html", config = "src/shell/report/html/askama.toml")]
struct Footer<'p> {
    command: &'p str,
    kilobytes: usize,
    size: String,
}

/// Renders the page.
pub(crate) fn page(document: &ReportDocument, besides: &Besides<'_>) -> String {
    let contents = &Contents::of(document, besides);
    let found = besides.found.as_ref();
    let lines: usize = contents.files.iter().filter_map(|file| file.diff.as_ref()).map(Diff::lines).sum();
    let (title, verdict) = match (found, &document.release) {
        (Some(found), _) => (summary::title_of_detection(found), Verdict::of_detection(document, found)),
        (None, Some(step)) => (summary::title_of_step(step), Verdict::of_step(document, step)),
        (None, None) => (summary::title(document), Verdict::of(document)),
    };
    let page = Page {
        document,
        contents,
        remarks: &besides.remarks,
        found,
        title,
        verdict,
        counts: summary::counts(document, contents),
        to_do: to_do::list(contents),
        filters: toolbar::filters(contents),
        is_open: lines <= UNFOLDED,
    };
    let page = page.render().expect("writing to memory does not fail");
    let kilobytes = (page.len() + "\n".len() + SCRIPT.len()).div_ceil(1000);
    let footer = Footer { command: &document.command, kilobytes, size: contents.size() };
    format!("{page}\n{}\n", footer.render().expect("writing to memory does not fail"))
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use sha2::{Digest as _, Sha256};

    use super::super::count::Counts;
    use super::super::document::RanIn;
    use super::super::run_report::{Report, changes_needed};
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
            fields: std::collections::BTreeSet::new(),
            frozen_by: std::collections::BTreeSet::new(),
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
        let page = |report: &Report<'_>| {
            page(&ReportDocument::new(report, RanIn::default()), &Besides::saved(report.packs, &[], Vec::new()))
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
        assert!(text.contains("<summary>2 findings acknowledged in 1 file</summary>"), "{text}");
    }

    #[test]
    fn neither_ends_its_element() {
        assert!(!STYLE.contains("</") && !SCRIPT.contains("</") && !SCRIPT.contains("<!--"));
    }
}
