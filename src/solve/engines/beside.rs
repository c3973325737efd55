//! Slices and the proof search in turns.
//!
//! Slices decide most pawn endings, the search those in which something is forced; which of them
//! does is not known before. So neither waits for the other to give up: both keep what they have
//! learned, and go on in turns that grow. The search's turn is an eighth of the slices', so that a
//! position which slices decide takes an eighth longer at most, and one that the search decides in t
//! seconds about 10 t. In the first turn slices are alone: what they decide at once shall not wait for
//! the search to end, which may be in the middle of a table. With one officer it is the other way round
//! from their second turn on: of 28 such endings of games slices decide 25, each of them in five seconds.
//! With several officers the search is first, its turns are a third, and the two have less of the time:
//! what the search decides of endings of games it decides in seconds, and slices of two officers take up
//! to a minute. Each has all threads in its turn. A win that the search has found is made shorter within
//! the whole of the time, not within its turn.
//!
//! What one of them proves counts for the other: positions with fewer men or pawns, and near the root,
//! that slices have decided end the search's lines ([`Solved`]; not with several officers); the hold of a
//! side that slices have proved the search does not look for any more, nor for a win against it, and the
//! other way round. Where slices have proved that one side holds and the search that the other does, the
//! position is a draw ([`Asked::joined`], and [`super::subgoals::joined`] where the search does so later).

use super::super::Verdict;
use super::super::question::Question;
use super::search::Searcher;
use super::slice_proof::{ALONE, Proof, RANKS, opened};
use super::slices::{self, Asked};
use super::subgoals;
use crate::chess::board::Board;
use crate::chess::{self, Move, Side};
use crate::limits::StopReason;
use crate::search::{Play, Solved};
use std::sync::Mutex;
use std::time::Duration;

/// The slices' first turn; each is twice as long as the one before.
const FIRST: Duration = Duration::from_secs(2);
/// How many times as long the slices' turns are as the search's.
const SHARE: u32 = 8;
/// With one officer the search's are so many times as long from late on: a hold is looked for anew in each.
const SHARE_OF_SEARCH: u32 = 16;
/// The slices' turn from which on it is late.
const LATE: Duration = Duration::from_secs(4);
/// How many times as long the slices' turns are with several officers.
const SHARE_OF_SEVERAL: u32 = 3;
/// The search's first turn then, before slices have any: half of the time at most.
const LOOK: Duration = Duration::from_millis(1500);

/// What came of both.
pub(super) enum Outcome {
    /// It is decided, or the user has interrupted the work.
    Done(Box<Verdict>),
    /// What is proved: perhaps that one side holds.
    Open(Box<Verdict>),
}

/// Slices and the search, for a part of the time.
pub(super) fn decide(mut asked: Asked, search: &mut Searcher, question: &Question) -> Outcome {
    let budget = question.budget;
    slices::tell(question);
    let end = budget.part(budget.remaining().map_or(ALONE, |left| left.mul_f64(asked.part)));
    let (mut time, mut searched_positions) = (FIRST, 0);
    // What the search has proved of one side.
    let mut half: Option<Verdict> = None;
    // With several officers it takes as long to look a position up as to search some ten.
    let is_told = !slices::is_several(question);
    if is_told {
        search.beside(asked.solved());
    } else {
        let look = end.remaining().map_or(LOOK, |left| LOOK.min(left / 2));
        let verdict = search.solve_within(&end.part(look), budget);
        if verdict.value.is_some() {
            return Outcome::Done(Box::new(verdict));
        }
        searched_positions = verdict.positions;
        half = half_of(verdict, search, &asked, is_told);
    }
    loop {
        let sliced = asked.turn(question, &end.part(time));
        let held = if sliced.value.is_none() { asked.held() } else { None };
        held.into_iter().for_each(|side| search.spare(side));
        let is_joined = |half: &Option<Verdict>| {
            let other = half.as_ref().map(|verdict| verdict.bounds[0].side());
            held.is_some() && other.is_some() && held != other
        };
        let is_open = sliced.value.is_none() && !is_joined(&half);
        if is_open && half.is_none() && is_late(time, question) {
            // Strategies that go on by slices are larger, and take longer to write.
            search.alone(budget);
        }
        let searched = (is_open && end.check(0, 0).is_ok())
            .then(|| search.solve_within(&end.part(after(time, question)), budget));
        searched_positions += searched.as_ref().map_or(0, |verdict| verdict.positions);
        let positions = sliced.positions + searched_positions;
        match searched {
            Some(verdict) if verdict.value.is_some() => {
                return Outcome::Done(Box::new(Verdict { positions, ..verdict }));
            }
            Some(verdict) => match half.take_if(|half| is_of_other(half, &verdict)) {
                Some(half) => {
                    let draw = subgoals::joined(half, verdict, question);
                    return Outcome::Done(Box::new(Verdict { positions, ..draw }));
                }
                None if half.is_none() => half = half_of(verdict, search, &asked, is_told),
                None => {}
            },
            None => {}
        }
        if sliced.value.is_some() {
            return Outcome::Done(Box::new(Verdict { positions, ..sliced }));
        }
        if is_joined(&half) {
            let draw = asked.joined(half.expect("joined to it"), question);
            return Outcome::Done(Box::new(Verdict { positions, ..draw }));
        }
        let interrupted = budget.check(0, 0) == Err(StopReason::Interrupted);
        let spent = !matches!(sliced.stop, Some(StopReason::Time | StopReason::Interrupted));
        if interrupted || spent || end.check(0, 0).is_err() {
            let stop = if interrupted { Some(StopReason::Interrupted) } else { sliced.stop };
            if half.is_none() {
                search.alone(budget);
            }
            let proved = Verdict { stop, positions, ..sliced };
            let mut proved = asked.proved(proved, budget);
            if proved.bounds.is_empty() {
                // What slices have proved is given up where there was no time to write it down.
                search.spare_nobody();
                if let Some(half) = half {
                    search.spare(half.bounds[0].side());
                    proved = Verdict { stop: proved.stop, positions, ..half };
                }
            }
            let proved = Box::new(proved);
            return if interrupted { Outcome::Done(proved) } else { Outcome::Open(proved) };
        }
        time *= 2;
    }
}

