//! The subcommand `explain`: a rule, a finding code, an operation, or another word of the output.

use anyhow::{Result, bail};

use super::args::ExplainArgs;
use super::console::Console;
use super::exit::Exit;
use super::glossary::GLOSSARY;
use super::packs;
use crate::finding::Code;
use crate::lens::{Description, OPERATIONS};
use crate::pack::{Pack, Packs, Rule, nearest};

/// Runs `explain`.
pub(super) fn run(args: &ExplainArgs, console: Console) -> Result<Exit> {
    let packs = packs::load(&args.packs)?;
    let mut text = explain(&args.term, packs);
    if text.is_empty() {
        // The summary counts objects that are `held back`.
        text = explain(&args.term.to_lowercase().replace(' ', "-"), packs);
    }
    if text.is_empty() {
        let near = near(&args.term, packs).join(", ");
        bail!("`{}` is not a word of the output, a rule, a code or an operation; similar names: {near}", args.term);
    }
    console.print(&text)?;
    Ok(Exit::Clean)
}

/// Explains a word by everything that it names; nothing where it names nothing.
fn explain(word: &str, packs: &Packs) -> String {
    let term = GLOSSARY.iter().find(|term| term.word == word).map(|term| format!("{word}: {}\n", term.text));
    let code = Code::parse(word).map(|code| match term {
        Some(_) => format!("finding {code}: {}\n", code.description()),
        None => format!("{code}: {}\n", code.description()),
    });
    let operation = OPERATIONS.iter().find(|operation| operation.name == word).map(operation_text);
    let named = |rule: &Rule| rule.id == word || rule.id.ends_with(&format!("/{word}"));
    let rules = files(packs).filter(|(_, rules)| named(rules[0])).map(|(pack, rules)| rule_text(pack, &rules));
    term.into_iter().chain(code).chain(operation).chain(rules).collect::<Vec<_>>().join("\n")
}

/// Returns the rules of each file, which has one at least.
fn files(packs: &Packs) -> impl Iterator<Item = (&Pack, Vec<&Rule>)> {
    packs.iter().flat_map(|pack| pack.rule_files().into_iter().map(move |rules| (pack, rules)))
}

fn near<'p>(term: &str, packs: &'p Packs) -> Vec<&'p str> {
    let words = GLOSSARY.iter().map(|term| term.word);
    let codes = Code::ALL.iter().map(|code| code.name());
    let operations = OPERATIONS.iter().map(|operation| operation.name);
    let ids = files(packs).map(|(_, rules)| rules[0].id.rsplit('/').next().unwrap_or(&rules[0].id));
    let mut near = nearest(term, words.chain(codes).chain(operations).chain(ids));
    near.dedup();
    near
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
    let within = rule.within.map(|within| format!("valid in: {}\n", pack.line().describe(within))).unwrap_or_default();
    let head = format!("{}\n{}\n", rule.id, rule.summary);
    let facts = format!(
        "kind:    {kinds}\nmade in: {} {bundle} ({})\n{within}source:  {}\n",
        pack.title(),
        channels.join(", "),
        rule.source,
    );
    let steps: String = rule.text.lines().map(|line| format!("  {line}\n")).collect();
    let direction = match rule.within {
        Some(_) => "towards these releases, after all other rules:".to_owned(),
        // The pack knows no release from before its first one.
        None if rule.is_step() && rule.order == 0 => {
            format!("forward, to {bundle} and newer; it cannot be converted back:")
        }
        None => format!(
            "forward, to {bundle} and newer; backward, to older releases, each step is undone, the last one first:"
        ),
    };
    format!("{head}\n{facts}\n{direction}\n{steps}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Severity;
    use crate::lens::{Direction, Fidelity};
    use crate::pack::embedded;
    use crate::pack::matrix::{Cost, Subject};
    use crate::plan::Outcome;
    use crate::release::Channel;

    #[test]
    fn every_word_in_reports_is_explained() {
        let severities = [Severity::Note, Severity::Warning, Severity::Held, Severity::Error].map(Severity::name);
        let outcomes = [Outcome::Unchanged, Outcome::Changed, Outcome::HeldBack].map(Outcome::name);
        let fidelities =
            [Fidelity::Exact, Fidelity::Normalized, Fidelity::Lossy, Fidelity::Refused].map(Fidelity::name);
        let costs = [Cost::Exact, Cost::Normalized, Cost::Lossy, Cost::Refused, Cost::Advisory].map(Cost::name);
        let subjects = [
            Subject::Rule,
            Subject::Kind,
            Subject::ApiVersion,
            Subject::Field,
            Subject::Value,
            Subject::Limit,
            Subject::Advisory,
            Subject::Undetectable,
        ];
        let summary = ["seen", "recognised", "skipped", "failed"];
        let parts = ["pack", "rule", "release", "bundle", "channel", "catalog", "lens", "evidence", "stash"];
        let words = [&severities[..], &outcomes, &fidelities, &costs, &subjects.map(Subject::name), &summary, &parts];
        let channels = Channel::ALL.map(Channel::name);
        let directions = [Direction::Forward, Direction::Backward].map(Direction::name);
        let codes: Vec<_> = Code::ALL.iter().map(|code| code.name()).collect();
        let packs = embedded::with(Vec::new()).unwrap();
        for word in words.concat().iter().chain(&channels).chain(&directions).chain(&codes) {
            assert!(explain(word, &packs).contains(&format!("{word}: ")), "`explain {word}` has no answer");
        }
    }

    #[test]
    fn a_word_with_two_meanings_has_both_explanations() {
        let packs = embedded::with(Vec::new()).unwrap();
        let text = explain("normalized", &packs);
        assert!(text.starts_with("normalized: Cost of a change") && text.contains("\nfinding normalized: "), "{text}");
        assert_eq!(explain("held-bak", &packs), "");
        assert_eq!(near("held-bak", &packs)[0], "held-back");
    }
}
