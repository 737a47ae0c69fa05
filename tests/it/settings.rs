//! `reversion.toml`: which file holds for a call, what each key does, and that flags and variables override it.

use std::collections::BTreeSet;
use std::fs;

use reversion::internals::report::address::BOOK;
use serde_json::Value;
use toml::de::{DeTable, DeValue};

use crate::support::trees::{Run, Tree};

/// A route that v1.4 serves under another version.
/// A CRD of a group that no pack knows.
const CRD: &str = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: lamps.home.example}\nspec:\n  group: home.example\n  names: {kind: Lamp, plural: lamps}\n  scope: Namespaced\n  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]\n";
const ROUTE: &str = "apiVersion: gateway.networking.k8s.io/v1beta1\nkind: HTTPRoute\nmetadata: {name: shop}\nspec: {hostnames: [a.example.com]}\n";

/// A route with a field that only the experimental channel has.
const RETRIES: &str = "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {name: pay}\nspec:\n  rules:\n  - retry: {attempts: 3}\n";

/// A file that mentions a known API and cannot be parsed.
const BROKEN: &str = "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {name: cart\n";

/// A set of listeners whose kind v1.5 renames.
const OLD_SET: &str = "apiVersion: gateway.networking.x-k8s.io/v1alpha1\nkind: XListenerSet\nmetadata: {name: a}\nspec:\n  parentRef: {name: g}\n  listeners: [{name: h, port: 80, protocol: HTTP}]\n";

/// An object with a mistake that `repair` knows.
const MISTAKE: &str = "apiVersion: gateway.nginx.org/v1alpha2\nkind: NginxProxy\nmetadata: {name: p, namespace: n}\nspec: {rewriteClientIP: {mode: ProxyProtocol, trustedAddresses: [{type: cidr, value: 10.0.0.0/8}]}}\n";

fn new_set(namespace: &str) -> String {
    format!(
        "apiVersion: gateway.networking.k8s.io/v1\nkind: ListenerSet\nmetadata: {{name: a, namespace: {namespace}}}\nspec:\n  parentRef: {{name: g}}\n  listeners: [{{name: h, port: 80, protocol: HTTP}}]\n"
    )
}

/// A key with one value in the file, in its variable and as its flag, and what only a run with that value prints.
struct Key<'k> {
    name: &'k str,
    /// The files of the tree; a name with a slash at the end is an empty folder.
    files: &'k [(&'k str, &'k str)],
    arguments: &'k [&'k str],
    in_file: (&'k str, &'k str),
    in_variable: (&'k str, &'k str),
    flag: (&'k str, &'k str),
}

impl<'k> Key<'k> {
    /// A switch that is on in the file, off in the variable, and passed; `marks` are printed where it is on and off.
    fn switch(
        name: &'k str,
        files: &'k [(&'k str, &'k str)],
        arguments: &'k [&'k str],
        (on, off): (&'k str, &'k str),
    ) -> Self {
        Self { name, files, arguments, in_file: ("true", on), in_variable: ("0", off), flag: ("", on) }
    }

    fn check(&self) {
        let tree = Tree::of(self.files);
        if self.name == "follow" {
            #[cfg(unix)]
            std::os::unix::fs::symlink(tree.path(".target/a.yaml"), tree.path("link.yaml")).unwrap();
        }
        let sets = format!("{} = {}\n", self.name, self.in_file.0);
        fs::write(tree.path("reversion.toml"), sets).unwrap();
        let variable = format!("REVERSION_{}", self.name.replace('-', "_").to_uppercase());
        let variables = [(&*variable, self.in_variable.0)];
        let flag = format!("--{}", self.name);
        let flag = if self.flag.0.is_empty() { flag } else { format!("{flag}={}", self.flag.0) };
        let with_flag = [self.arguments, &[&flag]].concat();
        let unset = [(&*variable, "")];
        self.is_from(&tree.run(self.arguments), self.in_file.1, "the file");
        self.is_from(&tree.run_with(&unset, self.arguments), self.in_file.1, "the file, with an empty variable");
        self.is_from(&tree.run_with(&variables, self.arguments), self.in_variable.1, "the variable");
        self.is_from(&tree.run_with(&variables, &with_flag), self.flag.1, "the flag");
        self.is_from(&tree.run(&with_flag), self.flag.1, "the flag, without a variable");
    }

    /// Checks that of what runs with the three values print, only `mark` is printed.
    fn is_from(&self, run: &Run, mark: &str, what: &str) {
        let printed = format!("{}{}", run.out, run.err);
        for one in [self.in_file.1, self.in_variable.1, self.flag.1] {
            assert_eq!(printed.contains(one), one == mark, "{}: {what} should decide: {printed}", self.name);
        }
    }
}

