//! Leg(y⁰) as a graph, and its fixpoints: the reference engine.
//!
//! Two forms of it have one interface, [`Graph`]. [`Game`] stores every move: it is what formulas,
//! exports and the model checker read, and the reference for the other. [`Compact`] stores
//! positions by rows and makes moves anew: a tenth of the memory and less time, so [`explore`]
//! prefers it. [`Values::of`] solves the two reachability games (Θ1 and Θ3) on either, with ranks;
//! [`Literal::of`] says which of the printed formulas are satisfiable. [`Game::explore_to`] stops
//! at positions whose value is known already (from tables, say).
//!
//! Memory of a [`Game`]: a position of up to four men takes 12 bytes, its hash entry 5 to 11, its
//! flags 1, its rows 8; an edge takes 4 bytes forwards and, once it is solved, 4 backwards. Solving
//! takes 4 bytes a position; values take 2.

mod attractor;
mod compact;
mod explore;
mod fixpoint;
mod graph;
mod king_rows;
mod leg;
#[cfg(test)]
mod tests;

pub use compact::Compact;
pub use explore::Stopped;
pub use fixpoint::{Literal, Values};
pub use graph::Graph;

use crate::chess::Value;
use crate::chess::{Interner, Move, Packed, Profile, Side, Vector, successors};
use crate::kripke::Rows;
use crate::limits::Budget;
use std::sync::OnceLock;

/// Lists Leg(y⁰) in the form that takes the least memory.
///
/// # Errors
/// When a limit of the budget is reached first.
pub fn explore(
    root: &Vector,
    profile: Profile,
    budget: &Budget,
) -> Result<Box<dyn Graph>, Stopped> {
    Ok(match profile {
        Profile::Fide => Box::new(Compact::explore(root, budget)?),
        Profile::Paper => Box::new(Game::explore(root, profile, budget)?),
    })
}

/// Leg(y⁰) with its moves. Position 0 is the root.
#[derive(Debug, Clone)]
pub struct Game {
    profile: Profile,
    positions: Interner,
    /// One byte a position: is Black to move, is the side to move in check.
    flags: Vec<u8>,
    moves: Rows,
    /// The moves turned round, once they are asked for.
    back: OnceLock<Rows>,
    /// The leaves with their values.
    leaves: Vec<(u32, Value)>,
}

const BLACK_TO_MOVE: u8 = 1;
const IN_CHECK: u8 = 2;
/// Not expanded: its value is known from elsewhere.
const LEAF: u8 = 4;

impl Game {
    /// The number of positions, |Leg(y⁰)|.
    pub fn len(&self) -> u32 {
        self.flags.len() as u32
    }

    /// Never: the root is always there.
    pub fn is_empty(&self) -> bool {
        self.flags.is_empty()
    }

    /// The number of edges (stand-still loops of final positions not counted).
    pub fn edges(&self) -> usize {
        self.moves.entries()
    }

    /// The profile of the rules.
    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// The position of an id.
    pub fn position(&self, id: u32) -> Packed {
        self.positions.at(id)
    }

    /// The vector of an id.
    pub fn vector(&self, id: u32) -> Vector {
        self.positions.at(id).vector().expect("an interned position")
    }

    /// The id of a position, if it is in Leg(y⁰).
    pub fn find(&self, p: &Packed) -> Option<u32> {
        self.positions.get(p)
    }

    /// The side to move.
    pub fn side_to_move(&self, id: u32) -> Side {
        if self.flags[id as usize] & BLACK_TO_MOVE == 0 { Side::White } else { Side::Black }
    }

    /// Whether the side to move is in check.
    pub fn in_check(&self, id: u32) -> bool {
        self.flags[id as usize] & IN_CHECK != 0
    }

    /// The positions after each legal move; empty when the game is over.
    pub fn successors(&self, id: u32) -> &[u32] {
        self.moves.row(id)
    }

    /// All rows of successors.
    pub fn rows(&self) -> &Rows {
        &self.moves
    }

    /// Whether the side to move is mated.
    pub fn mated(&self, id: u32) -> bool {
        self.in_check(id) && self.over(id)
    }

    /// Whether the side to move is stalemated.
    pub fn stalemate(&self, id: u32) -> bool {
        !self.in_check(id) && self.over(id)
    }

    fn over(&self, id: u32) -> bool {
        self.successors(id).is_empty() && self.flags[id as usize] & LEAF == 0
    }

    /// The moves of a position with the ids they lead to. Generates the moves anew (about 3 µs).
    pub fn moves(&self, id: u32) -> Vec<(Move, u32)> {
        let list = successors(self.profile, &self.vector(id)).into_iter();
        list.map(|(m, z)| (m, self.find(&Packed::from(&z)).expect("every successor is in Leg(y⁰)")))
            .collect()
    }

    /// Bytes held.
    pub fn memory(&self) -> u64 {
        let back = self.back.get().map_or(0, Rows::bytes);
        self.positions.memory() + self.flags.capacity() as u64 + self.moves.bytes() + back
    }
}

impl Graph for Game {
    fn positions(&self) -> u32 {
        self.len()
    }

    fn root(&self) -> u32 {
        0
    }

    fn find(&self, p: &Packed) -> Option<u32> {
        self.find(p)
    }

    fn degree(&self, id: u32) -> u16 {
        self.successors(id).len() as u16
    }

    fn mates(&self, side: Side) -> Vec<u32> {
        (0..self.len()).filter(|&id| self.side_to_move(id) == side && self.mated(id)).collect()
    }

    fn leaves(&self) -> &[(u32, Value)] {
        &self.leaves
    }

    fn for_each_predecessor(&self, targets: &[u32], found: &mut dyn FnMut(u32)) {
        let back = self.back.get_or_init(|| self.moves.transpose());
        targets.iter().flat_map(|&id| back.row(id)).for_each(|&before| found(before));
    }

    fn memory(&self) -> u64 {
        self.memory()
    }
}
