//! Answers: which manifests does a call mean, and what was met on the way to them?
//!
//! One pass over the named files: each is read once and handed to `manifest`; what the caller makes of a manifest is kept, and
//! the manifest itself is dropped at once.
//!
//! Invariant: every file that was met is in the counts.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail, ensure};

use super::args::FileArgs;
use super::config::Config;
use super::console::Console;
use crate::disk::options::{Globs, Hidden, IgnoreFiles, Links, Listing, Named};
use crate::disk::{self, MAX_FILE_SIZE, Scan, Skip, WalkOptions};
use crate::finding::{Code, Finding, Location, Severity};
use crate::manifest::{self, Manifest, Reading, Recognizer};
use crate::pack::Packs;
use crate::report::{Counts, visible};

/// What a pass over the files found.
#[derive(Debug)]
pub(super) struct Pass<T> {
    /// What was made of the files that hold or may hold known objects, sorted by name.
    pub(super) made: Vec<T>,
    /// What went wrong or was skipped.
    pub(super) findings: Vec<Finding>,
    /// What was met; recognised objects are counted by the caller.
    pub(super) counts: Counts,
    /// The files and folders that were named.
    pub(super) roots: Vec<PathBuf>,
}

impl<T> Default for Pass<T> {
    fn default() -> Self {
        Self { made: Vec::new(), findings: Vec::new(), counts: Counts::default(), roots: Vec::new() }
    }
}

/// What became of one file.
enum Met<T> {
    /// It was parsed, and holds so many objects.
    Manifest(usize, T),
    /// It holds no known API group, and may matter all the same.
    Beside(T),
    Template(Finding),
    Failed(Finding),
}

impl<T> Met<T> {
    fn new(reading: Reading, make: impl Fn(Manifest) -> T) -> Option<Self> {
        match reading {
            Reading::Irrelevant => None,
            Reading::Manifest(manifest) => Some(Self::Manifest(manifest.object_count(), make(*manifest))),
            Reading::Kustomization(manifest) | Reading::Triggered(manifest) => Some(Self::Beside(make(*manifest))),
            Reading::Template(finding) => Some(Self::Template(finding)),
            Reading::Failed(finding) => Some(Self::Failed(finding)),
        }
    }
}

/// Reads the files that `args` name and keeps what `make` makes of them; it is called from several threads.
pub(super) fn pass<T: Send>(
    args: &FileArgs,
    recognizer: &Recognizer,
    console: Console,
    make: impl Fn(Manifest) -> T + Sync,
) -> Result<Pass<T>> {
    if args.files_from.is_none() && args.paths.iter().any(|path| path == Path::new("-")) {
        ensure!(args.paths.len() == 1, "`-` stands for standard input and goes with no other path");
        return Ok(of_bytes(&read_stdin()?, recognizer, make));
    }
    let (roots, named) = roots(args)?;
    let options = options(args, named)?;
    let scan =
        disk::scan(&roots, &options, |path, bytes| match manifest::read(&path.to_string_lossy(), bytes, recognizer) {
            Reading::Irrelevant => None,
            // What is written by its name must be found by it again.
            _ if path.to_str().is_none() => Some(Met::Failed(file_finding(
                &name(path),
                Code::InvalidEncoding,
                Severity::Error,
                "the name of the file is not valid UTF-8".to_owned(),
                "rename the file",
            ))),
            reading => Met::new(reading, &make),
        });
    if args.inspect {
        let line = |(path, skip): &(PathBuf, Skip)| format!("{}: skipped: {skip}\n", visible(&name(path)));
        console.note(&scan.skipped.iter().map(line).collect::<String>())?;
    }
    Ok(Pass { roots, ..collect(scan) })
}

/// Reads every file of a folder of CRDs, ignored and hidden ones too.
///
/// # Errors
/// The first file that cannot be read or understood.
pub(super) fn crds(folder: &Path, packs: &Packs, console: Console) -> Result<Vec<Manifest>> {
    let files = FileArgs {
        paths: vec![folder.to_owned()],
        no_ignore: true,
        hidden: true,
        follow: true,
        glob: Vec::new(),
        extension: Vec::new(),
        files_from: None,
        inspect: false,
        threads: 0,
    };
    let met = pass(&files, &recognizer(packs, &Config::default()), console, |manifest| manifest)?;
    match met.findings.iter().find(|finding| finding.severity == Severity::Error) {
        Some(finding) => bail!("--crds: {}: {}", finding.location, finding.message),
        None => Ok(met.made),
    }
}

/// Reads standard input to its end.
pub(super) fn read_stdin() -> Result<Vec<u8>> {
    disk::read_stdin(MAX_FILE_SIZE).map_err(|failure| anyhow!("standard input {failure}"))
}

/// Takes the bytes of standard input as one file named `-`.
pub(super) fn of_bytes<T>(bytes: &[u8], recognizer: &Recognizer, make: impl Fn(Manifest) -> T) -> Pass<T> {
    let mut pass = Pass::default();
    pass.counts.files = 1;
    match Skip::of_bytes(bytes) {
        Some(skip) => pass.skipped("-", skip),
        None => {
            let met = Met::new(manifest::read("-", bytes, recognizer), make);
            met.into_iter().for_each(|met| pass.take(met));
        }
    }
    pass
}

