//! Answers: do the laws of reading and editing hold for arbitrary templates?

use super::chart::{Chart, NEW, UNKNOWN};
use crate::syntax::template::agree::{Edited, Mismatch, agree, verify};
use crate::syntax::template::environment::Environment;
use crate::syntax::template::reading::{Placeholders, Reading, Segment, Source};
use crate::syntax::template::search::{Coverage, Readings, reading_keeping, reading_with, readings};
use crate::syntax::template::tree::Template;
use crate::syntax::text::{Edit, EditSet, Span};
use crate::syntax::variable::ACTION;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Numbers that look random, the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        // Marsaglia, "Xorshift RNGs".
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit as u64).unwrap()
    }

    fn one_of<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.below(texts.len())]
    }
}

const LITERALS: [&str; 12] =
    ["\n", "  ", "a: 1\n", "apiVersion: old/v1\n", "- b", "\r\n", "---\n", "é: \"}}\"\n", "# c\n", "  d:\n", " ", "e-"];
const VALUES: [&str; 14] = [
    ".x",
    ".Values.a.b",
    "include \"h\" .",
    "include \"h\" . | nindent 4",
    "toYaml .y | indent 2",
    "\"---\"",
    "`}}`",
    "$v",
    "$.z",
    "print \"k\" | quote",
    "/* }} */",
    "$v = .x",
    "include \"v\" $",
    "1",
];
const CONDITIONS: [&str; 9] = [
    ".x",
    ".Values.a",
    "not .x",
    "and .x .y",
    "or .Values.a .x",
    "eq .x \"a\"",
    "include \"h\" .",
    "$v",
    ".Capabilities.APIVersions.Has \"policy/v1\"",
];

fn action(dice: &mut Dice, inside: &str) -> String {
    let (open, close) = (dice.one_of(&["{{", "{{- ", "{{"]), dice.one_of(&["}}", " -}}", "}}"]));
    let blank = if inside.starts_with("/*") { "" } else { " " };
    format!("{open}{blank}{inside}{blank}{close}")
}

fn nodes(dice: &mut Dice, depth: usize, out: &mut String) {
    for _ in 0..=dice.below(5) {
        match dice.below(if depth < 3 { 7 } else { 5 }) {
            0..=2 => out.push_str(dice.one_of(&LITERALS)),
            3 | 4 => {
                let value = dice.one_of(&VALUES);
                out.push_str(&action(dice, value));
            }
            _ => block(dice, depth, out),
        }
    }
}

fn block(dice: &mut Dice, depth: usize, out: &mut String) {
    let (word, condition) = (dice.one_of(&["if", "if", "with", "range"]), dice.one_of(&CONDITIONS));
    out.push_str(&action(dice, &format!("{word} {condition}")));
    nodes(dice, depth + 1, out);
    if word == "range" && dice.below(4) == 0 {
        out.push_str("{{ if .q }}q{{ continue }}{{ end }}");
        nodes(dice, depth + 1, out);
    }
    if word == "if" && dice.below(3) == 0 {
        let condition = dice.one_of(&CONDITIONS);
        out.push_str(&action(dice, &format!("else if {condition}")));
        nodes(dice, depth + 1, out);
    }
    if dice.below(2) == 0 {
        out.push_str(&action(dice, "else"));
        nodes(dice, depth + 1, out);
    }
    out.push_str(&action(dice, "end"));
}

/// Returns a template with two helpers and a variable.
fn template(dice: &mut Dice) -> String {
    let mut text = "{{- define \"h\" }}{{ if .x }}h{{ end }}{{ end -}}\n".to_owned();
    text.push_str(
        "{{- define \"v\" }}{{ if .Capabilities.APIVersions.Has \"policy/v1\" }}new{{ else }}old{{ end }}{{ end -}}\n",
    );
    text.push_str("{{ $v := .Values.v }}");
    nodes(dice, 0, &mut text);
    text
}

fn charts() -> impl Iterator<Item = Chart> {
    (1..=150_u64).map(|seed| {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let cluster = if seed % 2 == 0 { UNKNOWN } else { NEW };
        Chart::new(&template(&mut dice), cluster)
    })
}

fn literals(readings: &[Reading]) -> BTreeSet<Span> {
    let sources = readings.iter().flat_map(|reading| &reading.segments).map(|segment| segment.source);
    sources.filter_map(|source| if let Source::Literal(span) = source { Some(span) } else { None }).collect()
}

