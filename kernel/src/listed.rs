//! Sections by slices, read from their bytes: slices, blocks and rows (docs/certificate.md).

use super::format::{Certificate, Cursor, FormatError, Kind, Section, number};
use super::slice::Slice;

/// Positions of one slice that differ in the king of the side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Row {
    /// The number of the slice.
    pub slice: u32,
    /// Where its men stand, as in [`super::slice::Spot`].
    pub row: u64,
    /// The king's squares, a bit each.
    pub squares: u64,
}

/// Walks over the rows of a block.
#[derive(Debug, Clone)]
pub struct Rows<'a> {
    cursor: Cursor<'a>,
    left: u32,
    last: Row,
}

impl Iterator for Rows<'_> {
    type Item = Row;

    fn next(&mut self) -> Option<Row> {
        self.left = self.left.checked_sub(1)?;
        self.last = self.cursor.row(&self.last).ok()?;
        Some(self.last)
    }
}

impl<'a> Certificate<'a> {
    /// The slices of a section by slices, in rising order.
    pub fn slices(&self, section: &Section) -> impl Iterator<Item = Slice> + use<'a> {
        let mut cursor = Cursor { bytes: self.bytes(), at: section.start };
        (0..section.slices).map_while(move |_| cursor.slice().ok())
    }

    /// The blocks of a section by slices: the rank of each, and its rows.
    pub fn row_blocks(&self, section: &Section) -> impl Iterator<Item = (u32, Rows<'a>)> + use<'a> {
        let mut cursor = Cursor { bytes: self.bytes(), at: section.start };
        let walked = (0..section.slices).all(|_| cursor.slice().is_ok());
        std::iter::from_fn(move || {
            let (left, rank) = cursor.block().ok().filter(|&(count, _)| walked && count > 0)?;
            let rows = Rows { cursor: cursor.clone(), left, last: Row::default() };
            let mut walk = rows.clone();
            walk.by_ref().for_each(drop);
            cursor = walk.cursor;
            Some((rank, rows))
        })
    }
}

impl Cursor<'_> {
    /// Slices that rise, and blocks of rows.
    pub(crate) fn by_slices(&mut self, section: &mut Section) -> Result<(), FormatError> {
        section.slices = self.count(u32::MAX - 1)?;
        section.start = self.at;
        let mut last = None;
        for _ in 0..section.slices {
            let slice = self.slice()?;
            if last.is_some_and(|last| last >= slice) {
                return Err(FormatError::Body("slices do not rise"));
            }
            last = Some(slice);
        }
        let is_win = section.kind == Kind::WinBySlices;
        let mut blocks = None;
        loop {
            let (count, rank) = self.block()?;
            if count == 0 && rank == 0 {
                return Ok(());
            }
            let rises = blocks.is_none_or(|last| is_win && rank > last);
            if count == 0 || !rises || rank % 2 != 0 || !is_win && rank != 0 {
                return Err(FormatError::Body("ranks do not rise"));
            }
            blocks = Some(rank);
            let rows = section.entries.checked_add(count);
            section.entries = rows.ok_or(FormatError::Body("too many entries"))?;
            let mut row = Row::default();
            for number in 0..count {
                let next = self.row(&row)?;
                let rises = number == 0 || (next.slice, next.row) > (row.slice, row.row);
                if !rises || next.slice >= section.slices {
                    return Err(FormatError::Body("rows do not rise"));
                }
                row = next;
            }
        }
    }

    fn slice(&mut self) -> Result<Slice, FormatError> {
        let fault = || FormatError::Body("a slice");
        let (pawns, _) = self.position()?;
        let slice = Slice { pawns, men: number(self.take(8)?) };
        if slice.is_sound() { Ok(slice) } else { Err(fault()) }
    }

    /// A row, told by what it has more than the last one.
    fn row(&mut self, last: &Row) -> Result<Row, FormatError> {
        let fault = || FormatError::Body("a row");
        let further = self.varint()?;
        let slice = u64::from(last.slice).checked_add(further).ok_or_else(fault)?;
        let slice = u32::try_from(slice).map_err(|_| fault())?;
        let from = if further == 0 { last.row } else { 0 };
        let row = from.checked_add(self.varint()?).ok_or_else(fault)?;
        let first = self.take(1)?[0];
        let squares = match first {
            0..64 => 1 << first,
            64 => number(self.take(8)?),
            65..72 => {
                let mut squares = 0;
                for &square in self.take(usize::from(first) - 63)? {
                    let bit = 1u64.checked_shl(u32::from(square)).unwrap_or(0);
                    if bit <= squares {
                        return Err(fault());
                    }
                    squares |= bit;
                }
                squares
            }
            _ => return Err(fault()),
        };
        if squares == 0 { Err(fault()) } else { Ok(Row { slice, row, squares }) }
    }

    /// A number in groups of seven bits, the lowest first; bit 7 is set where another follows.
    fn varint(&mut self) -> Result<u64, FormatError> {
        let mut value = 0u64;
        for shift in (0..63).step_by(7) {
            let byte = self.take(1)?[0];
            value |= u64::from(byte & 127) << shift;
            if byte < 128 {
                return Ok(value);
            }
        }
        Err(FormatError::Body("a number"))
    }
}
