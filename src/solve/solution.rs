//! A mate in a few moves as composers write it: the key, what it threatens, and every defence that
//! meets the threat, each with its answer.
//!
//! All moves that mate in time are known at each turn, by depth-first search of the full width. A
//! defence against which the threat still mates is told with the others of its kind; the others have
//! an answer of their own. What is told is a selection from proved moves: the proof of every line is
//! the certificate.

use super::{Solver, Verdict};
use crate::chess::Value;
use crate::chess::board::{Board, ChessMove, move_of};
use crate::limits::{Budget, StopReason};
use crate::search::{Options, Pursuit};

/// The longest mate that is told so, in plies: mates in five.
const LONGEST: u32 = 9;

/// A move of the attacker that mates within so many plies, and what follows.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Attack {
    /// The move, in algebraic notation.
    pub san: String,
    /// Plies to mate at most, this move counted.
    pub plies: u16,
    /// Other moves that mate as soon: duals, or at the root other keys.
    pub also: Vec<String>,
    /// Why the defender cannot wait.
    pub menace: Menace,
    /// Defences with answers of their own, those with the same answer and the same lines together.
    pub defences: Vec<Defence>,
    /// How many defences the threat meets.
    pub others: usize,
}

/// What a move of the attacker leaves a defender who would rather pass.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Menace {
    /// The king is in check, or mated: there is no passing.
    Check,
    /// Passing would save the defender, who is in zugzwang: nothing is threatened in time.
    Zugzwang,
    /// What would follow if the defender could pass.
    Threat(Box<Attack>),
}

/// Defences with one answer.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Defence {
    /// The defender's moves, in algebraic notation.
    pub sans: Vec<String>,
    /// The answer.
    pub answer: Attack,
}

struct Teller<'a> {
    pursuit: Pursuit,
    budget: &'a Budget,
    positions: u64,
}

impl Solver {
    /// Tells a mate of the side to move, proved to be the shortest, as composers write it. None where
    /// the verdict is no such mate, or it takes more than nine plies.
    ///
    /// # Errors
    /// The limit that was reached.
    pub fn solution(
        &self,
        verdict: &Verdict,
        limits: impl Into<Budget>,
    ) -> Result<Option<Attack>, StopReason> {
        let board = verdict.root().board();
        let plies = match verdict.value() {
            Some(Value::Wins(side, plies @ 1..=LONGEST))
                if side == board.side_to_move() && verdict.is_shortest() =>
            {
                plies as u16
            }
            _ => return Ok(None),
        };
        let budget = limits.into();
        let pursuit = Pursuit::new(&Options::default(), &budget);
        let mut teller = Teller { pursuit, budget: &budget, positions: 0 };
        let keys = teller.mating(&board, plies)?;
        let first = verdict.first_moves().iter().find_map(|m| board.find(*m));
        let key = first.filter(|m| keys.contains(m)).or(keys.first().copied());
        key.map(|key| teller.attack(&board, key, &keys, plies)).transpose()
    }
}

impl Teller<'_> {
    /// The moves that mate within so many plies.
    fn mating(&mut self, board: &Board, plies: u16) -> Result<Vec<ChessMove>, StopReason> {
        let left = self.budget.after(self.positions);
        left.check(0, 0)?;
        let found = self.pursuit.mating_moves(board, plies, &left);
        let (moves, visited) = found.ok_or_else(|| stopped(&left))?;
        self.positions += visited;
        Ok(moves.into_iter().filter_map(|m| board.find(m)).collect())
    }

    fn attack(
        &mut self,
        board: &Board,
        play: ChessMove,
        mating: &[ChessMove],
        plies: u16,
    ) -> Result<Attack, StopReason> {
        let also = mating.iter().filter(|m| **m != play).map(|m| board.san(*m)).collect();
        let after = board.after(play);
        let mut told = Attack {
            san: board.san(play),
            plies,
            also,
            menace: Menace::Check,
            defences: Vec::new(),
            others: 0,
        };
        let replies = after.legal_moves();
        let Some(left) = plies.checked_sub(2).filter(|_| !replies.is_empty()) else {
            return Ok(told);
        };
        let passed = after.passed();
        let threats = passed.as_ref().map(|passed| self.mating(passed, left)).transpose()?;
        let planned = threats.as_ref().and_then(|moves| moves.first().copied());
        for reply in replies {
            let met = after.after(reply);
            let answers = self.mating(&met, left)?;
            if answers.iter().any(|m| Some(move_of(m)) == planned.as_ref().map(move_of)) {
                told.others += 1;
                continue;
            }
            // Where the verdict is right there is one.
            let Some(&answer) = answers.first() else { continue };
            let answer = self.attack(&met, answer, &answers, left)?;
            let san = after.san(reply);
            match told.defences.iter_mut().find(|known| known.answer == answer) {
                Some(known) => known.sans.push(san),
                None => told.defences.push(Defence { sans: vec![san], answer }),
            }
        }
        told.menace = match (passed, planned) {
            (None, _) => Menace::Check,
            (Some(_), None) => Menace::Zugzwang,
            (Some(passed), Some(threat)) => {
                Menace::Threat(Box::new(self.attack(&passed, threat, &[], left)?))
            }
        };
        Ok(told)
    }
}

/// Why a search ended that gave no answer.
fn stopped(budget: &Budget) -> StopReason {
    budget.check(0, 0).err().unwrap_or(StopReason::Positions)
}
