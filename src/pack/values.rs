//! Answers: which objects contain the values of a Helm chart, and where?
//!
//! A rule `values: <chart>` is about the chart's values. [`places`] makes it a rule for each kind of object that can hold
//! them: those of the tools that install charts, which [`INSTALLERS`] lists, those that the pack names itself, such as the
//! object of an operator whose spec is the chart's values, and files of values, which the manifest layer takes for objects.
//! Values that such an object gives in another form, as text or by the name of a file, are found as well and not converted.
//!
//! Invariant: values are converted only next to the name of their chart, or if they have the chart's own key.

use serde_json::{Value, json};

use super::wire;
use crate::field::{FieldPath, FieldPattern};
use crate::lens::{Condition, Emptied, Keep, Lens, at_each};
use crate::release::GroupKind;

/// A kind of object that can contain values.
struct Installer {
    kind: &'static str,
    /// The mapping that contains the name of the chart and its values.
    around: &'static str,
    /// The fields in it that hold the name of the chart.
    names: &'static [&'static str],
    /// The fields in it that name something called like the chart: an address, a folder, another object.
    locations: &'static [&'static str],
    /// The values in it.
    values: Option<&'static str>,
    /// Other forms of values in it, which are not converted.
    unconverted: &'static [UnconvertedValues],
}

/// A form of values in an object that is not converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnconvertedValues {
    /// This field contains them as text, or names objects that do.
    Text(&'static str),
    /// This field names one or several files of values.
    Files(&'static str),
    /// This field names the chart, and the values are in an object that references this one.
    Chart(&'static str),
}

impl UnconvertedValues {
    /// Returns the field, from the mapping around.
    pub const fn field(self) -> &'static str {
        match self {
            Self::Text(field) | Self::Files(field) | Self::Chart(field) => field,
        }
    }
}

/// The other forms of values in a source of Argo CD.
const ARGO: &[UnconvertedValues] = &[
    UnconvertedValues::Text("helm.values"),
    UnconvertedValues::Text("helm.parameters"),
    UnconvertedValues::Text("helm.fileParameters"),
    UnconvertedValues::Files("helm.valueFiles"),
];

/// The other forms of values for a chart of Kustomize.
const KUSTOMIZE: &[UnconvertedValues] =
    &[UnconvertedValues::Files("valuesFile"), UnconvertedValues::Files("additionalValuesFiles")];

const fn argo(kind: &'static str, around: &'static str) -> Installer {
    Installer {
        kind,
        around,
        names: &["chart"],
        locations: &["repoURL", "path"],
        values: Some("helm.valuesObject"),
        unconverted: ARGO,
    }
}

const fn kustomize(kind: &'static str, around: &'static str) -> Installer {
    Installer {
        kind,
        around,
        names: &["name"],
        locations: &["repo"],
        values: Some("valuesInline"),
        unconverted: KUSTOMIZE,
    }
}

/// Makes an object that brings a chart, which it names in `field`.
const fn brings(
    kind: &'static str,
    field: &'static [&'static str],
    unconverted: &'static [UnconvertedValues],
) -> Installer {
    Installer { kind, around: "spec", names: field, locations: &[], values: None, unconverted }
}

/// The objects of the tools that install charts.
///
/// Source: Flux, HelmRelease v2, OCIRepository and HelmChart v1; Argo CD, Application and ApplicationSet v1alpha1; Kustomize, `helmCharts` and
/// HelmChartInflationGenerator; the Helm controller of K3s, HelmChart v1.
const INSTALLERS: &[Installer] = &[
    Installer {
        kind: "HelmRelease.helm.toolkit.fluxcd.io",
        around: "spec",
        names: &["chart.spec.chart"],
        locations: &["chartRef.name"],
        values: Some("values"),
        unconverted: &[UnconvertedValues::Text("valuesFrom")],
    },
    argo("Application.argoproj.io", "spec.source"),
    argo("Application.argoproj.io", "spec.sources[]"),
    argo("ApplicationSet.argoproj.io", "spec.template.spec.source"),
    argo("ApplicationSet.argoproj.io", "spec.template.spec.sources[]"),
    kustomize("Kustomization.kustomize.config.k8s.io", "helmCharts[]"),
    kustomize("HelmChartInflationGenerator", ""),
    Installer {
        kind: "HelmChart.helm.cattle.io",
        around: "spec",
        names: &["chart"],
        locations: &[],
        values: None,
        unconverted: &[UnconvertedValues::Text("valuesContent"), UnconvertedValues::Text("set")],
    },
    brings("OCIRepository.source.toolkit.fluxcd.io", &["url"], &[UnconvertedValues::Chart("url")]),
    brings("HelmChart.source.toolkit.fluxcd.io", &["chart"], &[UnconvertedValues::Chart("chart")]),
];

/// One level of nesting around values: the places, what must hold there, and what becomes of mappings that are emptied there.
type Level = (FieldPattern, Condition, Option<Emptied>);

/// Where the values of a chart can be.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// The kind of the objects.
    pub(super) kind: GroupKind,
    /// From the outside in: the places in what is around, and what must hold there; the first is the mapping around.
    levels: Vec<Level>,
    /// Whether the innermost places are values; else there are none that can be read.
    is_readable: bool,
    unconverted: &'static [UnconvertedValues],
}

impl Place {
    /// Makes the place that is the whole object of `kind`.
    pub(super) const fn whole(kind: GroupKind) -> Self {
        Self { kind, levels: Vec::new(), is_readable: true, unconverted: &[] }
    }

