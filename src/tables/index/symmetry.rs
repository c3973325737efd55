//! The squares that a leading king is turned into.

use std::sync::LazyLock;

use crate::chess::Turn;
use crate::chess::board::{Bitboard, Square, attacks};
use crate::chess::symmetry::Images;

/// The squares a leading king may stand on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::tables) enum KingSquares {
    /// Without pawns: the ten squares of the triangle a1–d1–d4.
    Triangle,
    /// With pawns (they carry the symmetry): all 64.
    Board,
}

/// The ten squares of the triangle, by number, and back.
static TRIANGLE: LazyLock<(Vec<Square>, [Option<u8>; 64])> = LazyLock::new(|| {
    let inside = |s: &Square| (s.file() as u8) < 4 && s.rank() as u8 <= s.file() as u8;
    let squares: Vec<Square> = Square::ALL.into_iter().filter(inside).collect();
    let mut numbers = [None; 64];
    for (number, &square) in squares.iter().enumerate() {
        numbers[square as usize] = Some(number as u8);
    }
    (squares, numbers)
});

/// By square: the number of the square in the triangle that it is turned into, and the turn.
static HOME: LazyLock<[(u8, Turn); 64]> = LazyLock::new(|| {
    Square::ALL.map(|square| {
        let (file, rank) = (square.file() as u8, square.rank() as u8);
        let mirrors = u8::from(file > 3) | u8::from(rank > 3) << 1;
        let (file, rank) = (file.min(7 - file), rank.min(7 - rank));
        let symmetry = Turn::ALL[usize::from(mirrors | u8::from(rank > file) << 2)];
        let number = TRIANGLE.1[symmetry.of(square) as usize];
        (number.expect("the symmetry leads into the triangle"), symmetry)
    })
});

impl KingSquares {
    /// How many there are.
    pub(in crate::tables) fn count(self) -> usize {
        match self {
            Self::Triangle => 10,
            Self::Board => 64,
        }
    }

    /// The square of a number.
    pub(in crate::tables) fn square(self, number: usize) -> Square {
        match self {
            Self::Triangle => TRIANGLE.0[number],
            Self::Board => Square::new(number as u32),
        }
    }

    /// The number of a square and the symmetry that brings it there.
    pub(in crate::tables) fn normalise(self, square: Square) -> (usize, Turn) {
        if self == Self::Board {
            return (square as usize, Turn::NONE);
        }
        let (number, symmetry) = HOME[square as usize];
        (usize::from(number), symmetry)
    }

    /// The squares of the other king that a table stores beside king `number`: not adjacent, and on
    /// or below the diagonal when the leading king stands on it. Over all numbers these are the 462
    /// king pairs of the pawnless tables, and 3612 with pawns.
    pub(in crate::tables) fn partners(self, number: usize) -> Bitboard {
        let king = self.square(number);
        let apart = !(attacks::king_attacks(king) | Bitboard::from_square(king));
        match self {
            Self::Triangle if king.file() as u8 == king.rank() as u8 => apart & !above_diagonal(),
            _ => apart,
        }
    }
}

/// The 28 squares above the diagonal a1–h8.
pub(in crate::tables) const fn above_diagonal() -> Bitboard {
    Bitboard(0x7f3f_1f0f_0703_0100)
}

/// A byte for each square: 0xff in the set, 0 outside.
#[inline]
pub(in crate::tables) fn bytes(set: Bitboard) -> [u8; 64] {
    static SPREAD: [u64; 256] = {
        let mut table = [0; 256];
        let mut at = 0;
        while at < 256 * 8 {
            if at >> 3 >> (at & 7) & 1 == 1 {
                table[at >> 3] |= 0xff << (8 * (at & 7));
            }
            at += 1;
        }
        table
    };
    let mut out = [0; 64];
    for (chunk, byte) in out.chunks_exact_mut(8).zip(set.0.to_le_bytes()) {
        chunk.copy_from_slice(&SPREAD[usize::from(byte)].to_le_bytes());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn king_pairs() {
        for (kings, pairs) in [(KingSquares::Triangle, 462), (KingSquares::Board, 3612)] {
            let found: usize = (0..kings.count()).map(|n| kings.partners(n).count()).sum();
            assert_eq!(found, pairs);
        }
    }

    #[test]
    fn squares_above_the_diagonal() {
        let above = Square::ALL.into_iter().filter(|s| s.rank() as u8 > s.file() as u8);
        assert_eq!(above.collect::<Bitboard>(), above_diagonal());
    }

    #[test]
    fn sets_as_bytes() {
        for set in [Bitboard::EMPTY, Bitboard::FULL, Bitboard(0x8000_0300_1248_0001)] {
            let bytes = bytes(set);
            let right = |s: &Square| bytes[*s as usize] == if set.contains(*s) { 0xff } else { 0 };
            assert!(Square::ALL.iter().all(right));
        }
    }

    #[test]
    fn every_square_is_turned_into_the_triangle() {
        for square in Square::ALL {
            let (number, symmetry) = KingSquares::Triangle.normalise(square);
            assert_eq!(symmetry.of(square), KingSquares::Triangle.square(number));
        }
    }
}
