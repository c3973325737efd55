//! The least fixpoint of a slice with several officers; see [`super::fixpoint`].

use super::bits::{KING, Officer, each_ray, squares};
use super::fixpoint::Exits;
use super::key::Key;
use super::rows::{Log, Sets};
use super::shape::{Row, Shape};
use rayon::prelude::*;

/// Words of 64 rows that a thread looks at before it asks for more.
const BLOCK: usize = 64;

/// The slice that is closed.
struct Work<'a> {
    key: &'a Key,
    shape: Shape,
    exits: &'a Exits,
}

/// The rows of one square of the attacker's king with the attacker to move. All moves but that
/// king's stay among them, so that each part is brought up to date by a thread of its own.
struct Part<'a> {
    work: &'a Work<'a>,
    king: u8,
    /// Its first row.
    first: usize,
    /// Positions that are not won.
    open: &'a mut [u64],
    /// Rows with the defender to move that have to be looked at, a bit each.
    stale: &'a mut [u64],
}

/// What is newly won of rows with the defender to move, in their order.
type Fresh = [(u32, u64)];

/// Closes the sets of a slice under its exits, on all threads: with two officers some 30 ms of one
/// thread, with three 10 s; where the exits that save were `seen` before, only what new wins lead to
/// is looked at.
pub(super) fn close(key: &Key, exits: &Exits, seen: bool, sets: &mut Sets, log: &mut Log) {
    let work = Work { key, shape: Shape::of(key), exits };
    let mut stale = vec![0; key.rows() / 64];
    work.each_part(&mut sets.open, &mut stale, |mut part| part.begin(seen));
    loop {
        let fresh = work.found(sets, &stale);
        stale.fill(0);
        for &(this, won) in &fresh {
            sets.won[this as usize] |= won;
            log.note(this as usize, won);
        }
        log.step += 1;
        if fresh.is_empty() {
            return;
        }
        work.each_part(&mut sets.open, &mut stale, |mut part| part.push(&fresh));
    }
}

impl Work<'_> {
    fn each_part(&self, open: &mut [u64], stale: &mut [u64], each: impl Fn(Part<'_>) + Sync) {
        let rows = open.len() / 64;
        let parts = open.par_chunks_mut(rows).zip(stale.par_chunks_mut(rows / 64)).enumerate();
        parts.for_each(|(king, (open, stale))| {
            each(Part { work: self, king: king as u8, first: king * rows, open, stale });
        });
    }

    /// What is newly won in the rows that have to be looked at.
    fn found(&self, sets: &Sets, stale: &[u64]) -> Vec<(u32, u64)> {
        let look = |(block, words): (usize, &[u64])| {
            let mut fresh = Vec::new();
            for (at, &rows) in words.iter().enumerate() {
                for low in squares(rows) {
                    let this = (block * BLOCK + at) << 6 | usize::from(low);
                    let left = !(self.exits.saves[this] | sets.won[this]);
                    let left = if left == 0 { 0 } else { self.lost(&sets.open, this, left) };
                    if left != 0 {
                        fresh.push((this as u32, left));
                    }
                }
            }
            fresh
        };
        stale.par_chunks(BLOCK).enumerate().flat_map_iter(look).collect()
    }

    /// Those of a row's positions in which no move inside the slice saves the defender.
    #[inline]
    fn lost(&self, open: &[u64], this: usize, mut left: u64) -> u64 {
        let row = self.shape.row(this);
        for next in squares(KING[usize::from(row.other)]) {
            left &= !open[row.with_king(false, next).number()];
            if left == 0 {
                return 0;
            }
        }
        let occupied = self.key.pawns() | row.occupied();
        for (number, officer) in self.shape.fixed(false) {
            each_step(officer, row.men()[number], occupied, |to, passed| {
                left &= !open[row.moved(number, to).number()] | passed;
            });
        }
        if !self.shape.axis.ours {
            left &= !self.shape.axis.officer.reach(open[this], occupied);
        }
        left
    }
}

impl Part<'_> {
    /// Counts what exits win, and has all rows looked at unless they were `seen`.
    fn begin(&mut self, seen: bool) {
        let work = self.work;
        work.shape.each_of(self.king, work.key.pawns(), &mut |this, row| {
            if !seen {
                self.mark(row);
            }
            let wins = work.exits.wins[this];
            if wins != 0 {
                self.win(row, wins);
            }
        });
    }

    /// The attacker's positions that lead into newly won ones.
    fn push(&mut self, fresh: &Fresh) {
        let (shape, rows) = (self.work.shape, self.open.len());
        let of_king = |king: u8| {
            let first = rows * usize::from(king);
            let at = |row: usize| fresh.partition_point(|&(this, _)| (this as usize) < row);
            &fresh[at(first)..at(first + rows)]
        };
        for king in squares(KING[usize::from(self.king)]) {
            for &(this, won) in of_king(king) {
                self.win(&shape.row(this as usize).with_king(true, self.king), won);
            }
        }
        for &(this, won) in of_king(self.king) {
            let row = shape.row(this as usize);
            let occupied = self.work.key.pawns() | row.occupied();
            for (number, officer) in shape.fixed(true) {
                each_step(officer, row.men()[number], occupied, |from, passed| {
                    self.win(&row.moved(number, from), won & !passed);
                });
            }
            if shape.axis.ours {
                self.win(&row, shape.axis.officer.reach(won, occupied));
            }
        }
    }

    #[inline]
    fn mark(&mut self, row: &Row) {
        let row = row.number() - self.first;
        self.stale[row >> 6] |= 1 << (row & 63);
    }

    /// Notes that positions of a row with the attacker to move are won, and which rows with the
    /// defender to move have to be looked at again.
    #[inline]
    fn win(&mut self, row: &Row, wins: u64) {
        let this = row.number() - self.first;
        let new = self.open[this] & wins;
        if new == 0 {
            return;
        }
        self.open[this] &= !new;
        let shape = self.work.shape;
        let occupied = self.work.key.pawns() | row.occupied();
        for from in squares(KING[usize::from(row.other)] & !occupied & !KING[usize::from(row.king)])
        {
            self.mark(&row.with_king(false, from));
        }
        for (number, officer) in shape.fixed(false) {
            for from in squares(officer.attacks(row.men()[number], occupied) & !occupied) {
                self.mark(&row.moved(number, from));
            }
        }
        if !shape.axis.ours {
            self.mark(row);
        }
    }
}

/// Calls `each` with the squares that an officer attacks and those passed on the way.
#[inline]
fn each_step(officer: Officer, from: u8, occupied: u64, mut each: impl FnMut(u8, u64)) {
    let reach = officer.attacks(from, occupied);
    if officer == Officer::Knight {
        squares(reach).for_each(|to| each(to, 0));
    } else {
        each_ray(from, reach, each);
    }
}
