//! Answers: what are the bytes of this file, or of standard input?
//!
//! Files are read whole, up to a limit. One buffer is used again for file after file: a file that fits into it costs an
//! open and two reads, and no allocation. `files_from` turns a list of paths, as `git diff --name-only` prints it, into
//! paths.
//!
//! Invariant: never more than the limit is in memory, whatever size a file claims to have or grows to while it is read.

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::failure::{Failure, FileKind};

/// The most bytes that one file may have: 512 MiB; a larger one is rejected before any of it is read.
pub(crate) const MAX_FILE_SIZE: u64 = 512 << 20;

/// The initial size of a buffer, which it is shrunk to after a large file: most manifests fit.
const USUAL_SIZE: usize = 64 << 10;

/// A buffer that grew above this size for a larger file is shrunk again.
const KEPT_SIZE: usize = 4 << 20;

/// Reads one file, whatever its name or content.
///
/// # Errors
/// [`Failure::Missing`], [`Failure::Denied`], [`Failure::NotAFile`] (which is then not opened), [`Failure::TooLarge`] above
/// [`MAX_FILE_SIZE`], or [`Failure::Io`].
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    read_up_to(path, MAX_FILE_SIZE)
}

/// Reads one file of at most `limit` bytes; of a larger one nothing is read.
///
/// # Errors
/// Those of [`read`], with this limit.
pub(crate) fn read_up_to(path: &Path, limit: u64) -> Result<Vec<u8>, Failure> {
    refuse_other(&fs::metadata(path)?)?;
    read_open(File::open(path)?, limit)
}

/// Reads one file of at most `limit` bytes in one of the folders `roots`, wherever links on the way lead; `None` where that cannot be.
pub(crate) fn read_below(path: &Path, roots: &[PathBuf], limit: u64) -> Option<Vec<u8>> {
    let place = fs::canonicalize(path).ok()?;
    let is_above = |root: &PathBuf| fs::canonicalize(root).is_ok_and(|root| place.starts_with(root));
    if roots.iter().any(is_above) { read_up_to(&place, limit).ok() } else { None }
}

/// Reads one file of at most `limit` bytes, or standard input for `-`.
///
/// # Errors
/// Those of [`read_up_to`] and [`read_stdin`].
pub(crate) fn read_input(path: &Path, limit: u64) -> Result<Vec<u8>, Failure> {
    if path == Path::new("-") { read_stdin(limit) } else { read_up_to(path, limit) }
}

/// Says whether a file that can be read is at `path`.
pub(crate) fn is_file(path: &Path) -> bool {
    matches!(read_up_to(path, 0), Ok(_) | Err(Failure::TooLarge(_)))
}

/// Returns the path of a folder from the root of the file system, by which what is above it can be found; that itself if there is none.
pub(crate) fn full_path(folder: &Path) -> PathBuf {
    let named = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    named.canonicalize().unwrap_or_else(|_| folder.to_owned())
}

/// Says whether nothing is at `path`.
pub(crate) fn is_missing(path: &Path) -> bool {
    read_up_to(path, 0) == Err(Failure::Missing)
}

/// Says whether something is at `path`: also where the system does not tell what, but not where nothing can be.
pub(super) fn is_there(path: &Path) -> bool {
    use io::ErrorKind::{InvalidFilename, InvalidInput, NotADirectory, NotFound};
    let nothing = [NotFound, NotADirectory, InvalidFilename, InvalidInput];
    fs::symlink_metadata(path).map_or_else(|error| !nothing.contains(&error.kind()), |_| true)
}

/// Reads a file that is open, to its end.
///
/// # Errors
/// Those of [`read_up_to`].
pub(super) fn read_open(file: File, limit: u64) -> Result<Vec<u8>, Failure> {
    let metadata = file.metadata()?;
    refuse_other(&metadata)?;
    if metadata.len() > limit {
        return Err(Failure::TooLarge(limit));
    }
    read_all(file, limit)
}

/// Refuses what is no file.
fn refuse_other(metadata: &Metadata) -> Result<(), Failure> {
    if metadata.is_file() { Ok(()) } else { Err(Failure::NotAFile(FileKind::of(metadata.file_type()))) }
}

