//! The puzzle-maker's question: along the main line, is each move of the side to move the only one
//! that keeps the value (win, draw or loss)? A move that wins more slowly is a dual, unless only
//! the shortest mate is asked for.
//!
//! The key is the move that the proof of the root's value has. It is never rated again: of each
//! other move it is asked whether it does as well, and the move is a dual if that is proved, no
//! dual if the contrary is, and open otherwise. Of the replies one is followed that is proved to
//! resist longest (where the shortest mate is asked for), or that the strategy takes longest to
//! beat.

use super::questions::{Answer, Questions, holds, wins};
use super::{Rated, SolveError, Solver, Verdict};
use crate::certificate::Strategy;
use crate::chess::Value;
use crate::chess::board::{Board, ChessMove, move_of};
use crate::chess::{Move, Packed, Position, Side};
use crate::limits::{Budget, StopReason};
use serde::Serialize;
use std::collections::HashSet;

/// A move of the main line.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Step {
    /// UCI notation.
    pub uci: String,
    /// Algebraic notation.
    pub san: String,
    /// Whether the puzzle's side makes it (else it is the reply that resists longest).
    pub owner: bool,
    /// The other moves that are proved to keep the value, in algebraic notation; empty for a reply.
    pub duals: Vec<String>,
    /// The other moves of which it is not known.
    pub open: Vec<String>,
}

impl Step {
    /// Whether the move is the only one; `None` when not known.
    pub fn unique(&self) -> Option<bool> {
        match (self.duals.is_empty(), self.open.is_empty()) {
            (false, _) => Some(false),
            (true, true) => Some(true),
            (true, false) => None,
        }
    }
}

/// Whether the moves of a puzzle's main line are the only ones. Every yes and every no is proved.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Puzzle {
    /// Whether the first move is the only one that keeps the value; `None` when not known.
    pub first_unique: Option<bool>,
    /// Whether every move of the side is; `None` when not known.
    pub unique: Option<bool>,
    /// The main line, to the end of the game, to a position that was there before, or to where the
    /// proof ends.
    pub line: Vec<Step>,
    /// Why something is not known.
    pub stop: Option<StopReason>,
}

impl Solver {
    /// Whether the moves of the side to move are the only ones along the main line of a position
    /// that a verdict has decided. With `shortest` only moves that mate as quickly count as duals.
    ///
    /// ```
    /// use theta_chess::{Limits, Solver};
    ///
    /// let solver = Solver::default();
    /// let verdict = solver.solve(&"7k/8/5K2/8/8/8/6Q1/8 w - -".parse()?, &Limits::seconds(60))?;
    /// let puzzle = solver.puzzle(&verdict, true, &Limits::seconds(60))?;
    /// assert_eq!((puzzle.line[0].san.as_str(), puzzle.unique), ("Qg7#", Some(true)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Solver::solve`].
    pub fn puzzle(
        &self,
        verdict: &Verdict,
        shortest: bool,
        limits: impl Into<Budget>,
    ) -> Result<Puzzle, SolveError> {
        let questions = Questions::new(self, limits.into());
        let mut line = Line::new(verdict, shortest, questions);
        let ended = line.follow()?;
        let own = || line.steps.iter().filter(|step| step.owner).map(Step::unique);
        let unique = match (own().any(|u| u == Some(false)), own().all(|u| u == Some(true))) {
            // One dual is enough for a no; a yes needs the whole line.
            (true, _) => Some(false),
            (_, true) if ended && !line.steps.is_empty() => Some(true),
            _ => None,
        };
        let stop = line.questions.stop.or(verdict.stop).filter(|_| unique.is_none());
        let first_unique = line.steps.first().and_then(Step::unique);
        Ok(Puzzle { first_unique, unique, line: line.steps, stop })
    }
}

/// What is known of the position that the line has reached.
#[derive(Debug, Clone, Copy)]
struct Known {
    value: Value,
    /// Whether the plies of a win are the fewest.
    shortest: bool,
}

impl Known {
    /// What is known after a move that keeps the value, and the distance.
    fn after(self) -> Self {
        match self.value {
            Value::Wins(side, plies) => {
                Self { value: Value::Wins(side, plies.saturating_sub(1)), ..self }
            }
            Value::Draw => self,
        }
    }
}

/// A step of the line: what is told of it, the move, and what is known of the position after it.
type Next = (Step, ChessMove, Known);

/// The line as far as it has been followed.
struct Line<'a> {
    verdict: &'a Verdict,
    /// Only moves that mate as quickly count.
    shortest: bool,
    owner: Side,
    questions: Questions<'a>,
    /// The strategies of the verdict's certificate, once they have been needed.
    strategies: Option<Vec<Strategy>>,
    steps: Vec<Step>,
}

