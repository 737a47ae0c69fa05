//! What is known of one object before its conversion starts?

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use serde_json::Value;

use super::baseline::Baseline;
use super::choices::{Goal, ObjectChoices, VersionChoice};
use super::context::{Judged, ObjectContext};
use super::inference;
use super::remark::Remark;
use super::renames;
use super::shapes::{self, Shape};
use crate::engine::finding::Code;
use crate::engine::infer::infer;
use crate::engine::manifest::Object;
use crate::knowledge::catalog::{Catalog, Violation};
use crate::knowledge::lens::{Completeness, OpenParts, Session};
use crate::knowledge::pack::Target;
use crate::knowledge::release::{ApiVersion, GroupKind, ReleaseSet, is_version};
use crate::syntax::field::FieldPath;
use crate::syntax::variable::ACTION;

/// An object that is to be converted to a target, and what inference found.
pub(super) struct Subject<'a> {
    pub(super) object: &'a Object,
    pub(super) target: &'a Target<'a>,
    pub(super) goal: &'a Goal<'a>,
    context: ObjectContext<'a>,
    /// The releases that have the object's fields.
    pub(super) candidates: ReleaseSet,
    /// The releases that the object can come from: those of its fields that serve its apiVersion, or all where none does; and of these
    /// those that are known for all objects of its pack, where there are such.
    pub(super) origins: ReleaseSet,
    /// The apiVersion whose fields it has, where rules convert its kind between apiVersions.
    pub(super) version: Option<ApiVersion>,
    /// The shapes that the target can give it, the one of the most stable apiVersion first.
    goals: OnceCell<Vec<Shape>>,
    /// The fields that no release of its kind has.
    pub(super) unknown: BTreeSet<FieldPath>,
    /// The warnings of the inference.
    pub(super) warnings: Vec<Remark>,
    /// The fields that exclude each other.
    pub(super) conflicts: Vec<Remark>,
    baseline: Baseline,
}

/// Whether a value is what a cluster will see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Finality {
    /// It is applied as it stands.
    Final,
    /// It stands in a part of an object, or it is a variable that is substituted later.
    Provisional,
    /// It stands in an object of which builds make others, which are judged.
    Unbuilt,
}

impl<'a> Subject<'a> {
    /// Infers the releases of `object`.
    ///
    /// # Errors
    /// Why nothing can be inferred: a variable for an apiVersion.
    pub(super) fn new(
        object: &'a Object,
        target: &'a Target<'a>,
        goal: &'a Goal<'a>,
        context: ObjectContext<'a>,
    ) -> Result<Self, Vec<Remark>> {
        let catalog = target.pack.catalog(&object.kind).expect("an object of an unknown kind is no subject");
        if !is_version(&object.api_version.version) && catalog.listing(&object.api_version.version).is_empty() {
            let message = format!("`{}` is not an apiVersion; it looks like a variable", object.api_version);
            let help = "write the apiVersion out, or convert the rendered manifest";
            let path = FieldPath::default().key("apiVersion");
            return Err(vec![Remark::new(Code::NotConvertible, path, message).help(help)]);
        }
        let inference = infer(&object.value, catalog, &object.api_version.version);
        // An object cannot come from where the others do if its fields contradict that.
        let known = goal.choices.origins_of(target.pack).unwrap_or_default();
        let version = shapes::version_of(object, target.pack, catalog, inference.candidates);
        Ok(Self {
            object,
            target,
            goal,
            context,
            candidates: inference.candidates,
            origins: inference.candidates.within(inference.serving).within(known),
            conflicts: inference::conflicts(&inference, target.pack),
            warnings: inference::warnings(&inference, object, target.pack, catalog, version.as_ref()),
            version,
            goals: OnceCell::new(),
            unknown: inference.unknown.into_iter().map(|unknown| unknown.path).collect(),
            baseline: Baseline::default(),
        })
    }

    /// Returns the shapes that the target can give the object, the one of the most stable apiVersion first; at least one.
    pub(super) fn goals(&self) -> &[Shape] {
        let Object { kind, api_version, .. } = self.object;
        self.goals.get_or_init(|| {
            let mut goals = shapes::goals(kind, api_version, self.target, self.goal, self.choices().version);
            if let Some(wanted) = goals.iter().position(|goal| goal.version.as_ref() == self.context.version) {
                goals = vec![goals.swap_remove(wanted)];
            }
            goals
        })
    }

