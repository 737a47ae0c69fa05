//! Which documents of a file did SOPS encrypt?
//!
//! Its checksum is over the values of all documents of the file that it wrote, each of which has its metadata. A document without them
//! was added later: `kubectl kustomize` prints encrypted and other documents in one stream.
//!
//! Source: getsops/sops, "Message Authentication Code" in its README, and `stores/yaml`: the metadata is added to each document;
//! `aes/cipher.go`: the format of an encrypted value.

use std::collections::BTreeSet;

use serde_json::Value;

use super::manifest::Manifest;
use super::object::Object;
use crate::syntax::yaml::read_value;

/// The documents of a file that SOPS encrypted: those with the key `sops` that has a `mac`, the checksum.
#[derive(Debug)]
pub(crate) struct Encrypted {
    documents: BTreeSet<usize>,
    is_all: bool,
}

impl Encrypted {
    /// Finds the documents.
    pub(crate) fn of(manifest: &Manifest) -> Self {
        let all = manifest.tree.documents();
        if !manifest.text.contains("mac") {
            return Self { documents: BTreeSet::new(), is_all: all.is_empty() };
        }
        let value = |root| read_value(&manifest.tree, &manifest.text, root).ok();
        let is_encrypted = |root| value(root).is_some_and(|value| has_checksum(&value));
        let found = all.iter().enumerate().filter(|(_, document)| is_encrypted(document.root));
        let documents: BTreeSet<usize> = found.map(|(at, _)| at).collect();
        Self { is_all: documents.len() == all.len(), documents }
    }

    /// Returns whether an object is in one of them.
    pub(crate) fn has(&self, manifest: &Manifest, object: &Object) -> bool {
        let document = object.inline_patch.map_or(object.document, |number| manifest.inline_patches[number].document);
        self.documents.contains(&document)
    }

    /// Returns what is encrypted: the file or the document.
    pub(crate) const fn what(&self) -> &'static str {
        if self.is_all { "file" } else { "document" }
    }
}

/// Returns whether SOPS added its metadata, with the checksum, to a document.
pub(crate) fn has_checksum(document: &Value) -> bool {
    document.get("sops").and_then(|sops| sops.get("mac")).is_some_and(Value::is_string)
}

/// Returns whether SOPS encrypted a value.
pub(crate) fn is_encrypted_value(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.starts_with("ENC[AES256_GCM,"))
}

/// Returns how an encrypted file can be converted.
pub(crate) fn help(file: &str) -> String {
    if file == "-" {
        return "decrypt it first (`sops decrypt FILE | reversion convert - --to TARGET`), and encrypt the result"
            .to_owned();
    }
    format!("decrypt it (`sops decrypt -i {file}`), convert it, and encrypt it again (`sops encrypt -i {file}`)")
}
