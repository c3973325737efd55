//! Closed sets grown on rows: all positions that differ in the attacker's king alone are looked at
//! together, 64 in a word.
//!
//! In most fortresses the attacker's king may walk about without changing anything. One position
//! after the other such a set is some thirty times as large as it need be.
//!
//! * `moves`: the legal moves of a row, each with the squares of the king for which it is legal.
//! * `stay`: which of the holder's moves an attempt allows.
//! * `set`: rows numbered, and what is known of each.
//! * `growth`: one move of the holder for each position, others when it has failed.

mod growth;
mod moves;
mod set;
mod stay;
#[cfg(test)]
mod tests;

pub use growth::{Terms, grow_rows, has_rows};
pub use set::{Exit, Outpost};
pub use stay::Stay;
