//! Answers: what do the templates of a chart do with each of its values?
//!
//! A place in the values is named by its keys, as in `extra.objects`; the empty name is all of them. Definitions are looked into with what they
//! are called with.
//!
//! Invariant: what is not followed to the key that it takes counts as a use of all keys.

use std::collections::BTreeSet;

use super::expression::{Binding, Expression, UNREAD};
use super::lex::{Action, Keyword};
use super::scope::{EITHER, LARGEST, Scope};
use super::tree::{Branch, Defines, Node, Part, Template};
use super::whole::{prints_items, prints_list};

/// The functions that ask nothing of a list or mapping but what it is, and whether something is in it.
const ASKING: [&str; 8] = ["empty", "hasKey", "kindIs", "kindOf", "len", "not", "typeIs", "typeOf"];

/// What joins such questions in conditions.
const JOINING: [&str; 7] = ["and", "default", EITHER, "ge", "gt", "ne", "or"];

/// The functions that return one of their arguments, or that with more entries or fewer.
const PASSING: [&str; 11] = [
    "coalesce",
    "deepCopy",
    "default",
    EITHER,
    "merge",
    "mergeOverwrite",
    "mustMerge",
    "mustMergeOverwrite",
    "omit",
    "required",
    "ternary",
];

/// What Helm's type of values can do besides having keys.
const METHODS: [&str; 5] = ["AsMap", "Encode", "PathValue", "Table", "YAML"];

/// How many definitions are looked into that call each other.
const LEVELS: u32 = 12;

/// How many calls of definitions are looked into.
const MOST_CALLS: usize = 4_000;

/// What names the values in a path.
const VALUES: &str = ".Values";

/// The key of the values that all charts inside of one see.
const GLOBAL: &str = "global";

/// What is done with values, by their keys.
#[derive(Clone, Debug, Default)]
pub struct Uses {
    /// Those whose items are printed as documents.
    printed: BTreeSet<String>,
    /// Those of which conditions ask whether they are set.
    asked: BTreeSet<String>,
    /// Those that are used for something else.
    used: BTreeSet<String>,
    /// Those that definitions get which are not there.
    passed: BTreeSet<String>,
}

impl Uses {
    /// Returns what `templates` do, and the `texts` that they can print as templates.
    pub fn of<'t>(
        templates: impl IntoIterator<Item = &'t Template>,
        texts: impl IntoIterator<Item = &'t str>,
        defines: &'t Defines,
    ) -> Self {
        let mut all = Collector { defines, found: Self::default(), called: BTreeSet::new(), levels: LEVELS };
        let root = || Scope::new(Expression::Path("$".to_owned()));
        for part in templates.into_iter().filter_map(|template| template.part(0)) {
            all.nodes(part, part.nodes(), &mut root(), Output::Documents);
        }
        for text in texts.into_iter().filter(|text| text.contains("{{")) {
            match Template::parse(text) {
                Ok(template) => template.parts().for_each(|part| {
                    all.nodes(part, part.nodes(), &mut root(), Output::Text);
                }),
                Err(_) => all.found.used.extend(text.contains("Values").then(String::new)),
            }
        }
        all.found
    }

    /// Returns them as the uses of the chart around one that has `name` there.
    #[must_use]
    pub fn below(self, name: &str) -> Self {
        let outer = |key: String| match key.split('.').next() {
            Some("") => vec![name.to_owned(), GLOBAL.to_owned()],
            Some(GLOBAL) => vec![key],
            _ => vec![format!("{name}.{key}")],
        };
        let all = |keys: BTreeSet<String>| keys.into_iter().flat_map(outer).collect();
        Self { printed: all(self.printed), asked: all(self.asked), used: all(self.used), passed: all(self.passed) }
    }

    /// Returns them without what is printed.
    #[must_use]
    pub fn unprinted(self) -> Self {
        Self { printed: BTreeSet::new(), ..self }
    }

    /// Adds others.
    pub fn add(&mut self, other: Self) {
        let Self { printed, asked, used, passed } = other;
        self.printed.extend(printed);
        self.asked.extend(asked);
        self.used.extend(used);
        self.passed.extend(passed);
    }

    /// Returns whether the items of what is under `key` are printed as documents, and nothing else is done with them.
    pub fn prints(&self, key: &str) -> bool {
        self.printed.contains(key) && !self.uses(key) && !has_related(&self.passed, key)
    }

    /// Returns whether something else is done with what is under `key`.
    pub fn uses(&self, key: &str) -> bool {
        has_related(&self.used, key) || self.asked.iter().any(|asked| asked != key && is_in(asked, key))
    }
}

