//! Answers: which fields does an object have, how does each syntax write the path, and which other value is as valid?

use serde_json::{Map, Value, json};

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Key(String),
    Index(usize),
}

/// A field of an object.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) path: Vec<Step>,
    pub(crate) value: Value,
}

impl Field {
    /// The path as a JSON pointer.
    pub(crate) fn pointer(&self) -> String {
        let step = |step: &Step| match step {
            Step::Key(key) => format!("/{}", key.replace('~', "~0").replace('/', "~1")),
            Step::Index(at) => format!("/{at}"),
        };
        self.path.iter().map(step).collect()
    }

    /// The path as in replacements, each index written by `item`.
    pub(crate) fn dotted(&self, mut item: impl FnMut(&[Step], usize) -> String) -> String {
        let step = |(at, step): (usize, &Step)| match step {
            Step::Key(key) if key.contains(['.', '/']) => format!("[{key}]"),
            Step::Key(key) => key.clone(),
            Step::Index(index) => item(&self.path[..at], *index),
        };
        self.path.iter().enumerate().map(step).collect::<Vec<_>>().join(".")
    }

    /// The path as in configurations: without indexes.
    pub(crate) fn slashed(&self) -> String {
        let keys = self.path.iter().filter_map(|step| match step {
            Step::Key(key) => Some(key.replace('/', "\\/")),
            Step::Index(_) => None,
        });
        keys.collect::<Vec<_>>().join("/")
    }

    /// The key of the field, or of the list it is in.
    pub(crate) fn key(&self) -> &str {
        let key = |step: &Step| match step {
            Step::Key(_) => true,
            Step::Index(_) => false,
        };
        match self.path.iter().rfind(|step| key(step)) {
            Some(Step::Key(key)) => key,
            _ => "",
        }
    }

    pub(crate) fn is_in_list(&self) -> bool {
        self.path.iter().any(|step| matches!(step, Step::Index(_)))
    }

    /// Returns another valid value.
    pub(crate) fn alternative(&self) -> Option<Value> {
        alternative(self.key(), &self.value)
    }
}

/// Returns every field below `spec`, the outer ones first.
pub(crate) fn all(object: &Value) -> Vec<Field> {
    let mut fields = Vec::new();
    visit(&object["spec"], &mut vec![Step::Key("spec".to_owned())], &mut fields);
    fields
}

fn visit(value: &Value, path: &mut Vec<Step>, fields: &mut Vec<Field>) {
    let children: Vec<(Step, &Value)> = match value {
        Value::Object(map) => map.iter().map(|(key, child)| (Step::Key(key.clone()), child)).collect(),
        Value::Array(items) => items.iter().enumerate().map(|(at, child)| (Step::Index(at), child)).collect(),
        _ => return,
    };
    for (step, child) in children {
        path.push(step);
        fields.push(Field { path: path.clone(), value: child.clone() });
        visit(child, path, fields);
        path.pop();
    }
}

/// Returns a value that is valid where `value` is, and another one.
fn alternative(key: &str, value: &Value) -> Option<Value> {
    match (value, key) {
        (Value::String(_), "hostname" | "hostnames") => Some(json!("other.example.com")),
        (Value::String(_), "name" | "serviceName" | "sessionName") => Some(json!("other")),
        (Value::String(_), "controller" | "controllerName") => Some(json!("example.com/other")),
        (Value::Number(_), "port") => Some(json!(8443)),
        (Value::Number(_), "weight") => Some(json!(7)),
        (Value::Object(map), _) => {
            let mut is_other = false;
            let change = |(key, child): (&String, &Value)| {
                let child = match alternative(key, child) {
                    Some(other) => {
                        is_other = true;
                        other
                    }
                    None => child.clone(),
                };
                (key.clone(), child)
            };
            let map: Map<_, _> = map.iter().map(change).collect();
            is_other.then_some(Value::Object(map))
        }
        (Value::Array(items), _) => {
            let first = alternative(key, items.first()?)?;
            Some(json!([first]))
        }
        _ => None,
    }
}