    /// Returns the version that the object gets as an object of `kind`, where that follows from what is built of it.
    pub(super) fn version_as(&self, kind: &GroupKind) -> Option<&'a str> {
        self.context.version.filter(|version| version.group == kind.group).map(|version| version.version.as_str())
    }

    /// Returns whether the object is a patch that nobody uses.
    pub(super) fn is_fragment(&self) -> bool {
        self.context.judged == Judged::IfComplete
            && self.baseline.is_incomplete((self.object, self.open()), self.catalog(), self.candidates)
    }

    /// Returns whether the object lacks the containers of its pods, as only a patch does.
    pub(super) fn lacks_containers(&self) -> bool {
        static CONTAINERS: LazyLock<FieldPath> =
            LazyLock::new(|| FieldPath::default().key("spec").key("template").key("spec").key("containers"));
        CONTAINERS.get(&self.object.value).is_none()
            && !self.open().holes.iter().any(|hole| hole.is_content || CONTAINERS.starts_with(&hole.path))
            && self.completeness() == Completeness::Whole
            && !self.is_judged_as_built()
            && self.catalog().fields_of(&CONTAINERS.pattern()).any(|field| field.required)
            && !CONTAINERS.ancestors().any(|around| self.is_variable(&around))
    }

    /// Returns the subject as a part of an object.
    pub(super) fn into_patch(self) -> Self {
        Self { context: ObjectContext { completeness: Completeness::Partial, ..self.context }, ..self }
    }

    /// Returns whether what the target requires of values is checked on what is built of the object instead.
    pub(super) fn is_judged_as_built(&self) -> bool {
        self.context.judged == Judged::AsBuilt
    }

    /// Returns what was chosen for the object.
    pub(super) fn choices(&self) -> ObjectChoices<'a> {
        let choices = self.goal.choices_for(self.context.place.file);
        // What the cluster chooses is what it prefers, and what a condition names cannot change without it.
        let is_kept = self.open().follows_cluster || self.open().guard.is_some();
        let version = if is_kept { VersionChoice::Keep } else { choices.version };
        ObjectChoices { version, ..choices }
    }

    /// Starts a session with data of the object.
    pub(super) fn session(&self, value: Arc<Value>) -> Session<'a> {
        self.context.session(value).to(self.goal)
    }

    /// Returns whether the object is whole, which another file of the run decides.
    pub(super) fn completeness(&self) -> Completeness {
        self.context.completeness
    }

    /// Returns what of the object is not known.
    pub(super) const fn open(&self) -> &'a OpenParts {
        self.context.place.open
    }

    /// Returns whether the value at `path` is what a cluster will see.
    pub(super) fn finality(&self, path: &FieldPath) -> Finality {
        let is_open = path.get(&self.object.value).is_some_and(has_variable);
        match self.completeness() {
            _ if self.is_judged_as_built() => Finality::Unbuilt,
            Completeness::Whole if !is_open => Finality::Final,
            Completeness::Whole | Completeness::Completed | Completeness::Partial => Finality::Provisional,
        }
    }

    /// Returns whether the value at `path` is a text with a variable.
    pub(super) fn is_variable(&self, path: &FieldPath) -> bool {
        path.get(&self.object.value).is_some_and(|value| value.is_string() && has_variable(value))
    }

    /// Returns whether the value at `path` is known once the variables of a build are substituted, and no action of a template prints it.
    pub(super) fn is_substituted(&self, path: &FieldPath) -> bool {
        let is_printed = |value: &Value| value.as_str().is_some_and(|text| text.contains(ACTION));
        self.is_variable(path) && !path.get(&self.object.value).is_some_and(is_printed)
    }

    /// Returns whether what an action of a template prints stands in the way of a conversion.
    pub(super) fn is_about_action(&self, block: &Remark) -> bool {
        let is_printed = || block.path.get(&self.object.value).is_some_and(|value| value.to_string().contains(ACTION));
        block.code == Code::TemplateAction || block.code == Code::NotConvertible && is_printed()
    }

    /// Returns whether some release that the object can have been written for accepts what the target rejects in an object of `kind` after `session`.
    pub(super) fn accepted_before(&self, violation: &Violation, kind: &GroupKind, session: &Session<'_>) -> bool {
        let is_rejected = violation.kind.is_about_value() && self.is_same_value(violation, kind, session);
        !is_rejected
            && self.baseline.accepts((self.object, self.open()), self.catalog(), self.candidates, violation, &|path| {
                session.origin(path)
            })
    }

    /// Returns whether the value that the target rejects is what it was, and all releases in question have one schema for it, as far as that
    /// is easily found: what is asked of many values.
    fn is_same_value(&self, violation: &Violation, kind: &GroupKind, session: &Session<'_>) -> bool {
        let path = &violation.path;
        let value = path.get(&self.object.value);
        *kind == self.object.kind
            && session.origin(path) == *path
            && value.is_some_and(|value| path.get(session.object()) == Some(value))
            && self.catalog().has_one_schema(
                &path.pattern(),
                self.candidates,
                self.target.release,
                &self.object.api_version.version,
            )
    }

    /// Returns what was invalid before the conversion, as far as it was asked for.
    pub(super) const fn baseline(&self) -> &Baseline {
        &self.baseline
    }

    /// Returns the catalog of the object's own kind.
    pub(super) fn catalog(&self) -> &'a Catalog {
        self.target.pack.catalog(&self.object.kind).expect("an object of an unknown kind is no subject")
    }

    /// Returns the data of an object of `kind` for comparing: its references may have been updated since it was last seen.
    pub(super) fn normal(&self, kind: &GroupKind, object: Arc<Value>) -> Arc<Value> {
        renames::normal(object, self.target.pack.catalog(kind), self.goal.packs)
    }
}

/// Returns whether a value holds a variable, or what is left of a template: `${PORT}`, `$PORT`, `$(port)`, `{{ .port }}`,
/// `<% port %>`.
fn has_variable(value: &Value) -> bool {
    let is_variable = |text: &str| {
        // Each has one of these.
        if memchr::memchr3(b'$', b'{', b'%', text.as_bytes()).is_none() {
            return false;
        }
        let after_dollar = text.split('$').skip(1);
        let named = |rest: &str| rest.starts_with(|first: char| first.is_ascii_alphabetic() || "{(_".contains(first));
        ["{{", "<%", "%{", "#{"].iter().any(|mark| text.contains(mark)) || after_dollar.into_iter().any(named)
    };
    match value {
        Value::String(text) => is_variable(text),
        Value::Array(items) => items.iter().any(has_variable),
        Value::Object(map) => map.values().any(has_variable),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}
