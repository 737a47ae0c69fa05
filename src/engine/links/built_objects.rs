//! What does the conversion make of an object that Kustomize built?

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use serde_json::Value;

use super::json_patch::Converted;
use super::tied_files::{Id, TiedFiles};
use crate::engine::convert::{Conversion, ObjectContext, convert, update};
use crate::engine::manifest::Object;
use crate::knowledge::lens::{Completeness, Context, Session};
use crate::knowledge::release::GroupKind;

/// The conversions of what is built of objects: each state of an object is converted once, whatever leads to it.
pub(super) struct BuiltObjects<'b> {
    tied: &'b TiedFiles<'b>,
    others: &'b Context<'b>,
    conversions: RefCell<BTreeMap<Id, Vec<ConvertedState>>>,
}

/// The conversion of a state of an object; `None` where no target is about it.
struct ConvertedState {
    value: Arc<Value>,
    conversion: Option<Rc<Conversion>>,
}

impl<'b> BuiltObjects<'b> {
    pub(super) const fn new(tied: &'b TiedFiles<'b>, others: &'b Context<'b>) -> Self {
        Self { tied, others, conversions: RefCell::new(BTreeMap::new()) }
    }

    /// Returns the conversion of `value`, which is built of the object `base`; `None` where it cannot be converted.
    pub(super) fn converted(&self, base: Id, value: &Arc<Value>) -> Option<Converted> {
        match self.conversion(base, value) {
            Some(conversion) => conversion
                .blocks
                .is_empty()
                .then(|| Converted { value: Arc::clone(&conversion.value), program: conversion.program.clone() }),
            None => Some(Converted { value: Arc::clone(value), program: Vec::new() }),
        }
    }

    /// Returns the conversion of `value`, which is built of the object `base`; `None` where no target is about it.
    pub(super) fn conversion(&self, base: Id, value: &Arc<Value>) -> Option<Rc<Conversion>> {
        let is_it = |state: &&ConvertedState| Arc::ptr_eq(&state.value, value) || state.value == *value;
        if let Some(state) = self.conversions.borrow().get(&base).and_then(|states| states.iter().find(is_it)) {
            return state.conversion.clone();
        }
        let conversion = self.convert(base, value).map(Rc::new);
        let state = ConvertedState { value: Arc::clone(value), conversion: conversion.clone() };
        self.conversions.borrow_mut().entry(base).or_default().push(state);
        conversion
    }

    fn convert(&self, base: Id, value: &Arc<Value>) -> Option<Conversion> {
        let object = self.tied.object(base);
        let whole = Object { value: Arc::clone(value), inline_patch: None, ..object.clone() };
        let conversion = if *value == object.value {
            // An object that is patched is no patch itself.
            self.tied.conversion(base).cloned()
        } else {
            let (namespace, place) = (self.tied.namespace(base), self.tied.place(base));
            let context = ObjectContext { completeness: Completeness::Whole, namespace, place, others: self.others };
            convert(&whole, self.tied.targets.goal, context)
        };
        if conversion.as_ref().is_some_and(|conversion| !conversion.blocks.is_empty()) {
            return conversion;
        }
        let (kind, data) = Conversion::kind_and_value(conversion.as_ref(), &whole);
        let session = with_references(self.tied, kind, data);
        Conversion::with_changes(conversion, &whole, session)
    }
}

/// Updates the references in an object to kinds that are renamed, as if none of their objects were held back.
pub(super) fn with_references(tied: &TiedFiles<'_>, kind: &GroupKind, value: &Arc<Value>) -> Session<'static> {
    let mut session = Session::new(Arc::clone(value));
    for reference in tied.targets.references(kind, value) {
        // One that cannot be updated is reported where the object is.
        let _unchanged = update(&reference, &tied.targets.renames[&reference.kind], &mut session);
    }
    session
}
