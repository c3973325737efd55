//! Large strategies written by slices: the positions after the owner's moves, without the moves.
//!
//! A position after a move answers all positions from which a move leads to it, and 64 positions
//! that differ in the opponent's king are one row: two to three bytes a position where a list of
//! positions and moves takes fifteen, and fewer positions. What it costs: whoever checks it looks
//! for the moves.

use super::sealed::side;
use super::strategy::Moves;
use super::{Answer, Strategy};
use crate::chess::{
    Interner, Move, Packed, Profile, Side, Turn, Vector, cannot_be_mated, successors,
};
use hashbrown::HashMap;
use rayon::prelude::*;
use std::io::{self, Write};
use std::sync::Arc;
use theta_kernel::{Row, Section, Slice, Spot};

/// Positions whose places are found at a time.
const CHUNK: usize = 1 << 16;

/// Positions with the opponent to move, by slices, each with its rank: plies to mate at most, 0 in
/// a hold. 24 bytes a position while it is collected, 32 a row afterwards.
#[derive(Debug, Default)]
pub struct Rows {
    slices: Vec<Slice>,
    /// By rank, slice and row.
    rows: Vec<(u32, Row)>,
}

/// A position: rank, slice, row, square.
type Place = (u32, u32, u64, u8);

/// Positions that are collected before they are put into rows: 96 MiB.
const MOST: usize = 1 << 22;

/// Collects positions.
#[derive(Debug, Default)]
pub struct Collector {
    numbers: HashMap<Slice, u32>,
    /// The slice that was met last, and its number: the next is mostly the same.
    last: Option<(Slice, u32)>,
    places: Vec<Place>,
    rows: Vec<(u32, Row)>,
}

impl Collector {
    /// Puts a position there, with its rank.
    pub fn push(&mut self, rank: u32, spot: &Spot) {
        if self.places.len() == MOST {
            self.pack();
        }
        let slice = match self.last {
            Some((slice, number)) if slice == spot.slice => number,
            _ => {
                let next = self.numbers.len() as u32;
                let number = *self.numbers.entry(spot.slice).or_insert(next);
                self.last = Some((spot.slice, number));
                number
            }
        };
        self.places.push((rank, slice, spot.row, spot.square));
    }

    /// Puts what has been collected into rows.
    fn pack(&mut self) {
        self.places.par_sort_unstable();
        for (rank, slice, row, square) in self.places.drain(..) {
            join(&mut self.rows, (rank, Row { slice, row, squares: 1 << square }));
        }
    }

    /// All of them, each once, with its least rank.
    pub fn rows(mut self) -> Rows {
        self.pack();
        let Self { numbers, rows: mut found, .. } = self;
        let mut slices: Vec<(Slice, u32)> = numbers.into_iter().collect();
        slices.sort_unstable();
        let mut new = vec![0; slices.len()];
        for (number, (_, old)) in slices.iter().enumerate() {
            new[*old as usize] = number as u32;
        }
        found.iter_mut().for_each(|(_, row)| row.slice = new[row.slice as usize]);
        found.par_sort_unstable_by_key(|(rank, row)| (row.slice, row.row, *rank));
        for same in found.chunk_by_mut(|a, b| (a.1.slice, a.1.row) == (b.1.slice, b.1.row)) {
            same.iter_mut().fold(0, |seen, (_, row)| {
                row.squares &= !seen;
                seen | row.squares
            });
        }
        found.retain(|(_, row)| row.squares != 0);
        found.par_sort_unstable_by_key(|(rank, row)| (*rank, row.slice, row.row));
        let mut rows = Vec::new();
        found.into_iter().for_each(|row| join(&mut rows, row));
        Rows { slices: slices.into_iter().map(|(slice, _)| slice).collect(), rows }
    }
}

/// Puts a row behind others, or into the last if that is the same.
fn join(rows: &mut Vec<(u32, Row)>, (rank, row): (u32, Row)) {
    match rows.last_mut() {
        Some((r, last)) if (*r, last.slice, last.row) == (rank, row.slice, row.row) => {
            last.squares |= row.squares;
        }
        _ => rows.push((rank, row)),
    }
}