/// The keys of flags that take a value.
fn valued() -> [Key<'static>; 9] {
    let [n1, n2, n3] = ["n1", "n2", "n3"].map(|name| &*new_set(name).leak());
    let sets: &'static [(&str, &str)] =
        Box::leak(Box::new([("x.yaml", OLD_SET), ("n1.yaml", n1), ("n2.yaml", n2), ("n3.yaml", n3)]));
    let to = &["check", "--to=gateway-api@1.4"];
    [
        Key {
            name: "to",
            files: &[("a.yaml", ROUTE)],
            arguments: &["check", "--format=json"],
            in_file: ("'gateway-api@1.2'", "\"gateway-api@1.2.1/standard\""),
            in_variable: ("gateway-api@1.3", "\"gateway-api@1.3.0/standard\""),
            flag: ("gateway-api@1.4", "\"gateway-api@1.4.1/standard\""),
        },
        Key {
            name: "from",
            files: &[("a.yaml", ROUTE)],
            arguments: to,
            in_file: ("['ngf@1.2']", "--from ngf@1.2.0 is not used"),
            in_variable: ("ngf@1.3", "--from ngf@1.3.0 is not used"),
            flag: ("ngf@1.4", "--from ngf@1.4.0 is not used"),
        },
        Key {
            name: "pack",
            files: &[("p1/x", ""), ("p2/x", ""), ("p3/x", "")],
            arguments: to,
            in_file: ("['p1']", "p1 has no pack.yaml"),
            in_variable: ("p2", "p2 has no pack.yaml"),
            flag: ("p3", "p3 has no pack.yaml"),
        },
        Key {
            name: "crds",
            files: &[("c1/x", ""), ("c2/x", ""), ("c3/x", ""), ("a.yaml", ROUTE)],
            arguments: to,
            in_file: ("'c1'", "c1 contains no CRD"),
            in_variable: ("c2", "c2 contains no CRD"),
            flag: ("c3", "c3 contains no CRD"),
        },
        Key {
            name: "move",
            files: &[("crds/a.yaml", CRD), ("a.yaml", ROUTE)],
            arguments: &["check", "--crds", "crds"],
            in_file: ("['a=b']", "a=b: no kind of a"),
            in_variable: ("c=d", "c=d: no kind of c"),
            flag: ("e=f", "e=f: no kind of e"),
        },
        Key {
            name: "extension",
            files: &[("a.one", ROUTE), ("b.two", ROUTE), ("c.three", ROUTE)],
            arguments: &["detect", "--verbose"],
            in_file: ("['one']", "a.one:1:1"),
            in_variable: ("two", "b.two:1:1"),
            flag: ("three", "c.three:1:1"),
        },
        Key {
            name: "allow-loss",
            files: &[("a.yaml", RETRIES)],
            arguments: to,
            in_file: ("true", "1 to change"),
            in_variable: ("too-many-items", "1 held back"),
            flag: ("dropped-field", "1 to change"),
        },
        Key {
            name: "namespace",
            files: sets,
            arguments: &["check", "--to=gateway-api@1.5/experimental"],
            in_file: ("'n1'", "the ListenerSet at n1.yaml"),
            in_variable: ("n2", "the ListenerSet at n2.yaml"),
            flag: ("n3", "the ListenerSet at n3.yaml"),
        },
        Key {
            name: "unpaired",
            files: &[("a.yaml", ROUTE)],
            arguments: &["check", "--to=ngf@2.5", "--to=gateway-api@1.2"],
            in_file: ("true", "1 object recognized"),
            in_variable: ("off", "or pass --unpaired"),
            flag: ("", "1 object recognized"),
        },
    ]
}

