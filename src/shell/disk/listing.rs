//! Answers: what did the ignore files and the globs exclude from a walk?
//!
//! A walk never sees what is ignored, so it cannot name it. Where everything is listed, or a `.reversionignore` applies, this pass walks the
//! folders again, in one thread and without reading files, and applies the same matchers to every entry. A folder that is excluded is named once and not entered.
//!
//! Invariant: it names an entry exactly if the matchers exclude it from a walk with the same options.

use std::fs;
use std::path::{Path, PathBuf};

use ignore::{IncrementalIgnore, WalkBuilder};

use super::ignore_files::unreadable;
use super::options::{Globs, WalkOptions};
use super::roots::shown;
use super::skip::Skip;
use super::walk_builder::{builder, own_builder};

/// Lists what is below `root` and is ignored or excluded by a glob, in the order of paths.
pub(super) fn ignored(root: &Path, options: &WalkOptions) -> Vec<(PathBuf, Skip)> {
    let matcher = |builder: &WalkBuilder| builder.build_matchers().pop();
    let without_globs = WalkOptions { globs: Globs::default(), ..options.clone() };
    let (Some(unfiltered), Some(files)) = (matcher(&builder(root, options)), matcher(&builder(root, &without_globs)))
    else {
        return Vec::new();
    };
    let own = own_builder(root).build_matchers().pop().filter(|_| !options.no_ignore);
    let mut listing = Listing { unfiltered, files, own, place: fs::canonicalize(root).ok(), skipped: Vec::new() };
    let is_excluded = listing.place.as_ref().is_some_and(|place| options.excludes_folder(place));
    let mut folders = if is_excluded { Vec::new() } else { vec![PathBuf::new()] };
    while let Some(folder) = folders.pop() {
        listing.visit(root, &folder, options, &mut folders);
    }
    listing.skipped.sort();
    listing.skipped
}

struct Listing {
    /// Matches as the walk does.
    unfiltered: IncrementalIgnore,
    /// Matches as the walk would without globs.
    files: IncrementalIgnore,
    /// Matches what a `.reversionignore` names.
    own: Option<IncrementalIgnore>,
    /// Where the root leads.
    place: Option<PathBuf>,
    skipped: Vec<(PathBuf, Skip)>,
}

impl Listing {
    /// Returns what excludes an entry.
    fn why(&mut self, path: &Path, is_folder: bool) -> Skip {
        let is_ignored = |matcher: &mut IncrementalIgnore| matcher.matched(path, is_folder).is_ignore();
        if !is_ignored(&mut self.files) {
            Skip::Glob
        } else if self.own.as_mut().is_some_and(is_ignored) {
            Skip::OwnIgnored
        } else {
            Skip::Ignored
        }
    }

    /// Checks the entries of `folder`, a path below `root`; the walk reports folders that cannot be read.
    fn visit(&mut self, root: &Path, folder: &Path, options: &WalkOptions, folders: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(root.join(folder)).into_iter().flatten().flatten() {
            let path = folder.join(entry.file_name());
            let is_folder = entry.file_type().is_ok_and(|file_type| file_type.is_dir());
            if self.unfiltered.matched(&path, is_folder).is_ignore() {
                let skip = self.why(&path, is_folder);
                self.skipped.push((shown(&root.join(&path)), skip));
            } else if is_folder
                && options.skips(&entry.file_name(), || Some(self.place.as_ref()?.join(&path)), true).is_none()
                && unreadable(&root.join(&path), options).is_empty()
            {
                folders.push(path);
            }
        }
    }
}
