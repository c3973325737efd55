//! What is known of a side's set-ups: where its men stand after its move, against which material.
//!
//! A side that holds a fortress, or is driven around for ever, does best to come back to set-ups
//! that it knows and that rarely fail: its closed set is about (its set-ups × the opponent's
//! placements).

use crate::chess::board::{Board, BySide, Men, Position as _, Role};
use crate::chess::{Side, Turn};
use hashbrown::HashMap;

/// What is known of one set-up.
#[derive(Debug, Clone, Copy, Default)]
struct SetUp {
    /// Moves to it that were seen, and those of them that hold as far as is known.
    seen: u32,
    safe: u32,
    /// Moves to it that were chosen.
    used: u32,
}

/// The set-ups of one side. About 24 bytes for each.
#[derive(Debug)]
pub(super) struct SetUps {
    owner: Side,
    side: Side,
    known: HashMap<u64, SetUp>,
}

impl SetUps {
    /// Nothing is known.
    pub(super) fn new(owner: Side) -> Self {
        Self { owner, side: owner, known: HashMap::new() }
    }

    /// About the bytes held.
    pub(super) fn bytes(&self) -> u64 {
        (self.known.capacity() * 24) as u64
    }

    /// The set-up after the owner's move: the squares of its men, folded, and what the opponent
    /// has, as a hash. (What holds against a rook need not hold against a queen.)
    pub(super) fn key(&self, after: &Board) -> u64 {
        self.of_men(after.chess().board(), Turn::home(&after.packed(), self.owner))
    }

    /// The same of men, folded by a turn.
    pub(super) fn of_men(&self, men: &Men, turn: Turn) -> u64 {
        let (own, others) = (men.men_of(self.side), men.men_of(self.side.other()));
        let mix = |hash: u64, part: u64| {
            (hash.rotate_left(23) ^ part).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        };
        Role::ALL.iter().fold(0, |hash, &role| {
            let of_role = men.by_role(role);
            let squares =
                (of_role & own).into_iter().fold(0, |k, s| k | 1u64 << turn.square(s as u8));
            mix(mix(hash, squares), (of_role & others).count() as u64)
        })
    }

    /// A move to a set-up was seen, and whether it holds.
    pub(super) fn see(&mut self, key: u64, safe: bool) {
        let known = self.known.entry(key).or_default();
        known.seen += 1;
        known.safe += u32::from(safe);
    }

    /// The move to a set-up was chosen.
    pub(super) fn choose(&mut self, key: u64) {
        self.known.entry(key).or_default().used += 1;
    }

    /// The share of its moves that hold, weighed by how well known it is.
    pub(super) fn merit(&self, key: u64) -> f32 {
        let SetUp { seen, safe, used } = self.known.get(&key).copied().unwrap_or_default();
        (safe + 1) as f32 / (seen + 2) as f32 * (1.0 + used as f32).ln_1p()
    }
}
