//! Which namespace an object gets when it is applied: [`Namespace`].

use std::collections::BTreeSet;

/// Where an object lives once it is applied.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Namespace {
    /// The one of this name.
    Named(String),
    /// The one that the call gives with which the files are applied: one for all objects that name none.
    #[default]
    Unset,
    /// One of several: which, depends on the file that is built. Each stands here as the file that gives it and its name, which
    /// is none where that file leaves it open.
    Several(BTreeSet<(String, Option<String>)>),
}

impl Namespace {
    /// Takes the namespace that is written.
    pub fn from_written(name: Option<&str>) -> Self {
        name.map_or(Self::Unset, |name| Self::Named(name.to_owned()))
    }

    /// Returns the name, where it is certain.
    pub const fn name(&self) -> Option<&str> {
        match self {
            Self::Named(name) => Some(name.as_str()),
            Self::Unset | Self::Several(_) => None,
        }
    }

    /// Says whether there is one, however the files are built.
    pub fn is_given(&self) -> bool {
        match self {
            Self::Named(_) => true,
            Self::Unset => false,
            Self::Several(names) => names.iter().all(|(_, name)| name.is_some()),
        }
    }

    /// Says whether both are one namespace; nothing where the files do not tell.
    pub fn same_as(&self, other: &Self) -> Option<bool> {
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

    /// Says why it is not known, as the rest of a sentence that begins with what lives there.
    pub fn unknown(&self) -> String {
        match self {
            Self::Named(name) => format!("is in {name}"),
            Self::Unset => "has no metadata.namespace".to_owned(),
            Self::Several(names) => {
                let name = |(file, name): &(String, Option<String>)| match name {
                    Some(name) => format!("{name} ({file})"),
                    None => format!("none ({file})"),
                };
                format!(
                    "gets its namespace from kustomizations that differ: {}",
                    names.iter().map(name).collect::<Vec<_>>().join(", ")
                )
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
    fn namespaces_are_one_where_the_files_tell() {
        let [a, b] = ["a", "b"].map(|name| Namespace::from_written(Some(name)));
        let (open, either) = (Namespace::Unset, several(&[("x", Some("a")), ("y", Some("c"))]));
        let same_names = several(&[("x", Some("c")), ("y", Some("a"))]);
        let perhaps_open = several(&[("x", Some("a")), ("y", None)]);
        let cases = [
            (&a, &a, Some(true)),
            (&a, &b, Some(false)),
            (&a, &open, None),
            (&open, &open, Some(true)),
            (&a, &either, None),
            (&b, &either, Some(false)),
            (&b, &perhaps_open, None),
            (&either, &either, Some(true)),
            (&either, &same_names, None),
            (&either, &open, None),
        ];
        for (left, right, expected) in cases {
            assert_eq!([left.same_as(right), right.same_as(left)], [expected, expected], "{left:?} {right:?}");
        }
    }
}
