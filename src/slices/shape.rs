//! The rows of a slice with several officers: the kings and all officers but the first, the *axis*,
//! are fixed in a row, whose 64 bits are the axis's squares.
//!
//! All that blocks the axis's lines is known in a row. The others' lines are blocked by the axis too,
//! which is another in every bit: where a line passes squares, the bits of these squares are left
//! out.

use super::bits::{KING, Officer, bit, squares};
use super::key::{Key, MOVERS, Mover};
use super::rest::Rest;
use rayon::prelude::*;

/// Officers that are fixed in a row, at most.
const FIXED: usize = MOVERS - 1;

/// The officers of a slice as its rows have them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    pub(super) axis: Mover,
    /// The attacker's officers that do not move.
    rest: Rest,
    fixed: [Mover; FIXED],
    len: usize,
}

/// The men of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) king: u8,
    pub(super) other: u8,
    fixed: [u8; FIXED],
    len: u8,
}

impl Row {
    /// Its number.
    #[inline]
    pub(super) fn number(&self) -> usize {
        let kings = usize::from(self.king) << 6 | usize::from(self.other);
        self.men().iter().fold(kings, |row, &man| row << 6 | usize::from(man))
    }

    /// The squares of the fixed officers.
    #[inline]
    pub(super) fn men(&self) -> &[u8] {
        &self.fixed[..usize::from(self.len)]
    }

    /// All fixed men but the pawns.
    #[inline]
    pub(super) fn occupied(&self) -> u64 {
        self.men().iter().fold(bit(self.king) | bit(self.other), |all, &man| all | bit(man))
    }

    /// With one side's king on another square.
    #[inline]
    pub(super) fn with_king(self, ours: bool, square: u8) -> Self {
        if ours { Self { king: square, ..self } } else { Self { other: square, ..self } }
    }

    /// With a fixed officer on another square.
    #[inline]
    pub(super) fn moved(mut self, number: usize, square: u8) -> Self {
        self.fixed[number] = square;
        self
    }

    /// Without a fixed officer.
    #[inline]
    pub(super) fn without(mut self, number: usize) -> Self {
        self.fixed[number..].rotate_left(1);
        Self { len: self.len - 1, ..self }
    }

    /// The row of a slice with another axis, in which the axis of this one is fixed on a square.
    #[inline]
    pub(super) fn with_axis_fixed(mut self, square: u8) -> Self {
        self.fixed.rotate_right(1);
        self.fixed[0] = square;
        Self { len: self.len + 1, ..self }
    }
}

impl Shape {
    /// The shape of a slice with an officer or more.
    pub(super) fn of(key: &Key) -> Self {
        let none = Mover { officer: Officer::None, ours: true };
        let mut movers = key.movers();
        let axis = movers.next().unwrap_or(none);
        let (mut fixed, mut len) = ([none; FIXED], 0);
        for mover in movers {
            fixed[len] = mover;
            len += 1;
        }
        Self { axis, rest: key.rest, fixed, len }
    }

    /// The fixed officers of one side, with their numbers among the fixed.
    #[inline]
    pub(super) fn fixed(&self, ours: bool) -> impl Iterator<Item = (usize, Officer)> + use<> {
        let men = self.fixed.into_iter().take(self.len).enumerate();
        men.filter(move |(_, man)| man.ours == ours).map(|(at, man)| (at, man.officer))
    }

    /// Where in a row's number the square of a fixed officer stands.
    #[inline]
    pub(super) fn shift(&self, number: usize) -> u32 {
        6 * (self.len - 1 - number) as u32
    }

    /// Where the square of the defender's king stands.
    #[inline]
    pub(super) fn shift_of_kings(&self) -> u32 {
        6 * self.len as u32
    }

    /// Calls `each` with the rows in which no man touches `taken`, the kings being apart.
    #[inline]
    pub(super) fn each(&self, taken: u64, mut each: impl FnMut(usize, &Row)) {
        for king in squares(!taken) {
            self.each_of(king, taken, &mut each);
        }
    }

    /// Adds to rows what `of` says of each of these, all threads together.
    pub(super) fn add(&self, taken: u64, rows: &mut [u64], of: impl Fn(&Row) -> u64 + Sync) {
        let each = rows.len() / 64;
        rows.par_chunks_mut(each).enumerate().for_each(|(king, rows)| {
            if bit(king as u8) & taken == 0 {
                self.each_of(king as u8, taken, &mut |number, row| rows[number % each] |= of(row));
            }
        });
    }

    /// The same for one square of the attacker's king.
    #[inline]
    pub(super) fn each_of(&self, king: u8, taken: u64, each: &mut impl FnMut(usize, &Row)) {
        for other in squares(!taken & !bit(king) & !KING[usize::from(king)]) {
            let row = Row { king, other, fixed: [0; FIXED], len: self.len as u8 };
            let free = !taken & !bit(king) & !bit(other);
            let [home, next] = self.fixed.map(|man| man.officer.home());
            match self.len {
                0 => each(row.number(), &row),
                1 => squares(free & home).for_each(|man| {
                    let row = row.moved(0, man);
                    each(row.number(), &row);
                }),
                _ => {
                    for first in squares(free & home) {
                        for second in squares(free & next & !bit(first)) {
                            let row = row.moved(0, first).moved(1, second);
                            each(row.number(), &row);
                        }
                    }
                }
            }
        }
    }

