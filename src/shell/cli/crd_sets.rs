//! The CRDs of a call: those passed with `--crds`, or those in the tree, and the pack that is made of those whose API no pack knows.
//!
//! Invariant: a CRD that was passed is used, or the call fails; one that is only found in the tree is used, or the call says why not.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Error, Result, anyhow, bail, ensure};
use serde_json::{Value, json};

use super::console::Console;
use super::input::{self, CRD_KIND, Empty};
use crate::authoring::crd_check::check_nameless;
use crate::engine::finding::{Code, Finding, Location, Severity};
use crate::engine::manifest::{Manifest, Object};
use crate::knowledge::pack::crds::PlacedCrd;
use crate::knowledge::pack::crds::from_crds::{self, CrdSet, Move, WrongMove};
use crate::knowledge::pack::crds::own::OwnCrds;
use crate::knowledge::pack::{Pack, Packs};
use crate::knowledge::release::GroupKind;
use crate::shell::disk;
use crate::shell::report::{plural, visible};
use crate::syntax::field::FieldPath;

/// What the release is called that the CRDs of the tree become.
const TREE: &str = "tree";

/// A CRD, and where it is.
#[derive(Clone, Debug)]
pub(super) struct CrdObject {
    location: Location,
    kind: GroupKind,
    value: Arc<Value>,
}

impl CrdObject {
    fn placed(&self) -> PlacedCrd {
        PlacedCrd { place: self.location.to_string(), value: Arc::clone(&self.value) }
    }
}

/// What a file says of CRDs.
#[derive(Clone, Debug)]
pub(super) enum CrdPart {
    /// It defines a kind.
    Definition(CrdObject),
    /// A patch has a webhook convert the objects of the CRD with this name; without a name, those of any.
    Webhook(Option<String>),
}

/// The CRDs of one argument `--crds`.
pub(super) struct PassedSet {
    path: PathBuf,
    bundle: String,
    crds: Vec<CrdObject>,
    /// The files that they are in.
    pub(super) manifests: Vec<Manifest>,
}

impl PassedSet {
    /// Returns what messages call it.
    fn name(&self) -> String {
        if self.path == Path::new("-") { "standard input".to_owned() } else { self.path.display().to_string() }
    }

    /// Returns the CRDs as what objects are validated with.
    pub(super) fn own(&self) -> Result<OwnCrds> {
        own(&self.name(), &self.crds).context("--crds")
    }

    /// Returns the name of its release in the pack that is made of CRDs.
    pub(super) fn bundle(&self) -> &str {
        &self.bundle
    }

    /// Returns whether a CRD of it defines a kind of `group`.
    pub(super) fn defines(&self, group: &str) -> bool {
        self.groups().any(|own| own == group)
    }

    /// Returns the group of each of its CRDs.
    pub(super) fn groups(&self) -> impl Iterator<Item = &str> {
        self.crds.iter().map(|crd| crd.kind.group.as_str())
    }

    /// Says where the set comes from: `new/ (12 CRDs)`.
    pub(super) fn describe(&self) -> String {
        format!("{} ({})", visible(&self.name()), plural(self.crds.len(), "CRD"))
    }
}

/// Reads the sets that `--crds` names, in their order.
///
/// # Errors
/// The first file that cannot be read or parsed, or a set without a CRD.
pub(super) fn passed(paths: &[PathBuf], packs: &Packs, console: Console) -> Result<Vec<PassedSet>> {
    let is_stdin = |path: &&PathBuf| path.as_path() == Path::new("-");
    ensure!(paths.iter().filter(is_stdin).count() < 2, "--crds: `-` is standard input, which is read once");
    let sets = paths.iter().zip(bundles(paths)).map(|(path, bundle)| {
        let manifests = input::read_crds(path, "--crds", Empty::Refuse, packs, console)?;
        let mut parts = Vec::new();
        for manifest in &manifests {
            let read = in_manifest(manifest, |_| true);
            parts.extend(read.map_err(|finding| anyhow!("--crds: {}: {}", finding.location, finding.sentence()))?);
        }
        let set = PassedSet { path: path.clone(), bundle, crds: patched(parts), manifests };
        let is_defined = |name: &str| set.crds.iter().any(|crd| crd.value["metadata"]["name"] == name);
        check_nameless(&set.manifests, is_defined).context("--crds")?;
        ensure!(!set.crds.is_empty(), "--crds: {} contains no CRD", set.name());
        Ok(set)
    });
    sets.collect()
}

