//! Keys of positions kept move by move, and a table from keys to numbers.
//!
//! # References
//! A. L. Zobrist, *A new hashing method with application for game playing*, 1970.

use crate::chess::Side;
use crate::chess::board::{Board, BySide, Chess, ChessMove, Position, Role, Square};

const fn splitmix(seed: u64) -> u64 {
    let mut z = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(0x6a09_e667_f3bc_c909);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Twelve men on 64 squares, 64 castling rooks, 64 squares where an en-passant capture is legal, 64
/// squares just moved to.
static KEYS: [u64; 15 * 64] = {
    let mut keys = [0; 15 * 64];
    let mut i = 0;
    while i < keys.len() {
        keys[i] = splitmix(i as u64 + 1);
        i += 1;
    }
    keys
};

fn man(side: Side, role: Role, at: Square) -> u64 {
    KEYS[(side.pick(6, 0) + role as usize - 1) * 64 + at as usize]
}

/// What tells apart positions that differ in the square just moved to.
pub(super) fn arrival(at: Square) -> u64 {
    KEYS[14 * 64 + at as usize]
}

/// The key of a position; the side to move is not part of it.
pub(super) fn key_of(board: &Board) -> u64 {
    let chess = board.chess();
    let mut key = 0;
    for (square, piece) in chess.board().men() {
        key ^= man(piece.side, piece.role, square);
    }
    for rook in chess.castles().castling_rights() {
        key ^= KEYS[12 * 64 + rook as usize];
    }
    if chess.maybe_ep_square().is_some()
        && let Some(square) = chess.legal_ep_square()
    {
        key ^= KEYS[13 * 64 + square as usize];
    }
    key
}

/// Whether every move of a position changes its key by the men alone: no castling right, no
/// en-passant mark.
pub(super) fn is_plain(chess: &Chess) -> bool {
    chess.castles().is_empty() && chess.maybe_ep_square().is_none()
}

/// The key after a move of a plain position with this key; `None` where it has to be computed from
/// the position: castling, and double steps of pawns.
pub(super) fn key_after(key: u64, us: Side, m: &ChessMove) -> Option<u64> {
    match *m {
        ChessMove::Normal { role, from, to, capture, promotion } => {
            if role == Role::Pawn && (from as i32 - to as i32).abs() == 16 {
                return None;
            }
            let taken = capture.map_or(0, |taken| man(us.other(), taken, to));
            Some(key ^ man(us, role, from) ^ man(us, promotion.unwrap_or(role), to) ^ taken)
        }
        _ => None,
    }
}

/// A table from 64-bit keys to numbers below 2^32 − 1. 12 bytes a place, at most 7 of 10 places
/// taken; a look-up is one access to memory mostly. Two positions share a key with probability
/// 2⁻⁶⁴: what is read from such a table is a proposal, checked move by move later.
#[derive(Debug, Default)]
pub(super) struct KeyMap {
    /// Key, and number plus one; 0: a free place.
    places: Vec<[u32; 3]>,
    taken: usize,
}

impl KeyMap {
    fn start(key: u64, places: usize) -> usize {
        ((u128::from(key) * places as u128) >> 64) as usize
    }

    fn find(&self, key: u64) -> Result<u32, usize> {
        let (low, high) = (key as u32, (key >> 32) as u32);
        let mut at = Self::start(key, self.places.len());
        loop {
            let place = &self.places[at];
            if place[2] == 0 {
                return Err(at);
            }
            if place[0] == low && place[1] == high {
                return Ok(place[2] - 1);
            }
            at += 1;
            if at == self.places.len() {
                at = 0;
            }
        }
    }

    /// The number of a key.
    pub(super) fn get(&self, key: u64) -> Option<u32> {
        if self.places.is_empty() { None } else { self.find(key).ok() }
    }

    /// Gives a key that is not in the table a number.
    pub(super) fn insert(&mut self, key: u64, number: u32) {
        if (self.taken + 1) * 10 > self.places.len() * 7 {
            self.grow();
        }
        if let Err(at) = self.find(key) {
            self.places[at] = [key as u32, (key >> 32) as u32, number + 1];
            self.taken += 1;
        }
    }

    fn grow(&mut self) {
        let size = (self.places.len() * 2).max(1 << 10);
        let old = std::mem::replace(&mut self.places, vec![[0; 3]; size]);
        for place in old.into_iter().filter(|place| place[2] != 0) {
            let key = u64::from(place[0]) | u64::from(place[1]) << 32;
            if let Err(at) = self.find(key) {
                self.places[at] = place;
            }
        }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        (self.places.capacity() * size_of::<[u32; 3]>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_kept_by_moves_is_the_key_from_scratch() {
        for fen in [
            "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq d6",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - -",
        ] {
            let board = Board::from_fen(fen).unwrap();
            for m in board.legal_moves() {
                let next = board.after(m);
                let kept = is_plain(board.chess())
                    .then(|| key_after(key_of(&board), board.side_to_move(), &m))
                    .flatten();
                assert!(kept.is_none_or(|key| key == key_of(&next)), "{fen} {m:?}");
                for reply in next.legal_moves() {
                    assert_ne!(key_of(&next), key_of(&next.after(reply)));
                }
            }
        }
    }

    #[test]
    fn a_map_keeps_what_it_is_given() {
        let mut map = KeyMap::default();
        for n in 0..10_000u32 {
            map.insert(splitmix(n.into()), n);
        }
        for n in 0..10_000u32 {
            assert_eq!(map.get(splitmix(n.into())), Some(n));
        }
        assert_eq!(map.get(splitmix(10_001)), None);
    }
}
