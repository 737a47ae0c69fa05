//! May an object get another apiVersion although no rule converts its kind to that one?
//!
//! A CRD says what converts its objects. Where nothing does, only the apiVersion differs by definition. Where a webhook does, its
//! code is not known here: the object gets the apiVersion only if both schemas say the same of everything that it has.
//!
//! A kind that moves to another group, because the user said so, is vouched for by the schemas alone.
//!
//! In a pack made from CRDs, which has no author who knows which changes are safe, a default that changes holds the object back too.
//!
//! Invariant: what a schema cannot vouch for holds the object back.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::inference;
use super::remark::Remark;
use super::subject::Subject;
use crate::engine::finding::Code;
use crate::knowledge::catalog::{Catalog, Difference, DifferenceKind, SchemaName};
use crate::knowledge::lens::{Completeness, Session};
use crate::knowledge::release::{ApiVersion, GroupKind, ReleaseId, ReleaseSet};
use crate::syntax::field::FieldPath;

/// Returns what there is to say about the object getting the version `name`.
///
/// # Errors
/// What holds the object back.
pub(super) fn vouch(
    subject: &Subject<'_>,
    kind: &GroupKind,
    name: &str,
    session: &Session<'_>,
) -> Result<Option<Remark>, Vec<Remark>> {
    let (object, pack) = (subject.object, subject.target.pack);
    let is_moved = *kind != object.kind;
    if is_moved && !pack.is_of_crds() || pack.versions_by_age(kind).is_some() {
        return Ok(None);
    }
    let version = ApiVersion { group: kind.group.clone(), version: name.to_owned() };
    let change = VersionChange { subject, session, present: &object.api_version.version, name };
    let is_by_webhook = match pack.is_of_crds() {
        true if is_moved => change.vouch_for_move(kind, &version)?,
        true => change.vouch_by_crds(&version)?,
        false => change.vouch_by_pack(&version)?,
    };
    Ok(is_by_webhook.then(|| told(&object.api_version, &version)))
}

/// Checks that a version of `kind`, the object's in another group, describes all that the object has alike.
///
/// # Errors
/// What stands in the way of the version that comes nearest, for people.
pub(super) fn check_move(subject: &Subject<'_>, kind: &GroupKind) -> Result<(), String> {
    let target = subject.target;
    let session = Session::new(Arc::clone(&subject.object.value));
    let served = target.pack.catalog(kind).map(|catalog| catalog.served(target.release)).unwrap_or_default();
    let tried = served.iter().map(|version| {
        let present = &subject.object.api_version.version;
        let change = VersionChange { subject, session: &session, present, name: version.name };
        let version = ApiVersion { group: kind.group.clone(), version: version.name.to_owned() };
        change.vouch_for_move(kind, &version).err().unwrap_or_default()
    });
    let blocks = tried.min_by_key(Vec::len).ok_or_else(|| "it serves no version".to_owned())?;
    let Some(first) = blocks.first() else { return Ok(()) };
    let more = match blocks.len() - 1 {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    Err(first.message.strip_suffix(NO_RULE).unwrap_or(&first.message).to_owned() + &more)
}

/// What is said behind a change that nothing describes.
const NO_RULE: &str = ", and no rule says how it is converted";

/// The change of an object to another version of its kind, or to the same one of another release.
struct VersionChange<'v, 'a, 's> {
    subject: &'v Subject<'a>,
    session: &'v Session<'s>,
    present: &'v str,
    name: &'v str,
}

