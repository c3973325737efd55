//! A solved table in memory, one byte per position: the form in which tables are built and in which
//! the tables they depend on are read.

use std::sync::Arc;

use crate::chess::board::Square;
use crate::chess::symmetry::Images;
use crate::chess::{Side, Turn};

use super::layout::{Layout, Squares};
use super::symmetry::KingSquares;
use super::value::{Code, ILLEGAL, Scale};

/// The codes of one slice. Bytes: 64 per row and side.
#[derive(Debug)]
pub(in crate::tables) struct RawSlice {
    /// By side to move (White first), then king number: 64 codes per row.
    pub(in crate::tables) sides: [Vec<Vec<Code>>; 2],
}

impl RawSlice {
    /// A row of the slice.
    #[inline]
    pub(in crate::tables) fn stored(&self, to_move: Side, king: usize, row: usize) -> &[Code; 64] {
        self.sides[to_move as usize][king][row * 64..].first_chunk().expect("rows are 64 bytes")
    }

    /// The same codes with Black's on [`Scale::LOSER`], whose draw alone has another byte; `None`
    /// where Black wins in more plies than that scale can say.
    pub(in crate::tables) fn on_losers_scale(mut self) -> Option<Self> {
        let (usual, loser) = (Scale::USUAL.draw, Scale::LOSER.draw);
        for code in self.sides[Side::Black as usize].iter_mut().flatten() {
            match *code {
                code if code == loser => return None,
                code if code != usual => {}
                _ => *code = loser,
            }
        }
        Some(self)
    }
}

/// A table in memory, whole or some slices of it.
#[derive(Debug)]
pub(in crate::tables) struct RawTable {
    pub(in crate::tables) layout: Arc<Layout>,
    pub(in crate::tables) slices: Vec<Option<Arc<RawSlice>>>,
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
        to_move: Side,
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
        to_move: Side,
        king: Square,
        squares: &Squares,
    ) -> [Code; 64] {
        let place = self.layout.place(king, squares);
        place.symmetry.read(self.stored(to_move, place.slice, place.king, place.row))
    }

    /// The codes of the positions with Black's king on one square, by the square of White's king.
    pub(in crate::tables) fn column(
        &self,
        to_move: Side,
        other: Square,
        squares: &Squares,
    ) -> [Code; 64] {
        // Where White's king stands matters for the turn alone, and the row for the turn.
        let mut rows = [None; Turn::COUNT];
        let pawns = self.layout.place(Square::A1, squares);
        let kings = self.layout.kings;
        let mut codes = [ILLEGAL; 64];
        for (king, code) in Square::ALL.into_iter().zip(&mut codes) {
            let (number, symmetry) = match kings {
                KingSquares::Triangle => kings.normalise(king),
                KingSquares::Board => (pawns.symmetry.of(king) as usize, pawns.symmetry),
            };
            let row = *rows[symmetry.index()]
                .get_or_insert_with(|| self.layout.row(squares.map(|square| symmetry.of(square))));
            *code = self.stored(to_move, pawns.slice, number, row)[symmetry.of(other) as usize];
        }
        codes
    }

    /// The code of one position.
    #[inline]
    pub(in crate::tables) fn code(
        &self,
        to_move: Side,
        king: Square,
        other: Square,
        squares: &Squares,
    ) -> Code {
        let place = self.layout.place(king, squares);
        self.stored(to_move, place.slice, place.king, place.row)[place.symmetry.of(other) as usize]
    }
}
