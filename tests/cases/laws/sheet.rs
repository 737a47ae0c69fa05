//! Answers: in which file is the object of a case?
//!
//! Alone, with other documents, or in a `kind: List`; with look-alikes of other groups, which have the same
//! fields, and documents that are not objects.
//!
//! Invariant: a sheet's documents read from its text are the documents it was made of.

use serde_json::{Value, json};

use super::cases::Case;
use super::render::{self, Layout, Style};
use crate::support::random::Random;

/// A file with the object of a case in it.
#[derive(Clone, Debug)]
pub(crate) struct Sheet {
    pub(crate) text: String,
    /// The values of the documents in the text.
    pub(crate) documents: Vec<Value>,
    pub(crate) style: Style,
}

impl Sheet {
    /// Makes the file of `case`; its style 0 is the object alone, in the plainest style.
    pub(crate) fn of(case: &Case) -> Self {
        if case.style == 0 {
            let documents = vec![case.object.clone()];
            let text = render::text(&documents, &Style::PLAIN, &mut Random::new(0, &[], 0));
            return Self { text, documents, style: Style::PLAIN };
        }
        let mut random = Random::new(case.style, &[], 0);
        let mut style = Style::draw(&mut random);
        let documents = company(&case.object, &mut random);
        if documents.len() > 1 && style.is_json() {
            style.layout = Layout::Flow;
        }
        let text = render::text(&documents, &style, &mut random);
        Self { text, documents, style }
    }
}

/// Returns an object with other documents around it.
fn company(object: &Value, random: &mut Random) -> Vec<Value> {
    let mut documents = vec![object.clone()];
    if random.chance(20) {
        let mut items = vec![object.clone()];
        if random.chance(50) {
            items.push(look_alike(object));
        }
        if random.chance(50) {
            items.insert(0, config_map(object));
        }
        documents = vec![json!({"apiVersion": "v1", "kind": "List", "items": items})];
    }
    let others = [look_alike(object), config_map(object), Value::Null];
    for other in others {
        if random.chance(20) {
            let at = random.below(documents.len() + 1);
            documents.insert(at, other);
        }
    }
    documents
}

/// Returns the same object in a group of no pack.
fn look_alike(object: &Value) -> Value {
    let mut other = object.clone();
    other["apiVersion"] = json!("lookalike.example/v1");
    other
}

/// Returns a core object whose data contains the same names.
fn config_map(object: &Value) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "notes"},
        "data": {"spec": "tls: {}\n", "gateway.networking.k8s.io": "v1", "object.json": object.to_string()},
        "spec": object["spec"],
    })
}
