//! The two questions about a root, does White win and does Black, pursued side by side.

use super::closed::NotClosed;
use super::closed_set::ClosedSet;
use super::crew::{Known, Pursuit, Share};
use super::key::Key;
use super::play::Winner;
use super::plies::WinningSet;
use super::store::positions;
use super::winning::NotWritten;
use super::witness::Witness;
use crate::chess::board::{Board, ChessMove, Position as _, move_of};
use crate::chess::{Move, Outcome, Packed, Side};
use crate::limits::{Budget, StopReason};
use crate::tables::Tables;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Why slices cannot be asked about a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// A side may still castle.
    #[error("slices know no castling rights")]
    Castling,
    /// Too many men beside kings and pawns.
    #[error(
        "slices know kings, pawns, and at most three other men, two of a side, or four against one"
    )]
    Men,
}

/// The first round's time; those that follow are longer each time.
const FIRST: Duration = Duration::from_millis(200);
/// Rounds in a row that memory alone ends, with no slice more looked into: a slice may be solved again
/// and again in them.
const IDLE: u32 = 8;

/// What slices know of a root, and of all that they were asked about on the way.
#[derive(Debug)]
pub struct Analysis {
    /// White's and Black's.
    sides: [Pursuit; 2],
    /// The root that was asked about last, and how long its next round takes.
    root: Option<Packed>,
    time: Duration,
    /// For each side whether its win and whether its hold are asked for, if not all are.
    asked: Option<[[bool; 2]; 2]>,
}

/// How much has been done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Work {
    /// Slices of kings and pawns.
    pub small: u64,
    /// Slices with an officer.
    pub large: u64,
    /// Slices with two officers.
    pub duels: u64,
    /// Slices with three.
    pub vast: u64,
    /// How often slices were solved, a later time too.
    pub solves: u64,
    /// Positions of all slices, both sides to move.
    pub positions: u64,
    /// Bytes held.
    pub bytes: u64,
}

impl Default for Analysis {
    fn default() -> Self {
        Self::new()
    }
}

impl Analysis {
    /// No slices yet.
    pub fn new() -> Self {
        let sides = [Pursuit::new(Side::White), Pursuit::new(Side::Black)];
        Self { sides, root: None, time: FIRST, asked: None }
    }

    /// Has slices of up to five men read from tables at hand, and strategies go on by them.
    #[must_use]
    pub fn reading(mut self, tables: &Arc<Tables>) -> Self {
        self.sides.iter_mut().for_each(|side| side.read_from(tables));
        self
    }

    /// Has slices of kings and pawns that no table at hand knows read from a witness: strategies
    /// have to end in its positions, by citation, and the plies of wins through them are not known.
    #[must_use]
    pub fn citing(mut self, witness: &Arc<dyn Witness>) -> Self {
        self.sides.iter_mut().for_each(|side| side.cite(witness));
        self
    }

    /// Asks some questions alone: for each side, White first, whether it wins, and whether it is held.
    /// With three officers a question takes up to a minute.
    #[must_use]
    pub fn only(self, asked: [[bool; 2]; 2]) -> Self {
        Self { asked: Some(asked), ..self }
    }

    /// Leaves slices of three officers out.
    #[must_use]
    pub fn without_vast(mut self) -> Self {
        self.sides.iter_mut().for_each(|side| side.without_vast = true);
        self
    }

    /// Has holds of several officers asked for in which the holder's pawns stand still, but for captures, or no
    /// more so: the others take twice as long and are seldom needed. What was given up may be asked again.
    pub fn set_standing(&mut self, standing: bool) {
        self.sides.iter_mut().for_each(|side| side.standing = standing);
        self.root = None;
    }

    /// Whether slices can be asked about a position.
    ///
    /// # Errors
    /// What does not fit.
    pub fn suits(board: &Board) -> Result<(), Unfit> {
        if board.chess().castles().any() {
            Err(Unfit::Castling)
        } else if Side::ALL.iter().all(|side| Key::readings(board, *side).is_empty()) {
            Err(Unfit::Men)
        } else {
            Ok(())
        }
    }

    /// How many men beside kings and pawns a position has that slices suit; 0 for others.
    pub fn officers(board: &Board) -> usize {
        Key::of(board, Side::White).map_or(0, |(key, _)| key.kind())
    }

    /// Bytes that a slice of a position's officers takes to be solved, amply, beside those that are kept:
    /// some thirty sets of its rows (two officers took 130 to 240 MB in all), with three officers seven.
    pub fn work_bytes(board: &Board) -> u64 {
        match Self::officers(board) {
            0 => 0,
            1 => 30 << 16,
            2 => 30 << 22,
            _ => 7 << 28,
        }
    }

    /// Whether a side has two officers or more, and the other one at most: all but one are taken to
    /// stand still first.
    pub fn has_rest(board: &Board) -> bool {
        let of = |side: &Side| Key::readings(board, *side);
        Side::ALL.iter().flat_map(of).any(|(key, _)| key.is_below())
    }

