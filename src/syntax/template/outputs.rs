//! Answers: which texts can an expression print?
//!
//! Helpers are looked into, a few levels deep. Where a condition is not known, what each branch prints is possible.
//!
//! Invariant: what an expression prints is one of its texts, or its outputs are open.

use serde_json::Value;

use super::default_value::value_at;
use super::description::Ranges;
use super::expression::{Binding, Expression};
use super::functions::apply;
use super::judge::Judge;
use super::lex::Keyword;
use super::possible_texts::{CLUSTER_VERSION, Outputs};
use super::scope::{EITHER, Scope};
use super::tree::{Branching, Node, Part};

/// How many helpers are looked into inside each other.
const LEVELS: u32 = 4;

/// The functions that make a text of a text.
const OF_TEXTS: [&str; 13] = [
    "indent",
    "lower",
    "nindent",
    "nospace",
    "quote",
    "replace",
    "squote",
    "title",
    "trim",
    "trimAll",
    "trimPrefix",
    "trimSuffix",
    "upper",
];

impl Judge<'_> {
    /// Returns what the resolved `expression` can print.
    pub(super) fn outputs(&self, expression: &Expression) -> Outputs {
        if !self.spend() {
            return Outputs::open();
        }
        match expression {
            Expression::Text(text) => Outputs::one(text),
            Expression::Word(word) if word != "nil" => Outputs::one(word),
            Expression::Path(path) => self.field(path),
            Expression::Call(function, arguments) => self.call(function, arguments),
            Expression::Data(Value::String(text)) => Outputs::one(text),
            Expression::Word(_) | Expression::Member(..) | Expression::Data(_) => Outputs::open(),
        }
    }

    fn field(&self, path: &str) -> Outputs {
        let Some((_, name)) = path.rsplit_once('.') else { return Outputs::open() };
        let version = self.environment.facts.kube_version();
        // Values that name the version of the cluster stand for it, where the chart sets none.
        if let Some(values) = path.find(".Values.")
            && is_of_cluster(name)
        {
            let set = self.environment.chart_values.and_then(|all| value_at(all, &path[values..]));
            let is_unset = set.is_none_or(|set| set.is_null() || set.as_str() == Some(""));
            return if is_unset { Outputs::one(CLUSTER_VERSION) } else { Outputs::open() };
        }
        match path.rsplit_once(".Capabilities.KubeVersion").map(|(_, field)| field) {
            Some("" | ".Version" | ".GitVersion") => Outputs::one(CLUSTER_VERSION),
            Some(".Minor") => version.map_or_else(Outputs::open, |version| Outputs::one(version.minor.to_string())),
            Some(".Major") => version.map_or_else(Outputs::open, |version| Outputs::one(version.major.to_string())),
            _ => Outputs::open(),
        }
    }

    fn call(&self, function: &str, arguments: &[Expression]) -> Outputs {
        match (function, arguments) {
            ("include" | "template", [Expression::Text(name), rest @ ..]) => self.helper(name, rest.first()),
            ("default", [fallback, value]) => self.first_true(&[value, fallback]),
            ("coalesce" | "or", _) => self.first_true(&arguments.iter().collect::<Vec<_>>()),
            ("ternary", [yes, no, condition]) => match self.truth(condition) {
                Some(true) => self.outputs_of_part(yes),
                Some(false) => self.outputs_of_part(no),
                None => self.outputs_of_part(yes).or(self.outputs_of_part(no)),
            },
            (EITHER, _) => arguments.iter().fold(Outputs::default(), |all, one| all.or(self.outputs(one))),
            ("required" | "toString" | "int" | "int64", [.., value]) => self.outputs(value),
            ("tpl", [text, _]) => self.outputs(text).map(|text| (!text.contains("{{")).then(|| text.to_owned())),
            ("print", _) => arguments.iter().fold(Outputs::one(""), |all, one| all.then(&self.outputs(one))),
            ("printf", [Expression::Text(format), values @ ..]) => self.formatted(format, values),
            ("toJson" | "toYaml", [value]) if is_text(value) => {
                self.outputs(value).map(|text| change(function, &[], text))
            }
            (_, [options @ .., value]) if OF_TEXTS.contains(&function) => {
                let options: Option<Vec<&str>> = options.iter().map(constant).collect();
                self.outputs(value).map(|text| change(function, options.as_ref()?, text))
            }
            _ if is_predicate(function) => {
                let truth = self.truth(&Expression::call(function, arguments.to_vec()));
                match (truth, function, arguments) {
                    (Some(true), "and", [.., last]) if is_text(last) => self.outputs(last),
                    (Some(truth), ..) => Outputs::one(truth.to_string()),
                    // What is before it is printed where that is empty.
                    (None, "and", [.., last]) => self.outputs(last).or(Outputs::open()),
                    _ => Outputs::open(),
                }
            }
            _ => Outputs::open(),
        }
    }

    /// Returns what one of the values prints between which a function chooses: `nil` prints nothing.
    fn outputs_of_part(&self, value: &Expression) -> Outputs {
        if *value == Expression::word("nil") { Outputs::one("") } else { self.outputs(value) }
    }

    /// Returns what the first of `values` prints that is not empty; the last one is printed if none is.
    fn first_true(&self, values: &[&Expression]) -> Outputs {
        let mut all = Outputs::default();
        for (index, value) in values.iter().enumerate() {
            let truth = self.truth(value);
            if truth != Some(false) || index + 1 == values.len() {
                all = all.or(self.outputs(value));
            }
            if truth == Some(true) {
                break;
            }
        }
        all
    }

    fn formatted(&self, format: &str, values: &[Expression]) -> Outputs {
        let mut pieces = format.split('%');
        let mut out = Outputs::one(pieces.next().unwrap_or_default());
        let mut values = values.iter();
        for piece in pieces {
            let (Some(tail), Some(value)) = (piece.strip_prefix(['s', 'v', 'd']), values.next()) else {
                return Outputs::open();
            };
            out = out.then(&self.outputs(value)).then(&Outputs::one(tail));
        }
        out
    }

    fn helper(&self, name: &str, argument: Option<&Expression>) -> Outputs {
        let level = self.level.get();
        let Some(part) = self.environment.defines.get(name).filter(|_| level < LEVELS) else { return Outputs::open() };
        let argument = argument.cloned().unwrap_or(Expression::word("nil"));
        let find = || {
            self.level.set(level + 1);
            let outputs = self.body(part, part.nodes(), &mut Scope::new(argument.clone()));
            self.level.set(level);
            outputs
        };
        let text = format!("{level} {name} {argument}");
        Outputs::clone(&self.once(&self.known.definitions, &text, &Ranges::new(), find))
    }

    /// Returns what a definition can print, whatever it is called with.
    #[cfg(test)]
    pub(super) fn part(&self, part: Part<'_>) -> Outputs {
        self.body(part, part.nodes(), &mut Scope::new(Expression::Path("$".to_owned())))
    }

    fn body(&self, part: Part<'_>, nodes: &[Node], scope: &mut Scope) -> Outputs {
        let mut out = Outputs::one("");
        for node in nodes {
            out = out.then(&match node {
                _ if !self.spend() => Outputs::open(),
                Node::Literal(span) => Outputs::one(span.of(part.template.text())),
                Node::Action(index) => self.printed(part, *index, scope),
                Node::Branching(block) => self.block(part, block, scope),
            });
        }
        out
    }

    fn printed(&self, part: Part<'_>, index: usize, scope: &mut Scope) -> Outputs {
        let action = &part.template.actions()[index];
        let value = scope.bind(&action.pipeline);
        match (action.keyword, &value) {
            (Keyword::Comment, _) => Outputs::one(""),
            (Keyword::Print, _) if action.pipeline.binding != Binding::None => Outputs::one(""),
            // It prints nothing that could be used.
            (Keyword::Print, Expression::Call(function, _)) if function == "fail" => Outputs::default(),
            (Keyword::Print | Keyword::Template, _) => self.outputs(&value),
            _ => Outputs::open(),
        }
    }

    fn block(&self, part: Part<'_>, block: &Branching, scope: &mut Scope) -> Outputs {
        let (before, length) = (scope.clone(), scope.len());
        let (mut out, mut joined) = (Outputs::default(), None::<Scope>);
        let mut join = |mut after: Scope| {
            after.truncate(length);
            after.dot.clone_from(&before.dot);
            match &mut joined {
                Some(joined) => joined.join(&after),
                None => joined = Some(after),
            }
        };
        let mut reached = true;
        for branch in &block.branches {
            let action = &part.template.actions()[branch.action];
            let condition = scope.bind(&action.pipeline);
            let truth = if action.keyword == Keyword::Else { Some(true) } else { self.truth(&condition) };
            if truth != Some(false) {
                let mut inside = scope.clone();
                if action.keyword == Keyword::With {
                    inside.dot = condition;
                }
                let known = matches!(action.keyword, Keyword::If | Keyword::With | Keyword::Else);
                out = out.or(if known { self.body(part, &branch.body, &mut inside) } else { Outputs::open() });
                join(inside);
            }
            if truth == Some(true) {
                reached = false;
                break;
            }
        }
        if reached {
            out = out.or(Outputs::one(""));
            join(scope.clone());
        }
        *scope = joined.unwrap_or(before);
        out
    }
}

