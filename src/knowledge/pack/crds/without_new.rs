//! Answers: does a CEL rule accept every value that an older schema accepts, since it is about fields and values that are new?
//!
//! The rule is evaluated for all values of the older schema at once: a field that only the newer schema has is absent, one that the older
//! one requires is present, and any other field is tried both ways. What an expression can come to is a set of [`Outcomes`].
//!
//! Invariant: a rule is said to accept all only if nothing but true is possible: an error counts as a rejection, and what is not
//! understood as anything.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::sync::LazyLock;

use kube_cel::cel::common::ast::{CallExpr, ComprehensionExpr, Expr, IdedExpr, LiteralValue, SelectExpr, operators};
use serde_json::{Map, Value};

use super::cel::{Macro, MacroCall, is_true, literal, macro_named, unescaped};
use super::crd::PRESERVE;

/// The operators that compare two values, or a value with those of a list.
pub(super) const COMPARISONS: [&str; 7] = [
    operators::EQUALS,
    operators::NOT_EQUALS,
    operators::IN,
    operators::LESS,
    operators::LESS_EQUALS,
    operators::GREATER,
    operators::GREATER_EQUALS,
];

/// How many expressions are evaluated for one rule before it counts as not understood.
const FUEL: u32 = 50_000;

/// The fields of objects that no schema needs to list.
const UNLISTED: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// The schemas of one value before and after a change.
#[derive(Clone, Debug)]
pub(crate) struct Compared<'s> {
    /// The schema that accepted the value.
    pub(crate) old: &'s Map<String, Value>,
    /// The schema that has the rule.
    pub(crate) new: &'s Map<String, Value>,
    /// The schemas that accepted it in the other versions in which it could be written.
    pub(crate) elsewhere: Vec<&'s Map<String, Value>>,
    /// The newer schemas of the other versions, of which that of the stored one writes its defaults into the object.
    pub(crate) stored: Vec<&'s Map<String, Value>>,
    /// Whether the API server removed fields that the older schema does not name.
    pub(crate) is_pruned: bool,
    /// What the value, or a part of it, can be where defaults of the newer schemas are written into the object.
    pub(crate) defaults: Vec<&'s Value>,
}

impl<'s> Compared<'s> {
    /// Returns the schemas that accepted the value.
    fn accepted(&self) -> impl Iterator<Item = &'s Map<String, Value>> {
        std::iter::once(self.old).chain(self.elsewhere.iter().copied())
    }
}

/// Returns what an expression about a value can come to, for all that the older schema accepts.
pub(super) fn outcomes(expression: &IdedExpr, value: &Compared<'_>) -> Outcomes {
    Evaluation { fuel: Cell::new(FUEL) }.tried(expression, &[whole(value)], &mut Presence::default())
}

/// Returns whether an expression about a value certainly is another value than `constant`, if it can be evaluated.
pub(super) fn is_never_equal(expression: &IdedExpr, constant: &Value, value: &Compared<'_>) -> bool {
    let (scope, mut presence) = ([whole(value)], Presence::default());
    loop {
        match path(expression, &scope, &mut presence) {
            Path::Value(of) => return is_never(&of.value, constant),
            Path::Nothing => return true,
            Path::Unknown if presence.open.is_empty() => return false,
            // It is about what is there.
            Path::Unknown => {
                presence.assumed.extend(std::mem::take(&mut presence.open).into_iter().map(|at| (at, true)))
            }
        }
    }
}

fn whole<'s>(value: &Compared<'s>) -> Bound<'static, 's> {
    Bound { name: "self", value: Some(Reached { value: value.clone(), place: "self".to_owned() }) }
}

/// What an expression can come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Outcomes {
    pub(super) yes: bool,
    pub(super) no: bool,
    pub(super) error: bool,
}

impl Outcomes {
    const NONE: Self = Self { yes: false, no: false, error: false };
    const YES: Self = Self { yes: true, ..Self::NONE };
    const NO: Self = Self { no: true, ..Self::NONE };
    const EITHER: Self = Self { yes: true, no: true, error: false };
    const ERROR: Self = Self { error: true, ..Self::NONE };
    const ANY: Self = Self { yes: true, no: true, error: true };

    const fn of(value: bool) -> Self {
        if value { Self::YES } else { Self::NO }
    }

    const fn or(self, other: Self) -> Self {
        Self { yes: self.yes || other.yes, no: self.no || other.no, error: self.error || other.error }
    }

    const fn not(self) -> Self {
        Self { yes: self.no, no: self.yes, error: self.error }
    }

