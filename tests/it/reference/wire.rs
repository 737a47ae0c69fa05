//! The types that files are read into, as the source declares them: names as `serde` reads them, documentation, types, defaults.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use syn::spanned::Spanned as _;
use syn::{Attribute, Expr, Fields, ImplItem, Item, Lit, Meta, Stmt, Type};

/// A type that files are read into.
#[derive(Clone)]
pub(crate) struct Declared {
    /// `src/knowledge/lens/wrap.rs`
    pub(crate) file: String,
    pub(crate) name: String,
    pub(crate) line: usize,
    pub(crate) docs: String,
    pub(crate) shape: Shape,
}

/// What a type is read from.
#[derive(Clone)]
pub(crate) enum Shape {
    /// A mapping with these keys.
    Keys(Vec<Key>),
    /// One of these words.
    Words(Vec<Word>),
    /// What one of these types is read from.
    Any(Vec<Type>),
    /// What another type is read from.
    Like(Box<Type>),
}

/// A key of a mapping.
#[derive(Clone)]
pub(crate) struct Key {
    pub(crate) name: String,
    pub(crate) line: usize,
    pub(crate) docs: String,
    pub(crate) of: Type,
    pub(crate) default: Default,
}

/// What holds where a key is not written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Default {
    Required,
    OfItsType,
    Named(String),
}

/// A word, and what it means.
#[derive(Clone, Debug)]
pub(crate) struct Word {
    pub(crate) name: String,
    pub(crate) line: usize,
    pub(crate) docs: String,
    pub(crate) is_default: bool,
}

/// An operation: the type with its description, and the type that its parameters are read into.
#[derive(Clone, Debug)]
pub(crate) struct Parameters {
    pub(crate) file: String,
    pub(crate) name: String,
}

/// Everything that was declared.
#[derive(std::default::Default)]
pub(crate) struct Source {
    declared: Vec<Declared>,
    /// The module that a file imports a name from: (file, name) -> module.
    imports: BTreeMap<(String, String), String>,
    /// The types with a `DESCRIPTION`, by the name in it.
    pub(crate) operations: BTreeMap<String, Parameters>,
}

impl Source {
    /// Reads the files, which are sorted.
    pub(crate) fn read(root: &Path, files: &[String]) -> Self {
        let mut source = Self::default();
        for file in files {
            let text = fs::read_to_string(root.join(file)).expect("a source file");
            let parsed = syn::parse_file(&text).unwrap_or_else(|error| panic!("{file}: {error}"));
            parsed.items.iter().for_each(|item| source.item(file, item));
        }
        source
    }

