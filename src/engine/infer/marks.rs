//! Answers: which release do the marks in a file name, which tools and authors leave in manifests that install a project?
//!
//! A mark is a comment or a label of manifests that were made for one release, or the URL of such manifests in a kustomization.
//!
//! Invariant: a release is named once for each file, by the first mark; a file without the text of a mark is not looked at.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::engine::finding::Location;
use crate::engine::manifest::Manifest;
use crate::knowledge::pack::wire::Marks;
use crate::syntax::field::FieldPath;
use crate::syntax::yaml::{find_node, read_value};

/// The label whose value is the release of what an object belongs to.
///
/// Source: Kubernetes, Recommended Labels.
const VERSION_LABEL: &str = "app.kubernetes.io/version";

/// The fields of a kustomization that can name manifests by their URL.
const RESOURCE_FIELDS: [&str; 3] = ["resources", "bases", "components"];

/// A mark that was found.
pub(super) struct Mark {
    pub(super) location: Location,
    /// Its text: `label app.kubernetes.io/version v2.3.0`.
    pub(super) text: String,
    pub(super) version: String,
    /// Whether it is in the manifests themselves, which are replaced as a whole.
    pub(super) is_of_manifests: bool,
}

/// Returns the marks of a file that `marks` describes, one for each version.
pub(super) fn marks_in(manifest: &Manifest, marks: &Marks) -> Vec<Mark> {
    let mut found = comments(manifest, &marks.comments);
    found.extend(labels(manifest, marks));
    found.extend(urls(manifest, &marks.repositories));
    let mut seen = BTreeSet::new();
    found.retain(|mark| seen.insert(mark.version.trim_start_matches('v').to_owned()));
    found
}

fn comments(manifest: &Manifest, texts: &[String]) -> Vec<Mark> {
    let (all, mut found) = (&*manifest.text, Vec::new());
    for text in texts {
        for (at, _) in all.match_indices(text.as_str()) {
            let start = all[..at].rfind('\n').map_or(0, |end| end + 1);
            // Only a comment starts there with this sign: the lines of a text in an object are indented.
            let is_comment = all[start..at].strip_prefix('#').is_some_and(|rest| rest.trim().is_empty());
            let version = all[at + text.len()..].lines().next().and_then(|rest| rest.split_whitespace().next());
            if let Some(version) = version.filter(|_| is_comment) {
                let (location, version) = (manifest.location(start), version.to_owned());
                found.push(Mark {
                    location,
                    text: format!("comment {text} {version}"),
                    version,
                    is_of_manifests: true,
                });
            }
        }
    }
    found
}

fn labels(manifest: &Manifest, marks: &Marks) -> Vec<Mark> {
    if marks.labels.is_empty() || !manifest.text.contains(VERSION_LABEL) {
        return Vec::new();
    }
    let place = FieldPath::default().key("metadata").key("labels");
    let in_document = |number: usize| {
        let labels = value_at(manifest, number, &place)?;
        let text = |key: &str| labels.get(key)?.as_str();
        let is_marked = marks.labels.iter().any(|(key, value)| text(key) == Some(value.as_str()));
        let version = text(VERSION_LABEL).filter(|_| is_marked)?.to_owned();
        let location = manifest.place_in(number, &place.key(VERSION_LABEL));
        Some(Mark { location, text: format!("label {VERSION_LABEL} {version}"), version, is_of_manifests: true })
    };
    (0..manifest.tree.documents().len()).filter_map(in_document).collect()
}

fn urls(manifest: &Manifest, repositories: &[String]) -> Vec<Mark> {
    let is_named = || repositories.iter().any(|repository| manifest.text.contains(repository.as_str()));
    if manifest.kustomization.is_none() || !is_named() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (number, field) in
        (0..manifest.tree.documents().len()).flat_map(|number| RESOURCE_FIELDS.map(|field| (number, field)))
    {
        let place = FieldPath::default().key(field);
        let Some(Value::Array(items)) = value_at(manifest, number, &place) else { continue };
        for (at, url) in items.iter().enumerate().filter_map(|(at, item)| Some((at, item.as_str()?))) {
            if let Some(version) = version_in(url, repositories) {
                let (location, version) = (manifest.place_in(number, &place.index(at)), version.to_owned());
                found.push(Mark { location, text: url.to_owned(), version, is_of_manifests: false });
            }
        }
    }
    found
}

/// Returns the release in the URL of a file or folder of one of `repositories`, for which Git and the releases of GitHub have forms.
fn version_in<'u>(url: &'u str, repositories: &[String]) -> Option<&'u str> {
    let behind = |repository: &String| {
        let (before, rest) = url.split_once(repository.as_str())?;
        let is_whole = before.ends_with(['/', ':']) && (rest.starts_with(['/', '?']) || rest.starts_with(".git"));
        is_whole.then_some(rest)
    };
    let rest = repositories.iter().find_map(behind)?;
    let released = rest.strip_prefix("/releases/download/").and_then(|rest| rest.split('/').next());
    let query = || rest.split_once('?').map_or("", |(_, query)| query).split('&');
    let version = released.or_else(|| query().find_map(|one| one.strip_prefix("ref=")));
    version.filter(|version| !version.is_empty())
}

/// Reads what a document has at a place.
fn value_at(manifest: &Manifest, document: usize, place: &FieldPath) -> Option<Value> {
    let (tree, text) = (&manifest.tree, &manifest.text);
    let node = find_node(tree, text, tree.documents()[document].root, place).ok()?;
    read_value(tree, text, node).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_name_the_release_in_a_query_or_a_path() {
        let repositories = ["a/shop".to_owned()];
        let check = |url: &str, expected: Option<&str>| assert_eq!(version_in(url, &repositories), expected, "{url}");
        check("https://github.com/a/shop/manifests/install?ref=v1.2.0", Some("v1.2.0"));
        check("github.com/a/shop//manifests/install?timeout=60s&ref=v1.2.0", Some("v1.2.0"));
        check("git@github.com:a/shop.git//install?ref=v1.2.0", Some("v1.2.0"));
        check("https://github.com/a/shop/releases/download/v1.2.0/install.yaml", Some("v1.2.0"));
        check("https://github.com/a/shop/releases/latest/download/install.yaml", None);
        check("https://github.com/a/shop/manifests/install", None);
        check("https://github.com/a/shop-extras/manifests/install?ref=v1.2.0", None);
        check("https://github.com/aa/shop/manifests/install?ref=v1.2.0", None);
    }
}
