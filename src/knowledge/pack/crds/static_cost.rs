//! Answers: what does the API server estimate that a CEL rule costs at most?
//!
//! It refuses a CRD with a rule that could cost too much on the largest object of its schema, before there is any object. The estimate
//! follows the tree of the rule as that of the server does: each value has a largest size, by its schema or by how it is made.
//!
//! Source: the cost estimates of cel-go and of the API server's CEL library, which stay as they are, since another estimate would refuse
//! CRDs that exist.
//!
//! Invariant: a rule with a function that is not known here, or whose result has a size that decides and is not, has no estimate.

use std::sync::LazyLock;

use kube_cel::cel::common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr, IdedExpr, LiteralValue, operators};
use serde_json::{Map, Value, json};

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

/// The longest text of a request, without its quotes.
const LONGEST: f64 = REQUEST - 2.0;

/// The fields that every object has, besides those of its metadata.
const GIVEN: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// What a character of a text costs.
const CHARACTER: f64 = 0.1;

/// What a character of a pattern costs, for each cost of the text.
const PATTERN: f64 = 0.25;

const LIST: f64 = 10.0;
const MAPPING: f64 = 30.0;

/// The functions of values that take one step.
const ONE_STEP: [&str; 33] = [
    "add",
    "asApproximateFloat",
    "asInteger",
    "compareTo",
    "family",
    "getDate",
    "getDayOfMonth",
    "getDayOfWeek",
    "getDayOfYear",
    "getFullYear",
    "getHours",
    "getMilliseconds",
    "getMinutes",
    "getMonth",
    "getSeconds",
    "hasValue",
    "ip",
    "isGlobalUnicast",
    "isGreaterThan",
    "isInteger",
    "isLessThan",
    "isLinkLocalMulticast",
    "isLinkLocalUnicast",
    "isLoopback",
    "isUnspecified",
    "major",
    "masked",
    "minor",
    "patch",
    "prefixLength",
    "sign",
    "size",
    "sub",
];

type Schema = Map<String, Value>;

/// Returns the most that a rule of a value costs once, which is infinite where the server knows no limit; `None` where the estimate is not
/// known here. The value can be a whole object.
pub(crate) fn of_rule(rule: &str, schema: &Schema, is_object: bool) -> Option<f64> {
    let expression = parsed(rule)?;
    let whole = Made { is_object, ..Made::of(schema) };
    let variables = ["self", "oldSelf"].map(|name| (name.to_owned(), whole)).into();
    let cost = Reader { whole, variables }.cost(&expression).cost;
    (!cost.is_nan()).then_some(cost)
}

/// Returns how many values of a list or mapping have its inner schema; `None` where its schema does not limit that.
pub(crate) fn most_inside(schema: &Schema) -> Option<f64> {
    schema.get(if is_list(schema) { "maxItems" } else { "maxProperties" })?.as_f64()
}

/// Returns how many values of a schema fit into a request.
pub(crate) fn most_in_request(schema: &Schema) -> f64 {
    (REQUEST / (least_bytes(schema) + 1.0)).floor()
}

fn text<'s>(schema: &'s Schema, keyword: &str) -> &'s str {
    schema.get(keyword).and_then(Value::as_str).unwrap_or_default()
}

fn is_list(schema: &Schema) -> bool {
    text(schema, "type") == "array"
}

fn is_set(schema: &Schema, keyword: &str) -> bool {
    schema.get(keyword) == Some(&Value::Bool(true))
}

