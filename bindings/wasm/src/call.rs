//! Answers: what does the host read of a call?
//!
//! Invariant: an answer is a JSON object with one key: `ok`, or `error` with a reason that a program can tell apart.

use std::error::Error;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Why a call was not carried out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    /// The reason, for programs.
    pub reason: Reason,
    /// The same as a sentence, for people.
    pub message: String,
    /// What there is to say about fields of the object.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<Remark>,
    /// The releases that the object can be for, where those are newer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub releases: Option<String>,
}

/// A reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// The request is no JSON, or not of the form that the call takes.
    BadRequest,
    /// There is no such pack, or it has no such release.
    UnknownRelease,
    /// `apiVersion` or `kind` is missing.
    NotAnObject,
    /// The pack does not know the kind.
    UnknownKind,
    /// The object is for newer releases than the one that was asked for.
    Newer,
    /// The release has no field for values of the object.
    Loss,
    /// The object has fields that no release has together.
    Conflict,
    /// The object cannot be converted for other reasons.
    HeldBack,
    /// What the object becomes depends on other objects.
    DependsOnOthers,
    /// The files of a pack are not what they should be.
    BadPack,
    /// Packs were chosen or used before.
    PacksInUse,
}

/// What there is to say about a field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Remark {
    /// The code of the finding.
    pub code: &'static str,
    /// The field; empty for the whole object.
    pub field: String,
    /// One sentence.
    pub message: String,
}

impl Remark {
    pub(crate) fn all(remarks: &[reversion::Remark]) -> Vec<Self> {
        let remark =
            |one: &reversion::Remark| Self { code: one.code, field: one.field.clone(), message: one.message.clone() };
        remarks.iter().map(remark).collect()
    }
}

impl Failure {
    /// Makes one without remarks.
    pub(crate) const fn new(reason: Reason, message: String) -> Self {
        Self { reason, message, remarks: Vec::new(), releases: None }
    }
}

/// Carries out a call whose request is these bytes.
pub fn answer<R: DeserializeOwned, A: Serialize>(
    request: Option<&[u8]>,
    call: impl FnOnce(R) -> Result<A, Failure>,
) -> String {
    let bad = |error: &dyn Error| Failure::new(Reason::BadRequest, format!("the request is not understood: {error}"));
    let none = || Failure::new(Reason::BadRequest, "there is no request at that address".to_owned());
    let read = request.ok_or_else(none).and_then(|bytes| serde_json::from_slice(bytes).map_err(|error| bad(&error)));
    let made = read.and_then(call).and_then(|made| serde_json::to_value(made).map_err(|error| bad(&error)));
    match made {
        Ok(made) => json!({"ok": made}),
        Err(failure) => json!({"error": failure}),
    }
    .to_string()
}

/// A request without anything in it.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoRequest {}
