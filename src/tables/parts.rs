//! The part of a table that one position needs, solved in memory: the first answer about a signature with two pawns, whose
//! whole table and all that it depends on would take seconds.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use rayon::prelude::*;

use crate::chess::board::{Board, Role};
use crate::limits::Budget;

use super::TableError;
use super::build::{MEN_IN_MEMORY, solve_slices};
use super::layout::Layout;
use super::material::Material;
use super::probe::Query;
use super::raw::RawTable;
use super::reach::reachable;
use super::shelf::{Tables, by_depth};
use super::source::Source;
use super::value::Code;

/// Tables of which some slices are solved. Bytes: as [`RawTable`], a few megabytes each.
#[derive(Debug, Default)]
pub(super) struct Parts {
    tables: RwLock<HashMap<Material, Arc<RawTable>>>,
}

impl Parts {
    pub(super) fn get(&self, material: Material) -> Option<Arc<RawTable>> {
        self.tables.read().unwrap_or_else(PoisonError::into_inner).get(&material).cloned()
    }

    fn put(&self, material: Material, part: RawTable) {
        self.tables.write().unwrap_or_else(PoisonError::into_inner).insert(material, Arc::new(part));
    }

    /// The code of a position, if its slice is solved.
    pub(super) fn code(&self, query: &Query) -> Option<Code> {
        let part = self.get(query.material)?;
        let squares = query.squares(&part.layout);
        part.slices[part.layout.slice(&squares).0].as_ref()?;
        Some(part.code(query.to_move, query.king, query.other, &squares))
    }
}

impl Tables {
    /// As [`Tables::ensure`] for a position and all that can arise from it. Of four-man signatures with two pawns only the
    /// slices that its pawns can reach are solved, and not stored; when another position of the signature is asked
    /// for, the whole table is solved.
    ///
    /// # Errors
    /// As [`Tables::ensure`].
    pub fn ensure_for(&self, board: &Board, budget: &Budget) -> Result<(), TableError> {
        let Some(query) = Query::new(board) else { return Ok(()) };
        if self.probe(board)?.is_some() && self.parts().get(query.material).is_some() {
            return Ok(()); // its own part, or the whole table
        }
        let pawns = query.men().filter(|man| man.1 == Role::Pawn).count();
        let known = self.parts().get(query.material).is_some();
        if pawns < 2 || query.material.men() > MEN_IN_MEMORY || known || self.is_at_hand(query.material, budget) {
            return self.ensure(query.material, budget);
        }
        let _solving = self.lock();
        let (pawned, plain): (Vec<Material>, Vec<Material>) =
            query.material.closure().into_iter().partition(Material::has_pawns);
        self.solve_missing(&plain, budget)?;
        let missing: Vec<Material> = pawned.into_iter().filter(|&m| !self.is_kept(m, budget)).collect();
        let men: Vec<_> = query.men().collect();
        let reached = reachable(&men);
        for group in by_depth(&missing) {
            group.into_par_iter().try_for_each(|material| -> Result<(), TableError> {
                let Some(wanted) = reached.get(&material) else {
                    // Pawns that block each other never promote: nothing of this table is read.
                    self.parts().put(material, RawTable::empty(Arc::new(Layout::new(material))));
                    return Ok(());
                };
                budget.progress().stage(&format!("a part of table {material}"), None);
                let children = material.children().into_iter().map(|child| {
                    let part = self.parts().get(child).filter(|_| missing.contains(&child));
                    Ok((child, part.map_or_else(|| self.source(child), |part| Ok(Source::Raw(part)))?))
                });
                let children = children.collect::<Result<_, TableError>>()?;
                self.parts().put(material, solve_slices(&wanted.layout, &wanted.slices, &children, budget)?);
                Ok(())
            })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::Value;
    use pretty_assertions::assert_eq;

    /// Some line of play from a position, always the move of this number (modulo their count).
    fn line(root: &Board, number: usize, plies: usize) -> Vec<Board> {
        let mut line = vec![root.clone()];
        while line.len() < plies {
            let board = line.last().expect("not empty");
            let moves = board.legal_moves();
            let Some(&play) = moves.get(number * line.len() % moves.len().max(1)) else { break };
            let next = board.after(play);
            line.push(next);
        }
        line
    }

    fn value(tables: &Tables, board: &Board) -> Value {
        tables.probe(board).unwrap().unwrap_or_else(|| panic!("{board:?} is not at hand"))
    }

    /// The best of the values after each move, as the side to move sees it.
    fn best_of_moves(tables: &Tables, board: &Board) -> Value {
        let moves = board.legal_moves();
        let after = moves.iter().map(|&m| value(tables, &board.after(m)).before());
        let stuck = if board.in_check() { Value::Loss(0) } else { Value::Draw };
        after.max_by_key(|v| v.preference()).unwrap_or(stuck)
    }

    #[test]
    fn a_part_is_whole_for_all_that_its_position_leads_to() {
        // Pawns that pass each other, with captures; pawns that block each other for good.
        for fen in ["8/p7/8/1P6/8/8/8/K6k w - -", "8/p7/8/8/8/8/P7/K6k w - -"] {
            let tables = Tables::in_memory();
            let root = Board::from_fen(fen).unwrap();
            tables.ensure_for(&root, &Budget::default()).unwrap();
            assert!(!tables.is_ready("KPvKP".parse().unwrap()), "only a part is solved");
            let mut seen = 0;
            for number in 0..400 {
                for board in &line(&root, number, 40) {
                    assert_eq!(value(&tables, board), best_of_moves(&tables, board), "{board:?}");
                    seen += 1;
                }
            }
            assert!(seen > 4000, "{seen}");
            // A placement that the position does not lead to is not at hand.
            let elsewhere = Board::from_fen("8/6p1/8/1P6/8/8/8/K6k w - -").unwrap();
            assert_eq!(tables.probe(&elsewhere).unwrap(), None);
        }
    }

    #[test]
    #[ignore = "parts against whole tables in KPvKP and KPPvK, a minute"]
    fn parts_agree_with_whole_tables() {
        let whole = Tables::in_memory();
        for text in ["KPvKP", "KPPvK"] {
            let material: Material = text.parse().unwrap();
            whole.ensure(material, &Budget::default()).unwrap();
            for root in Tables::sample(material, 5).take(10) {
                let part = Tables::in_memory();
                part.ensure_for(&root, &Budget::default()).unwrap();
                for number in 0..50 {
                    for board in line(&root, number, 60) {
                        assert_eq!(value(&part, &board), value(&whole, &board), "{root:?} {board:?}");
                    }
                }
            }
        }
    }
}
