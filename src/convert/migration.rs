//! What does an object become on the path to its target?
//!
//! With values of its stash to be restored, the path leads through the release that the stash names.

use std::collections::BTreeSet;

use super::fit::fit;
use super::remark::{Remark, impossible};
use super::rules;
use super::stash::Stash;
use super::state::{Log, Source};
use super::subject::Subject;
use crate::lens::Session;
use crate::release::GroupKind;

/// An object's data at the target.
pub(super) struct Migration<'a> {
    pub(super) kind: GroupKind,
    pub(super) session: Session<'a>,
    pub(super) source: Source,
    pub(super) log: Log,
    /// What the target rejects.
    pub(super) blocks: Vec<Remark>,
}

impl<'a> Migration<'a> {
    /// Converts the object to the target, with the values of these numbers of the stash restored.
    ///
    /// # Errors
    /// Why the target is not reached.
    pub(super) fn run(subject: &Subject<'a>, restore: Option<(&Stash, &BTreeSet<usize>)>) -> Result<Self, Vec<Remark>> {
        let mut session = subject.session(subject.object.value.clone());
        let mut log = Log::default();
        let mut kind = subject.object.kind.clone();
        let mut restored = Vec::new();
        if let Some((stash, numbers)) = restore.filter(|(_, numbers)| !numbers.is_empty()) {
            kind = rules::run(subject, stash.left, kind, &mut session, &mut log)?;
            let sight = subject.normal(&kind, session.shared());
            restored = stash.restore(numbers, &sight, &mut session).map_err(impossible)?;
        }
        let step = session.program().len();
        let source = Source { kind: kind.clone(), value: session.shared(), step, restored };
        let kind = rules::run(subject, subject.target.release, kind, &mut session, &mut log)?;
        let blocks = fit(subject, &source, &kind, &mut session, &mut log).err().unwrap_or_default();
        Ok(Self { kind, session, source, log, blocks })
    }
}
