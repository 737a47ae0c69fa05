//! Gateway API, Gateway: listeners have names.

use std::collections::BTreeSet;

use serde_json::Value;

use super::super::operation::{Claims, Description, Direction, Fidelity, Operation, Pass};
use super::super::references::text;
use super::super::session::{Halt, LossClass, Session};
use super::fields::{items, path, pattern};
use crate::syntax::field::FieldPattern;
use crate::syntax::variable::ACTION;
use crate::syntax::yaml::Place;

pub(super) const DESCRIPTION: Description = Description {
    name: "listener-names",
    text: "Adds `name` to each listener of a Gateway without it, first in the listener: its protocol in lower case; listeners that \
           would have the same name get the port after a dash, then the hostname, and finally a number. Refused where the name would \
           have what an action of a template prints, or each turn of a `range` prints a listener. The inverse removes the \
           name: a `dropped-field` loss, unless it is the name that would be derived.",
    example: "native: listener-names",
};

/// The fields of a listener that its name is derived from, the most telling first.
const TELLING: [&str; 3] = ["protocol", "port", "hostname"];

/// What to do about a listener whose name cannot be derived.
const NAME_IT: &str = "convert the object by hand, and give each listener a name";

/// The longest name that is derived: that of a DNS subdomain.
const LONGEST: usize = 253;

#[derive(Debug)]
pub(super) struct ListenerNames;

/// The name of each listener: the one that it has, or a derived one.
pub(super) fn names(listeners: &[Value]) -> Vec<String> {
    let given: Vec<_> = listeners.iter().map(|listener| text(listener, "name")).collect();
    let mut taken: BTreeSet<String> = given.iter().flatten().map(|name| (*name).to_owned()).collect();
    let derived = derived(listeners).into_iter();
    let names = given.into_iter().zip(derived).map(|(given, derived)| match given {
        Some(given) => given.to_owned(),
        None => free(&derived, &mut taken),
    });
    names.collect()
}

/// A derived name for each listener, even those with a name: the value of the first field, and of further ones where listeners
/// would have the same name.
fn derived(listeners: &[Value]) -> Vec<String> {
    let mut names: Vec<String> = listeners.iter().map(|listener| slug(listener.get(TELLING[0]))).collect();
    for field in &TELLING[1..] {
        let longer = listeners.iter().zip(&names).map(|(listener, name)| {
            let is_shared = names.iter().filter(|other| *other == name).count() > 1;
            match slug(listener.get(field)) {
                part if is_shared && !part.is_empty() => format!("{name}-{part}"),
                _ => name.clone(),
            }
        });
        names = longer.collect();
    }
    names
}

/// Returns `name`, cut to the allowed length and with a number where it is taken, and marks it as taken.
fn free(name: &str, taken: &mut BTreeSet<String>) -> String {
    let name = if name.is_empty() { "item" } else { name };
    let cut = |length: usize| name[..name.len().min(length)].trim_end_matches('-').to_owned();
    let numbered = (2..).map(|count| format!("{}-{count}", cut(LONGEST - 6)));
    let free = std::iter::once(cut(LONGEST)).chain(numbered).find(|name| !taken.contains(name));
    let free = free.expect("there are more numbers than items");
    taken.insert(free.clone());
    free
}

