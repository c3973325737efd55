//! The second decision method: a fixpoint over sets of vertices, kept as binary decision diagrams.
//!
//! It shares nothing with the tableau but the normal form, so that each may check the other, and is
//! strong where the tableau is weak: where the vertices of a model are many but alike (binary
//! counters). It is weak where a formula claims many independent things, each of which needs
//! successors of its own.
//!
//! * `lean`: the atoms that settle the truth of everything else at a vertex, their order, truths as
//!   diagrams.
//! * `transition`: which vertices may have a successor in a set.
//! * `fixpoint`: takes away what cannot uphold its claims.
//! * `elimination`: what was taken away when, for refutations.
//! * `model`: reads a model off what is left.
//! * `bdd`, `order`: the diagrams; an order of variables that keeps them small.

mod bdd;
mod elimination;
mod fixpoint;
mod lean;
mod model;
mod order;
mod transition;

use super::Question;
use crate::kripke::Kripke;
use crate::limits::{Budget, StopReason};
use bdd::Bdds;
pub(super) use elimination::{Branch, Elimination, Reason, eliminate};
use fixpoint::Fixpoint;
pub(super) use lean::Atom;
use lean::Lean;

/// The recursion over diagrams is as deep as they have levels.
const STACK: usize = 256 << 20;

/// Whether a formula is small enough for this method.
pub(super) fn suits(question: &Question<'_>, budget: &Budget) -> bool {
    Lean::suits(question.arena, question.formula, question.options.total, budget)
}

/// What was found, and how much work it was.
#[derive(Debug)]
pub(super) struct Finding {
    /// Whether there is a model: `None` if a limit was reached or the formula is too large.
    pub(super) satisfiable: Result<bool, StopReason>,
    /// A model, if one was read off within the question's patience.
    pub(super) model: Option<Kripke>,
    /// Rounds of elimination.
    pub(super) rounds: u64,
}

/// Decides a formula, in a thread of its own for the sake of the stack.
pub(super) fn decide(question: &Question<'_>, budget: &Budget) -> Finding {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(scope, || decide_here(question, budget));
        let finding = thread.expect("the system has room for one more thread").join();
        finding.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn decide_here(question: &Question<'_>, budget: &Budget) -> Finding {
    let &Question { arena, formula, options, .. } = question;
    let stopped = |stop| Finding { satisfiable: Err(stop), model: None, rounds: 0 };
    let mut lean = match Lean::new(arena, formula, options.total, budget) {
        Ok(lean) => lean,
        Err(stop) => return stopped(stop),
    };
    let mut bdds = Bdds::new(budget.clone());
    let mut fixpoint = match lean.draw(&mut bdds).and_then(|()| Fixpoint::new(arena, &lean, bdds)) {
        Ok(fixpoint) => fixpoint,
        Err(stop) => return stopped(stop),
    };
    let satisfiable = fixpoint.run();
    let mut finding = Finding { satisfiable, model: None, rounds: fixpoint.rounds };
    if finding.satisfiable == Ok(true) {
        fixpoint.bdds.set_budget(budget.part(question.patience()));
        finding.model = model::extract(&mut fixpoint).ok();
    }
    finding
}
