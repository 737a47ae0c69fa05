//! Answers: which schemas does an OpenAPI document of an API server hold?
//!
//! Version 2 has all of them in one `swagger.json`, version 3 those of each API group in a document (`apis__apps__v1_openapi.json`);
//! a document says itself which it is. Both name the kind of a schema, and the paths show the scope of a kind.
//!
//! Invariant: documents of one release add up, whatever they share.

use anyhow::{Result, bail};
use serde_json::Value;

use super::published::Published;
use crate::catalog::Scope;
use crate::release::GroupKind;

/// The keyword that names the kinds of a schema, or the one of a path.
const KIND: &str = "x-kubernetes-group-version-kind";

/// Returns whether a file is an OpenAPI document of any version.
pub(super) fn is_document(file: &Value) -> bool {
    file.get("swagger").is_some() || file.get("openapi").is_some()
}

/// Adds the schemas of an OpenAPI document.
pub(super) fn add(document: &Value, published: &mut Published) -> Result<()> {
    let version = document.get("swagger").or_else(|| document.get("openapi")).and_then(Value::as_str).unwrap_or_default();
    let schemas = match version.split('.').next() {
        Some("2") => document.get("definitions"),
        Some("3") => document.pointer("/components/schemas"),
        _ => bail!("OpenAPI {version} is not supported; pass documents of version 2 or 3"),
    };
    for (name, schema) in schemas.and_then(Value::as_object).into_iter().flatten() {
        let kinds = schema.get(KIND).and_then(Value::as_array).into_iter().flatten();
        for kind in kinds.filter_map(kind) {
            published.kinds.insert(kind, name.clone());
        }
        published.schemas.insert(name.clone(), schema.clone());
    }
    for (path, methods) in document.get("paths").and_then(Value::as_object).into_iter().flatten() {
        let is_namespaced = path.contains("/namespaces/{namespace}/");
        let methods = methods.as_object().into_iter().flat_map(|methods| methods.values());
        for (kind, _) in methods.filter_map(|method| kind(method.get(KIND)?)) {
            // The objects of all namespaces are listed under a path without one.
            let scope = published.scopes.entry(kind).or_insert(Scope::Cluster);
            if is_namespaced {
                *scope = Scope::Namespaced;
            }
        }
    }
    Ok(())
}

/// Reads `{ group: apps, kind: Deployment, version: v1 }`.
fn kind(value: &Value) -> Option<(GroupKind, String)> {
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    Some((GroupKind::new(text("kind")?, text("group")?), text("version")?.to_owned()))
}
