//! What the pages say about a type: a table of its keys, and one for each type of mapping that these have.

use std::collections::{BTreeMap, VecDeque};

use syn::Type;

use super::wire::{Declared, Default, Key, Shape, Source, Word, arguments, type_name};

/// What values of types that are not declared in the read files look like; the text can be a link.
const SCALARS: &[(&str, &str)] = &[
    ("ApiVersion", "`group/version`"),
    ("Channel", "[channel](../reference/targets.md#channels)"),
    ("Condition", "[condition](conditions.md)"),
    ("Expression", "regular expression"),
    ("FieldPath", "[field path](rules.md#fields)"),
    ("FieldPattern", "[field pattern](rules.md#fields)"),
    ("GroupKind", "`Kind.group`"),
    ("Lens", "list of [operations](operations.md)"),
    ("Map", "mapping"),
    ("Number", "number"),
    ("Relation", "[relation](../packs/catalogs.md#relations)"),
    ("String", "text"),
    ("Table", "mapping of texts, or list of `{ old, new }`"),
    ("Template", "text"),
    ("Value", "any value"),
    ("bool", "`true` or `false`"),
    ("u64", "whole number"),
    ("usize", "whole number"),
];

/// Renders types, and collects what lacks documentation.
pub(crate) struct Renderer<'s> {
    source: &'s Source,
    /// The headings of types that a page has already: (file, name) -> heading.
    headed: BTreeMap<(String, String), String>,
    pub(crate) problems: Vec<String>,
}

/// A type whose keys are to be listed, its heading, and texts with examples of it.
struct Pending<'s> {
    declared: &'s Declared,
    heading: String,
    examples: String,
}

impl<'s> Renderer<'s> {
    pub(crate) fn new(source: &'s Source) -> Self {
        Self { source, headed: BTreeMap::new(), problems: Vec::new() }
    }

