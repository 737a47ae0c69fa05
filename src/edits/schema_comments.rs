//! Answers: which comments name the schema of an object for editors, and what do they name once the object is converted?
//!
//! Editors read `# yaml-language-server: $schema=URL` and `# $schema: URL`. Catalogs of schemas have a folder for each group and a
//! file for each kind and version: `https://example.org/gateway.networking.k8s.io/httproute_v1.json`. A URL that ends like this
//! with what the object was is to end with what it becomes; any other URL was chosen for another reason and stays.
//!
//! Invariant: an edit is inside one comment, and has no line end.

use serde_json::Value;

use crate::convert::Conversion;
use crate::manifest::{Object, SourceText};
use crate::release::ApiVersion;
use crate::text::{Edit, Span};
use crate::yaml::read_value;

/// A comment that changes.
pub(super) struct SchemaComment {
    /// The document whose bytes it is in: that of the object, or the one above.
    pub(super) document: usize,
    /// Its bytes, in the text that the document is in.
    pub(super) span: Span,
    /// The edit, in the same text.
    pub(super) edit: Edit,
    /// The comment as it was.
    pub(super) before: String,
    /// The comment as it must be.
    pub(super) after: String,
}

/// Finds the comments that name the schema that `object` had, where `conversion` gives it another.
///
/// Only an object that is a whole document has a schema of its own.
pub(super) fn find(source: SourceText<'_>, object: &Object, conversion: &Conversion) -> Vec<SchemaComment> {
    let new_version = conversion.value.get("apiVersion").and_then(Value::as_str).map(ApiVersion::parse);
    let old_name = schema_name(&object.api_version, &object.kind.kind);
    let new_name = new_version.and_then(|version| schema_name(&version, &conversion.kind.kind));
    let (Some(old_name), Some(new_name)) = (old_name, new_name) else { return Vec::new() };
    if old_name == new_name || !object.place.steps().is_empty() {
        return Vec::new();
    }
    let make = |(document, comment): (usize, Span)| {
        let text = comment.of(source.text());
        let url = schema_url(text)?;
        let path = url.of(text).strip_suffix(&old_name)?.strip_suffix('/')?;
        let start = url.start + path.len() + 1;
        let after = format!("{}{new_name}{}", &text[..start], &text[url.end..]);
        let edit = Edit::new(comment.start + start, comment.start + url.end, new_name.as_str());
        Some(SchemaComment { document, span: comment, edit, before: text.to_owned(), after })
    };
    comments_of(source, object.document).into_iter().filter_map(make).collect()
}

/// Returns how catalogs name the schema of a kind; `None` for the core group, which has no folder.
fn schema_name(version: &ApiVersion, kind: &str) -> Option<String> {
    let ApiVersion { group, version } = version;
    (!group.is_empty()).then(|| format!("{group}/{}_{version}.json", kind.to_lowercase()))
}

/// Returns the place of the URL in a comment that names a schema.
fn schema_url(comment: &str) -> Option<Span> {
    let text = comment.strip_prefix('#')?.trim_start();
    let settings = match text.strip_prefix("yaml-language-server") {
        Some(rest) => rest.trim_start().strip_prefix(':')?,
        None => Some(text).filter(|text| text.starts_with("$schema"))?,
    };
    let (_, rest) = settings.split_once("$schema")?;
    let url = rest.strip_prefix(['=', ':'])?.trim_start();
    let start = comment.len() - url.len();
    let end = url.find(char::is_whitespace).map_or(comment.len(), |length| start + length);
    Some(Span::new(start, end))
}

/// Returns the comments of a document, each with the number of the document whose bytes it is in: what is directly above a `---`
/// is about the document below.
fn comments_of(source: SourceText<'_>, document: usize) -> Vec<(usize, Span)> {
    let tree = source.tree();
    let above = |document: usize| match tree.documents().get(document) {
        Some(below) if document > 0 => comments_above(source, below.span.start),
        _ => &[],
    };
    let own = tree.comments_in(tree.documents()[document].span);
    let own = &own[..own.len() - above(document + 1).len().min(own.len())];
    // A document that cannot be read cannot be verified if its bytes change.
    let is_readable = |document: usize| read_value(tree, source.text(), tree.documents()[document].root).is_ok();
    let above = above(document).iter().map(|comment| (document - 1, *comment));
    let above: Vec<_> = above.filter(|(document, _)| is_readable(*document)).collect();
    above.into_iter().chain(own.iter().map(|comment| (document, *comment))).collect()
}

/// Returns the comments that are alone on the lines directly above the line that starts at `at`.
fn comments_above(source: SourceText<'_>, at: usize) -> &[Span] {
    let (text, comments) = (source.text(), source.tree().comments_in(Span::new(0, at)));
    let mut below = at;
    let mut count = 0;
    for comment in comments.iter().rev() {
        let line_start = text[..comment.start].rfind('\n').map_or(0, |end| end + 1);
        let is_alone = text[line_start..comment.start].trim().is_empty();
        if !is_alone || !matches!(&text[comment.end..below], "\n" | "\r\n") {
            break;
        }
        below = line_start;
        count += 1;
    }
    &comments[comments.len() - count..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(comment: &str, expected: Option<&str>) {
        assert_eq!(schema_url(comment).map(|url| url.of(comment)), expected, "{comment}");
    }

    #[test]
    fn a_schema_is_named_in_the_ways_that_editors_read() {
        check("# yaml-language-server: $schema=https://a.b/c.json", Some("https://a.b/c.json"));
        check("#yaml-language-server : x=y $schema=../c.json \t", Some("../c.json"));
        check("# $schema: c.json # d", Some("c.json"));
        check("#   $schema=c.json", Some("c.json"));
    }

    #[test]
    fn other_comments_name_no_schema() {
        check("# see $schema=c.json", None);
        check("# yaml-language-server $schema=c.json", None);
        check("# yaml-language-server: $schemas=c.json", None);
        check("# yaml-language-server: disable", None);
    }
}
