//! Answers: what does an action print where the users of a chart set nothing?
//!
//! In a range, what is printed can differ from turn to turn: there is one value for each item that the chart has by default.
//!
//! Invariant: what the values of the chart do not show is not known, but for whether something is printed at all.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::environment::Environment;
use super::expression::{Binding, Expression};
use super::judge::Judge;
use super::lex::{Action, Keyword};
use super::scope::Scope;
use super::tree::{Branching, Node, Part};
use crate::syntax::variable::{ACTION, is_of_action};

/// How many definitions are looked into inside each other.
const LEVELS: u32 = 4;

/// How many items of a list are looked at.
const MOST_ITEMS: usize = 16;

/// What Helm itself sets.
const GIVEN: [&str; 5] = ["Capabilities", "Chart", "Files", "Release", "Template"];

/// What the collections are whose items ranges with a number take.
pub(super) type Ranges = BTreeMap<usize, Expression>;

/// Returns the value in the defaults of a chart that a path such as `$.Values.service.port` names.
pub(super) fn value_at<'v>(values: &'v Value, path: &str) -> Option<&'v Value> {
    let path = path.strip_prefix('$').unwrap_or(path).strip_prefix(".Values")?;
    let keys = path.split('.');
    (path.is_empty() || path.starts_with('.')).then(|| keys.skip(1).try_fold(values, |value, key| value.get(key)))?
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

/// What is printed by default in a reading.
pub(super) struct Defaults<'d, 'e> {
    /// What the reading assumes.
    pub(super) judge: &'d Judge<'e>,
    pub(super) ranges: &'d Ranges,
}

/// Where something is printed.
#[derive(Clone, Copy)]
struct Turn {
    /// The number of the item in the ranges around.
    at: usize,
    /// How many definitions can be looked into.
    levels: u32,
    texts: Texts,
}

/// What is asked of the text that a definition prints.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Texts {
    /// It is known.
    Whole,
    /// A placeholder may stand for a part of it.
    Partial,
}

impl Texts {
    /// Returns what stands for a part that is not known.
    fn open(self) -> Option<Value> {
        self.placeholder("OTHER")
    }

    fn placeholder(self, name: &str) -> Option<Value> {
        (self == Self::Partial).then(|| Value::from(format!("{ACTION}{name}}}")))
    }
}

/// The name of the placeholder for what the values of a chart do not have.
const MISSING: &str = "MISSING";

impl Defaults<'_, '_> {
    /// Returns what is printed in each turn of the ranges around, if that is known; none where nothing is printed by default.
    pub(super) fn of(&self, expression: &Expression) -> Option<Vec<Value>> {
        self.in_turns(expression, Texts::Whole)
    }

    /// Returns what an argument is in each turn, with placeholders for what is not known.
    pub(super) fn arguments(&self, made: &Expression) -> Option<Vec<Value>> {
        self.in_turns(made, Texts::Partial)
    }

    fn in_turns(&self, expression: &Expression, texts: Texts) -> Option<Vec<Value>> {
        let is_given = |path: &&Expression| matches!(path, Expression::Path(path) if self.is_of_argument(path));
        let calls = self.environment().arguments.filter(|_| paths_in(expression).iter().any(is_given));
        let turns = ranges_in(expression).into_iter().map(|range| Some(self.items(range, LEVELS)?.len()));
        let turns: Option<Vec<usize>> = turns.chain(calls.map(|calls| Some(calls.len()))).collect();
        let turns = turns?;
        if turns.contains(&0) {
            return Some(Vec::new());
        }
        let turns = (0..turns.into_iter().max().unwrap_or(1)).map(|at| Turn { at, levels: LEVELS, texts });
        let possible = turns.filter(|turn| !paths_in(expression).into_iter().any(|path| self.contradicts(path, *turn)));
        possible.map(|turn| self.value(expression, turn)).collect()
    }

    /// Returns the entries or items that are printed in each turn, null for none, and a text for what definitions print.
    pub(super) fn entries_of(&self, expression: &Expression) -> Option<Vec<Value>> {
        let as_entries = |value: Value| match value {
            Value::String(text) if text.trim().is_empty() => Some(Value::Null),
            Value::Bool(_) | Value::Number(_) => None,
            entries => Some(entries),
        };
        match self.in_turns(expression, Texts::Partial) {
            Some(values) => values.into_iter().map(as_entries).collect(),
            None => self.is_missing(expression).then(|| vec![Value::Null]),
        }
    }

