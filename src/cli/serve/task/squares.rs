//! Key squares and corresponding squares of a pawn ending.

use super::work::{Attempt, Step, Task, internal, position, request};
use crate::cli::serve::asked::Asked;
use crate::cli::serve::error::ApiError;
use crate::cli::squares::find;
use theta_chess::chess::Position;
use theta_chess::limits::Budget;
use theta_chess::slices::Analysis;

request! {
    /// A pawn ending.
    Request {
        /// The position: FEN, counters optional, underscores for spaces.
        fen: String,
    }
}

/// The work.
pub struct Find {
    root: Position,
    asked: Asked,
}

impl Find {
    /// # Errors
    /// A request that cannot be read, or other men than kings and pawns.
    pub fn new(request: Request) -> Result<Self, ApiError> {
        let root = position(&request.fen)?;
        Analysis::suits(&root.board())
            .map_err(|error| ApiError::bad("bad_request", error.to_string()))?;
        Ok(Self { root, asked: request.limits()? })
    }
}

impl Task for Find {
    fn asked(&self) -> Asked {
        self.asked
    }

    fn run(&mut self, at: &mut Attempt<'_>, budget: &Budget) -> Result<Step, ApiError> {
        let (report, _) = find(&self.root, None, budget).map_err(internal)?;
        at.tell("result", &report);
        Ok(Step::Over)
    }
}
