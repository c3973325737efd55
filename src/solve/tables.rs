//! Tables as an engine. Positions with castling rights are in no table: they are listed as a graph
//! whose leaves, the positions without rights, have their values from the tables.

use super::{Engine, Evidence, SolveError, Verdict, table_value};
use crate::chess::board::{Board, piece_of};
use crate::chess::{Packed, Profile, Vector};
use crate::game::{Game, Values};
use crate::limits::Budget;
use crate::tables::{Material, TableError, Tables};
use std::sync::Arc;

/// The signature of a position, castling rights or not.
fn material(root: &Vector) -> Material {
    let men = root.squares().iter().filter_map(|&c| piece_of(c)).map(|p| (p.color, p.role));
    Material::new(men).0
}

/// Whether no table has to be built for a position of at most five men.
pub(super) fn at_hand(root: &Vector, tables: &Tables, budget: &Budget) -> bool {
    tables.is_at_hand(material(root), budget)
}

/// Decides a position of at most five men.
pub(super) fn solve(
    root: &Vector,
    tables: &Arc<Tables>,
    budget: &Budget,
) -> Result<Verdict, SolveError> {
    let board = Board::from_vector(root).expect("an input position is legal");
    let ensured = if Tables::covers(&board) {
        tables.ensure_for(&board, budget)
    } else {
        tables.ensure(material(root), budget)
    };
    match ensured {
        Ok(()) => {}
        Err(TableError::Stopped(reason)) => {
            return Ok(Verdict::stopped(root, Engine::Tables, reason, 0, budget));
        }
        Err(error) => return Err(SolveError::Tables(error)),
    }
    let packed = Packed::from(root);
    if let Some(value) = table_value(tables, &packed) {
        let evidence = Evidence::Tables(Arc::clone(tables));
        return Ok(Verdict::decided(
            root,
            Engine::Tables,
            value,
            evidence,
            1,
            Profile::Fide,
            budget,
        ));
    }
    let game = match Game::explore_to(root, Profile::Fide, budget, &|p| table_value(tables, p)) {
        Ok(game) => game,
        Err(end) => {
            return Ok(Verdict::stopped(root, Engine::Tables, end.reason, end.positions, budget));
        }
    };
    let values = Values::of(&game);
    let (value, positions) = (values.value(0), u64::from(game.len()));
    let evidence = Evidence::GraphOnTables(Box::new(game), values, Arc::clone(tables));
    Ok(Verdict::decided(root, Engine::Tables, value, evidence, positions, Profile::Fide, budget))
}
