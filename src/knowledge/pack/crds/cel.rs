//! Answers: which relations among fields does a CEL rule state?
//!
//! The tree of the rule is read, never its text: presence, values, lengths and patterns of fields of `self`, combined in any way, and
//! items of lists that must differ. What is not one of these is not understood.
//!
//! Invariant: a rule is understood as a whole, or not at all.

use kube_cel::cel::common::ast::{CallExpr, ComprehensionExpr, Expr, IdedExpr, LiteralValue, SelectExpr, operators};
use kube_cel::cel::parser::Parser;
use serde_json::{Map, Value};

use super::formula::Formula;
use crate::knowledge::catalog::{Literal, Relation, compile};
use crate::syntax::field::{FieldPattern, Part};

/// What a rule states.
pub(super) enum Stated {
    /// Nothing about an object that is new: the rule compares with the object in the cluster.
    Nothing,
    /// Relations of the value that has the rule.
    OfValue(Vec<Relation>),
    /// Relations of each item of the list that has the rule.
    OfItems(Vec<Relation>),
}

/// Returns the tree of a rule; `None` where it is malformed or would be misread.
pub(super) fn parsed(rule: &str) -> Option<IdedExpr> {
    Parser::new().enable_optional_syntax(true).parse(rule).ok().filter(|_| !has_double_sign(rule))
}

/// Returns whether a rule cannot be read at all.
pub(crate) fn is_malformed(rule: &str) -> bool {
    Parser::new().enable_optional_syntax(true).parse(rule).is_err()
}

/// Returns whether a rule certainly reads `oldSelf`.
pub(crate) fn reads_old(rule: &str) -> bool {
    rule.contains("oldSelf") && parsed(rule).is_some_and(|expression| mentions(&expression, "oldSelf"))
}

/// Returns whether `!` or `-` stands twice before a value, of which the parser (cel 0.13) reads one.
pub(super) fn has_double_sign(rule: &str) -> bool {
    let (mut quote, mut sign) = (None, None);
    let mut characters = rule.chars();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (Some(_), '\\') => drop(characters.next()),
            (Some(open), _) => quote = quote.filter(|_| open != character),
            (None, '"' | '\'') => (quote, sign) = (Some(character), None),
            (None, '!' | '-') if sign == Some(character) => return true,
            (None, '!' | '-') => sign = Some(character),
            (None, other) => sign = sign.filter(|_| other.is_whitespace()),
        }
    }
    false
}

/// Reads the rule of a value whose schema is `schema`; `None` where it is not understood.
pub(super) fn stated(rule: &str, schema: &Map<String, Value>) -> Option<Stated> {
    let expression = parsed(rule)?;
    if mentions(&expression, "oldSelf") {
        return Some(Stated::Nothing);
    }
    if let Some(MacroCall { name: Macro::All, list, item, body }) = macro_of(&expression)
        && matches!(&list.expr, Expr::Ident(name) if name == "self")
    {
        let items = schema.get("items").and_then(Value::as_object)?;
        return match unique(item, body) {
            Some(relation) => Some(Stated::OfValue(vec![relation])),
            None => Some(Stated::OfItems(Reader { name: item, schema: items }.formula(body)?.relations()?)),
        };
    }
    Some(Stated::OfValue(Reader { name: "self", schema }.formula(&expression)?.relations()?))
}

/// Reads expressions about one value.
#[derive(Clone, Copy)]
struct Reader<'r> {
    /// The variable that holds the value.
    name: &'r str,
    schema: &'r Map<String, Value>,
}

/// A number that a rule compares.
enum Number {
    Known(i64),
    /// How long a value is.
    Length(FieldPattern),
    /// How many items of a list are such that all of the statements hold.
    Items(FieldPattern, Vec<Literal>),
    /// How many of some formulas are true.
    True(Vec<Formula>),
}

