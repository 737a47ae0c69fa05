//! How native conversions name the fields that they are about.

use serde_json::Value;

use crate::syntax::field::{FieldPath, FieldPattern};

/// A pattern that the program writes.
pub(super) fn pattern(text: &str) -> FieldPattern {
    FieldPattern::parse(text).expect("a native conversion writes patterns as rules do")
}

/// A path of keys that the program writes.
pub(super) fn path(text: &str) -> FieldPath {
    pattern(text).as_path().expect("a native conversion writes this path without `[]` and `{}`")
}

/// The items of the list at `path`, none where there is no list.
pub(super) fn items<'v>(object: &'v Value, path: &FieldPath) -> &'v [Value] {
    path.get(object).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}
