//! The second decision method: a fixpoint over sets of vertices, kept as binary decision diagrams.
//!
//! It shares nothing with the tableau but the normal form, so that each may check the other, and is strong where the
//! tableau is weak: where the vertices of a model are many but alike (binary counters). It is weak where a formula
//! claims many independent things, each of which needs successors of its own.
//!
//! * `lean`: the atoms that settle the truth of everything else at a vertex, their order, truths as diagrams.
//! * `transition`: which vertices may have a successor in a set.
//! * `fixpoint`: takes away what cannot uphold its claims.
//! * `model`: reads a model off what is left.
//! * `bdd`, `order`: the diagrams; an order of variables that keeps them small.

mod bdd;
mod fixpoint;
mod lean;
mod model;
mod order;
mod transition;

use super::PATIENCE;
use crate::ctl::{Arena, Id};
use crate::kripke::Kripke;
use crate::limits::{Budget, StopReason};
use bdd::Bdds;
use fixpoint::Fixpoint;
use lean::Lean;
use std::time::Instant;

/// The recursion over diagrams is as deep as they have levels.
const STACK: usize = 256 << 20;

/// Whether a formula in negation normal form is small enough for this method.
pub(super) fn suits(arena: &Arena, formula: Id, total: bool) -> bool {
    Lean::new(arena, formula, total).is_some()
}

/// What was found, and how much work it was.
#[derive(Debug)]
pub(super) struct Finding {
    /// Whether there is a model: `None` if a limit was reached or the formula is too large.
    pub(super) satisfiable: Result<bool, StopReason>,
    /// A model, unless it is too large to be read off in the time it took to decide (five seconds at least).
    pub(super) model: Option<Kripke>,
    /// Rounds of elimination.
    pub(super) rounds: u64,
}

/// Decides a formula in negation normal form, in a thread of its own for the sake of the stack.
pub(super) fn decide(arena: &Arena, formula: Id, total: bool, budget: &Budget) -> Finding {
    let run = || decide_here(arena, formula, total, budget);
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run);
        let finding = thread.expect("the system has room for one more thread").join();
        finding.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn decide_here(arena: &Arena, formula: Id, total: bool, budget: &Budget) -> Finding {
    let mut finding = Finding { satisfiable: Err(StopReason::Exhausted), model: None, rounds: 0 };
    let Some(mut lean) = Lean::new(arena, formula, total) else { return finding };
    let started = Instant::now();
    let mut bdds = Bdds::new(budget.clone());
    let mut fixpoint = match lean.draw(&mut bdds).and_then(|()| Fixpoint::new(arena, &lean, bdds)) {
        Ok(fixpoint) => fixpoint,
        Err(stop) => return Finding { satisfiable: Err(stop), ..finding },
    };
    finding.satisfiable = fixpoint.run();
    finding.rounds = fixpoint.rounds;
    if finding.satisfiable == Ok(true) {
        fixpoint.bdds.set_budget(budget.part(PATIENCE.max(started.elapsed())));
        finding.model = model::extract(&mut fixpoint).ok();
    }
    finding
}
