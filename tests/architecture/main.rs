//! The walls: what may use what, who touches files, who prints, how long a file is, and that documents say what is there.
//!
//! Source files are read as text: comments and the insides of literals are blanked, the rest is taken as words. The layers
//! are not repeated here: they are the map in ARCHITECTURE.md.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use reversion::finding::{Code, Severity};
use reversion::lens::{Direction, Fidelity, OPERATIONS};
use reversion::pack::{Packs, embedded};

mod impls;
mod imports;
mod source;

use source::{blanked, calls, files, is_test, literals, read, root, sources, supers, uses, words};

/// The most lines a source file may have.
const MAX_LINES: usize = 800;

/// Folders of the standard library that reach outside of the process or of the function, and who may use them.
const OUTSIDE: [&str; 8] = ["env", "fs", "io", "net", "os", "process", "thread", "time"];
const REACHES_OUTSIDE: [(&str, &[&str]); 5] = [
    ("src/main.rs", &["env", "process"]),
    ("src/cli/console.rs", &["env", "io"]),
    ("src/disk/", &["env", "fs", "io", "os", "process", "time"]),
    ("src/pack/load.rs", &["fs"]),
    ("src/pack/build/catalogs.rs", &["fs"]),
];

/// Crates that stand for a wall, and the modules behind it.
const CRATES: [(&str, &[&str]); 9] = [
    ("anyhow", &["pack", "cli"]),
    ("clap", &["cli"]),
    ("granit_parser", &["yaml"]),
    ("ignore", &["disk"]),
    ("json_patch", &["report"]),
    ("kube_cel", &["pack"]),
    ("rustix", &["disk"]),
    ("serde_yaml", &["pack"]),
    ("walkdir", &["pack"]),
];

/// Methods of a path or a folder entry that ask the file system.
const ASKS_FILES: [&str; 9] = [
    "canonicalize",
    "exists",
    "is_dir",
    "is_file",
    "metadata",
    "read_dir",
    "read_link",
    "symlink_metadata",
    "try_exists",
];

/// Names that say nothing of what is inside.
const EMPTY_NAMES: [&str; 8] = ["common", "handler", "helpers", "manager", "misc", "types", "util", "utils"];

#[test]
fn comments_and_literals_are_no_code() {
    let code = r##"let a = "crate::x \" // y"; // crate::y
        /* crate::z /* inner */ crate::q */ let b = '"'; let c = r#"crate::"w" "#; fn d<'t>(e: &'t str) {} crate::f"##;
    let words = words(&blanked(code));
    assert_eq!(uses(&words, "crate"), BTreeSet::from(["f"]));
    let nested = ["crate", ":", ":", "{", "a", ":", ":", "{", "b", ",", "c", "}", ",", "d", "}"].map(str::to_owned);
    assert_eq!(uses(&nested, "crate"), BTreeSet::from(["a", "d"]));
}

#[test]
fn modules_use_what_the_map_says_and_nothing_else() {
    let map = map();
    let mut used: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for source in sources() {
        let Some(module) = source.module().first().map(|name| (*name).to_owned()) else { continue };
        let mut names: BTreeSet<_> = uses(&source.code, "crate").into_iter().map(str::to_owned).collect();
        names.remove(&module);
        used.entry(module).or_default().extend(names);
    }
    for row in &map {
        let found = used.get(&row.module).cloned().unwrap_or_default();
        assert_eq!(found, row.uses, "`{}` uses the left set, ARCHITECTURE.md's map says the right one", row.module);
    }
}

#[test]
fn the_map_runs_upwards() {
    let map = map();
    let order: Vec<_> = map.iter().map(|row| row.module.clone()).collect();
    for (at, row) in map.iter().enumerate() {
        let above = row.uses.iter().find(|name| !order[..at].contains(name));
        assert_eq!(above, None, "`{}` uses a module that the map does not list before it", row.module);
    }
    let library = read("src/lib.rs");
    let declared: Vec<_> =
        library.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')).collect();
    assert_eq!(declared, order, "src/lib.rs lists the modules in the order of the map");
}

