//! Answers: which files are in an archive, and which bytes is an archive of these files?
//!
//! An archive is a tar file that gzip compressed. It is read in memory: nothing is unpacked into the file system, and a file can lead
//! nowhere. What is made has no times and no owners, and its files are sorted by path.
//!
//! Invariant: the same files make the same bytes, and those are read back as the same files.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Read};
use std::path::{Component, Path};

use flate2::Compression;
use flate2::bufread::MultiGzDecoder;
use flate2::write::GzEncoder;
use tar::{Archive, Builder, EntryType, Header};

/// The files of an archive, by their paths with `/`.
pub(crate) type ArchivedFiles = BTreeMap<String, Vec<u8>>;

/// Why an archive is not read.
#[derive(Debug)]
pub(crate) enum InvalidArchive {
    /// The bytes are no archive, or not a whole one.
    Unreadable(io::Error),
    /// More than this many bytes are in it.
    TooLarge(u64),
    /// The path of a file leads out of the archive, or has parts that not every system can have.
    Path(String),
    /// What is at a path is neither a file nor a folder.
    NotAFile(String),
    /// Two files have this path.
    Twice(String),
}

impl fmt::Display for InvalidArchive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(error) => write!(f, "not a whole .tar.gz archive: {error}"),
            Self::TooLarge(limit) => write!(f, "what is in the archive is larger than {} MiB", limit >> 20),
            Self::Path(path) => write!(f, "the archive has a file at {path}: a path must stay in the archive"),
            Self::NotAFile(path) => {
                write!(f, "{path} in the archive is a link or a device: only files and folders can be")
            }
            Self::Twice(path) => write!(f, "the archive has {path} twice"),
        }
    }
}

impl std::error::Error for InvalidArchive {}

/// Reads the files of an archive that holds at most `limit` bytes.
///
/// # Errors
/// Why it is refused, whole.
pub(crate) fn unpacked(bytes: &[u8], limit: u64) -> Result<ArchivedFiles, InvalidArchive> {
    let mut tar = Vec::new();
    let read = MultiGzDecoder::new(bytes).take(limit + 1).read_to_end(&mut tar);
    let size = read.map_err(InvalidArchive::Unreadable)?;
    if size as u64 > limit {
        return Err(InvalidArchive::TooLarge(limit));
    }
    let mut files = ArchivedFiles::new();
    for entry in Archive::new(tar.as_slice()).entries().map_err(InvalidArchive::Unreadable)? {
        let mut entry = entry.map_err(InvalidArchive::Unreadable)?;
        let written = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        match entry.header().entry_type() {
            EntryType::Regular | EntryType::Continuous => {}
            EntryType::Directory => {
                path(&written)?;
                continue;
            }
            // What `git archive` writes down of the commit.
            EntryType::XGlobalHeader => continue,
            _ => return Err(InvalidArchive::NotAFile(written)),
        }
        let mut content = Vec::new();
        entry.read_to_end(&mut content).map_err(InvalidArchive::Unreadable)?;
        let path = path(&written)?;
        if files.insert(path.clone(), content).is_some() {
            return Err(InvalidArchive::Twice(path));
        }
    }
    Ok(files)
}

/// Returns a path as it is below the top of the archive.
fn path(written: &str) -> Result<String, InvalidArchive> {
    let wrong = || InvalidArchive::Path(written.to_owned());
    if written.contains(['\\', ':', '\0', '\u{fffd}']) {
        return Err(wrong());
    }
    let mut parts = Vec::new();
    for part in Path::new(written).components() {
        match part {
            Component::Normal(name) => parts.push(name.to_string_lossy()),
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return Err(wrong()),
        }
    }
    Ok(parts.join("/"))
}

