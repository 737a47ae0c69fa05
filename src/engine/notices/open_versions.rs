//! Which objects have an apiVersion that is known only after variables are substituted?
//!
//! Such an object belongs to no API for the run, so nothing else is said about it. A default that names an API of a target shows
//! what it is about: `${API:=networking.k8s.io/v1beta1}`.
//!
//! Invariant: nothing here changes anything.

use crate::engine::convert::{Remark, Targets};
use crate::engine::finding::{Code, Finding, Severity};
use crate::engine::manifest::{Manifest, Object};
use crate::syntax::field::FieldPath;
use crate::syntax::variable::OpenText;

/// Reports the objects of a file that could be of a target's API, by the default of a variable in their apiVersion.
pub(crate) fn findings(manifest: &Manifest, targets: &Targets<'_>) -> Vec<Finding> {
    let is_about = |object: &Object| {
        let version = object.value.get("apiVersion").filter(|version| OpenText::of(version).is_some());
        let Some(text) = version.and_then(|version| version.as_str()) else { return false };
        let mut kinds = targets.goal.targets.iter().flat_map(|target| target.pack.kinds());
        kinds.any(|kind| kind.kind == object.kind.kind && !kind.group.is_empty() && text.contains(&kind.group))
    };
    let finding = |object: &Object| {
        let path = FieldPath::default().key("apiVersion");
        let message = "it is known only after its variables are substituted, so the object is not converted".to_owned();
        let help = "write the apiVersion out here, and run again";
        Remark::new(Code::NotAnObject, path.clone(), format!("{path}: {message}")).help(help).finding(
            manifest,
            object,
            Severity::Unresolved,
        )
    };
    manifest.objects.iter().filter(|object| is_about(object)).map(finding).collect()
}
