//! Answers: what do CRDs say by themselves, where nobody wrote a pack?
//!
//! Each set of CRDs, such as those of one release, becomes a release of a pack, in the order of the sets. Its catalogs are made as those
//! of any pack. It has no rules but those that the user asks for: a [`Move`] of kinds to another group.
//!
//! Invariant: a set defines a kind once.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, OnceLock};

use anyhow::{Context as _, Error, Result, anyhow, bail};
use serde_json::{Value, json};

use super::crd::{self, PlacedCrd};
use super::gather::ReleasedCrd;
use crate::knowledge::pack::folder::{Folder, HEAD, PackFiles};
use crate::knowledge::pack::pack::{LazyCatalog, Origin, Pack};
use crate::knowledge::pack::releases::Releases;
use crate::knowledge::pack::wire::PackFile;
use crate::knowledge::release::{GroupKind, ReleaseLine};

/// The name of the pack that is made of CRDs.
pub(crate) const NAME: &str = "crds";

/// What to do about a kind that a set defines twice.
pub(super) const SETS: &str =
    "keep one of them, or pass each release as a set of its own, the oldest first: `--crds OLD --crds NEW`";

/// CRDs that belong together: those of one release, or of one cluster.
#[derive(Clone, Debug)]
pub(crate) struct CrdSet {
    /// The name of the release that they become: characters that releases cannot have are not allowed.
    pub bundle: String,
    /// The CRDs.
    pub crds: Vec<PlacedCrd>,
}

/// That kinds left one API group for another one: `traefik.containo.us=traefik.io`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Move {
    pub old: String,
    pub new: String,
    /// Where it is written, unless it was passed.
    pub place: Option<String>,
}

/// Why a [`Move`] cannot be.
#[derive(Debug)]
pub(crate) struct WrongMove(String);

impl fmt::Display for WrongMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WrongMove {}

impl FromStr for Move {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let groups = text.split_once('=').filter(|(old, new)| !old.is_empty() && !new.is_empty() && old != new);
        let groups = groups.filter(|(_, new)| !new.contains('='));
        let (old, new) = groups.with_context(|| format!("`{text}` does not name two API groups: OLD=NEW"))?;
        Ok(Self { old: old.to_owned(), new: new.to_owned(), place: None })
    }
}

/// Writes the option that accepts a move.
impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "--move {}={}", self.old, self.new)
    }
}

impl Move {
    /// Returns how the file of a rule of a move to a group ends.
    fn rule_suffix(group: &str) -> String {
        format!("-moved-to-{group}")
    }

    /// Explains the rule of a move by its id; nothing where it cannot be one.
    pub(crate) fn explain(id: &str) -> Option<String> {
        let (release, rule) = id.strip_prefix(NAME)?.strip_prefix('/')?.rsplit_once('/')?;
        let (kind, group) = rule.split_once(&Self::rule_suffix(""))?;
        Some(format!(
            "{id}\nA rule that `--move OLD={group}` makes of the CRDs of a run: objects of the kind {kind} of the group OLD get the group {group}, \
             and references to them follow.\n\nforward, to {release} and later sets of --crds; backward, to earlier ones. An object with a field that \
             both schemas do not describe alike is held back.\n"
        ))
    }

    /// Says why it cannot be, behind the place where it is written.
    pub(crate) fn wrong(&self, why: &str) -> Error {
        let Self { old, new, place } = self;
        Error::new(WrongMove(match place {
            Some(place) => format!("{place}: {old}={new}: {why}"),
            None => format!("{self}: {why}"),
        }))
    }

    /// Returns the rules that the move makes of the kinds of `crds`, by file.
    ///
    /// # Errors
    /// A failure where no kind moves.
    fn rules(&self, crds: &BTreeMap<GroupKind, Vec<ReleasedCrd>>, line: &ReleaseLine) -> Result<PackFiles> {
        let mut files = PackFiles::new();
        for (kind, old) in crds.iter().filter(|(kind, _)| kind.group == self.old) {
            let new = crds.get(&GroupKind::new(&kind.kind, &self.new)).and_then(|new| new.first());
            let Some(new) = new.filter(|new| old[0].release < new.release) else { continue };
            let expected = kind.plural();
            let mut plurals =
                old.iter().chain([new]).filter_map(|crd| crd.value.pointer("/spec/names/plural")?.as_str());
            if let Some(plural) = plurals.find(|plural| *plural != expected) {
                let name = &kind.kind;
                return Err(self.wrong(&format!(
                    "the resources of {name} are called {plural}, and not {expected}, in these sets: roles and webhooks that name them would not follow; \
                     convert the objects of {name} with a pack (`reversion pack suggest`), and roles by hand"
                )));
            }
            let Self { old, new: group, .. } = self;
            let rule = json!({
                "summary": format!("{} moved from the group {old} to {group}", kind.kind),
                "kind": kind.to_string(),
                "source": self.to_string(),
                "lens": [{ "retype": { "group": group } }],
            });
            let (release, kind, to) =
                (&line.get(new.release).bundle, kind.kind.to_lowercase(), Self::rule_suffix(group));
            let path = format!("{release}/{kind}{to}.yaml");
            files.insert(path, Cow::Owned(rule.to_string()));
        }
        let Self { old, new, .. } = self;
        match files.is_empty() {
            true => {
                let has = |group: &str, kind: &str| crds.contains_key(&GroupKind::new(kind, group));
                let is_reversed = crds.keys().any(|kind| kind.group == *old && has(new, &kind.kind));
                let why = if is_reversed {
                    "pass the set with the old group first"
                } else {
                    "pass both sets, the older one first"
                };
                let groups: BTreeSet<&str> = crds.keys().map(|kind| kind.group.as_str()).collect();
                let groups = Vec::from_iter(groups).join(", ");
                Err(self.wrong(&format!(
                    "no kind of {old} is in {new} in a later set; {why}: `--crds OLD --crds NEW` (these sets have {groups})"
                )))
            }
            false => Ok(files),
        }
    }
}

