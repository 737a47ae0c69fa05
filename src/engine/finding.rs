//! Answers: what is reported to the user, under which code, about which place?
//!
//! A [`Finding`] is a value, made wherever something is noticed and rendered by `report`. Its [`Code`] never changes
//! meaning; `reversion explain CODE` prints [`Code::description`]. Its [`Severity`] is its effect on the run.
//!
//! Invariant: every code is in [`Code::ALL`], has a unique name and a description.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::syntax::text::Position;

/// What a finding does to the run, from least to most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; nothing to do.
    Note,
    /// Likely a mistake, but the conversion continues.
    Warning,
    /// What the target does not serve or what is not converted stays as it is, and can break or change what is applied: exit code 1.
    Unresolved,
    /// The object keeps its bytes: exit code 1.
    #[serde(rename = "held-back")]
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
            Self::Unresolved => "unresolved",
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

            /// Returns what the code means and what to do about it.
            pub const fn description(self) -> &'static str {
                match self { $(Self::$variant => $description,)* }
            }
        }
    };
}

codes! {
    Advisory "advisory" "The conversion crosses a release that changed something that the objects do not show, such as behavior, defaults or the place of a setting, or the object has a known mistake, which `--repair` corrects. Read the message and do what it says by hand. The severity is note if the object, or every one of them where the cluster or a release is concerned, is at the target already and nothing (`--from`, a chart, an image) shows that it comes from before the change, if a rollback is concerned and the object does not need a release that is newer than the target, or if something only became possible. Objects that are held back cause none. Once `apply` has converted the objects, later runs report it as a note, which `--verbose` prints, or not at all: nothing shows then what the objects were written for.";
    AliasExpansion "alias-expansion" "The aliases of the document expand to more values than the limit allows. The file is left unchanged; replace the aliases with their values.";
    AlreadyInvalid "already-invalid" "The object violates the schema before and after the conversion alike. The violation is reported and not repaired: a note for a part of an object, a value with variables, or an object of which it is not known what Kustomize builds, a warning otherwise. With --crds such an object is held back as invalid-in-target.";
    AnchorOrder "anchor-order" "The change would move an alias in front of its anchor. The object is held back; replace the alias with its value first.";
    ApiVersionMismatch "api-version-mismatch" "No release that serves the object's apiVersion has the object's fields. The fields decide; a conversion corrects the apiVersion.";
    Binary "binary" "The file contains NUL bytes and is not text. It is skipped and counted.";
    ChangedDefault "changed-default" "The object does not set a field whose default differs between the release that it comes from and the target. With `--set PACK.NAME=freeze` the old default is written, so that the meaning stays; with `--set PACK.NAME=adopt` nothing is written, and the object means something else in the target. Each pack has one of the two as its own choice. `reversion releases PACK` lists the parameters.";
    ChangesNeeded "changes-needed" "The object is not at the target yet. `apply` converts it, unless a comment or `reversion.toml` ignores this code there: then the object is left as it is. `diff` shows how.";
    Chart "chart" "What becomes of the objects that the templates of a chart print, in one line. Nothing is to be done about those whose apiVersion an action prints as the cluster wants it. Or the charts that it brings, which are left as they are; those in archives are not read, which is a warning: check what they print. Or the files beside a Chart.yaml that are made and removed with its conversion.";
    ChartTooOld "chart-too-old" "The values of a chart have, or would get, a value that a chart before the named release ignores, with damage, as the message says: `crds.enabled` of cert-manager, without which the chart removes its CRDs with every object of them. The version of the chart beside the values, or else the release that the charts and images of the run name, is older or cannot be told. Set the version of the chart first: until then the conversion does not write the value.";
    CommentDropped "comment-dropped" "A comment belongs to a field that the target release does not have. The comment is removed with the field.";
    ComplexKey "complex-key" "A mapping has a key that is not a string, often because of an unquoted `{{ }}` template. Kubernetes cannot read it; quote the value.";
    ConflictingFields "conflicting-fields" "The object has fields that no single release has together, such as the old and the new name of one field. Nothing is guessed: remove one of the two.";
    ConvertedBySchema "converted-by-schema" "A webhook of the CRD converts objects between the two apiVersions, and no pack knows what it does. The object has only fields that both schemas describe alike, so it gets the new apiVersion and nothing else changes: by schema, not by conversion code.";
    ConvertsTogether "converts-together" "The object can only be converted together with another object, which is held back, or which it patches or is patched by: otherwise the two would get different apiVersions, or their merged result would differ from the conversion of the present one. Resolve the finding of the other object first, or convert both by hand. Severity note if both keep an apiVersion that the target serves. Also reported if the other object may be in a file that could not be read, or is in one that is not listed with --files-from; then a warning if nothing is written.";
    CrdAdded "crd-added" "The new CRDs define a kind that the old ones do not. The check is one of `crd check`, as all whose code begins with `crd-` except crd-not-serving; the policy decides about its severity.";
    CrdAlike "crd-alike" "A change breaks objects, and no field shows the rules of the pack that `--pack` names whether an object is from before it: what it has, it can have on both sides. Give what changes another name, or convert with `--from`.";
    CrdApiApproved "crd-api-approved" "A CRD of a group under k8s.io or kubernetes.io lacks the annotation api-approved.kubernetes.io, or its value is neither the URL of the approval nor starts with `unapproved`; the API server refuses it.";
    CrdBool "crd-bool" "A new field is a boolean: a third state cannot be added later. A list of named values can grow.";
    CrdBound "crd-bound" "A limit of a schema changed: minimum, maximum, their exclusive forms, multipleOf, or the least or most characters, items or keys.";
    CrdBump "crd-bump" "The changes need a larger step of the version than the names of the two releases claim, as the policy has it. Release them under a larger version, or take back what needs one.";
    CrdBundle "crd-bundle" "An annotation of a CRD that names its bundle or channel is missing, malformed, another one than those of the other CRDs, or not the name of the folder.";
    CrdChannel "crd-channel" "The stable channel has a kind, a version or a field that the experimental channel of the bundle lacks, or describes it otherwise.";
    CrdCombination "crd-combination" "`oneOf`, `anyOf`, `allOf` or `not` of a schema changed. One alternative more in `anyOf`, or one schema less in `allOf`, is loosened; what cannot be compared is taken for tightened.";
    CrdConditions "crd-conditions" "A list of conditions is not a map by `type`: controllers overwrite each other's conditions.";
    CrdConversion "crd-conversion" "What converts objects between the versions of a CRD changed: a webhook came, or went.";
    CrdDefault "crd-default" "The default of a field was added, changed or removed: objects without the field mean something else.";
    CrdDeprecated "crd-deprecated" "A version of a CRD is called deprecated now, or is not any more.";
    CrdDeprecation "crd-deprecation" "A version of a CRD went, or is not served any more, before it was called deprecated in as many releases as the policy wants. `--history` names the releases before the old one; without enough of them, only what is certain is reported.";
    CrdDescription "crd-description" "A description, title or example of a schema changed.";
    CrdEmbeddedResource "crd-embedded-resource" "A field is, or is no longer, a whole object with apiVersion, kind and metadata.";
    CrdEnum "crd-enum" "The values that a field can have changed. A value less breaks objects; a value more breaks clients that do not expect it.";
    CrdExperimentalFirst "crd-experimental-first" "The stable channel has a kind, a version or a field that no experimental release of `--history` had.";
    CrdFieldAdded "crd-field-added" "A version of a CRD has a field, an item or an entry that it did not have.";
    CrdFieldDeprecation "crd-field-deprecation" "A field of a CRD went before its description called it deprecated in as many releases as the policy wants. `--history` names the releases before the old one; without enough of them, only what is certain is reported.";
    CrdFieldRemoved "crd-field-removed" "A version of a CRD lost a field: the API server drops it from objects without a word, unless the CRD keeps fields that have no schema.";
    CrdFieldRenamed "crd-field-renamed" "A version of a CRD lost a field, and has another one beside it with the same schema: it seems renamed. Objects lose the value of the old name.";
    CrdFirstVersion "crd-first-version" "A new kind does not begin with an alpha version, or a version that follows is a beta.";
    CrdFloat "crd-float" "A new field is a floating-point number, which programs round differently. Use an integer of a smaller unit, or a quantity.";
    CrdFormat "crd-format" "The format of a field changed, such as `int32` or `date-time`. One that the API server does not check is documentation.";
    CrdInvalid "crd-invalid" "The API server refuses the CRD: its names, versions, conversion, columns or subresources are not as they must be, a schema is not structural, a pattern or a CEL rule cannot be read, or a default does not fit its own schema. It is an error under every policy that does not say otherwise, in unstable versions too, and is reported even where the old CRD has it already.";
    CrdKeyword "crd-keyword" "A keyword of a schema changed that no check knows. Compare it by hand.";
    CrdListType "crd-list-type" "How server-side apply and patches merge a list or mapping changed: its list type, map keys, map type, merge key or patch strategy.";
    CrdListWithoutType "crd-list-without-type" "A new list has no `x-kubernetes-list-type`: server-side apply replaces it whole.";
    CrdMap "crd-map" "A new field is a map with free keys. A list of objects with a name can be extended and validated.";
    CrdNameReused "crd-name-reused" "A new field has a name that an earlier release, as `--history` names them, had for a value of another type. Objects and clients from then misunderstand it; take another name.";
    CrdNames "crd-names" "A name of a kind changed or went: kind, plural, singular, list kind, a short name or a category.";
    CrdNoStatus "crd-no-status" "A version has a field status and no subresource status: whoever may write the object may write its status.";
    CrdNotServing "crd-not-serving" "A CRD of the run does not serve the apiVersion that objects of the run have, or get: once it is applied, the API server rejects them. Of several CRDs of a kind, those count that share most folders with the object; each CRD is reported once for each version that it lacks. Objects that are held back do not count, nor do kinds of which the target says nothing, or is made of CRDs (`crds@NAME`): for these an object is held back where it is not served. Put the CRDs of the target into the tree, at the latest in the same commit.";
    CrdNullable "crd-nullable" "A field accepts null now, or does no longer.";
    CrdOneWay "crd-one-way" "A change breaks objects, and the rules of the pack that `--pack` names convert it in one direction only: a value is lost, or objects are held back. Keep the value somewhere in the new form, or waive the finding with the reason.";
    CrdPattern "crd-pattern" "The pattern of a text changed. Where two patterns differ otherwise than in the words that they list, the new one is taken for tighter.";
    CrdPrinterColumn "crd-printer-column" "A column that kubectl prints was added, changed or removed, or is shown with `-o wide` only. Scripts read them.";
    CrdPruned "crd-pruned" "The root of the schema of a version does not have `x-kubernetes-preserve-unknown-fields: true`, and no webhook converts: fields that another version stored are dropped when an object is written in this one.";
    CrdRemoved "crd-removed" "The new CRDs lack a kind that the old ones define: its objects are deleted with the CRD.";
    CrdRequired "crd-required" "A field without default is required now, or is optional now; or one that the schema does not name.";
    CrdRoundTrip "crd-round-trip" "A served version of a CRD has a field that the storage version lacks, or the other way around, and nothing converts: the value is lost when an object is written in one of the two. Or the two give it different types or defaults, or only one keeps fields that no schema names. The same holds of a version that is not served any more, whose objects are read in the storage version. What the old CRD had already is not reported.";
    CrdRule "crd-rule" "A CEL rule was added, changed or removed. It is loosened where the old rules imply it: it has an old one as an alternative, or lacks a part that had to hold too, lists more values, or compares with a number that leaves more; else it is tightened.";
    CrdRuleCost "crd-rule-cost" "The API server estimates what a CEL rule costs at most, and refuses the CRD: the rule, for all the values of one object that have it, or all rules of a version together, are too much. Limit what it reads by `maxItems`, `maxProperties` and `maxLength`, or simplify it.";
    CrdScope "crd-scope" "The scope of a CRD changed between Namespaced and Cluster. The API server refuses that.";
    CrdSelectableField "crd-selectable-field" "A field by which objects can be selected was added or removed.";
    CrdServed "crd-served" "A version of a CRD is not served any more, or is served again.";
    CrdStorage "crd-storage" "Objects are stored in another version now. If the old CRD did not serve it, the release before cannot read what is stored, and there is no way back.";
    CrdStorageEarly "crd-storage-early" "Objects are stored in a version while an older one is still served: clients of the older one, and a rollback, depend on the conversion.";
    CrdStoredVersion "crd-stored-version" "`status.storedVersions` names a version that the new CRD does not list, or a release before stored objects in it: the API server refuses the CRD until objects are migrated.";
    CrdSubresource "crd-subresource" "A subresource of a version, status or scale, was added, changed or removed.";
    CrdType "crd-type" "The type of a field changed. A wider type accepts every old object, and still breaks clients that read it as the old one.";
    CrdUint "crd-uint" "A new field is an unsigned integer: not every client can read it. Use a signed one with a minimum.";
    CrdUnclaimed "crd-unclaimed" "A change breaks objects, and no rule of the pack that `--pack` names covers the field or kind, nor a reason for dropping it. Write a rule, or list it under `dropped` in pack.yaml.";
    CrdUndeprecated "crd-undeprecated" "A version of a CRD is new, and an older one beside it is not called deprecated.";
    CrdUniqueItems "crd-unique-items" "The items of a list must differ now, or need not any more.";
    CrdUnknownFields "crd-unknown-fields" "A schema, or the whole CRD, keeps fields that no schema names now, or drops them now.";
    CrdUnservedRemoved "crd-unserved-removed" "A CRD does not list a version any more that it neither served nor stored. Where a release before stored objects in it, `crd-stored-version` is reported.";
    CrdVersionAdded "crd-version-added" "A CRD lists a version that it did not have.";
    CrdVersionCount "crd-version-count" "A CRD serves more than two versions. Stop serving the oldest one in the next release.";
    CrdVersionRemoved "crd-version-removed" "A CRD does not list a version any more: manifests and clients that name it fail. Where `--history` shows that it was deprecated for as long as the policy asks, it is acknowledged.";
    CrdWebhook "crd-webhook" "A webhook converts objects between the versions of a CRD. The policy wants versions that differ in nothing but their name, or rules that convert manifests.";
    DanglingReference "dangling-reference" "A reference names a kind that the target release and channel do not have, or an object that is in another namespace in the files. The reference is left unchanged; name another object, or remove the reference.";
    DataFile "data-file" "A generator of a kustomization names the file as data of a ConfigMap or Secret. A file that nothing else builds is not converted, since that would change the data and the hash in the name; one that is built too is converted, and so are the values of a chart.";
    Declined "declined" "You answered `apply --interactive` that the object should stay as it is. Run again to be asked again.";
    DroppedField "dropped-field" "The target release has no equivalent of a field of the object. The object is held back unless this loss is allowed.";
    DuplicateKey "duplicate-key" "A mapping has the same key twice, and parsers disagree on which one counts. Remove one of the two.";
    Encrypted "encrypted" "The file is encrypted with SOPS, and its checksum covers the values that would change. The object is held back; decrypt the file, convert it and encrypt it again.";
    IgnoredPath "ignored-path" "A `.reversionignore` names the file or folder: nothing in it is read. The summary counts such paths. `--no-ignore` reads them.";
    InlinePatch "inline-patch" "A kustomization, or an object that runs Kustomize, patches a known object inline, and the patch is not converted: it is neither a literal block nor on one line, or has an anchor (the object is held back), or it contains no object. Write the patch as a literal block, move it to a file, or change it by hand.";
    InterruptedRun "interrupted-run" "An earlier run was interrupted, and the tree contains both old and new files. An apply is rolled back with `reversion undo` and finished with `reversion apply --resume`; an undo is finished with `reversion undo` and reverted with `reversion apply --resume`. Also reported if the journal of another user cannot be read.";
    InvalidEncoding "invalid-encoding" "The file is not valid UTF-8 text. It is counted as failed; convert its encoding first.";
    InvalidIgnore "invalid-ignore" "A comment `reversion: ignore` is misspelled, names no code in brackets, or something that is neither a finding code nor a rule. It acknowledges nothing; an object that would change is held back, since the comment may be meant to leave it as it is. Write `# reversion: ignore[CODE] reason`.";
    InvalidInTarget "invalid-in-target" "The converted object, or an object that Kustomize builds of it, violates the schema of the target release. It is held back; change the value by hand.";
    InvalidStash "invalid-stash" "The annotation reversion.dev/stash does not contain a stash of this program. It is not used and left unchanged; restore its text or remove the annotation.";
    IoError "io-error" "The operating system refused to read or write the file. The message gives the reason.";
    KindNotInTarget "kind-not-in-target" "The target release and channel do not have this kind. The object is held back; choose another target, or remove the object. Where CRDs have the kind in another group, `--move OLD=NEW` accepts that it moved there.";
    KubeVersion "kube-version" "The `kubeVersion` of a chart of the run excludes the release of Kubernetes that is the target: Helm refuses to install the chart there. Change it in Chart.yaml once the chart works on the target.";
    LessStableVersion "less-stable-version" "The target serves a more stable apiVersion, whose schema rejects the object as it is, or describes it differently where no rule converts it, or a condition of its template names the apiVersion that it has. The object gets the most stable apiVersion that accepts it, or stays as it is; change the field in the message, or the condition, to get the other one. A warning if the target has deprecated the apiVersion that the object gets, or if the object is written with the other one, a note otherwise.";
    LimitExceeded "limit-exceeded" "The text is larger, deeper or longer than the limits allow (see Limits in the documentation), or contains something that cannot be edited, such as lines that end in a lone carriage return. It is left unchanged.";
    MixedCrds "mixed-crds" "The CRDs in the tree come from several releases or channels of one API, so they do not determine a target. Install a complete bundle.";
    NameConflict "name-conflict" "The converted object, or one that a part of it becomes, would have the same kind, namespace and name as another object of the run, as the files or a build of Kustomize have them. It is left unchanged; rename one of them.";
    Normalized "normalized" "A value is written in another form with the same meaning, or removed where its absence means the same, and converting back does not write it as it was. Nothing to do.";
    NotAnObject "not-an-object" "The file mentions a known API group but does not contain an object there: apiVersion or kind is missing, or the objects are in a bare or a typed list, or inside other data, such as test data or the values of a chart. Or an object has an apiVersion with a variable, whose default names that group. It is left unchanged.";
    NotApplied "not-applied" "No kustomization of the run names the file, which is in a folder of a kustomization or below it, and the object lacks what every release requires, or it is a workload without containers: it looks like a patch that is not used. It is converted as one, or left unchanged where that cannot be done.";
    NotConvertible "not-convertible" "The rule states that this shape cannot be converted. The help says what to do by hand.";
    NotEditable "not-editable" "The text cannot be edited here without changing something else (a shared anchor, an alias, a merge key or moved flow text). The object is held back; write the value out.";
    NotInRun "not-in-run" "A kustomization names something that needs changes and is not among the files of the run: it is hidden, ignored or excluded, has another extension, or is outside of the paths of the call. It is read and not written, and what depends on it is held back. Pass it as a path of the run too, or convert it by hand.";
    ObjectSplit "object-split" "A part of an object becomes an object of its own, since the target has it in a kind of its own: it is written behind the object, in the same file. Or, on the way back, an object becomes a part of the other one of its name, and is removed.";
    OutdatedVersion "outdated-version" "The CRD does not serve the object's apiVersion any more, or calls it deprecated. `detect` reports it; `check` and `diff` show whether the object can get another one.";
    ParseError "parse-error" "The file is not valid YAML or JSON. It is counted as failed; fix it at the given position.";
    PatchTarget "patch-target" "A patch, replacement, variable, configuration or transformer of Kustomize names fields of known objects by path, or selects objects by group, version or kind, and cannot follow what becomes of them: what it is applied to is held back too. Or it is applied to no object of the run, and a rule moves a field that it names: then the new path is reported; or a rule about objects of other projects converts or refuses what it writes. Change it by hand, with its objects.";
    PinnedVersion "pinned-version" "The version of a chart, the tag of an image or a mark of the manifests that install a project, such as `# Flux version:`, names another release than the target. It is not edited because it decides what is installed; set it to the target's release when you apply the files. It is a note where the release is the target's but does not show where objects come from, and where the file is to be replaced as a whole, which is said once (`crd-not-serving`, or the mark).";
    ReferenceNotUpdated "reference-not-updated" "A reference is left unchanged because its object, or the object that it names, is held back: convert both by hand. Or a renamed object is referenced in a way that is not supported: write the new name there by hand. Or a key that rules rename among annotations is written where nothing tells which objects get it (`commonAnnotations`, values of charts): rename it by hand. Or a comment for editors names the schema of the old version by a URL in a form that no pack knows (note). Or a list of one kind, such as an HTTPRouteList, has an apiVersion or a kind that the target does not have.";
    Restored "restored" "A value that an earlier conversion lost was restored from the stash, because the target release has a field for it.";
    SchemaDiffers "schema-differs" "No pack knows how the object becomes one of the new apiVersion, and the schemas of the two do not describe a field of it alike; or a field that it lacks has another default. The object is held back; convert it by hand, as the message says.";
    StaleStash "stale-stash" "The stash keeps a value whose surrounding fields were edited since. The value is not restored and the edit is kept. Copy it from the annotation by hand, or remove the annotation.";
    Template "template" "The file is a template, not a manifest, and mentions an API that a pack knows. It is not one of a chart, or what it prints cannot be read. It is skipped and counted; convert its rendered output, or its source by hand.";
    TemplateAction "template-action" "An action of a chart's template stands in what must change of the object, or decides what must change, or prints what must change where the users of the chart set nothing. The object is left as it is: convert it by hand. A value that users must set, and with some of which the target refuses the object, is unresolved: set a default in values.yaml. An apiVersion that an action prints is what it is by default: a note where that is current, else unresolved.";
    TemplateBranch "template-branch" "No reading of a chart's template prints this part of it. A condition that does not hold for the target is a note: nothing is to be done. Where its conditions contradict each other, or there are too many, it is left as it is: convert it by hand.";
    TooManyItems "too-many-items" "A list has more items than the target release allows. The object is held back unless this loss is allowed; splitting the object by hand avoids the loss.";
    UncheckedRule "unchecked-rule" "A CEL rule or a keyword of a CRD, such as multipleOf, or a text with variables, such as `${INTERVAL}`, cannot be checked here, or not in few steps. The API server will check it.";
    UnknownApiVersion "unknown-api-version" "No release served this apiVersion for this kind. The fields decide; where nothing but CRDs is known, the object is held back.";
    UnknownField "unknown-field" "No release has this field. It is left unchanged; check its spelling.";
    UnknownKind "unknown-kind" "A pack knows the API group, but no release of it has this kind: its name is misspelled, or it was removed before the first release that the pack knows. The object is left unchanged: correct or remove it. Of groups without a dot, such as `apps` and `batch`, and of those in which other projects have kinds too, such as `bootstrap.cluster.x-k8s.io`, only a kind that seems to be misspelled is reported, and the core group is not checked.";
    UnsupportedValue "unsupported-value" "Kubernetes cannot read a value, such as .inf or binary data. The object is left unchanged.";
    UnusedIgnore "unused-ignore" "A comment `reversion: ignore` names a code or rule of which there is no finding at its object or field. Remove it, or the code.";
    ValuesNotConverted "values-not-converted" "Values of a known chart are given one by one, as text that cannot be read, in files or objects that are not recognized as values, or for a chart that another object references. They are not converted; write them where they are supported (see Helm in the documentation), or convert them by hand.";
    VerificationFailed "verification-failed" "Reading the edited text does not give the converted data. The file is left unchanged; please report it with the object.";
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
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "WrittenLocation", from = "WrittenLocation")]
pub struct Location {
    /// The file as the user named it, or `-` for standard input.
    pub file: String,
    /// Line and column, where the finding is about a part of the file.
    pub position: Option<Position>,
}

