//! Answers: do these bytes have the same content as those?
//!
//! A [`Fingerprint`] identifies content in journals and saved plans, and shows whether a file was edited.
//!
//! Invariant: it is the same in every process, and can be parsed from its text.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The length of a content and its 128-bit FNV-1a hash; written as `12-` and 32 hexadecimal digits.
///
/// It is not cryptographic: a collision can be constructed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Fingerprint {
    length: u64,
    hash: u128,
}

impl Fingerprint {
    /// Takes the fingerprint of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
        const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
        let hash = bytes.iter().fold(OFFSET, |hash, byte| (hash ^ u128::from(*byte)).wrapping_mul(PRIME));
        Self { length: bytes.len() as u64, hash }
    }

    /// Returns whether it is that of no bytes.
    pub const fn is_of_nothing(self) -> bool {
        self.length == 0
    }

    /// Returns the hash alone, as 32 hexadecimal digits.
    pub fn hash_text(self) -> String {
        format!("{:032x}", self.hash)
    }

    /// Returns which of `parts` equal parts the hash is in, from 0; `parts` is not 0.
    pub fn part(self, parts: u32) -> u32 {
        // The lowest bits of this hash depend on the lowest bits of the bytes alone: all bits are mixed first, by a prime.
        const PRIME: u128 = (1 << 61) - 1;
        u32::try_from(self.hash % PRIME % u128::from(parts)).expect("a rest is less than the divisor")
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{:032x}", self.length, self.hash)
    }
}

impl From<Fingerprint> for String {
    fn from(fingerprint: Fingerprint) -> Self {
        fingerprint.to_string()
    }
}

/// A text is not a fingerprint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseFingerprintError(String);

impl fmt::Display for ParseFingerprintError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a fingerprint", self.0.escape_debug())
    }
}

impl std::error::Error for ParseFingerprintError {}

impl FromStr for Fingerprint {
    type Err = ParseFingerprintError;

    fn from_str(text: &str) -> Result<Self, ParseFingerprintError> {
        let read = || {
            let (length, hash) = text.split_once('-')?;
            Some(Self { length: length.parse().ok()?, hash: u128::from_str_radix(hash, 16).ok()? })
        };
        // Printing it again rejects every other spelling: a sign, a leading zero, capital letters.
        read().filter(|read| read.to_string() == text).ok_or_else(|| ParseFingerprintError(text.to_owned()))
    }
}

impl TryFrom<String> for Fingerprint {
    type Error = ParseFingerprintError;

    fn try_from(text: String) -> Result<Self, ParseFingerprintError> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The hashes are those of the FNV authors' test vectors.
    #[test]
    fn fingerprints_are_the_same_in_every_process() {
        assert_eq!(Fingerprint::of(b"").to_string(), "0-6c62272e07bb014262b821756295c58d");
        assert_eq!(Fingerprint::of(b"a").to_string(), "1-d228cb696f1a8caf78912b704e4a8964");
        assert_eq!(Fingerprint::of(b"foobar").to_string(), "6-343e1662793c64bf6f0d3597ba446f18");
    }

    #[test]
    fn only_valid_fingerprints_are_read() {
        let text = "6-343e1662793c64bf6f0d3597ba446f18";
        assert_eq!(text.parse(), Ok(Fingerprint::of(b"foobar")));
        let wrong =
            ["", "6", "6-", "+6-343e1662793c64bf6f0d3597ba446f18", "6-343E1662793C64BF6F0D3597BA446F18", "6-34"];
        for text in wrong {
            assert_eq!(text.parse::<Fingerprint>(), Err(ParseFingerprintError(text.to_owned())));
        }
    }
}