fn is_in(inner: &str, outer: &str) -> bool {
    outer.is_empty() || inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn has_related(keys: &BTreeSet<String>, key: &str) -> bool {
    keys.iter().any(|one| is_in(one, key) || is_in(key, one))
}

/// What becomes of what is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Output {
    /// It is the text of manifests.
    Documents,
    /// It can be anything.
    Text,
}

/// What becomes of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// It gets another name: what is done with that counts.
    Named,
    /// It is a part of a mapping or list with a name.
    Part,
    Taken,
}

struct Collector<'d> {
    defines: &'d Defines,
    found: Uses,
    /// The definitions that were looked into, with what they are called with.
    called: BTreeSet<(String, String, Output)>,
    /// How many more can call each other.
    levels: u32,
}

impl Collector<'_> {
    fn nodes(&mut self, part: Part<'_>, nodes: &[Node], scope: &mut Scope, output: Output) {
        let actions = part.template.actions();
        for node in nodes {
            match node {
                Node::Literal(_) => {}
                Node::Action(index) => self.action(part, &actions[*index], scope, output),
                Node::Branching(block) => {
                    let (before, length) = (scope.clone(), scope.len());
                    for branch in &block.branches {
                        let mut inside = before.clone();
                        self.branch(part, block.number, branch, &mut inside, output);
                        inside.truncate(length);
                        scope.join(&inside);
                    }
                }
            }
        }
    }

    fn action(&mut self, part: Part<'_>, action: &Action, scope: &mut Scope, output: Output) {
        let pipeline = &action.pipeline;
        let value = scope.resolve(&pipeline.value);
        scope.bind(pipeline);
        match &value {
            Expression::Call(function, arguments) if matches!(function.as_str(), "include" | "template") => {
                let is_printed = pipeline.binding == Binding::None;
                self.call(arguments, if is_printed { output } else { Output::Text });
            }
            // What is set is read under its name.
            Expression::Call(function, arguments) if matches!(function.as_str(), "set" | "unset") => {
                self.change(arguments);
            }
            value if pipeline.binding == Binding::None => {
                match prints_list(self.defines, part, value).filter(|_| output == Output::Documents) {
                    Some(key) => drop(self.found.printed.insert(key)),
                    None => self.take(value, "", Role::Taken),
                }
            }
            value => self.take(value, "", named(value)),
        }
    }

    fn branch(&mut self, part: Part<'_>, number: usize, branch: &Branch, inside: &mut Scope, output: Output) {
        let action = &part.template.actions()[branch.action];
        let value = inside.resolve(&action.pipeline.value);
        match action.keyword {
            Keyword::Range => {
                let key = key_of_items(&value).filter(|key| !key.is_empty() && output == Output::Documents);
                if let Some(key) = key.filter(|_| prints_items(self.defines, part, number, branch, inside)) {
                    self.found.printed.insert(key);
                    return;
                }
                self.take(&value, "", Role::Taken);
                inside.enter_item(number, &action.pipeline.variables);
            }
            Keyword::With | Keyword::Block => {
                self.condition(&value, named(&value));
                inside.dot = inside.bind(&action.pipeline);
            }
            _ => {
                self.condition(&value, Role::Taken);
                inside.bind(&action.pipeline);
            }
        }
        self.nodes(part, &branch.body, inside, output);
    }

    fn condition(&mut self, value: &Expression, role: Role) {
        if is_asking(value, &JOINING) {
            self.ask(value);
        } else {
            self.take(value, "", role);
        }
    }

    fn ask(&mut self, value: &Expression) {
        match value {
            Expression::Path(path) => self.found.asked.extend(key_of(path)),
            Expression::Call(_, arguments) => arguments.iter().for_each(|one| self.ask(one)),
            Expression::Member(..) | Expression::Text(_) | Expression::Word(_) | Expression::Data(_) => {}
        }
    }

    /// Takes in what becomes of the fields `fields`, such as `.a.b`, of a resolved value.
    fn take(&mut self, value: &Expression, fields: &str, role: Role) {
        match value {
            Expression::Path(path) => self.path(&format!("{path}{fields}"), role),
            Expression::Member(inner, path) => self.take(inner, &format!("{path}{fields}"), role),
            Expression::Call(function, arguments) => self.function(function, arguments, fields, role),
            Expression::Text(_) | Expression::Word(_) | Expression::Data(_) => {}
        }
    }

    fn path(&mut self, path: &str, role: Role) {
        let is_counted = |key: &String| match role {
            Role::Named => false,
            Role::Part => !key.is_empty(),
            Role::Taken => true,
        };
        self.found.used.extend(key_of(path).filter(is_counted));
    }

    fn function(&mut self, function: &str, arguments: &[Expression], fields: &str, role: Role) {
        let below = |keys: &[Expression]| {
            let keys = keys.iter().filter_map(|key| if let Expression::Text(key) = key { Some(key) } else { None });
            keys.map(|key| format!(".{key}")).collect::<String>() + fields
        };
        match (function, arguments) {
            ("include" | "template", _) => self.call(arguments, Output::Text),
            ("tpl", [text, context]) => {
                self.take(text, "", Role::Taken);
                self.take(context, "", Role::Part);
            }
            ("get", [mapping, key @ Expression::Text(_)]) => {
                self.take(mapping, &below(std::slice::from_ref(key)), role)
            }
            ("index", [collection, keys @ ..]) => {
                let names = keys.iter().take_while(|key| is_name(key)).count();
                keys.iter().for_each(|key| self.take(key, "", Role::Taken));
                self.take(collection, &below(&keys[..names]), if names == keys.len() { role } else { Role::Taken });
            }
            // Whether it is there stays as it is.
            ("hasKey", [mapping, key]) if is_name(key) => {
                self.take(mapping, &below(std::slice::from_ref(key)), Role::Named)
            }
            ("pluck", [key @ Expression::Text(_), mappings @ ..]) => {
                mappings.iter().for_each(|one| self.take(one, &below(std::slice::from_ref(key)), Role::Taken));
            }
            ("dig", [keys @ .., default, mapping]) if keys.iter().all(is_name) => {
                self.take(default, "", role);
                self.take(mapping, &below(keys), Role::Taken);
            }
            ("dict", pairs) if !fields.is_empty() => self.entry(pairs, fields, role),
            ("set", [mapping, Expression::Text(_), _]) => {
                self.change(arguments);
                self.take(mapping, fields, role);
            }
            ("dict" | "list" | "tuple", items) => {
                let role = if role == Role::Named { Role::Part } else { role };
                items.iter().for_each(|one| self.take(one, "", role));
            }
            (function, _) if PASSING.contains(&function) => {
                arguments.iter().for_each(|one| self.take(one, fields, role));
            }
            ("values", [mapping]) if role == Role::Named => self.take(mapping, "", role),
            (function, _) if ASKING.contains(&function) && arguments.iter().all(|one| is_asking(one, &[])) => {
                arguments.iter().for_each(|one| self.ask(one));
            }
            (UNREAD, [Expression::Text(text)]) => {
                let mut words = text.split([' ', '(', ')', '|']);
                let is_whole = words.any(|word| matches!(word, "." | "$") || word.contains("Values"));
                self.found.used.extend(is_whole.then(String::new));
            }
            (method, _) => {
                self.path(method, Role::Taken);
                arguments.iter().for_each(|one| self.take(one, "", Role::Taken));
            }
        }
    }

    /// Takes in the change of an entry of a mapping.
    fn change(&mut self, arguments: &[Expression]) {
        match arguments {
            [mapping, Expression::Text(key), values @ ..] => {
                self.take(mapping, &format!(".{key}"), Role::Part);
                values.iter().for_each(|one| self.take(one, "", Role::Part));
            }
            unknown => unknown.iter().for_each(|one| self.take(one, "", Role::Taken)),
        }
    }

    /// Takes in what becomes of fields of a mapping with these keys and values.
    fn entry(&mut self, pairs: &[Expression], fields: &str, role: Role) {
        let (first, rest) = fields[1..].split_at(fields[1..].find('.').unwrap_or(fields.len() - 1));
        for pair in pairs.chunks(2) {
            match pair {
                [Expression::Text(key), value] if key == first => self.take(value, rest, role),
                [Expression::Text(_), _] => {}
                unknown => unknown.iter().for_each(|one| self.take(one, "", Role::Taken)),
            }
        }
        // A definition that is called with the mapping can have added it.
        self.path(fields, role);
    }

    /// Takes in what a definition does with what it is called with.
    fn call(&mut self, arguments: &[Expression], output: Output) {
        let nil = Expression::word("nil");
        let (name, argument) = match arguments {
            [] => return,
            [name] => (name, &nil),
            [name, argument, ..] => (name, argument),
        };
        let defines = self.defines;
        let names: Vec<&str> = match name {
            Expression::Text(name) => vec![name.as_str()],
            // A file, which is looked into by itself.
            computed if computed.to_string().contains("$.Template.BasePath") => Vec::new(),
            computed => {
                self.take(computed, "", Role::Taken);
                defines.names().collect()
            }
        };
        self.take(argument, "", Role::Named);
        for name in names {
            let Some(part) = defines.get(name) else {
                self.pass(argument);
                continue;
            };
            if self.levels == 0 || self.called.len() == MOST_CALLS || argument.size() > LARGEST {
                self.take(argument, "", Role::Taken);
            } else if self.called.insert((name.to_owned(), argument.to_string(), output)) {
                self.levels -= 1;
                self.nodes(part, part.nodes(), &mut Scope::new(argument.clone()), output);
                self.levels += 1;
            }
        }
    }

    /// Takes in that something gets `argument` that is not there.
    fn pass(&mut self, argument: &Expression) {
        let before = std::mem::take(&mut self.found.used);
        self.take(argument, "", Role::Taken);
        let (whole, keys) = std::mem::replace(&mut self.found.used, before).into_iter().partition(String::is_empty);
        let (whole, keys): (BTreeSet<String>, BTreeSet<String>) = (whole, keys);
        self.found.passed.extend(whole);
        self.found.used.extend(keys);
    }
}

