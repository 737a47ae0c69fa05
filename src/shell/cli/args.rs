//! The arguments as clap reads them; each subcommand's module reads its own.
//!
//! Invariant: every flag has a `REVERSION_*` variable or matters for one call only.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};

use super::arg_values::{namespace, pack_source, switch, threads, word};
use super::config_file::{ConfigFile, SettingsFiles};
pub(super) use super::output_args::{Colour, Format, OutputArgs};
use super::pack_source::PackSource;
use crate::knowledge::pack::crds::from_crds::Move;
use crate::shell::disk::Shard;

/// Converts Kubernetes manifests between releases of their APIs: in place, offline, in both directions, byte for byte.
#[derive(Debug, Parser)]
#[command(name = "reversion", version, max_term_width = 100)]
#[command(after_help = "\
Examples:
  reversion detect                      # which releases are these files for?
  reversion check --to gateway-api@1.4  # what would change?
  reversion apply --to gateway-api@1.4  # change it
  reversion undo                        # revert it

Exit codes:
  0  nothing to do, or all done
  1  changes are needed (check, diff), an object was held back, something is
     unresolved, or a file was left out
  2  failed: a bad argument, a file that cannot be read, parsed or written
  3  no object was recognized

`reversion explain WORD` explains a word of the output; reversion.toml and
`REVERSION_*` variables set flags.")]
pub(super) struct Cli {
    #[command(subcommand)]
    pub(super) command: Command,
    /// Where settings come from, if that is to be printed.
    #[arg(skip)]
    pub(super) settings: Option<String>,
    /// Whether little is to be printed.
    #[arg(skip)]
    pub(super) is_quiet: bool,
}

/// The help of `fn`.
const FUNCTION_HELP: &str = "\
Convert the ResourceList on standard input, as a KRM function for kustomize and kpt.

The items are converted, and the list is written to standard output with `results`. What to do is in its functionConfig, a ConfigMap:

  apiVersion: v1
  kind: ConfigMap
  metadata: {name: reversion}
  data:
    to: gateway-api@1.4/standard   # also from, set, allow-loss; lists are separated by commas
    stash: \"true\"                  # also repair, keep-api-version, unpaired, exit-zero

or an object with the same in camel case: apiVersion reversion.dev/v1alpha1, kind Reversion, `spec: {to: [gateway-api@1.4]}`.

An object that is held back is left unchanged, and the exit code is 1 unless `exit-zero` is set. Other failures: 2.";

/// The subcommands.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Tell what is old in each API, and the command that brings it up to date
    Detect(DetectArgs),
    /// List what would change and what would be lost; write nothing
    Check(CheckArgs),
    /// Print what would change as a unified diff for `git apply`; write nothing
    Diff(DiffArgs),
    /// Write the changes: all files or none
    Apply(ApplyArgs),
    /// Save the changes in a file, for `show` and `apply --plan`
    Plan(PlanArgs),
    /// Print a saved plan as a diff with its findings, or as a report
    Show(ShowArgs),
    /// Revert the last apply: all files or none
    Undo(UndoArgs),
    /// Convert standard input to standard output
    Convert(StreamArgs),
    /// Convert the ResourceList on standard input, as a KRM function for kustomize and kpt
    #[command(name = "fn")]
    #[command(long_about = FUNCTION_HELP)]
    Function,
    /// Explain a word of the output: a rule, a finding code, an operation, a severity, ...
    Explain(ExplainArgs),
    /// List packs, their releases, kinds and served apiVersions
    Releases(ReleasesArgs),
    /// List every change between two releases, with its cost in each direction
    Matrix(MatrixArgs),
    /// Commands for CRDs
    #[command(subcommand)]
    Crd(CrdCommand),
    /// Commands for reports that were saved
    #[command(subcommand)]
    Report(ReportCommand),
    /// Print the JSON Schema of reversion.toml, for editors
    ConfigSchema,
    /// Print the completions of a shell, for its startup file
    Completion(CompletionArgs),
    /// Print the manual page; with DIR, write it and those of the subcommands there
    Man(ManArgs),
    /// Commands for authors of packs
    #[command(subcommand)]
    Pack(PackCommand),
}

