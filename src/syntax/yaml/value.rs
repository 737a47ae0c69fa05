//! Answers: which plain data does kubectl read from a node?
//!
//! Scalars are resolved by yaml.v2's rules, aliases are replaced by their targets, merges are applied. Keys are compared by their text;
//! what kubectl would resolve a key such as `on` to only decides which keys are duplicates.
//!
//! Invariant: reading always terminates: a value that contains itself and aliases that expand to too many values are both rejected.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::map::Entry;
use serde_json::{Map, Value};

use super::limits::LIMITS;
use super::parse::parse;
use super::problem::{Problem, ProblemCode};
use super::resolve::{Resolved, resolve};
use super::scalar::scalar_text;
use super::tree::{Kind, NodeId, Tag, Tree};

/// Reads a node as kubectl does (sigs.k8s.io/yaml on yaml.v2), with keys as they are written.
///
/// # Errors
/// `ComplexKey`, `DuplicateKey`, `RecursiveAlias`, `AliasBudget`; `UnreadableValue` for what JSON does not have and for
/// a scalar that does not match its tag; `Limit` for values nested too deeply.
pub fn read_value(tree: &Tree, text: &str, node: NodeId) -> Result<Value, Problem> {
    Reader { tree, text, left_out: None, budget: LIMITS.alias_values, aliases: 0, depth: 0 }.value(node)
}

/// Reads a node like [`read_value`], without the values of the key `left_out`, at any depth.
///
/// # Errors
/// As [`read_value`], for what is read.
pub fn read_value_without(tree: &Tree, text: &str, node: NodeId, left_out: &str) -> Result<Value, Problem> {
    Reader { tree, text, left_out: Some(left_out), budget: LIMITS.alias_values, aliases: 0, depth: 0 }.value(node)
}

/// Returns the data of the documents of a text that hold something; `None` where one of them cannot be read.
pub fn read_documents(text: &str) -> Option<Vec<Value>> {
    let tree = parse(text).ok()?;
    let all = tree.documents().iter().map(|document| read_value(&tree, text, document.root).ok());
    Some(all.collect::<Option<Vec<_>>>()?.into_iter().filter(|value| !value.is_null()).collect())
}

/// Returns the text that a mapping has under `key`; `None` if that is not a plain or quoted scalar, or is in a mapping that
/// is merged into this one.
pub fn text_at<'t>(tree: &Tree, text: &'t str, mapping: NodeId, key: &str) -> Option<Cow<'t, str>> {
    let is_text = |node: NodeId| matches!(tree.node(node).kind, Kind::Plain | Kind::Single | Kind::Double);
    let mut pairs = tree.pairs(mapping).filter(|(name, value)| is_text(*name) && is_text(*value));
    let (_, value) = pairs.find(|(name, _)| scalar_text(tree, text, *name) == key)?;
    Some(scalar_text(tree, text, value))
}

/// Counts the items of the list that a mapping has under `key`; `None` if that is not a list.
pub fn count_items_at(tree: &Tree, text: &str, mapping: NodeId, key: &str) -> Option<usize> {
    let is_list = |node: NodeId| matches!(tree.node(node).kind, Kind::Sequence | Kind::FlowSequence);
    let mut lists = tree.pairs(mapping).filter(|(_, value)| is_list(*value));
    let (_, list) = lists.find(|(name, _)| scalar_text(tree, text, *name) == key)?;
    Some(tree.children(list).count())
}

struct Reader<'t> {
    tree: &'t Tree,
    text: &'t str,
    /// The key whose values are not read.
    left_out: Option<&'t str>,
    budget: usize,
    /// How many aliases are between the root and here.
    aliases: usize,
    depth: usize,
}