/// Reads once more what a manifest was made of.
pub(super) fn again(file: &str, text: &str, recognizer: &Recognizer) -> Manifest {
    match manifest::read(file, text.as_bytes(), recognizer) {
        Reading::Manifest(manifest) | Reading::Kustomization(manifest) | Reading::Triggered(manifest) => *manifest,
        Reading::Irrelevant | Reading::Template(_) | Reading::Failed(_) => {
            unreachable!("a manifest was made of this text")
        }
    }
}

/// Reads a file of an earlier pass once more from where it lies.
pub(super) fn once_more(file: &str, recognizer: &Recognizer) -> Result<Manifest> {
    let bytes = disk::read(Path::new(file)).with_context(|| format!("cannot read {file} once more"))?;
    match manifest::read(file, &bytes, recognizer) {
        Reading::Manifest(manifest) | Reading::Kustomization(manifest) | Reading::Triggered(manifest) => Ok(*manifest),
        Reading::Irrelevant | Reading::Template(_) | Reading::Failed(_) => {
            bail!("{file} changed while it was read; run again")
        }
    }
}

/// Makes the recognizer of every group that `packs` know and of what the configuration says of files.
pub(super) fn recognizer(packs: &Packs, config: &Config) -> Recognizer {
    let groups = packs.iter().flat_map(|pack| pack.groups()).map(String::as_str);
    let marks = packs.iter().flat_map(|pack| pack.triggers()).map(String::as_str);
    let kinds = packs.iter().flat_map(|pack| pack.kinds()).map(|kind| kind.kind.as_str());
    let charts = packs.iter().flat_map(|pack| pack.charts()).map(|chart| (chart.name.as_str(), chart.key.as_str()));
    let guests = packs.iter().flat_map(|pack| pack.foreign_kinds());
    let recognizer = Recognizer::new(groups).with_kinds(kinds).with_foreign_kinds(guests).with_triggers(marks);
    recognizer.with_charts(charts).with_values(&config.values)
}

fn roots(args: &FileArgs) -> Result<(Vec<PathBuf>, Named)> {
    let Some(list) = &args.files_from else { return Ok((args.paths.clone(), Named::Always)) };
    let text = if list == Path::new("-") {
        read_stdin()
    } else {
        disk::read(list).map_err(|failure| anyhow!("{}: {failure}", list.display()))
    };
    let text = text.context("cannot read the list of files")?;
    Ok((disk::files_from(&text), Named::ByExtension))
}

fn options(args: &FileArgs, named: Named) -> Result<WalkOptions> {
    Ok(WalkOptions {
        ignore_files: if args.no_ignore { IgnoreFiles::Disregard } else { IgnoreFiles::Respect },
        hidden: if args.hidden { Hidden::Visit } else { Hidden::Skip },
        links: if args.follow { Links::Follow } else { Links::Skip },
        named,
        listing: if args.inspect { Listing::Every } else { Listing::Count },
        globs: Globs::new(&args.glob).map_err(|message| anyhow!("--glob: {message}"))?,
        extensions: args.extension.clone(),
        threads: usize::from(args.threads),
    })
}

/// Returns a path as findings show it.
fn name(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn collect<T>(scan: Scan<Met<T>>) -> Pass<T> {
    let mut pass = Pass::default();
    pass.counts.files = scan.seen;
    for (_, met) in scan.visited {
        pass.take(met);
    }
    for (path, skip) in &scan.skipped {
        pass.skipped(&name(path), *skip);
    }
    for (path, failure) in scan.failed {
        pass.counts.failed += 1;
        let help = "nothing of it was read";
        pass.findings.push(file_finding(&name(&path), Code::IoError, Severity::Error, failure.to_string(), help));
    }
    pass
}

fn file_finding(file: &str, code: Code, severity: Severity, message: String, help: &str) -> Finding {
    let location = Location { file: file.to_owned(), position: None };
    Finding { location, code, severity, object: None, field: None, message, help: Some(help.to_owned()) }
}

impl<T> Pass<T> {
    fn take(&mut self, met: Met<T>) {
        match met {
            Met::Manifest(objects, made) => {
                self.counts.parsed += 1;
                self.counts.objects += objects;
                self.made.push(made);
            }
            Met::Beside(made) => self.made.push(made),
            Met::Template(finding) => {
                self.counts.templates += 1;
                self.findings.push(finding);
            }
            Met::Failed(finding) => {
                self.counts.failed += 1;
                self.findings.push(finding);
            }
        }
    }

    /// Tells a file that is no text; what is left out by its name needs no telling.
    fn skipped(&mut self, file: &str, skip: Skip) {
        if skip == Skip::Binary {
            self.counts.binaries += 1;
            let help = "save it as UTF-8 text if it holds manifests";
            self.findings.push(file_finding(
                file,
                Code::Binary,
                Severity::Warning,
                format!("the file is {skip}"),
                help,
            ));
        }
    }
}
