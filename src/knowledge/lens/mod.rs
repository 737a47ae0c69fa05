//! Answers: how is one object converted for one documented change, forward and backward?
//!
//! A [`Lens`] is a list of operations; running it on a [`Session`] changes the session's plain data and records every
//! change as an [`Intent`](crate::syntax::yaml::Intent), which the text layer performs on the bytes. Backward, the operations'
//! inverses run in reverse order. An operation of the language is one file here and one line in the list below; a change that is like
//! no other has a conversion in `native`. Parsing, `explain` and the laws derive from both.
//!
//! Parts: operations of the language: `rename` `relocate` (the operation `move`) `wrap` `unwrap` `embed` `values` `number` `when` `drop`
//! `default` `changed_default` (the operation `changed-default`) `distinct` `entries` `join` `concat` `units` `refuse` `split` `retype`;
//! `native` (changes that are like no other); over `operation` (what each of them answers) `sequence` (the operations of a rule) `session` (over `growth`, its limits)
//! `open_parts` (what of the data is not known) `condition` (with its `verdict`) `amount` `references` (to and from other objects) `context` (those objects, and which of namesakes is nearest)
//! `template` (of a text to add) `origin` (of a path) `order` (of keys, after converting back).
//!
//! Invariant: an operation finds its fields in the present data; where nothing has the form of its old side, it changes nothing.

use std::fmt;

use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use operation::Operation;

mod amount;
mod changed_default;
mod concat;
mod condition;
mod context;
mod default;
mod distinct;
mod drop;
mod embed;
mod entries;
mod growth;
mod join;
#[cfg(test)]
mod laws;
mod native;
mod number;
mod open_parts;
mod operation;
mod order;
mod origin;
mod references;
mod refuse;
mod relocate;
mod rename;
mod retype;
mod sequence;
mod session;
mod split;
mod template;
#[cfg(test)]
mod trial;
mod units;
mod unwrap;
mod values;
mod verdict;
mod when;
mod wrap;

pub(crate) use condition::Condition;
pub(crate) use context::Builds;
pub use context::Context;
pub(crate) use context::{Namespace, ObjectId, ObjectPlace, ObjectView, some_of};
pub use native::CONVERSIONS;
pub(crate) use open_parts::{Hole, OpenParts};
pub use operation::{Claims, Description, Direction, Form, Image};
pub(crate) use operation::{Constant, Fidelity, Parameter, Premise, Side};
pub(crate) use order::displaced;
pub(crate) use origin::{Reach, TracedPath, changes_below, origin, trace};
pub use sequence::Lens;
pub(crate) use session::{Completeness, Destination, Equivalence, Loss, LossClass, NewObject, Normalization, Required};
pub use session::{Halt, Session};
pub(crate) use template::Template;
pub(crate) use when::{Emptied, Keep, at_each};

/// Lists the operations: module, type. The name in rule files is that of the type's description.
macro_rules! operations {
    ($($module:ident $type:ident;)*) => {
        /// Every operation of the lens language, in the order of the documentation.
        pub const OPERATIONS: &[Description] = &[$($module::$type::DESCRIPTION,)* native::DESCRIPTION];

        /// Reads the operation `name`, whose parameters are the next value of `map`.
        fn read<'de, A: MapAccess<'de>>(name: &str, map: &mut A) -> Result<Box<dyn Operation>, A::Error> {
            $(if name == $module::$type::DESCRIPTION.name {
                return Ok(Box::new(map.next_value::<$module::$type>()?));
            })*
            if name == native::DESCRIPTION.name {
                return native::find(&map.next_value::<String>()?).map_err(de::Error::custom);
            }
            let names = OPERATIONS.iter().map(|operation| operation.name).collect::<Vec<_>>().join(", ");
            Err(de::Error::custom(format!("there is no operation `{name}`; the operations are {names}")))
        }
    };
}

operations! {
    rename Rename;
    relocate Move;
    wrap Wrap;
    unwrap Unwrap;
    embed Embed;
    values Values;
    number Number;
    when When;
    drop Drop;
    default Default;
    changed_default ChangedDefault;
    entries Entries;
    distinct Distinct;
    join Join;
    concat Concat;
    units Units;
    refuse Refuse;
    split Split;
    retype Retype;
}

/// What is known by name: the operations of the language, then the native conversions.
pub(crate) fn described() -> impl Iterator<Item = &'static Description> {
    OPERATIONS.iter().chain(CONVERSIONS.iter().map(|conversion| &conversion.description))
}

impl<'de> Deserialize<'de> for Box<dyn Operation> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(OneKey)
    }
}

/// Reads an operation: a mapping whose one key is its name.
struct OneKey;

impl<'de> Visitor<'de> for OneKey {
    type Value = Box<dyn Operation>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("one operation, such as `rename: { field: spec.tls, to: validation }`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let name: String = map.next_key()?.ok_or_else(|| de::Error::custom("an operation has a name"))?;
        let operation = read(&name, &mut map)?;
        match map.next_key::<String>()? {
            None => Ok(operation),
            Some(second) => {
                Err(de::Error::custom(format!("`{second}` and `{name}` are in one item: write one operation per item")))
            }
        }
    }
}