#[test]
fn tests_use_modules_below_their_own() {
    let order: Vec<_> = map().into_iter().map(|row| row.module).collect();
    for source in sources() {
        let Some(at) = order.iter().position(|name| source.module().first() == Some(&name.as_str())) else { continue };
        let used = uses(&source.tests, "crate");
        let above = used.iter().find(|name| !order[..=at].iter().any(|below| below == *name));
        assert_eq!(above, None, "the tests in {} use a module above their own", source.path);
    }
}

#[test]
fn super_stays_in_its_module() {
    for source in sources() {
        let depth = source.module().len();
        assert!(supers(&source.code) < depth.max(1), "{}: `super` reaches the crate's root: say `crate`", source.path);
        assert!(supers(&source.tests) <= depth, "{}: `super` reaches the crate's root: say `crate`", source.path);
    }
}

#[test]
fn the_map_names_every_module_and_no_other() {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for source in sources().into_iter().filter(|source| !source.code.is_empty()) {
        let names = source.module();
        if let Some(first) = names.first() {
            let parts = found.entry((*first).to_owned()).or_default();
            parts.extend(names.get(1).map(|name| (*name).to_owned()));
        }
    }
    let named: BTreeMap<_, _> = map().into_iter().map(|row| (row.module, row.parts)).collect();
    let modules = |map: &BTreeMap<String, BTreeSet<String>>| map.keys().cloned().collect::<Vec<_>>();
    assert_eq!(modules(&found), modules(&named), "the modules of src are the left ones, the map names the right ones");
    for (module, parts) in found {
        let missing: Vec<_> = parts.difference(&named[&module]).collect();
        assert!(missing.is_empty(), "ARCHITECTURE.md: the map's row `{module}` does not name {missing:?}");
    }
}

#[test]
fn only_those_who_may_reach_outside_of_the_process() {
    let mut reached = BTreeSet::new();
    for source in sources() {
        let (place, may) =
            *REACHES_OUTSIDE.iter().find(|(place, _)| source.path.starts_with(place)).unwrap_or(&("", &[]));
        let used = uses(&source.code, "std").into_iter().chain(uses(&source.tests, "std"));
        for name in used.filter(|name| OUTSIDE.contains(name)) {
            assert!(may.contains(&name), "{} uses std::{name}", source.path);
            reached.insert((place, name.to_owned()));
        }
        if !may.contains(&"fs") {
            let asked = ASKS_FILES.iter().find(|method| calls(&source.code, method));
            assert_eq!(asked, None, "{} asks the file system", source.path);
        }
    }
    let may = REACHES_OUTSIDE.iter().flat_map(|(place, may)| may.iter().map(move |name| (*place, (*name).to_owned())));
    assert_eq!(reached, may.collect(), "the left ones reach outside, the right ones may");
}

#[test]
fn crates_stay_behind_their_walls() {
    for (name, modules) in CRATES {
        let users: BTreeSet<_> = sources()
            .iter()
            .filter(|source| !uses(&source.code, name).is_empty())
            .map(|source| source.module().first().map_or("the program", |module| module).to_owned())
            .collect();
        let may: BTreeSet<_> = modules.iter().map(|module| (*module).to_owned()).collect();
        assert_eq!(users, may, "the modules on the left use the crate {name}, those on the right may");
    }
}

/// Which kinds there are is data: operations get kinds, groups and fields from the rules.
#[test]
fn no_operation_names_a_kind_of_a_pack() {
    let packs = packs();
    let kinds: BTreeSet<_> = packs.iter().flat_map(|pack| pack.kinds()).collect();
    let names: BTreeSet<&str> = kinds.iter().map(|kind| kind.kind.as_str()).collect();
    let groups: BTreeSet<&str> =
        kinds.iter().map(|kind| kind.group.as_str()).filter(|group| !group.is_empty()).collect();
    assert!(names.contains("Gateway") && groups.contains("gateway.networking.k8s.io"), "the packs have kinds");
    for source in sources().iter().filter(|source| source.path.starts_with("src/lens/") && !is_test(&source.path)) {
        let code = source.text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        for literal in literals(code) {
            let mut words = literal.split(|character: char| !character.is_alphanumeric());
            let named = words.find(|word| names.contains(word));
            assert_eq!(named, None, "{} names a kind of a pack in {literal}", source.path);
            let group = groups.iter().find(|group| literal.contains(**group));
            assert_eq!(group, None, "{} names a group of a pack in {literal}", source.path);
        }
    }
}

