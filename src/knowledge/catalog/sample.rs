//! Answers: which small catalog do the tests of this module read?
//!
//! Columns are written ` | ` instead of a tab. The releases are three bundles with two channels.
//!
//! Invariant: the kind is served in every release, as `v1` and, in `v1.0.0` and `v2.0.0`, as `v1beta1`.

use super::catalog::Catalog;
use crate::knowledge::release::{Channel, ReleaseId, ReleaseLine, ReleaseSet};

pub(super) const HEADER: &str = "\
kind | Shop.example.com
scope | Namespaced | standard v1.0.0..v3.0.0, experimental v1.0.0..v3.0.0
served | v1 | standard v1.0.0..v3.0.0, experimental v1.0.0..v3.0.0
served | v1beta1 | standard v1.0.0..v2.0.0, experimental v1.0.0..v2.0.0
unserved | v1beta1 | standard v3.0.0
storage | v1 | standard v2.0.0..v3.0.0, experimental v2.0.0..v3.0.0
storage | v1beta1 | standard v1.0.0, experimental v1.0.0
deprecated | v1beta1 | standard v2.0.0..v3.0.0, experimental v2.0.0
path | type | required | attributes | apiVersions | releases
";

/// Every release of the line.
pub(super) const ALL: &str = "standard v1.0.0..v3.0.0, experimental v1.0.0..v3.0.0";

pub(super) fn line() -> ReleaseLine {
    let channels = || ["standard", "experimental"].map(|name| Channel::parse(name).unwrap()).to_vec();
    ReleaseLine::new(Vec::new(), ["v1.0.0", "v2.0.0", "v3.0.0"].map(|bundle| (bundle.to_owned(), channels()))).unwrap()
}

/// Reads a catalog whose fields are `rows`; `ALL` at a row's end stands for every release.
#[track_caller]
pub(super) fn catalog(rows: &str) -> Catalog {
    read(&format!("{HEADER}{rows}")).unwrap()
}

pub(super) fn read(text: &str) -> Result<Catalog, String> {
    let rows = text.replace("| ALL", &format!("| {ALL}"));
    Catalog::parse(&rows.replace(" | ", "\t"), &line())
}

/// Finds a release of the line by its bundle, in the standard channel.
pub(super) fn release(bundle: &str) -> ReleaseId {
    line().find(bundle, "standard").unwrap()
}

pub(super) fn set(text: &str) -> ReleaseSet {
    line().parse_set(text).unwrap()
}