    /// Returns what `self && other` can be: false where one of them is, whatever the other one is.
    const fn and(self, other: Self) -> Self {
        Self {
            yes: self.yes && other.yes,
            no: self.no || other.no,
            error: self.error && (other.yes || other.error) || other.error && self.yes,
        }
    }
}

/// A value of the object.
#[derive(Clone)]
struct Reached<'s> {
    value: Compared<'s>,
    /// What tells it from other values: the variable that it is reached from, and the fields on the way.
    place: String,
}

/// A variable; none where nothing is known of its value.
#[derive(Clone)]
struct Bound<'e, 's> {
    name: &'e str,
    value: Option<Reached<'s>>,
}

/// Which fields are assumed to be present or absent, and which else the outcome depends on.
#[derive(Default)]
struct Presence {
    assumed: BTreeMap<String, bool>,
    open: BTreeSet<String>,
}

/// What a path leads to.
enum Path<'s> {
    Value(Reached<'s>),
    /// To a field that is absent: an error.
    Nothing,
    Unknown,
}

struct Evaluation {
    fuel: Cell<u32>,
}

impl Evaluation {
    /// Evaluates an expression with each field of the innermost variable, on which that depends, present and absent.
    fn tried(&self, expression: &IdedExpr, scope: &[Bound<'_, '_>], presence: &mut Presence) -> Outcomes {
        let own = format!("{}.", scope.last().and_then(|bound| bound.value.as_ref()).map_or("", |value| &value.place));
        let outer = std::mem::take(&mut presence.open);
        let outcomes = self.outcomes(expression, scope, presence);
        let open = presence.open.iter().find(|place| own.len() > 1 && place.starts_with(&own)).cloned();
        presence.open.extend(outer);
        let Some(open) = open else { return outcomes };
        presence.open.remove(&open);
        let mut both = Outcomes::NONE;
        for is_present in [true, false] {
            presence.assumed.insert(open.clone(), is_present);
            both = both.or(self.tried(expression, scope, presence));
        }
        presence.assumed.remove(&open);
        both
    }

    fn outcomes(&self, expression: &IdedExpr, scope: &[Bound<'_, '_>], presence: &mut Presence) -> Outcomes {
        let Some(fuel) = self.fuel.get().checked_sub(1) else { return Outcomes::ANY };
        self.fuel.set(fuel);
        match &expression.expr {
            Expr::Literal(LiteralValue::Boolean(value)) => Outcomes::of(*value.inner()),
            Expr::Select(SelectExpr { operand, field, test: true }) => match path(operand, scope, presence) {
                Path::Value(of) if can_be_null(&of) => Outcomes::ANY,
                Path::Value(of) => match is_present(&of, &unescaped(field), presence) {
                    Some(is_present) => Outcomes::of(is_present),
                    None => Outcomes::EITHER,
                },
                Path::Nothing => Outcomes::ERROR,
                Path::Unknown => Outcomes::ANY,
            },
            Expr::Call(call) => self.call(call, scope, presence),
            Expr::Comprehension(found) => self.quantified(found, scope, presence),
            _ if matches!(path(expression, scope, presence), Path::Nothing) => Outcomes::ERROR,
            _ => Outcomes::ANY,
        }
    }

    fn call(&self, call: &CallExpr, scope: &[Bound<'_, '_>], presence: &mut Presence) -> Outcomes {
        let mut part = |part| self.outcomes(part, scope, presence);
        match (call.func_name.as_str(), call.args.as_slice()) {
            (operators::LOGICAL_AND, parts) => parts.iter().map(part).fold(Outcomes::YES, Outcomes::and),
            (operators::LOGICAL_OR, parts) => {
                parts.iter().map(part).fold(Outcomes::NO, |one, other| one.not().and(other.not()).not())
            }
            (operators::LOGICAL_NOT, [of]) => part(of).not(),
            (operators::CONDITIONAL, [test, then, otherwise]) => {
                let (test, then, otherwise) = (part(test), part(then), part(otherwise));
                let none = Outcomes { error: test.error, ..Outcomes::NONE };
                let then = if test.yes { then } else { Outcomes::NONE };
                none.or(then).or(if test.no { otherwise } else { Outcomes::NONE })
            }
            (name, [one, other]) if COMPARISONS.contains(&name) => self.compared(name, [one, other], scope, presence),
            _ => Outcomes::ANY,
        }
    }

