//! Answers: what does an action print where the users of a chart set nothing?
//!
//! In a range, what is printed can differ from turn to turn: there is one value for each item that the chart has by default.
//!
//! Invariant: what the values of the chart do not show is not known, but for whether something is printed at all; an unknown part of a value
//! is a placeholder in it.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::changes::change_called;
use super::description::{Around, Decided, Description, Ranges};
use super::environment::Environment;
use super::expression::{Binding, Expression};
use super::functions::{LARGEST, UNKNOWN, apply, is_empty, text_of};
use super::judge::{Judge, Resolved};
use super::lex::{Action, Keyword};
use super::scope::{EITHER, Scope};
use super::tree::{Branch, Branching, Node, Part, Template};
use super::written_yaml::{read_placed, sorted, write_yaml};
use crate::syntax::variable::{ACTION, is_of_action};

/// How many definitions are looked into inside each other.
const LEVELS: u32 = 8;

/// In how many ways conditions in definitions are decided otherwise.
const MOST_BRANCHES: usize = 12;

/// How many items of a list are looked at.
const MOST_ITEMS: usize = 16;

/// What Helm itself sets.
const GIVEN: [&str; 5] = ["Capabilities", "Chart", "Files", "Release", "Template"];

/// Returns the value in the defaults of a chart that a path such as `$.Values.service.port` names.
pub(super) fn value_at<'v>(values: &'v Value, path: &str) -> Option<&'v Value> {
    let path = path.strip_prefix('$').unwrap_or(path).strip_prefix(".Values")?;
    let keys = path.split('.');
    (path.is_empty() || path.starts_with('.')).then(|| keys.skip(1).try_fold(values, |value, key| value.get(key)))?
}

/// The items that a range takes, each with its key.
type Items = Rc<[(Value, Value)]>;

/// What is printed by default in a reading.
pub(super) struct Defaults<'d, 'e> {
    /// What the reading assumes.
    judge: &'d Judge<'e>,
    ranges: &'d Ranges,
    /// What ranges take, by their numbers and the levels that are left: each turn asks again.
    items: RefCell<BTreeMap<(usize, u32), Items>>,
    /// Whether something is assumed against the values of the chart: what they have for that is not what is printed then.
    is_otherwise: bool,
    /// How conditions in definitions about what users set are by default, but for what is assumed, by their texts.
    decided: RefCell<Decided>,
}

/// Where something is printed.
#[derive(Clone, Copy)]
struct Turn {
    /// The number of the item in the ranges around.
    at: usize,
    /// How many definitions can be looked into.
    levels: u32,
}

/// What stands for what the values of a chart do not have.
const MISSING: &str = "${REVERSION_ACTION_MISSING}";

impl<'d, 'e> Defaults<'d, 'e> {
    pub(super) fn new(judge: &'d Judge<'e>, ranges: &'d Ranges) -> Self {
        Self { judge, ranges, items: RefCell::default(), is_otherwise: false, decided: RefCell::default() }
    }

    /// Returns what is known of what is printed.
    pub(super) fn description(&self, printed: &Resolved, around: Around) -> Description {
        let expression = &printed.value;
        let by_default = match around {
            Around::Entries => self.entries_of(expression),
            Around::Quotes | Around::Nothing => self.scalars_of(expression, around),
        };
        let own = Description {
            by_default,
            decided: self.decided.take(),
            is_required: self.is_required(expression),
            is_missing: self.is_missing(expression),
            is_of_objects: self.is_of_objects(expression),
            key: self.key_of(expression),
            alternatives: Vec::new(),
            texts: None,
        };
        if around == Around::Entries { own } else { self.with_texts(printed, around, own) }
    }

