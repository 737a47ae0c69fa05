//! Answers: what is told to the user, under which code, about which place?
//!
//! A [`Finding`] is a value, made wherever something is noticed and rendered by `report`. Its [`Code`] never changes
//! meaning; `reversion explain CODE` prints [`Code::description`]. Its [`Severity`] says what it does to the run.
//!
//! Invariant: every code is in [`Code::ALL`], has a unique name and a description.

use std::fmt;

use crate::text::Position;

/// What a finding does to the run, from least to most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing; nothing to do.
    Note,
    /// Likely wrong, but the conversion goes on.
    Warning,
    /// The object keeps its bytes: exit code 1.
    Held,
    /// The file could not be understood or written: exit code 2.
    Error,
}

impl Severity {
    /// Returns the word that reports print.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Held => "held-back",
            Self::Error => "error",
        }
    }
}

/// Makes the list of codes: variant, name, description.
macro_rules! codes {
    ($($variant:ident $name:literal $description:literal;)*) => {
        /// The stable name of a kind of finding.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $(#[doc = $description] $variant,)*
        }

        impl Code {
            /// Every code, sorted by name.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// Returns the kebab-case name that never changes.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Says what the code means and what to do about it.
            pub const fn description(self) -> &'static str {
                match self { $(Self::$variant => $description,)* }
            }
        }
    };
}

