//! Which patches with a `target` change fields that the run changes in what they select?
//!
//! Kustomize applies such a patch to all that the target selects: a JSON patch by its paths, any other by its fields, whatever kind
//! it gives itself. One of the selected kind is converted like an object. The paths of all others are compared with what rules
//! remove and what the target release lacks.
//!
//! Invariant: nothing here changes anything; what was reported when the file was read is not reported again.

use serde_json::Value;

use super::file::File;
use super::linked::Linked;
use super::selectors::{VersionChange, VersionChanges};
use super::unresolved::UnresolvedSelector;
use crate::convert::{Remark, Targets};
use crate::field::{FieldPattern, Part, Step};
use crate::finding::Code;
use crate::manifest::{Kustomization, Manifest, Object};
use crate::release::{ApiVersion, GroupKind};
use crate::yaml::{self, read_value};

/// The parts of a patch that matter here.
struct Patch {
    /// The kinds that it gives itself.
    kinds: Vec<GroupKind>,
    /// The fields that it changes, step by step; nothing where it is in a file that the run does not read.
    paths: Option<Vec<Vec<String>>>,
}

/// Reports that the patch next to a selector changes fields that the run changes in an object that counts.
pub(super) fn remark(
    linked: &Linked<'_>,
    (manifest, object): (&Manifest, &Object),
    selector: &UnresolvedSelector,
    changes: &VersionChanges<'_>,
    counts: &dyn Fn(&&VersionChange<'_>) -> bool,
) -> Option<Remark> {
    let (path, _) = selector.path.split_last().filter(|(_, step)| **step == Step::Key("target".to_owned()))?;
    let place = manifest.locate(object, &path);
    let codes = [Code::PatchTarget, Code::InlinePatch];
    if manifest.findings.iter().any(|finding| finding.location == place && codes.contains(&finding.code)) {
        return None;
    }
    let patch = Patch::read(linked, manifest, path.get(&object.value)?)?;
    let known =
        changes.iter().filter(|((kind, version), _)| selector.selects(kind, version) && !patch.kinds.contains(kind));
    let mut ones = known.flat_map(|(before, ones)| ones.iter().filter(counts).map(move |one| (before, one)));
    let (title, field) = ones.find_map(|(before, one)| {
        let title = format!("{} {}", before.0.kind, one.name.unwrap_or("(no name)"));
        patch.changed_field(linked.targets, before, one).map(|field| (title, field))
    })?;
    let what = match field.as_str() {
        "" => "whose fields change in this run; the patch file is not read".to_owned(),
        field => format!("whose field {field} changes in this run; the patch is not converted"),
    };
    let labels = ["labelSelector", "annotationSelector"].map(|key| selector.path.key(key));
    let is_sure = labels.iter().all(|path| path.get(&object.value).is_none());
    let verb = if is_sure { "patches" } else { "may patch" };
    let help = "change the paths and fields of the patch by hand to those that the object has after the conversion";
    let message = format!("{path} {verb} {title} by its target, {what}");
    Some(Remark::new(Code::PatchTarget, path, message, Some(help.to_owned())))
}

impl Patch {
    /// Reads the patch in an entry of a list of patches; nothing where there is none.
    fn read(linked: &Linked<'_>, manifest: &Manifest, entry: &Value) -> Option<Self> {
        if let Some(patch) = entry.get("patch").filter(|patch| !patch.is_null()) {
            let text = patch.as_str().map(|text| (text, yaml::parse(text)));
            let values = match text {
                Some((text, Ok(tree))) => {
                    tree.documents().iter().filter_map(|document| read_value(&tree, text, document.root).ok()).collect()
                }
                Some((_, Err(_))) => return None,
                None => vec![patch.clone()],
            };
            return Some(Self::of(&values.iter().collect::<Vec<_>>()));
        }
        let name = Kustomization::beside(&manifest.file, entry.get("path")?.as_str()?);
        Some(match linked.file(&name) {
            Some(File::Linked(manifest)) => {
                Self::of(&manifest.objects.iter().map(|object| &*object.value).collect::<Vec<_>>())
            }
            Some(File::Local(local)) => {
                Self { kinds: local.objects.iter().map(|object| object.from.0.clone()).collect(), paths: None }
            }
            None => Self { kinds: Vec::new(), paths: None },
        })
    }

    /// Returns a field that the patch changes and the run too, in an object of the kind and version `before`; an empty one where
    /// the patch is not known.
    fn changed_field(
        &self,
        targets: &Targets<'_>,
        (kind, version): &(GroupKind, String),
        one: &VersionChange<'_>,
    ) -> Option<String> {
        if one.rules.is_empty() && one.version == *version {
            return None;
        }
        let Some(paths) = &self.paths else { return (!one.rules.is_empty()).then(String::new) };
        let rules = targets.goal.targets.iter().flat_map(|target| target.pack.rules());
        let claims = rules.flat_map(|rule| {
            let ways = one.rules.iter().filter(|(name, _)| *name == rule.id);
            ways.flat_map(|(_, direction)| rule.lens(*direction).claims().old)
        });
        let claims: Vec<FieldPattern> = claims.collect();
        let target = targets.goal.target_of(&kind.group);
        let is_lacking = |path: &[String]| {
            let had = target.and_then(|target| Some((target, target.pack.catalog(kind)?.having(&pattern(path)))));
            one.kind == kind && had.is_some_and(|(target, had)| !had.is_empty() && !had.contains(target.release))
        };
        let changes = |path: &&Vec<String>| is_lacking(path) || claims.iter().any(|claim| overlaps(claim, path));
        paths.iter().find(changes).map(|path| pattern(path).to_string())
    }

    fn of(documents: &[&Value]) -> Self {
        let (mut kinds, mut paths) = (Vec::new(), Vec::new());
        for document in documents {
            match document {
                Value::Array(operations) => {
                    let pointers = operations.iter().flat_map(|one| ["path", "from"].map(|key| one.get(key)));
                    paths.extend(pointers.flatten().filter_map(Value::as_str).map(steps));
                }
                _ => {
                    let text = |key: &str| document.get(key).and_then(Value::as_str).unwrap_or_default();
                    kinds.push(GroupKind::new(text("kind"), ApiVersion::parse(text("apiVersion")).group));
                    let parts = document.as_object().into_iter().flatten();
                    let parts = parts.filter(|(key, _)| !["apiVersion", "kind", "metadata"].contains(&key.as_str()));
                    parts.for_each(|(key, value)| leaves(value, vec![key.clone()], &mut paths));
                }
            }
        }
        Self { kinds, paths: Some(paths) }
    }
}

/// Returns the steps of a JSON pointer.
fn steps(pointer: &str) -> Vec<String> {
    pointer.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~")).collect()
}

/// Collects the places of all values in `value` that hold no others.
fn leaves(value: &Value, place: Vec<String>, found: &mut Vec<Vec<String>>) {
    let below = |step: &str| place.iter().cloned().chain([step.to_owned()]).collect();
    match value {
        Value::Object(map) if !map.is_empty() => {
            map.iter().for_each(|(key, value)| leaves(value, below(key), found));
        }
        Value::Array(items) if !items.is_empty() => items.iter().for_each(|item| leaves(item, below("-"), found)),
        _ => found.push(place),
    }
}

fn is_item(step: &str) -> bool {
    step == "-" || step.bytes().all(|byte| byte.is_ascii_digit())
}

fn pattern(path: &[String]) -> FieldPattern {
    FieldPattern::new(path.iter().map(|step| if is_item(step) { Part::Items } else { Part::Key(step.clone()) }))
}

/// Returns whether a path leads to a field that matches `claim`, into one, or to what contains one.
fn overlaps(claim: &FieldPattern, path: &[String]) -> bool {
    claim.parts().iter().zip(path).all(|(part, step)| match part {
        Part::Key(key) => key == step,
        Part::Items => is_item(step),
        Part::Values => true,
    })
}
