//! Answers: which releases have every field of an object?
//!
//! Invariant: a field that no release has never narrows; absence never narrows.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::knowledge::catalog::{Catalog, Fact, FactKind, Unknown};
use crate::knowledge::release::{Channel, ReleaseLine, ReleaseSet};
use crate::syntax::field::FieldPath;

/// What an object's fields show about its release.
#[derive(Clone, Debug)]
pub struct Inference {
    /// The releases that have every field of the object; empty for a conflict.
    pub candidates: ReleaseSet,
    /// The facts that cut the candidates down, the sharpest first; for a conflict, those that exclude each other.
    pub evidence: Vec<Fact>,
    /// The releases that serve the object's apiVersion for its kind.
    pub serving: ReleaseSet,
    /// Fields that no release has.
    pub unknown: Vec<Unknown>,
}

impl Inference {
    /// Returns whether the fields exclude each other: no release has them all.
    pub fn is_conflict(&self) -> bool {
        self.candidates.is_empty()
    }

    /// Returns whether the fields and the apiVersion exclude each other.
    pub(crate) fn contradicts_api_version(&self) -> bool {
        !self.is_conflict() && !self.serving.is_empty() && (self.candidates & self.serving).is_empty()
    }
}

/// Infers the releases of `object`, whose kind `catalog` describes and whose version within its group is `version`.
pub fn infer(object: &Value, catalog: &Catalog, version: &str) -> Inference {
    let facts = catalog.facts(object);
    let mut sharpest: Vec<_> = facts.known.into_iter().enumerate().collect();
    sharpest.sort_by_key(|(at, fact)| (fact.releases.iter().count(), *at));
    let mut candidates = catalog.releases();
    let mut evidence = Vec::new();
    for (_, fact) in sharpest {
        let left = candidates & fact.releases;
        if left != candidates {
            candidates = left;
            evidence.push(fact);
        }
        if candidates.is_empty() {
            evidence = exclusive(evidence);
            break;
        }
    }
    Inference { candidates, evidence, serving: catalog.serving(version), unknown: facts.unknown }
}

/// Returns the kind that `catalog` describes as the evidence, if a channel of the newest bundle on `line` never had it.
pub(crate) fn kind_evidence(catalog: &Catalog, line: &ReleaseLine) -> Option<Fact> {
    let releases = catalog.releases();
    let channels: BTreeSet<&Channel> = releases.iter().map(|id| &line.get(id).channel).collect();
    let newest = line.iter().map(|(_, release)| release.order).max()?;
    let mut current = line.iter().filter(|(_, release)| release.order == newest);
    let lacks = current.any(|(_, release)| !channels.contains(&release.channel));
    lacks.then(|| Fact { path: FieldPath::default().key("kind"), kind: FactKind::Value, releases })
}

/// Returns the last fact with the earliest one that excludes it, or every fact where it takes more than two.
fn exclusive(evidence: Vec<Fact>) -> Vec<Fact> {
    let Some(last) = evidence.last() else { return evidence };
    match evidence.iter().find(|fact| (fact.releases & last.releases).is_empty()) {
        Some(other) => vec![other.clone(), last.clone()],
        None => evidence,
    }
}
