//! A closed set of positions, read out in pieces.

use super::bits::squares;
use super::key::Key;
use crate::chess::{Packed, Side};

/// Positions with the attacker to move: after every reply to one of them the holder has a move that leads to
/// another, or to where it cannot be mated.
#[derive(Debug)]
pub struct ClosedSet {
    pub(super) attacker: Side,
    pub(super) slices: Vec<(Key, bool, Vec<u64>)>,
    pub(super) odd: Vec<Packed>,
}

impl ClosedSet {
    /// The positions in pieces, each some thousands, made one after the other.
    pub fn pieces(&self) -> impl Iterator<Item = Vec<Packed>> + '_ {
        let odd = std::iter::once(self.odd.clone());
        self.slices.iter().flat_map(|slice| self.of_slice(slice)).chain(odd)
    }

    fn of_slice<'a>(
        &'a self,
        (key, turned, rows): &'a (Key, bool, Vec<u64>),
    ) -> impl Iterator<Item = Vec<Packed>> + 'a {
        let about = if *turned { self.attacker.other() } else { self.attacker };
        let row = move |(row, bits): (usize, u64)| {
            squares(bits).map(move |s| key.packed(&key.place(row, s, !turned), about))
        };
        let pieces = rows.chunks(ROWS).enumerate().map(move |(number, words)| -> Vec<Packed> {
            let words = words.iter().enumerate();
            words.flat_map(|(at, &bits)| row((number * ROWS + at, bits))).collect()
        });
        pieces.filter(|piece| !piece.is_empty())
    }
}

/// Rows of a piece.
const ROWS: usize = 1 << 10;