/// The keys of switches.
fn switches() -> [Key<'static>; 7] {
    let to = &["check", "--to=gateway-api@1.4"];
    let read = ("1 file read", "0 files read");
    [
        Key::switch("hidden", &[(".h.yaml", ROUTE)], to, read),
        Key::switch("follow", &[(".target/a.yaml", ROUTE)], to, read),
        Key::switch("no-ignore", &[(".ignore", "a.yaml\n"), ("a.yaml", ROUTE)], to, read),
        Key::switch("stash", &[("a.yaml", RETRIES)], to, ("1 to change", "1 held back")),
        Key::switch("keep-api-version", &[("a.yaml", ROUTE)], to, ("0 to change", "1 to change")),
        Key::switch(
            "keep-going",
            &[("b.yaml", BROKEN)],
            &["plan", "-oa.plan", "--to=gateway-api@1.4"],
            ("saved a.plan", "no plan was saved"),
        ),
        Key::switch(
            "repair",
            &[("a.yaml", MISTAKE)],
            &["check", "-v", "--to=ngf@2.0"],
            ("  forward ngf/v1.5.0/nginxproxy-type", "pass --repair"),
        ),
    ]
}

#[test]
fn a_flag_overrides_its_variable_and_that_overrides_the_file() {
    valued().iter().chain(&switches()).for_each(Key::check);
}

fn targets(run: &Run) -> Vec<String> {
    let report: Value = serde_json::from_str(&run.out).unwrap_or_else(|_| panic!("{}{}", run.out, run.err));
    report["targets"].as_array().unwrap().iter().map(|target| target.as_str().unwrap().to_owned()).collect()
}

const JSON: [&str; 2] = ["check", "--format=json"];

fn check_in(tree: &Tree, folder: &str, arguments: &[&str]) -> Run {
    tree.run_in(folder, &[&JSON, arguments].concat())
}

#[test]
fn the_file_of_the_nearest_folder_up_to_the_top_of_the_repository_holds() {
    let tree = Tree::of(&[
        ("reversion.toml", "to = 'gateway-api@1.1'\n"),
        ("r/.git/x", ""),
        ("r/reversion.toml", "to = 'gateway-api@1.2'\n"),
        ("r/a/b/route.yaml", ROUTE),
        ("r/c/reversion.toml", "to = 'gateway-api@1.3'\n"),
        ("r/c/route.yaml", ROUTE),
        ("s/t/route.yaml", ROUTE),
        ("s/reversion.toml", "to = 'gateway-api@1.4'\n"),
    ]);
    assert_eq!(targets(&check_in(&tree, "r", &[])), ["gateway-api@1.2.1/standard"]);
    assert_eq!(targets(&check_in(&tree, "r/a/b", &[])), ["gateway-api@1.2.1/standard"]);
    assert_eq!(targets(&check_in(&tree, "", &["r/a/b/route.yaml", "r/a"])), ["gateway-api@1.2.1/standard"]);
    assert_eq!(targets(&check_in(&tree, "r", &["c/route.yaml"])), ["gateway-api@1.3.0/standard"]);
    assert_eq!(targets(&check_in(&tree, "s", &["."])), ["gateway-api@1.4.1/standard"]);
    let outside = check_in(&tree, "s/t", &[]);
    outside.check(2);
    assert!(outside.err.contains("no target"), "without a repository no folder above is searched: {}", outside.err);
    let two = check_in(&tree, "r", &["a", "c"]);
    two.check(2);
    assert_eq!(
        two.err,
        "error: two configurations in one run, reversion.toml and c/reversion.toml\n  help: run on one of the trees at a time, name the file with `--config FILE`, or read none with `--isolated`\n"
    );
    assert_eq!(
        targets(&check_in(&tree, "r", &["a", "c", "--config=c/reversion.toml"])),
        ["gateway-api@1.3.0/standard"]
    );
    // The same text twice is one configuration, unless paths in it count from two folders.
    fs::write(tree.path("r/c/reversion.toml"), "to = 'gateway-api@1.2'\n").unwrap();
    assert_eq!(targets(&check_in(&tree, "r", &["a", "c"])), ["gateway-api@1.2.1/standard"]);
    for paths in ["exclude = '/x'\n", "[[paths]]\nglob = '/x'\nstash = true\n", "baseline = 'x'\n"] {
        for file in ["r/reversion.toml", "r/c/reversion.toml"] {
            fs::write(tree.path(file), format!("to = 'gateway-api@1.2'\n{paths}")).unwrap();
        }
        let two = check_in(&tree, "r", &["a", "c"]);
        two.check(2);
        assert!(two.err.starts_with("error: two configurations in one run"), "{paths}: {}", two.err);
    }
    fs::write(tree.path("r/reversion.toml"), "to = 'gateway-api@1.2'\n").unwrap();
    fs::write(tree.path("r/c/reversion.toml"), "to = 'gateway-api@1.3'\n").unwrap();
    let named = tree.run_with(&[("REVERSION_CONFIG", "s/reversion.toml")], &[&JSON[..], &["r/a"]].concat());
    assert_eq!(targets(&named), ["gateway-api@1.4.1/standard"]);
    for isolated in [
        check_in(&tree, "r", &["--isolated"]),
        tree.run_with(
            &[("REVERSION_ISOLATED", "1"), ("REVERSION_CONFIG", "s/reversion.toml")],
            &[&JSON[..], &["r/a"]].concat(),
        ),
    ] {
        isolated.check(2);
        assert!(isolated.err.contains("no target"), "{}", isolated.err);
    }
    let missing = check_in(&tree, "r", &["--config=none.toml"]);
    missing.check(2);
    assert_eq!(missing.err, "error: --config: none.toml: no such file\n");
}