/// The subcommands of `report`.
#[derive(Debug, Subcommand)]
pub(super) enum ReportCommand {
    /// Join JSON reports of the shards of a tree, or of several repositories, and print them in any format
    Merge(MergeArgs),
}

/// The subcommands of `crd`.
#[derive(Debug, Subcommand)]
pub(super) enum CrdCommand {
    /// Compare the CRDs of two releases: what changed, which version that needs, and what a policy forbids
    Check(Box<CrdCheckArgs>),
}

impl Command {
    /// Returns the arguments about files, where there are some.
    pub(super) const fn files_mut(&mut self) -> Option<&mut FileArgs> {
        match self {
            Self::Detect(args) => Some(&mut args.files),
            Self::Check(CheckArgs { convert, .. })
            | Self::Diff(DiffArgs { convert, .. })
            | Self::Apply(ApplyArgs { convert, .. })
            | Self::Plan(PlanArgs { convert, .. }) => Some(&mut convert.files),
            _ => None,
        }
    }

    /// Returns the arguments about packs and settings, where there are some.
    pub(super) const fn packs_mut(&mut self) -> Option<&mut PackArgs> {
        match self {
            Self::Detect(args) => Some(&mut args.packs),
            Self::Check(CheckArgs { convert, .. })
            | Self::Diff(DiffArgs { convert, .. })
            | Self::Apply(ApplyArgs { convert, .. })
            | Self::Plan(PlanArgs { convert, .. }) => Some(&mut convert.packs),
            Self::Convert(args) => Some(&mut args.packs),
            Self::Explain(args) => Some(&mut args.packs),
            Self::Releases(args) => Some(&mut args.packs),
            Self::Matrix(args) => Some(&mut args.packs),
            Self::Pack(PackCommand::Lint(args)) => Some(&mut args.packs),
            Self::Pack(PackCommand::Test(args)) => Some(&mut args.packs),
            Self::Show(_)
            | Self::Undo(_)
            | Self::ConfigSchema
            | Self::Completion(_)
            | Self::Man(_)
            | Self::Function
            | Self::Report(_)
            | Self::Crd(_)
            | Self::Pack(PackCommand::New(_) | PackCommand::Suggest(_) | PackCommand::Build(_)) => None,
        }
    }
}

/// The subcommands of `pack`.
#[derive(Debug, Subcommand)]
pub(super) enum PackCommand {
    /// Start a pack: pack.yaml, and from CRDs the catalogs, or else an example with its rule and fixtures
    New(NewArgs),
    /// Draft a pack for what changed between two releases of CRDs: its rules and fixtures, with what speaks for each
    Suggest(SuggestArgs),
    /// Write the catalogs of a pack from a folder of CRDs or OpenAPI documents: CRDS/RELEASE/CHANNEL/* or CRDS/RELEASE/*, or its archive
    Build(BuildArgs),
    /// Report what is incomplete or contradictory in a pack; exit code 1 if something is
    Lint(LintArgs),
    /// Run the fixtures of a pack: its rules on before.yaml and after.yaml, in both directions; exit code 1 if one fails
    Test(TestArgs),
}

