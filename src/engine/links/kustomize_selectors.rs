//! Do the selectors of Kustomize select the same objects after the conversion?
//!
//! A patch, a replacement or a variable selects objects by group, version and kind, of which each can be absent or a pattern. Kustomize
//! ignores a selector that selects nothing. So the parts that are written out follow the objects that a selector selects now, among
//! all that its kustomization takes in; a group is added where without one others would be selected too. Where no selector could select
//! just these objects, those that change are held back.
//!
//! Invariant: after [`Selectors::hold`], a selector that follows selects what it selected before.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use serde_json::{Map, Value};

use super::held::Held;
use super::kustomizations::Graph;
use super::other_objects::{Origin, Reach, is_open};
use super::selectors::{DecidedSelectors, ReadByKustomize};
use super::survey::OtherObject;
use super::tied_files::{Id, TiedFiles};
use super::version_changes::{Follow, VersionChange, VersionChanges};
use crate::engine::convert::{Remark, Targets, reference_roots, walk};
use crate::engine::finding::{Code, Finding, Severity};
use crate::engine::manifest::{Manifest, Object, Selector, folder_at};
use crate::knowledge::release::{ApiVersion, GroupKind};
use crate::syntax::field::{Entries, FieldPath, PathRef};

/// A selector of Kustomize that can select known objects.
pub(super) struct KustomizeSelector {
    /// Its path in its object.
    path: FieldPath,
    selector: Selector,
    /// What it writes out for group, version and kind.
    parts: BTreeMap<&'static str, String>,
}

/// What must become of a selector.
enum Fate {
    /// Its parts get these texts.
    Texts { texts: Vec<(&'static str, String)>, selected: Vec<Id> },
    /// It would no longer select these objects, or others too.
    Lost { objects: Vec<Id>, why: String },
    /// It selects nothing of this run, and nothing shows what becomes of what it selects.
    Unseen,
}

/// The files that a selector selects from, and the objects of other groups in them.
struct Near<'l> {
    files: BTreeSet<&'l str>,
    others: Vec<&'l OtherObject>,
    /// A file among them that cannot be read, and so can have any others.
    unread: Option<&'l str>,
}

/// The selectors of a group of files.
pub(crate) struct Selectors<'l> {
    tied: &'l TiedFiles<'l>,
    /// What selectors select from, by what shows it.
    near: RefCell<BTreeMap<Origin<'l>, Rc<Near<'l>>>>,
}

impl<'l> Selectors<'l> {
    pub(crate) const fn new(tied: &'l TiedFiles<'l>) -> Self {
        Self { tied, near: RefCell::new(BTreeMap::new()) }
    }

    const fn graph(&self) -> &'l Graph<'l> {
        &self.tied.run.graph
    }

    /// Holds back what selectors could no longer select, and reports it where they stand; returns whether there was anything.
    pub(crate) fn hold(&self, changes: &VersionChanges<'_>, held: &mut Held) -> bool {
        let tied = self.tied;
        let mut more: BTreeMap<Id, Finding> = BTreeMap::new();
        let mut reported = Vec::new();
        for (id, manifest, object) in tied.objects().filter(|(id, _, _)| tied.has_names(*id)) {
            for selector in find(object, tied.targets) {
                let (lost, why) = match self.fate(manifest, object, &selector, changes) {
                    Some(Fate::Lost { objects, why }) => (objects, why),
                    // It cannot follow in a text that is not changed.
                    Some(Fate::Texts { texts, selected }) if held.contains(id) && selector.differs(&texts) => {
                        let why = format!("{} would have to change, and its object is held back", selector.path);
                        (selected, why)
                    }
                    _ => continue,
                };
                if lost.iter().all(|lost| held.contains(*lost)) {
                    continue;
                }
                let help = "change the selector by hand so that it selects the converted objects, then run again";
                let place = manifest.locate(object, &selector.path);
                let remark = Remark::new(Code::PatchTarget, selector.path.clone(), why).help(help);
                reported.push(((id, selector.path.clone()), remark.finding(manifest, object, Severity::Held)));
                for lost in lost {
                    let message =
                        format!("the selector at {place} could not select what it selects now; {}", remark.message);
                    let remark = Remark { message, path: FieldPath::default(), ..remark.clone() };
                    more.entry(lost).or_insert_with(|| tied.finding(lost, &remark, Severity::Held));
                }
            }
        }
        held.report(reported);
        held.extend(more)
    }

