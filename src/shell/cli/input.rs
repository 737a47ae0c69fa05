//! The manifests that a call reads.
//!
//! Each named file is read once and parsed by `manifest`; what the caller makes of a manifest is kept, and the manifest itself
//! is dropped at once.
//!
//! Invariant: every file that was seen is in the counts.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result, anyhow, bail, ensure};
use memchr::memmem::Finder;

use super::args::FileArgs;
use super::chart_folder::{TEMPLATES, VENDORED, chart_around, chart_decided_by, chart_of, every_name, hidden_chart};
use super::chart_values::{others_around, uses_around};
use super::config::Config;
use super::config_file;
use super::console::Console;
use crate::engine::finding::{Code, Finding, Location, Severity};
use crate::engine::manifest::{self, Kustomization, Manifest, Reading, Recognizer};
use crate::engine::plan::{self, CHART, LeftOut, Others};
use crate::knowledge::pack::{Pack, Packs, Target};
use crate::shell::disk::options::Globs;
use crate::shell::disk::{
    self, Failure, FileKind, FileList, ListRemark, MAX_FILE_SIZE, PathGlobs, Scan, Shard, Skip, WalkOptions,
};
use crate::shell::report::{Counts, plural, visible};

/// The API group of CRDs.
pub(super) const CRD_GROUP: &str = "apiextensions.k8s.io";

/// Their kind.
pub(super) const CRD_KIND: &str = "CustomResourceDefinition";

/// What to do about a file that is not a regular one.
const PIPE_HELP: &str = "pass `-` and pipe it to standard input, or save it as a file";

/// What to do about an ignore file that is not read.
const IGNORE_HELP: &str = "its folder is not read, since links of ignore files are not followed: replace it by a regular file of at most 1 MiB, or pass `--no-ignore`";

/// Whether standard input may be empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Empty {
    /// It may, with `--allow-empty`.
    Accept,
    /// An empty one is an error.
    Refuse,
}

impl Empty {
    /// Reads `--allow-empty`.
    pub(super) const fn of(allow_empty: bool) -> Self {
        if allow_empty { Self::Accept } else { Self::Refuse }
    }
}

/// The files that are not of the run, and are read because kustomizations name them.
#[derive(Debug, Default)]
pub(super) struct Outside {
    pub(super) files: BTreeSet<String>,
    /// Why each that could not be read could not.
    pub(super) failed: BTreeMap<String, String>,
    /// The file that each path of a kustomization leads to, by the kustomization.
    pub(super) named_by: BTreeMap<String, BTreeMap<String, String>>,
}

impl Outside {
    pub(super) fn is_empty(&self) -> bool {
        self.named_by.is_empty()
    }

    /// Returns every file that `file` leads to, itself included; why it could not be read, where it could not.
    pub(super) fn reach(&self, file: &str) -> BTreeMap<String, Option<String>> {
        let (mut reached, mut open) = (BTreeMap::new(), vec![file]);
        while let Some(file) = open.pop() {
            if reached.insert(file.to_owned(), self.failed.get(file).cloned()).is_none() {
                open.extend(self.named_by.get(file).into_iter().flat_map(BTreeMap::values).map(String::as_str));
            }
        }
        reached
    }
}

/// A template that is no manifest.
#[derive(Debug)]
pub(super) struct SkippedTemplate {
    /// The file as the user named it.
    pub(super) file: String,
    pub(super) text: Arc<str>,
    /// Whether it mentions a known API group, and is reported; if not, its chart shows what is in it.
    pub(super) is_reported: bool,
    /// Whether it is read without its chart.
    pub(super) is_alone: bool,
}

