//! Answers: how is a pack made and checked?

pub(crate) mod fixture;
