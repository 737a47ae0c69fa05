//! Answers: does the fast front end read every text like the exact one?
//!
//! Real manifests, the project's fixtures, generated texts and mutants of all of them go through both.
//! `REVERSION_MUTANTS=500000` sets how many mutants each test makes, `SHARED` the folder of real manifests.
//!
//! Invariant: a text that the scanner accepts has the same tree as granit's events give; granit accepts it too.

#![expect(clippy::print_stderr, reason = "skipped tests and the number of texts are reported")]

mod chance;
mod generate;
mod mutate;

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use chance::Chance;
use reversion::internals::yaml::{parse_exact, scan};

use crate::support::{root, shared, skipped};

/// How many texts each front end accepted.
#[derive(Default)]
struct Tally {
    accepted_by_both: usize,
    handed_over: usize,
    refused_by_both: usize,
    mismatches: usize,
    first_mismatch: Option<String>,
}

impl Tally {
    fn read(&mut self, name: &dyn fmt::Display, text: &str) {
        match (scan(text), parse_exact(text)) {
            (None, Ok(_)) => self.handed_over += 1,
            (None, Err(_)) => self.refused_by_both += 1,
            (Some(fast), Ok(exact)) if fast == exact => self.accepted_by_both += 1,
            (fast, exact) => {
                self.mismatches += 1;
                self.first_mismatch
                    .get_or_insert_with(|| format!("{name}\n{text:?}\n{text}\nfast:  {fast:?}\nexact: {exact:?}"));
            }
        }
    }

    #[track_caller]
    fn check(&self, name: &str) {
        eprintln!(
            "{name}: {} accepted by both, {} handed over, {} refused by both, {} mismatches",
            self.accepted_by_both, self.handed_over, self.refused_by_both, self.mismatches
        );
        assert_eq!(self.first_mismatch, None, "{name}");
        assert!(self.accepted_by_both > 0, "{name}: the scanner accepted nothing");
    }
}

/// Returns the files below a folder in order; none if it does not exist.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let walk = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().filter_map(Result::ok);
    walk.filter(|entry| entry.file_type().is_file()).map(walkdir::DirEntry::into_path).collect()
}

fn texts(files: Vec<PathBuf>) -> impl Iterator<Item = (PathBuf, String)> {
    files.into_iter().filter_map(|path| fs::read_to_string(&path).ok().map(|text| (path, text)))
}

fn fixtures() -> PathBuf {
    root().join("fixtures")
}

#[track_caller]
fn check_files(name: &str, files: Vec<PathBuf>) {
    let mut tally = Tally::default();
    for (path, text) in texts(files) {
        tally.read(&path.display(), &text);
        tally.read(&format_args!("{} with CRLF", path.display()), &text.replace('\n', "\r\n"));
    }
    if tally.accepted_by_both + tally.handed_over + tally.refused_by_both + tally.mismatches == 0 {
        skipped(name);
        return;
    }
    tally.check(name);
}

#[track_caller]
fn check_shared(name: &str) {
    if let Some(folder) = shared(name) {
        check_files(name, files_below(&folder));
    }
}

#[test]
fn shared_pairs() {
    check_shared("pairs");
}

#[test]
fn shared_cases() {
    check_shared("cases");
}

#[test]
fn shared_crds() {
    if let Some(folder) = shared("crds") {
        // Releases repeat most of the ones before them.
        check_files("crds", files_below(&folder).into_iter().step_by(3).collect());
    }
}

#[test]
fn own_fixtures() {
    check_files("own_fixtures", files_below(&fixtures()));
}

/// Texts that together cover the whole scanner; it leaves `anchors` and `directive` to granit.
const SEEDS: &[&str] = &[
    include_str!("seeds/anchors.yaml"),
    include_str!("seeds/block-scalars.yaml"),
    include_str!("seeds/crd.yaml"),
    include_str!("seeds/crlf.yaml"),
    include_str!("seeds/directive.yaml"),
    include_str!("seeds/flow.yaml"),
    include_str!("seeds/json.yaml"),
    include_str!("seeds/lists.yaml"),
    include_str!("seeds/manifest.yaml"),
    include_str!("seeds/many-lines.yaml"),
    include_str!("seeds/shallow.yaml"),
];

fn mutants() -> usize {
    std::env::var("REVERSION_MUTANTS").ok().and_then(|count| count.parse().ok()).unwrap_or(20_000)
}

/// Returns up to 40 lines of a text, so that mutations affect several kinds of lines.
fn excerpt<'t>(text: &'t str, chance: &mut Chance) -> &'t str {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let from = if chance.once_in(2) { 0 } else { chance.below(lines.len()) };
    let start: usize = lines[..from].iter().map(|line| line.len()).sum();
    let length: usize = lines[from..].iter().take(10 + chance.below(30)).map(|line| line.len()).sum();
    &text[start..start + length]
}

#[track_caller]
fn check_mutants(name: &str, texts: &[String]) {
    let mut tally = Tally::default();
    for number in 0..mutants() {
        let mut chance = Chance::new(number as u64);
        let text = &texts[chance.below(texts.len())];
        let mutant = mutate::mutant(excerpt(text, &mut chance), &mut chance);
        tally.read(&format_args!("mutant {number}"), &mutant);
    }
    tally.check(name);
}

#[test]
fn seeds() {
    let mut tally = Tally::default();
    SEEDS.iter().for_each(|text| tally.read(&"seed", text));
    tally.check("seeds");
    assert_eq!((tally.accepted_by_both, tally.handed_over), (SEEDS.len() - 2, 2));
}

#[test]
fn mutants_of_own_texts() {
    let seeds = SEEDS.iter().map(|text| (*text).to_owned());
    let texts: Vec<String> = seeds.chain(texts(files_below(&fixtures())).map(|(_, text)| text)).collect();
    check_mutants("mutants_of_own_texts", &texts);
}

#[test]
fn mutants_of_shared_texts() {
    let texts: BTreeSet<String> = ["pairs", "cases"]
        .iter()
        .filter_map(|name| shared(name))
        .flat_map(|folder| texts(files_below(&folder)))
        .map(|(_, text)| text)
        .collect();
    let texts: Vec<String> = texts.into_iter().filter(|text| !text.is_empty()).collect();
    if texts.is_empty() {
        skipped("mutants_of_shared_texts");
        return;
    }
    check_mutants("mutants_of_shared_texts", &texts);
}

#[test]
fn generated_manifests_and_their_mutants() {
    let mut tally = Tally::default();
    for number in 0..mutants() {
        let mut chance = Chance::new(number as u64);
        let text = generate::manifest(&mut chance);
        tally.read(&format_args!("manifest {number}"), &text);
        tally.read(&format_args!("mutant of manifest {number}"), &mutate::mutant(&text, &mut chance));
    }
    tally.check("generated_manifests_and_their_mutants");
}

#[test]
fn soups_of_tokens() {
    let mut tally = Tally::default();
    for number in 0..mutants() {
        tally.read(&format_args!("soup {number}"), &generate::soup(&mut Chance::new(number as u64)));
    }
    tally.check("soups_of_tokens");
}
