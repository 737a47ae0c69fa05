//! Answers: what does the text of a catalog's file hold?
//!
//! The lines are read once, top to bottom. Because fields are in tree order, each field's parent is the field last read or
//! one above it, so a line costs its last part only; sets of releases, attributes and patterns are read once per spelling.
//!
//! Invariant: a line out of order, without its parent, or with a word that is not known is an error, never skipped.

use std::collections::HashMap;

use super::header::{Header, Word};
use super::row::{Attributes, Scope, Type};
use super::tree::{Row, Tree};
use crate::knowledge::release::{GroupKind, ReleaseLine, ReleaseSet};
use crate::syntax::field::{FieldPattern, Part};

/// The line that is between the header and the fields.
pub(crate) const COLUMNS: &str = "path\ttype\trequired\tattributes\tapiVersions\treleases";

/// The conversion that a catalog's file names; a file without one is of a kind whose versions differ in nothing but their name.
pub(crate) const WEBHOOK: &str = "webhook";

/// The lines of the fields of a catalog.
#[derive(Clone, Copy, Debug)]
pub(super) struct FieldLines<'t> {
    pub(super) text: &'t str,
    /// The number of the first line, from 1.
    pub(super) first: usize,
}

/// Reads the header of `text`, whose releases are on `line`; the lines of the fields are left.
pub(super) fn header<'t>(text: &'t str, line: &ReleaseLine) -> Result<(Header, FieldLines<'t>), String> {
    let mut header = Header::new(GroupKind::new("", ""), Vec::new(), ReleaseSet::default());
    let mut sets = Sets { line, known: HashMap::new() };
    let mut fields = FieldLines { text: "", first: 0 };
    let mut end = 0;
    for (number, with_break) in (1..).zip(text.split_inclusive('\n')) {
        end += with_break.len();
        let content = with_break.lines().next().unwrap_or_default();
        if content == COLUMNS {
            fields = FieldLines { text: &text[end..], first: number + 1 };
            break;
        }
        read_header_line(&mut header, content, &mut sets).map_err(|message| format!("line {number}: {message}"))?;
    }
    if header.kind.kind.is_empty() {
        return Err("no line names the kind".to_owned());
    }
    header.sort();
    Ok((header, fields))
}

fn read_header_line<'t>(header: &mut Header, content: &'t str, sets: &mut Sets<'t, '_>) -> Result<(), String> {
    let mut columns = content.split('\t');
    let (word, name) = (columns.next().unwrap_or_default(), columns.next().unwrap_or_default());
    if word == "kind" {
        header.kind = GroupKind::parse(name);
        return Ok(());
    }
    let releases = sets.read(columns.next().unwrap_or_default())?;
    match word {
        "scope" => {
            let scope = Scope::parse(name);
            let scope = scope.ok_or_else(|| format!("`{name}` is not a scope: write Cluster or Namespaced"))?;
            header.scopes.push((scope, releases));
        }
        "conversion" if name == WEBHOOK => header.webhook = releases,
        "conversion" => {
            return Err(format!("`{name}` is not a conversion: write {WEBHOOK}, or no line for none"));
        }
        _ => {
            let word = Word::parse(word).ok_or_else(|| {
                format!(
                    "`{word}` is not a header keyword: write kind, scope, conversion, served, unserved, storage or deprecated"
                )
            })?;
            header.list(name, word, releases);
        }
    }
    Ok(())
}

/// Reads the lines of the fields of a catalog whose releases are on `line`.
pub(super) fn tree(fields: FieldLines<'_>, line: &ReleaseLine) -> Result<Tree, String> {
    let sets = Sets { line, known: HashMap::new() };
    let mut draft = Draft { tree: Tree::new(), sets, schemas: HashMap::new(), above: vec![("", 0)] };
    for (number, content) in (fields.first..).zip(fields.text.lines()) {
        draft.field(content).map_err(|message| format!("line {number}: {message}"))?;
    }
    Ok(draft.tree)
}

/// Sets of releases, each spelling read once.
struct Sets<'t, 'l> {
    line: &'l ReleaseLine,
    known: HashMap<&'t str, ReleaseSet>,
}

impl<'t> Sets<'t, '_> {
    fn read(&mut self, text: &'t str) -> Result<ReleaseSet, String> {
        if let Some(known) = self.known.get(text) {
            return Ok(*known);
        }
        let set = self.line.parse_set(text)?;
        self.known.insert(text, set);
        Ok(set)
    }
}

