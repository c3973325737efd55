//! One step back in a slice, on 64 positions at a time: which positions have a move into given ones,
//! and which have no move but into given ones. How positions are kept is the caller's affair.

use crate::chess::board::{Bitboard, Square, attacks};
use crate::chess::symmetry::Images;
use crate::chess::{Side, Turn};
use crate::tables::index::geometry::king_steps;
use crate::tables::index::layout::{Layout, MAX_OTHERS, Squares};
use crate::tables::index::rays::rays;

/// The moves within one slice.
pub(super) struct Moves<'a> {
    pub(super) layout: &'a Layout,
    pub(super) slice: usize,
    /// By king number: where White's king can step, as its new number and the symmetry that turns
    /// the board.
    steps: Vec<Vec<(usize, Turn)>>,
}

impl<'a> Moves<'a> {
    pub(super) fn new(layout: &'a Layout, slice: usize) -> Self {
        let steps = (0..layout.kings.count())
            .map(|king| {
                let targets = attacks::king_attacks(layout.kings.square(king));
                targets.into_iter().map(|target| layout.kings.normalise(target)).collect()
            })
            .collect();
        Self { layout, slice, steps }
    }

    /// Marks every position with this king number from which a move of the mover's inside the slice
    /// leads into the given level: rows with their squares of Black's king, by king number.
    #[inline]
    pub(super) fn carry_back<L: IntoIterator<Item = (u32, Bitboard)>>(
        &self,
        mover: Side,
        number: usize,
        level: impl Fn(usize) -> L,
        mut mark: impl FnMut(usize, Bitboard),
    ) {
        self.carry_men(mover, number, level(number), &mut mark);
        if mover == Side::White {
            for &(next, symmetry) in &self.steps[number] {
                self.carry_king(symmetry, level(next), &mut mark);
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
        level: impl IntoIterator<Item = (u32, Bitboard)>,
        mut mark: impl FnMut(usize, Bitboard),
    ) {
        let king = Bitboard::from_square(self.layout.kings.square(number));
        for (row, bits) in level {
            let row = row as usize;
            let squares = self.layout.squares(self.slice, row);
            let occupied = self.occupied_by(king, &squares);
            for (piece, man) in self.layout.men[..self.layout.pieces].iter().enumerate() {
                if man.side != mover {
                    continue;
                }
                let rows = self.layout.leaving(row, piece);
                for ray in rays(man.role, squares[piece]) {
                    // Black's king must not stand between.
                    let mut bits = bits;
                    for &from in ray {
                        if occupied.contains(from) || bits.is_empty() {
                            break;
                        }
                        mark(rows.to(from), bits);
                        bits = bits.without_const(Bitboard::from_square(from));
                    }
                }
            }
            if mover == Side::Black {
                mark(row, king_steps(bits));
            }
        }
    }

    /// As [`Moves::carry_back`], by a step of White's king to where the level is.
    #[inline]
    pub(super) fn carry_king(
        &self,
        symmetry: Turn,
        level: impl IntoIterator<Item = (u32, Bitboard)>,
        mut mark: impl FnMut(usize, Bitboard),
    ) {
        if symmetry == Turn::NONE {
            return level.into_iter().for_each(|(row, bits)| mark(row as usize, bits));
        }
        let back = symmetry.back();
        for (row, bits) in level {
            mark(self.turned(row as usize, back), back.set(bits));
        }
    }

    /// The given positions without those that have a move inside the slice to a position in which
    /// the opponent escapes: the squares of Black's king, by king number and row.
    #[inline]
    pub(super) fn refute(
        &self,
        mover: Side,
        number: usize,
        row: usize,
        mut bits: Bitboard,
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
        if bits.is_empty() {
            return bits;
        }
        let squares = self.layout.squares(self.slice, row);
        let occupied =
            self.occupied_by(Bitboard::from_square(self.layout.kings.square(number)), &squares);
        for (piece, man) in self.layout.men[..self.layout.pieces].iter().enumerate() {
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
        if symmetry == Turn::NONE {
            return row;
        }
        let mut squares = [Square::A1; MAX_OTHERS];
        let all = self.layout.squares(self.slice, row);
        for (square, from) in squares[..self.layout.pieces].iter_mut().zip(all) {
            *square = symmetry.of(from);
        }
        self.layout.row(squares)
    }
}
