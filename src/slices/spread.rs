//! The least fixpoint of a slice with several officers; see [`super::fixpoint`].

use super::bits::{KING, bit, spread, squares};
use super::fixpoint::Exits;
use super::inside::{each_step, moved};
use super::key::Key;
use super::rows::{Log, Sets};
use super::shape::Shape;
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
    king: usize,
    /// Positions that are not won.
    open: &'a mut [u64],
    /// Rows of which some were won in this step, a bit each.
    changed: &'a mut [u64],
}

/// What is newly won of rows with the defender to move.
#[derive(Debug, Default)]
pub(super) struct Fresh {
    /// By row; of those without a bit in `has` it is what was new before.
    rows: Vec<u64>,
    /// The rows with something new, a bit each.
    has: Vec<u64>,
}

impl Fresh {
    /// Nothing is new, in so many rows.
    fn clear(&mut self, rows: usize) {
        self.rows.resize(rows, 0);
        self.has.clear();
        self.has.resize(rows / 64, 0);
    }

    fn is_empty(&self) -> bool {
        self.has.iter().all(|&rows| rows == 0)
    }

    /// What is new in so many rows from one on, a multiple of 64: by their numbers among these.
    #[inline]
    fn of(&self, first: usize, rows: usize) -> impl Iterator<Item = (usize, u64)> {
        let has = self.has[first / 64..][..rows / 64].iter().enumerate();
        has.flat_map(move |(at, &rows)| {
            squares(rows).map(move |low| {
                let row = at << 6 | usize::from(low);
                (row, self.rows[first + row])
            })
        })
    }
}

/// Closes the sets of a slice under its exits, on all threads: with two officers some 50 ms, with
/// three 8 to 14 s on two of them; where the exits that save were `seen` before, only what new wins
/// lead to is looked at. `fresh` is what the last slice has left, to be used again.
pub(super) fn close(
    key: &Key,
    exits: &Exits,
    fresh: &mut Fresh,
    seen: bool,
    sets: &mut Sets,
    log: &mut Log,
) {
    let work = Work { key, shape: Shape::of(key), exits };
    let mut changed = vec![0; key.rows() / 64];
    fresh.clear(key.rows());
    work.each_part(&mut sets.open, &mut changed, |mut part| part.begin());
    // Rows with the defender to move that have to be looked at, a bit each.
    let mut stale = if seen { work.before(&changed) } else { vec![!0; changed.len()] };
    loop {
        work.find(sets, &stale, fresh);
        if log.is_kept() {
            fresh.of(0, key.rows()).for_each(|(row, won)| log.note(row, won));
        }
        log.step += 1;
        if fresh.is_empty() {
            return;
        }
        changed.fill(0);
        work.each_part(&mut sets.open, &mut changed, |mut part| part.push(fresh));
        stale = work.before(&changed);
    }
}

