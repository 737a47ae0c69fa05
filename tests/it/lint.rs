//! The static checks of packs: every built-in pack passes them, and errors of a pack are reported.

use std::borrow::Cow;
use std::collections::BTreeSet;

use reversion::internals::pack::lint::{Coverage, Share, coverage, is_shown, lint, removals};
use reversion::internals::pack::{Pack, PackFiles, Rule, load, matrix};
use reversion::internals::release::GroupKind;

use crate::support::{packs, root};

#[test]
fn every_pack_of_the_program_is_complete() {
    let fixtures = load::list_folder(&root().join("fixtures")).unwrap();
    for pack in packs().iter() {
        let messages: Vec<_> = lint(pack, Some(&fixtures)).iter().map(ToString::to_string).collect();
        assert!(messages.is_empty(), "{}", messages.join("\n"));
    }
}

/// Returns the files of a built-in pack from the repository.
fn files(name: &str) -> PackFiles {
    let folder = root().join("rules").join(name);
    let paths = load::list_folder(&folder).unwrap().into_iter();
    let is_data = |path: &String| path.ends_with(".yaml") || path.ends_with(".tsv");
    let text = |path: &str| Cow::Owned(std::fs::read_to_string(folder.join(path)).unwrap());
    paths.filter(is_data).map(|path| (path.clone(), text(&path))).collect()
}

#[test]
fn a_missing_rule_is_reported() {
    let mut reported_rules = 0;
    for pack in packs().iter() {
        let whole = files(pack.name());
        let (shown, others): (Vec<_>, Vec<_>) =
            pack.rule_files().into_iter().partition(|rules| rules.iter().any(|rule| is_shown(pack, rule)));
        let is_missed = |rules: &Vec<&Rule>| {
            let (mut files, id) = (whole.clone(), rules[0].id.as_str());
            let path = format!("{}.yaml", id.strip_prefix(pack.name()).unwrap().trim_start_matches('/'));
            assert!(files.remove(&path).is_some(), "{path}");
            let rest = load::load(pack.name(), files).unwrap();
            // Nearly every rule is missed where a kind of its own loses something, which is found much sooner.
            let is_about = |kind: &GroupKind| rules.iter().any(|rule| rule.kind == *kind);
            !removals(&rest, is_about).is_empty() || !lint(&rest, None).is_empty()
        };
        // What a rule of some releases alone adds is there without the other rule of its bundle too.
        let is_alone = |rule: &Rule| {
            let beside = |other: &Rule| other.within.is_some() && other.order == rule.order && other.kind == rule.kind;
            !pack.rules().iter().any(beside)
        };
        // Of a kind that becomes one of several, lint follows the objects that become the first.
        let becomes_one = |rule: &Rule| {
            let retypes =
                |other: &&Rule| other.kind == rule.kind && other.order == rule.order && other.new_kind != rule.kind;
            pack.rules().iter().filter(retypes).map(|other| &other.new_kind).collect::<BTreeSet<_>>().len() < 2
        };
        let alone = shown.iter().filter(|rules| is_alone(rules[0]) && becomes_one(rules[0]));
        let unreported: Vec<&str> = alone.filter(|rules| !is_missed(rules)).map(|rules| rules[0].id.as_str()).collect();
        assert!(unreported.is_empty(), "removed without a message:\n{}", unreported.join("\n"));
        // Rules without a change in the catalogs remove nothing from every object.
        let is_certain = |rule: &&&Rule| rule.kind != rule.new_kind && rule.api_versions.is_none() && becomes_one(rule);
        let certain = others.iter().flatten().filter(is_certain);
        assert_eq!(certain.map(|rule| rule.id.as_str()).collect::<Vec<_>>(), Vec::<&str>::new());
        reported_rules += shown.len();
    }
    assert!(reported_rules > 0, "no pack has a rule for a change in its catalogs");
}

