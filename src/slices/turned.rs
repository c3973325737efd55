//! A slice's sets with another man as the axis: words over the squares that this man may come to.
//!
//! Where the axis is taken, what the slice without it says has to be known for each square of the axis,
//! to which another man has moved: one word here, which would be a bit each of so many words there.
//!
//! Cost: 1 ms for a set of a slice with two officers, and as many bytes as that set has.

use super::bits::{KING, Officer};
use super::key::Key;
use super::shape::{Row, Shape};
use crate::tables::transpose;
use std::borrow::Cow;

/// A man that takes the axis.
struct Taker<'a> {
    /// None for a king.
    officer: Option<Officer>,
    /// Its number among the fixed officers.
    number: usize,
    /// Where its square stands in the number of a position of the slice without the axis.
    shift: u32,
    /// That slice's set with this man as the axis.
    words: Cow<'a, [u64]>,
}

/// Those of one side, with the set of the slice without the axis.
pub(super) struct Turned<'a> {
    key: &'a Key,
    ours: bool,
    takers: Vec<Taker<'a>>,
}

/// The number of the position without the axis in the slice of that: the row and, in the last six bits,
/// the bit. Where an officer at rest moves in its place, that is the axis there.
#[inline]
pub(super) fn without_axis(key: &Key, row: &Row) -> usize {
    match (key.rest.first(), row.men()) {
        (Some((_, at)), _) => row.number() << 6 | usize::from(at),
        (None, []) => row.number(),
        (None, &[axis, ..]) => row.without(0).number() << 6 | usize::from(axis),
    }
}

impl<'a> Turned<'a> {
    /// The king and the officers of a side (`ours`: the attacker's) that may take the axis; `after` is the set
    /// of the slice without it.
    pub(super) fn of(key: &'a Key, shape: &Shape, ours: bool, after: &'a [u64]) -> Self {
        // The attacker's king comes first in a number, then the defender's.
        let top = after.len().trailing_zeros();
        let moves_on = !key.rest.is_empty();
        let taker = |officer, number, shift| Taker {
            officer,
            number,
            shift,
            words: if shift == 0 { after.into() } else { with_axis_at(after, shift).into() },
        };
        let king = taker(None, 0, if ours { top } else { top - 6 });
        let officers = shape.fixed(ours).map(|(number, officer)| {
            let shift = match number {
                // The first is the axis without the one that is taken.
                0 if !moves_on => 0,
                _ => shape.shift(number) + 6,
            };
            taker(Some(officer), number, shift)
        });
        Self { key, ours, takers: std::iter::once(king).chain(officers).collect() }
    }

    /// The squares on which the axis is taken, occupied ones among them.
    #[inline]
    pub(super) fn axis_taken(&self, row: &Row) -> u64 {
        let full = without_axis(self.key, row);
        let occupied = self.key.pawns() | row.occupied();
        self.takers.iter().fold(0, |all, taker| {
            let at = full >> (taker.shift + 6) << taker.shift | full & ((1 << taker.shift) - 1);
            let reach = match taker.officer {
                Some(officer) => officer.attacks(row.men()[taker.number], occupied),
                None => KING[usize::from(if self.ours { row.king } else { row.other })],
            };
            all | taker.words[at] & reach
        })
    }
}

/// The set with the man as the axis whose square stands at `shift` of a position's number: the number
/// of a word is what is left of that.
fn with_axis_at(rows: &[u64], shift: u32) -> Vec<u64> {
    let mut words = vec![0; rows.len()];
    // Words of one square of the man lie so far apart.
    let stride = 1 << (shift - 6);
    for high in (0..rows.len()).step_by(64 * stride) {
        for low in 0..stride {
            let mut matrix = std::array::from_fn(|at| rows[high + at * stride + low]);
            transpose(&mut matrix);
            words[high + low * 64..][..64].copy_from_slice(&matrix);
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn every_bit_of_a_set_is_where_another_man_has_it() {
        let mut state = 0x0dd5_eed5_u64;
        let mut random = || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            state ^ state >> 31
        };
        for digits in 1..4 {
            let rows: Vec<u64> = (0..1 << (6 * digits)).map(|_| random()).collect();
            for digit in 1..=digits {
                let shift = 6 * digit as u32;
                let words = with_axis_at(&rows, shift);
                for full in (0..rows.len() << 6).step_by(37) {
                    let word = full >> (shift + 6) << shift | full & ((1 << shift) - 1);
                    let has = rows[full >> 6] >> (full & 63) & 1;
                    assert_eq!(
                        words[word] >> (full >> shift & 63) & 1,
                        has,
                        "{digits} {digit} {full}"
                    );
                }
            }
        }
    }
}
