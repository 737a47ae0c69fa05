//! Raw objects in values: they are converted where a template prints each as a document, whatever the key is.

use super::templates::{converts, converts_in_part, held};
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
fn objects_in_texts_are_converted_that_a_range_prints() {
    let text = |action: &str, version: &str| {
        format!(
            "{{{{- range .Values.extraManifests }}}}\n---\n{{{{ {action} }}}}\n{{{{- end }}}}\n=== values.yaml\nextraManifests:\n- |\n  apiVersion: policy/{version} # a\n  kind: PodDisruptionBudget\n  metadata: {{name: x}}\n  spec: {{minAvailable: 1, selector: {{matchLabels: {{a: b}}}}}}\n"
        )
    };
    for action in [".", "tpl . $", "tpl . $ | nindent 0"] {
        converts(&text(action, "v1beta1"), &text(action, "v1"));
    }
    held(
        &text(". | replace \"a\" \"b\"", "v1beta1"),
        "values.yaml:2:1: unresolved[not-an-object]",
        "PodDisruptionBudget in a text",
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
        "{{- range .Values.shop.more }}\n{{- if not (contains \"serviceName\" (toYaml .)) }}\n---\n{{ toYaml . }}\n{{- end }}\n{{- end }}\n",
        "{{- range .Values.shop.more }}\n---\n{{ include \"one\" . }}\n{{- end }}\n{{- define \"one\" }}{{ if hasKey . \"status\" }}{{ else }}{{ toYaml . }}{{ end }}{{ end }}\n",
        "apiVersion: v1\nkind: List\nmetadata: {name: a}\nitems:\n{{ toYaml .Values.shop.more }}\n",
        "data:\n{{ toYaml .Values.shop.more }}\n",
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

/// A template that prints the objects.
const PRINTS: &str = "{{- range .Values.shop.more }}\n---\n{{ toYaml . }}\n{{- end }}\n";

#[test]
fn objects_are_told_whose_key_is_used_otherwise() {
    for used in [
        "{{ (last (get .Values \"shop\").more).kind }}",
        "{{ (index .Values \"shop\" \"more\" 1).kind }}",
        "{{ (last (pluck \"shop\" .Values | first).more).kind }}",
        "{{ (last (dig \"shop\" \"more\" list .Values.AsMap)).kind }}",
        "{{ range $key, $value := .Values }}{{ $key }}: {{ toJson $value }}{{ end }}",
        "{{ .Values | toJson | quote }}",
        "{{ $all := .Values }}{{ toJson $all }}",
        "{{ $all := dict \"root\" . }}{{ toJson $all.root.Values }}",
        "{{ $all := dict \"root\" . }}{{ toJson $all }}",
        "{{ with .Values }}{{ toJson .shop }}{{ end }}",
        "{{ block \"b\" .Values }}{{ toJson .shop }}{{ end }}",
        "{{ $_ := set .Values \"a\" 1 }}{{ toJson .Values }}",
        "{{ $_ := set .Values.shop \"more\" list }}",
        "{{ .Values.YAML }}",
        "{{ include \"h\" .Values }}{{ define \"h\" }}{{ (last .shop.more).kind }}{{ end }}",
        "{{ include (print \"h\" 1) .Values }}{{ define \"h1\" }}{{ (last .shop.more).kind }}{{ end }}",
        "{{ include \"h\" (dict \"all\" .) }}{{ define \"h\" }}{{ include \"i\" .all }}{{ end }}{{ define \"i\" }}{{ toJson .Values }}{{ end }}",
        "{{ include \"elsewhere\" . }}",
        "{{ include \"elsewhere\" (dict \"root\" $) }}",
    ] {
        told(PRINTS, &format!("=== templates/other.yaml\n{used}\n"));
    }
}

#[test]
fn objects_are_told_that_other_files_of_the_chart_look_at() {
    let printed = |text: &str| format!("=== templates/other.yaml\na: {{{{ tpl {text} . }}}}\n");
    let looks = "{{ (last .Values.shop.more).kind }}";
    told(PRINTS, &format!("text: \"{looks}\"\n{}", printed(".Values.text")));
    told(PRINTS, &format!("{}=== files/a.txt\n{looks}\n", printed("(.Files.Get \"files/a.txt\")")));
    told(PRINTS, &format!("=== templates/NOTES.txt\n{looks}\n"));
    told(
        PRINTS,
        "=== values.schema.json\n{\"properties\": {\"shop\": {\"properties\": {\"more\": {\"items\": {\"properties\": {\"apiVersion\": {\"enum\": [\"v1\"]}}}}}}}}\n",
    );
    let library = format!(
        "=== charts/lib/Chart.yaml\napiVersion: v2\nname: lib\nversion: 1.0.0\ntype: library\n=== charts/lib/templates/_h.tpl\n{{{{- define \"lib.kind\" }}}}{looks}{{{{ end }}}}\n"
    );
    told(PRINTS, &format!("=== templates/other.yaml\na: {{{{ include \"lib.kind\" . }}}}\n{library}"));
}

#[test]
fn objects_are_converted_beside_uses_of_other_keys() {
    for used in [
        "{{ get .Values \"name\" }}{{ index .Values \"other-name\" \"a\" }}{{ dig \"a\" \"b\" \"\" .Values.other }}",
        "{{ include \"h\" . }}{{ define \"h\" }}{{ .Values.name | default .Chart.Name }}{{ end }}",
        "{{ $all := dict \"root\" . \"name\" \"a\" }}{{ include \"h\" $all }}{{ define \"h\" }}{{ .root.Values.name }}{{ .more }}{{ end }}",
        "{{ $root := . }}{{ with $root.Values.other }}{{ toJson . }}{{ end }}",
        "{{ $_ := set .Values \"name\" (default \"a\" .Values.name) }}{{ .Values.name }}",
        "{{ tpl .Values.text . }}{{ include (print $.Template.BasePath \"/a.yaml\") . | sha256sum }}",
        "{{ tpl (.Files.Get \"files/a.txt\") . }}",
        "{{ if or .Values.shop (hasKey .Values.shop \"more\") }}{{ len .Values.shop.more }}{{ end }}",
        "{{ range $key, $value := .Values.others }}{{ toJson $value }}{{ end }}",
    ] {
        printed(
            PRINTS,
            &format!(
                "text: \"{{{{ .Values.name }}}}\"\n=== templates/other.yaml\n# {used}\n=== files/a.txt\n{{{{ .Values.name }}}}\n=== README.md\n{{{{ .Values.shop }}}}\n=== templates/NOTES.txt\n{{{{ .Values.name }}}}\n=== values.schema.json\n{{\"properties\": {{\"shop\": {{\"type\": \"object\", \"properties\": {{\"more\": {{\"type\": \"array\", \"items\": {{\"type\": \"object\"}}}}}}}}}}}}\n"
            ),
        );
    }
}

#[test]
fn objects_are_converted_that_other_forms_print() {
    for template in [
        "{{- range .Values.shop.more }}\n{{- if .metadata.name }}\n---\n{{ toYaml . }}\n{{- end }}\n{{- end }}\n",
        "{{- range .Values.shop.more }}\n---\n{{- if contains \"{{\" (toYaml .) }}\n{{ tpl (toYaml .) $ }}\n{{- else }}\n{{ toYaml . }}\n{{- end }}\n{{- end }}\n",
        "apiVersion: v1\nkind: List\nitems:\n{{ toYaml .Values.shop.more }}\n",
        "{{- if .Values.shop.more }}\napiVersion: v1\nkind: List\nitems: {{- tpl (toYaml .Values.shop.more) $ | nindent 2 }}\n{{- end }}\n",
        "{{- range .Values.shop.more | default list }}\n---\n{{ toYaml . }}\n{{- end }}\n",
        "{{- range $at, $one := .Values.shop.more }}\n{{- if $at }}\n---\n{{- end }}\n{{ toYaml $one }}\n{{- end }}\n",
        "{{- $all := .Values.shop.more | default (list) -}}\n{{- if kindIs \"map\" $all -}}\n{{- $all = values $all -}}\n{{- end -}}\n{{- range $all }}\n---\n{{- if kindIs \"map\" . }}\n{{- tpl (toYaml .) $ | nindent 0 }}\n{{- else }}\n{{- tpl . $ | nindent 0 }}\n{{- end }}\n{{- end }}\n",
        "{{ include \"all\" . }}\n{{- define \"all\" }}\n{{- range .Values.shop.more }}\n---\n{{ toYaml . }}\n{{- end }}\n{{- end }}\n",
    ] {
        printed(template, "");
    }
    told(
        "a: {{ include \"all\" . | quote }}\n{{- define \"all\" }}\n{{- range .Values.shop.more }}\n---\n{{ toYaml . }}\n{{- end }}\n{{- end }}\n",
        "",
    );
}

/// Returns values with an Ingress, before and after, under `extraObjects`, which are indented.
fn extra(indent: &str) -> [String; 2] {
    let values = |version: &str, backend: &str| {
        format!(
            "{indent}extraObjects:\n{indent}- apiVersion: networking.k8s.io/{version}\n{indent}  kind: Ingress\n{indent}  metadata: {{name: x}}\n{indent}  spec: {{{backend}}}\n"
        )
    };
    [
        values("v1beta1", "backend: {serviceName: a, servicePort: 80}"),
        values("v1", "defaultBackend: {service: {name: a, port: {number: 80}}}"),
    ]
}

/// A template that prints what is there.
const EXTRA: &str = "{{- range .Values.extraObjects }}\n---\n{{ tpl (toYaml .) $ }}\n{{- end }}\n";

#[test]
fn known_keys_are_what_the_templates_of_the_chart_make_of_them() {
    let [before, after] = extra("");
    for used in [
        "{{- range .Values.extraObjects }}{{ with .spec.backend }}\n# {{ .serviceName }}\n{{- end }}{{- end }}\n",
        "svc: {{ (last .Values.extraObjects).spec.backend.serviceName }}\n",
        "m: {{- toYaml .Values.extraObjects | nindent 2 }}\n",
        "all: {{ toJson .Values }}\n",
    ] {
        held(
            &format!("{EXTRA}=== templates/other.yaml\n{used}=== values.yaml\n{before}"),
            "values.yaml:2:1: unresolved[not-an-object]",
            "Ingress x, at extraObjects[0]",
        );
    }
    let condition = "{{- range .Values.extraObjects }}\n{{- if has .kind (list \"Ingress\") }}\n---\n{{ toYaml . }}\n{{- end }}\n{{- end }}\n";
    held(
        &format!("{condition}=== values.yaml\n{before}"),
        "values.yaml:2:1: unresolved[not-an-object]",
        "Ingress x, at extraObjects[0]",
    );
    for template in [
        EXTRA.to_owned(),
        format!("{EXTRA}=== templates/other.yaml\na: {{{{ include \"elsewhere\" . }}}}\n"),
        format!(
            "{EXTRA}=== templates/other.yaml\n{{{{- if .Values.extraObjects }}}}\na: {{{{ len .Values.extraObjects }}}}\n{{{{- end }}}}\n"
        ),
    ] {
        let chart = |values: &str| format!("{template}=== values.yaml\n{values}");
        converts(&chart(&before), &chart(&after));
    }
    // What is not there can print them.
    let chart = |values: &str| format!("{{{{ include \"elsewhere.all\" . }}}}\n=== values.yaml\n{values}");
    converts_in_part(
        &chart(&before),
        &chart(&after),
        "templates/a.yaml:1:1: unresolved[template-action]",
        "elsewhere.all",
    );
}

/// The Chart.yaml of a chart that another one brings.
const BROUGHT: &str = "=== charts/s/Chart.yaml\napiVersion: v2\nname: s\nversion: 1.0.0\n";

#[test]
fn what_a_brought_chart_does_with_its_values_counts() {
    let [before, after] = extra("  ");
    let chart = |template: &str, values: &str| {
        format!("a: 1\n=== values.yaml\ns:\n{values}{BROUGHT}=== charts/s/templates/all.yaml\n{template}")
    };
    converts(&chart(EXTRA, &before), &chart(EXTRA, &after));
    let of_any_key = |template: &str, values: &str| chart(template, values).replace("extraObjects", "things");
    converts(&of_any_key(EXTRA, &before), &of_any_key(EXTRA, &after));
    let looks = format!("{EXTRA}---\na: {{{{ (last .Values.extraObjects).kind }}}}\n");
    held(&chart(&looks, &before), "values.yaml:3:3: unresolved[not-an-object]", "Ingress x, at s.extraObjects[0]");
    // The charts that others bring see what is global.
    let global = |looks: &str, values: &str| {
        format!(
            "{{{{- range .Values.global.extraObjects }}}}\n---\n{{{{ toYaml . }}}}\n{{{{- end }}}}\n=== values.yaml\nglobal:\n{values}{BROUGHT}=== charts/s/templates/all.yaml\n{looks}"
        )
    };
    converts(&global("a: {{ .Values.extraObjects }}\n", &before), &global("a: {{ .Values.extraObjects }}\n", &after));
    held(
        &global("{{- range .Values.global.extraObjects }}\na: {{ .kind }}\n{{- end }}\n", &before),
        "values.yaml:3:3: unresolved[not-an-object]",
        "Ingress x, at global.extraObjects[0]",
    );
}

#[test]
fn an_object_into_which_helm_merges_a_part_of_another_file_is_held_back() {
    let chart = |version: &str, backend: &str, others: &str| {
        format!(
            "{{{{- range .Values.things }}}}\n---\n{{{{ toYaml . }}}}\n{{{{- end }}}}\n=== values.yaml\nthings:\n  a:\n    apiVersion: networking.k8s.io/{version}\n    kind: Ingress\n    metadata: {{name: x}}\n    spec: {{{backend}}}\n{others}"
        )
    };
    let before = |others: &str| chart("v1beta1", "backend: {serviceName: a, servicePort: 80}", others);
    let after = |others: &str| chart("v1", "defaultBackend: {service: {name: a, port: {number: 80}}}", others);
    for (place, others) in [
        ("values-prod.yaml:3:5", "=== values-prod.yaml\nthings:\n  a:\n    spec: {backend: {serviceName: b}}\n"),
        ("env/prod.yaml:1:13", "=== env/prod.yaml\nthings: {a: {spec: {backend: {serviceName: b}}}}\n"),
        (
            "values-prod.yaml:3:5",
            "=== values-prod.yaml\nthings:\n  a:\n    apiVersion: policy/v1\n    kind: PodDisruptionBudget\n",
        ),
    ] {
        held(&before(others), "values.yaml:2:3: held-back[converts-together] Ingress x", place);
    }
    for others in [
        "=== values-prod.yaml\nthings:\n  a: null\n",
        "=== values-prod.yaml\nthings:\n  b: {spec: {backend: {serviceName: b}}}\n",
        "=== values-prod.yaml\nother: {things: {a: {spec: {backend: {serviceName: b}}}}}\n",
    ] {
        converts(&before(others), &after(others));
    }
    // An object is converted by itself: Helm replaces lists.
    let rules = "rules: [{http: {paths: [{backend: {serviceName: a, servicePort: 80}}]}}]";
    let converted = "rules: [{http: {paths: [{backend: {service: {name: a, port: {number: 80}}}, pathType: ImplementationSpecific}]}}]";
    let object = |version: &str, rules: &str| {
        format!(
            "=== values-prod.yaml\nthings: {{a: {{apiVersion: networking.k8s.io/{version}, kind: Ingress, metadata: {{name: x}}, spec: {{{rules}}}}}}}\n"
        )
    };
    converts(&chart("v1beta1", rules, &object("v1beta1", rules)), &chart("v1", converted, &object("v1", converted)));
    held(
        &before(&object("v1beta1", "backend: {serviceName: b, servicePort: web}")),
        "values.yaml:2:3: held-back[converts-together] Ingress x",
        "values-prod.yaml:1:13",
    );
    // The chart that is brought has what counts where nothing is set.
    let brought = |text: &str| {
        let text = text
            .replace(".Values.things", ".Values.none")
            .replace("things:", "s: {things: ")
            .replace("s: {things: \n", "s:\n things:\n");
        format!(
            "{text}{BROUGHT}=== charts/s/templates/all.yaml\n{{{{- range .Values.things }}}}\n---\n{{{{ toYaml . }}}}\n{{{{- end }}}}\n"
        )
    };
    converts(&brought(&before("")), &brought(&after("")));
    held(
        &brought(&before("=== charts/s/values.yaml\nthings_: 1\n"))
            .replace("things_: 1", "things: {a: {spec: {backend: {serviceName: b}}}}"),
        "values.yaml:3:3: held-back[converts-together] Ingress x",
        "charts/s/values.yaml:1:13",
    );
}
