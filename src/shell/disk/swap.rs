//! Answers: how does the new content of a file take the place of the old one, and back, while other programs may save the file?
//!
//! What is to be in place is next to the file, under a name of its own. The two are exchanged, and what came out is compared
//! with what was expected. A file that another program replaced at the last moment, as editors, `git checkout` and `sed -i` do by
//! a rename, is found there; it goes back to its place, and the swap is refused. Where the file system cannot exchange, the file is
//! renamed away, and the other content gets its name only if nobody wrote there meanwhile. A run that is killed in
//! between leaves its file away or another program's content next to it: [`Swap::settle`] puts both back.
//!
//! Invariant: what another program saved is neither overwritten nor removed, unless the same program or a third one saved the file again.

use std::path::{Path, PathBuf};

use super::backup::{keep, part_of};
use super::failure::Failure;
use super::file_system::FileSystem;
use super::record::Record;
use crate::syntax::fingerprint::Fingerprint;

/// One file that is being replaced, made or removed: its places, and what it was and becomes.
#[derive(Clone, Debug)]
pub(super) struct Swap {
    pub(super) place: PathBuf,
    /// The new content is here until it is in place; then the old content is.
    pub(super) staged: PathBuf,
    /// The old content has this second name, in the journal.
    pub(super) kept: PathBuf,
    pub(super) before: Content,
    pub(super) after: Content,
}

/// What is at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    Missing,
    /// A file's content; what a run plans with is not empty.
    Bytes(Fingerprint),
    /// Something that is no content of a manifest: a folder, a link, a file beyond every limit.
    Unreadable,
}

impl From<Fingerprint> for Content {
    /// A run makes a file of nothing, and removes one by leaving nothing of it: it has no empty files.
    fn from(planned: Fingerprint) -> Self {
        if planned.is_of_nothing() { Self::Missing } else { Self::Bytes(planned) }
    }
}

impl Content {
    /// Reads what is at `place`.
    ///
    /// # Errors
    /// The error of the system: what is there is unknown.
    pub(super) fn at(files: &impl FileSystem, place: &Path) -> Result<Self, Failure> {
        match files.read(place) {
            Ok(bytes) => Ok(Self::Bytes(Fingerprint::of(&bytes))),
            Err(Failure::Missing) => Ok(Self::Missing),
            Err(Failure::NotAFile(_) | Failure::TooLarge(_)) => Ok(Self::Unreadable),
            Err(failure) => Err(failure),
        }
    }
}

impl Swap {
    /// Returns the swap of the file number `at` of a run; its old content is kept in `folder`.
    pub(super) fn of(record: &Record, at: usize, folder: &Path) -> Self {
        let file = &record.files[at];
        let (place, kept) = (file.place(), super::journal::kept(folder, at));
        Self { place, staged: record.staged(at), kept, before: file.before.into(), after: file.after.into() }
    }

    /// Puts the new content in place of the old one.
    ///
    /// # Errors
    /// [`Failure::Changed`] if the file did not have its old content: it is then what another program made of it. Or the error
    /// of the system; then [`Self::settle`] tells what is where.
    pub(super) fn forward(&self, files: &impl FileSystem) -> Result<(), Failure> {
        self.put(files, self.after, self.before)
    }

    /// Puts the old content back in place of the new one; or what another program wrote into the old file meanwhile.
    ///
    /// # Errors
    /// Those of [`Self::forward`], if the file does not have its new content any more.
    pub(super) fn back(&self, files: &impl FileSystem) -> Result<(), Failure> {
        let mut content = Content::at(files, &self.staged)?;
        if content == Content::Missing || content == self.after {
            files.remove(&self.staged)?;
            if let Some(kept) = self.kept() {
                keep(files, kept, &self.staged)?;
            }
            content = self.before;
        }
        self.put(files, content, self.after)
    }

    /// Returns where the old content is kept, where there is any.
    pub(super) fn kept(&self) -> Option<&Path> {
        (self.before != Content::Missing).then_some(&*self.kept)
    }

    /// Keeps the old content, where there is any.
    ///
    /// # Errors
    /// The error of the system.
    pub(super) fn keep(&self, files: &impl FileSystem) -> Result<(), Failure> {
        self.kept().map_or(Ok(()), |kept| keep(files, &self.place, kept))
    }

    /// Puts `content`, which is next to the file, in place of `expected`.
    fn put(&self, files: &impl FileSystem, content: Content, expected: Content) -> Result<(), Failure> {
        if expected == Content::Missing {
            return rename_new(files, &self.staged, &self.place);
        }
        if content == Content::Missing {
            return self.take_away(files, expected);
        }
        self.exchange(files)?;
        let mut placed = content;
        let first = Content::at(files, &self.staged);
        if first == Ok(expected) {
            return Ok(());
        }
        let mut out = first.clone();
        loop {
            self.exchange(files)?;
            match (Content::at(files, &self.staged), out) {
                // It was saved again before this could put the content of the first time back: the newer one is now next to its file.
                (Ok(next), Ok(older)) if next != placed => (placed, out) = (older, Ok(next)),
                _ => return Err(first.err().unwrap_or(Failure::Changed)),
            }
        }
    }

