//! The texts of all fixtures as templates in which two conditions decide what is printed: what each of the four ways to decide them prints of the
//! converted template is what becomes of what it printed before. One named test for each pack.
//!
//! `REVERSION_CONDITIONS_CASES` sets how many templates are made of each text.

use std::collections::{BTreeMap, BTreeSet};

use libtest_mimic::{Failed, Trial};
use reversion::internals::fixture::Fixture;
use reversion::internals::pack::{Pack, Target};
use reversion::internals::plan::Choices;
use serde_json::Value;

use crate::fixtures::goals;
use crate::support::random::Random;
use crate::support::trees::Tree;
use crate::support::{engine, packs, values};
use crate::{built_in, trial};

const SEED: u64 = 29;

/// The default number of templates that are made of one text.
const CASES: u64 = 1;

/// The four ways to decide two conditions.
const WAYS: [[bool; 2]; 4] = [[true, true], [true, false], [false, true], [false, false]];

pub(crate) fn trials() -> Vec<Trial> {
    let with_rules = packs().iter().filter(|pack| pack.kinds().next().is_some() && !pack.rules().is_empty());
    with_rules.map(|pack| trial("conditions", pack.name(), || conditions(pack))).collect()
}

/// A template, and what becomes of it.
struct Case {
    template: String,
    target: Target<'static>,
}

