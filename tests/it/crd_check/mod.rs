//! `crd check`: each kind of change in both directions, the peers' examples, policies, and the CRDs of published releases.

use serde_json::{Value, json};

use crate::support::trees::{Run, Tree};

mod changes;
mod defaults;
mod definition;
mod history;
mod invalid;
mod peers;
mod policies;
mod served;
mod structural;
mod table;
mod verified;

/// Makes a CRD of Bikes with these versions.
fn crd(spec: &Value) -> Value {
    let mut whole = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "bikes.ride.example"},
        "spec": {
            "group": "ride.example",
            "names": {"kind": "Bike", "plural": "bikes"},
            "scope": "Namespaced",
            "versions": [version("v1", &json!({}))],
        },
    });
    merge(&mut whole["spec"], spec);
    whole
}

/// Makes a version that is served and stored, with these fields in `spec`.
fn version(name: &str, fields: &Value) -> Value {
    let spec = json!({"type": "object", "properties": fields});
    let schema = json!({"type": "object", "properties": {"spec": spec}});
    json!({"name": name, "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}})
}

/// Overwrites what `more` has; null takes a value away.
fn merge(value: &mut Value, more: &Value) {
    match (value, more) {
        (Value::Object(map), Value::Object(more)) => {
            for (key, content) in more {
                if content.is_null() {
                    map.remove(key);
                } else {
                    merge(map.entry(key).or_insert(Value::Null), content);
                }
            }
        }
        (value, more) => value.clone_from(more),
    }
}

/// Runs `crd check` on CRDs.
fn run(old: &[Value], new: &[Value], arguments: &[&str]) -> Run {
    let text = |crds: &[Value]| crds.iter().map(|crd| format!("---\n{crd}\n")).collect::<String>();
    let tree = Tree::of(&[("old/crds.yaml", &text(old)), ("new/crds.yaml", &text(new))]);
    tree.run(&[&["crd", "check", "old", "new"], arguments].concat())
}

/// Returns what is found from one set to another: `crd-enum spec.type tightened`, sorted, without the version `v1`.
fn found(old: &[Value], new: &[Value], arguments: &[&str]) -> Vec<String> {
    let run = run(old, new, &[&["--format", "json"], arguments].concat());
    let report: Value = serde_json::from_str(&run.out).unwrap_or_else(|_| panic!("{}", run.all()));
    let line = |finding: &Value| {
        let message = finding["message"].as_str().unwrap();
        let class = message.rsplit_once(" (").and_then(|(_, class)| class.strip_suffix(')')).unwrap_or_default();
        let field = finding["field"].as_str().unwrap_or_default();
        let field = if field == "v1" { "" } else { field.strip_prefix("v1 ").unwrap_or(field) };
        format!("{} {field} {class}", finding["code"].as_str().unwrap())
    };
    let mut lines: Vec<String> = report["findings"].as_array().unwrap().iter().map(line).collect();
    lines.sort();
    lines
}