impl VersionChange<'_, '_, '_> {
    /// Vouches for the change by the schemas of a pack whose author knows which changes are safe: only what a webhook converts is
    /// compared. Returns whether one does.
    ///
    /// # Errors
    /// What holds the object back.
    fn vouch_by_pack(&self, version: &ApiVersion) -> Result<bool, Vec<Remark>> {
        let Some(source) = source(self.subject).filter(|_| self.name != self.present) else { return Ok(false) };
        let (webhook, target) = (self.subject.catalog().converting_by_webhook(), self.subject.target.release);
        let together = together(self.subject, self.name);
        let is_by_webhook = match together {
            Some(release) => webhook.contains(release),
            None => webhook.contains(source) || webhook.contains(target),
        };
        if !is_by_webhook {
            return Ok(false);
        }
        let differences = self.differences(together.unwrap_or(source), together.unwrap_or(target));
        self.without_differences(differences, version, Vec::new()).map(|()| true)
    }

    /// Vouches for the change by CRDs alone: a default that changes holds the object back too. Returns whether a webhook converts the
    /// object; of versions that no set of CRDs lists together, nothing says that they are the same.
    ///
    /// # Errors
    /// What holds the object back.
    fn vouch_by_crds(&self, version: &ApiVersion) -> Result<bool, Vec<Remark>> {
        let (subject, catalog, target) = (self.subject, self.subject.catalog(), self.subject.target.release);
        let source = source(subject).ok_or_else(|| vec![inference::unlisted(subject.object, catalog)])?;
        let (mut differences, mut is_by_webhook) = (Vec::new(), false);
        if self.name != self.present {
            let together = together(subject, self.name);
            is_by_webhook = together.is_none_or(|release| catalog.converting_by_webhook().contains(release));
            differences = self.differences(together.unwrap_or(source), together.unwrap_or(target));
            differences.retain(|difference| is_by_webhook || is_of_default(difference));
        }
        let mut blocks = Vec::new();
        for set in sets_left(subject).iter() {
            let known: BTreeSet<FieldPath> = differences.iter().map(|known| known.path.clone()).collect();
            let others = self.differences(set, target).into_iter();
            differences.extend(others.filter(|other| is_of_default(other) && !known.contains(&other.path)));
            blocks.extend(scope_change(subject, set, catalog));
        }
        self.without_differences(differences, version, blocks).map(|()| is_by_webhook)
    }

    /// Vouches for the move to `kind`, the same kind in another group, which the user accepts as a whole: nothing but the schemas says
    /// that it is the same.
    ///
    /// # Errors
    /// What holds the object back.
    fn vouch_for_move(&self, kind: &GroupKind, version: &ApiVersion) -> Result<bool, Vec<Remark>> {
        let (subject, target) = (self.subject, self.subject.target);
        let source = source(subject).ok_or_else(|| vec![inference::unlisted(subject.object, subject.catalog())])?;
        let catalog = target.pack.catalog(kind).expect("a move leads to a kind of the pack");
        let old = SchemaName { release: source, version: self.present };
        let new = SchemaName { release: target.release, version: self.name };
        let differences = subject.catalog().differences_to(self.session.object(), old, catalog, new);
        let blocks = scope_change(subject, source, catalog).into_iter().collect();
        self.without_differences(differences, version, blocks).map(|()| true)
    }

    /// Returns what the schemas of the two versions, in these releases, do not describe alike of what the object has.
    fn differences(&self, old: ReleaseId, new: ReleaseId) -> Vec<Difference> {
        let old = SchemaName { release: old, version: self.present };
        let new = SchemaName { release: new, version: self.name };
        self.subject.catalog().differences(self.session.object(), old, new)
    }

    /// Refuses the change to `version` for differences that matter to the object, besides what `blocks` it.
    fn without_differences(
        &self,
        differences: Vec<Difference>,
        version: &ApiVersion,
        mut blocks: Vec<Remark>,
    ) -> Result<(), Vec<Remark>> {
        let is_whole = self.subject.completeness() == Completeness::Whole;
        let counts = |difference: &&Difference| {
            is_as_written(self.subject, self.session, &difference.path) && (is_whole || !is_of_default(difference))
        };
        let own = &self.subject.object.api_version;
        let differs = |difference| differs(self.subject, own, version, difference, self.session);
        blocks.extend(differences.iter().filter(counts).map(differs));
        if blocks.is_empty() { Ok(()) } else { Err(blocks) }
    }
}

/// Returns the sets of CRDs that the object can come from, other than the one it goes to: where they fill in other defaults,
/// the cluster makes another object of the same text.
fn sets_left(subject: &Subject<'_>) -> ReleaseSet {
    let listing = subject.catalog().listing(&subject.object.api_version.version) & subject.candidates;
    listing.iter().filter(|release| *release != subject.target.release).collect()
}

/// Reports that the kind has another scope in `set` than in the target, where `catalog` has it: which objects there are depends on it.
fn scope_change(subject: &Subject<'_>, set: ReleaseId, catalog: &Catalog) -> Option<Remark> {
    let (old, new) = (subject.catalog().scope_in(set)?, catalog.scope_in(subject.target.release)?);
    let message = format!("the scope of {} changes from {} to {}", subject.object.kind, old.name(), new.name());
    let help = "a CRD cannot change its scope: the kind is deleted and made again, so move its objects by hand";
    let path = FieldPath::default().key("metadata").key("namespace");
    (old != new).then(|| Remark::new(Code::SchemaDiffers, path, message).help(help))
}

