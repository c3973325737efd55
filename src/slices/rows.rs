//! Rows: 64 positions in a word. In a slice of kings and pawns they differ in the defender's king;
//! with an officer in the officer's square, both kings being fixed, so that what blocks lines is
//! known in a row.
//!
//! A slice holds two sets. *won*: the defender is to move and the attacker wins. *open*: the
//! attacker is to move, the position is legal, and it is not won. With the second turned round, the
//! defender's escapes are a union of open rows, and legality needs no look-ups while a slice is
//! solved.
//!
//! With several officers all but the first are fixed in a row too ([`super::shape`]): 262,144 rows and
//! 2 MiB a set with two, 16.8 million rows and 128 MiB with three.

use super::bits::{KING, attacks_down, attacks_up, bit, squares};
use super::key::{Key, Place};
use super::shape::legal;

/// The two sets of a slice: 64 words each, 4,096 with an officer, 64
/// times as many with each officer more.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Sets {
    pub(super) open: Vec<u64>,
    pub(super) won: Vec<u64>,
}

impl Sets {
    /// Nothing is won.
    pub(super) fn nothing(key: &Key) -> Self {
        Self { open: legal_open(key), won: vec![0; key.rows()] }
    }

    /// Whether a legal position is won.
    pub(super) fn has(&self, key: &Key, p: &Place) -> bool {
        let (row, bit) = key.index(p);
        if p.ours { self.open[row] & bit == 0 } else { self.won[row] & bit != 0 }
    }

    pub(super) fn bytes(&self) -> u64 {
        8 * (self.open.len() + self.won.len()) as u64
    }

    /// Whether all that is won is won in another set of the same slice too.
    pub(super) fn is_within(&self, other: &Self) -> bool {
        self.won.iter().zip(&other.won).all(|(own, other)| own & !other == 0)
            && self.open.iter().zip(&other.open).all(|(own, other)| other & !own == 0)
    }

    /// Leaves what is won in another set of the same slice too.
    pub(super) fn narrow(&mut self, other: &Self) {
        self.open.iter_mut().zip(&other.open).for_each(|(own, other)| *own |= other);
        self.won.iter_mut().zip(&other.won).for_each(|(own, other)| *own &= other);
    }

    /// What is won in one of two sets of the same slice.
    pub(super) fn joined(&self, other: &Self) -> Self {
        Self {
            open: self.open.iter().zip(&other.open).map(|(own, other)| own & other).collect(),
            won: self.won.iter().zip(&other.won).map(|(own, other)| own | other).collect(),
        }
    }
}

/// By the attacker's king: the squares of the defender's king in legal positions with the attacker
/// to move, officers left out.
pub(super) fn kings_open(key: &Key) -> [u64; 64] {
    let free = !(key.pawns() | attacks_up(key.ours));
    let mut rows = [0; 64];
    for king in squares(!key.pawns()) {
        rows[usize::from(king)] = free & !bit(king) & !KING[usize::from(king)];
    }
    rows
}

/// As [`kings_open`], with the defender to move.
pub(super) fn kings_won(key: &Key) -> [u64; 64] {
    let mut rows = [0; 64];
    for king in squares(!(key.pawns() | attacks_down(key.theirs))) {
        rows[usize::from(king)] = !key.pawns() & !bit(king) & !KING[usize::from(king)];
    }
    rows
}

/// The legal positions with the attacker to move. With an officer about 15 µs, with two about 1
/// ms.
pub(super) fn legal_open(key: &Key) -> Vec<u64> {
    let kings = kings_open(key);
    let mut rows = vec![0; key.rows()];
    if key.is_several() {
        legal(key, &kings, true, &mut rows);
    } else if key.is_large() {
        let home = key.officer.home();
        each_check(key, key.pawns(), &kings, |row, check, occupied| {
            rows[row] = home & !check & !occupied
        });
    } else {
        rows.copy_from_slice(&kings);
    }
    rows
}

/// The legal positions with the defender to move.
pub(super) fn legal_won(key: &Key) -> Vec<u64> {
    let mut rows = Vec::new();
    legal_won_into(key, &mut rows);
    rows
}

