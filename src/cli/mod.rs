//! Answers: what does a call of the program do, and with which code does it end?
//!
//! [`run`] reads the arguments and hands over to the subcommand's module. The wiring `disk -> manifest -> plan -> report ->
//! disk` is in `pass` and in the subcommands; what is printed goes through `console`.
//!
//! Invariant: the exit code is decided in one place, [`Exit`].

use std::ffi::OsString;

use anyhow::Result;
use clap::Parser;

mod apply;
mod args;
mod build;
mod config;
mod console;
mod convert;
mod detect;
mod explain;
mod lint;
mod matrix;
mod pass;
mod releases;
mod said;
mod saved;
mod target;
mod undo;
mod write;

use args::{Cli, Command, OutputArgs, PackArgs, PackCommand};
use console::Console;

use crate::edits::FilePlan;
use crate::finding::{Finding, Severity};
use crate::pack::{Packs, embedded, load};
use crate::report::{Counts, visible_lines};

/// How a run ended, as the caller sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Nothing to do, or all done.
    Clean = 0,
    /// Changes are needed, or something was held back.
    Changes = 1,
    /// The tool failed: a bad argument, a file that cannot be read or understood, a failed write.
    Failed = 2,
    /// Not one object was recognised.
    NothingRecognised = 3,
}

impl Exit {
    /// Decides for a run that met `counts` and tells `findings`; `pending` says whether there are changes still to be made.
    fn decide(counts: &Counts, findings: &[Finding], pending: Pending) -> Self {
        let worst = findings.iter().map(|finding| finding.severity).max();
        if worst == Some(Severity::Error) || counts.failed > 0 {
            Self::Failed
        } else if counts.recognised == 0 {
            Self::NothingRecognised
        } else if worst == Some(Severity::Held) || pending == Pending::Changes {
            Self::Changes
        } else {
            Self::Clean
        }
    }

    /// Applies `--allow-empty` and `--exit-zero`.
    const fn with(self, output: &OutputArgs) -> Self {
        match self {
            Self::NothingRecognised if output.allow_empty => Self::Clean,
            Self::Changes | Self::NothingRecognised if output.exit_zero => Self::Clean,
            exit => exit,
        }
    }
}

/// Whether a run leaves changes to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pending {
    Nothing,
    Changes,
}

impl Pending {
    const fn of(files: &[FilePlan]) -> Self {
        if files.is_empty() { Self::Nothing } else { Self::Changes }
    }
}

/// Runs the program with `arguments`, the first being its name.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> Exit {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(message) => {
            let exit = if message.use_stderr() { Exit::Failed } else { Exit::Clean };
            // Nobody is left to be told that the message could not be printed.
            let _unprinted = tell(&message, Console);
            return exit;
        }
    };
    let console = Console;
    let outcome = match cli.command {
        Command::Detect(args) => detect::run(&args, console),
        Command::Check(args) => convert::check(&args, console),
        Command::Diff(args) => convert::diff(&args, console),
        Command::Apply(args) => apply::run(&args, console),
        Command::Plan(args) => saved::plan(&args, console),
        Command::Show(args) => saved::show(&args, console),
        Command::Undo(args) => undo::run(&args, console),
        Command::Convert(args) => convert::stream(&args, console),
        Command::Explain(args) => explain::run(&args, console),
        Command::Releases(args) => releases::run(&args, console),
        Command::Matrix(args) => matrix::run(&args, console),
        Command::Pack(PackCommand::Build(args)) => build::run(&args, console),
        Command::Pack(PackCommand::Lint(args)) => lint::run(&args, console),
    };
    outcome.unwrap_or_else(|failure| {
        // Nobody is left to be told when standard error is closed.
        let _unprinted = console.note(&format!("error: {failure:#}\n"));
        Exit::Failed
    })
}

/// Prints what the reading of the arguments says: with colours, unless it quotes something that could steer a terminal.
fn tell(message: &clap::Error, console: Console) -> Result<()> {
    let text = message.render().to_string();
    if visible_lines(&text) == text { Ok(message.print()?) } else { console.note(&text) }
}

/// Loads the built-in packs and those that were named; they stay as long as the program runs.
fn packs(args: &PackArgs) -> Result<&'static Packs> {
    let more = args.packs.iter().map(|folder| load::read_folder(folder)).collect::<Result<Vec<_>>>()?;
    Ok(Box::leak(Box::new(embedded::with(more)?)))
}
