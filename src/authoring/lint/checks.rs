//! All checks of a pack: [`lint`], [`nonsense`], [`coverage`].

use super::coverage::{Cover, Coverage, Removed, Share};
use super::fixtures::check_fixtures;
use super::linter::Lint;
use super::message::Message;
use super::notes::{check_names, check_release_notes};
use super::premises::check_premises;
use super::releases::check_releases;
use super::removals::check_removals;
use super::rules::check_rules;
use super::{constants, merged_kinds};
use crate::knowledge::pack::pack::Pack;

/// Checks `pack`; `fixtures` are the files of its fixtures, as `<pack>/<bundle>/<rule>/<case>/<file>`, where they are at hand.
///
/// The messages are sorted by file and line.
pub fn lint(pack: &Pack, fixtures: Option<&[String]>) -> Vec<Message> {
    let mut lint = Lint::new(pack);
    check_releases(&mut lint);
    check_removals(&mut lint);
    check_sense(&mut lint);
    check_rules(&mut lint);
    for (rule, place, text, help) in constants::check(pack).into_iter().chain(merged_kinds::check(pack)) {
        lint.report(&rule.path(), &place, text, help);
    }
    check_release_notes(&mut lint);
    if let Some(fixtures) = fixtures {
        check_fixtures(&mut lint, fixtures);
    }
    lint.messages.into_iter().collect()
}

/// Returns what in `pack` can do nothing sensible: what names kinds, fields and values that no release has, or says one thing twice.
///
/// The messages are sorted by file and line.
pub(crate) fn nonsense(pack: &Pack) -> Vec<Message> {
    let mut lint = Lint::new(pack);
    check_sense(&mut lint);
    lint.messages.into_iter().collect()
}

/// Checks what can do nothing sensible.
fn check_sense(lint: &mut Lint<'_>) {
    check_premises(lint);
    check_names(lint);
}

/// Counts what is removed between adjacent releases of `pack`, and what covers it.
pub fn coverage(pack: &Pack) -> Coverage {
    let mut lint = Lint::new(pack);
    check_removals(&mut lint);
    let removed = lint.removed;
    let count = |subject: fn(&Removed) -> bool| {
        let of = |cover| removed.iter().filter(|(what, its)| subject(what) && **its == cover).count();
        Share { claimed: of(Cover::ByRule), dropped: of(Cover::Listed), missed: of(Cover::Missing) }
    };
    Coverage {
        kinds: count(|what| what.field.is_none()),
        fields: count(|what| what.field.is_some() && what.value.is_none()),
        values: count(|what| what.value.is_some()),
    }
}
