//! Answers: which Kubernetes objects does a file hold, and may it be understood at all?
//!
//! [`read`] takes a file's bytes: files without a known API group are [`Reading::Irrelevant`] and never parsed; templates
//! and files that cannot be read are told apart; the rest becomes a [`Manifest`] with its objects, those inside a
//! `kind: List` too, and the values of known charts.
//!
//! Invariant: a file is irrelevant only where no known API group stands in its bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use aho_corasick::{AhoCorasick, MatchKind};
use memchr::memmem::Finder;
use serde_json::Value;

use crate::field::FieldPath;
use crate::finding::{Code, Finding, Location, Severity};
use crate::release::{ApiVersion, GroupKind};
use crate::text::{LineIndex, Span};
use crate::yaml::{self, NodeId, Problem, ProblemCode, Tree};

mod configuration;
mod inline;
mod inset;
mod json6902;
mod kustomization;
mod selector;
mod values;

use values::Chart;

pub use inline::folder as patched_folder;
pub use inset::{Inset, Page};
pub use kustomization::{Kustomization, PatchFile};
pub use selector::{Part as SelectorPart, Selector};

/// One file's bytes with what was found in them.
#[derive(Debug)]
pub struct Manifest {
    /// The file as the user named it.
    pub file: String,
    /// The text, as it is in the file.
    pub text: Arc<str>,
    /// The spans of its nodes.
    pub tree: Tree,
    /// Its objects, in the order of the text.
    pub objects: Vec<Object>,
    /// The inline patches of known objects that it holds.
    pub insets: Vec<Inset>,
    /// The files that it names as patches, where it is a kustomization; as the user would name them.
    pub patches: Vec<PatchFile>,
    /// What it makes of other files, where it is a kustomization.
    pub kustomization: Option<Arc<Kustomization>>,
    /// What was noticed on the way.
    pub findings: Vec<Finding>,
    /// What Kubernetes says against documents that it can read otherwise.
    disputed: Vec<Finding>,
    /// The documents that are not read as data: nothing known stands in them, or they cannot be.
    unread: Vec<usize>,
    lines: LineIndex,
}

/// One Kubernetes object: a document or an item of a `kind: List`.
#[derive(Clone, Debug)]
pub struct Object {
    /// The number of the inset that it stands in, where it does not stand in the file's own text.
    pub inset: Option<usize>,
    /// The document's number in that text, from 0.
    pub document: usize,
    /// The object's place in the document: empty, or `items[3]`.
    pub place: FieldPath,
    /// The kind and API group.
    pub kind: GroupKind,
    /// The `apiVersion`.
    pub api_version: ApiVersion,
    /// `metadata.namespace`, where it is given.
    pub namespace: Option<String>,
    /// `metadata.name`, where it is given.
    pub name: Option<String>,
    /// The data, as Kubernetes reads it; that of a CRD without its schemas, which [`Manifest::whole`] reads.
    pub value: Arc<Value>,
}

impl Object {
    fn from_value(document: usize, place: FieldPath, value: Value) -> Option<Self> {
        let text =
            |path: &[&str]| path.iter().try_fold(&value, |value, key| value.get(key))?.as_str().map(str::to_owned);
        let api_version = ApiVersion::parse(&text(&["apiVersion"])?);
        let kind = GroupKind::new(text(&["kind"])?, api_version.group.as_str());
        let namespace = text(&["metadata", "namespace"]);
        let name = text(&["metadata", "name"]).or_else(|| text(&["metadata", "generateName"]));
        Some(Self { inset: None, document, place, kind, api_version, namespace, name, value: Arc::new(value) })
    }

    /// Makes the object of a kustomization that leaves apiVersion and kind to their defaults.
    fn kustomization(document: usize, value: Value) -> Self {
        let api_version = ApiVersion::parse("kustomize.config.k8s.io/v1beta1");
        let kind = GroupKind::new("Kustomization", api_version.group.as_str());
        let (inset, place, value) = (None, FieldPath::default(), Arc::new(value));
        Self { inset, document, place, kind, api_version, namespace: None, name: None, value }
    }

    /// Returns what findings call the object: `HTTPRoute store/checkout`.
    pub fn title(&self) -> String {
        let name = self.name.as_deref().unwrap_or("(no name)");
        match &self.namespace {
            Some(namespace) => format!("{} {namespace}/{name}", self.kind.kind),
            None => format!("{} {name}", self.kind.kind),
        }
    }
}

