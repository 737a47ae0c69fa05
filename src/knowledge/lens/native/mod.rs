//! Answers: which changes have a conversion of their own, written in Rust?
//!
//! Most changes are said in the language of rules, with operations that many of them need. A change that no other is like has a native
//! conversion: a rule calls it by its name (`native: listener-names`), and it is written straight for its fields, by their names, one file
//! or folder for each. It is an operation like those of the language: it changes the session, loses and refuses through it, says what it
//! claims and takes for granted, and the laws run on it.
//!
//! Invariant: a native conversion reads nothing but the session, and runs in both directions.

use super::operation::{Description, Operation};

mod fields;
mod frontend_validation;
mod label_selectors;
mod listener_hostnames;
mod listener_names;
mod metrics_enable;
mod snis;
mod version_fields;

/// What the operation that calls a native conversion does.
pub(super) const DESCRIPTION: Description = Description {
    name: "native",
    text: "Runs the native conversion of this name: a change that is like no other, written in the program for its own fields. Like every \
           operation, it converts in both directions.",
    example: "native: listener-names",
};

/// A native conversion.
#[derive(Clone, Copy, Debug)]
pub struct Conversion {
    /// What it is called in rules, and what it does.
    pub description: Description,
    /// Values that its fields can have, as a list, for the laws.
    pub values: &'static str,
    make: fn() -> Box<dyn Operation>,
}

/// Every native conversion.
pub const CONVERSIONS: &[Conversion] = &[
    Conversion {
        description: frontend_validation::DESCRIPTION,
        values: "[HTTPS, 443, { mode: AllowValidOnly }]",
        make: || Box::new(frontend_validation::FrontendValidation),
    },
    Conversion {
        description: label_selectors::DESCRIPTION,
        values: "[{ allow: All }, { matchLabels: { app: a } }]",
        make: || Box::new(label_selectors::LabelSelectors),
    },
    Conversion {
        description: listener_hostnames::DESCRIPTION,
        values: "[[], [a.example.com]]",
        make: || Box::new(listener_hostnames::ListenerHostnames),
    },
    Conversion {
        description: listener_names::DESCRIPTION,
        values: "[HTTP, a]",
        make: || Box::new(listener_names::ListenerNames),
    },
    Conversion {
        description: metrics_enable::DESCRIPTION,
        values: "[true, false]",
        make: || Box::new(metrics_enable::MetricsEnable),
    },
    Conversion {
        description: snis::DESCRIPTION,
        values: "[[a.example.com], [a.example.com, b.example.com], []]",
        make: || Box::new(snis::SnisToHostnames),
    },
    Conversion {
        description: version_fields::VersionField::DESCRIPTION_OF_SCHEMA,
        values: "[{ openAPIV3Schema: { type: object } }, {}]",
        make: || Box::new(version_fields::VersionField::SCHEMA),
    },
    Conversion {
        description: version_fields::VersionField::DESCRIPTION_OF_SUBRESOURCES,
        values: "[{ status: {} }, {}]",
        make: || Box::new(version_fields::VersionField::SUBRESOURCES),
    },
    Conversion {
        description: version_fields::VersionField::DESCRIPTION_OF_COLUMNS,
        values: "[[{ name: Age, type: date }], []]",
        make: || Box::new(version_fields::VersionField::COLUMNS),
    },
];

/// Makes the native conversion of this name.
///
/// # Errors
/// A message, where there is none.
pub(super) fn find(name: &str) -> Result<Box<dyn Operation>, String> {
    let conversion = CONVERSIONS.iter().find(|conversion| conversion.description.name == name);
    conversion.map(|conversion| (conversion.make)()).ok_or_else(|| {
        let names = CONVERSIONS.iter().map(|conversion| conversion.description.name).collect::<Vec<_>>().join(", ");
        format!("there is no native conversion `{name}`; the conversions are {names}")
    })
}
