//! Chooses engines, combines their answers, returns one [`Verdict`] with its evidence.

mod chain;
mod defences;
mod engine;
mod evidence;
mod graph;
mod level;
mod link;
mod prove;
mod pursuer;
mod rate;
mod search;
mod strive;
mod subgoals;
mod tableau;
mod tables;
mod verdict;

pub use engine::{Engine, UnknownEngine};
pub use evidence::{CertificateError, Evidence, Rated};
pub use link::Link;
pub use prove::{Proof, ProveOptions, Prover};
pub use pursuer::Zones;
pub use search::LeafTables;
pub use tableau::ModelStrategy;
pub use verdict::{Bound, Formula, Report, Verdict};

use crate::chess::board::Board;
use crate::chess::{Packed, Profile, Vector};
use crate::game::Value;
use crate::limits::{Budget, Limits, StopReason};
use crate::search::Outlook;
use crate::strategy::Rules;
use crate::tables::{MAX_MEN, TableError, Tables};
use std::sync::Arc;

/// What is asked of [`Solver::solve`].
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// The engine.
    pub engine: Engine,
    /// The rules.
    pub profile: Profile,
    /// Whether the satisfiability of the printed Θ1..Θ4 is wanted too (needs the graph).
    pub literal: bool,
}

/// Why an engine cannot be asked this question at all.
#[derive(Debug, thiserror::Error)]
pub enum SolveError {
    /// Tables end at five men.
    #[error("{men} men: tables end at {MAX_MEN}; use another engine")]
    TooManyMen {
        /// Men on the board.
        men: usize,
    },
    /// Tables, search and subgoals know the laws of chess only.
    #[error("the tables, search and subgoals engines know the fide profile only")]
    Profile,
    /// The printed formulas speak of all of Leg(y⁰).
    #[error("--literal needs the whole graph; use --engine graph, tableau or auto")]
    Literal,
    /// A table could not be built or read.
    #[error(transparent)]
    Tables(TableError),
}

/// The engines with what they keep between positions. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Solver {
    tables: Arc<Tables>,
    /// Men of the largest tables at the leaves of the search.
    leaf_men: usize,
    rules: Option<Arc<dyn Rules>>,
    outlook: Option<Arc<dyn Outlook>>,
}

/// Edges of Leg(y⁰) that `auto` looks at before it gives a position up as too large for the graph:
/// some tenths of a second.
const SMALL_GRAPH: u64 = 200_000;

impl Solver {
    /// A solver on these tables.
    pub fn new(tables: Arc<Tables>) -> Self {
        Self { tables, leaf_men: MAX_MEN, rules: None, outlook: None }
    }

    /// The search asks tables of at most so many men.
    #[must_use]
    pub fn with_leaf_men(self, men: usize) -> Self {
        Self { leaf_men: men.min(MAX_MEN), ..self }
    }

    /// Proved rules may end lines of the search.
    #[must_use]
    pub fn with_rules(self, rules: Arc<dyn Rules>) -> Self {
        Self { rules: Some(rules), ..self }
    }

    /// The search orders its work by an outlook.
    #[must_use]
    pub fn with_outlook(self, outlook: Arc<dyn Outlook>) -> Self {
        Self { outlook: Some(outlook), ..self }
    }

    fn searcher(&self, root: &Vector, budget: &Budget) -> search::Searcher {
        let leaves = LeafTables { tables: Arc::clone(&self.tables), men: self.leaf_men };
        let (rules, outlook) = (self.rules.clone(), self.outlook.clone());
        let options =
            crate::search::Options { rules, outlook, ..crate::search::Options::default() };
        search::Searcher::new(root, leaves, options, budget)
    }

    /// Decides which of Θ1, Θ2* (= Θ4*), Θ3 is satisfiable. A limit is an answer: the verdict is
    /// then unknown, with what is proved and why it stopped.
    ///
    /// # Errors
    /// When the engine cannot be asked this, or a table cannot be built.
    pub fn solve(
        &self,
        root: &Vector,
        options: &Options,
        budget: &Budget,
    ) -> Result<Verdict, SolveError> {
        if let Err(reason) = budget.check(0, 0) {
            return Ok(Verdict::stopped(root, options.engine, reason, 0, budget));
        }
        match options.engine {
            Engine::Graph => Ok(graph::solve(root, options, budget)),
            Engine::Tableau => Ok(tableau::solve(root, options, budget)),
            Engine::Tables if options.profile == Profile::Paper => Err(SolveError::Profile),
            Engine::Tables if options.literal => Err(SolveError::Literal),
            Engine::Tables if root.men() > MAX_MEN => {
                Err(SolveError::TooManyMen { men: root.men() })
            }
            Engine::Tables => tables::solve(root, &self.tables, budget),
            Engine::Search | Engine::Subgoals if options.profile == Profile::Paper => {
                Err(SolveError::Profile)
            }
            Engine::Search | Engine::Subgoals if options.literal => Err(SolveError::Literal),
            Engine::Search => Ok(self.searcher(root, budget).solve(budget)),
            Engine::Subgoals => Ok(subgoals::solve(root, &self.tables, budget)),
            Engine::Auto => self.auto(root, options, budget),
        }
    }