codes! {
    Advisory "advisory" "The conversion crosses a release that changed something outside the objects, or something that no field shows, or that has another object say what this one says; or the object has a known mistake, which `--repair` mends. Read it, and do by hand what it says. A note where every object that it is about is at the target already; objects that are held back do not call for one.";
    AliasExpansion "alias-expansion" "The document's aliases expand to more values than can be held. The file is left alone; write the values out.";
    AlreadyInvalid "already-invalid" "The object breaks the schema's rules before and after the conversion alike, which is told and not mended: a note in a part of an object or a value with variables, a warning else. With --crds such an object is held back as invalid-in-target.";
    AnchorOrder "anchor-order" "The change would move an alias in front of its anchor. The object is held back; replace the alias by its value first.";
    ApiVersionMismatch "api-version-mismatch" "No release that serves the object's apiVersion has its fields. The fields decide; the apiVersion is corrected by a conversion.";
    Binary "binary" "The file holds NUL bytes and is no text. It is skipped and counted.";
    CommentDropped "comment-dropped" "A comment stood on a field that the target release does not have; it goes with the field.";
    ComplexKey "complex-key" "A mapping has a key that is not text (often an unquoted `{{ }}` template). Kubernetes does not read it; quote the value.";
    ConflictingFields "conflicting-fields" "The object holds fields that no single release has, such as the old and the new spelling of one field. Nothing is guessed: remove one of the two.";
    ConvertsTogether "converts-together" "The object's conversion is right only together with that of another object, which is held back, or which it patches or is patched by: they would get different apiVersions, or build together something else than the conversion of what they build now. Settle what is told about that one first, or convert both by hand. A note where the two keep an apiVersion that the target serves.";
    DanglingReference "dangling-reference" "A reference names a kind that the target release and channel do not have, or an object that is in another namespace in the files. It stays; name something else, or take it out.";
    DroppedField "dropped-field" "The target release has no place for a field of the object. Held back unless this loss is allowed.";
    DuplicateKey "duplicate-key" "A key stands twice in one mapping; readers disagree on which one counts. Remove one of the two.";
    Encrypted "encrypted" "SOPS encrypted the file, and its checksum is over the values that would change. Held back; decrypt it, convert, and encrypt it again.";
    InlinePatch "inline-patch" "A kustomization, or what runs one, patches a known object by a text that is not converted: no literal block, or one with an anchor, which is held back; or one in which no object can be made out. Write a literal block, move it to a file, or change it by hand.";
    InterruptedRun "interrupted-run" "A run was stopped half-way, and the tree holds old files and new ones. `reversion undo` takes it back, `reversion apply --resume` finishes it. Told too where another user's journal cannot be read.";
    InvalidEncoding "invalid-encoding" "The file is no text in UTF-8. It is counted as failed: convert its encoding first.";
    InvalidInTarget "invalid-in-target" "The converted object breaks a rule of the target release's schema. Held back; change the value by hand.";
    InvalidStash "invalid-stash" "The annotation reversion.dev/stash holds something that is no stash of this program. Nothing of it is used and it stays; restore its text or remove it.";
    IoError "io-error" "The operating system refused to read or write the file. The message says why.";
    KindNotInTarget "kind-not-in-target" "The target release and channel do not have this kind. Held back; choose another target or remove the object.";
    LimitExceeded "limit-exceeded" "The text is larger, deeper or longer than is read (README, Limits), or has something that is not edited, such as lines that end in a lone carriage return. It is left alone.";
    MixedCrds "mixed-crds" "The CRDs in the tree are of several releases or channels of one API, so they name no target. Install a full bundle.";
    NameConflict "name-conflict" "The converted object would have the kind, namespace and name of another object of the run. Both stay as they are; rename one.";
    Normalized "normalized" "Something is written in another way that means the same, and the way back writes it in yet another one. Nothing to do.";
    NotAnObject "not-an-object" "A known API group is mentioned where no object can be made out: without apiVersion or kind, in a bare list, or in a typed list. It is left alone.";
    NotConvertible "not-convertible" "The rule says that this shape has no conversion. The help says what to do by hand.";
    NotEditable "not-editable" "The text cannot be edited at this place without touching something else (shared anchor, alias, merge key, moved flow text). Held back; write the value out.";
    ParseError "parse-error" "The file is not valid YAML or JSON. It is counted as failed: correct it at the place named.";
    PatchTarget "patch-target" "A kustomization or a JSON patch names fields of known objects by their paths, patches fields that change under another kind, or selects objects by a kind or version that some of them leave, which is not changed. Check them by hand.";
    PinnedVersion "pinned-version" "A chart's version or an image's tag names another release than the target. It is not edited, since it decides what is installed: write the target's release there when the files are applied.";
    ReferenceNotUpdated "reference-not-updated" "A reference stays as it is because its object, or the one that it names, is held back: convert both by hand. Or what gets another name is named in a way that is not followed: name the new one there by hand.";
    Restored "restored" "A value that an earlier conversion lost came back from the stash, because the target release has a place for it.";
    StaleStash "stale-stash" "The stash keeps a value whose surroundings were edited since, so it is not put back and the edit stays. Put it back by hand from the annotation, or remove the annotation.";
    Template "template" "The file is a template, not a manifest, and mentions an API that a pack knows. It is skipped and counted: convert its rendered output or its source by hand.";
    TooManyItems "too-many-items" "A list has more items than the target release can hold. Held back unless this loss is allowed; better, split the object by hand.";
    UncheckedRule "unchecked-rule" "A CEL rule of a CRD given with --crds uses something that cannot be evaluated here. The API server will check it.";
    UnknownApiVersion "unknown-api-version" "No release ever served this apiVersion for this kind. The fields decide.";
    UnknownField "unknown-field" "No release has this field. It is passed through untouched; check its spelling.";
    UnknownKind "unknown-kind" "The API group is known but this kind is in no release of it. The object is left alone.";
    UnsupportedValue "unsupported-value" "A value is one that Kubernetes cannot read (such as .inf or binary data). The object is left alone.";
    ValuesNotConverted "values-not-converted" "Values of a known chart are said as text, in files that nothing tells for values, or for a chart that another object brings. They are not converted: write them where they are read (README), or convert them by hand.";
    VerificationFailed "verification-failed" "The edited text does not read back as the converted data. The file is left alone; please report it with the object.";
}

impl Code {
    /// Finds a code by its name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.name() == name)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    /// The file as the user named it, or `-` for standard input.
    pub file: String,
    /// Line and column, where the finding is about a part of the file.
    pub position: Option<Position>,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.position {
            Some(position) => write!(f, "{}:{}:{}", self.file, position.line, position.column),
            None => f.write_str(&self.file),
        }
    }
}

/// One thing told to the user.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// Where; first, so that findings sort by place.
    pub location: Location,
    /// Which kind of finding.
    pub code: Code,
    /// What it does to the run.
    pub severity: Severity,
    /// The object, as `HTTPRoute store/checkout`, where there is one.
    pub object: Option<String>,
    /// The field, where there is one.
    pub field: Option<String>,
    /// One sentence, lower case, no final dot.
    pub message: String,
    /// What to do next.
    pub help: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_sorted_unique_and_described() {
        let names: Vec<_> = Code::ALL.iter().map(|code| code.name()).collect();
        let mut sorted = names.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(names, sorted);
        assert!(names.iter().all(|name| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')));
        assert!(Code::ALL.iter().all(|code| code.description().len() > 40));
    }
}
