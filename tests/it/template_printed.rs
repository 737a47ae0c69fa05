//! Raw objects in values: they are converted where a template prints each as a document, whatever the key is.

use super::templates::{converts, held};
use crate::support::trees::Tree;

/// Returns values with an Ingress, before or after, under a key.
fn values(backend: &str, version: &str) -> String {
    format!(
        "=== values.yaml\nshop:\n  more:\n  - apiVersion: networking.k8s.io/{version}\n    kind: Ingress\n    metadata: {{name: x}}\n    spec:\n{backend}  - apiVersion: v1\n    kind: ConfigMap\n    metadata: {{name: y}}\n"
    )
}

/// Checks that the objects are converted that a template prints, with further files.
#[track_caller]
fn printed(template: &str, rest: &str) {
    let before = values("      backend: {serviceName: a, servicePort: 80}\n", "v1beta1");
    let after = values("      defaultBackend: {service: {name: a, port: {number: 80}}}\n", "v1");
    converts(&format!("{template}{before}{rest}"), &format!("{template}{after}{rest}"));
}

/// Checks that they are told.
#[track_caller]
fn told(template: &str, rest: &str) {
    let before = values("      backend: {serviceName: a, servicePort: 80}\n", "v1beta1");
    held(
        &format!("{template}{before}{rest}"),
        "values.yaml:3:3: unresolved[not-an-object]",
        "Ingress x, at shop.more[0]",
    );
}

/// The definition of a library that prints a text or data.
const RENDER: &str = r#"=== charts/common/Chart.yaml
apiVersion: v2
name: common
version: 1.0.0
type: library
=== charts/common/templates/_render.tpl
{{/* Usage: {{ include "common.tplvalues.render" ( dict "value" .Values.path.to.the.Value "context" $) }} */}}
{{- define "common.tplvalues.render" -}}
{{- $value := typeIs "string" .value | ternary .value (.value | toYaml) }}
{{- if contains "{{" (toJson .value) }}
  {{- if .scope }}
      {{- tpl (cat "{{- with $.RelativeScope -}}" $value "{{- end }}") (merge (dict "RelativeScope" .scope) .context) }}
  {{- else }}
    {{- tpl $value .context }}
  {{- end }}
{{- else }}
    {{- $value }}
{{- end }}
{{- end -}}
"#;

#[test]
fn objects_are_converted_that_a_range_prints_as_documents() {
    for template in [
        "{{- range .Values.shop.more }}\n---\n{{ toYaml . }}\n{{- end }}\n",
        "{{ range $key, $object := .Values.shop.more }}\n---\n{{ tpl (toYaml $object) $ }}\n{{ end }}\n",
        "{{ with .Values.shop.more }}{{ range . }}\n{{ . | toYaml | nindent 0 }}\n---\n{{ end }}{{ end }}\n",
        "{{- if gt (len .Values.shop.more) 0 }}\n{{- range .Values.shop.more }}\n---\n{{- if typeIs \"string\" . }}\n{{ tpl . $ }}\n{{- else }}\n{{ tpl (toYaml .) $ }}\n{{- end }}\n{{- end }}\n{{- end }}\n",
        "{{- $all := .Values.shop.more }}\n{{- range $all }}\n---\n{{- toYaml . | nindent 0 }}\n{{- end }}\n",
    ] {
        printed(template, "");
    }
    let by_library = "{{- range .Values.shop.more }}\n---\n{{ include \"common.tplvalues.render\" (dict \"value\" . \"context\" $) }}\n{{- end }}\n";
    printed(by_library, RENDER);
    printed(by_library, "");
}

#[test]
fn objects_of_a_mapping_are_converted_that_a_range_prints() {
    let text = |version: &str, backend: &str| {
        format!(
            "{{{{- range .Values.more }}}}\n---\n{{{{ toYaml . }}}}\n{{{{- end }}}}\n=== values.yaml\nmore:\n  first:\n    apiVersion: networking.k8s.io/{version}\n    kind: Ingress\n    metadata: {{name: x}}\n    spec: {{{backend}}}\n"
        )
    };
    converts(
        &text("v1beta1", "backend: {serviceName: a, servicePort: 80}"),
        &text("v1", "defaultBackend: {service: {name: a, port: {number: 80}}}"),
    );
}

#[test]
fn objects_are_told_that_a_template_prints_in_part_or_looks_at() {
    for template in [
        "{{- range .Values.shop.more }}\n---\n{{- if eq .kind \"Ingress\" }}\n{{ toYaml . }}\n{{- end }}\n{{- end }}\n",
        "{{- range .Values.shop.more }}\n---\n{{ toYaml .spec }}\n{{- end }}\n",
        "{{- range .Values.shop.more }}\n---\n{{ toYaml . }}\n{{- end }}\n# {{ (index .Values.shop.more 0).spec.backend.serviceName }}\n",
        "{{- range .Values.shop.more }}\n{{ toYaml . }}\n{{- end }}\n",
        "{{- range .Values.shop.more }}\n---\n{{ toYaml . | replace \"a\" \"b\" }}\n{{- end }}\n",
        "{{- range .Values.shop.more }}\n---\n{{ toYaml (merge . $.Values.common) }}\n{{- end }}\n",
        "{{- range .Values.shop.more }}\n---\n{{ toYaml . }}\n{{- end }}\n---\ndata: {{ toJson .Values.shop }}\n",
        "data: 1\n{{- range .Values.shop.more }}\n{{ toYaml . }}\n---\n{{- end }}\n",
        "{{- range .Values.shop.more }}\n---\n{{ include \"one\" . }}\n{{- end }}\n{{- define \"one\" }}{{ if eq .kind \"Job\" }}{{ else }}{{ toYaml . }}{{ end }}{{ end }}\n",
        "{{- define \"all\" }}{{- range .Values.shop.more }}\n---\n{{ toYaml . }}\n{{- end }}{{ end }}\n",
    ] {
        told(template, "");
    }
    let prints = "{{- range .Values.shop.more }}\n---\n{{ toYaml . }}\n{{- end }}\n";
    told(
        prints,
        "=== templates/b.yaml\n{{- range .Values.shop.more }}\n# {{ .spec.backend.serviceName }}\n{{- end }}\n",
    );
}

#[test]
fn objects_are_converted_where_there_is_no_room_to_keep_what_was_read() {
    let large = format!(
        "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata:\n  name: a\n  annotations:\n    note: {}\nspec: {{defaultBackend: {{service: {{name: a, port: {{number: 80}}}}}}}}\n",
        "x".repeat(2 << 20)
    );
    let values = |backend, version| values(backend, version).replace("=== values.yaml\n", "");
    let before = values("      backend: {serviceName: a, servicePort: 80}\n", "v1beta1");
    let tree = Tree::of(&[
        ("a.yaml", &large),
        ("chart/Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.0.0\n"),
        ("chart/templates/all.yaml", "{{- range .Values.shop.more }}\n---\n{{ toYaml . }}\n{{- end }}\n"),
        ("chart/values.yaml", &before),
    ]);
    tree.run(&["apply", "--yes", "--allow-no-vcs", "-j", "1", "--to", "kubernetes@1.33"]).check(0);
    let after = values("      defaultBackend: {service: {name: a, port: {number: 80}}}\n", "v1");
    assert_eq!(tree.text("chart/values.yaml"), after);
}
