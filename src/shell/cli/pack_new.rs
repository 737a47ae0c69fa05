//! The subcommand `pack new`: the first files of a pack.

use anyhow::{Context, Result};

use super::args::NewArgs;
use super::console::Console;
use super::exit::Exit;
use crate::authoring::{build, starter};
use crate::shell::report::plural;

/// Runs `pack new`.
pub(super) fn run(args: &NewArgs, console: Console) -> Result<Exit> {
    let folder = args.folder.display();
    let named = || args.folder.file_name().and_then(|name| name.to_str());
    let name = args.name.as_deref().or_else(named);
    let name = name.with_context(|| format!("{folder} has no name that the pack could have: pass --name"))?;
    let title = args.title.as_deref().unwrap_or(name);
    let (files, content, lints) = match &args.crds {
        Some(crds) => {
            let outline = build::outline(crds)?;
            let (releases, kinds) = (plural(outline.releases.len(), "release"), plural(outline.kinds.len(), "kind"));
            let has_channels = outline.releases.values().any(|channels| channels.len() > 1);
            let order = if has_channels { "their order and that of their channels" } else { "their order" };
            let content = format!("{releases} (check {order} in pack.yaml) and {kinds}");
            let lints = "list what no rule converts yet; write RELEASE/RULE.yaml and its fixtures for each";
            (starter::from_crds(name, title, &outline), content, lints)
        }
        None => {
            let lints = "check the rules against the catalogs";
            (starter::example(name, title, &args.kind)?, "an example with one rule and its fixtures".to_owned(), lints)
        }
    };
    build::write_new(&args.folder, &files, args.crds.as_deref())?;
    let steps = [
        (format!("reversion pack lint {folder}"), lints),
        (format!("reversion pack test {folder}"), "run the rules on the fixtures"),
        (format!("reversion check --pack {folder} --to {name}@latest PATH"), "see what would change in manifests"),
    ];
    let steps = listed(&steps);
    console.print(&format!("{folder}: {content}\nNext, as {folder}/README.md explains:\n{steps}"))?;
    Ok(Exit::Clean)
}

/// Lists commands, each with what it is for.
pub(super) fn listed(steps: &[(String, &str)]) -> String {
    let width = steps.iter().map(|(command, _)| command.len()).max().unwrap_or_default();
    steps.iter().map(|(command, why)| format!("  {command:width$}  # {why}\n")).collect()
}
