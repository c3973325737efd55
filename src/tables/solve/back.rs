//! One step back in a slice, on 64 positions at a time: which positions have a move into given ones,
//! and which have no move but into given ones. How positions are kept is the caller's affair.

use crate::chess::board::{Bitboard, Square, attacks};
use crate::chess::symmetry::Images;
use crate::chess::{Side, Turn};
use crate::tables::index::geometry::king_steps;
use crate::tables::index::layout::{Layout, Squares};
use crate::tables::index::rays::rays;

use super::sweep::{Line, Lines, sweep_line};

/// New positions of a level with one king number: rows, and their squares of Black's king.
pub(super) type Level = Vec<(u32, Bitboard)>;

/// Where the positions go that a step back finds: rows and their squares of Black's king. The same
/// row may come several times.
pub(super) trait Marks {
    fn mark(&mut self, row: usize, bits: Bitboard);

    /// The 64 rows from `first` on.
    #[inline]
    fn line(&mut self, first: usize, line: &Line) {
        for (at, &bits) in line.iter().enumerate().filter(|(_, bits)| bits.any()) {
            self.mark(first | at, bits);
        }
    }
}

impl<F: FnMut(usize, Bitboard)> Marks for F {
    #[inline]
    fn mark(&mut self, row: usize, bits: Bitboard) {
        self(row, bits);
    }
}

/// So many rows of a line are carried back together; fewer one by one.
const BUSY_LINE: usize = 3;
/// The same of a plane.
const BUSY_PLANE: usize = 16;
/// So many rows of a plane, on average, for each square of the piece that has any.
const BUSY_SQUARE: usize = 4;

/// The moves within one slice.
pub(super) struct Moves<'a> {
    pub(super) layout: &'a Layout,
    pub(super) slice: usize,
    /// By king number: where White's king can step, as its new number and the symmetry that turns
    /// the board.
    steps: Vec<Vec<(usize, Turn)>>,
    /// No two pieces are alike.
    lone: bool,
}

impl<'a> Moves<'a> {
    pub(super) fn new(layout: &'a Layout, slice: usize) -> Self {
        let steps = (0..layout.kings.count())
            .map(|king| {
                let targets = attacks::king_attacks(layout.kings.square(king));
                targets.into_iter().map(|target| layout.kings.normalise(target)).collect()
            })
            .collect();
        let lone = (0..layout.pieces).all(|piece| layout.is_lone(piece));
        Self { layout, slice, steps, lone }
    }

