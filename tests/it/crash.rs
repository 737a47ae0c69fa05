//! The program is killed at random moments of an apply and of an undo; after recovery its tree must be all old or all new. Other
//! programs save files while it runs: no save is lost.
//!
//! One test kills after a random time, the other one, if strace is installed, before each system call that changes something on the
//! disk. `REVERSION_KILLS` sets how often; the default is 20 times. Some kills happen at any moment from the start on, others once
//! the run has started to stage, keep or replace files, when more can break. How many trees were found untouched,
//! mixed and complete is printed (`--nocapture`).

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a failed setup fails the test; the observed states are reported"
)]

use std::path::PathBuf;
use std::process::Child;
use std::time::{Duration, Instant};

use crate::support::trees::{OLD, Tree, new_text, old_text};

/// The files of the tree.
const FILES: usize = 20;

/// Evenly distributed numbers, the same in every run (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }
}

/// The states of trees after a kill: how many files were new, and whether temporary files were left.
#[derive(Default, Debug)]
struct Found {
    all_old: usize,
    all_old_with_staged: usize,
    mixed: usize,
    all_new: usize,
    all_new_with_staged: usize,
}

impl Found {
    fn count(&mut self, tree: &Tree) {
        let contents = tree.contents();
        let is_new = |(path, content): &(&PathBuf, &Vec<u8>)| {
            path.extension().is_some_and(|end| end == "yaml") && **content == new_text(0).into_bytes()
        };
        let new = contents.iter().filter(is_new).count();
        let counter = match (new, contents.len() > FILES) {
            (0, false) => &mut self.all_old,
            (0, true) => &mut self.all_old_with_staged,
            (FILES, false) => &mut self.all_new,
            (FILES, true) => &mut self.all_new_with_staged,
            _ => &mut self.mixed,
        };
        *counter += 1;
    }
}

/// The state of all files; `None` if they are mixed, or temporary files were left.
fn side(tree: &Tree) -> Option<&'static str> {
    let found = tree.contents();
    [("old", tree.state(old_text)), ("new", tree.state(new_text))]
        .into_iter()
        .find_map(|(side, state)| (found == state).then_some(side))
}

const APPLY: [&str; 5] = ["apply", "--yes", "--allow-no-vcs", "--plan", "up.plan"];

/// When a run is killed.
#[derive(Clone, Copy, Debug)]
enum Moment {
    /// At any moment.
    Any,
    /// Once the journal has its record.
    Begun,
    /// Once all old content is kept.
    Kept,
    /// Once the first file is replaced.
    Replacing,
}

impl Moment {
    fn is_there(self, tree: &Tree, first: u64) -> bool {
        match self {
            Self::Any => true,
            Self::Begun => tree.path(".reversion/journal/record.json").exists(),
            Self::Kept => tree.path(&format!(".reversion/journal/{}", FILES - 1)).exists(),
            Self::Replacing => length_of_the_first(tree) != first,
        }
    }

    /// The longest time to wait from then on.
    fn then(self, longest: Duration) -> Duration {
        match self {
            Self::Any => longest,
            Self::Begun | Self::Kept => longest / 10,
            Self::Replacing => longest / 1000,
        }
    }
}

/// Returns the length of the file that is replaced first.
fn length_of_the_first(tree: &Tree) -> u64 {
    std::fs::metadata(tree.path("0.yaml")).unwrap().len()
}

/// Starts a run and kills it.
fn kill(tree: &Tree, arguments: &[&str], numbers: &mut Numbers, longest: Duration) {
    let moments = [Moment::Any, Moment::Begun, Moment::Kept, Moment::Replacing, Moment::Replacing, Moment::Replacing];
    let moment = moments[usize::try_from(numbers.below(6)).unwrap()];
    let first = length_of_the_first(tree);
    let mut run = tree.start(arguments);
    let is_over = |run: &mut Child| run.try_wait().unwrap().is_some();
    while !moment.is_there(tree, first) && !is_over(&mut run) {
        std::hint::spin_loop();
    }
    let most = u64::try_from(moment.then(longest).as_micros()).unwrap().max(1);
    let until = Instant::now() + Duration::from_micros(numbers.below(most));
    while Instant::now() < until {
        std::hint::spin_loop();
    }
    // A run that has ended cannot be killed.
    let _over = run.kill();
    run.wait().unwrap();
}

/// Finishes the killed run; all files must be old, or all new.
#[track_caller]
fn finish(tree: &Tree, kill: usize) {
    let resumed = tree.run(&["apply", "--resume"]);
    assert!(side(tree).is_some(), "kill {kill}: {:?}\n{}", tree.contents().keys(), resumed.err);
}

/// Undoes the killed or finished run; all files must be old.
#[track_caller]
fn undo(tree: &Tree, kill: usize) {
    let undone = tree.run(&["undo"]);
    assert_eq!(undone.code, Some(0), "kill {kill}: {}", undone.err);
    assert_eq!(side(tree), Some("old"), "kill {kill}: {}", undone.err);
}

