//! reversion re-versions Kubernetes manifests: offline, in place, up or down, exact to the byte.
//!
//! The library is a short pipeline of nouns: bytes become a [`manifest::Manifest`] with its objects, [`infer`] says which
//! releases an object can belong to, [`plan`] takes every object of a run to its target release by the rules of a
//! [`pack::Pack`], [`report`] shows the plan, [`disk`] writes it.
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
