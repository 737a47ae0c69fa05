//! Answers: of which definitions does a chart read the YAML that they print, instead of printing it?
//!
//! Invariant: what can be read counts as read. The names of definitions are taken to come from texts in actions, or from values.

use std::collections::{BTreeMap, BTreeSet};

use super::changes::calls;
use super::expression::{Binding, Expression};
use super::lex::{Action, Keyword};
use super::tree::Template;

/// The functions that make one text of several.
const COMPOSING: [&str; 5] = ["cat", "join", "print", "printf", "replace"];

/// What is known of the definitions whose text actions of a chart read.
#[derive(Clone, Debug, Default)]
pub struct YamlReads {
    /// The names of those that are read where they are called, or bound to a variable.
    called: BTreeSet<String>,
    /// The texts in actions but for the names of what they call, and what is called for an argument.
    passed: BTreeSet<String>,
    /// What each definition calls.
    calls: BTreeMap<String, BTreeSet<String>>,
    /// Whether something is read: what is passed on can be that.
    is_any: bool,
    /// Whether the name of what is read is an argument.
    is_computed: bool,
    /// Whether an argument is a text that is made of several, or that a definition prints.
    is_composed: bool,
    /// Whether a text is read of which nothing is known.
    is_unknown: bool,
}

impl YamlReads {
    /// Takes in what the actions of a template read.
    pub fn add(&mut self, template: &Template) {
        for part in template.parts() {
            let names_one = |action: &&Action| matches!(action.keyword, Keyword::Define | Keyword::Block);
            for action in part.actions().filter(|action| !names_one(action)) {
                let called: BTreeSet<String> =
                    calls(&action.pipeline.value).into_iter().map(|(name, _)| name.to_owned()).collect();
                self.visit(&action.pipeline.value, false);
                if action.pipeline.binding != Binding::None {
                    self.called.extend(called.iter().cloned());
                }
                if let Some(name) = part.name() {
                    self.calls.entry(name.to_owned()).or_default().extend(called);
                }
            }
        }
    }

    /// Returns those of the definitions of these names whose texts can be read, in a chart whose values have this text.
    pub fn among<'n>(&self, names: impl IntoIterator<Item = &'n String>, values: &str) -> BTreeSet<String> {
        let reached = self.reached();
        let is_read = |name: &&String| {
            let can_be_computed = || self.is_composed || values.contains(name.as_str());
            self.is_unknown || self.is_computed && can_be_computed() || reached.contains(*name)
        };
        names.into_iter().filter(is_read).cloned().collect()
    }

    /// Returns what is read, with what that calls.
    fn reached(&self) -> BTreeSet<&String> {
        let passed = self.passed.iter().filter(|_| self.is_any);
        let mut left: Vec<&String> = self.called.iter().chain(passed).collect();
        let mut reached = BTreeSet::new();
        while let Some(one) = left.pop() {
            if reached.insert(one) {
                left.extend(self.calls.get(one).into_iter().flatten());
            }
        }
        reached
    }

    fn visit(&mut self, value: &Expression, is_argument: bool) {
        match value {
            Expression::Text(text) => drop(self.passed.insert(text.clone())),
            Expression::Member(value, _) => self.visit(value, is_argument),
            Expression::Call(function, arguments) => {
                let is_call = is_call(function);
                if let (true, [Expression::Text(name), rest @ ..]) = (is_call, arguments.as_slice()) {
                    if is_argument {
                        self.passed.insert(name.clone());
                        self.is_composed = true;
                    }
                    return rest.iter().for_each(|one| self.visit(one, true));
                }
                if function.starts_with("fromYaml") {
                    self.is_any = true;
                    arguments.iter().for_each(|argument| self.read(argument));
                }
                self.is_composed |= is_argument && COMPOSING.contains(&function.as_str());
                arguments.iter().for_each(|one| self.visit(one, is_argument || is_call));
            }
            Expression::Word(_) | Expression::Path(_) | Expression::Data(_) => {}
        }
    }

    /// Takes in that a text is read.
    fn read(&mut self, text: &Expression) {
        match text {
            Expression::Call(function, arguments) if is_call(function) => match arguments.first() {
                Some(Expression::Text(name)) => drop(self.called.insert(name.clone())),
                Some(name) if is_item(name) => self.is_computed = true,
                _ => self.is_unknown = true,
            },
            // What is printed of data is none of a definition.
            Expression::Call(function, _) if matches!(function.as_str(), "toJson" | "toYaml") => {}
            Expression::Call(function, arguments) if function == "tpl" => match arguments.first() {
                Some(Expression::Text(_)) | None => self.is_unknown = true,
                Some(text) => self.read(text),
            },
            Expression::Call(_, arguments) => arguments.iter().for_each(|argument| self.read(argument)),
            Expression::Member(value, _) => self.read(value),
            Expression::Path(path) => self.is_unknown |= !is_of_helm(path),
            Expression::Text(_) | Expression::Word(_) | Expression::Data(_) => {}
        }
    }
}