    /// Evaluates a comparison, as far as it is about values that are new, or about numbers of fields.
    fn compared(
        &self,
        operator: &str,
        [one, other]: [&IdedExpr; 2],
        scope: &[Bound<'_, '_>],
        presence: &mut Presence,
    ) -> Outcomes {
        if [one, other].iter().any(|side| matches!(path(side, scope, presence), Path::Nothing)) {
            return Outcomes::ERROR;
        }
        let is =
            [(operators::EQUALS, true), (operators::NOT_EQUALS, false)].into_iter().find(|(name, _)| *name == operator);
        for (value, of) in [(one, other), (other, one)] {
            if let (Some((_, is)), Expr::Literal(LiteralValue::Boolean(value))) = (is, &value.expr) {
                let outcomes = self.outcomes(of, scope, presence);
                return if *value.inner() == is { outcomes } else { outcomes.not() };
            }
        }
        let mut is_new = |value: &IdedExpr, of: &IdedExpr| {
            let values: Option<Vec<Value>> = match (&value.expr, operator) {
                (Expr::List(list), operators::IN) => list.elements.iter().map(literal).collect(),
                _ => literal(value).map(|value| vec![value]),
            };
            let Some(values) = values else { return false };
            matches!(path(of, scope, presence), Path::Value(of) if values.iter().all(|value| is_never(&of.value, value)))
        };
        match operator {
            operators::EQUALS if is_new(one, other) || is_new(other, one) => return Outcomes::NO,
            operators::NOT_EQUALS if is_new(one, other) || is_new(other, one) => return Outcomes::YES,
            operators::IN if is_new(other, one) => return Outcomes::NO,
            _ => {}
        }
        let Some((one, other)) = self.number(one, scope, presence).zip(self.number(other, scope, presence)) else {
            return Outcomes::ANY;
        };
        let is_less = |one: &RangeInclusive<i64>, other: &RangeInclusive<i64>| match () {
            () if one.end() < other.start() => Outcomes::YES,
            () if one.start() >= other.end() => Outcomes::NO,
            () => Outcomes::EITHER,
        };
        match operator {
            operators::LESS => is_less(&one, &other),
            operators::GREATER => is_less(&other, &one),
            operators::LESS_EQUALS => is_less(&other, &one).not(),
            operators::GREATER_EQUALS => is_less(&one, &other).not(),
            operators::EQUALS => is_less(&one, &other).not().and(is_less(&other, &one).not()),
            operators::NOT_EQUALS => is_less(&one, &other).not().and(is_less(&other, &one).not()).not(),
            _ => Outcomes::ANY,
        }
    }

