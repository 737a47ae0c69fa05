//! Which mappings in an object name a kind, under which keys?
//!
//! A reference is a mapping with `kind` and `group` (or `apiGroup`, or `apiVersion`), or with `kind` alone where the catalog gives the
//! field a default group ([`find`]), or one with the keys that a pack gives for the field ([`find_declared`]).
//!
//! Invariant: a string is never matched by itself.

use serde_json::{Map, Value};

use super::mappings::{holds_body, reference_roots, walk};
use crate::knowledge::catalog::Catalog;
use crate::knowledge::pack::{Packs, ReferenceField};
use crate::knowledge::release::{ApiVersion, GroupKind};
use crate::syntax::field::{Entries, FieldPath, FieldPattern, PathRef, member};

/// The keys under which a mapping names a kind, or an object of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Keys<'k> {
    pub(super) group: Option<&'k str>,
    pub(super) api_version: Option<&'k str>,
    pub(super) version: Option<&'k str>,
    pub(super) kind: Option<&'k str>,
    pub(super) resource: Option<&'k str>,
    pub(super) name: Option<&'k str>,
    namespace: Option<&'k str>,
}

/// A mapping that names a kind, or an object of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reference<'k> {
    /// The place of the mapping in the object.
    pub(crate) path: FieldPath,
    pub(super) keys: Keys<'k>,
    pub(crate) kind: GroupKind,
    pub(crate) version: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) namespace: Option<String>,
    /// Whether its group is not written, but that of its field.
    pub(super) takes_default: bool,
    pub(crate) beside: Beside,
}

/// What stands beside the kind in a mapping that names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beside {
    /// Names alone.
    Names,
    /// More than names: it can be part of an object of that kind.
    Body,
    /// The rest of an object.
    Object,
}

impl Keys<'static> {
    /// `{ kind: Gateway, name: a }`; a group is written under `group`.
    const KIND: Self = Self {
        group: Some("group"),
        api_version: None,
        version: None,
        kind: Some("kind"),
        resource: None,
        name: Some("name"),
        namespace: Some("namespace"),
    };

    /// Returns those of the usual keys that `map` has: `group` and `version` (as Kustomize has them), `apiGroup`, or `apiVersion`.
    fn usual(map: &Map<String, Value>) -> Self {
        let has = |key: &str| member(map, key).is_some_and(Value::is_string);
        if has("group") {
            Self { version: Some("version"), ..Self::KIND }
        } else if has("apiGroup") {
            Self { group: Some("apiGroup"), ..Self::KIND }
        } else if has("apiVersion") {
            Self { group: None, api_version: Some("apiVersion"), ..Self::KIND }
        } else {
            Self::KIND
        }
    }
}

impl Beside {
    fn in_mapping(map: &Map<String, Value>) -> Self {
        if map.contains_key("metadata") {
            Self::Object
        } else if map.iter().any(|(key, value)| holds_body(key, value)) {
            Self::Body
        } else {
            Self::Names
        }
    }
}

impl<'k> Keys<'k> {
    fn declared(field: &'k ReferenceField) -> Self {
        Self {
            group: field.group.as_deref(),
            api_version: field.api_version.as_deref(),
            version: field.version.as_deref(),
            kind: field.kind.as_deref(),
            resource: field.resource.as_deref(),
            name: field.name.as_deref(),
            namespace: field.namespace.as_deref(),
        }
    }

    /// The group that `map` gives.
    fn group_in<'v>(&self, map: &'v Map<String, Value>) -> Option<&'v str> {
        text(map, self.group).or_else(|| text(map, self.api_version).map(|version| split(version).0))
    }

    /// The version that `map` gives, without a group.
    fn version_in<'v>(&self, map: &'v Map<String, Value>) -> Option<&'v str> {
        match self.api_version {
            Some(_) => text(map, self.api_version).map(|version| split(version).1),
            None => text(map, self.version),
        }
    }

    /// Reads the mapping `map` at `path`, which names `kind`.
    fn read(self, path: FieldPath, map: &Map<String, Value>, kind: GroupKind) -> Reference<'k> {
        Reference {
            path,
            kind,
            version: self.version_in(map).map(str::to_owned),
            name: text(map, self.name).map(str::to_owned),
            namespace: text(map, self.namespace).map(str::to_owned),
            takes_default: self.group_in(map).is_none(),
            beside: Beside::in_mapping(map),
            keys: self,
        }
    }
}

