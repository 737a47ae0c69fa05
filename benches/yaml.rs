//! Answers: how many bytes per second does each way to parse YAML read, and is the time linear in the size?
//!
//! Each set of files is read in four ways: memchr counting lines (the limit of the memory), granit-parser's events alone,
//! the tree built from them, and the tree built by the scanner. The sets are the project's fixtures and, where
//! `../shared` (or `SHARED`) exists, its CRDs and its small manifests, copied until there are 50 MB of them.
//!
//! Invariant: all four read the same bytes of a set, file by file, and the measured time includes making and dropping the trees.

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput};
use granit_parser::Parser;
use reversion::internals::yaml::{parse_exact, scan};

const MEGABYTE: usize = 1_000_000;

/// The text to measure if the project has no fixtures.
const SAMPLE: &str = "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata:\n  name: store\nspec:\n  parentRefs:\n  - name: gateway\n  rules:\n  - matches:\n    - path: {type: PathPrefix, value: /}\n    backendRefs:\n    - name: store\n      port: 8080\n";

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let shared = std::env::var_os("SHARED").map_or_else(|| root.join("../shared"), PathBuf::from);
    let mut fixtures = texts_below(&root.join("fixtures"));
    fixtures.push(SAMPLE.to_owned());
    readers(&mut criterion, "fixtures", &repeated(&fixtures, 5 * MEGABYTE));
    let crds = texts_below(&shared.join("crds"));
    readers(&mut criterion, "crds", &crds);
    let pairs = texts_below(&shared.join("pairs"));
    readers(&mut criterion, "pairs", &repeated(&pairs, 50 * MEGABYTE));
    sizes(&mut criterion, if pairs.is_empty() { &fixtures } else { &pairs });
    criterion.final_summary();
}

/// Reads the YAML files of a folder in order; none if it does not exist.
fn texts_below(folder: &Path) -> Vec<String> {
    let walk = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().filter_map(Result::ok);
    let is_yaml = |path: &Path| path.extension().is_some_and(|extension| extension == "yaml");
    walk.filter(|entry| is_yaml(entry.path())).filter_map(|entry| fs::read_to_string(entry.path()).ok()).collect()
}

/// Copies texts until they are `size` bytes long together.
fn repeated(texts: &[String], size: usize) -> Vec<String> {
    let mut length = 0;
    let is_missing = |text: &&String| {
        length += text.len();
        length <= size
    };
    texts.iter().cycle().take_while(is_missing).cloned().collect()
}

fn total(texts: &[String]) -> u64 {
    texts.iter().map(|text| text.len() as u64).sum()
}

fn readers(criterion: &mut Criterion, set: &str, texts: &[String]) {
    if texts.is_empty() {
        return;
    }
    let mut group = criterion.benchmark_group(format!("yaml/{set}"));
    group.throughput(Throughput::Bytes(total(texts)));
    group.sample_size(10).measurement_time(Duration::from_secs(5));
    measure(&mut group, "newlines by memchr", texts, |text| memchr::memchr_iter(b'\n', text.as_bytes()).count());
    measure(&mut group, "events by granit", texts, count_events);
    measure(&mut group, "tree by granit", texts, |text| parse_exact(text).map_or(0, |tree| tree.documents().len()));
    measure(&mut group, "tree by scanner", texts, |text| scan(text).map_or(0, |tree| tree.documents().len()));
    group.finish();
}

fn measure(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, texts: &[String], read: impl Fn(&str) -> usize) {
    group.bench_function(name, |bencher| {
        bencher.iter(|| texts.iter().map(|text| read(black_box(text))).sum::<usize>());
    });
}

/// Counts events, with the options the exact front end has.
fn count_events(text: &str) -> usize {
    let options = granit_parser::options! {
        emit_anchor_events: true,
        max_buffered_comment_events: usize::MAX,
    };
    Parser::new_from_str_with_options(text, options).filter_map(Result::ok).count()
}

/// Reads one text of many documents in four sizes: the bytes per second should be the same.
fn sizes(criterion: &mut Criterion, texts: &[String]) {
    let mut group = criterion.benchmark_group("yaml/one text");
    group.sample_size(10).measurement_time(Duration::from_secs(5));
    for size in [MEGABYTE / 10, MEGABYTE, 10 * MEGABYTE, 50 * MEGABYTE] {
        let accepted: Vec<String> = texts.iter().filter(|text| scan(text).is_some()).cloned().collect();
        let text = repeated(&accepted, size).join("\n---\n");
        assert!(scan(&text).is_some(), "the scanner reads what is measured");
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(BenchmarkId::new("tree by scanner", size), |bencher| {
            bencher.iter(|| scan(black_box(&text)).map_or(0, |tree| tree.documents().len()));
        });
    }
    group.finish();
}
