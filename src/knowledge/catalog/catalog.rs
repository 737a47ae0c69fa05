//! Answers: which apiVersions, fields and references does one kind have in each release?
//!
//! [`Catalog`] puts together the apiVersions of the kind, its fields and the references among them, and hands objects to
//! [`facts`] and [`check`].
//!
//! Invariant: nothing of a catalog changes once it is read.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use serde_json::Value;

use super::check::{self, Violation};
use super::differences::{self, Described, Difference, SchemaName};
use super::facts::{self, Facts};
use super::header::{Header, Listing, Version, Word};
use super::read::{self, FieldLines};
use super::reference::{self, Reference};
use super::row::{Attributes, Field, Scope, Type};
use super::tree::{self, Reach, Row, Tree};
use crate::knowledge::release::{GroupKind, ReleaseId, ReleaseLine, ReleaseSet};
use crate::syntax::field::FieldPattern;

/// Everything known about one kind of a pack.
#[derive(Clone, Debug)]
pub struct Catalog {
    header: Header,
    /// The fields, read when they are first used: most runs ask most kinds for their apiVersions only.
    tree: OnceLock<Tree>,
    unread: Option<Unread>,
    /// What [`Catalog::references`] returns, computed when it is first used.
    references: OnceLock<Vec<Reference>>,
}

/// Fields that are not read at once.
#[derive(Clone, Debug)]
struct Unread {
    /// The text of the catalog, and how much of it was read.
    text: &'static dyn StoredText,
    read: usize,
    /// The number of the first line that was not read.
    first: usize,
    line: Arc<ReleaseLine>,
}

/// A text of the program that is made when it is first used.
pub(crate) trait StoredText: fmt::Debug + Sync {
    fn text(&self) -> &'static str;
}

/// The schema of a field in some releases, to make a catalog of.
pub(crate) struct FieldRow<'f> {
    pub(crate) pattern: &'f FieldPattern,
    pub(crate) kind: Type,
    pub(crate) required: bool,
    /// The column of a catalog's file, which the rows of many fields share.
    pub(crate) attributes: &'f str,
    /// The versions whose schemas have it; none for all.
    pub(crate) versions: &'f [String],
    pub(crate) releases: ReleaseSet,
}

impl Catalog {
    /// Reads the text of a catalog file whose releases are on `line`.
    ///
    /// # Errors
    /// A message with the line's number, from 1, for text that is no catalog or names a release that is not on `line`.
    pub fn parse(text: &str, line: &ReleaseLine) -> Result<Self, String> {
        let (header, fields) = read::header(text, line)?;
        let tree = OnceLock::from(read::tree(fields, line)?);
        Ok(Self { header, tree, unread: None, references: OnceLock::new() })
    }

    /// Reads what is before the fields in the text of a catalog file of the program; these are read when they are first used.
    ///
    /// # Errors
    /// As [`Catalog::parse`], as far as it is read.
    pub(crate) fn open(head: &str, text: &'static dyn StoredText, line: &Arc<ReleaseLine>) -> Result<Self, String> {
        let (header, FieldLines { text: fields, first }) = read::header(head, line)?;
        let unread = Some(Unread { text, read: head.len() - fields.len(), first, line: Arc::clone(line) });
        Ok(Self { header, tree: OnceLock::new(), unread, references: OnceLock::new() })
    }

