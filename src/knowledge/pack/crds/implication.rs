//! Answers: does a CEL rule accept every value that other rules accept, whatever the schema is, or of those that an older schema accepts?
//!
//! What a rule demands is read from its tree as a combination of [`Statement`]s, each of which an expression being true or false comes down
//! to; `!` stands at no combination. An error is neither true nor false, so that a statement and its opposite can both fail.
//!
//! Invariant: what is not certain is not claimed; what is not understood is a statement that only its like implies.

use std::cell::Cell;

use kube_cel::cel::common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr, IdedExpr, LiteralValue, operators};

use super::cel::{Macro, MacroCall, literal, macro_named, parsed};
use super::constants::{constant, number};
use super::without_new::{COMPARISONS, Compared, Outcomes, is_never_equal, outcomes};

/// How many steps a comparison of rules takes before it counts as not certain.
const FUEL: u32 = 20_000;

/// How the constant null is written.
const NULL: &str = "Null";

/// A CEL rule that can be compared with others.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    /// How it is written.
    pub(crate) text: String,
    /// Its tree, written in one way.
    tree: String,
    demand: Demand,
    runs: Runs,
}

/// When a rule is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Runs {
    Always,
    /// When an object is changed: it reads `oldSelf`.
    OnChange,
    /// Always, with an `oldSelf` that can be absent.
    WithOptional,
}

impl Rule {
    /// Reads a rule, in which `oldSelf` is optional or not; one that is malformed is equal to itself alone.
    pub(crate) fn read(rule: &str, is_optional: bool) -> Self {
        let text = rule.to_owned();
        let runs = match rule.contains("oldSelf") {
            false => Runs::Always,
            true if is_optional => Runs::WithOptional,
            true => Runs::OnChange,
        };
        let Some(expression) = parsed(rule) else {
            return Self { tree: text.clone(), demand: Demand::One(Statement::is(text.clone(), true)), text, runs };
        };
        let reader = Reader { items: Vec::new(), old: None };
        Self { text, tree: reader.text(&expression), demand: reader.demand(&expression, true), runs }
    }

    /// Returns what the rule demands of values that an older schema accepts: what that decides is decided.
    pub(crate) fn for_old(&self, value: &Compared<'_>) -> Self {
        let demand = parsed(&self.text)
            .map(|expression| Reader { items: Vec::new(), old: Some(value) }.demand(&expression, true));
        Self { demand: demand.unwrap_or_else(|| self.demand.clone()), ..self.clone() }
    }

    /// Returns how messages write it: on one line.
    pub(crate) fn words(&self) -> String {
        let words = self.text.split_whitespace().collect::<Vec<_>>().join(" ");
        if self.runs == Runs::WithOptional { words + " (with an optional oldSelf)" } else { words }
    }

    /// Returns whether it is the same rule, which may be written otherwise.
    pub(crate) fn is(&self, other: &Self) -> bool {
        self.tree == other.tree && self.runs == other.runs
    }

    /// Returns whether it certainly accepts all that every one of `others` accepts, each when it is evaluated.
    pub(crate) fn accepts_all_of<'r>(&'r self, others: impl IntoIterator<Item = &'r Self>) -> bool {
        let fuel = Cell::new(FUEL);
        let counts = |rule: &&Self| rule.runs == Runs::Always || rule.runs == self.runs;
        let given = others.into_iter().filter(counts).map(|rule| &rule.demand).collect();
        follows(&fuel, given, vec![&self.demand])
    }
}

/// What must be true of a value.
#[derive(Clone, Debug, PartialEq)]
enum Demand {
    One(Statement),
    /// All hold; of none: it is true.
    All(Vec<Self>),
    /// One holds; of none: it is false.
    Any(Vec<Self>),
}

impl Demand {
    const TRUE: Self = Self::All(Vec::new());
    const FALSE: Self = Self::Any(Vec::new());
}

/// A statement about an expression, which is known by its text.
#[derive(Clone, Debug, PartialEq)]
enum Statement {
    /// It is this value, or can be evaluated and is another one.
    Equal { of: String, value: String, is: bool },
    /// It can be evaluated.
    Known { of: String },
    /// It is less than another one, or more.
    Compared { of: String, is_less: bool, or_equal: bool, than: Than },
    /// What each item of a list fulfils, or at least one.
    Items { list: String, is_each: bool, demand: Box<Demand> },
}

/// What something is compared with.
#[derive(Clone, Debug, PartialEq)]
enum Than {
    Number(f64),
    Text(String),
}

