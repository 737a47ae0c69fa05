//! The subcommand `pack build`: catalogs from CRDs, OpenAPI documents or tables of types.

use anyhow::Result;

use super::args::BuildArgs;
use super::console::Console;
use super::exit::Exit;
use crate::authoring::build;

/// Runs `pack build`.
pub(super) fn run(args: &BuildArgs, console: Console) -> Result<Exit> {
    let built = build::build(&args.pack, &args.crds)?;
    if !args.check {
        build::write(&built, &args.pack)?;
        return Ok(Exit::Clean);
    }
    let stale = build::stale(&built, &args.pack)?;
    console.print(&stale.iter().map(|file| format!("{file} differs\n")).collect::<String>())?;
    Ok(if stale.is_empty() { Exit::Clean } else { Exit::Changes })
}