#[test]
fn standard_input_has_the_file_of_the_current_folder() {
    let tree = Tree::of(&[("reversion.toml", "to = 'gateway-api@1.4'\nallow-loss = true\n"), ("a.yaml", RETRIES)]);
    let converted = tree.run_fed(&["convert", "-"], RETRIES);
    converted.check(0);
    assert!(!converted.out.contains("retry"), "{}", converted.out);
    assert_eq!(targets(&tree.run_fed(&["check", "--format=json", "-"], RETRIES)), ["gateway-api@1.4.1/standard"]);
}

#[test]
fn paths_and_globs_count_from_the_folder_of_the_file() {
    let tree = Tree::of(&[
        (".git/x", ""),
        (
            "reversion.toml",
            "to = 'ngf@2.5'\nexclude = ['/apps/old/', '*.gen.yaml']\n[values]\n'apps/edge.yaml' = 'nginx-gateway-fabric'\n[[paths]]\nglob = 'apps/legacy/'\nallow-loss = true\n",
        ),
        ("apps/edge.yaml", "nginx: {config: {ipFamily: dual}}\n"),
        ("apps/old/route.yaml", ROUTE),
        ("apps/x.gen.yaml", ROUTE),
        ("apps/sub/apps/old/route.yaml", ROUTE),
        ("apps/legacy/pay.yaml", RETRIES),
        ("apps/pay.yaml", RETRIES),
    ]);
    for (folder, path, shown) in
        [("", ".", "apps/"), ("apps", ".", ""), ("apps/sub", "..", "../"), ("", "./apps/../apps", "apps/../apps/")]
    {
        let run = tree.run_in(folder, &["check", "--inspect", path]);
        for skipped in ["old", "x.gen.yaml"] {
            let line = format!("{shown}{skipped}: skipped: excluded by reversion.toml\n");
            assert!(run.err.contains(&line), "{path} in {folder}: {}", run.err);
        }
        assert!(run.out.contains(&format!("{shown}sub/apps/old/route.yaml:1:1: ")), "{path} in {folder}: {}", run.out);
        assert!(run.out.contains(&format!("{shown}legacy/pay.yaml:1:1: ")), "{path} in {folder}: {}", run.out);
        assert!(
            run.out.contains(&format!("{shown}pay.yaml:6:5: held-back[dropped-field]")),
            "{path} in {folder}: {}",
            run.out
        );
        let detected = tree.run_in(folder, &["detect", "--verbose", path]);
        assert!(detected.out.contains(&format!("{shown}edge.yaml:1:1: ")), "{path} in {folder}: {}", detected.out);
    }
    let named = tree.run_in("apps", &["check", "old/route.yaml", "x.gen.yaml"]);
    assert!(named.err.contains("2 to change"), "a path that is passed is read: {}", named.err);
}

#[test]
fn an_excluded_folder_is_not_read_from_within_either() {
    for glob in ["l/", "l", "/l/", "./l/", "l/**", "/l/m", "**/m/"] {
        let tree = Tree::of(&[
            (".git/x", ""),
            ("reversion.toml", &format!("to = 'gateway-api@1.4'\nexclude = ['{glob}']\n")),
            ("l/m/a.yaml", ROUTE),
            ("l/m/n/b.yaml", ROUTE),
        ]);
        for (folder, path) in
            [("", "."), ("l", "."), ("", "l"), ("l/m", "."), ("", "l/m/n"), ("l/m/n", "."), ("l", "./m/../m")]
        {
            let run = tree.run_in(folder, &["apply", "--yes", "--allow-no-vcs", "--allow-dirty", path]);
            run.check(3);
            assert!(run.err.contains("excluded by reversion.toml"), "{glob}: {path} in {folder}: {}", run.err);
            assert_eq!(
                [tree.text("l/m/a.yaml"), tree.text("l/m/n/b.yaml")],
                [ROUTE, ROUTE],
                "{glob}: {path} in {folder}"
            );
        }
        tree.run_in("l", &["check", "m/a.yaml"]).check(1);
    }
}

