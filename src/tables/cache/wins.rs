//! The won positions of three pieces that may stand anywhere, as bits.

use std::array;

use rayon::prelude::*;

use crate::chess::Side;
use crate::chess::board::{Bitboard, Role, Square};
use crate::chess::symmetry::Images as _;
use crate::limits::Budget;
use crate::tables::TableError;
use crate::tables::index::layout::Squares;
use crate::tables::index::material::Material;
use crate::tables::index::raw::RawTable;
use crate::tables::index::value::{MATED, squares_from};

use super::outcomes::Scan;
use super::tables::Tables;

/// With the second and the third piece fixed: a word for White's king and Black's king, whose bits are
/// the squares of the first piece.
type Kings = Vec<u64>;

impl Tables {
    /// The positions of three pieces that White wins, with White to move and with Black to move: a
    /// word for White's king, Black's king, the second and the third piece, the last the first to
    /// run, whose bits are the squares of the first piece. None where the table is not at hand
    /// (nothing is solved). 128 MiB each; the table is unpacked meanwhile, 320 MiB more. About 3 CPU
    /// s, on all threads.
    ///
    /// # Errors
    /// [`TableError::Damaged`] when the stored table turns out to be damaged; it is set aside.
    pub fn wins_of_pieces(
        &self,
        men: [(Side, Role); 3],
        budget: &Budget,
    ) -> Result<Option<[Vec<u64>; 2]>, TableError> {
        let (material, flip) = Material::new(men);
        if men.iter().any(|man| man.1 == Role::Pawn) || !self.is_at_hand(material, budget) {
            return Ok(None);
        }
        let packed = self.packed(material)?;
        let raw = packed.unpack().map_err(|damage| self.damaged(material, damage))?;
        let men = men.map(|(side, role)| (side, role, None));
        let scan = Scan::new(&raw.layout, &men, flip);
        let mut all = array::from_fn(|_| vec![0; 1 << 24]);
        for second in Square::ALL {
            let thirds: Vec<[Kings; 2]> =
                (0..64).into_par_iter().map(|t| scan.wins(&raw, second, Square::new(t))).collect();
            for (side, all) in all.iter_mut().enumerate() {
                let kings = all.par_chunks_mut(1 << 12).enumerate();
                kings.for_each(|(pair, words)| {
                    let words = &mut words[(second as usize) << 6..][..64];
                    words.iter_mut().zip(&thirds).for_each(|(word, of)| *word = of[side][pair]);
                });
            }
        }
        Ok(Some(all))
    }
}

impl Scan<'_> {
    /// The wins with the second and the third piece on these squares.
    fn wins(&self, raw: &RawTable, second: Square, third: Square) -> [Kings; 2] {
        let mut found = array::from_fn(|_| vec![0; 1 << 12]);
        // By the square of the first piece: where the table's Black king stands.
        let mut rows = [[0; 64]; 2];
        for king in Square::ALL {
            for (first, at) in Square::ALL.into_iter().zip(0..) {
                let mut squares = self.squares;
                for (&slot, square) in self.free.iter().zip([first, second, third]) {
                    squares[slot] = self.turned(square);
                }
                let [white, black] = self.row_wins(raw, king, &squares);
                (rows[0][at], rows[1][at]) = (white.0, black.0);
            }
            for (found, mut rows) in found.iter_mut().zip(rows) {
                transpose(&mut rows);
                let king = self.turned(king) as usize;
                for (other, word) in Square::ALL.into_iter().zip(rows) {
                    let other = self.turned(other) as usize;
                    found[if self.flip { other << 6 | king } else { king << 6 | other }] = word;
                }
            }
        }
        found
    }

    /// With the table's White king on a square: where its Black king stands in positions that White,
    /// with colours as they are on the board, wins; with White to move, and with Black to move.
    fn row_wins(&self, raw: &RawTable, king: Square, squares: &Squares) -> [Bitboard; 2] {
        if self.layout.occupied(king, squares).is_none() {
            return [Bitboard::EMPTY; 2];
        }
        let place = self.layout.place(king, squares);
        let codes = |side: Side| raw.stored(side, place.slice, place.king, place.row);
        let draw = |side: Side| self.layout.scale(side).draw;
        let won = |side: Side| squares_from(codes(side), draw(side) + 1);
        let lost =
            |side: Side| squares_from(codes(side), MATED) & !squares_from(codes(side), draw(side));
        let sides = if self.flip {
            [won(Side::Black), lost(Side::White)]
        } else {
            [won(Side::White), lost(Side::Black)]
        };
        sides.map(|set| place.symmetry.back().set(set))
    }
}

/// Exchanges the rows and the columns of 64 words: first halves of words and of the list, then
/// halves of these.
fn transpose(words: &mut [u64; 64]) {
    let (mut width, mut low) = (32, u64::MAX >> 32);
    while width > 0 {
        for at in (0..64).filter(|at| at & width == 0) {
            let exchanged = (words[at] >> width ^ words[at | width]) & low;
            words[at] ^= exchanged << width;
            words[at | width] ^= exchanged;
        }
        width >>= 1;
        low ^= low << width;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn rows_and_columns_are_exchanged() {
        let mut state = 1_u64;
        let words: [u64; 64] = array::from_fn(|_| {
            state = state.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29) ^ 0x5bd1;
            state
        });
        let mut turned = words;
        transpose(&mut turned);
        let bit = |words: &[u64; 64], row: usize, column: usize| words[row] >> column & 1;
        for (row, column) in (0..64).flat_map(|row| (0..64).map(move |column| (row, column))) {
            assert_eq!(bit(&turned, row, column), bit(&words, column, row));
        }
    }
}
