//! Is a chart for the version of Kubernetes that is the target?
//!
//! Invariant: a chart is reported only where Helm refuses each patch of that version.

use crate::engine::convert::Goal;
use crate::engine::finding::{Code, Finding, Location, Severity};
use crate::knowledge::pack::Target;
use crate::syntax::field::FieldPath;
use crate::syntax::template::{self, KubeVersion};
use crate::syntax::text::LineIndex;
use crate::syntax::yaml;

/// The pack whose releases are those of the cluster.
const CLUSTER: &str = "kubernetes";

/// The key of a Chart.yaml.
const KEY: &str = "kubeVersion";

/// Reports that the Chart.yaml `file` with this text excludes the target's version.
pub(crate) fn excluded(file: &str, text: &str, goal: &Goal<'_>) -> Option<Finding> {
    let target = cluster(goal)?;
    let tree = yaml::parse(text).ok()?;
    let root = tree.documents().first()?.root;
    let constraint = yaml::text_at(&tree, text, root, KEY)?;
    if template::satisfies(kube_version(target)?, &constraint) != Some(false) {
        return None;
    }
    let at = yaml::locate(&tree, text, root, &FieldPath::default().key(KEY)).start;
    let position = Some(LineIndex::new(text).position(text, at));
    let message = format!("the chart is for Kubernetes `{constraint}`, and Helm refuses to install it on {target}");
    let location = Location { file: file.to_owned(), position };
    let finding = Finding::new(location, Code::KubeVersion, Severity::Unresolved, message);
    Some(finding.help("change kubeVersion once the chart works there"))
}

/// Returns the target that is the release of the cluster.
pub(super) fn cluster<'t>(goal: &'t Goal<'_>) -> Option<&'t Target<'t>> {
    goal.targets.iter().find(|target| target.pack.name() == CLUSTER)
}

/// Returns the version of Kubernetes that a release of its pack is.
pub(super) fn kube_version(cluster: &Target<'_>) -> Option<KubeVersion> {
    let release = cluster.name();
    let mut numbers = release.trim_start_matches('v').split('.').map(str::parse);
    let (Some(Ok(major)), Some(Ok(minor))) = (numbers.next(), numbers.next()) else { return None };
    Some(KubeVersion { major, minor, has_suffix: false })
}
