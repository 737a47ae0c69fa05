//! Answers: where is a kind named that the run renames, and nothing follows it?
//!
//! Kinds are named in more ways than there are rules for: by group and kind in files that configure Kustomize, in its own
//! transformers, in policies (`group/*/Kind`), owner references, objects inside objects, texts. What
//! [`references`](super::references) and [`rights`] do not know of is looked through for any of them, and told where it stands.
//!
//! Invariant: nothing here changes anything; comments, and what names the new kind in the same list, are not told.

use std::collections::BTreeSet;

use aho_corasick::{AhoCorasick, MatchKind};
use serde_json::Value;

use super::references::{Retypes, Successor};
use super::{Course, Remark, finding, rights};
use crate::field::{FieldPath, Spot, Step};
use crate::finding::{Code, Finding, Location, Severity};
use crate::manifest::{Manifest, Object};
use crate::release::{ApiVersion, GroupKind, is_version};
use crate::yaml;

/// Finds the texts without which a file names no renamed kind.
#[derive(Debug)]
pub(super) struct Mentioned(Option<AhoCorasick>);

impl Mentioned {
    /// A kind that only changes its group is not named without that.
    pub(super) fn new(retypes: &Retypes) -> Self {
        let text = |(old, successor): (&GroupKind, &Successor)| match old.kind == successor.kind().kind {
            true => old.group.clone(),
            false => old.kind.clone(),
        };
        let texts: BTreeSet<String> = retypes.iter().map(text).collect();
        let find = || AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(&texts);
        Self((!texts.is_empty()).then(|| find().expect("a few short texts")))
    }

    fn may_be_in(&self, text: &str) -> bool {
        self.0.as_ref().is_some_and(|texts| texts.is_match(text))
    }
}

/// A search for the kinds that a run renames.
struct Search<'a> {
    retypes: &'a Retypes,
    /// What follows, or is told by others.
    known: BTreeSet<FieldPath>,
    found: Vec<Mention<'a>>,
    /// The lists that name a new kind.
    settled: BTreeSet<(FieldPath, &'a GroupKind)>,
    /// What is told of texts.
    texts: Vec<Remark>,
}

/// A place that names a kind.
struct Mention<'a> {
    path: FieldPath,
    old: &'a GroupKind,
    new: &'a GroupKind,
}

/// Where the search is.
#[derive(Clone, Copy)]
struct At<'s> {
    /// The place; none for the root.
    spot: Option<&'s Spot<'s>>,
    /// The nearest key.
    key: &'s str,
    /// Whether a kind without its group is the one that is meant, as in what Kustomize reads.
    alone: bool,
}

/// Tells what names a renamed kind in the documents of `manifest`.
pub(super) fn findings(manifest: &Manifest, course: &Course<'_>) -> Vec<Finding> {
    if !course.mentioned.may_be_in(&manifest.text) {
        return Vec::new();
    }
    let of_objects = manifest.objects.iter().flat_map(|object| {
        let told = in_object(manifest, object, course).into_iter();
        told.map(|remark| finding(manifest, object, &remark, Severity::Warning)).collect::<Vec<_>>()
    });
    let others = manifest.documents_without_objects();
    of_objects.chain(others.flat_map(|number| in_document(manifest, number, course))).collect()
}

