//! What does the conversion make of an object that Kustomize built?

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use serde_json::Value;

use super::json_patch::Converted;
use super::tied_files::{Id, TiedFiles};
use crate::engine::convert::{Conversion, Judged, ObjectContext, convert, update};
use crate::engine::manifest::Object;
use crate::knowledge::lens::{Completeness, Context, Namespace, Session};
use crate::knowledge::release::{ApiVersion, GroupKind};
use crate::syntax::field::Entries;

/// The conversions of what is built of objects: each state of an object is converted once, whatever leads to it.
pub(super) struct BuiltObjects<'b> {
    tied: &'b TiedFiles<'b>,
    others: &'b Context<'b>,
    conversions: RefCell<BTreeMap<Id, Vec<ConvertedState>>>,
    /// How what is built of an object is judged, where that is not as it is written.
    judged: RefCell<BTreeMap<Id, Judgement>>,
}

/// How what is built of an object is judged, where that is not as it is written.
pub(super) struct Judgement {
    /// The apiVersion of everything that is built of it.
    pub(super) version: Option<ApiVersion>,
    /// The final objects: those that are judged.
    pub(super) sent: Vec<Arc<Value>>,
}

/// The conversion of a state of an object; `None` where no target is about it.
struct ConvertedState {
    value: Arc<Value>,
    conversion: Option<Rc<Conversion>>,
}

impl<'b> BuiltObjects<'b> {
    pub(super) fn new(tied: &'b TiedFiles<'b>, others: &'b Context<'b>) -> Self {
        let (conversions, judged) = (RefCell::new(BTreeMap::new()), RefCell::new(BTreeMap::new()));
        Self { tied, others, conversions, judged }
    }

    /// Takes in how what is built of `base` is judged from now on.
    pub(super) fn judge(&self, base: Id, judgement: Judgement) {
        self.conversions.borrow_mut().remove(&base);
        self.judged.borrow_mut().insert(base, judgement);
    }

    /// Returns the conversion of `value`, which is built of the object `base`; `None` where it cannot be converted.
    pub(super) fn converted(&self, base: Id, value: &Arc<Value>) -> Option<Converted> {
        match self.conversion(base, value) {
            Some(conversion) => conversion
                .blocks
                .is_empty()
                .then(|| Converted { value: Arc::clone(&conversion.value), program: conversion.program.to_vec() }),
            None => Some(Converted { value: Arc::clone(value), program: Vec::new() }),
        }
    }

    /// Returns the conversion of `value`, which is built of the object `base`; `None` where no target is about it.
    pub(super) fn conversion(&self, base: Id, value: &Arc<Value>) -> Option<Rc<Conversion>> {
        let is_it = |state: &&ConvertedState| Arc::ptr_eq(&state.value, value) || state.value == *value;
        if let Some(state) = self.conversions.borrow().get(&base).and_then(|states| states.iter().find(is_it)) {
            return state.conversion.clone();
        }
        let conversion = match self.judged.borrow().get(&base) {
            None if *value == self.tied.object(base).value => {
                // An object that is patched is no patch itself.
                self.with_references(base, value, self.tied.conversion(base).cloned())
            }
            None => self.convert(base, value, Judged::AsWritten, None),
            Some(judgement) => {
                let judged = if judgement.sent.contains(value) { Judged::AsWritten } else { Judged::AsBuilt };
                self.convert(base, value, judged, judgement.version.as_ref())
            }
        };
        let conversion = conversion.map(Rc::new);
        let state = ConvertedState { value: Arc::clone(value), conversion: conversion.clone() };
        self.conversions.borrow_mut().entry(base).or_default().push(state);
        conversion
    }

    /// Converts `value`, which is built of the object `base`, to this version where that is given.
    pub(super) fn convert(
        &self,
        base: Id,
        value: &Arc<Value>,
        judged: Judged,
        version: Option<&ApiVersion>,
    ) -> Option<Conversion> {
        let whole = self.built(base, value);
        let (namespace, place) = (self.namespace(base, value), self.tied.place(base));
        let context = ObjectContext::new(Completeness::Whole, &namespace, place, self.others);
        let context = ObjectContext { judged, version, ..context };
        self.with_references(base, value, convert(&whole, self.tied.targets.goal, context))
    }

