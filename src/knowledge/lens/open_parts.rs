//! Answers: what of an object do actions of a template print, or variables stand for, and what is that where the users of a chart set nothing?
//!
//! What users set can differ from turn to turn of a range around it, so that there is a list of what it is by default: one value for each turn,
//! none where nothing is printed then.
//!
//! Invariant: an object without actions and variables has no open parts, and is converted as if there were none.

use serde_json::map::Entry;
use serde_json::{Map, Value, json};

use crate::syntax::field::{FieldPath, PathRef, Step, member};
use crate::syntax::variable::SOME_ENTRY;

/// How many turns are looked at.
const TURNS: usize = 16;

/// A mapping or list that may have more than is known.
#[derive(Clone, Debug, PartialEq)]
pub struct Hole {
    /// Where it is.
    pub path: FieldPath,
    /// Whether what is printed there can have to be converted: metadata and whole fields have by default at most.
    pub is_content: bool,
    /// Its further entries or items where users set nothing, null for none; `None` where that is not known.
    pub by_default: Option<Vec<Value>>,
    /// Whether that is one value, and behind it what is printed where conditions in definitions are decided otherwise.
    pub has_branches: bool,
    /// The key in the values of a chart of all that is printed, where that is known.
    pub key: Option<String>,
    /// What stands for the action, where users of a chart set what is printed, and no default of it is known.
    pub required: Option<String>,
}

impl Hole {
    /// Returns whether it is known that the field `key` of the mapping at `parent`, or a part of it, is printed where users set nothing.
    pub(super) fn prints(&self, parent: &FieldPath, key: &str) -> bool {
        (self.path == *parent && self.always(|printed| printed.get(key).is_some_and(is_something)))
            || (self.path == parent.key(key) && self.always(is_something))
    }

    /// Returns whether it is known that nothing is printed where users set nothing.
    fn is_empty_by_default(&self) -> bool {
        self.always(|printed| !is_something(printed))
    }

    /// Returns whether what is printed where users set nothing is known, and all of it passes `test`.
    fn always(&self, test: impl Fn(&Value) -> bool) -> bool {
        self.by_default.as_ref().is_some_and(|values| !values.is_empty() && values.iter().all(test))
    }
}

fn is_something(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Array(items) => !items.is_empty(),
        Value::Object(map) => !map.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}

/// What of an object is not known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OpenParts {
    /// The mappings and lists that may have more than is known.
    pub holes: Vec<Hole>,
    /// The values that may be mappings or lists.
    pub values: Vec<FieldPath>,
    /// The texts that stand for what actions print, with what that is where users set nothing, and behind that what else it can be.
    pub texts: Vec<(String, Vec<Value>)>,
    /// How many of these values at most are what it is where users set nothing.
    pub turns_of_texts: usize,
    /// The keys in the values of a chart of what they stand for, where that is known.
    pub keys: Vec<(String, String)>,
    /// Those of which the chart has no default.
    pub required: Vec<String>,
    /// Those of which it prints nothing by default, since its values do not have them.
    pub missing: Vec<String>,
    /// The items of lists that each turn of a range prints.
    pub repeated: Vec<FieldPath>,
    /// Whether an action prints the apiVersion, which is what the cluster wants it to be.
    pub follows_cluster: bool,
    /// The condition of the template that names the apiVersion, if one does.
    pub guard: Option<String>,
}

/// An object where nothing is open.
static NOTHING: OpenParts = OpenParts {
    holes: Vec::new(),
    values: Vec::new(),
    texts: Vec::new(),
    turns_of_texts: 0,
    keys: Vec::new(),
    required: Vec::new(),
    missing: Vec::new(),
    repeated: Vec::new(),
    follows_cluster: false,
    guard: None,
};

impl Default for &OpenParts {
    fn default() -> Self {
        &NOTHING
    }
}

