//! Answers: which releases can the objects of a text be for?
//!
//! Invariant: it is what `reversion detect --format json` says of the same text.

use reversion::internals::report::json;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::text::{detection, read_all};

/// A text.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InferRequest {
    /// YAML or JSON, with any number of documents.
    pub text: String,
}

/// What the objects of a text show.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Inferred {
    /// The objects that a pack knows, in the order of the text: `objects` of the report.
    pub objects: Value,
    /// What is wrong with the text or its objects: `findings` of the report.
    pub findings: Value,
}

/// Tells which releases the objects of a text can be for.
pub fn infer(request: &InferRequest) -> Inferred {
    let read = read_all(&request.text);
    let mut detection = detection(read.manifest.as_ref());
    detection.findings.extend(read.findings);
    detection.findings.sort();
    let mut report = json::detection(&detection, 0, None);
    Inferred { objects: report["objects"].take(), findings: report["findings"].take() }
}
