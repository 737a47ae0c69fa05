//! What do the fields of one object say about the releases that it was written for, and what of it is reported?

use crate::engine::finding::{Code, Finding, Severity};
use crate::engine::infer::{Inference, infer};
use crate::engine::manifest::{Manifest, Object, sops};
use crate::knowledge::catalog::{Catalog, Fact, FactKind, Unknown};
use crate::knowledge::pack::{Pack, Target, nearest};
use crate::knowledge::release::ApiVersion;
use crate::syntax::field::FieldPath;
use crate::syntax::variable::ACTION;

use super::remark::Remark;
use super::shapes::{other_version, version_of};

/// Reports what the fields of one object contradict, without a target, and returns what they show; nothing of a kind that is not known.
pub(crate) fn inference_findings(
    manifest: &Manifest,
    object: &Object,
    pack: &Pack,
) -> (Vec<Finding>, Option<Inference>) {
    let Some(catalog) = pack.catalog(&object.kind) else {
        let unknown = unknown_kind(object, pack).into_iter();
        return (unknown.map(|remark| remark.finding(manifest, object, Severity::Unresolved)).collect(), None);
    };
    let inference = infer(&object.value, catalog, &object.api_version.version);
    let by_crds = pack.is_of_crds().then(|| outdated(object, pack, catalog)).flatten();
    let by_crds = by_crds.map(|remark| (remark, Severity::Warning));
    let conflicts = conflicts(&inference, pack).into_iter().map(|remark| (remark, Severity::Held));
    let version = version_of(object, pack, catalog, inference.candidates);
    let warnings = warnings(&inference, object, pack, catalog, version.as_ref());
    let warnings = warnings.into_iter().map(|remark| (remark, Severity::Warning));
    let remarks = conflicts.chain(warnings).chain(by_crds);
    let findings = remarks.map(|(remark, severity)| remark.finding(manifest, object, severity)).collect();
    (findings, Some(inference))
}

/// Reports an apiVersion that no CRD lists, or that the newest CRDs do not serve or call deprecated, where nothing but CRDs is known.
fn outdated(object: &Object, pack: &Pack, catalog: &Catalog) -> Option<Remark> {
    let own = object.api_version.version.as_str();
    if catalog.listing(own).is_empty() {
        return Some(unlisted(object, catalog));
    }
    let (newest, _) = pack.line().iter().last()?;
    let served = catalog.served(newest);
    let state = match served.iter().find(|version| version.name == own) {
        Some(version) if version.deprecated => "deprecated",
        Some(_) => return None,
        None => "not served",
    };
    let current = served.iter().filter(|version| !version.deprecated && version.name != own);
    let names: Vec<&str> = current.map(|version| version.name).collect();
    let target = Target::new(pack, newest);
    let (message, help) = match names.first() {
        Some(_) => (
            format!("{} is {state} in {target}, which serves {}", object.api_version, names.join(", ")),
            Some("`reversion diff` shows whether the object can get another apiVersion".to_owned()),
        ),
        None => (format!("{} is {state} in {target}, which serves no other version", object.api_version), None),
    };
    Some(Remark::new(Code::OutdatedVersion, FieldPath::default().key("apiVersion"), message).maybe_help(help))
}

/// Reports a version that no CRD lists, where nothing but CRDs is known.
pub(super) fn unlisted(object: &Object, catalog: &Catalog) -> Remark {
    let listed: Vec<&str> = catalog.versions().collect();
    let message = format!(
        "no CRD lists {} for {}, so nothing says how it is converted; there are {}",
        object.api_version,
        object.kind.kind,
        listed.join(", ")
    );
    let help = "pass CRDs that list it too, the older ones first: `--crds OLD --crds NEW`; or convert it by hand";
    Remark::new(Code::UnknownApiVersion, FieldPath::default().key("apiVersion"), message).help(help)
}

/// Reports a kind that no release of `pack` has. A group without a dot is one of Kubernetes' own, and `v1` alone not even a sign of that:
/// a kind that the pack does not describe is reported there only where it seems to be misspelled, as in a group that others share.
pub(super) fn unknown_kind(object: &Object, pack: &Pack) -> Option<Remark> {
    if pack.catalog(&object.kind).is_some() || object.kind.kind.contains(ACTION) {
        return None;
    }
    let is_own = object.kind.group.contains('.') && !pack.shared_groups().contains(&object.kind.group);
    let length = object.kind.kind.chars().count();
    let limit = if is_own { (length / 3).max(1) } else { (length / 3).clamp(1, 2) };
    let kinds = pack.kinds().filter(|kind| kind.group == object.kind.group).map(|kind| kind.kind.as_str());
    let nearest = nearest_kind(&object.kind.kind, kinds, limit);
    if !is_own && nearest.is_none() {
        return None;
    }
    let message = match pack.is_of_crds() {
        true => format!("no CRD that is used defines the kind {}", object.kind),
        false => format!("no release of {} has the kind {}", pack.title(), object.kind),
    };
    let help = nearest.map(|kind| format!("did you mean `{kind}`?"));
    let help = help.or_else(|| pack.is_of_crds().then(|| "correct the kind, or add its CRD to the others".to_owned()));
    Some(Remark::new(Code::UnknownKind, FieldPath::default().key("kind"), message).maybe_help(help))
}