impl Work<'_> {
    fn each_part(&self, open: &mut [u64], changed: &mut [u64], each: impl Fn(Part<'_>) + Sync) {
        let rows = open.len() / 64;
        let parts = open.par_chunks_mut(rows).zip(changed.par_chunks_mut(rows / 64)).enumerate();
        parts.for_each(|(king, (open, changed))| each(Part { work: self, king, open, changed }));
    }

    /// The rows from which the defender moves into these, and some more: what stands in an officer's
    /// way is the pawns and the kings here.
    fn before(&self, changed: &[u64]) -> Vec<u64> {
        let own = |rows: u64| if self.shape.axis.ours { 0 } else { rows };
        if changed.len() == 64 {
            // With no officer but the axis the bits are the squares of the defender's king.
            return changed.iter().map(|&rows| spread(rows) | own(rows)).collect();
        }
        let mut stale = vec![0; changed.len()];
        // Of a pair of kings the rows are so many words, whose bits are the last officer's squares.
        let words = changed.len() >> 12;
        stale.par_chunks_mut(words).enumerate().for_each(|(kings, stale)| {
            let (king, other) = (kings >> 6, kings & 63);
            let of = |other: usize| &changed[(king << 6 | other) * words..][..words];
            let here = of(other);
            if self.shape.axis.ours {
                stale.fill(0)
            } else {
                stale.copy_from_slice(here)
            };
            for next in squares(KING[other]) {
                stale.iter_mut().zip(of(next.into())).for_each(|(stale, rows)| *stale |= rows);
            }
            let occupied = self.key.pawns() | 1 << king | 1 << other;
            for (number, officer) in self.shape.fixed(false) {
                let is_last = words == 1 << (6 * number);
                for (at, stale) in stale.iter_mut().enumerate() {
                    *stale |= if is_last {
                        officer.reach(here[at], occupied)
                    } else {
                        let from = squares(officer.attacks(at as u8, occupied));
                        from.fold(0, |all, from| all | here[usize::from(from)])
                    };
                }
            }
        });
        stale
    }

    /// Wins what is newly won in the rows that have to be looked at.
    fn find(&self, sets: &mut Sets, stale: &[u64], fresh: &mut Fresh) {
        let (open, each) = (&sets.open, BLOCK * 64);
        let new = fresh.has.par_chunks_mut(BLOCK).zip(fresh.rows.par_chunks_mut(each));
        let old = stale.par_chunks(BLOCK).zip(sets.won.par_chunks_mut(each));
        new.zip(old).enumerate().for_each(|(block, ((has, rows), (stale, won)))| {
            for (word, (has, &stale)) in has.iter_mut().zip(stale).enumerate() {
                *has = 0;
                for low in squares(stale) {
                    let at = word << 6 | usize::from(low);
                    let this = block * each + at;
                    let left = !(self.exits.saves[this] | won[at]);
                    let left = if left == 0 { 0 } else { self.lost(open, this, left) };
                    if left != 0 {
                        (rows[at], *has) = (left, *has | bit(low));
                        won[at] |= left;
                    }
                }
            }
        });
    }

    /// Those of a row's positions in which no move inside the slice saves the defender.
    #[inline]
    fn lost(&self, open: &[u64], this: usize, mut left: u64) -> u64 {
        let kings = self.shape.shift_of_kings();
        let other = this >> kings & 63;
        for next in squares(KING[other]) {
            left &= !open[moved(this, kings, next)];
            if left == 0 {
                return 0;
            }
        }
        let occupied = self.occupied(this);
        for (number, officer) in self.shape.fixed(false) {
            let shift = self.shape.shift(number);
            each_step(officer, (this >> shift & 63) as u8, occupied, |to, passed| {
                left &= !open[moved(this, shift, to)] | passed;
            });
        }
        if !self.shape.axis.ours {
            left &= !self.shape.axis.officer.reach(open[this], occupied);
        }
        left
    }

    /// The fixed men of a row.
    #[inline]
    fn occupied(&self, this: usize) -> u64 {
        self.key.pawns() | self.shape.row(this).occupied()
    }
}

impl Part<'_> {
    /// Counts what exits win.
    fn begin(&mut self) {
        let first = self.king * self.open.len();
        for at in 0..self.open.len() {
            self.win(at, self.work.exits.wins[first + at]);
        }
    }

    /// The attacker's positions that lead into newly won ones.
    fn push(&mut self, fresh: &Fresh) {
        let (work, rows) = (self.work, self.open.len());
        for king in squares(KING[self.king]) {
            fresh.of(usize::from(king) * rows, rows).for_each(|(at, won)| self.win(at, won));
        }
        let first = self.king * rows;
        for (at, won) in fresh.of(first, rows) {
            let occupied = work.occupied(first + at);
            for (number, officer) in work.shape.fixed(true) {
                let shift = work.shape.shift(number);
                each_step(officer, (at >> shift & 63) as u8, occupied, |from, passed| {
                    self.win(moved(at, shift, from), won & !passed);
                });
            }
            if work.shape.axis.ours {
                self.win(at, work.shape.axis.officer.reach(won, occupied));
            }
        }
    }

    /// Notes that positions of a row of this part are won.
    #[inline]
    fn win(&mut self, at: usize, wins: u64) {
        let new = self.open[at] & wins;
        if new != 0 {
            self.open[at] &= !new;
            self.changed[at >> 6] |= 1 << (at & 63);
        }
    }
}
