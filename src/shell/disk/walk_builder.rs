//! Which folders and ignore files a walk of one root takes into account.

use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use super::options::WalkOptions;

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
        builder.add_custom_ignore_filename(".reversionignore");
    }
    builder
}

/// Spells a root for the walk, for which `-` alone would be standard input.
pub(super) fn walkable(root: &Path) -> PathBuf {
    if root == Path::new("-") { Path::new(".").join(root) } else { root.to_owned() }
}
