//! Answers: are conditions decided for the target, and alike wherever they are equal?

use super::chart::{Chart, Cluster, NEW, UNKNOWN, known, texts, texts_for_new};
use crate::syntax::template::search::{Coverage, Reason, outputs, readings};
use std::collections::BTreeSet;

/// Returns the values of `apiVersion` in all readings for a new cluster.
fn versions(text: &str) -> Vec<String> {
    texts_for_new(&format!("apiVersion: {text}\n"))
        .iter()
        .map(|text| text.trim().trim_start_matches("apiVersion: ").to_owned())
        .collect()
}

#[test]
fn what_the_cluster_serves_decides() {
    for (text, expected) in [
        ("{{ if .Capabilities.APIVersions.Has \"policy/v1\" }}new{{ else }}old{{ end }}", vec!["new"]),
        ("{{ if $.Capabilities.APIVersions.Has \"policy/v1beta1\" }}old{{ else }}new{{ end }}", vec!["new"]),
        ("{{ if not (.Capabilities.APIVersions.Has \"policy/v1\") }}old{{ else }}new{{ end }}", vec!["new"]),
        ("{{ if .Capabilities.APIVersions.Has \"other/v1\" }}a{{ else }}b{{ end }}", vec!["a", "b"]),
        ("{{ if and .x (.Capabilities.APIVersions.Has \"policy/v1beta1\") }}old{{ else }}new{{ end }}", vec!["new"]),
        ("{{ if or .x (.Capabilities.APIVersions.Has \"policy/v1\") }}new{{ else }}old{{ end }}", vec!["new"]),
        (
            "{{ if semverCompare \">=1.21-0\" .Capabilities.KubeVersion.GitVersion }}new{{ else }}old{{ end }}",
            vec!["new"],
        ),
        ("{{ if semverCompare \"<1.21-0\" .Capabilities.KubeVersion.Version -}}old{{ else }}new{{ end }}", vec!["new"]),
        (
            "{{ if .Capabilities.KubeVersion.Version | semverCompare \">=1.21-0\" }}new{{ else }}old{{ end }}",
            vec!["new"],
        ),
        ("{{ if semverCompare \">=1.21\" .Values.version }}a{{ else }}b{{ end }}", vec!["a", "b"]),
        (
            "{{ if semverCompare \">=1.21\" (default .Capabilities.KubeVersion.Version .Values.kubeVersion) }}new{{ else }}old{{ end }}",
            vec!["new"],
        ),
        (
            "{{ if semverCompare \">=1.21\" (default .Capabilities.KubeVersion.Version .Values.kubeTargetVersionOverride) }}new{{ else }}old{{ end }}",
            vec!["new"],
        ),
        ("{{ if ge (int .Capabilities.KubeVersion.Minor) 22 }}new{{ else }}old{{ end }}", vec!["new"]),
        ("{{ if ge .Capabilities.KubeVersion.Minor \"22\" }}new{{ else }}old{{ end }}", vec!["new"]),
        ("{{ or (and (ge (int .Capabilities.KubeVersion.Minor) 22) \"new\") \"old\" }}", vec!["new"]),
        ("{{ or (and (ge (int .Capabilities.KubeVersion.Minor) 29) \"new\") \"old\" }}", vec!["old"]),
        ("policy/v1{{ ternary \"\" \"beta1\" (.Capabilities.APIVersions.Has \"policy/v1\") }}", vec!["policy/v1"]),
        ("{{ .Capabilities.APIVersions.Has \"policy/v1\" | ternary \"new\" \"old\" }}", vec!["new"]),
        (
            "{{ $old := .Capabilities.APIVersions.Has \"policy/v1beta1\" }}{{ if $old }}old{{ else }}new{{ end }}",
            vec!["new"],
        ),
    ] {
        assert_eq!(versions(text), expected, "{text}");
    }
}

