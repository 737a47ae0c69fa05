//! Answers: what can be typed?
//!
//! The arguments as clap reads them; each subcommand's module turns its own into what it needs.
//!
//! Invariant: every flag has a `REVERSION_*` variable or is a matter of one call only.

use std::path::PathBuf;

use clap::builder::FalseyValueParser;
use clap::{Args, Parser, Subcommand, ValueEnum};

/// Re-versions Kubernetes manifests in place, offline, up or down, exact to the byte.
#[derive(Debug, Parser)]
#[command(name = "reversion", version, max_term_width = 100)]
#[command(
    after_help = "Exit codes: 0 nothing to do or all done; 1 changes needed (check, diff) or something held back; \
2 failed: a bad argument, a file that cannot be read or understood, a failed write; 3 no object was recognised."
)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub(super) command: Command,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Says which releases each object can have been written for, and which field says so
    Detect(DetectArgs),
    /// Says what would change and what would be lost; writes nothing; exit code 1 when there is something
    Check(ConvertArgs),
    /// Prints what would change as a unified diff that `git apply` takes; writes nothing
    Diff(ConvertArgs),
    /// Writes the changes: all files or none
    Apply(ApplyArgs),
    /// Saves the changes for a later `apply --plan`; writes nothing else
    Plan(PlanArgs),
    /// Prints a saved plan as a unified diff, with its findings; also one that is stale
    Show(ShowArgs),
    /// Takes back the last apply, or one that was stopped half-way: all files or none
    Undo(UndoArgs),
    /// Converts standard input to standard output: `kubectl get -o yaml ... | reversion convert - --to ...`
    Convert(StreamArgs),
    /// Explains a rule, the code of a finding or an operation
    Explain(ExplainArgs),
    /// Lists packs, their releases, kinds and served apiVersions
    Releases(ReleasesArgs),
    /// Lists every change between two releases, with what it costs in each direction
    Matrix(MatrixArgs),
    /// For authors of packs
    #[command(subcommand)]
    Pack(PackCommand),
}

/// The subcommands of `pack`.
#[derive(Debug, Subcommand)]
pub(super) enum PackCommand {
    /// Writes the catalogs of a pack from a folder of CRDs: CRDS/RELEASE/CHANNEL/*.yaml or CRDS/RELEASE/*.yaml
    Build(BuildArgs),
    /// Says what is incomplete or contradictory in a pack; exit code 1 when something is
    Lint(LintArgs),
}

/// Which files are read.
#[derive(Debug, Args)]
#[command(next_help_heading = "Files")]
pub(super) struct FileArgs {
    /// Files and folders; `-` is standard input
    #[arg(default_value = ".", help_heading = "Arguments")]
    pub(super) paths: Vec<PathBuf>,
    /// Do not respect .gitignore, .ignore and .reversionignore
    #[arg(long, env = "REVERSION_NO_IGNORE", value_parser = FalseyValueParser::new())]
    pub(super) no_ignore: bool,
    /// Read hidden files and folders too
    #[arg(long, env = "REVERSION_HIDDEN", value_parser = FalseyValueParser::new())]
    pub(super) hidden: bool,
    /// Follow symbolic links
    #[arg(long, env = "REVERSION_FOLLOW", value_parser = FalseyValueParser::new())]
    pub(super) follow: bool,
    /// Only files that match; `!GLOB` leaves out
    #[arg(long, value_name = "GLOB", env = "REVERSION_GLOB", value_delimiter = ',')]
    pub(super) glob: Vec<String>,
    /// Read files with this extension besides .yaml, .yml and .json
    #[arg(long, value_name = "EXT", env = "REVERSION_EXTENSION", value_delimiter = ',')]
    pub(super) extension: Vec<String>,
    /// Read the list of files from FILE, or from standard input with `-`; one a line, or separated by NUL
    #[arg(long, value_name = "FILE")]
    pub(super) files_from: Option<PathBuf>,
    /// List every skipped file with its reason on standard error
    #[arg(long)]
    pub(super) inspect: bool,
    /// Number of threads, at most 64; 0 takes what the machine has
    #[arg(
        short = 'j',
        long,
        value_name = "N",
        env = "REVERSION_THREADS",
        default_value_t = 0,
        hide_default_value = true
    )]
    #[arg(value_parser = clap::value_parser!(u16).range(0..=64))]
    pub(super) threads: u16,
}

/// Where releases are known from.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options")]
pub(super) struct PackArgs {
    /// Add the pack in this folder, or replace the built-in one of that name
    #[arg(long = "pack", value_name = "DIR", env = "REVERSION_PACK", value_delimiter = ',')]
    pub(super) packs: Vec<PathBuf>,
}

