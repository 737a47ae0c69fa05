//! Answers: what does an operation do to plain data, in the tests of operations?
//!
//! Invariant: test code only.

use serde_json::Value;

use super::sequence::Lens;
use super::session::{Halt, Session};
use crate::knowledge::release::GroupKind;

/// Reads an operation as a rule file writes it.
pub(super) fn operation(text: &str) -> Lens {
    serde_yaml::from_str(&format!("- {text}")).expect("the test writes an operation")
}

/// Reads an operation, to convert back.
pub(super) fn inverse(text: &str) -> Lens {
    operation(text).inverse(&GroupKind::new("A", ""))
}

/// Runs operations: the data afterwards, and the number of losses.
pub(super) fn data(lens: &Lens, before: &Value) -> Result<(Value, usize), Halt> {
    let mut session = Session::new(before.clone());
    lens.run(&mut session)?;
    let (value, program, losses) = session.finish();
    let mut replayed = before.clone();
    for intent in &program {
        intent.apply_data(&mut replayed).expect("recorded changes can be applied again");
    }
    assert_eq!(replayed, *value, "the program has every change");
    Ok((std::sync::Arc::unwrap_or_clone(value), losses.len()))
}
