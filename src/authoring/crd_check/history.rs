//! What the releases before say: windows of deprecation, names that were used before, and what was tried out in the experimental channel.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, ensure};
use serde_json::{Map, Value};

use super::bump::numbers;
use super::change::{Change, Class};
use super::crd::MIGRATE;
use super::release::Release;
use super::schema;
use super::set::{Crd, CrdSet, EXPERIMENTAL, SchemaPart, Version};
use crate::engine::finding::Code;
use crate::knowledge::pack::crds::crd::facts_of;
use crate::knowledge::release::{by_stability, version_of};
use crate::syntax::field::{FieldPath, FieldPattern, Part};

/// The sets that a comparison looks at.
#[derive(Clone, Copy, Debug)]
pub struct Releases<'r, 'm> {
    /// The releases before the old one, the oldest first.
    pub earlier: &'r [CrdSet<'m>],
    /// The release that is compared with.
    pub old: &'r CrdSet<'m>,
    /// The release that is checked.
    pub new: &'r CrdSet<'m>,
    /// The experimental channel of the new release.
    pub experimental: Option<&'r CrdSet<'m>>,
}

impl Releases<'_, '_> {
    /// Checks that the releases before the new one are listed in the order of their versions, each channel by itself, as far as they name them.
    ///
    /// # Errors
    /// The first two that are not.
    pub(crate) fn check_order(&self) -> Result<()> {
        let mut last = BTreeMap::new();
        for set in self.earlier.iter().chain([self.old]) {
            let Release { bundle, channel, .. } = Release::of(set);
            let bundle = bundle.unwrap_or_default();
            let Some(version) = numbers(version_of(&bundle)) else { continue };
            if let Some((before, other, name)) = last.insert(channel, (version, bundle.clone(), &set.name)) {
                ensure!(
                    before <= version,
                    "--history: {name} is {other}, and {} after it is {bundle}; list the releases up to OLD from the oldest to the newest",
                    set.name
                );
            }
        }
        Ok(())
    }
}

/// Lists what is wrong with the last step of a history; `changes` are those of the step, and a version is deprecated for
/// `window` releases before it goes.
pub(super) fn changes(releases: Releases<'_, '_>, changes: &[Change], window: usize) -> Vec<Change> {
    let mut found = Vec::new();
    for change in changes {
        found.extend(maybe_stored(releases, change, changes));
        match (change.code, &change.field) {
            (Code::CrdVersionRemoved | Code::CrdServed, None) if change.class.is_some_and(|class| class.breaks()) => {
                found.extend(too_early(releases, change, window));
            }
            (Code::CrdFieldRemoved, Some(_)) if change.class.is_some_and(|class| class.breaks()) => {
                found.extend(too_early(releases, change, window));
            }
            (Code::CrdFieldAdded, Some(field)) => found.extend(reused(releases, change, field)),
            _ => {}
        }
        found.extend(not_tried_out(releases, change));
    }
    found.extend(releases.new.crds.iter().flat_map(|(name, crd)| of_versions(releases, name, crd)));
    found.extend(releases.experimental.into_iter().flat_map(|experimental| missing(releases.new, experimental)));
    found
}

/// Returns the releases before the new one, the newest first.
fn before<'r, 'm>(releases: Releases<'r, 'm>) -> impl Iterator<Item = &'r CrdSet<'m>> {
    std::iter::once(releases.old).chain(releases.earlier.iter().rev())
}

/// Makes what is wrong from a change, at its place.
fn wrong(change: &Change, code: Code, text: String) -> Change {
    Change { code, class: None, text, help: None, ..change.clone() }
}

/// Returns in how many releases the version or field that a change is about was deprecated, up to the old one: a field is by its
/// description.
fn deprecated_releases(releases: Releases<'_, '_>, change: &Change) -> Option<usize> {
    let (version, name) = (change.version.as_deref()?, name_of(releases.old, change)?);
    let is_called_deprecated = |version: Version<'_>, field: &FieldPattern| {
        let text = version.schema().and_then(|part| schema_at(part.schema, field)?.get("description")?.as_str());
        let text = text.map(str::to_ascii_lowercase);
        text.is_some_and(|text| text.contains("deprecated") && !text.contains("not deprecated"))
    };
    let is_deprecated = |set: &&CrdSet<'_>| {
        let version = set.crds.get(name).and_then(|crd| crd.version(version));
        version.is_some_and(|version| match &change.field {
            Some(field) => is_called_deprecated(version, field),
            None => version.is_deprecated(),
        })
    };
    Some(minors(before(releases).take_while(is_deprecated)))
}

