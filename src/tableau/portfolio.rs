//! Both methods for one formula: the first answer counts.
//!
//! The tableau has a head start, in which it decides most formulas; then the symbolic fixpoint runs
//! beside it in a thread of its own, or, where one thread is all there may be, in turns of growing
//! length (which costs no more than four times the better of the two). A formula without temporal
//! operators has clauses in the tableau's place.

use super::propositional::Clauses;
use super::search::Search;
use super::symbolic;
use super::{Answer, Method, Outcome, Question};
use crate::limits::{Budget, StopReason};
use crate::sat;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The tableau's head start.
const HEAD_START: Duration = Duration::from_millis(20);
/// The first turn of each where both share a thread.
const TURN: Duration = Duration::from_millis(500);

pub(super) fn decide(question: &Question<'_>, budget: &Budget) -> Outcome {
    match Clauses::new(question.arena, question.formula, budget) {
        Ok(Some(clauses)) => return decide_clauses(question, &clauses, budget),
        Ok(None) => {}
        Err(stop) => return Outcome::stopped(stop),
    }
    let closure = match question.closure(budget) {
        Ok(closure) => closure,
        Err(stop) => return Outcome::stopped(stop),
    };
    let mut search = question.search(&closure);
    let verdict = search.run(&budget.part(HEAD_START));
    // Whatever the slice ended with: if the whole budget is used up too, that is the answer.
    if verdict.is_ok() || budget.check(0, 0).is_err() {
        return question.tableau_outcome(&mut search, verdict, budget);
    }
    if !symbolic::suits(question, budget) {
        let verdict = search.run(budget);
        return question.tableau_outcome(&mut search, verdict, budget);
    }
    if budget.limits().threads > 1 {
        let tableau = |budget: &Budget| search.run(budget);
        let (finding, verdict) = race(question, tableau, Result::is_ok, budget);
        if verdict.is_err() && finding.satisfiable.is_ok() {
            question.symbolic_outcome(finding, budget)
        } else {
            question.tableau_outcome(&mut search, verdict, budget)
        }
    } else {
        turns(question, &mut search, budget)
    }
}

/// Clauses, with the symbolic fixpoint beside them: pigeons in holes are easy for diagrams.
fn decide_clauses(question: &Question<'_>, clauses: &Clauses, budget: &Budget) -> Outcome {
    let head_start = clauses.decide(&budget.part(HEAD_START));
    let (answer, finding) = if head_start.is_ok() || budget.check(0, 0).is_err() {
        (head_start, None)
    } else if !symbolic::suits(question, budget) {
        (clauses.decide(budget), None)
    } else if budget.limits().threads > 1 {
        let by_clauses = |budget: &Budget| clauses.decide(budget);
        let (finding, answer) = race(question, by_clauses, Result::is_ok, budget);
        (answer, Some(finding))
    } else {
        clause_turns(question, clauses, budget)
    };
    match (answer, finding) {
        (Ok(answer), _) => clauses.outcome(question, &answer, budget),
        (Err(_), Some(finding)) if finding.satisfiable.is_ok() => {
            question.symbolic_outcome(finding, budget)
        }
        (Err(stop), _) => Outcome::stopped(stop),
    }
}

/// Clauses and the symbolic fixpoint in turns of growing length, each from the beginning.
fn clause_turns(
    question: &Question<'_>,
    clauses: &Clauses,
    budget: &Budget,
) -> (Result<sat::Answer, StopReason>, Option<symbolic::Finding>) {
    let mut turn = TURN;
    loop {
        let answer = clauses.decide(&budget.part(turn));
        if answer.is_ok() || budget.check(0, 0).is_err() {
            return (answer, None);
        }
        let finding = symbolic::decide(question, &budget.part(turn));
        if finding.satisfiable.is_ok() || budget.check(0, 0).is_err() {
            return (answer, Some(finding));
        }
        turn *= 2;
    }
}

/// The symbolic fixpoint in a thread of its own beside another method; the first answer ends both.
fn race<T>(
    question: &Question<'_>,
    other: impl FnOnce(&Budget) -> T,
    is_answer: impl FnOnce(&T) -> bool,
    budget: &Budget,
) -> (symbolic::Finding, T) {
    let cancel = Arc::new(AtomicBool::new(false));
    // Each may have half of the memory.
    let racing = budget.memory_of(2).cancelled_by(Arc::clone(&cancel));
    std::thread::scope(|scope| {
        let fixpoint = scope.spawn(|| {
            let finding = symbolic::decide(question, &racing);
            if finding.satisfiable.is_ok() {
                cancel.store(true, Ordering::Relaxed);
            }
            finding
        });
        let found = other(&racing);
        if is_answer(&found) {
            cancel.store(true, Ordering::Relaxed);
        }
        (fixpoint.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), found)
    })
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
