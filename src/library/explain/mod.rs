//! Readable proofs: the smallest tree of moves that can be found for a person, its leaves cut by
//! cited rules, library rows and small tables.
//!
//! A tree shows one move of its owner and every reply of the other side. Its size is counted in
//! moves; positions that several lines reach are shown once. The search knows nothing but its
//! leaves: no larger table is asked, so the tree is a proof by itself, given what its leaves cite.
//!
//! # References
//! * A. D. Yudin, §3.19–3.20: lines cut by rules (docs/theory.md §14); PIONEER's tree of Réti's
//!   study had 54 moves.
//! * D. E. Knuth, *A generalization of Dijkstra's algorithm* (1977): least costs in and/or graphs.

mod experience;
mod leaf;
mod search;
mod smallest;
#[cfg(test)]
mod tests;
mod tree;

pub use leaf::{Leaf, Leaves};
pub use search::Striver;
pub use smallest::{Explained, explain, explain_in_zones};
pub use tree::{Branch, Node, NodeKind, Tree};

use crate::chess::Side;

/// What is to be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Goal {
    /// Whose strategy.
    pub owner: Side,
    /// Whether it wins, or else holds.
    pub wins: bool,
}
