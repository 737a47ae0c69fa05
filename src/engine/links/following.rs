//! What becomes of what an object says of others: their versions, the selectors that find them, the paths of their fields?
//!
//! Each of `kustomize_selectors`, `selectors` and `ignored_paths` decides about places of its own, so that their order does not matter; here what they
//! decide is written and reported, and what stands beside it is (`named_beside`).

use serde_json::Value;

use super::ignored_paths;
use super::kustomize_selectors::Selectors;
use super::named_beside;
use super::selectors;
use super::tied_files::{Id, TiedFiles};
use super::version_changes::{Follow, VersionChanges};
use crate::engine::convert::Conversion;
use crate::engine::finding::{Finding, Severity};
use crate::syntax::yaml::{Intent, Place};

/// What objects become, and what finds the places that follow them.
pub(crate) struct Following<'f, 'l> {
    pub(crate) tied: &'f TiedFiles<'f>,
    pub(crate) selectors: &'f Selectors<'l>,
    pub(crate) changes: VersionChanges<'f>,
}

impl Following<'_, '_> {
    /// Lets an object, which became `made` so far, follow the objects that it names; what cannot follow is reported.
    pub(crate) fn update(&self, id: Id, made: Option<Conversion>, findings: &mut Vec<Finding>) -> Option<Conversion> {
        let Self { tied, selectors: of_kustomize, changes } = self;
        let (object, targets) = (tied.object(id), tied.targets);
        let mut session = Conversion::session(made.as_ref(), object);
        let (mut follows, decided) = of_kustomize.follow(tied.manifest(id), object, changes);
        follows.extend(selectors::follow(object, made.as_ref(), changes, &decided, targets));
        follows.extend(ignored_paths::follow(object, changes, targets));
        for follow in follows {
            match follow {
                Follow::Text { path, text } => {
                    let value = Value::from(text);
                    if path.get(session.object()).is_some_and(|old| *old != value) {
                        session.change(Intent::Replace { path, value }).expect("the path was found in this object");
                    }
                }
                Follow::Entry { path, text, before } => {
                    let entry = Intent::Insert { path, value: Value::from(text), place: Place::Before(before) };
                    session.change(entry).expect("the mapping was found in this object, without such an entry");
                }
                Follow::Report(remark) => findings.push(tied.finding(id, &remark, Severity::Unresolved)),
            }
        }
        let beside = named_beside::remarks(object, session.object(), targets);
        findings.extend(beside.iter().map(|remark| tied.finding(id, remark, Severity::Unresolved)));
        Conversion::with_changes(made, object, session)
    }
}
