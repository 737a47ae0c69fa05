//! Where is a kind mentioned that the run renames, and that is not updated?
//!
//! Kinds are named in more ways than there are rules for: by group and kind in files that configure Kustomize, in its own
//! transformers, in policies (`group/*/Kind`), owner references, embedded objects, texts. Whatever is neither a reference nor an
//! RBAC rule is searched for any of them, and every mention is reported.
//!
//! Invariant: nothing here changes anything; comments, and a list that names the new kind too, are not reported.

use std::collections::BTreeSet;

use serde_json::Value;

use super::old_names::OldNames;
use super::rbac;
use crate::engine::convert::{Conversion, Remark, Renames, Successor, Targets, named_kind};
use crate::engine::finding::{Code, Finding, Location, Severity};
use crate::engine::manifest::{Document, Manifest, Object, TextSearch};
use crate::knowledge::release::{GroupKind, is_version};
use crate::syntax::field::{FieldPath, PathRef, Step};
use crate::syntax::yaml::{self, Intent, read_value};

/// The texts without which a file mentions no renamed kind.
#[derive(Debug)]
pub(crate) struct KindNames(Option<TextSearch>);

impl KindNames {
    /// A kind that only changes its group is not mentioned without the group.
    pub(crate) fn new(renames: &Renames) -> Self {
        let text = |(old, successor): (&GroupKind, &Successor)| match old.kind == successor.kind().kind {
            true => old.group.clone(),
            false => old.kind.clone(),
        };
        let texts: BTreeSet<String> = renames.iter().map(text).collect();
        Self((!texts.is_empty()).then(|| TextSearch::new(&texts)))
    }

    fn may_be_in(&self, text: &str) -> bool {
        self.0.as_ref().is_some_and(|texts| texts.is_in(text.as_bytes()))
    }
}

/// A search for the kinds that a run renames.
struct Search<'a> {
    renames: &'a Renames,
    /// What is updated, or reported elsewhere.
    known: BTreeSet<FieldPath>,
    mentions: Vec<Mention<'a>>,
    /// The lists that name a new kind.
    already_listed: BTreeSet<(FieldPath, &'a GroupKind)>,
    /// What is reported about texts.
    texts: Vec<OldNames<Remark>>,
}

/// A place that mentions a kind.
struct Mention<'a> {
    path: FieldPath,
    old: &'a GroupKind,
    new: &'a GroupKind,
}

/// Where the search is.
#[derive(Clone, Copy)]
struct At<'s> {
    /// The place; none for the root.
    path_ref: Option<&'s PathRef<'s>>,
    /// The nearest key.
    key: &'s str,
    /// Whether a kind without a group counts, as in what Kustomize reads.
    alone: bool,
}

/// Reports what mentions a renamed kind in the documents of `manifest`, whose objects became `conversions`.
pub(crate) fn findings(
    manifest: &Manifest,
    conversions: &[Option<Conversion>],
    targets: &Targets<'_>,
    names: &KindNames,
) -> Vec<OldNames<Finding>> {
    if !names.may_be_in(&manifest.text) {
        return Vec::new();
    }
    // Objects that others have created are searched by themselves.
    let created = manifest.objects.iter().filter(|one| one.is_created() && one.inline_patch.is_none());
    let created: Vec<&Object> = created.collect();
    let of_objects = manifest.objects.iter().zip(conversions).flat_map(|(object, conversion)| {
        let remarks = in_object(manifest, object, conversion.as_ref(), &created, targets).into_iter();
        remarks.map(|remark| remark.finding(manifest, object)).collect::<Vec<_>>()
    });
    let others = manifest.documents_without_objects();
    of_objects.chain(others.flat_map(|number| in_document(manifest, number, targets))).collect()
}