fn is_call(function: &str) -> bool {
    matches!(function, "include" | "template")
}

/// Returns whether a value is an item or a field of what a definition is called with.
fn is_item(value: &Expression) -> bool {
    match value {
        Expression::Path(path) => path.starts_with('.') && !is_of_helm(path),
        Expression::Call(function, arguments) => {
            let of_all = matches!(arguments.first(), Some(Expression::Path(path)) if path == ".");
            of_all && matches!(function.as_str(), "first" | "get" | "index" | "last")
        }
        _ => false,
    }
}

/// Returns whether a path is one of what Helm passes to templates, which no definition printed.
fn is_of_helm(path: &str) -> bool {
    let own = path.strip_prefix('$').unwrap_or(path);
    let objects = [".Capabilities", ".Chart", ".Files", ".Release", ".Template", ".Values"];
    objects.iter().any(|object| own.starts_with(object))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks which of the definitions `a` and `b` are read by these actions.
    #[track_caller]
    fn check(text: &str, expected: [bool; 2]) {
        let mut reads = YamlReads::default();
        reads.add(&Template::parse(text).unwrap());
        let names = ["a", "b"].map(str::to_owned);
        let read = reads.among(&names, "");
        assert_eq!(names.map(|name| read.contains(&name)), expected, "{text}");
    }

    #[test]
    fn what_is_read_where_it_is_called() {
        check("{{ include \"a\" . }}{{ .Values.x | fromYaml }}", [false, false]);
        check("{{ (include \"a\" . | fromYaml).x }}{{ define \"b\" }}{{ end }}{{ include \"b\" . }}", [true, false]);
        check("{{ fromYaml (tpl (include \"a\" .) $) }}{{ .Files.Get \"c\" | fromYamlArray }}", [true, false]);
    }

    #[test]
    fn what_is_read_by_a_name_or_text_that_is_passed() {
        let merge = "{{ define \"merge\" }}{{ fromYaml (include (index . 1) (first .)) }}{{ end }}";
        check(&format!("{merge}{{{{ include \"merge\" (append . \"a\") }}}}{{{{ include \"b\" . }}}}"), [true, false]);
        check(&format!("{merge}{{{{ include \"merge\" (list . (printf \"%s\" .x)) }}}}"), [true, true]);
        let merge_of_two = "{{ define \"merge\" }}{{ $top := first . }}{{ $o := fromYaml (include (index . 1) $top) }}{{ $t := fromYaml (include (index . 2) $top) }}{{ toYaml (merge $o $t) }}{{ end }}";
        check(&format!("{merge_of_two}{{{{ include \"merge\" (append . \"a\") }}}}"), [true, false]);
        let of_text =
            "{{ fromYaml (include \"render\" (dict \"x\" .)) }}{{ include \"x\" (dict \"y\" (include \"a\" .)) }}";
        check(of_text, [true, false]);
        check("{{ $x := include \"a\" . }}{{ fromYaml $x }}", [true, true]);
        check("{{ $x := include \"a\" . }}{{ regexFind \"x\" $x }}", [true, false]);
        check("{{ define \"c\" }}{{ include \"a\" . }}{{ end }}{{ fromYaml (include \"c\" .) }}", [true, false]);
        for unknown in [
            "{{ fromYaml (include (include \"c\" .) .) }}",
            "{{ fromYaml (tpl \"{{ include \\\"a\\\" . }}\" .) }}",
            "{{ range (list (include \"c\" .)) }}{{ fromYaml . }}{{ end }}",
            "{{ $name := printf \"%s\" .x }}{{ fromYaml (include $name .) }}",
            "{{ fromYaml (include (index . 1) .) }}{{ include \"c\" (list . (include \"d\" .)) }}",
        ] {
            check(unknown, [true, true]);
        }
    }
}
