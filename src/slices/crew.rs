//! One side's two questions, does it win and is it held, on one thread or on several.
//!
//! A hold is asked on one thread. A win is asked on all that there are: each has a prover of its own
//! with its own guesses, which meets the demands of its strategy in another order, and they share
//! what they prove ([`super::common`]). What one has proved the others need not, for most of a proof
//! has to be shown whatever the order; and the first to come to an end ends the work of all.

use super::closed::{Closing, NotClosed};
use super::closed_set::ClosedSet;
use super::common::Common;
use super::key::Key;
use super::moves::Spot;
use super::play::{Said, Winner, holding, said};
use super::plies::WinningSet;
use super::refine::Prover;
use super::store::Store;
use super::winning::{Growing, NotWritten};
use super::witness::Witness;
use crate::chess::board::{Board, BySide as _, Position as _};
use crate::chess::{Move, Side};
use crate::limits::{Budget, Limits, StopReason};
use crate::tables::Tables;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// What is known of one side's win.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// It wins.
    Wins,
    /// It does not win.
    Not,
    /// It is not decided.
    Open,
}

/// What questions were short of.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Short {
    pub(super) memory: bool,
    pub(super) time: bool,
}

/// What a question may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Share {
    pub(super) time: Duration,
    pub(super) threads: usize,
    /// Bytes, beside those held already.
    pub(super) bytes: Option<u64>,
}

impl Share {
    /// The budget of a thread that may hold so much more than a store does.
    fn budget(&self, whole: &Budget, store: &Store) -> Budget {
        let part = whole.part(self.time);
        let held = store.bytes();
        let memory = self.bytes.map(|free| held + free / self.threads.max(1) as u64);
        part.limited(Limits { memory, ..*part.limits() })
    }
}

/// What a slice of two officers takes; those with one are asked before it.
const DEAR: Duration = Duration::from_millis(400);

/// From this share of the time on slices of two officers are solved with all that they read, in so many
/// times as long.
const CLOSING: Duration = Duration::from_millis(1500);
const CLOSING_SHARE: u32 = 4;

/// The most threads that ask for one win: each has guesses of its own in memory.
const MOST: usize = 16;

/// One attacker's slices.
#[derive(Debug)]
pub(super) struct Pursuit {
    attacker: Side,
    prover: Prover,
    /// What is asked for holds, apart: slices that only a hold has looked into would lead the
    /// guesses for a win astray.
    holder: Prover,
    /// Provers of other threads, once there are any, and what all share.
    others: Vec<Prover>,
    common: Arc<Common>,
    tables: Option<Arc<Tables>>,
    witness: Option<Arc<dyn Witness>>,
    /// Whether even the optimist, or the defender's hope, has given up.
    pub(super) hopeless: [bool; 2],
    /// How many officers move about in the smallest slice of the root, for either attacker.
    least: usize,
    /// Whether slices of three officers are left out.
    pub(super) without_vast: bool,
    /// Whether with several officers holds are asked for in which the defender's pawns stand still alone.
    pub(super) standing: bool,
    /// Whether questions ended for want of memory, and of time, since this was read last.
    short: Short,
}

impl Pursuit {
    pub(super) fn new(attacker: Side) -> Self {
        Self {
            attacker,
            prover: Prover::default(),
            holder: Prover::default(),
            others: Vec::new(),
            common: Arc::default(),
            tables: None,
            witness: None,
            hopeless: [false; 2],
            least: 0,
            without_vast: false,
            standing: false,
            short: Short::default(),
        }
    }

    pub(super) fn known(&self, board: &Board) -> Known {
        match said(&self.prover.store, &self.holder.store, board, self.attacker) {
            Said::Won => Known::Wins,
            Said::Held => Known::Not,
            Said::Nothing => Known::Open,
        }
    }

    /// Whether nothing is left to be asked.
    pub(super) fn is_done(&self, board: &Board) -> bool {
        self.hopeless == [true; 2] || self.known(board) != Known::Open
    }

    /// Has small slices read from tables at hand.
    pub(super) fn read_from(&mut self, tables: &Arc<Tables>) {
        self.prover.store.read_from(tables);
        self.holder.store.read_from(tables);
        self.tables = Some(Arc::clone(tables));
    }