#[test]
fn t1_each_literal_is_in_a_reading_or_told_and_has_one_home() {
    for chart in charts() {
        let text = chart.template.text();
        for part in chart.template.parts() {
            let found = readings(part, chart.environment(), Coverage::Each, 400);
            let printed = literals(&found.readings);
            let dead = |span: &Span| {
                found.unprinted.iter().any(|one| one.span.start <= span.start && span.end <= one.span.end)
            };
            let homes: Vec<_> = part.literals().into_iter().filter(|span| !dead(span)).collect();
            assert_eq!(printed, homes.iter().copied().collect(), "{text}");
            assert_eq!(found.untried, 0, "{text}");
            for reading in &found.readings {
                let ends = reading.segments.iter().map(|segment| segment.printed);
                assert!(ends.clone().zip(ends.skip(1)).all(|(one, next)| one.end == next.start), "{text}");
                let sources: Vec<_> = reading.segments.iter().map(|segment| segment.span(&chart.template)).collect();
                assert!(sources.windows(2).all(|pair| pair[0].end <= pair[1].start), "{text}");
            }
        }
        let all: usize =
            chart.template.parts().flat_map(|part| part.literals()).map(|span| span.end - span.start).sum();
        assert!(all <= text.len());
    }
}

/// Returns whether an action stands for the end of the line of dashes.
fn ends_a_line(reading: &Reading) -> bool {
    let is_end = |segment: &Segment| {
        matches!(segment.source, Source::Known(_))
            && segment.printed.of(&reading.text) == "\n"
            && reading.text[..segment.printed.start].ends_with("---")
    };
    reading.segments.iter().any(is_end)
}

/// Edits each reading as a rule does: by what stands in its text.
fn edits(text: &str, how: usize) -> EditSet {
    let (mut at, mut edits) = (0, Vec::new());
    for line in text.split_inclusive('\n') {
        let (end, next) = (at + line.trim_end().len(), at + line.len());
        match how {
            0 if line.contains("old/v1") => {
                let start = at + line.find("old/v1").unwrap();
                edits.push(Edit::new(start, start + 6, "new"));
            }
            1 if line.starts_with("a: 1") => edits.push(Edit::new(end, end, "\nnew: 2")),
            2 if line.starts_with("a: 1") => edits.push(Edit::new(at, at, "new: 2\n")),
            3 if line.starts_with("a: 1") => edits.push(Edit::new(at, next, "")),
            4 if !line.trim().is_empty() => edits.push(Edit::new(at, at, "  ")),
            _ => {}
        }
        at = next;
    }
    EditSet::new(edits).unwrap()
}

#[test]
fn t2_and_t3_edits_keep_actions_and_every_reading_prints_its_edited_text() {
    let (mut agreed, mut held) = (0, 0);
    for chart in charts() {
        let found = chart.readings().readings;
        for how in 0..5 {
            let sets: Vec<_> = found.iter().map(|reading| edits(&reading.text, how)).collect();
            let edited: Vec<_> = found.iter().zip(&sets).map(|(reading, edits)| Edited { reading, edits }).collect();
            let Ok(mapped) = agree(&chart.template, &edited) else {
                held += 1;
                continue;
            };
            agreed += usize::from(!mapped.edits.is_empty());
            let text = chart.template.text();
            match verify(&chart.template, &mapped.edits, &edited, chart.environment()) {
                Ok(()) => {}
                // What an action prints would belong to another line, or the line it belongs to is gone.
                Err(Mismatch::Hole(_)) => held += 1,
                // What an action glues to the dashes of a document is gone, and with it the end of their line.
                Err(Mismatch::Reading(number, _)) if ends_a_line(&found[number]) => held += 1,
                Err(mismatch) => panic!("{mismatch:?} {how}\n{text}\n=>\n{}", mapped.edits.apply(text)),
            }
            let after = Template::parse(mapped.edits.apply(text)).unwrap();
            let actions = |template: &Template| -> Vec<String> {
                template.actions().iter().map(|action| action.span.of(template.text()).to_owned()).collect()
            };
            assert_eq!(actions(&chart.template), actions(&after), "{text}");
        }
    }
    assert!(agreed > 150 && held < 160, "{agreed} {held}");
}

/// What is known of its actions, too, though in a search that was found for another reading.
#[test]
fn a_reading_is_printed_again_from_what_it_assumes() {
    let (values, mut defaults) = (json!({"a": {"b": 1}, "v": "t", "x": ["u", "w"]}), 0);
    for chart in charts() {
        let environment = Environment { values: Some(&values), chart_values: Some(&values), ..chart.environment() };
        for part in chart.template.parts() {
            for reading in readings(part, environment, Coverage::Pairs, 400).readings {
                let again = reading_with(part, environment, &reading, []).unwrap();
                let text = chart.template.text();
                let known = |of: &Reading| {
                    let values = (of.defaults.clone(), of.alternatives.clone(), of.texts.clone(), of.keys.clone());
                    (values, of.required.clone(), of.missing.clone(), of.known.clone())
                };
                assert_eq!(known(&again), known(&reading), "{text}");
                for (one, other) in again.holes.iter().zip(&reading.holes) {
                    // What two readings of one text disagree about is set to nothing.
                    let is_open = other.by_default == Some(vec![Value::Null]);
                    assert!(is_open || one == other, "{one:?} {other:?} {text}");
                }
                defaults += reading.defaults.len();
                assert_eq!((again.text, again.choices), (reading.text, reading.choices), "{text}");
            }
        }
    }
    assert!(defaults > 300, "{defaults}");
}

