//! reversion re-versions Kubernetes manifests: offline, in place, up or down, exact to the byte.

pub mod text;

pub mod field;

pub mod release;

pub mod disk;
