//! Gateway API, TLSRoute: the server names in the matches of all rules became the hostnames of the route.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::super::operation::{Claims, Description, Direction, Fidelity, Operation, Pass};
use super::super::session::{Halt, Session};
use super::fields::{items, path, pattern};
use crate::syntax::field::FieldPath;
use crate::syntax::yaml::Place;

pub(super) const DESCRIPTION: Description = Description {
    name: "snis-to-hostnames",
    text: "Moves the `snis` in the matches of the rules of a TLSRoute to `spec.hostnames`. A rule matches where any of its matches \
           does, so their lists are joined. Refused where the rules differ, where a match has other keys, or where one match has \
           a list and another none. The inverse writes the list into one match of every rule. Exact for one rule with one match, \
           else normalized.",
    example: "native: snis-to-hostnames",
};

const KEY: &str = "snis";
const TARGET: &str = "spec.hostnames";

#[derive(Debug)]
pub(super) struct SnisToHostnames;

/// The places of the items of the list at `list`.
fn places(list: &FieldPath, object: &Value) -> Vec<FieldPath> {
    (0..items(object, list).len()).map(|index| list.index(index)).collect()
}

/// The server names that the matches of a rule list together, in their order; none where no match has a list.
fn listed(rule: &FieldPath, object: &Value) -> Result<Vec<Value>, Halt> {
    let mut listed: Vec<Value> = Vec::new();
    let mut unlimited = None;
    for place in places(&rule.key("matches"), object) {
        let fields = place.get(object).and_then(Value::as_object);
        let more = fields.and_then(|fields| fields.keys().find(|key| *key != KEY));
        if let (Some(key), true) = (more, place.key(KEY).get(object).is_some()) {
            let reason = format!("{TARGET} cannot express {key}, which is in one item with {KEY}");
            return Err(Halt::refused(place.key(key), reason, "remove one of the two"));
        }
        let names = items(object, &place.key(KEY));
        if names.is_empty() {
            unlimited = Some(place);
        }
        for name in names {
            if !listed.contains(name) {
                listed.push(name.clone());
            }
        }
    }
    match unlimited {
        Some(at) if !listed.is_empty() => {
            let reason = format!("without {KEY} it matches everything, and another alternative does not");
            Err(Halt::refused(at, reason, "keep only the alternative that you need"))
        }
        _ => Ok(listed),
    }
}

/// The server names of every rule, where they are the same in all.
fn agreed(rules: &[FieldPath], object: &Value) -> Result<Vec<Value>, Halt> {
    let Some((first, others)) = rules.split_first() else { return Ok(Vec::new()) };
    let listed_first = listed(first, object)?;
    let set = |names: &[Value]| names.iter().map(ToString::to_string).collect::<BTreeSet<_>>();
    for rule in others {
        if set(&listed(rule, object)?) != set(&listed_first) {
            let reason = format!("{TARGET} applies to the whole object, and the items differ in {KEY}");
            return Err(Halt::refused(rule.clone(), reason, "write a separate object for each of them"));
        }
    }
    Ok(listed_first)
}

fn to_hostnames(session: &mut Session<'_>) -> Result<(), Halt> {
    let (all_rules, target) = (path("spec.rules"), path(TARGET));
    let rules = places(&all_rules, session.object());
    let matches = rules.iter().flat_map(|rule| places(&rule.key("matches"), session.object()));
    let mut lists: Vec<FieldPath> = matches.map(|place| place.key(KEY)).collect();
    lists.retain(|list| list.get(session.object()).is_some());
    let agreed = agreed(&rules, session.object())?;
    let Some(from) = lists.iter().find(|list| !items(session.object(), list).is_empty()).cloned() else {
        return Ok(());
    };
    let differ = lists.iter().any(|list| list.get(session.object()) != from.get(session.object()));
    if differ || lists.len() > rules.len() {
        session.record_normalization(&all_rules, format!("{TARGET} has the texts of all the lists"));
    }
    let place = Place::Before("rules".to_owned());
    session.relocate(from.clone(), path("spec").key("hostnames"), place)?;
    for path in lists.into_iter().filter(|list| *list != from) {
        session.delete(path)?;
    }
    for name in agreed {
        let present = items(session.object(), &target);
        if !present.contains(&name) {
            let index = present.len();
            session.insert(target.index(index), name, Place::Last)?;
        }
    }
    // Where all matches are empty they go: an empty match matches everything.
    for matches in rules.iter().map(|rule| rule.key("matches")) {
        let list = matches.get(session.object()).and_then(Value::as_array);
        if list.is_some_and(|list| list.iter().all(|one| one.as_object().is_some_and(Map::is_empty))) {
            session.delete(matches)?;
        }
    }
    Ok(())
}

