//! Proof search as an engine, with tables of up to four men at its leaves.

use super::{Bound, Engine, Evidence, Verdict};
use crate::chess::Vector;
use crate::chess::board::{Board, Position as _};
use crate::game::Value;
use crate::limits::Budget;
use crate::search;
use crate::tables::{self, Tables};
use std::sync::Arc;

/// Tables that are built in the middle of a search: these take a second at most.
pub(super) const LEAF_MEN: usize = 4;

/// What tables know of a board; tables of few men are built when first asked for.
pub(super) fn probe(tables: &Tables, budget: &Budget, board: &Board) -> Option<tables::Value> {
    if board.chess().board().occupied().count() > LEAF_MEN {
        return None;
    }
    tables.ensure(Tables::material_of(board)?, budget).ok()?;
    tables.probe(board).ok().flatten()
}

/// The tables at the leaves of a search, and their men at most.
#[derive(Debug, Clone)]
pub struct LeafTables {
    pub(super) tables: Arc<Tables>,
    pub(super) men: usize,
}

impl LeafTables {
    /// The value of a position that a table covers.
    pub(super) fn probe(&self, budget: &Budget, board: &Board) -> Option<tables::Value> {
        let small = board.chess().board().occupied().count() <= self.men;
        small.then(|| probe(&self.tables, budget, board)).flatten()
    }
}

/// Decides by proof search: a win with a plan, or two closed regions.
pub(super) fn solve(root: &Vector, leaves: LeafTables, mut options: search::Options, budget: &Budget) -> Verdict {
    let board = Board::from_vector(root).expect("an input position is legal");
    budget.progress().stage("searching for a proof", None);
    if let Some(left) = budget.remaining() {
        options.shorten = left / 2;
    }
    let outcome = search::solve(&board, &options, &|b| leaves.probe(budget, b), budget);
    let mut verdict = Verdict { engine: Engine::Search, ..Verdict::undecided(root, budget) };
    verdict.positions = outcome.positions;
    verdict.stop = outcome.stop;
    if let Some(win) = &outcome.win {
        verdict.value = Some(Value::Wins(win.side, win.plies.into()));
        verdict.shortest = win.shortest;
        if win.side == board.side_to_move() {
            verdict.best = win.plan.play(&board, &|b| leaves.probe(budget, b)).into_iter().collect();
        }
    } else if let [Some(white), Some(black)] = &outcome.holds {
        verdict.value = Some(Value::Draw);
        let own = if root.white_to_move() { white } else { black };
        verdict.best = own.plays(&board, &|b| leaves.probe(budget, b));
    } else {
        let bounds = [(outcome.safe[0], Bound::WhiteHolds), (outcome.safe[1], Bound::BlackHolds)];
        verdict.bounds = bounds.into_iter().filter_map(|(safe, bound)| safe.then_some(bound)).collect();
    }
    if verdict.value.is_some() && verdict.shortest {
        verdict.stop = None;
    }
    verdict.evidence = Evidence::Search(Box::new(outcome), leaves);
    verdict
}