/// What was read.
#[derive(Debug)]
pub(super) struct Input<T> {
    /// What was made of the files that hold or may hold known objects, sorted by name.
    pub(super) made: Vec<T>,
    /// Files that failed or were skipped.
    pub(super) findings: Vec<Finding>,
    /// The files that failed, of all shards.
    pub(super) failed: Vec<LeftOut>,
    /// Files that do not fail the run, but what they hold is not known: those that are not listed, and kustomizations that cannot be
    /// parsed and mention no known API group.
    pub(super) unread: Vec<LeftOut>,
    /// The templates that were skipped.
    pub(super) templates: Vec<SkippedTemplate>,
    /// The folders of charts.
    pub(super) charts: BTreeSet<PathBuf>,
    /// What is not of the run, and is read because it is named.
    pub(super) outside: Outside,
    /// What was seen; recognized objects are counted by the caller.
    pub(super) counts: Counts,
    /// How many objects of each API group the texts show, where that is counted.
    pub(super) groups: BTreeMap<String, usize>,
    /// How much was not read, by reason.
    pub(super) skips: BTreeMap<Skip, usize>,
    /// The files and folders that were named.
    pub(super) roots: Vec<PathBuf>,
    /// How they are walked.
    pub(super) options: WalkOptions,
    /// The files that are reported; all where there is no list.
    pub(super) listed: Option<FileList>,
    /// The part of the tree that is reported; all of it where there is none.
    pub(super) shard: Option<Shard>,
}

impl<T> Default for Input<T> {
    fn default() -> Self {
        Self {
            made: Vec::new(),
            findings: Vec::new(),
            failed: Vec::new(),
            unread: Vec::new(),
            templates: Vec::new(),
            charts: BTreeSet::new(),
            outside: Outside::default(),
            counts: Counts::default(),
            groups: BTreeMap::new(),
            skips: BTreeMap::new(),
            roots: Vec::new(),
            options: WalkOptions::default(),
            listed: None,
            shard: None,
        }
    }
}

/// Returns whether the file of this name makes its folder a chart. Every file is asked, and most by their last bytes.
pub(super) fn makes_chart(name: &str) -> bool {
    name.ends_with(CHART) && Path::new(name).ends_with(CHART)
}

/// Returns whether a file is a template of a chart that another one brings, and no path of the run leads into that.
fn is_vendored_template(file: &Path, roots: &[PathBuf]) -> bool {
    let has = |name: &str| file.components().any(|part| part.as_os_str() == name);
    has(VENDORED) && has(TEMPLATES) && chart_of(file).is_some_and(|chart| is_vendored(chart, roots))
}

/// Returns whether a chart is one that another one brings, and no path of the run leads into it.
pub(super) fn is_vendored(chart: &Path, roots: &[PathBuf]) -> bool {
    chart_around(chart).is_some() && !roots.iter().any(|root| as_named(root).starts_with(chart))
}

/// Returns a root as the names of the files below it begin: without a dot in front.
pub(super) fn as_named(root: &Path) -> &Path {
    root.strip_prefix(".").unwrap_or(root)
}

/// Returns where the first action is in what could be read and is a template of a chart: to YAML, an action can look like a text.
fn first_action(name: &str, manifest: &Manifest) -> Option<usize> {
    chart_of(Path::new(name)).and_then(|_| manifest.text.find("{{"))
}

/// One file. What is large is boxed, since the files of a tree are sorted.
pub(super) enum File<T> {
    /// It was parsed, and holds so many objects.
    Manifest(usize, T),
    /// It holds no known API group, but may refer to known objects or hold values of a chart.
    Related(T),
    Template(Box<Finding>, Arc<str>),
    /// It is a template that mentions no known API group, and can print known objects.
    OpenTemplate(Arc<str>),
    /// It makes its folder a chart, and nothing else is in it that matters.
    Chart,
    /// It could not be read, and may name these paths.
    Failed(Box<Finding>, BTreeSet<String>),
    /// It is a kustomization that cannot be parsed and mentions no known API group.
    Unread(LeftOut),
}

