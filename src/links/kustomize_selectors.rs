//! Do the selectors of Kustomize select the same objects after the conversion?
//!
//! A patch, a replacement or a variable selects objects by group, version and kind, of which each can be absent or a pattern. Kustomize
//! ignores a selector that selects nothing. So the parts that are written out follow the objects that a selector selects now, among
//! all that its kustomization takes in. Where no selector could select just these objects, those that change are held back.
//!
//! Invariant: after [`Selectors::hold`], a selector that [`Selectors::update`] changes selects what it selected before.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use serde_json::{Map, Value};

use super::held::Held;
use super::kustomizations::Graph;
use super::linked::{Id, Linked};
use super::selectors::{ReadByKustomize, VersionChange, VersionChanges};
use crate::convert::{Conversion, Remark, Targets, reference_roots, walk};
use crate::field::{FieldPath, PathRef};
use crate::finding::{Code, Finding, Severity};
use crate::manifest::{Manifest, Object, Selector, SelectorPart, folder_at};
use crate::release::{ApiVersion, GroupKind};
use crate::yaml::Intent;

/// A selector of Kustomize that can select known objects.
pub(super) struct KustomizeSelector {
    /// Its path in its object.
    path: FieldPath,
    selector: Selector,
    /// What it writes out for group, version and kind.
    parts: BTreeMap<&'static str, String>,
}

/// What must become of a selector.
enum Follow {
    /// Its parts get these texts; it selects these objects.
    Texts(Vec<(&'static str, String)>, Vec<Id>),
    /// It would no longer select these objects, or others too.
    Lost(Vec<Id>, String),
    /// It selects nothing of this run, and nothing shows what becomes of what it selects.
    Unseen,
}

/// The selectors of a group of files.
pub(crate) struct Selectors<'l> {
    linked: &'l Linked<'l>,
    /// The files that selectors select from, by the file or folder that shows it.
    reaches: RefCell<BTreeMap<String, Rc<BTreeSet<&'l str>>>>,
}

/// A known object, with its kind and version before.
type Changed<'c> = (&'c GroupKind, &'c String, &'c VersionChange<'c>);

/// What becomes of the objects of a run, by name.
pub(crate) struct ChangesByName<'c>(BTreeMap<&'c str, Vec<Changed<'c>>>);

impl<'c> ChangesByName<'c> {
    /// Sorts what becomes of objects; patches are no objects of their own.
    pub(crate) fn new(changes: &'c VersionChanges<'_>) -> Self {
        let mut by_name: BTreeMap<&str, Vec<Changed<'c>>> = BTreeMap::new();
        for ((kind, version), ones) in changes {
            for one in ones.iter().filter(|one| !one.is_patch) {
                by_name.entry(one.name.unwrap_or_default()).or_default().push((kind, version, one));
            }
        }
        Self(by_name)
    }

    /// Returns the objects that `selector` can select by their names.
    fn named<'s>(&'s self, selector: &Selector, graph: &Graph<'_>) -> Vec<Changed<'c>> {
        match selector.name.as_ref().and_then(SelectorPart::plain) {
            Some(name) => {
                graph.names_before(name).into_iter().filter_map(|name| self.0.get(name)).flatten().copied().collect()
            }
            None => self.0.values().flatten().copied().collect(),
        }
    }
}

impl<'l> Selectors<'l> {
    pub(crate) const fn new(linked: &'l Linked<'l>) -> Self {
        Self { linked, reaches: RefCell::new(BTreeMap::new()) }
    }

    const fn graph(&self) -> &'l Graph<'l> {
        &self.linked.run.graph
    }