/// Returns how few bytes of JSON a value of a schema takes.
fn least_bytes(schema: &Schema) -> f64 {
    match (text(schema, "type"), text(schema, "format")) {
        _ if is_set(schema, "x-kubernetes-int-or-string") => 1.0,
        ("boolean", _) => 4.0,
        ("string", "duration") => 3.0,
        ("string", "date") => 12.0,
        ("string", "date-time") => 21.0,
        ("string" | "array", _) => 2.0,
        ("object", _) if schema.contains_key("additionalProperties") => 2.0,
        ("object", _) => {
            let is_object = is_set(schema, "x-kubernetes-embedded-resource");
            let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
            let of_field = |name: &str| match property(schema, name) {
                Some(field) if field.contains_key("default") => None,
                Some(field) => Some(least_bytes(field)),
                None => (is_object && GIVEN.contains(&name)).then_some(2.0),
            };
            let bytes = |name: &str| Some(name.len() as f64 + of_field(name)? + 4.0);
            2.0 + required.filter_map(|name| bytes(name.as_str()?)).sum::<f64>()
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
    let number = |keyword: &str| schema.get(keyword).and_then(Value::as_f64);
    // A character takes up to 4 bytes.
    let characters = number("maxLength").map(|most| most * 4.0);
    if is_set(schema, "x-kubernetes-int-or-string") {
        return characters.unwrap_or(LONGEST);
    }
    match (text(schema, "type"), text(schema, "format")) {
        ("string", "duration") => 32.0,
        ("string", "date") => 12.0,
        ("string", "date-time") => 38.0,
        ("string", "byte") => number("maxLength").unwrap_or(LONGEST),
        ("string", _) => {
            let listed = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
            let longest = listed.filter_map(Value::as_str).map(str::len).max();
            characters.or(longest.map(|longest| longest as f64)).unwrap_or(LONGEST)
        }
        ("array" | "object", _) if inner(schema).is_some() => most_inside(schema).unwrap_or_else(|| {
            let of_one = inner(schema).map_or(0.0, least_bytes) + if is_list(schema) { 1.0 } else { 6.0 };
            ((REQUEST - 2.0) / of_one).floor()
        }),
        _ => 0.0,
    }
}

/// Multiplies what can be infinite: of nothing there is nothing.
fn times(one: f64, other: f64) -> f64 {
    if one == 0.0 || other == 0.0 { 0.0 } else { one * other }
}

/// What a value is, as far as that decides what operators cost.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A number, boolean, duration or time.
    Single,
    List,
    /// A text, mapping or object, or what is not known.
    Other,
}

impl Kind {
    fn of(schema: &Schema) -> Self {
        match (text(schema, "type"), text(schema, "format")) {
            _ if is_set(schema, "x-kubernetes-int-or-string") => Self::Other,
            ("array", _) => Self::List,
            ("boolean" | "integer" | "number", _) | ("string", "duration" | "date" | "date-time") => Self::Single,
            _ => Self::Other,
        }
    }
}

/// What is known of a value. A size is infinite where the server knows none, and not a number where it is not known here.
#[derive(Clone, Copy)]
struct Made<'s> {
    kind: Kind,
    /// The most characters, items or keys.
    size: f64,
    /// The least of them.
    least: f64,
    /// The size of an item of a list, or a key of a mapping, that is written out in the rule.
    item: Option<f64>,
    /// The number, where it is written out in the rule.
    number: Option<f64>,
    /// Its schema, if it is a value of the object.
    schema: Option<&'s Schema>,
    /// Whether it is a whole object, with metadata.
    is_object: bool,
}

impl<'s> Made<'s> {
    const UNKNOWN: Self = Self {
        kind: Kind::Other,
        size: f64::NAN,
        least: 0.0,
        item: None,
        number: None,
        schema: None,
        is_object: false,
    };
    const SINGLE: Self = Self { kind: Kind::Single, size: 1.0, least: 1.0, ..Self::UNKNOWN };

    fn of(schema: &'s Schema) -> Self {
        let is_object = is_set(schema, "x-kubernetes-embedded-resource");
        Self { kind: Kind::of(schema), size: most(schema), schema: Some(schema), is_object, ..Self::UNKNOWN }
    }

    fn text(size: f64) -> Self {
        Self { size, ..Self::UNKNOWN }
    }

    fn list(size: f64) -> Self {
        Self { kind: Kind::List, size, ..Self::UNKNOWN }
    }

    fn or(self, other: Self) -> Self {
        let kind = if self.kind == other.kind { self.kind } else { Kind::Other };
        let size = if self.size.is_nan() || other.size.is_nan() { f64::NAN } else { self.size.max(other.size) };
        let item = self.item.zip(other.item).map(|(one, other)| one.max(other));
        Self { kind, size, least: self.least.min(other.least), item, ..Self::UNKNOWN }
    }

