//! Answers: which bytes lie in the user's tree, and how do new ones get there without a loss?
//!
//! [`walk`] finds and reads files, [`read`](mod@read) reads one of them or standard input, [`transaction`] replaces
//! files: all of them or none. Every call on the file system that changes something goes through [`files`], so that tests
//! can make each of them fail. What goes wrong with one path is a [`Failure`]; what was left out on purpose is a
//! [`Skip`].
//!
//! Invariant: no other module touches the file system of the user's tree, and this one knows nothing of what is in a file.

pub mod failure;

pub mod files;

mod listing;

pub mod options;

pub mod output;

pub mod read;

mod roots;

pub mod transaction;

pub mod walk;

pub use failure::Failure;
pub use options::WalkOptions;
pub use output::{append_output, is_same_file, write_output};
pub use read::{MAX_FILE_SIZE, files_from, read, read_stdin};

pub use transaction::{Aborted, Change, Fingerprint, Step, Transaction, Written};
pub use walk::{Scan, Skip, scan};
