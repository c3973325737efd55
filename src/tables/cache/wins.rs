//! The won positions of a table in which some men stand still, as bits.

use std::array;

use rayon::prelude::*;

use crate::chess::Side;
use crate::chess::board::{Bitboard, Role, Square};
use crate::chess::symmetry::Images as _;
use crate::limits::Budget;
use crate::tables::TableError;
use crate::tables::index::layout::{Layout, MAX_OTHERS, Man, Squares};
use crate::tables::index::material::{MAX_MEN, Material};
use crate::tables::index::raw::RawSlice;
use crate::tables::index::value::{MATED, squares_from};

use super::tables::Tables;

/// A man beside the kings: on a square, or on any.
pub type Posted = (Side, Role, Option<Square>);

/// Of fixed men, the first of those that may stand anywhere left out: a word for White's king and
/// Black's king, whose bits are that man's squares.
type Kings = Vec<u64>;

/// Placements of the men that are looked at together.
const AT_ONCE: usize = 64;

impl Tables {
    /// The positions of these men that White wins, with White to move and with Black to move, no right
    /// to capture en passant. Of the men that may stand on any square there is a word for White's
    /// king, Black's king, and each but the first, the last the first to run; its bits are the
    /// squares of the first. Where there is none, a word for White's king, whose bits are Black's.
    /// `None` where no table of up to five men is at hand (nothing is solved).
    ///
    /// One slice of the table is unpacked, without pawns the whole table: 320 MiB with three pieces.
    /// With one such man 1 ms, with two 0.2 CPU s, with three 6, on all threads.
    ///
    /// # Errors
    /// [`TableError::Damaged`] when the stored table turns out to be damaged; it is set aside.
    pub fn wins(
        &self,
        men: &[Posted],
        budget: &Budget,
    ) -> Result<Option<[Vec<u64>; 2]>, TableError> {
        if men.len() + 2 > MAX_MEN {
            return Ok(None);
        }
        let (material, flip) = Material::new(men.iter().map(|man| (man.0, man.1)));
        if !self.is_whole_at_hand(material, budget) {
            return Ok(None);
        }
        let packed = self.packed(material)?;
        let scan = Scan::new(&packed.layout, men, flip);
        let slice = packed.layout.slice(&scan.squares).0;
        let raw = packed.unpack_slice(slice).map_err(|damage| self.damaged(material, damage))?;
        Ok(Some(if scan.free.is_empty() { scan.of_kings(&raw) } else { scan.of_men(&raw) }))
    }
}

/// A walk through the positions of some men in one slice.
struct Scan<'a> {
    layout: &'a Layout,
    /// Whether colours are exchanged in the table.
    flip: bool,
    /// The men's squares in the order and the orientation of the layout.
    squares: Squares,
    /// Where among them those stand that may be anywhere.
    free: Vec<usize>,
}

impl<'a> Scan<'a> {
    fn new(layout: &'a Layout, men: &[Posted], flip: bool) -> Self {
        let mut scan = Self { layout, flip, squares: [Square::A1; MAX_OTHERS], free: Vec::new() };
        let mut used = vec![false; layout.men.len()];
        for &(side, role, square) in men {
            let side = if flip { side.other() } else { side };
            let fits = |(number, man): &(usize, &Man)| {
                !used[*number] && man.side == side && man.role == role
            };
            let (slot, _) =
                layout.men.iter().enumerate().find(fits).expect("the signature names these men");
            used[slot] = true;
            match square {
                Some(square) => scan.squares[slot] = scan.turned(square),
                None => scan.free.push(slot),
            }
        }
        scan
    }

    fn turned(&self, square: Square) -> Square {
        if self.flip { square.flip_vertical() } else { square }
    }

    /// The wins where all men stand still.
    fn of_kings(&self, raw: &RawSlice) -> [Vec<u64>; 2] {
        let mut rows = [[0; 64]; 2];
        for (king, at) in Square::ALL.into_iter().zip(0..) {
            let [white, black] = self.row(raw, king, &self.squares);
            (rows[0][at], rows[1][at]) = (white.0, black.0);
        }
        rows.map(|mut rows| {
            if self.flip {
                transpose(&mut rows);
                rows.iter_mut().for_each(|set| *set = Bitboard(*set).flip_vertical().0);
            }
            let row = |king: Square| rows[self.turned(king) as usize];
            Square::ALL.into_iter().map(row).collect()
        })
    }

    /// The wins where some may stand anywhere.
    fn of_men(&self, raw: &RawSlice) -> [Vec<u64>; 2] {
        let fixed = 1_usize << (6 * (self.free.len() - 1));
        let mut all = array::from_fn(|_| vec![0; fixed << 12]);
        for first in (0..fixed).step_by(AT_ONCE) {
            let numbers = first..fixed.min(first + AT_ONCE);
            let found: Vec<[Kings; 2]> =
                numbers.into_par_iter().map(|number| self.placement(raw, number)).collect();
            for (side, all) in all.iter_mut().enumerate() {
                let kings = all.par_chunks_mut(fixed).with_min_len(AT_ONCE).enumerate();
                kings.for_each(|(pair, words)| {
                    words[first..]
                        .iter_mut()
                        .zip(&found)
                        .for_each(|(word, of)| *word = of[side][pair]);
                });
            }
        }
        all
    }

