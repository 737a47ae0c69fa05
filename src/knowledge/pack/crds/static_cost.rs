//! Answers: what does the API server estimate that a CEL rule costs at most?
//!
//! It refuses a CRD with a rule that could cost too much on the largest object of its schema, before there is any object. The estimate
//! follows the tree of the rule as that of the server does: each value has a largest size, by its schema or by how it is made.
//!
//! Source: the cost estimates of cel-go and of the API server's CEL library, which stay as they are, since another estimate would refuse
//! CRDs that exist. A function that is not listed here costs one step, as there.
//!
//! Invariant: where a size is not known here, there is no estimate.

use std::sync::LazyLock;

use kube_cel::cel::common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr, IdedExpr, LiteralValue, operators};
use serde_json::{Map, Value};

use super::cel::{parsed, unescaped};

/// The most that a rule may cost, times the values of an object that have it.
///
/// Source: the API server's limit (`StaticEstimatedCostLimit`).
pub(crate) const MOST_OF_RULE: f64 = 1e7;

/// The most that all rules of a version may cost.
///
/// Source: the API server's limit (`StaticEstimatedCRDCostLimit`).
pub(crate) const MOST_OF_VERSION: f64 = 1e8;

/// The most bytes of a request.
const REQUEST: f64 = 3.0 * 1024.0 * 1024.0;

/// What a character of a text costs.
const CHARACTER: f64 = 0.1;

/// What a character of a pattern costs, for each cost of the text.
const PATTERN: f64 = 0.25;

const LIST: f64 = 10.0;
const MAPPING: f64 = 30.0;

type Schema = Map<String, Value>;

/// Returns the most that a rule of a value costs once; `None` where that is not known.
pub(crate) fn of_rule(rule: &str, schema: &Schema) -> Option<f64> {
    let expression = parsed(rule)?;
    let whole = || Made::of(schema);
    let mut reader = Reader { variables: vec![("self".to_owned(), whole()), ("oldSelf".to_owned(), whole())] };
    let cost = reader.cost(&expression).cost;
    cost.is_finite().then_some(cost)
}

/// Returns how many values of a list or mapping have its inner schema; `None` where its schema does not limit that.
pub(crate) fn most_inside(schema: &Schema) -> Option<f64> {
    schema.get(if is_list(schema) { "maxItems" } else { "maxProperties" })?.as_f64()
}

/// Returns how many values of a schema fit into a request.
pub(crate) fn most_in_request(schema: &Schema) -> f64 {
    (REQUEST / (least_bytes(schema) + 1.0)).floor()
}

fn is_list(schema: &Schema) -> bool {
    schema.get("type").is_some_and(|of| of == "array")
}

/// Returns how few bytes of JSON a value of a schema takes.
fn least_bytes(schema: &Schema) -> f64 {
    let text = |keyword: &str| schema.get(keyword).and_then(Value::as_str).unwrap_or_default();
    match (text("type"), text("format")) {
        ("boolean", _) => 4.0,
        ("string", "duration") => 3.0,
        ("string", "date") => 12.0,
        ("string", "date-time") => 21.0,
        ("string", _) | ("array", _) => 2.0,
        ("object", _) if schema.contains_key("additionalProperties") => 2.0,
        ("object", _) => {
            let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
            let fields = required.filter_map(|name| Some((name.as_str()?, property(schema, name.as_str()?)?)));
            let without_default = fields.filter(|(_, field)| !field.contains_key("default"));
            2.0 + without_default.map(|(name, field)| name.len() as f64 + least_bytes(field) + 4.0).sum::<f64>()
        }
        _ => 1.0,
    }
}

fn property<'s>(schema: &'s Schema, name: &str) -> Option<&'s Schema> {
    schema.get("properties")?.get(name)?.as_object()
}

/// Returns the schema of what is in a list or mapping.
fn inner(schema: &Schema) -> Option<&Schema> {
    schema.get(if is_list(schema) { "items" } else { "additionalProperties" })?.as_object()
}