/// Which files are read.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Files")]
pub(super) struct FileArgs {
    /// Files and folders; `-` is standard input [default: .]
    #[arg(help_heading = None)]
    pub(super) paths: Vec<PathBuf>,
    /// A file or folder, as without the flag
    #[arg(short = 'f', long, value_name = "PATH", value_delimiter = ',', hide_short_help = true)]
    pub(super) filename: Vec<PathBuf>,
    /// Accepted for those who are used to kubectl: folders are always read with all that is in them
    #[arg(short = 'R', long, hide_short_help = true)]
    pub(super) recursive: bool,
    /// Read only files that match; `!GLOB` excludes files
    #[arg(long, value_name = "GLOB", env = "REVERSION_GLOB", value_delimiter = ',')]
    pub(super) glob: Vec<String>,
    /// Report and write only files listed in FILE, or on standard input with `-`: one a line, or separated by NUL
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub(super) files_from: Option<PathBuf>,
    /// Read files with this extension besides .yaml, .yml and .json
    #[arg(long, value_name = "EXT", env = "REVERSION_EXTENSION", value_delimiter = ',', hide_short_help = true)]
    pub(super) extension: Vec<String>,
    /// Do not respect .gitignore, .ignore and .reversionignore
    #[arg(long, env = "REVERSION_NO_IGNORE", value_parser = switch, hide_short_help = true)]
    pub(super) no_ignore: bool,
    /// Read hidden files and folders too
    #[arg(long, env = "REVERSION_HIDDEN", value_parser = switch, hide_short_help = true)]
    pub(super) hidden: bool,
    /// Follow symbolic links
    #[arg(long, env = "REVERSION_FOLLOW", value_parser = switch, hide_short_help = true)]
    pub(super) follow: bool,
    /// Report and write only part I of N of the files, by a hash of their paths: 1/4 to 4/4 are all files
    #[arg(long, value_name = "I/N", env = "REVERSION_SHARD", hide_short_help = true)]
    pub(super) shard: Option<Shard>,
    /// List every skipped file with its reason on standard error
    #[arg(long)]
    pub(super) inspect: bool,
    /// Number of threads, at most 64; 0 uses all processors
    #[arg(
        short = 'j',
        long,
        value_name = "N",
        env = "REVERSION_THREADS",
        default_value_t = 0,
        hide_default_value = true,
        hide_short_help = true
    )]
    #[arg(value_parser = threads)]
    pub(super) threads: u16,
    /// What is to be said of files of settings.
    #[arg(skip)]
    pub(super) settings: SettingsFiles,
}

/// Which packs are known, and which settings hold.
#[derive(Debug, Default, Args)]
pub(super) struct PackArgs {
    /// Add the pack in this folder, archive (.tar.gz) or commit (REPO//PATH@REV), or replace the built-in pack of that name; with
    /// `#sha256=HASH` behind it, only this one
    #[arg(long = "pack", value_name = "SOURCE", env = "REVERSION_PACK", value_delimiter = ',')]
    #[arg(value_parser = pack_source(), value_hint = ValueHint::AnyPath, help_heading = "Packs", hide_short_help = true)]
    pub(super) packs: Vec<PackSource>,
    /// Read the settings from FILE instead of the reversion.toml of the nearest folder
    #[arg(long, value_name = "FILE", env = "REVERSION_CONFIG", help_heading = "Settings", hide_short_help = true)]
    pub(super) config: Option<PathBuf>,
    /// Read no settings from a file
    #[arg(long, env = "REVERSION_ISOLATED", value_parser = switch, help_heading = "Settings", hide_short_help = true)]
    pub(super) isolated: bool,
    /// The settings that were read.
    #[arg(skip)]
    pub(super) file: Box<ConfigFile>,
}

