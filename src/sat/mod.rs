//! Propositional satisfiability, with proofs of unsatisfiability that other programs can check.
//!
//! A formula is a [`Cnf`]; [`solve`] decides it, and [`prove`] writes a refutation beside the
//! answer, which varisat's own checker has followed step by step before the answer is given. This
//! front is the only importer of varisat.
//!
//! # References
//! * J. Marques-Silva, K. Sakallah, *GRASP: a search algorithm for propositional satisfiability*
//!   (1999).
//! * N. Wetzler, M. Heule, W. Hunt, *DRAT-trim: efficient checking and trimming using expressive
//!   clausal proofs* (2014).
//! * L. Cruz-Filipe, M. Heule, W. Hunt, M. Kaufmann, P. Schneider-Kamp, *Efficient certified RAT
//!   verification* (2017): LRAT.

mod cnf;
mod solver;

#[cfg(test)]
mod tests;

pub use cnf::Cnf;
pub use solver::{Answer, ProofError, ProofFormat, prove, solve, solve_while};