/// Makes the pack of the CRDs that define kinds of groups that no pack knows, some of which move to another group; `None` where there
/// are none.
///
/// # Errors
/// A CRD that is malformed, a kind that a set defines twice, or a move of no kind.
pub(super) fn pack_of(sets: &[PassedSet], moves: &[Move], packs: &Packs) -> Result<Option<Pack>> {
    for one in moves {
        let known = |group| packs.of_group(group).map(|pack| (group, pack.name()));
        if let Some((group, pack)) = [one.old.as_str(), one.new.as_str()].into_iter().find_map(known) {
            let why = format!("the pack {pack} knows {group} and converts its objects: `--to {pack}@RELEASE`");
            return Err(one.wrong(&why));
        }
    }
    let is_new = |crd: &&CrdObject| packs.of_group(&crd.kind.group).is_none();
    if !sets.iter().any(|set| set.crds.iter().any(|crd| is_new(&crd))) {
        return Ok(None);
    }
    let new = |set: &PassedSet| set.crds.iter().filter(is_new).map(CrdObject::placed).collect();
    let sets: Vec<CrdSet> = sets.iter().map(|set| CrdSet { bundle: set.bundle.clone(), crds: new(set) }).collect();
    let of_crds = |error: Error| if error.is::<WrongMove>() { error } else { error.context("--crds") };
    from_crds::pack(&sets, moves).map_err(of_crds).map(Some)
}

/// Tells CRDs of groups that no pack knows which no target of the call is about.
pub(super) fn warn_of_unused(sets: &[PassedSet], packs: &Packs, console: Console) -> Result<()> {
    for set in sets {
        let unknown = set.crds.iter().filter(|crd| packs.of_group(&crd.kind.group).is_none());
        let kinds: Vec<String> = unknown.map(|crd| crd.kind.to_string()).collect();
        let Some(first) = kinds.first() else { continue };
        let more = if kinds.len() == 1 { String::new() } else { format!(" and {} more", kinds.len() - 1) };
        console.note(&format!(
            "warning: --crds: {} defines {}{more} too, which the target is not about; for their objects add --to {}@{}\n",
            visible(&set.name()),
            visible(first),
            from_crds::NAME,
            set.bundle
        ))?;
    }
    Ok(())
}

/// What the CRDs of a tree are used for.
pub(super) struct TreeCrds {
    pub(super) pack: Pack,
    pub(super) own: OwnCrds,
    /// Where they are.
    pub(super) description: String,
}

/// Makes the pack of CRDs in a tree that define kinds of groups that no pack knows; `None` where there is none to use. A kind that
/// CRDs of the tree do not agree about is not used, and reported.
pub(super) fn of_tree(parts: Vec<CrdPart>, console: Console) -> Result<(Option<TreeCrds>, Vec<Finding>)> {
    let mut by_kind: BTreeMap<GroupKind, Vec<CrdObject>> = BTreeMap::new();
    for crd in patched(parts) {
        match from_crds::check(&crd.value) {
            Ok(()) => by_kind.entry(crd.kind.clone()).or_default().push(crd),
            Err(error) => {
                let place = visible(&crd.location.to_string());
                console.note(&format!("note: the CRD at {place} is not used: {}\n", visible(&format!("{error:#}"))))?;
            }
        }
    }
    let (mut used, mut findings) = (Vec::new(), Vec::new());
    for (kind, mut crds) in by_kind {
        crds.sort_by(|left, right| left.location.cmp(&right.location));
        match crds.iter().find(|crd| !from_crds::are_equal(&crd.value, &crds[0].value)) {
            Some(other) => findings.push(ambiguous(&kind, &crds[0], other)),
            None => used.extend(crds.into_iter().next()),
        }
    }
    used.sort_by(|left, right| left.location.cmp(&right.location));
    let Some(first) = used.first() else { return Ok((None, findings)) };
    let others = if used.len() == 1 { String::new() } else { format!(" and {} more", used.len() - 1) };
    let description = format!("{}{others}", visible(&first.location.to_string()));
    let crds = used.iter().map(CrdObject::placed).collect();
    let pack = from_crds::pack(&[CrdSet { bundle: TREE.to_owned(), crds }], &[])?;
    Ok((Some(TreeCrds { pack, own: own("the tree", &used)?, description }), findings))
}

