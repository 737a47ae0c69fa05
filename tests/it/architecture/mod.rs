//! Architecture rules: which module may use which, who accesses files and prints, how long a file is, that documents are true.
//!
//! Source files are read as text: comments and the contents of literals are blanked, the rest is split into words. The layers
//! are not repeated here: they are the map in ARCHITECTURE.md.

use std::collections::BTreeSet;
use std::fs;

use reversion::internals::fixture;

mod impls;
mod imports;
mod map;
mod source;

use source::{blanked, calls, files, is_test, literals, read, sources, supers, uses, words};

use crate::support::{packs, root};

/// The most lines a source file may have.
const MAX_LINES: usize = 800;

/// Modules of the standard library with access outside the process or the function, and the modules that may use them.
const OUTSIDE: [&str; 8] = ["env", "fs", "io", "net", "os", "process", "thread", "time"];
const REACHES_OUTSIDE: [(&str, &[&str]); 11] = [
    ("src/main.rs", &["env", "process"]),
    ("src/shell/cli/console.rs", &["env", "io", "time"]),
    ("src/shell/cli/pager.rs", &["env", "io", "process", "time"]),
    ("src/shell/cli/progress.rs", &["thread", "time"]),
    ("src/syntax/parallel.rs", &["thread"]),
    // Rules are compiled and run on a large stack.
    ("src/knowledge/pack/crds/own.rs", &["thread"]),
    ("src/shell/disk/", &["env", "fs", "io", "os", "process", "time"]),
    ("src/authoring/pack_folder.rs", &["fs"]),
    ("src/authoring/build/catalogs.rs", &["fs"]),
    ("src/authoring/build/sample.rs", &["fs"]),
    ("src/authoring/build/table.rs", &["fs"]),
];

/// Crates with restricted use, and the modules that may use them.
const CRATES: [(&str, &[&str]); 21] = [
    ("anstyle", &["report"]),
    ("anyhow", &["build", "cli", "crd_check", "pack", "pack_folder", "starter"]),
    ("askama", &["report"]),
    ("chrono", &["disk"]),
    ("clap", &["cli"]),
    ("clap_complete", &["cli"]),
    ("clap_mangen", &["cli"]),
    ("ctrlc", &["cli"]),
    ("flate2", &["disk"]),
    ("granit_parser", &["yaml"]),
    ("ignore", &["disk"]),
    ("indicatif", &["cli"]),
    ("json_patch", &["links", "report"]),
    ("kube_cel", &["pack"]),
    ("quick_junit", &["report"]),
    ("rustix", &["disk"]),
    ("serde_yaml", &["build", "crd_check", "pack"]),
    ("sha2", &["cli"]),
    ("supports_hyperlinks", &["cli"]),
    ("tar", &["disk"]),
    ("walkdir", &["build", "pack_folder"]),
];

/// Methods of a path or a folder entry that access the file system.
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

/// Module names that do not describe the content.
const EMPTY_NAMES: [&str; 8] = ["common", "handler", "helpers", "manager", "misc", "types", "util", "utils"];

#[test]
fn comments_and_literals_are_not_read_as_code() {
    let code = r##"let a = "crate::x \" // y"; // crate::y
        /* crate::z /* inner */ crate::q */ let b = '"'; let c = r#"crate::"w" "#; fn d<'t>(e: &'t str) {} crate::f"##;
    let words = words(&blanked(code));
    assert_eq!(uses(&words, "crate"), BTreeSet::from(["f"]));
    let nested = ["crate", ":", ":", "{", "a", ":", ":", "{", "b", ",", "c", "}", ",", "d", "}"].map(str::to_owned);
    assert_eq!(uses(&nested, "crate"), BTreeSet::from(["a", "d"]));
}

#[test]
fn the_map_lists_exactly_the_modules() {
    let library = read("src/lib.rs");
    let layers: Vec<String> =
        declared(&library).into_iter().filter(|name| root().join("src").join(name).is_dir()).collect();
    assert_eq!(layers, map::layers(), "src/lib.rs (left) lists the layers in the order of the map (right)");
    for layer in layers {
        let modules = declared(&read(&format!("src/{layer}/mod.rs")));
        let listed: Vec<String> =
            map::modules().into_iter().filter(|module| module.layer == layer).map(|module| module.name).collect();
        assert_eq!(modules, listed, "src/{layer}/mod.rs (left) lists the modules in the order of the map (right)");
    }
}

/// Returns the modules that a file declares, and the layer that is a package, in order.
fn declared(text: &str) -> Vec<String> {
    let starts = ["pub(crate) mod ", "pub mod ", "mod ", "use reversion_syntax as "];
    let names = text.lines().filter_map(|line| {
        starts.iter().find_map(|start| line.strip_prefix(start))?.strip_suffix(';').map(str::to_owned)
    });
    names.collect()
}

