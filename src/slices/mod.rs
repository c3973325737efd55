//! Slices: pawn endings of any size.
//!
//! A *slice* is a placement of the pawns, with officers of the side whose win is asked for, the
//! *attacker*, and of the defender's, three in all at most; its positions differ in the kings, the
//! officers and the side to move.
//! Captures, promotions and pawn moves lead to other slices. Whole endings have too many of them,
//! so a slice may be solved while what some of its exits lead to is not known, and only those that
//! a proof rests on are looked into.
//!
//! | file | what it is for |
//! |---|---|
//! | `bits` | squares as bits of a word; what kings, pawns and officers attack |
//! | `key` | what a slice is, and a place in it |
//! | `rest` | officers that stand still |
//! | `moves` | the moves of one position, and where they lead |
//! | `rows` | 64 positions in a word: the sets of a slice, legality, ranks |
//! | `children` | the slices that a slice's exits lead to |
//! | `exits` | what other slices say of a slice's positions, row by row |
//! | `fixpoint` | the least fixpoint inside one slice |
//! | `shape`, `several`, `spread` | rows, exits and fixpoint where there are several officers |
//! | `turned` | sets with another man as the axis, for captures of it |
//! | `stalemates` | where the defender has no move |
//! | `second` | more officers of the attacker's, all but one at rest |
//! | `guess` | what is guessed of slices that are not looked into |
//! | `store` | the slices at hand, with sets for each level of knowledge |
//! | `unseen` | what is taken of slices that are not at hand |
//! | `tabled` | small slices read from tables |
//! | `witness` | small slices read from what others know, such as Syzygy files |
//! | `upper` | bounds from above, for holds |
//! | `refine`, `hold` | which slice is looked into next, for wins and for holds |
//! | `closure` | what is solved once and for all where there are several officers |
//! | `common` | what provers on several threads share |
//! | `crew` | one side's questions, on one thread or on several |
//! | `play` | strategies, read off solved slices |
//! | `closed`, `closed_set`, `region` | holds written down: closed sets, by rows |
//! | `winning`, `met`, `sweep`, `plies` | wins written down, by rows: what is needed, in one slice, and the plies |
//! | `truth` | ranks of slices that tables know, for these |
//! | `inside` | quiet moves inside a slice, by rows |
//! | `squares` | key squares and corresponding squares, read off a slice |
//! | `plan` | what an ending would take, before a slice is solved |
//! | `engine` | both sides' questions about a root, side by side |
//!
//! How data runs through: [`Analysis::pursue`] asks for each side whether it wins. `refine` walks a
//! strategy that wins if guesses are true, and demands its exits, depth first; `store` solves a
//! slice by `exits` and `fixpoint`. When the root is in the lowest set it is proved, and
//! [`Analysis::winner`] plays it; a certificate is made from that elsewhere.
//!
//! Bytes: a slice of kings and pawns takes 1 KiB a level (8,192 positions), with an officer 64 KiB
//! (524,288), with two 4 MiB (33.6 million), with three 256 MiB (2,147 million). A fixpoint costs about 1 ns a position.

mod bits;
mod children;
mod closed;
mod closed_set;
mod closure;
mod common;
mod crew;
mod engine;
mod exits;
mod fixpoint;
mod guess;
mod hold;
mod inside;
mod key;
mod met;
mod moves;
mod plan;
mod play;
mod plies;
mod refine;
mod region;
mod rest;
mod rows;
mod second;
mod several;
mod shape;
mod spread;
mod squares;
mod stalemates;
mod store;
mod sweep;
mod tabled;
#[cfg(test)]
mod tests;
mod truth;
mod turned;
mod unseen;
mod upper;
mod winning;
mod witness;

pub use bits::Officer;
pub use closed::NotClosed;
pub use closed_set::ClosedSet;
pub use crew::Known;
pub use engine::{Analysis, Unfit, Work};
pub use key::{Key, Place};
pub use plan::{Plan, plan, plan_still};
pub use play::Winner;
pub use plies::WinningSet;
pub use squares::Squares;
pub use winning::NotWritten;
pub use witness::Witness;
