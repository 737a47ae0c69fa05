//! The laws that hold for every rule and every object, on objects drawn from the catalogs.
//!
//! Each rule and direction gets its own objects and one named test for each law. A case that breaks a law is printed with its
//! object, made as small as it can be, its text and its number. The table at the end counts what was drawn, changed and held
//! back, and how often each law had something to say.
//!
//! `REVERSION_LAWS_CASES` sets how many objects each rule and direction gets, `REVERSION_LAWS_SEED` draws others,
//! `REVERSION_PACK` names the folder of a pack that takes the place of the built-in one of its name.
//!
//! Texts of every style are drawn. The laws of the way there and back start from the file as the program writes it for the
//! first release, which settles the apiVersion; they are silent where the program says itself that a comment, a field or
//! an item is gone. The law of texts is silent about the spellings that `is_as_the_program_writes` lists, and where a field
//! went that means nothing (`drop` with a default). References always give their group, and name kinds that the target
//! has under some name.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::sync::Mutex;

use libtest_mimic::{Arguments, Failed, Trial};
use reversion::pack::{Packs, embedded, load};

mod support;

use support::cases::{self, Case, Course};
use support::checks::{self, LAWS, Law, Verdict};
use support::hints::Hints;
use support::objects::Recipe;
use support::random::Random;
use support::render::{self, Style};
use support::sheet::Sheet;
use support::{shrink, shrink::shrink};

/// How many objects all rules and directions share, unless the environment says how many each one gets.
const ALL_CASES: u64 = 800;

/// How many objects say whether a rule is met, at least: fewer could miss it by chance.
const LEAST_DRAWN: u64 = 20;

/// The share of objects, in percent, that each rule must change, refuse or lose something of.
const LEAST_MET: u64 = 30;

/// Directions of rules of several kinds that do nothing to one of the kinds, with the reason.
const IDLE: &[(&str, &str)] = &[(
    "gateway-api/v0.4.0/gateway-label-selectors-became-parentrefs Gateway backward",
    "label selectors do not come back, only the routes' lists of Gateways do",
)];

/// What was counted: (course, column) -> number.
static COUNTS: Mutex<BTreeMap<(String, String), u64>> = Mutex::new(BTreeMap::new());

fn main() {
    let arguments = Arguments::from_args();
    let more =
        std::env::var_os("REVERSION_PACK").map(|folder| load::read_folder(folder.as_ref()).expect("REVERSION_PACK"));
    let packs = embedded::with(more.into_iter().collect()).expect("the packs load");
    let packs: &'static Packs = Box::leak(Box::new(packs));
    let courses: &'static [Course<'static>] =
        Box::leak(packs.iter().flat_map(cases::courses).collect::<Vec<_>>().into_boxed_slice());
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let seed = number("REVERSION_LAWS_SEED").unwrap_or(2026);
    let share = (ALL_CASES / (courses.len() as u64).max(1)).max(5);
    let bench = Bench { packs, seed, cases: number("REVERSION_LAWS_CASES").unwrap_or(share) };
    let mut trials = vec![
        Trial::test("the renderer writes what it was given", move || bench.renderer(courses)),
        Trial::test("objects of every kind can be drawn", move || bench.every_kind()),
        Trial::test("every fixture has a rule", move || bench.every_fixture()),
    ];
    for both in courses.chunk_by(|left, right| std::ptr::eq(left.rule, right.rule)) {
        let name = format!("{}: the rule is met", both[0].name);
        trials.push(Trial::test(name, move || bench.is_met(both)));
    }
    for course in courses {
        for law in LAWS {
            let name = format!("{}: {}", course.name, law.name);
            trials.push(Trial::test(name, move || bench.law(law, course)));
        }
    }
    let conclusion = libtest_mimic::run(&arguments, trials);
    print_table();
    conclusion.exit();
}

/// What every test of a run shares.
#[derive(Clone, Copy)]
struct Bench {
    packs: &'static Packs,
    seed: u64,
    cases: u64,
}

impl Bench {
    fn cases(self, course: &'static Course<'static>, count: u64) -> impl Iterator<Item = (u64, Case)> {
        (0..count).map_while(move |number| Some((number, course.case(self.seed, number)?)))
    }

