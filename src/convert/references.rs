//! Which fields reference an object whose kind is renamed, and what must they hold afterwards?
//!
//! A reference is a mapping with `kind` and `group` (or `apiGroup`, or `apiVersion`), or with `kind` alone where the catalog gives the
//! field a default group, or with the keys that a pack gives for the field. [`update`] rewrites those whose kind a rule of the run renames, in any object.
//!
//! Invariant: a string is never matched by itself.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::mappings::{holds_body, reference_roots, walk};
use crate::catalog::Catalog;
use crate::field::{FieldPath, FieldPattern, PathRef};
use crate::lens::{Halt, Session};
use crate::pack::{Packs, ReferenceField, Target};
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
    /// Whether its group is not written, but that of its field.
    takes_default: bool,
    form: Form,
}

/// How a reference gives the API group.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Form {
    /// `{ group: gateway.networking.k8s.io, kind: Gateway, name: a }`
    Group,
    /// `{ apiGroup: gateway.networking.k8s.io, kind: Gateway, name: a }`
    ApiGroup,
    /// `{ apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, name: a }`
    ApiVersion,
    /// `{ kind: Gateway, name: a }`, the group being the field's default.
    Default,
    /// `{ targetGroup: gateway.networking.k8s.io, targetKind: Gateway }`, with keys that a pack gives.
    Declared(Box<ReferenceField>),
}

/// Returns the plural that projects give a kind's name: `referencepolicies`, `gateways`, `gatewayclasses`.
pub(crate) fn plural(kind: &str) -> String {
    let name = kind.to_lowercase();
    let vowel_before_last = name.bytes().rev().nth(1).is_some_and(|byte| b"aeiou".contains(&byte));
    match name.strip_suffix('y') {
        Some(stem) if !vowel_before_last => format!("{stem}ies"),
        _ if name.ends_with('s') => format!("{name}es"),
        _ => format!("{name}s"),
    }
}

/// Finds every reference in `object` to a kind in `renames`; `catalog` describes the object's kind, where it is known, and the
/// `packs` have the keys of fields with keys of their own.
pub(crate) fn find(object: &Value, catalog: Option<&Catalog>, renames: &Renames, packs: &Packs) -> Vec<Reference> {
    if renames.is_empty() {
        return Vec::new();
    }
    let may_be = |name: &str| renames.keys().any(|renamed| renamed.kind == name);
    let mut found = find_where(object, catalog, &may_be, &|kind| renames.contains_key(kind));
    let declared = declared(object, renames, packs);
    found.retain(|reference| declared.iter().all(|other| other.path != reference.path));
    found.extend(declared);
    found
}

/// Finds the references in the fields that a pack gives.
fn declared(object: &Value, renames: &Renames, packs: &Packs) -> Vec<Reference> {
    let read = |(path, field): (FieldPath, &ReferenceField)| read_declared(&path, object, field, renames);
    let found = declared_fields(object, packs).into_iter().filter_map(read);
    found.filter(|reference| reference.is_expressible(renames)).collect()
}

/// Finds the references of `object`, in fields that a pack gives, to kinds in `renames` whose new group has no key there.
pub(crate) fn inexpressible(object: &Value, renames: &Renames, packs: &Packs) -> Vec<Reference> {
    let read = |(path, field): (FieldPath, &ReferenceField)| read_declared(&path, object, field, renames);
    let found = declared_fields(object, packs).into_iter().filter_map(read);
    found.filter(|reference| !reference.is_expressible(renames)).collect()
}

/// Returns the places in `object` of the fields that a pack gives.
fn declared_fields<'p>(object: &Value, packs: &'p Packs) -> Vec<(FieldPath, &'p ReferenceField)> {
    let own = own_kind(object);
    let fields = packs.iter().flat_map(|pack| pack.references()).filter(|field| field.kinds.contains(&own));
    fields.flat_map(|field| field.at.matches(object).into_iter().map(move |path| (path, field))).collect()
}

/// A version that a reference gives, in a field that a pack gives.
pub(crate) struct NamedVersion {
    /// The path of the text with the version.
    pub(crate) path: FieldPath,
    /// The kind that is named.
    pub(crate) kind: GroupKind,
    /// The version alone.
    pub(crate) version: String,
    /// The name, where there is one.
    pub(crate) name: Option<String>,
    /// Whether the text gives the group too.
    pub(crate) has_group: bool,
}

/// Finds the versions of `kinds` that `object` gives in the fields of the `packs`.
pub(crate) fn named_versions<'k, I: Iterator<Item = &'k GroupKind>>(
    object: &Value,
    packs: &Packs,
    kinds: impl Fn() -> I,
) -> Vec<NamedVersion> {
    let read = |(path, field): (FieldPath, &ReferenceField)| {
        let map = path.get(object)?.as_object()?;
        let (kind, _) = declared_kind(map, field, kinds())?;
        let (key, has_group) = match (&field.api_version, &field.version) {
            (Some(key), _) => (key, true),
            (None, Some(key)) => (key, false),
            (None, None) => return None,
        };
        let written = map.get(key).and_then(Value::as_str)?;
        let version = if has_group { ApiVersion::parse(written).version } else { written.to_owned() };
        let name = text_under(map, field.name.as_ref()).map(str::to_owned);
        Some(NamedVersion { path: path.key(key), kind: kind.clone(), version, name, has_group })
    };
    declared_fields(object, packs).into_iter().filter_map(read).collect()
}

