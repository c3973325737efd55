//! Proof search as an engine, with tables at its leaves: up to four men, and five where they are
//! stored.

use super::{Bound, Engine, Evidence, Verdict};
use crate::chess::Vector;
use crate::chess::board::{Board, Position as _};
use crate::game::Value;
use crate::limits::{Budget, Limits};
use crate::search::{Options, Outcome, Pursuit};
use crate::tables::{self, MAX_MEN, Tables};
use std::sync::Arc;

/// Tables that are built in the middle of a search: these take a second at most.
pub(super) const LEAF_MEN: usize = 4;

/// What tables know of a board; those of few men are built when first asked for, those of five used
/// where they are stored.
pub(super) fn probe(tables: &Tables, budget: &Budget, board: &Board) -> Option<tables::Value> {
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
        // tables that earlier runs have left.
        let building = budget.limited(Limits { positions: None, ..*budget.limits() });
        tables.ensure(material, &building).ok()?;
    }
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

/// Plies of the mates that are looked for before anything else, and the positions that may cost.
const SHORT_MATE: (u16, u64) = (5, 50_000);

/// Bytes of bounds that a search can learn in a second, amply.
const FILLED_A_SECOND: f64 = 48e6;

/// Proof search of one position, with what it has learned so far.
pub(super) struct Searcher {
    root: Vector,
    board: Board,
    leaves: LeafTables,
    options: Options,
    pursuit: Pursuit,
    positions: u64,
}

impl Searcher {
    /// A search that has learned nothing. Memory: three quarters of the budget's, 1 GiB at most,
    /// and no more than its time can fill: pages touched cost time.
    pub(super) fn new(
        root: &Vector,
        leaves: LeafTables,
        mut options: Options,
        budget: &Budget,
    ) -> Self {
        let board = Board::from_vector(root).expect("an input position is legal");
        if let Some(left) = budget.remaining() {
            let filled = (left.as_secs_f64() * FILLED_A_SECOND) as u64;
            options.table_bytes = options.table_bytes.min(filled.max(1 << 24));
        }
        let pursuit = Pursuit::new(&options, budget);
        Self { root: *root, board, leaves, options, pursuit, positions: 0 }
    }

    /// Positions visited so far.
    pub(super) fn positions(&self) -> u64 {
        self.positions
    }

    /// A mate in a few moves by the side to move, with all the moves that mate as soon: thousandths
    /// of a second.
    pub(super) fn short_mate(&mut self, budget: &Budget) -> Option<Verdict> {
        let (plies, most) = SHORT_MATE;
        let limit = |most: u64| budget.limits().positions.map_or(most, |n| n.min(most));
        let little = budget.limited(Limits { positions: Some(limit(most)), ..*budget.limits() });
        let outcome = self.pursuit.mate_in(&self.board, plies, &little);
        self.positions += outcome.positions;
        let plies = outcome.win.as_ref()?.plies;
        let mut verdict = self.verdict(outcome, budget);
        if let Some((moves, visited)) = self.pursuit.mating_moves(&self.board, plies, &little) {
            (verdict.best, verdict.best_complete) = (moves, true);
            self.positions += visited;
        }
        Some(Verdict { positions: self.positions, ..verdict })
    }

    /// Decides by proof search: a win with a plan, or two closed regions. A win is made shorter for
    /// three quarters of the budget's time; a tenth of it is left for the certificate.
    pub(super) fn solve(&mut self, budget: &Budget) -> Verdict {
        budget.progress().stage("searching for a proof", None);
        if let Some(left) = budget.remaining() {
            (self.options.shorten, self.options.reserve) = (left / 4 * 3, left / 10);
        }
        let known = |b: &Board| self.leaves.probe(budget, b);
        // What is proved at the last moment still has to be certified.
        let part = budget.remaining().map(|left| budget.part(left - left / 10));
        let outcome =
            self.pursuit.solve(&self.board, &self.options, &known, part.as_ref().unwrap_or(budget));
        self.positions += outcome.positions;
        self.verdict(outcome, budget)
    }

    fn verdict(&self, outcome: Outcome, budget: &Budget) -> Verdict {
        let known = |b: &Board| self.leaves.probe(budget, b);
        let mut verdict =
            Verdict { engine: Engine::Search, ..Verdict::undecided(&self.root, budget) };
        verdict.positions = outcome.positions;
        verdict.stop = outcome.stop;
        if let Some(win) = &outcome.win {
            verdict.value = Some(Value::Wins(win.side, win.plies.into()));
            verdict.shortest = win.shortest;
            if win.side == self.board.side_to_move() {
                verdict.best = win.plan.play(&self.board, &known).into_iter().collect();
            }
        } else if let [Some(white), Some(black)] = &outcome.holds {
            verdict.value = Some(Value::Draw);
            let own = if self.root.white_to_move() { white } else { black };
            verdict.best = own.plays(&self.board, &known);
        } else {
            let bounds =
                [(outcome.safe[0], Bound::WhiteHolds), (outcome.safe[1], Bound::BlackHolds)];
            verdict.bounds =
                bounds.into_iter().filter_map(|(safe, bound)| safe.then_some(bound)).collect();
        }
        if verdict.value.is_some() && verdict.shortest {
            verdict.stop = None;
        }
        verdict.evidence = Evidence::Search(Box::new(outcome), self.leaves.clone());
        verdict
    }
}
