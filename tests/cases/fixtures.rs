//! Every rule on its fixtures: one named test for each folder, as described in `reversion::internals::fixture`. Besides those of the built-in
//! packs there are packs that show what the language of rules can say, each with its own fixtures: `fixtures/packs/<pack>`.

use std::collections::BTreeSet;
use std::path::PathBuf;

use libtest_mimic::{Failed, Trial};
use reversion::internals::field::{FieldPath, Step};
use reversion::internals::fixture::{Fixture, of_pack};
use reversion::internals::lens::{Direction, Session};
use reversion::internals::pack::{Pack, Packs, Rule, Target, load};
use reversion::internals::plan::{AllowedLoss, Choices, Keeping};
use reversion::internals::yaml::{parse, read_value};
use serde_json::Value;

use crate::support::{engine, packs, root};
use crate::{built_in, trial};

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = trials_of("", packs(), built_in::fixtures(packs()));
    let run_twice = packs().iter().filter(|pack| TWICE.contains(&pack.name()));
    trials.extend(run_twice.map(|pack| trial("fixtures", &format!("{}/twice", pack.name()), || twice(pack))));
    let looks = packs().iter().filter(|pack| pack.rules().iter().any(|rule| rule.values.is_none()));
    trials.extend(looks.map(|pack| trial("fixtures", &format!("{}/footprints", pack.name()), || footprints(pack))));
    trials.extend(own_packs().into_iter().flat_map(|(packs, fixtures)| trials_of("packs/", packs, fixtures)));
    trials
}

/// Without a field that a rule does not look at, it makes the same of an object, but for that field: each rule on the objects of its fixtures, in both
/// directions, without each such field that is beside another one.
fn footprints(pack: &'static Pack) -> Result<(), Failed> {
    let (mut wrong, mut tried) = (Vec::new(), 0);
    for fixture in built_in::fixtures_of(pack) {
        let rule = pack.rules().iter().filter(|rule| fixture.rule() == rule.id && rule.values.is_none());
        let texts = ["before.yaml", "after.yaml", "same.yaml"].into_iter().filter_map(|name| fixture.file(name));
        let objects: Vec<Value> = texts.flat_map(documents).filter(Value::is_object).collect();
        for (rule, object) in rule.flat_map(|rule| objects.iter().map(move |object| (rule, object))) {
            for direction in [Direction::Forward, Direction::Backward] {
                let made = run(rule, direction, object);
                for beside in fields(object) {
                    let apart: Vec<FieldPath> = beside.into_iter().filter(|path| !rule.looks_at(path)).collect();
                    for path in apart.iter().filter(|_| apart.len() > 1) {
                        let less = run(rule, direction, &without(object, path));
                        tried += 1;
                        if less != made.as_ref().map(|made| without(made, path)) {
                            wrong.push(format!("{} {direction:?} without {path}: {less:?}\nof\n{object}", rule.id));
                        }
                    }
                }
            }
        }
    }
    assert!(tried > 0, "no rule of {} has a field that it does not look at", pack.name());
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n\n").into()) }
}

fn documents(text: &str) -> Vec<Value> {
    let tree = parse(text).expect("a fixture is YAML");
    tree.documents().iter().map(|one| read_value(&tree, text, one.root).expect("a fixture has data")).collect()
}

/// Returns what a rule makes of an object, if it can convert it.
fn run(rule: &Rule, direction: Direction, object: &Value) -> Option<Value> {
    let mut session = Session::new(object.clone());
    rule.lens(direction).run(&mut session).ok()?;
    Some(session.object().clone())
}

/// Returns the paths of the fields of an object, those of one mapping or list together, but for its type and metadata.
fn fields(object: &Value) -> Vec<Vec<FieldPath>> {
    let (mut found, mut open) = (Vec::new(), vec![FieldPath::default()]);
    while let Some(path) = open.pop() {
        let is_other =
            |key: &&String| !path.steps().is_empty() || !["apiVersion", "kind", "metadata"].contains(&key.as_str());
        let inside: Vec<FieldPath> = match path.get(object) {
            Some(Value::Object(map)) => map.keys().filter(is_other).map(|key| path.key(key)).collect(),
            Some(Value::Array(items)) => (0..items.len()).map(|index| path.index(index)).collect(),
            _ => Vec::new(),
        };
        open.extend(inside.iter().cloned());
        found.push(inside);
    }
    found
}

fn without(object: &Value, path: &FieldPath) -> Value {
    let mut object = object.clone();
    let (outer, last) = path.split_last().expect("a field is in something");
    match (outer.get_mut(&mut object), last) {
        (Some(Value::Object(map)), Step::Key(key)) => drop(map.remove(key)),
        (Some(Value::Array(items)), Step::Index(index)) if *index < items.len() => drop(items.remove(*index)),
        _ => {}
    }
    object
}

