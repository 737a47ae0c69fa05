//! Answers: how is one object converted for one documented change, forward and backward?
//!
//! A [`Lens`] is a list of operations; running it on a [`Session`] changes the session's plain data and records every
//! change as an [`Intent`](crate::syntax::yaml::Intent), which the text layer performs on the bytes. Backward, the operations'
//! inverses run in reverse order. An operation of the language is one file here and one line in the list below; a change that is like
//! no other has a conversion in `native`. Parsing, `explain` and the laws derive from both.
//!
//! Parts: operations of the language: `rename` `relocate` (the operation `move`) `wrap` `embed` `values` `number` `when` `drop`
//! `default` `changed_default` (the operation `changed-default`) `distinct` `entries` `join` `concat` `units` `refuse` `retype`;
//! `native` (changes that are like no other); over `operation` `sequence` (the operations of a rule) `session` `condition` (with
//! its `verdict`) `amount` `references` (to and from other objects) `context` (those objects) over `object_view` `nearest` (of
//! namesakes) `namespace` `image` `premise` (what an operation expects of a field) `fidelity` `direction` `loss` `halt` `growth`
//! `template` (of a text to add) `origin` `order` (of keys, after converting back) `emptied` (mappings).
//!
//! Invariant: an operation finds its fields in the present data; where nothing has the form of its old side, it changes nothing.

use serde::de::{self, MapAccess};
use serde::{Deserialize, Deserializer};

use operation::Operation;

mod amount;
mod changed_default;
mod concat;
mod condition;
mod context;
mod default;
mod direction;
mod distinct;
mod drop;
mod embed;
mod emptied;
mod entries;
mod fidelity;
mod growth;
mod halt;
mod image;
mod join;
#[cfg(test)]
mod laws;
mod loss;
mod namespace;
mod native;
mod nearest;
mod number;
mod object_view;
mod operation;
mod order;
mod origin;
mod premise;
mod references;
mod refuse;
mod relocate;
mod rename;
mod retype;
mod sequence;
mod session;
mod template;
#[cfg(test)]
mod trial;
mod units;
mod values;
mod verdict;
mod when;
mod wrap;

pub(crate) use condition::Condition;
pub(crate) use context::Context;
pub use direction::Direction;
pub(crate) use emptied::{Emptied, Keep};
pub(crate) use fidelity::Fidelity;
pub use halt::Halt;
pub use image::Claims;
pub(crate) use image::Image;
pub(crate) use loss::{Equivalence, Loss, LossClass, Normalization};
pub(crate) use namespace::Namespace;
pub use native::CONVERSIONS;
pub(crate) use nearest::Builds;
pub(crate) use object_view::{ObjectId, ObjectPlace, ObjectView, some_of};
pub(crate) use operation::Constant;
pub use operation::Description;
pub(crate) use order::displaced;
pub(crate) use origin::{Reach, TracedPath, changes_below, trace};
pub use premise::Form;
pub(crate) use premise::{Premise, Side};
pub use sequence::Lens;
pub use session::Session;
pub(crate) use session::{Completeness, ObjectName};
pub(crate) use template::Template;
pub(crate) use when::at_each;

/// Lists the operations: module, type. The name in rule files is that of the type's description.
macro_rules! operations {
    ($($module:ident $type:ident;)*) => {
        /// Every operation of the lens language, in the order of the documentation.
        pub const OPERATIONS: &[Description] = &[$($module::$type::DESCRIPTION,)* native::DESCRIPTION];

        impl<'de> operation::Registry<'de> for Registry {
            fn read<A: MapAccess<'de>>(name: &str, map: &mut A) -> Result<Box<dyn Operation>, A::Error> {
                $(if name == $module::$type::DESCRIPTION.name {
                    return Ok(Box::new(map.next_value::<$module::$type>()?));
                })*
                if name == native::DESCRIPTION.name {
                    return native::find(&map.next_value::<String>()?).map_err(de::Error::custom);
                }
                let names = OPERATIONS.iter().map(|operation| operation.name).collect::<Vec<_>>().join(", ");
                Err(de::Error::custom(format!("there is no operation `{name}`; the operations are {names}")))
            }
        }
    };
}

operations! {
    rename Rename;
    relocate Move;
    wrap Wrap;
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
    retype Retype;
}

/// What is known by name: the operations of the language, then the native conversions.
pub(crate) fn described() -> impl Iterator<Item = &'static Description> {
    OPERATIONS.iter().chain(CONVERSIONS.iter().map(|conversion| &conversion.description))
}

/// The operations listed above.
struct Registry;

impl<'de> Deserialize<'de> for Box<dyn Operation> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        operation::read::<Registry, D>(deserializer)
    }
}

#[cfg(test)]
mod tests {
    use super::{described, laws};

    #[test]
    fn every_operation_keeps_the_laws_on_its_example() {
        described().for_each(|operation| laws::check_operation(operation.example));
    }
}
