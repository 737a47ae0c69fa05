//! The file `reversion.toml`: which one holds for a call, and what is written in it.
//!
//! Each path of a call has the file of the nearest folder, from its own up to the top of its git repository; outside of a repository
//! that of its own folder only. A key that is named like a flag becomes the default of that flag (`args`), so that the flag and its
//! variable override it; `config` reads the others.
//!
//! Invariant: every key is known and every value has the form that its key requires, or the call ends with an error that names the line.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Error, Result, anyhow, bail};
use clap::{Arg, ArgAction, ValueHint};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::pack_source::PackSource;
use crate::knowledge::pack::crds::from_crds::Move;
use crate::knowledge::pack::near;
use crate::knowledge::pack::wire::Format;
use crate::shell::disk::{self, Failure};

/// The name of the file.
pub(super) const NAME: &str = "reversion.toml";

/// The JSON Schema of the file.
pub(super) const SCHEMA: &str = include_str!("../../../docs/src/reversion.schema.json");

/// The keys of no flag.
const OTHERS: [&str; 4] = ["exclude", "paths", "set", "values"];

/// The keys of an entry of `[[paths]]`.
const OF_PATHS: [&str; 6] = ["allow-loss", "glob", "ignore", "keep-api-version", "repair", "stash"];

/// The default of an option.
#[derive(Clone, Debug)]
struct Setting {
    /// The name of the option.
    name: String,
    is_path: bool,
    values: Vec<SpannedText>,
}

/// A text of the file, and where it is.
#[derive(Clone, Debug)]
pub(super) struct SpannedText {
    pub(super) text: String,
    at: usize,
}

/// Settings for the files that globs match.
#[derive(Clone, Debug, Default)]
pub(super) struct PathEntry {
    pub(super) globs: Vec<SpannedText>,
    pub(super) ignore: Option<Vec<SpannedText>>,
    settings: Vec<Setting>,
}

impl PathEntry {
    /// Returns the codes of the losses that are allowed, `all` for every one.
    pub(super) fn allowed_losses(&self) -> Option<&[SpannedText]> {
        values(&self.settings, "allow-loss")
    }

    /// Returns whether the switch `name` is on.
    pub(super) fn switch(&self, name: &str) -> Option<bool> {
        values(&self.settings, name).map(|values| values.iter().any(|value| value.text == ON))
    }
}

/// The text of a switch that is on.
const ON: &str = "true";

fn values<'s>(settings: &'s [Setting], name: &str) -> Option<&'s [SpannedText]> {
    settings.iter().find(|setting| setting.name == name).map(|setting| setting.values.as_slice())
}

/// The file; without one, it says nothing.
#[derive(Clone, Debug, Default)]
pub(super) struct ConfigFile {
    /// The file as messages show it; empty where there is none.
    name: PathBuf,
    /// The place of its folder.
    pub(super) folder: PathBuf,
    text: String,
    settings: Vec<Setting>,
    pub(super) exclude: Vec<SpannedText>,
    /// Parameter, with its pack or for every pack that has it, and value.
    pub(super) set: Vec<(String, SpannedText)>,
    /// File and chart.
    pub(super) values: Vec<(SpannedText, SpannedText)>,
    pub(super) paths: Vec<PathEntry>,
    /// The keys that a flag or a variable overrides.
    overridden: BTreeSet<String>,
}

/// What is to be said of files of settings.
#[derive(Debug, Default)]
pub(super) struct SettingsFiles {
    /// Whether those that are not read are named.
    pub(super) are_named: bool,
    /// For a check, which reports what listed files concern beside themselves: those that concern every file.
    pub(super) of_check: Option<Vec<PathBuf>>,
}

/// Where the file of a call is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// Nowhere.
    None,
    /// It is this one.
    File(PathBuf),
    /// Around these paths; `-` stands for the current folder.
    Around(Vec<PathBuf>),
}

impl ConfigFile {
    /// Finds and reads the file of a call, which can set `options`.
    ///
    /// # Errors
    /// A failure that names the file, and the line of the error; two files in one call.
    pub(super) fn find(source: &Source, options: &[Arg]) -> Result<Self> {
        let paths = match source {
            Source::None => return Ok(Self::default()),
            Source::File(file) => {
                let bytes = bytes(file)?.with_context(|| format!("--config: {}: no such file", file.display()))?;
                return Self::read(file, &bytes, options);
            }
            Source::Around(paths) => paths,
        };
        let mut nearest: Option<(PathBuf, Vec<u8>)> = None;
        let is_same = |bytes: &[u8], other: &[u8], file: &Path| {
            bytes == other && Self::read(file, bytes, options).is_ok_and(|file| !file.counts_from_its_folder())
        };
        for path in paths {
            let path = if path == Path::new("-") { Path::new(".") } else { path };
            for folder in disk::folders_around(path) {
                let file = disk::from_here(&folder.join(NAME));
                let Some(bytes) = bytes(&file)? else { continue };
                match &nearest {
                    Some((other, text)) if *other != file && !is_same(&bytes, text, &file) => bail!(
                        "two configurations in one run, {} and {}\n  help: run on one of the trees at a time, name the file with `--config FILE`, or read none with `--isolated`",
                        other.display(),
                        file.display()
                    ),
                    Some(_) => {}
                    None => nearest = Some((file, bytes)),
                }
                break;
            }
        }
        nearest.map_or_else(|| Ok(Self::default()), |(file, bytes)| Self::read(&file, &bytes, options))
    }