/// The API group and kind of a CRD.
pub(crate) const CRD: (&str, &str) = ("apiextensions.k8s.io", "CustomResourceDefinition");

/// Returns the kind that a CRD defines, if `value` is one; nothing is said of what else is in it.
pub(crate) fn defined_kind(value: &Value) -> Option<GroupKind> {
    let text = |path: &str| value.pointer(path).and_then(Value::as_str);
    let kind = GroupKind::new(text("/spec/names/kind")?, text("/spec/group")?);
    is_crd(value).then_some(kind)
}

fn is_crd(value: &Value) -> bool {
    let is_of_group = |version: &str| version.split_once('/').is_some_and(|(group, _)| group == CRD.0);
    value["kind"] == CRD.1 && value["apiVersion"].as_str().is_some_and(is_of_group)
}

/// Returns whether a value is a CRD with versions or a schema that does not say which kind it defines: a malformed one, or a patch of another.
pub(crate) fn is_nameless(value: &Value) -> bool {
    let has = |key: &str| value["spec"].get(key).is_some();
    let is_whole = has("versions") || has("version") || has("validation");
    is_crd(value) && is_whole && defined_kind(value).is_none()
}

/// Returns whether two CRDs say the same about their kind.
pub(crate) fn are_equal(left: &Value, right: &Value) -> bool {
    left["spec"] == right["spec"]
}

/// Checks that a CRD can be understood.
///
/// # Errors
/// A failure that says what is malformed.
pub(crate) fn check(value: &Value) -> Result<()> {
    crd::checked_kind(value).map(|_| ())
}

/// Makes the pack of `sets`, the oldest first, with a rule for each kind that `moves`.
///
/// # Errors
/// A failure that names the place of a malformed CRD, both places where a set defines one kind twice, or a move of no kind.
pub(crate) fn pack(sets: &[CrdSet], moves: &[Move]) -> Result<Pack> {
    let bundles = sets.iter().map(|set| (set.bundle.clone(), Vec::new()));
    let line = ReleaseLine::new(Vec::new(), bundles).map_err(|message| anyhow!(message))?;
    let mut crds: BTreeMap<GroupKind, Vec<ReleasedCrd>> = BTreeMap::new();
    for (set, (release, _)) in sets.iter().zip(line.iter()) {
        let mut places: BTreeMap<GroupKind, &str> = BTreeMap::new();
        for PlacedCrd { place, value } in &set.crds {
            let Some(kind) = crd::checked_kind(value).with_context(|| place.clone())? else { continue };
            if let Some(other) = places.insert(kind.clone(), place) {
                bail!("{place}: {kind} is defined by another CRD too, at {other}; {SETS}");
            }
            crds.entry(kind).or_default().push(ReleasedCrd { release, value: Arc::clone(value) });
        }
    }
    let groups: BTreeSet<&str> = crds.keys().map(|kind| kind.group.as_str()).collect();
    let releases: Vec<Value> = sets.iter().map(|set| json!({ "bundle": set.bundle })).collect();
    let head = json!({"name": NAME, "title": "the CRDs", "source": NAME, "groups": groups, "releases": releases});
    let mut files = PackFiles::from([(HEAD.to_owned(), Cow::Owned(head.to_string()))]);
    for one in moves {
        files.extend(one.rules(&crds, &line)?);
    }
    let folder = Folder::given(NAME, files);
    let mut written: PackFile = folder.read(HEAD)?.context("it was just written")?;
    let releases = Releases::take(&mut written, &crds.keys().collect());
    let releases = releases.map_err(|wrong| folder.error_in(HEAD, &wrong))?;
    let mut pack = Pack::new(Origin::Crds, folder, written, Cow::default(), Arc::default());
    pack.catalogs = crds.into_iter().map(|(kind, crds)| (kind, LazyCatalog::of_crds(crds))).collect();
    pack.releases = OnceLock::from(releases);
    pack.rules = OnceLock::from(pack.read_rules()?);
    Ok(pack)
}
