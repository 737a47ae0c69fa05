//! Answers: is each form of real charts printed as Helm prints it?

use super::chart::{Chart, UNKNOWN, first, known, only, texts};
use crate::syntax::template::lex::{Fault, Keyword};
use crate::syntax::template::reading::Hole;
use crate::syntax::template::search::{Coverage, readings};
use crate::syntax::template::tree::Template;

#[test]
fn an_action_ends_where_its_tokens_end() {
    for (text, printed) in [
        ("a{{/* {{ x }} */}}b", "ab"),
        ("a {{- /* }} */ -}} b", "ab"),
        ("a{{- /* one\n}}\ntwo */}}b", "ab"),
        ("a {{ `}}` }}b", "a }}b"),
        ("a {{ \"\\\"}}\" }}b", "a \"}}b"),
        ("a {{ print \"{{\" \"x\" }}b", "a {{xb"),
        ("a: {{ eq '}' .x }}", "a: ${REVERSION_ACTION_0}"),
        ("a: {{ .x\n  | quote\n  }}b", "a: ${REVERSION_ACTION_0}b"),
        ("a: {{.x}}", "a: ${REVERSION_ACTION_0}"),
        ("a: {{-1}}", "a: -1"),
        ("no } action { here", "no } action { here"),
        ("", ""),
    ] {
        assert_eq!(only(text), printed, "{text}");
    }
}

#[test]
fn what_does_not_close_is_told_with_its_place() {
    for (text, at, fault) in [
        ("a {{ .x", 2, Fault::Action),
        ("a {{ \"x }}\n\" }}", 2, Fault::Action),
        ("a {{/* x */ y }}", 2, Fault::Action),
        ("a {{ `x }}", 2, Fault::Action),
        ("a {{ if x }}{{ with y }}{{ end }}", 2, Fault::Block),
        ("a {{ end }}", 2, Fault::End),
        ("{{ else }}", 0, Fault::End),
        ("{{ if x }}{{ else }}{{ else }}{{ end }}", 20, Fault::End),
        ("{{ define \"x\" }}{{ else }}{{ end }}", 16, Fault::End),
    ] {
        let unclosed = Template::parse(text).unwrap_err();
        assert_eq!((unclosed.at, unclosed.fault), (at, fault), "{text}");
        assert!(!unclosed.to_string().is_empty());
    }
    let deep = "{{ if x }}".repeat(101);
    assert_eq!(Template::parse(deep).unwrap_err().fault, Fault::Depth);
}

#[test]
fn trim_marks_eat_the_white_space_beside_them() {
    assert_eq!(texts("a: 1\n  {{- if .x }}\nb: 2\n  {{- end }}\nc: 3\n"), ["a: 1\nb: 2\nc: 3\n", "a: 1\nc: 3\n"]);
    // The line end behind the mark goes, and with it the indent of the key.
    assert_eq!(texts("{{ if .x -}}\napiVersion: v1\n{{- end }}\n"), ["apiVersion: v1\n", "\n"]);
    assert_eq!(texts("a:\n  {{ if .x -}}\n      b: 1\n  {{ end -}}\nc: 2"), ["a:\n  b: 1\n  c: 2", "a:\n  c: 2"]);
    // A dash that touches its neighbour is none.
    assert_eq!(only("a {{-1 }} b"), "a -1 b");
    assert_eq!(only("a\r\n{{- /* x */ -}}\r\nb"), "ab");
}

#[test]
fn windows_line_ends_stay() {
    assert_eq!(texts("a: 1\r\n{{- if .x }}\r\nb: 2\r\n{{- end }}\r\n"), ["a: 1\r\nb: 2\r\n", "a: 1\r\n"]);
}

