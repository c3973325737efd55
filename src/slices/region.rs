//! A slice as a hold that is written down meets it ([`super::closed`]): the positions of the set, those
//! to be answered, and what is known of the holder's set-ups.

use super::bits::squares;
use super::closed_set::Listed;
use super::inside::Inside;
use super::key::{Key, Place};
use super::rows::{Sets, kings_open, kings_won, legal_open, legal_won};
use std::sync::Arc;

/// Squares of the holder's men but the pawns.
const SET_UPS: usize = 1 << 18;

/// Rows that are kept together: those of one placement of all men but the last, where there are several.
const BLOCK: usize = 64;

/// Rows that lie together: positions found, and those not looked at yet.
#[derive(Debug)]
struct Block {
    all: [u64; BLOCK],
    fresh: [u64; BLOCK],
}

/// Positions of a slice with one side to move: those found, those not looked at yet, and the rows of
/// these. Of the rows few have any, and those lie together.
#[derive(Debug)]
pub(super) struct Found {
    blocks: Vec<Option<Box<Block>>>,
    waiting: Vec<u32>,
    /// Blocks that have a position.
    used: u64,
}

impl Found {
    /// None of so many rows.
    fn new(rows: usize) -> Self {
        let blocks = std::iter::repeat_with(|| None).take(rows / BLOCK).collect();
        Self { blocks, waiting: Vec::new(), used: 0 }
    }

    /// The positions of a row that have been found.
    #[inline]
    pub(super) fn of_row(&self, row: usize) -> u64 {
        self.blocks[row / BLOCK].as_ref().map_or(0, |block| block.all[row % BLOCK])
    }

    /// Adds positions of a row that are new.
    #[inline]
    fn add(&mut self, row: usize, new: u64) {
        if new == 0 {
            return;
        }
        let block = self.blocks[row / BLOCK].get_or_insert_with(|| {
            self.used += 1;
            Box::new(Block { all: [0; BLOCK], fresh: [0; BLOCK] })
        });
        let (all, fresh) = (&mut block.all[row % BLOCK], &mut block.fresh[row % BLOCK]);
        if *fresh == 0 {
            self.waiting.push(row as u32);
        }
        *all |= new;
        *fresh |= new;
    }

    /// Whether there are rows that have not been looked at.
    pub(super) fn waits(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Takes the rows that have not been looked at, in their order.
    pub(super) fn take(&mut self) -> Vec<(usize, u64)> {
        let mut rows = std::mem::take(&mut self.waiting);
        rows.sort_unstable();
        let of = |row: u32| {
            let block = self.blocks[row as usize / BLOCK].as_mut().expect("a block that has it");
            (row as usize, std::mem::take(&mut block.fresh[row as usize % BLOCK]))
        };
        rows.into_iter().map(of).collect()
    }

    /// All rows that have positions, in their order.
    pub(super) fn rows(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        let blocks = self.blocks.iter().enumerate();
        blocks.filter_map(|(number, block)| Some((number, block.as_ref()?))).flat_map(
            |(number, block)| {
                let rows = block.all.iter().enumerate().filter(|(_, bits)| **bits != 0);
                rows.map(move |(at, bits)| (number * BLOCK + at, *bits))
            },
        )
    }

    fn bytes(&self) -> u64 {
        (size_of::<Block>() as u64 + 16) * self.used + 8 * self.blocks.len() as u64
    }
}

/// An attacker's pawn move out of a slice.
#[derive(Debug, Clone, Copy)]
pub(super) struct Exit {
    /// The slice that it leads to; none where nothing is proved of that.
    pub(super) region: Option<u32>,
    pub(super) via: u64,
    /// Whether the pawn may be taken in passing.
    pub(super) passes: bool,
}

/// A slice that is met.
#[derive(Debug)]
pub(super) struct Region {
    pub(super) key: Key,
    /// Whether the holder is the one whose win the slice is about.
    pub(super) turned: bool,
    pub(super) inside: Inside,
    pub(super) sets: Arc<Sets>,
    /// What is held though a new officer of the attacker's is taken to win if it is not taken at once.
    pub(super) firm: Option<Arc<Sets>>,
    /// The legal positions with the holder to move; of what has several officers they are worked out
    /// when a row is met, some 20 ns.
    pub(super) legal: Option<Vec<u64>>,
    pub(super) kings: [u64; 64],
    /// The set: the attacker is to move.
    pub(super) set: Found,
    /// The holder is to move.
    pub(super) asked: Found,
    /// By set-up of the holder's men: moves to it that were seen, those of them that hold, and positions
    /// of the set that have it.
    pub(super) set_ups: Vec<[u32; 3]>,
    /// Once they were asked for.
    pub(super) pushes: Option<Arc<[Exit]>>,
}

impl Region {
    /// Nothing is in the set yet.
    pub(super) fn new(key: &Key, turned: bool, sets: Arc<Sets>, firm: Option<Arc<Sets>>) -> Self {
        Self {
            key: *key,
            turned,
            inside: Inside::of(key),
            sets,
            firm,
            legal: (key.kind() < 2).then(|| if turned { legal_open(key) } else { legal_won(key) }),
            kings: if turned { kings_open(key) } else { kings_won(key) },
            set: Found::new(key.rows()),
            asked: Found::new(key.rows()),
            set_ups: vec![[0; 3]; SET_UPS],
            pushes: None,
        }
    }