const HELPERS: &str = r#"
{{- define "kubeVersion" -}}
{{- if .Values.global }}
  {{- if .Values.global.kubeVersion }}
  {{- .Values.global.kubeVersion -}}
  {{- else }}
  {{- default .Capabilities.KubeVersion.Version .Values.kubeVersion -}}
  {{- end -}}
{{- else }}
{{- default .Capabilities.KubeVersion.Version .Values.kubeVersion -}}
{{- end -}}
{{- end -}}
{{- define "ingress" -}}
{{- if semverCompare "<1.14-0" (include "kubeVersion" .) -}}
{{- print "extensions/v1beta1" -}}
{{- else if semverCompare "<1.19-0" (include "kubeVersion" .) -}}
{{- print "networking.k8s.io/v1beta1" -}}
{{- else -}}
{{- print "networking.k8s.io/v1" -}}
{{- end }}
{{- end -}}
{{- define "isStable" -}}
{{- eq (include "ingress" .) "networking.k8s.io/v1" -}}
{{- end -}}
{{- define "old" }}{{ if not (.Capabilities.APIVersions.Has "policy/v1") }}true{{ end }}{{ end -}}
{{- define "override" }}{{ if .Values.v }}{{ .Values.v }}{{ else }}policy/v1{{ end }}{{ end -}}
{{- define "variable" -}}
{{- $v := "policy/v1beta1" -}}
{{- if .Capabilities.APIVersions.Has "policy/v1" -}}{{- $v = "policy/v1" -}}{{- end -}}
{{- print $v -}}
{{- end -}}
{{- define "of" }}{{ .context.Values.x }}{{ .value }}{{ end -}}
{{- define "loop" }}{{ include "loop" . }}{{ end -}}
"#;

#[test]
fn helpers_are_looked_into() {
    for (text, expected) in [
        ("{{ include \"ingress\" . }}", vec!["networking.k8s.io/v1"]),
        ("{{ template \"ingress\" $ }}", vec!["networking.k8s.io/v1"]),
        ("{{ if eq (include \"ingress\" .) \"extensions/v1beta1\" }}old{{ else }}new{{ end }}", vec!["new"]),
        ("{{ if eq (include \"isStable\" $) \"true\" }}new{{ else }}old{{ end }}", vec!["new"]),
        ("{{ if include \"old\" . }}old{{ else }}new{{ end }}", vec!["new"]),
        ("{{ if semverCompare \">=1.21-0\" (include \"kubeVersion\" .) }}new{{ else }}old{{ end }}", vec!["new"]),
        ("{{ include \"variable\" . }}", vec!["policy/v1"]),
        ("{{ include \"of\" (dict \"value\" \"x\" \"context\" (dict \"Values\" (dict \"x\" \"y\"))) }}", vec!["yx"]),
    ] {
        let all = texts_for_new(&format!("{HELPERS}apiVersion: {text}"));
        let all: Vec<_> = all.iter().map(|text| text.trim_start_matches("apiVersion: ")).collect();
        assert_eq!(all, expected, "{text}");
    }
    for opaque in ["kubeVersion", "override", "loop"] {
        let all = texts_for_new(&format!("{HELPERS}{{{{ if .x }}}}a: {{{{ include \"{opaque}\" . }}}}{{{{ end }}}}"));
        assert!(all[0].starts_with("a: ${REVERSION_ACTION_"), "{opaque}: {all:?}");
    }
}

#[test]
fn what_a_helper_can_print_can_be_asked_for() {
    let outputs_for = |name: &str, cluster: Cluster| {
        let chart = Chart::new(HELPERS, cluster);
        let found = outputs(chart.defines.get(name).unwrap(), chart.environment());
        (found.texts.into_iter().collect::<Vec<_>>(), found.open)
    };
    assert_eq!(outputs_for("ingress", NEW), (vec!["networking.k8s.io/v1".to_owned()], false));
    let every = ["extensions/v1beta1", "networking.k8s.io/v1", "networking.k8s.io/v1beta1"].map(str::to_owned);
    assert_eq!(outputs_for("ingress", UNKNOWN), (every.to_vec(), false));
    assert_eq!(outputs_for("override", NEW), (vec!["policy/v1".to_owned()], true));
    assert_eq!(outputs_for("variable", UNKNOWN).0, ["policy/v1", "policy/v1beta1"]);
    assert_eq!(outputs_for("loop", NEW), (Vec::new(), true));
}

