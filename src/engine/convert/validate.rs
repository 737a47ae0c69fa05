//! Does the target accept an object as the rules leave it?
//!
//! What was invalid before the conversion too is reported and left unchanged. With the user's own CRDs everything that a cluster
//! will see has to be valid.

use serde_json::Value;

use super::baseline::in_list;
use super::fit::Fitting;
use super::remark::Remark;
use super::subject::Finality;
use super::target_schema::TargetSchema;
use crate::engine::finding::Code;
use crate::engine::manifest::sops;
use crate::knowledge::catalog::{SchemaName, Violation, ViolationKind};
use crate::knowledge::lens::Completeness;
use crate::knowledge::pack::crds::own::Verdict;
use crate::syntax::field::{FieldPath, FieldPattern};
use crate::syntax::variable::{has_variable, is_of_action};

impl Fitting<'_, '_> {
    /// Returns what the target rejects in the object at `version`. A part of an object lacks nothing that the whole can have, what
    /// variables in the object become is not known, and what builds can complete or correct is left to what they make.
    pub(super) fn violations(&self, version: &str) -> Vec<Violation> {
        let mut violations = self.rejected(version);
        if violations.iter().any(is_left_to_the_whole) && self.subject.completeness() == Completeness::Partial {
            violations.retain(|violation| !is_left_to_the_whole(violation));
        }
        if self.subject.is_judged_as_built() {
            violations.retain(|violation| !is_left_to_builds(violation));
        }
        // What an action prints as a whole value can be a mapping or a list.
        let object = self.session.object();
        let is_open = |violation: &Violation| {
            matches!(violation.kind, ViolationKind::WrongType { .. })
                && violation.path.get(object).is_some_and(is_of_action)
        };
        violations.retain(|violation| !is_open(violation));
        if self.subject.open().has_contents() {
            // Whatever is printed below a key that the target does not have is lost.
            let open = self.session.open();
            let is_printed = |violation: &Violation| match violation.kind {
                ViolationKind::UnknownField { .. } => false,
                _ if open.may_have(object, &violation.path) => true,
                ViolationKind::TooFew { .. } => open.may_complete(object, &violation.path),
                _ => violation.kind.is_about_absence() && open.may_complete(object, &violation.path),
            };
            violations.retain(|violation| !is_printed(violation));
        }
        violations
    }

    /// Reports the texts with variables that the releases before the conversion accept whatever they become, and the target does not;
    /// `broken` is what CEL rules reject.
    pub(super) fn report_unchecked_texts(&mut self, version: &str, broken: &[Violation]) {
        let (session, schema) = (&*self.session, &self.schema);
        let object = session.object();
        if !has_variable(object) {
            return;
        }
        let rejected = schema.catalog.check(object, schema.release, version);
        for violation in rejected.iter().chain(broken).filter(|violation| violation.is_open_in(object)) {
            let path = session.origin(&violation.path);
            if self.subject.accepted_before(violation, schema.catalog.kind(), session) {
                let message = format!(
                    "{} is known only after its variables are substituted, and was not checked: it {} in {}",
                    violation.path, violation.kind, schema.name
                );
                self.log.notes.push(Remark::new(Code::UncheckedRule, path, message));
            }
        }
    }

    /// Runs the CEL rules of the user's CRD, and returns what they reject; on a part of an object their results would mean nothing.
    pub(super) fn run_cel_rules(&mut self, version: &str) -> Vec<Violation> {
        let Some(crds) = self.schema.crds else { return Vec::new() };
        let (schema, object) = (&self.schema, self.session.object());
        let verdict = match self.subject.completeness() {
            Completeness::Whole if !self.subject.is_judged_as_built() && !self.subject.open().has_contents() => {
                crds.run_rules(schema.catalog.kind(), version, object)
            }
            Completeness::Whole | Completeness::Completed | Completeness::Partial => Verdict::default(),
        };
        for rule in verdict.unknown {
            let message = format!("a CEL rule of {} was not evaluated: {rule}", schema.name);
            self.log.notes.push(Remark::new(Code::UncheckedRule, FieldPath::default(), message));
        }
        self.log.notes.extend(unchecked_keywords(schema, object, version));
        verdict.broken
    }

