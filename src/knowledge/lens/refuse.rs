//! The operation `refuse`: an object without a conversion is held back.

use serde::Deserialize;
use serde_json::Value;

use super::condition::Condition;
use super::operation::{Description, Direction, Fidelity, Image, Operation, Pass, Premise};
use super::session::{Completeness, Halt, Session};
use super::template::Template;
use super::verdict::{Verdict, undecided};
use crate::syntax::field::{FieldPath, FieldPattern};
use crate::syntax::variable::is_of_action;

/// `refuse: { direction: forward, if: { present: spec.x }, at: spec.x, reason: ..., help: ... }`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Refuse {
    /// The direction in which objects are held back.
    direction: Direction,
    /// Which objects are held back; all where it is not written.
    #[serde(default)]
    r#if: Condition,
    /// The field that is reported.
    at: FieldPattern,
    /// Why there is no conversion: lower case, no final dot.
    reason: String,
    /// What to do by hand, likewise.
    help: String,
    /// A text that is to be added somewhere by hand, with values of the object in braces: `add: "name: {metadata.name}"`.
    add: Option<Template>,
}

impl Refuse {
    pub(super) const DESCRIPTION: Description = Description {
        name: "refuse",
        text: "Holds the object back in the given direction where the test under `if` holds: `reason` says why there is no \
               conversion, `help` what to do by hand, `at` is the path that is reported. \
               A text under `add` is shown below the help, to be copied; `{metadata.name}` in it is the value of that field, and \
               `{apiVersion of Shop.example.com}` the most stable apiVersion of that kind which the target serves. A test for something that is absent does \
               not refuse a patch, nor an object that all builds complete, except in items of lists. In the other direction nothing happens.",
        example: "refuse: { direction: forward, if: { present: spec.snis }, at: spec.snis, reason: the new kind has no snis, help: split the route }",
    };

    fn advice(&self, session: &Session<'_>) -> String {
        self.add.as_ref().map_or_else(|| self.help.clone(), |add| add.below(&self.help, session.object()))
    }

