//! What a win that is written down meets: slices, and boards that no slice has.

use super::inside::Inside;
use super::key::{Key, Place};
use super::plies::Places;
use super::rows::Sets;
use super::sweep::Entry;
use crate::chess::Packed;
use crate::chess::board::Board;
use hashbrown::HashMap;
use std::sync::Arc;

/// A pawn move of the defender's out of a slice.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pushed {
    /// None where nothing is proved of what it leads to.
    pub(super) slice: Option<u32>,
    pub(super) via: u64,
}

/// A slice that is met.
pub(super) struct Slice {
    pub(super) key: Key,
    pub(super) inside: Inside,
    pub(super) kings: [u64; 64],
    pub(super) sets: Arc<Sets>,
    /// Whether a table says so.
    pub(super) exact: bool,
    /// What is to be won there, and what belongs to the strategy, before it is swept.
    pub(super) asked: Vec<Entry>,
    pub(super) put: HashMap<usize, u64>,
    pub(super) pushes: Arc<[Pushed]>,
    /// The attacker to move, the defender to move, once it is swept.
    pub(super) places: [Places; 2],
    /// Positions with the attacker to move that exits win.
    pub(super) by_exit: HashMap<usize, u64>,
}

impl Slice {
    /// The legal positions of a row with the attacker to move.
    #[inline]
    pub(super) fn legal(&self, row: usize) -> u64 {
        self.inside.legal(row, &self.kings, true)
    }
}

/// Where a move leads.
#[derive(Debug)]
pub(super) enum Lead {
    Slice(u32, Place),
    Board(Board),
}

/// A position that no slice has.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Odd {
    /// The plies to mate, once they are counted.
    pub(super) plies: Option<u16>,
    /// What the attacker plays there; none where the defender is to move.
    pub(super) play: Option<Packed>,
}

/// The slices and boards of as many men and steps.
#[derive(Debug, Default)]
pub(super) struct Stage {
    pub(super) slices: Vec<u32>,
    pub(super) boards: Vec<Board>,
}
