//! Answers: which value does a name stand for at a place in a template?
//!
//! A *resolved* expression holds no dot and no variable: its paths begin with `$`, the value that the text is printed with, or
//! with `#`, a value of which nothing but its origin is known.
//!
//! Invariant: two resolved expressions that are equal have one value in a reading.

use super::expression::{Binding, Expression, Pipeline};
use std::hash::{DefaultHasher, Hash, Hasher};

/// The largest resolved expression; of a larger one, nothing but a hash is known.
pub(super) const LARGEST: usize = 200;

/// The function whose value is that of one of its arguments.
pub(super) const EITHER: &str = "either";

/// What the names of values begin with that were changed.
const CHANGED: &str = "#changed";

/// A variable and its resolved value.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Variable {
    name: String,
    value: Expression,
}

/// What another value takes the place of; a name that was bound to that keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Replaced {
    /// The value at the path.
    Itself,
    /// Fields of it.
    Fields,
    /// Fields of it, and of mappings in it.
    FieldsBelow,
}

/// A change of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Change {
    /// Its path.
    path: String,
    /// What it is afterwards.
    new: Expression,
    replaced: Replaced,
}

/// What the dot and the variables stand for, resolved.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    pub(super) dot: Expression,
    /// What `$` stands for.
    whole: Expression,
    variables: Vec<Variable>,
    changed: Vec<Change>,
}

impl Scope {
    /// Creates the scope of a text that is printed with `whole`.
    pub(super) fn new(whole: Expression) -> Self {
        Self { dot: whole.clone(), whole, variables: Vec::new(), changed: Vec::new() }
    }

    /// Returns how many variables there are, for [`Self::truncate`].
    pub(super) fn len(&self) -> usize {
        self.variables.len()
    }

    /// Forgets the variables that were declared after `length` others.
    pub(super) fn truncate(&mut self, length: usize) {
        self.variables.truncate(length);
    }

    /// Resolves the value of a pipeline, takes in what it changes, and binds its variables.
    pub(super) fn bind(&mut self, pipeline: &Pipeline) -> Expression {
        let whole = self.resolve(&pipeline.value);
        self.change_by(&whole, &pipeline.value);
        let value = limited(whole);
        for name in &pipeline.variables {
            self.set(name, pipeline.binding, value.clone());
        }
        value
    }

    /// Binds the variables of the range with a number to one of its items, which becomes the dot.
    pub(super) fn enter_item(&mut self, range: usize, variables: &[String]) {
        let key = Expression::Path(format!("#{range}key"));
        self.enter(variables, key, Expression::Path(format!("#{range}")));
    }

    /// Binds the variables of a range to one of its items, which becomes the dot.
    pub(super) fn enter(&mut self, variables: &[String], key: Expression, item: Expression) {
        if let Some((last, keys)) = variables.split_last() {
            keys.iter().for_each(|name| self.set(name, Binding::Declare, key.clone()));
            self.set(last, Binding::Declare, item.clone());
        }
        self.dot = item;
    }

    /// Binds a variable that is assigned in the range with a number to a value of which nothing is known.
    pub(super) fn forget(&mut self, range: usize, name: &str) {
        self.set(name, Binding::Assign, Expression::Path(format!("#{range}{name}")));
    }

    fn set(&mut self, name: &str, binding: Binding, value: Expression) {
        let known = self.variables.iter_mut().rev().find(|variable| variable.name == name);
        match known.filter(|_| binding == Binding::Assign) {
            Some(variable) => variable.value = value,
            None => self.variables.push(Variable { name: name.to_owned(), value }),
        }
    }

    /// Takes in what the functions in the resolved `value`, which is `written` so, change.
    fn change_by(&mut self, value: &Expression, written: &Expression) {
        let (Expression::Call(function, arguments), Expression::Call(_, names)) = (value, written) else { return };
        arguments.iter().zip(names).for_each(|(argument, name)| self.change_by(argument, name));
        let Some((mapping, _)) = value.changed() else { return };
        let new = limited(value.clone());
        // A variable that stands for a path is what that is.
        let own = names
            .first()
            .and_then(|name| self.variables.iter().rposition(|one| Expression::Path(one.name.clone()) == *name));
        let own = own.filter(|at| !matches!(self.variables[*at].value, Expression::Path(_)));
        let changed_before =
            self.changed.iter().rev().find(|known| known.new == *mapping).map(|known| known.path.clone());
        match changed_before.or_else(|| path_of(mapping)) {
            Some(path) => self.change_at(&path, Some(&new), replaced_by(function)),
            None => self.change_at(&mapping.to_string(), None, replaced_by(function)),
        }
        if let Some(at) = own {
            self.variables[at].value = new;
        }
    }