/// The targets, and which losses are allowed.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Targets")]
pub(super) struct TargetArgs {
    /// The target release, newer or older, such as gateway-api@1.4/standard; once for each pack
    #[arg(long, value_name = "PACK@RELEASE[/CHANNEL]", env = "REVERSION_TO", value_delimiter = ',')]
    pub(super) to: Vec<String>,
    /// The release that the objects come from; needed only where no field shows it
    #[arg(long, value_name = "PACK@RELEASE[/CHANNEL]", env = "REVERSION_FROM", value_delimiter = ',')]
    pub(super) from: Vec<String>,
    /// Set what no file shows, such as ngf.namespace=nginx-gateway; `reversion releases PACK` lists the parameters
    #[arg(long, value_name = "NAME=VALUE", env = "REVERSION_SET", value_delimiter = ',', hide_short_help = true)]
    pub(super) set: Vec<String>,
    /// The namespace of objects that name none and that no kustomization puts into one, as for `kubectl apply`
    #[arg(short, long, value_name = "NS", env = "REVERSION_NAMESPACE", value_parser = namespace, hide_short_help = true)]
    pub(super) namespace: Option<String>,
    /// CRDs to check the result with, in a folder or file, or `-`; without --to they are the target too: of several sets, the oldest
    /// first, the last one
    #[arg(long, value_name = "PATH", env = "REVERSION_CRDS", value_delimiter = ',', hide_short_help = true)]
    pub(super) crds: Vec<PathBuf>,
    /// Convert the kinds of an API group to those of another one in a later set of --crds, where both schemas describe an object alike
    #[arg(
        long = "move",
        value_name = "OLD=NEW",
        env = "REVERSION_MOVE",
        value_delimiter = ',',
        hide_short_help = true
    )]
    pub(super) moves: Vec<Move>,
    /// Accept targets that are not compatible
    #[arg(long, env = "REVERSION_UNPAIRED", value_parser = switch, hide_short_help = true)]
    pub(super) unpaired: bool,
    /// Keep an object's apiVersion while the target serves it and has not deprecated it
    #[arg(long, env = "REVERSION_KEEP_API_VERSION", value_parser = switch, hide_short_help = true)]
    pub(super) keep_api_version: bool,
    /// Repair known mistakes, such as fields that only a project's documentation had
    #[arg(long, env = "REVERSION_REPAIR", value_parser = switch, hide_short_help = true)]
    pub(super) repair: bool,
    /// Go by the values.yaml of a chart: what is a number there, such as a port, can be set to a name no more
    #[arg(long, env = "REVERSION_CHART_DEFAULTS", value_parser = switch, hide_short_help = true)]
    pub(super) chart_defaults: bool,
    /// Convert although values are lost: every loss, or only the listed codes
    #[arg(long, value_name = "CODE,...", env = "REVERSION_ALLOW_LOSS", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "all", value_delimiter = ',', help_heading = "Losses")]
    pub(super) allow_loss: Vec<String>,
    /// Keep lost values in the annotation reversion.dev/stash of their object, to restore them when it is converted back
    #[arg(long, env = "REVERSION_STASH", value_parser = switch, help_heading = "Losses")]
    pub(super) stash: bool,
    /// Disregard the comments in manifests that acknowledge findings
    #[arg(long, env = "REVERSION_NO_IGNORES", value_parser = switch, hide_short_help = true)]
    #[arg(help_heading = "Acknowledged findings")]
    pub(super) no_ignores: bool,
}

/// The options of `fn`, which are no flags: its functionConfig sets them.
#[derive(Debug, Args)]
pub(super) struct FunctionArgs {
    #[command(flatten)]
    pub(super) target: TargetArgs,
    #[command(flatten)]
    pub(super) output: OutputArgs,
}

/// The arguments of `detect`.
#[derive(Debug, Args)]
#[command(mut_arg("format", |format| format.value_parser(Format::of_detect())), after_help = "\
Examples:
  reversion detect
  reversion detect --verbose apps/  # each object, with the fields that show it
  reversion detect --format json | jq '.apis[] | {pack, outdated}'")]
pub(super) struct DetectArgs {
    #[command(flatten)]
    pub(super) files: FileArgs,
    /// CRDs to go by instead of those in the files, in a folder or file, or `-`; of several sets the oldest first
    #[arg(long, value_name = "PATH", env = "REVERSION_CRDS", value_delimiter = ',', hide_short_help = true)]
    pub(super) crds: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) output: OutputArgs,
    /// Print totals by kind, by release and by code too
    #[arg(long, env = "REVERSION_STATISTICS", value_parser = switch, help_heading = "Report")]
    pub(super) statistics: bool,
    #[command(flatten)]
    pub(super) packs: PackArgs,
}

