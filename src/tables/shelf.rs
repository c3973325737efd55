//! The tables at hand: what is solved already, and solving what is not.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, RwLock};

use rayon::prelude::*;

use crate::chess::board::{Board, Position};
use crate::limits::Budget;

use super::build::solve;
use super::exits::en_passant_value;
use super::material::{MAX_MEN, Material};
use super::probe::Query;
use super::raw::RawTable;
use super::stats::{Stats, count};
use super::value::{Code, ILLEGAL, before, decode};
use super::{Metric, TableError, Value};

/// Solved tables, shared between threads. A probe of a table at hand takes about 100 ns.
#[derive(Debug, Default)]
pub struct Tables {
    solved: RwLock<HashMap<Material, Arc<RawTable>>>,
    /// Held while tables are being solved, so that no two threads solve the same one.
    solving: Mutex<()>,
}

impl Tables {
    /// No tables yet; what is solved is kept in memory only.
    pub fn in_memory() -> Self {
        Self::default()
    }

    /// Can a table hold this position? (At most [`MAX_MEN`] men and no castling rights.)
    pub fn covers(board: &Board) -> bool {
        board.chess().board().occupied().count() <= MAX_MEN && !board.chess().castles().any()
    }

    /// The signature of a position that tables cover.
    pub fn material_of(board: &Board) -> Option<Material> {
        Query::new(board).map(|query| query.material)
    }

    /// Makes the table of a signature, and every table it depends on, available to [`Tables::probe`].
    ///
    /// # Errors
    /// When the budget ends first, or a mate is too long for a table.
    pub fn ensure(&self, material: Material, budget: &Budget) -> Result<(), TableError> {
        if self.get(material).is_some() {
            return Ok(());
        }
        let _solving = self.solving.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let missing: Vec<Material> = material.closure().into_iter().filter(|&m| self.get(m).is_none()).collect();
        for group in by_depth(&missing) {
            let solved: Result<Vec<RawTable>, TableError> =
                group.par_iter().map(|&next| solve(next, Metric::Mate, &self.children(next), budget)).collect();
            let mut shelf = self.solved.write().unwrap_or_else(std::sync::PoisonError::into_inner);
            shelf.extend(group.into_iter().zip(solved?.into_iter().map(Arc::new)));
        }
        Ok(())
    }

    /// The value of a position, exact also with a mark for en passant; `None` if its table, or one that a
    /// capture en passant leads to, is not at hand ([`Tables::ensure`]) or cannot be ([`Tables::covers`]).
    ///
    /// # Errors
    /// When a stored table turns out to be damaged.
    pub fn probe(&self, board: &Board) -> Result<Option<Value>, TableError> {
        Ok(self.code(board).and_then(decode))
    }

    /// Counts a table, after solving what is missing; with `symmetry`, images of each other count once.
    ///
    /// # Errors
    /// As [`Tables::ensure`].
    pub fn stats(
        &self,
        material: Material,
        metric: Metric,
        symmetry: bool,
        budget: &Budget,
    ) -> Result<Stats, TableError> {
        self.ensure(material, budget)?;
        match (metric, self.get(material)) {
            (Metric::Mate, Some(table)) => Ok(count(&table, symmetry)),
            _ => Ok(count(&solve(material, metric, &self.children(material), budget)?, symmetry)),
        }
    }

    fn children(&self, material: Material) -> HashMap<Material, Arc<RawTable>> {
        material.children().into_iter().filter_map(|child| Some((child, self.get(child)?))).collect()
    }

    fn code(&self, board: &Board) -> Option<Code> {
        let query = Query::new(board)?;
        let table = self.get(query.material)?;
        let code = table.code(query.to_move, query.king, query.other, &query.squares(&table.layout));
        if board.chess().maybe_ep_square().is_none() {
            return Some(code);
        }
        let moves = board.legal_moves();
        let mut capture = ILLEGAL;
        for m in moves.iter().filter(|m| m.is_en_passant()) {
            capture = capture.max(before(self.code(&board.after(*m))?));
        }
        if capture == ILLEGAL {
            return Some(code);
        }
        Some(en_passant_value(code, capture, || moves.iter().any(|m| !m.is_en_passant())))
    }

    fn get(&self, material: Material) -> Option<Arc<RawTable>> {
        self.solved.read().unwrap_or_else(std::sync::PoisonError::into_inner).get(&material).cloned()
    }
}

/// Groups signatures so that each depends on earlier groups alone; the order within the list must respect the
/// dependencies already.
fn by_depth(materials: &[Material]) -> Vec<Vec<Material>> {
    let mut depths: HashMap<Material, usize> = HashMap::new();
    let mut groups: Vec<Vec<Material>> = Vec::new();
    for &material in materials {
        let depth = material.children().iter().filter_map(|c| depths.get(c)).max().map_or(0, |d| d + 1);
        depths.insert(material, depth);
        if groups.len() <= depth {
            groups.push(Vec::new());
        }
        groups[depth].push(material);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn value(tables: &Tables, fen: &str) -> Value {
        let board = Board::from_fen(fen).unwrap();
        tables.ensure(Tables::material_of(&board).unwrap(), &Budget::default()).unwrap();
        tables.probe(&board).unwrap().unwrap()
    }

    #[test]
    fn known_values() {
        let tables = Tables::in_memory();
        for (fen, expected) in [
            ("7k/8/5K2/8/8/8/6Q1/8 w - - 0 1", Value::Win(1)),
            ("8/2R5/8/8/7k/3K4/8/4n3 w - - 0 1", Value::Win(79)),
            // Colours exchanged: the stronger side is Black.
            ("4N3/8/3k4/7K/8/8/2r5/8 b - - 0 1", Value::Win(79)),
            ("8/8/8/8/8/2k5/2p5/2K5 w - - 0 1", Value::Draw),
        ] {
            assert_eq!(value(&tables, fen), expected, "{fen}");
        }
    }

    #[test]
    fn castling_rights_are_not_covered() {
        let board = Board::from_fen("4k3/8/8/8/8/8/8/4K2R w K - 0 1").unwrap();
        assert!(!Tables::covers(&board));
        assert_eq!(Tables::in_memory().probe(&board).unwrap(), None);
    }
}
