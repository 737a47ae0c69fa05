//! Answers: which schemas does an OpenAPI document of an API server hold?
//!
//! Version 2 has all of them in one `swagger.json`, version 3 those of each API group in a document (`apis__apps__v1_openapi.json`);
//! a document says itself which it is. Both name the kind of a schema, and the paths show the scope of a kind.
//!
//! Invariant: documents of one release add up, whatever they share.

use anyhow::{Result, bail};
use serde_json::Value;

use super::published::Published;
use crate::knowledge::catalog::Scope;
use crate::knowledge::release::GroupKind;

/// The keyword that names the kinds of a schema, or the one of a path.
const KIND: &str = "x-kubernetes-group-version-kind";

/// Returns whether a file is an OpenAPI document of any version.
pub(super) fn is_document(file: &Value) -> bool {
    file.get("swagger").is_some() || file.get("openapi").is_some()
}

/// Adds the schemas of an OpenAPI document.
pub(super) fn add(document: &Value, published: &mut Published) -> Result<()> {
    let version =
        document.get("swagger").or_else(|| document.get("openapi")).and_then(Value::as_str).unwrap_or_default();
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;
    use crate::authoring::build::catalogs::Built;
    use crate::authoring::build::sample;

    const PACK: &str = "name: core\ntitle: Core\nsource: s\ngroups: ['', apps]\nreleases:\n- { bundle: v1.30.0 }\n- \
                        { bundle: v1.31.0 }\n";

    fn built(files: &[(&str, String)]) -> Result<Built> {
        let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
        sample::built(PACK, &files)
    }

    fn path(path: &str, group: &str, kind: &str) -> (String, Value) {
        (path.to_owned(), json!({"get": {KIND: {"group": group, "kind": kind, "version": "v1"}}}))
    }

    fn paths() -> Value {
        let paths = [
            path("/api/v1/namespaces/{name}", "", "Namespace"),
            path("/apis/apps/v1/namespaces/{namespace}/deployments/{name}", "apps", "Deployment"),
            path("/apis/apps/v1/watch/deployments", "apps", "Deployment"),
        ];
        Value::Object(paths.into_iter().collect())
    }

    /// Returns a document of version 2, in which a Deployment need not have a `spec`.
    fn swagger() -> Value {
        let named = |name: &str| json!({"$ref": format!("#/definitions/io.k8s.{name}")});
        let kind = |version: &str| {
            json!({
                "description": "A Deployment.",
                "properties": {
                    "apiVersion": {"type": "string"},
                    "kind": {"type": "string"},
                    "metadata": named("meta.v1.ObjectMeta"),
                    "spec": named("apps.v1.DeploymentSpec"),
                    "status": {"type": "object"},
                },
                "type": "object",
                KIND: [{"group": "apps", "kind": "Deployment", "version": version}],
            })
        };
        json!({
            "swagger": "2.0",
            "paths": paths(),
            "definitions": {
                "io.k8s.apps.v1.Deployment": kind("v1"),
                "io.k8s.apps.v1beta1.Deployment": kind("v1beta1"),
                "io.k8s.apps.v1.DeploymentList": {
                    "properties": {"items": {"type": "array"}, "metadata": named("meta.v1.ListMeta")},
                    KIND: [{"group": "apps", "kind": "DeploymentList", "version": "v1"}],
                },
                "io.k8s.apps.v1.DeploymentSpec": {
                    "properties": {
                        "containers": {
                            "items": named("core.v1.Container"),
                            "type": "array",
                            "x-kubernetes-patch-merge-key": "name",
                            "x-kubernetes-patch-strategy": "merge",
                        },
                        "free": named("runtime.RawExtension"),
                        "maxSurge": named("util.intstr.IntOrString"),
                        "schema": named("core.v1.Schema"),
                    },
                    "type": "object",
                },
                "io.k8s.core.v1.Container": {
                    "required": ["name"],
                    "properties": {
                        "limits": {"additionalProperties": named("api.resource.Quantity"), "type": "object"},
                        "name": {"type": "string", "description": "Its name."},
                        "protocol": {"type": "string", "enum": ["UDP", "TCP"], "default": "TCP"},
                    },
                    "type": "object",
                },
                "io.k8s.core.v1.Schema": {
                    "properties": {"not": named("core.v1.Schema"), "title": {"type": "string"}},
                    "type": "object",
                },
                "io.k8s.core.v1.Namespace": {
                    "properties": {"metadata": named("meta.v1.ObjectMeta")},
                    KIND: [{"group": "", "kind": "Namespace", "version": "v1"}],
                },
                "io.k8s.batch.v1.Job": {
                    "properties": {"metadata": named("meta.v1.ObjectMeta")},
                    KIND: [{"group": "batch", "kind": "Job", "version": "v1"}],
                },
                "io.k8s.meta.v1.DeleteOptions": {
                    "properties": {"orphanDependents": {"type": "boolean"}},
                    KIND: [{"group": "", "kind": "DeleteOptions", "version": "v1"}],
                },
                "io.k8s.meta.v1.ObjectMeta": {"type": "object"},
                "io.k8s.runtime.RawExtension": {"type": "object"},
                "io.k8s.api.resource.Quantity": {"type": "string"},
                "io.k8s.util.intstr.IntOrString": {"format": "int-or-string", "type": "string"},
            },
        })
    }

    /// Returns a document of version 3 with the same schemas as [`swagger`], in which a Deployment must have a `spec`.
    fn version_3() -> Value {
        let named = |name: &str| json!({"$ref": format!("#/components/schemas/io.k8s.{name}")});
        let with_default = |name: &str| json!({"allOf": [named(name)], "default": {}, "description": "Text."});
        let metadata = || with_default("meta.v1.ObjectMeta");
        json!({
            "openapi": "3.0.0",
            "paths": paths(),
            "components": {"schemas": {
                "io.k8s.apps.v1.Deployment": {
                    "required": ["spec"],
                    "properties": {"metadata": metadata(), "spec": with_default("apps.v1.DeploymentSpec")},
                    "type": "object",
                    KIND: [{"group": "apps", "kind": "Deployment", "version": "v1"}],
                },
                "io.k8s.apps.v1.DeploymentSpec": {
                    "properties": {
                        "containers": {
                            "items": with_default("core.v1.Container"),
                            "type": "array",
                            "x-kubernetes-list-map-keys": ["name"],
                            "x-kubernetes-list-type": "map",
                            "x-kubernetes-patch-merge-key": "name",
                            "x-kubernetes-patch-strategy": "merge",
                        },
                        "free": named("runtime.RawExtension"),
                        "maxSurge": named("util.intstr.IntOrString"),
                        "schema": named("core.v1.Schema"),
                    },
                    "type": "object",
                },
                "io.k8s.core.v1.Container": {
                    "required": ["name"],
                    "properties": {
                        "limits": {"additionalProperties": with_default("api.resource.Quantity"), "type": "object"},
                        "name": {"default": "", "type": "string"},
                        "protocol": {"default": "TCP", "enum": ["TCP", "UDP"], "type": "string"},
                    },
                    "type": "object",
                },
                "io.k8s.core.v1.Schema": {
                    "properties": {"not": named("core.v1.Schema"), "title": {"type": "string"}},
                    "type": "object",
                },
                "io.k8s.core.v1.Namespace": {
                    "properties": {"metadata": metadata()},
                    KIND: [{"group": "", "kind": "Namespace", "version": "v1"}],
                },
                "io.k8s.meta.v1.ObjectMeta": {"type": "object"},
                "io.k8s.runtime.RawExtension": {"type": "object"},
                "io.k8s.api.resource.Quantity": {"oneOf": [{"type": "string"}, {"type": "number"}]},
                "io.k8s.util.intstr.IntOrString": {
                    "format": "int-or-string",
                    "oneOf": [{"type": "integer"}, {"type": "string"}],
                },
            }},
        })
    }

    const NAMESPACE: &str = "kind\tNamespace
scope\tCluster\tv1.30.0..v1.31.0
served\tv1\tv1.30.0..v1.31.0
path\ttype\trequired\tattributes\tapiVersions\treleases
";

    const DEPLOYMENT: &str = "kind|Deployment.apps
scope|Namespaced|BOTH
served|v1|BOTH
unserved|v1beta1|v1.30.0
deprecated|v1beta1|v1.30.0
path|type|required|attributes|apiVersions|releases
spec|object||||BOTH
spec.containers|array||{\"mergeKey\":\"name\"}||BOTH
spec.containers[]|object||||BOTH
spec.containers[].limits|object||||BOTH
spec.containers[].limits{}|quantity||||BOTH
spec.containers[].name|string|required|||BOTH
spec.containers[].protocol|string||{\"enum\":[\"TCP\",\"UDP\"],\"default\":\"TCP\"}||BOTH
spec.free|object||{\"preserveUnknown\":true}||BOTH
spec.maxSurge|integer-or-string||||BOTH
spec.schema|object||||BOTH
spec.schema.not|object||{\"preserveUnknown\":true}||BOTH
spec.schema.title|string||||BOTH
";

    const KINDS: &str = "group\tkind\tapiVersion\tserved_by_default\tdeprecated\napps\tDeployment\tv1\t1.30..\t\napps\tDeployment\tv1beta1\t-\t1.16\n";

    #[test]
    fn documents_of_both_versions_make_the_same_catalogs() {
        let files = [
            ("kinds.tsv", KINDS.to_owned()),
            ("v1.30.0/swagger.json", swagger().to_string()),
            ("v1.31.0/apis__apps__v1_openapi.json", version_3().to_string()),
            // Documents of one release share schemas.
            ("v1.31.0/api__v1_openapi.json", version_3().to_string()),
        ];
        let built = built(&files).unwrap();
        let deployment = DEPLOYMENT.replace('|', "\t").replace("BOTH", "v1.30.0..v1.31.0");
        let expected = [("Deployment.apps.tsv", deployment), ("Namespace.tsv", NAMESPACE.to_owned())];
        assert_eq!(built.files, BTreeMap::from(expected.map(|(name, text)| (name.to_owned(), text))));
        assert!(built.notes.is_empty(), "{:?}", built.notes);
    }

    #[test]
    fn what_is_missing_is_named() {
        let refused = |files: &[(&str, String)], message: &str| {
            let error = format!("{:#}", built(files).unwrap_err());
            assert!(error.contains(message), "{error}");
        };
        let (mut broken, mut empty) = (swagger(), swagger());
        broken["definitions"].as_object_mut().unwrap().remove("io.k8s.core.v1.Container");
        empty["definitions"].as_object_mut().unwrap().remove("io.k8s.core.v1.Namespace");
        let file = |release: &str, document: &Value| (format!("v1.{release}.0/swagger.json"), document.to_string());
        let both = |document: &Value| [file("30", document), file("31", document)];
        let refused = |[(a, first), (b, second)]: [(String, String); 2], message: &str| {
            refused(&[(a.as_str(), first), (b.as_str(), second)], message);
        };
        refused(both(&broken), "there is no schema io.k8s.core.v1.Container");
        refused(both(&empty), "pack.yaml lists the group ``, but");
        refused([file("30", &swagger()), file("30", &swagger())], "pack.yaml lists v1.31.0, but");
        refused(both(&json!({"openapi": "4.0"})), "OpenAPI 4.0 is not supported");
    }
}