impl Rows {
    /// The positions of a strategy after its owner's moves; none where a position has more men than
    /// slices know.
    pub fn of(strategy: &Strategy) -> Option<Arc<Self>> {
        if let Some(set) = &strategy.set {
            return Some(Arc::clone(set));
        }
        let owner = strategy.owner;
        let mut collector = Collector::default();
        if strategy.wins && Side::to_move(&strategy.root) != owner {
            collector.push(strategy.longest() + 1, &Spot::of(&strategy.root)?);
        }
        let ids: Vec<u32> = (0..strategy.len() as u32).collect();
        for chunk in ids.chunks(CHUNK) {
            let place = |&id: &u32| {
                let (p, answer) = strategy.at(id);
                let Some(z) = after(&p, answer.play?) else { return Some(None) };
                if !strategy.wins && cannot_be_mated(&z, owner) {
                    return None;
                }
                let p = Packed::from(&z);
                let home = if strategy.folded { Turn::home(&p, owner).position(&p) } else { p };
                let spot = home.vector().ok().and_then(|z| Spot::of(&z));
                Some(spot.map(|spot| (answer.rank.saturating_sub(1), spot)))
            };
            let places: Vec<Option<(u32, Spot)>> = chunk.par_iter().filter_map(place).collect();
            for place in places {
                let (rank, spot) = place?;
                collector.push(rank, &spot);
            }
        }
        Some(Arc::new(collector.rows()))
    }

    /// The set of a hold: positions with the opponent to move, each at home and standing for its images, in
    /// pieces that are taken one after the other.
    pub(super) fn holding(pieces: impl Iterator<Item = Vec<Spot>>) -> Self {
        let mut collector = Collector::default();
        pieces.flatten().for_each(|spot| collector.push(0, &spot));
        collector.rows()
    }

    /// The positions of a win with the opponent to move, each with its plies to mate, in pieces that are
    /// taken one after the other.
    pub(super) fn winning(pieces: impl Iterator<Item = Vec<(u32, Packed)>>) -> Option<Self> {
        let mut collector = Collector::default();
        for piece in pieces {
            let place = |(plies, p): &(u32, Packed)| {
                Some((*plies, p.vector().ok().and_then(|z| Spot::of(&z))?))
            };
            let places: Vec<Option<(u32, Spot)>> = piece.par_iter().map(place).collect();
            for place in places {
                let (plies, spot) = place?;
                collector.push(plies, &spot);
            }
        }
        Some(collector.rows())
    }

    /// Writes the section.
    pub(super) fn write(&self, out: &mut impl Write, wins: bool, owner: Side) -> io::Result<()> {
        out.write_all(&[if wins { b'w' } else { b'h' }, side(owner)])?;
        out.write_all(&(self.slices.len() as u32).to_le_bytes())?;
        for slice in &self.slices {
            let mut bytes = [0; 40];
            let used = slice.pawns.write(&mut bytes);
            bytes[used..used + 8].copy_from_slice(&slice.men.to_le_bytes());
            out.write_all(&bytes[..used + 8])?;
        }
        for block in self.rows.chunk_by(|a, b| a.0 == b.0) {
            out.write_all(&(block.len() as u32).to_le_bytes())?;
            out.write_all(&block[0].0.to_le_bytes())?;
            let mut last = Row::default();
            for (_, row) in block {
                write_row(out, &last, row)?;
                last = *row;
            }
        }
        out.write_all(&[0; 8])
    }
}

fn after(p: &Packed, play: Move) -> Option<Vector> {
    theta_kernel::play(Profile::Fide, &p.vector().ok()?, play)
}

/// A row, told by what it has more than the last one.
fn write_row(out: &mut impl Write, last: &Row, row: &Row) -> io::Result<()> {
    let mut bytes = [0; 32];
    let mut used = 0;
    let from = if row.slice == last.slice { last.row } else { 0 };
    for number in [u64::from(row.slice - last.slice), row.row - from] {
        let mut left = number;
        while left > 127 {
            bytes[used] = left as u8 | 128;
            left >>= 7;
            used += 1;
        }
        bytes[used] = left as u8;
        used += 1;
    }
    let count = row.squares.count_ones() as usize;
    if count > 8 {
        bytes[used] = 64;
        bytes[used + 1..used + 9].copy_from_slice(&row.squares.to_le_bytes());
        return out.write_all(&bytes[..used + 9]);
    }
    if count > 1 {
        bytes[used] = 63 + count as u8;
        used += 1;
    }
    for square in (0..64).filter(|square| row.squares >> square & 1 != 0) {
        bytes[used] = square;
        used += 1;
    }
    out.write_all(&bytes[..used])
}

