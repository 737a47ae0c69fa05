//! The texts of all fixtures as templates, in which two conditions decide what is printed, or an action prints a value, or all of a mapping, list or
//! item: what a converted template prints is what becomes of what it printed before. One named test for each pack and form.
//!
//! `REVERSION_TEMPLATES_CASES` sets how many templates of a form are made of each text.

use std::collections::{BTreeMap, BTreeSet};

use libtest_mimic::{Failed, Trial};
use reversion::internals::finding::Code;
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

/// What is drawn of a template: nothing where the text has no place for it. The number is that of the template in its chart.
type Draw = fn(lines: &[&str], number: usize, random: &mut Random) -> Option<Template>;

/// What is reported of what is not converted as it would be without actions.
const CONDITIONS: [&str; 2] = ["held-back[", "unresolved["];
/// What an action prints is a reason for a less stable apiVersion that the target serves, which is said.
const VALUES: [&str; 3] = ["held-back[", "unresolved[", "[less-stable-version]"];

const FORMS: [(&str, Draw, &[&str]); 3] =
    [("conditions", conditions, &CONDITIONS), ("values", value, &VALUES), ("structures", structure, &VALUES)];

pub(crate) fn trials() -> Vec<Trial> {
    let with_rules = packs().iter().filter(|pack| pack.kinds().next().is_some() && !pack.rules().is_empty());
    let of_pack = |pack: &'static Pack| {
        FORMS.map(|(form, draw, reported)| {
            trial("templates", &format!("{form}_{}", pack.name()), move || run(pack, draw, reported))
        })
    };
    with_rules.flat_map(of_pack).collect()
}

/// A template, with a line of the values of its chart.
struct Template {
    text: String,
    value: String,
    ways: Vec<Way>,
}

/// A way to decide two conditions, and what an action prints.
struct Way {
    holds: [bool; 2],
    printed: Option<[String; 2]>,
}

/// A template, and what becomes of it.
struct Case {
    template: Template,
    target: Target<'static>,
}

