//! Answers: does this law hold for this case?
//!
//! One function for each law, on the file of a case. A law returns [`Verdict::NotApplicable`] if it does not apply;
//! the table at the end of the run counts both, so that a law that never applies is noticed.
//!
//! Invariant: a law reads only what the program reports and writes.

use std::any::Any;
use std::cell::OnceCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use reversion::internals::catalog::Catalog;
use reversion::internals::field::{FieldPath, Step};
use reversion::internals::finding::Code;
use reversion::internals::infer::infer;
use reversion::internals::lens::{Direction, Halt};
use reversion::internals::pack::{Rule, Target};
use reversion::internals::plan::{Choices, ObjectPlan, Outcome, Plan, Sides};
use reversion::internals::release::{GroupKind, ReleaseId};
use reversion::internals::text::Span;
use reversion::internals::yaml::{self, Intent, find_node, locate};
use serde_json::Value;

use super::cases::{Case, DirectedRule, RuleOutcome, session, walk};
use super::exceptions::Exceptions;
use super::render::Layout;
use super::scalars::Quotes;
use super::sheet::Sheet;
use crate::support::engine::{self, Run};
use crate::support::random::Random;
use crate::support::{packs, values};

/// The result of a law for a case that does not break it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It holds.
    Holds,
    /// It does not apply to the case.
    NotApplicable,
}

/// A law, by the name that tests print.
pub(crate) struct Law {
    pub(crate) name: &'static str,
    pub(crate) check: fn(&Subject<'_>) -> Result<Verdict, String>,
}

/// A case, and the conversions of its file, which are computed once.
pub(crate) struct Subject<'a> {
    directed: &'a DirectedRule<'a>,
    case: &'a Case,
    sheet: Sheet,
    rule_outcome: OnceCell<RuleOutcome<'static>>,
    start: OnceCell<Result<Run, String>>,
    run: OnceCell<Result<Run, String>>,
    round_trip: OnceCell<Result<Option<RoundTrip>, String>>,
}

impl<'a> Subject<'a> {
    /// Writes the file of `case`.
    pub(crate) fn new(directed: &'a DirectedRule<'a>, case: &'a Case) -> Self {
        let (rule_outcome, round_trip) = (OnceCell::new(), OnceCell::new());
        let (start, run) = (OnceCell::new(), OnceCell::new());
        Self { directed, case, sheet: Sheet::of(case), rule_outcome, start, run, round_trip }
    }

    /// Returns what the rules make of the object's data.
    fn rule_outcome(&self) -> &RuleOutcome<'static> {
        let Case { kind, object, target, .. } = self.case;
        self.rule_outcome.get_or_init(|| self.directed.run_rules(kind, object, *target))
    }

    /// Converts a text to a release.
    fn convert(&self, release: ReleaseId, text: &str) -> Result<Run, String> {
        engine::convert(self.directed.target(release), default_choices(), text)
    }

    /// Returns the file as the program writes it for the release that the object was drawn for.
    fn start(&self) -> Result<&Run, String> {
        let start = self.start.get_or_init(|| self.convert(self.case.start, &self.sheet.text));
        start.as_ref().map_err(Clone::clone)
    }

    /// Returns the file converted to the target.
    fn run(&self) -> Result<&Run, String> {
        let run = self.run.get_or_init(|| self.convert(self.case.target, &self.sheet.text));
        run.as_ref().map_err(Clone::clone)
    }

    /// Returns the file converted to the target and back, starting from the file that the program writes for the first release.
    fn round_trip(&self) -> Result<Option<&RoundTrip>, String> {
        let round_trip = self.round_trip.get_or_init(|| convert_both_ways(self));
        round_trip.as_ref().map(Option::as_ref).map_err(Clone::clone)
    }
}

/// Every law of one object and one rule.
pub(crate) const LAWS: &[Law] = &[
    Law { name: "the inverse lens restores the data", check: lens_is_inverted },
    Law { name: "the lens is idempotent", check: lens_is_idempotent },
    Law { name: "converting back restores the data", check: data_is_restored },
    Law { name: "converting back restores the text", check: text_is_restored },
    Law { name: "converting back restores a text of the program", check: own_text_is_restored },
    Law { name: "a second run changes nothing", check: second_run },
    Law { name: "two steps equal one step", check: two_steps },
    Law { name: "what is left unchanged keeps its bytes", check: locality },
    Law { name: "inference agrees", check: inference },
    Law { name: "held-back objects are unchanged and reported", check: held_back },
    Law { name: "the order of files does not matter", check: any_order },
    Law { name: "broken bytes are handled", check: broken_bytes },
];

/// Runs a law; a panic breaks it.
pub(crate) fn run(law: &Law, subject: &Subject<'_>) -> Result<Verdict, String> {
    let outcome = catch_unwind(AssertUnwindSafe(|| (law.check)(subject)));
    outcome.unwrap_or_else(|panic| Err(format!("panic: {}", panic_message(&panic))))
}

