//! Answers: what are definitions called with where the users of a chart set nothing?
//!
//! Invariant: what is not known of an argument is a placeholder in it.

use std::collections::BTreeMap;

use serde_json::Value;

use super::changes::calls;
use super::default_value::Defaults;
use super::description::Ranges;
use super::environment::Environment;
use super::expression::Expression;
use super::functions::UNKNOWN;
use super::judge::Judge;
use super::lex::Keyword;
use super::scope::Scope;
use super::tree::{Node, Part, Template};

/// How many arguments of one definition are looked at.
const MOST: usize = 16;

/// How many definitions are looked into that call each other.
const LEVELS: usize = 4;

/// The arguments that templates make for definitions, by the names of these.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arguments(BTreeMap<String, Vec<Value>>);

impl Arguments {
    /// Returns what `templates` call definitions with. What a definition calls others with can depend on what it is called with itself.
    pub fn of<'t>(templates: impl IntoIterator<Item = &'t Template>, environment: Environment<'_>) -> Self {
        let parts: Vec<Part<'_>> = templates.into_iter().flat_map(Template::parts).collect();
        let mut known = Self::default();
        for _ in 0..LEVELS {
            let mut found = BTreeMap::new();
            for part in &parts {
                let arguments = part.name().and_then(|name| known.get(name));
                let judge = Judge::new(Environment { arguments, ..environment });
                let mut all = Collector { judge, ranges: Ranges::new(), found };
                all.nodes(*part, part.nodes(), &mut Scope::new(Expression::Path("$".to_owned())));
                found = all.found;
            }
            if known.0 == found {
                break;
            }
            known = Self(found);
        }
        known
    }

    /// Returns those of the definition of `name`.
    pub fn get(&self, name: &str) -> Option<&[Value]> {
        self.0.get(name).map(Vec::as_slice)
    }
}

struct Collector<'e> {
    judge: Judge<'e>,
    ranges: Ranges,
    found: BTreeMap<String, Vec<Value>>,
}

impl Collector<'_> {
    fn nodes(&mut self, part: Part<'_>, nodes: &[Node], scope: &mut Scope) {
        let actions = part.template.actions();
        for node in nodes {
            match node {
                Node::Literal(_) => {}
                Node::Action(index) => {
                    let value = scope.bind(&actions[*index].pipeline);
                    self.add(&value);
                }
                Node::Branching(block) => {
                    let (before, length) = (scope.clone(), scope.len());
                    for branch in &block.branches {
                        let action = &actions[branch.action];
                        let mut inside = before.clone();
                        if action.keyword == Keyword::Range {
                            self.ranges.insert(block.number, inside.resolve(&action.pipeline.value));
                            inside.enter_item(block.number, &action.pipeline.variables);
                        } else {
                            let value = inside.bind(&action.pipeline);
                            self.add(&value);
                            if action.keyword == Keyword::With {
                                inside.dot = value;
                            }
                        }
                        self.nodes(part, &branch.body, &mut inside);
                        inside.truncate(length);
                        scope.join(&inside);
                    }
                }
            }
        }
    }

    /// Takes in the arguments that are made in the resolved `value`.
    fn add(&mut self, value: &Expression) {
        for (name, argument) in calls(value) {
            let Some(made) = argument.and_then(|argument| self.made(argument)) else { continue };
            let all = self.found.entry(name.to_owned()).or_default();
            for one in made {
                if !all.contains(&one) {
                    all.push(one);
                }
            }
            // What is not known of one says that not all are.
            all.sort_by_key(|one| one.as_str() != Some(UNKNOWN));
            all.truncate(MOST);
        }
    }

    /// Returns what an argument can be, a placeholder where that is not known; nothing for all that a template has itself, or a constant.
    fn made(&self, argument: &Expression) -> Option<Vec<Value>> {
        let is_in_definition = self.judge.environment.arguments.is_some();
        let defaults = Defaults::new(&self.judge, &self.ranges);
        let known = |one: &Expression| {
            self.judge.refuel();
            defaults.arguments(one)
        };
        let unknown = || vec![Value::from(UNKNOWN)];
        match argument {
            // What a definition is called with can be passed on.
            Expression::Path(path) if path == "$" => known(argument).filter(|_| is_in_definition),
            Expression::Path(path) if path.contains(".Values.") || path.starts_with('#') => {
                known(argument).or_else(|| (!defaults.is_missing(argument)).then(unknown))
            }
            Expression::Path(_) => known(argument).filter(|_| is_in_definition),
            Expression::Call(..) => {
                known(argument).or_else(|| known(&without_whole(argument))).or_else(|| Some(unknown()))
            }
            Expression::Text(_) | Expression::Word(_) | Expression::Data(_) | Expression::Member(..) => None,
        }
    }
}

/// Returns what is merged with all that a template has without that: it has none of the names that mappings for definitions do.
fn without_whole(value: &Expression) -> Expression {
    let Expression::Call(function, arguments) = value else { return value.clone() };
    let is_whole = |one: &&Expression| matches!(one, Expression::Path(path) if path == "$");
    let own: Vec<Expression> = arguments.iter().filter(|one| !is_whole(one)).map(without_whole).collect();
    match function.as_str() {
        "set" | "mustSet" if own.len() < arguments.len() => Expression::call("dict", own),
        "deepCopy" if own.is_empty() => Expression::call("dict", own),
        _ if function.to_lowercase().contains("merge") => Expression::Call(function.clone(), own),
        _ => Expression::Call(function.clone(), arguments.iter().map(without_whole).collect()),
    }
}
