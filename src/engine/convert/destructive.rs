//! Which values would a chart that is older than they ignore, with damage?
//!
//! A rule names such a value (`destructive`). What decides is the version of the chart beside the values, or else the release that the
//! files of the run name: where it is older, or cannot be told, the rule does not run, and that is to be done first.

use serde_json::Value;

use super::choices::Goal;
use super::remark::Remark;
use crate::engine::finding::Code;
use crate::knowledge::lens::Session;
use crate::knowledge::pack::{Rule, Target, is_from};
use crate::knowledge::release::GroupKind;
use crate::syntax::field::FieldPath;

/// A rule about the values of a chart that are in an object.
pub(super) struct ValuesRule<'g> {
    pub(super) goal: &'g Goal<'g>,
    pub(super) target: &'g Target<'g>,
    pub(super) rule: &'g Rule,
    /// The kind of the object.
    pub(super) kind: &'g GroupKind,
    /// The version of the chart, where it is written around the object.
    pub(super) chart_version: Option<&'g str>,
}

/// Whether a rule changes an object.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    None,
    Some,
}

impl ValuesRule<'_> {
    /// Reports the values that the chart may ignore after the rule ran in a session, or would if it ran.
    pub(super) fn ignored_in(&self, session: &Session<'_>, change: Change) -> Vec<Remark> {
        let Some(destructive) = &self.rule.destructive else { return Vec::new() };
        let object = session.object();
        let does_damage = |value: &Value| !value.is_null() && *value != destructive.unless;
        let mut found = Vec::new();
        for place in self.target.pack.values_in(self.kind, object) {
            let fields = place.get(object).map(|values| destructive.field.matches_where(values, does_damage));
            let fields: Vec<FieldPath> = fields.into_iter().flatten().collect();
            let Some(doubt) = self.doubt(session, &place).filter(|_| !fields.is_empty()) else { continue };
            let (bundle, reason) = (self.bundle(), &destructive.reason);
            for field in fields {
                let origin = session.origin(&place.join(&field));
                let (what, then) = match change {
                    Change::None => (String::new(), ""),
                    Change::Some => (format!("{origin} is not converted: "), ", and run again"),
                };
                let message = format!("{what}a chart before {bundle} ignores {field}, {reason}; {doubt}");
                let newest = self.target.name();
                let least = if newest == bundle { String::new() } else { format!(" ({bundle} or newer)") };
                let help = format!("set the chart to {newest}{least} in the same commit{then}");
                found.push(Remark::new(Code::ChartTooOld, origin, message).help(help));
            }
        }
        found
    }

    /// Says why the chart of the values at `place` may be older than the rule; `None` where it is not.
    fn doubt(&self, session: &Session<'_>, place: &FieldPath) -> Option<String> {
        let pack = self.target.pack;
        let around = self.goal.packs.carriers().in_object(self.kind, session.object());
        let around = around.iter().filter(|carried| place.starts_with(&carried.place));
        let version = around.filter_map(|carried| carried.chart_version()).next().or(self.chart_version);
        let is_new = |version: &str| is_from(pack.without_suffix(version), self.bundle());
        let is_new_by_default = |version: &str| {
            let values = session.open().values_of(version).unwrap_or_default();
            !values.is_empty() && values.iter().all(|value| value.as_str().is_some_and(is_new))
        };
        match (version, self.goal.choices.origins.get(pack.name())) {
            (Some(version), _) if is_new(version) || is_new_by_default(version) => None,
            (Some(version), _) => Some(format!("the version of the chart is {version}")),
            (None, Some(origins)) if origins.iter().all(|id| pack.line().get(id).order >= self.rule.order) => None,
            (None, Some(origins)) => Some(format!("the files are for {}", pack.line().describe(*origins))),
            (None, None) => Some("nothing shows the version of the chart".to_owned()),
        }
    }

    /// Returns the bundle of the rule.
    fn bundle(&self) -> &str {
        &self.target.pack.line().bundles()[self.rule.order]
    }
}
