//! Where a run prints: reports to standard output or the file of `--output-file`, everything else to standard error.
//!
//! Invariant: nothing else in the crate prints; no control character of a file reaches a terminal.

use std::io::{self, IsTerminal, Write};

use anyhow::{Context, Result};

use super::args::{Colour, OutputArgs};
use crate::disk;
use crate::report::diff::Paint;
use crate::report::visible_lines;

/// Standard output and standard error.
#[derive(Clone, Copy, Debug)]
pub(super) struct Console;

impl Console {
    /// Prints lines to standard output.
    pub(super) fn print(self, text: &str) -> Result<()> {
        self.write(visible_lines(text).as_bytes())
    }

    /// Prints bytes to standard output as they are, unless that is a terminal.
    pub(super) fn stream(self, bytes: &[u8]) -> Result<()> {
        if io::stdout().is_terminal() { self.print(&String::from_utf8_lossy(bytes)) } else { self.write(bytes) }
    }

    fn write(self, bytes: &[u8]) -> Result<()> {
        let mut out = io::stdout().lock();
        match out.write_all(bytes).and_then(|()| out.flush()) {
            // The reader has stopped reading, as `head` does: the run continues and ends as it would have.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            done => done.context("cannot write to standard output"),
        }
    }

    /// Prints to standard error.
    pub(super) fn note(self, text: &str) -> Result<()> {
        match io::stderr().lock().write_all(visible_lines(text).as_bytes()) {
            // Nobody reads it any more.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            done => done.context("cannot write to standard error"),
        }
    }

    /// Prints a message about the arguments: with colours, unless it quotes something that could steer a terminal.
    pub(super) fn usage(self, message: &clap::Error) -> Result<()> {
        let text = message.render().to_string();
        if visible_lines(&text) == text { Ok(message.print()?) } else { self.note(&text) }
    }

    /// Prints a report to its file or standard output; its control characters are written out already, except colours.
    pub(super) fn report(self, text: &str, output: &OutputArgs) -> Result<()> {
        match &output.output_file {
            Some(file) => {
                disk::write_output(file, text.as_bytes()).with_context(|| format!("cannot write {}", file.display()))
            }
            None => self.write(text.as_bytes()),
        }
    }

    /// Appends to the step summary of a GitHub Actions run, where there is one.
    pub(super) fn step_summary(self, text: &str) -> Result<()> {
        match std::env::var_os("GITHUB_STEP_SUMMARY").filter(|file| !file.is_empty()) {
            Some(file) => disk::append_output(file.as_ref(), text.as_bytes())
                .with_context(|| format!("cannot write the step summary {}", file.to_string_lossy())),
            None => Ok(()),
        }
    }

    /// Returns whether a variable is set to nothing, which is as if it were not set.
    pub(super) fn has_empty_variable(self, name: &std::ffi::OsStr) -> bool {
        std::env::var_os(name).is_some_and(|value| value.is_empty())
    }

    /// Decides how diffs are painted.
    pub(super) fn paint(self, output: &OutputArgs) -> Paint {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let terminal = output.output_file.is_none() && io::stdout().is_terminal();
        let forced = set("FORCE_COLOR").is_some_and(|value| value != "0");
        let refused = set("NO_COLOR").is_some() || set("TERM").is_some_and(|value| value == "dumb");
        let colour = match output.color {
            Colour::Always => true,
            Colour::Never => false,
            Colour::Auto => forced || (terminal && !refused),
        };
        match (colour, terminal) {
            (true, _) => Paint::Colour,
            (false, true) => Paint::Legible,
            (false, false) => Paint::Plain,
        }
    }

    /// Asks a question that only `y` or `yes` answers; `None` where nobody can be asked.
    pub(super) fn ask(self, question: &str) -> Result<Option<bool>> {
        if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
            return Ok(None);
        }
        self.note(question)?;
        let mut answer = String::new();
        io::stdin().read_line(&mut answer).context("cannot read the answer")?;
        Ok(Some(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")))
    }
}