impl Statement {
    fn is(of: String, value: bool) -> Self {
        Self::Equal { of, value: value.to_string(), is: true }
    }

    /// Returns whether what fulfils it fulfils `wide` too.
    fn implies(&self, wide: &Self, fuel: &Cell<u32>) -> bool {
        match (self, wide) {
            (Self::Equal { of, value, is }, Self::Equal { of: same, value: other, is: too }) if of == same => {
                if is == too { value == other } else { *is && value != other }
            }
            // What has a value is there.
            (Self::Equal { of, value, is: true }, Self::Equal { of: there, value: has, is }) => {
                value != NULL && *is == (has == "true") && is_presence(there, of)
            }
            (Self::Compared { of, .. }, Self::Equal { of: there, value: has, is }) => {
                *is == (has == "true") && is_presence(there, of)
            }
            (Self::Equal { of, .. } | Self::Compared { of, .. }, Self::Known { of: same }) => of == same,
            (
                Self::Compared { of, is_less, or_equal, than },
                Self::Compared { of: same, is_less: less, or_equal: equal, than: other },
            ) => {
                let at_same = *equal || !*or_equal;
                of == same
                    && is_less == less
                    && match (than, other) {
                        (Than::Number(than), Than::Number(other)) => {
                            (if *is_less { than < other } else { than > other }) || than == other && at_same
                        }
                        (than, other) => than == other && at_same,
                    }
            }
            (Self::Items { list, is_each, demand }, Self::Items { list: same, is_each: each, demand: wide }) => {
                list == same && is_each == each && follows(fuel, vec![demand], vec![wide])
            }
            _ => false,
        }
    }

    /// Returns the statement that cannot hold beside it.
    fn opposite(&self) -> Option<Self> {
        match self.clone() {
            Self::Equal { of, value, is } => Some(Self::Equal { of, value, is: !is }),
            Self::Compared { of, is_less, or_equal, than } => {
                Some(Self::Compared { of, is_less: !is_less, or_equal: !or_equal, than })
            }
            Self::Known { .. } | Self::Items { .. } => None,
        }
    }
}

/// Returns whether a text is the question whether `of` is there.
fn is_presence(text: &str, of: &str) -> bool {
    text.strip_prefix("has(").and_then(|rest| rest.strip_suffix(')')) == Some(of)
}

/// Returns whether one of `goals` certainly holds where all of `given` do.
fn follows(fuel: &Cell<u32>, given: Vec<&Demand>, goals: Vec<&Demand>) -> bool {
    let Some(left) = fuel.get().checked_sub(1) else { return false };
    fuel.set(left);
    let is_stated = given.iter().any(|given| goals.iter().any(|goal| given == goal || stated(given, goal, fuel)));
    if is_stated || is_impossible(&given, fuel) || is_one_or_the_other(&goals) {
        return true;
    }
    for (at, given_part) in given.iter().enumerate() {
        if let Demand::All(parts) = given_part {
            return follows(fuel, [without(&given, at), parts.iter().collect()].concat(), goals);
        }
    }
    for (at, goal) in goals.iter().enumerate() {
        match goal {
            Demand::Any(parts) => {
                return follows(fuel, given, [without(&goals, at), parts.iter().collect()].concat());
            }
            Demand::All(parts) => {
                let rest = without(&goals, at);
                return parts.iter().all(|part| follows(fuel, given.clone(), with(rest.clone(), part)));
            }
            Demand::One(_) => {}
        }
    }
    for (at, given_part) in given.iter().enumerate() {
        if let Demand::Any(parts) = given_part {
            let rest = without(&given, at);
            return parts.iter().all(|part| follows(fuel, with(rest.clone(), part), goals.clone()));
        }
    }
    false
}

fn without<'d>(all: &[&'d Demand], at: usize) -> Vec<&'d Demand> {
    [&all[..at], &all[at + 1..]].concat()
}

fn with<'d>(mut all: Vec<&'d Demand>, part: &'d Demand) -> Vec<&'d Demand> {
    all.push(part);
    all
}

fn stated(given: &Demand, goal: &Demand, fuel: &Cell<u32>) -> bool {
    matches!((given, goal), (Demand::One(given), Demand::One(goal)) if given.implies(goal, fuel))
}

/// Returns whether two statements exclude each other.
fn is_impossible<'d>(given: &[&'d Demand], fuel: &Cell<u32>) -> bool {
    let statement = |demand: &&'d Demand| if let Demand::One(statement) = demand { Some(statement) } else { None };
    let statements: Vec<&Statement> = given.iter().filter_map(statement).collect();
    let opposites: Vec<Statement> = statements.iter().copied().filter_map(Statement::opposite).collect();
    statements.iter().any(|one| opposites.iter().any(|opposite| one.implies(opposite, fuel)))
}

