//! What a person at a terminal sees and is asked: the program runs on a pseudo-terminal.

mod interactive;
mod paging;
mod pty;
mod question;

use std::process::Command;

use crate::support::trees::Tree;

/// The target of all runs.
pub(crate) const APPLY: &str = "reversion apply --allow-no-vcs --to gateway-api@1.6.1/standard";

/// Returns an HTTPRoute that must change its apiVersion.
pub(crate) fn route(name: &str) -> String {
    format!(
        "apiVersion: gateway.networking.k8s.io/v1beta1\nkind: HTTPRoute\nmetadata:\n  name: {name}\nspec:\n  \
         parentRefs:\n  - name: edge\n"
    )
}

/// Returns what [`route`] becomes.
pub(crate) fn converted(name: &str) -> String {
    route(name).replace("v1beta1", "v1")
}

/// Three routes in two files.
pub(crate) fn routes() -> Tree {
    Tree::of(&[("a.yaml", &route("one")), ("b.yaml", &format!("{}---\n{}", route("two"), route("three")))])
}

/// Runs git in a tree.
pub(crate) fn git(tree: &Tree, arguments: &[&str]) {
    assert!(Command::new("git").args(arguments).current_dir(tree.path("")).status().unwrap().success());
}