/// Returns the message of a panic.
fn panic_message(panic: &Box<dyn Any + Send>) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
}

fn ensure(holds: bool, message: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(message()) }
}

/// L1, L2 on data: the lens and its inverse.
///
/// A rule of exact operations restores the data, unless it reports a normalized value. Any other one may restore equivalent data,
/// which converts forward to the same data again.
fn lens_is_inverted(subject: &Subject<'_>) -> Result<Verdict, String> {
    let Subject { directed, case, .. } = subject;
    let is_elsewhere = case.kind != *directed.rule.from_kind(directed.direction) || directed.rule.within.is_some();
    if is_elsewhere || !starts_from_version(directed, case) {
        return Ok(Verdict::NotApplicable);
    }
    let run_lens = |object: &Value, direction: Direction| {
        let mut started = session(object.clone());
        directed.rule.lens(direction).run(&mut started).map(|()| started)
    };
    let Ok(forward) = run_lens(&case.object, directed.direction) else { return Ok(Verdict::NotApplicable) };
    if !forward.losses().is_empty() || forward.program().is_empty() {
        return Ok(Verdict::NotApplicable);
    }
    let describe_halt =
        |halt| format!("{} became {}, and converting back halts: {halt:?}", case.object, forward.object());
    let backward = run_lens(forward.object(), directed.direction.reversed());
    if matches!(backward, Err(Halt::Refused { .. })) && Exceptions::of_all().is_one_way(&directed.rule.id) {
        return Ok(Verdict::NotApplicable);
    }
    let backward = backward.map_err(describe_halt)?;
    ensure(backward.losses().is_empty(), || format!("converting back loses: {:?}", backward.losses()))?;
    if is_exact(directed.rule) && forward.normalized().is_empty() {
        ensure(*backward.object() == case.object, || {
            format!("through {} the data was restored as {}", forward.object(), backward.object())
        })?;
    } else {
        let again = run_lens(backward.object(), directed.direction)
            .map_err(|halt| format!("the second forward conversion halts: {halt:?}"))?;
        ensure(again.object() == forward.object(), || {
            format!(
                "it became {}, was restored as {} and became {}",
                forward.object(),
                backward.object(),
                again.object()
            )
        })?;
    }
    Ok(Verdict::Holds)
}

/// Returns whether the object of a case has the fields that a rule starts from: a rule between two apiVersions runs on objects of one.
fn starts_from_version(directed: &DirectedRule<'_>, case: &Case) -> bool {
    directed.rule.api_versions.as_ref().is_none_or(|[old, new]| match directed.direction {
        Direction::Forward => old.version == case.version,
        Direction::Backward => new.version == case.version,
    })
}

/// L4 on data.
fn lens_is_idempotent(subject: &Subject<'_>) -> Result<Verdict, String> {
    let Subject { directed, case, .. } = subject;
    // Once an object has another kind, no rule of the old kind is run on it again.
    let rule_outcome = subject.rule_outcome();
    let kinds = [&case.kind, &rule_outcome.kind];
    if rule_outcome.refused.is_some()
        || !starts_from_version(directed, case)
        || Exceptions::of_all().runs_once(&directed.rule.id)
        || kinds.into_iter().any(|kind| kind != directed.rule.from_kind(directed.direction))
    {
        return Ok(Verdict::NotApplicable);
    }
    let mut once = session(case.object.clone());
    let lens = directed.rule.lens(directed.direction);
    if lens.run(&mut once).is_err() || once.program().is_empty() {
        return Ok(Verdict::NotApplicable);
    }
    let mut twice = session(once.object().clone());
    lens.run(&mut twice).map_err(|halt| format!("the second run halts: {halt:?}"))?;
    ensure(twice.program().is_empty(), || format!("the second run does {:?}", twice.program()))?;
    Ok(Verdict::Holds)
}

/// The operations that always restore what they changed, or report that they do not.
const EXACT: &[&str] = &["rename", "move", "wrap", "values", "entries", "retype", "when", "refuse"];

/// Returns whether a rule is made of exact operations only.
fn is_exact(rule: &Rule) -> bool {
    fn steps(lens: &Value) -> bool {
        lens.as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_object)
            .flatten()
            .all(|(name, written)| EXACT.contains(&name.as_str()) && written.get("then").is_none_or(steps))
    }
    let exceptions = Exceptions::of_all();
    !exceptions.gathers(&rule.id)
        && !exceptions.has_synonyms(&rule.id)
        && serde_yaml::from_str::<Value>(&rule.text).is_ok_and(|lens| steps(&lens))
}

