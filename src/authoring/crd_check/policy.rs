//! A policy: how severe each change is, which step of the version it needs, and what is waived.
//!
//! Those that are built in are files beside this one. A user's policy is a file of the same form, and can extend one of them.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, bail, ensure};
use serde::Deserialize;
use serde_json::{Value, json};

use super::bump::Bump;
use super::change::{Change, Class};
use crate::engine::finding::{Code, Severity};

/// The built-in policies, by name.
const BUILT_IN: [(&str, &str); 4] = [
    ("gateway-api", include_str!("policies/gateway-api.yaml")),
    ("guideline", include_str!("policies/guideline.yaml")),
    ("kubernetes", include_str!("policies/kubernetes.yaml")),
    ("nginx", include_str!("policies/nginx.yaml")),
];

/// What a policy says of a change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Judgement {
    severity: Option<Level>,
    /// The least step of the version that may hold the change.
    needs: Option<Bump>,
}

/// How severe a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Level {
    /// It is not reported.
    Off,
    /// It is reported with `--verbose`.
    Note,
    /// It is reported.
    Warning,
    /// The run fails.
    Error,
}

/// A policy as written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a policy is a mapping with `extends`, `classes` or `checks`")]
struct PolicyFile {
    /// What the policy is of, and where its project writes it down.
    #[serde(default, rename = "source")]
    _source: String,
    extends: Option<String>,
    #[serde(default)]
    classes: BTreeMap<Class, Value>,
    /// By the code of a check, or by `CODE/CLASS`.
    #[serde(default)]
    checks: BTreeMap<String, Value>,
    free: Option<Free>,
    /// In how many releases a version is called deprecated before it goes.
    #[serde(rename = "deprecated-releases")]
    deprecated_releases: Option<usize>,
    #[serde(default)]
    waivers: Vec<Waiver>,
}

/// What may change: there, nothing is more severe and needs more than this.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Free {
    /// Parts of names of versions: `alpha`.
    #[serde(default)]
    versions: Vec<String>,
    #[serde(default)]
    channels: Vec<String>,
    severity: Level,
    needs: Bump,
}

/// Findings that are accepted.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Waiver {
    /// The code.
    check: String,
    /// The kind with its group; any kind where it is absent.
    kind: Option<String>,
    /// The version; any where it is absent.
    version: Option<String>,
    /// The field; any where it is absent.
    field: Option<String>,
    /// Why it is accepted.
    pub(crate) reason: String,
}

/// A policy.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    /// Its name, or that of its file.
    pub(crate) name: String,
    classes: BTreeMap<Class, Judgement>,
    checks: BTreeMap<String, Judgement>,
    free: Option<Free>,
    /// In how many releases a version is called deprecated before it goes.
    pub(crate) deprecated_releases: usize,
    waivers: Vec<Waiver>,
}

/// What a policy decides about a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// How it is reported; not at all where there is none.
    pub(crate) severity: Option<Severity>,
    /// The least step of the version that may hold it.
    pub(crate) needs: Bump,
}

impl Policy {
    /// Returns the names of the built-in policies.
    pub(crate) fn names() -> [&'static str; 4] {
        BUILT_IN.map(|(name, _)| name)
    }

    /// Returns the built-in policy with this name.
    pub fn built_in(name: &str) -> Option<Self> {
        let (name, text) = BUILT_IN.iter().find(|(other, _)| *other == name)?;
        Some(Self::parse(name, text).expect("a test reads every policy"))
    }

