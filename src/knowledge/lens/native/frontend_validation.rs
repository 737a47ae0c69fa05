//! Gateway API, Gateway: the client validation of each HTTPS listener became one for each port, or one for all.

use serde_json::{Value, json};

use super::super::operation::{Claims, Description, Direction, Fidelity, Form, Image, Operation, Pass, Premise, Side};
use super::super::references::{referring, resolves_to_own};
use super::super::relocate::remove_emptied;
use super::super::session::{Halt, LossClass, Session};
use super::super::verdict::undecided;
use super::fields::{items, path, pattern};
use crate::knowledge::release::GroupKind;
use crate::syntax::field::{FieldPath, FieldPattern, Step};
use crate::syntax::variable::OpenText;
use crate::syntax::yaml::Place;

pub(super) const DESCRIPTION: Description = Description {
    name: "frontend-validation-per-port",
    text: "Moves `tls.frontendValidation` out of the HTTPS listeners of a Gateway: to `default.validation` in `spec.tls.frontend` \
           where all have the same value and `spec.allowedListeners` is absent, else to `tls.validation` in the items of `perPort` \
           there, one for each port (`default` is then present and empty). Refused where listeners of one port differ, where \
           another listener has the field, or where a ListenerSet of the Gateway has a listener of the port with another value. \
           The inverse gives each listener the value of its port, or else the shared one; a value that applies to no listener is \
           a `dropped-field` loss. It is refused where a value applies to a listener of a ListenerSet.",
    example: "native: frontend-validation-per-port",
};

const LISTENERS: &str = "spec.listeners";
/// The field of a listener, and where it is for all listeners and for those of a port.
const FIELD: &str = "tls.frontendValidation";
const TARGET: &str = "spec.tls.frontend";
const SHARED: &str = "default.validation";
const OF_PORT: &str = "tls.validation";

#[derive(Debug)]
pub(super) struct FrontendValidation;

/// A port, and the HTTPS listeners that listen on it, by index.
struct Port {
    number: Value,
    listeners: Vec<usize>,
}

/// A value of the new side, and the listeners that it applies to.
struct Validation {
    at: FieldPath,
    listeners: Vec<usize>,
}

/// A listener of another object, whose ports count as ports of the Gateway.
struct Attached<'v> {
    /// The title of the object.
    title: String,
    listener: &'v Value,
}

/// The kinds of objects whose listeners are attached to a Gateway.
fn listener_sets() -> [GroupKind; 2] {
    [
        GroupKind::new("XListenerSet", "gateway.networking.x-k8s.io"),
        GroupKind::new("ListenerSet", "gateway.networking.k8s.io"),
    ]
}

fn listeners(object: &Value) -> &[Value] {
    items(object, &path(LISTENERS))
}

fn field_of(index: usize) -> FieldPath {
    path(LISTENERS).index(index).join(&path(FIELD))
}

fn is_https(listener: &Value) -> bool {
    listener.get("protocol").and_then(Value::as_str) == Some("HTTPS")
}

/// Whether one value can stand for all listeners: other objects cannot attach any.
fn can_share(object: &Value) -> bool {
    path("spec.allowedListeners").get(object).is_none()
}

/// The ports of HTTPS listeners, in the order in which they first occur.
fn ports(object: &Value) -> Vec<Port> {
    let mut ports: Vec<Port> = Vec::new();
    for (index, listener) in listeners(object).iter().enumerate().filter(|(_, listener)| is_https(listener)) {
        let number = listener.get("port").cloned().unwrap_or_default();
        match ports.iter_mut().find(|port| port.number == number) {
            Some(port) => port.listeners.push(index),
            None => ports.push(Port { number, listeners: vec![index] }),
        }
    }
    ports
}