/// Counts releases: those that differ in the third number only are one, and so is one that is listed twice.
fn minors<'r, 'm: 'r>(sets: impl Iterator<Item = &'r CrdSet<'m>>) -> usize {
    let minor = |set: &CrdSet<'_>| match Release::of(set).bundle.as_deref().and_then(numbers) {
        Some([major, minor, _]) => format!("{major}.{minor}"),
        None => set.name.clone(),
    };
    sets.map(minor).collect::<BTreeSet<String>>().len()
}

/// Says why a version may go: it was deprecated for as long as the policy asks, and is an alpha or a beta; a stable one stays.
pub(super) fn is_due(releases: Releases<'_, '_>, change: &Change, window: usize) -> Option<String> {
    let is_unstable = |version: &str| ["alpha", "beta"].iter().any(|part| version.contains(part));
    let goes = matches!(change.code, Code::CrdVersionRemoved | Code::CrdServed)
        && change.class == Some(Class::Dropped)
        && change.version.as_deref().is_some_and(is_unstable);
    let count = deprecated_releases(releases, change).filter(|count| goes && window > 0 && *count >= window)?;
    Some(format!("the version was deprecated in {count} releases before, and the policy asks for {window}"))
}

/// Reports a version or field that went before it was deprecated for long enough; what the history is too short for is not reported.
fn too_early(releases: Releases<'_, '_>, change: &Change, window: usize) -> Option<Change> {
    let count = deprecated_releases(releases, change)?;
    let is_known = count < minors(before(releases));
    let releases = if count == 1 { "release" } else { "releases" };
    let (code, what) = match change.field {
        Some(_) => (Code::CrdFieldDeprecation, "field was called deprecated"),
        None => (Code::CrdDeprecation, "version was deprecated"),
    };
    let text = format!("the {what} in {count} {releases} before it went, and should be in {window}");
    (count < window && is_known).then(|| wrong(change, code, text))
}

/// Reports that a version went in which a release before stored objects: the status of the CRD in a cluster can name it still.
fn maybe_stored(releases: Releases<'_, '_>, change: &Change, changes: &[Change]) -> Option<Change> {
    let goes = matches!(change.code, Code::CrdVersionRemoved | Code::CrdUnservedRemoved);
    let (version, name) = (change.version.as_deref().filter(|_| goes)?, name_of(releases.old, change)?);
    let stored_it = |set: &&CrdSet<'_>| {
        let version = set.crds.get(name).and_then(|crd| crd.version(version));
        version.is_some_and(|version| version.is_stored())
    };
    let last = before(releases).find(stored_it)?;
    let is_said = |other: &Change| {
        other.code == Code::CrdStoredVersion && other.kind == change.kind && other.version == change.version
    };
    let text = format!("{} stored objects in the version, which is gone: status.storedVersions can have it", last.name);
    let found = Change { code: Code::CrdStoredVersion, text, ..change.clone() }.with_help(MIGRATE);
    (!changes.iter().any(is_said)).then_some(found)
}

/// Returns the name of the CRD that a change is of.
fn name_of<'s>(set: &'s CrdSet<'_>, change: &Change) -> Option<&'s String> {
    set.crds.iter().find(|(_, crd)| crd.kind == change.kind).map(|(name, _)| name)
}

/// Reports a field whose name an earlier release had for a value of another type, in any of its versions.
fn reused(releases: Releases<'_, '_>, change: &Change, field: &FieldPattern) -> Option<Change> {
    let (version, name) = (change.version.as_deref()?, name_of(releases.new, change)?);
    let kind_in = |version: Version<'_>| Some(facts_of(schema_at(version.schema()?.schema, field)?).0);
    let now = kind_in(releases.new.crds.get(name)?.version(version)?)?;
    let other_in = |set: &CrdSet<'_>| {
        let versions = set.crds.get(name).map(|crd| crd.versions()).unwrap_or_default();
        versions.into_iter().filter_map(kind_in).find(|kind| *kind != now)
    };
    let (other, before) = releases.earlier.iter().rev().find_map(|set| Some((set, other_in(set)?)))?;
    let text = format!("the name was used before, in {}, for {}; it is {} now", other.name, before.name(), now.name());
    Some(wrong(change, Code::CrdNameReused, text))
}

/// Finds the schema of a field in that of an object.
fn schema_at<'s>(schema: &'s Map<String, Value>, field: &FieldPattern) -> Option<&'s Map<String, Value>> {
    field.parts().iter().try_fold(schema, |schema, part| {
        let inner = match part {
            Part::Key(name) => schema.get("properties")?.get(name),
            Part::Items => schema.get("items"),
            Part::Values => schema.get("additionalProperties"),
        };
        inner?.as_object()
    })
}

