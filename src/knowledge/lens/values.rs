//! The operation `values`: constants are replaced by a table.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, de};
use serde_json::Value;

use super::operation::{Constant, Description, Direction, Fidelity, Form, Operation, Pass, Premise, Side};
use super::session::{Halt, Session};
use super::verdict::undecided;
use crate::syntax::field::FieldPattern;
use crate::syntax::variable::OpenText;

/// `values: { field: spec.rules[].matches[].path.type, table: { Prefix: PathPrefix } }`
#[derive(Clone, Debug)]
pub(super) struct Values {
    field: FieldPattern,
    table: Vec<Pair>,
}

/// `{ old: true, new: Always }`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Pair {
    old: Value,
    new: Value,
    /// Whether the new value does not become this old one, since another pair has it too.
    #[serde(default, rename = "one-way")]
    is_one_way: bool,
}

impl Pair {
    /// The value that is replaced in `direction`, and the one that it becomes.
    fn facing(&self, direction: Direction) -> [&Value; 2] {
        direction.ends([&self.old, &self.new])
    }
}

impl Values {
    pub(super) const DESCRIPTION: Description = Description {
        name: "values",
        text: "Replaces the value of `field` by the one that the table has for it; a value that is not in the table is left \
               unchanged, and a text with a variable (`${NAME}`) that can become one of them is refused. A table of texts is a mapping; one with other constants is a list of pairs, `{ old: true, new: \
               Always }`: booleans, numbers, texts, lists, mappings. Null is none of them, since it means that a field is \
               absent: `default` writes and removes fields. The table is one to one, and the inverse reads it from right to \
               left; of several values that become the same one, all but one are `one-way: true`, and it is reported that another \
               one comes back: `[{ old: low, new: Low }, { old: lower, new: Low, one-way: true }]`. Exact in data: what comes back is written as the table has it (`yes` as true), in the quotes of its document.",
        example: "values: { field: spec.pull, table: [{ old: true, new: Always }, { old: false, new: Never }] }",
    };

    /// Returns the pair that the table has for `value`.
    fn pair_of(&self, direction: Direction, value: &Value) -> Option<&Pair> {
        let mut pairs = self.table.iter().filter(|pair| direction == Direction::Forward || !pair.is_one_way);
        pairs.find(|pair| pair.facing(direction)[0] == value)
    }

    /// Returns what the table has for `value`.
    fn image_of(&self, direction: Direction, value: &Value) -> Option<&Value> {
        self.pair_of(direction, value).map(|pair| pair.facing(direction)[1])
    }

    /// Says that what becomes of a value comes back as another one.
    fn other_back(&self, pair: &Pair) -> Option<String> {
        let back = self.image_of(Direction::Backward, &pair.new).filter(|_| pair.is_one_way)?;
        Some(format!("{} becomes {}, and converting back makes it {back}", pair.old, pair.new))
    }
}

impl Operation for Values {
    fn run(&self, pass: &Pass<'_>, session: &mut Session) -> Result<(), Halt> {
        for path in self.field.matches(session.object()) {
            let Some(old) = path.get(session.object()) else { continue };
            if OpenText::of(old)
                .is_some_and(|open| self.table.iter().any(|pair| open.can_be(pair.facing(pass.direction)[0])))
            {
                // What it is by default is looked at; what users set is their own, and what is empty is for them to set.
                let is_other =
                    |value: &Value| !value.is_null() && value != "" && self.pair_of(pass.direction, value).is_none();
                let known = old.as_str().and_then(|text| session.open().values_of(text)).unwrap_or_default();
                if !known.is_empty() && known.iter().all(is_other) {
                    continue;
                }
                return Err(undecided(path, session.object()));
            }
            let Some(pair) = self.pair_of(pass.direction, old) else { continue };
            if let Some(told) = self.other_back(pair).filter(|_| pass.direction == Direction::Forward) {
                session.record_normalization(&path, told);
            }
            session.replace(path, pair.facing(pass.direction)[1].clone())?;
        }
        Ok(())
    }