#[test]
fn a_reading_with_placeholders_for_known_texts_prints_the_same_lines() {
    let mut count = 0;
    for chart in charts() {
        let (template, text) = (&chart.template, chart.template.text());
        let placeholders = Placeholders::new(template);
        let own = template.actions().iter().filter(|action| !action.is_comment());
        let kept =
            own.filter(|action| action.content.of(text) != "\"---\"").map(|action| action.untrimmed(text)).collect();
        for part in template.parts() {
            for reading in readings(part, chart.environment(), Coverage::Each, 400).readings {
                let printed = reading_keeping(part, chart.environment(), &reading, &kept).unwrap();
                let lines = |of: &Reading| printed.printed_lines(&placeholders, &of.text);
                assert_eq!(lines(&printed), lines(&reading), "{text}");
                count += printed.known.len();
            }
        }
    }
    assert!(count > 100, "{count}");
}

#[test]
fn arbitrary_edits_of_a_reading_are_carried_back_exactly_or_refused() {
    let (mut carried, mut refused) = (0, 0);
    let mut dice = Dice(77);
    for chart in charts() {
        let Readings { readings, required, .. } = chart.readings();
        for reading in readings.iter().take(required).flat_map(|reading| [reading; 2]) {
            let text = &reading.text;
            let places: Vec<_> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
            let (one, other) = (places[dice.below(places.len())], places[dice.below(places.len())]);
            let span = Span::new(one.min(other), one.max(other).min(one.min(other) + dice.below(9)));
            let known =
                reading.names.values().next().map_or(String::new(), |number| format!("${{REVERSION_ACTION_{number}}}"));
            let new = dice.one_of(&["", "new", "\n  new: 1", "new: 1\n", "é", " ", &known]);
            // A rule edits a placeholder whole.
            let mut placeholders = text.match_indices(ACTION).map(|(at, _)| (at, at + text[at..].find('}').unwrap()));
            let is_split =
                placeholders.any(|(start, end)| [span.start, span.end].iter().any(|at| start < *at && *at <= end));
            if is_split || !text.is_char_boundary(span.end) {
                continue;
            }
            let edits = EditSet::new(vec![Edit { span, text: new.to_owned() }]).unwrap();
            let Ok(mapped) = reading.edits_in_source(&chart.template, &edits) else {
                refused += 1;
                continue;
            };
            let edited = [Edited { reading, edits: &edits }];
            match verify(&chart.template, &mapped.edits, &edited, chart.environment()) {
                Ok(()) => carried += 1,
                Err(Mismatch::Hole(_)) => refused += 1,
                // A copy in another scope prints something else, and a hole that loses its line is none.
                Err(Mismatch::Reading(..)) if new == known || !reading.holes.is_empty() || ends_a_line(reading) => {
                    refused += 1
                }
                // A text directly behind the dashes of a document gets a line of its own.
                Err(Mismatch::Reading(..)) if is_behind_dashes(&edits.apply(text)) => refused += 1,
                Err(mismatch) => panic!("{mismatch:?} {edits:?}\n{text}\n{}\n=>\n{mapped:?}", chart.template.text()),
            }
        }
    }
    assert!(carried > 400 && refused < 400, "{carried} {refused}");
}

fn is_behind_dashes(text: &str) -> bool {
    let mut rests = text.lines().filter_map(|line| line.strip_prefix("---"));
    rests.any(|rest| rest.starts_with(char::is_alphanumeric))
}

#[test]
fn no_text_makes_it_panic() {
    let pieces = [
        "{{",
        "}}",
        "-",
        " ",
        "\"",
        "`",
        "'",
        "/*",
        "*/",
        "|",
        "(",
        ")",
        ".",
        "$",
        "$x",
        ":=",
        "=",
        "\n",
        "if",
        "end",
        "else",
        "range",
        "with",
        "define",
        "x",
        "é",
        "\\",
        "{{- end }}",
        "{{ if .x }}",
        "{{ end -}}",
        "{{ .y }}",
        ",",
        "\r\n",
        "nindent 2",
    ];
    let (mut dice, mut read) = (Dice(5), 0);
    for _ in 0..4000 {
        let text: String = (0..dice.below(24)).map(|_| dice.one_of(&pieces)).collect();
        let Ok(template) = Template::parse(text.as_str()) else { continue };
        let chart = Chart::new(template.text(), NEW);
        for part in chart.template.parts() {
            let found = readings(part, chart.environment(), Coverage::Pairs, 20);
            read += found.readings.len();
            let homes = found
                .readings
                .iter()
                .all(|reading| reading.segments.iter().all(|one| one.printed.end <= reading.text.len()));
            assert!(homes, "{text}");
        }
    }
    assert!(read > 1000, "{read}");
}