    /// Returns between which numbers an expression is; `None` where it can be an error, or is not understood.
    fn number(
        &self,
        expression: &IdedExpr,
        scope: &[Bound<'_, '_>],
        presence: &mut Presence,
    ) -> Option<RangeInclusive<i64>> {
        match &expression.expr {
            Expr::Literal(LiteralValue::Int(number)) => Some(*number.inner()..=*number.inner()),
            Expr::Call(CallExpr { func_name, target, args }) => match (func_name.as_str(), target, args.as_slice()) {
                ("size", Some(of), []) => self.number_of(of, scope, presence),
                ("size", None, [of]) => self.number_of(of, scope, presence),
                (operators::ADD, None, [one, other]) => {
                    let (one, other) = (self.number(one, scope, presence)?, self.number(other, scope, presence)?);
                    Some(one.start().checked_add(*other.start())?..=one.end().checked_add(*other.end())?)
                }
                (operators::CONDITIONAL, None, [test, then, otherwise]) => match self.outcomes(test, scope, presence) {
                    Outcomes { error: true, .. } => None,
                    Outcomes { no: false, .. } => self.number(then, scope, presence),
                    Outcomes { yes: false, .. } => self.number(otherwise, scope, presence),
                    Outcomes { .. } => {
                        let (then, otherwise) =
                            (self.number(then, scope, presence)?, self.number(otherwise, scope, presence)?);
                        Some(*then.start().min(otherwise.start())..=*then.end().max(otherwise.end()))
                    }
                },
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns how many of the items of `[TEST, TEST].filter(x, x)` are true.
    fn number_of(
        &self,
        filtered: &IdedExpr,
        scope: &[Bound<'_, '_>],
        presence: &mut Presence,
    ) -> Option<RangeInclusive<i64>> {
        let Expr::Comprehension(found) = &filtered.expr else { return None };
        let MacroCall { name: Macro::Filter, list, item, body } = macro_named(found)? else { return None };
        let Expr::List(list) = &list.expr else { return None };
        let each: Vec<Outcomes> = list.elements.iter().map(|test| self.outcomes(test, scope, presence)).collect();
        let count =
            |is_counted: fn(&Outcomes) -> bool| i64::try_from(each.iter().filter(|one| is_counted(one)).count());
        let is_understood = is_true(body, item) && !each.iter().any(|one| one.error);
        is_understood.then_some(count(|one| !one.no).ok()?..=count(|one| one.yes).ok()?)
    }

    /// Evaluates what a macro says of the items of a list.
    fn quantified(&self, found: &ComprehensionExpr, scope: &[Bound<'_, '_>], presence: &mut Presence) -> Outcomes {
        let Some(MacroCall { name, list, item, body }) = macro_named(found) else { return Outcomes::ANY };
        if scope.iter().any(|bound| bound.name == item) {
            return Outcomes::ANY;
        }
        let (items, failed) = match path(list, scope, presence) {
            // Null has no items, and is there for `has`.
            Path::Value(list) if can_be_null(&list) => (None, Outcomes::ERROR),
            Path::Value(list) => (self::items(&list), Outcomes::NONE),
            Path::Nothing => return Outcomes::ERROR,
            Path::Unknown => (None, Outcomes::ERROR),
        };
        let scope: Vec<Bound<'_, '_>> = scope.iter().cloned().chain([Bound { name: item, value: items }]).collect();
        let each = self.tried(body, &scope, presence);
        // There may be no item.
        failed.or(match name {
            Macro::All => Outcomes::YES.or(each),
            Macro::Exists => Outcomes::NO.or(each),
            Macro::ExistsOne if each.yes || each.error => Outcomes::ANY,
            Macro::ExistsOne => Outcomes::NO,
            Macro::Filter => Outcomes::ANY,
        })
    }
}

/// Returns what a path leads to.
fn path<'s>(expression: &IdedExpr, scope: &[Bound<'_, 's>], presence: &mut Presence) -> Path<'s> {
    match &expression.expr {
        Expr::Ident(name) => {
            let bound = scope.iter().find(|bound| bound.name == name);
            bound.and_then(|bound| bound.value.clone()).map_or(Path::Unknown, Path::Value)
        }
        Expr::Select(SelectExpr { operand, field, test: false }) => {
            let of = match path(operand, scope, presence) {
                Path::Value(of) if can_be_null(&of) => return Path::Unknown,
                Path::Value(of) => of,
                other => return other,
            };
            let field = unescaped(field);
            match is_present(&of, &field, presence) {
                Some(true) => child(&of, &field).map_or(Path::Unknown, Path::Value),
                Some(false) => Path::Nothing,
                None => Path::Unknown,
            }
        }
        _ => Path::Unknown,
    }
}

/// Returns whether a value can be null, which has no fields: `self` is none, whose rules only hold of what is not.
fn can_be_null(of: &Reached<'_>) -> bool {
    of.place != "self" && of.value.accepted().any(is_nullable)
}

/// Returns whether a field of a value is there; `None` where it can be, and nothing is assumed of it.
fn is_present(of: &Reached<'_>, field: &str, presence: &mut Presence) -> Option<bool> {
    if is_new(&of.value, field) {
        return Some(false);
    }
    if is_always_there(&of.value, field) {
        return Some(true);
    }
    let place = format!("{}.{field}", of.place);
    let assumed = presence.assumed.get(&place).copied();
    if assumed.is_none() {
        presence.open.insert(place);
    }
    assumed
}

/// Returns the schema of a field.
fn property<'s>(schema: &'s Map<String, Value>, field: &str) -> Option<&'s Map<String, Value>> {
    schema.get("properties")?.get(field)?.as_object()
}

/// Returns whether no value of the older schema has a field, which the newer one has.
fn is_new(value: &Compared<'_>, field: &str) -> bool {
    let is_kept = !value.is_pruned || value.accepted().any(keeps_unnamed);
    let is_default = || value.defaults.iter().any(|default| default.get(field).is_some());
    let has_default = |schema: &Map<String, Value>| schema.contains_key("default");
    let is_without_default = || {
        property(value.new, field).is_some_and(|schema| !has_default(schema))
            && !value.stored.iter().filter_map(|schema| property(schema, field)).any(has_default)
    };
    !UNLISTED.contains(&field)
        && value.accepted().all(|schema| property(schema, field).is_none())
        && !is_kept
        && is_without_default()
        && !is_default()
}

/// Returns whether every value of the older schema has a field, or gets it as a default of the newer one.
fn is_always_there(value: &Compared<'_>, field: &str) -> bool {
    let requires = |schema: &Map<String, Value>| {
        schema.get("required").and_then(Value::as_array).is_some_and(|all| all.contains(&field.into()))
    };
    let is_required = value.accepted().all(requires);
    let new = property(value.new, field);
    let can_be_null = value.accepted().filter_map(|schema| property(schema, field)).chain(new).any(is_nullable);
    let is_default = new.and_then(|schema| schema.get("default")).is_some_and(|default| !default.is_null());
    let has = |default: &&Value| default.get(field).is_some_and(|value| !value.is_null());
    !can_be_null && (is_default || is_required && value.defaults.iter().all(has))
}

/// Returns whether the older schema does not allow a constant for a value.
fn is_never(value: &Compared<'_>, constant: &Value) -> bool {
    let lacks = |schema: &Map<String, Value>| {
        let listed = schema.get("enum").and_then(Value::as_array);
        listed.is_some_and(|listed| !listed.contains(constant)) && !is_nullable(schema)
    };
    value.accepted().all(lacks) && !value.defaults.contains(&constant)
}

/// Returns a field that both schemas have.
fn child<'s>(of: &Reached<'s>, field: &str) -> Option<Reached<'s>> {
    let Compared { old, new, elsewhere, stored, is_pruned, defaults } = &of.value;
    let (old, new) = (property(old, field)?, property(new, field)?);
    let elsewhere = elsewhere.iter().filter_map(|schema| property_elsewhere(schema, field)).collect();
    let stored: Vec<_> = stored.iter().filter_map(|schema| property(schema, field)).collect();
    let of_schemas = stored.iter().copied().chain([new]).filter_map(|schema| schema.get("default"));
    let defaults = defaults.iter().filter_map(|default| default.get(field)).chain(of_schemas).collect();
    Some(Reached {
        value: Compared { old, new, elsewhere, stored, is_pruned: *is_pruned, defaults },
        place: format!("{}.{field}", of.place),
    })
}

