//! Answers: what does a pipeline compute, as far as its form shows?
//!
//! `a | f x` is the call `f x a`. Functions are names; what they do is a matter of `outputs` and `judge`.
//!
//! Invariant: every text is read as some expression; what has no known form is the call of a function without meaning.

use std::fmt;

use serde_json::Value;

/// How many parentheses and bars are read inside and behind each other.
const DEPTH: usize = 60;

/// The functions that change the mapping that is their first argument.
const CHANGING: [&str; 6] = ["merge", "mergeOverwrite", "mustMerge", "mustMergeOverwrite", "set", "unset"];

/// A function without meaning.
pub(super) const UNREAD: &str = "?";

/// A value that a pipeline computes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Expression {
    /// A string constant.
    Text(String),
    /// A number, `true`, `false` or `nil`.
    Word(String),
    /// Fields of the dot or of a variable: `.Values.x`, `$.x`, `$name.x`.
    Path(String),
    /// What is known of an item of a range.
    Data(Value),
    /// Fields of a value: `(f x).a`.
    Member(Box<Expression>, String),
    /// A function or method with its arguments.
    Call(String, Vec<Expression>),
}

impl Expression {
    pub(super) fn word(word: &str) -> Self {
        Self::Word(word.to_owned())
    }

    pub(super) fn call(function: &str, arguments: Vec<Self>) -> Self {
        Self::Call(function.to_owned(), arguments)
    }

    /// Counts its parts.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Text(_) | Self::Word(_) | Self::Path(_) | Self::Data(_) => 1,
            Self::Member(value, _) => 1 + value.size(),
            Self::Call(_, arguments) => 1 + arguments.iter().map(Self::size).sum::<usize>(),
        }
    }

    /// Returns the mapping that it changes, and the only key of it that can change, where that is known.
    pub(super) fn changed(&self) -> Option<(&Self, Option<&str>)> {
        let Self::Call(function, arguments) = self else { return None };
        let (mapping, rest) = arguments.split_first().filter(|_| CHANGING.contains(&function.as_str()))?;
        let key = match rest {
            [Self::Text(key), ..] if matches!(function.as_str(), "set" | "unset") => Some(key.as_str()),
            _ => None,
        };
        Some((mapping, key))
    }

    /// Returns whether something is changed where it is computed.
    pub(super) fn is_changing(&self) -> bool {
        match self {
            Self::Call(_, arguments) => self.changed().is_some() || arguments.iter().any(Self::is_changing),
            Self::Member(value, _) => value.is_changing(),
            Self::Text(_) | Self::Word(_) | Self::Path(_) | Self::Data(_) => false,
        }
    }

    /// Returns whether it is a constant.
    pub(super) fn is_constant(&self) -> bool {
        matches!(self, Self::Text(_) | Self::Word(_))
    }

    /// Returns the string constants in it.
    pub(super) fn texts(&self) -> Vec<&str> {
        match self {
            Self::Text(text) => vec![text],
            Self::Member(value, _) => value.texts(),
            Self::Call(_, arguments) => arguments.iter().flat_map(Self::texts).collect(),
            Self::Word(_) | Self::Path(_) | Self::Data(_) => Vec::new(),
        }
    }

    /// Returns the calls of a pipeline, the last one first.
    pub(super) fn pipe(&self) -> impl Iterator<Item = (&str, &[Self])> {
        let mut next = Some(self);
        std::iter::from_fn(move || match next {
            Some(Self::Call(function, arguments)) => {
                next = arguments.last();
                Some((function.as_str(), arguments.as_slice()))
            }
            _ => None,
        })
    }
}

/// Two expressions are printed alike if and only if they are equal.
impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => write!(f, "{text:?}"),
            Self::Word(text) | Self::Path(text) => f.write_str(text),
            Self::Data(value) => write!(f, "={value}"),
            Self::Member(value, path) => write!(f, "({value}){path}"),
            Self::Call(function, arguments) => {
                write!(f, "({function}")?;
                arguments.iter().try_for_each(|argument| write!(f, " {argument}"))?;
                f.write_str(")")
            }
        }
    }
}

/// What an action does with its value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Binding {
    /// It uses it.
    #[default]
    None,
    /// `$x := value`.
    Declare,
    /// `$x = value`.
    Assign,
}

/// The content of an action.
#[derive(Clone, Debug)]
pub(super) struct Pipeline {
    pub(super) binding: Binding,
    /// The names that are bound, with their dollar signs.
    pub(super) variables: Vec<String>,
    pub(super) value: Expression,
}

impl Default for Pipeline {
    fn default() -> Self {
        Self { binding: Binding::None, variables: Vec::new(), value: Expression::word("nil") }
    }
}

