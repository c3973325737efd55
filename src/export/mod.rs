//! Strategies, games and formulas in the forms that people and other programs read.
//!
//! A strategy is put in reading order once ([`Outline`]) and printed from there as text, PGN, JSON,
//! DOT, SVG, HTML or a NuSMV module; Leg(y⁰) is printed as a parity game, a transition system or a
//! picture ([`graph`]) or a Horn formula ([`horn`]), and what can be reached within n plies as a
//! propositional or quantified formula ([`Unrolled`]). A subgoal is drawn with its zone ([`zone`]).
//! The smallest tree for a person ([`explained`]) and the trees of the search with zones
//! ([`searched`]) are printed as text, and so are a mate as composers write it ([`solution`]), a long
//! strategy told by what happens to the men ([`stages`]) and what a fortress consists of
//! ([`fortress`], also drawn). Chess
//! problems are printed with their solutions ([`problem`]), lines and trees of play on boards
//! ([`boards`]), models of formulas as pictures ([`model`]), a certificate as a theorem of Coq
//! ([`coq`]). Every writer streams.

pub mod boards;
mod bounded;
pub mod coq;
pub mod dot;
pub mod explained;
pub mod fortress;
pub mod graph;
pub mod horn;
pub mod html;
pub mod json;
pub mod model;
mod outline;
pub mod pgn;
pub mod problem;
pub mod searched;
pub mod smv;
pub mod solution;
pub mod stages;
pub mod svg;
pub mod text;
pub mod walk;
pub mod zone;

#[cfg(test)]
mod tests;

pub use bounded::Unrolled;
pub use outline::{End, Heading, MoveText, Node, Outline, OutlineError, Reply};

/// A number with its unit: "1 move", "2 moves".
fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