/// Returns the catalog of a kind with the fields `path type attributes releases`, where the attributes may be `required`.
fn catalog(kind: &str, served: &str, fields: &[&str]) -> String {
    let head = format!("kind\t{kind}\nscope\tNamespaced\t{served}\nserved\tv1\t{served}\n");
    let columns = "path\ttype\trequired\tattributes\tapiVersions\treleases\n";
    let row = |field: &&str| {
        let mut parts = field.splitn(4, ' ');
        let mut next = || parts.next().unwrap_or_default();
        let (path, kind, attributes, releases) = (next(), next(), next(), next());
        let (required, attributes) = match attributes {
            "required" => ("required", ""),
            other => ("", other.trim_matches('-')),
        };
        format!("{path}\t{kind}\t{required}\t{attributes}\t\t{releases}\n")
    };
    head + columns + &fields.iter().map(row).collect::<String>()
}

const ALL: &str = "standard v1..v3";

/// Returns a pack of three bundles with the kind A, the given fields, notes and rules of v2.
fn pack(fields: &[&str], notes: &str, rules: &[(&str, &str)]) -> Pack {
    load::load("p", pack_files(fields, notes, rules)).unwrap()
}

/// Returns the files of that pack.
fn pack_files(fields: &[&str], notes: &str, rules: &[(&str, &str)]) -> PackFiles {
    let releases: String =
        ["v1", "v2", "v3"].map(|name| format!("- {{ bundle: {name}, channels: [standard] }}\n")).concat();
    let head = format!("name: p\ntitle: T\nsource: s\ngroups: [g]\nreleases:\n{releases}{notes}");
    let mut all = vec!["spec object - standard v1..v3"];
    all.extend(fields);
    all.sort_by_key(|field| field.split(' ').next());
    let mut files = PackFiles::from([("pack.yaml".to_owned(), Cow::Owned(head))]);
    files.insert("catalog/A.g.tsv".to_owned(), Cow::Owned(catalog("A.g", ALL, &all)));
    files.insert(
        "catalog/B.g.tsv".to_owned(),
        Cow::Owned(catalog("B.g", "standard v1", &["spec object - standard v1"])),
    );
    for (name, lens) in rules {
        let text = format!("summary: s\nkind: A.g\nchannels: [standard]\nsource: s\nlens:\n{lens}");
        files.insert(format!("v2/{name}.yaml"), Cow::Owned(text));
    }
    files
}

/// The note that the kind B was removed without a rule, which every pack here requires.
const B_REMOVED: &str = "dropped: [{ bundle: v2, kind: B.g, reason: r }]\n";

/// What the help of a removal says that no rule is near to.
const COVER: &str = "  help: add a rule that converts it, or list it under `dropped`";

/// Checks the messages about a pack, line by line.
#[track_caller]
fn check(pack: &Pack, expected: &[&str]) {
    let messages: String = lint(pack, None).iter().map(|message| format!("{message}\n")).collect();
    assert_eq!(messages.lines().collect::<Vec<_>>(), expected);
}

const MOVED: [&str; 2] = ["spec.old string - standard v1", "spec.new string - standard v2..v3"];
const RENAME: (&str, &str) = ("old-to-new", "  - rename: { field: spec.old, to: new }\n");

/// The ways out where a field is on both sides of a rule.
const DISTINGUISH: &str = "  help: write `needs: from`, so that the rule runs where the release of the objects is known; or `apiVersions: [OLD, NEW]`, if the apiVersion shows the side; or a `when` that tests a field which only one side has, such as spec.new; or list the change of v2 under `undetectable` instead";

#[test]
fn what_parts_become_is_an_object_of_a_release() {
    let fields = ["spec.old string - standard v1", "spec.host string - standard v1..v3"];
    let split = |to: &str, version: &str| {
        let then = "[{ rename: { field: spec.old, to: new } }]";
        format!("  - split: {{ takes: [spec.old], direction: forward, to: {to}, version: {version}, then: {then} }}\n")
    };
    let check_split = |to: &str, version: &str, expected: &[&str]| {
        check(&pack(&fields, B_REMOVED, &[("part", &split(to, version))]), expected);
    };
    check_split("A.g", "v1", &[]);
    let help = "  help: write a version that the catalog lists";
    check_split("A.g", "v9", &["p/v2/part.yaml:6:62: no release has A.g in the version v9", help]);
    let help = "  help: make it with `reversion pack build`";
    check_split("Other.g", "v1", &["p/v2/part.yaml:6:53: the pack has no catalog of Other.g", help]);
}