#[test]
fn a_value_over_lines_of_if_and_else_is_one_value() {
    let text = "apiVersion: {{ if .x -}}\npolicy/v1\n{{- else if .y -}}\npolicy/v1beta1\n{{- else -}}\npolicy/v0\n{{- end }}\nkind: A\n";
    assert_eq!(
        texts(text),
        [
            "apiVersion: policy/v1\nkind: A\n",
            "apiVersion: policy/v1beta1\nkind: A\n",
            "apiVersion: policy/v0\nkind: A\n"
        ]
    );
}

#[test]
fn a_half_literal_version_is_opaque_in_part() {
    assert_eq!(only("apiVersion: policy/v1{{ .x }}\n"), "apiVersion: policy/v1${REVERSION_ACTION_0}\n");
    assert_eq!(
        only("apiVersion: policy/v1{{ ternary \"\" \"beta1\" .x }}\n"),
        "apiVersion: policy/v1${REVERSION_ACTION_0}\n",
        "both outputs are possible"
    );
}

#[test]
fn scalars_keys_and_whole_values_have_placeholders() {
    for (text, printed) in [
        ("name: {{ .a }}-x-{{ .b }}\n", "name: ${REVERSION_ACTION_0}-x-${REVERSION_ACTION_1}\n"),
        ("name: \"{{ template \"x\" . }}\"\n", "name: \"${REVERSION_ACTION_0}\"\n"),
        ("{{ .key }}: {{ .value | quote }}\n", "${REVERSION_ACTION_0}: ${REVERSION_ACTION_1}\n"),
        ("tolerations: {{ toJson .x }}\n", "tolerations: ${REVERSION_ACTION_0}\n"),
        ("- {{ .x }}\n", "- ${REVERSION_ACTION_0}\n"),
        ("- {{ include \"x\" . }}: y\n", "- ${REVERSION_ACTION_0}: y\n"),
        ("a: [{{ .x }}, x{{ .y }}]\n", "a: [\"${REVERSION_ACTION_FLOW_0}\", \"x${REVERSION_ACTION_1}\"]\n"),
        ("a: {b: {{ .x }}}\n", "a: {b: \"${REVERSION_ACTION_FLOW_0}\"}\n"),
        ("# {{ .x }}\na: 1 # {{ .y }}\n", "# ${REVERSION_ACTION_0}\na: 1 # ${REVERSION_ACTION_1}\n"),
        (
            "a: {{ .x }}\nb: {{ $.x }}\nc: {{ .y }}\n",
            "a: ${REVERSION_ACTION_0}\nb: ${REVERSION_ACTION_0}\nc: ${REVERSION_ACTION_2}\n",
        ),
        ("a: ${REVERSION_ACTION_7} {{ .x }}\n", "a: ${REVERSION_ACTION_7} ${REVERSION_ACTION__0}\n"),
    ] {
        assert_eq!(only(text), printed, "{text}");
    }
}

#[test]
fn a_number_that_is_computed_has_a_placeholder_that_says_so() {
    for (text, printed) in [
        ("a: {{ .x | int }}\n", "a: ${REVERSION_ACTION_ALWAYS_NUMBER_0}\n"),
        ("a: {b: {{ add 1 .x }}}\n", "a: {b: \"${REVERSION_ACTION_FLOW_ALWAYS_NUMBER_0}\"}\n"),
        ("a: {{ .Values.x | default 80 }}\n", "a: ${REVERSION_ACTION_DEFAULT_NUMBER_0}\n"),
        ("a: {{ .Values.x | default \"web\" }}\n", "a: ${REVERSION_ACTION_DEFAULT_TEXT_0}\n"),
        ("a: {{ .Values.x | default \"80\" }}\n", "a: ${REVERSION_ACTION_DEFAULT_NUMBER_0}\n"),
        ("a: {{ .Values.x | default .y }}\n", "a: ${REVERSION_ACTION_0}\n"),
        ("a: {{ .Values.x | default \"true\" }}\n", "a: ${REVERSION_ACTION_0}\n"),
        ("a: {{ .x | default 80 }}\n", "a: ${REVERSION_ACTION_0}\n"),
        ("a: {{ .x | int | default \"web\" }}\n", "a: ${REVERSION_ACTION_0}\n"),
        ("a: {{ .x | int | quote }}\n", "a: ${REVERSION_ACTION_0}\n"),
        ("a: \"{{ .x | int }}\"\n", "a: \"${REVERSION_ACTION_0}\"\n"),
        ("a: b{{ .x | int }}\n", "a: b${REVERSION_ACTION_0}\n"),
    ] {
        assert_eq!(only(text), printed, "{text}");
    }
}