impl<'r> Reader<'r> {
    fn formula(self, expression: &IdedExpr) -> Option<Formula> {
        match &expression.expr {
            Expr::Literal(LiteralValue::Boolean(value)) => {
                Some(if *value.inner() { Formula::TRUE } else { Formula::FALSE })
            }
            Expr::Select(SelectExpr { operand, field, test: true }) => {
                Some(Formula::One(Literal::Present(self.path(operand)?.key(&unescaped(field)))))
            }
            Expr::Ident(_) | Expr::Select(_) => {
                Some(Formula::One(Literal::Is(self.path(expression)?, vec![true.into()])))
            }
            Expr::Call(call) => self.call(call),
            Expr::Comprehension(found) => self.quantified(found),
            _ => None,
        }
    }

    fn call(self, call: &CallExpr) -> Option<Formula> {
        let all = || call.args.iter().map(|part| self.formula(part)).collect::<Option<Vec<_>>>();
        match (call.func_name.as_str(), call.args.as_slice()) {
            (operators::LOGICAL_AND, _) => Some(Formula::All(all()?)),
            (operators::LOGICAL_OR, _) => Some(Formula::Any(all()?)),
            (operators::LOGICAL_NOT, [part]) => Some(self.formula(part)?.not()),
            (operators::CONDITIONAL, [test, then, otherwise]) => {
                Some(Formula::either(&self.formula(test)?, self.formula(then)?, self.formula(otherwise)?))
            }
            (operators::EQUALS, [one, other]) => self.equal(one, other),
            (operators::NOT_EQUALS, [one, other]) => Some(self.equal(one, other)?.not()),
            (operators::IN, [value, list]) => self.contained(value, list),
            (operators::GREATER, [one, other]) => self.more(one, other),
            (operators::LESS, [one, other]) => self.more(other, one),
            (operators::GREATER_EQUALS, [one, other]) => Some(self.more(other, one)?.not()),
            (operators::LESS_EQUALS, [one, other]) => Some(self.more(one, other)?.not()),
            (name, [text]) => self.text(name, call.target.as_deref()?, text),
            _ => None,
        }
    }

    fn equal(self, one: &IdedExpr, other: &IdedExpr) -> Option<Formula> {
        for (value, field) in [(one, other), (other, one)] {
            if let Some((value, field)) = literal(value).zip(self.path(field)) {
                return Some(Formula::One(Literal::Is(field, vec![value])));
            }
        }
        if let Some((one, other)) = self.number(one).zip(self.number(other)) {
            return Some(Formula::All(vec![more(&one, &other)?.not(), more(&other, &one)?.not()]));
        }
        if self.path(one).is_some() || self.path(other).is_some() {
            return None;
        }
        let (one, other) = (self.formula(one)?, self.formula(other)?);
        Some(Formula::either(&one, other.clone(), other.not()))
    }

    /// Reads `value in list`.
    fn contained(self, value: &IdedExpr, list: &IdedExpr) -> Option<Formula> {
        if let Expr::List(list) = &list.expr {
            let values = list.elements.iter().map(literal).collect::<Option<Vec<_>>>()?;
            return Some(Formula::One(Literal::Is(self.path(value)?, values)));
        }
        let (field, value) = (self.path(list)?, literal(value)?);
        let schema = self.schema_of(&field)?;
        if schema.contains_key("items") {
            let item = Literal::Is(FieldPattern::default(), vec![value]);
            return Some(Formula::One(Literal::MoreItems(field, vec![item], 0)));
        }
        Some(Formula::One(Literal::Present(field.key(value.as_str()?))))
    }

    fn more(self, one: &IdedExpr, other: &IdedExpr) -> Option<Formula> {
        more(&self.number(one)?, &self.number(other)?)
    }

    /// Reads a test of a text: `self.host.startsWith("*.")`.
    fn text(self, name: &str, text: &IdedExpr, other: &IdedExpr) -> Option<Formula> {
        let (field, other) = (self.path(text)?, literal(other)?);
        let (other, plain) = (other.as_str()?, regex::escape(other.as_str()?));
        let pattern = match name {
            "matches" => other.to_owned(),
            "startsWith" => format!("^{plain}"),
            "endsWith" => format!("{plain}$"),
            "contains" => plain,
            _ => return None,
        };
        compile(&pattern).ok()?;
        Some(Formula::One(Literal::Matches(field, pattern)))
    }

