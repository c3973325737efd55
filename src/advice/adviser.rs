//! Who proposes moves: a file of positions with their best moves, an engine, or both.

use super::engine::{EngineError, UciEngine};
use crate::chess::board::{Board, move_of};
use crate::chess::{Move, Operations, Packed, Position, Side, parse_move};
use crate::limits::Budget;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A move that an engine proposes to the side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Proposal {
    /// The move; legal.
    pub play: Move,
    /// What the engine says it is worth to the side to move, in hundredths of a pawn (mates beyond all
    /// else); `None` where it does not say.
    pub score: Option<i32>,
    /// The reply that the engine expects.
    pub reply: Option<Move>,
}

/// A line of a file that gives no advice.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AdviceError {
    /// No `bm` operation with a move.
    #[error("the line names no move (bm)")]
    NoMove,
    /// A move that cannot be played.
    #[error("{0} is no legal move here")]
    Illegal(String),
}

/// Who is asked for moves. The ones that are proved to win it keeps in mind.
#[derive(Debug, Default)]
pub struct Adviser {
    listed: HashMap<Packed, Vec<Move>>,
    known: HashMap<Packed, Move>,
    winner: Option<Side>,
    engine: Option<Mutex<UciEngine>>,
    fault: Mutex<Option<EngineError>>,
    proved: Mutex<Vec<(Packed, Move)>>,
}

fn open<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Adviser {
    /// The same adviser, which asks this engine after its file.
    #[must_use]
    pub fn with_engine(self, engine: UciEngine) -> Self {
        Self { engine: Some(Mutex::new(engine)), ..self }
    }

    /// Takes in the moves of a line of EPD: those of `bm`, in their order, in algebraic or in UCI
    /// notation.
    ///
    /// ```
    /// use theta_chess::advice::Adviser;
    /// use theta_chess::chess::Operations;
    ///
    /// let mut adviser = Adviser::default();
    /// let position = "7k/8/5K2/8/8/8/6Q1/8 w - -".parse()?;
    /// adviser.add(&position, &Operations::parse("bm Qg7;"))?;
    /// assert!(adviser.add(&position, &Operations::parse("bm Qe7+;")).is_err());
    /// assert_eq!(adviser.listed(&position.board()).len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When the line names no move, or one that is not legal.
    pub fn add(&mut self, position: &Position, line: &Operations) -> Result<(), AdviceError> {
        let board = position.board();
        let words = line.operands("bm").unwrap_or_default();
        let mut moves = Vec::new();
        for word in words.iter().filter(|word| !word.starts_with('#')) {
            let by_name = || board.find(parse_move(word).ok()?);
            let legal = board.parse_san(word).or_else(by_name);
            let legal = legal.ok_or_else(|| AdviceError::Illegal(word.clone()))?;
            moves.push(move_of(&legal));
        }
        if moves.is_empty() {
            return Err(AdviceError::NoMove);
        }
        let known = self.listed.entry(board.packed()).or_default();
        moves.retain(|play| !known.contains(play));
        known.extend(moves);
        Ok(())
    }

    /// Takes in a strategy that wins for a side: positions with it to move, and its moves. They are not proved
    /// again, so that the strategy has to be checked before; if it is none, nothing is proved with it.
    pub fn know(&mut self, winner: Side, strategy: impl IntoIterator<Item = (Packed, Move)>) {
        self.winner = Some(winner);
        // A position keeps its first move: of two strategies that meet in one the second ends there.
        for (p, play) in strategy {
            self.known.entry(p).or_insert(play);
        }
    }

    /// Positions that are won already, and the moves that win them.
    pub(crate) fn known(&self) -> &HashMap<Packed, Move> {
        &self.known
    }

    /// The side that wins what is known.
    pub fn winner(&self) -> Option<Side> {
        self.winner
    }

    /// The moves of the file in a position.
    pub fn listed(&self, board: &Board) -> &[Move] {
        self.listed.get(&board.packed()).map_or(&[], Vec::as_slice)
    }

    /// The moves that the engine proposes in a position after so much time, the best first; none where
    /// there is no engine. One that fails is asked no more ([`Adviser::fault`]).
    pub fn ask(&self, board: &Board, think: Duration, budget: &Budget) -> Vec<Proposal> {
        let Some(engine) = self.engine.as_ref().filter(|_| open(&self.fault).is_none()) else {
            return Vec::new();
        };
        let proposals = open(engine).propose(board, think, budget);
        proposals.unwrap_or_else(|fault| {
            *open(&self.fault) = Some(fault);
            Vec::new()
        })
    }

    /// Why the engine is asked no more.
    pub fn fault(&self) -> Option<EngineError> {
        open(&self.fault).clone()
    }

    /// Keeps in mind that a move has been proved to win.
    pub(crate) fn prove(&self, board: &Board, play: Move) {
        open(&self.proved).push((board.packed(), play));
    }

    /// The moves that have been proved to win with its advice, each with its position, in the order of
    /// the proofs.
    pub fn proved(&self) -> Vec<(Board, Move)> {
        open(&self.proved).iter().map(|(p, play)| (Board::of_legal(p), *play)).collect()
    }
}