impl Pipeline {
    pub(super) fn parse(text: &str) -> Self {
        let mut tokens = Tokens { rest: text, depth: 0 };
        let (binding, variables) = tokens.bindings();
        let value = tokens.pipeline().filter(|_| tokens.next() == Some(Token::End));
        let unread = || Expression::call(UNREAD, vec![Expression::Text(text.to_owned())]);
        Self { binding, variables, value: value.unwrap_or_else(unread) }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token<'t> {
    Text(String),
    Word(&'t str),
    Path(&'t str),
    Sign(&'t str),
    End,
}

/// One operand: a function that may take those behind it, or a value.
enum Operand {
    Function(String),
    Value(Expression),
}

impl From<Operand> for Expression {
    fn from(operand: Operand) -> Self {
        match operand {
            Operand::Function(name) => Self::Call(name, Vec::new()),
            Operand::Value(value) => value,
        }
    }
}

#[derive(Clone)]
struct Tokens<'t> {
    rest: &'t str,
    depth: usize,
}

impl<'t> Tokens<'t> {
    fn take(&mut self, length: usize) -> &'t str {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        taken
    }

    fn take_while(&mut self, test: impl Fn(char) -> bool) -> &'t str {
        self.take(self.rest.find(|one| !test(one)).unwrap_or(self.rest.len()))
    }

    /// Reads one token; `None` where there is none that is known.
    fn next(&mut self) -> Option<Token<'t>> {
        self.rest = self.rest.trim_start();
        let Some(first) = self.rest.chars().next() else { return Some(Token::End) };
        match first {
            '"' => self.string().map(Token::Text),
            '`' => {
                let inside = self.rest[1..].find('`')?;
                Some(Token::Text(self.take(inside + 2)[1..=inside].to_owned()))
            }
            '.' | '$' => Some(Token::Path(self.take_while(|one| is_name(one) || one == '.' || one == '$'))),
            '(' | ')' | '|' | '=' | ',' => Some(Token::Sign(self.take(1))),
            ':' if self.rest.starts_with(":=") => Some(Token::Sign(self.take(2))),
            _ if is_name(first) || first == '-' || first == '+' => {
                Some(Token::Word(self.take_while(|one| is_name(one) || ".+-".contains(one))))
            }
            _ => None,
        }
    }

    fn peek(&self) -> Option<Token<'t>> {
        self.clone().next()
    }

    fn string(&mut self) -> Option<String> {
        let (mut text, mut characters) = (String::new(), self.rest[1..].char_indices());
        while let Some((at, one)) = characters.next() {
            match one {
                '"' => {
                    self.take(at + 2);
                    return Some(text);
                }
                '\\' => match characters.next()?.1 {
                    'n' => text.push('\n'),
                    't' => text.push('\t'),
                    'r' => text.push('\r'),
                    escaped @ ('"' | '\\' | '\'') => text.push(escaped),
                    // Rare, and then the expression is unread.
                    _ => return None,
                },
                one => text.push(one),
            }
        }
        None
    }

    /// Reads `$x :=`, `$x =` or `$x, $y :=`, if it is there.
    fn bindings(&mut self) -> (Binding, Vec<String>) {
        let (mut ahead, mut names) = (self.clone(), Vec::new());
        while let Some(Token::Path(name)) = ahead.next() {
            names.push(name.to_owned());
            let binding = match ahead.next() {
                Some(Token::Sign(":=")) => Binding::Declare,
                Some(Token::Sign("=")) => Binding::Assign,
                Some(Token::Sign(",")) => continue,
                _ => break,
            };
            *self = ahead;
            return (binding, names);
        }
        (Binding::None, Vec::new())
    }

    fn pipeline(&mut self) -> Option<Expression> {
        let outer = self.depth;
        let mut value = self.command(None)?;
        while self.peek() == Some(Token::Sign("|")) && self.depth < DEPTH {
            self.next();
            self.depth += 1;
            value = self.command(Some(value))?;
        }
        self.depth = outer;
        Some(value)
    }

    fn command(&mut self, piped: Option<Expression>) -> Option<Expression> {
        let first = self.operand()?;
        let mut arguments = Vec::new();
        while !matches!(self.peek()?, Token::End | Token::Sign("|" | ")")) {
            arguments.push(self.operand()?.into());
        }
        arguments.extend(piped);
        match first {
            Operand::Function(name) => Some(Expression::Call(name, arguments)),
            Operand::Value(value) if arguments.is_empty() => Some(value),
            Operand::Value(Expression::Path(method)) => Some(Expression::Call(method, arguments)),
            Operand::Value(_) => None,
        }
    }

    fn operand(&mut self) -> Option<Operand> {
        Some(match self.next()? {
            Token::Text(text) => Operand::Value(Expression::Text(text)),
            Token::Path(path) => Operand::Value(Expression::Path(path.to_owned())),
            Token::Word(word) if word == "true" || word == "false" || word == "nil" || !is_function(word) => {
                Operand::Value(Expression::word(word))
            }
            Token::Word(name) => Operand::Function(name.to_owned()),
            Token::Sign("(") if self.depth < DEPTH => {
                self.depth += 1;
                let value = self.pipeline()?;
                self.depth -= 1;
                if self.next() != Some(Token::Sign(")")) {
                    return None;
                }
                Operand::Value(self.with_fields(value))
            }
            _ => return None,
        })
    }

    /// Reads the fields directly behind a parenthesis.
    fn with_fields(&mut self, value: Expression) -> Expression {
        if !self.rest.starts_with('.') {
            return value;
        }
        let path = self.take_while(|one| is_name(one) || one == '.');
        Expression::Member(Box::new(value), path.to_owned())
    }
}

fn is_name(one: char) -> bool {
    one.is_alphanumeric() || one == '_'
}

fn is_function(word: &str) -> bool {
    word.starts_with(|first: char| first.is_alphabetic() || first == '_')
}