    /// Holds the object back for what the target rejects, but not for what was rejected before the conversion too (a field that is
    /// left to a patch, a variable that is substituted later): that is reported.
    ///
    /// # Errors
    /// What the target rejects because of the conversion.
    pub(super) fn validate(&mut self, violations: Vec<Violation>) -> Result<(), Vec<Remark>> {
        let (subject, schema) = (self.subject, &self.schema);
        let mut blocks = Vec::new();
        for violation in violations {
            let path = self.session.origin(&violation.path);
            let finality = subject.finality(&path);
            let is_requested = schema.crds.is_some() && finality == Finality::Final;
            if became_an_item(&violation, &path) {
                blocks.push(self.incomplete_item(&violation, path));
            } else if is_requested || subject.accepted_before(&violation, schema.catalog.kind(), self.session) {
                let message = format!("{} does not allow this: {} {}", schema.name, violation.path, violation.kind);
                let hints = subject.target.pack.release_notes();
                let hint = hints.hint(schema.catalog.kind(), Some(&violation.path.pattern()));
                let by_hand = || "change the value by hand, then run again".to_owned();
                let help = hint.map_or_else(by_hand, |hint| hint.help_for(&subject.object.value));
                blocks.push(Remark::new(Code::InvalidInTarget, path, message).help(help));
            } else if !path.get(&subject.object.value).is_some_and(sops::is_encrypted_value) {
                let message = self.invalid_before(&violation);
                let help = "correct it by hand: the API server rejects it";
                let remark = Remark::new(Code::AlreadyInvalid, path, message).help(help);
                self.log.already_invalid(finality, remark);
            }
        }
        if blocks.is_empty() { Ok(()) } else { Err(blocks) }
    }

    /// Says of a value, at `path` before the conversion, that it becomes an incomplete item of a list.
    fn incomplete_item(&self, violation: &Violation, path: FieldPath) -> Remark {
        let Violation { path: item, kind, .. } = violation;
        let is_null = path.get(&self.subject.object.value).is_some_and(Value::is_null);
        let (why, help) = match (self.subject.completeness(), is_null) {
            (Completeness::Partial, true) => (
                format!(
                    "{path} is null, which removes it from the object that the patch is merged into; {item} {kind}, and a patch replaces a list as a whole"
                ),
                "remove the value from that object in place of the patch, then run again",
            ),
            (Completeness::Partial, false) => (
                format!("{item} {kind}, and a patch replaces a list as a whole"),
                "write the complete item in the patch, then run again",
            ),
            (Completeness::Whole | Completeness::Completed, true) => (
                format!("{path} is null, which is no value; it would become an item of a list, and {item} {kind}"),
                "write a value, or remove the field, then run again",
            ),
            (Completeness::Whole | Completeness::Completed, false) => (
                format!("{path} would become an item of a list, and {item} {kind}"),
                "complete it, or remove it, then run again",
            ),
        };
        Remark::new(Code::InvalidInTarget, path, why).help(help)
    }

    /// Says of what the target rejects that the object was not valid before either, with the name that was missing then.
    fn invalid_before(&self, violation: &Violation) -> String {
        let Violation { path, kind, .. } = violation;
        let baseline = self.subject.baseline();
        if !violation.kind.is_about_absence() || baseline.rejects(violation, &|path| self.session.origin(path)) {
            return format!("{path} {kind}, before and after the conversion");
        }
        match baseline.missing() {
            Some(missing) => format!("{path} {kind} after the conversion, and {missing} before it"),
            None => format!("{path} {kind} after the conversion; the object was not valid before it either"),
        }
    }
}

/// Returns whether a part of an object lacks what the whole can have.
fn is_left_to_the_whole(violation: &Violation) -> bool {
    violation.kind.is_about_absence() && !in_list(&violation.path)
}

/// Returns whether builds can make something else of what is rejected: what has no place or another type in the target is converted
/// where it stands.
const fn is_left_to_builds(violation: &Violation) -> bool {
    !matches!(violation.kind, ViolationKind::UnknownField { .. } | ViolationKind::WrongType { .. })
}

/// Reports the keywords that nothing here checks, of the fields that the object has. CEL rules have their own report.
fn unchecked_keywords(schema: &TargetSchema<'_>, object: &Value, version: &str) -> Vec<Remark> {
    let remark = |(pattern, keywords): (FieldPattern, Vec<&str>)| {
        let keywords: Vec<String> = keywords
            .into_iter()
            .filter(|keyword| !keyword.starts_with("x-"))
            .map(|keyword| format!("`{keyword}`"))
            .collect();
        let path = pattern.matches(object).into_iter().next().filter(|_| !keywords.is_empty())?;
        let place = if path == FieldPath::default() { "the object".to_owned() } else { path.to_string() };
        let message = format!("{} of {place} in {} was not checked", keywords.join(", "), schema.name);
        Some(Remark::new(Code::UncheckedRule, path, message))
    };
    schema.catalog.unchecked(SchemaName { release: schema.release, version }).into_iter().filter_map(remark).collect()
}

/// Returns whether what was a field, which patches merge one by one, has become an incomplete item of a list.
///
/// Source: Kustomize merges custom resources as JSON merge patches do, where a list replaces the other.
fn became_an_item(violation: &Violation, origin: &FieldPath) -> bool {
    violation.kind == ViolationKind::MissingRequired && in_list(&violation.path) && !in_list(origin)
}