    /// Takes in that the functions in the resolved `value` can have changed something.
    pub(super) fn change(&mut self, value: &Expression) {
        let Expression::Call(function, arguments) = value else { return };
        arguments.iter().for_each(|argument| self.change(argument));
        let Some((mapping, key)) = value.changed() else { return };
        match (mapping, key) {
            (Expression::Path(path), Some(key)) => self.change_at(&format!("{path}.{key}"), None, Replaced::Itself),
            (mapping, _) => self.change_at(&mapping.to_string(), None, replaced_by(function)),
        }
    }

    /// Takes in what may have been changed in another scope.
    pub(super) fn take_changes(&mut self, other: &Self) {
        let is_new = |change: &&Change| !change.path.starts_with(CHANGED) && !self.changed.contains(change);
        let new: Vec<Change> = other.changed.iter().filter(is_new).cloned().collect();
        for Change { path, new, replaced } in new {
            match new.changed() {
                Some((_, Some(key))) => self.change_at(&format!("{path}.{key}"), None, Replaced::Itself),
                _ => self.change_at(&path, None, replaced),
            }
        }
    }

    /// Takes in that something at `path`, or in it, has another value, which is `new` if that is known.
    fn change_at(&mut self, path: &str, new: Option<&Expression>, replaced: Replaced) {
        let unknown = format!("{CHANGED}{}", self.changed.len());
        for variable in &mut self.variables {
            let is_path = matches!(variable.value, Expression::Path(_));
            if !is_path && variable.value.to_string().contains(path) {
                variable.value = Expression::Path(format!("{unknown}{}", variable.name));
            }
        }
        let new = new.cloned().unwrap_or(Expression::Path(unknown));
        self.changed.push(Change { path: path.to_owned(), new, replaced });
    }

    /// Returns what a path stands for after what was changed: a value in it, or around it, can be another one. The first `bound` bytes of it
    /// are the path of what a name was bound to: that stays the same value where another one takes its place in a mapping around it. Where
    /// mappings in that are changed too, it is not known what becomes of it.
    fn after_changes(&self, path: Expression, bound: usize) -> Expression {
        let Expression::Path(path) = path else { return path };
        let is_below = |inner: &str, outer: &str| inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('.'));
        let own = &path[..bound];
        let mut changes = self.changed.iter().enumerate().rev();
        let found = changes.find_map(|(at, Change { path: changed, new, replaced })| {
            let unknown = || Expression::Path(format!("{CHANGED}{at}{path}"));
            if is_below(own, changed) || own == changed && *replaced == Replaced::Itself {
                return (*replaced == Replaced::FieldsBelow).then(unknown);
            }
            match path.strip_prefix(changed.as_str()) {
                Some(rest) if rest.is_empty() || rest.starts_with('.') => Some(fields(new.clone(), rest)),
                _ => is_below(changed, &path).then(unknown),
            }
        });
        found.unwrap_or(Expression::Path(path))
    }

    /// Joins what the variables are after different branches.
    pub(super) fn join(&mut self, other: &Self) {
        self.take_changes(other);
        for (mine, theirs) in self.variables.iter_mut().zip(&other.variables) {
            if mine != theirs {
                mine.value = limited(Expression::call(EITHER, vec![mine.value.clone(), theirs.value.clone()]));
            }
        }
    }

    /// Returns `expression` with what its names stand for.
    pub(super) fn resolve(&self, expression: &Expression) -> Expression {
        match expression {
            Expression::Text(_) | Expression::Word(_) | Expression::Data(_) => expression.clone(),
            Expression::Path(path) => self.path(path),
            Expression::Member(value, path) => fields(self.resolve(value), path),
            Expression::Call(function, arguments) => {
                let function = match function.starts_with(['.', '$']).then(|| self.path(function)) {
                    Some(method) => method.to_string(),
                    None => function.clone(),
                };
                let mut arguments: Vec<_> = arguments.iter().map(|argument| self.resolve(argument)).collect();
                let is_name =
                    |key: &Expression| matches!(key, Expression::Text(key) if !key.is_empty() && !key.contains('.'));
                match arguments.split_first() {
                    Some((Expression::Path(path), keys)) if function == "index" && keys.iter().all(is_name) => {
                        let keys = keys.iter().map(|key| if let Expression::Text(key) = key { key } else { "" });
                        let bound = path.len();
                        let path = keys.fold(path.clone(), |path, key| format!("{path}.{key}"));
                        self.after_changes(Expression::Path(path), bound)
                    }
                    _ => Expression::Call(function, std::mem::take(&mut arguments)),
                }
            }
        }
    }

    fn path(&self, path: &str) -> Expression {
        let end = path.find('.').unwrap_or(path.len());
        let (name, rest) = path.split_at(end);
        let base = match name {
            "" => self.dot.clone(),
            "$" => self.whole.clone(),
            _ => {
                let variable = self.variables.iter().rev().find(|variable| variable.name == name);
                variable.map_or_else(|| Expression::Path(format!("#{name}")), |variable| variable.value.clone())
            }
        };
        let mut bound = path_length(&base);
        let names = rest.split('.').filter(|name| !name.is_empty());
        let value = names.fold(base, |value, name| {
            let inner = field(value, name);
            bound = bound.or_else(|| path_length(&inner));
            inner
        });
        self.after_changes(value, bound.unwrap_or_default())
    }
}

