//! Answers: what does an operation do to plain data, in the tests of operations?
//!
//! Invariant: test code only.

use serde_json::Value;

use super::halt::Halt;
use super::operation::Operation;
use super::session::Session;

/// Reads an operation as a rule file writes it.
pub(super) fn operation(text: &str) -> Box<dyn Operation> {
    serde_yaml::from_str(text).expect("the test writes an operation")
}

/// Runs an operation: the data afterwards, and the number of losses.
pub(super) fn data(operation: &dyn Operation, before: &Value) -> Result<(Value, usize), Halt> {
    let mut session = Session::new(before.clone());
    operation.run(&mut session)?;
    let (value, program, losses) = session.finish();
    let mut replayed = before.clone();
    for intent in &program {
        intent.apply_data(&mut replayed).expect("recorded changes can be applied again");
    }
    assert_eq!(replayed, *value, "the program has every change");
    Ok((std::sync::Arc::unwrap_or_clone(value), losses.len()))
}
