//! Answers: which files does a pack have, and what do messages call them?
//!
//! Invariant: files are sorted by path.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Error, Result, anyhow};
use serde::de::DeserializeOwned;

use super::built_in::{BuiltInFile, BuiltInPack};
use super::default_groups::default_groups;
use super::nearest::near;
use super::place::Wrong;
use crate::syntax::fingerprint::Fingerprint;

/// The file that a pack begins with.
pub(crate) const HEAD: &str = "pack.yaml";

/// The file of a pack that describes carriers.
pub(crate) const CARRIERS: &str = "carriers.yaml";

/// The most that all files of a pack hold, in bytes; a rule's file counts once for each kind that it is about.
pub(crate) const MAX_PACK: usize = 64 << 20;

/// The files of one pack: path within the pack's folder with `/`, and text.
pub type PackFiles = BTreeMap<String, Cow<'static, str>>;

/// The folder of a pack.
#[derive(Debug)]
pub(crate) struct Folder {
    /// What messages call it.
    pub(crate) name: String,
    files: Files,
}

#[derive(Debug)]
enum Files {
    Given(PackFiles),
    BuiltIn(&'static [BuiltInFile]),
}

/// A file in the folder of a pack.
#[derive(Clone, Copy, Debug)]
pub(crate) struct File<'f> {
    /// Its path in the folder, with `/`.
    pub(crate) path: &'f str,
    text: Text<'f>,
    /// The same as JSON, where the program has it.
    json: Option<&'f str>,
}

#[derive(Clone, Copy, Debug)]
enum Text<'f> {
    Given(&'f str),
    BuiltIn(&'static BuiltInFile),
}

impl<'f> File<'f> {
    /// Returns the text.
    pub(crate) fn text(self) -> &'f str {
        match self.text {
            Text::Given(text) => text,
            Text::BuiltIn(file) => file.text(),
        }
    }
}

impl Folder {
    /// Makes the folder of a pack that is not in the program.
    pub(crate) fn given(name: &str, files: PackFiles) -> Self {
        Self { name: name.to_owned(), files: Files::Given(files) }
    }

    /// Makes the folder of a pack in the program.
    pub(crate) fn built_in(pack: &'static BuiltInPack) -> Self {
        Self { name: pack.name.to_owned(), files: Files::BuiltIn(pack.files) }
    }

    /// Returns what messages call a file.
    pub(crate) fn path_of(&self, file: &str) -> String {
        format!("{}/{file}", self.name)
    }

    /// Returns the text of the file with this path.
    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        match &self.files {
            Files::Given(files) => files.get(path).map(|text| &**text),
            Files::BuiltIn(_) => self.built_in_file(path).map(BuiltInFile::text),
        }
    }

    /// Returns the file with this path, where the program has it.
    pub(crate) fn built_in_file(&self, path: &str) -> Option<&'static BuiltInFile> {
        match self.files {
            Files::Given(_) => None,
            Files::BuiltIn(files) => files.binary_search_by_key(&path, |file| file.path).ok().map(|at| &files[at]),
        }
    }

    /// Returns the files, sorted by path.
    pub(crate) fn iter(&self) -> Box<dyn Iterator<Item = File<'_>> + '_> {
        match &self.files {
            Files::Given(files) => {
                Box::new(files.iter().map(|(path, text)| File { path, text: Text::Given(text), json: None }))
            }
            Files::BuiltIn(files) => {
                Box::new(files.iter().map(|file| File { path: file.path, text: Text::BuiltIn(file), json: file.json }))
            }
        }
    }

    /// Returns the folder with more files.
    pub(crate) fn with(&self, more: BTreeMap<String, String>) -> Self {
        let more = more.into_iter().map(|(path, text)| (path, Cow::Owned(text)));
        Self::given(&self.name, self.copied().into_iter().chain(more).collect())
    }

    /// Takes the fingerprint of all files, with their paths.
    pub(crate) fn fingerprint(&self) -> Fingerprint {
        let parts = self.iter().flat_map(|file| [file.path, "\0", file.text(), "\0"]);
        Fingerprint::of(parts.collect::<String>().as_bytes())
    }

    /// Returns the API groups that defaults in catalogs can name.
    pub(crate) fn default_groups(&self) -> BTreeSet<String> {
        let catalogs = self.iter().filter(|file| file.path.ends_with(".tsv"));
        catalogs.flat_map(|file| default_groups(file.text())).map(str::to_owned).collect()
    }

    /// Returns a copy of the files.
    pub(crate) fn copied(&self) -> PackFiles {
        match &self.files {
            Files::Given(files) => files.clone(),
            Files::BuiltIn(files) => {
                files.iter().map(|file| (file.path.to_owned(), Cow::Borrowed(file.text()))).collect()
            }
        }
    }

    /// Makes the error that something is wrong in a file.
    pub(crate) fn error_in(&self, path: &str, wrong: &Wrong) -> Error {
        wrong.in_file(&self.path_of(path), self.text(path).unwrap_or_default())
    }

    /// Reads a file: from its JSON if there is one; errors come from the YAML, since JSON has no lines to name.
    ///
    /// # Errors
    /// A failure that names file, line and column.
    pub(crate) fn parse<T: DeserializeOwned>(&self, file: File<'_>) -> Result<T> {
        if let Some(read) = file.json.and_then(|json| serde_json::from_str(json).ok()) {
            return Ok(read);
        }
        serde_yaml::from_str(file.text()).map_err(|error| {
            let message = error.to_string();
            let place = error.location().map(|place| (place.line(), place.column()));
            let (line, column) = place.unwrap_or((1, 1));
            let message = message.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&message);
            let (plain, meant) = (pair(message), meant(message).unwrap_or_default());
            anyhow!("{}:{line}:{column}: {}{meant}", self.path_of(file.path), plain.as_deref().unwrap_or(message))
        })
    }

    /// Reads the YAML file with this path, if there is one.
    ///
    /// # Errors
    /// As [`Folder::parse`].
    pub(crate) fn read<T: DeserializeOwned>(&self, path: &str) -> Result<Option<T>> {
        self.text(path).map(|text| self.parse(File { path, text: Text::Given(text), json: None })).transpose()
    }
}

/// Says what to write where a message is about a list that must hold two values.
fn pair(message: &str) -> Option<String> {
    let wanted = [", expected an array of length 2", ", expected sequence of 2 elements"];
    let start = wanted.iter().find_map(|wanted| message.strip_suffix(wanted))?;
    let (path, _) = start.split_once(": invalid")?;
    let key = path.rsplit('.').next().unwrap_or(path);
    Some(format!("{path}: there must be two in a list: write `{key}: [ONE, OTHER]`"))
}

/// Returns which of the names that a message lists may stand for the one that it is about.
fn meant(message: &str) -> Option<String> {
    let (_, rest) = message.split_once('`')?;
    let (name, rest) = rest.split_once('`')?;
    let (_, names) = rest.split_once("expected ").or_else(|| rest.split_once("the operations are "))?;
    let is_part = |letter: char| !(letter.is_alphanumeric() || matches!(letter, '-' | '_'));
    let names = names.split(is_part).filter(|word| !matches!(*word, "" | "one" | "of" | "or"));
    near(name, names).map(|near| format!("; did you mean `{near}`?"))
}
