//! The filters of a page: one list for each thing that entries differ in, with counts. The script shows and serves them.

use std::collections::BTreeMap;

use super::entries::{Contents, PageEntry};
use crate::shell::report::run_report::Fate;

/// What entries can be filtered by.
pub(super) struct Filter {
    pub(super) label: &'static str,
    pub(super) name: &'static str,
    pub(super) options: Vec<FilterOption>,
}

/// One value of a filter.
pub(super) struct FilterOption {
    pub(super) value: String,
    pub(super) label: String,
    /// How many entries have it.
    pub(super) count: usize,
}

/// Makes the filters that have a value to choose.
pub(super) fn filters(contents: &Contents<'_>) -> Vec<Filter> {
    let entries = || contents.entries();
    let rules = contents.rules.iter().map(|(id, rule)| FilterOption {
        value: rule.number.to_string(),
        label: (*id).to_owned(),
        count: rule.objects,
    });
    let mut filters = vec![
        counted("Outcome", "outcome", entries().filter_map(PageEntry::fate).map(Fate::name)),
        counted("Kind", "kind", entries().filter_map(PageEntry::kind)),
        Filter { label: "Rule", name: "rule", options: rules.collect() },
        counted("Code", "code", entries().flat_map(PageEntry::codes)),
        counted("Severity", "severity", entries().flat_map(PageEntry::severities).map(|severity| severity.name())),
    ];
    filters.retain(|filter| !filter.options.is_empty());
    filters
}

/// Makes the filter of the values that occur.
fn counted<'v>(label: &'static str, name: &'static str, values: impl Iterator<Item = &'v str>) -> Filter {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    values.for_each(|value| *counts.entry(value).or_default() += 1);
    let option =
        |(value, count): (&str, usize)| FilterOption { value: value.to_owned(), label: value.to_owned(), count };
    Filter { label, name, options: counts.into_iter().map(option).collect() }
}
