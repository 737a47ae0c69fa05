//! Kinds of CRDs without a pack that leave one API group for another one: what is offered, named and converted.

use crate::crds::{ROOM, STORED, crd, lamp};
use crate::support::trees::Tree;

/// A kind that leaves its group: the old set has it in `home.example`, the new one in `lights.example`, which has more fields and calls
/// the brightness a text.
fn moved() -> Tree {
    let old = crd("Lamp", "None", &[("v1", STORED, "room: {type: string}, brightness: {type: integer}")]);
    let new = crd(
        "Lamp",
        "None",
        &[("v1", STORED, "room: {type: string}, brightness: {type: string}, color: {type: string}")],
    );
    let objects = format!(
        "{}---\n{}---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {{name: h}}\nspec:\n  scaleTargetRef: \
         {{apiVersion: home.example/v1, kind: Lamp, name: a}} # by name\n",
        lamp("v1", "room: hall"),
        lamp("v1", "room: hall, brightness: 3").replace("name: a", "name: b"),
    );
    let new = new.replace("home.example", "lights.example");
    Tree::of(&[("old/a.yaml", &old), ("new/a.yaml", &new), ("a.yaml", &objects)])
}

const MOVED: [&str; 4] = ["--crds", "old", "--crds", "new"];

#[test]
fn a_move_to_another_group_is_offered_where_the_schemas_are_alike() {
    let run = moved().run(&[&["check", "a.yaml"][..], &MOVED].concat());
    run.check(1);
    assert!(run.all().contains(&format!("1. {OFFER}\n")), "{}", run.all());
    assert!(run.all().contains("2. rewrite it by hand as Lamp.lights.example"), "{}", run.all());
    assert!(
        run.all().contains("`reversion pack suggest OLD NEW FOLDER` drafts a pack with such a rule"),
        "{}",
        run.all()
    );
}

/// Where a move is not offered, the field in the way is named without it.
#[test]
fn what_stands_in_the_way_of_a_move_is_named() {
    let run = moved().run(&[&["check", "-q", "a.yaml"][..], &MOVED].concat());
    let why = "held-back[kind-not-in-target] Lamp b: new does not have the kind Lamp.home.example, which exists in old; Lamp.lights.example does \
               not describe it alike: from home.example/v1 to lights.example/v1, spec.brightness changes in type (\"integer\", then \"string\") (to do 2)\n";
    assert!(run.out.contains(why), "{}", run.all());
    let offered = "held-back[kind-not-in-target] Lamp a: new does not have the kind Lamp.home.example, which exists in old (to do 1)\n";
    assert!(run.out.contains(offered), "{}", run.all());
}

#[test]
fn what_detect_recommends_accepts_the_move_and_it_counts_what_no_crd_has() {
    let tree = moved();
    let other = "apiVersion: other.example/v1\nkind: Other\nmetadata: {name: o}\n";
    std::fs::write(tree.path("b.yaml"), other).unwrap();
    let run = tree.run(&[&["detect", "a.yaml", "b.yaml"][..], &MOVED].concat());
    run.check(0);
    let command = "  reversion diff --crds old --crds new --move home.example=lights.example a.yaml b.yaml\n  help: `--move OLD=NEW` accepts";
    assert!(run.out.contains(command), "{}", run.all());
    let counted = "2 files read, 3 objects recognized, 1 of groups without a CRD or pack (other.example); ";
    assert!(run.err.contains(counted), "{}", run.all());
    // A kind that stays in its group needs none.
    let same = tree.run(&["detect", "a.yaml", "--crds", "old", "--crds", "old"]);
    assert!(!same.all().contains("--move"), "{}", same.all());
}

const OFFER: &str = "if the kinds of home.example are in lights.example now, accept that: `--move home.example=lights.example` converts what both describe alike";

#[test]
fn on_the_way_back_the_same_move_is_offered() {
    let tree = moved();
    let lights = tree.text("a.yaml").replace("home.example", "lights.example");
    std::fs::write(tree.path("a.yaml"), lights).unwrap();
    let run = tree.run(&[&["check", "a.yaml", "--to", "crds@old"][..], &MOVED].concat());
    run.check(1);
    assert!(run.all().contains(OFFER), "{}", run.all());
}

