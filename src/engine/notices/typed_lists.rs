//! Which lists of one kind, such as an HTTPRouteList, have an apiVersion or a kind that the target does not have?
//!
//! Their items are converted; the list around them is not, since no rule is about it.
//!
//! Invariant: nothing here changes anything.

use crate::engine::convert::{Remark, Targets};
use crate::engine::finding::{Code, Finding, Severity};
use crate::engine::manifest::Manifest;
use crate::syntax::field::FieldPath;

/// Reports the typed lists of a file that the target does not serve.
pub(crate) fn findings(manifest: &Manifest, targets: &Targets<'_>) -> Vec<Finding> {
    let found = manifest.typed_lists().filter_map(|(document, kind, api_version)| {
        let new_kind = targets.renames.get(&kind).map(|successor| successor.kind().clone());
        let target = targets.not_serving(&kind, &api_version.version);
        let served = || {
            let (kind, target) = (new_kind.as_ref().unwrap_or(&kind), target?);
            let version = target.pack.catalog(kind)?.served(target.release).first()?.name;
            Some(format!("apiVersion: {}/{version} and kind: {}List", kind.group, kind.kind))
        };
        if new_kind.is_none() && target.is_none() {
            return None;
        }
        let by_kind = served().map(|typed| format!(", or {typed}")).unwrap_or_default();
        let message = format!(
            "the list is a {}List of {api_version}, which the target does not have; its items are converted, the list is not",
            kind.kind
        );
        let help = format!("write apiVersion: v1 and kind: List there{by_kind}");
        let remark = Remark::new(Code::ReferenceNotUpdated, FieldPath::default().key("apiVersion"), message).help(help);
        Some(remark.finding_in_document(manifest, document, Severity::Unresolved))
    });
    found.collect()
}