impl<'a> Line<'a> {
    fn new(verdict: &'a Verdict, shortest: bool, questions: Questions<'a>) -> Self {
        let owner = verdict.root.side_to_move();
        Self { verdict, shortest, owner, questions, strategies: None, steps: Vec::new() }
    }

    /// Follows the line; whether it came to its end.
    fn follow(&mut self) -> Result<bool, SolveError> {
        let mut board = self.verdict.root.board();
        let Some(value) = self.verdict.value else { return Ok(false) };
        let mut known = Known { value, shortest: self.verdict.shortest };
        let mut seen = HashSet::<Packed>::new();
        while seen.insert(board.packed()) && !board.legal_moves().is_empty() {
            let next = match self.exactly(&board) {
                Some(rated) => self.rated_step(&board, &rated),
                None if board.side_to_move() == self.owner => self.own_step(&board, known)?,
                None => self.reply(&board, known)?,
            };
            let Some((step, m, after)) = next else { return Ok(false) };
            self.steps.push(step);
            board.play(m);
            known = after;
        }
        Ok(true)
    }

    fn step(&self, board: &Board, m: ChessMove, duals: Vec<String>, open: Vec<String>) -> Step {
        let owner = board.side_to_move() == self.owner;
        Step { uci: move_of(&m).to_string(), san: board.san(m), owner, duals, open }
    }

    /// Every move with its exact value, the best first, where the verdict's evidence says all of
    /// them.
    fn exactly(&self, board: &Board) -> Option<Vec<Rated>> {
        let rated = self.verdict.rate(&Position::from(board));
        rated.iter().all(|r| r.value.is_some() && r.shortest).then_some(rated)
    }

    /// A step where all is known.
    fn rated_step(&self, board: &Board, rated: &[Rated]) -> Option<Next> {
        let (best, ours) = (rated.first()?, board.side_to_move() == self.owner);
        let as_good = |other: &&Rated| match (best.value, other.value) {
            (Some(Value::Wins(side, _)), _) if self.shortest && side == board.side_to_move() => {
                other.value == best.value
            }
            (best, other) => best.map(Value::winner) == other.map(Value::winner),
        };
        let duals = rated[1..].iter().filter(|_| ours).filter(as_good);
        let duals = duals.filter_map(|r| board.find(r.play)).map(|m| board.san(m)).collect();
        let m = board.find(best.play)?;
        let after = Known { value: best.value?, shortest: true };
        Some((self.step(board, m, duals, Vec::new()), m, after))
    }

    /// A move of the owner's: the key, and what is proved of each other move.
    fn own_step(&mut self, board: &Board, known: Known) -> Result<Option<Next>, SolveError> {
        let mates = self.shortest && known.value.winner() == Some(self.owner);
        let (known, found) = if mates { self.shorter(board, known)? } else { (known, None) };
        let mut key = match found {
            Some(found) => board.find(found),
            None => self.key(board, known),
        };
        let mut others = board.legal_moves().to_vec();
        others.retain(|m| Some(*m) != key);
        let answers = self.as_good(board, &others, known)?;
        let (mut duals, mut open) = (Vec::new(), Vec::new());
        for (m, answer) in others.into_iter().zip(answers) {
            match answer {
                Answer::Yes if key.is_none() => key = Some(m),
                Answer::Yes => duals.push(board.san(m)),
                Answer::Open => open.push(board.san(m)),
                Answer::No => {}
            }
        }
        Ok(key.map(|key| (self.step(board, key, duals, open), key, known.after())))
    }

    /// The shortest distance, and its first move where it is shorter than the proof's, if a search
    /// from below finds them within the limits.
    fn shorter(
        &mut self,
        board: &Board,
        known: Known,
    ) -> Result<(Known, Option<Move>), SolveError> {
        let Value::Wins(side, plies) = known.value else { return Ok((known, None)) };
        if known.shortest || plies < 3 {
            return Ok((Known { shortest: true, ..known }, None));
        }
        let mut found = None;
        let below = self.questions.ask(&[()], |questions, (), budget| {
            let (answer, mate) = questions.mate_in(board, plies - 2, budget);
            found = mate;
            Ok(answer)
        })?;
        Ok(match (&below[0], found) {
            (Answer::Yes, Some((plies, first))) => {
                (Known { value: Value::Wins(side, plies), shortest: true }, Some(first))
            }
            (Answer::No, _) => (Known { shortest: true, ..known }, None),
            _ => (known, None),
        })
    }

