//! Answers: how is a pack read that is not built in, and is it fit for use?
//!
//! [`PackContent`] has the files of a pack: those of a folder, or those that were in an archive or a commit. It is read as one that
//! makes sense, or as one that is being written. [`read_files`] takes the texts from where there are no files.
//!
//! Invariant: only files below the folder are read; what is too large is refused.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

use crate::authoring::lint::nonsense;
use crate::knowledge::lens::Direction;
use crate::knowledge::pack::folder::{MAX_PACK, PackFiles};
use crate::knowledge::pack::load::load;
use crate::knowledge::pack::nearest::near;
use crate::knowledge::pack::pack::Pack;
use crate::knowledge::pack::place::{Place, Wrong};
use crate::knowledge::pack::rules::Rule;
use crate::knowledge::pack::wire;
use crate::syntax::field::FieldPath;

/// The largest file of a pack, in bytes.
pub(crate) const MAX_PACK_FILE: u64 = 16 << 20;

/// The folder of a pack that holds the fixtures of its rules, where it has its own: `fixtures/<bundle>/<rule>/<case>/<file>`. It is no
/// part of the pack's knowledge.
pub const FIXTURES: &str = "fixtures";

/// The files of a pack that is not built in, wherever they come from, and what messages call their folder.
#[derive(Debug)]
pub(crate) struct PackContent {
    /// The path of the folder that they are in, as it was passed; the name of one in an archive or a commit.
    pub(crate) name: String,
    /// Each file by its path in the folder, with `/`.
    pub(crate) files: BTreeMap<String, Vec<u8>>,
}

impl PackContent {
    /// Reads the files of a folder that `is_wanted`.
    ///
    /// # Errors
    /// A failure that names what cannot be read, or is too large.
    pub(crate) fn of_folder(folder: &Path, is_wanted: impl Fn(&str) -> bool) -> Result<Self> {
        ensure!(folder.is_dir(), "there is no pack in {}: no such folder", folder.display());
        let name = folder.to_str().context("the path of the pack's folder must be valid UTF-8")?;
        let name = name.trim_end_matches(['/', std::path::MAIN_SEPARATOR]);
        let (mut files, mut size) = (BTreeMap::new(), 0);
        for path in list_folder(folder)?.into_iter().filter(|path| is_wanted(path)) {
            let file = folder.join(&path);
            let unread = || format!("cannot read {}", file.display());
            let length = std::fs::metadata(&file).with_context(unread)?.len();
            ensure!(length <= MAX_PACK_FILE, "{path} is larger than {MAX_PACK_FILE} bytes");
            size += length;
            ensure!(size <= MAX_PACK as u64, "the pack is larger than {} MiB", MAX_PACK >> 20);
            files.insert(path, std::fs::read(&file).with_context(unread)?);
        }
        Ok(Self { name: name.to_owned(), files })
    }

    /// Returns the files on which it depends what the pack does, sorted by path.
    pub(crate) fn knowledge(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let files = self.files.iter().filter(|(path, _)| is_knowledge(path));
        files.map(|(path, bytes)| (path.as_str(), bytes.as_slice()))
    }

    /// Returns the texts of the fixtures, by their paths in the folder of fixtures.
    ///
    /// # Errors
    /// A failure that names a file that is no text.
    pub(crate) fn fixtures(&self) -> Result<BTreeMap<String, String>> {
        let below = |path: &str| path.strip_prefix(FIXTURES)?.strip_prefix('/').map(str::to_owned);
        let fixtures = self.files.iter().filter_map(|(path, bytes)| Some((below(path)?, bytes)));
        let text = |(path, bytes): (String, &Vec<u8>)| {
            let text = String::from_utf8(bytes.clone());
            let text = text.with_context(|| format!("cannot read {}/{FIXTURES}/{path}", self.name))?;
            Ok((path, text))
        };
        fixtures.map(text).collect()
    }