/// An object as it is where the users of a chart set nothing.
pub(super) struct ByDefault {
    /// Its data.
    pub(super) data: Value,
    /// Where what actions print is in that.
    pub(super) printed: Vec<FieldPath>,
    /// What is not known even so.
    pub(super) open: OpenParts,
}

impl OpenParts {
    /// Returns the mappings and lists into which what has to be converted can be printed.
    pub(crate) fn contents(&self) -> impl Iterator<Item = &FieldPath> {
        self.holes.iter().filter(|hole| hole.is_content).map(|hole| &hole.path)
    }

    /// Returns in how many turns users set nothing; in others, conditions in actions and definitions are decided otherwise.
    pub(crate) fn turns_by_default(&self) -> usize {
        let of_hole = |hole: &Hole| if hole.has_branches { 1 } else { hole.by_default.as_ref().map_or(0, Vec::len) };
        self.holes.iter().map(of_hole).fold(self.turns_of_texts, usize::max)
    }

    /// Returns whether there are such mappings or lists.
    pub(crate) fn has_contents(&self) -> bool {
        self.contents().next().is_some()
    }

    /// Returns whether an action can print what is at `path`, or what it lacks there: as far as `data` does not have it.
    pub(crate) fn may_have(&self, data: &Value, path: &FieldPath) -> bool {
        let around = path.split_last().map(|(around, _)| around).unwrap_or_default();
        self.contents().any(|hole| *hole == around || hole == path) && path.get(data).is_none_or(Value::is_null)
    }

    /// Returns whether an action can print what the value at `path` of `data` lacks: into it, or as a value below it that is null in `data`.
    pub(crate) fn may_complete(&self, data: &Value, path: &FieldPath) -> bool {
        let is_null = |hole: &FieldPath| hole.get(data).is_none_or(Value::is_null);
        self.contents().any(|hole| hole == path || (hole.starts_with(path) && is_null(hole)))
    }

    /// Returns whether an action can print what has to be converted.
    pub(crate) fn can_have_fields(&self) -> bool {
        self.has_contents() || !self.values.is_empty()
    }

    /// Returns what a text that stands for what an action prints can be, if all of that is known: by default, then otherwise. Of a range with
    /// as many turns as are looked at, others may be left out.
    pub(crate) fn values_of(&self, text: &str) -> Option<&[Value]> {
        let known = self.texts.iter().find(|(known, _)| known == text).map(|(_, values)| values.as_slice());
        known.filter(|values| values.len() < TURNS)
    }

    /// Returns whether it is known what is printed at `place` of `data` where users set nothing.
    pub(crate) fn is_known_by_default(&self, data: &Value, place: &FieldPath) -> bool {
        let is_known = |text: &str| self.texts.iter().any(|(known, _)| known == text);
        self.holes.iter().any(|hole| hole.path == *place && hole.by_default.is_some())
            || place.get(data).and_then(Value::as_str).is_some_and(is_known)
    }

    /// Returns what stands for the action that prints what is at `place` of `data`, where users of the chart set that and no default of it
    /// is known.
    pub(crate) fn required_at(&self, data: &Value, place: &FieldPath) -> Option<&str> {
        let printed = place.get(data).and_then(Value::as_str);
        let of_hole = || self.holes.iter().find(|hole| hole.path == *place)?.required.as_ref();
        self.required.iter().find(|one| Some(one.as_str()) == printed).or_else(of_hole).map(String::as_str)
    }

