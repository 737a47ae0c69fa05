//! Whether the rules of a pack convert what breaks: at all, forward and backward, and only the objects that are on the other side.

use serde_json::Value;

use super::change::{Change, Class};
use crate::authoring::lint::{has_open_default, shared_fields};
use crate::engine::finding::Code;
use crate::knowledge::lens::{Constant, Direction, Fidelity, Image};
use crate::knowledge::pack::{Needs, Pack, Rule};
use crate::syntax::field::{FieldPattern, Part};

/// Lists the changes that break objects and that no rule of the pack is about, nor a reason that it gives for dropping something, and those
/// of whose rules none converts in both directions, and by its objects' fields.
pub(super) fn changes<'c>(changes: impl Iterator<Item = &'c Change>, pack: &Pack) -> Vec<Change> {
    changes.filter(|change| is_of_objects(change)).flat_map(|change| lacking(change, pack)).collect()
}

/// Returns whether objects must be converted because of a change; nobody writes a status into a manifest. What another limit or pattern does
/// not accept is held back by any conversion.
fn is_of_objects(change: &Change) -> bool {
    let is_written = |field: &FieldPattern| !matches!(field.parts().first(), Some(Part::Key(name)) if name == "status");
    match change.class {
        Some(Class::Tightened) if change.code != Code::CrdRequired && change.value.is_none() => false,
        Some(Class::Tightened | Class::Breaking | Class::Renamed) => change.field.as_ref().is_some_and(is_written),
        Some(Class::Dropped) => change.code == Code::CrdRemoved,
        Some(Class::Documentation | Class::Additive | Class::Loosened) | None => false,
    }
}

/// Reports what the rules of the pack lack to convert what a change breaks: that of the one which lacks least.
fn lacking(change: &Change, pack: &Pack) -> Vec<Change> {
    let field = change.field.clone().unwrap_or_default();
    let converts = |rule: &&Rule| match change.code {
        _ if rule.kind != change.kind => false,
        _ if let Some(value) = &change.value => is_about_value(rule, &field, value),
        Code::CrdRemoved => rule.new_kind != rule.kind || rule.lens(Direction::Forward).image(&field) == Image::Refused,
        _ => is_about(rule, &field),
    };
    let is_dropped = pack.release_notes().dropped.iter().any(|entry| {
        let is_field = entry.field.as_ref().map_or(change.field.is_none(), |above| field.starts_with(above));
        let is_value =
            entry.value.as_ref().is_none_or(|value| change.value == Some(Value::from(value.as_str()).to_string()));
        entry.kind == change.kind && is_field && is_value
    });
    if is_dropped {
        return Vec::new();
    }
    let wrong = |(code, text): (Code, String)| Change { code, class: None, text, help: None, ..change.clone() };
    let rules = pack.rules().iter().filter(converts);
    let found = rules.map(|rule| {
        let directions = in_one_direction(rule, &field).map(|text| (Code::CrdOneWay, text));
        let sides = alike(pack, rule).map(|text| (Code::CrdAlike, text));
        directions.into_iter().chain(sides).map(wrong).collect::<Vec<_>>()
    });
    found.min_by_key(Vec::len).unwrap_or_else(|| {
        let text = format!("no rule of the pack {} covers this", pack.name());
        vec![wrong((Code::CrdUnclaimed, text))]
    })
}

/// Returns whether a rule moves, drops or refuses a field, or something in it, gives its values another form, or knows its default.
fn is_about(rule: &Rule, field: &FieldPattern) -> bool {
    let lens = rule.lens(Direction::Forward);
    let is_default = |constant: &Constant| constant.is_default && constant.field == *field;
    lens.image(field) != Image::Kept
        || claimed(rule, field).next().is_some()
        || lens.makes_valid(field)
        || lens.constants().iter().any(is_default)
}

/// Returns whether a rule converts, drops or refuses a value of a field.
fn is_about_value(rule: &Rule, field: &FieldPattern, value: &str) -> bool {
    let value: Value = serde_json::from_str(value).expect("it was written as JSON");
    let lens = rule.lens(Direction::Forward);
    lens.image(field) != Image::Kept || lens.value_image(field, &value).is_some() || lens.claims_value(field, &value)
}

/// Returns the fields that a rule takes from its old side or gives its new one, and that are the field, in it or around it.
fn claimed(rule: &Rule, field: &FieldPattern) -> impl Iterator<Item = FieldPattern> {
    let claims = rule.lens(Direction::Forward).claims();
    let all = claims.old.into_iter().chain(claims.new);
    all.filter(|claimed| claimed.starts_with(field) || field.starts_with(claimed))
}

/// Says which direction a rule about a field does not convert in.
fn in_one_direction(rule: &Rule, field: &FieldPattern) -> Option<String> {
    let converts = |direction| {
        let fidelities = rule.lens(direction).fidelities();
        fidelities.into_iter().any(|fidelity| fidelity != Fidelity::Refused)
    };
    let text = match (converts(Direction::Forward), converts(Direction::Backward)) {
        (true, true) if claimed(rule, field).any(|claimed| is_lost(rule, &claimed)) => {
            "loses the value, and has nothing to convert back"
        }
        (true, true) => return None,
        (true, false) => "converts forward, and nothing back",
        (false, true) => "converts backward, and nothing forward",
        (false, false) => "holds objects back, and converts none",
    };
    Some(format!("the rule {} {text}", rule.id))
}

/// Returns whether a field goes in a direction and does not come back in the other one.
fn is_lost(rule: &Rule, field: &FieldPattern) -> bool {
    let images = |direction, field: &FieldPattern| rule.lens(direction).images(field);
    [Direction::Forward, Direction::Backward].into_iter().any(|direction| {
        let all = images(direction, field);
        let comes_back = |image: &Image| match image {
            Image::Kept => true,
            Image::Moved(moved) => images(direction.reversed(), moved).iter().any(|back| *back != Image::Dropped),
            Image::Dropped | Image::Refused => false,
        };
        !all.iter().any(comes_back)
    })
}

/// Says why an object does not show by its fields on which side of a rule it is.
fn alike(pack: &Pack, rule: &Rule) -> Option<String> {
    if rule.needs == Some(Needs::From) {
        let text = "needs --from: no field shows whether an object is from before the change";
        return Some(format!("the rule {} {text}", rule.id));
    }
    if has_open_default(pack, rule) {
        let text = "changes a default, and no field shows whether an object without it is from before the change";
        return Some(format!("the rule {} {text}", rule.id));
    }
    let shared = shared_fields(pack, rule);
    let (field, side) = shared.first()?;
    let text = "so that no field shows whether an object is from before the change";
    Some(format!("the rule {} is about {field}, which exists {side} the change too, {text}", rule.id))
}
