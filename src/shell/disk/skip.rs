//! Answers: why does a walk skip a path on purpose?
//!
//! Invariant: a reason for a skip is known without parsing the file.

use std::fmt;

/// How many bytes decide whether a file is text.
pub(super) const PROBE: usize = 8 << 10;

/// Why a path was skipped on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Skip {
    /// A file whose extension is not included.
    Extension,
    /// A file or folder whose name starts with a dot.
    Hidden,
    /// A symbolic link.
    Link,
    /// A file with a NUL byte near its start that is not in UTF-16 or UTF-32 either.
    Binary,
    /// A file or folder that a `.reversionignore` names.
    OwnIgnored,
    /// A file or folder that another ignore file names. Known only where everything is listed.
    Ignored,
    /// A file or folder that a glob excludes. Known only where everything is listed.
    Glob,
    /// A file or folder that the settings of its tree exclude.
    Excluded,
}

impl Skip {
    /// Returns why a file of these bytes is not read as text, from its first 8 KiB. A file that starts with the byte order mark of
    /// UTF-16 or UTF-32, or with characters of two or four bytes, is text, though not every parser reads it.
    pub(crate) fn of_bytes(bytes: &[u8]) -> Option<Self> {
        if let [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [0, 0, 0xfe, 0xff, ..] = bytes {
            return None;
        }
        if let [1..=255, 0, 1..=255, 0, ..]
        | [0, 1..=255, 0, 1..=255, ..]
        | [1..=255, 0, 0, 0, ..]
        | [0, 0, 0, 1..=255, ..] = bytes
        {
            return None;
        }
        memchr::memchr(0, &bytes[..bytes.len().min(PROBE)]).map(|_| Self::Binary)
    }
}

impl fmt::Display for Skip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Extension => "extension not included",
            Self::Hidden => "hidden",
            Self::Link => "symbolic link",
            Self::Binary => "binary",
            Self::OwnIgnored => "ignored by .reversionignore",
            Self::Ignored => "ignored",
            Self::Glob => "excluded by a glob",
            Self::Excluded => "excluded by reversion.toml",
        })
    }
}
