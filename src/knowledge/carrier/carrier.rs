//! Answers: what does a carrier carry, and in which of its fields?
//!
//! The types mirror `carriers.yaml` key by key. All fields of a carrier are written from the mappings that `each` names, so that what
//! stands together is read together: a chart's name, its version and its values.
//!
//! Invariant: an unknown key is an error.

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::knowledge::release::GroupKind;
use crate::syntax::field::{FieldPath, FieldPattern, Part};

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
    /// The lists of patches, each item as in a kustomization.
    #[serde(default, deserialize_with = "several")]
    pub patches: Vec<FieldPattern>,
    /// The lists of folders whose kustomizations work on what is applied.
    #[serde(default, deserialize_with = "several")]
    pub components: Vec<FieldPattern>,
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
    /// The mapping with the group and kind of the objects; that of `each` where it is not written.
    #[serde(default, deserialize_with = "path")]
    pub selector: Option<FieldPath>,
    /// The list of JSON pointers.
    #[serde(deserialize_with = "required_path")]
    pub(crate) pointers: FieldPath,
    /// The list of jq expressions.
    #[serde(default, deserialize_with = "path")]
    pub(crate) queries: Option<FieldPath>,
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
    /// Returns whether a file has one of the names: its own, `fleet.yaml`, or that of its folder, `helmfile.d/*`.
    pub(crate) fn is_called(&self, file: &str) -> bool {
        let is = |name: &String| {
            let mut parts = file.rsplit(['/', '\\']);
            let own = parts.next();
            match name.strip_suffix("/*") {
                Some(folder) => parts.next() == Some(folder),
                None => own == Some(name),
            }
        };
        self.file.iter().any(is)
    }

    /// Returns the mappings in `object` that the fields are written from.
    pub fn places(&self, object: &Value) -> Vec<FieldPath> {
        self.each.iter().flat_map(|each| each.matches_where(object, |value| !value.is_null())).collect()
    }

    /// Returns the fields that are called like the chart, but are not its name.
    pub fn aliases(&self) -> impl Iterator<Item = &FieldPath> {
        self.chart.repository.iter().chain(&self.chart.alias).chain(&self.chart.brought_by)
    }

    /// Returns whether the mapping `around` names the chart, alone or at the end of a path.
    pub(crate) fn names_chart(&self, around: &Value, chart: &str) -> bool {
        let is_called =
            |text: &str| text.strip_suffix(chart).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'));
        let fields = self.chart.name.iter().chain(self.aliases());
        fields.filter_map(|field| field.get(around)?.as_str()).any(is_called)
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
