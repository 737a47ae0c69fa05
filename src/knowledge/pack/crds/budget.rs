//! Answers: which CEL rules of a CRD could take too many steps on one object?
//!
//! The steps of a rule are bounded before it is run: each of its expressions is followed to the values of the object that it can have,
//! and what a loop does is counted once for each item. What is copied counts as steps, so that memory is bounded too.
//!
//! Invariant: a rule that is run takes no more steps than its bound.

use std::collections::BTreeMap;

use kube_cel::CompiledSchema;
use kube_cel::cel::common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr, IdedExpr, LiteralValue, operators};
use serde_json::Value;

use super::cel::unescaped;
use crate::knowledge::catalog::expanded_length;

/// The most steps of all rules on one object.
///
/// Source: the API server's limit, which it counts as it evaluates (`RuntimeCELCostBudget`).
const MOST_STEPS: f64 = 1e7;

/// How many bytes of text are read or copied in one step.
///
/// Source: the API server's factor (`StringTraversalCostFactor`).
const BYTES_OF_STEP: f64 = 10.0;

/// How many bytes of text are matched with one character of a pattern in one step.
///
/// Source: the same, and `RegexStringLengthCostFactor`.
const BYTES_MATCHED: f64 = 40.0;

/// The length of a pattern that is not known; a longer one is refused when it is compiled.
const LONGEST_PATTERN: f64 = 1e6;

/// Returns the rules beyond the budget, by their text; those that take fewest steps come first into it.
pub(super) fn costly(schema: &CompiledSchema, object: &Value) -> Vec<String> {
    let mut steps = BTreeMap::new();
    add_steps(schema, object, &mut steps);
    let mut rules: Vec<(&str, f64)> = steps.into_iter().collect();
    rules.sort_by(|(_, one), (_, other)| one.total_cmp(other));
    let mut total = 0.0;
    rules.retain(|(_, steps)| {
        total += steps;
        total > MOST_STEPS
    });
    rules.into_iter().map(|(rule, _)| rule.to_owned()).collect()
}

/// Adds the steps of the rules of a schema and all below it, by the text of the rule.
fn add_steps<'s>(schema: &'s CompiledSchema, value: &Value, steps: &mut BTreeMap<&'s str, f64>) {
    for rule in schema.validations.iter().flatten() {
        let message = rule.message_program.as_ref().map(|program| program.expression());
        for expression in [rule.program.expression()].into_iter().chain(message) {
            let mut bound = Bound { variables: vec![("self", Values::found(vec![value]))] };
            *steps.entry(rule.rule.rule.as_str()).or_default() += bound.of(expression).steps;
        }
    }
    match value {
        Value::Array(items) => {
            let schemas = items.iter().filter_map(|item| Some((schema.items.as_deref()?, item)));
            schemas.for_each(|(schema, item)| add_steps(schema, item, steps));
        }
        Value::Object(map) => {
            for (key, value) in map {
                let schema = schema.properties.get(key).or(schema.additional_properties.as_deref());
                schema.into_iter().for_each(|schema| add_steps(schema, value, steps));
            }
        }
        _ => {}
    }
    for branch in [&schema.all_of, &schema.any_of, &schema.one_of].into_iter().flatten() {
        add_steps(branch, value, steps);
    }
}

/// How large a value is.
#[derive(Clone, Copy, Default)]
struct Size {
    /// The items of the list or mapping.
    items: f64,
    /// The items of all lists and mappings in it.
    all: f64,
    /// The bytes of all texts in it.
    text: f64,
}

impl Size {
    fn of(value: &Value) -> Self {
        match value {
            Value::String(text) => Self::of_text(text.len() as f64),
            Value::Array(items) => Self::of_items(items.iter().map(Self::of)),
            Value::Object(map) => {
                Self::of_items(map.iter().map(|(key, value)| Self::of(value).and(Self::of_text(key.len() as f64))))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => Self::default(),
        }
    }

    fn of_text(text: f64) -> Self {
        Self { text, ..Self::default() }
    }

    fn of_items(items: impl Iterator<Item = Self>) -> Self {
        let one = |item: Self| Self { items: 1.0, all: item.all + 1.0, text: item.text };
        items.map(one).fold(Self::default(), Self::and)
    }

    fn and(self, other: Self) -> Self {
        Self { items: self.items + other.items, all: self.all + other.all, text: self.text + other.text }
    }

    fn or(self, other: Self) -> Self {
        Self { items: self.items.max(other.items), all: self.all.max(other.all), text: self.text.max(other.text) }
    }

    fn times(self, times: f64) -> Self {
        Self { items: self.items * times, all: self.all * times, text: self.text * times }
    }

    /// Returns the most that a part can be.
    const fn part(self) -> Self {
        Self { items: self.all, ..self }
    }

    /// Returns the steps in which it is copied or compared.
    fn steps(self) -> f64 {
        self.all + (self.text / BYTES_OF_STEP).floor()
    }
}

/// The values that an expression can have.
#[derive(Clone, Default)]
struct Values<'v> {
    /// Values of the object.
    found: Vec<&'v Value>,
    /// The most that is made of them.
    made: Size,
    /// The values that the parts of what is made can have; if not known, a part is at most the whole.
    parts: Option<Box<Self>>,
}

