//! A part of a large slice, and what it is held against when its losses are looked for: in memory,
//! or through pages of files.

use std::cell::RefCell;

use super::planes::{Cache, Plane};
use crate::chess::Side;
use crate::chess::board::Bitboard;

/// The positions of one side to move and one king number.
pub(super) struct Part {
    pub(super) side: Side,
    pub(super) king: usize,
    pub(super) open: Plane,
    pub(super) losable: Plane,
}

/// The sets that a part is held against in an even ply.
pub(super) trait Words {
    /// What is open and losable of the part.
    fn losable(&self, row: usize) -> Bitboard;
    /// What is open of the opponent's part with this king number.
    fn escape(&self, king: usize, row: usize) -> Bitboard;
}

/// All of them in memory.
pub(super) struct InMemory<'a> {
    open: &'a [Bitboard],
    losable: &'a [Bitboard],
    /// By king number; empty where none is needed.
    others: Vec<&'a [Bitboard]>,
}

impl Words for InMemory<'_> {
    #[inline]
    fn losable(&self, row: usize) -> Bitboard {
        self.losable[row] & self.open[row]
    }

    #[inline]
    fn escape(&self, king: usize, row: usize) -> Bitboard {
        self.others[king][row]
    }
}

/// Some of them in files.
pub(super) struct Paged<'a> {
    pub(super) part: &'a Part,
    /// By king number.
    pub(super) others: Vec<Option<&'a Plane>>,
    pub(super) cache: RefCell<&'a mut Cache>,
}

impl Words for Paged<'_> {
    #[inline]
    fn losable(&self, row: usize) -> Bitboard {
        let mut cache = self.cache.borrow_mut();
        let losable = cache.word(1, &self.part.losable, row);
        if losable.is_empty() { losable } else { losable & cache.word(0, &self.part.open, row) }
    }

    #[inline]
    fn escape(&self, king: usize, row: usize) -> Bitboard {
        let plane = self.others[king].expect("a king number in reach");
        self.cache.borrow_mut().word(2 + king, plane, row)
    }
}

impl<'a> InMemory<'a> {
    /// If they are.
    pub(super) fn new(part: &'a Part, others: &[Option<&'a Plane>]) -> Option<Self> {
        let words = |plane: &'a Plane| match plane {
            Plane::Memory(words) => Some(words.as_slice()),
            Plane::Paged(_) => None,
        };
        let other = |plane: &Option<&'a Plane>| plane.map_or(Some(&[][..]), words);
        let others: Option<Vec<&[Bitboard]>> = others.iter().map(other).collect();
        Some(Self { open: words(&part.open)?, losable: words(&part.losable)?, others: others? })
    }
}
