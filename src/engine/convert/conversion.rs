//! What became of one object?

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use super::remark::{Remark, doubts, impossible, normalizations, required};
use super::state::Log;
use crate::engine::finding::Code;
use crate::engine::manifest::Object;
use crate::knowledge::lens::{Direction, Equivalence, NewObject, ObjectId, Session, origin};
use crate::knowledge::release::{GroupKind, ReleaseSet};
use crate::syntax::field::FieldPath;
use crate::syntax::yaml::Intent;

/// The result of converting an object.
#[derive(Clone, Debug)]
pub(crate) struct Conversion {
    /// The kind after the conversion.
    pub kind: GroupKind,
    /// The data after the conversion; the original data where the object is held back.
    pub value: Arc<Value>,
    /// The changes, with paths from the object; none where the object is held back.
    pub program: Arc<Vec<Intent>>,
    /// How many of the changes were made by foreign rules: rules of packs that do not own the object's kind.
    pub(crate) foreign_changes: usize,
    /// The rules that changed something, with the direction in which they ran.
    pub rules: Vec<(String, Direction)>,
    /// Why the object is held back; empty where it is not.
    pub blocks: Vec<Remark>,
    /// What has to be done by hand, although nothing of the object is held back.
    pub unresolved: Vec<Remark>,
    /// What is reported as a warning.
    pub warnings: Vec<Remark>,
    /// What is reported as a note.
    pub notes: Vec<Remark>,
    /// What was lost because the user allowed it, or is kept in the stash.
    pub losses: Vec<Remark>,
    /// The releases that the object can come from: by its fields, by its apiVersion where both agree, and by what is known of all
    /// objects of its pack where that agrees too.
    pub origins: ReleaseSet,
    /// What it was before and after each rule that wrote a default out, since the target has another one.
    pub frozen: Vec<[Arc<Value>; 2]>,
    /// The parameters by which old defaults were written out.
    pub(crate) frozen_by: BTreeSet<String>,
    /// The objects that must be converted together with this one.
    pub(crate) converts_with: BTreeSet<ObjectId>,
    /// The objects that convert together with this one or not at all, whatever holds it back.
    pub(crate) bound: BTreeSet<ObjectId>,
    /// The objects that parts of it became.
    pub(crate) split_off: Vec<SplitOff>,
    /// The objects that became parts of it, which are removed.
    pub(crate) taken_in: BTreeSet<ObjectId>,
    /// Whether it became a part of another one, and is removed.
    pub(crate) is_removed: bool,
}

/// What became of a part of an object as an object of its own.
#[derive(Clone, Debug)]
pub(crate) struct SplitOff {
    /// Its kind as it was split off.
    pub(crate) kind: GroupKind,
    /// What became of it, from the data of the object that it was a part of.
    pub(crate) made: Conversion,
}

impl Conversion {
    /// Returns `metadata.namespace` after the conversion.
    pub(crate) fn namespace(&self) -> Option<&str> {
        self.value.get("metadata").and_then(|metadata| metadata.get("namespace")).and_then(Value::as_str)
    }

    /// Returns whether the object changes, or a person has to change it.
    pub(crate) fn needs_change(&self) -> bool {
        !(self.program.is_empty() && self.blocks.is_empty() && self.unresolved.is_empty())
    }

    /// Makes the conversion that leaves `object` unchanged.
    pub(crate) fn unchanged(object: &Object) -> Self {
        Self::of(object.kind.clone(), object.value.clone())
    }

    fn of(kind: GroupKind, value: Arc<Value>) -> Self {
        Self {
            kind,
            value,
            program: Arc::default(),
            foreign_changes: 0,
            rules: Vec::new(),
            blocks: Vec::new(),
            unresolved: Vec::new(),
            warnings: Vec::new(),
            notes: Vec::new(),
            losses: Vec::new(),
            origins: ReleaseSet::default(),
            frozen: Vec::new(),
            frozen_by: BTreeSet::new(),
            converts_with: BTreeSet::new(),
            bound: BTreeSet::new(),
            split_off: Vec::new(),
            taken_in: BTreeSet::new(),
            is_removed: false,
        }
    }

