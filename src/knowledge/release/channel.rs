//! Answers: what is a channel called, and how is it read?
//!
//! Invariant: a name of a channel can be part of a target and of a printed set.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Deserializer};

/// A stability channel that a project publishes a bundle in, such as `standard` or `edge`.
///
/// Of a bundle that is published without channels it is [`Channel::SINGLE`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Channel(Option<Arc<str>>);

impl Channel {
    /// The only channel of a bundle without channels; no other one has its name.
    pub const SINGLE: Self = Self(None);

    /// Returns the channel's name as written in a target.
    pub fn name(&self) -> &str {
        self.0.as_deref().unwrap_or("single")
    }

    /// Makes the channel that is called `text`.
    ///
    /// # Errors
    /// A message where a target or a set of releases could not name it.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text == Self::SINGLE.name() {
            return Ok(Self::SINGLE);
        }
        if text.is_empty() || text == NO_RELEASE || text.contains("..") || has_delimiter(text) {
            return Err(format!("`{text}` is not the name of a channel: write one without {DELIMITERS} or `..`"));
        }
        Ok(Self(Some(text.into())))
    }
}

impl fmt::Display for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Channel {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

/// What neither the name of a channel nor that of a bundle contains, for messages.
pub(super) const DELIMITERS: &str = "white space, `/`, `@`, `,`";

pub(super) fn has_delimiter(name: &str) -> bool {
    name.contains(|character: char| character.is_whitespace() || character.is_control() || "/@,".contains(character))
}

/// How a set without a release is printed.
pub(super) const NO_RELEASE: &str = "none";
