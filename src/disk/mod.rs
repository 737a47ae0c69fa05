//! Answers: which files are in the user's tree, and how are they replaced without losing anything?
//!
//! [`walk`] finds and reads files, [`read`](mod@read) reads one of them or standard input, a [`FileList`] names some of them, [`transaction`] replaces
//! files: all of them or none. It records what it is about to do in the [`journal`] first, so that an interrupted run
//! can be finished or rolled back ([`recovery`]), and a finished one can be undone ([`undo`](mod@undo)). Every call on the file system
//! that changes something goes through [`file_system`], so that tests can make each of them fail, and stays in its [`bounds`]. What
//! goes wrong with one path is a [`Failure`]; what was skipped on purpose is a [`Skip`].
//!
//! Invariant: no other module touches the file system of the user's tree, and this one does not know what a file contains.

mod backup;

pub mod bounds;

#[cfg(unix)]
mod confined_dir;

#[cfg(not(unix))]
#[path = "confined_dir_portable.rs"]
mod confined_dir;

pub mod failure;

mod file_list;

pub mod file_system;

pub mod journal;

mod listing;

mod lock;

pub mod options;

pub mod output;

pub mod read;

pub mod record;

pub mod recovery;

pub mod places;

mod roots;

mod shard;

pub mod run;

#[cfg(test)]
mod sample;

pub mod skip;

pub mod transaction;

pub mod undo;

pub mod version_control;

pub mod walk;

mod walk_builder;

pub use bounds::{Bounds, Repository, inside_current_folder, is_place};
pub use failure::{Failure, FileKind};
pub use file_list::{FileList, ListRemark, place_of};
pub use journal::Journal;
pub use options::{PathGlobs, WalkOptions};
pub use output::{append_output, is_same_file, replace_output, write_output};
pub use places::{Places, folders_around, from_here, is_link};
pub use read::{MAX_FILE_SIZE, read, read_stdin, read_up_to};
pub use record::{Action, Record};
pub use recovery::{RunProgress, Unfinished, inspect};
pub use run::{Aborted, Change, ChangedFiles, Step, TreeState, Written};
pub use shard::Shard;
pub use skip::Skip;
pub use transaction::Transaction;
pub use undo::undo;
pub use version_control::{UnknownStatus, uncommitted};
pub use walk::{Scan, scan};