/// A location as JSON has it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenLocation {
    file: String,
    line: Option<usize>,
    column: Option<usize>,
}

impl From<Location> for WrittenLocation {
    fn from(Location { file, position }: Location) -> Self {
        let (line, column) = position.map(|position| (position.line, position.column)).unzip();
        Self { file, line, column }
    }
}

impl From<WrittenLocation> for Location {
    fn from(WrittenLocation { file, line, column }: WrittenLocation) -> Self {
        let position = line.zip(column).map(|(line, column)| Position { line, column });
        Self { file, position }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.position {
            Some(position) => write!(f, "{}:{}:{}", self.file, position.line, position.column),
            None => f.write_str(&self.file),
        }
    }
}

/// The object that a finding is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FindingObject {
    /// What reports call it, as `HTTPRoute store/checkout`.
    pub title: String,
    /// Where it starts: no other object of the run starts there.
    pub location: Location,
    /// The other objects that the same is reported about, in this one finding, in the order of their places: each with the place that it is about.
    #[serde(skip)]
    pub others: Vec<Self>,
}

impl FindingObject {
    /// Makes the object that `title` and `location` say.
    pub const fn new(title: String, location: Location) -> Self {
        Self { title, location, others: Vec::new() }
    }
}

/// One thing reported to the user.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// Where; first, so that findings sort by place.
    pub location: Location,
    /// Which kind of finding.
    pub code: Code,
    /// What it does to the run.
    pub severity: Severity,
    /// The object, where there is one.
    pub object: Option<FindingObject>,
    /// The field, where there is one.
    pub field: Option<String>,
    /// One sentence, lower case, no final dot; it does not name the object.
    pub message: String,
    /// What to do next.
    pub help: Option<String>,
    /// What of a CRD it is about, where CRDs are compared.
    pub change: Option<Box<CrdChange>>,
    /// The advisory that it reports: its pack and its name there, as `keda/keda-v1-and-v2-exclude-each-other`.
    pub advisory: Option<Box<str>>,
}

