//! The trusted kernel of theta: the paper's rules of chess, and the checker of certificates.
//!
//! No dependencies, no clocks, no files, no unsafe code, no recursion on anything that is read.

mod attack;
mod dead;
mod fen;
mod legal;
mod moves;
mod packed;
mod symmetry;
mod vector;

pub use attack::{attacked, safe_black_king, safe_white_king};
pub use dead::{bare_king, cannot_be_mated};
pub use fen::{FenError, fen, parse_fen};
pub use legal::{PositionError, Side, check_input, check_narrow};
pub use moves::{black_moves, en_passant_possible, in_check, moves, successors, white_moves};
pub use packed::{Packed, PackedError};
pub use symmetry::Turn;
pub use vector::{Move, MoveTextError, Profile, Vector, code, flip, swap_colour, xg, xv};
