//! Where the options of `args` can be set besides the command line and their variables.
//!
//! Invariant: an option is declared in `args` alone, with its name, its help and what it takes; here it is only named.

use clap::{Arg, Args, Command};

use super::args::{CheckArgs, FunctionArgs};

/// The options that `reversion.toml` sets too.
const IN_FILE: [&str; 18] = [
    "allow-loss",
    "baseline",
    "chart-defaults",
    "crds",
    "extension",
    "follow",
    "from",
    "hidden",
    "keep-api-version",
    "keep-going",
    "move",
    "namespace",
    "no-ignore",
    "pack",
    "repair",
    "stash",
    "to",
    "unpaired",
];

/// The options that a functionConfig sets.
const IN_FUNCTION: [&str; 9] =
    ["to", "from", "set", "allow-loss", "stash", "repair", "keep-api-version", "unpaired", "exit-zero"];

/// The headings of the options that decide how a plan is made.
pub(super) const PLANNING: [&str; 5] = ["Files", "Targets", "Losses", "Acknowledged findings", "Packs"];

/// Returns the options that `reversion.toml` sets too.
pub(super) fn options_in_file() -> Vec<Arg> {
    options(CheckArgs::augment_args(Command::new("check")), &IN_FILE)
}

/// Returns the options that a functionConfig sets.
pub(super) fn options_in_function() -> Vec<Arg> {
    options(FunctionArgs::augment_args(Command::new("fn")), &IN_FUNCTION)
}

fn options(command: Command, names: &[&str]) -> Vec<Arg> {
    let option = |name: &&str| command.get_arguments().find(|option| option.get_long() == Some(name)).cloned();
    names.iter().filter_map(option).collect()
}
