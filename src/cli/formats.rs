//! A document in the format of `--format`: of a run, or of several that `report merge` joined.

use anyhow::{Result, bail};

use super::args::{Format, OutputArgs};
use super::console::Console;
use super::output::Level;
use crate::finding::Code;
use crate::report::document::Document;
use crate::report::{github, gitlab, json, junit, markdown, plain, sarif};

/// Prints a document. JSON holds everything; the other formats hold what `--quiet` and `--verbose` say, and which objects change.
/// What a format cannot hold, since it is about no file, is a note.
pub(super) fn print(document: Document, output: &OutputArgs, console: Console) -> Result<()> {
    match output.format {
        Format::Json => return console.report(&json::report(&document), output),
        Format::Jsonl => return console.report(&json::lines(&document), output),
        Format::Html => {
            bail!("a page for a browser is made by `check`, `diff`, `apply` and `plan` alone, from the files")
        }
        Format::Text | Format::Github | Format::Gitlab | Format::Sarif | Format::Junit | Format::Markdown => {}
    }
    let level = Level::of(output);
    let document =
        document.with(|severity, code| code == Code::ChangesNeeded.name() || level.shows_saved(severity.name(), code));
    let text = match output.format {
        Format::Json | Format::Jsonl | Format::Html => return Ok(()),
        Format::Text => plain::findings(&document),
        Format::Github => {
            if !document.is_detection() {
                console.step_summary(&markdown::report(&document, markdown::STEP_SUMMARY))?;
            }
            github::commands(&document)
        }
        Format::Gitlab => gitlab::report(&document),
        Format::Sarif => sarif::report(&document),
        Format::Junit => junit::report(&document),
        Format::Markdown => markdown::report(&document, markdown::COMMENT),
    };
    console.report(&text, output)?;
    match output.format {
        Format::Gitlab | Format::Junit => console.note(&plain::advisories(&document)),
        _ => Ok(()),
    }
}
