//! Answers: what is known of what an action prints?

use super::expression::Expression;
use super::written_yaml::read_placed;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// What the collections are whose items ranges with a number take.
pub(super) type Ranges = BTreeMap<usize, Expression>;

/// How conditions are decided, by their texts.
pub(super) type Decided = BTreeMap<String, (Expression, bool)>;

/// What is known of what an action prints.
pub(super) struct Description {
    /// What it is by default in each turn of the ranges around, if that is known; none where nothing is printed.
    pub(super) by_default: Option<Vec<Value>>,
    /// How the conditions in definitions about what users set are decided for that.
    pub(super) decided: Decided,
    /// Whether users set it, and it has no default that is known.
    pub(super) is_required: bool,
    /// Whether users of some chart set it, and nothing shows a default of it.
    pub(super) is_missing: bool,
    /// Whether it is made of values of the chart that are empty where users set nothing, or whole objects.
    pub(super) is_of_objects: bool,
    /// The key in the values of the chart of all that is printed, where that is known.
    pub(super) key: Option<String>,
    /// The data that texts of the chart make of it, where it is not one of these alone.
    pub(super) alternatives: Vec<Value>,
    /// The texts that it can be, if there are no others; one in quotes is what is in them.
    pub(super) texts: Option<BTreeSet<String>>,
}

/// What is around an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Around {
    /// It prints entries or items.
    Entries,
    /// It prints a text.
    Quotes,
    /// What it prints can be any data.
    Nothing,
}

impl Around {
    /// Returns what a text is there.
    pub(super) fn data_of(self, text: &str) -> Option<Value> {
        if self == Self::Quotes { Some(Value::from(text)) } else { read_placed(text) }
    }
}