/// Returns whether two statements say that a field of the value is there, and that it is not: that is known of every value.
fn is_one_or_the_other(goals: &[&Demand]) -> bool {
    let presence = |goal: &&Demand| match goal {
        Demand::One(Statement::Equal { of, value, is: true }) if is_presence_in_self(of) => {
            Some((of.clone(), value == "true"))
        }
        _ => None,
    };
    let all: Vec<_> = goals.iter().filter_map(presence).collect();
    all.iter().any(|(of, is_there)| all.contains(&(of.clone(), !is_there)))
}

/// Returns whether a text is the question whether a field of the value itself is there, which cannot fail.
fn is_presence_in_self(text: &str) -> bool {
    let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    text.strip_prefix("has(self.").is_some_and(|field| field.trim_end_matches(')').bytes().all(is_of_name))
}

/// Reads expressions.
struct Reader<'e> {
    /// The variables of the macros around an expression.
    items: Vec<&'e str>,
    /// The schemas of the values that are read about; of all values where there are none.
    old: Option<&'e Compared<'e>>,
}

impl<'e> Reader<'e> {
    /// Reads what makes an expression true, or false.
    fn demand(&self, expression: &'e IdedExpr, is: bool) -> Demand {
        if let Some(Outcomes { yes, no, error }) = self.old_values().map(|old| outcomes(expression, old)) {
            match if is { (yes, no || error) } else { (no, yes || error) } {
                (false, _) => return Demand::FALSE,
                (true, false) => return Demand::TRUE,
                (true, true) => {}
            }
        }
        let read = match &expression.expr {
            Expr::Literal(LiteralValue::Boolean(value)) => {
                Some(if *value.inner() == is { Demand::TRUE } else { Demand::FALSE })
            }
            Expr::Call(call) => self.call(call, is),
            Expr::Comprehension(found) => self.quantified(found, is),
            _ => None,
        };
        read.unwrap_or_else(|| Demand::One(Statement::is(self.text(expression), is)))
    }

    /// Returns the schemas of the values, as long as an expression is about `self`.
    fn old_values(&self) -> Option<&'e Compared<'e>> {
        self.old.filter(|_| self.items.is_empty())
    }

    fn call(&self, call: &'e CallExpr, is: bool) -> Option<Demand> {
        if let Some(demand) = self.chosen(call, is) {
            return Some(demand);
        }
        let each = |parts: &'e [IdedExpr]| parts.iter().map(|part| self.demand(part, is)).collect();
        match (call.func_name.as_str(), call.args.as_slice()) {
            (operators::LOGICAL_AND, parts) => {
                Some(if is { Demand::All(each(parts)) } else { Demand::Any(each(parts)) })
            }
            (operators::LOGICAL_OR, parts) => {
                Some(if is { Demand::Any(each(parts)) } else { Demand::All(each(parts)) })
            }
            (operators::LOGICAL_NOT, [part]) => Some(self.demand(part, !is)),
            (operators::CONDITIONAL, [test, then, otherwise]) => {
                let both = |value, part| Demand::All(vec![self.demand(test, value), self.demand(part, is)]);
                Some(Demand::Any(vec![both(true, then), both(false, otherwise)]))
            }
            (operators::EQUALS, [one, other]) => Some(self.equal(one, other, is)),
            (operators::NOT_EQUALS, [one, other]) => Some(self.equal(one, other, !is)),
            (operators::IN, [value, list]) => {
                let Expr::List(list) = &list.expr else { return None };
                // Nothing is in an empty list, but what is asked for can be absent.
                let equal = |constant| self.equal_to(value, constant, is);
                let list = Some(list).filter(|list| !list.elements.is_empty())?;
                let each = list.elements.iter().map(equal).collect::<Option<_>>()?;
                Some(if is { Demand::Any(each) } else { Demand::All(each) })
            }
            (operators::LESS, [one, other]) => Some(self.compared([one, other], is, !is)),
            (operators::LESS_EQUALS, [one, other]) => Some(self.compared([one, other], is, is)),
            (operators::GREATER, [one, other]) => Some(self.compared([one, other], !is, !is)),
            (operators::GREATER_EQUALS, [one, other]) => Some(self.compared([one, other], !is, is)),
            _ => None,
        }
    }

