//! Answers: which files are in the user's tree, and how are they replaced without losing anything?
//!
//! [`walk`] finds and reads files, [`read`] reads one of them or standard input, a [`FileList`] names some of them, [`transaction`] replaces
//! files: all of them or none. It records what it is about to do in the [`journal`] first, so that an interrupted run
//! can be finished or rolled back ([`recovery`]), and a finished one can be undone ([`undo`](mod@undo)). Every call on the file system
//! that changes something goes through [`file_system`], so that tests can make each of them fail, and stays in its [`bounds`]. What
//! goes wrong with one path is a [`Failure`]; what was skipped on purpose is a [`Skip`].
//!
//! Parts: reading: `walk` (over `walk_builder` `roots` `skip`) `places` (where paths lead) `options` `ignore_files` (can they be read) `listing` `read_file`
//! `file_list` (which files a list names) `shard` (which part of a tree) `archive` (files in one file); writing: `run` (what a write is asked to do and
//! reports) `transaction` `undo` `recovery` `swap` (one file and its replacement change places) `journal` `record` `backup` `lock` `version_control` `committed` (files of a commit), over `file_system` `bounds`
//! `confined_dir` (`confined_dir_portable` where the system cannot open a path relative to a folder); `output` `failure`;
//! `sample` for tests.
//!
//! Invariant: no other module touches the file system of the user's tree, and this one does not know what a file contains.

mod archive;

mod backup;

mod bounds;

#[cfg(unix)]
mod confined_dir;

#[cfg(not(unix))]
#[path = "confined_dir_portable.rs"]
mod confined_dir;

mod committed;

mod failure;

mod file_list;

mod file_system;

mod ignore_files;

mod journal;

mod listing;

mod lock;

pub(crate) mod options;

mod output;

mod read_file;

mod record;

mod recovery;

mod places;

mod roots;

mod shard;

mod run;

#[cfg(test)]
mod sample;

mod skip;

mod swap;

mod transaction;

mod undo;

mod version_control;

mod walk;

mod walk_builder;

pub(crate) use archive::{ArchivedFiles, archive, unpacked};
pub(crate) use bounds::{Bounds, Repository, inside_current_folder};
pub(crate) use committed::{CommittedFile, CommittedPath, committed};
pub(crate) use failure::{Failure, FileKind};
pub(crate) use file_list::{FileList, ListRemark, direct, place_of};
pub(crate) use ignore_files::is_ignore_file;
pub(crate) use journal::Journal;
pub(crate) use options::{PathGlobs, WalkOptions};
pub(crate) use output::{append_output, is_same_file, replace_output, write_output};
pub(crate) use places::{Places, folders_around, from_here, is_link, resolved};
pub(crate) use read_file::{
    MAX_FILE_SIZE, full_path, is_file, is_missing, read, read_below, read_input, read_stdin, read_up_to,
};
pub(crate) use record::Action;
pub(crate) use recovery::{RunProgress, Unfinished, inspect};
pub(crate) use roots::by_names;
pub(crate) use run::{Aborted, ChangedFiles, FileChange};
pub(crate) use shard::Shard;
pub(crate) use skip::Skip;
pub(crate) use transaction::{Transaction, check};
pub(crate) use undo::{gone, undo};
pub(crate) use version_control::uncommitted;
pub(crate) use walk::{Scan, scan};

pub use bounds::is_place;
pub use record::Record;