    fn premises(&self) -> Vec<Premise> {
        let value = |value: &Value, side| Premise::new(&self.field, Form::Value(value.clone()), side);
        self.table.iter().flat_map(|pair| [value(&pair.old, Side::Old), value(&pair.new, Side::New)]).collect()
    }

    fn value_image(&self, direction: Direction, field: &FieldPattern, value: &Value) -> Option<Value> {
        (*field == self.field).then(|| self.image_of(direction, value).cloned())?
    }

    /// Values of the other type are none of the old side's.
    fn makes_valid(&self, _direction: Direction, field: &FieldPattern) -> bool {
        let is_same_type = |pair: &Pair| std::mem::discriminant(&pair.old) == std::mem::discriminant(&pair.new);
        *field == self.field && !self.table.iter().any(is_same_type)
    }

    fn fidelities(&self, direction: Direction) -> Vec<Fidelity> {
        let is_one_way = direction == Direction::Forward && self.table.iter().any(|pair| pair.is_one_way);
        [Fidelity::Exact].into_iter().chain(is_one_way.then_some(Fidelity::Normalized)).collect()
    }

    fn constants(&self, direction: Direction) -> Vec<Constant> {
        let values = self.table.iter().map(|pair| pair.facing(direction)[0].clone());
        values.map(|value| Constant { field: self.field.clone(), value, is_default: false }).collect()
    }
}

impl<'de> Deserialize<'de> for Values {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Table {
            Texts(BTreeMap<String, String>),
            Pairs(Vec<Pair>),
        }
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Wire {
            /// The field whose values are replaced.
            field: FieldPattern,
            /// The new value of each old one, `table: { Prefix: PathPrefix }`; or pairs of any constants, `table: [{ old: true, new:
            /// Always }]`. No value may be there twice, on either side, unless all pairs but one that have a new value are `one-way: true`.
            table: Table,
        }
        let Wire { field, table } = Wire::deserialize(deserializer)?;
        let table = match table {
            Table::Texts(texts) => texts
                .into_iter()
                .map(|(old, new)| Pair { old: Value::from(old), new: Value::from(new), is_one_way: false })
                .collect(),
            Table::Pairs(pairs) => pairs,
        };
        check(&field, &table).map_err(de::Error::custom)?;
        Ok(Self { field, table })
    }
}

