//! Answers: what is one object in a newer release?
//!
//! Invariant: it is what the Rust library answers.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use reversion::internals::canonical::canonicalizer;
use reversion::{CanonicalizeError, Canonicalizer};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::call::{Failure, Reason, Remark};
use crate::packs;

/// Converts to each release that was asked for, by its name.
static CANONICALIZERS: Mutex<BTreeMap<String, Arc<Canonicalizer>>> = Mutex::new(BTreeMap::new());

/// An object, and the release that it is to be converted to.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CanonicalRequest {
    /// The release with its pack, such as `gateway-api@1.4/standard`, or `gateway-api@latest`.
    pub to: String,
    /// The object.
    pub object: Value,
}

/// An object in the release that was asked for.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Canonical {
    /// Its data.
    pub object: Value,
    /// The release, such as `gateway-api@1.4.1/standard`.
    pub release: String,
    /// The rules that changed it, in their order.
    pub rules: Vec<String>,
    /// The fields that name an object by the name that its kind has in the release.
    pub renamed_references: Vec<String>,
    /// What is probably wrong or has to be done by hand.
    pub warnings: Vec<Remark>,
}

/// Converts an object.
///
/// # Errors
/// The reason why it is not converted.
pub fn canonical(request: CanonicalRequest) -> Result<Canonical, Failure> {
    let canonicalizer = canonicalizer_to(&request.to)?;
    let made = canonicalizer.convert(request.object).map_err(failure)?;
    Ok(Canonical {
        object: made.object,
        release: canonicalizer.release(),
        rules: made.rules,
        renamed_references: made.renamed_references,
        warnings: Remark::all(&made.warnings),
    })
}

fn canonicalizer_to(release: &str) -> Result<Arc<Canonicalizer>, Failure> {
    let target = packs::target(release)?;
    let mut all = CANONICALIZERS.lock().unwrap_or_else(PoisonError::into_inner);
    let make = || Arc::new(canonicalizer(packs::packs(), target));
    Ok(Arc::clone(all.entry(target.to_string()).or_insert_with(make)))
}

fn failure(error: CanonicalizeError) -> Failure {
    let message = error.to_string();
    let (reason, remarks, releases) = match error {
        CanonicalizeError::UnknownRelease { .. } => (Reason::UnknownRelease, Vec::new(), None),
        CanonicalizeError::NotAnObject => (Reason::NotAnObject, Vec::new(), None),
        CanonicalizeError::UnknownKind { .. } => (Reason::UnknownKind, Vec::new(), None),
        CanonicalizeError::Newer { releases } => (Reason::Newer, Vec::new(), Some(releases)),
        CanonicalizeError::Loss { losses } => (Reason::Loss, losses, None),
        CanonicalizeError::Conflict { conflicts } => (Reason::Conflict, conflicts, None),
        CanonicalizeError::HeldBack { reasons } => (Reason::HeldBack, reasons, None),
        CanonicalizeError::DependsOnOthers => (Reason::DependsOnOthers, Vec::new(), None),
        // The type can get more variants.
        _ => (Reason::HeldBack, Vec::new(), None),
    };
    Failure { reason, message, remarks: Remark::all(&remarks), releases }
}