/// Returns the most characters, items or keys that a value of a schema has; nothing counts for what is a single value.
fn most(schema: &Schema) -> f64 {
    let text = |keyword: &str| schema.get(keyword).and_then(Value::as_str).unwrap_or_default();
    let number = |keyword: &str| schema.get(keyword).and_then(Value::as_f64);
    // A character takes up to 4 bytes.
    let characters = number("maxLength").map(|most| most * 4.0);
    if schema.get("x-kubernetes-int-or-string") == Some(&Value::Bool(true)) {
        return characters.unwrap_or(REQUEST - 2.0);
    }
    match (text("type"), text("format")) {
        ("string", "duration") => 32.0,
        ("string", "date") => 12.0,
        ("string", "date-time") => 38.0,
        ("string", "byte") => number("maxLength").unwrap_or(REQUEST - 2.0),
        ("string", _) => {
            let listed = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
            let longest = listed.filter_map(Value::as_str).map(str::len).max();
            characters.or(longest.map(|longest| longest as f64)).unwrap_or(REQUEST - 2.0)
        }
        ("array", _) | ("object", _) if inner(schema).is_some() => most_inside(schema).unwrap_or_else(|| {
            let of_one = inner(schema).map_or(0.0, least_bytes) + if is_list(schema) { 1.0 } else { 6.0 };
            ((REQUEST - 2.0) / of_one).floor()
        }),
        _ => 0.0,
    }
}

/// What is known of a value: infinite is what is not known.
#[derive(Clone, Copy)]
struct Made<'s> {
    /// The most characters, items or keys.
    size: f64,
    /// The least of them.
    least: f64,
    /// The size of an item of a list, or a key of a mapping, that the rule makes.
    item: f64,
    is_list: bool,
    /// Its schema, if it is a value of the object.
    schema: Option<&'s Schema>,
}

impl<'s> Made<'s> {
    const UNKNOWN: Self = Self { size: f64::INFINITY, least: 0.0, item: f64::INFINITY, is_list: false, schema: None };
    const SINGLE: Self = Self { size: 1.0, least: 1.0, item: 0.0, is_list: false, schema: None };

    fn of(schema: &'s Schema) -> Self {
        Self { size: most(schema), is_list: is_list(schema), schema: Some(schema), ..Self::UNKNOWN }
    }

    fn text(size: f64) -> Self {
        Self { size, ..Self::UNKNOWN }
    }

    fn list(size: f64, item: f64) -> Self {
        Self { size, item, is_list: true, ..Self::UNKNOWN }
    }

    fn or(self, other: Self) -> Self {
        Self {
            size: self.size.max(other.size),
            least: self.least.min(other.least),
            item: self.item.max(other.item),
            is_list: self.is_list || other.is_list,
            schema: None,
        }
    }

    fn field(self, name: &str) -> Self {
        static METADATA: LazyLock<Schema> = LazyLock::new(Schema::new);
        let Some(schema) = self.schema else { return Self::UNKNOWN };
        let named = property(schema, &unescaped(name)).or_else(|| inner(schema).filter(|_| !is_list(schema)));
        match (named, name) {
            (Some(schema), _) => Self::of(schema),
            // Every object has these, and they have no limit.
            (None, "metadata") => Self::of(&METADATA),
            (None, "apiVersion" | "kind" | "name" | "generateName") => Self::text(REQUEST - 2.0),
            (None, _) => Self::UNKNOWN,
        }
    }

    /// Returns what an index leads to.
    fn inside(self) -> Self {
        match self.schema {
            Some(schema) => inner(schema).map_or(Self::UNKNOWN, Self::of),
            None => Self::text(self.item),
        }
    }

    /// Returns what a macro visits: items, or keys, which have no size.
    fn visited(self) -> Self {
        match self.schema {
            Some(schema) if !is_list(schema) => Self::text(0.0),
            _ => self.inside(),
        }
    }