    /// The tables that small slices are read from.
    pub(super) fn tables(&self) -> Option<&Arc<Tables>> {
        self.tables.as_ref()
    }

    /// Has small slices read from a witness.
    pub(super) fn cite(&mut self, witness: &Arc<dyn Witness>) {
        self.prover.store.cite(witness, self.attacker);
        self.holder.store.cite(witness, self.attacker);
        self.witness = Some(Arc::clone(witness));
    }

    /// Begins with a root, of which nothing is given up.
    pub(super) fn begin(&mut self, board: &Board) {
        self.hopeless = [self.readings(board).is_empty(), self.spots(board).is_empty()];
        let all = Side::ALL.into_iter().flat_map(|side| Key::readings(board, side));
        self.least = all.map(|(key, _)| key.kind()).min().unwrap_or(0);
    }

    /// The positions that a root rests on, in the slices that may show its hold: the root without a
    /// right to capture en passant, and what such captures lead to.
    fn spots(&self, board: &Board) -> Vec<Spot> {
        self.each_spot(board, |board| Vec::from_iter(Key::of(board, self.attacker)))
    }

    /// The same for wins: each of them in all slices that may show it.
    fn readings(&self, board: &Board) -> Vec<Spot> {
        self.each_spot(board, |board| Key::readings(board, self.attacker))
    }

    fn each_spot(&self, board: &Board, read: impl Fn(&Board) -> Vec<Spot>) -> Vec<Spot> {
        let moves = board.legal_moves();
        let taken = moves.iter().filter(|m| m.is_en_passant());
        let mut list: Vec<Spot> = taken.flat_map(|&m| read(&board.after(m))).collect();
        if moves.iter().any(|m| !m.is_en_passant()) {
            list.extend(read(board));
        }
        list.retain(|(key, _)| !(self.without_vast && key.is_vast()));
        list
    }

    /// Whether the root is won as far as is guessed.
    pub(super) fn is_guessed(&self, board: &Board) -> bool {
        self.readings(board).iter().any(|spot| self.prover.store.level(spot) <= 1)
    }

    /// How many more men the attacker has.
    pub(super) fn lead(&self, board: &Board) -> i32 {
        let men = board.chess().board();
        let count = |side: Side| men.men_of(side).count() as i32;
        count(self.attacker) - count(self.attacker.other())
    }

    /// Asks for the win.
    pub(super) fn seek(&mut self, board: &Board, share: Share, budget: &Budget) {
        if self.hopeless[0] || share.time.is_zero() || self.is_done(board) {
            return;
        }
        let (late, now): (Vec<Spot>, Vec<Spot>) =
            self.readings(board).into_iter().partition(|(key, _)| self.is_dear(key, share.time));
        if share.time >= CLOSING && self.close(&now, share, budget) {
            return;
        }
        // In the first the strongest officer moves.
        let first = now.first().copied();
        let part = if now.len() > 1 { share.time / (now.len() as u32 + 1) } else { share.time };
        let ended = self.ask(board, &now, |own, spot| {
            let twice = now.len() > 1 && first == Some(*spot);
            own.prove(spot, Share { time: if twice { 2 * part } else { part }, ..share }, budget)
        });
        self.hopeless[0] = ended && late.is_empty();
    }

    /// Solves slices of two officers with all that they read, for the hold with the defender's pawns standing
    /// still and then for the win; whether that has decided the root, or taken all the time that there is.
    /// Where memory does not suffice, the refinement may need less.
    fn close(&mut self, spots: &[Spot], share: Share, budget: &Budget) -> bool {
        let share = Share { time: CLOSING_SHARE * share.time, threads: 1, ..share };
        let before = self.holder.store.bytes();
        let hold = share.budget(budget, &self.holder.store);
        let is_duel = |key: &Key| key.is_large() && key.kind() == 2 && !key.is_below();
        for spot in spots.iter().filter(|(key, _)| is_duel(key)) {
            let held =
                if self.hopeless[1] { Ok(false) } else { self.holder.hold_still(spot, &hold) };
            // What the hold has taken is not there for the win.
            let taken = self.holder.store.bytes().saturating_sub(before);
            let bytes = share.bytes.map(|free| free.saturating_sub(taken));
            let win = Share { bytes, ..share }.budget(budget, &self.prover.store);
            let ended = match held {
                Ok(true) => return true,
                Ok(false) | Err(StopReason::Memory) => self.prover.close_for_wins(&spot.0, &win),
                Err(reason) => Err(reason),
            };
            self.short.time |= ended == Err(StopReason::Time);
            let is_over = ended.is_err_and(|reason| reason != StopReason::Memory);
            if is_over || self.prover.store.is_won(&spot.0, &spot.1) {
                return true;
            }
        }
        false
    }

