//! Which objects may have another name than their files say, because patches or replacements write it?
//!
//! Invariant: an object is found by each name that it may have; with names that are not known, by any.

use std::collections::{BTreeMap, BTreeSet};

use super::identity::{IdentityWrite, Part};
use crate::knowledge::lens::ObjectId;

/// What may be written to the parts that objects are found by.
pub(super) type Rewritten = BTreeMap<ObjectId, BTreeSet<IdentityWrite>>;

/// Objects of which such parts may be written, by the names that they may have.
#[derive(Default)]
pub(super) struct ByName<'r> {
    named: BTreeMap<&'r str, BTreeSet<ObjectId>>,
    /// Those that may have any name.
    open: BTreeSet<ObjectId>,
}

impl<'r> ByName<'r> {
    /// Adds the objects in a file, each of which has the name `name_of` it.
    pub(super) fn add(&mut self, rewritten: &'r Rewritten, file: usize, name_of: impl Fn(ObjectId) -> &'r str) {
        let objects = rewritten.range(ObjectId { file, at: 0 }..=ObjectId { file, at: usize::MAX });
        for (position, writes) in objects {
            self.named.entry(name_of(*position)).or_default().insert(*position);
            for write in writes.iter().filter(|write| write.part == Part::Name) {
                match &write.text {
                    Some(name) => self.named.entry(name).or_default().insert(*position),
                    None => self.open.insert(*position),
                };
            }
        }
    }

    /// Returns the objects that may have one of these names; all where none are given.
    pub(super) fn find(&self, names: Option<&BTreeSet<&str>>) -> BTreeSet<ObjectId> {
        let of_names: Vec<&BTreeSet<ObjectId>> = match names {
            Some(names) => names.iter().filter_map(|name| self.named.get(name)).collect(),
            None => self.named.values().collect(),
        };
        of_names.into_iter().chain([&self.open]).flatten().copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Objects that are all renamed are not each compared with each patch that names one of them.
    #[test]
    fn a_name_leads_to_the_objects_that_may_have_it() {
        let count = 500;
        let write = |text: Option<String>| IdentityWrite { part: Part::Name, text };
        let id = |at| ObjectId { file: at % 2, at };
        let mut rewritten: Rewritten =
            (0..count).map(|at| (id(at), BTreeSet::from([write(Some(format!("new-{at}")))]))).collect();
        rewritten.insert(id(count), BTreeSet::from([write(None)]));
        let own: Vec<String> = (0..=count).map(|at| format!("old-{at}")).collect();
        let mut by_name = ByName::default();
        for file in [0, 1, 2] {
            by_name.add(&rewritten, file, |position| &own[position.at]);
        }
        for at in 0..count {
            for name in [format!("old-{at}"), format!("new-{at}")] {
                assert_eq!(by_name.find(Some(&BTreeSet::from([&*name]))), BTreeSet::from([id(at), id(count)]));
            }
        }
        assert_eq!(by_name.find(Some(&BTreeSet::new())), BTreeSet::from([id(count)]));
        assert_eq!(by_name.find(None).len(), count + 1);
    }
}
