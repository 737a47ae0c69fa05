//! Tests that are listed by the project's own files, one for each fixture, page, carrier and rule: `cargo test --test cases fixtures::`.
//!
//! `REVERSION_PACK` is the folder of a pack that replaces the built-in one of the same name.

#![expect(clippy::unwrap_used, reason = "a failed setup fails the test")]

use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};

mod built_in;
mod carriers;
mod fixtures;
mod kustomize;
mod laws;
mod mutants;
mod pages;
#[path = "../support/mod.rs"]
mod support;
mod templates;

/// That of the program; the one of glibc is slower.
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // As for tests of Rust's own harness.
    let threads = std::env::var("RUST_TEST_THREADS").ok().and_then(|threads| threads.parse().ok());
    arguments.test_threads = arguments.test_threads.or(threads);
    let subjects = [
        carriers::trials,
        fixtures::trials,
        kustomize::trials,
        laws::trials,
        mutants::trials,
        pages::trials,
        templates::trials,
    ];
    let conclusion = libtest_mimic::run(&arguments, subjects.into_iter().flat_map(|trials| trials()).collect());
    for print_table in [kustomize::print_table, laws::print_table, mutants::print_table] {
        print_table();
    }
    conclusion.exit_code()
}

/// The test `name` of a subject, which is the name of a module.
fn trial(subject: &str, name: &str, test: impl FnOnce() -> Result<(), Failed> + Send + 'static) -> Trial {
    Trial::test(format!("{subject}::{name}"), test)
}