    /// Asks no more whether a side wins a root, and gives its slices back: another method has proved that
    /// it does not.
    pub fn spare(&mut self, board: &Board, attacker: Side) {
        self.begin(board);
        self.sides[usize::from(attacker == Side::Black)].give_up();
    }

    /// Asks no more whether a side wins a root, as [`Analysis::spare`], and keeps what is known: lines of the
    /// other method may end in it.
    pub fn rest(&mut self, board: &Board, attacker: Side) {
        self.begin(board);
        self.sides[usize::from(attacker == Side::Black)].hopeless = [true; 2];
    }

    /// Pursues both sides' wins and holds from a position, on all threads of the budget. What was
    /// found before stays. Returns why it ended, if the value is not decided.
    pub fn pursue(&mut self, board: &Board, budget: &Budget) -> Option<StopReason> {
        if self.known(board).is_some() {
            return None;
        }
        budget.progress().stage("solving slices", None);
        self.begin(board);
        let reason = self.rounds(board, budget);
        self.sides.iter_mut().for_each(Pursuit::gather);
        reason
    }

    /// What was given up or took long of another root says nothing of this one.
    fn begin(&mut self, board: &Board) {
        let root = board.packed();
        if self.root != Some(root) {
            (self.root, self.time) = (Some(root), FIRST);
            self.sides.iter_mut().for_each(|side| side.begin(board));
            for (side, asked) in self.sides.iter_mut().zip(self.asked.into_iter().flatten()) {
                side.hopeless = [0, 1].map(|question| side.hopeless[question] || !asked[question]);
            }
        }
    }

    fn rounds(&mut self, board: &Board, budget: &Budget) -> Option<StopReason> {
        let mut idle = 0;
        loop {
            let before = self.slices();
            self.round(board, budget);
            if self.known(board).is_some() {
                return None;
            }
            if self.sides.iter().all(|side| side.is_done(board)) {
                return Some(StopReason::Exhausted);
            }
            if let Err(reason) = self.check(budget) {
                return Some(reason);
            }
            let short = self.sides.each_mut().map(Pursuit::short);
            let is_idle = self.slices() == before && short.iter().any(|short| short.memory);
            idle = if is_idle && !short.iter().any(|short| short.time) { idle + 1 } else { 0 };
            if idle == IDLE {
                return Some(StopReason::Memory);
            }
            self.time = self.time.saturating_mul(2);
        }
    }

    /// The likely winner is asked on all threads, then both sides' questions side by side.
    fn round(&mut self, board: &Board, budget: &Budget) {
        let (time, threads) = (self.time, budget.limits().threads.max(1));
        let likely = self.likely(board);
        // What the other questions have.
        let mut doubt = time / 4;
        if let Some(first) = likely {
            let share = Share { time, threads, bytes: self.free(budget) };
            let first = &mut self.sides[first];
            first.seek(board, share, budget);
            if first.known(board) == Known::Wins {
                return;
            }
            // The guess comes and goes while it is looked into; more men are a sign too.
            if first.is_guessed(board) || first.lead(board) > 0 {
                doubt = time / 8;
            }
        }
        let decided = Arc::new(AtomicBool::new(false));
        let budget = budget.cancelled_by(Arc::clone(&decided));
        let bytes = self.free(&budget).map(|free| free / 2);
        let work = |number: usize, side: &mut Pursuit| {
            let (win, hold) = match likely {
                Some(first) if first == number && threads < 2 => (Duration::ZERO, doubt),
                Some(first) if first == number => (doubt * 2, doubt),
                Some(_) => (doubt, doubt),
                None => (time, time),
            };
            side.seek(board, Share { time: win, threads: 1, bytes }, &budget);
            // Who is given up as winner is held with all the time there is, unless the other is likely
            // to win.
            let hold = if side.hopeless[0] && likely.is_none() { time } else { hold };
            side.resist(board, Share { time: hold, threads: 1, bytes }, &budget);
            if side.known(board) == Known::Wins {
                decided.store(true, Ordering::Relaxed);
            }
        };
        let [white, black] = &mut self.sides;
        if threads < 2 || white.is_done(board) || black.is_done(board) {
            work(0, white);
            work(1, black);
        } else {
            std::thread::scope(|scope| {
                let other = scope.spawn(|| work(1, black));
                work(0, white);
                other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            });
        }
    }

    /// How many slices have been looked into.
    fn slices(&self) -> u64 {
        self.sides.iter().flat_map(Pursuit::count).sum()
    }

    /// Bytes that are free.
    fn free(&self, budget: &Budget) -> Option<u64> {
        let held: u64 = self.sides.iter().map(Pursuit::bytes).sum();
        budget.limits().memory.map(|limit| limit.saturating_sub(held))
    }

    /// The side that wins as far as is guessed, or else has more men, if it may be asked.
    fn likely(&self, board: &Board) -> Option<usize> {
        let merit = |side: &Pursuit| (side.is_guessed(board), side.lead(board));
        let open = |number: &usize| {
            let side = &self.sides[*number];
            !side.hopeless[0] && !side.is_done(board)
        };
        let [white, black] = self.sides.each_ref().map(merit);
        match [0, 1].into_iter().filter(open).collect::<Vec<_>>()[..] {
            [one] => Some(one),
            [_, _] if white != black => Some(usize::from(black > white)),
            _ => None,
        }
    }

