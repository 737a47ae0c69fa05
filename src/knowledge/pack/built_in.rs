//! Answers: which packs are in the program, and which carriers do they describe?
//!
//! The build script lists every pack under `rules/`. What is YAML in them was made JSON when the program was built.
//!
//! Invariant: what the build script says of rules and catalogs is what they say themselves; a test compares the two.

use std::collections::BTreeMap;
use std::iter;
use std::sync::{Arc, LazyLock, OnceLock};

use miniz_oxide::inflate::decompress_slice_iter_to_slice;

use super::rules::SchemaRule;
use crate::knowledge::carrier::CarrierFile;
use crate::knowledge::catalog::{Catalog, StoredText};
use crate::knowledge::release::{ApiVersion, ReleaseLine};

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// Why nothing of these packs can be wrong while the program runs.
pub(crate) const TESTED: &str = "tests read everything of the packs of the program";

/// A pack in the program.
#[derive(Debug)]
pub(crate) struct BuiltInPack {
    pub(crate) name: &'static str,
    /// What every run reads of `pack.yaml`, as JSON.
    pub(crate) head: &'static str,
    /// The rest of `pack.yaml`, as JSON.
    pub(crate) rest: &'static str,
    /// Whether it describes carriers, and has no releases.
    pub(crate) is_carriers_alone: bool,
    /// The rules about CRDs that read their schemas.
    pub(crate) rules_about_schemas: &'static [BuiltInSchemaRule],
    /// `carriers.yaml`, as JSON.
    carriers: Option<&'static str>,
    /// The kinds that its rules name.
    pub(crate) rule_kinds: &'static [&'static str],
    /// The charts whose values its rules and advisories are about.
    pub(crate) charts_read: &'static [&'static str],
    /// The packs with releases that its own belong to.
    pub(crate) companions: &'static [&'static str],
    /// The API groups that defaults in its catalogs can name.
    pub(crate) default_groups: &'static [&'static str],
    /// Sorted by path.
    pub(crate) files: &'static [BuiltInFile],
}

/// What every run needs of a rule about CRDs that reads their schemas.
#[derive(Debug)]
pub(crate) struct BuiltInSchemaRule {
    bundle: &'static str,
    /// Two, or none.
    api_versions: &'static [&'static str],
}

impl BuiltInSchemaRule {
    pub(crate) fn rule(&self) -> SchemaRule<'static> {
        let api_versions = <[&str; 2]>::try_from(self.api_versions).ok();
        SchemaRule { bundle: self.bundle, api_versions: api_versions.map(|both| both.map(ApiVersion::parse)) }
    }
}

/// A file of a pack in the program.
#[derive(Debug)]
pub(crate) struct BuiltInFile {
    /// Its path in the folder of the pack.
    pub(crate) path: &'static str,
    stored: Stored,
    /// The same as JSON, where it is a rule.
    pub(crate) json: Option<&'static str>,
}

/// The text of a file, as the program has it.
#[derive(Debug)]
enum Stored {
    Plain(&'static str),
    /// A catalog: its number among those of all packs, where it is in them, how long it is, and what is before its fields.
    Compressed {
        number: usize,
        start: usize,
        end: usize,
        length: usize,
        head: &'static str,
    },
}

impl BuiltInFile {
    /// Returns the text.
    pub(crate) fn text(&self) -> &'static str {
        match &self.stored {
            Stored::Plain(text) => text,
            Stored::Compressed { number, start, end, length, .. } => READ[*number].get_or_init(|| {
                let mut bytes = vec![0; *length];
                let compressed = iter::once(&COMPRESSED[*start..*end]);
                decompress_slice_iter_to_slice(&mut bytes, compressed, false, true).expect(COMPRESSED_TEXT);
                String::from_utf8(bytes).expect(COMPRESSED_TEXT)
            }),
        }
    }

    /// Returns the catalog that it is.
    ///
    /// # Errors
    /// As [`Catalog::open`].
    pub(super) fn catalog(&'static self, line: &Arc<ReleaseLine>) -> Result<Catalog, String> {
        let head = match &self.stored {
            Stored::Plain(text) => text,
            Stored::Compressed { head, .. } => head,
        };
        Catalog::open(head, self, line)
    }
}

impl StoredText for BuiltInFile {
    fn text(&self) -> &'static str {
        self.text()
    }
}

/// Why what is read of the compressed texts is what was written.
const COMPRESSED_TEXT: &str = "the build script compressed a text";

/// Returns the packs, sorted by name.
pub(crate) fn packs() -> &'static [BuiltInPack] {
    PACKS
}

/// Returns whether a pack of the program has a rule, named as below the pack's folder.
pub(crate) fn is_built_in(pack: &str, rule: &str) -> bool {
    let is_file = |file: &BuiltInFile| file.path.strip_suffix(".yaml") == Some(rule) && file.json.is_some();
    PACKS.iter().any(|built_in| built_in.name == pack && built_in.files.iter().any(is_file))
}

/// Returns the carriers that the packs describe, by the name of the pack.
pub(crate) fn carriers() -> &'static BTreeMap<&'static str, CarrierFile> {
    static BY_PACK: LazyLock<BTreeMap<&str, CarrierFile>> = LazyLock::new(|| {
        let written = PACKS.iter().filter_map(|pack| Some((pack.name, pack.carriers?)));
        written.map(|(name, json)| (name, serde_json::from_str(json).expect(TESTED))).collect()
    });
    &BY_PACK
}
