//! Answers: what does a carrier carry, and in which of its fields?
//!
//! The types mirror `carriers.yaml` key by key. All fields of a carrier are written from the mappings that `each` names, so that what
//! stands together is read together: a chart's name, its version and its values.
//!
//! Invariant: an unknown key is an error.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::knowledge::release::{ApiVersion, GroupKind};
use crate::syntax::field::{Entries, FieldPath, FieldPattern, Part, Step};

/// The file `carriers.yaml` of a pack.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CarrierFile {
    /// Texts that make a file worth reading although it mentions no known API group.
    #[serde(default)]
    pub triggers: Vec<String>,
    /// The carriers.
    pub carriers: Vec<Carrier>,
}

/// Objects of some kinds, or files of some names, that carry something:
/// `{ kind: Kustomization.kustomize.toolkit.fluxcd.io, each: spec, folder: path, patches: patches }`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Carrier {
    /// The kinds of the objects; with neither kinds nor files, every object.
    #[serde(default, deserialize_with = "several")]
    pub kind: Vec<GroupKind>,
    /// The names of the files, `helmfile.yaml`, or of all files of a folder, `helmfile.d/*`: their documents without apiVersion or
    /// kind are of the first kind, where there is one.
    #[serde(default, deserialize_with = "several")]
    pub file: Vec<String>,
    /// The mappings that all other fields are written from; the whole document where it is not written.
    #[serde(default = "root", deserialize_with = "several")]
    pub each: Vec<FieldPattern>,
    /// The field with the folder that is applied, from the root of the repository.
    #[serde(default, deserialize_with = "path")]
    pub folder: Option<FieldPath>,
    /// The repository that has this folder, or that an object without one is.
    #[serde(default)]
    pub source: Source,
    /// The field with the namespace that all applied objects get.
    #[serde(default, deserialize_with = "path")]
    pub(crate) namespace: Option<FieldPath>,
    /// The field with the prefix that the names of all applied objects get.
    #[serde(default, deserialize_with = "path")]
    pub(crate) name_prefix: Option<FieldPath>,
    /// The field with the suffix that they get.
    #[serde(default, deserialize_with = "path")]
    pub(crate) name_suffix: Option<FieldPath>,
    /// The lists of patches, each item as in a kustomization.
    #[serde(default, deserialize_with = "several")]
    pub patches: Vec<FieldPattern>,
    /// The lists of folders whose kustomizations work on what is applied.
    #[serde(default, deserialize_with = "several")]
    pub components: Vec<FieldPattern>,
    /// Whole objects, which are created as they are, or with parameters filled in.
    #[serde(default, deserialize_with = "several")]
    pub(crate) objects: Vec<FieldPattern>,
    /// The chart that is installed.
    #[serde(default)]
    pub chart: Chart,
    /// The values of the chart: mappings.
    #[serde(default, deserialize_with = "several")]
    pub values: Vec<FieldPattern>,
    /// The values of the chart: texts in YAML.
    #[serde(default, deserialize_with = "several")]
    pub(crate) values_text: Vec<FieldPattern>,
    /// The names of files with values.
    #[serde(default, deserialize_with = "several")]
    pub(crate) values_files: Vec<FieldPattern>,
    /// The names of objects with values.
    #[serde(default, deserialize_with = "several")]
    pub(crate) values_from: Vec<FieldPattern>,
    /// Values in a form that is not converted, such as single ones by their path.
    #[serde(default, deserialize_with = "several")]
    pub(crate) other_values: Vec<FieldPattern>,
    /// An image, its name apart from its tag.
    pub image: Option<Image>,
    /// Images with their tags: `registry.example.com/shop:1.2`.
    #[serde(default, deserialize_with = "several")]
    pub images: Vec<FieldPattern>,
    /// Fields of applied objects that are not compared.
    pub ignored: Option<Ignored>,
}