impl FileArgs {
    /// Returns whether standard input is read instead of files.
    pub(super) fn reads_stdin(&self) -> bool {
        self.paths.iter().any(|path| path.as_os_str() == "-")
    }
}

/// The arguments of every command that plans a conversion.
#[derive(Debug, Args)]
pub(super) struct ConvertArgs {
    #[command(flatten)]
    pub(super) target: TargetArgs,
    #[command(flatten)]
    pub(super) files: FileArgs,
    /// Leave out files that cannot be read or parsed instead of failing; they are listed, and the exit code is 1
    #[arg(long, env = "REVERSION_KEEP_GOING", value_parser = switch, help_heading = "Files")]
    pub(super) keep_going: bool,
    #[command(flatten)]
    pub(super) output: OutputArgs,
    #[command(flatten)]
    pub(super) packs: PackArgs,
}

/// The arguments of `check`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reversion check --to gateway-api@1.4
  reversion check --to ngf@latest --format github deploy/
  git diff --name-only main... |
    reversion check --to gateway-api@1.4 --files-from -")]
pub(super) struct CheckArgs {
    #[command(flatten)]
    pub(super) convert: ConvertArgs,
    /// Count the findings that FILE lists, and fail because of others only; `diff` and `apply` have no baseline
    #[arg(long, value_name = "FILE", env = "REVERSION_BASELINE", help_heading = "Acknowledged findings")]
    pub(super) baseline: Option<PathBuf>,
    /// List the findings of this run in FILE, for --baseline
    #[arg(long, value_name = "FILE", conflicts_with_all = ["files_from", "shard"], help_heading = "Acknowledged findings")]
    pub(super) write_baseline: Option<PathBuf>,
    /// Print totals by rule, by kind and by code instead of each object
    #[arg(long, env = "REVERSION_STATISTICS", value_parser = switch, help_heading = "Report")]
    pub(super) statistics: bool,
}

/// The arguments of `diff`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reversion diff --to gateway-api@1.4 apps/
  reversion diff --stat --to gateway-api@1.4
  reversion diff --to gateway-api@1.4 | git apply")]
pub(super) struct DiffArgs {
    #[command(flatten)]
    pub(super) convert: ConvertArgs,
    /// Print how many lines change in each file instead of the diff
    #[arg(long, help_heading = "Report")]
    pub(super) stat: bool,
}

/// The arguments of `apply`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reversion apply --to gateway-api@1.4
  reversion apply -i --to gateway-api@1.4
  reversion apply --yes --stash --to gateway-api@1.1/standard apps/
  reversion apply --plan release.plan

`reversion diff` with the same arguments shows the changes without writing them.")]
pub(super) struct ApplyArgs {
    #[command(flatten)]
    pub(super) convert: ConvertArgs,
    /// Write without asking
    #[arg(short, long, help_heading = "Writing")]
    pub(super) yes: bool,
    /// Ask for each object that changes; `?` lists the answers
    #[arg(short, long, conflicts_with_all = ["yes", "plan", "resume"], help_heading = "Writing")]
    pub(super) interactive: bool,
    /// Print the diff of what is written
    #[arg(long, help_heading = "Writing")]
    pub(super) diff: bool,
    /// Print how many lines change in each file that is written
    #[arg(long, help_heading = "Writing")]
    pub(super) stat: bool,
    /// Write this saved plan, in the folder that it was made in; refused if a file changed since
    #[arg(long, value_name = "FILE", help_heading = "Writing")]
    pub(super) plan: Option<PathBuf>,
    /// Finish an interrupted apply
    #[arg(long, conflicts_with_all = ["plan", "to", "files_from"], help_heading = "Writing")]
    pub(super) resume: bool,
    /// Not supported; the error names the command that is
    #[arg(long, hide = true)]
    pub(super) dry_run: bool,
    #[command(flatten)]
    pub(super) guard: GuardArgs,
}

