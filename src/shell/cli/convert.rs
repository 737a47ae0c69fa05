//! The subcommand `convert`: standard input to standard output.

use std::path::Path;

use anyhow::{Result, ensure};

use super::args::{Colour, StreamArgs};
use super::config::Config;
use super::console::Console;
use super::crd_sets;
use super::exit::{Exit, Pending};
use super::input::{self, Empty};
use super::output::{Level, explain_exit, findings};
use super::packs;
use super::planned::plan_files;
use super::target::Request;
use crate::engine::plan::Dependent;
use crate::shell::disk::{self, Failure, FileKind};
use crate::shell::report::grouped::Shown;
use crate::shell::report::{Written, text_format, visible};

/// Runs `convert -`: an object that is held back or not recognized is written as it was read.
pub(super) fn run(args: &StreamArgs, console: Console) -> Result<Exit> {
    let named = args.input.as_ref().or(args.filename.as_ref()).map_or("-", String::as_str);
    let input = visible(named);
    let in_place = format!("`reversion diff {input}` shows what would change, `reversion apply {input}` changes it");
    let help = match disk::read_up_to(Path::new(named), 0) {
        Err(Failure::NotAFile(FileKind::Folder)) => in_place,
        _ => format!("{in_place}; `reversion convert - < {input}` prints it converted"),
    };
    ensure!(named == "-", "`convert` reads standard input only\n  help: {help}");
    let packs = packs::load(&args.packs)?;
    let config = Config::new(&args.packs.file, &[], packs)?;
    crd_sets::without_stdin(&args.target.crds, "`convert` converts")?;
    let request = Request::read(&args.target, &config, &args.packs, packs, console)?;
    let bytes = input::read_stdin(Empty::of(args.allow_empty))?;
    let planned =
        plan_files(
            &request,
            &config,
            Dependent::HoldBack.into(),
            console,
            |recognizer, make| match std::str::from_utf8(&bytes) {
                Ok(text) if args.template => Ok(input::from_template(text)),
                _ => Ok(input::from_bytes(&bytes, recognizer, make)),
            },
        )?;
    planned.say_origins(args.verbose, console)?;
    let exit = planned.exit(Pending::Nothing);
    if exit != Exit::Failed {
        console.stream(&planned.plan.files.first().map_or(bytes, |file| file.after().into_bytes()))?;
    }
    let report = planned.report("convert", Written::No, exit);
    let level = Level::new(args.quiet, args.verbose);
    let painter = console.note_painter(Colour::Auto);
    let shown = if args.verbose { Shown::All } else { Shown::First };
    let lines = findings(&report, level, &painter, shown);
    console.painted_note(&format!("{lines}{}\n", text_format::summary(&report, &painter)))?;
    let exit = if exit == Exit::NothingRecognized && args.allow_empty { Exit::Clean } else { exit };
    explain_exit(exit, planned.nothing_recognized(exit), console)
}
