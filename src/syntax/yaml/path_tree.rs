//! Answers: what is known at a path, and at each place above it?
//!
//! Each place is below the one above it, so that a path is looked up step by step, whatever the number of paths.

use std::collections::BTreeMap;

use crate::syntax::field::{FieldPath, Step};

/// What is known at each of some paths.
#[derive(Clone, Debug, Default)]
pub(super) struct PathTree<T> {
    value: T,
    below: BTreeMap<Step, Self>,
}

impl<T: Default> PathTree<T> {
    /// Returns what is known at `path`, to be changed.
    pub(super) fn at_mut(&mut self, path: &FieldPath) -> &mut T {
        let node = path.steps().iter().fold(self, |node, step| {
            if !node.below.contains_key(step) {
                node.below.insert(step.clone(), Self::default());
            }
            node.below.get_mut(step).expect("it is there")
        });
        &mut node.value
    }
}

impl<T> PathTree<T> {
    /// Returns what is known at each place that leads to `path`, from the root to the path itself, as far as there is anything at or below
    /// it.
    pub(super) fn along<'t>(&'t self, path: &'t FieldPath) -> impl Iterator<Item = &'t T> {
        let mut next = Some(self);
        let mut steps = path.steps().iter();
        std::iter::from_fn(move || {
            let node = next?;
            next = steps.next().and_then(|step| node.below.get(step));
            Some(&node.value)
        })
    }

    /// Returns what is at and below `path`, where there is anything.
    pub(super) fn find(&self, path: &[Step]) -> Option<&Self> {
        path.iter().try_fold(self, |node, step| node.below.get(step))
    }

    pub(super) const fn value(&self) -> &T {
        &self.value
    }

    /// Returns whether something is known below.
    pub(super) fn has_more_below(&self) -> bool {
        !self.below.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_found_with_the_places_above_it() {
        let path = |text: &str| {
            let step = |part: &str| part.parse().map_or_else(|_| Step::Key(part.to_owned()), Step::Index);
            FieldPath::new(text.split('.').map(step).collect::<Vec<Step>>())
        };
        let mut tree: PathTree<Vec<&str>> = PathTree::default();
        for text in ["spec", "spec.rules.1", "spec.rules.1.host"] {
            tree.at_mut(&path(text)).push(text);
        }
        let along = |text: &str| tree.along(&path(text)).flatten().copied().collect::<Vec<_>>().join(" ");
        assert_eq!(along("spec.rules.1.host"), "spec spec.rules.1 spec.rules.1.host");
        assert_eq!(along("spec.rules.1.http"), "spec spec.rules.1");
        assert_eq!(along("spec.rules.0.host"), "spec");
        assert_eq!(along("other"), "");
        let has_more = |text: &str| tree.find(path(text).steps()).map(PathTree::has_more_below);
        assert_eq!(
            [has_more("spec"), has_more("spec.rules.1.host"), has_more("other")],
            [Some(true), Some(false), None]
        );
    }
}
