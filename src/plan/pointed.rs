//! Answers: which patches with a `target` change fields that the run changes in what they select?
//!
//! Kustomize applies such a patch to all that the target selects: a JSON patch by its paths, any other by its fields, whatever kind
//! it gives itself. One of the selected kind is converted like an object. [`Run::pointed`] compares the paths of all others with
//! what rules take away and what the target release lacks, and tells those that meet.
//!
//! Invariant: nothing here changes anything; what was told when the file was read is not told again.

use serde_json::Value;

use super::loose::Loose;
use super::selectors::{Moved, Moves};
use super::{Look, Object, Remark, Run};
use crate::field::{FieldPattern, Part, Step};
use crate::finding::Code;
use crate::manifest::{Kustomization, Manifest};
use crate::release::{ApiVersion, GroupKind};
use crate::yaml;

/// What a patch says.
struct Said {
    /// The kinds that it gives itself.
    kinds: Vec<GroupKind>,
    /// The fields that it changes, step by step; nothing where it is in a file that the run does not look into.
    paths: Option<Vec<Vec<String>>>,
}

impl Run<'_> {
    /// Tells that the patch beside a selector changes fields that go in an object that counts.
    pub(super) fn pointed(
        &self,
        (manifest, object): (&Manifest, &Object),
        loose: &Loose,
        moves: &Moves<'_>,
        counts: &dyn Fn(&&Moved<'_>) -> bool,
    ) -> Option<Remark> {
        let (path, _) = loose.path.split_last().filter(|(_, step)| **step == Step::Key("target".to_owned()))?;
        let place = manifest.locate(object, &path);
        let codes = [Code::PatchTarget, Code::InlinePatch];
        if manifest.findings.iter().any(|told| told.location == place && codes.contains(&told.code)) {
            return None;
        }
        let said = self.said(manifest, path.get(&object.value)?)?;
        let known =
            moves.iter().filter(|((kind, version), _)| loose.meets(kind, version) && !said.kinds.contains(kind));
        let mut ones = known.flat_map(|(before, ones)| ones.iter().filter(counts).map(move |one| (before, one)));
        let (title, field) = ones.find_map(|(before, one)| {
            let title = format!("{} {}", before.0.kind, one.name.unwrap_or("(no name)"));
            self.meeting(&said, before, one).map(|field| (title, field))
        })?;
        let what = match field.as_str() {
            "" => "whose fields change in this run; it is not looked into here".to_owned(),
            field => format!("whose field {field} changes in this run; it is not converted"),
        };
        let labels = ["labelSelector", "annotationSelector"].map(|key| loose.path.key(key));
        let is_sure = labels.iter().all(|path| path.get(&object.value).is_none());
        let verb = if is_sure { "patches" } else { "can patch" };
        let help = "change its paths and fields by hand to those that the object has afterwards".to_owned();
        let message = format!("{path} {verb} {title} by its target, {what}");
        Some(Remark { code: Code::PatchTarget, path, message, help: Some(help) })
    }

    /// Reads the patch in an entry of a list of patches; nothing where there is none.
    fn said(&self, manifest: &Manifest, entry: &Value) -> Option<Said> {
        if let Some(patch) = entry.get("patch").filter(|patch| !patch.is_null()) {
            let text = patch.as_str().map(|text| (text, yaml::parse(text)));
            let values = match text {
                Some((text, Ok(tree))) => {
                    tree.documents().iter().filter_map(|document| tree.value(text, document.root).ok()).collect()
                }
                Some((_, Err(_))) => return None,
                None => vec![patch.clone()],
            };
            return Some(Said::of(&values.iter().collect::<Vec<_>>()));
        }
        let file = Kustomization::beside(&manifest.file, entry.get("path")?.as_str()?);
        Some(match self.look_at(&file) {
            Some(Look::Open(manifest)) => {
                Said::of(&manifest.objects.iter().map(|object| &*object.value).collect::<Vec<_>>())
            }
            Some(Look::Alone(part)) => {
                Said { kinds: part.objects.iter().map(|object| object.from.0.clone()).collect(), paths: None }
            }
            None => Said { kinds: Vec::new(), paths: None },
        })
    }

    /// Returns a field that the patch changes and the run too, in an object of the kind and version `before`; an empty one where
    /// the patch is not known.
    fn meeting(&self, said: &Said, (kind, version): &(GroupKind, String), one: &Moved<'_>) -> Option<String> {
        if one.rules.is_empty() && one.version == *version {
            return None;
        }
        let Some(paths) = &said.paths else { return (!one.rules.is_empty()).then(String::new) };
        let goal = self.course.goal();
        let rules = goal.targets.iter().flat_map(|target| target.pack.rules());
        let claims = rules.flat_map(|rule| {
            let ways = one.rules.iter().filter(|(name, _)| *name == rule.id);
            ways.flat_map(|(_, direction)| rule.lens(*direction).claims().old)
        });
        let claims: Vec<FieldPattern> = claims.collect();
        let target = goal.target_of(&kind.group);
        let is_gone = |path: &[String]| {
            let lacking = target.and_then(|target| Some((target, target.pack.catalog(kind)?.having(&pattern(path)))));
            one.kind == kind && lacking.is_some_and(|(target, had)| !had.is_empty() && !had.contains(target.release))
        };
        let meets = |path: &&Vec<String>| is_gone(path) || claims.iter().any(|claim| overlaps(claim, path));
        paths.iter().find(meets).map(|path| pattern(path).to_string())
    }
}

impl Said {
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

/// Says whether a path leads to a field that matches `claim`, into one, or to what one is in.
fn overlaps(claim: &FieldPattern, path: &[String]) -> bool {
    claim.parts().iter().zip(path).all(|(part, step)| match part {
        Part::Key(key) => key == step,
        Part::Items => is_item(step),
        Part::Values => true,
    })
}
