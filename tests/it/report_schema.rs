//! Checks that report.schema.json is the schema of the reports that the program prints as `json` and `jsonl`, and that the schema and
//! `report merge` reject the same damaged reports.

use std::fs;

use jsonschema::Validator;
use reversion::internals::report::merge_reports as merge;
use serde_json::{Value, json};

use crate::support::{program, root};

/// Returns the validator of a definition of the schema, or of the whole.
fn schema(definition: Option<&str>) -> Validator {
    let text = fs::read_to_string(root().join("report.schema.json")).unwrap();
    let mut schema: Value = serde_json::from_str(&text).unwrap();
    jsonschema::meta::validate(&schema).unwrap();
    if let Some(definition) = definition {
        schema["oneOf"] = json!([{"$ref": format!("#/$defs/{definition}")}]);
    }
    jsonschema::validator_for(&schema).unwrap()
}

fn run(arguments: &[&str]) -> String {
    let mut command = program();
    let output = command.current_dir(root()).args(arguments).output().unwrap();
    assert!(!output.stdout.is_empty(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[track_caller]
fn check(schema: &Validator, instance: &Value, of: &str) {
    let flaws: Vec<_> = schema.iter_errors(instance).map(|flaw| format!("{}: {flaw}", flaw.instance_path())).collect();
    assert_eq!(flaws, [""; 0], "{of}");
}

/// Runs that reach every outcome, list and severity.
const RUNS: [&[&str]; 11] = [
    &["check", "fixtures/repos/shop-1.0-experimental", "--to", "gateway-api@1.6/experimental"],
    &["check", "fixtures/repos/platform-1.3", "--to", "gateway-api@1.0/standard"],
    &["diff", "fixtures/repos/platform-1.3", "--to", "gateway-api@1.6/experimental", "--allow-loss"],
    &["check", "fixtures/repos/edge-ngf-1.6", "--to", "ngf@2.6", "--shard", "1/2"],
    &["check", "fixtures/repos/charts-ngf-1.6", "--to", "ngf@2.6"],
    &["check", "tests/it/yaml_front_end", "--to", "ngf@2.6", "--allow-empty"],
    // Old defaults are written.
    &["check", "fixtures/repos/homelab-2022", "--to", "kubernetes@1.25"],
    &["detect", "fixtures/repos/shop-1.0-experimental"],
    &["detect", "fixtures/repos/charts-ngf-1.6"],
    &["detect", "fixtures/crds", "--shard", "2/3"],
    &["crd", "check", "fixtures/bikes/v1.0.0", "fixtures/bikes/v1.1.0", "--policy", "fixtures/bikes/policy.yaml"],
];

#[test]
fn reports_match_the_schema() {
    let (whole, report, detection) = (schema(None), schema(Some("report")), schema(Some("detection")));
    for arguments in RUNS {
        let printed: Value = serde_json::from_str(&run(&[arguments, &["--format", "json"]].concat())).unwrap();
        let exact = if arguments[0] == "detect" { &detection } else { &report };
        check(exact, &printed, &arguments.join(" "));
        assert!(whole.is_valid(&printed), "a report is of one form only");
    }
}

#[test]
fn every_line_is_a_record_and_the_summary_is_the_last_one() {
    let record = schema(Some("record"));
    let mut names = Vec::new();
    for arguments in RUNS {
        let printed = run(&[arguments, &["--format", "jsonl"]].concat());
        let lines: Vec<Value> = printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        for line in &lines {
            check(&record, line, &format!("{} {line}", arguments.join(" ")));
        }
        let mut of_run: Vec<&str> = lines.iter().map(|line| line["record"].as_str().unwrap()).collect();
        assert_eq!(of_run.pop(), Some("summary"));
        assert!(!of_run.contains(&"summary"));
        names.extend(of_run.into_iter().map(str::to_owned));
    }
    names.sort();
    names.dedup();
    assert_eq!(
        names,
        ["acknowledged", "advisory", "api", "crd", "file", "finding", "object", "values"],
        "the runs have records of these names"
    );
}

/// The two formats hold the same.
#[test]
fn lines_put_together_are_the_report() {
    let [json, lines] = ["json", "jsonl"].map(|format| run(&[RUNS[1], &["--format", format]].concat()));
    let json: Value = serde_json::from_str(&json).unwrap();
    let lists = [("files", "file"), ("objects", "object"), ("findings", "finding"), ("advisories", "advisory")];
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for (list, name) in lists {
        let of_list = lines.iter().filter(|line| line["record"] == name).cloned().map(|mut line| {
            line.as_object_mut().unwrap().remove("record");
            line
        });
        assert_eq!(json[list], Value::Array(of_list.collect()), "{list}");
    }
}

/// Nothing has to be joined by place: what is held back says why, and the counts are those of the lists.
#[test]
fn every_object_says_what_becomes_of_it_and_why() {
    let report: Value = serde_json::from_str(&run(&[RUNS[1], &["--format", "json"]].concat())).unwrap();
    let objects = report["objects"].as_array().unwrap();
    let held: Vec<&Value> = objects.iter().filter(|object| object["outcome"] == "held-back").collect();
    assert_eq!(report["summary"]["heldBack"], json!(held.len()));
    assert!(held.len() > 5);
    for object in held {
        let reasons = object["findings"].as_array().unwrap();
        assert!(reasons.iter().any(|reason| reason["severity"] == "held-back"), "{object:#}");
        let codes: Vec<&Value> = object["codes"].as_array().unwrap().iter().collect();
        assert!(reasons.iter().all(|reason| codes.contains(&&reason["code"])), "{object:#}");
    }
    let of_objects = objects.iter().flat_map(|object| object["findings"].as_array().unwrap());
    let all = of_objects.chain(report["findings"].as_array().unwrap());
    let dropped = all.filter(|finding| finding["code"] == "dropped-field").count();
    assert_eq!(report["totals"]["codes"]["dropped-field"], json!(dropped));
    assert!(dropped > 1);
}

/// Returns the places of every key in a value.
fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => map.iter().for_each(|(key, value)| {
            let at = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
            places(value, &at, found);
            found.push(at);
        }),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| places(item, &format!("{at}/{index}"), found))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn schema_and_program_reject_the_same_damaged_reports() {
    let schema = schema(Some("report"));
    let folder = "fixtures/repos/shop-1.0-experimental/apps/base/orders";
    let arguments = ["check", folder, "--to", "gateway-api@1.6/experimental", "--format", "json"];
    let report: Value = serde_json::from_str(&run(&arguments)).unwrap();
    assert!(merge::parse(report.to_string().as_bytes()).is_ok());
    let mut keys = Vec::new();
    places(&report, "", &mut keys);
    // A patch is not looked into, and totals have free keys.
    let keys = keys.iter().filter(|key| !key.contains("/patch/") && !key.starts_with("/totals/"));
    let mut damaged = 0;
    for key in keys {
        let (parent, name) = key.rsplit_once('/').unwrap();
        let accepted = |change: &dyn Fn(&mut serde_json::Map<String, Value>)| {
            let mut report = report.clone();
            change(report.pointer_mut(parent).unwrap().as_object_mut().unwrap());
            (schema.is_valid(&report), merge::parse(report.to_string().as_bytes()).is_ok())
        };
        if name != "patch" {
            let other = accepted(&|map| drop(map.insert(name.to_owned(), json!([[]]))));
            assert_eq!(other, (false, false), "{key} is another list");
        }
        let more = accepted(&|map| drop(map.insert("more".to_owned(), json!(1))));
        assert_eq!(more, (false, false), "there is another key next to {key}");
        let is_optional = ["shard", "folder", "field", "help", "reason", "text", "line", "column"].contains(&name);
        let missing = accepted(&|map| drop(map.remove(name)));
        assert_eq!(missing, (false, is_optional), "{key} is missing");
        damaged += 3;
    }
    assert!(damaged > 100, "{damaged}");
}
