//! The leaves as the experience of the past, for the search with zones.

use crate::chess::Side;
use crate::chess::board::{Board, ChessMove};
use crate::library::striving::planned_moves;
use crate::pioneer::experience::{Experience, Known};
use crate::tables::TableError;

use super::Goal;
use super::leaf::{Leaf, Leaves, Look};

impl Leaves<'_> {
    /// The leaf by which a goal is known to be reached, if it is.
    ///
    /// # Errors
    /// As [`Tables::ensure`](crate::tables::Tables::ensure).
    pub fn reached(&self, board: &Board, goal: Goal) -> Result<Option<Leaf>, TableError> {
        Ok(match self.look(board, goal)? {
            Look::Reached(leaf) => Some(leaf),
            Look::Lost | Look::Open => None,
        })
    }

    /// A table that cannot be had knows nothing.
    fn is_reached(&self, board: &Board, owner: Side, wins: bool) -> bool {
        self.reached(board, Goal { owner, wins }).is_ok_and(|leaf| leaf.is_some())
    }
}

impl Experience for Leaves<'_> {
    /// Four looks, some microseconds.
    fn known(&self, board: &Board) -> Known {
        if board.legal_moves().is_empty() {
            return Known::NOTHING;
        }
        let us = board.side_to_move();
        let them = us.other();
        if self.is_reached(board, us, true) {
            return Known::exactly(1);
        }
        if self.is_reached(board, them, true) {
            return Known::exactly(-1);
        }
        Known {
            least: if self.is_reached(board, us, false) { 0 } else { -1 },
            most: if self.is_reached(board, them, false) { 0 } else { 1 },
        }
    }

    fn planned(&self, board: &Board, wanted: i32) -> Vec<ChessMove> {
        let us = board.side_to_move();
        planned_moves(board, &|there: &Board| self.is_reached(there, us, wanted > 0))
    }
}
