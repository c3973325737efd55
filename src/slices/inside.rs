//! The quiet moves inside a slice, a row of 64 positions at a time.
//!
//! Such moves can be taken back, so that the rows which a row leads to are those which lead to it. A
//! move of a man whose square is a part of the row's number leads to another row and leaves the bits
//! where they are; one of the man whose squares are the bits stays in the row.

use super::bits::{
    KING, Officer, RANK_2, RANK_7, attacks_down, attacks_up, between, bit, each_ray, spread,
    squares,
};
use super::key::Key;
use super::shape::{Row, Shape};

/// Where pawns stand.
const PAWN_SQUARES: u64 = 0x00ff_ffff_ffff_ff00;

/// A slice as its quiet moves see it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Inside {
    key: Key,
    shape: Shape,
}

/// The number of a row with a man, whose square is six bits of it, on another square.
#[inline]
pub(super) fn moved(row: usize, shift: u32, to: u8) -> usize {
    row & !(63 << shift) | usize::from(to) << shift
}

/// Calls `each` with the squares that an officer attacks and those passed on the way.
#[inline]
pub(super) fn each_step(officer: Officer, from: u8, occupied: u64, mut each: impl FnMut(u8, u64)) {
    let reach = officer.attacks(from, occupied);
    if officer == Officer::Knight {
        squares(reach).for_each(|to| each(to, 0));
    } else {
        each_ray(from, reach, each);
    }
}

impl Inside {
    pub(super) fn of(key: &Key) -> Self {
        Self { key: *key, shape: Shape::of(key) }
    }

    /// Whether there are kings and pawns alone: then the bits are the squares of the defender's king.
    fn is_bare(&self) -> bool {
        self.key.kind() == 0
    }

    /// The men of a row; of one of kings and pawns alone there is but one.
    fn row(&self, number: usize) -> Row {
        self.shape.row(number)
    }

    /// The fixed men of a row.
    fn occupied(&self, number: usize) -> u64 {
        let men = if self.is_bare() { bit(number as u8) } else { self.row(number).occupied() };
        self.key.pawns() | men
    }

    /// The legal positions of a row, `kings` by
    /// [`super::rows::kings_open`] or [`super::rows::kings_won`].
    #[inline]
    pub(super) fn legal(&self, number: usize, kings: &[u64; 64], turn: bool) -> u64 {
        if self.is_bare() {
            return kings[number];
        }
        let (row, pawns) = (self.row(number), self.key.pawns());
        // Two on one square would be one man less.
        let apart = row.occupied() & !pawns;
        let men = 1 + self.key.kind() as u32;
        if apart.count_ones() == men { self.shape.legal(&row, pawns, kings, turn) } else { 0 }
    }

    /// Calls `each` with the other rows that one side's moves lead to, and with the bits for which a
    /// move is blocked. Rows of illegal positions are among them.
    #[inline]
    pub(super) fn across(&self, number: usize, ours: bool, mut each: impl FnMut(usize, u64)) {
        if self.is_bare() {
            if ours {
                squares(KING[number]).for_each(|to| each(to.into(), 0));
            }
            return;
        }
        let kings = self.shape.shift_of_kings();
        let shift = if ours { kings + 6 } else { kings };
        for to in squares(KING[number >> shift & 63]) {
            each(moved(number, shift, to), 0);
        }
        let occupied = self.occupied(number);
        for (man, officer) in self.shape.fixed(ours) {
            let shift = self.shape.shift(man);
            each_step(officer, (number >> shift & 63) as u8, occupied, |to, passed| {
                each(moved(number, shift, to), passed | bit(to));
            });
        }
    }

    /// The bits that moves of one side inside the row lead to, or come from.
    #[inline]
    pub(super) fn within(&self, number: usize, ours: bool, bits: u64) -> u64 {
        if self.is_bare() {
            return if ours { 0 } else { spread(bits) };
        }
        let axis = self.shape.axis;
        if axis.ours == ours { axis.officer.reach(bits, self.occupied(number)) } else { 0 }
    }

    /// Those of a row's positions in which no quiet move of one side leads into a set.
    #[inline]
    pub(super) fn not_into(
        &self,
        set: impl Fn(usize) -> u64,
        number: usize,
        ours: bool,
        bits: u64,
    ) -> u64 {
        let mut left = bits & !self.within(number, ours, set(number));
        if left != 0 {
            self.across(number, ours, |to, blocked| left &= !set(to) | blocked);
        }
        left
    }

    /// The bits of a row's positions in which a man but a pawn stands on one of these squares.
    pub(super) fn with_man_on(&self, number: usize, at: u64) -> u64 {
        if at & self.occupied(number) != 0 { !0 } else { at }
    }

    /// Where one side's men stand in a position, but for the pawns, as a number below 64^3.
    pub(super) fn set_up(&self, number: usize, square: u8, ours: bool) -> usize {
        if self.is_bare() {
            return if ours { number } else { square.into() };
        }
        let row = self.row(number);
        let king = usize::from(if ours { row.king } else { row.other });
        let fixed = self.shape.fixed(ours).map(|(man, _)| row.men()[man]);
        let axis = (self.shape.axis.ours == ours).then_some(square);
        axis.into_iter().chain(fixed).fold(king, |all, at| all << 6 | usize::from(at))
    }