#[test]
fn every_removed_field_is_claimed_by_a_rule() {
    check(&pack(&MOVED, B_REMOVED, &[RENAME]), &[]);
    check(&pack(&MOVED, B_REMOVED, &[]), &["p/pack.yaml:7:1: 2/standard removes A.g spec.old", COVER]);
    let listed =
        format!("{B_REMOVED}{}", "").replace("]\n", ", { bundle: v2, kind: A.g, field: spec.old, reason: r }]\n");
    check(&pack(&MOVED, &listed, &[]), &[]);
    check(&pack(&[], "", &[]), &["p/pack.yaml:7:1: 2/standard removes the kind B.g", COVER]);
}

#[test]
fn removed_fields_are_counted() {
    let fields = [
        "spec.a string - standard v1",
        "spec.b string - standard v1..v2",
        "spec.c object - standard v1",
        "spec.c.d string - standard v1",
        "spec.new string - standard v2..v3",
        "spec.t string {\"enum\":[\"a\",\"b\"]} standard v1",
        "spec.t string {\"enum\":[\"b\"]} standard v2..v3",
    ];
    let notes = B_REMOVED.replace("]\n", ", { bundle: v3, kind: A.g, field: spec.b, reason: r }]\n");
    let rule = ("a", "  - rename: { field: spec.a, to: new }\n  - drop: { field: spec.c.d, reason: r }\n");
    let share = |claimed, dropped, missed| Share { claimed, dropped, missed };
    let counted = |notes: &str, rules: &[(&str, &str)]| coverage(&pack(&fields, notes, rules));
    let whole = Coverage { kinds: share(0, 1, 0), fields: share(3, 1, 0), values: share(0, 0, 1) };
    assert_eq!(counted(&notes, &[rule]), whole);
    let bare = Coverage { kinds: share(0, 0, 1), fields: share(0, 0, 4), values: share(0, 0, 1) };
    assert_eq!(counted("", &[]), bare);
}

#[test]
fn fields_removed_from_some_objects_only_are_unclaimed() {
    let fields = ["spec.old string - standard v1", "spec.type string - standard v1..v3"];
    let drop = |condition: &str| {
        format!("  - when: {{ if: {condition}, then: [{{ drop: {{ field: spec.old, reason: r }} }}] }}\n")
    };
    let sometimes = drop("{ equals: { field: spec.type, value: a } }");
    let message = [
        "p/pack.yaml:7:1: 2/standard removes A.g spec.old",
        "  help: v2/sometimes.yaml:6 converts it only where { equals: { field: spec.type, value: a } } holds: add what becomes of \
         the other objects, such as a `when` with `not`, or a `refuse`",
    ];
    check(&pack(&fields, B_REMOVED, &[("sometimes", &sometimes)]), &message);
    check(&pack(&fields, B_REMOVED, &[("always", &drop("{ present: spec.old }"))]), &[]);
}

#[test]
fn a_mapping_is_removed_with_its_last_field() {
    let fields = [
        "spec.new string - standard v2..v3",
        "spec.old object - standard v1",
        "spec.old.a string - standard v1",
        "spec.old.b string - standard v1",
    ];
    let moved = ("a", "  - move: { from: spec.old.a, to: spec.new }\n");
    let dropped = ("b", "  - drop: { field: spec.old.b, reason: r }\n");
    check(&pack(&fields, B_REMOVED, &[moved, dropped]), &[]);
    let message = |field: &str| format!("p/pack.yaml:7:1: 2/standard removes A.g {field}");
    check(&pack(&fields, B_REMOVED, &[moved]), &[&message("spec.old"), COVER, &message("spec.old.b"), COVER]);
}