/// Looks through an object that no pack knows.
fn in_object(manifest: &Manifest, object: &Object, course: &Course<'_>) -> Vec<Remark> {
    let is_apart = ["CustomResourceDefinition", "Secret"].contains(&object.kind.kind.as_str());
    let Some(map) = object.value.as_object().filter(|_| !is_apart) else { return Vec::new() };
    if course.goal().packs.of_group(&object.kind.group).is_some() {
        return Vec::new();
    }
    let followed = course.references(&object.kind, &object.value).into_iter().map(|reference| reference.path);
    let patches = manifest
        .inline_patches
        .iter()
        .filter(|inline_patch| object.inline_patch.is_none() && inline_patch.document == object.document);
    let depth = object.place.steps().len();
    let patches = patches.filter(|inline_patch| inline_patch.place.starts_with(&object.place));
    let patches = patches.map(|inline_patch| FieldPath::new(inline_patch.place.steps()[depth..].iter().cloned()));
    let groups = ["kustomize.config.k8s.io", "kustomize.toolkit.fluxcd.io"];
    let alone = groups.contains(&object.kind.group.as_str()) || object.api_version.to_string() == "builtin";
    let mut search = Search::new(&course.retypes, followed.chain(patches).collect());
    for (key, value) in map.iter().filter(|(key, _)| !["apiVersion", "kind", "status"].contains(&key.as_str())) {
        let spot = Spot::key(None, key);
        let at = At { spot: Some(&spot), key, alone };
        if key != "metadata" {
            search.visit(value, at);
        } else if let Some(owners) = value.get("ownerReferences") {
            search.visit(owners, At { spot: Some(&Spot::key(Some(&spot), "ownerReferences")), ..at });
        }
    }
    search.remarks()
}

/// Looks through a document without objects, but for what was told of it when it was read.
fn in_document(manifest: &Manifest, number: usize, course: &Course<'_>) -> Vec<Finding> {
    let Ok(value) = manifest.tree.value(&manifest.text, manifest.tree.documents()[number].root) else {
        return Vec::new();
    };
    let is_told = |location: &Location, codes: &[Code]| {
        manifest.findings.iter().any(|told| codes.contains(&told.code) && told.location == *location)
    };
    if is_told(&manifest.place_in(number, &FieldPath::default()), &[Code::NotAnObject]) {
        return Vec::new();
    }
    let tell = |remark: Remark| {
        let location = manifest.place_in(number, &remark.path);
        let is_new = !is_told(&location, &[Code::PatchTarget, Code::InlinePatch]);
        is_new.then(|| Finding {
            location,
            code: remark.code,
            severity: Severity::Warning,
            object: None,
            field: Some(remark.path.to_string()),
            message: remark.message,
            help: remark.help,
        })
    };
    in_value(&value, &course.retypes, true).into_iter().filter_map(tell).collect()
}

/// Looks through a value that is no object of its own. A schema names every version of a kind, and is told when it is read.
fn in_value(value: &Value, retypes: &Retypes, alone: bool) -> Vec<Remark> {
    if value.get("definitions").is_some() {
        return Vec::new();
    }
    let mut search = Search::new(retypes, BTreeSet::new());
    search.visit(value, At { spot: None, key: "", alone });
    let mut told = rights::remarks(value, retypes);
    told.extend(search.remarks());
    told
}

impl<'a> Search<'a> {
    const fn new(retypes: &'a Retypes, known: BTreeSet<FieldPath>) -> Self {
        Self { retypes, known, found: Vec::new(), settled: BTreeSet::new(), texts: Vec::new() }
    }

