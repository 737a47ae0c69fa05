//! Answers: which fields of a kind name another object, or another kind?
//!
//! A reference is a mapping with the named field `kind` and another one: `group` (or `apiGroup`, `apiVersion`), or `name`
//! where the group is understood. Its defaults are those of its own fields; releases that differ in them are distinguished.
//!
//! Invariant: every mapping that a schema gives the fields `kind` and `group` is found, in every release that has it.

use std::collections::BTreeMap;

use serde_json::Value;

use super::tree::Tree;
use crate::knowledge::release::{ReleaseId, ReleaseSet};
use crate::syntax::field::FieldPattern;

/// A field that names another object or kind: `parentRefs: [{kind: Gateway, name: web}]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The path of the mapping.
    pub pattern: FieldPattern,
    /// The releases (in any version) that have it so.
    pub releases: ReleaseSet,
    /// Where the group of the named kind comes from.
    pub group: GroupSource,
    /// The kind that the API server fills in.
    pub(crate) default_kind: Option<String>,
    /// Whether an object can be named, not a kind only.
    pub has_name: bool,
    /// Whether the object may live in another namespace.
    pub has_namespace: bool,
}

/// The field of a reference with its group.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GroupSource {
    /// A field holds the group: `group: gateway.networking.k8s.io`.
    Group {
        /// The field's name: `group` or `apiGroup`.
        field: String,
        /// What the API server fills in.
        default: Option<String>,
    },
    /// A field holds group and version: `apiVersion: source.toolkit.fluxcd.io/v1`.
    ApiVersion {
        /// What the API server fills in.
        default: Option<String>,
    },
    /// No field does: `secretStoreRef: {kind: SecretStore, name: vault}`.
    Implicit,
}

/// The fields of a reference, without its place.
type Shape = (GroupSource, Option<String>, bool, bool);

/// Checks every mapping of `tree`.
pub(super) fn references(tree: &Tree) -> Vec<Reference> {
    let mut found = Vec::new();
    for node in 0..tree.nodes.len() {
        let mut shapes: BTreeMap<Shape, Vec<ReleaseId>> = BTreeMap::new();
        for release in tree.nodes[node].releases.iter() {
            if let Some(shape) = shape(tree, node, release) {
                shapes.entry(shape).or_default().push(release);
            }
        }
        let mut shapes: Vec<_> = shapes.into_iter().collect();
        shapes.sort_by_key(|(_, releases)| releases[0]);
        found.extend(shapes.into_iter().map(|((group, default_kind, has_name, has_namespace), releases)| Reference {
            pattern: tree.pattern_of(node),
            releases: releases.into_iter().collect(),
            group,
            default_kind,
            has_name,
            has_namespace,
        }));
    }
    found
}

/// Returns the default groups of `references`; of two that a mapping has through the releases, the last comes last.
pub(super) fn default_groups(references: &[Reference]) -> impl DoubleEndedIterator<Item = (&FieldPattern, &str)> {
    references.iter().filter_map(|reference| match &reference.group {
        GroupSource::Group { default: Some(group), .. } => Some((&reference.pattern, group.as_str())),
        GroupSource::Group { default: None, .. } | GroupSource::ApiVersion { .. } | GroupSource::Implicit => None,
    })
}

fn shape(tree: &Tree, node: usize, release: ReleaseId) -> Option<Shape> {
    let has = |key: &str| {
        let child = tree.nodes[node].key(key)?;
        tree.nodes[child].releases.contains(release).then_some(child)
    };
    let default = |child: usize| {
        let mut rows = tree.rows_of(child).iter().filter(|row| row.releases.contains(release));
        let text = |value: &Value| value.as_str().map(str::to_owned);
        rows.find_map(|row| tree.schemas[row.schema].attributes.default.as_ref().and_then(text))
    };
    let kind = has("kind")?;
    let group =
        |field: &str| has(field).map(|child| GroupSource::Group { field: field.to_owned(), default: default(child) });
    let api_version = || has("apiVersion").map(|child| GroupSource::ApiVersion { default: default(child) });
    let implicit = || has("name").map(|_| GroupSource::Implicit);
    let group = group("group").or_else(|| group("apiGroup")).or_else(api_version).or_else(implicit)?;
    Some((group, default(kind), has("name").is_some(), has("namespace").is_some()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::catalog::sample::{ALL, catalog, set};

    fn group(field: &str, default: Option<&str>) -> GroupSource {
        GroupSource::Group { field: field.to_owned(), default: default.map(str::to_owned) }
    }

    #[test]
    fn references_are_distinguished_by_their_defaults() {
        let found = catalog(
            "\
spec | object |  |  |  | ALL
spec.from | object |  |  |  | ALL
spec.from.apiGroup | string |  |  |  | ALL
spec.from.kind | string |  |  |  | ALL
spec.from.namespace | string |  |  |  | ALL
spec.refs | array |  |  |  | ALL
spec.refs[] | object |  |  |  | ALL
spec.refs[].group | string |  |  |  | standard v1.0.0
spec.refs[].group | string |  | {\"default\":\"example.com\"} |  | standard v2.0.0
spec.refs[].kind | string |  | {\"default\":\"Shop\"} |  | standard v1.0.0..v2.0.0
spec.refs[].name | string |  |  |  | ALL
spec.store | object |  |  |  | ALL
spec.store.kind | string |  |  |  | ALL
spec.store.name | string |  |  |  | ALL
spec.type | object |  |  |  | ALL
spec.type.kind | string |  |  |  | ALL
",
        );
        let found = found.references();
        let reference = |pattern: &str, releases: &str, group: GroupSource| Reference {
            pattern: FieldPattern::parse(pattern).unwrap(),
            releases: set(releases),
            group,
            default_kind: None,
            has_name: true,
            has_namespace: false,
        };
        let shop = |releases: &str, default: Option<&str>| Reference {
            default_kind: Some("Shop".to_owned()),
            ..reference("spec.refs[]", releases, group("group", default))
        };
        let from = reference("spec.from", ALL, group("apiGroup", None));
        let expected = [
            Reference { has_name: false, has_namespace: true, ..from },
            shop("standard v1.0.0", None),
            shop("standard v2.0.0", Some("example.com")),
            reference("spec.store", ALL, GroupSource::Implicit),
        ];
        assert_eq!(found, expected);
    }
}
