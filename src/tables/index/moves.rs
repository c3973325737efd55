//! The best of several moves, for the 64 positions of a row together.

use crate::chess::board::Bitboard;

use super::symmetry::bytes;
use super::value::Code;

/// What the opponent likes least of the positions that moves lead to, by the square of Black's king:
/// its lowest code, less 1, so that an illegal position comes last.
#[derive(Debug, Clone)]
pub(in crate::tables) struct Least([u8; 64]);

impl Least {
    /// No move yet.
    pub(in crate::tables) const NONE: Self = Self([u8::MAX; 64]);

    /// A move into these positions, but for where Black's king stands in its way.
    pub(in crate::tables) fn take(&mut self, reached: &[Code; 64], shut: Bitboard) {
        if shut.is_empty() {
            for (least, &code) in self.0.iter_mut().zip(reached) {
                *least = (*least).min(code.wrapping_sub(1));
            }
        } else {
            for ((least, &code), shut) in self.0.iter_mut().zip(reached).zip(bytes(shut)) {
                *least = (*least).min(code.wrapping_sub(1) | shut);
            }
        }
    }

    /// Black's king goes one step, White to move then in one of these positions: the least of the
    /// neighbours, first along the ranks, then across them.
    pub(in crate::tables) fn step(&mut self, reached: &[Code; 64]) {
        let here = reached.map(|code| code.wrapping_sub(1));
        let (mut beside, mut wide) = ([u8::MAX; 64], here);
        for rank in (0..64).step_by(8) {
            let word = u64::from_le_bytes(*here[rank..].first_chunk().expect("eight bytes"));
            let left = (word << 8 | 0xff).to_le_bytes();
            let right = (word >> 8 | 0xff << 56).to_le_bytes();
            for file in 0..8 {
                beside[rank + file] = left[file].min(right[file]);
                wide[rank + file] = wide[rank + file].min(beside[rank + file]);
            }
        }
        self.0.iter_mut().zip(beside).for_each(|(least, beside)| *least = (*least).min(beside));
        for at in 8..64 {
            self.0[at] = self.0[at].min(wide[at - 8]);
            self.0[at - 8] = self.0[at - 8].min(wide[at]);
        }
    }

    /// The codes of the positions that the mover goes to.
    pub(in crate::tables) fn codes(&self) -> [Code; 64] {
        self.0.map(|least| least.wrapping_add(1))
    }
}
