//! Temporary trees of files in which the program is run, and handwritten plans for them.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use reversion::internals::fingerprint::Fingerprint;
use tempfile::TempDir;

use super::program;

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_reversion");

/// Stands for the original text of each file of a tree.
pub(crate) const OLD: &str = "old";

/// Returns the original text of file number `at`.
pub(crate) fn old_text(at: usize) -> String {
    format!("old: {at}\nlines: 2\nend\n")
}

/// Returns the text after the plan from [`OLD`] to `2`.
pub(crate) fn new_text(_: usize) -> String {
    "2".to_owned()
}

/// One file of a plan: its path, its text and its new text.
pub(crate) type Replacement = (String, String, String);

/// The output and exit code of a run of the program.
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Run {
    /// Returns everything that was printed.
    pub(crate) fn all(&self) -> String {
        format!("{}{}", self.out, self.err)
    }

    #[track_caller]
    pub(crate) fn check(&self, code: i32) {
        assert_eq!(self.code, Some(code), "{}{}", self.out, self.err);
    }
}

/// A folder with files `0.yaml`, `1.yaml` and so on.
pub(crate) struct Tree {
    /// Removes the folder when the tree is dropped, if this tree created it.
    _folder: Option<TempDir>,
    top: PathBuf,
    count: usize,
}

impl Tree {
    pub(crate) fn new(count: usize) -> Self {
        let folder = TempDir::new().unwrap();
        let tree = Self { top: folder.path().to_owned(), _folder: Some(folder), count };
        for at in 0..count {
            fs::write(tree.path(&format!("{at}.yaml")), old_text(at)).unwrap();
        }
        tree
    }

    /// Creates an empty tree in a folder of another one.
    pub(crate) fn below(tree: &Self, folder: &str) -> Self {
        let top = tree.path(folder);
        fs::create_dir(&top).unwrap();
        Self { _folder: None, top, count: 0 }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.top.join(name)
    }

    /// Creates a tree of these files.
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let tree = Self::new(0);
        for (name, text) in files {
            fs::create_dir_all(tree.path(name).parent().unwrap()).unwrap();
            fs::write(tree.path(name), text).unwrap();
        }
        tree
    }

    /// Returns the text of a file.
    pub(crate) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Returns replacements of the whole text of every file; `from` is the current text, or [`OLD`].
    pub(crate) fn edits(&self, from: &str, to: &str) -> Vec<Replacement> {
        let text = |at| if from == OLD { old_text(at) } else { from.to_owned() };
        (0..self.count).map(|at| (format!("{at}.yaml"), text(at), to.to_owned())).collect()
    }

    /// Writes a plan.
    pub(crate) fn plan(&self, name: &str, files: &[Replacement]) {
        let print = |text: &str| Fingerprint::of(text.as_bytes()).to_string();
        let file = |(path, old, new): &Replacement| {
            let edit = serde_json::json!({"start": 0, "end": old.len(), "old": old, "new": new});
            serde_json::json!({"path": path, "before": print(old), "after": print(new), "edits": [edit]})
        };
        let seen = ["files", "parsedFiles", "objects", "recognized", "templates", "binaries", "ignored", "failed"];
        let outcomes = ["changed", "changedFiles", "heldBack", "unresolved", "acknowledged"];
        let counts = [&seen[..], &outcomes].concat();
        let summary: serde_json::Map<_, _> = counts.iter().map(|name| ((*name).to_owned(), 0.into())).collect();
        let plan = serde_json::json!({
            "schemaVersion": 2,
            "tool": "0.1.0",
            "packs": [],
            "targets": ["test@1/standard"],
            "noop": files.is_empty(),
            "summary": summary,
            "files": files.iter().map(file).collect::<Vec<_>>(),
            "objects": [],
            "findings": [],
            "advisories": [],
        });
        fs::write(self.path(name), plan.to_string()).unwrap();
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        self.run_in("", arguments)
    }

    pub(crate) fn run_in(&self, folder: &str, arguments: &[&str]) -> Run {
        finished(&mut self.command(folder, arguments))
    }

    /// Runs the program with variables of the environment.
    pub(crate) fn run_with(&self, variables: &[(&str, &str)], arguments: &[&str]) -> Run {
        finished(self.command("", arguments).envs(variables.iter().copied()))
    }

    /// Runs the program with `input` as standard input.
    pub(crate) fn run_fed(&self, arguments: &[&str], input: impl AsRef<[u8]>) -> Run {
        let file = TempDir::new().unwrap();
        let file = file.path().join("input");
        fs::write(&file, input).unwrap();
        finished(self.command("", arguments).stdin(fs::File::open(file).unwrap()))
    }

    /// Starts the program and does not wait for it.
    pub(crate) fn start(&self, arguments: &[&str]) -> Child {
        self.command("", arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    /// Starts the program with its messages going to `error`.
    pub(crate) fn start_with_error_to(&self, error: Stdio, arguments: &[&str]) -> Child {
        self.command("", arguments).stdout(Stdio::null()).stderr(error).spawn().unwrap()
    }

    /// Runs the program under another one and returns whether it ended by itself.
    pub(crate) fn ends_under(&self, above: &[&str], arguments: &[&str]) -> bool {
        let mut command = Command::new(above[0]);
        command.args(&above[1..]).arg(PROGRAM).args(arguments).current_dir(self.path("")).stdin(Stdio::null());
        let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.code().is_some())
    }

    fn command(&self, folder: &str, arguments: &[&str]) -> Command {
        let mut command = program();
        command.args(arguments).current_dir(self.path(folder)).stdin(Stdio::null());
        command
    }

    /// Runs git and returns what it printed.
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("git");
        for role in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{role}_NAME"), "a").env(format!("GIT_{role}_EMAIL"), "a@example.com");
        }
        let output = command.args(arguments).current_dir(&self.top).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Reads the tree's YAML files and the temporary files that a run may have left behind.
    pub(crate) fn contents(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let paths = fs::read_dir(&self.top).unwrap().map(|entry| entry.unwrap().path());
        let of_tree =
            |path: &PathBuf| path.is_file() && path.extension().is_some_and(|end| end == "yaml" || end == "tmp");
        paths.filter(of_tree).map(|path| (path.clone(), fs::read(&path).unwrap())).collect()
    }

    /// Returns the contents of the tree if `text` gives the text of each file.
    pub(crate) fn state(&self, text: fn(usize) -> String) -> BTreeMap<PathBuf, Vec<u8>> {
        (0..self.count).map(|at| (self.path(&format!("{at}.yaml")), text(at).into_bytes())).collect()
    }
}

/// Runs a command to its end.
pub(crate) fn finished(command: &mut Command) -> Run {
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Run { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}
