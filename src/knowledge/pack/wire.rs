//! Answers: how is a pack written?
//!
//! The types mirror `pack.yaml` key by key and check no more than its shape; an unknown key is an error.
//!
//! Invariant: what is read here is as written; what else is known of it once it is checked is skipped here, or is in another type.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::knowledge::lens::{Condition, Direction, Lens, Template};
use crate::knowledge::release::{ApiVersion, Channel, GroupKind, ReleaseLine};
use crate::syntax::field::FieldPattern;

/// The file `pack.yaml` of a pack.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PackFile {
    /// The pack's name, by which targets and the ids of its rules call it: `name: gateway-api`.
    #[serde(default)]
    pub name: String,
    /// Other names that a user can write for it: `aliases: [gwapi]`.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// What the project is called, for people: `title: Gateway API`.
    pub title: String,
    /// Where the releases come from, for people: `source: https://shops.example.com`.
    pub source: String,
    /// The API groups whose kinds the pack knows: `groups: [shops.example.com]`. A pack that only describes carriers has none. Where a
    /// release serves a kind in two groups, and a rule leads from one to the other, the later one here is the better one.
    #[serde(default)]
    pub groups: Vec<String>,
    /// Those of `groups` in which other projects have kinds too, so that a kind which no release has is reported only where it seems to be
    /// misspelled: `shared-groups: [plugins.shops.example.com]`.
    #[serde(default)]
    pub(crate) shared_groups: Vec<String>,
    /// The channels of all releases, most stable first: `channels: [stable, edge]`; where they are not listed, they have the order in
    /// which `releases` names them. A target without a channel means the first one that its bundle has.
    #[serde(default)]
    pub channels: Vec<Channel>,
    /// The releases, the oldest bundle first: `releases: [{ bundle: v1.0.0 }]`. A pack that only describes carriers has none.
    #[serde(default)]
    pub releases: Vec<BundleLine>,
    /// Which APIs patch releases have that are not listed, where that holds for all of them: `patch-releases: same-apis`.
    pub(crate) patch_releases: Option<PatchReleases>,
    /// Releases that no target can name, since their APIs are those of no bundle: `excluded: [{ releases: [v1.2.9], instead: v1.2.8,
    /// reason: it has fields that v1.3.0 lacks }]`.
    #[serde(default)]
    pub excluded: Vec<Excluded>,
    /// Texts that make a file relevant to the pack although it names none of its groups, such as the names by which roles refer to
    /// kinds: `triggers: [shops]`.
    #[serde(default)]
    pub triggers: Vec<String>,
    /// The names of the charts and images that install the project, whose versions show the release: `artifacts: [shop-controller]`.
    #[serde(default)]
    pub artifacts: Vec<String>,
    /// What names the release in manifests that install the project: `marks: { comments: ["Shop version:"] }`.
    #[serde(default)]
    pub(crate) marks: Marks,
    /// Suffixes of image tags after the release: `tag-suffixes: ["-ubi"]`.
    #[serde(default)]
    pub(crate) tag_suffixes: Vec<String>,
    /// The charts that install the project, where rules convert their values: `charts: [{ name: shops, key: shopController }]`.
    #[serde(default)]
    pub charts: Vec<Chart>,
    /// Files that are objects by their names, since they give an apiVersion and no kind: `files: [{ name: Shop.yaml, kind:
    /// Shop.shops.example.com }]`.
    #[serde(default)]
    pub files: Vec<NamedFile>,
    /// Values that a user may have to pass because no file contains them: `parameters: [{ name: namespace, description: the namespace
    /// of the controller, format: dns-label }]`.
    #[serde(default)]
    pub parameters: Vec<Parameter>,
    /// The annotations by which an installed CRD names its own release: `annotations: { bundle: shops.example.com/version }`.
    pub annotations: Option<Annotations>,
    /// Misleading values of the bundle annotation, with the bundles they stand for: `corrections: { v0.0.0-dev: { bundles: [], reason: the
    /// development branch has it } }`.
    #[serde(default)]
    pub(crate) corrections: BTreeMap<String, Correction>,
    /// How URLs of schemas in comments for editors end: `schema-comments: ["{kind}-{group-prefix}-{version}.json"]`.
    #[serde(default)]
    pub schema_comments: Vec<String>,
    /// Fields that name a kind or an object under other keys than `kind` and `group`, `apiGroup` or `apiVersion`: `references: [{ kinds:
    /// [Scaler.example.com], at: spec.target, kind: targetKind, default-group: shops.example.com }]`.
    #[serde(default)]
    pub references: Vec<ReferenceField>,
    /// What to know when a conversion crosses a bundle: `advisories: [{ id: opening-hours, bundle: v2.0.0, direction: forward, message:
    /// shops are closed on Sundays by default }]`.
    #[serde(default)]
    pub advisories: Vec<Advisory>,
    /// What moved between objects of other kinds and those of the pack: `moves: [{ id: replicas, bundle: v2.0.0, kinds: [Deployment.apps],
    /// fields: { spec.replicas: spec.replicas of the Shop } }]`.
    #[serde(default)]
    pub moves: Vec<Moves>,
    /// What to do by hand about what a release rejects or does not have: `hints: [{ kind: Shop.shops.example.com, field: spec.owners, help: list at least
    /// one owner }]`.
    #[serde(default)]
    pub hints: Vec<Hint>,
    /// Lists whose items are distinguished by a type; an item of a type that a release lacks is removed as a whole: `unions: [{ kind:
    /// Shop.shops.example.com, items: "spec.doors[]", discriminator: type }]`.
    #[serde(default)]
    pub unions: Vec<Union>,
    /// What was removed without a rule: `dropped: [{ bundle: v2.0.0, kind: Shop.shops.example.com, field: spec.fax, reason: no controller
    /// ever read it }]`.
    #[serde(default)]
    pub dropped: Vec<Dropped>,
    /// Changes of meaning that no field shows: `undetectable: [{ id: units, bundle: v2.0.0, kinds: [Shop.shops.example.com], change: sizes
    /// are in feet, reason: both are numbers }]`.
    #[serde(default)]
    pub undetectable: Vec<Undetectable>,
}

