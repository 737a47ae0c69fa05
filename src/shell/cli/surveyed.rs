//! What is kept of each file that a call reads: its survey, what it shows about the target, and its content as long as there is room.
//!
//! Texts are kept up to a limit. Beyond it a file is read again when it is planned, and must be what it was. What templates show about values
//! is read once.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Result, ensure};

use super::crd_sets::{self, CrdPart};
use super::target::Request;
use crate::engine::infer::crds::{Crd, crds_in};
use crate::engine::infer::install_evidence::{Evidence, Installations};
use crate::engine::infer::origin::{ObjectReleases, object_releases_in};
use crate::engine::manifest::{Manifest, Recognizer, reread};
use crate::engine::plan::{FileSurvey, Manifests, Surveyor};
use crate::knowledge::pack::Pack;
use crate::shell::disk;

/// How many bytes of texts are kept with their trees and values, which take about eight times as much. The first file is kept so whatever
/// its size: it may be all there is to plan.
const PARSED_BYTES: usize = 1 << 20;

/// How many bytes of texts are kept besides.
const TEXT_BYTES: usize = 8 << 20;

/// The most bytes of a file that is read for the value of a replacement.
const OTHER_BYTES: u64 = 1 << 20;

/// What is kept of a file until all files are read.
pub(super) struct Surveyed<'p> {
    pub(super) survey: FileSurvey,
    pub(super) kept: KeptFile,
    pub(super) crds: Vec<(&'p Pack, Crd)>,
    /// CRDs of kinds that no pack knows, where those of the tree are used.
    pub(super) unknown_crds: Vec<CrdPart>,
    /// What helps to find the target, and where objects come from, unless both are known.
    pub(super) evidence: Option<Box<FileEvidence<'p>>>,
}

/// What a file shows about the target, and about the releases that objects come from.
pub(super) struct FileEvidence<'p> {
    /// The API groups of its objects, where these decide about the target.
    pub(super) groups: BTreeSet<String>,
    /// The releases that its charts and images name.
    pub(super) evidence: Vec<(&'p Pack, Evidence)>,
    /// The releases that its objects can be for.
    pub(super) spans: Vec<ObjectReleases<'p>>,
}

/// The content of a file; nothing once it was read for the last time.
pub(super) struct KeptFile(Mutex<Option<Content>>);

/// As much of the content of a file as there was room for.
#[derive(Clone)]
enum Content {
    Parsed(Arc<Manifest>),
    Text(Arc<str>),
    Hash(u64),
}

impl Surveyed<'_> {
    /// Returns the file as the user named it.
    pub(super) fn name(&self) -> &str {
        &self.survey.file
    }
}

/// What takes the surveys of the files of a call.
pub(super) struct FileReader<'r, 'p> {
    request: &'r Request<'p>,
    surveyor: Surveyor<'p>,
    /// What shows the target, or where objects come from; nothing where both are known.
    installations: Option<Installations<'p>>,
    room: Room,
}

impl<'r, 'p> FileReader<'r, 'p> {
    pub(super) fn new(request: &'r Request<'p>, needs_evidence: bool) -> Self {
        let surveyor = Surveyor::new(request.packs(), request.targets());
        let installations =
            needs_evidence.then(|| Installations::new(request.packs(), |pack| request.can_be_about(pack)));
        Self { request, surveyor, installations, room: Room::default() }
    }

    /// Takes the survey of a file, and keeps what there is room for; it is called from several threads.
    pub(super) fn take(&self, manifest: Manifest) -> Box<Surveyed<'p>> {
        let (request, packs) = (self.request, self.request.packs());
        let unknown_crds = if request.uses_tree() { crd_sets::unknown_in(&manifest, packs) } else { Vec::new() };
        let evidence = self.installations.as_ref().map(|installations| {
            let groups = manifest.objects.iter().filter(|_| request.targets().is_empty());
            Box::new(FileEvidence {
                groups: groups.map(|object| object.kind.group.clone()).collect(),
                evidence: installations.evidence_in(&manifest),
                spans: object_releases_in(&manifest, packs, |pack| request.compares_objects_of(pack)),
            })
        });
        let (crds, survey) = (crds_in(&manifest, packs), self.surveyor.survey(&manifest));
        let kept = self.room.keep(manifest, survey.is_unknown);
        Box::new(Surveyed { survey, kept, crds, unknown_crds, evidence })
    }
}

