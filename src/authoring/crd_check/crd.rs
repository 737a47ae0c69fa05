//! What is around the schemas of a CRD: names, scope, versions, conversion, subresources, columns.

use std::collections::BTreeSet;

use serde_json::Value;

use super::change::{Change, Class};
use super::schema;
use super::set::{Crd, CrdSet, Part, SchemaPart, Version, WARNING};
use crate::engine::finding::Code;
use crate::syntax::field::FieldPath;

/// The values of a CRD that are compared as they are.
const VALUES: [(&[&str], Code); 5] = [
    (&["scope"], Code::CrdScope),
    (&["names", "kind"], Code::CrdNames),
    (&["names", "plural"], Code::CrdNames),
    (&["names", "singular"], Code::CrdNames),
    (&["names", "listKind"], Code::CrdNames),
];

/// The lists of names of a CRD.
const NAMES: [&str; 2] = ["shortNames", "categories"];

/// A list of a version whose entries have a key.
#[derive(Clone, Copy)]
struct Keyed {
    list: &'static str,
    key: &'static str,
    /// What messages call an entry.
    entry: &'static str,
    code: Code,
    /// What is there where nothing is listed.
    unwritten: Option<Unwritten>,
}

/// An entry that is there where a list has none.
#[derive(Clone, Copy)]
struct Unwritten {
    name: &'static str,
    path: &'static str,
    kind: &'static str,
}

const AGE: Unwritten = Unwritten { name: "Age", path: ".metadata.creationTimestamp", kind: "date" };

const LISTS: [Keyed; 2] = [
    Keyed {
        list: "additionalPrinterColumns",
        key: "name",
        entry: "column",
        code: Code::CrdPrinterColumn,
        unwritten: Some(AGE),
    },
    Keyed {
        list: "selectableFields",
        key: "jsonPath",
        entry: "selectable field",
        code: Code::CrdSelectableField,
        unwritten: None,
    },
];

/// Compares two sets.
pub(super) fn changes(old: &CrdSet<'_>, new: &CrdSet<'_>) -> Vec<Change> {
    let mut changes = Vec::new();
    for (name, crd) in &old.crds {
        match new.crds.get(name) {
            Some(other) => changes.extend(of_crd(crd, other)),
            None => changes.push(removed(crd, new)),
        }
    }
    let added = new.crds.iter().filter(|(name, _)| !old.crds.contains_key(*name)).map(|(_, crd)| crd);
    changes.extend(
        added.map(|crd| {
            crd.change(Code::CrdAdded, Class::Additive, &FieldPath::default(), "the kind is new".to_owned())
        }),
    );
    changes
}

/// Reports a kind that went; it may be in another group now.
fn removed(crd: &Crd<'_>, new: &CrdSet<'_>) -> Change {
    let other = new.crds.values().find(|other| other.kind.kind == crd.kind.kind);
    let text = match other {
        Some(other) => format!("the kind is gone; there is {}", other.kind),
        None => "the kind is gone".to_owned(),
    };
    crd.change(Code::CrdRemoved, Class::Dropped, &FieldPath::default(), text)
}

fn of_crd(old: &Crd<'_>, new: &Crd<'_>) -> Vec<Change> {
    let mut changes: Vec<Change> =
        VALUES.into_iter().filter_map(|(keys, code)| of_value(old, new, keys, code)).collect();
    changes.extend(NAMES.into_iter().flat_map(|key| of_names(old, new, key)));
    changes.extend(of_conversion(old, new));
    changes.extend(of_stored_versions(old, new));
    for version in old.versions() {
        match new.version(version.name) {
            Some(other) => changes.extend(of_version(old, new, version, other)),
            None => {
                let (code, text) = match version.is_in_use() {
                    true => (Code::CrdVersionRemoved, "the version is gone"),
                    false => (Code::CrdUnservedRemoved, "the version, which was not served, is gone"),
                };
                let change = new.change(code, Class::Dropped, &spec().key("versions"), text.to_owned());
                changes.push(change.of(version.name));
            }
        }
    }
    for version in new.versions().into_iter().filter(|version| old.version(version.name).is_none()) {
        let change =
            new.change(Code::CrdVersionAdded, Class::Additive, &version.path(), "the version is new".to_owned());
        changes.push(change.of(version.name));
        changes.extend(of_storage(old, new, version));
    }
    changes
}