    /// Returns whether there are values here that rules can be about.
    pub(super) const fn is_readable(&self) -> bool {
        self.is_readable
    }

    /// Makes the lens about objects of the kind that does what `lens` does in the place.
    pub(super) fn around(&self, lens: Lens) -> Lens {
        self.levels
            .iter()
            .rev()
            .fold(lens, |lens, (field, test, emptied)| at_each(field.clone(), test.clone(), emptied.clone(), lens))
    }

    /// Returns the values in `object`, which is of the kind.
    pub(super) fn values(&self, object: &Value) -> Vec<FieldPath> {
        if self.is_readable { within(&self.levels, object) } else { Vec::new() }
    }

    /// Returns the values in `object` that are not converted.
    pub(super) fn unconverted(&self, object: &Value) -> Vec<(FieldPath, UnconvertedValues)> {
        let first = self.levels.get(..1).unwrap_or_default();
        let mut found = Vec::new();
        for around in if self.unconverted.is_empty() { Vec::new() } else { within(first, object) } {
            for unconverted in self.unconverted {
                let field = pattern(unconverted.field()).as_path().unwrap_or_default();
                let path = around.join(&field);
                let is_set = |value: &Value| match value {
                    Value::Array(items) => !items.is_empty(),
                    Value::Object(map) => !map.is_empty(),
                    Value::String(text) => !text.trim().is_empty(),
                    Value::Null | Value::Bool(_) | Value::Number(_) => false,
                };
                if path.get(object).is_some_and(is_set) {
                    found.push((path, *unconverted));
                }
            }
        }
        found
    }
}

/// Returns the places in `object` that `levels` lead to.
fn within(levels: &[Level], object: &Value) -> Vec<FieldPath> {
    let step = |places: Vec<FieldPath>, (field, test, _): &Level| {
        let inner = |place: FieldPath| {
            let around = place.get(object);
            let matches = around.map(|around| field.matches(around)).unwrap_or_default();
            let holds = |path: &FieldPath| path.get(object).is_some_and(|value| test.holds(value));
            matches.into_iter().map(|path| place.join(&path)).filter(holds).collect::<Vec<_>>()
        };
        places.into_iter().flat_map(inner).collect()
    };
    levels.iter().fold(vec![FieldPath::default()], step)
}

/// Returns where the values of the chart `name` can be; `charts` are those of the pack.
pub(super) fn places(name: &str, charts: &[wire::Chart]) -> Vec<Place> {
    let Some(chart) = charts.iter().find(|chart| chart.name == name) else { return Vec::new() };
    let installed = INSTALLERS.iter().map(|installer| {
        let values = installer.values.map(|values| (pattern(values), Condition::default(), None));
        let emptied = installer.values.and_then(|values| pattern(values).as_path()).map(|within| {
            let keep = Keep { field: within.key(&chart.key), unless: any(named(chart, installer)) };
            Emptied { within, keep: Some(keep) }
        });
        let around = (pattern(installer.around), is_of(chart, installer), emptied);
        let levels = std::iter::once(around).chain(values).collect();
        let (is_readable, unconverted) = (installer.values.is_some(), installer.unconverted);
        Place { kind: GroupKind::parse(installer.kind), levels, is_readable, unconverted }
    });
    let own = chart.values_in.iter().map(|installer| {
        let emptied = Emptied { within: FieldPath::default(), keep: None };
        let levels = vec![(installer.field.clone(), Condition::default(), Some(emptied))];
        Place { levels, ..Place::whole(installer.kind.clone()) }
    });
    // A file of values has nothing but its key that shows what it is.
    let keep = Keep { field: FieldPath::default().key(&chart.key), unless: any(Vec::new()) };
    let emptied = Emptied { within: FieldPath::default(), keep: Some(keep) };
    let levels = vec![(FieldPattern::default(), Condition::default(), Some(emptied))];
    let file = Place { levels, ..Place::whole(GroupKind::new("Values", name)) };
    installed.chain(own).chain([file]).collect()
}

/// Makes the test that the chart is named, alone or at the end of a path, or that no chart is and its key is in the values.
fn is_of(chart: &wire::Chart, installer: &Installer) -> Condition {
    let mut tests = named(chart, installer);
    if let Some(values) = installer.values {
        let absent = installer.names.iter().map(|field| json!({ "absent": field }));
        let key = json!({ "present": format!("{values}.{}", chart.key) });
        tests.push(json!({ "all": absent.chain([key]).collect::<Vec<_>>() }));
    }
    any(tests)
}

/// Makes the tests that the chart is named, one for each field.
fn named(chart: &wire::Chart, installer: &Installer) -> Vec<Value> {
    let tests = installer.names.iter().chain(installer.locations).flat_map(|field| {
        let by_name = json!({ "equals": { "field": field, "value": chart.name } });
        [by_name, json!({ "text": { "field": field, "ends": format!("/{}", chart.name) } })]
    });
    tests.collect()
}

/// Makes the test that one of `tests` holds.
fn any(tests: Vec<Value>) -> Condition {
    let read = |test| {
        serde_json::from_value(test)
            .expect("the values_in are written as patterns, and every pack with values reads them")
    };
    Condition::any(tests.into_iter().map(read).collect())
}

fn pattern(text: &str) -> FieldPattern {
    FieldPattern::parse(text).expect("the values_in are written as patterns, and every pack with values reads them")
}
