//! Both sides' guesses at one position, in turns with a proof search.

use super::hold::Fortress;
use super::hunt::{Hunt, Spell};
use super::levels::Plan;
use super::restriction::closed_jail;
use super::shorten::Shortening;
use crate::aim::Goal;
use crate::certificate::Strategy;
use crate::chess::Side;
use crate::chess::board::{Board, BySide, Position};
use crate::chess::fen;
use crate::limits::Budget;
use crate::search::{Aside, AsideTurn, LeafTables, told_hold, told_win};
use crate::strategy::{BuildError, win};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The share of a turn of the other side's wins, and of holds: one of so many.
const OTHERS: u64 = 4;

/// What the search finds at all it mostly finds before turns of so many positions. Unless guesses win
/// seldom, they get so many times as much then.
const LATE: u64 = 1 << 19;
const MORE: u64 = 3;

/// Where the defender's men are mostly free, guesses seldom win: they then get one of so many parts
/// of their turns. So many men that are locked in make a position worth the whole turn.
const SELDOM: u64 = 8;
const LOCKED: u32 = 4;

/// Positions of a first turn and of the longest, where there is no search beside them.
const FIRST_TURN: u64 = 1 << 12;
const LAST_TURN: u64 = 1 << 20;

/// A win by a guess.
#[derive(Debug, Clone)]
pub struct Found {
    /// The winner.
    pub side: Side,
    /// The winner's move in every position that can arise.
    pub plan: Plan,
}

impl Found {
    /// The winning strategy, and the plies it takes at most.
    ///
    /// # Errors
    /// When the budget ends, or the plan is no strategy: a mistake of the guess.
    pub fn strategy(&self, root: &Board, budget: &Budget) -> Result<(Strategy, u32), BuildError> {
        win(None, root, self.side, budget, &mut |board| {
            self.plan.play(board).ok_or_else(|| BuildError::NoMate(fen(&board.vector())))
        })
    }
}

