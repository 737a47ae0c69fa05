//! A document in the format of `--format`: of a run, or of several that `report merge` joined.

use anyhow::Result;

use super::args::{Format, OutputArgs};
use super::console::{Console, Destination};
use super::packs;
use crate::engine::finding::{Code, Severity};
use crate::knowledge::pack::Packs;
use crate::shell::disk::Repository;
use crate::shell::report::document::{RanIn, ReportDocument};
use crate::shell::report::grouped::Shown;
use crate::shell::report::{Painter, github, gitlab, html, json, junit, markdown, plain, sarif, text_format};

/// Prints a document. JSON holds everything; the other formats hold the findings that `shows` accepts, and which objects change.
/// What is acknowledged is a number for people, unless they ask for all; a program that tracks findings must have it.
/// What a format cannot hold, since it is about no file, is a note.
pub(super) fn print(
    document: ReportDocument,
    shows: impl Fn(Severity, &str) -> bool,
    output: &OutputArgs,
    console: Console,
) -> Result<()> {
    match output.format {
        Format::Json => return console.report(&json::report(&document), output),
        Format::Jsonl => return console.report(&json::lines(&document), output),
        Format::Html => return console.report(&page(&document, packs::load_with(&[], None)?), output),
        Format::Text | Format::Github | Format::Gitlab | Format::Sarif | Format::Junit | Format::Markdown => {}
    }
    let document = document.with(|severity, code| code == Code::ChangesNeeded.name() || shows(severity, code));
    let document = match output.format {
        Format::Gitlab | Format::Sarif => document,
        _ if output.verbose => document,
        _ => document.with_acknowledged_counted(),
    };
    let report = match output.format {
        Format::Json | Format::Jsonl | Format::Html => return Ok(()),
        Format::Text => {
            let (has_changes, shown) = (!output.quiet && !document.written, shown(output));
            let text = |painter: &Painter| plain::report(&document, has_changes, painter, shown);
            return console.text(Destination::Report, output, text);
        }
        Format::Github => {
            if !document.is_detection() {
                console
                    .step_summary(|used| markdown::report(&document, markdown::STEP_SUMMARY.saturating_sub(used)))?;
            }
            github::commands(&document)
        }
        Format::Gitlab => gitlab::report(&document),
        Format::Sarif => sarif::report(&document),
        Format::Junit => junit::report(&document),
        Format::Markdown => markdown::report(&document, markdown::COMMENT),
    };
    console.report(&report, output)?;
    match output.format {
        Format::Gitlab | Format::Junit => console.note(&text_format::advisories(&document.advisories, &Painter::PLAIN)),
        _ => Ok(()),
    }
}

/// Decides how much is printed of what is alike: a file holds all of it.
pub(super) const fn shown(output: &OutputArgs) -> Shown {
    if output.verbose || output.output_file.is_some() { Shown::All } else { Shown::First }
}

/// Renders the page of a document alone, without the files.
fn page(document: &ReportDocument, packs: &Packs) -> String {
    let remark = "A saved report does not hold the texts of files: `reversion diff` shows what changes in them.";
    let remarks = (!document.files.is_empty()).then(|| remark.to_owned());
    html::page(document, &html::Besides::saved(packs, &[], remarks.into_iter().collect()))
}

/// Returns where the program runs, for paths from the root of the repository.
pub(super) fn ran_in() -> RanIn {
    let (top, folder) = Repository::here().map(|repository| (repository.top, repository.folder)).unzip();
    RanIn { top, folder }
}
