//! The trusted kernel of theta: the paper's rules of chess, and the checker of certificates.
//!
//! No dependencies, no clocks, no files, no unsafe code, no recursion on anything that is read.
//! What each file is trusted for, and what the checks mean, is on the page `docs/kernel.md`; the
//! format is on the page `docs/certificate.md`.
//!
//! ```
//! # let bytes: &[u8] = &[];
//! use theta_kernel::{Certificate, check};
//!
//! let verdict = |bytes: &[u8]| -> Result<String, theta_kernel::Rejection> {
//!     let certificate = Certificate::read(bytes)?;
//!     let proved = check(&certificate, None, 1, &mut |_| true)?;
//!     Ok(format!("{}: {}", theta_kernel::fen(&proved.root), proved.claim))
//! };
//! assert!(verdict(b"theta-certificate 4\n").is_err());
//! ```

mod aim;
mod atom;
mod attack;
mod check;
mod checksum;
mod claim;
mod dead;
mod fen;
mod follow;
mod format;
mod keys;
mod legal;
mod listed;
mod mating;
mod meter;
mod moves;
mod never;
mod packed;
mod pattern;
mod rejection;
mod rows;
mod sets;
mod share;
mod slice;
mod symmetry;
mod table;
mod text;
mod vector;

pub use aim::{Aim, AimFault, MAX_AHEAD, MAX_NODES, Node, Place};
pub use atom::{Atom, Comparison, MAX_TERMS, Sum, Term};
pub use attack::{attacked, safe_black_king, safe_white_king};
pub use check::{Ends, Proved, check, memory_needed};
pub use checksum::xxh3_64;
pub use claim::{Claim, Task};
pub use dead::{bare_king, cannot_be_mated};
pub use fen::{FenFault, fen, parse_fen};
pub use follow::Event;
pub use format::{
    Certificate, Entries, Entry, FormatError, Kind, MAX_BYTES, MAX_HEAD, MAX_LINE, MAX_LINES,
    MAX_MOVES, MAX_PATTERNS, MAX_RULES, Section,
};
pub use legal::{PositionError, Side, check_input, check_narrow};
pub use listed::{Row, Rows};
pub use moves::{
    black_moves, en_passant_possible, find_move, has_move, in_check, moves, play, successors,
    white_moves,
};
pub use packed::{Packed, PackedError};
pub use pattern::{Kings, Man, Pattern};
pub use rejection::Rejection;
pub use slice::{MAX_MEN, Slice, Spot};
pub use symmetry::Turn;
pub use text::{Plain, steers};
pub use vector::{Move, Profile, Vector, code, flip, swap_colour, xg, xv};
