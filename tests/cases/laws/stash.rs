//! The laws of the stash, on objects drawn from the catalogs that lose fields: losses are restored, edits in between survive, and a
//! modified stash overrides nothing.
//!
//! Laws L1 to L5 with a stash, then modified stashes.

use std::sync::{LazyLock, OnceLock};

use libtest_mimic::{Failed, Trial};
use reversion::internals::catalog::Catalog;
use reversion::internals::field::{FieldPath, FieldPattern};
use reversion::internals::finding::Code;
use reversion::internals::pack::{Pack, Target};
use reversion::internals::plan::{ANNOTATION, AllowedLoss, Choices, Keeping};
use reversion::internals::release::ReleaseId;
use serde_json::{Value, json};

use super::Bench;
use super::cases::walk;
use super::exceptions::Exceptions;
use super::hints::Hints;
use super::objects::{Recipe, UNKNOWN};
use super::render::{self, Style};
use crate::support::engine::{self, Run};
use crate::support::random::Random;
use crate::support::{packs, values};
use crate::trial;

/// A law, which may draw what it changes.
struct Law {
    name: &'static str,
    check: fn(&StashedCase, &mut Random) -> Result<(), String>,
}

const LAWS: [Law; 5] = [
    Law { name: "stashed values are restored", check: values_are_restored },
    Law { name: "a second run with a stash changes nothing", check: a_second_run_changes_nothing },
    Law { name: "stashed values are restored through another release", check: values_are_restored_through_another },
    Law { name: "an edit survives beside a stash", check: an_edit_survives },
    Law { name: "a modified stash overrides nothing", check: a_modified_stash_overrides_nothing },
];

/// The default number of objects that are drawn.
const CASES: u64 = 100;

/// The drawn objects with their numbers; all laws are tried on the same.
static DRAWN: LazyLock<Vec<StashedCase>> = LazyLock::new(|| {
    let Bench { seed, cases } = Bench::of(CASES);
    (0..cases).filter_map(|number| draw(number, Random::new(seed, &["stash"], number))).collect()
});

pub(crate) fn trials() -> impl Iterator<Item = Trial> {
    LAWS.into_iter().map(|law| trial("laws", law.name, move || holds(&law)))
}

/// Tries a law on every object that gets a stash: at least a quarter of those drawn, or the law would check too little.
fn holds(law: &Law) -> Result<(), Failed> {
    let Bench { seed, cases } = Bench::of(CASES);
    for case in DRAWN.iter() {
        if let Err(message) = (law.check)(case, &mut case.random.clone()) {
            return Err(format!("seed {seed}, case {}: {}", case.number, case.describe(&message)).into());
        }
    }
    let count = DRAWN.len();
    if u64::try_from(count)? * 4 > cases {
        Ok(())
    } else {
        Err(format!("only {count} of {cases} objects have a stash").into())
    }
}

/// A drawn object that was converted with a stash.
struct StashedCase {
    number: u64,
    start: Target<'static>,
    target: Target<'static>,
    /// The file as the program writes it for the first release.
    text: String,
    /// The file at the target.
    stashed: String,
    random: Random,
    inverse_rules_restore_the_object: OnceLock<bool>,
}

impl StashedCase {
    /// Returns whether the rules alone are stable at the target and convert back, with losses allowed.
    fn inverse_rules_restore_the_object(&self) -> bool {
        *self.inverse_rules_restore_the_object.get_or_init(|| self.is_restored_by_inverse_rules())
    }

    fn is_restored_by_inverse_rules(&self) -> bool {
        let losing = Choices { allowed: AllowedLoss::All, ..Choices::default() };
        let converted = convert(self.target, losing, &self.text);
        let is_stable = convert(self.target, Choices::default(), &converted.after).blocking().is_empty();
        let mut used = converted.plan.objects.iter().flat_map(|object| &object.rules);
        let needs_origin = |id: &str| self.start.pack.rules().iter().any(|rule| rule.id == id && rule.needs.is_some());
        let runs_one_way = used.any(|(rule, _)| {
            let directed = ["forward", "backward"].map(|direction| format!("{rule} {direction}"));
            // What a rule about the release of the files writes out stays when converting back.
            needs_origin(rule) || directed.iter().any(|directed| Exceptions::of_all().is_idle(directed))
        });
        !runs_one_way && is_stable && convert(self.start, Choices::default(), &converted.after).blocking().is_empty()
    }

