//! Which folders does an object have a controller, such as that of Flux or Argo CD, apply?
//!
//! Paths with a pattern or a placeholder name no one folder, and an empty one names the whole repository: such are left out.

use super::kustomization::join;
use super::object::Object;
use crate::knowledge::carrier::{Carried, Carriers};
use crate::syntax::field::FieldPath;

/// Returns the folders that what is carried in a document names, from the root of the repository.
pub(super) fn folders(carried: &[Carried<'_>]) -> Vec<String> {
    let paths = carried.iter().filter_map(|one| one.carrier.folder.as_ref()?.text(one.around));
    let named = paths.filter(|path| !path.contains(['{', '*', '$'])).map(from_root);
    named.filter(|path| !path.is_empty()).collect()
}

/// Returns the folder that a mapping is for, if it names one next to what it carries.
pub(super) fn folder(carried: &Carried<'_>) -> Option<String> {
    carried.carrier.folder.as_ref()?.text(carried.around).map(from_root)
}

/// Returns the folder that what stands at `path` of an object is for, if the object names one.
pub(crate) fn folder_at(carriers: &Carriers, object: &Object, path: &FieldPath) -> Option<String> {
    let carried = carriers.in_object(&object.kind, &object.value);
    carried.iter().filter(|one| path.starts_with(&one.place)).find_map(folder)
}

fn from_root(path: &str) -> String {
    join("", path.trim_start_matches('/'))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::knowledge::carrier::CarrierFile;

    fn named(document: &Value) -> Vec<String> {
        let carriers = json!({"carriers": [
            {"kind": "Store.example.com", "each": "spec", "folder": "path"},
            {"kind": "Mall.example.com", "each": "spec.stores[]", "folder": "path"},
        ]});
        let file: CarrierFile = serde_json::from_value(carriers).unwrap();
        folders(&Carriers::new([&file]).in_document("a.yaml", document))
    }

    #[test]
    fn folders_are_named_from_the_root_of_the_repository() {
        let store = |path: &str| json!({"apiVersion": "example.com/v1", "kind": "Store", "spec": {"path": path}});
        for (path, expected) in
            [("./apps/live/", Some("apps/live")), ("/apps", Some("apps")), ("./", None), ("apps/${cluster}", None)]
        {
            assert_eq!(named(&store(path)).first().map(String::as_str), expected, "{path}");
        }
        let stores = json!([{"path": "a"}, {"chart": "b"}, {"path": "{{path}}"}, {"path": "c"}]);
        let mall = json!({"apiVersion": "example.com/v1", "kind": "Mall", "spec": {"stores": stores}});
        assert_eq!(named(&json!({"apiVersion": "v1", "kind": "List", "items": [mall]})), ["a", "c"]);
        assert!(named(&json!({"apiVersion": "example.org/v1", "kind": "Store", "spec": {"path": "a"}})).is_empty());
    }
}