/// Where a repository is named: `{ kind: sourceRef.kind, name: sourceRef.name, own: flux-system }`, or `{ address: repoURL }`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// The field with the kind of an object that stands for it.
    #[serde(default, deserialize_with = "path")]
    pub kind: Option<FieldPath>,
    /// The field with the name of that object.
    #[serde(default, deserialize_with = "path")]
    pub name: Option<FieldPath>,
    /// The name that this object has where it stands for the repository that holds the objects themselves.
    pub own: Option<String>,
    /// The field with its address.
    #[serde(default, deserialize_with = "path")]
    pub address: Option<FieldPath>,
}

/// Where a chart is named: `{ name: chart, repository: repoURL, version: targetRevision }`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Chart {
    /// The fields with its name.
    #[serde(default, deserialize_with = "paths")]
    pub name: Vec<FieldPath>,
    /// The fields with the address of a repository that can be called like the chart.
    #[serde(default, deserialize_with = "paths")]
    pub repository: Vec<FieldPath>,
    /// The fields with something else that can be called like the chart: a folder, the object itself.
    #[serde(default, deserialize_with = "paths")]
    pub alias: Vec<FieldPath>,
    /// The field with the name of an object that brings the chart.
    #[serde(default, deserialize_with = "path")]
    pub(crate) brought_by: Option<FieldPath>,
    /// The fields with its version.
    #[serde(default, deserialize_with = "paths")]
    pub version: Vec<FieldPath>,
    /// The kind of the objects that name this one, and that have the values.
    pub(crate) installed_by: Option<GroupKind>,
}

/// An image: `{ name: [newName, name], tag: newTag }`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Image {
    /// The fields with its name; the first one that is there counts.
    #[serde(deserialize_with = "paths")]
    pub name: Vec<FieldPath>,
    /// The field with its tag.
    #[serde(deserialize_with = "required_path")]
    pub tag: FieldPath,
}

/// Fields that are not compared: `{ pointers: jsonPointers, queries: jqPathExpressions }`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ignored {
    /// The mapping with the group or apiVersion, and the kind, of the objects; that of `each` where it is not written.
    #[serde(default, deserialize_with = "path")]
    pub selector: Option<FieldPath>,
    /// How the group and the kind are written.
    #[serde(default)]
    pub(crate) patterns: SelectorSyntax,
    /// The list of JSON pointers.
    #[serde(deserialize_with = "required_path")]
    pub(crate) pointers: FieldPath,
    /// The list of operations of a JSON patch, carried out before objects are compared.
    #[serde(default, deserialize_with = "path")]
    pub(crate) operations: Option<FieldPath>,
    /// The list of jq expressions.
    #[serde(default, deserialize_with = "path")]
    pub(crate) queries: Option<FieldPath>,
}

/// How a text stands for several names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum SelectorSyntax {
    /// As a regular expression over the whole of the name.
    #[default]
    Regex,
    /// With `*` for any text.
    Glob,
}

/// Values of a chart that are not converted where they are given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unconverted {
    /// Values in a form that is not converted.
    Form(FieldPath),
    /// Names of objects that have them.
    Objects(FieldPath, Vec<String>),
    /// Names of files that have them.
    Files(FieldPath),
    /// The name of the chart: the objects of this kind that name this one have the values.
    Installers(FieldPath, GroupKind),
}

impl Carrier {
    /// Returns the mappings in `object` that the fields are written from.
    pub fn places(&self, object: &Value) -> Vec<FieldPath> {
        self.each.iter().flat_map(|each| each.matches_where(object, |value| !value.is_null())).collect()
    }

    /// Returns the fields that are called like the chart, but are not its name.
    pub fn aliases(&self) -> impl Iterator<Item = &FieldPath> {
        self.chart.repository.iter().chain(&self.chart.alias).chain(&self.chart.brought_by)
    }