/// The ports whose listeners have the field, where all can be moved.
fn validated(object: &Value) -> Result<Vec<Port>, Halt> {
    let listeners = listeners(object);
    let field = path(FIELD);
    if listeners.iter().all(|listener| field.get(listener).is_none()) {
        return Ok(Vec::new());
    }
    for (index, listener) in listeners.iter().enumerate() {
        let protocol = listener.get("protocol").and_then(OpenText::of);
        if protocol.is_some_and(|protocol| protocol.can_be(&Value::from("HTTPS"))) {
            return Err(undecided(path(LISTENERS).index(index).key("protocol"), object));
        }
    }
    let other = listeners.iter().position(|listener| !is_https(listener) && field.get(listener).is_some());
    if let Some(index) = other {
        let reason = format!("{TARGET} does not apply to this item, so its {FIELD} cannot be kept there");
        return Err(Halt::refused(field_of(index), reason, "remove the field"));
    }
    let mut ports = ports(object);
    for Port { number, listeners: of_port } in &ports {
        let first = field.get(&listeners[of_port[0]]);
        if let Some(index) = of_port.iter().find(|index| field.get(&listeners[**index]) != first) {
            let reason =
                format!("items with port {number} differ in {FIELD}, and {TARGET} has one value for each port");
            return Err(Halt::refused(field_of(*index), reason, "give the items of one port the same value"));
        }
    }
    ports.retain(|port| field.get(&listeners[port.listeners[0]]).is_some());
    Ok(ports)
}

/// The HTTPS listeners of other objects that share the ports, none where no others can.
fn attached<'v>(session: &Session<'v>) -> Vec<Attached<'v>> {
    let mut attached = Vec::new();
    let Some(context) = session.context().filter(|_| !can_share(session.object())) else { return attached };
    let parent = pattern("spec.parentRef");
    for kind in &listener_sets() {
        for other in referring(session, context, kind, &parent) {
            let references = parent.values(other.value);
            if references.into_iter().any(|reference| resolves_to_own(reference, &other, session) != Some(false)) {
                let listeners = listeners(other.value).iter().filter(|listener| is_https(listener));
                attached.extend(listeners.map(|listener| Attached { title: other.described(), listener }));
            }
        }
    }
    attached
}

/// Refuses values that would also apply to listeners of other objects that have none or another one.
fn check_attached(ports: &[Port], session: &Session<'_>) -> Result<(), Halt> {
    let attached = attached(session);
    for Port { number, listeners } in ports {
        let at = field_of(listeners[0]);
        let value = at.get(session.object());
        let differs = |other: &&Attached<'_>| {
            other.listener.get("port") == Some(number) && path(FIELD).get(other.listener) != value
        };
        if let Some(Attached { title, .. }) = attached.iter().find(differs) {
            let reason = format!("{title} also has an item with port {number}, and {TARGET} would apply to it");
            let help = "give that item another port, or the same value as the items here";
            return Err(Halt::refused(at, reason, help));
        }
    }
    Ok(())
}

/// Moves the values to the ports, and returns where they are.
fn gather(session: &mut Session<'_>) -> Result<Vec<Validation>, Halt> {
    let object = session.object();
    let (validated, target) = (validated(object)?, path(TARGET));
    let Some(first) = validated.first() else { return Ok(Vec::new()) };
    check_attached(&validated, session)?;
    if target.get(object).is_some() {
        return Err(Halt::Conflict { old: field_of(first.listeners[0]), new: target });
    }
    let value = |port: &Port| field_of(port.listeners[0]).get(object);
    let is_everywhere = ports(object).len() == validated.len();
    let validations = if is_everywhere && can_share(object) && validated.iter().all(|port| value(port) == value(first))
    {
        add_target(json!({"default": {}}), session)?;
        let listeners = validated.into_iter().flat_map(|port| port.listeners).collect();
        vec![Validation { at: target.join(&path(SHARED)), listeners }]
    } else {
        let per_port: Vec<_> = validated.iter().map(|port| json!({"port": port.number, "tls": {}})).collect();
        add_target(json!({"default": {}, "perPort": per_port}), session)?;
        let of_port = |(at, port): (usize, Port)| Validation {
            at: target.key("perPort").index(at).join(&path(OF_PORT)),
            listeners: port.listeners,
        };
        validated.into_iter().enumerate().map(of_port).collect()
    };
    validations.iter().try_for_each(|validation| take(validation, session))?;
    Ok(validations)
}

