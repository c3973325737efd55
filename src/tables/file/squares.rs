//! The bytes of some squares of a row of 64, without those between them, and back: eight at a time,
//! since the squares of a rank that a table keeps are one run or two.

use crate::chess::board::Bitboard;
use crate::tables::index::value::{Code, ILLEGAL};

/// Appends the bytes of these squares. About 20 ns.
#[inline]
pub(super) fn push(row: &[u8; 64], squares: Bitboard, out: &mut Vec<u8>) {
    let mut bytes = [0; 72];
    let mut count = 0;
    for (eight, set) in row.as_chunks::<8>().0.iter().zip(squares.0.to_le_bytes()) {
        let mut packed = u64::from_le_bytes(*eight);
        if set != u8::MAX {
            packed = moved(packed, set, |from, to| (from, to));
        }
        bytes[count..count + 8].copy_from_slice(&packed.to_le_bytes());
        count += set.count_ones() as usize;
    }
    out.extend_from_slice(&bytes[..count]);
}

/// A row from the bytes of these squares, which come first in what is stored of ranks 1 to 4 and of
/// ranks 5 to 8; the others are illegal, as those are for which nothing is stored. About 20 ns.
#[inline]
pub(super) fn spread(stored: [&[Code]; 2], squares: Bitboard) -> [Code; 64] {
    let mut row = [ILLEGAL; 64];
    let [mut left, far] = stored;
    for (rank, out) in row.as_chunks_mut::<8>().0.iter_mut().enumerate() {
        let set = squares.0.to_le_bytes()[rank];
        left = if rank == 4 { far } else { left };
        let eight = match left.first_chunk() {
            Some(eight) => u64::from_le_bytes(*eight),
            None => {
                let mut last = [ILLEGAL; 8];
                last[..left.len()].copy_from_slice(left);
                u64::from_le_bytes(last)
            }
        };
        let spread = if set == u8::MAX { eight } else { moved(eight, set, |from, to| (to, from)) };
        *out = spread.to_le_bytes();
        left = left.get(set.count_ones() as usize..).unwrap_or_default();
    }
    row
}

/// Eight bytes with each run of the set moved: `way` says from where to where, in bytes, of where it
/// is in the set and how many of the set come before it.
#[inline]
fn moved(eight: u64, set: u8, way: impl Fn(u32, u32) -> (u32, u32)) -> u64 {
    let (mut left, mut before, mut out) = (u32::from(set), 0, 0);
    while left != 0 {
        let first = left.trailing_zeros();
        let run = (left >> first).trailing_ones();
        let (from, to) = way(first, before);
        out |= (eight >> (8 * from) & u64::MAX >> (64 - 8 * run)) << (8 * to);
        before += run;
        left &= !((1 << (first + run)) - 1);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::block::HALVES;
    use super::*;
    use pretty_assertions::assert_eq;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn squares_come_back(set in any::<u64>(), other in any::<u64>(), codes in any::<[u8; 32]>()) {
            // Of a few squares, of half, and of nearly all.
            for set in [set & other, set, set | other, 0, u64::MAX].map(Bitboard) {
                let row: [u8; 64] = std::array::from_fn(|at| codes[at % 32] ^ at as u8);
                let mut stored = [vec![9], vec![9]];
                for (stored, half) in stored.iter_mut().zip(HALVES) {
                    push(&row, set & half, stored);
                }
                let both = || [&stored[0][1..], &stored[1][1..]];
                let kept: Vec<u8> = set.into_iter().map(|square| row[square as usize]).collect();
                assert_eq!(both().concat(), kept);
                let expected: [u8; 64] = std::array::from_fn(|at| {
                    if set.0 >> at & 1 == 1 { row[at] } else { ILLEGAL }
                });
                assert_eq!(spread(both(), set), expected);
                stored.iter_mut().for_each(|part| part.extend([1; 9]));
                let longer = [&stored[0][1..], &stored[1][1..]];
                assert_eq!(spread(longer, set), expected);
                // Nothing is read where bytes are missing.
                prop_assert!(spread([&[], &[]], set) == [ILLEGAL; 64]);
            }
        }
    }
}