    /// Returns the fields that are called like the chart.
    pub(crate) fn naming_chart(&self) -> impl Iterator<Item = &FieldPath> {
        self.chart.name.iter().chain(self.aliases())
    }

    /// Returns whether it can have the values of a chart.
    pub(crate) fn has_values(&self) -> bool {
        !self.values.is_empty() || self.has_texts_of_charts()
    }

    /// Returns whether it names a chart and can have its values in a text.
    pub(crate) fn has_texts_of_charts(&self) -> bool {
        !self.values_text.is_empty() && self.naming_chart().next().is_some()
    }

    /// Returns whether the mapping `around` names the chart, alone or at the end of a path.
    pub(crate) fn names_chart(&self, around: &Value, chart: &str) -> bool {
        let is_called =
            |text: &str| text.strip_suffix(chart).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'));
        self.naming_chart().filter_map(|field| field.get(around)?.as_str()).any(is_called)
    }

    /// Returns whether the mapping `around` names a chart.
    pub(crate) fn names_any_chart(&self, around: &Value) -> bool {
        self.chart.name.iter().any(|field| field.get(around).is_some())
    }

    /// Returns the values of a chart in `object` that are not converted; `key` is one that only the values of this chart have.
    pub(crate) fn unconverted(&self, object: &Value, chart: &str, key: &str) -> Vec<Unconverted> {
        let mut found = Vec::new();
        for place in self.places(object) {
            let Some(around) = place.get(object) else { continue };
            let given = || self.values.iter().chain(&self.other_values);
            let has_key = || given().any(|values| values.any(around, |values| values.get(key).is_some()));
            if !self.names_chart(around, chart) && (self.names_any_chart(around) || !has_key()) {
                continue;
            }
            let set = |patterns: &[FieldPattern]| -> Vec<FieldPath> {
                let paths = patterns.iter().flat_map(|pattern| pattern.matches_where(around, is_set));
                paths.map(|path| place.join(&path)).collect()
            };
            found.extend(set(&self.other_values).into_iter().map(Unconverted::Form));
            for pattern in &self.values_from {
                let names = pattern.values(around).into_iter().filter_map(Value::as_str).map(str::to_owned).collect();
                let lists = FieldPattern::new(pattern.parts().iter().take_while(|part| **part != Part::Items).cloned());
                found.extend(set(&[lists]).into_iter().map(|path| Unconverted::Objects(path, Vec::clone(&names))));
            }
            // One list can hold names of files and the values themselves.
            let is_name = |path: &FieldPath| path.get(object).is_some_and(|value| !value.is_object());
            found.extend(set(&self.values_files).into_iter().filter(is_name).map(Unconverted::Files));
            if let Some(kind) = &self.chart.installed_by {
                let named = self.chart.name.iter().filter(|field| field.get(around).is_some());
                found.extend(named.map(|field| Unconverted::Installers(place.join(field), kind.clone())));
            }
        }
        found
    }
}

/// Returns whether a value holds anything.
fn is_set(value: &Value) -> bool {
    match value {
        Value::Array(items) => !items.is_empty(),
        Value::Object(map) => !map.is_empty(),
        Value::String(text) => !text.trim().is_empty(),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// One value, or several.
#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrSeveral<T> {
    One(T),
    Several(Vec<T>),
}

fn several<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    Ok(match OneOrSeveral::deserialize(deserializer)? {
        OneOrSeveral::One(one) => vec![one],
        OneOrSeveral::Several(several) => several,
    })
}

fn paths<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<FieldPath>, D::Error> {
    let patterns: Vec<FieldPattern> = several(deserializer)?;
    let path = |pattern: FieldPattern| {
        pattern
            .as_path()
            .ok_or_else(|| serde::de::Error::custom("the field must be one value: write `[]` and `{}` under `each`"))
    };
    patterns.into_iter().map(path).collect()
}

fn path<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<FieldPath>, D::Error> {
    required_path(deserializer).map(Some)
}