    /// Holds back what selectors could no longer select, and reports it where they stand; returns whether there was anything.
    pub(crate) fn hold(&self, changes: &ChangesByName<'_>, held: &mut Held) -> bool {
        let linked = self.linked;
        let mut more: BTreeMap<Id, Finding> = BTreeMap::new();
        let mut reported = Vec::new();
        for (id, manifest, object) in linked.objects().filter(|(id, _, _)| linked.has_names(*id)) {
            for selector in find(object, linked.targets) {
                let (lost, why) = match self.follow(manifest, object, &selector, changes) {
                    Some(Follow::Lost(lost, why)) => (lost, why),
                    // It cannot follow in a text that is not changed.
                    Some(Follow::Texts(texts, selected)) if held.contains(id) && selector.differs(&texts) => {
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
                let remark = Remark::new(Code::PatchTarget, selector.path.clone(), why, Some(help.to_owned()));
                reported.push(((id, selector.path.clone()), remark.finding(manifest, object, Severity::Held)));
                for lost in lost {
                    let message =
                        format!("the selector at {place} could not select what it selects now; {}", remark.message);
                    let remark = Remark { message, path: FieldPath::default(), ..remark.clone() };
                    more.entry(lost).or_insert_with(|| linked.finding(lost, &remark, Severity::Held));
                }
            }
        }
        held.report(reported);
        held.extend(more)
    }

    /// Returns the paths of the selectors in `object` that select nothing of this run.
    pub(crate) fn unseen(
        &self,
        (manifest, object): (&Manifest, &Object),
        changes: &ChangesByName<'_>,
    ) -> BTreeSet<FieldPath> {
        let all = find(object, self.linked.targets).into_iter();
        let is_unseen =
            |one: &KustomizeSelector| matches!(self.follow(manifest, object, one, changes), Some(Follow::Unseen));
        all.filter(is_unseen).map(|one| one.path).collect()
    }

    /// Updates the selectors in `object`; `made` is what became of it so far.
    pub(crate) fn update(
        &self,
        (manifest, object): (&Manifest, &Object),
        made: Option<Conversion>,
        changes: &ChangesByName<'_>,
    ) -> Option<Conversion> {
        let mut session = Conversion::session(made.as_ref(), object);
        for selector in find(object, self.linked.targets) {
            let Some(Follow::Texts(texts, _)) = self.follow(manifest, object, &selector, changes) else { continue };
            for (key, text) in texts {
                let (path, value) = (selector.path.key(key), Value::from(text));
                if path.get(session.object()).is_some_and(|old| *old != value) {
                    session.change(Intent::Replace { path, value }).expect("the path was found in this object");
                }
            }
        }
        Conversion::with_changes(made, object, session)
    }

    /// Returns what must become of a selector; `None` where nothing shows what it selects from, or what it selects is in no linked file.
    fn follow(
        &self,
        manifest: &Manifest,
        object: &Object,
        selector: &KustomizeSelector,
        changes: &ChangesByName<'_>,
    ) -> Option<Follow> {
        // What a chart renders is not in the run.
        let reach = self.reach(manifest, object, &selector.path)?;
        let graph = self.graph();
        let counts = |one: &VersionChange<'_>| reach.contains(one.file) && selector.is_named(one, graph);
        let mut near = changes.named(&selector.selector, graph);
        near.retain(|(_, _, one)| counts(one));
        let all = || near.iter().copied();
        let selected: Vec<_> = all().filter(|(kind, version, _)| selector.selects(kind, version)).collect();
        let selects_after = |selector: &Selector, one: &VersionChange<'_>| {
            selector.selects(one.kind, &ApiVersion { group: one.kind.group.clone(), version: one.version.clone() })
        };
        if selected.is_empty() {
            let new: Vec<Changed<'_>> = all().filter(|(_, _, one)| selects_after(&selector.selector, one)).collect();
            let ids: Vec<Id> = new.iter().map(|(_, _, one)| one.id).collect();
            let message =
                format!("{} selects no known object now, and would select some after the conversion", selector.path);
            let has_unseen = manifest.kustomization.as_ref().is_some_and(|own| own.has_unseen);
            return match ids.is_empty() {
                false => Some(Follow::Lost(ids, message)),
                // A component shows nothing by itself.
                true => (has_unseen || !reach.is_empty()).then_some(Follow::Unseen),
            };
        }
        let texts: Option<Vec<_>> = selector.parts.iter().map(|(key, text)| part(key, text, &selected)).collect();
        let changed = texts.as_ref().map(|texts| selector.with(texts));
        let is_right = |changed: &Selector| {
            all().all(|(kind, version, one)| selects_after(changed, one) == selector.selects(kind, version))
        };
        if changed.as_ref().is_some_and(is_right) {
            let ids = selected.iter().map(|(_, _, one)| one.id).collect();
            return texts.map(|texts| Follow::Texts(texts, ids));
        }
        let becomes = |(kind, version, one): &Changed<'_>| {
            let is_changed = *kind != one.kind || **version != one.version;
            is_changed.then(|| format!("{} of {version} becomes {} of {}", kind.kind, one.kind.kind, one.version))
        };
        let is_selected = |(kind, version, _): &Changed<'_>| selector.selects(kind, version);
        let changing: Vec<_> = all().filter(|one| becomes(one).is_some()).collect();
        // Where all that it selects stays, others would be selected too.
        let any_selected = changing.iter().any(is_selected);
        let changing: Vec<_> = changing.into_iter().filter(|one| !any_selected || is_selected(one)).collect();
        let lost: BTreeSet<String> = changing.iter().filter_map(becomes).collect();
        let ids: Vec<Id> = changing.iter().map(|(_, _, one)| one.id).collect();
        let lost = lost.into_iter().collect::<Vec<_>>().join(", ");
        let message = format!(
            "{} selects {} of the known objects, and no selector would select just these after the conversion ({lost})",
            selector.path,
            selected.len()
        );
        (!ids.is_empty()).then_some(Follow::Lost(ids, message))
    }