fn spec() -> FieldPath {
    FieldPath::default().key("spec")
}

fn of_value(old: &Crd<'_>, new: &Crd<'_>, keys: &[&str], code: Code) -> Option<Change> {
    let path = keys.iter().fold(spec(), |path, key| path.key(key));
    let unwritten = |crd: &Crd<'_>| match keys {
        [.., "listKind"] => Some(format!("{}List", crd.kind.kind)),
        [.., "singular"] => Some(crd.kind.kind.to_lowercase()),
        _ => None,
    };
    let written = [old, new].map(|crd| path.text(&crd.value));
    let name = |crd, text: Option<&str>| text.map(str::to_owned).or_else(|| unwritten(crd));
    // What follows from the kind on both sides is said of the kind.
    written[0].or(written[1])?;
    let (before, after) = (name(old, written[0])?, name(new, written[1])?);
    let text = || format!("{} {before} becomes {after}", keys.join("."));
    (before != after).then(|| new.change(code, Class::Breaking, &path, text()))
}

/// Compares short names or categories.
fn of_names(old: &Crd<'_>, new: &Crd<'_>, key: &str) -> Vec<Change> {
    let path = spec().key("names").key(key);
    let [before, after] = [old, new].map(|crd| {
        path.items(&crd.value).iter().filter_map(Value::as_str).map(str::to_owned).collect::<BTreeSet<String>>()
    });
    let change =
        |class, name: &String, what| new.change(Code::CrdNames, class, &path, format!("{name} {what} in {key}"));
    // These name the kind whether a short name does or not.
    let names = ["singular", "plural"].map(|key| spec().key("names").key(key).text(&new.value));
    let is_gone = |name: &&String| key != "shortNames" || !names.contains(&Some(name));
    let gone = before.difference(&after).filter(is_gone).map(|name| change(Class::Breaking, name, "is gone"));
    gone.chain(after.difference(&before).map(|name| change(Class::Additive, name, "is new"))).collect()
}

fn of_conversion(old: &Crd<'_>, new: &Crd<'_>) -> Option<Change> {
    let path = spec().key("conversion");
    let (class, text) = match (old.has_webhook(), new.has_webhook()) {
        (false, true) => (Class::Additive, "a webhook converts objects now"),
        (true, false) => (Class::Breaking, "no webhook converts objects any more"),
        _ => return None,
    };
    Some(new.change(Code::CrdConversion, class, &path, text.to_owned()))
}

/// Reports versions in which objects are stored, as the CRDs of a cluster say, and that the new CRD does not list.
fn of_stored_versions(old: &Crd<'_>, new: &Crd<'_>) -> Vec<Change> {
    let path = FieldPath::default().key("status").key("storedVersions");
    let stored: BTreeSet<&str> =
        [old, new].into_iter().flat_map(|crd| path.items(&crd.value)).filter_map(Value::as_str).collect();
    let missing = stored.into_iter().filter(|name| new.version(name).is_none());
    let text = "objects are stored in the version, which is gone".to_owned();
    let change = |name| {
        let change = new.change(Code::CrdStoredVersion, Class::Dropped, &spec().key("versions"), text.clone());
        change.of(name).with_help(MIGRATE)
    };
    missing.map(change).collect()
}

/// What is done before a version goes in which objects can be stored.
pub(super) const MIGRATE: &str =
    "migrate the objects, and take the version out of status.storedVersions, in a release before";