/// The second kind, a reference to an object elsewhere and a role, which would all be contradicted by advice to remove them.
#[test]
fn a_move_is_offered_once_for_all_kinds_of_a_group_and_all_that_names_them() {
    let kinds = ["Lamp", "Bulb"].map(|kind| crd(kind, "None", &[("v1", STORED, ROOM)]));
    let objects = format!(
        "{}---\n{}---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {{name: h}}\nspec: {{maxReplicas: 3, scaleTargetRef: \
         {{apiVersion: home.example/v1, kind: Lamp, name: other}}}}\n---\napiVersion: rbac.authorization.k8s.io/v1\nkind: Role\n\
         metadata: {{name: r}}\nrules:\n- {{apiGroups: [home.example], resources: [lamps, bulbs], verbs: [get]}}\n",
        lamp("v1", "room: hall"),
        lamp("v1", "room: hall").replace("Lamp", "Bulb"),
    );
    let files = kinds.map(|old| (old.replace("home.example", "lights.example"), old));
    let [(new_lamp, old_lamp), (new_bulb, old_bulb)] = &files;
    let tree = Tree::of(&[
        ("old/a.yaml", old_lamp),
        ("old/b.yaml", old_bulb),
        ("new/a.yaml", new_lamp),
        ("new/b.yaml", new_bulb),
        ("a.yaml", &objects),
    ]);
    let run = tree.run(&[&["check", "a.yaml"][..], &MOVED].concat());
    run.check(1);
    assert_eq!(run.out.matches(OFFER).count(), 1, "{}", run.all());
    assert_eq!(run.out.matches("(to do 1)").count(), 4, "{}", run.all());
    assert!(!run.out.contains("remove"), "{}", run.all());
}

#[test]
fn the_rule_of_a_move_is_explained() {
    let tree = moved();
    let accepted = ["check", "-v", "a.yaml", "--move", "home.example=lights.example"];
    let run = tree.run(&[&accepted[..], &MOVED].concat());
    let rule = "crds/new/lamp-moved-to-lights.example";
    assert!(run.out.contains(&format!("  forward {rule}\n")), "{}", run.all());
    let run = tree.run(&["explain", rule]);
    run.check(0);
    assert!(run.out.contains("`--move OLD=lights.example`") && run.out.contains("the kind lamp"), "{}", run.out);
    tree.run(&["explain", "crds/new/lamp-went-to-lights.example"]).check(2);
}

#[test]
fn a_move_that_is_accepted_converts_what_is_alike_and_what_refers_to_it() {
    let tree = moved();
    let before = tree.text("a.yaml");
    let apply = ["apply", "--yes", "--allow-dirty", "a.yaml", "--move", "home.example=lights.example"];
    let run = tree.run(&[&apply[..], &MOVED].concat());
    run.check(1);
    // The second Lamp has a number where the other group has a text.
    let why =
        "from home.example/v1 to lights.example/v1, spec.brightness changes in type (\"integer\", then \"string\")";
    assert!(run.all().contains(why) && !run.all().contains("kubectl"), "{}", run.all());
    let (first, rest) = before.split_at(before.find("---").unwrap());
    let (second, third) = rest.split_at(rest.find("---\napiVersion: autoscaling").unwrap());
    let lights = |text: &str| text.replace("home.example", "lights.example");
    assert_eq!(tree.text("a.yaml"), [&lights(first), second, &lights(third)].concat());
    // And back, with the older set as the target.
    let run = tree.run(&[&apply[..], &MOVED, &["--to", "crds@old"]].concat());
    run.check(0);
    assert_eq!(tree.text("a.yaml"), before);
}