/// Loads each pack in `fixtures/packs` alone, with its fixtures.
fn own_packs() -> Vec<(&'static Packs, Vec<Fixture>)> {
    let root = root().join("fixtures/packs");
    let mut folders: Vec<_> =
        root.read_dir().expect("fixtures/packs").map(|entry| entry.expect("a readable folder").path()).collect();
    folders.sort();
    // One that only describes carriers has cases in `fixtures/carriers`.
    folders.retain(|folder| !folder.join("carriers.yaml").is_file() || folder.join(load::FIXTURES).is_dir());
    let load = |folder: PathBuf| {
        let pack = load::read_folder(&folder).expect("the pack loads");
        let files = load::read_texts(&folder.join(load::FIXTURES)).expect("the pack has fixtures, which are texts");
        let fixtures = of_pack(&pack, load::FIXTURES, &files);
        assert!(fixtures.problems.is_empty(), "{}: {:?}", folder.display(), fixtures.problems);
        assert!(!fixtures.cases.is_empty(), "{} has no fixtures", folder.display());
        let packs: &'static Packs = Box::leak(Box::new(Packs::new(vec![pack]).expect("one pack")));
        (packs, fixtures.cases)
    };
    folders.into_iter().map(load).collect()
}

fn trials_of(prefix: &str, packs: &'static Packs, fixtures: Vec<Fixture>) -> Vec<Trial> {
    let named = fixtures.into_iter().map(|fixture| (format!("{prefix}{}", fixture.name), fixture));
    named
        .map(|(name, fixture)| {
            trial("fixtures", &name, move || fixture.run(packs).map_err(|failure| failure.to_string().into()))
        })
        .collect()
}

/// The packs whose fixtures are converted twice; the laws do the same with objects that are drawn, of every pack.
const TWICE: [&str; 9] = [
    "cilium",
    "cluster-api",
    "envoy-gateway",
    "gateway-api-inference-extension",
    "istio",
    "karpenter",
    "keda",
    "tekton",
    "traefik",
];

/// What one run leaves, a second one leaves too: every text of every fixture, to the oldest and the newest release and to those on both sides
/// of its rule, whether losses are allowed, kept in the stash, or neither.
fn twice(pack: &'static Pack) -> Result<(), Failed> {
    let plain = Choices { parameters: packs().default_parameters(), ..Choices::default() };
    let ways = [
        plain.clone(),
        Choices { keeping: Keeping::Stash, ..plain.clone() },
        Choices { allowed: AllowedLoss::All, ..plain },
    ];
    let mut changes = BTreeSet::new();
    for fixture in built_in::fixtures_of(pack) {
        let goals = goals(pack, &fixture);
        let texts =
            ["before.yaml", "after.yaml", "same.yaml", "back.yaml"].iter().filter_map(|name| fixture.file(name));
        for (text, target) in texts.flat_map(|text| goals.iter().map(move |target| (text, *target))) {
            changes.extend(ways.iter().filter_map(|choices| change_of_a_second_run(target, choices, text)));
        }
    }
    if changes.is_empty() { Ok(()) } else { Err(Vec::from_iter(changes).join("\n\n").into()) }
}

/// Returns the oldest and the newest release of `pack`, and those on both sides of the rule that `fixture` is about.
pub(crate) fn goals(pack: &'static Pack, fixture: &Fixture) -> Vec<Target<'static>> {
    let rule = pack.rules().iter().find(|rule| fixture.name.starts_with(&format!("{}/", rule.id)));
    let order = rule.expect("a fixture is about a rule").order;
    let releases: Vec<_> = pack.line().iter().collect();
    let last = releases.len() - 1;
    let is_goal = |at: usize, its: usize| at == 0 || at == last || its == order || its + 1 == order;
    let goals = releases.iter().enumerate().filter(|(at, (_, release))| is_goal(*at, release.order));
    goals.map(|(_, (release, _))| Target::new(pack, *release)).collect()
}

/// Returns what a second run to `target` makes of what the first made of `text`, if that is another text.
fn change_of_a_second_run(target: Target<'_>, choices: &Choices, text: &str) -> Option<String> {
    // What is not read alone is a part of no run, and nothing known is left where its kind went.
    let once = engine::convert(target, choices.clone(), text).ok()?;
    let again = engine::convert(target, choices.clone(), &once.after).ok()?;
    let (target, once, again) = (target.name(), once.after, again.after);
    (again != once).then(|| format!("to {target}, of\n{text}\nis made\n{once}\nand then\n{again}"))
}