    fn equal(&self, one: &'e IdedExpr, other: &'e IdedExpr, is: bool) -> Demand {
        for (of, value) in [(one, other), (other, one)] {
            match &value.expr {
                Expr::Literal(LiteralValue::Boolean(value)) if is_logical(of) => {
                    return self.demand(of, is == *value.inner());
                }
                _ => {}
            }
            if let Some(demand) = self.equal_to(of, value, is) {
                return demand;
            }
        }
        let mut sides = [self.text(one), self.text(other)];
        sides.sort();
        Demand::One(Statement::is(sides.join(" == "), is))
    }

    /// Reads what makes an expression a constant, or another value.
    fn equal_to(&self, of: &'e IdedExpr, value: &'e IdedExpr, is: bool) -> Option<Demand> {
        let written = constant(value)?;
        if let Some(known) = constant(of) {
            return Some(if (known == written) == is { Demand::TRUE } else { Demand::FALSE });
        }
        let of_old = self.old_values().zip(literal(value));
        let is_never = of_old.is_some_and(|(old, value)| is_never_equal(of, &value, old));
        let of = self.text(of);
        Some(match (is_never, is) {
            (true, true) => Demand::FALSE,
            (true, false) => Demand::One(Statement::Known { of }),
            (false, _) => Demand::One(Statement::Equal { of, value: written, is }),
        })
    }

    /// Reads a comparison with what a test chooses: it is one with either, where the test comes out so.
    fn chosen(&self, call: &'e CallExpr, is: bool) -> Option<Demand> {
        if !COMPARISONS.contains(&call.func_name.as_str()) {
            return None;
        }
        let (at, [test, then, otherwise]) = call.args.iter().enumerate().find_map(|(at, argument)| {
            let Expr::Call(CallExpr { func_name, args, .. }) = &argument.expr else { return None };
            let is_choice = func_name == operators::CONDITIONAL;
            Some((at, args.first_chunk::<3>().filter(|_| is_choice)?))
        })?;
        let with = |value, part: &IdedExpr| {
            let mut comparison = call.clone();
            comparison.args[at] = part.clone();
            let comparison = IdedExpr { id: part.id, expr: Expr::Call(comparison) };
            Demand::All(vec![self.demand(test, value), Reader::demand(self, &comparison, is)])
        };
        Some(Demand::Any(vec![with(true, then), with(false, otherwise)]))
    }