#[test]
fn fields_only_in_a_removed_api_version_are_claimed() {
    let releases = ["v1", "v2"].map(|name| format!("- {{ bundle: {name}, channels: [standard] }}\n")).concat();
    let head = format!("name: p\ntitle: T\nsource: s\ngroups: [g]\nreleases:\n{releases}");
    let fields = "spec\tobject\t\t\t\tstandard v1..v2\nspec.old\tstring\t\t\tv1alpha1\tstandard v1..v2\n";
    let served = "served\tv1\tstandard v1..v2\nserved\tv1alpha1\tstandard v1\nunserved\tv1alpha1\tstandard v2\n";
    let columns = "path\ttype\trequired\tattributes\tapiVersions\treleases\n";
    let catalog = format!("kind\tA.g\nscope\tNamespaced\tstandard v1..v2\n{served}{columns}{fields}");
    let text = |text: &str| Cow::Owned(text.to_owned());
    let files = [("pack.yaml", text(&head)), ("catalog/A.g.tsv", text(&catalog))];
    let files = files.map(|(path, text)| (path.to_owned(), text));
    let pack = load::load("p", PackFiles::from(files)).unwrap();
    check(&pack, &["p/pack.yaml:7:1: 2/standard removes A.g spec.old", COVER]);
}

#[test]
fn fields_required_by_a_release_are_added() {
    let mut fields = vec!["spec.listeners array - standard v1..v3", "spec.listeners[] object - standard v1..v3"];
    fields.push("spec.listeners[].name string required standard v2..v3");
    let message = "p/pack.yaml:7:1: 2/standard requires A.g spec.listeners[].name";
    let help = "  help: add a rule that sets it, or an entry under `hints`";
    check(&pack(&fields, B_REMOVED, &[]), &[message, help]);
    let named = ("listeners-got-names", "  - native: listener-names\n");
    check(&pack(&fields, B_REMOVED, &[named]), &[]);
    let hint = format!("{B_REMOVED}hints: [{{ kind: A.g, field: \"spec.listeners[].name\", help: h }}]\n");
    check(&pack(&fields, &hint, &[]), &[]);
}

#[test]
fn a_required_mapping_is_set_by_what_moves_into_it() {
    let fields = [
        "spec.a object required standard v2..v3",
        "spec.a.b string - standard v2..v3",
        "spec.a.c string - standard v2..v3",
        "spec.b string - standard v1",
    ];
    check(&pack(&fields, B_REMOVED, &[("moved", "  - move: { from: spec.b, to: spec.a.b }\n")]), &[]);
    let message = "p/pack.yaml:7:1: 2/standard requires A.g spec.a";
    let help = "  help: add a rule that sets it, or an entry under `hints`";
    check(&pack(&fields, B_REMOVED, &[("dropped", "  - drop: { field: spec.b, reason: r }\n")]), &[message, help]);
}

#[test]
fn removed_values_are_claimed() {
    let fields = [
        "spec.t string {\"enum\":[\"a\",\"b\"]} standard v1",
        "spec.t string {\"enum\":[\"b\",\"c\"]} standard v2..v3",
    ];
    let message = "p/pack.yaml:7:1: 2/standard removes the value \"a\" of A.g spec.t";
    check(&pack(&fields, B_REMOVED, &[]), &[message, COVER]);
    check(&pack(&fields, B_REMOVED, &[("a-to-c", "  - values: { field: spec.t, table: { a: c } }\n")]), &[]);
    check(
        &pack(&fields, B_REMOVED, &[("a-to-d", "  - values: { field: spec.t, table: { a: d } }\n")]),
        &[
            message,
            "  help: v2/a-to-d.yaml:6 converts the field, but not this value; add a rule that converts it, or list it under `dropped`",
            "p/v2/a-to-d.yaml:6:15: no release from v2 on allows \"d\" in A.g spec.t",
            "  help: its values are \"b\", \"c\"",
        ],
    );
    let refuse = "  - refuse: { direction: forward, if: { equals: { field: spec.t, value: a } }, at: spec.t, reason: r, help: h }\n";
    check(&pack(&fields, B_REMOVED, &[("no-a", refuse)]), &[]);
}