#[test]
fn equal_conditions_choose_alike() {
    let alike = "{{ if .Values.x }}a{{ end }}{{ with $.Values.x }}b{{ end }}{{ range .Values.x }}c{{ end }}{{ if not .Values.x }}d{{ end }}";
    assert_eq!(texts(alike), ["abc", "d"]);
    assert_eq!(texts("{{ if empty .x }}a{{ else }}b{{ end }}{{ if .x }}c{{ end }}"), ["a", "bc"]);
    assert_eq!(
        texts("{{ if eq .x \"a\" }}a{{ else if eq .x \"b\" }}b{{ else }}c{{ end }}{{ if eq .x \"b\" }}B{{ end }}")
            .len(),
        3
    );
    assert_eq!(texts("{{ if eq .x \"a\" }}a{{ end }}{{ if ne .x \"a\" }}b{{ end }}"), ["a", "b"]);
    assert_eq!(
        texts("{{ if .x }}a{{ end }}{{ with .y }}{{ if .x }}b{{ end }}{{ end }}"),
        ["ab", "a", "b"],
        "another dot"
    );
    assert_eq!(
        texts("{{ with .y }}{{ if .x }}a{{ end }}{{ if $.y.x }}b{{ end }}{{ end }}"),
        ["ab", ""],
        "the same dot"
    );
    let assigned = "{{ $v := .x }}{{ if $v }}a{{ end }}{{ $v = .y }}{{ if $v }}b{{ end }}";
    assert_eq!(texts(assigned), ["ab", "b", "a"], "a variable that is assigned again");
    let variable = "{{ $v := .x }}{{ if $v }}a{{ end }}{{ if .x }}b{{ end }}";
    assert_eq!(texts(variable), ["ab", ""], "a variable that is not");
}

#[test]
fn what_is_assumed_is_followed() {
    assert_eq!(texts("{{ if and .x .y }}a{{ end }}{{ if .x }}b{{ end }}{{ if .y }}c{{ end }}"), ["abc", "b", "c"]);
    assert_eq!(texts("{{ if .x.y }}a{{ end }}{{ if .x }}b{{ end }}"), ["ab", "b", ""]);
    assert_eq!(texts("{{ if not .x }}a{{ if .x }}b{{ end }}{{ end }}c"), ["ac", "c"]);
}

#[test]
fn a_branch_that_fails_is_not_taken() {
    assert_eq!(texts("{{ if .x }}{{ fail \"no\" }}{{ end }}a"), ["a"]);
    assert_eq!(texts("{{ if .x }}a{{ else }}{{ fail \"no\" }}{{ end }}b"), ["ab"]);
    assert_eq!(texts("{{ if .x }}a{{ end }}{{ if .x }}{{ fail \"no\" }}{{ end }}b"), ["b"], "the first one gives way");
    assert_eq!(
        texts("{{ if .x }}{{ if .y }}{{ fail \"no\" }}{{ else }}{{ printf \"%s\" .z | fail }}{{ end }}{{ end }}b"),
        ["b"]
    );
}

