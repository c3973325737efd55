//! Formulas without temporal operators: one vertex is a model, and clauses decide.
//!
//! The formula, in negation normal form, becomes clauses with a fresh variable for each conjunction
//! and disjunction, in one direction only, since every subformula stands in a positive place. A
//! valuation that satisfies the clauses labels the only vertex of a model; in a total model that
//! vertex is its own successor. Linear in the formula.
//!
//! # References
//! D. A. Plaisted, S. Greenbaum, *A structure-preserving clause form translation* (1986).

use super::{Answer, Method, Outcome, Question};
use crate::ctl::{Arena, Id, Node};
use crate::kripke::Builder;
use crate::limits::{Budget, StopReason};
use crate::sat::{self, Cnf};
use std::collections::HashMap;

/// Subformulas between two looks at the budget.
const STEPS: usize = 1 << 14;

/// The clauses of a formula without temporal operators, and which variable each symbol is.
pub(super) struct Clauses {
    cnf: Cnf,
    /// By symbol, in ascending order: the symbol and its variable, from 1.
    variables: Vec<(u32, i32)>,
}

impl Clauses {
    /// The clauses of a formula in negation normal form; `None` if it has a temporal operator.
    ///
    /// # Errors
    /// The limit that was reached.
    pub(super) fn new(
        arena: &Arena,
        formula: Id,
        budget: &Budget,
    ) -> Result<Option<Self>, StopReason> {
        // A formula before its operands, so that the last ones come first below.
        let mut nodes: Vec<Id> = arena.subformulas(formula).collect();
        let temporal = |&id: &Id| {
            matches!(arena.get(id), Node::Next(..) | Node::Until(..) | Node::Release(..))
        };
        if nodes.iter().any(temporal) {
            return Ok(None);
        }
        nodes.reverse();
        let mut cnf = Cnf::new(nodes.len() as u32);
        let mut literals: HashMap<Id, i32> = HashMap::with_capacity(nodes.len());
        let mut variables = Vec::new();
        for (at, &id) in nodes.iter().enumerate() {
            if at.is_multiple_of(STEPS) {
                budget.check(0, arena.bytes() + 80 * at as u64)?;
            }
            let fresh = at as i32 + 1;
            let literal = match arena.get(id) {
                Node::Not(operand) => -literals[&operand],
                Node::Var(symbol) => {
                    variables.push((symbol.0, fresh));
                    fresh
                }
                Node::True => {
                    cnf.add([fresh]);
                    fresh
                }
                Node::False => {
                    cnf.add([-fresh]);
                    fresh
                }
                Node::And(parts) => {
                    parts.iter().for_each(|part| cnf.add([-fresh, literals[part]]));
                    fresh
                }
                Node::Or(parts) => {
                    let parts = parts.iter().map(|part| literals[part]);
                    cnf.add(std::iter::once(-fresh).chain(parts));
                    fresh
                }
                other => unreachable!("{other:?} in negation normal form"),
            };
            literals.insert(id, literal);
        }
        cnf.add([literals[&formula]]);
        variables.sort_unstable();
        Ok(Some(Self { cnf, variables }))
    }

    /// Decides the clauses.
    ///
    /// # Errors
    /// The limit that was reached.
    pub(super) fn decide(&self, budget: &Budget) -> Result<sat::Answer, StopReason> {
        sat::solve_while(&self.cnf, || budget.check(0, 0).is_ok())
            .ok_or_else(|| budget.check(0, 0).err().unwrap_or(StopReason::Exhausted))
    }

    /// The outcome that an answer is: the model, of one vertex, is checked.
    pub(super) fn outcome(
        &self,
        question: &Question<'_>,
        answer: &sat::Answer,
        budget: &Budget,
    ) -> Outcome {
        let answer = match answer {
            sat::Answer::Unsatisfiable => Answer::Unsatisfiable,
            sat::Answer::Satisfiable(values) => {
                let mut builder = Builder::default();
                let vertex = builder.vertex();
                let is_true = |&&(_, variable): &&(u32, i32)| values[variable as usize - 1];
                for &(symbol, _) in self.variables.iter().filter(is_true) {
                    builder.label(vertex, symbol);
                }
                if question.options.total {
                    builder.edge(vertex, vertex);
                }
                question.confirm(builder.build(vertex), budget)
            }
        };
        Outcome { answer, method: Method::Clauses, states: 1, open_promises: 0 }
    }
}
