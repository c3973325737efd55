//! Both methods for one formula: the first answer counts.
//!
//! The tableau has a head start, in which it decides most formulas; then the symbolic fixpoint runs
//! beside it in a thread of its own, or, where one thread is all there may be, in turns of growing
//! length (which costs no more than four times the better of the two).

use super::search::Search;
use super::symbolic;
use super::{Answer, Method, Outcome, Question};
use crate::limits::{Budget, Limits, StopReason};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The tableau's head start.
const HEAD_START: Duration = Duration::from_millis(20);
/// The first turn of each where both share a thread.
const TURN: Duration = Duration::from_millis(500);

pub(super) fn decide(question: &Question<'_>, budget: &Budget) -> Outcome {
    let closure = match question.closure(budget) {
        Ok(closure) => closure,
        Err(stop) => return Outcome::stopped(stop),
    };
    let mut search = Search::new(&closure);
    let verdict = search.run(&budget.part(HEAD_START));
    // Whatever the slice ended with: if the whole budget is used up too, that is the answer.
    if verdict.is_ok() || budget.check(0, 0).is_err() {
        return question.tableau_outcome(&mut search, verdict, budget);
    }
    if !symbolic::suits(question) {
        let verdict = search.run(budget);
        return question.tableau_outcome(&mut search, verdict, budget);
    }
    if budget.limits().threads > 1 {
        race(question, &mut search, budget)
    } else {
        turns(question, &mut search, budget)
    }
}

fn race(question: &Question<'_>, search: &mut Search<'_>, budget: &Budget) -> Outcome {
    let cancel = Arc::new(AtomicBool::new(false));
    // Each may have half of the memory.
    let limits = Limits { memory: budget.limits().memory.map(|m| m / 2), ..*budget.limits() };
    let racing = budget.limited(limits).cancelled_by(Arc::clone(&cancel));
    let (finding, verdict) = std::thread::scope(|scope| {
        let fixpoint = scope.spawn(|| {
            let finding = symbolic::decide(question, &racing);
            if finding.satisfiable.is_ok() {
                cancel.store(true, Ordering::Relaxed);
            }
            finding
        });
        let verdict = search.run(&racing);
        if verdict.is_ok() {
            cancel.store(true, Ordering::Relaxed);
        }
        (fixpoint.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), verdict)
    });
    if verdict.is_err() && finding.satisfiable.is_ok() {
        question.symbolic_outcome(finding, budget)
    } else {
        question.tableau_outcome(search, verdict, budget)
    }
}

fn turns(question: &Question<'_>, search: &mut Search<'_>, budget: &Budget) -> Outcome {
    let mut turn = TURN;
    loop {
        let verdict = search.run(&budget.part(turn));
        if verdict.is_ok() || budget.check(0, 0).is_err() {
            return question.tableau_outcome(search, verdict, budget);
        }
        let slice = budget.part(turn);
        let finding = symbolic::decide(question, &slice);
        if finding.satisfiable == Ok(true) && finding.model.is_none() {
            // The turn was too short to read a model off.
            return question.by_symbolic(budget);
        }
        if finding.satisfiable.is_ok() {
            return question.symbolic_outcome(finding, budget);
        }
        if let Err(stop) = budget.check(0, 0) {
            let (states, open_promises) = (search.graph.len() as u64, search.open_promises as u64);
            return Outcome {
                answer: Answer::Unknown(stop),
                method: Method::Auto,
                states,
                open_promises,
            };
        }
        let ended_early = |stop: StopReason| !matches!(stop, StopReason::Time);
        if verdict.is_err_and(ended_early) && finding.satisfiable.is_err_and(ended_early) {
            let verdict = search.run(budget);
            return question.tableau_outcome(search, verdict, budget);
        }
        turn *= 2;
    }
}