/// Reads standard input to its end.
///
/// # Errors
/// [`Failure::TooLarge`] above `limit` bytes, or [`Failure::Io`].
pub(crate) fn read_stdin(limit: u64) -> Result<Vec<u8>, Failure> {
    read_all(io::stdin().lock(), limit)
}

pub(super) fn read_all(source: impl Read, limit: u64) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    source.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(Failure::TooLarge(limit));
    }
    Ok(bytes)
}

/// A buffer for one file after the other.
#[derive(Debug)]
pub(super) struct Buffer {
    bytes: Vec<u8>,
    limit: u64,
}

impl Buffer {
    /// Creates a buffer for files of at most `limit` bytes.
    pub(super) const fn new(limit: u64) -> Self {
        Self { bytes: Vec::new(), limit }
    }

    /// Reads the file at `path`, known to be a file: opening a named pipe would block.
    pub(super) fn fill(&mut self, path: &Path) -> Result<&[u8], Failure> {
        let mut file = File::open(path)?;
        self.resize_to_usual();
        let mut filled = 0;
        loop {
            if filled == self.bytes.len() {
                self.grow(file.metadata()?.len())?;
            }
            match file.read(&mut self.bytes[filled..]) {
                Ok(0) => return Ok(&self.bytes[..filled]),
                Ok(more) => filled += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
            if filled as u64 > self.limit {
                return Err(Failure::TooLarge(self.limit));
            }
        }
    }

    fn resize_to_usual(&mut self) {
        if self.bytes.len() < USUAL_SIZE {
            self.bytes.resize(USUAL_SIZE, 0);
        } else if self.bytes.len() > KEPT_SIZE {
            self.bytes.truncate(USUAL_SIZE);
            self.bytes.shrink_to_fit();
        }
    }

    /// Grows for a file of `size` bytes; the size is only read when a buffer is full.
    fn grow(&mut self, size: u64) -> Result<(), Failure> {
        if size > self.limit {
            return Err(Failure::TooLarge(self.limit));
        }
        // One byte more than the file, so that the read which finds its end has room.
        let needed = usize::try_from(size).unwrap_or(usize::MAX).saturating_add(1);
        self.bytes.resize(needed.max(self.bytes.len() + USUAL_SIZE), 0);
        Ok(())
    }
}

/// Reads a list of paths: separated by NUL when there is one, otherwise one a line.
///
/// Empty entries and a byte order mark are skipped. A line in double quotes with backslash escapes, which git prints for a name with unusual
/// characters, is unquoted (git-config, `core.quotePath`); a carriage return before the line feed is dropped.
pub(super) fn files_from(list: &[u8]) -> Vec<PathBuf> {
    let list = list.strip_prefix(b"\xef\xbb\xbf").unwrap_or(list);
    let entries: Vec<Vec<u8>> = if memchr::memchr(0, list).is_some() {
        list.split(|byte| *byte == 0).map(<[u8]>::to_vec).collect()
    } else {
        list.split(|byte| *byte == b'\n').map(|line| unquoted(line.strip_suffix(b"\r").unwrap_or(line))).collect()
    };
    entries.into_iter().filter(|entry| !entry.is_empty()).map(path_of).collect()
}

/// Undoes git's quoting of a path; a line that is not quoted stays as it is.
fn unquoted(line: &[u8]) -> Vec<u8> {
    let Some(inner) = line.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")) else {
        return line.to_vec();
    };
    let mut out = Vec::with_capacity(inner.len());
    let mut rest = inner;
    while let Some((first, after)) = rest.split_first() {
        let (byte, used) = if *first == b'\\' { escaped(after) } else { (*first, 0) };
        out.push(byte);
        rest = &after[used..];
    }
    out
}

