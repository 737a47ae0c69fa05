//! Trees that once broke the law, each by name, and the repositories among the fixtures.

use super::law::{self, Counts, Violation};
use super::program;
use super::tree::{File, Tree};
use crate::support::root;

/// A handwritten tree: an overlay of a base, with the object of the base.
#[derive(Debug)]
pub(crate) struct Named {
    pub(crate) name: &'static str,
    to: &'static str,
    object: &'static str,
    /// The files of the overlay, each after a line `### path`; the first is its kustomization without `resources`.
    overlay: &'static str,
}

const POLICY: &str = "apiVersion: gateway.networking.k8s.io/v1alpha2
kind: BackendTLSPolicy
metadata:
  name: shop
spec:
  targetRef:
    group: \"\"
    kind: Service
    name: shop
  tls:
    hostname: shop.example.com
    wellKnownCACerts: System
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
data:
  name: other
  host: other.example.com
---
apiVersion: v1
kind: Service
metadata:
  name: shop
spec:
  ports:
  - port: 80
";

const GRANT: &str = "apiVersion: gateway.networking.k8s.io/v1alpha2
kind: ReferencePolicy
metadata:
  name: shop
spec:
  from:
  - group: gateway.networking.k8s.io
    kind: HTTPRoute
    namespace: edge
  to:
  - group: \"\"
    kind: Service
";

const ROUTE: &str = "apiVersion: gateway.networking.k8s.io/v1beta1
kind: HTTPRoute
metadata:
  name: shop
  annotations:
    team: shop
spec:
  parentRefs:
  - name: edge
  hostnames:
  - shop.example.com
  rules:
  - backendRefs:
    - name: shop
      port: 80
    - name: spare
      port: 81
";

const GATEWAY: &str = "apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata:
  name: edge
spec:
  gatewayClassName: edge
  backendTLS:
    clientCertificateRef:
      name: client
  listeners:
  - name: http
    port: 80
    protocol: HTTP
";

const BACKEND: &str = "gateway-api@1.4/experimental";
const TLS: &str = "gateway-api@1.4/standard";
const GRANTS: &str = "gateway-api@0.6/standard";
const V1: &str = "gateway-api@1.2/standard";