impl PackFile {
    /// Checks the names of the pack; `folder` is that of its files.
    ///
    /// # Errors
    /// A message with what to write.
    pub(crate) fn check_names(&self, folder: &str) -> Result<(), String> {
        let is_name = |name: &str| {
            let is_inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
            !name.is_empty() && name.bytes().all(is_inner) && !name.starts_with('-') && !name.ends_with('-')
        };
        if self.name.is_empty() {
            let last = folder.rsplit(['/', '\\']).next().unwrap_or_default();
            let suggested = if is_name(last) { last } else { "my-project" };
            return Err(format!("the pack has no name: add the line `name: {suggested}`"));
        }
        if let Some(wrong) = std::iter::once(&self.name).chain(&self.aliases).find(|name| !is_name(name)) {
            return Err(format!(
                "`{wrong}` cannot name a pack: write lower-case letters, digits and hyphens, with no hyphen at either end"
            ));
        }
        let mut names = self.aliases.iter().chain([&self.name]).enumerate();
        match names.find(|(at, name)| self.aliases[..*at].contains(name)) {
            Some((_, twice)) => Err(format!("`aliases` repeats the name {twice}: remove it")),
            None => Ok(()),
        }
    }

    /// Returns the releases as a line.
    ///
    /// # Errors
    /// A message for a bundle listed twice, a name that a target cannot hold, a channel that is not listed, or too many releases.
    pub fn line(&self) -> Result<ReleaseLine, String> {
        let bundles = self.releases.iter().map(|release| (release.bundle.clone(), release.channels.clone()));
        let mut line = ReleaseLine::new(self.channels.clone(), bundles)?;
        line.add_same_apis(self.releases.iter().map(|release| release.same_apis.clone()).enumerate())?;
        self.patch_releases.map_or(Ok(()), |PatchReleases::SameApis| line.add_patch_releases())?;
        Ok(line)
    }
}

/// One bundle and the channels it was published in: `{ bundle: v1.4.0, channels: [standard, experimental] }`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct BundleLine {
    /// The bundle's name as tagged upstream. It is the name of the folder of its rules.
    pub bundle: String,
    /// The channels that it was published in, in any order; none where the project publishes none.
    #[serde(default)]
    pub channels: Vec<Channel>,
    /// Later releases with the same APIs, oldest first: `same-apis: [v1.4.1, v1.4.2]`. A target, a chart or an image can name them, and
    /// they mean the bundle.
    #[serde(default)]
    pub same_apis: Vec<String>,
    /// The release of another pack that it supports: `companion: gateway-api@1.5.1`.
    pub companion: Option<String>,
}

/// Which APIs patch releases have that are not listed.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum PatchReleases {
    /// Those of the bundle with the same first two numbers: `1.25.3` and `v1.25.3+k3s1` mean `v1.25.0`.
    SameApis,
}