    /// Decides what becomes of the selectors in `object`, and says of which something shows what they select.
    pub(super) fn follow(
        &self,
        manifest: &Manifest,
        object: &Object,
        changes: &VersionChanges<'_>,
    ) -> (Vec<Follow>, DecidedSelectors) {
        let (mut follows, mut decided) = (Vec::new(), DecidedSelectors::default());
        for selector in find(object, self.tied.targets) {
            match self.fate(manifest, object, &selector, changes) {
                Some(Fate::Texts { texts, .. }) => {
                    follows.extend(texts.into_iter().map(|(key, text)| selector.follow(key, text)));
                    decided.following.insert(selector.path);
                }
                Some(Fate::Unseen) => drop(decided.unseen.insert(selector.path)),
                Some(Fate::Lost { .. }) | None => {}
            }
        }
        (follows, decided)
    }

    /// Returns what must become of a selector; `None` where nothing shows what it selects from, or what it selects is in no tied file.
    fn fate(
        &self,
        manifest: &Manifest,
        object: &Object,
        selector: &KustomizeSelector,
        changes: &VersionChanges<'_>,
    ) -> Option<Fate> {
        // What a chart renders is not in the run.
        let reach = self.near(manifest, object, &selector.path)?;
        let mut near = changes.selected(selector.selector.name.as_ref(), self.graph());
        near.retain(|change| {
            reach.files.contains(change.file) && selector.is_named(change.name.unwrap_or_default(), self.graph())
        });
        let (selected, others): (Vec<_>, Vec<_>) = near
            .iter()
            .copied()
            .partition(|change| selector.selector.selects(change.old_kind, &change.old_api_version()));
        if selected.is_empty() {
            let new = others.iter().filter(|change| selector.selector.selects(change.kind, &change.api_version()));
            let objects: Vec<Id> = new.map(|change| change.id).collect();
            let why =
                format!("{} selects no known object now, and would select some after the conversion", selector.path);
            let has_unseen = manifest.kustomization.as_ref().is_some_and(|own| own.has_unseen);
            return match objects.is_empty() {
                false => Some(Fate::Lost { objects, why }),
                // A component shows nothing by itself.
                true => (has_unseen || !reach.files.is_empty()).then_some(Fate::Unseen),
            };
        }
        let mut unknown = reach.others.clone();
        unknown.retain(|other| selector.is_named(&other.name, self.graph()));
        let unread = reach.unread.filter(|_| is_open(self.tied.run, &selector.selector));
        let is_exact = |texts: &Vec<(&str, String)>| {
            if unread.is_some() && selector.differs(texts) {
                return false;
            }
            let new = selector.with(texts);
            let selects = |change: &&VersionChange<'_>| new.selects(change.kind, &change.api_version());
            let stays = |other: &&OtherObject| other.is_selected_by(&new) == other.is_selected_by(&selector.selector);
            selected.iter().all(selects) && !others.iter().any(selects) && unknown.iter().all(stays)
        };
        match selector.texts(&selected).into_iter().find(is_exact) {
            Some(texts) => Some(Fate::Texts { texts, selected: selected.iter().map(|change| change.id).collect() }),
            None => lost(selector, &selected, &others, (&unknown, unread)),
        }
    }