/// Returns whether a run used a rule about where an object comes from, which a step in between can hide.
fn depends_on_origin(directed: &DirectedRule<'_>, run: &Run) -> bool {
    let used = run.plan.objects.iter().flat_map(|object| &object.rules);
    let needs = |id: &str| directed.pack.rules().iter().any(|rule| rule.id == id && rule.needs.is_some());
    used.into_iter().any(|(id, _)| needs(id))
}

/// Returns whether every rule that a run used is exact, and nothing was normalized.
fn is_exact_run(directed: &DirectedRule<'_>, run: &Run) -> bool {
    let used = run.plan.objects.iter().flat_map(|object| &object.rules);
    let exact = |id: &str| directed.pack.rules().iter().filter(|rule| rule.id == id).all(is_exact);
    !run.reports(Code::Normalized) && used.into_iter().all(|(id, _)| exact(id))
}

/// The file of a case as the program writes it for its first release, converted forward and back.
struct RoundTrip {
    forward: Run,
    backward: Run,
}

/// Returns whether an object breaks a rule of its release with one of the two spellings that keys of protocol buffers have, and was
/// drawn with the other one, which schemas say nothing about.
fn is_invalid_in_camel_case(subject: &Subject<'_>) -> bool {
    let Subject { directed, case, .. } = subject;
    let catalog = directed.pack.catalog(&case.kind);
    catalog.is_some_and(|catalog| !catalog.check(&in_camel_case(&case.object), case.start, &case.version).is_empty())
}

/// Returns `value` with every key such as `use_source_ip` in camelCase, where the mapping has no such key.
fn in_camel_case(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let spelled = |key: &String| {
                let mut parts = key.split('_');
                let first = parts.next().unwrap_or_default().to_owned();
                let capital =
                    |part: &str| part.get(..1).unwrap_or_default().to_uppercase() + part.get(1..).unwrap_or_default();
                let camel = first + &parts.map(capital).collect::<String>();
                if map.contains_key(&camel) { key.clone() } else { camel }
            };
            Value::Object(map.iter().map(|(key, value)| (spelled(key), in_camel_case(value))).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(in_camel_case).collect()),
        other => other.clone(),
    }
}

/// Converts to the target and back; `None` where something is held back or may be removed by the conversion.
fn convert_both_ways(subject: &Subject<'_>) -> Result<Option<RoundTrip>, String> {
    let case = subject.case;
    let start = subject.start()?;
    if !start.is_lossless() {
        return Ok(None);
    }
    let forward = subject.convert(case.target, &start.after)?;
    if !forward.is_lossless() || forward.before == forward.after {
        return Ok(None);
    }
    let used = forward.plan.objects.iter().flat_map(|object| &object.rules);
    if forward.reports(Code::Advisory) && used.into_iter().any(|(id, _)| Exceptions::of_all().forgets(id)) {
        return Ok(None);
    }
    let backward = subject.convert(case.start, &forward.after)?;
    let style = &subject.sheet.style;
    let has_brackets = style.flow > 0 || style.layout == Layout::Flow;
    if backward.reports(Code::NotEditable) && (forward.before.contains('&') || has_brackets) {
        // An anchor got a line of its own when its list was unwrapped, or brackets of several lines moved.
        return Ok(None);
    }
    if backward.holds_back() && (start.reports(Code::AlreadyInvalid) || is_invalid_in_camel_case(subject)) {
        // The object broke a rule of its first release that no schema expresses, and the other release does not have that rule.
        return Ok(None);
    }
    let depends = [&forward, &backward].into_iter().any(|run| depends_on_origin(subject.directed, run));
    if depends {
        return Ok(None);
    }
    if backward.reports(Code::LessStableVersion) && Exceptions::of_all().is_one_way(&subject.directed.rule.id) {
        // What the newer apiVersion refuses keeps the one that it got, which the first release serves too.
        return Ok(None);
    }
    let is_one_way = |rule: &str| backward.blocking().iter().all(|finding| finding.message.contains(rule));
    let exceptions = Exceptions::of_all();
    let is_expected = || exceptions.is_one_way(&subject.directed.rule.id) || exceptions.one_way_rules().any(is_one_way);
    if backward.holds_back() && is_expected() {
        return Ok(None);
    }
    if backward.reports(Code::CommentDropped) && !is_exact_run(subject.directed, &forward) {
        // What the conversion wrote is next to a comment, which is removed with it.
        return Ok(None);
    }
    ensure(backward.is_lossless(), || {
        format!("converting back reports {:?}\nof\n{}", backward.plan.findings, forward.after)
    })?;
    Ok(Some(RoundTrip { forward, backward }))
}

