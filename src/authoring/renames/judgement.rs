//! Does a field that went seem to be one that came beside it?

use super::meaning::mean_different;
use super::names::{likeness, words};
use crate::knowledge::pack::is_near;

/// A field that went or came, and what it accepts: its schema, without what is for people.
pub(crate) struct Candidate<'f, S> {
    pub(crate) name: &'f str,
    pub(crate) schema: S,
    /// Whether that says more than a type, so that few fields have it.
    pub(crate) is_telling: bool,
}

/// Returns whether a field that went seems to be one that came: both have one schema, which no other one has of `all_gone` and
/// `all_came`, and that is telling, or their names are alike.
pub(crate) fn is_renamed<S: PartialEq>(
    [gone, came]: [&Candidate<'_, S>; 2],
    [all_gone, all_came]: [&[Candidate<'_, S>]; 2],
) -> bool {
    let is_only = |all: &[Candidate<'_, S>]| all.iter().filter(|other| other.schema == gone.schema).count() == 1;
    gone.schema == came.schema
        && is_only(all_gone)
        && is_only(all_came)
        && !mean_different(gone.name, came.name)
        && (gone.is_telling || are_alike(gone.name, came.name))
}

/// Returns whether one name is in the other one, or few letters or words of them differ.
pub(crate) fn are_alike(one: &str, other: &str) -> bool {
    let [old, new] = [one, other].map(str::to_lowercase);
    old.contains(&new) || new.contains(&old) || is_near(&old, &new) || likeness(&words(one), &words(other)) >= ALIKE
}

/// How alike the words of two names are that stand for the same, in percent.
const ALIKE: u32 = 70;

#[cfg(test)]
mod tests {
    use super::*;

    fn fields<'f>(fields: &[(&'f str, &'static str)]) -> Vec<Candidate<'f, &'static str>> {
        let field = |(name, schema): &(&'f str, &'static str)| {
            let is_telling = schema.contains(' ');
            Candidate { name, schema: *schema, is_telling }
        };
        fields.iter().map(field).collect()
    }

    #[track_caller]
    fn check(gone: &[(&str, &'static str)], came: &[(&str, &'static str)], expected: bool) {
        let (gone, came) = (fields(gone), fields(came));
        assert_eq!(is_renamed([&gone[0], &came[0]], [&gone, &came]), expected);
    }

    #[test]
    fn a_telling_schema_that_no_other_field_has_shows_a_rename() {
        check(&[("lights", "list of at most 2")], &[("lamps", "list of at most 2")], true);
        check(
            &[("lights", "list of at most 2"), ("bags", "list of at most 2")],
            &[("lamps", "list of at most 2")],
            false,
        );
        check(&[("lights", "list of at most 2")], &[("lamps", "list of at most 3")], false);
        check(&[("owner", "string")], &[("color", "string")], false);
    }

    #[test]
    fn names_that_are_alike_show_one_where_a_schema_does_not() {
        check(&[("url", "string")], &[("uri", "string")], true);
        check(&[("replicaCount", "integer")], &[("replicas", "integer")], true);
        check(&[("url", "string"), ("fax", "string")], &[("uri", "string")], false);
    }
}
