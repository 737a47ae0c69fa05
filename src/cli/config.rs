//! The file `reversion.toml` at the root of a run.
//!
//! `[set]` is for what `--set` takes, `[values]` lists which files hold values of which chart. [`Config::find`] looks in the
//! folders that are named, and in those of named files, and in no folder above or below them. Arguments override the file.
//!
//! Invariant: every key is known and every file exists, or the call ends with an error that names the line.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail, ensure};
use serde::Deserialize;
use toml::Spanned;

use super::parameters;
use crate::disk::{self, Failure, FileKind};
use crate::pack::Packs;

/// The name of the file.
const NAME: &str = "reversion.toml";

/// The settings of the file.
#[derive(Debug, Default)]
pub(super) struct Config {
    /// Parameters by pack and name, as with `--set`: `ngf.namespace`.
    pub(super) set: BTreeMap<String, String>,
    /// The chart of each values file, by the file as findings show it.
    pub(super) values: BTreeMap<String, String>,
}

/// The file as written.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    /// By pack, then by name.
    #[serde(default)]
    set: BTreeMap<String, BTreeMap<String, Spanned<String>>>,
    /// By file, from the folder of this one.
    #[serde(default)]
    values: BTreeMap<Spanned<String>, Spanned<String>>,
}

impl Config {
    /// Reads the file at the root of a run on `paths`.
    ///
    /// # Errors
    /// A failure that names the file, and the line of the error; two files in one run.
    pub(super) fn find(paths: &[PathBuf], packs: &Packs) -> Result<Self> {
        let named = paths.iter().filter(|path| *path != Path::new("-"));
        let folders: BTreeSet<PathBuf> = named.filter_map(|path| folder(path)).collect();
        let mut found: Option<(PathBuf, String)> = None;
        for folder in folders {
            let file = folder.join(NAME);
            let bytes = match disk::read(&file) {
                Ok(bytes) => bytes,
                Err(failure) if is_absent(&failure) => continue,
                Err(failure) => bail!("{}: {failure}", file.display()),
            };
            let text = String::from_utf8(bytes).map_err(|_| anyhow!("{}: not valid UTF-8", file.display()))?;
            if let Some((other, _)) = found.replace((file.clone(), text)) {
                bail!(
                    "two configurations in one run, {} and {}: run on one tree at a time",
                    other.display(),
                    file.display()
                );
            }
        }
        found.map_or_else(|| Ok(Self::default()), |(file, text)| Self::read(&file, &text, packs))
    }

    /// Reads the text of `file`.
    fn read(file: &Path, text: &str, packs: &Packs) -> Result<Self> {
        let at = |start: usize| {
            let before = &text[..start];
            let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
            format!("{}:{}:{column}", file.display(), before.matches('\n').count() + 1)
        };
        let wire: Wire = toml::from_str(text).map_err(|error| {
            let place = error.span().map_or_else(|| file.display().to_string(), |span| at(span.start));
            anyhow!("{place}: not a valid setting: {}", error.message())
        })?;
        let mut config = Self::default();
        for (pack, names) in wire.set {
            for (name, value) in names {
                let (name, text) = (format!("{pack}.{name}"), value.get_ref().clone());
                parameters::check(&name, &text, packs).with_context(|| at(value.span().start))?;
                config.set.insert(name, text);
            }
        }
        let charts: BTreeSet<&str> =
            packs.iter().flat_map(|pack| pack.charts()).map(|chart| chart.name.as_str()).collect();
        let folder = file.parent().unwrap_or(Path::new(""));
        for (path, chart) in wire.values {
            let name = chart.get_ref();
            ensure!(
                charts.contains(name.as_str()),
                "{}: no pack knows the chart `{name}`; there are: {}",
                at(chart.span().start),
                charts.iter().copied().collect::<Vec<_>>().join(", ")
            );
            let values = folder.join(path.get_ref());
            ensure!(is_file(&values), "{}: no such file: {}", at(path.span().start), values.display());
            config.values.insert(plain(&values), name.clone());
        }
        Ok(config)
    }
}