    fn quantified(self, found: &ComprehensionExpr) -> Option<Formula> {
        let macro_ = macro_named(found)?;
        if let Expr::List(list) = &macro_.list.expr {
            let each = list.elements.iter().map(|element| self.formula(element)).collect::<Option<Vec<_>>>()?;
            let is_itself = is_true(macro_.body, macro_.item);
            return match macro_.name {
                Macro::ExistsOne if is_itself => {
                    Some(Formula::All(vec![Formula::at_most_one(&each), Formula::Any(each)]))
                }
                Macro::Exists if is_itself => Some(Formula::Any(each)),
                Macro::All if is_itself => Some(Formula::All(each)),
                _ => None,
            };
        }
        let more = |formula: &Formula, number| {
            let (field, literals) = self.items(&macro_, formula)?;
            Some(Formula::One(Literal::MoreItems(field, literals, number)))
        };
        let body = self.of_item(&macro_)?;
        match macro_.name {
            Macro::All => Some(more(&body.not(), 0)?.not()),
            Macro::Exists => more(&body, 0),
            Macro::ExistsOne => Some(Formula::All(vec![more(&body, 0)?, more(&body, 1)?.not()])),
            Macro::Filter => None,
        }
    }

    /// Reads what a macro says of each item of a list.
    fn of_item(self, macro_: &MacroCall<'_>) -> Option<Formula> {
        let items = self.schema_of(&self.path(macro_.list)?)?.get("items")?.as_object()?;
        Reader { name: macro_.item, schema: items }.formula(macro_.body)
    }

    fn items(self, macro_: &MacroCall<'_>, formula: &Formula) -> Option<(FieldPattern, Vec<Literal>)> {
        Some((self.path(macro_.list)?, formula.literals()?))
    }

    fn number(self, expression: &IdedExpr) -> Option<Number> {
        match &expression.expr {
            Expr::Literal(LiteralValue::Int(number)) => Some(Number::Known(*number.inner())),
            Expr::Call(CallExpr { func_name, target, args }) => match (func_name.as_str(), target, args.as_slice()) {
                ("size", Some(of), []) => self.length(of),
                ("size", None, [of]) => self.length(of),
                (operators::ADD, None, [one, other]) => match (self.number(one)?, self.number(other)?) {
                    (Number::True(mut all), Number::True(more)) => {
                        all.extend(more);
                        Some(Number::True(all))
                    }
                    _ => None,
                },
                (operators::CONDITIONAL, None, [test, one, zero]) => match (self.number(one)?, self.number(zero)?) {
                    (Number::Known(1), Number::Known(0)) => Some(Number::True(vec![self.formula(test)?])),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        }
    }

    fn length(self, of: &IdedExpr) -> Option<Number> {
        let Expr::Comprehension(found) = &of.expr else { return Some(Number::Length(self.path(of)?)) };
        let macro_ = macro_named(found).filter(|found| found.name == Macro::Filter)?;
        if let Expr::List(list) = &macro_.list.expr {
            let each = list.elements.iter().map(|element| self.formula(element)).collect::<Option<_>>()?;
            return is_true(macro_.body, macro_.item).then_some(Number::True(each));
        }
        let (field, literals) = self.items(&macro_, &self.of_item(&macro_)?)?;
        Some(Number::Items(field, literals))
    }

    /// Reads the path of a field of the value.
    fn path(self, expression: &IdedExpr) -> Option<FieldPattern> {
        match &expression.expr {
            Expr::Ident(name) if name == self.name => Some(FieldPattern::default()),
            Expr::Select(SelectExpr { operand, field, test: false }) => {
                Some(self.path(operand)?.key(&unescaped(field)))
            }
            Expr::Call(CallExpr { func_name, target: None, args }) if func_name == operators::INDEX => {
                let [of, key] = args.as_slice() else { return None };
                Some(self.path(of)?.key(literal(key)?.as_str()?))
            }
            _ => None,
        }
    }

    fn schema_of(self, field: &FieldPattern) -> Option<&'r Map<String, Value>> {
        field.parts().iter().try_fold(self.schema, |schema, part| {
            let Part::Key(key) = part else { return None };
            let named = schema.get("properties").and_then(|properties| properties.get(key));
            named.or_else(|| schema.get("additionalProperties"))?.as_object()
        })
    }
}

/// Says that `one` is more than `other`.
fn more(one: &Number, other: &Number) -> Option<Formula> {
    match (one, other) {
        (Number::Known(one), Number::Known(other)) => Some(if one > other { Formula::TRUE } else { Formula::FALSE }),
        (number, Number::Known(than)) => more_than(number, *than),
        (Number::Known(one), number) => Some(more_than(number, one.checked_sub(1)?)?.not()),
        _ => None,
    }
}

fn more_than(number: &Number, than: i64) -> Option<Formula> {
    let Ok(than) = u64::try_from(than) else { return Some(Formula::TRUE) };
    match number {
        Number::Known(_) => None,
        Number::Length(field) => Some(Formula::One(Literal::Longer(field.clone(), than))),
        Number::Items(field, literals) => Some(Formula::One(Literal::MoreItems(field.clone(), literals.clone(), than))),
        Number::True(all) => match than {
            0 => Some(Formula::Any(all.clone())),
            1 => Some(Formula::at_most_one(all).not()),
            _ => None,
        },
    }
}

/// A macro of CEL that looks at each item of a list.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Macro {
    All,
    Exists,
    ExistsOne,
    Filter,
}

