//! Which apiVersion of the old release is compared with which of the new one?
//!
//! Invariant: every apiVersion that the old release serves, and every one that the new one does, is compared.

use super::skeleton::{Case, is_open, to_fill_in};
use crate::knowledge::catalog::Catalog;
use crate::knowledge::release::{ApiVersion, GroupKind, ReleaseId};

/// Two apiVersions, one of each release.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) sides: [ApiVersion; 2],
    pub(super) span: Span,
}

/// What an object does between the two apiVersions of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Span {
    /// It gets the new one with the new release, and the old one back with the old release.
    Releases,
    /// It has the choice: the new release serves both.
    Beside,
    /// It has to leave the old one, and need not come back: the old release serves both.
    Left,
    /// It has to leave the old one, of several for which the new one came.
    Merged,
}

impl Span {
    /// Returns whether a rule says which apiVersions it is between.
    pub(super) const fn is_between(self) -> bool {
        !matches!(self, Self::Releases)
    }
}

/// Lists what is compared of two releases of a kind, which can be another one in the new release.
pub(super) fn steps([before, after]: [&Catalog; 2], [old, new]: [ReleaseId; 2]) -> Vec<Step> {
    let versions = |catalog: &Catalog, release| -> Vec<String> {
        catalog.served(release).iter().map(|version| version.name.to_owned()).collect()
    };
    let (own, its) = (versions(before, old), versions(after, new));
    let of = |kind: &GroupKind, version: &str| ApiVersion { group: kind.group.clone(), version: version.to_owned() };
    let step = |from: &str, to: &str, span| Step { sides: [of(before.kind(), from), of(after.kind(), to)], span };
    let is_same = before.kind() == after.kind();
    let mut steps = Vec::new();
    for version in &its {
        let from = if own.contains(version) { Some(version) } else { own.first() };
        let Some(from) = from else { continue };
        let span = match from != version && is_same {
            true if its.contains(from) => Span::Beside,
            true if own.len() > 1 => Span::Merged,
            _ => Span::Releases,
        };
        steps.push(step(from, version, span));
    }
    // What holds for a version that both have is said first.
    steps.sort_by_key(|step| step.sides[0].version != step.sides[1].version);
    // Then the newest that goes: objects of older ones pass its rules, too.
    let is_compared = |from: &String| steps.iter().any(|step| step.sides[0].version == **from);
    let gone: Vec<&String> = own.iter().filter(|from| is_same && !is_compared(from)).collect();
    for (from, to) in gone.into_iter().filter_map(|from| Some((from, its.first()?))) {
        steps.push(step(from, to, if own.contains(to) { Span::Left } else { Span::Merged }));
    }
    steps
}

/// Makes the cases of a step that does not lead both ways of a case that does.
pub(super) fn cases_of(case: Case, span: Span, newer: &str) -> Vec<Case> {
    match span {
        Span::Releases => vec![case],
        Span::Beside => beside(case),
        Span::Left => left(case, newer),
        Span::Merged => vec![case],
    }
}

/// What would lose something, or would be held back, keeps its apiVersion where that is still served.
fn beside(case: Case) -> Vec<Case> {
    let Some(before) = case.file("before.yaml") else { return vec![case] };
    let findings = case.file("findings.txt").filter(|text| !is_open(text));
    if case.file("allow.txt").is_some() {
        let kept = Case { name: format!("kept-{}", case.name), files: vec![("same.yaml", before.to_owned())] };
        // Its object without what would be lost is what comes back.
        let back = case.file("back.yaml").filter(|_| case.file("findings-back.txt").is_none());
        let without = match back.zip(case.file("after.yaml")) {
            Some((old, new)) => Case {
                name: format!("without-{}", case.name),
                files: vec![("before.yaml", old.to_owned()), ("after.yaml", new.to_owned())],
            },
            None => case,
        };
        return vec![kept, without];
    }
    match findings {
        Some(findings) if findings.starts_with("dropped-field") => Vec::new(),
        Some(findings) => {
            let text = format!("{}{findings}", to_fill_in("is open: until that is known, its apiVersion stays"));
            let files = vec![("before.yaml", before.to_owned()), ("findings.txt", text)];
            vec![Case { files, ..case }]
        }
        None => vec![case],
    }
}

/// An object of the new apiVersion keeps it in the old release.
fn left(mut case: Case, newer: &str) -> Vec<Case> {
    if case.file("same.yaml").is_some() {
        return vec![case];
    }
    if case.file("before.yaml").is_none() {
        return Vec::new();
    }
    case.files.retain(|(name, _)| !matches!(*name, "back.yaml" | "findings-back.txt"));
    let after = case.file("after.yaml").filter(|text| !is_open(text)).map(str::to_owned);
    case.files.extend(after.map(|after| ("back.yaml", after)));
    case.files.push(("to.txt", format!("{newer}\n")));
    vec![case]
}
