//! Answers: which selectors of a kustomization name a version that the objects they select leave?
//!
//! A selector is a mapping with `group`, `version` and `kind`. Where every object of the run with that apiVersion and kind goes
//! to one other version, the selector goes along; where they part it stays, which [`parted`] tells; where the run has none it
//! stays, and the finding about the patch says to check it.
//!
//! Invariant: only kustomizations have selectors; one whose kind is retyped is a reference and none of these.

use std::collections::BTreeMap;

use serde_json::Value;

use super::references::{Retypes, parts, walk};
use super::{Conversion, Held, Look, Object, Remark, Run, finding};
use crate::field::{FieldPath, Spot};
use crate::finding::{Code, Finding, Severity};
use crate::lens::Session;
use crate::manifest::Manifest;
use crate::release::{ApiVersion, GroupKind};
use crate::yaml::Intent;

/// The versions that the objects of a kind and version have afterwards, with how many have each.
pub(super) type Moves = BTreeMap<(GroupKind, String), BTreeMap<String, usize>>;

impl Run<'_> {
    /// Collects where the objects of known kinds go, under the assumption of what is held back.
    pub(super) fn moves(&self, held: &Held) -> Moves {
        let mut moves = Moves::new();
        for (id, _, object) in self.ids() {
            let Some(made) = self.converted[id.0][id.1].as_ref().filter(|made| made.kind == object.kind) else {
                continue;
            };
            let old = &object.api_version.version;
            let new = made.value.get("apiVersion").and_then(Value::as_str).map(|text| ApiVersion::parse(text).version);
            let new = new.filter(|_| !self.is_held(id, held)).unwrap_or_else(|| old.clone());
            *moves.entry((object.kind.clone(), old.clone())).or_default().entry(new).or_default() += 1;
        }
        for object in self.looks.iter().flat_map(Look::objects) {
            let ((kind, old), (_, new)) = (&object.from, &object.to);
            let versions = moves.entry((kind.clone(), old.version.clone())).or_default();
            *versions.entry(new.version.clone()).or_default() += 1;
        }
        moves
    }
}

/// Lets the selectors of `object` follow `moves`; `made` is what became of it so far.
pub(super) fn follow(object: &Object, made: Option<Conversion>, moves: &Moves) -> Option<Conversion> {
    if object.kind.kind != "Kustomization" {
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
    if object.kind.kind == "Kustomization" {
        selectors(&object.value, &mut |_, _, _| selects = true);
    }
    selects
}

/// Tells the selectors of `object` that give a kind without its group which the run renames.
pub(super) fn findings(manifest: &Manifest, object: &Object, retypes: &Retypes) -> Vec<Finding> {
    let mut found = Vec::new();
    if object.kind.kind != "Kustomization" {
        return found;
    }
    for key in parts(&object.value) {
        let Some(part) = object.value.get(*key) else { continue };
        walk(part, &Spot::key(None, key), &mut |spot, map| {
            let is_alone = ["group", "apiGroup", "apiVersion"].iter().all(|key| !map.contains_key(*key));
            let Some(kind) = map.get("kind").and_then(Value::as_str).filter(|_| is_alone) else { return };
            let renamed = retypes.iter().find(|(old, new)| old.kind == kind && new.kind().kind != kind);
            let Some((_, successor)) = renamed else { return };
            let (path, new) = (spot.path(), &successor.kind().kind);
            let message =
                format!("{path} selects objects by the kind {kind} alone, which becomes {new}; it is not changed");
            let help = Some(format!("write kind {new} where the objects are converted, by hand"));
            found.push(finding(
                manifest,
                object,
                &Remark { code: Code::PatchTarget, path, message, help },
                Severity::Warning,
            ));
        });
    }
    found
}

/// Tells the selectors of `object` whose objects part.
pub(super) fn parted(manifest: &Manifest, object: &Object, moves: &Moves) -> Vec<Finding> {
    let mut found = Vec::new();
    if object.kind.kind != "Kustomization" {
        return found;
    }
    selectors(&object.value, &mut |spot, kind, version| {
        let key = (kind, version);
        let Some(versions) = moves.get(&key).filter(|versions| versions.len() > 1) else { return };
        let (kind, version) = key;
        let all: usize = versions.values().sum();
        let moved = all - versions.get(&version).copied().unwrap_or_default();
        let path = spot.path().key("version");
        let message = format!(
            "{path} selects {version}, which {all} objects of the kind {} have in this run; {moved} of them move to another version, and it is not changed",
            kind.kind
        );
        let help = Some("write a patch for each version, or take the version out of the selector, by hand".to_owned());
        let remark = Remark { code: Code::PatchTarget, path, message, help };
        found.push(finding(manifest, object, &remark, Severity::Warning));
    });
    found
}

/// Finds the versions of selectors whose objects all go to one version, with that.
fn found<'m>(kustomization: &Value, moves: &'m Moves) -> Vec<(FieldPath, &'m str)> {
    let mut found = Vec::new();
    selectors(kustomization, &mut |spot, kind, version| {
        let versions = moves.get(&(kind, version));
        if let Some((new, _)) = versions.filter(|versions| versions.len() == 1).and_then(BTreeMap::first_key_value) {
            found.push((spot.path().key("version"), new.as_str()));
        }
    });
    found
}

/// Visits every mapping that names a kind and a version.
fn selectors(kustomization: &Value, visit: &mut dyn FnMut(&Spot<'_>, GroupKind, String)) {
    for key in parts(kustomization) {
        let Some(part) = kustomization.get(*key) else { continue };
        walk(part, &Spot::key(None, key), &mut |spot, map| {
            let text = |key: &str| map.get(key).and_then(Value::as_str).map(str::to_owned);
            let named = text("group").zip(text("kind")).zip(text("version"));
            if let Some(((group, kind), version)) = named {
                visit(spot, GroupKind::new(kind, group), version);
            }
        });
    }
}