    /// Returns a description with the texts that can be printed.
    fn with_texts(&self, printed: &Resolved, around: Around, own: Description) -> Description {
        let judge = self.judge;
        judge.refuel();
        let outputs = judge.once(&judge.known.outputs, &printed.text, self.ranges, || judge.outputs(&printed.value));
        let alternatives = || {
            // With what users set, an empty text stands for nothing.
            let texts = outputs.texts().filter(|text| !(outputs.open && text.is_empty()));
            texts.filter_map(|text| around.data_of(text)).collect()
        };
        let is_chosen = outputs.known().is_none() && (own.by_default.is_some() || !outputs.open);
        let data = |text: &str| if text.starts_with(['"', '\'']) { around.data_of(text) } else { None };
        let unquoted = |text: &str| match data(text) {
            Some(Value::String(data)) => data,
            _ => text.to_owned(),
        };
        Description {
            alternatives: if is_chosen { alternatives() } else { Vec::new() },
            texts: (!outputs.open).then(|| outputs.texts().map(unquoted).collect()),
            ..own
        }
    }

    /// Returns the data that is made of what is printed in each turn, if that is known; none where nothing is printed by default.
    fn scalars_of(&self, expression: &Expression, around: Around) -> Option<Vec<Value>> {
        let data = |value: Value| around.data_of(&text_of(&value));
        let is_known = |value: &Value| value.as_str().is_none_or(|text| !text.contains(ACTION));
        let values = self.in_turns(expression)?.into_iter().map(|value| data(value).filter(is_known));
        let values = values.collect::<Option<Vec<_>>>()?;
        (!values.iter().all(Value::is_null) || !self.is_missing(expression)).then_some(values)
    }

    /// Returns what an argument is in each turn, with placeholders for what is not known.
    pub(super) fn arguments(&self, made: &Expression) -> Option<Vec<Value>> {
        self.in_turns(made)
    }

    /// Returns what `nodes` print in a scope, if that is known.
    pub(super) fn printed_of_nodes(&self, part: Part<'_>, nodes: &[Node], scope: &mut Scope) -> Option<String> {
        let mut text = String::new();
        self.body(part, nodes, scope, Turn { at: 0, levels: LEVELS }, &mut text)?;
        Some(text)
    }

    fn in_turns(&self, expression: &Expression) -> Option<Vec<Value>> {
        let is_given = |path: &&Expression| matches!(path, Expression::Path(path) if self.is_of_argument(path));
        let calls = self.environment().arguments.filter(|_| paths_in(expression).iter().any(is_given));
        let turns = ranges_in(expression).into_iter().map(|range| Some(self.items(range, LEVELS)?.len()));
        let turns: Option<Vec<usize>> = turns.chain(calls.map(|calls| Some(calls.len()))).collect();
        let turns = turns?;
        if turns.contains(&0) {
            return Some(Vec::new());
        }
        let turns = (0..turns.into_iter().max().unwrap_or(1)).map(|at| Turn { at, levels: LEVELS });
        let possible = turns.filter(|turn| !paths_in(expression).into_iter().any(|path| self.contradicts(path, *turn)));
        possible.map(|turn| self.value(expression, turn)).collect()
    }

    /// Returns the entries or items that are printed in each turn, null for none.
    fn entries_of(&self, expression: &Expression) -> Option<Vec<Value>> {
        let as_entries = |value: Value| {
            let text = text_of(&value);
            // What else stands there than by default is not known then.
            if self.is_otherwise && text.lines().any(has_open_lines) {
                return None;
            }
            let entries = read_placed(&text)?;
            (entries.is_null() || entries.is_object() || entries.is_array()).then_some(entries)
        };
        match self.in_turns(expression) {
            Some(values) => values.into_iter().map(as_entries).collect(),
            None => self.is_missing(expression).then(|| vec![Value::Null]),
        }
    }

