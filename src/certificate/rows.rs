//! Large strategies written by slices: the positions after the owner's moves, without the moves.
//!
//! A position after a move answers all positions from which a move leads to it, and 64 positions
//! that differ in the opponent's king are one row: two to three bytes a position where a list of
//! positions and moves takes fifteen, and fewer positions. What it costs: whoever checks it looks
//! for the moves.

use super::sealed::side;
use super::{Answer, Strategy};
use crate::chess::{
    Interner, Move, Packed, Profile, Side, Turn, Vector, cannot_be_mated, successors,
};
use hashbrown::HashMap;
use rayon::prelude::*;
use std::io::{self, Write};
use theta_kernel::{Row, Section, Slice, Spot};

/// Positions whose places are found at a time.
const CHUNK: usize = 1 << 16;

/// Positions with the opponent to move, by slices, each with its rank: plies to mate at most, 0 in
/// a hold. 24 bytes a position while they are collected, 32 a row afterwards.
#[derive(Debug, Default)]
pub struct Rows {
    slices: Vec<Slice>,
    /// By rank, slice and row.
    rows: Vec<(u32, Row)>,
}

/// A position: rank, slice, row, square.
type Place = (u32, u32, u64, u8);

/// Collects positions.
#[derive(Debug, Default)]
pub struct Collector {
    numbers: HashMap<Slice, u32>,
    places: Vec<Place>,
}

impl Collector {
    /// Puts a position there, with its rank.
    pub fn push(&mut self, rank: u32, spot: &Spot) {
        let next = self.numbers.len() as u32;
        let slice = *self.numbers.entry(spot.slice).or_insert(next);
        self.places.push((rank, slice, spot.row, spot.square));
    }

    /// All of them, each once.
    pub fn rows(self) -> Rows {
        let Self { numbers, mut places } = self;
        let mut slices: Vec<(Slice, u32)> = numbers.into_iter().collect();
        slices.sort_unstable();
        let mut new = vec![0; slices.len()];
        for (number, (_, old)) in slices.iter().enumerate() {
            new[*old as usize] = number as u32;
        }
        places.iter_mut().for_each(|place| place.1 = new[place.1 as usize]);
        places.par_sort_unstable();
        let mut rows: Vec<(u32, Row)> = Vec::new();
        for (rank, slice, row, square) in places {
            let bit = 1 << square;
            match rows.last_mut() {
                Some((r, last)) if (*r, last.slice, last.row) == (rank, slice, row) => {
                    last.squares |= bit;
                }
                _ => rows.push((rank, Row { slice, row, squares: bit })),
            }
        }
        Rows { slices: slices.into_iter().map(|(slice, _)| slice).collect(), rows }
    }
}

impl Rows {
    /// The positions of a strategy after its owner's moves; none where a position has more men than
    /// slices know.
    pub fn of(strategy: &Strategy) -> Option<Self> {
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

/// The strategy that a section by slices stands for: in each position that can come about, the move
/// to the listed position of the least rank.
pub(super) fn strategy(read: &theta_kernel::Certificate<'_>, section: &Section) -> Strategy {
    let (owner, wins) = (section.owner, section.kind == theta_kernel::Kind::WinBySlices);
    let slices: Vec<Slice> = read.slices(section).collect();
    let mut listed = Interner::new(32);
    let mut ranks = Vec::new();
    for (rank, rows) in read.row_blocks(section) {
        for row in rows {
            for square in (0..64).filter(|square| row.squares >> square & 1 != 0) {
                let z = slices[row.slice as usize].position(row.row, square);
                if z.is_some_and(|z| listed.insert(&Packed::from(&z)).1) {
                    ranks.push(rank);
                }
            }
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
    let mut positions = Interner::new(read.root.men());
    let mut answers = Vec::new();
    let mut meet = |y: &Vector| {
        let p = home(&Packed::from(y));
        if positions.get(&p).is_some() || p.len() > read.root.men() {
            return;
        }
        let Some(answer) = p.vector().ok().and_then(|y| answer(&y)) else { return };
        positions.insert(&p);
        answers.push(answer);
    };
    if Side::to_move(&read.root) == owner {
        meet(&read.root);
    } else {
        successors(Profile::Fide, &read.root).iter().for_each(|(_, y)| meet(y));
    }
    for id in 0..listed.len() as u32 {
        if let Ok(z) = listed.at(id).vector() {
            successors(Profile::Fide, &z).iter().for_each(|(_, y)| meet(y));
        }
    }
    if wins {
        Strategy::winning(read.root, owner, positions, answers)
    } else {
        Strategy::holding_folded(read.root, owner, positions, answers)
    }
}