impl<T> File<T> {
    pub(super) fn new(name: &str, bytes: &[u8], recognizer: &Recognizer, make: impl Fn(Manifest) -> T) -> Option<Self> {
        let text = || std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes).into(), Arc::from);
        match read_manifest(name, bytes, recognizer) {
            Reading::Irrelevant if makes_chart(name) => Some(Self::Chart),
            Reading::Irrelevant if manifest::open_template(name, bytes, recognizer).is_some() => {
                Some(Self::OpenTemplate(text()))
            }
            Reading::Irrelevant => {
                let mentions = Kustomization::mentions(name, bytes);
                (!mentions.is_empty()).then(|| Self::Unread(LeftOut { name: name.to_owned(), mentions }))
            }
            Reading::Manifest(manifest) => match first_action(name, &manifest) {
                Some(action) => {
                    let finding = manifest::template_finding(manifest.location(action));
                    Some(Self::Template(Box::new(finding), text()))
                }
                None => Some(Self::Manifest(manifest.object_count(), make(*manifest))),
            },
            Reading::Triggered(manifest)
                if first_action(name, &manifest).is_some()
                    && manifest::open_template(name, bytes, recognizer).is_some() =>
            {
                Some(Self::OpenTemplate(text()))
            }
            Reading::Kustomization(manifest) | Reading::Triggered(manifest) => Some(Self::Related(make(*manifest))),
            Reading::Template(finding) => Some(Self::Template(Box::new(finding), text())),
            Reading::Failed(finding) => {
                let mentions = Kustomization::mentions(name, bytes);
                Some(Self::Failed(Box::new(finding), mentions))
            }
        }
    }

    /// Makes the failure of a file whose name is not text.
    fn misnamed(path: &Path) -> Self {
        let message = "the name of the file is not valid UTF-8".to_owned();
        let help = Some("rename the file");
        let finding = file_finding(&name(path), Code::InvalidEncoding, Severity::Error, message, help);
        Self::Failed(Box::new(finding), BTreeSet::new())
    }
}

/// Reads standard input, where `args` name it instead of files.
///
/// # Errors
/// As [`read_stdin`]; or other paths are named too.
pub(super) fn piped(args: &FileArgs, empty: Empty) -> Result<Option<Vec<u8>>> {
    if !args.reads_stdin() {
        return Ok(None);
    }
    ensure!(
        args.files_from.is_none(),
        "`-` is standard input, of which `--files-from` lists nothing; pass the folders that the listed files are in"
    );
    ensure!(args.paths.len() == 1, "`-` is standard input: pass it alone, without other paths");
    read_stdin(empty).map(Some)
}

/// What is read, and what is counted while it is.
#[derive(Clone, Copy, Default)]
pub(super) struct Look<'l> {
    /// The files that the settings exclude.
    pub(super) excluded: Option<&'l PathGlobs>,
    pub(super) groups: Groups,
}

/// Whether the objects of each API group are counted, known or not.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Groups {
    #[default]
    Ignore,
    Count,
}

/// Counts the objects of each API group in a text that need not be parsed: those whose apiVersion starts a line, as that of an object in
/// block style does.
fn groups_in(bytes: &[u8], groups: &mut BTreeMap<String, usize>) {
    const KEY: &[u8] = b"apiVersion:";
    for at in memchr::memmem::find_iter(bytes, KEY).filter(|at| *at == 0 || bytes[*at - 1] == b'\n') {
        let value = bytes[at + KEY.len()..].split(|byte| b"\r\n#".contains(byte)).next().unwrap_or_default();
        let value = std::str::from_utf8(value).unwrap_or_default().trim().trim_matches(['"', '\'']);
        let is_name = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-".contains(&byte));
        if let Some((group, version)) =
            value.split_once('/').filter(|(group, version)| is_name(group) && is_name(version))
            && !version.is_empty()
        {
            *groups.entry(group.to_owned()).or_default() += 1;
        }
    }
}

/// The list of the files that are reported, once it was read: it can be standard input.
pub(super) type ReadList = OnceCell<Option<FileList>>;

