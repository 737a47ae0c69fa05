//! Which objects would a kustomization give another namespace after the conversion?
//!
//! Kustomize knows by the schemas of one release of Kubernetes which kinds have no namespace, and by fixed paths which fields name one. An
//! object of another apiVersion can be of a kind that it does not know, or have its field at such a path.

use serde_json::Value;

use super::tied_files::{Id, TiedFiles};
use crate::engine::convert::Remark;
use crate::engine::finding::{Code, Finding};
use crate::knowledge::release::ApiVersion;
use crate::syntax::field::{Entries, FieldPath};

/// The kinds that Kustomize knows to have no namespace in these groups and versions alone, with their groups.
///
/// Source: Kustomize 5, its schema of Kubernetes 1.21.
const WITHOUT_NAMESPACE: [(&str, &[&str], &str, &str); 3] = [
    ("FlowSchema", &["flowcontrol.apiserver.k8s.io"], "flowcontrol.apiserver.k8s.io", "v1beta1"),
    ("PriorityLevelConfiguration", &["flowcontrol.apiserver.k8s.io"], "flowcontrol.apiserver.k8s.io", "v1beta1"),
    ("PodSecurityPolicy", &["extensions", "policy"], "policy", "v1beta1"),
];

/// The keys of the service of a CRD, whose namespace Kustomize replaces.
///
/// Source: Kustomize, the default field specifications of `namespace`.
const SERVICE: [&str; 5] = ["spec", "conversion", "webhook", "clientConfig", "service"];

/// Finds the objects to which kustomizations would give another namespace, or in which they would write one.
pub(crate) fn find(tied: &TiedFiles<'_>) -> Vec<(Id, Finding)> {
    let given = tied.objects().filter(|(_, manifest, _)| tied.run.namespaces().given(&manifest.file).next().is_some());
    let remark = |(id, file): (Id, &str)| {
        let (before, after) = (&tied.object(id).value, &tied.conversion(id)?.value);
        let message = if has_no_namespace(before) != has_no_namespace(after) {
            "a kustomization gives a namespace, and Kustomize knows in one of the two apiVersions only that objects of this kind have none"
        } else if namespace_of_service(before, tied, file) != namespace_of_service(after, tied, file) {
            "a kustomization gives a namespace, which Kustomize writes to the service of the webhook in one of the two apiVersions only"
        } else if is_replaced(before, after, tied, file) {
            "its conversion writes its namespace, and a kustomization gives it another one"
        } else {
            return None;
        };
        let help =
            "convert the object by hand; then the output of `kustomize build` must be the converted output from before";
        Some(tied.held(id, &Remark::new(Code::ConvertsTogether, FieldPath::default(), message).help(help)))
    };
    given.map(|(id, manifest, _)| (id, &*manifest.file)).filter_map(remark).collect()
}

/// Returns whether the conversion writes a namespace that a kustomization replaces.
fn is_replaced(before: &Value, after: &Value, tied: &TiedFiles<'_>, file: &str) -> bool {
    let namespace = |object: &Value| Some(object.get("metadata")?.text("namespace")?.to_owned());
    let written = namespace(after).filter(|written| namespace(before).as_ref() != Some(written));
    written.is_some_and(|written| !tied.run.namespaces().given(file).all(|given| given == written))
}

/// Returns whether Kustomize knows that an object has no namespace; nothing of kinds that it knows alike in all apiVersions.
fn has_no_namespace(object: &Value) -> Option<bool> {
    let (kind, version) = (object.text("kind")?, ApiVersion::parse(object.text("apiVersion")?));
    let is_one = |one: &&(&str, &[&str], &str, &str)| one.0 == kind && one.1.contains(&&*version.group);
    WITHOUT_NAMESPACE.iter().find(is_one).map(|(.., group, known)| version.group == *group && version.version == *known)
}

/// Returns the namespace that the service of a CRD has where Kustomize replaces it, unless it is the one that all kustomizations give.
fn namespace_of_service<'o>(object: &'o Value, tied: &TiedFiles<'_>, file: &str) -> Option<&'o str> {
    let service = SERVICE.iter().try_fold(object, |value, key| value.get(*key))?;
    let namespace = service.text("namespace").filter(|_| object.text("kind") == Some("CustomResourceDefinition"))?;
    (!tied.run.namespaces().given(file).all(|given| given == namespace)).then_some(namespace)
}
