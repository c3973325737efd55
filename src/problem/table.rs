//! What is decided of positions, by the whole position.
//!
//! A key is the position itself, four bit planes and a word of state, so that no two positions share
//! an entry: a stored answer is as true as the search that found it. An entry that is lost costs time
//! alone.

use crate::chess::Side;
use crate::chess::board::{Chess, Position, Sides, Square};
use std::sync::{Mutex, PoisonError};

/// Four planes, the state, and the answer.
type Slot = [u64; 6];

/// Entries that are looked at together.
const BUCKET: usize = 4;

/// Parts of the table, each with a lock of its own.
const SHARDS: usize = 256;

/// A position with the plies left where these matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Key([u64; 5]);

impl Key {
    /// The key of a position; `left` is 0 where answers hold for any number of plies.
    pub(super) fn new(chess: &Chess, left: usize) -> Self {
        let board = chess.board();
        let planes = [
            board.pawns() | board.bishops() | board.queens(),
            board.knights() | board.bishops() | board.kings(),
            board.rooks() | board.queens() | board.kings(),
            board.white(),
        ];
        let rights = chess.castles().castling_rights();
        let corners = [Square::A1, Square::H1, Square::A8, Square::H8];
        let castling = (0..4).filter(|&k| rights.contains(corners[k])).map(|k| 1 << k).sum::<u64>();
        let mark = chess.maybe_ep_square().and_then(|_| chess.legal_ep_square());
        let mark = mark.map_or(0, |square| square as u64 + 1);
        let turn = u64::from(chess.side_to_move() == Side::White);
        // Bit 63 tells a key from an empty slot.
        let state = 1 << 63 | castling | mark << 4 | turn << 11 | (left as u64) << 12;
        let [a, b, c, d] = planes.map(u64::from);
        Self([a, b, c, d, state])
    }

    fn hash(&self) -> u64 {
        let mix = |hash: u64, word: u64| {
            let wide = u128::from(hash ^ word) * 0x9e37_79b9_7f4a_7c15;
            (wide as u64) ^ (wide >> 64) as u64
        };
        self.0.iter().fold(0x2545_f491_4f6c_dd1d, |hash, &word| mix(hash, word))
    }
}

/// What is known of a position: fulfilled within `yes` plies or more, not within `no` or fewer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) yes: u16,
    pub(super) no: u16,
}

impl Known {
    pub(super) const NOTHING: Self = Self { yes: u16::MAX, no: 0 };

    /// Whether it is fulfilled within so many plies.
    pub(super) fn within(self, left: usize) -> Option<bool> {
        if left >= usize::from(self.yes) {
            Some(true)
        } else {
            (left <= usize::from(self.no)).then_some(false)
        }
    }
}

/// The table. It is shared by all threads.
pub(super) struct Table {
    shards: Vec<Mutex<Vec<Slot>>>,
    buckets: usize,
}

impl Table {
    /// A table of at most so many bytes, at least 192 KiB. Memory is taken as it is used.
    pub(super) fn new(bytes: u64) -> Self {
        let slots = bytes / size_of::<Slot>() as u64 / SHARDS as u64;
        let buckets = (usize::try_from(slots).unwrap_or(usize::MAX) / BUCKET).clamp(4, 1 << 22);
        let shard = || Mutex::new(vec![[0; 6]; buckets * BUCKET]);
        Self { shards: (0..SHARDS).map(|_| shard()).collect(), buckets }
    }

    /// The bytes that it takes when it is full.
    pub(super) fn bytes(&self) -> u64 {
        (SHARDS * self.buckets * BUCKET * size_of::<Slot>()) as u64
    }

    /// What is known of a position.
    pub(super) fn get(&self, key: &Key) -> Known {
        let (shard, at) = self.place(key);
        let slots = self.shards[shard].lock().unwrap_or_else(PoisonError::into_inner);
        let found = slots[at..at + BUCKET].iter().find(|slot| slot[..5] == key.0);
        found.map_or(Known::NOTHING, |slot| unpack(slot[5]).0)
    }

