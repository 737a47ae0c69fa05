//! Answers: is another run writing in this tree?
//!
//! The file `.reversion/lock` is locked by the operating system, which lets go of it when its process ends in whatever way: a
//! lock of a dead process blocks nobody. On a file system that knows no locks there is none; the comparisons of a transaction
//! still find what another run did.
//!
//! Invariant: while a lock is held, no other run of this program writes in the tree.

use std::fs::{File, TryLockError};
use std::io;

use super::failure::Failure;

/// A lock that is held until it is dropped.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    /// Locks `file`, or fails at once where another process has.
    pub(super) fn take(file: File) -> Result<Self, Failure> {
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => Err(Failure::Locked),
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => Ok(Self { _file: file }),
            Err(TryLockError::Error(error)) => Err(error.into()),
        }
    }

    /// Fails where a process has locked `file`. It is locked for a moment, together with others that look.
    pub(super) fn is_free(file: &File) -> Result<(), Failure> {
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => Err(Failure::Locked),
            Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
        }
    }
}
