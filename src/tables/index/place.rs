//! Where a position's row is, and where a piece that leaves a row brings it.

use crate::chess::Turn;
use crate::chess::board::Square;

use super::material::MAX_STORED_MEN;

/// Where a position's row is, and the symmetry that brings the position there.
#[derive(Debug, Clone, Copy)]
pub(in crate::tables) struct Place {
    pub(in crate::tables) slice: usize,
    pub(in crate::tables) king: usize,
    pub(in crate::tables) row: usize,
    pub(in crate::tables) symmetry: Turn,
}

impl Place {
    /// Slice, king number and row.
    pub(in crate::tables) fn row_number(&self) -> (usize, usize, usize) {
        (self.slice, self.king, self.row)
    }
}

/// A row without one of its pieces, which goes somewhere: like pieces are kept in order.
#[derive(Debug, Clone, Copy)]
pub(in crate::tables) struct Leaving {
    /// The squares of the pieces of other kinds.
    pub(super) rest: usize,
    /// The squares of the like ones, in order: beside the kings and the piece that leaves.
    pub(super) others: [usize; MAX_STORED_MEN - 3],
    /// How many there are.
    pub(super) count: usize,
    /// Where the last of them stands in the row.
    pub(super) shift: usize,
}

impl Leaving {
    /// The row with the piece on this square.
    #[inline]
    pub(in crate::tables) fn to(&self, to: Square) -> usize {
        if self.count == 0 {
            return self.rest | (to as usize) << self.shift;
        }
        self.among_others(to)
    }

    #[inline]
    fn among_others(&self, to: Square) -> usize {
        let (to, [low, high, last]) = (to as usize, self.others);
        let pieces = match self.count {
            1 if to < low => to << 6 | low,
            1 => low << 6 | to,
            2 if to < low => to << 12 | low << 6 | high,
            2 if to < high => low << 12 | to << 6 | high,
            2 => low << 12 | high << 6 | to,
            _ if to < low => to << 18 | low << 12 | high << 6 | last,
            _ if to < high => low << 18 | to << 12 | high << 6 | last,
            _ if to < last => low << 18 | high << 12 | to << 6 | last,
            _ => low << 18 | high << 12 | last << 6 | to,
        };
        self.rest | pieces << self.shift
    }
}
