//! Slices as an engine: pawn endings of any size, with the certificate made at once from the
//! slices' ranks.

use super::super::question::Question;
use super::super::{Bound, Engine, Evidence, Rated, SolveError, Verdict};
use crate::certificate::{Certificate, Strategy};
use crate::chess::board::{Board, move_of};
use crate::chess::{Move, Outcome, Side, UNMEASURED, Value};
use crate::hold::hold;
use crate::limits::{Budget, StopReason};
use crate::slices::Analysis;
use crate::strategy::{BuildError, win};
use std::time::Duration;

/// How long `auto` leaves a position to slices when nothing limits the time.
pub(super) const ALONE: Duration = Duration::from_secs(600);

/// What is told when slices begin.
pub(super) const WORD: &str = "kings and pawns: solving slices";

/// Bytes of ranks that are kept while a strategy is read off.
const RANKS: u64 = 1 << 28;

/// Slices of a position that are asked in turns; what was found before stays.
pub(super) struct Asked {
    board: Board,
    analysis: Analysis,
}

impl Asked {
    fn new(question: &Question) -> Self {
        Self { board: question.board(), analysis: Analysis::new().reading(question.tables()) }
    }

    /// For `auto`: only where slices fit, and unless positions are counted, which slices do in
    /// another way than a search. Where both sides have an officer a slice takes 0.1 to 0.5 s, and
    /// search and subgoals have won more: such positions are left to them.
    pub(super) fn of(question: &Question) -> Option<Self> {
        let suits = fits(question) && !Analysis::is_duel(&question.board());
        suits.then(|| Self::new(question))
    }

    /// Goes on for a part of the question's time. The certificate of what is decided may take the
    /// rest of it.
    pub(super) fn turn(&mut self, question: &Question, part: &Budget) -> Verdict {
        let budget = question.budget;
        let part = match part.limits().memory {
            Some(bytes) => part.limited(part.limits().with_memory(bytes / 4 * 3)),
            None => part.clone(),
        };
        let stop = self.analysis.pursue(&self.board, &part);
        let positions = self.analysis.work().positions;
        let undecided = Verdict::undecided(*question.root, Engine::Slices, budget);
        let verdict = Verdict { stop, positions, ..undecided };
        if self.analysis.known(&self.board).is_none() {
            return verdict;
        }
        self.proved(verdict, budget)
    }

    /// A verdict with what is proved by now, the value or that a side holds, and its certificate.
    pub(super) fn proved(&self, verdict: Verdict, budget: &Budget) -> Verdict {
        let built = certified(&self.analysis, &self.board, verdict, budget);
        Verdict { seconds: budget.elapsed().as_secs_f64(), ..built }
    }
}

/// Decides by slices.
///
/// # Errors
/// When the position has men or rights that slices do not know.
pub(super) fn solve(question: &Question) -> Result<Verdict, SolveError> {
    Analysis::suits(&question.board()).map_err(SolveError::Slices)?;
    let budget = question.budget;
    let share = budget.remaining().map_or_else(|| budget.clone(), |left| budget.part(left / 5 * 4));
    let mut asked = Asked::new(question);
    let verdict = asked.turn(question, &share);
    if verdict.value.is_some() {
        return Ok(verdict);
    }
    Ok(asked.proved(verdict, budget))
}

/// As [`solve`] where slices suit `auto`, with four fifths of the time.
pub(super) fn first(question: &Question) -> Option<Verdict> {
    let budget = question.budget;
    Asked::of(question)?;
    budget.progress().note(WORD);
    let time = budget.remaining().map_or(ALONE, |left| left / 5 * 4);
    solve(&question.within(&budget.part(time))).ok()
}