#[test]
fn another_dot_has_another_placeholder() {
    let reading = first("a: {{ .x }}\n{{- with .y }}\nb: {{ .x }}\nc: {{ $.x }}\nd: {{ $.y.x }}\n{{- end }}\n");
    assert_eq!(
        reading.text,
        "a: ${REVERSION_ACTION_0}\nb: ${REVERSION_ACTION_2}\nc: ${REVERSION_ACTION_0}\nd: ${REVERSION_ACTION_2}\n"
    );
    assert_eq!((reading.origin(0), reading.origin(2), reading.origin(9)), (Some("$.x"), Some("$.y.x"), None));
    let reading = first("a: {{ randAlpha 5 }}\nb: {{ randAlpha 5 }}\n");
    assert_eq!(reading.text, "a: ${REVERSION_ACTION_0}\nb: ${REVERSION_ACTION_1}\n");
}

fn hole(at: usize, column: Option<usize>, action: usize) -> Hole {
    Hole { at, column, action, ..Hole::default() }
}

#[test]
fn what_may_print_keys_or_items_is_a_hole() {
    for (text, printed, hole) in [
        (
            "labels:\n  {{- include \"l\" . | nindent 4 }}\n    a: b\n",
            "labels:\n    a: b\n",
            hole("labels:".len(), Some(4), 0),
        ),
        ("a:\n{{ toYaml .x | indent 2 }}\nb: 1\n", "a:\n\nb: 1\n", hole(3, Some(2), 0)),
        ("a:\n  {{ toYaml .x | indent 2 }}\n", "a:\n  \n", hole(5, Some(4), 0)),
        ("{{ toYaml .x }}\n", "\n", hole(0, Some(0), 0)),
        ("key: {{- toYaml .x | nindent 2 }}\n", "key:\n", hole(4, Some(2), 0)),
        ("key: {{ toYaml .x | nindent $n }}\n", "key: \n", hole(5, None, 0)),
        ("- {{ include \"x\" . | nindent 2 }}\n  a: 1\n", "- \n  a: 1\n", hole(2, Some(2), 0)),
        ("- {{ include \"x\" . }}\n  a: 1\n", "- \n  a: 1\n", hole(2, Some(2), 0)),
        ("spec:\n{{- include \"x\" . | indent 6 }}\n", "spec:\n", hole(5, Some(6), 0)),
        ("a: |\n  {{ .x }}\n  b\n", "a: |\n  \n  b\n", hole(7, Some(2), 0)),
        ("a:\n  {{- .x }}\n", "a:\n", hole(2, Some(2), 0)),
    ] {
        let reading = first(text);
        assert_eq!((reading.text.as_str(), reading.holes), (printed, vec![hole]), "{text}");
    }
}

#[test]
fn a_value_on_a_line_of_its_own_behind_a_trim_mark_is_a_value() {
    let text = "name: {{ if .x -}}\n  {{ .y }}\n{{- else -}}\n  {{ include \"z\" . }}\n{{- end }}\n";
    assert_eq!(texts(text), ["name: ${REVERSION_ACTION_1}\n", "name: ${REVERSION_ACTION_3}\n"]);
    let text = "name: a-{{ if .x -}}\n  {{- .y -}}\n{{- end }}\n";
    assert_eq!(texts(text), ["name: a-${REVERSION_ACTION_1}\n", "name: a-\n"]);
}