/// L1, L2 through the engine, on data, in every style; a reference keeps a version that both releases serve.
///
/// Exact rules restore what they changed. If another one was used, the second forward conversion equals the first; if
/// converting back reports a normalized value, the second backward conversion equals the first.
fn data_is_restored(subject: &Subject<'_>) -> Result<Verdict, String> {
    let Subject { directed, case, .. } = subject;
    let Some(round_trip) = subject.round_trip()? else { return Ok(Verdict::NotApplicable) };
    let (forward, backward) = (&round_trip.forward, &round_trip.backward);
    if is_exact_run(directed, forward) {
        let same = is_same(subject, &forward.before, &backward.after, &[case.start, case.target])?;
        ensure(same, || format!("converting back gives other data: {}", describe_round_trip(forward, backward)))?;
        return Ok(Verdict::Holds);
    }
    let again = subject.convert(case.target, &backward.after)?;
    let same = if backward.reports(Code::Normalized) {
        values(&subject.convert(case.start, &again.after)?.after)? == values(&backward.after)?
    } else {
        values(&forward.after)? == values(&again.after)?
    };
    ensure(same, || {
        let (forward, backward) = (&forward.after, &backward.after);
        format!("it became\n{forward}\n--- was restored as\n{backward}\n--- and became\n{}", again.after)
    })?;
    Ok(Verdict::Holds)
}

/// L7: byte for byte, unless the program would have written the file otherwise.
fn text_is_restored(subject: &Subject<'_>) -> Result<Verdict, String> {
    if !is_as_the_program_writes(subject)? {
        return Ok(Verdict::NotApplicable);
    }
    let Some(round_trip) = subject.round_trip()? else { return Ok(Verdict::NotApplicable) };
    let (before, after) = (&round_trip.forward.before, &round_trip.backward.after);
    let releases = [subject.case.start, subject.case.target];
    let keeps_version = values(before)? != values(after)? && is_same(subject, before, after, &releases)?;
    if keeps_version || !is_exact_run(subject.directed, &round_trip.forward) {
        return Ok(Verdict::NotApplicable);
    }
    ensure(round_trip.forward.before == round_trip.backward.after, || {
        describe_round_trip(&round_trip.forward, &round_trip.backward)
    })?;
    Ok(Verdict::Holds)
}

/// L7 in every style: a text written by the program is restored byte for byte.
///
/// Two things need more than one round trip to become stable and are excluded: stray comments in reindented lines, and moved
/// brackets with lines that are indented less than their start. Rules that do not restore the order of fields are excluded too,
/// and an item whose first entry was removed from above a blank line: its dash stays alone, until the item is written anew.
fn own_text_is_restored(subject: &Subject<'_>) -> Result<Verdict, String> {
    let case = subject.case;
    let style = &subject.sheet.style;
    let Some(first) = subject.round_trip()? else { return Ok(Verdict::NotApplicable) };
    let start = &first.backward;
    let moves = |run: &Run| intents(subject, run).iter().any(|intent| matches!(intent, Intent::Move { .. }));
    // The program writes the file for the first release too, perhaps with another apiVersion.
    let moves = moves(subject.start()?) || moves(start);
    if style.stray_comments || moves && (style.flow > 0 || style.layout == Layout::Flow) {
        return Ok(Verdict::NotApplicable);
    }
    let mut used = [&first.forward, &first.backward].into_iter().flat_map(|run| &run.plan.objects);
    if used.any(|object| object.rules.iter().any(|(rule, _)| Exceptions::of_all().gathers(rule))) {
        return Ok(Verdict::NotApplicable);
    }
    let mut lines = start.after.lines().zip(start.after.lines().skip(1));
    if lines.any(|(line, next)| line.trim() == "-" && next.trim().is_empty()) {
        return Ok(Verdict::NotApplicable);
    }
    let forward = subject.convert(case.target, &start.after)?;
    let backward = subject.convert(case.start, &forward.after)?;
    if [&forward, &backward].iter().any(|run| run.reports(Code::CommentDropped)) {
        return Ok(Verdict::NotApplicable);
    }
    ensure(forward.before == backward.after, || describe_round_trip(&forward, &backward))?;
    Ok(Verdict::Holds)
}

fn describe_round_trip(forward: &Run, backward: &Run) -> String {
    let (start, forward, backward) = (&forward.before, &forward.after, &backward.after);
    format!("the restored text differs\n--- start\n{start}\n--- forward\n{forward}\n--- backward\n{backward}")
}