impl Reader<'_> {
    fn value(&mut self, node: NodeId) -> Result<Value, Problem> {
        LIMITS.check_nesting(self.depth, || self.tree.start(node))?;
        if self.aliases > 0 {
            let left = self.budget.checked_sub(1);
            self.budget = left.ok_or_else(|| {
                let message = format!("aliases expand to more than {} values", LIMITS.alias_values);
                Problem::new(ProblemCode::AliasBudget, self.tree.start(node), message)
            })?;
        }
        self.depth += 1;
        let value = match self.tree.node(node).kind {
            Kind::Mapping | Kind::FlowMapping | Kind::Pair => self.mapping(node),
            Kind::Sequence | Kind::FlowSequence => self.list(node),
            Kind::Alias => self.alias(node),
            Kind::Plain | Kind::Single | Kind::Double | Kind::Literal | Kind::Folded | Kind::Empty => self.scalar(node),
        };
        self.depth -= 1;
        value
    }

    /// Reads the target of an alias; a problem with the aliases in it is reported at the outermost alias.
    fn alias(&mut self, alias: NodeId) -> Result<Value, Problem> {
        let at = self.tree.span(alias).start;
        self.alias_target(alias).map_err(|problem| match problem.code {
            ProblemCode::AliasBudget => Problem { at, ..problem },
            _ => problem,
        })
    }

    fn alias_target(&mut self, alias: NodeId) -> Result<Value, Problem> {
        let target = self.tree.target(alias).expect("every alias node is in the table of aliases");
        if self.tree.contains(target, alias) {
            let at = self.tree.span(alias).start;
            return Err(Problem::new(ProblemCode::RecursiveAlias, at, "the alias refers to a value that contains it"));
        }
        self.aliases += 1;
        let value = self.value(target);
        self.aliases -= 1;
        value
    }

    fn scalar(&self, node: NodeId) -> Result<Value, Problem> {
        let content = scalar_text(self.tree, self.text, node);
        let plain = matches!(self.tree.node(node).kind, Kind::Plain | Kind::Empty);
        let resolved = match self.tree.tag(node) {
            None if plain => resolve(&content),
            None | Some(Tag::Str | Tag::Other | Tag::Merge | Tag::Timestamp) => Resolved::Text,
            Some(Tag::Binary) => return Err(self.unreadable(node, "it is binary data")),
            Some(tag) => tagged(tag, &content).ok_or_else(|| self.unreadable(node, "it does not match its tag"))?,
        };
        match resolved {
            Resolved::Value(value) => Ok(value),
            Resolved::Text => Ok(Value::String(content.into_owned())),
            Resolved::NoJson => Err(self.unreadable(node, "JSON has no such number")),
        }
    }

    fn unreadable(&self, node: NodeId, reason: &str) -> Problem {
        // The value itself is not reported: it can be a secret.
        let start = self.tree.span(node).start;
        Problem::new(ProblemCode::UnreadableValue, start, format!("unsupported value: {reason}"))
    }

    fn list(&mut self, node: NodeId) -> Result<Value, Problem> {
        let mut items = Vec::with_capacity(self.tree.children(node).count());
        for item in self.tree.children(node) {
            items.push(self.value(item)?);
        }
        Ok(Value::Array(items))
    }

    fn mapping(&mut self, node: NodeId) -> Result<Value, Problem> {
        let mut map = Map::with_capacity(self.tree.pairs(node).count());
        let mut merges = Vec::new();
        let mut other_names: BTreeSet<String> = BTreeSet::new();
        for (key, value) in self.tree.pairs(node) {
            if self.tree.is_merge_key(self.text, key) {
                if !merges.is_empty() {
                    return Err(self.duplicate(key, "<<"));
                }
                merges.push(value);
                continue;
            }
            let (name, other_name) = self.key(key)?;
            let is_taken = |name: &String| map.contains_key(name) || other_names.contains(name);
            if other_names.contains(&name) || other_name.as_ref().is_some_and(is_taken) {
                return Err(self.duplicate(key, &name));
            }
            if self.left_out == Some(name.as_str()) {
                continue;
            }
            other_names.extend(other_name);
            match map.entry(name) {
                Entry::Vacant(free) => {
                    let holds_secret = ["data", "stringData"].contains(&free.key().as_str());
                    let read = self.value(value);
                    let read =
                        if holds_secret { read.map_err(|problem| self.without_key(problem, node)) } else { read };
                    free.insert(read?);
                }
                Entry::Occupied(taken) => return Err(self.duplicate(key, taken.key())),
            }
        }
        for merge in merges {
            self.merge(merge, &mut map)?;
        }
        Ok(Value::Object(map))
    }

    /// Returns a key's text, and what kubectl resolves it to if that differs: `true` for `on`.
    fn key(&self, key: NodeId) -> Result<(String, Option<String>), Problem> {
        let complex = |message: &str| Problem::new(ProblemCode::ComplexKey, self.tree.start(key), message);
        let kind = self.tree.node(key).kind;
        if !kind.is_text() {
            return Err(complex(complex_key_message(kind)));
        }
        let name = scalar_text(self.tree, self.text, key).into_owned();
        let plain = kind == Kind::Plain && self.tree.tag(key).is_none();
        match if plain { resolve(&name) } else { Resolved::Text } {
            Resolved::Text | Resolved::NoJson => Ok((name, None)),
            Resolved::Value(Value::Null) => Err(complex("a key is null; put it in quotes")),
            Resolved::Value(value) => {
                let other_name = value.to_string();
                let differs = other_name != name;
                Ok((name, differs.then_some(other_name)))
            }
        }
    }

    /// Takes the key out of a problem below the data of `object`, which is a Secret unless its `kind` says something else: keys can be
    /// secrets too.
    fn without_key(&self, problem: Problem, object: NodeId) -> Problem {
        let text = |node| scalar_text(self.tree, self.text, node);
        let mut kinds =
            self.tree.pairs(object).filter(|(key, _)| text(*key) == "kind").map(|(_, kind)| kind).peekable();
        let is_other = kinds.peek().is_some() && kinds.all(|kind| !matches!(&*text(kind), "Secret" | ""));
        match problem.code {
            ProblemCode::DuplicateKey if !is_other => {
                Problem { message: "duplicate key in one mapping".to_owned(), ..problem }
            }
            _ => problem,
        }
    }

    fn duplicate(&self, key: NodeId, name: &str) -> Problem {
        let message = format!("duplicate key `{name}` in one mapping");
        Problem::new(ProblemCode::DuplicateKey, self.tree.start(key), message)
    }

    /// Adds the keys of merged mappings that are not there yet; the first mapping of a list wins.
    fn merge(&mut self, node: NodeId, map: &mut Map<String, Value>) -> Result<(), Problem> {
        let at = self.tree.start(node);
        let sources = match self.value(node)? {
            Value::Array(items) => items,
            value => vec![value],
        };
        for source in sources {
            let Value::Object(source) = source else {
                return Err(Problem::new(ProblemCode::UnreadableValue, at, "`<<` can only merge mappings"));
            };
            for (key, value) in source {
                map.entry(key).or_insert(value);
            }
        }
        Ok(())
    }
}

