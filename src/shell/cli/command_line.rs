//! The arguments of a call: flags, variables of the environment and the file `reversion.toml` together.
//!
//! The command line is read twice: without the file, to learn which one holds, then with the defaults that it sets.
//!
//! Invariant: a flag overrides its variable, and that the file; a variable that is set to nothing is as if it were not set.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::Result;
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory, FromArgMatches};

use super::args::{Cli, Command};
use super::config_file::{ConfigFile, Source};
use super::console::Console;
use super::settable::{PLANNING, options_in_file};

/// A folder whose path nobody passed.
const HERE: &str = ".";

/// Reads the arguments, the first being the program's name, and the file `reversion.toml`, which sets the defaults of flags.
///
/// # Errors
/// A [`clap::Error`], also for a request of help; a failure that names the file.
pub(super) fn read(arguments: impl IntoIterator<Item = OsString>, console: Console) -> Result<Cli> {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let mut command = command_line(&ConfigFile::default(), &[], console);
    let matches = command.try_get_matches_from_mut(&arguments)?;
    let unset = louder_and_quieter(&mut command, &matches)?;
    if let Some(ignored) = ignored_by_plan(&command, &matches) {
        let apply = command.find_subcommand_mut("apply").expect("`apply` is a subcommand");
        let message = format!("the argument '--plan <FILE>' cannot be used with {ignored}");
        return Err(apply.error(ErrorKind::ArgumentConflict, message).into());
    }
    let mut file = ConfigFile::find(&config_source(deepest(&matches)), &options_in_file())?;
    let mut command = command_line(&file, unset.as_slice(), console);
    let matches = command.try_get_matches_from_mut(&arguments)?;
    overridden(&command, &matches).iter().for_each(|key| file.override_key(key));
    let mut cli = Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command))?;
    if let Some(files) = cli.command.files_mut() {
        files.paths.append(&mut files.filename);
        if files.paths.is_empty() {
            files.paths.push(PathBuf::from(HERE));
        }
    }
    let source = config_source(deepest(&matches));
    let is_verbose = is_on(deepest(&matches), "verbose");
    cli.is_quiet = is_on(deepest(&matches), "quiet");
    let read_settings = (source != Source::None).then(|| file.file().to_owned());
    let of_check = match &cli.command {
        Command::Check(check) => Some(read_settings.into_iter().chain(check.baseline.clone()).collect()),
        _ => None,
    };
    if let Some(files) = cli.command.files_mut() {
        files.settings.are_named = is_verbose && source != Source::None;
        files.settings.of_check = of_check;
    }
    cli.settings = file.description().filter(|_| is_verbose);
    if let Some(packs) = cli.command.packs_mut() {
        *packs.file = file;
    }
    Ok(cli)
}

/// Returns which of `--quiet` and `--verbose` is to be without its variable, since the other one is passed.
///
/// # Errors
/// Both are passed, or both variables are set.
fn louder_and_quieter(command: &mut clap::Command, matches: &ArgMatches) -> Result<Option<&'static str>> {
    let name = matches.subcommand_name().unwrap_or_default().to_owned();
    let matches = deepest(matches);
    let ids = ["quiet", "verbose"];
    if !ids.iter().all(|id| is_on(matches, id)) {
        return Ok(None);
    }
    let is_variable = |id: &&str| matches.value_source(id) == Some(ValueSource::EnvVariable);
    let mut variables = ids.into_iter().filter(is_variable);
    let message = match (variables.next(), variables.next()) {
        (Some(id), None) => return Ok(Some(id)),
        (None, _) => "the argument '--quiet' cannot be used with '--verbose'",
        (Some(_), Some(_)) => {
            "REVERSION_QUIET and REVERSION_VERBOSE are both set: unset one of them, or pass --quiet or --verbose"
        }
    };
    let command = command.find_subcommand_mut(name).expect("the subcommand matched");
    Err(command.error(ErrorKind::ArgumentConflict, message).into())
}

/// Names an argument of `apply --plan` that was passed although a saved plan decides it; variables do not count.
fn ignored_by_plan(command: &clap::Command, matches: &ArgMatches) -> Option<String> {
    let apply = matches.subcommand_matches("apply").filter(|apply| apply.contains_id("plan"))?;
    let plans = |arg: &&clap::Arg| arg.get_help_heading().is_some_and(|heading| PLANNING.contains(&heading));
    let is_passed = |id: &str| apply.value_source(id) == Some(ValueSource::CommandLine);
    if is_passed("paths") {
        return Some("paths".to_owned());
    }
    let mut planning = command.find_subcommand("apply")?.get_arguments().filter(plans);
    let planning = planning.find(|arg| is_passed(arg.get_id().as_str())).and_then(clap::Arg::get_long);
    planning.or_else(|| is_passed("allow_empty").then_some("allow-empty")).map(|flag| format!("'--{flag}'"))
}