impl<'v> Values<'v> {
    fn found(found: Vec<&'v Value>) -> Self {
        Self { found, ..Self::default() }
    }

    fn made(made: Size) -> Self {
        Self { made, ..Self::default() }
    }

    fn size(&self) -> Size {
        self.found.iter().copied().map(Size::of).fold(self.made, Size::or)
    }

    fn or(mut self, other: Self) -> Self {
        self.found.extend(other.found);
        self.found.sort_unstable_by_key(|value| std::ptr::from_ref(*value));
        self.found.dedup_by_key(|value| std::ptr::from_ref(*value));
        let parts = match (self.parts, other.parts) {
            (Some(one), Some(other)) => Some(Box::new(one.or(*other))),
            (one, None) if other.made.all == 0.0 => one,
            (None, other) if self.made.all == 0.0 => other,
            _ => None,
        };
        Self { found: self.found, made: self.made.or(other.made), parts }
    }

    fn field(self, name: &str) -> Self {
        let field = |value: &&'v Value| value.get(name).or_else(|| value.get(unescaped(name)));
        let found = Self::found(self.found.iter().filter_map(field).collect());
        found.or(self.parts_of_made())
    }

    /// Returns the items of lists and the values of mappings.
    fn items(self) -> Self {
        let items = |value: &&'v Value| -> Vec<&'v Value> {
            match value {
                Value::Array(items) => items.iter().collect(),
                Value::Object(map) => map.values().collect(),
                _ => Vec::new(),
            }
        };
        Self::found(self.found.iter().flat_map(items).collect()).or(self.parts_of_made())
    }

    /// Returns what a loop visits: the items of lists and the keys of mappings.
    fn visited(mut self) -> Self {
        let keys = self.found.iter().filter_map(|value| value.as_object()).flat_map(|map| map.keys());
        let longest = keys.map(|key| Size::of_text(key.len() as f64)).fold(Size::default(), Size::or);
        self.found.retain(|value| value.is_array());
        self.items().or(Self::made(longest))
    }

    fn parts_of_made(self) -> Self {
        self.parts.map_or_else(|| Self::made(self.made.part()), |parts| *parts)
    }
}

/// The most that evaluating an expression takes, and what it gives.
#[derive(Clone, Default)]
struct Cost<'v> {
    steps: f64,
    values: Values<'v>,
}

impl<'v> Cost<'v> {
    /// The cost where the values are copied.
    fn copied(steps: f64, values: Values<'v>) -> Self {
        Self { steps: steps + 1.0 + values.size().steps(), values }
    }
}

/// Bounds the cost of an expression.
struct Bound<'e, 'v> {
    /// The value of a rule, and the variables of the loops around an expression, the innermost last.
    variables: Vec<(&'e str, Values<'v>)>,
}