fn complex_key_message(kind: Kind) -> &'static str {
    match kind {
        Kind::FlowMapping => "a key is a mapping; put a template such as `{{ .x }}` in quotes",
        Kind::Empty => "a key is empty",
        Kind::Alias => "a key is an alias",
        _ => "a key is not a scalar",
    }
}

/// Resolves a scalar with a tag; `None` if it does not match the tag.
fn tagged(tag: Tag, text: &str) -> Option<Resolved> {
    let resolved = resolve(text);
    let fits = match (&resolved, tag) {
        (Resolved::NoJson, Tag::Float) => true,
        (Resolved::Value(Value::Null), Tag::Null) | (Resolved::Value(Value::Bool(_)), Tag::Bool) => true,
        (Resolved::Value(Value::Number(number)), Tag::Int) => !number.is_f64(),
        (Resolved::Value(Value::Number(_)), Tag::Float) => true,
        _ => false,
    };
    fits.then_some(resolved)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::parse;
    use super::*;

    fn read(text: &str) -> Result<Value, Problem> {
        let tree = parse(text)?;
        read_value(&tree, text, tree.documents()[0].root)
    }

    #[track_caller]
    fn check(text: &str, expected: &Value) {
        assert_eq!(read(text).unwrap(), *expected, "{text}");
    }

    #[track_caller]
    fn check_refused(text: &str, code: ProblemCode, at: usize) {
        let problem = read(text).unwrap_err();
        assert_eq!((problem.code, problem.at), (code, at), "{text}");
    }

    #[test]
    fn scalars_are_read_like_kubectl_does() {
        check("[yes, y, on, off, no, n]", &json!([true, true, true, false, false, false]));
        check("[012, 0777, 0o17, 0x1F, 0b101, 08, 1_000]", &json!([10, 511, 15, 31, 5, 8, 1000]));
        check("[1:30, 1.0, 1e3, 2001-12-14]", &json!(["1:30", 1, 1000, "2001-12-14"]));
        check("on: 1\n0x10: 2\n", &json!({"on": 1, "0x10": 2}));
        check(r#"{"a": "\/", 'b': '012'}"#, &json!({"a": "/", "b": "012"}));
        check("%YAML 1.2\n---\na: !x v\nb: !x 12\n", &json!({"a": "v", "b": "12"}));
        check("a: |\n  012\nb:\nc: ~\n", &json!({"a": "012\n", "b": null, "c": null}));
    }

    #[test]
    fn a_key_can_be_left_out() {
        let text = "kind: 'Crd'\nspec:\n  schema: {a: &x 1, a: 2}\n  b: *x\n";
        let tree = parse(text).unwrap();
        let root = tree.documents()[0].root;
        let expected = json!({"kind": "Crd", "spec": {"b": 1}});
        assert_eq!(read_value_without(&tree, text, root, "schema").unwrap(), expected);
        assert_eq!(text_at(&tree, text, root, "kind").as_deref(), Some("Crd"));
        assert_eq!(text_at(&tree, text, root, "spec"), None);
        assert_eq!(text_at(&tree, text, root, "b"), None);
    }

    #[test]
    fn the_deepest_text_that_parses_can_be_read() {
        let text = |blocks, flows| format!("{}{}1{}\n", "- ".repeat(blocks), "[".repeat(flows), "]".repeat(flows));
        assert!(read(&text(100, 100)).is_ok());
        assert_eq!(read(&text(101, 100)).unwrap_err().code, ProblemCode::Limit);
    }

    #[test]
    fn tags_determine_the_type_of_a_scalar() {
        check(
            "[!!str 12, !!int '12', !!float 1, !!bool yes, !!null '', !!str , !!timestamp 2001-12-14, ! 12]",
            &json!(["12", 12, 1, true, null, "", "2001-12-14", "12"]),
        );
        check_refused("a: !!int x", ProblemCode::UnreadableValue, 9);
        check_refused("a: !!int 1.5", ProblemCode::UnreadableValue, 9);
    }

    #[test]
    fn values_that_json_cannot_hold_are_rejected() {
        check_refused("a: .inf", ProblemCode::UnreadableValue, 3);
        check_refused("a: [1, .nan]", ProblemCode::UnreadableValue, 7);
        check_refused("a: !!binary aGk=", ProblemCode::UnreadableValue, 12);
    }

    #[test]
    fn keys_are_text_and_unique() {
        check_refused("null: 1", ProblemCode::ComplexKey, 0);
        check_refused("~: 1", ProblemCode::ComplexKey, 0);
        check_refused(": 1", ProblemCode::ComplexKey, 0);
        check_refused("a: {{ .Values.x }}", ProblemCode::ComplexKey, 4);
        check_refused("? [a]\n: 1", ProblemCode::ComplexKey, 2);
        check_refused("a: &k b\n*k : 1", ProblemCode::ComplexKey, 8);
        check_refused("a: 1\n'a': 2\n", ProblemCode::DuplicateKey, 5);
        check_refused("1: a\n\"1\": b\n", ProblemCode::DuplicateKey, 5);
        check_refused("on: 1\ntrue: 2\n", ProblemCode::DuplicateKey, 6);
        check_refused("true: 1\non: 2\n", ProblemCode::DuplicateKey, 8);
        check_refused("16: a\n0x10: b\n", ProblemCode::DuplicateKey, 6);
        check_refused("yes: a\non: b\n", ProblemCode::DuplicateKey, 7);
        check("\"null\": 1\non: 2\noff: 3\n", &json!({"null": 1, "on": 2, "off": 3}));
    }

    #[test]
    fn merges_add_only_missing_keys() {
        let base = "a: &a {x: 1, y: 1}\nb: &b {y: 2, z: 2}\n";
        check(
            &format!("{base}c: {{<<: *a, y: 3}}\n"),
            &json!({"a": {"x": 1, "y": 1}, "b": {"y": 2, "z": 2}, "c": {"y": 3, "x": 1}}),
        );
        check(
            &format!("{base}c:\n  y: 3\n  <<: [*b, *a]\n"),
            &json!({"a": {"x": 1, "y": 1}, "b": {"y": 2, "z": 2}, "c": {"y": 3, "z": 2, "x": 1}}),
        );
        check("'<<': 1", &json!({"<<": 1}));
        check("a: {<<: {b: 1}}", &json!({"a": {"b": 1}}));
        check_refused("<<: 1", ProblemCode::UnreadableValue, 4);
        check_refused("<<: {a: 1}\n<<: {b: 1}\n", ProblemCode::DuplicateKey, 11);
    }

    #[test]
    fn alias_expansion_terminates() {
        check("a: &x [1]\nb: *x\n", &json!({"a": [1], "b": [1]}));
        check("a: &x 1\nb: &x 2\nc: *x\n", &json!({"a": 1, "b": 2, "c": 2}));
        check_refused("a: &x\n  b: *x\n", ProblemCode::RecursiveAlias, 11);
        check_refused("a: &x {<<: *x}\n", ProblemCode::RecursiveAlias, 11);
        let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for level in 1..10 {
            let items = vec![format!("*a{}", level - 1); 10].join(", ");
            bomb.push_str(&format!("a{level}: &a{level} [{items}]\n"));
        }
        assert_eq!(read(&bomb).unwrap_err().code, ProblemCode::AliasBudget);
        let mut chain = String::from("a0: &a0 [x]\n");
        for level in 1..1000 {
            chain.push_str(&format!("a{level}: &a{level} [*a{}]\n", level - 1));
        }
        assert_eq!(read(&chain).unwrap_err().code, ProblemCode::Limit);
    }
}
