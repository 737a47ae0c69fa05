//! Arguments of every command: kubectl's letters, completions and manual pages, and what a run says that finds nothing.

use std::fs;
use std::process::{Command, Stdio};

use crate::support::trees::{Run, Tree};

/// A route that v1.4 serves under another version.
const ROUTE: &str = "apiVersion: gateway.networking.k8s.io/v1beta1\nkind: HTTPRoute\nmetadata: {name: shop}\nspec: {hostnames: [a.example.com]}\n";

const SERVICE: &str = "apiVersion: v1\nkind: Service\nmetadata: {name: a}\n";

const TO: &str = "--to=gateway-api@1.4";

#[test]
fn paths_are_passed_as_to_kubectl() {
    let tree = Tree::of(&[("a.yaml", ROUTE), ("b/c/d.yaml", ROUTE), ("e.yaml", ROUTE)]);
    let read = |run: Run| {
        // Behind the objects there is advice about the release.
        let lines =
            run.out.lines().take_while(|line| !line.starts_with("about ")).filter(|line| !line.starts_with(' '));
        lines.map(|line| line.split(':').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(read(tree.run(&["check", "-v", TO, "-f", "a.yaml", "-f", "b", "-R"])), ["a.yaml", "b/c/d.yaml"]);
    assert_eq!(read(tree.run(&["check", "-v", TO, "e.yaml", "--filename=a.yaml"])), ["a.yaml", "e.yaml"]);
    assert_eq!(
        read(tree.run(&["diff", TO, "--recursive", "-f", "."])).iter().filter(|line| *line == "--- a/e.yaml").count(),
        1
    );
    assert_eq!(read(tree.run(&["check", "-v", TO, "-f", "a.yaml,b", "-f=e.yaml"])), ["a.yaml", "b/c/d.yaml", "e.yaml"]);
    assert_eq!(read(tree.run_fed(&["check", "-v", TO, "-f", "-"], ROUTE)), ["-"]);
    let converted = tree.run_fed(&["convert", TO, "-"], ROUTE);
    converted.check(0);
    assert!(converted.out.contains("gateway.networking.k8s.io/v1\n"), "{}", converted.out);
    for spelling in [&["-f", "-"][..], &["-f-"], &["--filename=-"]] {
        assert_eq!(tree.run_fed(&[&["convert", TO][..], spelling].concat(), ROUTE).out, converted.out);
    }
    let file = tree.run(&["convert", TO, "-f", "a.yaml"]);
    file.check(2);
    assert!(file.err.contains("`reversion convert - < a.yaml` prints it converted"), "{}", file.err);
    tree.run(&["convert", TO]).check(2);
    let conflict = tree.run(&["apply", "--plan", "x", "-f", "a.yaml"]);
    conflict.check(2);
    assert!(conflict.err.contains("cannot be used with '--filename'"), "{}", conflict.err);
}

#[test]
fn the_format_is_passed_as_to_kubectl_except_where_a_file_is_named() {
    let tree = Tree::of(&[("a.yaml", ROUTE)]);
    for command in [&["check", TO][..], &["diff", TO], &["apply", "--yes", "--allow-no-vcs", TO], &["detect"]] {
        for format in [&["-o", "json"][..], &["-ojson"], &["--output=json"]] {
            let run = tree.run(&[command, format].concat());
            assert!(
                run.out.starts_with("{\n  \"schemaVersion\": 2,"),
                "{command:?} {format:?}: {}{}",
                run.out,
                run.err
            );
        }
    }
    tree.run(&["plan", TO, "-o", "json"]).check(0);
    assert!(tree.text("json").starts_with('{'), "`plan -o` names the file");
}

/// A Gateway in a namespace, and a route without one that uses the hostnames of its listeners.
const GATEWAY: &str = "apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata: {name: edge, namespace: shop}\nspec:\n  gatewayClassName: c\n  listeners: [{name: tls, port: 443, protocol: TLS, hostname: a.example.com, tls: {mode: Passthrough}}]\n";
const TLS_ROUTE: &str = "apiVersion: gateway.networking.k8s.io/v1alpha3\nkind: TLSRoute\nmetadata: {name: pay}\nspec:\n  parentRefs: [{name: edge}]\n  rules: [{backendRefs: [{name: pay, port: 443}]}]\n";

#[test]
fn the_namespace_of_a_call_is_that_of_objects_without_one() {
    let tree = Tree::of(&[("gateway.yaml", GATEWAY), ("route.yaml", TLS_ROUTE)]);
    let run = |arguments: &[&str]| tree.run(&[&["diff", "--to=gateway-api@1.5/standard"], arguments].concat());
    for found in [run(&["-n", "shop"]), run(&["--namespace=shop"])] {
        assert!(found.out.contains("a.example.com"), "{}{}", found.out, found.err);
    }
    for apart in [run(&[]), run(&["-n", "other"])] {
        assert!(!apart.out.contains("a.example.com"), "{}{}", apart.out, apart.err);
        assert!(apart.err.contains("route.yaml:") && apart.err.contains("1 held back"), "{}", apart.err);
    }
    let wrong = run(&["-n", "Shop"]);
    wrong.check(2);
    assert!(wrong.err.contains("lower-case letters"), "{}", wrong.err);
}

#[test]
fn a_run_that_recognizes_nothing_says_why_in_every_form() {
    let tree = || Tree::of(&[("svc.yaml", SERVICE), ("a.txt", "x"), (".h.yaml", ROUTE)]);
    let why = |command: &str| {
        let sought = match command {
            "detect" => {
                "one of the packs cert-manager, cilium, cluster-api, envoy-gateway, external-secrets, flux, gateway-api, \
                 gateway-api-inference-extension, helm, istio, karpenter, keda, kubernetes, ngf, tekton or traefik"
            }
            _ => "the pack gateway-api",
        };
        format!(
            "nothing recognized: no object of a kind that {sought} knows in . (1 file read; not read: 1 file with another extension, 1 hidden)\n  help: `--inspect` lists what is not read, ignored files too; `reversion releases PACK` lists the kinds that are looked for, objects of other APIs need their CRDs (`--crds PATH`), `--allow-empty` exits with 0\n"
        )
    };
    let commands: [&[&str]; 5] =
        [&["detect"], &["check", TO], &["diff", TO], &["apply", TO, "--yes"], &["plan", TO, "--out=p.plan"]];
    for command in commands {
        for form in [&[][..], &["--quiet"], &["--format=json"], &["--format=github"], &["--output-file=report.txt"]] {
            let run = tree().run(&[command, form].concat());
            run.check(3);
            assert!(run.err.ends_with(&why(command[0])), "{command:?} {form:?}: {}", run.err);
        }
    }
    let why = "nothing recognized: standard input holds no object of a kind that the pack gateway-api knows\n  help: `reversion releases PACK` lists the kinds that are looked for, objects of other APIs need their CRDs (`--crds PATH`), `--allow-empty` exits with 0\n";
    for command in [["convert", TO, "-", "-q"], ["check", TO, "-", "-q"]] {
        let run = tree().run_fed(&command, SERVICE);
        run.check(3);
        assert!(run.err.ends_with(why), "{command:?}: {}", run.err);
    }
    let tree = tree();
    fs::remove_file(tree.path("svc.yaml")).unwrap();
    let none = tree.run(&["check", TO]);
    none.check(3);
    assert!(
        none.err.contains("in . (no file read; not read: 1 file with another extension, 1 hidden)\n"),
        "{}",
        none.err
    );
}

#[test]
fn a_variable_that_is_neither_on_nor_off_is_an_error() {
    let tree = Tree::of(&[("a.yaml", ROUTE)]);
    let switches = [
        "quiet",
        "verbose",
        "allow-empty",
        "exit-zero",
        "no-ignore",
        "hidden",
        "follow",
        "keep-going",
        "unpaired",
        "keep-api-version",
        "repair",
        "stash",
        "isolated",
    ];
    for switch in switches {
        let variable = format!("REVERSION_{}", switch.replace('-', "_").to_uppercase());
        let run = tree.run_with(&[(&variable, "maybe")], &["check", TO]);
        run.check(2);
        assert!(run.err.contains(&format!("invalid value 'maybe' for '--{switch}'")), "{switch}: {}", run.err);
        assert!(run.err.contains("1 or 0, true or false, yes or no, on or off"), "{switch}: {}", run.err);
        for value in ["No", "off", "0", ""] {
            tree.run_with(&[(&variable, value)], &["check", TO]).check(1);
        }
    }
    for switch in ["REVERSION_ALLOW_DIRTY", "REVERSION_ALLOW_NO_VCS"] {
        tree.run_with(&[(switch, "maybe")], &["apply", "--yes", TO]).check(2);
        assert_eq!(tree.text("a.yaml"), ROUTE);
    }
}

#[test]
fn a_passed_quiet_or_verbose_overrides_the_variable_of_the_other() {
    let tree = Tree::of(&[("a.yaml", ROUTE)]);
    let run = |variables: &[(&str, &str)], flag: &str| tree.run_with(variables, &["check", TO, flag]);
    let (quiet, verbose) = (("REVERSION_QUIET", "1"), ("REVERSION_VERBOSE", "1"));
    assert_ne!(run(&[], "-q").out, run(&[], "-v").out);
    for (variable, flag) in [(verbose, "-q"), (quiet, "-v"), (verbose, "--quiet"), (quiet, "--verbose")] {
        let overriding = run(&[variable], flag);
        overriding.check(1);
        assert_eq!(overriding.out, run(&[], flag).out, "{flag}");
    }
    assert_eq!(run(&[quiet, ("REVERSION_VERBOSE", "0")], "-R").out, run(&[], "-q").out);
    for both in [run(&[quiet, verbose], "-R"), tree.run(&["check", TO, "-q", "-v"])] {
        both.check(2);
        assert!(both.err.contains("--quiet") && both.err.contains("--verbose"), "{}", both.err);
    }
    let fed = |flag: &str| tree.run_fed(&["convert", TO, flag, "-"], ROUTE).code;
    assert_eq!([fed("-q"), fed("-v"), fed("-qv")], [Some(0), Some(0), Some(2)]);
}

#[test]
fn wrong_calls_name_what_to_call() {
    let tree = Tree::of(&[("a.yaml", ROUTE), ("b/c.yaml", ROUTE), (".git/x", "")]);
    for word in ["", " "] {
        let empty = tree.run(&["explain", word]);
        empty.check(2);
        assert!(empty.err.contains("write a word of the output"), "{}", empty.err);
    }
    let nothing = tree.run(&["undo", "--list"]);
    nothing.check(0);
    assert!(nothing.err.starts_with("nothing to undo"), "{}", nothing.err);
    let folder = tree.run(&["convert", "b", TO]);
    folder.check(2);
    let help = "help: `reversion diff b` shows what would change, `reversion apply b` changes it\n";
    assert!(folder.err.ends_with(help), "{}", folder.err);
    tree.run(&["plan", TO, "--out=all.plan", "-q"]).check(0);
    let elsewhere = tree.run_in("b", &["apply", "--yes", "--allow-dirty", "--plan=../all.plan"]);
    elsewhere.check(2);
    let top = tree.path("").canonicalize().unwrap();
    assert_eq!(
        elsewhere.err,
        format!(
            "error: nothing was written: the plan was made in another folder: none of its files is in this one\n  help: run it in the folder that it was made in, {}\n",
            top.display()
        )
    );
    let shown = tree.run_in("b", &["show", "../all.plan"]);
    assert!(shown.err.contains("none of its files is in this one"), "{}", shown.err);
    fs::remove_file(tree.path("a.yaml")).unwrap();
    let stale = tree.run(&["apply", "--yes", "--allow-dirty", "--plan=all.plan"]);
    assert!(stale.err.contains("the plan is stale"), "{}", stale.err);
}

#[cfg(unix)]
#[test]
fn a_reader_that_stops_reading_does_not_fail_the_run() {
    let tree = Tree::of(&[("a.yaml", ROUTE)]);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut child = tree.start_with_error_to(writer.into(), &["check", TO, "-v"]);
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

const SHELLS: [&str; 5] = ["bash", "elvish", "fish", "powershell", "zsh"];

#[test]
fn each_shell_reads_its_completions() {
    let tree = Tree::of(&[]);
    for shell in SHELLS {
        let script = tree.run(&["completion", shell]);
        script.check(0);
        // Not every shell completes values of flags and arguments.
        let values: &[&str] = match shell {
            "bash" | "zsh" => &["gateway-api@1.4", "ngf@latest", "held-back", "dropped-field"],
            "fish" => &["gateway-api@1.4", "ngf@latest"],
            _ => &[],
        };
        for word in ["keep-going", "completion", "allow-loss"].iter().chain(values) {
            assert!(script.out.contains(word), "{shell} does not complete {word}");
        }
        fs::write(tree.path("script"), &script.out).unwrap();
        let (program, arguments): (_, &[&str]) = match shell {
            "bash" | "zsh" | "fish" => (shell, &["-n", "script"]),
            "elvish" => (shell, &["-compileonly", "script"]),
            _ => ("pwsh", &["-NoProfile", "-File", "script"]),
        };
        let mut command = Command::new(program);
        command.args(arguments).current_dir(tree.path("")).stdin(Stdio::null());
        match command.output() {
            Ok(output) => assert!(output.status.success(), "{shell}: {}", String::from_utf8_lossy(&output.stderr)),
            Err(error) => assert_eq!((error.kind(), shell != "bash"), (std::io::ErrorKind::NotFound, true), "{shell}"),
        }
    }
    tree.run(&["completion", "csh"]).check(2);
}

/// Returns the descriptions of the flags in a help text, each in one line.
fn texts(help: &str) -> Vec<String> {
    let mut texts: Vec<Vec<&str>> = Vec::new();
    let mut is_text = false;
    for line in help.lines() {
        let indent = line.len() - line.trim_start().len();
        if line.trim_start().starts_with('-') && indent <= 6 {
            is_text = true;
            texts.push(Vec::new());
        } else if indent < 10 || line.trim_start().starts_with(['[', '-']) || line.trim() == "Possible values:" {
            // The values of a flag are described behind an empty line.
            is_text &= line.is_empty() && texts.last().is_some_and(Vec::is_empty);
        } else if is_text {
            texts.last_mut().unwrap().push(line.trim());
        }
    }
    texts.into_iter().map(|lines| lines.join(" ")).filter(|text| !text.contains("(see a summary with '-h')")).collect()
}

/// Returns the text of a manual page, with one space between words.
fn plain(page: &str) -> String {
    let text = page.replace("\\-", "-").replace("\\fB", "").replace("\\fI", "").replace("\\fR", "");
    let text = text.replace("\\*(Aq", "'").replace("\\&", "");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the long flags in a help text.
fn flags(help: &str) -> Vec<String> {
    let words = help
        .lines()
        .filter(|line| line.trim_start().starts_with('-'))
        .flat_map(|line| line.split([' ', '[', '=', ',']));
    words.filter(|word| word.starts_with("--") && word.len() > 2).map(str::to_owned).collect()
}

#[test]
fn the_manual_pages_have_every_flag() {
    let tree = Tree::of(&[("pages/x", "")]);
    let page = tree.run(&["man"]);
    page.check(0);
    assert!(page.out.contains(".TH reversion 1") && page.out.contains("reversion\\-check(1)"), "{}", page.out);
    tree.run(&["man", "pages"]).check(0);
    assert_eq!(tree.text("pages/reversion.1"), page.out);
    for command in [
        "detect",
        "check",
        "diff",
        "apply",
        "plan",
        "show",
        "undo",
        "convert",
        "explain",
        "releases",
        "matrix",
        "completion",
        "man",
    ] {
        let page = tree.text(&format!("pages/reversion-{command}.1"));
        let help = tree.run(&[command, "--help"]).out;
        let flags = flags(&help);
        assert!(!flags.is_empty(), "{help}");
        for flag in flags {
            assert!(page.contains(&flag.replace('-', "\\-")), "{command}: {flag}");
        }
        for text in texts(&help) {
            assert!(plain(&page).contains(&text), "{command}: the page lacks `{text}`: {page}");
        }
        assert!(page.contains("\n.SH EXAMPLES\n") && !page.contains(".SH EXTRA"), "{command}: {page}");
        let has_codes = ["detect", "check", "diff", "apply", "plan", "show", "convert"].contains(&command);
        assert_eq!(page.contains("\n.SH \"EXIT STATUS\"\n"), has_codes, "{command}");
        assert_eq!(plain(&page).contains("3 no object was recognized"), has_codes, "{command}");
    }
    let pages = fs::read_dir(tree.path("pages")).unwrap().map(|page| page.unwrap().file_name().into_string().unwrap());
    let pages: Vec<String> = pages.filter(|page| page != "x").collect();
    for page in &pages {
        let text = plain(&tree.text(&format!("pages/{page}")));
        for named in text.split_whitespace().filter_map(|word| word.split_once("(1)")).map(|(name, _)| name) {
            assert!(pages.contains(&format!("{named}.1")), "{page} refers to {named}(1), which is not written");
        }
    }
    assert!(plain(&page.out).contains("2 failed: a bad argument"), "{}", page.out);
    assert!(tree.text("pages/reversion-pack-lint.1").contains("\\-\\-fixtures"));
    let missing = tree.run(&["man", "nowhere"]);
    missing.check(2);
    assert!(missing.err.starts_with("error: cannot write nowhere/reversion.1"), "{}", missing.err);
}
