//! Answers: which path had a value before the changes of a session, and which path has it after them?
//!
//! [`origin`] reverts the path of a value through the changes, the last first; [`destination`] follows it through one,
//! and [`trace`] with where each step of the path comes from.
//!
//! Invariant: a path that no change touched is its own origin.

use crate::syntax::field::{FieldPath, Step};
use crate::syntax::yaml::{Ends, Intent};

/// Returns the path before `program` of the value that is at `path` after it.
pub(crate) fn origin(program: &[Intent], path: &FieldPath) -> FieldPath {
    program.iter().rev().fold(path.clone(), |path, intent| intent.origin(&path))
}

/// Returns the path behind an intent of the value that is at `path` before it; `None` where it is removed.
pub(super) fn destination(intent: &Intent, path: &FieldPath) -> Option<FieldPath> {
    match intent {
        Intent::Replace { path: replaced, .. } if path.starts_with(replaced) => None,
        intent => intent.destination(path),
    }
}

/// A path after a program: each step with the number of the step before the program that it is, where it is one.
pub(crate) type TracedPath = Vec<(Step, Option<usize>)>;

/// What the value at a path is taken to be where it is wrapped: `a: x` becomes `a: [x]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// The value inside: `a[0]`.
    Inner,
    /// The whole field: `a`.
    Outer,
}

/// Returns the path after `program` of the place that is at `path` before it, with where each of its steps comes from; `None`
/// where it was removed, or is in a value that was replaced.
pub(crate) fn trace(program: &[Intent], path: &FieldPath, reach: Reach) -> Option<TracedPath> {
    let mut origins: Vec<Option<usize>> = (0..path.steps().len()).map(Some).collect();
    let mut path = path.clone();
    for intent in program {
        if reach == Reach::Outer && is_about_whole(intent, &path) {
            continue;
        }
        let is_inside = |replaced: &FieldPath| path.starts_with(replaced) && path != *replaced;
        if matches!(intent, Intent::Replace { path: replaced, .. } if is_inside(replaced)) {
            return None;
        }
        let next = intent.destination(&path)?;
        origins = origins_after(&origins, intent, &path, &next);
        path = next;
    }
    Some(path.steps().iter().cloned().zip(origins).collect())
}

/// Returns whether an intent wraps or unwraps the value at `path`.
fn is_about_whole(intent: &Intent, path: &FieldPath) -> bool {
    matches!(intent, Intent::Wrap { path: inner } if inner.split_last().is_some_and(|(outer, _)| outer == *path))
}

/// Returns what `program` changes in the value that is at `path` before it, as if that were an object of its own; `None` where
/// parts of it move elsewhere, or others into it.
pub(crate) fn changes_below(program: &[Intent], path: &FieldPath, reach: Reach) -> Option<Vec<Intent>> {
    let mut path = path.clone();
    let mut changes = Vec::new();
    for intent in program {
        let Ends { from, to } = intent.ends();
        let is_whole = reach == Reach::Outer && is_about_whole(intent, &path)
            || matches!(intent, Intent::Replace { path: replaced, .. } if *replaced == path);
        if is_whole || from.starts_with(&path) && intent.destination(&path).as_ref() == Some(&path) {
            changes.push(intent.within(&path)?);
        } else if to.starts_with(&path) && !from.starts_with(&path) {
            return None;
        } else {
            path = intent.destination(&path)?;
        }
    }
    Some(changes)
}

