//! Whether the fields and values that rules name can be in objects of their kinds.

use std::collections::BTreeSet;

use serde_json::Value;

use super::linter::Lint;
use super::rules::Bundle;
use super::way_out::alike;
use crate::authoring::starter::QUOTE;
use crate::knowledge::catalog::{Field, Type};
use crate::knowledge::lens::{Claims, Direction, Form, Premise, Side};
use crate::knowledge::pack::nearest::near;
use crate::knowledge::pack::place::Place;
use crate::knowledge::pack::rules::Rule;
use crate::knowledge::release::{GroupKind, ReleaseSet};
use crate::syntax::field::{FieldPattern, Part};

/// Reports fields that no release has, and values and types that they never have.
pub(super) fn check_premises(lint: &mut Lint<'_>) {
    for rules in lint.pack.rule_files() {
        // What objects of other packs and the values of charts have is not known here, and a repair is about what no release has.
        let is_elsewhere = |rule: &&Rule| lint.pack.is_foreign(&rule.kind) || rule.values.is_some() || !rule.is_step();
        if rules.iter().any(is_elsewhere) {
            continue;
        }
        let lens = rules[0].lens(Direction::Forward);
        let Claims { old, new } = lens.claims();
        let claimed = old.iter().chain(&new).map(|field| Premise {
            written: field.clone(),
            names: vec![field.clone()],
            form: Form::Present,
            side: Side::Either,
        });
        // A mapping that the lens makes step by step is on no side as it is in between.
        let is_made = |premise: &Premise| new.iter().any(|made| made.starts_with(&premise.written));
        let premises: Vec<Premise> = claimed.chain(lens.premises()).collect();
        let mut missing = BTreeSet::new();
        for premise in premises {
            let found: Vec<Found<'_>> = rules.iter().map(|rule| found(lint, rule, &premise)).collect();
            let is_missing = found.iter().all(|found| found.all.is_empty() && found.open.is_empty());
            if is_missing && missing.insert(premise.written.clone()) {
                report_missing(lint, rules[0], &premise.written);
            } else if !is_missing && !is_made(&premise) && !found.iter().any(|found| found.fulfils(&premise.form)) {
                report_premise(lint, rules[0], &premise, &found);
            }
        }
    }
}

/// Returns what the catalogs have of the field of a premise.
fn found<'p>(lint: &Lint<'p>, rule: &Rule, premise: &Premise) -> Found<'p> {
    let path = Bundle::of(lint.pack, rule);
    let one = |field: &FieldPattern| Claims { old: vec![field.clone()], new: vec![field.clone()] };
    let around = path.iter().flat_map(|bundle| {
        let ends = premise.names.iter().map(|name| bundle.at_its_ends(one(name)));
        ends.flat_map(|claims| claims.old.into_iter().chain(claims.new)).collect::<Vec<_>>()
    });
    let names: BTreeSet<FieldPattern> = premise.names.iter().cloned().chain(around).collect();
    let last = path.as_ref().map(|bundle| bundle.path.kind.clone());
    let kinds: BTreeSet<GroupKind> =
        [&rule.kind, &rule.new_kind, &rule.final_kind].into_iter().cloned().chain(last).collect();
    let mut found = Found::default();
    for catalog in kinds.iter().filter_map(|kind| lint.pack.catalog(kind)) {
        for reach in names.iter().map(|name| catalog.reach(name)) {
            found.open = found.open | reach.open;
            found.all.extend(reach.fields);
        }
    }
    found.on_side = found.all.iter().filter(|field| is_on_side(lint, rule, premise.side, field)).cloned().collect();
    found
}

fn is_on_side(lint: &Lint<'_>, rule: &Rule, side: Side, field: &Field<'_>) -> bool {
    let version = match (&rule.api_versions, side) {
        (_, Side::Either) => return true,
        _ if rule.within.is_some() => return true,
        (Some([old, _]), Side::Old) => Some(old),
        (Some([_, new]), Side::New) => Some(new),
        (None, _) => None,
    };
    if let Some(version) = version {
        return field.api_versions.is_empty() || field.api_versions.contains(&version.version);
    }
    let mut orders = field.releases.iter().map(|id| lint.pack.line().get(id).order);
    orders.any(|order| (order < rule.order) == (side == Side::Old))
}

fn report_missing(lint: &mut Lint<'_>, rule: &Rule, field: &FieldPattern) {
    let text = format!("no release has {} {field}", rule.kind);
    let help = alike(lint, &rule.kind, field);
    let help = if help.is_empty() { alike(lint, &rule.new_kind, field) } else { help };
    lint.report(&rule.path(), &Place::in_lens(field), text, help);
}

