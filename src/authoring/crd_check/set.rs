//! CRDs that belong together, and the versions of each.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, anyhow, bail};
use serde_json::{Map, Value};

use super::change::{Change, Class};
use super::keyword::{KEYS, shown};
use crate::engine::finding::{Code, Location};
use crate::engine::manifest::{Manifest, Object};
use crate::knowledge::pack::crds::PlacedCrd;
use crate::knowledge::pack::crds::from_crds::{self, defined_kind, is_nameless};
use crate::knowledge::release::GroupKind;
use crate::syntax::field::{self, FieldPath};

/// The channel whose CRDs may change.
pub(super) const EXPERIMENTAL: &str = "experimental";

/// The channels that annotations and folders can name.
pub(super) const CHANNELS: [&str; 2] = ["standard", EXPERIMENTAL];

/// The CRDs of one release.
#[derive(Debug)]
pub struct CrdSet<'m> {
    /// What the user calls it: a path, `-`, or a reference of git.
    pub(crate) name: String,
    /// Its CRDs, by name: `httproutes.gateway.networking.k8s.io`.
    pub(super) crds: BTreeMap<String, Crd<'m>>,
}

/// One CRD in a file.
#[derive(Clone, Debug)]
pub(super) struct Crd<'m> {
    manifest: &'m Manifest,
    object: &'m Object,
    pub(super) kind: GroupKind,
    pub(super) value: Arc<Value>,
}

/// One version of a CRD.
#[derive(Clone, Copy, Debug)]
pub(super) struct Version<'c> {
    pub(super) name: &'c str,
    /// What says whether it is served, stored and deprecated; a CRD that lists no versions has one, which is.
    listed: Option<&'c Value>,
    /// Its number in the list.
    index: usize,
    crd: &'c Value,
}

impl<'m> CrdSet<'m> {
    /// Finds the CRDs in the files of a set.
    ///
    /// # Errors
    /// A CRD that is malformed or defined twice.
    pub fn read(set: &str, manifests: &'m [Manifest]) -> Result<Self> {
        let mut crds = BTreeMap::new();
        for (manifest, object) in
            manifests.iter().flat_map(|manifest| manifest.objects.iter().map(move |object| (manifest, object)))
        {
            let Some(kind) = defined_kind(&object.value).filter(|_| object.inline_patch.is_none()) else { continue };
            let value =
                manifest.full_value(object).map_err(|wrong| anyhow!("{}: {}", wrong.location, wrong.sentence()))?;
            let mut crd = Crd { manifest, object, kind, value };
            crd.check_head()?;
            from_crds::check(&crd.value).map_err(|wrong| wrong.context(crd.place().to_string()))?;
            crd.check_types()?;
            normalize(Arc::make_mut(&mut crd.value), false);
            let place = crd.place();
            if let Some(other) = crds.insert(crd.name(), crd) {
                let (name, first) = (other.name(), other.place());
                let one = one_of_both(set, [&first.file, &place.file]);
                return Err(anyhow!("{place}: the CRD {name} is in the set twice; the other one is at {first}; {one}"));
            }
        }
        check_nameless(manifests, |name| crds.contains_key(name))?;
        Ok(Self { name: set.to_owned(), crds })
    }

    /// Returns its CRDs, by name.
    pub(crate) fn placed(&self) -> Vec<PlacedCrd> {
        let placed = |crd: &Crd<'_>| PlacedCrd { place: crd.place().to_string(), value: Arc::clone(&crd.value) };
        self.crds.values().map(placed).collect()
    }

    /// Returns how many CRDs it has.
    pub(crate) fn len(&self) -> usize {
        self.crds.len()
    }
}

