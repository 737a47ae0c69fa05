//! Answers: which mappings name a version that the objects they are about leave?
//!
//! A selector of Kustomize is a mapping with `group`, `version` and `kind`. Others name objects by such a mapping too, or by
//! `apiVersion` and `kind`: that is as good in any version that is served, so those count that the target does not serve. Where
//! every object of the run with that apiVersion and kind goes to one other version, the mapping goes along; where they part it
//! stays, and where the run has none, which [`astray`] tells if the target does not serve that version.
//!
//! Invariant: one whose kind is retyped is a reference and none of these.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::references::{holds_body, parts, walk};
use super::{Conversion, Course, Held, Object, Remark, Run, finding};
use crate::field::{FieldPath, Spot, Step};
use crate::finding::{Code, Finding, Severity};
use crate::lens::{Direction, Session};
use crate::manifest::Manifest;
use crate::pack::Target;
use crate::release::{ApiVersion, GroupKind, is_version};
use crate::yaml::Intent;

/// Where the objects of a kind and version go.
pub(super) type Moves<'r> = BTreeMap<(GroupKind, String), Vec<Moved<'r>>>;

/// An object of the run, and the kind and version that it has afterwards.
#[derive(Debug)]
pub(super) struct Moved<'r> {
    pub(super) file: &'r str,
    pub(super) name: Option<&'r str>,
    pub(super) is_patch: bool,
    pub(super) kind: &'r GroupKind,
    pub(super) version: String,
    /// The rules that change it.
    pub(super) rules: &'r [(String, Direction)],
}

/// What a mapping selects or names.
pub(super) struct Selected {
    /// The place of the text that says the version.
    path: FieldPath,
    kind: GroupKind,
    version: String,
    name: Option<String>,
    /// Whether Kustomize reads it, to which no other version is as good.
    is_selector: bool,
    /// Whether part of an object of that version stands beside it, which no other version would fit.
    has_body: bool,
}

impl Selected {
    /// Reads a mapping such as `{ group: example.com, version: v1, kind: A }` or `{ apiVersion: example.com/v1, kind: A, name: a }`.
    pub(super) fn read(spot: &Spot<'_>, map: &Map<String, Value>) -> Option<Self> {
        let text = |key: &str| map.get(key).and_then(Value::as_str);
        let kind = text("kind")?;
        let (key, group, version) = match (text("group"), text("version"), text("apiVersion")) {
            (Some(group), Some(version), _) => ("version", group.to_owned(), version.to_owned()),
            // A whole object inside another one names nothing.
            (None, None, Some(version)) if !map.contains_key("metadata") => {
                let ApiVersion { group, version } = ApiVersion::parse(version);
                ("apiVersion", group, version)
            }
            _ => return None,
        };
        let (kind, name) = (GroupKind::new(kind, group), text("name").map(str::to_owned));
        let has_body = map.iter().any(|(key, value)| holds_body(key, value));
        Some(Self { path: spot.path().key(key), kind, version, name, is_selector: false, has_body })
    }

    /// Returns what stands for `version` at its place.
    fn spelled(&self, version: &str) -> String {
        match self.path.last_key() {
            Some("apiVersion") => {
                ApiVersion { group: self.kind.group.clone(), version: version.to_owned() }.to_string()
            }
            _ => version.to_owned(),
        }
    }

    /// Counts the versions that the selected objects have afterwards. A name that is no object's can be a pattern, or one that
    /// kustomizations give: then every object counts. Patches count where nothing else does.
    pub(super) fn versions<'m>(&self, moves: &'m Moves<'_>) -> BTreeMap<&'m str, usize> {
        let all = moves.get(&(self.kind.clone(), self.version.clone())).into_iter().flatten();
        let all: Vec<&Moved<'_>> = all.filter(|one| *one.kind == self.kind).collect();
        let is_named = |one: &&Moved<'_>| self.name.is_some() && one.name == self.name.as_deref();
        let has_name = all.iter().any(is_named);
        let mut chosen: Vec<_> = all.into_iter().filter(|one| !has_name || is_named(one)).collect();
        if chosen.iter().any(|one| !one.is_patch) {
            chosen.retain(|one| !one.is_patch);
        }
        let mut versions = BTreeMap::new();
        chosen.into_iter().for_each(|one| *versions.entry(one.version.as_str()).or_default() += 1);
        versions
    }
}

