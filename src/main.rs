//! The `reversion` program.

fn main() {}