/// The same in place of what was in a list.
pub(super) fn legal_won_into(key: &Key, rows: &mut Vec<u64>) {
    let kings = kings_won(key);
    rows.clear();
    rows.resize(key.rows(), 0);
    if key.is_several() {
        legal(key, &kings, false, rows);
    } else if key.is_large() {
        for king in squares(!key.pawns()) {
            for other in squares(kings[usize::from(king)]) {
                let row = usize::from(king) << 6 | usize::from(other);
                rows[row] = key.officer.home() & !(key.pawns() | bit(king) | bit(other));
            }
        }
    } else {
        rows.copy_from_slice(&kings);
    }
}

/// Calls `each` with every row of these pairs of kings, the squares from which the officer checks
/// the defender's king, and the occupied squares, when `pawns` stand on the board.
pub(super) fn each_check(
    key: &Key,
    pawns: u64,
    kings: &[u64; 64],
    mut each: impl FnMut(usize, u64, u64),
) {
    let mut by_other = [0; 64];
    for other in squares(!pawns) {
        by_other[usize::from(other)] = key.officer.attacks(other, pawns);
    }
    for king in squares(!pawns) {
        for other in squares(kings[usize::from(king)]) {
            let check = by_other[usize::from(other)];
            let check = if check & bit(king) == 0 {
                check
            } else {
                key.officer.attacks(other, pawns | bit(king))
            };
            let row = usize::from(king) << 6 | usize::from(other);
            let occupied = pawns | bit(king) | bit(other);
            each(row, check | key.rest.attacks_past(other, occupied), occupied);
        }
    }
}

/// In which step of a fixpoint positions with the defender to move were won (the attacker moves to
/// the one won first): a chain of entries for each row. 4 bytes a row and 16 an entry.
#[derive(Debug, Default)]
pub(super) struct Log {
    /// By row: the number of the last entry and one.
    heads: Vec<u32>,
    entries: Vec<(u64, u32, u32)>,
    /// The step that is going on.
    pub(super) step: u32,
}

impl Log {
    /// Forgets everything; for slices with so many rows. With none nothing is noted.
    pub(super) fn reset(&mut self, rows: usize) {
        self.heads.clear();
        self.heads.resize(rows, 0);
        self.entries.clear();
        self.step = 1;
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        (4 * self.heads.capacity() + 16 * self.entries.capacity()) as u64
    }

    /// Gives back what is not used.
    pub(super) fn shrink(&mut self) {
        self.entries.shrink_to_fit();
    }

    /// Whether anything is noted.
    pub(super) fn is_kept(&self) -> bool {
        !self.heads.is_empty()
    }

    /// Notes that positions with the defender to move are won in this step.
    #[inline]
    pub(super) fn note(&mut self, row: usize, bits: u64) {
        // Without rows nothing is kept.
        let Some(head) = self.heads.get_mut(row) else { return };
        self.entries.push((bits, *head, self.step));
        *head = self.entries.len() as u32;
    }

    /// Notes positions in this step, after others of the same step or before.
    #[inline]
    pub(super) fn add(&mut self, row: usize, bits: u64) {
        match self.heads[row].checked_sub(1).map(|at| &mut self.entries[at as usize]) {
            Some((all, _, step)) if *step == self.step => *all |= bits,
            _ => self.note(row, bits),
        }
    }

    /// What is noted of a row, the last first: the step and the positions.
    #[inline]
    pub(super) fn of_row(&self, row: usize) -> impl Iterator<Item = (u32, u64)> + '_ {
        let mut at = self.heads[row];
        std::iter::from_fn(move || {
            let (bits, before, step) = *self.entries.get((at as usize).checked_sub(1)?)?;
            at = before;
            Some((step, bits))
        })
    }

    /// The step in which a position was won; 0 where it was before the first, or is not.
    pub(super) fn rank(&self, row: usize, bit: u64) -> u32 {
        let mut at = self.heads.get(row).copied().unwrap_or(0);
        while at != 0 {
            let (bits, before, step) = self.entries[at as usize - 1];
            if bits & bit != 0 {
                return step;
            }
            at = before;
        }
        0
    }
}
