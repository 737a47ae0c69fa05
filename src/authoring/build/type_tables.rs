//! Answers: which schemas do tables of types hold for a release?
//!
//! `types.tsv` has one line for each field of each type: `type` (`apps.v1.Deployment`), `field`, `releases` (ranges),
//! `field_type`, `required` (`1` or `0`), `enum` (`A,B`; `~` before it: other values too) and `changes`. A type is `string`,
//! `integer(int32)`, `any`, `@TYPE`, `[TYPE]` or `{TYPE}`; a line without a field gives the form of the type itself. A change is
//! `RELEASE OLD/REQUIRED>NEW/REQUIRED`, several are separated by `; `. `kinds.tsv` says which types are kinds, and `enums.tsv`,
//! where there is one, the releases of single values: `value_history` (`A:1.20..1.37; B:1.14`) of the fields `used_by`
//! (`apps/v1.TYPE.FIELD`).
//!
//! Invariant: a line that cannot be understood is an error that names it.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Value, json};

use super::lifecycle::Lifecycle;
use super::published::Published;
use super::table::{Line, Ranges, Table, numbers};
use crate::knowledge::release::GroupKind;

/// The name of the table.
pub(super) const TYPES: &str = "types.tsv";

/// The tables of a folder.
#[derive(Debug)]
pub(super) struct Types {
    fields: Vec<FieldLine>,
    /// The releases of single values, by type and field.
    values: BTreeMap<(String, String), BTreeMap<String, Ranges>>,
}

/// A line of `types.tsv`.
#[derive(Debug)]
struct FieldLine {
    of: String,
    field: String,
    releases: Ranges,
    /// The type and whether it is required, from each release on; the first one from the beginning.
    forms: Vec<(Vec<u64>, Value, bool)>,
    allowed: Vec<String>,
}

impl Types {
    /// Reads the tables in the folder `top`, where there are any.
    pub(super) fn read(top: &Path) -> Result<Option<Self>> {
        let columns = ["type", "field", "releases", "field_type", "required"];
        let Some(table) = Table::read(&top.join(TYPES), &columns)? else { return Ok(None) };
        let field = |line: Line<'_>| field_line(line).with_context(|| line.place());
        let fields = table.lines().map(field).collect::<Result<_>>()?;
        let mut values = BTreeMap::new();
        if let Some(enums) = Table::read(&top.join("enums.tsv"), &["value_history", "used_by"])? {
            for line in enums.lines() {
                let history = history(line.get("value_history")).with_context(|| line.place())?;
                for place in line.get("used_by").split(',').filter(|_| !history.is_empty()) {
                    if let Some((of, field)) = place.rsplit_once('.') {
                        values.insert((of.replace('/', "."), field.to_owned()), history.clone());
                    }
                }
            }
        }
        Ok(Some(Self { fields, values }))
    }

    /// Returns the schemas of the release `bundle`, with the kinds that `lifecycle` lists in it.
    pub(super) fn published(&self, lifecycle: &Lifecycle, bundle: &str) -> Result<Published> {
        let release = numbers(bundle)?;
        let mut published = Published::default();
        for line in self.fields.iter().filter(|line| line.releases.contain(&release)) {
            let (_, form, required) = line.form(&release);
            if line.field.is_empty() {
                published.schemas.insert(line.of.clone(), form.clone());
                continue;
            }
            let schema = published.schemas.entry(line.of.clone());
            let schema = schema.or_insert_with(|| json!({"type": "object", "properties": {}, "required": []}));
            schema["properties"][&line.field] = self.with_values(line, form.clone(), &release);
            if let (true, Some(list)) = (*required, schema["required"].as_array_mut()) {
                list.push(json!(line.field));
            }
        }
        for (kind, version) in lifecycle.listed(&release) {
            let name = type_of(kind, version, published.schemas.keys())?;
            published.kinds.insert((kind.clone(), version.to_owned()), name);
        }
        Ok(published)
    }

    /// Adds the values that a release allows to the schema of a field, or of the items of a list.
    fn with_values(&self, line: &FieldLine, mut form: Value, release: &[u64]) -> Value {
        if line.allowed.is_empty() {
            return form;
        }
        let none = BTreeMap::new();
        let history = self.values.get(&(line.of.clone(), line.field.clone())).unwrap_or(&none);
        let lasting = line.allowed.iter().filter(|value| !history.contains_key(*value));
        let passing = history.iter().filter(|(_, releases)| releases.contain(release)).map(|(value, _)| value);
        let mut allowed: Vec<&String> = lasting.chain(passing).collect();
        allowed.sort();
        let place = if form.get("items").is_some() { &mut form["items"] } else { &mut form };
        place["enum"] = json!(allowed);
        form
    }
}

impl FieldLine {
    fn form(&self, release: &[u64]) -> &(Vec<u64>, Value, bool) {
        let since = |since: &[u64]| release[..release.len().min(since.len())] >= *since;
        let current = self.forms.iter().rev().find(|(first, ..)| since(first));
        current.expect("the first form holds from the beginning on")
    }
}

