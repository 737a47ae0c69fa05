//! Which fields reference an object whose kind is renamed, and what must they hold afterwards?
//!
//! A reference is a mapping with `kind` and `group` (or `apiGroup`, or `apiVersion`), or with `kind` alone where the catalog gives the
//! field a default group. [`update`] rewrites those whose kind a rule of the run renames, in any object.
//!
//! Invariant: a string is never matched by itself.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::mappings::{holds_body, reference_roots, walk};
use crate::catalog::Catalog;
use crate::field::{FieldPath, FieldPattern, PathRef};
use crate::lens::{Halt, Session};
use crate::pack::{Packs, Target};
use crate::release::{ApiVersion, GroupKind};
use crate::yaml::{Intent, Place};

/// What a renamed kind becomes: its new kind, and the version that the target serves for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Successor {
    kind: GroupKind,
    version: String,
}

impl Successor {
    /// Returns the new kind.
    pub(crate) const fn kind(&self) -> &GroupKind {
        &self.kind
    }
}

/// The kinds that the rules towards a target rename.
pub(crate) type Renames = BTreeMap<GroupKind, Successor>;

/// Collects the kinds that `target`'s rules rename.
pub(crate) fn renames(target: &Target<'_>) -> Renames {
    let mut found: BTreeMap<GroupKind, GroupKind> = BTreeMap::new();
    for (rule, direction) in target.pack.rules_to(target.release) {
        let (from, to) = (rule.from_kind(direction), rule.to_kind(direction));
        if from != to {
            found.values_mut().filter(|kind| *kind == from).for_each(|kind| kind.clone_from(to));
            found.insert(from.clone(), to.clone());
        }
    }
    let serve = |(from, kind): (GroupKind, GroupKind)| {
        let catalog = target.pack.catalog(&kind)?;
        let version = catalog.served(target.release).first()?.name.to_owned();
        Some((from, Successor { kind, version }))
    };
    found.into_iter().filter_map(serve).collect()
}

/// A reference as it stands in an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reference {
    /// The place of the mapping in the object.
    pub(crate) path: FieldPath,
    /// What it names.
    pub(crate) kind: GroupKind,
    /// The name, where it gives one.
    pub(crate) name: Option<String>,
    /// The namespace, where it gives one.
    pub(crate) namespace: Option<String>,
    form: Form,
}

/// How a reference gives the API group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// `{ group: gateway.networking.k8s.io, kind: Gateway, name: a }`
    Group,
    /// `{ apiGroup: gateway.networking.k8s.io, kind: Gateway, name: a }`
    ApiGroup,
    /// `{ apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, name: a }`
    ApiVersion,
    /// `{ kind: Gateway, name: a }`, the group being the field's default.
    Default,
}

/// Finds every reference in `object` to a kind in `renames`; `catalog` describes the object's kind, where it is known.
pub(crate) fn find(object: &Value, catalog: Option<&Catalog>, renames: &Renames) -> Vec<Reference> {
    if renames.is_empty() {
        return Vec::new();
    }
    let may_be = |name: &str| renames.keys().any(|renamed| renamed.kind == name);
    find_where(object, catalog, &may_be, &|kind| renames.contains_key(kind))
}

/// Finds every reference in `object` to a kind that `is_wanted`; `may_be` rules out kinds early, by the name alone.
pub(crate) fn find_where(
    object: &Value,
    catalog: Option<&Catalog>,
    may_be: &dyn Fn(&str) -> bool,
    is_wanted: &dyn Fn(&GroupKind) -> bool,
) -> Vec<Reference> {
    let mut found = Vec::new();
    let mut visit = |at: &PathRef<'_>, map: &Map<String, Value>| {
        let kind = map.get("kind").and_then(Value::as_str);
        if kind.is_some_and(may_be) {
            let reference = read(&at.path(), map, |path| default_group(object, catalog?, path));
            found.extend(reference.filter(|reference| is_wanted(&reference.kind)));
        }
    };
    for (place, part) in reference_roots(object) {
        walk(part, &place, &mut visit);
    }
    found
}

/// Returns the default group of the reference at `path`.
fn default_group(object: &Value, catalog: &Catalog, path: &FieldPath) -> Option<String> {
    let is_at =
        |pattern: &FieldPattern| pattern.parts().len() == path.steps().len() && pattern.matches(object).contains(path);
    let mut groups = catalog.default_groups().rev();
    groups.find(|(pattern, _)| is_at(pattern)).map(|(_, group)| group.to_owned())
}

