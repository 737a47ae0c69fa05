//! Checks that plan.schema.json is the schema of the plans that the program saves.
//!
//! Plans of the repositories in the fixtures are valid. The schema and the program reject the same damaged plans,
//! except for what only one of them checks.

use std::fs;

use jsonschema::Validator;
use reversion::internals::report::saved_plan::SavedPlan;
use serde_json::{Value, json};

use crate::support::{program, root};

fn schema() -> Validator {
    let text = fs::read_to_string(root().join("plan.schema.json")).unwrap();
    let schema: Value = serde_json::from_str(&text).unwrap();
    jsonschema::meta::validate(&schema).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

fn plan(folder: &str, arguments: &[&str]) -> Value {
    let mut command = program();
    command.current_dir(root()).args(["plan", "--out", "-", folder]).args(arguments);
    let output = command.output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{folder}: {error}\n{err}"))
}

#[track_caller]
fn check_valid(plan: &Value) {
    let flaws: Vec<_> = schema().iter_errors(plan).map(|flaw| format!("{}: {flaw}", flaw.instance_path())).collect();
    assert_eq!(flaws, [""; 0]);
    assert!(SavedPlan::parse(plan.to_string().as_bytes()).is_ok());
}

#[test]
fn saved_plans_match_the_schema() {
    let shop = "fixtures/repos/shop-1.0-experimental";
    let up = plan(shop, &["--to", "gateway-api@1.6/experimental"]);
    check_valid(&up);
    let outcomes = |plan: &Value, outcome: &str| {
        plan["objects"].as_array().unwrap().iter().filter(|object| object["outcome"] == outcome).count()
    };
    assert!(outcomes(&up, "changed") > 0 && up["noop"] == json!(false));
    let down = plan("fixtures/crds/routes", &["--to", "gateway-api@1.0/standard"]);
    check_valid(&down);
    assert!(outcomes(&down, "held-back") > 0, "{down:#}");
    check_valid(&plan("fixtures/crds/routes", &["--to", "gateway-api@1.0/standard", "--stash"]));
    check_valid(&plan("fixtures/repos/platform-1.3", &["--to", "gateway-api@1.6/experimental", "--allow-loss"]));
    let noop = plan("fixtures/crds/routes", &["--to", "gateway-api@1.6/experimental"]);
    check_valid(&noop);
    assert_eq!(noop["noop"], json!(true));
}

/// Returns the places of every key in a value, and of every item.
fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => map.iter().for_each(|(key, value)| {
            found.push(format!("{at}/{key}"));
            places(value, &format!("{at}/{key}"), found);
        }),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| places(item, &format!("{at}/{index}"), found))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn schema_and_program_reject_the_same_damaged_plans() {
    let schema = schema();
    let plan = plan("fixtures/repos/shop-1.0-experimental/apps/base/orders", &["--to", "gateway-api@1.6/experimental"]);
    let mut keys = Vec::new();
    places(&plan, "", &mut keys);
    // The program does not check objects; optional texts of a finding may be missing.
    let is_reported = |key: &&String| !key.starts_with("/objects");
    let mut damaged = 0;
    for key in keys.iter().filter(is_reported) {
        let (parent, name) = key.rsplit_once('/').unwrap();
        let with = |change: &dyn Fn(&mut serde_json::Map<String, Value>)| {
            let mut plan = plan.clone();
            change(plan.pointer_mut(parent).unwrap().as_object_mut().unwrap());
            let accepted = (schema.is_valid(&plan), SavedPlan::parse(plan.to_string().as_bytes()).is_ok());
            (accepted, plan)
        };
        let (accepted, _) = with(&|map| {
            map.insert(name.to_owned(), json!([[]]));
        });
        assert_eq!(accepted, (false, false), "{key} is in another list");
        let (accepted, _) = with(&|map| {
            map.insert("more".to_owned(), json!(1));
        });
        assert_eq!(accepted, (false, false), "there is another key next to {key}");
        let (accepted, _) = with(&|map| {
            map.remove(name);
        });
        // What is about no object names none.
        let can_be_missing = ["object", "others"].contains(&name);
        let is_optional = can_be_missing || ["field", "help", "line", "column"].contains(&name);
        assert_eq!(accepted, (can_be_missing, is_optional), "{key} is missing");
        damaged += 3;
    }
    assert!(damaged > 100, "{damaged}");
}