/// Reports a kind that CRDs of a tree define in several ways.
fn ambiguous(kind: &GroupKind, first: &CrdObject, other: &CrdObject) -> Finding {
    let message = format!("the CRD at {} defines {kind} otherwise than this one; neither is used", other.location);
    let help = "pass those that the objects are for: `--crds PATH`";
    Finding::new(first.location.clone(), Code::MixedCrds, Severity::Warning, message).help(help)
}

/// Finds what a file says of CRDs whose groups no pack knows; one that cannot be read as data is none.
pub(super) fn unknown_in(manifest: &Manifest, packs: &Packs) -> Vec<CrdPart> {
    let says = |object: &Object| object.kind.kind == CRD_KIND || is_kustomization(object);
    let is_unknown = |kind: &GroupKind| packs.of_group(&kind.group).is_none();
    match manifest.objects.iter().any(says) {
        true => in_manifest(manifest, is_unknown).unwrap_or_default(),
        false => Vec::new(),
    }
}

/// Finds what a file says of the CRDs of the kinds that count.
fn in_manifest(manifest: &Manifest, counts: impl Fn(&GroupKind) -> bool) -> Result<Vec<CrdPart>, Box<Finding>> {
    let mut parts = Vec::new();
    for object in &manifest.objects {
        if is_kustomization(object) {
            parts.extend(webhooks_patched_by(&object.value).map(CrdPart::Webhook));
        } else if let Some(name) = webhook_patch(&object.value) {
            parts.push(CrdPart::Webhook(Some(name)));
        } else if let Some(kind) =
            from_crds::defined_kind(&object.value).filter(|kind| object.inline_patch.is_none() && counts(kind))
        {
            let location = manifest.locate(object, &FieldPath::default());
            parts.push(CrdPart::Definition(CrdObject { location, kind, value: manifest.full_value(object)? }));
        }
    }
    Ok(parts)
}

fn is_kustomization(object: &Object) -> bool {
    object.inline_patch.is_none() && ["Kustomization", "Component"].contains(&object.kind.kind.as_str())
}

/// Returns the name of the CRD that a strategic merge patch gives a webhook: one that defines no kind itself.
fn webhook_patch(value: &Value) -> Option<String> {
    let is_patch = value["kind"] == CRD_KIND && value.pointer("/spec/names").is_none();
    let is_webhook = is_patch && value.pointer("/spec/conversion/strategy") == Some(&Value::from("Webhook"));
    value.pointer("/metadata/name").and_then(Value::as_str).filter(|_| is_webhook).map(str::to_owned)
}

/// Returns the CRDs that patches with a target in a kustomization can give a webhook: those whose text is in another file, and
/// those whose text is about the conversion. A name that can be a pattern, or none, means any CRD.
fn webhooks_patched_by(kustomization: &Value) -> impl Iterator<Item = Option<String>> {
    let patches = ["patches", "patchesJson6902"].into_iter().filter_map(|key| kustomization[key].as_array());
    let is_about = |patch: &&Value| {
        patch["target"]["kind"] == CRD_KIND && patch["patch"].as_str().is_none_or(|text| text.contains("conversion"))
    };
    let is_plain = |name: &&str| name.chars().all(|letter| letter.is_ascii_alphanumeric() || "-.".contains(letter));
    patches
        .flatten()
        .filter(is_about)
        .map(move |patch| patch["target"]["name"].as_str().filter(is_plain).map(str::to_owned))
}

