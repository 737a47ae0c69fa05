//! Which objects in the values of charts does Helm merge with what other files have?
//!
//! A part of an object cannot be converted. Two objects are converted one by one, if all that changes in them besides the apiVersion is in
//! lists: Helm replaces these.

use serde_json::Value;

use super::tied_files::{Id, TiedFiles};
use crate::engine::convert::Remark;
use crate::engine::finding::{Code, Finding};
use crate::syntax::field::FieldPath;

/// Finds the objects that would change, with the finding that says what is merged.
pub(crate) fn find(tied: &TiedFiles<'_>) -> Vec<(Id, Finding)> {
    let found = tied.files().flat_map(|(file, manifest)| {
        manifest.merged.iter().filter_map(move |merged| {
            let at = manifest.holder(merged.document, &merged.place).map(|(at, _)| at)?;
            let id = Id { file, at };
            let made = tied.conversion(id).filter(|_| tied.is_changed(id))?;
            if merged.is_object && is_merged_alike(&tied.object(id).value, &made.value) {
                return None;
            }
            let message = format!(
                "Helm merges it with what {} has for it, and what it makes of both converted can be something else",
                merged.with
            );
            let remark = Remark::new(Code::ConvertsTogether, FieldPath::default(), message)
                .help("convert both by hand, or write the whole object under one more key");
            Some(tied.held(id, &remark))
        })
    });
    found.collect()
}

/// Returns whether nothing but the apiVersion and what is in lists differs.
fn is_merged_alike(before: &Value, after: &Value) -> bool {
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => {
            before.len() == after.len()
                && before.iter().all(|(key, value)| {
                    key == "apiVersion" || after.get(key).is_some_and(|other| is_merged_alike(value, other))
                })
        }
        (Value::Array(_), Value::Array(_)) => true,
        _ => before == after,
    }
}
