//! The fast board: the one file that adapts shakmaty. Engines that need bitboards, attack sets, SAN or UCI
//! take them from here; `verify` and `theta` use the paper's own predicates instead.

pub use shakmaty::{Bitboard, Color, File, Piece, Rank, Role, Square, attacks};
