//! What a packed table says of a position, of a row of positions, and of a block of rows.

use std::sync::atomic::Ordering;

use super::block::{HALVES, Part, Sealed, half_of};
use super::damage::Damage;
use super::held::Decompressed;
use super::packed::Packed;
use super::unpack::Rows;
use crate::chess::board::{Bitboard, Rank, Square};
use crate::chess::symmetry::Images;
use crate::chess::{Side, Turn};
use crate::tables::index::layout::Squares;
use crate::tables::index::symmetry::above_diagonal;
use crate::tables::index::value::{Code, ILLEGAL, Relative, is_long};

/// Rows of a block that are worked out one by one before all are: what takes a man away from the
/// last place of an index asks for one row of each block.
const ROW_BY_ROW: usize = 2;

/// The rows of a block of a table with other pieces, White's first, from row `first` on. Of a king
/// on the diagonal the squares above it are not told.
pub(in crate::tables) struct BlockRows {
    pub(in crate::tables) slice: usize,
    pub(in crate::tables) king: usize,
    pub(in crate::tables) first: usize,
    pub(in crate::tables) rows: Rows,
    exceeded: Option<[Vec<[u8; 64]>; 2]>,
}

impl BlockRows {
    /// By how many double plies the codes of a row, counted from the first, are exceeded.
    pub(in crate::tables) fn excess(&self, to_move: Side, row: usize) -> &[u8; 64] {
        self.exceeded.as_ref().map_or(&[0; 64], |sides| &sides[to_move as usize][row])
    }
}

/// All parts of a block, White's first.
const ALL: [Part; 4] = [(Side::White, 0), (Side::White, 1), (Side::Black, 0), (Side::Black, 1)];

/// The parts that a value rests on: its own, and with Black to move White's where Black's king is,
/// there or after a step.
fn needed(to_move: Side, other: Square) -> &'static [Part] {
    const BLACK: [[Part; 3]; 2] = [
        [(Side::Black, 0), (Side::White, 0), (Side::White, 1)],
        [(Side::Black, 1), (Side::White, 1), (Side::White, 0)],
    ];
    let half = half_of(other);
    let at_the_border = matches!(other.rank(), Rank::Fourth | Rank::Fifth);
    match to_move {
        Side::White => &ALL[half..=half],
        Side::Black => &BLACK[half][..if at_the_border { 3 } else { 2 }],
    }
}

