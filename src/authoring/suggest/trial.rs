//! Which of the drafted cases does the drafted pack not fulfil?
//!
//! Such a case is for a person to decide: either the rule is wrong, or what the schemas let expect.

use std::collections::BTreeMap;

use crate::authoring::fixture::of_pack;
use crate::authoring::pack_folder::{FIXTURES, read_files};
use crate::authoring::starter::MARK;
use crate::engine::finding::Code;
use crate::knowledge::pack::Packs;

/// The files of a case that say what is expected, the most telling first.
const EXPECTED: [&str; 3] = ["after.yaml", "findings.txt", "same.yaml"];

/// Marks the cases that fail, in the files of a pack by their paths, as open.
pub(super) fn mark_failing(name: &str, files: &mut BTreeMap<String, String>) {
    let below = |path: &str| path.strip_prefix(FIXTURES)?.strip_prefix('/').map(str::to_owned);
    let cases = files.iter().filter_map(|(path, text)| Some((below(path)?, text.clone()))).collect();
    // `pack lint` says what is wrong with a pack that cannot be read.
    let Ok(packs) = read_files(name, files.clone()).and_then(|pack| Packs::new(vec![pack])) else { return };
    let Ok(pack) = packs.named(name) else { return };
    for case in of_pack(pack, FIXTURES, &cases).cases.iter().filter(|case| !case.is_open()) {
        let Err(failure) = case.run(&packs) else { continue };
        let why = match failure.findings.iter().find(|finding| finding.code == Code::AlreadyInvalid) {
            Some(invalid) => format!("what the example needs besides: {}", invalid.sentence()),
            None => "what becomes of the example, as the rules make something else of it".to_owned(),
        };
        let file = EXPECTED.iter().find(|file| case.file(file).is_some());
        let text = file.and_then(|file| files.get_mut(&case.path(file)));
        text.into_iter().for_each(|text| text.insert_str(0, &format!("# {MARK}: {why}; then remove this line\n")));
    }
}
