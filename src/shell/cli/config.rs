//! The settings of `reversion.toml` that are no flags, compared with the packs of the call.
//!
//! `[set]` is for what `--set` takes, `[values]` lists which files hold values of which chart, `exclude` which files are not read,
//! `[[paths]]` what holds for some files only. Arguments override all of it.
//!
//! Invariant: every name in the file is known and every file exists, or the call ends with an error that names the line.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Error, Result, anyhow, bail, ensure};

use super::config_file::{ConfigFile, PathEntry, SpannedText};
use super::{packs, parameters};
use crate::engine::finding::Code;
use crate::engine::plan::{AllowedLoss, FileChoices, FileSet, Keeping, Mistakes, VersionChoice, allowed_losses};
use crate::knowledge::pack::Packs;
use crate::knowledge::pack::near;
use crate::shell::disk::{self, PathGlobs, Places};

/// The settings of a call.
#[derive(Debug, Default)]
pub(super) struct Config {
    /// Parameters by pack and name, as with `--set`: `ngf.namespace`.
    pub(super) set: BTreeMap<String, String>,
    /// The chart of each values file, by the file as findings show it.
    pub(super) values: BTreeMap<String, String>,
    /// What is not read.
    pub(super) excluded: Option<PathGlobs>,
    /// What holds for some files only; of two entries about a file, the later one counts.
    pub(super) by_file: Vec<FileChoices>,
    /// The findings that are acknowledged in some files; of two entries about a file, the later one counts.
    ignored: Vec<(FileSet, BTreeSet<Code>)>,
}

impl Config {
    /// Compares what `file` says with `packs`, for a call on `paths`.
    ///
    /// # Errors
    /// A failure that names the file, and the line of the error.
    pub(super) fn new(file: &ConfigFile, paths: &[PathBuf], packs: &Packs) -> Result<Self> {
        let places = Places::of(paths);
        let mut config = Self::default();
        for key in ["to", "from"] {
            // The pack of CRDs is made when these are read.
            let is_known = |entry: &&SpannedText| !packs::is_of_crds(&entry.text);
            let releases: Vec<&SpannedText> =
                file.default_of(key).unwrap_or_default().iter().filter(is_known).collect();
            for (at, entry) in releases.iter().enumerate() {
                let so_far: Vec<String> = releases[..=at].iter().map(|entry| entry.text.clone()).collect();
                packs::targets(&so_far, packs).with_context(|| file.place(entry))?;
            }
        }
        allowed(file, file.default_of("allow-loss").unwrap_or_default())?;
        let mut written = Vec::new();
        for (name, value) in &file.set {
            let name = parameters::full_name(name, packs);
            parameters::check(&name, &value.text, packs).with_context(|| file.place(value))?;
            ensure!(written.iter().all(|(other, _)| *other != name), "{}: {name} is set twice", file.place(value));
            written.push((name, value.text.as_str()));
        }
        config.set = parameters::by_full_name(written, packs);
        let charts: BTreeSet<&str> =
            packs.iter().flat_map(|pack| pack.charts()).map(|chart| chart.name.as_str()).collect();
        for (path, chart) in &file.values {
            ensure!(
                charts.contains(chart.text.as_str()),
                "{}: no pack knows the chart `{}`; there are: {}",
                file.place(chart),
                chart.text,
                charts.iter().copied().collect::<Vec<_>>().join(", ")
            );
            let values = file.path(&path.text);
            ensure!(disk::is_file(&values), "{}: no such file: {}", file.place(path), values.display());
            let names = places.names(&file.folder.join(&path.text));
            config.values.extend(names.iter().map(|name| (name.to_string_lossy().into_owned(), chart.text.clone())));
        }
        if !file.exclude.is_empty() {
            config.excluded = Some(globs(file, &file.exclude)?);
        }
        file.paths.iter().try_for_each(|entry| config.add(file, entry, &places))?;
        Ok(config)
    }

    /// Adds what holds for some files only.
    fn add(&mut self, file: &ConfigFile, entry: &PathEntry, places: &Places) -> Result<()> {
        let (globs, places) = (globs(file, &entry.globs)?, places.clone());
        let files = FileSet::new(move |file| places.place(Path::new(file)).is_some_and(|place| globs.covers(&place)));
        if let Some(codes) = &entry.ignore {
            let codes = codes.iter().map(|code| self::code(&code.text).with_context(|| file.place(code)));
            self.ignored.push((files.clone(), codes.collect::<Result<_>>()?));
        }
        self.by_file.push(FileChoices {
            files,
            keeping: entry.switch("stash").map(|stash| if stash { Keeping::Stash } else { Keeping::Nothing }),
            allowed: entry.allowed_losses().map(|codes| allowed(file, codes)).transpose()?,
            version: entry
                .switch("keep-api-version")
                .map(|keep| if keep { VersionChoice::Keep } else { VersionChoice::MostStable }),
            mistakes: entry.switch("repair").map(|repair| if repair { Mistakes::Repair } else { Mistakes::Leave }),
        });
        Ok(())
    }