/// Returns the kind that an object has by its own data.
fn own_kind(object: &Value) -> GroupKind {
    let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default();
    GroupKind::new(text("kind"), ApiVersion::parse(text("apiVersion")).group)
}

fn text_under<'m>(map: &'m Map<String, Value>, key: Option<&String>) -> Option<&'m str> {
    map.get(key?.as_str()).and_then(Value::as_str)
}

/// Returns which of `kinds` a mapping with the keys of `field` names, and whether its group is not written there.
fn declared_kind<'k>(
    map: &Map<String, Value>,
    field: &ReferenceField,
    mut kinds: impl Iterator<Item = &'k GroupKind>,
) -> Option<(&'k GroupKind, bool)> {
    let text = |key: &Option<String>| text_under(map, key.as_ref());
    let written = text(&field.group).map(str::to_owned);
    let written = written.or_else(|| text(&field.api_version).map(|version| ApiVersion::parse(version).group));
    let group = written.as_ref().or(field.default_group.as_ref())?;
    let is_named = |kind: &&GroupKind| {
        kind.group == *group
            && (text(&field.kind) == Some(kind.kind.as_str()) || text(&field.resource) == Some(&plural(&kind.kind)))
    };
    Some((kinds.find(is_named)?, written.is_none()))
}

/// Reads a mapping with the keys of `field`; `None` where it names no kind in `renames`.
fn read_declared(path: &FieldPath, object: &Value, field: &ReferenceField, renames: &Renames) -> Option<Reference> {
    let map = path.get(object)?.as_object()?;
    let (kind, takes_default) = declared_kind(map, field, renames.keys())?;
    let text = |key: &Option<String>| text_under(map, key.as_ref()).map(str::to_owned);
    Some(Reference {
        path: path.clone(),
        kind: kind.clone(),
        name: text(&field.name),
        namespace: text(&field.namespace),
        takes_default,
        form: Form::Declared(Box::new(field.clone())),
    })
}

impl Reference {
    /// Returns whether the new group can be written where the kind in `renames` gets another one.
    fn is_expressible(&self, renames: &Renames) -> bool {
        let has_key = match &self.form {
            Form::Declared(field) => field.group.is_some(),
            Form::Group | Form::ApiGroup | Form::ApiVersion | Form::Default => true,
        };
        !self.takes_default || has_key || renames.get(&self.kind).is_none_or(|new| new.kind.group == self.kind.group)
    }
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
    for reference in find(&session.shared(), catalog, &renames, packs) {
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
        takes_default: form == Form::Default,
        form,
    })
}

/// Returns what converting back will not undo of [`update`]: a default group that is written out now.
pub(crate) fn normalized(reference: &Reference, renames: &Renames) -> Option<String> {
    let successor = renames.get(&reference.kind)?;
    let is_written = reference.takes_default && successor.kind.group != reference.kind.group;
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
    let keys = reference.form.keys();
    if reference.takes_default && successor.kind.group != reference.kind.group {
        let value = Value::from(successor.kind.group.as_str());
        let key = keys.group.unwrap_or("group").to_owned();
        let place = Place::Before(keys.kind.or(keys.resource).unwrap_or("kind").to_owned());
        session.change(Intent::Insert { path: path.key(&key), value, place })?;
    }
    let api_version = ApiVersion { group: successor.kind.group.clone(), version: successor.version.clone() };
    let texts = [
        (keys.group, successor.kind.group.clone()),
        (keys.api_version, api_version.to_string()),
        (keys.version, successor.version.clone()),
        (keys.kind, successor.kind.kind.clone()),
        (keys.resource, plural(&successor.kind.kind)),
    ];
    for (key, text) in texts {
        let Some(place) = key.map(|key| path.key(key)) else { continue };
        if place.get(session.object()).is_some_and(|old| old.as_str() != Some(text.as_str())) {
            session.change(Intent::Replace { path: place, value: Value::from(text) })?;
        }
    }
    Ok(())
}

/// The keys under which a reference names its kind.
struct Keys<'r> {
    group: Option<&'r str>,
    api_version: Option<&'r str>,
    version: Option<&'r str>,
    kind: Option<&'r str>,
    resource: Option<&'r str>,
}

impl Form {
    fn keys(&self) -> Keys<'_> {
        let usual = Keys { group: None, api_version: None, version: None, kind: Some("kind"), resource: None };
        match self {
            // Kustomize names the version beside the group.
            Self::Group => Keys { group: Some("group"), version: Some("version"), ..usual },
            Self::ApiGroup => Keys { group: Some("apiGroup"), ..usual },
            Self::ApiVersion => Keys { api_version: Some("apiVersion"), ..usual },
            Self::Default => usual,
            Self::Declared(field) => Keys {
                group: field.group.as_deref(),
                api_version: field.api_version.as_deref(),
                version: field.version.as_deref(),
                kind: field.kind.as_deref(),
                resource: field.resource.as_deref(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::plural;

    #[test]
    fn resource_names_follow_kubernetes_conventions() {
        let names = ["Gateway", "ReferencePolicy", "GatewayClass", "XListenerSet"].map(plural);
        assert_eq!(names, ["gateways", "referencepolicies", "gatewayclasses", "xlistenersets"]);
    }
}
