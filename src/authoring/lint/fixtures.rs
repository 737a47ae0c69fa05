//! The check that every rule has its fixtures.

use std::collections::{BTreeMap, BTreeSet};

use super::linter::Lint;
use crate::knowledge::pack::place::Place;

/// Reports a rule without fixtures, or without one that must not change, and fixtures without a rule.
pub(super) fn check_fixtures(lint: &mut Lint<'_>, files: &[String]) {
    let mut cases: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for file in files {
        let parts: Vec<&str> = file.split('/').collect();
        if let [pack, _, _, _, name] = parts.as_slice()
            && *pack == lint.pack.name()
        {
            let rule = &file[..parts[..3].iter().map(|part| part.len() + 1).sum::<usize>() - 1];
            cases.entry(rule).or_default().push(name);
        }
    }
    for rules in lint.pack.rule_files() {
        let (id, file) = (rules[0].id.as_str(), rules[0].path());
        let files = cases.get(id).map_or(&[][..], Vec::as_slice);
        if !files.contains(&"before.yaml") && !files.contains(&"after.yaml") {
            let text = "the rule has no fixture";
            lint.report(&file, &Place::Line(1), text, format!("add {id}/CASE with before.yaml or after.yaml"));
        }
        if !files.contains(&"same.yaml") {
            let text = "the rule has no fixture that it must not change";
            lint.report(&file, &Place::Line(1), text, format!("add {id}/CASE with same.yaml"));
        }
    }
    let ids: BTreeSet<&str> = lint.pack.rules().iter().map(|rule| rule.id.as_str()).collect();
    for folder in cases.keys().filter(|folder| !ids.contains(*folder)) {
        lint.report_folder(folder, "the fixtures belong to no rule", "rename or remove the folder");
    }
}
