//! Answers: which selectors of a kustomization name a version that the objects they select leave?
//!
//! A selector is a mapping with `group`, `version` and `kind`. Where every object of the run with that apiVersion and kind goes
//! to one other version, the selector goes along; where they part it stays, and where the run has none, which [`astray`]
//! tells if the target does not serve that version.
//!
//! Invariant: only kustomizations, and what has Kustomize run, have selectors; one whose kind is retyped is a reference and none of these.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::references::{parts, walk};
use super::{Conversion, Course, Held, Object, Remark, Run, finding};
use crate::field::{FieldPath, Spot, Step};
use crate::finding::{Code, Finding, Severity};
use crate::lens::Session;
use crate::manifest::Manifest;
use crate::release::{ApiVersion, GroupKind};
use crate::yaml::Intent;

/// Where the objects of a kind and version go.
pub(super) type Moves = BTreeMap<(GroupKind, String), Vec<Moved>>;

/// An object of the run, and the version that it has afterwards.
#[derive(Debug)]
pub(super) struct Moved {
    name: Option<String>,
    is_patch: bool,
    version: String,
}

/// What a selector selects.
struct Selected {
    kind: GroupKind,
    version: String,
    name: Option<String>,
}

impl Selected {
    /// Counts the versions that the selected objects have afterwards. A name that is no object's can be a pattern, or one that
    /// kustomizations give: then every object counts. Patches count where nothing else does.
    fn versions<'m>(&self, moves: &'m Moves) -> BTreeMap<&'m str, usize> {
        let all = moves.get(&(self.kind.clone(), self.version.clone())).map_or(&[][..], Vec::as_slice);
        let is_named = |one: &&Moved| self.name.is_some() && one.name == self.name;
        let has_name = all.iter().any(|one| is_named(&one));
        let mut chosen: Vec<&Moved> = all.iter().filter(|one| !has_name || is_named(one)).collect();
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
    pub(super) fn moves(&self, held: &Held) -> Moves {
        let mut moves = Moves::new();
        for (id, manifest, object) in self.ids() {
            let Some(made) = self.converted[id.0][id.1].as_ref().filter(|made| made.kind == object.kind) else {
                continue;
            };
            let old = &object.api_version.version;
            let new = made.value.get("apiVersion").and_then(Value::as_str).map(|text| ApiVersion::parse(text).version);
            let version = new.filter(|_| !self.is_held(id, held)).unwrap_or_else(|| old.clone());
            let is_patch = self.is_patch(&manifest.file) || object.inset.is_some();
            let moved = Moved { name: object.name.clone(), is_patch, version };
            moves.entry((object.kind.clone(), old.clone())).or_default().push(moved);
        }
        for (look, object) in self.looks.iter().flat_map(|look| look.objects().iter().map(move |one| (look, one))) {
            let ((kind, old), (_, new)) = (&object.from, &object.to);
            let is_patch = self.is_patch(look.file());
            let moved = Moved { name: object.name.clone(), is_patch, version: new.version.clone() };
            moves.entry((kind.clone(), old.version.clone())).or_default().push(moved);
        }
        moves
    }
}