    /// Returns the key in the values of a chart of what an action prints at `path` of `data`.
    pub(crate) fn key_of(&self, data: &Value, path: &FieldPath) -> Option<String> {
        // Which of the items it is, the place in the object does not show.
        let below = |key: &str, rest: &FieldPath| match rest.steps() {
            [] => key.to_owned(),
            [Step::Index(_), inside @ ..] => match FieldPath::new(inside.iter().cloned()).to_string() {
                inside if inside.is_empty() || inside.starts_with('[') => format!("{key}[]{inside}"),
                inside => format!("{key}[].{inside}"),
            },
            [Step::Key(_), ..] => format!("{key}{}{rest}", if rest.to_string().starts_with('[') { "" } else { "." }),
        };
        let of_holes = self.holes.iter().filter_map(|hole| Some((hole.key.as_ref()?, path.below(&hole.path)?)));
        if let Some((key, rest)) = of_holes.min_by_key(|(_, rest)| rest.steps().len()) {
            return Some(below(key, &rest));
        }
        (0..=path.steps().len()).rev().find_map(|length| {
            let (before, rest) = path.steps().split_at(length);
            let text = FieldPath::new(before.iter().cloned()).get(data)?.as_str()?;
            let (_, key) = self.keys.iter().find(|(known, _)| known == text)?;
            Some(below(key, &FieldPath::new(rest.iter().cloned())))
        })
    }

    /// Takes what is open to where a change takes it, which says so of a path before it; `None` where that is removed.
    pub(super) fn follow(&mut self, destination: impl Fn(&FieldPath) -> Option<FieldPath>) {
        let moves = |path: &mut FieldPath| destination(path).map(|moved| *path = moved).is_some();
        self.holes.retain_mut(|hole| moves(&mut hole.path));
        self.values.retain_mut(moves);
        self.repeated.retain_mut(moves);
    }

    /// Returns what is open in the value at `place`.
    pub(super) fn below(&self, place: &FieldPath) -> Self {
        let hole = |hole: &Hole| Some(Hole { path: hole.path.below(place)?, ..hole.clone() });
        Self {
            holes: self.holes.iter().filter_map(hole).collect(),
            values: self.values.iter().filter_map(|value| value.below(place)).collect(),
            repeated: self.repeated.iter().filter_map(|item| item.below(place)).collect(),
            ..self.clone()
        }
    }

    /// Returns `data` with null for what a chart prints nothing for, since its values do not have it, and where that is.
    pub(crate) fn without_missing(&self, data: &Value) -> Option<(Value, Vec<FieldPath>)> {
        if self.missing.is_empty() {
            return None;
        }
        let (mut data, mut places) = (data.clone(), Vec::new());
        let texts: Vec<_> = self.missing.iter().map(|text| (text.as_str(), &Value::Null)).collect();
        fill_texts(&mut data, None, &texts, &mut places);
        Some((data, places))
    }

    /// Returns this data as it is where users set nothing, once for each turn of the ranges around what is printed.
    pub(crate) fn data_by_default(&self, data: &Value) -> Vec<Value> {
        self.by_default(data).into_iter().map(|one| one.data).collect()
    }

    /// Returns the object with this data as it is where users set nothing, once for each turn of the ranges around what is printed.
    pub(super) fn by_default(&self, data: &Value) -> Vec<ByDefault> {
        let of_holes = self.holes.iter().filter_map(|hole| hole.by_default.as_ref());
        let turns = of_holes.chain(self.texts.iter().map(|(_, values)| values)).map(Vec::len).max().unwrap_or_default();
        let in_turn = |turn: usize| {
            let mut one = ByDefault { data: data.clone(), printed: Vec::new(), open: Self::default() };
            for hole in &self.holes {
                let known = hole.by_default.as_ref().and_then(|values| of_turn(values, turn));
                match known {
                    Some(value) => one.fill_hole(&hole.path, value),
                    None => one.open.holes.push(hole.clone()),
                }
            }
            let texts: Vec<(&str, &Value)> =
                self.texts.iter().filter_map(|(text, values)| Some((&**text, of_turn(values, turn)?))).collect();
            if !texts.is_empty() {
                fill_texts(&mut one.data, None, &texts, &mut one.printed);
            }
            one
        };
        (0..turns.min(TURNS)).map(in_turn).collect()
    }
}

