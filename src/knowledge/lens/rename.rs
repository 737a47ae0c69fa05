//! The operation `rename`: a key gets another name in place.

use serde::Deserialize;

use super::operation::{Claims, Description, Direction, Image, Operation, Pass};
use super::session::{Halt, Session};
use crate::syntax::field::{FieldPattern, Part};
use crate::syntax::yaml::Intent;

/// `rename: { field: spec.tls, to: validation }`
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "Wire")]
pub(super) struct Rename {
    old: FieldPattern,
    new: FieldPattern,
}

/// The operation as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    /// The field.
    field: FieldPattern,
    /// The new name: a key, and no path.
    to: String,
}

impl TryFrom<Wire> for Rename {
    type Error = String;

    fn try_from(Wire { field, to }: Wire) -> Result<Self, Self::Error> {
        let Some((parent, Part::Key(key))) = field.split_last() else {
            return Err(format!(
                "{field} does not end in a key, so it has no name: write the field that is called otherwise"
            ));
        };
        if *key == to {
            return Err(format!("{field} is called `{to}` already: write the name that it gets"));
        }
        let path = FieldPattern::parse(&to).ok().filter(|path| !parent.parts().is_empty() && path.starts_with(&parent));
        if let Some((_, Part::Key(last))) = path.as_ref().and_then(FieldPattern::split_last) {
            return Err(format!("`to` is the new last key alone: write `to: {last}`, or use `move` for another path"));
        }
        Ok(Self { new: parent.key(&to), old: field })
    }
}

impl Rename {
    pub(super) const DESCRIPTION: Description = Description {
        name: "rename",
        text: "Renames the last key of `field` to `to`, in place: value, order, comments and quotes are unchanged. The inverse \
               renames back. Exact; a conflict where both keys are present.",
        example: "rename: { field: spec.tls, to: validation }",
    };
}

impl Operation for Rename {
    fn run(&self, pass: &Pass<'_>, session: &mut Session) -> Result<(), Halt> {
        let [from, to] = pass.direction.ends([&self.old, &self.new]);
        let Some(Part::Key(to)) = to.parts().last() else { unreachable!("a new name is a key") };
        for path in from.matches(session.object()) {
            session.change(Intent::Rename { path, to: to.clone() })?;
        }
        Ok(())
    }

    fn claims(&self) -> Claims {
        Claims { old: vec![self.old.clone()], new: vec![self.new.clone()] }
    }

    fn image(&self, direction: Direction, field: &FieldPattern) -> Image {
        let [from, to] = direction.ends([&self.old, &self.new]);
        field.below(from).map_or(Image::Kept, |below| Image::Moved(to.join(&below)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_name_is_another_key() {
        let error = |text: &str| serde_yaml::from_str::<Rename>(text).unwrap_err().to_string();
        assert!(error("{ field: spec.a, to: a }").contains("spec.a is called `a` already"));
        assert!(error("{ field: \"spec.a[]\", to: b }").contains("spec.a[] does not end in a key"));
        assert!(error("{ field: spec.a, to: spec.b }").contains("write `to: b`"));
        assert!(serde_yaml::from_str::<Rename>("{ field: spec.a, to: a.b/c }").is_ok());
    }
}
