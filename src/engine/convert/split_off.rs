//! What becomes of the objects that parts of an object became, and does a target have such?
//!
//! Each is converted to the target as an object of its own. What holds it back holds back the object that it was a part of, and what is
//! reported of it is reported there.

use super::choices::Goal;
use super::conversion::{Conversion, SplitOff};
use super::remark::Remark;
use super::renames::renames;
use crate::engine::finding::Code;
use crate::engine::manifest::Object;
use crate::knowledge::lens::{Destination, origin};
use crate::knowledge::release::GroupKind;
use crate::syntax::field::{Entries, FieldPath};
use crate::syntax::yaml::Intent;

/// Lets `convert` convert the objects that parts of `object` became, which became `made` itself.
pub(super) fn converted(
    mut made: Conversion,
    object: &Object,
    convert: &dyn Fn(&Object) -> Option<Conversion>,
) -> Conversion {
    for one in std::mem::take(&mut made.split_off) {
        let program = &one.made.program;
        let part = Object::from_value(object.document, object.place.clone(), one.made.value.as_ref().clone());
        let Some(mut converted) = part.and_then(|part| convert(&part)) else {
            made.split_off.push(one);
            continue;
        };
        let title = title(&converted);
        let about = |remarks: &mut Vec<Remark>| about(&title, program, std::mem::take(remarks));
        made.blocks.extend(about(&mut converted.blocks));
        made.unresolved.extend(about(&mut converted.unresolved));
        made.warnings.extend(about(&mut converted.warnings));
        made.losses.extend(about(&mut converted.losses));
        made.notes.extend(about(&mut converted.notes));
        made.rules.append(&mut converted.rules);
        made.frozen_by.append(&mut converted.frozen_by);
        let further = std::mem::take(&mut converted.split_off);
        made.split_off.extend(further.into_iter().map(|further| further.after(program)));
        let after = SplitOff { kind: one.kind.clone(), made: converted }.after(program);
        made.split_off.push(after);
    }
    made.notes.extend(made.split_off.iter().map(note).collect::<Vec<_>>());
    if made.blocks.is_empty() { made } else { made.hold_back(object) }
}

/// Returns what findings call the object.
fn title(made: &Conversion) -> String {
    let name = made.value.get("metadata").and_then(|metadata| metadata.text("name")).unwrap_or_default();
    format!("{} {name}", made.kind.kind)
}

/// Says of remarks about the new object that they are, and where the field was in the object that it was a part of.
fn about(title: &str, program: &[Intent], remarks: Vec<Remark>) -> Vec<Remark> {
    let about = |remark: Remark| Remark {
        path: origin(program, &remark.path),
        message: format!("of the new {title}: {}", remark.message),
        ..remark
    };
    remarks.into_iter().map(about).collect()
}

fn note(one: &SplitOff) -> Remark {
    let message = format!("a part of it becomes the {}, an object of its own behind it", title(&one.made));
    Remark::new(Code::ObjectSplit, FieldPath::default(), message)
}

impl Destination for Goal<'_> {
    fn has(&self, kind: &GroupKind) -> bool {
        let Some(target) = self.target_of(&kind.group) else { return true };
        let is_served = |kind: &GroupKind| {
            target.pack.catalog(kind).is_some_and(|catalog| !catalog.served(target.release).is_empty())
        };
        is_served(kind) || renames(target).get(kind).is_some_and(|successor| is_served(successor.kind()))
    }
}