impl ByDefault {
    /// Adds what is printed into the mapping or list at `place`.
    fn fill_hole(&mut self, place: &FieldPath, printed: &Value) {
        let Some(around) = place.get_mut(&mut self.data) else { return };
        match (around, printed) {
            (Value::Object(map), Value::Object(entries)) => {
                for (key, value) in entries {
                    if let Entry::Vacant(free) = map.entry(key.clone()) {
                        free.insert(value.clone());
                        self.printed.push(place.key(key));
                    }
                }
            }
            (Value::Array(list), Value::Array(items)) => {
                self.printed.extend((list.len()..list.len() + items.len()).map(|at| place.index(at)));
                list.extend(items.iter().cloned());
            }
            (empty @ Value::Null, printed) => {
                empty.clone_from(printed);
                match printed {
                    Value::Object(_) | Value::Array(_) => self.printed.extend(children(place, printed)),
                    _ => self.printed.push(place.clone()),
                }
            }
            _ => {}
        }
    }
}

/// Returns the value of a turn; those of a shorter list stay at their last one.
fn of_turn(values: &[Value], turn: usize) -> Option<&Value> {
    values.get(turn).or(values.last())
}

/// Replaces texts by what they stand for, and adds the places of what mappings and lists that were texts have.
fn fill_texts(data: &mut Value, place: Option<&PathRef<'_>>, texts: &[(&str, &Value)], printed: &mut Vec<FieldPath>) {
    let path = || place.map(PathRef::path).unwrap_or_default();
    match data {
        Value::String(text) if is_open(text) => {
            if let Some((_, value)) = texts.iter().find(|(name, _)| *name == text.as_str()) {
                printed.extend(children(&path(), value));
                *data = Value::clone(value);
            }
        }
        Value::Array(items) => items
            .iter_mut()
            .enumerate()
            .for_each(|(at, item)| fill_texts(item, Some(&PathRef::index(place, at)), texts, printed)),
        Value::Object(map) => {
            for (old, new) in printed_keys(map, texts) {
                if let Some(value) = map.shift_remove(&old) {
                    printed.push(path().key(&new));
                    map.entry(new).or_insert(value);
                }
            }
            map.iter_mut().for_each(|(key, value)| fill_texts(value, Some(&PathRef::key(place, key)), texts, printed));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Returns whether a text can have a variable: most have none.
fn is_open(text: &str) -> bool {
    text.contains('$')
}

/// Returns the keys of a mapping that actions print, each with what it is.
fn printed_keys(map: &Map<String, Value>, texts: &[(&str, &Value)]) -> Vec<(String, String)> {
    if !map.keys().any(|key| is_open(key)) {
        return Vec::new();
    }
    let found = texts.iter().filter(|(name, _)| member(map, name).is_some());
    found.filter_map(|(name, value)| Some(((*name).to_owned(), value.as_str()?.to_owned()))).collect()
}

/// Returns the places of the entries or items of a value at `place`; of null, its own, where something may have to be.
fn children(place: &FieldPath, value: &Value) -> Vec<FieldPath> {
    match value {
        Value::Null => vec![place.clone()],
        Value::Object(map) => map.keys().map(|key| place.key(key)).collect(),
        Value::Array(items) => (0..items.len()).map(|at| place.index(at)).collect(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

/// Adds to the mappings at these places an entry that stands for what is printed there: null where that is nothing if users set nothing.
pub(super) fn with_entries(mut data: Value, holes: &[Hole]) -> Value {
    for hole in holes.iter().filter(|hole| hole.is_content) {
        let entry = || if hole.is_empty_by_default() { Value::Null } else { Value::from(SOME_ENTRY) };
        match hole.path.get_mut(&mut data) {
            Some(Value::Object(map)) => drop(map.insert(SOME_ENTRY.to_owned(), entry())),
            Some(value @ Value::Null) => *value = json!({ SOME_ENTRY: entry() }),
            _ => {}
        }
    }
    data
}
