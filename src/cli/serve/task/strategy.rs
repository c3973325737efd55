//! The strategy of what is proved, node by node.

use super::solve::certified;
use super::work::{Attempt, Step, Task, internal, position, request};
use crate::cli::serve::asked::Asked;
use crate::cli::serve::error::ApiError;
use serde_json::json;
use theta_chess::chess::Position;
use theta_chess::limits::Budget;

request! {
    /// A position whose strategy is wanted.
    Request {
        /// The position: FEN, counters optional, underscores for spaces.
        fen: String,
        /// Nodes that are shown at most (2,000; at most 20,000).
        #[serde(default)]
        limit: Option<usize>,
    }
}

/// Nodes where nothing else is asked for, and at most.
const NODES: [usize; 2] = [2_000, 20_000];

/// The work.
pub struct Show {
    root: Position,
    limit: usize,
    asked: Asked,
}

impl Show {
    /// # Errors
    /// A request that cannot be read.
    pub fn new(request: Request) -> Result<Self, ApiError> {
        let root = position(&request.fen)?;
        let limit = request.limit.unwrap_or(NODES[0]).clamp(1, NODES[1]);
        Ok(Self { root, limit, asked: request.limits()? })
    }
}

impl Task for Show {
    fn asked(&self) -> Asked {
        self.asked
    }

    fn run(&mut self, at: &mut Attempt<'_>, budget: &Budget) -> Result<Step, ApiError> {
        let verdict = at.desk.solver.solve(&self.root, budget).map_err(internal)?;
        let strategies = match certified(&verdict, budget) {
            Err(why) => json!({"fen": self.root.to_string(), "strategies": [], "why": why}),
            Ok(held) => {
                let nodes = held.nodes(self.limit)?;
                at.job.hold(held);
                json!({"fen": self.root.to_string(), "strategies": nodes})
            }
        };
        at.tell("result", &strategies);
        Ok(Step::Over)
    }
}