    /// The move that the proof has.
    fn key(&mut self, board: &Board, known: Known) -> Option<ChessMove> {
        if Position::from(board) == self.verdict.root
            && let Some(first) = self.verdict.best.first()
        {
            return board.find(*first);
        }
        let loser = known.value.winner().filter(|winner| *winner != self.owner);
        if let Some(winner) = loser {
            // It loses anyhow: the move that the winner takes longest to answer.
            return self.longest(board, winner).map(|(m, _)| m);
        }
        let answer = self.strategy(self.owner)?.answer(&board.packed())?;
        let enough = known.value.plies().is_none_or(|plies| answer.rank <= plies);
        board.find(answer.play.filter(|_| enough || !self.shortest)?)
    }

    /// Whether each of these moves is as good as the best.
    fn as_good(
        &mut self,
        board: &Board,
        moves: &[ChessMove],
        known: Known,
    ) -> Result<Vec<Answer>, SolveError> {
        let (owner, shortest) = (self.owner, self.shortest);
        let at_root = Position::from(board) == self.verdict.root;
        let all_named = at_root && self.verdict.best_complete && known.shortest;
        match known.value {
            Value::Wins(side, _) if side != owner => Ok(vec![Answer::Yes; moves.len()]),
            Value::Wins(..) if shortest && all_named => {
                let named = |m: &ChessMove| self.verdict.best.contains(&move_of(m));
                Ok(moves.iter().map(|m| if named(m) { Answer::Yes } else { Answer::No }).collect())
            }
            Value::Wins(_, plies) if shortest => {
                self.questions.ask(moves, |questions, m, budget| {
                    let answer = questions.mates(board, *m, plies, budget).0;
                    // As quick as a mate that may not be the quickest: not known.
                    Ok(if answer == Answer::Yes && !known.shortest { Answer::Open } else { answer })
                })
            }
            value => self.questions.ask(moves, |questions, m, budget| {
                let after = questions.after(board, *m, budget)?;
                Ok(match value {
                    Value::Draw => holds(&after, owner),
                    Value::Wins(..) => wins(&after, owner),
                })
            }),
        }
    }

    /// A reply of the other side's.
    fn reply(&mut self, board: &Board, known: Known) -> Result<Option<Next>, SolveError> {
        let other = board.side_to_move();
        let found = match known.value {
            Value::Wins(side, plies) if side != other && self.shortest => {
                let m = self.longest_proved(board, plies, known)?;
                m.map(|m| (m, Known { value: Value::Wins(side, plies - 1), ..known }))
            }
            Value::Wins(side, _) if side != other => self
                .longest(board, side)
                .map(|(m, rank)| (m, Known { value: Value::Wins(side, rank), shortest: false })),
            value => {
                let answer = self.strategy(other).and_then(|s| s.answer(&board.packed()));
                let play = answer.and_then(|answer| answer.play);
                play.and_then(|play| board.find(play))
                    .map(|m| (m, Known { value, shortest: false }.after()))
            }
        };
        Ok(found.map(|(m, after)| (self.step(board, m, Vec::new(), Vec::new()), m, after)))
    }

    /// A reply after which the owner needs all of its plies: no shorter mate is there.
    fn longest_proved(
        &mut self,
        board: &Board,
        plies: u32,
        known: Known,
    ) -> Result<Option<ChessMove>, SolveError> {
        let replies = board.legal_moves();
        if !known.shortest {
            return Ok(None);
        }
        if plies <= 2 {
            return Ok(replies.first().copied());
        }
        let answers =
            self.questions.ask_for(&replies, Answer::No, |questions, reply, budget| {
                Ok(questions.mate_in(&board.after(*reply), plies - 3, budget).0)
            })?;
        let at = answers.iter().position(|answer| *answer == Answer::No);
        Ok(at.map(|at| replies[at]))
    }

    /// The move that the winner's strategy takes longest to beat, and the plies it then takes.
    fn longest(&mut self, board: &Board, winner: Side) -> Option<(ChessMove, u32)> {
        let strategy = self.strategy(winner)?;
        let ranked = board.legal_moves().into_iter().filter_map(|m| {
            let after = board.after(m);
            let mate = after.legal_moves().is_empty() && after.in_check();
            let rank = if mate { 0 } else { strategy.answer(&after.packed())?.rank };
            Some((m, rank))
        });
        ranked.reduce(|longest, next| if next.1 > longest.1 { next } else { longest })
    }

    /// A side's strategy in the verdict's certificate.
    fn strategy(&mut self, side: Side) -> Option<&Strategy> {
        let (verdict, budget) = (self.verdict, self.questions.left());
        let build =
            || verdict.certificate_within(budget).map_or_else(|_| Vec::new(), |c| c.strategies);
        let strategies = self.strategies.get_or_insert_with(build);
        strategies.iter().find(|strategy| strategy.owner() == side)
    }
}