/// Returns the folder at `path`, or the one that holds the file there; none for a pipe, a device or nothing.
fn folder(path: &Path) -> Option<PathBuf> {
    let folder = match disk::read_up_to(path, 0) {
        Err(Failure::NotAFile(FileKind::Folder)) => path,
        Err(Failure::NotAFile(_) | Failure::Missing) => return None,
        Ok(_) | Err(_) => path.parent().unwrap_or(Path::new("")),
    };
    Some(PathBuf::from(plain(folder)))
}

fn is_file(path: &Path) -> bool {
    matches!(disk::read_up_to(path, 0), Ok(_) | Err(Failure::TooLarge(_)))
}

/// Returns a path without its `.` parts.
fn plain(path: &Path) -> String {
    path.components()
        .filter(|part| !matches!(part, std::path::Component::CurDir))
        .collect::<PathBuf>()
        .to_string_lossy()
        .into_owned()
}

fn is_absent(failure: &Failure) -> bool {
    matches!(failure, Failure::Missing)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack::embedded;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let packs = embedded::with(Vec::new()).unwrap();
        let error = Config::read(Path::new("a/reversion.toml"), text, &packs).unwrap_err();
        assert_eq!(format!("{error:#}"), expected);
    }

    #[test]
    fn errors_include_their_line() {
        check(
            "[sets]\n",
            "a/reversion.toml:1:2: not a valid setting: unknown field `sets`, expected `set` or `values`",
        );
        check(
            "[set]\nngf.name = 'a'\n",
            "a/reversion.toml:2:12: no pack has the parameter `ngf.name`; there are: ngf.namespace",
        );
        check(
            "[set]\nngf.namespace = 5\n",
            "a/reversion.toml:2:17: not a valid setting: invalid type: integer `5`, expected a string",
        );
        let shape = "at most 63 lower-case letters, digits and hyphens, with no hyphen at either end";
        let message = format!("a/reversion.toml:2:17: `A` is not a valid ngf.namespace: write {shape}");
        check("[set]\nngf.namespace = 'A'\n", &message);
        let known = "there are: nginx-gateway-fabric";
        check("[values]\n'x.yaml' = 'x'\n", &format!("a/reversion.toml:2:12: no pack knows the chart `x`; {known}"));
        check("[values]\n'x.yaml' = 'nginx-gateway-fabric'\n", "a/reversion.toml:2:1: no such file: a/x.yaml");
    }

    #[test]
    fn the_given_folder_is_used() {
        let (tree, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let packs = embedded::with(Vec::new()).unwrap();
        let found = |paths: &[&Path]| {
            let paths: Vec<PathBuf> = paths.iter().map(|path| (*path).to_owned()).collect();
            Config::find(&paths, &packs).map(|config| config.set.into_values().collect::<Vec<_>>())
        };
        let write = |folder: &Path, name: &str, text: &[u8]| disk::write_output(&folder.join(name), text).unwrap();
        write(tree.path(), NAME, b"[set]\nngf.namespace = 'a'\n");
        write(tree.path(), "x.yaml", b"");
        assert_eq!(found(&[tree.path()]).unwrap(), ["a"]);
        assert_eq!(found(&[&tree.path().join("x.yaml"), &tree.path().join(".")]).unwrap(), ["a"]);
        assert!(found(&[other.path()]).unwrap().is_empty());
        assert!(found(&[&other.path().join("none/x.yaml")]).unwrap().is_empty());
        #[cfg(unix)]
        assert!(found(&[Path::new("/dev/null")]).unwrap().is_empty());
        write(other.path(), NAME, b"");
        assert!(found(&[tree.path(), other.path()]).unwrap_err().to_string().starts_with("two configurations"));
    }
}