    fn compared(&self, [one, other]: [&'e IdedExpr; 2], is_less: bool, or_equal: bool) -> Demand {
        let (of, is_less, than) = match (number(one), number(other)) {
            (_, Some(number)) => (self.text(one), is_less, Than::Number(number)),
            (Some(number), None) => (self.text(other), !is_less, Than::Number(number)),
            (None, None) => {
                let (one, other) = (self.text(one), self.text(other));
                if one <= other { (one, is_less, Than::Text(other)) } else { (other, !is_less, Than::Text(one)) }
            }
        };
        Demand::One(Statement::Compared { of, is_less, or_equal, than })
    }

    fn quantified(&self, found: &'e ComprehensionExpr, is: bool) -> Option<Demand> {
        let MacroCall { name, list, item, body } = macro_named(found)?;
        let is_each = match name {
            Macro::All => is,
            Macro::Exists | Macro::ExistsOne => !is,
            Macro::Filter => return None,
        };
        let demand = Box::new(self.within(item).demand(body, is));
        let items = Demand::One(Statement::Items { list: self.text(list), is_each, demand });
        // Where exactly one fulfils it, at least one does.
        Some(match (name, is) {
            (Macro::ExistsOne, true) => Demand::All(vec![items, Demand::One(Statement::is(self.loop_text(found), is))]),
            (Macro::ExistsOne, false) => {
                Demand::Any(vec![items, Demand::One(Statement::is(self.loop_text(found), is))])
            }
            _ => items,
        })
    }

    fn within(&self, item: &'e str) -> Self {
        Self { items: self.items.iter().copied().chain([item]).collect(), old: self.old }
    }

    /// Writes a tree: two that are evaluated alike are written alike, as far as they differ in white space, quotes, brackets and names of
    /// variables.
    fn text(&self, expression: &'e IdedExpr) -> String {
        if let Some(constant) = constant(expression) {
            return constant;
        }
        let all = |parts: &'e [IdedExpr]| parts.iter().map(|part| self.text(part)).collect::<Vec<_>>().join(", ");
        match &expression.expr {
            Expr::Ident(name) => {
                let number = self.items.iter().rposition(|item| item == name);
                number.map_or_else(|| name.clone(), |number| format!("#{number}"))
            }
            Expr::Select(select) => {
                let path = format!("{}.{}", self.text(&select.operand), select.field);
                if select.test { format!("has({path})") } else { path }
            }
            // It is called in two ways.
            Expr::Call(CallExpr { func_name, target: None, args }) if func_name == "size" && args.len() == 1 => {
                format!("{}.size()", all(args))
            }
            Expr::Call(CallExpr { func_name, target, args }) => {
                let target = target.as_deref().map(|target| format!("{}.", self.text(target))).unwrap_or_default();
                format!("{target}{func_name}({})", all(args))
            }
            Expr::List(list) => format!("[{}]{:?}", all(&list.elements), list.optional_indices),
            Expr::Map(map) => {
                format!("{{{}}}", map.entries.iter().map(|entry| self.entry(&entry.expr)).collect::<String>())
            }
            Expr::Struct(of) => {
                let entries: String = of.entries.iter().map(|entry| self.entry(&entry.expr)).collect();
                format!("{}{{{entries}}}", of.type_name)
            }
            Expr::Comprehension(found) => self.loop_text(found),
            Expr::Literal(_) | Expr::Unspecified => format!("{:?}", expression.expr),
        }
    }

    fn loop_text(&self, found: &'e ComprehensionExpr) -> String {
        let ComprehensionExpr { iter_range, iter_var, accu_init, loop_cond, loop_step, result, .. } = found;
        let within = self.within(iter_var);
        let [cond, step] = [loop_cond, loop_step].map(|part| within.text(part));
        let other = found.iter_var2.as_deref().unwrap_or_default();
        let [range, init, result] = [iter_range, accu_init, result].map(|part| self.text(part));
        format!("loop({range}, {other}, {init}, {cond}, {step}, {result})")
    }

    fn entry(&self, entry: &'e EntryExpr) -> String {
        match entry {
            EntryExpr::StructField(field) => {
                format!("{} {}: {}, ", field.optional, field.field, self.text(&field.value))
            }
            EntryExpr::MapEntry(entry) => {
                format!("{} {}: {}, ", entry.optional, self.text(&entry.key), self.text(&entry.value))
            }
        }
    }
}

/// Returns whether an expression is made of what is true or false.
fn is_logical(expression: &IdedExpr) -> bool {
    const LOGICAL: [&str; 9] = [
        operators::LOGICAL_AND,
        operators::LOGICAL_OR,
        operators::LOGICAL_NOT,
        operators::EQUALS,
        operators::NOT_EQUALS,
        operators::LESS,
        operators::LESS_EQUALS,
        operators::GREATER,
        operators::GREATER_EQUALS,
    ];
    match &expression.expr {
        Expr::Call(call) => LOGICAL.contains(&call.func_name.as_str()),
        Expr::Select(field) => field.test,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use kube_cel::{CompiledSchema, Validator, compile_schema};
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;
    use serde_json::{Value, json};

    use super::super::cel::has_double_sign;
    use super::*;

    /// Compares two rules: whether the new one accepts all of the old one, and the other way round.
    #[track_caller]
    fn check(old: &str, new: &str, loosened: bool, tightened: bool) {
        let [before, after] = [old, new].map(|rule| Rule::read(rule, false));
        assert_eq!(
            (after.accepts_all_of([&before]), before.accepts_all_of([&after])),
            (loosened, tightened),
            "{old} -> {new}"
        );
    }

    #[test]
    fn an_alternative_more_accepts_more() {
        check("self == 'a' || self == 'b'", "self=='a' || self == 'c'", false, false);
        check("self == 'a'", "self == 'a' || self == 'b'", true, false);
        check("(self == 'a')", "self == 'b' || (self  ==  \"a\")", true, false);
        check("self == 'x || y'", "self == 'x' || self == 'y'", false, false);
        check("self in ['a']", "self in ['a', 'b']", true, false);
        check("self == 'a' || self == 'b'", "self in ['b', 'a']", true, true);
        check("!(self in ['a', 'b'])", "self != 'a'", true, false);
        check("self == 'a  b'", "self == 'a b'", false, false);
    }

    #[test]
    fn a_larger_number_accepts_more() {
        check("0 < self && self <= 6553", "0 < self && self <= 65535", true, false);
        check("self.size() >= 2", "self.size() >= 1 || has(self.a)", true, false);
        check("self <= 5", "self >= 5", false, false);
        check("self > 5", "self >= 5", true, false);
        check("9 >= self", "5 >= self", false, true);
        check("self >= -5", "self >= -9", true, false);
        check("!(self <= 9)", "!(self <= 5)", true, false);
        check("self < oldSelf", "oldSelf >= self", true, false);
        check("self <= 9 - 5", "self <= 9 - 8", false, false);
        check("self.t == (self.a <= 5)", "self.t == (self.a <= 9)", false, false);
        check("self == 1", "self != 1.0", false, false);
    }

    #[test]
    fn a_part_less_accepts_more() {
        check("has(self.a) && self.b > 1", "has(self.a)", true, false);
        check("!(has(self.a) && has(self.b))", "!has(self.a)", false, true);
        check("has(self.a) ? self.b : self.c", "has(self.a) ? self.b : self.c || true", true, false);
        check("a && b || c", "b || c", true, false);
        check("has(self.a) ? self.b > 1 : true", "!has(self.a) || self.b > 1", true, true);
        check("has(self.a) ? (has(self.b) ? c : true) : true", "!has(self.a) || !has(self.b) || c", true, true);
        check("has(self.a.b) ? self.c : true", "!has(self.a.b) || self.c", true, false);
        check("(a && b) == false", "!a", false, true);
        check("!a", "a != true", true, false);
    }

    #[test]
    fn what_fails_is_not_true() {
        // `self.a` can be absent, so that none of the two is true.
        check("true", "self.a > 5 || self.a <= 5", false, true);
        check("self.a > 5", "has(self.a)", true, false);
        check("self.a == 5", "has(self.a)", true, false);
        check("self.a == null", "has(self.a)", false, false);
        check("self.a != 5", "has(self.a)", false, false);
        check("self.a.b == 5", "has(self.a)", false, false);
        check("self.a && !self.a", "self.b", true, false);
    }

    #[test]
    fn what_only_holds_of_changes_says_nothing_of_new_objects() {
        check("self.s == oldSelf.s && self.n <= 5", "self.n <= 5", false, false);
        check("self.n <= 5", "self.n <= 5 && self.s == oldSelf.s", false, false);
        check("self.n <= 5", "self.n <= 9 || self.s == oldSelf.s", true, false);
        check("self.s == oldSelf.s && self.n <= 5", "self.s == oldSelf.s", true, false);
        let [plain, optional] = [false, true].map(|is_optional| Rule::read("self == oldSelf", is_optional));
        assert!(!plain.is(&optional) && !plain.accepts_all_of([&optional]) && !optional.accepts_all_of([&plain]));
    }

    #[test]
    fn what_is_absent_is_in_no_list() {
        check("true", "!(self.a in [])", false, true);
        check("self.n == 0.0", "self.n != -0.0", false, false);
    }

    #[test]
    fn a_sign_that_stands_twice_is_found() {
        for rule in ["!!a", "a && ! !b", "!\n!a", "a - -1", "--a", "a == '' && !!b", r"a == '\'' || !!b"] {
            assert!(has_double_sign(rule), "{rule}");
        }
        for rule in ["!a && !b", "a != !b", "a == '!!'", "a - b - 1", "!(!a)", "-a < -1", r"a == '\'!!'"] {
            assert!(!has_double_sign(rule), "{rule}");
        }
    }

    #[test]
    fn items_are_compared_by_what_is_said_of_each() {
        check("self.all(x, x <= 5)", "self.all(y, y <= 9)", true, false);
        check("!self.exists(x, x <= 9)", "!self.exists(x, x <= 5)", true, false);
        check("self.exists_one(x, x <= 5)", "self.exists_one(x, x <= 9)", false, false);
        check("self.exists_one(x, x <= 5)", "self.exists(x, x <= 9)", true, false);
        check("!self.exists(x, x <= 5)", "!self.exists_one(x, x <= 5)", true, false);
        check("self.map(x, x + 1) == [2]", "self.map(y, y + 1) == [2]", true, true);
    }

    #[test]
    fn a_comparison_with_a_choice_is_one_with_what_is_chosen() {
        check("(has(self.s) ? self.s : '') == 'x'", "has(self.s) && self.s == 'x'", true, true);
        check("(has(self.n) ? self.n : 0) <= 5", "!has(self.n) || self.n <= 5", true, false);
        check(
            "!has(self.s) || self.s == 'x' ? self.a : true",
            "(has(self.s) ? self.s : 'x') == 'x' ? self.a : true",
            true,
            true,
        );
        check("self.s in (has(self.a) ? ['x'] : ['y'])", "has(self.a) ? self.s == 'x' : self.s == 'y'", true, true);
        // The parser would read one `!`, so that each is like itself alone.
        check("!!has(self.a)", "!has(self.a)", false, false);
        check("!!has(self.a)", "!!has(self.a)", true, true);
    }

    /// Compares rules of two versions of a schema: `s` can be `z` and `f` is there in the newer one alone.
    #[track_caller]
    fn check_for_old(old: &str, new: &str, is_wider: bool) {
        let [before, after] = [SCHEMA.clone(), newer()];
        let rule = Rule::read(new, false).for_old(&compared(&before, &after));
        assert_eq!(
            rule.accepts_all_of([&Rule::read(old, false).for_old(&compared(&before, &after))]),
            is_wider,
            "{old} -> {new}"
        );
    }

    #[test]
    fn what_only_newer_values_can_be_is_left_out() {
        let old = "self.s == 'x' ? has(self.a) : !has(self.a)";
        check_for_old(old, "self.s == 'x' ? has(self.a) : self.s == 'z' ? has(self.f) : !has(self.a)", true);
        check_for_old(old, "self.s in ['x', 'z'] ? has(self.a) : !has(self.a)", true);
        check_for_old(old, "self.s in ['x', 'y'] ? has(self.a) : !has(self.a)", false);
        check_for_old(old, "self.s == 'x' ? has(self.a) : !has(self.a) && !has(self.f)", true);
        check_for_old(old, "self.s == 'x' ? has(self.a) && has(self.f) : !has(self.a)", false);
        check_for_old("has(self.a)", "self.s != 'z'", false);
        check_for_old("has(self.s)", "!has(self.f)", true);
        check_for_old("has(self.s)", "has(self.f) == false", true);
        check_for_old("has(self.s)", "!has(self.f) || true == has(self.a)", true);
        check_for_old("has(self.s)", "(has(self.f) == false ? 1 : 2) < 2", true);
        check_for_old("has(self.s)", "(has(self.f) ? self.f : 1) + 1 <= 2", true);
        check_for_old("has(self.s)", "(has(self.f) ? self.f : 1) + 1 <= 1", false);
        check_for_old("self.f > 4 && self.a", "has(self.f) || has(self.n)", true);
    }

    #[test]
    fn rules_that_differ_in_white_space_brackets_and_quotes_are_the_same() {
        let is = |one: &str, other: &str| Rule::read(one, false).is(&Rule::read(other, false));
        assert!(is("self.a>5&&self.b == 'x'", "(self.a > 5)\n  && self.b == \"x\""));
        assert!(is("size(self.a) < 5", "self.a.size() < 5"));
        assert!(!is("self == 'a  b'", "self == 'a b'"));
        assert!(!is("self == '5'", "self == 5"));
        assert!(!is("not a rule (", "not  a rule ("));
    }

    #[test]
    fn rules_are_compared_together() {
        let [whole, one, other] = ["a && b", "a", "b"].map(|rule| Rule::read(rule, false));
        assert!(whole.accepts_all_of([&one, &other]));
        assert!(!whole.accepts_all_of([&one]));
    }

    #[test]
    fn a_comparison_that_takes_too_long_is_not_certain() {
        let many =
            |from: usize| (0..24).map(|at| format!("(a{at} || b{})", at + from)).collect::<Vec<_>>().join(" && ");
        check(&many(0), &many(1), false, false);
    }

    /// Objects whose fields are there or not, with few values.
    static OBJECTS: LazyLock<Vec<Value>> = LazyLock::new(|| {
        let mut objects = vec![json!({})];
        let fields: [(&str, &[Value]); 5] = [
            ("a", &[Value::Null, json!(true), json!(false)]),
            ("n", &[Value::Null, json!(1), json!(4), json!(5), json!(6), json!(9)]),
            ("s", &[Value::Null, json!("x"), json!("y"), json!("z")]),
            ("f", &[Value::Null, json!(5)]),
            ("l", &[Value::Null, json!([]), json!([1]), json!([5, 9]), json!([4, 6])]),
        ];
        for (name, values) in fields {
            let with = |object: &Value| {
                let object = object.clone();
                values.iter().map(move |value| {
                    let mut object = object.clone();
                    if !value.is_null() {
                        object[name] = value.clone();
                    }
                    object
                })
            };
            objects = objects.iter().flat_map(with).collect();
        }
        objects
    });

    static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
        json!({
            "type": "object",
            "properties": {
                "a": {"type": "boolean"},
                "n": {"type": "integer"},
                "s": {"type": "string", "enum": ["x", "y"]},
                "l": {"type": "array", "items": {"type": "integer"}},
            },
        })
    });