    /// Checks that the rule has something to do with enough of its objects, in each direction that it has.
    fn is_met(self, courses: &'static [Course<'static>]) -> Result<(), Failed> {
        for course in courses {
            let [mut drawn, mut met, mut changed, mut held] = [0; 4];
            for (number, case) in self.cases(course, self.cases.max(LEAST_DRAWN)) {
                let outcomes = checks::outcomes(self.packs, course, &case);
                let outcomes = outcomes.map_err(|message| self.failure(course, number, &case, &message))?;
                drawn += 1;
                met += u64::from(outcomes.is_met);
                changed += u64::from(outcomes.is_changed);
                held += u64::from(outcomes.is_held);
            }
            for (column, count) in [("drawn", drawn), ("met", met), ("changed", changed), ("held back", held)] {
                count_up(&course.name, column, count);
            }
            let idle = IDLE.iter().any(|(name, _)| *name == course.name);
            let (least, most) = if course.acts() && !idle { (drawn * LEAST_MET / 100, drawn) } else { (0, 0) };
            if drawn == 0 || !(least..=most).contains(&met) {
                let name = &course.name;
                return Err(format!("{name}: the rule has to do with {met} of {drawn} objects").into());
            }
        }
        Ok(())
    }

    fn law(self, law: &'static Law, course: &'static Course<'static>) -> Result<(), Failed> {
        let mut spoke = 0;
        for (number, case) in self.cases(course, self.cases) {
            match checks::run(law, self.packs, course, &case) {
                Ok(Verdict::Holds) => spoke += 1,
                Ok(Verdict::Silent) => {}
                Err(message) => {
                    let (case, message) = self.smaller(law, course, case, message);
                    return Err(self.failure(course, number, &case, &message));
                }
            }
        }
        count_up(&course.name, law.name, spoke);
        Ok(())
    }

    /// Makes a case that breaks a law smaller: in the plainest style if that does, and with as few fields as do.
    fn smaller(
        self,
        law: &'static Law,
        course: &'static Course<'static>,
        case: Case,
        message: String,
    ) -> (Case, String) {
        let breaks = |case: &Case| checks::run(law, self.packs, course, case).err();
        let plain = Case { style: 0, ..case.clone() };
        let case = if breaks(&plain).is_some() { plain } else { case };
        let kind = &case.kind;
        let catalog = course.pack.catalog(kind).expect("the case was drawn from it");
        let is_valid = |object: &serde_json::Value| {
            shrink::is_object_of(object, kind) && catalog.check(object, case.start, &case.version).is_empty()
        };
        let object = shrink(&case.object, |object| {
            is_valid(object) && breaks(&Case { object: object.clone(), ..case.clone() }).is_some()
        });
        let small = Case { object, ..case };
        let message = breaks(&small).unwrap_or(message);
        (small, message)
    }

    fn failure(self, course: &'static Course<'static>, number: u64, case: &Case, message: &str) -> Failed {
        let (start, target) = (course.target(case.start), course.target(case.target));
        let (seed, text) = (self.seed, Sheet::of(case).text);
        format!("{message}\n--- {start} to {target}, seed {seed}, case {number}\n{}\n--- text\n{text}", case.object)
            .into()
    }

    /// The renderer's own law: its text reads back as what it was made of.
    fn renderer(self, courses: &[Course<'static>]) -> Result<(), Failed> {
        let per_course = (self.cases * 4).max(1);
        for course in courses {
            for number in 0..per_course {
                let Some(case) = course.case(self.seed ^ 0x51, number) else { break };
                let sheet = Sheet::of(&case);
                let got = checks::values(&sheet.text).map_err(|message| format!("{message}\n{:?}", sheet.text))?;
                if got != sheet.documents {
                    let (text, documents) = (&sheet.text, &sheet.documents);
                    return Err(
                        format!("case {number}: {text:?}\n{text}\nreads as {got:?}\nnot as {documents:?}").into()
                    );
                }
            }
        }
        Ok(())
    }

    /// A rule that is gone takes its own tests along, but its fixtures stay.
    fn every_fixture(self) -> Result<(), Failed> {
        for pack in self.packs.iter() {
            for bundle in pack.line().bundles() {
                let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(pack.name()).join(bundle);
                let Ok(entries) = std::fs::read_dir(&folder) else { continue };
                for entry in entries {
                    let id = format!("{}/{bundle}/{}", pack.name(), entry?.file_name().to_string_lossy());
                    if pack.rules().iter().all(|rule| rule.id != id) {
                        return Err(format!("fixtures/{id} is about a rule that is not there").into());
                    }
                }
            }
        }
        Ok(())
    }

    /// Every kind, in its oldest and newest release, in every version: a gap of the word list shows here.
    fn every_kind(self) -> Result<(), Failed> {
        for pack in self.packs.iter() {
            for kind in pack.kinds() {
                let catalog = pack.catalog(kind).ok_or("a listed kind has a catalog")?;
                let releases: Vec<_> = catalog.releases().iter().collect();
                for release in releases.first().into_iter().chain(releases.last()) {
                    for version in catalog.served(*release) {
                        let recipe = Recipe::new(pack, catalog, *release, version.name, &Hints::default(), *release);
                        let mut random = Random::new(self.seed, &[&kind.to_string()], 0);
                        for _ in 0..5 {
                            let object = recipe.draw(&mut random);
                            let text = render::text(std::slice::from_ref(&object), &Style::PLAIN, &mut random);
                            if checks::values(&text)? != [object] {
                                return Err(format!("{kind}: {text}").into());
                            }
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

fn count_up(course: &str, column: &str, by: u64) {
    let mut counts = COUNTS.lock().expect("no test panics in here");
    *counts.entry((course.to_owned(), column.to_owned())).or_default() += by;
}

/// Prints what was counted for each rule and direction.
fn print_table() {
    let counts = COUNTS.lock().expect("no test panics in here");
    let mut rows: BTreeMap<&str, BTreeMap<&str, u64>> = BTreeMap::new();
    for ((course, column), count) in counts.iter() {
        rows.entry(course).or_default().insert(column, *count);
    }
    let columns: Vec<&str> =
        ["drawn", "met", "changed", "held back"].into_iter().chain(LAWS.iter().map(|law| law.name)).collect();
    let mut out = std::io::stdout().lock();
    let mut print = |text: String| writeln!(out, "{text}").expect("standard output takes text");
    for (number, column) in columns.iter().enumerate() {
        print(format!("{number:>4} {column}"));
    }
    let width = rows.keys().map(|course| course.len()).max().unwrap_or(0);
    print(format!("{:width$} {}", "", (0..columns.len()).map(|number| format!("{number:>6}")).collect::<String>()));
    for (course, row) in &rows {
        let cell =
            |column: &&str| row.get(*column).map_or_else(|| format!("{:>6}", "-"), |count| format!("{count:>6}"));
        print(format!("{course:width$} {}", columns.iter().map(cell).collect::<String>()));
    }
}