/// Searches an object that no pack knows.
fn in_object(
    manifest: &Manifest,
    object: &Object,
    conversion: Option<&Conversion>,
    created: &[&Object],
    targets: &Targets<'_>,
) -> Vec<OldNames<Remark>> {
    let is_apart = ["CustomResourceDefinition", "Secret"].contains(&object.kind.kind.as_str());
    if is_apart || object.read_from == Document::JsonPatch {
        return Vec::new();
    }
    let followed = targets.references(&object.kind, &object.value).into_iter().map(|reference| reference.path);
    let updated =
        conversion.into_iter().flat_map(|conversion| &*conversion.program).filter_map(|intent| match intent {
            Intent::Replace { path, .. } => path.split_last().map(|(parent, _)| parent),
            _ => None,
        });
    let followed = followed.chain(updated);
    let patches = manifest.inline_patches.iter();
    let patches = patches.filter_map(|inline_patch| object.path_of(inline_patch.document, &inline_patch.place));
    let created = created.iter().filter_map(|one| object.path_of(one.document, &one.place));
    let groups = ["kustomize.config.k8s.io", "kustomize.toolkit.fluxcd.io"];
    let alone = groups.contains(&object.kind.group.as_str()) || object.api_version.to_string() == "builtin";
    let mut search = Search::new(&targets.renames, followed.chain(patches).chain(created).collect());
    let is_carrier = object.read_from.is_instruction();
    if is_carrier {
        search.visit(&object.value, At { path_ref: None, key: "", alone: true });
    }
    let entries = object.value.as_object().into_iter().flatten().filter(|_| !is_carrier);
    for (key, value) in entries.filter(|(key, _)| !["apiVersion", "kind", "status"].contains(&key.as_str())) {
        let path_ref = PathRef::key(None, key);
        let at = At { path_ref: Some(&path_ref), key, alone };
        if key != "metadata" {
            search.visit(value, at);
        } else if let Some(owners) = value.get("ownerReferences") {
            search.visit(owners, At { path_ref: Some(&PathRef::key(Some(&path_ref), "ownerReferences")), ..at });
        }
    }
    search.remarks()
}

/// Searches a document without objects, except for what was reported when it was read.
fn in_document(manifest: &Manifest, number: usize, targets: &Targets<'_>) -> Vec<OldNames<Finding>> {
    let Ok(value) = read_value(&manifest.tree, &manifest.text, manifest.tree.documents()[number].root) else {
        return Vec::new();
    };
    let is_reported = |location: &Location, codes: &[Code]| {
        manifest.findings.iter().any(|finding| codes.contains(&finding.code) && finding.location == *location)
    };
    if is_reported(&manifest.place_in(number, &FieldPath::default()), &[Code::NotAnObject]) {
        return Vec::new();
    }
    let is_new = |mention: &OldNames<Remark>| {
        let location = manifest.place_in(number, &mention.report.path);
        !is_reported(&location, &[Code::PatchTarget, Code::InlinePatch])
    };
    let mentions = in_value(&value, &targets.renames, true).into_iter().filter(is_new);
    mentions
        .map(|mention| mention.map(|remark| remark.finding_in_document(manifest, number, Severity::Unresolved)))
        .collect()
}

/// Searches a value that is not an object. A schema names every version of a kind, and is reported when it is read.
fn in_value(value: &Value, renames: &Renames, alone: bool) -> Vec<OldNames<Remark>> {
    if value.get("definitions").is_some() {
        return Vec::new();
    }
    let mut search = Search::new(renames, BTreeSet::new());
    search.visit(value, At { path_ref: None, key: "", alone });
    let mut remarks = rbac::remarks(&rbac::rules_in(value), renames);
    remarks.extend(search.remarks());
    remarks
}

impl<'a> Search<'a> {
    const fn new(renames: &'a Renames, known: BTreeSet<FieldPath>) -> Self {
        Self { renames, known, mentions: Vec::new(), already_listed: BTreeSet::new(), texts: Vec::new() }
    }

