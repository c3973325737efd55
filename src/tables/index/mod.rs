//! The perfect index: where a position stands in its table, and what a table holds of it.
//!
//! * `material`: the signature, the stronger side first.
//! * `symmetry`: the squares that a leading king is turned into.
//! * `layout`: slice (pawn squares), side to move, king number, row and column of a signature.
//! * `place`: where a position's row is, and where a piece that leaves a row brings it.
//! * `geometry`: which squares make a legal position, and which attack a king.
//! * `moves`: the best of several moves, for a row of positions together.
//! * `rays`: where a piece goes, ray by ray.
//! * `probe`: from a board to its signature, its place, and whether the colours were exchanged.
//! * `value`: a value, and the byte that holds it.
//! * `raw`: the bytes of a whole table in memory, as they are solved and as the tables that depend
//!   on them read them.

pub(super) mod geometry;
pub(super) mod layout;
pub(super) mod material;
pub(super) mod moves;
pub(super) mod place;
pub(super) mod probe;
pub(super) mod raw;
pub(super) mod rays;
pub(super) mod symmetry;
pub(super) mod value;
