//! The smallest tree: least cost by depth, deepened until a tree is found and for some plies more.

use hashbrown::HashMap;

use crate::chess::Packed;
use crate::chess::board::{Board, ChessMove, Position};
use crate::limits::{Budget, StopReason};
use crate::tables::TableError;

use super::Goal;
use super::leaf::{Leaves, Look};
use super::tree::Tree;

/// What came of a search.
#[derive(Debug)]
pub struct Explained {
    /// The tree, if there is one.
    pub tree: Option<Tree>,
    /// Positions looked at.
    pub positions: u64,
    /// Why the search ended before it was sure that no smaller tree of its depth exists.
    pub stop: Option<StopReason>,
}

/// More than any tree costs.
const NEVER: u32 = u32::MAX;
/// Plies that are tried beyond the first depth with a tree, in the hope of a smaller one.
const BEYOND: u8 = 4;
/// The deepest tree.
const DEEPEST: u8 = 60;

/// What is known of a position with so many plies left.
#[derive(Clone, Copy)]
struct Cost {
    /// Moves of the smallest tree, or a bound that the search gave up at.
    moves: u32,
    exact: bool,
}

pub(super) struct Search<'a> {
    leaves: &'a Leaves<'a>,
    goal: Goal,
    costs: HashMap<(Packed, u8), Cost>,
    looks: HashMap<Packed, Option<bool>>,
    positions: u64,
    budget: &'a Budget,
}

/// Bytes of an entry of the two tables, roughly.
const ENTRY: u64 = 96;

impl Search<'_> {
    /// Whether a position is a leaf: reached or lost; `None` otherwise. Remembered.
    fn leaf(&mut self, board: &Board, key: Packed) -> Result<Option<bool>, TableError> {
        if let Some(&known) = self.looks.get(&key) {
            return Ok(known);
        }
        self.positions += 1;
        if self.positions.is_multiple_of(256) {
            let bytes = (self.costs.len() + self.looks.len()) as u64 * ENTRY;
            self.budget.progress().advance(self.positions);
            self.budget.check(self.positions, bytes).map_err(TableError::Stopped)?;
        }
        let found = match self.leaves.look(board, self.goal)? {
            Look::Reached(_) => Some(true),
            Look::Lost => Some(false),
            Look::Open => None,
        };
        self.looks.insert(key, found);
        Ok(found)
    }

    /// The moves of the smallest tree at most `depth` plies deep, if it has at most `limit`.
    fn cost(&mut self, board: &Board, depth: u8, limit: u32) -> Result<u32, TableError> {
        let key = board.packed();
        match self.leaf(board, key)? {
            Some(true) => return Ok(0),
            Some(false) => return Ok(NEVER),
            None if depth == 0 || limit == 0 => return Ok(NEVER),
            None => {}
        }
        if let Some(known) = self.costs.get(&(key, depth))
            && (known.exact || known.moves > limit)
        {
            return Ok(if known.exact && known.moves <= limit { known.moves } else { NEVER });
        }
        let own = board.chess().turn() == self.goal.owner;
        let found = if own { self.cheapest(board, depth, limit)? } else { self.sum(board, depth, limit)? };
        let cost = match found {
            NEVER => Cost { moves: if limit == NEVER { NEVER } else { limit + 1 }, exact: limit == NEVER },
            moves => Cost { moves, exact: true },
        };
        self.costs.insert((key, depth), cost);
        Ok(found)
    }

    fn cheapest(&mut self, board: &Board, depth: u8, limit: u32) -> Result<u32, TableError> {
        let mut best = NEVER;
        for m in &board.legal_moves() {
            // A tree must be smaller than the best so far.
            let room = limit.min(best.saturating_sub(1));
            if room == 0 {
                break;
            }
            let room = if room == NEVER { NEVER } else { room - 1 };
            let after = self.cost(&board.after(*m), depth - 1, room)?;
            if after != NEVER {
                best = best.min(after + 1);
            }
        }
        Ok(best)
    }

    fn sum(&mut self, board: &Board, depth: u8, limit: u32) -> Result<u32, TableError> {
        let replies: Vec<Board> = board.legal_moves().iter().map(|m| board.after(*m)).collect();
        // A refutation seen at once ends the work; and every reply is a move of the tree.
        for reply in &replies {
            if self.leaf(reply, reply.packed())? == Some(false) {
                return Ok(NEVER);
            }
        }
        let mut sum = replies.len() as u32;
        for reply in &replies {
            if sum > limit {
                return Ok(NEVER);
            }
            let room = if limit == NEVER { NEVER } else { limit - sum };
            match self.cost(reply, depth - 1, room)? {
                NEVER => return Ok(NEVER),
                after => sum += after,
            }
        }
        Ok(if sum <= limit { sum } else { NEVER })
    }

    /// The owner's move that begins a smallest tree of this depth, where [`Search::cost`] found one.
    pub(super) fn choice(&mut self, board: &Board, depth: u8) -> Result<Option<ChessMove>, TableError> {
        let cost = self.cost(board, depth, NEVER)?;
        for m in &board.legal_moves() {
            let room = cost.saturating_sub(1);
            if cost != NEVER && self.cost(&board.after(*m), depth - 1, room)? == room {
                return Ok(Some(*m));
            }
        }
        Ok(None)
    }

    pub(super) fn leaves(&self) -> &Leaves<'_> {
        self.leaves
    }

    pub(super) fn goal(&self) -> Goal {
        self.goal
    }
}

/// Looks for the smallest tree that shows a goal. Memory grows by some hundred bytes a position looked at.
///
/// # Errors
/// As [`Tables::ensure`](crate::tables::Tables::ensure); a budget that ends is told in the answer.
pub fn explain(root: &Board, goal: Goal, leaves: &Leaves<'_>, budget: &Budget) -> Result<Explained, TableError> {
    let (costs, looks) = (HashMap::new(), HashMap::new());
    let mut search = Search { leaves, goal, costs, looks, positions: 0, budget };
    let (mut best, mut best_depth, mut stop) = (NEVER, 0, None);
    for depth in 0..=DEEPEST {
        if best != NEVER && depth > best_depth + BEYOND {
            break;
        }
        budget.progress().stage(&format!("trees of {depth} plies"), None);
        match search.cost(root, depth, best.saturating_sub(u32::from(best != NEVER))) {
            Ok(NEVER) => {}
            Ok(cost) => (best, best_depth) = (cost, depth),
            Err(TableError::Stopped(reason)) => {
                stop = Some(reason);
                break;
            }
            Err(error) => return Err(error),
        }
    }
    // The tree is read off what is known already; it must not fail on the same limit.
    let unlimited = Budget::new(crate::limits::Limits::default());
    search.budget = &unlimited;
    let tree = if best == NEVER { None } else { Some(Tree::read(&mut search, root, best_depth)?) };
    Ok(Explained { tree, positions: search.positions, stop })
}
