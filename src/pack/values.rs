//! Answers: in which objects do the values of a Helm chart stand, and where?
//!
//! A rule `values: <chart>` is about the chart's values. [`places`] makes it a rule for each kind of object that can hold
//! them: those of the tools that install charts, which [`HOSTS`] lists, those that the pack names itself, such as the
//! object of an operator whose spec is the chart's values, and files of values, which the manifest layer takes for objects.
//! What such an object says of values in another way, as text or by the name of a file, is known as well and not read.
//!
//! Invariant: values are touched where their chart is named beside them or a key of it tells, and nowhere else.

use serde_json::{Value, json};

use super::wire;
use crate::field::{FieldPath, FieldPattern};
use crate::lens::{Condition, Keep, Lens, at_each};
use crate::release::GroupKind;

/// A kind of object in which values can stand.
struct Host {
    kind: &'static str,
    /// The mapping around what names the chart and what says its values.
    around: &'static str,
    /// The fields in it that hold the name of the chart.
    names: &'static [&'static str],
    /// The fields in it that name something called like the chart: an address, a folder, another object.
    likes: &'static [&'static str],
    /// The values in it.
    values: Option<&'static str>,
    /// What else says values in it.
    unread: &'static [Unread],
}

/// How an object says values in a way that is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unread {
    /// This field says them as text, or names objects that do.
    Text(&'static str),
    /// This field names one or several files of values.
    Files(&'static str),
    /// This field names the chart, and the values stand in what names the object.
    Chart(&'static str),
}

impl Unread {
    /// Returns the field, from the mapping around.
    pub const fn field(self) -> &'static str {
        match self {
            Self::Text(field) | Self::Files(field) | Self::Chart(field) => field,
        }
    }
}

/// What Argo CD can say of values in a source.
const ARGO: &[Unread] = &[
    Unread::Text("helm.values"),
    Unread::Text("helm.parameters"),
    Unread::Text("helm.fileParameters"),
    Unread::Files("helm.valueFiles"),
];

/// What Kustomize can say of values for a chart.
const KUSTOMIZE: &[Unread] = &[Unread::Files("valuesFile"), Unread::Files("additionalValuesFiles")];

const fn argo(kind: &'static str, around: &'static str) -> Host {
    Host {
        kind,
        around,
        names: &["chart"],
        likes: &["repoURL", "path"],
        values: Some("helm.valuesObject"),
        unread: ARGO,
    }
}

const fn kustomize(kind: &'static str, around: &'static str) -> Host {
    Host { kind, around, names: &["name"], likes: &["repo"], values: Some("valuesInline"), unread: KUSTOMIZE }
}

/// Makes an object that brings a chart, which it names in `field`.
const fn brings(kind: &'static str, field: &'static [&'static str], unread: &'static [Unread]) -> Host {
    Host { kind, around: "spec", names: field, likes: &[], values: None, unread }
}

/// The objects of the tools that install charts.
///
/// Source: Flux, HelmRelease v2, OCIRepository and HelmChart v1; Argo CD, Application and ApplicationSet v1alpha1; Kustomize, `helmCharts` and
/// HelmChartInflationGenerator; the Helm controller of K3s, HelmChart v1.
const HOSTS: &[Host] = &[
    Host {
        kind: "HelmRelease.helm.toolkit.fluxcd.io",
        around: "spec",
        names: &["chart.spec.chart"],
        likes: &["chartRef.name"],
        values: Some("values"),
        unread: &[Unread::Text("valuesFrom")],
    },
    argo("Application.argoproj.io", "spec.source"),
    argo("Application.argoproj.io", "spec.sources[]"),
    argo("ApplicationSet.argoproj.io", "spec.template.spec.source"),
    argo("ApplicationSet.argoproj.io", "spec.template.spec.sources[]"),
    kustomize("Kustomization.kustomize.config.k8s.io", "helmCharts[]"),
    kustomize("HelmChartInflationGenerator", ""),
    Host {
        kind: "HelmChart.helm.cattle.io",
        around: "spec",
        names: &["chart"],
        likes: &[],
        values: None,
        unread: &[Unread::Text("valuesContent"), Unread::Text("set")],
    },
    brings("OCIRepository.source.toolkit.fluxcd.io", &["url"], &[Unread::Chart("url")]),
    brings("HelmChart.source.toolkit.fluxcd.io", &["chart"], &[Unread::Chart("chart")]),
];

/// One step on the way in to values: the places, what must hold there, and what stays there.
type Level = (FieldPattern, Condition, Option<Keep>);

/// Where the values of a chart can stand.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// The kind of the objects.
    pub(super) kind: GroupKind,
    /// From the outside in: the places in what is around, and what must hold there; the first is the mapping around.
    levels: Vec<Level>,
    /// Whether the innermost places are values; else there are none that can be read.
    is_readable: bool,
    unread: &'static [Unread],
}

impl Place {
    /// Makes the place that is the whole object of `kind`.
    pub(super) const fn whole(kind: GroupKind) -> Self {
        Self { kind, levels: Vec::new(), is_readable: true, unread: &[] }
    }

    /// Says whether there are values here that rules can be about.
    pub(super) const fn is_readable(&self) -> bool {
        self.is_readable
    }

    /// Makes the lens about objects of the kind that does what `lens` does in the place.
    pub(super) fn around(&self, lens: Lens) -> Lens {
        self.levels
            .iter()
            .rev()
            .fold(lens, |lens, (field, test, keep)| at_each(field.clone(), test.clone(), keep.clone(), lens))
    }

    /// Returns the values in `object`, which is of the kind.
    pub(super) fn values(&self, object: &Value) -> Vec<FieldPath> {
        if self.is_readable { within(&self.levels, object) } else { Vec::new() }
    }

    /// Returns what says values in `object` and is not read.
    pub(super) fn unread(&self, object: &Value) -> Vec<(FieldPath, Unread)> {
        let first = self.levels.get(..1).unwrap_or_default();
        let mut found = Vec::new();
        for around in if self.unread.is_empty() { Vec::new() } else { within(first, object) } {
            for unread in self.unread {
                let field = pattern(unread.field()).as_path().unwrap_or_default();
                let path = around.join(&field);
                let says = |value: &Value| match value {
                    Value::Array(items) => !items.is_empty(),
                    Value::Object(map) => !map.is_empty(),
                    Value::String(text) => !text.trim().is_empty(),
                    Value::Null | Value::Bool(_) | Value::Number(_) => false,
                };
                if path.get(object).is_some_and(says) {
                    found.push((path, *unread));
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

/// Returns where the values of the chart `name` can stand; `charts` are those of the pack.
pub(super) fn places(name: &str, charts: &[wire::Chart]) -> Vec<Place> {
    let Some(chart) = charts.iter().find(|chart| chart.name == name) else { return Vec::new() };
    let installed = HOSTS.iter().map(|host| {
        let values = host.values.map(|values| (pattern(values), Condition::default(), None));
        let keep = host
            .values
            .and_then(|values| pattern(values).as_path())
            .map(|values| Keep { field: values.key(&chart.key), unless: any(named(chart, host)) });
        let around = (pattern(host.around), is_of(chart, host), keep);
        let levels = std::iter::once(around).chain(values).collect();
        let (is_readable, unread) = (host.values.is_some(), host.unread);
        Place { kind: GroupKind::parse(host.kind), levels, is_readable, unread }
    });
    let own = chart.hosts.iter().map(|host| {
        let levels = vec![(host.field.clone(), Condition::default(), None)];
        Place { levels, ..Place::whole(host.kind.clone()) }
    });
    // A file of values has nothing but its key that shows what it is.
    let keep = Keep { field: FieldPath::default().key(&chart.key), unless: any(Vec::new()) };
    let levels = vec![(FieldPattern::default(), Condition::default(), Some(keep))];
    let file = Place { levels, ..Place::whole(GroupKind::new("Values", name)) };
    installed.chain(own).chain([file]).collect()
}

/// Makes the test that the chart is named, alone or at the end of a path, or that no chart is and its key is in the values.
fn is_of(chart: &wire::Chart, host: &Host) -> Condition {
    let mut tests = named(chart, host);
    if let Some(values) = host.values {
        let absent = host.names.iter().map(|field| json!({ "absent": field }));
        let key = json!({ "present": format!("{values}.{}", chart.key) });
        tests.push(json!({ "all": absent.chain([key]).collect::<Vec<_>>() }));
    }
    any(tests)
}

/// Makes the tests each of which says that the chart is named.
fn named(chart: &wire::Chart, host: &Host) -> Vec<Value> {
    let tests = host.names.iter().chain(host.likes).flat_map(|field| {
        let by_name = json!({ "equals": { "field": field, "value": chart.name } });
        [by_name, json!({ "text": { "field": field, "ends": format!("/{}", chart.name) } })]
    });
    tests.collect()
}

/// Makes the test that one of `tests` holds.
fn any(tests: Vec<Value>) -> Condition {
    serde_json::from_value(json!({ "any": tests }))
        .expect("the hosts are written as patterns, and every pack with values reads them")
}

fn pattern(text: &str) -> FieldPattern {
    FieldPattern::parse(text).expect("the hosts are written as patterns, and every pack with values reads them")
}
