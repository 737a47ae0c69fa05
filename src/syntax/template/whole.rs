//! Answers: does a range print each item as a document of its own, or an action a list as the items of a `kind: List`?
//!
//! They show that by what they print of samples: the samples.
//!
//! Invariant: where more is done with the items than that, as by a condition about what one has, it is neither.

use serde_json::{Value, json};

use super::default_value::{Defaults, paths_in};
use super::description::Ranges;
use super::environment::{Environment, Facts, KubeVersion};
use super::expression::{Binding, Expression};
use super::judge::Judge;
use super::lex::{Action, Keyword};
use super::scope::Scope;
use super::tree::{Branch, Defines, Node, Part, Template};
use super::written_yaml::write_yaml;
use crate::syntax::variable::Certainty;
use crate::syntax::yaml::read_documents;

/// The functions that can print an item as it is.
const PRINTING: [&str; 8] = ["dict", "include", "mustToYaml", "nindent", "template", "toYaml", "tpl", "trim"];

/// The functions that ask of an item what it is, or choose by that how it is printed.
const CHOOSING: [&str; 15] = [
    "and", "cat", "default", "empty", "eq", "indent", "kindIs", "kindOf", "merge", "ne", "not", "or", "ternary",
    "typeIs", "typeOf",
];

/// The functions of texts in which actions are looked for.
const TEXTS: [&str; 2] = ["toJson", "toYaml"];

/// What a definition must not look at that prints an item as it is.
const LOOKED_AT: [&str; 5] = [".Values", ".apiVersion", ".kind", ".metadata", ".spec"];

/// How many definitions are looked into that call each other.
const LEVELS: u32 = 4;

/// What is in the name of a value of the chart.
const VALUES: &str = ".Values";

/// Nothing is known of the cluster.
struct Unknown;

impl Facts for Unknown {
    fn has_api(&self, _: &str) -> Option<bool> {
        None
    }

    fn kube_version(&self) -> Option<KubeVersion> {
        None
    }
}

/// Returns whether the turns of a range print the items of what they go through, each as a document, and do nothing else with them.
pub(super) fn prints_items(defines: &Defines, part: Part<'_>, number: usize, branch: &Branch, scope: &Scope) -> bool {
    Printer { defines }.prints_items(part, number, branch, scope)
}

/// Returns the key of the values whose items an action prints as those of a `kind: List`, which is all that its file prints.
pub(super) fn prints_list(defines: &Defines, part: Part<'_>, value: &Expression) -> Option<String> {
    let mut paths = paths_in(value).into_iter().filter_map(|path| match path {
        Expression::Path(path) => path.strip_prefix("$.Values."),
        _ => None,
    });
    let key = paths.next().filter(|_| paths.next().is_none() && part.name().is_none())?;
    let text = part.template.text();
    let is_about_key =
        |action: &Action| action.is_comment() || action.content.of(text).contains(&format!(".Values.{key}"));
    if !value.pipe().all(|(function, _)| PRINTING.contains(&function)) || !part.actions().all(is_about_key) {
        return None;
    }
    let values = key.split('.').rev().fold(Value::from(samples()), |inner, key| json!({ key: inner }));
    let (judge, ranges) = (Judge::new(Environment { chart_values: Some(&values), ..unknown(defines) }), Ranges::new());
    let mut scope = Scope::new(Expression::Path("$".to_owned()));
    let printed = Defaults::new(&judge, &ranges).printed_of_nodes(part, part.nodes(), &mut scope)?;
    let list = json!({"apiVersion": "v1", "kind": "List", "items": samples()});
    (read_documents(&printed)? == [list]).then(|| key.to_owned())
}

/// Returns whether an action prints one text on every cluster and with all values.
pub fn is_constant(template: &Template, action: usize, defines: &Defines) -> bool {
    let value = Scope::new(Expression::Path("$".to_owned())).resolve(&template.actions()[action].pipeline.value);
    Judge::new(unknown(defines)).outputs(&value).known().is_some()
}

/// Returns the environment of which nothing is known.
fn unknown(defines: &Defines) -> Environment<'_> {
    Environment {
        defines,
        facts: &Unknown,
        values: None,
        chart_values: None,
        unchanged: None,
        arguments: None,
        defaults: Certainty::Default,
    }
}

struct Printer<'d> {
    defines: &'d Defines,
}