impl Crd<'_> {
    fn name(&self) -> String {
        let plural = || format!("{}.{}", self.text(&["spec", "names", "plural"]).unwrap_or_default(), self.kind.group);
        self.text(&["metadata", "name"]).map_or_else(plural, str::to_owned)
    }

    fn text(&self, keys: &[&str]) -> Option<&str> {
        keys.iter().try_fold(&*self.value, |value, key| value.get(key))?.as_str()
    }

    /// Checks what is around its schemas, as far as nothing is known without it.
    fn check_head(&self) -> Result<()> {
        let spec = FieldPath::default().key("spec");
        let versions = spec.key("versions");
        let of_version = |at: usize| {
            let version = versions.index(at);
            VERSION.map(|(key, is_right, expected)| (version.key(key), is_right, expected))
        };
        let strategy = spec.key("conversion").key("strategy");
        let all = [(spec.key("scope"), SCOPE), (strategy, STRATEGY)]
            .map(|(path, (is_right, expected))| (path, is_right, expected));
        let all = all.into_iter().chain((0..versions.items(&self.value).len()).flat_map(of_version));
        for (path, is_right, expected) in all {
            let (key, place) = (path.last_key().unwrap_or_default(), || self.locate(&path));
            match path.get(&self.value) {
                Some(value) if !is_right(value) => {
                    bail!("{}: the CRD is malformed: {key} {} is not {expected}", place(), shown(Some(value)))
                }
                None if key != "strategy" => {
                    bail!("{}: the CRD is malformed: {key} is missing: write {expected}", place())
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Checks that its schemas name types that there are.
    fn check_types(&self) -> Result<()> {
        const TYPES: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];
        for version in self.versions() {
            let Some(root) = version.schema() else { continue };
            let mut parts = vec![(root.schema, root.at)];
            while let Some((schema, at)) = parts.pop() {
                if let Some(unknown) = schema.get("type").and_then(Value::as_str).filter(|of| !TYPES.contains(of)) {
                    let place = self.locate(&at.key("type"));
                    bail!("{place}: the CRD is malformed: there is no type {unknown}; use one of {}", TYPES.join(", "));
                }
                if let Some((keyword, expected)) = schema.iter().find_map(|(key, value)| wrong_value(key, value)) {
                    bail!("{}: the CRD is malformed: {keyword} is not {expected}", self.locate(&at.key(keyword)));
                }
                let named = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
                parts.extend(
                    named.filter_map(|(name, inner)| Some((inner.as_object()?, at.key("properties").key(name)))),
                );
                let inner = ["items", "additionalProperties"].into_iter();
                parts.extend(inner.filter_map(|keyword| Some((schema.get(keyword)?.as_object()?, at.key(keyword)))));
            }
        }
        Ok(())
    }

    /// Returns the place of something in the CRD, or of the nearest thing around it.
    pub(super) fn locate(&self, path: &FieldPath) -> Location {
        self.manifest.locate(self.object, path)
    }

    /// Returns where it starts.
    pub(super) fn place(&self) -> Location {
        self.locate(&FieldPath::default())
    }

    /// Returns its versions, as they are listed.
    pub(super) fn versions(&self) -> Vec<Version<'_>> {
        let crd = &*self.value;
        let Some(versions) = crd["spec"]["versions"].as_array() else {
            let name = crd["spec"]["version"].as_str();
            return name.map(|name| Version { name, listed: None, index: 0, crd }).into_iter().collect();
        };
        let named = versions.iter().enumerate().filter_map(|(index, listed)| {
            Some(Version { name: listed["name"].as_str()?, listed: Some(listed), index, crd })
        });
        named.collect()
    }

    /// Returns the version with this name.
    pub(super) fn version(&self, name: &str) -> Option<Version<'_>> {
        self.versions().into_iter().find(|version| version.name == name)
    }

    /// Returns whether it is of the version that API servers have, and not of an older one.
    pub(super) fn is_v1(&self) -> bool {
        self.value["apiVersion"] == "apiextensions.k8s.io/v1"
    }

    /// Returns whether a webhook converts its objects.
    pub(super) fn has_webhook(&self) -> bool {
        self.text(&["spec", "conversion", "strategy"]) == Some("Webhook")
    }

    /// Makes a change of it at `path`.
    pub(super) fn change(&self, code: Code, class: impl Into<Option<Class>>, path: &FieldPath, text: String) -> Change {
        Change {
            location: self.locate(path),
            code,
            class: class.into(),
            kind: self.kind.clone(),
            version: None,
            field: None,
            value: None,
            object: self.manifest.finding_object(self.object),
            text,
            help: None,
        }
    }
}