/// Returns the items of a list that both schemas have.
fn items<'s>(list: &Reached<'s>) -> Option<Reached<'s>> {
    let Compared { old, new, elsewhere, stored, is_pruned, defaults } = &list.value;
    let (old, new) = (old.get("items")?.as_object()?, new.get("items")?.as_object()?);
    let elsewhere = elsewhere.iter().filter_map(|schema| schema.get("items")?.as_object()).collect();
    let stored: Vec<_> = stored.iter().filter_map(|schema| schema.get("items")?.as_object()).collect();
    let of_schemas = stored.iter().copied().chain([new]).filter_map(|schema| schema.get("default"));
    let defaults = defaults.iter().filter_map(|default| default.as_array()).flatten().chain(of_schemas).collect();
    let value = Compared { old, new, elsewhere, stored, is_pruned: *is_pruned, defaults };
    Some(Reached { value, place: format!("{}[]", list.place) })
}

/// Returns the schema of a field in another version, in which it can be anything where unnamed fields are kept.
pub(crate) fn property_elsewhere<'s>(schema: &'s Map<String, Value>, field: &str) -> Option<&'s Map<String, Value>> {
    static OPEN: LazyLock<Map<String, Value>> =
        LazyLock::new(|| Map::from_iter([(PRESERVE.to_owned(), Value::Bool(true))]));
    property(schema, field).or_else(|| keeps_unnamed(schema).then(|| &*OPEN))
}

/// Returns whether a value keeps fields that its schema does not name.
fn keeps_unnamed(schema: &Map<String, Value>) -> bool {
    let is = |keyword: &str| schema.get(keyword).is_some_and(|value| *value != Value::Bool(false));
    is(PRESERVE) || is("additionalProperties") || is("x-kubernetes-embedded-resource")
}

fn is_nullable(schema: &Map<String, Value>) -> bool {
    schema.get("nullable") == Some(&Value::Bool(true))
}

#[cfg(test)]
mod tests {
    use kube_cel::cel::parser::Parser;
    use kube_cel::{Validator, apply_defaults, compile_schema};
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;
    use serde_json::json;

    use super::*;

    /// Returns whether `rule`, of the newer schema, certainly accepts all that the older one accepts.
    fn accepts_all_old(rule: &str, value: &Compared<'_>) -> bool {
        Parser::new().parse(rule).is_ok_and(|expression| outcomes(&expression, value) == Outcomes::YES)
    }