#[test]
fn a_value_that_is_nearly_one_of_its_field_is_named() {
    let fields = [
        "spec.t string {\"enum\":[\"paper\",\"glass\"]} standard v1",
        "spec.t string {\"enum\":[\"washi\",\"glass\"]} standard v2..v3",
    ];
    let values = "  - values: { field: spec.t, table: { papr: washi } }\n";
    check(
        &pack(&fields, B_REMOVED, &[("papr", values)]),
        &[
            "p/pack.yaml:7:1: 2/standard removes the value \"paper\" of A.g spec.t",
            "  help: v2/papr.yaml:6 converts the field, but not this value; add a rule that converts it, or list it under `dropped`",
            "p/v2/papr.yaml:6:15: no release before v2 allows \"papr\" in A.g spec.t",
            "  help: did you mean paper?",
        ],
    );
}

#[test]
fn what_a_rule_nearly_names_is_sought_in_the_release_that_it_leads_to() {
    let fields = ["spec.room string - standard v1", "spec.rooms string - standard v2..v3"];
    let check_rename = |to: &str, expected: &[&str]| {
        let rule = format!("  - rename: {{ field: spec.room, to: {to} }}\n");
        check(&pack(&fields, B_REMOVED, &[("room", &rule)]), expected);
    };
    check_rename("rooms", &[]);
    let expected = [
        "p/v2/room.yaml:6:15: rules move A.g spec.room to spec.roomz, which 2/standard does not have",
        "  help: did you mean spec.rooms?",
        "p/v2/room.yaml:6:33: no release has A.g spec.roomz",
        "  help: did you mean spec.room?",
    ];
    check_rename("roomz", &expected);
}

#[test]
fn a_stale_entry_is_reported() {
    let stale = B_REMOVED.replace("]\n", ", { bundle: v2, kind: A.g, field: spec.old, reason: r }]\n");
    let message =
        "p/pack.yaml:9:49: `dropped` lists A.g spec.old, which that bundle does not remove or a rule converts";
    let help = "  help: remove the entry, or write the first bundle without it";
    check(&pack(&MOVED, &stale, &[RENAME]), &[message, help]);
    check(&pack(&["spec.odd string - standard v1..v3"], &stale, &[]), &[message, "  help: did you mean spec.odd?"]);
}

#[test]
fn claims_are_in_the_catalog_of_their_side() {
    let wrong = ("old-to-new", "  - rename: { field: spec.odl, to: nwe }\n");
    let expected = [
        "p/pack.yaml:7:1: 2/standard removes A.g spec.old",
        "  help: v2/old-to-new.yaml:6 names spec.odl: did you mean spec.old?",
        "p/v2/old-to-new.yaml:6:15: no release has A.g spec.odl",
        "  help: did you mean spec.old?",
        "p/v2/old-to-new.yaml:6:32: no release has A.g spec.nwe",
        "  help: did you mean spec.new?",
    ];
    check(&pack(&MOVED, B_REMOVED, &[wrong]), &expected);
    let reversed = ("old-to-new", "  - rename: { field: spec.new, to: old }\n");
    let expected = [
        "p/pack.yaml:7:1: 2/standard removes A.g spec.old",
        COVER,
        "p/v2/old-to-new.yaml:6:15: no release before v2 has A.g spec.new",
        "  help: it is in standard v2..v3",
        "p/v2/old-to-new.yaml:6:15: spec.new exists after the change too, so old and new objects cannot be distinguished",
        DISTINGUISH,
        "p/v2/old-to-new.yaml:6:32: no release from v2 on has A.g spec.old",
        "  help: it is in standard v1",
        "p/v2/old-to-new.yaml:6:32: spec.old exists before the change too, so old and new objects cannot be distinguished",
        DISTINGUISH,
    ];
    check(&pack(&MOVED, B_REMOVED, &[reversed]), &expected);
    let too_far = ("old-to-new", "  - move: { from: spec.old, to: spec.newer }\n");
    let expected = [
        "p/v2/old-to-new.yaml:6:13: rules move A.g spec.old to spec.newer, which 2/standard does not have",
        "  help: the fields of spec are new",
        "p/v2/old-to-new.yaml:6:29: no release has A.g spec.newer",
        "  help: the fields of spec are new, old",
    ];
    check(&pack(&MOVED, B_REMOVED, &[too_far]), &expected);
}