#[test]
fn only_the_console_prints() {
    const MACROS: [&str; 5] = ["dbg", "eprint", "eprintln", "print", "println"];
    for source in sources() {
        let printing = source.code.windows(2).find(|pair| MACROS.contains(&pair[0].as_str()) && pair[1] == "!");
        assert_eq!(printing, None, "{} prints", source.path);
        let streams: &[&str] = match source.path.as_str() {
            "src/cli/console.rs" => &[],
            "src/disk/read.rs" => &["stdout", "stderr"],
            // Those of the git program.
            "src/disk/version_control.rs" => &["stdin"],
            _ => &["stdin", "stdout", "stderr"],
        };
        let stream = source.code.iter().find(|word| streams.contains(&word.as_str()));
        assert_eq!(stream, None, "{} uses a standard stream", source.path);
    }
}

/// Maps and sets with a random order serve for looking up in a few places only, where nothing goes through them.
#[test]
fn nothing_depends_on_a_random_order() {
    const LOOKING_UP: [&str; 6] = [
        "src/catalog/read.rs",
        "src/convert/baseline.rs",
        "src/lens/condition.rs",
        "src/lens/distinct.rs",
        "src/links/kustomizations.rs",
        "src/links/namespaces.rs",
    ];
    for source in sources().iter().filter(|source| !LOOKING_UP.contains(&source.path.as_str())) {
        let random = source.code.iter().find(|word| matches!(word.as_str(), "HashMap" | "HashSet"));
        assert_eq!(random, None, "{}", source.path);
    }
}

/// The check before writing would be worth nothing if it shared a mistake with what it checks.
#[test]
fn the_last_check_shares_nothing_with_the_edits() {
    const EDITS: [&str; 8] = ["change", "edit", "emit", "format", "intent", "layout", "rewrite", "style"];
    let sources = sources();
    let verify = sources.iter().find(|source| source.path == "src/yaml/verify.rs").expect("the check has its own file");
    let shared: Vec<_> = uses(&verify.code, "super").into_iter().filter(|name| EDITS.contains(name)).collect();
    assert!(shared.is_empty(), "src/yaml/verify.rs uses {shared:?}");
}

#[test]
fn source_files_are_short_named_and_say_what_they_answer() {
    let tests = files("tests").into_iter().filter(|path| path.ends_with(".rs"));
    for path in tests.chain(["build.rs".to_owned()]) {
        check_file(&path, &read(&path));
    }
    for source in sources() {
        check_file(&source.path, &source.text);
        let empty = source.module().into_iter().find(|name| EMPTY_NAMES.contains(name));
        assert_eq!(empty, None, "{}: name the module after what it holds", source.path);
        let is_table = source.path.ends_with("/mod.rs") || source.module().len() == 1;
        if is_table && source.path != "src/main.rs" {
            let answers = source.text.starts_with("//! Answers: ") && source.text.contains("\n//! Invariant: ");
            assert!(answers, "{} starts with what it answers and names its invariant", source.path);
        }
    }
}

#[track_caller]
fn check_file(path: &str, text: &str) {
    let lines = text.lines().count();
    assert!(lines <= MAX_LINES, "{path} has {lines} lines, more than {MAX_LINES}");
    assert!(text.starts_with("//! "), "{path} says first what it is for");
}

/// A conversion is a case whose two sides differ; without a `back.yaml` it is one in both directions. A rule that only holds
/// back in a direction has a case that says so instead.
#[test]
fn every_rule_has_cases_for_what_it_does_and_a_look_alike() {
    let (packs, all) = (packs(), cases());
    for rule in packs.iter().flat_map(|pack| pack.rules()) {
        let cases: Vec<_> = all.iter().filter(|case| case.rule == rule.id).collect();
        let forward = cases.iter().any(|case| differ(case.text("before.yaml"), case.text("after.yaml")));
        let backward = cases.iter().any(|case| differ(case.text("after.yaml"), case.back()));
        for (direction, converts) in [(Direction::Forward, forward), (Direction::Backward, backward)] {
            let can = rule.lens(direction).fidelities();
            let changes = can.iter().any(|fidelity| *fidelity != Fidelity::Refused);
            let crossed = direction == Direction::Forward || rule.within.is_none() && rule.is_step() && rule.order > 0;
            assert!(
                converts || !changes || !crossed,
                "fixtures/{} has no case that converts {}",
                rule.id,
                direction.name()
            );
            let told = cases.iter().any(|case| case.text("findings.txt").is_some());
            let refuses = crossed && can.contains(&Fidelity::Refused);
            assert!(told || !refuses, "fixtures/{} has no case that is held back", rule.id);
        }
        let same = cases.iter().any(|case| case.text("same.yaml").is_some());
        assert!(same, "fixtures/{} has no look-alike: a case with same.yaml alone", rule.id);
    }
}