    /// Whether a slice takes so long that a share of the time would be overdrawn, and there are smaller
    /// ones to be asked. One of three officers always does, and is asked where there is time for it.
    fn is_dear(&self, key: &Key, time: Duration) -> bool {
        key.kind() > self.least && !key.is_vast() && time < DEAR
    }

    /// Asks for the defender's hold, on one thread. While the guess says won, nothing is gained by
    /// it.
    pub(super) fn resist(&mut self, board: &Board, share: Share, budget: &Budget) {
        let spots = self.spots(board);
        let is_several = spots.iter().any(|(key, _)| key.is_several());
        let early = !is_several && !self.hopeless[0] && self.is_guessed(board)
            || spots.iter().any(|(key, _)| self.is_dear(key, share.time));
        if !self.hopeless[1] && !early && !self.is_done(board) {
            let part = share.budget(budget, &self.holder.store);
            let given_up = self.ask(board, &spots, |own, spot| own.hold(spot, &part));
            self.hopeless[1] = given_up && !self.meet_promotions();
        }
    }

    /// Asks for a hold.
    fn hold(&mut self, spot: &Spot, budget: &Budget) -> Result<(), StopReason> {
        if !self.standing || !spot.0.is_several() {
            return self.holder.hold(spot, budget);
        }
        if self.holder.hold_still(spot, budget)? { Ok(()) } else { Err(StopReason::Exhausted) }
    }

    /// Has holds look into promotions by which the defender does not win from now on; whether they
    /// did not before. What is solved does not know of them, and is solved anew.
    fn meet_promotions(&mut self) -> bool {
        if self.holder.store.meets {
            return false;
        }
        self.holder = self.novice();
        self.holder.store.meets = true;
        true
    }

    /// Asks nothing more, and forgets what has been solved.
    pub(super) fn give_up(&mut self) {
        (self.prover, self.holder) = (self.novice(), self.novice());
        self.others.clear();
        self.common = Arc::default();
        self.hopeless = [true; 2];
    }

    /// A prover that has solved nothing.
    fn novice(&self) -> Prover {
        let mut prover = Prover::default();
        self.tables.iter().for_each(|tables| prover.store.read_from(tables));
        self.witness.iter().for_each(|witness| prover.store.cite(witness, self.attacker));
        prover
    }

    /// Asks of one position after the other; whether all came to an end, and nothing is known.
    fn ask(
        &mut self,
        board: &Board,
        spots: &[Spot],
        mut ask: impl FnMut(&mut Self, &Spot) -> Result<(), StopReason>,
    ) -> bool {
        let mut ended = true;
        for spot in spots {
            let result = ask(self, spot);
            self.short.memory |= result == Err(StopReason::Memory);
            self.short.time |= result == Err(StopReason::Time);
            ended &= !is_limit(result);
            self.prover.store.refresh(&spot.0);
            if self.known(board) != Known::Open {
                return false;
            }
        }
        ended
    }

