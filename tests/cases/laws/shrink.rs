//! Answers: which smaller object also breaks the law?
//!
//! Values are removed one by one as long as the rest still breaks it.
//!
//! Invariant: what is returned breaks the law.

use reversion::internals::field::Step;
use reversion::internals::release::{ApiVersion, GroupKind};
use serde_json::Value;

use super::cases::walk;

/// Shrinks `object` while `breaks` returns true.
pub(crate) fn shrink(object: &Value, breaks: impl Fn(&Value) -> bool) -> Value {
    let mut small = object.clone();
    let mut left = 400;
    loop {
        let places: Vec<_> = walk(&small).into_iter().skip(1).map(|(path, _)| path).collect();
        let mut smaller = None;
        for path in places {
            let Some((parent, step)) = path.split_last() else { continue };
            let mut attempt = small.clone();
            match (parent.get_mut(&mut attempt), step) {
                (Some(Value::Object(map)), Step::Key(key)) => drop(map.shift_remove(key)),
                (Some(Value::Array(items)), Step::Index(index)) => drop(items.remove(*index)),
                _ => continue,
            }
            left -= 1;
            if breaks(&attempt) {
                smaller = Some(attempt);
                break;
            }
            if left == 0 {
                return small;
            }
        }
        match smaller {
            Some(attempt) => small = attempt,
            None => return small,
        }
    }
}

/// Returns whether `object` still has the kind `kind` and a name.
pub(crate) fn is_object_of(object: &Value, kind: &GroupKind) -> bool {
    let text = |key: &str| object[key].as_str().unwrap_or_default();
    text("kind") == kind.kind
        && ApiVersion::parse(text("apiVersion")).group == kind.group
        && object["metadata"]["name"].is_string()
}