    /// Returns where an action prints what the test looks into.
    fn printed(&self, session: &Session<'_>) -> Option<FieldPath> {
        let values = &session.open().values;
        let premises = if values.is_empty() { Vec::new() } else { self.r#if.premises() };
        let is_inside = |place: &FieldPath, field: &FieldPattern| {
            field.parts().len() > place.steps().len() && field.starts_with(&place.pattern())
        };
        values.iter().find(|place| premises.iter().any(|premise| is_inside(place, &premise.written))).cloned()
    }

    /// Returns whether it is known what actions print where users set nothing, and the object is not refused for it.
    fn fails_by_default(&self, session: &Session<'_>) -> bool {
        let all = session.by_default();
        !all.is_empty() && all.iter().all(|(one, _)| !matches!(self.r#if.verdict(one.object()), Verdict::Holds))
    }

    /// Records what users must set of what decides: at `open`, and where that is still open if what is known is as it is by default.
    fn tell_required(&self, open: FieldPath, session: &mut Session<'_>) {
        let mut places = vec![open];
        for (one, _) in session.by_default() {
            if let Verdict::Open(at) = self.r#if.verdict(one.object())
                && !places.contains(&at)
            {
                places.push(at);
            }
        }
        places.iter().for_each(|at| session.record_required(at, &self.reason, self.advice(session)));
    }

    /// Records an action of which no default is known, if the object is refused where it prints nothing.
    fn tell_unknown(&self, at: &FieldPath, session: &mut Session<'_>) {
        let holes = session.open().holes.iter().filter(|hole| hole.is_content && hole.path.starts_with(at));
        let found = holes.filter_map(|hole| Some((hole.path.clone(), hole.required.clone()?))).next();
        if let Some((place, text)) = found.filter(|_| matches!(self.r#if.verdict(session.object()), Verdict::Holds)) {
            session.record_unknown(&place, &text, &self.reason, self.advice(session));
        }
    }

    /// Refuses an object because of what the text at `at` can become.
    fn undecided(&self, at: FieldPath, session: &Session<'_>) -> Halt {
        let mut halt = undecided(at, session.object());
        if let Halt::Undecided { reason, help, .. } = &mut halt {
            *reason = format!("{reason}; for some values {}", self.reason);
            *help = format!("write the value out here, or: {}", self.advice(session));
        }
        halt
    }
}

impl Operation for Refuse {
    fn run(&self, pass: &Pass<'_>, session: &mut Session) -> Result<(), Halt> {
        if self.direction != pass.direction {
            return Ok(());
        }
        let data = session.view_for(self.r#if.compared());
        let verdict = match self.r#if.verdict(&data) {
            Verdict::Holds => self.printed(session).map_or(Verdict::Holds, Verdict::Open),
            verdict => verdict,
        };
        if self.r#if.reads_absence() && session.completeness() != Completeness::Whole {
            return Ok(());
        }
        let at = self.at.matches(session.object()).into_iter().next().unwrap_or_default();
        // What an action prints there decides.
        let is_printed = || self.r#if.reads_absence() && session.is_printed(&at);
        match verdict {
            Verdict::Holds if is_printed() && self.fails_by_default(session) => return Ok(()),
            Verdict::Holds if is_printed() && !session.open().is_known_by_default(&data, &at) => {
                return Err(self.undecided(at, session));
            }
            Verdict::Holds => {}
            Verdict::Fails => {
                self.tell_unknown(&at, session);
                return Ok(());
            }
            // What a template prints as a whole value is hardly ever what is refused; by default it is checked.
            Verdict::Open(at)
                if at.get(&data).is_some_and(is_of_action) || session.open().is_known_by_default(&data, &at) =>
            {
                self.tell_required(at, session);
                return Ok(());
            }
            Verdict::Open(at) => return Err(self.undecided(at, session)),
        }
        if !session.open().has_contents() && !self.r#if.holds(session.object()) && session.namespace().name().is_none()
        {
            let reason = format!("the namespace of the object is unknown: it {}", session.namespace().description());
            return Err(Halt::refused(at, reason, self.advice(session)));
        }
        Err(Halt::refused(at, self.reason.as_str(), self.advice(session)))
    }

    fn premises(&self) -> Vec<Premise> {
        let at = (!self.at.parts().is_empty()).then(|| Premise::present(&self.at));
        self.r#if.premises().into_iter().chain(at).collect()
    }

    fn image(&self, direction: Direction, field: &FieldPattern) -> Image {
        let refused = self.direction == direction && self.r#if.follows_from(field);
        if refused { Image::Refused } else { Image::Kept }
    }

    fn claims_value(&self, direction: Direction, field: &FieldPattern, value: &Value) -> bool {
        self.direction == direction && self.r#if.is_met_by(field, value)
    }

    fn fidelities(&self, direction: Direction) -> Vec<Fidelity> {
        if self.direction == direction { vec![Fidelity::Refused] } else { Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Completeness, Context, Lens, Session};
    use serde_json::{Value, json};

    fn is_refused(lens: &str, object: &Value, completeness: Completeness) -> bool {
        let lens: Lens = serde_yaml::from_str(lens).unwrap();
        let context = Context::default();
        lens.run(&mut Session::in_context(object.clone(), &context, completeness)).is_err()
    }

    #[test]
    fn a_patch_is_not_refused_for_what_it_leaves_to_the_whole() {
        let missing = "- refuse: { direction: forward, if: { all: [{ present: spec.a }, { absent: spec.b }] }, at: spec, reason: r, help: h }";
        let object = json!({"spec": {"a": 1}});
        assert!(is_refused(missing, &object, Completeness::Whole));
        assert!(!is_refused(missing, &object, Completeness::Partial));
        let both = "- refuse: { direction: forward, if: { all: [{ present: spec.a }, { all: [{ present: spec.b }] }] }, at: spec, reason: r, help: h }";
        assert!(is_refused(both, &json!({"spec": {"a": 1, "b": 2}}), Completeness::Partial));
    }

    #[test]
    fn an_item_of_a_list_in_a_patch_is_refused() {
        let lens = "- when: { each: \"spec.l[]\", then: [{ refuse: { direction: forward, if: { absent: b }, at: a, reason: r, help: h } }] }";
        assert!(is_refused(lens, &json!({"spec": {"l": [{"a": 1}]}}), Completeness::Partial));
    }
}