    fn newer() -> Value {
        let mut schema = SCHEMA.clone();
        schema["properties"]["f"] = json!({"type": "integer"});
        schema["properties"]["s"]["enum"] = json!(["x", "y", "z"]);
        schema
    }

    fn compared<'s>(old: &'s Value, new: &'s Value) -> Compared<'s> {
        let [old, new] = [old, new].map(|schema| schema.as_object().unwrap());
        Compared { old, new, elsewhere: Vec::new(), stored: Vec::new(), is_pruned: true, defaults: Vec::new() }
    }

    fn compiled(rule: &str) -> CompiledSchema {
        let mut schema = newer();
        schema["x-kubernetes-validations"] = json!([{ "rule": rule }]);
        compile_schema(&schema)
    }

    fn any_rule() -> impl Strategy<Value = String> {
        let number = prop::sample::select(vec![4, 5, 6]);
        let operator = || prop::sample::select(vec!["<", "<=", ">", ">=", "==", "!="]);
        let compared =
            (operator(), number.clone(), any::<bool>()).prop_map(|(operator, number, is_first)| match is_first {
                true => format!("{number} {operator} self.n"),
                false => format!("self.n {operator} {number}"),
            });
        let items = (prop::sample::select(vec!["all", "exists", "exists_one"]), operator(), number)
            .prop_map(|(name, operator, number)| format!("self.l.{name}(x, x {operator} {number})"));
        let plain = prop::sample::select(vec![
            "self.a",
            "has(self.a)",
            "has(self.n)",
            "self.s == 'x'",
            "self.s in ['x', 'y']",
            "self.s != 'y'",
            "self.s == 'z'",
            "self.s in ['y', 'z']",
            "has(self.f)",
            "self.f > 4",
            "(has(self.n) ? self.n : 5) > 4",
            "self.a == false",
            "true",
            "self.l.size() > 1",
            "5 in self.l",
        ]);
        let atom = prop_oneof![2 => plain.prop_map(str::to_owned), 2 => compared, 1 => items];
        atom.prop_recursive(3, 8, 3, |inner| {
            let pair = (inner.clone(), inner.clone());
            prop_oneof![
                inner.clone().prop_map(|one| format!("!({one})")),
                pair.clone().prop_map(|(one, other)| format!("({one} && {other})")),
                pair.clone().prop_map(|(one, other)| format!("({one} || {other})")),
                pair.prop_map(|(one, other)| format!("(({one}) == ({other}))")),
                (inner.clone(), inner.clone(), inner)
                    .prop_map(|(test, one, other)| format!("({test} ? {one} : {other})")),
            ]
        })
    }