/// What a finding about a change of CRDs is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CrdChange {
    /// What the change does to objects and clients; nothing where something is wrong with the new CRD itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// The kind that the CRD defines, with its group.
    pub kind: String,
    /// The version of the kind, if it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The field of objects, if it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
}

impl Finding {
    /// Makes a finding about a place, and as yet about no object.
    pub fn new(location: Location, code: Code, severity: Severity, message: impl Into<String>) -> Self {
        let (object, field, help, change, advisory) = (None, None, None, None, None);
        Self { location, code, severity, object, field, message: message.into(), help, change, advisory }
    }

    /// Adds what to do next.
    #[must_use]
    pub fn help(self, help: impl Into<String>) -> Self {
        self.maybe_help(Some(help))
    }

    pub(crate) fn maybe_help(self, help: Option<impl Into<String>>) -> Self {
        Self { help: help.map(Into::into), ..self }
    }

    /// Adds the object that it is about.
    pub(crate) fn about(self, object: impl Into<Option<FindingObject>>) -> Self {
        Self { object: object.into(), ..self }
    }

    /// Adds the field that it is about.
    pub(crate) fn at(self, field: impl fmt::Display) -> Self {
        Self { field: Some(field.to_string()), ..self }
    }

    /// Returns the message, behind the object that it is about.
    pub fn sentence(&self) -> Cow<'_, str> {
        match &self.object {
            Some(object) => Cow::Owned(format!("{}: {}", object.title, self.message)),
            None => Cow::Borrowed(&self.message),
        }
    }
}

/// What acknowledges a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AcknowledgedBy {
    /// A comment in the file: `# reversion: ignore[CODE] reason`.
    Comment,
    /// A setting of `reversion.toml`.
    Config,
    /// The baseline: it was there when that was written.
    Baseline,
    /// A waiver in the policy of `crd check`.
    Policy,
}

impl AcknowledgedBy {
    /// Returns the word that reports print.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Comment => "comment",
            Self::Config => "config",
            Self::Baseline => "baseline",
            Self::Policy => "policy",
        }
    }
}

/// A finding that was accepted before: it is counted, and does not affect the exit code.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Acknowledged {
    /// The finding.
    pub finding: Finding,
    /// What acknowledges it.
    pub by: AcknowledgedBy,
    /// The reason that is given there.
    pub reason: Option<String>,
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
