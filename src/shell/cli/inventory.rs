//! What a tree uses of each API, how old that is, and what brings it up to date: the summary of `detect`.
//!
//! The tree is converted to the newest releases in memory, so that what is said about that is what `check` finds.
//!
//! Invariant: only packs of which the files hold something are named.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Result;

use super::args::DetectArgs;
use super::charts;
use super::config::Config;
use super::input::Input;
use super::surveyed::KeptFiles;
use crate::engine::finding::{Code, Finding, Location};
use crate::engine::infer::Age;
use crate::engine::infer::install_evidence::Evidence;
use crate::engine::infer::origin::{ObjectReleases, agreed, origin};
use crate::engine::manifest::Recognizer;
use crate::engine::plan::{
    self, Choices, Goal, Ignored, ObjectPlan, Plan, Planner, Record, Scope, TemplateFile, Templates,
};
use crate::knowledge::pack::{Pack, Packs, Target};
use crate::knowledge::release::{Channel, GroupKind, ReleaseSet};
use crate::shell::report::{Api, Counts, Detected, Detection, Fate, KindInUse, Report, Update, UpdateFigures};
use crate::syntax::yaml::FrontEnd;

/// What becomes of the objects of a tree in the newest releases, by where they start.
type Fates<'r> = BTreeMap<&'r Location, (&'r ObjectPlan, Fate)>;

/// Adds to what was detected in `files` of `input` what `templates` print, and the summary.
///
/// # Errors
/// One of the files cannot be read again.
pub(super) fn add<'p, T>(
    detection: &mut Detection<'p>,
    args: &DetectArgs,
    config: &Config,
    input: &Input<T>,
    files: &KeptFiles<'_>,
    templates: Templates<'_>,
    packs: &'p Packs,
) -> Result<()> {
    let is_listed = |file: &str| input.is_listed(Path::new(file));
    let used = in_use(detection);
    let is_looked_for = |pack: &&Pack| used.contains(pack.name()) || is_mentioned(pack, templates.files);
    let newest = newest(&packs.iter().filter(is_looked_for).collect::<Vec<_>>(), &detection.objects, packs)?;
    let of_packs = newest.iter().filter(|target| !target.pack.is_of_crds()).copied();
    let mut choices = choices(detection, config, packs);
    // What templates print is known from their plan alone.
    choices.record = Record::PrintedData;
    let goal = Goal { packs, targets: of_packs.collect(), choices };
    let scope = Scope { templates: Some(templates), threads: usize::from(args.files.threads), ..Scope::default() };
    let plan = match goal.targets.is_empty() {
        true => Plan::default(),
        false => plan::plan_files(&Planner::new(&goal), files.surveys, files, &scope)?,
    };
    add_templates(detection, input, templates.files, &plan, packs);
    let used = in_use(detection);
    let newest = newest.into_iter().filter(|newest| used.contains(newest.pack.name()));
    let report = Report::new("check", packs, &plan, detection.counts.clone());
    let fates = report.fates();
    let listed = plan.objects.iter().filter(|object| is_listed(&object.location.file));
    let fates: Fates<'_> = listed.map(|object| (&object.location, (object, fates.of(object)))).collect();
    detection.apis = newest.map(|newest| api(newest, detection, &fates, packs)).collect();
    let with = |wanted: Fate| fates.values().filter(|(_, fate)| *fate == wanted).count();
    let commands = commands(&detection.apis, args);
    let targets: Vec<String> = targets(&detection.apis).collect();
    let figures = (!targets.is_empty()).then(|| UpdateFigures {
        changed: with(Fate::Changed),
        files: report.files_to_change().filter(|file| is_listed(&file.file)).count(),
        held_back: report.held_places().iter().filter(|place| is_listed(&place.file)).count(),
    });
    detection.update = (!commands.is_empty()).then_some(Update { targets, commands, figures });
    Ok(())
}

