//! Answers: what does a walk visit?
//!
//! The options of [`scan`](super::walk::scan). The default visits what a user would expect to be changed.
//!
//! Invariant: the folders of git and of this program are never entered, whatever the options are.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ignore::overrides::{Override, OverrideBuilder};

use super::failure::one_line;
use super::skip::Skip;

/// The files without an extension that are always included.
pub(crate) const NAMES: [&str; 1] = ["Kustomization"];

/// The hidden folders that are visited like any other: Pipelines as Code reads the runs of Tekton from there.
const READ_FOLDERS: [&str; 1] = [".tekton"];

/// The extensions that are always included; case does not matter.
pub(crate) const EXTENSIONS: [&str; 3] = ["yaml", "yml", "json"];

/// What a walk visits, and how much it reports about the rest.
#[derive(Clone, Debug, Default)]
pub(crate) struct WalkOptions {
    /// Whether `.gitignore`, `.git/info/exclude`, `.ignore` and `.reversionignore` are disregarded.
    pub(crate) no_ignore: bool,
    /// Whether entries whose name starts with a dot are visited like any other, but for `.git` and `.reversion`.
    pub(crate) hidden: bool,
    /// Whether symbolic links below a root are followed; a root that is a link always is. A link back to a folder above it is a
    /// [`Failure::Loop`](super::Failure::Loop).
    pub(crate) follow: bool,
    /// Whether everything that is skipped is listed, also what is ignored, for which the folders are walked a second time. Otherwise
    /// binary files are listed, and what a `.reversionignore` names, and all else is counted.
    pub(crate) inspect: bool,
    /// Globs that exclude or include.
    pub(crate) globs: Globs,
    /// What is excluded besides.
    pub(crate) excluded: Option<PathGlobs>,
    /// Extensions included besides [`EXTENSIONS`], without a dot.
    pub(crate) extensions: Vec<String>,
    /// Whether files of all names are included.
    pub(crate) every_name: bool,
    /// How many threads walk; 0 means one for each core.
    pub(crate) threads: usize,
}

impl WalkOptions {
    /// Returns whether the name of the file at `path` has an included extension.
    pub(crate) fn includes(&self, path: &Path) -> bool {
        if self.every_name {
            return true;
        }
        let Some(extension) = path.extension() else {
            return path.file_name().is_some_and(|name| NAMES.iter().any(|included| name == *included));
        };
        let mut included = EXTENSIONS.into_iter().chain(self.extensions.iter().map(String::as_str));
        included.any(|included| extension.eq_ignore_ascii_case(included))
    }

    /// Returns whether nothing below the folder at `place` is visited: it, or a folder that it is in, is excluded.
    pub(super) fn excludes_folder(&self, place: &Path) -> bool {
        self.excluded.as_ref().is_some_and(|excluded| place.ancestors().any(|folder| excluded.matches(folder, true)))
    }

    /// Returns why an entry below a root is not visited and, if it is a folder, not entered; `place` is where it is.
    pub(super) fn skips(&self, name: &OsStr, place: impl FnOnce() -> Option<PathBuf>, is_folder: bool) -> Option<Skip> {
        let is_hidden = || {
            name.as_encoded_bytes().starts_with(b".") && !(is_folder && READ_FOLDERS.iter().any(|read| name == *read))
        };
        if is_reserved(name) || !self.hidden && is_hidden() {
            return Some(Skip::Hidden);
        }
        let excluded = self.excluded.as_ref()?;
        excluded.matches(&place()?, is_folder).then_some(Skip::Excluded)
    }
}

/// Returns whether a name is that of the folder of git or of this program.
pub(super) fn is_reserved(name: &OsStr) -> bool {
    name == ".git" || name == ".reversion"
}

/// Globs as a line of `.gitignore` has them, relative to the current folder; a `!` in front excludes.
///
/// A glob takes precedence over ignore files. With at least one glob that includes, every file that matches none is excluded.
#[derive(Clone, Debug)]
pub(crate) struct Globs(Override);

impl Default for Globs {
    fn default() -> Self {
        Self(Override::empty())
    }
}

impl Globs {
    /// Parses globs; later ones take precedence.
    ///
    /// # Errors
    /// A message with the glob and what is wrong with it.
    pub(crate) fn new(globs: impl IntoIterator<Item = impl AsRef<str>>) -> Result<Self, String> {
        let folder = std::env::current_dir().unwrap_or_default();
        let mut builder = OverrideBuilder::new(folder);
        for glob in globs {
            builder.add(&line(glob.as_ref())?).map_err(|error| one_line(&error.to_string()))?;
        }
        builder.build().map(Self).map_err(|error| one_line(&error.to_string()))
    }

    /// Returns the matcher for a walk.
    pub(super) const fn matcher(&self) -> &Override {
        &self.0
    }
}