    /// Reads a policy.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn parse(name: &str, text: &str) -> Result<Self> {
        let context = || format!("the policy {name}");
        // As a mapping, what is written twice is an error.
        serde_yaml::from_str::<serde_yaml::Value>(text).with_context(context)?;
        let file: PolicyFile = serde_yaml::from_str(text).with_context(context)?;
        let mut policy = match &file.extends {
            None => Self::default(),
            Some(base) => match Self::built_in(base) {
                Some(base) => base,
                None => bail!("the policy {name} extends {base}, which is none of {}", Self::names().join(", ")),
            },
        };
        for key in file.checks.keys().chain(file.waivers.iter().map(|waiver| &waiver.check)) {
            let (code, class) = key.split_once('/').unwrap_or((key, "breaking"));
            ensure!(is_check(code), "the policy {name}: `{code}` is no check; `reversion explain` knows each of them");
            let is_class = Class::ALL.iter().any(|known| known.name() == class);
            ensure!(is_class, "the policy {name}: `{class}` is no class of changes");
        }
        let reasonless = file.waivers.iter().find(|waiver| waiver.reason.trim().is_empty());
        ensure!(reasonless.is_none(), "the policy {name}: a waiver has no reason");
        let kinds = file.waivers.iter().filter_map(|waiver| waiver.kind.as_deref());
        if let Some(kind) = kinds.into_iter().find(|kind| !kind.contains('.')) {
            bail!("the policy {name}: the kind {kind} of a waiver has no group: write {kind}.GROUP");
        }
        let fields = file.waivers.iter().filter_map(|waiver| waiver.field.as_deref());
        if let Some(field) = fields.into_iter().find(|field| field.starts_with('.')) {
            bail!("the policy {name}: a field of a waiver has no dot before it: write {}", &field[1..]);
        }
        name.clone_into(&mut policy.name);
        for (class, written) in &file.classes {
            policy.classes.insert(*class, Judgement::read(name, class.name(), written)?);
        }
        for (check, written) in file.checks {
            let judgement = Judgement::read(name, &check, &written)?;
            // What is off is off for every class but those that the file names, which come behind it.
            if judgement.severity == Some(Level::Off) {
                policy.checks.retain(|other, _| other.split('/').next() != Some(check.as_str()) && *other != check);
            }
            let said = policy.checks.entry(check).or_default();
            *said = judgement.or(*said);
        }
        let mut judgements = policy.classes.values().chain(policy.checks.values());
        let says_nothing = judgements.all(|one| one.severity.is_none_or(|level| level == Level::Off));
        ensure!(
            !says_nothing,
            "the policy {name} reports nothing: write `extends`, or in `classes` or `checks` what is reported"
        );
        policy.free = file.free.or(policy.free);
        policy.deprecated_releases = file.deprecated_releases.unwrap_or(policy.deprecated_releases);
        policy.waivers.extend(file.waivers);
        Ok(policy)
    }

    /// Decides about a change of a set that is of this channel.
    pub(crate) fn judge(&self, change: &Change, channel: Option<&str>) -> Verdict {
        let code = change.code.name();
        let of_class = change.class.and_then(|class| self.classes.get(&class));
        let both = change.class.and_then(|class| self.checks.get(&format!("{code}/{}", class.name())));
        let said = [both, self.checks.get(code), of_class];
        let unsaid = if change.is_refused() { Level::Error } else { Level::Off };
        let mut severity = said.iter().find_map(|said| said.as_ref()?.severity).unwrap_or(unsaid);
        // What is off needs no more than is said where it is said to be off.
        let is_silent = |said: &&Option<&Judgement>| said.is_none_or(|said| said.severity.is_none());
        let counted = if severity == Level::Off { said.iter().take_while(is_silent).count() + 1 } else { said.len() };
        let mut needs = said.iter().take(counted).find_map(|said| said.as_ref()?.needs).unwrap_or_default();
        if let Some(free) = self.free.as_ref().filter(|free| !change.is_refused() && free.has(change, channel)) {
            (severity, needs) = (severity.min(free.severity), needs.min(free.needs));
        }
        Verdict { severity: severity.severity(), needs }
    }

    /// Returns how severe it is that a release claims less than it needs.
    pub(crate) fn severity_of(&self, code: Code) -> Option<Severity> {
        self.checks.get(code.name())?.severity?.severity()
    }

    /// Returns the number of the waiver that accepts a change.
    pub(crate) fn waiver(&self, change: &Change) -> Option<usize> {
        self.waivers.iter().position(|waiver| waiver.accepts(change))
    }

    /// Returns the number of the waiver that accepts every finding with a code, which may be about a whole release.
    pub(crate) fn waiver_of(&self, code: Code) -> Option<usize> {
        self.waivers.iter().position(|waiver| {
            waiver.check == code.name() && waiver.kind.is_none() && waiver.version.is_none() && waiver.field.is_none()
        })
    }

    /// Returns its waivers.
    pub(crate) fn waivers(&self) -> &[Waiver] {
        &self.waivers
    }
}