/// Which files may be written that git could not restore.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Writing")]
pub(super) struct GuardArgs {
    /// Write files that have uncommitted changes or are not tracked by git
    #[arg(long, env = "REVERSION_ALLOW_DIRTY", value_parser = switch)]
    pub(super) allow_dirty: bool,
    /// Write files outside of a git repository, or without git
    #[arg(long, env = "REVERSION_ALLOW_NO_VCS", value_parser = switch)]
    pub(super) allow_no_vcs: bool,
}

/// The arguments of `plan`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reversion plan -o release.plan --to gateway-api@1.4
  reversion show release.plan
  reversion apply --plan release.plan")]
pub(super) struct PlanArgs {
    #[command(flatten)]
    pub(super) convert: ConvertArgs,
    /// Save the plan in FILE; `-` is standard output
    #[arg(short = 'o', long = "out", value_name = "FILE", help_heading = "Plan")]
    pub(super) out: PathBuf,
}

/// The arguments of `show`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reversion show release.plan
  reversion show -v release.plan")]
pub(super) struct ShowArgs {
    /// A plan file, made by `reversion plan`; `-` is standard input
    pub(super) plan: PathBuf,
    #[command(flatten)]
    pub(super) output: OutputArgs,
}

/// The arguments of `report merge`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reversion report merge shard-*.json --format sarif --output-file all.sarif
  reversion report merge report.json --format html --output-file report.html
  reversion report merge shard-*.json --statistics")]
pub(super) struct MergeArgs {
    /// Reports that `--format json` made; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(super) reports: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) output: OutputArgs,
    /// Print totals by rule, by kind and by code instead of each object
    #[arg(long, env = "REVERSION_STATISTICS", value_parser = switch, help_heading = "Report")]
    pub(super) statistics: bool,
}

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
    /// The pack whose rules must cover each change that breaks objects: its folder, archive (.tar.gz) or commit (REPO//PATH@REV), or the
    /// name of a built-in one
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

/// The arguments of `undo`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reversion undo
  reversion undo --list
  reversion undo --skip-changed apps/")]
pub(super) struct UndoArgs {
    /// A path in the tree that was written
    #[arg(default_value = ".")]
    pub(super) path: PathBuf,
    /// List the runs that can be reverted, newest first
    #[arg(long)]
    pub(super) list: bool,
    /// Leave files that changed since as they are, and restore the others
    #[arg(long)]
    pub(super) skip_changed: bool,
}

/// The arguments of `convert`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kubectl get httproutes -A -o yaml | reversion convert - --to gateway-api@1.4
  reversion convert - --to gateway-api@1.4 < route.yaml
  reversion convert - --template --to kubernetes@1.25 < templates/ingress.yaml

`reversion diff FILE` shows what would change in a file, `reversion apply FILE` changes it.")]
#[command(override_usage = "reversion convert [OPTIONS] -")]
pub(super) struct StreamArgs {
    /// `-`: standard input
    #[arg(required_unless_present = "filename", conflicts_with = "filename")]
    pub(super) input: Option<String>,
    /// The same, as for kubectl
    #[arg(short = 'f', long, value_name = "-", hide_short_help = true)]
    pub(super) filename: Option<String>,
    /// Read a template of a Helm chart; what other files of the chart define is not known
    #[arg(long)]
    pub(super) template: bool,
    #[command(flatten)]
    pub(super) target: TargetArgs,
    /// Print only what affects the exit code, and the summary
    #[arg(short, long, env = "REVERSION_QUIET", help_heading = "Report")]
    #[arg(value_parser = switch)]
    pub(super) quiet: bool,
    /// Print notes, rules and all places too
    #[arg(short, long, env = "REVERSION_VERBOSE", value_parser = switch, help_heading = "Report")]
    pub(super) verbose: bool,
    /// Exit with 0 instead of 3 if no object was recognized; accept empty standard input
    #[arg(long, env = "REVERSION_ALLOW_EMPTY", value_parser = switch, help_heading = "Report")]
    pub(super) allow_empty: bool,
    #[command(flatten)]
    pub(super) packs: PackArgs,
}

