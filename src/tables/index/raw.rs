//! A solved table in memory, one byte per position: the form in which tables are built and in which
//! the tables they depend on are read.

use std::sync::Arc;

use crate::chess::board::{Color, Square};
use crate::chess::symmetry::Images;

use super::layout::{Layout, Squares};
use super::value::Code;

/// The codes of one slice. Bytes: 64 per row and side.
#[derive(Debug)]
pub(in crate::tables) struct RawSlice {
    /// By side to move (White first), then king number: 64 codes per row.
    pub(in crate::tables) sides: [Vec<Vec<Code>>; 2],
}

impl RawSlice {
    /// A row of the slice.
    #[inline]
    pub(in crate::tables) fn stored(&self, to_move: Color, king: usize, row: usize) -> &[Code; 64] {
        self.sides[side(to_move)][king][row * 64..].first_chunk().expect("rows are 64 bytes")
    }
}

/// A table in memory, whole or some slices of it.
#[derive(Debug)]
pub(in crate::tables) struct RawTable {
    pub(in crate::tables) layout: Arc<Layout>,
    pub(in crate::tables) slices: Vec<Option<Arc<RawSlice>>>,
}

/// The index of a side to move.
pub(in crate::tables) fn side(color: Color) -> usize {
    color.fold_wb(0, 1)
}

impl RawTable {
    pub(in crate::tables) fn empty(layout: Arc<Layout>) -> Self {
        let slices = std::iter::repeat_with(|| None).take(layout.slices()).collect();
        Self { layout, slices }
    }

    /// The stored row, in the table's own orientation.
    #[inline]
    pub(in crate::tables) fn stored(
        &self,
        to_move: Color,
        slice: usize,
        king: usize,
        row: usize,
    ) -> &[Code; 64] {
        self.slices[slice]
            .as_ref()
            .expect("a slice is read after it is solved")
            .stored(to_move, king, row)
    }

    /// The codes of a row of positions, by the square of Black's king.
    pub(in crate::tables) fn row(
        &self,
        to_move: Color,
        king: Square,
        squares: &Squares,
    ) -> [Code; 64] {
        let place = self.layout.place(king, squares);
        place.symmetry.read(self.stored(to_move, place.slice, place.king, place.row))
    }

    /// The code of one position.
    #[inline]
    pub(in crate::tables) fn code(
        &self,
        to_move: Color,
        king: Square,
        other: Square,
        squares: &Squares,
    ) -> Code {
        let place = self.layout.place(king, squares);
        self.stored(to_move, place.slice, place.king, place.row)[place.symmetry.of(other) as usize]
    }
}

/// The slices that the pawns of one slice can move into: at most two for each pawn.
#[derive(Debug)]
pub(in crate::tables) struct Ahead<'a> {
    pub(in crate::tables) layout: &'a Layout,
    /// With their numbers.
    pub(in crate::tables) slices: Vec<(usize, Arc<RawSlice>)>,
}

impl Ahead<'_> {
    /// The codes of a row of positions, by the square of Black's king.
    pub(in crate::tables) fn row(
        &self,
        to_move: Color,
        king: Square,
        squares: &Squares,
    ) -> [Code; 64] {
        let place = self.layout.place(king, squares);
        let slice = self.slices.iter().find(|(number, _)| *number == place.slice);
        let (_, slice) = slice.expect("a slice is read after it is solved");
        place.symmetry.read(slice.stored(to_move, place.king, place.row))
    }
}