#[test]
fn modules_use_modules_that_the_map_lists_before_them() {
    let modules = map::modules();
    let place = |path: &[String]| {
        let [layer, name, ..] = path else { return None };
        modules.iter().position(|module| module.layer == *layer && module.name == *name)
    };
    for source in sources() {
        let own: Vec<String> = source.module().into_iter().map(str::to_owned).collect();
        let Some(at) = place(&own) else { continue };
        for words in [&source.code, &source.tests] {
            let paths = imports::paths(words, &|_| false);
            for used in paths.iter().filter(|path| path[0] == "crate") {
                let below = place(&used[1..]).is_some_and(|used| used <= at);
                assert!(below, "{} uses {}: the map does not list that before it", source.path, used.join("::"));
            }
        }
    }
}

#[test]
fn super_does_not_leave_its_module() {
    for source in sources() {
        let depth = source.module().len().saturating_sub(1);
        let message = format!("{}: `super` leaves its module: write `crate`", source.path);
        assert!(supers(&source.code) < depth.max(1), "{message}");
        assert!(supers(&source.tests) <= depth.max(1), "{message}");
    }
}

#[test]
fn a_module_names_its_files() {
    let mut unnamed = BTreeSet::new();
    for source in sources().into_iter().filter(|source| !source.code.is_empty()) {
        let [layer, module, file, ..] = source.module()[..] else { continue };
        let table = read(&format!("src/{layer}/{module}/mod.rs"));
        let documentation: String = table.lines().take_while(|line| line.starts_with("//!")).collect();
        let is_named = ticked(&documentation).iter().any(|ticked| ticked.split([':', '(']).any(|part| part == file));
        unnamed.extend((!is_named).then(|| format!("{layer}/{module}: {file}")));
    }
    assert_eq!(unnamed, BTreeSet::new(), "the documentation of a module's mod.rs does not name files of it");
}

#[test]
fn only_permitted_modules_access_the_system() {
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
            let called = ASKS_FILES.iter().find(|method| calls(&source.code, method));
            assert_eq!(called, None, "{} accesses the file system", source.path);
        }
    }
    let may = REACHES_OUTSIDE.iter().flat_map(|(place, may)| may.iter().map(move |name| (*place, (*name).to_owned())));
    assert_eq!(reached, may.collect(), "modules that access the system (left) and those that may (right) differ");
}

#[test]
fn each_crate_is_used_by_its_permitted_modules_only() {
    for (name, modules) in CRATES {
        let users: BTreeSet<_> = sources()
            .iter()
            .filter(|source| !uses(&source.code, name).is_empty())
            .map(|source| source.module().get(1).map_or("the program", |module| module).to_owned())
            .collect();
        let may: BTreeSet<_> = modules.iter().map(|module| (*module).to_owned()).collect();
        assert_eq!(users, may, "modules that use the crate {name} (left) and those that may (right) differ");
    }
}

/// Kinds are data: operations get kinds, groups and fields from the rules. A native conversion is about those of one API.
#[test]
fn no_operation_mentions_a_kind_of_a_pack() {
    let kinds: BTreeSet<_> = packs().iter().flat_map(|pack| pack.kinds()).collect();
    // Some kinds are called as things of every day, `rule` and `handler`.
    let is_name = |name: &&str| name.starts_with(|letter: char| letter.is_ascii_uppercase());
    let names: BTreeSet<&str> = kinds.iter().map(|kind| kind.kind.as_str()).filter(is_name).collect();
    let groups: BTreeSet<&str> =
        kinds.iter().map(|kind| kind.group.as_str()).filter(|group| !group.is_empty()).collect();
    assert!(names.contains("Gateway") && groups.contains("gateway.networking.k8s.io"), "the packs have kinds");
    let is_operation = |path: &str| {
        path.starts_with("src/knowledge/lens/") && !path.starts_with("src/knowledge/lens/native/") && !is_test(path)
    };
    for source in sources().iter().filter(|source| is_operation(&source.path)) {
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
            "src/shell/cli/console.rs" => &[],
            "src/shell/disk/read_file.rs" => &["stdout", "stderr"],
            // The streams of the git process.
            "src/shell/disk/version_control.rs" => &["stdin"],
            // The input of the pager.
            "src/shell/cli/pager.rs" => &["stdout", "stderr"],
            // It draws a line, and clears it.
            "src/shell/cli/progress.rs" => &["stdin", "stdout"],
            _ => &["stdin", "stdout", "stderr"],
        };
        let stream = source.code.iter().find(|word| streams.contains(&word.as_str()));
        assert_eq!(stream, None, "{} uses a standard stream", source.path);
    }
}

/// Maps and sets with a random order are used for lookups in a few places only, where nothing iterates over them.
#[test]
fn nothing_depends_on_a_random_order() {
    const LOOKING_UP: [&str; 9] = [
        "src/knowledge/catalog/read.rs",
        "src/engine/convert/baseline.rs",
        "src/knowledge/lens/condition.rs",
        "src/knowledge/lens/distinct.rs",
        "src/engine/links/applications.rs",
        "src/engine/links/kustomizations.rs",
        "src/engine/links/namespaces.rs",
        "src/engine/links/run.rs",
        "src/engine/links/surveyor.rs",
    ];
    for source in sources().iter().filter(|source| !LOOKING_UP.contains(&source.path.as_str())) {
        let random = source.code.iter().find(|word| matches!(word.as_str(), "HashMap" | "HashSet"));
        assert_eq!(random, None, "{}", source.path);
    }
}

