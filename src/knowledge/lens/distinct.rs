//! The operation `distinct`: a list becomes a set.

use std::collections::HashSet;

use serde::Deserialize;
use serde_json::Value;

use super::operation::{Description, Direction, Fidelity, Form, Operation, Pass, Premise, Side};
use super::session::{Halt, Session};
use crate::syntax::field::FieldPattern;

/// `distinct: { field: "spec.rules[].retry.codes" }`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Distinct {
    /// The list that becomes a set.
    field: FieldPattern,
}

impl Distinct {
    pub(super) const DESCRIPTION: Description = Description {
        name: "distinct",
        text: "Removes the items of the list `field` that equal an earlier one: the new side requires a set, and a set means \
               the same without them. No loss, but removed items do not come back; the inverse leaves the list unchanged.",
        example: "distinct: { field: \"spec.rules[].retry.codes\" }",
    };
}

impl Operation for Distinct {
    fn run(&self, pass: &Pass<'_>, session: &mut Session<'_>) -> Result<(), Halt> {
        if pass.direction == Direction::Backward {
            return Ok(());
        }
        for list in self.field.matches(session.object()) {
            let Some(items) = list.get(session.object()).and_then(Value::as_array) else { continue };
            let mut seen = HashSet::new();
            let repeated: Vec<_> = (0..items.len()).filter(|index| !seen.insert(&items[*index])).collect();
            for index in repeated.into_iter().rev() {
                session.record_normalization(&list.index(index), "an earlier item is the same");
                session.delete(list.index(index))?;
            }
        }
        Ok(())
    }

    fn premises(&self) -> Vec<Premise> {
        vec![Premise::new(&self.field, Form::List, Side::Either)]
    }

    fn makes_valid(&self, direction: Direction, field: &FieldPattern) -> bool {
        direction == Direction::Forward && *field == self.field
    }

    fn fidelities(&self, direction: Direction) -> Vec<Fidelity> {
        match direction {
            Direction::Forward => vec![Fidelity::Normalized],
            Direction::Backward => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::{data, operation};
    use serde_json::json;

    #[test]
    fn later_duplicates_are_removed() {
        let distinct = operation("distinct: { field: \"r[].c\" }");
        let before = json!({"r": [{"c": [500, 503, 500, "500", 503]}, {"c": 1}, {"c": []}]});
        let after = json!({"r": [{"c": [500, 503, "500"]}, {"c": 1}, {"c": []}]});
        assert_eq!(data(&distinct, &before), Ok((after.clone(), 0)));
        assert_eq!(data(&distinct, &after), Ok((after, 0)));
    }
}
