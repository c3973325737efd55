//! The engines, each behind the same question and the same answer.
//!
//! An engine is a file with a function `solve(&Question) -> Result<Verdict, SolveError>`. To add
//! one: a name in [`Engine`], a file here, a line in [`ask`], and its turn in [`auto`], if it shall
//! have one. A limit is an answer: an engine that stops early gives
//! [`Verdict::stopped`](super::Verdict), with what it has proved.
//!
//! | file | engine |
//! |---|---|
//! | `advised` | wins, with moves that a file or another engine proposes |
//! | `auto` | chooses, by the men, the size of the graph and the limits |
//! | `beside` | no engine: slices and the search at the same time |
//! | `fortress` | no engine: a fortress of one side and the search for the other's hold at the same time |
//! | `graph` | Leg(y⁰) listed, two least fixpoints: the reference |
//! | `tables` | tables of up to five men; castling rights are listed on top of them |
//! | `leaves` | no engine: a table of five men solved for the search to end in |
//! | `kept` | the search with some of the owner's moves only |
//! | `search` | proof search: wins by proof numbers, holds by closed regions |
//! | `shut` | no engine: sides that nothing can mate, found in passing |
//! | `slice_proof` | no engine: what slices have proved, and its certificates |
//! | `slices` | pawn endings of any size, pawn placement by pawn placement |
//! | `syzygy` | the user's Syzygy tables, which are believed |
//! | `subgoals` | chains of aims ([`crate::prove`]), and their race with the search |
//! | `tableau` | the formulas themselves, by the general CTL tableau |

mod advised;
pub(super) mod auto;
mod beside;
mod fortress;
pub(super) mod graph;
pub(super) mod kept;
mod leaves;
pub(super) mod search;
mod shut;
pub(super) mod slice_proof;
pub(super) mod slices;
pub(super) mod subgoals;
pub(super) mod syzygy;
pub(super) mod tableau;
pub(super) mod tables;

use super::question::Question;
use super::{Engine, SolveError, Verdict};
use crate::tables::MAX_MEN;

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
    match &question.kept.keep {
        Some(_) if question.kept.adviser.is_some() => return Err(SolveError::AdviceKept),
        Some(keep) if kept::is_idle(keep) => {
            question
                .budget
                .progress()
                .note("what is to be kept holds everywhere: all moves are tried");
        }
        Some(keep) => return kept::solve(question, keep),
        None => {}
    }
    if let Some(adviser) = &question.kept.adviser {
        return advised::solve(question, adviser);
    }
    match options.engine {
        Engine::Auto => auto::solve(question),
        Engine::Graph => Ok(graph::solve(question)),
        Engine::Tables if let Some(verdict) = syzygy::solve(question) => Ok(verdict),
        Engine::Tables if question.root.men() > MAX_MEN && !tables::at_hand(question) => {
            Err(SolveError::TooManyMen { men: question.root.men() })
        }
        Engine::Tables => tables::solve(question),
        Engine::Search => Ok(search::Searcher::new(question).solve(question.budget)),
        Engine::Slices => slices::solve(question),
        Engine::Subgoals => Ok(subgoals::solve(question)),
        Engine::Tableau => Ok(tableau::solve(question)),
    }
}
