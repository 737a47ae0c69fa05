//! Answers: what does a call of the program do, and with which code does it end?
//!
//! [`run`] reads the arguments and calls the subcommand's module. `planned` makes the plan of a call, `output` prints it,
//! `write` writes it; everything that is printed passes through `console`.
//!
//! Parts: from the arguments to the plan: `args` (over `arg_values` `output_args`) `settable` (where options can be set) `command_line` (flags, variables and
//! settings together) `config_file` (`reversion.toml` as written) `config` (its settings that are no flags) `packs` (over `pack_source`) `near`
//! (names) `parameters` `chart_folder` `chart_values` (what its templates do with values) `input` `named_files` (by kustomizations) `charts` (whose templates are converted) `chart_overrides` (what the charts around one set in it) `crd_sets` (of `--crds`, or in the tree) `origin` `companions` `target`
//! `surveyed` (what is kept of each file) `planned` `baseline` (known findings); to the output: `console` (over `pager`
//! `progress`) `exit` `output` `formats` `glossary` `journal` `saved_plan` `write`; subcommands: `detect` (with `inventory`, its
//! summary) `preview` (`check` and `diff`) `apply` (with `interactive`) `apply_plan` `plan` `show` `undo` (with `apply --resume`)
//! `report_merge` `convert` `function` (the KRM function `fn`, over `function_config` `resource_list`) `explain` `releases`
//! `matrix` `crd` `completion` `man` `pack_new` `pack_suggest` `build` `lint` `pack_test`.
//!
//! Invariant: the exit code is decided in one place, [`Exit`].

use std::ffi::OsString;

use anyhow::Result;

mod apply;
mod apply_plan;
mod arg_values;
mod args;
mod baseline;
mod build;
mod chart_folder;
mod chart_overrides;
mod chart_values;
mod charts;
mod command_line;
mod companions;
mod completion;
mod config;
mod config_file;
mod console;
mod convert;
mod crd;
mod crd_sets;
mod detect;
mod exit;
mod explain;
mod formats;
mod function;
mod function_config;
mod glossary;
mod input;
mod interactive;
mod inventory;
mod journal;
mod lint;
mod man;
mod matrix;
mod named_files;
mod origin;
mod output;
mod output_args;
mod pack_new;
mod pack_source;
mod pack_suggest;
mod pack_test;
mod packs;
mod pager;
mod parameters;
mod plan;
mod planned;
mod preview;
mod progress;
mod releases;
mod report_merge;
mod resource_list;
mod saved_plan;
mod settable;
mod show;
mod surveyed;
mod target;
mod undo;
mod write;

pub(crate) use exit::Exit;
pub use glossary::GLOSSARY;

use self::console::Console;
use args::{Cli, Command, CrdCommand, PackCommand, ReportCommand};

/// Runs the program with `arguments`, the first being its name.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> Exit {
    let console = Console::new();
    command_line::read(arguments, console).and_then(|cli| call(cli, console)).unwrap_or_else(|failure| {
        // If standard error is closed, nothing else can be printed.
        match failure.downcast_ref::<clap::Error>() {
            Some(message) => {
                let _unprinted = console.usage(message);
                if message.use_stderr() { Exit::Failed } else { Exit::Clean }
            }
            None => {
                let _unprinted = console.note(&format!("error: {failure:#}\n"));
                Exit::Failed
            }
        }
    })
}

/// Calls the subcommand's module.
fn call(cli: Cli, console: Console) -> Result<Exit> {
    let console = console.with_progress(!cli.is_quiet);
    if let Some(settings) = &cli.settings {
        console.note(&format!("{settings}\n"))?;
    }
    match cli.command {
        Command::Detect(args) => detect::run(&args, console),
        Command::Check(args) => preview::check(&args, console),
        Command::Diff(args) => preview::diff(&args, console),
        Command::Apply(args) => apply::run(&args, console),
        Command::Plan(args) => plan::run(&args, console),
        Command::Show(args) => show::run(&args, console),
        Command::Undo(args) => undo::run(&args, console),
        Command::Convert(args) => convert::run(&args, console),
        Command::Function => function::run(console),
        Command::Explain(args) => explain::run(&args, console),
        Command::Releases(args) => releases::run(&args, console),
        Command::Matrix(args) => matrix::run(&args, console),
        Command::Crd(CrdCommand::Check(args)) => crd::check(&args, console),
        Command::Report(ReportCommand::Merge(args)) => report_merge::run(&args, console),
        Command::ConfigSchema => console.print(config_file::SCHEMA).map(|()| Exit::Clean),
        Command::Completion(args) => completion::run(&args, console),
        Command::Man(args) => man::run(&args, console),
        Command::Pack(PackCommand::Build(args)) => build::run(&args, console),
        Command::Pack(PackCommand::New(args)) => pack_new::run(&args, console),
        Command::Pack(PackCommand::Suggest(args)) => pack_suggest::run(&args, console),
        Command::Pack(PackCommand::Lint(args)) => lint::run(&args, console),
        Command::Pack(PackCommand::Test(args)) => pack_test::run(&args, console),
    }
}
