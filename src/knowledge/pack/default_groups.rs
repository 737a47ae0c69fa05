//! Answers: which API groups can the defaults of a kind's fields name?
//!
//! The build script includes this file too: the program asks it of the packs that it is given.
//!
//! Invariant: a catalog is searched as text, since most of them are never read.

/// Returns the API groups that defaults in the text of a catalog can name, as groups or apiVersions.
pub(crate) fn default_groups(catalog: &str) -> impl Iterator<Item = &str> {
    const START: &str = "\"default\":\"";
    let defaults = catalog.match_indices(START).map(|(at, _)| &catalog[at + START.len()..]);
    defaults.filter_map(|default| {
        let group = &default[..default.find(['"', '/'])?];
        // A path has no group before its slash.
        (!default.starts_with('/')).then_some(group)
    })
}