    /// Two rules of which one is often a part of the other one.
    fn any_pair() -> impl Strategy<Value = [String; 2]> {
        (any_rule(), any_rule(), any_rule(), 0..6).prop_map(|(one, other, third, form)| match form {
            0 => [one, other],
            1 => [format!("({one}) && ({other})"), one],
            2 => [one.clone(), format!("({other}) || ({one})")],
            3 => [format!("({one}) ? ({other}) : ({third})"), format!("({one}) ? ({other}) || ({third}) : ({third})")],
            4 => [format!("!(({one}) || ({other}))"), format!("!({one})")],
            _ => [one.replace('5', "4"), one],
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, rng_seed: RngSeed::Fixed(2026), ..ProptestConfig::with_cases(400) })]

        /// What runs the rules of CRDs accepts with one what it accepts with the other: of all objects, or of those of the older schema.
        #[test]
        fn what_is_said_to_accept_more_does(rules in any_pair()) {
            let [before, after] = [SCHEMA.clone(), newer()];
            let value = compared(&before, &after);
            let [old, new] = rules.each_ref().map(|rule| Rule::read(rule, false));
            for [(from, text), (to, other)] in [[(&old, &rules[0]), (&new, &rules[1])], [(&new, &rules[1]), (&old, &rules[0])]] {
                let of_all = to.accepts_all_of([from]);
                let of_old = to.for_old(&value).accepts_all_of([&from.for_old(&value)]);
                let [narrow, wide] = [text, other].map(|rule| compiled(rule));
                let accepts = |schema, object: &Value| Validator::new().validate_compiled(schema, object, None).is_ok();
                let counts = |object: &&Value| of_all || of_old && object["s"] != "z" && object.get("f").is_none();
                for object in OBJECTS.iter().filter(counts).filter(|object| accepts(&narrow, object)) {
                    prop_assert!(accepts(&wide, object), "{text} -> {other}: {object}");
                }
            }
        }
    }
}
