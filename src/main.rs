//! The `theta` program.
fn main() {}
