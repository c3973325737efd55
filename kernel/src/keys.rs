//! Every first move of a side judged: it wins in time, or it is met.
//!
//! Two sections prove it. A winning strategy (`check.rs`), which need not answer the root, shows of
//! some first moves that they win; a *delay* of the other side's shows of all others that they do
//! not win in so many plies.
//!
//! *A delay.* Each entry states for how many plies r, from its position on, its owner is not mated
//! (the aim is not reached) if it plays the entry's move now. Every entry is put into the table with
//! its r, then each is checked: after the owner's move the aim is not reached, and where r > 1 it is
//! not after any reply either; and where r > 2 every position after a reply leaves the owner without
//! a move, or stands in the table with r − 2 or more. By induction over r: what an entry states is
//! true. Ends of the game before do no harm: nothing can be reached any more.
//!
//! A first move is a key if the winning strategy wins after it in time; every other one must lead to
//! a position that the delay holds for the plies that are left. No move is both, so the keys found
//! are all the keys there are.

use super::check::{Checker, replies};
use super::fen::fen;
use super::legal::Side;
use super::meter::Meter;
use super::moves::{has_move, successors};
use super::packed::Packed;
use super::rejection::{Rejection, is_mated};
use super::table::Table;
use super::vector::{Move, Profile, Vector};

/// The first moves of the root that win in so many plies, each of them and every other one proved.
pub(crate) fn keys(
    wins: &Checker<'_>,
    delays: &Checker<'_>,
    plies: u32,
    meter: &mut Meter<'_>,
) -> Result<Vec<Move>, Rejection> {
    let root = wins.root;
    let left = plies.checked_sub(1);
    let Some(left) = left.filter(|_| Side::to_move(root) == wins.section.owner) else {
        return Err(Rejection::ForeignRoot(fen(root)));
    };
    let won = wins.answers(meter)?;
    let delayed = delays.delays(meter)?;
    let mut keys = Vec::new();
    meter.moves()?;
    for (first, z) in successors(Profile::Fide, root) {
        match wins.after(&z, &won, meter) {
            Ok(Some(needed)) if needed <= left => keys.push(first),
            Ok(_) | Err(Rejection::MissingReply(_)) => {
                delays.held_for(&z, left, &delayed, meter)?
            }
            Err(fault) => return Err(fault),
        }
    }
    Ok(keys)
}

impl<'a> Checker<'a> {
    /// The positions of a delay with their plies, all checked.
    fn delays(&self, meter: &mut Meter<'_>) -> Result<Table<'a>, Rejection> {
        let mut table = self.table();
        let mut number = meter.done;
        for entry in self.certificate.entries(self.section) {
            number += 1;
            meter.spend(1)?;
            if !table.insert(&entry.position, entry.at, entry.rank, meter)? {
                let y = self.position(&entry, number)?;
                return Err(Rejection::Twice(number, fen(&y)));
            }
        }
        for entry in self.certificate.entries(self.section) {
            meter.done += 1;
            let y = self.position(&entry, meter.done)?;
            let (_, z) = self.played(&y, &entry, meter.done)?;
            self.not_reached(&z, meter)?;
            let Some(left) = entry.rank.checked_sub(2) else { continue };
            for reply in replies(&z, meter)? {
                self.held_for(&reply, left, &table, meter)?;
            }
        }
        Ok(table)
    }

    /// The aim is not reached in y, with the owner of a delay to move, nor within so many plies.
    fn held_for(
        &self,
        y: &Vector,
        left: u32,
        table: &Table<'_>,
        meter: &mut Meter<'_>,
    ) -> Result<(), Rejection> {
        self.not_reached(y, meter)?;
        if left == 0 || !has_move(Profile::Fide, y) {
            return Ok(());
        }
        match table.get(&Packed::from(y), meter)? {
            Some(plies) if plies >= left => Ok(()),
            _ => Err(Rejection::MissingReply(fen(y))),
        }
    }

    fn not_reached(&self, y: &Vector, meter: &mut Meter<'_>) -> Result<(), Rejection> {
        if self.aim.is_none() && is_mated(y, self.section.owner) {
            return Err(Rejection::OwnerMated(fen(y)));
        }
        if self.reached(y, meter)? { Err(Rejection::Reached(fen(y))) } else { Ok(()) }
    }
}
