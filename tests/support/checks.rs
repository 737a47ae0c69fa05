//! Answers: does this law hold for this case?
//!
//! One function for each law, on the file of a case. A law returns [`Verdict::Silent`] where it does not apply to the case, with
//! the reason; the table at the end of the run counts both, so that a law that never applies is noticed.
//!
//! Invariant: a law reads only what the program reports and writes.

use std::any::Any;
use std::cell::OnceCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use reversion::field::FieldPath;
use reversion::finding::Code;
use reversion::infer::infer;
use reversion::lens::{Direction, Halt, Session};
use reversion::pack::{Packs, Rule};
use reversion::plan::{ObjectPlan, Outcome, Sides};
use reversion::release::ReleaseId;
use reversion::text::Span;
use reversion::yaml::{self, Intent, find_node, locate, read_value};
use serde_json::Value;

use super::cases::{Case, Course, Passage, walk};
use super::engine::{self, Run};
use super::random::Random;
use super::render::Layout;
use super::scalars::Quotes;
use super::sheet::Sheet;

/// The result of a law for a case that does not break it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It holds.
    Holds,
    /// It does not apply to the case.
    Silent,
}

/// A law, by the name that tests print.
pub(crate) struct Law {
    pub(crate) name: &'static str,
    pub(crate) check: fn(&Subject<'_>) -> Result<Verdict, String>,
}

/// A case, and the conversions of its file, which are computed once.
pub(crate) struct Subject<'a> {
    packs: &'a Packs,
    course: &'a Course<'a>,
    case: &'a Case,
    sheet: Sheet,
    passage: OnceCell<Passage<'static>>,
    start: OnceCell<Result<Run, String>>,
    run: OnceCell<Result<Run, String>>,
    trip: OnceCell<Result<Option<RoundTrip>, String>>,
}

impl<'a> Subject<'a> {
    /// Writes the file of `case`.
    pub(crate) fn new(packs: &'a Packs, course: &'a Course<'a>, case: &'a Case) -> Self {
        let (passage, trip) = (OnceCell::new(), OnceCell::new());
        let (start, run) = (OnceCell::new(), OnceCell::new());
        Self { packs, course, case, sheet: Sheet::of(case), passage, start, run, trip }
    }

    /// Returns what the rules make of the object's data.
    fn passage(&self) -> &Passage<'static> {
        let Case { kind, object, target, .. } = self.case;
        self.passage.get_or_init(|| self.course.run_rules(kind, object, *target))
    }

    /// Takes a text to a release.
    fn convert(&self, release: ReleaseId, text: &str) -> Result<Run, String> {
        engine::convert(self.packs, self.course.target(release), text)
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
    fn trip(&self) -> Result<Option<&RoundTrip>, String> {
        let trip = self.trip.get_or_init(|| round_trip(self));
        trip.as_ref().map(Option::as_ref).map_err(Clone::clone)
    }
}

/// Every law of one object and one rule.
pub(crate) const LAWS: &[Law] = &[
    Law { name: "the lens gives the data back", check: lens_returns },
    Law { name: "the lens run twice is the lens run once", check: lens_twice },
    Law { name: "the data comes back", check: data_returns },
    Law { name: "the text comes back", check: text_returns },
    Law { name: "a text of its own comes back", check: own_text_returns },
    Law { name: "a second run changes nothing", check: second_run },
    Law { name: "one step is two steps", check: two_steps },
    Law { name: "what is left unchanged keeps its bytes", check: locality },
    Law { name: "inference agrees", check: inference },
    Law { name: "held back is untouched and reported", check: held_back },
    Law { name: "order does not matter", check: any_order },
    Law { name: "broken bytes do no harm", check: broken_bytes },
];

/// Runs a law; a panic breaks it.
pub(crate) fn run(law: &Law, subject: &Subject<'_>) -> Result<Verdict, String> {
    let outcome = catch_unwind(AssertUnwindSafe(|| (law.check)(subject)));
    outcome.unwrap_or_else(|panic| Err(format!("panic: {}", words_of(&panic))))
}

/// Returns the message of a panic.
fn words_of(panic: &Box<dyn Any + Send>) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
}