    /// Adds an answer; `work` is what it cost, and decides what is kept.
    pub(super) fn put(&self, key: &Key, left: usize, answer: bool, work: u64) {
        let (shard, at) = self.place(key);
        let mut slots = self.shards[shard].lock().unwrap_or_else(PoisonError::into_inner);
        let bucket = &mut slots[at..at + BUCKET];
        let same = bucket.iter().position(|slot| slot[..5] == key.0);
        let worth = |slot: &Slot| if slot[4] == 0 { 0 } else { 1 + unpack(slot[5]).1 };
        let at = same.unwrap_or_else(|| {
            (0..BUCKET).min_by_key(|&k| worth(&bucket[k])).expect("no bucket is empty")
        });
        let (mut known, spent) =
            if same.is_some() { unpack(bucket[at][5]) } else { (Known::NOTHING, 0) };
        let left = left as u16;
        if answer {
            known.yes = known.yes.min(left);
        } else {
            known.no = known.no.max(left);
        }
        // What is not asked for again makes room in the end.
        if same.is_none() {
            for slot in bucket.iter_mut().filter(|slot| slot[4] != 0) {
                let (known, work) = unpack(slot[5]);
                slot[5] = pack(known, work - work / 8);
            }
        }
        bucket[at][..5].copy_from_slice(&key.0);
        bucket[at][5] = pack(known, work.max(spent));
    }

    fn place(&self, key: &Key) -> (usize, usize) {
        let hash = key.hash();
        let bucket = ((hash >> 8 & 0xffff_ffff) * self.buckets as u64) >> 32;
        ((hash % SHARDS as u64) as usize, bucket as usize * BUCKET)
    }
}

fn pack(known: Known, work: u64) -> u64 {
    u64::from(known.yes) | u64::from(known.no) << 16 | work.min(u64::from(u32::MAX)) << 32
}

fn unpack(word: u64) -> (Known, u64) {
    (Known { yes: word as u16, no: (word >> 16) as u16 }, word >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::board::Board;

    fn key(fen: &str, left: usize) -> Key {
        Key::new(Board::from_fen(fen).unwrap().chess(), left)
    }

    #[test]
    fn keys_are_the_positions() {
        let fens = [
            "4k3/8/8/8/8/8/8/R3K2R w KQ -",
            "4k3/8/8/8/8/8/8/R3K2R w K -",
            "4k3/8/8/8/8/8/8/R3K2R w - -",
            "4k3/8/8/8/8/8/8/R3K2R b - -",
            "4k3/8/8/8/8/8/8/B3K2R w - -",
            "4k3/8/8/8/8/8/8/N3K2R w - -",
            "4k3/8/8/8/8/8/8/Q3K2R w - -",
            "4k3/8/8/8/8/8/8/b3K2R w - -",
            "4k3/8/8/3pP3/8/8/8/4K3 w - d6",
            "4k3/8/8/3pP3/8/8/8/4K3 w - -",
        ];
        for (i, a) in fens.iter().enumerate() {
            for (j, b) in fens.iter().enumerate() {
                assert_eq!(key(a, 3) == key(b, 3), i == j, "{a} {b}");
            }
            assert_ne!(key(a, 3), key(a, 4));
        }
    }

    #[test]
    fn answers_are_kept_with_their_lengths() {
        let table = Table::new(0);
        let key = key("4k3/8/8/8/8/8/8/R3K2R w KQ -", 0);
        assert_eq!(table.get(&key), Known::NOTHING);
        table.put(&key, 3, false, 10);
        table.put(&key, 7, true, 20);
        table.put(&key, 9, true, 20);
        let known = table.get(&key);
        assert_eq!(
            [1, 3, 5, 7, 9].map(|left| known.within(left)),
            [Some(false), Some(false), None, Some(true), Some(true)]
        );
    }
}
