//! What the fuzz targets check of a conversion, on the fixtures: the targets themselves need a nightly toolchain.

#[path = "../../fuzz/fuzz_targets/engine/mod.rs"]
mod engine;

use std::fs;

use walkdir::WalkDir;

use crate::support::root;

#[test]
fn fixtures_of_gateway_api_hold_what_the_fuzz_targets_check() {
    let packs = engine::packs();
    let mut converted = 0;
    let files = WalkDir::new(root().join("fixtures/gateway-api")).sort_by_file_name();
    let paths = files.into_iter().map(|entry| entry.unwrap().into_path());
    for path in paths.filter(|path| path.extension().is_some_and(|extension| extension == "yaml")) {
        let bytes = fs::read(&path).unwrap();
        let [_, with_stash, _] = engine::choices();
        let target = packs.target("gateway-api@1.6/experimental").unwrap();
        let Some(manifest) = engine::read(packs, &bytes) else { continue };
        converted += usize::from(engine::convert(packs, target, with_stash, manifest).is_some());
    }
    assert!(converted > 100, "{converted} conversions");
}