    /// Where there are several officers slices are too large for each thread to have its own.
    fn prove(&mut self, spot: &Spot, share: Share, budget: &Budget) -> Result<(), StopReason> {
        if share.threads < 2 || spot.0.is_several() {
            return self.prover.prove(spot, &share.budget(budget, &self.prover.store));
        }
        self.recruit(share.threads.min(MOST) - 1);
        let ended = Arc::new(AtomicBool::new(false));
        let budget = budget.cancelled_by(Arc::clone(&ended));
        let work = |prover: &mut Prover| {
            let result = prover.prove(spot, &share.budget(&budget, &prover.store));
            if !is_limit(result) {
                ended.store(true, Ordering::Relaxed);
            }
            result
        };
        let results = std::thread::scope(|scope| {
            let running: Vec<_> =
                self.others.iter_mut().map(|prover| scope.spawn(|| work(prover))).collect();
            let mut results = vec![work(&mut self.prover)];
            results.extend(running.into_iter().map(|thread| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            }));
            results
        });
        results.into_iter().min_by_key(|result| is_limit(*result)).unwrap_or(Ok(()))
    }

    /// Has the first prover hold all that others have proved: what it took from them rests on more.
    pub(super) fn gather(&mut self) {
        self.prover.store.take_all();
    }

    /// Has so many provers beside the first.
    fn recruit(&mut self, number: usize) {
        self.prover.store.share(&self.common);
        while self.others.len() < number {
            let mut other = Prover { order: 1 + self.others.len() as u64, ..self.novice() };
            other.store.share(&self.common);
            self.others.push(other);
        }
    }

    fn provers(&self) -> impl Iterator<Item = &Prover> {
        [&self.prover, &self.holder].into_iter().chain(&self.others)
    }

    fn stores(&self) -> impl Iterator<Item = &Store> {
        self.provers().map(|prover| &prover.store)
    }

    /// Gives back what only orders the work, then other threads' guesses.
    pub(super) fn trim(&mut self, limit: u64) {
        self.prover.store.trim();
        self.holder.store.trim();
        self.others.iter_mut().for_each(|other| other.store.trim());
        if self.bytes() > limit {
            // What they have proved is shared.
            self.others.clear();
        }
    }

    /// What the questions have been short of since this was asked last.
    pub(super) fn short(&mut self) -> Short {
        std::mem::take(&mut self.short)
    }

    /// Whether a slice with the pawns of a board is at hand.
    pub(super) fn has_pawns(&self, board: &Board) -> bool {
        let men = board.chess().board();
        let of = |side: Side| (men.pawns() & men.men_of(side)).0;
        let pawns = [self.attacker, self.attacker.other()].map(of);
        let pawns = if self.attacker == Side::White { pawns } else { pawns.map(u64::swap_bytes) };
        self.prover.store.has_pawns(pawns) || self.holder.store.has_pawns(pawns)
    }

    /// Whether a slice was read.
    pub(super) fn has_read(&self) -> bool {
        self.prover.store.nodes.values().any(|node| node.exact)
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        self.stores().map(Store::bytes).sum::<u64>() + self.common.bytes()
    }

    /// The positions that the busiest prover has looked at.
    pub(super) fn visited(&self) -> u64 {
        self.stores().map(Store::visited).max().unwrap_or(0)
    }

    /// How often slices were solved.
    pub(super) fn solves(&self) -> u64 {
        self.stores().flat_map(|store| store.solves).sum()
    }

    /// Slices of kings and pawns, with an officer, with two, with three: those looked into for the win, by
    /// whatever thread, and those for the hold.
    pub(super) fn count(&self) -> [u64; 4] {
        let [wins, holds] = [&self.prover, &self.holder].map(|prover| prover.store.count);
        std::array::from_fn(|kind| wins[kind] + holds[kind])
    }

    /// Demands that led nowhere: none, unless there is a mistake.
    pub(super) fn stuck(&self) -> u64 {
        self.provers().map(|prover| prover.stuck).sum()
    }

    /// What plays the attacker's won positions.
    pub(super) fn winner(&self, bytes: u64) -> Winner<'_> {
        Winner::new(&self.prover.store, self.attacker, bytes)
    }

    /// What the attacker wins with from a root, its ranks in so many bytes at most.
    pub(super) fn winning(
        &self,
        root: &Board,
        bytes: u64,
        budget: &Budget,
    ) -> Result<WinningSet, NotWritten> {
        Growing::new(&self.prover.store, self.winner(bytes), budget).run(root)
    }

    /// What the defender holds with from these roots, as a closed set.
    pub(super) fn closed(&self, roots: &[Board], budget: &Budget) -> Result<ClosedSet, NotClosed> {
        Closing::new(&self.prover.store, &self.holder.store, self.attacker, budget).run(roots)
    }

    /// The moves after which the attacker is proved not to win.
    pub(super) fn holding(&self, board: &Board) -> Vec<Move> {
        holding(&self.prover.store, &self.holder.store, board, self.attacker)
    }
}

/// Whether it was a limit that ended the work.
fn is_limit(result: Result<(), StopReason>) -> bool {
    matches!(result, Err(reason) if reason != StopReason::Exhausted)
}
