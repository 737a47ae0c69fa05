//! The subcommand `explain`: a rule, a finding code, an operation, or another word of the output.

use anyhow::{Result, bail};

use super::args::ExplainArgs;
use super::console::Console;
use super::exit::Exit;
use super::glossary::{GLOSSARY, Term};
use super::{packs, releases};
use crate::engine::finding::Code;
use crate::knowledge::lens::{CONVERSIONS, Description, described};
use crate::knowledge::pack::crds::from_crds::{self as crds, Move};
use crate::knowledge::pack::{Pack, Packs, Rule, is_near, nearest};
use crate::knowledge::release::{Channel, Named};
use crate::shell::report::address;

/// Runs `explain`.
pub(super) fn run(args: &ExplainArgs, console: Console) -> Result<Exit> {
    let packs = packs::load(&args.packs)?;
    console.print(&answer(&args.term, packs)?)?;
    Ok(Exit::Clean)
}

/// Explains a word, a release or the costs in a cell of `matrix`.
///
/// # Errors
/// A failure that names the nearest words.
pub(super) fn answer(text: &str, packs: &Packs) -> Result<String> {
    let explanation =
        spellings(text).iter().map(|word| explain(word, packs)).find(|explanation| !explanation.is_empty());
    if let Some(explanation) = explanation {
        return Ok(explanation);
    }
    if let Some(explanation) = head_of_finding(text, packs) {
        return Ok(explanation);
    }
    if let Some((crds::NAME, _)) = text.split_once('@') {
        return Ok(explain(crds::NAME, packs));
    }
    if text.contains('@') {
        let target = packs::release(text, packs)?;
        let release = target.pack.line().get(target.release);
        let (title, name) = (target.pack.title(), target.name());
        let same = match target.named {
            Named::Bundle => String::new(),
            _ => format!(", with the same APIs as {}", release.bundle),
        };
        let channel = match &release.channel {
            channel if *channel == Channel::SINGLE => String::new(),
            channel => format!(", channel {channel}"),
        };
        return Ok(format!("{target}: release {name} of {title}{channel}{same}; pass it with `--to` or `--from`\n"));
    }
    if let Some(explanation) = Move::explain(text) {
        return Ok(explanation);
    }
    let costs: Vec<String> = text.split('/').map(|cost| explain(&fold(cost), packs)).collect();
    if costs.iter().all(|cost| !cost.is_empty()) {
        return Ok(costs.join("\n"));
    }
    let has_word = |term: &&Term| term.word.split(' ').any(|word| spellings(text).contains(&fold(word)));
    let phrases: Vec<String> = GLOSSARY.iter().filter(has_word).map(term_text).collect();
    if !phrases.is_empty() {
        return Ok(phrases.join("\n"));
    }
    let near = near(text, packs).join(", ");
    let hint = if near.is_empty() { near } else { format!("; did you mean {near}?") };
    bail!("`{text}` is not a word of the output, a rule, a code or an operation{hint}")
}

/// Explains both words of `warning[advisory]`, as a finding is printed.
fn head_of_finding(text: &str, packs: &Packs) -> Option<String> {
    let (severity, code) = text.strip_suffix(']')?.split_once('[')?;
    let words = [severity, code].map(|word| explain(&fold(word), packs));
    words.iter().all(|explanation| !explanation.is_empty()).then(|| words.join("\n"))
}

/// Writes a word as every output does: lower case, hyphens for spaces, one spelling of `recognized` and `recognized`.
fn fold(word: &str) -> String {
    word.to_lowercase().replace([' ', '_'], "-").replace("iz", "is")
}

/// Returns the spellings under which a word may be known: as it is, and without the ending of a plural.
fn spellings(word: &str) -> Vec<String> {
    let word = fold(word);
    let singular = word.strip_suffix("ies").map(|stem| format!("{stem}y"));
    let stems = ["s", "es"].into_iter().filter_map(|ending| word.strip_suffix(ending).map(str::to_owned));
    let more: Vec<String> = singular.into_iter().chain(stems).filter(|stem| !stem.is_empty()).collect();
    [vec![word], more].concat()
}