    /// A row by its number.
    #[inline]
    pub(super) fn row(&self, number: usize) -> Row {
        let mut left = number;
        let mut low = || {
            let square = (left & 63) as u8;
            left >>= 6;
            square
        };
        let mut fixed = [0; FIXED];
        fixed[..self.len].iter_mut().rev().for_each(|man| *man = low());
        let (other, king) = (low(), low());
        Row { king, other, fixed, len: self.len as u8 }
    }

    /// The legal positions of a row in which no two fixed men stand on one square.
    #[inline]
    pub(super) fn legal(&self, row: &Row, pawns: u64, kings: &[u64; 64], turn: bool) -> u64 {
        if kings[usize::from(row.king)] & bit(row.other) == 0 {
            return 0;
        }
        let occupied = pawns | row.occupied();
        // The king of the side that has moved is safe.
        let at = if turn { row.other } else { row.king };
        !self.checks(row, turn, at, occupied) & !occupied & self.axis.officer.home()
    }

    /// Notes the legal positions of all rows that begin with a row's men. Where the last officer
    /// neither gives check nor stands in the way of one that does, it takes but its own square.
    fn legal_beyond(&self, row: &Row, pawns: u64, kings: &[u64; 64], turn: bool, rows: &mut [u64]) {
        let len = usize::from(row.len);
        let so_far = Self { len, ..*self };
        if len == self.len {
            rows[0] = so_far.legal(row, pawns, kings, turn);
            return;
        }
        let occupied = pawns | row.occupied();
        let free = squares(!occupied & self.fixed[len].officer.home());
        let with = |man: u8| Row { len: row.len + 1, ..row.moved(len, man) };
        if len + 1 < self.len {
            let each = rows.len() / 64;
            for man in free {
                let rows = &mut rows[usize::from(man) * each..][..each];
                self.legal_beyond(&with(man), pawns, kings, turn, rows);
            }
            return;
        }
        let all = so_far.legal(row, pawns, kings, turn);
        let near = so_far.near(row, turn, occupied, self.fixed[len]);
        for man in free {
            rows[usize::from(man)] = match near & bit(man) {
                0 => all & !bit(man),
                _ => self.legal(&with(man), pawns, kings, turn),
            };
        }
    }

    /// Where one officer more would give check, or stand in the way of one that does.
    #[inline]
    fn near(&self, row: &Row, turn: bool, occupied: u64, man: Mover) -> u64 {
        let at = if turn { row.other } else { row.king };
        let reach =
            |man: Mover| if man.ours == turn { man.officer.attacks(at, occupied) } else { 0 };
        let is_line = turn && !self.rest.is_empty() || self.fixed(turn).next().is_some();
        let lines = if is_line { Officer::Queen.attacks(at, occupied) } else { 0 };
        let by_axis = if self.axis.officer == Officer::Knight { 0 } else { reach(self.axis) };
        by_axis | reach(man) | lines
    }

    /// Squares of the axis with which a side's other officers attack a square: all but those that
    /// block. `occupied` is without the axis.
    #[inline]
    pub(super) fn attacked(&self, row: &Row, ours: bool, at: u8, occupied: u64) -> u64 {
        let by_rest = if ours { self.rest.attacks_past(at, occupied) } else { 0 };
        self.fixed(ours).fold(by_rest, |all, (number, officer)| {
            let from = row.men()[number];
            let hits = officer.attacks(from, occupied) & bit(at) != 0;
            if hits { all | !super::bits::between(from, at) } else { all }
        })
    }

    /// Squares of the axis with which a side's officers attack a square, the axis among them.
    #[inline]
    pub(super) fn checks(&self, row: &Row, ours: bool, at: u8, occupied: u64) -> u64 {
        let by_axis =
            if self.axis.ours == ours { self.axis.officer.attacks(at, occupied) } else { 0 };
        by_axis | self.attacked(row, ours, at, occupied)
    }
}

/// Notes the legal positions of a slice with several officers in its empty rows, some 2 ns a row. `turn` says
/// who is to move.
pub(super) fn legal(key: &Key, kings: &[u64; 64], turn: bool, rows: &mut [u64]) {
    let (shape, pawns) = (Shape::of(key), key.pawns());
    let each = rows.len() / 64;
    rows.par_chunks_mut(each).zip(kings).enumerate().for_each(|(king, (rows, others))| {
        let of_others = rows.chunks_exact_mut(each / 64).enumerate();
        for (other, rows) in of_others.filter(|(other, _)| others & 1 << other != 0) {
            let row = Row { king: king as u8, other: other as u8, fixed: [0; FIXED], len: 0 };
            shape.legal_beyond(&row, pawns, kings, turn, rows);
        }
    });
}

/// What is read of the rows of a child whose axis is another: for each free square of the axis here,
/// the child's bit.
#[inline]
pub(super) fn gathered(rows: &[u64], row: &Row, to: u8, free: u64) -> u64 {
    let has = |square: &u8| rows[row.with_axis_fixed(*square).number()] & bit(to) != 0;
    squares(free).filter(has).fold(0, |all, square| all | bit(square))
}