/// Checks that each CRD in files says which kind it defines; what has the name of a CRD that is defined is a patch of that.
///
/// # Errors
/// The first CRD that does not.
pub(crate) fn check_nameless(manifests: &[Manifest], is_defined: impl Fn(&str) -> bool) -> Result<()> {
    let objects = manifests.iter().flat_map(|manifest| manifest.objects.iter().map(move |object| (manifest, object)));
    let mut nameless = objects.filter(|(_, object)| object.inline_patch.is_none() && is_nameless(&object.value));
    let is_patch = |object: &Object| object.name.as_deref().is_some_and(&is_defined);
    match nameless.find(|(_, object)| !is_patch(object)) {
        Some((manifest, object)) => bail!(
            "{}: the CRD is malformed: it does not say which kind it defines: write spec.group and spec.names.kind",
            manifest.locate(object, &FieldPath::default().key("spec"))
        ),
        None => Ok(()),
    }
}

type Test = fn(&Value) -> bool;

const SCOPE: (Test, &str) = (|scope| scope == "Cluster" || scope == "Namespaced", "Cluster or Namespaced");
const STRATEGY: (Test, &str) = (|strategy| strategy == "None" || strategy == "Webhook", "None or Webhook");

/// What each version must say.
const VERSION: [(&str, Test, &str); 3] = [
    ("name", Value::is_string, "a text"),
    ("served", Value::is_boolean, "true or false"),
    ("storage", Value::is_boolean, "true or false"),
];

/// Says what to pass instead of a set with this name that has two CRDs of one name in these files.
fn one_of_both(set: &str, files: [&str; 2]) -> String {
    let in_commit = format!("{set}:");
    let channel = |file: &str| {
        let (option, path) = file.strip_prefix(&in_commit).map_or(("", file), |path| ("--path ", path));
        let folder = Path::new(path).ancestors().find(|folder| folder.file_name().is_some_and(is_channel))?;
        Some(format!("{option}{}", folder.display()))
    };
    match files.map(channel) {
        [Some(one), Some(other)] if one != other => format!("they are of two channels: pass {one} or {other}"),
        _ => "keep one of them, or pass a folder or file that has one alone".to_owned(),
    }
}

fn is_channel(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| CHANNELS.contains(&name))
}

/// The key of a version with what clients read that use it.
pub(super) const WARNING: &str = "deprecationWarning";

impl<'c> Version<'c> {
    fn is(&self, key: &str, unlisted: bool) -> bool {
        self.listed.map_or(unlisted, |listed| listed[key] == true)
    }

    pub(super) fn is_served(&self) -> bool {
        self.is("served", true)
    }

    pub(super) fn is_stored(&self) -> bool {
        self.is("storage", true)
    }

    pub(super) fn is_deprecated(&self) -> bool {
        self.is("deprecated", false)
    }

    /// Returns what clients read that use it, where it is deprecated.
    pub(super) fn warning(&self) -> Option<&'c Value> {
        self.listed?.get(WARNING)
    }

    /// Returns whether objects of it can exist.
    pub(super) fn is_in_use(&self) -> bool {
        self.is_served() || self.is_stored()
    }

    /// Returns where it is listed.
    pub(super) fn path(&self) -> FieldPath {
        let spec = FieldPath::default().key("spec");
        match self.listed {
            Some(_) => spec.key("versions").index(self.index),
            None => spec.key("version"),
        }
    }

    /// Finds what a CRD says of the version, or of all of its versions at once, as those of `v1beta1` can.
    pub(super) fn part(&self, own: &str, shared: &str) -> Option<Part<'c>> {
        let part = |value: &'c Value, at: FieldPath| (!value.is_null()).then_some(Part { value, at });
        let own = self.listed.and_then(|listed| part(&listed[own], self.path().key(own)));
        own.or_else(|| part(&self.crd["spec"][shared], FieldPath::default().key("spec").key(shared)))
    }

    /// Returns its schema.
    pub(super) fn schema(&self) -> Option<SchemaPart<'c>> {
        let around = self.part("schema", "validation")?;
        let schema = around.value["openAPIV3Schema"].as_object()?;
        let keeps = &self.crd["spec"]["preserveUnknownFields"];
        // Without a word on it, `v1beta1` keeps them.
        let is_pruned =
            if self.crd["apiVersion"] == "apiextensions.k8s.io/v1" { *keeps != true } else { *keeps == false };
        Some(SchemaPart { schema, at: around.at.key("openAPIV3Schema"), is_pruned })
    }
}

/// A part of a CRD, and where it is.
#[derive(Clone, Debug)]
pub(super) struct Part<'c> {
    pub(super) value: &'c Value,
    pub(super) at: FieldPath,
}