/// Explains a folded word by everything that it names; nothing where it names nothing.
fn explain(word: &str, packs: &Packs) -> String {
    let is = |name: &str| fold(name) == word;
    let term = GLOSSARY.iter().find(|term| is(term.word)).map(term_text);
    let code = Code::ALL.iter().find(|code| is(code.name())).map(|code| {
        let what = if term.is_some() { "finding " } else { "" };
        format!("{what}{code}: {}\n{}", code.description(), page(code.name(), ""))
    });
    let operation = described().find(|operation| is(operation.name)).map(operation_text);
    let named = |rule: &Rule| is(&rule.id) || fold(&rule.id).ends_with(&format!("/{word}"));
    let rules = files(packs).filter(|(_, rules)| named(rules[0])).map(|(pack, rules)| rule_text(pack, &rules));
    let pack = packs.iter().filter(|pack| pack.names().any(is)).map(releases::summary);
    term.into_iter().chain(code).chain(operation).chain(rules).chain(pack).collect::<Vec<_>>().join("\n")
}

/// Returns the rules of each file, which has one at least.
fn files(packs: &Packs) -> impl Iterator<Item = (&Pack, Vec<&Rule>)> {
    packs.iter().flat_map(|pack| pack.rule_files().into_iter().map(move |rules| (pack, rules)))
}

fn near<'p>(term: &str, packs: &'p Packs) -> Vec<&'p str> {
    let words = GLOSSARY.iter().map(|term| term.word);
    let codes = Code::ALL.iter().map(|code| code.name());
    let operations = described().map(|operation| operation.name);
    let ids = files(packs).map(|(_, rules)| rules[0].id.rsplit('/').next().unwrap_or(&rules[0].id));
    let names = packs.iter().flat_map(Pack::names);
    let mut near = nearest(&term.to_lowercase(), words.chain(codes).chain(operations).chain(ids).chain(names));
    near.dedup();
    near.retain(|name| is_near(&term.to_lowercase(), name));
    near
}

/// Returns a line with the address of a code or rule, behind a label; nothing for a rule of a user's pack.
fn page(name: &str, label: &str) -> String {
    address::of(name).map(|address| format!("{label}{address}\n")).unwrap_or_default()
}

fn term_text(Term { word, text }: &Term) -> String {
    format!("{word}: {text}\n{}\n", address::of_word(word))
}

fn operation_text(operation: &Description) -> String {
    let Description { name, text, example, .. } = operation;
    format!("{name}: {text}\n{}\n\nexample:\n  - {example}\n", address::of_operation(name))
}