    /// Checks that a text, converted back over `releases`, has the data of the file. What rules change without a stash too does not
    /// count: the order of keys, the spelling of a value, or a default that is written out.
    fn is_restored_as(&self, text: &str, releases: &[Target<'_>]) -> Result<(), String> {
        let restored = json!(values(text)?);
        let own = json!(values(&self.text)?);
        let losing = || Choices { allowed: AllowedLoss::All, ..Choices::default() };
        let step = |text: String, target: &Target<'_>| convert(*target, losing(), &text).after;
        let by_rules = json!(values(&releases.iter().chain([&self.start]).fold(self.text.clone(), step))?);
        let nothing = |_: &str, _: &Value, _: &Value| false;
        let is_of_rules = |key: &str, value: &Value, _: &Value| {
            walk(&by_rules).into_iter().any(|(path, other)| path.last_key() == Some(key) && other == value)
        };
        let is_same = match (contains(&own, &by_rules, &nothing), is_in_order(&own, &by_rules)) {
            (true, true) => own == restored && is_in_order(&own, &restored),
            (true, false) => own == restored,
            (false, _) => contains(&restored, &own, &is_of_rules),
        };
        if is_same { Ok(()) } else { Err(format!("the restored data differs:\n{own}\n{restored}")) }
    }

    fn describe(&self, message: &str) -> String {
        format!("{message}\n--- {}\n{}\n--- {}\n{}", self.start, self.text, self.target, self.stashed)
    }
}

fn convert(target: Target<'_>, choices: Choices, text: &str) -> Run {
    engine::convert(target, choices, text).expect("the file can be read")
}

fn with_stash_option() -> Choices {
    Choices { keeping: Keeping::Stash, ..Choices::default() }
}

fn draw(number: u64, mut random: Random) -> Option<StashedCase> {
    // A chart's own file has no catalog that says what is lost.
    let has_catalog = |pack: &&'static Pack| pack.kinds().any(|kind| pack.catalog(kind).is_some());
    let all: Vec<&'static Pack> = packs().iter().filter(has_catalog).collect();
    let pack = *random.pick(&all);
    let kinds: Vec<_> = pack.kinds().filter_map(|kind| pack.catalog(kind)).collect();
    let (catalog, release, target, lost) = (0..200).find_map(|_| {
        let catalog = *random.pick(&kinds);
        let releases: Vec<_> = catalog.releases().iter().collect();
        let (start, target) = (*random.pick(&releases), *random.pick(&releases));
        let lost = only_in(catalog, start, target);
        (!lost.is_empty()).then_some((catalog, start, target, lost))
    })?;
    let version = random.pick(&catalog.served(release)).name;
    let fields = lost.iter().filter(|_| random.chance(60)).cloned().collect();
    let hints = Hints { fields, ..Hints::default() };
    let object = Recipe::new(pack, catalog, release, version, &hints, target).draw(&mut random);
    let style = if random.chance(30) { Style::PLAIN } else { Style::draw(&mut random) };
    let text = render::text(&[object], &style, &mut random);
    let (start, target) = (Target::new(pack, release), Target::new(pack, target));
    let normalized = convert(start, Choices::default(), &text);
    let stashed = convert(target, with_stash_option(), &normalized.after);
    // What no API server accepted is not restored where the release refuses it.
    let is_lost = |field: &str| lost.iter().any(|lost| without_indexes(field).starts_with(&lost.to_string()));
    let already_invalid = normalized.plan.findings.iter().filter(|finding| finding.code == Code::AlreadyInvalid);
    let is_invalid = already_invalid.filter_map(|finding| finding.field.as_deref()).any(is_lost);
    let is_valid = !normalized.holds_back() && !is_invalid;
    let is_stashed = stashed.after.contains(ANNOTATION) && !stashed.holds_back() && is_valid;
    // Fields that no release has are not restored; another test covers them.
    let objects = values(&stashed.after).ok()?;
    let stash = objects.first().and_then(|object| object["metadata"]["annotations"][ANNOTATION].as_str());
    let is_stashed = is_stashed && stash.is_some_and(|stash| !stash.contains(UNKNOWN));
    let text = normalized.after;
    is_stashed.then(|| StashedCase {
        number,
        start,
        target,
        text,
        stashed: stashed.after,
        random,
        inverse_rules_restore_the_object: OnceLock::new(),
    })
}

/// Returns a field path as a pattern is written: `spec.rules[0]` becomes `spec.rules[]`.
fn without_indexes(field: &str) -> String {
    let mut text = String::new();
    for (at, part) in field.split('[').enumerate() {
        let rest = if at == 0 { part } else { part.trim_start_matches(|character: char| character.is_ascii_digit()) };
        text.push_str(if at == 0 { "" } else { "[" });
        text.push_str(rest);
    }
    text
}

/// Returns the outermost fields that `start` has and `target` does not.
fn only_in(catalog: &Catalog, start: ReleaseId, target: ReleaseId) -> Vec<FieldPattern> {
    let mut found: Vec<FieldPattern> = Vec::new();
    for field in catalog.fields() {
        let having = catalog.having(&field.pattern);
        let is_below = found.iter().any(|above| field.pattern.starts_with(above));
        if having.contains(start) && !having.contains(target) && !is_below {
            found.push(field.pattern);
        }
    }
    found
}

fn values_are_restored(case: &StashedCase, _: &mut Random) -> Result<(), String> {
    if !case.inverse_rules_restore_the_object() {
        return Ok(());
    }
    let restored = convert(case.start, Choices::default(), &case.stashed);
    if !restored.blocking().is_empty() {
        return Err(format!("converting back is held back: {:?}", restored.blocking()));
    }
    case.is_restored_as(&restored.after, &[case.target])
}

fn a_second_run_changes_nothing(case: &StashedCase, _: &mut Random) -> Result<(), String> {
    if !case.inverse_rules_restore_the_object() {
        return Ok(());
    }
    for choices in [Choices::default(), with_stash_option()] {
        let again = convert(case.target, choices, &case.stashed);
        if again.after != case.stashed || !again.plan.files.is_empty() || !again.blocking().is_empty() {
            return Err(format!("the second run makes\n{}\n{:?}", again.after, again.plan.findings));
        }
    }
    Ok(())
}

fn values_are_restored_through_another(case: &StashedCase, random: &mut Random) -> Result<(), String> {
    let releases: Vec<_> = case.start.pack.line().iter().map(|(release, _)| release).collect();
    let between = Target { release: *random.pick(&releases), ..case.start };
    let converted = convert(between, with_stash_option(), &case.text);
    let stashed = convert(case.target, with_stash_option(), &converted.after);
    if converted.holds_back() || stashed.holds_back() || !case.inverse_rules_restore_the_object() {
        return Ok(());
    }
    let restored = convert(case.start, Choices::default(), &stashed.after);
    if !restored.blocking().is_empty() {
        return Err(format!(
            "converting back through {between} is held back: {:?}\n{}",
            restored.blocking(),
            stashed.after
        ));
    }
    case.is_restored_as(&restored.after, &[between, case.target]).map_err(|message| {
        format!("over {between}: {message}\n--- {between}\n{}\n--- then\n{}", converted.after, stashed.after)
    })
}

fn an_edit_survives(case: &StashedCase, random: &mut Random) -> Result<(), String> {
    let mut object = values(&case.stashed)?.remove(0);
    let spec = FieldPath::default().key("spec");
    let places: Vec<_> =
        walk(&object).into_iter().map(|(path, _)| path).filter(|path| path.starts_with(&spec)).collect();
    if places.is_empty() {
        // Some kinds of Kubernetes have no spec.
        return Ok(());
    }
    let place = random.pick(&places).clone();
    let value = place.get_mut(&mut object).ok_or("the path was listed")?;
    edit(value, random);
    check_nothing_overridden(case, &object)
}

/// Changes a value a little.
fn edit(value: &mut Value, random: &mut Random) {
    match value {
        Value::String(text) => text.push('x'),
        Value::Number(number) => *value = json!(number.as_i64().unwrap_or(0) / 2 + 1),
        Value::Bool(flag) => *flag = !*flag,
        Value::Null => *value = json!("x"),
        Value::Array(items) => match random.below(3) {
            0 => items.reverse(),
            1 => drop(items.pop()),
            _ => items.extend(items.last().cloned()),
        },
        Value::Object(map) => {
            let keys: Vec<String> = map.keys().cloned().collect();
            if !keys.is_empty() {
                map.shift_remove(random.pick(&keys));
            }
        }
    }
}

fn a_modified_stash_overrides_nothing(case: &StashedCase, random: &mut Random) -> Result<(), String> {
    for _ in 0..5 {
        let mut object = values(&case.stashed)?.remove(0);
        let text = object["metadata"]["annotations"][ANNOTATION].as_str().ok_or("it has a stash")?.to_owned();
        let modified = if random.chance(50) {
            with_changed_characters(&text, random)
        } else {
            with_changed_values(&text, random)?
        };
        object["metadata"]["annotations"][ANNOTATION] = json!(modified);
        check_nothing_overridden(case, &object)?;
    }
    Ok(())
}

/// Removes, replaces or truncates characters of a text.
fn with_changed_characters(text: &str, random: &mut Random) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    for _ in 0..=random.below(4) {
        let at = random.below(characters.len().max(1));
        if characters.is_empty() {
            break;
        }
        match random.below(3) {
            0 => drop(characters.remove(at)),
            1 => characters[at] = *random.pick(&['"', '9', '{', ']', 'a', '\u{0}', 'é']),
            _ => characters.truncate(at + 1),
        }
    }
    characters.into_iter().collect()
}

