//! The command line: every `console` block of README.md and `tests/cli/*.md` is run and compared.
//!
//! A block contains commands (`$ reversion ...`), their standard output followed by standard error, and `? CODE`
//! if the exit code is not 0. The commands of one file run in sequence in a repository with a copy of `fixtures/`, so that
//! `apply` has something to write; a block `yaml FILE` is written to that file there. With `REVERSION_WRITE_BLOCKS=1` the blocks are rewritten; review the diff.

#![expect(clippy::unwrap_used, reason = "a failed setup fails the test")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use reversion::cli::{GLOSSARY, Term};
use tempfile::TempDir;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn the_readme_shows_the_output_of_the_program() {
    let found = differences(&root().join("README.md"));
    assert!(found.is_empty(), "{found}");
}

#[test]
fn every_documented_command_has_the_documented_output_and_exit_code() {
    let mut files: Vec<PathBuf> =
        fs::read_dir(root().join("tests/cli")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty());
    let found: String = files.iter().map(|file| differences(file)).collect();
    assert!(found.is_empty(), "{found}");
}

/// A test in the program checks that every word of the output is in the glossary.
#[test]
fn the_readme_has_the_glossary() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let (_, section) = readme.split_once("\n## Glossary\n").unwrap();
    let (section, _) = section.split_once("\n## ").unwrap();
    let rows: Vec<&str> = section.lines().filter(|line| line.starts_with("| `")).collect();
    let row = |term: &Term| format!("| `{}` | {} |", term.word, term.text);
    assert_eq!(rows, GLOSSARY.iter().map(row).collect::<Vec<_>>());
}

/// Runs the blocks of `file` and returns the differences.
fn differences(file: &Path) -> String {
    let folder = TempDir::new().unwrap();
    copy(&root().join("fixtures"), &folder.path().join("fixtures"));
    for command in ["git init --quiet", "git add fixtures", "git commit --quiet --message fixtures"] {
        assert_eq!(run(command, folder.path()), "");
    }
    let before = fs::read_to_string(file).unwrap();
    let mut after = String::new();
    let mut lines = before.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        after.push_str(line);
        if let Some(name) = line.trim_end().strip_prefix("```yaml ") {
            let text: String = std::iter::from_fn(|| lines.next_if(|line| line.trim_end() != "```")).collect();
            let file = folder.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, &text).unwrap();
            after.push_str(&text);
        }
        if line.trim_end() != "```console" {
            continue;
        }
        while let Some(line) = lines.next_if(|line| line.trim_end() != "```") {
            if let Some(command) = line.strip_prefix("$ ") {
                after.push_str(line);
                after.push_str(&run(command.trim_end(), folder.path()));
            }
        }
    }
    if std::env::var_os("REVERSION_WRITE_BLOCKS").is_some() {
        fs::write(file, &after).unwrap();
    }
    let diff = similar::TextDiff::from_lines(&before, &after);
    diff.unified_diff().header(&file.display().to_string(), "what the program printed").to_string()
}

/// Runs one command line, with `<`, `>` and `|` like in a shell.
fn run(command: &str, folder: &Path) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_reversion"));
    let path = std::env::join_paths(
        [program.parent().unwrap().to_owned()]
            .into_iter()
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    );
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir(folder).env("PATH", path.unwrap()).stdin(Stdio::null());
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy();
        if name.starts_with("REVERSION_") || name.starts_with("GITHUB_") || name.contains("COLOR") {
            shell.env_remove(&*name);
        }
    }
    // A commit needs an author and must not depend on the user's git configuration.
    for role in ["AUTHOR", "COMMITTER"] {
        shell.env(format!("GIT_{role}_NAME"), "a").env(format!("GIT_{role}_EMAIL"), "a@example.com");
    }
    shell.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    let output = shell.output().unwrap();
    let mut text = String::new();
    for stream in [&output.stdout, &output.stderr] {
        text.push_str(std::str::from_utf8(stream).unwrap());
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
    }
    match output.status.code() {
        Some(0) => {}
        code => text.push_str(&format!("? {}\n", code.map_or("killed".to_owned(), |code| code.to_string()))),
    }
    text
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to.join(entry.file_name()));
        } else {
            fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
}
