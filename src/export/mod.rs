//! Strategies, games and formulas in the forms that people and other programs read.
//!
//! A strategy is put in reading order once ([`Outline`]) and printed from there as text, PGN, JSON or DOT; every writer
//! streams.

pub mod dot;
pub mod html;
pub mod json;
mod outline;
pub mod pgn;
pub mod svg;
pub mod text;

#[cfg(test)]
mod tests;

pub use outline::{End, Heading, MoveText, Node, Outline, Reply};
