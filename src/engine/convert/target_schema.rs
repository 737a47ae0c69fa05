//! Which schema does a converted object have to fit, and does the target have its kind at all?

use super::by_schema;
use super::remark::Remark;
use super::subject::Subject;
use super::targets::offer;
use crate::engine::finding::Code;
use crate::knowledge::catalog::Catalog;
use crate::knowledge::pack::Rule;
use crate::knowledge::pack::crds::own::OwnCrds;
use crate::knowledge::release::{GroupKind, ReleaseId};
use crate::syntax::field::FieldPath;

/// What decides whether an object is valid: the catalog of its kind, in one release.
pub(super) struct TargetSchema<'a> {
    /// What messages call it.
    pub(super) name: String,
    pub(super) catalog: &'a Catalog,
    pub(super) release: ReleaseId,
    /// The user's CRDs, whose CEL rules are run too.
    pub(super) crds: Option<&'a OwnCrds>,
}

impl<'a> TargetSchema<'a> {
    /// Returns the schema that objects of `kind` have to fit.
    ///
    /// # Errors
    /// The target does not have the kind.
    pub(super) fn of(subject: &Subject<'a>, kind: &GroupKind) -> Result<Self, Vec<Remark>> {
        let target = subject.target;
        match subject.goal.own_crds(target.pack) {
            None => {
                let catalog = target.pack.catalog(kind).expect("rules lead to kinds that the pack has");
                Ok(Self { name: target.to_string(), catalog, release: target.release, crds: None })
            }
            Some(crds) => {
                let catalog = crds.catalog(kind).ok_or_else(|| vec![missing_kind(subject, kind)])?;
                let name = format!("the CRD in {}", crds.name());
                Ok(Self { name, catalog, release: crds.release(), crds: Some(crds) })
            }
        }
    }
}

/// Returns what holds the object back where its rules refused it with `blocks`: what they require does not matter where the
/// target does not have the kind and no rule leads to another one.
pub(super) fn or_missing_kind(subject: &Subject<'_>, blocks: Vec<Remark>) -> Vec<Remark> {
    let kind = &subject.object.kind;
    let retypes = |rule: &Rule| rule.kind != rule.new_kind && [&rule.kind, &rule.new_kind].contains(&kind);
    let keeps_kind = !subject.target.pack.rules().iter().any(retypes);
    let is_refused = blocks.iter().all(|block| block.code == Code::NotConvertible);
    if is_refused && keeps_kind && !has_kind(subject, kind) { vec![missing_kind(subject, kind)] } else { blocks }
}

/// Reports a kind that the target does not have.
pub(super) fn missing_kind(subject: &Subject<'_>, kind: &GroupKind) -> Remark {
    let pack = subject.target.pack;
    let catalog = pack.catalog(kind).expect("rules lead to kinds that the pack has");
    let had = pack.line().describe(catalog.releases());
    let target = subject.goal.own_crds(pack).map_or_else(|| subject.target.to_string(), |crds| crds.name().to_owned());
    let message = match catalog.releases().is_empty() {
        true => format!("the CRD serves no version of {}", kind.kind),
        false => format!("{target} does not have the kind {kind}, which exists in {had}"),
    };
    let elsewhere = pack.kinds().find(|other| other.kind == kind.kind && has_kind(subject, other));
    let moved = elsewhere.filter(|_| pack.is_of_crds()).map(|other| by_schema::check_move(subject, other));
    let message = match (elsewhere, &moved) {
        (Some(other), Some(Err(why))) => format!("{message}; {other} does not describe it alike: {why}"),
        _ => message,
    };
    let help = match (pack.release_notes().hint(kind, None), elsewhere) {
        (Some(hint), _) => hint.help_for(&subject.object.value),
        (None, Some(other)) if matches!(moved, Some(Ok(()))) => offer(pack, kind, other),
        (None, Some(other)) => {
            let rule = if pack.is_of_crds() {
                "; `reversion pack suggest OLD NEW FOLDER` drafts a pack with such a rule"
            } else {
                ""
            };
            format!("rewrite it by hand as {other}, which the target has; no rule converts it{rule}")
        }
        (None, None) => "choose a target that has it, or remove the object".to_owned(),
    };
    Remark::new(Code::KindNotInTarget, FieldPath::default().key("kind"), message).help(help)
}

fn has_kind(subject: &Subject<'_>, kind: &GroupKind) -> bool {
    let target = subject.target;
    match subject.goal.own_crds(target.pack) {
        None => target.pack.catalog(kind).is_some_and(|catalog| !catalog.served(target.release).is_empty()),
        Some(crds) => crds.catalog(kind).is_some(),
    }
}