/// Releases that no target can name: `{ releases: [v1.2.9, v1.2.10], instead: v1.2.8, reason: they have fields that v1.3.0 lacks }`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Excluded {
    /// Their names as tagged upstream.
    pub releases: Vec<String>,
    /// The release to name instead of one of them, for people.
    pub instead: String,
    /// Why they are no bundles: lower case, no final dot.
    pub reason: String,
}

/// What names the release of a project in manifests that install it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Marks {
    /// Texts in front of the release in comments of the manifests: `comments: ["Shop version:"]`.
    #[serde(default)]
    pub comments: Vec<String>,
    /// Labels of their objects, of which `app.kubernetes.io/version` is the release: `labels: { app.kubernetes.io/part-of: shop }`.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// Repositories whose URLs in kustomizations have the release as `?ref=` or behind `/releases/download/`:
    /// `repositories: [example/shop]`.
    #[serde(default)]
    pub repositories: Vec<String>,
    /// The ends of the URLs of sources, such as an OCIRepository or a GitRepository, that hold the manifests and whose tag is the
    /// release: `manifests: [shop-manifests]`.
    #[serde(default)]
    pub manifests: Vec<String>,
}

impl Marks {
    /// Returns the texts without which a file has no mark, but those of sources.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        self.comments.iter().chain(self.labels.values()).chain(&self.repositories).map(String::as_str)
    }
}

/// A file that is an object by its name: `{ name: Chart.yaml, kind: Chart.helm.sh }`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedFile {
    /// The name of the file.
    pub name: String,
    /// The kind that rules know it by, of a group that no object has: `kind: Shop.shops.example.com`. It has no catalog.
    pub kind: GroupKind,
}

/// A chart: `{ name: nginx-gateway-fabric, key: nginxGateway, values-in: [...] }`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Chart {
    /// Its name.
    pub name: String,
    /// A key at the top of its values that no other chart has.
    pub key: String,
    /// The mappings in its values that name an image of a release, with the release as `tag`: `images: [controller.image]`.
    #[serde(default)]
    pub images: Vec<FieldPattern>,
    /// Objects of the pack that hold its values: `values-in: [{ kind: ShopController.shops.example.com, field: spec }]`.
    #[serde(default)]
    pub(crate) values_in: Vec<ValuesField>,
}

/// A place for a chart's values: `{ kind: NginxGatewayFabric.gateway.nginx.org, field: spec }`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ValuesField {
    /// The kind that holds the values.
    pub kind: GroupKind,
    /// The field that holds them.
    pub field: FieldPattern,
}

/// Mappings that name a kind, each key by what is written under it:
/// `{ kinds: [Scaler.example.com], at: "spec.targets[]", kind: targetKind, group: targetGroup, name: targetName }`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ReferenceField {
    /// The kinds of the objects that have the mappings.
    pub kinds: Vec<GroupKind>,
    /// The mappings.
    pub at: FieldPattern,
    /// The key of the kind: `Gateway`.
    pub kind: Option<String>,
    /// The key of the resource: `gateways`.
    pub resource: Option<String>,
    /// The key of the group: `gateway.networking.k8s.io`.
    pub group: Option<String>,
    /// The key of the version beside the group: `version: targetVersion`.
    pub version: Option<String>,
    /// The key of group and version: `api-version: targetApiVersion`.
    pub api_version: Option<String>,
    /// The group where none is written: `default-group: shops.example.com`.
    pub(crate) default_group: Option<String>,
    /// The kind where none is written: `default-kind: Shop`.
    pub(crate) default_kind: Option<String>,
    /// The key of the object's name.
    pub name: Option<String>,
    /// The key of the object's namespace: `namespace: targetNamespace`.
    pub namespace: Option<String>,
}

impl ReferenceField {
    /// Checks that the keys name a kind.
    ///
    /// # Errors
    /// What to write.
    pub(crate) fn check(&self) -> Result<(), String> {
        let at = &self.at;
        if self.kind.is_some() == self.resource.is_some() {
            return Err(format!("references: {at} must have the key of the kind or that of the resource"));
        }
        if self.default_kind.is_some() && self.kind.is_none() {
            return Err(format!("references: {at} has a default-kind, but not the key of the kind"));
        }
        if self.group.is_some() && self.api_version.is_some() {
            return Err(format!("references: {at} must have the key of the group or that of the apiVersion, not both"));
        }
        if self.group.is_none() && self.api_version.is_none() && self.default_group.is_none() {
            return Err(format!(
                "references: {at} must have the key of the group or of the apiVersion, or a default-group"
            ));
        }
        Ok(())
    }
}

