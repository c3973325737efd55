//! Satisfiability of CTL formulas over models that need not be total, with models.
//!
//! An and-or tableau, grown on the fly with global caching, whose labels are found by a demand-driven
//! clause-learning search:
//!
//! * `closure`: the formula as a graph of nodes, fixpoints unfolded truly at dead ends; the bodies of the root's
//!   `AG` conjuncts are axioms of every label instead of formulas carried along.
//! * `labeller`, `clauses`, `cubes`: what can hold together at one vertex. Conflicts are learned across vertices;
//!   of a disjunction over 10^5 cubes the possible disjuncts are looked up in a decision tree.
//! * `graph`, `search`: prestates (demands on a vertex) and states (demands on its successors), each made once;
//!   what makes a successor unsatisfiable is excluded as a combination of `AX` and `EX` everywhere.
//! * `promises`: the nested fixpoint that tells which untils are kept, with counters; an until kept nowhere is
//!   refuted by induction, or pressed at all its prestates together.
//! * `model`: reads off a model, which the model checker then checks.
//!
//! # The choice of method
//! Compared on paper: elimination on all Hintikka sets (always exponential), a fixpoint with binary decision
//! diagrams (exponential on independent eventualities and on unsatisfiable counters), parity games (automata
//! products at each vertex). An on-the-fly tableau visits only what a model needs; what it lacks, pruning of
//! unsatisfiable branching, the learned clauses give. A second decision method, the naive fixpoint over types,
//! serves the tests as an oracle. Formulas whose every model is exponential (binary counters) stay so.
//!
//! # References
//! E. A. Emerson, J. Y. Halpern (1985), E. A. Emerson (1990): tableaux for CTL. R. Goré, F. Widmann (2009):
//! on-the-fly and-or graphs. R. Goré, J. Thomson, F. Widmann, *An experimental comparison of theorem provers for
//! CTL* (2011): the families. R. Goré, C. Kikkert, *CEGAR-tableaux* (2021): successors' conflicts as clauses.
//! A. R. Bradley, *SAT-based model checking without unrolling* (2011), for induction relative to what is stuck.

mod clauses;
mod closure;
mod cubes;
mod graph;
mod labeller;
mod model;
mod promises;
mod search;

use crate::ctl::{Arena, Id};
use crate::kripke::Kripke;
use crate::limits::{Budget, StopReason};
use crate::modelcheck;
use closure::Closure;
use search::{Search, Verdict};
use std::time::{Duration, Instant};

/// A model is checked for at least this long, and for as long as it took to find it.
const CHECK: Duration = Duration::from_secs(5);

/// How to decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// Ask for a total model: the formula is conjoined with `AG EX T`.
    pub total: bool,
    /// Which method decides.
    pub method: Method,
}

/// A decision method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Method {
    /// Whatever suits the formula: at present the tableau, always.
    #[default]
    Auto,
    /// The on-the-fly tableau.
    Tableau,
}

/// Is the formula satisfiable?
#[derive(Debug, Clone)]
pub enum Answer {
    /// Yes: here is a model.
    Satisfiable {
        /// The model; its symbols are the arena's.
        model: Kripke,
        /// Whether the model checker found the formula true at the model's root.
        verified: bool,
    },
    /// No model satisfies it.
    Unsatisfiable,
    /// The budget was used up.
    Unknown(StopReason),
}

/// An answer and how it was found.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The answer.
    pub answer: Answer,
    /// The method that found it.
    pub method: Method,
    /// States and prestates made, or types counted.
    pub states: u64,
    /// Promises (untils at prestates) that were open when the search ended.
    pub open_promises: u64,
}

/// Decides whether a formula is satisfiable, and in the positive case builds a model.
///
/// Complete and terminating; exponential time and space in the worst case. About 250 bytes per prestate and state, and 4 per formula in
/// their keys. The model is checked by [`modelcheck`] for at least five seconds and
/// for as long as it took to find; if that does not suffice it is returned unverified. A limit of the budget
/// gives [`Answer::Unknown`]; `states` and `open_promises` then say how far it got.
pub fn satisfiable(arena: &mut Arena, formula: Id, options: &Options, budget: &Budget) -> Outcome {
    let started = Instant::now();
    let normal = arena.nnf(formula);
    let closure = Closure::new(arena, normal, options.total);
    let mut search = Search::new(&closure);
    let answer = match search.run(budget) {
        Ok(Verdict::Unsatisfiable) => Answer::Unsatisfiable,
        Ok(Verdict::Satisfiable(witnesses)) => match model::extract(&mut search, &witnesses, budget) {
            Ok(model) => {
                let verified =
                    modelcheck::holds(arena, normal, &model, &budget.part(CHECK.max(started.elapsed()))) == Ok(true);
                Answer::Satisfiable { model, verified }
            }
            Err(stop) => Answer::Unknown(stop),
        },
        Err(stop) => Answer::Unknown(stop),
    };
    Outcome {
        answer,
        method: Method::Tableau,
        states: search.graph.len() as u64,
        open_promises: search.open_promises as u64,
    }
}

#[cfg(test)]
mod explicit;
#[cfg(test)]
mod tests;