/// Adds the mapping of the new side, in `spec.tls`, which is after the listeners where it is new.
fn add_target(value: Value, session: &mut Session<'_>) -> Result<(), Halt> {
    let tls = path("spec.tls");
    match tls.get(session.object()) {
        Some(_) => session.insert(tls.key("frontend"), value, Place::Last),
        None => session.insert(tls, json!({ "frontend": value }), Place::After("listeners".to_owned())),
    }
}

/// Moves the value of listeners, equal in all, to the new side.
fn take(validation: &Validation, session: &mut Session<'_>) -> Result<(), Halt> {
    session.relocate(field_of(validation.listeners[0]), validation.at.clone(), Place::Last)?;
    for index in &validation.listeners[1..] {
        session.delete(field_of(*index))?;
    }
    let listeners = validation.listeners.iter();
    let mut emptied = listeners.map(|index| (path(LISTENERS).index(*index), field_of(*index)));
    emptied.try_for_each(|(listener, field)| remove_emptied(&listener, &field, session))
}

fn forward(session: &mut Session<'_>) -> Result<(), Halt> {
    let before = session.object().clone();
    let validations = gather(session)?;
    if validations.is_empty() {
        return Ok(());
    }
    let mut back = Session::new(session.object().clone());
    let is_same = backward(&mut back).is_ok() && is_same_in_order(back.object(), &before);
    for Validation { at, listeners } in validations {
        if listeners.len() > 1 {
            session.record_normalization(&at, "it is written once for several items, as in the first of them");
        } else if !is_same {
            session.record_normalization(&at, format!("converting back writes it last in its item of {LISTENERS}"));
        }
    }
    Ok(())
}

/// Where the value is that applies to the listeners of a port.
fn validation_of(port: &Value, object: &Value) -> Option<FieldPath> {
    let list = path(TARGET).key("perPort");
    let at = items(object, &list).iter().rposition(|item| item.get("port").unwrap_or(&Value::Null) == port)?;
    Some(list.index(at).join(&path(OF_PORT)))
}

/// The values of the new side, with the listeners of each.
fn validations(object: &Value) -> Vec<Validation> {
    let mut shared = Validation { at: path(TARGET).join(&path(SHARED)), listeners: Vec::new() };
    let mut validations = Vec::new();
    for Port { number, listeners } in ports(object) {
        match validation_of(&number, object) {
            Some(at) => validations.push(Validation { at, listeners }),
            None => shared.listeners.extend(listeners),
        }
    }
    shared.listeners.sort_unstable();
    validations.push(shared);
    validations.retain(|validation| validation.at.get(object).is_some());
    validations
}

/// Refuses values that also apply to listeners of other objects, which would lose them.
fn check_lost_by_attached(session: &Session<'_>) -> Result<(), Halt> {
    for Attached { title, listener } in attached(session) {
        let number = listener.get("port").cloned().unwrap_or_default();
        let at = validation_of(&number, session.object()).unwrap_or_else(|| path(TARGET).join(&path(SHARED)));
        let value = at.get(session.object());
        if value.is_some() && path(FIELD).get(listener) != value {
            let reason = format!("it also applies to an item of {title} with port {number}, which would lose it");
            let help = format!("remove that item from {title}, or remove the value here, then convert again");
            return Err(Halt::refused(at, reason, help));
        }
    }
    Ok(())
}

