//! The subcommand `pack lint`: is a pack complete and free of contradictions?

use std::path::Path;

use anyhow::{Context, Result};

use super::args::LintArgs;
use super::console::Console;
use super::{Exit, packs};
use crate::pack::lint::lint;
use crate::pack::load;
use crate::report::visible;

/// Runs `pack lint`.
pub(super) fn run(args: &LintArgs, console: Console) -> Result<Exit> {
    let fixtures = args.fixtures.as_deref().map(load::list_folder).transpose()?;
    let own = load::read_if_pack(Path::new(&args.pack))?;
    let packs = packs(&args.packs)?;
    let pack = match &own {
        Some(pack) => pack,
        None => packs.named(&args.pack).context("name a pack, or the folder of one")?,
    };
    let messages = lint(pack, fixtures.as_deref());
    let lines: String = messages.iter().map(|message| format!("{}\n", visible(&message.to_string()))).collect();
    console.print(&lines)?;
    Ok(if messages.is_empty() { Exit::Clean } else { Exit::Changes })
}
