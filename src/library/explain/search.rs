//! The cost of a tree, found under a limit.
//!
//! A tree's cost is its number of moves, lines that meet counted each time. Under a limit every
//! move uses some of it up, so lines cannot run on for ever and no depth is needed: positions in
//! which the opponent has many replies are dear, and are left soon. What a position costs, or that
//! it costs more than a limit, is remembered for the next limit.

use hashbrown::HashMap;

use crate::chess::Outcome;
use crate::chess::Packed;
use crate::chess::board::{Board, ChessMove};
use crate::limits::Budget;
use crate::tables::TableError;

use crate::library::endgames::Class;
use crate::library::striving::{Bounds, strive};
use crate::pioneer::image::Horizon;
use crate::pioneer::propose::proposed_moves;

use super::Goal;
use super::leaf::{Leaves, Look};

/// Striving: the library and what counts as close.
#[derive(Debug, Clone, Copy)]
pub struct Striver<'a> {
    /// The library.
    pub classes: &'a [Class],
    /// How close is close.
    pub bounds: Bounds,
}

/// More than any tree costs.
pub(super) const NEVER: u32 = u32::MAX;
/// The cost of the largest tree looked for: nobody reads more.
pub(super) const LARGEST: u32 = 4096;

/// What is known of a position's cost: at least so much, or exactly.
#[derive(Clone, Copy)]
pub(super) struct Cost {
    pub(super) moves: u32,
    exact: bool,
}

/// A position's cost by what is known without moving. About 80 bytes each.
pub(super) struct Search<'a> {
    leaves: &'a Leaves<'a>,
    goal: Goal,
    /// The owner moves towards close library positions where it can, and nowhere else then.
    striver: Option<Striver<'a>>,
    /// The owner's moves are those of its zones within this horizon.
    zones: Option<Horizon>,
    costs: HashMap<Packed, Cost>,
    pub(super) positions: u64,
    pub(super) budget: &'a Budget,
}

/// Bytes of an entry of the table.
const ENTRY: u64 = 80;

impl<'a> Search<'a> {
    /// What is known of a position's cost: leaves cost nothing or are out of reach, others at least
    /// a move.
    pub(super) fn known(&mut self, board: &Board, key: Packed) -> Result<Cost, TableError> {
        if let Some(&known) = self.costs.get(&key) {
            return Ok(known);
        }
        self.positions += 1;
        if self.positions.is_multiple_of(256) {
            self.budget.progress().advance(self.positions);
            self.budget
                .check(self.positions, self.costs.len() as u64 * ENTRY)
                .map_err(TableError::Stopped)?;
        }
        let cost = match self.leaves.look(board, self.goal)? {
            Look::Reached(_) => Cost { moves: 0, exact: true },
            Look::Lost => Cost { moves: NEVER, exact: true },
            Look::Open => Cost { moves: 1, exact: false },
        };
        self.costs.insert(key, cost);
        Ok(cost)
    }

    /// The moves of the smallest tree, if there is one of at most `limit`; else [`NEVER`].
    pub(super) fn cost(&mut self, board: &Board, limit: u32) -> Result<u32, TableError> {
        let key = board.packed();
        let known = self.known(board, key)?;
        if known.exact || known.moves > limit {
            return Ok(if known.moves <= limit { known.moves } else { NEVER });
        }
        let own = board.side_to_move() == self.goal.owner;
        let found = if own { self.cheapest(board, limit)? } else { self.sum(board, limit)? };
        let cost = match found {
            NEVER => Cost { moves: limit + 1, exact: false },
            moves => Cost { moves, exact: true },
        };
        self.costs.insert(key, cost);
        Ok(found)
    }

    /// The positions after each move, with what is known of them.
    fn after(&mut self, board: &Board) -> Result<Vec<(Cost, Board)>, TableError> {
        let moves = board.legal_moves();
        moves
            .iter()
            .map(|m| {
                let after = board.after(*m);
                Ok((self.known(&after, after.packed())?, after))
            })
            .collect()
    }

