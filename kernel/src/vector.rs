//! The position vector y = (y0, …, y68) of the paper's §2 (docs/theory.md §2).

use std::ops::{Index, IndexMut};

/// Codes of the contents of a square.
pub mod code {
    /// Nothing.
    pub const EMPTY: u8 = 0;
    /// White's king. The six White codes are 1..=6, Black's are 6 more.
    pub const KING: u8 = 1;
    /// White's queen.
    pub const QUEEN: u8 = 2;
    /// White's rook.
    pub const ROOK: u8 = 3;
    /// White's bishop.
    pub const BISHOP: u8 = 4;
    /// White's knight.
    pub const KNIGHT: u8 = 5;
    /// White's pawn.
    pub const PAWN: u8 = 6;
    /// What is added to White's code for Black's piece.
    pub const BLACK: u8 = 6;
    /// The FEN letters of the codes 1..=12.
    pub const LETTERS: &[u8; 12] = b"KQRBNPkqrbnp";
}

/// The rules of the game in two readings (docs/theory.md §9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Profile {
    /// The laws of chess (errata E1–E3 corrected): vectors are FEN positions.
    #[default]
    Fide,
    /// As printed: a king that went out and back may castle (E1), en passant to the right tests the
    /// wrong square (E2), en-passant marks survive (E3).
    Paper,
}

/// The vector y. 69 bytes; `y[0]` is the side to move (0 White, 1 Black), `y[1]..=y[64]` the
/// squares a1, b1, … h8 (0 empty, White K Q R B N P = 1..=6, Black 7..=12), `y[65]`, `y[66]` the
/// file of the pawn that White, Black has just advanced two squares (else 0), `y[67]`, `y[68]` the
/// castling rights (1 long, 2 short).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Vector([u8; 69]);

impl Index<usize> for Vector {
    type Output = u8;
    fn index(&self, j: usize) -> &u8 {
        &self.0[j]
    }
}

impl IndexMut<usize> for Vector {
    fn index_mut(&mut self, j: usize) -> &mut u8 {
        &mut self.0[j]
    }
}

impl Vector {
    /// The empty board, White to move: no legal position, but a start to put men on.
    pub const EMPTY: Self = Self([0; 69]);

    /// Whether White is to move (y0 = 0).
    pub fn white_to_move(&self) -> bool {
        self.0[0] == 0
    }

    /// The squares y1..y64 in order a1, b1, … h8.
    pub fn squares(&self) -> &[u8] {
        &self.0[1..65]
    }

    /// The men on the board: square (0 = a1 … 63 = h8) and code, in the order of the squares.
    #[inline]
    pub(crate) fn each_man(&self) -> impl Iterator<Item = (usize, u8)> + '_ {
        let word = |rank: &[u8]| rank.iter().rev().fold(0, |word, &c| word << 8 | u64::from(c));
        (0..8).flat_map(move |rank| {
            let mut left = word(&self.0[1 + 8 * rank..][..8]);
            std::iter::from_fn(move || {
                // Empty squares are passed over eight at a time.
                let file = (left != 0).then(|| left.trailing_zeros() as usize / 8)?;
                let man = (left >> (8 * file)) as u8;
                left &= !(255 << (8 * file));
                Some((8 * rank + file, man))
            })
        })
    }

    /// The number of men on the board.
    pub fn men(&self) -> usize {
        self.squares().iter().filter(|&&c| c != code::EMPTY).count()
    }

    /// The mirrored position: colours exchanged, ranks reflected, the other side to move. An
    /// involution.
    #[must_use]
    pub fn mirrored(&self) -> Self {
        let mut z = Self::EMPTY;
        z[0] = 1 - self[0];
        for i in 1..=64 {
            z[flip(i)] = swap_colour(self[i]);
        }
        (z[65], z[66], z[67], z[68]) = (self[66], self[65], self[68], self[67]);
        z
    }
}

/// File of square i, 1..=8 (the paper's xv).
pub const fn xv(i: usize) -> usize {
    i - 8 * (xg(i) - 1)
}

