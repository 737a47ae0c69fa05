//! In which field do two objects differ, whatever their versions and names?

use serde_json::{Map, Value};

use crate::engine::convert::ANNOTATION;
use crate::syntax::field::FieldPath;

/// Returns the first field in which `made` is not as `expected`; of metadata, labels and annotations count. The stash of an object is not that
/// of what is built of it.
pub(super) fn first_difference(expected: &Value, made: &Value) -> Option<FieldPath> {
    let keys = |value: &Value| value.as_object().into_iter().flat_map(Map::keys).cloned().collect::<Vec<_>>();
    let mut keys: Vec<String> = keys(expected).into_iter().chain(keys(made)).collect();
    keys.retain(|key| !["apiVersion", "kind", "metadata", "status"].contains(&key.as_str()));
    let in_fields =
        keys.iter().find_map(|key| difference(FieldPath::default().key(key), expected.get(key), made.get(key)));
    in_fields
        .or_else(|| ["labels", "annotations"].into_iter().find_map(|key| difference_of_texts(key, [expected, made])))
}

/// Returns the first of the labels or annotations in which two objects differ.
fn difference_of_texts(key: &str, objects: [&Value; 2]) -> Option<FieldPath> {
    let path = FieldPath::default().key("metadata").key(key);
    let [expected, made] = objects.map(|object| path.get(object).and_then(Value::as_object));
    let keys = [expected, made].into_iter().flatten().flat_map(Map::keys).filter(|key| *key != ANNOTATION);
    let text = |map: Option<&Map<String, Value>>, key: &str| map.and_then(|map| map.get(key)).cloned();
    keys.into_iter().find(|key| text(expected, key) != text(made, key)).map(|key| path.key(key))
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
    fn labels_and_annotations_must_not_differ() {
        let object = |annotations: Value| json!({"metadata": {"name": "a", "annotations": annotations}});
        let difference = first_difference(&object(json!({"a": "x"})), &object(json!({"a": "y"}))).unwrap();
        assert_eq!(difference.to_string(), "metadata.annotations.a");
        assert!(first_difference(&object(json!({})), &object(json!({"b": "x"}))).is_some());
        let kept = object(json!({"reversion.dev/stash": "x"}));
        assert_eq!(first_difference(&kept, &json!({"metadata": {"name": "b"}})), None);
    }

    #[test]
    fn names_and_versions_may_differ() {
        let object = |version: &str, name: &str, port: u16| json!({"apiVersion": version, "metadata": {"name": name}, "spec": {"l": [{"port": port}], "p": {"q": port}}});
        assert_eq!(first_difference(&object("v1", "a", 1), &object("v2", "b", 1)), None);
        let difference = first_difference(&object("v1", "a", 1), &object("v1", "a", 2)).unwrap();
        assert_eq!(difference.to_string(), "spec.l");
        let more = first_difference(&json!({"spec": {"a": 1}}), &json!({"spec": {"a": 1, "b": 1}})).unwrap();
        assert_eq!(more.to_string(), "spec.b");
    }
}
