//! Which namespace an object is in when it is applied: [`Namespace`].

use std::collections::BTreeSet;

/// The namespace of an object when it is applied.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Namespace {
    /// The one of this name.
    Named(String),
    /// The default namespace of the command that applies the files: the same one for all objects without a namespace.
    #[default]
    Unset,
    /// One of several, depending on the kustomization that is built: the file of each and the namespace that it sets, `None`
    /// where it sets none.
    Several(BTreeSet<(String, Option<String>)>),
}

impl Namespace {
    /// Returns the namespace that `metadata.namespace` sets.
    pub(crate) fn from_written(name: Option<&str>) -> Self {
        name.map_or(Self::Unset, |name| Self::Named(name.to_owned()))
    }

    /// Returns the name, where it is certain.
    pub const fn name(&self) -> Option<&str> {
        match self {
            Self::Named(name) => Some(name.as_str()),
            Self::Unset | Self::Several(_) => None,
        }
    }

    /// Returns whether it is set in every build of the files.
    pub(crate) fn is_set(&self) -> bool {
        match self {
            Self::Named(_) => true,
            Self::Unset => false,
            Self::Several(names) => names.iter().all(|(_, name)| name.is_some()),
        }
    }

    /// Returns whether both are the same namespace; `None` where the files do not show it.
    pub(crate) fn same_as(&self, other: &Self) -> Option<bool> {
        match (self, other) {
            (Self::Named(left), Self::Named(right)) => Some(left == right),
            (Self::Unset, Self::Unset) => Some(true),
            (Self::Several(left), Self::Several(right)) if left == right => Some(true),
            (Self::Named(name), Self::Several(names)) | (Self::Several(names), Self::Named(name)) => {
                names.iter().all(|(_, other)| other.as_ref().is_some_and(|other| other != name)).then_some(false)
            }
            (Self::Several(_), Self::Several(_) | Self::Unset) | (Self::Unset, Self::Several(_)) => None,
            (Self::Named(_), Self::Unset) | (Self::Unset, Self::Named(_)) => None,
        }
    }

    /// Returns what the files show of it, as the rest of a sentence that begins with the object.
    pub fn description(&self) -> String {
        match self {
            Self::Named(name) => format!("is in namespace {name}"),
            Self::Unset => "has no metadata.namespace".to_owned(),
            Self::Several(names) => {
                let name = |(file, name): &(String, Option<String>)| match name {
                    Some(name) => format!("{name} ({file})"),
                    None => format!("none ({file})"),
                };
                let names: Vec<_> = names.iter().map(name).collect();
                format!("gets different namespaces from several kustomizations: {}", names.join(", "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn several(names: &[(&str, Option<&str>)]) -> Namespace {
        let owned = |(file, name): &(&str, Option<&str>)| ((*file).to_owned(), name.map(str::to_owned));
        Namespace::Several(names.iter().map(owned).collect())
    }

    #[test]
    fn namespaces_are_compared_as_far_as_known() {
        let [a, b] = ["a", "b"].map(|name| Namespace::from_written(Some(name)));
        let (open, either) = (Namespace::Unset, several(&[("x", Some("a")), ("y", Some("c"))]));
        let same_names = several(&[("x", Some("c")), ("y", Some("a"))]);
        let partly_unknown = several(&[("x", Some("a")), ("y", None)]);
        let cases = [
            (&a, &a, Some(true)),
            (&a, &b, Some(false)),
            (&a, &open, None),
            (&open, &open, Some(true)),
            (&a, &either, None),
            (&b, &either, Some(false)),
            (&b, &partly_unknown, None),
            (&either, &either, Some(true)),
            (&either, &same_names, None),
            (&either, &open, None),
        ];
        for (left, right, expected) in cases {
            assert_eq!([left.same_as(right), right.same_as(left)], [expected, expected], "{left:?} {right:?}");
        }
    }
}
