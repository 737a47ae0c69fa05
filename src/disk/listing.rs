//! Answers: what did the ignore files and the globs keep from a walk?
//!
//! A walk never meets what is ignored, so it cannot name it. This one goes through the folders again, alone and without
//! reading files, and asks the same matchers about every entry. A folder that is left out is named once, not entered.
//!
//! Invariant: it names an entry exactly when the walk with the same options was not given it by the matchers.

use std::fs;
use std::path::{Path, PathBuf};

use ignore::{IncrementalIgnore, WalkBuilder};

use super::options::{Globs, WalkOptions};
use super::roots::shown;
use super::skip::Skip;
use super::walk_builder::builder;

/// Lists what lies below `root` and is ignored or excluded by a glob, in the order of paths.
pub(super) fn ignored(root: &Path, options: &WalkOptions) -> Vec<(PathBuf, Skip)> {
    let matcher = |builder: &WalkBuilder| builder.build_matchers().pop();
    let without_globs = WalkOptions { globs: Globs::default(), ..options.clone() };
    let (Some(all), Some(files)) = (matcher(&builder(root, options)), matcher(&builder(root, &without_globs))) else {
        return Vec::new();
    };
    let mut listing = Listing { all, files, found: Vec::new() };
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        listing.visit(root, &folder, options, &mut folders);
    }
    listing.found.sort();
    listing.found
}

struct Listing {
    /// Answers as the walk does.
    all: IncrementalIgnore,
    /// Answers as the walk would without globs.
    files: IncrementalIgnore,
    found: Vec<(PathBuf, Skip)>,
}

impl Listing {
    /// Looks at the entries of `folder`, a path below `root`; a folder that cannot be read is the walk's to report.
    fn visit(&mut self, root: &Path, folder: &Path, options: &WalkOptions, folders: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(root.join(folder)).into_iter().flatten().flatten() {
            let path = folder.join(entry.file_name());
            let is_folder = entry.file_type().is_ok_and(|file_type| file_type.is_dir());
            if self.all.matched(&path, is_folder).is_ignore() {
                let skip = if self.files.matched(&path, is_folder).is_ignore() { Skip::Ignored } else { Skip::Glob };
                self.found.push((shown(&root.join(&path)), skip));
            } else if is_folder && !options.leaves_alone(&entry.file_name()) {
                folders.push(path);
            }
        }
    }
}