/// Returns whether what the conversion removes from the file of the first release is written as converting back writes it.
///
/// Only bytes that the program itself must write again are lost:
/// - a kind, group or apiVersion as block scalar, the quotes of an empty text that becomes another one, and those of a text
///   that becomes an empty one, a mapping or a list;
/// - the indentation, gap, line or brackets of a list that is unwrapped, and the quotes of a key that is;
/// - of a mapping that is emptied or filled by a move: its brackets (JSON's too), its anchor, the quotes of its key, adjacent
///   blank lines;
/// - the column of a comment that is not aligned with its entry, in reindented lines.
fn is_as_the_program_writes(subject: &Subject<'_>) -> Result<bool, String> {
    let start = subject.start()?;
    let (text, style) = (&start.after, &subject.sheet.style);
    let block = style.layout == Layout::Block && style.flow == 0;
    let lone_dash = |line: &str| {
        let rest = line.trim().strip_prefix('-').map(str::trim);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('#'))
    };
    let plain_lists = block && style.list_step == 0 && style.dash_gap == 1 && !text.lines().any(lone_dash);
    let plain_mappings = block && style.anchors == 0 && style.quotes == Quotes::Fewest && style.blank_lines == 0;
    let fits = |intent: &Intent| match intent {
        Intent::Wrap { path } if path.last_key().is_none() => !style.stray_comments,
        // The key goes with its quotes.
        Intent::Unwrap { .. } => plain_lists && style.quotes == Quotes::Fewest && !style.stray_comments,
        Intent::MappingToList { .. } | Intent::ListToMapping { .. } | Intent::Wrap { .. } => {
            plain_lists && !style.stray_comments
        }
        Intent::Move { .. } | Intent::MoveItems { .. } => plain_mappings && plain_lists && !style.stray_comments,
        Intent::Insert { path, .. } if path.last_key().is_none() => true,
        Intent::Delete { .. } | Intent::Insert { .. } => plain_mappings && !style.stray_comments,
        Intent::ParseText { .. } | Intent::WriteText { .. } => plain_lists && plain_mappings && !style.stray_comments,
        // A text that becomes empty is written as two quotes, and one that becomes a mapping or list has none.
        Intent::Replace { value, .. } if value == "" || value.is_object() || value.is_array() => {
            style.quotes == Quotes::Fewest
        }
        Intent::Replace { .. } => !text.contains("''") && !text.contains("\"\""),
        Intent::Rename { .. } => true,
    };
    Ok(intents(subject, start).iter().all(fits) && !names_in_block_scalars(text)?)
}

/// Returns what the rules change of the objects that `run` gives, which may have another apiVersion than the one that was drawn.
fn intents(subject: &Subject<'_>, run: &Run) -> Vec<Intent> {
    let Subject { directed, case, .. } = subject;
    let outcome = |object: &ObjectPlan| directed.run_rules(&object.to.0, &data(object).after, case.target);
    run.plan.objects.iter().flat_map(|object| outcome(object).session.program().to_vec()).collect()
}

/// Returns whether a kind, group or apiVersion is a block scalar (`|` or `>`).
fn names_in_block_scalars(text: &str) -> Result<bool, String> {
    let tree = yaml::parse(text).map_err(|problem| format!("{problem:?}"))?;
    for (document, value) in tree.documents().iter().zip(values(text)?) {
        for (path, _) in walk(&value) {
            if matches!(path.last_key(), Some("kind" | "group" | "apiGroup" | "apiVersion")) {
                let node = find_node(&tree, text, document.root, &path).map_err(|problem| format!("{problem:?}"))?;
                if tree.span(node).of(text).starts_with(['|', '>']) {
                    return Ok(true);
                }
            }
        }
    }
    Ok(false)
}

/// L4: at the target nothing changes.
fn second_run(subject: &Subject<'_>) -> Result<Verdict, String> {
    let case = subject.case;
    let once = subject.run()?;
    let twice = subject.convert(case.target, &once.after)?;
    ensure(twice.plan.files.is_empty(), || format!("the second run makes of\n{}\nthis:\n{}", once.after, twice.after))?;
    Ok(if once.before == once.after { Verdict::NotApplicable } else { Verdict::Holds })
}

/// L5: over a release in between, by bytes; by data where a kind or group is a block scalar, which is written anew with
/// each change, and where the only list of the file, whose style a new one has, is gone in between.
///
/// An object that a rule changes in its own release was not one of that release, so the law does not apply to it. A reference whose
/// kind changes gets the newest version of the target, and keeps one that is served: its version differs where the release in between
/// has an older one.
fn two_steps(subject: &Subject<'_>) -> Result<Verdict, String> {
    let Subject { directed, case, .. } = subject;
    let line = directed.pack.line();
    let order = |release| line.get(release).order;
    let (low, high) = (order(case.start).min(order(case.target)), order(case.start).max(order(case.target)));
    let channels = [&line.get(case.start).channel, &line.get(case.target).channel];
    let inside = line.iter().filter(|(_, release)| low < release.order && release.order < high);
    let between: Vec<_> =
        inside.filter(|(_, release)| channels.contains(&&release.channel)).map(|(id, _)| id).collect();
    if between.is_empty() || Exceptions::of_all().changes_invalid(&directed.rule.id) {
        return Ok(Verdict::NotApplicable);
    }
    let intermediate = *Random::new(case.style, &["two steps"], 0).pick(&between);
    let direct = subject.run()?;
    let first = subject.convert(intermediate, &subject.sheet.text)?;
    let second = subject.convert(case.target, &first.after)?;
    if !direct.is_lossless() || !first.is_lossless() || !second.is_lossless() || direct.before == direct.after {
        return Ok(Verdict::NotApplicable);
    }
    if [direct, &first, &second].into_iter().any(|run| depends_on_origin(directed, run)) {
        return Ok(Verdict::NotApplicable);
    }
    if subject.start()?.plan.objects.iter().any(|object| !object.rules.is_empty()) {
        return Ok(Verdict::NotApplicable);
    }
    let differs = values(&direct.after)? != values(&second.after)?;
    let differs_in_references = differs && is_same(subject, &direct.after, &second.after, &[case.target])?;
    let has_list = |text: &str| text.lines().any(|line| line.trim() == "-" || line.trim_start().starts_with("- "));
    let style_is_gone = has_list(&subject.sheet.text) && !has_list(&first.after);
    if style_is_gone || names_in_block_scalars(&subject.sheet.text)? {
        ensure(!differs || differs_in_references, || "the data differs".to_owned())?;
        return Ok(Verdict::Holds);
    }
    ensure(direct.after == second.after || differs_in_references, || {
        let intermediate = directed.target(intermediate);
        format!(
            "through {intermediate} it is\n{}\n--- in between\n{}\n--- direct\n{}",
            second.after, first.after, direct.after
        )
    })?;
    Ok(Verdict::Holds)
}

