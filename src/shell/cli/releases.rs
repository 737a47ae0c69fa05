//! The subcommand `releases`: packs, releases, kinds, served apiVersions.

use std::fmt::Write as _;

use anyhow::Result;

use super::args::ReleasesArgs;
use super::console::Console;
use super::exit::Exit;
use super::pack_source::PackSource;
use super::packs;
use crate::knowledge::pack::Pack;
use crate::knowledge::pack::wire::{Excluded, Parameter, ParameterValues};
use crate::knowledge::release::{Channel, bare};
use crate::shell::report::{plural, visible};

/// Runs `releases`.
pub(super) fn run(args: &ReleasesArgs, console: Console) -> Result<Exit> {
    let packs = packs::load(&args.packs)?;
    let text = match &args.pack {
        Some(name) => {
            let pack = packs::named(name, packs)?;
            let sources = args.packs.packs.iter();
            let source = sources.rev().find(|source| source.read().is_ok_and(|read| read.name() == pack.name()));
            pack_text(pack, source)?
        }
        None => packs.iter().map(summary).collect(),
    };
    console.print(&text)?;
    Ok(Exit::Clean)
}

/// Prints one line about a pack.
pub(super) fn summary(pack: &Pack) -> String {
    let line = pack.line();
    let names = line.names();
    let range = match (names.clone().next(), names.clone().next_back()) {
        (Some(first), Some(last)) => format!("{first}..{last}"),
        _ => "no release".to_owned(),
    };
    let counts = [
        plural(line.count(), "release"),
        plural(pack.kinds().count() + pack.files().len(), "kind"),
        plural(pack.rule_files().len(), "rule"),
    ];
    format!("{}: {} {range}, {}\n", pack.name(), pack.title(), counts.join(", "))
}

/// Returns what a parameter can be chosen from: ` (freeze by default, or adopt)`.
fn choices(parameter: &Parameter) -> String {
    match &parameter.values {
        ParameterValues::Format(_) => String::new(),
        ParameterValues::Choices { choices, default } => {
            let others: Vec<&str> = choices.iter().filter(|choice| *choice != default).map(String::as_str).collect();
            format!(" ({default} by default, or {})", others.join(" or "))
        }
    }
}

/// Lists the releases, those with the same APIs on one line.
fn listed(pack: &Pack) -> String {
    let line = pack.line();
    let has_same = (0..line.bundles().len()).any(|order| !line.same_apis(order).is_empty());
    let same = match (line.has_patches(), has_same) {
        (true, _) => ", each with its patch releases, which have the same APIs",
        (false, true) => ", those with the same APIs on one line",
        (false, false) => "",
    };
    let mut out = format!("\nreleases{same}:\n");
    for (order, bundle) in line.bundles().iter().enumerate() {
        let channels = line.of_bundle(order).map(|(_, release)| &release.channel);
        let channels: Vec<_> = channels.filter(|channel| **channel != Channel::SINGLE).map(Channel::name).collect();
        let last = line.same_apis(order).last().map_or_else(String::new, |last| format!("..{last}"));
        let _infallible = writeln!(out, "{}", format!("  {bundle}{last}  {}", channels.join(", ")).trim_end());
    }
    for Excluded { releases, instead, reason } in pack.excluded() {
        let releases = match releases.as_slice() {
            [first, .., last] => format!("{first}..{last}"),
            [release] => release.clone(),
            [] => continue,
        };
        let _infallible = writeln!(out, "  not {releases}: {reason}; write {}@{}", pack.name(), bare(instead));
    }
    out
}

fn pack_text(pack: &Pack, source: Option<&PackSource>) -> Result<String> {
    let mut out = summary(pack);
    if let Some(source) = source {
        let _infallible = writeln!(out, "from {}", visible(&source.pinned()?));
    }
    if !pack.aliases().is_empty() {
        let _infallible = writeln!(out, "aliases: {}", pack.aliases().join(", "));
    }
    out.push_str(&listed(pack));
    if !pack.parameters().is_empty() {
        out.push_str("\nparameters for --set:\n");
    }
    for parameter in pack.parameters() {
        let _infallible =
            writeln!(out, "  {}.{}: {}{}", pack.name(), parameter.name, parameter.description, choices(parameter));
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