    /// Returns the key in the values of the chart of what is printed, whole.
    pub(super) fn key_of(&self, expression: &Expression) -> Option<String> {
        let Expression::Path(path) = source(expression) else { return None };
        self.of_chart(path)?;
        Some(path.split_once(".Values.")?.1.to_owned())
    }

    /// Returns whether users of the chart set what is printed, or what a definition is called with, and it has no default that is known.
    pub(super) fn is_required(&self, expression: &Expression) -> bool {
        let is_set = |path: &Expression| {
            let Expression::Path(name) = path else { return false };
            if let Some((range, _)) = name.strip_prefix('#').and_then(range_of) {
                return self.items(range, LEVELS).is_some_and(|items| !items.is_empty());
            }
            let is_given = GIVEN.iter().any(|given| name.strip_prefix("$.").is_some_and(|own| own.starts_with(given)));
            !is_given && self.judge.truth(path) != Some(true)
        };
        // Of a template without a chart no default is known.
        self.environment().chart_values.is_some() && paths_in(expression).into_iter().any(is_set)
    }

    /// Returns whether users of some chart set what is printed, and nothing shows a default of it.
    fn is_missing(&self, expression: &Expression) -> bool {
        let source = source(expression);
        let Expression::Path(path) = source else { return false };
        let is_unset = match path.contains(".Values.") {
            true => self.of_chart(path).is_none(),
            false => self.is_of_argument(path) && self.is_unset_argument(&path[1..]),
        };
        is_unset && self.judge.truth(source) != Some(true)
    }

    /// Returns whether a definition is called with something at `path` that the values of the chart do not have.
    fn is_unset_argument(&self, path: &str) -> bool {
        let missing = Texts::Partial.placeholder(MISSING);
        let is_it =
            |call: &Value| path.split('.').skip(1).try_fold(call, |value, key| value.get(key)) == missing.as_ref();
        self.environment().arguments.is_some_and(|calls| calls.iter().any(is_it))
    }

    /// Returns the value in the defaults of the chart that a path names, whatever its `.Values` are below.
    fn of_chart(&self, path: &str) -> Option<&Value> {
        let values = path.find(".Values").filter(|_| !path.starts_with('#'))?;
        value_at(self.environment().chart_values?, &path[values..])
    }

    /// Returns whether a path names something in what a definition is called with.
    fn is_of_argument(&self, path: &str) -> bool {
        let is_of_whole = path == "$" || path.starts_with("$.");
        self.environment().arguments.is_some() && is_of_whole && !path.contains(".Values")
    }

    /// Returns the value that a path names in what a definition is called with.
    fn of_argument(&self, path: &str, turn: Turn) -> Option<Value> {
        let calls = self.environment().arguments.filter(|_| self.is_of_argument(path))?;
        field_of(calls.get(turn.at).or(calls.last())?, &path[1..])
    }

    /// Returns whether a path has a default that cannot be what is assumed of it.
    fn contradicts(&self, path: &Expression, turn: Turn) -> bool {
        let truth = || self.judge.truth(path);
        self.value(path, turn).is_some_and(|value| truth().is_some_and(|truth| truth == is_empty(&value)))
    }

