//! Who can still mate, by any sequence of legal moves of both sides: `EF mate`, and when not,
//! `AG ~mate`.
//!
//! A position in which neither can is dead (FIDE Laws 5.2.2): the game is drawn. Whose flag falls
//! against a side that can never mate, draws too (6.9).
//!
//! | file | what it is for |
//! |---|---|
//! | `aims` | CTL aims that ask nothing else |
//! | `ask` | the question, the answer, and the methods in their order |
//! | `helpmate` | lines to a mate, best first; or all positions that play leads to |
//! | `invariant` | patterns of positions, grown until no legal move leaves them |
//! | `material` | dead material on the fast board |
//!
//! Nothing of it is believed: an answer is a line or a closed set
//! ([`crate::certificate::Mates`]), which the kernel checks. Limits are counted in positions, so
//! that answers do not depend on the machine.

mod aims;
mod ask;
mod helpmate;
mod invariant;
mod material;
#[cfg(test)]
mod tests;

pub use aims::{Decided, decide, is_of_mates};
pub use ask::{Answer, Chances, Effort, ask, ask_one, shorter};