fn text<'v>(map: &'v Map<String, Value>, key: Option<&str>) -> Option<&'v str> {
    member(map, key?).and_then(Value::as_str)
}

/// Splits an apiVersion into its group and version.
fn split(api_version: &str) -> (&str, &str) {
    api_version.split_once('/').unwrap_or(("", api_version))
}

impl Reference<'static> {
    /// Makes a reference of which `path` has the apiVersion alone, under `key`.
    pub(crate) fn written(
        path: FieldPath,
        key: &'static str,
        kind: GroupKind,
        version: String,
        name: Option<String>,
    ) -> Self {
        let keys = Keys { api_version: Some(key), group: None, kind: None, name: None, namespace: None, ..Keys::KIND };
        let version = Some(version);
        Self { path, keys, kind, version, name, namespace: None, takes_default: false, beside: Beside::Names }
    }
}

impl Reference<'_> {
    /// The version at its place in `object`.
    pub(crate) fn version_in<'v>(&self, object: &'v Value) -> Option<&'v str> {
        self.keys.version_in(self.path.get(object)?.as_object()?)
    }

    /// Whether its group is not written, but that of its field.
    pub(crate) const fn takes_default(&self) -> bool {
        self.takes_default
    }

    /// Whether its version stands behind the group, as in `example.com/v1`.
    pub(crate) const fn has_api_version(&self) -> bool {
        self.keys.api_version.is_some()
    }

    /// The place of the version, where one is given.
    pub(crate) fn version_path(&self) -> Option<FieldPath> {
        self.version.as_ref()?;
        self.keys.api_version.or(self.keys.version).map(|key| self.path.key(key))
    }
}

/// A mapping that names a kind under the usual keys, as it is written.
#[derive(Clone, Copy)]
pub(crate) struct Named<'v> {
    map: &'v Map<String, Value>,
    keys: Keys<'static>,
    pub(crate) kind: &'v str,
    pub(crate) group: Option<&'v str>,
}

impl<'v> Named<'v> {
    fn read(map: &'v Map<String, Value>) -> Option<Self> {
        let kind = text(map, Some("kind"))?;
        let keys = Keys::usual(map);
        Some(Self { map, keys, kind, group: keys.group_in(map) })
    }

    pub(crate) fn version(&self) -> Option<&'v str> {
        self.keys.version_in(self.map)
    }

    /// Returns the reference that the mapping is at `path`, where it gives its group, or has one by default.
    pub(crate) fn reference(
        self,
        path: FieldPath,
        default_group: impl FnOnce(&FieldPath) -> Option<String>,
    ) -> Option<Reference<'static>> {
        let group = self.group.map(str::to_owned).or_else(|| default_group(&path))?;
        Some(self.keys.read(path, self.map, GroupKind::new(self.kind, group)))
    }
}

/// Returns the kind that a mapping names under the usual keys, and its group where that is written.
pub(crate) fn named_kind(map: &Map<String, Value>) -> Option<(&str, Option<&str>)> {
    Named::read(map).map(|named| (named.kind, named.group))
}

/// Visits every mapping in the references of `object` that names a kind under the usual keys, with its path.
pub(crate) fn each_named<'v>(object: &'v Value, visit: &mut dyn FnMut(&PathRef<'_>, Named<'v>)) {
    for (place, part) in reference_roots(object) {
        walk(part, &place, &mut |at, map| {
            if let Some(named) = Named::read(map) {
                visit(at, named);
            }
        });
    }
}