/// Returns a value as a part of a DNS subdomain: `*.example.com` becomes `wildcard-example-com`.
fn slug(value: Option<&Value>) -> String {
    let text = match value {
        Some(Value::String(text)) => text.to_lowercase(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    };
    let text = text.strip_prefix("*.").map_or_else(|| text.clone(), |rest| format!("wildcard-{rest}"));
    let dashed = text.replace(|one: char| !one.is_ascii_alphanumeric(), "-");
    dashed.trim_matches('-').to_owned()
}

/// Returns the first listener without a name of which the derived one would have what an action prints.
fn printed(listeners: &[Value]) -> Option<usize> {
    let placeholder = slug(Some(&Value::from(ACTION)));
    let derived = derived(listeners);
    (0..listeners.len()).find(|at| listeners[*at].get("name").is_none() && derived[*at].contains(&placeholder))
}

fn add_names(session: &mut Session<'_>) -> Result<(), Halt> {
    let list = path("spec.listeners");
    let listeners = items(session.object(), &list).to_vec();
    if let Some(index) = printed(&listeners) {
        return Err(Halt::refused(list.index(index), "its name would have what an action prints", NAME_IT));
    }
    for (index, name) in names(&listeners).into_iter().enumerate() {
        if listeners[index].is_object() && listeners[index].get("name").is_none() {
            let at = list.index(index);
            if session.open().repeated.contains(&at) {
                return Err(Halt::refused(
                    at,
                    "each turn of a `range` prints a listener here, and they need names of their own",
                    NAME_IT,
                ));
            }
            session.insert(at.key("name"), name, Place::First)?;
        }
    }
    Ok(())
}

fn remove_names(session: &mut Session<'_>) -> Result<(), Halt> {
    let list = path("spec.listeners");
    let mut taken = BTreeSet::new();
    let derived = derived(items(session.object(), &list));
    for (index, derived) in derived.into_iter().enumerate() {
        let (path, derived) = (list.index(index).key("name"), free(&derived, &mut taken));
        let Some(name) = path.get(session.object()) else { continue };
        if *name != derived {
            let reason = "the target release has no field for this name, and converting back would derive another name";
            session.record_loss(LossClass::DroppedField, &path, reason);
        }
        session.delete(path)?;
    }
    Ok(())
}

impl Operation for ListenerNames {
    fn run(&self, pass: &Pass<'_>, session: &mut Session<'_>) -> Result<(), Halt> {
        match pass.direction {
            Direction::Forward => add_names(session),
            Direction::Backward => remove_names(session),
        }
    }

    fn claims(&self) -> Claims {
        Claims { old: Vec::new(), new: vec![pattern("spec.listeners[].name")] }
    }

    fn makes_valid(&self, direction: Direction, field: &FieldPattern) -> bool {
        direction == Direction::Forward && *field == pattern("spec.listeners")
    }

    fn fidelities(&self, direction: Direction) -> Vec<Fidelity> {
        match direction {
            Direction::Forward => vec![Fidelity::Exact],
            Direction::Backward => vec![Fidelity::Exact, Fidelity::Lossy],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::trial::{data, inverse, operation};
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    const NAMES: &str = "native: listener-names";

    #[track_caller]
    fn check(items: &Value, expected: &[&str]) {
        let (after, _) = data(&operation(NAMES), &json!({"spec": {"listeners": items}})).unwrap();
        let names: Vec<_> =
            after["spec"]["listeners"].as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap()).collect();
        assert_eq!(names, expected);
    }

    #[test]
    fn one_field_is_enough_where_its_values_differ() {
        check(&json!([{"protocol": "HTTP", "port": 80}, {"protocol": "HTTPS", "port": 443}]), &["http", "https"]);
        check(
            &json!([{"protocol": "TCP", "port": 1}, {"protocol": "TCP", "port": 2}, {"protocol": "UDP", "port": 1}]),
            &["tcp-1", "tcp-2", "udp"],
        );
    }

    #[test]
    fn further_fields_and_numbers_make_the_other_names_unique() {
        let host = |name: &str| json!({"protocol": "HTTPS", "port": 443, "hostname": name});
        check(
            &json!([host("foo.example.com"), host("*.example.com"), {"protocol": "HTTPS", "port": 443}]),
            &["https-443-foo-example-com", "https-443-wildcard-example-com", "https-443"],
        );
        check(&json!([host("a"), host("a"), {}]), &["https-443-a", "https-443-a-2", "item"]);
        check(&json!([{"protocol": "Example.com/Foo_"}]), &["example-com-foo"]);
    }

    #[test]
    fn existing_names_are_kept() {
        check(&json!([{"protocol": "HTTP"}, {"name": "http", "protocol": "TCP"}]), &["http-2", "http"]);
    }

    #[test]
    fn only_user_chosen_names_are_lost() {
        let back = inverse(NAMES);
        let made = json!({"spec": {"listeners": [{"name": "http", "protocol": "HTTP"}]}});
        assert_eq!(data(&back, &made), Ok((json!({"spec": {"listeners": [{"protocol": "HTTP"}]}}), 0)));
        let own = json!({"spec": {"listeners": [{"name": "web", "protocol": "HTTP"}]}});
        assert_eq!(data(&back, &own), Ok((json!({"spec": {"listeners": [{"protocol": "HTTP"}]}}), 1)));
    }

    proptest! {
        #[test]
        fn generated_names_are_distinct_and_removed_again(items in prop::collection::vec(("[A-Z*./-]{0,3}", 0..3_u8, "[a*.]{0,2}"), 0..6)) {
            let item = |(protocol, port, hostname): &(String, u8, String)| json!({"protocol": protocol, "port": port, "hostname": hostname});
            let before = json!({"spec": {"listeners": items.iter().map(item).collect::<Vec<_>>()}});
            let (after, _) = data(&operation(NAMES), &before).unwrap();
            let list = after["spec"]["listeners"].as_array().unwrap();
            let names: BTreeSet<_> = list.iter().map(|item| item["name"].as_str().unwrap()).collect();
            prop_assert_eq!(names.len(), list.len());
            prop_assert_eq!(data(&inverse(NAMES), &after), Ok((before, 0)));
        }
    }
}