    /// Returns what says whether findings of a code are acknowledged in a file.
    pub(super) fn ignores(&self) -> impl Fn(&str, Code) -> bool + Send + Sync + 'static {
        let ignored = self.ignored.clone();
        move |file, code| {
            ignored.iter().rev().find(|(files, _)| files.has(file)).is_some_and(|(_, codes)| codes.contains(&code))
        }
    }
}

/// Reads the codes of losses.
fn allowed(file: &ConfigFile, codes: &[SpannedText]) -> Result<AllowedLoss> {
    for code in codes {
        allowed_losses(std::slice::from_ref(&code.text)).map_err(Error::msg).with_context(|| file.place(code))?;
    }
    allowed_losses(&codes.iter().map(|code| code.text.clone()).collect::<Vec<_>>()).map_err(Error::msg)
}

/// Reads globs, which count from the folder of the file.
fn globs(file: &ConfigFile, globs: &[SpannedText]) -> Result<PathGlobs> {
    for glob in globs {
        PathGlobs::new(&file.folder, [&glob.text]).map_err(|message| anyhow!("{}: {message}", file.place(glob)))?;
    }
    PathGlobs::new(&file.folder, globs.iter().map(|glob| &glob.text)).map_err(|message| anyhow!(message))
}

/// Reads the code of a finding that can be acknowledged.
fn code(name: &str) -> Result<Code> {
    let Some(code) = Code::parse(name) else {
        match near(name, Code::ALL.iter().map(|code| code.name())) {
            Some(near) => bail!("`{name}` is not the code of a finding: did you mean `{near}`?"),
            None => bail!("`{name}` is not the code of a finding; reports show it in brackets behind the severity"),
        }
    };
    match code {
        Code::InterruptedRun | Code::InvalidEncoding | Code::IoError | Code::ParseError | Code::VerificationFailed => {
            bail!("`{name}` is an error, and an error cannot be acknowledged: correct the file, or `exclude` it")
        }
        Code::InvalidIgnore | Code::UnusedIgnore => {
            bail!("`{name}` is found at comments, and cannot be acknowledged: correct the comment, or remove it")
        }
        code => Ok(code),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::pack::embedded;
    use crate::shell::cli::config_file::Source;
    use crate::shell::cli::settable::options_in_file;

    #[test]
    fn codes_are_ignored_in_the_files_of_their_entry() {
        let tree = tempfile::tempdir().unwrap();
        let text = "[[paths]]\nglob = ['old/', '!old/new/']\nignore = ['advisory']\n[[paths]]\nglob = '*.x.yaml'\nignore = 'template'\n[[paths]]\nglob = 'old/none/*.x.yaml'\nignore = []\n[[paths]]\nglob = 'none/'\nstash = true\n";
        let file = tree.path().join("reversion.toml");
        disk::write_output(&file, text.as_bytes()).unwrap();
        let packs = embedded::with(Vec::new()).unwrap();
        let read = ConfigFile::find(&Source::File(file), &options_in_file()).unwrap();
        let config = Config::new(&read, &[tree.path().to_owned()], &packs).unwrap();
        let ignores = config.ignores();
        let ignored = |name: &str| {
            let file = tree.path().join(name);
            [Code::Advisory, Code::Template, Code::UnknownField].map(|code| ignores(&file.to_string_lossy(), code))
        };
        assert_eq!(ignored("old/a.yaml"), [true, false, false]);
        assert_eq!(ignored("old/a.x.yaml"), [false, true, false], "the later entry counts");
        assert_eq!(ignored("old/none/a.x.yaml"), [false; 3], "an empty list takes back what was ignored");
        assert_eq!(ignored("old/none/kept.yaml"), [true, false, false]);
        assert_eq!(ignored("old/new/a.yaml"), [false; 3]);
        assert_eq!(ignored("a.yaml"), [false; 3]);
        assert!(!ignores("-", Code::Advisory));
    }
}