/// Returns `object` with every reference as the newest release of its pack spells it, its group written out: two objects that
/// differ in nothing but the release their references are spelled for become the same.
pub(crate) fn normal(object: Arc<Value>, catalog: Option<&Catalog>, packs: &Packs) -> Arc<Value> {
    let renames: Renames = packs.iter().filter_map(Target::newest).flat_map(|target| renames(&target)).collect();
    let mut session = Session::new(object);
    for reference in find(&session.shared(), catalog, &renames) {
        // A reference that cannot be updated is left unchanged, in each of the objects compared.
        let _unchanged = update(&reference, &renames, &mut session);
    }
    let (mut normal, _, _) = session.finish();
    for (path, group) in catalog.map(|catalog| default_groups(&normal, catalog)).unwrap_or_default() {
        if let Some(Value::Object(map)) = path.get_mut(Arc::make_mut(&mut normal))
            && !map.contains_key("apiVersion")
        {
            map.entry("group").or_insert_with(|| Value::from(group));
        }
    }
    normal
}

/// Returns the default group of each mapping in `object` that the catalog knows as a reference.
fn default_groups(object: &Value, catalog: &Catalog) -> BTreeMap<FieldPath, String> {
    let mut groups = BTreeMap::new();
    for (pattern, group) in catalog.default_groups() {
        groups.extend(pattern.matches(object).into_iter().map(|path| (path, group.to_owned())));
    }
    groups
}

fn read(
    path: &FieldPath,
    map: &Map<String, Value>,
    default: impl Fn(&FieldPath) -> Option<String>,
) -> Option<Reference> {
    let text = |key: &str| map.get(key).and_then(Value::as_str);
    let kind = text("kind")?;
    let (group, form) = match (text("group"), text("apiGroup"), text("apiVersion")) {
        (Some(group), _, _) => (group.to_owned(), Form::Group),
        (None, Some(group), _) => (group.to_owned(), Form::ApiGroup),
        // An object inside another one, whole or in part, is no reference: it would have to be converted.
        (None, None, Some(_)) if map.iter().any(|(key, value)| holds_body(key, value)) => return None,
        (None, None, Some(version)) => (ApiVersion::parse(version).group, Form::ApiVersion),
        (None, None, None) => (default(path)?, Form::Default),
    };
    Some(Reference {
        path: path.clone(),
        kind: GroupKind::new(kind, group),
        name: text("name").map(str::to_owned),
        namespace: text("namespace").map(str::to_owned),
        form,
    })
}

/// Returns what converting back will not undo of [`update`]: a default group that is written out now.
pub(crate) fn normalized(reference: &Reference, renames: &Renames) -> Option<String> {
    let successor = renames.get(&reference.kind)?;
    let is_written = reference.form == Form::Default && successor.kind.group != reference.kind.group;
    is_written.then(|| {
        let group = &successor.kind.group;
        format!("{} is written in an equivalent form: its group {group} is not the field's default, and it stays written out when converted back", reference.path)
    })
}

/// Makes `reference` name its kind's successor.
///
/// # Errors
/// As [`Session::change`].
pub(crate) fn update(reference: &Reference, renames: &Renames, session: &mut Session) -> Result<(), Halt> {
    let successor = &renames[&reference.kind];
    let path = &reference.path;
    if reference.form == Form::Default && successor.kind.group != reference.kind.group {
        let group = Value::from(successor.kind.group.as_str());
        let place = Place::Before("kind".to_owned());
        session.change(Intent::Insert { path: path.clone(), key: "group".to_owned(), value: group, place })?;
    }
    let api_version = ApiVersion { group: successor.kind.group.clone(), version: successor.version.clone() };
    let texts = [
        ("group", (reference.form == Form::Group).then(|| successor.kind.group.clone())),
        ("apiGroup", (reference.form == Form::ApiGroup).then(|| successor.kind.group.clone())),
        ("apiVersion", (reference.form == Form::ApiVersion).then(|| api_version.to_string())),
        // Kustomize names the version beside the group.
        ("version", (reference.form == Form::Group).then(|| successor.version.clone())),
        ("kind", Some(successor.kind.kind.clone())),
    ];
    for (key, text) in texts {
        let place = path.key(key);
        let new = text.map(Value::from);
        if let (Some(old), Some(value)) = (place.get(session.object()), new)
            && *old != value
        {
            session.change(Intent::Replace { path: place, value })?;
        }
    }
    Ok(())
}