/// Returns the CRDs as Kustomize builds them, as far as that says what converts their objects.
fn patched(parts: Vec<CrdPart>) -> Vec<CrdObject> {
    let (mut crds, mut names, mut any) = (Vec::new(), BTreeSet::new(), false);
    for part in parts {
        match part {
            CrdPart::Definition(crd) => crds.push(crd),
            CrdPart::Webhook(Some(name)) => {
                names.insert(name);
            }
            CrdPart::Webhook(None) => any = true,
        }
    }
    let is_patched =
        |crd: &CrdObject| any || crd.value["metadata"]["name"].as_str().is_some_and(|name| names.contains(name));
    for crd in crds.iter_mut().filter(|crd| is_patched(crd)) {
        if let Some(spec) = Arc::make_mut(&mut crd.value)["spec"].as_object_mut() {
            spec.insert("conversion".to_owned(), json!({ "strategy": "Webhook" }));
        }
    }
    crds
}

fn own(name: &str, crds: &[CrdObject]) -> Result<OwnCrds> {
    OwnCrds::read(name, crds.iter().map(CrdObject::placed))
}

/// Names the release that each path becomes: after its last component, or, where those of all are the same, after the nearest one
/// that is not.
pub(super) fn bundles(paths: &[PathBuf]) -> Vec<String> {
    let components: Vec<Vec<String>> = paths.iter().map(|path| components(path)).collect();
    let longest = components.iter().map(Vec::len).max().unwrap_or_default();
    let at = |from_end: usize| -> Vec<String> {
        let name = |parts: &Vec<String>| parts.iter().rev().nth(from_end).cloned().unwrap_or_default();
        components.iter().map(name).collect()
    };
    let is_distinct = |names: &Vec<String>| {
        names.iter().enumerate().all(|(at, name)| !name.is_empty() && !names[..at].contains(name))
    };
    let distinct = (0..longest).map(at).find(is_distinct);
    distinct.unwrap_or_else(|| (1..=paths.len()).map(|number| format!("set{number}")).collect())
}

/// Returns the components of a path as names that releases can have.
fn components(path: &Path) -> Vec<String> {
    if path == Path::new("-") {
        return vec!["stdin".to_owned()];
    }
    let whole = disk::place_of(path).unwrap_or_else(|| path.to_owned());
    let mut names: Vec<String> = whole
        .components()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
            Component::Prefix(_) | Component::RootDir | Component::CurDir | Component::ParentDir => None,
        })
        .collect();
    if let Some(name) = names.last_mut() {
        let stem = [".yaml", ".yml", ".json"].iter().find_map(|ending| name.strip_suffix(ending));
        *name = stem.unwrap_or(name).to_owned();
    }
    names.iter().map(|name| release_name(name)).collect()
}

/// Returns `name` without what separates releases from each other in texts.
fn release_name(name: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.+".contains(letter);
    let plain: String = name.chars().map(|letter| if is_plain(letter) { letter } else { '-' }).collect();
    plain.replace("..", "-").trim_matches(['.', '-']).to_owned()
}

/// Refuses `--crds -` where standard input is taken by `reader`.
pub(super) fn without_stdin(paths: &[PathBuf], reader: &str) -> Result<()> {
    if paths.iter().any(|path| path == Path::new("-")) {
        bail!("--crds: `-` is standard input, which {reader}; save the CRDs in a file and pass that");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn named(paths: &[&str], expected: &[&str]) {
        let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
        assert_eq!(bundles(&paths), expected);
    }

    #[test]
    fn a_set_is_named_after_what_distinguishes_its_path() {
        named(&["/nowhere/old", "/nowhere/v1.2.0/"], &["old", "v1.2.0"]);
        named(&["/nowhere/old/crds", "/nowhere/new/crds"], &["old", "new"]);
        named(&["-"], &["stdin"]);
        named(&["/nowhere/my crds, 1..2"], &["my-crds--1-2"]);
        named(&["/nowhere/a", "/nowhere/a"], &["set1", "set2"]);
    }
}