#[test]
fn what_is_never_printed_is_told_with_the_action_that_decides() {
    let text = "{{ if .Capabilities.APIVersions.Has \"policy/v1\" }}new{{ else }}old{{ end }}\
                {{ if and .x (semverCompare \"<1.21-0\" .Capabilities.KubeVersion.Version) }}older{{ if .y }}z{{ end }}{{ end }}\
                {{ if .a }}b{{ else if .a }}never{{ end }}{{ if .c }}d{{ fail \"x\" }}{{ end }}";
    let chart = Chart::new(text, NEW);
    let unprinted: Vec<_> = chart
        .readings()
        .unprinted
        .iter()
        .map(|one| (one.span.of(text), chart.action(one.action), one.reason))
        .collect();
    assert_eq!(
        unprinted,
        [
            ("old", "{{ if .Capabilities.APIVersions.Has \"policy/v1\" }}", Reason::Target),
            (
                "older{{ if .y }}z{{ end }}",
                "{{ if and .x (semverCompare \"<1.21-0\" .Capabilities.KubeVersion.Version) }}",
                Reason::Target
            ),
            ("never", "{{ else if .a }}", Reason::Contradiction),
            ("d{{ fail \"x\" }}", "{{ if .c }}", Reason::Fails),
        ]
    );
}

#[test]
fn inner_branches_are_tried_first_and_a_limit_is_told() {
    let text = "{{ if .a }}a{{ if .b }}b{{ if .c }}c{{ end }}{{ end }}{{ end }}{{ if .d }}d{{ end }}";
    assert_eq!(texts(text), ["abcd", "abd", "ad", "d", "abc"]);
    let chart = Chart::new("{{ if .a }}a{{ else }}b{{ end }}{{ if .d }}d{{ end }}", UNKNOWN);
    let part = chart.template.part(0).unwrap();
    let found = readings(part, chart.environment(), Coverage::Pairs, 1);
    assert_eq!((found.readings.len(), found.untried), (1, 2));
    assert_eq!(found.unprinted.iter().map(|one| one.reason).collect::<Vec<_>>(), [Reason::Limit]);
}

/// Two readings show all branches of three conditions, and six of the twelve pairs of these; branches that contradict each other are no pair.
#[test]
fn pairs_behind_a_limit_are_counted_if_they_can_be() {
    let untried = |text: &str, limit: usize| {
        let chart = Chart::new(text, UNKNOWN);
        let found = readings(chart.template.part(0).unwrap(), chart.environment(), Coverage::Pairs, limit);
        (found.untried, found.untried_pairs)
    };
    let two = |value: &str| format!("{{{{ if .{value} }}}}{value}{{{{ else }}}}-{{{{ end }}}}");
    let three = [two("a"), two("b"), two("c")].concat();
    assert_eq!(untried(&three, 2), (0, 6));
    assert_eq!(untried(&three, 100), (0, 0));
    assert_eq!(untried(&[two("a"), two("a")].concat(), 2), (0, 0));
}

#[test]
fn choices_name_their_actions() {
    let chart = Chart::new("{{ if .a }}a{{ else }}b{{ end }}{{ with .c }}c{{ end }}", UNKNOWN);
    let found = chart.readings();
    let told = |index: usize| -> Vec<_> {
        let choices = &found.readings[index].choices;
        choices
            .iter()
            .map(|choice| (chart.action(choice.block), choice.branch.map(|branch| chart.action(branch))))
            .collect()
    };
    assert_eq!(told(0), [("{{ if .a }}", Some("{{ if .a }}")), ("{{ with .c }}", Some("{{ with .c }}"))]);
    assert_eq!(told(1), [("{{ if .a }}", Some("{{ else }}")), ("{{ with .c }}", Some("{{ with .c }}"))]);
    assert_eq!(told(2), [("{{ if .a }}", Some("{{ if .a }}")), ("{{ with .c }}", None)]);
    assert!(known(&found.readings[0]).is_empty());
}

/// Returns the texts of the readings that show all pairs.
fn pairs(text: &str) -> Vec<String> {
    let chart = Chart::new(text, UNKNOWN);
    let found = readings(chart.template.part(0).unwrap(), chart.environment(), Coverage::Pairs, 100);
    assert_eq!(found.untried, 0);
    found.readings.into_iter().map(|reading| reading.text).collect()
}