    fn cheapest(&mut self, board: &Board, limit: u32) -> Result<u32, TableError> {
        let mut after = self.after(board)?;
        self.keep_zones(board, &mut after);
        self.keep_planned(board, &mut after);
        after.sort_by_key(|(cost, _)| cost.moves);
        let mut best = NEVER;
        for (cost, board) in after {
            let room = limit.min(best - 1);
            if cost.moves >= room {
                break;
            }
            let found = self.cost(&board, room - 1)?;
            if found != NEVER {
                best = found + 1;
            }
        }
        Ok(best)
    }

    /// Leaves the moves along planned trajectories, if there are some and no move reaches the goal
    /// at once; moves towards worse positions are left out while there are others (anti-striving).
    fn keep_planned(&self, board: &Board, after: &mut Vec<(Cost, Board)>) {
        let Some(striver) = self.striver else { return };
        if after.iter().any(|(cost, _)| cost.moves == 0) {
            return;
        }
        let striving = strive(striver.classes, board, striver.bounds);
        let owner = self.goal.owner;
        let wanted = if self.goal.wins { Outcome::Wins(owner) } else { Outcome::Draw };
        let priorities: Vec<i32> =
            board.legal_moves().iter().map(|m| striving.priority(m, owner, wanted)).collect();
        let best = priorities.iter().copied().max().unwrap_or(0);
        let mut priorities = priorities.into_iter();
        after.retain(|_| priorities.next() == Some(best));
    }

    /// Leaves the moves of the owner's zones.
    fn keep_zones(&self, board: &Board, after: &mut Vec<(Cost, Board)>) {
        let moves = board.legal_moves();
        let mut proposed = moves.iter().map(|m| self.proposes(board, m));
        after.retain(|_| proposed.next() == Some(true));
    }

    fn proposes(&self, board: &Board, m: &ChessMove) -> bool {
        self.zones.is_none_or(|horizon| proposed_moves(board, self.goal.owner, horizon).contains(m))
    }

    fn sum(&mut self, board: &Board, limit: u32) -> Result<u32, TableError> {
        let mut after = self.after(board)?;
        let least = |list: &[(Cost, Board)]| {
            list.iter().fold(0u32, |sum, (cost, _)| sum.saturating_add(cost.moves))
        };
        let mut sum = least(&after).saturating_add(after.len() as u32);
        // The dearest first: it is the likeliest to break the limit.
        after.sort_by_key(|(cost, _)| std::cmp::Reverse(cost.moves));
        for (cost, board) in after.iter().filter(|(cost, _)| !cost.exact) {
            if sum > limit {
                break;
            }
            let others = sum - cost.moves;
            match self.cost(board, limit - others)? {
                NEVER => return Ok(NEVER),
                moves => sum = others + moves,
            }
        }
        Ok(if sum <= limit { sum } else { NEVER })
    }

    /// The owner's move that begins a smallest tree, where one was found.
    pub(super) fn choice(&mut self, board: &Board) -> Result<Option<ChessMove>, TableError> {
        let cost = self.cost(board, LARGEST)?;
        for m in &board.legal_moves() {
            if cost != NEVER
                && self.proposes(board, m)
                && self.cost(&board.after(*m), cost - 1)? == cost - 1
            {
                return Ok(Some(*m));
            }
        }
        Ok(None)
    }

    /// A search that knows nothing yet.
    pub(super) fn new(
        leaves: &'a Leaves<'a>,
        goal: Goal,
        striver: Option<Striver<'a>>,
        zones: Option<Horizon>,
        budget: &'a Budget,
    ) -> Self {
        Self { leaves, goal, striver, zones, costs: HashMap::new(), positions: 0, budget }
    }

    /// The same search, with what it knows, within another budget.
    pub(super) fn within<'b>(self, budget: &'b Budget) -> Search<'b>
    where
        'a: 'b,
    {
        Search { budget, ..self }
    }

    pub(super) fn leaves(&self) -> &Leaves<'_> {
        self.leaves
    }

    pub(super) fn goal(&self) -> Goal {
        self.goal
    }
}