#[test]
fn settings_of_paths_hold_for_their_files_only() {
    let tree = Tree::of(&[
        (
            "reversion.toml",
            "to = 'gateway-api@1.4'\nstash = true\n\
             [[paths]]\nglob = ['drop', 'both']\nstash = false\nallow-loss = ['dropped-field']\n\
             [[paths]]\nglob = 'both/'\nallow-loss = false\n\
             [[paths]]\nglob = 'keep/*.yaml'\nkeep-api-version = true\n",
        ),
        ("stash/a.yaml", RETRIES),
        ("drop/a.yaml", RETRIES),
        ("both/a.yaml", RETRIES),
        ("keep/a.yaml", ROUTE),
        ("keep/deep/a.yaml", ROUTE),
        // Files that a kustomization builds are planned together.
        ("drop/linked/kustomization.yaml", "resources: [a.yaml]\npatches:\n- path: patch.yaml\n"),
        ("drop/linked/a.yaml", RETRIES),
        (
            "drop/linked/patch.yaml",
            "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {name: pay, labels: {a: b}}\n",
        ),
    ]);
    let outcomes = |arguments: &[&str]| {
        let run = tree.run(&[&JSON, arguments].concat());
        let report: Value = serde_json::from_str(&run.out).unwrap_or_else(|_| panic!("{}{}", run.out, run.err));
        let objects = report["objects"].as_array().unwrap().clone();
        let outcome = |object: &Value| {
            let text = object["patch"].to_string();
            let is_stashed = if text.contains("reversion.dev") { " stashed" } else { "" };
            format!(
                "{} {}{is_stashed}",
                object["location"]["file"].as_str().unwrap(),
                object["outcome"].as_str().unwrap()
            )
        };
        objects.iter().map(outcome).collect::<Vec<_>>()
    };
    let rest = ["keep/a.yaml unchanged", "keep/deep/a.yaml changed"];
    let with_rest = |first: &[&str], last: &str| {
        [first, &rest, &[last]].concat().iter().map(|one| (*one).to_owned()).collect::<Vec<_>>()
    };
    let expected = [
        "both/a.yaml held-back",
        "drop/a.yaml changed",
        "drop/linked/a.yaml changed",
        "drop/linked/patch.yaml unchanged",
    ];
    assert_eq!(outcomes(&[]), with_rest(&expected, "stash/a.yaml changed stashed"));
    let expected = [
        "both/a.yaml changed stashed",
        "drop/a.yaml changed stashed",
        "drop/linked/a.yaml changed stashed",
        "drop/linked/patch.yaml unchanged",
    ];
    assert_eq!(
        outcomes(&["--stash"]),
        with_rest(&expected, "stash/a.yaml changed stashed"),
        "a flag overrides all of the file"
    );
}

#[test]
fn a_verbose_run_says_where_settings_come_from() {
    let tree = Tree::of(&[
        ("a.yaml", ROUTE),
        ("reversion.toml", "to = 'gateway-api@1.4'\nstash = true\nexclude = 'x'\n[set]\nngf.namespace = 'n'\n"),
    ]);
    let line = |run: &Run| run.err.lines().find(|line| line.starts_with("settings")).map(str::to_owned);
    assert_eq!(line(&tree.run(&["check"])), None);
    let all = "settings from reversion.toml: to, stash, exclude, set";
    assert_eq!(line(&tree.run(&["check", "-v"])).as_deref(), Some(all));
    let some = "settings from reversion.toml: stash, exclude, set; overridden: to";
    assert_eq!(line(&tree.run(&["check", "-v", "--to=gateway-api@1.3"])).as_deref(), Some(some));
    assert_eq!(line(&tree.run_with(&[("REVERSION_TO", "gateway-api@1.3")], &["check", "-v"])).as_deref(), Some(some));
    assert_eq!(line(&tree.run(&["check", "-v", "--isolated", "--to=gateway-api@1.3"])), None);
}