/// What is printed.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(super) struct OutputArgs {
    /// The format of the report
    #[arg(long, value_enum, default_value_t = Format::Text, env = "REVERSION_FORMAT")]
    pub(super) format: Format,
    /// Write the report to FILE instead of standard output
    #[arg(long, value_name = "FILE", env = "REVERSION_OUTPUT_FILE")]
    pub(super) output_file: Option<PathBuf>,
    /// Colours
    #[arg(long, value_enum, default_value_t = Colour::Auto, env = "REVERSION_COLOR")]
    pub(super) color: Colour,
    /// Print only what holds back or fails, and the summary
    #[arg(short, long, env = "REVERSION_QUIET", conflicts_with = "verbose", value_parser = FalseyValueParser::new())]
    pub(super) quiet: bool,
    /// Print notes too
    #[arg(short, long, env = "REVERSION_VERBOSE", value_parser = FalseyValueParser::new())]
    pub(super) verbose: bool,
    /// Exit with 0 instead of 3 where no object was recognised
    #[arg(long, env = "REVERSION_ALLOW_EMPTY", value_parser = FalseyValueParser::new())]
    pub(super) allow_empty: bool,
    /// Exit with 0 whatever the report says; 2 stays 2
    #[arg(long, env = "REVERSION_EXIT_ZERO", value_parser = FalseyValueParser::new())]
    pub(super) exit_zero: bool,
}

/// The formats of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// Lines for people
    Text,
    /// One JSON document, with the RFC 6902 patch of each object
    Json,
    /// Workflow commands for GitHub Actions, and the step summary
    Github,
}

/// When colours are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Colour {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// Where to, and what may be lost on the way.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options")]
pub(super) struct TargetArgs {
    /// The release to go to, up or down: PACK@BUNDLE/CHANNEL, such as gateway-api@1.4/standard; once for each pack
    #[arg(long, value_name = "TARGET", env = "REVERSION_TO", value_delimiter = ',')]
    pub(super) to: Vec<String>,
    /// The release that the objects come from: PACK@BUNDLE; some defaults changed without a trace in the fields
    #[arg(long, value_name = "RELEASE", env = "REVERSION_FROM", value_delimiter = ',')]
    pub(super) from: Vec<String>,
    /// Say what no file shows, such as ngf.namespace=nginx-gateway; `reversion releases PACK` lists what can be said
    #[arg(long, value_name = "NAME=VALUE", env = "REVERSION_SET", value_delimiter = ',')]
    pub(super) set: Vec<String>,
    /// Mend known mistakes, such as fields that only a project's documentation had
    #[arg(long, env = "REVERSION_REPAIR", value_parser = FalseyValueParser::new())]
    pub(super) repair: bool,
    /// Take targets that are not made for each other
    #[arg(long, env = "REVERSION_UNPAIRED", value_parser = FalseyValueParser::new())]
    pub(super) unpaired: bool,
    /// Convert although something is lost: every loss, or only those of these codes
    #[arg(long, value_name = "CODE,...", env = "REVERSION_ALLOW_LOSS", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "all", value_delimiter = ',')]
    pub(super) allow_loss: Vec<String>,
    /// Keep lost values in the annotation reversion.dev/stash of their object, for the way back
    #[arg(long, env = "REVERSION_STASH")]
    pub(super) stash: bool,
    /// Check the result with the CRDs in this folder instead of the target's catalogs; without --to they name the target
    #[arg(long, value_name = "DIR", env = "REVERSION_CRDS")]
    pub(super) crds: Option<PathBuf>,
    /// Keep an object's apiVersion while the target serves it and has not deprecated it
    #[arg(long, env = "REVERSION_KEEP_API_VERSION", value_parser = FalseyValueParser::new())]
    pub(super) keep_api_version: bool,
}

/// The arguments of `detect`.
#[derive(Debug, Args)]
pub(super) struct DetectArgs {
    #[command(flatten)]
    pub(super) files: FileArgs,
    #[command(flatten)]
    pub(super) packs: PackArgs,
    #[command(flatten)]
    pub(super) output: OutputArgs,
}

/// The arguments of `check` and `diff`.
#[derive(Debug, Args)]
pub(super) struct ConvertArgs {
    #[command(flatten)]
    pub(super) target: TargetArgs,
    #[command(flatten)]
    pub(super) files: FileArgs,
    #[command(flatten)]
    pub(super) packs: PackArgs,
    #[command(flatten)]
    pub(super) output: OutputArgs,
}

/// The arguments of `apply`.
#[derive(Debug, Args)]
pub(super) struct ApplyArgs {
    #[command(flatten)]
    pub(super) convert: ConvertArgs,
    /// Do not ask
    #[arg(short, long)]
    pub(super) yes: bool,
    /// Print the diff of what is written
    #[arg(long)]
    pub(super) diff: bool,
    /// Write what this saved plan says, in the folder that it was made in; refused where a file changed since
    #[arg(long, value_name = "FILE", conflicts_with_all = ["paths", "to", "files_from"])]
    pub(super) plan: Option<PathBuf>,
    /// Finish an apply that was stopped half-way
    #[arg(long, conflicts_with_all = ["plan", "to", "files_from"])]
    pub(super) resume: bool,
    #[command(flatten)]
    pub(super) guard: GuardArgs,
}

