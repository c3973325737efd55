//! The opening library: trees of lines as three arrays, and Polyglot books, which other programs
//! use.
//!
//! # References
//! * A. D. Yudin, *The library of openings and the algorithm of its use*, appendix 2 of M. M.
//!   Botvinnik, *On the cybernetic goal of the game* (1975); docs/theory.md §14.
//! * M. Van den Bergh, *Book formats* (the Polyglot `.bin` format).

mod book;
mod code;
mod games;
mod polyglot;
#[cfg(test)]
mod tests;
mod tree;

pub use book::{Book, BookMove};
pub use code::{CodeError, MoveCode};
pub use games::{Builder, GameFault};
pub use polyglot::{Damage, read_polyglot, write_polyglot};
pub use tree::{Tree, TreeError, parse_trees};

/// The initial position.
pub const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

/// Figure 18: the tree of 1.g3, with the values left at 0 (the figure prints none).
pub const FIGURE_18: &str = include_str!("../../../positions/library/openings/figure-18.tree");