    /// Returns what else can be printed than the entries or items `by_default` where conditions in definitions are decided otherwise by what
    /// users set, as far as that is known: none holds, all do, or one is as it is not by default, with what is around it.
    pub(super) fn entries_in_branches(
        &self,
        expression: &Expression,
        by_default: &Value,
        decided: &Decided,
    ) -> Vec<Value> {
        let (mut found, mut seen) = (Vec::new(), decided.clone());
        let all = |holds| seen.values().map(|(condition, _)| (condition.clone(), holds)).collect();
        let together = [all(false), all(true)].into_iter().filter(|_| seen.len() > 1);
        let mut open: VecDeque<Vec<(Expression, bool)>> = together.collect();
        open.extend(seen.values().map(|(condition, holds)| vec![(condition.clone(), !holds)]));
        for _ in 0..MOST_BRANCHES {
            let Some(assumed) = open.pop_front() else { break };
            let mut judge = self.judge.clone();
            for (condition, holds) in &assumed {
                let mark = judge.mark();
                if !judge.assume(&Arc::new(condition.clone().into()), *holds) {
                    judge.forget(mark);
                }
            }
            judge.refuel();
            let other = Defaults { is_otherwise: true, ..Defaults::new(&judge, self.ranges) };
            let entries = other.entries_of(expression).into_iter().flatten();
            found.extend(entries.filter(|entries| entries != by_default));
            for (text, (condition, holds)) in other.decided.take() {
                if seen.insert(text, (condition.clone(), holds)).is_none() {
                    open.push_back(assumed.iter().cloned().chain([(condition, !holds)]).collect());
                }
            }
        }
        found
    }

    /// Returns the key in the values of the chart of what is printed, whole.
    fn key_of(&self, expression: &Expression) -> Option<String> {
        let Expression::Path(path) = source(expression) else { return None };
        self.of_chart(path)?;
        Some(path.split_once(".Values.")?.1.to_owned())
    }

    /// Returns whether users of the chart set what is printed, or what a definition is called with, and it has no default that is known.
    fn is_required(&self, expression: &Expression) -> bool {
        if let Some((default, set)) = with_default(expression) {
            let is_computed = || self.in_turns(set).is_some() || self.is_missing(set);
            return self.is_required(set) && (is_nothing(default) || self.is_required(default) || !is_computed());
        }
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

    /// Returns whether what is printed is made of values of the chart that are empty where users set nothing, or whole objects.
    fn is_of_objects(&self, expression: &Expression) -> bool {
        let of_values = |path: &Expression| {
            let Expression::Path(path) = path else { return None };
            if let Some((range, _)) = path.strip_prefix('#').and_then(range_of) {
                return self.ranges.get(&range).map(|items| self.is_of_objects(items));
            }
            let is_one = |value: &Value| is_empty(value) == Some(true) || are_objects(value);
            path.contains(".Values.").then(|| self.of_chart(path).is_none_or(is_one))
        };
        let mut of_values = paths_in(expression).into_iter().filter_map(of_values).peekable();
        of_values.peek().is_some() && of_values.all(|is_one| is_one)
    }

    /// Returns whether users of some chart set what is printed, and nothing shows a default of it.
    pub(super) fn is_missing(&self, expression: &Expression) -> bool {
        if let Some((default, set)) = with_default(expression) {
            return self.is_missing(set) && (is_nothing(default) || self.is_missing(default));
        }
        if let Some(printed) = printed_of(expression) {
            return self.is_missing(printed);
        }
        let Expression::Path(path) = expression else { return false };
        let is_unset = match path.contains(".Values.") {
            true => self.of_chart(path).is_none() && !self.is_changed(path),
            false => self.is_of_argument(path) && self.is_unset_argument(&path[1..]),
        };
        is_unset && self.judge.truth(expression) != Some(true)
    }

    /// Returns whether a definition is called with something at `path` that the values of the chart do not have.
    fn is_unset_argument(&self, path: &str) -> bool {
        let is_it = |call: &Value| {
            let given = path.split('.').skip(1).try_fold(call, |value, key| value.get(key));
            given.and_then(Value::as_str) == Some(MISSING)
        };
        self.environment().arguments.is_some_and(|calls| calls.iter().any(is_it))
    }

    /// Returns the value in the defaults of the chart that a path names, whatever its `.Values` are below.
    fn of_chart(&self, path: &str) -> Option<&Value> {
        let values = path.find(".Values").filter(|_| !path.starts_with('#'))?;
        value_at(self.environment().chart_values?, &path[values..]).filter(|value| !is_of_action(value))
    }

    /// Returns whether a template of the chart can change the value that a path names.
    fn is_changed(&self, path: &str) -> bool {
        let values = path.find(".Values").map_or("", |start| &path[start..]);
        let Some(all) = self.environment().chart_values else { return false };
        let ends = values.match_indices('.').skip(1).map(|(end, _)| end).chain([values.len()]);
        ends.filter_map(|end| value_at(all, &values[..end])).any(is_of_action)
    }

    /// Returns whether a path names something in what a definition is called with.
    fn is_of_argument(&self, path: &str) -> bool {
        let is_of_whole = path == "$" || path.starts_with("$.");
        self.environment().arguments.is_some() && is_of_whole && !path.contains(".Values")
    }

    /// Returns the value that a path names in what a definition is called with.
    fn of_argument(&self, path: &str, turn: Turn) -> Option<&Value> {
        let calls = self.environment().arguments.filter(|_| self.is_of_argument(path))?;
        field_of(calls.get(turn.at).or(calls.last())?, &path[1..])
    }

    /// Returns whether a path has a default that cannot be what is assumed of it.
    fn contradicts(&self, path: &Expression, turn: Turn) -> bool {
        let truth = || self.judge.truth(path);
        let Expression::Path(name) = path else { return false };
        let is_empty = self.judge.spend().then(|| self.field(name, turn, is_empty)).flatten().flatten();
        is_empty.is_some_and(|is_empty| truth() == Some(is_empty))
    }

    fn environment(&self) -> Environment<'_> {
        self.judge.environment
    }