    fn field(self, name: &str) -> Self {
        static METADATA: LazyLock<Schema> = LazyLock::new(|| {
            let fields = ["name", "generateName"].map(|name| (name.to_owned(), json!({"type": "string"})));
            Schema::from_iter([("properties".to_owned(), Value::Object(fields.into_iter().collect()))])
        });
        let Some(schema) = self.schema else { return Self::UNKNOWN };
        let named = property(schema, &unescaped(name));
        let is_whole =
            |metadata: &Schema| ["name", "generateName"].iter().all(|name| property(metadata, name).is_some());
        match (named, name) {
            // The server puts its own in place of metadata that lack one of the two.
            (metadata, "metadata") if self.is_object && !metadata.is_some_and(is_whole) => Self::of(&METADATA),
            (Some(schema), _) => Self::of(schema),
            (None, _) if self.is_object && GIVEN.contains(&name) => Self::text(LONGEST),
            // The server knows the size of what a dot finds in a mapping by its type alone.
            (None, _) => match inner(schema).filter(|_| !is_list(schema)) {
                Some(values) if Kind::of(values) == Kind::Single => Self { schema: Some(values), ..Self::SINGLE },
                Some(values) => Self { size: f64::INFINITY, ..Self::of(values) },
                None => Self::UNKNOWN,
            },
        }
    }

    /// Returns what its characters cost.
    fn characters(self) -> f64 {
        (self.size * CHARACTER).ceil()
    }

    /// Returns what it costs to match a pattern with it.
    fn matched(self, pattern: Self) -> f64 {
        times(((self.size + 1.0) * CHARACTER).ceil(), (pattern.size * PATTERN).ceil())
    }

    /// Returns the size of an item as functions of lists see it: of a value of the object, or of a list that is written out.
    fn item_size(self) -> f64 {
        let of_object = || self.schema.and_then(inner).map_or(f64::INFINITY, most);
        self.item.unwrap_or_else(of_object)
    }
}

/// What an expression costs at most, and what it makes.
struct Estimate<'s> {
    cost: f64,
    made: Made<'s>,
}