/// Finds the API groups that a run knows in a file's bytes.
#[derive(Debug)]
pub struct Recognizer {
    /// Finds any of the texts below: most files hold none, and are passed over once. Made when it is first used.
    any: OnceLock<AhoCorasick>,
    groups: Vec<(String, Finder<'static>)>,
    kinds: BTreeSet<String>,
    /// The kinds of other groups that rules are about.
    guests: BTreeSet<GroupKind>,
    marks: Vec<Finder<'static>>,
    charts: Vec<Chart>,
    chart_marks: Vec<Finder<'static>>,
    /// The charts of files that are said to hold values.
    values: BTreeMap<String, String>,
}

impl Recognizer {
    /// Makes the recognizer of `groups`.
    pub fn new<'g>(groups: impl IntoIterator<Item = &'g str>) -> Self {
        let finder = |group: &str| (group.to_owned(), Finder::new(group.as_bytes()).into_owned());
        Self {
            any: OnceLock::new(),
            groups: groups.into_iter().map(finder).collect(),
            kinds: BTreeSet::new(),
            guests: BTreeSet::new(),
            marks: Vec::new(),
            charts: Vec::new(),
            chart_marks: Vec::new(),
            values: BTreeMap::new(),
        }
    }

    /// Adds the names of known kinds, for places that give a kind without its group.
    #[must_use]
    pub fn with_kinds<'k>(self, kinds: impl IntoIterator<Item = &'k str>) -> Self {
        Self { kinds: kinds.into_iter().map(str::to_owned).collect(), ..self }
    }

    /// Adds kinds of other groups that rules are about, for patches of them.
    #[must_use]
    pub fn with_guests<'k>(self, guests: impl IntoIterator<Item = &'k GroupKind>) -> Self {
        Self { guests: guests.into_iter().cloned().collect(), ..self }
    }

    /// Adds texts that make a file worth reading although no known API group stands in it.
    #[must_use]
    pub fn with_marks<'m>(self, marks: impl IntoIterator<Item = &'m str>) -> Self {
        let finder = |mark: &str| Finder::new(mark.as_bytes()).into_owned();
        Self { marks: marks.into_iter().map(finder).collect(), ..self }
    }

    /// Adds charts, by name, and by a key that only their values have: files of their values are worth reading.
    #[must_use]
    pub fn with_charts<'c>(self, charts: impl IntoIterator<Item = (&'c str, &'c str)>) -> Self {
        let charts: Vec<Chart> = charts.into_iter().map(|(name, key)| Chart::new(name, key)).collect();
        let texts = charts.iter().flat_map(Chart::marks);
        let chart_marks = texts.map(|text| Finder::new(text.as_bytes()).into_owned()).collect();
        Self { charts, chart_marks, ..self }
    }

    /// Adds files that hold values, each with its chart, which their text need not tell.
    #[must_use]
    pub fn with_values(self, files: &BTreeMap<String, String>) -> Self {
        Self { values: files.clone(), ..self }
    }

    /// Returns the chart whose values a file is said to hold.
    fn chart_of(&self, file: &str) -> Option<&Chart> {
        let name = self.values.get(file.strip_prefix("./").unwrap_or(file))?;
        self.charts.iter().find(|chart| chart.is_called(name))
    }

    /// Says whether a known API group, a mark or the name of a chart stands in `bytes`.
    fn meets(&self, bytes: &[u8]) -> bool {
        let any = self.any.get_or_init(|| {
            let groups = self.groups.iter().map(|(_, finder)| finder);
            let texts = groups.chain(&self.marks).chain(&self.chart_marks).map(Finder::needle);
            let builder = AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(texts);
            builder.expect("a pack's texts are few and short")
        });
        any.is_match(bytes)
    }

    /// Says whether a chart, or the key that only its values have, stands in `bytes`.
    fn names_a_chart(&self, bytes: &[u8]) -> bool {
        self.chart_marks.iter().any(|finder| finder.find(bytes).is_some())
    }

    /// Says whether there may be something to convert in `bytes`: what cannot be read of it is told.
    fn matters(&self, bytes: &[u8]) -> bool {
        self.hits(bytes) || self.names_a_chart(bytes)
    }

    /// Says whether any known API group stands in `bytes`.
    pub fn hits(&self, bytes: &[u8]) -> bool {
        self.groups.iter().any(|(_, finder)| finder.find(bytes).is_some())
    }

    /// Says whether the name of a guest's kind stands in `text`.
    fn names_a_guest(&self, text: &str) -> bool {
        self.guests.iter().any(|guest| text.contains(guest.kind.as_str()))
    }

    /// Says whether rules are about `kind`, which is of another group.
    fn is_guest(&self, kind: &GroupKind) -> bool {
        self.guests.contains(kind)
    }

    /// Says whether an object of `kind` can be a known one; without `group`, that of any group can.
    fn knows(&self, group: Option<&str>, kind: &str) -> bool {
        let known = |group: &str| self.groups.iter().any(|(name, _)| name == group);
        group.map_or_else(|| self.kinds.contains(kind), known)
    }
}