/// Finds the owners that `object` gives in its metadata.
pub(crate) fn find_owners(object: &Value) -> Vec<Reference<'static>> {
    let owners = object.entry("metadata").map_or(&[][..], |metadata| metadata.items("ownerReferences"));
    if owners.is_empty() {
        return Vec::new();
    }
    let list = FieldPath::default().key("metadata").key("ownerReferences");
    let owners = owners.iter().enumerate();
    let named = owners.filter_map(|(at, owner)| Some((at, Named::read(owner.as_object()?)?)));
    named.filter_map(|(at, named)| named.reference(list.index(at), |_| None)).collect()
}

/// Finds the references in `object` to kinds that `is_wanted`, under the usual keys; `may_be` rules out kinds early, by the name alone. `catalog`
/// describes the object's kind, where it is known.
pub(crate) fn find(
    object: &Value,
    catalog: Option<&Catalog>,
    may_be: &dyn Fn(&str) -> bool,
    is_wanted: &dyn Fn(&GroupKind) -> bool,
) -> Vec<Reference<'static>> {
    let mut references = Vec::new();
    each_named(object, &mut |at, named| {
        if may_be(named.kind) {
            references.extend(named.reference(at.path(), |path| default_group(object, catalog?, path)));
        }
    });
    // An object inside another one, whole or in part, is no reference: it would have to be converted.
    references.retain(|reference| {
        let is_name = reference.keys.api_version.is_none() || reference.beside == Beside::Names;
        is_name && is_wanted(&reference.kind)
    });
    references
}

/// Returns the default group of the reference at `path`.
fn default_group(object: &Value, catalog: &Catalog, path: &FieldPath) -> Option<String> {
    let is_at =
        |pattern: &FieldPattern| pattern.parts().len() == path.steps().len() && pattern.matches(object).contains(path);
    let mut groups = catalog.default_groups().rev();
    groups.find(|(pattern, _)| is_at(pattern)).map(|(_, group)| group.to_owned())
}

/// Finds the references in `object` to one of `kinds` in the fields that a pack gives.
pub(crate) fn find_declared<'p, 'k, I: Iterator<Item = &'k GroupKind>>(
    object: &Value,
    packs: &'p Packs,
    kinds: impl Fn() -> I,
) -> Vec<Reference<'p>> {
    let own = own_kind(object);
    let fields = packs.iter().flat_map(|pack| pack.references()).filter(|field| field.kinds.contains(&own));
    let mut found = Vec::new();
    for field in fields {
        for path in field.at.matches(object) {
            let map = path.get(object).and_then(Value::as_object);
            found.extend(map.and_then(|map| read_declared(path, map, field, kinds())));
        }
    }
    found
}

/// Reads a mapping with the keys of `field`, where it names one of `kinds`.
fn read_declared<'p, 'k>(
    path: FieldPath,
    map: &Map<String, Value>,
    field: &'p ReferenceField,
    mut kinds: impl Iterator<Item = &'k GroupKind>,
) -> Option<Reference<'p>> {
    let keys = Keys::declared(field);
    let group = keys.group_in(map).or(field.default_group.as_deref())?;
    let kind = text(map, keys.kind).or(field.default_kind.as_deref());
    let resource = text(map, keys.resource);
    let is_named = |other: &&GroupKind| {
        other.group == group && (kind == Some(&other.kind) || resource.is_some_and(|name| name == other.plural()))
    };
    let kind = kinds.find(is_named)?;
    Some(Reference { beside: Beside::Names, ..keys.read(path, map, kind.clone()) })
}

/// Returns the kind that an object has by its own data.
fn own_kind(object: &Value) -> GroupKind {
    GroupKind::new(
        object.text("kind").unwrap_or_default(),
        ApiVersion::parse(object.text("apiVersion").unwrap_or_default()).group,
    )
}
