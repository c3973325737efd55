//! Decompressed blocks back in rows of 64 codes, with what the file leaves out: squares above the
//! diagonal, and which positions are illegal.

use rayon::prelude::*;

use crate::chess::board::{Bitboard, Square};

use super::damage::Damage;
use crate::chess::symmetry::Images;
use crate::chess::{Side, Turn};
use crate::tables::index::layout::{Layout, Squares};
use crate::tables::index::raw::RawSlice;
use crate::tables::index::symmetry::{KingSquares, above_diagonal, bytes};
use crate::tables::index::value::{Code, ILLEGAL};

impl Layout {
    /// Where a row begins in its block.
    pub(in crate::tables) fn offset(&self, king: usize, row: usize) -> usize {
        if self.pieces == 0 {
            (0..king).map(|k| self.kings.partners(k).count()).sum()
        } else {
            (row - self.first_in_order(row & !63)) * self.kings.partners(king).count()
        }
    }

    /// The stored bytes of a row, one per square.
    pub(in crate::tables) fn spread(&self, block: &[Code], king: usize, row: usize) -> [Code; 64] {
        let mut codes = [ILLEGAL; 64];
        let mut stored = &block[self.offset(king, row)..];
        // Squares that follow one another stand so in the block too.
        let mut partners = self.kings.partners(king).0;
        while partners != 0 {
            let first = partners.trailing_zeros() as usize;
            let run = ((partners >> first).trailing_ones() as usize).min(stored.len());
            codes[first..first + run].copy_from_slice(&stored[..run]);
            stored = &stored[run..];
            partners &= u64::MAX.checked_shl((first + run.max(1)) as u32).unwrap_or(0);
        }
        codes
    }

    /// Must a row with this leading king be completed from its reflection?
    pub(in crate::tables) fn is_halved(&self, king: Square) -> bool {
        self.kings == KingSquares::Triangle && king.file() as u8 == king.rank() as u8
    }

    /// Marks the illegal positions of a row.
    pub(in crate::tables) fn keep_legal(
        &self,
        to_move: Side,
        king: Square,
        squares: &Squares,
        codes: &mut [Code; 64],
    ) {
        let legal = self
            .occupied(king, squares)
            .map_or(Bitboard::EMPTY, |occupied| self.masks(king, squares, occupied).legal(to_move));
        for (code, legal) in codes.iter_mut().zip(bytes(legal)) {
            *code &= legal;
        }
    }

    /// A slice in memory; `read` gives a decompressed block by its number in the table.
    pub(in crate::tables) fn unpack(
        &self,
        slice: usize,
        read: impl Fn(usize) -> Result<Vec<Code>, Damage> + Sync,
    ) -> Result<RawSlice, Damage> {
        let side = |to_move: Side| -> Result<Vec<Vec<Code>>, Damage> {
            if self.pieces == 0 {
                // One block holds the rows of all kings.
                let block = read(self.block_of(to_move, slice, 0, 0))?;
                let kings = 0..self.kings.count();
                return Ok(kings
                    .map(|king| {
                        self.complete(to_move, slice, king, self.spread(&block, king, 0).into())
                    })
                    .collect());
            }
            let kings = (0..self.kings.count()).into_par_iter();
            kings.map(|king| self.unpack_king(to_move, slice, king, &read)).collect()
        };
        let (white, black) = rayon::join(|| side(Side::White), || side(Side::Black));
        Ok(RawSlice { sides: [white?, black?] })
    }

    fn unpack_king(
        &self,
        to_move: Side,
        slice: usize,
        king: usize,
        read: impl Fn(usize) -> Result<Vec<Code>, Damage>,
    ) -> Result<Vec<Code>, Damage> {
        let mut codes = vec![ILLEGAL; self.rows() * 64];
        for first in (0..self.rows()).step_by(64) {
            let rows = self.first_in_order(first)..first + 64;
            if rows.is_empty() || !self.in_order(rows.start) {
                continue;
            }
            let block = read(self.block_of(to_move, slice, king, first))?;
            for row in rows {
                codes[row * 64..][..64].copy_from_slice(&self.spread(&block, king, row));
            }
        }
        Ok(self.complete(to_move, slice, king, codes))
    }

    /// Fills in squares above the diagonal and marks illegal positions.
    fn complete(
        &self,
        to_move: Side,
        slice: usize,
        king: usize,
        mut codes: Vec<Code>,
    ) -> Vec<Code> {
        let square = self.kings.square(king);
        let rows = || (0..self.rows()).filter(|&row| self.in_order(row));
        if self.is_halved(square) {
            for row in rows() {
                let image = self.transposed(row);
                let image = codes[image * 64..].first_chunk().expect("rows are 64 codes");
                let image = Turn::TRANSPOSE.read(image);
                for (at, above) in bytes(above_diagonal()).into_iter().enumerate() {
                    let code = &mut codes[row * 64 + at];
                    *code = *code & !above | image[at] & above;
                }
            }
        }
        for row in rows() {
            let codes: &mut [Code; 64] =
                codes[row * 64..].first_chunk_mut().expect("rows are 64 codes");
            self.keep_legal(to_move, square, &self.squares(slice, row), codes);
        }
        codes
    }
}