    fn visit(&mut self, value: &Value, at: At<'_>) {
        self.meet(at, &|kind, alone| names(value, at.key, kind, alone));
        match value {
            Value::Object(map) => {
                // What is listed beside API groups is a right.
                let is_right = map.contains_key("apiGroups");
                for (key, value) in
                    map.iter().filter(|(key, _)| !(is_right && ["kinds", "resources"].contains(&key.as_str())))
                {
                    let at = At { spot: Some(&Spot::key(at.spot, key)), key, alone: at.alone || key == "kustomize" };
                    self.meet(at, &|kind, _| is_spelled(key, kind));
                    self.visit(value, at);
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.visit(item, At { spot: Some(&Spot::index(at.spot, index)), ..at });
                }
            }
            Value::String(text) => self.read(text, at),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Takes in what `names` a kind, old or new; it is told whether a kind can be meant without its group.
    fn meet(&mut self, at: At<'_>, names: &dyn Fn(&GroupKind, bool) -> bool) {
        let path = || at.spot.map(Spot::path).unwrap_or_default();
        for (old, successor) in self.retypes {
            let new = successor.kind();
            let alone = at.alone && old.kind != new.kind;
            if names(new, alone) {
                self.settled.extend(path().split_last().map(|(list, _)| (list, new)));
            } else if names(old, alone) && !self.known.contains(&path()) {
                self.found.push(Mention { path: path(), old, new });
            }
        }
    }

    /// Looks through a text that holds data itself.
    fn read(&mut self, text: &str, at: At<'_>) {
        let is_data = text.contains('\n') || text.starts_with(['{', '[']);
        if !is_data || !self.retypes.keys().any(|kind| text.contains(&kind.kind)) {
            return;
        }
        let path = at.spot.map(Spot::path).unwrap_or_default();
        let Some(tree) = yaml::parse(text).ok().filter(|_| !self.known.contains(&path)) else { return };
        let values = tree.documents().iter().filter_map(|document| tree.value(text, document.root).ok());
        let told: Vec<_> = values.flat_map(|value| in_value(&value, self.retypes, at.alone)).collect();
        self.texts.extend(told.into_iter().map(|told| {
            let message = format!("in the text {path}: {}", told.message);
            Remark { message, path: path.clone(), ..told }
        }));
    }

    /// Tells what was found but where the same list names the new kind too.
    fn remarks(self) -> Vec<Remark> {
        let Self { found, settled, texts, .. } = self;
        let is_settled = |one: &Mention<'_>| match one.path.split_last() {
            Some((list, Step::Index(_))) => settled.contains(&(list, one.new)),
            _ => false,
        };
        let told = found.into_iter().filter(|one| !is_settled(one)).map(|Mention { path, old, new }| {
            let what = if path.steps().is_empty() { "the document".to_owned() } else { path.to_string() };
            let message = format!("{what} names {old}, which becomes {new}; it is not changed");
            let help = Some(format!("name {} of the group {} beside or instead of it, by hand", new.kind, new.group));
            Remark { code: Code::ReferenceNotUpdated, path, message, help }
        });
        told.chain(texts).collect()
    }
}

/// Says whether a value, under or in a list under `key`, names `kind`: a mapping with it, or a text such as `group/*/Kind`.
fn names(value: &Value, key: &str, kind: &GroupKind, alone: bool) -> bool {
    match value {
        Value::Object(map) => {
            let text = |key: &str| map.get(key).and_then(Value::as_str);
            let group = text("group").or_else(|| text("apiGroup")).map(str::to_owned);
            let group = group.or_else(|| text("apiVersion").map(|version| ApiVersion::parse(version).group));
            text("kind") == Some(&kind.kind) && group.map_or(alone, |group| group == kind.group)
        }
        Value::String(text) => {
            let is_chosen = alone && text.contains(&format!("[kind={}]", kind.kind));
            is_spelled(text, kind) || key == "kinds" && is_listed(text, kind) || is_chosen
        }
        _ => false,
    }
}

/// Says whether a text in a list of kinds is the name of `kind` in any group: `Kind`, `v1/Kind`, `*/Kind`, `*/*/Kind`, each with
/// or without a subresource behind it.
///
/// Source: Kyverno, the forms of `match.resources.kinds`.
fn is_listed(text: &str, kind: &GroupKind) -> bool {
    let parts: Vec<&str> = text.split('/').collect();
    let is_any = |version: &str| version == "*" || is_version(version);
    let before = match parts.as_slice() {
        [before @ .., name] | [before @ .., name, _] if *name == kind.kind => before,
        _ => return false,
    };
    match before {
        [] => true,
        [version] | ["*", version] => is_any(version),
        _ => false,
    }
}

/// Says whether a text is the name of `kind` with its group: `group/Kind`, `group/version/Kind`, `prefix.group_Kind`.
fn is_spelled(text: &str, kind: &GroupKind) -> bool {
    let parts: Vec<&str> = text.split('/').collect();
    let [group, name] = [kind.group.as_str(), kind.kind.as_str()];
    let is_path = matches!(parts.as_slice(), [first, second] | [first, _, second] | [first, _, second, _] if (*first, *second) == (group, name));
    let before = text.strip_suffix(name).and_then(|rest| rest.strip_suffix('_')?.strip_suffix(group));
    is_path || before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
}
