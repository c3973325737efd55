//! Tables at the leaves of a search: up to four men, and five where they are stored.

use crate::chess::Value;
use crate::chess::board::{Board, Position as _};
use crate::limits::Budget;
use crate::tables::{MAX_MEN, Tables};
use std::sync::Arc;
use std::time::Duration;

/// Tables that are built in the middle of a search: these take a second at most.
pub const LEAF_MEN: usize = 4;

/// What tables know of a board; those of few men are built when first asked for, those of five used
/// where they are stored.
pub fn probe(tables: &Tables, budget: &Budget, board: &Board) -> Option<Value> {
    let men = board.chess().board().occupied().count();
    if men > MAX_MEN {
        return None;
    }
    let material = Tables::material_of(board)?;
    if !tables.is_at_hand(material, budget) {
        if men > LEAF_MEN {
            return None;
        }
        // A limit on positions is about those of the search: what it proves must not depend on the
        // tables that earlier runs have left. Of the memory a quarter is the table of bounds.
        tables.ensure(material, &budget.without_positions().memory_of(2)).ok()?;
    }
    tables.probe(board).ok().flatten()
}

/// The tables at the leaves of a search, and their men at most. Cheap to clone.
#[derive(Debug, Clone)]
pub struct LeafTables {
    tables: Arc<Tables>,
    men: usize,
    /// Whether tables with two pawns are built too: with all that they depend on they take some
    /// seconds.
    patient: bool,
}

/// With less time than so much tables that take seconds are not built in the middle of a search.
const PATIENCE: Duration = Duration::from_secs(20);

impl LeafTables {
    /// Tables of at most so many men (five are the most there are).
    pub fn new(tables: Arc<Tables>, men: usize) -> Self {
        Self { tables, men: men.min(MAX_MEN), patient: true }
    }

    /// The same tables for a search within a budget: what takes a good part of its time is used only
    /// where it is stored.
    #[must_use]
    pub fn within(self, budget: &Budget) -> Self {
        let patient = budget.limits().time.is_none_or(|time| time >= PATIENCE);
        Self { patient, ..self }
    }

    /// Has the tables keep up to so many bytes of what they decompress ([`Tables::widen`]).
    pub fn widen(&self, bytes: u64) {
        self.tables.widen(bytes);
    }

    /// The value of a position that a table covers.
    pub fn probe(&self, budget: &Budget, board: &Board) -> Option<Value> {
        let men = board.chess().board();
        if men.occupied().count() > self.men {
            return None;
        }
        if !self.patient && men.pawns().more_than_one() {
            let material = Tables::material_of(board)?;
            if !self.tables.is_at_hand(material, budget) {
                return None;
            }
        }
        probe(&self.tables, budget, board)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;

    #[test]
    fn a_search_of_seconds_does_not_build_what_takes_seconds() {
        let tables = Arc::new(Tables::in_memory());
        let leaves = LeafTables::new(Arc::clone(&tables), LEAF_MEN);
        let brief = Budget::new(Limits::seconds(5));
        let board = |fen: &str| Board::from_fen(fen).unwrap();
        let (two, one) =
            (board("4k3/4p3/8/8/8/8/4P3/4K3 w - -"), board("4k3/8/8/8/8/8/4P3/4K3 w - -"));
        let within = leaves.clone().within(&brief);
        assert_eq!(within.probe(&brief, &two), None);
        assert!(!tables.is_at_hand(Tables::material_of(&two).unwrap(), &brief));
        assert!(within.probe(&brief, &one).is_some());
        assert!(leaves.clone().within(&Budget::new(Limits::seconds(60))).patient);
        assert!(leaves.within(&Budget::default()).patient);
    }
}
