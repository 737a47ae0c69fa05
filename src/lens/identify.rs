//! The operation `identify`: the items of a list get names, derived from their fields.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value;

use super::fidelity::Fidelity;
use super::halt::Halt;
use super::image::Claims;
use super::loss::LossClass;
use super::operation::{Description, Operation};
use super::session::Session;
use crate::field::{FieldPattern, Part};
use crate::release::GroupKind;
use crate::yaml::{Intent, Place};

/// The longest name that is derived: that of a DNS subdomain.
const LONGEST: usize = 253;

/// `identify: { items: "spec.listeners[]", key: name, from: [protocol, port, hostname] }`
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "Wire")]
pub(super) struct Identify {
    list: FieldPattern,
    key: String,
    from: Vec<String>,
}

/// The operation as written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    /// The items that get names: a field pattern that ends in `[]`.
    items: FieldPattern,
    /// The key of the name in an item.
    key: String,
    /// The keys of an item whose values make its name, the most telling first.
    from: Vec<String>,
}

impl TryFrom<Wire> for Identify {
    type Error = String;

    fn try_from(Wire { items, key, from }: Wire) -> Result<Self, String> {
        match items.split_last() {
            Some((list, Part::Items)) => Ok(Self { list, key, from }),
            _ => Err(format!("`items: {items}` must end in `[]`")),
        }
    }
}

impl Identify {
    pub(super) const DESCRIPTION: Description = Description {
        name: "identify",
        text: "Adds `key` to each of the `items` without it, first in the item: the value of the first field of `from`, in lower \
               case; items that would have the same name get the value of the next field after a dash, and finally a number. \
               The inverse removes the key: a `dropped-field` loss, unless it is the name that would be derived.",
        example: "identify: { items: \"spec.listeners[]\", key: name, from: [protocol, port, hostname] }",
    };

    fn claimed(&self) -> Vec<FieldPattern> {
        vec![self.list.with(Part::Items).with(Part::Key(self.key.clone()))]
    }
}

/// Returns the name of each of `items` after the operation: the one under `key`, or one derived from the fields `from`.
pub(super) fn names(items: &[Value], key: &str, from: &[String]) -> Vec<String> {
    let given = |item: &Value| item.get(key).and_then(Value::as_str).map(str::to_owned);
    let mut taken: BTreeSet<String> = items.iter().filter_map(given).collect();
    let made = parts(items, from);
    let name = |(item, made): (&Value, String)| given(item).unwrap_or_else(|| free(&made, &mut taken));
    items.iter().zip(made).map(name).collect()
}