/// Lets the selectors of `object` follow `moves`; `made` is what became of it so far.
pub(super) fn follow(object: &Object, made: Option<Conversion>, moves: &Moves) -> Option<Conversion> {
    if !may_select(object) {
        return made;
    }
    let mut session = Session::new(made.as_ref().map_or(&object.value, |made| &made.value).clone());
    for (path, version) in found(session.object(), moves) {
        let value = Value::from(version);
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

/// Says whether `object` selects any object by its version.
pub(super) fn selects(object: &Object) -> bool {
    let mut selects = false;
    if may_select(object) {
        selectors(&object.value, &mut |_, _| selects = true);
    }
    selects
}

/// Tells the selectors of `object` whose objects part, and those of a version that no object can have afterwards.
pub(super) fn astray(manifest: &Manifest, object: &Object, moves: &Moves, course: &Course<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    if !may_select(object) {
        return found;
    }
    selectors(&object.value, &mut |spot, selected| {
        let versions = selected.versions(moves);
        let told = match versions.len() {
            0 => gone(&selected, course),
            1 => None,
            _ => Some(parted(&selected, &versions)),
        };
        found.extend(told.map(|(message, help)| {
            let path = spot.path().key("version");
            let remark = Remark {
                code: Code::PatchTarget,
                message: format!("{path} {message}"),
                path,
                help: Some(help.to_owned()),
            };
            finding(manifest, object, &remark, Severity::Warning)
        }));
    });
    found
}

/// Says that the selected objects go to `versions`.
fn parted(selected: &Selected, versions: &BTreeMap<&str, usize>) -> (String, &'static str) {
    let Selected { kind, version, .. } = selected;
    let all: usize = versions.values().sum();
    let moved = all - versions.get(version.as_str()).copied().unwrap_or_default();
    let message = format!(
        "selects {version}, which {all} objects of the kind {} have in this run; {moved} of them move to another version, and it is not changed",
        kind.kind
    );
    (message, "write a patch for each version, or take the version out of the selector, by hand")
}

/// Says that the target does not serve the selected version of a kind that the run does not rename.
fn gone(selected: &Selected, course: &Course<'_>) -> Option<(String, &'static str)> {
    let Selected { kind, version, .. } = selected;
    let target = course.goal().target_of(&kind.group).filter(|_| !course.retypes.contains_key(kind))?;
    let served = target.pack.catalog(kind)?.served(target.release);
    (served.iter().all(|served| served.name != *version)).then(|| {
        let message = format!("selects {version}, which {target} does not serve for {}; no object of this run has it, and it is not changed", kind.kind);
        (message, "write the version that the objects have afterwards, or take it out of the selector, by hand")
    })
}

/// Finds the versions of selectors whose objects all go to one version, with that.
fn found<'m>(object: &Value, moves: &'m Moves) -> Vec<(FieldPath, &'m str)> {
    let mut found = Vec::new();
    selectors(object, &mut |spot, selected| {
        let versions = selected.versions(moves);
        if let Some((new, _)) = versions.first_key_value().filter(|_| versions.len() == 1) {
            found.push((spot.path().key("version"), *new));
        }
    });
    found
}

/// Visits every mapping that names a kind and a version.
fn selectors(object: &Value, visit: &mut dyn FnMut(&Spot<'_>, Selected)) {
    mappings(object, &mut |spot, map| {
        let text = |key: &str| map.get(key).and_then(Value::as_str).map(str::to_owned);
        let named = text("group").zip(text("kind")).zip(text("version"));
        if let Some(((group, kind), version)) = named {
            visit(spot, Selected { kind: GroupKind::new(kind, group), version, name: text("name") });
        }
    });
}

/// Says whether `object` is a kustomization or has Kustomize run.
fn may_select(object: &Object) -> bool {
    is_kustomization(&object.kind.kind)
        || ["HelmRelease", "Application", "ApplicationSet"].contains(&object.kind.kind.as_str())
}

fn is_kustomization(kind: &str) -> bool {
    ["Kustomization", "Component"].contains(&kind)
}

/// Visits the mappings that can be selectors: in what has Kustomize run, those below the key `kustomize`.
fn mappings(object: &Value, visit: &mut dyn FnMut(&Spot<'_>, &Map<String, Value>)) {
    let is_one = object.get("kind").and_then(Value::as_str).is_none_or(is_kustomization);
    for key in parts(object) {
        let Some(part) = object.get(*key) else { continue };
        walk(part, &Spot::key(None, key), &mut |spot, map| {
            if is_one || map.contains_key("kind") && spot.path().steps().contains(&Step::Key("kustomize".to_owned())) {
                visit(spot, map);
            }
        });
    }
}