fn to_snis(session: &mut Session<'_>) -> Result<(), Halt> {
    let from = path(TARGET);
    let Some(list) = from.get(session.object()).cloned() else { return Ok(()) };
    if list.as_array().is_none_or(Vec::is_empty) {
        return session.delete(from);
    }
    let rules = places(&path("spec.rules"), session.object());
    let Some((first, others)) = rules.split_first() else {
        let reason = format!("the target release has {KEY} only in the items of spec.rules, and there are none");
        return Err(Halt::refused(from, reason, "add the item that it belongs to"));
    };
    for (rule, value) in others.iter().map(|rule| (rule, json!([{ KEY: list }]))).chain([(first, json!([{}]))]) {
        session.insert(rule.key("matches"), value, Place::First)?;
    }
    let to = first.key("matches").index(0);
    session.relocate(from, to.key(KEY), Place::Last)
}

impl Operation for SnisToHostnames {
    fn run(&self, pass: &Pass<'_>, session: &mut Session<'_>) -> Result<(), Halt> {
        match pass.direction {
            Direction::Forward => to_hostnames(session),
            Direction::Backward => to_snis(session),
        }
    }

    fn claims(&self) -> Claims {
        Claims { old: vec![pattern("spec.rules[].matches[].snis")], new: vec![pattern(TARGET)] }
    }

    fn fidelities(&self, direction: Direction) -> Vec<Fidelity> {
        match direction {
            Direction::Forward => vec![Fidelity::Exact, Fidelity::Normalized, Fidelity::Refused],
            Direction::Backward => vec![Fidelity::Exact],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::sequence::Lens;
    use super::super::super::trial::{data, inverse, operation};
    use super::*;
    use serde_json::json;

    const LIFT: &str = "native: snis-to-hostnames";

    fn back() -> Lens {
        inverse(LIFT)
    }

    #[track_caller]
    fn check(rules: &Value, hostnames: &Value, after: &Value) {
        let expected = json!({"spec": {"hostnames": hostnames, "rules": after}});
        assert_eq!(
            data(&operation(LIFT), &json!({"spec": {"rules": rules}})).unwrap().0.to_string(),
            expected.to_string()
        );
        assert_eq!(data(&operation(LIFT), &expected), Ok((expected, 0)));
    }

    #[track_caller]
    fn check_refused(rules: &Value, place: &str) {
        match data(&operation(LIFT), &json!({"spec": {"rules": rules}})) {
            Err(Halt::Refused { at, .. }) => assert_eq!(at.to_string(), place),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_list_of_a_single_item_becomes_that_of_the_object() {
        check(&json!([{"matches": [{"snis": ["a", "b"]}], "f": 1}]), &json!(["a", "b"]), &json!([{"f": 1}]));
        check(&json!([{"matches": [{"snis": ["a"]}, {"snis": ["b", "a"]}]}]), &json!(["a", "b"]), &json!([{}]));
    }

    #[test]
    fn items_that_agree_share_one_list() {
        let rules = json!([{"matches": [{"snis": ["a", "b"]}]}, {"matches": [{"snis": ["b"]}, {"snis": ["a"]}]}]);
        check(&rules, &json!(["a", "b"]), &json!([{}, {}]));
    }

    #[test]
    fn items_that_differ_are_refused() {
        check_refused(&json!([{"matches": [{"snis": ["a"]}]}, {"matches": [{"snis": ["b"]}]}]), "spec.rules[1]");
        check_refused(&json!([{"matches": [{"snis": ["a"]}]}, {}]), "spec.rules[1]");
        check_refused(&json!([{"matches": [{"snis": ["a"]}, {}]}]), "spec.rules[0].matches[1]");
        check_refused(&json!([{"matches": [{"snis": ["a"], "x": 1}]}]), "spec.rules[0].matches[0].x");
    }

    #[test]
    fn empty_lists_are_not_lifted() {
        for rules in
            [json!([{"matches": [{}]}]), json!([{"matches": []}]), json!([{"matches": [{"snis": []}]}]), json!([{}])]
        {
            let same = json!({"spec": {"rules": rules}});
            assert_eq!(data(&operation(LIFT), &same), Ok((same, 0)));
        }
    }

    #[test]
    fn every_item_gets_the_list_back() {
        let after = json!({"spec": {"hostnames": ["a"], "rules": [{"f": 1}, {}]}});
        let snis = json!([{"snis": ["a"]}]);
        let before = json!({"spec": {"rules": [{"matches": snis, "f": 1}, {"matches": snis}]}});
        assert_eq!(data(&back(), &after), Ok((before.clone(), 0)));
        assert_eq!(data(&operation(LIFT), &before), Ok((after, 0)));
        let open = json!({"spec": {"rules": [{}]}});
        assert_eq!(data(&back(), &json!({"spec": {"hostnames": [], "rules": [{}]}})), Ok((open.clone(), 0)));
        assert_eq!(data(&back(), &open), Ok((open, 0)));
        assert!(data(&back(), &json!({"spec": {"hostnames": ["a"]}})).is_err());
    }
}
