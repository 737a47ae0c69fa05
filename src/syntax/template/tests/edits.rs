//! Answers: are edits of readings carried back to the file, or the action named that stands in the way?

use super::chart::{Chart, NEW, UNKNOWN};
use crate::syntax::template::agree::{Disagreement, Edited, Mismatch, agree, verify};
use crate::syntax::template::source::Obstacle;
use crate::syntax::text::{Edit, EditSet, Span};

/// Returns the edits that replace each `old` in a text by `new`; changes that differ in white space only are insertions or deletions.
fn replacing(text: &str, changes: &[[&str; 2]]) -> EditSet {
    let found = changes.iter().flat_map(|[old, new]| {
        text.match_indices(old).map(|(at, _)| Edit::new(at, at + old.len(), *new)).collect::<Vec<_>>()
    });
    EditSet::new(found.collect()).unwrap()
}

/// Converts a file: in every reading, each `old` becomes `new`. An error says which action stands in the way.
fn convert(chart: &Chart, changes: &[[&str; 2]]) -> Result<String, String> {
    let readings = chart.readings().readings;
    let sets: Vec<_> = readings.iter().map(|reading| replacing(&reading.text, changes)).collect();
    let edited: Vec<_> = readings.iter().zip(&sets).map(|(reading, edits)| Edited { reading, edits }).collect();
    let mapped = agree(&chart.template, &edited).map_err(|disagreement| match disagreement {
        Disagreement::Obstacle(Obstacle { action }) => format!("obstacle {}", chart.action(action)),
        Disagreement::Conflict { action, .. } => format!("conflict {}", chart.action(action)),
    })?;
    verify(&chart.template, &mapped.edits, &edited, chart.environment()).map_err(|mismatch| format!("{mismatch:?}"))?;
    Ok(mapped.edits.apply(chart.template.text()))
}

fn assert_converts(text: &str, changes: &[[&str; 2]], expected: &str) {
    assert_eq!(convert(&Chart::new(text, UNKNOWN), changes).as_deref(), Ok(expected), "{text}");
}

fn assert_held_back(text: &str, changes: &[[&str; 2]], expected: &str) {
    assert_eq!(convert(&Chart::new(text, UNKNOWN), changes).unwrap_err(), expected, "{text}");
}

#[test]
fn literals_are_edited_between_actions() {
    assert_converts(
        "{{- if .x -}}\napiVersion: old/v1\nkind: A\n{{- end }}\n",
        &[["old/v1", "new/v2"]],
        "{{- if .x -}}\napiVersion: new/v2\nkind: A\n{{- end }}\n",
    );
    assert_converts("a: {{ .x }}-old-{{ .y }}\n", &[["-old-", "-new-"]], "a: {{ .x }}-new-{{ .y }}\n");
    assert_converts(
        "a: old\r\n{{- if .x }}\r\nb: old\r\n{{- end }}\r\n",
        &[["old", "n"]],
        "a: n\r\n{{- if .x }}\r\nb: n\r\n{{- end }}\r\n",
    );
}

#[test]
fn versions_of_one_scalar_over_lines_are_edited_each() {
    assert_converts(
        "apiVersion: {{ if .x -}}\nold/v1\n{{- else -}}\nold/v2\n{{- end }}\nkind: A\n",
        &[["old/v1", "new"], ["old/v2", "new"]],
        "apiVersion: {{ if .x -}}\nnew\n{{- else -}}\nnew\n{{- end }}\nkind: A\n",
    );
}

#[test]
fn actions_stay_inside_a_text_that_is_edited_around_them() {
    assert_converts(
        "a: {{ .x }}\n",
        &[["a: ${REVERSION_ACTION_0}", "b: \"${REVERSION_ACTION_0}\""]],
        "b: \"{{ .x }}\"\n",
    );
    assert_converts("a:\n{{- /* b */}}\n  c: 1\n", &[["c: 1", "d: 1"]], "a:\n{{- /* b */}}\n  d: 1\n");
    assert_converts(
        "port: {{ .x }}\nname: y\n",
        &[["port: ${REVERSION_ACTION_0}\n", "service:\n  number: ${REVERSION_ACTION_0}\n"]],
        "service:\n  number: {{ .x }}\nname: y\n",
    );
}

#[test]
fn values_with_actions_move() {
    assert_converts(
        "spec:\n  name: {{ .x }}-a\n  backend:\n    b: 1\n",
        &[["  name: ${REVERSION_ACTION_0}-a\n", ""], ["b: 1\n", "b: 1\n    name: ${REVERSION_ACTION_0}-a\n"]],
        "spec:\n  backend:\n    b: 1\n    name: {{ .x }}-a\n",
    );
    assert_converts(
        "a: {{- .x }}\nb: {{ .y }}\n",
        &[[
            "a:${REVERSION_ACTION_0}\nb: ${REVERSION_ACTION_1}\n",
            "b: ${REVERSION_ACTION_1}\na:${REVERSION_ACTION_0}\n",
        ]],
        "b: {{ .y }}\na:{{- .x }}\n",
    );
}

