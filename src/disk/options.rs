//! Answers: what does a walk visit?
//!
//! The options of [`scan`](super::walk::scan), one type for each question that has two answers. The default visits what a
//! person would expect to be changed.
//!
//! Invariant: git's own folder and this program's are left alone, whatever the options say.

use std::ffi::OsStr;
use std::path::Path;

use ignore::overrides::{Override, OverrideBuilder};

use super::failure::one_line;

/// The files without an extension that are wanted always.
pub const NAMES: [&str; 1] = ["Kustomization"];

/// The extensions that are wanted always; case does not matter.
pub const EXTENSIONS: [&str; 3] = ["yaml", "yml", "json"];

/// What a walk visits, and how much it tells of the rest.
#[derive(Clone, Debug, Default)]
pub struct WalkOptions {
    /// Whether ignore files count.
    pub ignore_files: IgnoreFiles,
    /// Whether entries whose name starts with a dot are visited.
    pub hidden: Hidden,
    /// Whether symbolic links below a root are followed; a root that is a link always is.
    pub links: Links,
    /// Whether files that are named as roots need a wanted extension.
    pub named: Named,
    /// How much is told of what was left out.
    pub listing: Listing,
    /// Globs that leave out or let in.
    pub globs: Globs,
    /// Wanted extensions besides [`EXTENSIONS`], without a dot.
    pub extensions: Vec<String>,
    /// How many threads walk; 0 lets the machine decide.
    pub threads: usize,
}

impl WalkOptions {
    /// Says whether the name of the file at `path` has a wanted extension.
    pub(super) fn wants(&self, path: &Path) -> bool {
        let Some(extension) = path.extension() else {
            return path.file_name().is_some_and(|name| NAMES.iter().any(|wanted| name == *wanted));
        };
        let mut wanted = EXTENSIONS.into_iter().chain(self.extensions.iter().map(String::as_str));
        wanted.any(|wanted| extension.eq_ignore_ascii_case(wanted))
    }

    /// Says whether an entry of this name below a root is not visited and, if it is a folder, not entered.
    pub(super) fn leaves_alone(&self, name: &OsStr) -> bool {
        is_own(name) || self.hidden == Hidden::Skip && name.as_encoded_bytes().starts_with(b".")
    }
}

/// Says whether a name is that of a folder which git or this program keeps for itself.
pub(super) fn is_own(name: &OsStr) -> bool {
    name == ".git" || name == ".reversion"
}

/// Whether `.gitignore`, `.git/info/exclude`, `.ignore` and `.reversionignore` count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IgnoreFiles {
    /// They do.
    #[default]
    Respect,
    /// They do not.
    Disregard,
}

/// What happens to an entry whose name starts with a dot. `.git` and `.reversion` are never entered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hidden {
    /// It is left out and counted.
    #[default]
    Skip,
    /// It is visited like any other.
    Visit,
}

/// What happens to a symbolic link below a root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Links {
    /// It is left out and counted.
    #[default]
    Skip,
    /// It is followed; a link that leads back to a folder above it is a [`Failure::Loop`](super::Failure::Loop).
    Follow,
}

/// What happens to a file that is named as a root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Named {
    /// It is visited, whatever its name: a person typed it.
    #[default]
    Always,
    /// It is visited when it has a wanted extension: the name comes from a list of all changed files.
    ByExtension,
}

/// How much a [`Scan`](super::walk::Scan) tells of what was left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Listing {
    /// FileSystem that are no text are named, the rest of what the walk met is counted.
    #[default]
    Count,
    /// Everything is named, also what is ignored: the folders are gone through a second time.
    Every,
}

/// Globs as a line of `.gitignore` has them, relative to the current folder; `!` in front leaves out.
///
/// A glob outweighs ignore files. With at least one glob that lets in, every file that matches none is left out.
#[derive(Clone, Debug)]
pub struct Globs(Override);

impl Default for Globs {
    fn default() -> Self {
        Self(Override::empty())
    }
}

impl Globs {
    /// Reads globs; later ones outweigh earlier ones.
    ///
    /// # Errors
    /// A message that names the glob and what is wrong with it.
    pub fn new(globs: impl IntoIterator<Item = impl AsRef<str>>) -> Result<Self, String> {
        let folder = std::env::current_dir().unwrap_or_default();
        let mut builder = OverrideBuilder::new(folder);
        for glob in globs {
            builder.add(glob.as_ref()).map_err(|error| one_line(&error.to_string()))?;
        }
        builder.build().map(Self).map_err(|error| one_line(&error.to_string()))
    }

    /// Returns the matcher that a walk asks.
    pub(super) const fn matcher(&self) -> &Override {
        &self.0
    }
}
