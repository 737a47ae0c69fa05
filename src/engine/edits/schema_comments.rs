//! Answers: which comments name the schema of an object for editors, and what do they name once the object is converted?
//!
//! Editors read `# yaml-language-server: $schema=URL` and `# $schema: URL`. Catalogs of schemas have a file for each kind and
//! version, such as `https://example.org/gateway.networking.k8s.io/httproute_v1.json`. A URL that ends in one of the forms that the
//! packs know, with what the object was, is to end with what it becomes; any other URL was chosen for another reason and stays. One
//! that names the old kind and version in a form that no pack knows is reported.
//!
//! Invariant: an edit is inside one comment, and has no line end.

use crate::engine::convert::Conversion;
use crate::engine::manifest::{Object, SourceText};
use crate::knowledge::release::ApiVersion;
use crate::syntax::field::Entries;
use crate::syntax::text::{Edit, Span};
use crate::syntax::yaml::read_value;

/// How catalogs of the schemas of custom resources name one, whatever the pack.
const COMMON_FORM: &str = "{group}/{kind}_{version}.json";

/// The comments that name the schema of an object that changes.
#[derive(Default)]
pub(super) struct SchemaComments {
    /// Those that change.
    pub(super) following: Vec<SchemaComment>,
    /// Those that name the old version in a form that no pack knows, with the URL.
    pub(super) unknown: Vec<(Span, String)>,
}

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

/// Finds the comments that name the schema that `object` had, where `conversion` gives it another; `forms` are the ends of URLs
/// that packs know.
///
/// Only an object that is a whole document has a schema of its own.
pub(super) fn find(source: SourceText<'_>, object: &Object, conversion: &Conversion, forms: &[&str]) -> SchemaComments {
    let mut found = SchemaComments::default();
    let new_version = conversion.value.text("apiVersion").map(ApiVersion::parse);
    let Some(new_version) = new_version.filter(|_| object.place.steps().is_empty()) else { return found };
    let old = Typed { api_version: &object.api_version, kind: &object.kind.kind };
    let new = Typed { api_version: &new_version, kind: &conversion.kind.kind };
    if old == new {
        return found;
    }
    for (document, comment) in comments_of(source, object.document) {
        let text = comment.of(source.text());
        let Some(url) = schema_url(text) else { continue };
        if let Some((length, name)) = followed(url.of(text), old, new, forms) {
            let start = url.end - length;
            let after = format!("{}{name}{}", &text[..start], &text[url.end..]);
            let edit = Edit::new(comment.start + start, comment.start + url.end, name);
            found.following.push(SchemaComment { document, span: comment, edit, before: text.to_owned(), after });
        } else if names(url.of(text), old) {
            found.unknown.push((comment, url.of(text).to_owned()));
        }
    }
    found
}

/// The apiVersion and the kind of an object.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Typed<'o> {
    api_version: &'o ApiVersion,
    kind: &'o str,
}

/// Returns the length of the end of `url` that names the schema of `old`, and what names that of `new`.
fn followed(url: &str, old: Typed<'_>, new: Typed<'_>, forms: &[&str]) -> Option<(usize, String)> {
    [COMMON_FORM].iter().chain(forms).find_map(|form| {
        let (old, new) = (schema_name(form, old)?, schema_name(form, new)?);
        let path = url.strip_suffix(&old)?;
        (old != new && (path.is_empty() || path.ends_with('/'))).then_some((old.len(), new))
    })
}

/// Fills in a form; `None` where it has a group and the kind, one of Kubernetes' core, has none.
fn schema_name(form: &str, Typed { api_version, kind }: Typed<'_>) -> Option<String> {
    let ApiVersion { group, version } = api_version;
    let prefix = group.split('.').next().unwrap_or_default();
    let name = form.replace("{group}", group).replace("{group-prefix}", prefix);
    let name = name.replace("{kind}", &kind.to_lowercase()).replace("{version}", version);
    (!group.is_empty() || !form.contains("{group")).then_some(name)
}

/// Returns whether a URL has both the kind and the version among its words.
fn names(url: &str, Typed { api_version, kind }: Typed<'_>) -> bool {
    let has =
        |word: &str| url.split(|one: char| !one.is_ascii_alphanumeric()).any(|one| one.eq_ignore_ascii_case(word));
    has(kind) && has(&api_version.version)
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

    /// Checks what a URL about a HelmRelease becomes.
    #[track_caller]
    fn check_url(url: &str, forms: &[&str], expected: Option<&str>) {
        let versions = ["helm.toolkit.fluxcd.io/v2beta1", "helm.toolkit.fluxcd.io/v2"].map(ApiVersion::parse);
        let [old, new] = [&versions[0], &versions[1]].map(|api_version| Typed { api_version, kind: "HelmRelease" });
        let followed = |url: &str, old, new| {
            let (length, name) = followed(url, old, new, forms)?;
            Some(format!("{}{name}", &url[..url.len() - length]))
        };
        let moved = followed(url, old, new);
        assert_eq!(moved.as_deref(), expected);
        if let Some(moved) = moved {
            assert_eq!(followed(&moved, new, old).as_deref(), Some(url), "backward");
        }
    }

    #[test]
    fn a_url_in_a_form_that_a_pack_knows_follows_the_object() {
        let short = ["{kind}-{group-prefix}-{version}.json"];
        check_url(
            "https://a.b/c/helmrelease-helm-v2beta1.json",
            &short,
            Some("https://a.b/c/helmrelease-helm-v2.json"),
        );
        check_url("helmrelease-helm-v2beta1.json", &short, Some("helmrelease-helm-v2.json"));
        check_url("https://a.b/c/helmrelease-helm-v2beta1.json", &[], None);
        check_url("https://a.b/c/my-helmrelease-helm-v2beta1.json", &short, None);
        check_url(
            "a/helm.toolkit.fluxcd.io/helmrelease_v2beta1.json",
            &[],
            Some("a/helm.toolkit.fluxcd.io/helmrelease_v2.json"),
        );
        check_url("https://a.b/all.json", &["all.json"], None);
    }

    #[test]
    fn a_url_names_an_old_version_by_its_words() {
        let version = ApiVersion::parse("helm.toolkit.fluxcd.io/v2beta1");
        let check = |url: &str, expected| {
            assert_eq!(names(url, Typed { api_version: &version, kind: "HelmRelease" }), expected, "{url}")
        };
        check("https://a.b/HelmRelease/v2beta1/schema", true);
        check("https://a.b/helmrelease_v2beta1.json?ref=main", true);
        check("https://a.b/helmrelease_v2beta2.json", false);
        check("https://a.b/helmreleases_v2beta1.json", false);
    }

    #[test]
    fn other_comments_name_no_schema() {
        check("# see $schema=c.json", None);
        check("# yaml-language-server $schema=c.json", None);
        check("# yaml-language-server: $schemas=c.json", None);
        check("# yaml-language-server: disable", None);
    }
}