impl Run<'_> {
    /// Collects where the objects of known kinds go, under the assumption of what is held back.
    pub(super) fn moves(&self, held: &Held) -> Moves<'_> {
        let mut moves = Moves::new();
        for (id, manifest, object) in self.ids() {
            let Some(made) = self.converted[id.0][id.1].as_ref() else { continue };
            let old = &object.api_version.version;
            let new = made.value.get("apiVersion").and_then(Value::as_str).map(|text| ApiVersion::parse(text).version);
            let (kind, new, rules) = match self.is_held(id, held) {
                true => (&object.kind, None, &[][..]),
                false => (&made.kind, new, made.rules.as_slice()),
            };
            let (file, name, version) = (&*manifest.file, object.name.as_deref(), new.unwrap_or_else(|| old.clone()));
            let is_patch = self.is_patch(file) || object.inline_patch.is_some();
            let moved = Moved { file, name, is_patch, kind, version, rules };
            moves.entry((object.kind.clone(), old.clone())).or_default().push(moved);
        }
        for (look, object) in self.looks.iter().flat_map(|look| look.objects().iter().map(move |one| (look, one))) {
            let ((old_kind, old), (kind, new)) = (&object.from, &object.to);
            let (file, name, is_patch) = (look.file(), object.name.as_deref(), self.is_patch(look.file()));
            let moved = Moved { file, name, is_patch, kind, version: new.version.clone(), rules: &object.rules };
            moves.entry((old_kind.clone(), old.version.clone())).or_default().push(moved);
        }
        moves
    }
}

/// Lets what selects or names objects in `object` follow `moves`; `made` is what became of it so far.
pub(super) fn follow(
    object: &Object,
    made: Option<Conversion>,
    moves: &Moves<'_>,
    course: &Course<'_>,
) -> Option<Conversion> {
    let mut session = Session::new(made.as_ref().map_or(&object.value, |made| &made.value).clone());
    for selected in find(session.object(), object, course).into_iter().filter(|selected| !selected.has_body) {
        let versions = selected.versions(moves);
        let Some((new, _)) = versions.first_key_value().filter(|_| versions.len() == 1) else { continue };
        let (value, path) = (Value::from(selected.spelled(new)), selected.path);
        if path.get(session.object()) != Some(&value) {
            session.change(Intent::Replace { path, value }).expect("the path was found in this object");
        }
    }
    let (value, program, _) = session.finish();
    if program.is_empty() {
        return made;
    }
    let mut made = made.unwrap_or_else(|| Conversion::untouched(object));
    made.value = value;
    made.program.extend(program);
    Some(made)
}

/// Says whether `object` selects or names any object by its version.
pub(super) fn selects(object: &Object, course: &Course<'_>) -> bool {
    !find(&object.value, object, course).is_empty()
}

/// Tells what selects or names objects in `object` that part, or that are of a version that no object can have afterwards.
pub(super) fn astray(manifest: &Manifest, object: &Object, moves: &Moves<'_>, course: &Course<'_>) -> Vec<Finding> {
    let tell = |selected: Selected| {
        let versions = selected.versions(moves);
        let (message, help) = match versions.len() {
            _ if selected.has_body => in_part(&selected, course)?,
            0 => gone(&selected, course)?,
            1 => return None,
            _ => parted(&selected, &versions),
        };
        let (path, verb) = (selected.path, if selected.is_selector { "selects" } else { "names" });
        let help = match selected.is_selector || selected.has_body {
            true => help,
            false => "write the version that the object has afterwards, by hand",
        };
        let code = if selected.is_selector { Code::PatchTarget } else { Code::ReferenceNotUpdated };
        let remark = Remark { code, message: format!("{path} {verb} {message}"), path, help: Some(help.to_owned()) };
        Some(finding(manifest, object, &remark, Severity::Warning))
    };
    find(&object.value, object, course).into_iter().filter_map(tell).collect()
}