    fn environment(&self) -> Environment<'_> {
        self.judge.environment
    }

    /// Returns the items that a range takes by default, each with its key.
    fn items(&self, range: usize, levels: u32) -> Option<Vec<(Value, Value)>> {
        let collection = self.ranges.get(&range)?;
        let outer: Option<Vec<usize>> = ranges_in(collection)
            .into_iter()
            .filter(|_| levels > 0)
            .map(|range| Some(self.items(range, levels - 1)?.len()))
            .collect();
        let turns = outer?.into_iter().max().unwrap_or(1);
        let mut items = Vec::new();
        for at in 0..turns {
            let value = self.value(collection, Turn { at, levels, texts: Texts::Whole });
            match value.or_else(|| self.is_missing(collection).then_some(Value::Null))? {
                Value::Array(list) => {
                    items.extend(list.into_iter().enumerate().map(|(at, one)| (Value::from(at), one)))
                }
                Value::Object(map) => items.extend(map.into_iter().map(|(key, one)| (Value::from(key), one))),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
            }
        }
        items.truncate(MOST_ITEMS);
        Some(items)
    }

    fn value(&self, expression: &Expression, turn: Turn) -> Option<Value> {
        if !self.judge.spend() {
            return None;
        }
        match expression {
            Expression::Text(text) => Some(Value::from(text.as_str())),
            Expression::Word(word) => match word.as_str() {
                "true" | "false" => Some(Value::from(word == "true")),
                word => word.parse::<i64>().ok().map(Value::from),
            },
            Expression::Path(path) => self.field(path, turn),
            Expression::Call(function, arguments) => self.call(function, arguments, turn),
            Expression::Member(value, path) => field_of(&self.value(value, turn)?, path),
        }
    }

    fn field(&self, path: &str, turn: Turn) -> Option<Value> {
        let Some(item) = path.strip_prefix('#') else {
            return self.of_argument(path, turn).or_else(|| self.of_chart(path).cloned());
        };
        let (range, rest) = range_of(item)?;
        let items = self.items(range, turn.levels.checked_sub(1)?)?;
        let (key, item) = items.get(turn.at).or(items.last())?;
        match rest {
            "key" => Some(key.clone()),
            rest => field_of(item, rest),
        }
    }

    fn call(&self, function: &str, arguments: &[Expression], turn: Turn) -> Option<Value> {
        let value = |one: &Expression| self.value(one, turn);
        match (function, arguments) {
            ("default", [default, set]) => self.first_set(&[set, default], turn),
            ("coalesce" | "or", _) => self.first_set(&arguments.iter().collect::<Vec<_>>(), turn),
            ("ternary", [yes, no, condition]) => value(if self.truth(condition, turn)? { yes } else { no }),
            ("quote" | "squote" | "toString", [one]) => match value(one)? {
                Value::String(text) => Some(Value::String(text)),
                value @ (Value::Number(_) | Value::Bool(_)) => Some(Value::from(value.to_string())),
                Value::Null | Value::Array(_) | Value::Object(_) => None,
            },
            ("int" | "int64" | "required" | "trim" | "indent" | "nindent", [.., one]) => value(one),
            ("tpl", [one, _]) => value(one),
            (
                "toYaml" | "toJson" | "toPrettyJson" | "toRawJson" | "mustToYaml" | "mustToJson" | "mustToRawJson",
                [one],
            ) => value(one),
            ("list" | "tuple", _) => {
                let items = arguments.iter().map(|one| self.part(one, turn));
                items.collect::<Option<Vec<_>>>().map(Value::from)
            }
            ("dict", _) => {
                let pairs = arguments.chunks(2).map(|pair| match pair {
                    [Expression::Text(key), one] => Some((key.clone(), self.part(one, turn)?)),
                    _ => None,
                });
                pairs.collect::<Option<Map<_, _>>>().map(Value::from)
            }
            ("print", _) => self.joined(arguments.iter(), turn).map(Value::from),
            ("printf", [Expression::Text(format), values @ ..]) => {
                let (mut pieces, mut values) = (format.split('%'), values.iter());
                let mut text = pieces.next().unwrap_or_default().to_owned();
                for piece in pieces {
                    text.push_str(&self.joined(values.next().into_iter(), turn)?);
                    text.push_str(piece.strip_prefix(['s', 'v', 'd'])?);
                }
                Some(Value::from(text))
            }
            ("index", [collection, keys @ ..]) => {
                keys.iter().try_fold(value(collection)?, |inner, key| at_key(&inner, &value(key)?))
            }
            ("get", [map, key]) => at_key(&value(map)?, &value(key)?),
            ("include" | "template", [Expression::Text(name), rest @ ..]) => self.printed_by(name, rest.first(), turn),
            _ => None,
        }
    }

    /// Returns a value as a part of another one.
    fn part(&self, one: &Expression, turn: Turn) -> Option<Value> {
        let unknown = || match self.is_missing(one) {
            true => turn.texts.placeholder(MISSING),
            false => turn.texts.open(),
        };
        self.value(one, turn).or_else(unknown)
    }

    /// Returns these values, one behind the other, if they are scalars.
    fn joined<'x>(&self, mut values: impl Iterator<Item = &'x Expression>, turn: Turn) -> Option<String> {
        values.try_fold(String::new(), |text, one| {
            let value = self.value(one, turn)?;
            let is_scalar = value.is_string() || value.is_number() || value.is_boolean();
            is_scalar.then(|| text + &value.as_str().map_or_else(|| value.to_string(), str::to_owned))
        })
    }

    /// Returns the first of these values that is set, else the last.
    fn first_set(&self, values: &[&Expression], turn: Turn) -> Option<Value> {
        let (last, before) = values.split_last()?;
        let set = before.iter().find_map(|one| self.value(one, turn).filter(|value| !is_empty(value)));
        set.or_else(|| self.value(last, turn))
    }

    /// Returns whether a condition holds by default; what is assumed in the reading counts first.
    fn truth(&self, condition: &Expression, turn: Turn) -> Option<bool> {
        let truth = |one: &Expression| self.truth(one, turn);
        let by_default = || match condition {
            Expression::Call(function, arguments) => match (function.as_str(), arguments.as_slice()) {
                ("not" | "empty", [one]) => truth(one).map(|truth| !truth),
                ("and", all) => all.iter().map(truth).try_fold(true, |all, one| Some(all && one?)),
                ("or", any) => any.iter().map(truth).try_fold(false, |any, one| Some(any || one?)),
                ("eq", [one, other]) => Some(self.value(one, turn)? == self.value(other, turn)?),
                ("ne", [one, other]) => Some(self.value(one, turn)? != self.value(other, turn)?),
                ("typeIs" | "kindIs", [Expression::Text(name), one]) if name == "string" => {
                    self.value(one, turn).map(|value| value.is_string())
                }
                ("contains", [Expression::Text(part), one]) => {
                    self.value(one, turn).map(|value| value.to_string().contains(part))
                }
                _ => self.value(condition, turn).map(|value| !is_empty(&value)),
            },
            Expression::Path(_) if self.is_missing(condition) => Some(false),
            _ => self.value(condition, turn).map(|value| !is_empty(&value)),
        };
        self.judge.truth(condition).or_else(by_default)
    }

    /// Returns what a definition prints: a mapping or list if that is all, else a text. One that nothing defines, as that of a library which is
    /// not beside the chart, prints its argument `value`, if it has one: that is what such definitions are for.
    fn printed_by(&self, name: &str, argument: Option<&Expression>, turn: Turn) -> Option<Value> {
        let levels = turn.levels.checked_sub(1)?;
        let turn = Turn { levels, ..turn };
        let Some(part) = self.environment().defines.get(name) else {
            let Some(Expression::Call(function, pairs)) = argument else { return None };
            let value = pairs.chunks(2).find(|pair| matches!(pair, [Expression::Text(key), _] if key == "value"));
            return self.value(value.filter(|_| function == "dict")?.last()?, turn);
        };
        let mut scope = Scope::new(argument.cloned().unwrap_or(Expression::word("nil")));
        let mut printed = Printed::default();
        self.body(part, part.nodes(), &mut scope, turn, &mut printed)?;
        printed.value()
    }

    fn body(&self, part: Part<'_>, nodes: &[Node], scope: &mut Scope, turn: Turn, into: &mut Printed) -> Option<()> {
        let actions = part.template.actions();
        for node in nodes {
            match node {
                Node::Literal(span) => into.add(&Value::from(span.of(part.template.text()))),
                Node::Action(index) => {
                    let action = &actions[*index];
                    let expression = match action.keyword {
                        Keyword::Print | Keyword::Template => scope.bind(&action.pipeline),
                        Keyword::Comment => continue,
                        _ => return None,
                    };
                    if action.pipeline.binding == Binding::None {
                        let missing = || self.is_missing(&expression).then_some(Value::Null);
                        into.add(&self.value(&expression, turn).or_else(missing).or_else(|| turn.texts.open())?);
                    }
                }
                Node::Branching(block) => self.block(part, block, scope, turn, into)?,
            }
        }
        Some(())
    }

    /// Returns whether a branch of a block prints nothing.
    fn has_blank_branch(&self, part: Part<'_>, block: &Branching, scope: &Scope, turn: Turn) -> bool {
        block.branches.iter().any(|branch| {
            let mut printed = Printed::default();
            let is_known = self.body(part, &branch.body, &mut scope.clone(), turn, &mut printed).is_some();
            is_known && printed.is_blank()
        })
    }

    /// Prints the branch that is taken. Where nothing shows which one that is, it can be none.
    fn block(
        &self,
        part: Part<'_>,
        block: &Branching,
        scope: &mut Scope,
        turn: Turn,
        into: &mut Printed,
    ) -> Option<()> {
        let (length, dot, actions) = (scope.len(), scope.dot.clone(), part.template.actions());
        for branch in &block.branches {
            let action = &actions[branch.action];
            let is_taken = match action.keyword {
                Keyword::Else => Some(true),
                Keyword::If | Keyword::With => {
                    let condition = scope.bind(&action.pipeline);
                    if action.keyword == Keyword::With {
                        scope.dot = condition.clone();
                    }
                    self.truth(&condition, turn)
                }
                _ => return None,
            };
            match is_taken {
                Some(true) => self.body(part, &branch.body, scope, turn, into)?,
                Some(false) => {
                    scope.dot.clone_from(&dot);
                    continue;
                }
                None if is_total(block, actions) && !self.has_blank_branch(part, block, scope, turn) => return None,
                None => {}
            }
            break;
        }
        scope.truncate(length);
        scope.dot = dot;
        Some(())
    }
}