/// One call of a macro: `list.name(item, body)`.
#[derive(Clone, Copy)]
pub(super) struct MacroCall<'e> {
    pub(super) name: Macro,
    pub(super) list: &'e IdedExpr,
    pub(super) item: &'e str,
    pub(super) body: &'e IdedExpr,
}

fn macro_of(expression: &IdedExpr) -> Option<MacroCall<'_>> {
    if let Expr::Comprehension(found) = &expression.expr { macro_named(found) } else { None }
}

/// Finds the macro that the parser has written out as a loop.
pub(super) fn macro_named(found: &ComprehensionExpr) -> Option<MacroCall<'_>> {
    let ComprehensionExpr { iter_range: list, iter_var: item, iter_var2: None, accu_init, loop_step, .. } = found
    else {
        return None;
    };
    let Expr::Call(step) = &loop_step.expr else { return None };
    let call = |name, body| Some(MacroCall { name, list, item: item.as_str(), body });
    match (&accu_init.expr, step.func_name.as_str(), step.args.as_slice()) {
        (Expr::Literal(LiteralValue::Boolean(_)), operators::LOGICAL_AND, [_, body]) => call(Macro::All, body),
        (Expr::Literal(LiteralValue::Boolean(_)), operators::LOGICAL_OR, [_, body]) => call(Macro::Exists, body),
        (Expr::Literal(LiteralValue::Int(_)), operators::CONDITIONAL, [body, ..]) => call(Macro::ExistsOne, body),
        // Else it is `map`, which makes other items of them.
        (Expr::List(_), operators::CONDITIONAL, [body, step, _]) if adds(step, item) => call(Macro::Filter, body),
        _ => None,
    }
}

/// Returns whether the step of a loop adds the item itself to the result.
fn adds(step: &IdedExpr, item: &str) -> bool {
    let Expr::Call(CallExpr { args, .. }) = &step.expr else { return false };
    matches!(args.as_slice(), [_, IdedExpr { expr: Expr::List(added), .. }]
        if matches!(added.elements.as_slice(), [IdedExpr { expr: Expr::Ident(name), .. }] if name == item))
}

/// Returns whether an expression is `item` or `item == true`.
pub(super) fn is_true(expression: &IdedExpr, item: &str) -> bool {
    match &expression.expr {
        Expr::Ident(name) => name == item,
        Expr::Call(CallExpr { func_name, args, .. }) if func_name == operators::EQUALS => match args.as_slice() {
            [one, other] => is_true(one, item) && literal(other) == Some(true.into()),
            _ => false,
        },
        _ => false,
    }
}

