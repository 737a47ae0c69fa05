//! The formats of `matrix`: lines for people, and JSON.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::{Value, json};

use super::count::plural;
use super::escape::visible;
use super::json::{SCHEMA_VERSION, pretty};
use crate::authoring::matrix::{Change, Cost, Subject};

/// Prints a line for each change: its cost forward, its cost backward, what it is.
pub(crate) fn text(title: &str, changes: &[Change]) -> String {
    let mut out = format!("{title}: {}\n", plural(changes.len(), "change"));
    if changes.is_empty() {
        return out;
    }
    let rows: Vec<[String; 3]> =
        changes.iter().map(|change| [costs(&change.forward), costs(&change.backward), line(change)]).collect();
    let heads = ["forward", "backward", "change"].map(str::to_owned);
    let width = |column: usize| rows.iter().chain([&heads]).map(|row| row[column].len()).max().unwrap_or_default();
    let (there, back) = (width(0), width(1));
    for [first, second, what] in [&heads].into_iter().chain(&rows) {
        let _infallible = writeln!(out, "{first:there$}  {second:back$}  {}", visible(what));
    }
    out
}

/// Prints the changes as one JSON document.
pub(crate) fn json(pack: &str, from: &str, to: &str, changes: &[Change]) -> String {
    let names = |costs: &BTreeSet<Cost>| costs.iter().map(|cost| Value::from(cost.name())).collect::<Vec<_>>();
    let change = |change: &Change| {
        json!({
            "subject": change.subject.name(),
            "kinds": change.kinds.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "name": change.name,
            "text": change.text,
            "forward": names(&change.forward),
            "backward": names(&change.backward),
        })
    };
    let changes: Vec<Value> = changes.iter().map(change).collect();
    let document = json!({
        "schemaVersion": SCHEMA_VERSION,
        "command": "matrix",
        "pack": pack,
        "from": from,
        "to": to,
        "changes": changes,
    });
    pretty(&document)
}

/// Lists the costs, worst last; `-` where there is nothing to do.
fn costs(costs: &BTreeSet<Cost>) -> String {
    let names: Vec<_> = costs.iter().map(|cost| cost.name()).collect();
    if names.is_empty() { "-".to_owned() } else { names.join("/") }
}

fn line(change: &Change) -> String {
    let kinds: Vec<_> = change.kinds.iter().map(|kind| kind.kind.as_str()).collect();
    let kinds = kinds.join(", ");
    match change.subject {
        Subject::Rule | Subject::Kind => format!("{}: {}", change.name, change.text),
        Subject::ApiVersion | Subject::Field | Subject::Value | Subject::Limit => {
            format!("{kinds} {}: {}", change.name, change.text)
        }
        Subject::Advisory => change.text.clone(),
        Subject::Undetectable if change.text.starts_with(&kinds) => format!("no field shows it: {}", change.text),
        Subject::Undetectable => format!("no field shows it: {kinds}: {}", change.text),
    }
}
