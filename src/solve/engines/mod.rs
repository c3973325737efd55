//! The engines, each behind the same question and the same answer.
//!
//! An engine is a file with a function `solve(&Question) -> Result<Verdict, SolveError>`. To add
//! one: a name in [`Engine`], a file here, a line in [`ask`], and its turn in [`auto`], if it shall
//! have one. A limit is an answer: an engine that stops early gives
//! [`Verdict::stopped`](super::Verdict), with what it has proved.
//!
//! | file | engine |
//! |---|---|
//! | `auto` | chooses, by the men, the size of the graph and the limits |
//! | `graph` | Leg(y⁰) listed, two least fixpoints: the reference |
//! | `tables` | tables of up to five men; castling rights are listed on top of them |
//! | `search` | proof search: wins by proof numbers, holds by closed regions |
//! | `slices` | pawn endings of any size, pawn placement by pawn placement |
//! | `subgoals` | chains of aims ([`crate::prove`]), and their race with the search |
//! | `tableau` | the formulas themselves, by the general CTL tableau |

pub(super) mod auto;
pub(super) mod graph;
pub(super) mod search;
pub(super) mod slices;
pub(super) mod subgoals;
pub(super) mod tableau;
pub(super) mod tables;

use super::{Engine, Options, SolveError, Solver, Verdict};
use crate::chess::board::Board;
use crate::chess::{Position, Profile, Vector};
use crate::limits::Budget;
use crate::tables::{MAX_MEN, Tables};
use std::sync::Arc;

/// What an engine is asked.
#[derive(Clone, Copy)]
pub(super) struct Question<'a> {
    /// The position.
    pub(super) root: &'a Position,
    /// What is kept between questions: tables, proved rules, an outlook.
    pub(super) solver: &'a Solver,
    /// How it is asked.
    pub(super) options: &'a Options,
    /// The limits, the interrupt and the receiver of progress.
    pub(super) budget: &'a Budget,
}

impl<'a> Question<'a> {
    pub(super) fn vector(&self) -> &'a Vector {
        self.root.vector()
    }

    pub(super) fn board(&self) -> Board {
        self.root.board()
    }

    pub(super) fn tables(&self) -> &'a Arc<Tables> {
        self.solver.tables()
    }

    /// The same question with other limits.
    pub(super) fn within(self, budget: &'a Budget) -> Self {
        Self { budget, ..self }
    }

    /// Whether it is about the laws of chess, which all engines know.
    pub(super) fn is_fide(&self) -> bool {
        self.options.profile == Profile::Fide
    }
}

/// Asks the engine that the options name.
///
/// # Errors
/// When the engine cannot be asked this, or a table cannot be built.
pub(super) fn ask(question: &Question) -> Result<Verdict, SolveError> {
    let options = question.options;
    let whole_graph = matches!(options.engine, Engine::Auto | Engine::Graph | Engine::Tableau);
    if !whole_graph && !question.is_fide() {
        return Err(SolveError::Profile);
    }
    if !whole_graph && options.literal {
        return Err(SolveError::Literal);
    }
    if let Some(keep) = &question.solver.keep {
        return search::kept(question, keep);
    }
    match options.engine {
        Engine::Auto => auto::solve(question),
        Engine::Graph => Ok(graph::solve(question)),
        Engine::Tables if question.root.men() > MAX_MEN => {
            Err(SolveError::TooManyMen { men: question.root.men() })
        }
        Engine::Tables => tables::solve(question),
        Engine::Search => Ok(search::Searcher::new(question).solve(question.budget)),
        Engine::Slices => slices::solve(question),
        Engine::Subgoals => Ok(subgoals::solve(question)),
        Engine::Tableau => Ok(tableau::solve(question)),
    }
}