pub(crate) const NAMED: &[Named] = &[
    Named {
        name: "a JSON patch by a name that a patch before it writes",
        to: TLS,
        object: POLICY,
        overlay: "### kustomization.yaml
patches:
- target: {kind: BackendTLSPolicy}
  patch: |-
    - {op: replace, path: /metadata/name, value: renamed}
- target: {kind: BackendTLSPolicy, name: renamed}
  patch: |-
    - {op: replace, path: /spec/tls/hostname, value: other.example.com}
",
    },
    Named {
        name: "a JSON patch by the first name of what is renamed",
        to: TLS,
        object: POLICY,
        overlay: "### kustomization.yaml
patches:
- target: {kind: BackendTLSPolicy}
  patch: |-
    - {op: replace, path: /metadata/name, value: renamed}
- target: {kind: BackendTLSPolicy, name: shop}
  patch: |-
    - {op: replace, path: /spec/tls/hostname, value: other.example.com}
",
    },
    Named {
        name: "a merge patch by a name that a patch before it writes",
        to: TLS,
        object: POLICY,
        overlay: "### kustomization.yaml
patches:
- target: {kind: BackendTLSPolicy}
  patch: |-
    - {op: replace, path: /metadata/name, value: renamed}
- patch: |-
    apiVersion: gateway.networking.k8s.io/v1alpha2
    kind: BackendTLSPolicy
    metadata: {name: renamed}
    spec: {tls: {hostname: other.example.com}}
",
    },
    Named {
        name: "a merge patch by the first name of what is renamed",
        to: TLS,
        object: POLICY,
        overlay: "### kustomization.yaml
patches:
- target: {kind: BackendTLSPolicy}
  patch: |-
    - {op: replace, path: /metadata/name, value: renamed}
- patch: |-
    apiVersion: gateway.networking.k8s.io/v1alpha2
    kind: BackendTLSPolicy
    metadata: {name: shop}
    spec: {tls: {hostname: other.example.com}}
",
    },
    Named {
        name: "a patch before the one that writes its name",
        to: TLS,
        object: POLICY,
        overlay: "### kustomization.yaml
patches:
- target: {kind: BackendTLSPolicy, name: renamed}
  patch: |-
    - {op: replace, path: /spec/tls/hostname, value: other.example.com}
- target: {kind: BackendTLSPolicy}
  patch: |-
    - {op: replace, path: /metadata/name, value: renamed}
",
    },
    Named {
        name: "a patch that writes a kind",
        to: TLS,
        object: POLICY,
        overlay: "### kustomization.yaml
patches:
- target: {kind: BackendTLSPolicy}
  patch: |-
    - {op: replace, path: /kind, value: Other}
",
    },
    Named {
        name: "a JSON patch of a renamed field",
        to: TLS,
        object: POLICY,
        overlay: "### kustomization.yaml
patches:
- target: {kind: BackendTLSPolicy}
  patch: |-
    - op: replace
      path: /spec/tls/hostname
      value: shop.staging.example.com
",
    },
    Named {
        name: "a JSON patch whose value is in the old form",
        to: TLS,
        object: POLICY,
        overlay: "### kustomization.yaml
patches:
- target: {kind: BackendTLSPolicy}
  path: tls.json
### tls.json
[{\"op\": \"add\", \"path\": \"/spec/tls\", \"value\": {\"hostname\": \"b.example.com\", \"wellKnownCACerts\": \"System\"}}]
",
    },
    Named {
        name: "a JSON patch that adds to a wrapped list",
        to: TLS,
        object: POLICY,
        overlay: "### kustomization.yaml
patchesJson6902:
- target: {group: gateway.networking.k8s.io, version: v1alpha2, kind: BackendTLSPolicy, name: shop}
  patch: |-
    - {op: add, path: /spec/targetRef/sectionName, value: https}
",
    },
    Named {
        name: "a JSON patch that makes the object unconvertible",
        to: TLS,
        object: POLICY,
        overlay: "### kustomization.yaml
patches:
- target: {kind: BackendTLSPolicy}
  patch: |-
    - {op: add, path: /spec/targetRef/namespace, value: elsewhere}
",
    },
    Named {
        name: "one JSON patch adds what the next one tests",
        to: TLS,
        object: POLICY,
        overlay: "### kustomization.yaml
patches:
- target: {kind: BackendTLSPolicy}
  patch: |-
    - {op: add, path: /spec/targetRef/sectionName, value: https}
- target: {name: shop, version: v1alpha2}
  patch: |-
    - {op: test, path: /spec/targetRef/sectionName, value: https}
    - {op: move, from: /spec/targetRef/sectionName, path: /spec/tls/hostname}
",
    },
    Named {
        name: "a target of a renamed kind",
        to: GRANTS,
        object: GRANT,
        overlay: "### kustomization.yaml
patches:
- target: {kind: ReferencePolicy}
  patch: |-
    - {op: add, path: /spec/to/0/name, value: shop}
",
    },
    Named {
        name: "a target with a pattern for a renamed kind",
        to: GRANTS,
        object: GRANT,
        overlay: "### kustomization.yaml
patches:
- target: {kind: ReferencePol.*}
  patch: |-
    - {op: add, path: /spec/to/0/name, value: shop}
",
    },
    Named {
        name: "a target with a pattern for the version",
        to: V1,
        object: ROUTE,
        overlay: "### kustomization.yaml
patches:
- target: {version: v1beta.*, kind: HTTPRoute}
  patch: |-
    - {op: remove, path: /spec/rules/0/backendRefs/1}
",
    },
    Named {
        name: "a target with a version and an annotation",
        to: V1,
        object: ROUTE,
        overlay: "### kustomization.yaml
patches:
- target: {version: v1beta1, annotationSelector: team=shop}
  patch: |-
    - {op: remove, path: /spec/rules/0/backendRefs/1}
",
    },
    Named {
        name: "a JSON patch that tests the apiVersion",
        to: V1,
        object: ROUTE,
        overlay: "### kustomization.yaml
patches:
- target: {kind: HTTPRoute}
  patch: |-
    - {op: test, path: /apiVersion, value: gateway.networking.k8s.io/v1beta1}
    - {op: remove, path: /spec/rules/0/backendRefs/1}
",
    },
    Named {
        name: "a replacement of a renamed field",
        to: TLS,
        object: POLICY,
        overlay: "### kustomization.yaml
replacements:
- path: host.yaml
### host.yaml
source: {kind: ConfigMap, name: settings, fieldPath: data.host}
targets:
- select: {kind: BackendTLSPolicy}
  fieldPaths: [spec.tls.hostname]
",
    },
    Named {
        name: "a replacement of a field that is in a list now",
        to: TLS,
        object: POLICY,
        overlay: "### kustomization.yaml
replacements:
- source: {kind: ConfigMap, name: settings, fieldPath: data.name}
  targets:
  - select: {kind: BackendTLSPolicy}
    fieldPaths: [spec.targetRef.name]
",
    },
    Named {
        name: "a replacement that selects by version",
        to: V1,
        object: ROUTE,
        overlay: "### kustomization.yaml
replacements:
- source: {kind: HTTPRoute, version: v1beta1, fieldPath: metadata.name}
  targets:
  - select: {kind: HTTPRoute, version: v1beta1}
    fieldPaths: [\"spec.rules.*.backendRefs.[name=spare].name\"]
",
    },
    Named {
        name: "a replacement that rejects by version",
        to: V1,
        object: ROUTE,
        overlay: "### kustomization.yaml
replacements:
- source: {kind: HTTPRoute, fieldPath: metadata.annotations.team}
  targets:
  - select: {kind: HTTPRoute}
    reject: [{version: v1beta1}]
    fieldPaths: [spec.hostnames.0]
",
    },
    Named {
        name: "a replacement from a renamed field",
        to: TLS,
        object: POLICY,
        overlay: "### kustomization.yaml
replacements:
- source: {kind: BackendTLSPolicy, name: shop, fieldPath: spec.tls.hostname}
  targets:
  - select: {kind: ConfigMap}
    fieldPaths: [data.host]
",
    },
    Named {
        name: "a variable from a renamed field",
        to: TLS,
        object: POLICY,
        overlay: "### kustomization.yaml
resources: [../base, client.yaml]
vars:
- name: HOST
  objref: {apiVersion: gateway.networking.k8s.io/v1alpha2, kind: BackendTLSPolicy, name: shop}
  fieldref: {fieldpath: spec.tls.hostname}
### client.yaml
apiVersion: v1
kind: Pod
metadata: {name: client}
spec:
  containers:
  - {name: client, image: example.com/client, args: [$(HOST)]}
",
    },
    Named {
        name: "a configuration of a name in a wrapped list",
        to: TLS,
        object: POLICY,
        overlay: "### kustomization.yaml
namePrefix: live-
configurations: [names.yaml]
### names.yaml
nameReference:
- kind: Service
  version: v1
  fieldSpecs:
  - {kind: BackendTLSPolicy, path: spec/targetRef/name}
",
    },
    Named {
        name: "a configuration that names the version",
        to: V1,
        object: ROUTE,
        overlay: "### kustomization.yaml
commonAnnotations: {owner: shop}
configurations: [owner.yaml]
### owner.yaml
commonAnnotations:
- {group: gateway.networking.k8s.io, version: v1beta1, kind: HTTPRoute, path: metadata/labels, create: true}
",
    },
    Named {
        name: "fields of labels",
        to: V1,
        object: ROUTE,
        overlay: "### kustomization.yaml
labels:
- pairs: {owner: shop}
  fields:
  - {version: v1beta1, kind: HTTPRoute, path: metadata/annotations, create: true}
",
    },
    Named {
        name: "a PatchTransformer",
        to: V1,
        object: ROUTE,
        overlay: "### kustomization.yaml
transformers: [patch.yaml]
### patch.yaml
apiVersion: builtin
kind: PatchTransformer
metadata: {name: patch}
target: {version: v1beta1, kind: HTTPRoute}
patch: |-
  - {op: remove, path: /spec/rules/0/backendRefs/1}
",
    },
    Named {
        name: "a PatchJson6902Transformer",
        to: TLS,
        object: POLICY,
        overlay: "### kustomization.yaml
transformers: [patch.yaml]
### patch.yaml
apiVersion: builtin
kind: PatchJson6902Transformer
metadata: {name: patch}
target: {group: gateway.networking.k8s.io, version: v1alpha2, kind: BackendTLSPolicy, name: shop}
path: ops.yaml
### ops.yaml
- {op: replace, path: /spec/tls/hostname, value: other.example.com}
",
    },
    Named {
        name: "a PatchStrategicMergeTransformer",
        to: TLS,
        object: POLICY,
        overlay: "### kustomization.yaml
transformers: [patch.yaml]
### patch.yaml
apiVersion: builtin
kind: PatchStrategicMergeTransformer
metadata: {name: patch}
patches: |-
  apiVersion: gateway.networking.k8s.io/v1alpha2
  kind: BackendTLSPolicy
  metadata: {name: shop}
  spec: {tls: {hostname: other.example.com}}
",
    },
    Named {
        name: "a ReplacementTransformer",
        to: TLS,
        object: POLICY,
        overlay: "### kustomization.yaml
transformers: [replacement.yaml]
### replacement.yaml
apiVersion: builtin
kind: ReplacementTransformer
metadata: {name: replacement}
replacements:
- source: {kind: ConfigMap, name: settings, fieldPath: data.host}
  targets:
  - select: {kind: BackendTLSPolicy}
    fieldPaths: [spec.tls.hostname]
",
    },
    Named {
        name: "a schema with a merge key",
        to: V1,
        object: ROUTE,
        overlay: "### kustomization.yaml
openapi: {path: schema.json}
patches: [{path: merge.yaml}]
### schema.json
{\"definitions\": {\"io.k8s.networking.gateway.v1beta1.HTTPRoute\": {
  \"x-kubernetes-group-version-kind\": [{\"group\": \"gateway.networking.k8s.io\", \"version\": \"v1beta1\", \"kind\": \"HTTPRoute\"}],
  \"type\": \"object\", \"properties\": {\"spec\": {\"type\": \"object\", \"properties\": {\"parentRefs\": {
    \"type\": \"array\", \"x-kubernetes-patch-merge-key\": \"name\", \"x-kubernetes-patch-strategy\": \"merge\",
    \"items\": {\"type\": \"object\", \"properties\": {\"name\": {\"type\": \"string\"}}}}}}}}}}
### merge.yaml
apiVersion: gateway.networking.k8s.io/v1beta1
kind: HTTPRoute
metadata: {name: shop}
spec:
  parentRefs:
  - name: inner
",
    },
    Named {
        name: "a merge patch that sets one field of a wrapped list",
        to: TLS,
        object: POLICY,
        overlay: "### kustomization.yaml
patches:
- patch: |-
    apiVersion: gateway.networking.k8s.io/v1alpha2
    kind: BackendTLSPolicy
    metadata: {name: shop}
    spec: {targetRef: {sectionName: https}}
",
    },
    Named {
        name: "a merge patch that removes a moved mapping",
        to: BACKEND,
        object: GATEWAY,
        overlay: "### kustomization.yaml
patches:
- patch: |-
    apiVersion: gateway.networking.k8s.io/v1
    kind: Gateway
    metadata: {name: edge}
    spec: {backendTLS: null}
",
    },
    Named {
        name: "a JSON patch that replaces a moved mapping",
        to: BACKEND,
        object: GATEWAY,
        overlay: "### kustomization.yaml
patches:
- target: {kind: Gateway}
  patch: |-
    - {op: replace, path: /spec/backendTLS, value: {clientCertificateRef: {name: other}}}
",
    },
];

const REPOSITORY: &str = "apiVersion: image.toolkit.fluxcd.io/v1beta1
kind: ImageRepository
metadata:
  name: web
spec:
  image: example.com/web
";

const SECRET: &str = "apiVersion: external-secrets.io/v1beta1
kind: ExternalSecret
metadata:
  name: web
spec:
  secretStoreRef:
    name: REPLACE_ME
  target:
    name: web
  data:
  - secretKey: a
    remoteRef:
      key: b
";

/// Trees whose base the target does not accept, unlike what the overlay makes of it: only that is compared.
pub(crate) const COMPLETED: &[Named] = &[
    Named {
        name: "a JSON patch that adds what the target requires",
        to: "flux@2.9",
        object: REPOSITORY,
        overlay: "### kustomization.yaml
patches:
- target: {kind: ImageRepository}
  patch: |-
    - {op: add, path: /spec/interval, value: 5m}
",
    },
    Named {
        name: "a merge patch that adds what the target requires",
        to: "flux@2.9",
        object: REPOSITORY,
        overlay: "### kustomization.yaml
patches:
- path: patch.yaml
### patch.yaml
apiVersion: image.toolkit.fluxcd.io/v1beta1
kind: ImageRepository
metadata: {name: web}
spec: {interval: 5m}
",
    },
    Named {
        name: "a replacement that adds what the target requires",
        to: "flux@2.9",
        object: REPOSITORY,
        overlay: "### kustomization.yaml
resources: [../base, facts.yaml]
replacements:
- source: {kind: ConfigMap, name: facts, fieldPath: data.interval}
  targets:
  - select: {kind: ImageRepository}
    fieldPaths: [spec.interval]
    options: {create: true}
### facts.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: facts}
data: {interval: 5m}
",
    },
    Named {
        name: "a JSON patch that replaces a placeholder",
        to: "external-secrets@2.9",
        object: SECRET,
        overlay: "### kustomization.yaml
patches:
- target: {kind: ExternalSecret}
  patch: |-
    - {op: replace, path: /spec/secretStoreRef/name, value: vault}
",
    },
];

/// Tries the law on a handwritten tree of which the target accepts only what the overlay builds, which must be converted.
///
/// # Errors
/// How the law is broken.
pub(crate) fn check_completed(named: &Named) -> Result<(), Violation> {
    let counts = check_roots(named, &["overlay"])?;
    let text = format!("{} is not converted: {:?}", named.name, counts.reasons);
    if counts.clean == 1 && counts.converted == 1 { Ok(()) } else { Err(Violation { fault: law::Fault::Run, text }) }
}

/// Repositories among the fixtures, with the target.
pub(crate) const FIXTURES: &[(&str, &str)] = &[
    ("kustomize", "gateway-api@1.0/standard"),
    ("kustomize", "gateway-api@1.6/standard"),
    ("repos/shop-1.0-experimental", "gateway-api@1.6/experimental"),
    ("repos/shop-1.0-experimental", "gateway-api@1.2/experimental"),
];

/// Tries the law on a handwritten tree.
///
/// # Errors
/// How the law is broken.
pub(crate) fn check(named: &Named) -> Result<Counts, Violation> {
    check_roots(named, &["base", "overlay"])
}

fn check_roots(named: &Named, roots: &[&str]) -> Result<Counts, Violation> {
    let files = named.overlay.split("### ").skip(1).map(|part| {
        let (path, content) = part.split_once('\n').expect("a path ends its line");
        (format!("overlay/{path}"), content.to_owned())
    });
    let base = [("base/kustomization.yaml", "resources: [object.yaml]\n"), ("base/object.yaml", named.object)];
    let base = base.map(|(path, content)| (path.to_owned(), content.to_owned()));
    let files = base.into_iter().chain(files).map(|(path, mut content)| {
        if path == "overlay/kustomization.yaml" && !content.contains("resources:") {
            content.insert_str(0, "resources: [../base]\n");
        }
        (path, File::Text(content))
    });
    let roots = roots.iter().map(|root| (*root).to_owned()).collect();
    let tree = Tree { files: files.collect(), roots, from: None, to: named.to.to_owned() };
    let counts = law::check(&tree)?;
    if counts.unbuilt > 0 {
        return Err(Violation {
            fault: law::Fault::Run,
            text: format!("it cannot be built before\n{}", tree.listing()),
        });
    }
    Ok(counts)
}

/// Tries the law on a copy of a fixture.
///
/// # Errors
/// How the law is broken.
pub(crate) fn check_fixture(folder: &str, to: &str) -> Result<Counts, Violation> {
    let source = root().join("fixtures").join(folder);
    let copy = tempfile::TempDir::new().expect("a temporary folder can be made");
    let mut roots = Vec::new();
    for (path, bytes) in program::read(&source) {
        let place = copy.path().join(&path);
        std::fs::create_dir_all(place.parent().expect("a file is in a folder")).expect("the folder can be written");
        std::fs::write(place, bytes).expect("the file can be written");
        roots.extend(path.strip_suffix("kustomization.yaml").map(str::to_owned));
    }
    law::check_folder(copy.path(), &roots, None, to)
}
