//! Proof search as an engine, with tables at its leaves: up to four men, and five where they are
//! stored.

use super::super::{Bound, Engine, Evidence, Verdict};
use super::Question;
use crate::chess::Value;
use crate::chess::board::Board;
use crate::chess::cannot_be_mated;
use crate::chess::{Position, Side};
use crate::limits::Budget;
use crate::search::{LeafTables, Options, Outcome, Pursuit};
use std::sync::Arc;

/// Plies of the mates that are looked for before anything else, and the positions that may cost.
const SHORT_MATE: (u16, u64) = (5, 50_000);

/// Bytes of bounds that a search can learn in a second, amply.
const FILLED_A_SECOND: f64 = 48e6;

/// Proof search of one position, with what it has learned so far.
pub(in crate::solve) struct Searcher {
    root: Position,
    board: Board,
    leaves: LeafTables,
    options: Options,
    pursuit: Pursuit,
    positions: u64,
}

impl Searcher {
    /// A search that has learned nothing. Memory: three quarters of the budget's, 1 GiB at most,
    /// and no more than its time can fill: pages touched cost time.
    pub(in crate::solve) fn new(question: &Question) -> Self {
        let Question { solver, budget, .. } = *question;
        let (rules, outlook) = (solver.rules.clone(), solver.outlook.clone());
        let mut options = Options { rules, outlook, ..Options::default() };
        if let Some(left) = budget.remaining() {
            let filled = (left.as_secs_f64() * FILLED_A_SECOND) as u64;
            options.table_bytes = options.table_bytes.min(filled.max(1 << 24));
        }
        Self {
            root: *question.root,
            board: question.board(),
            leaves: LeafTables::new(Arc::clone(question.tables()), question.options.table_men),
            pursuit: Pursuit::new(&options, budget),
            options,
            positions: 0,
        }
    }

    /// Positions visited so far.
    pub(in crate::solve) fn positions(&self) -> u64 {
        self.positions
    }

    /// A mate in a few moves by the side to move, with all the moves that mate as soon: thousandths
    /// of a second.
    pub(in crate::solve) fn short_mate(&mut self, budget: &Budget) -> Option<Verdict> {
        let (plies, most) = SHORT_MATE;
        let little = budget.at_most(most);
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
    pub(in crate::solve) fn solve(&mut self, budget: &Budget) -> Verdict {
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
        let mut verdict = Verdict {
            positions: outcome.positions,
            stop: outcome.stop,
            ..Verdict::undecided(self.root, Engine::Search, budget)
        };
        if let Some(win) = &outcome.win {
            verdict.value = Some(Value::Wins(win.side, win.plies.into()));
            verdict.shortest = win.shortest;
            if win.side == self.board.side_to_move() {
                verdict.best = win.plan.play(&self.board, &known).into_iter().collect();
            }
        } else if let [Some(white), Some(black)] = &outcome.holds {
            verdict.value = Some(Value::Draw);
            let own = if self.board.side_to_move() == Side::White { white } else { black };
            verdict.best = own.plays(&self.board, &known);
        } else {
            // A hold counts where there is evidence: a closed region, or that nothing can mate.
            let holds = |side: Side| {
                outcome.holds[usize::from(side == Side::Black)].is_some()
                    || cannot_be_mated(self.root.vector(), side)
            };
            let sides = [Side::White, Side::Black].into_iter().filter(|side| holds(*side));
            verdict.bounds = sides.map(Bound::of).collect();
        }
        if verdict.value.is_some() && verdict.shortest {
            verdict.stop = None;
        }
        verdict.evidence = Evidence::Search(Box::new(outcome), self.leaves.clone());
        verdict
    }
}
