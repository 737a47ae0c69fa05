//! Answers: in which objects do the values of a Helm chart stand, and where?
//!
//! A rule `values: <chart>` is about the chart's values. [`places`] makes it a rule for each kind of object that can hold
//! them: those of the tools that install charts, which [`HOSTS`] lists, and those that the pack names itself, such as the
//! object of an operator whose spec is the chart's values.
//!
//! Invariant: values are touched where their chart is named beside them, and nowhere else.

use serde_json::Value;

use super::wire;
use crate::field::FieldPattern;
use crate::lens::{Condition, Lens};
use crate::release::GroupKind;

/// A place for values: (kind, the mapping around both, the name of the chart in it, the values in it).
type Host = (&'static str, &'static str, &'static str, &'static str);

/// The objects of the tools that install charts.
///
/// Source: Flux, HelmRelease v2; Argo CD, Application v1alpha1.
const HOSTS: &[Host] = &[
    ("HelmRelease.helm.toolkit.fluxcd.io", "spec", "chart.spec.chart", "values"),
    ("Application.argoproj.io", "spec.source", "chart", "helm.valuesObject"),
    ("Application.argoproj.io", "spec.sources[]", "chart", "helm.valuesObject"),
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

/// Returns where the values of `chart` can stand; `own` are the hosts that the pack names.
pub(super) fn places(chart: &str, own: &[wire::ValuesHost]) -> Vec<Place> {
    let installed = HOSTS.iter().map(|(kind, around, name, values)| {
        let named = Condition::equals(pattern(name), Value::from(chart));
        let levels = vec![(pattern(around), named), (pattern(values), Condition::default())];
        Place { kind: GroupKind::parse(kind), levels }
    });
    let own = own.iter().filter(|host| host.chart == chart);
    let own =
        own.map(|host| Place { kind: host.kind.clone(), levels: vec![(host.field.clone(), Condition::default())] });
    installed.chain(own).collect()
}

fn pattern(text: &str) -> FieldPattern {
    FieldPattern::parse(text).expect("the hosts are written as patterns, and every pack with values reads them")
}