/// What became of a file.
#[derive(Debug)]
pub enum Reading {
    /// No known API group stands in it: not parsed, left alone.
    Irrelevant,
    /// It was parsed; it may still hold no object.
    Manifest(Box<Manifest>),
    /// No known API group stands in it, but it is a kustomization: it is parsed for the files that it names.
    Kustomization(Box<Manifest>),
    /// No known API group stands in it, but a mark of a pack does: what it holds may matter to known objects.
    Marked(Box<Manifest>),
    /// It is a template, not a manifest.
    Template(Finding),
    /// It could not be understood.
    Failed(Finding),
}

/// Reads the bytes of `file`.
pub fn read(file: &str, bytes: &[u8], recognizer: &Recognizer) -> Reading {
    if let Some(reading) = foreign_encoding(file, bytes, recognizer) {
        return reading;
    }
    let is_kustomization = kustomization::is_one(file);
    let is_said = recognizer.chart_of(file).is_some();
    if !is_kustomization && !is_said && !recognizer.meets(bytes) {
        return Reading::Irrelevant;
    }
    let hit = recognizer.hits(bytes);
    let matters = is_said || recognizer.matters(bytes);
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => Arc::from(text),
        Err(_) if !matters => return Reading::Irrelevant,
        Err(error) => return Reading::Failed(not_utf8(file, bytes, error.valid_up_to())),
    };
    let lines = LineIndex::new(&text);
    let template = text.contains("{{");
    let tree = match yaml::parse(&text) {
        Ok(tree) => tree,
        Err(_) if !matters => return Reading::Irrelevant,
        Err(problem) if template && problem.code != ProblemCode::Limit => {
            return Reading::Template(template_finding(file, &text, &lines, &problem));
        }
        Err(problem) => return Reading::Failed(failure(file, &text, &lines, &problem)),
    };
    let (objects, insets, patches, findings) = Default::default();
    let (disputed, unread) = Default::default();
    let (file, kustomization) = (file.to_owned(), None);
    let mut manifest =
        Manifest { file, text, tree, objects, insets, patches, kustomization, findings, disputed, unread, lines };
    match manifest.collect(recognizer) {
        Ok(()) if hit => Reading::Manifest(Box::new(manifest)),
        Ok(()) if is_kustomization => Reading::Kustomization(Box::new(manifest)),
        Ok(()) => Reading::Marked(Box::new(manifest)),
        Err(_) if !matters => Reading::Irrelevant,
        Err(problem) if template => {
            Reading::Template(template_finding(&manifest.file, &manifest.text, &manifest.lines, &problem))
        }
        Err(problem) => Reading::Failed(failure(&manifest.file, &manifest.text, &manifest.lines, &problem)),
    }
}

/// Tells UTF-16 and UTF-32, whose bytes would hide an API group from the recognizer.
fn foreign_encoding(file: &str, bytes: &[u8], recognizer: &Recognizer) -> Option<Reading> {
    let encoding = wide_encoding(bytes)?;
    let narrowed: Vec<u8> = bytes.iter().copied().filter(|byte| *byte != 0).collect();
    if !recognizer.hits(&narrowed) {
        return Some(Reading::Irrelevant);
    }
    let message = format!("the file is {encoding}, not UTF-8");
    let help = format!("save the file as UTF-8, as `iconv -f {encoding} -t UTF-8` does");
    Some(Reading::Failed(whole_file(file, Code::InvalidEncoding, message, &help)))
}

/// Returns the encoding with more than one byte for each character that a text is in, by its byte order mark or its first
/// two characters, which are ASCII in any manifest.
fn wide_encoding(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0xff, 0xfe, 0, 0, ..] | [1..=255, 0, 0, 0, ..] => Some("UTF-32LE"),
        [0, 0, 0xfe, 0xff, ..] | [0, 0, 0, 1..=255, ..] => Some("UTF-32BE"),
        [0xff, 0xfe, ..] | [1..=255, 0, 1..=255, 0, ..] => Some("UTF-16LE"),
        [0xfe, 0xff, ..] | [0, 1..=255, 0, 1..=255, ..] => Some("UTF-16BE"),
        _ => None,
    }
}