    /// Calls `each` with one side's captures that are the same in all positions of a row, of pawns and of fixed
    /// officers by all but the officer whose squares are the bits: the slice and the row that they lead to, and
    /// the bits for which they are blocked. Illegal ones are among them. For slices with an officer and none
    /// at rest.
    pub(super) fn captures(
        &self,
        number: usize,
        ours: bool,
        mut each: impl FnMut(Key, usize, u64),
    ) {
        let (key, row) = (self.key, self.row(number));
        let [own, foes] = if ours { [key.ours, key.theirs] } else { [key.theirs, key.ours] };
        let officers = |side| self.shape.fixed(side);
        let men = officers(!ours).fold(0, |all, (man, _)| all | bit(row.men()[man]));
        let take = |after: Row, to: u8| match row.men().iter().position(|at| *at == to) {
            // The officer whose squares are the bits is the first.
            Some(man) if men & bit(to) != 0 => (key.without_mover(man + 1), after.without(man)),
            _ if ours => (Key { theirs: key.theirs & !bit(to), ..key }, after),
            _ => (Key { ours: key.ours & !bit(to), ..key }, after),
        };
        let king = if ours { row.king } else { row.other };
        for to in squares(KING[usize::from(king)] & (foes | men)) {
            let (key, row) = take(row.with_king(ours, to), to);
            each(key, row.number(), 0);
        }
        let occupied = self.occupied(number);
        for (man, officer) in officers(ours) {
            let from = row.men()[man];
            for to in squares(officer.attacks(from, occupied) & (foes | men)) {
                let (key, row) = take(row.moved(man, to), to);
                let blocked = if officer == Officer::Knight { 0 } else { between(from, to) };
                each(key, row.number(), blocked);
            }
        }
        for from in squares(own) {
            let reach = if ours { attacks_up(bit(from)) } else { attacks_down(bit(from)) };
            for to in squares(reach & (foes | men) & PAWN_SQUARES) {
                let (key, row) = take(row, to);
                let step = bit(from) | bit(to);
                let key = match ours {
                    true => Key { ours: key.ours ^ step, ..key },
                    false => Key { theirs: key.theirs ^ step, ..key },
                };
                each(key, row.number(), 0);
            }
        }
    }

    /// Those of a row's positions in which the officer whose squares are the bits may take something, or be
    /// taken.
    pub(super) fn axis_takes(&self, number: usize, ours: bool) -> u64 {
        let key = &self.key;
        let (foes, hit) = match ours {
            true => (key.theirs, attacks_up(key.ours)),
            false => (key.ours, attacks_down(key.theirs)),
        };
        let (row, occupied) = (self.row(number), self.occupied(number));
        let officers =
            |side| self.shape.fixed(side).map(|(man, officer)| (officer, row.men()[man]));
        let axis = self.shape.axis;
        if axis.ours == ours {
            let men = officers(!ours).fold(foes, |all, (_, at)| all | bit(at));
            squares(men).fold(0, |all, at| all | axis.officer.attacks(at, occupied))
        } else {
            let king = KING[usize::from(if ours { row.king } else { row.other })];
            let reach = |all, (officer, at): (Officer, u8)| all | officer.attacks(at, occupied);
            officers(ours).fold(king | hit, reach)
        }
    }

    /// Whether a pawn of one side is before its last rank.
    pub(super) fn may_promote(&self, ours: bool) -> bool {
        if ours { self.key.ours & RANK_7 != 0 } else { self.key.theirs & RANK_2 != 0 }
    }

    /// Those of a row's positions, and some more, in which one side may take with its king or an
    /// officer, take an officer, one at rest too, or promote.
    pub(super) fn loud(&self, number: usize, ours: bool) -> u64 {
        let key = &self.key;
        let (pawns, foes) = if ours { (key.ours, key.theirs) } else { (key.theirs, key.own()) };
        if self.may_promote(ours) {
            return !0;
        }
        let hit = if ours { attacks_up(pawns) } else { attacks_down(pawns) };
        if self.is_bare() {
            return match ours {
                true if KING[number] & foes != 0 => !0,
                true => 0,
                false => spread(foes),
            };
        }
        let (row, occupied) = (self.row(number), self.occupied(number));
        let officers =
            |side| self.shape.fixed(side).map(|(man, officer)| (officer, row.men()[man]));
        let men = officers(!ours).fold(0, |all, (_, at)| all | bit(at));
        let king = KING[usize::from(if ours { row.king } else { row.other })];
        let reach =
            officers(ours).fold(king, |all, (officer, at)| all | officer.attacks(at, occupied));
        let rest = if ours { 0 } else { key.rest.squares() };
        if reach & (foes | men) | hit & (men | rest) != 0 {
            return !0;
        }
        let axis = self.shape.axis;
        if axis.ours == ours {
            squares(foes | men).fold(0, |all, at| all | axis.officer.attacks(at, occupied))
        } else {
            reach | hit
        }
    }
}