fn required_path<'de, D: Deserializer<'de>>(deserializer: D) -> Result<FieldPath, D::Error> {
    let [one] = <[FieldPath; 1]>::try_from(paths(deserializer)?)
        .map_err(|_| serde::de::Error::custom("write exactly one field"))?;
    Ok(one)
}

/// Returns the pattern of the whole document.
fn root() -> Vec<FieldPattern> {
    vec![FieldPattern::default()]
}

/// All carriers of a run.
#[derive(Clone, Debug, Default)]
pub struct Carriers {
    triggers: Vec<String>,
    carriers: Vec<Carrier>,
    /// The numbers of the carriers by kind.
    by_kind: BTreeMap<GroupKind, Vec<usize>>,
    /// The numbers of those that files are known by, by the name of the file.
    by_file: BTreeMap<String, Vec<usize>>,
    /// The numbers of those that all files of a folder are known by, by its name: `helmfile.d/*`.
    by_folder: BTreeMap<String, Vec<usize>>,
    /// The numbers of those that are not known by anything.
    everywhere: Vec<usize>,
}

/// A mapping of a document that carries something.
#[derive(Clone, Debug)]
pub(crate) struct Carried<'a> {
    /// What it carries.
    pub carrier: &'a Carrier,
    /// Its place in the document.
    pub place: FieldPath,
    /// Its data.
    pub around: &'a Value,
    /// The object that it is in.
    pub object: &'a Value,
}

impl<'a> Carried<'a> {
    /// Returns the kind that its document is of because of the name of its file, where that says one.
    pub(crate) fn kind_of_file(&self) -> Option<&'a GroupKind> {
        let is_by_name = !self.carrier.file.is_empty() && kind(self.object).is_none();
        self.carrier.kind.first().filter(|_| is_by_name)
    }

    /// Returns the version of the chart that it installs.
    pub(crate) fn chart_version(&self) -> Option<&str> {
        let versions = self.carrier.chart.version.iter().filter_map(|field| field.text(self.around));
        versions.into_iter().find(|version| !version.is_empty())
    }
}

impl Carriers {
    /// Returns whether objects of `kind` can carry patches.
    pub(crate) fn have_patches(&self, kind: &GroupKind) -> bool {
        let mut numbers = self.by_kind.get(kind).into_iter().flatten();
        numbers.any(|number| !self.carriers[*number].patches.is_empty())
    }