    /// Returns what its characters cost.
    fn characters(self) -> f64 {
        (self.size * CHARACTER).ceil()
    }

    /// Returns what it costs to match a pattern with it.
    fn matched(self, pattern: Self) -> f64 {
        ((self.size + 1.0) * CHARACTER).ceil() * (pattern.size * PATTERN).ceil()
    }
}

/// What an expression costs at most, and what it makes.
struct Estimate<'s> {
    cost: f64,
    made: Made<'s>,
}

/// Estimates expressions.
struct Reader<'s> {
    variables: Vec<(String, Made<'s>)>,
}

impl<'s> Reader<'s> {
    fn cost(&mut self, expression: &IdedExpr) -> Estimate<'s> {
        match &expression.expr {
            Expr::Literal(literal) => Estimate { cost: 0.0, made: constant(literal) },
            Expr::Ident(name) => {
                let known = self.variables.iter().rev().find(|(variable, _)| variable == name);
                Estimate { cost: 1.0, made: known.map_or(Made::UNKNOWN, |(_, made)| *made) }
            }
            Expr::Select(select) if select.test => {
                Estimate { cost: self.cost(&select.operand).cost, made: Made::SINGLE }
            }
            Expr::Select(select) => {
                let of = self.cost(&select.operand);
                Estimate { cost: of.cost + 1.0, made: of.made.field(&select.field) }
            }
            Expr::List(list) => {
                let items: Vec<Estimate<'_>> = list.elements.iter().map(|item| self.cost(item)).collect();
                let item = items.iter().map(|item| item.made.size).fold(0.0, f64::max);
                let cost = LIST + items.iter().map(|item| item.cost).sum::<f64>();
                Estimate { cost, made: Made::list(items.len() as f64, item) }
            }
            Expr::Map(map) => {
                let mut cost = MAPPING;
                let mut key_size = 0.0_f64;
                for entry in &map.entries {
                    let EntryExpr::MapEntry(entry) = &entry.expr else { continue };
                    let (key, value) = (self.cost(&entry.key), self.cost(&entry.value));
                    cost += key.cost + value.cost;
                    key_size = key_size.max(key.made.size);
                }
                Estimate { cost, made: Made { is_list: false, ..Made::list(map.entries.len() as f64, key_size) } }
            }
            Expr::Call(call) => self.call(call),
            Expr::Comprehension(found) => self.loops(found),
            Expr::Struct(_) | Expr::Unspecified => Estimate { cost: f64::INFINITY, made: Made::UNKNOWN },
        }
    }

    /// Estimates a macro: what is done for each item counts for as many as there can be.
    fn loops(&mut self, found: &ComprehensionExpr) -> Estimate<'s> {
        let (range, first) = (self.cost(&found.iter_range), self.cost(&found.accu_init));
        let known = self.variables.len();
        self.variables.push((found.accu_var.clone(), first.made));
        self.variables.push((found.iter_var.clone(), range.made.visited()));
        self.variables.extend(found.iter_var2.clone().map(|name| (name, range.made.inside())));
        let (test, step) = (self.cost(&found.loop_cond), self.cost(&found.loop_step));
        self.variables.truncate(known + 1);
        let result = self.cost(&found.result);
        self.variables.truncate(known);
        let of_items = if range.made.size == 0.0 { 0.0 } else { range.made.size * (test.cost + step.cost) };
        let made = match &found.accu_init.expr {
            Expr::List(_) | Expr::Map(_) => Made { size: range.made.size, ..step.made },
            _ => Made::SINGLE,
        };
        Estimate { cost: range.cost + first.cost + result.cost + of_items, made }
    }

    fn call(&mut self, call: &CallExpr) -> Estimate<'s> {
        let target = call.target.as_deref().map(|target| self.cost(target));
        let arguments: Vec<Estimate<'_>> = call.args.iter().map(|argument| self.cost(argument)).collect();
        let made: Vec<Made<'_>> = arguments.iter().map(|argument| argument.made).collect();
        let costs: Vec<f64> = arguments.iter().map(|argument| argument.cost).collect();
        let around = target.as_ref().map_or(0.0, |target| target.cost);
        let (own, result) = match (call.func_name.as_str(), target, made.as_slice(), costs.as_slice()) {
            (operators::CONDITIONAL, None, [_, then, otherwise], [test, one, other]) => {
                return Estimate { cost: test + one.max(*other), made: then.or(*otherwise) };
            }
            (operators::LOGICAL_AND | operators::LOGICAL_OR, ..) => (0.0, Made::SINGLE),
            (name, None, [one, other], _) => operator(name, *one, *other),
            (name, Some(target), made, _) => method(name, target.made, made),
            (operators::LOGICAL_NOT | operators::NEGATE | operators::NOT_STRICTLY_FALSE | "size", ..) => {
                (1.0, Made::SINGLE)
            }
            ("dyn", None, [of], _) => (1.0, *of),
            ("url", None, [of], _) => (of.characters(), Made::UNKNOWN),
            _ => (1.0, Made::UNKNOWN),
        };
        Estimate { cost: around + costs.iter().sum::<f64>() + own, made: result }
    }
}