    /// Reads the pack even if it makes no sense, and checks every catalog.
    ///
    /// # Errors
    /// A failure that names the file (and line) that is not what it should be.
    pub(crate) fn draft(&self) -> Result<Pack> {
        let mut files = PackFiles::new();
        let mut size = 0;
        for (path, bytes) in self.knowledge() {
            ensure!(!path.ends_with(".yml"), "{}/{path}: the files of a pack end in .yaml: rename it", self.name);
            ensure!(bytes.len() as u64 <= MAX_PACK_FILE, "{path} is larger than {MAX_PACK_FILE} bytes");
            size += bytes.len();
            ensure!(size <= MAX_PACK, "the pack is larger than {} MiB", MAX_PACK >> 20);
            let text = std::str::from_utf8(bytes).with_context(|| format!("cannot read {}/{path}", self.name))?;
            files.insert(path.to_owned(), Cow::Owned(text.to_owned()));
        }
        let pack = load(&self.name, files)?;
        for kind in pack.kinds() {
            pack.try_catalog(kind)?;
        }
        check_versions(&pack)?;
        check_parameters(&pack)?;
        Ok(pack)
    }

    /// Reads the pack, and refuses one that makes no sense; `shown` is what `pack lint` is passed to say why.
    ///
    /// # Errors
    /// A failure that names the file (and line) that is not what it should be.
    pub(crate) fn pack(&self, shown: &str) -> Result<Pack> {
        let pack = self.draft()?;
        let messages = nonsense(&pack);
        if let [first, others @ ..] = messages.as_slice() {
            let more = match others.len() {
                0 => String::new(),
                more => format!("\nand {more} more: `reversion pack lint {shown}` lists all"),
            };
            bail!("the pack {} makes no sense:\n{first}{more}", pack.name());
        }
        Ok(pack)
    }
}

/// Returns whether what a pack does depends on a file: not on its fixtures, on hidden files and on what people read.
pub(crate) fn is_knowledge(path: &str) -> bool {
    let is_text = [".yaml", ".yml", ".tsv"].iter().any(|ending| path.ends_with(ending));
    is_text && !is_fixture(path) && !is_hidden(path)
}

/// Returns whether a file is one of the fixtures of a pack.
pub(crate) fn is_fixture(path: &str) -> bool {
    path.split('/').next() == Some(FIXTURES)
}

/// Returns whether a file, or a folder that it is in, has a name that starts with a dot.
pub(crate) fn is_hidden(path: &str) -> bool {
    path.split('/').any(|part| part.starts_with('.'))
}

/// Reads the files of a pack folder that is not built in, and checks every catalog, and that the pack makes sense. Messages call the files
/// by the folder's own name, wherever it is.
///
/// # Errors
/// A failure that names the file (and line) that cannot be read or is not what it should be.
pub fn read_folder(folder: &Path) -> Result<Pack> {
    let content = PackContent::of_folder(folder, is_knowledge)?;
    let name = folder.file_name().and_then(|name| name.to_str()).map_or_else(|| content.name.clone(), str::to_owned);
    PackContent { name, ..content }.pack(&folder.display().to_string())
}

/// Reads a pack from the texts of its files, by their paths in its folder `name`, and checks it as [`read_folder`] does.
///
/// # Errors
/// A failure that names the file (and line) that is not what it should be.
pub fn read_files(name: &str, texts: BTreeMap<String, String>) -> Result<Pack> {
    let files = texts.into_iter().map(|(path, text)| (path, text.into_bytes())).collect();
    PackContent { name: name.to_owned(), files }.pack(name)
}

/// Checks that releases have the apiVersions of rules between two of them.
fn check_versions(pack: &Pack) -> Result<()> {
    let steps = pack.rules().iter().filter_map(|rule| Some((rule, rule.api_versions.as_ref()?)));
    for (rule, [old, new]) in steps {
        for (version, kind) in [(old, &rule.kind), (new, &rule.new_kind)] {
            let catalog = pack.try_catalog(kind)?;
            if catalog.is_none_or(|catalog| catalog.listing(&version.version).is_empty()) {
                let versions = catalog.map(|catalog| catalog.versions().collect::<Vec<_>>().join(", "));
                let help = format!("its versions are {}", versions.unwrap_or_default());
                let message = format!("apiVersions: no release has {kind} under {version}: {help}");
                let wrong = Wrong::at(Place::key("apiVersions"), message);
                return Err(pack.folder.error_in(&rule.path(), &wrong));
            }
        }
    }
    Ok(())
}

