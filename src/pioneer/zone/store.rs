//! The store of bundles: six parameters each, chained at the square α0 where the piece stood.
//!
//! The trajectories themselves are recomputed when needed; that a bundle exists, and whether it is
//! frozen, is kept. A frozen bundle lost its sense on the present line (its piece or its target has
//! gone) and thaws on the way back, or when its piece comes again to α0.
//!
//! # References
//! B. M. Stilman, appendix 1 of M. M. Botvinnik, *On the cybernetic goal of the game*, 1975 (figure
//! 15 and the text around it); docs/theory.md §13.

use crate::chess::board::{Piece, Square};
use crate::pioneer::geometry::route::Purpose;

/// Why a bundle is frozen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Frozen {
    /// Its piece has left α0 or was captured.
    PieceGone,
    /// The man on αk has left it or was captured.
    TargetGone,
}

/// The six parameters of a bundle. Eight bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stored {
    /// The piece.
    pub piece: Piece,
    /// αk.
    pub to: Square,
    /// The greatest length of its trajectories in moves.
    pub longest: u8,
    /// What it goes there for.
    pub purpose: Purpose,
    /// The ply of the line at which it froze; unused while it is not frozen.
    pub frozen_at: u16,
    /// Why it is frozen; none when it is in use.
    pub frozen: Option<Frozen>,
}

/// The number of a bundle in its store.
pub type BundleId = u32;

const END: u32 = u32::MAX;

/// All bundles found so far, as chains of cells, one chain for each α0: 16 bytes a bundle and 256
/// bytes of heads.
#[derive(Debug, Clone)]
pub struct Store {
    cells: Vec<(Stored, u32)>,
    heads: [u32; 64],
}

impl Default for Store {
    fn default() -> Self {
        Self { cells: Vec::new(), heads: [END; 64] }
    }
}

impl Store {
    /// The number of bundles.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// The bundle of a number.
    pub fn get(&self, id: BundleId) -> &Stored {
        &self.cells[id as usize].0
    }

    /// The bundles tied to `from`, newest first.
    pub fn at(&self, from: Square) -> impl Iterator<Item = BundleId> + '_ {
        let link = |id: u32| (id != END).then_some(id);
        std::iter::successors(link(self.heads[from as usize]), move |&id| {
            link(self.cells[id as usize].1)
        })
    }

    /// The bundle with these parameters at `from`, frozen or not; made if it is not stored yet
    /// (then true).
    pub fn enter(
        &mut self,
        from: Square,
        piece: Piece,
        to: Square,
        longest: u8,
        purpose: Purpose,
    ) -> (BundleId, bool) {
        let same =
            |s: &Stored| (s.piece, s.to, s.longest, s.purpose) == (piece, to, longest, purpose);
        let known = self.at(from).find(|&id| same(self.get(id)));
        if let Some(id) = known {
            return (id, false);
        }
        let id = self.cells.len() as BundleId;
        let stored = Stored { piece, to, longest, purpose, frozen_at: 0, frozen: None };
        self.cells.push((stored, self.heads[from as usize]));
        self.heads[from as usize] = id;
        (id, true)
    }

    /// Freezes a bundle at a ply, or thaws it.
    pub fn set_frozen(&mut self, id: BundleId, why: Option<Frozen>, ply: u16) {
        let stored = &mut self.cells[id as usize].0;
        stored.frozen = why;
        stored.frozen_at = ply;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Side;
    use crate::chess::board::Role;
    use pretty_assertions::assert_eq;

    #[test]
    fn bundles_are_chained_at_their_square() {
        let mut store = Store::default();
        let knight = Piece::new(Side::White, Role::Knight);
        let (first, new) = store.enter(Square::A1, knight, Square::B3, 2, Purpose::Attack);
        assert!(new);
        let (second, _) = store.enter(Square::A1, knight, Square::C2, 2, Purpose::Attack);
        let (other, _) = store.enter(Square::H8, knight, Square::B3, 2, Purpose::Attack);
        assert_eq!(store.at(Square::A1).collect::<Vec<_>>(), [second, first]);
        assert_eq!(store.at(Square::H8).collect::<Vec<_>>(), [other]);
        assert_eq!(store.at(Square::C3).next(), None);
        store.set_frozen(first, Some(Frozen::PieceGone), 3);
        assert_eq!(store.enter(Square::A1, knight, Square::B3, 2, Purpose::Attack), (first, false));
        assert_eq!(
            (store.get(first).frozen, store.get(first).frozen_at),
            (Some(Frozen::PieceGone), 3)
        );
        assert!(std::mem::size_of::<Stored>() <= 12);
    }
}
