//! What the checks of a pack share: [`Lint`].

use std::collections::{BTreeMap, BTreeSet};

use super::coverage::{Cover, Removed};
use super::message::Message;
use crate::knowledge::catalog::OUTSIDE;
use crate::knowledge::pack::pack::Pack;
use crate::knowledge::pack::place::Place;
use crate::knowledge::release::{GroupKind, ReleaseId, ReleaseSet};
use crate::syntax::field::{FieldPattern, Part};

/// The checks of a pack so far.
pub(super) struct Lint<'p> {
    pub(super) pack: &'p Pack,
    pub(super) messages: BTreeSet<Message>,
    pub(super) removed: BTreeMap<Removed, Cover>,
    /// The positions of the entries of `dropped` that something vanished matched.
    pub(super) used: BTreeSet<usize>,
}

impl<'p> Lint<'p> {
    /// Makes the checks that have found nothing so far.
    pub(super) fn new(pack: &'p Pack) -> Self {
        Self { pack, messages: BTreeSet::new(), removed: BTreeMap::new(), used: BTreeSet::new() }
    }

    /// Reports what is wrong at a place in `file`, a path in the pack's folder, and what to write.
    pub(super) fn report(&mut self, file: &str, place: &Place, text: impl Into<String>, help: impl Into<String>) {
        let position = self.pack.folder.text(file).map(|text| place.position(text));
        let (line, column) = position.unzip();
        let (text, help) = (text.into(), Some(help.into()).filter(|help| !help.is_empty()));
        self.messages.insert(Message { file: self.pack.folder.path_of(file), line, column, text, help });
    }

    /// Reports what is wrong with a folder of files that are not part of the pack.
    pub(super) fn report_folder(&mut self, folder: &str, text: &str, help: &str) {
        let (text, help) = (text.to_owned(), Some(help.to_owned()));
        self.messages.insert(Message { file: folder.to_owned(), line: None, column: None, text, help });
    }

    /// Returns a release as it is written on a command line: `2.0.0/standard`.
    pub(super) fn name(&self, release: ReleaseId) -> String {
        self.pack.line().get(release).to_string()
    }

    /// Returns the place of a bundle in `pack.yaml`.
    pub(super) fn place_of_bundle(&self, order: usize) -> Place {
        Place::item("releases", order)
    }

    /// Returns the releases, of bundles that `orders` names, that have a field.
    pub(super) fn having(&self, kind: &GroupKind, field: &FieldPattern, orders: impl Fn(usize) -> bool) -> ReleaseSet {
        let Some(catalog) = self.pack.catalog(kind) else { return ReleaseSet::default() };
        let line = self.pack.line();
        catalog.having(field).iter().filter(|id| orders(line.get(*id).order)).collect()
    }

    /// Returns whether a release whose order meets `orders` has a field, or allows it where its schema says nothing of it.
    pub(super) fn allows(&self, kind: &GroupKind, field: &FieldPattern, orders: impl Fn(usize) -> bool) -> bool {
        let Some(catalog) = self.pack.catalog(kind) else { return false };
        let reach = catalog.reach(field);
        let all = reach.fields.iter().fold(reach.open, |all, field| all | field.releases);
        all.iter().any(|id| orders(self.pack.line().get(id).order))
    }
}

/// Returns whether catalogs know the place.
pub(super) fn is_known(field: &FieldPattern) -> bool {
    !matches!(field.parts().first(), Some(Part::Key(key)) if OUTSIDE.contains(&key.as_str()))
}
