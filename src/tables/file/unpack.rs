//! Decompressed blocks back in rows of 64 codes, with what the file leaves out: Black's codes that
//! White's foretell, squares above the diagonal, and which positions are illegal.

use std::borrow::Borrow;

use rayon::prelude::*;

use crate::chess::board::Square;

use super::block::{Codes, HALVES, Parts};
use super::damage::Damage;
use super::predict::Row;
use super::squares;
use crate::chess::symmetry::Images;
use crate::chess::{Side, Turn};
use crate::tables::index::layout::Layout;
use crate::tables::index::raw::RawSlice;
use crate::tables::index::symmetry::{KingSquares, above_diagonal, bytes};
use crate::tables::index::value::{Code, ILLEGAL};

/// Rows of 64 codes by side to move, White first.
pub(in crate::tables) type Rows = [Vec<[Code; 64]>; 2];

impl Layout {
    /// Where a row begins in a part of a block.
    pub(super) fn offset(&self, half: usize, king: usize, row: usize) -> usize {
        let kept = |king| (self.kings.partners(king) & HALVES[half]).count();
        if self.pieces == 0 {
            (0..king).map(kept).sum()
        } else {
            self.row_in_block(row) * kept(king)
        }
    }

    /// Which row of its block a row is.
    pub(super) fn row_in_block(&self, row: usize) -> usize {
        row - self.first_in_order(row & !63)
    }

    /// The stored bytes of a row, one per square, from the parts of its side to move.
    fn spread(&self, parts: [&[Code]; 2], king: usize, row: usize) -> [Code; 64] {
        let from =
            |half: usize| parts[half].get(self.offset(half, king, row)..).unwrap_or_default();
        squares::spread([from(0), from(1)], self.kings.partners(king))
    }

    fn white_row(&self, parts: Parts<'_>, foretelling: Option<&Row<'_>>) -> [Code; 64] {
        let Some(Row { king, row, masks, .. }) = foretelling else { return [ILLEGAL; 64] };
        let mut codes = self.spread(parts[0], *king, *row);
        let legal = bytes(masks.legal(Side::White));
        codes.iter_mut().zip(legal).for_each(|(code, legal)| *code &= legal);
        codes
    }

    /// `white` gives rows of the same block with White to move.
    fn black_row<R: Borrow<[Code; 64]>>(
        &self,
        parts: Parts<'_>,
        foretelling: Option<&Row<'_>>,
        white: impl Fn(usize) -> R,
    ) -> [Code; 64] {
        let Some(foretelling) = foretelling else { return [ILLEGAL; 64] };
        let mut codes = self.spread(parts[1], foretelling.king, foretelling.row);
        let stored = self.kings.partners(foretelling.king);
        let legal = foretelling.masks.legal(Side::Black) & stored;
        let foretold = foretelling.foretold(white);
        for ((code, foretold), legal) in codes.iter_mut().zip(foretold).zip(bytes(legal)) {
            let unforeseen = if *code == ILLEGAL { foretold } else { *code };
            *code = unforeseen & legal;
        }
        codes
    }

    /// Must a row with this leading king be completed from its reflection?
    pub(super) fn is_halved(&self, king: Square) -> bool {
        self.kings == KingSquares::Triangle && king.file() as u8 == king.rank() as u8
    }

    /// One row of a block of a table with other pieces, with White to move from White's parts alone.
    /// About 0.3 µs, with Black to move 1 µs.
    pub(super) fn row_of(
        &self,
        parts: Parts<'_>,
        (slice, king, row): (usize, usize, usize),
        to_move: Side,
    ) -> [Code; 64] {
        let foretelling = |row| self.foretelling(slice, king, row);
        let white = |row| self.white_row(parts, foretelling(row).as_ref());
        match to_move {
            Side::White => white(row),
            Side::Black => self.black_row(parts, foretelling(row).as_ref(), white),
        }
    }

    /// All rows of a block, in the order of their kings and rows: White's codes, then Black's. About
    /// 0.5 µs a row.
    pub(super) fn rows_of(&self, number: usize, parts: Parts<'_>) -> Rows {
        let block = self.block(number);
        let foretelling: Vec<Option<Row<'_>>> =
            block.places().map(|(king, row)| self.foretelling(block.slice, king, row)).collect();
        let rows = || foretelling.iter().map(Option::as_ref);
        let white: Vec<[Code; 64]> = rows().map(|row| self.white_row(parts, row)).collect();
        let first = block.rows.start;
        let black = block
            .places()
            .zip(rows())
            .enumerate()
            .map(|(at, ((_, row), foretelling))| {
                let here = at - (row - first);
                self.black_row(parts, foretelling, |row| &white[here + row - first])
            })
            .collect();
        [white, black]
    }

    /// A slice in memory; `read` gives a decompressed block by its number in the table.
    pub(in crate::tables) fn unpack(
        &self,
        slice: usize,
        read: impl Fn(usize) -> Result<Codes, Damage> + Sync,
    ) -> Result<RawSlice, Damage> {
        if self.pieces == 0 {
            return Ok(self.unpack_kings(slice, &read(self.block_of(slice, 0, 0))?));
        }
        let empty = || vec![vec![ILLEGAL; self.rows() * 64]; self.kings.count()];
        let (mut white, mut black) = (empty(), empty());
        let kings = white.par_iter_mut().zip(&mut black).enumerate();
        kings.try_for_each(|(king, sides)| self.unpack_king((slice, king), sides, &read))?;
        Ok(RawSlice { sides: [white, black] })
    }

    /// A slice without other pieces: one block holds the rows of all kings.
    fn unpack_kings(&self, slice: usize, block: &Codes) -> RawSlice {
        let of_king = |(king, row): (usize, &[Code; 64])| {
            let mut codes = row.to_vec();
            self.complete(king, &mut codes);
            codes
        };
        let rows = self.rows_of(self.block_of(slice, 0, 0), block.parts());
        RawSlice { sides: rows.map(|rows| rows.iter().enumerate().map(of_king).collect()) }
    }

    /// The codes of both sides for one square of the leading king.
    fn unpack_king(
        &self,
        (slice, king): (usize, usize),
        (white, black): (&mut Vec<Code>, &mut Vec<Code>),
        read: impl Fn(usize) -> Result<Codes, Damage>,
    ) -> Result<(), Damage> {
        for first in (0..self.rows()).step_by(64) {
            let start = self.first_in_order(first);
            if start == first + 64 || !self.in_order(start) {
                continue;
            }
            let number = self.block_of(slice, king, first);
            let rows = self.rows_of(number, read(number)?.parts());
            for (codes, rows) in [&mut *white, &mut *black].into_iter().zip(rows) {
                codes[start * 64..][..rows.len() * 64].copy_from_slice(rows.as_flattened());
            }
        }
        self.complete(king, white);
        self.complete(king, black);
        Ok(())
    }

    /// Fills in squares above the diagonal.
    fn complete(&self, king: usize, codes: &mut [Code]) {
        if !self.is_halved(self.kings.square(king)) {
            return;
        }
        for row in (0..self.rows()).filter(|&row| self.in_order(row)) {
            let image = self.transposed(row);
            let image = codes[image * 64..].first_chunk().expect("rows are 64 codes");
            let image = Turn::TRANSPOSE.read(image);
            for (at, above) in bytes(above_diagonal()).into_iter().enumerate() {
                let code = &mut codes[row * 64 + at];
                *code = *code & !above | image[at] & above;
            }
        }
    }
}
