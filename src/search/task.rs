//! What a proof search is asked: who attacks, with which moves, towards which goal, and what is known beforehand.

use crate::chess::board::{Board, Color, MoveList, Position};
use crate::tables::Value;

/// The attacker's moves that may be used in a position: legal moves, all or some of them.
pub type Moves<'a> = dyn Fn(&Board) -> MoveList + Sync + 'a;
/// A property of positions.
pub type Goal<'a> = dyn Fn(&Board) -> bool + Sync + 'a;
/// The value of a position for the side to move with its exact distance to mate, where it is known (tables).
pub type Probe<'a> = dyn Fn(&Board) -> Option<Value> + Sync + 'a;

/// The probe that knows nothing.
pub fn no_probe(_: &Board) -> Option<Value> {
    None
}

/// The attacker tries to reach the goal by force; the defender has all its legal moves.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// The side that tries.
    pub attacker: Color,
    /// The attacker's moves; `None`: all of them.
    pub moves: Option<&'a Moves<'a>>,
    /// The goal, tested in every position whoever moves; `None`: the defender is mated. A game that ends elsewhere has
    /// failed.
    pub goal: Option<&'a Goal<'a>>,
    /// Known values. Used when the goal is mate only: a draw or a loss ends the attempt, a win counts with its distance.
    pub probe: &'a Probe<'a>,
}

impl<'a> Task<'a> {
    /// Mate by all moves, nothing known beforehand.
    pub fn mate(attacker: Color) -> Self {
        Self { attacker, moves: None, goal: None, probe: &no_probe }
    }

    /// The same task with known values.
    #[must_use]
    pub fn with_probe(self, probe: &'a Probe<'a>) -> Self {
        Self { probe, ..self }
    }

    /// The same task with the attacker's moves restricted. A failure then says nothing about the unrestricted task.
    #[must_use]
    pub fn with_moves(self, moves: &'a Moves<'a>) -> Self {
        Self { moves: Some(moves), ..self }
    }

    /// The same attacker with another goal than mate.
    #[must_use]
    pub fn with_goal(self, goal: &'a Goal<'a>) -> Self {
        Self { goal: Some(goal), ..self }
    }

    /// The moves that the search follows in a position.
    pub(super) fn moves_in(&self, board: &Board) -> MoveList {
        match self.moves {
            Some(moves) if board.chess().turn() == self.attacker => moves(board),
            _ => board.legal_moves(),
        }
    }

    /// The probed distance to the goal: `Some(None)` when the attacker cannot reach it.
    pub(super) fn known_distance(&self, board: &Board) -> Option<Option<u16>> {
        if self.goal.is_some() {
            return None;
        }
        let value = (self.probe)(board)?;
        Some(match (value, board.chess().turn() == self.attacker) {
            (Value::Win(plies), true) | (Value::Loss(plies), false) => Some(plies),
            _ => None,
        })
    }
}
