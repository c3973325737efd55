//! The engine: one search that is given the alternation.
//!
//! Each node asks whether the last `left` turns of the script can be fulfilled from a position: at a
//! turn of [`Choice::Some`] one move has to lead on, at one of [`Choice::Every`] all of them. Answers
//! are stored by the whole position ([`super::table`]); where the aim counts only at the last ply they
//! belong to the exact number of plies, else they hold for more plies (fulfilled) or for fewer (not).
//!
//! # References
//! * D. E. Knuth, R. W. Moore, *An analysis of alpha-beta pruning*, 1975: the AND/OR tree.
//! * S. G. Akl, M. M. Newborn, *The principal continuation and the killer heuristic*, 1977.

use super::arrival::may_mate;
use super::script::{Choice, Script, Turn};
use super::stipulation::Goal;
use super::table::{Key, Table};
use crate::chess::Side;
use crate::chess::board::{Chess, ChessMove, Position, passed};
use crate::limits::{Budget, StopReason};
use crate::search::{Checks, is_mated, mate_in_one};
use std::sync::atomic::{AtomicU64, Ordering};

/// Positions between two looks at the budget.
const LOOK: u64 = 1024;

/// Bytes of the table where no limit is set: short stipulations visit few positions.
fn table_bytes(plies: usize) -> u64 {
    match plies {
        0..=2 => 0,
        3 => 1 << 20,
        4 => 32 << 20,
        _ => ENDLESS,
    }
}

/// Bytes for the longest stipulations.
const ENDLESS: u64 = 512 << 20;

/// The most bytes that a table takes, however many are allowed.
const MOST_BYTES: u64 = 8 << 30;

/// A question that several threads work at.
pub(super) struct Engine<'a> {
    pub(super) script: &'a Script,
    table: Table,
    budget: &'a Budget,
    bytes: u64,
    visited: AtomicU64,
    /// The side that makes the last ply of the script.
    mater: Side,
}

impl<'a> Engine<'a> {
    /// An engine for a script whose first ply `mover` makes.
    pub(super) fn new(script: &'a Script, mover: Side, budget: &'a Budget) -> Self {
        let memory = budget.limits().memory;
        let enough = table_bytes(script.plies());
        let bytes = memory.map_or(enough, |memory| match enough {
            // With memory to spare the longest searches have more.
            ENDLESS => (memory / 2).min(MOST_BYTES),
            _ => enough.min(memory / 2),
        });
        let mater = if script.is_last_mover(script.plies()) { mover } else { mover.other() };
        let visited = AtomicU64::new(0);
        let table = Table::new(bytes);
        // The smallest table may be more than is allowed: then the first look at the budget ends it.
        let bytes = table.bytes();
        Self { script, table, budget, bytes, visited, mater }
    }

    /// Positions visited so far.
    pub(super) fn visited(&self) -> u64 {
        self.visited.load(Ordering::Relaxed)
    }

    /// A search with its own killers, on the common table.
    pub(super) fn worker(&self) -> Worker<'_> {
        Worker {
            engine: self,
            pending: 0,
            steps: 0,
            killers: vec![None; self.script.plies() + 1],
            history: vec![0; 64 * 64],
        }
    }
}

/// The position after a move.
pub(super) fn after(chess: &Chess, m: ChessMove) -> Chess {
    let mut next = chess.clone();
    next.play_unchecked(m);
    next
}

/// Whether the aim is reached: the side to move is mated, or stalemated.
pub(super) fn is_reached(chess: &Chess, goal: Goal) -> bool {
    match goal {
        Goal::Mate => chess.is_check() && is_mated(chess),
        Goal::Stalemate => !chess.is_check() && chess.legal_moves().is_empty(),
    }
}

/// Whether the side to move can reach the aim with this move.
pub(super) fn can_reach(chess: &Chess, goal: Goal) -> bool {
    match goal {
        Goal::Mate => mate_in_one(chess).is_some(),
        Goal::Stalemate => {
            chess.legal_moves().iter().any(|&m| is_reached(&after(chess, m), Goal::Stalemate))
        }
    }
}

/// The position in which the next turn is played, where the move may be played at this turn.
pub(super) fn follow(chess: &Chess, m: ChessMove, turn: Turn) -> Option<Chess> {
    let next = after(chess, m);
    if !turn.series {
        return Some(next);
    }
    if next.is_check() { None } else { passed(&next) }
}

/// One thread's search.
pub(super) struct Worker<'e> {
    engine: &'e Engine<'e>,
    pending: u64,
    steps: u64,
    /// By plies left: the last move that refuted.
    killers: Vec<Option<ChessMove>>,
    /// Refutations by from and to square.
    history: Vec<u32>,
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        self.engine.visited.fetch_add(self.pending, Ordering::Relaxed);
    }
}

fn from_to(m: ChessMove) -> usize {
    m.from().map_or(0, |square| square as usize) * 64 + m.to() as usize
}

