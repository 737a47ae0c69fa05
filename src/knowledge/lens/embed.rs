//! The operation `embed`: a mapping or list on one side is a text that holds it on the other.

use serde::Deserialize;
use serde_json::Value;

use super::operation::{Description, Direction, Fidelity, Form, Image, Operation, Pass, Premise, Side};
use super::session::{Halt, Session};
use crate::syntax::field::{FieldPath, FieldPattern};
use crate::syntax::yaml::{Intent, TextFormat, is_written_as_structure};

/// `embed: { field: "spec.patches[]", format: yaml, text: old }`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Embed {
    /// The value that is a text on one side.
    field: FieldPattern,
    /// The language of the text.
    format: TextFormat,
    /// The side that has the text.
    text: Edition,
}

/// The side of a rule that has the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Edition {
    /// The old one: forward, the text becomes a structure.
    Old,
    /// The new one: forward, the structure becomes a text.
    New,
}

impl Embed {
    pub(super) const DESCRIPTION: Description = Description {
        name: "embed",
        text: "Turns a text that holds a mapping or list (`format: yaml` or `json`) into that mapping or list, and back: `text: old` \
               says that the old side has the text, `text: new` that the new side has it. The lines of a literal block (`|`) stay \
               as they are, with their comments, numbers and quotes; what is in brackets on one line gets or loses its quotes. A \
               text with anchors, tags, tabs, duplicate keys or several documents is held back. A text that does not end with one \
               line end is reported as normalized.",
        example: "embed: { field: spec.settings, format: yaml, text: old }",
    };

    /// Whether the text becomes a structure.
    fn parses(&self, direction: Direction) -> bool {
        (self.text == Edition::Old) == (direction == Direction::Forward)
    }

    fn parse(&self, path: FieldPath, session: &mut Session<'_>) -> Result<(), Halt> {
        let Some(text) = path.get(session.object()).and_then(Value::as_str) else { return Ok(()) };
        let is_exact = is_written_as_structure(text);
        if let Err(why) = self.format.structure_of(text) {
            let reason = format!("the text in {path} cannot become a mapping or list: {why}");
            let help = "write it as one YAML document without these, or convert it by hand";
            return Err(Halt::refused(path, reason, help));
        }
        if !is_exact {
            session.record_normalization(&path, "as text again, it has other line ends");
        }
        session.change(Intent::ParseText { path, format: self.format })
    }

    fn write(&self, path: FieldPath, session: &mut Session<'_>) -> Result<(), Halt> {
        let is_structure = path.get(session.object()).is_some_and(|value| value.is_object() || value.is_array());
        if is_structure { session.change(Intent::WriteText { path, format: self.format }) } else { Ok(()) }
    }
}

impl Operation for Embed {
    fn run(&self, pass: &Pass<'_>, session: &mut Session<'_>) -> Result<(), Halt> {
        for path in self.field.matches(session.object()) {
            match self.parses(pass.direction) {
                true => self.parse(path, session)?,
                false => self.write(path, session)?,
            }
        }
        Ok(())
    }

    fn premises(&self) -> Vec<Premise> {
        let (text, structure) = match self.text {
            Edition::Old => (Side::Old, Side::New),
            Edition::New => (Side::New, Side::Old),
        };
        vec![Premise::new(&self.field, Form::Text, text), Premise::new(&self.field, Form::Structure, structure)]
    }

    fn makes_valid(&self, _direction: Direction, field: &FieldPattern) -> bool {
        *field == self.field
    }

    fn image(&self, direction: Direction, field: &FieldPattern) -> Image {
        // What is below the field is part of its text.
        let is_in_text = !self.parses(direction) && field.starts_with(&self.field) && *field != self.field;
        if is_in_text { Image::Moved(self.field.clone()) } else { Image::Kept }
    }

    fn fidelities(&self, direction: Direction) -> Vec<Fidelity> {
        match self.parses(direction) {
            true => vec![Fidelity::Exact, Fidelity::Normalized, Fidelity::Refused],
            false => vec![Fidelity::Exact],
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::trial::operation;
    use super::*;
    use crate::knowledge::release::GroupKind;

    #[test]
    fn a_text_becomes_what_it_holds_and_back() {
        let embed = operation("embed: { field: \"l[]\", format: yaml, text: old }");
        let mut session = Session::new(json!({"l": ["a: 1\n", {"b": 2}, "c: 3"]}));
        embed.run(&mut session).unwrap();
        assert_eq!(session.object(), &json!({"l": [{"a": 1}, {"b": 2}, {"c": 3}]}));
        let normalized: Vec<_> = session.normalized().iter().map(|one| one.path.to_string()).collect();
        assert_eq!(normalized, ["l[2]"], "only the text without a line end does not come back");
        let back = embed.inverse(&GroupKind::new("A", ""));
        back.run(&mut session).unwrap();
        assert_eq!(session.object(), &json!({"l": ["a: 1\n", "b: 2\n", "c: 3\n"]}));
    }

    #[test]
    fn a_text_that_cannot_come_back_is_refused() {
        let embed = operation("embed: { field: a, format: json, text: old }");
        let halt = embed.run(&mut Session::new(json!({"a": "{b: 1}"}))).unwrap_err();
        let reason = "the text in a cannot become a mapping or list: it is not JSON";
        assert!(matches!(halt, Halt::Refused { reason: found, .. } if found == reason));
    }

    #[test]
    fn what_is_below_the_field_is_part_of_its_text() {
        let field = |text: &str| FieldPattern::parse(text).unwrap();
        let embed = operation("embed: { field: spec.s, format: yaml, text: new }");
        assert_eq!(embed.image(&field("spec.s.a")), Image::Moved(field("spec.s")));
        assert_eq!(embed.image(&field("spec.s")), Image::Kept);
        assert_eq!(embed.inverse(&GroupKind::new("A", "")).image(&field("spec.s.a")), Image::Kept);
    }
}
