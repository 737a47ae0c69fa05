//! What does a plan record of one object?

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use super::choices::Record;
use super::conversion::Conversion;
use crate::engine::finding::Location;
use crate::engine::manifest::Object;
use crate::knowledge::lens::Direction;
use crate::knowledge::release::{ApiVersion, GroupKind};
use crate::syntax::field::{Entries, FieldPath};
use crate::syntax::text::Span;

/// What becomes of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// It is at the target already, or it is acknowledged that it is left as it is.
    Unchanged,
    /// It changes.
    Changed,
    /// It is left unchanged; findings give the reason.
    HeldBack,
}

impl Outcome {
    /// Returns the word that reports print.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unchanged => "unchanged",
            Self::Changed => "changed",
            Self::HeldBack => "held-back",
        }
    }
}

/// One object of the run: a known one, or another one whose references change.
#[derive(Debug)]
pub struct ObjectPlan {
    /// Where the object starts.
    pub location: Location,
    /// The part of the file that it is in: a document, an item of a list, or the inline patch around it.
    pub(crate) extent: Span,
    /// What findings call it.
    pub title: String,
    /// `metadata.name`, where it is given.
    pub name: Option<String>,
    /// Its kind and apiVersion before.
    pub from: (GroupKind, ApiVersion),
    /// Its kind and apiVersion after the conversion.
    pub to: (GroupKind, ApiVersion),
    /// What becomes of it.
    pub outcome: Outcome,
    /// Whether a target or a rule is about it, or it holds values of a chart.
    pub is_recognized: bool,
    /// The rules that changed it, or would have if it were not acknowledged that it is left as it is.
    pub rules: Vec<(String, Direction)>,
    /// The fields that change where neither a rule nor an apiVersion says it: references of an object that keeps its apiVersion.
    pub(crate) fields: BTreeSet<FieldPath>,
    /// The parameters by which old defaults were written into it.
    pub(crate) frozen_by: BTreeSet<String>,
    /// Its data, where the goal requests that.
    pub data: Option<Box<Sides>>,
}

/// Says what changes in an object, of which the kind and apiVersion on both sides are given.
pub(crate) fn change(old_kind: &GroupKind, old: &str, new_kind: &GroupKind, new: &str) -> String {
    match (old_kind.kind == new_kind.kind, old == new) {
        (true, true) => "fields must change".to_owned(),
        (true, false) => format!("apiVersion {old} must become {new}"),
        (false, _) => format!("{old} {} must become {new} {}", old_kind.kind, new_kind.kind),
    }
}

/// An object's data on both sides of a conversion.
#[derive(Debug)]
pub struct Sides {
    /// Its data before.
    pub before: Arc<Value>,
    /// Its data after the conversion.
    pub after: Arc<Value>,
}

impl ObjectPlan {
    /// Records the conversion of `object`, which starts at `location` and is in the part `extent` of its file.
    pub(crate) fn new(
        location: Location,
        extent: Span,
        object: &Object,
        conversion: Conversion,
        is_held: bool,
        is_known: bool,
        record: Record,
    ) -> Self {
        let outcome = match (is_held, conversion.program.is_empty() && !conversion.is_removed) {
            (true, _) => Outcome::HeldBack,
            (false, true) => Outcome::Unchanged,
            (false, false) => Outcome::Changed,
        };
        let version = conversion.value.text("apiVersion").map(ApiVersion::parse);
        let data = match record {
            Record::Data | Record::PrintedData => {
                Some(Box::new(Sides { before: object.value.clone(), after: conversion.value }))
            }
            Record::Outcomes => None,
        };
        let from = (object.kind.clone(), object.api_version.clone());
        let to = (conversion.kind, version.unwrap_or_else(|| object.api_version.clone()));
        let is_said = outcome != Outcome::Changed || from != to || !conversion.rules.is_empty();
        let fields = conversion.program.iter().filter(|_| !is_said).map(|intent| intent.ends().from).collect();
        Self {
            location,
            extent,
            title: object.title(),
            name: object.name.clone(),
            from,
            to,
            outcome,
            is_recognized: is_known || outcome != Outcome::Unchanged,
            rules: conversion.rules,
            fields,
            frozen_by: conversion.frozen_by,
            data,
        }
    }
}