/// Adds the objects that templates print, as they are planned, and what cannot be read of them.
fn add_templates<'p, T>(
    detection: &mut Detection<'p>,
    input: &Input<T>,
    templates: &[TemplateFile],
    plan: &Plan,
    packs: &'p Packs,
) {
    let converted = charts::names(templates);
    let Counts { recognized, is_about_others, .. } = detection.counts;
    let counts = charts::count(input, templates, &plan.objects);
    detection.counts = Counts { recognized, is_about_others, ..counts };
    for object in plan.objects.iter().filter(|object| converted.contains(&*object.location.file)) {
        detection.add_printed(object, packs);
    }
    detection.objects.sort_by(|one, other| one.location.cmp(&other.location));
    let of_templates = plan.findings.iter().filter(|finding| converted.contains(&*finding.location.file));
    detection.findings.extend(of_templates.filter(|finding| needs_no_target(finding)).cloned());
    detection.findings.sort();
}

/// Returns whether a finding is about what the files hold, not about its conversion.
const fn needs_no_target(finding: &Finding) -> bool {
    use Code::{
        ApiVersionMismatch, ConflictingFields, Template, TemplateAction, TemplateBranch, UnknownApiVersion,
        UnknownField, UnknownKind,
    };
    let is_inferred =
        matches!(finding.code, ApiVersionMismatch | ConflictingFields | UnknownApiVersion | UnknownField | UnknownKind);
    is_inferred || matches!(finding.code, Template | TemplateAction | TemplateBranch)
}

/// Returns the names of the packs of which the files hold objects, values, charts, images or CRDs.
fn in_use<'p>(detection: &Detection<'p>) -> BTreeSet<&'p str> {
    let objects = detection.objects.iter().map(|detected| detected.pack.name());
    let names = objects.chain(detection.values.iter().map(|(pack, ..)| *pack));
    let names = names.chain(detection.evidence.iter().map(|(pack, _)| *pack));
    names.chain(detection.crds.iter().map(|installed| installed.pack.name())).collect()
}

/// Returns whether templates mention an API group of a pack.
fn is_mentioned(pack: &Pack, templates: &[TemplateFile]) -> bool {
    let own = Recognizer::new(pack.groups().iter().map(String::as_str));
    templates.iter().any(|template| own.mentions_group(template.text.as_bytes()))
}

/// Returns the newest release of each pack that fits the channel of its objects, and the release of the other packs.
fn newest<'p>(packs_in_use: &[&'p Pack], objects: &[Detected<'_>], packs: &'p Packs) -> Result<Vec<Target<'p>>> {
    let mut newest = Vec::new();
    for pack in packs_in_use {
        let latest = Target::find(pack, "latest")?;
        newest.push(in_channel(latest, channel(pack, objects)));
    }
    for target in newest.clone() {
        let Some(companion) = packs.companion(&target)? else { continue };
        let Some(other) = newest.iter_mut().find(|other| other.pack.name() == companion.pack.name()) else { continue };
        let channel = Some(&companion.pack.line().get(other.release).channel);
        *other = in_channel(companion, channel);
    }
    Ok(newest)
}

/// Returns `target` in this channel, where its bundle has one.
fn in_channel<'p>(target: Target<'p>, channel: Option<&Channel>) -> Target<'p> {
    let line = target.pack.line();
    let in_channel =
        line.of_bundle(line.get(target.release).order).find(|(_, release)| Some(&release.channel) == channel);
    in_channel.map_or(target, |(release, _)| Target { release, ..target })
}