    /// Ends the work at a limit; when memory is short, what can be spared is given back first.
    fn check(&mut self, budget: &Budget) -> Result<(), StopReason> {
        // Each prover counts for itself, a slice as often as it is solved.
        let positions = self.sides.iter().map(Pursuit::visited).max().unwrap_or(0);
        let held: u64 = self.sides.iter().map(Pursuit::bytes).sum();
        match budget.check(positions, held + held / 16) {
            Err(StopReason::Memory) => {
                let limit = budget.limits().memory.unwrap_or(u64::MAX) / 8 * 3;
                self.sides.iter_mut().for_each(|side| side.trim(limit));
                let left: u64 = self.sides.iter().map(Pursuit::bytes).sum();
                budget.check(positions, left + left / 4)
            }
            checked => checked,
        }
    }

    /// What is known of a side's win in a position.
    pub fn wins(&self, board: &Board, side: Side) -> Known {
        let [white, black] = &self.sides;
        let own = if side == Side::White { white } else { black }.known(board);
        let other = if side == Side::White { black } else { white };
        if own == Known::Open && other.known(board) == Known::Wins { Known::Not } else { own }
    }

    /// The value of a position, if it is decided.
    pub fn known(&self, board: &Board) -> Option<Outcome> {
        let both = Side::ALL.map(|side| (side, self.wins(board, side)));
        if let Some((winner, _)) = both.iter().find(|(_, known)| *known == Known::Wins) {
            return Some(Outcome::Wins(*winner));
        }
        both.iter().all(|(_, known)| *known == Known::Not).then_some(Outcome::Draw)
    }

    /// Whether a slice with these pawns is at hand: where none is, most of what a search comes to, nothing
    /// is known, which takes 0.1 µs to see and [`Analysis::known`] some 2 µs.
    pub fn has_met(&self, board: &Board) -> bool {
        self.sides.iter().any(|side| side.has_pawns(board))
    }

    /// Whether a side is proved not to lose a position.
    pub fn is_held(&self, board: &Board, side: Side) -> bool {
        self.wins(board, side.other()) == Known::Not
    }

    /// Whether slices were read, from tables or from a witness.
    pub fn has_read(&self) -> bool {
        self.sides.iter().any(Pursuit::has_read)
    }

    /// Has the tables at hand keep up to so many bytes of what they decompress: a strategy asks them
    /// for positions in no order.
    pub fn widen(&self, bytes: u64) {
        self.sides[0].tables().iter().for_each(|tables| tables.widen(bytes));
    }

    /// What plays a side's won positions; its ranks take so many bytes at most.
    pub fn winner(&self, side: Side, bytes: u64) -> Winner<'_> {
        self.side(side).winner(bytes)
    }

    /// A side's win from a root, as positions with its opponent to move; ranks take so many bytes at most.
    ///
    /// # Errors
    /// The end of the budget, or a position in which no move is proved to win.
    pub fn winning(
        &self,
        root: &Board,
        side: Side,
        bytes: u64,
        budget: &Budget,
    ) -> Result<WinningSet, NotWritten> {
        self.side(side).winning(root, bytes, budget)
    }

    /// A side's moves after which its opponent is proved not to win, the side to move. (Where the side is
    /// proved to win itself, those after which it still is.)
    pub fn holding(&self, board: &Board, side: Side) -> Vec<Move> {
        let moves = self.side(side.other()).holding(board);
        if !moves.is_empty() || self.wins(board, side) != Known::Wins {
            return moves;
        }
        let wins = |m: &&ChessMove| self.wins(&board.after(**m), side) == Known::Wins;
        board.legal_moves().iter().filter(wins).map(move_of).collect()
    }

    /// A side's hold from these roots, as a closed set of positions with its opponent to move; roots of which
    /// that is true are left out.
    ///
    /// # Errors
    /// The end of the budget, or a position in which no move is proved to hold.
    pub fn closed(
        &self,
        roots: &[Board],
        side: Side,
        budget: &Budget,
    ) -> Result<ClosedSet, NotClosed> {
        self.side(side.other()).closed(roots, budget)
    }

    fn side(&self, side: Side) -> &Pursuit {
        &self.sides[usize::from(side == Side::Black)]
    }

    /// What has been done so far.
    pub fn work(&self) -> Work {
        self.sides.iter().fold(Work::default(), |sum, side| {
            let count @ [small, large, duels, vast] = side.count();
            Work {
                small: sum.small + small,
                large: sum.large + large,
                duels: sum.duels + duels,
                vast: sum.vast + vast,
                solves: sum.solves + side.solves(),
                positions: sum.positions + positions(count),
                bytes: sum.bytes + side.bytes(),
            }
        })
    }

    /// Demands that led nowhere: none, unless there is a mistake.
    pub fn stuck(&self) -> u64 {
        self.sides.iter().map(Pursuit::stuck).sum()
    }
}