/// Reads the files that `args` name, or takes what was `piped` for one, and keeps what `make` makes of them; it is called from several threads.
pub(super) fn read<T: Send>(
    args: &FileArgs,
    piped: Option<&[u8]>,
    listed: &ReadList,
    recognizer: &Recognizer,
    look: Look<'_>,
    console: Console,
    make: impl Fn(Manifest) -> T + Sync,
) -> Result<Input<T>> {
    let groups = Mutex::new(BTreeMap::new());
    let count = |bytes: &[u8]| {
        if look.groups == Groups::Count {
            groups_in(bytes, &mut groups.lock().unwrap_or_else(PoisonError::into_inner));
        }
    };
    if let Some(bytes) = piped {
        count(bytes);
        let input = from_bytes(bytes, recognizer, make);
        return Ok(Input { groups: groups.into_inner().unwrap_or_else(PoisonError::into_inner), ..input });
    }
    args.paths.iter().try_for_each(|path| is_readable(path))?;
    if let Some((path, chart)) = args.paths.iter().find_map(|path| Some((path, hidden_chart(path)?))) {
        let (path, chart) = (visible(&name(path)), visible(&name(&chart)));
        bail!("{path} is in the templates of the chart {chart}, which the path does not show: pass {chart}/templates");
    }
    let listed = match (listed.get(), args.files_from.as_deref()) {
        (Some(listed), _) => listed.clone(),
        (None, None) => None,
        (None, Some(list)) => {
            let read = file_list(list, args, console)?;
            listed.get_or_init(|| read).clone()
        }
    };
    let is_listed = |path: &Path| is_reported(path, listed.as_ref(), args.shard, &args.paths);
    let options = options(args, look.excluded)?;
    let progress = console.progress("read");
    let visit = |path: &Path, bytes: &[u8]| {
        let is_listed = is_listed(path);
        progress.add(usize::from(is_listed));
        if is_listed {
            count(bytes);
        }
        // A file is written by its name, so the name must lead to it again.
        match path.to_str() {
            Some(name) => File::new(name, bytes, recognizer, &make),
            None => File::new(&name(path), bytes, recognizer, &make).map(|_| File::misnamed(path)),
        }
    };
    let is_empty = listed.as_ref().is_some_and(FileList::is_empty);
    let scan = if is_empty { Scan::default() } else { disk::scan(&args.paths, &options, visit) };
    let seen = progress.done();
    drop(progress);
    if args.inspect {
        let line = |(path, skip): &(PathBuf, Skip)| format!("{}: skipped: {skip}\n", visible(&name(path)));
        console.note(&scan.skipped.iter().map(line).collect::<String>())?;
    }
    if args.settings.are_named {
        let line = |file: &PathBuf| format!("{} is not read: it holds for calls on its folder\n", visible(&name(file)));
        let files = scan.visited.iter().map(|(file, _)| file.as_path());
        console.note(&settings_below(&args.paths, files).iter().map(line).collect::<String>())?;
    }
    let groups = groups.into_inner().unwrap_or_else(PoisonError::into_inner);
    let input = Input { roots: args.paths.clone(), options, listed, shard: args.shard, groups, ..Input::default() };
    Ok(input.collect(scan, seen))
}

/// Returns what `make` makes of the files that `args` name, or of what was `piped`, as far as `text` is in them. It is for what must be known
/// before [`read`], which tells what there is to tell.
pub(super) fn read_those_with<T: Send>(
    text: &str,
    args: &FileArgs,
    piped: Option<&[u8]>,
    recognizer: &Recognizer,
    look: Look<'_>,
    make: impl Fn(Manifest) -> T + Sync,
) -> Result<Vec<T>> {
    let text = Finder::new(text);
    let visit = |path: &Path, bytes: &[u8]| {
        text.find(bytes)?;
        File::new(path.to_str()?, bytes, recognizer, &make)
    };
    if let Some(bytes) = piped {
        return Ok(text.find(bytes).map(|_| from_bytes(bytes, recognizer, &make).made).unwrap_or_default());
    }
    let scan = disk::scan(&args.paths, &options(args, look.excluded)?, visit);
    Ok(Input { roots: args.paths.clone(), ..Input::default() }.collect(scan, 0).made)
}