    /// Renders the keys of a type, and below headings of `level` those of the types in it.
    pub(crate) fn keys(&mut self, file: &str, name: &str, (prefix, level): (&str, &str), examples: &str) -> String {
        let Some(top) = self.resolved(file, name) else {
            self.problems.push(format!("{file}: no type {name} is declared there"));
            return String::new();
        };
        let mut out = String::new();
        let heading = prefix.to_owned();
        let mut pending = VecDeque::from([Pending { declared: top, heading, examples: examples.to_owned() }]);
        let mut is_first = true;
        while let Some(Pending { declared, heading, examples }) = pending.pop_front() {
            if !is_first {
                let docs = self.documented(declared.line, &declared.docs, declared, "the type");
                out.push_str(&format!("\n{level} {heading}\n{docs}\n"));
            }
            is_first = false;
            let Shape::Keys(keys) = &declared.shape else { continue };
            out.push_str("\n| key | type | default | meaning |\n|---|---|---|---|\n");
            for key in keys {
                let examples = format!("{examples} {} {}", declared.docs, key.docs);
                self.has_example(declared, key, &examples);
                let heading = if heading.is_empty() { key.name.clone() } else { format!("{heading}.{}", key.name) };
                let nested = |renderer: &mut Self, declared: &'s Declared| {
                    renderer.head(declared, &heading, &examples, &mut pending)
                };
                out.push_str(&self.row(declared, key, nested));
            }
        }
        out
    }

    /// Renders the words of a type as rows of a table.
    pub(crate) fn words(&mut self, file: &str, name: &str) -> String {
        let Some(declared) = self.resolved(file, name) else {
            self.problems.push(format!("{file}: no type {name} is declared there"));
            return String::new();
        };
        let Shape::Words(words) = &declared.shape else { return String::new() };
        let row = |word: &Word| {
            let docs = self.documented(word.line, &word.docs, declared, &format!("the word `{}`", word.name));
            format!("| `{}` | {} |\n", word.name, escaped(&docs))
        };
        let rows: String = words.iter().map(row).collect();
        format!("\n| word | meaning |\n|---|---|\n{rows}")
    }

    /// Returns the heading of a type of mapping, which is listed once on a page.
    fn head(
        &mut self,
        declared: &'s Declared,
        heading: &str,
        examples: &str,
        pending: &mut VecDeque<Pending<'s>>,
    ) -> String {
        let place = (declared.file.clone(), declared.name.clone());
        if let Some(heading) = self.headed.get(&place) {
            return heading.clone();
        }
        self.headed.insert(place, heading.to_owned());
        pending.push_back(Pending { declared, heading: heading.to_owned(), examples: examples.to_owned() });
        heading.to_owned()
    }

    fn row(
        &mut self,
        of: &'s Declared,
        key: &Key,
        mut nested: impl FnMut(&mut Self, &'s Declared) -> String,
    ) -> String {
        let docs = self.documented(key.line, &key.docs, of, &format!("the key `{}`", key.name));
        let inner = arguments(&key.of, "Option").map_or(&key.of, |inner| inner[0]);
        let words = self.word_list(&of.file, inner);
        let what = if words.is_empty() { self.what(of, key, inner, &mut nested) } else { "word".to_owned() };
        let default = match &key.default {
            Default::Required => "required".to_owned(),
            Default::Named(function) => format!("`{function}`"),
            Default::OfItsType => {
                let word = words.iter().find(|word| word.is_default && arguments(&key.of, "Option").is_none());
                word.map_or_else(|| "-".to_owned(), |word| format!("`{}`", word.name))
            }
        };
        let mut docs = escaped(&docs);
        for word in &words {
            let meaning = self.documented(word.line, &word.docs, of, &format!("the word `{}`", word.name));
            docs.push_str(&format!("<br>`{}`: {}", word.name, escaped(&meaning)));
        }
        format!("| `{}` | {what} | {default} | {docs} |\n", key.name)
    }

    /// Returns the words that a type can have.
    fn word_list(&self, file: &str, of: &Type) -> Vec<Word> {
        let name = type_name(of);
        if SCALARS.iter().any(|(scalar, _)| *scalar == name) {
            return Vec::new();
        }
        match self.resolved(file, &name).map(|declared| &declared.shape) {
            Some(Shape::Words(words)) => words.clone(),
            _ => Vec::new(),
        }
    }

    /// Says what the values of a type look like.
    fn what(
        &mut self,
        of: &'s Declared,
        key: &Key,
        what: &Type,
        nested: &mut impl FnMut(&mut Self, &'s Declared) -> String,
    ) -> String {
        if let Some(inner) = arguments(what, "Vec") {
            return format!("list of {}", self.what(of, key, inner[0], nested));
        }
        if let Some(inner) = arguments(what, "BTreeMap") {
            return format!("mapping of {}", self.what(of, key, inner[1], nested));
        }
        if let Type::Array(array) = what {
            return format!("list of two: {}", self.what(of, key, &array.elem, nested));
        }
        let name = type_name(what);
        if let Some((_, text)) = SCALARS.iter().find(|(scalar, _)| *scalar == name) {
            return (*text).to_owned();
        }
        match self.resolved(&of.file, &name) {
            Some(declared) => match &declared.shape {
                Shape::Keys(_) => {
                    let heading = nested(self, declared);
                    format!("[mapping](#{})", slug(&heading))
                }
                Shape::Any(types) => {
                    let types: Vec<_> = types.iter().map(|inner| self.what(declared, key, inner, nested)).collect();
                    types.join(" or ")
                }
                Shape::Words(words) => {
                    words.iter().map(|word| format!("`{}`", word.name)).collect::<Vec<_>>().join(" or ")
                }
                Shape::Like(_) => unreachable!("a resolved type is no other one"),
            },
            None => {
                let place = format!("{}:{}", of.file, key.line);
                self.problems.push(format!(
                    "{place}: the key `{}` has the type {name}, which the reference cannot describe: derive Deserialize for it in \
                     a file that tests/it/reference reads, or add it to SCALARS in tests/it/reference/render.rs",
                    key.name
                ));
                name
            }
        }
    }

    /// Finds a type, and that which it is read from.
    fn resolved(&self, file: &str, name: &str) -> Option<&'s Declared> {
        let declared = self.source.find(file, name)?;
        match &declared.shape {
            Shape::Like(other) => self.resolved(&declared.file, &type_name(other)),
            _ => Some(declared),
        }
    }

    /// Returns documentation, and notes where there is none.
    fn documented(&mut self, line: usize, docs: &str, of: &Declared, what: &str) -> String {
        if docs.is_empty() {
            let Declared { file, name, .. } = of;
            self.problems
                .push(format!("{file}:{line}: {what} of {name} has no documentation: write a `///` sentence above it"));
        }
        docs.to_owned()
    }

    fn has_example(&mut self, of: &Declared, key: &Key, examples: &str) {
        if !shows(examples, &key.name) {
            let (file, line, key) = (&of.file, key.line, &key.name);
            self.problems.push(format!(
                "{file}:{line}: no example has the key `{key}`: add one in backticks to its documentation, as in `{key}: ...`"
            ));
        }
    }
}

/// Returns whether a text shows `key` in an example.
fn shows(text: &str, key: &str) -> bool {
    let at = |(at, _): (usize, &str)| {
        let before = text[..at].chars().next_back();
        !before.is_some_and(|one| one.is_alphanumeric() || one == '-')
    };
    [format!("{key}: "), format!("{key}\":")].iter().any(|shown| text.match_indices(shown).any(at))
}

/// Returns the anchor of a heading.
pub(crate) fn slug(heading: &str) -> String {
    let kept = heading.chars().filter(|one| one.is_alphanumeric() || matches!(one, ' ' | '-' | '_'));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

fn escaped(text: &str) -> String {
    text.replace('|', "\\|")
}