/// Changes values of a JSON text.
fn with_changed_values(text: &str, random: &mut Random) -> Result<String, String> {
    let mut json: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    for _ in 0..=random.below(3) {
        let places: Vec<_> = walk(&json).into_iter().map(|(path, _)| path).collect();
        let place = random.pick(&places).clone();
        let value = place.get_mut(&mut json).ok_or("the path was listed")?;
        if random.chance(30) { *value = json!(["spec"]) } else { edit(value, random) }
    }
    Ok(json.to_string())
}

/// Checks that the object, converted back, contains everything that it would without a stash, except for what the conversion itself
/// writes where the stash has a value instead.
fn check_nothing_overridden(case: &StashedCase, object: &Value) -> Result<(), String> {
    let mut bare = object.clone();
    if let Some(annotations) = bare["metadata"]["annotations"].as_object_mut() {
        annotations.shift_remove(ANNOTATION);
    }
    let write = |object: &Value| render::text(std::slice::from_ref(object), &Style::PLAIN, &mut Random::new(0, &[], 0));
    let (text, bare) = (write(object), write(&bare));
    let expected = convert(case.start, Choices::default(), &bare);
    let restored = convert(case.start, Choices::default(), &text);
    let is_invalid =
        |run: &Run| run.holds_back() && run.blocking().iter().all(|finding| finding.code == Code::InvalidInTarget);
    if is_invalid(&expected) && !restored.holds_back() {
        // What was edited is valid only with what is restored.
        return Ok(());
    }
    if expected.holds_back() != restored.holds_back() {
        return Err(format!("only one is held back: {:?} {:?}\n{text}", expected.blocking(), restored.blocking()));
    }
    let (expected, got) = (values(&expected.after)?.remove(0), values(&restored.after)?.remove(0));
    let stash = object["metadata"]["annotations"][ANNOTATION].as_str().unwrap_or_default();
    let stash: Value = serde_json::from_str(stash).unwrap_or_default();
    let kept = stash["kept"].as_array().into_iter().flatten().filter(|kept| !kept["instead"].is_null());
    let is_own = |key: &str, value: &Value| {
        let own = walk(object).into_iter().filter(|(path, _)| path.last_key() == Some(key));
        own.into_iter().any(|(_, own)| own == value)
    };
    let gives_way = |key: &str, value: &Value, written: &Value| {
        let mut instead = kept.clone().filter(|kept| kept["at"]["key"] == key && kept["value"] == *value);
        instead.next().is_some() && !is_own(key, written)
    };
    match contains(&got, &expected, &gives_way) {
        true => Ok(()),
        false => Err(format!("the edited object\n{text}\nbecame\n{}\nand not\n{}", restored.after, write(&expected))),
    }
}