    /// About the bytes held; of the set-ups pages are taken when they are written.
    pub(super) fn bytes(&self) -> u64 {
        let legal = self.legal.as_ref().map_or(0, |rows| 8 * rows.len() as u64);
        legal + 12 * SET_UPS as u64 + self.set.bytes() + self.asked.bytes()
    }

    /// The positions of the set.
    pub(super) fn listed(&self) -> Listed {
        let rows = self.set.rows().map(|(row, bits)| (row as u32, bits)).collect();
        Listed { key: self.key, turned: self.turned, rows }
    }

    /// How large the material is: officers, pawns.
    pub(super) fn size(&self) -> (usize, u32) {
        (self.key.kind(), self.key.pawns().count_ones())
    }

    /// Those of a row's positions with the attacker to move that are proved to be held.
    #[inline]
    pub(super) fn held(&self, row: usize) -> u64 {
        if self.turned { self.sets.won[row] } else { self.sets.open[row] }
    }

    /// Those of them that are held firmly, where a difference is made.
    #[inline]
    pub(super) fn firm(&self, row: usize) -> u64 {
        self.firm.as_ref().map_or(!0, |sets| sets.open[row])
    }

    /// Those of a row's positions with the holder to move that are not proved to be held; legal or not.
    #[inline]
    pub(super) fn open(&self, row: usize) -> u64 {
        if self.turned { self.sets.open[row] } else { self.sets.won[row] }
    }

    /// Whether a position with the attacker to move that is held is held firmly.
    pub(super) fn is_firm(&self, place: &Place) -> bool {
        let (row, bit) = self.key.index(place);
        self.firm(row) & bit != 0
    }

    /// Those of a row's positions, the holder to move, that are held by a quiet move; legal or not.
    pub(super) fn free_to_move(&self, row: usize, bits: u64) -> u64 {
        let held = if self.turned { &self.sets.won } else { &self.sets.open };
        bits & !self.inside.not_into(|row| held[row], row, self.turned, bits)
    }

    /// The legal positions of a row with the holder to move.
    pub(super) fn legal(&self, row: usize) -> u64 {
        match &self.legal {
            Some(legal) => legal[row],
            None => self.inside.legal(row, &self.kings, self.turned),
        }
    }

    /// Positions of a row are to be answered, as far as they are legal.
    #[inline]
    pub(super) fn ask(&mut self, row: usize, bits: u64) {
        let new = bits & !self.asked.of_row(row);
        if new != 0 {
            self.asked.add(row, new & self.legal(row));
        }
    }

    /// Puts positions of a row into the set; how many are new.
    pub(super) fn put(&mut self, row: usize, bits: u64) -> u64 {
        let new = bits & !self.set.of_row(row);
        self.set.add(row, new);
        for square in squares(new) {
            let at = self.inside.set_up(row, square, self.turned);
            self.set_ups[at][2] += 1;
        }
        new.count_ones().into()
    }

    /// How good a move to a position is, which holds or does not; none where it does not.
    pub(super) fn merit(&mut self, row: usize, square: u8, safe: bool) -> Option<f32> {
        let at = self.inside.set_up(row, square, self.turned);
        let known = &mut self.set_ups[at];
        known[0] += 1;
        known[1] += u32::from(safe);
        let [seen, held, used] = *known;
        let share = (held + 1) as f32 / (seen + 2) as f32;
        safe.then(|| share * (1.0 + used as f32).ln_1p())
    }
}
