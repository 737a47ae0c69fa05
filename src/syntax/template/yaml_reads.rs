//! Answers: of which definitions does a chart read the YAML that they print, instead of printing it?
//!
//! Invariant: what can be read counts as read. The names of definitions are taken to come from texts in actions, or from values.

use std::collections::BTreeSet;

use super::expression::Expression;
use super::lex::{Action, Keyword};
use super::tree::Template;

/// The functions that make one text of several.
const COMPOSING: [&str; 5] = ["cat", "join", "print", "printf", "replace"];

/// What is known of the definitions whose text actions of a chart read.
#[derive(Clone, Debug, Default)]
pub struct YamlReads {
    /// The names of those that are read where they are called.
    called: BTreeSet<String>,
    /// The texts in actions but for the names of what they call, and what is called for an argument.
    passed: BTreeSet<String>,
    /// Whether something is read: what is passed on can be that.
    is_any: bool,
    /// Whether the name of what is read is computed.
    is_computed: bool,
    /// Whether an argument is a text that is made of several.
    is_composed: bool,
    /// Whether a text is read of which nothing is known.
    is_unknown: bool,
}

impl YamlReads {
    /// Takes in what the actions of a template read.
    pub fn add(&mut self, template: &Template) {
        let names_one = |action: &&Action| matches!(action.keyword, Keyword::Define | Keyword::Block);
        let actions = template.actions().iter().filter(|action| !names_one(action));
        actions.for_each(|action| self.visit(&action.pipeline.value, false));
    }

    /// Returns whether the text that the definition of `name` prints can be read, in a chart whose values have this text.
    pub fn has(&self, name: &str, values: &str) -> bool {
        let can_be_computed = || self.is_composed || values.contains(name);
        self.is_unknown
            || self.called.contains(name)
            || self.is_any && self.passed.contains(name)
            || self.is_computed && can_be_computed()
    }

    fn visit(&mut self, value: &Expression, is_argument: bool) {
        match value {
            Expression::Text(text) => drop(self.passed.insert(text.clone())),
            Expression::Member(value, _) => self.visit(value, is_argument),
            Expression::Call(function, arguments) => {
                let is_call = matches!(function.as_str(), "include" | "template");
                if let (true, [Expression::Text(name), rest @ ..]) = (is_call, arguments.as_slice()) {
                    if is_argument {
                        self.passed.insert(name.clone());
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
            Expression::Call(function, arguments) if matches!(function.as_str(), "include" | "template") => {
                match arguments.first() {
                    Some(Expression::Text(name)) => drop(self.called.insert(name.clone())),
                    _ => self.is_computed = true,
                }
            }
            Expression::Call(_, arguments) => arguments.iter().for_each(|argument| self.read(argument)),
            Expression::Member(value, _) => self.read(value),
            Expression::Path(path) => self.is_unknown |= !is_of_helm(path),
            Expression::Text(_) | Expression::Word(_) | Expression::Data(_) => {}
        }
    }
}

/// Returns whether a path is one of what Helm passes to templates, which no definition printed; the dot as a whole is what a text is made with.
fn is_of_helm(path: &str) -> bool {
    let own = path.strip_prefix('$').unwrap_or(path);
    let objects = [".Capabilities", ".Chart", ".Files", ".Release", ".Template", ".Values"];
    own == "." || own.is_empty() || objects.iter().any(|object| own.starts_with(object))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks which of the definitions `a` and `b` are read by these actions.
    #[track_caller]
    fn check(text: &str, expected: [bool; 2]) {
        let mut reads = YamlReads::default();
        reads.add(&Template::parse(text).unwrap());
        assert_eq!(["a", "b"].map(|name| reads.has(name, "")), expected, "{text}");
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
    }
}