    fn item(&mut self, file: &str, item: &Item) {
        match item {
            Item::Use(used) => self.import(file, None, &used.tree),
            Item::Struct(item) => {
                let (attributes, fields) = (&item.attrs, &item.fields);
                self.declare(file, &item.ident, attributes, || keys(attributes, fields));
            }
            Item::Enum(item) => self.declare(file, &item.ident, &item.attrs, || words(item)),
            Item::Impl(item) => {
                let Type::Path(path) = &*item.self_ty else { return };
                let Some(name) = path.path.segments.last().map(|last| last.ident.clone()) else { return };
                for inner in &item.items {
                    match inner {
                        ImplItem::Const(constant) if constant.ident == "DESCRIPTION" => {
                            let parameters = Parameters { file: file.to_owned(), name: name.to_string() };
                            self.operations.insert(described(&constant.expr), parameters);
                        }
                        ImplItem::Fn(function) if function.sig.ident == "deserialize" => {
                            self.read_by(file, &name, &function.block.stmts);
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }

    fn import(&mut self, file: &str, module: Option<&str>, tree: &syn::UseTree) {
        match tree {
            syn::UseTree::Path(path) => self.import(file, Some(&path.ident.to_string()), &path.tree),
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| self.import(file, module, tree)),
            syn::UseTree::Name(name) => {
                let module = module.unwrap_or_default().to_owned();
                self.imports.insert((file.to_owned(), name.ident.to_string()), module);
            }
            syn::UseTree::Rename(_) | syn::UseTree::Glob(_) => {}
        }
    }

    /// Adds a type with a derived `Deserialize`, and types whose words are written by hand.
    fn declare(&mut self, file: &str, name: &syn::Ident, attributes: &[Attribute], shape: impl FnOnce() -> Shape) {
        let other = setting(attributes, "try_from").or_else(|| setting(attributes, "from"));
        let shape = match other {
            Some(other) => Shape::Like(Box::new(syn::parse_str(&other).expect("a type"))),
            None => shape(),
        };
        let (line, docs) = (name.span().start().line, docs(attributes));
        self.declared.push(Declared { file: file.to_owned(), name: name.to_string(), line, docs, shape });
    }

    /// A type with a `deserialize` written by hand is read from the type that is declared in it, or whose `deserialize` it calls.
    fn read_by(&mut self, file: &str, name: &syn::Ident, statements: &[Stmt]) {
        let mut like = None;
        for statement in statements {
            if let Stmt::Item(item @ Item::Struct(inner)) = statement {
                self.item(file, item);
                // A nested type has the name of its operation, so that files with several keep them apart.
                let declared = self.declared.last_mut().expect("it was just added");
                declared.name = format!("{name}{}", inner.ident);
                like = Some(declared.name.clone());
            }
        }
        let called = || {
            let text = statements.iter().map(tokens).collect::<String>();
            let (before, _) = text.split_once(":: deserialize")?;
            let called = before.trim_end().rsplit(|one: char| !one.is_alphanumeric()).next()?;
            (!matches!(called, "String" | "D" | "")).then(|| called.to_owned())
        };
        let Some(like) = like.or_else(called) else { return };
        let like = Shape::Like(Box::new(syn::parse_str(&like).expect("a type")));
        match self.declared.iter_mut().find(|declared| declared.file == file && *name == declared.name) {
            Some(declared) => declared.shape = like,
            None => self.declared.push(Declared {
                file: file.to_owned(),
                name: name.to_string(),
                line: 0,
                docs: String::new(),
                shape: like,
            }),
        }
    }

    /// Finds the type that `name` is in `file`; `None` for one that is declared nowhere here.
    pub(crate) fn find(&self, file: &str, name: &str) -> Option<&Declared> {
        let named: Vec<_> = self.declared.iter().filter(|declared| declared.name == name).collect();
        let own = named.iter().find(|declared| declared.file == file);
        let module = self.imports.get(&(file.to_owned(), name.to_owned()));
        let is_of = |declared: &&&Declared| module.is_some_and(|module| declared.file.contains(&format!("/{module}")));
        own.or_else(|| named.iter().find(is_of)).or_else(|| named.first().filter(|_| named.len() == 1)).copied()
    }
}

/// Returns the arguments of `Option<T>`, `Vec<T>`, ..., where a type has that name.
pub(crate) fn arguments<'t>(of: &'t Type, name: &str) -> Option<Vec<&'t Type>> {
    let Type::Path(path) = of else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == name)?;
    let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    let types = arguments.args.iter().filter_map(|argument| match argument {
        syn::GenericArgument::Type(of) => Some(of),
        _ => None,
    });
    Some(types.collect())
}

/// Returns the last name of a type's path.
pub(crate) fn type_name(of: &Type) -> String {
    match of {
        Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default(),
        _ => String::new(),
    }
}

fn tokens(statement: &Stmt) -> String {
    quote::ToTokens::to_token_stream(statement).to_string()
}

fn keys(attributes: &[Attribute], fields: &Fields) -> Shape {
    if let (true, Fields::Unnamed(inner)) = (flag(attributes, "transparent"), fields) {
        return Shape::Like(Box::new(inner.unnamed[0].ty.clone()));
    }
    let case = setting(attributes, "rename_all");
    let written = fields.iter().filter(|field| !flag(&field.attrs, "skip"));
    let key = |field: &syn::Field| {
        let name = field.ident.as_ref()?.to_string();
        let name = name.strip_prefix("r#").unwrap_or(&name);
        let default = match setting(&field.attrs, "default") {
            Some(function) => Default::Named(function),
            None if flag(&field.attrs, "default") || arguments(&field.ty, "Option").is_some() => Default::OfItsType,
            None => Default::Required,
        };
        Some(Key {
            name: setting(&field.attrs, "rename").unwrap_or_else(|| cased(&name.replace('_', " "), case.as_deref())),
            line: field.span().start().line,
            docs: docs(&field.attrs),
            of: field.ty.clone(),
            default,
        })
    };
    Shape::Keys(written.filter_map(key).collect())
}

fn words(item: &syn::ItemEnum) -> Shape {
    if flag(&item.attrs, "untagged") {
        return Shape::Any(
            item.variants.iter().flat_map(|variant| &variant.fields).map(|field| field.ty.clone()).collect(),
        );
    }
    // Without a derived form, the names are those of the catalogs.
    let case = setting(&item.attrs, "rename_all").unwrap_or_else(|| "kebab-case".to_owned());
    let word = |variant: &syn::Variant| {
        let name = variant.ident.to_string();
        let mut spaced = String::new();
        for one in name.chars() {
            if one.is_uppercase() && !spaced.is_empty() {
                spaced.push(' ');
            }
            spaced.extend(one.to_lowercase());
        }
        Word {
            name: setting(&variant.attrs, "rename").unwrap_or_else(|| cased(&spaced, Some(&case))),
            line: variant.ident.span().start().line,
            docs: docs(&variant.attrs),
            is_default: variant.attrs.iter().any(|attribute| attribute.path().is_ident("default")),
        }
    };
    Shape::Words(item.variants.iter().map(word).collect())
}

/// Writes words that are separated by spaces as one.
fn cased(words: &str, case: Option<&str>) -> String {
    let mut parts = words.split(' ');
    match case {
        None => words.replace(' ', "_"),
        Some("kebab-case") => words.replace(' ', "-"),
        Some("lowercase") => words.replace(' ', ""),
        Some("camelCase") => {
            let first = parts.next().unwrap_or_default().to_owned();
            parts.fold(first, |all, part| all + &part[..1].to_uppercase() + &part[1..])
        }
        Some(case) => panic!("tests/it/reference does not know rename_all = {case}: add it"),
    }
}

/// Returns the documentation as one paragraph.
fn docs(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => text(&pair.value),
        _ => None,
    });
    let lines: Vec<String> = lines.map(|line| line.trim().to_owned()).collect();
    // What follows `Source:` is for those who change the program.
    let lines = lines.iter().take_while(|line| !line.starts_with("Source: ")).filter(|line| !line.is_empty());
    lines.map(String::as_str).collect::<Vec<_>>().join(" ").replace("[`", "`").replace("`]", "`")
}