/// Every legal move with the value after it, the best first: the root's slices are the moves' too.
/// Where the time is over before a win's length is known, the win alone is told.
pub(in crate::solve) fn rate(question: &Question) -> Vec<Rated> {
    let (board, budget) = (question.board(), question.budget);
    let mut analysis = Analysis::new().reading(question.tables());
    let share = budget.remaining().map_or(ALONE, |left| left / 3);
    analysis.pursue(&board, &budget.part(share));
    let moves: Vec<(Move, Board)> =
        board.legal_moves().iter().map(|m| (move_of(m), board.after(*m))).collect();
    let mut open: Vec<&Board> = moves.iter().map(|(_, next)| next).collect();
    let mut time = Duration::from_secs(1);
    // The rest of the time is for the distances.
    let deciding = budget.remaining().map(|left| budget.part(left / 4 * 3));
    let deciding = deciding.as_ref().unwrap_or(budget);
    while !open.is_empty() && deciding.check(0, 0).is_ok() {
        let mut left = open.len() as u32;
        open.retain(|next| {
            let share = deciding.remaining().map_or(time, |rest| time.min(rest / left));
            left -= 1;
            let reason = analysis.pursue(next, &deciding.part(share));
            reason == Some(StopReason::Time)
        });
        time *= 2;
    }
    let mut winners = Side::ALL.map(|side| (side, analysis.winner(side, RANKS)));
    let rated = moves.iter().map(|(play, next)| {
        let value = match analysis.known(next) {
            None => None,
            Some(Outcome::Draw) => Some(Value::Draw),
            Some(Outcome::Wins(side)) => {
                let winner = winners.iter_mut().find(|(s, _)| *s == side);
                let plies = winner.and_then(|(_, w)| w.plies(next, budget).ok().flatten());
                Some(Value::Wins(side, plies.unwrap_or(UNMEASURED)))
            }
        };
        let shortest = matches!(value, Some(Value::Draw | Value::Wins(_, 0)));
        Rated { value, shortest, ..Rated::unknown(*play) }
    });
    let mut list: Vec<Rated> = rated.collect();
    let side = board.side_to_move();
    list.sort_by_key(|r| r.merit(side));
    list
}

/// Whether slices are asked about a position: it fits, and positions are not counted.
pub(in crate::solve) fn fits(question: &Question) -> bool {
    question.budget.limits().positions.is_none() && Analysis::suits(&question.board()).is_ok()
}

/// The verdict with what is proved and its certificate; without one nothing is said.
fn certified(analysis: &Analysis, board: &Board, verdict: Verdict, budget: &Budget) -> Verdict {
    let not_built = |verdict: Verdict, error: BuildError| match error {
        BuildError::Stopped(reason) => Verdict { stop: Some(reason), ..verdict },
        error => Verdict {
            stop: Some(StopReason::Exhausted),
            uncertified: Some(error.to_string()),
            ..verdict
        },
    };
    match analysis.known(board) {
        Some(Outcome::Wins(side)) => match winning(analysis, board, side, budget) {
            Ok((strategy, plies)) => Verdict {
                value: Some(Value::Wins(side, plies)),
                best: strategy.answer(&board.packed()).and_then(|a| a.play).into_iter().collect(),
                evidence: Evidence::Ready(Box::new(Certificate::of_win(strategy, plies))),
                stop: None,
                ..verdict
            },
            Err(error) => not_built(verdict, error),
        },
        Some(Outcome::Draw) => {
            let both = holding(analysis, board, Side::White, budget)
                .and_then(|white| Ok((white, holding(analysis, board, Side::Black, budget)?)));
            match both {
                Ok((white, black)) => Verdict {
                    value: Some(Value::Draw),
                    best: analysis.holding(board, board.side_to_move()),
                    evidence: Evidence::Ready(Box::new(Certificate::of_draw(white, black))),
                    stop: None,
                    ..verdict
                },
                Err(error) => not_built(verdict, error),
            }
        }
        None => bounded(analysis, board, verdict, budget),
    }
}

/// Half a draw, where one side is proved to hold.
fn bounded(analysis: &Analysis, board: &Board, verdict: Verdict, budget: &Budget) -> Verdict {
    let sides = Side::ALL;
    let holder = sides.into_iter().find(|side| analysis.is_held(board, *side));
    let Some(holder) = holder else { return verdict };
    let Ok(strategy) = holding(analysis, board, holder, budget) else { return verdict };
    Verdict {
        bounds: vec![Bound::of(holder)],
        evidence: Evidence::Ready(Box::new(Certificate::of_hold(strategy))),
        ..verdict
    }
}

fn winning(
    analysis: &Analysis,
    board: &Board,
    side: Side,
    budget: &Budget,
) -> Result<(Strategy, u32), BuildError> {
    let mut winner = analysis.winner(side, RANKS);
    win(None, board, side, budget, &mut |position| {
        let gap = || BuildError::NoMate(crate::chess::fen(&position.vector()));
        winner.play(position).ok_or_else(gap)
    })
}

fn holding(
    analysis: &Analysis,
    board: &Board,
    side: Side,
    budget: &Budget,
) -> Result<Strategy, BuildError> {
    hold(None, board, side, budget, &mut |position| Ok(analysis.holding(position, side)))
}