    /// Returns what the selector at `path` of an object selects from; nothing where it does not show.
    fn near(&self, manifest: &Manifest, object: &Object, path: &FieldPath) -> Option<Rc<Near<'l>>> {
        let run = self.tied.run;
        let is_own = manifest.kustomization.is_some() && object.inline_patch.is_none();
        let users = run.graph.users_of(&manifest.file);
        let origin = match (is_own, users) {
            (true, _) => Origin::Kustomizations(run.graph.name(&manifest.file).into_iter().collect()),
            (false, []) => Origin::Folder(folder_at(self.tied.targets.goal.packs.carriers(), object, path)?),
            (false, users) => Origin::Kustomizations(users.to_vec()),
        };
        let make = || {
            let reach = Reach::of(run, &origin);
            let read = || reach.all().filter_map(|file| Some((file, run.other_objects.get(file)?)));
            let others = read().filter_map(|(_, others)| others.as_ref()).flatten().collect();
            let unread = read().find(|(_, others)| others.is_none()).map(|(file, _)| file);
            Rc::new(Near { others, unread, files: reach.files })
        };
        Some(Rc::clone(self.near.borrow_mut().entry(origin.clone()).or_insert_with(make)))
    }
}

/// Returns what is lost of what a selector selects among all that it could; nothing where nothing changes.
fn lost(
    selector: &KustomizeSelector,
    selected: &[&VersionChange<'_>],
    others: &[&VersionChange<'_>],
    (unknown, unread): (&[&OtherObject], Option<&str>),
) -> Option<Fate> {
    let is_changing =
        |change: &&&VersionChange<'_>| change.old_kind != change.kind || change.old_version != change.version;
    // Where all that it selects stays, others would be selected too.
    let mut changing: Vec<_> = selected.iter().filter(is_changing).collect();
    if changing.is_empty() {
        changing = others.iter().filter(is_changing).collect();
    }
    let becomes = |change: &&&VersionChange<'_>| {
        let VersionChange { old_kind, old_version, kind, version, .. } = change;
        format!("{} of {old_version} becomes {} of {version}", old_kind.kind, kind.kind)
    };
    let becomes: BTreeSet<String> = changing.iter().map(becomes).collect();
    let mut kept = unknown.iter().filter(|other| other.is_selected_by(&selector.selector));
    let kept = match (kept.next(), unread) {
        (Some(OtherObject { kind, api_version, name }), _) => format!(" and {} {name} of {api_version}", kind.kind),
        (None, Some(file)) => format!(" and what {file} may have, which cannot be read"),
        (None, None) => String::new(),
    };
    let why = format!(
        "{} selects {} of the known objects{kept}, and no group, version and kind would select just these after the conversion ({})",
        selector.path,
        selected.len(),
        Vec::from_iter(becomes).join(", ")
    );
    let objects: Vec<Id> = changing.iter().map(|change| change.id).collect();
    (!objects.is_empty()).then_some(Fate::Lost { objects, why })
}

/// Returns the text of a part of a selector that selects what these objects become; `None` where there is none.
fn part(key: &'static str, text: &str, selected: &[&VersionChange<'_>]) -> Option<(&'static str, String)> {
    let value = |kind: &GroupKind, version: &ApiVersion| match key {
        "group" => kind.group.clone(),
        "kind" => kind.kind.clone(),
        "apiVersion" => version.to_string(),
        _ => version.version.clone(),
    };
    let new: BTreeSet<String> = selected.iter().map(|change| value(change.kind, &change.api_version())).collect();
    if new.iter().all(|new| Selector::is_pattern(text, new)) {
        return Some((key, text.to_owned()));
    }
    let is_exact = selected.iter().all(|change| value(change.old_kind, &change.old_api_version()) == text);
    // Where a pattern stands, Kustomize reads one.
    let is_writable = if is_exact { new.len() == 1 } else { key == "version" };
    is_writable.then(|| (key, Vec::from_iter(new).join("|")))
}

impl KustomizeSelector {
    /// Returns whether these texts are others than it has.
    fn differs(&self, texts: &[(&str, String)]) -> bool {
        texts.iter().any(|(key, text)| self.parts.get(key) != Some(text))
    }

