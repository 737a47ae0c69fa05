//! Answers: do the catalogs say the same of the constants in rules, their types and the defaults of fields, as the rules do?
//!
//! Only what catalogs state is compared: a field that is called otherwise between two rules of a bundle is none of theirs.
//!
//! Invariant: nothing is read but the rules and the catalogs.

use serde_json::Value;

use crate::knowledge::catalog::Field;
use crate::knowledge::lens::{Constant, Direction};
use crate::knowledge::pack::pack::Pack;
use crate::knowledge::pack::place::Place;
use crate::knowledge::pack::rule::Rule;
use crate::knowledge::release::{ApiVersion, GroupKind, ReleaseId};
use crate::syntax::field::FieldPattern;

/// Checks the constants of every rule on both of its sides: a rule, the place in its file, what is wrong there, and what to write.
pub(super) fn check(pack: &Pack) -> Vec<(&Rule, Place, String, String)> {
    let sides = |rule| [Direction::Forward, Direction::Backward].map(|direction| Side { pack, rule, direction });
    let rules = pack.rules().iter().filter(|rule| !pack.is_foreign(&rule.kind) && rule.values.is_none());
    rules.flat_map(sides).flat_map(|side| side.messages()).collect()
}

/// One side of a rule: the one that objects are on before it runs in `direction`.
struct Side<'p> {
    pack: &'p Pack,
    rule: &'p Rule,
    direction: Direction,
}

impl<'p> Side<'p> {
    fn messages(&self) -> Vec<(&'p Rule, Place, String, String)> {
        let message = |constant: &Constant| {
            let (text, help) = self.wrong(constant)?;
            Some((self.rule, Place::in_lens(&constant.field), text, help))
        };
        self.rule.lens(self.direction).constants().iter().filter_map(message).collect()
    }

    /// Returns what is wrong with a constant and what to write, where the catalogs say otherwise.
    fn wrong(&self, constant: &Constant) -> Option<(String, String)> {
        let Constant { field, value, is_default } = constant;
        let rows = self.rows(field);
        let side = match self.direction {
            Direction::Forward => "before",
            Direction::Backward => "after",
        };
        let kinds: Vec<&str> = rows.iter().map(|row| row.kind.name()).collect();
        if !rows.is_empty() && !rows.iter().any(|row| row.kind.accepts(value)) {
            let text = format!("{field} is never {value} {side} the change");
            return Some((text, format!("write a value of its type there, {}", kinds.join(" or "))));
        }
        let defaults: Vec<&Value> = rows.iter().filter_map(|row| row.attributes.default.as_ref()).collect();
        let is_other = *is_default && !defaults.is_empty() && !defaults.contains(&value);
        is_other.then(|| {
            let stated = defaults.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or ");
            let text = format!("the default of {field} {side} the change is {stated} in the catalog, and not {value}");
            (text, format!("write {stated}"))
        })
    }

    /// Returns the schemas of a field on this side, next to the change.
    fn rows(&self, field: &FieldPattern) -> Vec<Field<'p>> {
        let (kind, version) = self.subject();
        let Some(catalog) = self.pack.catalog(kind) else { return Vec::new() };
        let line = self.pack.line();
        let order = match self.direction {
            Direction::Forward => self.rule.order.checked_sub(1),
            Direction::Backward => Some(self.rule.order),
        };
        let is_next = |id: ReleaseId| Some(line.get(id).order) == order;
        let is_here = |row: &Field<'_>| match version {
            // An apiVersion has its fields in whatever release.
            Some(version) => row.api_versions.is_empty() || row.api_versions.contains(&version.version),
            None => row.releases.iter().any(is_next),
        };
        catalog.fields_of(field).filter(is_here).collect()
    }

    /// Returns the kind and the apiVersion of objects on this side.
    fn subject(&self) -> (&'p GroupKind, Option<&'p ApiVersion>) {
        let versions = self.rule.api_versions.as_ref();
        match self.direction {
            Direction::Forward => (&self.rule.kind, versions.map(|[old, _]| old)),
            Direction::Backward => (&self.rule.new_kind, versions.map(|[_, new]| new)),
        }
    }
}
