//! The board's eight symmetries on squares, bit sets and rows of bytes.
//!
//! [`Turn`] itself, with the laws of chess that it keeps and the images of positions, stands in the
//! kernel; this is what engines on bitboards need beside it.

use super::board::{Bitboard, Square};
use super::{Packed, Side, Turn};
use std::sync::LazyLock;
use theta_kernel::Spot;

/// Image of every square under every symmetry.
static IMAGES: LazyLock<[[Square; 64]; Turn::COUNT]> =
    LazyLock::new(|| Turn::ALL.map(|turn| Square::ALL.map(|square| turn.image(square))));

/// The place in a certificate's slice of the image that is at home ([`Turn::home`]); none where it has too many
/// men. Some 300 ns.
pub(crate) fn at_home(p: &Packed, side: Side) -> Option<Spot> {
    let home = Turn::home(p, side).position(p);
    home.vector().ok().and_then(|z| Spot::of(&z))
}

/// Images of what bitboards are made of.
pub(crate) trait Images {
    /// Where a square goes, worked out.
    fn image(self, square: Square) -> Square;

    /// Where a square goes, looked up.
    fn of(self, square: Square) -> Square;

    /// Where a set of squares goes.
    fn set(self, set: Bitboard) -> Bitboard;

    /// A row of bytes, one per square, read through the symmetry: `out[s] = row[self.of(s)]`.
    fn read(self, row: &[u8; 64]) -> [u8; 64];
}

impl Images for Turn {
    fn image(self, square: Square) -> Square {
        Square::new(u32::from(self.square(square as u8)))
    }

    #[inline]
    fn of(self, square: Square) -> Square {
        IMAGES[self.index()][square as usize]
    }

    #[inline]
    fn set(self, mut set: Bitboard) -> Bitboard {
        if self.index() & Self::MIRROR_FILES.index() != 0 {
            set = set.flip_horizontal();
        }
        if self.index() & Self::MIRROR_RANKS.index() != 0 {
            set = set.flip_vertical();
        }
        if self.index() & Self::TRANSPOSE.index() != 0 {
            set = set.flip_diagonal();
        }
        set
    }

    fn read(self, row: &[u8; 64]) -> [u8; 64] {
        if self == Self::NONE {
            return *row;
        }
        let mut ranks: [u64; 8] = std::array::from_fn(|rank| {
            u64::from_le_bytes(*row[8 * rank..].first_chunk().expect("eight bytes a rank"))
        });
        let index = self.index();
        if index & Self::TRANSPOSE.index() != 0 {
            transpose(&mut ranks);
        }
        if index & Self::MIRROR_RANKS.index() != 0 {
            ranks.reverse();
        }
        let mut out = [0; 64];
        for (rank, mut word) in out.chunks_exact_mut(8).zip(ranks) {
            if index & Self::MIRROR_FILES.index() != 0 {
                word = word.swap_bytes();
            }
            rank.copy_from_slice(&word.to_le_bytes());
        }
        out
    }
}

/// Exchanges the ranks and files of 64 bytes: blocks of four by four, then of two by two, then
/// single bytes.
fn transpose(ranks: &mut [u64; 8]) {
    let masks =
        [(4, 0x0000_0000_ffff_ffff), (2, 0x0000_ffff_0000_ffff), (1, 0x00ff_00ff_00ff_00ff)];
    for (apart, low) in masks {
        for rank in (0..8).filter(|rank| rank & apart == 0) {
            let (upper, lower) = (ranks[rank], ranks[rank + apart]);
            let moved = (upper >> (8 * apart) ^ lower) & low;
            ranks[rank] ^= moved << (8 * apart);
            ranks[rank + apart] ^= moved;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn inverses_sets_and_rows_agree_with_squares() {
        let row: [u8; 64] = std::array::from_fn(|at| at as u8);
        for turn in Turn::ALL {
            for square in Square::ALL {
                let image = turn.of(square);
                assert_eq!(turn.back().of(image), square);
                assert_eq!(turn.set(Bitboard::from_square(square)), Bitboard::from_square(image));
                assert_eq!(turn.read(&row)[square as usize], image as u8);
            }
        }
    }
}
