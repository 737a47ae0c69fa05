//! What the pages say about the commands: the help that the program prints.

use crate::support::program;

/// Shows the help of the program and of each command, those below a command behind it.
pub(crate) fn page() -> String {
    let mut out = String::new();
    add(&[], &mut out);
    out
}

/// Adds the help of a command, and of those below it.
fn add(words: &[&str], out: &mut String) {
    let help = help(words);
    let name = ["reversion"].iter().chain(words).copied().collect::<Vec<_>>().join(" ");
    out.push_str(&format!("\n## {name}\n```text\n{}\n```\n", help.trim_end()));
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    // A name is indented by two columns, what is said about it by more.
    let names = listed.filter_map(|line| line.strip_prefix("  ")).filter(|line| !line.starts_with(' '));
    for name in names.filter_map(|line| line.split(' ').next()).filter(|name| *name != "help") {
        add(&[words, &[name]].concat(), out);
    }
}

/// Returns what `reversion WORDS --help` prints.
fn help(words: &[&str]) -> String {
    let mut command = program();
    let output = command.args(words).arg("--help").env("COLUMNS", "80").output().expect("the program runs");
    assert!(output.status.success(), "{words:?} has a help");
    String::from_utf8(output.stdout).expect("the help is a text")
}
