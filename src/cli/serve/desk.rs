//! What all jobs share: the engines on their tables, the limits, and the rules that are proved.

use super::asked::Asked;
use crate::cli::Context;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::available_parallelism;
use std::time::Duration;
use theta_chess::chess::board::{Board, Position as _};
use theta_chess::library::rules::{Rule, RuleBook};
use theta_chess::limits::{Budget, Limits};
use theta_chess::solve::Solver;
use theta_chess::tables::{MAX_MEN, Material, TableError, Tables};

/// Who asks: the address at the other end of the connection.
#[derive(Debug, Clone, Copy)]
pub struct Client(pub IpAddr);

/// What a request may take at most.
#[derive(Debug, Clone, Copy)]
pub struct Ceiling {
    /// Time for an answer.
    pub time: Duration,
    /// Bytes that an engine may take.
    pub memory: u64,
    /// Positions that may be visited.
    pub positions: Option<u64>,
}

/// Time for an answer where nothing else is asked for.
const USUAL: Duration = Duration::from_secs(10);

/// What all jobs share.
pub struct Desk {
    /// A context that prints nothing.
    pub context: Context,
    pub solver: Solver,
    pub ceiling: Ceiling,
    workers: usize,
    /// Rules that were proved, by their men; kept in memory only.
    books: Mutex<HashMap<Material, Arc<RuleBook>>>,
}

impl Desk {
    /// A desk with these engines; the context prints nothing.
    pub fn new(context: Context, solver: Solver, ceiling: Ceiling) -> Self {
        let workers = available_parallelism().map_or(2, |n| n.get()).clamp(1, 8);
        Self { context, solver, ceiling, workers, books: Mutex::default() }
    }

    pub fn tables(&self) -> &Arc<Tables> {
        self.solver.tables()
    }

    /// Solves the tables of three men, if they are not at hand.
    pub fn prepare(&self) {
        if let Ok(material) = "KPvK".parse::<Material>() {
            // Where it fails the tables are solved when somebody asks for them.
            let _ = self.tables().ensure(material, &Budget::default());
        }
    }

    /// Jobs that are worked at side by side.
    pub fn workers(&self) -> usize {
        self.workers
    }

    /// Threads that a job may use.
    pub fn threads_of_a_job(&self) -> usize {
        1
    }

    /// A budget that begins now, within what is allowed.
    pub fn budget(&self, asked: Asked, stop: Arc<AtomicBool>) -> Budget {
        let usual = USUAL.min(self.ceiling.time);
        let time = asked.time.map_or(usual, Duration::from_secs_f64).min(self.ceiling.time);
        let memory = asked.memory.map_or(self.ceiling.memory, |n| n.min(self.ceiling.memory));
        let mut limits = Limits::default()
            .with_time(time)
            .with_memory(memory)
            .with_threads(self.threads_of_a_job());
        limits.positions = [asked.positions, self.ceiling.positions].into_iter().flatten().min();
        Budget::new(limits).with_interrupt(stop)
    }

    /// Whether a position of so many men is answered by tables that are at hand. (Larger ones are
    /// for the engines.)
    pub fn is_ready(&self, board: &Board) -> bool {
        let budget = Budget::default();
        Tables::material_of(board).is_some_and(|m| self.tables().is_at_hand(m, &budget))
    }

    /// Whether a short attempt at a position may help: it waits for no table.
    pub fn suits_quick(&self, board: &Board) -> bool {
        board.chess().board().occupied().count() > MAX_MEN || self.is_ready(board)
    }

    /// Men of the largest of the user's Syzygy tables; 0 without any.
    pub fn syzygy_men(&self) -> usize {
        self.context.oracle().ok().flatten().map_or(0, |oracle| oracle.men())
    }

    /// Plies to a capture or a pawn move, by the user's Syzygy tables, and whether they are exact.
    pub fn dtz(&self, board: &Board) -> Option<(i32, bool)> {
        self.context.oracle().ok()??.dtz(board)
    }

    /// These rules as far as they are proved within the limits, and whether that is all of them; those
    /// that fail are left out. What is proved once is not proved again.
    ///
    /// # Errors
    /// A table that cannot be built.
    pub fn proved(&self, rules: &[Rule], budget: &Budget) -> Result<(RuleBook, bool), TableError> {
        let books = || self.books.lock().unwrap_or_else(PoisonError::into_inner);
        let mut materials: Vec<Material> = rules.iter().map(|rule| rule.material).collect();
        materials.sort_by_key(|material| (material.men(), material.to_string()));
        materials.dedup();
        let (mut all, mut complete) = (RuleBook::default(), true);
        for material in materials {
            let known = books().get(&material).cloned();
            let book = match known {
                Some(book) => book,
                None => {
                    let alike: Vec<Rule> =
                        rules.iter().filter(|rule| rule.material == material).cloned().collect();
                    // Nothing that a request asks for is written down, tables apart.
                    match RuleBook::prove(self.tables(), &alike, budget) {
                        Ok((book, _)) => books().entry(material).or_insert(Arc::new(book)).clone(),
                        Err(TableError::Stopped(_)) => {
                            complete = false;
                            continue;
                        }
                        Err(error) => return Err(error),
                    }
                }
            };
            all.join(&book);
        }
        Ok((all, complete))
    }
}