fn text(value: &Expr) -> Option<String> {
    match value {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Str(text) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the value of `#[serde(name = "value")]`.
fn setting(attributes: &[Attribute], name: &str) -> Option<String> {
    let mut found = None;
    each_serde(attributes, |meta| {
        if meta.path.is_ident(name) && meta.input.peek(syn::Token![=]) {
            let value: syn::LitStr = meta.value()?.parse()?;
            found = Some(value.value());
        }
        Ok(())
    });
    found
}

/// Returns whether there is `#[serde(name)]`.
fn flag(attributes: &[Attribute], name: &str) -> bool {
    let mut found = false;
    each_serde(attributes, |meta| {
        found |= meta.path.is_ident(name) && !meta.input.peek(syn::Token![=]);
        Ok(())
    });
    found
}

fn each_serde(attributes: &[Attribute], mut read: impl FnMut(&syn::meta::ParseNestedMeta<'_>) -> syn::Result<()>) {
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("serde")) {
        let parsed = attribute.parse_nested_meta(|meta| {
            read(&meta)?;
            // What was not asked for is skipped.
            if meta.input.peek(syn::Token![=]) {
                let _skipped: Expr = meta.value()?.parse()?;
            }
            Ok(())
        });
        parsed.expect("attributes of serde are words and pairs");
    }
}

/// Returns the name in a `Description`.
fn described(value: &Expr) -> String {
    let Expr::Struct(literal) = value else { panic!("a DESCRIPTION is a Description") };
    let name = literal.fields.iter().find(|field| matches!(&field.member, syn::Member::Named(name) if name == "name"));
    name.and_then(|field| text(&field.expr)).expect("a Description has a name")
}