/// Gives a value to its listeners.
fn give(validation: &Validation, session: &mut Session<'_>) -> Result<(), Halt> {
    let Some(value) = validation.at.get(session.object()).cloned() else { return Ok(()) };
    for (nth, index) in validation.listeners.iter().enumerate() {
        let tls = path(LISTENERS).index(*index).key("tls");
        if tls.get(session.object()).is_none() {
            session.insert(tls, json!({}), Place::Last)?;
        }
        match nth {
            0 => session.relocate(validation.at.clone(), field_of(*index), Place::Last)?,
            _ => session.insert(field_of(*index), value.clone(), Place::Last)?,
        }
    }
    Ok(())
}

fn backward(session: &mut Session<'_>) -> Result<(), Halt> {
    let target = path(TARGET);
    if target.get(session.object()).is_none() {
        return Ok(());
    }
    let mut fields = (0..listeners(session.object()).len()).map(field_of);
    if let Some(new) = fields.find(|field| field.get(session.object()).is_some()) {
        return Err(Halt::Conflict { old: target, new });
    }
    check_lost_by_attached(session)?;
    let before = session.object().clone();
    for validation in validations(session.object()) {
        give(&validation, session)?;
    }
    let lost = unused(session.object());
    for path in &lost {
        session.record_loss(LossClass::DroppedField, path, format!("it applies to no item of {LISTENERS}"));
    }
    session.delete(target.clone())?;
    remove_emptied(&path("spec"), &target, session)?;
    let mut again = Session::new(session.object().clone());
    let is_reversible = gather(&mut again).is_ok() && is_same_in_order(again.object(), &before);
    if lost.is_empty() && !is_reversible {
        session.record_normalization(&target, format!("it is written in each item of {LISTENERS} instead"));
    }
    Ok(())
}

/// The values of the new side that are left: each is one loss, and not one for each of its fields.
fn unused(object: &Value) -> Vec<FieldPath> {
    let target = path(TARGET);
    let Some(rest) = target.get(object) else { return Vec::new() };
    let mut leaves = Vec::new();
    collect_leaves(rest, &FieldPath::default(), &mut leaves);
    let mut unused = Vec::new();
    for leaf in leaves {
        let is_of_port = leaf.steps().first() == Some(&Step::Key("perPort".to_owned()));
        if is_of_port && leaf.steps().len() == 3 && leaf.last_key() == Some("port") {
            continue;
        }
        let depth = if is_of_port { 4 } else { 2 };
        unused.push(target.join(&FieldPath::new(leaf.steps().iter().take(depth).cloned())));
    }
    unused.dedup();
    unused
}

fn collect_leaves(value: &Value, path: &FieldPath, leaves: &mut Vec<FieldPath>) {
    match value {
        Value::Object(map) => map.iter().for_each(|(key, value)| collect_leaves(value, &path.key(key), leaves)),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| collect_leaves(item, &path.index(index), leaves));
        }
        _ => leaves.push(path.clone()),
    }
}

/// Compares values including the order of their keys.
fn is_same_in_order(left: &Value, right: &Value) -> bool {
    let [left, right] = [left, right].map(Value::to_string);
    left == right
}

impl Operation for FrontendValidation {
    fn run(&self, pass: &Pass<'_>, session: &mut Session<'_>) -> Result<(), Halt> {
        match pass.direction {
            Direction::Forward => forward(session),
            Direction::Backward => backward(session),
        }
    }

    fn kinds_read(&self) -> Vec<GroupKind> {
        listener_sets().into()
    }

    /// Others are read, and stay as they are.
    fn kinds_converted_with(&self) -> Vec<GroupKind> {
        Vec::new()
    }

    fn claims(&self) -> Claims {
        let target = pattern(TARGET);
        let of_port = target.key("perPort").items().join(&pattern(OF_PORT));
        Claims {
            old: vec![pattern(LISTENERS).items().join(&pattern(FIELD))],
            new: vec![target.join(&pattern(SHARED)), of_port],
        }
    }

    fn premises(&self) -> Vec<Premise> {
        let listener = pattern(LISTENERS).items();
        let https = Form::Value(Value::from("HTTPS"));
        vec![
            Premise::new(&listener.key("protocol"), https, Side::Either),
            Premise::present(&listener.key("port")),
            Premise::present(&pattern("spec.allowedListeners")),
        ]
    }

