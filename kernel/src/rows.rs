//! Strategies as sets: the positions after the owner's moves, without the moves.
//!
//! A section by slices lists positions with the opponent to move, 64 to a row ([`Slice`]). Which move
//! the owner plays is not said: the checker looks for one that leads to a position of the set.
//!
//! *A win.* The blocks' ranks are even and rise. In a block of rank 0 each position is a mate. In one
//! of rank r > 0 each has replies, and each reply has an answer that leads to a position of an
//! earlier block. So by induction over the blocks the owner mates from a position of rank r in at
//! most r plies: what was found has at most rank r − 2, since ranks are even. Here the stated ranks
//! count. A block is put into the set when all of it is checked.
//!
//! *A hold.* All positions are put into the set, then each is checked: after every reply the owner is
//! stalemated, or has an answer that leads to the set or to where it cannot be mated at all
//! ([`cannot_be_mated`]). So the owner is never mated. A position stands for its images: it must be
//! its own image under [`Turn::home`], and what is looked up is that image. That moves commute with
//! the turns is what this rests on.
//!
//! One invariant carries both proofs: *what is found was put there*. Slices and rows are compared
//! whole.
//!
//! In both the set stays as it is while positions are checked against it: several threads do that
//! (`share.rs`), and none of them can change it.

use super::dead::cannot_be_mated;
use super::fen::fen;
use super::format::{Certificate, Kind, Section};
use super::legal::Side;
use super::listed::{Row, Rows};
use super::meter::{Abandoned, Meter};
use super::moves::{find_move, has_move, in_check, play};
use super::packed::Packed;
use super::rejection::{Rejection, is_mated, legal};
use super::share::share;
use super::slice::{Slice, Spot};
use super::symmetry::Turn;
use super::table::{hash, slots_for};
use super::vector::{Move, Profile, Vector};

/// A row of the set: 24 bytes.
#[derive(Clone, Copy)]
struct Slot {
    row: u64,
    squares: u64,
    /// The number of the slice, or [`FREE`].
    slice: u32,
}

const FREE: u32 = u32::MAX;

/// The set of positions that have been put there.
struct Set {
    /// In the order of the file, which rises.
    slices: Vec<Slice>,
    slots: Vec<Slot>,
}

/// Bytes that a set of so many slices and rows takes, and what so many threads keep.
pub(crate) fn memory(section: &Section, threads: usize) -> u64 {
    let each = size_of::<Slot>() as u64;
    let kept = remembered(section.entries) * size_of::<Packed>() as u64;
    each * slots_for(section.entries)
        + u64::from(section.slices) * size_of::<Slice>() as u64
        + useful(section.entries, threads) as u64 * kept
}

impl Set {
    /// The slot of a row, or the free one where it belongs; every step is counted.
    fn slot(&self, slice: u32, row: u64, meter: &mut Meter<'_>) -> Result<usize, Abandoned> {
        let mask = self.slots.len() - 1;
        let hash = (row ^ u64::from(slice).rotate_left(40)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut at = (hash >> 20) as usize & mask;
        loop {
            let slot = &self.slots[at];
            if slot.slice == FREE || slot.slice == slice && slot.row == row {
                return Ok(at);
            }
            meter.spend(1)?;
            at = (at + 1) & mask;
        }
    }

    /// Puts a row's squares there; whether none of them was.
    fn insert(&mut self, row: &Row, meter: &mut Meter<'_>) -> Result<bool, Abandoned> {
        let at = self.slot(row.slice, row.row, meter)?;
        let slot = &mut self.slots[at];
        let is_new = slot.slice == FREE || slot.squares & row.squares == 0;
        let before = if slot.slice == FREE { 0 } else { slot.squares };
        *slot = Slot { row: row.row, squares: before | row.squares, slice: row.slice };
        Ok(is_new)
    }

    /// Whether a position was put there; its slice may be the one with this number.
    fn has(&self, y: &Vector, near: u32, meter: &mut Meter<'_>) -> Result<bool, Abandoned> {
        let Some(Spot { slice, row, square }) = Spot::of(y) else { return Ok(false) };
        let number = if self.slices.get(near as usize) == Some(&slice) {
            near
        } else {
            match self.slices.binary_search(&slice) {
                Ok(number) => number as u32,
                Err(_) => return Ok(false),
            }
        };
        let slot = &self.slots[self.slot(number, row, meter)?];
        Ok(slot.slice != FREE && slot.squares >> square & 1 != 0)
    }
}

/// Checks one section by slices.
pub(crate) struct BySlices<'a> {
    certificate: &'a Certificate<'a>,
    section: &'a Section,
    root: &'a Vector,
    set: Set,
    threads: usize,
    /// [`BATCH`], but in tests.
    batch: usize,
}

