//! The arguments of `crd check`, as clap reads them.
//!
//! Invariant: that of `args`.

use std::path::PathBuf;

use clap::Args;

use super::args::OutputArgs;

/// The arguments of `crd check`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reversion crd check crds/v1.4.0 crds/v1.5.0
  reversion crd check --policy gateway-api crds/v1.4.0/standard crds/v1.5.0/standard
  reversion crd check --path config/crd v1.4.0 HEAD
  kubectl get crds -o yaml | reversion crd check - crds/ --policy policy.yaml")]
pub(super) struct CrdCheckArgs {
    /// The CRDs of the old release: a folder or file, or `-`
    #[arg(value_name = "OLD")]
    pub(super) old: PathBuf,
    /// The CRDs of the new release
    #[arg(value_name = "NEW")]
    pub(super) new: PathBuf,
    /// What decides which changes are errors, and which version they need: gateway-api, guideline, kubernetes, nginx, or a file
    #[arg(long, value_name = "POLICY", env = "REVERSION_POLICY", default_value = "kubernetes")]
    pub(super) policy: String,
    /// OLD, NEW and those of --history are references of git, whose CRDs are in this folder or file; NEW can be a path too
    #[arg(long, value_name = "PATH")]
    pub(super) path: Option<PathBuf>,
    /// The CRDs of releases before OLD, the oldest first: for names that were used before, and deprecated versions
    #[arg(long, value_name = "RELEASE", value_delimiter = ',')]
    pub(super) history: Vec<PathBuf>,
    /// The CRDs of the experimental channel of the new release, which must accept all that NEW accepts
    #[arg(long, value_name = "RELEASE")]
    pub(super) experimental: Option<PathBuf>,
    /// The pack, built in or in a folder, whose rules must be about each change that breaks objects
    #[arg(long, value_name = "PACK")]
    pub(super) pack: Option<String>,
    #[command(flatten)]
    pub(super) output: OutputArgs,
    /// Count the findings that FILE lists, and fail because of others only
    #[arg(long, value_name = "FILE", env = "REVERSION_CRD_BASELINE", help_heading = "Acknowledged findings")]
    pub(super) baseline: Option<PathBuf>,
    /// List the findings of this run in FILE, for --baseline
    #[arg(long, value_name = "FILE", conflicts_with = "baseline", help_heading = "Acknowledged findings")]
    pub(super) write_baseline: Option<PathBuf>,
}