    /// The wins with the second man that may stand anywhere, and those after it, on the squares that
    /// a number says.
    fn placement(&self, raw: &RawSlice, number: usize) -> [Kings; 2] {
        let mut squares = self.squares;
        for (&slot, place) in self.free[1..].iter().rev().zip(0..) {
            squares[slot] = self.turned(Square::new((number >> (6 * place) & 63) as u32));
        }
        let mut found = array::from_fn(|_| vec![0; 1 << 12]);
        // By the square of the first man: where the table's Black king stands.
        let mut rows = [[0; 64]; 2];
        for king in Square::ALL {
            for (first, at) in Square::ALL.into_iter().zip(0..) {
                squares[self.free[0]] = self.turned(first);
                let [white, black] = self.row(raw, king, &squares);
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
    fn row(&self, raw: &RawSlice, king: Square, squares: &Squares) -> [Bitboard; 2] {
        if self.layout.occupied(king, squares).is_none() {
            return [Bitboard::EMPTY; 2];
        }
        let place = self.layout.place(king, squares);
        let codes = |side: Side| raw.stored(side, place.king, place.row);
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

/// Exchanges the rows and the columns of 64 words, some 0.2 µs: first halves of words and of the list,
/// then halves of these (Warren, *Hacker's Delight*, 2nd ed. 2012, section 7-3).
pub(crate) fn transpose(words: &mut [u64; 64]) {
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
    use crate::chess::Value;
    use crate::chess::board::Board;
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

    /// Compares every `step`th position with a single probe; returns how many were legal, and how
    /// many of these White wins.
    fn agree(men: &[Posted], step: usize) -> [usize; 2] {
        let (tables, budget) = (Tables::in_memory(), Budget::default());
        let material = Material::new(men.iter().map(|man| (man.0, man.1))).0;
        tables.ensure(material, &budget).unwrap();
        let wins = tables.wins(men, &budget).unwrap().expect("the table is at hand");
        let free = men.iter().filter(|man| man.2.is_none()).count();
        let mut count = [0; 2];
        for number in (0..2 << (12 + 6 * free)).step_by(step) {
            let (bit, row, side) =
                (number & 63, number >> 6 & (wins[0].len() - 1), number >> (12 + 6 * free));
            // In the order of a row's number: the kings, the free men but the first, and the first.
            let places = |at: usize| (number >> (6 * (free + 1 - at)) & 63) as u32;
            let mut free_squares = (2..free + 1).map(places).collect::<Vec<_>>();
            let kings = if free == 0 { [row as u32, bit as u32] } else { [places(0), places(1)] };
            free_squares.splice(0..0, (free > 0).then_some(bit as u32));
            let mut free_squares = free_squares.into_iter();
            let mut all = vec![(Side::White, 'k', kings[0]), (Side::Black, 'k', kings[1])];
            for &(side, role, square) in men {
                let square = square.map_or_else(|| free_squares.next().unwrap(), |s| s as u32);
                all.push((side, role.char(), square));
            }
            let Some(board) = board(&all, side) else { continue };
            let Some(value) = tables.probe(&board).unwrap() else { continue };
            let expected = matches!(value, Value::Wins(Side::White, _));
            assert_eq!(wins[side][row] >> bit & 1 == 1, expected, "{all:?}");
            count[0] += 1;
            count[1] += usize::from(expected);
        }
        count
    }

    fn board(men: &[(Side, char, u32)], to_move: usize) -> Option<Board> {
        let mut codes = ['1'; 64];
        for &(side, man, square) in men {
            let code = &mut codes[square as usize];
            if *code != '1' {
                return None;
            }
            *code = if side == Side::White { man.to_ascii_uppercase() } else { man };
        }
        let rows: Vec<String> = codes.chunks(8).rev().map(|row| row.iter().collect()).collect();
        Board::from_fen(&format!("{} {} - -", rows.join("/"), ["w", "b"][to_move])).ok()
    }

    /// With no man, one and two that may stand anywhere, whichever side is the table's White.
    #[test]
    fn wins_are_those_of_single_probes() {
        use Role::{Bishop, Knight, Pawn, Rook};
        let (white, black) = (Side::White, Side::Black);
        for (men, step) in [
            (&[(white, Pawn, Some(Square::B6))][..], 1),
            (&[(black, Pawn, Some(Square::F3))], 1),
            (&[(white, Pawn, Some(Square::B4)), (black, Pawn, Some(Square::G5))], 1),
            (&[(white, Rook, None), (black, Pawn, Some(Square::F3))], 37),
            (&[(white, Pawn, Some(Square::B6)), (black, Rook, None)], 37),
            (&[(white, Rook, None), (black, Knight, None)], 4999),
            (&[(white, Knight, None), (black, Rook, None)], 4999),
            (&[(white, Bishop, None), (white, Bishop, None)], 4999),
        ] {
            // A knight wins against a rook where it mates, a king alone never.
            let weak = men.iter().all(|man| man.0 == black || man.1 == Knight);
            let [legal, won] = agree(men, step);
            assert!(legal > 2000 && (won > 10 || weak), "{men:?}: {legal}, {won}");
        }
    }

    #[test]
    #[ignore = "tables of five men: a minute in release"]
    fn wins_of_three_men_are_those_of_single_probes() {
        use Role::{Bishop, Knight, Rook};
        let (white, black) = (Side::White, Side::Black);
        for men in [
            [(white, Rook, None), (white, Bishop, None), (black, Bishop, None)],
            [(white, Rook, None), (black, Rook, None), (black, Bishop, None)],
            [(white, Knight, None), (white, Knight, None), (black, Knight, None)],
        ] {
            let [legal, won] = agree(&men, 99_991);
            assert!(legal > 2000 && won > 10, "{men:?}: {legal}, {won}");
        }
    }

    #[test]
    fn what_is_not_at_hand_is_not_solved() {
        let men = [(Side::White, Role::Rook, None)];
        assert!(Tables::in_memory().wins(&men, &Budget::default()).unwrap().is_none());
    }
}
