//! Answers: which files of packs are in the program, and which carriers do they describe?
//!
//! The build script lists every file under `rules/`; what is YAML in them was made JSON when the program was built, since every start
//! reads it.
//!
//! Invariant: carriers are read once.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::pack::PackFiles;
use crate::carrier::CarrierFile;

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// The file of a pack that describes carriers.
pub(super) const CARRIERS: &str = "carriers.yaml";

/// Files of a pack whose YAML is there as JSON too: path and JSON.
pub(super) type Prepared = BTreeMap<&'static str, &'static str>;

/// Returns the files of each pack built into the program, and the same as JSON where they are YAML.
pub(super) fn files() -> BTreeMap<&'static str, (PackFiles, Prepared)> {
    let mut packs: BTreeMap<&str, (PackFiles, Prepared)> = BTreeMap::new();
    for (path, text, json) in FILES {
        if let Some((pack, path)) = path.split_once('/') {
            let (files, prepared) = packs.entry(pack).or_default();
            files.insert(path.to_owned(), Cow::Borrowed(text));
            prepared.extend(json.map(|json| (path, json)));
        }
    }
    packs
}

/// Returns the carriers that the packs of the program describe, by the name of the pack.
pub(super) fn carriers() -> &'static BTreeMap<&'static str, CarrierFile> {
    static BY_PACK: LazyLock<BTreeMap<&str, CarrierFile>> = LazyLock::new(|| {
        let files = FILES.iter().filter_map(|(path, _, json)| {
            let (pack, file) = path.split_once('/')?;
            let json = json.filter(|_| file == CARRIERS)?;
            Some((pack, serde_json::from_str(json).expect("a test reads the carriers of every pack")))
        });
        files.collect()
    });
    &BY_PACK
}
