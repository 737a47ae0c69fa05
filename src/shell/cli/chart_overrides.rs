//! What do the charts around one set in it, and define in place of its own?
//!
//! Helm renders a chart of a folder `charts` with the values that the chart around it has under its name, and takes a definition of that
//! one before its own.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::chart_folder::chart_around;
use crate::engine::finding::{Code, Finding, Location, Severity};
use crate::engine::plan::{CHART, Definitions};
use crate::shell::disk;

/// The key of the values that all charts inside of one see.
pub(super) const GLOBAL: &str = "global";

/// Takes in what the charts around `chart` have for it, as `definitions_of` reads them, under the name that it has there by `name_in`, and
/// reports that.
pub(super) fn take_in(
    chart: &Path,
    definitions: &mut Definitions,
    definitions_of: impl Fn(&Path) -> Definitions,
    name_in: impl Fn(&Path, &Path) -> Option<String>,
) -> Option<Finding> {
    let (mut set, mut defined) = (BTreeSet::new(), BTreeSet::new());
    let (mut inner, mut names, mut nearest) = (chart.to_owned(), Vec::new(), None);
    let around = |inner: &Path| chart_around(inner).map(Path::to_owned);
    while let Some(around) = around(&inner).or_else(|| around(&disk::full_path(&inner))) {
        names.insert(0, name_in(&inner, &around)?);
        let outer = definitions_of(&around);
        let own = outer.values.as_ref().and_then(|values| names.iter().try_fold(values, |value, name| value.get(name)));
        let global = outer.values.as_ref().and_then(|values| values.get(GLOBAL)).map(|global| (GLOBAL, global));
        let entries = own.and_then(Value::as_object).into_iter().flatten().map(|(key, value)| (key.as_str(), value));
        let values = definitions.values.get_or_insert_with(|| Value::Object(Map::new()));
        for (key, value) in entries.chain(global) {
            set.extend(overrides(values, key, value).then(|| key.to_owned()));
        }
        let replaced: Vec<&String> = outer.own.iter().filter(|name| definitions.all.has(name)).collect();
        for name in replaced {
            definitions.all.take(name, &outer.all);
            definitions.own.remove(name);
            defined.insert(name.clone());
        }
        nearest.get_or_insert_with(|| chart_around(chart).map_or_else(|| chart.join("../.."), Path::to_owned));
        inner = around;
    }
    let list = |names: &BTreeSet<String>| names.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    let set = (!set.is_empty()).then(|| format!("set {} in its values", list(&set)));
    let defined = (!defined.is_empty()).then(|| format!("define {} in place of its own", list(&defined)));
    let what: Vec<String> = set.into_iter().chain(defined).collect();
    let location = Location { file: chart.join(CHART).to_string_lossy().into_owned(), position: None };
    let message = format!("the charts around it {}: that is what counts", what.join(", and "));
    let nearest = nearest.filter(|around| !around.as_os_str().is_empty()).unwrap_or_else(|| PathBuf::from("."));
    let help = format!("convert {} too, if it is not in the paths of the run", nearest.display());
    (!what.is_empty()).then(|| Finding::new(location, Code::Chart, Severity::Note, message).help(help))
}

/// Sets the entry of a mapping; what is null there is no more. Returns whether that changes something.
pub(super) fn overrides(values: &mut Value, key: &str, value: &Value) -> bool {
    let Value::Object(map) = values else { return false };
    match (map.get_mut(key), value) {
        (Some(_), Value::Null) => map.shift_remove(key).is_some(),
        (None, Value::Null) => false,
        (Some(own @ Value::Object(_)), Value::Object(entries)) => {
            entries.iter().fold(false, |changed, (key, value)| overrides(own, key, value) || changed)
        }
        (own, value) => {
            let changes = own.is_none_or(|own| own != value);
            map.insert(key.to_owned(), value.clone());
            changes
        }
    }
}