/// The format of a text that is written into objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// A DNS label, such as the name of a namespace.
    ///
    /// Source: RFC 1123; Kubernetes, `IsDNS1123Label`.
    DnsLabel,
}

impl Format {
    /// Returns whether `text` has the format.
    pub fn accepts(self, text: &str) -> bool {
        let is_inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        match self {
            Self::DnsLabel => {
                (1..=63).contains(&text.len())
                    && text.bytes().all(is_inner)
                    && !text.starts_with('-')
                    && !text.ends_with('-')
            }
        }
    }

    /// Describes the format.
    pub const fn description(self) -> &'static str {
        match self {
            Self::DnsLabel => "at most 63 lower-case letters, digits and hyphens, with no hyphen at either end",
        }
    }
}

/// A value that a user may have to pass, `{ name: namespace, description: the namespace of ..., format: dns-label }`, or one of several
/// to choose from: `{ name: defaults, description: what becomes of ..., choices: [freeze, adopt], default: freeze }`.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "ParameterFields")]
pub struct Parameter {
    /// The name within the pack; a user writes `ngf.namespace`.
    pub name: String,
    /// What it means.
    pub description: String,
    /// Which values it can have.
    pub values: ParameterValues,
}

/// The values that a parameter can have.
#[derive(Clone, Debug)]
pub enum ParameterValues {
    /// Texts of a format.
    Format(Format),
    /// One of several; `default` counts where the user chooses none.
    Choices {
        /// The choices, in the order written.
        choices: Vec<String>,
        /// One of them.
        default: String,
    },
}

impl ParameterValues {
    /// Returns whether `text` is one of the values.
    pub fn accepts(&self, text: &str) -> bool {
        match self {
            Self::Format(format) => format.accepts(text),
            Self::Choices { choices, .. } => choices.iter().any(|choice| choice == text),
        }
    }

    /// Describes the values.
    pub fn description(&self) -> String {
        match self {
            Self::Format(format) => format.description().to_owned(),
            Self::Choices { choices, .. } => choices.join(" or "),
        }
    }
}

/// A parameter as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct ParameterFields {
    /// The name within the pack; a user writes `PACK.NAME`, or `NAME` for every pack that has it.
    name: String,
    /// What it means.
    description: String,
    /// The format of its texts, where it is no choice.
    format: Option<Format>,
    /// What can be chosen: `choices: [freeze, adopt]`.
    #[serde(default)]
    choices: Vec<String>,
    /// What counts where the user chooses nothing: `default: freeze`.
    default: Option<String>,
}

impl TryFrom<ParameterFields> for Parameter {
    type Error = String;

    fn try_from(written: ParameterFields) -> Result<Self, Self::Error> {
        let ParameterFields { name, description, format, choices, default } = written;
        if name.is_empty() || name.contains(['.', '=', ',']) {
            return Err(format!(
                "the parameter `{name}` is written NAME=VALUE: choose a name without dots, commas and `=`"
            ));
        }
        let values = match (format, default) {
            (Some(format), None) if choices.is_empty() => ParameterValues::Format(format),
            (None, Some(default)) if choices.contains(&default) => ParameterValues::Choices { choices, default },
            (None, Some(default)) if !choices.is_empty() => {
                let choices = choices.join(", ");
                return Err(format!(
                    "the default `{default}` of the parameter {name} is none of its choices: {choices}"
                ));
            }
            _ => return Err(format!("the parameter {name} needs either `format`, or `choices` and their `default`")),
        };
        Ok(Self { name, description, values })
    }
}

/// Annotation keys on a CRD.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Annotations {
    /// The key whose value is the bundle.
    pub bundle: String,
    /// The key whose value is the channel: `channel: shops.example.com/channel`.
    pub channel: Option<String>,
}

/// What a misleading value of the bundle annotation stands for.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Correction {
    /// The bundles that were published with the value; none when no release was.
    pub bundles: Vec<String>,
    /// Why the value is wrong, for people.
    pub reason: String,
}

