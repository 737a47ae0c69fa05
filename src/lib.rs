//! reversion re-versions Kubernetes manifests: offline, in place, forward or backward, exact to the byte.
//!
//! The library is a short pipeline of nouns: bytes become a [`manifest::Manifest`] with its objects, [`infer`] finds the releases
//! that an object can belong to, [`convert`] takes one object to its target release by the rules of a [`pack::Pack`], [`links`] ties
//! the objects of a run together, [`edits`] turns the changes into verified edits of the text, [`plan`] does all that for a run,
//! [`report`] shows the plan, [`disk`] writes it.
//!
//! It does not talk to a cluster, does not render templates, does not reformat, and writes nothing that it has not read
//! back and compared.

pub mod text;

pub mod fingerprint;

pub mod field;

pub mod release;

pub mod disk;

pub mod yaml;

pub mod finding;

pub mod catalog;

pub mod lens;

pub mod manifest;

pub mod pack;

pub mod infer;

pub mod convert;

pub mod links;

pub mod notices;

pub mod edits;

pub mod plan;

pub mod redaction;

pub mod report;

pub mod cli;
