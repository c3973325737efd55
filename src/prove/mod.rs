//! Proof by subgoals: Botvinnik's zones propose aims and moves, the proof search proves them, and
//! the proofs are chained until they reach mate or tables.
//!
//! | file | what it is for |
//! |---|---|
//! | `prover` | the prover: rounds of doubling work, what is asked of it and what it answers |
//! | `defences` | the same for the side that is not to move: every defence by itself |
//! | `chain` | links of a chain and the book that keeps them: an aim, then the aims from its ends |
//! | `level` | levels of material, where no value can be proved |
//! | `strive` | aims from the endgame library, and endings one capture away |
//! | `aim_prover` | single attempts: one aim from one position, the attacker limited to its zones or not |
//! | `link` | the links of a proof in words, as they are reported |
//! | `exact` | certificates of what is known exactly: tables, a listed graph |
//!
//! How data runs through: a [`Prover`] takes a board and runs rounds. In each round the `aim_prover`
//! makes attempts with the proof search of [`crate::search`]; a plan that reaches its aim becomes a
//! link of the `chain`; a chain that ends in mate or in tables becomes a strategy, which is built
//! over every reply and is thereby checked; the answer is a [`Proof`] with its certificate.
//!
//! The attacker may be limited, the defender never is: so what is proved is proved.
//!
//! # References
//! R. V. Khelemendik, *On the solution of chess positions using computational tree logic*, §5; M.
//! M. Botvinnik, *On the cybernetic goal of the game*, 1975.

mod aim_prover;
mod chain;
mod defences;
mod exact;
mod level;
mod link;
mod prover;
mod strive;

pub use aim_prover::Zones;
pub use exact::{CertificateError, NoMate, Rated, best, certificate, rate, table_value};
pub use link::Link;
pub use prover::{Proof, ProveOptions, Prover};