/// Returns a derived name for each of `items`, even those with a name: the value of the first field, and of further ones where
/// items would have the same name.
fn parts(items: &[Value], from: &[String]) -> Vec<String> {
    let mut names: Vec<String> =
        items.iter().map(|item| slug(from.first().and_then(|field| item.get(field)))).collect();
    for field in from.iter().skip(1) {
        let shared = |name: &String| names.iter().filter(|other| *other == name).count() > 1;
        let longer = |(item, name): (&Value, &String)| match slug(item.get(field)) {
            part if shared(name) && !part.is_empty() => format!("{name}-{part}"),
            _ => name.clone(),
        };
        names = items.iter().zip(&names).map(longer).collect();
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
    let dashed: String = text.chars().map(|one| if one.is_ascii_alphanumeric() { one } else { '-' }).collect();
    dashed.trim_matches('-').to_owned()
}

impl Operation for Identify {
    fn run(&self, session: &mut Session<'_>) -> Result<(), Halt> {
        for list in self.list.matches(session.object()) {
            let Some(items) = list.get(session.object()).and_then(Value::as_array) else { continue };
            let unnamed: Vec<bool> =
                items.iter().map(|item| item.is_object() && item.get(&self.key).is_none()).collect();
            let names = names(items, &self.key, &self.from);
            for (index, name) in names.into_iter().enumerate().filter(|(index, _)| unnamed[*index]) {
                let path = list.index(index);
                session.change(Intent::Insert {
                    path: path.key(&self.key),
                    value: Value::from(name),
                    place: Place::First,
                })?;
            }
        }
        Ok(())
    }

    fn inverse(&self, _kind: &GroupKind) -> Box<dyn Operation> {
        Box::new(IdentifyInverse { names: self.clone() })
    }

    fn claims(&self) -> Claims {
        Claims { old: Vec::new(), new: self.claimed() }
    }

    fn makes_valid(&self, field: &FieldPattern) -> bool {
        *field == self.list
    }
}

/// The inverse of [`Identify`]. Not written in rule files.
#[derive(Clone, Debug)]
struct IdentifyInverse {
    names: Identify,
}

impl Operation for IdentifyInverse {
    fn run(&self, session: &mut Session<'_>) -> Result<(), Halt> {
        let Identify { list, key, from } = &self.names;
        for list in list.matches(session.object()) {
            let Some(items) = list.get(session.object()).and_then(Value::as_array) else { continue };
            let mut taken = BTreeSet::new();
            let made: Vec<_> = parts(items, from).iter().map(|name| Value::from(free(name, &mut taken))).collect();
            for (index, made) in made.iter().enumerate() {
                let path = list.index(index).key(key);
                let Some(name) = path.get(session.object()) else { continue };
                if name != made {
                    let reason =
                        "the target release has no field for this name, and converting back would derive another name";
                    session.record_loss(LossClass::DroppedField, &path, reason);
                }
                session.change(Intent::Delete { path })?;
            }
        }
        Ok(())
    }

    fn inverse(&self, _kind: &GroupKind) -> Box<dyn Operation> {
        Box::new(self.names.clone())
    }

    fn claims(&self) -> Claims {
        Claims { old: self.names.claimed(), new: Vec::new() }
    }

    fn fidelity(&self) -> Option<Fidelity> {
        Some(Fidelity::Lossy)
    }

    fn fidelities(&self) -> BTreeSet<Fidelity> {
        BTreeSet::from([Fidelity::Exact, Fidelity::Lossy])
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::{data, operation};
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    const NAMES: &str = "identify: { items: \"spec.l[]\", key: name, from: [protocol, port, hostname] }";

    #[track_caller]
    fn check(items: &Value, expected: &[&str]) {
        let (after, _) = data(&*operation(NAMES), &json!({"spec": {"l": items}})).unwrap();
        let names: Vec<_> =
            after["spec"]["l"].as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap()).collect();
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
        let back = operation(NAMES).inverse(&GroupKind::new("A", ""));
        let made = json!({"spec": {"l": [{"name": "http", "protocol": "HTTP"}]}});
        assert_eq!(data(&*back, &made), Ok((json!({"spec": {"l": [{"protocol": "HTTP"}]}}), 0)));
        let own = json!({"spec": {"l": [{"name": "web", "protocol": "HTTP"}]}});
        assert_eq!(data(&*back, &own), Ok((json!({"spec": {"l": [{"protocol": "HTTP"}]}}), 1)));
    }

    proptest! {
        #[test]
        fn generated_names_are_distinct_and_removed_again(items in prop::collection::vec(("[A-Z*./-]{0,3}", 0..3_u8, "[a*.]{0,2}"), 0..6)) {
            let item = |(protocol, port, hostname): &(String, u8, String)| json!({"protocol": protocol, "port": port, "hostname": hostname});
            let before = json!({"spec": {"l": items.iter().map(item).collect::<Vec<_>>()}});
            let (after, _) = data(&*operation(NAMES), &before).unwrap();
            let list = after["spec"]["l"].as_array().unwrap();
            let names: BTreeSet<_> = list.iter().map(|item| item["name"].as_str().unwrap()).collect();
            prop_assert_eq!(names.len(), list.len());
            prop_assert_eq!(data(&*operation(NAMES).inverse(&GroupKind::new("A", "")), &after), Ok((before, 0)));
        }
    }
}