    /// Makes what rules made of an object, whose kind is `kind` afterwards, with what was decided about its losses; `None` where there is nothing
    /// to report.
    pub(super) fn by_rules(
        kind: GroupKind,
        session: Session<'_>,
        log: Log,
        mut blocks: Vec<Remark>,
        losses: Result<Vec<Remark>, Vec<Remark>>,
    ) -> Option<Self> {
        let losses = losses.unwrap_or_else(|held| {
            // A field that a rule refuses is not reported as lost too.
            let others: Vec<_> =
                held.into_iter().filter(|loss| blocks.iter().all(|block| block.path != loss.path)).collect();
            blocks.extend(others);
            Vec::new()
        });
        if !blocks.is_empty() {
            return Some(Self { blocks, ..Self::of(kind, session.shared()) });
        }
        let conversion = Self::finished(kind, session, log, losses);
        let Self { program, unresolved, warnings, .. } = &conversion;
        (!program.is_empty() || !unresolved.is_empty() || !warnings.is_empty()).then_some(conversion)
    }

    /// Makes what became of an object in a session that nothing holds back.
    pub(super) fn finished(kind: GroupKind, session: Session<'_>, log: Log, losses: Vec<Remark>) -> Self {
        let Log { rules, mut unresolved, mut warnings, mut notes, frozen } = log;
        unresolved.extend(required(&session));
        warnings.extend(doubts(&session));
        // What is dropped or kept as a whole is not written in another form.
        let is_dropped = |path: &FieldPath| {
            losses.iter().any(|loss| loss.code == Code::DroppedField && path.starts_with(&loss.path))
        };
        notes.extend(normalizations(&session).into_iter().filter(|remark| !is_dropped(&remark.path)));
        let frozen_by = session.normalized().iter().filter_map(|one| match &one.how {
            Equivalence::Frozen(parameter) => Some(parameter.clone()),
            Equivalence::Rewritten | Equivalence::Removed | Equivalence::Adopted => None,
        });
        let (frozen_by, converts_with) = (frozen_by.collect(), session.converts_with().clone());
        let split_off = session.split_off().iter().cloned().map(SplitOff::new).collect();
        let taken_in = session.taken_in().clone();
        let (value, program, _) = session.finish();
        Self {
            program: program.into(),
            rules,
            unresolved,
            warnings,
            notes,
            losses,
            frozen,
            frozen_by,
            converts_with,
            split_off,
            taken_in,
            ..Self::of(kind, value)
        }
    }

    /// Adds `next`, the conversion of what this one made.
    pub(super) fn then(mut self, next: Self) -> Self {
        let later = next.split_off.into_iter().map(|one| one.after(&self.program));
        self.split_off.extend(later.collect::<Vec<_>>());
        self.taken_in.extend(next.taken_in);
        Arc::make_mut(&mut self.program).extend(Arc::unwrap_or_clone(next.program));
        self.foreign_changes += next.foreign_changes;
        self.rules.extend(next.rules);
        self.blocks.extend(next.blocks);
        self.unresolved.extend(next.unresolved);
        self.warnings.extend(next.warnings);
        self.notes.extend(next.notes);
        self.losses.extend(next.losses);
        self.frozen.extend(next.frozen);
        self.frozen_by.extend(next.frozen_by);
        self.converts_with.extend(next.converts_with);
        Self { kind: next.kind, value: next.value, origins: self.origins | next.origins, ..self }
    }

