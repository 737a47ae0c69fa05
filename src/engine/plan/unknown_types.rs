//! What is reported about objects of which a template's actions print the apiVersion or the kind, or all?
//!
//! Invariant: nothing here affects what is converted.

use std::collections::{BTreeMap, BTreeSet};

use crate::engine::finding::{Code, Finding, Location, Severity};

/// What to do about objects that only a rendered chart shows.
pub(super) const RENDER: &str =
    "render the chart with its dependencies, and check that: `helm template ... | reversion check - --to ...`";

/// What an action prints of objects, so that it is not in the template.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum OpenType {
    Version {
        text: String,
        by_default: ByDefault,
    },
    /// The kind, where the apiVersion is known.
    Kind {
        kind: String,
        version: String,
        /// The one that is printed where users of the chart set nothing, with how severe it is that they can set another one.
        by_default: Option<(String, Severity)>,
    },
}

/// The apiVersion that is printed where the users of a chart set nothing.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ByDefault {
    Unknown,
    /// No object is printed then.
    Nothing,
    /// One that the target serves and has not deprecated.
    Served(String),
    /// Another one: what is to be done about it.
    Left {
        version: String,
        /// What it is in other calls of a definition, or turns of a range.
        others: BTreeSet<String>,
        is_served: bool,
        /// The key of the values that decides, and what is to be written there.
        at: Option<(String, String)>,
        help: String,
    },
}

impl OpenType {
    /// Returns it with the actions of a template in place of what stands for them.
    pub(super) fn map(&self, change: impl Fn(&str) -> String) -> Self {
        // They name one key.
        let change = |text: &str| change(text).replace("$.Values.", ".Values.");
        match self {
            Self::Version { text, by_default } => {
                let mut by_default = by_default.clone();
                if let ByDefault::Left { help, .. } = &mut by_default {
                    *help = change(help);
                }
                Self::Version { text: change(text), by_default }
            }
            Self::Kind { kind, version, by_default } => {
                Self::Kind { kind: change(kind), version: version.clone(), by_default: by_default.clone() }
            }
        }
    }

    /// Says so where one key of the values decides about apiVersions that are to become different ones.
    pub(super) fn settle_keys(types: &mut OpenTypes) {
        let mut wanted: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let places = |one: &Self| match one {
            Self::Version { by_default: ByDefault::Left { at, .. }, .. } => at.clone(),
            _ => None,
        };
        for (key, written) in types.keys().filter_map(places) {
            wanted.entry(key).or_default().insert(written);
        }
        let settle = |(mut one, places): (Self, BTreeSet<Location>)| {
            if let Self::Version { by_default: ByDefault::Left { at: Some((key, _)), help, .. }, .. } = &mut one
                && wanted[key].len() > 1
            {
                let all: Vec<&str> = wanted[key].iter().map(String::as_str).collect();
                *help = format!(
                    "{key} decides for several APIs, which want {}: give each a key of its own",
                    all.join(", ")
                );
            }
            (one, places)
        };
        *types = std::mem::take(types).into_iter().map(settle).collect();
    }

    /// Reports an object; the others of which the same action prints it are reported alike.
    pub(super) fn finding(&self, place: Location) -> Finding {
        let (what, text, by_default) = match self {
            Self::Version { text, by_default } => ("apiVersion of an object".to_owned(), text, by_default),
            Self::Kind { kind, version, by_default: None } => {
                (format!("kind of an object in {version}"), kind, &ByDefault::Unknown)
            }
            Self::Kind { kind, version, by_default: Some((own, severity)) } => {
                let message = format!(
                    "the kind of an object in {version} is `{kind}`: by default that is {own}; users of the chart can set another one"
                );
                return Finding::new(place, Code::TemplateAction, *severity, message).help(RENDER);
            }
        };
        let (severity, why, help) = match by_default {
            ByDefault::Unknown if text.contains(".Values.") => {
                (Severity::Unresolved, ", and values decide which that is".to_owned(), RENDER)
            }
            ByDefault::Unknown => {
                (Severity::Unresolved, ", and nothing in the chart shows which that is".to_owned(), RENDER)
            }
            ByDefault::Nothing => {
                (Severity::Note, ", which the chart prints only if its users set more".to_owned(), RENDER)
            }
            ByDefault::Served(version) => (
                Severity::Note,
                format!(
                    ": by default that is {version}, which the target serves; users of the chart can set another one"
                ),
                RENDER,
            ),
            ByDefault::Left { version, others, is_served, help, .. } => {
                let why = if *is_served { "has deprecated" } else { "does not serve" };
                let others: Vec<&str> = others.iter().map(String::as_str).collect();
                let others =
                    if others.is_empty() { String::new() } else { format!("; elsewhere {}", others.join(", ")) };
                let why = format!(": by default that is {version}, which the target {why}{others}");
                (Severity::Unresolved, why, help.as_str())
            }
        };
        let message = format!("the {what} is `{text}`{why}");
        Finding::new(place, Code::TemplateAction, severity, message).help(help)
    }
}

/// The places of objects of which an action prints the apiVersion or the kind.
pub(super) type OpenTypes = BTreeMap<OpenType, BTreeSet<Location>>;

/// Reports a condition by which clusters whose version has a suffix get an apiVersion that the target does not serve.
pub(super) fn of_suffixed(condition: &str, place: Location) -> Finding {
    let message = format!(
        "`{condition}` has another outcome on clusters whose version has a suffix, such as v1.33.5-eks-113cf36, which get an apiVersion that the target does not serve"
    );
    let help = "write the constraint with `-0`, such as `>=1.21-0`: it takes in such versions";
    Finding::new(place, Code::TemplateBranch, Severity::Warning, message).help(help)
}

/// Reports an action that prints all that a definition of another chart makes.
pub(super) fn of_foreign(call: &str, place: Location) -> Finding {
    let message = format!("`{call}` prints what a definition of another chart makes, which is not converted");
    Finding::new(place, Code::TemplateAction, Severity::Unresolved, message).help(RENDER)
}