/// Something to know: `{ id: ..., bundle: v1.5.0, direction: backward, message: ..., help: ... }`, or about conversions between two
/// sets of releases: `{ id: ..., from: standard v1.6.0.., to: standard v1.5.0..v1.5.1, message: ... }`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Advisory {
    /// A name that is unique in the pack.
    pub id: String,
    /// The bundle that a conversion must cross.
    pub bundle: Option<String>,
    /// The direction of the conversion.
    pub direction: Option<Direction>,
    /// The channels of targets that it concerns: `channels: [experimental]`; every channel where there is none.
    pub channels: Option<Vec<Channel>>,
    /// The releases that a conversion must come from, where no bundle is named.
    pub from: Option<String>,
    /// The releases that it must lead to, where no bundle is named.
    pub to: Option<String>,
    /// What it tells something about: `about: cluster`.
    #[serde(default)]
    pub about: About,
    /// Whether it tells of something that became possible, which needs no action: `additive: true`. It is a note then, and else a warning.
    #[serde(default)]
    pub additive: bool,
    /// The kinds that it concerns: `kinds: [Shop.shops.example.com]`; every kind where there is none.
    #[serde(default)]
    pub kinds: Vec<GroupKind>,
    /// What must hold for an object, or for values of the chart: `if: { present: spec.owner }`.
    #[serde(default)]
    pub r#if: Condition,
    /// The chart with the values that it concerns, as `charts` names it: `values: shops`. It is a note where the run has no values of the chart
    /// for which `if` holds, and all that there are can be read.
    pub values: Option<String>,
    /// What to know: lower case, no final dot.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
    /// A text that is to be added by hand, shown below the help, with values of the object in braces: `add: "name: {metadata.name}"`.
    pub add: Option<Template>,
}

/// What an advisory tells something about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum About {
    /// The cluster that the objects are applied to.
    Cluster,
    /// The release that is left or reached, whatever the objects hold.
    Release,
    /// The objects that it concerns.
    #[default]
    Object,
}

impl About {
    /// Returns the word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cluster => "cluster",
            Self::Release => "release",
            Self::Object => "object",
        }
    }
}

/// Fields that move to other objects: `{ id: ..., bundle: v2.0.0, kinds: [Deployment.apps], fields: { spec.replicas: ... } }`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Moves {
    /// A name that is unique in the pack.
    pub id: String,
    /// The bundle that moves them.
    pub bundle: String,
    /// The position of the bundle on the release line, once that is known.
    #[serde(skip)]
    pub order: usize,
    /// The kinds of the objects that had the fields before.
    pub kinds: Vec<GroupKind>,
    /// What must hold for an object: `if: { present: spec.replicas }`.
    #[serde(default, rename = "if")]
    pub condition: Condition,
    /// The places in the object that the fields are written from: `each: "spec.containers[]"`.
    #[serde(default)]
    pub each: FieldPattern,
    /// What must hold for a place: `only: { equals: { field: name, value: nginx } }`.
    #[serde(default)]
    pub only: Condition,
    /// The fields, and the new place of each, for people.
    pub fields: BTreeMap<FieldPattern, String>,
}

/// What to do by hand: `{ kind: TLSRoute.gateway.networking.k8s.io, field: spec.rules, help: ... }`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hint {
    /// The kind, or several of which it is true.
    pub kind: Kinds,
    /// The field, or several; the kind itself where there is none.
    pub field: Option<Fields>,
    /// What to do.
    pub help: String,
    /// A text that is to be added by hand, shown below the help, with values of the object in braces: `add: "name: {metadata.name}"`.
    pub add: Option<Template>,
}

/// A list of typed items: `{ kind: HTTPRoute.gateway.networking.k8s.io, items: "spec.rules[].filters[]", discriminator: type }`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Union {
    /// The kind.
    pub kind: GroupKind,
    /// The items.
    pub items: FieldPattern,
    /// The field of an item that names its type.
    pub discriminator: String,
}

/// Something that was removed: `{ bundle: v0.5.0, kind: BackendPolicy.networking.x-k8s.io, reason: ... }`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dropped {
    /// The first bundle without it.
    pub bundle: String,
    /// The position of the bundle on the release line, once that is known.
    #[serde(skip)]
    pub order: usize,
    /// The channels that it was removed from: `channels: [standard]`; every channel where it is not written.
    pub channels: Option<Vec<Channel>>,
    /// The kind.
    pub kind: GroupKind,
    /// The field, with all that is in it: `field: spec.fax`; the kind itself where there is none.
    pub field: Option<FieldPattern>,
    /// The value of the field that is no longer allowed: `value: Fax`; the field itself where there is none.
    pub value: Option<String>,
    /// Why no rule converts it.
    pub reason: String,
}