    /// Tables if the men allow; else a mate in a few moves, the graph if it is small, and proof
    /// search for the rest. A mate in a few moves comes before five-man tables that would have to
    /// be built.
    fn auto(
        &self,
        root: &Vector,
        options: &Options,
        budget: &Budget,
    ) -> Result<Verdict, SolveError> {
        if options.literal || options.profile == Profile::Paper {
            return Ok(graph::solve(root, options, budget));
        }
        let quick = root.men() < MAX_MEN
            || root.men() == MAX_MEN && tables::at_hand(root, &self.tables, budget);
        if quick && let Attempt::Done(verdict) = self.tabled(root, budget)? {
            return Ok(*verdict);
        }
        let mut search = self.searcher(root, budget);
        if let Some(verdict) = search.short_mate(budget) {
            return Ok(verdict);
        }
        let mut spent = search.positions();
        if root.men() <= MAX_MEN && !quick {
            match self.tabled(root, &less(budget, spent))? {
                Attempt::Done(verdict) => return Ok(*verdict),
                Attempt::TooLarge(positions) => spent += positions,
            }
        }
        match self.listed(root, options, &less(budget, spent)) {
            Attempt::Done(verdict) => return Ok(*verdict),
            Attempt::TooLarge(positions) => spent += positions,
        }
        budget.progress().note("too many positions to list: searching for a proof");
        let left = less(budget, spent);
        let verdict = if left.limits().threads > 1 && left.limits().positions.is_none() {
            subgoals::race(&mut search, root, &self.tables, &left)
        } else {
            subgoals::in_turn(search, root, &self.tables, &left)
        };
        Ok(Verdict { positions: verdict.positions + spent, ..verdict })
    }

    /// The answer of the tables, unless memory, positions or distances are too large for them.
    fn tabled(&self, root: &Vector, budget: &Budget) -> Result<Attempt, SolveError> {
        let (why, positions) = match tables::solve(root, &self.tables, budget) {
            Ok(verdict) => match verdict.stop {
                Some(reason @ (StopReason::Memory | StopReason::Positions)) => {
                    (reason.to_string(), verdict.positions)
                }
                _ => return Ok(Attempt::Done(Box::new(verdict))),
            },
            Err(SolveError::Tables(error @ TableError::TooDeep { .. })) => (error.to_string(), 0),
            Err(error) => return Err(error),
        };
        budget.progress().note(&format!("no table ({why}): searching for a proof"));
        Ok(Attempt::TooLarge(positions))
    }

    /// The answer of the graph, unless it has too many positions to be listed in passing.
    fn listed(&self, root: &Vector, options: &Options, budget: &Budget) -> Attempt {
        let mut limit = SMALL_GRAPH / branching(root);
        if let Some(positions) = budget.limits().positions {
            limit = limit.min(positions / 2);
        }
        let small = budget.limited(Limits { positions: Some(limit), ..*budget.limits() });
        let verdict = graph::solve(root, options, &small);
        match verdict.stop {
            // The graph counts the positions that it knows; the limit speaks of those that it has
            // expanded.
            Some(StopReason::Positions | StopReason::Memory) => {
                Attempt::TooLarge(verdict.positions.min(limit))
            }
            _ => Attempt::Done(Box::new(verdict)),
        }
    }
}

/// What came of an engine that suits small positions only.
enum Attempt {
    /// Its verdict (unknown, if the time was over).
    Done(Box<Verdict>),
    /// The position is too large for it; so many positions were visited in vain.
    TooLarge(u64),
}

/// The moves of the side that has more of them, at the root and on average after its first moves;
/// at least 1.
fn branching(root: &Vector) -> u64 {
    let Ok(board) = Board::from_vector(root) else { return 1 };
    let moves = board.legal_moves();
    let replies: usize = moves.iter().map(|&m| board.after(m).legal_moves().len()).sum();
    (moves.len().max(replies / moves.len().max(1)).max(1)) as u64
}

/// A budget with so many positions less.
fn less(budget: &Budget, spent: u64) -> Budget {
    let positions = budget.limits().positions.map(|n| n.saturating_sub(spent));
    budget.limited(Limits { positions, ..*budget.limits() })
}

/// The value of a position from tables that are at hand.
fn table_value(tables: &Tables, p: &Packed) -> Option<Value> {
    board_value(tables, &Board::of_legal(p))
}

/// The value of a position from tables that are at hand.
fn board_value(tables: &Tables, board: &Board) -> Option<Value> {
    // A damaged table is reported by `ensure`; here it only means that the value is not known.
    let value = tables.probe(board).ok().flatten()?;
    let side = board.side_to_move();
    Some(match value {
        crate::tables::Value::Win(plies) => Value::Wins(side, plies.into()),
        crate::tables::Value::Draw => Value::Draw,
        crate::tables::Value::Loss(plies) => Value::Wins(side.other(), plies.into()),
    })
}