fn ensure(holds: bool, message: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(message()) }
}

/// L1, L2 on data: the lens and its inverse.
///
/// A rule of exact operations gives back what it took. Any other one may give back what means the same, from where it leads to
/// the same again.
fn lens_returns(subject: &Subject<'_>) -> Result<Verdict, String> {
    let Subject { course, case, .. } = subject;
    if case.kind != *course.rule.from_kind(course.direction) || course.rule.within.is_some() {
        return Ok(Verdict::Silent);
    }
    let go = |object: &Value, direction: Direction| {
        let mut session = Session::new(object.clone());
        course.rule.lens(direction).run(&mut session).map(|()| session)
    };
    let Ok(there) = go(&case.object, course.direction) else { return Ok(Verdict::Silent) };
    if !there.losses().is_empty() || there.program().is_empty() {
        return Ok(Verdict::Silent);
    }
    let halts = |halt| format!("{} became {}, and converting back halts: {halt:?}", case.object, there.object());
    let back = go(there.object(), course.direction.reversed());
    if matches!(back, Err(Halt::Refused { .. })) && ONE_WAY.iter().any(|(rule, _)| *rule == course.rule.id) {
        return Ok(Verdict::Silent);
    }
    let back = back.map_err(halts)?;
    ensure(back.losses().is_empty(), || format!("converting back loses: {:?}", back.losses()))?;
    if is_exact(course.rule) {
        ensure(*back.object() == case.object, || {
            format!("over {} the data came back as {}", there.object(), back.object())
        })?;
    } else {
        let again = go(back.object(), course.direction).map_err(|halt| format!("the second way halts: {halt:?}"))?;
        ensure(again.object() == there.object(), || {
            format!("it became {}, came back as {} and became {}", there.object(), back.object(), again.object())
        })?;
    }
    Ok(Verdict::Holds)
}

/// L4 on data.
fn lens_twice(subject: &Subject<'_>) -> Result<Verdict, String> {
    let Subject { course, case, .. } = subject;
    // Once an object has another kind, no rule of the old kind is run on it again.
    let passage = subject.passage();
    let kinds = [&case.kind, &passage.kind];
    if passage.refused.is_some() || kinds.into_iter().any(|kind| kind != course.rule.from_kind(course.direction)) {
        return Ok(Verdict::Silent);
    }
    let mut once = Session::new(case.object.clone());
    let lens = course.rule.lens(course.direction);
    if lens.run(&mut once).is_err() || once.program().is_empty() {
        return Ok(Verdict::Silent);
    }
    let mut twice = Session::new(once.object().clone());
    lens.run(&mut twice).map_err(|halt| format!("the second run halts: {halt:?}"))?;
    ensure(twice.program().is_empty(), || format!("the second run does {:?}", twice.program()))?;
    Ok(Verdict::Holds)
}

/// The operations that always restore what they changed, or report that they do not.
const EXACT: &[&str] = &["rename", "move", "wrap", "values", "entries", "retype", "when", "refuse"];

/// Rules that also take what is no longer valid in their own release, so that a way over it is another one.
const MENDING: &[(&str, &str)] = &[(
    "ngf/v1.6.0/observabilitypolicy-targets-differ",
    "since v1.6.0 a CEL rule rejects repeated targets, which no schema expresses",
)];

/// Rules whose inverse refuses some objects that were never valid, with the reason.
const ONE_WAY: &[(&str, &str)] = &[
    (
        "gateway-api/v0.4.0/route-forwardto-became-backendrefs",
        "a Service without a port was never a valid backend since v0.4.0, which no schema expresses",
    ),
    (
        "gateway-api/v0.4.0/gateway-label-selectors-became-parentrefs",
        "it depends on the Gateway, which is not in the file",
    ),
    ("ngf/v2.0.0/nginxproxy-became-namespaced", "the namespace comes from the GatewayClass, which is not in the file"),
    (
        "gateway-api/v0.7.0/grpcroute-matches-lost-their-default",
        "a match without a method was never valid before v0.7.0, which no schema expresses",
    ),
];

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
    serde_yaml::from_str::<Value>(&rule.text).is_ok_and(|lens| steps(&lens))
}