fn field_line(line: Line<'_>) -> Result<FieldLine> {
    let mut forms = Vec::new();
    let form = |text: &str| {
        let (kind, required) = text.rsplit_once('/').with_context(|| format!("`{text}` lacks /0 or /1"))?;
        Ok::<_, anyhow::Error>((schema(kind)?, required == "1"))
    };
    for change in line.get("changes").split("; ").filter(|change| !change.is_empty()) {
        let wrong = || format!("`{change}` is not a change: write `RELEASE OLD/REQUIRED>NEW/REQUIRED`");
        let (since, both) = change.split_once(' ').with_context(wrong)?;
        let (old, new) = both.split_once('>').with_context(wrong)?;
        if forms.is_empty() {
            let (kind, required) = form(old)?;
            forms.push((Vec::new(), kind, required));
        }
        let (kind, required) = form(new)?;
        forms.push((numbers(since)?, kind, required));
    }
    if forms.is_empty() {
        forms.push((Vec::new(), schema(line.get("field_type"))?, line.get("required") == "1"));
    }
    let allowed = line.get("enum");
    let is_closed = !allowed.is_empty() && !allowed.starts_with('~');
    let allowed = allowed.split(',').filter(|_| is_closed).map(str::to_owned).collect();
    let (of, field) = (line.get("type").to_owned(), line.get("field").to_owned());
    ensure!(!of.is_empty(), "the line names no type");
    Ok(FieldLine { of, field, releases: line.ranges("releases")?, forms, allowed })
}

/// Reads the schema of a type: `[string]`, `{@core.v1.Container}`, `integer(int32)`.
fn schema(text: &str) -> Result<Value> {
    let inside = |open: char, close: char| text.strip_prefix(open).and_then(|text| text.strip_suffix(close));
    if let Some(name) = text.strip_prefix('@') {
        return Ok(json!({"$ref": name}));
    }
    // One of several types is any; those that Kubernetes has are known by their names.
    if text == "any" || text.contains('|') {
        return Ok(json!({}));
    }
    if let Some(item) = inside('[', ']') {
        return Ok(json!({"type": "array", "items": schema(item)?}));
    }
    if let Some(value) = inside('{', '}') {
        return Ok(json!({"type": "object", "additionalProperties": schema(value)?}));
    }
    let (kind, format) = match text.strip_suffix(')').and_then(|text| text.split_once('(')) {
        Some((kind, format)) => (kind, Some(format)),
        None => (text, None),
    };
    if !["string", "integer", "number", "boolean", "object"].contains(&kind) {
        bail!("`{text}` is not a type: write string, integer, number, boolean, object, any, @TYPE, [TYPE] or {{TYPE}}");
    }
    let mut made = json!({"type": kind});
    if let Some(format) = format {
        made["format"] = json!(format);
    }
    Ok(made)
}

fn history(text: &str) -> Result<BTreeMap<String, Ranges>> {
    let value = |part: &str| {
        let (value, releases) = part.rsplit_once(':').with_context(|| format!("`{part}`: write `VALUE:RELEASES`"))?;
        Ok((value.to_owned(), Ranges::parse(releases)?))
    };
    text.split("; ").filter(|part| !part.is_empty()).map(value).collect()
}