fn kills() -> Option<usize> {
    std::env::var("REVERSION_KILLS").ok().map(|text| text.parse().unwrap())
}

/// The system calls that change or flush something on the disk, each with its names on different machines.
const CALLS: [&str; 9] = [
    "?rename,?renameat,?renameat2",
    "?link,?linkat",
    "?unlink,?unlinkat,?rmdir",
    "?mkdir,?mkdirat",
    "?write,?pwrite64",
    "?fsync,?fdatasync",
    "?syncfs",
    "?fchmod",
    "?fchown",
];

#[test]
fn a_run_killed_before_any_call_ends_all_old_or_all_new() {
    let tree = Tree::new(FILES);
    tree.plan("up.plan", &tree.edits(OLD, &new_text(0)));
    let strace = ["strace", "-qq", "-o", "/dev/null", "-e"];
    if !tree.ends_under(&[&strace[..], &["trace=none"]].concat(), &["--version"]) {
        return println!(
            "skipped: a_run_killed_before_any_call_ends_all_old_or_all_new: no strace, or it may not trace"
        );
    }
    // Without `REVERSION_KILLS`, one call in seven is enough.
    let step = if kills().is_some() { 1 } else { 7 };
    for run in [&APPLY[..], &["undo"]] {
        let mut found = Found::default();
        for (call, resumes) in CALLS.into_iter().flat_map(|call| [(call, false), (call, true)]) {
            for number in (1..).step_by(step) {
                if run == ["undo"] {
                    tree.run(&APPLY).check(0);
                }
                let inject = format!("inject={call}:signal=KILL:when={number}");
                let ended = tree.ends_under(&[&strace[..], &[&inject]].concat(), run);
                found.count(&tree);
                if resumes {
                    finish(&tree, number);
                }
                undo(&tree, number);
                if ended {
                    break;
                }
            }
        }
        assert!(found.mixed > 0, "{found:?}");
        println!("killed in front of a call of `{}`: {found:?}", run[0]);
    }
}

#[test]
fn a_run_killed_at_any_time_ends_all_old_or_all_new() {
    let kills = kills().unwrap_or(20);
    let tree = Tree::new(FILES);
    tree.plan("up.plan", &tree.edits(OLD, &new_text(0)));
    let mut numbers = Numbers(1);
    let start = Instant::now();
    tree.run(&APPLY).check(0);
    let longest = start.elapsed();
    tree.run(&["undo"]).check(0);
    let mut found = [Found::default(), Found::default()];
    for kill_number in 0..kills {
        let undoes = kill_number % 2 == 1;
        if undoes {
            tree.run(&APPLY).check(0);
        }
        kill(&tree, if undoes { &["undo"] } else { &APPLY }, &mut numbers, longest);
        found[usize::from(undoes)].count(&tree);
        if numbers.below(2) == 0 {
            finish(&tree, kill_number);
        }
        undo(&tree, kill_number);
    }
    println!("killed in an apply: {:?}; in an undo: {:?}", found[0], found[1]);
}

/// Saves a file as another program does: by a rename, or in place.
fn save(tree: &Tree, name: &str, by_rename: bool) {
    let path = tree.path(name);
    if by_rename {
        std::fs::write(tree.path("saved"), "saved").unwrap();
        std::fs::rename(tree.path("saved"), path).unwrap();
    } else {
        std::fs::write(path, "saved").unwrap();
    }
}

#[test]
fn a_file_saved_while_a_run_writes_is_not_lost() {
    let many = 200;
    let (first, last) = (".reversion/journal/0", format!(".reversion/journal/{}", many - 1));
    let moments = [".reversion/journal/record.json", first, &*last];
    let mut refused = 0;
    for (moment, by_rename, undoes) in
        moments.into_iter().flat_map(|moment| [(moment, true, false), (moment, false, false), (moment, true, true)])
    {
        let tree = Tree::new(many);
        tree.plan("up.plan", &tree.edits(OLD, &new_text(0)));
        if undoes {
            tree.run(&APPLY).check(0);
        }
        let mut run = tree.start(if undoes { &["undo"] } else { &APPLY });
        while !tree.path(moment).exists() && run.try_wait().unwrap().is_none() {
            std::hint::spin_loop();
        }
        // The file that is replaced last, in the order of paths.
        save(&tree, "99.yaml", by_rename);
        let code = run.wait().unwrap().code();
        assert_eq!(
            tree.text("99.yaml"),
            "saved",
            "{moment}, by rename: {by_rename}, undo: {undoes}, exit code {code:?}"
        );
        let mut others = tree.contents();
        others.remove(&tree.path("99.yaml"));
        let is_all = |text: fn(usize) -> String| {
            let mut state = tree.state(text);
            state.remove(&tree.path("99.yaml"));
            others == state
        };
        assert!(is_all(if (code == Some(0)) == undoes { old_text } else { new_text }), "{moment}, exit code {code:?}");
        refused += usize::from(code == Some(2));
    }
    println!("{refused} of 9 runs were refused, the others were over before the file was saved");
}