/// Returns whether two texts have the same data, but that a reference in `after` may have another version that all `releases` serve: it is kept.
fn is_same(subject: &Subject<'_>, before: &str, after: &str, releases: &[ReleaseId]) -> Result<bool, String> {
    let pack = subject.directed.pack;
    let [mut old, mut new] = [Vec::new(), Vec::new()];
    let mut documents = [values(before)?, values(after)?];
    for (documents, versions) in documents.iter_mut().zip([&mut old, &mut new]) {
        documents.iter_mut().for_each(|document| take_reference_versions(document, true, versions));
    }
    let is_served = |(kind, version): &(Option<Value>, String)| {
        let (group, version) = version.split_once('/').unwrap_or(("", version));
        let named =
            |one: &&GroupKind| one.group == group && kind.as_ref().is_none_or(|kind| *kind == one.kind.as_str());
        let mut catalogs = pack.kinds().filter(named).filter_map(|kind| pack.catalog(kind));
        let serves = |catalog: &Catalog, release| catalog.served(release).iter().any(|served| served.name == version);
        catalogs.any(|catalog| releases.iter().all(|release| serves(catalog, *release)))
    };
    let [before, after] = documents;
    Ok(before == after && old.iter().zip(&new).all(|(old, new)| old == new || is_served(new)))
}

/// Reduces the apiVersion of every reference in an object, or in a list of objects, to its group; adds these versions with the kinds to `versions`.
fn take_reference_versions(value: &mut Value, is_object: bool, versions: &mut Vec<(Option<Value>, String)>) {
    match value {
        Value::Object(map) => {
            // One without a name is about several objects, and one without a kind about a kind that the field implies.
            let is_reference = (map.contains_key("name") || !map.contains_key("metadata")) && !is_object;
            let kind = map.get("kind").cloned();
            if let Some(Value::String(version)) = map.get_mut("apiVersion").filter(|_| is_reference) {
                let group = version.split('/').next().unwrap_or_default().to_owned();
                versions.push((kind, std::mem::replace(version, group)));
            }
            map.values_mut().for_each(|value| take_reference_versions(value, false, versions));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| take_reference_versions(item, false, versions)),
        _ => {}
    }
}

/// L6: a value that is at the same place before and after lies outside all edits, and so does its key.
///
/// An equal one that another place gave to it is not the value that was there.
fn locality(subject: &Subject<'_>) -> Result<Verdict, String> {
    let run = subject.run()?;
    let Some(file) = run.plan.files.first() else { return Ok(Verdict::NotApplicable) };
    ensure(*file.before == *run.before && file.edits.apply(&file.before) == run.after, || {
        "the edits are not the change".to_owned()
    })?;
    let tree = yaml::parse(&file.before).map_err(|problem| format!("{problem:?}"))?;
    for (document, (before, after)) in
        tree.documents().iter().zip(values(&file.before)?.iter().zip(values(&file.after())?))
    {
        if *before == after {
            untouched(file, document.span, || format!("the document {before}"))?;
        }
        let is_unchanged = |(path, value): &(FieldPath, &Value)| {
            path.get(&after) == Some(value) && !is_moved(path, before, &after) && comes_from_itself(subject, path)
        };
        for (path, value) in walk(before).into_iter().filter(is_unchanged) {
            let node =
                find_node(&tree, &file.before, document.root, &path).map_err(|problem| format!("{problem:?}"))?;
            let key = locate(&tree, &file.before, document.root, &path);
            if !path.steps().is_empty() && path.last_key().is_some() {
                untouched(file, key, || format!("the key of {path}"))?;
            }
            if !value.is_null() && !value.is_object() && !value.is_array() {
                untouched(file, tree.span(node), || format!("{path}"))?;
            }
        }
    }
    Ok(Verdict::Holds)
}