/// Returns the channel that most objects of a pack can be for, of several the most stable one.
fn channel<'p>(pack: &'p Pack, objects: &[Detected<'_>]) -> Option<&'p Channel> {
    let line = pack.line();
    let of_pack = || objects.iter().filter(|detected| detected.pack.name() == pack.name());
    let count = |channel: &Channel| {
        let of_channel: ReleaseSet =
            line.iter().filter(|(_, release)| release.channel == *channel).map(|(id, _)| id).collect();
        of_pack().filter(|detected| !(detected.inference.candidates & of_channel).is_empty()).count()
    };
    line.channels().iter().rev().max_by_key(|channel| count(channel))
}

/// Returns how `check` converts with the settings of the call.
fn choices(detection: &Detection<'_>, config: &Config, packs: &Packs) -> Choices {
    let mut parameters = packs.default_parameters();
    parameters.extend(config.set.clone());
    let mut choices = Choices {
        front_end: FrontEnd::Fast,
        by_file: config.by_file.clone(),
        ignored: Ignored::by(config.ignores()),
        parameters,
        ..Choices::default()
    };
    for pack in packs.iter() {
        let evidence = detection.evidence.iter().filter(|(name, _)| *name == pack.name());
        let evidence: Vec<&Evidence> = evidence.map(|(_, evidence)| evidence).collect();
        choices.add_origin(pack, &origin(&evidence, &spans_of(pack, detection)));
    }
    choices
}

/// Returns which releases the objects of `pack` can be for.
fn spans_of<'d, 'p>(pack: &Pack, detection: &'d Detection<'p>) -> Vec<&'d ObjectReleases<'p>> {
    detection.spans.iter().filter(|span| span.pack.name() == pack.name()).collect()
}

/// Summarises the objects of one pack, of which it is known what becomes of them in `newest`.
fn api<'p>(newest: Target<'p>, detection: &Detection<'p>, fates: &Fates<'_>, packs: &Packs) -> Api<'p> {
    let pack = newest.pack;
    let objects: Vec<&Detected<'_>> =
        detection.objects.iter().filter(|detected| detected.pack.name() == pack.name()).collect();
    let spans = spans_of(pack, detection);
    let agreed = agreed(&spans);
    let is_shown = !objects.is_empty() && !spans.is_empty();
    let (mut rules, mut foreign) = (BTreeMap::new(), 0);
    for (object, _) in fates.values().filter(|(_, fate)| *fate == Fate::Changed) {
        let own: BTreeSet<&str> = rules_of(pack, object).collect();
        let of_other = packs.of_group(&object.from.0.group).is_none_or(|owner| owner.name() != pack.name());
        foreign += usize::from(of_other && !own.is_empty());
        for rule in own {
            *rules.entry(rule.to_owned()).or_default() += 1;
        }
    }
    Api {
        newest,
        objects: objects.len(),
        values: detection.values.iter().filter(|(name, ..)| *name == pack.name()).count(),
        by_fields: is_shown.then(|| spans.iter().fold(pack.line().all(), |common, span| common & span.by_fields)),
        with_versions: is_shown.then_some(agreed.releases),
        exceptions: agreed.apart.iter().map(|one| one.objects).sum(),
        apart: apart(&spans),
        kinds: kinds(&objects, newest, fates),
        foreign,
        rules,
    }
}

/// Returns the rules of a pack that change an object.
fn rules_of<'o>(pack: &'o Pack, object: &'o ObjectPlan) -> impl Iterator<Item = &'o str> {
    let rules = object.rules.iter().map(|(rule, _)| rule.as_str());
    rules.filter(|rule| rule.split('/').next() == Some(pack.name()))
}

/// Returns whether an object changes because of its own pack, not only for what it holds of others, such as the values of a chart.
fn is_changed_by(pack: &Pack, object: &ObjectPlan) -> bool {
    object.to != object.from || object.rules.is_empty() || rules_of(pack, object).next().is_some()
}

