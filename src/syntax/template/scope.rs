//! Answers: which value does a name stand for at a place in a template?
//!
//! A *resolved* expression holds no dot and no variable: its paths begin with `$`, the value that the text is printed with, or
//! with `#`, a value of which nothing but its origin is known.
//!
//! Invariant: two resolved expressions that are equal have one value in a reading.

use super::expression::{Binding, Expression, Pipeline};
use std::hash::{DefaultHasher, Hash, Hasher};

/// The largest resolved expression; of a larger one, nothing but a hash is known.
const LARGEST: usize = 200;

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

/// What the dot and the variables stand for, resolved.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    pub(super) dot: Expression,
    /// What `$` stands for.
    whole: Expression,
    variables: Vec<Variable>,
    /// The paths whose values were changed, each with what stands for the new value.
    changed: Vec<(String, String)>,
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

    /// Resolves the value of a pipeline, and binds its variables.
    pub(super) fn bind(&mut self, pipeline: &Pipeline) -> Expression {
        let value = limited(self.resolve(&pipeline.value));
        self.change(&value);
        for name in &pipeline.variables {
            self.set(name, pipeline.binding, value.clone());
        }
        value
    }

    /// Binds the variables of the range with a number to one of its items, which becomes the dot.
    pub(super) fn enter_item(&mut self, range: usize, variables: &[String]) {
        let item = Expression::Path(format!("#{range}"));
        if let Some((last, keys)) = variables.split_last() {
            keys.iter().for_each(|name| self.set(name, Binding::Declare, Expression::Path(format!("#{range}key"))));
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

    /// Takes in what the functions in the resolved `value` change.
    pub(super) fn change(&mut self, value: &Expression) {
        let Expression::Call(_, arguments) = value else { return };
        arguments.iter().for_each(|argument| self.change(argument));
        let Some((mapping, key)) = value.changed() else { return };
        let path = match (mapping, key) {
            (Expression::Path(path), Some(key)) => format!("{path}.{key}"),
            (mapping, _) => mapping.to_string(),
        };
        self.change_at(path);
    }

    /// Takes in what was changed in another scope.
    pub(super) fn take_changes(&mut self, other: &Self) {
        let known = other.changed.iter().filter(|(path, _)| !path.starts_with(CHANGED));
        known.for_each(|(path, _)| self.change_at(path.clone()));
    }

    /// Takes in that something at `path`, or in it, has another value.
    fn change_at(&mut self, path: String) {
        let new = format!("{CHANGED}{}", self.changed.len());
        for variable in &mut self.variables {
            let is_path = matches!(variable.value, Expression::Path(_));
            if !is_path && variable.value.to_string().contains(&path) {
                variable.value = Expression::Path(format!("{new}{}", variable.name));
            }
        }
        self.changed.push((path, new));
    }

    /// Returns what a path stands for after what was changed: a value in it, or around it, can be another one.
    fn after_changes(&self, path: Expression) -> Expression {
        let Expression::Path(path) = path else { return path };
        let is_below = |inner: &str, outer: &str| inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('.'));
        let found = self.changed.iter().rev().find_map(|(changed, new)| match path.strip_prefix(changed.as_str()) {
            Some(rest) if rest.is_empty() || rest.starts_with('.') => Some(format!("{new}{rest}")),
            _ => is_below(changed, &path).then(|| format!("{new}{path}")),
        });
        Expression::Path(found.unwrap_or(path))
    }

    /// Joins what the variables are after different branches.
    pub(super) fn join(&mut self, other: &Self) {
        let new = other.changed.iter().filter(|one| !self.changed.contains(one)).cloned();
        self.changed.extend(new.collect::<Vec<_>>());
        for (mine, theirs) in self.variables.iter_mut().zip(&other.variables) {
            if mine != theirs {
                mine.value = limited(Expression::call(EITHER, vec![mine.value.clone(), theirs.value.clone()]));
            }
        }
    }

    /// Returns `expression` with what its names stand for.
    pub(super) fn resolve(&self, expression: &Expression) -> Expression {
        match expression {
            Expression::Text(_) | Expression::Word(_) => expression.clone(),
            Expression::Path(path) => self.path(path),
            Expression::Member(value, path) => fields(self.resolve(value), path),
            Expression::Call(function, arguments) => {
                let function = match function.starts_with(['.', '$']).then(|| self.path(function)) {
                    Some(method) => method.to_string(),
                    None => function.clone(),
                };
                Expression::Call(function, arguments.iter().map(|argument| self.resolve(argument)).collect())
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
        self.after_changes(fields(base, rest))
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

/// Returns the fields `path`, such as `.a.b`, of a resolved value.
fn fields(base: Expression, path: &str) -> Expression {
    path.split('.').filter(|name| !name.is_empty()).fold(base, field)
}

fn field(base: Expression, name: &str) -> Expression {
    match base {
        Expression::Path(mut path) => {
            path.push('.');
            path.push_str(name);
            Expression::Path(path)
        }
        Expression::Call(function, arguments) if function == "dict" => {
            let pair = arguments.chunks(2).find(|pair| matches!(pair, [Expression::Text(key), _] if key == name));
            match pair.and_then(<[_]>::last) {
                Some(value) => value.clone(),
                None => Expression::Member(Box::new(Expression::Call(function, arguments)), format!(".{name}")),
            }
        }
        Expression::Member(value, path) => Expression::Member(value, format!("{path}.{name}")),
        other => Expression::Member(Box::new(other), format!(".{name}")),
    }
}
