//! What does the conversion of one object need to know besides the object?

use std::sync::Arc;

use serde_json::Value;

use crate::knowledge::lens::{Completeness, Context, Namespace, ObjectPlace, Session};
use crate::knowledge::release::ApiVersion;

/// Whether what the target requires of values is checked on an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Judged {
    /// It is: the object is sent to an API server as it stands, or nothing is known of what is made of it.
    AsWritten,
    /// It is, unless the object lacks what every release requires: nothing of the run applies it, so it is a patch that nobody uses.
    IfComplete,
    /// It is checked on all that builds make of the object, which can complete and correct it. What remains are fields that the target
    /// does not have and types that change.
    AsBuilt,
}

/// Where an object stands among the others of a run.
#[derive(Clone, Copy)]
pub(crate) struct ObjectContext<'a> {
    /// Whether the object is applied as it stands, or merged into another one.
    pub(crate) completeness: Completeness,
    pub(crate) judged: Judged,
    /// The apiVersion that it gets, where that follows from what is built of it.
    pub(crate) version: Option<&'a ApiVersion>,
    /// The namespace that it is applied to.
    pub(crate) namespace: &'a Namespace,
    /// Where it is.
    pub(crate) place: ObjectPlace<'a>,
    /// The other objects.
    pub(crate) others: &'a Context<'a>,
}

impl<'a> ObjectContext<'a> {
    /// Makes the context of an object that is judged as it is written.
    pub(crate) const fn new(
        completeness: Completeness,
        namespace: &'a Namespace,
        place: ObjectPlace<'a>,
        others: &'a Context<'a>,
    ) -> Self {
        Self { completeness, judged: Judged::AsWritten, version: None, namespace, place, others }
    }

    /// Starts a session with data of the object.
    pub(super) fn session(self, value: Arc<Value>) -> Session<'a> {
        let completeness = match (self.completeness, self.judged) {
            (Completeness::Whole, Judged::AsBuilt) => Completeness::Completed,
            (completeness, _) => completeness,
        };
        let session = Session::in_context(value, self.others, completeness);
        session.in_namespace(self.namespace.clone()).at(self.place)
    }
}
