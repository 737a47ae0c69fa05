//! How well a conversion preserves an object: [`Fidelity`].

/// How well a conversion preserves an object, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fidelity {
    /// Nothing is lost, and converting back restores the bytes.
    Exact,
    /// The meaning is the same, but converting back does not restore every byte.
    Normalized,
    /// Some values are lost.
    Lossy,
    /// Some objects are held back.
    Refused,
}

impl Fidelity {
    /// Returns the name that reports print.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Normalized => "normalized",
            Self::Lossy => "lossy",
            Self::Refused => "held-back",
        }
    }
}