#[test]
fn a_verbose_run_names_the_files_below_that_are_not_read() {
    let tree = Tree::of(&[
        (".git/x", ""),
        ("reversion.toml", "to = 'gateway-api@1.4'\n"),
        ("a.yaml", ROUTE),
        ("sub/reversion.toml", "to = 'gateway-api@1.3'\n"),
        ("sub/deep/a.yaml", ROUTE),
        ("sub/deep/b.yaml", ROUTE),
        ("none/reversion.toml", "?"),
    ]);
    let note = "sub/reversion.toml is not read: it holds for calls on its folder\n";
    let named = |folder: &str, arguments: &[&str]| {
        let run = tree.run_in(folder, &[&["check"], arguments].concat());
        run.check(1);
        (run.err.matches("is not read").count(), run.err.contains(note))
    };
    assert_eq!(named("", &["-v"]), (1, true));
    assert_eq!(named("none", &["-v", "--config=../reversion.toml", ".."]), (1, true));
    assert_eq!(named("", &[]), (0, false));
    assert_eq!(named("", &["-v", "sub"]), (0, false));
    assert_eq!(named("sub", &["-v"]), (0, false));
    assert_eq!(named("", &["-v", "--isolated", "--to=gateway-api@1.4"]), (0, false));
}

#[track_caller]
fn check_error(text: &str, expected: &str) {
    let tree = Tree::of(&[("reversion.toml", text), ("a.yaml", ROUTE)]);
    let run = tree.run(&["check", "--to=gateway-api@1.4"]);
    run.check(2);
    assert_eq!(run.err, format!("error: reversion.toml:{expected}\n"), "{text}");
}