    /// Returns the items that a range takes by default.
    fn items(&self, range: usize, levels: u32) -> Option<Items> {
        if let Some(known) = self.items.borrow().get(&(range, levels)) {
            return Some(Rc::clone(known));
        }
        let items = self.items_by_default(range, levels)?;
        self.items.borrow_mut().insert((range, levels), Rc::clone(&items));
        Some(items)
    }

    fn items_by_default(&self, range: usize, levels: u32) -> Option<Items> {
        let collection = self.ranges.get(&range);
        self.judge.record_asked(|asked| {
            asked.ranges.insert(range, collection.cloned());
        });
        let collection = collection?;
        let outer: Option<Vec<usize>> = ranges_in(collection)
            .into_iter()
            .filter(|_| levels > 0)
            .map(|range| Some(self.items(range, levels - 1)?.len()))
            .collect();
        let turns = outer?.into_iter().max().unwrap_or(1);
        let mut items = Vec::new();
        for at in 0..turns {
            let left = MOST_ITEMS - items.len();
            items.extend(items_of(&self.argument(collection, Turn { at, levels })?)?.take(left));
        }
        Some(items.into())
    }

    /// Returns the value of an expression, if that is known.
    fn value(&self, expression: &Expression, turn: Turn) -> Option<Value> {
        if !self.judge.spend() {
            return None;
        }
        match expression {
            Expression::Text(text) => Some(Value::from(text.as_str())),
            Expression::Word(word) => match word.as_str() {
                "true" | "false" => Some(Value::from(word == "true")),
                "nil" => Some(Value::Null),
                word => word.parse::<i64>().map(Value::from).or_else(|_| word.parse::<f64>().map(Value::from)).ok(),
            },
            Expression::Path(_) if self.is_otherwise && self.contradicts(expression, turn) => None,
            Expression::Path(path) => self.field(path, turn, Value::clone),
            Expression::Data(value) => Some(value.clone()),
            Expression::Call(function, arguments) => self.call(expression, function, arguments, turn),
            Expression::Member(value, path) => field_of(&self.value(value, turn)?, path).cloned(),
        }
    }