fn of_version(old: &Crd<'_>, new: &Crd<'_>, version: Version<'_>, other: Version<'_>) -> Vec<Change> {
    let at = other.path();
    let mut changes = Vec::new();
    let mut add = |code, class, key: &str, text: &str| {
        changes.push(new.change(code, class, &at.key(key), text.to_owned()).of(other.name));
    };
    match (version.is_served(), other.is_served()) {
        (true, false) => add(Code::CrdServed, Class::Dropped, "served", "the version is not served any more"),
        (false, true) => add(Code::CrdServed, Class::Additive, "served", "the version is served"),
        _ => {}
    }
    match (version.is_deprecated(), other.is_deprecated()) {
        (false, true) => add(Code::CrdDeprecated, Class::Documentation, "deprecated", "the version is deprecated now"),
        (true, false) => {
            add(Code::CrdDeprecated, Class::Documentation, "deprecated", "the version is not deprecated any more")
        }
        (true, true) if version.warning() != other.warning() => {
            add(Code::CrdDeprecated, Class::Documentation, WARNING, "the warning of clients changed")
        }
        _ => {}
    }
    changes.extend(of_storage(old, new, other));
    if !version.is_in_use() {
        return changes;
    }
    changes.extend(of_subresources(new, version, other));
    changes.extend(LISTS.into_iter().flat_map(|list| of_list(new, version, other, list)));
    match (version.schema(), other.schema()) {
        (Some(own), Some(schema)) => {
            changes.extend(of_pruning(new, other, [&own, &schema]));
            // What is not served any more can be stored.
            let written = old.versions().into_iter().filter(|one| one.name != version.name);
            let stored = new.versions().into_iter().filter(|one| one.name != other.name && one.is_stored());
            let elsewhere = [written.collect::<Vec<_>>(), stored.collect()]
                .map(|others| others.into_iter().filter_map(|one| one.schema()).map(|part| part.schema).collect());
            changes.extend(schema::changes(new, other.name, [own, schema], elsewhere));
        }
        (Some(_), None) => {
            let text = "the schema is gone: anything is accepted".to_owned();
            changes.push(new.change(Code::CrdUnknownFields, Class::Loosened, &at, text).of(other.name));
        }
        (None, Some(schema)) => {
            let text = "there is a schema now; anything was accepted".to_owned();
            changes.push(new.change(Code::CrdUnknownFields, Class::Tightened, &schema.at, text).of(other.name));
        }
        (None, None) => {}
    }
    changes
}

