//! The Chart.yaml of charts, which is an object by its name.

use crate::support::trees::Tree;

const OLD: &str = "apiVersion: v1 # of the chart\nname: shop\nversion: 1.0.0\n";
const REQUIREMENTS: &str =
    "dependencies:\n- name: database\n  version: 1.0.0\n  repository: https://charts.example.com\n";

fn apply(target: &str) -> [&str; 5] {
    ["apply", "--yes", "--allow-no-vcs", "--to", target]
}

#[test]
fn a_chart_is_converted_and_back() {
    let tree = Tree::of(&[("Chart.yaml", OLD), ("values.yaml", "a: 1\n"), ("templates/a.yaml", "a: {{ .x }}\n")]);
    tree.run(&apply("helm@3")).check(0);
    assert_eq!(tree.text("Chart.yaml"), OLD.replace("v1", "v2"));
    tree.run(&["check", "--to", "helm@3"]).check(0);
    tree.run(&apply("helm@2")).check(0);
    assert_eq!(tree.text("Chart.yaml"), OLD);
}

#[test]
fn a_chart_with_a_file_of_dependencies_is_held_back() {
    let tree = Tree::of(&[("Chart.yaml", OLD), ("requirements.yaml", REQUIREMENTS)]);
    for (chart, target) in [(OLD.to_owned(), "helm@3"), (OLD.replace("v1", "v2"), "helm@2")] {
        std::fs::write(tree.path("Chart.yaml"), &chart).unwrap();
        let run = tree.run(&apply(target));
        run.check(1);
        let all = run.all();
        assert!(
            all.contains("Chart.yaml:1:1: held-back[converts-together] Chart shop: a requirements.yaml is beside it"),
            "{all}"
        );
        assert!(all.contains("rename requirements.lock to Chart.lock"), "{all}");
        assert_eq!(tree.text("Chart.yaml"), chart);
    }
}

#[test]
fn a_vendored_chart_is_converted_only_if_a_path_names_it() {
    let tree = Tree::of(&[("Chart.yaml", &OLD.replace("v1", "v2")), ("charts/lib/Chart.yaml", OLD)]);
    tree.run(&apply("helm@3")).check(0);
    assert_eq!(tree.text("charts/lib/Chart.yaml"), OLD);
    tree.run(&["apply", "--yes", "--allow-no-vcs", "--to", "helm@3", "charts/lib"]).check(0);
    assert_eq!(tree.text("charts/lib/Chart.yaml"), OLD.replace("v1", "v2"));
}

#[test]
fn only_a_chart_is_an_object_by_its_name() {
    let tree = Tree::of(&[("plugin.yaml", OLD), ("a.yaml", "apiVersion: v1\nkind: Service\nmetadata: {name: a}\n")]);
    tree.run(&["check", "--to", "helm@3"]).check(3);
    let tree = Tree::of(&[("Chart.yaml", "apiVersion: v1\nname: [shop\n")]);
    tree.run(&["check", "--to", "helm@3"]).check(2);
    // The target is not about what templates print, and no other one is about the file.
    let tree = Tree::of(&[("Chart.yaml", OLD), ("templates/a.yaml", "{{ include \"common.all\" . }}\n")]);
    let run = tree.run(&apply("helm@3"));
    run.check(0);
    assert!(!run.all().contains("common.all"), "{}", run.all());
    let tree = Tree::of(&[("Chart.yaml", OLD)]);
    tree.run(&["check", "--to", "kubernetes@1.33"]).check(3);
}