    /// Makes the set of the carriers in `files`, in their order.
    pub fn new<'f>(files: impl IntoIterator<Item = &'f CarrierFile>) -> Self {
        let mut all = Self::default();
        for file in files {
            all.triggers.extend(file.triggers.iter().cloned());
            for carrier in &file.carriers {
                let number = all.carriers.len();
                all.carriers.push(carrier.clone());
                for kind in &carrier.kind {
                    all.by_kind.entry(kind.clone()).or_default().push(number);
                }
                for name in &carrier.file {
                    let (names, name) = match name.strip_suffix("/*") {
                        Some(folder) => (&mut all.by_folder, folder),
                        None => (&mut all.by_file, name.as_str()),
                    };
                    names.entry(name.to_owned()).or_default().push(number);
                }
                if carrier.file.is_empty() && carrier.kind.is_empty() {
                    all.everywhere.push(number);
                }
            }
        }
        all
    }

    /// Returns the texts that make a file worth reading.
    pub fn triggers(&self) -> &[String] {
        &self.triggers
    }

    /// Returns the carriers, in their order.
    pub fn iter(&self) -> std::slice::Iter<'_, Carrier> {
        self.carriers.iter()
    }

    /// Returns those that are objects of `kind`.
    pub fn of_kind(&self, kind: &GroupKind) -> impl Iterator<Item = &Carrier> {
        self.by_kind.get(kind).into_iter().flatten().map(|number| &self.carriers[*number])
    }

    /// Returns those that documents of `file` are because of its name, whatever kind they have or lack.
    pub fn of_file(&self, file: &str) -> impl Iterator<Item = &Carrier> {
        self.called(file).filter(|carrier| carrier.kind.is_empty())
    }

    /// Returns those that `file`, or all files of its folder, are known by, in their order.
    fn called(&self, file: &str) -> impl Iterator<Item = &Carrier> {
        let mut parts = file.rsplit(['/', '\\']);
        let own = parts.next().and_then(|name| self.by_file.get(name));
        let of_folder = parts.next().and_then(|name| self.by_folder.get(name));
        let numbers: BTreeSet<usize> = own.into_iter().chain(of_folder).flatten().copied().collect();
        numbers.into_iter().map(|number| &self.carriers[number])
    }

    /// Returns the mappings of an object that carry something; their places are in the object.
    pub(crate) fn in_object<'a>(&'a self, kind: &GroupKind, object: &'a Value) -> Vec<Carried<'a>> {
        let root = FieldPath::default();
        self.of_kind(kind).flat_map(|carrier| carried(carrier, &root, object)).collect()
    }

    /// Returns `part`, which is merged into an object of `kind`, with what is said of the charts around its values in `whole`, which
    /// that makes, and not in itself.
    pub(crate) fn with_charts(&self, kind: &GroupKind, part: &Value, whole: &Value) -> Value {
        let mut completed = part.clone();
        for Carried { carrier, place, around, .. } in self.in_object(kind, whole) {
            let Some(own) = place.get_mut(&mut completed).filter(|_| !carrier.values.is_empty()) else { continue };
            let fields = carrier.naming_chart().chain(&carrier.chart.version);
            for (field, value) in fields.filter_map(|field| Some((field, field.get(around)?))) {
                supply(own, field.steps(), value);
            }
        }
        completed
    }

    /// Returns the mappings of a document of `file` that carry something: of its objects, those in lists one by one, or of the
    /// document itself.
    pub(crate) fn in_document<'a>(&'a self, file: &str, document: &'a Value) -> Vec<Carried<'a>> {
        let of_file = self.called(file).filter(|carrier| carrier.kind.is_empty() || kind(document).is_none());
        let mut found: Vec<Carried<'_>> =
            of_file.flat_map(|carrier| carried(carrier, &FieldPath::default(), document)).collect();
        self.of_objects(&FieldPath::default(), document, &mut found);
        found
    }

    /// Collects those of the objects in `value`, which is at `place` of its document.
    fn of_objects<'a>(&'a self, place: &FieldPath, value: &'a Value, found: &mut Vec<Carried<'a>>) {
        let kind = kind(value);
        let is_list = kind.as_ref().is_some_and(|kind| kind.kind.ends_with("List"));
        if let Some(items) = value.entry("items").and_then(Value::as_array).filter(|_| is_list) {
            let items = items.iter().enumerate();
            items.for_each(|(index, item)| self.of_objects(&place.key("items").index(index), item, found));
            return;
        }
        let of_kind = kind.iter().flat_map(|kind| self.of_kind(kind));
        let everywhere = self.everywhere.iter().map(|number| &self.carriers[*number]);
        found.extend(of_kind.chain(everywhere).flat_map(|carrier| carried(carrier, place, value)));
    }
}

/// Writes `value` at these steps of `root`, where there is nothing yet.
fn supply(root: &mut Value, steps: &[Step], value: &Value) {
    if let ([Step::Key(key), rest @ ..], Value::Object(map)) = (steps, root) {
        let new = || if rest.is_empty() { value.clone() } else { Value::Object(Map::new()) };
        supply(map.entry(key.clone()).or_insert_with(new), rest, value);
    }
}

/// Returns what `carrier` carries in `value`, which is at `place` of its document.
fn carried<'a>(carrier: &'a Carrier, place: &FieldPath, value: &'a Value) -> Vec<Carried<'a>> {
    let places = carrier.places(value).into_iter().filter_map(|path| Some((place.join(&path), path.get(value)?)));
    places.map(|(place, around)| Carried { carrier, place, around, object: value }).collect()
}