/// Returns the release whose schema the object was written for: the target, where that lists its apiVersion, else the newest one
/// that does.
fn source(subject: &Subject<'_>) -> Option<ReleaseId> {
    let listing = subject.catalog().listing(&subject.object.api_version.version);
    let both = listing & subject.candidates;
    let target = Some(subject.target.release).filter(|target| listing.contains(*target));
    target.or_else(|| both.iter().last()).or_else(|| listing.iter().last())
}

/// Returns the release that lists both the object's version and the one called `name`, if possible one that serves the former: the
/// target, else the newest one. Its CRD is what says how one becomes the other; what happens to one version between releases is no
/// conversion.
fn together(subject: &Subject<'_>, name: &str) -> Option<ReleaseId> {
    let (catalog, present) = (subject.catalog(), subject.object.api_version.version.as_str());
    let both = catalog.listing(present) & catalog.listing(name);
    let serving = both & catalog.serving(present);
    let among = if serving.is_empty() { both } else { serving };
    Some(subject.target.release).filter(|target| among.contains(*target)).or_else(|| among.iter().last())
}

/// Returns whether the value at `path`, which can be absent, is what the user wrote there, and not what a rule made.
fn is_as_written(subject: &Subject<'_>, session: &Session<'_>, path: &FieldPath) -> bool {
    session.program().is_empty()
        || session.origin(path) == *path && path.get(session.object()) == path.get(&subject.object.value)
}

const fn is_of_default(difference: &Difference) -> bool {
    matches!(difference.kind, DifferenceKind::Default { .. })
}

/// Reports a field that two versions do not describe alike.
fn differs(
    subject: &Subject<'_>,
    old: &ApiVersion,
    new: &ApiVersion,
    difference: &Difference,
    session: &Session<'_>,
) -> Remark {
    let path = session.origin(&difference.path);
    let from_to = if old == new {
        format!("from one set of CRDs to {}, {path} {}", subject.target, difference.kind)
    } else {
        let place = if path == FieldPath::default() { "the object".to_owned() } else { path.to_string() };
        let (old, new) = between(old, new);
        format!("from {old} to {new}, {place} {}", difference.kind)
    };
    let (message, help) = match &difference.kind {
        DifferenceKind::Default { old: before, .. } => {
            let value = before.as_ref().filter(|value| !value.is_object() && !value.is_array());
            let keep =
                value.zip(path.last_key()).map(|(value, key)| format!("write `{key}: {value}` to keep the value; or "));
            let help = format!("{}write the value that you want, then run again", keep.unwrap_or_default());
            (from_to, help)
        }
        DifferenceKind::Gone | DifferenceKind::Added | DifferenceKind::Undescribed | DifferenceKind::Changed(_) => {
            (from_to + NO_RULE, by_cluster(subject, new))
        }
    };
    Remark::new(Code::SchemaDiffers, path, message).help(help)
}

/// Prints two apiVersions, without their groups where those are the same.
fn between(old: &ApiVersion, new: &ApiVersion) -> (String, String) {
    if old.group == new.group { (old.version.clone(), new.version.clone()) } else { (old.to_string(), new.to_string()) }
}

/// Says how to have the object converted by the code that is not known here; a cluster converts nothing to another group.
fn by_cluster(subject: &Subject<'_>, new: &ApiVersion) -> String {
    let GroupKind { kind, group } = &subject.object.kind;
    if *group != new.group {
        return "convert it by hand, or describe the change by a rule: `reversion pack suggest` drafts a pack"
            .to_owned();
    }
    format!(
        "convert it by hand, or copy what a cluster makes of it: `kubectl get {kind}.{}.{} NAME -o yaml`",
        new.version, new.group
    )
}

/// Tells that the object gets its apiVersion only because two schemas are the same for it.
fn told(old: &ApiVersion, new: &ApiVersion) -> Remark {
    let (old, new) = between(old, new);
    let message =
        format!("{old} becomes {new} by schema, not by conversion code: both describe every field of the object alike");
    Remark::new(Code::ConvertedBySchema, FieldPath::default().key("apiVersion"), message)
}
