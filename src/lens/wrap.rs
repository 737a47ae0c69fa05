//! The operation `wrap`: a value becomes a list with one item.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value;

use super::fidelity::Fidelity;
use super::halt::Halt;
use super::image::{Claims, Image};
use super::loss::LossClass;
use super::operation::{Description, Operation};
use super::session::Session;
use crate::field::{FieldPattern, Part};
use crate::release::GroupKind;
use crate::yaml::Intent;

/// `wrap: { field: spec.targetRef }`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wrap {
    /// The field whose value becomes a list.
    field: FieldPattern,
}

impl Wrap {
    pub(super) const DESCRIPTION: Description = Description {
        name: "wrap",
        text: "Makes the value of `field` the only item of a list, in the list style of the file. The inverse replaces the list \
               by its item: exact for one item, a `too-many-items` loss for more (the first is kept), refused for none.",
        example: "wrap: { field: spec.targetRef }",
    };
}

impl Operation for Wrap {
    fn run(&self, session: &mut Session) -> Result<(), Halt> {
        for path in self.field.matches(session.object()) {
            if !path.get(session.object()).is_some_and(Value::is_array) {
                session.change(Intent::WrapInList { path })?;
            }
        }
        Ok(())
    }

    fn inverse(&self, _kind: &GroupKind) -> Box<dyn Operation> {
        Box::new(Unwrap { field: self.field.clone() })
    }

    fn claims(&self) -> Claims {
        Claims::default()
    }

    fn makes_valid(&self, field: &FieldPattern) -> bool {
        *field == self.field
    }

    fn image(&self, field: &FieldPattern) -> Image {
        match field.parts().strip_prefix(self.field.parts()) {
            None | Some([]) => Image::Kept,
            Some(below) => {
                Image::Moved(self.field.with(Part::Items).join(&FieldPattern::new(below.iter().cloned())))
            }
        }
    }
}

/// The inverse of [`Wrap`]. Not written in rule files.
#[derive(Clone, Debug)]
struct Unwrap {
    field: FieldPattern,
}

impl Operation for Unwrap {
    fn run(&self, session: &mut Session) -> Result<(), Halt> {
        for path in self.field.matches(session.object()) {
            let Some(count) = path.get(session.object()).and_then(Value::as_array).map(Vec::len) else { continue };
            if count == 0 {
                let reason = format!("{path} is an empty list, and the target release requires exactly one value");
                return Err(Halt::Refused { at: path, reason, help: Some("add an item or remove the field".to_owned()) });
            }
            for index in (1..count).rev() {
                let item = path.index(index);
                session.record_loss(LossClass::Narrowed, &item, format!("the target release allows one item, and there are {count}"));
                session.change(Intent::Delete { path: item })?;
            }
            session.change(Intent::UnwrapList { path })?;
        }
        Ok(())
    }

    fn inverse(&self, _kind: &GroupKind) -> Box<dyn Operation> {
        Box::new(Wrap { field: self.field.clone() })
    }

    fn claims(&self) -> Claims {
        Claims::default()
    }

    fn makes_valid(&self, field: &FieldPattern) -> bool {
        *field == self.field
    }

    fn image(&self, field: &FieldPattern) -> Image {
        match field.parts().strip_prefix(self.field.with(Part::Items).parts()) {
            None => Image::Kept,
            Some(below) => Image::Moved(self.field.join(&FieldPattern::new(below.iter().cloned()))),
        }
    }

    fn fidelity(&self) -> Option<Fidelity> {
        Some(Fidelity::Refused)
    }

    fn fidelities(&self) -> BTreeSet<Fidelity> {
        BTreeSet::from([Fidelity::Exact, Fidelity::Lossy, Fidelity::Refused])
    }
}
