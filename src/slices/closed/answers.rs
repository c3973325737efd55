//! The holder's answers: which of the moves that hold are taken into the set.

use super::super::bits::{Officer, squares};
use super::super::key::Place;
use super::super::moves::{self, steps};
use super::super::play::holding;
use super::super::region::Region;
use super::{Closing, Lead, NotClosed, Spot, not_held};
use crate::chess::board::Board;
use crate::chess::cannot_be_mated;

impl Closing<'_> {
    /// Answers all positions of a slice that are to be answered.
    pub(super) fn each_answer(&mut self, number: u32) -> Result<(), NotClosed> {
        let at = number as usize;
        for (row, bits) in self.regions[at].asked.take() {
            self.look()?;
            let Region { key, turned, inside, .. } = self.regions[at];
            let set = &self.regions[at].set;
            let mut left = inside.not_into(|row| set.of_row(row), row, turned, bits);
            let loud = if left == 0 { 0 } else { self.takes_in_row(number, row, &mut left) };
            for square in squares(loud) {
                if self.is_taken(number, &key.place(row, square, turned)) {
                    left &= !(1 << square);
                }
            }
            while left != 0 {
                let square = left.trailing_zeros() as u8;
                let answered = self.stay(number, row, square, left);
                if answered == 0 {
                    self.leave(number, &key.place(row, square, turned))?;
                }
                left &= !(answered | 1 << square);
            }
        }
        Ok(())
    }

    /// Answers positions of a row, those of `left`, by captures that are the same in all of them, as
    /// [`Closing::is_taken`] does; in which of the others there are other captures.
    fn takes_in_row(&mut self, number: u32, row: usize, left: &mut u64) -> u64 {
        let Region { key, turned, inside, .. } = self.regions[number as usize];
        if key.kind() == 0 {
            return *left & inside.loud(row, turned);
        }
        let (mut doubt, mut takes) = (0, Vec::new());
        inside.captures(row, turned, |child, row, blocked| {
            if Self::is_dead(&child, turned) {
                doubt |= !blocked;
            } else if let Some(at) = self.solved(&child, turned) {
                let region = &self.regions[at as usize];
                *left &= !(region.set.of_row(row) & !blocked);
                if child.kind() == key.kind() {
                    takes.push((region.size(), at, row, blocked));
                }
            }
        });
        let others = doubt | inside.axis_takes(row, turned);
        takes.sort_by_key(|(size, ..)| *size);
        for (_, at, row, blocked) in takes {
            let region = &mut self.regions[at as usize];
            let held = *left & region.held(row) & region.firm(row) & !blocked & !others;
            self.count += region.put(row, held);
            *left &= !held;
        }
        *left & others
    }

    /// Whether a capture answers a position: by what is in the set, by what is dead, or by taking a
    /// pawn, so that fewer ways are left in which pawns may stand.
    fn is_taken(&mut self, number: u32, place: &Place) -> bool {
        let Region { key, turned, .. } = self.regions[number as usize];
        let mut list = std::mem::take(&mut self.steps);
        moves::exits(&key, place, &mut list);
        let (mut answered, mut best) = (false, None);
        for step in &list {
            match self.leads(turned, step) {
                Lead::Inside | Lead::Elsewhere => continue,
                Lead::Dead => answered = true,
                Lead::Slice(spot) => {
                    answered = self.is_in(&spot);
                    let child = &self.regions[spot.0 as usize];
                    let takes = step.promotion == Officer::None && child.key.kind() == key.kind();
                    if takes && child.is_firm(&spot.1) {
                        best = best.filter(|(size, _)| *size <= child.size());
                        best = best.or(Some((child.size(), spot)));
                    }
                }
            }
            if answered {
                break;
            }
        }
        self.steps = list;
        if let Some((_, spot)) = best.filter(|_| !answered) {
            self.put_at(&spot);
            answered = true;
        }
        answered
    }

    /// Answers a position of a row by a move inside the slice, and others of `left` by the same; which.
    fn stay(&mut self, number: u32, row: usize, square: u8, left: u64) -> u64 {
        let region = &mut self.regions[number as usize];
        let (inside, ours, bit) = (region.inside, region.turned, 1 << square);
        let mut best: Option<((bool, f32), usize, u64)> = None;
        let mut offer = |merit: Option<f32>, row: usize, all: u64, firm: u64, to: u64| {
            let Some(merit) = merit else { return };
            let order = (firm & to != 0, merit);
            if best.is_none_or(|best| best.0 < order) {
                best = Some((order, row, if order.0 { all & firm } else { to }));
            }
        };
        inside.across(row, ours, |to, blocked| {
            if blocked & bit == 0 {
                let held = region.held(to);
                let merit = region.merit(to, square, held & bit != 0);
                offer(merit, to, left & held & !blocked, region.firm(to), bit);
            }
        });
        let (held, firm) = (region.held(row), region.firm(row));
        for to in squares(inside.within(row, ours, bit)) {
            let to: u64 = 1 << to;
            let merit = region.merit(row, to.trailing_zeros() as u8, held & to != 0);
            offer(merit, row, to, firm, to);
        }
        let Some((_, to, bits)) = best else { return 0 };
        self.count += region.put(to, bits);
        if to == row { inside.within(row, ours, bits) } else { bits }
    }

    /// Answers a position by a move out of the slice: to one with few men, a queen first.
    fn leave(&mut self, number: u32, place: &Place) -> Result<(), NotClosed> {
        let Region { key, turned, .. } = self.regions[number as usize];
        let mut list = std::mem::take(&mut self.steps);
        steps(&key, place, &mut list);
        let mut best: Option<Spot> = None;
        let order = |own: &Self, spot: &Spot| {
            let region = &own.regions[spot.0 as usize];
            (!region.is_firm(&spot.1), region.size())
        };
        for step in &list {
            if let Lead::Slice(spot) = self.leads(turned, step)
                && best.is_none_or(|best| order(self, &spot) < order(self, &best))
            {
                best = Some(spot);
            }
        }
        let stuck = list.is_empty();
        self.steps = list;
        match best {
            Some(spot) => self.put_at(&spot),
            // Stalemate: mated the holder is nowhere that is held.
            None if stuck => {}
            None => self.answer(&key.board(place, self.about(turned)))?,
        }
        Ok(())
    }

    /// Answers a position by what slices say of each move.
    pub(super) fn answer(&mut self, y: &Board) -> Result<(), NotClosed> {
        let mut moves = holding(self.wins, self.holds, y, self.attacker);
        moves.sort_by_key(|m| m.promotion());
        let mut best: Option<((usize, u32), Spot)> = None;
        let mut other = None;
        for m in moves {
            let z = y.after(y.find(m).ok_or_else(|| not_held(y))?);
            let is_in = self.odd.contains(&z.packed());
            if is_in || cannot_be_mated(&z.vector(), self.owner()) {
                return Ok(());
            }
            if z.legal_moves().is_empty() {
                // The game is over: it stands in the set for itself.
                self.put_odd(z);
                return Ok(());
            }
            // With a right to take in passing it is another position.
            match if z.has_mark() { None } else { self.locate(&z) } {
                Some(spot) if self.is_in(&spot) => return Ok(()),
                Some(spot) => {
                    let size = self.regions[spot.0 as usize].size();
                    if best.is_none_or(|best| size < best.0) {
                        best = Some((size, spot));
                    }
                }
                None => other = other.or(Some(z)),
            }
        }
        match (best, other) {
            (Some((_, spot)), _) => self.put_at(&spot),
            (None, Some(z)) => self.put_odd(z),
            (None, None) => return Err(not_held(y)),
        }
        Ok(())
    }
}