fn report_premise(lint: &mut Lint<'_>, rule: &Rule, premise: &Premise, found: &[Found<'_>]) {
    let bundle = &lint.pack.line().bundles()[rule.order];
    let side = match (premise.side, &rule.api_versions) {
        (Side::Either, _) => String::new(),
        (Side::Old, Some([old, _])) => format!(" under {old}"),
        (Side::New, Some([_, new])) => format!(" under {new}"),
        (Side::Old, None) => format!(" before {bundle}"),
        (Side::New, None) => format!(" from {bundle} on"),
    };
    let field = format!("{} {}", rule.kind, premise.written);
    let text = match &premise.form {
        _ if found.iter().all(|found| found.on_side.is_empty()) => format!("no release{side} has {field}"),
        Form::Value(value) => format!("no release{side} allows {value} in {field}"),
        Form::Single => format!("{field} is always a list{side}"),
        form => format!("{field} is never {}{side}", described(form)),
    };
    let is_of_items = matches!(premise.written.parts().last(), Some(Part::Items));
    let help = match &premise.form {
        Form::List if is_of_items => {
            "`wrap` makes a list of a value: name the field that becomes a list, not the items of one".to_owned()
        }
        Form::Single => "`wrap` is for a value that becomes a list: remove the operation".to_owned(),
        Form::Present | Form::List | Form::Text | Form::Mapping | Form::Structure | Form::Number | Form::Boolean => {
            values_of(found)
        }
        Form::Value(value) => {
            meant(found, value).map_or_else(|| values_of(found), |meant| format!("did you mean {meant}?"))
        }
    };
    lint.report(&rule.path(), &Place::in_lens(&premise.written), text, help);
}

/// What catalogs have of a field.
#[derive(Default)]
struct Found<'c> {
    all: Vec<Field<'c>>,
    on_side: Vec<Field<'c>>,
    /// The releases that allow anything there.
    open: ReleaseSet,
}

impl Found<'_> {
    fn fulfils(&self, form: &Form) -> bool {
        *form == Form::Present || !self.open.is_empty() || self.on_side.iter().any(|field| fulfils(field, form))
    }
}

fn fulfils(field: &Field<'_>, form: &Form) -> bool {
    let is_one_of = |kinds: &[Type]| field.kind == Type::Any || kinds.contains(&field.kind);
    match form {
        Form::Present => true,
        Form::List => is_one_of(&[Type::Array]),
        Form::Single => field.kind != Type::Array,
        Form::Text => is_one_of(&[Type::String, Type::IntegerOrString]),
        Form::Mapping => is_one_of(&[Type::Object]),
        Form::Structure => is_one_of(&[Type::Object, Type::Array]),
        Form::Number => is_one_of(&[Type::Integer, Type::Number, Type::IntegerOrString]),
        Form::Boolean => is_one_of(&[Type::Boolean]),
        Form::Value(Value::Null) => true,
        Form::Value(value) => {
            let allowed = field.attributes.allowed.as_ref();
            field.kind.accepts(value) && allowed.is_none_or(|allowed| allowed.contains(value))
        }
    }
}

const fn described(form: &Form) -> &'static str {
    match form {
        Form::Present | Form::Single | Form::Value(_) => "there",
        Form::List => "a list",
        Form::Text => "a text",
        Form::Mapping => "a mapping",
        Form::Structure => "a mapping or a list",
        Form::Number => "a number",
        Form::Boolean => "true or false",
    }
}

/// Returns the fields of a premise, those on its side where there are some.
fn fields_of<'f, 'c>(found: &'f [Found<'c>]) -> impl Iterator<Item = &'f Field<'c>> {
    found.iter().flat_map(|found| if found.on_side.is_empty() { &found.all } else { &found.on_side })
}

/// Returns the value of a field that a text may stand for.
fn meant<'f>(found: &'f [Found<'_>], value: &Value) -> Option<&'f str> {
    let listed = fields_of(found).flat_map(|field| field.attributes.allowed.iter().flatten());
    // Any letter is near any other one.
    let value = value.as_str().filter(|value| value.len() > 2)?;
    near(value, listed.filter_map(Value::as_str))
}

/// Says which values a field can have.
fn values_of(found: &[Found<'_>]) -> String {
    let fields = || fields_of(found);
    let types: BTreeSet<&str> = fields().map(|field| field.kind.name()).collect();
    let types = types.into_iter().collect::<Vec<_>>().join(" or ");
    let values = |is_right: bool| {
        let of = |field: &Field<'_>| {
            let all = field.attributes.allowed.iter().flatten();
            all.filter(|value| field.kind.accepts(value) == is_right).map(ToString::to_string).collect::<Vec<_>>()
        };
        fields().flat_map(of).collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(", ")
    };
    let said = match values(true) {
        values if values.is_empty() => format!("its type is {types}"),
        values => format!("its values are {values}"),
    };
    match values(false) {
        wrong if wrong.is_empty() => said,
        wrong => format!("{said}; the CRD lists {wrong} too, which a {types} never is: {QUOTE}"),
    }
}