/// Checks that the pack declares the parameters that its rules read, with the choices that they know.
fn check_parameters(pack: &Pack) -> Result<()> {
    let read = |rule| {
        let rule: &Rule = rule;
        rule.lens(Direction::Forward).parameters().into_iter().map(move |one| (rule, one))
    };
    let full = |one: &wire::Parameter| format!("{}.{}", pack.name(), one.name);
    for (rule, read) in pack.rules().iter().flat_map(read) {
        let Some(declared) = pack.parameters().iter().find(|one| full(one) == read.name) else {
            let names: Vec<String> = pack.parameters().iter().map(full).collect();
            let near = near(read.name, names.iter().map(String::as_str));
            let hint = near.map_or_else(
                || "list it under `parameters` of pack.yaml".to_owned(),
                |near| format!("did you mean {near}?"),
            );
            let place = Place::Text(FieldPath::default(), read.name.to_owned());
            let wrong = Wrong::at(place, format!("the pack has no parameter {}: {hint}", read.name));
            return Err(pack.folder.error_in(&rule.path(), &wrong));
        };
        let knows = |choice: &String| read.choices.contains(&choice.as_str());
        let fits = match &declared.values {
            wire::ParameterValues::Choices { choices, .. } => choices.iter().all(knows),
            wire::ParameterValues::Format(_) => false,
        };
        ensure!(
            read.choices.is_empty() || fits,
            "{}.yaml: the parameter {} must have the choices {}",
            rule.id,
            read.name,
            read.choices.join(", ")
        );
        let has = |wanted: &str| match &declared.values {
            wire::ParameterValues::Choices { choices, .. } => choices.iter().any(|choice| choice == wanted),
            wire::ParameterValues::Format(_) => false,
        };
        if let Some(wanted) = read.wanted.filter(|wanted| !has(wanted)) {
            let place = Place::Text(FieldPath::default(), wanted.to_owned());
            let wrong = Wrong::at(place, format!("the parameter {} has no choice `{wanted}`", read.name));
            return Err(pack.folder.error_in(&rule.path(), &wrong));
        }
    }
    Ok(())
}

/// Lists the files below a folder, as paths with `/`, sorted.
///
/// # Errors
/// A failure that names the folder that cannot be listed.
pub fn list_folder(folder: &Path) -> Result<Vec<String>> {
    let mut files = Vec::new();
    for entry in walkdir::WalkDir::new(folder).sort_by_file_name() {
        let entry = entry.with_context(|| format!("cannot list {}", folder.display()))?;
        if entry.file_type().is_file() {
            let path = entry.path().strip_prefix(folder).context("a walk stays in its folder")?;
            files.push(path.to_string_lossy().replace('\\', "/"));
        }
    }
    Ok(files)
}

/// Returns whether there is a folder of this path.
pub(crate) fn is_folder(path: &Path) -> bool {
    path.is_dir()
}

/// Reads the files below a folder, by their paths with `/`.
///
/// # Errors
/// A failure that names the folder that cannot be listed, or the file that cannot be read, is larger than a pack's may be, or is no
/// text.
pub fn read_texts(folder: &Path) -> Result<BTreeMap<String, String>> {
    let read = |path: String| {
        let file = folder.join(&path);
        let size = std::fs::metadata(&file).with_context(|| format!("cannot read {}", file.display()))?.len();
        ensure!(size <= MAX_PACK_FILE, "{} is larger than {MAX_PACK_FILE} bytes", file.display());
        let text = std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        Ok((path, text))
    };
    list_folder(folder)?.into_iter().map(read).collect()
}
