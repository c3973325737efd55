//! The two questions about a root, does White win and does Black, pursued side by side.

use super::key::Key;
use super::moves::Spot;
use super::play::{Said, Winner, holding, said};
use super::refine::Prover;
use crate::chess::board::{Board, BySide as _, Position as _, Role};
use crate::chess::{Move, Outcome, Side};
use crate::limits::{Budget, StopReason};
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
    #[error("slices know kings, pawns, and one other man a side at most")]
    Men,
}

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

/// One attacker's slices.
#[derive(Debug)]
struct Pursuit {
    attacker: Side,
    prover: Prover,
    /// Whether even the optimist, or the defender's hope, has given up.
    hopeless: [bool; 2],
}

/// The first try; those that follow are longer each time.
const FIRST: Duration = Duration::from_millis(200);
/// How much less time the defender's holds have than an attacker with more men, who mostly wins:
/// of the decided endings of games with nine pawns and kings all were won by the side with more.
const LESS: u32 = 4;

impl Pursuit {
    fn new(attacker: Side) -> Self {
        Self { attacker, prover: Prover::default(), hopeless: [false; 2] }
    }

    fn known(&self, board: &Board) -> Known {
        match said(&self.prover.store, board, self.attacker) {
            Said::Won => Known::Wins,
            Said::Held => Known::Not,
            Said::Nothing => Known::Open,
        }
    }

    /// The positions that a root rests on: the root without a right to capture en passant, and what
    /// such captures lead to.
    fn spots(&self, board: &Board) -> Vec<Spot> {
        let moves = board.legal_moves();
        let mut list: Vec<Spot> = moves
            .iter()
            .filter(|m| m.is_en_passant())
            .filter_map(|&m| Key::of(&board.after(m), self.attacker))
            .collect();
        if list.len() < moves.len() {
            list.extend(Key::of(board, self.attacker));
        }
        list
    }

    /// Whether the attacker has more men.
    fn is_ahead(&self, board: &Board) -> bool {
        let men = board.chess().board();
        men.men_of(self.attacker).count() > men.men_of(self.attacker.other()).count()
    }

    /// Tries to decide: so long for wins, and as long for holds or less.
    fn try_for(&mut self, board: &Board, time: Duration, budget: &Budget) -> Known {
        let spots = self.spots(board);
        for hold in [false, true] {
            if self.hopeless[usize::from(hold)] {
                continue;
            }
            // While the guess says won, nothing is gained by holding.
            let guessed = |spot: &Spot| self.prover.store.level(spot) <= 1;
            if hold && !self.hopeless[0] && spots.iter().any(guessed) {
                continue;
            }
            let less = hold && !self.hopeless[0] && self.is_ahead(board);
            let part = budget.part(if less { time / LESS } else { time });
            let mut ended = true;
            for spot in &spots {
                let done = if hold {
                    self.prover.hold(spot, &part)
                } else {
                    self.prover.prove(spot, &part)
                };
                ended &= !matches!(done, Err(reason) if reason != StopReason::Exhausted);
                if self.known(board) != Known::Open {
                    return self.known(board);
                }
            }
            self.hopeless[usize::from(hold)] = ended;
        }
        self.known(board)
    }

    /// Tries with growing budgets until it is decided, nothing is left to try, or the budget ends.
    fn pursue(&mut self, board: &Board, budget: &Budget) -> (Known, Option<StopReason>) {
        self.hopeless = [self.spots(board).is_empty(); 2];
        let mut time = FIRST;
        loop {
            let known = self.try_for(board, time, budget);
            if known != Known::Open {
                return (known, None);
            }
            if self.hopeless == [true; 2] {
                return (Known::Open, Some(StopReason::Exhausted));
            }
            if let Err(reason) = self.check(budget) {
                return (Known::Open, Some(reason));
            }
            time = time.saturating_mul(2);
        }
    }

    /// Ends the work at a limit; when memory is short, what can be spared is given back first.
    fn check(&mut self, budget: &Budget) -> Result<(), StopReason> {
        let store = &mut self.prover.store;
        match budget.check(store.visited(), store.bytes() + store.bytes() / 16) {
            Err(StopReason::Memory) if store.trim() => Ok(()),
            checked => checked,
        }
    }

    fn solves(&self) -> u64 {
        self.prover.store.solves.iter().sum()
    }
}

/// What slices know of a root, and of all that they were asked about on the way.
#[derive(Debug)]
pub struct Analysis {
    /// White's and Black's.
    sides: [Pursuit; 2],
}

