//! Chess: the vector y, squares, FEN, the paper's predicates and move sets, and one file that
//! adapts shakmaty.

pub mod board;

mod attack;
mod fen;
mod interner;
mod invariants;
mod krinitsky;
mod moves;
mod packed;
mod position;
mod symmetry;
mod vector;

pub use attack::{attacked, safe_black_king, safe_white_king};
pub use board::Board;
pub use fen::{FenError, fen, parse_fen};
pub use interner::Interner;
pub use invariants::{PositionError, Side, check_input, check_narrow};
pub use krinitsky::{CodeError, KrinitskyCode};
pub use moves::{
    black_moves, en_passant_possible, in_check, moves, perft, successors, white_moves,
};
pub use packed::{Packed, PackedError};
pub use position::Position;
pub use symmetry::Turn;
pub use vector::{Move, MoveTextError, Profile, Vector, code, flip, swap_colour, xg, xv};
