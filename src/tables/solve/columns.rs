//! Sets of positions as columns, and how they stand in a log.

use std::ops::Range;

use crate::chess::board::{Bitboard, Square};

/// Rows that stand together in the log.
pub(super) const RANGE: usize = 1 << 18;

/// Positions with one king number: rows in order, each with its squares of Black's king. 12 bytes a
/// row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Columns {
    pub(super) rows: Vec<u32>,
    squares: Vec<Bitboard>,
}

impl Columns {
    pub(super) fn with_capacity(rows: usize) -> Self {
        Self { rows: Vec::with_capacity(rows), squares: Vec::with_capacity(rows) }
    }

    pub(super) fn push(&mut self, row: usize, squares: Bitboard) {
        self.rows.push(row as u32);
        self.squares.push(squares);
    }

    /// Adds a position of the last row or of a later one.
    pub(super) fn add(&mut self, row: usize, square: Square) {
        if self.rows.last() == Some(&(row as u32)) {
            self.squares.last_mut().expect("as many as rows").add(square);
        } else {
            self.push(row, Bitboard::from_square(square));
        }
    }

    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.squares.clear();
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, Bitboard)> + '_ {
        self.rows.iter().copied().zip(self.squares.iter().copied())
    }

    /// How many positions these are.
    pub(super) fn positions(&self) -> u64 {
        self.squares.iter().map(|squares| squares.count() as u64).sum()
    }

    /// The parts with rows of one range of the log each.
    pub(super) fn by_range(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let mut start = 0;
        std::iter::from_fn(move || {
            let range = *self.rows.get(start)? as usize / RANGE;
            let end =
                start + self.rows[start..].partition_point(|&row| row as usize / RANGE == range);
            Some(std::mem::replace(&mut start, end)..end)
        })
    }

    /// How far each row is from the one before, seven bits a byte, the last byte of each below 128;
    /// then the squares. Usually 9 bytes a row.
    pub(super) fn encode(&self, part: Range<usize>) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(part.len() * 9 + 8);
        let mut last = self.rows[part.start] as usize / RANGE * RANGE;
        for &row in &self.rows[part.clone()] {
            let mut step = row as usize - last;
            last = row as usize;
            while step >= 128 {
                bytes.push(step as u8 | 128);
                step >>= 7;
            }
            bytes.push(step as u8);
        }
        for squares in &self.squares[part] {
            bytes.extend_from_slice(&squares.0.to_le_bytes());
        }
        bytes
    }

    /// Appends what [`Columns::encode`] has written of so many rows; whether it was that.
    pub(super) fn decode(&mut self, bytes: &[u8], range: usize, count: usize) -> bool {
        let Some(words) = count.checked_mul(8).and_then(|len| bytes.len().checked_sub(len)) else {
            return false;
        };
        let (steps, words) = bytes.split_at(words);
        let (mut row, mut step, mut shift) = (range * RANGE, 0, 0);
        let before = self.rows.len();
        for &byte in steps {
            step |= usize::from(byte & 127) << shift;
            shift += 7;
            if byte < 128 {
                row += step;
                self.rows.push(row as u32);
                (step, shift) = (0, 0);
            }
            if shift > 28 {
                return false;
            }
        }
        let word = |bytes: &[u8; 8]| Bitboard(u64::from_le_bytes(*bytes));
        self.squares.extend(words.as_chunks().0.iter().map(word));
        shift == 0 && self.rows.len() == before + count && row < (range + 1) * RANGE
    }
}