#[test]
fn both_sides_of_a_rule_can_be_distinguished() {
    let fields = ["spec.old string - standard v1..v3", "spec.new string - standard v1..v3"];
    let way_out = DISTINGUISH.replace(", such as spec.new", "");
    let expected = [
        "p/v2/old-to-new.yaml:6:15: spec.old exists after the change too, so old and new objects cannot be distinguished",
        &way_out,
        "p/v2/old-to-new.yaml:6:32: spec.new exists before the change too, so old and new objects cannot be distinguished",
        &way_out,
    ];
    check(&pack(&fields, B_REMOVED, &[RENAME]), &expected);
    let guarded =
        ("guarded", "  - when: { if: { present: spec.old }, then: [{ rename: { field: spec.old, to: new } }] }\n");
    check(&pack(&fields, B_REMOVED, &[guarded]), &[]);
}

#[test]
fn no_two_rules_claim_the_same_field() {
    let again = ("old-again", "  - drop: { field: spec.old, reason: r }\n");
    check(
        &pack(&MOVED, B_REMOVED, &[again, RENAME]),
        &[
            "p/v2/old-to-new.yaml:6:15: A.g spec.old is also converted by p/v2/old-again",
            "  help: make one rule of both, or move one to the folder of its own bundle",
        ],
    );
}

#[test]
fn a_reserved_name_is_not_reused() {
    let fields = ["spec.x string - standard v1, standard v3"];
    let listed = B_REMOVED.replace("]\n", ", { bundle: v2, kind: A.g, field: spec.x, reason: r }]\n");
    let message = "p/pack.yaml:7:1: A.g spec.x is missing in 2/standard but not before and after it";
    let help = "  help: objects from before would be read with a new meaning: a field name must not be reused";
    check(&pack(&fields, &listed, &[]), &[message, help]);
}

#[test]
fn notes_refer_to_existing_fields() {
    let notes = "hints: [{ kind: A.g, field: spec.nothing, help: h }]\nadvisories:\n\
                 - { id: a, bundle: v2, direction: forward, message: m }\n- { id: a, bundle: v3, direction: forward, message: m }\n";
    let expected = [
        "p/pack.yaml:10:22: no release has A.g spec.nothing",
        "  help: the fields of spec are a",
        "p/pack.yaml:13:5: the id a is used twice",
        "  help: write another `id`",
    ];
    check(&pack(&["spec.a string - standard v1..v3"], &format!("{B_REMOVED}{notes}"), &[]), &expected);
}

#[test]
fn an_additive_advisory_has_nothing_to_do() {
    let advisory = |rest: &str| {
        let notes =
            format!("advisories: [{{ id: a, bundle: v2, direction: forward, additive: true, message: m{rest} }}]\n");
        load::load("p", pack_files(&[], &format!("{B_REMOVED}{notes}"), &[]))
    };
    assert!(advisory("").is_ok());
    let refused = advisory(", help: h").unwrap_err();
    assert!(format!("{refused:#}").contains("advisory a: what is additive needs no action"), "{refused:#}");
}

