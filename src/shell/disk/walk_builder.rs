//! Which folders and ignore files a walk of one root takes into account.

use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use super::options::WalkOptions;

/// The ignore file of the program itself.
pub(super) const OWN_IGNORE: &str = ".reversionignore";

/// Sets up a walk from `root` that takes only the program's own ignore files into account.
pub(super) fn own_builder(root: &Path) -> WalkBuilder {
    let mut builder = WalkBuilder::new(walkable(root));
    builder.standard_filters(false).parents(true).add_custom_ignore_filename(OWN_IGNORE);
    builder
}

/// Sets up a walk from `root`; hidden entries are left to the filter of `walk`.
pub(super) fn builder(root: &Path, options: &WalkOptions) -> WalkBuilder {
    let respect = !options.no_ignore;
    let mut builder = WalkBuilder::new(walkable(root));
    builder
        .standard_filters(false)
        .parents(respect)
        .ignore(respect)
        .git_ignore(respect)
        .git_exclude(respect)
        .require_git(true)
        .overrides(options.globs.matcher().clone())
        .follow_links(options.follow)
        .threads(options.threads);
    if respect {
        builder.add_custom_ignore_filename(OWN_IGNORE);
    }
    builder
}

/// Spells a root for the walk, for which `-` alone would be standard input.
pub(super) fn walkable(root: &Path) -> PathBuf {
    if root == Path::new("-") { Path::new(".").join(root) } else { root.to_owned() }
}
