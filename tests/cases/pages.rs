//! The command line: every `console` block of README.md, of the pages in `docs/src` and of `tests/cli/*.md` is run and compared.
//!
//! A block contains commands (`$ reversion ...`), their standard output followed by standard error, and `? CODE`
//! if the exit code is not 0. The commands of one file run in sequence in a git repository with a copy of the folders of
//! `fixtures/` that they name, so that `apply` has something to write; a block with a name behind its language
//! (```` ```yaml FILE ````) is written to that file there. With `REVERSION_WRITE_BLOCKS=1` the blocks are rewritten; review the diff.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use libtest_mimic::Trial;
use tempfile::TempDir;

use crate::support::{copy, root};
use crate::trial;

pub(crate) fn trials() -> Vec<Trial> {
    let mut pages = vec![root().join("README.md")];
    for folder in ["docs/src", "tests/cli"] {
        let listed = reversion::internals::pack::load::list_folder(&root().join(folder)).unwrap();
        pages.extend(listed.iter().filter(|file| file.ends_with(".md")).map(|file| root().join(folder).join(file)));
    }
    let has_blocks = |page: &PathBuf| fs::read_to_string(page).unwrap().lines().any(|line| line == CONSOLE);
    let trials: Vec<Trial> = pages.into_iter().filter(has_blocks).map(trial_of).collect();
    assert!(trials.len() > 1, "the pages have blocks");
    trials
}

const CONSOLE: &str = "```console";

/// The test of a page: its blocks show what the program prints.
fn trial_of(page: PathBuf) -> Trial {
    let name = page.strip_prefix(root()).unwrap().display().to_string();
    let header = name.clone();
    trial("pages", &name, move || {
        let before = fs::read_to_string(&page).unwrap();
        let after = executed(&before);
        if std::env::var_os("REVERSION_WRITE_BLOCKS").is_some() {
            fs::write(&page, &after).unwrap();
        }
        let diff = similar::TextDiff::from_lines(&before, &after);
        let diff = diff.unified_diff().header(&header, "what the program printed").to_string();
        if diff.is_empty() { Ok(()) } else { Err(diff.into()) }
    })
}

/// Returns a page with what its commands print.
fn executed(page: &str) -> String {
    let folder = repository(page);
    let mut after = String::new();
    let mut lines = page.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        after.push_str(line);
        if let Some((_, name)) = line.trim_end().strip_prefix("```").and_then(|info| info.split_once(' ')) {
            let text: String = std::iter::from_fn(|| lines.next_if(|line| line.trim_end() != "```")).collect();
            let file = folder.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, &text).unwrap();
            after.push_str(&text);
        }
        if line.trim_end() != CONSOLE {
            continue;
        }
        while let Some(line) = lines.next_if(|line| line.trim_end() != "```") {
            if let Some(command) = line.strip_prefix("$ ") {
                after.push_str(line);
                after.push_str(&run(command.trim_end(), folder.path()));
            }
        }
    }
    after
}

/// Makes a git repository with what a page's commands name of the fixtures: a folder, or one in it (`fixtures/repos/homelab-2022`), and
/// beside the word `fixtures` that of a pack. They are committed where the commands call git, or `apply`, which writes nothing that is not.
fn repository(page: &str) -> TempDir {
    let (from, folder) = (root().join("fixtures"), TempDir::new().unwrap());
    let to = folder.path().join("fixtures");
    fs::create_dir(&to).unwrap();
    let commands: Vec<&str> = page.lines().filter(|line| line.starts_with("$ ")).collect();
    let paths = commands.iter().flat_map(|line| line.split("fixtures/").skip(1)).map(|rest| {
        let path = Path::new(rest.split([' ', ':']).next().unwrap_or_default());
        let folder = if from.join(path).is_dir() { Some(path) } else { path.parent() };
        folder.into_iter().flatten().take(2).collect::<PathBuf>()
    });
    let all = commands.iter().filter(|line| line.ends_with("--fixtures fixtures"));
    let named = paths.chain(all.flat_map(|line| line.split(' ')).map(PathBuf::from));
    // A folder comes before what is in it.
    for path in named.filter(|path| path.as_os_str() != "" && from.join(path).is_dir()).collect::<BTreeSet<_>>() {
        if !to.join(&path).is_dir() {
            copy(&from.join(&path), &to.join(&path));
        }
    }
    let commits = ["git add fixtures", "git commit --quiet --allow-empty --message fixtures"];
    let needs_commit = commands.iter().any(|line| line.split(' ').any(|word| ["git", "apply"].contains(&word)));
    for command in std::iter::once("git init --quiet").chain(commits.into_iter().filter(|_| needs_commit)) {
        assert_eq!(run(command, folder.path()), "");
    }
    folder
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
