//! What a policy says of all changes from one set to another.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::bump::Bump;
use super::change::{Change, Class};
use super::history::{self, Releases};
use super::policy::{Policy, Waiver};
use super::release::Release;
use super::set::CrdSet;
use super::{claims, crd, invalid, served, state};
use crate::engine::finding::{Acknowledged, AcknowledgedBy, Code, CrdChange, Finding, Severity};
use crate::knowledge::pack::Pack;
use crate::syntax::field::FieldPattern;

/// The findings of a comparison, and what they amount to.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// Sorted by place.
    pub findings: Vec<Finding>,
    /// Those that the policy waives.
    pub acknowledged: Vec<Acknowledged>,
    /// The waivers of the policy that accept nothing.
    pub(crate) unused: Vec<Waiver>,
    /// The step from one release to the other.
    pub step: ReleaseStep,
}

/// What the changes from one release to another need, and what the names of the two claim.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReleaseStep {
    /// The name of the old release, where something names it.
    pub old: Option<String>,
    /// The name of the new one.
    pub new: Option<String>,
    /// The step that the names claim.
    pub claims: Option<Bump>,
    /// The least step that holds all changes, as the policy has it.
    pub needs: Bump,
    /// How many changes there are of each class.
    pub changes: BTreeMap<Class, usize>,
}

/// Compares the CRDs of two releases, with what is known of those before, and of the pack that converts their objects.
pub fn check(releases: Releases<'_, '_>, pack: Option<&Pack>, policy: &Policy) -> Comparison {
    let Releases { old, new, .. } = releases;
    let mut changes = crd::changes(old, new);
    let mut more = history::changes(releases, &changes, policy.deprecated_releases);
    if let Some(pack) = pack {
        let between = served::between_versions(old, new);
        more.extend(claims::changes(changes.iter().chain(&between), pack));
    }
    changes.extend(more);
    changes.extend(without_old(old, new));
    changes.sort();
    let is_due = |change: &Change| history::is_due(releases, change, policy.deprecated_releases);
    judged(&changes, policy, is_due, [Release::of(old), Release::of(new)])
}

/// What something that is wrong is known by, in two sets.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Wrong<'c> {
    code: Code,
    title: &'c str,
    version: Option<&'c str>,
    field: Option<&'c FieldPattern>,
    /// What is said of an annotation, which is that of the release, of one of several rules, or of types, which can differ otherwise now.
    what: Option<&'c str>,
}

impl<'c> Wrong<'c> {
    fn of(change: &'c Change) -> Self {
        Self {
            code: change.code,
            title: &change.object.title,
            version: change.version.as_deref(),
            field: change.field.as_ref(),
            what: match change.code {
                Code::CrdBundle | Code::CrdRuleCost => Some(&change.text),
                // Behind the name of the storage version.
                Code::CrdRoundTrip => change.text.split_once(", ").map(|(_, types)| types),
                _ => None,
            },
        }
    }
}

/// Lists what is wrong with the new set and was not with the old one, and what the API server refuses of it.
fn without_old(old: &CrdSet<'_>, new: &CrdSet<'_>) -> Vec<Change> {
    let wrong = |set| [state::changes(set), served::changes(set)].concat();
    let before = wrong(old);
    // What the API server refuses is wrong still.
    let before = before.iter().filter(|change| change.code != Code::CrdInvalid);
    let known: BTreeSet<Wrong<'_>> = before.map(Wrong::of).collect();
    let after = [wrong(new), served::replaced(old, new)].concat();
    let after = after.into_iter().filter(|change| !known.contains(&Wrong::of(change)));
    after.chain(invalid::changes(new)).collect()
}

/// Judges changes; those that are due are accepted, with the reason.
fn judged(
    changes: &[Change],
    policy: &Policy,
    is_due: impl Fn(&Change) -> Option<String>,
    [old, new]: [Release; 2],
) -> Comparison {
    let mut comparison = Comparison::default();
    let mut used = BTreeSet::new();
    let step = &mut comparison.step;
    for change in changes {
        change.class.into_iter().for_each(|class| *step.changes.entry(class).or_default() += 1);
        let verdict = policy.judge(change, new.channel.as_deref());
        let finding = verdict.severity.map(|severity| finding(change, severity));
        let waiver = policy.waiver(change);
        used.extend(waiver);
        match waiver.map(|waiver| policy.waivers()[waiver].reason.clone()).or_else(|| is_due(change)) {
            Some(reason) => comparison.acknowledged.extend(finding.map(|finding| by_policy(finding, reason))),
            None => {
                step.needs = step.needs.max(verdict.needs);
                comparison.findings.extend(finding);
            }
        }
    }
    step.claims = old.claims(&new);
    let short = short_of(step, changes, policy, &[&old, &new]);
    match policy.waiver_of(Code::CrdBump).filter(|_| short.is_some()) {
        Some(waiver) => {
            used.insert(waiver);
            let reason = policy.waivers()[waiver].reason.clone();
            comparison.acknowledged.extend(short.map(|finding| by_policy(finding, reason)));
        }
        None => comparison.findings.extend(short),
    }
    (step.old, step.new) = (old.bundle, new.bundle);
    comparison.findings.sort();
    let unused = policy.waivers().iter().enumerate().filter(|(number, _)| !used.contains(number));
    comparison.unused = unused.map(|(_, waiver)| waiver.clone()).collect();
    comparison
}

fn by_policy(finding: Finding, reason: String) -> Acknowledged {
    Acknowledged { finding, by: AcknowledgedBy::Policy, reason: Some(reason) }
}

fn finding(change: &Change, severity: Severity) -> Finding {
    let finding = Finding::new(change.location.clone(), change.code, severity, change.message());
    let field = change.field.as_ref().filter(|field| !field.parts().is_empty());
    let about = CrdChange {
        class: change.class.map(|class| class.name().to_owned()),
        kind: change.kind.to_string(),
        version: change.version.clone(),
        field: field.map(ToString::to_string),
    };
    let finding = Finding { field: change.subject(), change: Some(Box::new(about)), ..finding };
    finding.about(change.object.clone()).maybe_help(change.help)
}

/// Reports that a release claims less than its changes need.
fn short_of(step: &ReleaseStep, changes: &[Change], policy: &Policy, [old, new]: &[&Release; 2]) -> Option<Finding> {
    let (claims, place) = (step.claims.filter(|claims| *claims < step.needs)?, new.place.clone()?);
    let severity = policy.severity_of(Code::CrdBump)?;
    let needs = |change: &&Change| {
        policy.waiver(change).is_none() && policy.judge(change, new.channel.as_deref()).needs == step.needs
    };
    let all: Vec<&Change> = changes.iter().filter(needs).collect();
    let first = all.first()?;
    let [old, new] = [old, new].map(|release| release.bundle.as_deref().unwrap_or_default());
    let (needs, claims) = (step.needs.words(), claims.words());
    let title = &first.object.title;
    let message = format!(
        "the changes need {needs}, and from {old} to {new} is {claims}; {} that, the first is {title} {}",
        if all.len() == 1 { "1 change needs".to_owned() } else { format!("{} changes need", all.len()) },
        first.message()
    );
    // What it is about, so that a baseline accepts neither another step nor another release.
    let field = Some(format!("{new} needs {needs}"));
    Some(Finding { field, ..Finding::new(place, Code::CrdBump, severity, message) })
}
