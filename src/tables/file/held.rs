//! Decompressed blocks of a table that are kept, by their number.

use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::block::{Part, Parts};
use super::unpack::Rows;
use crate::tables::index::value::Code;

/// Decompressed blocks kept of a large table.
const CACHED_BLOCKS: usize = 1024;
/// A table of no more blocks than these keeps them all: those of up to four men have at most 1,536.
const SMALL: usize = 2 * CACHED_BLOCKS;
/// What those of a large table take at most, as they are and by rows: 64 rows, of at most 60
/// squares of Black's king, both sides to move.
pub(in crate::tables) const CACHE_BYTES: u64 = CACHED_BLOCKS as u64 * BLOCK_BYTES;
const BLOCK_BYTES: u64 = 64 * (60 + 64) * 2;

type Slot = Mutex<Option<Arc<Decompressed>>>;

/// A block as far as it was decompressed.
#[derive(Debug)]
pub(super) struct Decompressed {
    pub(super) number: usize,
    parts: [[OnceLock<Vec<Code>>; 2]; 2],
    /// How often a row was asked for.
    pub(super) asked: AtomicUsize,
    /// All its rows, once some were asked for: then their neighbours will be.
    pub(super) rows: OnceLock<Rows>,
}

impl Decompressed {
    fn new(number: usize) -> Self {
        let (asked, rows) = (AtomicUsize::new(0), OnceLock::new());
        Self { number, parts: Default::default(), asked, rows }
    }

    pub(super) fn part(&self, (side, half): Part) -> &OnceLock<Vec<Code>> {
        &self.parts[side as usize][half]
    }

    /// What has been decompressed so far.
    pub(super) fn parts(&self) -> Parts<'_> {
        let so_far = |part| OnceLock::get(part).map_or(&[][..], Vec::as_slice);
        self.parts.each_ref().map(|halves| halves.each_ref().map(so_far))
    }
}

/// As many blocks as there are slots; a block has the one that its number names.
#[derive(Debug)]
pub(super) struct Held {
    slots: Vec<Slot>,
    /// More of them, which are used instead once a reader that jumps about has asked for them.
    wide: OnceLock<Vec<Slot>>,
}

fn slots(number: usize) -> Vec<Slot> {
    std::iter::repeat_with(Slot::default).take(number).collect()
}

impl Held {
    /// For a table of so many blocks.
    pub(super) fn new(blocks: usize) -> Self {
        let kept = if blocks <= SMALL { blocks.max(1) } else { CACHED_BLOCKS };
        Self { slots: slots(kept), wide: OnceLock::new() }
    }

    /// A block, as far as it has been decompressed.
    pub(super) fn block(&self, number: usize) -> Arc<Decompressed> {
        let slots = self.wide.get().unwrap_or(&self.slots);
        let slot = &slots[number % slots.len()];
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        match &*slot {
            Some(held) if held.number == number => Arc::clone(held),
            _ => Arc::clone(slot.insert(Arc::new(Decompressed::new(number)))),
        }
    }

    /// Has up to so many bytes kept of a table of so many blocks.
    pub(super) fn widen(&self, bytes: u64, blocks: usize) {
        let number = (bytes / BLOCK_BYTES).min(blocks as u64) as usize;
        if number > self.slots.len() {
            self.wide.get_or_init(|| slots(number));
        }
    }

    /// Keeps none of those at hand any longer.
    pub(super) fn release(&self) {
        for slot in self.slots.iter().chain(self.wide.get().into_iter().flatten()) {
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
    }
}
