//! In which field do two objects differ, whatever their versions and metadata?

use serde_json::{Map, Value};

use crate::field::FieldPath;

/// Returns the first field in which `made` is not as `expected`.
pub(super) fn first_difference(expected: &Value, made: &Value) -> Option<FieldPath> {
    let keys = |value: &Value| value.as_object().into_iter().flat_map(Map::keys).cloned().collect::<Vec<_>>();
    let mut keys: Vec<String> = keys(expected).into_iter().chain(keys(made)).collect();
    keys.retain(|key| !["apiVersion", "kind", "metadata", "status"].contains(&key.as_str()));
    keys.iter().find_map(|key| difference(FieldPath::default().key(key), expected.get(key), made.get(key)))
}

fn difference(path: FieldPath, expected: Option<&Value>, made: Option<&Value>) -> Option<FieldPath> {
    match (expected, made) {
        (Some(Value::Object(expected)), Some(Value::Object(made))) => {
            let keys = expected.keys().chain(made.keys());
            keys.into_iter().find_map(|key| difference(path.key(key), expected.get(key), made.get(key)))
        }
        _ => (expected != made).then_some(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn metadata_and_versions_may_differ() {
        let object = |version: &str, name: &str, port: u16| json!({"apiVersion": version, "metadata": {"name": name}, "spec": {"l": [{"port": port}], "p": {"q": port}}});
        assert_eq!(first_difference(&object("v1", "a", 1), &object("v2", "b", 1)), None);
        let difference = first_difference(&object("v1", "a", 1), &object("v1", "a", 2)).unwrap();
        assert_eq!(difference.to_string(), "spec.l");
        let more = first_difference(&json!({"spec": {"a": 1}}), &json!({"spec": {"a": 1, "b": 1}})).unwrap();
        assert_eq!(more.to_string(), "spec.b");
    }
}