/// Returns whether every rule that a run used is exact, and nothing was normalized.
fn is_exact_run(course: &Course<'_>, run: &Run) -> bool {
    let used = run.plan.objects.iter().flat_map(|object| &object.rules);
    let exact = |id: &str| course.pack.rules().iter().filter(|rule| rule.id == id).all(is_exact);
    !run.tells(Code::Normalized) && used.into_iter().all(|(id, _)| exact(id))
}

/// The file of a case as the program itself writes it for the case's first release, there and back again.
struct RoundTrip {
    there: Run,
    back: Run,
}

/// Converts to the target and back; `None` where something is held back or may be removed by the conversion.
fn round_trip(subject: &Subject<'_>) -> Result<Option<RoundTrip>, String> {
    let case = subject.case;
    let start = subject.start()?;
    if !start.is_whole() {
        return Ok(None);
    }
    let there = subject.convert(case.target, &start.after)?;
    if !there.is_whole() || there.before == there.after {
        return Ok(None);
    }
    let back = subject.convert(case.start, &there.after)?;
    let style = &subject.sheet.style;
    let has_brackets = style.flow > 0 || style.layout == Layout::Flow;
    if back.tells(Code::NotEditable) && (there.before.contains('&') || has_brackets) {
        // An anchor got a line of its own when its list was unwrapped, or brackets of several lines moved.
        return Ok(None);
    }
    if back.holds_back() && start.tells(Code::AlreadyInvalid) {
        // The object broke a rule of its first release that no schema expresses, and the other release does not have that rule.
        return Ok(None);
    }
    let is_one_way = |rule: &str| back.stopping().iter().all(|finding| finding.message.contains(rule));
    if back.holds_back() && ONE_WAY.iter().any(|(rule, _)| is_one_way(rule)) {
        return Ok(None);
    }
    if back.tells(Code::CommentDropped) && !is_exact_run(subject.course, &there) {
        // What the conversion wrote is next to a comment, which is removed with it.
        return Ok(None);
    }
    ensure(back.is_whole(), || format!("converting back reports {:?}\nof\n{}", back.plan.findings, there.after))?;
    Ok(Some(RoundTrip { there, back }))
}

/// Returns the values of the documents in `text`.
pub(crate) fn values(text: &str) -> Result<Vec<Value>, String> {
    let tree = yaml::parse(text).map_err(|problem| format!("{problem:?} in\n{text}"))?;
    let value =
        |document: &yaml::Document| read_value(&tree, text, document.root).map_err(|problem| format!("{problem:?}"));
    tree.documents().iter().map(value).collect()
}

/// L1, L2 through the engine, on data, in every style.
///
/// Exact rules restore what they changed. Where another one was used, the second way there makes what the first one made; where
/// the way back says that it writes something in another way, the second way back makes what the first one made.
fn data_returns(subject: &Subject<'_>) -> Result<Verdict, String> {
    let Subject { course, case, .. } = subject;
    let Some(trip) = subject.trip()? else { return Ok(Verdict::Silent) };
    let (there, back) = (&trip.there, &trip.back);
    if is_exact_run(course, there) {
        let same = values(&there.before)? == values(&back.after)?;
        ensure(same, || format!("converting back gives other data: {}", came_back(there, back)))?;
        return Ok(Verdict::Holds);
    }
    let again = subject.convert(case.target, &back.after)?;
    let same = if back.tells(Code::Normalized) {
        values(&subject.convert(case.start, &again.after)?.after)? == values(&back.after)?
    } else {
        values(&there.after)? == values(&again.after)?
    };
    ensure(same, || {
        let (there, back) = (&there.after, &back.after);
        format!("it became\n{there}\n--- came back as\n{back}\n--- and became\n{}", again.after)
    })?;
    Ok(Verdict::Holds)
}

