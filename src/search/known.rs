//! What one side's attempts to hold have found, and where their lines end.

use super::parts::Parts;
use super::walls::Walls;
use crate::certificate::Strategy;
use crate::chess::Side;
use crate::chess::board::Board;
use std::cell::RefCell;

/// Positions in which one side holds: the union of them is closed.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// Behind walls of pawns.
    pub(super) walls: RefCell<Walls>,
    /// After captures and promotions, and from positions near the root.
    pub(super) parts: RefCell<Parts>,
}

impl Known {
    /// Takes in what another thread knows.
    pub(super) fn join(&mut self, other: Self) {
        let (walls, parts) = (other.walls.into_inner(), other.parts.into_inner());
        self.walls.get_mut().closed.extend(walls.closed);
        self.parts.get_mut().join(parts);
    }

    /// All sets.
    pub(super) fn sets(&self, root: &Board, holder: Side) -> Vec<Strategy> {
        let mut sets = self.walls.borrow().closed.clone();
        sets.extend(self.parts.borrow().strategy(root, holder));
        sets
    }
}
