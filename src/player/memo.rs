//! What the search remembers of positions: a table of fixed size, the deeper search kept.

use super::{MATE, Score};
use crate::chess::Move;

/// Entries: 6 MiB.
const PLACES: usize = 1 << 18;

/// What a remembered score says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Exact,
    AtLeast,
    AtMost,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    key: u64,
    pub(super) score: Score,
    pub(super) best: Option<Move>,
    pub(super) depth: u8,
    pub(super) kind: Kind,
}

impl Entry {
    /// The score, where it decides a search of this depth with this window.
    pub(super) fn decides(&self, depth: u32, alpha: Score, beta: Score) -> Option<Score> {
        let fits = match self.kind {
            Kind::Exact => true,
            Kind::AtLeast => self.score >= beta,
            Kind::AtMost => self.score <= alpha,
        };
        (fits && u32::from(self.depth) >= depth).then_some(self.score)
    }
}

/// The table.
#[derive(Debug)]
pub(super) struct Memo(Vec<Option<Entry>>);

/// A mate is counted from the root in the search, from its own position here.
fn shifted(score: Score, plies: Score) -> Score {
    match score {
        s if s > MATE / 2 => s + plies,
        s if s < -MATE / 2 => s - plies,
        s => s,
    }
}

impl Memo {
    pub(super) fn new() -> Self {
        Self(vec![None; PLACES])
    }

    /// What is known of a position that is met `ply` plies below the root.
    pub(super) fn get(&self, key: u64, ply: usize) -> Option<Entry> {
        let entry = self.0[key as usize % PLACES].filter(|entry| entry.key == key)?;
        Some(Entry { score: shifted(entry.score, -(ply as Score)), ..entry })
    }

    pub(super) fn put(
        &mut self,
        (key, ply): (u64, usize),
        (score, kind): (Score, Kind),
        depth: u32,
        best: Option<Move>,
    ) {
        let place = &mut self.0[key as usize % PLACES];
        let depth = depth.min(u8::MAX.into()) as u8;
        if place.is_none_or(|old| old.key != key || old.depth <= depth) {
            let score = shifted(score, ply as Score);
            *place = Some(Entry { key, score, best, depth, kind });
        }
    }
}