fn not_utf8(file: &str, bytes: &[u8], valid: usize) -> Finding {
    let before = String::from_utf8_lossy(&bytes[..valid]);
    let position = Some(LineIndex::new(&before).position(&before, valid));
    let message = format!("the file is not valid UTF-8 at byte {valid}");
    let help = "save the file as UTF-8, as `iconv -f WINDOWS-1252 -t UTF-8` does for most others";
    Finding {
        location: Location { file: file.to_owned(), position },
        ..whole_file(file, Code::InvalidEncoding, message, help)
    }
}

fn whole_file(file: &str, code: Code, message: String, help: &str) -> Finding {
    Finding {
        location: Location { file: file.to_owned(), position: None },
        code,
        severity: Severity::Error,
        object: None,
        field: None,
        message,
        help: Some(help.to_owned()),
    }
}

/// Tells a template by what keeps it from being read as a manifest.
fn template_finding(file: &str, text: &str, lines: &LineIndex, problem: &Problem) -> Finding {
    let message =
        "the file is a template, not a manifest, and mentions a known API or chart; it was skipped".to_owned();
    let help =
        "check its rendered output (`helm template ... | reversion check - --to ...`) and change the template by hand";
    let location = Location { file: file.to_owned(), position: Some(lines.position(text, problem.at)) };
    Finding { location, severity: Severity::Warning, ..whole_file(file, Code::Template, message, help) }
}

fn failure(file: &str, text: &str, lines: &LineIndex, problem: &Problem) -> Finding {
    let help = match problem.code {
        ProblemCode::DuplicateKey => "remove one of the two keys",
        ProblemCode::ComplexKey => "quote the key or value that was meant as text",
        ProblemCode::AliasBudget | ProblemCode::RecursiveAlias => "write the values out instead of the aliases",
        ProblemCode::Limit => "no manifest needs so much: check what wrote the file; it was not looked at any further",
        _ => "correct the file at this place; it was not looked at any further",
    };
    let position = Some(lines.position(text, problem.at));
    let location = Location { file: file.to_owned(), position };
    Finding { location, ..whole_file(file, problem_code(problem.code), problem.message.clone(), help) }
}

/// Returns the code that the user sees for a problem of the text layer.
pub const fn problem_code(code: ProblemCode) -> Code {
    match code {
        ProblemCode::ParseError => Code::ParseError,
        ProblemCode::ComplexKey => Code::ComplexKey,
        ProblemCode::DuplicateKey => Code::DuplicateKey,
        ProblemCode::AliasBudget | ProblemCode::RecursiveAlias => Code::AliasExpansion,
        ProblemCode::AnchorOrder => Code::AnchorOrder,
        ProblemCode::Limit => Code::LimitExceeded,
        ProblemCode::UnreadableValue => Code::UnsupportedValue,
        ProblemCode::VerifyFailed => Code::VerificationFailed,
        ProblemCode::Exists => Code::ConflictingFields,
        _ => Code::NotEditable,
    }
}

impl Manifest {
    /// Returns the place of `path` within `object`, for a finding; the nearest parent where the field is not there.
    pub fn locate(&self, object: &Object, path: &FieldPath) -> Location {
        self.page(object.inset).place(object.document, &object.place.join(path))
    }

    /// Returns the numbers of the documents that were read and are no object.
    pub fn spare_documents(&self) -> impl Iterator<Item = usize> {
        let own = self.objects.iter().filter(|object| object.inset.is_none());
        let taken: BTreeSet<usize> = own.map(|object| object.document).chain(self.unread.iter().copied()).collect();
        (0..self.tree.documents().len()).filter(move |number| !taken.contains(number))
    }

    /// Returns the place of `path` in the document with this number, or of its nearest parent.
    pub fn place_in(&self, document: usize, path: &FieldPath) -> Location {
        self.place(self.tree.documents()[document].root, path)
    }

    /// Returns the place of `path` below `root`, or of its nearest parent.
    fn place(&self, root: NodeId, path: &FieldPath) -> Location {
        self.location(self.tree.place(&self.text, root, path).start)
    }

    /// Returns the place of byte `offset`.
    pub fn location(&self, offset: usize) -> Location {
        Location { file: self.file.clone(), position: Some(self.lines.position(&self.text, offset)) }
    }