    /// Marks every position with this king number from which a move of the mover's inside the slice
    /// leads into the given level: rows with their squares of Black's king, by king number. Marks
    /// may fall on rows with two men on one square too.
    #[inline]
    pub(super) fn carry_back<'l>(
        &self,
        mover: Side,
        number: usize,
        level: impl Fn(usize) -> &'l Level,
        work: &mut Lines,
        marks: &mut impl Marks,
    ) {
        self.carry_men(mover, number, level(number), work, marks);
        if mover == Side::White {
            for &(next, symmetry) in &self.steps[number] {
                self.carry_king(symmetry, level(next).iter().copied(), marks);
            }
        }
    }

    /// Where White's king can step from a king number: the number, and the symmetry that turns the
    /// board.
    pub(super) fn steps(&self, number: usize) -> &[(usize, Turn)] {
        &self.steps[number]
    }

    /// As [`Moves::carry_back`], by moves of all men but White's king.
    #[inline]
    pub(super) fn carry_men(
        &self,
        mover: Side,
        number: usize,
        level: &[(u32, Bitboard)],
        work: &mut Lines,
        marks: &mut impl Marks,
    ) {
        for (piece, man) in self.layout.men[..self.layout.pieces].iter().enumerate() {
            if man.side == mover {
                self.carry_piece(piece, number, level, work, marks);
            }
        }
        if mover == Side::Black {
            for &(row, bits) in level {
                marks.mark(row as usize, king_steps(bits));
            }
        }
    }

    /// The same by moves of one piece: of many rows together where the level has many.
    #[inline]
    fn carry_piece(
        &self,
        piece: usize,
        number: usize,
        level: &[(u32, Bitboard)],
        work: &mut Lines,
        marks: &mut impl Marks,
    ) {
        let after = self.layout.pieces - 1 - piece;
        if let Some(first) = self.layout.first_of_pair(piece) {
            if piece == first {
                self.carry_pair(first, number, level, work, marks);
            }
            return;
        }
        if !self.layout.is_lone(piece) || after > 2 {
            return self.carry_each(piece, number, level, marks);
        }
        // The rows that the piece moves among are in one of these.
        let beyond = 6 * (after + 1);
        for rows in level.chunk_by(|(row, _), (next, _)| row >> beyond == next >> beyond) {
            match after {
                0 => self.carry_line(piece, number, rows, marks),
                1 => self.carry_plane(piece, number, rows, work, marks),
                2 if rows.len() >= BUSY_PLANE => {
                    // By the square of the piece between.
                    let mut planes = std::mem::take(&mut work.planes);
                    rows.iter().for_each(|row| planes[row.0 as usize >> 6 & 63].push(*row));
                    for plane in planes.iter_mut().filter(|plane| !plane.is_empty()) {
                        self.carry_plane(piece, number, plane, work, marks);
                        plane.clear();
                    }
                    work.planes = planes;
                }
                _ => self.carry_each(piece, number, rows, marks),
            }
        }
    }

    /// The same, row by row.
    #[inline]
    fn carry_each(
        &self,
        piece: usize,
        number: usize,
        level: &[(u32, Bitboard)],
        marks: &mut impl Marks,
    ) {
        let king = Bitboard::from_square(self.layout.kings.square(number));
        let role = self.layout.men[piece].role;
        for &(row, bits) in level {
            let squares = self.layout.squares(self.slice, row as usize);
            let occupied = self.occupied_by(king, &squares);
            let rows = self.layout.leaving(row as usize, piece);
            for ray in rays(role, squares[piece]) {
                // Black's king must not stand between.
                let mut bits = bits;
                for &from in ray {
                    if occupied.contains(from) || bits.is_empty() {
                        break;
                    }
                    marks.mark(rows.to(from), bits);
                    bits = bits.without_const(Bitboard::from_square(from));
                }
            }
        }
    }

    /// The same for rows that differ in one piece alone.
    fn carry_line(
        &self,
        piece: usize,
        number: usize,
        rows: &[(u32, Bitboard)],
        marks: &mut impl Marks,
    ) {
        if rows.len() < BUSY_LINE {
            return self.carry_each(piece, number, rows, marks);
        }
        let shift = self.layout.shift(piece);
        let mut level = [Bitboard::EMPTY; 64];
        rows.iter().for_each(|&(row, bits)| level[row as usize >> shift & 63] |= bits);
        let rest = rows[0].0 as usize & !(63 << shift);
        let shut = self.others(number, rest, &[piece]);
        let swept = sweep_line(self.layout.men[piece].role, &level, shut);
        if shift == 0 {
            return marks.line(rest, &swept);
        }
        for (at, bits) in swept.into_iter().enumerate().filter(|(_, bits)| bits.any()) {
            marks.mark(rest | at << shift, bits);
        }
    }

    /// The same for rows of one plane, by a piece that is not the last one.
    fn carry_plane(
        &self,
        piece: usize,
        number: usize,
        rows: &[(u32, Bitboard)],
        work: &mut Lines,
        marks: &mut impl Marks,
    ) {
        let shift = self.layout.shift(piece);
        let at = |row: u32| Square::new(row >> shift & 63);
        let filled: Bitboard = rows.iter().map(|&(row, _)| at(row)).collect();
        if rows.len() < BUSY_PLANE || rows.len() < BUSY_SQUARE * filled.count() {
            return self.carry_each(piece, number, rows, marks);
        }
        for &(row, bits) in rows {
            work.add(at(row), Square::new(row & 63), bits);
        }
        let rest = rows[0].0 as usize & !(63 << shift | 63);
        let shut = self.others(number, rest, &[piece, self.layout.pieces - 1]);
        work.sweep(self.layout.men[piece].role, shut, |from, line| {
            marks.line(rest | (from as usize) << shift, line);
        });
    }

    /// The same by both of two like pieces, of which this is the first: for each square of the one
    /// that stands still, the other moves as a lone piece does.
    fn carry_pair(
        &self,
        first: usize,
        number: usize,
        level: &[(u32, Bitboard)],
        work: &mut Lines,
        marks: &mut impl Marks,
    ) {
        let (high, low) = (self.layout.shift(first), self.layout.shift(first + 1));
        let at = |row: u32, shift: usize| row >> shift & 63;
        let with = |row: u32, moving: u32, standing: u32| {
            row & !(0o7777 << low) | moving << high | standing << low
        };
        let mut mark = |row: usize, bits| {
            let (moving, standing) = (at(row as u32, high), at(row as u32, low));
            let order = with(row as u32, moving.min(standing), moving.max(standing));
            marks.mark(order as usize, bits);
        };
        for rows in level.chunk_by(|(row, _), (next, _)| row >> high >> 6 == next >> high >> 6) {
            if rows.len() < BUSY_PLANE {
                self.carry_each(first, number, rows, &mut mark);
                self.carry_each(first + 1, number, rows, &mut mark);
                continue;
            }
            let mut planes = std::mem::take(&mut work.planes);
            for &(row, bits) in rows {
                let (one, other) = (at(row, high), at(row, low));
                planes[other as usize].push((with(row, one, other), bits));
                planes[one as usize].push((with(row, other, one), bits));
            }
            for plane in planes.iter_mut().filter(|plane| !plane.is_empty()) {
                if low > 0 {
                    self.carry_plane(first, number, plane, work, &mut mark);
                } else {
                    self.carry_line(first, number, plane, &mut mark);
                }
                plane.clear();
            }
            work.planes = planes;
        }
    }

    /// The squares of White's king and the men but these pieces.
    fn others(&self, number: usize, row: usize, but: &[usize]) -> Bitboard {
        let king = Bitboard::from_square(self.layout.kings.square(number));
        let squares = self.layout.squares(self.slice, row);
        let men = (0..self.layout.men.len()).filter(|man| !but.contains(man));
        men.fold(king, |set, man| set.with_const(Bitboard::from_square(squares[man])))
    }

    /// As [`Moves::carry_back`], by a step of White's king to where the level is.
    #[inline]
    pub(super) fn carry_king(
        &self,
        symmetry: Turn,
        level: impl IntoIterator<Item = (u32, Bitboard)>,
        marks: &mut impl Marks,
    ) {
        if symmetry == Turn::NONE {
            return level.into_iter().for_each(|(row, bits)| marks.mark(row as usize, bits));
        }
        let back = symmetry.back();
        for (row, bits) in level {
            marks.mark(self.turned(row as usize, back), back.set(bits));
        }
    }

    /// Whether the last piece of the rows is of this side and has no like one: then
    /// [`Moves::refute_by_last`] finds its moves, for a line of rows.
    pub(super) fn has_last(&self, mover: Side) -> bool {
        let last = self.layout.pieces.checked_sub(1);
        last.is_some_and(|last| self.layout.men[last].side == mover && self.layout.is_lone(last))
    }

    /// By row of the line from `first` on: where the last piece has a move to a position in which the
    /// opponent escapes.
    pub(super) fn refute_by_last(&self, number: usize, first: usize, escape: &Line) -> Line {
        let last = self.layout.pieces - 1;
        sweep_line(self.layout.men[last].role, escape, self.others(number, first, &[last]))
    }

    /// The given positions without those that have a move inside the slice, by a king or one of the
    /// first `pieces` pieces, to a position in which the opponent escapes: the squares of Black's
    /// king, by king number and row.
    #[inline]
    pub(super) fn refute(
        &self,
        mover: Side,
        number: usize,
        row: usize,
        mut bits: Bitboard,
        pieces: usize,
        escape: impl Fn(usize, usize) -> Bitboard,
    ) -> Bitboard {
        if bits.is_empty() {
            return bits;
        }
        if mover == Side::Black {
            bits &= !king_steps(escape(number, row));
        } else {
            for &(next, symmetry) in &self.steps[number] {
                if symmetry == Turn::NONE {
                    bits &= !escape(next, row);
                    continue;
                }
                let escape = escape(next, self.turned(row, symmetry));
                if escape.any() {
                    bits &= !symmetry.back().set(escape);
                }
            }
        }
        let men = &self.layout.men[..pieces];
        if bits.is_empty() || men.iter().all(|man| man.side != mover) {
            return bits;
        }
        let squares = self.layout.squares(self.slice, row);
        let occupied =
            self.occupied_by(Bitboard::from_square(self.layout.kings.square(number)), &squares);
        for (piece, man) in men.iter().enumerate() {
            if man.side != mover {
                continue;
            }
            let rows = self.layout.leaving(row, piece);
            for ray in rays(man.role, squares[piece]) {
                let mut passed = Bitboard::EMPTY;
                for &to in ray {
                    // Where Black's king is on a square passed, the piece does not come here.
                    if occupied.contains(to) || (bits & !passed).is_empty() {
                        break;
                    }
                    bits &= !escape(number, rows.to(to)) | passed;
                    passed.add(to);
                }
            }
            if bits.is_empty() {
                return bits;
            }
        }
        bits
    }

    fn occupied_by(&self, king: Bitboard, squares: &Squares) -> Bitboard {
        squares[..self.layout.men.len()]
            .iter()
            .fold(king, |set, &s| set.with_const(Bitboard::from_square(s)))
    }

    fn turned(&self, row: usize, symmetry: Turn) -> usize {
        let turned = turned_squares(row, symmetry) & (self.layout.rows() - 1);
        if self.lone || symmetry == Turn::NONE {
            return turned;
        }
        self.layout.row(self.layout.squares(self.slice, turned))
    }
}

/// A row with the squares of all pieces turned.
#[inline]
fn turned_squares(row: usize, symmetry: Turn) -> usize {
    // In every square of the row the three bits of its file, and those of its rank.
    const FILES: usize = 0o0707_0707_0707;
    const RANKS: usize = FILES << 3;
    let has = |part: Turn| symmetry.index() & part.index() != 0;
    let mut turned = row;
    if has(Turn::MIRROR_FILES) {
        turned ^= FILES;
    }
    if has(Turn::MIRROR_RANKS) {
        turned ^= RANKS;
    }
    if has(Turn::TRANSPOSE) {
        turned = (turned & RANKS) >> 3 | (turned & FILES) << 3;
    }
    turned
}