/// L7: byte for byte, unless the program would have written the file otherwise.
fn text_returns(subject: &Subject<'_>) -> Result<Verdict, String> {
    if !is_as_the_program_writes(subject)? {
        return Ok(Verdict::Silent);
    }
    let Some(trip) = subject.trip()? else { return Ok(Verdict::Silent) };
    if !is_exact_run(subject.course, &trip.there) {
        return Ok(Verdict::Silent);
    }
    ensure(trip.there.before == trip.back.after, || came_back(&trip.there, &trip.back))?;
    Ok(Verdict::Holds)
}

/// L7 in every style: what was once made by the program returns, byte for byte.
///
/// Two things take more than one way to settle, so there are none: stray comments in lines that are indented anew, and moved
/// brackets with lines that hang further left than they began.
fn own_text_returns(subject: &Subject<'_>) -> Result<Verdict, String> {
    let case = subject.case;
    let style = &subject.sheet.style;
    let session = &subject.passage().session;
    let moves = session.program().iter().any(|intent| matches!(intent, Intent::Move { .. }));
    if style.stray_comments || moves && (style.flow > 0 || style.layout == Layout::Flow) {
        return Ok(Verdict::Silent);
    }
    let Some(first) = subject.trip()? else { return Ok(Verdict::Silent) };
    let start = &first.back;
    let there = subject.convert(case.target, &start.after)?;
    let back = subject.convert(case.start, &there.after)?;
    if [&there, &back].iter().any(|run| run.tells(Code::CommentDropped)) {
        return Ok(Verdict::Silent);
    }
    ensure(there.before == back.after, || came_back(&there, &back))?;
    Ok(Verdict::Holds)
}

fn came_back(there: &Run, back: &Run) -> String {
    let (start, there, back) = (&there.before, &there.after, &back.after);
    format!("the text came back as another one\n--- start\n{start}\n--- there\n{there}\n--- back\n{back}")
}

/// Returns whether what the conversion removes from the file is written as converting back writes it.
///
/// Only bytes that the program itself must write again are lost:
/// - a kind, group or apiVersion as block scalar, the quotes of an empty text that becomes another one, and those of a text
///   that becomes an empty one;
/// - the indentation, gap, line or brackets of a list that is unwrapped;
/// - of a mapping that is emptied or filled by a move: its brackets (JSON's too), its anchor, the quotes of its key, blank
///   lines beside it;
/// - the column of a comment that stands further left or right than what it is about, in lines that are indented anew.
fn is_as_the_program_writes(subject: &Subject<'_>) -> Result<bool, String> {
    let (session, sheet) = (&subject.passage().session, &subject.sheet);
    let style = &sheet.style;
    let block = style.layout == Layout::Block && style.flow == 0;
    let lone_dash = |line: &str| {
        let rest = line.trim().strip_prefix('-').map(str::trim);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('#'))
    };
    let plain_lists = block && style.list_step == 0 && style.dash_gap == 1 && !sheet.text.lines().any(lone_dash);
    let plain_mappings = block && style.anchors == 0 && style.quotes == Quotes::Fewest && style.blank_lines == 0;
    let fits = |intent: &Intent| match intent {
        Intent::UnwrapList { .. } => plain_lists && !style.stray_comments,
        Intent::WrapInList { .. } => !style.stray_comments,
        Intent::MappingToList { .. }
        | Intent::ListToMapping { .. }
        | Intent::WrapInMapping { .. }
        | Intent::UnwrapMapping { .. } => plain_lists && !style.stray_comments,
        Intent::Move { .. } | Intent::Delete { .. } | Intent::Insert { .. } => plain_mappings && !style.stray_comments,
        // What becomes an empty text loses its quotes, or the lack of them, for two quotes.
        Intent::Replace { value, .. } if value == "" => style.quotes == Quotes::Fewest,
        Intent::Replace { .. } => !sheet.text.contains("''") && !sheet.text.contains("\"\""),
        Intent::Rename { .. } | Intent::InsertItem { .. } => true,
    };
    Ok(session.program().iter().all(fits) && !names_in_block_scalars(&sheet.text)?)
}

/// Returns whether a kind, group or apiVersion is written behind `|` or `>`.
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
    Ok(if once.before == once.after { Verdict::Silent } else { Verdict::Holds })
}

