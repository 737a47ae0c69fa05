//! What is reported once for each chart about the objects that its templates print?
//!
//! Invariant: nothing here affects what is converted.

use std::collections::{BTreeMap, BTreeSet};

use crate::engine::finding::{Code, Finding, Location, Severity};

/// What to do about objects that only a rendered chart shows.
const RENDER: &str =
    "render the chart with its dependencies, and check that: `helm template ... | reversion check - --to ...`";

/// What nothing shows of objects, as an action prints them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum OpenType {
    Version(String),
    /// The kind, where the apiVersion is known.
    Kind {
        kind: String,
        version: String,
    },
}

impl OpenType {
    pub(super) fn map(&self, change: impl Fn(&str) -> String) -> Self {
        match self {
            Self::Version(version) => Self::Version(change(version)),
            Self::Kind { kind, version } => Self::Kind { kind: change(kind), version: version.clone() },
        }
    }

    /// Reports the objects at `places`.
    pub(super) fn finding(&self, places: &BTreeSet<Location>) -> Option<Finding> {
        let count = match places.len() {
            1 => "an object".to_owned(),
            count => format!("{count} objects"),
        };
        let (what, text) = match self {
            Self::Version(version) => (format!("apiVersion of {count}"), version),
            Self::Kind { kind, version } => (format!("kind of {count} in {version}"), kind),
        };
        let why = match text.contains(".Values.") {
            true => "values decide which that is",
            false => "nothing in the chart shows which that is",
        };
        let message = format!("the {what} is `{text}`, and {why}");
        let first = places.first()?.clone();
        Some(Finding::new(first, Code::TemplateAction, Severity::Unresolved, message).help(RENDER))
    }
}

/// The places of objects of which nothing shows the apiVersion or the kind.
pub(super) type OpenTypes = BTreeMap<OpenType, BTreeSet<Location>>;

/// The places of actions, by what they are.
pub(super) type Actions = BTreeMap<String, BTreeSet<Location>>;

/// Reports the conditions of a chart by which clusters whose version has a suffix get an apiVersion that the target does not serve.
pub(super) fn of_suffixed(conditions: &Actions) -> Option<Finding> {
    let (action, first, others) = first_of(conditions)?;
    let message = format!(
        "`{action}` has another outcome on clusters whose version has a suffix, such as v1.33.5-eks-113cf36, which get an apiVersion that the target does not serve{others}"
    );
    let help = "write the constraint with `-0`, such as `>=1.21-0`: it takes in such versions";
    Some(Finding::new(first, Code::TemplateBranch, Severity::Warning, message).help(help))
}

/// Reports the actions of a chart that print all that definitions of other charts make.
pub(super) fn of_foreign(calls: &Actions) -> Option<Finding> {
    let (action, first, others) = first_of(calls)?;
    let message = format!("`{action}` prints what a definition of another chart makes, which is not converted{others}");
    Some(Finding::new(first, Code::TemplateAction, Severity::Unresolved, message).help(RENDER))
}

/// Returns the first of some actions with its place, and how many more there are.
fn first_of(actions: &Actions) -> Option<(&str, Location, String)> {
    let places = actions.iter().flat_map(|(action, places)| places.iter().map(move |place| (place, action)));
    let (first, action) = places.min()?;
    let others = match actions.values().map(BTreeSet::len).sum::<usize>() - 1 {
        0 => String::new(),
        count => format!("; likewise {count} more"),
    };
    Some((action, first.clone(), others))
}
