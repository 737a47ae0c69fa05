//! Answers: does an action print a number or a text?
//!
//! Invariant: nothing is guessed; what users of a chart set can have any type, and the values of the chart say only which one it has where
//! they set nothing.

use serde_json::Value;

use super::default_value::value_at;
use super::environment::Environment;
use super::expression::Expression;
use crate::syntax::variable::{Certainty, PrintedType};

/// Functions whose result is a number.
const NUMBERS: [&str; 12] =
    ["add", "add1", "atoi", "div", "float64", "int", "int64", "len", "max", "min", "mul", "sub"];

/// Words that YAML 1.1 reads as something other than a text.
const CONSTANTS: [&str; 8] = ["true", "false", "yes", "no", "on", "off", "null", "nan"];

/// Returns the type of what is printed, as far as it is known.
pub(super) fn type_of(expression: &Expression, environment: Environment<'_>) -> Option<PrintedType> {
    let by_default =
        |value: &Value| Some(PrintedType { is_number: is_number(value)?, certainty: environment.defaults });
    match expression {
        Expression::Call(function, _) if NUMBERS.contains(&function.as_str()) => {
            Some(PrintedType { is_number: true, certainty: Certainty::Always })
        }
        Expression::Call(function, arguments) if function == "default" => {
            let [default, value] = arguments.as_slice() else { return None };
            let otherwise =
                literal(default).map_or_else(|| type_of(default, environment), |value| by_default(&value))?;
            match (type_of(value, environment), value) {
                (Some(set), _) => (set.is_number == otherwise.is_number).then_some(otherwise),
                (None, Expression::Path(path)) if is_empty(environment.values, path) => Some(otherwise),
                _ => None,
            }
        }
        Expression::Call(function, arguments) if function == "required" => type_of(arguments.last()?, environment),
        Expression::Path(path) => by_default(value_at(environment.values?, path)?),
        _ => None,
    }
}

/// Returns whether a path names a value of the chart that its defaults do not set.
fn is_empty(values: Option<&Value>, path: &str) -> bool {
    let value = values.and_then(|values| value_at(values, path));
    path.starts_with("$.Values.") && value.is_none_or(|value| value.is_null() || value.as_str() == Some(""))
}

fn literal(expression: &Expression) -> Option<Value> {
    match expression {
        Expression::Text(text) => Some(Value::from(text.as_str())),
        Expression::Word(word) => word.parse::<i64>().ok().map(Value::from),
        _ => None,
    }
}

/// Returns whether what is printed for a default is a number, if it is that or a text: the quotes of a text are not printed.
pub(super) fn is_number(value: &Value) -> Option<bool> {
    match value {
        Value::Number(number) => number.is_i64().then_some(true),
        Value::String(text) if text.parse::<i64>().is_ok_and(|number| number.to_string() == *text) => Some(true),
        Value::String(text) => {
            let is_word = text.starts_with(|first: char| first.is_ascii_lowercase())
                && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
                && !CONSTANTS.contains(&text.as_str());
            is_word.then_some(false)
        }
        _ => None,
    }
}
