//! Answers: what does an action print where the users of a chart set nothing?
//!
//! Invariant: what the values of the chart do not show is not known, but for whether something is printed at all.

use serde_json::Value;

use super::environment::Environment;
use super::expression::{Binding, Expression};
use super::judge::Judge;
use super::lex::Keyword;
use super::tree::{Node, Part};

/// How many definitions are looked into inside each other.
const LEVELS: u32 = 4;

/// Returns the value in the defaults of a chart that a path such as `$.Values.service.port` names.
pub(super) fn value_at<'v>(values: &'v Value, path: &str) -> Option<&'v Value> {
    let path = path.strip_prefix('$').unwrap_or(path).strip_prefix(".Values.")?;
    path.split('.').try_fold(values, |value, key| value.get(key))
}

/// Returns the value that is printed, if the defaults of the chart show it.
pub(super) fn default_of(expression: &Expression, environment: Environment<'_>) -> Option<Value> {
    match expression {
        Expression::Text(text) => Some(Value::from(text.as_str())),
        Expression::Word(word) => word.parse::<i64>().ok().map(Value::from),
        Expression::Path(path) => value_at(environment.values?, path).cloned(),
        Expression::Call(function, arguments) => match (function.as_str(), arguments.as_slice()) {
            ("default", [default, value]) => match default_of(value, environment) {
                Some(value) if !is_empty(&value) => Some(value),
                _ => default_of(default, environment),
            },
            ("quote" | "squote" | "toString", [value]) => match default_of(value, environment)? {
                Value::String(text) => Some(Value::String(text)),
                value @ (Value::Number(_) | Value::Bool(_)) => Some(Value::from(value.to_string())),
                Value::Null | Value::Array(_) | Value::Object(_) => None,
            },
            ("int" | "int64" | "required" | "trim", [.., value]) => default_of(value, environment),
            _ => None,
        },
        Expression::Member(..) => None,
    }
}

/// Returns whether a value counts as not set.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(value) => !value,
        Value::Number(number) => number.as_i64() == Some(0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
    }
}

/// Returns whether the entries of a mapping that an action prints can be none where users set nothing.
pub(super) fn can_print_no_entries(expression: &Expression, judge: &Judge<'_>) -> bool {
    is_without_entries(expression, judge, LEVELS)
}

fn is_without_entries(expression: &Expression, judge: &Judge<'_>, levels: u32) -> bool {
    let Expression::Call(function, arguments) = expression else { return false };
    match (function.as_str(), arguments.as_slice()) {
        ("indent" | "nindent" | "trim", [.., printed]) => is_without_entries(printed, judge, levels),
        ("toJson" | "toYaml", [value @ Expression::Path(path)]) => match default_of(value, judge.environment) {
            _ if judge.truth(value) == Some(true) => false,
            Some(value) => is_empty(&value),
            None => path.contains(".Values."),
        },
        ("include" | "template", [Expression::Text(name), ..]) => {
            let part = judge.environment.defines.get(name).filter(|_| levels > 0);
            part.is_some_and(|part| part.nodes().iter().all(|node| is_empty_node(part, node, judge, levels - 1)))
        }
        _ => false,
    }
}

/// Returns whether a node of a definition can print nothing.
fn is_empty_node(part: Part<'_>, node: &Node, judge: &Judge<'_>, levels: u32) -> bool {
    let actions = part.template.actions();
    match node {
        Node::Literal(span) => span.of(part.template.text()).trim().is_empty(),
        Node::Action(index) => {
            let action = &actions[*index];
            let prints = matches!(action.keyword, Keyword::Print | Keyword::Template)
                && action.pipeline.binding == Binding::None;
            !prints || is_without_entries(&action.pipeline.value, judge, levels)
        }
        Node::Branching(block) => {
            let is_empty = |body: &[Node]| body.iter().all(|node| is_empty_node(part, node, judge, levels));
            let is_total = block
                .branches
                .last()
                .is_some_and(|last| matches!(actions[last.action].keyword, Keyword::Else | Keyword::Block));
            !is_total || block.branches.iter().any(|branch| is_empty(&branch.body))
        }
    }
}
