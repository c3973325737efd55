//! The endgame library: one stored position and its partition formula describe the whole set of its
//! configuration.
//!
//! # References
//! * A. D. Yudin, *The endgame library of the program PIONEER*, §3.3–3.9 (docs/theory.md §14).

mod check;
mod class;
mod find;
mod generate;
mod row;
mod set;
mod square;
#[cfg(test)]
mod tests;

pub use check::{Contradiction, contradictions};
pub use class::{Class, LibraryError, parse_classes, template};
pub use find::{Found, Told, find};
pub use generate::{Shape, generate};
pub use row::{Answer, FREE, Play, Row, RowError, Subset};
pub use set::{Edge, Formula, Frame, Part, Shift};
pub use square::{Symmetry, colour, diagonal_a1h8, diagonal_h1a8, flank, linear};

/// The library that comes with the program: classes of three and four men.
pub const BUILT_IN: &str = include_str!("../../../positions/library/endgames.txt");

/// Its classes of five men. To check them takes the tables of five men.
pub const FIVE_MEN: &str = include_str!("../../../positions/library/endgames_five.txt");

/// All classes that come with the program.
///
/// # Panics
/// Never: a test reads them all.
pub fn built_in() -> Vec<Class> {
    [BUILT_IN, FIVE_MEN]
        .iter()
        .flat_map(|text| parse_classes(text).expect("our own library can be read"))
        .collect()
}
