//! Where did a conversion start, and what happened since?

use std::sync::Arc;

use serde_json::Value;

use super::remark::Remark;
use super::subject::Finality;
use crate::knowledge::lens::Direction;
use crate::knowledge::release::{ApiVersion, GroupKind, ReleaseSet};
use crate::syntax::field::FieldPath;

/// Where a conversion to the target starts: the object as it is, or as the release that its stash names had it, with the
/// values that the stash restored.
#[derive(Clone)]
pub(super) struct Source {
    pub(super) kind: GroupKind,
    /// The releases that it can be for.
    pub(super) releases: ReleaseSet,
    /// Its apiVersion, where rules convert the kind between apiVersions.
    pub(super) version: Option<ApiVersion>,
    pub(super) value: Arc<Value>,
    /// How many changes led there.
    pub(super) step: usize,
    /// The restored values, by their number in the stash, and their places.
    pub(super) restored: Vec<(usize, FieldPath)>,
}

/// What happened during a conversion.
#[derive(Clone, Default)]
pub(super) struct Log {
    /// The rules that changed something.
    pub(super) rules: Vec<(String, Direction)>,
    pub(super) unresolved: Vec<Remark>,
    pub(super) warnings: Vec<Remark>,
    pub(super) notes: Vec<Remark>,
    /// The data before and after each rule that wrote a default out, since the target has another one.
    pub(super) frozen: Vec<[Arc<Value>; 2]>,
}

impl Log {
    /// Reports that an object gets a less stable apiVersion than the target serves.
    pub(super) fn less_stable(&mut self, remark: Remark, is_warning: bool) {
        if is_warning { self.warnings.push(remark) } else { self.notes.push(remark) }
    }

    /// Reports what was invalid before the conversion too: as a warning where a cluster will see it.
    pub(super) fn already_invalid(&mut self, finality: Finality, remark: Remark) {
        match finality {
            Finality::Final => self.warnings.push(remark),
            Finality::Provisional => self.notes.push(Remark { help: None, ..remark }),
            Finality::Unbuilt => {}
        }
    }
}
