//! Every rule on its fixtures: one named test for each folder `fixtures/<pack>/<bundle>/<rule>/<case>`, byte for byte.
//!
//! `before.yaml` goes up to the rule's bundle and must be `after.yaml`; `after.yaml` goes down to the bundle before and must
//! be `back.yaml` or, where there is none, `before.yaml`; `after.yaml` at the rule's bundle must not change. `same.yaml`
//! changes in neither direction. `allow.txt` lists the codes of losses that are taken. `findings.txt` lists what holds
//! objects back, as `code field`, in the direction that starts from a file without a counterpart, or upward where both are
//! there; `findings-back.txt` does so for the way back of a file that goes up.
//!
//! `REVERSION_PACK` names the folder of a pack that takes the place of the built-in one of its name.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use libtest_mimic::{Arguments, Failed, Trial};
use reversion::finding::{Code, Severity};
use reversion::manifest::{self, Reading, Recognizer};
use reversion::pack::{Pack, Packs, Rule, Target, embedded, load};
use reversion::plan::{self, AllowedLoss, Choices, Goal};
use reversion::release::{Release, ReleaseId};

fn main() {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let more = std::env::var_os("REVERSION_PACK").map(|pack| load::read_folder(pack.as_ref()).expect("REVERSION_PACK"));
    let packs = embedded::with(more.into_iter().collect()).expect("the packs load");
    let packs: &'static Packs = Box::leak(Box::new(packs));
    let mut trials = Vec::new();
    for pack in packs.iter() {
        // A rule about several kinds stands there once for each.
        let mut met = BTreeSet::new();
        for rule in pack.rules().iter().filter(|rule| met.insert(rule.id.as_str())) {
            for case in folders(&root.join(&rule.id)) {
                let name = format!("{}/{}", rule.id, case.file_name().unwrap_or_default().to_string_lossy());
                let up =
                    pack.line().find(&pack.line().bundles()[rule.order], rule.channels[0]).expect("checked by lint");
                let down = below(pack, rule);
                let case = Case {
                    folder: case,
                    packs,
                    up: Target { pack, release: up },
                    down: Target { pack, release: down },
                };
                trials.push(Trial::test(name, move || case.run()));
            }
        }
    }
    libtest_mimic::run(&arguments, trials).exit();
}

/// Returns the release that a fixture goes down to: of the bundle before, in the rule's first channel where that has the kind.
fn below(pack: &Pack, rule: &Rule) -> ReleaseId {
    let order = rule.order.checked_sub(1).expect("a rule's bundle is not the first");
    let older: Vec<_> = pack.line().iter().filter(|(_, release)| release.order == order).collect();
    let has = pack.catalog(&rule.kind).expect("the kind of a rule has a catalog").releases();
    let in_channel = |release: &Release| release.channel == rule.channels[0];
    let best = older.iter().max_by_key(|(id, release)| (has.contains(*id), in_channel(release)));
    best.expect("a bundle has a release").0
}

fn folders(parent: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(parent).map(|entries| entries.map(|entry| entry.expect("a listing").path()).collect());
    let mut folders: Vec<PathBuf> = entries.unwrap_or_default();
    folders.sort();
    folders
}

struct Case {
    folder: PathBuf,
    packs: &'static Packs,
    up: Target<'static>,
    down: Target<'static>,
}

/// What a file became, and the lines that tell why objects were held back.
struct Outcome {
    text: String,
    held: Vec<String>,
}

impl Case {
    fn run(&self) -> Result<(), Failed> {
        let known =
            ["before.yaml", "after.yaml", "back.yaml", "same.yaml", "findings.txt", "findings-back.txt", "allow.txt"];
        for entry in fs::read_dir(&self.folder)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if !known.contains(&name.as_str()) {
                return Err(format!("{name} is no part of a fixture").into());
            }
        }
        let [before, after, back, same] =
            ["before.yaml", "after.yaml", "back.yaml", "same.yaml"].map(|name| self.file(name));
        let lines = |name: &str| -> Vec<String> {
            self.file(name).iter().flat_map(|text| text.lines()).map(str::to_owned).collect()
        };
        let [findings, findings_back] = ["findings.txt", "findings-back.txt"].map(lines);
        match (&same, &before, &after) {
            (Some(same), None, None) => {
                self.check("up", self.up, same, same, &findings)?;
                self.check("down", self.down, same, same, &findings)
            }
            (None, Some(before), None) => self.check("up", self.up, before, before, &findings),
            (None, None, Some(after)) => {
                self.check("down", self.down, after, back.as_ref().unwrap_or(after), &findings)?;
                self.check("again", self.up, after, after, &[])
            }
            (None, Some(before), Some(after)) => {
                self.check("up", self.up, before, after, &findings)?;
                let again = if findings.is_empty() { Vec::new() } else { self.convert(self.up, after)?.held };
                self.check("again", self.up, after, after, &again)?;
                self.check("down", self.down, after, back.as_ref().unwrap_or(before), &findings_back)
            }
            _ => Err("a fixture has same.yaml, or before.yaml, or after.yaml, or the last two".into()),
        }
    }

    fn file(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.folder.join(name)).ok()
    }

    fn check(
        &self,
        what: &str,
        target: Target<'_>,
        input: &str,
        expected: &str,
        held: &[String],
    ) -> Result<(), Failed> {
        let outcome = self.convert(target, input)?;
        if outcome.text != expected {
            let diff = similar::TextDiff::from_lines(expected, outcome.text.as_str());
            let diff = diff.unified_diff().header("expected", "got").to_string();
            return Err(format!("{what}, to {target}:\n{diff}\n{:?}", outcome.held).into());
        }
        if outcome.held != held {
            return Err(format!("{what}, to {target}: held back {:?}, expected {held:?}", outcome.held).into());
        }
        Ok(())
    }

    fn convert(&self, target: Target<'_>, input: &str) -> Result<Outcome, Failed> {
        let recognizer = Recognizer::new(self.packs.iter().flat_map(|pack| pack.groups()).map(String::as_str));
        let manifest = match manifest::read("case.yaml", input.as_bytes(), &recognizer) {
            Reading::Manifest(manifest) => *manifest,
            Reading::Irrelevant | Reading::Kustomization(_) => {
                return Ok(Outcome { text: input.to_owned(), held: Vec::new() });
            }
            Reading::Template(finding) | Reading::Failed(finding) => return Err(format!("{finding:?}").into()),
        };
        let code = |line: &str| Code::parse(line).ok_or_else(|| format!("allow.txt: `{line}` is no code"));
        let allowed =
            self.file("allow.txt").iter().flat_map(|text| text.lines()).map(code).collect::<Result<_, _>>()?;
        let choices = Choices { allowed: AllowedLoss::Codes(allowed), ..Choices::default() };
        let goal = Goal { packs: self.packs, targets: vec![target], choices };
        let plan = plan::plan(&[manifest], &goal);
        let mut held = BTreeMap::new();
        for finding in plan.findings.iter().filter(|finding| finding.severity >= Severity::Held) {
            held.insert(format!("{} {}", finding.code, finding.field.as_deref().unwrap_or("-")), ());
        }
        let text = plan.files.into_iter().next().map_or_else(|| input.to_owned(), |file| file.after());
        Ok(Outcome { text, held: held.into_keys().collect() })
    }
}