    fn image(&self, direction: Direction, field: &FieldPattern) -> Image {
        let Claims { old, new } = self.claims();
        if direction == Direction::Forward {
            return Claims { old, new }.image(field);
        }
        match new.iter().find_map(|new| field.below(new)) {
            Some(below) => Image::Moved(old[0].join(&below)),
            None if field.starts_with(&pattern(TARGET)) => Image::Dropped,
            None => Image::Kept,
        }
    }

    fn fidelities(&self, direction: Direction) -> Vec<Fidelity> {
        let both = [Fidelity::Exact, Fidelity::Normalized, Fidelity::Refused];
        both.into_iter().chain((direction == Direction::Backward).then_some(Fidelity::Lossy)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::trial::{data, inverse, operation};
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    const PER_PORT: &str = "native: frontend-validation-per-port";

    #[track_caller]
    fn check(old: Value, new: Value) {
        assert_eq!(data(&operation(PER_PORT), &old), Ok((new.clone(), 0)));
        assert_eq!(data(&inverse(PER_PORT), &new), Ok((old.clone(), 0)));
        assert_eq!(data(&operation(PER_PORT), &new), Ok((new, 0)));
        assert_eq!(data(&inverse(PER_PORT), &old), Ok((old, 0)));
    }

    #[test]
    fn one_value_for_all_is_shared() {
        check(
            json!({"spec": {"listeners": [{"protocol": "HTTPS", "port": 1, "tls": {"mode": 0, "frontendValidation": "a"}}, {"protocol": "X", "port": 2}, {"protocol": "HTTPS", "port": 3, "tls": {"frontendValidation": "a"}}]}}),
            json!({"spec": {"listeners": [{"protocol": "HTTPS", "port": 1, "tls": {"mode": 0}}, {"protocol": "X", "port": 2}, {"protocol": "HTTPS", "port": 3}], "tls": {"frontend": {"default": {"validation": "a"}}}}}),
        );
    }

    #[test]
    fn values_that_differ_or_are_not_for_all_get_a_key() {
        check(
            json!({"spec": {"tls": {"b": 1}, "listeners": [{"protocol": "HTTPS", "port": 1, "tls": {"frontendValidation": "a"}}, {"protocol": "HTTPS", "port": 3}, {"protocol": "HTTPS", "port": 2, "tls": {"frontendValidation": "b"}}]}}),
            json!({"spec": {"tls": {"b": 1, "frontend": {"default": {}, "perPort": [{"port": 1, "tls": {"validation": "a"}}, {"port": 2, "tls": {"validation": "b"}}]}},
                "listeners": [{"protocol": "HTTPS", "port": 1}, {"protocol": "HTTPS", "port": 3}, {"protocol": "HTTPS", "port": 2}]}}),
        );
        check(
            json!({"spec": {"allowedListeners": 1, "listeners": [{"protocol": "HTTPS", "port": 1, "tls": {"frontendValidation": "a"}}]}}),
            json!({"spec": {"allowedListeners": 1, "listeners": [{"protocol": "HTTPS", "port": 1}], "tls": {"frontend": {"default": {}, "perPort": [{"port": 1, "tls": {"validation": "a"}}]}}}}),
        );
    }

    #[test]
    fn values_that_cannot_be_gathered_are_refused() {
        let at = |object: Value| match data(&operation(PER_PORT), &object) {
            Err(Halt::Refused { at, .. }) => at.to_string(),
            other => panic!("{other:?}"),
        };
        let differ = json!({"spec": {"listeners": [{"protocol": "HTTPS", "port": 1, "tls": {"frontendValidation": "a"}}, {"protocol": "HTTPS", "port": 1}]}});
        assert_eq!(at(differ), "spec.listeners[1].tls.frontendValidation");
        let other = json!({"spec": {"listeners": [{"protocol": "HTTPS", "port": 1, "tls": {"frontendValidation": "a"}}, {"protocol": "X", "port": 2, "tls": {"frontendValidation": "a"}}]}});
        assert_eq!(at(other), "spec.listeners[1].tls.frontendValidation");
        let both = json!({"spec": {"tls": {"frontend": {}}, "listeners": [{"protocol": "HTTPS", "port": 1, "tls": {"frontendValidation": "a"}}]}});
        assert!(matches!(data(&operation(PER_PORT), &both), Err(Halt::Conflict { .. })));
    }

    #[test]
    fn values_that_no_item_uses_are_lost() {
        let new = json!({"spec": {"listeners": [{"protocol": "HTTPS", "port": 1}], "tls": {"frontend": {"default": {"validation": "a"}, "perPort": [{"port": 1, "tls": {}}, {"port": 2, "tls": {"validation": "b"}}]}}}});
        let mut session = Session::new(new);
        inverse(PER_PORT).run(&mut session).unwrap();
        let lost: Vec<_> = session.losses().iter().map(|loss| loss.path.to_string()).collect();
        assert_eq!(lost, ["spec.tls.frontend.default.validation", "spec.tls.frontend.perPort[1].tls.validation"]);
        assert_eq!(*session.object(), json!({"spec": {"listeners": [{"protocol": "HTTPS", "port": 1}]}}));
    }

    #[test]
    fn an_equivalent_spelling_is_reported() {
        let normalized = |to: Value| {
            let object = json!({"spec": {"listeners": [{"protocol": "HTTPS", "port": 1}], "tls": {"frontend": to}}});
            let mut session = Session::new(object);
            inverse(PER_PORT).run(&mut session).unwrap();
            assert!(session.losses().is_empty());
            session.normalized().iter().map(|one| one.path.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(normalized(json!({"default": {"validation": "a"}})), Vec::<String>::new());
        assert_eq!(
            normalized(json!({"default": {}, "perPort": [{"port": 1, "tls": {"validation": "a"}}]})),
            ["spec.tls.frontend"]
        );
        assert_eq!(normalized(json!({"default": {}})), ["spec.tls.frontend"]);
    }

    #[test]
    fn fields_are_followed_in_both_directions() {
        let field = |text: &str| FieldPattern::parse(text).unwrap();
        assert_eq!(
            operation(PER_PORT).image(&field("spec.listeners[].tls.frontendValidation.c")),
            Image::Moved(field("spec.tls.frontend.default.validation.c"))
        );
        assert_eq!(
            inverse(PER_PORT).image(&field("spec.tls.frontend.perPort[].tls.validation.c")),
            Image::Moved(field("spec.listeners[].tls.frontendValidation.c"))
        );
        assert_eq!(inverse(PER_PORT).image(&field("spec.tls.frontend.perPort[].port")), Image::Dropped);
    }

    proptest! {
        #[test]
        fn gathered_values_are_restored(items in prop::collection::vec((0..3_i32, 0..3_i32, any::<bool>()), 0..6)) {
            let item = |(key, value, other): &(i32, i32, bool)| match (other, value) {
                (true, _) => json!({"protocol": "X", "port": key}),
                (false, 0) => json!({"protocol": "HTTPS", "port": key, "tls": {"mode": 1}}),
                (false, value) => json!({"protocol": "HTTPS", "port": key, "tls": {"mode": 1, "frontendValidation": value}}),
            };
            let old = json!({"spec": {"listeners": items.iter().map(item).collect::<Vec<_>>()}});
            match data(&operation(PER_PORT), &old) {
                Ok((new, losses)) => {
                    prop_assert_eq!(losses, 0);
                    prop_assert_eq!(data(&inverse(PER_PORT), &new), Ok((old, 0)));
                }
                Err(halt) => prop_assert!(matches!(halt, Halt::Refused { .. }), "{:?}", halt),
            }
        }
    }
}
