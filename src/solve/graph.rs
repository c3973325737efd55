//! The explicit graph as an engine.

use super::{Engine, Evidence, Options, Verdict};
use crate::chess::Vector;
use crate::game::{Game, Literal, Values};
use crate::limits::Budget;

/// Decides by listing Leg(y⁰) and its two least fixpoints.
pub(super) fn solve(root: &Vector, options: &Options, budget: &Budget) -> Verdict {
    let game = match Game::explore(root, options.profile, budget) {
        Ok(game) => game,
        Err(end) => return Verdict::stopped(root, Engine::Graph, end.reason, end.positions, budget),
    };
    budget.progress().stage("solving backwards", None);
    let values = Values::of(&game);
    let literal = options.literal.then(|| Literal::of(&game, &values, 0));
    let (value, positions) = (values.value(0), u64::from(game.len()));
    let evidence = Evidence::Graph(Box::new((game, values)));
    let verdict = Verdict::decided(root, Engine::Graph, value, evidence, positions, options.profile, budget);
    Verdict { literal, ..verdict }
}
