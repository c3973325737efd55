//! Aims, trajectories and zones.

use super::work::{Attempt, Step, Task, position, request};
use crate::cli::serve::asked::Asked;
use crate::cli::serve::error::ApiError;
use crate::cli::subgoals::Report;
use theta_chess::chess::Position;
use theta_chess::limits::Budget;
use theta_chess::pioneer::image::Horizon;
use theta_chess::pioneer::subgoal::propose;

request! {
    /// A position for which aims are to be proposed.
    Request {
        /// The position: FEN, counters optional, underscores for spaces.
        fen: String,
        /// The horizon in plies: even, 2 to 14 (4).
        #[serde(default)]
        horizon: Option<u32>,
    }
}

/// The work.
pub struct Propose {
    root: Position,
    horizon: Horizon,
    asked: Asked,
}

impl Propose {
    /// # Errors
    /// A request that cannot be read.
    pub fn new(request: Request) -> Result<Self, ApiError> {
        let root = position(&request.fen)?;
        let horizon = Horizon::new(request.horizon.unwrap_or(4));
        Ok(Self { root, horizon, asked: request.limits()? })
    }
}

impl Task for Propose {
    fn asked(&self) -> Asked {
        self.asked
    }

    fn rank(&self) -> usize {
        self.root.men()
    }

    fn is_quick(&self) -> bool {
        true
    }

    fn run(&mut self, at: &mut Attempt<'_>, budget: &Budget) -> Result<Step, ApiError> {
        let proposal = propose(&self.root.board(), self.horizon, budget);
        if at.quick && proposal.stop.is_some() {
            return Ok(Step::GoOn);
        }
        let fen = self.root.to_string();
        at.tell("result", &Report { fen, proposal: &proposal, close: Vec::new() });
        Ok(Step::Over)
    }
}