    /// Reads every document that holds an object. A document that cannot be read as data fails the file where it may hold
    /// an object of a known group or values of a chart, and is left alone otherwise.
    fn collect(&mut self, recognizer: &Recognizer) -> Result<(), Problem> {
        let documents = self.tree.documents().to_vec();
        let is_kustomization = kustomization::is_one(&self.file);
        // What such a file is, its name says; another one is read where something known stands in it, document by document.
        let is_whole = is_kustomization || recognizer.chart_of(&self.file).is_some();
        for (number, document) in documents.iter().enumerate() {
            self.disputed.extend(self.other_version(document.span));
            let bytes = document.span.of(&self.text).as_bytes();
            if self.tree.is_mapping(document.root) && !is_whole && !recognizer.meets(bytes) {
                self.unread.push(number);
                continue;
            }
            let hits = || recognizer.hits(document.span.of(&self.text).as_bytes());
            match self.data(document.root) {
                Ok(value) => {
                    if is_kustomization {
                        self.patches.extend(kustomization::patches(&self.file, &value));
                        self.kustomization = Some(Arc::new(Kustomization::read(&self.file, &value)));
                        self.findings.extend(kustomization::findings(self, document.root, &value, recognizer));
                    } else if json6902::is_one(&value) {
                        let place = |path: &FieldPath| self.place(document.root, path);
                        self.findings.extend(json6902::findings(&value, recognizer, &place));
                    } else if hits() {
                        self.tell_unmade(number, &value);
                        let place = |path: &FieldPath| self.place(document.root, path);
                        let mut told = configuration::findings(&value, recognizer, &place);
                        told.extend(kustomization::misnamed(&self.file, &value, &place));
                        self.findings.extend(told);
                    }
                    if is_bare(&value) && !is_kustomization {
                        let charts = recognizer.charts.iter();
                        let made: Vec<Object> = match recognizer.chart_of(&self.file) {
                            Some(chart) => vec![chart.object(number, FieldPath::default(), &value)],
                            None => charts.flat_map(|chart| chart.objects(&self.file, number, &value)).collect(),
                        };
                        self.objects.extend(made);
                    }
                    let patches = inline::patches(&self.file, &value, recognizer);
                    // Kustomize sets what it does not say.
                    if json6902::is_one(&value) {
                        self.objects.push(json6902::object(number, value));
                    } else if is_kustomization && ["apiVersion", "kind"].iter().any(|key| value.get(key).is_none()) {
                        self.objects.push(Object::kustomization(number, value));
                    } else {
                        take(number, FieldPath::default(), value, &mut self.objects);
                    }
                    patches.iter().for_each(|patch| self.take_patch(number, document.root, patch, recognizer));
                }
                Err(_)
                    if recognizer.chart_of(&self.file).is_none()
                        && !recognizer.matters(document.span.of(&self.text).as_bytes()) =>
                {
                    self.unread.push(number);
                }
                Err(problem) => return Err(problem),
            }
        }
        Ok(())
    }

    /// Returns how many objects the file holds, those of documents that were not read included.
    pub fn seen_objects(&self) -> usize {
        let unread = self.unread.iter().map(|document| self.tree.documents()[*document].root);
        self.objects.len() + unread.map(|root| self.count(root)).sum::<usize>()
    }

    /// Counts the objects of a document by what stands in it.
    fn count(&self, root: NodeId) -> usize {
        let text = |key: &str| self.tree.text_at(&self.text, root, key);
        match (text("apiVersion"), text("kind")) {
            (Some(_), Some(kind)) if kind.ends_with("List") => {
                self.tree.items_at(&self.text, root, "items").unwrap_or(1)
            }
            (Some(_), Some(_)) => 1,
            _ => 0,
        }
    }

    /// Returns what Kubernetes cannot read in documents that hold no object of a known group, or says against all that is in
    /// them: worth telling where the file changes.
    pub fn disputed(&self) -> Vec<Finding> {
        let roots = self.unread.iter().map(|document| self.tree.documents()[*document].root);
        let problems = roots.filter_map(|root| self.tree.value(&self.text, root).err());
        let told = problems.map(|problem| failure(&self.file, &self.text, &self.lines, &problem));
        self.disputed.iter().cloned().chain(told.map(|told| Finding { severity: Severity::Warning, ..told })).collect()
    }

