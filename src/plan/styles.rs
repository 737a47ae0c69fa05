//! Which style do the neighbors of a file show?
//!
//! Invariant: the answer depends on no order of the files.

use std::collections::BTreeMap;

use crate::links::File;
use crate::yaml::Style;

/// How the lists of each folder are indented, where the files in it show that.
#[derive(Debug)]
pub(super) struct Styles(BTreeMap<String, Style>);

impl Styles {
    /// Reads the styles of all files of a run.
    pub(super) fn of(files: &[File<'_>]) -> Self {
        let mut by_folder: BTreeMap<&str, Vec<Style>> = BTreeMap::new();
        for file in files {
            by_folder.entry(folder(file.name())).or_default().push(file.style());
        }
        let most = by_folder.into_iter().map(|(folder, styles)| (folder.to_owned(), Style::of_most_lists(styles)));
        Self(most.filter(|(_, style)| style.shows_lists()).collect())
    }

    /// Returns the style of most files in the folder of `file`, else in the nearest folder above where one shows it.
    pub(super) fn around(&self, file: &str) -> Style {
        let folders = std::iter::successors(Some(folder(file)), |inner| (!inner.is_empty()).then(|| folder(inner)));
        folders.into_iter().find_map(|folder| self.0.get(folder)).copied().unwrap_or_default()
    }
}

/// Returns the folder that a path is in; that of a name alone is empty.
fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}
