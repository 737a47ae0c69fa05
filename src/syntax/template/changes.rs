//! Answers: what do functions such as `set` change, in definitions that an action calls, and of the values of a chart?
//!
//! Invariant: what can be changed counts as changed, whatever conditions decide about it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::expression::Expression;
use super::lex::Keyword;
use super::scope::Scope;
use super::tree::{Defines, Node, Part, Template};
use crate::syntax::variable::ACTION;

/// How many definitions are looked into inside each other.
const LEVELS: u32 = 4;

/// Returns the names of the definitions that a value is made of, each with its argument.
pub(super) fn calls(value: &Expression) -> Vec<(&str, Option<&Expression>)> {
    let (function, arguments) = match value {
        Expression::Call(function, arguments) => (function, arguments),
        Expression::Member(value, _) => return calls(value),
        _ => return Vec::new(),
    };
    let own = match (function.as_str(), arguments.as_slice()) {
        ("include" | "template", [Expression::Text(name), rest @ ..]) => Some((name.as_str(), rest.first())),
        _ => None,
    };
    own.into_iter().chain(arguments.iter().flat_map(calls)).collect()
}

/// Takes in what the definitions change that the resolved `value` is made of.
pub(super) fn change_called(scope: &mut Scope, value: &Expression, defines: &Defines) {
    change_in(scope, value, defines, LEVELS);
}

fn change_in(scope: &mut Scope, value: &Expression, defines: &Defines, levels: u32) {
    for (name, argument) in calls(value) {
        let Some(part) = defines.get(name).filter(|_| levels > 0 && defines.is_changing(name)) else { continue };
        let mut inside = Scope::new(argument.cloned().unwrap_or(Expression::word("nil")));
        run(&mut inside, part, part.nodes(), defines, levels - 1);
        scope.take_changes(&inside);
    }
}

/// Takes in what every action of `nodes` changes.
fn run(scope: &mut Scope, part: Part<'_>, nodes: &[Node], defines: &Defines, levels: u32) {
    let actions = part.template.actions();
    for node in nodes {
        match node {
            Node::Literal(_) => {}
            Node::Action(index) => {
                let value = scope.bind(&actions[*index].pipeline);
                change_in(scope, &value, defines, levels);
            }
            Node::Branching(block) => {
                let (length, dot) = (scope.len(), scope.dot.clone());
                for branch in &block.branches {
                    let action = &actions[branch.action];
                    if action.keyword == Keyword::Range {
                        scope.enter_item(block.number, &action.pipeline.variables);
                    } else {
                        let value = scope.bind(&action.pipeline);
                        change_in(scope, &value, defines, levels);
                        if action.keyword == Keyword::With {
                            scope.dot = value;
                        }
                    }
                    run(scope, part, &branch.body, defines, levels);
                    scope.dot.clone_from(&dot);
                }
                scope.truncate(length);
            }
        }
    }
}

/// The values of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Values {
    /// As templates read them: what one changes, it changes for all that are rendered later, so that it is not known.
    pub read: Value,
    /// As they are before that. What different actions change is not known even so.
    pub unchanged: Value,
}

/// What templates can change in the values of their chart: the keys of each place, and the calls that do.
#[derive(Clone, Debug, Default)]
pub struct Changes(BTreeMap<Vec<String>, BTreeSet<String>>);

impl Changes {
    /// Takes in what actions of a template can change.
    pub fn add(&mut self, template: &Template) {
        template.actions().iter().for_each(|action| self.collect(&action.pipeline.value));
    }

    fn collect(&mut self, value: &Expression) {
        let Expression::Call(_, arguments) = value else { return };
        arguments.iter().for_each(|argument| self.collect(argument));
        let Some((Expression::Path(path), key)) = value.changed() else { return };
        let Some(path) = path.strip_prefix('$').unwrap_or(path).strip_prefix(".Values") else { return };
        let path = path.split('.').skip(1).chain(key).map(str::to_owned).collect();
        self.0.entry(path).or_default().insert(value.to_string().replace('$', ""));
    }

    /// Returns the values that have these defaults.
    pub fn of(&self, defaults: &Value) -> Values {
        let mut all = Values { read: defaults.clone(), unchanged: defaults.clone() };
        for (path, by) in &self.0 {
            hide(&mut all.read, path);
            if by.len() > 1 {
                hide(&mut all.unchanged, path);
            }
        }
        all
    }
}

/// Makes a value unknown.
fn hide(values: &mut Value, path: &[String]) {
    let hidden = || Value::from(format!("{ACTION}CHANGED}}"));
    let Some((last, before)) = path.split_last() else {
        *values = hidden();
        return;
    };
    if let Some(Value::Object(map)) = before.iter().try_fold(values, |value, key| value.get_mut(key)) {
        map.insert(last.clone(), hidden());
    }
}

/// How the paths of the files begin that actions of a template read; an empty text where that can be any.
pub fn files_read(template: &Template) -> Vec<String> {
    let mut starts = Vec::new();
    for action in template.actions() {
        collect_files(&action.pipeline.value, &mut starts);
    }
    // The paths of a pattern are what the files are read by, as it looks.
    if starts.iter().any(|(function, start)| *function == Reader::Pattern && !start.is_empty()) {
        starts.retain(|(function, _)| *function != Reader::Variable);
    }
    starts.into_iter().map(|(_, start)| start).collect()
}

/// By what a file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reader {
    Pattern,
    Path,
    Variable,
}

fn collect_files(value: &Expression, starts: &mut Vec<(Reader, String)>) {
    match value {
        Expression::Path(path) if path.ends_with(".Files") => starts.push((Reader::Path, String::new())),
        Expression::Call(function, arguments) => {
            if let Some((_, method)) = function.rsplit_once(".Files.") {
                let reader = match arguments.first() {
                    _ if method == "Glob" => Reader::Pattern,
                    Some(Expression::Path(path)) if !path[1..].contains('.') => Reader::Variable,
                    _ => Reader::Path,
                };
                starts.push((reader, arguments.first().map(start_of).unwrap_or_default()));
            }
            arguments.iter().for_each(|argument| collect_files(argument, starts));
        }
        Expression::Member(value, _) => collect_files(value, starts),
        Expression::Text(_) | Expression::Word(_) | Expression::Path(_) | Expression::Data(_) => {}
    }
}

/// Returns how a text begins, as far as that is known.
fn start_of(path: &Expression) -> String {
    match path {
        Expression::Text(text) => text.split(['*', '?', '[', '{', '%']).next().unwrap_or_default().to_owned(),
        Expression::Call(function, arguments) if matches!(function.as_str(), "print" | "printf") => {
            arguments.first().map(start_of).unwrap_or_default()
        }
        _ => String::new(),
    }
}