#[test]
fn errors_name_their_line_and_what_to_write() {
    check_error("a = [\n", "1:6: not valid TOML: unclosed array, expected `]`");
    check_error("too = 'x'\n", "1:1: unknown setting `too`: did you mean `to`?");
    check_error("keep_going = true\n", "1:1: unknown setting `keep_going`: did you mean `keep-going`?");
    let keys = "allow-loss, baseline, chart-defaults, crds, extension, follow, from, hidden, keep-api-version, keep-going, move, namespace, no-ignore, pack, repair, stash, to, unpaired, exclude, paths, set, values";
    check_error("\nq = 1\n", &format!("2:1: unknown setting `q`: there are: {keys}"));
    check_error("to = 5\n", "1:6: `to` is a number: write a text in quotes, or a list of them");
    check_error(
        "to = ['gateway-api@1.4', true]\n",
        "1:26: `to` is a switch: write a text in quotes, or a list of them",
    );
    check_error("hidden = 'yes'\n", "1:10: `hidden` is a text: write true or false");
    check_error(
        "to = 'gateway-api@1.4'\nnamespace = 'A_b'\n",
        "2:13: `A_b` is no namespace: write at most 63 lower-case letters, digits and hyphens, with no hyphen at either end",
    );
    check_error(
        "baseline = 'known.json'\n",
        "1:12: baseline known.json: no such file\n  help: the same command with `--write-baseline known.json` makes one",
    );
    check_error("crds = 'none'\n", "1:8: no such file or folder: none");
    check_error("exclude = {}\n", "1:11: `exclude` is a table: write a glob in quotes, or a list of them");
    let fault = "error parsing glob '[z-a]': invalid range; 'z' > 'a'";
    check_error("exclude = ['x', '[z-a]']\n", &format!("1:17: {fault}"));
    check_error(
        "exclude = ['a',\n '../x']\n",
        "2:2: the glob '../x' leads out of the folder that it counts from: write a glob of what is in it",
    );
    check_error(
        "exclude = 'vendor['\n",
        "1:11: the glob 'vendor[' has a `[` without `]`: write `\\[` for the character, or close the list of characters",
    );
    check_error(
        "[[paths]]\nglob = './'\n",
        "2:8: the glob './' matches nothing: write a name such as `vendor/`, or `*` for everything",
    );
    check_error(
        "[[paths]]\nglob = 'x'\nignore = ['advisory', 'parse-error']\n",
        "3:23: `parse-error` is an error, and an error cannot be acknowledged: correct the file, or `exclude` it",
    );
    check_error("to = ''\n", "1:6: `to` is empty: write a text in quotes, or a list of them");
    check_error("to = 'gatewayapi@1.4'\n", "1:6: there is no pack `gatewayapi`: did you mean gateway-api?");
    let two = "two targets for one pack, gateway-api@1.3.0/standard and gateway-api@1.4.1/standard: pass one of them; convert to the other in a second run";
    check_error("to = ['gateway-api@1.3',\n 'gateway-api@1.4']\n", &format!("2:2: {two}"));
    check_error(
        "from = 'ngf@99'\n",
        "1:8: pack ngf has no release `99`; its releases are v0.6.0 to v2.6.7; closest matches: v2.6.7, v2.6.6, v2.6.5, v2.6.4, v2.6.3",
    );
    let losses = "there are: dropped-field, too-many-items";
    check_error("allow-loss = ['lost']\n", &format!("1:15: `lost` is not the code of a loss; {losses}"));
    check_error(
        "allow-loss = 1\n",
        "1:14: `allow-loss` is a number: write true, false, or a list of codes such as [\"dropped-field\"]",
    );
    check_error("paths = 1\n", "1:9: `paths` is a number: write entries that start with [[paths]]");
    check_error("[[paths]]\nstash = true\n", "1:1: an entry of [[paths]] needs a `glob`, such as glob = \"legacy/**\"");
    check_error(
        "[[paths]]\nglob = 'x'\nto = 'y'\n",
        "3:1: unknown setting `to`: there are: allow-loss, glob, ignore, keep-api-version, repair, stash",
    );
    check_error(
        "[[paths]]\nglob = 'x'\nignore = 'advisry'\n",
        "3:10: `advisry` is not the code of a finding: did you mean `advisory`?",
    );
    check_error("[sets]\n", "1:2: unknown setting `sets`: did you mean `set`?");
    check_error(
        "[set]\nngf.name = 'a'\n",
        "2:12: no pack has the parameter `ngf.name`; there are: cert-manager.defaults, cert-manager.rbac, cilium.defaults, cluster-api.defaults, cluster-api.provider-version, envoy-gateway.defaults, envoy-gateway.deprecated, external-secrets.defaults, flux.defaults, flux.rbac, gateway-api.rbac, gateway-api-inference-extension.rbac, istio.defaults, istio.deprecated, istio.root-namespace, karpenter.defaults, keda.rbac, kubernetes.defaults, kubernetes.rbac, ngf.namespace, tekton.cluster-tasks, traefik.defaults, traefik.deprecated",
    );
    check_error("[set]\nngf.namespace = 5\n", "2:17: `ngf.namespace` is a number: write a text in quotes");
    let shape = "at most 63 lower-case letters, digits and hyphens, with no hyphen at either end";
    check_error("[set]\nngf.namespace = 'A'\n", &format!("2:17: `A` is not a valid ngf.namespace: write {shape}"));
    check_error(
        "[values]\n'x.yaml' = 'x'\n",
        "2:12: no pack knows the chart `x`; there are: cert-manager, cilium, external-secrets, inferencepool, karpenter, nginx-gateway-fabric, traefik",
    );
    check_error("[values]\n'x.yaml' = 'nginx-gateway-fabric'\n", "2:1: no such file: x.yaml");
}

#[cfg(unix)]
#[test]
fn a_link_to_nothing_is_no_missing_file() {
    let tree = Tree::of(&[("a.yaml", ROUTE)]);
    std::os::unix::fs::symlink("gone.toml", tree.path("reversion.toml")).unwrap();
    let run = tree.run(&["check", "--to=gateway-api@1.4"]);
    run.check(2);
    let expected = "error: reversion.toml: a symbolic link to nothing: correct where it leads, or remove it\n";
    assert_eq!(run.err, expected);
    tree.run(&["check", "--to=gateway-api@1.4", "--isolated"]).check(1);
    fs::write(tree.path("gone.toml"), "to = 'gateway-api@1.4'\n").unwrap();
    tree.run(&["check"]).check(1);
}

#[test]
fn a_file_that_a_call_does_not_need_is_not_read() {
    let tree = Tree::of(&[("reversion.toml", "?"), ("a.yaml", ROUTE)]);
    tree.run(&["check"]).check(2);
    tree.run(&["check", "--to=gateway-api@1.4", "--isolated"]).check(1);
    tree.plan("a.plan", &[]);
    tree.run(&["apply", "--plan=a.plan", "--yes"]).check(0);
    tree.run(&["undo"]).check(0);
}