/// The arguments of `explain`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reversion explain held-back
  reversion explain dropped-field
  reversion explain gateway-api/v1.4.0/gateway-backendtls-moved-to-tls-backend
  reversion explain wrap")]
pub(super) struct ExplainArgs {
    /// A word of the output: a rule (its id or the last part of it), a finding code, an operation, or another word
    #[arg(value_name = "WORD", value_parser = word)]
    pub(super) term: String,
    #[command(flatten)]
    pub(super) packs: PackArgs,
}

/// The arguments of `releases`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reversion releases
  reversion releases gateway-api")]
pub(super) struct ReleasesArgs {
    /// The pack; without it, one line for each pack
    pub(super) pack: Option<String>,
    #[command(flatten)]
    pub(super) packs: PackArgs,
}

/// The arguments of `completion`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  source <(reversion completion bash)  # in ~/.bashrc
  reversion completion zsh > ~/.zfunc/_reversion
  reversion completion fish > ~/.config/fish/completions/reversion.fish")]
pub(super) struct CompletionArgs {
    /// The shell
    pub(super) shell: clap_complete::Shell,
}

/// The arguments of `man`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reversion man | man -l -
  reversion man ~/.local/share/man/man1")]
pub(super) struct ManArgs {
    /// The folder that the pages are written to
    #[arg(value_name = "DIR")]
    pub(super) folder: Option<PathBuf>,
}

/// The arguments of `pack new`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reversion pack new packs/shops --kind Shop.shops.example.com
  reversion pack new packs/shops --crds crds/

