//! Are the releases with the same APIs in order, as far as their names tell?

use super::linter::Lint;
use crate::authoring::starter::age;
use crate::knowledge::pack::folder::HEAD;
use crate::knowledge::pack::place::Place;
use crate::syntax::field::FieldPath;

/// Reports a release with the APIs of a bundle that is listed before an older one.
///
/// Bundles can have any order; a release with the same APIs is newer than its bundle, and older than the next one if that is newer
/// than the bundle too.
pub(super) fn check_releases(lint: &mut Lint<'_>) {
    let line = lint.pack.line();
    let bundles = line.bundles();
    for (order, bundle) in bundles.iter().enumerate() {
        let place = FieldPath::default().key("releases").index(order).key("same-apis");
        let next = bundles.get(order + 1).filter(|next| age(next) > age(bundle));
        let mut before = bundle;
        for name in line.same_apis(order) {
            let place = || Place::Text(place.clone(), name.clone());
            if age(name) < age(before) {
                let text = format!("{name} has the APIs of {bundle}, but is listed after {before}");
                lint.report(HEAD, &place(), text, "list the oldest first, and the oldest of all as the bundle");
            } else if let Some(next) = next.filter(|next| age(name) > age(next)) {
                let text = format!("{name} has the APIs of {bundle}, but {next} is between them");
                lint.report(HEAD, &place(), text, "list it with the bundle before it, or as a bundle of its own");
            }
            before = name;
        }
    }
}