#[test]
fn rules_without_fixtures_and_fixtures_without_a_rule_are_reported() {
    let pack = pack(&MOVED, B_REMOVED, &[RENAME]);
    let reported = |files: &[&str]| -> Vec<String> {
        let files: Vec<_> = files.iter().map(|file| (*file).to_owned()).collect();
        lint(&pack, Some(&files)).iter().map(ToString::to_string).collect()
    };
    assert!(
        reported(&["p/v2/old-to-new/plain/before.yaml", "p/v2/old-to-new/other/same.yaml", "q/v2/x/y/same.yaml"])
            .is_empty()
    );
    let missing = "p/v2/old-to-new.yaml:1:1: the rule has no fixture\n  help: add p/v2/old-to-new/CASE with before.yaml or after.yaml";
    let unchanged = "p/v2/old-to-new.yaml:1:1: the rule has no fixture that it must not change\n  help: add p/v2/old-to-new/CASE with same.yaml";
    assert_eq!(reported(&[]), [missing, unchanged]);
    assert_eq!(
        reported(&["p/v2/old-to-new/plain/after.yaml", "p/v2/none/plain/same.yaml"]),
        ["p/v2/none: the fixtures belong to no rule\n  help: rename or remove the folder", unchanged]
    );
}

/// Returns a pack with the kind A as `v1beta1` in every bundle and as `v1` from v2 on, and a rule between the two in `bundle`.
fn versions_pack(bundle: &str, lens: &str) -> Pack {
    let releases: String =
        ["v1", "v2", "v3"].map(|name| format!("- {{ bundle: {name}, channels: [standard] }}\n")).concat();
    let catalog = "kind\tA.g\nscope\tNamespaced\tstandard v1..v3\nserved\tv1\tstandard v2..v3\nserved\tv1beta1\tstandard v1..v2\n\
         path\ttype\trequired\tattributes\tapiVersions\treleases\nspec\tobject\t\t\t\tstandard v1..v3\n\
         spec.new\tstring\t\t\tv1\tstandard v2..v3\nspec.old\tstring\t\t\tv1beta1\tstandard v1..v2\n";
    let rule = format!(
        "summary: s\nkind: A.g\napiVersions: [g/v1beta1, g/v1]\nchannels: [standard]\nsource: s\nlens:\n{lens}"
    );
    let files = [
        ("pack.yaml".to_owned(), format!("name: p\ntitle: T\nsource: s\ngroups: [g]\nreleases:\n{releases}")),
        ("catalog/A.g.tsv".to_owned(), catalog.to_owned()),
        (format!("{bundle}/rule.yaml"), rule),
    ];
    load::load("p", files.map(|(name, text)| (name, Cow::Owned(text))).into()).unwrap()
}

#[test]
fn a_rule_between_api_versions_claims_what_they_have() {
    check(&versions_pack("v2", "  - rename: { field: spec.old, to: new }\n"), &[]);
    check(
        &versions_pack("v3", "  - rename: { field: spec.old, to: new }\n"),
        &["p/v3/rule.yaml:3:1: g/v1 came with v2", "  help: move the rule to the folder v2"],
    );
    check(
        &versions_pack("v2", "  - rename: { field: spec.old, to: newer }\n"),
        &[
            "p/v2/rule.yaml:7:15: rules move A.g spec.old to spec.newer, which 2/standard does not have",
            "  help: the fields of spec are new, old",
            "p/v2/rule.yaml:7:15: rules move A.g spec.old to spec.newer, which 3/standard does not have",
            "  help: the fields of spec are new",
            "p/v2/rule.yaml:7:32: no release has A.g spec.newer",
            "  help: the fields of spec are new, old",
        ],
    );
}

#[test]
fn the_matrix_lists_rules_between_api_versions_where_an_object_takes_them() {
    let pack = versions_pack("v2", "  - rename: { field: spec.old, to: new }\n");
    let rules = |from: &str, to: &str| {
        let release = |bundle: &str| pack.release(bundle).unwrap();
        let changes = matrix::matrix(&pack, release(from), release(to));
        let rules = changes.into_iter().filter(|change| change.subject == matrix::Subject::Rule);
        rules.map(|rule| (!rule.forward.is_empty(), !rule.backward.is_empty())).collect::<Vec<_>>()
    };
    assert_eq!(rules("v1", "v2"), [(true, true)]);
    // An object of v2 can be at either apiVersion; one at v1 of v3 is at home in v2.
    assert_eq!(rules("v2", "v3"), [(true, false)]);
    assert_eq!(rules("v1", "v3"), [(true, true)]);
    assert_eq!(rules("v3", "v1"), [(true, true)]);
}