    /// Returns the value of an expression, null for what the chart does not have.
    fn argument(&self, one: &Expression, turn: Turn) -> Option<Value> {
        self.value(one, turn).or_else(|| self.is_missing(one).then_some(Value::Null))
    }

    /// Makes something of the value that a path names.
    fn field<T>(&self, path: &str, turn: Turn, make: impl FnOnce(&Value) -> T) -> Option<T> {
        let Some(item) = path.strip_prefix('#') else {
            return self.of_argument(path, turn).or_else(|| self.of_chart(path)).map(make);
        };
        let (range, rest) = range_of(item)?;
        let items = self.items(range, turn.levels.checked_sub(1)?)?;
        let (key, item) = items.get(turn.at).or(items.last())?;
        match rest {
            "key" => Some(make(key)),
            rest => field_of(item, rest).map(make),
        }
    }

    fn call(&self, whole: &Expression, function: &str, arguments: &[Expression], turn: Turn) -> Option<Value> {
        let value = |one: &Expression| self.value(one, turn);
        match (function, arguments) {
            ("default", [default, set]) => self.first_set(&[set, default], turn),
            ("coalesce" | "or", _) => self.first_set(&arguments.iter().collect::<Vec<_>>(), turn),
            ("and", [first @ .., last]) => {
                let mut before = first.iter();
                let unset = before.find_map(|one| match self.truth(one, turn) {
                    Some(true) => None,
                    found => Some(found.and_then(|_| self.argument(one, turn))),
                });
                unset.unwrap_or_else(|| self.argument(last, turn))
            }
            ("ternary", [yes, no, condition]) => value(if self.decide(condition, turn)? { yes } else { no }),
            ("required", [_, one]) => value(one),
            ("index", [collection, keys @ ..]) => {
                keys.iter().try_fold(self.argument(collection, turn)?, |inner, key| at_key(&inner, &value(key)?))
            }
            ("tpl", [text, context]) => self.printed_of_text(&self.argument(text, turn)?, context, turn),
            ("include" | "template", [name, rest @ ..]) => {
                self.printed_by(self.argument(name, turn)?.as_str()?, rest.first(), turn)
            }
            (EITHER, [first, others @ ..]) => {
                let first = self.argument(first, turn)?;
                let is_same = |one: &Expression| self.argument(one, turn).as_ref() == Some(&first);
                others.iter().all(is_same).then_some(first)
            }
            ("semverCompare", _) => self.judge.truth(whole).map(Value::from),
            _ if function.ends_with(".Has") => self.judge.truth(whole).map(Value::from),
            ("dict" | "list" | "tuple", _) => {
                apply(function, &arguments.iter().map(|one| self.part(one, turn)).collect::<Vec<_>>())
            }
            ("set" | "append" | "prepend", [into, rest @ ..]) => {
                let rest = rest.iter().map(|one| self.part(one, turn));
                apply(function, &std::iter::once(self.base(into, turn)?).chain(rest).collect::<Vec<_>>())
            }
            ("merge" | "mergeOverwrite" | "mustMerge" | "mustMergeOverwrite" | "unset", [into, rest @ ..]) => {
                let rest = rest.iter().map(|one| self.argument(one, turn));
                let all = std::iter::once(self.base(into, turn)).chain(rest).map(|one| {
                    // What is not set has no entries.
                    one.map(|one| if one.is_null() { Value::Object(Map::new()) } else { one })
                });
                apply(function, &all.collect::<Option<Vec<_>>>()?)
            }
            _ => {
                let arguments = arguments.iter().map(|one| self.argument(one, turn));
                apply(function, &arguments.collect::<Option<Vec<_>>>()?)
            }
        }
    }

