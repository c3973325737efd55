//! Satisfiability of CTL formulas over models that need not be total, with models.

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
    /// The best of all: the tableau, joined by the symbolic fixpoint when it takes long.
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

/// Decides whether a formula is satisfiable.
pub fn satisfiable(arena: &mut Arena, formula: Id, options: &Options, budget: &Budget) -> Outcome {
    let normal = arena.nnf(formula);
    let closure = Closure::new(arena, normal, options.total);
    let mut search = Search::new(&closure);
    let answer = match search.run(budget) {
        Ok(Verdict::Unsatisfiable) => Answer::Unsatisfiable,
        Ok(Verdict::Satisfiable(witnesses)) => match model::extract(&mut search, &witnesses, budget) {
            Ok(model) => {
                let verified = modelcheck::holds(arena, normal, &model, budget) == Ok(true);
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