/// The hunts of the sides that may win or hold, the side to move first.
#[derive(Debug)]
pub struct Guesses {
    root: Board,
    wins: Vec<(Side, Hunt)>,
    holds: Vec<(Side, Hunt)>,
    /// The wins by guesses, each shorter than the one before.
    found: Mutex<Vec<Found>>,
    /// What is listed for a shorter win, and the side whose win it is.
    shortening: Mutex<Option<(Side, Shortening)>>,
    /// How White and how Black hold.
    fortresses: Mutex<[Option<Fortress>; 2]>,
    /// Whether White's and whether Black's hold is proved by another method, so that it is not looked
    /// for, nor a win against it.
    spared: [AtomicBool; 2],
    /// One of so many parts of a turn is taken.
    part: u64,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Guesses {
    /// Guesses at the wins and the holds of White and of Black, where these are asked for.
    pub fn new(root: &Board, wins: [bool; 2], holds: [bool; 2]) -> Self {
        let mover = root.side_to_move();
        let armed = |side: Side| root.chess().board().men_of(side).count() > 1;
        let sides = [mover, mover.other()].into_iter();
        let winners = sides.clone().filter(|&side| wins[side as usize] && armed(side));
        let holders = sides.filter(|&side| holds[side as usize]);
        let locked = |side: &Side| closed_jail(root, side.other()).count_ones() >= LOCKED;
        let part = if winners.clone().any(|side| locked(&side)) { 1 } else { SELDOM };
        Self {
            root: root.clone(),
            part,
            wins: winners.map(|side| (side, Hunt::new(root, side))).collect(),
            holds: holders.map(|side| (side, Hunt::for_hold(root, side))).collect(),
            found: Mutex::new(Vec::new()),
            shortening: Mutex::new(None),
            fortresses: Mutex::new([None, None]),
            spared: Default::default(),
        }
    }

    /// The same guesses, those how to hold with tables where few men are left.
    #[must_use]
    pub fn ended_by(self, tables: &LeafTables) -> Self {
        let with = |(side, hunt): (Side, Hunt)| (side, hunt.ended_by(tables));
        Self { holds: self.holds.into_iter().map(with).collect(), ..self }
    }

    /// The same guesses with the owner's moves limited to those after which a goal holds.
    #[must_use]
    pub fn keeping(self, keep: &Arc<Goal>) -> Self {
        let with = |hunts: Vec<(Side, Hunt)>| {
            hunts.into_iter().map(|(side, hunt)| (side, hunt.keeping(keep))).collect()
        };
        Self { wins: with(self.wins), holds: with(self.holds), ..self }
    }

    /// The shortest win by now, if there is one. The one before it is the shortest then: where the
    /// plan of one should be no strategy, another proves the win.
    pub fn take(&self) -> Option<Found> {
        lock(&self.found).pop()
    }

    /// How White and how Black hold, where that is proved by now.
    pub fn fortresses(&self) -> [Option<Fortress>; 2] {
        lock(&self.fortresses).clone()
    }

    /// Looks for a side's hold, and for a win against it, no more, or does again.
    pub fn spare(&self, side: Side, spared: bool) {
        self.spared[side as usize].store(spared, Ordering::Relaxed);
    }

    /// Whether nothing is left to be found out of a side's hold.
    fn is_held(&self, side: Side) -> bool {
        self.holds()[side as usize] || self.spared[side as usize].load(Ordering::Relaxed)
    }

    /// Positions listed so far.
    pub fn listed(&self) -> u64 {
        self.wins.iter().chain(&self.holds).map(|(_, hunt)| hunt.listed()).sum()
    }

    /// Restrictions tried so far.
    pub fn tried(&self) -> u64 {
        self.wins.iter().chain(&self.holds).map(|(_, hunt)| hunt.tried()).sum()
    }

    /// Turns until a guess wins, both sides hold, or the budget ends; with no search beside them.
    pub fn run(&self, threads: usize, budget: &Budget) {
        let mut turn = FIRST_TURN;
        while !self.has_decided() && self.turn(turn, threads, budget).open {
            turn = (turn * 2).min(LAST_TURN);
        }
    }

    /// Turns that look for a shorter win than the one that a guess has found, until none is left to
    /// find or the budget ends.
    pub fn shorten_all(&self, threads: usize, budget: &Budget) {
        let mut turn = FIRST_TURN;
        while let Some((side, plies)) = self.won()
            && self.shorten(side, plies, turn, threads, budget).open
        {
            turn *= 2;
        }
    }

    /// A turn of one hunt; whether more turns may help.
    fn spell(
        &self,
        (side, hunt): (Side, &Hunt),
        positions: u64,
        threads: usize,
        budget: &Budget,
    ) -> bool {
        match hunt.work(positions, threads, budget) {
            Spell::Won(plan) => {
                budget.progress().proved(&told_win(side, Some(plan.plies())));
                lock(&self.found).push(Found { side, plan: *plan });
            }
            Spell::Held(fortress) => {
                budget.progress().proved(&told_hold(side));
                lock(&self.fortresses)[side as usize] = Some(*fortress);
            }
            Spell::Open => return true,
            Spell::Ended(_) => return false,
        }
        false
    }
}

impl Aside for Guesses {
    fn turn(&self, positions: u64, threads: usize, budget: &Budget) -> AsideTurn {
        let before = self.listed();
        let is_late = self.part == 1 && positions >= LATE;
        let positions = if is_late { positions * MORE } else { positions / self.part };
        let mut open = false;
        for (i, (side, hunt)) in self.wins.iter().enumerate() {
            if !self.is_held(side.other()) && !self.has_decided() {
                let share = if i == 0 { positions } else { positions / OTHERS };
                open |= self.spell((*side, hunt), share, threads, budget);
            }
        }
        for (side, hunt) in &self.holds {
            if !self.is_held(*side) && !self.has_decided() {
                open |= self.spell((*side, hunt), positions / OTHERS, threads, budget);
            }
        }
        let visited = self.listed() - before;
        AsideTurn { visited, open: open && !self.has_decided() }
    }

    fn has_decided(&self) -> bool {
        !lock(&self.found).is_empty() || self.holds() == [true; 2]
    }

    fn won(&self) -> Option<(Side, u16)> {
        lock(&self.found).last().map(|found| (found.side, found.plan.plies()))
    }

    fn shorten(
        &self,
        side: Side,
        plies: u16,
        positions: u64,
        threads: usize,
        budget: &Budget,
    ) -> AsideTurn {
        let mut shortening = lock(&self.shortening);
        if shortening.as_ref().is_none_or(|&(of, _)| of != side) {
            let found = lock(&self.found);
            let won = found.last().filter(|found| found.side == side).map(|found| &found.plan);
            *shortening = Some((side, Shortening::new(&self.root, side, plies, won)));
        }
        let (_, shortening) = shortening.as_mut().expect("just made");
        shortening.beat(plies);
        let done = shortening.turn(positions, threads, budget);
        if let Some(plan) = done.plan {
            budget.progress().proved(&told_win(side, Some(plan.plies())));
            lock(&self.found).push(Found { side, plan });
        }
        AsideTurn { visited: done.listed, open: done.open }
    }

    fn holds(&self) -> [bool; 2] {
        let fortresses = lock(&self.fortresses);
        [fortresses[0].is_some(), fortresses[1].is_some()]
    }
}