impl<'e, 'v> Bound<'e, 'v> {
    fn of(&mut self, expression: &'e IdedExpr) -> Cost<'v> {
        match &expression.expr {
            Expr::Literal(LiteralValue::String(text)) => {
                Cost::copied(0.0, Values::made(Size::of_text(text.inner().len() as f64)))
            }
            Expr::Literal(_) => Cost::default(),
            Expr::Ident(name) => {
                let known = self.variables.iter().rev().find(|(variable, _)| variable == name);
                Cost { steps: 1.0, values: known.map(|(_, values)| values.clone()).unwrap_or_default() }
            }
            Expr::Select(select) => {
                let whole = self.of(&select.operand);
                let values = if select.test { Values::default() } else { whole.values.field(&select.field) };
                Cost::copied(whole.steps, values)
            }
            Expr::Call(call) => self.call(call),
            Expr::List(list) => self.collection(list.elements.iter()),
            Expr::Map(map) => self.collection(map.entries.iter().flat_map(|entry| match &entry.expr {
                EntryExpr::MapEntry(entry) => vec![&entry.key, &entry.value],
                EntryExpr::StructField(entry) => vec![&entry.value],
            })),
            Expr::Comprehension(found) => self.repeated(found),
            // The evaluator would panic.
            Expr::Struct(_) | Expr::Unspecified => Cost { steps: f64::INFINITY, ..Cost::default() },
        }
    }

    fn collection(&mut self, parts: impl Iterator<Item = &'e IdedExpr>) -> Cost<'v> {
        let parts: Vec<Cost<'v>> = parts.map(|part| self.of(part)).collect();
        let made = Size::of_items(parts.iter().map(|part| part.values.size()));
        let steps = parts.iter().map(|part| part.steps).sum();
        let parts = parts.into_iter().map(|part| part.values).reduce(Values::or).map(Box::new);
        Cost::copied(steps, Values { parts, ..Values::made(made) })
    }

    fn call(&mut self, call: &'e CallExpr) -> Cost<'v> {
        let mut parts: Vec<Cost<'v>> =
            call.target.as_deref().into_iter().chain(&call.args).map(|part| self.of(part)).collect();
        let steps = 1.0 + parts.iter().map(|part| part.steps).sum::<f64>();
        match (call.func_name.as_str(), call.args.as_slice()) {
            (operators::CONDITIONAL, _) => {
                let values = parts.drain(1..).map(|part| part.values).reduce(Values::or).unwrap_or_default();
                Cost { steps, values }
            }
            (operators::INDEX, [whole, key]) if !matches!(whole.expr, Expr::Literal(_)) => {
                let whole = parts.swap_remove(0).values;
                let values = text_of(key).map_or_else(|| whole.clone().items(), |name| whole.clone().field(name));
                Cost::copied(steps, values)
            }
            _ => {
                let sizes: Vec<Size> = parts.iter().map(|part| part.values.size()).collect();
                let read: f64 = sizes.iter().map(|size| size.steps()).sum();
                let (more, made) = function(call, &sizes);
                let joined = parts.into_iter().map(|part| part.values).reduce(Values::or);
                let joined = joined.filter(|_| call.func_name == operators::ADD);
                let parts = joined.map(|values| Box::new(values.items()));
                Cost::copied(steps + read + more, Values { parts, ..Values::made(made) })
            }
        }
    }

    fn repeated(&mut self, found: &'e ComprehensionExpr) -> Cost<'v> {
        let (range, first) = (self.of(&found.iter_range), self.of(&found.accu_init));
        let (size, outer) = (range.values.size(), self.variables.len());
        if let Some(second) = &found.iter_var2 {
            self.variables.push((second, range.values.clone().items()));
        }
        self.variables.push((&found.iter_var, range.values.visited()));
        self.variables.push((&found.accu_var, first.values.clone()));
        let (condition, step) = (self.of(&found.loop_cond), self.of(&found.loop_step));
        self.variables.truncate(outer);
        let made = first.values.size().and(step.values.size().times(size.items));
        let parts = first.values.or(step.values).parts;
        self.variables.push((&found.accu_var, Values { parts, ..Values::made(made) }));
        let result = self.of(&found.result);
        self.variables.truncate(outer);
        // The items are copied, and with each of them what has been made so far.
        let each = 1.0 + condition.steps + step.steps + made.steps();
        let steps = range.steps + first.steps + size.steps() + size.items * each + result.steps;
        Cost { steps, values: result.values }
    }
}

fn text_of(expression: &IdedExpr) -> Option<&str> {
    match &expression.expr {
        Expr::Literal(LiteralValue::String(text)) => Some(text.inner()),
        _ => None,
    }
}

/// Returns the steps that a function takes beside reading its arguments, and the size of what it gives.
fn function(call: &CallExpr, sizes: &[Size]) -> (f64, Size) {
    let all = sizes.iter().copied().fold(Size::default(), Size::and);
    let size = |index: usize| sizes.get(index).copied().unwrap_or_default();
    match call.func_name.as_str() {
        operators::LOGICAL_AND
        | operators::LOGICAL_OR
        | operators::LOGICAL_NOT
        | operators::EQUALS
        | operators::NOT_EQUALS
        | operators::LESS
        | operators::LESS_EQUALS
        | operators::GREATER
        | operators::GREATER_EQUALS
        | operators::IN
        | operators::NOT_STRICTLY_FALSE
        | "size"
        | "startsWith"
        | "endsWith" => (0.0, Size::default()),
        name @ ("matches" | "find" | "findAll") => {
            let pattern = call.args.get(usize::from(call.target.is_none()));
            let length =
                pattern.and_then(text_of).map_or(LONGEST_PATTERN, |text| expanded_length(text).unwrap_or(0) as f64);
            let steps = length.min(LONGEST_PATTERN) * (1.0 + size(0).text / BYTES_MATCHED);
            let parts = if name == "findAll" { size(0).text + 1.0 } else { 0.0 };
            (steps, Size { items: parts, all: parts, text: size(0).text })
        }
        // Lists are compared item by item.
        "distinct" | "contains" | "equivalent" | "intersects" => (all.items * all.all, all),
        "flatten" => (0.0, all.part()),
        "split" => (0.0, Size { items: all.text + 1.0, all: all.text + 1.0, text: all.text }),
        "join" => (0.0, Size::of_text(all.text + size(0).items * size(1).text)),
        // Each character can become the new text.
        "replace" => (0.0, Size::of_text(size(0).text + (size(0).text + 1.0) * size(2).text)),
        "range" => {
            let count = match call.args.first().map(|count| &count.expr) {
                Some(Expr::Literal(LiteralValue::Int(count))) => *count.inner() as f64,
                _ => f64::INFINITY,
            };
            (0.0, Size { items: count, all: count, text: 0.0 })
        }
        // Digits of a number are requested in the text: `%.3f`.
        "format" => {
            let text = call.target.as_deref().and_then(text_of);
            let numbers = text.map(|text| text.split(|part: char| !part.is_ascii_digit()).map(str::parse::<f64>));
            let digits = numbers.map_or(f64::INFINITY, |numbers| numbers.flatten().sum());
            (0.0, Size::of_text(all.text + digits))
        }
        _ => (0.0, all),
    }
}
