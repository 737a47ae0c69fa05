//! The subcommand `pack suggest`: a first pack for what changed between two releases of CRDs.

use anyhow::{Context, Result, anyhow, ensure};

use super::args::{PackArgs, SuggestArgs};
use super::console::Console;
use super::crd::Source;
use super::crd_sets::bundles;
use super::exit::Exit;
use super::input::Empty;
use super::pack_new::listed;
use super::packs;
use crate::authoring::build;
use crate::authoring::crd_check::{CrdSet, bundle_of};
use crate::authoring::starter::age;
use crate::authoring::suggest::{self, Release, Suggestion};
use crate::shell::report::{plural, visible};

/// Runs `pack suggest`.
pub(super) fn run(args: &SuggestArgs, console: Console) -> Result<Exit> {
    let releases = releases(args, console)?;
    let named = args.folder.as_ref().and_then(|folder| folder.file_name()).and_then(|name| name.to_str());
    let name = args.name.as_deref().or(named);
    let name = match &args.folder {
        Some(folder) => {
            name.with_context(|| format!("{} has no name that the pack could have: pass --name", folder.display()))?
        }
        // Nothing is written that would have it.
        None => name.unwrap_or("suggested"),
    };
    let draft = suggest::pack(name, args.title.as_deref().unwrap_or(name), &releases);
    let draft = draft.map_err(|message| anyhow!(message))?;
    let lines: String = draft.suggestions.iter().map(line).collect();
    let open = draft.suggestions.iter().filter(|suggestion| !suggestion.is_sure).count();
    let sure = draft.suggestions.len() - open;
    let [old, new] = releases.map(|release| release.bundle);
    let counts = format!(
        "from {old} to {new}: {sure} of {} drafted as operations",
        plural(draft.suggestions.len(), "suggestion")
    );
    let Some(folder) = &args.folder else {
        console.print(&format!("{lines}{counts}\n"))?;
        return Ok(Exit::Clean);
    };
    build::write_new(folder, &draft.files, None)?;
    let folder = folder.display();
    let mut steps =
        vec![(format!("reversion pack lint {folder}"), "list the places to fill in, and what no rule converts")];
    let first = match (draft.has_rules(), draft.suggestions.is_empty()) {
        (true, _) => "Read each rule and its fixtures",
        (false, false) => "No rule is drafted: read what pack.yaml leaves open, and write the rules that it needs",
        (false, true) => {
            "The schemas show nothing that a rule could convert; what a limit rejects is held back without one, and `reversion crd check` lists it. Write rules for what they do not show"
        }
    };
    if draft.has_rules() {
        steps.push((format!("reversion pack test {folder}"), "run the rules on the fixtures"));
    }
    console.print(&format!("{lines}{folder}: {counts}\n{first}, then:\n{}", listed(&steps)))?;
    Ok(Exit::Clean)
}

/// Reads both releases.
fn releases(args: &SuggestArgs, console: Console) -> Result<[Release; 2]> {
    let packs = packs::load(&PackArgs::default())?;
    let source = |path, is_new| Source { path, is_new, empty: Empty::Refuse };
    let sources = [source(&args.old, false), source(&args.new, true)];
    ensure!(sources.iter().any(|source| source.path.as_os_str() != "-"), "`-` is standard input, which is read once");
    let mut releases = Vec::new();
    for source in &sources {
        let manifests = source.read(args.path.as_deref(), packs, console)?;
        let set = CrdSet::read(&source.name(), &manifests)?;
        ensure!(set.len() > 0, "{}: there is no CRD", visible(&source.name()));
        releases.push((bundle_of(&set), set.placed()));
    }
    let names: Option<Vec<String>> = releases.iter().map(|(bundle, _)| bundle.clone()).collect();
    let names = names.filter(|names| names[0] != names[1]);
    let names = names.unwrap_or_else(|| bundles(&[args.old.clone(), args.new.clone()]));
    // Two numbers at least make a release: what begins with a digit may be a commit.
    let [old, new] = [0, 1].map(|side| age(&names[side]));
    let is_backward = [&old, &new].iter().all(|age| age.0.len() > 1) && new < old;
    ensure!(!is_backward, "{} is older than {}: pass the older release first", names[1], names[0]);
    let made = names.into_iter().zip(releases).map(|(bundle, (_, crds))| Release { bundle, crds });
    let made: Vec<Release> = made.collect();
    made.try_into().ok().context("there are two releases")
}

/// Renders a suggestion: `93 % rename Shop.shops.example.com spec.size -> spec.replicas: REASON (FILE)`.
fn line(suggestion: &Suggestion) -> String {
    let Suggestion { kind, old, sort, new, confidence, reason, is_sure, file, .. } = suggestion;
    let confidence = match (confidence, is_sure) {
        (0, _) => "open".to_owned(),
        (confidence, true) => format!("{confidence} %"),
        (confidence, false) => format!("{confidence} %, open"),
    };
    let new = if new.is_empty() { String::new() } else { format!(" -> {new}") };
    let about = if *old == kind.to_string() { String::new() } else { format!("{kind} ") };
    let text = format!("{confidence}: {} {about}{old}{new}: {reason} ({file})", sort.word());
    format!("{}\n", visible(&text))
}