#[test]
fn few_readings_show_every_pair_of_branches() {
    for (conditions, least) in [(1, 2), (2, 4), (3, 5), (6, 6), (10, 7), (11, 8), (35, 9), (100, 11)] {
        let block = |number: usize| format!("{{{{ if .c{number} }}}}<{number}y>{{{{ else }}}}<{number}n>{{{{ end }}}}");
        let all = pairs(&(0..conditions).map(block).collect::<String>());
        assert_eq!(all.len(), least, "{conditions}");
        assert!(all.iter().any(|text| !text.contains('y')), "what all leave out together");
        for (one, other) in (0..conditions).flat_map(|one| (0..one).map(move |other| (one, other))) {
            for branches in ["yy", "yn", "ny", "nn"] {
                let (first, second) = (format!("<{one}{}>", &branches[..1]), format!("<{other}{}>", &branches[1..]));
                assert!(all.iter().any(|text| text.contains(&first) && text.contains(&second)), "{first} {second}");
            }
        }
    }
}

#[test]
fn what_chains_of_conditions_leave_out_together_is_shown() {
    let text = "m{{ if .a }}a{{ else if .b }}b{{ end }}{{ if .c }}c{{ else if .d }}d{{ end }}{{ if .e }}e{{ end }}";
    assert!(pairs(text).contains(&"m".to_owned()), "{:?}", pairs(text));
}

#[test]
fn pairs_of_inner_branches_are_shown_too_and_those_that_cannot_be_are_not() {
    let text = "{{ if .a }}a{{ if .b }}b{{ else if .c }}c{{ else }}d{{ end }}{{ if .e }}e{{ end }}{{ end }}\
                {{ if .b }}B{{ end }}{{ if .f }}f{{ else }}{{ fail \"x\" }}{{ end }}";
    let mut all = pairs(text);
    all.sort_unstable();
    let possible = ["abBf", "abeBf", "acef", "acf", "adef", "adf", "Bf", "f"];
    assert!(all.iter().all(|text| possible.contains(&text.as_str())), "{all:?}");
    // Each inner branch with and without `e`, and what is outside both with and without `a`.
    assert_eq!(all.len(), possible.len(), "{all:?}");
}

#[test]
fn branches_that_depend_on_what_was_changed_before_are_shown() {
    let f = "{{ $f := false }}{{ if .c }}{{ $f = true }}{{ end }}";
    let [x, y, z] = ["x", "y", "z"].map(|text| format!("m{text}"));
    for (text, expected) in [
        (format!("{f}{{{{ if or .x $f }}}}x{{{{ else }}}}y{{{{ end }}}}"), vec!["x", "y"]),
        (format!("{f}{{{{ if $f }}}}x{{{{ else if .x }}}}y{{{{ else }}}}z{{{{ end }}}}"), vec!["x", "y", "z"]),
        (format!("{f}{{{{ if not $f }}}}{{{{ if .x }}}}x{{{{ else }}}}y{{{{ end }}}}{{{{ else }}}}z{{{{ end }}}}"), vec!["x", "y", "z"]),
        ("{{ if .c }}{{ $_ := set .Values \"t\" true }}{{ end }}{{ if .Values.t }}x{{ else }}y{{ end }}".to_owned(), vec!["x", "y"]),
        ("{{ $v := \"a\" }}{{ if .a }}{{ $v = \"b\" }}{{ else }}{{ $v = \"\" }}{{ end }}{{ if $v }}x{{ else }}y{{ end }}".to_owned(), vec!["x", "y"]),
        // With each other condition.
        (format!("{{{{ if .m }}}}m{{{{ end }}}}{f}{{{{ if $f }}}}x{{{{ else if .x }}}}y{{{{ else }}}}z{{{{ end }}}}"), vec!["x", "y", "z", &x, &y, &z]),
    ] {
        let all = pairs(&text);
        let expected: BTreeSet<&str> = expected.into_iter().collect();
        assert_eq!(all.iter().map(String::as_str).collect::<BTreeSet<_>>(), expected, "{text}");
    }
}

