//! What does the conversion of one object need to know besides the object?

use std::sync::Arc;

use serde_json::Value;

use crate::knowledge::lens::{Completeness, Context, Namespace, ObjectPlace, Session};

/// Where an object stands among the others of a run.
#[derive(Clone, Copy)]
pub(crate) struct ObjectContext<'a> {
    /// Whether the object is applied as it stands, or merged into another one.
    pub(crate) completeness: Completeness,
    /// The namespace that it is applied to.
    pub(crate) namespace: &'a Namespace,
    /// Where it is.
    pub(crate) place: ObjectPlace<'a>,
    /// The other objects.
    pub(crate) others: &'a Context<'a>,
}

impl<'a> ObjectContext<'a> {
    /// Starts a session with data of the object.
    pub(super) fn session(self, value: Arc<Value>) -> Session<'a> {
        let session = Session::in_context(value, self.others, self.completeness);
        session.in_namespace(self.namespace.clone()).at(self.place)
    }
}
