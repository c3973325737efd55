//! Leg(y⁰) listed breadth first.
//!
//! # References
//! * R. V. Khelemendik, *On the solution of chess positions using computational tree logic*, §3:
//!   Leg(y⁰) (docs/theory.md §5).

use super::{BLACK_TO_MOVE, Game, IN_CHECK, LEAF};
use crate::chess::Value;
use crate::chess::board::Board;
use crate::chess::{Interner, Packed, Profile, Vector, in_check, successors};
use crate::kripke::Rows;
use crate::limits::{Budget, StopReason};
use rayon::prelude::*;
use std::sync::OnceLock;

/// Exploration ended before Leg(y⁰) was complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{reason} after {positions} positions")]
pub struct Stopped {
    /// Why.
    pub reason: StopReason,
    /// Positions listed so far.
    pub positions: u64,
}

/// Positions expanded together: enough to keep all threads busy, few enough to stay in the caches.
const BATCH: u32 = 4096;
/// Positions per parallel task.
const TASK: usize = 256;

/// The values of positions that need not be expanded.
type Leaf<'a> = &'a (dyn Fn(&Packed) -> Option<Value> + Sync);

/// What a position expands to.
struct Expanded {
    /// For each position of the task: its flags and how many successors it has.
    heads: Vec<(u8, u32)>,
    /// All their successors, one after another.
    successors: Vec<Packed>,
    /// For each leaf: its number in the task, and its value.
    leaves: Vec<(u32, Value)>,
}

fn flags(black_to_move: bool, check: bool) -> u8 {
    (if black_to_move { BLACK_TO_MOVE } else { 0 }) | if check { IN_CHECK } else { 0 }
}

impl Expanded {
    fn add(&mut self, profile: Profile, leaf: Leaf<'_>, p: &Packed) {
        if let Some(value) = leaf(p) {
            self.leaves.push((self.heads.len() as u32, value));
            self.heads.push((flags(!p.white_to_move(), false) | LEAF, 0));
            return;
        }
        let before = self.successors.len();
        let check = match profile {
            Profile::Fide => {
                let board = Board::of_legal(p);
                self.successors
                    .extend(board.legal_moves().into_iter().map(|m| board.after(m).packed()));
                board.in_check()
            }
            Profile::Paper => {
                let y = p.vector().expect("an interned position");
                self.successors
                    .extend(successors(profile, &y).iter().map(|(_, z)| Packed::from(z)));
                in_check(&y)
            }
        };
        self.heads
            .push((flags(!p.white_to_move(), check), (self.successors.len() - before) as u32));
    }

    fn of(profile: Profile, leaf: Leaf<'_>, positions: &[Packed]) -> Self {
        let mut out = Self {
            heads: Vec::with_capacity(positions.len()),
            successors: Vec::new(),
            leaves: Vec::new(),
        };
        positions.iter().for_each(|p| out.add(profile, leaf, p));
        out
    }
}

impl Game {
    /// Lists Leg(y⁰). Moves are generated in parallel, positions interned in one thread in a fixed
    /// order, so ids do not depend on the number of threads. About 200 ns an edge on one thread.
    ///
    /// # Errors
    /// When a limit of the budget is reached first.
    pub fn explore(root: &Vector, profile: Profile, budget: &Budget) -> Result<Self, Stopped> {
        Self::explore_to(root, profile, budget, &|_| None)
    }

    /// Lists Leg(y⁰) as far as the positions to which `leaf` gives a value; those are not expanded.
    /// [`super::Values`] is then exact if the leaves' values are.
    ///
    /// # Errors
    /// When a limit of the budget is reached first.
    pub fn explore_to(
        root: &Vector,
        profile: Profile,
        budget: &Budget,
        leaf: &(dyn Fn(&Packed) -> Option<Value> + Sync),
    ) -> Result<Self, Stopped> {
        let mut game = Self {
            profile,
            positions: Interner::new(root.men()),
            flags: Vec::new(),
            moves: Rows::default(),
            back: OnceLock::new(),
            leaves: Vec::new(),
        };
        game.positions.insert(&Packed::from(root));
        budget.progress().stage("exploring positions", None);
        let parallel = budget.limits().threads > 1;
        let mut next = 0_u32;
        while (next as usize) < game.positions.len() {
            let stopped = |reason| Stopped { reason, positions: game.positions.len() as u64 };
            budget.check(u64::from(next), game.memory()).map_err(stopped)?;
            if next.is_multiple_of(16 * BATCH) {
                budget.progress().advance(game.positions.len() as u64);
            }
            let end = (game.positions.len() as u32).min(next + BATCH);
            let batch: Vec<Packed> = (next..end).map(|id| game.positions.at(id)).collect();
            if parallel && batch.len() > TASK {
                let parts: Vec<Expanded> =
                    batch.par_chunks(TASK).map(|part| Expanded::of(profile, leaf, part)).collect();
                parts.iter().for_each(|part| game.take_in(part));
            } else {
                game.take_in(&Expanded::of(profile, leaf, &batch));
            }
            next = end;
        }
        Ok(game)
    }

    fn take_in(&mut self, expanded: &Expanded) {
        let first = self.flags.len() as u32;
        self.leaves.extend(expanded.leaves.iter().map(|&(at, value)| (first + at, value)));
        let mut rest = expanded.successors.as_slice();
        for &(flags, count) in &expanded.heads {
            let (own, others) = rest.split_at(count as usize);
            rest = others;
            for p in own {
                let (id, _) = self.positions.insert(p);
                self.moves.push(id);
            }
            self.moves.end_row();
            self.flags.push(flags);
        }
    }
}
