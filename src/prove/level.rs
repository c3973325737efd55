//! Levels of material, from modest to strong: what a side comes out with by force where no value
//! can be proved.
//!
//! A level is the aim "at some moment, with the other side to move, the balance is at least so
//! much, and still is after every reply". The first level is the one that some move reaches at
//! once; it may lie below the present balance, where more is attacked than can be saved. Each proof
//! shows what its ends are worth, and the next attempt asks for more.
//!
//! # References
//! R. V. Khelemendik, *On the solution of chess positions using computational tree logic*, §5
//! (reduced aims); docs/theory.md §7.

use super::aim_prover::{AimProver, Attempt, Reached, Target};
use crate::aim::Goal;
use crate::chess::Move;
use crate::chess::Side;
use crate::chess::board::{Board, move_of};
use crate::pioneer::aims;
use crate::pioneer::play::balance;
use std::time::Duration;

/// What a side comes out with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    /// So many pawns' worth more than the other side, safe from the next reply.
    Material(i32),
    /// Mate.
    Mate,
}

impl Level {
    /// The aim that says so.
    pub(super) fn goal(self, us: Side) -> Goal {
        match self {
            Self::Material(least) => aims::ahead(us, least),
            Self::Mate => aims::mate(us),
        }
    }

    /// The claim in words, said of a side that stands at `now` at present.
    pub(super) fn words(self, us: Side, now: i32) -> String {
        let Self::Material(least) = self else { return format!("{us} mates") };
        let level = match least {
            0 => "with no less material than the other side".to_string(),
            1.. => format!("at least {} ahead", pawns(least)),
            _ => format!("at most {} behind", pawns(-least)),
        };
        let change = match least - now {
            0 => "as it stands".to_string(),
            gain @ 1.. => format!("{} won", pawns(gain)),
            loss => format!("{} lost", pawns(-loss)),
        };
        format!("{us} comes out {level} ({change}), safe from the next reply")
    }
}

fn pawns(n: i32) -> String {
    if n == 1 { "a pawn's worth".into() } else { format!("{n} pawns' worth") }
}

/// The balance that no single reply takes away. A final position keeps its own.
fn lasting(board: &Board, us: Side) -> i32 {
    let after = board.legal_moves().into_iter().map(|m| balance(&board.after(m), us));
    after.min().map_or_else(|| balance(board, us), |worst| worst.min(balance(board, us)))
}

/// The ascent from one position, with the claimant to move.
pub(super) struct Ascent {
    pub(super) from: Board,
    /// The reply that led here; none at the root.
    pub(super) reply: Option<Move>,
    /// The highest level proved, and how.
    pub(super) best: Option<(Level, Reached)>,
    /// Nothing higher can be reached.
    over: bool,
}

impl Ascent {
    pub(super) fn new(from: Board, reply: Option<Move>) -> Self {
        let over = from.legal_moves().is_empty();
        Self { from, reply, best: None, over }
    }

    /// One ascent for each move of the other side, where it is to move at `root`.
    pub(super) fn after_each_reply(root: &Board) -> Vec<Self> {
        let replies = root.legal_moves().into_iter();
        replies.map(|m| Self::new(root.after(m), Some(move_of(&m)))).collect()
    }

    pub(super) fn level(&self) -> Option<Level> {
        Some(self.best.as_ref()?.0)
    }

    /// The level that some move reaches at once.
    fn at_once(&self) -> Option<Level> {
        let us = self.from.side_to_move();
        let moves = self.from.legal_moves().into_iter();
        moves.map(|m| lasting(&self.from.after(m), us)).max().map(Level::Material)
    }

    /// Goes on as long as each attempt succeeds within so many positions.
    pub(super) fn go_on(&mut self, aim_prover: &mut AimProver, slice: u64, shorten: Duration) {
        while self.step(aim_prover, slice, shorten) {}
    }

    /// Tries to reach the next level; whether it did.
    pub(super) fn step(
        &mut self,
        aim_prover: &mut AimProver,
        slice: u64,
        shorten: Duration,
    ) -> bool {
        let us = self.from.side_to_move();
        let next = match self.level() {
            _ if self.over => None,
            None => self.at_once(),
            Some(Level::Material(least)) => Some(Level::Material(least + 1)),
            Some(Level::Mate) => None,
        };
        let Some(next) = next else { return false };
        match aim_prover.reach(&self.from, us, Target::Goal(&next.goal(us)), slice, shorten) {
            Attempt::Reached(reached) => {
                let ends = reached.plan.ends().iter().map(|end| Level::Material(lasting(end, us)));
                let level = ends.min().map_or(next, |least| least.max(next));
                self.best = Some((level, *reached));
                true
            }
            Attempt::Refuted => {
                self.over = true;
                false
            }
            Attempt::Open => false,
        }
    }

    /// Tries to mate, which ends the ascent.
    pub(super) fn mate(&mut self, aim_prover: &mut AimProver, slice: u64) {
        let us = self.from.side_to_move();
        if self.over || self.level() == Some(Level::Mate) {
            return;
        }
        let goal = Level::Mate.goal(us);
        if let Attempt::Reached(reached) =
            aim_prover.reach(&self.from, us, Target::Goal(&goal), slice, Duration::ZERO)
        {
            self.best = Some((Level::Mate, *reached));
        }
    }
}
