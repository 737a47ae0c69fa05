//! How well a conversion gets an object across: [`Fidelity`].

/// How well something gets across, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fidelity {
    /// Nothing is lost, and the bytes come back.
    Exact,
    /// What goes or comes means nothing more or less, and does not come back as it was written.
    Normalized,
    /// Some values are lost.
    Lossy,
    /// Some objects are held back.
    Refused,
}

impl Fidelity {
    /// Returns the word that reports print.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Normalized => "normalized",
            Self::Lossy => "lossy",
            Self::Refused => "held-back",
        }
    }
}