    /// Returns the namespace of `value`, which is built of `base`: the one that is written into it, where no kustomization gives its own.
    /// Where one does, each of the two can be the last: a patch comes before that, and a replacement behind it.
    fn namespace(&self, base: Id, value: &Value) -> Namespace {
        let (given, own) = (self.tied.namespace(base), self.tied.object(base).namespace.as_deref());
        let written = value.get("metadata").and_then(|metadata| metadata.text("namespace"));
        let Some(written) = written.filter(|written| own != Some(*written)) else { return given.clone() };
        let here = |name: Option<&str>| (self.tied.manifest(base).file.clone(), name.map(str::to_owned));
        let mut names = match given {
            _ if *given == Namespace::from_written(own) => return Namespace::Named(written.to_owned()),
            Namespace::Several(names) => names.clone(),
            Namespace::Named(_) | Namespace::Unset => BTreeSet::from([here(given.name())]),
        };
        names.insert(here(Some(written)));
        if names.iter().all(|(_, name)| name.as_deref() == Some(written)) {
            return Namespace::Named(written.to_owned());
        }
        Namespace::Several(names)
    }

    /// Returns the object that `value` is, which is built of `base`: a patch can give it another apiVersion.
    fn built(&self, base: Id, value: &Arc<Value>) -> Object {
        let own = self.tied.object(base).clone();
        let written = value.text("apiVersion").filter(|_| own.value.get("apiVersion") != value.get("apiVersion"));
        let api_version = written.map_or_else(|| own.api_version.clone(), ApiVersion::parse);
        let kind = GroupKind::new(own.kind.kind.as_str(), api_version.group.as_str());
        Object { value: Arc::clone(value), inline_patch: None, kind, api_version, ..own }
    }

    /// Converts the object `base` itself.
    pub(super) fn converted_alone(&self, base: Id, judged: Judged, version: Option<&ApiVersion>) -> Option<Conversion> {
        self.tied.convert(base, self.others, judged, version)
    }

    /// Converts `patch` to the version of what is built of `base`, into which it is merged, where that is another one.
    pub(super) fn converted_patch(&self, patch: Id, base: Id) -> Option<Conversion> {
        let all = self.judged.borrow();
        let version = all.get(&base)?.version.as_ref()?;
        let is_other =
            |made: &Conversion| made.value.text("apiVersion").map(ApiVersion::parse).as_ref() != Some(version);
        self.tied.conversion(patch).filter(|made| is_other(made))?;
        self.converted_alone(patch, Judged::AsWritten, Some(version))
    }

    /// Converts `patch` with the charts of `built`, which it makes of the object `base`, where it gives values and does not say itself
    /// of which chart.
    pub(super) fn converted_values(&self, patch: Id, base: Id, built: &Value) -> Option<Conversion> {
        let (object, goal) = (self.tied.object(patch), self.tied.targets.goal);
        if !goal.can_hold_values(object) {
            return None;
        }
        let value = goal.packs.carriers().with_charts(&object.kind, &object.value, built);
        if value == *object.value {
            return None;
        }
        let completed = Object { value: Arc::new(value), ..object.clone() };
        let all = self.judged.borrow();
        let version = all.get(&base).and_then(|judgement| judgement.version.as_ref());
        let (namespace, place) = (self.tied.namespace(patch), self.tied.place(patch));
        let context = ObjectContext::new(Completeness::Partial, namespace, place, self.others);
        let made = convert(&completed, goal, ObjectContext { version, ..context })?;
        let mut value = Value::clone(&object.value);
        made.program.iter().try_for_each(|intent| intent.apply_data(&mut value)).ok()?;
        Some(Conversion { value: Arc::new(value), ..made })
    }

    /// Converts `values` of a chart as if they stood where the object `id` stands.
    pub(super) fn converted_values_alone(&self, id: Id, values: &Object) -> Option<Conversion> {
        let (namespace, place) = (self.tied.namespace(id), self.tied.place(id));
        let context = ObjectContext::new(Completeness::Whole, namespace, place, self.others);
        convert(values, self.tied.targets.goal, context)
    }

    /// Adds the updates of references to the conversion of `value`.
    fn with_references(&self, base: Id, value: &Arc<Value>, conversion: Option<Conversion>) -> Option<Conversion> {
        if conversion.as_ref().is_some_and(|conversion| !conversion.blocks.is_empty()) {
            return conversion;
        }
        let whole = self.built(base, value);
        let (kind, data) = Conversion::kind_and_value(conversion.as_ref(), &whole);
        let session = with_references(self.tied, kind, data);
        Conversion::with_changes(conversion, &whole, session)
    }
}

/// Returns whether an object that stands inside other data of this file would change as a document of its own, or would have to.
pub(crate) fn is_outdated(tied: &TiedFiles<'_>, file: &str, object: &Object, others: &Context<'_>) -> bool {
    let made = tied.convert_inside(file, object, others);
    made.is_some_and(|made| made.needs_change())
        || with_references(tied, &object.kind, &object.value).object() != &*object.value
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
