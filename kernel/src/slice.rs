//! Many positions in few bytes: a slice, rows of it, and squares of one king.
//!
//! In a position with the opponent to move, the *slice* is what seldom changes: the pawns, rights
//! and marks, and which other men there are. The *row* says where these men stand, but for the king
//! of the side to move: its square is one of 64 bits. Every position with at most [`MAX_MEN`] men
//! beside pawns and that king has exactly one slice, row and square.

use super::packed::Packed;
use super::vector::{Vector, code};

/// The most men of a slice beside the pawns and the king of the side to move.
pub const MAX_MEN: usize = 10;

/// What the positions of many rows share. 64 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slice {
    /// The pawns, the side to move, rights and marks.
    pub pawns: Packed,
    /// The codes of the other men but the king of the side to move, ascending, four bits each, the
    /// first in the lowest.
    pub men: u64,
}

/// A position as a place in a slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spot {
    /// The slice.
    pub slice: Slice,
    /// The squares (0 = a1) of its men, six bits each, the first in the lowest; like men in the
    /// order of their squares.
    pub row: u64,
    /// The square of the king of the side to move.
    pub square: u8,
}

/// The code of the king of the side to move.
fn king(y: &Vector) -> u8 {
    if y.white_to_move() { code::KING } else { code::KING + code::BLACK }
}

fn is_pawn(man: u8) -> bool {
    man == code::PAWN || man == code::PAWN + code::BLACK
}

impl Spot {
    /// The place of a position; none where it has too many men, or not one king of the side to
    /// move. About 60 ns.
    pub fn of(y: &Vector) -> Option<Self> {
        let (mut occupied, mut pawns, mut count) = (0, 0, 0);
        let (mut list, mut men) = ([0u16; MAX_MEN], 0);
        let mut square = None;
        let king = king(y);
        for (at, man) in y.each_man() {
            if is_pawn(man) {
                occupied |= 1u64 << at;
                pawns |= u128::from(man).checked_shl(4 * count).unwrap_or(0);
                count += 1;
            } else if man == king {
                if square.replace(at as u8).is_some() {
                    return None;
                }
            } else {
                *list.get_mut(men)? = u16::from(man) << 6 | at as u16;
                men += 1;
            }
        }
        if count > 32 {
            return None;
        }
        let list = &mut list[..men];
        list.sort_unstable();
        let fold = |bits: u32, of: fn(u16) -> u16| {
            list.iter().rev().fold(0u64, |all, &man| all << bits | u64::from(of(man)))
        };
        let state = Packed::state(y[0], y[65], y[66], y[67], y[68]);
        let pawns = Packed { occupied, men: pawns, state };
        let slice = Slice { pawns, men: fold(4, |man| man >> 6) };
        Some(Self { slice, row: fold(6, |man| man & 63), square: square? })
    }
}

impl Slice {
    /// The codes of its men.
    pub fn codes(&self) -> impl Iterator<Item = u8> + use<> {
        let mut left = self.men;
        std::iter::from_fn(move || {
            let man = (left & 15) as u8;
            left >>= 4;
            (man != 0).then_some(man)
        })
    }

    /// The position at a row and a square; none where two men stand on one square, or the pawns
    /// cannot be read.
    pub fn position(&self, row: u64, square: u8) -> Option<Vector> {
        let mut y = self.pawns.vector().ok()?;
        let squares = (0..).map(|number| (row.checked_shr(6 * number).unwrap_or(0) & 63) as u8);
        let own = std::iter::once((king(&y), square));
        for (man, at) in self.codes().zip(squares).chain(own) {
            let there = &mut y[usize::from(at) + 1];
            if *there != code::EMPTY {
                return None;
            }
            *there = man;
        }
        Some(y)
    }

    /// Whether it can be a slice: pawns alone stand fast, and the men are at most [`MAX_MEN`],
    /// ascending, without pawns and without a king of the side to move.
    pub(crate) fn is_sound(&self) -> bool {
        let codes: Vec<u8> = self.codes().collect();
        let Ok(y) = self.pawns.vector() else { return false };
        let stray = |man: &u8| *man > 12 || is_pawn(*man) || *man == king(&y);
        // Only the side that is not to move has just advanced a pawn.
        let mark = if y.white_to_move() { y[65] } else { y[66] };
        self.pawns.each_man().all(|(_, man)| is_pawn(man))
            && mark == 0
            && codes.len() <= MAX_MEN
            && self.men.checked_shr(4 * codes.len() as u32).unwrap_or(0) == 0
            && codes.is_sorted()
            && !codes.iter().any(stray)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Profile, parse_fen};

    #[test]
    fn positions_come_back_from_their_places() {
        for text in [
            "rnbqkbn1/pppppp1r/8/8/8/8/PPPPPPPP/4K3 w q -",
            "8/8/8/3pP3/8/8/6k1/K7 w - d6",
            "8/2rr4/8/8/3k4/8/1n6/R3K2R b KQ -",
            "k7/8/8/8/pP6/P7/8/7K b - b3",
        ] {
            let y = parse_fen(text, Profile::Fide).unwrap();
            let spot = Spot::of(&y).unwrap();
            assert!(spot.slice.is_sound(), "{text}");
            let back = spot.slice.position(spot.row, spot.square).unwrap();
            assert_eq!(back, y, "{text}");
        }
        let full = parse_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -", Profile::Fide);
        assert_eq!(Spot::of(&full.unwrap()), None, "fifteen men beside the king");
    }

    #[test]
    fn two_men_stand_on_no_square() {
        let y = parse_fen("8/8/8/8/8/1k6/7R/K7 b - -", Profile::Fide).unwrap();
        let spot = Spot::of(&y).unwrap();
        assert!(spot.slice.position(spot.row, (spot.row & 63) as u8).is_none());
    }
}