/// Returns the role of a value that gets a name. Of a large one nothing but a hash is known later.
fn named(value: &Expression) -> Role {
    if value.size() > LARGEST { Role::Taken } else { Role::Named }
}

/// Returns the key in the values of a chart that a path names; nothing for what is not in them.
fn key_of(path: &str) -> Option<String> {
    if path.ends_with('$') || path.contains("$.Subcharts") {
        return Some(String::new());
    }
    let mut found = path.match_indices(VALUES).map(|(at, _)| &path[at + VALUES.len()..]);
    let key = found.find(|rest| rest.is_empty() || rest.starts_with('.'))?.trim_start_matches('.');
    let is_method = key.split('.').next().is_some_and(|first| METHODS.contains(&first));
    Some(if is_method { String::new() } else { key.to_owned() })
}

/// Returns the key of the values whose items a range goes through.
fn key_of_items(collection: &Expression) -> Option<String> {
    match collection {
        Expression::Path(path) => key_of(path),
        Expression::Call(function, arguments) => match (function.as_str(), arguments.as_slice()) {
            ("default", [Expression::Call(empty, items), set]) if items.is_empty() => {
                matches!(empty.as_str(), "dict" | "list" | "tuple").then(|| key_of_items(set))?
            }
            ("values", [mapping]) => key_of_items(mapping),
            (EITHER, [first, others @ ..]) => {
                let key = key_of_items(first)?;
                others.iter().all(|one| key_of_items(one).as_ref() == Some(&key)).then_some(key)
            }
            _ => None,
        },
        Expression::Member(..) | Expression::Text(_) | Expression::Word(_) | Expression::Data(_) => None,
    }
}

/// Returns whether an expression is a text that can be a key.
fn is_name(key: &Expression) -> bool {
    matches!(key, Expression::Text(key) if !key.is_empty() && !key.contains('.'))
}

/// Returns whether a value asks nothing but whether values are set, with these functions or those that always do.
fn is_asking(value: &Expression, joining: &[&str]) -> bool {
    match value {
        Expression::Call(function, arguments) => {
            let is_one = ASKING.contains(&function.as_str()) || joining.contains(&function.as_str());
            let is_empty = matches!(function.as_str(), "dict" | "list") && arguments.is_empty();
            is_empty || is_one && arguments.iter().all(|one| is_asking(one, joining))
        }
        Expression::Member(..) | Expression::Data(_) => false,
        Expression::Path(_) | Expression::Text(_) | Expression::Word(_) => true,
    }
}