/// What a thread keeps from position to position: it changes the time only.
struct Kept {
    /// Positions with the owner to move that are answered, each in a slot by its hash: most are
    /// replies to several positions. What is answered stays so, since the set only grows.
    answered: Vec<Packed>,
    /// Moves that answered lately: often they answer again.
    lately: [Option<Move>; 2],
}

/// The most answered positions that a thread remembers: 32 MiB.
const REMEMBERED: u64 = 1 << 20;

/// How many of them, for so many rows: a power of two.
fn remembered(rows: u32) -> u64 {
    (u64::from(rows) + 1).next_power_of_two().min(REMEMBERED)
}

/// Rows that a thread is handed at a time: some milliseconds of work.
const BATCH: usize = 256;

/// How many of the threads find something to do with so many rows.
fn useful(rows: u32, threads: usize) -> usize {
    threads.clamp(1, 1 + rows as usize / BATCH)
}

impl<'a> BySlices<'a> {
    pub(crate) fn new(
        certificate: &'a Certificate<'a>,
        section: &'a Section,
        threads: usize,
    ) -> Self {
        let free = Slot { row: 0, squares: 0, slice: FREE };
        let slots = vec![free; slots_for(section.entries) as usize];
        let set = Set { slices: certificate.slices(section).collect(), slots };
        let threads = useful(section.entries, threads);
        Self { certificate, section, root: &certificate.root, set, threads, batch: BATCH }
    }

    /// What each of the threads keeps.
    fn kept(&self) -> Vec<Kept> {
        // The empty board is answered nowhere: it is in no slot that is asked for.
        let none = Packed { occupied: 0, men: 0, state: 0 };
        let answered = || vec![none; remembered(self.section.entries) as usize];
        (0..self.threads).map(|_| Kept { answered: answered(), lately: [None; 2] }).collect()
    }

    fn owner(&self) -> Side {
        self.section.owner
    }

    /// The image of a position that stands for all of them; in a win each stands for itself.
    fn home(&self, z: &Vector) -> Option<Vector> {
        if self.section.kind == Kind::WinBySlices {
            return Some(*z);
        }
        let p = Packed::from(z);
        let turn = Turn::home(&p, self.owner());
        if turn == Turn::NONE { Some(*z) } else { turn.position(&p).vector().ok() }
    }

    /// Checks the positions of rows by `each`; they must be legal. The set is that of now.
    fn all(
        &self,
        rows: Rows<'_>,
        kept: &mut [Kept],
        meter: &mut Meter<'_>,
        each: impl Fn(&mut Look<'_, '_>, &Vector) -> Result<(), Rejection> + Sync,
    ) -> Result<(), Rejection> {
        share(rows, self.batch, kept, meter, |row, kept, meter| {
            Look { by: self, near: row.slice, kept, meter }.row(row, &each)
        })
    }

    fn insert(&mut self, row: &Row, meter: &mut Meter<'_>) -> Result<(), Rejection> {
        if self.set.insert(row, meter)? {
            return Ok(());
        }
        let slice = &self.set.slices[row.slice as usize];
        let square = row.squares.trailing_zeros() as u8;
        let text = slice.position(row.row, square).map_or_else(String::new, |z| fen(&z));
        Err(Rejection::Twice(meter.done, text))
    }

    /// Plies to mate from the root at most.
    pub(crate) fn win(mut self, meter: &mut Meter<'_>) -> Result<u32, Rejection> {
        let to_move = Side::to_move(self.root) == self.owner();
        let mut kept = self.kept();
        let mut needed = None;
        for (rank, rows) in self.certificate.row_blocks(self.section) {
            self.all(rows.clone(), &mut kept, meter, |look, z| match rank {
                0 if is_mated(z, self.owner().other()) => Ok(()),
                0 => Err(Rejection::NoMate(fen(z))),
                _ if look.replies(z)? => Ok(()),
                _ => Err(Rejection::NoReply(look.meter.done, fen(z))),
            })?;
            for row in rows {
                self.insert(&row, meter)?;
            }
            if needed.is_none() {
                let mut look = Look { by: &self, near: FREE, kept: &mut kept[0], meter };
                needed = if to_move {
                    look.is_answered(self.root)?.then_some(rank.checked_add(1))
                } else {
                    look.is_in(self.root)?.then_some(Some(rank))
                };
            }
        }
        match needed {
            Some(plies) => plies.ok_or(Rejection::TooLong),
            None => Err(Rejection::ForeignRoot(fen(self.root))),
        }
    }