fn limited(value: Expression) -> Expression {
    if value.size() <= LARGEST {
        return value;
    }
    let mut hasher = DefaultHasher::new();
    value.to_string().hash(&mut hasher);
    Expression::Path(format!("#{:x}", hasher.finish()))
}

/// Returns what a function replaces in a mapping that it changes.
fn replaced_by(function: &str) -> Replaced {
    if matches!(function, "set" | "unset") { Replaced::Fields } else { Replaced::FieldsBelow }
}

/// Returns how long a value is that is a path.
fn path_length(value: &Expression) -> Option<usize> {
    if let Expression::Path(path) = value { Some(path.len()) } else { None }
}

/// Returns the path of a resolved mapping, which `get` can have returned.
fn path_of(mapping: &Expression) -> Option<String> {
    match mapping {
        Expression::Path(path) => Some(path.clone()),
        Expression::Call(function, arguments) if function == "get" => match arguments.as_slice() {
            [around, Expression::Text(key)] => Some(format!("{}.{key}", path_of(around)?)),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the fields `path`, such as `.a.b`, of a resolved value.
fn fields(base: Expression, path: &str) -> Expression {
    path.split('.').filter(|name| !name.is_empty()).fold(base, field)
}

/// Returns a mapping as it was before `set` and `unset` changed other fields of it than that with a name.
fn before_others<'e>(mut mapping: &'e Expression, name: &str) -> &'e Expression {
    while let Expression::Call(function, arguments) = mapping
        && matches!(function.as_str(), "set" | "unset")
        && let [inner, Expression::Text(key), ..] = arguments.as_slice()
        && key != name
    {
        mapping = inner;
    }
    mapping
}

fn field(base: Expression, name: &str) -> Expression {
    match base {
        // The method gives what it is called on, for functions of mappings.
        Expression::Path(path) if name == "AsMap" && path.ends_with(".Values") => Expression::Path(path),
        Expression::Path(mut path) => {
            path.push('.');
            path.push_str(name);
            Expression::Path(path)
        }
        Expression::Data(value) if value.is_object() => Expression::Data(value.get(name).cloned().unwrap_or_default()),
        Expression::Call(function, arguments) if function == "dict" => {
            let pair = arguments.chunks(2).find(|pair| matches!(pair, [Expression::Text(key), _] if key == name));
            match pair.and_then(<[_]>::last) {
                Some(value) => value.clone(),
                None => Expression::Member(Box::new(Expression::Call(function, arguments)), format!(".{name}")),
            }
        }
        Expression::Call(function, arguments) if function == "merge" => match arguments.as_slice() {
            // What a definition is called with besides `.`: what that has is known.
            [Expression::Call(made, pairs), rest @ Expression::Path(whole)] if made == "dict" && whole == "$" => {
                let is_it = |pair: &&[Expression]| matches!(pair, [Expression::Text(key), _] if key == name);
                let own = pairs.chunks(2).find(is_it).and_then(<[_]>::last);
                own.cloned().unwrap_or_else(|| field(rest.clone(), name))
            }
            _ => Expression::Member(Box::new(Expression::Call(function, arguments)), format!(".{name}")),
        },
        Expression::Call(function, arguments) if matches!(function.as_str(), "set" | "unset") => match &arguments[..] {
            [_, Expression::Text(key), value] if key == name => value.clone(),
            [mapping, Expression::Text(key), ..] if key != name => field(before_others(mapping, name).clone(), name),
            _ => Expression::Member(Box::new(Expression::Call(function, arguments)), format!(".{name}")),
        },
        Expression::Member(value, path) => Expression::Member(value, format!("{path}.{name}")),
        other => Expression::Member(Box::new(other), format!(".{name}")),
    }
}
