//! The eight symmetries of the board, and the squares a leading king is turned into.

use std::sync::LazyLock;

use crate::chess::board::{Bitboard, Square, attacks};

/// One of the eight symmetries: mirror the files (bit 0), then the ranks (bit 1), then exchange
/// files and ranks (bit 2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::tables) struct Symmetry(u8);

/// Image of every square under every symmetry.
static IMAGES: LazyLock<[[Square; 64]; 8]> = LazyLock::new(|| {
    std::array::from_fn(|bits| {
        std::array::from_fn(|at| {
            let mut square = Square::new(at as u32);
            if bits & 1 != 0 {
                square = square.flip_horizontal();
            }
            if bits & 2 != 0 {
                square = square.flip_vertical();
            }
            if bits & 4 != 0 {
                square = square.flip_diagonal();
            }
            square
        })
    })
});

impl Symmetry {
    pub(in crate::tables) const IDENTITY: Self = Self(0);
    pub(in crate::tables) const MIRROR_FILES: Self = Self(1);
    pub(in crate::tables) const TRANSPOSE: Self = Self(4);
    /// All eight: identity and mirrored files first, then the other mirrors, then those with a
    /// transposition.
    pub(in crate::tables) const ALL: [Self; 8] =
        [Self(0), Self(1), Self(2), Self(3), Self(4), Self(5), Self(6), Self(7)];

    /// Where a square goes.
    #[inline]
    pub(in crate::tables) fn square(self, square: Square) -> Square {
        IMAGES[self.0 as usize][square as usize]
    }

    /// The symmetry that undoes this one.
    pub(in crate::tables) fn inverse(self) -> Self {
        // Transposing first exchanges the two mirrors.
        Self(if self.0 & 4 == 0 { self.0 } else { 4 | (self.0 & 1) << 1 | (self.0 & 2) >> 1 })
    }

    /// Where a set of squares goes.
    #[inline]
    pub(in crate::tables) fn set(self, mut set: Bitboard) -> Bitboard {
        if self.0 & 1 != 0 {
            set = set.flip_horizontal();
        }
        if self.0 & 2 != 0 {
            set = set.flip_vertical();
        }
        if self.0 & 4 != 0 {
            set = set.flip_diagonal();
        }
        set
    }

    /// A row of bytes, one per square, read through the symmetry: `out[s] = row[self.square(s)]`.
    pub(in crate::tables) fn read(self, row: &[u8; 64]) -> [u8; 64] {
        if self == Self::IDENTITY {
            return *row;
        }
        let images = &IMAGES[self.0 as usize];
        std::array::from_fn(|at| row[images[at] as usize])
    }
}

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
    pub(in crate::tables) fn normalise(self, square: Square) -> (usize, Symmetry) {
        if self == Self::Board {
            return (square as usize, Symmetry::IDENTITY);
        }
        let (file, rank) = (square.file() as u8, square.rank() as u8);
        let mirrors = u8::from(file > 3) | u8::from(rank > 3) << 1;
        let (file, rank) = (file.min(7 - file), rank.min(7 - rank));
        let symmetry = Symmetry(mirrors | u8::from(rank > file) << 2);
        let number = TRIANGLE.1[symmetry.square(square) as usize];
        (usize::from(number.expect("the symmetry leads into the triangle")), symmetry)
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
pub(in crate::tables) fn above_diagonal() -> Bitboard {
    Square::ALL.into_iter().filter(|s| s.rank() as u8 > s.file() as u8).collect()
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
    fn every_square_is_turned_into_the_triangle() {
        for square in Square::ALL {
            let (number, symmetry) = KingSquares::Triangle.normalise(square);
            assert_eq!(symmetry.square(square), KingSquares::Triangle.square(number));
        }
    }

    #[test]
    fn inverses_sets_and_rows_agree_with_squares() {
        let row: [u8; 64] = std::array::from_fn(|at| at as u8);
        for symmetry in (0..8).map(Symmetry) {
            for square in Square::ALL {
                let image = symmetry.square(square);
                assert_eq!(symmetry.inverse().square(image), square);
                assert_eq!(
                    symmetry.set(Bitboard::from_square(square)),
                    Bitboard::from_square(image)
                );
                assert_eq!(symmetry.read(&row)[square as usize], image as u8);
            }
        }
    }
}
