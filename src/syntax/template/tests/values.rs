//! What actions print where the users of a chart set nothing; each line was printed by Helm 4.1 too.

use std::sync::Arc;

use serde_json::{Value, json};

use super::super::changes::Changes;
use super::super::environment::Environment;
use super::super::search::{Coverage, readings};
use super::super::tree::{Defines, Template};
use super::chart::UNKNOWN;
use crate::syntax::variable::Certainty;

/// The definitions that the actions call.
const DEFINITIONS: &str = r#"
{{- define "labels" }}app: {{ .app }}{{ with .more }}
{{ toYaml . }}{{ end }}{{ end }}
{{- define "each" }}{{ range $key, $value := .all }}{{ $key }}: {{ $value | upper | quote }}
{{ end }}{{ end }}
{{- define "set" }}{{ $_ := set .map "later" "set" }}{{ end }}
{{- define "both" }}{{ .Release.Name }}{{ .Release.Namespace }}{{ end }}
{{- define "mixed" }}A_{{ .Release.Name }}{{ end }}
{{- define "lines" }}
  {{ .Values.text }}
{{ end }}
{{- define "nth" }}{{ range $at, $one := .Values.list }}{{ if $at }},{{ end }}{{ $one }}{{ else }}none{{ end }}{{ end }}
"#;

/// Returns what the action prints at the end of `text` by default, if that is known.
fn by_default(text: &str) -> Option<Value> {
    let values = json!({
        "text": "web", "empty": "", "nothing": null, "list": ["a", "b"], "none": [], "number": 80, "on": true, "off": false,
        "map": {"b": "2", "a": "1"}, "inner": {"x": {"w": "deep"}}, "blank": {},
        "template": "{{ .Values.text }}-{{ .Values.number }}", "yaml": "k: [1, {z: q}]",
    });
    let template = Arc::new(Template::parse(format!("{DEFINITIONS}{text}\n")).unwrap());
    let mut defines = Defines::default();
    defines.add(&template);
    let mut changes = Changes::default();
    changes.add(&template);
    let values = changes.of(&values);
    let environment = Environment {
        defines: &defines,
        facts: &UNKNOWN,
        values: Some(&values.read),
        chart_values: Some(&values.read),
        unchanged: Some(&values.unchanged),
        arguments: None,
        defaults: Certainty::Default,
    };
    let read = readings(template.part(0).unwrap(), environment, Coverage::Pairs, 8);
    let line = read.readings[0].text.trim_end().lines().next_back().unwrap();
    let value = line.strip_prefix("x: ").unwrap().trim_matches('"');
    match read.readings[0].default_of(value) {
        Some(values) => values.first().cloned(),
        // What it prints is the same whatever users set.
        None if !value.contains("${") => Some(Value::from(value)),
        None => None,
    }
}