/// Returns whether a code is that of a check: others have names that begin so too.
fn is_check(code: &str) -> bool {
    let known = Code::parse(code).filter(|known| !matches!(known, Code::CrdNotServing));
    known.is_some() && code.starts_with("crd-")
}

impl Judgement {
    /// Reads what the policy `name` says of `key`: a severity alone, or with the step.
    fn read(name: &str, key: &str, written: &Value) -> Result<Self> {
        let whole = if written.is_string() { json!({ "severity": written }) } else { written.clone() };
        serde_json::from_value(whole).with_context(|| format!("the policy {name}: {key}"))
    }

    /// Takes what it does not say from another one.
    fn or(self, other: Self) -> Self {
        Self { severity: self.severity.or(other.severity), needs: self.needs.or(other.needs) }
    }
}

impl Level {
    const fn severity(self) -> Option<Severity> {
        match self {
            Self::Off => None,
            Self::Note => Some(Severity::Note),
            Self::Warning => Some(Severity::Warning),
            Self::Error => Some(Severity::Unresolved),
        }
    }
}

impl Free {
    /// Returns whether a change is one of an unstable version, or is made in an unstable channel; what is wrong with a set is not.
    fn has(&self, change: &Change, channel: Option<&str>) -> bool {
        let channel = channel.filter(|_| change.class.is_some());
        let version = change.version.as_deref().unwrap_or_default();
        self.versions.iter().any(|part| version.contains(part))
            || channel.is_some_and(|channel| self.channels.iter().any(|free| free == channel))
    }
}

impl Waiver {
    fn accepts(&self, change: &Change) -> bool {
        let is = |expected: &Option<String>, found: Option<String>| expected.is_none() || *expected == found;
        self.check == change.code.name()
            && is(&self.kind, Some(change.kind.to_string()))
            && is(&self.version, change.version.clone())
            && is(&self.field, change.field.as_ref().map(ToString::to_string))
    }
}

impl std::fmt::Display for Waiver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.check)?;
        let parts = [&self.kind, &self.version, &self.field];
        parts.into_iter().flatten().try_for_each(|part| write!(f, " {part}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_policy_judges_every_class() {
        for name in Policy::names() {
            let policy = Policy::built_in(name).unwrap();
            let judged: Vec<Class> = policy.classes.keys().copied().collect();
            assert_eq!(judged, Class::ALL, "{name}");
            assert!(policy.classes.values().all(|one| one.severity.is_some() && one.needs.is_some()), "{name}");
        }
    }

    #[track_caller]
    fn refused(text: &str, why: &str) {
        let error = Policy::parse("own", text).unwrap_err();
        assert!(format!("{error:#}").contains(why), "{error:#}");
    }

    #[test]
    fn a_policy_that_cannot_mean_anything_is_refused() {
        refused("checks: {crd-types: error}", "`crd-types` is no check");
        refused("checks: {dropped-field: error}", "`dropped-field` is no check");
        refused("checks: {crd-enum/wider: error}", "`wider` is no class");
        refused("extends: openshift", "extends openshift, which is none of gateway-api, guideline");
        refused("waivers: [{check: crd-enum, reason: ' '}]", "a waiver has no reason");
        refused(
            "checks: {crd-enum: fatal}",
            "the policy own: crd-enum: unknown variant `fatal`, expected one of `off`, `note`",
        );
        refused(
            "classes: {additive: {severity: note, needs: huge}}",
            "the policy own: additive: unknown variant `huge`",
        );
        refused("source: mine", "the policy own reports nothing");
        refused("checks: {crd-bound: off}", "the policy own reports nothing");
        refused("extends: nginx\nwaivers: [{check: crd-enum, field: .spec.a, reason: old}]", "write spec.a");
        refused("checks: {crd-enum: error, crd-enum: off}", "the policy own: checks: duplicate entry");
        refused(
            "waivers: [{check: crd-enum, kind: Boat, reason: old}]",
            "the kind Boat of a waiver has no group: write Boat.GROUP",
        );
    }
}