impl Rows {
    /// What a section by slices lists.
    pub(super) fn read(read: &theta_kernel::Certificate<'_>, section: &Section) -> Self {
        let blocks = read.row_blocks(section);
        Self {
            slices: read.slices(section).collect(),
            rows: blocks.flat_map(|(rank, rows)| rows.map(move |row| (rank, row))).collect(),
        }
    }

    /// How many positions it has.
    pub fn positions(&self) -> u64 {
        self.rows.iter().map(|(_, row)| u64::from(row.squares.count_ones())).sum()
    }

    /// Its positions, each with its rank.
    fn each(&self) -> impl Iterator<Item = (u32, Vector)> + '_ {
        self.rows.iter().flat_map(|(rank, row)| {
            let slice = &self.slices[row.slice as usize];
            let squares = (0..64).filter(|square| row.squares >> square & 1 != 0);
            squares.filter_map(|square| Some((*rank, slice.position(row.row, square)?)))
        })
    }

    /// Whether a hold's set has a position with the opponent to move that is its own home
    /// ([`Turn::home`]).
    fn has(&self, home: &Packed) -> bool {
        let Some(spot) = home.vector().ok().and_then(|z| Spot::of(&z)) else { return false };
        let Ok(slice) = self.slices.binary_search(&spot.slice) else { return false };
        let place = (slice as u32, spot.row);
        let found = self.rows.binary_search_by_key(&place, |(_, row)| (row.slice, row.row));
        found.is_ok_and(|at| self.rows[at].1.squares >> spot.square & 1 != 0)
    }

    /// A hold's answer in a position with its owner to move: a move that leads into the set, or to where
    /// the owner cannot be mated; none where there is none. Some 5 µs.
    pub(super) fn answer(&self, p: &Packed, owner: Side) -> Option<Answer> {
        let moves = successors(Profile::Fide, &p.vector().ok()?);
        let play = if moves.is_empty() {
            None
        } else {
            let leads = |z: &Vector| {
                let p = Packed::from(z);
                self.has(&Turn::home(&p, owner).position(&p)) || cannot_be_mated(z, owner)
            };
            Some(moves.into_iter().find(|(_, z)| leads(z))?.0)
        };
        Some(Answer { play, rank: 0 })
    }

    /// The strategy with its moves: in each position that can come about, the move to the listed position
    /// of the least rank. Some 5 µs a position, and as much memory as any strategy.
    pub(super) fn moves(&self, root: &Vector, owner: Side, wins: bool) -> Moves {
        let mut listed = Interner::new(32);
        let mut ranks = Vec::new();
        for (rank, z) in self.each() {
            if listed.insert(&Packed::from(&z)).1 {
                ranks.push(rank);
            }
        }
        let home = |p: &Packed| if wins { *p } else { Turn::home(p, owner).position(p) };
        // The move that is played; none where the owner is stalemated.
        let answer = |y: &Vector| {
            let moves = successors(Profile::Fide, y);
            if moves.is_empty() {
                return (!wins).then_some(Answer { play: None, rank: 0 });
            }
            let known = moves.into_iter().filter_map(|(m, z)| {
                let found = listed.get(&home(&Packed::from(&z))).map(|id| ranks[id as usize] + 1);
                let dead = || (!wins && cannot_be_mated(&z, owner)).then_some(1);
                Some((found.or_else(dead)?, m))
            });
            let (rank, play) = known.min()?;
            Some(Answer { play: Some(play), rank: if wins { rank } else { 0 } })
        };
        let mut moves = Moves { positions: Interner::new(root.men()), answers: Vec::new() };
        let mut meet = |y: &Vector| {
            let p = home(&Packed::from(y));
            if moves.positions.get(&p).is_some() || p.len() > root.men() {
                return;
            }
            let Some(answer) = p.vector().ok().and_then(|y| answer(&y)) else { return };
            moves.positions.insert(&p);
            moves.answers.push(answer);
        };
        if Side::to_move(root) == owner {
            meet(root);
        } else {
            successors(Profile::Fide, root).iter().for_each(|(_, y)| meet(y));
        }
        for id in 0..listed.len() as u32 {
            if let Ok(z) = listed.at(id).vector() {
                successors(Profile::Fide, &z).iter().for_each(|(_, y)| meet(y));
            }
        }
        moves
    }
}