/// Returns the kind most similar to `kind`, if at most `limit` of its letters differ.
fn nearest_kind<'n>(kind: &str, kinds: impl Iterator<Item = &'n str>, limit: usize) -> Option<&'n str> {
    // A long name is compared with names of its own length only, so that a hostile one costs nothing.
    let similar = kinds.filter(|name| name.len().abs_diff(kind.len()) <= limit);
    let nearest = nearest(kind, similar).into_iter().next()?;
    (strsim::damerau_levenshtein(kind, nearest) <= limit).then_some(nearest)
}

/// Reports the fields that exclude each other: no release has them all.
pub(super) fn conflicts(inference: &Inference, pack: &Pack) -> Vec<Remark> {
    let releases = |fact: &Fact| pack.line().describe(fact.releases);
    let shown = |fact: &Fact| match fact.kind {
        FactKind::Field => format!("{} exists only in {}", fact.path, releases(fact)),
        FactKind::Type => format!("the type of {} is that of {} alone", fact.path, releases(fact)),
        FactKind::Value => format!("the value of {} is allowed only in {}", fact.path, releases(fact)),
    };
    let conflict = |fact: &Fact| {
        let other = inference.evidence.iter().find(|other| (other.releases & fact.releases).is_empty());
        let against = match other {
            Some(other) => format!("but {}", shown(other)),
            None => "and no release has it together with the other fields of the object".to_owned(),
        };
        let help = match (fact.kind, other) {
            (FactKind::Field, _) => format!("remove or rename {}, or the fields that contradict it", fact.path),
            (FactKind::Type | FactKind::Value, Some(other)) => {
                format!("write {} as in {}, or change {}", fact.path, releases(other), other.path)
            }
            (FactKind::Type | FactKind::Value, None) => {
                format!("write {} as in another release, or change the fields that contradict it", fact.path)
            }
        };
        let message = format!("{}, {against}", shown(fact));
        Remark::new(Code::ConflictingFields, fact.path.clone(), message).help(help)
    };
    if inference.is_conflict() { inference.evidence.iter().map(conflict).collect() } else { Vec::new() }
}

/// Reports unknown fields, and an apiVersion that is unknown or that the fields contradict; `version` is the one whose fields the object
/// has, where rules convert its kind between apiVersions.
pub(super) fn warnings(
    inference: &Inference,
    object: &Object,
    pack: &Pack,
    catalog: &Catalog,
    version: Option<&ApiVersion>,
) -> Vec<Remark> {
    let line = pack.line();
    let mut warnings = Vec::new();
    // Patches carry directives that are no fields: `$patch: delete`.
    let is_directive = |unknown: &Unknown| unknown.path.last_key().is_some_and(|key| key.starts_with('$'));
    // SOPS adds its metadata to a document, next to the fields of the object.
    let sops = sops::has_checksum(&object.value).then(|| FieldPath::default().key("sops"));
    let is_field = |unknown: &&Unknown| !is_directive(unknown) && Some(&unknown.path) != sops.as_ref();
    for unknown in inference.unknown.iter().filter(is_field) {
        let check = || "check its spelling, or remove it: the API server ignores or rejects it".to_owned();
        let help = unknown.nearest.as_ref().map_or_else(check, |name| format!("did you mean `{name}`?"));
        let message = format!("no release has the field {}; it is left unchanged", unknown.path);
        warnings.push(Remark::new(Code::UnknownField, unknown.path.clone(), message).help(help));
    }
    let path = FieldPath::default().key("apiVersion");
    // Where nothing but CRDs is known, a version that none lists is no release's: `unlisted` says so.
    if catalog.listing(&object.api_version.version).is_empty() && !pack.is_of_crds() {
        let message = format!(
            "no release serves {} for {}; the fields decide which releases it can belong to",
            object.api_version, object.kind.kind
        );
        warnings.push(Remark::new(Code::UnknownApiVersion, path, message));
    } else if let Some(other) = version.and_then(|version| other_version(object, version)) {
        warnings.push(other);
    } else if inference.contradicts_api_version() {
        let (fields, serving) = (line.describe(inference.candidates), line.describe(inference.serving));
        let message = format!("the fields belong to {fields}, but {} is served in {serving}", object.api_version);
        warnings.push(Remark::new(Code::ApiVersionMismatch, path, message));
    }
    warnings
}
