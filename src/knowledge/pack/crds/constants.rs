//! Answers: which constant is an expression of a CEL rule?
//!
//! Invariant: two constants are written alike only if CEL takes them for equal.

use kube_cel::cel::common::ast::{CallExpr, Expr, IdedExpr, LiteralValue, operators};

/// The largest whole number up to which all are told apart.
const EXACT: i64 = 1 << 53;

/// Returns the text of a constant; equal numbers have one.
pub(super) fn constant(expression: &IdedExpr) -> Option<String> {
    match (number(expression), &expression.expr) {
        // There are two zeros.
        (Some(number), _) => Some(if number == 0.0 { 0.0 } else { number }.to_string()),
        (None, Expr::Literal(LiteralValue::Boolean(value))) => Some(value.inner().to_string()),
        (None, Expr::Literal(literal)) => Some(format!("{literal:?}")),
        _ => None,
    }
}

/// Returns a number that is told apart from its neighbours.
pub(super) fn number(expression: &IdedExpr) -> Option<f64> {
    let whole = |number: i64| (-EXACT..=EXACT).contains(&number).then_some(number as f64);
    match &expression.expr {
        Expr::Literal(LiteralValue::Int(number)) => whole(*number.inner()),
        Expr::Literal(LiteralValue::UInt(number)) => whole(i64::try_from(*number.inner()).ok()?),
        Expr::Literal(LiteralValue::Double(number)) => Some(*number.inner()),
        Expr::Call(CallExpr { func_name, target: None, args }) if func_name == operators::NEGATE => {
            match args.as_slice() {
                [of] => Some(-number(of)?),
                _ => None,
            }
        }
        _ => None,
    }
}
