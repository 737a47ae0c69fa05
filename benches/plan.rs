//! Answers: what does an object cost, from its file's bytes to its plan and its diff?
//!
//! The fixtures of every pack are read, inferred, planned and, if they change, shown as a diff, each stage separately on
//! the results of the one before.
//!
//! Invariant: the input of a stage is prepared outside the measured time.

use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

use criterion::{Criterion, Throughput};
use reversion::Canonicalizer;
use reversion::internals::infer::infer;
use reversion::internals::manifest::{self, Manifest, Reading, Recognizer};
use reversion::internals::pack::{Packs, embedded};
use reversion::internals::plan::{Choices, Goal, Surveyor, plan};
use reversion::internals::report::diff::{Paint, unified};

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let packs = embedded::with(Vec::new()).expect("the packs of the program are checked by its tests");
    let texts = fixtures(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures"));
    stages(&mut criterion, &packs, &texts);
    criterion.final_summary();
}

/// Reads the input files of the fixtures.
fn fixtures(folder: &Path) -> Vec<Vec<u8>> {
    let walk = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().filter_map(Result::ok);
    walk.filter(|entry| entry.file_name() == "before.yaml").filter_map(|entry| fs::read(entry.path()).ok()).collect()
}

fn stages(criterion: &mut Criterion, packs: &Packs, texts: &[Vec<u8>]) {
    let recognizer = Recognizer::new(packs.iter().flat_map(|pack| pack.groups()).map(String::as_str));
    let read = |text: &Vec<u8>| match manifest::read("case.yaml", text, &recognizer) {
        Reading::Manifest(manifest) => Some(*manifest),
        Reading::Irrelevant
        | Reading::Kustomization(_)
        | Reading::Triggered(_)
        | Reading::Template(_)
        | Reading::Failed(_) => None,
    };
    let manifests: Vec<Manifest> = texts.iter().filter_map(read).collect();
    let target = packs.target("gateway-api@1.5/standard").expect("the pack has this release");
    let goal = Goal { packs, targets: vec![target], choices: Choices::default() };
    let surveyor = Surveyor::new(packs, &goal.targets);
    let changed = plan(&manifests, &goal).files;

    let mut group = criterion.benchmark_group("object");
    group.sample_size(10).measurement_time(Duration::from_secs(5));
    group.throughput(Throughput::Bytes(texts.iter().map(|text| text.len() as u64).sum()));
    group.bench_function("start", |bencher| bencher.iter(|| embedded::with(Vec::new())));
    let canonicalizer = Canonicalizer::new("gateway-api", "1.5/standard").expect("the pack has this release");
    group.bench_function("canonicalize", |bencher| {
        bencher.iter(|| {
            for object in manifests.iter().flat_map(|manifest| &manifest.objects) {
                let _ = black_box(canonicalizer.convert((*object.value).clone()));
            }
        })
    });
    group.bench_function("read", |bencher| bencher.iter(|| black_box(texts.iter().filter_map(read).count())));
    group.bench_function("infer", |bencher| {
        bencher.iter(|| {
            for object in manifests.iter().flat_map(|manifest| &manifest.objects) {
                let catalog = packs.of_group(&object.kind.group).and_then(|pack| pack.catalog(&object.kind));
                black_box(catalog.map(|catalog| infer(&object.value, catalog, &object.api_version.version)));
            }
        });
    });
    group.bench_function("survey", |bencher| {
        bencher.iter(|| manifests.iter().for_each(|manifest| drop(black_box(surveyor.survey(manifest)))));
    });
    group.bench_function("plan", |bencher| bencher.iter(|| black_box(plan(&manifests, &goal))));
    group.bench_function("diff", |bencher| {
        bencher.iter(|| {
            black_box(
                changed.iter().map(|file| unified(file, Paint::Plain).map_or(0, |text| text.len())).sum::<usize>(),
            )
        });
    });
    group.finish();
}