fn constant<'s>(literal: &LiteralValue) -> Made<'s> {
    let long = |length: usize| Made { least: length as f64, ..Made::text(length as f64) };
    match literal {
        LiteralValue::String(text) => long(text.inner().chars().count()),
        LiteralValue::Bytes(bytes) => long(bytes.inner().len()),
        _ => Made::SINGLE,
    }
}

/// Estimates an operator with two operands: what it costs itself, and what it makes.
fn operator<'s>(name: &str, one: Made<'s>, other: Made<'s>) -> (f64, Made<'s>) {
    match name {
        operators::EQUALS
        | operators::NOT_EQUALS
        | operators::LESS
        | operators::LESS_EQUALS
        | operators::GREATER
        | operators::GREATER_EQUALS => ((one.size.min(other.size) * CHARACTER).ceil(), Made::SINGLE),
        operators::IN if other.is_list => (other.size, Made::SINGLE),
        operators::ADD => {
            let both = Made { size: one.size + other.size, least: one.least + other.least, ..one.or(other) };
            if both.is_list { (1.0, both) } else { (both.characters(), both) }
        }
        operators::INDEX => (1.0, one.inside()),
        operators::IN => (1.0, Made::SINGLE),
        operators::SUBSTRACT | operators::MULTIPLY | operators::DIVIDE | operators::MODULO => (1.0, Made::SINGLE),
        _ => (1.0, Made::UNKNOWN),
    }
}