    /// Returns what a function changes, as it is before that.
    fn base(&self, one: &Expression, turn: Turn) -> Option<Value> {
        let values = |path: &str| path.find(".Values").map(|start| path[start..].to_owned());
        let unchanged = match one {
            Expression::Path(path) => values(path).and_then(|path| value_at(self.environment().unchanged?, &path)),
            _ => None,
        };
        unchanged.cloned().or_else(|| self.argument(one, turn))
    }

    /// Returns a value as a part of another one.
    fn part(&self, one: &Expression, turn: Turn) -> Value {
        let unknown = || Value::from(if self.is_missing(one) { MISSING } else { UNKNOWN });
        self.value(one, turn).unwrap_or_else(unknown)
    }

    /// Returns the first of these values that is set, else the last.
    fn first_set(&self, values: &[&Expression], turn: Turn) -> Option<Value> {
        let (last, before) = values.split_last()?;
        for one in before {
            if self.truth(one, turn)? {
                return self.value(one, turn);
            }
        }
        self.argument(last, turn)
    }

    /// Decides about the condition of a block.
    fn decide(&self, condition: &Expression, turn: Turn) -> Option<bool> {
        if let Some(truth) = self.judge.truth(condition) {
            return Some(truth);
        }
        let truth = self.truth(condition, turn);
        let is_set = |path: &Expression| matches!(path, Expression::Path(path) if path.contains(".Values"));
        if paths_in(condition).into_iter().any(is_set) {
            self.decided.borrow_mut().insert(condition.to_string(), (condition.clone(), truth.unwrap_or(false)));
        }
        truth
    }

    /// Returns whether a condition holds by default; what is assumed in the reading counts first.
    fn truth(&self, condition: &Expression, turn: Turn) -> Option<bool> {
        if let Some(truth) = self.judge.truth(condition) {
            return Some(truth);
        }
        let all = |conditions: &[Expression], expected: bool| {
            let truths: Vec<_> = conditions.iter().map(|one| self.truth(one, turn)).collect();
            let is_apart = truths.contains(&Some(!expected));
            (is_apart || !truths.contains(&None)).then_some(!is_apart)
        };
        match condition {
            Expression::Call(function, arguments) => match (function.as_str(), arguments.as_slice()) {
                ("not" | "empty", [one]) => self.truth(one, turn).map(|truth| !truth),
                ("and", conditions) => all(conditions, true),
                ("or", conditions) => all(conditions, false).map(|none| !none),
                _ => is_empty(&self.value(condition, turn)?).map(|is_empty| !is_empty),
            },
            _ => is_empty(&self.argument(condition, turn)?).map(|is_empty| !is_empty),
        }
    }

    /// Returns what a definition prints. One that nothing defines, as that of a library which is not beside the chart, prints its argument
    /// `value`, if it has one: that is what such definitions are for.
    fn printed_by(&self, name: &str, argument: Option<&Expression>, turn: Turn) -> Option<Value> {
        let levels = turn.levels.checked_sub(1)?;
        let turn = Turn { levels, ..turn };
        let given = argument.cloned().unwrap_or(Expression::word("nil"));
        if let Some(part) = self.environment().defines.get(name) {
            return self.printed_in(part, given, turn);
        }
        let Expression::Call(function, pairs) = &given else { return None };
        let of_key = |name: &str| {
            let is_it = |pair: &&[Expression]| matches!(pair, [Expression::Text(key), _] if key == name);
            pairs.chunks(2).find(is_it).filter(|_| function == "dict").and_then(<[_]>::last)
        };
        match self.argument(of_key("value")?, turn)? {
            text @ Value::String(_) => self.printed_of_text(&text, of_key("context").unwrap_or(&given), turn),
            value => Some(Value::from(write_yaml(&value))),
        }
    }