/// Makes the command line without settings.
pub(super) fn command(console: Console) -> clap::Command {
    command_line(&ConfigFile::default(), &[], console)
}

/// Makes the command line, with the defaults that `file` sets, and without the variables of the arguments in `unset`. Help does not list
/// the environment variables.
fn command_line(file: &ConfigFile, unset: &[&str], console: Console) -> clap::Command {
    let mut command = prepared(Cli::command(), file, unset, console);
    for name in ["apply", "plan"] {
        command = command
            .mut_subcommand(name, |command| command.mut_arg("paths", |arg| arg.help("Files and folders [default: .]")));
    }
    // It is the file that is written, as for other programs.
    command.mut_subcommand("plan", |command| command.mut_arg("format", |arg| arg.short(None)))
}

fn prepared(command: clap::Command, file: &ConfigFile, unset: &[&str], console: Console) -> clap::Command {
    let with_default = |arg: clap::Arg| {
        let default = arg.get_long().filter(|name| is_setting(&arg, name)).and_then(|name| file.default_of(name));
        let values: Option<Vec<String>> = default.map(|values| values.iter().map(|value| value.text.clone()).collect());
        let arg = match values {
            Some(values) => arg.default_values(values),
            None => arg,
        };
        let is_unset = |arg: &clap::Arg| unset.contains(&arg.get_id().as_str());
        let is_empty = is_unset(&arg) || arg.get_env().is_some_and(|name| console.has_empty_variable(name));
        if is_empty { arg.env(None) } else { arg }
    };
    command
        .mut_args(|arg| with_default(arg).hide_env(true))
        .mut_subcommands(|command| prepared(command, file, unset, console))
}

/// Returns whether `arg` is the option `name` of `reversion.toml`, and not another one of that name: it has the variable of the name.
fn is_setting(arg: &clap::Arg, name: &str) -> bool {
    let variable = format!("REVERSION_{}", name.replace('-', "_").to_uppercase());
    arg.get_env().is_some_and(|name| *name == *variable)
}

/// Says whether a switch is on, where there is one of this name.
fn is_on(matches: &ArgMatches, id: &str) -> bool {
    matches.try_get_one::<bool>(id).ok().flatten() == Some(&true)
}

/// Returns the matches of the subcommand.
fn deepest(matches: &ArgMatches) -> &ArgMatches {
    matches.subcommand().map_or(matches, |(_, below)| deepest(below))
}

/// Returns where the file `reversion.toml` of a call is. A saved plan needs none, nor does an interrupted run.
fn config_source(matches: &ArgMatches) -> Source {
    let is_passed = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
    let has_plan = matches.try_contains_id("plan").unwrap_or_default();
    let file = matches.try_get_one::<PathBuf>("config");
    let Ok(file) = file else { return Source::None };
    if has_plan || is_on(matches, "resume") || is_on(matches, "isolated") && !(file.is_some() && is_passed("config")) {
        return Source::None;
    }
    if let Some(file) = file {
        return Source::File(file.clone());
    }
    let named = ["paths", "filename"].map(|id| matches.try_get_many::<PathBuf>(id).ok().flatten());
    let paths: Vec<PathBuf> = named.into_iter().flatten().flatten().cloned().collect();
    Source::Around(if paths.is_empty() { vec![PathBuf::from(HERE)] } else { paths })
}

/// Returns the names of the options whose flag or variable was set.
fn overridden(command: &clap::Command, matches: &ArgMatches) -> Vec<String> {
    if let Some((name, below)) = matches.subcommand() {
        return command.find_subcommand(name).map_or_else(Vec::new, |command| overridden(command, below));
    }
    let source = |arg: &&clap::Arg| matches.value_source(arg.get_id().as_str());
    let is_set = |arg: &&clap::Arg| matches!(source(arg), Some(ValueSource::CommandLine | ValueSource::EnvVariable));
    let set = command.get_arguments().filter(is_set);
    set.filter_map(|arg| arg.get_long().filter(|name| is_setting(arg, name)).map(str::to_owned)).collect()
}