/// A cluster has objects in both groups for a while, so a role keeps the old one.
#[test]
fn roles_name_the_new_group_too_after_a_move() {
    let crds = |group: &str| crd("Lamp", "None", &[("v1", STORED, ROOM)]).replace("home.example", group);
    let role = |groups: &str, resources: &str| {
        format!(
            "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {{name: r}}\nrules:\n- apiGroups: [{groups}] # those of lamps\n  \
             resources: [{resources}]\n  verbs: [get]\n"
        )
    };
    let before = role("home.example", "lamps, lamps/status");
    let tree = Tree::of(&[
        ("old/a.yaml", &crds("home.example")),
        ("new/a.yaml", &crds("lights.example")),
        ("a.yaml", &lamp("v1", "room: hall")),
        ("role.yaml", &before),
        ("all.yaml", &role("home.example, '*'", "lamps")),
    ]);
    let apply =
        ["apply", "--yes", "--allow-dirty", "a.yaml", "role.yaml", "all.yaml", "--move", "home.example=lights.example"];
    tree.run(&[&apply[..], &MOVED].concat()).check(0);
    let both = role("home.example, lights.example", "lamps, lamps/status");
    assert_eq!(tree.text("role.yaml"), both);
    assert_eq!(tree.text("all.yaml"), role("home.example, '*'", "lamps"));
    // On the way back both are there already.
    tree.run(&[&apply[..], &MOVED, &["--to", "crds@old"]].concat()).check(0);
    assert_eq!((tree.text("role.yaml"), tree.text("a.yaml")), (both, lamp("v1", "room: hall")));
}

/// What a team writes once: its CRDs, an accepted move and targets.
#[test]
fn crds_a_move_and_targets_can_be_settings() {
    let tree = moved();
    let crds = "crds = ['old', 'new']\nmove = ['home.example=lights.example']\n";
    let check = |settings: &str, arguments: &[&str]| {
        std::fs::write(tree.path("reversion.toml"), format!("{crds}{settings}")).unwrap();
        tree.run(&[&["check", "a.yaml"][..], arguments].concat())
    };
    let passed = tree
        .run(&[&["check", "a.yaml", "--move", "home.example=lights.example", "--to", "crds@new"][..], &MOVED].concat());
    for settings in ["", "to = 'crds@new'\n"] {
        let run = check(settings, &[]);
        assert_eq!((run.code, run.out), (passed.code, passed.out.clone()), "{settings}");
    }
    let both = check("to = ['kubernetes@1.33', 'crds@new']\n", &[]);
    assert!(both.out.contains("Lamp a: home.example/v1 -> lights.example/v1"), "{}", both.all());
    // CRDs that no target needs are an error, which says what to write; the move is none.
    let other = check("", &["--to", "kubernetes@1.33"]);
    assert!(other.err.contains("for objects of its own CRDs write --to crds@new"), "{}", other.all());
    check("", &["--to", "kubernetes@1.33", "--to", "crds@new"]).check(1);
    let settings = "move = ['home.example=lights.example']\n";
    std::fs::write(tree.path("reversion.toml"), settings).unwrap();
    let without_crds = tree.run(&["check", "a.yaml", "--to", "kubernetes@1.33"]);
    assert!(without_crds.code != Some(2), "{}", without_crds.all());
    let unknown = check("to = ['crds@newest']\n", &[]);
    unknown.check(2);
}

#[test]
fn a_move_that_no_crds_show_is_an_error() {
    let tree = moved();
    let error = |arguments: &[&str], expected: &str| {
        let run = tree.run(&[&["check", "a.yaml"][..], arguments].concat());
        run.check(2);
        assert!(run.err.contains(expected), "{}", run.err);
    };
    error(
        &[&MOVED[..], &["--move", "lights.example=home.example"]].concat(),
        "no kind of lights.example is in home.example in a later set",
    );
    error(&[&MOVED[..], &["--move", "home.example"]].concat(), "`home.example` does not name two API groups: OLD=NEW");
    error(&[&MOVED[..], &["--move", "a=b=c"]].concat(), "`a=b=c` does not name two API groups: OLD=NEW");
    error(&["--to", "keda@2.0", "--move", "a=b"], "--move is for CRDs of groups that no pack knows");
    error(
        &[&MOVED[..], &["--move", "traefik.containo.us=traefik.io"]].concat(),
        "the pack traefik knows traefik.containo.us",
    );
}

