//! A solved table as the tables above it read it, and a solved slice as the slices behind it do: in
//! memory, or compressed.

use crate::chess::Side;
use std::sync::Arc;

use crate::chess::board::Square;
use crate::chess::symmetry::Images;

use super::packed::Packed;
use crate::tables::TableError;
use crate::tables::index::layout::{Layout, Squares};
use crate::tables::index::raw::{RawSlice, RawTable};
use crate::tables::index::value::{Code, ILLEGAL};

/// Small tables are read from memory, large ones block by block.
#[derive(Debug, Clone)]
pub(in crate::tables) enum Source {
    Raw(Arc<RawTable>),
    Packed(Arc<Packed>),
}

impl Source {
    pub(in crate::tables) fn layout(&self) -> &Layout {
        match self {
            Self::Raw(table) => &table.layout,
            Self::Packed(table) => &table.layout,
        }
    }

    /// Gives back the memory of what has been read of a stored table.
    pub(in crate::tables) fn release(&self) {
        if let Self::Packed(table) = self {
            table.release();
        }
    }

    /// The codes of a row of positions, by the square of Black's king.
    pub(in crate::tables) fn row(
        &self,
        to_move: Side,
        king: Square,
        squares: &Squares,
    ) -> Result<[Code; 64], TableError> {
        match self {
            Self::Raw(table) => Ok(table.row(to_move, king, squares)),
            Self::Packed(table) => table
                .row(to_move, king, squares)
                .map_err(|damage| TableError::Damaged { material: table.layout.material, damage }),
        }
    }

    /// The codes of the positions with Black's king on one square, by the square of White's king.
    pub(in crate::tables) fn column(
        &self,
        to_move: Side,
        other: Square,
        squares: &Squares,
    ) -> Result<[Code; 64], TableError> {
        let Self::Raw(table) = self else {
            let mut codes = [ILLEGAL; 64];
            for (king, code) in Square::ALL.into_iter().zip(&mut codes) {
                *code = self.code(to_move, king, other, squares)?;
            }
            return Ok(codes);
        };
        Ok(table.column(to_move, other, squares))
    }

    /// The code of one position, illegal or not.
    pub(in crate::tables) fn code(
        &self,
        to_move: Side,
        king: Square,
        other: Square,
        squares: &Squares,
    ) -> Result<Code, TableError> {
        match self {
            Self::Raw(table) => Ok(table.code(to_move, king, other, squares)),
            Self::Packed(_) => Ok(self.row(to_move, king, squares)?[other as usize]),
        }
    }
}

/// A solved slice of the table that is being solved, or checked.
#[derive(Debug)]
pub(in crate::tables) enum Next<'a> {
    /// In memory.
    Raw(Arc<RawSlice>),
    /// In a file, read block by block: two gigabytes in memory would be too much.
    Packed(&'a Packed),
}

/// The slices that the pawns of one slice can move into: at most two for each pawn.
#[derive(Debug)]
pub(in crate::tables) struct Ahead<'a> {
    pub(in crate::tables) layout: &'a Layout,
    /// With their numbers.
    pub(in crate::tables) slices: Vec<(usize, Next<'a>)>,
}

impl Ahead<'_> {
    /// The codes of a row of positions, by the square of Black's king.
    pub(in crate::tables) fn row(
        &self,
        to_move: Side,
        king: Square,
        squares: &Squares,
    ) -> Result<[Code; 64], TableError> {
        let place = self.layout.place(king, squares);
        let slice = self.slices.iter().find(|(number, _)| *number == place.slice);
        match slice.expect("a slice is read after it is solved") {
            (_, Next::Raw(slice)) => {
                Ok(place.symmetry.read(slice.stored(to_move, place.king, place.row)))
            }
            (_, Next::Packed(file)) => file
                .row(to_move, king, squares)
                .map_err(|damage| TableError::Damaged { material: self.layout.material, damage }),
        }
    }

    /// Gives back the memory of what has been read of stored slices.
    pub(in crate::tables) fn release(&self) {
        for (_, slice) in &self.slices {
            if let Next::Packed(file) = slice {
                file.release();
            }
        }
    }
}