/// How much has been done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Work {
    /// Slices of kings and pawns.
    pub small: u64,
    /// Slices with an officer.
    pub large: u64,
    /// Slices with an officer of each side.
    pub duels: u64,
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
        Self { sides: [Pursuit::new(Side::White), Pursuit::new(Side::Black)] }
    }

    /// Whether slices can be asked about a position.
    ///
    /// # Errors
    /// What does not fit.
    pub fn suits(board: &Board) -> Result<(), Unfit> {
        let men = board.chess().board();
        let still = men.by_role(Role::Pawn) | men.by_role(Role::King);
        if board.chess().castles().any() {
            Err(Unfit::Castling)
        } else if Side::ALL.iter().any(|side| (men.men_of(*side) & !still).count() > 1) {
            Err(Unfit::Men)
        } else {
            Ok(())
        }
    }

    /// Whether both sides have an officer, so that slices are large and few.
    pub fn is_duel(board: &Board) -> bool {
        Side::ALL.iter().any(|side| Key::of(board, *side).is_some_and(|(key, _)| key.is_duel()))
    }

    /// Pursues both sides' wins and holds from a position, on two threads if the budget has them.
    /// What was found before stays. Returns why it ended, if the value is not decided.
    pub fn pursue(&mut self, board: &Board, budget: &Budget) -> Option<StopReason> {
        self.pursue_beside(board, budget, &AtomicBool::new(false))
    }

    /// As [`Analysis::pursue`]; `idle` is raised as soon as one of the two threads has nothing left
    /// to do and nothing is decided, while the other goes on.
    pub fn pursue_beside(
        &mut self,
        board: &Board,
        budget: &Budget,
        idle: &AtomicBool,
    ) -> Option<StopReason> {
        if self.known(board).is_some() {
            return None;
        }
        budget.progress().stage("solving slices", None);
        if budget.limits().threads > 1 {
            self.together(board, budget, idle)
        } else {
            self.in_turn(board, budget)
        }
    }

    fn together(
        &mut self,
        board: &Board,
        budget: &Budget,
        idle: &AtomicBool,
    ) -> Option<StopReason> {
        let decided = Arc::new(AtomicBool::new(false));
        let half = budget.memory_of(2).cancelled_by(Arc::clone(&decided));
        let [white, black] = &mut self.sides;
        let run = |pursuit: &mut Pursuit| {
            let (known, reason) = pursuit.pursue(board, &half);
            if known == Known::Wins {
                decided.store(true, Ordering::Relaxed);
            } else if reason != Some(StopReason::Interrupted) {
                idle.store(true, Ordering::Relaxed);
            }
            reason
        };
        let reasons = std::thread::scope(|scope| {
            let other = scope.spawn(|| run(black));
            let own = run(white);
            let other = other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            [own, other]
        });
        if self.known(board).is_some() {
            None
        } else {
            reasons.into_iter().flatten().min_by_key(order)
        }
    }

    fn in_turn(&mut self, board: &Board, budget: &Budget) -> Option<StopReason> {
        let mut time = FIRST;
        let mut open = [true; 2];
        // Each has half of the memory.
        let half = budget.memory_of(2);
        self.sides.iter_mut().for_each(|s| s.hopeless = [s.spots(board).is_empty(); 2]);
        while open != [false; 2] {
            for (pursuit, open) in self.sides.iter_mut().zip(&mut open) {
                if *open {
                    let known = pursuit.try_for(board, time, &half);
                    if known == Known::Wins {
                        return None;
                    }
                    *open = known == Known::Open && pursuit.hopeless != [true; 2];
                }
            }
            let checked = self.sides.iter_mut().try_for_each(|side| side.check(&half));
            if let Err(reason) = checked {
                return self.known(board).is_none().then_some(reason);
            }
            time = time.saturating_mul(2);
        }
        self.known(board).is_none().then_some(StopReason::Exhausted)
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

    /// Whether a side is proved not to lose a position.
    pub fn is_held(&self, board: &Board, side: Side) -> bool {
        self.wins(board, side.other()) == Known::Not
    }

    /// What plays a side's won positions; its ranks take so many bytes at most.
    pub fn winner(&self, side: Side, bytes: u64) -> Winner<'_> {
        Winner::new(&self.side(side).prover.store, side, bytes)
    }

    /// A side's moves after which its opponent is proved not to win, the side to move.
    pub fn holding(&self, board: &Board, side: Side) -> Vec<Move> {
        holding(&self.side(side.other()).prover.store, board, side.other())
    }

    fn side(&self, side: Side) -> &Pursuit {
        &self.sides[usize::from(side == Side::Black)]
    }

    /// What has been done so far.
    pub fn work(&self) -> Work {
        self.sides.iter().fold(Work::default(), |sum, side| {
            let store = &side.prover.store;
            let [small, large, duels] = store.count;
            Work {
                small: sum.small + small,
                large: sum.large + large,
                duels: sum.duels + duels,
                solves: sum.solves + side.solves(),
                positions: sum.positions + (small << 13) + (large << 19) + (duels << 25),
                bytes: sum.bytes + store.bytes(),
            }
        })
    }

    /// Demands that led nowhere: none, unless there is a mistake.
    pub fn stuck(&self) -> u64 {
        self.sides.iter().map(|side| side.prover.stuck).sum()
    }
}

/// The reason that is told of two.
fn order(reason: &StopReason) -> u8 {
    match reason {
        StopReason::Interrupted => 0,
        StopReason::Time => 1,
        StopReason::Memory => 2,
        StopReason::Positions => 3,
        StopReason::Exhausted => 4,
    }
}
