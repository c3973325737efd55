//! The value and the distance after every legal move.

use super::solve::hasty;
use super::work::{Attempt, Step, Task, internal, position, request};
use crate::cli::moves::{Report, row};
use crate::cli::serve::asked::Asked;
use crate::cli::serve::desk::Desk;
use crate::cli::serve::error::ApiError;
use theta_chess::chess::Position;
use theta_chess::limits::Budget;
use theta_chess::solve::{Rated, Ratings};

request! {
    /// A position whose moves are to be rated.
    Request {
        /// The position: FEN, counters optional, underscores for spaces.
        fen: String,
    }
}

/// The work.
pub struct Moves {
    root: Position,
    asked: Asked,
    quick: bool,
}

impl Moves {
    /// # Errors
    /// A request that cannot be read.
    pub fn new(request: Request, desk: &Desk) -> Result<Self, ApiError> {
        let root = position(&request.fen)?;
        let quick = desk.suits_quick(&root.board());
        Ok(Self { root, asked: request.limits()?, quick })
    }
}

impl Task for Moves {
    fn asked(&self) -> Asked {
        self.asked
    }

    fn rank(&self) -> usize {
        self.root.men()
    }

    fn is_quick(&self) -> bool {
        self.quick
    }

    fn run(&mut self, at: &mut Attempt<'_>, budget: &Budget) -> Result<Step, ApiError> {
        let solver = &at.desk.solver;
        let options =
            if at.quick { hasty(*solver.options(), &self.root) } else { *solver.options() };
        let (solver, board) = (solver.clone().with_options(options), self.root.board());
        let mut tell = |rated: &Rated| at.tell("move", &row(&board, rated));
        let Ratings { moves: rated, relies_on, .. } =
            solver.rate_each(&self.root, budget, &mut tell).map_err(internal)?;
        if at.quick && rated.iter().any(|rated| rated.value.is_none()) {
            return Ok(Step::GoOn);
        }
        let moves = rated.iter().map(|rated| row(&board, rated)).collect();
        at.tell("result", &Report { fen: self.root.to_string(), id: None, moves, relies_on });
        Ok(Step::Over)
    }
}