/// Checks that the table is one to one, and that a value shows which side it is on.
fn check(field: &FieldPattern, table: &[Pair]) -> Result<(), String> {
    if table.is_empty() {
        return Err("the table is empty: write the old and the new values, such as `{ Prefix: PathPrefix }`".to_owned());
    }
    for (at, pair) in table.iter().enumerate() {
        if pair.old.is_null() || pair.new.is_null() {
            return Err(format!(
                "the table of {field} has null, which means that the field is absent: use `default` with `elide` and `write`"
            ));
        }
        let (old, new) = (&pair.old, &pair.new);
        if table[..at].iter().any(|other| other.old == *old) {
            return Err(format!("`{old}` is twice an old value of {field}: the table must be one to one"));
        }
        let mut back = table.iter().filter(|other| other.new == *new && !other.is_one_way);
        match (back.next(), back.next()) {
            (Some(_), None) => {}
            (Some(first), Some(_)) => {
                return Err(format!(
                    "two values of {field} become the same one, {new}: write which one comes back, with `one-way: true` at the others, as in `table: [{{ old: {}, new: {new} }}, {{ old: ..., new: {new}, one-way: true }}]`",
                    first.old
                ));
            }
            (None, _) => {
                return Err(format!(
                    "no value of {field} comes back from {new}: remove `one-way: true` from the pair whose old value does"
                ));
            }
        }
        if table.iter().any(|other| other.old == *new) {
            return Err(format!(
                "`{new}` is both an old and a new value of {field}: the two sides must have different values"
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::trial::{data, operation};
    use super::*;
    use crate::knowledge::release::GroupKind;
    use serde_json::json;

    #[test]
    fn constants_of_any_type_become_each_other() {
        let values = operation(
            "values: { field: a, table: [{ old: true, new: Always }, { old: 0, new: none }, { old: Pod, new: { single: {} } }] }",
        );
        let back = values.inverse(&GroupKind::new("A", ""));
        for (old, new) in
            [(json!(true), json!("Always")), (json!(0), json!("none")), (json!("Pod"), json!({"single": {}}))]
        {
            let (old, new) = (json!({"a": old}), json!({"a": new}));
            assert_eq!(data(&values, &old), Ok((new.clone(), 0)));
            assert_eq!(data(&back, &new), Ok((old, 0)));
        }
        // A text that looks like the constant is another value.
        for same in [
            json!({"a": "true"}),
            json!({"a": "0"}),
            json!({"a": false}),
            json!({"a": {"single": 1}}),
            json!({"a": null}),
        ] {
            assert_eq!(data(&values, &same), Ok((same.clone(), 0)));
        }
        let field = FieldPattern::parse("a").unwrap();
        assert_eq!(values.value_image(&field, &json!(true)), Some(json!("Always")));
        assert_eq!(values.value_image(&field, &json!("true")), None);
    }

    #[test]
    fn a_variable_that_can_become_an_old_value_is_refused() {
        let values = operation("values: { field: a, table: { rsa: RSA, ecdsa: ECDSA } }");
        let back = values.inverse(&GroupKind::new("A", ""));
        for open in ["${ALG}", "${ALG:-rsa}", "r${A}"] {
            assert!(data(&values, &json!({"a": open})).is_err(), "{open}");
        }
        assert!(data(&back, &json!({"a": "${ALG}"})).is_err());
        for same in ["$${ALG}", "x-${ALG}", "{{ .alg }}"] {
            assert_eq!(data(&values, &json!({"a": same})), Ok((json!({"a": same}), 0)));
        }
    }

    #[test]
    fn of_several_values_that_become_one_another_one_comes_back() {
        let text = "values: { field: a, table: [{ old: low, new: Low }, { old: lower, new: Low, one-way: true }] }";
        let values = operation(text);
        let back = values.inverse(&GroupKind::new("A", ""));
        for (old, told) in
            [("low", None), ("lower", Some("\"lower\" becomes \"Low\", and converting back makes it \"low\""))]
        {
            let mut session = Session::new(json!({ "a": old }));
            values.run(&mut session).unwrap();
            assert_eq!(*session.object(), json!({"a": "Low"}));
            let reasons: Vec<&str> = session.normalized().iter().map(|one| one.reason.as_str()).collect();
            assert_eq!(reasons, Vec::from_iter(told));
        }
        assert_eq!(data(&back, &json!({"a": "Low"})), Ok((json!({"a": "low"}), 0)));
        assert_eq!(values.fidelities(), [Fidelity::Exact, Fidelity::Normalized].into());
        assert_eq!(back.fidelities(), [Fidelity::Exact].into());
        for table in [
            "[{ old: low, new: Low, one-way: true }]",
            "[{ old: low, new: Low, one-way: true }, { old: lower, new: Low, one-way: true }]",
        ] {
            let text = format!("values: {{ field: a, table: {table} }}");
            let error = serde_yaml::from_str::<Box<dyn Operation>>(&text).unwrap_err().to_string();
            assert!(error.contains("no value of a comes back from \"Low\""), "{error}");
        }
    }

    #[test]
    fn ambiguous_tables_are_rejected() {
        for table in [
            "[{ old: 1, new: a }, { old: 2, new: a }]",
            "[{ old: 1, new: a }, { old: 1, new: b }]",
            "[{ old: true, new: false }, { old: false, new: true }]",
            "[{ old: none, new: null }]",
            "{ a: b, b: c }",
            "[{ old: 1 }]",
        ] {
            let text = format!("values: {{ field: a, table: {table} }}");
            assert!(serde_yaml::from_str::<Box<dyn Operation>>(&text).is_err(), "{text}");
        }
    }
}