/// A change that no field shows: `{ id: ..., bundle: v0.7.0, kinds: [...], change: ..., reason: ... }`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Undetectable {
    /// A name that is unique in the pack.
    pub id: String,
    /// The bundle that made the change.
    pub bundle: String,
    /// The position of the bundle on the release line, once that is known.
    #[serde(skip)]
    pub order: usize,
    /// The kinds that it concerns.
    pub kinds: Vec<GroupKind>,
    /// What changed.
    pub change: String,
    /// Why no field shows it.
    pub reason: String,
    /// The fields that are in no manifest, of which expressions and paths that name them are reported: `fields: [status.conditions]`.
    #[serde(default)]
    pub fields: Vec<FieldPattern>,
}

/// One kind, or several that share a rule.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "write a kind with its group, such as `Shop.example.com`, or a list of kinds")]
pub enum Kinds {
    /// `kind: BackendTLSPolicy.gateway.networking.k8s.io`
    One(GroupKind),
    /// `kind: [HTTPRoute.gateway.networking.k8s.io, GRPCRoute.gateway.networking.k8s.io]`
    Several(Vec<GroupKind>),
}

impl Kinds {
    /// Returns the kinds in the order written.
    pub fn list(self) -> Vec<GroupKind> {
        match self {
            Self::One(kind) => vec![kind],
            Self::Several(kinds) => kinds,
        }
    }
}

/// A value of a chart that a chart before the rule's bundle ignores, with damage.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Destructive {
    /// The field of the values.
    pub field: FieldPattern,
    /// The value that does no damage.
    pub unless: Value,
    /// What an older chart does then, behind "ignores it": lower case, no final dot.
    pub reason: String,
}

/// What must be known or requested before a rule runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Needs {
    /// The release that the objects come from, if neither their fields nor their apiVersion show it.
    From,
    /// That nothing shows that the objects come from behind the change: what they say means something else there.
    Crossing,
    /// That `--repair` is passed: the rule corrects what no release ever had.
    Repair,
}

/// One field, or several of which the same is true.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "write the path of a field, such as `spec.rules[].name`, or a list of paths")]
pub enum Fields {
    /// `field: spec.rules`
    One(FieldPattern),
    /// `field: [spec.rules, spec.hostnames]`
    Several(Vec<FieldPattern>),
}

impl Fields {
    /// Returns the fields in the order written.
    pub fn list(self) -> Vec<FieldPattern> {
        match self {
            Self::One(field) => vec![field],
            Self::Several(fields) => fields,
        }
    }
}

/// A rule's file, `<release>/<rule>.yaml`: one documented change.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleFile {
    /// One line for people: `summary: the owner of a Shop becomes a list of owners`.
    pub summary: String,
    /// The kind before the change, or several that change alike: `kind: Shop.shops.example.com`. Every rule has `kind` or `values`, and not both.
    pub kind: Option<Kinds>,
    /// The Helm chart whose values change, as `charts` of `pack.yaml` names it: `values: shops`.
    pub values: Option<String>,
    /// The channels that the change was made in: `channels: [standard, experimental]`; every channel of the bundle where it is not
    /// written.
    #[serde(default)]
    pub channels: Vec<Channel>,
    /// The apiVersions before and after the change, where it was made between two that releases serve side by side:
    /// `apiVersions: [networking.k8s.io/v1beta1, networking.k8s.io/v1]`. What an object has and gets decides then, and not its release.
    #[serde(rename = "apiVersions")]
    pub api_versions: Option<[ApiVersion; 2]>,
    /// The releases that require the rule's result, if not all from the bundle on do: `within: standard v0.8.0..v1.0.0`. The rule
    /// then runs towards these alone, after all others.
    pub within: Option<String>,
    /// What must be known or requested before the rule runs: `needs: repair`; nothing where it is not written.
    pub needs: Option<Needs>,
    /// What else is to be done, which is reported if the rule changes an object of another group: `advice: restart the controller`.
    pub advice: Option<String>,
    /// A value that the rule writes and that an older chart ignores, with damage: the rule does not run, and such a value that is there
    /// already is reported, until the version of the chart beside the values is the rule's bundle or a newer one:
    /// `destructive: { field: cache.enabled, unless: false, reason: and so removes the cache }`.
    pub destructive: Option<Destructive>,
    /// Where the change is documented upstream: `source: the changelog of v2.0.0`.
    pub source: String,
    /// The change itself: `lens: [{ rename: { field: spec.owner, to: owners } }]`.
    pub lens: Lens,
}