    fn read(name: &Path, bytes: &[u8], options: &[Arg]) -> Result<Self> {
        let text = std::str::from_utf8(bytes).map_err(|_| anyhow!("{}: not valid UTF-8", name.display()))?;
        let folder = disk::folders_around(name).into_iter().next().unwrap_or_default();
        let mut file = Self { name: name.to_owned(), folder, text: text.to_owned(), ..Self::default() };
        let table = DeTable::parse(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            file.error(at, &format!("not valid TOML: {}", error.message().lines().collect::<Vec<_>>().join("; ")))
        })?;
        let known = options.iter().filter_map(Arg::get_long).chain(OTHERS);
        for (key, value) in sorted(table.get_ref()) {
            file.check_known(key, known.clone())?;
            let name = key.get_ref().as_ref();
            match name {
                "exclude" => file.exclude = file.texts(name, value, GLOBS)?,
                "set" => file.read_set(value)?,
                "values" => file.read_values(value)?,
                "paths" => file.read_paths(value, options)?,
                name => file.settings.push(file.setting(name, value, options)?),
            }
        }
        Ok(file)
    }

    /// Returns whether something in the file is a path or a glob, so that the same text in another folder means something else.
    fn counts_from_its_folder(&self) -> bool {
        let has_path = self.settings.iter().any(|setting| setting.is_path);
        has_path || !(self.exclude.is_empty() && self.values.is_empty() && self.paths.is_empty())
    }

    /// Returns the default of the option `name`, if the file sets it; paths lead there from the current folder.
    pub(super) fn default_of(&self, name: &str) -> Option<&[SpannedText]> {
        values(&self.settings, name)
    }

    /// Notes that a flag or a variable overrides a key, for files that globs match too.
    pub(super) fn override_key(&mut self, key: &str) {
        if self.default_of(key).is_some() {
            self.overridden.insert(key.to_owned());
        }
        for entry in &mut self.paths {
            entry.settings.retain(|setting| setting.name != key);
        }
    }

    /// Returns the path of the file, or that of the current folder, where there may be one.
    pub(super) fn file(&self) -> &Path {
        if self.name.as_os_str().is_empty() { Path::new(NAME) } else { &self.name }
    }

    /// Says which file was read, and what it sets; nothing where there is none.
    pub(super) fn description(&self) -> Option<String> {
        let set = self.settings.iter().map(|setting| &*setting.name).filter(|name| !self.overridden.contains(*name));
        let others = [!self.exclude.is_empty(), !self.paths.is_empty(), !self.set.is_empty(), !self.values.is_empty()];
        let others = OTHERS.into_iter().zip(others).filter_map(|(key, is_set)| is_set.then_some(key));
        let set: Vec<&str> = set.chain(others).collect();
        let set = if set.is_empty() { "nothing".to_owned() } else { set.join(", ") };
        let overridden: Vec<&str> = self.overridden.iter().map(String::as_str).collect();
        let overridden =
            if overridden.is_empty() { String::new() } else { format!("; overridden: {}", overridden.join(", ")) };
        let name = self.name.display();
        (!self.name.as_os_str().is_empty()).then(|| format!("settings from {name}: {set}{overridden}"))
    }

    /// Returns the path that is written in the file, from the current folder.
    pub(super) fn path(&self, written: &str) -> PathBuf {
        let joined = self.name.parent().unwrap_or(Path::new("")).join(written);
        joined.components().filter(|part| !matches!(part, std::path::Component::CurDir)).collect()
    }

    /// Returns the place of an entry, for an error: `reversion.toml:3:7`.
    pub(super) fn place(&self, entry: &SpannedText) -> String {
        self.position(entry.at)
    }

    /// Returns the place of a key that is named like a flag, if it is what sets it.
    pub(super) fn place_of(&self, key: &str) -> Option<String> {
        let is_overridden = self.overridden.contains(key);
        self.default_of(key)?.first().filter(|_| !is_overridden).map(|entry| self.place(entry))
    }

    fn position(&self, at: usize) -> String {
        let before = &self.text[..at];
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        format!("{}:{}:{column}", self.name.display(), before.matches('\n').count() + 1)
    }

    fn error(&self, at: usize, message: &str) -> Error {
        anyhow!("{}: {message}", self.position(at))
    }

    fn check_known<'k>(
        &self,
        key: &Spanned<impl AsRef<str>>,
        known: impl Iterator<Item = &'k str> + Clone,
    ) -> Result<()> {
        let name = key.get_ref().as_ref();
        if known.clone().any(|known| known == name) {
            return Ok(());
        }
        let hint = match near(&name.replace('_', "-"), known.clone()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("there are: {}", known.collect::<Vec<_>>().join(", ")),
        };
        Err(self.error(key.span().start, &format!("unknown setting `{name}`: {hint}")))
    }

    /// Reads the value of the option `name`, as what the option takes.
    fn setting(&self, name: &str, value: &Spanned<DeValue<'_>>, options: &[Arg]) -> Result<Setting> {
        let option = options.iter().find(|option| option.get_long() == Some(name)).expect("the key was checked");
        let is_path = option.get_value_hint() == ValueHint::AnyPath;
        let values = match option.get_action() {
            ArgAction::SetTrue => {
                let text = self.switch(name, value)?.to_string();
                vec![SpannedText { text, at: value.span().start }]
            }
            ArgAction::Append if option.get_num_args().is_some_and(|values| values.min_values() == 0) => {
                self.losses(name, value)?
            }
            ArgAction::Append if name == "pack" => {
                let sources = self.texts(name, value, "a path in quotes, or a list of them")?;
                sources.into_iter().map(|source| self.pack(source)).collect::<Result<_>>()?
            }
            ArgAction::Append if is_path => {
                let paths = self.texts(name, value, "a path in quotes, or a list of them")?;
                paths.into_iter().map(|path| self.existing(path)).collect::<Result<_>>()?
            }
            ArgAction::Append if name == "move" => {
                let moves = self.texts(name, value, "OLD=NEW in quotes, or a list of them")?;
                let check = |one: &SpannedText| {
                    one.text.parse::<Move>().map_err(|error| self.error(one.at, &format!("{error}")))
                };
                moves.iter().try_for_each(|one| check(one).map(drop))?;
                moves
            }
            ArgAction::Append => self.texts(name, value, "a text in quotes, or a list of them")?,
            // A file that need not exist yet.
            _ if is_path => {
                let entry = self.text(name, value, "a path in quotes")?;
                let text = self.path(&entry.text).to_string_lossy().into_owned();
                vec![SpannedText { text, ..entry }]
            }
            _ => vec![self.namespace(self.text(name, value, "a name in quotes")?)?],
        };
        Ok(Setting { name: name.to_owned(), is_path, values })
    }

    /// Checks the name of a namespace.
    fn namespace(&self, entry: SpannedText) -> Result<SpannedText> {
        let format = Format::DnsLabel;
        if !format.accepts(&entry.text) {
            let message = format!("`{}` is no namespace: write {}", entry.text, format.description());
            return Err(self.error(entry.at, &message));
        }
        Ok(entry)
    }

    /// Returns the source of a pack from the current folder.
    fn pack(&self, entry: SpannedText) -> Result<SpannedText> {
        let source = PackSource::parse(entry.text.clone().into());
        let source = source.map_err(|error| self.error(entry.at, &format!("{error}")))?;
        let existing = self.existing(SpannedText { text: source.path().to_string_lossy().into_owned(), ..entry })?;
        Ok(SpannedText { text: source.at(existing.text.into()).to_string(), at: existing.at })
    }

    /// Returns a path of the file from the current folder.
    fn existing(&self, entry: SpannedText) -> Result<SpannedText> {
        // The folder of the file itself, where it is the current one.
        let path = Some(self.path(&entry.text)).filter(|path| !path.as_os_str().is_empty());
        let path = path.unwrap_or_else(|| PathBuf::from("."));
        if disk::folders_around(&path).is_empty() {
            return Err(self.error(entry.at, &format!("no such file or folder: {}", path.display())));
        }
        Ok(SpannedText { text: path.to_string_lossy().into_owned(), ..entry })
    }

    /// Reads the codes of losses; `all` for every one.
    fn losses(&self, key: &str, value: &Spanned<DeValue<'_>>) -> Result<Vec<SpannedText>> {
        let at = value.span().start;
        match value.get_ref() {
            DeValue::Boolean(true) => Ok(vec![SpannedText { text: "all".to_owned(), at }]),
            DeValue::Boolean(false) => Ok(Vec::new()),
            _ => self.texts(key, value, "true, false, or a list of codes such as [\"dropped-field\"]"),
        }
    }

    fn switch(&self, key: &str, value: &Spanned<DeValue<'_>>) -> Result<bool> {
        value.get_ref().as_bool().ok_or_else(|| self.wrong(key, value, "true or false"))
    }

    fn text(&self, key: &str, value: &Spanned<DeValue<'_>>, expected: &str) -> Result<SpannedText> {
        let text = value.get_ref().as_str().ok_or_else(|| self.wrong(key, value, expected))?;
        if text.is_empty() {
            return Err(self.error(value.span().start, &format!("`{key}` is empty: write {expected}")));
        }
        Ok(SpannedText { text: text.to_owned(), at: value.span().start })
    }

    fn texts(&self, key: &str, value: &Spanned<DeValue<'_>>, expected: &str) -> Result<Vec<SpannedText>> {
        match value.get_ref() {
            DeValue::Array(items) => items.iter().map(|item| self.text(key, item, expected)).collect(),
            _ => Ok(vec![self.text(key, value, expected)?]),
        }
    }

    fn wrong(&self, key: &str, value: &Spanned<DeValue<'_>>, expected: &str) -> Error {
        let kind = match value.get_ref() {
            DeValue::String(_) => "a text",
            DeValue::Integer(_) | DeValue::Float(_) => "a number",
            DeValue::Boolean(_) => "a switch",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        self.error(value.span().start, &format!("`{key}` is {kind}: write {expected}"))
    }

    fn table<'v, 't>(&self, key: &str, value: &'v Spanned<DeValue<'t>>, expected: &str) -> Result<&'v DeTable<'t>> {
        value.get_ref().as_table().ok_or_else(|| self.wrong(key, value, expected))
    }

    fn read_set(&mut self, value: &Spanned<DeValue<'_>>) -> Result<()> {
        let expected = "parameters such as ngf.namespace = \"nginx-gateway\"";
        for (pack, names) in sorted(self.table("set", value, expected)?) {
            if names.get_ref().as_str().is_some() {
                // A parameter of every pack that has it.
                let entry = self.text(pack.get_ref(), names, expected)?;
                self.set.push((pack.get_ref().to_string(), entry));
                continue;
            }
            for (name, value) in sorted(self.table(pack.get_ref(), names, expected)?) {
                let name = format!("{}.{}", pack.get_ref(), name.get_ref());
                let entry = self.text(&name, value, "a text in quotes")?;
                self.set.push((name, entry));
            }
        }
        Ok(())
    }

    fn read_values(&mut self, value: &Spanned<DeValue<'_>>) -> Result<()> {
        for (file, chart) in sorted(self.table(
            "values",
            value,
            "files and their charts, such as \"edge.yaml\" = \"nginx-gateway-fabric\"",
        )?) {
            let chart = self.text(file.get_ref(), chart, "the name of a chart in quotes")?;
            self.values.push((SpannedText { text: file.get_ref().to_string(), at: file.span().start }, chart));
        }
        Ok(())
    }

    fn read_paths(&mut self, value: &Spanned<DeValue<'_>>, options: &[Arg]) -> Result<()> {
        let expected = "entries that start with [[paths]]";
        let entries = value.get_ref().as_array().ok_or_else(|| self.wrong("paths", value, expected))?;
        for entry in entries.iter() {
            let mut read = PathEntry::default();
            for (key, value) in sorted(self.table("paths", entry, expected)?) {
                self.check_known(key, OF_PATHS.into_iter())?;
                match key.get_ref().as_ref() {
                    "glob" => read.globs = self.texts("glob", value, GLOBS)?,
                    "ignore" => {
                        read.ignore = Some(self.texts("ignore", value, "a code in quotes, or a list of them")?);
                    }
                    name => read.settings.push(self.setting(name, value, options)?),
                }
            }
            if read.globs.is_empty() {
                return Err(self
                    .error(entry.span().start, "an entry of [[paths]] needs a `glob`, such as glob = \"legacy/**\""));
            }
            self.paths.push(read);
        }
        Ok(())
    }
}

/// What a list of globs can hold.
const GLOBS: &str = "a glob in quotes, or a list of them";

/// Returns the entries of a table as they are written, so that the first error is reported.
fn sorted<'v, 't>(table: &'v DeTable<'t>) -> Vec<(&'v Spanned<std::borrow::Cow<'t, str>>, &'v Spanned<DeValue<'t>>)> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
}

/// Reads a file, if it exists.
fn bytes(file: &Path) -> Result<Option<Vec<u8>>> {
    match disk::read(file) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(Failure::Missing) if disk::is_link(file) => {
            bail!("{}: a symbolic link to nothing: correct where it leads, or remove it", file.display())
        }
        Err(Failure::Missing) => Ok(None),
        Err(failure) => bail!("{}: {failure}", file.display()),
    }
}
