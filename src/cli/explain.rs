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
        let texts = rules(&packs).filter(|(_, rule)| named(rule)).map(|(pack, rule)| rule_text(pack, rule));
        texts.collect::<Vec<_>>().join("\n")
    };
    if text.is_empty() {
        bail!("`{term}` is no rule, code or operation; near ones: {}", near(term, &packs).join(", "));
    }
    console.print(text.as_bytes())?;
    Ok(Exit::Clean)
}

fn rules(packs: &Packs) -> impl Iterator<Item = (&Pack, &Rule)> {
    packs.iter().flat_map(|pack| pack.rules().iter().map(move |rule| (pack, rule)))
}

fn near<'p>(term: &str, packs: &'p Packs) -> Vec<&'p str> {
    let codes = Code::ALL.iter().map(|code| code.name());
    let operations = OPERATIONS.iter().map(|operation| operation.name);
    let ids = rules(packs).map(|(_, rule)| rule.id.rsplit('/').next().unwrap_or(&rule.id));
    nearest(term, codes.chain(operations).chain(ids))
}

fn operation_text(operation: &Description) -> String {
    format!("{}: {}\n\nexample:\n  - {}\n", operation.name, operation.text, operation.example)
}

fn rule_text(pack: &Pack, rule: &Rule) -> String {
    let channels: Vec<_> = rule.channels.iter().map(|channel| channel.name()).collect();
    let bundle = &pack.line().bundles()[rule.order];
    let becomes = if rule.kind == rule.new_kind { String::new() } else { format!(" -> {}", rule.new_kind) };
    let head = format!("{}\n{}\n", rule.id, rule.summary);
    let facts = format!(
        "kind:    {}{becomes}\nmade in: {} {bundle} ({})\nsource:  {}\n",
        rule.kind,
        pack.title(),
        channels.join(", "),
        rule.source,
    );
    let steps: String = rule.text.lines().map(|line| format!("  {line}\n")).collect();
    format!(
        "{head}\n{facts}\nforward, to {bundle} and newer; backward, to older releases, each step is undone, the last one first:\n{steps}"
    )
}