#[test]
fn every_case_belongs_to_a_rule_and_is_complete() {
    const FILES: [&str; 9] = [
        "after.yaml",
        "allow.txt",
        "back.yaml",
        "before.yaml",
        "findings-back.txt",
        "findings.txt",
        "same.yaml",
        "set.txt",
        "to.txt",
    ];
    let packs = packs();
    let rules: BTreeSet<_> = packs.iter().flat_map(|pack| pack.rules()).map(|rule| rule.id.as_str()).collect();
    for case in cases() {
        let name = format!("fixtures/{}/{}", case.rule, case.name);
        assert!(rules.contains(case.rule.as_str()), "{name} belongs to no rule");
        let odd = case.files.keys().find(|file| !FILES.contains(&file.as_str()));
        assert_eq!(odd, None, "{name}: no case has such a file");
        let has = |file: &str| case.files.contains_key(file);
        let complete = if has("same.yaml") {
            case.files.keys().all(|file| matches!(file.as_str(), "same.yaml" | "to.txt" | "findings.txt"))
        } else {
            match (has("before.yaml"), has("after.yaml")) {
                (true, true) => true,
                (true, false) => (has("findings.txt") || has("to.txt")) && !has("back.yaml"),
                (false, true) => has("findings.txt") != has("back.yaml"),
                (false, false) => false,
            }
        };
        assert!(complete, "{name}: its files say neither what changes nor why nothing does");
    }
}

#[test]
fn the_readme_has_every_finding() {
    let rows = rows(&read("README.md"), "Findings");
    let documented: BTreeMap<_, _> = rows.iter().map(|row| (ticked(&row[0]).join(""), row)).collect();
    for code in Code::ALL {
        let line = format!("| `{code}` | ... | {} |", code.description());
        let Some(row) = documented.get(code.name()) else { panic!("README.md: the findings lack the row\n{line}") };
        assert_eq!(row[2], code.description(), "README.md: the finding is described otherwise; the row is\n{line}");
        let severities = [Severity::Note, Severity::Warning, Severity::Held, Severity::Error].map(Severity::name);
        let known = |word: &str| severities.contains(&word) || word == "not made yet";
        assert!(row[1].split(", ").all(known), "README.md: `{}` is no severity", row[1]);
    }
    let names: Vec<_> = rows.iter().map(|row| ticked(&row[0]).join("")).collect();
    assert_eq!(names, Code::ALL.iter().map(|code| code.name()).collect::<Vec<_>>(), "the rows are sorted");
}

#[test]
fn the_readme_names_every_operation() {
    let named = ticked(&read("README.md"));
    let missing = OPERATIONS.iter().map(|operation| operation.name).find(|name| !named.iter().any(|word| word == name));
    assert_eq!(missing, None, "README.md does not name this operation");
}

#[test]
fn the_readme_has_every_variable() {
    let typed = variables(&read("src/cli/args.rs"));
    assert!(!typed.is_empty());
    assert_eq!(variables(&read("README.md")), typed, "README.md names the left variables, there are the right ones");
}

#[test]
fn the_check_run_ends_with_the_readmes_test_command() {
    let script = read(".ci/run");
    let last = script.lines().rfind(|line| !line.is_empty()).expect("it runs something");
    let command = last.strip_prefix("run ").unwrap_or(last);
    assert!(command.starts_with("cargo test"), ".ci/run ends with `{command}`");
    assert!(read("README.md").lines().any(|line| line == command), "README.md does not have the line `{command}`");
}

/// A path in back ticks that starts with a folder of the project leads to something, unless it has a place to fill in.
#[test]
fn documents_name_files_that_are_there() {
    for document in documents() {
        for path in ticked(&read(&document)) {
            let first = path.split('/').next().unwrap_or_default();
            let is_path = path.contains('/') && ["src", "rules", "fixtures", "tests", ".ci"].contains(&first);
            if is_path && !path.contains(['<', '*', ' ']) {
                assert!(root().join(&path).exists(), "{document} names {path}, which is not there");
            }
        }
    }
}