    /// `a` and the list `l` are optional, `r` and `i[].r` required; `x`, `l[].x` and `a.x` are new, and `d` is new with a default.
    fn schemas() -> [Value; 2] {
        let old = json!({
            "type": "object",
            "required": ["r", "t"],
            "properties": {
                "a": {"type": "object", "properties": {"b": {"type": "string"}}},
                "l": {"type": "array", "items": {"type": "object", "required": ["r"], "properties": {
                    "o": {"type": "string"}, "r": {"type": "string"}}}},
                "r": {"type": "array", "items": {"type": "object", "properties": {"o": {"type": "string"}}}},
                "t": {"type": "string", "enum": ["One", "Two"]},
                "m": {"type": "object", "additionalProperties": {"type": "string"}},
                "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
                "low": {"type": "string", "enum": ["a"]},
            },
        });
        let mut new = old.clone();
        let x = json!({"type": "string"});
        for at in ["/properties/a", "/properties/l/items", "/properties/r/items", "/properties/free", ""] {
            let of = new.pointer_mut(at).unwrap().as_object_mut().unwrap();
            let fields = of.entry("properties").or_insert(json!({})).as_object_mut().unwrap();
            fields.extend([("x".to_owned(), x.clone()), ("metadata".to_owned(), json!({"type": "object"}))]);
            fields.insert("d".to_owned(), json!({"type": "string", "default": "x"}));
        }
        new["properties"]["t"]["enum"] = json!(["One", "Two", "Three"]);
        new["properties"]["low"]["enum"] = json!(["a", "b"]);
        new["properties"]["low"]["default"] = json!("b");
        new["properties"]["made"] = json!({"type": "object", "properties": {"x": x}});
        [old, new]
    }

    #[track_caller]
    fn check(rule: &str, expected: bool) {
        let [old, new] = schemas();
        let value = Compared {
            old: old.as_object().unwrap(),
            new: new.as_object().unwrap(),
            elsewhere: Vec::new(),
            stored: Vec::new(),
            is_pruned: true,
            defaults: Vec::new(),
        };
        assert_eq!(accepts_all_old(rule, &value), expected, "{rule}");
    }

    #[test]
    fn a_rule_that_a_new_field_guards_accepts_old_values() {
        check("!has(self.x) || self.x == 'y'", true);
        check("has(self.x) ? self.x == 'y' : true", true);
        check("!(has(self.x) && has(self.a))", true);
        check("!has(self.x) || !has(oldSelf.x) || self.x == oldSelf.x", true);
        check("!has(self.a) || !has(self.a.x)", true);
        check("has(self.x) ? has(self.a) : true", true);
    }

    #[test]
    fn a_rule_that_wants_something_of_a_new_field_rejects_old_values() {
        check("self.x == 'y'", false);
        check("self.x != 'y'", false);
        check("has(self.x)", false);
        check("has(self.x) && self.x == 'y'", false);
        check("has(self.x) || has(self.a)", false);
        check("has(self.x) == has(self.a)", false);
        check("has(self.x) ? true : has(self.a)", false);
    }

    #[test]
    fn what_is_not_guarded_rejects_old_values() {
        check("has(self.a)", false);
        check("!has(self.a)", false);
        check("self.a.b == 'y' || !has(self.x)", true);
        check("self.a.b == 'y' && !has(self.x)", false);
        check("!has(self.a.x)", false);
        check("!has(oldSelf.x) || has(self.x)", false);
        check("self == oldSelf", false);
        check("!self.x.exists(i, i == 'y')", false);
        check("not a rule (", false);
    }

    #[test]
    fn a_field_that_a_default_makes_is_not_absent() {
        check("!has(self.d)", false);
        check("has(self.d)", true);
        let [old, new] = schemas();
        let [old, new] = [&old, &new].map(|schema| schema.as_object().unwrap());
        let made = json!({"x": "y"});
        let value =
            Compared { old, new, elsewhere: Vec::new(), stored: Vec::new(), is_pruned: true, defaults: vec![&made] };
        assert!(!accepts_all_old("!has(self.x)", &value), "a default of what is around it has the field");
        assert!(!accepts_all_old("size([has(self.r)].filter(t, t)) == 1", &value), "and lacks one that was required");
    }

    #[test]
    fn a_field_that_could_be_there_without_a_schema_is_not_absent() {
        check("!has(self.free) || !has(self.free.x)", false);
        check("!has(self.metadata)", false);
        check("!has(self.m) || !has(self.m.x)", false);
        check("!has(self.unknown)", false);
        let [old, new] = schemas();
        let [old, new] = [&old, &new].map(|schema| schema.as_object().unwrap());
        let value =
            Compared { old, new, elsewhere: Vec::new(), stored: Vec::new(), is_pruned: false, defaults: Vec::new() };
        assert!(!accepts_all_old("!has(self.x)", &value));
    }

