//! Answers: what does the text of a catalog's file hold?
//!
//! The lines are read once, top to bottom. Because fields are in tree order, each field's parent is the field last read or
//! one above it, so a line costs its last part only; sets of releases, attributes and patterns are read once per spelling.
//!
//! Invariant: a line out of order, without its parent, or with a word that is not known is an error, never skipped.

use std::collections::HashMap;

use super::listing::Listing;
use super::pattern::Pattern;
use super::row::{Attributes, Scope, Type};
use super::tree::{Node, Row, Schema, Tree};
use crate::field::{FieldPattern, Part};
use crate::release::{self, GroupKind, ReleaseLine, ReleaseSet};

/// The line that is between the header and the fields.
pub const COLUMNS: &str = "path\ttype\trequired\tattributes\tapiVersions\treleases";

/// The conversion that a catalog's file names; a file without one is of a kind whose versions differ in nothing but their name.
pub const WEBHOOK: &str = "webhook";

/// What a catalog's file holds.
pub(super) struct Contents {
    pub(super) kind: GroupKind,
    pub(super) scopes: Vec<(Scope, ReleaseSet)>,
    /// The releases whose CRD names a webhook that converts between its versions.
    pub(super) webhook: ReleaseSet,
    pub(super) listings: Vec<Listing>,
    pub(super) tree: Tree,
}

/// Reads `text`, whose releases are on `line`.
pub(super) fn contents(text: &str, line: &ReleaseLine) -> Result<Contents, String> {
    let mut draft = Draft::new(line);
    let mut section = Section::Header;
    for (number, content) in (1..).zip(text.lines()) {
        let read = match section {
            Section::Header if content == COLUMNS => {
                section = Section::Fields;
                Ok(())
            }
            Section::Header => draft.header(content),
            Section::Fields => draft.field(content),
        };
        read.map_err(|message| format!("line {number}: {message}"))?;
    }
    draft.finish()
}

/// Which part of the file a line is in.
enum Section {
    Header,
    Fields,
}

/// A catalog with the lines read so far.
struct Draft<'t> {
    contents: Contents,
    line: &'t ReleaseLine,
    sets: HashMap<&'t str, ReleaseSet>,
    schemas: HashMap<&'t str, usize>,
    patterns: HashMap<String, usize>,
    /// The field last read and those above it, outermost first, each with its path.
    above: Vec<(&'t str, usize)>,
}

impl<'t> Draft<'t> {
    fn new(line: &'t ReleaseLine) -> Self {
        let kind = GroupKind::new("", "");
        let (scopes, webhook, listings) = Default::default();
        let contents = Contents { kind, scopes, webhook, listings, tree: Tree::new() };
        let above = vec![("", 0)];
        Self { contents, line, sets: HashMap::new(), schemas: HashMap::new(), patterns: HashMap::new(), above }
    }

    fn header(&mut self, content: &'t str) -> Result<(), String> {
        let mut columns = content.split('\t');
        let (word, name) = (columns.next().unwrap_or_default(), columns.next().unwrap_or_default());
        if word == "kind" {
            self.contents.kind = GroupKind::parse(name);
            return Ok(());
        }
        let releases = self.releases(columns.next().unwrap_or_default())?;
        if word == "scope" {
            let scope =
                Scope::parse(name).ok_or_else(|| format!("`{name}` is not a scope: write Cluster or Namespaced"))?;
            self.contents.scopes.push((scope, releases));
            return Ok(());
        }
        if word == "conversion" {
            if name != WEBHOOK {
                return Err(format!("`{name}` is not a conversion: write {WEBHOOK}, or no line for none"));
            }
            self.contents.webhook = releases;
            return Ok(());
        }
        let listing = self.listing(name);
        match word {
            "served" => listing.served = releases,
            "unserved" => listing.unserved = releases,
            "storage" => listing.storage = releases,
            "deprecated" => listing.deprecated = releases,
            _ => {
                return Err(format!(
                    "`{word}` is not a header keyword: write kind, scope, conversion, served, unserved, storage or deprecated"
                ));
            }
        }
        Ok(())
    }

    fn listing(&mut self, name: &str) -> &mut Listing {
        let listings = &mut self.contents.listings;
        let at = listings.iter().position(|listing| listing.name == name).unwrap_or_else(|| {
            listings.push(Listing { name: name.to_owned(), ..Listing::default() });
            listings.len() - 1
        });
        &mut listings[at]
    }

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
            releases: self.releases(releases)?,
        };
        let open = row.kind == Type::Any || self.contents.tree.schemas[row.schema].attributes.preserve_unknown;
        let at = self.node(path)?;
        let node = &mut self.contents.tree.nodes[at];
        node.releases = node.releases | row.releases;
        if open {
            node.open = node.open | row.releases;
        }
        self.contents.tree.rows.push(row);
        node.rows.end = self.contents.tree.rows.len();
        Ok(())
    }

    /// Finds or makes the node of `path`, which is the node last read, or is below it or one above it.
    fn node(&mut self, path: &'t str) -> Result<usize, String> {
        while let Some(&(above, node)) = self.above.last() {
            if path == above {
                return Ok(node);
            }
            if let Some(part) = part_below(above, path) {
                let child = self.child(node, part).map_err(|()| format!("`{path}` is out of order"))?;
                self.above.push((path, child));
                return Ok(child);
            }
            self.above.pop();
        }
        Err(format!("`{path}` does not follow its parent field"))
    }

    fn child(&mut self, parent: usize, part: Part) -> Result<usize, ()> {
        let child = self.contents.tree.nodes.len();
        let node = &mut self.contents.tree.nodes[parent];
        match &part {
            Part::Key(key) if node.keys.last().is_none_or(|(last, _)| last < key) => {
                node.keys.push((key.clone(), child));
            }
            Part::Items if node.items.is_none() => node.items = Some(child),
            Part::Values if node.values.is_none() => node.values = Some(child),
            Part::Key(_) | Part::Items | Part::Values => return Err(()),
        }
        self.contents.tree.nodes.push(Node::new(Some((parent, part)), self.contents.tree.rows.len()));
        Ok(child)
    }

    fn schema(&mut self, text: &'t str) -> Result<usize, String> {
        if let Some(known) = self.schemas.get(text) {
            return Ok(*known);
        }
        let attributes = Attributes::parse(text)?;
        let pattern = attributes.pattern.as_ref().map(|pattern| {
            *self.patterns.entry(pattern.clone()).or_insert_with(|| {
                self.contents.tree.patterns.push(Pattern::new(pattern));
                self.contents.tree.patterns.len() - 1
            })
        });
        self.contents.tree.schemas.push(Schema { attributes, pattern });
        self.schemas.insert(text, self.contents.tree.schemas.len() - 1);
        Ok(self.contents.tree.schemas.len() - 1)
    }

    fn releases(&mut self, text: &'t str) -> Result<ReleaseSet, String> {
        if let Some(known) = self.sets.get(text) {
            return Ok(*known);
        }
        let set = self.line.parse_set(text)?;
        self.sets.insert(text, set);
        Ok(set)
    }

    fn finish(mut self) -> Result<Contents, String> {
        if self.contents.kind.kind.is_empty() {
            return Err("no line names the kind".to_owned());
        }
        self.contents.listings.sort_by(|left, right| release::by_stability(&right.name, &left.name));
        Ok(self.contents)
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
    use crate::catalog::sample::{HEADER, read};

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