/// Says that the selected objects go to `versions`.
fn parted(selected: &Selected, versions: &BTreeMap<&str, usize>) -> (String, &'static str) {
    let Selected { kind, version, .. } = selected;
    let all: usize = versions.values().sum();
    let moved = all - versions.get(version.as_str()).copied().unwrap_or_default();
    let message = format!(
        "{version}, which {all} objects of the kind {} have in this run; {moved} of them move to another version, and it is not changed",
        kind.kind
    );
    (message, "write a patch for each version, or take the version out of the selector, by hand")
}

/// Says that the target does not serve the version that part of an object is written for.
fn in_part(selected: &Selected, course: &Course<'_>) -> Option<(String, &'static str)> {
    let Selected { kind, version, .. } = selected;
    course.leaves(kind, version).map(|target| {
        let message = format!(
            "{version}, which {target} does not serve for {}; part of such an object stands beside it, and it is not changed",
            kind.kind
        );
        (message, "write the version that the object has afterwards, and the part as that version has it, by hand")
    })
}

/// Says that the target does not serve the selected version of a kind that the run does not rename.
fn gone(selected: &Selected, course: &Course<'_>) -> Option<(String, &'static str)> {
    let Selected { kind, version, .. } = selected;
    if !is_version(version) {
        // A pattern, which can still select what it selected.
        return None;
    }
    course.leaves(kind, version).map(|target| {
        let message = format!(
            "{version}, which {target} does not serve for {}; no object of this run has it, and it is not changed",
            kind.kind
        );
        (message, "write the version that the objects have afterwards, or take it out of the selector, by hand")
    })
}

impl Course<'_> {
    /// Returns the target that has `kind`, but does not serve it in `version`.
    pub(super) fn leaves(&self, kind: &GroupKind, version: &str) -> Option<&Target<'_>> {
        let target = self.goal.target_of(&kind.group).filter(|_| !self.retypes.contains_key(kind))?;
        let served = target.pack.catalog(kind)?.served(target.release);
        (!served.is_empty() && served.iter().all(|served| served.name != version)).then_some(target)
    }
}

/// Finds what selects objects by their version in `value`, what became of `object`, and what names them by one that goes.
fn find(value: &Value, object: &Object, course: &Course<'_>) -> Vec<Selected> {
    let mut found = Vec::new();
    for key in parts(value) {
        let Some(part) = value.get(*key) else { continue };
        walk(part, &Spot::key(None, key), &mut |spot, map| {
            let Some(mut selected) = Selected::read(spot, map) else { return };
            selected.is_selector =
                selected.path.last_key() == Some("version") && is_for_kustomize(object, &selected.path);
            if selected.is_selector || course.leaves(&selected.kind, &selected.version).is_some() {
                found.push(selected);
            }
        });
    }
    found
}

/// Says whether Kustomize reads what stands at `path` of `object`: all of a kustomization, and in what has Kustomize run, what
/// stands below the key `kustomize`.
pub(super) fn is_for_kustomize(object: &Object, path: &FieldPath) -> bool {
    let kind = object.kind.kind.as_str();
    let is_runner = ["HelmRelease", "Application", "ApplicationSet"].contains(&kind);
    let is_below = || path.steps().contains(&Step::Key("kustomize".to_owned()));
    ["Kustomization", "Component"].contains(&kind) || is_runner && is_below()
}