    /// Returns the files that the selector at `path` of an object selects from; nothing where it does not show.
    fn reach(&self, manifest: &Manifest, object: &Object, path: &FieldPath) -> Option<Rc<BTreeSet<&'l str>>> {
        let graph = self.graph();
        let users = graph.users_of(&manifest.file);
        let is_own = manifest.kustomization.is_some() && object.inline_patch.is_none();
        let (key, folder) = match is_own || !users.is_empty() {
            true => (manifest.file.clone(), None),
            false => {
                let folder = folder_at(self.linked.targets.goal.packs.carriers(), (&object.kind, &object.value), path)?;
                (format!("{folder}/"), Some(folder))
            }
        };
        let make = || match &folder {
            Some(folder) => {
                let folder = graph.reach_of_folder(folder);
                self.linked.run.files.iter().map(|file| &*file.file).filter(|file| folder.has(file)).collect()
            }
            None if is_own => graph.name(&manifest.file).map(|file| graph.reach(file)).unwrap_or_default(),
            None => users.iter().flat_map(|user| graph.reach(user)).collect(),
        };
        Some(Rc::clone(self.reaches.borrow_mut().entry(key).or_insert_with(|| Rc::new(make()))))
    }
}

/// Returns the text of a part of a selector that selects what these objects become; `None` where there is none.
fn part(key: &'static str, text: &str, selected: &[Changed<'_>]) -> Option<(&'static str, String)> {
    let matches = |new: &str| Selector::is_pattern(text, new);
    let new = |(_, _, one): &Changed<'_>| match key {
        "group" => one.kind.group.clone(),
        "kind" => one.kind.kind.clone(),
        "apiVersion" => ApiVersion { group: one.kind.group.clone(), version: one.version.clone() }.to_string(),
        _ => one.version.clone(),
    };
    let new: BTreeSet<String> = selected.iter().map(new).collect();
    if new.iter().all(|new| matches(new)) {
        return Some((key, text.to_owned()));
    }
    let only = new.first().filter(|_| new.len() == 1)?;
    let is_exact = selected.iter().all(|(kind, version, _)| match key {
        "group" => kind.group == text,
        "kind" => kind.kind == text,
        "apiVersion" => ApiVersion { group: kind.group.clone(), version: (*version).clone() }.to_string() == text,
        _ => *version == text,
    });
    is_exact.then(|| (key, only.clone()))
}

impl KustomizeSelector {
    /// Returns whether these texts are others than it has.
    fn differs(&self, texts: &[(&'static str, String)]) -> bool {
        texts.iter().any(|(key, text)| self.parts.get(key) != Some(text))
    }

    /// Returns whether it can select objects of this kind and version.
    fn selects(&self, kind: &GroupKind, version: &str) -> bool {
        let version = ApiVersion { group: kind.group.clone(), version: version.to_owned() };
        self.selector.selects(kind, &version)
    }

    /// Returns whether it selects an object of this name, to which kustomizations can add prefixes and suffixes.
    fn is_named(&self, one: &VersionChange<'_>, graph: &Graph<'_>) -> bool {
        let names = || graph.names_after(one.name.unwrap_or_default());
        self.selector.name.as_ref().is_none_or(|part| names().iter().any(|name| part.is(name)))
    }

    /// Returns the selector with other texts.
    fn with(&self, texts: &[(&'static str, String)]) -> Selector {
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
            let text = |key| Some((key, map.get(key)?.as_str().filter(|text| !text.is_empty())?.to_owned()));
            let parts = keys.into_iter().filter_map(text).collect();
            found.extend(is_known(&selector).then_some(KustomizeSelector { path, selector, parts }));
        }
    };
    for (place, part) in reference_roots(&object.value) {
        walk(part, &place, &mut visit);
    }
    found
}
