//! Answers: which objects contain the values of a Helm chart, and where?
//!
//! A rule `values: <chart>` is about the chart's values. [`places`] makes it a rule for each kind of object that can hold
//! them: those of the tools that install charts, which carriers describe, those that the pack names itself, such as the
//! object of an operator whose spec is the chart's values, and files of values, which the manifest layer takes for objects, as it
//! does with values in texts.
//!
//! Invariant: values are converted only next to the name of their chart, or if they have the chart's own key.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::wire;
use crate::knowledge::carrier::{Carrier, Carriers};
use crate::knowledge::lens::{Condition, Emptied, Keep, Lens, at_each};
use crate::knowledge::release::GroupKind;
use crate::syntax::field::{FieldPath, FieldPattern};

/// One level of nesting around values: the places, what must hold there, and what becomes of mappings that are emptied there.
type Level = (FieldPattern, Condition, Option<Emptied>);

/// Where the values of a chart can be.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// The kind of the objects.
    pub(crate) kind: GroupKind,
    /// From the outside in: the places in what is around, and what must hold there; the first is the mapping around.
    levels: Vec<Level>,
}

impl Place {
    /// Makes the place that is the whole object of `kind`.
    pub(crate) const fn whole(kind: GroupKind) -> Self {
        Self { kind, levels: Vec::new() }
    }

    /// Makes the lens about objects of the kind that does what `lens` does in the place.
    pub(crate) fn around(&self, lens: Lens) -> Lens {
        self.levels
            .iter()
            .rev()
            .fold(lens, |lens, (field, test, emptied)| at_each(field.clone(), test.clone(), emptied.clone(), lens))
    }

    /// Returns the values in `object`, which is of the kind.
    pub(crate) fn values(&self, object: &Value) -> Vec<FieldPath> {
        within(&self.levels, object)
    }
}

/// Returns the places in `object` that `levels` lead to.
fn within(levels: &[Level], object: &Value) -> Vec<FieldPath> {
    let step = |places: Vec<FieldPath>, (field, test, _): &Level| {
        let inner = |place: FieldPath| {
            let around = place.get(object);
            let matches = around.map(|around| field.matches(around)).unwrap_or_default();
            let holds = |path: &FieldPath| path.get(object).is_some_and(|value| test.holds(value));
            matches.into_iter().map(|path| place.join(&path)).filter(holds).collect::<Vec<_>>()
        };
        places.into_iter().flat_map(inner).collect()
    };
    levels.iter().fold(vec![FieldPath::default()], step)
}

/// The places of the values of charts, by the name of the chart.
pub(crate) type PlacesByChart = BTreeMap<String, Vec<Place>>;

/// Returns where the values of each of `charts` can be.
pub(crate) fn places_by_chart(charts: &[wire::Chart], carriers: &Carriers) -> PlacesByChart {
    charts.iter().map(|chart| (chart.name.clone(), places(chart, carriers))).collect()
}

/// Returns the kinds of the objects that can hold the values of `chart`.
pub(crate) fn kinds(chart: &wire::Chart, carriers: &Carriers) -> Vec<GroupKind> {
    let carrying = carriers.iter().filter(|carrier| !carrier.each.is_empty() && !carrier.values.is_empty());
    let own = chart.values_in.iter().map(|own| &own.kind);
    carrying.flat_map(|carrier| &carrier.kind).chain(own).cloned().chain([kind_of_files(chart)]).collect()
}

/// Returns the kind that files of values have here.
fn kind_of_files(chart: &wire::Chart) -> GroupKind {
    GroupKind::new("Values", chart.name.as_str())
}

/// Returns where the values of `chart` can be.
fn places(chart: &wire::Chart, carriers: &Carriers) -> Vec<Place> {
    let carried = carriers.iter().flat_map(|carrier| {
        let all = carrier.each.iter().flat_map(|each| carrier.values.iter().map(move |values| (each, values)));
        let levels = all.map(|(each, values)| levels(chart, carrier, each, values)).collect::<Vec<_>>();
        let of_kind = |kind: &GroupKind| {
            let place = |levels: &Vec<Level>| Place { kind: kind.clone(), levels: levels.clone() };
            levels.iter().map(place).collect::<Vec<_>>()
        };
        carrier.kind.iter().flat_map(of_kind).collect::<Vec<_>>()
    });
    let own = chart.values_in.iter().map(|own| {
        let emptied = Emptied { within: FieldPath::default(), keep: None };
        Place { kind: own.kind.clone(), levels: vec![(own.field.clone(), Condition::default(), Some(emptied))] }
    });
    // A file of values has nothing but its key that shows what it is.
    let keep = Keep { field: FieldPath::default().key(&chart.key), unless: any(Vec::new()) };
    let emptied = Emptied { within: FieldPath::default(), keep: Some(keep) };
    let levels = vec![(FieldPattern::default(), Condition::default(), Some(emptied))];
    let file = Place { kind: kind_of_files(chart), levels };
    carried.chain(own).chain([file]).collect()
}

/// Returns the levels around the values of a carrier: the mapping that names the chart, and the values in it.
fn levels(chart: &wire::Chart, carrier: &Carrier, each: &FieldPattern, values: &FieldPattern) -> Vec<Level> {
    let emptied = values.as_path().map(|within| {
        let keep = Keep { field: within.key(&chart.key), unless: any(named(chart, carrier)) };
        Emptied { within, keep: Some(keep) }
    });
    let around = (each.clone(), is_of(chart, carrier, values), emptied);
    vec![around, (values.clone(), Condition::default(), None)]
}

/// Makes the test that the chart is named, alone or at the end of a path, or that no chart is and its key is in the values.
fn is_of(chart: &wire::Chart, carrier: &Carrier, values: &FieldPattern) -> Condition {
    let mut tests = named(chart, carrier);
    let absent = carrier.chart.name.iter().map(|field| json!({ "absent": field.to_string() }));
    let key = json!({ "present": format!("{values}.{}", chart.key) });
    tests.push(json!({ "all": absent.chain([key]).collect::<Vec<_>>() }));
    any(tests)
}

/// Makes the tests that the chart is named, one for each field.
fn named(chart: &wire::Chart, carrier: &Carrier) -> Vec<Value> {
    let tests = carrier.chart.name.iter().chain(carrier.aliases()).flat_map(|field| {
        let field = field.to_string();
        let by_name = json!({ "equals": { "field": field, "value": chart.name } });
        [by_name, json!({ "text": { "field": field, "ends": format!("/{}", chart.name) } })]
    });
    tests.collect()
}

/// Makes the test that one of `tests` holds.
fn any(tests: Vec<Value>) -> Condition {
    let read = |test| serde_json::from_value(test).expect("fields of a chart and of a carrier are written as patterns");
    Condition::any(tests.into_iter().map(read).collect())
}
