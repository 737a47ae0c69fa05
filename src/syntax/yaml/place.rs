//! Where among its siblings is a new entry put?

/// The position of a new entry among its siblings; an item has the position that its index says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Before all others.
    First,
    /// After all others.
    Last,
    /// Directly before the entry of this key.
    Before(String),
    /// Directly after the entry of this key.
    After(String),
}
