//! Chess problems: stipulations as formulas, decided by one engine, solutions as composers read them.
//!
//! A [`Stipulation`] such as `#3`, `s#2` or `h#2.5` is a formula over the game graph, bounded by its
//! length; its [`Script`] says for each ply whose choice it is and whether the aim counts. [`solve`]
//! finds every solution, what is shorter, set play and tries.
//!
//! | file | what it is for |
//! |---|---|
//! | `stipulation` | what composers write, read and printed |
//! | `script` | the alternation: the stipulation as a formula |
//! | `engine`, `table`, `arrival` | the search, what it remembers, and what men cannot do in time |
//! | `solve`, `tell` | all solutions from the root, and what follows each key |
//! | `solution` | what comes out |
//! | `proof` | the certificate of the keys, and that no other first move solves |
//! | `twin`, `popeye` | diagrams changed into their twins; problems in Popeye's input language |
//!
//! # References
//! docs/theory.md, section 19, says what is decided and why it is right.

mod arrival;
mod engine;
pub mod popeye;
mod proof;
mod script;
mod solution;
mod solve;
mod stipulation;
mod table;
mod tell;
mod twin;

pub use proof::{Unproved, prove_keys};
pub use script::{Choice, Script, Turn};
pub use solution::{Attack, Ply, Solution, Solved, Status, Variation, Wishes};
pub use solve::solve;
pub use stipulation::{Bounded, Goal, Kind, MAX_MOVES, Stipulation, StipulationError};
pub use twin::{Diagram, Edit, TwinError, castling_of, usual_mover};
