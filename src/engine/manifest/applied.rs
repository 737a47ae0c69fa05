//! Which folders does an object have a controller, such as that of Flux or Argo CD, apply, and of which repository?
//!
//! Paths with a pattern or a placeholder name no one folder, and an empty one names the whole repository: such are left out.

use super::kustomization::join;
use super::object::Object;
use crate::knowledge::carrier::{Carried, Carriers};
use crate::syntax::field::{Entries, FieldPath};

/// A folder that an object has a controller apply.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Folder {
    /// Its path from the root of the repository.
    pub(crate) path: String,
    /// The repository; none where the object does not name one.
    pub(crate) source: Option<Source>,
}

/// What an object has a controller apply, and how Kustomize builds it there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Applied {
    pub(crate) folder: Folder,
    /// The namespace that replaces that of every object.
    pub(crate) namespace: Option<String>,
    /// The prefix and the suffix of all names.
    pub(crate) affixes: [String; 2],
}

/// A repository, as objects name it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Source {
    /// Its address, or the kind and name of the object that stands for it.
    pub(crate) name: String,
    /// Whether it is called as the repository is that holds the objects themselves.
    pub(crate) is_called_own: bool,
}

/// The address of a repository that objects name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Repository {
    /// What [`Source::name`] is.
    pub(crate) name: String,
    pub(crate) address: String,
}

/// Returns the folders that what is carried in a document names.
pub(super) fn folders(carried: &[Carried<'_>]) -> Vec<Applied> {
    let named = carried.iter().filter_map(|one| {
        let text = |field: &Option<FieldPath>| field.as_ref()?.text(one.around).filter(|text| !text.is_empty());
        let affix = |field| text(field).unwrap_or_default().to_owned();
        Some(Applied {
            folder: folder(one)?,
            namespace: text(&one.carrier.namespace).map(str::to_owned),
            affixes: [&one.carrier.name_prefix, &one.carrier.name_suffix].map(affix),
        })
    });
    named.filter(|Applied { folder, .. }| !folder.path.is_empty() && is_plain(&folder.path)).collect()
}

/// Returns the folder that a mapping is for, if it names one next to what it carries.
pub(super) fn folder(carried: &Carried<'_>) -> Option<Folder> {
    let path = carried.carrier.folder.as_ref()?.text(carried.around)?;
    Some(Folder { path: join("", path.trim_start_matches('/')), source: source(carried) })
}

/// Returns the repositories whose addresses a document shows.
pub(super) fn repositories(carried: &[Carried<'_>]) -> Vec<Repository> {
    let shown = carried.iter().filter_map(|one| {
        let address = address(one)?;
        let name = match &one.carrier.folder {
            Some(_) => address.clone(),
            None => format!("{} {}", one.object.text("kind")?, one.object.get("metadata")?.text("name")?),
        };
        Some(Repository { name, address })
    });
    shown.collect()
}

fn source(carried: &Carried<'_>) -> Option<Source> {
    let fields = &carried.carrier.source;
    let text = |field: &Option<FieldPath>| field.as_ref()?.text(carried.around).filter(|text| is_plain(text));
    let called = text(&fields.kind).zip(text(&fields.name));
    let is_called_own = called.is_some_and(|(_, name)| fields.own.as_deref() == Some(name));
    let name = called.map(|(kind, name)| format!("{kind} {name}")).or_else(|| address(carried))?;
    Some(Source { name, is_called_own })
}

/// Returns the end of an address, which is the same whether it is reached by HTTPS or SSH: `me/fleet`.
fn address(carried: &Carried<'_>) -> Option<String> {
    let text = carried.carrier.source.address.as_ref()?.text(carried.around).filter(|text| is_plain(text))?;
    let text = text.trim_end_matches('/').trim_end_matches(".git").to_lowercase();
    let start = text.rmatch_indices(['/', ':']).nth(1).map_or(0, |(at, _)| at + 1);
    Some(text[start..].replace(':', "/"))
}

/// Returns whether a text is known as it is written.
fn is_plain(text: &str) -> bool {
    !text.contains(['{', '*', '$'])
}

/// Returns the folder that what stands at `path` of an object is for, if the object names one.
pub(crate) fn folder_at(carriers: &Carriers, object: &Object, path: &FieldPath) -> Option<Folder> {
    let carried = carriers.in_object(&object.kind, &object.value);
    carried.iter().filter(|one| path.starts_with(&one.place)).find_map(folder)
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
        let folders = folders(&Carriers::new([&file]).in_document("a.yaml", document));
        folders.into_iter().map(|applied| applied.folder.path).collect()
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
