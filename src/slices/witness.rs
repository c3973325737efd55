//! Slices of kings and pawns read from a witness: whoever else knows who wins, such as the user's
//! Syzygy files.
//!
//! A witness is asked about every legal position of a slice. At 1 to 2 µs an answer a slice takes
//! some 10 ms, a hundred times what solving it takes; what is saved are the slices below it, those
//! after promotions among them. Slices with an officer have 64 times as many positions, so they are
//! solved.
//!
//! What is read is true and not proved here: lines of a strategy have to end in such positions, by
//! citation.

use super::bits::squares;
use super::key::{Key, Place};
use super::rows::{Sets, kings_open, kings_won};
use crate::chess::{Outcome, Packed, Side};

/// Pawns of the largest slices that are asked about: with the kings seven men.
const MOST_PAWNS: u32 = 5;

/// Knows who wins in positions of few men.
pub trait Witness: std::fmt::Debug + Send + Sync {
    /// The outcome of a legal position; none where nothing is known of these men.
    fn outcome(&self, p: &Packed) -> Option<Outcome>;
}

/// The won positions of a slice of kings and pawns, if the witness knows all of them.
pub(super) fn read(key: &Key, attacker: Side, witness: &dyn Witness) -> Option<Sets> {
    if key.kind() > 0 || key.is_below() || key.pawns().count_ones() > MOST_PAWNS {
        return None;
    }
    let mut sets = Sets::nothing(key);
    for (ours, legal) in [(true, kings_open(key)), (false, kings_won(key))] {
        for (king, others) in legal.into_iter().enumerate() {
            for other in squares(others) {
                let place = Place { king: king as u8, other, men: [0; 3], ours };
                if witness.outcome(&key.packed(&place, attacker))? != Outcome::Wins(attacker) {
                    continue;
                }
                let (row, bit) = key.index(&place);
                if ours {
                    sets.open[row] &= !bit;
                } else {
                    sets.won[row] |= bit;
                }
            }
        }
    }
    Some(sets)
}