/// Reports what is new in the stable channel, and no experimental release of the history had.
fn not_tried_out(releases: Releases<'_, '_>, change: &Change) -> Option<Change> {
    let channel = |set: &CrdSet<'_>| Release::of(set).channel;
    let is_experimental = |set: &&CrdSet<'_>| channel(set).as_deref() == Some(EXPERIMENTAL);
    if channel(releases.new).as_deref() == Some(EXPERIMENTAL)
        || !releases.earlier.iter().any(|set| is_experimental(&set))
    {
        return None;
    }
    let name = name_of(releases.new, change)?;
    let had = |set: &CrdSet<'_>| {
        let Some(crd) = set.crds.get(name) else { return false };
        let version = change.version.as_deref().and_then(|version| crd.version(version));
        match (change.code, &change.field, version) {
            (Code::CrdAdded, ..) => true,
            (_, None, version) => version.is_some(),
            (_, Some(field), version) => {
                version.and_then(|version| version.schema()).is_some_and(|part| schema_at(part.schema, field).is_some())
            }
        }
    };
    let is_new = matches!(change.code, Code::CrdAdded | Code::CrdVersionAdded | Code::CrdFieldAdded);
    let is_tried = releases.earlier.iter().filter(is_experimental).any(had);
    let text = "it was not in the experimental channel of an earlier release".to_owned();
    (is_new && !is_tried).then(|| wrong(change, Code::CrdExperimentalFirst, text))
}

/// Reports how new kinds and versions begin, and versions that stay without being deprecated.
fn of_versions(releases: Releases<'_, '_>, name: &str, crd: &Crd<'_>) -> Vec<Change> {
    let versions = crd.versions();
    let old = releases.old.crds.get(name);
    let is_new = |version: &Version<'_>| old.is_none_or(|old| old.version(version.name).is_none());
    let mut found = Vec::new();
    let mut add = |code, version: &Version<'_>, text: String| {
        found.push(crd.change(code, None, &version.path(), text).of(version.name));
    };
    if old.is_none() && !versions.iter().any(|version| version.name.contains("alpha")) {
        versions.iter().take(1).for_each(|first| {
            add(Code::CrdFirstVersion, first, "the first version of the kind is no alpha".to_owned());
        });
    }
    for version in versions.iter().filter(|version| is_new(version)) {
        if version.name.contains("beta") && old.is_some() {
            let text = "a beta is added to the kind, whose versions are to go from alpha to v1".to_owned();
            add(Code::CrdFirstVersion, version, text);
        }
        let is_older = |other: &&Version<'_>| by_stability(other.name, version.name).is_lt();
        for older in versions
            .iter()
            .filter(|other| other.is_served() && !other.is_deprecated() && !is_new(other))
            .filter(is_older)
        {
            add(
                Code::CrdUndeprecated,
                older,
                format!("the version is not deprecated, though {} is there", version.name),
            );
        }
    }
    found
}

/// Reports what the stable channel has and the experimental one of the same release lacks, or describes otherwise.
fn missing(stable: &CrdSet<'_>, experimental: &CrdSet<'_>) -> Vec<Change> {
    let mut found = Vec::new();
    for (name, crd) in &stable.crds {
        let Some(other) = experimental.crds.get(name) else {
            let text = "the experimental channel lacks the kind".to_owned();
            found.push(crd.change(Code::CrdChannel, None, &FieldPath::default(), text));
            continue;
        };
        let scope = FieldPath::default().key("spec").key("scope");
        if scope.text(&crd.value) != scope.text(&other.value) {
            let text = "the experimental channel has another scope".to_owned();
            found.push(crd.change(Code::CrdChannel, None, &scope, text));
        }
        for version in crd.versions() {
            let Some(other_version) =
                other.version(version.name).filter(|other| other.is_served() || !version.is_served())
            else {
                let text = "the experimental channel lacks the version, or does not serve it".to_owned();
                found.push(crd.change(Code::CrdChannel, None, &version.path(), text).of(version.name));
                continue;
            };
            if let Some((own, others)) = version.schema().zip(other_version.schema()) {
                found.extend(narrower(other, version.name, own, others));
            }
        }
    }
    found
}

/// Reports what the experimental schema does not accept of the stable one, of what can be compared with certainty.
fn narrower(other: &Crd<'_>, version: &str, own: SchemaPart<'_>, others: SchemaPart<'_>) -> Vec<Change> {
    // Of combinations and rules that differ, some still accept the same.
    let is_certain = |change: &Change| {
        !matches!(change.code, Code::CrdCombination | Code::CrdRule | Code::CrdKeyword)
            && change.class.is_some_and(|class| class.breaks())
    };
    let found = schema::changes(other, version, [own, others], Default::default()).into_iter().filter(is_certain);
    found
        .map(|change| {
            wrong(
                &change,
                Code::CrdChannel,
                format!("from the stable channel to the experimental one, it {}", said(&change)),
            )
        })
        .collect()
}

/// Words a change as what a field does.
fn said(change: &Change) -> String {
    match change.code {
        Code::CrdFieldRemoved | Code::CrdFieldRenamed => change.text.clone(),
        _ => format!("differs: {}", change.text),
    }
}
