//! Where a run prints: reports to standard output or the file of `--output-file`, everything else to standard error.
//!
//! Invariant: nothing else in the crate prints; no control character of a file reaches a terminal.

use std::io::{self, IsTerminal, Write};
use std::time::Instant;

use anyhow::{Context, Result};
use console::{Term, measure_text_width};
use supports_hyperlinks::Stream;

use super::args::{Colour, OutputArgs};
use super::pager;
use super::progress::Progress;
use crate::shell::disk;
use crate::shell::report::{Paint, Painter, visible_lines};

/// Where the text report of a run is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Destination {
    /// The file of `--output-file`, or standard output.
    Report,
    /// The file of `--output-file`, or standard error, since standard output is for a diff or a plan.
    FileOrNotes,
    /// Standard error: the file, too, is for a diff.
    Notes,
}

/// How wide lines are where there is no terminal, as in git.
const COLUMNS: usize = 80;

/// Standard output and standard error.
#[derive(Clone, Copy, Debug)]
pub(super) struct Console {
    /// Whether what is not the report is printed.
    has_notes: bool,
    /// Whether a long run shows how far it is.
    has_progress: bool,
    /// When the run began.
    start: Instant,
}

/// What is answered to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// This line, without white space around it.
    Line(String),
    /// Nothing: standard input has ended.
    End,
}

impl Console {
    /// Makes the console of a call.
    pub(super) fn new() -> Self {
        Self { has_notes: true, has_progress: false, start: Instant::now() }
    }

    /// Returns a console that shows how far a long run is, if `has_progress`.
    pub(super) const fn with_progress(self, has_progress: bool) -> Self {
        Self { has_progress, ..self }
    }