crds/ holds RELEASE/*.yaml, or RELEASE/CHANNEL/*.yaml where releases are published in channels.")]
pub(super) struct NewArgs {
    /// The folder to make
    pub(super) folder: PathBuf,
    /// The pack's name, as in `--to NAME@RELEASE` [default: the name of the folder]
    #[arg(long)]
    pub(super) name: Option<String>,
    /// What the project is called, for people [default: the pack's name]
    #[arg(long)]
    pub(super) title: Option<String>,
    /// The kind of the example
    #[arg(long, value_name = "KIND.GROUP", conflicts_with = "crds", default_value = "Shop.shops.example.com")]
    pub(super) kind: String,
    /// Read releases, groups and kinds from this folder of CRDs, and build the catalogs from it
    #[arg(long, value_name = "DIR")]
    pub(super) crds: Option<PathBuf>,
}

/// The arguments of `pack suggest`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reversion pack suggest crds/v1.0.0 crds/v2.0.0
  reversion pack suggest crds/v1.0.0 crds/v2.0.0 packs/shops
  reversion pack suggest v1.0.0 v2.0.0 packs/shops --path config/crd

What is not certain is drafted as a refusal or a removal with a place to fill in, which `reversion pack lint` lists.")]
pub(super) struct SuggestArgs {
    /// The CRDs of the release before: a file, a folder, or with --path a commit, branch or tag
    pub(super) old: PathBuf,
    /// The CRDs of the release after, likewise
    pub(super) new: PathBuf,
    /// The folder of the pack to make; without it, the suggestions are only listed
    pub(super) folder: Option<PathBuf>,
    /// Read the CRDs from this file or folder of the commits that OLD and NEW name
    #[arg(long, value_name = "PATH")]
    pub(super) path: Option<PathBuf>,
    /// The pack's name, as in `--to NAME@RELEASE` [default: the name of the folder]
    #[arg(long)]
    pub(super) name: Option<String>,
    /// What the project is called, for people [default: the pack's name]
    #[arg(long)]
    pub(super) title: Option<String>,
}

/// The arguments of `pack test`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reversion pack test packs/shops
  reversion pack test packs/shops v2.0.0/shop-owner -v
  reversion pack test gateway-api --fixtures fixtures")]
pub(super) struct TestArgs {
    /// The pack's folder, archive (.tar.gz) or commit (REPO//PATH@REV), or the name of a built-in pack
    pub(super) pack: String,
    /// Run only cases whose PACK/RELEASE/RULE/CASE contains this text
    #[arg(value_name = "FILTER", default_value = "", hide_default_value = true)]
    pub(super) filter: String,
    /// Read the cases from DIR/PACK/RELEASE/RULE/CASE/ instead of fixtures/RELEASE/RULE/CASE/ in the pack's folder
    #[arg(long, value_name = "DIR")]
    pub(super) fixtures: Option<PathBuf>,
    /// List every case, and not only those that fail
    #[arg(short, long)]
    pub(super) verbose: bool,
    #[command(flatten)]
    pub(super) packs: PackArgs,
}

/// The arguments of `pack build`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reversion pack build rules/gateway-api crds/
  reversion pack build --check rules/gateway-api crds/
  reversion pack build packs/shops --archive shops-1.0.tar.gz")]
pub(super) struct BuildArgs {
    /// The pack's folder, with its pack.yaml
    pub(super) pack: PathBuf,
    /// The folder of CRDs or OpenAPI documents, with `kinds.tsv` beside the releases where there is one; or of tables of types (types.tsv)
    #[arg(required_unless_present = "archive")]
    pub(super) crds: Option<PathBuf>,
    /// Write nothing; exit code 1 if the files differ
    #[arg(long, requires = "crds")]
    pub(super) check: bool,
    /// Write the pack and its fixtures to FILE (.tar.gz), once `pack lint` finds nothing, and print the hash for `--pack`
    #[arg(long, value_name = "FILE", conflicts_with = "check")]
    pub(super) archive: Option<PathBuf>,
}

/// The arguments of `pack lint`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reversion pack lint gateway-api
  reversion pack lint rules/gateway-api --fixtures fixtures")]
pub(super) struct LintArgs {
    /// The pack's folder, archive (.tar.gz) or commit (REPO//PATH@REV), or the name of a built-in pack
    pub(super) pack: String,
    /// Check that every rule has its fixtures in this folder: DIR/PACK/RELEASE/RULE/CASE/*.yaml
    #[arg(long, value_name = "DIR")]
    pub(super) fixtures: Option<PathBuf>,
    /// The format of the messages
    #[arg(long, value_enum, default_value_t = MatrixFormat::Text)]
    pub(super) format: MatrixFormat,
    #[command(flatten)]
    pub(super) packs: PackArgs,
}

/// The arguments of `matrix`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reversion matrix gateway-api --from 1.3/standard --to 1.4/standard
  reversion matrix ngf --from ngf@1.6 --to ngf@2.0 --format json")]
pub(super) struct MatrixArgs {
    /// The pack
    pub(super) pack: String,
    /// The first release; of the same pack, so RELEASE[/CHANNEL] is enough, such as 1.3/experimental
    #[arg(long, value_name = "RELEASE")]
    pub(super) from: String,
    /// The second release, likewise
    #[arg(long, value_name = "RELEASE")]
    pub(super) to: String,
    /// The format of the list
    #[arg(long, value_enum, default_value_t = MatrixFormat::Text)]
    pub(super) format: MatrixFormat,
    #[command(flatten)]
    pub(super) packs: PackArgs,
}

/// The formats of a matrix, and of messages about a pack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum MatrixFormat {
    /// Lines for people
    Text,
    /// One JSON document
    Json,
}