impl Packed {
    /// Decompresses these parts of a block where that has not been done; `sealed` are its bytes
    /// once they have been checked.
    fn fill<'a>(
        &'a self,
        block: &Decompressed,
        parts: &[Part],
        sealed: &mut Option<Sealed<'a>>,
    ) -> Result<(), Damage> {
        for &part in parts.iter().filter(|&&part| block.part(part).get().is_none()) {
            let sealed = match sealed {
                Some(sealed) => sealed,
                None => sealed.insert(self.sealed(block.number)?),
            };
            // Another thread may have been faster.
            let _ = block.part(part).set(sealed.part(part)?);
        }
        Ok(())
    }

    /// The value of a legal position.
    pub(in crate::tables) fn value(
        &self,
        to_move: Side,
        king: Square,
        other: Square,
        squares: &Squares,
    ) -> Result<Option<Relative>, Damage> {
        let (code, excess) = self.long_code(to_move, king, other, squares)?;
        let value = self.layout.scale(to_move).decode(code);
        Ok(value.map(|value| value.longer(excess)))
    }

    /// The code of a legal position.
    #[cfg(test)]
    pub(super) fn code(
        &self,
        to_move: Side,
        king: Square,
        other: Square,
        squares: &Squares,
    ) -> Result<Code, Damage> {
        Ok(self.long_code(to_move, king, other, squares)?.0)
    }

    /// The code of a legal position, and by how many double plies it is exceeded.
    fn long_code(
        &self,
        to_move: Side,
        king: Square,
        other: Square,
        squares: &Squares,
    ) -> Result<(Code, u8), Damage> {
        let mut place = self.layout.place(king, squares);
        let mut other = place.symmetry.of(other);
        if !self.layout.kings.partners(place.king).contains(other) {
            // The leading king is on the diagonal and the other above it: reflect.
            other = Turn::TRANSPOSE.of(other);
            place.row = self.layout.transposed(place.row);
        }
        let number = self.layout.block_of(place.slice, place.king, place.row);
        let (block, mut sealed) = (self.held.block(number), None);
        let (own, foretelling) = needed(to_move, other).split_at(1);
        self.fill(&block, own, &mut sealed)?;
        let partners = self.layout.kings.partners(place.king);
        let at = |row: usize, other: Square| {
            let half = half_of(other);
            let below = Bitboard((1u64 << other as u32) - 1) & HALVES[half];
            (half, self.layout.offset(half, place.king, row) + (partners & below).count())
        };
        let (half, here) = at(place.row, other);
        let code = block.parts()[to_move as usize][half][here];
        if self.layout.wide && is_long(code) {
            return Ok((code, self.excess(number, (to_move, half, here))?));
        }
        if code != ILLEGAL || to_move == Side::White {
            return Ok((code, 0));
        }
        let Some(row) = self.layout.foretelling(place.slice, place.king, place.row) else {
            return Ok((ILLEGAL, 0));
        };
        self.fill(&block, foretelling, &mut sealed)?;
        let white = block.parts()[Side::White as usize];
        let foretold = row.foretold_on(other, |row, other| {
            let (half, here) = at(row, other);
            white[half][here]
        });
        Ok((foretold, 0))
    }

    /// By how many double plies a long code of a wide table is exceeded, by its side to move, its
    /// half of the board and its place there. Decompresses the block: there are few such codes.
    fn excess(&self, block: usize, place: (Side, usize, usize)) -> Result<u8, Damage> {
        let codes = self.read(block)?;
        let (side, half, here) = place;
        let number = 2 * side as usize + half;
        let parts = codes.parts();
        let parts = parts.as_flattened();
        let before = parts[..number].iter().copied().flatten().chain(&parts[number][..here]);
        let before = before.filter(|&&code| is_long(code)).count();
        codes.excess.get(before).copied().ok_or(Damage::Block(block))
    }

    /// The codes of a row of positions, by the square of Black's king; illegal ones are marked.
    pub(in crate::tables) fn row(
        &self,
        to_move: Side,
        king: Square,
        squares: &Squares,
    ) -> Result<[Code; 64], Damage> {
        let mut place = self.layout.place(king, squares);
        let read = |(slice, king, row): (usize, usize, usize)| -> Result<[Code; 64], Damage> {
            let number = self.layout.block_of(slice, king, row);
            let (block, mut sealed) = (self.held.block(number), None);
            let needed = if to_move == Side::White { &ALL[..2] } else { &ALL };
            self.fill(&block, needed, &mut sealed)?;
            if block.rows.get().is_none()
                && self.layout.pieces > 0
                && block.asked.fetch_add(1, Ordering::Relaxed) < ROW_BY_ROW
            {
                return Ok(self.layout.row_of(block.parts(), (slice, king, row), to_move));
            }
            self.fill(&block, &ALL, &mut sealed)?;
            let rows = block.rows.get_or_init(|| self.layout.rows_of(number, block.parts()));
            let at = if self.layout.pieces == 0 { king } else { self.layout.row_in_block(row) };
            Ok(rows[to_move as usize][at])
        };
        let mut codes = read(place.row_number())?;
        if self.layout.is_halved(self.layout.kings.square(place.king)) {
            place.row = self.layout.transposed(place.row);
            let image = Turn::TRANSPOSE.read(&read(place.row_number())?);
            for above in above_diagonal() {
                codes[above as usize] = image[above as usize];
            }
        }
        Ok(place.symmetry.read(&codes))
    }

    /// All rows of a block, and by how many double plies their codes are exceeded, where some are.
    /// About 0.5 µs a row.
    pub(in crate::tables) fn block_rows(&self, number: usize) -> Result<BlockRows, Damage> {
        let block = self.layout.block(number);
        let codes = self.read(number)?;
        let rows = self.layout.rows_of(number, codes.parts());
        let mut exceeded = None;
        if !codes.excess.is_empty() {
            let sides = exceeded.insert(rows.each_ref().map(|side| vec![[0; 64]; side.len()]));
            let mut excess = codes.excess.iter();
            let kept = self.layout.kings.partners(block.kings.start);
            for (side, parts) in sides.iter_mut().zip(codes.parts()) {
                for (part, half) in parts.into_iter().zip(HALVES) {
                    let squares: Vec<Square> = (kept & half).into_iter().collect();
                    let long = part.iter().enumerate().filter(|(_, code)| is_long(**code));
                    for ((at, _), &excess) in long.zip(&mut excess) {
                        let (row, square) = (at / squares.len(), at % squares.len());
                        side[row][squares[square] as usize] = excess;
                    }
                }
            }
        }
        let (slice, king, first) = (block.slice, block.kings.start, block.rows.start);
        Ok(BlockRows { slice, king, first, rows, exceeded })
    }
}