fn run(pack: &'static Pack, draw: Draw, reported: &[&str]) -> Result<(), Failed> {
    let count = std::env::var("REVERSION_TEMPLATES_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(CASES);
    let mut cases: BTreeMap<String, Vec<Case>> = BTreeMap::new();
    let is_of_rule = |fixture: &Fixture| pack.rules().iter().any(|rule| fixture.rule() == rule.id);
    for fixture in built_in::fixtures_of(pack).into_iter().filter(is_of_rule) {
        let goals = goals(pack, &fixture);
        let texts = ["before.yaml", "after.yaml", "same.yaml", "back.yaml"];
        for (name, text) in texts.into_iter().filter_map(|name| Some((name, fixture.file(name)?))) {
            let random = |number: u64| Random::new(SEED, &[&fixture.name, name], number);
            if text.contains("---") || text.contains("{{") || !is_of(goals[0].pack, text) {
                continue;
            }
            let lines: Vec<&str> = text.lines().collect();
            for mut random in (0..count).map(random) {
                let target = *random.pick(&goals);
                let cases = cases.entry(target.to_string()).or_default();
                let template = draw(&lines, cases.len(), &mut random);
                cases.extend(template.map(|template| Case { template, target }));
            }
        }
    }
    let (mut wrong, mut converted) = (Vec::new(), 0);
    for (target, cases) in cases {
        let files: Vec<(String, &str)> = cases
            .iter()
            .enumerate()
            .map(|(number, case)| (format!("shop/templates/{number}.yaml"), case.template.text.as_str()))
            .collect();
        let values: String = cases.iter().map(|case| case.template.value.as_str()).collect();
        let chart = ("shop/Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.0.0\n");
        let beside = [chart, ("shop/values.yaml", &values)];
        let files = files.iter().map(|(name, text)| (name.as_str(), *text));
        let tree = Tree::of(&files.clone().chain(beside).collect::<Vec<_>>());
        let said = tree.run(&["apply", "-v", "--yes", "--allow-no-vcs", "--isolated", "--to", &target, "shop"]).all();
        let held = held(&said, reported);
        for (case, (name, _)) in cases.iter().zip(files) {
            let (after, held) = (tree.text(name), held.get(name));
            converted += usize::from(after != case.template.text);
            if let Some(why) = fault(case, &after, held.is_some()) {
                let held = held.map_or("", String::as_str);
                let of = &case.template;
                wrong.push(format!("to {target}: {why}\nof\n{}\n{}\nis made\n{after}\n{held}", of.text, of.value));
            }
        }
    }
    assert!(converted > 0, "no template of {} is converted", pack.name());
    if wrong.is_empty() { Ok(()) } else { Err(format!("{}\n{}", wrong.len(), wrong.join("\n\n")).into()) }
}

/// Puts two conditions around parts of a text with one object.
fn conditions(lines: &[&str], _number: usize, random: &mut Random) -> Option<Template> {
    let parts: Vec<[usize; 2]> = (0..lines.len()).filter_map(|at| part(lines, at)).collect();
    if parts.len() < 2 {
        return None;
    }
    let chosen: BTreeSet<[usize; 2]> = (0..2).map(|_| *random.pick(&parts)).collect();
    let mut text = String::new();
    for (at, line) in lines.iter().enumerate() {
        for (number, _) in chosen.iter().enumerate().filter(|(_, [start, _])| *start == at) {
            text.push_str(&format!("{}{{{{- if .Values.c{number} }}}}\n", indent(line)));
        }
        text.push_str(&format!("{line}\n"));
        for [start, _] in chosen.iter().rev().filter(|[_, end]| *end == at + 1) {
            text.push_str(&format!("{}{{{{- end }}}}\n", indent(lines[*start])));
        }
    }
    let ways = [[true, true], [true, false], [false, true], [false, false]];
    let ways = ways.map(|holds| Way { holds, printed: None }).into();
    Some(Template { text, value: String::new(), ways })
}

/// Puts an action in the place of a scalar, of which the chart has the value, or the action has it as a default.
fn value(lines: &[&str], number: usize, random: &mut Random) -> Option<Template> {
    let scalars: Vec<(usize, &str, Value)> = (0..lines.len()).filter_map(|at| scalar(at, lines[at])).collect();
    let (at, before, value) = scalars.get(random.below(scalars.len().max(1)))?;
    let own = Value::to_string(value);
    let (action, value, printed) = match value {
        Value::String(_) if random.below(2) == 0 => {
            (format!("{{{{ .Values.other | default {own} | quote }}}}"), String::new(), own)
        }
        Value::String(_) => (format!("{{{{ .Values.v{number} | quote }}}}"), format!("v{number}: {own}\n"), own),
        _ => (format!("{{{{ .Values.v{number} }}}}"), format!("v{number}: {own}\n"), own),
    };
    let line = format!("{before}{action}");
    let text = lines.iter().enumerate().map(|(other, own)| if other == *at { line.as_str() } else { own });
    let text = text.map(|line| format!("{line}\n")).collect();
    Some(Template { text, value, ways: vec![Way { holds: [true; 2], printed: Some([action, printed]) }] })
}

/// Puts an action in the place of a mapping, a list, or an item of one, of which the chart has the value.
fn structure(lines: &[&str], number: usize, random: &mut Random) -> Option<Template> {
    let parts: Vec<[usize; 2]> = (0..lines.len()).filter_map(|at| part(lines, at)).collect();
    let structures: Vec<([usize; 2], Value)> =
        parts.into_iter().filter_map(|part| Some((part, inside(lines, part)?))).collect();
    let ([start, end], value) = structures.get(random.below(structures.len().max(1)))?;
    let (line, own) = (lines[*start], Value::to_string(value));
    let (before, is_item) = match line.trim_start().starts_with("- ") {
        true => (format!("{}- ", indent(line)), true),
        false => (line.to_owned(), false),
    };
    let (action, printed, between) = match random.below(2) {
        0 => (format!("{{{{ toJson .Values.v{number} }}}}"), own.clone(), if is_item { "" } else { " " }),
        _ if is_item => {
            let width = indent(line).len() + 2;
            let rest = lines[start + 1..*end].iter().fold(line[width..].to_owned(), |all, line| all + "\n" + line);
            (format!("{{{{ toYaml .Values.v{number} | indent {width} | trim }}}}"), rest, "")
        }
        _ => {
            let width = indent(lines[start + 1]).len();
            (format!("{{{{ toYaml .Values.v{number} | indent {width} }}}}"), lines[start + 1..*end].join("\n"), "\n")
        }
    };
    let (above, below) = (&lines[..*start], &lines[*end..]);
    let replaced = format!("{before}{between}{action}");
    let text = above.iter().copied().chain([replaced.as_str()]).chain(below.iter().copied());
    let text = text.map(|line| format!("{line}\n")).collect();
    let ways = vec![Way { holds: [true; 2], printed: Some([action, printed]) }];
    Some(Template { text, value: format!("v{number}: {own}\n"), ways })
}

/// Returns the value of the field or item in these lines, if that is a mapping or list in block style without comments.
fn inside(lines: &[&str], [start, end]: [usize; 2]) -> Option<Value> {
    let text = lines[start..end].iter().fold(String::new(), |all, line| all + line + "\n");
    if text.contains('#') || text.contains(['&', '*', '!', '|', '>']) {
        return None;
    }
    let value: Value = values(&text).ok()?.pop()?;
    let value = match value {
        Value::Array(items) => items.into_iter().next()?,
        Value::Object(map) if map.len() == 1 && lines[start].ends_with(':') => map.into_iter().next()?.1,
        _ => return None,
    };
    let has_lines = end > start + 1 || lines[start].trim_start().starts_with("- ");
    let is_structure = value.is_object() || value.is_array();
    // What is empty is for users to set.
    (has_lines && is_structure && !has_empty(&value)).then_some(value)
}

/// Returns whether a value is null or an empty mapping or list, or has one.
fn has_empty(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.is_empty() || items.iter().any(has_empty),
        Value::Object(map) => map.is_empty() || map.values().any(has_empty),
        Value::Null => true,
        Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// Returns what is before the scalar in a line of block style, and the scalar; nothing of the type of an object.
fn scalar(at: usize, line: &str) -> Option<(usize, &str, Value)> {
    let text = line.rsplit(": ").next().filter(|text| text.len() < line.len())?;
    let before = &line[..line.len() - text.len()];
    let is_plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-./_*".contains(&byte));
    let inside = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
    let is_type = ["apiVersion:", "kind:"].iter().any(|key| line.starts_with(key));
    let value: Value = values(text).ok()?.pop()?;
    let is_key = is_plain(before.trim_start_matches([' ', '-']).trim_end_matches(": "));
    (is_key && !is_type && is_plain(inside) && !value.is_null()).then_some((at, before, value))
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
fn print(template: &str, Way { holds: way, printed: value }: &Way) -> String {
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
    printed.push_str(rest);
    value.iter().fold(printed, |printed, [action, value]| printed.replace(action, value))
}

/// Returns the files of which something `reported` is said, with that.
fn held<'s>(said: &'s str, reported: &[&str]) -> BTreeMap<&'s str, String> {
    let (mut held, mut why) = (BTreeMap::<&str, String>::new(), None);
    for line in said.lines() {
        // Other places with the same finding are indented.
        if !line.starts_with(' ') {
            why = reported.iter().any(|severity| line.contains(severity)).then_some(line);
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
    case.template.ways.iter().find_map(|way| {
        let (before, after) = (print(&case.template.text, way), print(after, way));
        // What is no YAML, Helm refuses, too.
        let is_yaml = values(&before).is_ok_and(|all| all.iter().all(Value::is_object));
        let run = is_yaml.then(|| engine::convert_alone(case.target, choices.clone(), &before).expect("an object"))?;
        // A text that is of two releases is not one by what is written of it.
        let is_mixed = run.reports(Code::ConflictingFields);
        let (data, is_held) = (values(&run.after).ok()?, run.holds_back());
        let same = values(&after).map(|after: Vec<Value>| after == data);
        match same {
            Err(error) => Some(format!("{:?} prints no YAML: {error}", way.holds)),
            // A reference that an action prints is left to people.
            Ok(false) if is_mixed => None,
            Ok(false) if is_reported && (before == after || way.printed.is_some()) => None,
            Ok(false) => Some(format!("{:?} prints\n{after}\nin place of\n{}", way.holds, run.after)),
            Ok(true) if is_held && !is_reported => Some(format!("{:?} is held back without it", way.holds)),
            Ok(true) => None,
        }
    })
}
