//! Did SOPS encrypt a file?
//!
//! Source: getsops/sops, "Message Authentication Code" in its README, and `stores/yaml`: the metadata is added to each document;
//! `aes/cipher.go`: the format of an encrypted value.

use serde_json::Value;

use super::manifest::Manifest;
use crate::yaml::read_value;

/// Returns whether SOPS encrypted a file: one of its documents has the key `sops` with a `mac`, a checksum over the values of all
/// documents of the file, also over those that are not encrypted.
pub fn is_encrypted(manifest: &Manifest) -> bool {
    if !manifest.text.contains("mac") {
        return false;
    }
    let documents = manifest.tree.documents().iter();
    let values = documents.filter_map(|document| read_value(&manifest.tree, &manifest.text, document.root).ok());
    values.into_iter().any(|value| has_checksum(&value))
}

/// Returns whether SOPS added its metadata, with the checksum, to a document.
pub fn has_checksum(document: &Value) -> bool {
    document.get("sops").and_then(|sops| sops.get("mac")).is_some_and(Value::is_string)
}

/// Returns whether SOPS encrypted a value.
pub fn is_encrypted_value(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.starts_with("ENC[AES256_GCM,"))
}

/// Returns how an encrypted file can be converted.
pub fn help(file: &str) -> String {
    if file == "-" {
        return "decrypt it first (`sops decrypt FILE | reversion convert - --to TARGET`), and encrypt the result"
            .to_owned();
    }
    format!("decrypt it (`sops decrypt -i {file}`), convert it, and encrypt it again (`sops encrypt -i {file}`)")
}