/// Reports that fields without a schema are removed from objects now, or kept.
fn of_pruning(new: &Crd<'_>, version: Version<'_>, [old, schema]: [&SchemaPart<'_>; 2]) -> Option<Change> {
    let (class, text) = match (old.is_pruned, schema.is_pruned) {
        (false, true) => (Class::Tightened, "fields that the schema does not name are removed now"),
        (true, false) => (Class::Loosened, "fields that the schema does not name are kept now"),
        _ => return None,
    };
    Some(new.change(Code::CrdUnknownFields, class, &schema.at, text.to_owned()).of(version.name))
}

/// Reports that objects are stored in this version now, which the old CRD may not have served.
fn of_storage(old: &Crd<'_>, new: &Crd<'_>, version: Version<'_>) -> Option<Change> {
    let before = old.version(version.name);
    if !version.is_stored() || before.is_some_and(|before| before.is_stored()) {
        return None;
    }
    let is_readable = before.is_some_and(|before| before.is_served());
    let (class, text) = match is_readable {
        true => (Class::Additive, "objects are stored in this version now"),
        false => (Class::Breaking, "objects are stored in this version now, which the old CRD does not serve"),
    };
    Some(new.change(Code::CrdStorage, class, &version.path().key("storage"), text.to_owned()).of(version.name))
}

fn of_subresources(new: &Crd<'_>, version: Version<'_>, other: Version<'_>) -> Vec<Change> {
    let [before, after] = [version, other].map(|version| version.part("subresources", "subresources"));
    let at = after.as_ref().map_or_else(|| other.path(), |part| part.at.clone());
    let part = |part: &Option<Part<'_>>, name: &str| part.as_ref().and_then(|part| part.value.get(name)).cloned();
    let mut changes = Vec::new();
    for name in ["status", "scale"] {
        let (class, what) = match (part(&before, name), part(&after, name)) {
            (Some(_), None) => (Class::Breaking, "is gone"),
            // Who wrote the status through the object is not heard any more.
            (None, Some(_)) if name == "status" => (Class::Tightened, "is new"),
            (None, Some(_)) => (Class::Additive, "is new"),
            (Some(before), Some(after)) if before == after => continue,
            (Some(before), Some(after)) if has_all_of(&after, &before) => (Class::Additive, "has a path more"),
            (Some(_), Some(_)) => (Class::Breaking, "has other paths"),
            (None, None) => continue,
        };
        let text = format!("the subresource {name} {what}");
        changes.push(new.change(Code::CrdSubresource, class, &at.key(name), text).of(other.name));
    }
    changes
}

/// Returns whether an object has all fields of another one.
fn has_all_of(object: &Value, other: &Value) -> bool {
    other.as_object().into_iter().flatten().all(|(name, value)| object.get(name) == Some(value))
}

fn of_list(new: &Crd<'_>, version: Version<'_>, other: Version<'_>, list: Keyed) -> Vec<Change> {
    let [before, after] = [version, other].map(|version| version.part(list.list, list.list));
    let at = after.as_ref().map_or_else(|| other.path(), |part| part.at.clone());
    let [before, after] = [&before, &after].map(|part| entries(part.as_ref(), list));
    let change = |class, text| new.change(list.code, class, &at, text).of(other.name);
    let of_entry = |class, name: &str, verb| change(class, format!("the {} {name} {verb}", list.entry));
    let named = |all: &'_ [Shown], one: &Shown| all.iter().position(|other| other.is(one));
    let gone = before.iter().filter_map(|shown| match named(&after, shown).map(|at| &after[at]) {
        // What is there by default is seldom missed where it has another name.
        None if shown.is_unwritten && after.iter().any(|now| now.path() == shown.path()) => None,
        None => Some(of_entry(Class::Breaking, &shown.name, "is gone")),
        Some(now) if now.what != shown.what => Some(of_entry(Class::Breaking, &shown.name, "shows something else")),
        Some(now) if now.is_wide && !shown.is_wide => {
            Some(of_entry(Class::Breaking, &shown.name, "is shown with -o wide only"))
        }
        Some(now) if !now.is_wide && shown.is_wide => {
            Some(of_entry(Class::Additive, &shown.name, "is shown without -o wide too"))
        }
        Some(_) => None,
    });
    let mut changes: Vec<Change> = gone.collect();
    let more = after.iter().filter(|now| named(&before, now).is_none());
    let more = more.filter(|now| !(now.is_unwritten && before.iter().any(|shown| shown.path() == now.path())));
    changes.extend(more.map(|now| of_entry(Class::Additive, &now.name, "is new")));
    // The order of what users select by says nothing.
    if list.unwritten.is_some() {
        let kept: Vec<(usize, &str)> =
            after.iter().filter_map(|now| Some((named(&before, now)?, now.name.as_str()))).collect();
        let names: Vec<&str> = kept.iter().map(|(_, name)| *name).collect();
        let text = || format!("the {}s are in another order: {}", list.entry, names.join(", "));
        changes.extend((!kept.is_sorted()).then(|| change(Class::Breaking, text())));
    }
    changes
}

/// An entry of a list.
struct Shown {
    name: String,
    /// How many before it have its name.
    number: usize,
    /// The path of a field, and as what it is shown.
    what: [Value; 2],
    /// Whether a column is left out where there is little space.
    is_wide: bool,
    /// Whether it is there because the list has none.
    is_unwritten: bool,
}

impl Shown {
    fn is(&self, other: &Self) -> bool {
        self.name == other.name && self.number == other.number
    }

    fn path(&self) -> &Value {
        &self.what[0]
    }
}

/// Returns the entries of a list, or what is there without one.
fn entries(part: Option<&Part<'_>>, list: Keyed) -> Vec<Shown> {
    let items = part.and_then(|part| part.value.as_array()).map_or(&[][..], Vec::as_slice);
    let entry = |(at, item): (usize, &Value)| {
        let number = items[..at].iter().filter(|before| before[list.key] == item[list.key]).count();
        let path = item.get("jsonPath").or_else(|| item.get("JSONPath")).cloned().unwrap_or_default();
        let is_wide = item["priority"].as_i64().is_some_and(|priority| priority > 0);
        let name = item[list.key].as_str()?.to_owned();
        Some(Shown { name, number, what: [path, item["type"].clone()], is_wide, is_unwritten: false })
    };
    let unwritten = |it: Unwritten| Shown {
        name: it.name.to_owned(),
        number: 0,
        what: [it.path, it.kind].map(Value::from),
        is_wide: false,
        is_unwritten: true,
    };
    let unwritten = list.unwritten.filter(|_| items.is_empty()).map(unwritten);
    items.iter().enumerate().filter_map(entry).chain(unwritten).collect()
}
