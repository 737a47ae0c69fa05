//! The subcommand `explain`: a rule, the code of a finding, an operation.

use anyhow::{Result, bail};

use super::args::ExplainArgs;
use super::console::Console;
use super::{Exit, packs};
use crate::finding::Code;
use crate::lens::{Description, OPERATIONS};
use crate::pack::{Pack, Packs, Rule, nearest};

/// Runs `explain`.
pub(super) fn run(args: &ExplainArgs, console: Console) -> Result<Exit> {
    let packs = packs(&args.packs)?;
    let term = args.term.as_str();
    let text = if let Some(code) = Code::parse(term) {
        format!("{code}: {}\n", code.description())
    } else if let Some(operation) = OPERATIONS.iter().find(|operation| operation.name == term) {
        operation_text(operation)
    } else {
        let named = |rule: &Rule| rule.id == term || rule.id.ends_with(&format!("/{term}"));
        let texts = files(packs).filter(|(_, rules)| named(rules[0])).map(|(pack, rules)| rule_text(pack, &rules));
        texts.collect::<Vec<_>>().join("\n")
    };
    if text.is_empty() {
        bail!("`{term}` is no rule, code or operation; near ones: {}", near(term, packs).join(", "));
    }
    console.print(&text)?;
    Ok(Exit::Clean)
}

/// Returns the rules of each file, which has one at least.
fn files(packs: &Packs) -> impl Iterator<Item = (&Pack, Vec<&Rule>)> {
    packs.iter().flat_map(|pack| pack.rule_files().into_iter().map(move |rules| (pack, rules)))
}

fn near<'p>(term: &str, packs: &'p Packs) -> Vec<&'p str> {
    let codes = Code::ALL.iter().map(|code| code.name());
    let operations = OPERATIONS.iter().map(|operation| operation.name);
    let ids = files(packs).map(|(_, rules)| rules[0].id.rsplit('/').next().unwrap_or(&rules[0].id));
    nearest(term, codes.chain(operations).chain(ids))
}

fn operation_text(operation: &Description) -> String {
    format!("{}: {}\n\nexample:\n  - {}\n", operation.name, operation.text, operation.example)
}

fn rule_text(pack: &Pack, rules: &[&Rule]) -> String {
    let rule = rules[0];
    let channels: Vec<_> = rule.channels.iter().map(|channel| channel.name()).collect();
    let bundle = &pack.line().bundles()[rule.order];
    let kind = |rule: &&Rule| match rule.kind == rule.new_kind {
        true => rule.kind.to_string(),
        false => format!("{} -> {}", rule.kind, rule.new_kind),
    };
    let kinds = rules.iter().map(kind).collect::<Vec<_>>().join(", ");
    let within = rule.within.map(|within| format!("holds in: {}\n", pack.line().describe(within))).unwrap_or_default();
    let head = format!("{}\n{}\n", rule.id, rule.summary);
    let facts = format!(
        "kind:    {kinds}\nmade in: {} {bundle} ({})\n{within}source:  {}\n",
        pack.title(),
        channels.join(", "),
        rule.source,
    );
    let steps: String = rule.text.lines().map(|line| format!("  {line}\n")).collect();
    let way = match rule.within {
        Some(_) => "towards these releases, after all other rules:".to_owned(),
        // The pack knows no release from before its first one.
        None if rule.is_step() && rule.order == 0 => format!("forward, to {bundle} and newer; there is no way back:"),
        None => format!(
            "forward, to {bundle} and newer; backward, to older releases, each step is undone, the last one first:"
        ),
    };
    format!("{head}\n{facts}\n{way}\n{steps}")
}