/// Finds the type of a version of a kind: its package is named after the group, or it is the only one of that name and version.
fn type_of<'n>(kind: &GroupKind, version: &str, names: impl Iterator<Item = &'n String>) -> Result<String> {
    let package = if kind.group.is_empty() { "core" } else { kind.group.split('.').next().unwrap_or_default() };
    let (tail, full) = (format!(".{version}.{}", kind.kind), format!("{package}.{version}.{}", kind.kind));
    let is_full =
        |name: &str| name.strip_suffix(full.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    let same: Vec<&String> = names.filter(|name| name.ends_with(&tail)).collect();
    let found = same.iter().find(|name| is_full(name)).or(match same.as_slice() {
        [only] => Some(only),
        _ => None,
    });
    found.map(|name| (*name).clone()).with_context(|| {
        format!("{TYPES} has no type `{full}`, which kinds.tsv lists as {kind} in {version}; add its fields, or remove the line")
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::authoring::build::catalogs::Built;
    use crate::authoring::build::sample;

    const PACK: &str = "name: shops\ntitle: Shops\nsource: s\ngroups: [shop.example.com]\nreleases:\n- { bundle: v1.30.0 }\n\
                        - { bundle: v1.31.2 }\n";

    const TYPES_HEAD: &str = "type|field|releases|field_type(@ref,[list],{map})|required|enum(~=open)|changes\n";

    const LINES: &str = "\
~api.resource.Quantity||1.29..1.31|string|integer|0||
~meta.ObjectMeta|name|1.29..1.31|string|0||
shop.v1.Shop|metadata|1.29..1.31|@~meta.ObjectMeta|0||
shop.v1.Shop|spec|1.29..1.31|@shop.v1.ShopSpec|1||1.31 @shop.v1.ShopSpec/0>@shop.v1.ShopSpec/1
shop.v1.ShopList|metadata|1.29..1.31|@~meta.ListMeta|0||
shop.v1.ShopSpec|modes|1.29..1.31|[string]|0|A,B,C|
shop.v1.ShopSpec|old|1.29|{string(byte)}|0||
shop.v1.ShopSpec|phase|1.29..1.31|string|0|~,X|
shop.v1.ShopSpec|port|1.29..1.31|integer(int32)|0||1.31 string/0>integer(int32)/0
shop.v1.ShopSpec|secrets|1.31|{string(byte)}|0||
shop.v1.ShopSpec|size|1.29..1.31|@~api.resource.Quantity|1||
";

    const KINDS: &str = "\
group|kind|apiVersion|in_schema|served_by_default(1.14+)|deprecated|scope
shop.example.com|Shop|v1|1.29..1.31|1.29..1.30|1.31|Namespaced
other.example.com|Other|v1|1.9..1.10|1.9||
";

    const ENUMS: &str =
        "value_history|used_by(struct.field)\nC:1.31..1.31|shop/v1.ShopSpec.modes,shop/v1.Other.modes\n";

    const SHOP: &str = "\
kind|Shop.shop.example.com
scope|Namespaced|v1.30.0..v1.31.2
served|v1|v1.30.0
unserved|v1|v1.31.2
deprecated|v1|v1.31.2
path|type|required|attributes|apiVersions|releases
spec|object||||v1.30.0..v1.31.2
spec.modes|array||||v1.30.0..v1.31.2
spec.modes[]|string||{\"enum\":[\"A\",\"B\"]}||v1.30.0
spec.modes[]|string||{\"enum\":[\"A\",\"B\",\"C\"]}||v1.31.2
spec.phase|string||||v1.30.0..v1.31.2
spec.port|string||||v1.30.0
spec.port|integer||{\"format\":\"int32\"}||v1.31.2
spec.secrets|object||||v1.31.2
spec.secrets{}|string||{\"format\":\"byte\"}||v1.31.2
spec.size|quantity|required|||v1.30.0..v1.31.2
";

    fn built(types: &str, kinds: &str) -> Result<Built> {
        // One type is written with the sign that stands for a tab here.
        let tabs = |text: &str| {
            text.replace("string|integer", "string/integer")
                .replace('|', "\t")
                .replace("string/integer", "string|integer")
        };
        let files = [(TYPES, types), ("kinds.tsv", kinds), ("enums.tsv", ENUMS)].map(|(name, text)| (name, tabs(text)));
        sample::built(PACK, &files.each_ref().map(|(name, text)| (*name, text.as_str())))
    }

    #[test]
    fn tables_make_the_catalogs_of_the_releases_of_the_pack() {
        let built = built(&format!("{TYPES_HEAD}{LINES}"), KINDS).unwrap();
        let expected = [("Shop.shop.example.com.tsv".to_owned(), SHOP.replace('|', "\t"))];
        assert_eq!(built.files, BTreeMap::from(expected));
        assert!(built.notes.is_empty(), "{:?}", built.notes);
    }

    #[test]
    fn a_line_that_cannot_be_understood_is_named() {
        let refused = |types: &str, kinds: &str, message: &str| {
            let error = format!("{:#}", built(types, kinds).unwrap_err());
            assert!(error.contains(message), "{error}");
        };
        let with = |line: &str| format!("{TYPES_HEAD}{LINES}{line}\n");
        refused(&with("shop.v1.ShopSpec|a|1.30|text|0||"), KINDS, "types.tsv:13: `text` is not a type");
        refused(
            &with("shop.v1.ShopSpec|a|main|string|0||"),
            KINDS,
            "types.tsv:13: `releases`: `main` is not a release",
        );
        refused(
            &with("shop.v1.ShopSpec|a|1.30|string|0||1.30 string"),
            KINDS,
            "types.tsv:13: `1.30 string` is not a change",
        );
        refused(&with("|a|1.30|string|0||"), KINDS, "types.tsv:13: the line names no type");
        refused(&with("shop.v1.ShopSpec|a|1.30|@None|0||"), KINDS, "there is no schema None");
        refused("type|field\n", KINDS, "types.tsv:1: there is no column `releases`");
        let more = |line: &str| format!("{KINDS}{line}\n");
        let types = format!("{TYPES_HEAD}{LINES}");
        refused(
            &types,
            &more("shop.example.com|Gone|v1|1.30"),
            "types.tsv has no type `shop.v1.Gone`, which kinds.tsv lists",
        );
        refused(
            &types,
            &more("shop.example.com|Shop|v1|1.30"),
            "kinds.tsv:4: Shop.shop.example.com v1 is listed twice",
        );
        refused(
            &types,
            &more("shop.example.com|Other|v1||||Galaxy"),
            "kinds.tsv:4: write Cluster or Namespaced, not Galaxy",
        );
    }
}
