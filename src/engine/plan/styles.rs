//! Which style do the neighbors of a file show?
//!
//! Invariant: the answer depends on no order of the files.

use std::collections::BTreeMap;

use crate::engine::links::FileSurvey;
use crate::syntax::yaml::Style;

/// What most files of each folder show of their style.
#[derive(Debug)]
pub(super) struct Styles<'r>(BTreeMap<&'r str, Style>);

impl<'r> Styles<'r> {
    /// Reads the styles of all files of a run.
    pub(super) fn of(files: &'r [FileSurvey]) -> Self {
        let mut by_folder: BTreeMap<&str, Vec<Style>> = BTreeMap::new();
        for file in files {
            by_folder.entry(folder(&file.file)).or_default().push(file.style);
        }
        Self(by_folder.into_iter().map(|(folder, styles)| (folder, Style::of_most(&styles))).collect())
    }

    /// Returns the style of most files in the folder of `file`; what they leave open is that of the nearest folder above that shows it.
    pub(super) fn around(&self, file: &str) -> Style {
        let folders = std::iter::successors(Some(folder(file)), |inner| (!inner.is_empty()).then(|| folder(inner)));
        let styles = folders.into_iter().filter_map(|folder| self.0.get(folder));
        styles.fold(Style::default(), |style, above| style.or(*above))
    }
}

/// Returns the folder that a path is in; that of a name alone is empty.
fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}