#[test]
fn the_example_in_the_reference_is_valid() {
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/src/reference/settings.md")).unwrap();
    let (_, section) = page.split_once("\n## Example\n").unwrap();
    let (_, example) = section.split_once("```toml\n").unwrap();
    let (example, after) = example.split_once("```\n").unwrap();
    let printed = Tree::of(&[]).run(&["config-schema"]);
    printed.check(0);
    assert_eq!(printed.out, SCHEMA);
    assert_eq!(example.lines().next(), Some(&*format!("#:schema {BOOK}reversion.schema.json")));
    let tree = Tree::of(&[
        ("reversion.toml", example),
        ("deploy/edge.yaml", "nginx: {config: {ipFamily: dual}}\n"),
        ("charts/a.yaml", BROKEN),
        ("a.gen.yaml", BROKEN),
        ("legacy/pay.yaml", RETRIES),
        ("pay.yaml", RETRIES),
    ]);
    let run = tree.run(&["check", "-v"]);
    run.check(1);
    assert!(
        run.err.contains("settings from reversion.toml: to, keep-going, exclude, paths, set, values\n"),
        "{}",
        run.err
    );
    assert!(run.out.contains("legacy/pay.yaml:1:1: ") && run.err.contains("1 held back"), "{}{}", run.out, run.err);
    let unknown = Tree::of(&[("reversion.toml", "unknown = 1\n")]).run(&["check"]);
    let (_, keys) = unknown.err.trim_end().split_once("there are: ").unwrap();
    let (_, table) = after.split_once("\n## Keys\n").unwrap();
    let (table, _) = table.split_once("\n\n").unwrap();
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let described: BTreeSet<&str> = schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(described, keys.split(", ").collect(), "docs/src/reversion.schema.json has the keys (right)");
    let missing: Vec<&str> = keys
        .split(", ")
        .filter(|key| !table.contains(&format!("`{key}`")) && !table.contains(&format!("[{key}]")))
        .collect();
    assert_eq!(missing, [""; 0], "docs/src/reference/settings.md: the table of keys lacks these");
}

const SCHEMA: &str = include_str!("../../docs/src/reversion.schema.json");

/// Reads a TOML file of texts, switches, numbers, lists and tables.
fn json(text: &str) -> Value {
    fn value(of: &DeValue<'_>) -> Value {
        match of {
            DeValue::String(text) => Value::from(text.to_string()),
            DeValue::Boolean(switch) => Value::from(*switch),
            DeValue::Array(items) => items.iter().map(|item| value(item.get_ref())).collect(),
            DeValue::Table(entries) => {
                entries.iter().map(|(key, entry)| (key.get_ref().to_string(), value(entry.get_ref()))).collect()
            }
            DeValue::Integer(number) => Value::from(number.as_str().parse::<i64>().unwrap()),
            other => panic!("{other:?}"),
        }
    }
    value(&DeValue::Table(DeTable::parse(text).unwrap().into_inner()))
}

/// The schema accepts what the program accepts, as far as no pack decides.
#[test]
fn the_schema_agrees_with_the_program() {
    let schema = jsonschema::validator_for(&serde_json::from_str(SCHEMA).unwrap()).unwrap();
    let cases = [
        ("to = 'gateway-api@1.4'\n", true),
        ("to = ['gateway-api@1.4/standard', 'ngf@2.2']\nunpaired = true\n", true),
        ("allow-loss = true\n", true),
        ("allow-loss = ['dropped-field']\nexclude = 'x'\n", true),
        ("[set]\nngf.namespace = 'a'\n", true),
        ("[set]\nnamespace = 'a'\n", true),
        ("[[paths]]\nglob = ['x', 'y']\nstash = true\nignore = 'advisory'\n", true),
        ("to = 'gateway-api'\n", false),
        ("to = 5\n", false),
        ("hidden = 'yes'\n", false),
        ("allow-loss = 1\n", false),
        ("exclude = [true]\n", false),
        ("unknown = 1\n", false),
        ("crds = ''\n", false),
        ("[set]\nngf.namespace = 5\n", false),
        ("[[paths]]\nstash = true\n", false),
        ("[[paths]]\nglob = 'x'\nto = 'ngf@2.2'\n", false),
        ("paths = 1\n", false),
    ];
    for (text, is_valid) in cases {
        let tree = Tree::of(&[("reversion.toml", text), ("a.yaml", ROUTE)]);
        let run = tree.run(&["check", "--to=gateway-api@1.4"]);
        assert_eq!(run.code != Some(2), is_valid, "{text}{}", run.err);
        assert_eq!(schema.is_valid(&json(text)), is_valid, "{text}");
    }
}