impl Worker<'_> {
    fn step(&mut self) -> Result<(), StopReason> {
        self.pending += 1;
        self.steps += 1;
        if self.pending >= LOOK {
            self.look()?;
        }
        Ok(())
    }

    /// Tells the engine what was visited, and looks at the budget.
    ///
    /// # Errors
    /// The limit that is reached.
    pub(super) fn look(&mut self) -> Result<(), StopReason> {
        let pending = std::mem::take(&mut self.pending);
        let visited = self.engine.visited.fetch_add(pending, Ordering::Relaxed) + pending;
        self.engine.budget.check(visited, self.engine.bytes)
    }

    fn key(&self, chess: &Chess, left: usize) -> Key {
        Key::new(chess, if self.engine.script.early { 0 } else { left })
    }

    /// Whether the men can arrive in time.
    fn may_arrive(&self, chess: &Chess, left: usize) -> bool {
        let (own, other) = self.engine.script.moves_left(left);
        self.engine.script.goal == Goal::Stalemate || may_mate(chess, self.engine.mater, own, other)
    }

    /// Whether the last `left` turns can be fulfilled from a position. With no turn left they cannot.
    ///
    /// # Errors
    /// The limit that was reached.
    pub(super) fn holds(&mut self, chess: &Chess, left: usize) -> Result<bool, StopReason> {
        if left == 0 {
            return Ok(false);
        }
        self.step()?;
        let turn = self.engine.script.turn(left);
        let goal = self.engine.script.goal;
        match (turn.choice, left) {
            (Choice::Some, 1) => return Ok(can_reach(chess, goal)),
            (Choice::Some, _) if turn.duty && can_reach(chess, goal) => return Ok(false),
            (Choice::Every, _) if turn.duty && can_reach(chess, goal) => return Ok(true),
            (Choice::Every, 1) => return Ok(!turn.duty && self.all_reach(chess, goal)),
            _ => {}
        }
        let key = self.key(chess, left);
        let known = self.engine.table.get(&key);
        if let Some(answer) = known.within(left) {
            return Ok(answer);
        }
        if !self.may_arrive(chess, left) {
            return Ok(false);
        }
        let before = self.steps;
        let (answer, plies) = match turn.choice {
            Choice::Some if turn.aims && can_reach(chess, goal) => (true, 1),
            Choice::Some => (self.some(chess, left, turn)?, left),
            Choice::Every => (self.every(chess, left, turn)?, left),
        };
        self.engine.table.put(&key, plies, answer, self.steps - before);
        Ok(answer)
    }

    /// Whether every legal move reaches the aim, and there is one.
    fn all_reach(&mut self, chess: &Chess, goal: Goal) -> bool {
        let killer = self.killers[1];
        let checks = Checks::new(chess);
        let fails = |m: ChessMove| {
            goal == Goal::Mate && !checks.given_by(chess, m) || !is_reached(&after(chess, m), goal)
        };
        let moves = chess.legal_moves();
        if let Some(killer) = killer.filter(|killer| moves.contains(killer))
            && fails(killer)
        {
            return false;
        }
        let failing = moves.iter().copied().find(|&m| fails(m));
        self.killers[1] = failing.or(killer);
        failing.is_none() && !moves.is_empty()
    }

    fn some(&mut self, chess: &Chess, left: usize, turn: Turn) -> Result<bool, StopReason> {
        if !self.engine.script.early {
            for m in chess.legal_moves() {
                if let Some(next) = follow(chess, m, turn)
                    && self.holds(&next, left - 1)?
                {
                    return Ok(true);
                }
            }
            return Ok(false);
        }
        for (_, next) in self.ordered(chess, left, turn) {
            if self.holds(&next, left - 1)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The positions after the moves of a side that compels, the most forcing first; what is known
    /// not to lead on is left out.
    fn ordered(&self, chess: &Chess, left: usize, turn: Turn) -> Vec<(usize, Chess)> {
        let checks = Checks::new(chess);
        let mut children = Vec::with_capacity(48);
        for m in chess.legal_moves() {
            let Some(next) = follow(chess, m, turn) else { continue };
            let checking = checks.given_by(chess, m);
            let mut rank = if checking { 0 } else { 1000 };
            if left > 4 {
                let known = self.engine.table.get(&self.key(&next, left - 1));
                match known.within(left - 1) {
                    Some(true) => return vec![(0, next)],
                    Some(false) => continue,
                    None => {}
                }
            }
            if left > 4 || checking {
                rank += 4 * next.legal_moves().len();
            }
            if m.is_capture() || m.is_promotion() {
                rank = rank.saturating_sub(2);
            }
            children.push((rank, next));
        }
        children.sort_by_key(|&(rank, _)| rank);
        children
    }

    fn every(&mut self, chess: &Chess, left: usize, turn: Turn) -> Result<bool, StopReason> {
        let mut moves = chess.legal_moves();
        if moves.is_empty() {
            return Ok(false);
        }
        let killer = self.killers[left];
        moves.sort_by_cached_key(|&m| {
            let refuted = u32::MAX - self.history[from_to(m)];
            (Some(m) != killer, refuted.saturating_sub(if m.is_capture() { 8 } else { 0 }))
        });
        let goal = self.engine.script.goal;
        for m in moves {
            let next = after(chess, m);
            if turn.aims && is_reached(&next, goal) {
                continue;
            }
            if !self.holds(&next, left - 1)? {
                self.killers[left] = Some(m);
                let times = &mut self.history[from_to(m)];
                *times = times.saturating_add(left as u32);
                return Ok(false);
            }
        }
        Ok(true)
    }
}