fn rule_text(pack: &Pack, rules: &[&Rule]) -> String {
    let rule = rules[0];
    let bundle = &pack.line().bundles()[rule.order];
    let made_in = pack.line().of_bundle(rule.order).map(|(_, release)| &release.channel);
    let made_in = made_in.filter(|channel| rule.is_made_in(channel) && **channel != Channel::SINGLE);
    let made_in: Vec<_> = made_in.map(Channel::name).collect();
    let made_in = if made_in.is_empty() { String::new() } else { format!(" ({})", made_in.join(", ")) };
    let kind = |rule: &&Rule| match rule.kind == rule.new_kind {
        true => rule.kind.to_string(),
        false => format!("{} -> {}", rule.kind, rule.new_kind),
    };
    let kinds = rules.iter().map(kind).collect::<Vec<_>>().join(", ");
    let versions = rule.api_versions.as_ref();
    let versions = versions.map(|[old, new]| format!("between: {old} and {new}\n")).unwrap_or_default();
    let within = rule.within.map(|within| format!("valid in: {}\n", pack.line().describe(within))).unwrap_or_default();
    let head = format!("{}\n{}\n", rule.id, rule.summary);
    let facts = format!(
        "kind:    {kinds}\nmade in: {} {bundle}{made_in}\n{versions}{within}source:  {}\n{}",
        pack.title(),
        rule.source,
        page(&rule.id, "page:    "),
    );
    let steps: String = rule.text.lines().map(|line| format!("  {line}\n")).collect();
    let direction = match rule.within {
        Some(_) => "towards these releases, after all other rules:".to_owned(),
        None if let Some([old, new]) = &rule.api_versions => format!(
            "forward, from {old} or older to {new} or newer; backward, each step is undone, the last one first:"
        ),
        // The pack knows no release from before its first one.
        None if rule.is_step() && rule.order == 0 => {
            format!("forward, to {bundle} and newer; it cannot be converted back:")
        }
        None => format!(
            "forward, to {bundle} and newer; backward, to older releases, each step is undone, the last one first:"
        ),
    };
    let native = CONVERSIONS.iter().map(|conversion| &conversion.description);
    let native =
        native.filter(|native| rule.text.lines().any(|line| line.trim_start_matches([' ', '-']) == native.example));
    let native: String = native.map(|native| format!("\n{}: {}\n", native.name, native.text)).collect();
    format!("{head}\n{facts}\n{direction}\n{steps}{native}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::authoring::matrix::{Cost, Subject};
    use crate::engine::finding::Severity;
    use crate::knowledge::lens::{Direction, Fidelity};
    use crate::knowledge::pack::embedded;
    use crate::shell::report::Fate;

    #[test]
    fn every_word_in_reports_is_explained() {
        let severities = [Severity::Note, Severity::Warning, Severity::Unresolved, Severity::Held, Severity::Error]
            .map(Severity::name);
        let outcomes = Fate::ALL.map(Fate::name);
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
        let summary = ["read", "recognized", "to change", "skipped", "failed", "outdated", "all but", "all fit"];
        let parts = [
            "pack",
            "rule",
            "release",
            "bundle",
            "channel",
            "catalog",
            "lens",
            "evidence",
            "stash",
            "claimed",
            "dropped",
            "served",
            "parameter",
        ];
        let words = [&severities[..], &outcomes, &fidelities, &costs, &subjects.map(Subject::name), &summary, &parts];
        let channels = ["single", "standard", "experimental"];
        let directions = [Direction::Forward, Direction::Backward].map(Direction::name);
        let codes: Vec<_> = Code::ALL.iter().map(|code| code.name()).collect();
        let packs = embedded::with(Vec::new()).unwrap();
        for word in words.concat().iter().chain(&channels).chain(&directions).chain(&codes) {
            assert!(answer(word, &packs).unwrap().contains(&format!("{word}: ")), "`explain {word}` has no answer");
        }
    }

    #[test]
    fn a_word_with_two_meanings_has_both_explanations() {
        let packs = embedded::with(Vec::new()).unwrap();
        let text = answer("normalised", &packs).unwrap();
        assert!(text.starts_with("normalized: Cost of a change") && text.contains("\nfinding normalized: "), "{text}");
        assert_eq!(near("held-bak", &packs), ["held-back"]);
        assert!(near("xyzzy", &packs).is_empty());
        assert!(answer("removed", &packs).unwrap().starts_with("removed in: "), "a word of a phrase");
        let exit = "3: Exit code: no object was recognized.";
        assert!(answer("3", &packs).unwrap().starts_with(exit), "a number");
    }

    #[test]
    fn other_spellings_of_a_word_are_known() {
        let packs = embedded::with(Vec::new()).unwrap();
        let starts = [
            ("Recognized", "recognized: "),
            ("Channels", "channel: "),
            ("advisories", "advisory: "),
            ("Held Back", "held-back: "),
            ("gateway-api", "gateway-api: Gateway API v0.1.0"),
            ("gateway-api@1.6/experimental", "gateway-api@1.6.1/experimental: release v1.6.1 of Gateway API"),
            ("exact/held-back", "exact: Cost of a change"),
            ("-", "-: "),
            ("warning[advisory]", "warning: Severity: "),
            ("held-back[too-many-items]", "held-back: Severity, "),
            ("to do by hand", "to do by hand: List "),
            ("other fields", "other fields: "),
            ("by itself", "by itself: "),
            ("crds@tree", "crds: Pack that is made of CRDs: `crds@tree`"),
            ("crds@new", "crds: "),
        ];
        for (word, start) in starts {
            let text = answer(word, &packs).unwrap();
            assert!(text.starts_with(start), "{word}: {text}");
        }
        let head = answer("warning[advisory]", &packs).unwrap();
        assert!(head.contains("\nadvisory: Cost") && head.contains("\nfinding advisory: "), "{head}");
        assert!(answer("warning[no-such]", &packs).is_err());
        assert!(answer("gateway-api@9", &packs).unwrap_err().to_string().contains("has no release"));
    }
}
