//! What the checks of a pack share: [`Lint`], its [`Message`]s and the [`Coverage`] of what releases remove.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Serialize;

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

    /// Reports what is wrong from a column of a line of `file` on.
    pub(super) fn report_at(&mut self, file: &str, [line, column]: [usize; 2], text: String, help: &str) {
        let (line, column, help) = (Some(line), Some(column), Some(help.to_owned()));
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

/// A problem of a pack.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Message {
    /// The file that has the problem, or lacks an entry: `gateway-api/pack.yaml`.
    pub file: String,
    /// The line, from 1; none where the whole file or folder is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The column, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// What is wrong, as one sentence without a final dot.
    #[serde(rename = "message")]
    pub text: String,
    /// What to write.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        for number in self.line.iter().chain(&self.column) {
            write!(f, ":{number}")?;
        }
        write!(f, ": {}", self.text)?;
        self.help.iter().try_for_each(|help| write!(f, "\n  help: {help}"))
    }
}

/// What is removed between adjacent releases; a removal from both channels of a bundle counts once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// Kinds that the next release does not have.
    pub kinds: Share,
    /// Fields that the kind, or what it became, does not have in the next release.
    pub fields: Share,
    /// Values that the next release does not allow in a field that it has.
    pub values: Share,
}

/// How many removals are covered, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// By a rule that converts them, drops them or holds their objects back.
    pub claimed: usize,
    /// By an entry of `dropped` with its reason.
    pub dropped: usize,
    /// By nothing.
    pub missed: usize,
}

impl Share {
    /// Returns the number of all.
    pub const fn all(&self) -> usize {
        self.claimed + self.dropped + self.missed
    }
}

/// Something that a bundle removed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Removed {
    pub(super) kind: GroupKind,
    /// The position of the first bundle without it.
    pub(super) order: usize,
    pub(super) field: Option<FieldPattern>,
    pub(super) value: Option<String>,
}

/// What covers a removal, worst last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Cover {
    ByRule,
    Listed,
    Missing,
}

/// Returns the field that stands for a whole object.
pub(super) fn whole() -> FieldPattern {
    FieldPattern::new([Part::Key("kind".to_owned())])
}
