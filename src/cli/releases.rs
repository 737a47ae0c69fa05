//! The subcommand `releases`: packs, releases, kinds, served apiVersions.

use std::fmt::Write as _;

use anyhow::Result;

use super::args::ReleasesArgs;
use super::console::Console;
use super::exit::Exit;
use super::packs;
use crate::pack::Pack;
use crate::release::Channel;
use crate::report::plural;

/// Runs `releases`.
pub(super) fn run(args: &ReleasesArgs, console: Console) -> Result<Exit> {
    let packs = packs::load(&args.packs)?;
    let text = match &args.pack {
        Some(name) => pack_text(packs::named(name, packs)?)?,
        None => packs.iter().map(summary).collect(),
    };
    console.print(&text)?;
    Ok(Exit::Clean)
}

/// Prints one line about a pack.
pub(super) fn summary(pack: &Pack) -> String {
    let bundles = pack.line().bundles();
    let range = match (bundles.first(), bundles.last()) {
        (Some(first), Some(last)) => format!("{first}..{last}"),
        _ => "no release".to_owned(),
    };
    let counts = [
        plural(pack.line().iter().len(), "release"),
        plural(pack.kinds().count(), "kind"),
        plural(pack.rule_files().len(), "rule"),
    ];
    format!("{}: {} {range}, {}\n", pack.name(), pack.title(), counts.join(", "))
}

fn pack_text(pack: &Pack) -> Result<String> {
    let mut out = summary(pack);
    if !pack.aliases().is_empty() {
        let _infallible = writeln!(out, "aliases: {}", pack.aliases().join(", "));
    }
    out.push_str("\nreleases:\n");
    for (at, bundle) in pack.line().bundles().iter().enumerate() {
        let channels = pack.line().of_bundle(at).map(|(_, release)| &release.channel);
        let channels: Vec<_> = channels.filter(|channel| **channel != Channel::SINGLE).map(Channel::name).collect();
        let _infallible = writeln!(out, "{}", format!("  {bundle}  {}", channels.join(", ")).trim_end());
    }
    if !pack.parameters().is_empty() {
        out.push_str("\nparameters for --set:\n");
    }
    for parameter in pack.parameters() {
        let _infallible = writeln!(out, "  {}.{}: {}", pack.name(), parameter.name, parameter.description);
    }
    out.push_str("\nkinds, and the releases that serve each apiVersion:\n");
    for kind in pack.kinds() {
        let _infallible = writeln!(out, "  {kind}");
        let Some(catalog) = pack.try_catalog(kind)? else { continue };
        for version in catalog.versions() {
            let serving = catalog.serving(version);
            if !serving.is_empty() {
                let _infallible = writeln!(out, "    {version}: {}", pack.line().describe(serving));
            }
        }
    }
    Ok(out)
}
