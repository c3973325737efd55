//! The invariants of an input position (docs/theory.md §2), one predicate and one named error each.

use super::attack::{safe_black_king, safe_white_king};
use super::vector::{Vector, code, xg};

/// What is wrong with a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PositionError {
    /// A side has no king.
    NoKing(Side),
    /// A side has several kings.
    ManyKings(Side),
    /// A pawn stands on rank 1 or 8.
    PawnOnEdgeRank,
    /// More than 32 men: no game of chess has them, and the position codes hold no more.
    TooManyMen,
    /// The side not to move is in check: its king could be captured.
    KingCapturable(Side),
    /// A castling right without king and rook at home.
    CastlingRight(Side),
    /// A component that holds a value no position has: a square with no man's code, a side to move
    /// beyond Black, a mark beyond the files, a castling right beyond the wings.
    Component(usize),
    /// An en-passant mark that no two-square advance could have left.
    EnPassant(&'static str),
}

impl std::fmt::Display for PositionError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoKing(side) => write!(f, "{side} has no king"),
            Self::ManyKings(side) => write!(f, "{side} has more than one king"),
            Self::PawnOnEdgeRank => f.write_str("a pawn stands on the first or last rank"),
            Self::TooManyMen => f.write_str("more than 32 men on the board"),
            Self::KingCapturable(side) => {
                write!(f, "{side} is in check, and it is the other side's move")
            }
            Self::CastlingRight(side) => {
                write!(f, "{side} has a castling right without king and rook at home")
            }
            Self::Component(j) => write!(f, "component y{j} holds a value that no position has"),
            Self::EnPassant(why) => write!(f, "the en-passant mark is impossible: {why}"),
        }
    }
}

impl std::error::Error for PositionError {}

/// White or Black.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// White.
    White,
    /// Black.
    Black,
}

impl Side {
    /// Both sides, White first.
    pub const ALL: [Self; 2] = [Self::White, Self::Black];

    /// The first for White, the second for Black.
    #[inline]
    pub fn pick<T>(self, white: T, black: T) -> T {
        match self {
            Self::White => white,
            Self::Black => black,
        }
    }

    /// The other side.
    #[inline]
    #[must_use]
    pub fn other(self) -> Self {
        self.pick(Self::Black, Self::White)
    }

    /// The side to move in y.
    pub fn to_move(y: &Vector) -> Self {
        if y.white_to_move() { Self::White } else { Self::Black }
    }

    fn code(self, piece: u8) -> u8 {
        self.pick(piece, piece + code::BLACK)
    }
}

impl std::fmt::Display for Side {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.pick("White", "Black"))
    }
}

/// Whoever makes a vector may put any byte anywhere; the rules below rely on the ranges.
fn components_in_range(y: &Vector) -> Result<(), PositionError> {
    let largest = |j: usize| match j {
        0 => 1,
        1..=64 => code::PAWN + code::BLACK,
        65 | 66 => 8,
        _ => 3,
    };
    match (0..=68).find(|&j| y[j] > largest(j)) {
        Some(j) => Err(PositionError::Component(j)),
        None => Ok(()),
    }
}

fn one_king_each(y: &Vector) -> Result<(), PositionError> {
    for side in Side::ALL {
        match y.squares().iter().filter(|&&c| c == side.code(code::KING)).count() {
            0 => return Err(PositionError::NoKing(side)),
            1 => {}
            _ => return Err(PositionError::ManyKings(side)),
        }
    }
    Ok(())
}

fn no_pawn_on_edge_rank(y: &Vector) -> Result<(), PositionError> {
    let pawn = |i: usize| Side::ALL.iter().any(|s| y[i] == s.code(code::PAWN));
    if (1..=64).any(|i| pawn(i) && (xg(i) == 1 || xg(i) == 8)) {
        Err(PositionError::PawnOnEdgeRank)
    } else {
        Ok(())
    }
}

fn at_most_32_men(y: &Vector) -> Result<(), PositionError> {
    if y.men() > 32 { Err(PositionError::TooManyMen) } else { Ok(()) }
}

fn king_not_capturable(y: &Vector) -> Result<(), PositionError> {
    if y.white_to_move() {
        if safe_black_king(y) { Ok(()) } else { Err(PositionError::KingCapturable(Side::Black)) }
    } else if safe_white_king(y) {
        Ok(())
    } else {
        Err(PositionError::KingCapturable(Side::White))
    }
}

fn castling_rights_at_home(y: &Vector) -> Result<(), PositionError> {
    for (side, rights, home) in [(Side::White, y[67], 0), (Side::Black, y[68], 56)] {
        let king = y[home + 5] == side.code(code::KING);
        let rook = |square: usize| y[home + square] == side.code(code::ROOK);
        let long = rights & 1 == 0 || (king && rook(1));
        let short = rights & 2 == 0 || (king && rook(8));
        if !long || !short {
            return Err(PositionError::CastlingRight(side));
        }
    }
    Ok(())
}

fn en_passant_mark_possible(y: &Vector) -> Result<(), PositionError> {
    let (mine, theirs) = if y.white_to_move() { (65, 66) } else { (66, 65) };
    if y[mine] != 0 {
        return Err(PositionError::EnPassant("it marks a pawn of the side to move"));
    }
    let file = y[theirs] as usize;
    if file == 0 {
        return Ok(());
    }
    // (square of the pawn, square passed, square it came from, pawn)
    let (pawn_at, passed, from, pawn) = if y.white_to_move() {
        (32 + file, 40 + file, 48 + file, Side::Black.code(code::PAWN))
    } else {
        (24 + file, 16 + file, 8 + file, Side::White.code(code::PAWN))
    };
    if y[pawn_at] != pawn {
        return Err(PositionError::EnPassant("no pawn stands beyond the marked square"));
    }
    if y[passed] != code::EMPTY || y[from] != code::EMPTY {
        return Err(PositionError::EnPassant("the pawn's way was not free"));
    }
    Ok(())
}

/// Legality in the narrow sense: exactly one king each, and the side not to move is not in check.
///
/// # Errors
/// The first of the two that fails.
pub fn check_narrow(y: &Vector) -> Result<(), PositionError> {
    one_king_each(y)?;
    king_not_capturable(y)
}

/// All that is asked of an input position.
///
/// # Errors
/// The first invariant that fails.
pub fn check_input(y: &Vector) -> Result<(), PositionError> {
    components_in_range(y)?;
    one_king_each(y)?;
    no_pawn_on_edge_rank(y)?;
    at_most_32_men(y)?;
    castling_rights_at_home(y)?;
    en_passant_mark_possible(y)?;
    king_not_capturable(y)
}
