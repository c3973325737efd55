//! Tables as an engine. Positions with castling rights are in no table: they are listed as a graph
//! whose leaves, the positions without rights, have their values from the tables.

use super::super::question::Question;
use super::super::{Engine, Evidence, SolveError, Verdict};
use crate::chess::board::{Board, piece_of};
use crate::chess::{Packed, Profile, Vector};
use crate::game::{Game, Values};
use crate::prove::table_value;
use crate::tables::{MAX_MEN, Material, TableError};
use std::sync::Arc;

/// The signature of a position, castling rights or not.
pub(super) fn material(root: &Vector) -> Material {
    let men = root.squares().iter().filter_map(|&c| piece_of(c)).map(|p| (p.side, p.role));
    Material::new(men).0
}

/// Whether tables decide a position without one being built.
pub(super) fn at_hand(question: &Question) -> bool {
    if question.root.men() > MAX_MEN {
        return question.tables().material_at_hand(&question.board(), question.budget).is_some();
    }
    question.tables().is_at_hand(material(question.vector()), question.budget)
}

/// Decides a position of at most five men, or one of six whose table is at hand.
pub(super) fn solve(question: &Question) -> Result<Verdict, SolveError> {
    let (board, tables, budget) = (question.board(), question.tables(), question.budget);
    let ensured = if tables.material_at_hand(&board, budget).is_some() {
        tables.ensure_for(&board, budget)
    } else {
        tables.ensure_values(material(question.vector()), budget)
    };
    match ensured {
        Ok(()) => {}
        Err(TableError::Stopped(reason)) => {
            return Ok(Verdict::stopped(question, Engine::Tables, reason, 0));
        }
        Err(error) => return Err(SolveError::Tables(error)),
    }
    if let Some(value) = table_value(tables, &board) {
        let evidence = Evidence::Tables(Arc::clone(tables));
        return Ok(Verdict::decided(question, Engine::Tables, value, evidence, 1));
    }
    let known = |p: &Packed| table_value(tables, &Board::of_legal(p));
    let explored = Game::explore_to(question.vector(), Profile::Fide, budget, &known);
    let game = match explored {
        Ok(game) => game,
        Err(end) => {
            return Ok(Verdict::stopped(question, Engine::Tables, end.reason, end.positions));
        }
    };
    let values = Values::of(&game);
    let (value, positions) = (values.value(0), u64::from(game.len()));
    let evidence = Evidence::GraphOnTables(Box::new(game), values, Arc::clone(tables));
    Ok(Verdict::decided(question, Engine::Tables, value, evidence, positions))
}
