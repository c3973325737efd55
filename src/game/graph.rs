//! Leg(y⁰) as the fixpoints see it.

use crate::chess::{Packed, Side, Value};

/// All of Leg(y⁰), its positions numbered from 0 and its moves walked backwards: the one interface
/// of the graph whose moves are stored ([`super::Game`]) and of the one that makes them anew
/// ([`super::Compact`]).
pub trait Graph: std::fmt::Debug + Send + Sync {
    /// The number of positions.
    fn positions(&self) -> u32;

    /// The number of y⁰.
    fn root(&self) -> u32;

    /// The number of a position, if it is in Leg(y⁰).
    fn find(&self, p: &Packed) -> Option<u32>;

    /// How many legal moves a position has; 0 when the game is over, and at a leaf.
    fn degree(&self, id: u32) -> u16;

    /// The positions in which this side is to move and mated, ascending.
    fn mates(&self, side: Side) -> Vec<u32>;

    /// The positions that were not expanded because their values were known, with these.
    fn leaves(&self) -> &[(u32, Value)] {
        &[]
    }

    /// Calls `found` with the position before the move, for every move into one of `targets`, which
    /// must ascend.
    fn for_each_predecessor(&self, targets: &[u32], found: &mut dyn FnMut(u32));

    /// Bytes held.
    fn memory(&self) -> u64;
}
