//! A set of positions in which those that differ in the square of Black's king alone share a row.

use crate::chess::board::{Bitboard, Square};
use crate::chess::{Interner, Packed, code};

const BLACK_KING: u8 = code::KING + code::BLACK;

/// The set. A row, of up to about sixty positions, takes 8 bytes beside its entry in an
/// [`Interner`] (25 bytes with four men on the board); once numbered 4 more, and 4 bytes for every
/// 64 positions.
#[derive(Debug)]
pub(super) struct KingRows {
    /// The rows: positions without Black's king.
    keys: Interner,
    /// By row: the squares of Black's king.
    kings: Vec<Bitboard>,
    /// By row, once numbered: the number of its first position; at the end the number of positions.
    first: Vec<u32>,
    /// The row of every 64th position.
    row_of: Vec<u32>,
}

/// A position taken apart: its row and the square of Black's king.
fn apart(p: &Packed) -> (Packed, Square) {
    let (square, _) = p.each_man().find(|&(_, code)| code == BLACK_KING).expect("Black has a king");
    (p.without(square), Square::new(square.into()))
}

impl KingRows {
    /// An empty set for positions of at most `men` men.
    pub(super) fn new(men: usize) -> Self {
        Self {
            keys: Interner::new(men - 1),
            kings: Vec::new(),
            first: Vec::new(),
            row_of: Vec::new(),
        }
    }

    /// The number of rows.
    pub(super) fn len(&self) -> u32 {
        self.kings.len() as u32
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> u64 {
        self.keys.memory()
            + (8 * self.kings.capacity() + 4 * (self.first.capacity() + self.row_of.capacity()))
                as u64
    }

    /// Adds a position.
    pub(super) fn insert(&mut self, p: &Packed) {
        let (key, square) = apart(p);
        self.unite(&key, Bitboard::from_square(square));
    }

    /// Adds positions of a row; its number, and which of them are new.
    pub(super) fn unite(&mut self, key: &Packed, kings: Bitboard) -> (u32, Bitboard) {
        let (row, new) = self.keys.insert(key);
        if new {
            self.kings.push(Bitboard::EMPTY);
        }
        let held = &mut self.kings[row as usize];
        let fresh = kings & !*held;
        *held |= fresh;
        (row, fresh)
    }

    /// What the positions of a row have in common: everything but Black's king.
    pub(super) fn key(&self, row: u32) -> Packed {
        self.keys.at(row)
    }

    /// The squares of Black's king in a row.
    pub(super) fn kings(&self, row: u32) -> Bitboard {
        self.kings[row as usize]
    }

    /// The position of a row with Black's king on a square.
    pub(super) fn position(key: &Packed, square: Square) -> Packed {
        key.with(square as u8, BLACK_KING)
    }

    /// Numbers the positions row by row; afterwards nothing may be added.
    ///
    /// # Panics
    /// If there are 2^32 positions.
    pub(super) fn number(&mut self) {
        self.first.reserve_exact(self.kings.len() + 1);
        let mut count = 0_u32;
        for (row, kings) in self.kings.iter().enumerate() {
            self.first.push(count);
            count = count.checked_add(kings.count() as u32).expect("fewer than 2^32 positions");
            self.row_of.resize(count.div_ceil(64) as usize, row as u32);
        }
        self.first.push(count);
    }

    /// The number of positions, once numbered.
    pub(super) fn positions(&self) -> u32 {
        *self.first.last().expect("numbered")
    }

    /// The number of a position of a row.
    pub(super) fn id(&self, row: u32, square: Square) -> u32 {
        let below = self.kings[row as usize] & Bitboard((1u64 << square as u32) - 1);
        self.first[row as usize] + below.count() as u32
    }

    /// The number of a row.
    pub(super) fn row(&self, key: &Packed) -> Option<u32> {
        self.keys.get(key)
    }

    /// The number of a position, if it is in the set.
    pub(super) fn find(&self, p: &Packed) -> Option<u32> {
        let (key, square) = apart(p);
        let row = self.row(&key)?;
        self.kings(row).contains(square).then(|| self.id(row, square))
    }

    /// Puts positions, ascending, together by rows: calls `each` with a row and the squares of
    /// Black's king.
    pub(super) fn by_row(&self, ids: &[u32], mut each: impl FnMut(u32, Bitboard)) {
        let mut rest = ids;
        while let Some(&id) = rest.first() {
            let mut row = self.row_of[id as usize / 64] as usize;
            while self.first[row + 1] <= id {
                row += 1;
            }
            let end = self.first[row + 1];
            let (own, others) = rest.split_at(rest.partition_point(|&id| id < end));
            rest = others;
            let mut own = own.iter().peekable();
            let numbered = self.kings[row].into_iter().zip(self.first[row]..);
            let kings = numbered
                .filter(|(_, id)| own.next_if_eq(&id).is_some())
                .map(|(square, _)| square)
                .collect();
            each(row as u32, kings);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{Profile, parse_fen};
    use pretty_assertions::assert_eq;

    #[test]
    fn numbers_lead_back_to_positions() {
        let fens =
            ["7k/8/8/8/8/8/8/KR6 b - -", "8/8/k7/8/8/8/8/KR6 b - -", "8/8/8/k7/8/8/8/K1R5 w - -"];
        let packed = fens.map(|fen| Packed::from(&parse_fen(fen, Profile::Fide).unwrap()));
        let mut rows = KingRows::new(3);
        packed.iter().chain(&packed[..1]).for_each(|p| rows.insert(p));
        rows.number();
        assert_eq!((rows.len(), rows.positions()), (2, 3));
        let mut ids: Vec<u32> = packed.iter().map(|p| rows.find(p).unwrap()).collect();
        assert_eq!(ids, [1, 0, 2], "a row is numbered a1, b1, …");
        assert_eq!(
            rows.find(&Packed::from(
                &parse_fen("8/8/8/8/k7/8/8/KR6 b - -", Profile::Fide).unwrap()
            )),
            None
        );
        ids.sort_unstable();
        let mut back = Vec::new();
        rows.by_row(&ids, |row, kings| {
            back.extend(kings.into_iter().map(|s| KingRows::position(&rows.key(row), s)))
        });
        assert_eq!(back, [packed[1], packed[0], packed[2]]);
    }
}