/// Reads every file of a folder of CRDs, ignored and hidden ones too, or one file, or standard input.
///
/// # Errors
/// The first file that cannot be read or parsed, or that is a template of a CRD.
pub(super) fn read_crds(
    folder: &Path,
    named: &str,
    empty: Empty,
    packs: &Packs,
    console: Console,
) -> Result<Vec<Manifest>> {
    let files =
        FileArgs { paths: vec![folder.to_owned()], no_ignore: true, hidden: true, follow: true, ..FileArgs::default() };
    let recognizer = recognizer_of_groups(packs);
    let piped = piped(&files, empty).context(named.to_owned())?;
    let (piped, list) = (piped.as_deref(), ReadList::new());
    let read = read(&files, piped, &list, &recognizer, Look::default(), console, |manifest| manifest);
    let read = read.context(named.to_owned())?;
    for template in &read.templates {
        check_template_of_crds(&template.file, &template.text).context(named.to_owned())?;
    }
    match read.findings.iter().find(|finding| finding.severity == Severity::Error) {
        Some(finding) => bail!("{named}: {}: {}", finding.location, finding.sentence()),
        None if read.counts.templates > 0 => {
            let skipped = plural(read.counts.templates, "template");
            let help = "render the chart first: `helm template --include-crds CHART`";
            console.note(&format!("note: {named}: {skipped} in {} skipped; {help}\n", visible(&name(folder))))?;
            Ok(read.made)
        }
        None => Ok(read.made),
    }
}

/// Reads CRDs from texts with their names; what is neither YAML nor JSON by its name is skipped.
///
/// # Errors
/// The first text that cannot be parsed, or that is a template of a CRD.
pub(super) fn crds_of_texts<'b>(
    files: impl Iterator<Item = (String, &'b [u8])>,
    packs: &Packs,
) -> Result<Vec<Manifest>> {
    let recognizer = recognizer_of_groups(packs);
    let is_meant = |name: &str| [".yaml", ".yml", ".json"].iter().any(|ending| name.ends_with(ending));
    let mut manifests = Vec::new();
    for (name, bytes) in files.filter(|(name, _)| is_meant(name)) {
        match File::new(&name, bytes, &recognizer, |manifest| manifest) {
            Some(File::Failed(finding, _)) => bail!("{}: {}", finding.location, finding.sentence()),
            Some(File::Manifest(_, manifest) | File::Related(manifest)) => manifests.push(manifest),
            Some(File::Template(_, text) | File::OpenTemplate(text)) => check_template_of_crds(&name, &text)?,
            _ => {}
        }
    }
    Ok(manifests)
}

/// What a CRD looks like in a template is not known before the chart is rendered; other templates can mention CRDs in comments.
fn check_template_of_crds(file: &str, text: &str) -> Result<()> {
    let defines_crd = text.lines().any(|line| line.contains("kind") && line.contains(CRD_KIND));
    ensure!(
        !defines_crd,
        "{}: a template of a CRD cannot be read; render the chart first (`helm template --include-crds CHART`), or name the CRDs without it",
        visible(file)
    );
    Ok(())
}

/// Recognizes CRDs, and objects of the groups of packs.
fn recognizer_of_groups(packs: &Packs) -> Recognizer {
    Recognizer::new(packs.iter().flat_map(|pack| pack.groups()).map(String::as_str).chain([CRD_GROUP]))
}

/// Reads standard input to its end.
///
/// # Errors
/// A failure of the operating system; an empty input, unless it may be empty.
pub(super) fn read_stdin(empty: Empty) -> Result<Vec<u8>> {
    let bytes = disk::read_stdin(MAX_FILE_SIZE).map_err(|failure| anyhow!("standard input {failure}"))?;
    ensure!(
        empty == Empty::Accept || !bytes.trim_ascii().is_empty(),
        "standard input is empty\n  help: check the command that writes it, such as `kubectl get httproutes -o yaml`; `--allow-empty` accepts an empty one"
    );
    Ok(bytes)
}