/// Returns where the steps of a path come from after `intent` moved it: what is before and behind the steps that it changes stays.
fn origins_after(
    origins: &[Option<usize>],
    intent: &Intent,
    before: &FieldPath,
    after: &FieldPath,
) -> Vec<Option<usize>> {
    let (before, after) = (before.steps(), after.steps());
    // An index that an item before it shifts is the same step.
    if matches!(intent, Intent::Delete { .. } | Intent::Insert { .. }) {
        return origins.to_vec();
    }
    let shorter = before.len().min(after.len());
    let head = before.iter().zip(after).take_while(|(one, other)| one == other).count();
    let tail = before.iter().rev().zip(after.iter().rev()).take_while(|(one, other)| one == other).count();
    let tail = tail.min(shorter - head);
    let middle = std::iter::repeat_n(None, after.len() - head - tail);
    origins[..head].iter().copied().chain(middle).chain(origins[before.len() - tail..].iter().copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::yaml::Place;
    use serde_json::{Value, json};

    fn destination(program: &[Intent], path: &FieldPath) -> Option<FieldPath> {
        program.iter().try_fold(path.clone(), |path, intent| super::destination(intent, &path))
    }

    fn path(text: &str) -> FieldPath {
        let steps = text.split('.').filter(|step| !step.is_empty());
        FieldPath::new(steps.map(|step| step.parse().map_or_else(|_| Step::Key(step.to_owned()), Step::Index)))
    }

    /// Applies `program` to data in which every leaf has a value of its own, and compares each leaf with the one at its origin.
    #[track_caller]
    fn check(before: &Value, program: &[Intent], places: &[&str]) {
        let mut after = before.clone();
        program.iter().for_each(|intent| intent.apply_data(&mut after).unwrap());
        for place in places {
            let from = origin(program, &path(place));
            assert!(path(place).get(&after).is_some(), "{place} is in {after}");
            assert_eq!(path(place).get(&after), from.get(before), "{place} came from {from}");
            assert_eq!(destination(program, &from), Some(path(place)), "{from} went to {place}");
        }
    }

    #[test]
    fn a_path_is_followed_into_a_list_and_out_of_it() {
        let before = json!({"a": {"x": 1}, "l": [{"x": 2}, {"x": 3}], "m": [{"x": 4}, {"x": 5}]});
        let key = "b".to_owned();
        let program = [
            Intent::Move { from: path("a"), to: path("l").index(1), place: Place::Last },
            Intent::Move { from: path("m.0"), to: path("").key(&key), place: Place::Last },
        ];
        check(&before, &program, &["l.0.x", "l.1.x", "l.2.x", "b.x", "m.0.x"]);
    }

    #[test]
    fn a_path_is_followed_through_renames_moves_and_lists() {
        let before =
            json!({"spec": {"ref": {"name": 1}, "tls": {"a": 2, "b": 3}, "l": [{"x": 4}, {"x": 5}, {"x": 6}]}});
        let program = [
            Intent::Rename { path: path("spec.ref"), to: "refs".to_owned() },
            Intent::Wrap { path: path("spec.refs").index(0) },
            Intent::Move { from: path("spec.tls.a"), to: path("spec").key("z"), place: Place::Last },
            Intent::Delete { path: path("spec.l.0") },
            Intent::Insert { path: path("spec.l").index(1), value: json!(9), place: Place::Last },
        ];
        check(&before, &program, &["spec.refs.0.name", "spec.z", "spec.tls.b", "spec.l.0.x", "spec.l.2.x"]);
        let back = [Intent::Unwrap { path: path("spec.l.0.x").index(0) }];
        check(&json!({"spec": {"l": [{"x": [7]}]}}), &back, &["spec.l.0.x"]);
    }

    #[test]
    fn removed_values_have_an_origin_and_no_destination() {
        let item = |index| Intent::Delete { path: path("l").index(index) };
        let program = [item(2), item(1), Intent::Unwrap { path: path("l").index(0) }];
        assert_eq!(origin(&program[..0], &path("l.2")), path("l.2"));
        assert_eq!(origin(&program[..1], &path("l.1")), path("l.1"));
        assert_eq!(origin(&[item(0)], &path("l.1")), path("l.2"));
        assert_eq!(destination(&program, &path("l.1.x")), None);
        assert_eq!(destination(&program, &path("l.0.x")), Some(path("l.x")));
        let anew = Intent::Replace { path: path("l"), value: json!(1) };
        assert_eq!(destination(&[anew], &path("l.0")), None);
    }
}
