//! Mutation test of the rules: every rule is broken in every way listed in [`mutants`], one at a time, and for each mutant a
//! fixture or a static check of packs must fail.
//!
//! A mutant is run on the fixtures of its rule, then on the static checks, then on all other fixtures of the pack; the table
//! at the end lists which of them detected it first. A mutant that fails to load does not count. `tests/mutate-rules.sh` runs
//! this with `REVERSION_RULE_MUTANTS=all`; any other value tries only removed rules, operations and tests and wrong channels,
//! and without a value nothing runs. Mutants that no test can detect are listed in [`EQUIVALENT`] with the reason.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::sync::Mutex;

use libtest_mimic::{Failed, Trial};
use reversion::internals::fixture::Fixture;
use reversion::internals::pack::lint::lint;
use reversion::internals::pack::{PackFiles, load};
use reversion::internals::pack::{Packs, embedded};
use serde_json::{Map, Value, json};

use crate::support::{packs, root};
use crate::{built_in, trial};

/// Mutants equivalent to their rule, by a part of their name, with the reason.
const EQUIVALENT: &[(&str, &str)] = &[
    ("gathered-per-port: gone: lens[0]", GATHER_REFUSES),
    ("gathered-per-port: without lens[0].when.each", GATHER_REFUSES),
    ("gathered-per-port: lens[0].when.each:", GATHER_REFUSES),
    ("gathered-per-port: lens[0].when.if.present:", GATHER_REFUSES),
    ("gathered-per-port: lens[0].when.then[0].refuse.direction:", GATHER_REFUSES),
    ("grpcroute-matches-lost-their-default: lens[0].when.then[0].refuse.at:", NO_PLACE),
    ("httproute-redirect-keeps-method: channels: [\"standard\"]", NO_CLAIM),
    ("httproute-redirect-keeps-method: channels: [\"experimental\"]", NO_CLAIM),
    ("httproute-retry-codes-became-a-set: channels: [\"standard\"]", NO_CLAIM),
    ("httproute-retry-codes-became-a-set: channels: [\"standard\",\"experimental\"]", NO_CLAIM),
    ("nginxproxy-became-namespaced: lens[1].when.if.equals.", WRITTEN_BEFORE),
    ("nginxproxy-became-namespaced: without lens[1].when.then[1].default.after", WRITTEN_BEFORE),
    ("nginxproxy-became-namespaced: lens[1].when.then[1].default.after:", WRITTEN_BEFORE),
    ("nginxproxy-became-namespaced: without lens[1].when.then[1].default.forward", NOTE_MORE),
    ("nginxproxy-became-namespaced: without lens[1].when.then[2].default.after", WRITTEN_BEFORE),
    ("nginxproxy-became-namespaced: lens[1].when.then[2].default.after:", WRITTEN_BEFORE),
    ("nginxproxy-became-namespaced: without lens[1].when.then[2].default.forward", NOTE_MORE),
    ("nginxproxy-became-namespaced: without lens[1].when.then[2].default.missing", WRITTEN_BEFORE),
];

const GATHER_REFUSES: &str =
    "`frontend-validation-per-port` refuses the same objects at the same place; this one says it in a clearer message";
const NO_PLACE: &str = "an absent field has no place; whatever its name, its parent is reported";
const NO_CLAIM: &str = "the channels of a rule have no effect, and without a claim nothing checks them";
const WRITTEN_BEFORE: &str =
    "forward, lens[0] has written the namespace or held the object back; backward does not use it";
const NOTE_MORE: &str =
    "forward, lens[0] has written the namespace; backward reports one more note, and fixtures have no notes";

/// Which check detected each mutant.
static NOTICED: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());

pub(crate) fn trials() -> Vec<Trial> {
    let Ok(which) = std::env::var("REVERSION_RULE_MUTANTS") else { return Vec::new() };
    let all = which == "all";
    let bench: &'static Bench = Box::leak(Box::new(Bench::new(packs())));
    let files =
        bench.packs.iter().flat_map(|(pack, files)| files.keys().map(move |file| (pack.as_str(), file.as_str())));
    let rules = files.filter(|(_, file)| file.contains('/') && file.ends_with(".yaml"));
    let mut trials = vec![trial("mutants", "every fixture holds while nothing is broken", || bench.unbroken())];
    for (pack, file) in rules {
        let text = &bench.packs[pack][file];
        for (what, mutant) in mutants(text)
            .into_iter()
            .filter(|(what, _)| all || what.starts_with("gone") || what.starts_with("channels"))
        {
            let name = format!("{pack}/{}: {what}", file.trim_end_matches(".yaml"));
            trials.push(trial("mutants", &name.clone(), move || bench.run(pack, file, &name, mutant.as_ref())));
        }
    }
    trials
}

/// The packs and fixtures on which every mutant is run.
struct Bench {
    packs: BTreeMap<String, PackFiles>,
    fixtures: Vec<Fixture>,
    /// The names of the files below `fixtures/`, for the static checks.
    listed: Vec<String>,
}