/// Takes the bytes of standard input as one file named `-`.
pub(super) fn from_bytes<T>(bytes: &[u8], recognizer: &Recognizer, make: impl Fn(Manifest) -> T) -> Input<T> {
    let mut input = Input::default();
    input.counts.files = 1;
    match Skip::of_bytes(bytes) {
        Some(skip) => input.skipped("-", skip),
        None => {
            let file = File::new("-", bytes, recognizer, make);
            file.into_iter().for_each(|file| input.take(Path::new("-"), file));
        }
    }
    input
}

/// Takes a text for a template of a chart of which nothing else is known.
pub(super) fn from_template<T>(text: &str) -> Input<T> {
    let template = SkippedTemplate { file: "-".to_owned(), text: text.into(), is_reported: false, is_alone: true };
    let mut input = Input { templates: vec![template], ..Input::default() };
    input.counts.files = 1;
    input
}

/// Reads a file, with the objects in values that templates of its chart print.
fn read_manifest(file: &str, bytes: &[u8], recognizer: &Recognizer) -> Reading {
    let mut reading = manifest::read(file, bytes, recognizer);
    if let Reading::Manifest(manifest) = &mut reading {
        let path = Path::new(file);
        manifest::judge(manifest, recognizer, || uses_around(path), || others_around(path));
    }
    reading
}

/// Makes the recognizer of every API group of `concerned`, which are some of `packs`, and of the values files that the configuration
/// lists.
pub(super) fn recognizer(packs: &Packs, concerned: &[&Pack], targets: &[Target<'_>], config: &Config) -> Recognizer {
    plan::recognizer(packs, concerned, targets, &[]).with_values(&config.values)
}

/// Makes the recognizer of all packs, which has files read with CRDs too, whatever they define.
pub(super) fn recognizer_of_crds(packs: &Packs, targets: &[Target<'_>], config: &Config) -> Recognizer {
    plan::recognizer(packs, &packs.iter().collect::<Vec<_>>(), targets, &[CRD_KIND]).with_values(&config.values)
}

fn is_reported(file: &Path, listed: Option<&FileList>, shard: Option<Shard>, roots: &[PathBuf]) -> bool {
    // What is reported of a chart is about all of its templates.
    let of_chart = |file| if Path::ends_with(file, CHART) { file.parent() } else { chart_of(file) };
    shard.is_none_or(|shard| shard.has(of_chart(file).unwrap_or(file), roots))
        && listed.is_none_or(|listed| listed.has(file))
}

/// Reads the list of files that are reported: all where a check has a file in it that concerns every file.
fn file_list(list: &Path, args: &FileArgs, console: Console) -> Result<Option<FileList>> {
    let read = FileList::read(list, &args.paths);
    let listed =
        read.map_err(|failure| anyhow!("cannot read the list of files {}: {failure}", visible(&name(list))))?;
    for remark in &listed.remarks {
        console.note(&about_list(remark))?;
    }
    let Some(settings) = &args.settings.of_check else { return Ok(Some(listed)) };
    let is_listed = |file: &&PathBuf| disk::place_of(file).is_some_and(|place| listed.has_place(&place));
    if let Some(file) = settings.iter().find(is_listed) {
        let file = visible(&name(file));
        console.note(&format!("note: {file} is listed and concerns every file, so all files are reported\n"))?;
        return Ok(None);
    }
    with_templates(listed, &args.paths, console).map(Some)
}

/// Adds the templates of charts of which a listed file decides what they print.
fn with_templates(listed: FileList, roots: &[PathBuf], console: Console) -> Result<FileList> {
    let deciding = listed.paths().filter_map(|file| Some((chart_decided_by(file)?.join(TEMPLATES), file)));
    let charts: BTreeMap<PathBuf, &Path> = deciding.collect();
    if charts.is_empty() {
        return Ok(listed);
    }
    for file in charts.values().map(|file| visible(&name(file))) {
        console.note(&format!(
            "note: {file} is listed and concerns the templates of its chart, so all of them are reported\n"
        ))?;
    }
    let folders = Vec::from_iter(charts.into_keys());
    let templates = disk::scan(&folders, &every_name(), |_, _| Some(())).visited;
    Ok(listed.with(templates.into_iter().map(|(path, ())| path), roots))
}

/// Returns the files of settings in folders below `roots` that `files` are in: only one at a root, or above it, is read.
fn settings_below<'f>(roots: &[PathBuf], files: impl Iterator<Item = &'f Path>) -> Vec<PathBuf> {
    let is_below = |folder: &&Path| {
        let is_root = roots.iter().any(|root| root == folder) || folder.as_os_str().is_empty();
        !is_root && roots.iter().any(|root| root == Path::new(".") || folder.starts_with(root))
    };
    let folders: BTreeSet<&Path> = files.flat_map(|file| file.ancestors().skip(1).take_while(is_below)).collect();
    folders.into_iter().map(|folder| folder.join(config_file::NAME)).filter(|file| disk::is_file(file)).collect()
}

/// Says what is odd about a list of files.
fn about_list(remark: &ListRemark) -> String {
    match remark {
        ListRemark::FromTop => {
            "note: the listed files are taken from the top folder of the repository: from here, none of them exists\n"
                .to_owned()
        }
        ListRemark::NothingThere(file) => format!(
            "warning: no listed file exists, such as {}\n  help: names count from the current folder, or from the top folder of its repository\n",
            visible(&name(file))
        ),
        ListRemark::Submodule(folder) => format!(
            "warning: {} is another repository, of which no file is listed\n  help: run in it too, or list its files\n",
            visible(&name(folder))
        ),
    }
}

/// Refuses a path that was passed and leads to nothing, or to something other than a file or a folder.
fn is_readable(path: &Path) -> Result<()> {
    let Err(failure) = disk::read_up_to(path, 0) else { return Ok(()) };
    let shown = path.display();
    match failure {
        Failure::Missing => bail!("{shown}: {failure}"),
        Failure::NotAFile(FileKind::Pipe | FileKind::Socket | FileKind::Device) => {
            bail!("{shown}: {failure}\n  help: {PIPE_HELP}")
        }
        _ => Ok(()),
    }
}

/// Returns what to do about a file that could not be read, where the failure does not say it.
const fn failure_help(failure: &Failure) -> Option<&'static str> {
    match failure {
        Failure::Missing | Failure::Denied | Failure::Io(_) => Some("check the path and its permissions"),
        Failure::NotAFile(FileKind::Link) => Some("check where the symbolic link leads"),
        Failure::NotAFile(FileKind::Pipe | FileKind::Socket | FileKind::Device) => Some(PIPE_HELP),
        Failure::Loop(_) => Some("remove the link, or leave it out with `--glob '!LINK'`"),
        _ => None,
    }
}