    fn visit(&mut self, value: &Value, at: At<'_>) {
        self.record(at, &|kind, alone| names(value, at.key, kind, alone));
        match value {
            Value::Object(map) => {
                // Resources listed with API groups are an RBAC rule.
                let is_rbac = map.contains_key("apiGroups");
                for (key, value) in
                    map.iter().filter(|(key, _)| !(is_rbac && ["kinds", "resources"].contains(&key.as_str())))
                {
                    let at = At {
                        path_ref: Some(&PathRef::key(at.path_ref, key)),
                        key,
                        alone: at.alone || key == "kustomize",
                    };
                    self.record(at, &|kind, _| is_spelled(key, kind));
                    self.visit(value, at);
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.visit(item, At { path_ref: Some(&PathRef::index(at.path_ref, index)), ..at });
                }
            }
            Value::String(text) => self.read(text, at),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Records a place that `names` a kind, old or new; `names` gets the kind, and whether it counts without its group.
    fn record(&mut self, at: At<'_>, names: &dyn Fn(&GroupKind, bool) -> bool) {
        let path = || at.path_ref.map(PathRef::path).unwrap_or_default();
        for (old, successor) in self.renames {
            let new = successor.kind();
            let alone = at.alone && old.kind != new.kind;
            if names(new, alone) {
                self.already_listed.extend(path().split_last().map(|(list, _)| (list, new)));
            } else if names(old, alone) && !self.known.contains(&path()) {
                self.mentions.push(Mention { path: path(), old, new });
            }
        }
    }

    /// Searches a text that contains YAML or JSON itself.
    fn read(&mut self, text: &str, at: At<'_>) {
        let is_data = text.contains('\n') || text.starts_with(['{', '[']);
        if !is_data || !self.renames.keys().any(|kind| text.contains(&kind.kind)) {
            return;
        }
        let path = at.path_ref.map(PathRef::path).unwrap_or_default();
        let Some(tree) = yaml::parse(text).ok().filter(|_| !self.known.contains(&path)) else { return };
        let values = tree.documents().iter().filter_map(|document| read_value(&tree, text, document.root).ok());
        let remarks: Vec<_> = values.flat_map(|value| in_value(&value, self.renames, at.alone)).collect();
        let in_text = |remark: Remark| {
            let message = format!("in the text {path}: {}", remark.message);
            Remark { message, path: path.clone(), ..remark }
        };
        self.texts.extend(remarks.into_iter().map(|remark| remark.map(in_text)));
    }

    /// Reports what was found, except where the same list names the new kind too.
    fn remarks(self) -> Vec<OldNames<Remark>> {
        let Self { mentions, already_listed, texts, .. } = self;
        let is_already_listed = |mention: &Mention<'_>| match mention.path.split_last() {
            Some((list, Step::Index(_))) => already_listed.contains(&(list, mention.new)),
            _ => false,
        };
        let mentions =
            mentions.into_iter().filter(|mention| !is_already_listed(mention)).map(|Mention { path, old, new }| {
                let what = if path.steps().is_empty() { "the document".to_owned() } else { path.to_string() };
                let message = format!("{what} names {old}, renamed to {new}; it is not updated");
                let help = format!("replace it with {} of the group {} by hand, or add that", new.kind, new.group);
                OldNames {
                    kinds: vec![old.clone()],
                    report: Remark::new(Code::ReferenceNotUpdated, path, message).help(help),
                }
            });
        mentions.chain(texts).collect()
    }
}

/// Returns whether a value, under or in a list under `key`, names `kind`: a mapping with it, or a text such as `group/*/Kind`.
fn names(value: &Value, key: &str, kind: &GroupKind, alone: bool) -> bool {
    match value {
        Value::Object(map) => {
            let named = named_kind(map).filter(|(name, _)| *name == kind.kind);
            named.is_some_and(|(_, group)| group.map_or(alone, |group| group == kind.group))
        }
        Value::String(text) => {
            let is_chosen = alone && text.contains(&format!("[kind={}]", kind.kind));
            is_spelled(text, kind) || key == "kinds" && is_listed(text, kind) || is_chosen
        }
        _ => false,
    }
}

/// Returns whether a text in a list of kinds is the name of `kind` in any group: `Kind`, `v1/Kind`, `*/Kind`, `*/*/Kind`, each with
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

/// Returns whether a text is the name of `kind` with its group: `group/Kind`, `group/version/Kind`, `prefix.group_Kind`.
fn is_spelled(text: &str, kind: &GroupKind) -> bool {
    let [group, name] = [kind.group.as_str(), kind.kind.as_str()];
    // Every form has both and something between them, which most texts are too short for.
    if text.len() <= group.len() + name.len() {
        return false;
    }
    let parts: Vec<&str> = text.split('/').collect();
    let is_path = matches!(parts.as_slice(), [first, second] | [first, _, second] | [first, _, second, _] if (*first, *second) == (group, name));
    let before = text.strip_suffix(name).and_then(|rest| rest.strip_suffix('_')?.strip_suffix(group));
    is_path || before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
}