/// The fields read so far.
struct Draft<'t, 'l> {
    tree: Tree,
    sets: Sets<'t, 'l>,
    schemas: HashMap<&'t str, usize>,
    /// The field last read and those above it, outermost first, each with its path.
    above: Vec<(&'t str, usize)>,
}

impl<'t> Draft<'t, '_> {
    fn field(&mut self, content: &'t str) -> Result<(), String> {
        let mut columns = content.split('\t');
        let mut column = || columns.next().ok_or_else(|| format!("`{content}` has fewer than six columns"));
        let (path, kind, required) = (column()?, column()?, column()?);
        let (attributes, versions, releases) = (column()?, column()?, column()?);
        let required = match required {
            "required" => true,
            "" => false,
            other => return Err(format!("the third column must be `required` or empty, not `{other}`")),
        };
        let row = Row {
            kind: Type::parse(kind).ok_or_else(|| format!("`{kind}` is not a type"))?,
            required,
            schema: self.schema(attributes)?,
            versions: versions.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect(),
            releases: self.sets.read(releases)?,
        };
        let node = self.node(path)?;
        self.tree.push(node, row);
        Ok(())
    }

    /// Finds or makes the node of `path`, which is the node last read, or is below it or one above it.
    fn node(&mut self, path: &'t str) -> Result<usize, String> {
        while let Some(&(above, node)) = self.above.last() {
            if path == above {
                return Ok(node);
            }
            if let Some(part) = part_below(above, path) {
                let child = self.tree.add(node, part).ok_or_else(|| format!("`{path}` is out of order"))?;
                self.above.push((path, child));
                return Ok(child);
            }
            self.above.pop();
        }
        Err(format!("`{path}` does not follow its parent field"))
    }

    fn schema(&mut self, text: &'t str) -> Result<usize, String> {
        if let Some(known) = self.schemas.get(text) {
            return Ok(*known);
        }
        let schema = self.tree.add_schema(Attributes::parse(text)?);
        self.schemas.insert(text, schema);
        Ok(schema)
    }
}

/// Reads the one part that leads from the path `above` to `path`, if it is one.
fn part_below(above: &str, path: &str) -> Option<Part> {
    let rest = path.strip_prefix(above)?;
    let text = match rest.strip_prefix('.') {
        Some(text) if !above.is_empty() => text,
        None if above.is_empty() || rest.starts_with(['[', '{']) => rest,
        _ => return None,
    };
    if !text.contains(['.', '[', '{']) {
        return Some(Part::Key(text.to_owned()));
    }
    match FieldPattern::parse(text).ok()?.parts() {
        [part] => Some(part.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::knowledge::catalog::sample::{HEADER, read};

    #[track_caller]
    fn refused(rows: &str, message: &str) {
        let error = read(&format!("{HEADER}{rows}")).unwrap_err();
        assert!(error.starts_with("line ") && error.contains(message), "{error}");
    }

    #[test]
    fn a_misplaced_line_is_rejected() {
        refused("spec.a | string |  |  |  | ALL\n", "`spec.a` does not follow");
        refused(".spec | string |  |  |  | ALL\n", "`.spec` does not follow");
        let spec = "spec | object |  |  |  | ALL\n";
        refused(&format!("{spec}spec.b | string |  |  |  | ALL\nspec.a | string |  |  |  | ALL\n"), "out of order");
        refused(&format!("{spec}specs.a | string |  |  |  | ALL\n"), "does not follow");
        refused(&format!("{spec}spec.a[] | string |  |  |  | ALL\n"), "does not follow");
    }

    #[test]
    fn an_unknown_word_is_rejected() {
        refused("spec | objekt |  |  |  | ALL\n", "`objekt` is not a type");
        refused("spec | object | optional |  |  | ALL\n", "`optional`");
        refused("spec | object |  | {\"x\":1} |  | ALL\n", "not a JSON object of attributes");
        refused("spec | object |  |  |  | standard v9\n", "`v9`");
        refused("spec | object\n", "fewer than six columns");
        assert!(read("kind | A.b\nserves | v1 | standard v1.0.0\n").unwrap_err().contains("`serves`"));
        assert!(read("scope | Cluster | standard v1.0.0\n").unwrap_err().contains("names the kind"));
    }
}
