//! Slices and the proof search in turns.
//!
//! Slices decide most pawn endings, the search those in which something is forced; which of them
//! does is not known before. So neither waits for the other to give up: both keep what they have
//! learned, and go on in turns that grow. The search's turn is an eighth of the slices', so that a
//! position which slices decide takes an eighth longer at most, and one that the search decides in t
//! seconds about 10 t. (With several officers it is a third, and the two have less of the time: what
//! the search decides of endings of games it decides in seconds, and slices of two officers take up to
//! a minute.) Each has all threads in its turn. In the first turn slices are alone: what they decide
//! at once shall not wait for the search to end, which may be in the middle of a table. A win that the
//! search has found is made shorter within the whole of the time, not within its turn.
//!
//! What one of them proves counts for the other's answer: where slices have proved that one side
//! holds and the search that the other does, the position is a draw ([`super::subgoals::joined`]).

use super::super::Verdict;
use super::super::question::Question;
use super::search::Searcher;
use super::slices::{self, ALONE, Asked};
use crate::limits::StopReason;
use std::time::Duration;

/// The slices' first turn; each is twice as long as the one before.
const FIRST: Duration = Duration::from_secs(2);
/// How many times as long the slices' turns are as the search's.
const SHARE: u32 = 8;
/// The same with several officers.
const SHARE_OF_SEVERAL: u32 = 3;

/// What came of both.
pub(super) enum Outcome {
    /// It is decided, or the user has interrupted the work.
    Done(Box<Verdict>),
    /// What slices have proved: perhaps that one side holds.
    Open(Box<Verdict>),
}

/// Slices and the search, for a part of the time.
pub(super) fn decide(mut asked: Asked, search: &mut Searcher, question: &Question) -> Outcome {
    let budget = question.budget;
    slices::tell(question);
    let share = if slices::is_several(question) { SHARE_OF_SEVERAL } else { SHARE };
    let end = budget.part(budget.remaining().map_or(ALONE, |left| left.mul_f64(asked.part)));
    let (mut time, mut searched_positions) = (FIRST, 0);
    loop {
        let sliced = asked.turn(question, &end.part(time));
        let searched = (sliced.value.is_none() && end.check(0, 0).is_ok())
            .then(|| search.solve_within(&end.part(time / share), budget));
        searched_positions += searched.as_ref().map_or(0, |verdict| verdict.positions);
        let positions = sliced.positions + searched_positions;
        if let Some(verdict) = searched.filter(|verdict| verdict.value.is_some()) {
            return Outcome::Done(Box::new(Verdict { positions, ..verdict }));
        }
        if sliced.value.is_some() {
            return Outcome::Done(Box::new(Verdict { positions, ..sliced }));
        }
        let interrupted = budget.check(0, 0) == Err(StopReason::Interrupted);
        let spent = !matches!(sliced.stop, Some(StopReason::Time | StopReason::Interrupted));
        if interrupted || spent || end.check(0, 0).is_err() {
            let stop = if interrupted { Some(StopReason::Interrupted) } else { sliced.stop };
            let proved = Verdict { stop, positions, ..sliced };
            let proved = Box::new(asked.proved(proved, budget));
            return if interrupted { Outcome::Done(proved) } else { Outcome::Open(proved) };
        }
        time *= 2;
    }
}