    /// Returns the texts that can select what these objects become; those with a group where it has none come last.
    fn texts(&self, selected: &[&VersionChange<'_>]) -> Vec<Vec<(&'static str, String)>> {
        let texts: Option<Vec<_>> = self.parts.iter().map(|(key, text)| part(key, text, selected)).collect();
        let groups: BTreeSet<&str> = selected.iter().map(|change| &*change.kind.group).collect();
        let has_group = ["group", "apiVersion"].iter().any(|key| self.parts.contains_key(key));
        let group = groups.into_iter().next().filter(|group| !has_group && !group.is_empty());
        let with_group = |texts: &Vec<(&'static str, String)>| {
            let group = ("group", group?.to_owned());
            Some(texts.iter().cloned().chain([group]).collect())
        };
        texts.into_iter().flat_map(|texts| [with_group(&texts), Some(texts)].into_iter().rev().flatten()).collect()
    }

    /// Returns how its part `key` becomes `text`.
    fn follow(&self, key: &str, text: String) -> Follow {
        let path = self.path.key(key);
        match self.parts.first_key_value() {
            Some((before, _)) if !self.parts.contains_key(key) => {
                Follow::Entry { path, text, before: (*before).to_owned() }
            }
            _ => Follow::Text { path, text },
        }
    }

    /// Returns whether it selects an object of this name, to which kustomizations can add prefixes and suffixes.
    fn is_named(&self, name: &str, graph: &Graph<'_>) -> bool {
        let Some(part) = &self.selector.name else { return true };
        graph.names_after(name).iter().any(|name| part.is(name))
    }

    /// Returns the selector with other texts.
    fn with(&self, texts: &[(&str, String)]) -> Selector {
        let map: Map<String, Value> =
            texts.iter().map(|(key, text)| ((*key).to_owned(), Value::from(text.as_str()))).collect();
        Selector::of_reference(&map)
    }
}

/// Returns whether `object` has a selector that can lose known objects.
pub(crate) fn is_in(object: &Object, targets: &Targets<'_>) -> bool {
    !find(object, targets).is_empty()
}

/// Returns whether a mapping of what Kustomize reads selects objects.
pub(super) fn is_selector(at: &PathRef<'_>, map: &Map<String, Value>) -> bool {
    matches!(at.last_key(), Some("target" | "select" | "reject" | "source" | "objref")) || is_field_spec(at, map)
}

/// Returns whether a mapping names a field of the objects that it selects, or what such fields refer to.
///
/// Source: Kustomize, `FieldSpec` and `NameBackReferences`.
fn is_field_spec(at: &PathRef<'_>, map: &Map<String, Value>) -> bool {
    let gives = |key: &str| map.get(key).is_some_and(Value::is_string);
    let names_field = gives("path") || at.last_key() == Some("nameReference") && map.contains_key("fieldSpecs");
    names_field && ["group", "version", "kind"].into_iter().any(gives)
}

/// Finds the selectors in `object` that can select known objects.
fn find(object: &Object, targets: &Targets<'_>) -> Vec<KustomizeSelector> {
    let read = ReadByKustomize::of(object, targets.goal.packs.carriers());
    if read.is_nothing() {
        return Vec::new();
    }
    let mut found = Vec::new();
    let is_known = |selector: &Selector| {
        let kinds = targets.goal.targets.iter().flat_map(|target| target.pack.kinds());
        kinds.into_iter().any(|kind| selector.selects_kind(kind))
    };
    let mut visit = |at: &PathRef<'_>, map: &Map<String, Value>| {
        if !is_selector(at, map) {
            return;
        }
        let path = at.path();
        if read.has(&path) {
            let selector = Selector::of_reference(map);
            let keys = ["group", "version", "kind", "apiVersion"];
            let text = |key| Some((key, map.text(key).filter(|text| !text.is_empty())?.to_owned()));
            let parts = keys.into_iter().filter_map(text).collect();
            found.extend(is_known(&selector).then_some(KustomizeSelector { path, selector, parts }));
        }
    };
    for (place, part) in reference_roots(&object.value) {
        walk(part, &place, &mut visit);
    }
    found
}