    /// Makes the catalog of `fields`, in tree order.
    pub(crate) fn of<'f>(mut header: Header, fields: impl IntoIterator<Item = FieldRow<'f>>) -> Self {
        header.sort();
        let (mut tree, mut schemas) = (Tree::new(), BTreeMap::new());
        for field in fields {
            let schema = *schemas.entry(field.attributes).or_insert_with(|| {
                tree.add_schema(Attributes::parse(field.attributes).expect("a column was made of attributes"))
            });
            let node = tree.node_for(field.pattern);
            let FieldRow { kind, required, releases, .. } = field;
            tree.push(node, Row { kind, required, schema, versions: field.versions.to_vec(), releases });
        }
        Self { header, tree: OnceLock::from(tree), unread: None, references: OnceLock::new() }
    }

    pub(super) fn tree(&self) -> &Tree {
        self.tree.get_or_init(|| {
            let Unread { text, read, first, line } =
                self.unread.as_ref().expect("a catalog has its fields, or their lines");
            let lines = FieldLines { text: &text.text()[*read..], first: *first };
            read::tree(lines, line).expect("tests read the catalogs of the program")
        })
    }

    /// Returns the kind the catalog is about.
    pub const fn kind(&self) -> &GroupKind {
        &self.header.kind
    }

    /// Returns the scope, in the newest release where releases differ.
    pub fn scope(&self) -> Scope {
        let newest = self.header.scopes.iter().max_by_key(|(_, releases)| releases.iter().last());
        newest.map_or(Scope::Namespaced, |(scope, _)| *scope)
    }

    /// Returns the scope in one release, where that release lists the kind.
    pub fn scope_in(&self, release: ReleaseId) -> Option<Scope> {
        self.header.scopes.iter().find(|(_, releases)| releases.contains(release)).map(|(scope, _)| *scope)
    }

    /// Returns the releases in which a webhook converts objects from one version to another; in the others only the apiVersion
    /// changes.
    ///
    /// Source: `spec.conversion.strategy` of a CRD, `Webhook` or `None`.
    pub(crate) const fn converting_by_webhook(&self) -> ReleaseSet {
        self.header.webhook
    }

    /// Returns the releases that serve the kind in any version.
    pub fn releases(&self) -> ReleaseSet {
        self.header.listings.iter().fold(ReleaseSet::default(), |all, listing| all | listing.of(Word::Served))
    }

    /// Returns the versions that `release` serves, most stable first.
    pub fn served<'c>(&'c self, release: ReleaseId) -> Vec<Version<'c>> {
        let served = self.header.listings.iter().filter(|listing| listing.of(Word::Served).contains(release));
        let version = |listing: &'c Listing| Version {
            name: &listing.name,
            deprecated: listing.of(Word::Deprecated).contains(release),
            storage: listing.of(Word::Storage).contains(release),
        };
        served.map(version).collect()
    }

    /// Returns whether two releases both have the kind or both lack it, serve the same versions, and have the same schema of every field.
    pub(crate) fn is_alike_in(&self, one: ReleaseId, other: ReleaseId) -> bool {
        let in_both = |releases: ReleaseSet| releases.contains(one) == releases.contains(other);
        in_both(self.releases())
            && self.header.listings.iter().all(|listing| in_both(listing.of(Word::Served)))
            && self.tree().rows.iter().all(|row| in_both(row.releases))
    }

    /// Returns those of `releases` in which an object of the version `own` must meet another schema than in the one before, of those returned.
    pub(crate) fn distinct_for(&self, own: &str, releases: ReleaseSet) -> Vec<ReleaseId> {
        let mut distinct: Vec<ReleaseId> = Vec::new();
        for release in releases.iter() {
            let is_same = |last: &ReleaseId| {
                self.is_alike_in(*last, release) && self.version_in(*last, own) == self.version_in(release, own)
            };
            if !distinct.last().is_some_and(is_same) {
                distinct.push(release);
            }
        }
        distinct
    }

    /// Returns the versions' names that any release lists, most stable first.
    pub fn versions(&self) -> impl Iterator<Item = &str> {
        self.header.listings.iter().map(|listing| listing.name.as_str())
    }

    /// Returns the releases that serve the version `name` (`v1beta1`).
    pub fn serving(&self, name: &str) -> ReleaseSet {
        self.saying(name, Word::Served)
    }

    /// Returns the releases that list the version `name` (`v1beta1`), served or not.
    pub fn listing(&self, name: &str) -> ReleaseSet {
        self.listing_of(name).map(Listing::listed).unwrap_or_default()
    }

    /// Returns the releases that store objects in the version `name` (`v1beta1`).
    pub fn storing(&self, name: &str) -> ReleaseSet {
        self.saying(name, Word::Storage)
    }

    /// Returns the releases that call the version `name` (`v1beta1`) deprecated.
    pub fn deprecating(&self, name: &str) -> ReleaseSet {
        self.saying(name, Word::Deprecated)
    }

    /// Returns every field, in tree order; fields whose schema changed come once per schema.
    pub fn fields(&self) -> impl Iterator<Item = Field<'_>> {
        let tree = self.tree();
        (0..tree.nodes.len()).flat_map(|node| tree.fields_at(node))
    }

    /// Returns the fields that `release` has in any version, in tree order.
    pub(crate) fn fields_in(&self, release: ReleaseId) -> impl Iterator<Item = Field<'_>> {
        let tree = self.tree();
        let nodes = (0..tree.nodes.len()).filter(move |node| tree.nodes[*node].releases.contains(release));
        nodes.flat_map(|node| tree.fields_at(node)).filter(move |field| field.releases.contains(release))
    }

    /// Returns whether a version that `release` serves has the fields of one pattern.
    pub(crate) fn has(&self, pattern: &FieldPattern, release: ReleaseId) -> bool {
        let tree = self.tree();
        let served = |node: usize| {
            move |of: &Listing| of.of(Word::Served).contains(release) && tree.row_in(node, release, &of.name).is_some()
        };
        tree.node_at(pattern).is_some_and(|node| self.header.listings.iter().any(served(node)))
    }

    /// Returns the fields of one pattern; a pattern without fields gives nothing.
    pub fn fields_of(&self, pattern: &FieldPattern) -> impl Iterator<Item = Field<'_>> {
        self.tree().node_at(pattern).into_iter().flat_map(|node| self.tree().fields_at(node))
    }

    /// Returns the version whose schema an object of the version `own` must meet in a release: its own, where the release has it.
    pub(crate) fn version_in<'c>(&'c self, release: ReleaseId, own: &'c str) -> &'c str {
        if self.listing(own).contains(release) {
            return own;
        }
        self.served(release).first().map_or("", |version| version.name)
    }

    /// Returns whether the fields of one pattern have the same schema for an object of the version `own` in all these releases, and in every version in
    /// `target` that has them.
    pub(crate) fn has_one_schema(
        &self,
        pattern: &FieldPattern,
        releases: ReleaseSet,
        target: ReleaseId,
        own: &str,
    ) -> bool {
        let Some(node) = self.tree().node_at(pattern) else { return false };
        let mut in_target = self.tree().rows_of(node).iter().filter(|row| row.releases.contains(target));
        let Some(first) = in_target.next() else { return false };
        let is_same = |row: &Row| (row.kind, row.schema) == (first.kind, first.schema);
        let row_in = |release: ReleaseId| self.tree().row_in(node, release, self.version_in(release, own));
        in_target.all(is_same) && releases.iter().all(|release| row_in(release).is_some_and(is_same))
    }

    /// Returns the releases that have the fields of one pattern.
    pub fn having(&self, pattern: &FieldPattern) -> ReleaseSet {
        self.tree().node_at(pattern).map_or_else(ReleaseSet::default, |node| self.tree().nodes[node].releases)
    }

    /// Returns what a pattern of a rule can name in any release.
    pub fn reach(&self, pattern: &FieldPattern) -> Reach<'_> {
        tree::reach(self.tree(), pattern, self.listed())
    }

    /// Returns the fields of one pattern as `release` has them in the version `name` (`v1beta1`).
    pub fn field(&self, pattern: &FieldPattern, release: ReleaseId, name: &str) -> Option<Field<'_>> {
        let node = self.tree().node_at(pattern)?;
        let row = self.tree().row_in(node, release, name)?;
        Some(self.tree().field_from(pattern.clone(), row))
    }

    /// Returns the value that `release` fills in for the fields of one pattern in the version `name` (`v1beta1`).
    pub fn default(&self, pattern: &FieldPattern, release: ReleaseId, name: &str) -> Option<&Value> {
        self.field(pattern, release, name)?.attributes.default.as_ref()
    }

    /// Returns every pattern whose value names another object or kind, in tree order.
    pub fn references(&self) -> &[Reference] {
        self.references.get_or_init(|| reference::references(self.tree()))
    }

    /// Returns the group that the API server fills in for each pattern of [`Catalog::references`] that has one.
    pub(crate) fn default_groups(&self) -> impl DoubleEndedIterator<Item = (&FieldPattern, &str)> {
        reference::default_groups(self.references())
    }

    /// Returns what the fields of `object` show about its release: one pass over every key but [`OUTSIDE`](super::tree::OUTSIDE).
    pub fn facts(&self, object: &Value) -> Facts {
        facts::facts(self.tree(), self.listed(), object)
    }

    /// Returns the violations of `object` against the schema of `release` in the version `name` (`v1beta1`), in document order.
    ///
    /// A field that no release knows is not a violation, and neither is null in a field that is optional.
    pub fn check(&self, object: &Value, release: ReleaseId, name: &str) -> Vec<Violation> {
        check::check(self.tree(), object, release, name)
    }

    /// Returns the fields that the schemas `old` and `new` do not describe alike, of those that `object` has; and those that it lacks
    /// and that the two fill in with other values.
    pub fn differences(&self, object: &Value, old: SchemaName<'_>, new: SchemaName<'_>) -> Vec<Difference> {
        self.differences_to(object, old, self, new)
    }

    /// Returns the same where `other` is the catalog that has the schema `new`: that of the kind in another API group.
    pub(crate) fn differences_to(
        &self,
        object: &Value,
        old: SchemaName<'_>,
        other: &Self,
        new: SchemaName<'_>,
    ) -> Vec<Difference> {
        let old = Described { tree: self.tree(), name: old };
        differences::differences(object, old, Described { tree: other.tree(), name: new })
    }

    /// Returns the keywords of a schema that are not checked, each list with the pattern of the fields that it is about.
    pub fn unchecked(&self, name: SchemaName<'_>) -> Vec<(FieldPattern, Vec<&str>)> {
        if self.tree().schemas.iter().all(|schema| schema.attributes.unchecked.is_empty()) {
            return Vec::new();
        }
        let of_node = |node: usize| {
            let row = self.tree().row_in(node, name.release, name.version)?;
            let keywords = self.tree().schemas[row.schema].attributes.unchecked.keys();
            let keywords: Vec<&str> = keywords.map(String::as_str).collect();
            (!keywords.is_empty()).then(|| (self.tree().pattern_of(node), keywords))
        };
        (0..self.tree().nodes.len()).filter_map(of_node).collect()
    }

    /// Returns the releases that list the kind in any version, served or not.
    pub fn listed(&self) -> ReleaseSet {
        self.header.listings.iter().fold(ReleaseSet::default(), |all, listing| all | listing.listed())
    }

    fn saying(&self, name: &str, word: Word) -> ReleaseSet {
        self.listing_of(name).map(|listing| listing.of(word)).unwrap_or_default()
    }

    fn listing_of(&self, name: &str) -> Option<&Listing> {
        self.header.listings.iter().find(|listing| listing.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::catalog::sample;
    use crate::knowledge::catalog::sample::{catalog, release, set};
    use serde_json::json;

    fn pattern(text: &str) -> FieldPattern {
        FieldPattern::parse(text).unwrap()
    }

    #[test]
    fn served_versions_come_most_stable_first() {
        let catalog = catalog("");
        let v1 = Version { name: "v1", deprecated: false, storage: true };
        assert_eq!(
            catalog.served(release("v2.0.0")),
            [v1, Version { name: "v1beta1", deprecated: true, storage: false }]
        );
        assert_eq!(catalog.served(release("v3.0.0")), [v1]);
        assert_eq!(catalog.serving("v1beta1"), set("standard v1.0.0..v2.0.0, experimental v1.0.0..v2.0.0"));
        assert_eq!(catalog.listing("v1beta1"), set("standard v1.0.0..v3.0.0, experimental v1.0.0..v2.0.0"));
        assert!(catalog.serving("v9").is_empty());
    }

    #[test]
    fn the_scope_is_that_of_the_newest_release() {
        let text = "kind | A.b\nscope | Namespaced | standard v1.0.0\nscope | Cluster | standard v2.0.0\n";
        let catalog = sample::read(text).unwrap();
        assert_eq!(catalog.scope(), Scope::Cluster);
        assert_eq!(catalog.scope_in(release("v1.0.0")), Some(Scope::Namespaced));
        assert_eq!(catalog.scope_in(release("v3.0.0")), None);
    }

    #[test]
    fn a_webhook_converts_in_the_releases_that_are_named() {
        let text = "kind | A.b\nconversion | webhook | standard v2.0.0\nserved | v1 | standard v1.0.0..v2.0.0\n";
        assert_eq!(sample::read(text).unwrap().converting_by_webhook(), set("standard v2.0.0"));
        assert!(catalog("").converting_by_webhook().is_empty());
        let error = sample::read("kind | A.b\nconversion | None | standard v2.0.0\n").unwrap_err();
        assert!(error.contains("`None` is not a conversion"), "{error}");
    }

    #[test]
    fn a_default_belongs_to_a_release_and_a_version() {
        let catalog = catalog(
            "spec | object | required |  |  | ALL\n\
             spec.size | integer |  | {\"default\":1} |  | standard v1.0.0\n\
             spec.size | integer |  | {\"default\":2} | v1 | standard v2.0.0\n",
        );
        let default = |bundle: &str, name: &str| catalog.default(&pattern("spec.size"), release(bundle), name).cloned();
        assert_eq!(default("v1.0.0", "v1beta1"), Some(json!(1)));
        assert_eq!(default("v2.0.0", "v1"), Some(json!(2)));
        assert_eq!(default("v2.0.0", "v1beta1"), None);
        assert_eq!(default("v3.0.0", "v1"), None);
    }

    #[test]
    fn fields_are_in_tree_order_with_their_patterns() {
        let catalog = catalog(
            "spec | object |  |  |  | ALL\n\
             spec.a | object |  |  |  | ALL\n\
             spec.a.z | string |  |  |  | standard v1.0.0\n\
             spec.a.z | string | required |  |  | standard v2.0.0\n\
             spec.a{} | array |  |  |  | standard v3.0.0\n\
             spec.a{}[] | string |  |  |  | standard v3.0.0\n\
             spec.a-b | string |  |  |  | ALL\n\
             spec[\"x.y\"] | string |  |  |  | ALL\n",
        );
        let found: Vec<String> = catalog.fields().map(|field| field.pattern.to_string()).collect();
        let expected =
            ["spec", "spec.a", "spec.a.z", "spec.a.z", "spec.a{}", "spec.a{}[]", "spec.a-b", "spec[\"x.y\"]"];
        assert_eq!(found, expected);
        assert_eq!(catalog.having(&pattern("spec.a.z")), set("standard v1.0.0..v2.0.0"));
        assert!(catalog.having(&pattern("spec.a.y")).is_empty());
        assert_eq!(catalog.fields_of(&pattern("spec.a.z")).filter(|field| field.required).count(), 1);
    }
}