#[test]
fn a_hole_may_follow_a_whole_value() {
    let reading = first("tolerations: {{ toJson .x }}\n{{- include \"y\" . | nindent 0 }}\nz: 1\n");
    assert_eq!(reading.text, "tolerations: ${REVERSION_ACTION_0}\nz: 1\n");
    assert_eq!(reading.holes, [hole("tolerations: ${REVERSION_ACTION_0}".len(), Some(0), 1)]);
}

#[test]
fn constants_are_printed() {
    for (text, printed) in [
        ("{{ \"---\" }}\na: 1\n", "---\na: 1\n"),
        ("a: 1{{ \"\\n\" }}b: 2", "a: 1\nb: 2"),
        ("a: {{ print \"x\" 1 }}", "a: x1"),
        ("a: {{ printf \"%s-%d\" \"x\" 3 }}", "a: x-3"),
        ("a: {{ \"x\" | quote }}", "a: \"x\""),
        ("a:{{ \"b: 1\\nc: 2\" | nindent 2 }}\n", "a:\n  b: 1\n  c: 2\n"),
        ("{{ $v := \"x\" }}a: {{ $v }}", "a: x"),
        ("{{ define \"x\" }}y{{ end }}a: {{ include \"x\" . }}", "a: y"),
        ("{{ define \"x\" -}}\ny\n{{- end }}a: {{ template \"x\" . }}", "a: y"),
        ("a: {{ include \"missing\" . }}", "a: ${REVERSION_ACTION_0}"),
    ] {
        let reading = first(text);
        assert_eq!(reading.text, printed, "{text}");
    }
    assert_eq!(known(&first("{{ \"---\" }}\na: {{ upper \"x\" }}")), ["---", "X"]);
}

#[test]
fn bindings_and_comments_print_nothing() {
    assert_eq!(only("a: 1\n{{- $x := .y }}\n{{- $x = 3 }}\n{{- /* b */}}\n{{- $_ := set .a \"b\" 1 }}\n"), "a: 1\n");
}

#[test]
fn ranges_are_printed_once_or_not_at_all() {
    assert_eq!(
        texts("{{- range .x }}\n---\nkind: {{ .kind }}\n{{- end }}\n"),
        ["\n---\nkind: ${REVERSION_ACTION_1}\n", "\n"],
        "around documents"
    );
    assert_eq!(
        texts("a:\n{{- range $k, $v := .x }}\n- {{ $k }}: {{ $v }}\n{{- else }}\n- none\n{{- end }}\n"),
        ["a:\n- ${REVERSION_ACTION_1}: ${REVERSION_ACTION_2}\n", "a:\n- none\n"],
        "around items"
    );
    assert_eq!(texts("{{ range .x }}a{{ if .y }}{{ continue }}{{ end }}b{{ end }}c"), ["abc", "ac", "c"]);
}

#[test]
fn a_separator_inside_a_condition_belongs_to_it() {
    assert_eq!(texts("a: 1\n{{- if .x }}\n---\nb: 2\n{{- end }}\n"), ["a: 1\n---\nb: 2\n", "a: 1\n"]);
}

#[test]
fn an_inline_condition_before_a_key_moves_it() {
    assert_eq!(texts("- {{ if .x }}a: 1\n  {{ end }}b: 2\n"), ["- a: 1\n  b: 2\n", "- b: 2\n"]);
}

#[test]
fn a_wall_as_first_line_of_a_block_scalar_is_gone() {
    assert_eq!(texts("a: |\n    {{- if .x }}\n  b\n    {{- end }}\n  c\n"), ["a: |\n  b\n  c\n", "a: |\n  c\n"]);
}

#[test]
fn a_comment_line_swallows_what_is_glued_to_it() {
    assert_eq!(texts("# note\n{{- if .x -}}\na: 1\n{{- end }}\n"), ["# notea: 1\n", "# note\n"]);
}