/// Makes the archive of files.
///
/// # Errors
/// A path that no archive can have.
pub(crate) fn archive(files: &ArchivedFiles) -> io::Result<Vec<u8>> {
    let mut tar = Builder::new(GzEncoder::new(Vec::new(), Compression::best()));
    for (path, content) in files {
        let mut header = Header::new_ustar();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        header.set_mtime(0);
        tar.append_data(&mut header, path, content.as_slice())?;
    }
    tar.into_inner()?.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(files: &[(&str, &str)]) -> ArchivedFiles {
        files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect()
    }

    /// Makes an archive of one entry, which [`archive`] would not make.
    fn of_entry(path: &str, kind: EntryType) -> Vec<u8> {
        let mut header = Header::new_ustar();
        header.set_size(0);
        header.set_entry_type(kind);
        header.as_mut_bytes()[..path.len()].copy_from_slice(path.as_bytes());
        header.set_cksum();
        let mut tar = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        tar.append(&header, io::empty()).unwrap();
        tar.into_inner().unwrap().finish().unwrap()
    }

    #[test]
    fn an_archive_is_read_back_as_the_same_files() {
        let long = format!("shops/{}/{}.yaml", "a".repeat(120), "b".repeat(120));
        let all = files(&[("shops/pack.yaml", "name: shops\n"), ("shops/empty.tsv", ""), (&long, "summary: x\n")]);
        let bytes = archive(&all).unwrap();
        assert_eq!(unpacked(&bytes, 1 << 20).unwrap(), all);
        assert_eq!(archive(&all).unwrap(), bytes);
        assert_eq!(bytes[4..8], [0; 4], "gzip has no time");
    }

    #[test]
    fn paths_that_lead_out_of_an_archive_are_refused() {
        for path in ["../pack.yaml", "shops/../../pack.yaml", "/etc/pack.yaml", "a\\..\\b", "C:pack.yaml"] {
            let refused = unpacked(&of_entry(path, EntryType::Regular), 1 << 20);
            assert!(matches!(&refused, Err(InvalidArchive::Path(found)) if found == path), "{path}: {refused:?}");
        }
        assert_eq!(
            unpacked(&of_entry("./shops/./pack.yaml", EntryType::Regular), 1 << 20).unwrap(),
            files(&[("shops/pack.yaml", "")])
        );
    }

    #[test]
    fn only_files_and_folders_can_be_in_an_archive() {
        for kind in [EntryType::Symlink, EntryType::Link, EntryType::Fifo, EntryType::Char, EntryType::Block] {
            let refused = unpacked(&of_entry("shops/pack.yaml", kind), 1 << 20);
            assert!(matches!(refused, Err(InvalidArchive::NotAFile(_))), "{kind:?}: {refused:?}");
        }
        assert_eq!(unpacked(&of_entry("shops/", EntryType::Directory), 1 << 20).unwrap(), files(&[]));
    }

    #[test]
    fn large_and_broken_archives_are_refused() {
        let bytes = archive(&files(&[("pack.yaml", &"a".repeat(100_000))])).unwrap();
        assert!(bytes.len() < 1_000);
        assert!(matches!(unpacked(&bytes, 99_999), Err(InvalidArchive::TooLarge(99_999))));
        let cut = unpacked(&bytes[..bytes.len() - 9], 1 << 20);
        assert!(matches!(cut, Err(InvalidArchive::Unreadable(_))), "{cut:?}");
        assert!(matches!(unpacked(b"name: shops\n", 1 << 20), Err(InvalidArchive::Unreadable(_))));
    }

    #[test]
    fn a_path_is_in_an_archive_once() {
        let mut tar = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        for path in ["pack.yaml", "./pack.yaml"] {
            let mut header = Header::new_ustar();
            header.set_size(0);
            tar.append_data(&mut header, path, io::empty()).unwrap();
        }
        let bytes = tar.into_inner().unwrap().finish().unwrap();
        assert!(matches!(unpacked(&bytes, 1 << 20), Err(InvalidArchive::Twice(path)) if path == "pack.yaml"));
    }
}