    #[test]
    fn what_can_be_null_has_no_fields() {
        let [mut old, mut new] = schemas();
        for schema in [&mut old, &mut new] {
            schema["properties"]["a"]["nullable"] = true.into();
            schema["properties"]["r"]["items"]["nullable"] = true.into();
            schema["properties"]["l"]["nullable"] = true.into();
        }
        let [old, new] = [&old, &new].map(|schema| schema.as_object().unwrap());
        let value =
            Compared { old, new, elsewhere: Vec::new(), stored: Vec::new(), is_pruned: true, defaults: Vec::new() };
        assert!(!accepts_all_old("!has(self.a) || !has(self.a.x)", &value));
        assert!(!accepts_all_old("self.r.all(i, !has(i.x))", &value));
        assert!(!accepts_all_old("!has(self.l) || self.l.all(i, !has(i.x))", &value));
        assert!(!accepts_all_old("!has(self.l) || self.l.all(i, true)", &value));
        assert!(accepts_all_old("!has(self.x)", &value));
    }

    #[test]
    fn what_another_version_accepted_can_be_there() {
        let [old, new] = schemas();
        let mut other = old.clone();
        other["properties"]["x"] = json!({"type": "string"});
        other["properties"]["t"]["enum"] = json!(["One", "Three"]);
        other["required"] = json!(["t"]);
        let [old, new, other] = [&old, &new, &other].map(|schema| schema.as_object().unwrap());
        let value =
            Compared { old, new, elsewhere: vec![other], stored: Vec::new(), is_pruned: true, defaults: Vec::new() };
        for rule in ["!has(self.x)", "self.t != 'Three'", "has(self.r)"] {
            assert!(!accepts_all_old(rule, &value), "{rule}");
        }
        assert!(accepts_all_old("!has(self.a) || !has(self.a.x)", &value));
        let open = json!({"type": "object", PRESERVE: true});
        let elsewhere = vec![open.as_object().unwrap()];
        let value = Compared { old, new, elsewhere, stored: Vec::new(), is_pruned: true, defaults: Vec::new() };
        for rule in ["!has(self.x)", "!has(self.a) || !has(self.a.x)", "self.t != 'Three'"] {
            assert!(!accepts_all_old(rule, &value), "{rule}");
        }
    }

    #[test]
    fn items_are_looked_at_each_for_itself() {
        check("self.r.all(i, !has(i.x))", true);
        check("!self.r.exists(i, has(i.x))", true);
        check("self.r.exists_one(i, has(i.x))", false);
        check("self.l.all(i, !has(i.x))", false);
        check("!has(self.l) || self.l.all(i, !has(i.x) || has(i.r))", true);
        check("!has(self.l) || self.l.all(i, has(i.r))", true);
        check("!has(self.l) || self.l.all(i, has(i.o)) || self.l.all(i, !has(i.o))", false);
        check("!has(self.l) || self.l.all(i, has(i.o) || !has(i.o))", true);
        check("self.r.all(i, self.r.all(i, !has(i.x)))", false);
        check("!has(self.m) || self.m.all(k, k != 'x')", false);
        check("self.r.all(i, self.r.all(j, !has(i.x) || !has(j.x) || i.x != j.x))", true);
    }

    #[test]
    fn a_value_that_is_new_is_no_value_of_old_objects() {
        check("self.t == 'Three' ? has(self.x) : !has(self.x)", true);
        check("self.t != 'Three' || has(self.x)", true);
        check("!(self.t in ['Three', 'Four'])", true);
        check("!(self.t in ['Three', 'One'])", false);
        check("self.t == 'One' ? has(self.x) : !has(self.x)", false);
        check("!has(self.low) || self.low != 'b'", false);
    }

    #[test]
    fn fields_are_counted() {
        check("[has(self.x), has(self.a)].filter(t, t).size() <= 1", true);
        check("size([has(self.x), has(self.a), has(self.l)].filter(t, t == true)) <= 1", false);
        check("(has(self.x) ? 1 : 0) + (has(self.a) ? 1 : 0) < 2", true);
        check("(has(self.x) ? 1 : 0) + (has(self.a) ? 1 : 0) == 1", false);
        check("(has(self.x) ? 1 : 0) + (has(self.t) ? 1 : 0) == 1", true);
    }