    /// The owner is never mated.
    pub(crate) fn hold(mut self, meter: &mut Meter<'_>) -> Result<(), Rejection> {
        for (_, rows) in self.certificate.row_blocks(self.section) {
            for row in rows {
                self.insert(&row, meter)?;
            }
        }
        let mut kept = self.kept();
        for (_, rows) in self.certificate.row_blocks(self.section) {
            self.all(rows, &mut kept, meter, |look, z| look.replies(z).map(drop))?;
        }
        let root = self.root;
        if cannot_be_mated(root, self.owner()) {
            return Ok(());
        }
        let mut look = Look { by: &self, near: FREE, kept: &mut kept[0], meter };
        if Side::to_move(root) != self.owner() {
            return look.replies(root).map(drop);
        }
        let stalemated = !has_move(Profile::Fide, root) && !in_check(root);
        if stalemated || look.is_answered(root)? {
            Ok(())
        } else {
            Err(Rejection::ForeignRoot(fen(root)))
        }
    }
}

/// A thread's look at the set, which does not change meanwhile.
struct Look<'a, 'm> {
    by: &'a BySlices<'a>,
    /// The slice whose row is checked, or [`FREE`].
    near: u32,
    kept: &'a mut Kept,
    meter: &'a mut Meter<'m>,
}

impl Look<'_, '_> {
    /// Whether a position with the opponent to move is in the set, or in a hold needs not be.
    fn is_in(&mut self, z: &Vector) -> Result<bool, Abandoned> {
        let is_listed = match self.by.home(z) {
            Some(home) => self.by.set.has(&home, self.near, self.meter)?,
            None => false,
        };
        let is_win = self.by.section.kind == Kind::WinBySlices;
        Ok(is_listed || !is_win && cannot_be_mated(z, self.by.owner()))
    }

    /// Whether the owner, to move in y, has a move that leads to the set.
    fn is_answered(&mut self, y: &Vector) -> Result<bool, Abandoned> {
        let p = Packed::from(y);
        let slot = hash(&p) & (self.kept.answered.len() - 1);
        if self.kept.answered[slot] == p {
            return Ok(true);
        }
        self.meter.moves()?;
        for m in self.kept.lately {
            let z = m.and_then(|m| play(Profile::Fide, y, m));
            if z.map_or(Ok(false), |z| self.is_in(&z))? {
                self.kept.answered[slot] = p;
                return Ok(true);
            }
        }
        let mut ended = Ok(());
        let found = find_move(Profile::Fide, y, &mut |z| match self.is_in(z) {
            Ok(found) => found,
            Err(abandoned) => {
                ended = Err(abandoned);
                true
            }
        });
        ended?;
        if found.is_some() {
            self.kept.lately = [found, self.kept.lately[0]];
            self.kept.answered[slot] = p;
        }
        Ok(found.is_some())
    }

    /// Every reply in z, the opponent to move, is answered. Returns whether there is one.
    fn replies(&mut self, z: &Vector) -> Result<bool, Rejection> {
        let replies = super::check::replies(z, self.meter)?;
        for y in &replies {
            if self.is_answered(y)? {
                continue;
            }
            if self.by.section.kind == Kind::WinBySlices || has_move(Profile::Fide, y) {
                return Err(Rejection::MissingReply(fen(y)));
            }
            if in_check(y) {
                return Err(Rejection::OwnerMated(fen(y)));
            }
        }
        Ok(!replies.is_empty())
    }

    /// Checks the positions of a row by `each`; they must be legal.
    fn row(
        &mut self,
        row: &Row,
        each: impl Fn(&mut Self, &Vector) -> Result<(), Rejection>,
    ) -> Result<(), Rejection> {
        let by = self.by;
        let slice = &by.set.slices[row.slice as usize];
        for square in super::sets::squares(row.squares) {
            self.meter.done += 1;
            let number = self.meter.done;
            let illegal = || Rejection::Position(number);
            let (row, square) = (row.row, square as u8);
            let z = slice.position(row, square).ok_or_else(illegal)?;
            let z = legal(&Packed::from(&z), by.root, number)?;
            // Like men stand in the order of their squares.
            if Spot::of(&z) != Some(Spot { slice: *slice, row, square }) {
                return Err(illegal());
            }
            if Side::to_move(&z) == by.owner() {
                return Err(Rejection::OwnersMove(number, fen(&z)));
            }
            if by.home(&z) != Some(z) {
                return Err(Rejection::NotHome(number, fen(&z)));
            }
            each(self, &z)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