fn constant(expression: &Expression) -> Option<&str> {
    match expression {
        Expression::Text(text) | Expression::Word(text) => Some(text),
        _ => None,
    }
}

/// Returns whether a value is a text, whatever it is.
fn is_text(value: &Expression) -> bool {
    match value {
        Expression::Text(_) => true,
        Expression::Call(function, arguments) => match (function.as_str(), arguments.as_slice()) {
            ("ternary", [yes, no, _]) => is_text(yes) && is_text(no),
            ("include" | "print" | "printf" | "quote" | "squote", _) => true,
            _ => false,
        },
        _ => false,
    }
}

/// Returns whether a key of values is called as what overrides the version of the cluster.
fn is_of_cluster(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    ["kube", "k8s"].iter().any(|start| key.contains(start)) && key.contains("version")
}

fn is_predicate(function: &str) -> bool {
    matches!(function, "not" | "empty" | "eq" | "ne" | "and" | "semverCompare") || function.ends_with(".Has")
}

/// Returns what a function makes of a text, with the arguments before it; `None` where that is not known.
fn change(function: &str, options: &[&str], text: &str) -> Option<String> {
    // A prefix `v` of the version of the cluster makes no difference to a constraint.
    if text == CLUSTER_VERSION {
        let is_prefix = options.is_empty() || options == ["v"];
        return (function.starts_with("trim") && is_prefix).then(|| text.to_owned());
    }
    if text.contains(CLUSTER_VERSION) {
        return None;
    }
    let is_width = function.ends_with("indent");
    let option =
        |text: &&str| text.parse::<i64>().ok().filter(|_| is_width).map_or_else(|| Value::from(*text), Value::from);
    let made = apply(function, &options.iter().map(option).chain([Value::from(text)]).collect::<Vec<_>>())?;
    made.as_str().map(str::to_owned)
}