/// The room for what files contain.
pub(super) struct Room {
    parsed: AtomicUsize,
    texts: AtomicUsize,
}

impl Default for Room {
    fn default() -> Self {
        Self { parsed: AtomicUsize::new(PARSED_BYTES), texts: AtomicUsize::new(TEXT_BYTES) }
    }
}

impl Room {
    /// Keeps the content of a file; of one that will hardly be planned, as little as possible.
    pub(super) fn keep(&self, manifest: Manifest, is_unknown: bool) -> KeptFile {
        let size = manifest.text.len();
        // Standard input cannot be read again.
        let is_stdin = manifest.file == "-";
        // Nor are templates, which can be others then.
        let content = if manifest.is_judged {
            Content::Parsed(Arc::new(manifest))
        } else if is_unknown && !is_stdin {
            Content::Hash(hash(manifest.text.as_bytes()))
        } else if takes(&self.parsed, |left| left.checked_sub(size).or((left == PARSED_BYTES).then_some(0))) {
            Content::Parsed(Arc::new(manifest))
        } else if is_stdin || takes(&self.texts, |left| left.checked_sub(size)) {
            Content::Text(manifest.text)
        } else {
            Content::Hash(hash(manifest.text.as_bytes()))
        };
        KeptFile(Mutex::new(Some(content)))
    }
}

/// Returns what shows, as long as the program runs, whether a text is what it was.
fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

/// Leaves of the room what `rest` says; returns whether it said something.
fn takes(room: &AtomicUsize, rest: impl Fn(usize) -> Option<usize>) -> bool {
    room.fetch_update(Ordering::Relaxed, Ordering::Relaxed, rest).is_ok()
}

/// The files of a call, which are parsed again as far as there was no room to keep them so.
pub(super) struct KeptFiles<'k> {
    pub(super) surveys: &'k [FileSurvey],
    pub(super) files: &'k [KeptFile],
    /// The files and folders that were named.
    pub(super) roots: &'k [PathBuf],
    pub(super) recognizer: &'k Recognizer,
}

impl Manifests for KeptFiles<'_> {
    type Error = anyhow::Error;
    type Manifest = Arc<Manifest>;

    fn read(&self, file: usize) -> Result<Self::Manifest> {
        let content = self.content(file).clone();
        self.parse(file, content)
    }

    fn take(&self, file: usize) -> Result<Self::Manifest> {
        let content = self.content(file).take();
        self.parse(file, content)
    }

    fn text_of_other(&self, file: &str) -> Option<String> {
        String::from_utf8(disk::read_below(Path::new(file), self.roots, OTHER_BYTES)?).ok()
    }

    fn is_other(&self, file: &str) -> bool {
        disk::is_file(Path::new(file))
    }
}

impl KeptFiles<'_> {
    fn content(&self, file: usize) -> MutexGuard<'_, Option<Content>> {
        self.files[file].0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn parse(&self, file: usize, content: Option<Content>) -> Result<Arc<Manifest>> {
        let name = &self.surveys[file].file;
        let parse = |text: Arc<str>| Arc::new(reread(name, text, self.recognizer));
        match content.expect("a file is planned once") {
            Content::Parsed(manifest) => Ok(manifest),
            Content::Text(text) => Ok(parse(text)),
            Content::Hash(before) => {
                let bytes = disk::read(Path::new(name)).with_context(|| format!("cannot read {name} again"))?;
                ensure!(hash(&bytes) == before, "{name} changed while it was read; run again");
                Ok(parse(String::from_utf8(bytes).expect("it was a text before").into()))
            }
        }
    }
}