/// Rank of square i, 1..=8 (the paper's xg).
pub const fn xg(i: usize) -> usize {
    (i - 1) / 8 + 1
}

/// The square reflected in the line between ranks 4 and 5.
pub const fn flip(i: usize) -> usize {
    ((i - 1) ^ 56) + 1
}

/// The piece code with its colour exchanged.
pub const fn swap_colour(c: u8) -> u8 {
    const SWAPPED: [u8; 16] = [0, 7, 8, 9, 10, 11, 12, 1, 2, 3, 4, 5, 6, 0, 0, 0];
    SWAPPED[(c & 15) as usize]
}

/// The position as one side sees it. `Eyes<false>` is y itself; `Eyes<true>` shows Black as White:
/// colours exchanged and ranks reflected, so that the paper's White predicates, read through it,
/// are Black's. No copy is made; every access is one table look-up.
#[derive(Clone, Copy)]
pub(crate) struct Eyes<const MIRRORED: bool>(pub(crate) Vector);

impl<const MIRRORED: bool> Eyes<MIRRORED> {
    /// y_j, seen by this side.
    #[inline]
    pub(crate) fn at(&self, j: usize) -> u8 {
        if !MIRRORED {
            return self.0[j];
        }
        match j {
            0 => 1 - self.0[0],
            1..=64 => swap_colour(self.0[flip(j)]),
            _ => self.0[mirrored_component(j)],
        }
    }

    /// Sets y_j, seen by this side.
    #[inline]
    pub(crate) fn put(&mut self, j: usize, value: u8) {
        if !MIRRORED {
            self.0[j] = value;
            return;
        }
        match j {
            0 => self.0[0] = 1 - value,
            1..=64 => self.0[flip(j)] = swap_colour(value),
            _ => self.0[mirrored_component(j)] = value,
        }
    }
}

/// y65↔y66, y67↔y68.
const fn mirrored_component(j: usize) -> usize {
    ((j - 65) ^ 1) + 65
}

/// A move: from, to and promotion piece, in two bytes. Castling is the king's two-square step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move(u16);

impl Move {
    /// A move between squares numbered 0 (a1) to 63 (h8); `promotion` is 0 or one of White's codes
    /// Q R B N (2..=5).
    pub const fn new(from: u8, to: u8, promotion: u8) -> Self {
        Self(from as u16 | (to as u16) << 6 | (promotion as u16) << 12)
    }

    /// The square left, 0 (a1) to 63 (h8).
    pub const fn from(self) -> u8 {
        (self.0 & 63) as u8
    }

    /// The square reached, 0 (a1) to 63 (h8).
    pub const fn to(self) -> u8 {
        (self.0 >> 6 & 63) as u8
    }

    /// 0, or the promotion piece as White's code (2 Q, 3 R, 4 B, 5 N).
    pub const fn promotion(self) -> u8 {
        (self.0 >> 12 & 7) as u8
    }

    /// The two bytes, for files: bits 0–5 from, 6–11 to, 12–14 promotion.
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// The move of these bits; `None` if they are no move's.
    pub const fn from_bits(bits: u16) -> Option<Self> {
        let m = Self(bits);
        let promotes = m.promotion() == 0 || (m.promotion() >= 2 && m.promotion() <= 5);
        if bits >> 15 == 0 && promotes && m.from() != m.to() { Some(m) } else { None }
    }
}

/// UCI notation: e2e4, e1g1, a7a8q.
impl std::fmt::Display for Move {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let square = |s: u8| ((b'a' + s % 8) as char, (b'1' + s / 8) as char);
        let ((a, b), (c, d)) = (square(self.from()), square(self.to()));
        write!(f, "{a}{b}{c}{d}")?;
        match self.promotion() {
            0 => Ok(()),
            p => write!(f, "{}", code::LETTERS[p as usize + 5] as char),
        }
    }
}

impl std::fmt::Debug for Move {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self}")
    }
}