/// A name stays bound to the value that another one replaces in a mapping; what changes in its own value, it has too.
#[test]
fn what_was_bound_before_its_value_is_replaced_is_the_old_one() {
    let branches = "{{ if .Values.t }}x{{ else if $v }}y{{ else }}z{{ end }}";
    let set = "{{ $_ := set .Values \"t\" .Values.u }}";
    for text in [
        format!("{{{{ $v := .Values.t }}}}{set}{branches}"),
        format!("{{{{ $v := index .Values \"t\" }}}}{set}{branches}"),
        format!("{{{{ $o := .Values.t }}}}{{{{ $v := $o.on }}}}{set}{branches}"),
        format!("{{{{ $v := .Values.t }}}}{{{{ $all := .Values }}}}{{{{ $_ := set $all \"t\" .Values.u }}}}{branches}"),
        format!("{{{{ $v := .Values.t }}}}{{{{ $_ := set $ \"Values\" (dict \"t\" .Values.u) }}}}{branches}"),
        "{{ with .Values.t }}{{ $_ := set $.Values \"t\" .u }}{{ if $.Values.t }}x{{ else if .on }}y{{ else }}z{{ end }}{{ end }}".to_owned(),
        format!("{{{{ $v := .Values.t }}}}{{{{ range .Values.l }}}}{{{{ $_ := set $.Values \"t\" .on }}}}{{{{ end }}}}{branches}"),
        // Mappings in it can be changed, other values are not.
        format!("{{{{ $v := .Values.t }}}}{{{{ $_ := merge .Values (dict \"t\" .Values.u) }}}}{branches}"),
        format!("{{{{ $o := .Values.o }}}}{{{{ $v := $o.t }}}}{{{{ $_ := mergeOverwrite .Values (dict \"t\" .Values.u) }}}}{branches}"),
    ] {
        let all = pairs(&text);
        let all: BTreeSet<&str> = all.iter().map(String::as_str).filter(|text| !text.is_empty()).collect();
        assert_eq!(all, BTreeSet::from(["x", "y", "z"]), "{text}");
    }
    for text in [
        "{{ $v := .Values }}{{ $_ := set .Values \"t\" true }}{{ if $v.t }}x{{ else }}y{{ end }}",
        "{{ $v := .Values.o }}{{ $_ := set .Values.o \"t\" true }}{{ if $v.t }}x{{ else }}y{{ end }}",
        "{{ $_ := set .Values \"t\" true }}{{ $v := .Values.t }}{{ if $v }}x{{ else }}y{{ end }}",
        "{{ with .Values }}{{ $_ := set $.Values \"t\" true }}{{ if .t }}x{{ else }}y{{ end }}{{ end }}",
    ] {
        let all = pairs(text);
        assert!(all.contains(&"x".to_owned()) && !all.contains(&"y".to_owned()), "{text} {all:?}");
    }
}

#[test]
fn a_branch_that_several_conditions_before_it_decide_about_is_read() {
    let build = |name: char| format!("{{{{ if .{name} }}}}{{{{ $x = printf \"%s{name}\" $x }}}}{{{{ end }}}}");
    for (names, expected) in [("ab", "b"), ("abc", "ac"), ("abcd", "bd"), ("abcde", "ace")] {
        let built: String = names.chars().map(build).collect();
        let text = format!("{{{{ $x := \"\" }}}}{built}{{{{ if eq $x \"{expected}\" }}}}yes{{{{ end }}}}");
        assert!(pairs(&text).contains(&"yes".to_owned()), "{text}");
    }
}

/// As many combinations as a machine word cannot count.
#[test]
fn a_branch_that_very_many_conditions_before_it_decide_about_is_read() {
    let changes: String =
        (0..70).map(|at| format!("{{{{ if .Values.a{at} }}}}{{{{ $f = true }}}}{{{{ end }}}}")).collect();
    let all = pairs(&format!("{{{{ $f := false }}}}{changes}{{{{ if $f }}}}x{{{{ else }}}}y{{{{ end }}}}"));
    assert_eq!(all.iter().map(String::as_str).collect::<BTreeSet<_>>(), BTreeSet::from(["x", "y"]));
}
