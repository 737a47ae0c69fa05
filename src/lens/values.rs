//! The operation `values`: text values are replaced by a table.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Deserializer, de};
use serde_json::Value;

use super::halt::Halt;
use super::image::Claims;
use super::operation::{Description, Operation};
use super::session::Session;
use crate::field::FieldPattern;
use crate::release::GroupKind;
use crate::yaml::Intent;

/// `values: { field: spec.rules[].matches[].path.type, table: { Prefix: PathPrefix } }`
#[derive(Clone, Debug)]
pub(super) struct Values {
    field: FieldPattern,
    table: BTreeMap<String, String>,
}

impl Values {
    pub(super) const DESCRIPTION: Description = Description {
        name: "values",
        text: "Replaces the text value of `field` by the one that the table has for it; a value that is not in the table is left \
               unchanged. The table is one to one, and the inverse reads it from right to left. Exact.",
        example: "values: { field: \"spec.rules[].matches[].path.type\", table: { Prefix: PathPrefix } }",
    };
}

impl Operation for Values {
    fn run(&self, session: &mut Session) -> Result<(), Halt> {
        for path in self.field.matches(session.object()) {
            let old = path.get(session.object()).and_then(Value::as_str);
            if let Some(new) = old.and_then(|old| self.table.get(old)) {
                session.change(Intent::Replace { path, value: Value::from(new.as_str()) })?;
            }
        }
        Ok(())
    }

    fn inverse(&self, _kind: &GroupKind) -> Box<dyn Operation> {
        let table = self.table.iter().map(|(old, new)| (new.clone(), old.clone())).collect();
        Box::new(Self { field: self.field.clone(), table })
    }

    fn claims(&self) -> Claims {
        Claims::default()
    }

    fn value_image(&self, field: &FieldPattern, value: &str) -> Option<String> {
        (*field == self.field).then(|| self.table.get(value).cloned())?
    }
}

impl<'de> Deserialize<'de> for Values {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Wire {
            /// The field whose values are replaced.
            field: FieldPattern,
            /// The new value of each old one: `table: { Prefix: PathPrefix }`. No value may be there twice, on either side.
            table: BTreeMap<String, String>,
        }
        let Wire { field, table } = Wire::deserialize(deserializer)?;
        let new: BTreeSet<_> = table.values().collect();
        if new.len() < table.len() {
            return Err(de::Error::custom(format!("two values of {field} become the same one: the table must be one to one")));
        }
        if let Some(both) = new.into_iter().find(|value| table.contains_key(*value)) {
            return Err(de::Error::custom(format!("`{both}` is both an old and a new value of {field}: the two sides must have different values")));
        }
        Ok(Self { field, table })
    }
}
