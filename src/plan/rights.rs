//! Answers: which rights and webhooks name a kind by its resource, and the run gives that kind another name?
//!
//! Roles and webhook configurations name what they are about in mappings with `apiGroups` and `resources`. Such a mapping is
//! no reference to an object: others may need the old name for as long as the cluster serves it. So it stays, and is told.
//!
//! Invariant: nothing here changes anything.

use serde_json::{Map, Value};

use super::references::{Retypes, walk};
use super::{Remark, finding};
use crate::field::Spot;
use crate::finding::{Code, Finding, Severity};
use crate::manifest::{Manifest, Object};
use crate::release::GroupKind;

/// Tells the mappings of `object` that name a kind in `retypes`.
pub(super) fn findings(manifest: &Manifest, object: &Object, retypes: &Retypes) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut visit = |spot: &Spot<'_>, map: &Map<String, Value>| {
        if !map.contains_key("apiGroups") {
            return;
        }
        for (kind, successor) in retypes.iter().filter(|(kind, _)| names(map, kind)) {
            let path = spot.path();
            let (old, new) = (resource(kind), resource(successor.kind()));
            let message = format!("{path} names {old}, which become {new}; it is not changed");
            let help = Some(format!("name {new} beside or instead of {old}, by hand"));
            let remark = Remark { code: Code::ReferenceKept, path, message, help };
            found.push(finding(manifest, object, &remark, Severity::Warning));
        }
    };
    for (key, value) in object.value.as_object().into_iter().flatten() {
        walk(value, &Spot::key(None, key), &mut visit);
    }
    found
}

/// Says whether a mapping such as `{ apiGroups: [gateway.networking.k8s.io], resources: [gateways, gateways/status] }` names
/// `kind`.
fn names(map: &Map<String, Value>, kind: &GroupKind) -> bool {
    let texts = |key: &str| map.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let plural = plural(&kind.kind);
    texts("apiGroups").any(|group| group == kind.group)
        && texts("resources").any(|resource| resource.split('/').next() == Some(plural.as_str()))
}

/// Returns the name that the API server gives the kind's resource, with its group: `gateways.gateway.networking.k8s.io`.
fn resource(kind: &GroupKind) -> String {
    format!("{}.{}", plural(&kind.kind), kind.group)
}

/// Returns the plural that projects give a kind's name: `referencepolicies`, `gateways`, `gatewayclasses`.
fn plural(kind: &str) -> String {
    let name = kind.to_lowercase();
    let vowel_before_last = name.bytes().rev().nth(1).is_some_and(|byte| b"aeiou".contains(&byte));
    match name.strip_suffix('y') {
        Some(stem) if !vowel_before_last => format!("{stem}ies"),
        _ if name.ends_with('s') => format!("{name}es"),
        _ => format!("{name}s"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{names, plural};
    use crate::release::GroupKind;

    #[test]
    fn resources_are_named_as_projects_name_them() {
        let names = ["Gateway", "ReferencePolicy", "GatewayClass", "XListenerSet"].map(plural);
        assert_eq!(names, ["gateways", "referencepolicies", "gatewayclasses", "xlistenersets"]);
    }

    #[test]
    fn a_mapping_names_a_kind_by_group_and_resource() {
        let kind = GroupKind::new("XListenerSet", "gateway.networking.x-k8s.io");
        let check = |map: Value| names(map.as_object().expect("a mapping"), &kind);
        assert!(check(json!({"apiGroups": ["", kind.group], "resources": ["pods", "xlistenersets/status"]})));
        assert!(!check(json!({"apiGroups": ["example.com"], "resources": ["xlistenersets"]})));
        assert!(!check(json!({"apiGroups": [kind.group], "resources": ["xbackends"]})));
    }
}