    /// Reads a document. The schemas of a CRD are most of what is in it, and nothing but [`Manifest::whole`] looks into them.
    fn data(&self, root: NodeId) -> Result<Value, Problem> {
        match self.tree.text_at(&self.text, root, "kind").as_deref() {
            Some("CustomResourceDefinition") => self.tree.value_without(&self.text, root, "openAPIV3Schema"),
            _ => self.tree.value(&self.text, root),
        }
    }

    /// Returns an object's data with everything that is in it.
    ///
    /// # Errors
    /// That of the schemas of a CRD that cannot be read as data.
    pub fn whole(&self, object: &Object) -> Result<Arc<Value>, Box<Finding>> {
        if object.kind.kind != "CustomResourceDefinition" || !object.place.steps().is_empty() {
            return Ok(Arc::clone(&object.value));
        }
        let read = self.tree.value(&self.text, self.tree.documents()[object.document].root);
        read.map(Arc::new).map_err(|problem| Box::new(failure(&self.file, &self.text, &self.lines, &problem)))
    }

    /// Tells of a `%YAML` line that says another version than the one which Kubernetes reads.
    fn other_version(&self, document: Span) -> Option<Finding> {
        let mut at = document.start;
        for line in document.of(&self.text).split_inclusive('\n') {
            let content = line.trim_start_matches('\u{feff}');
            if !content.starts_with(['%', '#']) && !content.trim().is_empty() {
                return None;
            }
            if content.starts_with("%YAML ") && content.split_whitespace().nth(1) != Some("1.1") {
                let message = "Kubernetes refuses a document that says another version of YAML than 1.1".to_owned();
                let location = self.location(at + line.len() - content.len());
                let told = whole_file(&self.file, Code::ParseError, message, "remove the line");
                return Some(Finding { location, severity: Severity::Warning, ..told });
            }
            at += line.len();
        }
        None
    }

    /// Tells a known API group in what looks like an object and is none.
    fn tell_unmade(&mut self, document: usize, value: &Value) {
        let half =
            |value: &Value| value.is_object() && (value.get("apiVersion").is_some() != value.get("kind").is_some());
        let unmade = match value {
            Value::Array(items) => items
                .iter()
                .any(|item| item.get("apiVersion").is_some())
                .then_some("a bare list holds objects; put them into a `kind: List`"),
            Value::Object(map)
                if ["apiVersion", "kind"].iter().all(|key| map.get(*key).is_some_and(Value::is_string)) =>
            {
                let items = map.get("items").and_then(Value::as_array).into_iter().flatten();
                let typed =
                    is_list(value) && map["kind"] != "List" && items.clone().any(|item| item.get("kind").is_none());
                typed.then_some("the items of a typed list give no apiVersion and kind; write it as `kind: List` with both in each item")
            }
            Value::Object(map) if map.contains_key("apiVersion") && map.contains_key("kind") || half(value) => {
                Some("an object has both apiVersion and kind, as text")
            }
            Value::String(_) => Some("the document is one text, not an object"),
            _ => None,
        };
        if let Some(help) = unmade {
            let start = self.tree.place(&self.text, self.tree.documents()[document].root, &FieldPath::default()).start;
            let message =
                "a known API is mentioned, but no object can be made out; nothing is converted here".to_owned();
            let finding = whole_file(&self.file, Code::NotAnObject, message, help);
            self.findings.push(Finding { location: self.location(start), severity: Severity::Warning, ..finding });
        }
    }
}

/// Collects the objects in a document or in an item of a list.
fn take(document: usize, place: FieldPath, mut value: Value, objects: &mut Vec<Object>) {
    let items = value.get_mut("items").and_then(Value::as_array_mut).map(std::mem::take);
    match items {
        Some(items) if is_list(&value) => {
            for (index, item) in items.into_iter().enumerate() {
                take(document, place.key("items").index(index), item, objects);
            }
        }
        items => {
            if let (Some(items), Some(map)) = (items, value.as_object_mut()) {
                map["items"] = Value::from(items);
            }
            objects.extend(Object::from_value(document, place, value));
        }
    }
}

/// Says whether a mapping gives neither apiVersion nor kind.
fn is_bare(value: &Value) -> bool {
    value.is_object() && value.get("apiVersion").is_none() && value.get("kind").is_none()
}

/// Says whether a value is a list of objects: `kind: List`, or a typed one such as `kind: HTTPRouteList`.
fn is_list(value: &Value) -> bool {
    value.get("kind").and_then(Value::as_str).is_some_and(|kind| kind.ends_with("List"))
}
