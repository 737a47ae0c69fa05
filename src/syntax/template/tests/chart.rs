//! A file of a chart, for a cluster of which some things are known.

use super::super::environment::{Environment, Facts, KubeVersion};
use super::super::reading::{Reading, Source};
use super::super::search::{Coverage, Readings, readings};
use super::super::tree::{Defines, Template};
use crate::syntax::variable::Certainty;
use std::sync::Arc;

/// A cluster of one minor version that serves some groups; nothing is known of other groups.
pub(super) struct Cluster {
    pub(super) minor: Option<u64>,
    pub(super) serves: &'static [&'static str],
    pub(super) lacks: &'static [&'static str],
}

pub(super) const UNKNOWN: Cluster = Cluster { minor: None, serves: &[], lacks: &[] };
pub(super) const NEW: Cluster = Cluster {
    minor: Some(25),
    serves: &["policy/v1", "networking.k8s.io/v1", "networking.k8s.io/v1/Ingress"],
    lacks: &["policy/v1beta1", "networking.k8s.io/v1beta1", "extensions/v1beta1", "extensions/v1beta1/Ingress"],
};

impl Facts for Cluster {
    fn has_api(&self, name: &str) -> Option<bool> {
        self.serves.contains(&name).then_some(true).or(self.lacks.contains(&name).then_some(false))
    }

    fn kube_version(&self) -> Option<KubeVersion> {
        self.minor.map(|minor| KubeVersion { major: 1, minor, has_suffix: false })
    }
}

/// A file with its own definitions, for a cluster.
pub(super) struct Chart {
    pub(super) template: Arc<Template>,
    pub(super) defines: Defines,
    pub(super) cluster: Cluster,
}

impl Chart {
    pub(super) fn new(text: &str, cluster: Cluster) -> Self {
        let template = Arc::new(Template::parse(text).unwrap());
        let mut defines = Defines::default();
        defines.add(&template);
        Self { template, defines, cluster }
    }

    pub(super) fn environment(&self) -> Environment<'_> {
        Environment {
            defines: &self.defines,
            facts: &self.cluster,
            values: None,
            chart_values: None,
            unchanged: None,
            arguments: None,
            defaults: Certainty::Default,
        }
    }

    pub(super) fn readings(&self) -> Readings {
        readings(self.template.part(0).unwrap(), self.environment(), Coverage::Each, 100)
    }

    /// Returns the texts of the readings that take first branches but for one.
    fn texts(&self) -> Vec<String> {
        let found = self.readings();
        found.readings.into_iter().take(found.required).map(|reading| reading.text).collect()
    }

    /// Returns the action with a number, as it is written.
    pub(super) fn action(&self, index: usize) -> &str {
        self.template.actions()[index].span.of(self.template.text())
    }
}

/// Returns the texts of the readings that take first branches but for one, with a cluster of which nothing is known.
pub(super) fn texts(text: &str) -> Vec<String> {
    Chart::new(text, UNKNOWN).texts()
}

/// Returns the texts of the readings that take first branches but for one, for a new cluster.
pub(super) fn texts_for_new(text: &str) -> Vec<String> {
    Chart::new(text, NEW).texts()
}

/// Returns the text of the only reading.
pub(super) fn only(text: &str) -> String {
    let mut all = texts(text);
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

/// Returns the first reading.
pub(super) fn first(text: &str) -> Reading {
    Chart::new(text, UNKNOWN).readings().readings.remove(0)
}

/// Returns what actions print for certain.
pub(super) fn known(reading: &Reading) -> Vec<&str> {
    let known = reading.segments.iter().filter(|segment| matches!(segment.source, Source::Known(_)));
    known.map(|segment| segment.printed.of(&reading.text)).collect()
}
