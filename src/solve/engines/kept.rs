//! The search with the owner's moves limited to those after which a goal holds.
//!
//! # References
//! docs/theory.md §16: what is found under a restriction holds without it; what is not is unknown.

use super::super::question::Question;
use super::super::{Engine, Evidence, SolveError, Verdict};
use super::search::Searcher;
use crate::aim::Goal;
use crate::certificate::Certificate;
use crate::chess::Side;
use crate::chess::board::{Board, MoveList};
use crate::chess::fen;
use crate::limits::StopReason;
use crate::prove::Link;
use crate::search::{Plan, Task, achieve, only_wins_of};
use crate::strategy::{BuildError, reach, win};
use std::sync::Arc;

/// Decides by the kept moves alone: a win of either side, or holds.
///
/// # Errors
/// When the position itself or every first move breaks what is to be kept, or another engine is
/// asked for.
pub(in crate::solve) fn solve(
    question: &Question,
    keep: &Arc<Goal>,
) -> Result<Verdict, SolveError> {
    check(question, keep, question.root.side_to_move())?;
    Ok(Searcher::keeping(question, keep).solve(question.budget))
}

/// Whether a goal restricts nothing, as typed.
pub(in crate::solve) fn is_idle(keep: &Goal) -> bool {
    words(keep) == "T"
}

/// What can be seen of a restriction before anything is searched.
fn check(question: &Question, keep: &Goal, owner: Side) -> Result<(), SolveError> {
    if !matches!(question.options.engine, Engine::Auto | Engine::Search) || !question.is_fide() {
        return Err(SolveError::KeepEngine);
    }
    let board = question.board();
    if !keep.holds(&board) {
        return Err(SolveError::NotKept { keep: words(keep) });
    }
    let (moves, side) = (board.legal_moves(), board.side_to_move());
    let stuck = !moves.is_empty() && kept_moves(&board, keep).is_empty();
    if side == owner && stuck {
        return Err(SolveError::NothingKeeps { side, keep: words(keep) });
    }
    Ok(())
}

fn kept_moves(board: &Board, keep: &Goal) -> MoveList {
    let mut moves = board.legal_moves();
    moves.retain(|m| keep.holds(&board.after(*m)));
    moves
}

/// φ of a goal `AF φ`, without the brackets around it.
fn words(keep: &Goal) -> String {
    let text = keep.to_string();
    let inner = text.strip_prefix("AF (").and_then(|rest| rest.strip_suffix(')'));
    inner.or_else(|| text.strip_prefix("AF ")).unwrap_or(&text).to_string()
}

/// Proves an aim for a side by its kept moves. That it is not found says nothing.
///
/// # Errors
/// As [`solve`].
pub(in crate::solve) fn prove_aim(
    question: &Question,
    keep: &Goal,
    side: Side,
    goal: &Goal,
) -> Result<Verdict, SolveError> {
    check(question, keep, side)?;
    let (board, budget) = (question.board(), question.budget);
    budget.progress().stage("searching for a proof", None);
    let (moves, reached) = (|b: &Board| kept_moves(b, keep), |b: &Board| goal.holds(b));
    let mates = goal.is_mate_of(side.other());
    let task = Task::mate(side).with_moves(&moves);
    let task = if mates { task } else { task.with_goal(&reached) };
    let part = budget.remaining().map(|left| budget.part(left - left / 10));
    let outcome = achieve(&board, &task, &only_wins_of(side), part.as_ref().unwrap_or(budget));
    let undecided = Verdict {
        aim: Some(goal.aim().to_string()),
        positions: outcome.positions,
        stop: outcome.stop.or(Some(StopReason::Exhausted)),
        ..Verdict::undecided(*question.root, Engine::Search, budget)
    };
    let Some(won) = outcome.win else { return Ok(undecided) };
    let first = won.plan.own_play(&board).filter(|_| side == board.side_to_move());
    // A plan that is no strategy proves nothing.
    let Ok(certificate) = certified(&board, side, goal, mates, &won.plan, question) else {
        return Ok(undecided);
    };
    let link = Link {
        depth: 0,
        claim: format!("{side} forces the aim"),
        positions: 1,
        fen: fen(&board.vector()),
        aim: goal.aim().to_string(),
        plies: won.plies,
        horizon: None,
        ends: won.plan.ends().len(),
    };
    Ok(Verdict {
        answered: true,
        stop: None,
        best: first.into_iter().collect(),
        // Nothing is forced where the aim holds already.
        links: if won.plies > 0 { vec![link] } else { Vec::new() },
        evidence: Evidence::Ready(Box::new(certificate)),
        ..undecided
    })
}

fn certified(
    board: &Board,
    side: Side,
    goal: &Goal,
    mates: bool,
    plan: &Plan,
    question: &Question,
) -> Result<Certificate, BuildError> {
    let mut policy =
        |b: &Board| plan.own_play(b).ok_or_else(|| BuildError::NoMate(fen(&b.vector())));
    if mates {
        let (strategy, plies) = win(None, board, side, question.budget, &mut policy)?;
        return Ok(Certificate::of_win(strategy, plies));
    }
    let reached = |b: &Board| goal.holds(b);
    let (strategy, plies) = reach(board, side, &reached, question.budget, &mut policy)?;
    Ok(Certificate::of_aim(strategy, plies, goal.aim().to_string()))
}