/// Returns whether the rules leave what is at `path`, in the object or in a list of objects, where it was.
fn comes_from_itself(subject: &Subject<'_>, path: &FieldPath) -> bool {
    let path = match path.steps() {
        [Step::Key(items), Step::Index(_), inside @ ..] if items == "items" => FieldPath::new(inside.iter().cloned()),
        _ => path.clone(),
    };
    subject.rule_outcome().session.origin(&path) == path
}

/// Returns whether `path` leads into a list that has another length afterwards, so that its items have other numbers.
fn is_moved(path: &FieldPath, before: &Value, after: &Value) -> bool {
    let length = |list: &FieldPath, value: &Value| list.get(value).and_then(Value::as_array).map(Vec::len);
    let lists = (0..path.steps().len()).map(|depth| FieldPath::new(path.steps()[..depth].iter().cloned()));
    lists.into_iter().any(|list| length(&list, before) != length(&list, after))
}

fn untouched(
    file: &reversion::internals::edits::FilePlan,
    span: Span,
    what: impl Fn() -> String,
) -> Result<(), String> {
    let hit = file.edits.edits().iter().find(|edit| edit.span.start < span.end && span.start < edit.span.end);
    ensure(hit.is_none(), || format!("{hit:?} touches {} in\n{}\nwhich becomes\n{}", what(), file.before, file.after()))
}

/// L8: the release an object is drawn for is among its candidates, and the target after the conversion.
fn inference(subject: &Subject<'_>) -> Result<Verdict, String> {
    let Subject { directed, case, .. } = subject;
    let line = directed.pack.line();
    let catalog = directed.pack.catalog(&case.kind).ok_or("no catalog")?;
    let before = infer(&case.object, catalog, &case.version);
    ensure(before.candidates.contains(case.start), || {
        format!(
            "drawn for {}, detected as {}: {:?}",
            line.get(case.start),
            line.describe(before.candidates),
            before.evidence
        )
    })?;
    let run = subject.run()?;
    for object in run.plan.objects.iter().filter(|object| object.outcome != Outcome::HeldBack) {
        let Some(catalog) = directed.pack.catalog(&object.to.0) else { continue };
        let data = data(object);
        let after = infer(&data.after, catalog, &object.to.1.version);
        ensure(after.candidates.contains(case.target) && after.serving.contains(case.target), || {
            let (fields, serving) = (line.describe(after.candidates), line.describe(after.serving));
            format!("converted to {}, detected as {fields}, served in {serving}: {}", line.get(case.target), data.after)
        })?;
        ensure(after.unknown.len() == before.unknown.len(), || {
            format!("fields that no release has: {:?} before, {:?} after", before.unknown, after.unknown)
        })?;
    }
    Ok(Verdict::Holds)
}

/// Returns an object's data, which a plan records by default.
fn data(object: &ObjectPlan) -> &Sides {
    object.data.as_deref().expect("the plan was made with default choices")
}

/// An object that is held back keeps its data and its document's bytes, and a finding gives the reason.
fn held_back(subject: &Subject<'_>) -> Result<Verdict, String> {
    let case = subject.case;
    let (sheet, run) = (&subject.sheet, subject.run()?);
    let held: Vec<&ObjectPlan> = run.plan.objects.iter().filter(|object| object.outcome == Outcome::HeldBack).collect();
    for object in &held {
        let reported = run.blocking().into_iter().any(|finding| {
            finding.object.as_ref().is_some_and(|subject| subject.location == object.location)
                && !finding.message.trim().is_empty()
                && finding.location.position.is_some()
        });
        ensure(reported, || format!("no finding explains why {} is held back: {:?}", object.title, run.plan.findings))?;
        ensure(data(object).before == data(object).after && object.rules.is_empty(), || {
            format!("{} is held back and changes", object.title)
        })?;
    }
    if held.is_empty() {
        ensure(run.blocking().is_empty(), || format!("nothing is held back, but {:?}", run.blocking()))?;
        return Ok(Verdict::NotApplicable);
    }
    // Only references may change in the other documents, which are of no pack and name the same kinds.
    let after = values(&run.after)?;
    let kept = sheet.documents.iter().zip(&after).filter(|(before, _)| holds(before, &case.object));
    for (before, after) in kept {
        ensure(holds(after, &case.object), || format!("it is held back, and {before} became {after}"))?;
    }
    Ok(Verdict::Holds)
}

/// Returns whether a document is `object`, or a list with it.
fn holds(document: &Value, object: &Value) -> bool {
    document == object || document["items"].as_array().is_some_and(|items| items.contains(object))
}

