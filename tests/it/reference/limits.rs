//! The limits of the program, as constants of the source: name, value, documentation.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use syn::spanned::Spanned as _;
use syn::{BinOp, Expr, Item, Lit};

use super::wire;

/// Renders the constants called `MAX_...` or `..._LIMIT`, and the fields of `LIMITS`, as rows of a table.
pub(crate) fn table(root: &Path, files: &[String], problems: &mut Vec<String>) -> String {
    let mut limits: BTreeMap<(String, String), (Option<String>, String)> = BTreeMap::new();
    for file in files {
        let text = fs::read_to_string(root.join(file)).expect("a source file");
        let parsed = syn::parse_file(&text).unwrap_or_else(|error| panic!("{file}: {error}"));
        let named = |name: &str| {
            parsed.items.iter().find_map(|item| match item {
                Item::Struct(item) if item.ident == name => Some(item),
                _ => None,
            })
        };
        for item in &parsed.items {
            let Item::Const(constant) = item else { continue };
            let name = constant.ident.to_string();
            let mut add = |name: String, value: &Expr, docs: String, line: usize| {
                if docs.is_empty() {
                    problems.push(format!(
                        "{file}:{line}: the limit {name} has no documentation: write a `///` sentence above it"
                    ));
                }
                limits.insert((file.clone(), name), (shown(value), docs));
            };
            match &*constant.expr {
                Expr::Struct(literal) if name == "LIMITS" => {
                    let declared = named(&wire::type_name(&constant.ty)).expect("the type of LIMITS is in its file");
                    for (field, declared) in literal.fields.iter().zip(&declared.fields) {
                        let syn::Member::Named(member) = &field.member else { continue };
                        add(
                            format!("LIMITS.{member}"),
                            &field.expr,
                            wire::docs(&declared.attrs),
                            declared.span().start().line,
                        );
                    }
                }
                value if name.starts_with("MAX_") || name.ends_with("_LIMIT") => {
                    add(name.clone(), value, wire::docs(&constant.attrs), constant.span().start().line);
                }
                _ => {}
            }
        }
    }
    let row = |((file, name), (value, docs)): (&(String, String), &(Option<String>, String))| {
        let module = file.trim_start_matches("src/").trim_end_matches(".rs").replace('/', "::");
        let value = value.clone().unwrap_or_else(|| "derived from another limit".to_owned());
        format!("| {} | {value} | `{module}` `{name}` |\n", docs.replace('|', "\\|"))
    };
    let rows: String = limits.iter().map(row).collect();
    format!("\n| limit | value | constant |\n|---|---|---|\n{rows}")
}

/// Prints a number; sizes, which are written as `16 << 20`, in MiB or KiB. `None` for what is no number.
fn shown(value: &Expr) -> Option<String> {
    match value {
        Expr::Binary(shift) if matches!(shift.op, BinOp::Shl(_)) => {
            let unit = match number(&shift.right)? {
                10 => "KiB",
                20 => "MiB",
                _ => return None,
            };
            Some(format!("{} {unit}", number(&shift.left)?))
        }
        value => number(value).map(|number| number.to_string()),
    }
}

fn number(value: &Expr) -> Option<u64> {
    match value {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(number) => number.base10_parse().ok(),
            _ => None,
        },
        _ => None,
    }
}
