//! Answers: in which objects do the values of a Helm chart stand, and where?
//!
//! A rule `values: <chart>` is about the chart's values. [`places`] makes it a rule for each kind of object that can hold
//! them: those of the tools that install charts, which [`HOSTS`] lists, those that the pack names itself, such as the
//! object of an operator whose spec is the chart's values, and files of values, which the manifest layer takes for objects.
//!
//! Invariant: values are touched where their chart is named beside them or a key of it tells, and nowhere else.

use serde_json::json;

use super::wire;
use crate::field::FieldPattern;
use crate::lens::{Condition, Lens};
use crate::release::GroupKind;

/// A place for values: (kind, the mapping around both, the name of the chart in it, the values in it).
type Host = (&'static str, &'static str, &'static str, &'static str);

/// The objects of the tools that install charts.
///
/// Source: Flux, HelmRelease v2; Argo CD, Application v1alpha1; Kustomize, `helmCharts`.
const HOSTS: &[Host] = &[
    ("HelmRelease.helm.toolkit.fluxcd.io", "spec", "chart.spec.chart", "values"),
    ("Application.argoproj.io", "spec.source", "chart", "helm.valuesObject"),
    ("Application.argoproj.io", "spec.sources[]", "chart", "helm.valuesObject"),
    ("Kustomization.kustomize.config.k8s.io", "helmCharts[]", "name", "valuesInline"),
];

/// Where a rule's lens runs.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// The kind of the objects.
    pub(super) kind: GroupKind,
    /// From the outside in: the places in what is around, and what must hold there.
    levels: Vec<(FieldPattern, Condition)>,
}

impl Place {
    /// Makes the place that is the whole object of `kind`.
    pub(super) const fn whole(kind: GroupKind) -> Self {
        Self { kind, levels: Vec::new() }
    }

    /// Makes the lens about objects of the kind that does what `lens` does in the place.
    pub(super) fn around(&self, lens: Lens) -> Lens {
        self.levels.iter().rev().fold(lens, |lens, (field, test)| lens.at(field.clone(), test.clone()))
    }
}

/// Returns where the values of the chart `name` can stand; `charts` are those of the pack.
pub(super) fn places(name: &str, charts: &[wire::Chart]) -> Vec<Place> {
    let Some(chart) = charts.iter().find(|chart| chart.name == name) else { return Vec::new() };
    let installed = HOSTS.iter().map(|(kind, around, named, values)| {
        let levels = vec![(pattern(around), is_of(chart, named, values)), (pattern(values), Condition::default())];
        Place { kind: GroupKind::parse(kind), levels }
    });
    let own = chart.hosts.iter().map(|host| {
        let levels = vec![(host.field.clone(), Condition::default())];
        Place { kind: host.kind.clone(), levels }
    });
    installed.chain(own).chain([Place::whole(GroupKind::new("Values", name))]).collect()
}

/// Makes the test that the chart is named at `named`, alone or at the end of a path, or that no chart is and its key is in
/// `values`.
fn is_of(chart: &wire::Chart, named: &str, values: &str) -> Condition {
    let by_name = json!({ "equals": { "field": named, "value": chart.name } });
    let by_path = json!({ "text": { "field": named, "ends": format!("/{}", chart.name) } });
    let key = format!("{values}.{}", chart.key);
    let by_key = json!({ "all": [{ "absent": named }, { "present": key }] });
    let test = json!({ "any": [by_name, by_path, by_key] });
    serde_json::from_value(test).expect("the hosts are written as patterns, and every pack with values reads them")
}

fn pattern(text: &str) -> FieldPattern {
    FieldPattern::parse(text).expect("the hosts are written as patterns, and every pack with values reads them")
}