/// Estimates a function of a value: what it costs itself, and what it makes.
fn method<'s>(name: &str, of: Made<'s>, arguments: &[Made<'s>]) -> (f64, Made<'s>) {
    match (name, arguments) {
        ("size", _) => (1.0, Made::SINGLE),
        ("startsWith" | "endsWith", [part]) => (part.characters(), Made::SINGLE),
        ("contains", [part]) => (of.characters() * part.characters(), Made::SINGLE),
        ("matches", [pattern]) => (of.matched(*pattern), Made::SINGLE),
        ("find", [pattern]) => (of.matched(*pattern), Made::text(of.size)),
        ("findAll", [pattern, ..]) => (of.matched(*pattern), Made::list(of.size, of.size)),
        ("lowerAscii" | "upperAscii" | "substring" | "trim", _) => (of.characters(), Made::text(of.size)),
        ("replace", [old, new, ..]) => {
            let size = match () {
                () if old.least == 0.0 => (of.size + 1.0) * new.size + of.size,
                () if new.size <= old.least => of.size,
                () => (of.size / old.least).ceil() * new.size,
            };
            ((of.size * 2.0 * CHARACTER).ceil(), Made::text(size))
        }
        ("split", _) => ((of.size * 2.0 * CHARACTER).ceil(), Made::list(of.size, of.size)),
        ("join", separator) => {
            let between = separator.first().map_or(0.0, |one| one.size * (of.size - 1.0).max(0.0));
            let whole = Made::text(of.size * of.inside().size + between);
            (whole.characters(), whole)
        }
        ("isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf", _) if of.is_list => {
            let item = of.inside();
            let of_text = if item.size > 1.0 { item.characters() } else { 0.0 };
            (of.size * (1.0 + of_text), Made::SINGLE)
        }
        ("indexOf" | "lastIndexOf", _) => (of.characters(), Made::SINGLE),
        ("orValue", [other]) => (1.0, of.or(*other)),
        _ => (1.0, Made::UNKNOWN),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(schema: Value, rule: &str, expected: Option<f64>) {
        assert_eq!(of_rule(rule, schema.as_object().unwrap()), expected, "{rule}");
    }

    #[test]
    fn a_pattern_costs_by_its_length_and_that_of_the_text() {
        // 100 characters of up to 4 bytes are 41 steps, the pattern is 3.
        check(json!({"type": "string", "maxLength": 100}), "self.matches('^[a-z]+$')", Some(1.0 + 41.0 * 2.0));
        check(json!({"type": "string"}), "self.matches('^[a-z]+$')", Some(1.0 + 314_573.0 * 2.0));
        check(json!({"type": "string", "enum": ["On", "Off"]}), "self.matches('^[a-z]+$')", Some(1.0 + 2.0));
    }

    #[test]
    fn what_is_done_for_each_item_counts_for_all_that_can_be() {
        let list = |more: Value| {
            let mut schema = json!({"type": "array", "items": {"type": "string", "maxLength": 10}});
            schema.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            schema
        };
        // For each: whether to go on (2), what was found (1), the item (1), and the comparison with 3 characters (1).
        check(list(json!({"maxItems": 5})), "self.all(x, x != 'abc')", Some(2.0 + 5.0 * 5.0));
        check(list(json!({})), "self.all(x, x != 'abc')", Some(2.0 + 1_048_575.0 * 5.0));
        check(
            list(json!({"maxItems": 5})),
            "self.all(x, self.exists(y, x == y))",
            Some(2.0 + 5.0 * (3.0 + 2.0 + 5.0 * 10.0)),
        );
        check(json!({"type": "array", "maxItems": 7, "items": {"type": "string"}}), "'a' in self", Some(1.0 + 7.0));
    }

    #[test]
    fn estimates_are_those_of_the_server() {
        // Source: what other tools that call the server's estimate print for rules of these sizes.
        let pattern = |length: usize| "a".repeat(length);
        let texts = json!({"type": "array", "items": {"type": "string", "maxLength": 256}});
        check(texts, &format!("self.all(x, x.matches('{}'))", pattern(112)), Some(3_028_284_602.0));
        let text = json!({"type": "string", "maxLength": 16384});
        check(text, &format!("self.matches('{}')", pattern(416)), Some(681_617.0));
    }

    #[test]
    fn what_is_not_known_has_no_estimate() {
        check(json!({"type": "object"}), "self.a.matches('a')", None);
        check(json!({"type": "object"}), "not a rule (", None);
        check(json!({"type": "object"}), "self.metadata.name == 'a'", Some(4.0));
    }

    #[test]
    fn an_object_takes_at_least_what_it_must_have() {
        let schema = json!({
            "type": "object",
            "required": ["name", "kind", "on"],
            "properties": {"name": {"type": "string"}, "kind": {"type": "string", "default": "A"}, "on": {"type": "boolean"}},
        });
        // {"name":"","on":true} with a comma for each.
        assert_eq!(least_bytes(schema.as_object().unwrap()), 2.0 + (4.0 + 2.0 + 4.0) + (2.0 + 4.0 + 4.0));
    }
}
