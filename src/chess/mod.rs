//! Chess: the kernel's rules (the vector y, squares, FEN, the paper's predicates and move sets, all
//! of `theta_kernel`, which states them once), what the rest of the program needs beside them, and
//! one file that adapts shakmaty.

pub mod board;

mod epd;
mod fen;
mod interner;
mod krinitsky;
mod mv;
mod perft;
mod position;
mod serial;
pub(crate) mod symmetry;
mod value;
pub mod worth;

pub use board::Board;
pub use epd::Operations;
pub use fen::{FenError, parse_fen};
pub use interner::Interner;
pub use krinitsky::{CodeError, KrinitskyCode};
pub use mv::{MoveTextError, move_number, parse_move};
pub use perft::perft;
pub use position::Position;
pub use serial::{serialize_name, serialize_side};
pub use theta_kernel::{
    Move, Packed, PackedError, PositionError, Profile, Side, Turn, Vector, attacked, bare_king,
    black_moves, cannot_be_mated, check_input, check_narrow, code, en_passant_possible, fen, flip,
    in_check, moves, safe_black_king, safe_white_king, successors, swap_colour, white_moves, xg,
    xv,
};
pub use value::{Outcome, UNMEASURED, Value};