/// L11: runs are deterministic and independent of the order of files. It takes longer than all other laws together, and depends little on the
/// rule: one case of four shows it.
fn any_order(subject: &Subject<'_>) -> Result<Verdict, String> {
    let Subject { directed, case, .. } = subject;
    if !case.style.is_multiple_of(4) {
        return Ok(Verdict::NotApplicable);
    }
    let target = directed.target(case.target);
    let first = &subject.sheet.text;
    let second = Sheet::of(&Case { style: case.style ^ 1, ..(*case).clone() }).text;
    let (first, second) = (("a.yaml", first.as_str()), ("b.yaml", second.as_str()));
    let in_order = plan_files(target, [first, second])?;
    let again = plan_files(target, [first, second])?;
    let backward = plan_files(target, [second, first])?;
    ensure(format!("{in_order:?}") == format!("{again:?}"), || "two runs differ".to_owned())?;
    let files = |plan: &Plan| {
        let mut files: Vec<_> = plan.files.iter().map(|file| (file.file.clone(), file.after())).collect();
        files.sort();
        files
    };
    ensure(files(&in_order) == files(&backward), || {
        format!("{:?}\nbecomes\n{:?}", files(&in_order), files(&backward))
    })?;
    ensure(in_order.findings == backward.findings, || {
        format!("{:?}\nbecomes\n{:?}", in_order.findings, backward.findings)
    })?;
    Ok(if in_order.files.is_empty() { Verdict::NotApplicable } else { Verdict::Holds })
}

fn plan_files(target: Target<'_>, files: [(&str, &str); 2]) -> Result<Plan, String> {
    let read = |(file, text): (&str, &str)| engine::read(file, text.as_bytes());
    let manifests = files.into_iter().map(read).collect::<Result<Vec<_>, _>>()?;
    Ok(engine::plan(target, default_choices(), &manifests))
}

/// The choices that the command line makes where its user makes none.
fn default_choices() -> Choices {
    Choices { parameters: packs().default_parameters(), ..Choices::default() }
}

/// L9: any bytes give a result, and written files can be read.
fn broken_bytes(subject: &Subject<'_>) -> Result<Verdict, String> {
    let Subject { directed, case, .. } = subject;
    let mut random = Random::new(case.style, &["broken bytes"], 0);
    let mut bytes = subject.sheet.text.clone().into_bytes();
    for _ in 0..=random.below(4) {
        break_bytes(&mut bytes, &mut random);
    }
    let Ok(manifest) = engine::read("case.yaml", &bytes) else { return Ok(Verdict::NotApplicable) };
    let target = directed.target(case.target);
    let plan = catch_unwind(AssertUnwindSafe(|| engine::plan(target, default_choices(), &[manifest])));
    let shown = String::from_utf8_lossy(&bytes);
    let plan = plan.map_err(|panic| format!("planning panics: {}, on\n{shown}", panic_message(&panic)))?;
    for file in &plan.files {
        if let Ok(before) = values(&file.before) {
            let after = values(&file.after()).map_err(|message| format!("{message}, made of\n{shown}"))?;
            ensure(before.len() == after.len(), || format!("another number of documents, made of\n{shown}"))?;
        }
    }
    Ok(Verdict::Holds)
}

fn break_bytes(bytes: &mut Vec<u8>, random: &mut Random) {
    if bytes.is_empty() {
        return;
    }
    let at = random.below(bytes.len());
    let end = (at + 1 + random.below(12)).min(bytes.len());
    match random.below(6) {
        0 => drop(bytes.drain(at..end)),
        1 => bytes.truncate(at),
        2 => bytes.insert(at, *random.pick(b"\n\t :-{}[],&*#?|>'\"!%@`\r\0\x7f~<")),
        3 => bytes[at] = *random.pick(b"\n\t :-{}[],&*#?|>'\"a\xff\xc3"),
        4 => {
            let copy = bytes[at..end].to_vec();
            let to = random.below(bytes.len());
            bytes.splice(to..to, copy);
        }
        _ => {
            let line = bytes[at..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |line| at + line + 1);
            bytes
                .splice(line..line, random.pick(&["  ", "<<: *a1\n", "- x\n", "? a\n", "--- |\n", "*a1: 1\n"]).bytes());
        }
    }
}

/// The outcome of a case: whether the rule applies to it, and whether it was changed or held back.
pub(crate) struct Outcomes {
    pub(crate) applies: bool,
    pub(crate) is_changed: bool,
    pub(crate) is_held: bool,
}

/// Returns the outcome of a case.
pub(crate) fn outcomes(subject: &Subject<'_>) -> Result<Outcomes, String> {
    let run = subject.run()?;
    let is_changed = run.plan.objects.iter().any(|object| object.outcome == Outcome::Changed);
    Ok(Outcomes { applies: subject.rule_outcome().applies, is_changed, is_held: run.holds_back() })
}
