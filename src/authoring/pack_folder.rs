//! Answers: how is a pack read that is not built in, and is it fit for use?
//!
//! [`read_folder`] brings the files of a folder given with `--pack`, and refuses a pack that makes no sense; [`read_files`] does the
//! same for texts, and [`read_if_pack`] reads a folder that is being written.
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

/// Reads the files of a pack folder that is not built in, and checks every catalog, and that the pack makes sense.
///
/// # Errors
/// A failure that names the file (and line) that cannot be read or is not what it should be.
pub fn read_folder(folder: &Path) -> Result<Pack> {
    sensible(read_draft(folder)?, &folder.display().to_string())
}

/// Reads a pack from the texts of its files, by their paths in its folder `name`, and checks it as [`read_folder`] does.
///
/// # Errors
/// A failure that names the file (and line) that is not what it should be.
pub fn read_files(name: &str, texts: BTreeMap<String, String>) -> Result<Pack> {
    let mut files = PackFiles::new();
    for (path, text) in texts {
        if is_part(name, Path::new(&path))? {
            files.insert(path, Cow::Owned(text));
        }
    }
    let size: usize = files.values().map(|text| text.len()).sum();
    ensure!(size <= MAX_PACK, "the pack is larger than {} MiB", MAX_PACK >> 20);
    sensible(checked(name, files)?, name)
}

/// Refuses a pack that makes no sense; messages call its folder `folder`.
fn sensible(pack: Pack, folder: &str) -> Result<Pack> {
    let messages = nonsense(&pack);
    if let [first, others @ ..] = messages.as_slice() {
        let more = match others.len() {
            0 => String::new(),
            more => format!("\nand {more} more: `reversion pack lint {folder}` lists all"),
        };
        bail!("the pack {} makes no sense:\n{first}{more}", pack.name());
    }
    Ok(pack)
}

/// Reads the files of a pack folder that is being written, and checks every catalog.
///
/// # Errors
/// A failure that names the file (and line) that cannot be read or is not what it should be.
fn read_draft(folder: &Path) -> Result<Pack> {
    ensure!(folder.is_dir(), "there is no pack in {}: no such folder", folder.display());
    let folder = folder.canonicalize().with_context(|| format!("cannot open the pack {}", folder.display()))?;
    let name = folder
        .file_name()
        .and_then(|name| name.to_str())
        .context("the name of the pack's folder must be valid UTF-8")?;
    let mut files = PackFiles::new();
    let mut size = 0;
    for entry in walkdir::WalkDir::new(&folder).sort_by_file_name() {
        let entry = entry.with_context(|| format!("cannot list the pack {}", folder.display()))?;
        let path = entry.path().strip_prefix(&folder).context("a walk stays in its folder")?;
        if !entry.file_type().is_file() || !is_part(name, path)? {
            continue;
        }
        let path = path.to_str().with_context(|| format!("the file name {} is not valid UTF-8", path.display()))?;
        ensure!(entry.metadata()?.len() <= MAX_PACK_FILE, "{path} is larger than {MAX_PACK_FILE} bytes");
        let text =
            std::fs::read_to_string(entry.path()).with_context(|| format!("cannot read {}", entry.path().display()))?;
        size += text.len();
        ensure!(size <= MAX_PACK, "the pack is larger than {} MiB", MAX_PACK >> 20);
        files.insert(path.replace('\\', "/"), Cow::Owned(text));
    }
    checked(name, files)
}

/// Returns whether a file of the folder of the pack `name` is one of the pack; fixtures and other files are not.
fn is_part(name: &str, path: &Path) -> Result<bool> {
    let extension = path.extension().and_then(|text| text.to_str());
    let is_fixture = path.starts_with(FIXTURES);
    ensure!(
        extension != Some("yml") || is_fixture,
        "{name}/{}: the files of a pack end in .yaml: rename it",
        path.display()
    );
    Ok(!is_fixture && matches!(extension, Some("yaml" | "tsv")))
}

/// Makes a pack of its files, and checks every catalog.
fn checked(name: &str, files: PackFiles) -> Result<Pack> {
    let pack = load(name, files)?;
    for kind in pack.kinds() {
        pack.try_catalog(kind)?;
    }
    check_versions(&pack)?;
    check_parameters(&pack)?;
    Ok(pack)
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

/// Reads the pack in `folder` even if it makes no sense; `None` where that is no pack's folder.
///
/// # Errors
/// A failure that names the file (and line) that cannot be read or is not what it should be.
pub(crate) fn read_if_pack(folder: &Path) -> Result<Option<Pack>> {
    folder.join("pack.yaml").is_file().then(|| read_draft(folder)).transpose()
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