/// The functions that print their last argument, as text or YAML.
const PRINTING: [&str; 17] = [
    "default",
    "indent",
    "int",
    "int64",
    "mustToJson",
    "mustToRawJson",
    "mustToYaml",
    "nindent",
    "quote",
    "required",
    "squote",
    "toJson",
    "toPrettyJson",
    "toRawJson",
    "toString",
    "toYaml",
    "trim",
];

/// What a definition printed so far.
#[derive(Default)]
struct Printed {
    text: String,
    /// A mapping or list, which cannot be a part of a text.
    whole: Option<Value>,
    is_mixed: bool,
}

impl Printed {
    fn add(&mut self, value: &Value) {
        match value {
            Value::Null => {}
            Value::String(text) => self.text.push_str(text),
            Value::Bool(_) | Value::Number(_) => self.text.push_str(&value.to_string()),
            Value::Array(_) | Value::Object(_) => {
                self.is_mixed |= self.whole.is_some();
                self.whole = Some(value.clone());
            }
        }
    }

    fn is_blank(&self) -> bool {
        self.whole.is_none() && self.text.trim().is_empty()
    }

    fn value(self) -> Option<Value> {
        let is_alone = self.text.trim().is_empty() && !self.is_mixed;
        match self.whole {
            Some(whole) => is_alone.then_some(whole),
            None => Some(Value::from(self.text)),
        }
    }
}

