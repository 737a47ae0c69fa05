//! Answers: is another run writing in this tree?
//!
//! The file `.reversion/lock` is locked by the operating system, which releases it when its process ends for whatever reason: a
//! dead process never holds a lock. On a file system without locks nothing is locked; the comparisons of a transaction
//! still detect what another run did.
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
    /// Locks `file`, or fails at once if another process holds the lock.
    pub(super) fn take(file: File) -> Result<Self, Failure> {
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => Err(Failure::Locked),
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => Ok(Self { _file: file }),
            Err(TryLockError::Error(error)) => Err(error.into()),
        }
    }

    /// Fails if a process has locked `file`. Takes a shared lock for a moment.
    pub(super) fn is_free(file: &File) -> Result<(), Failure> {
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => Err(Failure::Locked),
            Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
        }
    }
}