/// Estimates expressions.
struct Reader<'s> {
    /// The value that has the rule.
    whole: Made<'s>,
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
                Estimate { cost, made: Made { item: Some(item), ..Made::list(items.len() as f64) } }
            }
            Expr::Map(map) => {
                let mut cost = MAPPING;
                for entry in &map.entries {
                    let EntryExpr::MapEntry(entry) = &entry.expr else { continue };
                    cost += self.cost(&entry.key).cost + self.cost(&entry.value).cost;
                }
                Estimate { cost, made: Made::text(map.entries.len() as f64) }
            }
            Expr::Call(call) => self.call(call),
            Expr::Comprehension(found) => self.loops(found),
            Expr::Struct(_) | Expr::Unspecified => Estimate { cost: f64::NAN, made: Made::UNKNOWN },
        }
    }

    /// Estimates a macro: what is done for each item counts for as many as there can be.
    fn loops(&mut self, found: &ComprehensionExpr) -> Estimate<'s> {
        let (range, first) = (self.cost(&found.iter_range), self.cost(&found.accu_init));
        let visited = match range.made.schema {
            // Keys have no size.
            Some(schema) if !is_list(schema) => Made::text(0.0),
            _ => self.inside(range.made),
        };
        let known = self.variables.len();
        self.variables.push((found.accu_var.clone(), first.made));
        self.variables.push((found.iter_var.clone(), visited));
        let (test, step) = (self.cost(&found.loop_cond), self.cost(&found.loop_step));
        self.variables.truncate(known + 1);
        let result = self.cost(&found.result);
        self.variables.truncate(known);
        let of_items = times(range.made.size, test.cost + step.cost);
        let made = match &found.accu_init.expr {
            Expr::List(_) => Made::list(range.made.size),
            Expr::Map(_) => Made::text(range.made.size),
            _ => Made::SINGLE,
        };
        Estimate { cost: range.cost + first.cost + result.cost + of_items, made }
    }

    /// Returns an item of a list or a value of a mapping. For the server one of what the rule makes is as large as the value that has the
    /// rule, and has its fields.
    fn inside(&self, made: Made<'s>) -> Made<'s> {
        match made.schema {
            Some(schema) => inner(schema).map_or(Made::UNKNOWN, Made::of),
            None => Made { kind: Kind::Other, ..self.whole },
        }
    }

    fn call(&mut self, call: &CallExpr) -> Estimate<'s> {
        let name = call.func_name.as_str();
        let library = call.target.as_deref().and_then(|target| match &target.expr {
            Expr::Ident(library) if !self.variables.iter().any(|(variable, _)| variable == library) => {
                Some(library.as_str())
            }
            _ => None,
        });
        let target = call.target.as_deref().filter(|_| library.is_none()).map(|target| self.cost(target));
        let arguments: Vec<Estimate<'_>> = call.args.iter().map(|argument| self.cost(argument)).collect();
        let made: Vec<Made<'_>> = arguments.iter().map(|argument| argument.made).collect();
        let costs: Vec<f64> = arguments.iter().map(|argument| argument.cost).collect();
        let around = target.as_ref().map_or(0.0, |target| target.cost);
        let (own, result) = match (library, target, made.as_slice(), costs.as_slice()) {
            (Some(library), ..) => of_library(library, name, &made),
            (_, None, [_, then, otherwise], [test, one, other]) if name == operators::CONDITIONAL => {
                return Estimate { cost: test + one.max(*other), made: then.or(*otherwise) };
            }
            (_, None, [list, _], _) if name == operators::INDEX => {
                let item = list.item.map_or_else(|| self.inside(*list), Made::text);
                (1.0, item)
            }
            (_, Some(target), made, _) => method(name, target.made, made),
            (_, None, made, _) => function(name, made),
        };
        Estimate { cost: around + costs.iter().sum::<f64>() + own, made: result }
    }
}

fn constant<'s>(literal: &LiteralValue) -> Made<'s> {
    let long = |length: usize| Made { least: length as f64, ..Made::text(length as f64) };
    match literal {
        LiteralValue::String(text) => long(text.inner().chars().count()),
        LiteralValue::Bytes(bytes) => long(bytes.inner().len()),
        LiteralValue::Int(number) => Made { number: Some(*number.inner() as f64), ..Made::SINGLE },
        _ => Made::SINGLE,
    }
}

/// Estimates an operator, or a function without a target: what it costs itself, and what it makes.
fn function<'s>(name: &str, arguments: &[Made<'s>]) -> (f64, Made<'s>) {
    let smaller = |one: Made<'s>, other: Made<'s>| Made::text(one.size.min(other.size)).characters();
    match (name, arguments) {
        (operators::LOGICAL_AND | operators::LOGICAL_OR, _) => (0.0, Made::SINGLE),
        (operators::EQUALS | operators::NOT_EQUALS, [one, other]) => (smaller(*one, *other), Made::SINGLE),
        (operators::LESS | operators::LESS_EQUALS | operators::GREATER | operators::GREATER_EQUALS, [one, other]) => {
            let is_single = [one, other].iter().any(|side| side.kind == Kind::Single);
            (if is_single { 1.0 } else { smaller(*one, *other) }, Made::SINGLE)
        }
        (operators::IN, [_, list]) => (if list.kind == Kind::List { list.size } else { 1.0 }, Made::SINGLE),
        (operators::ADD, [one, other]) if [one, other].iter().any(|side| side.kind == Kind::Single) => {
            (1.0, Made::SINGLE)
        }
        (operators::ADD, [one, other]) => {
            let both = Made { size: one.size + other.size, least: one.least + other.least, ..one.or(*other) };
            (if both.kind == Kind::List { 1.0 } else { both.characters() }, both)
        }
        (operators::SUBSTRACT | operators::MULTIPLY | operators::DIVIDE | operators::MODULO, _)
        | (operators::LOGICAL_NOT | operators::NEGATE | operators::NOT_STRICTLY_FALSE, _)
        | ("size" | "int" | "uint" | "double" | "bool" | "duration" | "timestamp" | "type", _) => (1.0, Made::SINGLE),
        ("string", _) => (1.0, Made::text(f64::INFINITY)),
        ("dyn", [of]) => (1.0, *of),
        ("url", [of]) => (of.characters(), Made::UNKNOWN),
        ("quantity" | "ip" | "cidr" | "semver", [of, ..]) => (of.characters(), Made::SINGLE),
        ("isURL" | "isQuantity" | "isIP" | "isCIDR" | "isSemver", [of, ..]) => (of.characters(), Made::SINGLE),
        _ => (f64::NAN, Made::UNKNOWN),
    }
}