/// Returns whether `whole` contains everything in `part`; `gives_way` says so of a value under a key that may stand there instead of
/// another.
fn contains(whole: &Value, part: &Value, gives_way: &dyn Fn(&str, &Value, &Value) -> bool) -> bool {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => {
            part.iter().all(|(key, value)| match whole.get(key) {
                Some(more) => contains(more, value, gives_way) || gives_way(key, more, value),
                // The mapping created for the stash was removed with it.
                None => key == "annotations" && value.as_object().is_some_and(serde_json::Map::is_empty),
            })
        }
        (Value::Array(whole), Value::Array(part)) => {
            let mut rest = whole.iter();
            part.iter().all(|item| rest.any(|more| contains(more, item, gives_way)))
        }
        _ => whole == part,
    }
}

/// Returns whether the keys that two values share are in the same order.
fn is_in_order(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Object(left), Value::Object(right)) => {
            let shared = left.keys().filter(|key| right.contains_key(*key));
            shared.eq(right.keys().filter(|key| left.contains_key(*key)))
                && left.iter().all(|(key, value)| right.get(key).is_none_or(|other| is_in_order(value, other)))
        }
        (Value::Array(left), Value::Array(right)) => {
            left.iter().zip(right).all(|(left, right)| is_in_order(left, right))
        }
        _ => true,
    }
}
