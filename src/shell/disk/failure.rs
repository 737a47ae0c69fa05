//! Answers: why could this path not be read or written?
//!
//! A [`Failure`] is about one path and does not contain it; whoever reports it prints the path before it. Errors of the
//! operating system that a user can act on have a variant of their own, the others keep the system's message.
//!
//! Invariant: every failure prints as one line, in lower case, without a final dot.

use std::fmt;
use std::fs::FileType;
use std::io;
use std::path::PathBuf;

/// Why a path could not be read or written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Failure {
    /// Nothing is there; also a symbolic link to nothing.
    Missing,
    /// The operating system does not allow it.
    Denied,
    /// Something other than a file is there.
    NotAFile(FileKind),
    /// The file is larger than this many bytes.
    TooLarge(u64),
    /// A symbolic link leads back to this folder above it.
    Loop(PathBuf),
    /// The bytes are not those that the change was planned from.
    Changed,
    /// Something is there already, where a file is to be made.
    Exists,
    /// The file is not as the run that is to be undone or finished left it.
    ChangedSince,
    /// The new content of the file is not there: it had not been written yet, or its run was being rolled back already.
    NotStaged,
    /// What another program saved while the run was writing, which could not be put back because it was saved again.
    LeftBehind,
    /// The file has this many hard links, which replacing it would break.
    HardLinked(u64),
    /// The file's mode lets nobody write.
    ReadOnly,
    /// This other path leads to the same file and has other content for it.
    SameFile(PathBuf),
    /// The file, or the one that a symbolic link leads to, is not below the paths of the call.
    OutsidePaths,
    /// The file, or the one that a symbolic link leads to, is not in the tree.
    OutsideTree,
    /// The path leads into a folder that is reserved for git or this program.
    Reserved,
    /// The name is not valid UTF-8, so that a journal could not hold it.
    NotUtf8,
    /// Another run of this program is writing in the same tree.
    Locked,
    /// Another user created the journal of the tree.
    OtherUser,
    /// A run in this tree was interrupted, and its files are partly old and partly new.
    Unfinished,
    /// A journal or a record in it is not one that this program wrote: why.
    Damaged(String),
    /// The text is no list of the names of files: why.
    NotAList(String),
    /// The message of the operating system.
    Io(String),
}

/// What can be where a file is expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FileKind {
    /// A folder.
    Folder,
    /// A named pipe: opening one can wait for ever.
    Pipe,
    /// A socket.
    Socket,
    /// A terminal, a disk or another device.
    Device,
    /// A symbolic link that is not followed.
    Link,
    /// None of these.
    Unknown,
}

impl FileKind {
    /// Names what `file_type` is, for a type that is not a file's.
    pub(crate) fn of(file_type: FileType) -> Self {
        if file_type.is_dir() {
            Self::Folder
        } else if file_type.is_symlink() {
            Self::Link
        } else {
            Self::special(file_type)
        }
    }

    #[cfg(unix)]
    fn special(file_type: FileType) -> Self {
        use std::os::unix::fs::FileTypeExt;
        if file_type.is_fifo() {
            Self::Pipe
        } else if file_type.is_socket() {
            Self::Socket
        } else if file_type.is_char_device() || file_type.is_block_device() {
            Self::Device
        } else {
            Self::Unknown
        }
    }

    #[cfg(not(unix))]
    fn special(_: FileType) -> Self {
        Self::Unknown
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Folder => "a folder",
            Self::Pipe => "a named pipe",
            Self::Socket => "a socket",
            Self::Device => "a device",
            Self::Link => "a symbolic link",
            Self::Unknown => "something else",
        }
    }
}

impl From<&io::Error> for Failure {
    fn from(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Self::Missing,
            io::ErrorKind::PermissionDenied => Self::Denied,
            io::ErrorKind::IsADirectory => Self::NotAFile(FileKind::Folder),
            _ if is_link(error) => Self::NotAFile(FileKind::Link),
            _ => Self::Io(one_line(&error.to_string())),
        }
    }
}

/// Returns whether a file was not opened because it is a symbolic link.
#[cfg(unix)]
fn is_link(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
}

#[cfg(not(unix))]
fn is_link(_: &io::Error) -> bool {
    false
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::from(&error)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("no such file or folder"),
            Self::Denied => f.write_str("permission denied"),
            Self::NotAFile(kind) => write!(f, "is {}, not a file", kind.name()),
            Self::TooLarge(limit) => write!(f, "is larger than the limit of {}", Size(*limit)),
            Self::Loop(folder) => write!(f, "is a symbolic link back to {}, a folder above it", folder.display()),
            Self::Changed => f.write_str("changed since it was read; run the command again"),
            Self::Exists => f.write_str("is there already, and would be overwritten; move it away"),
            Self::ChangedSince => f.write_str("changed since that run"),
            Self::NotStaged => f.write_str("its new content is missing, so the run can only be rolled back"),
            Self::LeftBehind => f.write_str(
                "was saved by another program during that run, and saved again since; move it away or remove it",
            ),
            Self::HardLinked(names) => {
                write!(f, "has {names} hard links, which replacing the file would break; replace it by a copy first")
            }
            Self::ReadOnly => f.write_str("is read-only; make it writable first"),
            Self::SameFile(other) => {
                write!(f, "is the same file as {}, which has other content for it", other.display())
            }
            Self::OutsidePaths => f.write_str("is outside the paths that were given; pass its own path too"),
            Self::OutsideTree => f.write_str("is outside the tree; check where the symbolic links in its path lead"),
            Self::Reserved => f.write_str("is in a folder that is reserved for git or reversion"),
            Self::NotUtf8 => f.write_str("has a name that is not valid UTF-8; rename it first"),
            Self::Locked => f.write_str("another run is writing in this tree; wait until it ends"),
            Self::OtherUser => f.write_str("belongs to another user; remove it if it is unused"),
            Self::Unfinished => f.write_str("an earlier run was interrupted"),
            Self::Damaged(why) => write!(f, "is damaged: {why}"),
            Self::NotAList(message) | Self::Io(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for Failure {}

/// A number of bytes for people: `2 GiB`, `64 KiB`, `70 bytes`; a larger unit only where it divides the number.
struct Size(u64);

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
        let fits = |(size, _): &(u64, &str)| self.0 > 0 && self.0.is_multiple_of(*size);
        let (size, unit) = units.into_iter().find(fits).unwrap_or((1, "bytes"));
        write!(f, "{} {unit}", self.0 / size)
    }
}

/// Puts a message of the operating system or a library on one line.
pub(super) fn one_line(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_printed_in_the_largest_unit_that_divides_them() {
        let texts = [2 << 30, 3 << 20, 64 << 10, 1025, 0].map(|size| Size(size).to_string());
        assert_eq!(texts, ["2 GiB", "3 MiB", "64 KiB", "1025 bytes", "0 bytes"]);
    }

    #[test]
    fn system_errors_become_actionable_messages() {
        let failure = |kind: io::ErrorKind| Failure::from(io::Error::from(kind));
        assert_eq!(failure(io::ErrorKind::NotFound), Failure::Missing);
        assert_eq!(failure(io::ErrorKind::PermissionDenied), Failure::Denied);
        assert_eq!(failure(io::ErrorKind::IsADirectory), Failure::NotAFile(FileKind::Folder));
        assert_eq!(Failure::from(io::Error::other("two\n  lines")), Failure::Io("two lines".to_owned()));
    }
}
