//! Answers: which values of a chart do its templates print item by item, each as a document of its own?
//!
//! A range shows that by what it prints of samples: the samples.
//!
//! Invariant: where templates do more with the values than that, as by a condition about an item, they are none of these.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::default_value::{Defaults, Ranges, paths_in};
use super::environment::{Environment, Facts, KubeVersion};
use super::expression::{Binding, Expression};
use super::judge::Judge;
use super::lex::{Action, Keyword};
use super::scope::Scope;
use super::tree::{Branch, Defines, Node, Part, Template};
use crate::syntax::variable::Certainty;
use crate::syntax::yaml::read_documents;

/// The functions that can print an item as it is.
const PRINTING: [&str; 8] = ["dict", "include", "mustToYaml", "nindent", "template", "toYaml", "tpl", "trim"];

/// The functions of conditions that ask nothing but whether there are items.
const ASKING: [&str; 8] = ["and", "empty", "ge", "gt", "len", "ne", "not", "or"];

/// What a definition must not look at that prints an item as it is.
const LOOKED_AT: [&str; 5] = [".Values", ".apiVersion", ".kind", ".metadata", ".spec"];

/// How many definitions are looked into that call each other.
const LEVELS: u32 = 4;

/// What begins the name of a value of the chart.
const VALUES: &str = ".Values.";

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

/// Returns the keys, such as `extra.objects`, of the lists and mappings in the values of a chart whose items its `templates` print as documents,
/// and do nothing else with.
pub fn printed_items<'t>(templates: impl IntoIterator<Item = &'t Template>, defines: &'t Defines) -> BTreeSet<String> {
    let mut all = Collector { defines, printed: BTreeSet::new(), used: BTreeSet::new() };
    for part in templates.into_iter().flat_map(Template::parts) {
        all.nodes(part, part.nodes(), &mut Scope::new(Expression::Path("$".to_owned())));
    }
    let Collector { mut printed, used, .. } = all;
    let is_in = |inner: &str, outer: &str| {
        inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    printed.retain(|key| !used.iter().any(|used| is_in(used, key) || is_in(key, used)));
    printed
}

struct Collector<'d> {
    defines: &'d Defines,
    printed: BTreeSet<String>,
    /// The keys of what is used for something else.
    used: BTreeSet<String>,
}

impl Collector<'_> {
    fn nodes(&mut self, part: Part<'_>, nodes: &[Node], scope: &mut Scope) {
        let actions = part.template.actions();
        for node in nodes {
            match node {
                Node::Literal(_) => {}
                Node::Action(index) => {
                    let pipeline = &actions[*index].pipeline;
                    let value = scope.bind(pipeline);
                    // Another name for a value is no use of it.
                    if pipeline.binding == Binding::None || !matches!(value, Expression::Path(_)) {
                        self.add_used(&value);
                    }
                }
                Node::Branching(block) => {
                    let (before, length) = (scope.clone(), scope.len());
                    for branch in &block.branches {
                        let mut inside = before.clone();
                        self.branch(part, block.number, branch, &mut inside);
                        inside.truncate(length);
                        scope.join(&inside);
                    }
                }
            }
        }
    }

    fn branch(&mut self, part: Part<'_>, number: usize, branch: &Branch, inside: &mut Scope) {
        let action = &part.template.actions()[branch.action];
        if action.keyword == Keyword::Range {
            let collection = inside.resolve(&action.pipeline.value);
            let key = key_of(&collection).filter(|_| part.name().is_none());
            if let Some(key) = key.filter(|_| self.prints_items(part, number, branch, inside)) {
                self.printed.insert(key.to_owned());
                return;
            }
            self.add_used(&collection);
            inside.enter_item(number, &action.pipeline.variables);
        } else {
            let value = inside.bind(&action.pipeline);
            if !is_asking(&value) {
                self.add_used(&value);
            }
            if action.keyword == Keyword::With {
                inside.dot = value;
            }
        }
        self.nodes(part, &branch.body, inside);
    }

    fn add_used(&mut self, value: &Expression) {
        self.used.extend(paths_in(value).into_iter().filter_map(key_of).map(str::to_owned));
    }

    /// Returns whether the turns of a range print the items of what they go through, each as a document.
    fn prints_items(&self, part: Part<'_>, number: usize, branch: &Branch, scope: &Scope) -> bool {
        let action = &part.template.actions()[branch.action];
        let mut inside = scope.clone();
        inside.enter_item(number, &action.pipeline.variables);
        if !self.looks_at_nothing(part, &branch.body, &mut inside, &format!("#{number}")) {
            return false;
        }
        let environment = Environment {
            defines: self.defines,
            facts: &Unknown,
            values: None,
            chart_values: None,
            unchanged: None,
            arguments: None,
            defaults: Certainty::Default,
        };
        let (judge, ranges) = (Judge::new(environment), Ranges::new());
        let defaults = Defaults { judge: &judge, ranges: &ranges };
        let samples = samples();
        let of_turn = |(at, sample): (usize, &Value)| {
            judge.refuel();
            let mut inside = scope.clone();
            inside.enter(&action.pipeline.variables, Expression::Data(at.into()), Expression::Data(sample.clone()));
            defaults.printed_of_nodes(part, &branch.body, &mut inside)
        };
        let Some(printed) = samples.iter().enumerate().map(of_turn).collect::<Option<String>>() else { return false };
        let literals = part.literals().into_iter().filter(|literal| literal.start < action.span.start);
        let is_first = literals.map(|literal| literal.of(part.template.text())).all(|text| text.trim().is_empty());
        (is_first || printed.trim_start().starts_with("---"))
            && read_documents(&printed).is_some_and(|all| all == samples)
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
                let is_about_item = *keyword == Keyword::Else
                    || *keyword == Keyword::If && paths_in(&condition).into_iter().all(is_item);
                is_about_item && self.looks_at_nothing(part, &branch.body, &mut scope.clone(), item)
            }),
        })
    }

    /// Returns whether a definition, or one that it calls, looks at a part of what an object has, or at other values.
    fn looks_at_parts(&self, name: &str, levels: u32) -> bool {
        let Some(part) = self.defines.get(name) else { return false };
        let text = part.template.text();
        levels == 0
            || part.actions().filter(|action| !action.is_comment()).any(|action| {
                LOOKED_AT.iter().any(|part| action.content.of(text).contains(part))
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

/// Returns the key in the values of a chart that a path names.
fn key_of(path: &Expression) -> Option<&str> {
    let Expression::Path(path) = path else { return None };
    path.split_once(VALUES).map(|(_, key)| key)
}

/// Returns whether a condition asks nothing but whether there are items.
fn is_asking(condition: &Expression) -> bool {
    match condition {
        Expression::Call(function, arguments) => ASKING.contains(&function.as_str()) && arguments.iter().all(is_asking),
        Expression::Member(..) | Expression::Data(_) => false,
        Expression::Path(_) | Expression::Text(_) | Expression::Word(_) => true,
    }
}

/// Returns objects that a range can print.
fn samples() -> Vec<Value> {
    vec![
        json!({"apiVersion": "example.com/v1", "kind": "Sample", "metadata": {"name": "a"}, "spec": {"b": [{"c": 1}, "d: e"]}}),
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "f", "labels": {"g": "h"}}, "data": {"i": "j\nk\n"}}),
    ]
}
