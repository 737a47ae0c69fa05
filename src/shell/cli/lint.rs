//! The subcommand `pack lint`: is a pack complete and free of contradictions?

use std::path::Path;

use anyhow::{Error, Result, anyhow};
use serde_json::json;

use super::args::{LintArgs, MatrixFormat};
use super::console::Console;
use super::exit::Exit;
use super::pack_source::PackSource;
use super::packs;
use crate::authoring::lint::{Message, Share, coverage, lint, unread};
use crate::authoring::pack_folder;
use crate::shell::disk::{self, Failure, FileKind};
use crate::shell::report::{plural, visible};

/// Runs `pack lint`.
pub(super) fn run(args: &LintArgs, console: Console) -> Result<Exit> {
    let fixtures = args.fixtures.as_deref().map(pack_folder::list_folder).transpose()?;
    let own =
        PackSource::parse(args.pack.clone().into())?.content_if_pack()?.map(|content| content.draft()).transpose()?;
    let packs = packs::load(&args.packs)?;
    let pack = match &own {
        Some(pack) => pack,
        None => packs::named(&args.pack, packs).map_err(|error| not_a_pack(&args.pack, error))?,
    };
    let messages = lint(pack, fixtures.as_deref());
    let exit = if messages.is_empty() { Exit::Clean } else { Exit::Changes };
    if args.format == MatrixFormat::Json {
        let document = json!({ "schemaVersion": 1, "command": "pack lint", "pack": pack.name(), "messages": messages });
        console.print(&format!("{document:#}\n"))?;
        return Ok(exit);
    }
    let lines: String = messages.iter().map(line).collect();
    let unread: String =
        unread(pack).iter().map(|sentence| format!("{}: {}\n", pack.name(), visible(sentence))).collect();
    let coverage = coverage(pack);
    let shares = [(coverage.kinds, "kind"), (coverage.fields, "field"), (coverage.values, "value")];
    let shares = shares.map(|(share, noun)| coverage_text(share, noun)).join("; ");
    console.print(&format!("{lines}{unread}{}: between adjacent releases {shares}\n", pack.name()))?;
    Ok(exit)
}

/// Renders a message on one line, and what to write on another.
fn line(message: &Message) -> String {
    message.to_string().lines().map(|line| format!("{}\n", visible(line))).collect()
}

/// Explains why there is neither a folder of a pack nor a pack of this name.
pub(super) fn not_a_pack(name: &str, unknown: Error) -> Error {
    match disk::read_up_to(Path::new(name), 0) {
        Err(Failure::NotAFile(FileKind::Folder)) => {
            anyhow!("{name}: the folder has no pack.yaml: pass the folder of a pack, or the name of one")
        }
        _ => unknown.context("pass the name of a pack or its folder"),
    }
}

/// Renders how much of what is removed is covered: `3 fields removed (2 claimed by rules, 1 dropped with a reason)`.
fn coverage_text(share: Share, noun: &str) -> String {
    let missed = if share.missed == 0 { String::new() } else { format!(", {} not covered", share.missed) };
    let (claimed, dropped) = (share.claimed, share.dropped);
    format!(
        "{} removed ({claimed} claimed by rules, {dropped} dropped with a reason{missed})",
        plural(share.all(), noun)
    )
}