#[test]
fn an_edit_may_begin_or_end_inside_a_placeholder() {
    let text = "a: {{ .x }}\nb: {{ .y }}\nc:\n";
    let chart = Chart::new(text, UNKNOWN);
    let reading = &chart.readings().readings[0];
    // What is left of both lines is the first key with the second value; the first value stands elsewhere.
    let at = |part: &str| reading.text.find(part).unwrap();
    let edits =
        vec![Edit::new(at("0}"), at("1}"), ""), Edit::new(at("c:") + 2, at("c:") + 2, " ${REVERSION_ACTION_0}")];
    let edits = EditSet::new(edits).unwrap();
    assert_eq!(edits.apply(&reading.text), "a: ${REVERSION_ACTION_1}\nc: ${REVERSION_ACTION_0}\n");
    let mapped = reading.edits_in_source(&chart.template, &edits).unwrap();
    assert_eq!(mapped.edits.apply(text), "a: {{ .y }}\nc: {{ .x }}\n");
    let inside = EditSet::new(vec![Edit::new(at("0}"), at("0}"), "5")]).unwrap();
    assert_eq!(reading.edits_in_source(&chart.template, &inside), Err(Obstacle { action: 0 }));
}

#[test]
fn copies_are_told() {
    let text = "labels:\n  a: {{- .x }}\nspec: {}\n";
    let chart = Chart::new(text, UNKNOWN);
    let reading = &chart.readings().readings[0];
    // In quotes, it would print something else.
    let quoted = replacing(&reading.text, &[["spec: {}", "spec: {a: \"${REVERSION_ACTION_0}\"}"]]);
    assert_eq!(reading.edits_in_source(&chart.template, &quoted), Err(Obstacle { action: 0 }));
    let edits = replacing(&reading.text, &[["spec: {}", "spec:\n  a: ${REVERSION_ACTION_0}"]]);
    let mapped = reading.edits_in_source(&chart.template, &edits).unwrap();
    assert_eq!(mapped.edits.apply(text), "labels:\n  a: {{- .x }}\nspec:\n  a: {{ .x }}\n");
    assert_eq!(mapped.copied, [0]);
    assert_eq!(
        verify(&chart.template, &mapped.edits, &[Edited { reading, edits: &edits }], chart.environment()),
        Ok(())
    );
}

#[test]
fn an_action_is_never_lost() {
    assert_held_back("a: {{ .x }}\nb: 1\n", &[["a: ${REVERSION_ACTION_0}\n", ""]], "obstacle {{ .x }}");
    assert_held_back("a: {{ .x }}\n", &[["${REVERSION_ACTION_0}", "b"]], "obstacle {{ .x }}");
    assert_held_back(
        "a:\n  {{- include \"x\" . | nindent 2 }}\nb: 1\n",
        &[["a:\nb: 1", "c: 1"]],
        "obstacle {{- include \"x\" . | nindent 2 }}",
    );
    assert_held_back("a: 1\n{{- /* b */}}\nc: 1\n", &[["a: 1\nc", "d"]], "obstacle {{- /* b */}}");
    assert_held_back("a: {{ \"x\" }}\n", &[["a: x", "a: y"]], "obstacle {{ \"x\" }}");
    assert_held_back("{{ if .x }}a: 1{{ end }}\nb: 2\n", &[["a: 1\nb: 2", "c: 3"]], "obstacle {{ end }}");
}

#[test]
fn a_line_is_deleted_with_the_line_end_that_is_beside_it() {
    // The line end behind the line is eaten, so the one before it goes.
    assert_converts(
        "a: 1\nb: 2\n{{- if .x }}\nc: 3\n{{- end }}\n",
        &[["b: 2\n", ""]],
        "a: 1\n{{- if .x }}\nc: 3\n{{- end }}\n",
    );
    assert_converts("{{ if .x -}}\na: 1\nb: 2\n{{ end -}}\n", &[["a: 1\n", ""]], "{{ if .x -}}\nb: 2\n{{ end -}}\n");
    assert_converts(
        "a: 1\n{{- if .x }}\nb: 2\n{{- end }}\nc: 3\n",
        &[["b: 2\n", ""]],
        "a: 1\n{{- if .x }}\n{{- end }}\nc: 3\n",
    );
}

