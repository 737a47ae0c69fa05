//! The subcommand `completion`: what a shell needs to complete the arguments.

use anyhow::Result;
use clap::Arg;
use clap::builder::PossibleValuesParser;
use clap_complete::generate;

use super::args::{CompletionArgs, PackArgs};
use super::console::Console;
use super::exit::Exit;
use super::glossary::GLOSSARY;
use super::{command_line, packs};
use crate::engine::finding::Code;
use crate::knowledge::lens::{Description, described};
use crate::knowledge::pack::Pack;

/// Runs `completion`.
pub(super) fn run(args: &CompletionArgs, console: Console) -> Result<Exit> {
    let mut script = Vec::new();
    let packs = packs::load(&PackArgs::default())?;
    let releases: Vec<String> = packs.iter().flat_map(releases).collect();
    let codes = Code::ALL.iter().map(|code| code.name());
    let words =
        GLOSSARY.iter().map(|term| term.word).chain(codes).chain(described().map(|Description { name, .. }| *name));
    let words: Vec<String> = words.filter(|word| !word.contains(' ')).map(str::to_owned).collect();
    let mut command = command_line::command(console).mut_subcommands(|command| {
        let values = |arg: Arg, values: &[String]| arg.value_parser(PossibleValuesParser::new(values.iter().cloned()));
        command.mut_args(|arg| match arg.get_id().as_str() {
            "to" | "from" => values(arg, &releases),
            "term" => values(arg, &words),
            _ => arg,
        })
    });
    generate(args.shell, &mut command, "reversion", &mut script);
    console.stream(&script)?;
    Ok(Exit::Clean)
}

/// Lists the releases of a pack without the last number of their versions, newest first: `gateway-api@1.4`.
fn releases(pack: &Pack) -> Vec<String> {
    let mut releases = vec![format!("{}@latest", pack.name())];
    for name in pack.line().names().rev() {
        let numbers: Vec<&str> = name.trim_start_matches('v').split('.').take(2).collect();
        let release = format!("{}@{}", pack.name(), numbers.join("."));
        if !releases.contains(&release) {
            releases.push(release);
        }
    }
    releases
}
