//! The experience of the past: openings, and rules as claims that are proved or refuted on every
//! position.
//!
//! # References
//! * A. D. Yudin, *The endgame library of the program PIONEER* (in M. M. Botvinnik's book of 1979),
//!   §3; docs/theory.md §14.

pub mod endgames;
pub mod explain;
pub mod openings;
pub mod rules;
pub mod striving;
