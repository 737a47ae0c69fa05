//! Answers: what is known of the cluster and the chart that a template is rendered for?

use serde_json::Value;

use super::tree::Defines;
use crate::syntax::variable::Certainty;

/// A version of Kubernetes; its patch is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KubeVersion {
    /// The first number.
    pub major: u64,
    /// The second number.
    pub minor: u64,
    /// Whether there is more behind its patch, such as `-eks-113cf36`: it counts as a pre-release then.
    pub has_suffix: bool,
}

/// What is known of the cluster.
pub trait Facts {
    /// Returns whether the cluster serves `name`, a `group/version` or `group/version/Kind`; `None` where that is not known.
    fn has_api(&self, name: &str) -> Option<bool>;

    /// Returns the version of the cluster; `None` where it is not known.
    fn kube_version(&self) -> Option<KubeVersion>;
}

/// What is known of a cluster whose version has a suffix.
pub(super) struct Suffixed<'f>(pub(super) &'f dyn Facts);

impl Facts for Suffixed<'_> {
    fn has_api(&self, name: &str) -> Option<bool> {
        self.0.has_api(name)
    }

    fn kube_version(&self) -> Option<KubeVersion> {
        self.0.kube_version().map(|version| KubeVersion { has_suffix: true, ..version })
    }
}

/// What a template is rendered with.
#[derive(Clone, Copy)]
pub struct Environment<'e> {
    /// The definitions of the chart.
    pub defines: &'e Defines,
    /// What is known of the cluster.
    pub facts: &'e dyn Facts,
    /// The defaults of the chart for what its users set; nothing in a definition, since what it is printed with is not known.
    pub values: Option<&'e Value>,
    /// The same, in definitions too: what these call `.Values` is hardly ever something else.
    pub chart_values: Option<&'e Value>,
    /// The same before templates change it with `set` and `merge`.
    pub unchanged: Option<&'e Value>,
    /// What a definition is called with in its chart, as far as that is known.
    pub arguments: Option<&'e [Value]>,
    /// How certain it is that what users set has the type of the default.
    pub defaults: Certainty,
}