fn is_total(block: &Branching, actions: &[Action]) -> bool {
    block.branches.last().is_some_and(|last| actions[last.action].keyword == Keyword::Else)
}

/// Returns the value that functions of texts and YAML print.
fn source(expression: &Expression) -> &Expression {
    let Expression::Call(function, arguments) = expression else { return expression };
    match (function.as_str(), arguments.as_slice()) {
        ("tpl", [value, _]) => source(value),
        (function, [.., value]) if PRINTING.contains(&function) => source(value),
        _ => expression,
    }
}

/// Returns the field of a value that a path such as `.a.b` names, null where there is none; `None` where a placeholder stands for it.
fn field_of(value: &Value, path: &str) -> Option<Value> {
    let mut keys = path.split('.').filter(|key| !key.is_empty());
    let known = |value: Value| (!is_of_action(&value)).then_some(value);
    keys.try_fold(known(value.clone())?, |value, key| known(value.get(key).cloned().unwrap_or_default()))
}

/// Returns the entry or item under a key, null where a mapping has none; `None` where that fails or a placeholder stands for it.
fn at_key(collection: &Value, key: &Value) -> Option<Value> {
    let found = match (collection, key) {
        (Value::Object(map), Value::String(key)) => map.get(key).cloned().unwrap_or_default(),
        (Value::Array(items), Value::Number(at)) => items.get(usize::try_from(at.as_u64()?).ok()?).cloned()?,
        _ => return None,
    };
    (!is_of_action(&found)).then_some(found)
}

/// Returns the paths in an expression.
fn paths_in(expression: &Expression) -> Vec<&Expression> {
    match expression {
        Expression::Path(_) => vec![expression],
        Expression::Member(value, _) => paths_in(value),
        Expression::Call(_, arguments) => arguments.iter().flat_map(paths_in).collect(),
        Expression::Text(_) | Expression::Word(_) => Vec::new(),
    }
}

/// Returns the numbers of the ranges whose items an expression has.
fn ranges_in(expression: &Expression) -> BTreeSet<usize> {
    let range = |path: &Expression| match path {
        Expression::Path(path) => Some(range_of(path.strip_prefix('#')?)?.0),
        _ => None,
    };
    paths_in(expression).into_iter().filter_map(range).collect()
}

/// Returns the number of the range in the name of an item, and what of the item is meant: `key`, or its fields.
fn range_of(item: &str) -> Option<(usize, &str)> {
    let end = item.find(|one: char| !one.is_ascii_digit()).unwrap_or(item.len());
    let (number, rest) = item.split_at(end);
    Some((number.parse().ok()?, rest)).filter(|(_, rest)| rest.is_empty() || *rest == "key" || rest.starts_with('.'))
}