#[test]
fn insertions_are_anchored_at_text() {
    // Behind a value: what comes next may be gone in another reading.
    assert_converts(
        "spec:\n  a: 1\n{{- if .x }}\n  b: 2\n{{- end }}\n",
        &[["  a: 1\n", "  a: 1\n  new: 3\n"]],
        "spec:\n  a: 1\n  new: 3\n{{- if .x }}\n  b: 2\n{{- end }}\n",
    );
    // Before the first key, whichever it is.
    assert_converts(
        "spec:\n{{- if .x }}\n  a: 1\n{{- end }}\n  b: 2\n",
        &[["spec:\n", "spec:\n  new: 3\n"]],
        "spec:\n  new: 3\n{{- if .x }}\n  a: 1\n{{- end }}\n  b: 2\n",
    );
    // Into a mapping that stands in a condition.
    assert_converts(
        "{{- if .x }}\na:\n  b: 1\n{{- end }}\nc: 2\n",
        &[["a:\n  b: 1\n", "a:\n  new: 3\n  b: 1\n"]],
        "{{- if .x }}\na:\n  new: 3\n  b: 1\n{{- end }}\nc: 2\n",
    );
    // The key is glued to a mark that would eat the line end.
    assert_converts(
        "{{ if .x -}}\n  a: 1\n{{ end }}\n",
        &[["a: 1", "new: 3\na: 1"]],
        "{{ if .x -}}\n  new: 3\na: 1\n{{ end }}\n",
    );
    // The mark behind the value would eat it.
    assert_converts(
        "a: 1\n{{- if .x }}\nb: 2\n{{- end }}",
        &[["a: 1\n", "a: 1\n\n"]],
        "a: 1\n{{- if .x }}\n\nb: 2\n{{- end }}",
    );
    // Behind a value that an action prints.
    assert_converts(
        "a: {{ .x }}\n{{- if .y }}\nb: 1\n{{- end }}\n",
        &[["${REVERSION_ACTION_0}\n", "${REVERSION_ACTION_0}\nn: 2\n"]],
        "a: {{ .x }}\nn: 2\n{{- if .y }}\nb: 1\n{{- end }}\n",
    );
    // All that follows is eaten: there is no place behind the value.
    assert_held_back("a: {{ .x -}}\n", &[["${REVERSION_ACTION_0}", "${REVERSION_ACTION_0}b"]], "obstacle {{ .x -}}");
}

#[test]
fn readings_that_print_the_same_bytes_agree() {
    // One reading wants the edit, the other prints the same bytes and does not.
    assert_held_back(
        "kind: {{ if .x }}A{{ else }}B{{ end }}\nspec: old\n",
        &[["A\nspec: old", "A\nspec: new"]],
        "conflict {{ if .x }}",
    );
    // Only one reading wants the line, so it belongs to the key that only that reading prints.
    assert_converts(
        "spec:\n  a: 1\n{{- if .x }}\n  b: 2\n{{- end }}\n",
        &[["  a: 1\n  b: 2\n", "  a: 1\n  new: 3\n  b: 2\n"]],
        "spec:\n  a: 1\n{{- if .x }}\n  new: 3\n  b: 2\n{{- end }}\n",
    );
    // Serving fields and name fields in conditions of their own.
    assert_converts(
        "{{- if .x }}\nport: 1\n{{- end }}\n{{- if .y }}\nname: a\n{{- end }}\n",
        &[["port: 1", "number: 1"], ["name: a", "id: a"]],
        "{{- if .x }}\nnumber: 1\n{{- end }}\n{{- if .y }}\nid: a\n{{- end }}\n",
    );
}

#[test]
fn what_is_dead_for_the_target_stays() {
    let text =
        "{{ if .Capabilities.APIVersions.Has \"policy/v1\" }}\napiVersion: old\n{{ else }}\napiVersion: old\n{{ end }}";
    let chart = Chart::new(text, NEW);
    assert_eq!(
        convert(&chart, &[["old", "new"]]).unwrap(),
        "{{ if .Capabilities.APIVersions.Has \"policy/v1\" }}\napiVersion: new\n{{ else }}\napiVersion: old\n{{ end }}"
    );
}

#[test]
fn a_file_that_prints_something_else_is_found() {
    let chart = Chart::new("a: {{ .x }}\n{{- with .y }}\nb: 1\n{{- end }}\n", UNKNOWN);
    let found = chart.readings().readings;
    let none = EditSet::default();
    let edited: Vec<_> = found.iter().map(|reading| Edited { reading, edits: &none }).collect();
    let check = |start: usize, end: usize, text: &str| {
        let edits = EditSet::new(vec![Edit::new(start, end, text)]).unwrap();
        verify(&chart.template, &edits, &edited, chart.environment())
    };
    assert_eq!(verify(&chart.template, &none, &edited, chart.environment()), Ok(()));
    assert!(matches!(check(0, 1, "c"), Err(Mismatch::Reading(0, _))));
    assert_eq!(check(6, 8, "$."), Err(Mismatch::Actions));
    assert!(matches!(check(3, 3, "{{ if .z }}"), Err(Mismatch::Unclosed(_))));
    // Inside `with`, the dot is another one: a copy there prints another value.
    let at = chart.template.text().find("\nb").unwrap();
    assert!(matches!(check(at, at, "\nc: {{ .x }}"), Err(Mismatch::Reading(0, _))));
}