    #[test]
    fn a_rule_that_takes_too_long_is_not_understood() {
        let parts = |count| (0..count).map(|at| format!("(has(self.f{at}) || !has(self.f{at}))")).collect::<Vec<_>>();
        check(&parts(5).join(" && "), true);
        check(&parts(20).join(" && "), false);
    }

    /// Makes objects that the older schema accepts: each optional field there and not.
    fn old_objects() -> Vec<Value> {
        let mut objects = vec![json!({})];
        let fields: [(&str, &[Value]); 7] = [
            ("t", &[json!("One"), json!("Two")]),
            ("r", &[json!([]), json!([{}]), json!([{"o": "1"}, {}])]),
            ("a", &[Value::Null, json!({}), json!({"b": "1"})]),
            ("l", &[Value::Null, json!([]), json!([{"r": "1"}]), json!([{"o": "1", "r": "2"}, {"r": "1"}])]),
            ("m", &[Value::Null, json!({"x": "1"})]),
            ("free", &[Value::Null, json!({}), json!({"x": "1"})]),
            ("low", &[Value::Null, json!("a")]),
        ];
        for (name, values) in fields {
            let with = |object: &Value| {
                let object = object.clone();
                values.iter().map(move |value| {
                    let mut object = object.clone();
                    if !value.is_null() {
                        object[name] = value.clone();
                    }
                    object
                })
            };
            objects = objects.iter().flat_map(with).collect();
        }
        objects
    }

    fn any_rule() -> impl Strategy<Value = String> {
        let item = || {
            let atom =
                prop_oneof![Just("has(i.x)"), Just("has(i.o)"), Just("has(i.r)"), Just("has(i.d)"), Just("i.o == '1'")];
            (atom, any::<bool>()).prop_map(|(atom, is_not)| if is_not { format!("!({atom})") } else { atom.to_owned() })
        };
        let plain = prop::sample::select(vec![
            "has(self.x)",
            "has(self.a)",
            "has(self.a.x)",
            "has(self.a.b)",
            "has(self.d)",
            "has(self.t)",
            "has(self.l)",
            "has(self.m)",
            "has(self.m.x)",
            "has(self.free.x)",
            "has(self.made)",
            "has(self.made.x)",
            "has(self.low)",
            "self.x == 'y'",
            "self.t == 'Three'",
            "self.t == 'One'",
            "self.t != 'Three'",
            "self.low == 'b'",
            "self.t in ['Three', 'Two']",
            "self.t in ['Three']",
            "self.a.b == '1'",
            "true",
            "[has(self.x), has(self.a)].filter(t, t).size() <= 1",
            "(has(self.a) ? 1 : 0) + (has(self.made) ? 1 : 0) < 2",
        ]);
        let of_items =
            (prop::sample::select(vec!["r", "l"]), prop::sample::select(vec!["all", "exists", "exists_one"]), item())
                .prop_map(|(list, name, item)| format!("self.{list}.{name}(i, {item})"));
        let atom = prop_oneof![3 => plain.prop_map(str::to_owned), 1 => of_items];
        atom.prop_recursive(3, 12, 3, |inner| {
            let pair = (inner.clone(), inner.clone());
            prop_oneof![
                inner.clone().prop_map(|one| format!("!({one})")),
                pair.clone().prop_map(|(one, other)| format!("({one} && {other})")),
                pair.prop_map(|(one, other)| format!("({one} || {other})")),
                (inner.clone(), inner.clone(), inner)
                    .prop_map(|(test, one, other)| format!("({test} ? {one} : {other})")),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, rng_seed: RngSeed::Fixed(2026), ..ProptestConfig::with_cases(500) })]

        /// What runs the rules of CRDs accepts all of them too.
        #[test]
        fn what_is_said_to_accept_all_accepts_each(rule in any_rule()) {
            static OBJECTS: LazyLock<Vec<Value>> = LazyLock::new(|| {
                let [_, new] = schemas();
                old_objects().iter().map(|object| apply_defaults(&new, object)).collect()
            });
            let [old, mut new] = schemas();
            let value =
                Compared { old: old.as_object().unwrap(), new: new.as_object().unwrap(), elsewhere: Vec::new(), stored: Vec::new(), is_pruned: true, defaults: Vec::new() };
            if !accepts_all_old(&rule, &value) {
                return Ok(());
            }
            new["x-kubernetes-validations"] = json!([{ "rule": rule }]);
            let compiled = compile_schema(&new);
            for object in OBJECTS.iter().step_by(5) {
                let errors = Validator::new().validate_compiled(&compiled, object, None);
                prop_assert!(errors.is_ok(), "{rule}: {object}: {errors:?}");
            }
        }
    }
}