fn options(args: &FileArgs, excluded: Option<&PathGlobs>) -> Result<WalkOptions> {
    Ok(WalkOptions {
        no_ignore: args.no_ignore,
        hidden: args.hidden,
        follow: args.follow,
        inspect: args.inspect,
        globs: Globs::new(&args.glob).map_err(|message| anyhow!("--glob: {message}"))?,
        excluded: excluded.cloned(),
        extensions: args.extension.clone(),
        every_name: false,
        threads: usize::from(args.threads),
    })
}

/// Returns a path as findings show it.
fn name(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn file_finding(file: &str, code: Code, severity: Severity, message: String, help: Option<&str>) -> Finding {
    let location = Location { file: file.to_owned(), position: None };
    Finding::new(location, code, severity, message).maybe_help(help)
}

impl<T> Input<T> {
    /// Returns whether a file is reported.
    pub(super) fn is_listed(&self, file: &Path) -> bool {
        is_reported(file, self.listed.as_ref(), self.shard, &self.roots)
            && file.to_str().is_none_or(|name| !self.outside.files.contains(name))
    }

    /// Returns what becomes of the files that are not reported, where there are any.
    pub(super) fn others(&self) -> Option<Others> {
        match (&self.shard, &self.listed) {
            (Some(_), _) => Some(Others::Reported),
            (None, Some(_)) => Some(Others::Unreported),
            (None, None) if self.outside.files.is_empty() => None,
            (None, None) => Some(Others::Outside),
        }
    }

    /// Adds what a walk found; `seen` of the files that it read are listed.
    fn collect(mut self, scan: Scan<File<T>>, seen: usize) -> Self {
        self.skips = scan.skips;
        self.counts.files = seen;
        self.counts.listed = self.listed.as_ref().map(FileList::len);
        for (path, file) in scan.visited {
            self.take(&path, file);
        }
        for (path, skip) in &scan.skipped {
            if self.is_listed(path) {
                self.skipped(&name(path), *skip);
            }
        }
        for (path, failure) in scan.failed {
            let help = if disk::is_ignore_file(&path) { Some(IGNORE_HELP) } else { failure_help(&failure) };
            let message = failure.to_string();
            let finding = file_finding(&name(&path), Code::IoError, Severity::Error, message, help);
            self.failed(&path, finding, BTreeSet::new());
        }
        self
    }

    fn take(&mut self, path: &Path, file: File<T>) {
        let is_listed = self.is_listed(path);
        // A listed file of definitions is found by its chart.
        if path.to_str().is_some_and(makes_chart) {
            self.charts.extend(path.parent().map(Path::to_owned));
        }
        match file {
            File::Manifest(..) if is_vendored_template(path, &self.roots) => {
                if is_listed {
                    self.counts.templates += 1;
                    self.findings.push(manifest::template_finding(Location { file: name(path), position: None }));
                }
            }
            File::Manifest(objects, made) => {
                self.counts.parsed += usize::from(is_listed);
                self.counts.objects += if is_listed { objects } else { 0 };
                self.made.push(made);
            }
            File::Related(made) => self.made.push(made),
            // What those of another shard are advised of can be said together with this one.
            File::Template(finding, text) if is_listed || self.shard.is_some() => {
                let file = finding.location.file.clone();
                self.templates.push(SkippedTemplate { file, text, is_reported: true, is_alone: false });
                if is_listed {
                    self.counts.templates += 1;
                    self.findings.push(*finding);
                }
            }
            File::OpenTemplate(text) if is_listed || self.shard.is_some() => {
                self.templates.push(SkippedTemplate { file: name(path), text, is_reported: false, is_alone: false });
            }
            File::Template(..) | File::OpenTemplate(_) | File::Chart => {}
            File::Failed(finding, mentions) => self.failed(path, *finding, mentions),
            File::Unread(kustomization) => self.unread.push(kustomization),
        }
    }

    /// Adds a file that failed. One that is not listed does not fail the run, but what it holds is not known.
    fn failed(&mut self, path: &Path, finding: Finding, mentions: BTreeSet<String>) {
        let file = LeftOut { name: finding.location.file.clone(), mentions };
        if self.is_listed(path) {
            self.counts.failed += 1;
            self.failed.push(file);
            self.findings.push(finding);
        } else if self.shard.is_some() {
            // The run on its shard reports it; what that means for this one depends on the command.
            self.failed.push(file);
        } else {
            self.unread.push(file);
            self.findings.push(Finding { severity: Severity::Warning, ..finding });
        }
    }

    /// Reports a file that is not text, and what a `.reversionignore` names; what is left out otherwise is not reported.
    fn skipped(&mut self, file: &str, skip: Skip) {
        let (what, code, severity, help) = match skip {
            Skip::Binary => {
                ("the file", Code::Binary, Severity::Warning, Some("save it as UTF-8 text if it holds manifests"))
            }
            Skip::OwnIgnored => ("the path", Code::IgnoredPath, Severity::Note, None),
            Skip::Extension | Skip::Hidden | Skip::Link | Skip::Ignored | Skip::Glob | Skip::Excluded => return,
        };
        self.counts.binaries += usize::from(skip == Skip::Binary);
        self.counts.ignored += usize::from(skip == Skip::OwnIgnored);
        self.findings.push(file_finding(file, code, severity, format!("{what} is {skip}"), help));
    }
}
