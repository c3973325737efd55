//! The paper's formulas over a listed Leg(y⁰): 271 variables, P(y), Init, Rules, Aims, Θ1–Θ4,
//! Hold2, Hold4, Θ2*.
//!
//! The formulas are written down once, in `formula`, as a stream of operators and operands;
//! [`write()`] turns the stream into text and [`build`] into a formula of a [`crate::ctl::Arena`].
//! Where the positions come from is not this front's business: it reads them from a [`Leg`].
//!
//! # References
//! R. V. Khelemendik, *On the solution of chess positions using computational tree logic*, §§2–4
//! (docs/theory.md §§2, 5 and 6); Hold2, Hold4 and Θ2* are those of docs/theory.md §8.

mod build;
mod formula;
mod text;
mod variables;

pub use build::{build, variables};
pub use formula::Theta;
pub use text::{Form, write};
pub use variables::{
    BLACK_CAN_MOVE, LabelError, POSITION_VARIABLES, VARIABLES, WHITE_CAN_MOVE, literals,
    position_of_label,
};

use crate::chess::Vector;

/// Leg(y⁰), listed: y⁰ and every position reachable by legal moves, numbered from 0. Position 0 is
/// y⁰.
///
/// It may be read several times, in any order, and must answer the same every time.
pub trait Leg {
    /// The number of positions, at least 1.
    fn positions(&self) -> u32;

    /// The vector of a position.
    fn vector(&self, id: u32) -> Vector;

    /// The distinct positions after each move (WhiteMoves or BlackMoves of the side to move); none
    /// where the game is over.
    fn successors(&self, id: u32) -> &[u32];
}