#[test]
fn functions_of_values_are_computed_as_helm_does() {
    for (action, expected) in [
        (r#"merge .Values.blank .Values.map | toJson"#, json!({"a": "1", "b": "2"})),
        (
            r#"merge (dict "a" "own" "c" "") .Values.map (dict "c" "filled") | toJson"#,
            json!({"a": "own", "b": "2", "c": "filled"}),
        ),
        (r#"mergeOverwrite (dict "a" "own" "c" "") .Values.map | toJson"#, json!({"a": "1", "b": "2", "c": ""})),
        (r#"mergeOverwrite (dict "l" (list 1)) (dict "l" (list)) | toJson"#, json!({"l": []})),
        (r#"merge (dict "m" (dict "a" 1)) (dict "m" (dict "b" 2)) | toJson"#, json!({"m": {"a": 1, "b": 2}})),
        (r#"omit .Values.map "a" | toJson"#, json!({"b": "2"})),
        (r#"pick .Values.map "a" "none" | toJson"#, json!({"a": "1"})),
        (r#"unset (deepCopy .Values.map) "a" | toJson"#, json!({"b": "2"})),
        (r#"get .Values.map "a""#, json!(1)),
        (r#"get .Values.map "none" | quote"#, json!("")),
        (r#"dig "x" "w" "other" .Values.inner"#, json!("deep")),
        (r#"dig "x" "z" "other" .Values.inner"#, json!("other")),
        (r#"concat .Values.list (list "c") | toJson"#, json!(["a", "b", "c"])),
        (r#"append .Values.list "c" | last"#, json!("c")),
        (r#"prepend .Values.list "c" | first"#, json!("c")),
        (r#"rest .Values.list | join "-""#, json!("b")),
        (r#"without .Values.list "a" | toJson"#, json!(["b"])),
        (r#"keys .Values.map | sortAlpha | join ",""#, json!("a,b")),
        (r#"coalesce .Values.empty .Values.nothing .Values.gone .Values.text"#, json!("web")),
        (r#"default .Values.text .Values.off"#, json!("web")),
        (r#"ternary "yes" "no" .Values.on | quote"#, json!("yes")),
        (r#"ternary .Values.text "other" (and .Values.on .Values.off)"#, json!("other")),
        (r#"empty .Values.blank"#, json!(true)),
        (r#"hasKey .Values.map "a" | not"#, json!(false)),
        (r#"has "a" .Values.list"#, json!(true)),
        (r#"contains "e" .Values.text"#, json!(true)),
        (r#"(fromYaml .Values.yaml).k | toJson"#, json!([1, {"z": "q"}])),
        (r#"index (fromYaml .Values.yaml) "k" 1 "z""#, json!("q")),
        (r#"(fromJson "{\"a\": [1]}").a | first"#, json!(1)),
        (r#"printf "%s-%d" .Values.text (int .Values.number)"#, json!("web-80")),
        (r#"print .Values.text .Values.number | quote"#, json!("web80")),
        (r#".Values.text | replace "w" "W" | trunc 2"#, json!("We")),
        (r#".Values.text | title"#, json!("Web")),
        (r#"add .Values.number 1"#, json!(81)),
        (r#"len .Values.list"#, json!(2)),
        (r#"int (print .Values.number)"#, json!(80)),
        (r#"int .Values.text"#, json!(0)),
        (r#"has .Values.text (list "web" .Values.gone)"#, json!(true)),
        (r#".Values.none"#, json!([])),
        (r#"tpl .Values.template ."#, json!("web-80")),
        (r#"tpl (toYaml .Values.map) . | fromYaml | toJson"#, json!({"a": "1", "b": "2"})),
        (
            r#"include "labels" (dict "app" "x" "more" .Values.map) | fromYaml | toJson"#,
            json!({"app": "x", "a": "1", "b": "2"}),
        ),
        (r#"include "labels" (dict "app" "x") | fromYaml | toJson"#, json!({"app": "x"})),
        (r#"include "each" (dict "all" .Values.map) | fromYaml | toJson"#, json!({"a": "1", "b": "2"})),
        (r#"include "lines" . | trim"#, json!("web")),
        (r#"include "nth" ."#, json!("a,b")),
        (r#"kindIs "map" .Values.map"#, json!(true)),
        (r#"eq .Values.text "web" | ternary .Values.number 1"#, json!(80)),
    ] {
        assert_eq!(by_default(&format!("x: {{{{ {action} }}}}")), Some(expected), "{action}");
    }
}

#[test]
fn what_functions_change_is_known_where_it_is_certain() {
    for (text, expected) in [
        (
            r#"{{- $m := dict "a" "1" }}{{- $_ := set $m "k.e/y" .Values.text }}x: {{ toJson $m }}"#,
            json!({"a": "1", "k.e/y": "web"}),
        ),
        (
            r#"{{- $m := dict }}{{- $_ := set $m "a" 1 }}{{- $_ := set $m "b" 2 }}{{- $_ := unset $m "a" }}x: {{ toJson $m }}"#,
            json!({"b": 2}),
        ),
        (r#"{{- $_ := set .Values.map "c" "3" }}x: {{ toJson .Values.map }}"#, json!({"a": "1", "b": "2", "c": "3"})),
        (r#"{{- $_ := set .Values.map "c" "3" }}x: {{ .Values.map.b }}"#, json!(2)),
    ] {
        assert_eq!(by_default(text), Some(expected), "{text}");
    }
    for text in [
        // An alias, a definition and a turn of a range can have changed it.
        r#"{{- $m := dict "a" "1" }}{{- $n := $m }}{{- $_ := set $n "a" "2" }}x: {{ toJson $m }}"#,
        r#"{{- $m := dict "a" "1" }}{{- include "set" (dict "map" $m) }}x: {{ toJson $m }}"#,
        r#"{{- $m := dict }}{{- range .Values.list }}{{- $_ := set $m . "" }}{{- end }}x: {{ toJson $m }}"#,
        r#"x: {{ regexReplaceAll "w" .Values.text "" }}"#,
        r#"x: {{ default "a" (lookup "v1" "Secret" "a" "b") }}"#,
        r#"x: {{ .Values.gone }}"#,
        r#"x: {{ include "gone" . | default "a" }}"#,
        // What stands for a part that is not known must stay in the text.
        r#"x: {{ include "mixed" . | lower }}"#,
        r#"x: {{ include "mixed" . | replace "_" "-" }}"#,
        r#"x: {{ include "mixed" . | trimAll "}" }}"#,
        r#"x: {{ include "both" . | default "a" }}"#,
        r#"x: {{ include "both" . | empty }}"#,
        // It can be any item.
        r#"x: {{ has "a" (list .Values.gone) }}"#,
        r#"x: {{ without (list .Values.gone "b") "a" | join "," }}"#,
        r#"x: {{ list "b" .Values.gone | sortAlpha | first }}"#,
        r#"x: {{ list "b" .Values.gone | sortAlpha | last }}"#,
        // Sprig takes it for an octal number.
        r#"x: {{ int (print "0" .Values.number) }}"#,
        r#"x: {{ must .Values.text }}"#,
        r#"x: {{ mustn .Values.text }}"#,
    ] {
        assert_eq!(by_default(text), None, "{text}");
    }
}

#[test]
fn what_grows_without_end_is_not_computed() {
    for step in [
        r#"{{- $x = printf "%s%s" $x $x }}"#,
        r#"{{- $x = replace "a" $x $x }}"#,
        r#"{{- $x = toJson (dict "a" $x "b" $x) }}"#,
    ] {
        let text = format!("{{{{- $x := \"aaaa\" }}}}{}x: {{{{ $x }}}}", step.repeat(60));
        assert_eq!(by_default(&text), None, "{step}");
    }
    // Each turn counts as a step, and what is printed has an end.
    let items = "a,".repeat(2000);
    let turns = |inner: String| format!("{{{{ range splitList \",\" \"{items}\" }}}}{inner}{{{{ end }}}}");
    let nested = turns("y".repeat(1 << 10));
    let text = format!("{{{{ define \"many\" }}}}{nested}{{{{ end }}}}x: {{{{ include \"many\" . | len }}}}");
    assert_eq!(by_default(&text), None);
}
