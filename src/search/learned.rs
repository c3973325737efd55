//! Bounds kept from one position to the next, such as the lines of a file.
//!
//! What a table of bounds says of a position is proved of it: within how many plies a side mates, or
//! does not, by all legal moves, however the position is reached. It depends on no root and on no
//! limit, the key tells the attackers apart, and what was interrupted has left numbers that order the
//! work and decide nothing. So a table may serve any question that ends its lines by the same tables
//! and rules. (Goals other than mate and restricted moves have tables of their own, which are not
//! kept.)

use super::bounds::Bounds;
use std::sync::{Arc, Mutex, PoisonError};

/// A table that is fuller than this makes way for an empty one: new entries would displace each
/// other.
const FULL: f64 = 0.5;

/// A table of bounds, while no search uses it. Clones hold the same one; searches at the same time
/// do not share it: the second begins with an empty one.
#[derive(Debug, Clone, Default)]
pub struct Learned(Arc<Mutex<Option<Bounds>>>);

impl Learned {
    /// The table, if there is one that has room and is within so many bytes, the most that a new one
    /// would take; half of them are enough.
    pub(super) fn take(&self, bytes: u64) -> Option<Bounds> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        let fits = (bytes / 2..=bytes).contains(&kept.bytes());
        (fits && kept.filled() < FULL).then_some(kept)
    }

    /// Keeps a table for the next search.
    pub(super) fn keep(&self, bounds: Bounds) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(bounds);
    }
}
