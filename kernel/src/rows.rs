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

use super::dead::cannot_be_mated;
use super::fen::fen;
use super::format::{Certificate, Kind, Section};
use super::legal::Side;
use super::listed::Row;
use super::meter::{Abandoned, Meter};
use super::moves::{find_move, has_move, in_check, play};
use super::packed::Packed;
use super::rejection::{Rejection, is_mated, legal};
use super::slice::{Slice, Spot};
use super::symmetry::Turn;
use super::table::{hash, slots_for};
use super::vector::{Move, Profile, Vector};
use std::cell::Cell;

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

/// Bytes that a set of so many slices and rows takes.
pub(crate) fn memory(section: &Section) -> u64 {
    let each = size_of::<Slot>() as u64;
    each * slots_for(section.entries)
        + u64::from(section.slices) * size_of::<Slice>() as u64
        + remembered(section.entries) * size_of::<Packed>() as u64
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
    /// Positions with the owner to move that are answered, each in a slot by its hash: most are
    /// replies to several positions. What is answered stays so, since the set only grows.
    answered: Vec<Cell<Packed>>,
    /// Moves that answered lately: often they answer again.
    lately: Cell<[Option<Move>; 2]>,
}

/// The most answered positions that are remembered: 32 MiB.
const REMEMBERED: u64 = 1 << 20;

/// How many of them, for so many rows: a power of two.
fn remembered(rows: u32) -> u64 {
    (u64::from(rows) + 1).next_power_of_two().min(REMEMBERED)
}

impl<'a> BySlices<'a> {
    pub(crate) fn new(certificate: &'a Certificate<'a>, section: &'a Section) -> Self {
        let free = Slot { row: 0, squares: 0, slice: FREE };
        let slots = vec![free; slots_for(section.entries) as usize];
        let set = Set { slices: certificate.slices(section).collect(), slots };
        // The empty board is answered nowhere: it is in no slot that is asked for.
        let none = Packed { occupied: 0, men: 0, state: 0 };
        let answered = vec![Cell::new(none); remembered(section.entries) as usize];
        Self {
            certificate,
            section,
            root: &certificate.root,
            set,
            answered,
            lately: Cell::default(),
        }
    }

    fn owner(&self) -> Side {
        self.section.owner
    }

    /// Whether a position with the opponent to move is in the set, or in a hold needs not be.
    fn is_in(&self, z: &Vector, near: u32, meter: &mut Meter<'_>) -> Result<bool, Abandoned> {
        let is_listed = match self.home(z) {
            Some(home) => self.set.has(&home, near, meter)?,
            None => false,
        };
        let is_win = self.section.kind == Kind::WinBySlices;
        Ok(is_listed || !is_win && cannot_be_mated(z, self.owner()))
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

    /// Whether the owner, to move in y, has a move that leads to the set.
    fn is_answered(&self, y: &Vector, near: u32, meter: &mut Meter<'_>) -> Result<bool, Abandoned> {
        let p = Packed::from(y);
        let slot = &self.answered[hash(&p) & (self.answered.len() - 1)];
        if slot.get() == p {
            return Ok(true);
        }
        meter.moves()?;
        for m in self.lately.get() {
            let z = m.and_then(|m| play(Profile::Fide, y, m));
            if z.map_or(Ok(false), |z| self.is_in(&z, near, meter))? {
                slot.set(p);
                return Ok(true);
            }
        }
        let mut ended = Ok(());
        let found = find_move(Profile::Fide, y, &mut |z| match self.is_in(z, near, meter) {
            Ok(found) => found,
            Err(abandoned) => {
                ended = Err(abandoned);
                true
            }
        });
        ended?;
        if found.is_some() {
            self.lately.set([found, self.lately.get()[0]]);
            slot.set(p);
        }
        Ok(found.is_some())
    }

    /// Every reply in z, the opponent to move, is answered. Returns whether there is one.
    fn replies(&self, z: &Vector, near: u32, meter: &mut Meter<'_>) -> Result<bool, Rejection> {
        let replies = super::check::replies(z, meter)?;
        for y in &replies {
            if self.is_answered(y, near, meter)? {
                continue;
            }
            if self.section.kind == Kind::WinBySlices || has_move(Profile::Fide, y) {
                return Err(Rejection::MissingReply(fen(y)));
            }
            if in_check(y) {
                return Err(Rejection::OwnerMated(fen(y)));
            }
        }
        Ok(!replies.is_empty())
    }

    /// Checks the positions of a row by `each`; they must be legal.
    fn each(
        &self,
        row: &Row,
        meter: &mut Meter<'_>,
        each: impl Fn(&Vector, &mut Meter<'_>) -> Result<(), Rejection>,
    ) -> Result<(), Rejection> {
        let slice = &self.set.slices[row.slice as usize];
        for square in super::sets::squares(row.squares) {
            meter.done += 1;
            let illegal = || Rejection::Position(meter.done);
            let (row, square) = (row.row, square as u8);
            let z = slice.position(row, square).ok_or_else(illegal)?;
            let z = legal(&Packed::from(&z), self.root, meter.done)?;
            // Like men stand in the order of their squares.
            if Spot::of(&z) != Some(Spot { slice: *slice, row, square }) {
                return Err(illegal());
            }
            if Side::to_move(&z) == self.owner() {
                return Err(Rejection::OwnersMove(meter.done, fen(&z)));
            }
            if self.home(&z) != Some(z) {
                return Err(Rejection::NotHome(meter.done, fen(&z)));
            }
            each(&z, meter)?;
        }
        Ok(())
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
        let mut needed = None;
        for (rank, rows) in self.certificate.row_blocks(self.section) {
            for row in rows.clone() {
                self.each(&row, meter, |z, meter| match rank {
                    0 if is_mated(z, self.owner().other()) => Ok(()),
                    0 => Err(Rejection::NoMate(fen(z))),
                    _ if self.replies(z, row.slice, meter)? => Ok(()),
                    _ => Err(Rejection::NoReply(meter.done, fen(z))),
                })?;
            }
            for row in rows {
                self.insert(&row, meter)?;
            }
            if needed.is_none() {
                needed = if to_move {
                    self.is_answered(self.root, FREE, meter)?.then_some(rank.checked_add(1))
                } else {
                    self.is_in(self.root, FREE, meter)?.then_some(Some(rank))
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
        for (_, rows) in self.certificate.row_blocks(self.section) {
            for row in rows {
                self.each(&row, meter, |z, meter| self.replies(z, row.slice, meter).map(drop))?;
            }
        }
        let root = self.root;
        if cannot_be_mated(root, self.owner()) {
            return Ok(());
        }
        if Side::to_move(root) != self.owner() {
            return self.replies(root, FREE, meter).map(drop);
        }
        let stalemated = !has_move(Profile::Fide, root) && !in_check(root);
        if stalemated || self.is_answered(root, FREE, meter)? {
            Ok(())
        } else {
            Err(Rejection::ForeignRoot(fen(root)))
        }
    }
}