    /// Puts the file next to its place, if it is what was `expected`.
    fn take_away(&self, files: &impl FileSystem, expected: Content) -> Result<(), Failure> {
        files.rename(&self.place, &self.staged)?;
        match Content::at(files, &self.staged) {
            Ok(taken) if taken == expected => Ok(()),
            other => {
                // It was saved at the last moment; if it was saved once more meanwhile, that one stays.
                rename_new(files, &self.staged, &self.place)?;
                Err(other.err().unwrap_or(Failure::Changed))
            }
        }
    }

    fn exchange(&self, files: &impl FileSystem) -> Result<(), Failure> {
        match files.exchange(&self.staged, &self.place) {
            Err(error) if error.kind() == std::io::ErrorKind::Unsupported => {
                files.rename(&self.place, &self.away())?;
                rename_new(files, &self.staged, &self.place)?;
                Ok(files.rename(&self.away(), &self.staged)?)
            }
            other => Ok(other?),
        }
    }

    /// Where a file is while another one gets its name, if the file system cannot exchange the two.
    fn away(&self) -> PathBuf {
        self.staged.with_extension("away")
    }

    /// Says whether the file is away: a run was killed before another one had its name.
    pub(super) fn is_away(&self, files: &impl FileSystem) -> Result<bool, Failure> {
        Ok(Content::at(files, &self.place)? == Content::Missing
            && Content::at(files, &self.away())? != Content::Missing)
    }

    /// Puts back what a run that stopped in the middle of an exchange had taken away: its own files, and what another program saved.
    ///
    /// # Errors
    /// The error of the system; nothing is lost, and this can be tried again.
    pub(super) fn settle(&self, files: &impl FileSystem) -> Result<(), Failure> {
        let away = self.away();
        let taken = Content::at(files, &away)?;
        if taken != Content::Missing {
            match (Content::at(files, &self.place)?, Content::at(files, &self.staged)?) {
                (Content::Missing, _) => match files.rename_new(&away, &self.place) {
                    // The file system cannot do that at all, so that nothing can be replaced in it; the file must not stay away.
                    Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
                        files.rename(&away, &self.place)?;
                    }
                    put_back => put_back?,
                },
                (_, Content::Missing) => files.rename(&away, &self.staged)?,
                (place, _) if place == taken || self.is_own(taken) => files.remove(&away)?,
                (place, staged) if self.is_own(place) && self.is_own(staged) => files.rename(&away, &self.staged)?,
                _ => {}
            }
        }
        let staged = Content::at(files, &self.staged)?;
        if !self.is_foreign(files, staged)? {
            return Ok(());
        }
        match Content::at(files, &self.place)? {
            Content::Missing => Ok(files.rename_new(&self.staged, &self.place)?),
            place if self.is_own(place) => match self.put(files, staged, place) {
                Ok(()) | Err(Failure::Changed) => Ok(()),
                Err(failure) => Err(failure),
            },
            _ => Ok(()),
        }
    }

    fn is_own(&self, content: Content) -> bool {
        content == self.before || content == self.after
    }

    /// Says whether what is next to the file is from another program; before the old content was kept, it is new content that was
    /// not yet written whole.
    fn is_foreign(&self, files: &impl FileSystem, staged: Content) -> Result<bool, Failure> {
        let is_other = staged != Content::Missing && !self.is_own(staged);
        Ok(is_other && Content::at(files, &self.kept)? != Content::Missing)
    }

    /// Returns where content of another program is left, because the file itself was saved once more.
    pub(super) fn left_behind(&self, files: &impl FileSystem) -> Result<Option<PathBuf>, Failure> {
        let away = Content::at(files, &self.away())?;
        if away != Content::Missing && !self.is_own(away) {
            return Ok(Some(self.away()));
        }
        let staged = Content::at(files, &self.staged)?;
        Ok(self.is_foreign(files, staged)?.then(|| self.staged.clone()))
    }

    /// Removes what is next to the file, unless it is from another program: then returns where that is.
    ///
    /// # Errors
    /// The error of the system.
    pub(super) fn clear(&self, files: &impl FileSystem) -> Result<Option<PathBuf>, Failure> {
        let left = self.left_behind(files)?;
        for place in [self.staged.clone(), self.away(), part_of(&self.staged)] {
            if left.as_ref() != Some(&place) {
                files.remove(&place)?;
            }
        }
        Ok(left)
    }
}

/// Renames a file to what must not exist yet.
fn rename_new(files: &impl FileSystem, from: &Path, to: &Path) -> Result<(), Failure> {
    files.rename_new(from, to).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => Failure::Changed,
        _ => error.into(),
    })
}
