//! The subcommand `pack build`: catalogs from CRDs, OpenAPI documents or tables of types.

use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::args::BuildArgs;
use super::console::Console;
use super::exit::Exit;
use super::pack_source::{self, PackSource};
use crate::authoring::build;
use crate::authoring::lint::lint;
use crate::authoring::pack_folder::{PackContent, is_hidden};
use crate::shell::disk;
use crate::shell::report::plural;

/// Runs `pack build`.
pub(super) fn run(args: &BuildArgs, console: Console) -> Result<Exit> {
    if let Some(crds) = &args.crds {
        let built = build::build(&args.pack, crds)?;
        if args.check {
            let stale = build::stale(&built, &args.pack)?;
            console.print(&stale.iter().map(|file| format!("{file} differs\n")).collect::<String>())?;
            return Ok(if stale.is_empty() { Exit::Clean } else { Exit::Changes });
        }
        build::write(&built, &args.pack)?;
    }
    args.archive.as_ref().map_or(Ok(Exit::Clean), |file| archive(&args.pack, file, console))
}

/// Writes the archive of a pack that is complete and free of contradictions.
fn archive(folder: &Path, file: &Path, console: Console) -> Result<Exit> {
    let source = PackSource::parse(file.as_os_str().to_owned())?;
    ensure!(
        source.is_named_as_archive(),
        "--archive {}: the name of an archive ends in .tar.gz or .tgz, and has no `//` or `#`",
        file.display()
    );
    let content = PackContent::of_folder(folder, |path| !is_hidden(path))?;
    let pack = content.pack(&folder.display().to_string())?;
    let found = lint(&pack, None).len();
    if found > 0 {
        let (found, folder) = (plural(found, "message"), folder.display());
        console.note(&format!("no archive is written: `reversion pack lint {folder}` has {found}\n"))?;
        return Ok(Exit::Changes);
    }
    let bytes = pack_source::archive(&pack, &content)?;
    disk::replace_output(file, &bytes).with_context(|| format!("cannot write {}", file.display()))?;
    console.print(&format!("{}: {}\n", source.pinned()?, plural(content.files.len(), "file")))?;
    Ok(Exit::Clean)
}