#[test]
fn a_value_does_not_move_to_where_it_means_another() {
    let text = "x: {{ .x }}\n{{- with .y }}\nb: 1\n{{- end }}\n";
    let changes = [["x: ${REVERSION_ACTION_0}\nb: 1", "b: ${REVERSION_ACTION_0}"]];
    assert!(convert(&Chart::new(text, UNKNOWN), &changes).is_err());
    let text = "spec:\n  x: {{ .x }}\n  a: 1\n{{- with .y }}\n  b: 1\n{{- end }}\n";
    let chart = Chart::new(text, UNKNOWN);
    let reading = &chart.readings().readings[0];
    let edits = replacing(&reading.text, &[["  x: ${REVERSION_ACTION_0}\n", ""], ["b: 1", "b: ${REVERSION_ACTION_0}"]]);
    let mapped = reading.edits_in_source(&chart.template, &edits).unwrap();
    let edited = [Edited { reading, edits: &edits }];
    let found = verify(&chart.template, &mapped.edits, &edited, chart.environment());
    assert!(matches!(found, Err(Mismatch::Reading(0, _))), "{found:?}");
}

#[test]
fn a_conflict_names_the_bytes() {
    let chart = Chart::new("a: {{ if .x }}1{{ end }}\nb: 2\n", UNKNOWN);
    let found = chart.readings().readings;
    let (edits, none) = (replacing(&found[0].text, &[["b: 2", "b: 3"]]), EditSet::default());
    let edited = [Edited { reading: &found[0], edits: &edits }, Edited { reading: &found[1], edits: &none }];
    let conflict = agree(&chart.template, &edited).unwrap_err();
    let at = chart.template.text().find('2').unwrap();
    assert_eq!(conflict, Disagreement::Conflict { span: Span::new(at, at + 1), is_addition: false, action: 0 });
}

#[test]
fn what_stands_in_a_hole_keeps_its_owner() {
    // A sibling behind a key whose value an action prints: behind that action.
    let text = "a:\n  {{- toYaml .x | nindent 2 }}\nc: 1\n";
    assert_converts(text, &[["a:\n", "a:\nb: 2\n"]], "a:\n  {{- toYaml .x | nindent 2 }}\nb: 2\nc: 1\n");
    // A child beside what the action prints.
    assert_converts(text, &[["a:\n", "a:\n  b: 2\n"]], "a:\n  {{- toYaml .x | nindent 2 }}\n  b: 2\nc: 1\n");
    // At another column than what the action prints there is no place.
    let wide = "a:\n  {{- toYaml .x | nindent 4 }}\nc: 1\n";
    assert_held_back(wide, &[["a:\n", "a:\n  b: 2\n"]], "obstacle {{- toYaml .x | nindent 4 }}");
    // Without its key, it would belong to another one.
    let text = "z:\na:\n  {{- toYaml .x | nindent 2 }}\nc: 1\n";
    assert_held_back(text, &[["a:\n", ""]], "Hole(Obstacle { action: 0 })");
    assert_converts(text, &[["a:\n", "b:\n"]], "z:\nb:\n  {{- toYaml .x | nindent 2 }}\nc: 1\n");
    // It belongs to a key with another name, and to none of several that come in its place.
    assert_held_back(text, &[["a:\n", "b:\n  d: 1\n"]], "Hole(Obstacle { action: 0 })");
    // What is written as empty has no more in it.
    let item = "a:\n-\n  {{- toYaml .x | nindent 2 }}\n  b: 1\n";
    assert_held_back(item, &[["-\n", "- {}\n"], ["  b: 1\n", ""]], "Hole(Obstacle { action: 0 })");
    // Around an item, the same column means another thing.
    assert_held_back(text, &[["a:\n", "- a:\n"]], "Hole(Obstacle { action: 0 })");
    // A key with a list at its own column.
    let list = "a:\n{{- toYaml .x | nindent 0 }}\nc: 1\n";
    assert_converts(list, &[["a:\n", "a:\nb: 2\n"]], "a:\n{{- toYaml .x | nindent 0 }}\nb: 2\nc: 1\n");
}
