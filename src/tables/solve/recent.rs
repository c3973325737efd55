//! Slices just solved, as they are in memory, for those that are solved next: their pawns move into
//! these, and unpacking a slice takes a seventh of the time that solving it does.

use hashbrown::HashMap;
use std::collections::VecDeque;
use std::sync::Arc;

use crate::chess::Side;
use crate::chess::board::Role;
use crate::tables::index::layout::Layout;
use crate::tables::index::raw::RawSlice;

/// The last slices of a table that was solved, as many as there is room for.
#[derive(Debug, Default)]
pub(super) struct Recent {
    room: u64,
    slices: HashMap<usize, Arc<RawSlice>>,
    /// The same, oldest first.
    order: VecDeque<usize>,
    bytes: u64,
}

impl Recent {
    pub(super) fn new(room: u64) -> Self {
        Self { room, ..Self::default() }
    }

    /// Whether any slices can be kept.
    pub(super) fn has_room(&self) -> bool {
        self.room > 0
    }

    /// Keeps a slice, in place of the oldest ones.
    pub(super) fn put(&mut self, slice: usize, codes: RawSlice) {
        self.bytes += bytes(&codes);
        self.slices.insert(slice, Arc::new(codes));
        self.order.push_back(slice);
        while self.bytes > self.room
            && let Some(oldest) = self.order.pop_front()
        {
            let codes = self.slices.remove(&oldest).expect("what is in order is kept");
            self.bytes -= bytes(&codes);
        }
    }

    pub(super) fn get(&self, slice: usize) -> Option<&Arc<RawSlice>> {
        self.slices.get(&slice)
    }
}

/// What pawn moves into this slice lead to: the codes with the side to move whose opponent has
/// pawns.
pub(super) fn reached_by_pawns(layout: &Layout, mut codes: RawSlice) -> RawSlice {
    for side in Side::ALL {
        let pawns = layout.men.iter().any(|man| man.role == Role::Pawn && man.side != side);
        if !pawns {
            codes.sides[side as usize] = Vec::new();
        }
    }
    codes
}

fn bytes(codes: &RawSlice) -> u64 {
    codes.sides.iter().flatten().map(|king| king.len() as u64).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn the_oldest_slices_make_room() {
        let codes = |rows: usize| RawSlice { sides: [vec![vec![7; 64 * rows]], Vec::new()] };
        let mut recent = Recent::new(64 * 5);
        (0..4).for_each(|slice| recent.put(slice, codes(2)));
        let kept = |recent: &Recent| -> Vec<usize> {
            (0..6).filter(|&slice| recent.get(slice).is_some()).collect()
        };
        assert_eq!(kept(&recent), [2, 3]);
        recent.put(4, codes(1));
        assert_eq!(kept(&recent), [2, 3, 4]);
        recent.put(5, codes(6));
        assert_eq!(kept(&recent), Vec::<usize>::new());
    }

    #[test]
    fn what_no_pawn_moves_into_is_not_kept() {
        for (name, sides) in [("KRPvKR", [false, true]), ("KRPvKP", [true, true])] {
            let codes = RawSlice { sides: [vec![vec![1; 64]], vec![vec![2; 64]]] };
            let kept = reached_by_pawns(&Layout::new(name.parse().unwrap()), codes);
            assert_eq!(kept.sides.map(|side| !side.is_empty()), sides, "{name}");
        }
    }
}
