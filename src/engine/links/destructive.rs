//! Which values would a chart that is older than they ignore, with damage?
//!
//! A rule of a pack names such a value (`destructive`). What decides is the version of the chart beside the values, or else the release
//! that the files of the run name. Where it is older, or cannot be told, an object that would get the value is held back, and one that
//! has it already is reported, until the chart is new enough.

use serde_json::Value;

use super::tied_files::{Id, TiedFiles};
use crate::engine::convert::Remark;
use crate::engine::finding::{Code, Finding, Severity};
use crate::engine::manifest::{Manifest, Object};
use crate::knowledge::lens::Direction;
use crate::knowledge::pack::wire::Destructive;
use crate::knowledge::pack::{Rule, Target, is_from};
use crate::syntax::field::FieldPath;
use crate::syntax::yaml::read_value;

/// Finds such values in the objects of a group, each with why its object is held back, or what is to be done.
pub(crate) fn find(tied: &TiedFiles<'_>) -> Vec<(Id, Finding)> {
    let mut found = Vec::new();
    for (id, manifest, object) in tied.objects() {
        for target in tied.targets.goal.targets.iter().filter(|target| target.pack.can_hold_values(&object.kind)) {
            let rules = target.pack.rules_for_kind(target.release, &object.kind, None);
            for (rule, _) in rules.filter(|(_, direction)| *direction == Direction::Forward) {
                let Some(destructive) = &rule.destructive else { continue };
                let written = Written { target, rule, destructive };
                found.extend(written.in_object(tied, id, manifest, object).into_iter().map(|finding| (id, finding)));
            }
        }
    }
    found
}

/// A value that a rule on the way to a target writes.
struct Written<'g> {
    target: &'g Target<'g>,
    rule: &'g Rule,
    destructive: &'g Destructive,
}

impl Written<'_> {
    /// Reports the places of the value in what becomes of an object.
    fn in_object(&self, tied: &TiedFiles<'_>, id: Id, manifest: &Manifest, object: &Object) -> Vec<Finding> {
        let conversion = tied.conversion(id);
        let value = conversion.map_or(&object.value, |conversion| &conversion.value);
        let mut found = Vec::new();
        for values in self.target.pack.values_in(&object.kind, value) {
            let chart = chart_version(tied, manifest, object, &values);
            for path in self.places(value, &values) {
                let Some(doubt) = self.doubt(tied, chart.as_deref()) else { continue };
                let bundle = self.bundle();
                let reason = &self.destructive.reason;
                let message = format!("{path}: a chart before {bundle} ignores it {reason}; {doubt}");
                let is_there = self.places(&object.value, &values).contains(&path);
                let (severity, help) = if is_there {
                    (Severity::Unresolved, format!("set the chart to {bundle} or newer before the files are applied"))
                } else {
                    (Severity::Held, format!("set the chart to {bundle} or newer first, and run again"))
                };
                let program = conversion.map_or(&[][..], |conversion| &conversion.program);
                let origin = program.iter().rev().fold(path, |path, intent| intent.origin(&path));
                let remark = Remark::new(Code::ChartTooOld, origin, message).help(help);
                found.push(tied.finding(id, &remark, severity));
            }
        }
        found
    }

    /// Returns the places in `object` that have the value, in its values of a chart.
    fn places(&self, object: &Value, values: &FieldPath) -> Vec<FieldPath> {
        let does_damage = |value: &Value| !value.is_null() && *value != self.destructive.unless;
        let within = values.get(object).map(|within| self.destructive.field.matches_where(within, does_damage));
        within.into_iter().flatten().map(|path| values.join(&path)).collect()
    }

    /// Says why a chart of `version`, where that is known, may ignore the value; `None` where it does not.
    fn doubt(&self, tied: &TiedFiles<'_>, version: Option<&str>) -> Option<String> {
        let pack = self.target.pack;
        match version {
            Some(version) if is_from(pack.without_suffix(version), self.bundle()) => None,
            Some(version) => Some(format!("the version of the chart is {version}")),
            None => match tied.targets.goal.choices.origins.get(pack.name()) {
                Some(origins) if origins.iter().all(|id| pack.line().get(id).order >= self.rule.order) => None,
                Some(origins) => Some(format!("the files are for {}", pack.line().describe(*origins))),
                None => Some("nothing shows the version of the chart".to_owned()),
            },
        }
    }

    fn bundle(&self) -> &str {
        &self.target.pack.line().bundles()[self.rule.order]
    }
}

/// Returns the version of the chart that `values` of an object are for, where it is written around them.
fn chart_version(tied: &TiedFiles<'_>, manifest: &Manifest, object: &Object, values: &FieldPath) -> Option<String> {
    let text = object.inline_patch.map(|number| &manifest.inline_patches[number]);
    let (document, place) =
        text.map_or_else(|| (object.document, object.place.join(values)), |text| (text.document, text.place.clone()));
    let root = manifest.tree.documents().get(document)?.root;
    let whole = read_value(&manifest.tree, &manifest.text, root).ok()?;
    let carried = tied.targets.goal.packs.carriers().in_document(&manifest.file, &whole);
    let around = carried.iter().filter(|carried| place.starts_with(&carried.place));
    around
        .flat_map(|carried| carried.carrier.chart.version.iter().filter_map(|field| field.text(carried.around)))
        .find(|text| !text.is_empty())
        .map(str::to_owned)
}