/// Reads what follows a backslash: the byte it represents, and how many bytes it takes.
fn escaped(after: &[u8]) -> (u8, usize) {
    let octal = |byte: &u8| (b'0'..=b'7').contains(byte).then(|| u32::from(byte - b'0'));
    if let [a, b, c, ..] = after
        && let (Some(a), Some(b), Some(c)) = (octal(a), octal(b), octal(c))
        && let Ok(byte) = u8::try_from(a * 64 + b * 8 + c)
    {
        return (byte, 3);
    }
    match after.first() {
        None => (b'\\', 0),
        Some(b'a') => (0x07, 1),
        Some(b'b') => (0x08, 1),
        Some(b't') => (b'\t', 1),
        Some(b'n') => (b'\n', 1),
        Some(b'v') => (0x0b, 1),
        Some(b'f') => (0x0c, 1),
        Some(b'r') => (b'\r', 1),
        Some(other) => (*other, 1),
    }
}

#[cfg(unix)]
pub(super) fn path_of(bytes: Vec<u8>) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;
    std::ffi::OsString::from_vec(bytes).into()
}

#[cfg(not(unix))]
pub(super) fn path_of(bytes: Vec<u8>) -> PathBuf {
    String::from_utf8_lossy(&bytes).into_owned().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_whole_at_every_size_around_the_buffers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let mut buffer = Buffer::new(MAX_FILE_SIZE);
        for size in [0, 1, USUAL_SIZE - 1, USUAL_SIZE, USUAL_SIZE + 1, 3 * USUAL_SIZE, KEPT_SIZE + 1, 5] {
            let bytes: Vec<u8> = (0..size).map(|at| (at % 251) as u8).collect();
            fs::write(&path, &bytes).unwrap();
            assert!(buffer.fill(&path).unwrap() == bytes, "{size} bytes through a used buffer");
            assert!(read(&path).unwrap() == bytes, "{size} bytes");
        }
        assert!(buffer.bytes.len() <= USUAL_SIZE, "a large file's room is given back");
    }

    #[test]
    fn the_limit_holds_for_small_and_large_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "12345").unwrap();
        assert_eq!(Buffer::new(5).fill(&path).unwrap(), b"12345");
        assert_eq!(Buffer::new(4).fill(&path), Err(Failure::TooLarge(4)));
        fs::write(&path, vec![b'a'; USUAL_SIZE + 1]).unwrap();
        assert_eq!(Buffer::new(USUAL_SIZE as u64).fill(&path), Err(Failure::TooLarge(USUAL_SIZE as u64)));
    }

    #[test]
    fn a_file_of_more_than_two_gibibytes_is_refused_unread() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("huge.yaml");
        File::create(&path).unwrap().set_len(MAX_FILE_SIZE + 1).unwrap();
        let mut buffer = Buffer::new(MAX_FILE_SIZE);
        assert_eq!(buffer.fill(&path), Err(Failure::TooLarge(MAX_FILE_SIZE)));
        assert_eq!(buffer.bytes.len(), USUAL_SIZE);
        assert_eq!(read(&path), Err(Failure::TooLarge(MAX_FILE_SIZE)));
    }

    #[test]
    fn entries_that_are_not_files_are_reported() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(read(&folder.path().join("none")), Err(Failure::Missing));
        assert_eq!(read(folder.path()), Err(Failure::NotAFile(FileKind::Folder)));
    }

    #[test]
    fn standard_input_has_a_limit_too() {
        assert_eq!(read_all(&b"abc"[..], 3), Ok(b"abc".to_vec()));
        assert_eq!(read_all(&b"abcd"[..], 3), Err(Failure::TooLarge(3)));
    }

    #[track_caller]
    fn check_list(list: &[u8], expected: &[&str]) {
        assert_eq!(files_from(list), expected.iter().map(PathBuf::from).collect::<Vec<_>>());
    }

    #[test]
    fn a_list_has_one_path_per_line() {
        check_list(b"a.yaml\n\nb c.yaml\r\n./d", &["a.yaml", "b c.yaml", "./d"]);
        check_list(b"", &[]);
        check_list(b"\xef\xbb\xbfa.yaml\r\n", &["a.yaml"]);
    }

    #[test]
    fn a_list_with_nul_is_taken_literally() {
        check_list(b"a\nb.yaml\0\"c\"\0", &["a\nb.yaml", "\"c\""]);
    }

    #[test]
    fn names_that_git_quotes_are_unquoted() {
        check_list(br#""\303\244 \"x\"\t\\.yaml""#, &["ä \"x\"\t\\.yaml"]);
        check_list(br#""\777""#, &["777"]);
    }
}