/// Whether slices have had the time in which they decide endings with one officer.
fn is_late(slices_turn: Duration, question: &Question) -> bool {
    slices_turn >= LATE && !slices::is_several(question) && slices::has_officer(question)
}

/// The search's turn after one of the slices'.
fn after(slices_turn: Duration, question: &Question) -> Duration {
    if slices::is_several(question) {
        slices_turn / SHARE_OF_SEVERAL
    } else if is_late(slices_turn, question) {
        slices_turn * SHARE_OF_SEARCH
    } else {
        slices_turn / SHARE
    }
}

/// That one side holds, if the search has proved it: neither method looks for it any more.
fn half_of(
    verdict: Verdict,
    search: &mut Searcher,
    asked: &Asked,
    is_told: bool,
) -> Option<Verdict> {
    let side = verdict.bounds.first()?.side();
    search.spare(side);
    asked.spare(side, is_told);
    Some(verdict)
}

/// Whether the search has proved that the other side holds too.
fn is_of_other(half: &Verdict, verdict: &Verdict) -> bool {
    verdict.bounds.iter().any(|bound| *bound != half.bounds[0])
}

impl Solved for Mutex<Proof> {
    fn outcome(&self, board: &Board) -> Option<chess::Outcome> {
        let proof = self.try_lock().ok()?;
        let analysis = proof.analysis();
        if analysis.has_met(board) { analysis.known(board) } else { None }
    }

    fn holding(&self, board: &Board) -> Vec<Move> {
        let proof = opened(self);
        let analysis = proof.analysis();
        let is_met = analysis.has_met(board);
        if is_met { analysis.holding(board, board.side_to_move()) } else { Vec::new() }
    }

    fn winning(&self, side: Side, use_it: &mut dyn FnMut(&mut Play)) {
        let proof = opened(self);
        let analysis = proof.analysis();
        let mut winner = analysis.winner(side, RANKS);
        use_it(&mut |board| if analysis.has_met(board) { winner.play(board) } else { None });
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::{Bound, Solver};
    use super::*;
    use crate::certificate::Claim;
    use crate::chess::{Side, Value};
    use crate::limits::{Budget, Limits};
    use crate::verify;

    /// A question by one thread.
    fn ask<T>(fen: &str, ask: impl FnOnce(&Question) -> T) -> T {
        let (root, solver) = (fen.parse().unwrap(), Solver::default());
        let budget = Budget::new(Limits { threads: 1, ..Limits::default() });
        let Solver { kept, options, .. } = &solver;
        ask(&Question { root: &root, kept, options, budget: &budget })
    }

    #[test]
    fn with_one_officer_slices_have_their_time_and_then_the_search() {
        let [pawns, one, two] = [
            "8/8/4k3/8/2pp4/8/3K4/8 w - -",
            "8/8/4k3/8/2pp4/8/3K4/6N1 w - -",
            "8/8/4k3/8/2pp4/2n5/3K4/6N1 w - -",
        ]
        .map(|fen| [FIRST, LATE].map(|turn| ask(fen, |question| after(turn, question))));
        assert!(pawns[1] < LATE && one[0] == pawns[0] && one[1] > LATE, "{pawns:?} {one:?}");
        assert!(two[0] > pawns[0] && two[1] < LATE, "{two:?}");
    }

    /// A wall that is locked.
    const WALL: &str = "4k3/8/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/4K3 w - - 0 1";

    /// The search for a side's hold alone, which it proves.
    fn half(side: Side, question: &Question) -> Verdict {
        let mut search = Searcher::new(question);
        search.spare(side.other());
        let half = search.solve(&question.budget.at_most(400_000));
        assert_eq!((half.value, &half.bounds[..]), (None, &[Bound::of(side)][..]));
        half
    }

    fn is_accepted_draw(verdict: &Verdict) -> bool {
        let certificate = verdict.certificate().expect("both strategies can be written");
        let accepted = verify(&certificate).expect("accepted").claim;
        verdict.value == Some(Value::Draw) && accepted == Claim::Draw
    }

    #[test]
    fn a_hold_by_the_search_and_one_in_a_later_turn_are_a_draw() {
        ask(WALL, |question| {
            let [white, black] = Side::ALL.map(|side| half(side, question));
            assert!(is_of_other(&white, &black) && !is_of_other(&white, &white));
            assert!(is_accepted_draw(&subgoals::joined(white, black, question)));
        });
    }

    #[test]
    fn a_hold_by_slices_and_one_by_the_search_are_a_draw() {
        for by_slices in Side::ALL {
            ask(WALL, |question| {
                let mut asked = Asked::of(question).expect("kings and pawns");
                asked.spare(by_slices.other(), false);
                let sliced = asked.turn(question, &question.budget.part(Duration::from_secs(20)));
                assert_eq!((sliced.value, asked.held()), (None, Some(by_slices)));
                let draw = asked.joined(half(by_slices.other(), question), question);
                assert!(!draw.best.is_empty(), "a move that holds");
                assert!(is_accepted_draw(&draw));
            });
        }
    }
}