    /// Starts a session with what became of `object` so far.
    pub(crate) fn session(made: Option<&Self>, object: &Object) -> Session<'static> {
        Session::new(Arc::clone(made.map_or(&object.value, |made| &made.value)))
    }

    /// Returns the kind and the data that `object` has after a conversion, if there is one.
    pub(crate) fn kind_and_value<'c>(made: Option<&'c Self>, object: &'c Object) -> (&'c GroupKind, &'c Arc<Value>) {
        made.map_or((&object.kind, &object.value), |made| (&made.kind, &made.value))
    }

    /// Returns the path in the file of what is at `path` in the data that `made` has.
    pub(crate) fn origin(made: Option<&Self>, path: &FieldPath) -> FieldPath {
        made.map_or_else(|| path.clone(), |made| origin(&made.program, path))
    }

    /// Adds changes to what became of `object` so far; one that is impossible holds it back.
    pub(crate) fn with(made: Option<Self>, object: &Object, changes: impl IntoIterator<Item = Intent>) -> Option<Self> {
        let mut session = Self::session(made.as_ref(), object);
        match changes.into_iter().try_for_each(|change| session.change(change)) {
            Ok(()) => Self::with_changes(made, object, session),
            Err(halt) => {
                let mut made = made.unwrap_or_else(|| Self::unchanged(object));
                made.blocks.extend(impossible(halt));
                Some(made)
            }
        }
    }

    /// Adds what was done in a session that [`Conversion::session`] started.
    pub(crate) fn with_changes(made: Option<Self>, object: &Object, session: Session<'_>) -> Option<Self> {
        let (value, program, _) = session.finish();
        if program.is_empty() {
            return made;
        }
        let mut made = made.unwrap_or_else(|| Self::unchanged(object));
        made.value = value;
        Arc::make_mut(&mut made.program).extend(program);
        Some(made)
    }

    /// Drops changes that together leave `object` as it was: one step took back what another one did.
    pub(crate) fn settled(self, object: &Object) -> Self {
        let is_idle = self.value == object.value && !self.program.iter().any(Intent::writes_text);
        match is_idle {
            true => Self { program: Arc::default(), foreign_changes: 0, rules: Vec::new(), ..self },
            false => self,
        }
    }

    /// Drops the changes at `places`, which no other change relies on, and the notes about them.
    pub(crate) fn without(self, object: &Object, places: &[FieldPath]) -> Self {
        if places.is_empty() {
            return self;
        }
        let (mut program, mut notes) = (self.program.to_vec(), self.notes.clone());
        program.retain(|intent| places.iter().all(|place| intent.within(place).is_none()));
        notes.retain(|note| places.iter().all(|place| !note.path.starts_with(place)));
        let mut value = Value::clone(&object.value);
        match program.iter().try_for_each(|intent| intent.apply_data(&mut value)) {
            Ok(()) if program.len() < self.program.len() => {
                Self { program: program.into(), notes, value: Arc::new(value), ..self }
            }
            _ => self,
        }
    }

    /// Leaves `object` unchanged after all, and keeps what there is to report besides losses and notes, and besides advice about a
    /// change. Of what a rule refuses, its help is all that is to be done.
    pub(crate) fn hold_back(self, object: &Object) -> Self {
        let Self { blocks, unresolved, mut warnings, origins, bound, .. } = self;
        let is_refused = blocks.iter().any(|block| block.code == Code::NotConvertible);
        warnings.retain(|warning| !is_refused && warning.code != Code::Advisory);
        Self { blocks, unresolved, warnings, origins, bound, ..Self::unchanged(object) }
    }
}

impl SplitOff {
    fn new(NewObject { kind, value, program }: NewObject) -> Self {
        Self { made: Conversion { program: program.into(), ..Conversion::of(kind.clone(), value) }, kind }
    }

    /// Returns the same for the data that the object had before `program` ran on it.
    pub(super) fn after(self, program: &[Intent]) -> Self {
        let program: Vec<Intent> = program.iter().chain(&*self.made.program).cloned().collect();
        Self { made: Conversion { program: program.into(), ..self.made }, ..self }
    }
}