/// A schema in a CRD, and where it is.
#[derive(Clone, Debug)]
pub(super) struct SchemaPart<'c> {
    pub(super) schema: &'c Map<String, Value>,
    pub(super) at: FieldPath,
    /// Whether fields are removed that it does not name.
    pub(super) is_pruned: bool,
}

impl<'c> SchemaPart<'c> {
    /// Lists the schemas of the fields, items and values in it.
    pub(super) fn inside(&self) -> Vec<(field::Part, Self)> {
        let part = |schema: &'c Value, at| Some(Self { schema: schema.as_object()?, at, is_pruned: self.is_pruned });
        let fields = self.schema.get("properties").and_then(Value::as_object).into_iter().flatten();
        let fields = fields.filter_map(|(name, schema)| {
            Some((field::Part::Key(name.clone()), part(schema, self.at.key("properties").key(name))?))
        });
        let others = [("items", field::Part::Items), ("additionalProperties", field::Part::Values)];
        let others = others
            .into_iter()
            .filter_map(|(keyword, step)| Some((step, part(self.schema.get(keyword)?, self.at.key(keyword))?)));
        fields.chain(others).collect()
    }
}

/// Returns a keyword whose value is of another type than the API server accepts, with what it must be.
fn wrong_value<'k>(keyword: &'k str, value: &Value) -> Option<(&'k str, &'static str)> {
    let (is_right, expected) = match keyword {
        "allOf" | "anyOf" | "oneOf" | "enum" | "x-kubernetes-validations" => (value.is_array(), "a list"),
        // `n` without quotes is false.
        "required" | KEYS => {
            (value.as_array().is_some_and(|names| names.iter().all(Value::is_string)), "a list of texts")
        }
        "properties" => (value.is_object(), "a mapping"),
        "maxItems" | "maxLength" | "maxProperties" | "minItems" | "minLength" | "minProperties" => {
            (value.is_i64() || value.is_u64(), "a whole number")
        }
        "maximum" | "minimum" | "multipleOf" => (value.is_number(), "a number"),
        "exclusiveMaximum" | "exclusiveMinimum" | "nullable" | "uniqueItems" => (value.is_boolean(), "true or false"),
        "type" | "format" | "pattern" | "description" => (value.is_string(), "a text"),
        _ => return None,
    };
    (!is_right && !value.is_null()).then_some((keyword, expected))
}

/// Returns whether a keyword with a value limits nothing and means nothing, as if it were not written.
fn is_empty(keyword: &str, value: &Value) -> bool {
    match keyword {
        "allOf" | "anyOf" | "enum" | "oneOf" | "required" => value.as_array().is_some_and(Vec::is_empty),
        "format" => value == "",
        "pattern" => value == "" || value == ".*",
        "default" => value.is_null(),
        _ => false,
    }
}

/// Writes what whole numbers must be with the first and last ones that are allowed.
fn include_ends(schema: &mut Map<String, Value>) {
    if schema.get("type").is_none_or(|of| of != "integer") {
        return;
    }
    for (exclusive, bound, step) in [("exclusiveMinimum", "minimum", 1), ("exclusiveMaximum", "maximum", -1)] {
        let end = schema.get(bound).and_then(Value::as_i64).and_then(|at| at.checked_add(step));
        if let Some(end) = end.filter(|_| schema.get(exclusive) == Some(&Value::Bool(true))) {
            schema.remove(exclusive);
            schema.insert(bound.to_owned(), end.into());
        }
    }
    if schema.get("multipleOf").is_some_and(|of| *of == 1) {
        schema.remove("multipleOf");
    }
}

/// Returns whether something is a value of an object, and no part of a schema.
fn is_data(keyword: &str) -> bool {
    ["default", "enum", "example"].contains(&keyword)
}

/// Removes keywords that say nothing from a value, and writes bounds in one way; its keys can be names of fields instead.
fn normalize(value: &mut Value, are_names: bool) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| normalize(item, false)),
        Value::Object(map) => {
            map.retain(|key, value| are_names || !is_empty(key, value));
            if !are_names {
                include_ends(map);
            }
            let inner = map.iter_mut().filter(|(key, _)| are_names || !is_data(key));
            inner.for_each(|(key, value)| normalize(value, !are_names && key == "properties"));
        }
        _ => {}
    }
}