impl Bench {
    fn new(packs: &Packs) -> Self {
        let root = root();
        let files_of = |name: &str| -> PackFiles {
            let folder = root.join("rules").join(name);
            let listed = load::list_folder(&folder).expect("the folder of a built-in pack");
            let data = listed.into_iter().filter(|file| file.ends_with(".yaml") || file.ends_with(".tsv"));
            let text = |file: &str| std::fs::read_to_string(folder.join(file)).expect("a file of a built-in pack");
            data.map(|file| {
                let text: &'static str = text(&file).leak();
                (file, Cow::Borrowed(text))
            })
            .collect()
        };
        Self {
            packs: packs.iter().map(|pack| (pack.name().to_owned(), files_of(pack.name()))).collect(),
            fixtures: built_in::fixtures(packs),
            listed: load::list_folder(&root.join("fixtures")).expect("the fixtures"),
        }
    }

    /// Fails if a fixture fails without a mutant: it would seem to detect every one.
    fn unbroken(&self) -> Result<(), Failed> {
        let packs = self.packs.iter().map(|(pack, files)| load::load(pack, files.clone()));
        let packs = embedded::with(packs.collect::<Result<_, _>>()?)?;
        let wrong = |fixture: &Fixture| Some(format!("{}: {:?}", fixture.name, fixture.run(&packs).err()?));
        let reported: Vec<String> = self.fixtures.iter().filter_map(wrong).collect();
        if reported.is_empty() { Ok(()) } else { Err(reported.join("\n").into()) }
    }

    /// Fails if no check detects that `file` of `pack` is replaced by `mutant`, or removed if that is `None`.
    fn run(&self, pack: &str, file: &str, name: &str, mutant: Option<&Value>) -> Result<(), Failed> {
        let noticed = self.notice(pack, file, mutant);
        let listed = EQUIVALENT.iter().find(|(part, _)| name.contains(part));
        let reason = || listed.map(|(_, reason)| format!("equivalent: {reason}"));
        let reported = noticed.clone().or_else(reason).unwrap_or_else(|| "NOTHING".to_owned());
        NOTICED.lock().expect("no test panics while it holds the lock").insert(name.to_owned(), reported);
        match (listed, noticed) {
            (None, Some(_)) | (Some(_), None) => Ok(()),
            (None, None) => Err("no test detects".into()),
            (Some((part, _)), Some(noticed)) => Err(format!("listed as equivalent ({part}), but {noticed}").into()),
        }
    }

    fn notice(&self, pack: &str, file: &str, mutant: Option<&Value>) -> Option<String> {
        let mut files = self.packs[pack].clone();
        match mutant {
            Some(mutant) => files.insert(file.to_owned(), Cow::Owned(mutant.to_string())),
            None => files.remove(file),
        };
        let packs = match load::load(pack, files).and_then(|pack| embedded::with(vec![pack])) {
            Ok(packs) => packs,
            Err(failure) => return Some(format!("does not load: {failure:#}")),
        };
        let own = format!("{pack}/{}/", file.trim_end_matches(".yaml"));
        let (mine, others): (Vec<_>, Vec<_>) = self.fixtures.iter().partition(|fixture| fixture.name.starts_with(&own));
        let fails = |fixtures: Vec<&Fixture>| {
            let failing = fixtures.into_iter().find(|fixture| fixture.run(&packs).is_err());
            failing.map(|fixture| format!("fixture {}", fixture.name))
        };
        let is_wrong =
            || lint(packs.named(pack).ok()?, Some(&self.listed)).first().map(|wrong| format!("lint: {wrong}"));
        fails(mine).or_else(is_wrong).or_else(|| fails(others))
    }
}

/// Returns every mutant of the rule `text` with a description: the whole rule is removed; each operation, test, item and
/// optional part is removed; each field and value is replaced; each direction and channel is swapped.
fn mutants(text: &str) -> Vec<(String, Option<Value>)> {
    let rule: Value = serde_yaml::from_str(text).expect("a rule that loads");
    let mut found = vec![("gone".to_owned(), None)];
    let mut put = |what: String, key: &str, value: Value| {
        let mut mutant = rule.clone();
        mutant[key] = value;
        found.push((what, Some(mutant)));
    };
    for (what, lens) in broken(&rule["lens"], "lens", "lens") {
        put(what, "lens", lens);
    }
    for (what, kinds) in without_items(&rule["kind"], "kind") {
        put(what, "kind", kinds);
    }
    let names = |channels: &Value| channels.as_array().into_iter().flatten().map(Value::to_string).collect();
    let written: BTreeSet<String> = names(&rule["channels"]);
    for channels in
        [json!(["single"]), json!(["standard"]), json!(["experimental"]), json!(["standard", "experimental"])]
    {
        // A rule that names none is of a pack without channels.
        let is_same = written.is_empty() && channels == json!(["single"]);
        if names(&channels) != written && !is_same {
            put(format!("channels: {channels}"), "channels", channels);
        }
    }
    for within in rule["within"].as_str().into_iter().flat_map(other_releases) {
        put(format!("within: {within}"), "within", json!(within));
    }
    found
}