#[test]
fn a_definition_is_a_text_of_its_own() {
    let chart = Chart::new(
        "{{- define \"job\" -}}\nkind: Job\n{{- if .x }}\nspec: {}\n{{- end }}\n{{- end -}}\n{{ define \"b\" }}{{ end }}rest",
        UNKNOWN,
    );
    assert_eq!(chart.readings().readings[0].text, "rest");
    let names: Vec<_> = chart.template.parts().map(|part| part.name()).collect();
    assert_eq!(names, [None, Some("job"), Some("b")]);
    let job = readings(chart.defines.get("job").unwrap(), chart.environment(), Coverage::Pairs, 100);
    let texts: Vec<_> = job.readings.iter().map(|reading| reading.text.as_str()).collect();
    assert_eq!(texts, ["kind: Job\nspec: {}", "kind: Job"]);
}

#[test]
fn a_block_is_printed_where_it_is_defined() {
    assert_eq!(
        only("a: {{ block \"x\" .y }}b{{ .z }}{{ end }}{{ .y.z }}\n"),
        "a: b${REVERSION_ACTION_1}${REVERSION_ACTION_1}\n"
    );
}

#[test]
fn comments_can_be_asked_for() {
    let template = Template::parse("{{- /* reversion: ignore */ -}}{{ .x }}").unwrap();
    let comment = &template.actions()[0];
    assert_eq!((comment.keyword, comment.content.of(template.text())), (Keyword::Comment, " reversion: ignore "));
}

#[test]
fn any_text_inside_an_action_is_taken() {
    for text in [
        "a: {{ (((( }}",
        "a: {{ | | }}",
        "a: {{ $x := }}",
        "a: {{ \"\\x41\" }}",
        "a: {{ ) }}",
        "a: {{ € }}",
        "a: {{ if }}",
        "a: {{}}",
        "a: {{ .. $ $. $$ }}",
    ] {
        let parsed = Template::parse(text);
        assert!(parsed.is_ok() || text.contains("if"), "{text}");
    }
    let deep = format!("a: {{{{ {} .x {} }}}}\n", "(".repeat(5000), ")".repeat(5000));
    assert_eq!(only(&deep), "a: ${REVERSION_ACTION_0}\n");
    let long = format!("a: {{{{ .x {} }}}}\n", "| quote".repeat(50_000));
    assert_eq!(only(&long), "a: ${REVERSION_ACTION_0}\n");
    let either = format!(
        "{{{{ define \"d\" }}}}{{{{ $v := 1 }}}}{}{{{{ $v }}}}{{{{ end }}}}a: {{{{ include \"d\" . }}}}\n",
        "{{ if .x }}{{ $v = .y }}{{ else }}{{ $v = .z }}{{ end }}".repeat(3000)
    );
    assert_eq!(only(&either), "a: ${REVERSION_ACTION_12001}\n".replace("12001", &(3000 * 5 + 4).to_string()));
    let wide = format!("{{{{ $x := .a }}}}{}a: {{{{ $x }}}}\n", "{{ $x = print $x $x $x }}".repeat(50));
    assert!(only(&wide).starts_with("a: ${REVERSION_ACTION_"));
}

#[test]
fn a_range_ends_behind_a_condition_with_several_branches() {
    let template = Template::parse(
        "{{ range .a }}{{ if .b }}b{{ else if .c }}c{{ else }}d{{ end }}e{{ end }}{{ with .f }}{{ else with .g }}{{ end }}h",
    )
    .unwrap();
    let at = |text: &str| template.text().rfind(text).unwrap();
    let ranges = |text: &str| template.ranges_around(at(text)).len();
    assert_eq!([ranges("}}b"), ranges("}}c"), ranges("}}d"), ranges("}}e"), ranges("}}h")], [1, 1, 1, 1, 0]);
}