/// What may be written although it could not be brought back.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Options")]
pub(super) struct GuardArgs {
    /// Write files that have uncommitted changes or that git does not know
    #[arg(long, env = "REVERSION_ALLOW_DIRTY", value_parser = FalseyValueParser::new())]
    pub(super) allow_dirty: bool,
    /// Write files although git cannot say whether they are committed: no repository, or no git
    #[arg(long, env = "REVERSION_ALLOW_NO_VCS", value_parser = FalseyValueParser::new())]
    pub(super) allow_no_vcs: bool,
}

/// The arguments of `plan`.
#[derive(Debug, Args)]
pub(super) struct PlanArgs {
    #[command(flatten)]
    pub(super) convert: ConvertArgs,
    /// Save the plan in FILE; `-` is standard output
    #[arg(short = 'o', long = "out", value_name = "FILE")]
    pub(super) out: PathBuf,
}

/// The arguments of `show`.
#[derive(Debug, Args)]
pub(super) struct ShowArgs {
    /// The saved plan
    pub(super) plan: PathBuf,
    #[command(flatten)]
    pub(super) output: OutputArgs,
}

/// The arguments of `undo`.
#[derive(Debug, Args)]
pub(super) struct UndoArgs {
    /// A path in the tree that was written
    #[arg(default_value = ".")]
    pub(super) path: PathBuf,
    /// List what can be taken back, the last one first
    #[arg(long)]
    pub(super) list: bool,
    /// Leave files that changed since as they are, and take the others back
    #[arg(long)]
    pub(super) skip_changed: bool,
}

/// The arguments of `convert`.
#[derive(Debug, Args)]
pub(super) struct StreamArgs {
    /// `-`, standard input
    #[arg(value_parser = ["-"], required = true)]
    pub(super) input: String,
    #[command(flatten)]
    pub(super) target: TargetArgs,
    #[command(flatten)]
    pub(super) packs: PackArgs,
    /// Print only what holds back or fails, and the summary
    #[arg(short, long, env = "REVERSION_QUIET", value_parser = FalseyValueParser::new())]
    pub(super) quiet: bool,
    /// Exit with 0 instead of 3 where no object was recognised
    #[arg(long, env = "REVERSION_ALLOW_EMPTY", value_parser = FalseyValueParser::new())]
    pub(super) allow_empty: bool,
}

/// The arguments of `explain`.
#[derive(Debug, Args)]
pub(super) struct ExplainArgs {
    /// A rule (its whole id or its last part), the code of a finding, or an operation
    pub(super) term: String,
    #[command(flatten)]
    pub(super) packs: PackArgs,
}

/// The arguments of `releases`.
#[derive(Debug, Args)]
pub(super) struct ReleasesArgs {
    /// The pack; without it, a line for each
    pub(super) pack: Option<String>,
    #[command(flatten)]
    pub(super) packs: PackArgs,
}

/// The arguments of `pack build`.
#[derive(Debug, Args)]
pub(super) struct BuildArgs {
    /// The pack's folder, with its pack.yaml
    pub(super) pack: PathBuf,
    /// The folder of CRDs
    pub(super) crds: PathBuf,
    /// Write nothing; exit code 1 where the files differ
    #[arg(long)]
    pub(super) check: bool,
}

/// The arguments of `pack lint`.
#[derive(Debug, Args)]
pub(super) struct LintArgs {
    /// The pack's folder, or the name of a built-in one
    pub(super) pack: String,
    /// Check that every rule has its fixtures in this folder: DIR/PACK/BUNDLE/RULE/CASE/*.yaml
    #[arg(long, value_name = "DIR")]
    pub(super) fixtures: Option<PathBuf>,
    #[command(flatten)]
    pub(super) packs: PackArgs,
}

/// The arguments of `matrix`.
#[derive(Debug, Args)]
pub(super) struct MatrixArgs {
    /// The pack
    pub(super) pack: String,
    /// The release to come from: BUNDLE/CHANNEL, such as v1.3.0/experimental
    #[arg(long, value_name = "RELEASE")]
    pub(super) from: String,
    /// The release to go to
    #[arg(long, value_name = "RELEASE")]
    pub(super) to: String,
    /// The format of the list
    #[arg(long, value_enum, default_value_t = MatrixFormat::Text)]
    pub(super) format: MatrixFormat,
    #[command(flatten)]
    pub(super) packs: PackArgs,
}

/// The formats of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum MatrixFormat {
    /// Lines for people
    Text,
    /// One JSON document
    Json,
}
