//! How pieces travel, and what an exchange on a square gains.
//!
//! * `tables`: the least number of moves between squares of the empty board, for each kind of man.
//! * `trajectory`: the squares a piece stops on (α) and passes over (β).
//! * `bundle`: all trajectories of one piece between two squares.
//! * `men`: the men on a board as bit sets that can be changed freely.
//! * `route`: trajectories read on the real board, with what stands in the way.
//! * `exchange`: the captures on a square, and who controls it.

pub mod bundle;
pub mod exchange;
pub mod men;
pub mod route;
pub mod tables;
pub mod trajectory;