/// Roles and webhooks name kinds by their plurals.
#[test]
fn a_move_of_kinds_with_other_plurals_is_an_error() {
    let tree = moved();
    let new = tree.text("new/a.yaml").replace("lamps", "lampen");
    std::fs::write(tree.path("new/a.yaml"), new).unwrap();
    let run = tree.run(&[&["check", "a.yaml", "--move", "home.example=lights.example"][..], &MOVED].concat());
    run.check(2);
    assert!(run.err.contains("the resources of Lamp are called lampen, and not lamps, in these sets"), "{}", run.err);
}

/// A role for what the newer set alone has, in a rollback.
#[test]
fn a_role_is_reported_whichever_set_is_the_target() {
    let tree = moved();
    for (to, group, other) in [("old", "lights.example", "home.example"), ("new", "home.example", "lights.example")] {
        let role = |group: &str| {
            format!(
                "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {{name: r}}\nrules:\n- {{apiGroups: [{group}], resources: [lamps], verbs: [get]}}\n"
            )
        };
        let to = format!("crds@{to}");
        let check = |text: String| {
            std::fs::write(tree.path("role.yaml"), text).unwrap();
            tree.run(&[&["check", "--allow-empty", "--to", &to, "role.yaml"][..], &MOVED].concat())
        };
        let run = check(role(group));
        run.check(1);
        let expected = format!("role.yaml:5:1: unresolved[reference-not-updated] Role r: rules[0] names lamps.{group}");
        assert!(run.all().contains(&expected), "{}", run.all());
        check(role(other)).check(0);
    }
}

#[test]
fn a_wrong_move_in_the_settings_is_an_error_that_names_the_line() {
    let tree = moved();
    let error = |written: &str, expected: &str| {
        std::fs::write(tree.path("reversion.toml"), format!("crds = ['old', 'new']\nmove = [{written}]\n")).unwrap();
        let run = tree.run(&["check", "a.yaml"]);
        run.check(2);
        assert_eq!(run.err.lines().next().unwrap_or_default(), format!("error: {expected}"));
    };
    let right = "'home.example=lights.example'";
    error(&format!("{right}, 'a'"), "reversion.toml:2:40: `a` does not name two API groups: OLD=NEW");
    error(
        &format!("{right}, 'b=c'"),
        "reversion.toml:2:40: b=c: no kind of b is in c in a later set; pass both sets, the older one first: `--crds OLD --crds NEW` (these sets have home.example, lights.example)",
    );
    error(
        "'keda.sh=b'",
        "reversion.toml:2:9: keda.sh=b: the pack keda knows keda.sh and converts its objects: `--to keda@RELEASE`",
    );
}

#[test]
fn objects_of_groups_without_a_crd_are_counted_where_crds_are_passed() {
    let others = "apiVersion: unknown.example/v1 # once\nkind: A\n---\napiVersion: 'unknown.example/v2'\nkind: B\nspec:\n  \
                  template: {apiVersion: inner.example/v1}\n  text: |\n    apiVersion: text.example/v1\n---\napiVersion: apps/v1\nkind: Deployment\n";
    let tree = moved();
    std::fs::write(tree.path("others.yaml"), others).unwrap();
    std::fs::write(tree.path("more.yaml"), "apiVersion: more.example/v1\nkind: C\n").unwrap();
    std::fs::write(
        tree.path("kustomization.yaml"),
        "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [others.yaml, more.yaml]\n",
    )
    .unwrap();
    let paths = ["check", "a.yaml", "others.yaml", "more.yaml", "kustomization.yaml"];
    let run = tree.run(&[&paths[..], &MOVED].concat());
    let counted =
        "2 objects recognized, 3 of groups without a CRD or pack (unknown.example, more.example): 0 to change";
    assert!(run.err.contains(counted), "{}", run.all());
    let json = tree.run(&[&paths[..], &MOVED, &["--format", "json"]].concat()).out;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let groups = serde_json::json!({"unknown.example": 2, "more.example": 1});
    assert_eq!(json["summary"]["unknownGroups"], groups, "{json}");
    // Who passes none has not said which APIs there are.
    let run = tree.run(&[&paths[..], &["--to", "kubernetes@1.33"]].concat());
    assert!(!run.err.contains("of groups without"), "{}", run.all());
}