/// L5: over a release in between, by bytes; by data where a kind or group is a block scalar, which is written anew with
/// each change.
///
/// An object that a rule changes in its own release was not one of that release, so the law does not apply to it.
fn two_steps(subject: &Subject<'_>) -> Result<Verdict, String> {
    let Subject { course, case, .. } = subject;
    let line = course.pack.line();
    let order = |release| line.get(release).order;
    let (low, high) = (order(case.start).min(order(case.target)), order(case.start).max(order(case.target)));
    let channels = [line.get(case.start).channel, line.get(case.target).channel];
    let inside = line.iter().filter(|(_, release)| low < release.order && release.order < high);
    let between: Vec<_> = inside.filter(|(_, release)| channels.contains(&release.channel)).map(|(id, _)| id).collect();
    if between.is_empty() || MENDING.iter().any(|(id, _)| *id == course.rule.id) {
        return Ok(Verdict::Silent);
    }
    let middle = *Random::new(case.style, &["two steps"], 0).pick(&between);
    let straight = subject.run()?;
    let first = subject.convert(middle, &subject.sheet.text)?;
    let second = subject.convert(case.target, &first.after)?;
    if !straight.is_whole() || !first.is_whole() || !second.is_whole() || straight.before == straight.after {
        return Ok(Verdict::Silent);
    }
    if subject.start()?.plan.objects.iter().any(|object| !object.rules.is_empty()) {
        return Ok(Verdict::Silent);
    }
    if names_in_block_scalars(&subject.sheet.text)? {
        ensure(values(&straight.after)? == values(&second.after)?, || "the data differs".to_owned())?;
        return Ok(Verdict::Holds);
    }
    ensure(straight.after == second.after, || {
        let middle = course.target(middle);
        format!(
            "over {middle} it is\n{}\n--- in between\n{}\n--- straight\n{}",
            second.after, first.after, straight.after
        )
    })?;
    Ok(Verdict::Holds)
}