/// Returns the kind of an object, where it has both apiVersion and kind.
fn kind(value: &Value) -> Option<GroupKind> {
    Some(GroupKind::new(value.text("kind")?, ApiVersion::parse(value.text("apiVersion")?).group))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn carriers(carriers: Value) -> Carriers {
        let file: CarrierFile = serde_json::from_value(json!({ "carriers": carriers })).unwrap();
        Carriers::new([&file])
    }

    #[track_caller]
    fn check(carriers: &Carriers, file: &str, document: Value, expected: &[&str]) {
        let found: Vec<String> =
            carriers.in_document(file, &document).into_iter().map(|carried| carried.place.to_string()).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_carrier_is_known_by_its_kind_in_lists_too() {
        let shops = carriers(json!([{"kind": "Shop.example.com", "each": ["spec.front", "spec.stores[]"]}]));
        let shop = json!({"apiVersion": "example.com/v1", "kind": "Shop", "spec": {"front": {}, "stores": [{}, {}]}});
        check(&shops, "a.yaml", shop.clone(), &["spec.front", "spec.stores[0]", "spec.stores[1]"]);
        let other = json!({"apiVersion": "example.org/v1", "kind": "Shop", "spec": {"front": {}}});
        check(&shops, "a.yaml", other.clone(), &[]);
        let list = json!({"apiVersion": "v1", "kind": "List", "items": [other, shop]});
        let expected = ["items[1].spec.front", "items[1].spec.stores[0]", "items[1].spec.stores[1]"];
        check(&shops, "a.yaml", list, &expected);
    }

    #[test]
    fn a_file_is_known_by_its_name_or_by_its_folder() {
        let files = carriers(json!([{"file": ["shop.yaml", "shop.d/*"], "each": "stores[]"}]));
        let document = json!({"stores": [{}]});
        for (file, is_known) in [
            ("shop.yaml", true),
            ("a/shop.yaml", true),
            ("a/shop.d/b.yaml", true),
            ("shop.d/a/b.yaml", false),
            ("ashop.yaml", false),
        ] {
            check(&files, file, document.clone(), if is_known { &["stores[0]"] } else { &[] });
        }
    }

    #[test]
    fn a_file_gives_only_documents_without_a_kind_the_kind_of_the_carrier() {
        let both = carriers(json!([{"kind": "Shop.example.com", "file": "shop.yaml", "each": "spec"}]));
        let of_kind = |kind: &str| json!({"apiVersion": "example.com/v1", "kind": kind, "spec": {}});
        check(&both, "shop.yaml", of_kind("Shop"), &["spec"]);
        check(&both, "other.yaml", of_kind("Shop"), &["spec"]);
        check(&both, "shop.yaml", of_kind("Store"), &[]);
        check(&both, "shop.yaml", json!({"spec": {}}), &["spec"]);
        check(&both, "other.yaml", json!({"spec": {}}), &[]);
        let everywhere = carriers(json!([{"each": "spec"}]));
        check(&everywhere, "other.yaml", json!({"spec": {}}), &["spec"]);
    }

    #[test]
    fn a_field_with_a_chart_is_one_value() {
        let read = |chart: Value| serde_json::from_value::<Carrier>(json!({"kind": "A", "chart": chart}));
        assert!(read(json!({"name": "chart", "brought-by": "chartRef.name"})).is_ok());
        let error = read(json!({"name": "charts[].name"})).unwrap_err().to_string();
        assert_eq!(error, "the field must be one value: write `[]` and `{}` under `each`");
        assert!(read(json!({"brought-by": ["a", "b"]})).unwrap_err().to_string().contains("exactly one field"));
        assert!(read(json!({"title": "a"})).is_err());
    }
}
