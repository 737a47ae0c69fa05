//! What does the conversion of one object need to know besides the object?

use std::sync::Arc;

use serde_json::Value;

use crate::lens::{Completeness, Namespace, Session, Surroundings};

/// Where an object stands among the others of a run.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    /// Whether the object is applied as it stands, or merged into another one.
    pub(crate) completeness: Completeness,
    /// The namespace that it is applied to.
    pub(crate) namespace: &'a Namespace,
    /// The other objects.
    pub(crate) surroundings: &'a Surroundings<'a>,
}

impl<'a> Context<'a> {
    /// Starts a session with data of the object.
    pub(super) fn session(self, value: Arc<Value>) -> Session<'a> {
        Session::among(value, self.surroundings, self.completeness).living_in(self.namespace.clone())
    }
}