    /// Returns a console that prints no notes, for a run that is made once more from here.
    pub(super) fn silent(self) -> Self {
        Self { has_notes: false, start: Instant::now(), ..self }
    }

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
        self.painted_note(&visible_lines(text))
    }

    /// Prints to standard error; control characters of the text are written out already, except colours.
    pub(super) fn painted_note(self, text: &str) -> Result<()> {
        if !self.has_notes {
            return Ok(());
        }
        match io::stderr().lock().write_all(text.as_bytes()) {
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

    /// Prints a report as [`Console::report`] does, through a pager where git would and the screen is too small for it.
    pub(super) fn page(self, text: &str, output: &OutputArgs) -> Result<()> {
        let terminal = Term::stdout();
        let pages = self.may_page(output) && self.can_note() && !fits(text, &terminal, 1);
        match pages.then(pager::command).flatten() {
            Some(command) => match pager::show(&command, text) {
                Ok(()) => Ok(()),
                Err(why) => {
                    self.note(&format!("no pager: {why}\n"))?;
                    self.report(text, output)
                }
            },
            None => self.report(text, output),
        }
    }

    /// Shows a text that was asked for: through a pager where that is possible, on standard error otherwise.
    pub(super) fn page_note(self, text: &str, output: &OutputArgs) -> Result<()> {
        let command = self.may_page(output).then(pager::command).flatten();
        match command.map(|command| pager::show(&command, text)) {
            Some(Ok(())) => Ok(()),
            Some(Err(_)) | None => self.painted_note(text),
        }
    }

    /// Returns whether a report of any length may be shown through a pager.
    pub(super) fn may_page(self, output: &OutputArgs) -> bool {
        let is_automatic = is_set("CI") || std::env::var_os("TERM").is_none_or(|terminal| terminal == "dumb");
        self.is_on_terminal(output) && !output.no_pager && !is_automatic
    }

    /// Returns whether a text and so many `more` lines fit on the screen of standard error.
    pub(super) fn has_room(self, text: &str, more: usize) -> bool {
        fits(text, &Term::stderr(), more)
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

    /// Prints a text report, which `made` paints for its destination.
    pub(super) fn text(
        self,
        destination: Destination,
        output: &OutputArgs,
        render: impl FnOnce(&Painter) -> String,
    ) -> Result<()> {
        let is_note = match destination {
            Destination::Report => false,
            Destination::FileOrNotes => output.output_file.is_none(),
            Destination::Notes => true,
        };
        if is_note {
            self.painted_note(&render(&self.note_painter(output.color)))
        } else {
            self.page(&render(&self.report_painter(output)), output)
        }
    }

    /// Appends to the step summary of a GitHub Actions run, where there is one, what `text` makes of the number of bytes there.
    pub(super) fn step_summary(self, text: impl FnOnce(usize) -> String) -> Result<()> {
        match std::env::var_os("GITHUB_STEP_SUMMARY").filter(|file| !file.is_empty()) {
            Some(file) => disk::append_output(file.as_ref(), |used| text(used).into_bytes())
                .with_context(|| format!("cannot write the step summary {}", file.to_string_lossy())),
            None => Ok(()),
        }
    }

    /// Returns whether a variable is set to nothing, which is as if it were not set.
    pub(super) fn has_empty_variable(self, name: &std::ffi::OsStr) -> bool {
        std::env::var_os(name).is_some_and(|value| value.is_empty())
    }

    /// Returns whether a report goes to a terminal.
    pub(super) fn is_on_terminal(self, output: &OutputArgs) -> bool {
        output.output_file.is_none() && io::stdout().is_terminal()
    }

    /// Returns how wide the lines of a report may be.
    pub(super) fn columns(self, output: &OutputArgs) -> usize {
        if self.is_on_terminal(output) { columns_of(&Term::stdout()) } else { COLUMNS }
    }

    /// Returns how wide the lines of notes may be.
    pub(super) fn note_columns(self) -> usize {
        columns_of(&Term::stderr())
    }

    /// Decides how a report is painted.
    pub(super) fn paint(self, output: &OutputArgs) -> Paint {
        paint(output.color, self.is_on_terminal(output))
    }

    /// Decides how diffs are painted that are notes.
    pub(super) fn note_paint(self, output: &OutputArgs) -> Paint {
        paint(output.color, io::stderr().is_terminal())
    }

    /// Decides how a report is painted.
    pub(super) fn report_painter(self, output: &OutputArgs) -> Painter {
        painter(output.color, self.is_on_terminal(output), Stream::Stdout)
    }

    /// Decides how what is printed to standard error is painted.
    pub(super) fn note_painter(self, colour: Colour) -> Painter {
        painter(colour, io::stderr().is_terminal(), Stream::Stderr)
    }

    /// Starts a part of the run whose progress is shown on a terminal that can clear a line.
    pub(super) fn progress(self, what: &'static str) -> Progress {
        let can_clear = std::env::var_os("TERM").is_some_and(|terminal| terminal != "dumb") || cfg!(windows);
        match self.has_progress && can_clear && io::stderr().is_terminal() {
            true => Progress::shown(self.start, what),
            false => Progress::hidden(),
        }
    }

    /// Returns whether notes go to a terminal.
    pub(super) fn can_note(self) -> bool {
        io::stderr().is_terminal()
    }

    /// Returns whether there is a terminal to ask on.
    pub(super) fn can_ask(self) -> bool {
        io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    /// Asks a question.
    pub(super) fn ask(self, question: &str) -> Result<Answer> {
        self.note(question)?;
        let mut answer = String::new();
        let read = io::stdin().read_line(&mut answer).context("cannot read the answer")?;
        if read == 0 || !answer.ends_with('\n') {
            // The question stands alone on its line.
            self.note("\n")?;
            return Ok(Answer::End);
        }
        Ok(Answer::Line(answer.trim().to_owned()))
    }
}

/// Decides how text is painted that goes to a terminal, or elsewhere.
fn paint(colour: Colour, terminal: bool) -> Paint {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let forced = ["FORCE_COLOR", "CLICOLOR_FORCE"].iter().any(|name| set(name).is_some_and(|value| value != "0"));
    let refused = is_set("NO_COLOR") || set("TERM").is_some_and(|value| value == "dumb");
    let colour = match colour {
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

fn is_set(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| !value.is_empty())
}

fn columns_of(terminal: &Term) -> usize {
    terminal.size_checked().map_or(COLUMNS, |(_, columns)| usize::from(columns))
}

/// Returns whether a text and so many `more` lines fit on the screen; everything does where its size is not known.
fn fits(text: &str, terminal: &Term, more: usize) -> bool {
    let Some((rows, columns)) = terminal.size_checked() else { return true };
    let (rows, columns) = (usize::from(rows), usize::from(columns).max(1));
    let mut used = more;
    // A text of more lines than the screen is not measured to its end.
    text.lines().all(|line| {
        used += measure_text_width(line).div_ceil(columns).max(1);
        used <= rows
    })
}

/// Makes the painter of a stream, with links where it is a terminal that shows them. Without colours there are none: whoever refuses
/// the ones does not expect the others.
fn painter(colour: Colour, terminal: bool, stream: Stream) -> Painter {
    let paint = paint(colour, terminal);
    let links = terminal && paint == Paint::Colour && supports_hyperlinks::on(stream);
    let folder = || Some(std::env::current_dir().ok()?.to_string_lossy().into_owned());
    Painter::new(paint, links.then(folder).flatten())
}