    /// Returns what a text prints that is a template.
    fn printed_of_text(&self, text: &Value, context: &Expression, turn: Turn) -> Option<Value> {
        let text = text_of(text);
        if !text.contains("{{") {
            return Some(Value::from(text));
        }
        let turn = Turn { levels: turn.levels.checked_sub(1)?, ..turn };
        let template = Template::parse(text).ok()?;
        self.printed_in(template.part(0)?, context.clone(), turn)
    }

    fn printed_in(&self, part: Part<'_>, given: Expression, turn: Turn) -> Option<Value> {
        let mut text = String::new();
        self.body(part, part.nodes(), &mut Scope::new(given), turn, &mut text)?;
        Some(Value::from(text))
    }

    fn body(&self, part: Part<'_>, nodes: &[Node], scope: &mut Scope, turn: Turn, into: &mut String) -> Option<()> {
        let actions = part.template.actions();
        for node in nodes {
            if into.len() > LARGEST {
                return None;
            }
            match node {
                Node::Literal(span) => into.push_str(span.of(part.template.text())),
                Node::Action(index) => {
                    let action = &actions[*index];
                    let expression = match action.keyword {
                        Keyword::Print | Keyword::Template => self.bind(scope, action),
                        Keyword::Comment => continue,
                        _ => return None,
                    };
                    if action.pipeline.binding == Binding::None {
                        let value = self.argument(&expression, turn);
                        into.push_str(&value.map_or_else(|| UNKNOWN.to_owned(), |value| text_of(&value)));
                    }
                }
                Node::Branching(block) => self.block(part, block, scope, turn, into)?,
            }
        }
        Some(())
    }

    /// Resolves the value of an action, and takes in what it binds and changes.
    fn bind(&self, scope: &mut Scope, action: &Action) -> Expression {
        let value = scope.bind(&action.pipeline);
        change_called(scope, &value, self.environment().defines);
        value
    }

    /// Returns whether a branch of a block prints nothing.
    fn has_blank_branch(&self, part: Part<'_>, block: &Branching, scope: &Scope, turn: Turn) -> bool {
        block.branches.iter().any(|branch| {
            let mut printed = String::new();
            let is_known = self.body(part, &branch.body, &mut scope.clone(), turn, &mut printed).is_some();
            is_known && printed.trim().is_empty()
        })
    }