impl Printer<'_> {
    fn prints_items(&self, part: Part<'_>, number: usize, branch: &Branch, scope: &Scope) -> bool {
        let action = &part.template.actions()[branch.action];
        let mut inside = scope.clone();
        inside.enter_item(number, &action.pipeline.variables);
        if !self.looks_at_nothing(part, &branch.body, &mut inside, &format!("#{number}")) {
            return false;
        }
        let (judge, ranges) = (Judge::new(unknown(self.defines)), Ranges::new());
        let defaults = Defaults::new(&judge, &ranges);
        let samples = samples();
        let of_turn = |at: usize, item: Value| {
            judge.refuel();
            let mut inside = scope.clone();
            inside.enter(&action.pipeline.variables, Expression::Data(at.into()), Expression::Data(item));
            defaults.printed_of_nodes(part, &branch.body, &mut inside)
        };
        let literals = part.literals().into_iter().filter(|literal| literal.start < action.span.start);
        let is_blank = literals.map(|literal| literal.of(part.template.text())).all(|text| text.trim().is_empty());
        // What stands before a definition is not known.
        let is_first = is_blank && part.name().is_none();
        // Items can be objects, or texts with objects.
        [Value::clone, |sample: &Value| Value::from(write_yaml(sample))].iter().any(|item| {
            let turns = samples.iter().enumerate().map(|(at, sample)| of_turn(at, item(sample)));
            let Some(printed) = turns.collect::<Option<String>>() else { return false };
            (is_first || printed.trim_start().starts_with("---"))
                && read_documents(&printed).is_some_and(|all| all == samples)
        })
    }

    /// Returns whether what the `item` of a range has decides about nothing, and nothing else is printed beside it.
    fn looks_at_nothing(&self, part: Part<'_>, nodes: &[Node], scope: &mut Scope, item: &str) -> bool {
        let actions = part.template.actions();
        let is_item = |path: &Expression| matches!(path, Expression::Path(path) if path == item);
        nodes.iter().all(|node| match node {
            Node::Literal(span) => span.of(part.template.text()).split_whitespace().all(|word| word == "---"),
            Node::Action(index) if actions[*index].is_comment() => true,
            Node::Action(index) => {
                let Action { keyword, pipeline, .. } = &actions[*index];
                let value = scope.bind(pipeline);
                let is_print =
                    matches!(keyword, Keyword::Print | Keyword::Template) && pipeline.binding == Binding::None;
                is_print && self.is_plain(&value) && paths_in(&value).into_iter().any(is_item)
            }
            Node::Branching(block) => block.branches.iter().all(|branch| {
                let Action { keyword, pipeline, .. } = &actions[branch.action];
                let condition = scope.resolve(&pipeline.value);
                // A name stays, and what has none is no object.
                let is_known = |path: &Expression| {
                    let known = [item.to_owned(), format!("{item}key"), format!("{item}.metadata.name")];
                    matches!(path, Expression::Path(path) if known.contains(path))
                };
                let is_about_item = *keyword == Keyword::Else
                    || *keyword == Keyword::If
                        && is_choosing(&condition)
                        && paths_in(&condition).into_iter().all(is_known);
                is_about_item && self.looks_at_nothing(part, &branch.body, &mut scope.clone(), item)
            }),
        })
    }

    /// Returns whether a definition, or one that it calls, looks at a part of what an object has, or at other values.
    fn looks_at_parts(&self, name: &str, levels: u32) -> bool {
        let Some(part) = self.defines.get(name) else { return false };
        let text = part.template.text();
        levels == 0
            || part.actions().filter(|action| !action.is_comment() && action.keyword != Keyword::Else).any(|action| {
                !is_choosing(&action.pipeline.value)
                    || LOOKED_AT.iter().any(|part| action.content.of(text).contains(part))
                    || action.names_called(text).any(|name| self.looks_at_parts(name, levels - 1))
            })
    }

    /// Returns whether a value is made of an item by functions and definitions that print it as it is, whatever is in it.
    fn is_plain(&self, value: &Expression) -> bool {
        match value {
            Expression::Call(function, arguments) => {
                let is_plain_call = match (function.as_str(), arguments.as_slice()) {
                    ("include" | "template", [Expression::Text(name), ..]) => !self.looks_at_parts(name, LEVELS),
                    (function, _) => PRINTING.contains(&function),
                };
                is_plain_call && arguments.iter().all(|argument| self.is_plain(argument))
            }
            Expression::Path(path) => !path.contains(VALUES),
            Expression::Text(_) | Expression::Word(_) => true,
            Expression::Data(_) | Expression::Member(..) => false,
        }
    }
}

/// Returns whether a value asks nothing of an item but what it is, and whether there are actions in its text.
fn is_choosing(value: &Expression) -> bool {
    match value {
        Expression::Call(function, arguments) => match (function.as_str(), arguments.as_slice()) {
            ("contains", [Expression::Text(part), Expression::Call(text, item)]) => {
                part == "{{" && TEXTS.contains(&text.as_str()) && item.iter().all(is_choosing)
            }
            ("toJson" | "toYaml", _) | (_, []) => arguments.iter().all(is_choosing),
            (function, _) => {
                (PRINTING.contains(&function) || CHOOSING.contains(&function)) && arguments.iter().all(is_choosing)
            }
        },
        Expression::Member(value, _) => is_choosing(value),
        Expression::Path(_) | Expression::Text(_) | Expression::Word(_) | Expression::Data(_) => true,
    }
}

/// Returns objects that a range can print.
fn samples() -> Vec<Value> {
    vec![
        json!({"apiVersion": "example.com/v1", "kind": "Sample", "metadata": {"name": "a"}, "spec": {"b": [{"c": 1}, "d: e"]}}),
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "f", "labels": {"g": "h"}}, "data": {"i": "j\nk\n"}}),
    ]
}