/// Reads what `all` says of the items of the list `self`: that no other one has the same fields, `self.exists_one(other, ..)`; where a test
/// of the item comes before that, of the items that pass it.
fn unique(item: &str, body: &IdedExpr) -> Option<Relation> {
    let (of, found) = match &body.expr {
        Expr::Comprehension(found) => (Formula::TRUE, found),
        Expr::Call(CallExpr { func_name, args, .. }) => match (func_name.as_str(), args.as_slice()) {
            (operators::LOGICAL_OR, [test, IdedExpr { expr: Expr::Comprehension(found), .. }]) => {
                (of_item(item, test)?.not(), found)
            }
            (operators::CONDITIONAL, [test, IdedExpr { expr: Expr::Comprehension(found), .. }, always]) => {
                (Some(of_item(item, test)?).filter(|_| literal(always) == Some(true.into()))?, found)
            }
            _ => return None,
        },
        _ => return None,
    };
    let found = macro_named(found).filter(|found| found.name == Macro::ExistsOne)?;
    let by = same_fields(found.body, [item, found.item])?;
    let is_self = matches!(&found.list.expr, Expr::Ident(name) if name == "self");
    (is_self && !by.is_empty()).then_some(Relation::Unique { by, of: of.literals()? })
}

fn of_item(name: &str, test: &IdedExpr) -> Option<Formula> {
    Reader { name, schema: &Map::new() }.formula(test)
}

/// Returns the fields in which two items are the same, if the expression says nothing else; that they are there goes without saying.
fn same_fields(expression: &IdedExpr, items: [&str; 2]) -> Option<Vec<FieldPattern>> {
    let empty = Map::new();
    let path = |expression: &IdedExpr, name| Reader { name, schema: &empty }.path(expression);
    match &expression.expr {
        Expr::Select(SelectExpr { test: true, .. }) => Some(Vec::new()),
        Expr::Call(CallExpr { func_name, args, .. }) => match (func_name.as_str(), args.as_slice()) {
            (operators::LOGICAL_AND, [one, other]) => {
                let (mut one, other) = (same_fields(one, items)?, same_fields(other, items)?);
                one.extend(other);
                Some(one)
            }
            (operators::EQUALS, [one, other]) => {
                let of = |name| path(one, name).or_else(|| path(other, name));
                let [one, other] = [of(items[0])?, of(items[1])?];
                (one == other).then(|| vec![one])
            }
            _ => None,
        },
        _ => None,
    }
}

pub(super) fn literal(expression: &IdedExpr) -> Option<Value> {
    match &expression.expr {
        Expr::Literal(LiteralValue::String(text)) => Some(text.inner().into()),
        Expr::Literal(LiteralValue::Boolean(value)) => Some((*value.inner()).into()),
        Expr::Literal(LiteralValue::Int(number)) => Some((*number.inner()).into()),
        _ => None,
    }
}

/// Returns the name of a field that is written otherwise in CEL: `__namespace__`, `well__dash__known`.
pub(super) fn unescaped(name: &str) -> String {
    let keyword = name.strip_prefix("__").and_then(|name| name.strip_suffix("__"));
    let name = keyword.unwrap_or(name);
    name.replace("__dash__", "-").replace("__dot__", ".").replace("__slash__", "/").replace("__underscores__", "__")
}

/// Returns whether a variable is read anywhere in an expression.
fn mentions(expression: &IdedExpr, variable: &str) -> bool {
    let within = |part: &IdedExpr| mentions(part, variable);
    match &expression.expr {
        Expr::Ident(name) => name == variable,
        Expr::Select(select) => within(&select.operand),
        Expr::Call(call) => call.target.as_deref().is_some_and(within) || call.args.iter().any(within),
        Expr::List(list) => list.elements.iter().any(within),
        Expr::Comprehension(found) => within(&found.iter_range) || within(&found.loop_step),
        _ => false,
    }
}