/// Finds two objects that no release fits, though each fits some.
fn apart(spans: &[&ObjectReleases<'_>]) -> Option<[(String, Location, ReleaseSet); 2]> {
    let fitting = || spans.iter().filter(|span| !span.with_version.is_empty());
    let shown = |one: &ObjectReleases<'_>| (one.title.clone(), one.location.clone(), one.with_version);
    let is_apart =
        |one: &ObjectReleases<'_>, other: &ObjectReleases<'_>| (one.with_version & other.with_version).is_empty();
    let mut pairs = fitting().enumerate();
    let (other, one) =
        pairs.find_map(|(at, one)| Some((fitting().take(at).find(|other| is_apart(one, other))?, one)))?;
    Some([shown(other), shown(one)])
}

/// Groups the objects of a pack by kind and apiVersion.
fn kinds(objects: &[&Detected<'_>], newest: Target<'_>, fates: &Fates<'_>) -> Vec<KindInUse> {
    let mut kinds = BTreeMap::new();
    for detected in objects {
        let (kind, api_version) = &detected.kind;
        let in_use = kinds.entry((kind, api_version)).or_insert_with(|| {
            let catalog = newest.pack.catalog(kind).expect("an object was detected by its catalog");
            KindInUse {
                age: Age::of(&api_version.version, catalog, newest.pack.line(), newest.release),
                kind: kind.clone(),
                api_version: api_version.clone(),
                objects: 0,
                changed: 0,
                held_back: 0,
                becomes: BTreeSet::new(),
            }
        });
        in_use.objects += 1;
        match fates.get(&detected.location) {
            Some((object, Fate::Changed)) if is_changed_by(newest.pack, object) => {
                in_use.changed += 1;
                in_use.becomes.extend((object.to != object.from).then(|| object.to.clone()));
            }
            Some((_, Fate::HeldBack)) => in_use.held_back += 1,
            Some((_, Fate::Changed | Fate::Acknowledged | Fate::Unchanged)) | None => {}
        }
    }
    let mut kinds: Vec<KindInUse> = kinds.into_values().collect();
    kinds.sort_by(|kind, other| {
        let rank = |kind: &KindInUse| (kind.age, std::cmp::Reverse(kind.objects));
        rank(kind)
            .cmp(&rank(other))
            .then_with(|| (&kind.kind, &kind.api_version).cmp(&(&other.kind, &other.api_version)))
    });
    kinds
}

/// Returns the releases that are newer than something of their pack.
fn targets<'a>(apis: &'a [Api<'_>]) -> impl Iterator<Item = String> + 'a {
    let old = apis.iter().filter(|api| !api.is_current() && !api.newest.pack.is_of_crds());
    old.map(|api| api.newest.to_string())
}

/// Returns the commands that show what brings the tree up to date.
fn commands(apis: &[Api<'_>], args: &DetectArgs) -> Vec<Vec<String>> {
    let command = |options: Vec<String>| {
        let program = ["reversion", "diff"].map(str::to_owned).into_iter();
        program.chain(options).chain(same_files(args)).collect::<Vec<_>>()
    };
    let to: Vec<String> = targets(apis).flat_map(|target| ["--to".to_owned(), target]).collect();
    let is_old = |api: &Api<'_>| api.newest.pack.is_of_crds() && !api.is_current();
    let crds = args.crds.iter().flat_map(|set| ["--crds".to_owned(), shown(set)]);
    let moves = apis.iter().flat_map(moves).collect::<BTreeSet<String>>();
    let moves = moves.into_iter().flat_map(|accepted| ["--move".to_owned(), accepted]);
    let by_crds = apis.iter().any(is_old).then(|| command(crds.chain(moves).collect()));
    (!to.is_empty()).then(|| command(to)).into_iter().chain(by_crds).collect()
}

/// Returns the moves to other groups, as the option accepts them, that the kinds in use of CRDs without a pack need: the newest set has a
/// kind of the name in another group alone.
fn moves(api: &Api<'_>) -> Vec<String> {
    let pack = api.newest.pack;
    let is_served =
        |kind: &GroupKind| pack.catalog(kind).is_some_and(|catalog| !catalog.served(api.newest.release).is_empty());
    let moved = |used: &KindInUse| {
        let same_name = |other: &&GroupKind| other.kind == used.kind.kind && is_served(other);
        let new = pack.kinds().find(same_name).filter(|_| !is_served(&used.kind))?;
        Some(format!("{}={}", used.kind.group, new.group))
    };
    api.kinds.iter().filter(|_| pack.is_of_crds()).filter_map(moved).collect()
}

/// Returns the arguments with which another command reads the same files, with the same packs and settings.
fn same_files(args: &DetectArgs) -> Vec<String> {
    let (files, packs) = (&args.files, &args.packs);
    let mut same = Vec::new();
    let mut add = |flag: &str, value: String| same.extend([flag.to_owned(), value]);
    packs.packs.iter().for_each(|source| add("--pack", source.to_string()));
    packs.config.iter().for_each(|file| add("--config", shown(file)));
    files.glob.iter().for_each(|glob| add("--glob", glob.clone()));
    files.extension.iter().for_each(|extension| add("--extension", extension.clone()));
    files.files_from.iter().for_each(|list| add("--files-from", shown(list)));
    files.shard.iter().for_each(|shard| add("--shard", shard.to_string()));
    let switches = [
        (packs.isolated, "--isolated"),
        (files.no_ignore, "--no-ignore"),
        (files.hidden, "--hidden"),
        (files.follow, "--follow"),
    ];
    same.extend(switches.into_iter().filter(|(is_set, _)| *is_set).map(|(_, flag)| flag.to_owned()));
    same.extend(files.paths.iter().map(|path| shown(path)));
    same
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