    /// Prints the branch that is taken. Where nothing shows which one that is, it can be none.
    fn block(&self, part: Part<'_>, block: &Branching, scope: &mut Scope, turn: Turn, into: &mut String) -> Option<()> {
        let (length, dot, actions) = (scope.len(), scope.dot.clone(), part.template.actions());
        for branch in &block.branches {
            let action = &actions[branch.action];
            let is_taken = match action.keyword {
                Keyword::Else => Some(true),
                Keyword::If | Keyword::With => {
                    let condition = self.bind(scope, action);
                    if action.keyword == Keyword::With {
                        scope.dot = condition.clone();
                    }
                    self.decide(&condition, turn)
                }
                Keyword::Range => {
                    if self.range(part, branch, scope, turn, into)? {
                        break;
                    }
                    Some(false)
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

    /// Prints all turns of a range; returns whether there are some.
    fn range(&self, part: Part<'_>, branch: &Branch, scope: &mut Scope, turn: Turn, into: &mut String) -> Option<bool> {
        let pipeline = &part.template.actions()[branch.action].pipeline;
        let collection = self.argument(&scope.resolve(&pipeline.value), turn)?;
        let (length, dot) = (scope.len(), scope.dot.clone());
        let mut has_items = false;
        for (key, item) in items_of(&collection)? {
            has_items = true;
            if !self.judge.spend() {
                return None;
            }
            scope.enter(&pipeline.variables, Expression::Data(key), Expression::Data(item));
            self.body(part, &branch.body, scope, turn, into)?;
            scope.truncate(length);
            scope.dot.clone_from(&dot);
        }
        Some(has_items)
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

/// Returns the value that functions of texts and YAML print.
fn source(expression: &Expression) -> &Expression {
    printed_of(expression).map_or(expression, source)
}

/// Returns the value that a function of texts or YAML prints.
fn printed_of(expression: &Expression) -> Option<&Expression> {
    let Expression::Call(function, arguments) = expression else { return None };
    match (function.as_str(), arguments.as_slice()) {
        ("tpl", [value, _]) => Some(value),
        (function, [.., value]) if PRINTING.contains(&function) => Some(value),
        _ => None,
    }
}

/// Returns what is printed where a value is not set, and the value.
fn with_default(expression: &Expression) -> Option<(&Expression, &Expression)> {
    match expression {
        Expression::Call(function, arguments) if function == "default" => match arguments.as_slice() {
            [default, set] => Some((default, set)),
            _ => None,
        },
        _ => None,
    }
}

/// Returns whether an expression is written as an empty value.
fn is_nothing(expression: &Expression) -> bool {
    match expression {
        Expression::Text(text) => text.is_empty(),
        Expression::Word(word) => word == "nil",
        _ => false,
    }
}

/// Returns whether a placeholder stands for lines, and not for a scalar: alone, or glued to a key by `{{-` and `nindent`.
fn has_open_lines(line: &str) -> bool {
    let rest = line.rsplit_once(':').map_or(line.trim(), |(_, rest)| rest);
    is_of_action(&Value::from(rest))
}

/// Returns the items of a collection, each with its key, in the order in which a range takes them.
fn items_of(collection: &Value) -> Option<impl Iterator<Item = (Value, Value)>> {
    if is_of_action(collection) {
        return None;
    }
    let list = collection.as_array().into_iter().flatten().enumerate();
    let entries = collection.as_object().map(sorted).into_iter().flatten();
    let list = list.map(|(at, one)| (Value::from(at), one.clone()));
    Some(list.chain(entries.map(|(key, one)| (Value::from(key.as_str()), one.clone()))))
}

/// Returns the field of a value that a path such as `.a.b` names, null where there is none; `None` where a placeholder stands for it.
fn field_of<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    let mut keys = path.split('.').filter(|key| !key.is_empty());
    let found = keys.try_fold(value, |value, key| (!is_of_action(value)).then(|| &value[key]))?;
    (!is_of_action(found)).then_some(found)
}

/// Returns the paths in an expression.
pub(super) fn paths_in(expression: &Expression) -> Vec<&Expression> {
    match expression {
        Expression::Path(_) => vec![expression],
        Expression::Member(value, _) => paths_in(value),
        Expression::Call(_, arguments) => arguments.iter().flat_map(paths_in).collect(),
        Expression::Text(_) | Expression::Word(_) | Expression::Data(_) => Vec::new(),
    }
}

/// Returns whether a value is an object, or has nothing but objects in it; one can be a text.
fn are_objects(value: &Value) -> bool {
    match value {
        Value::Object(map) if map.contains_key("apiVersion") => true,
        Value::Object(map) => map.values().all(are_objects),
        Value::Array(items) => items.iter().all(are_objects),
        Value::String(text) => text.contains("apiVersion:"),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
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

/// Returns the entry or item under a key, null where a mapping has none; `None` where that fails or a placeholder stands for it.
fn at_key(collection: &Value, key: &Value) -> Option<Value> {
    let found = match (collection, key) {
        (Value::Object(map), Value::String(key)) => map.get(key).cloned().unwrap_or_default(),
        (Value::Array(items), Value::Number(at)) => items.get(usize::try_from(at.as_u64()?).ok()?).cloned()?,
        (Value::Null, _) => Value::Null,
        _ => return None,
    };
    (!is_of_action(&found)).then_some(found)
}

fn is_total(block: &Branching, actions: &[Action]) -> bool {
    block.branches.last().is_some_and(|last| actions[last.action].keyword == Keyword::Else)
}