/// Returns wrong sets of releases: `standard v0.8.0.., experimental v0.8.0..` without one of its parts, or with one that
/// has another end, or another channel where it is the only one; a range without a channel is of a pack that has none.
fn other_releases(set: &str) -> Vec<String> {
    let parts: Vec<&str> = set.split(", ").collect();
    let with = |at: usize, part: Option<String>| {
        let mut parts: Vec<String> = parts.iter().map(|&part| part.to_owned()).collect();
        match part {
            Some(part) => parts[at] = part,
            None => drop(parts.remove(at)),
        }
        parts.join(", ")
    };
    let mut sets = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        let (channel, range) = part.split_once(' ').unwrap_or(("single", part));
        // One release alone is a range of itself.
        let (from, to) = range.split_once("..").unwrap_or((range, range));
        let end = if to.is_empty() { from } else { "" };
        sets.push(with(at, Some(format!("{channel} {from}..{end}"))));
        if parts.len() > 1 {
            sets.push(with(at, None));
        } else {
            let other = if channel == "standard" { "experimental" } else { "standard" };
            sets.push(with(at, Some(format!("{other} {range}"))));
        }
    }
    sets
}

/// Keys of text for users, which has no effect on a conversion.
const PROSE: &[&str] = &["reason", "help"];

/// Returns every mutant of `value`, which is at `place` under `key`.
fn broken(value: &Value, place: &str, key: &str) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    match value {
        Value::Array(items) => {
            found.extend(without_items(value, place));
            for (at, item) in items.iter().enumerate() {
                found.extend(broken(item, &format!("{place}[{at}]"), key).into_iter().map(|(what, broken)| {
                    let mut items = items.clone();
                    items[at] = broken;
                    (what, Value::Array(items))
                }));
            }
        }
        Value::Object(map) => {
            for (name, inner) in map.iter().filter(|(name, _)| !PROSE.contains(&name.as_str())) {
                let below = format!("{place}.{name}");
                let but = |broken: Option<Value>| {
                    let entries = map.iter().filter_map(|(other, old)| match (other == name, &broken) {
                        (true, None) => None,
                        (true, Some(broken)) => Some((other.clone(), broken.clone())),
                        (false, _) => Some((other.clone(), old.clone())),
                    });
                    Value::Object(entries.collect::<Map<_, _>>())
                };
                if map.len() > 1 {
                    found.push((format!("without {below}"), but(None)));
                }
                found.extend(broken(inner, &below, name).into_iter().map(|(what, broken)| (what, but(Some(broken)))));
            }
        }
        _ => found.extend(scalar(value, key).map(|other| (format!("{place}: {value} -> {other}"), other))),
    }
    found
}

/// Returns the list without each of its items in turn, if it has several or the items are operations.
fn without_items(list: &Value, place: &str) -> Vec<(String, Value)> {
    let items = list.as_array().map_or(&[][..], Vec::as_slice);
    let without = |at: usize| {
        let rest = items.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, item)| item.clone());
        (format!("gone: {place}[{at}]"), Value::Array(rest.collect()))
    };
    (0..items.len()).map(without).collect()
}

/// Returns another value of the same type; `None` for null.
fn scalar(value: &Value, key: &str) -> Option<Value> {
    let swapped = |text: &str| match (key, text) {
        ("direction", "forward") => "backward".to_owned(),
        ("direction", "backward") => "forward".to_owned(),
        ("forward" | "backward", "elide") => "write".to_owned(),
        ("forward" | "backward", "write") => "elide".to_owned(),
        _ => {
            let name = text.trim_end_matches(['[', ']', '{', '}']);
            format!("{name}x{}", &text[name.len()..])
        }
    };
    match value {
        Value::Null | Value::Array(_) | Value::Object(_) => None,
        Value::Bool(holds) => Some(json!(!holds)),
        Value::Number(number) => Some(json!(number.as_i64()? + 1)),
        Value::String(text) => Some(json!(swapped(text))),
    }
}

/// Prints which check detected each mutant, and how many each check detected.
pub(crate) fn print_table() {
    let noticed = NOTICED.lock().expect("no test panics while it holds the lock");
    if noticed.is_empty() {
        return;
    }
    let mut out = std::io::stdout().lock();
    let mut print = |text: String| writeln!(out, "{text}").expect("standard output takes text");
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (mutant, by) in noticed.iter() {
        print(format!("{mutant}\n    {by}"));
        let kind = ["does not load", "fixture", "lint", "equivalent"].into_iter().find(|kind| by.starts_with(kind));
        *counts.entry(kind.unwrap_or("nothing")).or_default() += 1;
    }
    print(format!("noticed by: {counts:?}"));
}