/// Returns a glob as the line of a `.gitignore` with this meaning: `./x` is `x` of the folder itself.
///
/// # Errors
/// Why it would match nothing, or not what it looks like.
fn line(glob: &str) -> Result<String, String> {
    let (sign, path) = glob.strip_prefix('!').map_or(("", glob), |path| ("!", path));
    let wrong = |why: &str| Err(format!("the glob '{glob}' {why}"));
    let line = match path.strip_prefix("./") {
        Some(path) => format!("{sign}/{}", path.trim_start_matches("./").trim_start_matches('/')),
        None => glob.to_owned(),
    };
    if path.split('/').any(|part| part == "..") {
        return wrong("leads out of the folder that it counts from: write a glob of what is in it");
    }
    if path.split('/').all(|part| part.trim().is_empty() || part == ".") {
        return wrong("matches nothing: write a name such as `vendor/`, or `*` for everything");
    }
    if path.starts_with('#') && sign.is_empty() {
        return wrong(&format!("is a comment: write `\\{path}`"));
    }
    if is_unclosed(path) {
        return wrong("has a `[` without `]`: write `\\[` for the character, or close the list of characters");
    }
    Ok(line)
}

/// Returns whether a `[` has no `]`; `ignore` reads such a bracket as it is, and so as another glob than was meant.
fn is_unclosed(glob: &str) -> bool {
    let mut rest = glob.chars().peekable();
    while let Some(character) = rest.next() {
        if character == '\\' {
            rest.next();
        } else if character == '[' {
            rest.next_if(|first| matches!(first, '!' | '^'));
            // A bracket in the first place is one of the characters.
            rest.next_if_eq(&']');
            if !rest.any(|character| character == ']') {
                return true;
            }
        }
    }
    false
}

/// Globs as the lines of a `.gitignore` in one folder; paths are compared as places.
#[derive(Clone, Debug)]
pub(crate) struct PathGlobs(Gitignore);

impl PathGlobs {
    /// Parses globs of `folder`, a place; later ones take precedence.
    ///
    /// # Errors
    /// A message with the glob and what is wrong with it.
    pub(crate) fn new(folder: &Path, globs: impl IntoIterator<Item = impl AsRef<str>>) -> Result<Self, String> {
        let message = |error: ignore::Error| one_line(&error.to_string());
        let mut builder = GitignoreBuilder::new(folder);
        for glob in globs {
            builder.add_line(None, &line(glob.as_ref())?).map_err(message)?;
        }
        builder.build().map(Self).map_err(message)
    }

    /// Returns whether a file or folder is matched itself.
    pub(super) fn matches(&self, place: &Path, is_folder: bool) -> bool {
        let below = place.strip_prefix(self.0.path());
        below.is_ok_and(|below| !below.as_os_str().is_empty()) && self.0.matched(place, is_folder).is_ignore()
    }

    /// Returns whether a file is matched, or a folder that it is in.
    pub(crate) fn covers(&self, file: &Path) -> bool {
        file.starts_with(self.0.path()) && self.0.matched_path_or_any_parents(file, false).is_ignore()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_match_like_lines_of_an_ignore_file() {
        let globs = PathGlobs::new(Path::new("/r"), ["legacy/", "/top.yaml", "*.gen.yaml", "!keep.gen.yaml"]).unwrap();
        for file in ["/r/legacy/a.yaml", "/r/x/legacy/y/a.yaml", "/r/top.yaml", "/r/x/a.gen.yaml"] {
            assert!(globs.covers(Path::new(file)), "{file}");
        }
        for file in ["/r/legacy", "/r/x/top.yaml", "/r/keep.gen.yaml", "/s/legacy/a.yaml", "/s/a.gen.yaml"] {
            assert!(!globs.covers(Path::new(file)), "{file}");
        }
        assert!(globs.matches(Path::new("/r/legacy"), true) && !globs.matches(Path::new("/r/legacy/a.yaml"), false));
        assert!(PathGlobs::new(Path::new("/r"), ["[z-a]"]).unwrap_err().contains("[z-a]"));
    }

    #[test]
    fn a_dot_in_front_names_the_folder_of_the_globs() {
        let globs = PathGlobs::new(Path::new("/r"), ["./vendor/", "*.gen.yaml", "!./././keep.gen.yaml"]).unwrap();
        for (file, is_covered) in [
            ("/r/vendor/a.yaml", true),
            ("/r/x/vendor/a.yaml", false),
            ("/r/x/keep.gen.yaml", true),
            ("/r/keep.gen.yaml", false),
        ] {
            assert_eq!(globs.covers(Path::new(file)), is_covered, "{file}");
        }
        for text in ["../x", "a/../b", "!../x", ".", "./", "/", "", " ", "!", "#a", "vendor[", "a[!]b", "[^]", "\\[["] {
            assert!(PathGlobs::new(Path::new("/r"), [text]).is_err(), "{text}");
            assert!(Globs::new([text]).is_err() || text == "#a", "{text}");
        }
        for text in ["\\[", "[]]", "[[]", "[!]]", "\\#a", "!#a", "..a", "a."] {
            assert!(PathGlobs::new(Path::new("/r"), [text]).is_ok(), "{text}");
        }
    }
}