/// L6: a value that is at the same place before and after lies outside all edits, and so does its key.
fn locality(subject: &Subject<'_>) -> Result<Verdict, String> {
    let run = subject.run()?;
    let Some(file) = run.plan.files.first() else { return Ok(Verdict::Silent) };
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
        let stays =
            |(path, value): &(FieldPath, &Value)| path.get(&after) == Some(value) && !is_moved(path, before, &after);
        for (path, value) in walk(before).into_iter().filter(stays) {
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

/// Returns whether `path` leads into a list that has another length afterwards, so that its items have other numbers.
fn is_moved(path: &FieldPath, before: &Value, after: &Value) -> bool {
    let length = |list: &FieldPath, value: &Value| list.get(value).and_then(Value::as_array).map(Vec::len);
    let lists = (0..path.steps().len()).map(|depth| FieldPath::new(path.steps()[..depth].iter().cloned()));
    lists.into_iter().any(|list| length(&list, before) != length(&list, after))
}

fn untouched(file: &reversion::edits::FilePlan, span: Span, what: impl Fn() -> String) -> Result<(), String> {
    let hit = file.edits.edits().iter().find(|edit| edit.span.start < span.end && span.start < edit.span.end);
    ensure(hit.is_none(), || format!("{hit:?} touches {} in\n{}\nwhich becomes\n{}", what(), file.before, file.after()))
}

/// L8: the release an object is made for is among its candidates, and the target's is afterwards.
fn inference(subject: &Subject<'_>) -> Result<Verdict, String> {
    let Subject { course, case, .. } = subject;
    let line = course.pack.line();
    let catalog = course.pack.catalog(&case.kind).ok_or("no catalog")?;
    let before = infer(&case.object, catalog, &case.version);
    ensure(before.candidates.contains(case.start), || {
        format!(
            "made for {}, taken for {}: {:?}",
            line.get(case.start),
            line.describe(before.candidates),
            before.evidence
        )
    })?;
    let run = subject.run()?;
    for object in run.plan.objects.iter().filter(|object| object.outcome != Outcome::HeldBack) {
        let Some(catalog) = course.pack.catalog(&object.to.0) else { continue };
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

/// An object that is held back keeps its data and its document's bytes, and a finding about it has the reason.
fn held_back(subject: &Subject<'_>) -> Result<Verdict, String> {
    let case = subject.case;
    let (sheet, run) = (&subject.sheet, subject.run()?);
    let held: Vec<&ObjectPlan> = run.plan.objects.iter().filter(|object| object.outcome == Outcome::HeldBack).collect();
    for object in &held {
        let reported = run.stopping().into_iter().any(|finding| {
            finding.object.as_ref() == Some(&object.title)
                && !finding.message.trim().is_empty()
                && finding.location.position.is_some()
        });
        ensure(reported, || format!("no finding explains why {} is held back: {:?}", object.title, run.plan.findings))?;
        ensure(data(object).before == data(object).after && object.rules.is_empty(), || {
            format!("{} is held back and changes", object.title)
        })?;
    }
    if held.is_empty() {
        ensure(run.stopping().is_empty(), || format!("nothing is held back, but {:?}", run.stopping()))?;
        return Ok(Verdict::Silent);
    }
    // The other documents know nothing of packs and name the same kinds, so references in them are all that may change.
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

/// L11: twice the same, and in any order of files.
fn any_order(subject: &Subject<'_>) -> Result<Verdict, String> {
    let Subject { course, case, .. } = subject;
    let target = course.target(case.target);
    let packs = subject.packs;
    let first = &subject.sheet.text;
    let second = Sheet::of(&Case { style: case.style ^ 1, ..(*case).clone() }).text;
    let read = |file: &str, text: &str| engine::read(packs, file, text.as_bytes());
    let forth = engine::plan(packs, target, &[read("a.yaml", first)?, read("b.yaml", &second)?]);
    let again = engine::plan(packs, target, &[read("a.yaml", first)?, read("b.yaml", &second)?]);
    let back = engine::plan(packs, target, &[read("b.yaml", &second)?, read("a.yaml", first)?]);
    ensure(format!("{forth:?}") == format!("{again:?}"), || "two runs differ".to_owned())?;
    let files = |plan: &reversion::plan::Plan| {
        let mut files: Vec<_> = plan.files.iter().map(|file| (file.file.clone(), file.after())).collect();
        files.sort();
        files
    };
    ensure(files(&forth) == files(&back), || format!("{:?}\nbecomes\n{:?}", files(&forth), files(&back)))?;
    ensure(forth.findings == back.findings, || format!("{:?}\nbecomes\n{:?}", forth.findings, back.findings))?;
    Ok(if forth.files.is_empty() { Verdict::Silent } else { Verdict::Holds })
}

/// L9: whatever the bytes, there is an answer, and what is written can be read.
fn broken_bytes(subject: &Subject<'_>) -> Result<Verdict, String> {
    let Subject { course, case, .. } = subject;
    let mut random = Random::new(case.style, &["broken bytes"], 0);
    let packs = subject.packs;
    let mut bytes = subject.sheet.text.clone().into_bytes();
    for _ in 0..=random.below(4) {
        break_bytes(&mut bytes, &mut random);
    }
    let Ok(manifest) = engine::read(packs, "case.yaml", &bytes) else { return Ok(Verdict::Silent) };
    let plan = catch_unwind(AssertUnwindSafe(|| engine::plan(packs, course.target(case.target), &[manifest])));
    let shown = String::from_utf8_lossy(&bytes);
    let plan = plan.map_err(|panic| format!("planning panics: {}, on\n{shown}", words_of(&panic)))?;
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

/// What became of a case: whether the rule had anything to do with it, and whether it was changed or held back.
pub(crate) struct Outcomes {
    pub(crate) is_met: bool,
    pub(crate) is_changed: bool,
    pub(crate) is_held: bool,
}

/// Says what became of a case.
pub(crate) fn outcomes(subject: &Subject<'_>) -> Result<Outcomes, String> {
    let run = subject.run()?;
    let is_changed = run.plan.objects.iter().any(|object| object.outcome == Outcome::Changed);
    Ok(Outcomes { is_met: subject.passage().is_met, is_changed, is_held: run.holds_back() })
}