/// Verification would be worthless if it shared a bug with the code that it checks.
#[test]
fn verification_shares_no_code_with_the_edits() {
    const EDITS: [&str; 9] = ["change", "edit", "emit", "format", "intent", "layout", "rewrite", "round", "style"];
    let sources = sources();
    let verify = sources
        .iter()
        .find(|source| source.path == "src/syntax/yaml/verify.rs")
        .expect("verification has its own file");
    let shared: Vec<_> = uses(&verify.code, "super").into_iter().filter(|name| EDITS.contains(name)).collect();
    assert!(shared.is_empty(), "src/syntax/yaml/verify.rs uses {shared:?}");
}

#[test]
fn source_files_are_short_and_documented() {
    let tests = files("tests").into_iter().filter(|path| path.ends_with(".rs"));
    for path in tests.chain(["build.rs".to_owned()]) {
        check_file(&path, &read(&path));
    }
    for source in sources() {
        check_file(&source.path, &source.text);
        let empty = source.module().into_iter().find(|name| EMPTY_NAMES.contains(name));
        assert_eq!(empty, None, "{}: name the module after what it holds", source.path);
        let is_table = source.path.ends_with("/mod.rs") || source.module().len() <= 2;
        if is_table && !["src/lib.rs", "src/main.rs"].contains(&source.path.as_str()) {
            let answers = source.text.starts_with("//! Answers: ") && source.text.contains("\n//! Invariant: ");
            assert!(answers, "{} must start with `Answers:` and name its invariant", source.path);
        }
    }
}

#[track_caller]
fn check_file(path: &str, text: &str) {
    let lines = text.lines().count();
    assert!(lines <= MAX_LINES, "{path} has {lines} lines, more than {MAX_LINES}");
    assert!(text.starts_with("//! "), "{path} must start with its purpose");
}

#[test]
fn every_rule_has_its_required_cases() {
    for pack in packs().iter() {
        let folder = format!("fixtures/{}", pack.name());
        let files =
            reversion::internals::pack::load::read_texts(&root().join(&folder)).expect("the fixtures are texts");
        let fixtures = fixture::of_pack(pack, &folder, &files);
        assert_eq!(fixtures.problems, Vec::<String>::new());
        assert_eq!(fixture::missing(pack, &fixtures.cases), []);
    }
}

#[test]
fn the_reference_lists_every_variable() {
    let typed = variables(&["args", "output_args"].map(|file| read(&format!("src/shell/cli/{file}.rs"))).concat());
    assert!(!typed.is_empty());
    assert_eq!(
        variables(&read("docs/src/reference/environment.md")),
        typed,
        "the variables in docs/src/reference/environment.md (left) and in the code (right) differ"
    );
}

#[test]
fn the_check_run_ends_with_the_readmes_test_command() {
    let script = read(".ci/run");
    let last = script.lines().rfind(|line| !line.is_empty()).expect("the script runs commands");
    let command = last.strip_prefix("run ").unwrap_or(last);
    assert!(command.starts_with("cargo test"), ".ci/run ends with `{command}`");
    assert!(read("README.md").lines().any(|line| line == command), "README.md does not have the line `{command}`");
}

/// A path in backticks that starts with a folder of the project exists, unless it has a placeholder.
#[test]
fn documents_mention_existing_files_only() {
    for document in documents() {
        for path in ticked(&read(&document)) {
            let first = path.split('/').next().unwrap_or_default();
            let is_path = path.contains('/') && ["src", "rules", "fixtures", "tests", ".ci"].contains(&first);
            if is_path && !path.contains(['<', '*', ' ']) {
                assert!(root().join(&path).exists(), "{document} mentions {path}, which does not exist");
            }
        }
    }
}

#[test]
fn no_file_contains_a_path_of_a_developer_machine() {
    let user_folders = ["home", "root", "tmp", "work", "Users"].map(|folder| format!("/{folder}/"));
    for path in files("") {
        let text = String::from_utf8_lossy(&fs::read(root().join(&path)).unwrap()).into_owned();
        let named = user_folders.iter().find(|folder| text.contains(folder.as_str()));
        assert_eq!(named, None, "{path} contains a path of a machine");
    }
}

/// Returns the text between single backticks, outside code blocks.
fn ticked(markdown: &str) -> Vec<String> {
    let prose = markdown.split("```").step_by(2);
    prose.flat_map(|text| text.split('`').skip(1).step_by(2)).map(str::to_owned).collect()
}

fn variables(text: &str) -> BTreeSet<String> {
    let words = text.split(|character: char| !character.is_ascii_uppercase() && character != '_');
    words.filter(|word| word.len() > 10 && word.starts_with("REVERSION_")).map(str::to_owned).collect()
}

fn documents() -> Vec<String> {
    files("").into_iter().filter(|path| path.ends_with(".md") && !path.contains('/')).collect()
}