/// Estimates a function of a library that has its name in front.
fn of_library<'s>(library: &str, name: &str, arguments: &[Made<'s>]) -> (f64, Made<'s>) {
    match (library, name, arguments) {
        ("ip", "isCanonical", [of]) => ((of.size * 2.0 * CHARACTER).ceil(), Made::SINGLE),
        ("sets", "contains" | "intersects", [one, other]) => (1.0 + times(one.size, other.size), Made::SINGLE),
        ("sets", "equivalent", [one, other]) => (1.0 + 2.0 * times(one.size, other.size), Made::SINGLE),
        _ => (f64::NAN, Made::UNKNOWN),
    }
}

/// Estimates a function of a value: what it costs itself, and what it makes.
fn method<'s>(name: &str, of: Made<'s>, arguments: &[Made<'s>]) -> (f64, Made<'s>) {
    // Two addresses of up to 16 bytes are compared.
    const ADDRESSES: f64 = 4.0;
    let as_text = |argument: &Made<'s>| if argument.kind == Kind::Single { 0.0 } else { argument.characters() };
    match (name, arguments) {
        ("startsWith" | "endsWith", [part]) => (part.characters(), Made::SINGLE),
        ("contains", [part]) => (times(of.characters(), part.characters()), Made::SINGLE),
        ("matches", [pattern]) => (of.matched(*pattern), Made::SINGLE),
        ("find", [pattern]) => (of.matched(*pattern), Made::text(of.size)),
        ("findAll", [pattern, ..]) => (of.matched(*pattern), Made::list(of.size)),
        ("lowerAscii" | "upperAscii" | "substring" | "trim", _) => (of.characters(), Made::text(of.size)),
        ("replace", [old, new, ..]) => {
            let size = match () {
                () if old.least == 0.0 => times(of.size + 1.0, new.size) + of.size,
                () if new.size <= old.least => of.size,
                () => times((of.size / old.least).ceil(), new.size),
            };
            ((of.size * 2.0 * CHARACTER).ceil(), Made::text(size))
        }
        ("split", [_, limit]) if limit.number.is_some() => {
            ((of.size * 2.0 * CHARACTER).ceil(), Made::list(limit.number.unwrap_or_default()))
        }
        ("split", _) => ((of.size * 2.0 * CHARACTER).ceil(), Made::list(of.size)),
        ("join", separator) => {
            let between = separator.first().map_or(0.0, |one| times(one.size, (of.size - 1.0).max(0.0)));
            let whole = Made::text(times(of.size, of.item_size()) + between);
            (whole.characters(), whole)
        }
        ("isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf", _) if of.kind == Kind::List => {
            let is_single = of.schema.and_then(inner).is_some_and(|item| Kind::of(item) == Kind::Single);
            let is_number = is_single || of.item == Some(1.0);
            let of_item = if is_number { 0.0 } else { (of.item_size() * CHARACTER).ceil() };
            (times(of.size, 1.0 + of_item), Made::SINGLE)
        }
        ("indexOf" | "lastIndexOf", _) => (of.characters(), Made::SINGLE),
        ("containsIP", [other]) => (ADDRESSES + as_text(other), Made::SINGLE),
        ("containsCIDR", [other]) => (ADDRESSES + 3.0 + as_text(other), Made::SINGLE),
        (name, _) if ONE_STEP.contains(&name) => (1.0, Made::SINGLE),
        ("value", _) => (1.0, Made::UNKNOWN),
        ("getScheme" | "getHost" | "getHostname" | "getPort" | "getEscapedPath", _) => (1.0, Made::text(f64::INFINITY)),
        ("orValue", [other]) => (1.0, of.or(*other)),
        _ => (f64::NAN, Made::UNKNOWN),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(schema: Value, rule: &str, expected: Option<f64>) {
        assert_eq!(of_rule(rule, schema.as_object().unwrap(), true), expected, "{rule}");
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
    fn numbers_and_times_are_compared_in_one_step() {
        let numbers = json!({"type": "array", "items": {"type": "integer"}});
        check(numbers, "self.all(x, x >= 0 && x <= 100)", Some(2.0 + 1_572_863.0 * 7.0));
        let time = || json!({"type": "string", "format": "duration"});
        let times = json!({"type": "object", "properties": {"a": time(), "b": time()}});
        check(times, "!has(self.a) || !has(self.b) || self.a <= self.b", Some(9.0));
        check(json!({"type": "object"}), "(true ? 1 : 0) + (true ? 1 : 0) + 1 == 3", Some(3.0));
    }

    #[test]
    fn functions_of_libraries_read_their_texts() {
        check(json!({"type": "string"}), "isIP(self)", Some(314_574.0));
        check(json!({"type": "string", "maxLength": 10}), "ip.isCanonical(self)", Some(9.0));
        check(json!({"type": "object"}), "ip('2001:db8:3333:4444:5555:6666:7777:8888').isLoopback()", Some(5.0));
        check(json!({"type": "object"}), "sets.contains(['a', 'b', 'c'], ['a'])", Some(20.0 + 1.0 + 3.0));
        check(json!({"type": "object"}), "quantity('50k').add(quantity('20')) == quantity('50.02k')", Some(5.0));
        check(json!({"type": "object"}), "[1, 2, 3, 4, 5].isSorted()", Some(15.0));
        check(json!({"type": "object"}), "['012345678901', '012345678901'].isSorted()", Some(10.0 + 2.0 * 3.0));
        check(json!({"type": "object"}), "self.x.unheardOf()", None);
    }

    #[test]
    fn an_item_that_the_rule_makes_is_as_large_as_what_has_the_rule() {
        let hosts = json!({"type": "object", "properties": {"hosts": {"type": "string", "maxLength": 100}}});
        // Splitting 400 bytes takes 80 steps, after two to get there; then 3 for each macro step, and the item and the pattern.
        check(hosts, "self.hosts.split(',').all(p, p.matches('a'))", Some(2.0 + 80.0 + 1.0 + 400.0 * 5.0));
        let image = json!({"type": "string", "maxLength": 100});
        check(image.clone(), "self.split('/', 2).all(p, p != 'a')", Some(1.0 + 80.0 + 1.0 + 2.0 * 5.0));
        check(image, "['a'].exists(p, self.matches(p))", Some(10.0 + 1.0 + 3.0 + 3.0 + 41.0 * 100.0));
    }

    #[test]
    fn what_the_server_knows_no_size_of_is_endless() {
        let map = json!({"type": "object", "additionalProperties": {"type": "string", "maxLength": 9}});
        check(map.clone(), "self.app.matches('a')", Some(f64::INFINITY));
        check(map, "self['app'].matches('a')", Some(1.0 + 1.0 + 4.0));
        let numbers = json!({"type": "array", "items": {"type": "object", "additionalProperties": {"type": "number"}}});
        check(numbers, "self.all(x, x.y == 25.2)", Some(6_291_452.0));
    }

    #[test]
    fn metadata_without_both_names_are_those_of_the_server() {
        let name = |fields: Value| json!({"type": "object", "properties": {"metadata": {"type": "object", "properties": fields}}});
        let short = || json!({"type": "string", "maxLength": 10});
        check(name(json!({"name": short()})), "self.metadata.name.matches('a')", Some(3.0 + 314_573.0));
        let both = name(json!({"name": short(), "generateName": short()}));
        check(both, "self.metadata.name.matches('a')", Some(3.0 + 5.0));
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
