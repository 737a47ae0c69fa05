//! Answers: in which objects do the values of a Helm chart stand, and where?
//!
//! A rule `values: <chart>` is about the chart's values. [`rules_at`] makes it a rule for each kind of object that can hold
//! them: those of the tools that install charts, which [`HOSTS`] lists, and those that the pack names itself, such as the
//! object of an operator whose spec is the chart's values.
//!
//! Invariant: values are touched where their chart is named beside them, and nowhere else.

use anyhow::Result;
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

/// Makes the lens about the values of `chart` one for each kind that can hold them, sorted by kind; `own` are those of the
/// pack, `lens` reads the lens anew.
///
/// # Errors
/// That of `lens`.
pub(super) fn lenses_at(
    chart: &str,
    own: &[wire::ValuesHost],
    lens: &dyn Fn() -> Result<Lens>,
) -> Result<Vec<(GroupKind, Lens)>> {
    let mut found: Vec<(GroupKind, Vec<Lens>)> = Vec::new();
    let mut add = |kind: GroupKind, lens: Lens| match found.iter_mut().find(|(known, _)| *known == kind) {
        Some((_, lenses)) => lenses.push(lens),
        None => found.push((kind, vec![lens])),
    };
    for (kind, around, name, values) in HOSTS {
        let named = Condition::equals(pattern(name), Value::from(chart));
        let inner = lens()?.at(pattern(values), Condition::default());
        add(GroupKind::parse(kind), inner.at(pattern(around), named));
    }
    for host in own.iter().filter(|host| host.chart == chart) {
        add(host.kind.clone(), lens()?.at(host.field.clone(), Condition::default()));
    }
    found.sort_by(|left, right| left.0.cmp(&right.0));
    Ok(found.into_iter().map(|(kind, lenses)| (kind, Lens::chain(lenses))).collect())
}

fn pattern(text: &str) -> FieldPattern {
    FieldPattern::parse(text).expect("the hosts are written as patterns, and every pack with values reads them")
}