fn conditions(pack: &'static Pack) -> Result<(), Failed> {
    let count = std::env::var("REVERSION_CONDITIONS_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(CASES);
    let mut cases: BTreeMap<String, Vec<Case>> = BTreeMap::new();
    let is_of_rule = |fixture: &Fixture| pack.rules().iter().any(|rule| fixture.rule() == rule.id);
    for fixture in built_in::fixtures_of(pack).into_iter().filter(is_of_rule) {
        let goals = goals(pack, &fixture);
        let texts = ["before.yaml", "after.yaml", "same.yaml", "back.yaml"];
        for (name, text) in texts.into_iter().filter_map(|name| Some((name, fixture.file(name)?))) {
            let random = |number: u64| Random::new(SEED, &[&fixture.name, name], number);
            for case in (0..count).filter_map(|number| draw(&goals, text, &mut random(number))) {
                cases.entry(case.target.to_string()).or_default().push(case);
            }
        }
    }
    let (mut wrong, mut converted) = (Vec::new(), 0);
    for (target, cases) in cases {
        let files: Vec<(String, &str)> = cases
            .iter()
            .enumerate()
            .map(|(number, case)| (format!("shop/templates/{number}.yaml"), case.template.as_str()))
            .collect();
        let chart = ("shop/Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.0.0\n");
        let tree =
            Tree::of(&files.iter().map(|(name, text)| (name.as_str(), *text)).chain([chart]).collect::<Vec<_>>());
        let said = tree.run(&["apply", "-v", "--yes", "--allow-no-vcs", "--isolated", "--to", &target, "shop"]).all();
        let held = held(&said);
        for (case, (name, _)) in cases.iter().zip(&files) {
            let (after, held) = (tree.text(name), held.get(name.as_str()));
            converted += usize::from(after != case.template);
            if let Some(why) = fault(case, &after, held.is_some()) {
                let held = held.map_or("", String::as_str);
                wrong.push(format!("to {target}: {why}\nof\n{}\nis made\n{after}\n{held}", case.template));
            }
        }
    }
    assert!(converted > 0, "no template of {} is converted", pack.name());
    if wrong.is_empty() { Ok(()) } else { Err(format!("{}\n{}", wrong.len(), wrong.join("\n\n")).into()) }
}

/// Puts two conditions around parts of a text with one object, and draws a target.
fn draw(goals: &[Target<'static>], text: &str, random: &mut Random) -> Option<Case> {
    if text.contains("---") || text.contains("{{") || !is_of(goals[0].pack, text) {
        return None;
    }
    let lines: Vec<&str> = text.lines().collect();
    let parts: Vec<[usize; 2]> = (0..lines.len()).filter_map(|at| part(&lines, at)).collect();
    if parts.len() < 2 {
        return None;
    }
    let chosen: BTreeSet<[usize; 2]> = (0..2).map(|_| *random.pick(&parts)).collect();
    let mut template = String::new();
    for (at, line) in lines.iter().enumerate() {
        for (number, _) in chosen.iter().enumerate().filter(|(_, [start, _])| *start == at) {
            template.push_str(&format!("{}{{{{- if .Values.c{number} }}}}\n", indent(line)));
        }
        template.push_str(&format!("{line}\n"));
        for [start, _] in chosen.iter().rev().filter(|[_, end]| *end == at + 1) {
            template.push_str(&format!("{}{{{{- end }}}}\n", indent(lines[*start])));
        }
    }
    Some(Case { template, target: *random.pick(goals) })
}

/// Returns whether a text is one object of a kind that a pack knows.
fn is_of(pack: &Pack, text: &str) -> bool {
    let rest = |key: &str| text.lines().find_map(|line| line.strip_prefix(key)).map(str::trim);
    let (Some(version), Some(kind)) = (rest("apiVersion:"), rest("kind:")) else { return false };
    let group = version.split_once('/').map_or("", |(group, _)| group);
    pack.kinds().any(|one| one.group == group && one.kind == kind)
}

/// Returns the lines of the field or the item that starts in a line, but for the type of an object.
fn part(lines: &[&str], at: usize) -> Option<[usize; 2]> {
    let line = lines[at];
    let own = line.trim_start();
    let is_type = ["apiVersion:", "kind:"].iter().any(|key| line.starts_with(key));
    if own.is_empty() || own.starts_with('#') || is_type {
        return None;
    }
    let width = indent(line).len();
    let is_item = |line: &str| line.trim_start().starts_with("- ");
    let is_inside = |line: &&&str| {
        let other = indent(line).len();
        line.trim().is_empty() || other > width || (other == width && is_item(line) && !is_item(own))
    };
    Some([at, at + 1 + lines[at + 1..].iter().take_while(is_inside).count()])
}

fn indent(line: &str) -> &str {
    &line[..line.len() - line.trim_start().len()]
}

/// Returns what a template prints.
fn print(template: &str, way: [bool; 2]) -> String {
    let (mut open, mut printed, mut rest) = (Vec::new(), String::new(), template);
    while let Some((before, action)) = rest.split_once("{{-") {
        let (action, behind) = action.split_once("}}").expect("an action ends");
        if open.iter().all(|holds| *holds) {
            printed.push_str(before.trim_end());
        }
        match action.trim() {
            "if .Values.c0" => open.push(way[0]),
            "if .Values.c1" => open.push(way[1]),
            "end" => drop(open.pop().expect("a condition is open")),
            other => panic!("{other} is no action of the template"),
        }
        rest = behind;
    }
    printed + rest
}

/// Returns the files that are held back, with what is said of each.
fn held(said: &str) -> BTreeMap<&str, String> {
    let (mut held, mut why) = (BTreeMap::<&str, String>::new(), None);
    for line in said.lines() {
        // Other places with the same finding are indented.
        if !line.starts_with(' ') {
            why = ["held-back[", "unresolved["].iter().any(|severity| line.contains(severity)).then_some(line);
        }
        let file = line.trim_start().trim_start_matches("also ").split(':').next().unwrap_or_default();
        if let Some(why) = why {
            held.entry(file).or_default().push_str(&format!("{why}\n"));
        }
    }
    held
}

/// Returns what is wrong with a template after the run, which is reported as held back or not.
fn fault(case: &Case, after: &str, is_reported: bool) -> Option<String> {
    let choices = Choices { parameters: packs().default_parameters(), ..Choices::default() };
    WAYS.into_iter().find_map(|way| {
        let (before, after) = (print(&case.template, way), print(after, way));
        // What is no YAML, Helm refuses, too.
        let is_yaml = values(&before).is_ok_and(|all| all.iter().all(Value::is_object));
        let run = is_yaml.then(|| engine::convert_alone(case.target, choices.clone(), &before).expect("an object"))?;
        let (data, is_held) = (values(&run.after).ok()?, run.holds_back());
        let same = values(&after).map(|after: Vec<Value>| after == data);
        match same {
            Err(error) => Some(format!("{way:?} prints no YAML: {error}")),
            Ok(false) if before == after && is_reported => None,
            Ok(false) => Some(format!("{way:?} prints\n{after}\nin place of\n{}", run.after)),
            Ok(true) if is_held && !is_reported => Some(format!("{way:?} is held back without it")),
            Ok(true) => None,
        }
    })
}
