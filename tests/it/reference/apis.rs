//! What the pages say about the API of a pack: kinds with the releases that serve them, parameters, rules and advisories.

use std::collections::BTreeSet;

use reversion::internals::lens::Direction;
use reversion::internals::pack::wire::ParameterValues;
use reversion::internals::pack::{AdvisoryScope, Pack, Rule};
use reversion::internals::release::Channel;

use super::named;
use crate::support::packs;

/// Describes a built-in pack.
pub(crate) fn page(name: &str) -> String {
    let pack = packs().named(name).expect("the pack is built in");
    format!("\n{}\n## Kinds\n{}\n## Rules\n{}{}", summary(pack), kinds(pack), rules(pack), advisories(pack))
}

/// The first lines: what the pack is called, and which releases it knows.
fn summary(pack: &Pack) -> String {
    let line = pack.line();
    let names: Vec<String> = pack.names().map(|name| format!("`{name}`")).collect();
    let (first, last) = (line.names().next(), line.names().next_back());
    let mut out = format!(
        "Targets of {}: {}, {} releases from {} to {}",
        pack.title(),
        names.join(" or "),
        line.count(),
        first.expect("a pack has releases"),
        last.expect("a pack has releases"),
    );
    let named = line.channels().iter().filter(|channel| **channel != Channel::SINGLE);
    let channels: Vec<String> = named.map(|channel| format!("`{}`", channel.name())).collect();
    if line.has_channels() {
        out.push_str(&format!(", in the channels {}", channels.join(" and ")));
    }
    out.push_str(&format!(". `reversion releases {}` lists them.\n", pack.name()));
    for parameter in pack.parameters() {
        let values = match &parameter.values {
            ParameterValues::Format(_) => String::new(),
            ParameterValues::Choices { choices, default } => {
                let other = |choice: &&String| *choice != default;
                let others: Vec<String> = choices.iter().filter(other).map(|choice| format!("`{choice}`")).collect();
                format!(" It is `{default}` (the default) or {}.", others.join(" or "))
            }
        };
        let (name, text) = (&parameter.name, &parameter.description);
        out.push_str(&format!("\nThe parameter `{name}` (`--set {}.{name}=...`): {text}.{values}\n", pack.name()));
    }
    out
}

/// A row for each apiVersion of each kind.
fn kinds(pack: &Pack) -> String {
    let mut out = "\n| kind | apiVersion | served by |\n|---|---|---|\n".to_owned();
    for kind in pack.kinds() {
        let Some(catalog) = pack.catalog(kind) else { continue };
        let served = catalog.versions().filter(|version| !catalog.serving(version).is_empty());
        for version in served {
            let releases = pack.line().describe(catalog.serving(version));
            let version = if kind.group.is_empty() { version.to_owned() } else { format!("{}/{version}", kind.group) };
            out.push_str(&format!("| {} | `{version}` | {releases} |\n", kind.kind));
        }
    }
    for file in pack.files() {
        out.push_str(&format!("| {} | in `{}` | |\n", file.kind.kind, file.name));
    }
    out
}

/// A row for each file of a rule: what an object's conversion costs in each direction.
fn rules(pack: &Pack) -> String {
    let mut out = "`reversion explain RULE` shows one.\n\n| rule | kinds | change | forward | backward |\n|---|---|---|---|---|\n".to_owned();
    for file in pack.rule_files() {
        let rule = file[0];
        let kinds: BTreeSet<&str> = file.iter().map(|rule| rule.kind.kind.as_str()).collect();
        let kinds: Vec<&str> = kinds.into_iter().collect();
        let (id, summary) = (rule.id.split_once('/').map_or(&*rule.id, |(_, id)| id), rule.summary.replace('|', "\\|"));
        let (forward, backward) = (cost(rule, Direction::Forward), cost(rule, Direction::Backward));
        out.push_str(&format!("| {} | {} | {summary} | {forward} | {backward} |\n", named(id), kinds.join(", ")));
    }
    out
}

/// Lists what a rule can do to an object, which has nothing to do where no operation runs.
fn cost(rule: &Rule, direction: Direction) -> String {
    let all: Vec<&str> = rule.lens(direction).fidelities().iter().map(|fidelity| fidelity.name()).collect();
    if all.is_empty() { "-".to_owned() } else { all.join(", ") }
}

/// A row for each change that no field shows.
fn advisories(pack: &Pack) -> String {
    let notes = pack.release_notes();
    if notes.advisories.is_empty() {
        return String::new();
    }
    let mut out = "\n## Advisories\nWhat no conversion takes care of is said where an object that it concerns crosses the release.\n\n\
                   | release | kinds | what changed |\n|---|---|---|\n"
        .to_owned();
    for advisory in &notes.advisories {
        let release = match &advisory.scope {
            AdvisoryScope::Bundle { order, direction, .. } => {
                format!("{} {}", pack.line().bundles()[*order], direction.name())
            }
            AdvisoryScope::Between { from, to } => {
                format!("{} to {}", pack.line().describe(*from), pack.line().describe(*to))
            }
        };
        let kinds: Vec<&str> = advisory.kinds.iter().map(|kind| kind.kind.as_str()).collect();
        let kinds = if kinds.is_empty() { "all".to_owned() } else { kinds.join(", ") };
        out.push_str(&format!("| {release} | {kinds} | {} |\n", advisory.message.replace('|', "\\|")));
    }
    out
}
