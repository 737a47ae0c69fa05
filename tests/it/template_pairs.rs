//! Templates of charts in which two conditions decide something together.

use super::templates::{CHART, says};
use crate::support::trees::Tree;

/// A rule that two fields break together, of which no pack says anything.
const CRD: &str = r#"
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: ciliuml2announcementpolicies.cilium.io
spec:
  group: cilium.io
  names: {kind: CiliumL2AnnouncementPolicy, plural: ciliuml2announcementpolicies, singular: ciliuml2announcementpolicy}
  scope: Cluster
  versions:
  - name: v2alpha1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            x-kubernetes-validations:
            - rule: "!has(self.externalIPs) || has(self.loadBalancerIPs)"
              message: external addresses alone
            properties:
              externalIPs: {type: boolean}
              loadBalancerIPs: {type: boolean}
              interfaces: {type: array, items: {type: string}}
"#;

const POLICY: &str = "\
apiVersion: cilium.io/v2alpha1
kind: CiliumL2AnnouncementPolicy
metadata:
  name: x
spec:
  {{- if .Values.external }}
  externalIPs: true
  {{- end }}
  interfaces:
  - eth0
  {{- if .Values.balancers }}
  loadBalancerIPs: true
  {{- end }}
";

#[test]
fn what_two_branches_break_together_in_the_crds_of_the_user_is_reported() {
    let files = [("crds/a.yaml", CRD), ("shop/Chart.yaml", CHART), ("shop/templates/a.yaml", POLICY)];
    let run = Tree::of(&files).run(&["check", "--to", "cilium@1.18", "--crds", "crds", "shop"]);
    run.check(1);
    says(&run, "shop/templates/a.yaml:5:1: held-back[invalid-in-target]", "external addresses alone");
}
