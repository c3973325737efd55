//! The worth of pieces, in the scales that the engines use.
//!
//! *Pawns*: queen 9, rook 5, bishop and knight 3, pawn 1, king 0: material in aims, in proof search
//! and in closed regions. *At stake*: the same with a king worth 200, more than all other men
//! together: exchanges and zones (M. M. Botvinnik, *On the cybernetic goal of the game*, 1975,
//! "General positional evaluation"). *Centipawns*: hundredths of a pawn, the minor pieces and the
//! queen weighed more finely: the guesses of play over the board.

use super::Side;
use super::board::{Bitboard, BySide, Men, Role};

/// In pawns; 0 for a king, which is never counted.
pub const fn in_pawns(role: Role) -> i32 {
    match role {
        Role::King => 0,
        Role::Queen => 9,
        Role::Rook => 5,
        Role::Bishop | Role::Knight => 3,
        Role::Pawn => 1,
    }
}

/// A side's material less the other's, in pawns.
pub fn balance(men: &Men, side: Side) -> i32 {
    let (own, others) = (men.men_of(side), men.men_of(side.other()));
    let more = |of: Bitboard| (of & own).count() as i32 - (of & others).count() as i32;
    Role::ALL.iter().map(|&role| in_pawns(role) * more(men.by_role(role))).sum()
}

/// In pawns where a king may be lost too: 200 for it.
pub const fn at_stake(role: Role) -> i32 {
    if matches!(role, Role::King) { 200 } else { in_pawns(role) }
}

/// What a promotion adds, in pawns: a queen for a pawn.
pub const PROMOTION: i32 = in_pawns(Role::Queen) - in_pawns(Role::Pawn);

/// In hundredths of a pawn; 0 for a king.
pub const fn in_centipawns(role: Role) -> i32 {
    match role {
        Role::King => 0,
        Role::Queen => 950,
        Role::Rook => 500,
        Role::Bishop => 330,
        Role::Knight => 320,
        Role::Pawn => 100,
    }
}