#[test]
fn no_file_names_a_folder_of_somebodys_machine() {
    let homes = ["home", "root", "tmp", "work", "Users"].map(|folder| format!("/{folder}/"));
    for path in files("") {
        let text = String::from_utf8_lossy(&fs::read(root().join(&path)).unwrap()).into_owned();
        let named = homes.iter().find(|home| text.contains(home.as_str()));
        assert_eq!(named, None, "{path} names a folder of a machine");
    }
}

/// A row of the map in ARCHITECTURE.md.
struct Row {
    module: String,
    parts: BTreeSet<String>,
    uses: BTreeSet<String>,
}

fn map() -> Vec<Row> {
    let rows = rows(&read("ARCHITECTURE.md"), "Map");
    let row = |cells: Vec<String>| Row {
        module: ticked(&cells[0]).join(""),
        parts: ticked(&cells[2]).into_iter().collect(),
        uses: ticked(&cells[3]).into_iter().collect(),
    };
    rows.into_iter().map(row).collect()
}

/// Returns the cells of the table below a heading of level two, without its head.
fn rows(markdown: &str, heading: &str) -> Vec<Vec<String>> {
    let start = format!("## {heading}");
    let section =
        markdown.lines().skip_while(|line| *line != start).skip(1).take_while(|line| !line.starts_with("## "));
    let table = section.filter_map(|line| line.strip_prefix('|')?.strip_suffix('|')).skip(2);
    let rows: Vec<Vec<_>> = table.map(|row| row.split('|').map(|cell| cell.trim().to_owned()).collect()).collect();
    assert!(!rows.is_empty(), "there is a table below `{start}`");
    rows
}

/// Returns what stands between single back ticks, outside of code blocks.
fn ticked(markdown: &str) -> Vec<String> {
    let prose = markdown.split("```").step_by(2);
    prose.flat_map(|text| text.split('`').skip(1).step_by(2)).map(str::to_owned).collect()
}

fn variables(text: &str) -> BTreeSet<String> {
    let words = text.split(|character: char| !character.is_ascii_uppercase() && character != '_');
    words.filter(|word| word.len() > 10 && word.starts_with("REVERSION_")).map(str::to_owned).collect()
}

/// One folder of fixtures.
struct Case {
    /// The id of the rule: `gateway-api/v1.1.0/backendtlspolicy-tls-renamed-to-validation`.
    rule: String,
    name: String,
    files: BTreeMap<String, Vec<u8>>,
}

impl Case {
    fn text(&self, file: &str) -> Option<&[u8]> {
        self.files.get(file).map(Vec::as_slice)
    }

    /// What `after.yaml` becomes on the way back.
    fn back(&self) -> Option<&[u8]> {
        self.text("back.yaml").or_else(|| self.text("before.yaml"))
    }
}

fn differ(left: Option<&[u8]>, right: Option<&[u8]>) -> bool {
    matches!((left, right), (Some(left), Some(right)) if left != right)
}

/// Reads the cases below the folders of fixtures that are named after packs.
fn cases() -> Vec<Case> {
    let mut cases: BTreeMap<(String, String), Case> = BTreeMap::new();
    for pack in packs().iter() {
        for path in files(&format!("fixtures/{}", pack.name())) {
            let bytes = fs::read(root().join(&path)).expect("a listed file can be read");
            let parts: Vec<_> = path.split('/').skip(1).collect();
            let [pack, release, rule, name, file] = parts[..] else { panic!("{path}: a case is a folder of a rule") };
            let (rule, name) = (format!("{pack}/{release}/{rule}"), name.to_owned());
            let case = cases.entry((rule.clone(), name.clone()));
            let case = case.or_insert_with(|| Case { rule, name, files: BTreeMap::new() });
            case.files.insert(file.to_owned(), bytes);
        }
    }
    cases.into_values().collect()
}

fn packs() -> Packs {
    embedded::with(Vec::new()).expect("the built-in packs load")
}

fn documents() -> Vec<String> {
    files("").into_iter().filter(|path| path.ends_with(".md") && !path.contains('/')).collect()
}
