//! Answers: which objects does a tree patch, in which release are they written, and which releases is it converted to?
//!
//! Invariant: each sample is valid in its release, and is converted or held back alone, as it says.

use serde::Deserialize;
use serde_json::Value;

/// An object with what a carrier may do to it.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Sample {
    /// Says what changes between the releases.
    pub(crate) name: String,
    pub(crate) from: String,
    pub(crate) to: Vec<String>,
    pub(crate) object: Value,
    /// Optional fields that the object lacks: JSON pointer and value.
    #[serde(default)]
    pub(crate) absent: Vec<(String, Value)>,
    /// Optional fields that the object has.
    #[serde(default)]
    pub(crate) removable: Vec<String>,
    /// The slash path of the field that names the Service `web`.
    #[serde(default)]
    pub(crate) service: Option<String>,
    /// Lists whose items are told apart by a key: slash path without list markers, and the key.
    #[serde(default)]
    pub(crate) merge_keys: Vec<(String, String)>,
    /// Whether the object alone is held back; a patch can change that.
    #[serde(default)]
    pub(crate) held: bool,
    /// Objects of known APIs that the sample needs.
    #[serde(default)]
    pub(crate) beside: Vec<Value>,
}

impl Sample {
    pub(crate) fn kind(&self) -> &str {
        self.object["kind"].as_str().expect("every sample has a kind")
    }

    /// Returns the group and the version of the object.
    pub(crate) fn api(&self) -> (&str, &str) {
        let text = self.object["apiVersion"].as_str().expect("every sample has an apiVersion");
        text.split_once('/').expect("every sample has a group")
    }
}

/// Reads all samples.
pub(crate) fn all() -> Vec<Sample> {
    serde_yaml::from_str(SAMPLES).expect("the samples are valid")
}

const SAMPLES: &str = include_str!("samples.yaml");
