//! The subcommand `matrix`: what changes between two releases, and what does each change cost?

use anyhow::Result;

use super::args::{MatrixArgs, MatrixFormat};
use super::console::Console;
use super::exit::Exit;
use super::packs;
use crate::authoring::matrix::matrix;
use crate::shell::report::matrix_format as render;

/// Runs `matrix`.
pub(super) fn run(args: &MatrixArgs, console: Console) -> Result<Exit> {
    let packs = packs::load(&args.packs)?;
    let pack = packs::named(&args.pack, packs)?;
    let [from, to] = [&args.from, &args.to].map(|release| packs::release_of(pack, release, packs));
    let (from, to) = (from?, to?);
    let changes = matrix(from.pack, from.release, to.release);
    let text = match args.format {
        MatrixFormat::Text => render::text(&format!("{from} -> {to}"), &changes),
        MatrixFormat::Json => {
            let name = |release| from.pack.line().get(release).to_string();
            render::json(from.pack.name(), &name(from.release), &name(to.release), &changes)
        }
    };
    console.print(&text)?;
    Ok(Exit::Clean)
}
